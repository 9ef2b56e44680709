"""What a small model is asked of a request."""

from dataclasses import replace

import pytest

from qhub_desktop.chat.local.narrowing import (
    LEAST_RESULT_CHARACTERS,
    MOST_TOOLS,
    narrowed,
    shorter,
)
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import ServiceError
from qhub_desktop.core.message import Text, ToolCall, ToolResult, ToolSpec
from tests.chat.requests import answered, asked, request_of

MANY = tuple(
    ToolSpec(
        f"ferramenta_{number}",
        "Faz uma coisa. E explica-a longamente.",
        {"type": "object", "properties": {"x": {"type": "string", "description": "longa"}}},
    )
    for number in range(20)
)


def test_the_tools_that_are_wanted_come_first_then_those_used_before_and_none_is_long() -> None:
    before = answered(ToolCall("a", "ferramenta_17", {}), ToolResult("a", {}))
    request = request_of(asked("Antes"), before, asked("Agora"), tools=MANY)

    told = narrowed(request, wanted=["ferramenta_12"], prompt="Breve.", knows_tools=True)

    assert [each.name for each in told.tools][:2] == ["ferramenta_12", "ferramenta_17"]
    assert len(told.tools) == MOST_TOOLS
    assert {each.description for each in told.tools} == {"Faz uma coisa"}
    assert told.tools[0].schema == {"type": "object", "properties": {"x": {"type": "string"}}}
    assert (told.must_call, told.temperature, told.stable_prompt) == (True, 0.0, "Breve.")


def test_a_property_that_is_called_description_stays() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"description": {"type": "string", "title": "T"}},
    }
    tool = ToolSpec("registar", "Regista.", schema)

    (told,) = narrowed(request_of(tools=(tool,)), wanted=(), prompt="", knows_tools=True).tools

    assert told.schema["properties"] == {"description": {"type": "string"}}


def test_nothing_must_be_called_once_there_are_results_or_where_no_tool_is_wanted() -> None:
    under_way = answered(ToolCall("a", "contar_defeitos", {}), ToolResult("a", {}))
    begun = request_of(asked("Quantos?"), under_way)

    assert not narrowed(begun, wanted=("contar_defeitos",), prompt="", knows_tools=True).must_call
    assert not narrowed(request_of(), wanted=(), prompt="", knows_tools=True).must_call
    without = narrowed(request_of(), wanted=("contar_defeitos",), prompt="", knows_tools=False)
    assert (without.tools, without.must_call) == ((), False)


def test_the_oldest_question_goes_first_then_results_then_tools_and_then_it_is_said() -> None:
    request = replace(
        request_of(asked("A"), answered(Text("a")), asked("B"), tools=MANY[:4]),
        result_characters=LEAST_RESULT_CHARACTERS * 2,
    )

    one = shorter(request)
    two = shorter(one)
    three = shorter(two)

    assert [each.text for each in one.messages] == ["B"]
    assert two.result_characters == LEAST_RESULT_CHARACTERS
    assert len(three.tools) == 2
    with pytest.raises(ServiceError):
        shorter(three)
