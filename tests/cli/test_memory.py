"""What is known of a person, from the command line: the verb, and sentences asked offline."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call


def _notes(call: Call) -> list[dict[str, Any]]:
    code, out, err = call("memory", "--json")
    assert code == 0, err
    notes: list[dict[str, Any]] = json.loads(out)
    return notes


def _asked(call: Call, *words: str) -> list[dict[str, Any]]:
    code, out, err = call("ask", *words, "--engine", "offline", "--json")
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def _answer(events: list[dict[str, Any]]) -> str:
    return "".join(each["content"] for each in events if each["type"] == "text")


def test_notes_are_put_renamed_pinned_and_deleted(call: Call, tmp_path: Path) -> None:
    assert call("memory", "put", "turno", "Trabalha à noite.")[0] == 0
    assert call("memory", "put", "turno", "Trabalha de manhã.", "--json")[0] == 0
    assert call("memory", "rename", "turno", "julia/turno")[0] == 0
    assert call("memory", "pin", "julia/turno")[0] == 0

    assert _notes(call) == [
        {
            "path": "/memories/julia/turno",
            "text": "Trabalha de manhã.",
            "pinned": True,
            "archived": False,
            "origin": "person",
            "conversation": "",
            "message": None,
        }
    ]
    assert call("memory", "show", "julia/turno")[1] == "Trabalha de manhã.\n"
    file = tmp_path / "notes.json"
    assert call("memory", "export", str(file))[0] == 0
    assert json.loads(file.read_text(encoding="utf-8")) == _notes(call)
    assert call("memory", "export", str(file))[0] == 1
    assert call("memory", "export", str(tmp_path / "notes.md"))[0] == 0
    assert "Trabalha de manhã." in (tmp_path / "notes.md").read_text(encoding="utf-8")

    assert call("memory", "clear")[0] == 1
    assert len(_notes(call)) == 1
    assert call("memory", "delete", "julia/turno")[0] == 0
    assert _notes(call) == []


@pytest.mark.parametrize(
    "words",
    [
        ("show", "nada"),
        ("put", "Turno", "a"),
        ("put", "../a", "a"),
        ("put", "a", " "),
        ("put", "a", 1001 * "a"),
        ("put", "a", "A palavra-passe é verão"),
        ("put", "aprendido/padroes", "a"),
        ("delete", "nada"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(call: Call, words: tuple[str, ...]) -> None:
    code, _out, err = call("memory", *words)

    assert (code, err.count("\n")) == (1, 1)
    assert _notes(call) == []


def test_services_are_refused_and_allowed_again(call: Call) -> None:
    out = call("memory", "services", "--refuse", "api.example.com", "--json")[1]
    assert json.loads(out) == {"refused": ["api.example.com"]}
    out = call("memory", "services", "--allow", "api.example.com", "--json")[1]
    assert json.loads(out) == {"refused": []}


@pytest.mark.parametrize(
    ("remember", "ask", "forget", "words"),
    [
        (
            "lembra-te que trabalho no turno da noite",
            "o que sabes de mim?",
            "esquece que trabalho à noite",
            "Trabalho no turno da noite",
        ),
        (
            "remember that I work on the night shift",
            "what do you know about me?",
            "forget what I told you about my night shift",
            "I work on the night shift",
        ),
    ],
)
def test_sentences_offline_go_through_the_tool(
    call: Call, remember: str, ask: str, forget: str, words: str
) -> None:
    events = _asked(call, remember)
    assert [each["name"] for each in events if each["type"] == "tool_use"] == ["memoria"]
    (used,) = (each for each in events if each["type"] == "tool_use")
    assert words in json.dumps(used, ensure_ascii=False)
    assert words not in _answer(events)  # said once, where it can be undone
    (note,) = _notes(call)
    assert (note["text"], note["origin"], bool(note["conversation"])) == (words, "person", True)

    assert words in _answer(_asked(call, ask))

    events = _asked(call, forget)
    uses = [each["input"]["comando"] for each in events if each["type"] == "tool_use"]
    assert uses == ["view", "delete"]
    assert _notes(call) == []


def test_a_note_is_forgotten_after_other_questions_but_no_filter_is_a_note(call: Call) -> None:
    call("memory", "put", "norte", "O cliente Norte rejeita casca de laranja.")
    call("memory", "put", "turno", "Trabalha no turno da noite.")
    talk = _asked(call, "quantos defeitos na noite?")[0]["id"]

    _asked(call, "esquece o turno", "--conversation", talk)
    assert len(_notes(call)) == 2

    events = _asked(call, "esquece o cliente Norte", "--conversation", talk)
    uses = [each["input"]["comando"] for each in events if each["type"] == "tool_use"]
    assert uses == ["view", "delete"]
    (left,) = _notes(call)
    assert left["path"] == "/memories/turno"


def test_everything_is_forgotten_only_where_somebody_can_say_yes(call: Call) -> None:
    call("memory", "put", "turno", "Trabalha à noite.")

    events = _asked(call, "apaga tudo o que sabes de mim")

    assert [each["type"] for each in events if each["type"] == "approval"] == ["approval"]
    assert len(_notes(call)) == 1
    assert call("memory", "clear", "--yes", "--json")[1].strip() == '{"deleted": 1}'


def test_what_is_never_written_is_not_written_offline(call: Call) -> None:
    events = _asked(call, "lembra-te que o Rui está doente")

    assert _notes(call) == []
    assert [each["is_error"] for each in events if each["type"] == "tool_use"] == [True]


def test_off_nothing_is_offered(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QHUB_FLAGS", "memory=off")

    events = _asked(call, "lembra-te que trabalho no turno da noite")

    assert not [each for each in events if each["type"] == "tool_use" and each["name"] == "memoria"]
    assert _notes(call) == []


def test_a_memory_is_no_topic_of_the_next_question(call: Call) -> None:
    code, out, _err = call("ask", "quantos defeitos de lixo?", "--engine", "offline", "--json")
    assert code == 0
    talk = next(
        each["id"] for each in json.loads(call("conversations", "--json")[1]) if "id" in each
    )
    before = _answer([json.loads(line) for line in out.splitlines()])
    _asked(call, "lembra-te que trabalho no turno da noite", "--conversation", talk)

    after = _answer(_asked(call, "e crateras?", "--conversation", talk))

    assert "62" in before
    assert "12" in after
