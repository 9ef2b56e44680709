"""Single measurements: the column they stand in, and its values without the missing ones."""

import math

from qhub_desktop.charts.request import Request, is_identity, needs_numbers, value
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.table import is_numeric


def measure_of(request: Request, *, without: str | None = None) -> str:
    """The column of numbers: asked for, or the first that is not an identity."""
    if request.y:
        return request.y[0]
    numbers = [each.name for each in request.numbers(without=(without,))]
    if not numbers:
        raise needs_numbers(request, "uma coluna numérica")
    likely = [name for name in numbers if not is_identity(name)]
    return (likely or numbers)[0]


def measure_along(request: Request) -> str:
    """The same for charts of one column alone, which may have been asked for as x."""
    if request.x is None or request.y:
        return measure_of(request)
    if not is_numeric(request.type_of(request.x)):
        raise needs_numbers(request, f"uma coluna numérica, e '{request.x}' não é")
    return request.x


def known_values(request: Request, column: str) -> tuple[list[float], int]:
    """The column's values, and how many rows have none. Raises ToolError where no row has one."""
    every = [value(cell) for cell in request.table.cells(column)]
    known = [each for each in every if not math.isnan(each)]
    if not known:
        raise ToolError(f"A coluna '{column}' não tem valores. Escolha outra ou mude os filtros.")
    return known, len(every) - len(known)
