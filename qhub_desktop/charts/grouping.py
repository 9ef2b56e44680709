"""Grouping of rows into the categories and series that charts are drawn from."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import repeat
from typing import Literal

from qhub_desktop.charts.chart_spec import GROUPS, TIMES, ChartSpec, is_identity, place, value
from qhub_desktop.charts.wording import (
    is_others,
    is_share,
    largest,
    largest_and_others,
    left_out,
    name_of,
    natural_rank,
    others,
)
from qhub_desktop.core.dataset import SHIFTS
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _

MOST_SERIES = 8
MOST_CATEGORIES = 30


@dataclass(frozen=True, slots=True)
class Grid:
    """Values by series and category: `values[series][key]`, NaN where nothing was known.

    `is_additive`: the values are counts or sums, so a rest may be put together.
    """

    x: str
    keys: tuple[Cell, ...]
    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    measure: str
    is_additive: bool
    is_counted: bool
    missing_rows: int
    notes: tuple[str, ...] = ()

    @property
    def is_over_time(self) -> bool:
        """Whether the categories are moments."""
        return all(isinstance(key, date) for key in self.keys)

    @property
    def total(self) -> float:
        """All values together."""
        return math.fsum(_known(each for row in self.values for each in row))

    def totals(self) -> list[float]:
        """Each category over all series."""
        return [math.fsum(_known(column)) for column in zip(*self.values, strict=True)]


def shorten(grid: Grid, *, most: int = MOST_CATEGORIES) -> Grid:
    """At most so many categories: the largest, and the rest put together where that has a meaning.

    What was done is added to the notes.
    """
    if len(grid.keys) <= most:
        return grid
    totals = grid.totals()
    ranked = sorted(range(len(grid.keys)), key=lambda at: -totals[at])
    if not grid.is_additive:
        kept = sorted(ranked[:most])
        note = largest(grid.x, most, len(grid.keys))
        return replace(only(grid, kept), notes=(*grid.notes, note))
    named = [at for at in ranked if not is_others(name_of(grid.keys[at]))]
    kept = sorted(named[: most - 1])
    rest = sorted(set(ranked) - set(kept))
    note = largest_and_others(grid.x, most - 1, len(grid.keys))
    shown = only(grid, kept)
    return replace(
        shown,
        keys=(*shown.keys, others()),
        values=tuple(
            (*few, math.fsum(_known(row[at] for at in rest)))
            for few, row in zip(shown.values, grid.values, strict=True)
        ),
        notes=(*grid.notes, note),
    )


def descending(grid: Grid) -> Grid:
    """The largest category first, what is called 'others' last."""
    totals = grid.totals()
    order = sorted(
        range(len(grid.keys)), key=lambda at: (is_others(name_of(grid.keys[at])), -totals[at])
    )
    return only(grid, order)


def notes_of(grid: Grid) -> tuple[str, ...]:
    """Everything that was done to the rows, in sentences for a subtitle."""
    return (*grid.notes, left_out(grid.missing_rows))


def fewer_series(grid: Grid, by: str, *, most: int) -> Grid:
    """At most so many series, by the same rule; `by` is the column that they come from."""
    if len(grid.names) <= most:
        return grid
    totals = [math.fsum(_known(row)) for row in grid.values]
    ranked = sorted(range(len(grid.names)), key=lambda at: -totals[at])
    shown = most - 1 if grid.is_additive else most
    kept = sorted(ranked[:shown])
    names = [grid.names[at] for at in kept]
    values = [grid.values[at] for at in kept]
    if not grid.is_additive:
        note = largest(by, shown, len(grid.names))
    else:
        rest = [grid.values[at] for at in ranked[shown:]]
        names.append(others())
        values.append(tuple(math.fsum(_known(column)) for column in zip(*rest, strict=True)))
        note = largest_and_others(by, shown, len(grid.names))
    return replace(grid, names=tuple(names), values=tuple(values), notes=(*grid.notes, note))


def only(grid: Grid, positions: Sequence[int]) -> Grid:
    """The same grid with these categories alone, in this order."""
    return replace(
        grid,
        keys=tuple(grid.keys[at] for at in positions),
        values=tuple(tuple(row[at] for at in positions) for row in grid.values),
    )


def _known(values: Iterable[float]) -> list[float]:
    return [each for each in values if not math.isnan(each)]


MOST_DAYS_FILLED = 3660


def gather(request: ChartSpec, *, x: str, most_series: int = MOST_SERIES) -> Grid:
    """The table by the categories of `x`, with the columns asked for or the ones that fit best.

    Rows of the same category are counted where there is nothing to measure; else whole numbers are
    added, and others averaged, as the label then says.
    """
    by, columns = _parts(request, x)
    if not columns:
        return count_by(request, x=x, by=by, most_series=most_series)
    is_additive = all(request.type_of(column) == "integer" for column in columns)
    grid = _measured(request, x, by, columns, "sum" if is_additive else "mean")
    return fewer_series(grid, by, most=most_series) if by else grid


def gather_whole(request: ChartSpec, *, x: str) -> Grid:
    """One series of parts of a whole: rows counted, or one column added, whatever its type."""
    columns = request.y
    if not columns:
        candidates = _candidates(request, x, None)
        spare = request.columns(*GROUPS, *TIMES, without=(x,))
        if _is_key(request, x) or (len(candidates) == 1 and not spare):
            columns = tuple(candidates[:1])
    if not columns:
        return count_by(request, x=x)
    return _measured(request, x, None, columns, "sum")


def count_by(
    request: ChartSpec, *, x: str, by: str | None = None, most_series: int = MOST_SERIES
) -> Grid:
    """How many rows each category has; a day on which nothing was seen counts zero."""
    moments, step = _stepped(list(request.table.cells(x)))
    keys: dict[Cell, int] = {}
    # The rows come in no order that means anything, so the series get one.
    series_names = {name_of(part) for part in request.table.cells(by)} - {""} if by else {""}
    names = {name: at for at, name in enumerate(sorted(series_names, key=natural_rank))}
    counts: dict[tuple[int, int], int] = {}
    missing = 0
    series = request.table.cells(by) if by else repeat(None)
    for key, part in zip(moments, series, strict=False):
        if key is None or (by and part is None):
            missing += 1
            continue
        row = names[name_of(part)] if by else 0
        at = (row, keys.setdefault(key, len(keys)))
        counts[at] = counts.get(at, 0) + 1
    grid = Grid(
        x=x,
        keys=tuple(keys),
        names=tuple(names),
        values=tuple(
            tuple(float(counts.get((row, column), 0)) for column in range(len(keys)))
            for row in range(len(names))
        ),
        measure=_("Count"),
        is_additive=True,
        is_counted=True,
        missing_rows=missing,
    )
    grid = fewer_series(_ordered(grid), by, most=most_series) if by else _ordered(grid)
    return _with_empty_steps(grid, step) if step else grid


def categories_of(request: ChartSpec) -> str:
    """The column of categories: the one asked for, or the first that can be one."""
    if request.x:
        return request.x
    for types in (GROUPS, TIMES, ("integer",)):
        found = request.columns(*types, without=(*request.y, request.by))
        if found and (types != ("integer",) or len(request.table.columns) > 1):
            return found[0].name
    raise ToolError(
        f"O gráfico '{request.kind}' precisa de uma coluna de categorias ou datas em 'x'. "
        f"Colunas: {', '.join(request.table.names)}. Para a distribuição de números use "
        "'histogram' ou 'box'."
    )


def _parts(request: ChartSpec, x: str) -> tuple[str | None, tuple[str, ...]]:
    """The column that splits into series, and the columns of values; none of them: count."""
    by = request.by
    if by and len(request.y) > 1:
        raise ToolError("Com 'by' indique uma só coluna em 'y', ou retire 'by'.")
    if len(request.y) > MOST_SERIES:
        raise ToolError(f"São séries a mais: no máximo {MOST_SERIES} colunas em 'y'.")
    columns = request.y
    is_unique = _is_key(request, x, by) if by else _is_key(request, x)
    natural = by if by or is_unique else _natural_series(request, x)
    if not columns:
        candidates = _candidates(request, x, by)
        spare = request.columns(*GROUPS, *TIMES, without=(x, natural))
        if is_unique:
            columns = tuple(candidates[:1] if by else candidates[:MOST_SERIES])
        # With columns to spare the rows are single cases, and whole numbers name or rate them;
        # a number with decimals is a measurement.
        elif len(candidates) == 1 and (not spare or request.type_of(candidates[0]) == "number"):
            columns = tuple(candidates)
    return natural if len(columns) == 1 else by, columns


def _candidates(request: ChartSpec, x: str, by: str | None) -> list[str]:
    """The columns that may be measured; a query's shares beside its counts are not."""
    numeric = [each.name for each in request.numbers(without=(x, by)) if not is_identity(each.name)]
    return [name for name in numeric if not is_share(name)] or numeric


def _natural_series(request: ChartSpec, x: str) -> str | None:
    """The one other column of categories, if it and `x` together name every row."""
    rest = request.columns(*GROUPS, without=(x,))
    if len(rest) != 1 or not _is_key(request, x, rest[0].name):
        return None
    return rest[0].name if len(set(request.table.cells(rest[0].name))) <= MOST_SERIES else None


def _is_key(request: ChartSpec, *names: str) -> bool:
    """Whether no two rows have the same cells in these columns."""
    rows = list(zip(*(request.table.cells(name) for name in names), strict=True))
    return len(set(rows)) == len(rows)


def _measured(
    request: ChartSpec,
    x: str,
    by: str | None,
    columns: tuple[str, ...],
    how: Literal["sum", "mean"],
) -> Grid:
    keys: dict[Cell, int] = {}
    names = {} if by else {column: at for at, column in enumerate(columns)}
    piles: dict[tuple[int, int], list[float]] = {}
    missing = 0
    series = request.table.cells(by) if by else repeat(None)
    measured = zip(*(request.table.cells(column) for column in columns), strict=True)
    for key, part, cells in zip(request.table.cells(x), series, measured, strict=False):
        found = [value(cell) for cell in cells]
        is_nameless = key is None or (by is not None and part is None)
        missing += is_nameless or all(map(math.isnan, found))
        if is_nameless:
            continue
        column = keys.setdefault(key, len(keys))
        for offset, each in enumerate(found):
            row = names.setdefault(name_of(part), len(names)) if by else offset
            if not math.isnan(each):
                piles.setdefault((row, column), []).append(each)
    join = math.fsum if how == "sum" else _mean
    grid = Grid(
        x=x,
        keys=tuple(keys),
        names=tuple(names),
        values=tuple(
            tuple(
                join(piles[row, column]) if (row, column) in piles else math.nan
                for column in range(len(keys))
            )
            for row in range(len(names))
        ),
        measure=_measure(columns, how, is_joined=any(len(pile) > 1 for pile in piles.values())),
        is_additive=how == "sum" and not any(map(is_share, columns)),
        is_counted=False,
        missing_rows=missing,
    )
    return _ordered(grid)


def _measure(columns: tuple[str, ...], how: Literal["sum", "mean"], *, is_joined: bool) -> str:
    if len(columns) > 1:
        return ""
    if not is_joined:
        return columns[0]
    words = _("Sum of {column}") if how == "sum" else _("Mean of {column}")
    return words.format(column=columns[0])


def _stepped(keys: list[Cell]) -> tuple[list[Cell], timedelta | None]:
    """Moments cut to the day or, within two days, to the hour; other keys as they are."""
    known = [key for key in keys if key is not None]
    if not known or not all(isinstance(key, date) for key in known):
        return keys, None
    stamps = [key for key in known if isinstance(key, datetime)]
    if not stamps:
        return keys, timedelta(days=1)
    if max(stamps) - min(stamps) <= timedelta(days=2):
        return [
            key.replace(minute=0, second=0, microsecond=0) if isinstance(key, datetime) else key
            for key in keys
        ], timedelta(hours=1)
    return [key.date() if isinstance(key, datetime) else key for key in keys], timedelta(days=1)


def _with_empty_steps(grid: Grid, step: timedelta) -> Grid:
    """Every day from the first to the last: a day on which nothing was seen is a zero."""
    moments = [key for key in grid.keys if isinstance(key, date)]
    if len(moments) != len(grid.keys) or not moments:
        return grid
    first, last = min(moments), max(moments)
    if (last - first) / step > MOST_DAYS_FILLED:
        return grid
    known = {key: at for at, key in enumerate(grid.keys)}
    every: list[Cell] = []
    moment = first
    while moment <= last:
        every.append(moment)
        moment += step
    return replace(
        grid,
        keys=tuple(every),
        values=tuple(
            tuple(row[known[key]] if key in known else 0.0 for key in every) for row in grid.values
        ),
    )


def _ordered(grid: Grid) -> Grid:
    """Moments in their order; counted numbers too; counted names by size; the rest as it came."""
    if grid.is_over_time and grid.keys:
        return only(grid, _sorted_positions(grid.keys))
    if not grid.is_counted:
        return grid
    if all(isinstance(key, (int, float)) for key in grid.keys):
        return only(grid, _sorted_positions(grid.keys))
    names = list(map(name_of, grid.keys))
    if all(fold(name) in SHIFTS for name in names):
        return only(grid, sorted(range(len(names)), key=lambda at: natural_rank(names[at])))
    return descending(grid)


def _sorted_positions(keys: Sequence[Cell]) -> list[int]:
    return sorted(range(len(keys)), key=lambda at: place(keys[at]))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
