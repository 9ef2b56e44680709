"""What the real service refuses, so that a wrong request fails here as it would there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

FIELDS = frozenset(
    {
        "model",
        "messages",
        "max_tokens",
        "system",
        "tools",
        "stream",
        "thinking",
        "tool_choice",
        "metadata",
        "cache_control",
        "stop_sequences",
        "output_config",
        "service_tier",
    }
)
BLOCKS = {
    "user": frozenset({"text", "image", "document", "tool_result"}),
    "assistant": frozenset({"text", "tool_use", "thinking", "redacted_thinking"}),
}


@dataclass(frozen=True, slots=True)
class Issued:
    """What was sent before: thinking blocks by signature or data, and the calls that followed."""

    thoughts: dict[str, dict[str, Any]] = field(default_factory=dict)
    thoughtful_calls: set[str] = field(default_factory=set)


def complaint(body: dict[str, Any], issued: Issued) -> str:
    """Why the service would answer 400, in its own words; empty if it would not."""
    return next(_complaints(body, issued), "")


def _complaints(body: dict[str, Any], issued: Issued) -> Iterator[str]:
    if not all(map(_is_text, _texts(body))):
        yield "The request body is not valid JSON: no low surrogate in string"
    for name in body.keys() - FIELDS:
        yield f"{name}: Extra inputs are not permitted"
    for name, kind in (("model", str), ("max_tokens", int), ("messages", list)):
        if not isinstance(body.get(name), kind):
            yield f"{name}: Field required"
            return
    if not body["messages"]:
        yield "messages: at least one message is required"
    if body.get("tool_choice", {}).get("type") in ("any", "tool"):
        yield "tool_choice: forced tool use is not supported by this model"
    if body.get("thinking", {}).get("type") == "disabled":
        yield "thinking: this model does not support disabled thinking"
    marks = sum(1 for _ in _marked(body))
    if marks > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."
    yield from _about_messages(body, issued)


def _about_messages(body: dict[str, Any], issued: Issued) -> Iterator[str]:
    asked: list[str] = []
    seen: set[str] = set()
    expected = "user"
    for index, message in enumerate(body["messages"]):
        place = f"messages.{index}"
        role = message.get("role")
        if role != expected:
            yield f"{place}: roles must alternate between user and assistant, starting with user"
            return
        expected = "assistant" if role == "user" else "user"
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not blocks:
            yield f"{place}: user messages must have non-empty content"
            return
        yield from _about_blocks(place, role, blocks, issued)
        answered = [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"]
        if missing := [each for each in asked if each not in answered]:
            yield (
                f"{place}: `tool_use` ids were found without `tool_result` blocks immediately "
                f"after: {', '.join(missing)}. Each `tool_use` block must have a corresponding "
                "`tool_result` block in the next message."
            )
        if set(answered) - set(asked):
            yield f"{place}: unexpected `tool_use_id` found in `tool_result` blocks"
        if any(each["type"] != "tool_result" for each in blocks[: len(answered)]):
            yield f"{place}: `tool_result` blocks must come first"
        asked = [each["id"] for each in blocks if each["type"] == "tool_use"]
        if seen.intersection(asked) or len(set(asked)) != len(asked):
            yield f"{place}: `tool_use` ids must be unique"
        seen.update(asked)
        if (asked or answered) and not body.get("tools"):
            yield f"{place}: Requests which include `tool_use` blocks must define tools"
    if expected == "user":
        yield "This model does not support assistant message prefill."
    yield from _about_last_turn(body["messages"], issued)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for name, each in value.items():
                yield name
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)


def _is_text(value: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in value)


def _about_blocks(
    place: str, role: str, blocks: list[dict[str, Any]], issued: Issued
) -> Iterator[str]:
    for number, block in enumerate(blocks):
        where = f"{place}.content.{number}"
        kind = block.get("type")
        if kind not in BLOCKS[role]:
            yield f"{where}: {kind} blocks are not allowed in {role} messages"
        if kind == "text" and not block["text"].strip():
            yield f"{where}: text content blocks must contain non-whitespace text"
        if kind == "tool_use" and not isinstance(block.get("input"), dict):
            yield f"{where}.input: Input should be an object"
        for name in ("id", "name") if kind == "tool_use" else ():
            if not re.fullmatch("[a-zA-Z0-9_-]{1,128}", block[name]):
                yield f"{where}.{name}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if kind == "tool_result" and not isinstance(block.get("content", ""), (str, list)):
            yield f"{where}.content: Input should be a valid string"
        if kind == "tool_result" and isinstance(block.get("content"), list):
            yield from _about_results(where, block["content"])
        if kind in ("thinking", "redacted_thinking"):
            known = issued.thoughts.get(block.get("signature") or block.get("data", ""))
            if block != known:
                yield f"{where}: Invalid `signature` in `thinking` block"


def _about_results(where: str, content: list[dict[str, Any]]) -> Iterator[str]:
    """Search results in the result of a tool have all of their fields, and text to be cited."""
    for number, each in enumerate(content):
        place = f"{where}.content.{number}"
        if each.get("type") not in ("text", "image", "document", "search_result"):
            yield f"{place}: Input tag {each.get('type')!r} does not match any of the expected tags"
        if each.get("type") != "search_result":
            continue
        for name in {*each} - {"type", "source", "title", "content", "citations", "cache_control"}:
            yield f"{place}.search_result.{name}: Extra inputs are not permitted"
        for name in ("source", "title"):
            if not isinstance(each.get(name), str) or not each[name]:
                yield f"{place}.search_result.{name}: Input should be a valid string"
        texts = each.get("content")
        if not isinstance(texts, list) or not texts:
            yield f"{place}.search_result.content: Field required"
        elif any(one.get("type") != "text" or not one["text"].strip() for one in texts):
            yield f"{place}.search_result.content: text content blocks must be non-empty"
    if len({_cites(each) for each in content if each.get("type") == "search_result"}) > 1:
        yield f"{where}: citations must be enabled for all or none of the search results"


def _cites(result: dict[str, Any]) -> bool:
    return bool(result.get("citations", {}).get("enabled"))


def _about_last_turn(messages: list[dict[str, Any]], issued: Issued) -> Iterator[str]:
    """Within a turn the thinking before a call must come back with the call."""
    if len(messages) < 2 or messages[-1]["role"] != "user":
        return
    last, before = messages[-1]["content"], messages[-2]["content"]
    goes_on = isinstance(last, list) and any(each["type"] == "tool_result" for each in last)
    if not goes_on or not isinstance(before, list):
        return
    kinds = [each["type"] for each in before]
    ids = {each["id"] for each in before if each["type"] == "tool_use"}
    if ids & issued.thoughtful_calls and not {"thinking", "redacted_thinking"}.intersection(kinds):
        yield "Expected `thinking` or `redacted_thinking`, but found `tool_use`."


def _marked(value: Any) -> Iterator[None]:
    match value:
        case dict():
            if value.get("cache_control"):
                yield None
            for each in value.values():
                yield from _marked(each)
        case list():
            for each in value:
                yield from _marked(each)
        case _:
            pass
