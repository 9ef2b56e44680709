"""Everything remembered between runs, behind one asynchronous door.

The window reads its place here before it is first painted. What only messages need, some forty
values with their charts and events (40 ms to load), is therefore imported with the first message.
"""

from __future__ import annotations  # most of the types below are imported lazily

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Literal, ParamSpec, TypeVar

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store import conversations, defects, keyed, mappings, pins, readings, search
from qhub_desktop.store.dashboard_table import DashboardTable
from qhub_desktop.store.database import open_database, spoken_errors
from qhub_desktop.store.outbox import OutboxTable
from qhub_desktop.store.values import Conversation, Pin

if TYPE_CHECKING:
    from qhub_desktop.core.defect import Appended, Defect, DefectMapping
    from qhub_desktop.core.events import UsageCounted
    from qhub_desktop.core.message import Block, EndReason, Message
    from qhub_desktop.core.table import Table

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")

FILE = "qhub.db"
SEED = DEMO_DATA / "defeitos.csv"


class Store:
    """Everything remembered, in one SQLite file; owned by one thread until closed.

    Several programs may have the same file open. What was awaited is on the disk.
    """

    def __init__(self, worker: Worker, db: sqlite3.Connection, path: Path) -> None:
        self._worker = worker
        self._db = db
        self._path = path
        self._settings: JsonObject = {}  # as this program last saw or left them
        self._is_closed = False
        self.outbox = OutboxTable(self._do, path.parent)
        self.dashboards = DashboardTable(self._do)

    @classmethod
    def open(cls, folder: Path, *, seed: Path = SEED) -> Store:
        """The file in `folder`, made or brought up to date if needed.

        A new one begins with the defects in `seed`. Raises UserError if the file can not be used;
        it is then left as it was.
        """
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                _("The folder {folder} can not be made. Check that you may write there.").format(
                    folder=folder
                )
            ) from error
        with ExitStack() as undo:
            worker = Worker("store")
            undo.callback(worker.close)
            db = worker.run_now(open_database, path, fill=lambda new: defects.seed(new, seed))
            undo.callback(worker.run_now, db.close)
            store = cls(worker, db, path)
            if store._do_now(search.unindexed):
                from qhub_desktop.store import messages

                store._do_now(messages.index_unended)
            store.settings_now()
            undo.pop_all()
        return store

    def close(self) -> None:
        """Let what was asked be written, then let go of the file."""
        if self._is_closed:
            return
        self._is_closed = True
        self._worker.run_now(self.outbox.close)
        self._worker.run_now(self._db.close)
        self._worker.close()

    def settings_now(self) -> JsonObject:
        """The stored settings. Blocks: for start-up."""
        self._settings = self._do_now(keyed.settings)
        return dict(self._settings)

    async def save_settings(self, settings: JsonObject) -> None:
        """Make these the stored settings; a key that is missing goes back to its default.

        Only what differs from what this program last saw is written, so that two programs that
        change different settings keep both changes.
        """
        await self._do(self._change_settings, dict(settings))

    def state_now(self, key: str) -> Json:
        """What was last kept under the key, or nothing. Blocks: for start-up."""
        return self._do_now(keyed.state, key)

    async def state(self, key: str) -> Json:
        """What was last kept under the key, or nothing."""
        return await self._do(keyed.state, key)

    async def save_state(self, key: str, value: Json) -> None:
        """Keep one thing under its key: a window's place, a panel's width."""
        await self._do(keyed.keep_state, key, value)

    async def create_conversation(self, agent: str) -> Conversation:
        """A new conversation with an agent; its first question will give it a title."""
        return await self._do(conversations.create, agent)

    async def conversation(self, id_: str) -> Conversation:
        """One conversation. Raises UserError if there is none, or it was deleted."""
        return await self._do(conversations.find, id_)

    async def conversations(
        self, *, search: str = "", include_archived: bool = False, limit: int = 200
    ) -> list[Conversation]:
        """Pinned ones first, then the latest.

        A search keeps those that have all its words, or their beginnings, in the title or in one
        message, whatever their accents and case.
        """
        return await self._do(
            conversations.listed, search=search, include_archived=include_archived, limit=limit
        )

    async def rename(self, id_: str, title: str) -> None:
        """Give a conversation a title. Raises UserError for an empty one."""
        await self._do(conversations.rename, id_, title)

    async def set_pinned(self, id_: str, *, is_pinned: bool) -> None:
        """Keep a conversation on top of the list, or no more."""
        await self._do(conversations.mark, id_, "is_pinned", is_so=is_pinned)

    async def set_archived(self, id_: str, *, is_archived: bool) -> None:
        """Put a conversation away, or back."""
        await self._do(conversations.mark, id_, "is_archived", is_so=is_archived)

    async def delete(self, id_: str) -> None:
        """Take a conversation out of every list; `undelete` brings it back."""
        await self._do(conversations.mark, id_, "is_deleted", is_so=True)

    async def set_unread(self, id_: str, *, is_unread: bool) -> None:
        """Mark a conversation as one with an answer that nobody has seen, or no more."""
        await self._do(conversations.mark, id_, "is_unread", is_so=is_unread)

    async def undelete(self, id_: str) -> None:
        """Bring a deleted conversation back as it was."""
        await self._do(conversations.mark, id_, "is_deleted", is_so=False)

    async def add_message(
        self,
        conversation: str,
        role: Literal["user", "assistant"],
        blocks: Sequence[Block] = (),
        *,
        engine: str = "",
    ) -> Message:
        """A new last message. A question is complete at once; an answer is open until ended.

        The first question gives the conversation its title if it has none.
        """
        from qhub_desktop.store import messages

        return await self._do(messages.add, conversation, role, blocks, engine=engine)

    async def put_block(self, message: int, position: int, block: Block) -> None:
        """Insert or replace one block. Reasoning is never stored; its position stays empty."""
        from qhub_desktop.store import messages

        await self._do(messages.put, message, position, block)

    async def end_message(self, message: int, end: EndReason, *, engine: str) -> None:
        """Nothing more will come of this answer; who gave it."""
        from qhub_desktop.store import messages

        await self._do(messages.end, message, end, engine=engine)

    async def messages(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """The last messages (older than message `before`), oldest first, without superseded ones.

        A call that has no result, because the program was killed or the tool still runs, is given
        one that says it was interrupted: in what is returned, not in the file.
        """
        from qhub_desktop.store import messages

        return await self._do(messages.latest, conversation, before=before, limit=limit)

    async def supersede(self, message: int) -> None:
        """Hide this message and all later ones of its conversation; they stay on the disk."""
        from qhub_desktop.store import messages

        await self._do(messages.supersede, message)

    async def rate(self, message: int, rating: Literal[-1, 0, 1]) -> None:
        """Keep the person's thumb; 0 takes it back."""
        from qhub_desktop.store import messages

        await self._do(messages.rate, message, rating)

    async def add_usage(self, message: int, usage: UsageCounted) -> None:
        """Count one call to a model, on today's bill."""
        from qhub_desktop.store import spending

        await self._do(spending.add, message, usage)

    async def usage(self, message: int) -> list[UsageCounted]:
        """What an answer took, call by call."""
        from qhub_desktop.store import spending

        return await self._do(spending.of_message, message)

    async def spent_today(self) -> float:
        """US dollars since midnight on the station's clock, as far as prices are known."""
        from qhub_desktop.store import spending

        return await self._do(spending.spent_today)

    async def pin_dataset(
        self, conversation: str, dataset_id: str, name: str, *, is_used: bool = True
    ) -> str:
        """Pin a data set to a conversation, once; its name there, numbered if it was taken."""
        return await self._do(pins.add, conversation, dataset_id, name, is_used=is_used)

    async def unpin_dataset(self, conversation: str, dataset_id: str) -> None:
        """The conversation works on this data set no more."""
        await self._do(pins.remove, conversation, dataset_id)

    async def rename_dataset(self, conversation: str, dataset_id: str, name: str) -> str:
        """Call a data set otherwise in a conversation; its name then, numbered if it was taken."""
        return await self._do(pins.rename, conversation, dataset_id, name)

    async def use_dataset(self, conversation: str, dataset_id: str, *, is_used: bool) -> None:
        """Whether the questions of a conversation are about this data set."""
        await self._do(pins.use, conversation, dataset_id, is_used=is_used)

    async def replace_dataset(self, conversation: str, old: str, new: str) -> str:
        """Let a data set have another's place and name in a conversation; that name."""
        return await self._do(pins.replace, conversation, old, new)

    async def pinned(self, conversation: str) -> list[Pin]:
        """The data sets that a conversation works on, in the order of pinning."""
        return [pin for pin in await self.all_pinned(conversation) if pin.is_used]

    async def all_pinned(self, conversation: str) -> list[Pin]:
        """The same, with those that came with them and are not used."""
        return await self._do(pins.listed, conversation)

    async def defects(self) -> Table:
        """The station's defect log, in the order of ids."""
        return await self._do(defects.log)

    async def add_defect(self, defect: Defect) -> int:
        """Write a defect into the log; its id."""
        return await self._do(defects.add, defect)

    async def append_defects(
        self, rows: Table, *, dataset_id: str, file: str, columns: Iterable[str]
    ) -> Appended:
        """Add those rows of a file that the log does not have, as `defects.append` says."""
        return await self._do(
            defects.append, rows, dataset_id=dataset_id, file=file, columns=tuple(columns)
        )

    async def is_appended(self, dataset_id: str) -> bool:
        """Whether rows of this data set are in the log."""
        return await self._do(defects.is_appended, dataset_id)

    async def take_back_defects(self, appended: int) -> int:
        """Take out what one `append_defects` has added, and nothing else; how many rows."""
        return await self._do(defects.take_back, appended)

    async def keep_defect_mapping(self, columns: Iterable[str], mapping: DefectMapping) -> None:
        """Remember how files with these columns are read as defects."""
        await self._do(mappings.keep, tuple(columns), mapping)

    async def defect_mapping(self, columns: Iterable[str]) -> DefectMapping | None:
        """How files with these columns are read as defects, if it was confirmed."""
        return await self._do(mappings.confirmed, tuple(columns))

    async def keep_reading(self, columns: Iterable[str], word: str, reading: str) -> None:
        """Remember what a word is taken for in data with these columns."""
        await self._do(readings.keep, tuple(columns), word, reading)

    async def readings(self, columns: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """The words that were chosen a reading for in data with these columns, each with it."""
        return await self._do(readings.chosen, tuple(columns))

    def _change_settings(self, db: sqlite3.Connection, settings: JsonObject) -> None:
        keyed.change_settings(db, before=self._settings, after=settings)
        self._settings = settings

    async def _do(
        self,
        work: Callable[Concatenate[sqlite3.Connection, Inputs], Output],
        *args: Inputs.args,
        **kwargs: Inputs.kwargs,
    ) -> Output:
        return await self._worker.run(lambda: self._on_worker(work, *args, **kwargs))

    def _do_now(
        self,
        work: Callable[Concatenate[sqlite3.Connection, Inputs], Output],
        *args: Inputs.args,
        **kwargs: Inputs.kwargs,
    ) -> Output:
        return self._worker.run_now(lambda: self._on_worker(work, *args, **kwargs))

    def _on_worker(
        self,
        work: Callable[Concatenate[sqlite3.Connection, Inputs], Output],
        *args: Inputs.args,
        **kwargs: Inputs.kwargs,
    ) -> Output:
        with spoken_errors(self._path):
            return work(self._db, *args, **kwargs)
