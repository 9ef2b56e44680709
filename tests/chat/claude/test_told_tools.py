"""Which tools a model is told of: those of a subject only once a conversation is about it."""

import pytest

from qhub_desktop.chat.claude.messages_api import told_tools
from qhub_desktop.core.message import Message, Text, ToolCall, ToolSpec
from qhub_desktop.tools.studies import CUE, METHODS, StudyTools
from tests.bench.bench_thrift import SESSION
from tests.chat.requests import TOOLS, answered, asked, request_of, result

DOOR = ToolSpec("estatistica", "Abre.", {"type": "object"}, cue=CUE)
ROOM = tuple(
    ToolSpec(name, "Calcula.", {"type": "object"}, opened_by="estatistica") for name in METHODS
)
ALL = (*TOOLS, DOOR, *ROOM)
CLOSED = [each.name for each in (*TOOLS, DOOR)]
OPENED = [each.name for each in (*TOOLS, *ROOM)]


def told(*messages: Message, tools: tuple[ToolSpec, ...] = ALL) -> list[str]:
    return [each.name for each in told_tools(request_of(*messages, tools=tools))]


@pytest.mark.parametrize(
    "question",
    [
        "faz uma carta p dos defeitos por dia",
        "Carta C dos defeitos por turno",
        "p chart of defects per day, is it in control?",
        "qual é o Cpk da espessura entre 80 e 120?",
        "capabilidade da espessura, LIE = 80",
        "há diferença entre turnos?",
        "is there a difference between shifts?",
        "existe diferença significativa?",
        "qual é o FTQ por turno?",
        "plano de amostragem para um lote de 2000, NQA 2,5",
        "mapa de concentração por rack e posição",
        "estudo R&R da espessura",
        "pareto dos defeitos",
    ],
)
def test_a_question_of_statistics_has_its_tools_at_once(question: str) -> None:
    assert told(asked(question)) == OPENED


@pytest.mark.parametrize("question", [question for question, _sql, _answer in SESSION])
def test_a_usual_question_is_not_sent_with_them(question: str) -> None:
    assert told(asked(question)) == CLOSED


def test_a_model_opens_them_itself_and_they_stay_open() -> None:
    call = answered(ToolCall("a", "estatistica", {}), result("a", {}), Text("Vejo."))
    used = answered(ToolCall("a", "capacidade", {}), result("a", {}), Text("1,2."))

    assert told(asked("É bom?"), call) == OPENED
    assert told(asked("É bom?"), used, asked("E ontem?")) == OPENED
    assert told(asked("faz uma carta p"), answered(Text("Feito.")), asked("E ontem?")) == OPENED


def test_an_answer_in_words_opens_nothing() -> None:
    assert told(asked("É bom?"), answered(Text("Veja o Cpk.")), asked("E ontem?")) == CLOSED


def test_an_agent_without_the_door_has_what_it_lists() -> None:
    assert told(asked("É bom?"), tools=(*TOOLS, *ROOM)) == OPENED


def test_every_method_stands_behind_the_door() -> None:
    declared = {
        name: method.declared_tool
        for name, method in vars(StudyTools).items()
        if hasattr(method, "declared_tool")
    }

    assert set(declared) == {"estatistica", *METHODS}
    assert all(declared[name].opened_by == "estatistica" for name in METHODS)
    assert all(name in (StudyTools.estatistica.__doc__ or "") for name in METHODS)
