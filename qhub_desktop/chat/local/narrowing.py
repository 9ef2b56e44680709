"""What a small model is asked: few tools, told shortly, and as much of a history as it can read."""

import re
from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import ServiceError
from qhub_desktop.core.events import ModelRequest
from qhub_desktop.core.message import Message, Text, ToolCall, ToolResult, ToolSpec
from qhub_desktop.core.text import gettext as _

MOST_TOOLS = 8
ANSWER_TOKENS = 700
RESULT_CHARACTERS = 3_000
LEAST_RESULT_CHARACTERS = 400
MOST_FAILED = 2  # rounds without a call that worked
# What most questions need, where nothing else tells.
USUAL = ("consultar_dados", "gerar_grafico", "gerar_tabela", "gerar_kpi", "perfil_dados")
_SENTENCE = re.compile(r"[^.;:]*")


def narrowed(
    request: ModelRequest, *, wanted: Sequence[str], prompt: str, knows_tools: bool
) -> ModelRequest:
    """Return what of a request a small model is asked.

    `wanted` are the tools that the offline engine would use. The model must call one first where
    there are such, and nothing was called yet for this question.
    """
    used = [
        block.name
        for message in reversed(request.messages)
        for block in message.blocks
        if isinstance(block, ToolCall)
    ]
    rank = {name: place for place, name in reversed([*enumerate((*wanted, *used, *USUAL))])}
    last = len(rank) + len(USUAL) + len(wanted) + len(used)
    chosen = sorted(request.tools, key=lambda tool: rank.get(tool.name, last))[:MOST_TOOLS]
    is_first = request.messages[-1].role == "user"
    return replace(
        request,
        stable_prompt=prompt,
        tools=tuple(map(_short, chosen)) if knows_tools else (),
        answer_tokens=min(request.answer_tokens, ANSWER_TOKENS),
        result_characters=min(request.result_characters, RESULT_CHARACTERS),
        privacy="rows",  # nothing leaves this computer
        may_think=False,
        must_call=knows_tools and is_first and bool(wanted),
        temperature=0.0,
    )


def _short(tool: ToolSpec) -> ToolSpec:
    """Return a tool with the first sentence of its description, none of its parameters' left."""
    found = _SENTENCE.match(tool.description)
    first = found[0].strip() if found else ""
    schema = _undescribed(tool.schema)
    assert isinstance(schema, dict)
    return ToolSpec(tool.name, first or tool.description, schema, tool.gives)


def _undescribed(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_undescribed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _undescribed(each)
        for name, each in schema.items()
        if not (name in ("description", "title") and isinstance(each, str))
    }


def shorter(request: ModelRequest) -> ModelRequest:
    """Return a request that takes fewer tokens: without its oldest question, else with less of each
    result.

    Raises ServiceError where nothing can be left out.
    """
    messages = request.messages
    starts = [place for place, each in enumerate(messages) if each.role == "user"]
    if len(starts) > 1:
        return replace(request, messages=messages[starts[1] :])
    if request.result_characters > LEAST_RESULT_CHARACTERS:
        half = max(request.result_characters // 2, LEAST_RESULT_CHARACTERS)
        return replace(request, result_characters=half)
    if len(request.tools) > 2:
        return replace(request, tools=request.tools[: len(request.tools) // 2])
    raise ServiceError(
        _("This is more than the local model can read at once. Ask about less."), fault="refused"
    )


def trouble_in(answer: Message) -> str:
    """Return why a model gets nowhere with its answer so far, or ""."""
    calls = [block for block in answer.blocks if isinstance(block, ToolCall)]
    results = {block.call_id: block for block in answer.blocks if isinstance(block, ToolResult)}
    if len(calls) > 1 and calls[-1].name == calls[-2].name and calls[-1].input == calls[-2].input:
        return _("The local model repeats itself.")
    failed = [results[each.id].is_error for each in calls if each.id in results][-MOST_FAILED:]
    if len(failed) == MOST_FAILED and all(failed):
        return _("The local model makes no call that works.")
    return ""


def has_text(message: Message) -> bool:
    """Return whether a message says anything."""
    return any(isinstance(block, Text) and block.text.strip() for block in message.blocks)
