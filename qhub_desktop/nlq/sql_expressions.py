"""SQL expressions over one data set: conditions on rows, aggregates, keys and names of groups."""

import re
from collections.abc import Sequence

from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.nlq.answer_locale import WEEKDAY_TEXTS, AnswerLocale
from qhub_desktop.nlq.phrases import DAY_LENGTH, is_of_days
from qhub_desktop.nlq.query_ast import (
    SIGNS,
    UNIT_SECONDS,
    Dimension,
    Filter,
    Measure,
    RowSelection,
    TimeUnit,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import factor_between
from qhub_desktop.nlq.statistic_kinds import STATISTICS
from qhub_desktop.nlq.tokenizer import forms_of, normalize
from qhub_desktop.nlq.tokenizer import unit as unit_in_name

_LARGEST_FRACTION = 1.5  # of a column of rates that are not in per cent
_SIGNS: dict[TimeUnit, str] = {"difference": "-", "sum": "+", "product": "*"}
_SHIFT_ORDER = ("morning", "afternoon", "night")


class SqlExpressions:
    """SQL expressions over one data set."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale

    def from_where(self, scope: RowSelection, more: Sequence[str] = ()) -> str:
        """Return the FROM and WHERE of some rows; `more` are further conditions."""
        conditions = [*self.conditions(scope), *more]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        wide, gaps = self._index.wide, [e for e in scope.filters if e.relation == "missing"]
        if wide is not None and any(each.column == wide.value for each in gaps):
            return f" FROM {wide.relation_with_gaps}{where}"
        return f" FROM {self._index.relation}{where}"

    def conditions(self, scope: RowSelection) -> list[str]:
        """Return the conditions of a WHERE clause."""
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
        if wanted.relation in ("missing", "present"):
            return f"{column} IS {'NOT ' if wanted.relation == 'present' else ''}NULL"
        if wanted.statistic:
            usual = STATISTICS[wanted.statistic].sql.format(column=column)
            of_all = f"(SELECT {usual}{self.from_where(RowSelection(''))})"
            return _compared(column, wanted, [of_all])
        if wanted.unit:
            return sql_comparison(self.elapsed(wanted.since, wanted.column, wanted.unit), wanted)
        if wanted.other:
            return self._comparison_of_columns(wanted)
        if wanted.relation in ("contains", "lacks"):
            plain = f"lower(strip_accents(CAST({column} AS VARCHAR)))"
            found = " OR ".join(
                f"regexp_matches({plain}, {sql_literal(_word_pattern(str(each)))})"
                for each in wanted.values
            )
            return (
                f"({found})" if wanted.relation == "contains" else f"NOT coalesce({found}, FALSE)"
            )
        if not wanted.grain and is_of_days(wanted.column, self._index):
            return self._condition_on_days(wanted)
        values = ", ".join(sql_literal(value) for value in wanted.values)
        match wanted.grain:
            case "weekday":
                column = f"isodow({column})"
            case "hour":
                column = f"hour({column})"
            case "minute":
                column = f"(hour({column}) * 60 + minute({column}))"
            case "":
                pass
        if wanted.relation not in ("is", "is not"):
            return sql_comparison(column, wanted)
        if not self._is_exact(wanted):
            # Not in the profile but typed by the person: compared without case and accents.
            column = f"lower(strip_accents(CAST({column} AS VARCHAR)))"
            values = ", ".join(sql_literal(normalize(str(value))) for value in wanted.values)
        if wanted.relation == "is not":
            return f"coalesce({column} NOT IN ({values}), TRUE)"
        return f"{column} IN ({values})"

    def _comparison_of_columns(self, wanted: Filter) -> str:
        """Return the comparison of two columns of a row; rows that lack either are in none."""
        one, other = self.cell(wanted.column), self.cell(wanted.other)
        types = {self._index.column(name).type for name in (wanted.column, wanted.other)}
        if types == {"date", "datetime"}:  # a moment on the day itself is not after that day
            one, other = (f"CAST({each} AS DATE)" for each in (one, other))
        signs = {"is": "=", "is not": "<>", **SIGNS}
        return f"{one} {signs[wanted.relation]} {other}"

    def _condition_on_days(self, wanted: Filter) -> str:
        """Return a condition on dates or moments, whose values are texts in ISO form."""
        column, kind = quoted(wanted.column), "TIMESTAMP"
        if all(len(str(value)) <= DAY_LENGTH for value in wanted.values):
            column, kind = f"CAST({column} AS DATE)", "DATE"
        values = [f"{kind} {sql_literal(str(value))}" for value in wanted.values]
        listed = ", ".join(values)
        if wanted.relation == "is":
            return f"{column} IN ({listed})"
        other = f"coalesce({column} NOT IN ({listed}), TRUE)"
        return other if wanted.relation == "is not" else _compared(column, wanted, values)

    def _is_exact(self, wanted: Filter) -> bool:
        if wanted.grain or self._index.column(wanted.column).type not in ("text", "category"):
            return True
        return {*wanted.values} <= {*self._index.column(wanted.column).known}

    def aggregate(self, measure: Measure) -> str:
        """Return the expression that computes a measure."""
        column = self.number(measure)
        match measure.kind:
            case "count":
                return "count(*)"
            case "range" if not measure.unit and is_of_days(measure.column, self._index):
                return f"(epoch(max({column})) - epoch(min({column}))) / {UNIT_SECONDS['days']}"
            case "ratio":
                return f"1.0 * sum({column}) / nullif(sum({quoted(measure.over)}), 0)"
            case "distinct":
                cell = self.cell(measure.column)
                if self._index.column(measure.column).type == "datetime":
                    cell = f"CAST({cell} AS DATE)"
                return f"count(DISTINCT {cell})"
            case "per":
                moment = quoted(measure.column)
                if measure.over:
                    moment = f"date_trunc('{measure.over}', {moment})"
                day = quoted(measure.column)  # rows without one are of no day
                added = f"sum({quoted(measure.amount)}) FILTER ({day} IS NOT NULL)"
                days = f"nullif(count(DISTINCT {moment}), 0)"
                return f"{added if measure.amount else f'count({day})'} / {days}"
            case "rate":
                whole = f"sum({quoted(measure.over)})"
                if measure.amount:
                    whole += f" + sum({quoted(measure.amount)})"
                if measure.unit == "product":  # seconds of a part by parts, of minutes
                    by = factor_between(unit_in_name(measure.since).strip("()[] "), measure.over)
                    return f"{measure.per * by} * sum({column}) / nullif({whole}, 0)"
                return f"{measure.per}.0 * sum({column}) / nullif({whole}, 0)"
            case "product":
                return " * ".join(["100.0", *map(self._factor, measure.factors)])
            case "share":
                part = " AND ".join(self._condition(each) for each in measure.part)
                if measure.column:
                    amount = f"sum({quoted(measure.column)})"
                    return f"100.0 * {amount} FILTER (WHERE {part}) / nullif({amount}, 0)"
                return f"100.0 * count(*) FILTER (WHERE {part}) / count(*)"
            case _:
                sql = STATISTICS[measure.kind].sql
                return sql.format(column=column, quantile=measure.quantile)

    def _factor(self, measure: Measure) -> str:
        """Return a factor of a product as a fraction; a column's rates may be in per cent."""
        most = self._index.column(measure.column).max
        is_fraction = isinstance(most, int | float) and most <= _LARGEST_FRACTION
        scale = "" if measure.kind == "mean" and is_fraction else " / 100.0"
        return f"({self.aggregate(measure)}{scale})"

    def number(self, measure: Measure) -> str:
        """Return the number of a row that is measured: a cell, or the time between two."""
        if not measure.unit:
            return quoted(measure.column)
        return self.elapsed(measure.since, measure.column, measure.unit)

    def elapsed(self, start: str, end: str, unit: TimeUnit) -> str:
        """Return the time from one column to another; that between times of day passes midnight.

        Of columns of numbers, what the other has more, or what both come to.
        """
        if unit in _SIGNS:
            return f"({quoted(end)} {_SIGNS[unit]} {quoted(start)})"
        seconds = f"(epoch({quoted(end)}) - epoch({quoted(start)}))"
        if {self._index.column(name).type for name in (start, end)} == {"time"}:
            seconds = f"(({seconds} + {UNIT_SECONDS['days']}) % {UNIT_SECONDS['days']})"
        return f"({seconds} / {UNIT_SECONDS[unit]}.0)"

    def spread(self, measure: Measure) -> list[str]:
        """Return what an answer tells beside a measure: the rows that it is of, and its extremes.

        Of the time between two columns: the rows that lack either, and those below zero.
        """
        number = self.number(measure) if measure.column else "*"
        made = [f'count({number}) AS "n"']
        if measure.unit:
            made += ['count(*) AS "rows"', f'count(*) FILTER ({number} < 0) AS "negative"']
        if measure.kind == "range":
            made += [f'min({number}) AS "least"', f'max({number}) AS "most"']
        return made

    def cell(self, name: str) -> str:
        """Return a column's cells, in the plant's words where the file has others."""
        meanings = self._index.meanings.get(name)
        if not meanings:
            return quoted(name)
        text = f"trim(CAST({quoted(name)} AS VARCHAR))"
        cases = " ".join(
            f"WHEN {sql_literal(word)} THEN {sql_literal(meaning)}"
            for word, meaning in meanings.items()
        )
        return f"CASE {text} {cases} ELSE {text} END"

    def group_key(self, dimension: Dimension) -> str:
        """Return the expression to group by."""
        column = self.cell(dimension.column)
        match dimension.grain:
            case "":
                return column
            case "day":
                return f"CAST({column} AS DATE)"
            case "week" | "month" | "quarter" as grain:
                return f"CAST(date_trunc('{grain}', {column}) AS DATE)"
            case "hour":
                return f"hour({column})"
            case "year":
                return f"year({column})"
            case "weekday":
                return f"isodow({column})"

    def label(self, dimension: Dimension) -> str:
        """Return the expression that shows a group."""
        expression = self.group_key(dimension)
        if dimension.grain == "quarter":
            year, number = f"year({expression})", f"quarter({expression})"
            text = self._locale.gettext("{year}-Q{quarter}")
            made = sql_literal(text).replace("{year}", f"' || {year} || '")
            return made.replace("{quarter}", f"' || {number} || '").removeprefix("'' || ")
        if dimension.grain != "weekday":
            return expression
        names = " ".join(
            f"WHEN {number} THEN {sql_literal(self._locale.gettext(name))}"
            for number, name in enumerate(WEEKDAY_TEXTS, start=1)
        )
        return f"CASE {expression} {names} END"

    def natural_order(self, dimension: Dimension) -> str | None:
        """Return the ORDER BY of dimensions with an order of their own: time, shifts."""
        place = self.place(dimension)
        if place is None or dimension.grain:
            return place
        return f"{place}, {self.cell(dimension.column)}"

    def place(self, dimension: Dimension) -> str | None:
        """Return the expression by which such groups are in order."""
        if dimension.grain:
            return self.group_key(dimension)
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
        whens = " ".join(f"WHEN {sql_literal(value)} THEN {place}" for value, place in known)
        return f"CASE {column} {whens} ELSE {len(_SHIFT_ORDER) + 1} END"


def _word_pattern(word: str) -> str:
    """Return a regular expression of a word in singular or plural, without case and accents."""
    forms = "|".join(map(re.escape, forms_of(normalize(word))))
    # The engine's own boundary of words, \b, knows no letters but those of ASCII.
    return rf"(^|[^\p{{L}}\p{{N}}])({forms})($|[^\p{{L}}\p{{N}}])"


def sql_comparison(expression: str, wanted: Filter) -> str:
    """Return the comparison of an expression with a filter's numbers."""
    return _compared(expression, wanted, [sql_literal(value) for value in wanted.values])


def _compared(expression: str, wanted: Filter, values: Sequence[str]) -> str:
    match wanted.relation:
        case relation if relation in SIGNS:
            return f"{expression} {SIGNS[relation]} {values[0]}"
        case "between" if _passes_midnight(wanted):
            return f"({expression} >= {values[0]} OR {expression} <= {values[1]})"
        case "outside" if _passes_midnight(wanted):
            return f"({expression} < {values[0]} AND {expression} > {values[1]})"
        case "between":
            return f"{expression} BETWEEN {values[0]} AND {values[1]}"
        case "outside":
            return f"{expression} NOT BETWEEN {values[0]} AND {values[1]}"
        case "is not":
            return f"{expression} <> {values[0]}"
        case _:
            return f"{expression} = {values[0]}"


def _passes_midnight(wanted: Filter) -> bool:
    if not wanted.grain:
        return False
    return float(wanted.values[0]) > float(wanted.values[1])
