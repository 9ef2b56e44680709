"""Messages, block by block, so that a write never grows with what was said before; their cost."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter
from sqlite3 import Connection
from typing import TYPE_CHECKING, Literal

from qhub_desktop.core import codec
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.message import (
    Block,
    EndReason,
    Message,
    Notice,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    unpack_block,
)
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.conversations import own_number, title_from, touch
from qhub_desktop.store.database import (
    Repository,
    as_us,
    from_us,
    now_us,
    packed,
    read_json,
    reads,
    writes,
)
from qhub_desktop.store.rights import are_in_use, requires

if TYPE_CHECKING:
    from qhub_desktop.store.datasets import Pin

Role = Literal["user", "assistant"]
Rating = Literal[-1, 0, 1]


class MessageRepository(Repository):
    """Messages of every conversation, and what the answers took.

    A conversation that was never there raises UserError.
    """

    @writes
    @requires(*ROLES)
    def add(
        self,
        db: Connection,
        conversation: str,
        role: Role,
        blocks: Sequence[Block] = (),
        *,
        engine: str = "",
    ) -> Message:
        """Add a last message. A question is complete at once; an answer is open until ended.

        The first question gives the conversation its title if it has none.
        """
        return insert(db, own_number(db, conversation), role, blocks, engine=engine)

    @writes
    def put_block(self, db: Connection, message: int, position: int, block: Block) -> None:
        """Insert or replace one block: also the checkpoint of a text that is still growing.

        Reasoning is never stored; its position stays empty.
        """
        _write(db, message, position, block)
        (is_ended,) = db.execute(
            'SELECT "end" IS NOT NULL FROM messages WHERE id = ?', (message,)
        ).fetchone()
        if is_ended:
            index(db, message)
        else:
            # Another program may have opened the file and indexed what there was.
            db.execute("DELETE FROM texts WHERE message = ?", (message,))

    @writes
    def end(self, db: Connection, message: int, reason: EndReason, *, engine: str) -> None:
        """Close an answer, with who gave it; what is still reserved for it is given back.

        From now on its words can be found.
        """
        (number,) = db.execute(
            'UPDATE messages SET "end" = ?, engine = ? WHERE id = ? RETURNING conversation',
            (reason, engine, message),
        ).fetchone()
        db.execute("DELETE FROM reservations WHERE message = ?", (message,))
        index(db, message)
        touch(db, number)

    @writes
    @requires(*ROLES)
    def add_conversation(
        self,
        db: Connection,
        agent: str,
        *,
        title: str,
        created: datetime,
        updated: datetime,
        is_pinned: bool,
        is_archived: bool,
        messages: Sequence[Message],
        pins: "Sequence[Pin]",
    ) -> str:
        """Add a whole conversation from elsewhere, under new ids; return its id.

        Where people sign in, a data set is pinned to it only if the person has it in another one of
        theirs: that a file names it gives nobody somebody else's rows.
        """
        id_ = secrets.token_hex(6)
        number = db.execute(
            """INSERT INTO conversations
                (id, agent, owner, title, created, updated, is_pinned, is_archived)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                id_,
                agent,
                self.database.owner,
                title,
                as_us(created),
                as_us(updated),
                is_pinned,
                is_archived,
            ),
        ).lastrowid
        # Messages with their blocks, and what they are found by.
        for message in messages:
            added = db.execute(
                """INSERT INTO messages (conversation, role, created, engine, "end", rating)
                    VALUES (?, ?, ?, ?, ?, ?)""",
                (
                    number,
                    message.role,
                    as_us(message.created),
                    message.engine,
                    message.end,
                    message.rating,
                ),
            ).lastrowid
            assert added is not None
            for position, block in enumerate(message.blocks):
                _write(db, added, position, block)
            index(db, added)
        theirs = pins
        if are_in_use(db):
            rows = db.execute(
                "SELECT dataset_id FROM pins JOIN mine ON mine.number = pins.conversation"
            )
            known = {dataset_id for (dataset_id,) in rows}
            theirs = [pin for pin in pins if pin.dataset_id in known]
        db.executemany(
            "INSERT INTO pins (conversation, dataset_id, name, is_used) VALUES (?, ?, ?, ?)",
            [(number, pin.dataset_id, pin.name, pin.is_used) for pin in theirs],
        )
        return id_

    @reads
    def latest(
        self, db: Connection, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """Read the last ones (older than `before`), oldest first, without superseded ones.

        A call that has no result, because the program was killed or the tool still runs, is given
        one that says it was interrupted: in what is returned, not in the file.
        """
        return latest_in(db, conversation, before=before, limit=limit)

    @writes
    @requires(*ROLES)
    def supersede(self, db: Connection, message: int) -> None:
        """Hide a message and all later ones of its conversation, from the search too.

        They stay on the disk. A title that came of the first question goes with it.
        """
        hidden = db.execute(
            """UPDATE messages SET is_superseded = 1
                WHERE conversation = (SELECT conversation FROM messages WHERE id = :from)
                    AND is_superseded = 0 AND id >= :from
                RETURNING id""",
            {"from": message},
        ).fetchall()
        db.executemany("DELETE FROM texts WHERE message = ?", hidden)
        db.execute(
            """UPDATE conversations SET title = '' WHERE title = :title
                AND number = (SELECT conversation FROM messages WHERE id = :from)
                AND NOT EXISTS (SELECT 1 FROM messages WHERE role = 'user' AND is_superseded = 0
                    AND conversation = conversations.number)""",
            {"title": title_from(_words(db, message)), "from": message},
        )

    @writes
    @requires(*ROLES)
    def rate(self, db: Connection, message: int, rating: Rating) -> None:
        """Keep the person's thumb; 0 takes it back."""
        db.execute("UPDATE messages SET rating = ? WHERE id = ?", (rating, message))

    @writes
    def add_usage(self, db: Connection, message: int, usage: UsageCounted) -> None:
        """Count one call to a model for an answer, in place of its reservation, on today's bill."""
        db.execute("DELETE FROM reservations WHERE message = ?", (message,))
        db.execute(
            """INSERT INTO usage (message, day, model, input_tokens, output_tokens,
                cache_read_tokens, cache_write_tokens, cost_usd,
                is_estimated)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                message,
                _today().isoformat(),
                usage.model,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.cost_usd,
                usage.is_estimated,
            ),
        )

    @reads
    def usage(self, db: Connection, message: int) -> list[UsageCounted]:
        """Read what an answer took, call by call."""
        rows = db.execute(
            """SELECT model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
                cost_usd, is_estimated FROM usage WHERE message = ? ORDER BY id""",
            (message,),
        )
        return [
            replace(UsageCounted(*took), is_estimated=bool(is_estimated))
            for *took, is_estimated in rows
        ]

    @reads
    def spent_today(self, db: Connection) -> float:
        """Return the US dollars spent since midnight on the station's clock, by known prices.

        Like the budgets, with what stands on days to come.
        """
        row = db.execute(
            "SELECT total(cost_usd) FROM usage WHERE day >= ?", (_today().isoformat(),)
        ).fetchone()
        spent: float = row[0]
        return spent


def insert(
    db: Connection, number: int, role: Role, blocks: Sequence[Block], *, engine: str
) -> Message:
    """Add a message to the conversation of this number. Inside a transaction."""
    kept = tuple(block for block in blocks if not isinstance(block, Reasoning))
    end: EndReason | None = "complete" if role == "user" else None
    now = now_us()
    id_ = db.execute(
        'INSERT INTO messages (conversation, role, created, engine, "end") VALUES (?, ?, ?, ?, ?)',
        (number, role, now, engine, end),
    ).lastrowid
    assert id_ is not None
    message = Message(id_, role, kept, from_us(now), engine=engine, end=end)
    for position, block in enumerate(blocks):
        _write(db, id_, position, block)
    touch(db, number)
    if role == "user":
        index(db, id_)
        db.execute(
            "UPDATE conversations SET title = ? WHERE number = ? AND title = ''",
            (title_from(message.text), number),
        )
    return message


def latest_in(
    db: Connection, conversation: str, *, before: int | None, limit: int
) -> list[Message]:
    """Read messages of a conversation that can be reached, as `MessageRepository.latest` does."""
    rows = db.execute(
        """WITH shown AS (
            SELECT * FROM messages
                WHERE conversation = ? AND is_superseded = 0 AND id < ?
                ORDER BY id DESC LIMIT ?
        )
        SELECT m.id, m.role, m.created, m.engine, m."end", m.rating, b.form, b.data
            FROM shown m LEFT JOIN blocks b ON b.message = m.id
            ORDER BY m.id, b.position""",
        (own_number(db, conversation), before if before is not None else 1 << 62, limit),
    )
    return [
        Message(
            id_,
            role,
            tuple(_closed([_read(*row[6:]) for row in parts if row[7] is not None])),
            from_us(created),
            engine=engine,
            end=ended,
            rating=rating,
        )
        for (id_, role, created, engine, ended, rating), parts in groupby(
            rows, key=itemgetter(0, 1, 2, 3, 4, 5)
        )
    ]


def index(db: Connection, message: int) -> None:
    """Make the words of a message findable. Inside a transaction."""
    db.execute(
        """INSERT INTO texts (message, text)
            SELECT id, ? FROM messages WHERE id = ? AND is_superseded = 0
            ON CONFLICT DO UPDATE SET text = excluded.text""",
        (sanitize(_words(db, message)), message),
    )


def _words(db: Connection, message: int) -> str:
    """Read the words of a message."""
    stored = db.execute(
        "SELECT form, data FROM blocks WHERE message = ? AND kind = ? ORDER BY position",
        (message, codec.TAGS[Text]),
    )
    words = [block.text for block in (_read(*row) for row in stored) if isinstance(block, Text)]
    return "\n".join(words)


def _write(db: Connection, message: int, position: int, block: Block) -> None:
    if isinstance(block, Reasoning):
        return
    db.execute(
        """INSERT INTO blocks (message, position, kind, form, data) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE
                SET kind = excluded.kind, form = excluded.form, data = excluded.data""",
        (message, position, codec.TAGS[type(block)], *packed(block)),
    )


def _read(form: int, data: str) -> Block:
    try:
        if form > codec.VERSION:
            raise ValueError(form)
        return unpack_block(read_json(data))
    except ValueError:
        # The rest of the conversation is worth more than this block.
        return Notice(
            "malformed",
            _("A part of this message cannot be read by this version of QHub. It was kept."),
        )


def _closed(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks with a result for every call, next to the other results of its round.

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


def _today() -> date:
    return datetime.now().astimezone().date()
