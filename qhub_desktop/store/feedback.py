"""Feedback: what people say of answers, what they do with them, and what is done about it."""

from datetime import UTC, datetime, timedelta
from sqlite3 import Connection
from typing import Literal, get_args

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.feedback import LONGEST_WORDS, Feedback, Reason, Reviewed
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message
from qhub_desktop.core.person import REVIEWERS, ROLES
from qhub_desktop.core.signals import SignalKind
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.conversations import own_number
from qhub_desktop.store.database import Repository, from_us, now_us, reads, writes
from qhub_desktop.store.digests import block_rows
from qhub_desktop.store.rights import requires
from qhub_desktop.store.verified_messages import read_block

_SELECT_FEEDBACK = """SELECT f.id, c.id, f.message, c.agent, f.rating, f.reason, f.text, f.created,
    f.resolved, f.note FROM feedback f JOIN conversations c ON c.number = f.conversation
    WHERE c.is_deleted = 0"""
_OPEN_FEEDBACK = "f.rating < 0 AND f.resolved IS NULL"

SIGNAL_DAYS = 180
By = Literal["agent", "day", "workflow"]
BYS: tuple[By, ...] = get_args(By)
# Of a card that was shown: it was opened, copied, exported or pinned.
CLICKS: tuple[SignalKind, ...] = ("opened", "copied", "exported", "pinned")
_TOLD_SIGNALS = {
    "shown": ("shown",),
    "clicked": CLICKS,
    "suggested": ("suggested",),
    "retried": ("retried", "refused"),
    "edited": ("edited", "changed"),
    "stopped": ("stopped",),
    "left": ("left",),
}


class FeedbackRepository(Repository):
    """Thumbs with their reasons. Their own is everybody's to give and to take back; who reviews an
    agent's answers sees those that were given, with the question and the answer that they are of.
    """

    @writes
    @requires(*ROLES)
    def give(
        self,
        db: Connection,
        conversation: ConversationId,
        message: MessageId | None,
        *,
        is_good: bool,
        reason: Reason = "",
        text: str = "",
    ) -> Feedback:
        """Keep what a person says of an answer of theirs, in the place of what they said before.

        Without a `message` it is of the last answer. Raises UserError where there is none.
        """
        number = own_number(db, conversation)
        row = db.execute(
            """SELECT max(id) FROM messages WHERE conversation = ?1 AND role = 'assistant'
                AND (id = ?2 OR (?2 IS NULL AND is_superseded = 0))""",
            (number, message),
        ).fetchone()
        if row[0] is None:
            raise UserError(_("There is no such answer in this conversation."))
        said = " ".join(sanitize(text).split())[:LONGEST_WORDS]
        rating = 1 if is_good else -1
        db.execute("UPDATE messages SET rating = ? WHERE id = ?", (rating, row[0]))
        (id_,) = db.execute(
            """INSERT INTO feedback (conversation, message, rating, reason, text, created)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (message) DO UPDATE
                SET rating = excluded.rating, reason = excluded.reason, text = excluded.text,
                    created = excluded.created, resolved = NULL, note = '' RETURNING id""",
            (number, row[0], rating, reason, said, now_us()),
        ).fetchone()
        return _find(db, id_)

    @writes
    @requires(*ROLES)
    def take_back(self, db: Connection, message: MessageId) -> None:
        """Forget what a person has said of an answer of theirs."""
        db.execute(
            """UPDATE messages SET rating = 0
                WHERE id = ? AND conversation IN (SELECT number FROM mine)""",
            (message,),
        )
        db.execute(
            """DELETE FROM feedback
                WHERE message = ? AND conversation IN (SELECT number FROM mine)""",
            (message,),
        )

    @reads
    @requires(*ROLES)
    def listed(
        self, db: Connection, *, is_open: bool | None = None, limit: int = 500
    ) -> list[Feedback]:
        """List feedback, the latest first: for who reviews of all their agents, else one's own."""
        wanted = "" if is_open is None else f" AND {'' if is_open else 'NOT '}({_OPEN_FEEDBACK})"
        rows = db.execute(
            f"{_SELECT_FEEDBACK}{wanted} ORDER BY f.created DESC, f.id DESC"
        ).fetchall()
        own = {id_ for (id_,) in db.execute("SELECT id FROM mine")}
        found = [_feedback(row) for row in rows]
        return [each for each in found if self._may_review(each.agent) or each.conversation in own][
            :limit
        ]

    @reads
    @requires(*ROLES)
    def open_count(self, db: Connection) -> int:
        """Count what waits for whoever is here to review; 0 for somebody who does not."""
        rows = db.execute(f"{_SELECT_FEEDBACK} AND {_OPEN_FEEDBACK}").fetchall()
        return sum(self._may_review(_feedback(row).agent) for row in rows)

    @reads
    @requires(*REVIEWERS)
    def reviewed(self, db: Connection, id_: int) -> Reviewed:
        """Return feedback with its question and its answer, hidden by a later one or not."""
        found = self._reviewable(db, id_)
        answer = message_of(db, found.message)
        (asked,) = db.execute(
            """SELECT max(q.id) FROM messages a JOIN messages q
                ON q.conversation = a.conversation AND q.role = 'user' AND q.id < a.id
                WHERE a.id = ?""",
            (found.message,),
        ).fetchone()
        return Reviewed(found, None if asked is None else message_of(db, asked), answer)

    @writes
    @requires(*REVIEWERS)
    def resolve(self, db: Connection, id_: int, *, note: str = "") -> Feedback:
        """Note that something was done about a poor answer. Raises UserError for no such one."""
        self._reviewable(db, id_)
        db.execute(
            "UPDATE feedback SET resolved = ?, note = ? WHERE id = ?",
            (now_us(), " ".join(sanitize(note).split())[:LONGEST_WORDS], id_),
        )
        return _find(db, id_)

    def _may_review(self, agent: str) -> bool:
        person = self.database.person
        return person is None or (person.role in REVIEWERS and person.may_use(agent))

    def _reviewable(self, db: Connection, id_: int) -> Feedback:
        found = _find(db, id_)
        if not self._may_review(found.agent):
            raise _unknown(id_)
        return found


def _find(db: Connection, id_: int) -> Feedback:
    row = db.execute(f"{_SELECT_FEEDBACK} AND f.id = ?", (id_,)).fetchone()
    if row is None:
        raise _unknown(id_)
    return _feedback(row)


def _unknown(id_: int) -> UserError:
    return UserError(_("There is no feedback {number}.").format(number=id_))


_Row = tuple[int, ConversationId, MessageId, str, int, Reason, str, int, int | None, str]


def _feedback(row: _Row) -> Feedback:
    id_, conversation, message, agent, rating, reason, text, created, resolved, note = row
    return Feedback(
        id_,
        conversation,
        message,
        agent,
        rating > 0,
        reason,
        text,
        from_us(created),
        None if resolved is None else from_us(resolved),
        note,
    )


def message_of(db: Connection, id_: MessageId) -> Message:
    """Read one message as far as it can be read, whosever it is: also one that is hidden."""
    role, created, engine, end, rating = db.execute(
        'SELECT role, created, engine, "end", rating FROM messages WHERE id = ?', (id_,)
    ).fetchone()
    read = (read_block(form, data) for _at, _kind, form, data in block_rows(db, id_))
    blocks = tuple(block for block in read if block is not None)
    return Message(id_, role, blocks, from_us(created), engine=engine, end=end, rating=rating)


class SignalRepository(Repository):
    """Counts by agent, day and kind; nothing in them leads to anybody."""

    @writes
    @requires(*ROLES)
    def count(
        self, db: Connection, agent: str, kind: SignalKind, *, times: int = 1, workflow: str = ""
    ) -> None:
        """Count that somebody has done this with an answer of an agent; old counts go."""
        today = datetime.now(UTC).date()
        db.execute(
            """INSERT INTO signals (day, agent, workflow, kind, count) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + excluded.count""",
            (today.isoformat(), agent, workflow, kind, times),
        )
        oldest = today - timedelta(days=SIGNAL_DAYS)
        db.execute("DELETE FROM signals WHERE day < ?", (oldest.isoformat(),))

    @reads
    @requires(*REVIEWERS)
    def totals(self, db: Connection, by: By | None = None) -> list[JsonObject]:
        """Add the counts up, one object for each agent, day or workflow; one for all without."""
        key = "''" if by is None else by
        where = "WHERE workflow <> ''" if by == "workflow" else ""
        rows = db.execute(
            f"SELECT {key}, kind, sum(count) FROM signals {where} GROUP BY 1, 2 ORDER BY 1"  # noqa: S608
        ).fetchall()
        found: dict[str, dict[str, int]] = {} if by else {"": {}}
        for name, kind, count in rows:
            found.setdefault(name, {})[kind] = count
        return [{**({by: name} if by else {}), **_totals(each)} for name, each in found.items()]


def _totals(counts: dict[str, int]) -> JsonObject:
    told: JsonObject = {}
    for name, kinds in _TOLD_SIGNALS.items():
        told[name] = sum(counts.get(kind, 0) for kind in kinds)
        if name == "clicked":
            shown = counts.get("shown", 0)
            clicked = sum(counts.get(kind, 0) for kind in kinds)
            told["ctr"] = round(min(1.0, clicked / shown), 4) if shown else None
    return told
