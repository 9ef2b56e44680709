"""Services of the lower layers that the main window uses."""

from __future__ import annotations  # the classes below are imported after the first paint

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qhub_desktop.core.settings import LiveSettings, Settings

if TYPE_CHECKING:
    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.store.store import Store
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.ui.dashboards.context import DashboardContext
    from qhub_desktop.ui.data_panel.defect_import import DefectImportService
    from qhub_desktop.ui.tasks import Tasks


@dataclass(frozen=True, slots=True)
class AppServices:
    """Services that the main window uses.

    The functions without a verb are called after the first paint, because their imports are heavy,
    and return the same object each time. `test_connection` takes a key ("" for the stored one) and
    the settings to try, and returns a sentence; `save_key` with "" deletes the key.
    """

    store: Store
    live_settings: LiveSettings
    agents: Mapping[str, Agent]
    turns: Callable[[], TurnRunner]
    outbox: Callable[[], Outbox]
    workspace: Callable[[], Workspace]
    conversation_datasets: Callable[[], ConversationDatasets]
    defect_importer: Callable[[], DefectImportService]
    dashboards: Callable[[Tasks], DashboardContext]
    test_connection: Callable[[str, Settings], Awaitable[str]]
    save_key: Callable[[str], Awaitable[None]]
    has_key: Callable[[], Awaitable[bool]]
