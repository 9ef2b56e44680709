"""Catalogue of charts: every kind by its name, drawn from a table.

To add a kind, write a module in this package with a function under `@chart(ChartKind(...))`. Every
module of the package is loaded here, and what they declare becomes the list that the model's
schema, the vocabulary and the labels read (`core.figure`).
"""

import pkgutil
from collections.abc import Sequence
from importlib import import_module

from qhub_desktop import charts
from qhub_desktop.charts.chart_spec import DECLARED, Recipe, checked_spec
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Figure, publish
from qhub_desktop.core.table import Table

for _module in pkgutil.iter_modules(charts.__path__, f"{charts.__name__}."):
    import_module(_module.name)

publish(_kind for _kind, _recipe in DECLARED)
RECIPES: dict[str, Recipe] = {
    kind.name: recipe for kind, recipe in sorted(DECLARED, key=lambda each: each[0].place)
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
    """Draw a chart of a kind; columns that are not named are chosen by their types.

    `x` is the column of categories or times, `y` those of values, `by` the one that splits into
    series. Raises ToolError, written for the model, if the table does not fit the kind.
    """
    recipe = RECIPES.get(kind)
    if recipe is None:
        raise ToolError(f"Não há gráfico '{kind}'. Tipos: {', '.join(RECIPES)}.")
    return recipe(checked_spec(kind, title, table, x=x, y=y, by=by, subtitle=subtitle))
