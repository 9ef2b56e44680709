"""Stored messages, verified against their digests as they are read, and read round damage."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from sqlite3 import Connection
from typing import Any, Literal, cast, get_args

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import (
    DAMAGED,
    INTERRUPTED,
    Block,
    EndReason,
    Message,
    Notice,
    Text,
    ToolCall,
    ToolResult,
    unpack_block,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.database import from_us, read_json, snapshot
from qhub_desktop.store.digests import BLOCK_COLUMNS, BlockRow, digest_of

DamageKind = Literal["unreadable", "altered", "missing", "unanswered", "empty"]
NEWEST = 1 << 62

_RATINGS = (-1, 0, 1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ENDS = get_args(EndReason)


@dataclass(frozen=True, slots=True)
class VerifiedMessage:
    """A message as far as it can be read, and what is wrong with it, if anything is.

    One that is missing has no blocks.
    """

    message: Message
    damage: DamageKind | None = None


def read_verified(
    db: Connection, number: int, *, after: int = -1, before: int = NEWEST, limit: int
) -> list[VerifiedMessage]:
    """Read the last messages of a conversation with the missing ones among them, oldest first.

    By its number; those between `after` and `before`.
    """
    with nullcontext() if db.in_transaction else snapshot(db):
        return _read_verified(db, number, after=after, before=before, limit=limit)


def _read_verified(
    db: Connection, number: int, *, after: int, before: int, limit: int
) -> list[VerifiedMessage]:
    heads = db.execute(
        """SELECT m.id, CAST(m.role AS BLOB), m.created, CAST(m.engine AS BLOB),
            CAST(m."end" AS BLOB), m.rating, m.conversation,
            d.conversation, d.previous, d.role, d.created, d.engine, d."end", d.digest
            FROM (SELECT * FROM messages
                WHERE conversation = ? AND is_superseded = 0 AND id > ? AND id < ?
                ORDER BY id DESC LIMIT ?) m LEFT JOIN digests d ON d.id = m.id ORDER BY m.id""",
        (number, after, before, limit),
    ).fetchall()
    blocks: dict[int, list[BlockRow]] = {head[0]: [] for head in heads}
    if heads:
        rows = db.execute(
            f"""SELECT {BLOCK_COLUMNS}, b.message FROM messages m JOIN blocks b ON b.message = m.id
                WHERE m.conversation = ? AND m.is_superseded = 0 AND m.id BETWEEN ? AND ?
                ORDER BY m.id, b.position""",  # noqa: S608
            (number, heads[0][0], heads[-1][0]),
        )
        for position, kind, form, data, message in rows:
            blocks[message].append((position, kind, form, data))
    read = [_verified(db, head, blocks[head[0]]) for head in heads]
    lowest = read[0].message.id if len(read) >= limit else after
    missing = _missing(db, number, after=lowest, before=before)
    if missing:
        read = sorted([*read, *missing], key=lambda each: each.message.id)
    return read[-limit:]


def _missing(db: Connection, number: int, *, after: int, before: int) -> list[VerifiedMessage]:
    """List the messages that others tell of, and that are not there."""
    rows = db.execute(
        """WITH told (id, created) AS (
            SELECT id, created FROM digests WHERE conversation = :number AND id > :after
            UNION ALL
            SELECT previous, created FROM digests WHERE conversation = :number AND id > :after
            UNION ALL SELECT last, updated FROM conversations WHERE number = :number
        )
        SELECT id, min(created) FROM told
            WHERE id > :after AND id < :before AND NOT EXISTS (
                SELECT 1 FROM messages m WHERE m.id = told.id
                    AND m.conversation = :number AND m.is_superseded = 0
            ) GROUP BY id""",
        {"number": number, "after": after, "before": before},
    )
    return [
        VerifiedMessage(Message(id_, "assistant", (), _moment(created), end="complete"), "missing")
        for id_, created in rows
    ]


_Head = tuple[Any, ...]


def _verified(db: Connection, head: _Head, rows: Sequence[BlockRow]) -> VerifiedMessage:
    id_, role, created, engine, end, rating, number, *recorded = head
    own = number, *map(_decoded, (role,)), created, *map(_decoded, (engine, end))
    stored_in, previous, *record, digest = recorded
    is_altered = False
    if digest is not None:
        is_altered = own != (stored_in, *record) or digest_of(previous, rows) != digest
        own = stored_in, *record
    is_sure = digest is not None and not is_altered
    blocks: list[Block] = []
    is_unreadable = False
    for _at, _kind, form, data in rows:
        block = read_block(form, data, is_sure=is_sure)
        if block is None and form > codec.VERSION and not is_altered:
            block = _unreadable()
        if block is None:
            is_unreadable = True
        else:
            blocks.append(block)
    _number, role, created, engine, end = own
    message = Message(
        id_,
        role if role in ("user", "assistant") else _role_of(blocks),
        tuple(_closed(blocks, lambda: _known_results(db, id_))),
        _moment(created),
        engine=engine or "",
        end=end if end in _ENDS or end is None else "failed",
        rating=rating if rating in _RATINGS else 0,
    )
    return VerifiedMessage(
        message, _damage(message, blocks, is_altered=is_altered, is_unreadable=is_unreadable)
    )


def _damage(
    message: Message, blocks: Sequence[Block], *, is_altered: bool, is_unreadable: bool
) -> DamageKind | None:
    if is_unreadable:
        return "unreadable"
    has_content = any(not isinstance(block, Text) or block.text.strip() for block in blocks)
    if not has_content and (is_altered or message.role == "user"):
        return "empty"
    if message.end is not None and _unanswered(blocks):
        return "unanswered"
    return "altered" if is_altered else None


def _decoded(value: object) -> object:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _moment(created: object) -> datetime:
    try:
        return from_us(cast("int", created))
    except (OverflowError, ValueError, OSError, TypeError):
        return _EPOCH


def _role_of(blocks: Iterable[Block]) -> Literal["user", "assistant"]:
    return (
        "assistant" if any(isinstance(each, ToolCall | ToolResult) for each in blocks) else "user"
    )


def read_block(form: int, data: bytes, *, is_sure: bool = False) -> Block | None:
    """Read a stored block; None if it cannot be. One that is not sure is checked through."""
    try:
        if form > codec.VERSION:
            return None
        block = unpack_block(read_json(data.decode()))
        if not is_sure:
            codec.check_types(type(block), block)
    except (ValueError, TypeError, KeyError):
        return None
    return block


def _unreadable() -> Notice:
    # Of a newer program. The rest of the conversation is worth more than this block.
    return Notice(
        "malformed",
        _("A part of this message cannot be read by this version of QHub. It was kept."),
    )


def _known_results(db: Connection, message: MessageId) -> dict[str, Json]:
    """Read what calls of an answer have written, whose result was lost with the program."""
    rows = db.execute("SELECT call, result FROM effects WHERE message = ?", (message,))
    return {call: json.loads(result) for call, result in rows}


def _unanswered(blocks: Iterable[Block]) -> set[str]:
    called = {block.id for block in blocks if isinstance(block, ToolCall)}
    return called - {block.call_id for block in blocks if isinstance(block, ToolResult)}


def _closed(blocks: Sequence[Block], known: Callable[[], dict[str, Json]]) -> Iterator[Block]:
    """Yield the blocks with a result for every call, next to the other results of its round.

    A kill leaves calls open, and a model refuses a history that has any. What one of them wrote is
    `known`.
    """
    called = {block.id for block in blocks if isinstance(block, ToolCall)}
    if not called and not any(isinstance(block, ToolResult) for block in blocks):
        yield from blocks
        return
    open_calls = _unanswered(blocks)
    results = known() if open_calls else {}
    waiting: list[str] = []
    previous: Block | None = None
    for block in blocks:
        is_next_round = isinstance(block, ToolCall) and isinstance(previous, ToolResult)
        if is_next_round or not isinstance(block, ToolCall | ToolResult):
            yield from _interrupted(waiting, results)
            waiting = []
        if isinstance(block, ToolCall) and block.id in open_calls:
            waiting.append(block.id)
        if not isinstance(block, ToolResult) or block.call_id in called:
            yield block
        previous = block
    yield from _interrupted(waiting, results)


def _interrupted(calls: Iterable[str], results: dict[str, Json]) -> Iterator[ToolResult]:
    for call in calls:
        if call in results:
            yield ToolResult(call, results[call])
        else:
            yield ToolResult(call, INTERRUPTED, is_error=True)


def with_notices(verified: Iterable[VerifiedMessage]) -> list[Message]:
    """Return the messages, with a notice where damage is; one for neighbours that are missing."""
    shown: list[Message] = []
    for is_missing, parts in groupby(verified, key=lambda each: each.damage == "missing"):
        found = list(parts)
        if is_missing:
            told = ngettext(
                "{count} message is missing here.", "{count} messages are missing here.", len(found)
            )
            notice = Notice(DAMAGED, told.format(count=len(found)))
            shown.append(_with(found[0].message, notice))
            continue
        for each in found:
            kind = each.damage
            shown.append(
                each.message
                if kind is None
                else _with(each.message, Notice(DAMAGED, damage_text(kind)))
            )
    return shown


def _with(message: Message, notice: Notice) -> Message:
    return replace(message, blocks=(*message.blocks, notice))


def damage_text(kind: DamageKind) -> str:
    """Return in words what is wrong with a message."""
    match kind:
        case "unreadable":
            return _("A part of this message is damaged and cannot be read.")
        case "altered":
            return _("This message is not as it was stored: something outside QHub changed it.")
        case "missing":
            return _("This message is missing.")
        case "unanswered":
            return _("A tool was called here, and its result is not there.")
        case "empty":
            return _("Of this message nothing is left.")
