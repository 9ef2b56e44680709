"""Scenes as the service writes them: server-sent events, whole messages, models."""

import json
from collections.abc import Iterator
from typing import Any

from tests.wire.scenes import Answer, Call, Thought, Words


def events(scene: Answer, model: str) -> Iterator[dict[str, Any]]:
    """Everything that a streamed answer consists of."""
    message = {**whole(scene, model), "content": [], "stop_reason": None}
    message["usage"] = {**message["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": message}
    yield {"type": "ping"}
    for index, block in enumerate(scene.blocks):
        yield {"type": "content_block_start", "index": index, "content_block": _opening(block)}
        for delta in _deltas(block, scene.size):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": scene.stop_reason, "stop_sequence": None},
        "usage": whole(scene, model)["usage"],
    }
    yield {"type": "message_stop"}


def _opening(block: Words | Thought | Call) -> dict[str, Any]:
    match block:
        case Words(citations=citations):
            return {"type": "text", "text": "", **({"citations": []} if citations else {})}
        case Thought(is_redacted=True):
            return content(block)
        case Thought():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case Call():
            return {**content(block), "input": {}}


def _deltas(block: Words | Thought | Call, size: int) -> Iterator[dict[str, Any]]:
    match block:
        case Words(text, citations):
            for location in citations:
                yield {"type": "citations_delta", "citation": location}
            for piece in _pieces(text, size):
                yield {"type": "text_delta", "text": piece}
        case Thought(is_redacted=True):
            return
        case Thought(text, signature):
            for piece in _pieces(text, size):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": signature}
        case Call():
            written = json.dumps(block.input, ensure_ascii=False)
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in _pieces(written if block.raw_input is None else block.raw_input, size):
                yield {"type": "input_json_delta", "partial_json": piece}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def content(block: Words | Thought | Call) -> dict[str, Any]:
    """A block as a whole."""
    match block:
        case Words(text, citations):
            written = {"citations": [*citations]} if citations else {}
            return {"type": "text", "text": text, **written}
        case Thought(text, is_redacted=True):
            return {"type": "redacted_thinking", "data": text}
        case Thought(text, signature):
            return {"type": "thinking", "thinking": text, "signature": signature}
        case Call():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}


def whole(scene: Answer, model: str) -> dict[str, Any]:
    """The answer as one message."""
    usage = scene.usage
    return {
        "id": "msg_test",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [content(each) for each in scene.blocks],
        "stop_reason": scene.stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cache_read_input_tokens": usage.cache_read_tokens,
            "cache_creation_input_tokens": usage.cache_write_tokens,
        },
    }


def model(declared: dict[str, Any]) -> dict[str, Any]:
    """A model as the catalogue lists it."""
    return {
        "type": "model",
        "display_name": declared["id"],
        "created_at": "2026-09-01T00:00:00Z",
        "deprecated_at": None,
        "retires_at": None,
        **declared,
    }


def sse(event: dict[str, Any]) -> bytes:
    """One event in its form on the wire."""
    written = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {written}\n\n".encode()
