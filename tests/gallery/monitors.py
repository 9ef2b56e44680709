"""What monitors have found and what they watch, at a busy station and before the first one."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.monitor import FoundViolation, Monitor, Violation, Watched
from qhub_desktop.core.table import Column, Table
from qhub_desktop.quality.run_rules import rule_text
from qhub_desktop.store.monitors import MonitorRepository
from qhub_desktop.tools.studies.monitors import Monitors
from qhub_desktop.ui.shell.monitors_window import MonitorsWindow
from qhub_desktop.ui.tasks import Tasks
from tests.waiting import until

AT = datetime(2026, 3, 4, 10, 12, tzinfo=UTC)
ROWS = Table(
    (Column("momento", "datetime"), Column("espessura", "number")),
    ((datetime(2026, 3, 4, 10, 5), 131.2), (datetime(2026, 3, 4, 10, 7), 129.9)),
)


class _Service(Monitors):
    """Monitors that take no answer."""

    def __init__(self) -> None:
        pass  # nothing is kept

    @override
    async def answer(self, violation: Violation, *, cause: str, action: str) -> Violation:
        raise UserError("Uma violação fecha-se com a causa e com o que se fez. Escreva as duas.")


class _Store(MonitorRepository):
    """Three violations, or none."""

    def __init__(self, *, is_empty: bool) -> None:
        self._is_empty = is_empty

    @override
    async def listed(self) -> list[Monitor]:
        if self._is_empty:
            return []
        data = Watched("dataset", ConversationId("c"), "espessura", "espessura_linha_2.xlsx")
        folder = Watched(
            "folder", ConversationId("c"), "espessura", folder=r"\\servidor\exportações\linha 3"
        )
        problem = (
            "linha3_0304.xlsx está aberto noutro programa, como o Excel. Tenta-se de novo; se"
            " durar, feche-o lá."
        )
        return [
            Monitor(1, "Carta de individuais: espessura", "s", {}, data, "rui", AT, looked=AT),
            Monitor(
                2,
                "Carta de médias: espessura",
                "s",
                {},
                folder,
                "ana.goncalves@fabrica.example",
                AT,
                looked=AT,
                problems=(problem,),
            ),
            Monitor(3, "Carta c: Defeitos", "s", {}, data, "rui", AT, is_stopped=True),
        ]

    @override
    async def violations(self, *, is_open: bool | None = None) -> list[Violation]:
        if self._is_empty:
            return []
        return [
            _violation(1, "2026-03-04", ("nelson1", "nelson2"), 131.2),
            _violation(2, "linha3_0304 · 12", ("nelson3",), 108.25, cause="bico gasto"),
            _violation(
                3, "2026-03-01", ("nelson1",), 88.0, cause="filtro roto", action="trocado às 9 h"
            ),
        ]

    @override
    async def set_stopped(self, monitor: int, *, is_stopped: bool) -> None:
        """Nothing."""


def _violation(
    id_: int, label: str, rules: tuple[str, ...], value: float, *, cause: str = "", action: str = ""
) -> Violation:
    words = tuple(rule_text(code) for code in rules)
    found = FoundViolation(
        label, "Carta de individuais", rules, words, value, 91.25, 100.5, 109.75, ROWS
    )
    title = "Carta de individuais: espessura"
    return Violation(id_, 1, title, "s", AT, found, cause, action, "rui", AT if action else None)


def _raise(error: QHubError) -> None:
    raise error


def monitors(*, is_empty: bool = False) -> Callable[[], QWidget]:
    """The window of the monitors."""

    def scene() -> QWidget:
        return MonitorsWindow(_Service, _Store(is_empty=is_empty), Tasks(_raise), None)

    return scene


async def half_written() -> QWidget:
    """A cause is written, and no action."""
    window = monitors()()
    assert isinstance(window, MonitorsWindow)
    await until(lambda: window.cards)
    card = window.cards[0]
    card.cause.setText("bico entupido")
    card.button.click()
    await until(lambda: not card.problem.isHidden())
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "monitors": monitors(),
    "monitors_none": monitors(is_empty=True),
    "monitors_half_written": half_written,
}
