"""Grouping of rows into categories and series, and the names and order of these."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import repeat
from typing import Literal

from qhub_desktop.charts.chart_spec import (
    GROUPS,
    TIMES,
    ChartSpec,
    axis_position,
    finite_number,
    is_identity,
    is_share,
    left_out_note,
)
from qhub_desktop.core.dataset import SHIFTS
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import fold, number, words_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

MOST_SERIES = 8
MOST_CATEGORIES = 30


@dataclass(frozen=True, slots=True)
class SeriesGrid:
    """Values by series and category: `values[series][key]`, NaN if unknown.

    `is_additive` means that values are counts or sums, so small categories may be added up.
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
        """Whether the categories are dates or times."""
        return all(isinstance(key, date) for key in self.keys)

    @property
    def total(self) -> float:
        """Sum of all values."""
        return math.fsum(_known(each for row in self.values for each in row))

    def totals(self) -> list[float]:
        """Return the sum of each category over all series."""
        return [math.fsum(_known(column)) for column in zip(*self.values, strict=True)]


def limit_categories(grid: SeriesGrid, *, most: int = MOST_CATEGORIES) -> SeriesGrid:
    """Keep the largest categories and, if values are additive, sum the others into one.

    A note tells what was done.
    """
    if len(grid.keys) <= most:
        return grid
    totals = grid.totals()
    ranked = sorted(range(len(grid.keys)), key=lambda at: -totals[at])
    if not grid.is_additive:
        kept = sorted(ranked[:most])
        note = largest_note(grid.x, most, len(grid.keys))
        return replace(select_categories(grid, kept), notes=(*grid.notes, note))
    named = [at for at in ranked if not is_others(name_of(grid.keys[at]))]
    kept = sorted(named[: most - 1])
    rest = sorted(set(ranked) - set(kept))
    note = largest_and_others_note(grid.x, most - 1, len(grid.keys))
    shown = select_categories(grid, kept)
    return replace(
        shown,
        keys=(*shown.keys, others_name()),
        values=tuple(
            (*few, math.fsum(_known(row[at] for at in rest)))
            for few, row in zip(shown.values, grid.values, strict=True)
        ),
        notes=(*grid.notes, note),
    )


def sort_descending(grid: SeriesGrid) -> SeriesGrid:
    """Sort categories from the largest; 'others' comes last."""
    totals = grid.totals()
    order = sorted(
        range(len(grid.keys)), key=lambda at: (is_others(name_of(grid.keys[at])), -totals[at])
    )
    return select_categories(grid, order)


def notes_of(grid: SeriesGrid) -> tuple[str, ...]:
    """Return the notes of a grid and the one on rows left out, for a subtitle."""
    return (*grid.notes, left_out_note(grid.missing_rows))


def limit_series(grid: SeriesGrid, by: str, *, most: int) -> SeriesGrid:
    """Keep the largest series like `limit_categories`; `by` is their column."""
    if len(grid.names) <= most:
        return grid
    totals = [math.fsum(_known(row)) for row in grid.values]
    ranked = sorted(range(len(grid.names)), key=lambda at: -totals[at])
    if not grid.is_additive:
        note = largest_note(by, most, len(grid.names))
        return replace(_select_series(grid, sorted(ranked[:most])), notes=(*grid.notes, note))
    named = [at for at in ranked if not is_others(grid.names[at])]
    kept = sorted(named[: most - 1])
    rest = [grid.values[at] for at in range(len(grid.names)) if at not in kept]
    note = largest_and_others_note(by, most - 1, len(grid.names))
    shown = _select_series(grid, kept)
    joined = tuple(math.fsum(_known(column)) for column in zip(*rest, strict=True))
    return replace(
        shown,
        names=(*shown.names, others_name()),
        values=(*shown.values, joined),
        notes=(*grid.notes, note),
    )


def _select_series(grid: SeriesGrid, positions: Sequence[int]) -> SeriesGrid:
    return replace(
        grid,
        names=tuple(grid.names[at] for at in positions),
        values=tuple(grid.values[at] for at in positions),
    )


def select_categories(grid: SeriesGrid, positions: Sequence[int]) -> SeriesGrid:
    """Return the grid with only these categories, in this order."""
    return replace(
        grid,
        keys=tuple(grid.keys[at] for at in positions),
        values=tuple(tuple(row[at] for at in positions) for row in grid.values),
    )


def _known(values: Iterable[float]) -> list[float]:
    return [each for each in values if not math.isnan(each)]


MOST_DAYS_FILLED = 3660  # ten years: beyond, gaps between days stay out of the axis


def aggregate(spec: ChartSpec, *, x: str, most_series: int = MOST_SERIES) -> SeriesGrid:
    """Aggregate the table by the categories of `x`, over the given or the best columns.

    Without values, rows are counted. Integers are summed and other numbers averaged, as the label
    tells. Raises ToolError if no row has a category, or a series where there are some.
    """
    by, columns = _series_and_measures(spec, x)
    if not columns:
        return count_by(spec, x=x, by=by, most_series=most_series)
    is_additive = all(spec.type_of(column) == "integer" for column in columns)
    grid = _aggregate_columns(spec, x, by, columns, "sum" if is_additive else "mean")
    return limit_series(grid, by, most=most_series) if by else grid


def aggregate_whole(spec: ChartSpec, *, x: str) -> SeriesGrid:
    """Aggregate parts of a whole: count rows, or sum one column whatever its type.

    Raises ToolError if no row has a category.
    """
    columns = spec.y
    if not columns:
        candidates = _measure_candidates(spec, x, None)
        spare = spec.columns(*GROUPS, *TIMES, without=(x,))
        if _is_key(spec, x) or (len(candidates) == 1 and not spare):
            columns = tuple(candidates[:1])
    if not columns:
        return count_by(spec, x=x)
    return _aggregate_columns(spec, x, None, columns, "sum")


def count_by(
    spec: ChartSpec, *, x: str, by: str | None = None, most_series: int = MOST_SERIES
) -> SeriesGrid:
    """Count rows by category; days without rows count 0.

    Raises ToolError if no row has a category, or a series where there are some.
    """
    _check_rows(spec, x, by)
    moments, step = _time_bins(list(spec.table.cells(x)))
    keys: dict[Cell, int] = {}
    # The order of the rows means nothing, so the series are sorted.
    series_names = {name_of(part) for part in spec.table.cells(by)} - {""} if by else {""}
    names = {name: at for at, name in enumerate(sorted(series_names, key=natural_rank))}
    counts: dict[tuple[int, int], int] = {}
    missing = 0
    series = spec.table.cells(by) if by else repeat(None)
    for key, part in zip(moments, series, strict=False):
        if key is None or (by and part is None):
            missing += 1
            continue
        row = names[name_of(part)] if by else 0
        at = (row, keys.setdefault(key, len(keys)))
        counts[at] = counts.get(at, 0) + 1
    grid = SeriesGrid(
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
    grid = (
        limit_series(_sort_categories(grid), by, most=most_series) if by else _sort_categories(grid)
    )
    return _fill_empty_bins(grid, step) if step else grid


def categories_of(spec: ChartSpec) -> str:
    """Return the column of categories: `x`, or the first that fits. Raises ToolError if none."""
    if spec.x:
        return spec.x
    for types in (GROUPS, TIMES, ("integer",)):
        found = spec.columns(*types, without=(*spec.y, spec.by))
        if found and (types != ("integer",) or len(spec.table.columns) > 1):
            return found[0].name
    raise ToolError(
        f"O gráfico '{spec.kind}' precisa de uma coluna de categorias ou datas em 'x'. "
        f"Colunas: {', '.join(spec.table.names)}. Para a distribuição de números use "
        "'histogram' ou 'box'."
    )


def _series_and_measures(spec: ChartSpec, x: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of series and the columns of values; without values, rows count."""
    by = spec.by
    if by and len(spec.y) > 1:
        raise ToolError("Com 'by' indique uma só coluna em 'y', ou retire 'by'.")
    if len(spec.y) > MOST_SERIES:
        raise ToolError(f"São séries a mais: no máximo {MOST_SERIES} colunas em 'y'.")
    columns = spec.y
    is_unique = _is_key(spec, x, by) if by else _is_key(spec, x)
    natural = by if by or is_unique else _natural_series(spec, x)
    if not columns:
        candidates = _measure_candidates(spec, x, by)
        spare = spec.columns(*GROUPS, *TIMES, without=(x, natural))
        if is_unique:
            columns = tuple(candidates[:1] if by else candidates[:MOST_SERIES])
        # With further columns the rows are single cases, whose integers are codes or ratings;
        # a number with decimals is a measurement.
        elif len(candidates) == 1 and (not spare or spec.type_of(candidates[0]) == "number"):
            columns = tuple(candidates)
    return natural if len(columns) == 1 else by, columns


def _measure_candidates(spec: ChartSpec, x: str, by: str | None) -> list[str]:
    """Return the columns that may be measured, without shares if there are others."""
    numeric = [each.name for each in spec.numbers(without=(x, by)) if not is_identity(each.name)]
    return [name for name in numeric if not is_share(name)] or numeric


def _natural_series(spec: ChartSpec, x: str) -> str | None:
    """Return the only other column of categories if it and `x` together identify every row."""
    rest = spec.columns(*GROUPS, without=(x,))
    if len(rest) != 1 or not _is_key(spec, x, rest[0].name):
        return None
    return rest[0].name if len(set(spec.table.cells(rest[0].name))) <= MOST_SERIES else None


def _is_key(spec: ChartSpec, *names: str) -> bool:
    """Return whether these columns together identify every row."""
    rows = list(zip(*(spec.table.cells(name) for name in names), strict=True))
    return len(set(rows)) == len(rows)


def _aggregate_columns(
    spec: ChartSpec,
    x: str,
    by: str | None,
    columns: tuple[str, ...],
    how: Literal["sum", "mean"],
) -> SeriesGrid:
    _check_rows(spec, x, by)
    keys: dict[Cell, int] = {}
    names = {} if by else {column: at for at, column in enumerate(columns)}
    piles: dict[tuple[int, int], list[float]] = {}
    missing = 0
    series = spec.table.cells(by) if by else repeat(None)
    measured = zip(*(spec.table.cells(column) for column in columns), strict=True)
    for key, part, cells in zip(spec.table.cells(x), series, measured, strict=False):
        found = [finite_number(cell) for cell in cells]
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
    grid = SeriesGrid(
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
        measure=_measure_label(
            columns, how, is_joined=any(len(pile) > 1 for pile in piles.values())
        ),
        is_additive=how == "sum" and not any(map(is_share, columns)),
        is_counted=False,
        missing_rows=missing,
    )
    return _sort_categories(grid)


def _check_rows(spec: ChartSpec, x: str, by: str | None) -> None:
    """Raise ToolError if no row has a category, or a series where there are some."""
    names = [x, *([by] if by else [])]
    rows = zip(*(spec.table.cells(name) for name in names), strict=True)
    if not any(all(cell is not None for cell in row) for row in rows):
        listed = " e em ".join(f"'{name}'" for name in names)
        raise ToolError(
            f"O gráfico '{spec.kind}' não tem o que mostrar: nenhuma linha tem valor em {listed}. "
            "Mude a consulta."
        )


def _measure_label(
    columns: tuple[str, ...], how: Literal["sum", "mean"], *, is_joined: bool
) -> str:
    if len(columns) > 1:
        return ""
    if not is_joined:
        return columns[0]
    words = _("Sum of {column}") if how == "sum" else _("Mean of {column}")
    return words.format(column=columns[0])


def _time_bins(keys: list[Cell]) -> tuple[list[Cell], timedelta | None]:
    """Truncate times to days, or to hours within two days; return the keys and the step."""
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


def _fill_empty_bins(grid: SeriesGrid, step: timedelta) -> SeriesGrid:
    """Add the missing steps from first to last with value 0."""
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


def _sort_categories(grid: SeriesGrid) -> SeriesGrid:
    """Sort times and counted numbers by value, counted names by size; keep other orders."""
    if grid.is_over_time and grid.keys:
        return select_categories(grid, _sorted_positions(grid.keys))
    if not grid.is_counted:
        return grid
    if all(isinstance(key, (int, float)) for key in grid.keys):
        return select_categories(grid, _sorted_positions(grid.keys))
    names = list(map(name_of, grid.keys))
    if all(fold(name) in SHIFTS for name in names):
        return select_categories(
            grid, sorted(range(len(names)), key=lambda at: natural_rank(names[at]))
        )
    return sort_descending(grid)


def _sorted_positions(keys: Sequence[Cell]) -> list[int]:
    return sorted(range(len(keys)), key=lambda at: axis_position(keys[at]))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def largest_note(column: str, shown: int, count: int) -> str:
    """Return the note that only the largest categories of a column are shown."""
    return _("{column}: the {shown} largest of {count}").format(
        column=column, shown=number(shown), count=number(count)
    )


def largest_and_others_note(column: str, shown: int, count: int) -> str:
    """Return the note that the smaller categories of a column are summed into one."""
    return _("{column}: the {shown} largest of {count}, the rest in {others}").format(
        column=column, shown=number(shown), count=number(count), others=others_name()
    )


def others_name() -> str:
    """Return the name of the category of all others."""
    return _("Others")


def is_others(name: str) -> bool:
    """Return whether a category is named 'others', in any language."""
    return name.strip().casefold() in (*words_of("files", "others"), others_name().casefold())


def name_of(key: Cell) -> str:
    """Return a category's name; integers are names (a year, a rack) without separators."""
    match key:
        case bool():
            return cell_text(key)
        case int():
            return str(key)
        case float() if key.is_integer():
            return str(int(key))
        case float() | date() | time():
            return cell_text(key)
        case None:
            return ""
        case str():
            return " ".join(key.split()) or "–"


def names_of(keys: Sequence[Cell]) -> tuple[str, ...]:
    """Return the categories' names; days of one year omit it, as `axis_label` has it."""
    days = _days_of_one_year(keys)
    return tuple(day.strftime("%d/%m") for day in days) if days else tuple(map(name_of, keys))


def axis_label(column: str, keys: Sequence[Cell]) -> str:
    """Return the label of an axis of categories, with the year of days of one year."""
    days = _days_of_one_year(keys)
    return f"{column} · {days[0].year}" if days else column


def natural_rank(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """Return a natural sort key: shifts in their order of the day, 'P2' before 'P10'."""
    shift = fold(name)
    if shift in SHIFTS:
        return SHIFTS.index(shift), ()
    parts = re.findall(r"\d+|\D+", fold(name))
    return len(SHIFTS), tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def _days_of_one_year(keys: Sequence[Cell]) -> list[date]:
    days = [key for key in keys if isinstance(key, date) and not isinstance(key, datetime)]
    if not days or len(days) < len(keys) or len({day.year for day in days}) > 1:
        return []
    return days
