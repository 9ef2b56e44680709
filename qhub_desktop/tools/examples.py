"""Examples that teach: made of answers, chosen for each question, and told to a model."""

from __future__ import annotations  # the public class comes first

import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from qhub_desktop.core.context import SectionName
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.examples import Example, drafted
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Interpretation
from qhub_desktop.core.text import fold

if TYPE_CHECKING:
    from qhub_desktop.chat.context import ContextAsked
    from qhub_desktop.core.feedback import AnswerCase
    from qhub_desktop.store.examples import ExampleRepository
    from qhub_desktop.tools.readings import ReadingService

MOST_TOLD = 2
# In one conversation, for all that is sent is paid for again with each round: 700 tokens.
TOLD_CHARACTERS = 2_000
MOST_OFFERED = 3  # where a question is declined


class ExampleService:
    """Makes examples of answers, and chooses those that a question is nearest to."""

    section: SectionName = "exemplos"

    def __init__(self, store: ExampleRepository, readings: Callable[[], ReadingService]) -> None:
        self._store = store
        self._readings = readings

    async def add(
        self,
        conversation: ConversationId,
        message: MessageId | None = None,
        *,
        words: str = "",
        note: str = "",
    ) -> Example:
        """Propose an answer as an example, with other words where it was corrected."""
        case = await self._store.case(conversation, message)
        return await self.propose(case, words=words, note=note)

    async def propose(self, case: AnswerCase, *, words: str = "", note: str = "") -> Example:
        """Propose an answer that somebody else has chosen."""
        draft = drafted(case.question.text, case.answer, words=words, note=note)
        understood = [each for each in case.answer.blocks if isinstance(each, Interpretation)]
        kind = str(understood[-1].plan.get("type", "")) if understood else ""
        if not kind:
            kind = await self._readings().kind_alone(case.agent, case.question.text)
        return await self._store.add(case.agent, draft, plan=kind)

    async def match(self, question: str, *, agent: str) -> list[Example]:
        """Return what a model would be told with a question that begins a conversation."""
        examples = await self._store.listed(agent=agent, state="active")
        kind = await self._readings().kind_alone(agent, question) if examples else ""
        return nearest(question, kind, examples)[:MOST_TOLD]

    async def text(self, asked: ContextAsked) -> str:
        """Return the examples to tell with a question; "" for none, and with the ability off."""
        if not asked.settings.examples:
            return ""
        examples = [
            each
            for each in await self._store.listed(agent=asked.agent, state="active")
            if all(call.name in asked.tools for call in each.calls)
        ]
        if not examples:
            return ""
        kind = await self._readings().kind(asked.conversation, asked.question)
        told = "\n".join(asked.told("exemplos"))
        room = TOLD_CHARACTERS - len(told)
        chosen = []
        for each in nearest(asked.question, kind, examples)[:MOST_TOLD]:
            if each.text not in told and len(each.text) < room:
                chosen.append(each.text)
                room -= len(each.text) + 1
        return "\n".join(chosen)

    async def offered(self, agent: str, question: str, tools: Collection[str]) -> tuple[str, ...]:
        """Return questions of approved examples that are like one that is declined."""
        try:
            examples = await self._store.listed(agent=agent, state="active")
        except UserError:  # another program is busy
            return ()
        if not examples:
            return ()
        usable = [each for each in examples if all(call.name in tools for call in each.calls)]
        found = nearest(question, "", usable)
        return tuple(dict.fromkeys(each.question for each in found))[:MOST_OFFERED]


def nearest(question: str, kind: str, examples: Sequence[Example]) -> list[Example]:
    """Order examples by a question: first those of its kind of plan, then by their words (BM25).

    Small words count: 'por', 'sem' and 'mais' tell what is asked. Left out is what has neither.
    """
    # Not before an example is there: few stations have any, and the start need not wait.
    from qhub_desktop.knowledge.ranking import WordIndex

    scores = WordIndex([_words(each.question) for each in examples]).scores(_words(question))
    of_kind = [bool(kind) and each.plan == kind for each in examples]
    order = sorted(
        (at for at in range(len(examples)) if of_kind[at] or scores.get(at, 0.0) > 0),
        key=lambda at: (not of_kind[at], -scores.get(at, 0.0), -examples[at].id),
    )
    return [examples[at] for at in order]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))
