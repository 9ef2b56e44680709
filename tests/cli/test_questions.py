"""Questions in the middle of an answer, from the command line: answered at once, or late."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.wire import WireServer, answer, calls
from tests.wire.scenes import Scene

SHIFTS = ["manha", "tarde", "noite"]
SHIFT = ("perguntar_pessoa", {"pergunta": "Qual turno?", "opcoes": SHIFTS})
BY_SHIFT: tuple[str, dict[str, Any]] = ("defeitos_por_turno", {})


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Scene]]:
    """What the service plays, in order; it is asked whatever the settings say."""
    scenes: list[Scene] = []
    with WireServer(scenes) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        yield scenes
        assert len(server.requests) == len(scenes)


def ask(call: Call, *words: str) -> list[dict[str, Any]]:
    code, out, err = call("ask", "--engine", "claude", "--json", *words)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in events if each["type"] == kind]


def results(events: list[dict[str, Any]]) -> list[Any]:
    return [each["result"] for each in of(events, "tool_use")]


def listed(call: Call) -> list[dict[str, Any]]:
    code, out, _err = call("questions", "--json")
    assert code == 0
    found: list[dict[str, Any]] = json.loads(out)
    return found


@pytest.mark.parametrize("given", ["noite", "3"])
def test_an_answer_given_beforehand_reaches_the_model(
    call: Call, script: list[Scene], given: str
) -> None:
    script += [calls(SHIFT), calls(BY_SHIFT), answer("Na noite: 59.")]

    events = ask(call, "--answer", given, "Quantos defeitos?")

    asked, by_shift = results(events)
    assert asked == {"estado": "respondida", "opcoes": ["noite"], "texto": ""}
    assert by_shift["por_turno"]["noite"] == 59
    (question,) = of(events, "question")
    assert (question["text"], question["choices"]) == ("Qual turno?", SHIFTS)
    assert question["call_id"]
    assert question["wait_s"] == 300
    assert of(events, "tool_start")[0]["text"]
    assert listed(call) == []


def test_answers_go_in_order_and_then_nobody_is_there(call: Call, script: list[Scene]) -> None:
    script += [calls(SHIFT, SHIFT, SHIFT), answer("Feito.")]

    events = ask(call, "--answer", "noite", "--answer", "a de ontem", "Quantos?")

    first, second, third = results(events)
    assert (first["opcoes"], second["texto"]) == (["noite"], "a de ontem")
    assert third == {"estado": "sem_resposta", "motivo": "ninguem"}
    assert of(events, "done")[0]["reason"] == "complete"


def test_a_question_that_nobody_answered_is_answered_late(call: Call, script: list[Scene]) -> None:
    script += [calls(SHIFT), answer("Falta-me o turno."), answer("Na noite: 59.")]
    events = ask(call, "Quantos?")
    talk = events[0]["id"]
    (question,) = listed(call)
    assert question == {
        "id": question["id"],
        "conversation": talk,
        "text": "Qual turno?",
        "options": SHIFTS,
        "state": "open",
    }
    id_ = str(question["id"])

    assert call("answer", id_)[0] == 2
    assert call("answer", id_, "noite", "--option", "3")[0] == 2
    assert call("answer", id_, "--option", "4")[0] == 1
    assert call("answer", "77", "noite")[0] == 1
    code, out, err = call("answer", id_, "--option", "3", "--engine", "claude", "--json")

    assert code == 0, err
    assert json.loads(out.splitlines()[0]) == {"type": "conversation", "id": talk}
    shown = json.loads(call("show", talk, "--json")[1])["messages"]
    assert [each["role"] for each in shown] == ["user", "assistant", "user", "assistant"]
    assert shown[2]["text"] == "> Qual turno?\n\nnoite"
    assert listed(call) == []
    assert call("answer", id_, "noite")[0] == 1


def test_a_person_reads_the_question_and_what_is_done(call: Call, script: list[Scene]) -> None:
    script += [calls(SHIFT), answer("Feito.")]

    _code, out, err = call("ask", "--engine", "claude", "Quantos?")

    assert "Qual turno?\n  1. manha\n  2. tarde\n  3. noite\n" in out
    assert "A perguntar-lhe…" in err


def test_without_the_ability_nothing_is_offered(
    call: Call, script: list[Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QHUB_FLAGS", "questions=off")
    script += [calls(SHIFT), answer("Feito.")]

    events = ask(call, "--answer", "noite", "Quantos?")

    assert "não existe" in str(results(events))
    assert of(events, "question") == []
