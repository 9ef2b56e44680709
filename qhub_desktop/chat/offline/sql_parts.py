"""Parts of a query: rows, conditions, measures, groups; names quoted, values escaped."""

from collections.abc import Sequence

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import Dimension, Filter, Measure, Scope, Value
from qhub_desktop.chat.offline.voice import WEEKDAYS, Voice
from qhub_desktop.chat.offline.words import plain

_FUNCTIONS = {
    "mean": "avg",
    "sum": "sum",
    "min": "min",
    "max": "max",
    "median": "median",
    "std": "stddev_samp",
}
SIGNS = {"above": ">", "at least": ">=", "below": "<", "at most": "<="}
_IN_ORDER = ("hour", "day", "weekday", "week", "month", "year")
_SHIFT_ORDER = ("morning", "afternoon", "night")


def quoted(name: str) -> str:
    """An identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Value) -> str:
    """A value, whatever is in it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


class Parts:
    """Expressions over one data set."""

    def __init__(self, index: Index, voice: Voice) -> None:
        self._index = index
        self._voice = voice

    def rows_of(self, scope: Scope, more: Sequence[str] = ()) -> str:
        """The FROM and WHERE of some rows; `more` are further conditions."""
        conditions = [*self.conditions(scope), *more]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f" FROM {quoted(scope.dataset)}{where}"

    def conditions(self, scope: Scope) -> list[str]:
        """What is true of these rows alone."""
        conditions = [self._condition(each) for each in scope.filters]
        if period := scope.period:
            day = f"CAST({quoted(period.column)} AS DATE)"
            if period.start is not None:
                conditions.append(f"{day} >= DATE '{period.start.isoformat()}'")
            if period.end is not None:
                conditions.append(f"{day} <= DATE '{period.end.isoformat()}'")
            if period.but is not None:
                first, last = (f"DATE '{each.isoformat()}'" for each in period.but)
                conditions.append(f"{day} NOT BETWEEN {first} AND {last}")
        return conditions

    def _condition(self, wanted: Filter) -> str:
        column = self.cell(wanted.column)
        if wanted.relation == "missing":
            return f"{column} IS NULL"
        values = ", ".join(literal(value) for value in wanted.values)
        if wanted.grain:
            column = f"{'isodow' if wanted.grain == 'weekday' else 'hour'}({column})"
        if wanted.relation not in ("is", "is not"):
            return compared(column, wanted)
        if not self._is_exact(wanted):
            # Typed by the person, not found in the profile: compared as loosely as it was typed.
            column = f"lower(strip_accents(CAST({column} AS VARCHAR)))"
            values = ", ".join(literal(plain(str(value))) for value in wanted.values)
        if wanted.relation == "is not":
            return f"coalesce({column} NOT IN ({values}), TRUE)"
        return f"{column} IN ({values})"

    def _is_exact(self, wanted: Filter) -> bool:
        if wanted.grain or self._index.column(wanted.column).type not in ("text", "category"):
            return True
        known = {value for value, _ in self._index.column(wanted.column).top}
        return all(value in known for value in wanted.values)

    def measured(self, measure: Measure) -> str:
        """The expression that computes a measure."""
        match measure.kind:
            case "count":
                return "count(*)"
            case "distinct":
                cell = self.cell(measure.column)
                if self._index.column(measure.column).type == "datetime":
                    cell = f"CAST({cell} AS DATE)"
                return f"count(DISTINCT {cell})"
            case "per":
                moment = f"date_trunc('{measure.over}', {quoted(measure.column)})"
                return f"count(*) / nullif(count(DISTINCT {moment}), 0)"
            case "rate":
                whole = f"nullif(sum({quoted(measure.over)}), 0)"
                return f"100.0 * sum({quoted(measure.column)}) / {whole}"
            case "share":
                part = " AND ".join(self._condition(each) for each in measure.part)
                if measure.column:
                    amount = f"sum({quoted(measure.column)})"
                    return f"100.0 * {amount} FILTER (WHERE {part}) / nullif({amount}, 0)"
                return f"100.0 * count(*) FILTER (WHERE {part}) / count(*)"
        return f"{_FUNCTIONS[measure.kind]}({quoted(measure.column)})"

    def cell(self, name: str) -> str:
        """A column's cells, in the plant's words where the file has others."""
        meanings = self._index.meanings(name)
        if not meanings:
            return quoted(name)
        text = f"trim(CAST({quoted(name)} AS VARCHAR))"
        cases = " ".join(
            f"WHEN {literal(word)} THEN {literal(meaning)}" for word, meaning in meanings.items()
        )
        return f"CASE {text} {cases} ELSE {text} END"

    def grouped(self, dimension: Dimension) -> str:
        """What rows are grouped by."""
        column = self.cell(dimension.column)
        match dimension.grain:
            case "":
                return column
            case "day":
                return f"CAST({column} AS DATE)"
            case "week" | "month" as grain:
                return f"CAST(date_trunc('{grain}', {column}) AS DATE)"
            case "hour":
                return f"hour({column})"
            case "year":
                return f"year({column})"
            case "weekday":
                return f"isodow({column})"

    def label(self, dimension: Dimension) -> str:
        """What a group is shown as."""
        expression = self.grouped(dimension)
        if dimension.grain != "weekday":
            return expression
        names = " ".join(
            f"WHEN {number} THEN {literal(self._voice.gettext(name))}"
            for number, name in enumerate(WEEKDAYS, start=1)
        )
        return f"CASE {expression} {names} END"

    def natural_order(self, dimension: Dimension) -> str | None:
        """An order that is known beforehand: of time, of shifts."""
        if dimension.grain in _IN_ORDER:
            return self.grouped(dimension)
        index = self._index
        if dimension.column != index.shift_column:
            return None
        known = [
            (value, place)
            for place, lemma in enumerate(_SHIFT_ORDER, start=1)
            for column, value in index.values.get((lemma,), ())
            if column == dimension.column
        ]
        if not known:
            return None
        column = self.cell(dimension.column)
        whens = " ".join(f"WHEN {literal(value)} THEN {place}" for value, place in known)
        return f"CASE {column} {whens} ELSE {len(_SHIFT_ORDER) + 1} END, {column}"


def compared(expression: str, wanted: Filter) -> str:
    """A number in relation to those of a filter."""
    values = [literal(value) for value in wanted.values]
    match wanted.relation:
        case "above" | "at least" | "below" | "at most" as relation:
            return f"{expression} {SIGNS[relation]} {values[0]}"
        case "between":
            return f"{expression} BETWEEN {values[0]} AND {values[1]}"
        case "outside":
            return f"{expression} NOT BETWEEN {values[0]} AND {values[1]}"
        case "is not":
            return f"{expression} <> {values[0]}"
        case _:
            return f"{expression} = {values[0]}"
