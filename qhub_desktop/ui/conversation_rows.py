"""Conversations by day, as the rows of a list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from PySide6.QtCore import Qt

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment
from qhub_desktop.store.values import Conversation

ROW_ROLE = int(Qt.ItemDataRole.UserRole)  # under which a model gives its `Row`

_MARKS = str.maketrans("", "", "*`#")


@dataclass(frozen=True, slots=True)
class Heading:
    """The day that the conversations below it were last added to."""

    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One conversation. `snippet` is where a search found its words."""

    conversation: Conversation

    @property
    def title(self) -> str:
        """Its title, or what stands for one before the first question."""
        return self.conversation.title or _("New conversation")

    @property
    def words(self) -> str:
        """Its title, and that an answer there was not seen yet."""
        if not self.conversation.is_unread:
            return self.title
        return _("{title} (new answer)").format(title=self.title)

    @property
    def snippet(self) -> str:
        """Where a search found its words, without the marks of Markdown."""
        return self.conversation.snippet.translate(_MARKS)


Row = Heading | Entry


def by_day(conversations: Sequence[Conversation], today: date) -> list[Row]:
    """The rows of a list that is pinned first, newest first: a heading before each new day."""
    rows: list[Row] = []
    heading = ""
    for conversation in conversations:
        above = _heading(conversation, today)
        if above != heading:
            heading = above
            rows.append(Heading(above))
        rows.append(Entry(conversation))
    return rows


def _heading(conversation: Conversation, today: date) -> str:
    if conversation.is_pinned:
        return _("Pinned")
    day = conversation.updated.astimezone().date()
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    if day > today - timedelta(days=7):
        return _weekday(day)
    return moment(day)


def _weekday(day: date) -> str:
    names = (
        _("Monday"),
        _("Tuesday"),
        _("Wednesday"),
        _("Thursday"),
        _("Friday"),
        _("Saturday"),
        _("Sunday"),
    )
    name = names[day.weekday()]
    return name[:1].upper() + name[1:]  # Portuguese has small ones inside a sentence


def rows_for(conversations: Sequence[Conversation], *, is_search: bool, now: datetime) -> list[Row]:
    """The list of days, or what a search found in the order it was found."""
    if is_search:
        return [Entry(conversation) for conversation in conversations]
    return by_day(conversations, now.date())
