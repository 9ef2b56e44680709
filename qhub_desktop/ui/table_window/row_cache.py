"""Rows of a view near what is seen, fetched page by page while the person scrolls."""

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, Signal

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.table import Cell, Table
from qhub_desktop.data.paging import Page
from qhub_desktop.ui.tasks import Tasks

PAGE_CELLS = 20_000
PAGE_ROWS = 200
FEWEST_ROWS = 10
PAGES_KEPT = 60

Fetch = Callable[[int, int], Awaitable[Page]]


class RowCache(QObject):
    """Holds a few pages of rows. Only what is wanted now is fetched: one page at a time, the
    nearest first, so that nothing that was scrolled past is waited for.

    Signals:
        arrived: wanted rows are there now: the first and the last of their page.
    """

    arrived = Signal(int, int)

    def __init__(self, first: Table, *, total: int, columns: int, tasks: Tasks) -> None:
        super().__init__()
        self._tasks = tasks
        self._first = first.rows
        self._total = total
        self._step = max(FEWEST_ROWS, min(PAGE_ROWS, PAGE_CELLS // max(1, columns)))
        self._pages: dict[int, Page] = {}
        self._wanted = range(0)
        self._fetch: Fetch | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._on_error: Callable[[QHubError], None] = lambda _error: None

    @property
    def total(self) -> int:
        """How many rows the view has."""
        return self._total

    @property
    def step(self) -> int:
        """How many rows a page has."""
        return self._step

    def show(self, fetch: Fetch, first: Page, *, on_error: Callable[[QHubError], None]) -> None:
        """Hold another view, of which this is the first page."""
        self._fetch = fetch
        self._on_error = on_error
        self._first = ()
        self._total = first.total
        self._pages = {0: first}
        self._wanted = range(0)

    def row(self, position: int) -> tuple[Cell, ...] | None:
        """One row; nothing until it is there."""
        page = self._pages.get(position // self._step)
        if page is not None:
            at = position - page.start
            return page.table.rows[at] if at < len(page.table.rows) else None
        return self._first[position] if position < len(self._first) else None

    def number(self, position: int) -> int | None:
        """Which row of the data set stands there, from 1; nothing until it is known."""
        page = self._pages.get(position // self._step)
        if page is not None:
            at = position - page.start
            return page.numbers[at] if at < len(page.numbers) else None
        return position + 1 if position < len(self._first) else None

    def want(self, first: int, last: int) -> None:
        """Fetch these rows, and forget what was wanted before."""
        self._wanted = range(max(0, first), min(last + 1, self._total))
        if self._fetch is not None and (self._fetching is None or self._fetching.done()):
            self._fetching = self._tasks.start(self._fetch_wanted(), on_error=self._on_error)

    async def _fetch_wanted(self) -> None:
        while (number := self._missing()) is not None:
            fetch = self._fetch
            assert fetch is not None
            page = await fetch(number * self._step, self._step)
            if fetch is not self._fetch:
                continue  # the view is another one by now
            self._pages[number] = page
            while len(self._pages) > PAGES_KEPT:
                del self._pages[self._furthest()]
            last = page.start + len(page.table.rows) - 1
            if self._wanted and page.start <= self._wanted[-1] and self._wanted[0] <= last:
                self.arrived.emit(page.start, last)

    def _missing(self) -> int | None:
        """The page to fetch next: in sight, then the one below, then the one above."""
        if not self._wanted:
            return None
        first, last = self._wanted[0] // self._step, self._wanted[-1] // self._step
        beyond = [last + 1] if (last + 1) * self._step < self._total else []
        before = [first - 1] if first else []
        nearest: list[int] = [*range(first, last + 1), *beyond, *before]
        for number in nearest:
            if number not in self._pages:
                return number
        return None

    def _furthest(self) -> int:
        middle = self._wanted[len(self._wanted) // 2] // self._step if self._wanted else 0

        def distance(number: int) -> int:
            return abs(number - middle)

        return max(self._pages, key=distance)
