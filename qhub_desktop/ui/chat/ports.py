"""Ports of the conversation page: what it needs of the rest of the program."""

from typing import Literal, Protocol

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.events import Audience, UsageCounted
from qhub_desktop.core.message import Message


class TurnRunner(Protocol):
    """Runner of the turns that answer questions."""

    async def reply(
        self,
        conversation: str,
        question: str,
        *,
        audience: Audience,
        wanted: JsonObject | None = None,
    ) -> None:
        """Store the question, with the plan chosen for it, then answer it."""
        ...

    async def retry(self, conversation: str, *, audience: Audience) -> None:
        """Answer the last question again."""
        ...

    async def edit(
        self, conversation: str, message: int, question: str, *, audience: Audience
    ) -> None:
        """Replace a question and all after it."""
        ...


class Pages(Protocol):
    """Stored messages, read page by page."""

    async def latest(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """Read the last messages, older than `before` if given; oldest first."""
        ...


class StoredMessages(Pages, Protocol):
    """Stored messages with their ratings and token usage."""

    async def rate(self, message: int, rating: Literal[-1, 0, 1]) -> None:
        """Rate an answer: 1 is up, -1 down, 0 neither."""
        ...

    async def usage(self, message: int) -> list[UsageCounted]:
        """Read the usage of an answer's model calls."""
        ...


class Drafts(Protocol):
    """Store of drafts, by key."""

    def state_now(self, key: str) -> Json:
        """Read a stored value."""
        ...

    async def save_state(self, key: str, value: Json) -> None:
        """Store a value."""
        ...


class Conversation(Protocol):
    """The open conversation."""

    @property
    def id(self) -> str:
        """Id, 12 hexadecimal digits."""
        ...
