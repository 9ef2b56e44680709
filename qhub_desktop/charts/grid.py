"""Values by category and series, in another order or fewer of them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from qhub_desktop.charts.wording import (
    is_others,
    largest,
    largest_and_others,
    left_out,
    name_of,
    others,
)
from qhub_desktop.core.table import Cell

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
