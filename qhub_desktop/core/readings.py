"""Readings of a question: what it would answer, each with its plan and value, before asking."""

from typing import Literal, Protocol

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.values import dataclass

MOST_READINGS = 5
MOST_COMPLETIONS = 6
MOST_SPARKS = 60

MarkKind = Literal["column", "value", "period", "unused"]
PartKind = Literal["measure", "filter", "group", "period", "file", "form"]
CompletionKind = Literal["column", "value", "period", "phrase", "chart"]


@dataclass(frozen=True, slots=True)
class WordMark:
    """What some words of a question are taken for, by their places in it as typed."""

    start: int
    end: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class ReadingValue:
    """What a reading comes to, as printed: '272', '3,4 min', '12 grupos'.

    `groups` are the first three, name and value; `spark` is at most 60 numbers over time.
    """

    text: str
    groups: tuple[tuple[str, str], ...] = ()
    spark: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """One part of a reading in words; a strong one is a name of the data."""

    kind: PartKind
    text: str
    is_strong: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One plan that a question may mean, in words and parts."""

    title: str
    parts: tuple[ReadingPart, ...]
    plan: JsonObject
    dataset: str


@dataclass(frozen=True, slots=True)
class Readings:
    """All that a question may mean, the likeliest first, at most `MOST_READINGS`.

    It `is_sure` where the first would be answered at once. `ignored` are the words that no reading
    uses; `note` is what is said where there is no reading, empty while no data are asked for.
    """

    question: str
    readings: tuple[Reading, ...] = ()
    is_sure: bool = False
    marks: tuple[WordMark, ...] = ()
    ignored: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """Text that may stand in the place of what is typed from `start` to the cursor."""

    text: str
    start: int
    kind: CompletionKind
    hint: str = ""


class ReadingSource(Protocol):
    """Reads questions that are being typed; nothing of it is stored or costs anything.

    Cancelled, each stops its work at once.
    """

    async def read(self, conversation: ConversationId, question: str) -> Readings:
        """Return what a question would answer here."""
        ...

    async def value(self, conversation: ConversationId, plan: JsonObject) -> ReadingValue | None:
        """Return what a reading's plan comes to; None where it has no value to show."""
        ...

    async def complete(
        self, conversation: ConversationId, text: str, cursor: int
    ) -> tuple[Completion, ...]:
        """Return how the text may go on at the cursor, the likeliest first."""
        ...
