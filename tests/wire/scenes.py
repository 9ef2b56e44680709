"""What the played model says: one scene for each request, written with a few words."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal

Break = Literal[
    "reset",  # the connection is reset (RST)
    "close",  # the connection is closed in the middle of the body
    "end",  # the body ends cleanly, but without message_stop
    "error",  # an error event of the type `error`
    "stall",  # no byte any more, the connection stays open
    "pings",  # nothing but pings, for ever
    "malformed",  # an event whose data is no JSON
    "utf8",  # an event whose bytes are no text
]
StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence", "pause_turn"]

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answer is said to have cost, in tokens."""

    input_tokens: int = 120
    output_tokens: int = 34
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Words:
    """A text block, with the locations that it cites."""

    text: str
    citations: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Thought:
    """A thinking block; a redacted one holds `text` as its data."""

    text: str
    signature: str = "c2lnbmVk"
    is_redacted: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool_use block. `raw_input` is sent instead of `input` where it is given."""

    name: str
    input: dict[str, Any]
    id: str = field(default_factory=lambda: f"toolu_{next(_numbers):08d}")
    raw_input: str | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """How an answer breaks off, after so many deltas; with 0, before the first event."""

    how: Break
    after: int
    error: str = "overloaded_error"


@dataclass(frozen=True, slots=True)
class Answer:
    """A streamed answer: blocks in order, `size` characters a delta, `pace` deltas a second."""

    blocks: tuple[Words | Thought | Call, ...]
    stop_reason: StopReason
    usage: Usage = Usage()
    size: int = 8
    pace: float | None = None  # None: as fast as the socket takes them
    broken: Broken | None = None

    def broken_off(
        self, how: Break, *, after: int = 3, error: str = "overloaded_error"
    ) -> "Answer":
        """The same answer, going wrong after so many deltas."""
        return replace(self, broken=Broken(how, after, error))


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer with an error status. Without a body of its own it has the service's form."""

    status: int
    type: str = ""
    message: str = "Something went wrong."
    headers: tuple[tuple[str, str], ...] = ()
    html: str = ""
    error_code: str = ""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The request is read, and then: a reset, a close, or silence, before any byte."""

    how: Literal["reset", "close", "stall"]


@dataclass(frozen=True, slots=True)
class Raw:
    """These very bytes as the body, of whatever they are said to be."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    kind: str = "text/event-stream; charset=utf-8"


Scene = Answer | Refusal | NoAnswer | Raw
Script = list[Scene] | Callable[[dict[str, Any]], Scene]


def answer(text: str, **more: Any) -> Answer:
    """The model says this and has finished."""
    return Answer((Words(text),) if text else (), more.pop("stop_reason", "end_turn"), **more)


def cited(quote: str, *, at: int, source: str = "", title: str = "") -> dict[str, Any]:
    """A place in the search results of the request that a text block cites, by their number."""
    return {
        "type": "search_result_location",
        "cited_text": quote,
        "search_result_index": at,
        "source": source,
        "title": title,
        "start_block_index": 0,
        "end_block_index": 1,
    }


def calls(
    *called: tuple[str, dict[str, Any]] | Call, text: str = "", thought: str = "", **more: Any
) -> Answer:
    """The model thinks, says something, and asks for these tools."""
    blocks: list[Words | Thought | Call] = []
    if thought:
        blocks.append(_signed(thought))
    if text:
        blocks.append(Words(text))
    blocks += [each if isinstance(each, Call) else Call(*each) for each in called]
    return Answer(tuple(blocks), more.pop("stop_reason", "tool_use"), **more)


def thinking(thought: str, text: str = "", **more: Any) -> Answer:
    """The model thinks aloud, then says this and has finished."""
    blocks: tuple[Words | Thought | Call, ...] = (_signed(thought),)
    return Answer(
        (*blocks, Words(text)) if text else blocks, more.pop("stop_reason", "end_turn"), **more
    )


def _signed(thought: str) -> Thought:
    return Thought(thought, signature=f"c2lnbmVk{next(_numbers):08d}")


# The faults of the service, each as the service answers it.
BAD_REQUEST = Refusal(400, "invalid_request_error", "messages: at least one message is required")
TOO_LONG = Refusal(
    400, "invalid_request_error", "prompt is too long: 1200345 tokens > 1000000 maximum"
)
WRONG_KEY = Refusal(401, "authentication_error", "invalid x-api-key")
NO_CREDIT = Refusal(
    400,
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
)
NO_PAYMENT = Refusal(402, "billing_error", "There is a problem with your payment details.")
FORBIDDEN = Refusal(403, "permission_error", "Your key may not use this resource.")
UNKNOWN_MODEL = Refusal(404, "not_found_error", "model: claude-sonnet-4-20250514")
TOO_LARGE = Refusal(413, "request_too_large", "Request exceeds the maximum size")
SPENT_UP = Refusal(
    429,
    "rate_limit_error",
    "The spend limit is reached.",
    error_code="enforced_spend_limit_reached",
)
SERVER_ERROR = Refusal(500, "api_error", "Internal server error")
BAD_GATEWAY = Refusal(502, html="<html><body><h1>502 Bad Gateway</h1></body></html>")
OVERLOADED = Refusal(529, "overloaded_error", "Overloaded")
RESET = NoAnswer("reset")
CLOSED = NoAnswer("close")
SILENCE = NoAnswer("stall")


def rate_limited(*, retry_after_s: float | None = None) -> Refusal:
    """Too many requests; the service says how long to wait, or does not."""
    headers = () if retry_after_s is None else (("retry-after", f"{retry_after_s:g}"),)
    return Refusal(429, "rate_limit_error", "Number of requests has exceeded", headers)
