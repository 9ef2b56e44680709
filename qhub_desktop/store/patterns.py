"""Patterns of a person: counted from their own conversations, kept as a note that they see."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from sqlite3 import Connection

from qhub_desktop.core.memory import LEARNED
from qhub_desktop.core.message import ChosenPlan, Interpretation, Message
from qhub_desktop.core.patterns import LOOKED_AT, Pattern, PlannedQuestion, patterns_in
from qhub_desktop.core.person import ROLES
from qhub_desktop.store.database import Repository, as_us, reads, writes
from qhub_desktop.store.memories import MemoryRepository
from qhub_desktop.store.messages import latest_in
from qhub_desktop.store.rights import requires
from qhub_desktop.store.settings import put_state, read_state

NOTE = f"{LEARNED}padroes"
REST = timedelta(minutes=30)  # without a word, before a conversation is looked at
LEAST_QUESTIONS = 2
MESSAGES = 60  # of a conversation: the latest


class PatternRepository(Repository):
    """What one person asks again and again; it is theirs alone."""

    async def refresh(self, memories: MemoryRepository, *, every: int | None) -> list[Pattern]:
        """Count again, keep what was found as a note, and return it.

        With `every`, only once so many conversations have come to rest since; else nothing is
        changed. What stood in a note that the person has deleted does not return.
        """
        if every is not None and not await self._is_due(every):
            return await self.listed()
        kept = next((note for note in await memories.listed() if note.path == NOTE), None)
        if kept is None:
            await self._refuse_written()
        found = await self.listed()
        text = "\n".join(each.line for each in found)
        if text and (kept is None or kept.text != text):
            await memories.edit(NOTE, lambda _before: text, origin="learned")
        elif kept is not None and not text:
            await memories.delete(NOTE)
        await self._note_look([each.key for each in found])
        return found

    @reads
    @requires(*ROLES)
    def listed(self, db: Connection) -> list[Pattern]:
        """Count what the latest conversations have in common, but for what the person refused."""
        return patterns_in([*self._conversations(db)], self._keys(db, "refused"))

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

    @reads
    @requires(*ROLES)
    def _is_due(self, db: Connection, every: int) -> bool:
        looked = read_state(db, self._state("looked"))
        since = looked if isinstance(looked, int) else 0
        return len(_rested(db, since=since)) >= every

    @writes
    @requires(*ROLES)
    def _note_look(self, db: Connection, written: Sequence[str]) -> None:
        put_state(db, self._state("written"), [*written])
        put_state(db, self._state("looked"), as_us(datetime.now(UTC) - REST))

    def _conversations(self, db: Connection) -> Iterator[list[PlannedQuestion]]:
        for id_ in _rested(db, since=0)[:LOOKED_AT]:
            yield [*_planned(latest_in(db, id_, before=None, limit=MESSAGES))]

    def _keys(self, db: Connection, name: str) -> list[str]:
        kept = read_state(db, self._state(name))
        return [str(each) for each in kept] if isinstance(kept, list) else []

    def _state(self, name: str) -> str:
        return f"patterns/{self.database.owner}/{name}"


def _rested(db: Connection, *, since: int) -> list[str]:
    """Return the person's own conversations that rest, and have two questions, the latest first."""
    rows = db.execute(
        """SELECT c.id FROM mine c WHERE c.is_deleted = 0 AND c.updated <= ? AND c.updated > ?
            AND (SELECT count(*) FROM messages m WHERE m.conversation = c.number
                AND m.role = 'user' AND m.is_superseded = 0) >= ?
            ORDER BY c.updated DESC, c.number DESC""",
        (as_us(datetime.now(UTC) - REST), since, LEAST_QUESTIONS),
    )
    return [id_ for (id_,) in rows]


def _planned(messages: list[Message]) -> Iterator[PlannedQuestion]:
    """Yield the questions that were computed by a plan, with what the person changed of one."""
    before: Interpretation | None = None
    question: Message | None = None
    for message in messages:
        if message.role == "user":
            question = message
            continue
        understood = next((b for b in message.blocks if isinstance(b, Interpretation)), None)
        if understood is not None and question is not None:
            chosen = next((b.plan for b in question.blocks if isinstance(b, ChosenPlan)), None)
            changed = None if chosen is None or before is None else _changed_to(before, chosen)
            yield PlannedQuestion(
                question.text, question.created.astimezone(), understood.plan, changed
            )
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
