"""Bar charts, vertical and horizontal."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from qhub_desktop.charts.chart_spec import (
    ChartSpec,
    chart,
    epoch_seconds,
    is_share,
    sample_size,
    short_numbers,
    subtitle,
)
from qhub_desktop.charts.grouping import (
    SeriesGrid,
    aggregate,
    axis_label,
    categories_of,
    limit_categories,
    names_of,
    notes_of,
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
            "colunas verticais, barras verticais, em colunas, grafico de colunas",
            "en": "bar, bars, bar chart, as bars, bar graph, column chart, barchart, bar plot",
        },
        place=1,
        precedence=1,
    )
)
def bar(spec: ChartSpec) -> Figure:
    """Draw vertical bars; over dates, at their positions in time."""
    grid = aggregate(spec, x=categories_of(spec))
    if grid.is_over_time and len(grid.keys) > 1:
        return _over_time(spec, grid)
    grid = limit_categories(grid)
    return Figure(
        title=spec.title,
        subtitle=_subtitle(spec, grid),
        marks=_bar_marks(grid, range(len(grid.keys)), step=1.0, direction="vertical"),
        x=_category_axis(grid),
        y=_amount_axis(grid),
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
def barh(spec: ChartSpec) -> Figure:
    """Draw horizontal bars, for long names; the first category on top."""
    grid = limit_categories(aggregate(spec, x=categories_of(spec)))
    return Figure(
        title=spec.title,
        subtitle=_subtitle(spec, grid),
        marks=_bar_marks(grid, range(len(grid.keys)), step=1.0, direction="horizontal"),
        x=_amount_axis(grid),
        y=_category_axis(grid),
    )


def _over_time(spec: ChartSpec, grid: SeriesGrid) -> Figure:
    moments = [epoch_seconds(key) for key in grid.keys]
    step = min(later - earlier for earlier, later in pairwise(moments))
    return Figure(
        title=spec.title,
        subtitle=_subtitle(spec, grid),
        marks=_bar_marks(grid, moments, step=step or DAY_S, direction="vertical"),
        x=Axis(label=grid.x, kind="time"),
        y=_amount_axis(grid),
    )


def _bar_marks(
    grid: SeriesGrid,
    places: Sequence[float],
    *,
    step: float,
    direction: Literal["vertical", "horizontal"],
) -> tuple[Bars, ...]:
    """Return one mark a series, side by side within the width of a category."""
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


def _category_axis(grid: SeriesGrid) -> Axis:
    return Axis(
        label=axis_label(grid.x, grid.keys), kind="category", categories=names_of(grid.keys)
    )


def _amount_axis(grid: SeriesGrid) -> Axis:
    """Return a value axis that includes 0."""
    known = [each for row in grid.values for each in row if not math.isnan(each)]
    return Axis(
        label=grid.measure,
        lower=0.0 if min(known, default=0.0) >= 0 else None,
        upper=0.0 if max(known, default=1.0) <= 0 < -min(known, default=0.0) else None,
        unit=unit_of(grid.measure),
    )


def group_width(categories: int, series: int) -> float:
    """Return the share of a category's width that its bars take; few bars stay narrow."""
    return GROUP_WIDTH if series > 1 else min(GROUP_WIDTH, 0.5 + 0.05 * categories)


def unit_of(measure: str) -> str:
    """Return the unit of a measure, as far as its name tells."""
    return "%" if is_share(measure) and "acum" not in measure.casefold() else ""


def _subtitle(spec: ChartSpec, grid: SeriesGrid) -> str:
    counted = sample_size(grid.total) if grid.is_counted else ""
    return subtitle(spec.subtitle, counted, *notes_of(grid))
