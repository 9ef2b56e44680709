from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.settings import (
    SECTIONS,
    LiveSettings,
    Policy,
    Section,
    Settings,
    changed_settings,
    read_policy,
    read_settings,
    setting_infos,
    shifts_of,
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


def test_every_section_has_a_label_and_an_icon() -> None:
    assert set(SECTIONS) == set(get_args(Section))


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


def written(folder: Path, text: str, name: str = "policy.toml") -> Path:
    file = folder / name
    file.write_bytes(text.encode("utf-8"))
    return file


def test_a_policy_fixes_settings_and_the_computers_own_prevails(tmp_path: Path) -> None:
    beside = written(tmp_path, '[settings]\nengine = "claude"\nlanguage = "en"\n', "beside.toml")
    own = written(tmp_path, '\ufeff[settings]\nengine = "offline"\n', "own.toml")

    policy = read_policy([beside, tmp_path / "missing.toml", own])

    assert dict(policy.fixed) == {"engine": "offline", "language": "en"}
    assert policy.apply(Settings(engine="claude", rounds=3)) == Settings(
        engine="offline", language="en", rounds=3
    )


@pytest.mark.parametrize(
    ("text", "reason"), [("[settings", "end of document"), ("settings = 1", "only a table")]
)
def test_a_policy_of_which_nothing_can_be_read_is_named_and_opens_nothing(
    tmp_path: Path, text: str, reason: str
) -> None:
    file = written(tmp_path, text)

    with pytest.raises(UserError) as caught:
        read_policy([file])

    assert str(file) in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason", "fixed"),
    [
        ('motor = "offline"', "no setting 'motor'", {}),
        ("rounds = 99", "from 1 to 50", {"rounds": 8}),
        ("rows_sent = true", "not a valid value", {"rows_sent": 0}),
        ("station = 5", "not a valid value", {"station": ""}),
        ('engine = "gpt"', "choose one of the values", {"engine": "offline"}),
        ("endpoint = 5", "not a valid value", {"endpoint": "", "engine": "offline"}),
        (
            'engine = "claude"\nunencrypted_host = 1',
            "not a valid value",
            {"engine": "offline", "unencrypted_host": ""},
        ),
        (
            'engine = "offline"\nendpoint = "https://gateway.plant"',
            "never asked",
            {"engine": "offline", "endpoint": "https://gateway.plant"},
        ),
        ("question_s = 1.0\nanswer_s = 900.0", "must grow", {}),
    ],
)
def test_what_contradicts_in_a_policy_is_told_and_the_rest_of_it_holds(
    tmp_path: Path, text: str, reason: str, fixed: dict[str, object]
) -> None:
    file = written(tmp_path, f'[settings]\n{text}\ntheme = "dark"\n[other]\nx = 1\n')

    policy = read_policy([file])

    (told,) = policy.problems
    assert str(file) in told
    assert reason in told
    assert "not other" in told
    assert "The rest holds" in told
    assert dict(policy.fixed) == {**fixed, "theme": "dark"}
    assert policy.apply(Settings()).theme == "dark"


def test_a_later_policy_prevails_over_what_was_wrong_in_an_earlier_one(tmp_path: Path) -> None:
    beside = written(tmp_path, '[settings]\nengine = "gpt"\n', "beside.toml")
    own = written(tmp_path, '[settings]\nengine = "claude"\n', "own.toml")

    policy = read_policy([beside, own])

    assert policy.fixed == {"engine": "claude"}
    assert len(policy.problems) == 1


def test_a_policy_in_another_encoding_is_named(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes('[settings]\nstation = "Estação"\n'.encode("cp1252"))

    with pytest.raises(UserError, match="UTF-8"):
        read_policy([file])


def test_what_is_fixed_is_changed_by_nobody_and_stored_by_nobody() -> None:
    policy = Policy({"engine": "offline", "model": ""})
    live = LiveSettings(
        Settings(engine="claude", station="P1"), policy=policy, stored={"engine": "claude"}
    )
    heard: list[Settings] = []
    live.listen(heard.append)

    live.replace(Settings(engine="auto", model="other", station="P2"))

    assert live.settings == Settings(engine="offline", station="P2")
    assert heard == [live.settings]
    assert live.to_store() == {"station": "P2", "engine": "claude"}
    with pytest.raises(UserError, match="Engine: fixed"):
        policy.check("engine", "claude")
    policy.check("engine", "offline")
    policy.check("theme", "dark")


def test_no_variable_says_what_is_fixed() -> None:
    variables = {"ANTHROPIC_BASE_URL": "http://x", "ANTHROPIC_MODEL": "m", "ANTHROPIC_API_KEY": "k"}

    assert Policy({"endpoint": ""}).environment(variables) == {
        "ANTHROPIC_MODEL": "m",
        "ANTHROPIC_API_KEY": "k",
    }
    assert "ANTHROPIC_MODEL" not in Policy({"model": "a"}).environment(variables)
    assert Policy({"theme": "dark"}).environment(variables) == variables


@pytest.mark.parametrize("text", ["", "manhã 06:00", "Turno 1 6:00, Turno 2 14:00 ,noite 22:30"])
def test_shifts_are_names_with_times(text: str) -> None:
    found = shifts_of(Settings(shift_times=text))

    assert [*found] == [
        each.strip().rsplit(maxsplit=1)[0] for each in text.split(",") if each.strip()
    ]
    assert all(":" in begin for begin in found.values())


@pytest.mark.parametrize("text", ["manhã", "06:00", "manhã 6h, tarde", "manhã 25:00", ","])
def test_shifts_without_a_time_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(UserError, match="06:00"):
        Settings(shift_times=text)
