"""Messages: their blocks, the interpretation of a question, and questions in the outbox."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.result_widgets import Provenance, Shown

Part = Literal["dataset", "measure", "dimension", "filter", "period", "chart", "order", "reading"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternative for a part of an interpretation, with the whole plan that it makes.

    An empty plan means that the label is the next question.
    """

    label: str
    plan: JsonObject


@dataclass(frozen=True, slots=True)
class Chip:
    """One part of what was understood, with its alternatives."""

    part: Part
    label: str
    choices: tuple[Choice, ...] = ()
    is_kept: bool = False  # carried over from the question before


@dataclass(frozen=True, slots=True)
class Interpretation:
    """In an answer: the plan that it was computed by, and the parts to change it with."""

    plan: JsonObject
    chips: tuple[Chip, ...]


@dataclass(frozen=True, slots=True)
class ChosenPlan:
    """In a question, beside its words: the plan that the person chose, to be computed as it is."""

    plan: JsonObject


@dataclass(frozen=True, slots=True)
class Clarification:
    """In an answer: it asks back, with what the person may answer."""

    text: str
    choices: tuple[Choice, ...]


EndReason = Literal["complete", "limit", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words, in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Call of a tool by the model."""

    id: str
    name: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a call.

    Two readers, two fields: `content` goes to the model as JSON, `widget` to the person. `source`
    is where the numbers came from, whether or not a widget shows them.
    """

    call_id: str
    content: Json
    widget: Shown | None = None
    source: Provenance | None = None
    is_error: bool = False
    ms: int = 0


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's thinking, in its own form, for the rounds of one turn. Never stored."""

    payload: JsonObject


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened to the answer, which the model is never told of."""

    kind: str  # an Error's fault, or a Status's kind
    text: str


Block = (
    Text | ToolCall | ToolResult | Reasoning | Notice | Interpretation | ChosenPlan | Clarification
)

codec.register_tags(
    {
        Text: "text",
        ToolCall: "tool_call",
        ToolResult: "tool_result",
        Reasoning: "reasoning",
        Notice: "notice",
        Interpretation: "understood",
        ChosenPlan: "wanted",
        Clarification: "asked",
    }
)


def unpack_block(data: Json) -> Block:
    """Decode a message's block. Raises ValueError for data of another shape."""
    return cast("Block", codec.unpack(cast("Any", Block), data))


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said in one go; an answer holds its calls and their results, in order."""

    id: int
    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]
    created: datetime
    engine: str = ""  # who answered: the model's name, or "offline"
    end: EndReason | None = None  # None: still being written, or cut by a crash
    rating: Literal[-1, 0, 1] = 0

    @property
    def text(self) -> str:
        """The words alone."""
        return "\n\n".join(block.text for block in self.blocks if isinstance(block, Text))


WaitingState = Literal[
    "waiting",
    "sending",
    "sent",  # answered, or stopped by the person
    "withdrawn",
    "failed",  # the service said no: sending it again as it is would not help
]


@dataclass(frozen=True, slots=True)
class QueuedQuestion:
    """One question in the outbox. `error` is what was in the way last; `message` is the question
    in its conversation, once it has been sent for the first time.
    """

    id: int
    conversation: str
    agent: str
    user: str
    text: str
    created: datetime
    state: WaitingState = "waiting"
    attempts: int = 0
    error: str = ""
    message: int | None = None
