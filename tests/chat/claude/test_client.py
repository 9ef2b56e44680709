"""Claude over real HTTP: rounds, tools, thinking, the cache, and the cost."""

import asyncio
import json
import time
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import pytest

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.events import (
    Answering,
    RequestReady,
    RoundEnded,
    StatusChanged,
    TextAdded,
    UsageCounted,
)
from qhub_desktop.core.message import Notice, Reasoning, Text, ToolCall
from qhub_desktop.core.settings import Settings
from tests.chat.requests import (
    HURRIED,
    answered,
    asked,
    claude_at,
    hear,
    request_of,
    result,
)
from tests.wire import Call, Thought, Usage, WireServer, Words, answer, calls, scenes, thinking


async def test_words_arrive_in_order_and_whole() -> None:
    said = "Há 200 defeitos: 62 são lixo, ou 31 %. " * 20
    with WireServer([answer(said)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.text == said
    assert heard.events[0] == Answering("claude-sonnet-5-5")
    assert heard.events[-1] == RoundEnded("complete")


async def test_each_try_says_before_it_is_sent_what_it_may_cost_at_most() -> None:
    with WireServer([scenes.OVERLOADED, answer("Olá 😀")]) as server:
        async with claude_at(server.url) as claude:
            sent: list[int] = []
            ready: list[RequestReady] = []
            async for event in claude.stream(request_of(asked("Porquê? " * 500 + "😀"))):
                if isinstance(event, RequestReady):
                    sent.append(len(server.requests))
                    ready.append(event)
            body = server.requests[0].body

    assert sent == [0, 1]
    assert ready[-1].model == "claude-sonnet-5-5"
    size = len(json.dumps(body, ensure_ascii=False).encode())
    assert ready[-1].most_usd == pytest.approx((size * 2.5 + body["max_tokens"] * 10) / 1e6)


async def test_what_a_round_took_is_told_with_its_cached_tokens() -> None:
    usage = Usage(120, 34, cache_read_tokens=900, cache_write_tokens=70)
    with WireServer([answer("Olá", usage=usage)]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.of(UsageCounted) == [UsageCounted("claude-sonnet-5-5", 120, 34, 900, 70, 0.000845)]


async def test_a_turn_with_two_tools_and_a_chart_runs_through_real_history() -> None:
    both = calls(
        ("contar_defeitos", {"turno": "noite"}),
        ("top_defeitos", {"n": 5, "filtro": "çã€"}),
        text="Vou contar.",
        thought="Preciso de contar primeiro.",
    )
    chart = calls(("gerar_grafico", {"tipo": "bar"}), thought="Agora o gráfico.")
    with WireServer([both, chart, answer("Está feito.")]) as server:
        async with claude_at(server.url) as claude:
            first = await hear(claude)
            blocks = [
                *first.of(Reasoning),
                Text(first.text),
                *first.of(ToolCall),
                *(result(event.id, {"total": 59}) for event in first.of(ToolCall)),
            ]
            second = await hear(claude, request_of(asked("Quantos?"), answered(*blocks)))
            blocks += [
                *second.of(Reasoning),
                *second.of(ToolCall),
                *(result(event.id, {"ok": True}) for event in second.of(ToolCall)),
            ]
            third = await hear(claude, request_of(asked("Quantos?"), answered(*blocks)))

    assert [event.name for event in first.of(ToolCall)] == ["contar_defeitos", "top_defeitos"]
    assert first.of(ToolCall)[1].input == {"n": 5, "filtro": "çã€"}
    assert first.events[-1] == second.events[-1] == RoundEnded("tools")
    assert (third.failure, third.text) == (None, "Está feito.")
    roles = [message["role"] for message in server.requests[2].body["messages"]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]


async def test_thinking_is_shown_in_passing_and_goes_back_unchanged_within_the_turn() -> None:
    thoughts = (
        Thought("Vejo primeiro o turno.", signature="c2ln/+=="),
        Thought("ZW5jcnlwdGVk", is_redacted=True),
    )
    call = Call("contar_defeitos", {})
    scene = scenes.Answer((*thoughts, Words("Já vejo."), call), "tool_use")
    with WireServer([scene, answer("59")]) as server:
        async with claude_at(server.url) as claude:
            first = await hear(claude)
            kept = first.of(Reasoning)
            under_way = answered(
                *kept, Text("Já vejo."), ToolCall(call.id, call.name, {}), result(call.id, 59)
            )
            second = await hear(claude, request_of(asked("Quantos?"), under_way))

    assert "".join(piece.text for piece in first.of(StatusChanged)) == "Vejo primeiro o turno."
    sent = server.requests[1].body["messages"][1]["content"]
    assert sent[:2] == [
        {"type": "thinking", "thinking": "Vejo primeiro o turno.", "signature": "c2ln/+=="},
        {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"},
    ]
    assert (second.failure, second.text) == (None, "59")


async def test_thinking_of_earlier_turns_is_not_sent_again() -> None:
    with WireServer([thinking("Simples.", "Olá!"), answer("62")]) as server:
        async with claude_at(server.url) as claude:
            first = await hear(claude)
            earlier = answered(first.of(Reasoning)[0], Text("Olá!"))
            await hear(claude, request_of(asked("Olá"), earlier, asked("E lixo?")))

    sent = server.requests[1].body["messages"]
    assert sent[1]["content"] == [{"type": "text", "text": "Olá!"}]


async def test_summaries_of_thinking_are_asked_of_claude_and_of_no_other_model() -> None:
    with WireServer([answer("a"), answer("b"), answer("c")]) as server:
        async with claude_at(server.url) as claude:
            await hear(claude)
        async with claude_at(server.url, ANTHROPIC_MODEL="qwen3-8b") as local:
            await hear(local)
        own = Settings(engine="claude", endpoint=server.url)
        async with claude_at("", settings=own) as local:
            await hear(local)

    asked_for = [each.body.get("thinking") for each in server.requests]
    assert asked_for == [{"type": "adaptive", "display": "summarized"}, None, None]


async def test_the_model_of_a_request_goes_before_that_of_the_settings() -> None:
    with WireServer([answer("a"), answer("b")]) as server:
        async with claude_at(server.url, ANTHROPIC_MODEL="qwen3-8b") as claude:
            own = await hear(claude, replace(request_of(asked("Olá")), model="claude-opus-5"))
            await hear(claude)

    assert [each.body["model"] for each in server.requests] == ["claude-opus-5", "qwen3-8b"]
    assert own.of(Answering) == [Answering("claude-opus-5")]


async def test_nothing_is_sent_that_the_present_models_refuse() -> None:
    with WireServer([answer("a")]) as server:
        async with claude_at(server.url) as claude:
            await hear(claude)

    assert server.requests[0].body.keys() == {
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "stream",
        "thinking",
    }


async def test_what_stays_the_same_is_marked_for_the_cache_and_so_are_the_last_questions() -> None:
    with WireServer([answer("a"), answer("b")]) as server:
        async with claude_at(server.url) as claude:
            await hear(claude)
            later = (asked("Quantos?"), answered(Text("200")), asked("E de noite?"))
            await hear(claude, request_of(*later))

    first, second = (each.body for each in server.requests)
    assert first["system"] == second["system"]
    assert first["tools"] == second["tools"]
    assert _marks(second) == [
        "system.0",
        "system.1",
        "messages.0.content.0",
        "messages.2.content.0",
    ]


async def test_a_call_cut_short_by_the_limit_is_dropped() -> None:
    cut = Call("gerar_grafico", {}, raw_input='{"tipo": "ba')
    empty = Call("gerar_grafico", {}, raw_input="")
    whole = Call("contar_defeitos", {})
    with WireServer(
        [calls(whole, each, text="Vou ver.", stop_reason="max_tokens") for each in (cut, empty)]
    ) as server:
        async with claude_at(server.url) as claude:
            both = [await hear(claude), await hear(claude)]

    for heard in both:
        assert [event.id for event in heard.of(ToolCall)] == [whole.id]
        assert heard.text == "Vou ver."
        assert heard.events[-1] == RoundEnded("tokens")


async def test_a_call_is_told_in_its_place_between_the_words() -> None:
    call = Call("contar_defeitos", {"turno": "noite"})
    scene = scenes.Answer((Words("Antes."), call, Words("Depois.")), "tool_use")
    with WireServer([scene]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    kinds = [type(event) for event in heard.events if isinstance(event, (TextAdded, ToolCall))]
    assert kinds[0] is TextAdded
    assert kinds[-1] is TextAdded
    assert heard.of(ToolCall)[0] == ToolCall(call.id, "contar_defeitos", {"turno": "noite"})


async def test_a_model_that_declines_ends_the_round_as_refused() -> None:
    with WireServer([answer("Não posso", stop_reason="refusal")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.events[-1] == RoundEnded("refused")


async def test_calls_of_a_server_that_says_it_has_finished_are_still_waited_for() -> None:
    with WireServer([calls(("contar_defeitos", {}), stop_reason="end_turn")]) as server:
        async with claude_at(server.url) as claude:
            heard = await hear(claude)

    assert heard.events[-1] == RoundEnded("tools")
    assert len(heard.of(ToolCall)) == 1


async def test_what_happened_to_an_answer_is_never_told_to_the_model() -> None:
    told = answered(Text("200"), Notice("cut", "A ligação caiu."))
    with WireServer([answer("a")]) as server:
        async with claude_at(server.url) as claude:
            await hear(claude, request_of(asked("Quantos?"), told, asked("E agora?")))

    assert "caiu" not in str(server.requests[0].body)


async def test_stopping_closes_the_connection_and_keeps_what_arrived() -> None:
    heard: list[str] = []
    with WireServer([answer("palavra " * 500, pace=50)]) as server:
        async with claude_at(server.url) as claude:
            begun = asyncio.Event()

            async def listen() -> None:
                async with aclosing(cast("Any", claude.stream(request_of()))) as events:
                    async for event in events:
                        if isinstance(event, TextAdded):
                            heard.append(event.content)
                            if "".join(heard).startswith("palavra"):  # a piece may end within it
                                begun.set()

            listening = asyncio.create_task(listen())
            await begun.wait()
            listening.cancel()
            await asyncio.wait([listening])
            has_left = await asyncio.to_thread(server.wait_for_leaving)

    assert listening.cancelled()
    assert has_left
    assert "".join(heard).startswith("palavra")


async def test_pings_alone_do_not_keep_a_silent_answer_alive_but_words_do() -> None:
    with WireServer([answer("x" * 8 * 12, pace=10)]) as server:
        async with claude_at(server.url, settings=HURRIED) as claude:
            heard = await hear(claude)

    assert heard.failure is None
    assert len(heard.text) == 96


async def test_a_computer_that_slept_in_mid_answer_keeps_what_arrived_and_can_be_asked_again() -> (
    None
):
    arrived: list[str] = []
    failure: QHubError | None = None
    with WireServer([answer("palavra " * 400, pace=200), answer("Bom dia.")]) as server:
        async with claude_at(server.url, settings=HURRIED) as claude:
            try:
                async for event in claude.stream(request_of()):
                    if isinstance(event, TextAdded):
                        arrived.append(event.content)
                        if len(arrived) == 1:
                            # All clocks go on while the program stands still, as in sleep: every
                            # limit on silence is over by far when it wakes.
                            time.sleep(3 * HURRIED.heartbeat_s)  # noqa: ASYNC251
            except QHubError as error:
                failure = error
            again = await hear(claude)

    assert arrived
    assert ("palavra " * 400).startswith("".join(arrived))
    assert failure is None or getattr(failure, "fault", "") == "stalled"
    assert (failure is None) == ("".join(arrived) == "palavra " * 400)
    assert (again.failure, again.text) == (None, "Bom dia.")


async def test_one_connection_serves_one_question_after_the_other() -> None:
    with WireServer([answer("a"), answer("b"), answer("c")]) as server:
        async with claude_at(server.url) as claude:
            said = [(await hear(claude)).text for _ in range(3)]

    assert said == ["a", "b", "c"]
    assert len({each.client for each in server.requests}) == 1


def _marks(body: dict[str, Any]) -> list[str]:
    found = [
        f"{part}.{place}"
        for part in ("tools", "system")
        for place, each in enumerate(body[part])
        if "cache_control" in each
    ]
    return found + [
        f"messages.{place}.content.{number}"
        for place, message in enumerate(body["messages"])
        for number, block in enumerate(message["content"])
        if "cache_control" in block
    ]


async def test_a_round_that_nobody_listens_to_any_more_hangs_up() -> None:
    await _leave_half_way()


async def test_a_round_that_nobody_listens_to_hangs_up_on_qts_loop_too(qapp: object) -> None:
    await _leave_half_way()


async def _leave_half_way() -> None:
    with WireServer([answer("palavra " * 500, pace=50)]) as server:
        async with claude_at(server.url) as claude:
            async for event in claude.stream(request_of()):
                if isinstance(event, TextAdded):
                    break
            assert await asyncio.to_thread(server.wait_for_leaving)
