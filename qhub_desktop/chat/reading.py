"""One streamed answer: the service's events in, the model's events out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from qhub_desktop.chat.model import (
    CallMade,
    ModelEvent,
    Reconsidered,
    RoundEnd,
    RoundEnded,
    Spent,
    TextPiece,
    ThoughtPiece,
)
from qhub_desktop.core.messages import Reasoning, ToolCall

ENDS: dict[str, RoundEnd] = {
    "tool_use": "tools",
    "max_tokens": "tokens",
    "model_context_window_exceeded": "tokens",
    "refusal": "refused",
}


class MalformedError(ValueError):
    """An event that makes no sense."""


@dataclass(slots=True)
class _Block:
    """A content block while it arrives, with the pieces of what will be its whole."""

    content: dict[str, Any]
    pieces: list[str] = field(default_factory=list)
    signature: str = ""


class Reading:
    """What has been read of one answer so far.

    A call is passed on only once something follows it: the last one may have been cut short by the
    limit on the answer's length, and would then look whole with nothing in it.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._usage: dict[str, int] = {}
        self._block: _Block | None = None
        self._held: _Block | None = None
        self._stop_reason = ""
        self._has_calls = False
        self.is_complete = False

    @property
    def spent(self) -> Spent | None:
        """What the answer took so far; nothing if the service has not said yet."""
        if not self._usage:
            return None
        return Spent(
            model=self._model,
            input_tokens=self._usage.get("input_tokens", 0),
            output_tokens=self._usage.get("output_tokens", 0),
            cache_read_tokens=self._usage.get("cache_read_input_tokens", 0),
            cache_write_tokens=self._usage.get("cache_creation_input_tokens", 0),
        )

    @property
    def end(self) -> RoundEnded:
        """How it ended."""
        # Some local servers call for tools and say that they have finished.
        ended = ENDS.get(self._stop_reason, "tools" if self._has_calls else "complete")
        return RoundEnded(ended)

    def take(self, event: object) -> Iterator[ModelEvent]:
        """What this event means. Raises MalformedError; events of unknown kinds mean nothing."""
        match event:
            case {"type": "content_block_delta", "delta": dict(delta)} if self._block:
                yield from self._grow(self._block, delta)
            case {"type": "content_block_start", "content_block": dict(content)}:
                yield from self._release()
                self._block = _Block(content)
                if content.get("type") == "text" and content.get("text"):
                    yield TextPiece(str(content["text"]))
            case {"type": "content_block_stop"} if self._block:
                yield from self._stop(self._block)
                self._block = None
            case {"type": "message_start", "message": {"usage": dict(usage)}}:
                self._count(usage)
            case {"type": "message_delta", "delta": dict(delta), **rest}:
                self._stop_reason = str(delta.get("stop_reason") or "")
                self._count(rest.get("usage"))
                if self._stop_reason != "max_tokens":
                    yield from self._release()
            case {"type": "message_stop"}:
                self.is_complete = True
            case {"type": "content_block_delta" | "content_block_start" | "content_block_stop"}:
                raise MalformedError(event)
            case {"type": "message_delta" | "message_start"}:
                raise MalformedError(event)
            case {"type": str()}:
                return
            case _:
                raise MalformedError(event)

    def _grow(self, block: _Block, delta: dict[str, Any]) -> Iterator[ModelEvent]:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                yield TextPiece(text)
            case {"type": "thinking_delta", "thinking": str(thought)}:
                block.pieces.append(thought)
                yield ThoughtPiece(thought)
            case {"type": "signature_delta", "signature": str(signature)}:
                block.signature += signature
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                block.pieces.append(piece)
            case {"type": "text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"}:
                raise MalformedError(delta)
            case _:
                return

    def _stop(self, block: _Block) -> Iterator[ModelEvent]:
        match block.content.get("type"):
            case "thinking":
                thought = str(block.content.get("thinking", "")) + "".join(block.pieces)
                signature = str(block.content.get("signature", "")) + block.signature
                payload = {**block.content, "thinking": thought, "signature": signature}
                yield Reconsidered(Reasoning(payload))
            case "redacted_thinking":
                yield Reconsidered(Reasoning(block.content))
            case "tool_use":
                self._held = block
            case _:
                return

    def _release(self) -> Iterator[ModelEvent]:
        block, self._held = self._held, None
        if block is None:
            return
        match block.content:
            case {"id": str(call_id), "name": str(name)}:
                written = "".join(block.pieces)
                given = json.loads(written) if written.strip() else block.content.get("input", {})
                if not isinstance(given, dict):
                    raise MalformedError(given)
                self._has_calls = True
                yield CallMade(ToolCall(call_id, name, given))
            case _:
                raise MalformedError(block.content)

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {name: count for name, count in usage.items() if isinstance(count, int)}
