"""Claude or the offline engine: which answers, when, and that no question is lost."""

import socket
import threading
from collections.abc import AsyncIterator
from typing import Literal

import pytest

import qhub_desktop.charts.catalogue  # noqa: F401  publishes the words for charts, which talk has not
from qhub_desktop.chat.claude.client import Claude
from qhub_desktop.chat.router import Router
from qhub_desktop.core.errors import ServiceError, UserError
from qhub_desktop.core.events import (
    Answering,
    ModelEvent,
    ModelRequest,
    RoundEnded,
    StatusChanged,
    TextAdded,
)
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import ChosenPlan, Message, Text, ToolCall
from qhub_desktop.core.settings import Settings
from qhub_desktop.nlq.offline_engine import is_small_talk
from tests.chat.requests import NOW, answered, asked, claude_at, hear, request_of, result
from tests.wire import Refusal, WireServer, answer, scenes

AUTO = Settings(engine="auto")


class PlayedOffline:
    """The other model: repeats the last question."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield Answering("offline")
        yield TextAdded(f"offline: {request.messages[-1].text}")
        yield RoundEnded("complete")


class Clock:
    """Time that passes when told."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def automatic(
    claude: Claude,
    engine: Literal["auto", "claude", "offline"] = "auto",
    *,
    clock: Clock | None = None,
) -> Router:
    return Router(
        claude=claude,
        offline=PlayedOffline(),
        is_small_talk=is_small_talk,
        settings=lambda: Settings(engine=engine),
        clock=clock or Clock(),
    )


def nobody() -> str:
    """An address of this computer where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


async def test_with_a_key_and_a_network_claude_answers() -> None:
    with WireServer([answer("62")]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            heard = await hear(automatic(claude))

    assert heard.text == "62"
    assert heard.of(Answering) == [Answering("claude-sonnet-5-5")]
    assert heard.of(StatusChanged) == []


async def test_without_a_key_the_offline_engine_answers_and_says_why() -> None:
    async with claude_at("https://gateway.invalid", key=None, settings=AUTO) as claude:
        heard = await hear(automatic(claude))

    assert heard.text == "offline: Quantos defeitos há?"
    assert [status.kind for status in heard.of(StatusChanged)] == ["offline"]
    assert "no key" in heard.of(StatusChanged)[0].text
    assert heard.of(Answering)[-1] == Answering("offline")


@pytest.mark.parametrize("url", ["https://gateway.invalid", ""])
async def test_without_a_network_the_question_goes_to_the_offline_engine(url: str) -> None:
    async with claude_at(url or nobody(), settings=AUTO) as claude:
        heard = await hear(automatic(claude))

    assert heard.failure is None
    assert heard.text == "offline: Quantos defeitos há?"
    assert [status.kind for status in heard.of(StatusChanged)] == ["offline"]
    assert heard.of(Answering)[-1] == Answering("offline")


async def test_a_networks_login_page_counts_as_no_network() -> None:
    with WireServer([Refusal(200, html="<h1>Wi-Fi</h1>")] * 2) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            heard = await hear(automatic(claude))

    assert heard.text == "offline: Quantos defeitos há?"


async def test_a_connection_dropped_while_idle_is_no_reason_to_go_offline() -> None:
    with WireServer([scenes.RESET, answer("62")]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            heard = await hear(automatic(claude))

    assert heard.text == "62"
    assert heard.of(StatusChanged) == []


async def test_a_failure_is_remembered_for_half_a_minute_and_the_return_is_told() -> None:
    clock = Clock()
    with WireServer([scenes.RESET, scenes.RESET, answer("62"), answer("63")]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            model = automatic(claude, clock=clock)
            first = await hear(model)
            clock.now += 29
            second = await hear(model)
            seen = len(server.requests)
            clock.now += 1
            third = await hear(model)
            fourth = await hear(model)

    assert first.text == second.text == "offline: Quantos defeitos há?"
    assert seen == 2
    assert third.text == "62"
    assert [status.kind for status in third.of(StatusChanged)] == ["online"]
    assert fourth.of(StatusChanged) == []


@pytest.mark.parametrize(
    ("scene", "fault"),
    [(scenes.WRONG_KEY, "key"), (scenes.NO_CREDIT, "credit"), (scenes.FORBIDDEN, "refused")],
)
async def test_what_the_person_must_correct_is_never_passed_over(
    scene: scenes.Scene, fault: str
) -> None:
    with WireServer([scene]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            heard = await hear(automatic(claude))

    assert isinstance(heard.failure, UserError)
    assert heard.failure.fault == fault
    assert heard.text == ""


async def test_an_answer_that_breaks_off_is_not_taken_up_by_the_other_engine() -> None:
    with WireServer([answer("Há 62 de lixo.").broken_off("reset", after=1)]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            heard = await hear(automatic(claude))

    assert isinstance(heard.failure, ServiceError)
    assert heard.text == "Há 62 de"


async def test_a_turn_ends_with_the_engine_it_began_with() -> None:
    call = ToolCall("offline-1", "contar_defeitos", {})
    of_offline = answered(Text("Vejo."), call, result("offline-1", 200), engine="offline")
    of_claude = answered(Text("Vejo."), call, result("offline-1", 200))
    with WireServer([answer("200")]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            model = automatic(claude)
            first = await hear(model, request_of(asked("Quantos?"), of_offline))
            second = await hear(model, request_of(asked("Quantos?"), of_claude))
    async with claude_at(nobody(), settings=AUTO) as claude:
        third = await hear(automatic(claude), request_of(asked("Quantos?"), of_claude))

    assert first.of(Answering) == [Answering("offline")]
    assert second.text == "200"
    assert isinstance(third.failure, ServiceError)


@pytest.mark.parametrize("engine", ["auto", "claude", "offline"])
async def test_a_plan_that_was_chosen_is_computed_by_the_engine_that_has_plans(
    engine: Literal["auto", "claude", "offline"],
) -> None:
    chosen = Message(MessageId(1), "user", (Text("por turno"), ChosenPlan({"by": "turno"})), NOW)
    with WireServer([]) as server:
        async with claude_at(server.url, settings=Settings(engine=engine)) as claude:
            heard = await hear(automatic(claude, engine), request_of(chosen))

    assert heard.text == "offline: por turno"
    assert heard.of(StatusChanged) == []


@pytest.mark.parametrize("engine", ["auto", "claude", "offline"])
@pytest.mark.parametrize(
    "said", ["olá", "Bom dia!", "obrigado", "quem és tu?", "ajuda", "hello", "thank you", "help"]
)
async def test_what_people_say_to_each_other_costs_no_tokens(
    said: str, engine: Literal["auto", "claude", "offline"]
) -> None:
    with WireServer([]) as server:
        async with claude_at(server.url, settings=Settings(engine=engine)) as claude:
            heard = await hear(automatic(claude, engine), request_of(asked(said)))

    assert heard.text == f"offline: {said}"
    assert heard.of(Answering) == [Answering("offline")]
    assert heard.of(StatusChanged) == []
    assert (server.requests, server.lookups) == ([], [])


@pytest.mark.parametrize(
    "said",
    ["olá, quantos defeitos há?", "obrigado, e por turno?", "ajuda-me a ver o lixo de março"],
)
async def test_a_polite_question_is_a_question(said: str) -> None:
    with WireServer([answer("62")]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            heard = await hear(automatic(claude), request_of(asked(said)))

    assert heard.text == "62"


async def test_a_choice_in_the_settings_is_kept() -> None:
    async with claude_at(nobody(), settings=Settings(engine="claude")) as claude:
        only_claude = await hear(automatic(claude, "claude"))
    with WireServer([]) as server:
        async with claude_at(server.url) as claude:
            only_offline = await hear(automatic(claude, "offline"))

    assert isinstance(only_claude.failure, ServiceError)
    assert only_offline.text == "offline: Quantos defeitos há?"
    assert server.requests == []


async def test_a_closed_router_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    async with claude_at(nobody()) as claude:
        router = automatic(claude, "offline")
        assert await router.is_small_talk("olá")

        router.close()

    assert not any(thread.name.startswith("talk") for thread in {*threading.enumerate()} - before)
