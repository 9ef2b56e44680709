"""Patterns of a person: counted over their own conversations, kept as a note that they see."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from sqlite3 import Connection

from qhub_desktop.core.codec import Json
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.memory import LEARNED
from qhub_desktop.core.message import ChosenPlan, Interpretation, Message
from qhub_desktop.core.patterns import (
    LOOKED_AT,
    AskedQuestion,
    Pattern,
    Subject,
    patterns_in,
    valid_subject,
    wanted_questions,
)
from qhub_desktop.core.person import ROLES
from qhub_desktop.store.conversations import insert_hidden, own_number
from qhub_desktop.store.database import Repository, as_us, reads, writes
from qhub_desktop.store.memories import MemoryRepository
from qhub_desktop.store.messages import insert, latest_in
from qhub_desktop.store.rights import requires
from qhub_desktop.store.settings import put_state, read_state

NOTE = f"{LEARNED}padroes"
REST = timedelta(minutes=30)  # without a word, before a conversation is looked at
LEAST_QUESTIONS = 2
MOST_KEPT = 6  # questions offered where a conversation begins
MESSAGES = 60  # of a conversation: the latest


class PatternRepository(Repository):
    """What one person asks again and again; it is theirs alone."""

    async def refresh(
        self, memories: MemoryRepository, *, rest: timedelta | None = None
    ) -> list[Pattern]:
        """Count again, keep what was found as a note, and return it.

        `rest` is how long a conversation must have rested to be looked at: without it half an hour.
        What stood in a note that the person has deleted does not return.
        """
        kept = next((note for note in await memories.listed() if note.path == NOTE), None)
        if kept is None:
            await self._refuse_written()
        found = await self.listed(rest=rest)
        text = "\n".join(each.line for each in found)
        if text and (kept is None or kept.text != text):
            await memories.edit(NOTE, lambda _before: text, origin="learned")
        elif kept is not None and not text:
            await memories.delete(NOTE)
        await self._note_look([each.key for each in found])
        return found

    @reads
    @requires(*ROLES)
    def listed(self, db: Connection, *, rest: timedelta | None = None) -> list[Pattern]:
        """Count what the latest conversations have in common, but for what the person refused."""
        asked = [[*each] for _agent, each in self._conversations(db, rest=rest)]
        return patterns_in(asked, self._keys(db, "refused"), subjects=self._subjects(db))

    @reads
    @requires(*ROLES)
    def asked(
        self, db: Connection, *, rest: timedelta | None = None
    ) -> list[tuple[str, list[str]]]:
        """Read the questions of the latest conversations, with the agent of each, but for what the
        person refused.
        """
        found = [*self._conversations(db, rest=rest)]
        wanted = wanted_questions([asked for _agent, asked in found], self._keys(db, "refused"))
        return [
            (agent, [each.text for each in asked])
            for (agent, _all), asked in zip(found, wanted, strict=True)
        ]

    @writes
    @requires(*ROLES)
    def begin_reading(self, db: Connection, agent: str) -> MessageId:
        """Begin the answer of a model that reads the questions; return its number.

        It stands in a conversation that is in no list, so that it is counted, kept and deleted as
        the person's own.
        """
        number = own_number(db, insert_hidden(db, agent, self.database.owner))
        return insert(db, number, "assistant", (), engine="").id

    @writes
    @requires(*ROLES)
    def keep_subjects(self, db: Connection, subjects: Sequence[Subject]) -> None:
        """Count these subjects from now on, in the place of those before."""
        named: list[Json] = [[each.name, *each.words] for each in subjects]
        put_state(db, self._state("subjects"), named)

    @writes
    @requires(*ROLES)
    def keep(self, db: Connection, question: str) -> None:
        """Offer a question where a conversation begins, until the person lets go of it."""
        others = [each for each in self._keys(db, "kept") if each != question]
        kept: list[Json] = [question, *others[: MOST_KEPT - 1]]
        put_state(db, self._state("kept"), kept)

    @writes
    @requires(*ROLES)
    def forget(self, db: Connection, question: str) -> None:
        """Offer a question no more."""
        kept = [each for each in self._keys(db, "kept") if each != question]
        put_state(db, self._state("kept"), [*kept])

    @reads
    @requires(*ROLES)
    def kept(self, db: Connection) -> list[str]:
        """Read the questions that the person has kept, the latest first."""
        return self._keys(db, "kept")

    @writes
    @requires(*ROLES)
    def refuse(self, db: Connection, key: str) -> None:
        """Never count a pattern again."""
        self._refuse(db, [key])

    @writes
    @requires(*ROLES)
    def _refuse_written(self, db: Connection) -> None:
        """Refuse what stood in the note, which the person has deleted."""
        self._refuse(db, self._keys(db, "written"))

    def _refuse(self, db: Connection, keys: Sequence[str]) -> None:
        refused = {*self._keys(db, "refused"), *keys}
        put_state(db, self._state("refused"), [*sorted(refused)])

    @writes
    @requires(*ROLES)
    def claim_look(self, db: Connection, every: int) -> bool:
        """Return whether to look now: once so many conversations have come to rest since the last
        look, whichever program asks.
        """
        looked = read_state(db, self._state("looked"))
        since = looked if isinstance(looked, int) else 0
        if len(_rested(db, since=since)) < every:
            return False
        self._note_time(db)
        return True

    @writes
    @requires(*ROLES)
    def _note_look(self, db: Connection, written: Sequence[str]) -> None:
        put_state(db, self._state("written"), [*written])
        self._note_time(db)

    def _note_time(self, db: Connection) -> None:
        put_state(db, self._state("looked"), as_us(datetime.now(UTC) - REST))

    def _conversations(
        self, db: Connection, *, rest: timedelta | None = None
    ) -> Iterator[tuple[str, list[AskedQuestion]]]:
        """Yield the latest conversations: the agent, and what it was asked."""
        for id_, agent in _rested(db, since=0, rest=rest)[:LOOKED_AT]:
            yield agent, [*_asked(latest_in(db, id_, before=None, limit=MESSAGES))]

    def _subjects(self, db: Connection) -> list[Subject]:
        kept = read_state(db, self._state("subjects"))
        named = kept if isinstance(kept, list) else []
        found = [
            valid_subject(*map(str, each)) for each in named if isinstance(each, list) and each
        ]
        return [each for each in found if each is not None]

    def _keys(self, db: Connection, name: str) -> list[str]:
        kept = read_state(db, self._state(name))
        return [str(each) for each in kept] if isinstance(kept, list) else []

    def _state(self, name: str) -> str:
        return f"patterns/{self.database.owner}/{name}"


def _rested(
    db: Connection, *, since: int, rest: timedelta | None = None
) -> list[tuple[ConversationId, str]]:
    """Return the person's own conversations that rest, and have two questions, with their agents,
    the latest first.
    """
    rows = db.execute(
        """SELECT c.id, c.agent FROM mine c
            WHERE c.is_deleted = 0 AND c.updated <= ? AND c.updated > ?
            AND (SELECT count(*) FROM messages m WHERE m.conversation = c.number
                AND m.role = 'user' AND m.is_superseded = 0) >= ?
            ORDER BY c.updated DESC, c.number DESC""",
        (as_us(datetime.now(UTC) - (REST if rest is None else rest)), since, LEAST_QUESTIONS),
    )
    return rows.fetchall()


def _asked(messages: list[Message]) -> Iterator[AskedQuestion]:
    """Yield the questions that were answered, with what the person changed of one."""
    before: Interpretation | None = None
    question: Message | None = None
    for message in messages:
        if message.role == "user":
            question = message
            continue
        understood = next((b for b in message.blocks if isinstance(b, Interpretation)), None)
        if question is not None:
            chosen = next((b.plan for b in question.blocks if isinstance(b, ChosenPlan)), None)
            changed = None if chosen is None or before is None else _changed_to(before, chosen)
            plan = None if understood is None else understood.plan
            if question.text:
                when = question.created.astimezone()
                is_first = question is messages[0] and len(messages) < MESSAGES
                yield AskedQuestion(question.text, when, plan, changed, is_first)
        before = understood


def _changed_to(before: Interpretation, chosen: object) -> tuple[str, str] | None:
    return next(
        (
            (chip.part, choice.label)
            for chip in before.chips
            for choice in chip.choices
            if choice.plan == chosen
        ),
        None,
    )
