"""Answers as gateways, proxies and local servers change them: kept, and asked for once."""

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from qhub_desktop.core.errors import Fault, ServiceError, UserError
from qhub_desktop.core.events import Done, ErrorHappened, RoundEnded, UsageCounted
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text, ToolCall
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, turns_with
from tests.chat.requests import PATIENT, claude_at, hear
from tests.wire import Call, WireServer, answer, calls
from tests.wire.events import events, sse, whole
from tests.wire.scenes import Answer, Raw, Scene, thinking

Event = dict[str, Any]
Change = Callable[[Event], Iterator[Event]]

SAID = "São 62 de lixo e 31 de casca."
CALL = Call("contar_defeitos", {"turno": "noite"}, id="toolu_1")
OTHER = Call("top_defeitos", {"n": 5}, id="toolu_2")
MODEL = "claude-sonnet-5-5"


def _without(*names: str) -> Change:
    """Leave out whole events of these types."""

    def change(event: Event) -> Iterator[Event]:
        if event["type"] not in names:
            yield event

    return change


def _altered(name: str, **fields: Any) -> Change:
    """Put other values in the events of one type; `...` takes a field out."""

    def change(event: Event) -> Iterator[Event]:
        made = {**event, **fields} if event["type"] == name else event
        yield {field: value for field, value in made.items() if value is not ...}

    return change


def _usage_of_start(usage: Any) -> Change:
    def change(event: Event) -> Iterator[Event]:
        if event["type"] == "message_start":
            message = {**event["message"], "usage": usage}
            event = {**event, "message": {k: v for k, v in message.items() if v is not ...}}
        yield event

    return change


def _before(name: str, *more: Event) -> Change:
    """Put further events before the last of one type."""

    def change(event: Event) -> Iterator[Event]:
        yield from more if event["type"] == name else ()
        yield event

    return change


def _no_index(event: Event) -> Iterator[Event]:
    yield {name: value for name, value in event.items() if name != "index"}


UNKNOWN_BLOCK = (
    {"type": "content_block_start", "index": 7, "content_block": {"type": "hologram"}},
    {"type": "content_block_delta", "index": 7, "delta": {"type": "light_delta", "light": 1}},
    {"type": "content_block_stop", "index": 7},
)

CHANGES: dict[str, Change] = {
    "no usage at the start": _usage_of_start(...),
    "usage of null at the start": _usage_of_start(None),
    "null in the usage at the start": _usage_of_start({"input_tokens": None, "output_tokens": 1}),
    "no message at the start": _altered("message_start", message=None),
    "no start": _without("message_start"),
    "no usage at the end": _altered("message_delta", usage=...),
    "usage of null at the end": _altered("message_delta", usage=None),
    "no stop reason": _altered("message_delta", delta={"stop_reason": None}),
    "no delta at the end": _altered("message_delta", delta=None),
    "nothing said of the end": _without("message_delta"),
    "no last event": _without("message_stop"),
    "no index": _no_index,
    "no index at the beginning of a block": _altered("content_block_start", index=...),
    "blocks that never stop": _without("content_block_stop"),
    "an unknown event": _before("message_delta", {"type": "weather", "delta": 1}),
    "an unknown block": _before("message_delta", *UNKNOWN_BLOCK),
}


def _raw(scene: Answer, change: Change) -> Raw:
    told = (made for event in events(scene, MODEL) for made in change(event))
    return Raw(b"".join(sse(each) for each in told))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_an_answer_without_what_it_can_do_without_is_whole(change: Change) -> None:
    called = calls(CALL, OTHER, text="Vou ver.")
    script: list[Scene] = [_raw(answer(SAID), change), _raw(called, change)]
    with WireServer(script) as server:
        async with claude_at(server.url, settings=PATIENT) as claude:
            words, both = await hear(claude), await hear(claude)

    assert (words.failure, words.text) == (None, SAID)
    assert words.events[-1] == RoundEnded("complete")
    assert (both.failure, both.text) == (None, "Vou ver.")
    assert both.of(ToolCall) == [ToolCall(each.id, each.name, each.input) for each in (CALL, OTHER)]
    assert both.events[-1] == RoundEnded("tools")
    assert len(server.requests) == 2


async def test_text_whose_beginning_was_left_out_is_kept() -> None:
    with WireServer([_raw(answer(SAID), _without("content_block_start"))]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, SAID)


async def test_calls_that_overlap_each_keep_their_own_input() -> None:
    told = [*events(calls(CALL, OTHER), MODEL)]
    blocks = [[each for each in told if each.get("index") == place] for place in (0, 1)]
    mixed = [step for both in zip(*blocks, strict=False) for step in both]
    rest = [step for each in blocks for step in each[min(map(len, blocks)) :]]
    body = b"".join(sse(each) for each in (told[0], *mixed, *rest, *told[-2:]))
    with WireServer([Raw(body)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    made = {each.id: each.input for each in heard.of(ToolCall)}
    assert made == {CALL.id: CALL.input, OTHER.id: OTHER.input}


WORDS = answer(SAID)


def _stream(scene: Answer = WORDS) -> bytes:
    return b"".join(sse(each) for each in events(scene, MODEL))


def _whole(scene: Answer = WORDS, **fields: Any) -> bytes:
    return json.dumps({**whole(scene, MODEL), **fields}, indent=1).encode()


PLAIN = "application/json"
GZIP = (("content-encoding", "gzip"),)
BODIES = {
    "a message whole": Raw(_whole(), kind=PLAIN),
    "a message whole, called events": Raw(_whole()),
    "a message whole, its type left out": Raw(_whole(type=None), kind=PLAIN),
    "a message whole, without usage": Raw(_whole(usage=None), kind=PLAIN),
    "a message whole, after a mark and blanks": Raw(b"\xef\xbb\xbf\n " + _whole(), kind=PLAIN),
    "a message whole, packed": Raw(gzip.compress(_whole()), 200, GZIP, PLAIN),
    "events, packed": Raw(gzip.compress(_stream()), 200, GZIP),
    "events, called a web page": Raw(_stream(), kind="text/html"),
    "events after a mark": Raw(b"\xef\xbb\xbf" + _stream()),
    "events after a note": Raw(b": connected\n\n" + _stream()),
    "events without their names": Raw(
        b"\n".join(each for each in _stream().split(b"\n") if not each.startswith(b"event"))
    ),
    "events named by a line alone": Raw(
        b"".join(
            f"event: {each.pop('type')}\ndata: {json.dumps(each)}\n\n".encode()
            for each in events(answer(SAID), MODEL)
        )
    ),
    "events with ends of Windows": Raw(_stream().replace(b"\n", b"\r\n")),
    "events with data on several lines": Raw(_stream().replace(b',"delta"', b',\ndata: "delta"')),
    "events without the last empty line": Raw(_stream().rstrip()),
    "events and a last word of another format": Raw(_stream() + b"data: [DONE]\n\n"),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
async def test_an_answer_in_another_form_is_read(body: Raw) -> None:
    with WireServer([body]) as server:
        async with claude_at(server.url, settings=PATIENT) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, SAID)
    assert heard.events[-1] == RoundEnded("complete")
    assert len(server.requests) == 1


async def test_the_services_own_ids_are_kept_with_what_an_answer_took(store: Store) -> None:
    talk = (await store.conversations.create(AGENT.id)).id
    with WireServer([answer(SAID)]) as server:
        async with claude_at(server.url, settings=PATIENT) as claude:
            await turns_with(store, claude, settings=PATIENT).reply(
                talk, "quantos?", audience=Person()
            )

    (usage,) = await store.messages.usage((await store.messages.latest(talk))[-1].id)
    assert (usage.request_id, usage.response_id) == ("req_test", "msg_test")
    with pytest.raises(UserError, match="msg_test"):
        await store.conversations.find(ConversationId("msg_test"))


async def test_a_message_that_came_whole_is_counted_and_its_calls_are_made() -> None:
    scene = calls(CALL, OTHER, text="Vou ver.", thought="Hum.")
    with WireServer([Raw(_whole(scene), kind=PLAIN)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.text == "Vou ver."
    assert [each.input for each in heard.of(ToolCall)] == [CALL.input, OTHER.input]
    assert heard.of(UsageCounted) == [UsageCounted(MODEL, 120, 34, cost_usd=0.00058)]
    assert heard.events[-1] == RoundEnded("tools")


def _error(**fault: Any) -> bytes:
    return sse({"type": "error", "error": fault})


FAILED: dict[str, tuple[Raw, Fault, str, int]] = {
    "a web page called events": (Raw(b"\n<html>Entrar</html>"), "network", "A web page", 4),
    "a page of the network": (
        Raw(b"<html>Bloqueado</html>", 403, kind="text/html"),
        "network",
        "A web page",
        4,
    ),
    "another format, whole": (Raw(b'{"choices": []}', kind=PLAIN), "malformed", "no sense", 1),
    "another format": (Raw(b'data: {"choices": []}\n\n'), "malformed", "no sense", 1),
    "no format": (Raw(b"Access denied", kind="text/plain"), "malformed", "no sense", 4),
    "a message cut": (Raw(_whole()[:-20], kind=PLAIN), "malformed", "no sense", 4),
    "an error whole": (
        Raw(b'{"type":"error","error":{"type":"overloaded_error"}}', kind=PLAIN),
        "overloaded",
        "too busy",
        4,
    ),
    "an error without a form": (Raw(b"event: error\ndata: x\n\n"), "overloaded", "problem", 4),
    "an error of null": (Raw(sse({"type": "error", "error": None})), "overloaded", "problem", 4),
    "a call of no sense, whole": (
        Raw(_stream(calls(Call("contar_defeitos", {}, raw_input='{"turno": ')))),
        "malformed",
        "no sense",
        1,
    ),
}


@pytest.mark.parametrize(("body", "fault", "words", "tries"), FAILED.values(), ids=[*FAILED.keys()])
async def test_what_came_instead_is_told_and_nothing_whole_is_asked_for_again(
    body: Raw, fault: Fault, words: str, tries: int
) -> None:
    with WireServer([body] * 4) as server:
        async with claude_at(server.url, settings=PATIENT) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, ServiceError)
    assert heard.failure.fault == fault
    assert words in str(heard.failure)
    assert len(server.requests) == tries


async def test_an_error_after_words_is_told_after_them() -> None:
    body = _stream().partition(b"event: message_delta")[0] + _error(type="overloaded_error")
    with WireServer([Raw(body)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.text == SAID
    assert "too busy" in str(heard.failure)
    assert len(server.requests) == 1


async def test_an_error_after_the_end_takes_nothing_back() -> None:
    body = _stream().partition(b"event: message_stop")[0] + _error(type="overloaded_error")
    with WireServer([Raw(body)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, SAID)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("pauses", "end"), [(1, Done("complete")), (3, Done("complete")), (4, Done("limit", "rounds"))]
)
async def test_an_answer_that_pauses_goes_on_three_times_at_most(
    pauses: int, end: Done, store: Store
) -> None:
    pause = thinking("Hum.", "Até aqui. ", stop_reason="pause_turn")
    person = Person()
    with WireServer([*[pause] * pauses, answer("Fim.")]) as server:
        async with claude_at(server.url) as claude:
            talk = (await store.conversations.create(AGENT.id)).id
            await turns_with(store, claude).reply(talk, "Quantos?", audience=person)
    kept = (await store.messages.latest(talk))[-1].blocks

    assert person.all(Done) == [end]
    assert person.all(ErrorHappened) == []
    said = "".join(each.text for each in kept if isinstance(each, Text))
    assert said == "Até aqui. " * pauses + ("Fim." if end == Done("complete") else "")
    assert len(server.requests) == min(pauses + 1, 4)
