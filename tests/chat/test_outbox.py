"""What waits for Claude is sent when it is there: in order, once, into its own conversation."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from typing_extensions import override

from qhub_desktop.chat.outbox import MOST_ATTEMPTS, Outbox, Play
from qhub_desktop.chat.turn import TurnRunner
from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import QueuedQuestion, Text
from qhub_desktop.core.settings import EngineChoice, Settings
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, turns_with
from tests.chat.requests import claude_at
from tests.waiting import until
from tests.wire import WireServer, answer, scenes
from tests.wire.scenes import NoAnswer, Scene

NO_WAIT_S = 0.01


class FakePresenter:
    """Somebody who watches every answer, and is told of it."""

    def __init__(self) -> None:
        self.person = Person()
        self.asked: list[str] = []
        self.told: list[str] = []
        self.is_looking = True

    async def present(self, question: QueuedQuestion, play: Play) -> bool:
        self.asked.append(question.text)
        await play(self.person)
        return self.is_looking

    def tell(self, question: QueuedQuestion) -> None:
        self.told.append(question.text)


class Away:
    """Nobody can show an answer just now."""

    async def present(self, question: QueuedQuestion, play: Play) -> bool:
        return False

    def tell(self, question: QueuedQuestion) -> None:
        raise AssertionError(question)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def is_greeting(text: str) -> bool:
    return text == "olá"


@asynccontextmanager
async def station(
    store: Store,
    url: str,
    *,
    key: str | None = "sk-test",
    settings: Settings | None = None,
    longest_wait_s: float = NO_WAIT_S,
) -> AsyncIterator[tuple[Outbox, TurnRunner]]:
    chosen = settings or Settings(engine="auto")
    async with claude_at(url, key=key, settings=chosen) as claude:
        turns = turns_with(store, claude)
        yield (
            Outbox(
                queue=store.outbox,
                turns=turns,
                claude=claude,
                settings=lambda: chosen,
                is_small_talk=is_greeting,
                first_wait_s=NO_WAIT_S,
                longest_wait_s=longest_wait_s,
            ),
            turns,
        )


async def waits(store: Store, outbox: Outbox, *questions: str) -> ConversationId:
    made = await store.conversations.create(AGENT.id)
    for question in questions:
        await outbox.put(made.id, question)
    return made.id


async def said(store: Store, conversation: ConversationId) -> list[str]:
    return [message.text for message in await store.messages.latest(conversation)]


async def test_without_a_network_everything_waits_and_nothing_is_said(store: Store) -> None:
    async with station(store, f"http://127.0.0.1:{closed_port()}") as (outbox, _turns):
        made = await waits(store, outbox, "Porquê?")
        with pytest.raises(ServiceError) as raised:
            await outbox.send(FakePresenter())

    assert raised.value.fault == "network"
    assert [each.state for each in await store.outbox.listed()] == ["waiting"]
    assert await said(store, made) == []


async def test_when_the_network_is_back_what_waits_is_answered_in_the_order_of_asking(
    store: Store,
) -> None:
    port, presenter = closed_port(), FakePresenter()
    async with station(store, f"http://127.0.0.1:{port}") as (outbox, _turns):
        first = await waits(store, outbox, "Um?")
        second = await waits(store, outbox, "Dois?")
        await outbox.put(first, "Três?")
        running = asyncio.create_task(outbox.run(presenter))
        # Time enough to ask, were it wrong: that nothing is asked can only be seen over a while.
        await asyncio.sleep(0.1)
        assert presenter.asked == []
        with WireServer([answer("1"), answer("2"), answer("3")], port=port) as server:
            await running  # to the end of what waits

    assert presenter.asked == presenter.told == ["Um?", "Dois?", "Três?"]
    assert await said(store, first) == ["Um?", "1", "Três?", "3"]
    assert await said(store, second) == ["Dois?", "2"]
    assert len(server.requests) == 3
    assert await store.outbox.listed() == []


async def test_looking_for_the_network_costs_no_tokens(store: Store) -> None:
    with WireServer([]) as server:
        async with station(store, server.url) as (outbox, _turns):
            await waits(store, outbox, "Porquê?")
            with pytest.raises(UserError):
                await outbox.send(Away())

    assert server.lookups == ["/v1/models"]
    assert server.requests == []
    assert [each.state for each in await store.outbox.listed()] == ["waiting"]


async def test_a_gateway_without_a_catalogue_is_there_all_the_same(store: Store) -> None:
    presenter = FakePresenter()
    with WireServer([answer("1")], models=()) as server:
        async with station(store, server.url, settings=Settings(model="local")) as (outbox, _e):
            await waits(store, outbox, "Um?")
            assert await outbox.send(presenter) == 1
    assert presenter.told == ["Um?"]


async def test_no_key_waits_and_says_so(store: Store) -> None:
    async with station(store, "https://gateway.invalid", key=None) as (outbox, _turns):
        await waits(store, outbox, "Porquê?")
        with pytest.raises(UserError, match="no key"):
            await outbox.send(FakePresenter())

    (question,) = await store.outbox.listed()
    assert question.state == "waiting"
    assert "no key" in question.error


async def test_with_the_offline_engine_chosen_nothing_leaves(store: Store) -> None:
    with WireServer([answer("1")]) as server:
        async with station(store, server.url, settings=Settings(engine="offline")) as (outbox, _e):
            await waits(store, outbox, "Porquê?")
            with pytest.raises(UserError, match="stays here"):
                await outbox.send(FakePresenter())
    assert (server.requests, server.lookups) == ([], [])


async def test_what_was_withdrawn_is_not_sent(store: Store) -> None:
    presenter = FakePresenter()
    with WireServer([answer("2")]) as server:
        async with station(store, server.url) as (outbox, _turns):
            await waits(store, outbox, "Um?", "Dois?")
            await outbox.withdraw((await outbox.waiting())[0].id)
            assert await outbox.send(presenter) == 1
    assert presenter.asked == ["Dois?"]


async def test_a_network_that_goes_in_the_middle_leaves_the_rest_waiting(store: Store) -> None:
    gone: list[Scene] = [NoAnswer("reset")] * 4
    presenter = FakePresenter()
    with WireServer([answer("1"), *gone, answer("2")]) as server:
        async with station(store, server.url) as (outbox, _turns):
            made = await waits(store, outbox, "Um?", "Dois?")
            with pytest.raises(ServiceError):
                await outbox.send(presenter)
            (left,) = await store.outbox.listed()
            assert (left.text, left.state) == ("Dois?", "waiting")
            while await store.outbox.listed():
                with suppress(ServiceError):
                    await outbox.send(presenter)

    assert presenter.told == ["Um?", "Dois?"]
    assert await said(store, made) == ["Um?", "1", "Dois?", "2"]


async def test_what_the_service_refuses_stays_in_sight_and_holds_up_nobody(store: Store) -> None:
    presenter = FakePresenter()
    with WireServer([scenes.FORBIDDEN, answer("2")]) as server:
        async with station(store, server.url) as (outbox, _turns):
            await waits(store, outbox, "Um?")
            await waits(store, outbox, "Dois?")
            assert await outbox.send(presenter) == 1

    (refused,) = await store.outbox.listed()
    assert (refused.text, refused.state) == ("Um?", "failed")
    assert refused.error
    assert presenter.told == ["Dois?"]


async def test_a_service_that_never_finishes_is_not_asked_for_ever(store: Store) -> None:
    broken = answer("Há 62 de lixo.").broken_off("end", after=1)
    with WireServer([broken] * MOST_ATTEMPTS) as server:
        async with station(store, server.url) as (outbox, _turns):
            made = await waits(store, outbox, "Um?")
            for _attempt in range(MOST_ATTEMPTS + 2):
                with suppress(QHubError):
                    await outbox.send(FakePresenter())

    (refused,) = await store.outbox.listed()
    assert (refused.state, refused.attempts) == ("failed", MOST_ATTEMPTS)
    assert len(server.requests) == MOST_ATTEMPTS
    assert len(await said(store, made)) == 2  # the attempts before are hidden


async def test_an_answer_that_was_stored_before_a_restart_is_not_asked_for_again(
    folder: Path,
) -> None:
    store = Store.open(folder)
    made = await store.conversations.create(AGENT.id)
    question = await store.outbox.put(made.id, "Um?")
    await store.outbox.lock()
    await store.outbox.claim(question.id)
    await store.outbox.place(question.id)
    done = await store.messages.add(made.id, "assistant", [Text("1")])
    await store.messages.end(done.id, "complete", engine="claude-sonnet-5-5")
    store.close()  # as a kill would, before it was known to be sent

    again, presenter = Store.open(folder), FakePresenter()
    with WireServer([]) as server:
        async with station(again, server.url) as (outbox, _turns):
            assert await outbox.send(presenter) == 0
            assert await outbox.waiting() == []
    is_unread = (await again.conversations.find(made.id)).is_unread
    again.close()

    assert server.requests == []
    assert (presenter.asked, presenter.told) == ([], ["Um?"])
    assert is_unread


async def test_a_restart_in_the_middle_of_an_answer_sends_the_question_once_more(
    folder: Path,
) -> None:
    store = Store.open(folder)
    with WireServer([answer("um longo caminho", pace=5), answer("1")]) as server:
        async with station(store, server.url) as (outbox, _turns):
            made = await waits(store, outbox, "Um?")
            sending = asyncio.create_task(outbox.send(FakePresenter()))
            await until(lambda: server.requests)
            sending.cancel()
            with suppress(asyncio.CancelledError):
                await sending
        store.close()

        again, presenter = Store.open(folder), FakePresenter()
        async with station(again, server.url) as (outbox, _turns):
            assert await outbox.send(presenter) == 1
        heard = await said(again, made)
        again.close()

    assert heard == ["Um?", "1"]
    assert presenter.told == ["Um?"]


async def test_a_busy_conversation_holds_up_the_order_until_it_is_free(store: Store) -> None:
    presenter = FakePresenter()
    with WireServer([answer("devagar devagar", pace=20), answer("1"), answer("2")]) as server:
        async with station(store, server.url, longest_wait_s=600) as (outbox, turns):
            made = await waits(store, outbox, "Um?")
            other = await waits(store, outbox, "Dois?")
            own = asyncio.create_task(turns.reply(made, "Antes?", audience=Person()))
            await until(lambda: server.requests)
            running = asyncio.create_task(outbox.run(presenter))
            await until(lambda: presenter.asked)
            await own
            outbox.wake_if_conversation_busy()
            await running

    assert presenter.told == ["Um?", "Dois?"]
    assert await said(store, made) == ["Antes?", "devagar devagar", "Um?", "1"]
    assert await said(store, other) == ["Dois?", "2"]


async def test_an_answer_that_the_person_stops_is_not_begun_again(store: Store) -> None:
    class Impatient(FakePresenter):
        @override
        async def present(self, question: QueuedQuestion, play: Play) -> bool:
            task = asyncio.ensure_future(play(self.person))
            await until(lambda: server.requests)
            task.cancel()
            await asyncio.wait({task})
            return True

    with WireServer([answer("um longo caminho", pace=5)]) as server:
        async with station(store, server.url) as (outbox, _turns):
            await waits(store, outbox, "Um?")
            await outbox.send(Impatient())

    assert await store.outbox.listed() == []


async def test_where_nobody_looked_the_conversation_is_marked_unread(store: Store) -> None:
    presenter = FakePresenter()
    presenter.is_looking = False
    with WireServer([answer("1")]) as server:
        async with station(store, server.url) as (outbox, _turns):
            made = await waits(store, outbox, "Um?")
            await outbox.send(presenter)
    assert (await store.conversations.find(made)).is_unread


async def test_a_second_program_does_not_send_meanwhile(store: Store, folder: Path) -> None:
    other = Store.open(folder)
    with WireServer([]) as server:
        async with station(other, server.url) as (outbox, _turns):
            await waits(other, outbox, "Um?")
            assert await store.outbox.lock()
            with pytest.raises(UserError, match="Another QHub program"):
                await outbox.send(FakePresenter())
    other.close()


async def test_whoever_listens_hears_of_every_change(store: Store) -> None:
    with WireServer([answer("1")]) as server:
        async with station(store, server.url) as (outbox, _turns):
            heard: list[int] = []
            unlisten = outbox.listen(lambda: heard.append(1))
            await waits(store, outbox, "Um?", "Dois?")
            put = len(heard)
            await outbox.withdraw((await outbox.waiting())[1].id)
            withdrawn = len(heard)
            await outbox.send(FakePresenter())
            sent = len(heard)
            unlisten()
            await outbox.put((await store.conversations.create("analise")).id, "Três?")

    assert (put, withdrawn) == (2, 3)
    assert len(heard) == sent >= 5  # begun, and answered


@pytest.mark.parametrize(
    ("engine", "question", "is_taken"),
    [
        ("auto", "Porquê?", True),
        ("claude", "Porquê?", True),
        ("offline", "Porquê?", False),
        ("auto", "olá", False),
    ],
)
async def test_what_is_not_for_claude_is_not_taken(
    store: Store, engine: EngineChoice, question: str, is_taken: bool
) -> None:
    chosen = Settings(engine=engine)
    async with station(store, "http://127.0.0.1:9", settings=chosen) as (outbox, _turns):
        assert await outbox.accepts(question) is is_taken
