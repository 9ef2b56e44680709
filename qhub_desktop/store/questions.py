"""Questions that an answer asked the person, kept from before they are shown."""

from sqlite3 import Connection

from qhub_desktop.core import codec
from qhub_desktop.core.asking import QuestionState, StoredQuestion
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.message import Clarification
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import own_number
from qhub_desktop.store.database import Repository, now_us, packed, read_json, reads, writes
from qhub_desktop.store.rights import requires

_STORED_QUESTIONS = """SELECT q.id, c.id, q.message, q.state, q.data
    FROM questions q JOIN mine c ON c.number = q.conversation
    JOIN messages m ON m.id = q.message"""
_ANSWERABLE = "q.state IN ('open', 'expired')"
# Of a conversation that is there, and of an answer that was not asked for again since.
_REACHABLE = "c.is_deleted = 0 AND m.is_superseded = 0"


class QuestionRepository(Repository):
    """Questions of the person's own conversations."""

    @writes
    def add(
        self, db: Connection, conversation: str, message: int, question: Clarification, *, most: int
    ) -> int | None:
        """Keep a question of an answer, open; None where that has asked `most` already."""
        form, data = packed(question)
        row = db.execute(
            """INSERT INTO questions (conversation, message, call_id, state, created, form, data)
                SELECT :conversation, :message, :call, 'open', :now, :form, :data
                WHERE (SELECT count(*) FROM questions WHERE message = :message) < :most
                RETURNING id""",
            {
                "conversation": own_number(db, conversation),
                "message": message,
                "call": question.call_id,
                "now": now_us(),
                "form": form,
                "data": data,
                "most": most,
            },
        ).fetchone()
        return None if row is None else int(row[0])

    @writes
    def close(self, db: Connection, id_: int, state: QuestionState) -> None:
        """Note what became of a question, unless it was answered elsewhere meanwhile."""
        db.execute("UPDATE questions SET state = ? WHERE id = ? AND state = 'open'", (state, id_))

    @writes
    @requires(*ROLES)
    def answer(self, db: Connection, id_: int) -> StoredQuestion:
        """Mark a question as answered, once. Raises UserError if it cannot be any more."""
        found = _find(db, id_)
        if not found.can_be_answered:
            raise UserError(_("Question {id} needs no answer any more.").format(id=id_))
        db.execute("UPDATE questions SET state = 'answered' WHERE id = ?", (id_,))
        return found

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
    def of(self, db: Connection, conversation: str) -> list[StoredQuestion]:
        """List all of a conversation, in order."""
        rows = db.execute(f"{_STORED_QUESTIONS} WHERE c.id = ? ORDER BY q.id", (conversation,))
        return [_question(row) for row in rows]


def _find(db: Connection, id_: int) -> StoredQuestion:
    row = db.execute(f"{_STORED_QUESTIONS} WHERE q.id = ? AND {_REACHABLE}", (id_,)).fetchone()
    if row is None:
        raise UserError(_("There is no question {id}. See: qhub questions").format(id=id_))
    return _question(row)


def _question(row: tuple[int, str, int, QuestionState, str]) -> StoredQuestion:
    id_, conversation, message, state, data = row
    try:
        question = codec.unpack(Clarification, read_json(data))
    except ValueError:  # the others can still be answered
        question = Clarification(_("This question cannot be read."), ())
    return StoredQuestion(id_, conversation, message, state, question)
