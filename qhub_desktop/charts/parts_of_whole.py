"""Charts of the parts of a whole: Pareto charts, with their running total, and pies."""

import math
from itertools import accumulate

from qhub_desktop.charts.bars import MOST_VALUES_WRITTEN, group_width
from qhub_desktop.charts.chart_spec import (
    TIMES,
    ChartSpec,
    chart,
    period,
    sample_size,
    short_numbers,
    subtitle,
    unsupported,
)
from qhub_desktop.charts.grouping import (
    MOST_CATEGORIES,
    SeriesGrid,
    aggregate_whole,
    axis_label,
    categories_of,
    limit_categories,
    names_of,
    notes_of,
    select_categories,
    sort_descending,
)
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Bars, ChartKind, Figure, Line, Rule, Slices
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, percent

VITAL_PERCENT = 80.0
MOST_SLICES = 8


@chart(
    ChartKind(
        name="pareto",
        label=gettext_noop("Pareto"),
        takes="parts",
        suits=frozenset(["groups"]),
        words={
            "pt": "pareto, grafico de pareto, diagrama de pareto",
            "en": "pareto, pareto chart, pareto diagram",
        },
        place=9,
        precedence=10,
    )
)
def pareto(spec: ChartSpec) -> Figure:
    """Draw descending bars, 'Others' last, and the running total on the right axis, 0 to 100 %."""
    grid = parts_of_whole(spec)
    amounts = grid.values[0]
    total = math.fsum(amounts)
    running = tuple(100 * each / total for each in accumulate(amounts))
    places = tuple(float(at) for at in range(len(amounts)))
    return Figure(
        title=spec.title,
        subtitle=subtitle(spec.subtitle, sample_size(total), _period_note(spec), *notes_of(grid)),
        marks=(
            Bars(
                at=places,
                start=(0.0,) * len(amounts),
                end=amounts,
                width=group_width(len(amounts), 1),
                labels=short_numbers(amounts) if len(amounts) <= MOST_VALUES_WRITTEN else (),
            ),
            Rule(
                VITAL_PERCENT,
                label=percent(VITAL_PERCENT / 100),
                role="limit",
                stroke="dashed",
                side="right",
            ),
            Line(
                x=places,
                y=running,
                name=_("Running total"),
                series=1,
                side="right",
                is_dotted_at_points=True,
            ),
        ),
        x=Axis(
            label=axis_label(grid.x, grid.keys),
            kind="category",
            categories=names_of(grid.keys),
        ),
        # Both axes end at the total, so the line starts at the top of the first bar.
        y=Axis(label=grid.measure, lower=0.0, upper=total),
        right=Axis(label=_("Running total"), lower=0.0, upper=100.0, unit="%"),
    )


@chart(
    ChartKind(
        name="pie",
        label=gettext_noop("pie"),
        takes="parts",
        suits=frozenset(["groups"]),
        words={
            "pt": "circular, pizza, tarte, queijo, grafico circular, "
            "em circulo, grafico de pizza, grafico em pizza, grafico de torta, grafico de queijo, "
            "grafico de setores, grafico de sectores, grafico de rosca, grafico redondo",
            "en": "pie, pie chart, as a pie, donut, doughnut, piechart, pie graph",
        },
        place=5,
        precedence=5,
    )
)
def pie(spec: ChartSpec) -> Figure:
    """Draw at most eight slices from the largest on, 'Others' last."""
    grid = parts_of_whole(spec, most=MOST_SLICES)
    amounts = grid.values[0]
    total = math.fsum(amounts)
    return Figure(
        title=spec.title,
        subtitle=subtitle(spec.subtitle, sample_size(total), *notes_of(grid)),
        marks=(
            Slices(
                names=names_of(grid.keys),
                values=amounts,
                labels=tuple(percent(each / total) for each in amounts),
            ),
        ),
    )


def parts_of_whole(spec: ChartSpec, *, most: int = MOST_CATEGORIES) -> SeriesGrid:
    """Return parts of a whole, the largest first. Raises ToolError if there is no whole."""
    if spec.by:
        raise unsupported(spec, "by", "mostra um só conjunto; use 'bar' para comparar séries.")
    if len(spec.y) > 1:
        raise unsupported(spec, "y", "só com uma coluna de valores; use 'bar' para várias.")
    grid = aggregate_whole(spec, x=categories_of(spec))
    grid = select_categories(
        grid, [at for at, each in enumerate(grid.values[0]) if not math.isnan(each)]
    )
    known = grid.values[0]
    if any(each < 0 for each in known):
        raise ToolError(
            f"O gráfico '{spec.kind}' mostra partes de um todo e há valores negativos em "
            f"'{grid.measure}'. Use 'bar'."
        )
    if not math.fsum(known) > 0:
        raise ToolError(
            f"O gráfico '{spec.kind}' mostra partes de um todo e o todo é zero. "
            "Confirme os filtros da consulta."
        )
    return sort_descending(limit_categories(grid, most=most))


def _period_note(spec: ChartSpec) -> str:
    moments = spec.columns(*TIMES, without=(spec.x,))
    return period(spec.table.cells(moments[0].name)) if len(moments) == 1 else ""
