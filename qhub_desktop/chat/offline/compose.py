"""The parts of a question to what is computed: a count, a ranking, groups, a measure, rows."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.dimensions import (
    grouped,
    main_dimension,
    order_of,
    ordered,
    over_time,
    several_in,
)
from qhub_desktop.chat.offline.measures import measure_of, measured
from qhub_desktop.chat.offline.plan import (
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    Filter,
    GroupBy,
    Measure,
    Measured,
    Missing,
    Numbers,
    Outliers,
    Readings,
    Rows,
    Summary,
)
from qhub_desktop.chat.offline.ranking import by_amount, ranked_rows, top

_ROWS = 20
_PARTS_OF_A_WHOLE = ("distribution", "percent", "kind_pareto", "kind_pie")
_RANKING = ("top", "most", "least", "max", "min", "worst", "best")


def numbers(asked: Asked) -> Numbers | None:
    """What is to be computed, as far as the question says so itself."""
    if asked.has("missing"):
        return _missing(asked)
    if asked.has("duplicates"):
        return _duplicates(asked)
    if (moment := _first_or_last(asked)) is not None:
        return moment
    numeric = _numeric(asked)
    dimensions = [
        *asked.dimensions,
        *(each for each in asked.columns if each.column not in numeric),
    ]
    of_columns = (
        _between_columns(asked, numeric, dimensions)
        or _of_days(asked, numeric, dimensions)
        or _summary(asked, numeric, dimensions)
        or _drawn_as_they_are(asked, numeric, dimensions)
    )
    if of_columns is not None:
        return of_columns
    numeric, dimensions = by_amount(asked, numeric, dimensions)
    if (ranked := ranked_rows(asked, numeric, dimensions)) is not None:
        return ranked
    measure, scope = measure_of(asked, numeric, dimensions)
    if measure is not None:
        return measured(asked, measure, scope, dimensions)
    if asked.has("rate"):
        return None  # of nothing that is there
    return _counted(asked, numeric, dimensions)


def _numeric(asked: Asked) -> list[str]:
    """The columns that are named to compute with their numbers."""
    numeric = [each.column for each in asked.columns if asked.index.is_measure(each.column)]
    made = asked.index.parts.get("produced", ())
    is_of_pieces = asked.counts_parts and not asked.filters_on_numbers
    return [made[0]] if is_of_pieces and not numeric and len(made) == 1 else numeric


def _missing(asked: Asked) -> Numbers:
    named, scope = [*asked.dimensions, *asked.columns], asked.scope
    if len(named) != 1:
        return Missing(scope)
    lacking = Filter(named[0].column, (), "missing")  # 'valores em falta no caudal'
    return Count(replace(scope, filters=(*scope.filters, lacking)))


def _duplicates(asked: Asked) -> Numbers:
    named = [*asked.dimensions, *asked.columns]
    if not named:
        return Duplicates(asked.scope)
    more = Filter("", (2,), "at least")  # of one column: the values that are there more than once
    return GroupBy(asked.scope, named[0], order="most", having=more)


def _first_or_last(asked: Asked) -> Numbers | None:
    """'quando foi a última medição?'"""
    column = asked.index.date_column
    if any(asked.index.is_measure(each.column) for each in asked.columns):
        return None
    is_when = column is not None and any(each.column == column for each in asked.columns)
    if column is None or not is_when or not asked.has("last", "first", "max", "min"):
        return None
    return Measured(asked.scope, Measure("min" if asked.has("first", "min") else "max", column))


def _between_columns(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """What is asked of whole columns of numbers: outliers, how two go together."""
    measures = asked.index.measures
    if asked.has("outliers"):
        if not numeric and len(measures) != 1:
            return None
        return Outliers(asked.scope, numeric[0] if numeric else measures[0])
    if asked.has("correlation") and len(numeric) == 2:
        return Correlation(asked.scope, (numeric[0], numeric[1]))
    if asked.has("correlation") and len(numeric) == 1 and len(dimensions) == 1:
        return Readings(asked.scope, (numeric[0],), dimensions[0])
    return None


def _of_days(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """'média de defeitos por dia', 'em quantos dias': days are counted, not listed."""
    time = next((each for each in dimensions if each.grain in ("day", "week", "month")), None)
    if time is None or numeric or asked.having is not None:
        return None
    rest = [each for each in dimensions if each != time]
    if asked.has("mean"):
        measure = Measure("per", time.column, time.grain)
        return GroupBy(asked.scope, rest[0], measure) if rest else Measured(asked.scope, measure)
    if asked.counts_time and time.grain == "day" and not rest:
        return Measured(asked.scope, Measure("distinct", time.column))
    return None


def _summary(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """'mínimo e máximo da espessura', 'estatísticas da espessura'."""
    is_ranking = asked.has("most", "least", "top")
    asks_all = asked.has("summary") or (len(asked.measure_kinds) > 1 and not is_ranking)
    if len(numeric) != 1 or dimensions or not asks_all:
        return None
    return Summary(asked.scope, numeric[0])


def _drawn_as_they_are(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """Values that are drawn one by one."""
    kind, index = asked.chart_kind, asked.index
    if not numeric and kind in ("histogram", "box") and len(index.measures) == 1:
        numeric = index.measures
    if kind is None and asked.has("distribution") and len(numeric) == 1:
        kind = "box" if dimensions else "histogram"
    if numeric and kind in ("histogram", "box", "scatter"):
        is_split = dimensions and (kind == "box" or (kind == "scatter" and len(numeric) == 1))
        split = dimensions[0] if is_split else None
        return Readings(asked.scope, tuple(numeric[: 2 if kind == "scatter" else 1]), split)
    if kind == "scatter" and len(index.measures) > 1 and not dimensions:
        return Readings(asked.scope, index.measures[:2])
    return None


def _counted(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """Rows that are counted, where nothing is measured of them."""
    scope = asked.scope
    is_over_time = asked.has("trend") or (asked.has("cumulative") and not asked.has("kind_pareto"))
    dimensions = over_time(asked, dimensions) if is_over_time else [*dimensions]
    dimensions.extend(Dimension(column) for column in numeric)
    if asked.has(*_RANKING) and not asked.has("sort") and asked.having is None:
        return top(asked, dimensions)
    if _asks_distinct(asked, dimensions):
        return Distinct(scope, dimensions[0].column)
    several = several_in(scope)
    if several is not None and len(dimensions) == 1 and dimensions[0].column != several:
        dimensions.append(Dimension(several))  # 'Julia e Carlos por turno'
    if not dimensions:
        return _of_all(asked)
    if asked.having is not None:
        split = dimensions[1] if len(dimensions) > 1 else None
        return GroupBy(scope, dimensions[0], split=split, having=asked.having)
    wanted = grouped(scope, dimensions, asked.index, is_share=asked.has("percent"))
    return ordered(wanted, order_of(asked), is_cumulative=asked.has("cumulative"))


def _asks_distinct(asked: Asked, dimensions: Sequence[Dimension]) -> bool:
    if asked.dimensions or len(dimensions) != 1 or asked.has("chart", "percent"):
        return False
    if asked.is_counted_column:
        return True
    is_listing = asked.has("which", "distinct", "list") and not asked.has_subject
    return is_listing and not asked.has("count")


def _of_all(asked: Asked) -> Numbers | None:
    """What is asked of rows that nothing sorts into groups."""
    index, scope, is_share = asked.index, asked.scope, asked.has("percent")
    main = main_dimension(index, scope)
    if asked.has_subject and _asks_types(asked) and main and main.column == index.type_column:
        return Distinct(scope, main.column)
    if is_share and asked.filters:
        return Count(scope, is_share=True)
    if main and asked.has_subject and asked.has(*_PARTS_OF_A_WHOLE):
        return grouped(scope, [main], index, is_share=is_share)
    if several := several_in(scope):
        return grouped(scope, [Dimension(several)], index, is_share=is_share)
    if asked.has("last", "first") and asked.has_subject and not asked.has("count"):
        n = asked.number or (_ROWS if asked.is_plural else 1)
        return Rows(scope, n, "last" if asked.has("last") else "first")
    is_shown = asked.has("show", "list") and not asked.has("count", "percent", "chart")
    if is_shown and (asked.has_subject or asked.has("data", "everything") or asked.filters):
        return Rows(scope, asked.number)
    if asked.has_subject or asked.has("count", "total") or asked.filters or asked.period:
        return Count(scope, is_share=is_share)
    return None


def _asks_types(asked: Asked) -> bool:
    return asked.has("which", "distinct") and not asked.has("count", "rows", "percent")
