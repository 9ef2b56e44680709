"""Damage to messages: found by their digests, repaired from safety copies, else set apart."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import INTERRUPTED, LOST, Block, Message, Notice, Text, ToolResult
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import append
from qhub_desktop.store.backups import Backup, Examiner, copy_error, folder_of, listed, write_backup
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.conversations import find_in, own_number
from qhub_desktop.store.database import Repository, as_us, now_us, reads, writes
from qhub_desktop.store.digests import BlockRow, block_rows, digest_of, record_digest
from qhub_desktop.store.messages import index, write_block
from qhub_desktop.store.rights import requires
from qhub_desktop.store.schema import schema_problems
from qhub_desktop.store.verified_messages import (
    DamageKind,
    VerifiedMessage,
    read_block,
    read_verified,
)

EVERY = 1_000_000  # more messages than any conversation has
RECENT = 200  # messages that are verified after an unclean end, or told of

# Where a message was repaired from, if from no safety copy.
FROM_RECORD = "digest"  # its blocks were whole: only its own row was not
FROM_SEARCH = "search"  # its words alone
SET_APART = "apart"  # what was left of it, out of the conversation
CLOSED = "closed"  # nothing was lost: its open calls have a result


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged message; `repaired_from` is the name of a copy or one of those above, or None."""

    conversation: ConversationId
    message: MessageId
    kind: DamageKind
    repaired_from: str | None = None


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """How many messages were verified, and which of them are damaged."""

    checked: int
    damaged: tuple[Damage, ...]

    @property
    def left(self) -> int:
        """How many are damaged still."""
        return sum(each.repaired_from is None for each in self.damaged)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What the digest of a message tells of it."""

    conversation: int
    previous: MessageId | None
    role: str
    created: int
    engine: str
    end: str
    digest: str

    def is_of(self, rows: Iterable[BlockRow]) -> bool:
        return digest_of(self.previous, rows) == self.digest


@dataclass(frozen=True, slots=True)
class _Copied:
    """A message as a safety copy has it."""

    backup: Backup
    rows: Sequence[BlockRow]


class IntegrityRepository(Repository):
    """Damage to the person's own conversations."""

    @reads
    def check(
        self, db: sqlite3.Connection, conversation: ConversationId | None = None
    ) -> IntegrityReport:
        """Verify every message of one conversation or of all. Raises UserError for an unknown one.

        Nothing is written.
        """
        return _checked(db, conversation)

    @reads
    def count_damage(self, db: sqlite3.Connection, conversation: ConversationId) -> tuple[int, int]:
        """Count the last messages that are missing, and those damaged otherwise."""
        found = read_verified(db, own_number(db, conversation), limit=RECENT)
        kinds = [each.damage for each in found if each.damage is not None]
        return kinds.count("missing"), len(kinds) - kinds.count("missing")

    async def copy_to_repair_from(self, conversation: ConversationId) -> datetime | None:
        """Return when the newest safety copy was made that can repair something of a conversation.

        It is looked into, not verified.
        """
        recorded = await self._recorded(conversation)
        with closing(Worker("repair")) as worker:
            copied = await worker.run(_copied, self.database.path, recorded, None)
        return max((each.backup.made for each in copied.values()), default=None)

    async def repair(self, conversation: ConversationId | None = None) -> IntegrityReport:
        """Repair what `check` finds, after a safety copy of all as it is.

        From the newest verified copy that has the message by its digest, else from its words in the
        search index; else what is left of it is set apart. Damaged rows are kept as they are, in
        the table `damaged`. Raises UserError, and writes nothing, if no copy can be made.
        """
        report = await self.check(conversation)
        if not report.damaged:
            return report
        path = self.database.path
        recorded = await self._recorded(conversation)
        with closing(Worker("repair")) as worker:
            copied = await worker.run(_copied, path, recorded, Examiner())
            try:
                await worker.run(write_backup, path, "repair")
            except (OSError, *UNREADABLE) as error:
                raise copy_error(error, path, folder_of(path)) from error
        return await self._repair(conversation, copied)

    @reads
    def _recorded(
        self, db: sqlite3.Connection, conversation: ConversationId | None
    ) -> dict[MessageId, _Recorded]:
        ids = (each.message for each in _checked(db, conversation).damaged)
        found = ((id_, _recorded_of(db, id_)) for id_ in ids)
        return {id_: each for id_, each in found if each is not None}

    @writes
    @requires(*ROLES)
    def _repair(
        self,
        db: sqlite3.Connection,
        conversation: ConversationId | None,
        copied: Mapping[MessageId, _Copied],
    ) -> IntegrityReport:
        report = _checked(db, conversation)  # as it is now
        done: dict[MessageId, str] = {}
        for each in report.damaged:
            if each.message not in done:
                done[each.message] = _repair_message(db, each, copied.get(each.message))
        apart = [*done.values()].count(SET_APART)
        subject = "all conversations" if conversation is None else f"conversation {conversation}"
        detail: JsonObject = {"messages": len(done), "apart": apart}
        append(db, self.database.actor, "repair", subject, detail)
        return IntegrityReport(
            report.checked,
            tuple(replace(each, repaired_from=done[each.message]) for each in report.damaged),
        )


def _checked(db: sqlite3.Connection, conversation: ConversationId | None) -> IntegrityReport:
    if conversation is None:
        ids = [id_ for (id_,) in db.execute("SELECT id FROM mine WHERE is_deleted = 0 ORDER BY id")]
    else:
        ids = [find_in(db, conversation).id]
    checked = 0
    damaged: list[Damage] = []
    for id_ in ids:
        found = read_verified(db, own_number(db, id_), limit=EVERY)
        checked += len(found)
        damaged += [
            Damage(id_, each.message.id, each.damage) for each in found if each.damage is not None
        ]
    return IntegrityReport(checked, tuple(damaged))


def damaged_recently(path: Path, owner: int | None) -> list[ConversationId]:
    """List the person's conversations in which one of the last messages is damaged, the latest
    first. On a thread of its own.

    Those that cannot be read at all are told of elsewhere.
    """
    try:
        with closing(open_existing(path, mode="rw")) as db:
            row = db.execute(
                "SELECT id FROM messages ORDER BY id DESC LIMIT 1 OFFSET ?", (RECENT - 1,)
            ).fetchone()
            after = -1 if row is None else row[0] - 1
            conversations = db.execute(
                """SELECT number, id FROM conversations
                    WHERE is_deleted = 0 AND owner = :owner AND number IN (
                        SELECT conversation FROM messages WHERE id > :after
                        UNION SELECT conversation FROM digests WHERE id > :after)
                    ORDER BY updated DESC""",
                {"after": after, "owner": owner},
            ).fetchall()
            return [
                ConversationId(id_)
                for number, id_ in conversations
                if any(each.damage for each in read_verified(db, number, after=after, limit=EVERY))
            ]
    except UNREADABLE:
        return []


def _recorded_of(db: sqlite3.Connection, message: MessageId) -> _Recorded | None:
    row = db.execute(
        """SELECT conversation, previous, role, created, engine, "end", digest
            FROM digests WHERE id = ?""",
        (message,),
    ).fetchone()
    return None if row is None else _Recorded(*row)


def _copied(
    path: Path, recorded: Mapping[MessageId, _Recorded], examiner: Examiner | None
) -> dict[MessageId, _Copied]:
    """Find each message by its digest in the newest safety copy that has it, and is sound.

    Blocks, for as long as verifying the copies takes that have any; without an examiner they are
    not verified.
    """
    found: dict[MessageId, _Copied] = {}
    try:
        backups = listed(path)
    except OSError:
        return found
    for backup in backups:
        wanted = {id_: each for id_, each in recorded.items() if id_ not in found}
        if not wanted:
            break
        try:
            with closing(open_existing(backup.path, mode="ro")) as copy:
                if schema_problems(copy):  # before anything of it is run
                    continue
                rows = {id_: block_rows(copy, id_) for id_ in wanted}
        except UNREADABLE:
            continue
        has = {
            id_: _Copied(backup, rows[id_])
            for id_, each in wanted.items()
            if rows[id_] and each.is_of(rows[id_])
        }
        if has and (examiner is None or not examiner.examine(backup.path).problem):
            found |= has
    return found


def _repair_message(db: sqlite3.Connection, damage: Damage, copied: _Copied | None) -> str:
    """Repair one message; return from what. Inside a transaction."""
    number = own_number(db, damage.conversation)
    (found,) = read_verified(
        db, number, after=damage.message - 1, before=damage.message + 1, limit=1
    )
    recorded = _recorded_of(db, damage.message)
    rows = block_rows(db, damage.message)
    is_whole = recorded is not None and bool(rows) and recorded.is_of(rows)
    _keep_rows(db, number, damage.message)
    if damage.kind == "unanswered" and is_whole:
        _close_calls(db, found, after=rows[-1][0])
        record_digest(db, damage.message)
        return CLOSED
    _write_head(db, number, found.message, recorded)
    if copied is None and is_whole:
        return FROM_RECORD
    db.execute("DELETE FROM blocks WHERE message = ?", (damage.message,))
    if copied is not None:
        db.executemany(
            "INSERT INTO blocks VALUES (?, ?, CAST(? AS TEXT), ?, CAST(? AS TEXT))",
            [(damage.message, *row) for row in copied.rows],
        )
        index(db, damage.message)
        return copied.backup.name
    words = _indexed_words(db, damage.message)
    for position, block in enumerate(_rest(found.message, recorded, words)):
        write_block(db, damage.message, position, block)
    index(db, damage.message)
    record_digest(db, damage.message)
    return FROM_SEARCH if words else SET_APART


def _rest(message: Message, recorded: _Recorded | None, words: str) -> list[Block]:
    """Return what stands in the place of a message that no copy has."""
    role = message.role if recorded is None else recorded.role
    if not words:
        told = _("A message that stood here was damaged, and could not be repaired.")
        return [Notice(LOST, told)]
    if role == "user":
        return [Text(words)]
    told = _("Of this answer only the words could be repaired, without tables and charts.")
    return [Text(words), Notice(LOST, told)]


def _write_head(
    db: sqlite3.Connection, number: int, message: Message, recorded: _Recorded | None
) -> None:
    """Write the row of a message as it was recorded, or else as it was read."""
    head: tuple[object, ...] = (
        (
            number,
            message.role,
            max(0, as_us(message.created)),
            message.engine,
            message.end or "failed",
        )
        if recorded is None
        else (
            recorded.conversation,
            recorded.role,
            recorded.created,
            recorded.engine,
            recorded.end,
        )
    )
    db.execute(
        """INSERT INTO messages (id, conversation, role, created, engine, "end", rating)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation,
                role = excluded.role, created = excluded.created, engine = excluded.engine,
                "end" = excluded."end", rating = excluded.rating, is_superseded = 0""",
        (message.id, *head, message.rating),
    )


def _close_calls(db: sqlite3.Connection, found: VerifiedMessage, *, after: int) -> None:
    stored = {
        block.call_id
        for _at, _kind, form, data in block_rows(db, found.message.id)
        if isinstance(block := read_block(form, data), ToolResult)
    }
    missing = [
        block
        for block in found.message.blocks
        if isinstance(block, ToolResult) and block.call_id not in stored
    ]
    for position, block in enumerate(missing, start=after + 1):
        write_block(db, found.message.id, position, replace(block, content=INTERRUPTED))


def _indexed_words(db: sqlite3.Connection, message: MessageId) -> str:
    row = db.execute(
        "SELECT CAST(text AS BLOB) FROM texts WHERE message = ?", (message,)
    ).fetchone()
    return "" if row is None else str(row[0].decode("utf-8", "replace")).strip()


def _keep_rows(db: sqlite3.Connection, number: int, message: MessageId) -> None:
    """Keep the rows of a message as they are, for whoever looks into what happened."""
    now = now_us()
    for table, key in (("messages", "id"), ("blocks", "message")):
        described = db.execute(f"PRAGMA table_info({table})").fetchall()
        names = [name for _at, name, *_more in described]
        cells = ", ".join(
            f'CAST("{name}" AS BLOB)' if kind == "TEXT" else f'"{name}"'
            for _at, name, kind, *_more in described
        )
        found = db.execute(f"SELECT {cells} FROM {table} WHERE {key} = ?", (message,))  # noqa: S608
        db.executemany(
            "INSERT INTO damaged (conversation, at, origin, row) VALUES (?, ?, ?, ?)",
            [
                (number, now, table, json.dumps(dict(zip(names, map(_kept, row), strict=True))))
                for row in found.fetchall()
            ],
        )


def _kept(value: object) -> Json:
    """Return a cell as it is; bytes that are no text in hexadecimal digits."""
    if not isinstance(value, bytes):
        assert value is None or isinstance(value, int)
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"hex": value.hex()}
