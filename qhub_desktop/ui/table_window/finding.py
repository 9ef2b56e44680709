"""From place to place of the words that are looked for."""

import asyncio
from collections.abc import Awaitable, Callable

from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.paging import Found, Step
from qhub_desktop.ui.table_window.busy_line import BusyLine
from qhub_desktop.ui.table_window.find_line import FindLine
from qhub_desktop.ui.table_window.grid import Grid
from qhub_desktop.ui.tasks import OnError, Tasks

Look = Callable[[str, int, Step], Awaitable["Found | None"]]


class Finder:
    """Takes the steps one after the other: pressed twice, a key goes two places on.

    `look` gives the next place in the rows as they are shown now.
    """

    def __init__(
        self,
        line: FindLine,
        grid: Grid,
        busy: BusyLine,
        *,
        look: Look,
        tasks: Tasks,
        on_error: OnError,
    ) -> None:
        self._line = line
        self._grid = grid
        self._busy = busy
        self._look = look
        self._tasks = tasks
        self._on_error = on_error
        self._turn = asyncio.Lock()
        line.stepped.connect(self.step)

    def look(self) -> None:
        """Go to the first place from here on; none but this row may be one."""
        self._begin(is_new=True, step="next")

    def step(self, step: int) -> None:
        """1 for the next place, -1 for the one before; without words, ask for them."""
        if self._line.words:
            self._begin(is_new=False, step="next" if step > 0 else "previous")
        else:
            self._line.begin()

    def _begin(self, *, is_new: bool, step: Step) -> None:
        words = self._line.words
        self._tasks.start(self._find(words, step, is_new=is_new), on_error=self._on_error)

    async def _find(self, words: str, step: Step, *, is_new: bool) -> None:
        async with self._turn:
            if words != self._line.words:
                return
            row = self._grid.currentIndex().row()
            self._busy.begin(_("Looking for “{words}”…").format(words=words))
            try:
                found = await self._look(words, max(row, 0) - 1 if is_new else row, step)
            finally:
                self._busy.end()
            if words != self._line.words:
                return
            if found is None:
                self._line.show_count(0, 0)
                return
            self._line.show_count(found.number, found.total)
            self._grid.go_to(found.position, found.column)
