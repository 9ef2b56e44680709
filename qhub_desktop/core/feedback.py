"""What people say of answers: thumbs, why an answer was poor, and what became of it."""

from dataclasses import field
from datetime import datetime
from typing import Literal, get_args

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UsageError
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.values import dataclass

LONGEST_WORDS = 500  # characters that a person may add
Reason = Literal["", "number", "misunderstood", "long", "other"]
REASONS: tuple[Reason, ...] = tuple(each for each in get_args(Reason) if each)
REASON_LABELS: dict[Reason, str] = {
    "number": gettext_noop("Wrong number"),
    "misunderstood": gettext_noop("Did not understand"),
    "long": gettext_noop("Too long"),
    "other": gettext_noop("Other"),
}


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person has said of an answer. One that was poor is open until somebody resolves it."""

    id: int
    conversation: ConversationId
    message: MessageId
    agent: str
    is_good: bool
    reason: Reason
    text: str
    created: datetime
    resolved: datetime | None = None
    note: str = ""  # of whoever resolved it

    @property
    def is_open(self) -> bool:
        """Whether it waits for somebody who reviews."""
        return not self.is_good and self.resolved is None

    @property
    def reason_words(self) -> str:
        """Why, as a person reads it; "" where nothing was said."""
        return _(REASON_LABELS[self.reason]) if self.reason else ""

    @property
    def object(self) -> JsonObject:
        """What the command line tells of it."""
        return {
            "id": self.id,
            "conversation": self.conversation,
            "message": self.message,
            "rating": "up" if self.is_good else "down",
            "reason": self.reason,
            "text": self.text,
            "state": "open" if self.is_open else "resolved",
        }


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Feedback with the question and the answer that it is about, for whoever reviews."""

    feedback: Feedback
    question: Message | None
    answer: Message


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """An answer to be judged or to learn from: with its question, and what was said before that."""

    agent: str
    question: Message
    answer: Message
    before: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """What a judge says of an answer: `votes` are its yes and no by name, `why` is for a person."""

    message: MessageId
    is_good: bool
    why: str = ""
    votes: JsonObject = field(default_factory=dict)


def reason_of(words: str) -> Reason:
    """Return the reason of a name or of its label. Raises UsageError for another one."""
    said = words.strip().casefold()
    for reason in REASONS:
        if said in (reason, REASON_LABELS[reason].casefold(), _(REASON_LABELS[reason]).casefold()):
            return reason
    raise UsageError(
        _("There is no reason '{name}'. There are: {names}.").format(
            name=words, names=", ".join(REASONS)
        )
    )
