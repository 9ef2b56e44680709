"""Budgets kept: what stands before a service, and lets no answer begin that nobody may pay for."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

from qhub_desktop.core.budget import Budget, BudgetStanding
from qhub_desktop.core.events import ChatModel, ModelEvent, ModelRequest, RoundEnded, StatusChanged


class PaidModel(ChatModel, Protocol):
    """A model of a service that is paid for."""

    async def has_key(self) -> bool:
        """Return whether it can be asked."""
        ...

    async def reach(self) -> None:
        """Raise what is in the way of asking, without asking."""
        ...

    async def estimate(self, request: ModelRequest, /) -> float | None:
        """Estimate the cost of a question in US dollars; None where nobody knows."""
        ...


class Budgets(Protocol):
    """Where it is kept what may be spent, and what was."""

    async def standings(self, answer: int | None, /) -> Sequence[BudgetStanding]:
        """Return what is spent of each budget that an answer is kept to."""
        ...

    async def claim_warning(self, budget: Budget, /) -> bool:
        """Return whether to warn of a budget."""
        ...

    async def hold_last_money(self) -> Callable[[], None]:
        """Wait until no other program asks with the last of a budget; return how to let it."""
        ...


class BudgetedModel:
    """A paid model, asked while every budget has something left. Each of its ways leads through it.

    An answer that has begun is finished if the others alone have not spent the budget, and where
    one is nearly spent, one round is asked for at a time: so no budget is overrun by more than one
    answer, however many are under way, in this program and in others.
    """

    def __init__(self, model: PaidModel, budgets: Budgets) -> None:
        self._model = model
        self._budgets = budgets
        self._last_money = asyncio.Lock()

    async def has_key(self) -> bool:
        """Return whether it can be asked."""
        return await self._model.has_key()

    async def reach(self) -> None:
        """Raise what is in the way of asking, without asking: also a budget that is spent."""
        _check(await self._budgets.standings(None))
        await self._model.reach()

    async def estimate(self, request: ModelRequest) -> float | None:
        """Estimate the cost of a question in US dollars; None where nobody knows, or may pay."""
        if any(each.is_spent for each in await self._budgets.standings(None)):
            return None
        return await self._model.estimate(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Stream one round, after a warning where a budget is nearly spent.

        Raises BudgetSpentError, and asks nothing, where one is spent.
        """
        with ExitStack() as held:
            standings = await self._budgets.standings(request.answer)
            if any(each.is_nearly_spent for each in standings):
                await self._last_money.acquire()
                held.callback(self._last_money.release)
                held.callback(await self._budgets.hold_last_money())
                standings = await self._budgets.standings(request.answer)
            _check(standings)
            for standing in standings:
                is_new = standing.is_nearly_spent and not standing.is_warned
                if is_new and await self._budgets.claim_warning(standing.budget):
                    yield StatusChanged("budget", standing.warning)
            async for event in self._model.stream(request):
                if isinstance(event, RoundEnded):  # what the round took is counted by now
                    held.close()
                yield event


def _check(standings: Sequence[BudgetStanding]) -> None:
    for standing in standings:
        standing.check()
