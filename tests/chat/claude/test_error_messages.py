"""Everything that can go wrong between here and Claude, over real HTTP."""

import asyncio
import socket

import pytest

from qhub_desktop.core.errors import Fault, ServiceError, UserError
from qhub_desktop.core.events import RoundEnded, StatusChanged, TextAdded, UsageCounted
from qhub_desktop.core.message import ToolCall
from tests.chat.requests import (
    HURRIED,
    PATIENT,
    answered,
    asked,
    claude_at,
    hear,
    request_of,
    result,
)
from tests.wire import Call, Refusal, WireServer, answer, calls, rate_limited, scenes, thinking

LONG = answer("Uma resposta que é bastante longa. " * 4)


@pytest.mark.parametrize(
    ("scene", "fault", "words"),
    [
        (scenes.WRONG_KEY, "key", "refused the key"),
        (scenes.NO_CREDIT, "credit", "no credit left"),
        (scenes.NO_PAYMENT, "credit", "no credit left"),
        (scenes.SPENT_UP, "credit", "no credit left"),
        (scenes.FORBIDDEN, "refused", "does not allow"),
        (scenes.BAD_REQUEST, "refused", "did not accept the question"),
        (scenes.TOO_LONG, "refused", "too long"),
        (scenes.TOO_LARGE, "refused", "too long"),
        (Refusal(404, html="<h1>Not Found</h1>"), "other", "Correct the address"),
        (Refusal(400, html="<h1>Bad Request</h1>"), "refused", "(400)"),
    ],
)
async def test_what_a_person_can_correct_is_said_at_once(
    scene: Refusal, fault: Fault, words: str
) -> None:
    with WireServer([scene]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == fault
    assert words in str(heard.failure)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("scene", "fault", "words"),
    [
        (rate_limited(), "rate", "Too many questions"),
        (scenes.SERVER_ERROR, "overloaded", "problem of its own (500)"),
        (scenes.BAD_GATEWAY, "overloaded", "problem of its own (502)"),
        (scenes.OVERLOADED, "overloaded", "too busy"),
        (scenes.RESET, "network", "cannot be reached"),
        (scenes.CLOSED, "network", "cannot be reached"),
        (Refusal(200, html="<h1>Sign in</h1>"), "network", "web page"),
        (scenes.SILENCE, "stalled", "silent"),
        (LONG.broken_off("reset", after=0), "cut", "broke off"),
        (LONG.broken_off("end", after=0), "cut", "broke off"),
        (LONG.broken_off("stall", after=0), "stalled", "silent"),
        (LONG.broken_off("pings", after=0), "stalled", "silent"),
        (LONG.broken_off("error", after=0), "overloaded", "too busy"),
        (LONG.broken_off("malformed", after=0), "malformed", "no sense"),
        (LONG.broken_off("utf8", after=0), "malformed", "no sense"),
    ],
)
async def test_what_may_pass_is_tried_four_times_before_it_is_said(
    scene: scenes.Scene, fault: Fault, words: str
) -> None:
    # Only where silence is the fault: a busy machine may be silent for a while, too.
    settings = HURRIED if fault == "stalled" else PATIENT
    with WireServer([scene] * 4) as server:
        async with claude_at(server.url, settings=settings) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, ServiceError)
    assert heard.failure.fault == fault
    assert words in str(heard.failure)
    assert len(server.requests) == 4
    assert len(heard.of(StatusChanged)) == 3


@pytest.mark.parametrize(
    "scene", [rate_limited(), scenes.OVERLOADED, scenes.RESET, LONG.broken_off("error", after=0)]
)
async def test_a_fault_that_passes_is_only_a_pause(scene: scenes.Scene) -> None:
    with WireServer([scene, answer("62")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert (heard.failure, heard.text) == (None, "62")
    assert [event.kind for event in heard.of(StatusChanged)] == ["retrying"]


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ("reset", "cut"),
        ("close", "cut"),
        ("end", "cut"),
        ("stall", "stalled"),
        ("pings", "stalled"),
        ("error", "overloaded"),
        ("malformed", "malformed"),
        ("utf8", "malformed"),
    ],
)
async def test_an_answer_that_breaks_off_keeps_what_arrived_and_is_not_begun_again(
    how: scenes.Break, fault: Fault
) -> None:
    with WireServer([LONG.broken_off(how, after=3)]) as server:
        async with claude_at(server.url, settings=HURRIED) as claude:
            heard = await hear(claude)

    assert heard.text == "Uma resposta que é bastante longa."[:24]
    assert isinstance(heard.failure, ServiceError)
    assert heard.failure.fault == fault
    assert len(server.requests) == 1
    assert heard.of(RoundEnded) == []


async def test_an_answer_that_breaks_off_is_paid_for() -> None:
    with WireServer([LONG.broken_off("reset", after=3)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.of(UsageCounted) == [
        UsageCounted("claude-sonnet-5-5", 120, 7, cost_usd=0.00031, is_estimated=True)
    ]


async def test_thinking_that_was_seen_counts_as_an_answer_begun() -> None:
    scene = thinking("Deixa ver isto com calma.", "62").broken_off("reset", after=2)
    with WireServer([scene, answer("62")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.failure is not None
    assert len(server.requests) == 1


async def test_a_call_that_did_not_arrive_whole_is_dropped() -> None:
    scene = calls(("contar_defeitos", {"turno": "noite"}), text="Vou ver.").broken_off(
        "reset", after=4
    )
    with WireServer([scene]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.text == "Vou ver."
    assert heard.of(ToolCall) == []


@pytest.mark.parametrize("written", ['{"turno": "noi', "[1, 2]", '{"turno": }'])
async def test_a_call_whose_input_makes_no_sense_is_malformed(written: str) -> None:
    scene = calls(Call("contar_defeitos", {}, raw_input=written), text="Vou ver.")
    with WireServer([scene]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, ServiceError)
    assert heard.failure.fault == "malformed"
    assert heard.text == "Vou ver."


@pytest.mark.parametrize("written", ["NaN", "-Infinity", "1e999"])
async def test_a_number_that_json_does_not_know_becomes_none_and_can_be_sent_back(
    written: str,
) -> None:
    scene = calls(Call("contar_defeitos", {}, raw_input=f'{{"limite": {written}}}'))
    with WireServer([scene, answer("62")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)
            (called,) = heard.of(ToolCall)
            history = (asked("Quantos?"), answered(called, result(called.id, 62)))
            again = await hear(claude, request_of(*history))

    assert called.input == {"limite": None}
    assert (again.failure, again.text) == (None, "62")


async def test_the_wait_is_the_services_and_counts_down_in_sight() -> None:
    with WireServer([rate_limited(retry_after_s=2), answer("62")]) as server:
        async with claude_at(server.url) as claude:
            begun = asyncio.get_running_loop().time()
            heard = await hear(claude)
            took_s = asyncio.get_running_loop().time() - begun

    waits = heard.of(StatusChanged)
    assert [event.wait_s for event in waits] == [2, 1]
    assert waits[0].text == "Too many questions for now."
    assert took_s >= 2
    assert heard.text == "62"


async def test_a_wait_too_long_to_sit_through_is_left_to_the_person() -> None:
    with WireServer([rate_limited(retry_after_s=600)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, ServiceError)
    assert (heard.failure.fault, heard.failure.retry_after_s) == ("rate", 600)
    assert "600 s" in str(heard.failure)


async def test_a_retired_model_is_named_with_those_that_exist() -> None:
    with WireServer([answer("nunca")]) as server:
        async with claude_at(server.url, ANTHROPIC_MODEL="claude-sonnet-4-20250514") as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "model"
    assert "'claude-sonnet-4-20250514'" in str(heard.failure)
    assert "claude-sonnet-5-5, claude-haiku-5-5" in str(heard.failure)


async def test_without_a_catalogue_the_models_with_a_price_are_named() -> None:
    with WireServer([scenes.UNKNOWN_MODEL], models=()) as server:
        async with claude_at(server.url, ANTHROPIC_MODEL="gpt-oss") as claude:
            heard = await hear(claude)

    assert "claude-sonnet-5-5" in str(heard.failure)


async def test_nobody_at_the_address_is_no_network() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    async with claude_at(url) as claude:
        heard = await hear(claude)

    assert isinstance(heard.failure, ServiceError)
    assert heard.failure.fault == "network"


async def test_a_name_that_nobody_knows_is_no_network() -> None:
    async with claude_at("https://gateway.invalid", settings=HURRIED) as claude:
        heard = await hear(claude)

    assert isinstance(heard.failure, ServiceError)
    assert heard.failure.fault == "network"
    assert "gateway.invalid" in str(heard.failure)


async def test_without_a_key_nothing_is_sent() -> None:
    async with claude_at("https://gateway.invalid", key=None) as claude:
        heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "key"


async def test_a_key_that_no_header_can_carry_is_a_wrong_key() -> None:
    with WireServer([answer("a")], key="sk-test") as server:
        async with claude_at(server.url, key="sk-çã") as claude:
            heard = await hear(claude)

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == "key"


async def test_the_words_of_a_fault_come_after_the_words_of_the_answer() -> None:
    with WireServer([LONG.broken_off("error", after=3, error="api_error")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert any(isinstance(event, TextAdded) for event in heard.events)
    assert "problem of its own" in str(heard.failure)
