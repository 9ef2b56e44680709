"""Judgements: the answers that are there to be judged, and what judges said of them."""

import json
from collections.abc import Collection, Sequence
from sqlite3 import Connection

from qhub_desktop.core.feedback import AnswerCase, AnswerVerdict
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import Message
from qhub_desktop.core.person import REVIEWERS
from qhub_desktop.store.database import Repository, now_us, reads, writes
from qhub_desktop.store.feedback import message_of
from qhub_desktop.store.rights import requires

_BEFORE = 6  # messages of a conversation that an answer may repeat
_ANSWERS = """SELECT m.id, m.conversation, c.agent, m.is_superseded FROM messages m
    JOIN conversations c ON c.number = m.conversation
    WHERE m.role = 'assistant' AND m."end" IS NOT NULL AND c.is_deleted = 0
    AND m.engine <> 'guard'
    AND EXISTS (SELECT 1 FROM blocks WHERE message = m.id)
    AND EXISTS (SELECT 1 FROM messages q WHERE q.conversation = m.conversation
        AND q.role = 'user' AND q.id < m.id)"""


class JudgementRepository(Repository):
    """Answers of everybody with the agents of whoever reviews, and what was judged of them.

    Who reads them is a judge: nothing of what was said is shown to anybody.
    """

    @reads
    @requires(*REVIEWERS)
    def answers(self, db: Connection, *, limit: int) -> list[AnswerCase]:
        """Return the latest answers that are not hidden, the newest first."""
        rows = db.execute(f"{_ANSWERS} AND m.is_superseded = 0 ORDER BY m.id DESC").fetchall()
        own = [row for row in rows if self._may_judge(row[2])]
        return [_case(db, *row[:3]) for row in own[:limit]]

    @reads
    @requires(*REVIEWERS)
    def unjudged(self, db: Connection, judge: str) -> list[tuple[MessageId, bool]]:
        """Return the answers that a judge has not judged, the newest first; of each whether there
        is something to go by: a thumb, or that it was stopped, or asked again.
        """
        rows = db.execute(
            f"""{_ANSWERS} AND NOT EXISTS (SELECT 1 FROM judgements j
                WHERE j.message = m.id AND j.judge = ?) ORDER BY m.id DESC""",  # noqa: S608
            (judge,),
        ).fetchall()
        told = {
            id_
            for (id_,) in db.execute(
                """SELECT id FROM messages WHERE rating <> 0 OR is_superseded = 1
                    OR "end" = 'cancelled'"""
            )
        }
        return [
            (id_, id_ in told)
            for id_, _number, agent, is_hidden in rows
            if self._may_judge(agent) and (not is_hidden or id_ in told)
        ]

    @reads
    @requires(*REVIEWERS)
    def cases(self, db: Connection, ids: Sequence[MessageId]) -> list[AnswerCase]:
        """Return these answers, as far as they are still there."""
        found = []
        for id_ in ids:
            row = db.execute(f"{_ANSWERS} AND m.id = ?", (id_,)).fetchone()
            if row is not None:
                found.append(_case(db, *row[:3]))
        return found

    @writes
    @requires(*REVIEWERS)
    def keep(self, db: Connection, judge: str, verdicts: Collection[AnswerVerdict]) -> None:
        """Keep what a judge said, of answers that are still there."""
        for each in verdicts:
            db.execute(
                """INSERT OR REPLACE INTO judgements (message, judge, at, is_good, why, votes)
                    SELECT id, ?, ?, ?, ?, ? FROM messages WHERE id = ?""",
                (judge, now_us(), each.is_good, each.why, json.dumps(each.votes), each.message),
            )

    @reads
    @requires(*REVIEWERS)
    def agreement(self, db: Connection, judge: str) -> tuple[int, int]:
        """Return with how many thumbs a judge agrees, and of how many."""
        agreed, count = db.execute(
            """SELECT coalesce(sum((m.rating > 0) = j.is_good), 0), count(*) FROM judgements j
                JOIN messages m ON m.id = j.message WHERE j.judge = ? AND m.rating <> 0""",
            (judge,),
        ).fetchone()
        return agreed, count

    def _may_judge(self, agent: str) -> bool:
        person = self.database.person
        return person is None or person.may_use(agent)


def _case(db: Connection, id_: MessageId, number: int, agent: str) -> AnswerCase:
    rows = db.execute(
        """SELECT id FROM messages WHERE conversation = ? AND id < ?
            AND (is_superseded = 0 OR id = (SELECT max(id) FROM messages
                WHERE conversation = ?1 AND role = 'user' AND id < ?2))
            ORDER BY id DESC LIMIT ?""",
        (number, id_, _BEFORE),
    ).fetchall()
    before: list[Message] = [message_of(db, each) for (each,) in reversed(rows)]
    asked = next(at for at in range(len(before) - 1, -1, -1) if before[at].role == "user")
    return AnswerCase(agent, before[asked], message_of(db, id_), tuple(before[:asked]))
