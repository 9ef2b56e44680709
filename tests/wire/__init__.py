"""The played model: a local server that speaks the Messages wire format over real HTTP."""

from tests.wire.scenes import (
    Answer,
    Call,
    Refusal,
    Thought,
    Usage,
    Words,
    answer,
    calls,
    rate_limited,
    thinking,
)
from tests.wire.server import Request, WireServer

__all__ = [
    "Answer",
    "Call",
    "Refusal",
    "Request",
    "Thought",
    "Usage",
    "WireServer",
    "Words",
    "answer",
    "calls",
    "rate_limited",
    "thinking",
]
