"""Rows of the grid, fetched page by page on scrolling, and their model."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from functools import cache

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from typing_extensions import override

from qhub_desktop.core.dataset import TYPE_NAMES, ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.table import Cell, Table, is_numeric
from qhub_desktop.core.text import Language, language, number
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.query.service import RowPage
from qhub_desktop.ui.charts.table_view import MISSING, ROOT_INDEX
from qhub_desktop.ui.controls.plain_text import tooltip
from qhub_desktop.ui.tasks import Tasks

PAGE_CELLS = 20_000  # fetched at once
MAX_PAGE_ROWS = 200
MIN_PAGE_ROWS = 10
MAX_PAGES = 60  # held; those furthest from the view go

Fetch = Callable[[int, int], Awaitable[RowPage]]


class RowCache(QObject):
    """Cache of a few pages of rows. It fetches only what is wanted now, one page at a time, the
    nearest first: pages that were scrolled past do not delay those in view.

    Signals:
        fetched: first and last row of a page that was fetched.
    """

    fetched = Signal(int, int)

    def __init__(self, first: Table, *, total: int, columns: int, tasks: Tasks) -> None:
        super().__init__()
        self._tasks = tasks
        self._first = first.rows
        self._total = total
        self._page_rows = max(MIN_PAGE_ROWS, min(MAX_PAGE_ROWS, PAGE_CELLS // max(1, columns)))
        self._pages: dict[int, RowPage] = {}
        self._wanted = range(0)
        self._fetch: Fetch | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._on_error: Callable[[QHubError], None] = lambda _error: None

    @property
    def total(self) -> int:
        """Number of rows of the view."""
        return self._total

    @property
    def page_rows(self) -> int:
        """Number of rows of a page."""
        return self._page_rows

    def show(self, fetch: Fetch, first: RowPage, *, on_error: Callable[[QHubError], None]) -> None:
        """Switch to another view, given its first page."""
        self._fetch = fetch
        self._on_error = on_error
        self._first = ()
        self._total = first.total
        self._pages = {0: first}
        self._wanted = range(0)

    def row(self, position: int) -> tuple[Cell, ...] | None:
        """Return a row; None until it is fetched."""
        page = self._pages.get(position // self._page_rows)
        if page is not None:
            at = position - page.start
            return page.table.rows[at] if at < len(page.table.rows) else None
        return self._first[position] if position < len(self._first) else None

    def number(self, position: int) -> int | None:
        """Return the row's number in the data set, from 1; None until it is fetched."""
        page = self._pages.get(position // self._page_rows)
        if page is not None:
            at = position - page.start
            return page.numbers[at] if at < len(page.numbers) else None
        return position + 1 if position < len(self._first) else None

    def request_rows(self, first: int, last: int) -> None:
        """Fetch these rows, and drop earlier wishes."""
        self._wanted = range(max(0, first), min(last + 1, self._total))
        if self._fetch is not None and (self._fetching is None or self._fetching.done()):
            self._fetching = self._tasks.start(self._fetch_wanted(), on_error=self._on_error)

    async def _fetch_wanted(self) -> None:
        while (number := self._next_page()) is not None:
            fetch = self._fetch
            assert fetch is not None
            page = await fetch(number * self._page_rows, self._page_rows)
            if fetch is not self._fetch:
                continue  # the view has changed meanwhile
            self._pages[number] = page
            while len(self._pages) > MAX_PAGES:
                del self._pages[self._furthest_page()]
            last = page.start + len(page.table.rows) - 1
            if self._wanted and page.start <= self._wanted[-1] and self._wanted[0] <= last:
                self.fetched.emit(page.start, last)

    def _next_page(self) -> int | None:
        """Return the next page to fetch: visible first, then below, then above; None if all are
        there.
        """
        if not self._wanted:
            return None
        first, last = self._wanted[0] // self._page_rows, self._wanted[-1] // self._page_rows
        beyond = [last + 1] if (last + 1) * self._page_rows < self._total else []
        before = [first - 1] if first else []
        nearest: list[int] = [*range(first, last + 1), *beyond, *before]
        for page in nearest:
            if page not in self._pages:
                return page
        return None

    def _furthest_page(self) -> int:
        middle = self._wanted[len(self._wanted) // 2] // self._page_rows if self._wanted else 0

        def distance(number: int) -> int:
            return abs(number - middle)

        return max(self._pages, key=distance)


def format_number(value: float, *, digits: int) -> str:
    """Format a finite number with exactly `digits` decimals."""
    group, point = _separators(language())
    written = f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
    whole, _point, rest = written.partition(".")
    whole = whole.replace(",", group)
    return f"{whole}{point}{rest}" if rest else whole


@cache
def _separators(spoken: Language) -> tuple[str, str]:
    """Return the thousands and the decimal separator of a language."""
    sample = number(1234.5, digits=1, language=spoken)
    return sample[1:-5], sample[-2]


AnyIndex = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

PLACEHOLDER = "…"
MAX_DIGITS = 4  # decimals common to a column; a cell with more shows its own
MAX_CHARACTERS = 400  # characters drawn of a cell
MIN_TOOLTIP_CHARACTERS = 24


class RowsModel(QAbstractTableModel):
    """Model over the cache; rows not fetched yet show a placeholder."""

    def __init__(self, profile: DatasetProfile, cache: RowCache) -> None:
        super().__init__()
        self._columns = profile.columns
        self.total_rows = profile.rows
        self._cache = cache
        self._digits = [_digits(list(profile.preview.cells(each.name))) for each in self._columns]
        self._right_aligned = [is_numeric(each.type) for each in self._columns]
        self._texts: dict[tuple[int, int], str] = {}
        cache.fetched.connect(self._on_fetched)

    @property
    def columns(self) -> tuple[ColumnProfile, ...]:
        """Profiles of the columns."""
        return self._columns

    def reset(self) -> None:
        """Reset the model after a change of the view."""
        self.beginResetModel()
        self._texts.clear()
        self.endResetModel()

    def value(self, row: int, column: int) -> Cell:
        """Return the value of a cell; None also if it is not fetched yet."""
        found = self._cache.row(row)
        return None if found is None else found[column]

    def is_fetched(self, row: int) -> bool:
        """Whether the row is fetched."""
        return self._cache.row(row) is not None

    def is_missing(self, row: int, column: int) -> bool:
        """Whether the cell is empty or not fetched yet."""
        return self.value(row, column) is None

    def text(self, row: int, column: int) -> str:
        """Return a cell's text as drawn, in one line."""
        known = self._texts.get((row, column))
        if known is not None:
            return known
        found = self._cache.row(row)
        if found is None:
            return PLACEHOLDER
        if len(self._texts) > 20_000:
            self._texts.clear()
        text = " ".join(self.full_text(found[column], column)[:MAX_CHARACTERS].split("\n"))
        self._texts[row, column] = text
        return text

    def full_text(self, value: Cell, column: int) -> str:
        """Return a value's complete text, unrounded."""
        match value:
            case None:
                return MISSING
            case int() if not isinstance(value, bool):
                return format_number(value, digits=0)
            case float() if value - value == 0:  # neither infinite nor not-a-number
                return format_number(value, digits=max(self._digits[column], _decimals(value)))
            case _:
                return cell_text(value)

    def is_right_aligned(self, column: int) -> bool:
        """Whether the column is right-aligned, as numbers are."""
        return self._right_aligned[column]

    @override
    def rowCount(self, parent: AnyIndex = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else self._cache.total

    @override
    def columnCount(self, parent: AnyIndex = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns)

    @override
    def data(self, index: AnyIndex, role: int = Role.DisplayRole) -> object:
        match role:
            case Role.DisplayRole:
                return self.text(index.row(), index.column())
            case Role.ToolTipRole:
                text = self.full_text(self.value(index.row(), index.column()), index.column())
                return tooltip(text) if len(text) > MIN_TOOLTIP_CHARACTERS else None
            case Role.TextAlignmentRole:
                is_right = self._right_aligned[index.column()]
                return (_RIGHT if is_right else _LEFT) | Qt.AlignmentFlag.AlignVCenter
            case Role.AccessibleTextRole:
                name = self._columns[index.column()].name
                return f"{name}: {self.text(index.row(), index.column())}"
            case _:
                return None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Vertical:
            return self._row_header(section, role)
        column = self._columns[section]
        match role:
            case Role.DisplayRole:
                return column.name
            case Role.ToolTipRole:
                return tooltip(f"{column.name} · {_(TYPE_NAMES[column.type])}")
            case _:
                return None

    def _row_header(self, section: int, role: int) -> object:
        match role:
            case Role.DisplayRole:
                at = self._cache.number(section)
                return PLACEHOLDER if at is None else format_number(at, digits=0)
            case Role.TextAlignmentRole:
                return _RIGHT | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def _on_fetched(self, first: int, last: int) -> None:
        self.dataChanged.emit(
            self.index(first, 0), self.index(last, len(self._columns) - 1), [Role.DisplayRole]
        )


def _digits(cells: Sequence[Cell]) -> int:
    """Return the number of decimals common to a column, by its first rows."""
    found = (_decimals(each) for each in cells if isinstance(each, float) and each - each == 0)
    return min(MAX_DIGITS, max(found, default=0))


def _decimals(value: float) -> int:
    """Return the number of decimals that write a number exactly."""
    if value.is_integer():
        return 0
    exponent = Decimal(repr(value)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


_RIGHT, _LEFT = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
