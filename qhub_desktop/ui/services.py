"""Services of the layers below, as the window and its parts ask for them; tests play them."""

from __future__ import annotations  # the classes below are imported after the first paint

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from qhub_desktop.core.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from qhub_desktop.chat.agents import Agent
    from qhub_desktop.chat.claude.diagnosis import StepResult
    from qhub_desktop.chat.claude.proxies import ProxyChoice
    from qhub_desktop.chat.outbox import Outbox
    from qhub_desktop.core.codec import Json, JsonObject
    from qhub_desktop.core.dashboard import RenderedDashboard, Viewer
    from qhub_desktop.core.dataset import Appended, DatasetProfile, DefectMapping
    from qhub_desktop.core.events import Audience, ConfirmCost, UsageCounted
    from qhub_desktop.core.keystore import KeyPlace
    from qhub_desktop.core.message import Message
    from qhub_desktop.core.person import Person
    from qhub_desktop.core.processes.supervisor import OnProgress
    from qhub_desktop.core.settings import LiveSettings, Settings
    from qhub_desktop.core.study import PointNote, Study, TableView
    from qhub_desktop.data.defect_recognition import MappingProposal
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.people.accounts import Accounts, Sessions
    from qhub_desktop.store import Store
    from qhub_desktop.store.backups import Backup, SafetyCopies
    from qhub_desktop.store.conversations import ConversationRepository
    from qhub_desktop.store.dashboards import DashboardRepository
    from qhub_desktop.store.settings import SettingRepository
    from qhub_desktop.tools.agent_catalogue import AgentCatalogue
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.tools.conversation_files import ImportedConversation
    from qhub_desktop.tools.studies import StudyTools
    from qhub_desktop.ui.tasks import Tasks
    from qhub_desktop.updates.updater import Updater


@dataclass(frozen=True, slots=True)
class AppServices:
    """Services that the main window uses.

    The functions without a verb are called after the first paint, because their imports are heavy,
    and return the same object each time. `test_connection` takes a key ("" for the stored one) and
    the settings to try, and returns a sentence; `save_key` with "" deletes the key;
    `restore` closes the window, goes back to a safety copy, and opens another; `person` is who has
    signed in, where people do; `enter` goes on as whoever has made the first account.
    """

    store: Store
    live_settings: LiveSettings
    agents: Callable[[], Mapping[str, Agent]]
    agent_catalogue: Callable[[], AgentCatalogue]
    turns: Callable[[], TurnRunner]
    outbox: Callable[[], Outbox]
    workspace: Callable[[], Workspace]
    conversation_datasets: Callable[[], ConversationDatasets]
    defect_importer: Callable[[], DefectImportService]
    dashboards: Callable[[Tasks], DashboardContext]
    updates: Callable[[], Updater]
    test_connection: Callable[[str, Settings], Awaitable[str]]
    save_key: Callable[[str], Awaitable[None]]
    has_key: Callable[[], Awaitable[bool]]
    python_tools: Callable[[], SafePython]
    key_places: KeyPlaces
    safety_copies: Callable[[], SafetyCopies]
    restore: Callable[[Backup | Literal["newest"]], None]
    network: Callable[[], Network]
    conversation_files: Callable[[], ConversationFiles]
    person: Person | None
    accounts: Callable[[], Accounts]
    sessions: Callable[[], Sessions]
    enter: Callable[[Person], None]
    study_tools: Callable[[], StudyTools]


class KeyPlaces(Protocol):
    """Places of keys, and what may be chosen where the system has no key store."""

    async def place(self) -> KeyPlace:
        """Return where they are kept now."""
        ...

    async def unlock(self, passphrase: str, /) -> None:
        """Keep them in an encrypted file. Raises UserError for a wrong passphrase."""
        ...

    async def keep_for_session(self) -> None:
        """Keep them until the program ends."""
        ...


class SafePython(Protocol):
    """Runner of a model's code: its methods return a sentence on what was tried.

    They raise UserError.
    """

    async def missing(self) -> str | None:
        """Return a sentence where the packaged program lacks its pack."""
        ...

    async def check(self, on_progress: OnProgress, /) -> str:
        """Run a line of code."""
        ...

    async def add_pack(self, archive: Path, on_progress: OnProgress, /) -> str:
        """Take the pack out of its archive, and run a line of code."""
        ...


class Network(Protocol):
    """The way to the service."""

    async def proxy(self) -> tuple[ProxyChoice, bool]:
        """Return the proxy on the way, and whether there is a login for it."""
        ...

    async def save_login(self, user: str, password: str) -> None:
        """Keep who signs in to the proxy; an empty name forgets them. Raises UserError."""
        ...

    def diagnose(self) -> AsyncIterator[StepResult]:
        """Try each step until one fails; each is announced as running before it is tried."""
        ...

    async def report(self, findings: Sequence[StepResult]) -> JsonObject:
        """Return what was found, and what the program knows of itself."""
        ...


class TurnRunner(Protocol):
    """Runner of the turns that answer questions."""

    async def reply(
        self,
        conversation: str,
        question: str,
        *,
        audience: Audience,
        wanted: JsonObject | None = None,
        confirm: ConfirmCost | None = None,
    ) -> None:
        """Store the question, with the plan chosen for it, then answer it."""
        ...

    async def retry(
        self,
        conversation: str,
        *,
        audience: Audience,
        engine: Literal["offline"] | None = None,
        confirm: ConfirmCost | None = None,
    ) -> None:
        """Answer the last question again."""
        ...

    async def edit(
        self,
        conversation: str,
        message: int,
        question: str,
        *,
        audience: Audience,
        confirm: ConfirmCost | None = None,
    ) -> None:
        """Replace a question and all after it."""
        ...


class MessageHistory(Protocol):
    """Stored messages, read page by page."""

    async def latest(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """Read the last messages, older than `before` if given; oldest first."""
        ...


class ConversationFiles(Protocol):
    """Conversations as files."""

    async def export(self, id_: str, target: Path) -> object:
        """Write a conversation, in the format of the target's suffix. Raises UserError."""
        ...

    async def import_file(self, path: Path) -> ImportedConversation:
        """Take in a conversation that was exported as JSON. Raises UserError."""
        ...


class StoredMessages(MessageHistory, Protocol):
    """Stored messages with their ratings and token usage."""

    async def rate(self, message: int, rating: Literal[-1, 0, 1]) -> None:
        """Rate an answer: 1 is up, -1 down, 0 neither."""
        ...

    async def usage(self, message: int) -> list[UsageCounted]:
        """Read the usage of an answer's model calls."""
        ...


class Drafts(Protocol):
    """Store of drafts, by key."""

    def state_now(self, key: str) -> Json:
        """Read a stored value."""
        ...

    async def save_state(self, key: str, value: Json) -> None:
        """Store a value."""
        ...


class OpenConversation(Protocol):
    """The open conversation."""

    @property
    def id(self) -> str:
        """Id, 12 hexadecimal digits."""
        ...


class DefectImportService(Protocol):
    """Reader of files as defects, which appends them to the station's log."""

    async def proposal(self, profile: DatasetProfile) -> MappingProposal | None:
        """Return how a data set may be read as defects; None if it holds none."""
        ...

    async def words(
        self, profile: DatasetProfile, mapping: DefectMapping, field: str
    ) -> tuple[str, ...]:
        """Return a file's own words for a field, the most frequent first."""
        ...

    async def confirm(self, profile: DatasetProfile, mapping: DefectMapping) -> None:
        """Remember a mapping for files with the same columns.

        Raises UserError if it lacks a type of defect or a column of dates.
        """
        ...

    async def append(self, profile: DatasetProfile, mapping: DefectMapping) -> Appended:
        """Append the defects of the file to the log, without duplicates.

        Raises UserError if they cannot be added; the log is unchanged then.
        """
        ...

    async def take_back(self, appended: int) -> object:
        """Undo an append."""
        ...


class StudyDesk(Protocol):
    """Work of a person on a study that was shown."""

    @property
    def can_show_rows(self) -> bool:
        """Whether the rows behind points can be found."""
        ...

    async def rows(self, conversation: str, study: Study, point: int) -> TableView:
        """Return the rows behind a point. Raises UserError or ToolError."""
        ...

    async def exclude(
        self, conversation: str, study: Study, point: int, reason: str
    ) -> tuple[Message, Message]:
        """Leave a point out and compute again; return question and answer, which are stored.

        Raises UserError or ToolError; nothing is stored then.
        """
        ...

    async def freeze(self, conversation: str, study: Study) -> tuple[Message, Message]:
        """Keep the limits and compute again, as `exclude` does."""
        ...

    async def notes(self, study: Study) -> list[PointNote]:
        """Return every note on points of this chart, the oldest first."""
        ...

    async def note(self, study: Study, point: int, *, cause: str, action: str) -> PointNote:
        """Keep cause and action on a point. Raises UserError if both are empty."""
        ...

    async def report(self, conversation: str, study: Study, target: Path) -> tuple[Path, Path]:
        """Write a report; return its PDF and its workbook. Raises UserError."""
        ...


class DashboardData(Protocol):
    """Rows and cards of stored dashboards. Each method raises UserError for an unknown id."""

    async def filled(self, id_: str) -> RenderedDashboard:
        """Return a dashboard with the rows of the last refresh; nothing is run."""
        ...

    async def refresh(self, id_: str) -> RenderedDashboard:
        """Run every query on today's data, keep the rows, and return the dashboard."""
        ...


class DashboardDocument(Protocol):
    """A whole document, and what it reads as `qhub.data`."""

    @property
    def document(self) -> str:
        """HTML of the page."""
        ...

    @property
    def data(self) -> Mapping[str, Json]:
        """Rows by the names of their queries."""
        ...


class DashboardFiles(Protocol):
    """Dashboards as pages, and as files."""

    async def page(self, filled: RenderedDashboard) -> DashboardDocument:
        """Make the page of a dashboard."""
        ...

    async def export(self, id_: str, target: Path) -> RenderedDashboard:
        """Write a dashboard to a file, whose suffix names the format. Raises UserError."""
        ...


@dataclass(frozen=True, slots=True)
class DashboardContext:
    """Services of the windows of dashboards; `viewer` is the person who looks."""

    dashboards: DashboardRepository
    conversations: ConversationRepository
    settings: SettingRepository
    data: DashboardData
    files: DashboardFiles
    viewer: Viewer
    tasks: Tasks
