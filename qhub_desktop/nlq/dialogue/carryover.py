"""Carry over: follow-up questions that change the plan before: 'e por turno?', 'só à noite'."""

# Why it is so: decisions/reading-questions.md

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from qhub_desktop.nlq.grouping import is_part_amount, numbers_things, rate_of_part
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.planner import as_chart, table_query, with_presentation
from qhub_desktop.nlq.query_ast import (
    AsChart,
    AsKpi,
    AsStudy,
    AsTable,
    AsWorkbook,
    Comparison,
    DataPlan,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Order,
    Query,
    Rows,
    RowSelection,
    Several,
    Spread,
    distinct,
    is_count,
    is_distinct,
    is_same_shape,
    is_top,
    is_unranked,
    query_of,
    select,
    top,
    with_rows,
)
from qhub_desktop.nlq.ranking import TOP, order_of, with_order
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import money_measures
from qhub_desktop.nlq.statistic_kinds import DIVISIONS
from qhub_desktop.nlq.tokenizer import normalize
from qhub_desktop.nlq.word_meanings import EXTREME_WORDS, HOW_MUCH, RANKING_WORDS

_GAPS = ("missing", "present")  # an empty cell or a filled one
_HOW_MANY = [[each] for each in words_by_role("how_many")]


def carry_over(frame: QuestionFrame, topic: DataPlan) -> DataPlan | None:
    """Apply a follow-up question to the topic's plan. Return None if it changes nothing."""
    if frame.has("beyond"):
        return None
    if isinstance(topic, AsStudy) and (studied := _of_other_column(frame, topic)) is not None:
        return studied
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
        if frame.chart_kind == "pareto" and isinstance(changed, GroupBy):
            is_added_up = changed.measure.kind in ("count", "sum") or frame.measure_kind
            changed = changed if is_added_up else replace(changed, measure=Measure())
        return with_presentation(changed or before, frame, is_new=changed is not None)
    assert changed is not None
    match topic:
        case AsChart() if isinstance(changed, GroupBy) and changed.n == 1:
            return changed  # 'qual o maior?'
        case AsChart(of=of, kind=kind):
            kept = kind if is_same_shape(of, changed) else None
            return as_chart(changed, frame.index, kept, is_new=True)
        case AsTable():
            return AsTable(table_query(changed, frame.index))
        case AsKpi() if isinstance(changed, Number):
            return AsKpi(changed)
        case GroupBy() if isinstance(changed, GroupBy) and changed.having is not None:
            return AsTable(changed)  # every group that meets the condition
        case AsStudy() if frame.filters or frame.period or frame.forgotten:
            return replace(
                topic, of=Number(changed.scope), unused=()
            )  # other rows: 'e no turno da noite?'
        case _:
            return changed


def _of_other_column(frame: QuestionFrame, topic: AsStudy) -> AsStudy | None:
    """Return a study of another column, within no limits but its own: 'e do brilho?'."""
    given = dict(topic.given)
    named = [each.column for each in frame.columns if frame.index.is_measure(each.column)]
    is_bare = not (frame.dimensions or frame.filters or frame.period or frame.measure_kinds)
    if "coluna" not in given or len(named) != 1 or len(frame.columns) > 1 or not is_bare:
        return None
    kept = {name: value for name, value in given.items() if name not in ("lie", "lse", "alvo")}
    return replace(topic, given=tuple({**kept, "coluna": named[0]}.items()), unused=())


def _more(before: Query, topic: DataPlan, frame: QuestionFrame) -> DataPlan | None:
    """Extend a ranking, or show anything else in full as a table."""
    if isinstance(topic, AsTable):
        return None
    match before:
        case GroupBy(n=int(n)) if is_top(before):
            return replace(before, n=n + TOP if n > 1 else TOP)
        case _:
            return AsTable(table_query(before, frame.index))


def _changed_query(frame: QuestionFrame, before: Query) -> Query | None:
    """Return a query with what a follow-up changes of it, None if it changes nothing."""
    if isinstance(before, Several):
        return _changed_each(frame, before)
    index = frame.index
    numeric = [each.column for each in frame.columns if index.is_number(each.column)]
    if (changed := _changed_as_whole(frame, before, numeric)) is not None:
        return changed
    # What is measured, and what it is grouped by.
    measure, dimensions = _ranking_measure(frame, before), [*frame.dimensions]
    if measure is not None:
        dimensions = []
    else:
        measure = _carried_measure(frame, before, numeric)
    named = [each for each in frame.columns if each.column not in numeric]
    if frame.filters and not frame.dimensions:  # 'só os serviços abertos'
        named = [each for each in named if not index.is_called_rows(each.column)]
    if measure is None:
        named.extend(Dimension(column) for column in numeric)
    dimensions += named
    if _counts_values(frame, named):  # 'e quantos lotes rejeitou?'
        scope = _merged_rows(frame, before.scope, ())
        column = named[0].column
        return Number(scope) if index.is_identity(column) else distinct(scope, column)
    scope = _merged_rows(frame, before.scope, dimensions)
    if (shared := _with_part(frame, before, dimensions)) is not None:
        return shared
    if (shared := _part_of_counted(frame, before)) is not None:
        return shared
    if measure is not None:
        return _with_measure(scope, measure, dimensions, before)
    return _changed_form(frame, before, scope, dimensions)


def _changed_as_whole(frame: QuestionFrame, before: Query, numeric: Sequence[str]) -> Query | None:
    """Return another query in the place of one, where its parts are not changed one by one."""
    if isinstance(before, Comparison) and (both := _changed_comparison(frame, before)):
        return both
    if (other := _set_against(frame, before)) is not None:
        return other
    if (rated := _as_rate(frame, before)) is not None:
        return rated
    if frame.having is not None and is_unranked(before) and before.split is None:
        scope = _merged_rows(frame, before.scope, ())
        return replace(before, scope=scope, having=frame.having, n=None, order="")
    numbered = [each.column for each in frame.columns if numbers_things(frame.index, each.column)]
    is_bare = not (frame.dimensions or frame.has(*RANKING_WORDS, *EXTREME_WORDS, "which", "list"))
    if len(numbered) == 1 and is_bare and not isinstance(before, GroupBy):
        return distinct(_merged_rows(frame, before.scope, ()), numbered[0])  # 'e quantos pedidos?'
    if (rows := _changed_rows(frame, before, numeric)) is not None:
        return rows
    old = _measure_of(before)
    if _asks_only_total(frame) and old is not None and old.column:
        is_told = isinstance(before, GroupBy) and old.kind == "sum"
        changed = old if is_told else Measure("sum", old.column)
        return (
            Number(before.scope, changed)
            if is_told
            else _with_measure(before.scope, changed, (), before)
        )
    if is_unranked(before) and (turned := _extreme_group(frame, before)):
        return turned
    if _counts_what_was_measured(frame, before):
        return _counted(before)
    return None


def _set_against(frame: QuestionFrame, before: Query) -> Comparison | None:
    """Return a number beside that of other days or of another value: 'compara com 2024'."""
    if not isinstance(before, Number) or not frame.has("compare") or before.is_share:
        return None
    if frame.columns or frame.dimensions or frame.measure_kinds or frame.second_period:
        return None
    is_of_days = frame.period is not None and before.scope.period is not None
    is_of_value = len(frame.filters) == 1 and all(
        (own := before.scope.filter_on(each.column)) is not None and own != each
        for each in frame.filters
    )
    if is_of_days == is_of_value:
        return None
    other = replace(before, scope=_merged_rows(frame, before.scope, ()))
    return Comparison(other, before) if is_of_days else Comparison(before, other)


def _changed_form(
    frame: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query | None:
    """Return a query with other groups, another order, other rows, or as a share."""
    if frame.has("cumulative") and not dimensions and is_unranked(before):
        return replace(before, scope=scope, is_cumulative=bool(before.dimension.grain))
    if frame.has("reverse") and isinstance(before, GroupBy):
        return replace(before, order="most" if before.order == "least" else "least")
    if (order := order_of(frame)) and not dimensions:
        return _with_new_order(before, scope, order, frame.number)
    if (
        frame.has(*RANKING_WORDS, "first")
        or frame.number is not None
        or (frame.has("last") and _is_ranked(before))
    ):
        return _as_ranking(frame, before, scope, dimensions)
    if dimensions:
        return _with_dimensions(frame, before, scope, dimensions)
    if _asks_only_total(frame):
        is_grouped = isinstance(before, GroupBy)
        return Number(before.scope if is_grouped else RowSelection(before.scope.dataset))
    if frame.has("count"):
        if _measure_of(before) is not None and _asks_how_much(frame):
            return _with_rows(before, scope, frame.filters)  # 'quanto foi de Lisboa?'
        return Number(scope, is_share=frame.has("percent"))
    if frame.filters or frame.period or frame.has("everything", "all_days") or frame.forgotten:
        narrowed = _with_rows(before, scope, frame.filters)
        return _as_share(narrowed) if frame.has("percent") else narrowed
    if frame.has("percent"):
        shared = _as_share(before)
        return shared if shared != before else None
    return _listed(frame, before)


def _changed_comparison(frame: QuestionFrame, before: Comparison) -> Query | None:
    """Change both numbers that are compared, or the two periods: 'e fevereiro com março?'."""
    first, second = before.first, before.second
    told_apart = {each.column for each in {*first.scope.filters} ^ {*second.scope.filters}}
    named = {each.column for each in (*frame.columns, *frame.dimensions)}
    named |= {each.column for each in frame.filters}
    if frame.period is not None and frame.second_period is not None:
        if first.scope.period == second.scope.period or named:
            return None
        pair = [
            replace(first, scope=replace(first.scope, period=each))
            for each in (frame.period, frame.second_period)
        ]
        return Comparison(*pair)
    if frame.period or named & told_apart or frame.has("percent", "everything", "all_days"):
        return None
    changed = [_changed_query(frame, each) for each in (first, second)]
    numbers = [each for each in changed if isinstance(each, Number)]
    groups = [each for each in changed if is_unranked(each)]
    if len(numbers) == len(changed):
        return Comparison(*numbers)
    return Several(tuple(groups)) if len(groups) == len(changed) else None


def _counts_values(frame: QuestionFrame, named: Sequence[Dimension]) -> bool:
    """Return whether it is asked how many different things of a column there are."""
    if len(named) != 1 or frame.dimensions or frame.measure_kinds or named[0].grain:
        return False
    if frame.has(*RANKING_WORDS, *EXTREME_WORDS, "percent", "cumulative", "reverse", "sort"):
        return False
    said = normalize(frame.words_of("#again" if frame.first_cue == "#again" else "#count"))
    return said.split()[-1:] in _HOW_MANY and frame.index.column(named[0].column).type != "date"


def _changed_each(frame: QuestionFrame, before: Several) -> Query | None:
    """Change each of several queries; those that come to the same are one."""
    changed = [_changed_query(frame, each) for each in before.of]
    told = tuple(dict.fromkeys(each for each in changed if each is not None))
    if len(told) < 2 or None in changed:
        return told[0] if told and None not in changed else None
    return Several(told)


def _changed_rows(frame: QuestionFrame, before: Query, numeric: Sequence[str]) -> Rows | None:
    """Change what is asked of the rows with the most or least: who, when, how many, the others."""
    named = [each.column for each in frame.columns if each.column not in numeric]
    named += [frame.index.date_column] if frame.has("moment_of") and frame.index.date_column else []
    if frame.dimensions or frame.filters or frame.period:
        return None
    match before:
        case Number(scope, Measure(kind="max" | "min" as kind, column=by, unit="")) if (
            named and not numeric and not frame.has(*RANKING_WORDS, "count")
        ):  # 'e em que data?'
            order: Literal["most", "least"] = "most" if kind == "max" else "least"
            return Rows(scope, 1, order, by, tuple(named))
        case Rows(by="", n=None) if frame.has("sort") and len(numeric) == 1 and not named:
            ranked: Literal["most", "least"] = "least" if order_of(frame) == "least" else "most"
            return replace(before, by=numeric[0], order=ranked)
        case Rows(by=by, n=n) if by and n is not None and not {*numeric} - {by}:
            if named and not frame.has(*RANKING_WORDS, *EXTREME_WORDS, "count"):
                return replace(before, columns=tuple(named))
            if named:
                return None
            if frame.has("reverse"):
                order = "least" if before.order == "most" else "most"
            elif frame.has("max", "most", "min", "least"):
                order = "least" if frame.has("min", "least") else "most"
            elif frame.has("top", "first") and frame.number is not None:
                return replace(before, n=frame.number, columns=())
            else:
                return None
            return replace(before, order=order, n=frame.number or n, columns=())
        case _:
            return None


def _extreme_group(frame: QuestionFrame, before: GroupBy) -> GroupBy | None:
    """Return the group with the most or the least: 'e o menor?', not 'e o mínimo?'."""
    named = {each.column for each in (*frame.columns, *frame.dimensions)}
    if named - {before.measure.column, before.dimension.column}:
        return None
    if not frame.has(*EXTREME_WORDS) or frame.filters or frame.period:
        return None
    order: Order = "least" if frame.has("min") else "most"
    said = normalize(frame.words_of("#min" if frame.has("min") else "#max"))
    if before.n is not None:
        return replace(before, n=frame.number or before.n, order=order)
    if not words_by_role("extreme_value").isdisjoint(said.split()) or not before.measure.column:
        return None
    if before.split is not None or frame.number is not None:
        return None
    return replace(before, n=1, order=order)


def _is_ranked(before: Query) -> bool:
    return isinstance(before, GroupBy) and before.n is not None


def _counts_what_was_measured(frame: QuestionFrame, before: Query) -> bool:
    """Return whether rows are to be counted in the groups of a measure: 'e o número de ordens?'."""
    is_measured = isinstance(before, GroupBy) and bool(before.measure.column)
    ranks = frame.has(*RANKING_WORDS, *EXTREME_WORDS)
    if not is_measured or ranks or frame.has("percent") or frame.measure_kinds:
        return False
    if frame.dimensions:
        return False
    is_of_rows = all(frame.index.is_called_rows(each.column) for each in frame.columns)
    asks = frame.has("count") or frame.has_subject or bool(frame.columns)
    return asks and is_of_rows and not (frame.filters or frame.period or _asks_how_much(frame))


def _counted(before: Query) -> Query:
    assert isinstance(before, GroupBy)
    if before.n is not None and before.order in ("most", "least") and before.split is None:
        return replace(before, measure=Measure(), is_share=False)
    return GroupBy(before.scope, before.dimension, split=before.split)


def _asks_total(frame: QuestionFrame) -> bool:
    """Return whether all are asked for together: 'e o total?', 'qual o total?'."""
    said = normalize(frame.words_of("#count")).split() if frame.has("count") else []
    return frame.has("total") or not words_by_role("whole").isdisjoint(said[-1:])


def _asks_only_total(frame: QuestionFrame) -> bool:
    """Return whether a total is asked for, of nothing that is named."""
    return not frame.names_something and _asks_total(frame)


def _asks_how_much(frame: QuestionFrame) -> bool:
    said = normalize(frame.words_of("#count"))
    return any(said.startswith(each) and not said[len(each) :].strip() for each in HOW_MUCH)


def _ranking_measure(frame: QuestionFrame, before: Query) -> Measure | None:
    """Return what groups are now ranked by: 'e por peso?' after the top 3 by cost."""
    if not _is_ranked(before) or len(frame.dimensions) != 1 or frame.columns:
        return None
    column = frame.dimensions[0].column
    if frame.dimensions[0].grain or not frame.index.is_measure(column):
        return None
    return Measure(frame.measure_kind or _natural(frame.index, column), column)


def _natural(index: SchemaIndex, column: str) -> MeasureKind:
    return "sum" if index.is_amount(column) else "mean"


def _with_part(
    frame: QuestionFrame, before: Query, dimensions: Sequence[Dimension]
) -> Query | None:
    """Return the same share of other rows or in groups: what it is a share of changes with them."""
    if frame.measure_kinds or frame.has(*RANKING_WORDS, "count", "everything", "total"):
        return None
    named = {each.column for each in frame.filters} | {each.column for each in dimensions}
    match before:
        case Number(scope, is_share=True) if scope.filters:
            is_of_all = scope.period is None
            part = scope.filters
            whole = RowSelection(scope.dataset, frame.filters, frame.period)
        case Number(scope, Measure(kind="share", part=part)):
            is_of_all = True
            whole = _merged_rows(frame, scope, dimensions)
        case _:
            return None
    if named & {each.column for each in part} or not (named or frame.period) or not is_of_all:
        return None
    if any(each.relation != "is" and not each.other for each in part):
        return None
    measure = Measure("share", part=part)
    return select(whole, dimensions, measure)


def _part_of_counted(frame: QuestionFrame, before: Query) -> Query | None:
    """Return which share of the rows that were counted is so: 'que % disso foi por demora?'."""
    if not is_count(before) or before.is_share or not frame.has("percent", "part_of"):
        return None
    if not (before.scope.filters or before.scope.period) or frame.period or not frame.filters:
        return None
    if frame.names_something and (frame.dimensions or frame.columns):
        return None
    if any(before.scope.filter_on(each.column) for each in frame.filters):
        return None
    return Number(before.scope, Measure("share", part=tuple(frame.filters)))


def _listed(frame: QuestionFrame, before: Query) -> Query | None:
    """Return the rows of a number: 'quais são?', and the values of a column as they were told."""
    asks = frame.has("list", "which", "show") and not frame.names_something
    if not asks or frame.has_subject or frame.has("chart", "table", "kpi", "workbook"):
        return None
    match before:
        case Number(scope) if scope.filters or scope.period:
            return Rows(scope)
        case Spread(shows="distinct"):
            return before
        case _:
            return None


def _as_rate(frame: QuestionFrame, before: Query) -> Query | None:
    """Turn a count or a sum into its share or rate: 'e em taxa?'."""
    named = [each.column for each in frame.columns if frame.index.is_measure(each.column)]
    match before:
        case Spread(columns=(_, second), shows="correlation") if len(named) == 1:
            return replace(before, columns=(named[0], second))  # 'e com a humidade?'
    old = _measure_of(before)
    if not frame.has("rate") or named:
        return None
    measure = rate_of_part(frame.index, old.column) if old is not None and old.column else None
    if old is not None and measure is not None and is_part_amount(frame.index, old.column):
        return _with_measure(before.scope, measure, (), before)
    part = [each for each in before.scope.filters if each.relation == "is"][:1]
    if old is not None or not part:
        return None
    scope = before.scope.without(part[0].column)
    dimension = _dimension_of(before)
    measure = Measure("share", part=tuple(part))
    return GroupBy(scope, dimension, measure) if dimension else Number(scope, measure)


def _with_new_order(
    before: Query, scope: RowSelection, order: Order, n: int | None
) -> Query | None:
    """Return the same groups in another order."""
    match before:
        case GroupBy() if is_unranked(before):
            return replace(before, scope=scope, order=order, n=n or before.n)
        case GroupBy(within=None):
            return with_order(replace(before, scope=scope), order)
        case Spread(columns=(column,), shows="distinct"):
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
        if scope.period is not None and frame.index.is_moment(column):
            scope = replace(scope, period=None)  # 'esquece a data'
    if frame.has("all_days"):
        scope = replace(scope, period=None)
    if any(each.relation in _GAPS for each in frame.filters):  # 'sem pH? e sem viscosidade?'
        kept = tuple(each for each in scope.filters if each.relation not in _GAPS)
        scope = replace(scope, filters=kept)
    for column in (
        *(each.column for each in dimensions if not each.grain),
        *(each.column for each in frame.filters),
    ):
        scope = scope.without(column)
    return replace(
        scope, filters=(*scope.filters, *frame.filters), period=frame.period or scope.period
    )


def _carried_measure(frame: QuestionFrame, before: Query, numeric: Sequence[str]) -> Measure | None:
    if frame.has("money") and not (numeric or frame.counts_time):
        paid = money_measures(frame.index)  # 'e quanto valem?', 'e isso em euros?'
        known = _measure_of(before)
        if len(paid) == 1 and not (known and known.column == paid[0][0]):
            return Measure("sum", paid[0][0])
    kind = frame.measure_kind
    if kind in ("max", "min") and (frame.number is not None or order_of(frame)):
        kind = None  # a ranking of the same measure: 'só os 2 mais baixos'
    old = _measure_of(before)
    if numeric and (kind or (old and old.column and not old.over)):
        kept = old.kind if old else "mean"
        if kept == "sum" and not frame.index.is_amount(numeric[0]):
            kept = "mean"  # grades are not added up
        if kept in DIVISIONS:
            kept = _natural(frame.index, numeric[0])
        return Measure(kind or kept, numeric[0], quantile=frame.quantile)
    if numeric and old is None and frame.index.is_measure(numeric[0]):  # 'e o custo?'
        return Measure(_natural(frame.index, numeric[0]), numeric[0])
    if kind and old and old.column and not old.over:
        return replace(old, kind=kind, quantile=frame.quantile)
    return None


def _measure_of(before: Query) -> Measure | None:
    match before:
        case Number(measure=measure) | GroupBy(measure=measure) if measure.kind != "count":
            return measure
        case Spread(columns=columns, shows="values"):
            return Measure("mean", columns[0])
        case _:
            return None


def _with_measure(
    scope: RowSelection, measure: Measure, dimensions: Sequence[Dimension], before: Query
) -> Query:
    if dimensions:
        return _of_other_groups(before, scope, dimensions, measure)
    match before:
        case GroupBy(within=None) if is_top(before):
            return replace(before, scope=scope, measure=measure, is_share=False)
        case GroupBy(keys=keys, within=None):
            return _of_other_groups(before, scope, keys, measure)
        case _:
            return Number(scope, measure)


def _of_other_groups(
    before: Query, scope: RowSelection, dimensions: Sequence[Dimension], measure: Measure
) -> Query:
    """Return groups of which as many are told, in the same order, as of those before."""
    groups, is_added = select(scope, dimensions, measure), measure.kind == "sum"
    if not is_unranked(before) or isinstance(groups, Number):
        return groups
    return replace(
        groups,
        n=before.n,
        order=before.order if before.n is not None else "",
        is_share=before.is_share and is_added,
        is_cumulative=before.is_cumulative and is_added and bool(dimensions[0].grain),
    )


def _as_ranking(
    frame: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query | None:
    dimension = dimensions[0] if dimensions else _dimension_of(before)
    if dimension is None and frame.index.type_column is not None:
        dimension = Dimension(frame.index.type_column)
    if dimension is None:
        return None
    is_shown = isinstance(before, GroupBy) and dimension == before.dimension
    shown = before.n if isinstance(before, GroupBy) and is_shown else None
    several = shown if frame.is_plural and not frame.has("top") else None
    n = frame.number or several or (TOP if frame.has("top") else 1)
    order: Literal["most", "least"] = "most"
    if is_top(before) and before.order == "least" and not frame.has("most", "least"):
        order = "least"
    if frame.has("least", "min", "best") or (frame.has("last") and _is_ranked(before)):
        order = "least"
    elif frame.has("worst"):
        order = "most"
    match before:
        case GroupBy(measure=Measure(column=column), order=shown_order) if (
            column and is_shown and shown_order == order and frame.has("worst", "best")
        ):
            return None  # what was told already; the other end may be meant
        case GroupBy(measure=measure) | Number(measure=measure) if measure.column:
            return GroupBy(scope, dimension, measure, n=n, order=order)
        case _:
            return top(scope, dimension, n, order, is_share=frame.has("percent"))


def _dimension_of(before: Query) -> Dimension | None:
    match before:
        case GroupBy(dimension=dimension):
            return dimension
        case Spread(columns=(column,), shows="distinct"):
            return Dimension(column)
        case _:
            return None


def _with_dimensions(
    frame: QuestionFrame, before: Query, scope: RowSelection, dimensions: Sequence[Dimension]
) -> Query:
    old = _measure_of(before)
    if old is not None:
        return _of_other_groups(before, scope, dimensions, old)
    if is_top(before) and not frame.dimensions:  # 'e o operador?'
        return replace(before, scope=scope, dimension=dimensions[0])
    if is_distinct(before):
        if not frame.dimensions:
            return distinct(scope, dimensions[0].column)
        if len(dimensions) == 1 and dimensions[0].column != before.columns[0]:
            return GroupBy(scope, dimensions[0], Measure("distinct", before.columns[0]))
    return select(scope, dimensions, is_share=frame.has("percent"))


def _with_rows(before: Query, scope: RowSelection, filters: Sequence[Filter]) -> Query:
    """Return the same query over other rows; a group by a column with one value left is dropped."""
    settled = {each.column for each in filters if each.relation == "is" and len(each.values) == 1}
    match before:
        case GroupBy(dimension=dimension, measure=measure, split=None) if (
            dimension.column in settled and not dimension.grain
        ):
            return Number(scope, measure)
        case Spread(columns=(column,), shows="distinct") if column in settled:
            return Number(scope)
        case _:
            return with_rows(before, scope)


def _as_share(before: Query) -> Query:
    """Return the same numbers as shares, or as they are where they do not add up to a whole."""
    match before:
        case GroupBy(measure=Measure(kind=kind)) if kind not in ("count", "sum"):
            return before
        case Number(measure=Measure("count")) | GroupBy():
            return replace(before, is_share=True)
        case Spread(scope, (column,), shows="distinct"):
            return GroupBy(scope, Dimension(column), is_share=True)
        case _:
            return before
