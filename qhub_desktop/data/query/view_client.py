"""Any part of a view of a data set, however large: pages, values, places of words, sums."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from qhub_desktop.core.json_values import Json
from qhub_desktop.core.table import Cell, Table
from qhub_desktop.core.text import language
from qhub_desktop.data.query.service import Answer, QueryService
from qhub_desktop.data.query.view_spec import RowView, packed

Step = Literal["next", "previous"]


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a view from position `start` on, which has `total` rows in all.

    `numbers` says for each row which one of the data set it is, from 1.
    """

    table: Table
    start: int
    total: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Some rows as the clipboard takes them: tab-separated lines, and rows of an HTML table."""

    lines: str
    markup: str
    count: int


@dataclass(frozen=True, slots=True)
class Values:
    """The most frequent values of a column with their counts; there are `distinct` of them."""

    values: tuple[tuple[Cell, int], ...]
    distinct: int


@dataclass(frozen=True, slots=True)
class Found:
    """Where words stand: a row's position in the view, and the column's in the data set.

    It is row `number` of `total` rows that hold them.
    """

    position: int
    column: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells: rows of a view, and columns by their names."""

    start: int
    count: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What cells come to: `filled` hold something, `numbers` of them a number."""

    filled: int
    numbers: int
    total: int | float
    least: int | float | None
    most: int | float | None

    @property
    def mean(self) -> float | None:
        """Of the numbers; nothing where there is none."""
        return self.total / self.numbers if self.numbers else None


class ViewClient:
    """Views of data sets, asked of the query process. `place` says where a data set's rows are."""

    def __init__(self, desk: QueryService, place: Callable[[str], Path | str]) -> None:
        self._desk = desk
        self._place = place

    async def page(self, dataset_id: str, view: RowView, *, start: int, count: int) -> Page:
        """Rows by their position in the view."""
        answer = await self._ask("page", dataset_id, view, start=start, count=count)
        columns = answer.table.columns[1:]
        rows = answer.table.rows
        return Page(
            Table(columns, tuple(row[1:] for row in rows)),
            start,
            answer.row_count,
            tuple(cast("int", row[0]) for row in rows),
        )

    async def written(
        self,
        dataset_id: str,
        view: RowView,
        *,
        start: int,
        count: int,
        columns: Sequence[str | None],
    ) -> tuple[Written, ...]:
        """Rows by their position in the view, written out; a column that is None stays empty."""
        answer = await self._ask(
            "copy", dataset_id, view, start=start, count=count, columns=[*columns]
        )
        return tuple(Written(*cast("tuple[str, str, int]", row)) for row in answer.table.rows)

    async def values(
        self, dataset_id: str, column: str, view: RowView, *, words: str, limit: int
    ) -> Values:
        """The values of one column, as far as the view's filters on other columns leave them."""
        answer = await self._ask(
            "values", dataset_id, view, column=column, words=words, limit=limit
        )
        counted = tuple((value, cast("int", count)) for value, count in answer.table.rows)
        return Values(counted, answer.row_count)

    async def find(
        self, dataset_id: str, view: RowView, words: str, *, start: int, step: Step
    ) -> Found | None:
        """The row after or before `start` that holds the words; it goes round the end."""
        answer = await self._ask("find", dataset_id, view, words=words, start=start, step=step)
        for row in answer.table.rows:
            return Found(*cast("tuple[int, int, int, int]", row))
        return None

    async def summary(self, dataset_id: str, view: RowView, areas: Sequence[Area]) -> Summary:
        """Count, sum and ends of these cells."""
        asked: list[Json] = [[area.start, area.count, list(area.columns)] for area in areas]
        answer = await self._ask("summary", dataset_id, view, areas=asked)
        return Summary(*cast("tuple[Any, Any, Any, Any, Any]", answer.table.rows[0]))

    async def _ask(self, what: str, dataset_id: str, view: RowView, **more: Json) -> Answer:
        # Numbers, dates and yes or no are looked for as the person reads them now.
        spoken: Json = language()
        request = {"what": what, "view": packed(view), "language": spoken, **more}
        return await self._desk.browse(self._place(dataset_id), request)
