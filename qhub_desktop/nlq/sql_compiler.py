"""Query plans compiled to SELECTs in DuckDB's dialect, and the names of their result columns."""

import re
from collections.abc import Sequence

from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.nlq.answer_locale import WEEKDAYS, AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import (
    DRAWN_ROWS,
    SIGNS,
    compared_names,
    is_of_days,
    part_names,
)
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
    alike_groups,
    measured,
    scalars_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, stem

_FUNCTIONS = {
    "mean": "avg",
    "sum": "sum",
    "min": "min",
    "max": "max",
    "median": "median",
    "std": "stddev_samp",
}
_IN_ORDER = ("hour", "day", "weekday", "week", "month", "quarter", "year")
_SECONDS = {"minutes": 60, "hours": 3600, "days": 86400}
_SHIFT_ORDER = ("morning", "afternoon", "night")
_DAY = len("2026-01-01")


class SqlExpressions:
    """SQL expressions over one data set."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self._index = index
        self._locale = locale

    def from_where(self, scope: RowSelection, more: Sequence[str] = ()) -> str:
        """Return the FROM and WHERE of some rows; `more` are further conditions."""
        conditions = [*self.conditions(scope), *more]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
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
        if all(len(str(value)) <= _DAY for value in wanted.values):
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
            case "range":
                if not measure.unit and is_of_days(measure.column, self._index):
                    return f"(epoch(max({column})) - epoch(min({column}))) / {_SECONDS['days']}"
                return f"max({column}) - min({column})"
            case "percentile":
                return f"quantile_cont({column}, {measure.quantile})"
            case "ratio":
                return f"1.0 * sum({column}) / nullif(sum({quoted(measure.over)}), 0)"
            case "distinct":
                cell = self.cell(measure.column)
                if self._index.column(measure.column).type == "datetime":
                    cell = f"CAST({cell} AS DATE)"
                return f"count(DISTINCT {cell})"
            case "per":
                moment = f"date_trunc('{measure.over}', {quoted(measure.column)})"
                day = quoted(measure.column)  # rows without one are of no day
                added = f"sum({quoted(measure.amount)}) FILTER ({day} IS NOT NULL)"
                days = f"nullif(count(DISTINCT {moment}), 0)"
                return f"{added if measure.amount else f'count({day})'} / {days}"
            case "rate":
                return f"100.0 * sum({column}) / nullif(sum({quoted(measure.over)}), 0)"
            case "share":
                part = " AND ".join(self._condition(each) for each in measure.part)
                if measure.column:
                    amount = f"sum({quoted(measure.column)})"
                    return f"100.0 * {amount} FILTER (WHERE {part}) / nullif({amount}, 0)"
                return f"100.0 * count(*) FILTER (WHERE {part}) / count(*)"
        return f"{_FUNCTIONS[measure.kind]}({column})"

    def number(self, measure: Measure) -> str:
        """Return the number of a row that is measured: a cell, or the time between two."""
        if not measure.unit:
            return quoted(measure.column)
        start, end = quoted(measure.since), quoted(measure.column)
        return f"((epoch({end}) - epoch({start})) / {_SECONDS[measure.unit]}.0)"

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
        if dimension.grain == "quarter":
            year, number = f"year({expression})", f"quarter({expression})"
            text = self._locale.gettext("{year}-Q{quarter}")
            made = sql_literal(text).replace("{year}", f"' || {year} || '")
            return made.replace("{quarter}", f"' || {number} || '").removeprefix("'' || ")
        if dimension.grain != "weekday":
            return expression
        names = " ".join(
            f"WHEN {number} THEN {sql_literal(self._locale.gettext(name))}"
            for number, name in enumerate(WEEKDAYS, start=1)
        )
        return f"CASE {expression} {names} END"

    def natural_order(self, dimension: Dimension) -> str | None:
        """Return the ORDER BY of dimensions with an order of their own: time, shifts."""
        place = self.place(dimension)
        if place is None or dimension.grain in _IN_ORDER:
            return place
        return f"{place}, {self.cell(dimension.column)}"

    def place(self, dimension: Dimension) -> str | None:
        """Return the expression by which such groups are in order."""
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
        return f"CASE {column} {whens} ELSE {len(_SHIFT_ORDER) + 1} END"


def _word_pattern(word: str) -> str:
    """Return a regular expression of words that begin so, without case and accents."""
    # The engine's own boundary of words, \b, knows no letters but those of ASCII.
    return rf"(^|[^\p{{L}}\p{{N}}]){re.escape(stem(normalize(word)))}"


def sql_comparison(expression: str, wanted: Filter) -> str:
    """Return the comparison of an expression with a filter's numbers."""
    return _compared(expression, wanted, [sql_literal(value) for value in wanted.values])


def _compared(expression: str, wanted: Filter, values: Sequence[str]) -> str:
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
    if not wanted.grain:
        return False
    return float(wanted.values[0]) > float(wanted.values[1])


class SqlCompiler:
    """Compiler of queries over one data set, for one language."""

    def __init__(self, index: SchemaIndex, locale: AnswerLocale) -> None:
        self.names = ColumnNames(index.profile, locale)
        self._sql = SqlExpressions(index, locale)
        self._index = index
        self._locale = locale

    def query(self, plan: Query, *, is_shown: bool = False) -> str:
        """Return the SELECT of a query; `is_shown` limits it to what is shown."""
        return self._of_lines(self._query(plan, is_shown=is_shown))

    def _of_lines(self, sql: str) -> str:
        """Return a SELECT over a wide table as it is, where neither days nor cells are named."""
        wide = self._index.wide
        if wide is None:
            return sql
        bare = sql.replace(wide.relation, quoted(wide.source.dataset))
        return sql if any(quoted(each) in bare for each in (wide.day, wide.value)) else bare

    def _query(self, plan: Query, *, is_shown: bool) -> str:
        match plan:
            case Count():
                return self._count(plan)
            case Aggregate(scope, measure):
                value = f"{self._sql.aggregate(measure)} AS {quoted(self.names.measure(measure))}"
                if is_shown:
                    return f"SELECT {value}{self._sql.from_where(scope)}"
                more = ", ".join(self._sql.spread(measure))
                return f"SELECT {value}, {more}{self._sql.from_where(scope)}"
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
                return self._rows(plan, is_shown=is_shown)
            case Comparison(first, second):
                (one, other), _scope = compared_names(plan, self._index, self._locale)
                return self.bars([first, second], [one, other])
            case Several(of=of):
                return self._side_by_side(of)

    def number_of(self, plan: Count | Aggregate) -> str:
        """Return the SELECT that gives one number alone."""
        match plan:
            case Count(scope, _):
                return self._of_lines(
                    f"SELECT count(*) AS {quoted(self.names.count())}{self._sql.from_where(scope)}"
                )
            case Aggregate():
                return self.query(plan, is_shown=True)

    def bars(self, parts: Sequence[Count | Aggregate], names: Sequence[str]) -> str:
        """Return the SELECT of a line for each number, with its name."""
        _ = self._locale.gettext
        same = {self._number_name(each) for each in parts}
        value = quoted(same.pop() if len(same) == 1 else _("value"))
        lines = [
            f"SELECT {place} AS place, {sql_literal(name)} AS name, ({self._one(each)}) AS value"
            for place, (name, each) in enumerate(zip(names, parts, strict=True))
        ]
        heading = quoted(_("compared"))
        return (
            f"SELECT name AS {heading}, value AS {value}"
            f" FROM ({' UNION ALL '.join(lines)}) ORDER BY place"
        )

    def _number_name(self, plan: Count | Aggregate) -> str:
        if isinstance(plan, Count):
            return self.names.share() if plan.is_share else self.names.count()
        return self.names.measure(plan.measure)

    def _one(self, plan: Count | Aggregate) -> str:
        """Return the SELECT of one number alone, of a share in percent."""
        if isinstance(plan, Count) and plan.is_share:
            part = " AND ".join(self._sql.conditions(plan.scope)) or "TRUE"
            rest = self._sql.from_where(whole_of(plan.scope, self._index))
            share = f"100.0 * count(*) FILTER (WHERE {part}) / nullif(count(*), 0)"
            return f"SELECT {share} AS {quoted(self.names.share())}{rest}"
        return self.number_of(plan)

    def _side_by_side(self, of: Sequence[Query]) -> str:
        """Return the SELECT of several numbers in a line, or of several measures of each group.

        Raises ValueError for others, which are several queries.
        """
        if numbers := scalars_of(of):
            names = part_names(numbers, self._index, self._locale)
            listed = (
                f"({self._one(each)}) AS {quoted(name)}"
                for each, name in zip(numbers, names, strict=True)
            )
            return f"SELECT {', '.join(listed)}"
        grouped = alike_groups(of)
        if not grouped:
            raise ValueError("several queries of different shapes")
        names = self.series(grouped)
        dimension = grouped[0].dimension
        lines = []
        for place, each in enumerate(grouped):
            values = ["NULL"] * len(grouped)
            values[place] = self._sql.aggregate(measured(each))
            columns = [
                f"{value} AS {quoted(name)}" for value, name in zip(values, names, strict=True)
            ]
            key = self._sql.group_key(dimension)
            order = self._sql.place(dimension) or "NULL"
            present = [f"{quoted(dimension.column)} IS NOT NULL"]
            lines.append(
                f"SELECT {self._sql.label(dimension)} AS label, min({order})"
                f" AS place, {', '.join(columns)}{self._sql.from_where(each.scope, present)}"
                f" GROUP BY {key}"
            )
        shown = ", ".join(f"max({quoted(name)}) AS {quoted(name)}" for name in names)
        return (
            f"SELECT label AS {quoted(self.names.dimension(dimension))}, {shown}"
            f" FROM ({' UNION ALL '.join(lines)}) GROUP BY label"
            f" ORDER BY min(place), max({quoted(names[0])}) DESC, label"
        )

    def series(self, of: Sequence[GroupBy | Top]) -> list[str]:
        """Return the columns of several measures of the same groups."""
        names = [self.names.measure(measured(each)) for each in of]
        return names if len({*names}) == len(names) else part_names(of, self._index, self._locale)

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
        measured = each_group = self._sql.aggregate(plan.measure)
        name = quoted(self.names.measure(plan.measure))
        if plan.is_cumulative:
            within = f"PARTITION BY {keys[1]} " if len(keys) > 1 else ""
            measured = f"sum({measured}) OVER ({within}ORDER BY {keys[0]})"
        columns = [*labels, f"{measured} AS {name}"]
        if plan.is_share and plan.measure.kind in ("count", "sum"):
            share = f"round(100.0 * {measured} / sum({each_group}) OVER (), 1)"
            columns.append(f"{share} AS {quoted(self.names.share())}")
        if (plan.measure.unit or plan.measure.kind == "range") and not is_shown:
            columns += self._sql.spread(plan.measure)
        direction = "ASC" if plan.order == "least" else "DESC"
        order = [f"{measured} {direction} NULLS LAST", *keys]
        natural = self._sql.natural_order(plan.dimension)
        if plan.order == "name":
            order = keys
        elif natural and (plan.is_cumulative or not (is_ranked or plan.order)):
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
        split = [plan.dimension.column] if plan.dimension else []
        conditions = [f"{quoted(each)} IS NOT NULL" for each in plan.columns]
        listed = ", ".join(quoted(each) for each in (*split, *plan.columns))
        rows = f"SELECT {listed}{self._sql.from_where(plan.scope, conditions)}"
        if self._index.profile.rows <= DRAWN_ROWS:
            return rows
        # A sample looks the same as a million points, which no chart takes.
        return f"SELECT * FROM ({rows}) USING SAMPLE reservoir({DRAWN_ROWS} ROWS) REPEATABLE (1)"

    def _rows(self, plan: Rows, *, is_shown: bool) -> str:
        profile, wide = self._index.profile, self._index.wide
        of_cells = {each.column for each in plan.scope.filters} | {plan.by, *plan.columns}
        if wide and not plan.scope.period and of_cells.isdisjoint((wide.day, wide.value)):
            profile = wide.source
        keys = [each.name for each in profile.columns]
        asked = plan.columns
        if plan.by:
            asked = (plan.by, *(plan.columns or self._index.telling))
        listed = ", ".join(quoted(name) for name in dict.fromkeys([*asked, *keys]))
        cut = f" LIMIT {plan.n}" if plan.n is not None else ""
        if plan.by:
            return self._ranked_rows(plan, listed, cut, is_shown=is_shown)
        numbered = [name for name in keys if self._index.is_row_number(name)]
        latest = [*([self._index.date_column] if self._index.date_column else []), *numbered]
        order = ""
        if plan.order == "last" and latest:
            order = " ORDER BY " + ", ".join(f"{quoted(name)} DESC NULLS LAST" for name in latest)
        shown = listed if asked else "*"
        return f"SELECT {shown}{self._sql.from_where(plan.scope)}{order}{cut}"

    def _ranked_rows(self, plan: Rows, listed: str, cut: str, *, is_shown: bool) -> str:
        """Return the SELECT of a ranking; of the first alone, all that are level with it.

        For an answer in words, the last column tells how many rows have the same value.
        """
        by = quoted(plan.by)
        direction = "ASC" if plan.order in ("least", "first") else "DESC"
        if not is_shown:
            listed += f', count(*) OVER (PARTITION BY {by}) AS "n"'
        rows = self._sql.from_where(plan.scope, [f"{by} IS NOT NULL"])
        if plan.n == 1:
            cut = f" QUALIFY rank() OVER (ORDER BY {by} {direction}) = 1"
            return f"SELECT {listed}{rows}{cut}"
        return f"SELECT {listed}{rows} ORDER BY {by} {direction}{cut}"


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
