"""Abilities switched from the command line, for good and for one run."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from qhub_desktop import app
from qhub_desktop.store import patterns
from tests.cli.conftest import Call


def _flags(call: Call) -> dict[str, str]:
    code, out, _err = call("flags", "--json")
    assert code == 0
    flags: dict[str, str] = json.loads(out)
    return flags


def test_abilities_are_listed_and_switched(call: Call) -> None:
    usual = {"questions": "on", "memory": "show", "session_search": "on", "patterns": "on"}
    assert _flags(call) == {**usual, "tone": "off"}

    assert call("flags", "set", "tone", "on")[0] == 0
    assert call("flags", "set", "memory", "ask", "--json")[0] == 0

    assert _flags(call) == {**usual, "memory": "ask", "tone": "on"}


def test_a_run_has_flags_of_its_own(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QHUB_FLAGS", "tone=on, patterns=off")
    assert (_flags(call)["tone"], _flags(call)["patterns"]) == ("on", "off")

    monkeypatch.delenv("QHUB_FLAGS")
    assert (_flags(call)["tone"], _flags(call)["patterns"]) == ("off", "on")


@pytest.mark.parametrize("flags", ["telepathy=on", "tone=maybe", "tone"])
def test_a_flag_that_is_none_is_wrong_usage(
    call: Call, monkeypatch: pytest.MonkeyPatch, flags: str
) -> None:
    monkeypatch.setenv("QHUB_FLAGS", flags)
    code, _out, err = call("flags")

    assert code == 2
    assert "tone" in err


def test_a_flag_is_not_set_to_what_it_cannot_be(call: Call) -> None:
    code, _out, err = call("flags", "set", "memory", "on")
    assert (code, "show" in err) == (2, True)

    with pytest.raises(SystemExit) as ended:
        call("flags", "set", "telepathy", "on")
    assert ended.value.code == 2


def test_a_policy_prevails_over_a_run(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('[settings]\nmemory = "off"\n', encoding="utf-8")
    monkeypatch.setattr(app, "policy_files", lambda: (file,))
    monkeypatch.setenv("QHUB_FLAGS", "memory=show")

    assert _flags(call)["memory"] == "off"
    assert call("flags", "set", "memory", "show")[0] == 1


def test_offline_a_hurried_question_has_a_brief_answer_and_the_second_says_whom_to_call(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QHUB_FLAGS", "tone=on")
    talk = ""

    def answer(question: str) -> str:
        nonlocal talk
        going_on = ("--conversation", talk) if talk else ()
        code, out, err = call("ask", "--engine", "offline", "--json", *going_on, question)
        assert code == 0, err
        events = [json.loads(line) for line in out.splitlines()]
        talk = talk or json.loads(call("conversations", "--json")[1])[0]["id"]
        return "".join(each["content"] for each in events if each["type"] == "text")

    usual = answer("quantos defeitos por turno?")
    hurried = answer("estou com pressa: quantos defeitos por turno?")
    again = answer("é urgente: quantos defeitos por material?")

    assert "Pode perguntar a seguir" in usual
    assert "Pode perguntar" not in hurried
    assert "responsável" not in hurried
    assert again.endswith("Chame o responsável da estação.")


def test_habits_are_counted_from_the_command_line(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "REST", timedelta(0))
    for _n in range(3):
        assert call("ask", "--engine", "offline", "quantos defeitos por turno?")[0] == 0
        (talk, *_others) = json.loads(call("conversations", "--json")[1])
        again = ("--conversation", talk["id"], "e por material?")
        assert call("ask", "--engine", "offline", *again)[0] == 0

    found = json.loads(call("patterns", "run", "--json")[1])

    assert [(each["seen"], each["of"]) for each in found] == [(3, 3), (3, 3)]
    assert "Costuma perguntar" in found[0]["text"]
    assert "padroes" in call("memory")[1]
    assert len(json.loads(call("patterns", "delete", "1", "--json")[1])) == 1
    assert call("patterns", "delete", "9")[0] == 1
    monkeypatch.setenv("QHUB_FLAGS", "patterns=off")
    assert call("patterns")[0] == 1
