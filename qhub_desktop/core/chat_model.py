"""Request to a model, and the protocol that Claude and the offline engine both answer by."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.events import ModelEvent
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.message import Message


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


class ChatModel(Protocol):
    """A producer of rounds."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """One round: events as they come, `RoundEnded` last.

        Cancelling the consuming task closes the connection. Raises UserError and ServiceError, each
        with its `fault`; what was yielded before that stands.
        """
        ...
