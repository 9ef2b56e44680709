"""Claude or the offline engine: which answers, when, and that no question is lost."""

import socket
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
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
from qhub_desktop.core.message import ChosenPlan, Message, Text, ToolCall, ToolResult
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


class PlayedLocal:
    """A local model that answers, or fails after what it has said."""

    def __init__(self, path: str = "modelo.gguf", failure: Exception | None = None) -> None:
        self.path = path
        self.failure = failure
        self.asked: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.asked.append(request)
        if self.failure is not None:
            raise self.failure
        yield Answering("local:Pequeno")
        yield TextAdded("local")
        yield RoundEnded("complete")


def with_local(
    claude: Claude,
    local: PlayedLocal,
    engine: Literal["auto", "claude", "local", "offline"] = "auto",
    *,
    sure: bool = False,
) -> Router:
    async def is_sure(_request: ModelRequest) -> bool:
        return sure

    return Router(
        claude=claude,
        offline=PlayedOffline(),
        local=local,
        is_sure=is_sure,
        is_small_talk=is_small_talk,
        settings=lambda: Settings(engine=engine, local_model=local.path),
        clock=Clock(),
    )


async def test_without_a_key_or_a_network_the_local_model_answers() -> None:
    async with claude_at("https://gateway.invalid", settings=AUTO, key=None) as claude:
        heard = await hear(with_local(claude, PlayedLocal()))
    async with claude_at(nobody(), settings=AUTO) as claude:
        cut = await hear(with_local(claude, PlayedLocal()))

    assert (heard.text, heard.of(StatusChanged)) == ("local", [])
    assert cut.text == "local"
    assert "the local model answers" in cut.of(StatusChanged)[-1].text


async def test_the_local_model_alone_is_asked_where_it_is_chosen_or_nothing_may_leave() -> None:
    with WireServer([answer("62")]) as server:
        async with claude_at(server.url, settings=AUTO) as claude:
            chosen = await hear(with_local(claude, PlayedLocal(), "local"))
            closed = replace(request_of(), privacy="nothing")
            private = await hear(with_local(claude, PlayedLocal()), closed)
            once = await hear(
                with_local(claude, PlayedLocal()), replace(request_of(), engine="local")
            )

    assert [chosen.text, private.text, once.text] == ["local"] * 3
    assert server.requests == []


async def test_what_the_offline_engine_is_sure_of_it_answers_and_offers_the_model() -> None:
    async with claude_at("https://gateway.invalid", settings=AUTO, key=None) as claude:
        heard = await hear(with_local(claude, PlayedLocal(), "local", sure=True))
        asked_all_the_same = replace(request_of(), engine="local")
        model = await hear(
            with_local(claude, PlayedLocal(), "local", sure=True), asked_all_the_same
        )

    assert heard.text.startswith("offline")
    assert heard.of(StatusChanged)[0].action == "local"
    assert model.text == "local"


async def test_where_the_local_model_gets_nowhere_the_offline_engine_goes_on_from_its_own() -> None:
    lost = PlayedLocal(failure=ServiceError("O modelo perdeu-se.", fault="malformed"))
    call = ToolCall("a", "contar_defeitos", {})
    begun = answered(call, ToolResult("a", {"total": 3}), engine="local:Pequeno")
    request = replace(request_of(asked("Quantos?"), begun), answer=MessageId(7))
    async with claude_at("https://gateway.invalid", settings=AUTO, key=None) as claude:
        router = with_local(claude, lost, "local")
        heard = await hear(router, request)
        later = replace(begun, engine="offline", blocks=(*begun.blocks, Text("meu")))
        goes_on = await hear(router, replace(request, messages=(request.messages[0], later)))

    assert "O modelo perdeu-se. The offline engine answers." in heard.of(StatusChanged)[0].text
    assert heard.text == "offline: Quantos?"
    assert goes_on.text == "offline: meu"


async def test_a_model_that_is_not_chosen_is_said_with_the_settings() -> None:
    async with claude_at("https://gateway.invalid", settings=AUTO, key=None) as claude:
        heard = await hear(with_local(claude, PlayedLocal(path=""), "local"))

    (told,) = heard.of(StatusChanged)
    assert told.action == "settings"
    assert heard.text.startswith("offline")
