"""The query form of aggregate privacy: measures by groups under filters, without SQL.

An agent from which only aggregates may leave has this in the place of SQL. `compile_query` gives
the SQL of it: whole, for the person. What a model is told of the same is for `tools.disclosure`.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Literal

import pydantic
from pydantic import Field

from qhub_desktop.core.conditions import date_is, text_is, text_of
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import InputError
from qhub_desktop.core.table import ColumnType, is_numeric, quoted, sql_literal
from qhub_desktop.core.text import fold_name
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.core.values import dataclass

COUNTS = ""  # in the place of a column: rows are counted
Keys = tuple[str | None, ...]  # of a group, as text; of a total, empty
Value = str | float | bool
MOST_KEYS = 3
MOST_VALUES = 50
MOST_NAMED = 30  # columns in a sentence

Measure = Literal[
    "contagem", "percentagem", "soma", "media", "mediana", "quartis", "minimo", "maximo"
]
Grain = Literal["hora", "dia", "semana", "mes", "trimestre", "ano", "dia_semana"]
_GRAINS: Mapping[Grain, str] = {
    "hora": "hour({})",
    "dia": "CAST({} AS DATE)",
    "semana": "CAST(date_trunc('week', {}) AS DATE)",
    "mes": "CAST(date_trunc('month', {}) AS DATE)",
    "trimestre": "CAST(date_trunc('quarter', {}) AS DATE)",
    "ano": "year({})",
    "dia_semana": "isodow({})",
}
# A period may begin and end with one of these, the first that is long enough to hide its rows.
UNITS: Mapping[str, str] = {
    "day": "o dia",
    "week": "a semana",
    "month": "o mês",
    "quarter": "o trimestre",
    "year": "o ano",
}
_TIMES: tuple[ColumnType, ...] = ("date", "datetime")


class _Form(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)


class Medida(_Form):
    """What is computed, of which column; rows are counted where there is none."""

    calculo: Measure = "contagem"
    coluna: str | None = None


class Grupo(_Form):
    """Column whose values make the groups; of a date, in units of time."""

    coluna: str
    por: Grain | None = None


class Filtro(_Form):
    """Rows that hold one of these values in a column."""

    coluna: str
    valores: Annotated[list[Value], Field(min_length=1, max_length=MOST_VALUES)]


class Periodo(_Form):
    """Days from one to another, inclusive, by the first column of dates unless one is named."""

    de: date | None = None
    ate: date | None = None
    coluna: str | None = None


Medidas = Annotated[list[Medida], Field(max_length=8)]
Por = Annotated[
    list[str | Grupo], Field(max_length=MOST_KEYS, description="colunas; datas com por")
]
Filtros = Annotated[list[Filtro], Field(max_length=10)]
Primeiros = Annotated[int | None, Field(ge=1, le=100, description="só os n maiores")]


class Agregacao(_Form):
    """Query in closed form."""

    medidas: Medidas = Field(default_factory=list)
    por: Por = Field(default_factory=list)
    filtros: Filtros = Field(default_factory=list)
    periodo: Periodo | None = None
    primeiros: Primeiros = None
    conjunto: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """Name and SQL of what a result is grouped by."""

    name: str
    sql: str
    is_time: bool


@dataclass(frozen=True, slots=True)
class GroupMeasure:
    """Name and kind of what is computed of each group, and the column it is of."""

    name: str
    measure: Measure
    column: str | None

    @property
    def names(self) -> list[str]:
        """Names of the columns that it takes in a result."""
        if self.measure == "quartis":
            return [f"{part}_{self.column}" for part in ("q1", "q2", "q3")]
        return [self.name]


@dataclass(frozen=True, slots=True)
class ClosedQuery:
    """A closed form whose columns were found in its data set."""

    profile: DatasetProfile
    keys: tuple[Key, ...]
    figures: tuple[GroupMeasure, ...]
    conditions: tuple[str, ...]  # SQL; every row takes part where there is none
    values: tuple[str, ...]  # SQL of what stands in filters, value by value
    period: tuple[str, date | None, date | None] | None  # a column, and its first and last day
    first: int | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of numbers that something is computed of."""
        return tuple(dict.fromkeys(each.column for each in self.figures if each.column is not None))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the result's columns."""
        return (
            *(key.name for key in self.keys),
            *(name for each in self.figures for name in each.names),
        )


def compile_form(form: Agregacao, profile: DatasetProfile) -> ClosedQuery:
    """Find the columns of a closed form. Raises InputError, which tells nothing of any row."""
    keys = tuple(_key(each, profile) for each in form.por)
    wanted = [_figure(each, profile) for each in form.medidas or [Medida()]]
    figures = tuple(dict.fromkeys(wanted))
    filters = [_alternatives(each, profile) for each in form.filtros]
    conditions = [f"({' OR '.join(each)})" for each in filters]
    period = None if form.periodo is None else _period(form.periodo, profile)
    if period is not None and (days := _days(*period)):
        conditions.append(days)
    values = tuple(value for each in filters for value in each)
    query = ClosedQuery(profile, keys, figures, tuple(conditions), values, period, form.primeiros)
    if len(set(query.names)) < len(query.names):
        raise InputError("Dois grupos, ou um grupo e uma medida, têm o mesmo nome. Peça um deles.")
    return query


def whole_sql(query: ClosedQuery) -> str:
    """Write the SQL of a closed form, with every group and every figure."""
    selected = [f"{key.sql} AS {quoted(key.name)}" for key in query.keys]
    selected += [part for each in query.figures for part in _figure_sql(each, query)]
    sql = f"SELECT {', '.join(selected)} FROM {quoted(query.profile.dataset)}"  # noqa: S608  names are quoted
    if query.conditions:
        sql += f" WHERE {' AND '.join(query.conditions)}"
    if not query.keys:
        return sql
    places = [str(place) for place in range(1, len(query.keys) + 1)]
    largest = f"{len(places) + 1} DESC NULLS LAST"
    in_time = any(key.is_time for key in query.keys) and query.first is None
    order = places if in_time else [largest, *places]
    sql += f" GROUP BY {', '.join(places)} ORDER BY {', '.join(order)}"
    return sql if query.first is None else f"{sql} LIMIT {query.first}"


def _figure_sql(figure: GroupMeasure, query: ClosedQuery) -> list[str]:
    cells = "*" if figure.column is None else quoted(figure.column)
    computed: Sequence[str]
    match figure.measure:
        case "contagem":
            computed = ["count(*)"]
        case "percentagem":
            amount = "count(*)" if figure.column is None else f"sum({cells})"
            over = f"sum({amount}) OVER ()" if query.keys else amount
            computed = [f"round(100.0 * {amount} / nullif({over}, 0), 2)"]
        case "soma" | "media" | "minimo" | "maximo":
            function = {"soma": "sum", "media": "avg", "minimo": "min", "maximo": "max"}
            computed = [f"{function[figure.measure]}({cells})"]
        case "mediana":
            computed = [f"median({cells})"]
        case "quartis":
            computed = [f"quantile_cont({cells}, {share})" for share in QUARTILES]
    return [f"{sql} AS {quoted(name)}" for sql, name in zip(computed, figure.names, strict=True)]


QUARTILES = (0.25, 0.5, 0.75)


def _key(given: str | Grupo, profile: DatasetProfile) -> Key:
    group = Grupo(coluna=given) if isinstance(given, str) else given
    column = find_column(group.coluna, profile)
    cells = quoted(column.name)
    if column.type in _TIMES:
        grain = group.por or "dia"
        return Key(f"{column.name}_{grain}", _GRAINS[grain].format(cells), is_time=True)
    if group.por is not None:
        raise InputError(f"{quoted_name(column.name)} não tem datas: por não se aplica.")
    return Key(column.name, cells, is_time=False)


def _figure(given: Medida, profile: DatasetProfile) -> GroupMeasure:
    if given.coluna is None:
        if given.calculo not in ("contagem", "percentagem"):
            raise InputError(f"{given.calculo} precisa de uma coluna numérica.")
        return GroupMeasure(given.calculo, given.calculo, None)
    column = find_column(given.coluna, profile)
    if given.calculo == "contagem":
        return GroupMeasure(given.calculo, given.calculo, None)
    if not is_numeric(column.type):
        raise InputError(
            f"{quoted_name(column.name)} não é numérica: dela só contagem, por grupos ou filtros."
        )
    return GroupMeasure(f"{given.calculo}_{column.name}", given.calculo, column.name)


def _alternatives(given: Filtro, profile: DatasetProfile) -> list[str]:
    column = find_column(given.coluna, profile)
    return [_holds(column, value) for value in given.valores]


def _holds(column: ColumnProfile, value: Value) -> str:
    cells = quoted(column.name)
    if column.type in ("text", "category"):
        return text_is(text_of(column.name), str(value))
    if column.type == "boolean" and isinstance(value, bool):
        return f"{cells} = {sql_literal(value)}"
    if is_numeric(column.type) and not isinstance(value, bool):
        try:
            return f"{cells} = {sql_literal(float(value))}"
        except (ValueError, OverflowError):
            pass
    if column.type in _TIMES:
        day = _day(str(value))
        return f"CAST({cells} AS DATE) = DATE {sql_literal(day)}"
    raise InputError(f"Um dos valores não é do tipo da coluna {quoted_name(column.name)}.")


def _day(written: str) -> str:
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        raise InputError(
            "Uma data escreve-se AAAA-MM-DD; um intervalo pede-se em periodo."
        ) from None


def _period(given: Periodo, profile: DatasetProfile) -> tuple[str, date | None, date | None]:
    if given.coluna is not None:
        column: ColumnProfile | None = find_column(given.coluna, profile)
    else:
        column = next((each for each in profile.columns if each.type in _TIMES), None)
    if column is None or column.type not in _TIMES:
        raise InputError("O periodo precisa de uma coluna de datas.")
    return column.name, given.de, given.ate


def _days(column: str, first: date | None, last: date | None) -> str:
    found: list[str] = []
    if first is not None:
        found.append(date_is(column, ">=", first))
    if last is not None:
        found.append(date_is(column, "<=", last))
    return " AND ".join(found)


def is_first_day(day: date | None, unit: str) -> bool:
    """Return whether a unit of time begins with a day, or none is named."""
    if day is None or unit == "day":
        return True
    if unit == "week":
        return day.isoweekday() == 1
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    return day.day == 1 and (day.month - 1) % months == 0


def is_last_day(day: date | None, unit: str) -> bool:
    """Return whether a unit of time ends with a day, or none is named."""
    return day in (None, date.max) or is_first_day(day + timedelta(days=1), unit)


def find_column(name: str, profile: DatasetProfile) -> ColumnProfile:
    """Return a column by its name; case and accents do not matter. Raises InputError."""
    exact = profile.column(name)
    if exact is not None:
        return exact
    alike = [each for each in profile.columns if fold_name(each.name) == fold_name(name)]
    if len(alike) == 1:
        return alike[0]
    names = ", ".join(quoted_name(each.name) for each in profile.columns[:MOST_NAMED])
    raise InputError(f"A coluna {quoted_name(name)} não existe. Existem: {names}.")
