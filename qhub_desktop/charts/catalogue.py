"""Every chart there is: a kind by its name makes a figure from a table."""

from collections.abc import Callable, Sequence

from qhub_desktop.charts.bars import bar, barh
from qhub_desktop.charts.boxplot import box
from qhub_desktop.charts.chart_spec import ChartSpec, make_spec
from qhub_desktop.charts.heatmap import heatmap
from qhub_desktop.charts.histogram import histogram
from qhub_desktop.charts.lines import area, line
from qhub_desktop.charts.pareto import pareto
from qhub_desktop.charts.pie import pie
from qhub_desktop.charts.scatter import scatter
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.table import Table

Recipe = Callable[[ChartSpec], Figure]

RECIPES: dict[str, Recipe] = {
    "bar": bar,
    "barh": barh,
    "line": line,
    "area": area,
    "pie": pie,
    "scatter": scatter,
    "histogram": histogram,
    "box": box,
    "pareto": pareto,
    "heatmap": heatmap,
}


def draw(
    kind: str,
    title: str,
    table: Table,
    *,
    x: str | None = None,
    y: Sequence[str] = (),
    by: str | None = None,
    subtitle: str = "",
) -> Figure:
    """The chart of that kind; columns that are not named are chosen by their types.

    `x` is the column of categories or times, `y` those of values, `by` the one that splits into
    series. Raises ToolError, written for the model, where the table does not fit the kind.
    """
    recipe = RECIPES.get(kind)
    if recipe is None:
        raise ToolError(f"Não há gráfico '{kind}'. Tipos: {', '.join(RECIPES)}.")
    return recipe(make_spec(kind, title, table, x=x, y=y, by=by, subtitle=subtitle))
