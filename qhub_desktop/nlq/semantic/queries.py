"""Queries from slots: each uncertain choice adds to the cost of the plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from qhub_desktop.core.figure import EACH_VALUE, takes
from qhub_desktop.nlq.grouping import compared_column, mean_of, numbers_things
from qhub_desktop.nlq.query_ast import (
    Columns,
    Comparison,
    Describe,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Profile,
    Query,
    Rows,
    Several,
    Spread,
    distinct,
    select,
)
from qhub_desktop.nlq.rules import query_rule
from qhub_desktop.nlq.semantic import due_rows, measure_choices, query_parts, ranking_queries
from qhub_desktop.nlq.semantic.column_meaning import (
    is_daily,
    money_measures,
    usual_unit,
)
from qhub_desktop.nlq.semantic.computed_roles import priced_amounts
from qhub_desktop.nlq.semantic.query_context import PLURAL, Costed, QueryContext
from qhub_desktop.nlq.semantic.ranking_queries import OF_EACH, RATHER_ROW
from qhub_desktop.nlq.semantic.slots import ODD, WRONG
from qhub_desktop.nlq.semantic.timestamps import elapsed_pair, in_order, moments_of
from qhub_desktop.nlq.statistic_kinds import EXTREMES

_UNRANKED = 0.3
_SAID_NEVER = 0.2  # what it is worth that no row is asked for, rather than other rows
_OTHER_AMOUNT = 0.3  # of several that words for money may mean, any but the first
_CONSUMED_TOO = 0.15  # what it is worth that 'gastar' may be of what was consumed
_ONE_PRICE = 0.05  # of a document, where what it comes to may be meant
_AMOUNT = 2.0  # 'quanto', of rows, which are counted
_BEYOND = 1.5  # a limit that no row alone can meet
_UNMET = 0.6  # a limit of what groups come to, taken for one of rows
_UNCOMPARED = 0.3  # 'vendas vs meta por equipa', of which only one is measured
_TIME_BEFORE = 1.0  # 'meses acima de 900': what a month alone costs elsewhere
_TOGETHER = 0.35  # of values that are named side by side, where a level is averaged


def all_queries(context: QueryContext) -> Iterator[Costed]:
    """Yield every query that the slots may ask for, with what it costs beyond them."""
    slots = context.slots
    if slots.has("missing") and not any(
        each.relation in ("missing", "present") for each in context.scope.filters
    ):
        yield from _missing(context)
        return
    if slots.has("duplicates"):
        yield from _duplicates(context)
        return
    if (described := _structure(context)) is not None:
        yield described
        return
    used = () if slots.measures else measure_choices.used_up(context)
    for name in used:
        for query, paid in _queries_of(context, (name,)):
            if not isinstance(query, Several):
                yield query, paid - _CONSUMED_TOO
    if slots.ratio is not None:
        yield from ranking_queries.ratios(context, slots.ratio)
        for each in slots.instead:
            for query, paid in ranking_queries.ratios(context, each):
                yield query, paid + _OTHER_AMOUNT
        return
    dear = [*_dearest_documents(context)]
    yield from dear
    is_money = measure_choices.says_money(context) and bool(money_measures(context.index))
    for measures, paid in measure_choices.measure_choices(context):
        unsaid = ODD * (is_money and not measures)  # 'em euros'
        unsaid += _ONE_PRICE * bool(dear)
        for query, more in _queries_of(context, measures):
            yield query, paid + more + unsaid + query_parts.unlike_asked(context, query)


@query_rule
def _dearest_documents(context: QueryContext) -> Iterator[Costed]:
    """Yield the documents that come to the most, by amounts and prices: 'as compras mais caras'."""
    slots, scope = context.slots, context.scope
    if not measure_choices.ranks_documents(context) or slots.measures or slots.statistics:
        return
    dims = [each for each in (*slots.targets, *slots.bare) if not each.grain]
    if slots.groups or len(dims) != 1:
        return
    order: Literal["most", "least"] = "least" if slots.has("least", "min") else "most"
    n = slots.number or (PLURAL if slots.plural_of.get(dims[0].column, slots.is_plural) else 1)
    for at, (amount, price) in enumerate(priced_amounts(context.index, is_value=False)):
        worth = Measure("sum", amount, since=price, unit="product")
        yield GroupBy(scope, dims[0], worth, n=n, order=order), 0.1 + _OTHER_AMOUNT * bool(at)


@query_rule
def _missing(context: QueryContext) -> Iterator[Costed]:
    """Yield how many cells are empty: of the column that is named, else of each."""
    slots = context.slots
    named = [
        *(each.column for each in (*slots.targets, *slots.bare)),
        *slots.measures,
        *slots.moments,
    ]
    if len(named) == 1:
        lacking = Filter(named[0], (), "missing")
        scope = replace(context.scope, filters=(*context.scope.filters, lacking))
        if slots.groups:
            yield select(scope, slots.groups), 0.1
        else:
            yield Number(scope, noun=context.noun), 0.0
    elif not named:
        yield Profile(context.scope, "missing"), 0.0 if context.index.wide is None else WRONG


@query_rule
def _structure(context: QueryContext) -> Costed | None:
    """Return which columns a data set has, or what it is about as a whole."""
    slots, name = context.slots, context.index.profile.dataset
    if slots.has("columns") and not (slots.measures or slots.bare or context.scope.filters):
        return (Describe(name) if slots.has("rows") or slots.has_rows else Columns(name)), 0.0
    if slots.has("describe") and not (slots.measures or slots.bare or slots.groups):
        counts = slots.has("count") or bool(context.scope.filters)
        return Describe(name), WRONG if counts else 0.1
    return None


@query_rule
def _duplicates(context: QueryContext) -> Iterator[Costed]:
    """Yield the rows that are there twice, or the values of a column that are."""
    slots = context.slots
    named = [*slots.groups, *slots.targets, *slots.bare, *map(Dimension, slots.counted)]
    if not named:
        yield Profile(context.scope, "duplicates"), 0.0 if not context.scope.filters else 0.5
        return
    more = Filter("", (2,), "at least")
    yield GroupBy(context.scope, named[0], order="most", having=more), 0.2


def _queries_of(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield the queries of some measures."""
    slots = context.slots
    if (timed := _timed_cells(context)) is not None:
        yield timed
        return
    if context.second is not None and (slots.has("compare") or not slots.groups):
        yield from _two_periods(context, measures)
        return
    elapsed = [*_elapsed(context)] or [*ranking_queries.apart(context, measures)]
    if elapsed:
        yield from elapsed
        return
    if (spread := _spread(context, measures)) is not None:
        yield from spread
        return
    if slots.has("percent", "rate", "part_of", "divided"):
        made = [*ranking_queries.shares(context, measures)]
        yield from made
        if not made and measures and not slots.has("rate", "part_of"):  # a column in per cent
            others = (
                ranking_queries.rankings(context, measures)
                if context.superlatives
                else _plain(context, measures)
            )
            for query, paid in others:
                yield query, paid + 0.5
        return
    if context.superlatives:
        for query, paid in ranking_queries.rankings(context, measures):
            yield query, paid + _unranked(context, query)
        return
    if slots.having is not None:
        yield from ranking_queries.having(context, measures)
        return
    met = _beyond_mean(context) or _meeting(context, measures) or _times_meeting(context)
    is_of_groups = bool(slots.statistics) or slots.has("total", "count")
    unmet = _UNMET if met is not None and is_of_groups else 0.0
    one = ODD * (not measures and bool(slots.groups) and _asks_which_one(context))
    if met is not None and _is_of_times(met[0]):
        unmet = _UNMET
    if met is not None and _is_beyond(context):
        unmet, met = _BEYOND, (met[0], min(met[1], 0.1))  # 'camiões com mais de 70 mil km'
    if met is not None:
        yield met
    for query, paid in _plain(context, measures):
        is_count = isinstance(query, GroupBy) and query.measure.kind == "count"
        yield query, paid + unmet + one * is_count


@query_rule
def _timed_cells(context: QueryContext) -> Costed | None:
    """Return how many columns of a wide table, or which of them, are asked for as days."""
    slots, wide = context.slots, context.index.wide
    if wide is None:
        return None
    grain = ("grain", _grain_of_cells(context))
    if (("cue", "#count"), grain) in pairwise(slots.order):
        if context.superlatives:
            return None
        return Number(context.scope, Measure("distinct", wide.day)), -0.2  # 'em quantos meses'
    limits = [each for each in slots.compared if each.column == wide.value]
    if grain not in slots.order[:2] or len(limits) != 1:
        return None
    kept = tuple(each for each in context.scope.filters if each != limits[0])
    having = Filter("", limits[0].values, limits[0].relation)
    sums, time = Measure("sum", wide.value), Dimension(wide.day, wide.grain)
    rows = replace(context.scope, filters=kept)
    return GroupBy(rows, time, sums, having=having), -_TIME_BEFORE


@query_rule
def _spread(context: QueryContext, measures: tuple[str, ...]) -> tuple[Costed, ...] | None:
    """Return how values are spread, or go together; None where neither is asked for."""
    slots, index, kind = context.slots, context.index, query_parts.chart_kind(context)
    drawn = takes(kind)
    if measures and drawn in EACH_VALUE and not context.superlatives:
        wanted = 2 if drawn == "pair" else 1
        dims, paid = query_parts.dimensions_of(context)
        if len(measures) < wanted or len(dims) > 1:
            return ()
        split = dims[0] if dims and drawn != "values" else None
        return ((Spread(context.scope, measures[:wanted], split), paid),)
    if drawn is None and len(measures) == 2 and slots.has("chart") and slots.has("compare"):
        dims, paid = query_parts.dimensions_of(context)
        if not dims and compared_column(context.scope) is None:
            return ((Spread(context.scope, measures), paid),)  # 'plot distance against load'
    if slots.has("distribution") and len(measures) == 1 and kind is None:
        dims, paid = query_parts.dimensions_of(context)
        if len(dims) > 1:
            return ()
        free = [each for each in dims if index.column(each.column).type == "text"]
        paid += ODD * len(free)  # a note is no group
        return ((Spread(context.scope, measures, dims[0] if dims else None), paid + 0.05),)
    if slots.has("outliers"):
        shown = Spread(context.scope, measures[:1], shows="outliers")
        return ((shown, 0.0),) if measures else ()
    if slots.has("correlation") and len(measures) == 2:
        return ((Spread(context.scope, measures, shows="correlation"), 0.0),)
    if slots.has("summary") and len(measures) == 1 and not slots.groups:
        return ((Spread(context.scope, measures, shows="summary"), 0.0),)
    return None


def _asks_which_one(context: QueryContext) -> bool:
    """Return whether it is asked which one, which no count says: 'que molde está em cada'."""
    slots = context.slots
    leads = slots.order[:1] == [("cue", "#which")]
    return leads and bool(slots.nouns) and not (slots.is_plural or slots.has("count"))


def _is_beyond(context: QueryContext) -> bool:
    """Return whether no row alone can meet a limit that is said."""
    for each in context.slots.compared:
        most = context.index.column(each.column).max if each.values and not each.grain else None
        limit = each.values[0] if each.values else None
        is_number = isinstance(most, int | float) and isinstance(limit, int | float)
        if is_number and each.relation in ("above", "at least") and limit > most:  # type: ignore[operator]
            return True
    return False


def _unranked(context: QueryContext, query: object) -> float:
    """Return what it costs that groups are put in no order, though the most is asked for."""
    is_open = isinstance(query, GroupBy) and query.n is None and not query.order
    return _UNRANKED if is_open and compared_column(context.scope) is None else 0.0


def _grain_of_cells(context: QueryContext) -> str:
    """The unit of time of which a wide table has a column each."""
    return context.index.wide.grain if context.index.wide is not None else ""


@query_rule
def _two_periods(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield two periods side by side: 'compara março com abril'."""
    if context.slots.targets or context.slots.bare or context.slots.groups:
        return
    paid = 0.0 if context.slots.has("compare") else 0.2
    paid += WRONG * (context.slots.are_days_of_two and not context.slots.has("compare"))
    if len(measures) > 1 or (measures and context.slots.counts_rows):
        parts = [_compared_periods(context, name) for name in measures]
        if context.slots.counts_rows:
            parts.insert(0, (_compared_counts(context), 0.0))
        yield Several(tuple(each for each, _ in parts)), paid + sum(more for _, more in parts)
        if len(measures) > 1:
            return
        paid += 1.0  # only one of the two
    if not measures:
        yield _compared_counts(context), paid
        return
    comparison, more = _compared_periods(context, measures[0])
    yield comparison, paid + more


def _compared_counts(context: QueryContext) -> Comparison:
    """Return the rows of two periods side by side."""
    other = replace(context.scope, period=context.second)
    return Comparison(Number(context.scope, noun=context.noun), Number(other, noun=context.noun))


def _compared_periods(context: QueryContext, name: str) -> tuple[Comparison, float]:
    """Return a measure of two periods side by side, and what it costs."""
    measure, paid = measure_choices.measure_of(context, name)
    other = replace(context.scope, period=context.second)
    return Comparison(Number(context.scope, measure), Number(other, measure)), paid


@query_rule
def _elapsed(context: QueryContext) -> Iterator[Costed]:
    """Yield the time between two columns: 'dias entre a abertura e o fecho'."""
    slots, index = context.slots, context.index
    moments = [name for name in dict.fromkeys(slots.moments) if index.column(name).type != "time"]
    guessed = 0.0
    if measure_choices.asks_elapsed(context) and len(moments) < 2:
        pair = elapsed_pair(index)
        if pair is not None and {*moments} <= {*pair}:
            is_only = len(moments_of(index)) <= len(pair)
            moments, guessed = [*pair], 0.05 if is_only else 0.35 - 0.15 * len(moments)
        elif len(moments) == 1 and index.date_column not in (None, *moments):
            began = str(index.date_column)  # 'time to first reply', from when it began
            moments, guessed = [began, *moments], 0.2
    if slots.elapsed is not None:
        moments, guessed = [*slots.elapsed], 0.0
    if len(moments) != 2 or slots.has("last", "first"):
        return  # 'how long since the last one' is of no row the time that it took
    lacks = [each.column for each in context.scope.filters if each.relation == "missing"]
    if {*lacks} & {*moments}:
        return
    is_delay = slots.has("overdue")  # from the day when it was due
    is_told = is_delay or slots.elapsed is not None
    start, end = (moments[0], moments[1]) if is_told else in_order(index, *moments)
    unit = due_rows.unit_of_time(context) or usual_unit(index, start, end)
    by = bool(slots.groups or slots.bare) and not context.superlatives
    said = slots.cue_texts.get("#duration", "").lower()
    says_total = "total" in said or said == "downtime"
    adds = slots.has("total") or says_total or (by and unit != "days" and not slots.has("duration"))
    kind: MeasureKind = "sum" if adds else "mean"
    kind = slots.statistics[0] if slots.statistics else kind
    extreme = next((EXTREMES[each] for each in slots.cues if each in EXTREMES), None)
    quantile = slots.quantile if slots.quantile is not None else 0.5
    guessed += ODD * (kind == "percentile" and slots.quantile is None)
    measure = Measure(kind, end, quantile=quantile, since=start, unit=unit)
    scope = replace(context.scope, filters=due_rows.without_closed(context))
    rest = [*slots.groups, *slots.targets, *slots.bare]
    ranked = bool(context.superlatives)
    several = compared_column(context.scope)
    if slots.has("compare") and several is not None and not slots.groups:
        rest, ranked = [Dimension(several)], False  # 'a A demora mais do que a B?'
    if ranked and slots.has("who") and not rest:
        rest = [*map(Dimension, context.asked[:1])]  # 'quem demora mais?'
    if ranked and slots.has("most", "least") and rest and due_rows.says_time_spent(context):
        adds = True
        measure = replace(measure, kind=slots.statistics[0] if slots.statistics else "sum")
    order: Literal["most", "least"] = "least" if slots.has("least", "min") else "most"
    n = slots.number or (PLURAL if slots.is_plural else 1)
    keys = [
        each
        for each in rest
        if query_parts.is_key(context, each.column)
        or query_parts.hardly_groups(context, each.column)
    ]
    asks = slots.asks_row or (slots.has("which") and not rest)  # 'which one took longest'
    is_row = bool(slots.nouns or keys or slots.has("rows") or asks)
    is_row = is_row and not (adds and rest and not keys)
    if ranked and is_row and not (slots.statistics or slots.groups):
        outputs = [each.column for each in rest if each not in keys]
        columns = query_parts.shown_columns(context, [*outputs, *context.asked], "")
        yield Rows(scope, n, order, end, columns, since=start, unit=unit), guessed
        guessed += RATHER_ROW + 0.5 * bool(keys)
    if by and measure.kind == "mean" and due_rows.may_add_time(context) and unit != "days":
        yield GroupBy(scope, rest[0], replace(measure, kind="sum")), 0.1 + guessed
    if rest:
        groups = GroupBy(scope, rest[0], measure)
        yield replace(groups, n=n, order=order) if ranked else groups, 0.1 + guessed
        return
    if extreme and not slots.statistics:
        measure = replace(measure, kind=extreme)
    is_said = bool(slots.statistics or extreme or slots.has("total"))
    yield Number(scope, measure), guessed + (0.0 if is_said else 0.2)


def _plain(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield lists, different values, numbers and groups, in no order of rank."""
    slots = context.slots
    dims, paid = query_parts.dimensions_of(context)
    if slots.has("compare") and not dims:
        days = [each for each in context.scope.filters if each.grain == "weekday"]
        dims = [Dimension(each.column, "weekday") for each in days if len(each.values) > 1]
    if not measures and slots.counts_and_asks and len(dims) == 1 and not dims[0].grain:
        yield from _counted_and_asked(context, dims, paid)
        return
    if (never := _never(context, measures, dims)) is not None:
        yield never
        return
    if slots.has("distinct") and len(slots.bare) == len(slots.groups) == 1 and not measures:
        different = Measure("distinct", slots.bare[0].column)  # 'clientes diferentes por loja'
        yield GroupBy(context.scope, slots.groups[0], different), 0.0
        return
    if slots.counted and not measures:
        yield from _distinct(context, dims, paid)
        return
    if (listed := _listed(context, dims, measures)) is not None:
        yield from listed
        return
    if not measures and not slots.groups:
        if (named := _names_asked(context, dims, paid)) is not None:
            yield named
            return
        if (
            len(slots.bare) == 1
            and slots.has("which", "list", "distinct", "show")
            and not slots.has("chart", "count", "compare", "distribution")
        ):
            yield distinct(context.scope, slots.bare[0].column), 0.2
    several = compared_column(context.scope)
    if len(measures) > 1 and several is not None and not dims and slots.has("compare", "which"):
        dims = [Dimension(several)]  # 'compara A com B: frete médio e peso médio'
    if len(measures) > 1:
        yield from _each_measured(context, measures, dims, paid)
        return
    if len(slots.said_statistics) > 1 and measures and len(dims) <= 1:
        yield from _several_statistics(context, measures[0], dims, paid)
        return
    yield from _one_measured(context, measures, dims, paid)


@query_rule
def _never(
    context: QueryContext, measures: tuple[str, ...], dims: Sequence[Dimension]
) -> Costed | None:
    """Return which things have no row at all with a value: 'que técnico nunca fez preventivas'."""
    slots = context.slots
    things = [*dict.fromkeys([*dims, *map(Dimension, slots.counted)])]
    denied = [each for each in context.scope.filters if each.relation == "is not"]
    if not slots.is_never or measures or len(denied) != 1 or len(things) != 1:
        return None
    if things[0].grain or things[0].column == denied[0].column:
        return None
    part = replace(denied[0], relation="is")
    kept = tuple(each for each in context.scope.filters if each != denied[0])
    none = Filter("", (0,), "is")
    rows = replace(context.scope, filters=kept)
    return GroupBy(rows, things[0], Measure("share", part=(part,)), having=none), -_SAID_NEVER


@query_rule
def _counted_and_asked(
    context: QueryContext, dims: Sequence[Dimension], paid: float
) -> Iterator[Costed]:
    """Yield how many rows there are, and then which: 'quantos são e em que máquinas?'."""
    asked = distinct(context.scope, dims[0].column)
    yield Several((Number(context.scope, noun=context.noun), asked)), 0.05
    yield query_parts.grouped(context, dims, Measure()), paid + 0.3


@query_rule
def _several_statistics(
    context: QueryContext, name: str, dims: Sequence[Dimension], paid: float
) -> Iterator[Costed]:
    """Yield several statistics of one column: 'média e mediana do peso'."""
    slots = context.slots
    kinds = dict.fromkeys(slots.said_statistics)
    made = [Measure(kind, name, quantile=slots.quantile or 0.5) for kind in kinds]
    both = Several(tuple(select(context.scope, dims, each) for each in made))
    yield both, paid + WRONG * slots.is_mean_deviation


@query_rule
def _listed(
    context: QueryContext, dims: Sequence[Dimension], measures: tuple[str, ...]
) -> tuple[Costed, ...] | None:
    """Return the rows that are listed, None where no list is asked for."""
    slots = context.slots
    is_list = slots.has("list") or (slots.has("show") and slots.has_rows)
    is_list = is_list or (slots.has("contains") and not slots.has("which"))
    is_bare = (
        (slots.has_rows or slots.has("data"))
        and bool(context.scope.filters)
        and not slots.has("count", "total", "distinct", "which", "trend")
        and not (measures or slots.targets)
    )
    is_list = (is_list or is_bare) and not (
        slots.statistics or slots.groups or slots.has("count", "chart", "table", "compare")
    )
    if not (is_list and (slots.has_rows or context.scope.filters)):
        return None
    outputs = [*(each.column for each in dims), *measures, *slots.moments, *context.asked]
    called = [name for name in context.index.telling if context.index.is_identity(name)]
    columns = tuple(dict.fromkeys([*called, *outputs])) if outputs else ()
    by, order = query_parts.list_order(context, measures)
    rows = Rows(context.scope, slots.number, columns=columns, noun=context.noun)
    made: list[Costed] = [((replace(rows, by=by, order=order) if order else rows), 0.0)]
    if is_bare and not slots.has("list", "show") and not outputs:
        made.append((Number(context.scope, noun=context.noun), 0.6))
    if len(dims) == 1 and not measures:
        made.append((distinct(context.scope, dims[0].column), 0.3))
    return tuple(made)


@query_rule
def _names_asked(context: QueryContext, dims: Sequence[Dimension], paid: float) -> Costed | None:
    """Return the rows, or the different values, that are asked for by a column's name."""
    slots = context.slots
    keys = [
        each for each in (*slots.targets, *slots.bare) if query_parts.is_key(context, each.column)
    ]
    asks_keys = slots.has("which", "list", "show", "distinct") and not slots.has("count", "chart")
    if keys and asks_keys and not _asks_values(context, dims, keys):
        others = [each.column for each in dims if each not in keys]
        columns = tuple(dict.fromkeys([keys[0].column, *others])) if others else ()
        return Rows(context.scope, slots.number, columns=columns, noun=context.noun), 0.1
    if slots.targets and slots.has("which", "list", "distinct"):
        return distinct(context.scope, slots.targets[0].column), 0.05 + paid
    return None


@query_rule
def _each_measured(
    context: QueryContext, measures: tuple[str, ...], dims: Sequence[Dimension], paid: float
) -> Iterator[Costed]:
    """Yield several measures, each by itself."""
    is_alone = not context.slots.groups and not dims
    made: list[Query] = []
    for name in measures:
        measure, more = measure_choices.measure_of(context, name)
        paid += more
        one = Number(context.scope, measure) if is_alone else select(context.scope, dims, measure)
        made.append(one)
    if is_alone:
        yield Several(tuple(made)), paid
    elif len(dims) <= 1:
        yield Several(tuple(made)), paid + 0.1


@query_rule
def _one_measured(
    context: QueryContext, measures: tuple[str, ...], dims: list[Dimension], paid: float
) -> Iterator[Costed]:
    """Yield one measure, or the number of rows: of groups, of named values, or of all."""
    slots = context.slots
    several = compared_column(context.scope)
    measure, more = (
        measure_choices.measure_of(context, measures[0]) if measures else (Measure(), 0.0)
    )
    if measures and slots.counted:
        more += ODD  # what is counted has no part in it
    if measures and slots.counts_rows and len(dims) < 2:
        if several is not None and not dims and slots.has("compare"):
            dims = [Dimension(several)]  # 'compara A com B: nº de vendas e peso total'
        yield _counted_too(context, dims, measure), paid + more
        more += 1.0  # only one of the two
    if slots.statistics and (per := ranking_queries.per(context, dims, measures)) is not None:
        yield per
        is_said = per[1] < OF_EACH
        is_of_things = is_said and isinstance(per[0], Number) and not per[0].measure.over
        paid, more = paid + OF_EACH * is_of_things, more + OF_EACH * is_of_things
    if not measures and slots.statistics:
        return
    if several is not None and len(dims) < 2 and several not in [each.column for each in dims]:
        compares = slots.has("compare", "which", "chart") or not (slots.has("count") or measures)
        if compares or (measures and measure.kind != "sum"):
            yield (
                query_parts.grouped(context, [*dims, Dimension(several)], measure),
                paid + more + 0.05,
            )
        if measures and measure.kind in ("mean", "median") and not slots.has("total"):
            more += _TOGETHER  # 'idade média dos homens e das mulheres'
    if dims:
        is_amount = bool(measures) and context.index.is_amount(measures[0])
        if measure.kind == "mean" and is_amount and dims[0].grain:
            more += 0.8  # of rows, or of sums?
        if measures and slots.has("compare") and slots.nouns:
            more += _UNCOMPARED
        if len(dims) <= 2:
            yield (
                query_parts.grouped(context, dims, measure, order=query_parts.order_asked(context)),
                paid + more,
            )
        return
    if measures:
        unused = 0.6 if slots.has("compare") else 0.0
        yield Number(context.scope, measure), more + unused
        return
    yield from _counted_rows(context)


@query_rule
def _counted_rows(context: QueryContext) -> Iterator[Costed]:
    """Yield who or where was asked for, of nothing that is measured, or a number of rows."""
    slots, index = context.slots, context.index
    if context.asked and not slots.has("count"):
        if slots.has("who"):
            paid = 0.05 if context.scope.filters else ODD
            paid += ODD * query_parts.is_code(context, context.asked[0])  # numbers are no names
            yield distinct(context.scope, context.asked[0]), paid
        rows = Rows(context.scope, slots.number, columns=tuple(context.asked), noun=context.noun)
        yield rows, 0.25 if context.scope.filters else ODD
        return
    grain = next((grain for grain, is_by in slots.grains if not is_by), None)
    counts_days = grain == "day" and index.wide is None and slots.has("count")
    if counts_days and index.date_column is not None:
        paid = 0.2 if not is_daily(index) else ODD
        yield Number(context.scope, Measure("distinct", index.date_column)), paid
        return
    if slots.has("distribution", "compare", "trend"):
        return
    if slots.has("who") and not slots.has("count"):
        return
    yield Number(context.scope, noun=context.noun), _doubt_of_count(context)


def _doubt_of_count(context: QueryContext) -> float:
    """Return what it costs that the rows are counted, by how it was asked for."""
    slots = context.slots
    if slots.asks_amount and (slots.unknown or not slots.has_rows):
        return _AMOUNT
    if slots.has("count"):
        return 0.0
    return 0.15 if slots.has("total", "rows", "distinct") or slots.has_rows else 0.4


def _asks_values(
    context: QueryContext, dims: Sequence[Dimension], keys: Sequence[Dimension]
) -> bool:
    """Return whether rows are only told of what is asked for: 'que clientes têm pedidos'."""
    others = [each for each in dims if each not in keys]
    said = [name for role, name in context.slots.order if role == "column"]
    places = [said.index(each.column) for each in keys if each.column in said]
    return bool(
        len(others) == 1
        and not context.slots.goes_on
        and others[0].column in said
        and places
        and said.index(others[0].column) < min(places)
    )


def _counted_too(context: QueryContext, dims: Sequence[Dimension], measure: Measure) -> Several:
    """Return how many rows there are beside an amount: 'quantas entregas e que peso?'."""
    if dims:
        return Several(
            (
                query_parts.grouped(context, dims, Measure()),
                query_parts.grouped(context, dims, measure),
            )
        )
    return Several((Number(context.scope, noun=context.noun), Number(context.scope, measure)))


@query_rule
def _distinct(context: QueryContext, dims: Sequence[Dimension], paid: float) -> Iterator[Costed]:
    """Yield how many different things a column tells: 'quantos clientes', 'how many products'."""
    slots = context.slots
    name = slots.counted[0]
    if len(slots.counted) > 1:
        return
    if (query_parts.hardly_groups(context, name) or slots.contains) and not slots.has("distinct"):
        filled = Filter(name, (), "present")
        known = context.scope.filter_on(name) is not None or not context.index.column(name).missing
        scope = (
            context.scope
            if known
            else replace(context.scope, filters=(*context.scope.filters, filled))
        )
        if not dims:
            yield Number(scope, noun=context.noun or name), 0.0
            paid += 0.6  # of distinct ones
    limits = [each for each in slots.compared if context.index.is_amount(each.column)]
    if numbers_things(context.index, name) and limits:  # 'pedidos acima de 100 €', of lines
        paid += ODD
        if len(limits) == 1 and not dims:
            kept = tuple(each for each in context.scope.filters if each != limits[0])
            amount, scope = Measure("sum", limits[0].column), replace(context.scope, filters=kept)
            having = Filter("", limits[0].values, limits[0].relation)
            yield GroupBy(scope, Dimension(name), amount, having=having), 0.1
        yield distinct(context.scope, name), paid
        return
    if context.index.is_identity(name) or context.index.is_row_number(name):
        if dims:
            yield select(context.scope, dims), paid
        else:
            yield Number(context.scope, noun=context.noun or name), 0.0
        return
    if dims:
        yield GroupBy(context.scope, dims[0], Measure("distinct", name)), paid + 0.1
        if slots.groups and not (slots.has("distinct") or numbers_things(context.index, name)):
            yield select(context.scope, dims), paid + 0.8
        return
    if slots.having is not None:
        yield GroupBy(context.scope, Dimension(name), having=slots.having), 0.1
        return
    yield distinct(context.scope, name), 0.0


@query_rule
def _times_meeting(context: QueryContext) -> Costed | None:
    """Return the days whose sum meets a limit: 'em quantos dias houve mais de 100 rejeitadas'."""
    slots, index = context.slots, context.index
    limits = [
        each
        for each in slots.compared
        if each.values and not each.grain and each.column and index.is_amount(each.column)
    ]
    if len(limits) != 1 or len(slots.grains) != 1 or index.date_column is None or is_daily(index):
        return None
    (grain, is_by), time = slots.grains[0], Dimension(index.date_column, slots.grains[0][0])
    others = {*slots.targets, *slots.bare} - {time}
    counts_rows = slots.has("count") and (is_by or slots.counts_rows)
    if (
        not grain
        or others
        or slots.groups
        or slots.statistics
        or counts_rows
        or index.wide is not None
    ):
        return None
    if {*slots.measures} - {limits[0].column}:
        return None
    kept = tuple(each for each in context.scope.filters if each != limits[0])
    having = Filter("", limits[0].values, limits[0].relation)
    rows = replace(context.scope, filters=kept)
    return GroupBy(rows, time, Measure("sum", limits[0].column), having=having), 0.1


def _is_of_times(query: Query | Describe | Columns) -> bool:
    """Return whether days, or longer times, meet a condition."""
    return isinstance(query, GroupBy) and bool(query.dimension.grain)


@query_rule
def _beyond_mean(context: QueryContext) -> Costed | None:
    """Return the groups that have more than they have in the mean: 'máquinas acima da média'."""
    slots, index = context.slots, context.index
    limits = [each for each in slots.compared if each.statistic]
    things = [*slots.groups, *slots.targets, *slots.bare, *map(Dimension, slots.counted)]
    dims = [each for each in dict.fromkeys(things) if not query_parts.is_key(context, each.column)]
    if len(limits) != 1 or len(dims) != 1:
        return None
    name = limits[0].column
    measure = Measure("sum", name) if index.is_amount(name) else mean_of(index, name)
    kept = tuple(each for each in context.scope.filters if each != limits[0])
    having = replace(limits[0], column="")
    return GroupBy(replace(context.scope, filters=kept), dims[0], measure, having=having), 0.0


@query_rule
def _meeting(context: QueryContext, measures: tuple[str, ...]) -> Costed | None:
    """Return the groups whose measure meets a condition: 'clientes com mais de 5000 €'."""
    slots, index = context.slots, context.index
    limits = [each for each in slots.compared if each.values and not each.grain]
    dims = [*dict.fromkeys([*slots.groups, *slots.targets, *slots.bare])]
    dims = [
        each for each in dims if not each.grain and not query_parts.is_key(context, each.column)
    ]
    says_total = slots.has("total") or "total" in slots.cue_texts.get("#count", "").lower()
    counts = slots.has("count") and not says_total
    if len(limits) != 1 or len(dims) != 1 or counts or slots.has("list", "chart"):
        return None
    name = limits[0].column
    if slots.statistics and tuple(measures) == (name,):
        measure, paid = measure_choices.measure_of(context, name)
    elif slots.statistics:
        return None
    elif says_total and {*measures} <= {name} and index.is_amount(name):
        measure, paid = Measure("sum", name), 0.0
    elif not measures and index.is_amount(name):
        if dims[0] in slots.groups or not slots.plural_of.get(dims[0].column, False):
            return None
        measure, paid = Measure("sum", name), 0.1 + 0.3 * (not slots.units)
    else:
        return None
    kept = tuple(each for each in context.scope.filters if each != limits[0])
    having = Filter("", limits[0].values, limits[0].relation)
    return GroupBy(replace(context.scope, filters=kept), dims[0], measure, having=having), paid
