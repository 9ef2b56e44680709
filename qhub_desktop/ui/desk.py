"""What the window works with: the objects of the layers below, made once by the program's root."""

from __future__ import annotations  # the classes named below are imported after the first paint

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qhub_desktop.core.chosen import Chosen
from qhub_desktop.core.settings import Settings

if TYPE_CHECKING:
    from qhub_desktop.chat.agent import Agent
    from qhub_desktop.chat.engine import Engine
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.core.dashboard import Viewer
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.store.store import Store
    from qhub_desktop.tools.dashboard_data import DashboardData
    from qhub_desktop.tools.dashboard_files import DashboardFiles
    from qhub_desktop.tools.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything a window needs.

    What is a function is asked for after the first paint, and each time gives the same object: the
    imports are heavy. `test_connection` takes a key ("" for the one
    that is kept) and the settings to try, and gives a sentence; `save_key` with "" forgets the key.
    """

    store: Store
    chosen: Chosen
    agents: Mapping[str, Agent]
    engine: Callable[[], Engine]
    outbox: Callable[[], Outbox]
    workspace: Callable[[], Workspace]
    shelf: Callable[[], Shelf]
    dashboards: Callable[[], DashboardData]
    dashboard_files: Callable[[], DashboardFiles]
    viewer: Callable[[], Viewer]
    test_connection: Callable[[str, Settings], Awaitable[str]]
    save_key: Callable[[str], Awaitable[None]]
    has_key: Callable[[], Awaitable[bool]]
