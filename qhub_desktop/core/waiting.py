"""Questions that wait until Claude can be asked."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

WaitingState = Literal[
    "waiting",
    "sending",
    "sent",  # answered, or stopped by the person
    "withdrawn",
    "failed",  # the service said no: sending it again as it is would not help
]


@dataclass(frozen=True, slots=True)
class Waiting:
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
