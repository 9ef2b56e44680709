"""Messages, block by block, so that a write never grows with what was said before."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal

from qhub_desktop.core import codec
from qhub_desktop.core.message import (
    Block,
    EndReason,
    Message,
    Notice,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store import search
from qhub_desktop.store.conversations import number_of, title_from, touch
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import moment, stamp, storable

Role = Literal["user", "assistant"]
Rating = Literal[-1, 0, 1]


def add(
    db: sqlite3.Connection, conversation: str, role: Role, blocks: Sequence[Block], *, engine: str
) -> Message:
    """A message with its first blocks. A question is whole at once, an answer once ended."""
    number = number_of(db, conversation)
    with writing(db):
        return insert(db, number, role, blocks, engine=engine)


def insert(
    db: sqlite3.Connection, number: int, role: Role, blocks: Sequence[Block], *, engine: str
) -> Message:
    """The same, in the conversation of this number. Inside a transaction."""
    kept = tuple(block for block in blocks if not isinstance(block, Reasoning))
    end: EndReason | None = "complete" if role == "user" else None
    now = stamp()
    id_ = db.execute(
        'INSERT INTO messages (conversation, role, created, engine, "end") VALUES (?, ?, ?, ?, ?)',
        (number, role, now, engine, end),
    ).lastrowid
    assert id_ is not None
    message = Message(id_, role, kept, moment(now), engine=engine, end=end)
    for position, block in enumerate(blocks):
        _write(db, id_, position, block)
    touch(db, number)
    if role == "user":
        _index(db, id_)
        db.execute(
            "UPDATE conversations SET title = ? WHERE number = ? AND title = ''",
            (title_from(message.text), number),
        )
    return message


def put(db: sqlite3.Connection, message: int, position: int, block: Block) -> None:
    """Insert or replace one block: also the checkpoint of a text that is still growing."""
    with writing(db):
        _write(db, message, position, block)
        if _is_ended(db, message):
            _index(db, message)
        else:
            # Another program may have opened the file and indexed what there was.
            db.execute("DELETE FROM texts WHERE message = ?", (message,))


def end(db: sqlite3.Connection, message: int, reason: EndReason, *, engine: str) -> None:
    """Nothing more will come; from now on its words can be found."""
    with writing(db):
        (number,) = db.execute(
            'UPDATE messages SET "end" = ?, engine = ? WHERE id = ? RETURNING conversation',
            (reason, engine, message),
        ).fetchone()
        _index(db, message)
        touch(db, number)


def latest(
    db: sqlite3.Connection, conversation: str, *, before: int | None, limit: int
) -> list[Message]:
    """The last ones (before another), oldest first, each with a result for every call."""
    rows = db.execute(
        """WITH shown AS (
            SELECT * FROM messages
                WHERE conversation = ? AND is_superseded = 0 AND id < ?
                ORDER BY id DESC LIMIT ?
        )
        SELECT m.id, m.role, m.created, m.engine, m."end", m.rating, b.form, b.data
            FROM shown m LEFT JOIN blocks b ON b.message = m.id
            ORDER BY m.id, b.position""",
        (number_of(db, conversation), before if before is not None else 1 << 62, limit),
    )
    return [
        Message(
            id_,
            role,
            tuple(_closed([_read(*row[6:]) for row in parts if row[7] is not None])),
            moment(created),
            engine=engine,
            end=ended,
            rating=rating,
        )
        for (id_, role, created, engine, ended, rating), parts in groupby(
            rows, key=itemgetter(0, 1, 2, 3, 4, 5)
        )
    ]


def supersede(db: sqlite3.Connection, message: int) -> None:
    """Hide this message and all later ones of its conversation, from the search too."""
    with writing(db):
        hidden = db.execute(
            """UPDATE messages SET is_superseded = 1
                WHERE conversation = (SELECT conversation FROM messages WHERE id = :from)
                    AND is_superseded = 0 AND id >= :from
                RETURNING id""",
            {"from": message},
        ).fetchall()
        db.executemany("DELETE FROM texts WHERE message = ?", hidden)


def rate(db: sqlite3.Connection, message: int, rating: Rating) -> None:
    """What the person thought of an answer."""
    with writing(db):
        db.execute("UPDATE messages SET rating = ? WHERE id = ?", (rating, message))


def index_unended(db: sqlite3.Connection) -> None:
    """Make the words of messages that a kill cut short findable."""
    with writing(db):
        for message in search.unindexed(db):
            _index(db, message)


def _write(db: sqlite3.Connection, message: int, position: int, block: Block) -> None:
    if isinstance(block, Reasoning):
        return
    # ASCII only: a half character, as some pastes hold, is not text to SQLite.
    packed = json.dumps(codec.pack(block), ensure_ascii=True, separators=(",", ":"))
    db.execute(
        """INSERT INTO blocks (message, position, kind, form, data) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE
                SET kind = excluded.kind, form = excluded.form, data = excluded.data""",
        (message, position, codec.NAMES[type(block)], codec.VERSION, packed),
    )


def _read(form: int, data: str) -> Block:
    try:
        if form > codec.VERSION:
            raise ValueError(form)
        return codec.unpack_block(json.loads(data))
    except ValueError:
        # The rest of the conversation is worth more than this block.
        return Notice(
            "malformed",
            _("A part of this message can not be read by this version of QHub. It was kept."),
        )


def _closed(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with a result for every call, next to the other results of its round.

    A kill leaves calls open, and a model refuses a history that has any.
    """
    called = {block.id for block in blocks if isinstance(block, ToolCall)}
    answered = {block.call_id for block in blocks if isinstance(block, ToolResult)}
    unanswered: list[str] = []
    previous: Block | None = None
    for block in blocks:
        is_next_round = isinstance(block, ToolCall) and isinstance(previous, ToolResult)
        if is_next_round or not isinstance(block, ToolCall | ToolResult):
            yield from _interrupted(unanswered)
            unanswered = []
        if isinstance(block, ToolCall) and block.id not in answered:
            unanswered.append(block.id)
        if not isinstance(block, ToolResult) or block.call_id in called:
            yield block
        previous = block
    yield from _interrupted(unanswered)


def _interrupted(calls: Iterable[str]) -> Iterator[ToolResult]:
    return (ToolResult(call, {"erro": "interrompido"}, is_error=True) for call in calls)


def _is_ended(db: sqlite3.Connection, message: int) -> bool:
    row = db.execute('SELECT "end" IS NOT NULL FROM messages WHERE id = ?', (message,)).fetchone()
    return bool(row[0])


def _index(db: sqlite3.Connection, message: int) -> None:
    stored = db.execute(
        "SELECT form, data FROM blocks WHERE message = ? AND kind = ? ORDER BY position",
        (message, codec.NAMES[Text]),
    )
    words = [block.text for block in (_read(*row) for row in stored) if isinstance(block, Text)]
    db.execute(
        """INSERT INTO texts (message, text)
            SELECT id, ? FROM messages WHERE id = ? AND is_superseded = 0
            ON CONFLICT DO UPDATE SET text = excluded.text""",
        (storable("\n".join(words)), message),
    )
