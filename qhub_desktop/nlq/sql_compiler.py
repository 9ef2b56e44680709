"""Query plans compiled to SELECTs in DuckDB's dialect, and the names of their result columns."""

import re
from collections.abc import Sequence
from typing import cast

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.nlq.answer_locale import WEEKDAYS, AnswerLocale
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    ByShift,
    Comparison,
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    Filter,
    Grain,
    GroupBy,
    Measure,
    Missing,
    Outliers,
    Query,
    RawValues,
    Rows,
    RowSelection,
    Several,
    Summary,
    Top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, stem


class ColumnNames:
    """Names of result columns over one data set, in one language."""

    def __init__(self, profile: DatasetProfile, locale: AnswerLocale) -> None:
        self._profile = profile
        self._locale = locale

    def dimension(self, dimension: Dimension) -> str:
        """Return the name of a dimension's column."""
        _ = self._locale.gettext
        match dimension.grain:
            case "":
                return dimension.column
            case "hour":
                return _("hour")
            case "day":
                return _("day")
            case "weekday":
                return _("day of the week")
            case "week":
                return _("week")
            case "month":
                return _("month")
            case "quarter":
                return _("quarter")
            case "year":
                return _("year")

    def measure(self, measure: Measure) -> str:
        """Return the name of a measure's column."""
        _ = self._locale.gettext
        column = self._locale.column(measure.column)
        if measure.unit:
            column = self._elapsed(measure)
        match measure.kind:
            case "count":
                return self.count()
            case "range":
                return _("range of {column}").format(column=column)
            case "percentile":
                text = _("{percent}th percentile of {column}")
                percent = self._locale.number(round(100 * measure.quantile, 1))
                return text.format(percent=percent, column=column)
            case "ratio":
                over = self._locale.column(measure.over)
                return _("{column} per {over}").format(column=column, over=over)
            case "mean":
                return _("mean of {column}").format(column=column)
            case "sum":
                return _("sum of {column}").format(column=column)
            case "min":
                return _("minimum of {column}").format(column=column)
            case "max":
                return _("maximum of {column}").format(column=column)
            case "median":
                return _("median of {column}").format(column=column)
            case "std":
                return _("standard deviation of {column}").format(column=column)
            case "distinct":
                return _("different values of {column}").format(column=column)
            case "per":
                grain = cast("Grain", measure.over)
                unit = self.dimension(Dimension(measure.column, grain))
                return _("mean per {unit}").format(unit=unit)
            case "rate":
                over = self._locale.column(measure.over)
                return _("{column} per 100 of {over}").format(column=column, over=over)
            case "share":
                values = [
                    self._locale.value(value) for each in measure.part for value in each.values
                ]
                listed = self._locale.listed(values)
                if measure.column:
                    text = _("share of {values} in {column} (%)")
                    return text.format(values=listed, column=column)
                return _("share of {values} (%)").format(values=listed)

    def _elapsed(self, measure: Measure) -> str:
        """Return the name of the time from one column to another: 'days from A to B'."""
        _ = self._locale.gettext
        texts = {
            "minutes": _("minutes from {start} to {end}"),
            "hours": _("hours from {start} to {end}"),
            "days": _("days from {start} to {end}"),
        }
        start, end = self._locale.column(measure.since), self._locale.column(measure.column)
        return texts[measure.unit].format(start=start, end=end)

    def count(self) -> str:
        """Return the name of the column of counts, which no column of the data has."""
        return self.unused(self._locale.gettext("total"))

    def share(self) -> str:
        """Return the name of the column of percentages, which no column of the data has."""
        return self.unused(self._locale.gettext("percentage"))

    def charted(self, plan: GroupBy | Top | ByShift) -> str:
        """Return the column of a query that a chart of it draws."""
        if plan.is_share:
            return self.share()
        if isinstance(plan, GroupBy) and plan.measure.kind != "count":
            return self.measure(plan.measure)
        return self.count()

    def unused(self, name: str) -> str:
        """Return a name that no column of the data has."""
        taken = {each.name.lower() for each in self._profile.columns}
        while name.lower() in taken:
            name += "_"
        return name


_FUNCTIONS = {
    "mean": "avg",
    "sum": "sum",
    "min": "min",
    "max": "max",
    "median": "median",
    "std": "stddev_samp",
}
SIGNS = {"above": ">", "at least": ">=", "below": "<", "at most": "<="}
_IN_ORDER = ("hour", "day", "weekday", "week", "month", "quarter", "year")
_SECONDS = {"minutes": 60, "hours": 3600, "days": 86400}
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
        return f" FROM {quoted(scope.dataset)}{where}"

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
        if wanted.other:
            return f"{column} {SIGNS.get(wanted.relation, '=')} {quoted(wanted.other)}"
        if wanted.relation in ("contains", "lacks"):
            plain = f"lower(strip_accents(CAST({column} AS VARCHAR)))"
            found = " OR ".join(
                f"regexp_matches({plain}, {sql_literal(_word_pattern(str(each)))})"
                for each in wanted.values
            )
            return (
                f"({found})" if wanted.relation == "contains" else f"NOT coalesce({found}, FALSE)"
            )
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

    def _is_exact(self, wanted: Filter) -> bool:
        if wanted.grain or self._index.column(wanted.column).type not in ("text", "category"):
            return True
        known = {value for value, _ in self._index.column(wanted.column).top}
        return all(value in known for value in wanted.values)

    def aggregate(self, measure: Measure) -> str:
        """Return the expression that computes a measure."""
        column = quoted(measure.column)
        if measure.unit:
            elapsed = (
                f"epoch(CAST({column} AS TIMESTAMP) - CAST({quoted(measure.since)} AS TIMESTAMP))"
            )
            column = f"({elapsed} / {_SECONDS[measure.unit]})"
        match measure.kind:
            case "count":
                return "count(*)"
            case "range":
                return f"max({column}) - min({column})"
            case "percentile":
                return f"quantile_cont({column}, {measure.quantile})"
            case "ratio":
                return f"sum({column}) / nullif(sum({quoted(measure.over)}), 0)"
            case "distinct":
                cell = self.cell(measure.column)
                if self._index.column(measure.column).type == "datetime":
                    cell = f"CAST({cell} AS DATE)"
                return f"count(DISTINCT {cell})"
            case "per":
                moment = f"date_trunc('{measure.over}', {quoted(measure.column)})"
                # Rows without a moment are of no day.
                return f"count({quoted(measure.column)}) / nullif(count(DISTINCT {moment}), 0)"
            case "rate":
                whole = f"nullif(sum({quoted(measure.over)}), 0)"
                return f"100.0 * sum({quoted(measure.column)}) / {whole}"
            case "share":
                part = " AND ".join(self._condition(each) for each in measure.part)
                if measure.column:
                    amount = f"sum({quoted(measure.column)})"
                    return f"100.0 * {amount} FILTER (WHERE {part}) / nullif({amount}, 0)"
                return f"100.0 * count(*) FILTER (WHERE {part}) / count(*)"
        return f"{_FUNCTIONS[measure.kind]}({column})"

    def cell(self, name: str) -> str:
        """Return a column's cells, in the plant's words where the file has others."""
        meanings = self._index.meanings(name)
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
        if dimension.grain != "weekday":
            return expression
        names = " ".join(
            f"WHEN {number} THEN {sql_literal(self._locale.gettext(name))}"
            for number, name in enumerate(WEEKDAYS, start=1)
        )
        return f"CASE {expression} {names} END"

    def natural_order(self, dimension: Dimension) -> str | None:
        """Return the ORDER BY of dimensions with an order of their own: time, shifts."""
        if dimension.grain in _IN_ORDER:
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
        return f"CASE {column} {whens} ELSE {len(_SHIFT_ORDER) + 1} END, {column}"


def _word_pattern(word: str) -> str:
    """Return a regular expression of words that begin so, without case and accents."""
    return rf"\b{re.escape(stem(normalize(word)))}"


def sql_comparison(expression: str, wanted: Filter) -> str:
    """Return the comparison of an expression with a filter's numbers."""
    values = [sql_literal(value) for value in wanted.values]
    match wanted.relation:
        case "above" | "at least" | "below" | "at most" as relation:
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
    first, last = (float(value) for value in wanted.values)
    return bool(wanted.grain) and first > last


DRAWN_ROWS = 50_000


class SqlCompiler:
    """Compiler of queries over one data set, for one language."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self.names = ColumnNames(index.profile, locale)
        self._sql = SqlExpressions(index, locale)
        self._index = index
        self._locale = locale

    def query(self, plan: Query, *, is_shown: bool = False) -> str:
        """Return the SELECT of a query; `is_shown` limits it to what is shown."""
        match plan:
            case Count():
                return self._count(plan)
            case Aggregate(scope, measure):
                value = f"{self._sql.aggregate(measure)} AS {quoted(self.names.measure(measure))}"
                if is_shown:
                    return f"SELECT {value}{self._sql.from_where(scope)}"
                counted = quoted(measure.column) if measure.column else "*"
                rows = f'count({counted}) AS "n"'
                return f"SELECT {value}, {rows}{self._sql.from_where(scope)}"
            case Distinct(scope, column):
                return self._groups(GroupBy(scope, Dimension(column), n=0))
            case Top(scope, dimension, within=within) if within is not None:
                return self._groups(GroupBy(scope, within, split=dimension))
            case Top(scope, dimension, n, order, is_share):
                ranked = GroupBy(scope, dimension, n=n, order=order, is_share=is_share)
                return self._groups(ranked, is_ranked=True, is_shown=is_shown)
            case ByShift(scope, dimension, is_share):
                return self._groups(GroupBy(scope, dimension, is_share=is_share), is_shown=is_shown)
            case GroupBy():
                return self._groups(plan, is_ranked=plan.n is not None, is_shown=is_shown)
            case RawValues():
                return self._readings(plan)
            case Outliers():
                return self._outliers(plan)
            case Correlation(scope, (first, second)):
                pair = f"{quoted(first)}, {quoted(second)}"
                both = f"count(*) FILTER ({quoted(first)} + {quoted(second)} IS NOT NULL)"
                name = quoted(self._locale.gettext("correlation"))
                return f'SELECT corr({pair}) AS {name}, {both} AS "n"{self._sql.from_where(scope)}'
            case Summary(scope, column):
                return self._summary(scope, column)
            case Missing(scope):
                return self._missing(scope)
            case Duplicates(scope):
                rows = f"SELECT *{self._sql.from_where(scope)}"
                name = quoted(self._locale.gettext("repeated rows"))
                return (
                    f"SELECT (SELECT count(*) FROM ({rows}))"
                    f" - (SELECT count(*) FROM (SELECT DISTINCT * FROM ({rows}))) AS {name}"
                )
            case Rows():
                return self._rows(plan)
            case Comparison() | Several():
                raise ValueError("Several numbers are several queries.")

    def number_of(self, plan: Count | Aggregate) -> str:
        """Return the SELECT that gives one number alone."""
        match plan:
            case Count(scope, _):
                return (
                    f"SELECT count(*) AS {quoted(self.names.count())}{self._sql.from_where(scope)}"
                )
            case Aggregate():
                return self.query(plan, is_shown=True)

    def _count(self, plan: Count) -> str:
        total = quoted(self.names.count())
        if not plan.is_share:
            return f"SELECT count(*) AS {total}{self._sql.from_where(plan.scope)}"
        part = " AND ".join(self._sql.conditions(plan.scope)) or "TRUE"
        of = quoted(self.names.unused(self._locale.gettext("of")))
        rest = self._sql.from_where(whole_of(plan.scope, self._index))
        return f"SELECT count(*) FILTER (WHERE {part}) AS {total}, count(*) AS {of}{rest}"

    def _groups(self, plan: GroupBy, *, is_ranked: bool = False, is_shown: bool = False) -> str:
        dimensions = [plan.dimension, *([plan.split] if plan.split else [])]
        keys = [self._sql.group_key(each) for each in dimensions]
        labels = [
            f"{self._sql.label(each)} AS {quoted(self.names.dimension(each))}"
            for each in dimensions
        ]
        measured = self._sql.aggregate(plan.measure)
        name = quoted(self.names.measure(plan.measure))
        if plan.is_cumulative:
            measured = f"sum({measured}) OVER (ORDER BY {keys[0]})"
        columns = [*labels, f"{measured} AS {name}"]
        if plan.is_share and plan.measure.kind in ("count", "sum"):
            share = f"round(100.0 * {measured} / sum({measured}) OVER (), 1)"
            columns.append(f"{share} AS {quoted(self.names.share())}")
        direction = "ASC" if plan.order == "least" else "DESC"
        order = [f"{measured} {direction} NULLS LAST", *keys]
        natural = self._sql.natural_order(plan.dimension)
        if plan.order == "name":
            order = keys
        elif natural and not is_ranked and not plan.order:
            order = [natural, *keys[1:]]
        cut = f" LIMIT {plan.n}" if is_shown and plan.n else ""
        having = ""
        if plan.having is not None:
            having = f" HAVING {sql_comparison(self._sql.aggregate(plan.measure), plan.having)}"
        # Empty cells make no group, and win no ranking.
        present = [f"{quoted(each.column)} IS NOT NULL" for each in dimensions]
        return (
            f"SELECT {', '.join(columns)}{self._sql.from_where(plan.scope, present)}"
            f" GROUP BY {', '.join(keys)}{having} ORDER BY {', '.join(order)}{cut}"
        )

    def _outliers(self, plan: Outliers) -> str:
        column, rows = quoted(plan.column), self._sql.from_where(plan.scope)
        low, high = (f"quantile_cont({column}, {share})" for share in (0.25, 0.75))
        lower = f"(SELECT {low} - 1.5 * ({high} - {low}){rows})"
        upper = f"(SELECT {high} + 1.5 * ({high} - {low}){rows})"
        outside = self._sql.from_where(plan.scope, [f"({column} < {lower} OR {column} > {upper})"])
        return f"SELECT *{outside} ORDER BY {column} DESC"

    def _summary(self, scope: RowSelection, column: str) -> str:
        _, name = self._locale.gettext, quoted(column)
        figures = {
            _("mean"): f"avg({name})",
            _("median"): f"median({name})",
            _("standard deviation"): f"stddev_samp({name})",
            _("minimum"): f"min({name})",
            _("lower quartile"): f"quantile_cont({name}, 0.25)",
            _("upper quartile"): f"quantile_cont({name}, 0.75)",
            _("maximum"): f"max({name})",
            _("values"): f"count({name})",
        }
        selected = ", ".join(f"{sql} AS {quoted(said)}" for said, sql in figures.items())
        return f"SELECT {selected}{self._sql.from_where(scope)}"

    def _missing(self, scope: RowSelection) -> str:
        counts = ", ".join(
            f"count(*) - count({quoted(each.name)}) AS {quoted(each.name)}"
            for each in self._index.profile.columns
        )
        column = quoted(self._locale.gettext("column"))
        missing = quoted(self._locale.gettext("missing"))
        return (
            f"SELECT * FROM (UNPIVOT (SELECT {counts}{self._sql.from_where(scope)}) ON COLUMNS(*)"
            f" INTO NAME {column} VALUE {missing}) WHERE {missing} > 0"
            f" ORDER BY {missing} DESC, {column}"
        )

    def _readings(self, plan: RawValues) -> str:
        columns = [*([plan.dimension.column] if plan.dimension else []), *plan.columns]
        conditions = [f"{quoted(each)} IS NOT NULL" for each in plan.columns]
        listed = ", ".join(quoted(each) for each in columns)
        rows = f"SELECT {listed}{self._sql.from_where(plan.scope, conditions)}"
        if self._index.profile.rows <= DRAWN_ROWS:
            return rows
        # A sample looks the same as a million points, which no chart takes.
        return f"SELECT * FROM ({rows}) USING SAMPLE reservoir({DRAWN_ROWS} ROWS) REPEATABLE (1)"

    def _rows(self, plan: Rows) -> str:
        order = ""
        keys = [each.name for each in self._index.profile.columns]
        numbered = [name for name in keys if self._index.is_row_number(name)]
        latest = [*([self._index.date_column] if self._index.date_column else []), *numbered]
        if plan.order == "last" and latest:
            order = " ORDER BY " + ", ".join(f"{quoted(name)} DESC" for name in latest)
        cut = f" LIMIT {plan.n}" if plan.n is not None else ""
        if not plan.by:
            return f"SELECT *{self._sql.from_where(plan.scope)}{order}{cut}"
        direction = "ASC" if plan.order == "least" else "DESC"
        order = f" ORDER BY {quoted(plan.by)} {direction}"
        told = dict.fromkeys([plan.by, *(plan.columns or self._index.telling), *keys])
        listed = ", ".join(quoted(name) for name in told)
        present = [f"{quoted(plan.by)} IS NOT NULL"]
        return f"SELECT {listed}{self._sql.from_where(plan.scope, present)}{order}{cut}"


def whole_of(scope: RowSelection, index: SchemaIndex) -> RowSelection:
    """Return the rows that a share is a share of.

    The same rows of every type, or of every value of the first filter; for a period alone, all.
    """
    kind = index.type_column
    if kind is not None and scope.filter_on(kind) is not None:
        return scope.without(kind)
    if scope.filters:
        return scope.without(scope.filters[0].column)
    return RowSelection(scope.dataset)
