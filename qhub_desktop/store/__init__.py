"""Everything remembered between runs: one repository for each subject, in one file.

The window reads its place here before it is first painted. The repositories that bring values with
them (messages with their widgets 40 ms, defects and the outbox 20 ms) are therefore imported when
they are first asked for.
"""

from __future__ import annotations  # most of the repositories are imported lazily

import json
from contextlib import ExitStack, closing
from functools import cached_property, partial
from pathlib import Path
from sqlite3 import Connection, Error
from typing import TYPE_CHECKING

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.keystore import proof_key
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit_head import KeyStoreHead
from qhub_desktop.store.backups import listed, write_backup
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.conversations import ConversationRepository, reach
from qhub_desktop.store.copy_seal import is_sealed, seal, seal_problem
from qhub_desktop.store.database import (
    Database,
    OpenMark,
    connect,
    open_connection,
    quick_problem,
    transaction,
)
from qhub_desktop.store.datasets import DatasetRepository
from qhub_desktop.store.deletion import end_deletion, is_deletion_due, leaving_files
from qhub_desktop.store.migrations import (
    FIRST_ROW,
    RowPlace,
    erase_freed,
    hide_secrets_from,
    version_of,
)
from qhub_desktop.store.settings import SettingRepository

if TYPE_CHECKING:
    from qhub_desktop.core.person import FirstAccount, Person
    from qhub_desktop.core.settings import Policy
    from qhub_desktop.store.agents import AgentRepository
    from qhub_desktop.store.audit_repository import AuditRepository
    from qhub_desktop.store.audited_reading import AuditedReading
    from qhub_desktop.store.costs import CostRepository
    from qhub_desktop.store.dashboards import DashboardRepository
    from qhub_desktop.store.defects import DefectRepository
    from qhub_desktop.store.documents import DocumentRepository
    from qhub_desktop.store.examples import ExampleRepository
    from qhub_desktop.store.feedback import FeedbackRepository, SignalRepository
    from qhub_desktop.store.integrity import IntegrityRepository
    from qhub_desktop.store.judgements import JudgementRepository
    from qhub_desktop.store.memories import MemoryRepository
    from qhub_desktop.store.messages import MessageRepository
    from qhub_desktop.store.monitors import MonitorRepository
    from qhub_desktop.store.outbox import OutboxRepository
    from qhub_desktop.store.patterns import PatternRepository
    from qhub_desktop.store.people import PeopleRepository
    from qhub_desktop.store.personal_data import PersonalDataRepository
    from qhub_desktop.store.point_notes import PointNoteRepository
    from qhub_desktop.store.questions import QuestionRepository
    from qhub_desktop.store.recall import RecallRepository
    from qhub_desktop.store.sent import HeldRequests, SentRepository

FILE = "qhub.db"
SEED = DEMO_DATA / "defeitos.csv"
SWEPT = "secrets/hidden"  # the state that says so


class Reviews:
    """What is known of how good the answers are, and what comes of it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @cached_property
    def feedback(self) -> FeedbackRepository:
        """What people say of answers."""
        from qhub_desktop.store.feedback import FeedbackRepository

        return FeedbackRepository(self._database)

    @cached_property
    def signals(self) -> SignalRepository:
        """What people do with answers."""
        from qhub_desktop.store.feedback import SignalRepository

        return SignalRepository(self._database)

    @cached_property
    def judgements(self) -> JudgementRepository:
        """What judges say of answers."""
        from qhub_desktop.store.judgements import JudgementRepository

        return JudgementRepository(self._database)

    @cached_property
    def examples(self) -> ExampleRepository:
        """Examples that teach."""
        from qhub_desktop.store.examples import ExampleRepository

        return ExampleRepository(self._database)


class Store:
    """Everything remembered, by subject; the owner of its file until closed."""

    def __init__(self, database: Database, mark: OpenMark) -> None:
        self._database = database
        self._mark = mark
        self._is_closed = False
        self.settings = SettingRepository(database)
        self.conversations = ConversationRepository(database)
        self.datasets = DatasetRepository(database)
        self.reviews = Reviews(database)

    @classmethod
    def open(cls, folder: Path, *, seed: Path = SEED) -> Store:
        """Open the file in `folder`, made or brought up to date if needed.

        A new one begins with the defects in `seed`. Raises UserError if the file cannot be used;
        it is then left as it was.
        """
        _make_folder(folder)
        with ExitStack() as undo:
            mark = OpenMark(folder)
            undo.callback(mark.close)
            database = Database(folder / FILE, fill=lambda new: _seed(new, seed))
            undo.callback(database.close)
            store = cls(database, mark)
            database.run_now(_index_unended)
            store.enter(None)
            store.settings.load_now()
            undo.pop_all()
        return store

    def keep_head_in_key_store(self) -> None:
        """Keep the head of the audit log in the system's key store, too, from now on."""
        self._database.head = KeyStoreHead(self._database.path)

    def enter(self, person: Person | None) -> None:
        """Reach what is this person's from now on. Blocks: for start-up.

        Without one, everything that a station without accounts has; nothing where people sign in.
        """
        agents = None if person is None else person.agents
        owner = person.id if person else None if self.people.are_in_use() else 0
        self._database.person = person
        self._database.owner, self._database.agents = owner, agents
        self._database.actor = "" if person is None else person.name
        self._database.run_now(lambda db: reach(db, owner, agents))

    @cached_property
    def people(self) -> PeopleRepository:
        """Accounts."""
        from qhub_desktop.store.people import PeopleRepository

        return PeopleRepository(self._database)

    @cached_property
    def personal_data(self) -> PersonalDataRepository:
        """Everything of one person, to be exported or deleted."""
        from qhub_desktop.store.personal_data import PersonalDataRepository

        return PersonalDataRepository(self._database)

    def audited_reading(self, policy: Policy) -> AuditedReading:
        """Other people's conversations, as far as the plant and its policy let them be read."""
        from qhub_desktop.store.audited_reading import AuditedReading

        return AuditedReading(self._database, policy)

    @cached_property
    def agents(self) -> AgentRepository:
        """Versions of the agents that somebody has edited."""
        from qhub_desktop.store.agents import AgentRepository

        return AgentRepository(self._database)

    @cached_property
    def audit(self) -> AuditRepository:
        """Who did what."""
        from qhub_desktop.store.audit_repository import AuditRepository

        return AuditRepository(self._database)

    @cached_property
    def costs(self) -> CostRepository:
        """What the answers cost, and the budgets."""
        from qhub_desktop.store.costs import CostRepository

        return CostRepository(self._database, self._mark)

    @cached_property
    def messages(self) -> MessageRepository:
        """What was said, and what it took."""
        from qhub_desktop.store.messages import MessageRepository

        return MessageRepository(self._database)

    @cached_property
    def memories(self) -> MemoryRepository:
        """Notes about the person and their work."""
        from qhub_desktop.store.memories import MemoryRepository

        return MemoryRepository(self._database)

    @cached_property
    def integrity(self) -> IntegrityRepository:
        """Damage to messages, and its repair."""
        from qhub_desktop.store.integrity import IntegrityRepository

        return IntegrityRepository(self._database)

    @cached_property
    def dashboards(self) -> DashboardRepository:
        """Dashboards, with their versions and rows."""
        from qhub_desktop.store.dashboards import DashboardRepository

        return DashboardRepository(self._database)

    @cached_property
    def defects(self) -> DefectRepository:
        """The station's defect log."""
        from qhub_desktop.store.defects import DefectRepository

        return DefectRepository(self._database)

    @cached_property
    def point_notes(self) -> PointNoteRepository:
        """Causes and actions noted on points of control charts."""
        from qhub_desktop.store.point_notes import PointNoteRepository

        return PointNoteRepository(self._database)

    @cached_property
    def questions(self) -> QuestionRepository:
        """Questions that answers have asked the person."""
        from qhub_desktop.store.questions import QuestionRepository

        return QuestionRepository(self._database, self._mark)

    @cached_property
    def monitors(self) -> MonitorRepository:
        """Monitors of control charts, and the violations that they have found."""
        from qhub_desktop.store.monitors import MonitorRepository

        return MonitorRepository(self._database)

    @cached_property
    def documents(self) -> DocumentRepository:
        """Documents of the plant."""
        from qhub_desktop.store.documents import DocumentRepository

        return DocumentRepository(self._database)

    @cached_property
    def outbox(self) -> OutboxRepository:
        """Questions that wait for Claude."""
        from qhub_desktop.store.outbox import OutboxRepository

        return OutboxRepository(self._database)

    @cached_property
    def patterns(self) -> PatternRepository:
        """What the person asks again and again."""
        from qhub_desktop.store.patterns import PatternRepository

        return PatternRepository(self._database)

    @cached_property
    def recall(self) -> RecallRepository:
        """What the person has said and been told, found by its words."""
        from qhub_desktop.store.recall import RecallRepository

        return RecallRepository(self._database)

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._database.path

    @property
    def was_interrupted(self) -> bool:
        """Whether the last program that had the file open did not come to its end."""
        return self._mark.was_interrupted

    async def find_damage(self) -> str:
        """Look through the pages of the file; return what is wrong with them, "" if nothing.

        On a thread of its own, so that nothing else waits. Sound, the file is trusted again.
        """
        worker = Worker("check")
        try:
            problem = await worker.run(quick_problem, self.path)
        finally:
            worker.close()
        if problem:
            self._database.is_suspect = True
        else:
            self._mark.forget_interruption()
        return problem

    async def find_damaged_conversations(self) -> list[ConversationId]:
        """List the person's conversations in which one of the last messages is damaged.

        On a thread of its own, after an unclean end.
        """
        from qhub_desktop.store.integrity import damaged_recently

        with closing(Worker("check")) as worker:
            return await worker.run(damaged_recently, self.path, self._database.owner)

    @cached_property
    def sent(self) -> SentRepository:
        """What was sent to services."""
        from qhub_desktop.store.sent import SentRepository

        return SentRepository(self._database)

    async def holds_old_texts(self) -> bool:
        """Return whether texts may be stored as an earlier version took them from a service."""
        return await self.settings.state(SWEPT) is None

    async def hide_secrets(self) -> None:
        """Take secrets out of all that is stored, and out of the safety copies.

        In small steps, so that nothing else waits for it. Once: what comes in now is filtered.
        """
        path = self._database.path
        place: RowPlace | None = FIRST_ROW
        changed = 0
        while place is not None:
            place, more = await self._database.run(partial(hide_secrets_from, place=place))
            changed += more
        if changed:
            await self._database.run(erase_freed)
        for copy in listed(path):
            await self._database.run(partial(_clean_copy, copy=copy.path))
        await self.settings.save_state(SWEPT, value=True)

    async def is_deletion_due(self) -> bool:
        """Return whether something was deleted whose words may be in the files still, or that can
        be brought back no longer.
        """
        return await self._database.run(is_deletion_due)

    async def erase(self) -> bool:
        """Take what is gone out of every page of the file; False while another program reads it."""
        from qhub_desktop.store.sent import drop_unused_parts

        def drop_parts(db: Connection) -> None:
            with transaction(db):
                drop_unused_parts(db)

        await self._database.run(drop_parts)
        try:
            return await self._database.run(erase_freed)
        except UserError:  # busy, or no room for a second file
            return False

    async def leaving_files(self) -> list[str]:
        """Return the files of the folder of exports that are to go with what is gone."""
        return await self._database.run(leaving_files)

    async def end_deletion(self) -> None:
        """Note that nothing is left of what is gone."""
        await self._database.run(end_deletion)

    def back_up_before(self, version: str) -> Path:
        """Make a checked copy before an update. Blocks, for start-up.

        Raises UserError if none can be made.
        """
        path = self._database.path
        try:
            return write_backup(path, "update", version).path
        except (OSError, *UNREADABLE) as error:
            raise UserError(
                _(
                    "The update was not installed: no sound copy of {path} could be made ({error})."
                    " Free some disk space, and start again."
                ).format(path=path, error=error)
            ) from error

    def close(self) -> None:
        """Let what was asked be written, then let go of the file."""
        if self._is_closed:
            return
        self._is_closed = True
        if "outbox" in vars(self):  # it may hold the lock of whoever sends
            self.outbox.close()
        self._database.close()
        self._mark.close(is_suspect=self._database.is_suspect)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a station begins with; `key_host` is the service whose key was kept, if any was, and
    `sent` what was sent to services before there was a file to keep it in.
    """

    settings: JsonObject
    admin: FirstAccount | None
    has_demo_data: bool
    key_host: str = ""
    sent: HeldRequests | None = None


# SQLite's first page, as whoever was killed before the first transaction was whole leaves it; or as
# the file stands while all that was stored waits in its log.
_EMPTY_BYTES = 4096


def is_unused(folder: Path) -> bool:
    """Return whether nothing was ever stored in a data folder."""
    path = folder / FILE
    try:
        if listed(path) or (folder / "workspace").exists() or path.stat().st_size > _EMPTY_BYTES:
            return False
        with closing(open_existing(path, mode="rw")) as db:
            return version_of(db) == 0
    except FileNotFoundError:
        return True
    except (OSError, Error):
        return False  # whatever is in the way of it, something is there


def begin_station(folder: Path, beginning: Beginning, *, seed: Path = SEED) -> bool:
    """Make the file with what the station begins with, whole or not at all; False if there is one.

    Blocks. Raises UserError if nothing can be stored in the folder.
    """
    _make_folder(folder)
    made: list[Connection] = []

    def fill(new: Connection) -> None:
        _seed(new, seed if beginning.has_demo_data else None)
        _begin(new, beginning)
        made.append(new)

    open_connection(folder / FILE, fill=fill).close()
    return bool(made)


def _begin(new: Connection, beginning: Beginning) -> None:
    from qhub_desktop.store.audit import append
    from qhub_desktop.store.people import insert_account

    for key, value in beginning.settings.items():
        new.execute("INSERT INTO settings VALUES (?, ?)", (key, json.dumps(value)))
        append(new, "", "setting", key, {"before": None, "after": value})
    if beginning.key_host:
        append(new, "", "setting", "key", {"service": beginning.key_host, "state": "kept"})
    if (admin := beginning.admin) is not None:
        insert_account(
            new, admin.name, "admin", None, secret=admin.secret, kind="password", must_change=False
        )
        append(new, "", "account", admin.name, {"made": "yes", "role": "admin", "agents": "*"})
    if beginning.sent is not None:
        beginning.sent.keep(new)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            _("The folder {folder} cannot be made. Check that you may write there.").format(
                folder=folder
            )
        ) from error


def _seed(new: Connection, seed: Path | None) -> None:
    from qhub_desktop.store.defects import seed_log

    if seed is not None:
        seed_log(new, seed)
    new.execute("INSERT INTO state VALUES (?, 'true')", (SWEPT,))


def _clean_copy(_db: Connection, copy: Path) -> None:
    with closing(connect(copy)) as db:
        key = proof_key() if is_sealed(db) else None
        is_genuine = is_sealed(db) and not seal_problem(db, key)
        place: RowPlace | None = FIRST_ROW
        changed = 0
        while place is not None:
            place, more = hide_secrets_from(db, place)
            changed += more
        if changed:
            erase_freed(db)
        if changed and is_genuine:
            seal(db, key)


def _index_unended(db: Connection) -> None:
    """Make the words of messages that a kill cut short findable."""
    if not _unindexed(db):
        return
    from qhub_desktop.store.messages import index

    with transaction(db):
        for message in _unindexed(db):
            index(db, message)


def _unindexed(db: Connection) -> list[MessageId]:
    waiting = """SELECT id FROM messages WHERE "end" IS NULL AND is_superseded = 0
        AND NOT EXISTS (SELECT 1 FROM texts WHERE message = id)"""
    return [message for (message,) in db.execute(waiting).fetchall()]
