"""Context sources: each says what a model is told besides a question, under one section."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from qhub_desktop.core.context import SECTIONS, Context, SectionName, make_context
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import DAMAGED, LOST, Message, Notice
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tone import BRIEF, tone_of
from qhub_desktop.core.values import dataclass

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ContextAsked:
    """What a source knows of a question. `history` ends with it, as it is about to be sent."""

    conversation: ConversationId
    person: str  # the account; "" where nobody signs in
    history: Sequence[Message]
    settings: Settings
    agent: str = ""
    tools: Collection[str] = ()  # that it may use now

    @property
    def question(self) -> str:
        """The person's words."""
        return self.history[-1].text

    def told(self, name: SectionName) -> list[str]:
        """Return what the history has told under a section, oldest first: it is not said twice."""
        contexts = (
            block for each in self.history for block in each.blocks if isinstance(block, Context)
        )
        return [each.sections[name] for each in contexts if name in each.sections]


class ContextSource(Protocol):
    """Somewhere a section of the context comes from. With its ability off it says nothing, and
    looks nothing up.
    """

    @property
    def section(self) -> SectionName:
        """The section that it fills."""
        ...

    async def text(self, asked: ContextAsked) -> str:
        """Return what is to be told of this question; "" for nothing."""
        ...


class ToneSource:
    """Tells a model to be brief where a question shows frustration or hurry."""

    section: SectionName = "tom"

    async def text(self, asked: ContextAsked) -> str:
        """Return the one line that a tone changes; "" for no tone, and with the ability off."""
        return BRIEF if asked.settings.tone and tone_of(asked.question) != "none" else ""


async def context_of(asked: ContextAsked, sources: Sequence[ContextSource]) -> Context | None:
    """Return what the sources say of a question. One that fails says nothing, and the log why."""
    said: dict[SectionName, list[str]] = {name: [] for name in SECTIONS}
    for source in sources:
        try:
            text = await source.text(asked)
        except QHubError as error:
            LOG.warning("no context under %s: %s", source.section, error)
            continue
        if text:
            said[source.section].append(text)
    return make_context({name: "\n".join(texts) for name, texts in said.items()})


def with_context(question: Message, context: Context) -> Message:
    """Return a question that carries its context."""
    return replace(question, blocks=(*question.blocks, context))


class DamageCounter(Protocol):
    """Store that knows which messages are damaged."""

    async def count_damage(self, conversation: ConversationId) -> tuple[int, int]:
        """Count the last messages that are missing, and those damaged otherwise."""
        ...


class DamageSource:
    """Tells a model what it cannot rely on in the history that it is sent."""

    section: SectionName = "avisos"

    def __init__(self, counter: DamageCounter) -> None:
        self._counter = counter

    async def text(self, asked: ContextAsked) -> str:
        """Return how many messages are missing or damaged; "" for none, and where it was said."""
        lost = [notice.kind for notice in _notices(asked.history)].count(LOST)
        missing, damaged = await self._counter.count_damage(asked.conversation)
        lines = []
        if missing + lost:
            verb, noun = ("falta", "mensagem") if missing + lost == 1 else ("faltam", "mensagens")
            told = "dizia" if missing + lost == 1 else "diziam"
            lines.append(f"{verb} {missing + lost} {noun}; não presumas o que {told}")
        if damaged:
            noun = "mensagem danificada" if damaged == 1 else "mensagens danificadas"
            lines.append(f"{damaged} {noun}; não te fies no que resta")
        said = asked.told("avisos")
        return "\n".join(line for line in lines if not any(line in each for each in said))


def damage_status(history: Iterable[Message]) -> StatusChanged | None:
    """Return the event that tells the person of damage in a history, if there is any."""
    if not any(notice.kind == DAMAGED for notice in _notices(history)):
        return None
    return StatusChanged("damaged", _("Messages of this conversation are damaged or missing."))


def _notices(history: Iterable[Message]) -> Sequence[Notice]:
    return [block for each in history for block in each.blocks if isinstance(block, Notice)]
