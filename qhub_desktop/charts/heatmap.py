"""Heat maps: where two kinds of category meet most."""

import math
from dataclasses import replace

from qhub_desktop.charts.chart_spec import GROUPS, TIMES, ChartSpec, chart, place, refuse
from qhub_desktop.charts.grouping import MOST_CATEGORIES, Grid, gather, notes_of, shorten
from qhub_desktop.charts.wording import (
    axis_label,
    is_others,
    name_of,
    names_of,
    natural_rank,
    short_numbers,
    size,
    subtitle,
)
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Cells, ChartKind, Figure
from qhub_desktop.core.text import gettext_noop

MOST_CELLS_WRITTEN = 150


@chart(
    ChartKind(
        name="heatmap",
        label=gettext_noop("heat map"),
        takes="matrix",
        suits=frozenset(["split"]),
        words={
            "pt": "mapa de calor, heatmap",
            "en": "heatmap, heat map",
        },
        place=10,
        precedence=6,
    )
)
def heatmap(request: ChartSpec) -> Figure:
    """A cell where a row's category and a column's meet, coloured by its value."""
    if len(request.y) > 1:
        raise refuse(request, "y", "só com uma coluna de valores.")
    across, down = _two_categories(request)
    grid = gather(replace(request, x=across, by=down), x=across, most_series=MOST_CATEGORIES)
    grid = _rows_in_order(request, shorten(grid), down)
    rows, columns = len(grid.names), len(grid.keys)
    flat = short_numbers([each for row in grid.values for each in row])
    is_written = len(flat) <= MOST_CELLS_WRITTEN
    counted = size(grid.total) if grid.is_counted else grid.measure
    return Figure(
        title=request.title,
        subtitle=subtitle(request.subtitle, counted, *notes_of(grid)),
        marks=(
            Cells(
                values=grid.values,
                labels=tuple(flat[row * columns : (row + 1) * columns] for row in range(rows))
                if is_written
                else (),
            ),
        ),
        x=Axis(
            label=axis_label(across, grid.keys), kind="category", categories=names_of(grid.keys)
        ),
        y=Axis(label=down, kind="category", categories=grid.names),
    )


def _two_categories(request: ChartSpec) -> tuple[str, str]:
    """The column that goes across and the one that goes down."""
    likely = [each.name for each in request.columns(*GROUPS, without=request.y)]
    likely += [
        each.name
        for each in request.columns("integer", *TIMES, without=request.y)
        if len(set(request.table.cells(each.name))) <= MOST_CATEGORIES
    ]
    free = [name for name in likely if name not in (request.x, request.by)]
    across = request.x or (free.pop(0) if free else None)
    down = request.by or (free.pop(0) if free else None)
    if across is None or down is None or across == down:
        raise ToolError(
            "O gráfico 'heatmap' precisa de duas colunas de categorias, em 'x' e em 'by'. "
            f"Colunas: {', '.join(request.table.names)}."
        )
    if (
        request.x is None
        and request.by is None
        and _distinct(request, across) > _distinct(request, down)
    ):
        # Many names are easier to read down the side.
        return down, across
    return across, down


def _distinct(request: ChartSpec, name: str) -> int:
    return len(set(request.table.cells(name)))


def _rows_in_order(request: ChartSpec, grid: Grid, down: str) -> Grid:
    """Rows of numbers and moments in their order; counted names naturally; the rest as it came."""
    cells = {name_of(cell): cell for cell in request.table.cells(down) if cell is not None}
    rows = range(len(grid.names))
    if request.type_of(down) in ("integer", "number", *TIMES):
        order = sorted(
            rows,
            key=lambda at: place(cells[grid.names[at]]) if grid.names[at] in cells else math.inf,
        )
    elif grid.is_counted:
        order = sorted(
            rows, key=lambda at: (is_others(grid.names[at]), natural_rank(grid.names[at]))
        )
    else:
        order = list(rows)
    return replace(
        grid,
        names=tuple(grid.names[at] for at in order),
        values=tuple(grid.values[at] for at in order),
    )
