"""Query plans compiled to SELECTs in DuckDB's dialect, and the names of their result columns."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.nlq.answer_locale import AnswerLocale, ColumnNames
from qhub_desktop.nlq.phrases import (
    DRAWN_ROWS,
    compared_names,
    part_names,
)
from qhub_desktop.nlq.query_ast import (
    SIGNS,
    Comparison,
    Dimension,
    GroupBy,
    Number,
    Profile,
    Query,
    Rows,
    RowSelection,
    Several,
    Spread,
    alike_groups,
    is_count,
    scalars_of,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.sql_expressions import SqlExpressions, sql_comparison
from qhub_desktop.nlq.statistic_kinds import STATISTICS

# The last key of an order of rows, so that those that tie come as in the file, whenever they are
# asked for. A view of a file has no rowid; without a key two threads give either row first.
_ROW_PLACE = "row_number() OVER ()"


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
            case Number(is_share=True):
                return self._share(plan.scope)
            case Number(scope, measure):
                value = f"{self._sql.aggregate(measure)} AS {quoted(self.names.measure(measure))}"
                beside = [] if is_shown or is_count(plan) else self._sql.spread(measure)
                return f"SELECT {', '.join([value, *beside])}{self._sql.from_where(scope)}"
            case Spread(scope, (column,), shows="distinct"):
                return self._groups(GroupBy(scope, Dimension(column), n=0))
            case GroupBy(scope, dimension, within=Dimension() as within):
                return self._groups(GroupBy(scope, within, split=dimension))
            case GroupBy():
                return self._groups(plan, is_ranked=plan.n is not None, is_shown=is_shown)
            case Spread(scope, (column,), shows="outliers"):
                return self._outliers(scope, quoted(column))
            case Spread(scope, (column,), shows="summary"):
                return self._summary(scope, column)
            case Spread(scope, (first, second), shows="correlation"):
                pair = f"{quoted(first)}, {quoted(second)}"
                both = f"count(*) FILTER ({quoted(first)} + {quoted(second)} IS NOT NULL)"
                name = quoted(self._locale.gettext("correlation"))
                return f'SELECT corr({pair}) AS {name}, {both} AS "n"{self._sql.from_where(scope)}'
            case Spread():
                return self._readings(plan)
            case Profile(scope, "missing"):
                return self._missing(scope)
            case Profile(scope):
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

    def number_of(self, plan: Number) -> str:
        """Return the SELECT that gives one number alone."""
        return self.query(replace(plan, is_share=False), is_shown=True)

    def bars(self, parts: Sequence[Number], names: Sequence[str]) -> str:
        """Return the SELECT of a line for each number, with its name."""
        _ = self._locale.gettext
        measured = self.names.measure
        same = {self.names.share() if each.is_share else measured(each.measure) for each in parts}
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

    def _one(self, plan: Number) -> str:
        """Return the SELECT of one number alone, of a share in percent."""
        if plan.is_share:
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
            values[place] = self._sql.aggregate(each.measure)
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

    def series(self, of: Sequence[GroupBy]) -> list[str]:
        """Return the columns of several measures of the same groups."""
        names = [self.names.measure(each.measure) for each in of]
        return names if len({*names}) == len(names) else part_names(of, self._index, self._locale)

    def _share(self, scope: RowSelection) -> str:
        """Return the SELECT of a number of rows, and of how many they are a share."""
        part = " AND ".join(self._sql.conditions(scope)) or "TRUE"
        total, of = map(quoted, (self.names.count(), self.names.unused(self._locale.gettext("of"))))
        rest = self._sql.from_where(whole_of(scope, self._index))
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
        if plan.having is not None and plan.having.statistic:
            usual = STATISTICS[plan.having.statistic].sql.format(column=each_group)
            sign = SIGNS[plan.having.relation]
            having = f" QUALIFY {each_group} {sign} {usual} OVER ()"
        elif plan.having is not None:
            having = f" HAVING {sql_comparison(self._sql.aggregate(plan.measure), plan.having)}"
        # Empty cells make no group, and win no ranking.
        present = [f"{quoted(each.column)} IS NOT NULL" for each in dimensions]
        return (
            f"SELECT {', '.join(columns)}{self._sql.from_where(plan.scope, present)}"
            f" GROUP BY {', '.join(keys)}{having} ORDER BY {', '.join(order)}{cut}"
        )

    def _outliers(self, scope: RowSelection, column: str) -> str:
        rows = self._sql.from_where(scope)
        low, high = (f"quantile_cont({column}, {share})" for share in (0.25, 0.75))
        lower = f"(SELECT {low} - 1.5 * ({high} - {low}){rows})"
        upper = f"(SELECT {high} + 1.5 * ({high} - {low}){rows})"
        outside = self._sql.from_where(scope, [f"({column} < {lower} OR {column} > {upper})"])
        return f"SELECT *{outside} ORDER BY {column} DESC, {_ROW_PLACE}"

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

    def _readings(self, plan: Spread) -> str:
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
        absent: tuple[str, ...] = ()  # from the lines of a wide table
        if wide and not plan.scope.period and of_cells.isdisjoint((wide.day, wide.value)):
            profile, absent = wide.source, (wide.day, wide.value)
        keys = [each.name for each in profile.columns]
        telling = [each for each in self._index.telling if each not in absent]
        asked = plan.columns
        if plan.by and not plan.unit:
            asked = (plan.by, *(plan.columns or telling))
            asked = (plan.within, *asked) if plan.within else asked
        elif plan.by:
            asked = plan.columns or tuple(telling)
        listed = ", ".join(quoted(name) for name in dict.fromkeys([*asked, *keys]))
        cut = f" LIMIT {plan.n}" if plan.n is not None else ""
        if plan.by:
            return self._ranked_rows(plan, listed, cut, is_shown=is_shown)
        numbered = [name for name in keys if self._index.is_row_number(name)]
        day = self._index.date_column
        latest = [*([day] if day and day not in absent else []), *numbered]
        order = ""
        if plan.order == "last":
            keys = [f"{quoted(name)} DESC NULLS LAST" for name in latest]
            order = f" ORDER BY {', '.join([*keys, f'{_ROW_PLACE} DESC'])}"
        shown = listed if asked else "*"
        return f"SELECT {shown}{self._sql.from_where(plan.scope)}{order}{cut}"

    def _ranked_rows(self, plan: Rows, listed: str, cut: str, *, is_shown: bool) -> str:
        """Return the SELECT of a ranking; of the first alone, all that are level with it.

        For an answer in words, the last column tells how many rows have the last one's value, or
        a better one: more than asked for where the limit cuts through a tie.
        """
        by, cells = quoted(plan.by), listed
        if plan.unit:
            by = self._sql.elapsed(plan.since, plan.by, plan.unit)
            listed = f"{by} AS {quoted(self.names.ranked(plan))}, {listed}"
        direction = "ASC" if plan.order in ("least", "first") else "DESC"
        if plan.within:
            within = quoted(plan.within)
            rows = self._sql.from_where(plan.scope, [f"{by} IS NOT NULL", f"{within} IS NOT NULL"])
            # Windows do not nest, so that rows that tie are told apart by their cells. One key of
            # all is found in a tenth of the time that several take (200,000 rows, 30 columns). A
            # condition on the values that may be best would take a third, and count as rows read.
            key = f"row({by}, {cells}) {direction}"
            cut = f" QUALIFY row_number() OVER (PARTITION BY {within} ORDER BY {key})"
            return f"SELECT {listed}{rows}{cut} <= {plan.n or 1} ORDER BY {within}, {key}"
        rows = self._sql.from_where(plan.scope, [f"{by} IS NOT NULL"])
        last = f"(SELECT {by}{rows} ORDER BY {by} {direction} LIMIT 1 OFFSET {(plan.n or 1) - 1})"
        if plan.n is not None and not is_shown:
            # A window of counts took 40 times as long beside the rows' places.
            sign = "<=" if direction == "ASC" else ">="
            listed += f', (SELECT count(*){rows} AND {by} {sign} {last}) AS "n"'
        if plan.n == 1:  # a window of ranks took ten times as long
            return f"SELECT {listed}{rows} QUALIFY {by} = {last} ORDER BY {_ROW_PLACE}"
        return f"SELECT {listed}{rows} ORDER BY {by} {direction}, {_ROW_PLACE}{cut}"


def whole_of(scope: RowSelection, index: SchemaIndex) -> RowSelection:
    """Return the rows that a share is a share of.

    The same rows of every type, of whatever two columns come to, or of every value of the first
    filter; for a period alone, all.
    """
    kind = index.type_column
    if kind is not None and scope.filter_on(kind) is not None:
        return scope.without(kind)
    if scope.filters:
        late = (each for each in scope.filters if each.other)  # one date after another
        return scope.without(next(late, scope.filters[0]).column)
    return RowSelection(scope.dataset)
