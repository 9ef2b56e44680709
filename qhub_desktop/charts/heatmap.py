"""Heat maps of two columns of categories."""

import math
from dataclasses import replace

from qhub_desktop.charts.chart_spec import (
    GROUPS,
    TIMES,
    ChartSpec,
    axis_position,
    chart,
    sample_size,
    short_numbers,
    subtitle,
    unsupported,
)
from qhub_desktop.charts.grouping import (
    MOST_CATEGORIES,
    SeriesGrid,
    aggregate,
    axis_label,
    is_others,
    limit_categories,
    name_of,
    names_of,
    natural_rank,
    notes_of,
)
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Cells, ChartKind, Figure
from qhub_desktop.core.text import gettext_noop

MOST_CELLS_WRITTEN = 150  # with their number: more would overlap


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
def heatmap(spec: ChartSpec) -> Figure:
    """Draw a cell for each pair of categories, coloured by its value."""
    if len(spec.y) > 1:
        raise unsupported(spec, "y", "só com uma coluna de valores.")
    across, down = _x_and_y_categories(spec)
    grid = aggregate(replace(spec, x=across, by=down), x=across, most_series=MOST_CATEGORIES)
    grid = _sort_rows(spec, limit_categories(grid), down)
    rows, columns = len(grid.names), len(grid.keys)
    flat = short_numbers([each for row in grid.values for each in row])
    is_written = len(flat) <= MOST_CELLS_WRITTEN
    counted = sample_size(grid.total) if grid.is_counted else grid.measure
    return Figure(
        title=spec.title,
        subtitle=subtitle(spec.subtitle, counted, *notes_of(grid)),
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


def _x_and_y_categories(spec: ChartSpec) -> tuple[str, str]:
    """Return the columns of x and y. Raises ToolError if there are not two."""
    likely = [each.name for each in spec.columns(*GROUPS, without=spec.y)]
    likely += [
        each.name
        for each in spec.columns("integer", *TIMES, without=spec.y)
        if len(set(spec.table.cells(each.name))) <= MOST_CATEGORIES
    ]
    free = [name for name in likely if name not in (spec.x, spec.by)]
    across = spec.x or (free.pop(0) if free else None)
    down = spec.by or (free.pop(0) if free else None)
    if across is None or down is None or across == down:
        raise ToolError(
            "O gráfico 'heatmap' precisa de duas colunas de categorias, em 'x' e em 'by'. "
            f"Colunas: {', '.join(spec.table.names)}."
        )
    if spec.x is None and spec.by is None and _distinct(spec, across) > _distinct(spec, down):
        # Many names are easier to read down the side.
        return down, across
    return across, down


def _distinct(spec: ChartSpec, name: str) -> int:
    return len(set(spec.table.cells(name)))


def _sort_rows(spec: ChartSpec, grid: SeriesGrid, down: str) -> SeriesGrid:
    """Sort rows of numbers and times by value, counted names naturally; keep other orders."""
    cells = {name_of(cell): cell for cell in spec.table.cells(down) if cell is not None}
    rows = range(len(grid.names))
    if spec.type_of(down) in ("integer", "number", *TIMES):
        order = sorted(
            rows,
            key=lambda at: (
                axis_position(cells[grid.names[at]]) if grid.names[at] in cells else math.inf
            ),
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
