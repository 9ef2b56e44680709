"""What was spent, at a station with a budget and at one where nothing was."""

from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta

from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.core.budget import Budget, BudgetStanding, Limits, Scope, Spending
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.ids import MessageId
from qhub_desktop.store.costs import CostRepository, CostTotal, Dimension
from qhub_desktop.ui.shell.costs_window import CostsWindow
from qhub_desktop.ui.tasks import Tasks
from tests.waiting import until

_KEYS: dict[Dimension, tuple[str, ...]] = {
    "agent": ("analise", "qualidade", "assistente"),
    "model": ("claude-sonnet-5-5", "claude-haiku-5-5"),
    "person": ("ana.goncalves@fabrica.example", "rui"),
}


class _Costs(CostRepository):
    """Costs of a busy month."""

    def __init__(self, share: float) -> None:
        self._share = share

    @override
    async def totals(
        self,
        by: Dimension,
        *,
        first: date | None = None,
        last: date | None = None,
        owner: int | None = None,
        person: str | None = None,
    ) -> list[CostTotal]:
        del first, last, owner
        if not self._share:
            return []
        today = datetime.now().astimezone().date()
        days = tuple((today - timedelta(days=back)).isoformat() for back in range(30, -1, -1))
        return [
            CostTotal(
                key,
                answers=3 + at % 5,
                calls=9 + at % 7,
                input_tokens=4_120 + 911 * at,
                output_tokens=2_310 + 87 * at,
                cache_write_tokens=18_420,
                cache_read_tokens=201_877,
                cost_usd=(0.3 if person else 1) * self._share * (0.21 + (at * 7 % 11) / 10),
                unpriced_calls=0,
                estimated_calls=at % 2,
                reserved_usd=0.14 if at == 1 else 0.0,
            )
            for at, key in enumerate(_KEYS.get(by, days))
        ]

    @override
    async def all_standings(self) -> list[BudgetStanding]:
        if not self._share:
            return []
        month = BudgetStanding(
            Budget("station", "", "month", 25.0), 19.42, 19.42, reserved_usd=0.14
        )
        today = BudgetStanding(Budget("station", "", "day", 2.5), 1.27, 1.27, reserved_usd=0.14)
        agent = BudgetStanding(Budget("agent", "qualidade", "day", 1.0), 0.31, 0.31)
        rui = BudgetStanding(Budget("person", "rui", "month", 5.0), 4.9, 4.9)
        return [today, month, agent, rui]

    @override
    async def standings(self, answer: MessageId | None, /) -> list[BudgetStanding]:
        return [BudgetStanding(Budget("person", "rui", "month", 5.0), 4.9, 4.9)]

    @override
    async def spendings(self, scope: Scope, name: str, /) -> list[Spending]:
        del scope, name
        return [Spending("day", 1.27, 2.5), Spending("month", 19.42, None)]

    @override
    async def account_names(self) -> list[str]:
        return ["ana.goncalves@fabrica.example", "rui"]

    @override
    async def set_budgets(self, scope: Scope, name: str, limits: Limits, /) -> None:
        raise NotImplementedError(scope, name, limits)


def _raise(error: QHubError) -> None:
    raise error


async def _no_export(noted: JsonObject) -> None:
    raise NotImplementedError(noted)


async def budget() -> QWidget:
    """A budget is changed, and one amount is none."""
    window = costs(1.0)()
    assert isinstance(window, CostsWindow)
    dialog = window.budgets.open_dialog()
    await until(dialog.amounts.isEnabled)
    dialog.amounts.fields["month"].setText("1.000,00")
    dialog.save_button.click()
    await until(dialog.problem.text)
    return dialog


async def one_person() -> QWidget:
    """What one of the accounts spent."""
    window = costs(1.0)()
    assert isinstance(window, CostsWindow)
    await until(lambda: window.person_box.count() > 1)
    window.person_box.setCurrentIndex(1)
    return window


def costs(share: float, *, owner: int | None = None) -> Callable[[], QWidget]:
    """The window of the costs, an administrator's or another's."""

    def scene() -> QWidget:
        return CostsWindow(
            costs=_Costs(share),
            owner=owner,
            agents={"analise": "Análise de Dados", "qualidade": "Assistente de Qualidade"},
            note_export=_no_export,
            tasks=Tasks(_raise),
            parent=None,
        )

    return scene


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "costs": costs(1.0),
    "costs_nothing": costs(0.0),
    "costs_own": costs(0.3, owner=2),
    "costs_one_person": one_person,
    "costs_budget": budget,
}
