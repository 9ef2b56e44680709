"""Carry over: follow-up questions that change the plan before: 'e por turno?', 'só à noite'."""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.nlq.grouping import group_query
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.planner import as_chart, table_query, with_presentation
from qhub_desktop.nlq.query_ast import (
    Aggregate,
    AsChart,
    AsKpi,
    AsStudy,
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
    query_of,
    with_rows,
)
from qhub_desktop.nlq.ranking import TOP, order_of, with_order

_RANKING = ("top", "most", "least", "worst", "best")


def carry_over(frame: QuestionFrame, topic: DataPlan) -> DataPlan | None:
    """Apply a follow-up question to the topic's plan. Return None if it changes nothing."""
    if frame.has("beyond"):
        return None
    before = query_of(topic)
    if frame.has("more") and not frame.names_something:
        return _more(before, topic, frame)
    changed = _changed_query(frame, before)
    if frame.has("workbook") and isinstance(topic, AsChart) and changed is None:
        return AsWorkbook(topic.of, frame.chart_kind or topic.kind)
    is_presenting = frame.has("chart", "table", "kpi", "workbook") or frame.chart_kind is not None
    if changed is None and not is_presenting:
        return None
    if is_presenting:
        return with_presentation(changed or before, frame, is_new=changed is not None)
    assert changed is not None
    match topic:
        case AsChart(of=of, kind=kind):
            is_same_shape = type(of) is type(changed)
            return as_chart(changed, frame.index, kind if is_same_shape else None, is_new=True)
        case AsTable():
            return AsTable(table_query(changed, frame.index))
        case AsKpi() if isinstance(changed, (Count, Aggregate)):
            return AsKpi(changed)
        case AsStudy() if frame.filters or frame.period or frame.forgotten:
            return replace(topic, of=Count(changed.scope))  # other rows: 'e no turno da noite?'
        case _:
            return changed


def _more(before: Query, topic: DataPlan, frame: QuestionFrame) -> DataPlan | None:
    """Extend a ranking, or show anything else in full as a table."""
    if isinstance(before, Top) and not isinstance(topic, AsTable):
        return replace(before, n=before.n + TOP if before.n > 1 else TOP)
    return None if isinstance(topic, AsTable) else AsTable(table_query(before, frame.index))


def _changed_query(frame: QuestionFrame, before: Query) -> Query | None:
    index = frame.index
    if (rated := _as_rate(frame, before)) is not None:
        return rated
    numeric = [each.column for each in frame.columns if index.is_number(each.column)]
    old = _measure_of(before)
    if frame.has("total") and old is not None and old.column and not frame.names_something:
        return _with_measure(before.scope, Measure("sum", old.column), (), before)
    if isinstance(before, GroupBy) and before.n is not None and frame.has("max", "min"):
        is_bare = not (numeric or frame.dimensions or frame.columns)
        if is_bare:  # 'e o menor?'
            return replace(before, order="least" if frame.has("min") else "most")
    measure = _carried_measure(frame, before, numeric)
    named = [each for each in frame.columns if each.column not in numeric]
    if measure is None:
        named.extend(Dimension(column) for column in numeric)
    dimensions = [*frame.dimensions, *named]
    scope = _merged_rows(frame, before.scope, dimensions)
    if measure is not None:
        return _with_measure(scope, measure, dimensions, before)
    if frame.has("cumulative") and not dimensions and isinstance(before, GroupBy):
        return replace(before, scope=scope, is_cumulative=bool(before.dimension.grain))
    if frame.has("reverse") and isinstance(before, Top | GroupBy):
        return replace(before, order="most" if before.order == "least" else "least")
    if (order := order_of(frame)) and not dimensions:
        return _with_new_order(before, scope, order, frame.number)
    if frame.has(*_RANKING, "first") or frame.number is not None:
        return _as_ranking(frame, before, scope, dimensions)
    if dimensions:
        return _with_dimensions(frame, before, scope, dimensions)
    if frame.has("total") and not frame.names_something:
        return Count(RowSelection(before.scope.dataset))
    if frame.has("count"):
        return Count(scope, is_share=frame.has("percent"))
    if frame.filters or frame.period or frame.has("everything") or frame.forgotten:
        narrowed = _with_rows(before, scope, frame.filters)
        return _as_share(narrowed) if frame.has("percent") else narrowed
    if frame.has("percent"):
        return _as_share(before)
    return None


def _as_rate(frame: QuestionFrame, before: Query) -> Query | None:
    """Turn a count or a sum into its share or rate: 'e em taxa?'."""
    named = [each.column for each in frame.columns if frame.index.is_measure(each.column)]
    if isinstance(before, Correlation) and len(named) == 1:  # 'e com a humidade?'
        return replace(before, columns=(named[0], before.columns[1]))
    old = _measure_of(before)
    if not frame.has("rate") or named:
        return None
    if old is not None and frame.index.is_part(old.column):
        whole = frame.index.whole_of_amounts(old.column)
        measure = Measure("rate", old.column, whole or "")
        return _with_measure(before.scope, measure, (), before)
    part = [each for each in before.scope.filters if each.relation == "is"][:1]
    if old is not None or not part:
        return None
    scope = before.scope.without(part[0].column)
    dimension = _dimension_of(before)
    measure = Measure("share", part=tuple(part))
    return GroupBy(scope, dimension, measure) if dimension else Aggregate(scope, measure)


def _with_new_order(
    before: Query, scope: RowSelection, order: Order, n: int | None
) -> Query | None:
    """Return the same groups in another order."""
    match before:
        case GroupBy():
            return replace(before, scope=scope, order=order, n=n or before.n)
        case ByShift() | Top(within=None):
            return with_order(replace(before, scope=scope), order)
        case Distinct(column=column):
            return GroupBy(scope, Dimension(column), order=order)
        case _:
            return None


def _merged_rows(
    frame: QuestionFrame, before: RowSelection, dimensions: Sequence[Dimension]
) -> RowSelection:
    """Return the previous filter, with conditions on the same columns replaced by the new ones."""
    scope = RowSelection(before.dataset) if frame.has("everything") else before
    for column in frame.forgotten:
        scope = scope.without(column)
    for column in (
        *(each.column for each in dimensions if not each.grain),
        *(each.column for each in frame.filters),
    ):
        scope = scope.without(column)
    return replace(
        scope, filters=(*scope.filters, *frame.filters), period=frame.period or scope.period
    )


def _carried_measure(frame: QuestionFrame, before: Query, numeric: Sequence[str]) -> Measure | None:
    kind = frame.measure_kind
    if kind in ("max", "min") and (frame.number is not None or order_of(frame)):
        kind = None  # a ranking of the same measure: 'só os 2 mais baixos'
    old = _measure_of(before)
    if numeric and (kind or (old and old.column and not old.over)):
        return Measure(kind or (old.kind if old else "mean"), numeric[0])
    if numeric and old is None and frame.index.is_measure(numeric[0]):  # 'e o custo?'
        return Measure("sum" if frame.index.is_amount(numeric[0]) else "mean", numeric[0])
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


def _with_measure(
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


def _as_ranking(
    frame: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query | None:
    dimension = dimensions[0] if dimensions else _dimension_of(before)
    if dimension is None and frame.index.type_column is not None:
        dimension = Dimension(frame.index.type_column)
    if dimension is None:
        return None
    old = before if isinstance(before, Top) else None
    n = frame.number or (TOP if frame.has("top") else 1)
    order = old.order if old and not frame.has("most", "least") else "most"
    if frame.has("least", "min", "best"):
        order = "least"
    elif frame.has("worst"):
        order = "most"
    match before:
        case GroupBy(measure=measure) if measure.column:
            return GroupBy(scope, dimension, measure, n=n, order=order)
        case _:
            return Top(scope, dimension, n, order, is_share=frame.has("percent"))


def _dimension_of(before: Query) -> Dimension | None:
    match before:
        case Top(dimension=dimension) | ByShift(dimension=dimension) | GroupBy(dimension=dimension):
            return dimension
        case Distinct(column=column):
            return Dimension(column)
        case _:
            return None


def _with_dimensions(
    frame: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query:
    is_share = frame.has("percent")
    old = _measure_of(before)
    if old is not None:
        split = dimensions[1] if len(dimensions) > 1 else None
        return GroupBy(scope, dimensions[0], old, split)
    if isinstance(before, Top) and not frame.dimensions:  # 'e o operador?'
        return replace(before, scope=scope, dimension=dimensions[0])
    if isinstance(before, Distinct) and not frame.dimensions:
        return Distinct(scope, dimensions[0].column)
    return group_query(scope, dimensions, frame.index, is_share=is_share)


def _with_rows(before: Query, scope: RowSelection, filters: Sequence[Filter]) -> Query:
    """Return the same query over other rows; a group by a column with one value left is dropped."""
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
            return with_rows(before, scope)


def _as_share(before: Query) -> Query:
    match before:
        case Count() | Top() | ByShift() | GroupBy():
            return replace(before, is_share=True)
        case Distinct(scope, column):
            return GroupBy(scope, Dimension(column), is_share=True)
        case _:
            return before
