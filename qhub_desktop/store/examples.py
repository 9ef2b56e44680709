"""Examples that teach: proposed by anybody from an answer, told once a reviewer approves."""

import json
from sqlite3 import Connection

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json
from qhub_desktop.core.context import Context
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.examples import Example, ExampleDraft, ExampleState, calls_from
from qhub_desktop.core.feedback import AnswerCase
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.person import REVIEWERS, ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.conversations import own_number
from qhub_desktop.store.database import Repository, from_us, now_us, read_json, reads, writes
from qhub_desktop.store.digests import is_as_recorded, record_digest
from qhub_desktop.store.feedback import message_of
from qhub_desktop.store.rights import requires

MOST_EXAMPLES = 500  # of an agent that are looked through
_SELECT_EXAMPLES = """SELECT id, agent, version, state, question, plan, calls, answer, note, created
    FROM examples"""


class ExampleRepository(Repository):
    """Examples of the station, by agent."""

    @reads
    @requires(*ROLES)
    def case(
        self, db: Connection, conversation: ConversationId, message: MessageId | None
    ) -> AnswerCase:
        """Return an answer to learn from: the person's own, or one that they review.

        Without a `message`, the last one. Raises UserError where there is none.
        """
        row = db.execute(
            """SELECT m.id, m.conversation, c.agent FROM messages m
                JOIN conversations c ON c.number = m.conversation
                JOIN feedback f ON f.message = m.id
                WHERE c.id = ? AND m.id = ? AND c.is_deleted = 0""",
            (sanitize(conversation), message),
        ).fetchone()
        if row is None or not self._may_review(row[2]):
            number = own_number(db, conversation)
            row = db.execute(
                """SELECT max(m.id), m.conversation, c.agent FROM messages m
                    JOIN conversations c ON c.number = m.conversation
                    WHERE m.conversation = ?1 AND m.role = 'assistant'
                        AND (m.id = ?2 OR (?2 IS NULL AND m.is_superseded = 0))""",
                (number, message),
            ).fetchone()
        asked = db.execute(
            """SELECT max(id) FROM messages
                WHERE conversation = ? AND role = 'user' AND id < ?""",
            (row[1], row[0]),
        ).fetchone()
        if asked[0] is None:
            raise UserError(_("There is no such answer in this conversation."))
        return AnswerCase(row[2], message_of(db, asked[0]), message_of(db, row[0]))

    @writes
    @requires(*ROLES)
    def add(self, db: Connection, agent: str, draft: ExampleDraft, *, plan: str) -> Example:
        """Propose an example; the same once more is the one that is there."""
        calls: list[Json] = [{"name": each.name, "input": each.input} for each in draft.calls]
        said = (sanitize(draft.question), json.dumps(calls), sanitize(draft.answer))
        row = db.execute(
            """SELECT id FROM examples WHERE agent = ? AND question = ? AND calls = ?
                AND answer = ? AND note = ? AND state <> 'retired'""",
            (agent, *said, sanitize(draft.note)),
        ).fetchone()
        if row is not None:
            return _find(db, row[0])
        (version,) = db.execute(
            "SELECT coalesce(max(number), 0) FROM agent_versions WHERE agent = ?", (agent,)
        ).fetchone()
        id_ = db.execute(
            """INSERT INTO examples
                (agent, version, state, question, plan, calls, answer, note, created)
                VALUES (?, ?, 'proposed', ?, ?, ?, ?, ?, ?)""",
            (agent, version, said[0], plan, said[1], said[2], sanitize(draft.note), now_us()),
        ).lastrowid
        assert id_ is not None
        return _find(db, id_)

    @reads
    @requires(*ROLES)
    def listed(
        self, db: Connection, *, agent: str | None = None, state: ExampleState | None = None
    ) -> list[Example]:
        """List examples of the agents of whoever asks, those that wait first, then the newest."""
        rows = db.execute(
            f"""{_SELECT_EXAMPLES} WHERE (?1 IS NULL OR agent = ?1) AND (?2 IS NULL OR state = ?2)
                ORDER BY state <> 'proposed', state <> 'active', id DESC LIMIT ?3""",
            (agent, state, MOST_EXAMPLES),
        ).fetchall()
        person = self.database.person
        return [_example(row) for row in rows if person is None or person.may_use(row[1])]

    @reads
    @requires(*REVIEWERS)
    def proposed_count(self, db: Connection) -> int:
        """Count the examples that wait to be approved."""
        rows = db.execute("SELECT agent FROM examples WHERE state = 'proposed'").fetchall()
        return sum(self._may_review(agent) for (agent,) in rows)

    @writes
    @requires(*REVIEWERS)
    def approve(self, db: Connection, id_: int) -> Example:
        """Let a model be told an example, from the next question on."""
        return self._set_state(db, id_, "active")

    @writes
    @requires(*REVIEWERS)
    def retire(self, db: Connection, id_: int) -> Example:
        """Tell nobody an example any more: it is taken out of what was told before, too."""
        retired = self._set_state(db, id_, "retired")
        _forget_told(db, retired.text)
        return retired

    def _set_state(self, db: Connection, id_: int, state: ExampleState) -> Example:
        if not self._may_review(_find(db, id_).agent):
            raise _unknown_example(id_)
        db.execute("UPDATE examples SET state = ? WHERE id = ?", (state, id_))
        return _find(db, id_)

    def _may_review(self, agent: str) -> bool:
        person = self.database.person
        return person is None or (person.role in REVIEWERS and person.may_use(agent))


def _find(db: Connection, id_: int) -> Example:
    row = db.execute(f"{_SELECT_EXAMPLES} WHERE id = ?", (id_,)).fetchone()
    if row is None:
        raise _unknown_example(id_)
    return _example(row)


def _unknown_example(id_: int) -> UserError:
    return UserError(_("There is no example {number}.").format(number=id_))


_Row = tuple[int, str, int, ExampleState, str, str, str, str, str, int]


def _example(row: _Row) -> Example:
    id_, agent, version, state, question, plan, calls, answer, note, created = row
    return Example(
        id_,
        agent,
        version,
        state,
        question,
        plan,
        calls_from(read_json(calls)),
        answer,
        note,
        from_us(created),
    )


def _forget_told(db: Connection, text: str) -> None:
    """Take an example out of the contexts of all questions that it was told with."""
    rows = db.execute(
        "SELECT message, position, data FROM blocks WHERE kind = ? AND data LIKE '%\"exemplos\"%'",
        (codec.TAGS[Context],),
    ).fetchall()
    for message, position, data in rows:
        try:
            value = read_json(data)
        except ValueError:
            continue
        if not isinstance(value, dict):
            continue
        sections = value.get("sections")
        if not isinstance(sections, dict) or not isinstance(told := sections.get("exemplos"), str):
            continue
        left = "\n".join(each for each in told.split(text) if each.strip()).strip()
        if left == told.strip():
            continue
        kept = {name: each for name, each in sections.items() if name != "exemplos"}
        kept |= {"exemplos": left} if left else {}
        was_sound = is_as_recorded(db, message)
        if kept:
            clean = json.dumps({**value, "sections": kept}, separators=(",", ":"))
            db.execute(
                "UPDATE blocks SET data = ? WHERE message = ? AND position = ?",
                (clean, message, position),
            )
        else:
            db.execute("DELETE FROM blocks WHERE message = ? AND position = ?", (message, position))
        if was_sound:
            record_digest(db, message)
