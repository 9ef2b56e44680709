from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from qhub_desktop.core import text
from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.settings import Settings
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.ui.shell.command_palette import fit
from qhub_desktop.ui.shell.conversation_list import Entry, Heading, by_day
from qhub_desktop.ui.shell.drop_zone import files_of, refusal
from qhub_desktop.ui.shell.file_intake import is_table
from qhub_desktop.ui.shell.top_bar import (
    Local,
    NoKey,
    Offline,
    Online,
    Retrying,
    after,
    answered_by,
    expected,
    shift_at,
)


def conversation(title: str, updated: datetime, *, is_pinned: bool = False) -> Conversation:
    return Conversation("0" * 12, "qualidade", title, updated, updated, is_pinned=is_pinned)


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

    words = [row.text if isinstance(row, Heading) else row.title for row in rows]
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

    assert rows[0] == Heading("Segunda-feira")


def test_a_conversation_without_a_question_has_a_name_all_the_same() -> None:
    rows = by_day([conversation("", datetime.now(UTC))], date(2026, 2, 20))

    assert isinstance(rows[1], Entry)
    assert rows[1].title == "New conversation"


@pytest.mark.parametrize(
    ("hour", "shift"),
    [
        (5, "Night shift"),
        (6, "Morning shift"),
        (13, "Morning shift"),
        (14, "Afternoon shift"),
        (21, "Afternoon shift"),
        (22, "Night shift"),
    ],
)
def test_the_shifts_begin_at_six_two_and_ten(hour: int, shift: str) -> None:
    assert shift_at(datetime(2026, 2, 20, hour, tzinfo=UTC)) == shift


def test_who_will_answer_is_judged_from_settings_and_key() -> None:
    plant = Settings(language="en", endpoint="http://10.0.0.5:8080/v1")

    assert expected(Settings(), has_key=False) == Offline()
    assert expected(Settings(), has_key=True) == Online("")
    assert expected(Settings(engine="claude"), has_key=False) == NoKey()
    assert expected(Settings(engine="offline"), has_key=True) == Offline()
    assert expected(plant, has_key=False) == Local("10.0.0.5")
    assert answered_by("offline", plant) == Offline()
    assert answered_by("llama-4", plant) == Local("llama-4")


def test_an_answers_status_changes_the_pill_only_where_it_says_something_of_the_connection() -> (
    None
):
    settings = Settings(model="claude-sonnet-5-5")
    before = Online("claude-sonnet-5-5")

    waiting = after(StatusChanged("retrying", "Too many questions", 8.0), before, settings)
    assert waiting == Retrying("Too many questions", 8.0)
    assert after(StatusChanged("offline", "No network"), before, settings) == Offline("No network")
    assert after(StatusChanged("thinking", "…"), before, settings) == before
    assert after(StatusChanged("online", ""), waiting, settings) == before


def test_letters_in_order_fit_and_the_start_of_words_fits_best() -> None:
    assert fit("nc", "New conversation") is not None
    assert fit("cn", "New") is None
    words = ["Find in this conversation", "New conversation", "Full screen"]
    assert max(words, key=lambda each: fit("new", each) or -99) == "New conversation"
    assert fit("definicoes", "Definições") == fit("definições", "Definições")


def test_a_pasted_table_is_told_from_a_pasted_sentence() -> None:
    assert is_table("turno\ttotal\nmanha\t73\n")
    assert not is_table("turno\ttotal\n")
    assert not is_table("Dear all,\nplease find attached")
    assert not is_table("a\tb\nno tab here")


def test_a_folder_gives_its_tables_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.csv", "a.xlsx", "photo.png", "~$a.xlsx"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "deeper").mkdir()

    assert [file.name for file in files_of([tmp_path])] == ["a.xlsx", "b.csv"]


def test_a_file_is_refused_by_name_unless_another_beside_it_can_be_used() -> None:
    assert "png" in refusal([Path("photo.png")])
    assert "xlsx" in refusal([Path("photo.png")])
    assert refusal([Path("photo.png"), Path("export.XLSX")]) == ""
