"""The top bar: the shift, and who will answer."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from qhub_desktop.core.events import StatusChanged
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.shell.top_bar import (
    Connection,
    Local,
    NoKey,
    Offline,
    Online,
    Retrying,
    connection_after,
    connection_of,
    expected_connection,
    needs_network,
    shift_at,
)
from tests.ui_shell.window_harness import KeyRing, opened
from tests.waiting import until


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
    own = expected_connection(Settings(engine="offline"), has_key=True)
    assert own == Offline(has_key=True)
    assert expected_connection(plant, has_key=False) == Local("10.0.0.5")
    assert connection_of("offline", plant) == Offline()
    assert connection_of("llama-4", plant) == Local("llama-4")


def test_a_model_inside_the_program_is_told_by_its_name_and_speed_and_needs_no_network() -> None:
    chosen = Settings(local_model=r"C:\modelos\Qwen3-4B.gguf")
    inside = Local("Qwen3-4B", is_inside=True)

    assert expected_connection(chosen, has_key=False) == inside
    assert expected_connection(chosen, has_key=True) == Online("")
    assert expected_connection(replace(chosen, engine="local"), has_key=True) == inside
    assert connection_of("local:Qwen3 4B", chosen) == Local("Qwen3 4B", is_inside=True)
    told = connection_after(StatusChanged("local", "Qwen3 4B · 9 tok/s"), inside, chosen)
    assert told == Local("Qwen3 4B · 9 tok/s", is_inside=True)
    assert not needs_network(told, chosen)


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


@pytest.mark.parametrize(
    ("endpoint", "needs"),
    [("", True), ("http://10.0.0.5/v1", True), ("http://localhost:80", False)],
)
def test_only_what_is_not_on_this_computer_needs_a_network(endpoint: str, *, needs: bool) -> None:
    settings = Settings(endpoint=endpoint)

    assert needs_network(connection_of("llama-4", settings), settings) == needs
    assert not needs_network(Offline(), settings)


async def test_the_pill_follows_what_is_seen_of_the_network(qapp: QApplication) -> None:
    keys = KeyRing("sk-ant-key")
    async with opened(qapp, keys=keys, settings=Settings(language="en", engine="auto")) as harness:
        connection, pill = harness.window.controller.connection, harness.window.frame.top_bar.pill

        def shown() -> Connection:
            return pill.connection

        await until(lambda: isinstance(shown(), Online))

        connection.show_network(is_there=False)
        assert shown() == Offline("This computer has no network.", has_key=True)
        words = [each.text() for each in pill.open().findChildren(QLabel)]
        assert not any("add a key" in each for each in words)

        connection.show_network(is_there=True)
        assert isinstance(shown(), Online)

        connection.show_status(StatusChanged("offline", "Claude cannot be reached."))
        connection.show_answered("claude-sonnet-5-5")
        assert shown() == Online("claude-sonnet-5-5")
