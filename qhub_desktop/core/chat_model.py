"""What produces the assistant's words: one protocol for Claude and for the offline engine."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.message import Clarification, Interpretation, Message, Reasoning, ToolCall

RoundEnd = Literal[
    "complete",  # nothing more to say
    "tools",  # waits for the results of its calls
    "tokens",  # cut by the limit on the answer's length
    "refused",  # the model declined
]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model needs for one round.

    `messages` ends with the person's question, or with the answer under way, whose blocks then
    hold this turn's reasoning, calls and results so far. `stable_prompt` is the same from turn to
    turn; `profiles` are the data sets pinned to the conversation, first dropped first.
    """

    stable_prompt: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    profiles: tuple[DatasetProfile, ...]
    profiles_text: str  # the same profiles as a model reads them
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some more words."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtPiece:
    """Some more of a summary of what the model is thinking, to be shown in passing."""

    text: str


@dataclass(frozen=True, slots=True)
class CallMade:
    """A whole call, its input parsed."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What the round took. Zero tokens for the offline engine, which reports nothing."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ReasoningBlock:
    """A block of reasoning to be sent back, untouched, in the later rounds of this turn."""

    reasoning: Reasoning


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers from here on: the model's name, or 'offline'."""

    engine: str


@dataclass(frozen=True, slots=True)
class UnderstoodAs:
    """What the question was taken to mean."""

    understood: Interpretation


@dataclass(frozen=True, slots=True)
class AskedBack:
    """Something that the person must choose before there is an answer."""

    asked: Clarification


@dataclass(frozen=True, slots=True)
class ReadingChosen:
    """The person said what a word means in a data set: to be remembered for data like it."""

    dataset: str
    word: str
    reading: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The last thing of every round that did not fail."""

    reason: RoundEnd


ModelEvent = (
    TextPiece
    | ThoughtPiece
    | CallMade
    | TokenUsage
    | ReasoningBlock
    | Answering
    | StatusChanged
    | UnderstoodAs
    | AskedBack
    | ReadingChosen
    | RoundEnded
)


class ChatModel(Protocol):
    """A producer of rounds."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """One round: events as they come, `RoundEnded` last.

        Cancelling the consuming task closes the connection. Raises UserError and ServiceError, each
        with its `fault`; what was yielded before that stands.
        """
        ...
