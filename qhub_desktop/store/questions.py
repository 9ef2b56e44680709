"""Questions that an answer asked the person, kept from before they are shown.

An answer waits for its question in one program. Another that is given the answer hands it on, and
whichever was first counts.
"""

from contextlib import suppress
from sqlite3 import Connection

from qhub_desktop.core import codec
from qhub_desktop.core.asking import PersonAnswer, QuestionState, Reply, StoredQuestion, state_of
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Clarification
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import own_number
from qhub_desktop.store.database import (
    Database,
    OpenMark,
    Repository,
    now_us,
    packed,
    read_json,
    reads,
    writes,
)
from qhub_desktop.store.rights import requires

_STORED_QUESTIONS = """SELECT q.id, c.id, q.message, q.state, q.data
    FROM questions q JOIN mine c ON c.number = q.conversation
    JOIN messages m ON m.id = q.message"""
_ANSWERABLE = "q.state IN ('open', 'expired')"
# Of a conversation that is there, and of an answer that was not asked for again since.
_REACHABLE = "c.is_deleted = 0 AND m.is_superseded = 0"


class QuestionRepository(Repository):
    """Questions of the person's own conversations."""

    def __init__(self, database: Database, mark: OpenMark) -> None:
        super().__init__(database)
        self._mark = mark

    @writes
    def add(
        self,
        db: Connection,
        conversation: ConversationId,
        message: MessageId,
        question: Clarification,
        *,
        most: int,
    ) -> int | None:
        """Keep a question of an answer, open; None where that has asked `most` already."""
        form, data = packed(question)
        holder = ""
        with suppress(OSError):  # on a full disk nothing is handed on
            holder = self._mark.hold()
        row = db.execute(
            """INSERT INTO questions
                (conversation, message, call_id, state, created, form, data, holder)
                SELECT :conversation, :message, :call, 'open', :now, :form, :data, :holder
                WHERE (SELECT count(*) FROM questions WHERE message = :message) < :most
                RETURNING id""",
            {
                "conversation": own_number(db, conversation),
                "message": message,
                "call": question.call_id,
                "now": now_us(),
                "form": form,
                "data": data,
                "holder": holder,
                "most": most,
            },
        ).fetchone()
        return None if row is None else int(row[0])

    @writes
    def settle(self, db: Connection, id_: int, reply: Reply) -> Reply | None:
        """Note what came of a question that was waited for; return it, or what another program has
        handed on before. None where that has sent its answer as the next message.
        """
        row = db.execute(
            "SELECT answer FROM questions WHERE id = ? AND state = 'open'", (id_,)
        ).fetchone()
        if row is None:
            return None
        first = reply if row[0] is None else codec.unpack(PersonAnswer, read_json(row[0]))
        _close(db, id_, state_of(first))
        return first

    @writes
    def give_up(self, db: Connection, id_: int) -> None:
        """Note that nobody waits any more: the question can still be answered."""
        _close(db, id_, "expired")

    @reads
    def is_handed(self, db: Connection, id_: int) -> bool:
        """Whether another program has answered an open question, or has closed it."""
        found = db.execute(
            "SELECT 1 FROM questions WHERE id = ? AND state = 'open' AND answer IS NULL", (id_,)
        )
        return found.fetchone() is None

    @writes
    @requires(*ROLES)
    def answer(self, db: Connection, id_: int, answer: PersonAnswer) -> bool:
        """Answer a question, once; return whether a program that waits for it goes on with that.

        Where none does, the answer is to be sent as the next message. Raises UserError if no answer
        is wanted any more.
        """
        found = _find(db, id_)
        holder, earlier = db.execute(
            "SELECT holder, answer FROM questions WHERE id = ?", (id_,)
        ).fetchone()
        is_awaited = found.state == "open" and bool(holder) and bool(self._mark.living([holder]))
        if not found.can_be_answered or (is_awaited and earlier is not None):
            raise UserError(_("Question {id} needs no answer any more.").format(id=id_))
        if is_awaited:
            _form, data = packed(answer)
            db.execute("UPDATE questions SET answer = ? WHERE id = ?", (data, id_))
        else:
            db.execute("UPDATE questions SET state = 'answered' WHERE id = ?", (id_,))
        return is_awaited

    @reads
    def find(self, db: Connection, id_: int) -> StoredQuestion:
        """Find one by its id. Raises UserError if there is none."""
        return _find(db, id_)

    @reads
    def listed(self, db: Connection) -> list[StoredQuestion]:
        """List those that can still be answered, the latest first."""
        rows = db.execute(
            f"{_STORED_QUESTIONS} WHERE {_ANSWERABLE} AND {_REACHABLE} ORDER BY q.id DESC"
        )
        return [_question(row) for row in rows]

    @reads
    def of(self, db: Connection, conversation: ConversationId) -> list[StoredQuestion]:
        """List all of a conversation, in order."""
        rows = db.execute(f"{_STORED_QUESTIONS} WHERE c.id = ? ORDER BY q.id", (conversation,))
        return [_question(row) for row in rows]


def _close(db: Connection, id_: int, state: QuestionState) -> None:
    db.execute(
        """UPDATE questions SET state = ?, holder = '', answer = NULL
            WHERE id = ? AND state = 'open'""",
        (state, id_),
    )


def _find(db: Connection, id_: int) -> StoredQuestion:
    row = db.execute(f"{_STORED_QUESTIONS} WHERE q.id = ? AND {_REACHABLE}", (id_,)).fetchone()
    if row is None:
        raise UserError(_("There is no question {id}. See: qhub questions").format(id=id_))
    return _question(row)


def _question(row: tuple[int, ConversationId, MessageId, QuestionState, str]) -> StoredQuestion:
    id_, conversation, message, state, data = row
    try:
        question = codec.unpack(Clarification, read_json(data))
    except ValueError:  # the others can still be answered
        question = Clarification(_("This question cannot be read."), ())
    return StoredQuestion(id_, conversation, message, state, question)
