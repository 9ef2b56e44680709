"""What the conversation page asks of the rest of the program."""

from typing import Literal, Protocol

from qhub_desktop.core.events import Audience, UsageCounted
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.message import Message


class Engine(Protocol):
    """Whoever answers."""

    async def reply(
        self,
        conversation: str,
        question: str,
        *,
        audience: Audience,
        wanted: JsonObject | None = None,
    ) -> None:
        """Store the question, with the plan that was chosen for it, then answer it."""
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
    """Stored messages, page by page."""

    async def latest(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        """Read the last messages (older than `before`), oldest first."""
        ...


class StoredMessages(Pages, Protocol):
    """Where messages are kept, with their ratings and what they took."""

    async def rate(self, message: int, rating: Literal[-1, 0, 1]) -> None:
        """Thumbs up (1), down (-1), or neither."""
        ...

    async def usage(self, message: int) -> list[UsageCounted]:
        """What an answer's calls to the model took."""
        ...


class Drafts(Protocol):
    """Where what is not sent yet is kept, by key."""

    def state_now(self, key: str) -> Json:
        """Read a small thing remembered."""
        ...

    async def save_state(self, key: str, value: Json) -> None:
        """Remember a small thing."""
        ...


class Conversation(Protocol):
    """The conversation that is open."""

    @property
    def id(self) -> str:
        """Its 12 hexadecimal digits."""
        ...
