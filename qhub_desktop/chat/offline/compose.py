"""The parts of a question to what is computed: a count, a ranking, groups, a measure, rows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import (
    ByShift,
    ChartKind,
    Correlation,
    Count,
    Dimension,
    Distinct,
    Duplicates,
    Filter,
    Grain,
    GroupBy,
    Measure,
    Measured,
    MeasureKind,
    Missing,
    Numbers,
    Order,
    Outliers,
    Period,
    Readings,
    Rows,
    Scope,
    Summary,
    Top,
)

TOP = 5
ROWS = 20
MEASURES: tuple[MeasureKind, ...] = ("mean", "sum", "median", "std", "max", "min")
_PARTS_OF_A_WHOLE = ("distribution", "percent", "kind_pareto", "kind_pie")
_DAYS_AS_DAYS = 62  # more points than that say more as weeks
_DAYS_AS_WEEKS = 400
_KINDS: tuple[ChartKind, ...] = (
    "pareto",
    "histogram",
    "box",
    "scatter",
    "heatmap",
    "pie",
    "area",
    "line",
    "barh",
    "bar",
)


def chart_kind(asked: Asked) -> ChartKind | None:
    """The kind of picture that was asked for by name."""
    return next((kind for kind in _KINDS if asked.has(f"kind_{kind}")), None)


def scope_of(asked: Asked) -> Scope:
    """The rows that a question names."""
    return Scope(asked.index.profile.dataset, asked.filters, asked.period)


def numbers(asked: Asked) -> Numbers | None:
    """What is to be computed, as far as the question says so itself."""
    scope = scope_of(asked)
    if asked.has("missing"):
        named = [*asked.dimensions, *asked.columns]
        if len(named) == 1:  # 'valores em falta no caudal': of that column alone
            lacking = Filter(named[0].column, (), "missing")
            return Count(replace(scope, filters=(*scope.filters, lacking)))
        return Missing(scope)
    if asked.has("duplicates"):
        named = [*asked.dimensions, *asked.columns]
        if named:  # of one column: the values that are there more than once
            more = Filter("", (2,), "at least")
            return GroupBy(scope, named[0], order="most", having=more)
        return Duplicates(scope)
    index, is_share = asked.index, asked.has("percent")
    numeric = [each.column for each in asked.columns if index.is_measure(each.column)]
    if (moment := _first_or_last(asked, scope)) is not None:
        return moment
    made = index.parts.get("produced", ())
    if asked.counts_parts and not numeric and len(made) == 1 and not asked.filters_on_numbers:
        numeric = [made[0]]
    if (between := _between_columns(asked, scope, numeric)) is not None:
        return between
    dimensions = [
        *asked.dimensions,
        *(each for each in asked.columns if each.column not in numeric),
    ]
    if (counted := _over_time(asked, scope, numeric, dimensions)) is not None:
        return counted
    if len(numeric) == 1 and not dimensions and _asks_all_of_it(asked):
        return Summary(scope, numeric[0])
    if (drawn := _drawn_as_they_are(asked, scope, numeric, dimensions)) is not None:
        return drawn
    numeric, dimensions = _by_amount(asked, numeric, dimensions)
    if (ranked := _ranked_rows(asked, scope, numeric, dimensions)) is not None:
        return ranked
    measure, scope = _measure(asked, scope, numeric, dimensions)
    if measure is None and asked.has("rate"):
        return None  # of nothing that is there
    if measure is not None:
        return _measured(scope, measure, dimensions, asked)
    is_over_time = asked.has("trend") or (asked.has("cumulative") and not asked.has("kind_pareto"))
    if is_over_time and index.date_column and not _has_time(dimensions):
        dimensions.insert(0, Dimension(index.date_column, grain_for(index, asked.period)))
    dimensions.extend(Dimension(column) for column in numeric)
    ranks = asked.has("top", "most", "least", "max", "min", "worst", "best")
    if ranks and not asked.has("sort") and asked.having is None:
        return _top(asked, scope, dimensions)
    if _asks_distinct(asked, dimensions):
        return Distinct(scope, dimensions[0].column)
    several = several_in(scope)
    if several is not None and len(dimensions) == 1 and dimensions[0].column != several:
        dimensions.append(Dimension(several))  # 'Julia e Carlos por turno'
    if dimensions:
        if asked.having is not None:
            split = dimensions[1] if len(dimensions) > 1 else None
            return GroupBy(scope, dimensions[0], split=split, having=asked.having)
        wanted = grouped(scope, dimensions, index, is_share=is_share)
        return ordered(wanted, order_of(asked), is_cumulative=asked.has("cumulative"))
    return _of_all(asked, scope)


def _by_amount(
    asked: Asked, numeric: list[str], dimensions: list[Dimension]
) -> tuple[list[str], list[Dimension]]:
    """'top 3 referências por produção': what is said after 'por' is what they are ranked by."""
    if numeric or len(dimensions) < 2 or not asked.has("top", "most", "least", "worst", "sort"):
        return numeric, dimensions
    index = asked.index
    amounts = [
        each for each in dimensions if index.is_number(each.column) and index.is_amount(each.column)
    ]
    rest = [each for each in dimensions if each not in amounts]
    return ([each.column for each in amounts], rest) if rest else (numeric, dimensions)


def _first_or_last(asked: Asked, scope: Scope) -> Numbers | None:
    """'quando foi a última medição?'"""
    column = asked.index.date_column
    if any(asked.index.is_measure(each.column) for each in asked.columns):
        return None
    is_when = column is not None and any(each.column == column for each in asked.columns)
    if column is None or not is_when or not asked.has("last", "first", "max", "min"):
        return None
    return Measured(scope, Measure("min" if asked.has("first", "min") else "max", column))


def _over_time(
    asked: Asked, scope: Scope, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """'média de defeitos por dia', 'em quantos dias': days are counted, not listed."""
    time = next((each for each in dimensions if each.grain in ("day", "week", "month")), None)
    if time is None or numeric or asked.having is not None:
        return None
    rest = [each for each in dimensions if each != time]
    if asked.has("mean"):
        measure = Measure("per", time.column, time.grain)
        return GroupBy(scope, rest[0], measure) if rest else Measured(scope, measure)
    if asked.counts_time and time.grain == "day" and not rest:
        return Measured(scope, Measure("distinct", time.column))
    return None


def _ranked_rows(
    asked: Asked, scope: Scope, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """'as 5 medições com brilho mais baixo': rows by one of their numbers."""
    rising, falling = asked.has("min", "least"), asked.has("max", "most", "top")
    is_of_rows = asked.number is not None and not asked.dimensions and len(numeric) == 1
    days = {asked.index.date_column}
    is_grouped = any(each.column not in days for each in dimensions)
    if not is_of_rows or is_grouped or not (rising or falling):
        return None
    return Rows(scope, asked.number, "least" if rising else "most", numeric[0])


def _asks_all_of_it(asked: Asked) -> bool:
    """'mínimo e máximo da espessura', 'estatísticas da espessura'."""
    kinds = [each for each in MEASURES if asked.has(each)]
    is_ranking = asked.has("most", "least", "top")
    return asked.has("summary") or (len(kinds) > 1 and not is_ranking)


def _has_time(dimensions: Sequence[Dimension]) -> bool:
    return any(each.grain for each in dimensions)


def order_of(asked: Asked) -> Order:
    """The order that is asked for in words."""
    if asked.has("by_name"):
        return "name"
    if asked.has("ascending"):
        return "least"
    if asked.has("descending", "by_value") or (asked.has("sort") and asked.has("most")):
        return "most"
    return "least" if asked.has("sort") and asked.has("least") else ""


def ordered(wanted: Numbers, order: Order, *, is_cumulative: bool = False) -> Numbers:
    """Groups in an order that is asked for."""
    if not order and not is_cumulative:
        return wanted
    match wanted:
        case ByShift(scope, dimension, is_share):
            return GroupBy(scope, dimension, order=order, is_share=is_share)
        case GroupBy():
            is_time = is_cumulative and bool(wanted.dimension.grain)
            return replace(wanted, order=order or wanted.order, is_cumulative=is_time)
        case Top(scope, dimension, within=None) if order == "name":
            return GroupBy(scope, dimension, order="name", is_share=wanted.is_share)
        case _:
            return wanted


def _between_columns(asked: Asked, scope: Scope, numeric: Sequence[str]) -> Numbers | None:
    """What is asked of whole columns of numbers: outliers, how two go together."""
    measures = asked.index.measures
    if asked.has("outliers"):
        if not numeric and len(measures) != 1:
            return None
        return Outliers(scope, numeric[0] if numeric else measures[0])
    if asked.has("correlation") and len(numeric) == 2:
        return Correlation(scope, (numeric[0], numeric[1]))
    named = [*asked.dimensions, *(each for each in asked.columns if each.column not in numeric)]
    if asked.has("correlation") and len(numeric) == 1 and len(named) == 1:
        return Readings(scope, (numeric[0],), named[0])
    return None


def _drawn_as_they_are(
    asked: Asked, scope: Scope, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Numbers | None:
    """Values that are drawn one by one."""
    kind, index = chart_kind(asked), asked.index
    if not numeric and kind in ("histogram", "box") and len(index.measures) == 1:
        numeric = index.measures
    if kind is None and asked.has("distribution") and len(numeric) == 1:
        kind = "box" if dimensions else "histogram"
    if numeric and kind in ("histogram", "box", "scatter"):
        is_split = dimensions and (kind == "box" or (kind == "scatter" and len(numeric) == 1))
        split = dimensions[0] if is_split else None
        return Readings(scope, tuple(numeric[: 2 if kind == "scatter" else 1]), split)
    if kind == "scatter" and len(index.measures) > 1 and not dimensions:
        return Readings(scope, index.measures[:2])
    return None


def _of_all(asked: Asked, scope: Scope) -> Numbers | None:
    """What is asked of rows that nothing sorts into groups."""
    index, is_share = asked.index, asked.has("percent")
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
        n = asked.number or (ROWS if asked.is_plural else 1)
        return Rows(scope, n, "last" if asked.has("last") else "first")
    is_shown = asked.has("show", "list") and not asked.has("count", "percent", "chart")
    if is_shown and (asked.has_subject or asked.has("data", "everything") or asked.filters):
        return Rows(scope, asked.number)
    if asked.has_subject or asked.has("count", "total") or asked.filters or asked.period:
        return Count(scope, is_share=is_share)
    return None


def _asks_types(asked: Asked) -> bool:
    return asked.has("which", "distinct") and not asked.has("count", "rows", "percent")


def _measure(
    asked: Asked, scope: Scope, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> tuple[Measure | None, Scope]:
    """What is measured, and over which rows: a share is of those without what it is a share of."""
    if asked.has("rate") or (asked.has("percent") and len(numeric) > 1):
        return _rate(asked, scope, numeric)
    if asked.has("part_of") and len(numeric) == 1 and asked.index.is_amount(numeric[0]):
        part = [each for each in scope.filters if each.relation == "is" and not each.grain][:1]
        if part:  # 'que percentagem do custo é lixo?'
            share = Measure("share", numeric[0], part=tuple(part))
            return share, scope.without(part[0].column)
    is_part = len(numeric) == 1 and asked.index.is_part(numeric[0])
    if is_part and asked.has("percent") and not asked.has("total"):
        return _rate(asked, scope, numeric)  # '% de rejeitadas' is of what was produced
    if asked.has("part_of") and dimensions and not numeric and scope.filters:
        return _rate(asked, scope, numeric)  # '% de OK por operador' is of each operator's
    if not numeric:
        return None, scope
    name = numeric[0]
    kind = next((each for each in MEASURES if asked.has(each)), None)
    if kind in ("max", "min") and dimensions and asked.index.is_amount(name):
        # 'que linha tem o maior retrabalho' ranks lines; 'o máximo por linha' is a maximum.
        kind = kind if asked.dimensions or not asked.has("which") else "sum"
    if kind is not None:
        return Measure(kind, name), scope
    if asked.has("distinct") and not asked.has_subject and not dimensions:
        return None, scope
    if asked.index.is_amount(name):
        return Measure("sum", name), scope
    if asked.has("most", "least", "top", "distinct") or asked.is_counted_column:
        return None, scope
    return (None, scope) if asked.has_subject else (Measure("mean", name), scope)


def _rate(asked: Asked, scope: Scope, numeric: Sequence[str]) -> tuple[Measure | None, Scope]:
    """'rejeitadas sobre boas', 'taxa de NOK': one sum by another, or a share of the rows."""
    if len(numeric) > 1:
        return Measure("rate", numeric[0], numeric[1]), scope
    if numeric:
        whole = asked.index.whole_of_amounts(numeric[0])
        return (Measure("rate", numeric[0], whole), scope) if whole else (None, scope)
    part = [
        each
        for each in scope.filters
        if each.relation == "is" and len(each.values) == 1 and not each.grain
    ][:1]
    if not part:
        return None, scope
    return Measure("share", part=tuple(part)), scope.without(part[0].column)


def _measured(
    scope: Scope, measure: Measure, dimensions: Sequence[Dimension], asked: Asked
) -> Numbers:
    dimensions = [*dimensions]
    several = several_in(scope)
    if asked.has("trend", "cumulative") and not _has_time(dimensions) and asked.index.date_column:
        grain = grain_for(asked.index, asked.period)
        dimensions.insert(0, Dimension(asked.index.date_column, grain))
    is_compared = several and asked.has("compare") and len(dimensions) == 1
    if is_compared and several and dimensions[0].column != several:
        dimensions.append(Dimension(several))
    if several and not dimensions and (measure.kind != "sum" or asked.has("compare")):
        dimensions.append(Dimension(several))
    if not dimensions:
        return Measured(scope, measure)
    split = dimensions[1] if len(dimensions) > 1 else None
    extremes = () if measure.kind in ("max", "min") else ("max", "min")
    is_ranked = asked.has("most", "least", "top", "worst", "best", *extremes) and not asked.has(
        "sort"
    )
    is_ranked = is_ranked or (asked.has("which") and not asked.dimensions)
    is_rising = asked.has("least", *extremes[1:]) and not asked.has("most")
    return GroupBy(
        scope,
        dimensions[0],
        measure,
        split,
        n=_how_many(asked) if is_ranked and split is None else None,
        order=order_of(asked) or ("least" if is_rising else "most" if is_ranked else ""),
        is_share=asked.has("percent") and measure.kind == "sum",
        is_cumulative=asked.has("cumulative") and bool(dimensions[0].grain),
    )


def _top(asked: Asked, scope: Scope, dimensions: Sequence[Dimension]) -> Numbers | None:
    several = several_in(scope)
    if (
        several is not None and not dimensions and asked.number is None
    ):  # 'o Carlos tem mais que a Julia?'
        return grouped(scope, [Dimension(several)], asked.index, is_share=asked.has("percent"))
    dimension = dimensions[0] if dimensions else main_dimension(asked.index, scope)
    if dimension is None:
        return None
    within = dimension if _asks_within(asked, scope, dimension) else None
    kind = asked.index.type_column
    if within is not None and kind is not None:
        dimension = Dimension(kind)
    return Top(
        scope,
        dimension,
        asked.number or 1 if within else _how_many(asked),
        within=within,
        order="least" if asked.has("least", "min", "best") else "most",
        is_share=asked.has("percent"),
    )


def _asks_within(asked: Asked, scope: Scope, dimension: Dimension) -> bool:
    """'o defeito mais frequente por turno': a ranking of types in each group."""
    kind = asked.index.type_column
    is_by = dimension in asked.dimensions and not dimension.grain
    if asked.has("worst", "best"):
        return False  # 'por rack, só os 3 piores' ranks the racks
    is_of_types = asked.has_subject and kind is not None and scope.filter_on(kind) is None
    return is_by and is_of_types and dimension.column != kind


def _how_many(asked: Asked) -> int:
    if asked.number is not None:
        return asked.number
    if asked.is_plural or (asked.has("top") and not asked.has("which")):
        return TOP
    return 1


def _asks_distinct(asked: Asked, dimensions: Sequence[Dimension]) -> bool:
    if asked.dimensions or len(dimensions) != 1 or asked.has("chart", "percent"):
        return False
    if asked.is_counted_column:
        return True
    is_listing = asked.has("which", "distinct", "list") and not asked.has_subject
    return is_listing and not asked.has("count")


def several_in(scope: Scope) -> str | None:
    """A column of which several values are asked for, to be told apart."""
    return next(
        (
            each.column
            for each in scope.filters
            if each.relation == "is" and len(each.values) > 1 and not each.grain
        ),
        None,
    )


def main_dimension(index: Index, scope: Scope) -> Dimension | None:
    """What to group by when nothing says so: the most telling column that is not settled yet."""
    settled = {each.column for each in scope.filters if each.relation == "is"}
    left = [column for column in index.categories if column not in settled]
    return Dimension(left[0]) if left else None


def grouped(
    scope: Scope, dimensions: Sequence[Dimension], index: Index, *, is_share: bool
) -> Numbers:
    """Rows counted by one or two dimensions."""
    first = dimensions[0]
    if len(dimensions) == 1 and first.column == index.shift_column:
        return ByShift(scope, first, is_share=is_share)
    split = dimensions[1] if len(dimensions) > 1 else None
    return GroupBy(scope, first, split=split, is_share=is_share)


def grain_for(index: Index, period: Period | None) -> Grain:
    """How finely time is cut, so that there are neither too few points nor too many."""
    if index.date_column is None:
        return "day"
    column = index.column(index.date_column)
    first = (period.start if period else None) or _day(column.min)
    last = (period.end if period else None) or _day(column.max)
    if first is None or last is None:
        return "day"
    days = (last - first).days
    return "day" if days <= _DAYS_AS_DAYS else "week" if days <= _DAYS_AS_WEEKS else "month"


def _day(value: object) -> date | None:
    match value:
        case datetime():
            return value.date()
        case date():
            return value
        case _:
            return None
