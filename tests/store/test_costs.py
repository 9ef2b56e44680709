"""What the answers cost, and the budgets that they are kept to."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from qhub_desktop.core.budget import Budget, BudgetReservedError, BudgetSpentError
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import UsageCounted
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.person import Person, Role
from qhub_desktop.store import Store
from qhub_desktop.store.costs import CostTotal, notes_on
from qhub_desktop.store.database import connect


async def answer(
    store: Store, *costs: float | None, agent: str = "analise", model: str = "claude-x"
) -> MessageId:
    """An answer that took so many calls, each of 10 tokens in."""
    talk = await store.conversations.create(agent)
    message = await store.messages.add(talk.id, "assistant")
    for cost in costs:
        usage = UsageCounted(model, 10, 20, 30, 40, cost)
        await store.messages.add_usage(message.id, usage)
    return message.id


async def account(store: Store, name: str) -> Person:
    role: Role = "admin" if name == "ana" else "operador"
    return await store.people.add(
        name, role, None, secret="hash", kind="password", must_change=False
    )


def move(folder: Path, message: MessageId, day: date) -> None:
    with closing(connect(folder / "qhub.db")) as db:
        db.execute("UPDATE usage SET day = ? WHERE message = ?", (day.isoformat(), message))


def keyed(totals: Sequence[CostTotal]) -> dict[str, float]:
    return {each.key: each.cost_usd for each in totals}


async def test_every_call_is_added_up_by_person_agent_model_day_and_month(
    store: Store, folder: Path
) -> None:
    ana, rui = await account(store, "ana"), await account(store, "rui")
    store.enter(ana)
    first = await answer(store, 0.25, 0.25)
    store.enter(rui)
    await answer(store, 2.0, None, agent="qualidade", model="claude-y")
    move(folder, first, date(2026, 1, 31))
    today = datetime.now().astimezone().date()

    with pytest.raises(UserError, match="Administrator"):
        await store.costs.totals("person")
    store.enter(ana)
    assert keyed(await store.costs.totals("person")) == {"rui": 2.0, "ana": 0.5}
    assert keyed(await store.costs.totals("agent")) == {"qualidade": 2.0, "analise": 0.5}
    assert keyed(await store.costs.totals("model")) == {"claude-y": 2.0, "claude-x": 0.5}
    assert keyed(await store.costs.totals("month"))["2026-01"] == 0.5
    (one,) = await store.costs.totals("day", last=date(2026, 2, 1))
    assert one == CostTotal("2026-01-31", 1, 2, 20, 40, 80, 60, 0.5, 0, 0)
    (other,) = await store.costs.totals("day", first=date(2026, 2, 1))
    assert (other.key, other.unpriced_calls) == (today.isoformat(), 1)
    assert keyed(await store.costs.totals("agent", owner=ana.id)) == {"analise": 0.5}


async def test_what_a_deleted_conversation_cost_still_counts(store: Store) -> None:
    talk = await store.conversations.create("analise")
    message = await store.messages.add(talk.id, "assistant")
    await store.messages.add_usage(message.id, UsageCounted("m", 1, 1, 0, 0, 0.5))
    await store.conversations.set_deleted(talk.id, is_deleted=True)

    assert keyed(await store.costs.totals("model")) == {"m": 0.5}


async def test_a_budget_counts_what_is_its_own(store: Store) -> None:
    ana, rui = await account(store, "ana"), await account(store, "rui")
    for budget in (
        Budget("station", "", "month", 10),
        Budget("person", "rui", "day", 1),
        Budget("person", "ana", "day", 1),
        Budget("agent", "qualidade", "day", 5),
    ):
        await store.costs.set_budget(budget)
    store.enter(ana)
    await answer(store, 0.75, agent="qualidade")
    store.enter(rui)
    his = await answer(store, 0.5)

    standings = await store.costs.standings(his)

    kept = {(each.budget.scope, each.budget.name): each.spent_usd for each in standings}
    assert kept == {("station", ""): 1.25, ("person", "rui"): 0.5}
    assert [each.others_usd for each in standings] == [0.75, 0.0]
    store.enter(ana)
    spent = {each.budget.name: each.spent_usd for each in await store.costs.all_standings()}
    assert spent == {"": 1.25, "rui": 0.5, "ana": 0.75, "qualidade": 0.75}


async def test_yesterday_is_not_on_todays_budget_and_the_last_month_not_on_this_ones(
    store: Store, folder: Path
) -> None:
    today = datetime.now().astimezone().date()
    await store.costs.set_budget(Budget("station", "", "day", 1))
    await store.costs.set_budget(Budget("station", "", "month", 1))
    earlier = await answer(store, 0.5)
    move(folder, earlier, today.replace(day=1) - timedelta(days=1))

    assert [each.spent_usd for each in await store.costs.all_standings()] == [0, 0]


@pytest.mark.parametrize("days", [1, 2, 40])
async def test_a_clock_put_back_opens_no_new_day_or_month(
    store: Store, folder: Path, days: int
) -> None:
    await store.costs.set_budget(Budget("station", "", "day", 1))
    await store.costs.set_budget(Budget("station", "", "month", 5))
    spent = await answer(store, 1.5)
    move(folder, spent, datetime.now().astimezone().date() + timedelta(days=days))

    day, month = await store.costs.all_standings()

    assert (day.spent_usd, day.ahead_usd, month.spent_usd) == (1.5, 1.5, 1.5)
    with pytest.raises(BudgetSpentError, match=r"1\.50 on days to come.*date of this computer"):
        day.check()
    month.check()
    assert await store.messages.spent_today() == 1.5


_PROGRAM = """
import asyncio, sys, time
from pathlib import Path
from qhub_desktop.store import Store

store = Store.open(Path(sys.argv[1]))
asyncio.run(store.costs.reserve(int(sys.argv[2]), model="claude-x", most_usd=0.75))
print("reserved", flush=True)
sys.stdin.read()
"""


async def test_a_reservation_lives_as_long_as_its_program(store: Store, folder: Path) -> None:
    await store.costs.set_budget(Budget("station", "", "day", 1))
    theirs, mine = await answer(store), await answer(store)
    other = subprocess.Popen(  # noqa: ASYNC220  it answers at once
        [sys.executable, "-c", _PROGRAM, str(folder), str(theirs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "reserved\n"
        (standing,) = await store.costs.standings(mine)
        with pytest.raises(BudgetReservedError, match=r"0\.75 reserved, of 1\.00"):
            await store.costs.reserve(mine, model="claude-x", most_usd=0.5)
    finally:
        other.kill()
        other.communicate()

    assert standing.reserved_usd == 0.75
    (standing,) = await store.costs.standings(mine)
    assert standing.reserved_usd == 0
    await store.costs.reserve(mine, model="claude-x", most_usd=0.5)
    (standing,) = await store.costs.all_standings()
    assert standing.reserved_usd == 0.5


async def test_what_is_reserved_stands_beside_what_was_spent(store: Store) -> None:
    ana = await account(store, "ana")
    store.enter(await account(store, "rui"))
    his = await answer(store, 0.25)
    assert await store.costs.reserve(his, model="claude-x", most_usd=0.5) == []  # nothing is kept
    store.enter(ana)
    await store.costs.set_budget(Budget("person", "rui", "day", 1))
    await store.costs.reserve(his, model="claude-y", most_usd=0.5)

    totals = await store.costs.totals("model")

    told = [(each.key, each.calls, each.cost_usd, each.reserved_usd) for each in totals]
    assert told == [("claude-x", 1, 0.25, 0), ("claude-y", 0, 0, 0.5)]
    (standing,) = await store.costs.all_standings()
    assert standing.amounts == "0.25 / 1.00 (0.50 reserved)"
    assert notes_on(totals) == ["Reserved for answers under way: 0.50 US$."]
    (own,) = await store.costs.standings(his)
    assert (own.reserved_usd, own.others_usd) == (0, 0)
    await store.messages.add_usage(his, UsageCounted("claude-y", 10, 20, 0, 0, 0.125))
    (standing,) = await store.costs.all_standings()
    assert standing.amounts == "0.38 / 1.00"


async def test_a_warning_comes_once_in_a_period(store: Store) -> None:
    budget = Budget("station", "", "day", 1)
    await store.costs.set_budget(budget)

    assert await store.costs.claim_warning(budget)
    assert not await store.costs.claim_warning(budget)
    (standing,) = await store.costs.all_standings()
    assert standing.is_warned


async def test_a_cost_that_nobody_knows_is_not_taken_for_nothing(store: Store) -> None:
    await store.costs.set_budget(Budget("station", "", "day", 1))
    await answer(store, None)

    (standing,) = await store.costs.all_standings()
    with pytest.raises(BudgetSpentError, match=r"prices\.toml"):
        standing.check()


async def test_changes_of_budgets_stand_in_the_log(store: Store) -> None:
    await store.costs.set_budget(Budget("station", "", "day", 1))
    await store.costs.set_budget(Budget("station", "", "day", 2.5))
    await store.costs.remove_budget("station", "", "day")
    with pytest.raises(UserError, match="no such budget"):
        await store.costs.remove_budget("station", "", "day")

    entries = await store.audit.listed(action="budget")

    assert [(each.subject, each.detail) for each in reversed(entries)] == [
        ("station day", {"usd": 1.0}),
        ("station day", {"usd": 2.5}),
        ("station day", {"removed": True}),
    ]
    assert await store.costs.budgets() == []


@pytest.mark.parametrize("usd", [-1.0, float("nan"), float("inf"), 2e6])
async def test_an_amount_that_is_none_is_refused(store: Store, usd: float) -> None:
    with pytest.raises(UserError, match="amount"):
        await store.costs.set_budget(Budget("station", "", "day", usd))


async def test_a_budget_for_nobody_is_refused(store: Store) -> None:
    with pytest.raises(UserError, match="no account"):
        await store.costs.set_budget(Budget("person", "eva", "day", 1))
