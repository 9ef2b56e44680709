"""Plans to SELECTs, in DuckDB's dialect, their rows in a settled order."""

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import (
    ByShift,
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    GroupBy,
    Measured,
    Missing,
    Numbers,
    Outliers,
    Readings,
    Rows,
    Scope,
    Summary,
    Top,
)
from qhub_desktop.chat.offline.sql_names import Names
from qhub_desktop.chat.offline.sql_parts import Parts, compared, quoted
from qhub_desktop.chat.offline.voice import Voice

DRAWN_ROWS = 50_000


class Writer:
    """Writes queries over one data set for one language."""

    def __init__(self, index: Index, voice: Voice) -> None:
        self.names = Names(index.profile, voice)
        self._parts = Parts(index, voice)
        self._index = index
        self._voice = voice

    def query(self, plan: Numbers, *, is_shown: bool = False) -> str:
        """The SELECT that computes a plan; `is_shown` cuts it to what is to be seen."""
        match plan:
            case Count():
                return self._count(plan)
            case Measured(scope, measure):
                value = f"{self._parts.measured(measure)} AS {quoted(self.names.measure(measure))}"
                if is_shown:
                    return f"SELECT {value}{self._parts.rows_of(scope)}"
                counted = quoted(measure.column) if measure.column else "*"
                rows = f'count({counted}) AS "n"'
                return f"SELECT {value}, {rows}{self._parts.rows_of(scope)}"
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
            case Readings():
                return self._readings(plan)
            case Outliers():
                return self._outliers(plan)
            case Correlation(scope, (first, second)):
                pair = f"{quoted(first)}, {quoted(second)}"
                both = f"count(*) FILTER ({quoted(first)} + {quoted(second)} IS NOT NULL)"
                name = quoted(self._voice.gettext("correlation"))
                return f'SELECT corr({pair}) AS {name}, {both} AS "n"{self._parts.rows_of(scope)}'
            case Summary(scope, column):
                return self._summary(scope, column)
            case Missing(scope):
                return self._missing(scope)
            case Duplicates(scope):
                rows = f"SELECT *{self._parts.rows_of(scope)}"
                name = quoted(self._voice.gettext("repeated rows"))
                return (
                    f"SELECT (SELECT count(*) FROM ({rows}))"
                    f" - (SELECT count(*) FROM (SELECT DISTINCT * FROM ({rows}))) AS {name}"
                )
            case Rows():
                return self._rows(plan)

    def number_of(self, plan: Count | Measured) -> str:
        """The SELECT that gives one number alone."""
        match plan:
            case Count(scope, _):
                return (
                    f"SELECT count(*) AS {quoted(self.names.count())}{self._parts.rows_of(scope)}"
                )
            case Measured():
                return self.query(plan, is_shown=True)

    def _count(self, plan: Count) -> str:
        total = quoted(self.names.count())
        if not plan.is_share:
            return f"SELECT count(*) AS {total}{self._parts.rows_of(plan.scope)}"
        part = " AND ".join(self._parts.conditions(plan.scope)) or "TRUE"
        of = quoted(self.names.free(self._voice.gettext("of")))
        rest = self._parts.rows_of(whole_of(plan.scope, self._index))
        return f"SELECT count(*) FILTER (WHERE {part}) AS {total}, count(*) AS {of}{rest}"

    def _groups(self, plan: GroupBy, *, is_ranked: bool = False, is_shown: bool = False) -> str:
        dimensions = [plan.dimension, *([plan.split] if plan.split else [])]
        keys = [self._parts.grouped(each) for each in dimensions]
        labels = [
            f"{self._parts.label(each)} AS {quoted(self.names.dimension(each))}"
            for each in dimensions
        ]
        measured = self._parts.measured(plan.measure)
        name = quoted(self.names.measure(plan.measure))
        if plan.is_cumulative:
            measured = f"sum({measured}) OVER (ORDER BY {keys[0]})"
        columns = [*labels, f"{measured} AS {name}"]
        if plan.is_share and plan.measure.kind in ("count", "sum"):
            share = f"round(100.0 * {measured} / sum({measured}) OVER (), 1)"
            columns.append(f"{share} AS {quoted(self.names.share())}")
        direction = "ASC" if plan.order == "least" else "DESC"
        order = [f"{measured} {direction} NULLS LAST", *keys]
        natural = self._parts.natural_order(plan.dimension)
        if plan.order == "name":
            order = keys
        elif natural and not is_ranked and not plan.order:
            order = [natural, *keys[1:]]
        cut = f" LIMIT {plan.n}" if is_shown and plan.n else ""
        having = ""
        if plan.having is not None:
            having = f" HAVING {compared('count(*)', plan.having)}"
        # What has no value is no group, and wins no ranking.
        present = [f"{quoted(each.column)} IS NOT NULL" for each in dimensions]
        return (
            f"SELECT {', '.join(columns)}{self._parts.rows_of(plan.scope, present)}"
            f" GROUP BY {', '.join(keys)}{having} ORDER BY {', '.join(order)}{cut}"
        )

    def _outliers(self, plan: Outliers) -> str:
        column, rows = quoted(plan.column), self._parts.rows_of(plan.scope)
        low, high = (f"quantile_cont({column}, {share})" for share in (0.25, 0.75))
        lower = f"(SELECT {low} - 1.5 * ({high} - {low}){rows})"
        upper = f"(SELECT {high} + 1.5 * ({high} - {low}){rows})"
        outside = self._parts.rows_of(plan.scope, [f"({column} < {lower} OR {column} > {upper})"])
        return f"SELECT *{outside} ORDER BY {column} DESC"

    def _summary(self, scope: Scope, column: str) -> str:
        _, name = self._voice.gettext, quoted(column)
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
        return f"SELECT {selected}{self._parts.rows_of(scope)}"

    def _missing(self, scope: Scope) -> str:
        counts = ", ".join(
            f"count(*) - count({quoted(each.name)}) AS {quoted(each.name)}"
            for each in self._index.profile.columns
        )
        column = quoted(self._voice.gettext("column"))
        missing = quoted(self._voice.gettext("missing"))
        return (
            f"SELECT * FROM (UNPIVOT (SELECT {counts}{self._parts.rows_of(scope)}) ON COLUMNS(*)"
            f" INTO NAME {column} VALUE {missing}) WHERE {missing} > 0"
            f" ORDER BY {missing} DESC, {column}"
        )

    def _readings(self, plan: Readings) -> str:
        columns = [*([plan.dimension.column] if plan.dimension else []), *plan.columns]
        conditions = [f"{quoted(each)} IS NOT NULL" for each in plan.columns]
        listed = ", ".join(quoted(each) for each in columns)
        rows = f"SELECT {listed}{self._parts.rows_of(plan.scope, conditions)}"
        if self._index.profile.rows <= DRAWN_ROWS:
            return rows
        # A picture of a million points looks the same, and no chart takes as many.
        return f"SELECT * FROM ({rows}) USING SAMPLE reservoir({DRAWN_ROWS} ROWS) REPEATABLE (1)"

    def _rows(self, plan: Rows) -> str:
        order = ""
        keys = [each.name for each in self._index.profile.columns]
        numbered = [name for name in keys if self._index.is_number_of_row(name)]
        latest = [*([self._index.date_column] if self._index.date_column else []), *numbered]
        if plan.order == "last" and latest:
            order = " ORDER BY " + ", ".join(f"{quoted(name)} DESC" for name in latest)
        if plan.by:
            direction = "ASC" if plan.order == "least" else "DESC"
            order = f" ORDER BY {quoted(plan.by)} {direction} NULLS LAST"
        cut = f" LIMIT {plan.n}" if plan.n is not None else ""
        return f"SELECT *{self._parts.rows_of(plan.scope)}{order}{cut}"


def whole_of(scope: Scope, index: Index) -> Scope:
    """What a share is a share of: the same rows of every type, or of every value of what is said
    first; of days alone, all rows.
    """
    kind = index.type_column
    if kind is not None and scope.filter_on(kind) is not None:
        return scope.without(kind)
    if scope.filters:
        return scope.without(scope.filters[0].column)
    return Scope(scope.dataset)
