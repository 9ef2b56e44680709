"""What was said: messages and their blocks."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.understanding import Asked, Understood, Wanted
from qhub_desktop.core.widgets import Shown, Source

EndReason = Literal["complete", "limit", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words, in Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asks of a tool."""

    id: str
    name: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call.

    Two readers, two fields: `content` goes to the model as JSON, `widget` to the person. `source`
    is where the numbers came from, whether or not a widget shows them.
    """

    call_id: str
    content: Json
    widget: Shown | None = None
    source: Source | None = None
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


Block = Text | ToolCall | ToolResult | Reasoning | Notice | Understood | Wanted | Asked


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
