"""The parts of a question to what is computed: a count, a ranking, groups, a measure, rows."""

from collections.abc import Sequence
from datetime import date, datetime

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import (
    ByShift,
    ChartKind,
    Count,
    Dimension,
    Distinct,
    Grain,
    GroupBy,
    Measure,
    Measured,
    MeasureKind,
    Numbers,
    Period,
    Readings,
    Rows,
    Scope,
    Top,
)

TOP = 5
ROWS = 20
MEASURES: tuple[MeasureKind, ...] = ("mean", "sum", "median", "std", "max", "min")
_PARTS_OF_A_WHOLE = ("distribution", "percent", "kind_pareto", "kind_pie")
_CODES = frozenset(["position", "line", "machine", "batch", "id", "n", "type"])  # never summed
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
    index, scope = asked.index, scope_of(asked)
    is_share = asked.has("percent")
    numeric = [each.column for each in asked.columns if index.is_number(each.column)]
    dimensions = [
        *asked.dimensions,
        *(each for each in asked.columns if each.column not in numeric),
    ]
    kind = chart_kind(asked)
    if numeric and kind in ("histogram", "box", "scatter"):
        is_split = dimensions and (kind == "box" or (kind == "scatter" and len(numeric) == 1))
        split = dimensions[0] if is_split else None
        return Readings(scope, tuple(numeric[: 2 if kind == "scatter" else 1]), split)
    if kind == "scatter" and len(index.measures) > 1 and not dimensions:
        return Readings(scope, index.measures[:2])
    measure = _measure(asked, numeric, dimensions)
    if measure is not None:
        return _measured(scope, measure, dimensions, asked)
    if asked.has("trend") and not any(each.grain for each in dimensions) and index.date_column:
        dimensions.insert(0, Dimension(index.date_column, grain_for(index, asked.period)))
    dimensions.extend(Dimension(column) for column in numeric)
    if asked.has("top", "most", "least", "max", "min"):
        return _top(asked, scope, dimensions)
    if _asks_distinct(asked, dimensions):
        return Distinct(scope, dimensions[0].column)
    several = several_in(scope)
    if several is not None and len(dimensions) == 1 and dimensions[0].column != several:
        dimensions.append(Dimension(several))  # 'Julia e Carlos por turno'
    if dimensions:
        return grouped(scope, dimensions, index, is_share=is_share)
    return _of_all(asked, scope)


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
    if asked.has("last") and asked.has_subject and not asked.has("count"):
        return Rows(scope, asked.number or ROWS, order="last")
    is_shown = asked.has("show", "list") and not asked.has("count", "percent", "chart")
    if is_shown and (asked.has_subject or asked.has("data")):
        return Rows(scope, asked.number)
    if asked.has_subject or asked.has("count", "total") or asked.filters or asked.period:
        return Count(scope, is_share=is_share)
    return None


def _asks_types(asked: Asked) -> bool:
    return asked.has("which", "distinct") and not asked.has("count", "rows", "percent")


def _measure(
    asked: Asked, numeric: Sequence[str], dimensions: Sequence[Dimension]
) -> Measure | None:
    if not numeric:
        return None
    kind = next((each for each in MEASURES if asked.has(each)), None)
    if kind is not None:
        return Measure(kind, numeric[0])
    is_amount = not _CODES & set(asked.index.lemmas[numeric[0]])
    if dimensions and is_amount and asked.has("most", "least", "top"):
        return Measure("sum", numeric[0])  # 'que máquina fez mais peças'
    if asked.is_counted_column and is_amount:
        return Measure("sum", numeric[0])
    if asked.has("most", "least", "top", "distinct") or asked.is_counted_column:
        return None
    if asked.has("count", "total") and not asked.has_subject:
        return Measure("sum", numeric[0])
    return None if asked.has_subject else Measure("mean", numeric[0])


def _measured(
    scope: Scope, measure: Measure, dimensions: Sequence[Dimension], asked: Asked
) -> Numbers:
    if dimensions:
        split = dimensions[1] if len(dimensions) > 1 else None
        is_ranked = asked.has("most", "least", "top", "which") and split is None
        return GroupBy(
            scope,
            dimensions[0],
            measure,
            split,
            n=_how_many(asked) if is_ranked else None,
            order="least" if asked.has("least", "min") else "most",
        )
    if several := several_in(scope):
        return GroupBy(scope, Dimension(several), measure)
    if asked.has("trend") and (column := asked.index.date_column):
        grain = grain_for(asked.index, asked.period)
        return GroupBy(scope, Dimension(column, grain), measure)
    return Measured(scope, measure)


def _top(asked: Asked, scope: Scope, dimensions: Sequence[Dimension]) -> Numbers | None:
    several = several_in(scope)
    if several is not None and not dimensions:  # 'o Carlos tem mais que a Julia?'
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
        order="least" if asked.has("least", "min") else "most",
        is_share=asked.has("percent"),
    )


def _asks_within(asked: Asked, scope: Scope, dimension: Dimension) -> bool:
    """'o defeito mais frequente por turno': a ranking of types in each group."""
    kind = asked.index.type_column
    is_by = dimension in asked.dimensions and not dimension.grain
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
