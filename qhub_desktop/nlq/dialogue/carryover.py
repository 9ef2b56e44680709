"""Questions that lean on the one before: 'e por turno?', 'só à noite', 'mostra num gráfico'."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.planner import drawn, presented, tabled
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    AsChart,
    AsKpi,
    AsTable,
    AsWorkbook,
    ByShift,
    Correlation,
    Count,
    DataPlan,
    Dimension,
    Distinct,
    Filter,
    GroupBy,
    Measure,
    Order,
    Query,
    RawValues,
    RowSelection,
    Top,
    numbers_of,
)
from qhub_desktop.nlq.ranking import TOP, grouped, order_of, ordered

_RANKING = ("top", "most", "least", "worst", "best")


def follow_up(asked: QuestionFrame, topic: DataPlan) -> DataPlan | None:
    """What was talked of, changed as the question says; nothing if it changes nothing."""
    if asked.has("beyond"):
        return None
    before = numbers_of(topic)
    if asked.has("more") and not asked.names_something:
        return _more(before, topic, asked)
    changed = _changed(asked, before)
    if asked.has("workbook") and isinstance(topic, AsChart) and changed is None:
        return AsWorkbook(topic.of, asked.chart_kind or topic.kind)
    is_presenting = asked.has("chart", "table", "kpi", "workbook") or asked.chart_kind is not None
    if changed is None and not is_presenting:
        return None
    if is_presenting:
        return presented(changed or before, asked, is_new=changed is not None)
    assert changed is not None
    match topic:
        case AsChart(of=of, kind=kind):
            is_same_shape = type(of) is type(changed)
            return drawn(changed, asked.index, kind if is_same_shape else None, is_new=True)
        case AsTable():
            return AsTable(tabled(changed, asked.index))
        case AsKpi() if isinstance(changed, (Count, Aggregate)):
            return AsKpi(changed)
        case _:
            return changed


def _more(before: Query, topic: DataPlan, asked: QuestionFrame) -> DataPlan | None:
    """Further lines of a ranking; of anything else, the whole as a table."""
    if isinstance(before, Top) and not isinstance(topic, AsTable):
        return replace(before, n=before.n + TOP if before.n > 1 else TOP)
    return None if isinstance(topic, AsTable) else AsTable(tabled(before, asked.index))


def _changed(asked: QuestionFrame, before: Query) -> Query | None:
    index = asked.index
    if (rated := _rated(asked, before)) is not None:
        return rated
    numeric = [each.column for each in asked.columns if index.is_number(each.column)]
    measure = _measure(asked, before, numeric)
    named = [each for each in asked.columns if each.column not in numeric]
    if measure is None:
        named.extend(Dimension(column) for column in numeric)
    dimensions = [*asked.dimensions, *named]
    scope = _scope(asked, before.scope, dimensions)
    if measure is not None:
        return _measured(scope, measure, dimensions, before)
    if asked.has("cumulative") and not dimensions and isinstance(before, GroupBy):
        return replace(before, scope=scope, is_cumulative=bool(before.dimension.grain))
    if (order := order_of(asked)) and not dimensions:
        return _reordered(before, scope, order, asked.number)
    if asked.has(*_RANKING, "first") or asked.number is not None:
        return _ranked(asked, before, scope, dimensions)
    if dimensions:
        return _regrouped(asked, before, scope, dimensions)
    if asked.has("total") and not asked.names_something:
        return Count(RowSelection(before.scope.dataset))
    if asked.has("count"):
        return Count(scope, is_share=asked.has("percent"))
    if asked.filters or asked.period or asked.has("everything"):
        narrowed = _narrowed(before, scope, asked.filters)
        return _as_share(narrowed) if asked.has("percent") else narrowed
    if asked.has("percent"):
        return _as_share(before)
    return None


def _rated(asked: QuestionFrame, before: Query) -> Query | None:
    """'e em taxa?': of what was counted or added up, its share or its rate."""
    named = [each.column for each in asked.columns if asked.index.is_measure(each.column)]
    if isinstance(before, Correlation) and len(named) == 1:  # 'e com a humidade?'
        return replace(before, columns=(named[0], before.columns[1]))
    old = _measure_of(before)
    if not asked.has("rate") or named:
        return None
    if old is not None and asked.index.is_part(old.column):
        whole = asked.index.whole_of_amounts(old.column)
        measure = Measure("rate", old.column, whole or "")
        return _measured(before.scope, measure, (), before)
    part = [each for each in before.scope.filters if each.relation == "is"][:1]
    if old is not None or not part:
        return None
    scope = before.scope.without(part[0].column)
    dimension = _dimension_of(before)
    measure = Measure("share", part=tuple(part))
    return GroupBy(scope, dimension, measure) if dimension else Aggregate(scope, measure)


def _reordered(before: Query, scope: RowSelection, order: Order, n: int | None) -> Query | None:
    """The same groups in another order."""
    match before:
        case GroupBy():
            return replace(before, scope=scope, order=order, n=n or before.n)
        case ByShift() | Top(within=None):
            return ordered(replace(before, scope=scope), order)
        case Distinct(column=column):
            return GroupBy(scope, Dimension(column), order=order)
        case _:
            return None


def _scope(
    asked: QuestionFrame, before: RowSelection, dimensions: Sequence[Dimension]
) -> RowSelection:
    """The rows of before, with what is said now in the place of what was said on the same."""
    scope = RowSelection(before.dataset) if asked.has("everything") else before
    for column in (
        *(each.column for each in dimensions if not each.grain),
        *(each.column for each in asked.filters),
    ):
        scope = scope.without(column)
    return replace(
        scope, filters=(*scope.filters, *asked.filters), period=asked.period or scope.period
    )


def _measure(asked: QuestionFrame, before: Query, numeric: Sequence[str]) -> Measure | None:
    kind = asked.measure_kind
    if kind in ("max", "min") and (asked.number is not None or order_of(asked)):
        kind = None  # 'só os 2 mais baixos' ranks what there is
    old = _measure_of(before)
    if numeric and (kind or (old and old.column and not old.over)):
        return Measure(kind or (old.kind if old else "mean"), numeric[0])
    if kind and old and old.column and not old.over:
        return Measure(kind, old.column)
    return None


def _measure_of(before: Query) -> Measure | None:
    match before:
        case Aggregate(measure=measure) | GroupBy(measure=measure) if measure.kind != "count":
            return measure
        case RawValues(columns=columns):
            return Measure("mean", columns[0])
        case _:
            return None


def _measured(
    scope: RowSelection, measure: Measure, dimensions: Sequence[Dimension], before: Query
) -> Query:
    if dimensions:
        return GroupBy(
            scope, dimensions[0], measure, dimensions[1] if len(dimensions) > 1 else None
        )
    match before:
        case GroupBy(dimension=dimension, split=split):
            return GroupBy(scope, dimension, measure, split)
        case _:
            return Aggregate(scope, measure)


def _ranked(
    asked: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query | None:
    dimension = dimensions[0] if dimensions else _dimension_of(before)
    if dimension is None and asked.index.type_column is not None:
        dimension = Dimension(asked.index.type_column)
    if dimension is None:
        return None
    old = before if isinstance(before, Top) else None
    n = asked.number or (TOP if asked.has("top") else 1)
    order = old.order if old and not asked.has("most", "least") else "most"
    if asked.has("least", "min", "best"):
        order = "least"
    elif asked.has("worst"):
        order = "most"
    match before:
        case GroupBy(measure=measure) if measure.column:
            return GroupBy(scope, dimension, measure, n=n, order=order)
        case _:
            return Top(scope, dimension, n, order, is_share=asked.has("percent"))


def _dimension_of(before: Query) -> Dimension | None:
    match before:
        case Top(dimension=dimension) | ByShift(dimension=dimension) | GroupBy(dimension=dimension):
            return dimension
        case Distinct(column=column):
            return Dimension(column)
        case _:
            return None


def _regrouped(
    asked: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query:
    is_share = asked.has("percent")
    old = _measure_of(before)
    if old is not None:
        split = dimensions[1] if len(dimensions) > 1 else None
        return GroupBy(scope, dimensions[0], old, split)
    if isinstance(before, Top) and not asked.dimensions:  # 'e o operador?'
        return replace(before, scope=scope, dimension=dimensions[0])
    if isinstance(before, Distinct) and not asked.dimensions:
        return Distinct(scope, dimensions[0].column)
    return grouped(scope, dimensions, asked.index, is_share=is_share)


def _narrowed(before: Query, scope: RowSelection, filters: Sequence[Filter]) -> Query:
    """The same numbers of other rows; groups of a single value are no groups."""
    settled = {each.column for each in filters if each.relation == "is" and len(each.values) == 1}
    match before:
        case GroupBy(dimension=dimension, measure=measure, split=None) if (
            dimension.column in settled and not dimension.grain
        ):
            return Aggregate(scope, measure) if measure.column else Count(scope)
        case Top(dimension=dimension) | ByShift(dimension=dimension) if (
            dimension.column in settled and not dimension.grain
        ):
            return Count(scope)
        case Distinct(column=column) if column in settled:
            return Count(scope)
        case _:
            return replace(before, scope=scope)


def _as_share(before: Query) -> Query:
    match before:
        case Count() | Top() | ByShift() | GroupBy():
            return replace(before, is_share=True)
        case Distinct(scope, column):
            return GroupBy(scope, Dimension(column), is_share=True)
        case _:
            return before
