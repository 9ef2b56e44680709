"""The list of conversations: under their days, each with a title."""

from datetime import UTC, date, datetime, timedelta

from qhub_desktop.core import text
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.ui.shell.conversation_list import DayHeading, Entry, by_day


def conversation(title: str, updated: datetime, *, is_pinned: bool = False) -> Conversation:
    return Conversation(
        ConversationId("0" * 12), "qualidade", title, updated, updated, is_pinned=is_pinned
    )


def test_conversations_stand_under_their_days() -> None:
    now = datetime(2026, 2, 20, 12, tzinfo=UTC).astimezone()
    rows = by_day(
        [
            conversation("pinned", now - timedelta(days=40), is_pinned=True),
            conversation("now", now),
            conversation("before", now - timedelta(hours=1)),
            conversation("a day ago", now - timedelta(days=1)),
            conversation("on Monday", now - timedelta(days=4)),
            conversation("long ago", now - timedelta(days=30)),
        ],
        now.date(),
    )

    words = [row.text if isinstance(row, DayHeading) else row.title for row in rows]
    assert words == [
        "Pinned",
        "pinned",
        "Today",
        "now",
        "before",
        "Yesterday",
        "a day ago",
        "Monday",
        "on Monday",
        "21/01/2026",
        "long ago",
    ]


def test_the_day_above_conversations_begins_with_a_capital_in_portuguese() -> None:
    text.use("pt")
    now = datetime(2026, 2, 20, 12, tzinfo=UTC).astimezone()

    rows = by_day([conversation("on Monday", now - timedelta(days=4))], now.date())

    assert rows[0] == DayHeading("Segunda-feira")


def test_a_conversation_without_a_question_has_a_name_all_the_same() -> None:
    rows = by_day([conversation("", datetime.now(UTC))], date(2026, 2, 20))

    assert isinstance(rows[1], Entry)
    assert rows[1].title == "New conversation"
