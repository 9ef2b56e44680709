"""Bars: amounts beside each other, from zero."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from qhub_desktop.charts.chart_spec import ChartSpec, chart, seconds
from qhub_desktop.charts.grouping import Grid, categories_of, gather, notes_of, shorten
from qhub_desktop.charts.wording import (
    axis_label,
    is_share,
    names_of,
    short_numbers,
    size,
    subtitle,
)
from qhub_desktop.core.figure import DAY_S, Axis, Bars, ChartKind, Figure
from qhub_desktop.core.text import gettext_noop

GROUP_WIDTH = 0.8
MOST_VALUES_WRITTEN = 12


@chart(
    ChartKind(
        name="bar",
        label=gettext_noop("bars"),
        takes="groups",
        suits=frozenset(["groups", "times", "split"]),
        words={
            "pt": "barra, barras, grafico de barras, em barras, "
            "colunas verticais, barras verticais",
            "en": "bar, bars, bar chart, as bars, bar graph, column chart",
        },
        place=1,
        precedence=1,
    )
)
def bar(request: ChartSpec) -> Figure:
    """Upright bars; over dates they stand where the dates are."""
    grid = gather(request, x=categories_of(request))
    if grid.is_over_time and len(grid.keys) > 1:
        return _over_time(request, grid)
    grid = shorten(grid)
    return Figure(
        title=request.title,
        subtitle=_subtitle(request, grid),
        marks=_bars(grid, range(len(grid.keys)), step=1.0, direction="vertical"),
        x=_categories(grid),
        y=_amounts(grid),
    )


@chart(
    ChartKind(
        name="barh",
        label=gettext_noop("horizontal bars"),
        takes="groups",
        suits=frozenset(["groups"]),
        words={
            "pt": "barras horizontais, em barras horizontais, grafico de barras horizontais",
            "en": "horizontal bars, horizontal bar chart",
        },
        place=2,
        precedence=2,
    )
)
def barh(request: ChartSpec) -> Figure:
    """Lying bars, for long names: the first category on top."""
    grid = shorten(gather(request, x=categories_of(request)))
    return Figure(
        title=request.title,
        subtitle=_subtitle(request, grid),
        marks=_bars(grid, range(len(grid.keys)), step=1.0, direction="horizontal"),
        x=_amounts(grid),
        y=_categories(grid),
    )


def _over_time(request: ChartSpec, grid: Grid) -> Figure:
    moments = [seconds(key) for key in grid.keys]
    step = min(later - earlier for earlier, later in pairwise(moments))
    return Figure(
        title=request.title,
        subtitle=_subtitle(request, grid),
        marks=_bars(grid, moments, step=step or float(DAY_S), direction="vertical"),
        x=Axis(label=grid.x, kind="time"),
        y=_amounts(grid),
    )


def _bars(
    grid: Grid,
    places: Sequence[float],
    *,
    step: float,
    direction: Literal["vertical", "horizontal"],
) -> tuple[Bars, ...]:
    """One mark a series, side by side within the width of a category."""
    count = len(grid.names)
    width = group_width(len(grid.keys), count) * step / count
    is_written = count * len(grid.keys) <= MOST_VALUES_WRITTEN
    labels = short_numbers([each for row in grid.values for each in row]) if is_written else ()
    marks = []
    for series, (name, row) in enumerate(zip(grid.names, grid.values, strict=True)):
        shown = [at for at, each in enumerate(row) if not math.isnan(each)]
        offset = (series - (count - 1) / 2) * width
        first = series * len(row)
        marks.append(
            Bars(
                at=tuple(float(places[at]) + offset for at in shown),
                start=(0.0,) * len(shown),
                end=tuple(row[at] for at in shown),
                width=width,
                direction=direction,
                name=name if count > 1 else "",
                series=series,
                labels=tuple(labels[first + at] for at in shown) if labels else (),
            )
        )
    return tuple(marks)


def _categories(grid: Grid) -> Axis:
    return Axis(
        label=axis_label(grid.x, grid.keys), kind="category", categories=names_of(grid.keys)
    )


def _amounts(grid: Grid) -> Axis:
    """An axis that holds zero."""
    known = [each for row in grid.values for each in row if not math.isnan(each)]
    return Axis(
        label=grid.measure,
        lower=0.0 if min(known, default=0.0) >= 0 else None,
        upper=0.0 if max(known, default=1.0) <= 0 < -min(known, default=0.0) else None,
        unit=unit_of(grid.measure),
    )


def group_width(categories: int, series: int) -> float:
    """How much of a category its bars take: few bars need not be as broad as they could."""
    return GROUP_WIDTH if series > 1 else min(GROUP_WIDTH, 0.5 + 0.05 * categories)


def unit_of(measure: str) -> str:
    """The unit that a column's name gives away."""
    return "%" if is_share(measure) and "acum" not in measure.casefold() else ""


def _subtitle(request: ChartSpec, grid: Grid) -> str:
    counted = size(grid.total) if grid.is_counted else ""
    return subtitle(request.subtitle, counted, *notes_of(grid))
