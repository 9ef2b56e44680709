"""Budget checks: refuses a request of an answer that would exceed a budget."""

# Why it is so: decisions/costs.md

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from qhub_desktop.core.budget import (
    Budget,
    BudgetReservedError,
    BudgetSpentError,
    BudgetStanding,
)
from qhub_desktop.core.events import (
    ChatModel,
    ModelEvent,
    ModelRequest,
    RequestReady,
    StatusChanged,
)
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.text import gettext as _

PATIENCE_S = 30.0  # most rounds end sooner, and give back what they did not take
LOOK_S = 0.5  # between two looks at what others have given back


class PaidModel(ChatModel, Protocol):
    """A model of a service that is paid for, which says of each request what it may cost."""

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
    """Store of budgets: what may be spent, what was, and what is reserved by requests under way."""

    async def standings(self, answer: MessageId | None, /) -> Sequence[BudgetStanding]:
        """Return what is spent of each budget that an answer is kept to."""
        ...

    async def reserve(
        self, answer: MessageId, /, *, model: str, most_usd: float | None
    ) -> Sequence[BudgetStanding]:
        """Reserve what a request for an answer may cost. Raises BudgetSpentError if it may not."""
        ...

    async def claim_warning(self, budget: Budget, /) -> bool:
        """Return whether to warn of a budget."""
        ...


class BudgetedModel:
    """A paid model, asked while every budget has room for it. Each of its ways leads through it.

    Before each request, the most that it may cost is reserved in all budgets of its answer, until
    it is counted what it took. An answer that has begun is finished if the others alone have not
    spent the budget; a request that does not fit waits until it is the only one. So no budget is
    overrun by more than one answer, however many are under way, in this program and in others.
    """

    def __init__(
        self, model: PaidModel, budgets: Budgets, *, patience_s: float = PATIENCE_S
    ) -> None:
        self._model = model
        self._budgets = budgets
        self._patience_s = patience_s

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

        Raises BudgetSpentError, and asks nothing, where one is spent or has no room.
        """
        _check(await self._budgets.standings(request.answer))  # before anything is loaded for it
        async for event in self._model.stream(request):
            if not isinstance(event, RequestReady):
                yield event
            elif request.answer is not None:
                async for status in self._reserve(request.answer, event):
                    yield status

    async def hold(self, answer: MessageId, model: str, most_usd: float) -> None:
        """Reserve what requests that are sent together may cost. Raises BudgetSpentError where
        there is no room for all of them: nobody waits for these, so they go beyond no budget.
        """
        for each in await self._budgets.standings(answer):
            each.check()
            if each.spent_usd + each.reserved_usd + most_usd > each.budget.usd:
                raise BudgetSpentError(
                    _("Claude is not asked: there is no room in {what} ({amounts} US$).").format(
                        what=each.budget.what, amounts=each.amounts
                    )
                )
        await self._budgets.reserve(answer, model=model, most_usd=most_usd)

    async def _reserve(
        self, answer: MessageId, ready: RequestReady
    ) -> AsyncIterator[StatusChanged]:
        """Reserve what a request may cost, waiting a while for others to give theirs back."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._patience_s
        standings: Sequence[BudgetStanding] | None = None
        is_told = False
        while standings is None:
            try:
                # By reading: programs that wait are many, and only one at a time may write.
                for each in await self._budgets.standings(answer):
                    each.check_room(ready.most_usd)
                standings = await self._budgets.reserve(
                    answer, model=ready.model, most_usd=ready.most_usd
                )
            except BudgetReservedError:
                if loop.time() >= end:
                    raise
                if not is_told:
                    is_told = True
                    yield StatusChanged(
                        "preparing",
                        _("What is left of the budget is reserved: waiting for other answers…"),
                    )
                await asyncio.sleep(LOOK_S)
        for standing in standings:
            is_new = standing.is_nearly_spent and not standing.is_warned
            if is_new and await self._budgets.claim_warning(standing.budget):
                yield StatusChanged("budget", standing.warning)


def _check(standings: Sequence[BudgetStanding]) -> None:
    for standing in standings:
        standing.check()
