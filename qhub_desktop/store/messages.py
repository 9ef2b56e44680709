"""Messages, block by block, so that a write never grows with what was said before; their cost."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from sqlite3 import Connection
from typing import TYPE_CHECKING, Literal

from qhub_desktop.core import codec
from qhub_desktop.core.citations import plain_citations
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import (
    Block,
    EndReason,
    Message,
    Reasoning,
    Text,
)
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.untrusted_files import parse_object
from qhub_desktop.store.conversations import own_number, title_from, touch
from qhub_desktop.store.database import (
    Repository,
    as_us,
    from_us,
    now_us,
    packed,
    reads,
    writes,
)
from qhub_desktop.store.digests import (
    block_rows,
    forget_digests_from,
    is_as_recorded,
    record_digest,
)
from qhub_desktop.store.rights import are_in_use, requires
from qhub_desktop.store.verified_messages import (
    NEWEST,
    read_block,
    read_verified,
    with_notices,
)

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
        conversation: ConversationId,
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
    def put_block(self, db: Connection, message: MessageId, position: int, block: Block) -> None:
        """Insert or replace one block: also the checkpoint of a text that is still growing.

        Reasoning is never stored; its position stays empty. Raises UserError where the conversation
        was deleted for good meanwhile.
        """
        _check(db, message, among="conversations")
        is_sound = is_as_recorded(db, message)
        write_block(db, message, position, block)
        (is_ended,) = db.execute(
            'SELECT "end" IS NOT NULL FROM messages WHERE id = ?', (message,)
        ).fetchone()
        if is_ended:
            if is_sound:  # of a damaged one the digest stays, by which that is known
                record_digest(db, message)
            index(db, message)
        else:
            # Another program may have opened the file and indexed what there was.
            db.execute("DELETE FROM texts WHERE message = ?", (message,))

    @writes
    def end(self, db: Connection, message: MessageId, reason: EndReason, *, engine: str) -> None:
        """Close an answer, with who gave it; what is still reserved for it is given back.

        From now on its words can be found. Nothing is done where it was deleted meanwhile.
        """
        ended = db.execute(
            'UPDATE messages SET "end" = ?, engine = ? WHERE id = ? RETURNING conversation',
            (reason, engine, message),
        ).fetchone()
        if ended is None:
            return
        db.execute("DELETE FROM reservations WHERE message = ?", (message,))
        index(db, message)
        record_digest(db, message)
        touch(db, ended[0])

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
    ) -> ConversationId:
        """Add a whole conversation from elsewhere, under new ids; return its id.

        Where people sign in, a data set is pinned to it only if the person has it in another one of
        theirs: that a file names it gives nobody somebody else's rows.
        """
        id_ = ConversationId(secrets.token_hex(6))
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
            row = db.execute(
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
            assert row is not None
            added = MessageId(row)
            for position, block in enumerate(message.blocks):
                write_block(db, added, position, block)
            index(db, added)
            record_digest(db, added)
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
        self,
        db: Connection,
        conversation: ConversationId,
        *,
        before: MessageId | None = None,
        limit: int = 50,
    ) -> list[Message]:
        """Read the last ones (older than `before`), oldest first, without superseded ones.

        A call that has no result, because the program was killed or the tool still runs, is given
        one that says it was interrupted; a notice stands where messages are damaged or missing. All
        that in what is returned, not in the file.
        """
        return latest_in(db, conversation, before=before, limit=limit)

    @reads
    @requires(*ROLES)
    def asked_plans(self, db: Connection, *, limit: int = 100) -> list[JsonObject]:
        """List what was understood of the person's own questions, the latest first."""
        rows = db.execute(
            """SELECT json_extract(b.data, '$.plan') FROM messages m
                JOIN mine c ON c.number = m.conversation JOIN blocks b ON b.message = m.id
                WHERE b.kind = 'understood' AND m.is_superseded = 0 AND c.is_deleted = 0
                ORDER BY m.id DESC LIMIT ?""",
            (limit,),
        )
        return [parse_object(plan) for (plan,) in rows if plan]

    @writes
    @requires(*ROLES)
    def supersede(self, db: Connection, message: MessageId) -> None:
        """Hide a message and all later ones of its conversation, from the search too.

        They stay on the disk. A title that came of the first question goes with it.
        """
        _check(db, message, among="mine")
        hidden = db.execute(
            """UPDATE messages SET is_superseded = 1
                WHERE conversation = (SELECT conversation FROM messages WHERE id = :from)
                    AND is_superseded = 0 AND id >= :from
                RETURNING id, conversation""",
            {"from": message},
        ).fetchall()
        db.executemany("DELETE FROM texts WHERE message = ?", [(id_,) for id_, _number in hidden])
        for number in {number for _id, number in hidden}:
            forget_digests_from(db, number, message)
        db.execute(
            """UPDATE conversations SET title = '' WHERE title = :title
                AND number = (SELECT conversation FROM messages WHERE id = :from)
                AND NOT EXISTS (SELECT 1 FROM messages WHERE role = 'user' AND is_superseded = 0
                    AND conversation = conversations.number)""",
            {"title": title_from(_words(db, message)), "from": message},
        )

    @writes
    @requires(*ROLES)
    def rate(self, db: Connection, message: MessageId, rating: Rating) -> None:
        """Keep the person's thumb; 0 takes it back."""
        _check(db, message, among="mine")
        db.execute("UPDATE messages SET rating = ? WHERE id = ?", (rating, message))

    @writes
    def add_usage(self, db: Connection, message: MessageId, usage: UsageCounted) -> None:
        """Count one call to a model for an answer, in place of its reservation, on today's bill."""
        db.execute("DELETE FROM reservations WHERE message = ?", (message,))
        db.execute(
            """INSERT INTO usage (message, day, model, input_tokens, output_tokens,
                cache_read_tokens, cache_write_tokens, cost_usd,
                is_estimated, request_id, response_id)
                VALUES ((SELECT id FROM messages WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                message,  # NULL once it is gone: what it cost is the plant's
                _today().isoformat(),
                usage.model,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.cost_usd,
                usage.is_estimated,
                usage.request_id,
                usage.response_id,
            ),
        )

    @reads
    def usage(self, db: Connection, message: MessageId) -> list[UsageCounted]:
        """Read what an answer took, call by call."""
        rows = db.execute(
            """SELECT model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
                cost_usd, is_estimated, request_id, response_id
                FROM usage JOIN messages m ON m.id = usage.message
                JOIN mine c ON c.number = m.conversation WHERE m.id = ? ORDER BY usage.id""",
            (message,),
        )
        return [
            replace(
                UsageCounted(*took),
                is_estimated=bool(is_estimated),
                request_id=request_id,
                response_id=response_id,
            )
            for *took, is_estimated, request_id, response_id in rows
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


def _check(db: Connection, message: MessageId, *, among: Literal["conversations", "mine"]) -> None:
    """Raise UserError for a message that is in none of these conversations."""
    found = db.execute(
        f"""SELECT 1 FROM messages m JOIN {among} c ON c.number = m.conversation WHERE m.id = ?""",  # noqa: S608
        (message,),
    ).fetchone()
    if found is None:
        raise UserError(_("This message is not there any more."))


def insert(
    db: Connection, number: int, role: Role, blocks: Sequence[Block], *, engine: str
) -> Message:
    """Add a message to the conversation of this number. Inside a transaction."""
    kept = tuple(block for block in blocks if not isinstance(block, Reasoning))
    end: EndReason | None = "complete" if role == "user" else None
    now = now_us()
    row = db.execute(
        'INSERT INTO messages (conversation, role, created, engine, "end") VALUES (?, ?, ?, ?, ?)',
        (number, role, now, engine, end),
    ).lastrowid
    assert row is not None
    id_ = MessageId(row)
    message = Message(id_, role, kept, from_us(now), engine=engine, end=end)
    for position, block in enumerate(blocks):
        write_block(db, id_, position, block)
    touch(db, number)
    if role == "user":
        index(db, id_)
        record_digest(db, id_)
        db.execute(
            "UPDATE conversations SET title = ? WHERE number = ? AND title = ''",
            (title_from(message.text), number),
        )
    return message


def latest_in(
    db: Connection, conversation: ConversationId, *, before: MessageId | None, limit: int
) -> list[Message]:
    """Read messages of a conversation that can be reached, as `MessageRepository.latest` does."""
    number = own_number(db, conversation)
    last = NEWEST if before is None else before
    return with_notices(read_verified(db, number, before=last, limit=limit))


def index(db: Connection, message: MessageId) -> None:
    """Make the words of a message findable. Inside a transaction."""
    db.execute(
        """INSERT INTO texts (message, text)
            SELECT id, ? FROM messages WHERE id = ? AND is_superseded = 0
            ON CONFLICT DO UPDATE SET text = excluded.text""",
        (sanitize(_words(db, message)), message),
    )


def _words(db: Connection, message: MessageId) -> str:
    """Read the words of a message."""
    stored = (read_block(form, data) for _at, _kind, form, data in block_rows(db, message))
    words = (block.text for block in stored if isinstance(block, Text))
    return plain_citations("\n".join(words))


def write_block(db: Connection, message: MessageId, position: int, block: Block) -> None:
    """Insert or replace one block, unless it is reasoning. Inside a transaction."""
    if isinstance(block, Reasoning):
        return
    db.execute(
        """INSERT INTO blocks (message, position, kind, form, data) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE
                SET kind = excluded.kind, form = excluded.form, data = excluded.data""",
        (message, position, codec.TAGS[type(block)], *packed(block)),
    )


def _today() -> date:
    return datetime.now().astimezone().date()
