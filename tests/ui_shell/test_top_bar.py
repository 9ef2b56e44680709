"""The top bar: the shift, and who will answer."""

from datetime import UTC, datetime

import pytest

from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.shell.top_bar import (
    Local,
    NoKey,
    Offline,
    Online,
    Retrying,
    connection_after,
    connection_of,
    expected_connection,
    shift_at,
)


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

    assert expected_connection(Settings(), has_key=False) == Offline()
    assert expected_connection(Settings(), has_key=True) == Online("")
    assert expected_connection(Settings(engine="claude"), has_key=False) == NoKey()
    assert expected_connection(Settings(engine="offline"), has_key=True) == Offline()
    assert expected_connection(plant, has_key=False) == Local("10.0.0.5")
    assert connection_of("offline", plant) == Offline()
    assert connection_of("llama-4", plant) == Local("llama-4")


def test_an_answers_status_changes_the_pill_only_where_it_says_something_of_the_connection() -> (
    None
):
    settings = Settings(model="claude-sonnet-5-5")
    before = Online("claude-sonnet-5-5")

    waiting = connection_after(
        StatusChanged("retrying", "Too many questions", 8.0), before, settings
    )
    assert waiting == Retrying("Too many questions", 8.0)
    assert connection_after(StatusChanged("offline", "No network"), before, settings) == Offline(
        "No network"
    )
    assert connection_after(StatusChanged("thinking", "…"), before, settings) == before
    assert connection_after(StatusChanged("online", ""), waiting, settings) == before
