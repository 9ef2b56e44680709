"""Conversations as the service wants them, whatever happened in them."""

import json
from typing import Any, cast

import pytest

from qhub_desktop.chat.claude.citations import SentPassages
from qhub_desktop.chat.claude.messages_api import encode_messages, rows_in
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import (
    Chip,
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Notice,
    Reasoning,
    Text,
    ToolCall,
)
from tests.chat.requests import NOW, TOOLS, answered, asked, result
from tests.wire.rules import Issued, complaint

THOUGHT: JsonObject = {"type": "thinking", "thinking": "Hum.", "signature": "c2ln"}
COUNT = ToolCall("a1", "contar_defeitos", {"turno": "noite"})
TOP = ToolCall("a2", "top_defeitos", {})
UNDERSTOOD = Interpretation({"by": "turno"}, (Chip("dimension", "turno"),))
ASKED = Clarification("Qual?", (Choice("lixo", {"by": "lixo"}),))

HISTORIES = {
    "a question": [asked("Quantos?")],
    "an answer without words": [asked("Quantos?"), answered(), asked("Então?")],
    "an answer of blank words": [asked("Quantos?"), answered(Text("  \n")), asked("Então?")],
    "two questions in a row": [asked("Quantos?"), asked("Então?")],
    "an answer first": [answered(COUNT, result("a1", 1)), asked("Quantos?")],
    "a call that a kill left open": [asked("Quantos?"), answered(COUNT), asked("Então?")],
    "one of two calls open": [
        asked("Quantos?"),
        answered(COUNT, TOP, result("a2", 5)),
        asked("Então?"),
    ],
    "a result of nothing": [asked("Quantos?"), answered(result("a9", 1)), asked("Então?")],
    "results out of order": [
        asked("Quantos?"),
        answered(COUNT, TOP, result("a2", 5), result("a1", 59)),
    ],
    "three rounds in one answer": [
        asked("Quantos?"),
        answered(
            Text("Vejo."),
            COUNT,
            result("a1", 59),
            Text("E agora."),
            TOP,
            result("a2", 5),
            Notice("cut", "A ligação caiu."),
        ),
        asked("Então?"),
    ],
    "a plan between calls": [
        Message(MessageId(1), "user", (Text("por turno"), ChosenPlan({"by": "turno"})), NOW),
        answered(COUNT, result("a1", 59), UNDERSTOOD, Text("59"), TOP, result("a2", 5), ASKED),
        asked("Então?"),
    ],
    "calls named alike by two engines": [
        asked("Quantos?"),
        answered(COUNT, result("a1", 59), engine="offline"),
        asked("E de dia?"),
        answered(COUNT, result("a1", 141), Text("141"), engine="offline"),
        asked("Então?"),
    ],
    "calls with strange names": [
        asked("Quantos?"),
        answered(ToolCall("offline:1/çã " + "x" * 99, "contar_defeitos", {}), engine="offline"),
        asked("Então?"),
    ],
    "an answer to be continued": [asked("Conta tudo"), answered(Text("Primeiro,"))],
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
def test_every_history_is_one_that_the_service_takes(history: list[Message]) -> None:
    sent = encode_messages(history, passages=SentPassages(are_cited=True))

    tools = [{"name": each.name, "input_schema": each.schema} for each in TOOLS]
    body = {"model": "m", "max_tokens": 1, "messages": sent, "tools": tools}
    assert complaint(body, Issued()) == ""


def test_each_call_keeps_its_own_result() -> None:
    sent = _sent(HISTORIES["calls named alike by two engines"])

    calls = [block for block in _blocks(sent) if block["type"] == "tool_use"]
    results = {
        block["tool_use_id"]: block["content"]
        for block in _blocks(sent)
        if block["type"] == "tool_result"
    }
    assert [results[each["id"]] for each in calls] == ["59", "141"]


def test_a_call_without_result_is_told_to_be_interrupted() -> None:
    sent = _sent(HISTORIES["a call that a kill left open"])

    closed = sent[2]["content"][0]
    assert closed["is_error"] is True
    assert json.loads(closed["content"]) == {"erro": "interrompido; pode ter sido executado"}
    assert sent[2]["content"][1]["text"] == "Então?"


def test_a_result_is_brief_json_with_its_letters_readable() -> None:
    sent = _sent([asked("?"), answered(COUNT, result("a1", {"à noite": [1, None]}, is_error=True))])

    assert sent[2]["content"][0] == {
        "type": "tool_result",
        "tool_use_id": "a1",
        "content": '{"à noite":[1,null]}',
        "is_error": True,
        "cache_control": {"type": "ephemeral"},
    }


def test_a_table_is_lines_in_which_no_cell_can_pass_for_another() -> None:
    cells: list[Json] = ["lixo", "a,b", 'diz "não"', "null", "12", "", " x", None, True, -1.5]
    cells += ["2026-02-02", "2026-02-02T06:30:00.25", "2026-02-02T06:30"]
    table: Json = {
        "colunas": ["tipo", "n, total"],
        "tipos": ["category", "integer"],
        "linhas": [*([cell, place] for place, cell in enumerate(cells)), ["x\nlixo,62", 62]],
        "total_linhas": 14,
        "avisos": ["a, b"],
    }
    sent = _sent([asked("?"), answered(COUNT, result("a1", table))])

    assert sent[2]["content"][0]["content"].split("\n") == [
        'total_linhas: 14, avisos: ["a, b"]',
        'tipo:category,"n, total":integer',
        "lixo,0",
        '"a,b",1',
        '"diz \\"não\\"",2',
        '"null",3',
        '"12",4',
        '"",5',
        '" x",6',
        "null,7",
        "true,8",
        "-1.5,9",
        "2026-02-02,10",
        "2026-02-02T06:30:00.25,11",
        '"2026-02-02T06:30",12',
        '"x\\nlixo,62",62',
    ]
    assert rows_in(sent[2]["content"][0]["content"]) == len(cells) + 1


def test_a_turn_of_many_calls_is_found_in_the_cache_from_its_question_on() -> None:
    many = [ToolCall(f"c{n}", "contar_defeitos", {}) for n in range(12)]
    rounds = [block for each in many for block in (each, result(each.id, 1))]
    first, second = answered(*rounds, Text("Um.")), answered(*rounds[:4])
    under_way = _sent([asked("A"), first, asked("B"), second])
    next_question = _sent([asked("A"), first, asked("B"), answered(Text("Dois.")), asked("C")])

    assert _marked(under_way[:-1]) == ["B"]
    assert "cache_control" in under_way[-1]["content"][-1]
    assert _marked(next_question) == ["B", "C"]
    assert _marked(_sent([asked("A")])) == ["A"]


def _marked(sent: list[dict[str, Any]]) -> list[str]:
    return [block.get("text", "") for block in _blocks(sent) if "cache_control" in block]


def test_what_is_no_table_stays_json() -> None:
    ragged: Json = {"colunas": ["a", "b"], "linhas": [[1]]}
    sent = _sent([asked("?"), answered(COUNT, result("a1", ragged))])

    assert json.loads(sent[2]["content"][0]["content"]) == ragged
    assert rows_in(sent[2]["content"][0]["content"]) == 0


def test_thinking_is_kept_in_its_place_in_the_answer_under_way_only() -> None:
    done = answered(Reasoning(THOUGHT), COUNT, result("a1", 1), Text("59"))
    under_way = answered(
        Reasoning(THOUGHT), COUNT, result("a1", 2), Reasoning(THOUGHT), TOP, result("a2", 3)
    )
    sent = _sent([asked("Um"), done, asked("Dois"), under_way])

    kinds = [[block["type"] for block in message["content"]] for message in sent]
    assert kinds[1] == ["tool_use"]
    assert kinds[5] == kinds[7] == ["thinking", "tool_use"]


def test_an_answer_cut_by_its_length_is_asked_to_go_on() -> None:
    sent = _sent(HISTORIES["an answer to be continued"])

    assert sent[-1]["content"][0]["text"] == "Continua."


def _sent(history: list[Message]) -> list[dict[str, Any]]:
    return cast(
        "list[dict[str, Any]]", encode_messages(history, passages=SentPassages(are_cited=True))
    )


def _blocks(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [block for message in sent for block in message["content"]]


def test_plans_and_what_could_be_chosen_are_not_told() -> None:
    sent = _sent(HISTORIES["a plan between calls"])

    kinds = [block["type"] for block in _blocks(sent)]
    assert kinds == ["text", "tool_use", "tool_result", "text", "tool_use", "tool_result", "text"]
    assert "by" not in json.dumps(sent)
