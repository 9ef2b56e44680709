"""Pages of the settings, and the parts of them that are made by hand, which register themselves.

A page of settings alone is a section and its fields in `core/settings.py`. What is made by hand is
a widget under `@settings_part(...)` in a module of this package, or under `@settings_page(...)`,
which gives it a page of its own. No other file changes.
"""

from __future__ import annotations  # the services are for the type checker alone

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QWidget

from qhub_desktop.core.settings import SECTIONS, SectionInfo
from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from qhub_desktop.ui.services import AppServices
    from qhub_desktop.ui.tasks import Tasks


@dataclass(frozen=True, slots=True)
class SettingsContext:
    """What the parts work with.

    `type_in` enters a text into the field of a setting; `on_key_saved` is to be called when a key
    was stored or deleted; `open_memory` opens the window of what is known of the person.
    """

    services: AppServices
    tasks: Tasks
    type_in: Callable[[str, str], object]
    on_key_saved: Callable[[], object]
    open_memory: Callable[[], object]


Part = TypeVar("Part", bound=Callable[[SettingsContext], QWidget])

PAGES: dict[str, SectionInfo] = dict(SECTIONS.items())
PARTS: list[tuple[str, str, Callable[[SettingsContext], QWidget]]] = []


def settings_part(section: str, *, after: str = "") -> Callable[[Part], Part]:
    """Put a widget on the page of a section: below the field of a setting, or at the end."""

    def register(part: Part) -> Part:
        PARTS.append((section, after, part))
        return part

    return register


def settings_page(section: str, *, label: str, icon: str) -> Callable[[Part], Part]:
    """Give a widget a page of its own; its label is a key of the catalogue."""
    PAGES[section] = SectionInfo(label, icon)
    return settings_part(section)
