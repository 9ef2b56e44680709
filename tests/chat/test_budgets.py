"""Budgets: nothing is asked of a service that nobody may pay for, and the answer comes anyway."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Literal

import pytest

from qhub_desktop.chat.budgets import PATIENCE_S, BudgetedModel
from qhub_desktop.chat.outbox import Outbox
from qhub_desktop.chat.router import Router
from qhub_desktop.chat.turn import TurnRunner
from qhub_desktop.core.budget import Budget, Period, Scope
from qhub_desktop.core.errors import ServiceError
from qhub_desktop.core.events import (
    Answering,
    CostAsked,
    CostChoice,
    Done,
    ErrorHappened,
    ModelEvent,
    ModelRequest,
    RequestReady,
    RoundEnded,
    StatusChanged,
    TextAdded,
    UsageCounted,
)
from qhub_desktop.core.message import ToolCall
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from tests.chat.fakes import AGENT, Person, turns_with
from tests.chat.requests import claude_at
from tests.waiting import until
from tests.wire import WireServer, answer, scenes

Engine = Literal["auto", "claude", "offline"]
PRICE = 0.5


class Claude:
    """A service whose every round costs half a dollar; tools are called for `rounds` less one.

    The first `failing` tries of a round cost as much and come to nothing. A request that is sent
    is answered once `may_answer` is set.
    """

    def __init__(
        self, *, rounds: int = 1, price: float | None = PRICE, most: float | None = None
    ) -> None:
        self.asked = 0
        self.failing = 0
        self.refuses = False
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._rounds = rounds
        self._price = price
        self._most = price if most is None else most

    async def has_key(self) -> bool:
        return True

    async def reach(self) -> None:
        pass

    async def estimate(self, request: ModelRequest) -> float | None:
        return self._price

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        played = sum(isinstance(each, ToolCall) for each in request.messages[-1].blocks)
        await asyncio.sleep(0)
        yield Answering("claude-x")
        for _try in range(self.failing):
            yield RequestReady("claude-x", self._most)
            self.asked += 1
            yield UsageCounted("claude-x", 10, 0, 0, 0, self._price)
        yield RequestReady("claude-x", self._most)
        self.asked += 1
        await self.may_answer.wait()
        if self.refuses:
            raise ServiceError("refused", fault="refused")
        is_last = played + 1 >= self._rounds
        if is_last:
            yield TextAdded("62")
        else:
            yield ToolCall(f"c{played}", "somar", {"valores": [1, 2]})
        yield UsageCounted("claude-x", 10, 10, 0, 0, self._price)
        yield RoundEnded("complete" if is_last else "tools")


class Offline:
    """The engine that costs nothing."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield Answering("offline")
        yield TextAdded("offline")
        yield RoundEnded("complete")


@asynccontextmanager
async def station(
    store: Store, claude: Claude, engine: Engine = "auto", *, patience_s: float = PATIENCE_S
) -> AsyncIterator[tuple[TurnRunner, BudgetedModel]]:
    budgeted = BudgetedModel(claude, store.costs, patience_s=patience_s)
    router = Router(
        claude=budgeted,
        offline=Offline(),
        is_small_talk=lambda _text: False,
        settings=lambda: Settings(engine=engine),
    )
    try:
        yield turns_with(store, router, estimate=router.estimate), budgeted
    finally:
        router.close()


async def ask(store: Store, turns: TurnRunner) -> Person:
    """Ask in a new conversation."""
    person = Person()
    talk = await store.conversations.create(AGENT.id)
    await turns.reply(talk.id, "Quantos defeitos há?", audience=person)
    return person


def said(person: Person) -> str:
    return "".join(each.content for each in person.all(TextAdded))


async def allow(
    store: Store, usd: float, scope: Scope = "station", name: str = "", period: Period = "day"
) -> None:
    await store.costs.set_budget(Budget(scope, name, period, usd))


async def test_without_a_budget_everything_is_asked(store: Store) -> None:
    claude = Claude()
    async with station(store, claude) as (turns, _budgeted):
        for _each in range(3):
            assert said(await ask(store, turns)) == "62"
    assert claude.asked == 3


async def test_at_the_end_of_a_budget_the_offline_engine_answers_and_says_why(
    store: Store,
) -> None:
    await allow(store, 1.0)
    claude = Claude()
    async with station(store, claude) as (turns, _budgeted):
        answers = [await ask(store, turns) for _each in range(4)]

    assert [said(each) for each in answers] == ["62", "62", "offline", "offline"]
    assert claude.asked == 2
    (why,) = answers[2].all(StatusChanged)
    assert why.kind == "offline"
    assert "the station's budget for today is spent (1.00 of 1.00 US$)" in why.text
    assert answers[3].all(StatusChanged) == []


async def test_where_claude_was_chosen_the_error_offers_the_offline_engine(store: Store) -> None:
    await allow(store, 0.0, "agent", AGENT.id, "month")
    claude = Claude()
    async with station(store, claude, "claude") as (turns, _budgeted):
        person = await ask(store, turns)

    (error,) = person.all(ErrorHappened)
    assert (error.kind, error.action) == ("budget", "offline")
    assert "is spent" in error.text
    assert "offline engine" in error.text
    assert claude.asked == 0


async def test_a_warning_comes_once_when_a_budget_is_nearly_spent(store: Store) -> None:
    await allow(store, 1.2)
    claude = Claude()
    async with station(store, claude) as (turns, _budgeted):
        answers = [await ask(store, turns) for _each in range(4)]

    told = [[each.kind for each in person.all(StatusChanged)] for person in answers]
    assert told == [[], [], ["budget"], ["offline"]]
    (warning,) = answers[2].all(StatusChanged)
    assert "1.00 of 1.20 US$" in warning.text


async def test_an_answer_that_has_begun_is_finished(store: Store) -> None:
    await allow(store, 0.75)
    claude = Claude(rounds=3)
    async with station(store, claude) as (turns, _budgeted):
        first = await ask(store, turns)
        second = await ask(store, turns)

    assert said(first) == "62"
    assert said(second) == "offline"
    assert await store.messages.spent_today() == 3 * PRICE


async def test_answers_at_the_same_time_do_not_overrun_a_budget_together(store: Store) -> None:
    await allow(store, 1.0)
    claude = Claude(rounds=3)
    async with station(store, claude, "claude") as (turns, _budgeted):
        await ask(store, turns)  # 1.50 by now
        await store.costs.set_budget(Budget("station", "", "day", 1.75))
        people = await asyncio.gather(*(ask(store, turns) for _each in range(3)))

    assert await store.messages.spent_today() <= 1.75 + 3 * PRICE
    assert [person.all(Done)[0].reason for person in people].count("complete") == 1


async def test_the_window_and_the_command_line_do_not_overrun_a_budget_together(
    store: Store,
) -> None:
    await allow(store, 1.0)
    other = Store.open(store.path.parent)
    try:
        async with (
            station(store, Claude(rounds=3), "claude") as (turns, _budgeted),
            station(other, Claude(rounds=3), "claude") as (others, _others),
        ):
            await ask(store, turns)  # 1.50 by now
            await store.costs.set_budget(Budget("station", "", "day", 1.75))
            people = await asyncio.gather(
                ask(store, turns), ask(other, others), ask(store, turns), ask(other, others)
            )
    finally:
        other.close()

    assert await store.messages.spent_today() <= 1.75 + 3 * PRICE
    assert [person.all(Done)[0].reason for person in people].count("complete") == 1


@pytest.mark.parametrize(
    ("usd", "most", "asked"), [(0.05, 0.07, 1), (0.1, 0.07, 1), (0.1, 0.03, 3), (0.1, PRICE, 1)]
)
async def test_many_programs_at_once_overrun_a_budget_by_one_answer(
    store: Store, usd: float, most: float, asked: int
) -> None:
    await allow(store, usd)
    claude = Claude(price=most)
    claude.may_answer.clear()
    async with AsyncExitStack() as stack:
        asking = []
        for _program in range(6):
            program = Store.open(store.path.parent)
            stack.callback(program.close)
            opened = station(program, claude, "claude", patience_s=0.0)
            turns, _budgeted = await stack.enter_async_context(opened)
            asking.append(asyncio.create_task(ask(program, turns)))
        await until(lambda: sum(each.done() for each in asking) + claude.asked == 6)
        (standing,) = await store.costs.all_standings()
        claude.may_answer.set()
        people = await asyncio.gather(*asking)

    refused = [error.text for person in people for error in person.all(ErrorHappened)]
    assert (claude.asked, len(refused)) == (asked, 6 - asked)
    assert all("reserved for answers under way" in each for each in refused), refused
    assert standing.reserved_usd == pytest.approx(asked * most)
    (standing,) = await store.costs.all_standings()
    assert standing.reserved_usd == 0
    assert standing.spent_usd == pytest.approx(asked * most)


async def test_a_request_that_does_not_fit_waits_for_others_and_says_so(store: Store) -> None:
    await allow(store, 1.0)
    claude = Claude(price=0.4, most=0.75)
    claude.may_answer.clear()
    async with station(store, claude, "claude") as (turns, _budgeted):
        first = asyncio.create_task(ask(store, turns))
        await until(lambda: claude.asked == 1)
        person = Person()
        talk = (await store.conversations.create(AGENT.id)).id
        second = asyncio.create_task(turns.reply(talk, "Porquê?", audience=person))
        await until(lambda: bool(person.all(StatusChanged)))
        assert claude.asked == 1
        claude.may_answer.set()
        await asyncio.gather(first, second)

    (waiting,) = person.all(StatusChanged)
    assert (waiting.kind, "waiting for other answers" in waiting.text) == ("preparing", True)
    assert said(person) == "62"


async def test_who_waits_for_others_can_stop_waiting(store: Store) -> None:
    await allow(store, 0.1)
    claude = Claude()
    claude.may_answer.clear()
    async with station(store, claude, "claude") as (turns, _budgeted):
        first = asyncio.create_task(ask(store, turns))
        await until(lambda: claude.asked == 1)
        second = asyncio.create_task(ask(store, turns))
        await asyncio.sleep(0.05)
        second.cancel()
        with suppress(asyncio.CancelledError):
            await second
        claude.may_answer.set()
        await first

    assert claude.asked == 1


async def test_a_try_that_was_paid_for_reserves_its_next_one_anew(store: Store) -> None:
    await allow(store, 1.0)
    claude = Claude(price=0.4)
    claude.failing = 2
    async with station(store, claude, "claude") as (turns, _budgeted):
        await ask(store, turns)
    assert await store.messages.spent_today() == pytest.approx(1.2)

    await allow(store, 1.5)
    claude.may_answer.clear()
    async with station(store, claude, "claude", patience_s=0.0) as (turns, _budgeted):
        first = asyncio.create_task(ask(store, turns))
        await until(lambda: claude.asked == 6)  # of them two are paid for, and one is under way
        claude.may_answer.set()
        second = await ask(store, turns)
        await first
    assert [each.kind for each in second.all(ErrorHappened)] == ["budget"]


@pytest.mark.parametrize("how", ["cancelled", "refused"])
async def test_what_is_cancelled_or_refused_gives_back_what_was_reserved(
    store: Store, how: str
) -> None:
    await allow(store, 1.0)
    claude = Claude()
    claude.may_answer.clear()
    claude.refuses = how == "refused"
    async with station(store, claude, "claude") as (turns, _budgeted):
        asking = asyncio.create_task(ask(store, turns))
        await until(lambda: claude.asked == 1)
        (under_way,) = await store.costs.all_standings()
        if how == "cancelled":
            asking.cancel()
        claude.may_answer.set()
        with suppress(asyncio.CancelledError):
            await asking

    assert under_way.reserved_usd == PRICE
    (standing,) = await store.costs.all_standings()
    assert (standing.reserved_usd, standing.spent_usd) == (0, 0)


async def test_a_call_without_a_price_stops_what_could_not_be_counted(store: Store) -> None:
    await allow(store, 1.0)
    claude = Claude(price=None)
    async with station(store, claude) as (turns, _budgeted):
        answers = [said(await ask(store, turns)) for _each in range(2)]

    assert answers == ["62", "offline"]


async def test_what_waits_in_the_outbox_is_kept_to_the_budget_too(store: Store) -> None:
    await allow(store, 0.0)
    claude = Claude()
    async with station(store, claude) as (turns, budgeted):

        async def is_small_talk(_text: str) -> bool:
            return False

        outbox = Outbox(
            queue=store.outbox,
            turns=turns,
            claude=budgeted,
            settings=lambda: Settings(engine="auto"),
            is_small_talk=is_small_talk,
        )
        talk = await store.conversations.create(AGENT.id)
        await outbox.put(talk.id, "Porquê?")
        task = asyncio.create_task(outbox.send(Present()))
        (failure,) = await asyncio.gather(task, return_exceptions=True)
        (waiting,) = await outbox.waiting()

    assert "is spent" in str(failure)
    assert waiting.state == "waiting"
    assert claude.asked == 0


class Present:
    """Shows nothing."""

    async def present(self, *_given: object) -> bool:
        raise AssertionError("nothing is sent")

    def tell(self, *_given: object) -> None:
        pass


@pytest.mark.parametrize("engine", ["auto", "claude"])
@pytest.mark.parametrize(
    ("choice", "answer"), [("send", ["62"]), ("offline", ["offline"]), ("cancel", [])]
)
async def test_a_costly_question_is_sent_as_the_person_says(
    store: Store, engine: Engine, choice: CostChoice, answer: list[str]
) -> None:
    claude = Claude(rounds=2)
    told: list[CostAsked] = []

    async def confirm(request: CostAsked) -> CostChoice:
        told.append(request)
        return choice

    async with station(store, claude, engine) as (turns, _budgeted):
        person = Person()
        talk = (await store.conversations.create(AGENT.id)).id
        await turns.reply(talk, "Porquê?", audience=person, confirm=confirm)
        stored = await store.messages.latest(talk)

    assert told == [CostAsked(PRICE, 0.25)]
    assert [each.text for each in stored] == (["Porquê?", *answer] if answer else [])
    assert claude.asked == (2 if choice == "send" else 0)
    cancelled = Done("cancelled", "cost")
    assert person.saw[-1] == (cancelled if choice == "cancel" else Done("complete"))


async def test_nobody_is_asked_about_what_is_cheap_unknown_spent_or_answered_here(
    store: Store,
) -> None:
    async def confirm(request: CostAsked) -> CostChoice:
        raise AssertionError(request)

    async def ask(claude: Claude, engine: Engine) -> str:
        person = Person()
        async with station(store, claude, engine) as (turns, _budgeted):
            talk = (await store.conversations.create(AGENT.id)).id
            await turns.reply(talk, "Porquê?", audience=person, confirm=confirm)
        return said(person)

    assert await ask(Claude(price=0.25), "claude") == "62"
    assert await ask(Claude(price=None), "claude") == "62"
    assert await ask(Claude(), "offline") == "offline"
    await allow(store, 0.1)
    assert await ask(Claude(), "auto") == "offline"


async def test_a_question_that_a_budget_stopped_is_answered_offline_on_demand(
    store: Store,
) -> None:
    await allow(store, 0.1)
    claude = Claude()
    async with station(store, claude, "claude") as (turns, _budgeted):
        talk = (await store.conversations.create(AGENT.id)).id
        stopped, person = Person(), Person()
        await turns.reply(talk, "Quantos?", audience=Person())
        await turns.reply(talk, "Porquê?", audience=stopped)
        await turns.retry(talk, audience=person, engine="offline")

    assert [each.action for each in stopped.all(ErrorHappened)] == ["offline"]
    assert said(person) == "offline"
    assert claude.asked == 1


@pytest.mark.parametrize("how", ["stall", "close"])
async def test_an_answer_left_half_way_is_paid_for_as_far_as_it_came(
    store: Store, how: scenes.Break
) -> None:
    talk = (await store.conversations.create(AGENT.id)).id
    person = Person()
    words = "Porque a noite tem menos gente na limpeza. " * 20
    with WireServer([answer(words, size=10).broken_off(how, after=36)]) as server:
        async with claude_at(server.url) as claude:
            turns = turns_with(store, claude)
            asking = asyncio.create_task(turns.reply(talk, "Porquê?", audience=person))
            await until(lambda: said(person) == words[:360])
            if how == "stall":
                asking.cancel()  # as Esc does; the other answer ends by itself
            with suppress(asyncio.CancelledError):
                await asking

    (took,) = person.all(UsageCounted)
    assert (took.input_tokens, took.output_tokens, took.is_estimated) == (120, 100, True)
    assert took.cost_usd == pytest.approx((120 * 2 + 100 * 10) / 1e6)
    assert await store.messages.usage((await store.messages.latest(talk))[-1].id) == [took]
    (total,) = await store.costs.totals("model")
    assert total.estimated_calls == 1
    assert total.cost_usd == pytest.approx(took.cost_usd)
