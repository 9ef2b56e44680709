"""Pie charts."""

import math

from qhub_desktop.charts.chart_spec import ChartSpec, chart, sample_size, subtitle
from qhub_desktop.charts.grouping import names_of, notes_of
from qhub_desktop.charts.pareto import parts_of_whole
from qhub_desktop.core.figure import ChartKind, Figure, Slices
from qhub_desktop.core.text import gettext_noop, percent

MOST_SLICES = 8


@chart(
    ChartKind(
        name="pie",
        label=gettext_noop("pie"),
        takes="parts",
        suits=frozenset(["groups"]),
        words={
            "pt": "circular, pizza, tarte, queijo, grafico circular, "
            "em circulo, grafico de pizza, grafico em pizza",
            "en": "pie, pie chart, as a pie, donut, doughnut",
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
