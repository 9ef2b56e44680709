"""Shares: a whole and its few parts."""

import math

from qhub_desktop.charts.chart_spec import ChartSpec, chart
from qhub_desktop.charts.grouping import notes_of
from qhub_desktop.charts.pareto import whole
from qhub_desktop.charts.wording import names_of, size, subtitle
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
def pie(request: ChartSpec) -> Figure:
    """Slices from the largest on, 'Others' last, at most eight."""
    grid = whole(request, most=MOST_SLICES)
    amounts = grid.values[0]
    total = math.fsum(amounts)
    return Figure(
        title=request.title,
        subtitle=subtitle(request.subtitle, size(total), *notes_of(grid)),
        marks=(
            Slices(
                names=names_of(grid.keys),
                values=amounts,
                labels=tuple(percent(each / total) for each in amounts),
            ),
        ),
    )
