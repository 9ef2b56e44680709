"""Requests to a model, and the events of a turn: one closed union, from model to window.

A model yields `ModelEvent`. The turn uses up `TurnEvent`; everything else goes on as it is, with
what the turn itself announces, as `ChatEvent` to an `Audience`. A block of the answer that
arrives whole (a call, reasoning, what was understood, a question back) is its own event.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import field, replace
from typing import Literal, Protocol

from qhub_desktop.core.artifact import ArtifactKind
from qhub_desktop.core.asking import Reply
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import Fault
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import (
    Clarification,
    EndReason,
    Interpretation,
    Message,
    NumberCheck,
    Reasoning,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from qhub_desktop.core.result_widgets import Shown
from qhub_desktop.core.values import dataclass

Cause = Literal["", "rounds", "tokens", "time", "cost"]
StatusKind = Literal[
    "offline",
    "online",
    "local",  # a model inside this program answers; the text is its name, and its speed
    "retrying",
    "queued",
    "thinking",
    "preparing",
    "budget",
    "damaged",  # messages of the conversation are
]
Action = Literal[
    "",
    "retry",
    "continue",
    "repair",
    "settings",
    "network",
    "proxy_login",
    "offline",
    "wait",
    "local",
]
RoundEnd = Literal[
    "complete",  # nothing more to say
    "tools",  # waits for the results of its calls
    "tokens",  # cut by the limit on the answer's length
    "paused",  # not said all yet: goes on when it is asked again
    "refused",  # the model declined
]


@dataclass(frozen=True, slots=True)
class TextAdded:
    """Some more words of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class StatusChanged:
    """Status of the answer under way. `wait_s` counts down while retrying; `action` is what the
    person can do about an offline answer.

    `thinking` carries some more of a summary of what the model is thinking, to be shown in passing.
    """

    kind: StatusKind
    text: str
    wait_s: float | None = None
    action: Action = ""


@dataclass(frozen=True, slots=True)
class UsageCounted:
    """Usage of one call to the model. Cost in US dollars; `None` if no price is known.

    It is estimated where the answer was left half way, and the service did not say how long it was.
    The service's own ids of request and answer are for complaints to it: nothing is found by them.
    """

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    is_estimated: bool = False
    request_id: str = field(default="", compare=False)
    response_id: str = field(default="", compare=False)

    @property
    def read_tokens(self) -> int:
        """How much the model read, from the cache or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


CHARACTERS_PER_TOKEN = 3.6  # of Portuguese and of JSON, where nobody has counted


@dataclass(frozen=True, slots=True)
class UsageBegun:
    """Usage when an answer begins, and the price of a further token of it."""

    usage: UsageCounted
    token_usd: float | None = None

    def after(self, characters: int) -> UsageCounted:
        """Estimate what the call has taken once so many characters have arrived."""
        tokens = max(self.usage.output_tokens, round(characters / CHARACTERS_PER_TOKEN))
        more = tokens - self.usage.output_tokens
        cost = self.usage.cost_usd
        if cost is not None and self.token_usd is not None:
            cost += more * self.token_usd
        return replace(self.usage, output_tokens=tokens, cost_usd=cost, is_estimated=True)


@dataclass(frozen=True, slots=True)
class RequestReady:
    """A request that is sent as soon as the next event is asked for, each try anew.

    `most_usd` is the most that it may cost in US dollars; None if no price is known.
    """

    model: str
    most_usd: float | None


@dataclass(frozen=True, slots=True)
class Answering:
    """The model that answers from here on: its name, or 'offline'."""

    engine: str


@dataclass(frozen=True, slots=True)
class ReadingChosen:
    """The person said what a word means in a data set: to be remembered for data like it."""

    dataset: str
    word: str
    reading: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The last event of every round that did not fail."""

    reason: RoundEnd


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool was called and is running; `label` tells the person what it does."""

    call: ToolCall
    label: str = ""


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A tool finished."""

    call: ToolCall
    result: ToolResult


@dataclass(frozen=True, slots=True)
class WidgetShown:
    """Widget of a tool's result: a chart, a table, a KPI or a stored page."""

    widget: Shown


@dataclass(frozen=True, slots=True)
class ArtifactShown:
    """A fenced page or drawing, whole; the words before carried it, fence and all."""

    kind: ArtifactKind
    content: str


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """A tool that changes something, or runs code, waits for the person's word.

    `consent` stands on the button that lets it run; `parameter_labels` are what the person reads
    instead of the names of its parameters; `code` is the name of the one that they may change.
    """

    call: ToolCall
    text: str
    consent: str
    parameter_labels: Mapping[str, str] = field(default_factory=dict)
    code: str = ""


def action_for(fault: Fault) -> Action:
    """Return what the person can do about a fault, live and when it is read again later."""
    match fault:
        case "network_setup":
            return "network"
        case "proxy_login":
            return "proxy_login"
        case "budget":
            return "offline"
        case "key" | "credit" | "model" | "setup":
            return "settings"
        case "refused":  # the same question would be refused again
            return ""
        case _:
            return "retry"


@dataclass(frozen=True, slots=True)
class ErrorHappened:
    """One sentence, and what the person can do."""

    kind: Fault
    text: str
    action: Action


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more will come. `cause` says which limit, where one was met; `cost`, that the person
    took the question back when told what it may cost.
    """

    reason: EndReason
    cause: Cause = ""


TurnEvent = (
    ToolCall | Reasoning | RequestReady | Answering | ReadingChosen | RoundEnded | UsageBegun
)
ModelEvent = (
    TextAdded | Citation | StatusChanged | UsageCounted | Interpretation | Clarification | TurnEvent
)
ChatEvent = (
    TextAdded
    | Citation
    | StatusChanged
    | UsageCounted
    | Interpretation
    | Clarification
    | NumberCheck
    | Guarded
    | ToolStarted
    | ToolUsed
    | WidgetShown
    | ArtifactShown
    | ApprovalAsked
    | ErrorHappened
    | Done
)


class Audience(Protocol):
    """Whoever watches a turn and may be asked."""

    def show(self, event: ChatEvent) -> None:
        """Take an event in; cheap, and without waiting."""
        ...

    async def approve(self, request: ApprovalAsked) -> JsonObject | None:
        """Ask the person, and return the input that they let it run with; None to refuse."""
        ...

    async def ask(self, question: Clarification, hold: Callable[[], None]) -> Reply:
        """Wait for the person's answer to a question that was shown; cancelled when time is over.

        `hold` is to be called with each key and mark: the time stands still for a moment.
        """
        ...


CostChoice = Literal["send", "offline", "cancel"]


@dataclass(frozen=True, slots=True)
class CostAsked:
    """A question may cost more US dollars than the person is to be asked about."""

    usd: float
    most_usd: float


# Asks the person whether to send a question all the same.
ConfirmCost = Callable[[CostAsked], Awaitable[CostChoice]]

# Who a person may have a single question answered by: the offline engine, or the local model.
AskedEngine = Literal["offline", "local"]

# What may leave for a service, of the data that an agent is asked about.
Privacy = Literal["rows", "aggregates", "nothing"]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model needs for one round.

    `messages` ends with the person's question, or with the answer under way, whose blocks then
    hold this turn's reasoning, calls and results so far. `stable_prompt` is the same from turn to
    turn; `profiles` are the data sets pinned to the conversation, first dropped first. `engine` is
    one that the person chose for this question alone. `closed_tools` are those that a service's
    model has in the place of `tools`, where only aggregates may leave. `examples` are questions
    that were answered well, to be offered by who declines this one.
    """

    stable_prompt: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    profiles: tuple[DatasetProfile, ...]
    profiles_text: str  # the same profiles as a model reads them
    answer_tokens: int
    result_characters: int = 20_000  # what is sent of the result of one tool
    privacy: Privacy = "rows"
    closed_tools: tuple[ToolSpec, ...] = ()
    answer: MessageId | None = None  # the message that the round is for
    may_think: bool = True
    model: str = ""  # of the service; where there is none, the settings say
    examples: tuple[str, ...] = ()
    engine: AskedEngine | None = None
    must_call: bool = False  # the model may not answer before it has called a tool
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """Answer to one request of a batch: its calls, and what it took; neither where it failed."""

    calls: tuple[ToolCall, ...] = ()
    usage: UsageCounted | None = None


class ChatModel(Protocol):
    """A producer of rounds."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one round: events as they come, `RoundEnded` last.

        Cancelling the consuming task closes the connection. Raises UserError and ServiceError, each
        with its `fault`; what was yielded before that stands.
        """
        ...
