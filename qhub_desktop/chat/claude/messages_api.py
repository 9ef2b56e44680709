"""The wire format of the Messages API: the request that is sent, and the stream that is decoded."""

import asyncio
import codecs
import json
import math
import re
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast
from uuid import uuid4

from qhub_desktop.chat.claude import error_messages
from qhub_desktop.chat.claude.citations import CitedText, SentPassages
from qhub_desktop.chat.privacy import outgoing
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.context import Context, without_tags
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.errors import QHubError, ServiceError
from qhub_desktop.core.events import (
    BatchAnswer,
    ModelEvent,
    ModelRequest,
    RoundEnd,
    RoundEnded,
    StatusChanged,
    TextAdded,
    UsageBegun,
    UsageCounted,
)
from qhub_desktop.core.guard import Guarded
from qhub_desktop.core.message import (
    INTERRUPTED,
    RESULT_CHARACTERS,
    ChosenPlan,
    Clarification,
    Interpretation,
    Message,
    Notice,
    NumberCheck,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    ToolSpec,
    bounded,
)
from qhub_desktop.core.text import fold
from qhub_desktop.core.untrusted import (
    StreamFilter,
    clean_json,
    hide_secrets,
    map_texts,
    one_line,
    sanitize,
)
from qhub_desktop.core.untrusted_files import is_deeper

CONTINUE_PROMPT = "Continua."
LONGEST_ID = 64  # characters that the service takes
LONGEST_CUE = 2_000  # characters of a question that are looked at for what it is about
_NOT_SENT = (
    Guarded,
    Notice,
    Interpretation,
    ChosenPlan,
    Clarification,
    Citation,
    NumberCheck,
)  # for the person, or for the offline engine


def request_body(
    request: ModelRequest, *, model: str, has_thinking: bool, passages: SentPassages
) -> JsonObject:
    """Encode what may leave of a request, with what stays the same marked for the service's cache;
    passages of documents are added to `passages`.

    Of its four marks the prompt has one, which holds for the tools before it and so for every
    conversation of an agent, the data sets another, and the messages two.

    Raises UserError where nothing may leave.
    """
    request = outgoing(request)
    system: list[Json] = [
        _with_cache_mark({"type": "text", "text": sanitize(each)})
        for each in (request.stable_prompt, request.profiles_text)
        if each.strip()
    ]
    body: JsonObject = {
        "model": model,
        "max_tokens": request.answer_tokens,
        "messages": encode_messages(
            request.messages, passages=passages, most=request.result_characters
        ),
        "stream": True,
    }
    if system:
        body["system"] = system
    if tools := told_tools(request):
        body["tools"] = [
            {"name": each.name, "description": each.description, "input_schema": each.schema}
            for each in tools
        ]
        if request.must_call:
            body["tool_choice"] = {"type": "any"}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if has_thinking:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    return body


def told_tools(request: ModelRequest) -> list[ToolSpec]:
    """Return the tools that the model is told of.

    Schemas of a subject that a conversation has nothing to do with cost as much with every request
    as its answers. Until a person's words or a call tell that they are wanted, one short tool
    stands for them, which opens them; then they are told of for as long as that is in the history.
    """
    doors = {each.name: each for each in request.tools if each.cue}
    blocks = [(message.role, block) for message in request.messages for block in message.blocks]
    called = {block.name for _role, block in blocks if isinstance(block, ToolCall)}
    asked = fold(
        "\n".join(
            block.text[:LONGEST_CUE]
            for role, block in blocks
            if role == "user" and isinstance(block, Text)
        )
    )
    opened = {name for name, door in doors.items() if name in called or re.search(door.cue, asked)}
    opened |= {each.opened_by for each in request.tools if each.name in called}
    return [
        each
        for each in request.tools
        if each.name not in opened and (each.opened_by in opened or each.opened_by not in doors)
    ]


def encode_messages(
    messages: Sequence[Message], *, passages: SentPassages, most: int = RESULT_CHARACTERS
) -> list[Json]:
    """Encode messages with their blocks sorted into the two roles; mark the last for the cache, and
    the last question before it.

    From a mark the service looks for what it has only twenty blocks back, and a turn of many calls
    is longer; its thinking, too, is gone with the next question. The question before was the end of
    a request, so it is found there.

    The results of tools are sent with at most `most` characters each. Thinking goes back only for
    the answer under way: it is bound to all that came before it, and a trimmed history would no
    longer match.
    """
    names = _CallNames()
    sent: list[tuple[str, list[Json]]] = []
    for message in messages:
        if not sent and message.role == "assistant":
            continue  # a conversation begins with a question
        is_under_way = message is messages[-1]
        for role, blocks in _split_by_role(
            message, names, passages, most, has_reasoning=is_under_way
        ):
            if sent and sent[-1][0] == role:
                sent[-1][1].extend(blocks)
            else:
                sent.append((role, blocks))
    if not sent or sent[-1][0] == "assistant":
        # The service continues no words of the model's own: it must be asked to go on.
        sent.append(("user", [{"type": "text", "text": CONTINUE_PROMPT}]))
    questions = [
        (blocks, max(place for place, block in enumerate(blocks) if _is_text(block)))
        for role, blocks in sent
        if role == "user" and any(map(_is_text, blocks))
    ]
    closing = (sent[-1][1], len(sent[-1][1]) - 1)
    before = [each for each in questions if each[0] is not closing[0] or each[1] != closing[1]]
    for blocks, place in (*before[-1:], closing):
        blocks[place] = _with_cache_mark(cast("JsonObject", blocks[place]))
    return [{"role": role, "content": blocks} for role, blocks in sent]


def _is_text(block: Json) -> bool:
    return isinstance(block, dict) and block["type"] == "text"


class _CallNames:
    """Names for calls that the service accepts: of few characters, and never twice.

    Two engines may have answered in one conversation, and each counts its calls for itself.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, call_id: str) -> str:
        """Return a name for a new call."""
        name = _acceptable(call_id)
        if name in self._taken:
            name = f"call_{len(self._taken)}"
            while name in self._taken:
                name += "_"
        self._taken.add(name)
        return name


def _acceptable(name: str) -> str:
    """Write the name of a call or of a tool in the characters that the service accepts."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:LONGEST_ID] or "call"


def _split_by_role(
    message: Message,
    names: _CallNames,
    passages: SentPassages,
    most: int,
    *,
    has_reasoning: bool,
) -> Iterator[tuple[str, list[Json]]]:
    """Split a message by role: its own words, then the results of its calls, and so on."""
    # What a model is told besides stands before the person's words.
    said: list[Json] = [
        {"type": "text", "text": block.text}
        for block in message.blocks
        if isinstance(block, Context)
    ]
    is_question = message.role == "user"
    results: list[Json] = []
    cited = [block for block in message.blocks if isinstance(block, Citation)]
    open_calls: dict[str, list[str]] = {}  # ids as stored, and as sent
    for block in message.blocks:
        if results and not isinstance(block, (ToolResult, *_NOT_SENT)):
            yield message.role, said
            yield "user", [*results, *_interrupted(open_calls)]
            said, results, open_calls = [], [], {}
        match block:
            case Text(text) if text.strip():
                words = without_tags(text) if is_question else passages.history_text(text, cited)
                if words.strip():
                    said.append({"type": "text", "text": words})
            case Reasoning(payload) if has_reasoning:
                said.append(payload)
            case ToolCall(call_id, name, given) if not is_question:
                sent = names.name(call_id)
                # Two calls of one id, as an earlier version stored them: one result each, in order.
                open_calls.setdefault(call_id, []).append(sent)
                said.append(
                    {"type": "tool_use", "id": sent, "name": _acceptable(name), "input": given}
                )
            case ToolResult(call_id) if open_calls.get(call_id):
                sent = open_calls[call_id].pop(0)
                if block.passages:
                    told = passages.encode(block, most=most)
                else:
                    told = sanitize(_written(bounded(block.content, most=most)))
                results.append(_result(sent, told, is_error=block.is_error))
            case _:
                pass
    if said:
        yield message.role, said
    if results or any(open_calls.values()):
        yield "user", [*results, *_interrupted(open_calls)]


def _interrupted(open_calls: Mapping[str, Sequence[str]]) -> list[Json]:
    return [
        _result(name, _json(INTERRUPTED), is_error=True)
        for names in open_calls.values()
        for name in names
    ]


def _result(name: str, content: Json, *, is_error: bool) -> JsonObject:
    result: JsonObject = {
        "type": "tool_result",
        "tool_use_id": name,
        "content": content,
    }
    if is_error:
        result["is_error"] = True
    return result


def _written(content: Json) -> str:
    """Write a result for a model: a table as lines under the rest, which takes half of what the
    same takes in JSON; else as JSON.
    """
    match content:
        case {"colunas": list(names), "tipos": list(kinds), "linhas": list(rows), **rest} if all(
            isinstance(each, list) and len(each) == len(names) for each in (kinds, *rows)
        ):
            told = [f"{name}: {_cell(cast('Json', each))}" for name, each in rest.items()]
            heads = [f"{_cell(name)}:{kind}" for name, kind in zip(names, kinds, strict=True)]
            lines = [[_cell(each) for each in cast("list[Json]", row)] for row in rows]
            return "\n".join([", ".join(told), *(",".join(line) for line in (heads, *lines))])
        case _:
            return _json(content)


_HEAD = r'(?:"(?:[^"\\]|\\.)*"|[^",\n]+):[a-z]+'
_HEADS = re.compile(rf"{_HEAD}(?:,{_HEAD})*")


def rows_in(text: str) -> int:
    """Return how many rows of a table `_written` has told in the text of a result."""
    _rest, *lines = text.split("\n")
    return len(lines) - 1 if lines and _HEADS.fullmatch(lines[0]) else 0


_PLAIN = re.compile(r"[^\W\d][\w .%()/+-]*(?<! )|\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?)?")


def _cell(value: Json) -> str:
    """Write a cell so that it cannot be taken for two, for another line or for no text."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value not in _JSON_WORDS:
        return value
    return _json(value)


_JSON_WORDS = {"null", "true", "false"}


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _with_cache_mark(block: JsonObject) -> JsonObject:
    return {**block, "cache_control": {"type": "ephemeral"}}


STOP_REASONS: dict[str, RoundEnd] = {
    "tool_use": "tools",
    "max_tokens": "tokens",
    "model_context_window_exceeded": "tokens",
    "refusal": "refused",
    "pause_turn": "paused",
}


MOST_CHARACTERS = 8_000_000  # of one answer: thirty times what the longest answers have
MOST_TOKENS = 10**12  # a count beyond is a mistake of the service
DEEPEST_INPUT = 60  # levels of a tool's input: far more than any schema of ours has


class MalformedError(ValueError):
    """An event that makes no sense."""


class WebPageError(ValueError):
    """A web page came instead of an answer."""


class FailedStreamError(Exception):
    """The service says in the middle of its answer, in `body`, what went wrong."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__()
        self.body = body


_FIELDS = (b"event", b"data", b"id", b"retry", b"")  # of server-sent events; without a name, a note


async def read_events(pieces: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Read the events of a body but pings, each with its type, as it or the line before it says.

    A message that came whole, as proxies send it, is one event. What a body is, its first line
    tells, and no header. Raises WebPageError, and ValueError for what is nothing of all that.
    """
    name = data = ""
    whole: list[bytes] = []
    is_stream = False
    async for line in _lines(pieces):
        if not is_stream and not whole:
            begun = line.removeprefix(codecs.BOM_UTF8).strip()
            if not begun:
                continue
            if begun.startswith(b"<"):
                raise WebPageError
            is_stream = begun.partition(b":")[0] in _FIELDS
        if not is_stream:
            whole.append(line)
            continue
        text = line.decode("utf-8-sig").rstrip("\r\n")
        match text.partition(":"):
            case "event", _, value:
                name = value.strip()
            case "data", _, value:
                data += f"\n{value}"
            case "", "", "":
                if data.strip() and (event := _event_of(name, data)).get("type") != "ping":
                    yield event
                name = data = ""
    if whole:
        yield _object_of(json.loads(b"".join(whole).decode("utf-8-sig")))
    if data:
        with suppress(ValueError):  # broken off within it, or whole but for the empty line
            yield _event_of(name, data)


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Split a body into lines, each with its end."""
    held = b""
    async for piece in pieces:
        lines = (held + piece).splitlines(keepends=True)
        # Of a line that ends with a carriage return the line feed may come with the next piece.
        held = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            yield line
    if held:
        yield held


def _event_of(name: str, data: str) -> dict[str, Any]:
    try:
        event = _object_of(json.loads(data))
    except ValueError:
        if name != "error":
            raise
        event = {"error": data}
    return {"type": name, **event} if name else event


def _object_of(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedError(value)
    return value


@dataclass(slots=True)
class _Block:
    """A content block while it arrives, with the pieces of what will be its whole."""

    content: dict[str, Any]
    words: CitedText
    pieces: list[str] = field(default_factory=list)
    signature: str = ""
    shown: StreamFilter = field(default_factory=StreamFilter)

    @property
    def is_call(self) -> bool:
        """Whether it asks for a tool."""
        return self.content.get("type") == "tool_use"


# What a block is of which the beginning was left out.
_KINDS = {
    "text_delta": "text",
    "citations_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
}


class StreamDecoder:
    """Decoder of one answer's stream, clean of half characters and secrets in use.

    A call is passed on only once something follows it: the last one may have been cut short by the
    limit on the answer's length, and would then look whole with nothing in it.
    """

    def __init__(self, model: str, passages: SentPassages) -> None:
        self._model = model
        self._passages = passages
        self._counts: dict[str, int] = {}
        self._open: dict[int | None, _Block] = {}  # by their places: gateways let calls overlap
        self._held: list[_Block] = []
        self._stop_reason = ""
        self._has_calls = False
        self._characters = 0
        self.request_id = ""  # the service's own ids, of the request and of the answer
        self._response_id = ""
        self.has_ended = False  # whether all of it has come, and was read
        self.is_final = False  # the same, read or not, or it is no answer of this format

    @property
    def usage(self) -> UsageCounted | None:
        """What the answer took so far, without its cost; `None` until the service has said it."""
        if not self._counts:
            return None
        return UsageCounted(
            model=self._model,
            input_tokens=self._counts.get("input_tokens", 0),
            output_tokens=self._counts.get("output_tokens", 0),
            cache_read_tokens=self._counts.get("cache_read_input_tokens", 0),
            cache_write_tokens=self._counts.get("cache_creation_input_tokens", 0),
            request_id=_own_id(self.request_id),
            response_id=_own_id(self._response_id),
        )

    @property
    def characters(self) -> int:
        """How much has arrived of words, thoughts and calls."""
        return self._characters

    @property
    def end(self) -> RoundEnded:
        """How it ended."""
        # Some local servers call for tools and say that they have finished.
        ended = STOP_REASONS.get(self._stop_reason, "tools" if self._has_calls else "complete")
        return RoundEnded(ended)

    def take(self, event: Mapping[str, Any]) -> Iterator[ModelEvent]:
        """Decode one event, or a whole message.

        Raises MalformedError where something of the answer is lost, FailedStreamError where the
        service says that it failed. Events of unknown kinds, and what an answer can do without, are
        passed over.
        """
        match event:
            case {"type": "content_block_delta", "delta": dict(delta)}:
                yield from self._grow(self._growing(event.get("index"), delta), delta)
            case {"type": "content_block_start", "content_block": dict(content)}:
                place = _place(event.get("index"))
                may_overlap = place is not None and content.get("type") == "tool_use"
                yield from self._close(may_overlap=may_overlap)
                yield from self._release()
                block = self._open[place] = _Block(content, CitedText(self._passages))
                if content.get("type") == "text" and content.get("text"):
                    yield from self._show_text(block, str(content["text"]))
                match content.get("citations"):
                    case list(locations):
                        for each in locations:
                            whole = {"type": "citations_delta", "citation": each}
                            yield from self._grow(block, whole)
            case {"type": "content_block_stop"}:
                if stopped := self._open.pop(_place(event.get("index")), None):
                    yield from self._stop(stopped)
            case {"type": "content_block_delta"}:
                raise MalformedError(event)
            case {"type": "message_start", "message": {"usage": dict(usage), **message}}:
                self._response_id = str(message.get("id") or "")
                self._count(usage)
                if (begun := self.usage) is not None:
                    yield UsageBegun(begun)
            case {"type": "message_delta"}:
                self._count(event.get("usage"))
                match event.get("delta"):
                    case {"stop_reason": str(reason)} if reason:
                        yield from self._end(reason)
            case {"type": "message_stop"}:
                yield from self._end(self._stop_reason)
            case {"type": "message", "content": list(blocks)}:
                yield from self._take_whole(event, blocks)
            case {"role": "assistant", "content": list(blocks)}:
                yield from self._take_whole(event, blocks)
            case {"type": "error"}:
                raise FailedStreamError(event)
            case {"type": str(kind)} if kind != "message":
                return
            case _:
                self.is_final = True
                raise MalformedError(event)

    def _take_whole(
        self, message: Mapping[str, Any], blocks: Sequence[Any]
    ) -> Iterator[ModelEvent]:
        yield from self.take({"type": "message_start", "message": message})
        for block in blocks:
            yield from self.take({"type": "content_block_start", "content_block": block})
            yield from self.take({"type": "content_block_stop"})
        yield from self._end(str(message.get("stop_reason") or ""))

    def _growing(self, index: object, delta: Mapping[str, Any]) -> _Block:
        """Return the block that a delta belongs to, begun or not."""
        place = _place(index)
        if place in self._open:
            return self._open[place]
        if self._open and (place is None or None in self._open):
            return [*self._open.values()][-1]
        kind = _KINDS.get(str(delta.get("type")))
        if kind is None and delta.get("partial_json"):
            raise MalformedError(delta)
        return self._open.setdefault(place, _Block({"type": kind}, CitedText(self._passages)))

    def _close(self, *, may_overlap: bool = False) -> Iterator[ModelEvent]:
        """Stop what is still open; calls may stay so while another one begins."""
        for place, block in [*self._open.items()]:
            if not (may_overlap and block.is_call):
                del self._open[place]
                yield from self._stop(block)

    def _end(self, reason: str) -> Iterator[ModelEvent]:
        self.is_final = True
        if reason != "max_tokens":
            yield from self._close()
            yield from self._release()
        self._stop_reason = reason
        self.has_ended = True

    def finish(self) -> Iterator[ModelEvent]:
        """Show what is still held back of words and thoughts: nothing more will come."""
        for block in self._open.values():
            yield from self._show_rest(block)

    def _show_rest(self, block: _Block) -> Iterator[ModelEvent]:
        rest = block.shown.finish()
        if block.content.get("type") != "thinking":
            yield from block.words.feed(rest) if rest else ()
            yield from block.words.finish()
        elif rest:
            yield StatusChanged("thinking", rest)

    def _show_text(self, block: _Block, text: str) -> Iterator[ModelEvent]:
        self._count_characters(text)
        if shown := block.shown.feed(text):
            yield from block.words.feed(shown)

    def _count_characters(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > MOST_CHARACTERS:
            raise MalformedError("an answer without end")

    def _grow(self, block: _Block, delta: dict[str, Any]) -> Iterator[ModelEvent]:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                yield from self._show_text(block, text)
            case {"type": "thinking_delta", "thinking": str(thought)}:
                self._count_characters(thought)
                block.pieces.append(thought)
                if shown := block.shown.feed(thought):
                    yield StatusChanged("thinking", shown)
            case {"type": "citations_delta", "citation": dict(location)}:
                block.words.cite(location)
            case {"type": "signature_delta", "signature": str(signature)}:
                block.signature += signature
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                self._count_characters(piece)
                block.pieces.append(piece)
            case {"type": "text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"}:
                raise MalformedError(delta)
            case _:
                return

    def _stop(self, block: _Block) -> Iterator[ModelEvent]:
        yield from self._show_rest(block)
        match block.content.get("type"):
            case "thinking":
                thought = str(block.content.get("thinking", "")) + "".join(block.pieces)
                signature = str(block.content.get("signature", "")) + block.signature
                payload = {**block.content, "thinking": thought, "signature": signature}
                # It goes back as it came, for it is signed; but half a character cannot be sent.
                yield Reasoning(cast("JsonObject", map_texts(payload, sanitize)))
            case "redacted_thinking":
                yield Reasoning(cast("JsonObject", map_texts(block.content, sanitize)))
            case "tool_use":
                self._held.append(block)
            case _:
                return

    def _release(self) -> Iterator[ModelEvent]:
        held, self._held = self._held, []
        for block in held:
            name = block.content.get("name")
            if not isinstance(name, str):
                raise MalformedError("a call without a name")
            written = "".join(block.pieces)
            given = _json_of(written) if written.strip() else block.content.get("input", {})
            if not isinstance(given, dict) or is_deeper(given, DEEPEST_INPUT):
                raise MalformedError("input of a tool")
            self._has_calls = True
            call_id = str(block.content.get("id") or f"call_{uuid4().hex}")
            call_id, name = (hide_secrets(one_line(each)) for each in (call_id, name))
            yield ToolCall(call_id, name, cast("JsonObject", clean_json(given)))

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._counts |= {
                name: count
                for name, count in usage.items()
                if isinstance(count, int) and 0 <= count <= MOST_TOKENS
            }


def _own_id(id_: str) -> str:
    return hide_secrets(one_line(id_))[:LONGEST_ID]


def _place(index: object) -> int | None:
    return index if isinstance(index, int) else None


def _json_of(written: str) -> Json:
    """Parse JSON; numbers that it has no way to write, such as NaN, become none.

    The input goes back to the service with the next round, which such a number would prevent.
    """
    value: Json = json.loads(written, parse_constant=_no_number, parse_float=_finite)
    return value


def _no_number(_name: str) -> None:
    return None


def _finite(written: str) -> float | None:
    number = float(written)  # '1e999' is infinite
    return number if math.isfinite(number) else None


PAUSE_S = 0.010  # pieces are gathered for so long: nobody reads a hundred a second

Take = Callable[[ModelEvent], None]


async def batched(
    read: Callable[[Take], Coroutine[None, None, QHubError | None]],
) -> AsyncIterator[ModelEvent]:
    """Yield what `read` takes in, in batches of a readable pace; then raise what it returns, if
    anything.

    Reading is a task of its own, so that its time limits strike there and never in the consumer's
    code. Leaving the generator half way cancels it, without awaiting anything: under qasync nobody
    closes a generator that is dropped.
    """
    arrived: list[ModelEvent] = []
    fresh = asyncio.Event()

    def take(event: ModelEvent) -> None:
        arrived.append(event)
        fresh.set()

    reader = asyncio.create_task(read(take))
    reader.add_done_callback(lambda _reader: fresh.set())
    try:
        while arrived or not reader.done():
            await fresh.wait()
            fresh.clear()
            batch = list(_joined(arrived))
            arrived.clear()
            for event in batch:
                yield event
            if not reader.done():
                await asyncio.sleep(PAUSE_S)
    finally:
        reader.cancel()
    if failure := reader.result():
        raise failure


async def countdown(error: ServiceError, wait_s: float) -> AsyncIterator[StatusChanged]:
    """Wait, and yield every second how long it will still be."""
    loop = asyncio.get_running_loop()
    end = loop.time() + wait_s
    for left in range(math.ceil(wait_s), 0, -1):
        yield StatusChanged("retrying", error_messages.retry_text(error.fault), wait_s=left)
        await asyncio.sleep(end - (left - 1) - loop.time())


def _joined(events: Iterable[ModelEvent]) -> Iterator[ModelEvent]:
    """Join neighbouring pieces of text into one event."""
    for kind, group in groupby(events, type):
        if kind is TextAdded:
            yield TextAdded("".join(each.content for each in group if isinstance(each, TextAdded)))
        elif kind is StatusChanged:  # a service streams no other status than its thoughts
            thoughts = (each.text for each in group if isinstance(each, StatusChanged))
            yield StatusChanged("thinking", "".join(thoughts))
        else:
            yield from group


def batch_answer(line: Any) -> tuple[str, BatchAnswer]:
    """Decode a line of what a batch has come to: the name of its request, and its answer.

    Raises KeyError, TypeError, AttributeError or ValueError for a malformed one.
    """
    name, result = str(line["custom_id"]), line["result"]
    if result["type"] != "succeeded":
        return name, BatchAnswer()
    message = result["message"]
    counts = message["usage"]
    calls = tuple(
        ToolCall(str(each["id"]), str(each["name"]), dict(each["input"]))
        for each in message["content"]
        if each["type"] == "tool_use"
    )
    usage = UsageCounted(
        str(message["model"]),
        int(counts["input_tokens"]),
        int(counts["output_tokens"]),
        int(counts.get("cache_read_input_tokens") or 0),
        int(counts.get("cache_creation_input_tokens") or 0),
        response_id=_own_id(str(message["id"])),
    )
    return name, BatchAnswer(calls, usage)
