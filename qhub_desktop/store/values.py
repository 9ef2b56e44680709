"""What the store remembers of a conversation, besides its messages."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything said between the person and one agent, as the lists show it.

    `title` is empty until the first question gives one. `snippet` is filled by a search that found
    words in a message: the text around them.
    """

    id: str
    agent: str
    title: str
    created: datetime
    updated: datetime
    is_pinned: bool = False
    is_archived: bool = False
    snippet: str = ""
    is_unread: bool = False  # an answer came while nobody looked


@dataclass(frozen=True, slots=True)
class Pin:
    """A data set that came into a conversation, and the name SQL knows it by there.

    One that is not used stays in sight of the person, but no question is about it.
    """

    dataset_id: str
    name: str
    is_used: bool = True


def stamp() -> int:
    """Now, as the file keeps moments: microseconds since 1970 in UTC."""
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def moment(stamped: int) -> datetime:
    """A kept moment, on the person's own clock."""
    return datetime.fromtimestamp(stamped / 1_000_000, UTC).astimezone()


def storable(text: str) -> str:
    """Text that SQLite and its search take: half characters and NULs, as some pastes hold, go."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
