"""What is happening now: everything an answer can announce, in one closed union.

The window and the command line live off the same stream of these.
"""

from dataclasses import dataclass
from typing import Literal

from qhub_desktop.core.artifact import Kind
from qhub_desktop.core.errors import Fault
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.message import Choice, EndReason, Interpretation
from qhub_desktop.core.widgets import Chart, Kpi, Provenance, TableView

Cause = Literal["", "rounds", "tokens", "time"]
StatusKind = Literal["offline", "online", "retrying", "queued", "thinking"]
Action = Literal["", "retry", "continue", "settings", "wait"]


@dataclass(frozen=True, slots=True)
class TextAdded:
    """`text`: some more words of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """`tool_start`: a tool was called and is running."""

    call_id: str
    name: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """`tool_use`: a tool finished, with its result."""

    call_id: str
    name: str
    input: JsonObject
    result: Json
    ms: int
    is_error: bool = False
    source: Provenance | None = None


@dataclass(frozen=True, slots=True)
class ChartShown:
    """`chart`."""

    data: Chart


@dataclass(frozen=True, slots=True)
class TableShown:
    """`table`."""

    data: TableView


@dataclass(frozen=True, slots=True)
class KpiShown:
    """`kpi`."""

    data: Kpi


@dataclass(frozen=True, slots=True)
class DashboardShown:
    """`dashboard`: a stored page, by its address."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ArtifactShown:
    """`artifact`: a fenced page or drawing, whole; the words before carried it, fence and all."""

    kind: Kind
    content: str


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """`question`: the answer needs the person to choose."""

    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class UnderstandingShown:
    """`understanding`: what the question was taken to mean, in parts that can be changed."""

    understood: Interpretation


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """`approval`: a tool that changes something waits for the person's word."""

    call_id: str
    name: str
    input: JsonObject
    text: str


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """`status`: how the answer is coming about. `wait_s` counts down while retrying."""

    kind: StatusKind
    text: str
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class UsageCounted:
    """`usage`: what one call to the model took. Cost in US dollars; `None` if no price is known."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class ErrorHappened:
    """`error`: one sentence, and what the person can do."""

    kind: Fault
    text: str
    action: Action


@dataclass(frozen=True, slots=True)
class Done:
    """`done`: nothing more will come. `cause` says which limit, where one was met."""

    reason: EndReason
    cause: Cause = ""


ChatEvent = (
    TextAdded
    | ToolStarted
    | ToolUsed
    | ChartShown
    | TableShown
    | KpiShown
    | DashboardShown
    | ArtifactShown
    | QuestionAsked
    | UnderstandingShown
    | ApprovalAsked
    | StatusChanged
    | UsageCounted
    | ErrorHappened
    | Done
)
