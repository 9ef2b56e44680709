"""Specification of a chart (a table and the roles of its columns), and its texts and numbers."""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import EPOCH, ChartKind, Figure
from qhub_desktop.core.table import Cell, Column, ColumnType, Table, is_numeric
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import fold, ngettext, number, words_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

TIMES = ("date", "datetime")
GROUPS = ("category", "text", "time", "boolean")


@dataclass(frozen=True, slots=True)
class ChartSpec:
    """Chart as requested; the recipe chooses the roles that are None."""

    kind: str
    title: str
    table: Table
    x: str | None = None
    y: tuple[str, ...] = ()
    by: str | None = None
    subtitle: str = ""

    def columns(self, *types: str, without: Iterable[str | None] = ()) -> tuple[Column, ...]:
        """Return the table's columns of these types, in order."""
        taken = set(without)
        return tuple(
            column
            for column in self.table.columns
            if column.type in types and column.name not in taken
        )

    def numbers(self, *, without: Iterable[str | None] = ()) -> tuple[Column, ...]:
        """Return the numeric columns, in order."""
        return self.columns("integer", "number", without=without)

    def type_of(self, name: str) -> ColumnType:
        """Return the type of a column."""
        return self.table.column(name).type


Recipe = Callable[[ChartSpec], Figure]
DECLARED: list[tuple[ChartKind, Recipe]] = []  # by the modules loaded so far


def chart(kind: ChartKind) -> Callable[[Recipe], Recipe]:
    """Register the decorated function as the recipe of a kind of chart."""

    def declare(recipe: Recipe) -> Recipe:
        DECLARED.append((kind, recipe))
        return recipe

    return declare


def checked_spec(
    kind: str,
    title: str,
    table: Table,
    *,
    x: str | None,
    y: Sequence[str],
    by: str | None,
    subtitle: str,
) -> ChartSpec:
    """Build a specification. Raises ToolError if a column is missing or `y` is not numeric."""
    if not table.rows:
        raise ToolError(
            f"Não há linhas para o gráfico '{kind}'. Alargue os filtros ou a consulta e repita."
        )
    values = tuple(_find_column(table, name, "y") for name in y)
    for name in values:
        if not is_numeric(table.column(name).type):
            raise ToolError(
                f"A coluna '{name}' não é numérica, por isso não serve para 'y'. "
                f"Colunas numéricas: {_join_names(each.name for each in _numeric_columns(table))}."
            )
    return ChartSpec(
        kind=kind,
        title=title,
        table=table,
        x=None if x is None else _find_column(table, x, "x"),
        y=values,
        by=None if by is None else _find_column(table, by, "by"),
        subtitle=subtitle,
    )


def is_identity(name: str) -> bool:
    """Return whether a column is an identifier by its name, so that it measures nothing."""
    bare = fold(name)
    return bare == "id" or bare.startswith("id_") or bare.endswith(("_id", " id"))


def needs_numbers(spec: ChartSpec, words: str) -> ToolError:
    """Return the error that a kind needs numeric columns; `words` tells how many."""
    return ToolError(
        f"O gráfico '{spec.kind}' precisa de {words}; há só: "
        f"{_join_names(each.name for each in spec.numbers())}. "
        "Mude a consulta ou escolha outro tipo de gráfico."
    )


def unsupported(spec: ChartSpec, part: str, advice: str) -> ToolError:
    """Return the error that a kind does not support a part of the specification."""
    return ToolError(f"O gráfico '{spec.kind}' não aceita '{part}': {advice}")


def epoch_seconds(moment: Cell) -> float:
    """Return a date's position on a time axis: local seconds since 1970, ignoring its zone."""
    match moment:
        case datetime():
            return (moment.replace(tzinfo=None) - EPOCH).total_seconds()
        case date():
            return (datetime(moment.year, moment.month, moment.day) - EPOCH).total_seconds()
        case _:
            return math.nan


def finite_number(cell: Cell) -> float:
    """Return a cell as a float; NaN if it is missing or infinite, which no axis can show."""
    if isinstance(cell, (int, float)):
        number = float(cell)
        return number if math.isfinite(number) else math.nan
    return math.nan


def axis_position(cell: Cell) -> float:
    """Return the position of a number or date on its axis; NaN if it is missing."""
    return epoch_seconds(cell) if isinstance(cell, date) else finite_number(cell)


def _numeric_columns(table: Table) -> list[Column]:
    return [column for column in table.columns if is_numeric(column.type)]


def _find_column(table: Table, name: str, part: str) -> str:
    if name in table.names:
        return name
    alike = [known for known in table.names if fold(known) == fold(name)]
    if len(alike) == 1:
        return alike[0]
    raise ToolError(f"Não há coluna '{name}' para '{part}'. Colunas: {_join_names(table.names)}.")


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(names) or "nenhuma"


def measure_of(spec: ChartSpec, *, without: str | None = None) -> str:
    """Return the column of values: `y`, or the first number that is not an identifier."""
    if spec.y:
        return spec.y[0]
    numbers = [each.name for each in spec.numbers(without=(without,))]
    if not numbers:
        raise needs_numbers(spec, "uma coluna numérica")
    likely = [name for name in numbers if not is_identity(name)]
    return (likely or numbers)[0]


def measure_along(spec: ChartSpec) -> str:
    """Return the column of values of a chart of one column, which may be given as `x`."""
    if spec.x is None or spec.y:
        return measure_of(spec)
    if not is_numeric(spec.type_of(spec.x)):
        raise needs_numbers(spec, f"uma coluna numérica, e '{spec.x}' não é")
    return spec.x


def known_values(spec: ChartSpec, column: str) -> tuple[list[float], int]:
    """Return a column's finite values and the number of others. Raises ToolError if none."""
    every = [finite_number(cell) for cell in spec.table.cells(column)]
    known = [each for each in every if not math.isnan(each)]
    if not known:
        raise ToolError(f"A coluna '{column}' não tem valores. Escolha outra ou mude os filtros.")
    return known, len(every) - len(known)


def subtitle(*parts: str) -> str:
    """Join the non-empty parts of a subtitle."""
    return " · ".join(part for part in parts if part)


def sample_size(count: float) -> str:
    """Return the note on the sample size: N."""
    return _("N = {count}").format(count=number(count))


def left_out_note(rows: int) -> str:
    """Return the note on rows without a value; empty if there are none."""
    if not rows:
        return ""
    return ngettext(
        "{count} row without a value left out", "{count} rows without a value left out", rows
    ).format(count=number(rows))


def gaps_note(values: int) -> str:
    """Return the note on missing values of lines; empty if there are none."""
    if not values:
        return ""
    return ngettext("{count} missing value", "{count} missing values", values).format(
        count=number(values)
    )


def period(moments: Iterable[Cell]) -> str:
    """Return the first and last day; empty if there are no dates."""
    days = [
        each.date() if isinstance(each, datetime) else each
        for each in moments
        if isinstance(each, date)
    ]
    if not days:
        return ""
    first, last = cell_text(min(days)), cell_text(max(days))
    return first if first == last else f"{first} – {last}"


def short_numbers(values: Sequence[float]) -> tuple[str, ...]:
    """Format numbers with a common number of decimals; NaN becomes empty."""
    known = [abs(each) for each in values if not math.isnan(each)]
    digits = decimals(known)
    return tuple("" if math.isnan(each) else number(each, digits=digits) for each in values)


def decimals(sizes: Sequence[float]) -> int:
    """Return the decimals that show three digits of the largest number; 0 if all are whole."""
    if not sizes or all(float(each).is_integer() for each in sizes):
        return 0
    largest = max(sizes)
    if largest >= 1000:
        return 0
    if largest <= 0:
        return 0
    return min(6, max(1, 2 - math.floor(math.log10(largest))))


def is_share(name: str) -> bool:
    """Return whether a column holds shares or running totals, by its name."""
    return any(word in name.casefold() for word in ("%", *words_of("files", "shares")))
