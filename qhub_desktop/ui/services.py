"""Services of the layers below, as the window and its parts ask for them; tests play them."""

from __future__ import annotations  # the classes below are imported after the first paint

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Literal

from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.claude.diagnosis import Network
    from qhub_desktop.chat.model_judge import ModelJudge
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.chat.patterns import PatternReader
    from qhub_desktop.chat.turn import TurnRunner
    from qhub_desktop.core.dashboard import Viewer
    from qhub_desktop.core.keystore import KeyPlaces
    from qhub_desktop.core.person import Person
    from qhub_desktop.core.question_form import FormSource
    from qhub_desktop.core.readings import ReadingSource
    from qhub_desktop.core.settings import LiveSettings, Settings
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.people.accounts import Accounts, Sessions
    from qhub_desktop.store import Store
    from qhub_desktop.store.backups import Backup, SafetyCopies
    from qhub_desktop.store.conversations import ConversationRepository
    from qhub_desktop.store.dashboards import DashboardRepository
    from qhub_desktop.store.messages import MessageRepository
    from qhub_desktop.store.settings import SettingRepository
    from qhub_desktop.tools.agent_catalogue import AgentCatalogue
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.conversation_files import ConversationFiles
    from qhub_desktop.tools.dashboard_export import DashboardFiles
    from qhub_desktop.tools.dashboard_refresh import DashboardQueries
    from qhub_desktop.tools.datasets import PythonTools
    from qhub_desktop.tools.defects import DefectImporter, DefectTools
    from qhub_desktop.tools.deletion import Deletion
    from qhub_desktop.tools.document_service import DocumentService
    from qhub_desktop.tools.examples import ExampleService
    from qhub_desktop.tools.model_trial import ModelTrials
    from qhub_desktop.tools.studies import StudyTools
    from qhub_desktop.ui.tasks import Tasks
    from qhub_desktop.updates.updater import Updater


@dataclass(frozen=True, slots=True)
class AppServices:
    """Services that the main window uses.

    The functions without a verb are called after the first paint, because their imports are heavy,
    and return the same object each time. `test_connection` takes a key ("" for the stored one) and
    the settings to try, and returns a sentence; `save_key` with "" deletes the key;
    `service_host` returns that of the service that models are asked at, "" for none; `restore`
    closes the window, goes back to a safety copy, and opens another; `person` is who has signed in,
    where people do; `enter` goes on as whoever has made the first account.
    """

    store: Store
    live_settings: LiveSettings
    agents: Callable[[], Mapping[str, Agent]]
    agent_catalogue: Callable[[], AgentCatalogue]
    turns: Callable[[], TurnRunner]
    readings: Callable[[], ReadingSource]
    question_forms: Callable[[], FormSource]
    outbox: Callable[[], Outbox]
    workspace: Callable[[], Workspace]
    conversation_datasets: Callable[[], ConversationDatasets]
    defect_importer: Callable[[], DefectImporter]
    defect_tools: Callable[[], DefectTools]
    dashboards: Callable[[Tasks], DashboardContext]
    updates: Callable[[], Updater]
    test_connection: Callable[[str, Settings], Awaitable[str]]
    save_key: Callable[[str], Awaitable[None]]
    has_key: Callable[[], Awaitable[bool]]
    python_tools: Callable[[], PythonTools]
    key_places: KeyPlaces
    safety_copies: Callable[[], SafetyCopies]
    deletion: Callable[[], Deletion]
    restore: Callable[[Backup | Literal["newest"]], None]
    network: Callable[[], Network]
    conversation_files: Callable[[], ConversationFiles]
    person: Person | None
    accounts: Callable[[], Accounts]
    sessions: Callable[[], Sessions]
    enter: Callable[[Person], None]
    study_tools: Callable[[], StudyTools]
    service_host: Callable[[], str]
    pattern_reader: Callable[[], PatternReader]
    model_trials: Callable[[], ModelTrials]
    documents: Callable[[], DocumentService]
    export_person: Callable[[str, Path], Awaitable[int]]
    examples: Callable[[], ExampleService]
    judge: Callable[[], ModelJudge]


@dataclass(frozen=True, slots=True)
class DashboardContext:
    """Services of the windows of dashboards; `viewer` is the person who looks."""

    dashboards: DashboardRepository
    conversations: ConversationRepository
    messages: MessageRepository
    settings: SettingRepository
    data: DashboardQueries
    files: DashboardFiles
    viewer: Viewer
    tasks: Tasks
