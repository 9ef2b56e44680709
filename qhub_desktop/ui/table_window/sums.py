"""What the selected cells come to, as Excel says it below the rows."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTableView

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.paging import Area, Summary
from qhub_desktop.ui.table_window.selection import areas, cells_of
from qhub_desktop.ui.tasks import OnError, Tasks

PAUSE_S = 0.1  # of selecting, before anything is summed up
MOST_AREAS = 50  # a selection of more pieces is not summed up

Ask = Callable[[Sequence[Area]], Awaitable[Summary]]


class Sums(QLabel):
    """Follows the selection of a grid, over whatever many rows."""

    def __init__(
        self,
        grid: QTableView,
        names: Sequence[str],
        *,
        ask: Ask,
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        super().__init__()
        self._grid = grid
        self._names = names
        self._ask = ask
        self._tasks = tasks
        self._on_error = on_error
        self._selected = 0  # counts selections, so that only the last is summed up
        self.setProperty("role", "small")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.selectionModel().selectionChanged.connect(self.refresh)

    def refresh(self) -> None:
        """Sum up what is selected now."""
        self._selected += 1
        self._tasks.start(self._sum(self._selected), on_error=self._on_error)

    async def _sum(self, selected: int) -> None:
        await asyncio.sleep(PAUSE_S)
        if selected != self._selected:
            return
        chosen = self._grid.selectionModel().selection()
        parts = areas(chosen, self._names) if chosen.count() <= MOST_AREAS else ()
        if cells_of(parts) < 2:
            self.clear()
            return
        found = await self._ask(parts)
        if selected == self._selected:
            self.setText(_told(found))


def _told(found: Summary) -> str:
    parts = [_("Count {count}").format(count=number(found.filled, digits=0))]
    if found.mean is not None and found.least is not None and found.most is not None:
        parts += [
            _("Sum {value}").format(value=number(found.total)),
            _("Mean {value}").format(value=number(found.mean)),
            _("Min {value}").format(value=number(found.least)),
            _("Max {value}").format(value=number(found.most)),
        ]
    return "   ".join(parts)
