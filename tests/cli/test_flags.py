"""Abilities switched from the command line, for good and for one run."""

import json
from pathlib import Path

import pytest

from qhub_desktop import app
from tests.cli.conftest import Call
from tests.wire import Refusal, WireServer, answer


def _flags(call: Call) -> dict[str, str]:
    code, out, _err = call("flags", "--json")
    assert code == 0
    flags: dict[str, str] = json.loads(out)
    return flags


def test_abilities_are_listed_and_switched(call: Call) -> None:
    usual = {"guard": "on", "guard_model": "off", "figures": "on"}
    usual |= {"signals": "on", "judge": "off", "examples": "on"}
    usual |= {"questions": "on", "memory": "show", "session_search": "on", "patterns": "on"}
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

    def answer(question: str) -> tuple[str, list[str]]:
        nonlocal talk
        going_on = ("--conversation", talk) if talk else ()
        code, out, err = call("ask", "--engine", "offline", "--json", *going_on, question)
        assert code == 0, err
        events = [json.loads(line) for line in out.splitlines()]
        talk = talk or json.loads(call("conversations", "--json")[1])[0]["id"]
        (offered,) = (each["next"] for each in events if each["type"] == "understanding")
        return "".join(each["content"] for each in events if each["type"] == "text"), offered

    _usual, offered = answer("quantos defeitos por turno?")
    hurried, offered_in_a_hurry = answer("estou com pressa: quantos defeitos por turno?")
    again, _none = answer("é urgente: quantos defeitos por material?")

    assert len(offered) == 2
    assert offered_in_a_hurry == []
    assert "responsável" not in hurried
    assert again.endswith("Chame o responsável da estação.")


def test_habits_are_counted_from_the_command_line(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_a_model_names_subjects_where_there_is_one_and_the_request_is_kept(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for by in ("material", "turno", "tipo"):
        assert call("ask", "--engine", "offline", f"quantos defeitos por {by} de noite?")[0] == 0
        (talk, *_others) = json.loads(call("conversations", "--json")[1])
        again = ("--conversation", talk["id"], "obrigado")
        assert call("ask", "--engine", "offline", *again)[0] == 0
    before = json.loads(call("conversations", "--json")[1])
    named = answer('[{"nome": "Defeitos da noite", "palavras": ["defeitos", "noite"]}]')
    no = Refusal(400, "invalid_request_error", "no")
    with WireServer([named, no]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        texts = [each["text"] for each in json.loads(call("patterns", "run", "--json")[1])]
        code, again_texts, err = call("patterns", "run", "--json")

    assert any("Defeitos da noite" in each for each in texts)
    assert (code, [each["text"] for each in json.loads(again_texts)]) == (0, texts)
    assert err.count("\n") == 1
    kept = [json.loads(line) for line in call("sent", "--json")[1].splitlines()]
    assert [each["model"] for each in kept] == ["claude-haiku-5-5"] * 2
    assert kept[0]["message"] is not None
    assert [each["key"] for each in json.loads(call("costs", "--by", "model", "--json")[1])] == [
        "claude-haiku-5-5"
    ]
    assert json.loads(call("conversations", "--json")[1]) == before
