from dataclasses import fields

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import (
    LiveSettings,
    Settings,
    changed_settings,
    read_settings,
    setting_infos,
)


def test_the_limits_have_the_defaults_of_the_contract() -> None:
    settings = Settings()

    assert settings.history_messages == 20
    assert settings.rounds == 8
    assert settings.answer_tokens == 4096
    assert settings.preview_rows == 10
    assert settings.rows_sent == 0
    assert settings.top_values == 5


def test_only_what_was_changed_is_written_and_it_comes_back() -> None:
    settings = Settings(station="P2", rounds=3, theme="dark")

    written = changed_settings(settings)

    assert written == {"station": "P2", "rounds": 3, "theme": "dark"}
    assert read_settings(written) == settings


def test_a_stored_value_that_makes_no_sense_falls_back_to_its_default() -> None:
    stored: JsonObject = {"rounds": 99999, "theme": "pink", "gone": 1, "station": 5}
    assert read_settings(stored) == Settings()


@pytest.mark.parametrize(
    "times",
    [
        {"heartbeat_s": 300.0, "question_s": 300.0},
        {"question_s": 700.0},
        {"inactivity_s": 1800.0},
        {"answer_s": 1.0},
    ],
)
def test_times_that_contradict_each_other_are_refused(times: dict[str, float]) -> None:
    with pytest.raises(UserError, match="<"):
        read_settings(dict(times))


def test_every_setting_says_what_it_is() -> None:
    about = setting_infos()

    assert set(about) == {field.name for field in fields(Settings)}
    assert all(each.label for each in about.values())


def test_a_number_of_rounds_is_not_a_yes_or_no() -> None:
    with pytest.raises(UserError):
        Settings(rounds=True)


def test_who_listens_is_told_of_every_change_in_the_order_of_coming() -> None:
    live = LiveSettings(Settings())
    heard: list[tuple[str, str]] = []
    live.listen(lambda settings: heard.append(("first", settings.station)))
    live.listen(lambda settings: heard.append(("second", settings.station)))

    live.replace(Settings(station="P2"))

    assert live.settings.station == "P2"
    assert heard == [("first", "P2"), ("second", "P2")]
