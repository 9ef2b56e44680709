"""Line and area charts, over time or another number."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from qhub_desktop.charts.bars import unit_of
from qhub_desktop.charts.chart_spec import (
    GROUPS,
    TIMES,
    ChartSpec,
    axis_position,
    chart,
    gaps_note,
    left_out_note,
    needs_numbers,
    sample_size,
    subtitle,
)
from qhub_desktop.charts.grouping import (
    SeriesGrid,
    aggregate,
    categories_of,
    name_of,
    select_categories,
)
from qhub_desktop.core.figure import Axis, Band, ChartKind, Figure, Line
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number

MOST_DOTTED = 60
LONGEST_LINE = 5_000  # points: a longer line is drawn by the extremes of its classes
LINE_CLASSES = 1_000  # each drawn by its least and greatest point


@chart(
    ChartKind(
        name="line",
        label=gettext_noop("line"),
        takes="groups",
        suits=frozenset(["times", "split"]),
        words={
            "pt": "grafico de linhas, grafico de linha, em linha, em linhas, "
            "num grafico de linhas, com linhas",
            "en": "line chart, line graph, as a line, as lines, linechart, line plot",
        },
        place=3,
        precedence=3,
    )
)
def line(spec: ChartSpec) -> Figure:
    """Draw one line a series; missing values are gaps, unless they leave nothing of the line."""
    grid = _grid_along_x(spec)
    places = _positions(grid)
    lines = []
    longest = 0
    for series, (name, row) in enumerate(zip(grid.names, grid.values, strict=True)):
        # By the series' own moments: each has a gap at every moment of the others, so none of its
        # points would have a neighbour to be joined with.
        own = _positions_with_gaps(row)
        heights = [row[at] for at in own]
        kept = line_positions(heights)
        longest = max(longest, len(heights) if len(kept) < len(heights) else 0)
        lines.append(
            Line(
                x=tuple(places[own[at]] for at in kept),
                y=tuple(heights[at] for at in kept),
                name=name if len(grid.names) > 1 else "",
                series=series,
                is_dotted_at_points=len(heights) <= MOST_DOTTED,
            )
        )
    return Figure(
        title=spec.title,
        subtitle=_subtitle(spec, grid, _thinned_note(longest)),
        marks=tuple(lines),
        x=_x_axis(grid),
        y=Axis(
            label=grid.measure,
            lower=0.0 if grid.is_additive and _lowest(grid) >= 0 else None,
            unit=unit_of(grid.measure),
        ),
    )


@chart(
    ChartKind(
        name="area",
        label=gettext_noop("area"),
        takes="groups",
        suits=frozenset(["times"]),
        words={
            "pt": "grafico de area, grafico de areas",
            "en": "area chart, as an area",
        },
        place=4,
        precedence=4,
    )
)
def area(spec: ChartSpec) -> Figure:
    """Draw areas under lines; several series are stacked."""
    grid = _grid_along_x(spec)
    places = _positions(grid)
    stacked = _stacked(grid)
    marks: list[Band | Line] = []
    longest = 0
    count = len(grid.names)
    for series, (name, (lower, upper)) in enumerate(zip(grid.names, stacked, strict=True)):
        kept = line_positions(upper)
        longest = max(longest, len(upper) if len(kept) < len(upper) else 0)
        x = tuple(places[at] for at in kept)
        top = tuple(upper[at] for at in kept)
        marks.append(
            Band(
                x=x,
                lower=tuple(lower[at] for at in kept),
                upper=top,
                name=name if count > 1 else "",
                series=series,
            )
        )
        marks.append(Line(x=x, y=top, series=series))
    return Figure(
        title=spec.title,
        subtitle=_subtitle(spec, grid, _("stacked") if count > 1 else "", _thinned_note(longest)),
        marks=tuple(marks),
        x=_x_axis(grid),
        y=Axis(
            label=grid.measure,
            lower=0.0 if _lowest(grid) >= 0 else None,
            unit=unit_of(grid.measure),
        ),
    )


def _grid_along_x(spec: ChartSpec) -> SeriesGrid:
    """Group the series over a date, a number, categories or the row numbers."""
    x = spec.x
    if x is None:
        moments = spec.columns(*TIMES, without=(*spec.y, spec.by))
        x = moments[0].name if moments else None
    if x is None:
        numbers = spec.numbers(without=(*spec.y, spec.by))
        groups = spec.columns(*GROUPS, without=(spec.by,))
        if not groups and not spec.y and not numbers:
            raise needs_numbers(spec, "uma coluna numérica")
        if groups:
            x = categories_of(spec)
        elif len(numbers) > 1 or (spec.y and numbers):
            x = numbers[0].name
        else:
            spec = _with_row_numbers(spec)
            x = spec.table.names[0]
    grid = aggregate(replace(spec, x=x), x=x)
    if spec.type_of(x) in ("integer", "number"):
        order = sorted(range(len(grid.keys)), key=lambda at: axis_position(grid.keys[at]))
        grid = select_categories(grid, order)
    return grid


def _with_row_numbers(spec: ChartSpec) -> ChartSpec:
    """Return the specification with the row numbers as column x."""
    name = _("Row")
    table = Table(
        columns=(Column(name, "integer"), *spec.table.columns),
        rows=tuple((at, *row) for at, row in enumerate(spec.table.rows, start=1)),
    )
    return replace(spec, table=table, x=name)


def _positions(grid: SeriesGrid) -> list[float]:
    if _has_positions(grid):
        return [axis_position(key) for key in grid.keys]
    return [float(at) for at in range(len(grid.keys))]


def _has_positions(grid: SeriesGrid) -> bool:
    """Return whether the keys are dates or numbers with positions, not names."""
    return all(
        isinstance(key, (int, float, date)) and not isinstance(key, bool) for key in grid.keys
    )


def _x_axis(grid: SeriesGrid) -> Axis:
    if not _has_positions(grid):
        return Axis(
            label=grid.x, kind="category", categories=tuple(name_of(key) for key in grid.keys)
        )
    return Axis(label=grid.x, kind="time" if grid.is_over_time else "number")


def _stacked(grid: SeriesGrid) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return each series' lower and upper line; a missing value is a gap that adds nothing."""
    base = [0.0] * len(grid.keys)
    bands = []
    for row in grid.values:
        upper = tuple(under + each for under, each in zip(base, row, strict=True))
        bands.append((tuple(base), upper))
        base = [
            under if math.isnan(over) else over for under, over in zip(base, upper, strict=True)
        ]
    return bands


def _positions_with_gaps(row: Sequence[float]) -> Sequence[int]:
    """Return the positions of a line: every one, or without its gaps if it is nothing but gaps.

    Series that were measured at other moments than each other have a gap at each other's; a line
    of points that stand alone between gaps is not to be seen.
    """
    known = [at for at, each in enumerate(row) if not math.isnan(each)]
    neighbours = {
        at for before, after in pairwise(known) if after == before + 1 for at in (before, after)
    }
    return range(len(row)) if 2 * len(neighbours) >= len(known) else known


def _lowest(grid: SeriesGrid) -> float:
    return min((each for row in grid.values for each in row if not math.isnan(each)), default=0.0)


def _thinned_note(points: int) -> str:
    if not points:
        return ""
    return _("drawn from {count} points, every extreme kept").format(count=number(points))


def _subtitle(spec: ChartSpec, grid: SeriesGrid, *more: str) -> str:
    counted = sample_size(grid.total) if grid.is_counted else ""
    missing = left_out_note(grid.missing_rows) if grid.is_counted else gaps_note(grid.missing_rows)
    return subtitle(spec.subtitle, counted, *grid.notes, missing, *more)


def line_positions(values: Sequence[float]) -> Sequence[int]:
    """Return the points of a line to draw: all, or minimum and maximum of each bin.

    The first and last point are kept, and one gap in each bin that has any.
    """
    if len(values) <= LONGEST_LINE:
        return range(len(values))
    import numpy as np  # 80 ms: not before a long series is drawn

    heights = np.asarray(values, dtype=float)
    kept = {0, len(heights) - 1}
    edges = np.linspace(0, len(heights), LINE_CLASSES + 1).astype(int)
    for start, end in pairwise(edges.tolist()):
        stretch = heights[start:end]
        gaps = np.isnan(stretch)
        if gaps.any():
            kept.add(start + int(gaps.argmax()))
        if not gaps.all():
            kept.add(start + int(np.nanargmin(stretch)))
            kept.add(start + int(np.nanargmax(stretch)))
    return sorted(kept)
