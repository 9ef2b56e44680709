"""The outbox: questions that wait for Claude, in the order in which they were asked."""

from __future__ import annotations  # a message is imported with the first one

import sqlite3
from contextlib import suppress
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.message import QueuedQuestion
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.on_worker import OnWorker
from qhub_desktop.store.transaction import connect, writing
from qhub_desktop.store.values import moment, stamp, storable

LOCK = "outbox.lock"

_SELECT = """SELECT o.id, c.id, c.agent, o.user, o.text, o.created, o.state, o.attempts, o.error,
        o.message
    FROM outbox o JOIN conversations c ON c.number = o.conversation"""
_OPEN = "o.state IN ('waiting', 'sending', 'failed') AND c.is_deleted = 0"


class OutboxTable:
    """What waits, behind the store's door. What was awaited is on the disk.

    A question that is being sent belongs to the one program that holds the outbox.
    """

    def __init__(self, do: OnWorker, folder: Path) -> None:
        self._do = do
        self._lock = _Lock(folder / LOCK)

    async def put(self, conversation: str, text: str, *, user: str = "") -> QueuedQuestion:
        """Let a question wait; the same one that waits there already is not put in twice."""
        return await self._do(put, conversation, text, user=user)

    async def listed(self) -> list[QueuedQuestion]:
        """What is not done with, the first asked first. Deleted conversations are left out."""
        return await self._do(listed)

    async def withdraw(self, id_: int) -> QueuedQuestion:
        """Take a question back. Raises UserError for one that is being sent, or not there."""
        return await self._do(withdraw, id_)

    async def renew(self, id_: int) -> None:
        """Let one that has failed wait again."""
        await self._do(renew, id_)

    async def hold(self) -> bool:
        """Become the one program that sends; false while another is. Kept until `let_go`."""
        return await self._do(lambda _db: self._lock.take())

    async def let_go(self) -> None:
        """Let another program send."""
        await self._do(lambda _db: self._lock.drop())

    async def settle(self) -> list[QueuedQuestion]:
        """Decide what became of questions whose sender was killed; those that were answered.

        For the program that holds the outbox: nobody else can be sending them.
        """
        return await self._do(settle)

    async def claim(self, id_: int) -> bool:
        """Begin to send; false if it was withdrawn, or is not there any more."""
        return await self._do(claim, id_)

    async def place(self, id_: int) -> int:
        """Put it into its conversation as the last question, if it is not that; its message."""
        return await self._do(place, id_)

    async def release(self, id_: int, error: str, *, is_counted: bool = False) -> None:
        """It could not be sent, and waits again."""
        await self._do(release, id_, error, is_counted=is_counted)

    async def fail(self, id_: int, error: str) -> None:
        """It was refused: it stays in sight, and is not sent by itself any more."""
        await self._do(fail, id_, error)

    async def finish(self, id_: int, *, is_seen: bool) -> None:
        """It was answered; where nobody looked, the conversation is marked unread."""
        await self._do(finish, id_, is_seen=is_seen)

    async def note(self, error: str) -> None:
        """Keep what is in the way of all that waits."""
        await self._do(note, error)

    def close(self) -> None:
        """Let go of the lock, on the thread that owns the database."""
        self._lock.drop()


def put(db: sqlite3.Connection, conversation: str, text: str, *, user: str) -> QueuedQuestion:
    """Let a question wait, once."""
    number, words = number_of(db, conversation), storable(text).strip()
    if not words:
        raise UserError(_("There is no question to wait. Write one."))
    with writing(db):
        same = db.execute(
            """SELECT id FROM outbox WHERE conversation = ? AND text = ?
                AND state IN ('waiting', 'sending')""",
            (number, words),
        ).fetchone()
        id_ = same[0] if same else None
        if id_ is None:
            now = stamp()
            id_ = db.execute(
                """INSERT INTO outbox (conversation, user, text, created, changed, state)
                    VALUES (?, ?, ?, ?, ?, 'waiting')""",
                (number, storable(user), words, now, now),
            ).lastrowid
    assert id_ is not None
    return find(db, id_)


def find(db: sqlite3.Connection, id_: int) -> QueuedQuestion:
    """One by its number, whatever became of it. Raises UserError if there never was one."""
    row = db.execute(f"{_SELECT} WHERE o.id = ?", (id_,)).fetchone()
    if row is None:
        raise UserError(
            _("No question {id} waits for Claude. See what does: qhub outbox.").format(id=id_)
        )
    return _waiting(row)


def listed(db: sqlite3.Connection) -> list[QueuedQuestion]:
    """What is not done with, the first asked first."""
    rows = db.execute(f"{_SELECT} WHERE {_OPEN} ORDER BY o.id")
    return [_waiting(row) for row in rows]


def withdraw(db: sqlite3.Connection, id_: int) -> QueuedQuestion:
    """Take a question back, unless it is on its way."""
    if not _move(db, id_, "withdrawn", before=("waiting", "failed")):
        found = find(db, id_)
        if found.state == "sending":
            raise UserError(
                _("This question is being answered just now. Stop it in its conversation.")
            )
        raise UserError(_("Question {id} does not wait any more.").format(id=id_))
    return find(db, id_)


def renew(db: sqlite3.Connection, id_: int) -> None:
    """Let one that has failed wait again."""
    with writing(db):
        db.execute(
            """UPDATE outbox SET state = 'waiting', attempts = 0, error = '', changed = ?
                WHERE id = ? AND state = 'failed'""",
            (stamp(), id_),
        )


def claim(db: sqlite3.Connection, id_: int) -> bool:
    """Begin to send it, unless it was withdrawn."""
    return _move(db, id_, "sending", before=("waiting",))


def place(db: sqlite3.Connection, id_: int) -> int:
    """Make it the last question of its conversation, in one go with knowing that it is."""
    from qhub_desktop.core.message import Text
    from qhub_desktop.store import messages

    with writing(db):
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
        message = messages.insert(db, conversation, "user", [Text(text)], engine="").id
        db.execute("UPDATE outbox SET message = ? WHERE id = ?", (message, id_))
    return message


def release(db: sqlite3.Connection, id_: int, error: str, *, is_counted: bool) -> None:
    """Back to those that wait, where it was in the order."""
    with writing(db):
        db.execute(
            """UPDATE outbox SET state = 'waiting', error = ?, attempts = attempts + ?, changed = ?
                WHERE id = ? AND state = 'sending'""",
            (storable(error), is_counted, stamp(), id_),
        )


def fail(db: sqlite3.Connection, id_: int, error: str) -> None:
    """Refused."""
    with writing(db):
        db.execute(
            """UPDATE outbox SET state = 'failed', error = ?, attempts = attempts + 1, changed = ?
                WHERE id = ? AND state = 'sending'""",
            (storable(error), stamp(), id_),
        )


def finish(db: sqlite3.Connection, id_: int, *, is_seen: bool) -> None:
    """Answered."""
    with writing(db):
        _finish(db, id_, is_seen=is_seen)


def note(db: sqlite3.Connection, error: str) -> None:
    """What is in the way of all that waits."""
    with writing(db):
        db.execute(
            "UPDATE outbox SET error = ?, changed = ? WHERE state = 'waiting' AND error <> ?",
            (storable(error), stamp(), storable(error)),
        )


def settle(db: sqlite3.Connection) -> list[QueuedQuestion]:
    """Questions whose sender was killed: answered if the answer came to its end, else they wait."""
    with writing(db):
        left = db.execute(
            """SELECT o.id, (
                SELECT a."end" FROM messages a
                    WHERE a.conversation = o.conversation AND a.role = 'assistant'
                        AND a.is_superseded = 0 AND a.id > o.message
                    ORDER BY a.id LIMIT 1)
                FROM outbox o WHERE o.state = 'sending'"""
        ).fetchall()
        answered = [id_ for id_, end in left if end in ("complete", "limit")]
        for id_ in answered:
            _finish(db, id_, is_seen=False)
        db.execute(
            "UPDATE outbox SET state = 'waiting', changed = ? WHERE state = 'sending'", (stamp(),)
        )
    return [find(db, id_) for id_ in answered]


def _finish(db: sqlite3.Connection, id_: int, *, is_seen: bool) -> None:
    (conversation,) = db.execute(
        """UPDATE outbox SET state = 'sent', error = '', attempts = attempts + 1, changed = ?
            WHERE id = ? RETURNING conversation""",
        (stamp(), id_),
    ).fetchone()
    if not is_seen:
        db.execute("UPDATE conversations SET is_unread = 1 WHERE number = ?", (conversation,))


def _move(db: sqlite3.Connection, id_: int, state: str, *, before: tuple[str, ...]) -> bool:
    marks = ", ".join("?" * len(before))
    with writing(db):
        moved = db.execute(
            f"UPDATE outbox SET state = ?, changed = ? WHERE id = ? AND state IN ({marks})",  # noqa: S608  question marks
            (state, stamp(), id_, *before),
        ).rowcount
    return moved == 1


def _waiting(row: tuple[int, str, str, str, str, int, str, int, str, int | None]) -> QueuedQuestion:
    id_, conversation, agent, user, text, created, state, attempts, error, message = row
    return QueuedQuestion(
        id_,
        conversation,
        agent,
        user,
        text,
        moment(created),
        state,  # type: ignore[arg-type]  # only the states are ever written
        attempts,
        error,
        message,
    )


class _Lock:
    """One program at a time, and none that was killed: the system itself lets go of a dead one's.

    SQLite knows how to lock a file on every system that we run on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: sqlite3.Connection | None = None

    def take(self) -> bool:
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

    def drop(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            with suppress(sqlite3.Error):
                held.execute("ROLLBACK")
            held.close()
