"""The judge that costs nothing: numbers without a tool, errors, and another language."""

import pytest

from qhub_desktop.chat.judge import judge_offline, language_in
from qhub_desktop.core.feedback import AnswerCase
from qhub_desktop.core.message import Block, Notice, Text, ToolCall, ToolResult
from tests.chat.requests import answered, asked

CALL = ToolCall("c", "contar_defeitos", {})
COUNT = ToolResult("c", {"total": 62})


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ((CALL, COUNT, Text("Há 62 defeitos de lixo na linha.")), ""),
        ((Text("Há 62 defeitos de lixo na linha."),), "asked no tool"),
        ((CALL, COUNT, Text("Há 71 defeitos de lixo na linha.")), "comes from no tool"),
        ((Text("Não sei."), Notice("network", "Sem rede.")), "ended with an error"),
        ((CALL, ToolResult("c", {"erro": "x"}, is_error=True), Text("Não deu.")), "calls failed"),
        (
            (CALL, COUNT, Text("There are 62 of them, and that is the most of all the defects.")),
            "another language",
        ),
        ((Notice("offline", "Sem rede: respondeu o motor da casa."), Text("Olá.")), ""),
    ],
)
def test_an_answer_is_flagged_for_what_is_wrong_with_it(
    blocks: tuple[Block, ...], why: str
) -> None:
    question = asked("quantos defeitos de lixo é que há na linha?")
    verdict, numbers = judge_offline(AnswerCase("qualidade", question, answered(*blocks)))
    assert verdict.is_good == (not why), verdict.why
    assert why in verdict.why
    assert numbers.count("supported") + numbers.count("unsupported") <= 1


def test_a_number_said_before_is_no_fault() -> None:
    before = (asked("quantos?"), answered(CALL, COUNT, Text("São 1362.")))
    again = answered(Text("Eram 1362."))
    verdict, _numbers = judge_offline(AnswerCase("a", asked("repete"), again, before))
    assert verdict.is_good


def test_a_language_is_told_by_its_small_words_alone() -> None:
    assert language_in("quantos são os defeitos que há na linha?") == "pt"
    assert language_in("how many of the defects are in this line?") == "en"
    assert language_in("top 5 R10") is None
