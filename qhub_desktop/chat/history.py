"""A conversation as the Messages service wants it: roles in turn, every call with its result."""

import json
import re
from collections.abc import Iterator, Sequence

from qhub_desktop.chat.model import ModelRequest, ToolSpec
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.messages import Message, Notice, Reasoning, Text, ToolCall, ToolResult
from qhub_desktop.core.understanding import Asked, Understood, Wanted

INTERRUPTED: Json = {"erro": "interrompido"}
GO_ON = "Continua."
LONGEST_ID = 64
_UNSAID = (Notice, Understood, Wanted, Asked)  # for the person, or for the offline engine


def request_body(request: ModelRequest, *, model: str, has_thinking: bool) -> JsonObject:
    """The whole request, streamed, with what stays the same marked for the service's cache."""
    system: list[Json] = [
        _marked({"type": "text", "text": each})
        for each in (request.stable_prompt, request.profiles_text)
        if each.strip()
    ]
    body: JsonObject = {
        "model": model,
        "max_tokens": request.answer_tokens,
        "messages": wire_messages(request.messages),
        "stream": True,
    }
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = _tools(request.tools)
    if has_thinking:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    return body


def wire_messages(messages: Sequence[Message]) -> list[Json]:
    """Messages with their blocks sorted into the two roles; the last one carries a cache mark.

    Thinking goes back only for the answer under way: it is bound to all that came before it, and
    a trimmed history would no longer match.
    """
    names = _CallNames()
    sent: list[tuple[str, list[Json]]] = []
    for message in messages:
        if not sent and message.role == "assistant":
            continue  # a conversation begins with a question
        is_under_way = message is messages[-1]
        for role, blocks in _sides(message, names, has_reasoning=is_under_way):
            if sent and sent[-1][0] == role:
                sent[-1][1].extend(blocks)
            else:
                sent.append((role, blocks))
    if not sent or sent[-1][0] == "assistant":
        # The service continues no words of the model's own: it must be asked to go on.
        sent.append(("user", [{"type": "text", "text": GO_ON}]))
    last = sent[-1][1]
    closing = last[-1]
    assert isinstance(closing, dict)
    last[-1] = _marked(closing)
    return [{"role": role, "content": blocks} for role, blocks in sent]


class _CallNames:
    """Names for calls that the service accepts: of few characters, and never twice.

    Two engines may have answered in one conversation, and each counts its calls for itself.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, call_id: str) -> str:
        """The name for a new call."""
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)[:LONGEST_ID] or "call"
        if name in self._taken:
            name = f"call_{len(self._taken)}"
            while name in self._taken:
                name += "_"
        self._taken.add(name)
        return name


def _sides(
    message: Message, names: _CallNames, *, has_reasoning: bool
) -> Iterator[tuple[str, list[Json]]]:
    """What the message becomes: its own words, then the results of its calls, and so on."""
    said: list[Json] = []
    results: list[Json] = []
    open_calls: dict[str, str] = {}  # ids as stored, and as sent
    for block in message.blocks:
        if results and not isinstance(block, (ToolResult, *_UNSAID)):
            yield message.role, said
            yield "user", [*results, *_interrupted(open_calls)]
            said, results, open_calls = [], [], {}
        match block:
            case Text(text) if text.strip():
                said.append({"type": "text", "text": text})
            case Reasoning(payload) if has_reasoning:
                said.append(payload)
            case ToolCall(call_id, name, given):
                open_calls[call_id] = names.name(call_id)
                said.append(
                    {"type": "tool_use", "id": open_calls[call_id], "name": name, "input": given}
                )
            case ToolResult(call_id) if call_id in open_calls:
                results.append(
                    _result(open_calls.pop(call_id), block.content, is_error=block.is_error)
                )
            case _:
                pass
    if said:
        yield message.role, said
    if results or open_calls:
        yield "user", [*results, *_interrupted(open_calls)]


def _interrupted(open_calls: dict[str, str]) -> list[Json]:
    return [_result(name, INTERRUPTED, is_error=True) for name in open_calls.values()]


def _result(name: str, content: Json, *, is_error: bool) -> JsonObject:
    result: JsonObject = {
        "type": "tool_result",
        "tool_use_id": name,
        "content": json.dumps(content, ensure_ascii=False),
    }
    if is_error:
        result["is_error"] = True
    return result


def _tools(tools: Sequence[ToolSpec]) -> list[Json]:
    told: list[JsonObject] = [
        {"name": each.name, "description": each.description, "input_schema": each.schema}
        for each in tools
    ]
    return [*told[:-1], _marked(told[-1])]


def _marked(block: JsonObject) -> JsonObject:
    return {**block, "cache_control": {"type": "ephemeral"}}
