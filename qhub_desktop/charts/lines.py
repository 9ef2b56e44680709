"""Lines: how something goes on, over time or over another number."""

import math
from dataclasses import replace
from datetime import date

from qhub_desktop.charts.bars import unit_of
from qhub_desktop.charts.chart_spec import TIMES, ChartSpec, chart, needs_numbers, place
from qhub_desktop.charts.grouping import Grid, categories_of, gather, only
from qhub_desktop.charts.wording import gaps, left_out, line_positions, name_of, size, subtitle
from qhub_desktop.core.figure import Axis, Band, ChartKind, Figure, Line
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number

MOST_DOTTED = 60


@chart(
    ChartKind(
        name="line",
        label=gettext_noop("line"),
        takes="groups",
        suits=frozenset(["times", "split"]),
        words={
            "pt": "grafico de linhas, grafico de linha, em linha, em linhas, "
            "num grafico de linhas, com linhas",
            "en": "line chart, line graph, as a line, as lines",
        },
        place=3,
        precedence=3,
    )
)
def line(request: ChartSpec) -> Figure:
    """A line a series; missing values are gaps."""
    grid = _along(request)
    places = _places(grid)
    lines = []
    longest = 0
    for series, (name, row) in enumerate(zip(grid.names, grid.values, strict=True)):
        kept = line_positions(row)
        longest = max(longest, len(row) if len(kept) < len(row) else 0)
        lines.append(
            Line(
                x=tuple(places[at] for at in kept),
                y=tuple(row[at] for at in kept),
                name=name if len(grid.names) > 1 else "",
                series=series,
                is_dotted_at_points=len(row) <= MOST_DOTTED,
            )
        )
    return Figure(
        title=request.title,
        subtitle=_subtitle(request, grid, _thinned(longest)),
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
def area(request: ChartSpec) -> Figure:
    """The amount under a line; several series stand on each other."""
    grid = _along(request)
    places = _places(grid)
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
        title=request.title,
        subtitle=_subtitle(request, grid, _("stacked") if count > 1 else "", _thinned(longest)),
        marks=tuple(marks),
        x=_x_axis(grid),
        y=Axis(
            label=grid.measure,
            lower=0.0 if _lowest(grid) >= 0 else None,
            unit=unit_of(grid.measure),
        ),
    )


def _along(request: ChartSpec) -> Grid:
    """The series over the column that orders them: a date, a number, or the rows as they come."""
    x = request.x
    if x is None:
        moments = request.columns(*TIMES, without=(*request.y, request.by))
        x = moments[0].name if moments else None
    if x is None:
        numbers = request.numbers(without=(*request.y, request.by))
        groups = request.columns("category", "text", "boolean", without=(request.by,))
        if not groups and not request.y and not numbers:
            raise needs_numbers(request, "uma coluna numérica")
        if groups:
            x = categories_of(request)
        elif len(numbers) > 1 or (request.y and numbers):
            x = numbers[0].name
        else:
            request = _numbered(request)
            x = request.table.names[0]
    grid = gather(replace(request, x=x), x=x)
    if request.type_of(x) in ("integer", "number"):
        order = sorted(range(len(grid.keys)), key=lambda at: place(grid.keys[at]))
        grid = only(grid, order)
    return grid


def _numbered(request: ChartSpec) -> ChartSpec:
    """The same with the rows' numbers in front, to draw along."""
    name = _("Row")
    table = Table(
        columns=(Column(name, "integer"), *request.table.columns),
        rows=tuple((at, *row) for at, row in enumerate(request.table.rows, start=1)),
    )
    return replace(request, table=table, x=name)


def _places(grid: Grid) -> list[float]:
    if _is_measured(grid):
        return [place(key) for key in grid.keys]
    return [float(at) for at in range(len(grid.keys))]


def _is_measured(grid: Grid) -> bool:
    """Whether the keys have places of their own: dates and numbers, not names."""
    return all(
        isinstance(key, (int, float, date)) and not isinstance(key, bool) for key in grid.keys
    )


def _x_axis(grid: Grid) -> Axis:
    if not _is_measured(grid):
        return Axis(
            label=grid.x, kind="category", categories=tuple(name_of(key) for key in grid.keys)
        )
    return Axis(label=grid.x, kind="time" if grid.is_over_time else "number")


def _stacked(grid: Grid) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Each series' lower and upper line; a missing value leaves a gap and lifts nothing."""
    base = [0.0] * len(grid.keys)
    bands = []
    for row in grid.values:
        upper = tuple(under + each for under, each in zip(base, row, strict=True))
        bands.append((tuple(base), upper))
        base = [
            under if math.isnan(over) else over for under, over in zip(base, upper, strict=True)
        ]
    return bands


def _lowest(grid: Grid) -> float:
    return min((each for row in grid.values for each in row if not math.isnan(each)), default=0.0)


def _thinned(points: int) -> str:
    if not points:
        return ""
    return _("drawn from {count} points, every extreme kept").format(count=number(points))


def _subtitle(request: ChartSpec, grid: Grid, *more: str) -> str:
    counted = size(grid.total) if grid.is_counted else ""
    missing = left_out(grid.missing_rows) if grid.is_counted else gaps(grid.missing_rows)
    return subtitle(request.subtitle, counted, *grid.notes, missing, *more)
