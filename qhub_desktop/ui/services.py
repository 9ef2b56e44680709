"""Services of the layers below that the window and its dashboards work with."""

from __future__ import annotations  # the classes named below are imported after the first paint

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qhub_desktop.core.dashboard import (
    DailyAt,
    EveryMinutes,
    OnChange,
    Schedule,
    Viewer,
    Visibility,
)
from qhub_desktop.core.settings import LiveSettings, Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.engine import Engine
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.store.dashboards import DashboardRepository
    from qhub_desktop.store.settings import SettingRepository
    from qhub_desktop.store.store import Store
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.dashboard_export import DashboardFiles
    from qhub_desktop.tools.dashboard_queries import DashboardQueries
    from qhub_desktop.ui.tasks import Tasks


@dataclass(frozen=True, slots=True)
class AppServices:
    """Everything a window needs.

    What is a function is asked for after the first paint, and each time gives the same object: the
    imports are heavy. `test_connection` takes a key ("" for the one
    that is kept) and the settings to try, and gives a sentence; `save_key` with "" forgets the key.
    """

    store: Store
    chosen: LiveSettings
    agents: Mapping[str, Agent]
    engine: Callable[[], Engine]
    outbox: Callable[[], Outbox]
    workspace: Callable[[], Workspace]
    shelf: Callable[[], ConversationDatasets]
    dashboards: Callable[[], DashboardQueries]
    dashboard_files: Callable[[], DashboardFiles]
    viewer: Callable[[], Viewer]
    test_connection: Callable[[str, Settings], Awaitable[str]]
    save_key: Callable[[str], Awaitable[None]]
    has_key: Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class DashboardContext:
    """The objects of the layers below, and who looks."""

    dashboards: DashboardRepository
    settings: SettingRepository
    data: DashboardQueries
    files: DashboardFiles
    viewer: Viewer
    tasks: Tasks


def viewers_words(visibility: Visibility) -> str:
    """Who may see it, in the person's words."""
    match visibility:
        case "me":
            return _("Only me")
        case "agent":
            return _("Everyone who may use its agent")
        case "station":
            return _("Everyone at the station")


def schedule_said(schedule: Schedule) -> str:
    """When it refreshes itself, in the person's words."""
    match schedule:
        case None:
            return _("Only when asked")
        case EveryMinutes(minutes):
            said = ngettext("Every {count} minute", "Every {count} minutes", minutes)
            return said.format(count=number(minutes, digits=0))
        case DailyAt(at):
            return _("Every day at {time}").format(time=f"{at:%H:%M}")
        case OnChange():
            return _("When its data changes")
