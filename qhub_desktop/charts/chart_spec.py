"""The specification of a chart: a table, and which of its columns plays which part."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import EPOCH, ChartKind, Figure
from qhub_desktop.core.table import Cell, Column, ColumnType, Table, is_numeric
from qhub_desktop.core.text import fold

TIMES = ("date", "datetime")
GROUPS = ("category", "text", "boolean")


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """One chart as it was asked for; what was not said is chosen by the recipe."""

    kind: str
    title: str
    table: Table
    x: str | None = None
    y: tuple[str, ...] = ()
    by: str | None = None
    subtitle: str = ""

    def columns(self, *types: str, without: Iterable[str | None] = ()) -> tuple[Column, ...]:
        """The table's columns of these types, in order."""
        taken = set(without)
        return tuple(
            column
            for column in self.table.columns
            if column.type in types and column.name not in taken
        )

    def numbers(self, *, without: Iterable[str | None] = ()) -> tuple[Column, ...]:
        """The columns of numbers, in order."""
        return self.columns("integer", "number", without=without)

    def type_of(self, name: str) -> ColumnType:
        """The type of one of the table's columns."""
        return self.table.column(name).type


Recipe = Callable[[ChartSpec], Figure]
DECLARED: list[tuple[ChartKind, Recipe]] = []  # by the modules loaded so far


def chart(kind: ChartKind) -> Callable[[Recipe], Recipe]:
    """Declare a function to be what draws a kind of chart."""

    def declare(recipe: Recipe) -> Recipe:
        DECLARED.append((kind, recipe))
        return recipe

    return declare


def make_spec(
    kind: str,
    title: str,
    table: Table,
    *,
    x: str | None,
    y: Sequence[str],
    by: str | None,
    subtitle: str,
) -> ChartSpec:
    """A request whose columns exist. Raises ToolError for a name that is not in the table."""
    if not table.rows:
        raise ToolError(
            f"Não há linhas para o gráfico '{kind}'. Alargue os filtros ou a consulta e repita."
        )
    values = tuple(_existing(table, name, "y") for name in y)
    for name in values:
        if not is_numeric(table.column(name).type):
            raise ToolError(
                f"A coluna '{name}' não é numérica, por isso não serve para 'y'. "
                f"Colunas numéricas: {_listed(each.name for each in _numeric(table))}."
            )
    return ChartSpec(
        kind=kind,
        title=title,
        table=table,
        x=None if x is None else _existing(table, x, "x"),
        y=values,
        by=None if by is None else _existing(table, by, "by"),
        subtitle=subtitle,
    )


def is_identity(name: str) -> bool:
    """Whether a column's name says that its numbers name rows and measure nothing."""
    bare = fold(name)
    return bare == "id" or bare.startswith("id_") or bare.endswith(("_id", " id"))


def needs_numbers(request: ChartSpec, words: str) -> ToolError:
    """The complaint that a kind lacks columns of numbers; `words` says how many it needs."""
    return ToolError(
        f"O gráfico '{request.kind}' precisa de {words}; há só: "
        f"{_listed(each.name for each in request.numbers())}. "
        "Mude a consulta ou escolha outro tipo de gráfico."
    )


def refuse(request: ChartSpec, part: str, advice: str) -> ToolError:
    """The complaint that a kind has no place for one part of the request."""
    return ToolError(f"O gráfico '{request.kind}' não aceita '{part}': {advice}")


def seconds(moment: Cell) -> float:
    """Where a date stands on a time axis: seconds since 1970 of the wall clock, zone ignored."""
    match moment:
        case datetime():
            return (moment.replace(tzinfo=None) - EPOCH).total_seconds()
        case date():
            return (datetime(moment.year, moment.month, moment.day) - EPOCH).total_seconds()
        case _:
            return math.nan


def value(cell: Cell) -> float:
    """A cell as a number; NaN for a missing one, and for infinities, which no axis can show."""
    if isinstance(cell, (int, float)):
        number = float(cell)
        return number if math.isfinite(number) else math.nan
    return math.nan


def place(cell: Cell) -> float:
    """Where a number or a date stands on its axis; NaN for a missing one."""
    return seconds(cell) if isinstance(cell, date) else value(cell)


def _numeric(table: Table) -> list[Column]:
    return [column for column in table.columns if is_numeric(column.type)]


def _existing(table: Table, name: str, part: str) -> str:
    if name in table.names:
        return name
    alike = [known for known in table.names if fold(known) == fold(name)]
    if len(alike) == 1:
        return alike[0]
    raise ToolError(f"Não há coluna '{name}' para '{part}'. Colunas: {_listed(table.names)}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "nenhuma"


def measure_of(request: ChartSpec, *, without: str | None = None) -> str:
    """The column of numbers: asked for, or the first that is not an identity."""
    if request.y:
        return request.y[0]
    numbers = [each.name for each in request.numbers(without=(without,))]
    if not numbers:
        raise needs_numbers(request, "uma coluna numérica")
    likely = [name for name in numbers if not is_identity(name)]
    return (likely or numbers)[0]


def measure_along(request: ChartSpec) -> str:
    """The same for charts of one column alone, which may have been asked for as x."""
    if request.x is None or request.y:
        return measure_of(request)
    if not is_numeric(request.type_of(request.x)):
        raise needs_numbers(request, f"uma coluna numérica, e '{request.x}' não é")
    return request.x


def known_values(request: ChartSpec, column: str) -> tuple[list[float], int]:
    """The column's values, and how many rows have none. Raises ToolError where no row has one."""
    every = [value(cell) for cell in request.table.cells(column)]
    known = [each for each in every if not math.isnan(each)]
    if not known:
        raise ToolError(f"A coluna '{column}' não tem valores. Escolha outra ou mude os filtros.")
    return known, len(every) - len(known)
