"""The outbox: questions that wait for Claude, in the order in which they were asked."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from sqlite3 import Connection

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import QueuedQuestion
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.conversations import own_number
from qhub_desktop.store.database import (
    Database,
    Repository,
    connect,
    from_us,
    now_us,
    reads,
    writes,
)
from qhub_desktop.store.rights import requires

LOCK = "outbox.lock"

_SELECT = """SELECT o.id, c.id, c.agent, o.user, o.text, o.created, o.state, o.attempts, o.error,
        o.message
    FROM outbox o JOIN mine c ON c.number = o.conversation"""
_OPEN = "o.state IN ('waiting', 'sending', 'failed') AND c.is_deleted = 0"


class OutboxRepository(Repository):
    """Questions that wait. One that is being sent belongs to the program that holds the outbox."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._lock = _ProgramLock(database.path.with_name(LOCK))

    async def lock(self) -> bool:
        """Become the one program that sends; false while another is. Kept until `unlock`."""
        return await self.database.run(lambda _db: self._lock.acquire())

    async def unlock(self) -> None:
        """Let another program send."""
        await self.database.run(lambda _db: self._lock.release())

    def close(self) -> None:
        """Let another program send. Blocks: for the end of the program."""
        self.database.run_now(lambda _db: self._lock.release())

    @writes
    @requires(*ROLES)
    def put(
        self, db: Connection, conversation: ConversationId, text: str, *, user: str = ""
    ) -> QueuedQuestion:
        """Queue a question; the same one that waits there already is not put in twice.

        Raises UserError if it has no words, or its conversation is not there.
        """
        number, words = own_number(db, conversation), sanitize(text).strip()
        if not words:
            raise UserError(_("There is no question to wait. Write one."))
        same = db.execute(
            """SELECT id FROM outbox WHERE conversation = ? AND text = ?
                AND state IN ('waiting', 'sending')""",
            (number, words),
        ).fetchone()
        id_ = same[0] if same else None
        if id_ is None:
            now = now_us()
            id_ = db.execute(
                """INSERT INTO outbox (conversation, user, text, created, changed, state)
                    VALUES (?, ?, ?, ?, ?, 'waiting')""",
                (number, sanitize(user), words, now, now),
            ).lastrowid
        assert id_ is not None
        return _find(db, id_)

    @reads
    def listed(self, db: Connection) -> list[QueuedQuestion]:
        """List what is not done with, the first asked first, without deleted conversations."""
        rows = db.execute(f"{_SELECT} WHERE {_OPEN} ORDER BY o.id")
        return [_question(row) for row in rows]

    @writes
    @requires(*ROLES)
    def withdraw(self, db: Connection, id_: int) -> QueuedQuestion:
        """Take a question back. Raises UserError for one that is being sent, or not there."""
        is_withdrawn = _change_state(db, id_, "withdrawn", before=("waiting", "failed"))
        found = _find(db, id_)
        if is_withdrawn:
            return found
        if found.state == "sending":
            raise UserError(
                _("This question is being answered just now. Stop it in its conversation.")
            )
        raise UserError(_("Question {id} does not wait any more.").format(id=id_))

    @writes
    @requires(*ROLES)
    def requeue(self, db: Connection, id_: int) -> None:
        """Let one that has failed wait again."""
        db.execute(
            """UPDATE outbox SET state = 'waiting', attempts = 0, error = '', changed = ?
                WHERE id = ? AND state = 'failed'""",
            (now_us(), id_),
        )

    @writes
    def recover(self, db: Connection) -> list[QueuedQuestion]:
        """Decide what became of questions whose sender was killed; those that were answered.

        Answered if the answer came to its end, else they wait again. For the program that holds
        the outbox: nobody else can be sending them.
        """
        left = db.execute(
            """SELECT o.id, (
                SELECT a."end" FROM messages a
                    WHERE a.conversation = o.conversation AND a.role = 'assistant'
                        AND a.is_superseded = 0 AND a.id > o.message
                    ORDER BY a.id LIMIT 1)
                FROM outbox o JOIN mine c ON c.number = o.conversation
                WHERE o.state = 'sending'"""
        ).fetchall()
        answered = [id_ for id_, end in left if end in ("complete", "limit")]
        for id_ in answered:
            _finish(db, id_, is_seen=False)
        db.executemany(
            "UPDATE outbox SET state = 'waiting', changed = ? WHERE id = ? AND state = 'sending'",
            [(now_us(), id_) for id_, _end in left],
        )
        return [_find(db, id_) for id_ in answered]

    @writes
    @requires(*ROLES)
    def claim(self, db: Connection, id_: int) -> bool:
        """Begin to send; false if it was withdrawn, or is not there any more."""
        return _change_state(db, id_, "sending", before=("waiting",))

    @writes
    @requires(*ROLES)
    def place(self, db: Connection, id_: int) -> int:
        """Put it into its conversation as the last question, if it is not that; its message.

        In one go with knowing that it is.
        """
        # What messages are made of takes 40 ms to load, which only a question that is sent needs.
        from qhub_desktop.core.message import Text
        from qhub_desktop.store.messages import insert

        conversation, text, placed = db.execute(
            "SELECT conversation, text, message FROM outbox WHERE id = ?", (id_,)
        ).fetchone()
        last = db.execute(
            """SELECT max(id) FROM messages
                WHERE conversation = ? AND role = 'user' AND is_superseded = 0""",
            (conversation,),
        ).fetchone()[0]
        if placed is not None and placed == last:
            return int(placed)
        message = insert(db, conversation, "user", [Text(text)], engine="").id
        db.execute("UPDATE outbox SET message = ? WHERE id = ?", (message, id_))
        return message

    @writes
    def release(self, db: Connection, id_: int, error: str, *, is_counted: bool = False) -> None:
        """Let one that could not be sent wait again, where it was in the order."""
        db.execute(
            """UPDATE outbox SET state = 'waiting', error = ?, attempts = attempts + ?, changed = ?
                WHERE id = ? AND state = 'sending'""",
            (sanitize(error), is_counted, now_us(), id_),
        )

    @writes
    def fail(self, db: Connection, id_: int, error: str) -> None:
        """Keep one that was refused in sight; it is not sent by itself any more."""
        db.execute(
            """UPDATE outbox SET state = 'failed', error = ?, attempts = attempts + 1, changed = ?
                WHERE id = ? AND state = 'sending'""",
            (sanitize(error), now_us(), id_),
        )

    @writes
    def finish(self, db: Connection, id_: int, *, is_seen: bool) -> None:
        """Say that it was answered; where nobody looked, the conversation is marked unread."""
        _finish(db, id_, is_seen=is_seen)

    @writes
    def note_error(self, db: Connection, error: str) -> None:
        """Keep what is in the way of all that waits."""
        db.execute(
            "UPDATE outbox SET error = ?, changed = ? WHERE state = 'waiting' AND error <> ?",
            (sanitize(error), now_us(), sanitize(error)),
        )


def _find(db: Connection, id_: int) -> QueuedQuestion:
    row = db.execute(f"{_SELECT} WHERE o.id = ?", (id_,)).fetchone()
    if row is None:
        raise UserError(
            _("No question {id} waits for Claude. See what does: qhub outbox.").format(id=id_)
        )
    return _question(row)


def _finish(db: Connection, id_: int, *, is_seen: bool) -> None:
    (conversation,) = db.execute(
        """UPDATE outbox SET state = 'sent', error = '', attempts = attempts + 1, changed = ?
            WHERE id = ? RETURNING conversation""",
        (now_us(), id_),
    ).fetchone()
    if not is_seen:
        db.execute("UPDATE conversations SET is_unread = 1 WHERE number = ?", (conversation,))


def _change_state(db: Connection, id_: int, state: str, *, before: tuple[str, ...]) -> bool:
    """Give a question another state if its own is one of `before`; return whether it was."""
    marks = ", ".join("?" * len(before))
    moved = db.execute(
        f"UPDATE outbox SET state = ?, changed = ? WHERE id = ? AND state IN ({marks})",  # noqa: S608  question marks
        (state, now_us(), id_, *before),
    ).rowcount
    return moved == 1


def _question(
    row: tuple[int, ConversationId, str, str, str, int, str, int, str, MessageId | None],
) -> QueuedQuestion:
    id_, conversation, agent, user, text, created, state, attempts, error, message = row
    return QueuedQuestion(
        id_,
        conversation,
        agent,
        user,
        text,
        from_us(created),
        state,  # type: ignore[arg-type]  # only the states are ever written
        attempts,
        error,
        message,
    )


class _ProgramLock:
    """One program at a time, and none that was killed: the system itself lets go of a dead one's.

    SQLite knows how to lock a file on every system that we run on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: sqlite3.Connection | None = None

    def acquire(self) -> bool:
        if self._held is not None:
            return True
        db = connect(self._path, patience_s=0)
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            db.close()
            return False
        self._held = db
        return True

    def release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            with suppress(sqlite3.Error):
                held.execute("ROLLBACK")
            held.close()
