"""Rankings and shares: what has the most, and what part of what, per group or at large."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.grouping import (
    compared_column,
    is_good_state,
    is_of_lines,
    is_part_amount,
    numbers_things,
    part_first,
    rate_of_part,
)
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import (
    Comparison,
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Order,
    Period,
    Rows,
    Several,
    select,
    top,
)
from qhub_desktop.nlq.rules import query_rule
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic import measure_choices, query_parts
from qhub_desktop.nlq.semantic.column_meaning import (
    actual_of,
    edge_of_days,
    is_target,
)
from qhub_desktop.nlq.semantic.computed_roles import asked_and_came
from qhub_desktop.nlq.semantic.query_context import PLURAL, Costed, QueryContext
from qhub_desktop.nlq.semantic.slots import ODD, WRONG
from qhub_desktop.nlq.semantic.timestamps import moment_meaning
from qhub_desktop.nlq.statistic_kinds import EXTREMES
from qhub_desktop.nlq.tokenizer import normalize, tokenize, unit, without_unit
from qhub_desktop.nlq.word_meanings import OF_A_WHOLE

_DIFFERENCE = tuple(words_by_role("difference_word"))
_AGED = words_by_role("aged")
_SAID_APART = 0.3  # what it is worth that a limit and what it limits are set against each other
_PART_OF_ASKED = 0.6  # the share of groups, where all that came is part of what was asked for
_SUBJECT = 0.05  # of a condition on groups
# 'quem teve a maior multa', 'which trip took longest': a row, not the sum of several.
OF_EACH = 0.6  # 'horas por pessoa, em média', as one mean of each
RATHER_ROW = 0.3
# How a filter selects what a share is the part of.
_PART_RELATIONS = ("is", "above", "below", "at least", "at most", "between", "missing", "is not")


def whole_by_name(index: SchemaIndex, part: str) -> str | None:
    """Return the amount that another is part of, by their names: 'KM', of 'KM vazio'."""
    words = [word.normalized for word in tokenize(without_unit(part))]
    for name in index.measures if index.is_amount(part) and index.wide is None else ():
        own = [word.normalized for word in tokenize(without_unit(name))]
        most, whole = index.column(part).max, index.column(name).max
        is_less = isinstance(most, int | float) and isinstance(whole, int | float) and most <= whole
        begins = len(own) < len(words) and words[: len(own)] == own
        if begins and is_less and index.is_amount(name) and unit(name) == unit(part):
            return name
    return None


def _says_rows(role: str, name: str) -> bool:
    return role == "noun" or name == "#rows"


_FEW_THINGS = 20  # groups of which each has a mean to be told


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What a question ranks, and what by."""

    measures: tuple[str, ...]
    measure: Measure
    doubt: float  # what is doubtful of the measure
    order: Literal["most", "least"]
    targets: list[Dimension]
    who: list[Dimension]  # that a pronoun asks for
    ids: list[Dimension]  # columns that tell the rows apart
    groups: list[Dimension]  # all others that are named
    outputs: list[str]
    says_row: bool
    are_bare_rows: bool  # what is ranked may be rows
    is_extreme: bool


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a share is told of: groups in an order, and conditions that may be the part."""

    dims: list[Dimension]
    single: list[Filter]
    order: Order
    n: int | None
    paid: float

    @property
    def fields(self) -> tuple[list[Dimension], list[Filter], Order, int | None, float]:
        """All of it, in order."""
        return self.dims, self.single, self.order, self.n, self.paid


def _says_change(context: QueryContext) -> bool:
    """Whether it is asked how much something grew or fell, not what it came to."""
    said = normalize(context.slots.cue_texts.get("#trend", ""))
    return said.startswith(tuple(words_by_role("change_verb")))


def rankings(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield the rows or groups that have the most of something."""
    slots = context.slots
    if slots.has("trend") and _says_change(context) and slots.has("most", "least"):
        return  # 'a loja que mais cresceu': no total tells
    things = next((each for each in slots.counted if numbers_things(context.index, each)), "")
    if things and not measures:
        yield from _ranked_by_things(context, things)
        return
    ranked = _ranked(context, measures)
    is_extreme = slots.has("max", "min")
    if slots.outputs and measures and is_extreme and not slots.statistics:
        yield _asked_of_extreme(context, ranked)
    is_time = slots.has("first", "last") or slots.implied == "date"
    if is_time and not (slots.has("most", "least") or slots.statistics):
        yield from _ranked_by_time(context, ranked)
        return
    if is_extreme and len(measures) == 1 and slots.groups and (context.asked or slots.outputs):
        yield from _of_each(context, measures[0], ranked.outputs)
    if slots.having is not None:
        return
    if context.ranks_row and measures and not (slots.statistics or slots.groups):
        yield _row_said(context, ranked)
        return
    if (row := _row_with_most(context, ranked)) is not None:
        yield row
    if (beside := _named_beside(context, ranked)) is not None:
        yield beside
        return
    doubt = ranked.doubt
    is_of_row = not ranked.groups or (
        ranked.groups == ranked.who and not slots.has("most", "least")
    )
    asks_row = is_of_row and not slots.groups and bool(context.asked or slots.moments)
    if measures and ranked.is_extreme and asks_row:
        doubt += RATHER_ROW * bool(ranked.groups)
        yield _row_of_pronoun(context, ranked)
    if slots.has("worst", "best"):
        doubt += _doubt_of_best(context, measures)
    yield from _groups_with_most(context, ranked, doubt)
    if slots.groups and not ranked.groups:
        yield from _said_groups_with_most(context, ranked, doubt)
    elif measures and ranked.is_extreme and not (ranked.groups or ranked.ids):
        yield _extremes_alone(context, ranked)


@query_rule
def _asked_of_extreme(context: QueryContext, ranked: _Ranked) -> Costed:
    """Return what is asked of the row with the most: 'o maior custo, e em que loja foi'."""
    slots, by = context.slots, ranked.measures[0]
    told = [*slots.outputs, *context.asked, *slots.moments]
    columns = query_parts.shown_columns(context, told, by)
    return Rows(context.scope, slots.number or 1, ranked.order, by, columns), 0.05


@query_rule
def _row_said(context: QueryContext, ranked: _Ranked) -> Costed:
    """Return the row that is named beside what it has the most of: 'a multa mais alta'."""
    slots, by = context.slots, ranked.measures[0]
    told = [*ranked.outputs, *context.asked, *slots.moments, *ranked.measures[1:]]
    columns = query_parts.shown_columns(context, told, by)
    return Rows(context.scope, slots.number or 1, ranked.order, by, columns), 0.0


@query_rule
def _row_of_pronoun(context: QueryContext, ranked: _Ranked) -> Costed:
    """Return who or when it was that had the most: 'quem teve a temperatura mais alta'."""
    by = ranked.measures[0]
    told = [*context.asked, *context.slots.moments]
    columns = query_parts.shown_columns(context, told, by)
    return Rows(context.scope, 1, ranked.order, by, columns), 0.1


def _ranked(context: QueryContext, measures: tuple[str, ...]) -> _Ranked:
    """Return what a question ranks, and what by."""
    slots = context.slots
    targets = [*dict.fromkeys([*slots.targets, *map(Dimension, slots.counted)])]
    loose = [each for each in slots.bare if each not in targets]
    who = _people_ranked(context)
    measure, doubt = (
        measure_choices.measure_of(context, measures[0], ranks_groups=True)
        if measures
        else (Measure(), 0.0)
    )
    says_row = bool(slots.nouns or (slots.has("rows") and slots.has("which")))
    ids = [
        each
        for each in (*targets, *loose)
        if not each.grain and query_parts.is_key(context, each.column)
    ]
    groups = [
        query_parts.called_by_name(context, each)
        for each in (*targets, *loose, *who)
        if each not in ids
    ]
    is_extreme = slots.has("max", "min")
    if measures and not is_extreme and slots.has("most", "least", "top") and not groups:
        is_extreme = bool(ids or slots.nouns or slots.number)  # 'which order took the most'
    return _Ranked(
        measures,
        measure,
        doubt,
        order="least" if slots.has("least", "min", "first") else "most",
        targets=targets,
        who=who,
        ids=ids,
        groups=groups,
        outputs=[*(each.column for each in groups), *slots.outputs],
        says_row=says_row,
        are_bare_rows=bool(says_row or slots.has("rows") or slots.number or slots.asks_row),
        is_extreme=is_extreme,
    )


def _people_ranked(context: QueryContext) -> list[Dimension]:
    """Return who, or where, is asked for as what has the most: 'quem tem mais multas'."""
    slots = context.slots
    if compared_column(context.scope) is not None and slots.number is None:
        return []  # 'quem tem mais, A ou B?'
    return [
        Dimension(name)
        for name in context.asked
        if slots.has("who") or (slots.has("where") and name == context.index.place_column)
    ]


@query_rule
def _ranked_by_things(context: QueryContext, things: str) -> Iterator[Costed]:
    """Yield the groups with the most things: 'a mesa com mais pedidos', of lines of orders."""
    slots = context.slots
    targets = [*dict.fromkeys([*slots.targets, *map(Dimension, slots.counted)])]
    loose = [each for each in slots.bare if each not in targets]
    targets = [each for each in targets if each.column != things]
    dims = [*slots.groups, *targets, *loose, *_people_ranked(context)]
    if len(dims) == 1 and dims[0].column != things:
        n = slots.number or (PLURAL if slots.is_plural and slots.has("top") else 1)
        order: Order = "least" if slots.has("least", "min", "first") else "most"
        of_things = Measure("distinct", things)
        yield GroupBy(context.scope, dims[0], of_things, n=n, order=order), 0.05


@query_rule
def _ranked_by_time(context: QueryContext, ranked: _Ranked) -> Iterator[Costed]:
    """Yield the first or the last rows, or their day: 'a última reclamação'."""
    slots, index, measures = context.slots, context.index, ranked.measures
    by = slots.moments[0] if slots.moments else index.date_column
    age = " ".join(slots.cue_texts.get(f"#{edge}_date", "") for edge in ("min", "max"))
    if _AGED & {*normalize(age).split()} and not slots.moments and slots.has("who"):
        by = moment_meaning(index, "birth_date") or by  # 'quem é o aluno mais velho'
    if by is None:
        return
    outputs = [*ranked.outputs, *measures]  # 'quem fez a última medição e qual foi o P8'
    if slots.groups:
        yield from _of_each(context, by, outputs)
        return
    asks_when = slots.has("when") or (slots.moments and not ranked.are_bare_rows)
    if asks_when and not (slots.nouns or ranked.groups or ranked.ids):
        edge, scope = edge_of_days(by), context.scope
        is_other = bool(edge) and slots.has("last" if edge == "#first" else "first")
        if slots.is_next and scope.period is None and index.last_day is not None:
            scope = replace(scope, period=Period(by, index.last_day, None))
        measure = Measure("min" if ranked.order == "least" else "max", by)
        yield Number(scope, measure), 0.1 + ODD * is_other
        return
    n = slots.number or (PLURAL if slots.is_plural else 1)
    rows = Rows(context.scope, n, ranked.order, by, query_parts.shown_columns(context, outputs, by))
    yield rows, 0.1 + 0.15 * (not (ranked.are_bare_rows or measures))


@query_rule
def _row_with_most(context: QueryContext, ranked: _Ranked) -> Costed | None:
    """Return the rows that have the most of a measure: 'as 5 ações mais caras'."""
    slots, measures, ids = context.slots, ranked.measures, ranked.ids
    if not measures or slots.statistics or slots.groups or not ranked.is_extreme:
        return None
    if not (ranked.are_bare_rows or ids) or (ranked.targets and not ids):
        return None
    cost = 0.0 if ranked.says_row or slots.asks_row else 0.2 if ids else 0.6
    n = slots.number or (PLURAL if slots.is_plural else 1)
    columns = query_parts.shown_columns(
        context, [*ranked.outputs, *context.asked, *measures[1:]], measures[0]
    )
    return Rows(context.scope, n, ranked.order, measures[0], columns), cost


@query_rule
def _named_beside(context: QueryContext, ranked: _Ranked) -> Costed | None:
    """Return values that are named side by side, of which one has more: 'A ou B?'."""
    slots, measure = context.slots, ranked.measure
    several = next(
        (
            each.column
            for each in context.scope.filters
            if each.relation == "is" and len(each.values) > 1 and not each.grain
        ),
        None,
    )
    if several is None or ranked.groups or slots.groups or slots.number is not None:
        return None
    measures = ranked.measures
    if measures and not slots.statistics and not context.index.is_amount(measures[0]):
        measure = Measure("mean", measures[0])
    return query_parts.grouped(context, [Dimension(several)], measure), ranked.doubt + 0.1


def _doubt_of_best(context: QueryContext, measures: tuple[str, ...]) -> float:
    """Return what it costs that the best is asked for where nothing says what is good."""
    if measures and context.index.is_gain(measures[0]) is None:
        return ODD
    if not measures and context.index.type_column is None:
        return WRONG if context.index.measures else ODD  # of what?
    return 0.0


def _order_of_groups(context: QueryContext, ranked: _Ranked) -> Literal["most", "least"]:
    """Return the end of a ranking of groups that is asked for."""
    if not context.slots.has("worst", "best"):
        return ranked.order
    gain = context.index.is_gain(ranked.measures[0]) if ranked.measures else False
    return "least" if context.slots.has("worst" if gain else "best") else "most"


def _number_of_groups(
    context: QueryContext, ranked: _Ranked, dimension: Dimension | None = None
) -> int:
    """Return how many groups are asked for: 'o turno com mais defeitos', 'os turnos'."""
    slots = context.slots
    if slots.number:
        return slots.number
    says_which = slots.number is None and slots.has("which")
    if dimension is not None and (says_which or dimension.column in slots.plural_of):
        return PLURAL if slots.plural_of.get(dimension.column, False) else 1
    if ranked.who and slots.number is None and not slots.has("top"):
        return 1  # 'quem teve mais multas'
    is_plural = slots.is_plural or (slots.has("top") and not slots.has("which"))
    return PLURAL if is_plural else 1


@query_rule
def _groups_with_most(context: QueryContext, ranked: _Ranked, doubt: float) -> Iterator[Costed]:
    """Yield the groups with the most: 'o turno com mais defeitos'."""
    slots, scope, measures = context.slots, context.scope, ranked.measures
    order, n = _order_of_groups(context, ranked), _number_of_groups(context, ranked)
    for dimension in ranked.groups[:2]:
        says_which = slots.number is None and slots.has("which")
        if says_which or dimension.column in slots.plural_of:
            n = _number_of_groups(context, ranked, dimension)
        is_asked = dimension in ranked.targets or dimension in ranked.who
        paid = doubt + (0.0 if is_asked else 0.15)
        paid += 0.35 * (len(ranked.groups) - 1)
        if slots.groups:
            if not (measures or len(slots.groups) > 1):
                within = slots.groups[0]
                yield top(scope, dimension, slots.number or 1, order, within=within), paid + 0.1
        elif measures:
            if dimension.column != measures[0]:
                yield GroupBy(scope, dimension, ranked.measure, n=n, order=order), paid
        elif not slots.statistics:
            ranks_rows = slots.nouns or slots.has_rows or slots.has("most", "least", "top")
            if ranked.is_extreme and not ranks_rows:
                paid += WRONG  # 'a conta mais alta', of nothing that is measured
            yield top(scope, dimension, n, order, is_share=slots.has("percent")), paid


@query_rule
def _said_groups_with_most(
    context: QueryContext, ranked: _Ranked, doubt: float
) -> Iterator[Costed]:
    """Yield the groups behind 'por' with the most: 'o maior peso por loja'."""
    slots, scope, measures = context.slots, context.scope, ranked.measures
    dims = [each for each in dict.fromkeys(slots.groups) if each.column not in measures]
    order, n = _order_of_groups(context, ranked), _number_of_groups(context, ranked)
    if not measures:
        if not slots.statistics and len(dims) == 1:
            yield top(scope, dims[0], n, order), 0.2
        return
    says_groups = slots.statistics or slots.has("which", "most", "least", "top")
    if dims and ranked.is_extreme and not says_groups:
        kind: MeasureKind = "min" if ranked.order == "least" else "max"
        yield query_parts.grouped(context, dims, replace(ranked.measure, kind=kind)), 0.1
    elif len(dims) == 1:
        yield GroupBy(scope, dims[0], ranked.measure, n=n, order=order), doubt + 0.15


@query_rule
def _extremes_alone(context: QueryContext, ranked: _Ranked) -> Costed:
    """Return the most and the least of measures as numbers: 'máximo e mínimo da espessura'."""
    slots, scope = context.slots, context.scope
    kinds = [EXTREMES[each] for each in slots.cues if each in EXTREMES]
    made = tuple(
        Number(scope, Measure(kind, name))
        for name in ranked.measures
        for kind in dict.fromkeys(kinds)
    )
    made += tuple(Number(scope, Measure(kind, ranked.measures[0])) for kind in slots.statistics)
    paid = 0.3 if ranked.says_row else 0.6 if slots.asks_row else 0.0
    return (made[0] if len(made) == 1 else Several(made)), paid


@query_rule
def _of_each(context: QueryContext, by: str, outputs: list[str]) -> Iterator[Costed]:
    """Yield the rows that come first within each group: 'a última medição de cada peça'."""
    slots = context.slots
    dims = [
        query_parts.called_by_name(context, each)
        for each in dict.fromkeys(slots.groups)
        if not each.grain
    ]
    if len(dims) != 1 or len(slots.groups) != 1 or dims[0].column == by:
        return
    name = dims[0].column
    if context.index.wide is not None or query_parts.is_key(context, name):
        return
    told = [*outputs, *context.asked, *slots.moments]
    columns = query_parts.shown_columns(
        context, [each for each in told if each not in (by, name)], by
    )
    order: Literal["most", "least"] = "least" if slots.has("least", "min", "first") else "most"
    yield Rows(context.scope, slots.number or 1, order, by, columns, within=name), 0.0


@query_rule
def apart(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield how far one column is above another: 'desvio médio face ao objetivo'."""
    slots, index = context.slots, context.index
    if slots.is_mean_deviation:
        measures = _set_apart(context, measures)
    limits = [name for name in measures if is_target(index, name)]
    rest = [name for name in measures if name not in limits]
    said = normalize(slots.cue_texts.get("#compare", ""))
    is_apart = said.startswith(_DIFFERENCE) or slots.is_mean_deviation
    if not is_apart or len(limits) != 1 or len(rest) != 1:
        return  # 'vs' puts them side by side
    kind: MeasureKind = "sum" if slots.has("total") else "mean"
    kind = slots.statistics[0] if slots.statistics and said else kind
    end, start = rest[0], limits[0]
    order: Literal["most", "least"] = "least" if slots.has("least", "min") else "most"
    dims = [*slots.groups, *slots.targets, *slots.bare]
    dims += [Dimension(name) for name in context.asked if Dimension(name) not in dims]
    keys = [each for each in dims if not each.grain and query_parts.is_key(context, each.column)]
    if context.superlatives and not (slots.statistics or slots.groups):
        columns = query_parts.shown_columns(
            context, [each.column for each in dims if each not in keys], ""
        )
        n = slots.number or (PLURAL if slots.is_plural else 1)
        yield (
            Rows(context.scope, n, order, end, columns, since=start, unit="difference"),
            -_SAID_APART,
        )
        return
    measure = Measure(kind, end, since=start, unit="difference")
    if len(dims) == 1:
        groups = GroupBy(context.scope, dims[0], measure)
        n = slots.number or (PLURAL if slots.is_plural else 1)
        groups = replace(groups, n=n, order=order) if context.superlatives else groups
        yield groups, -_SAID_APART
        if kind == "mean" and index.is_amount(end) and not slots.statistics:
            yield replace(groups, measure=replace(measure, kind="sum")), 0.0
    elif not dims and slots.is_mean_deviation:
        yield Number(context.scope, measure), -_SAID_APART


def _set_apart(context: QueryContext, measures: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is measured and what it ought to be, where only one of them was said."""
    targets = [name for name in context.index.measures if is_target(context.index, name)]
    pairs = [(actual_of(context.index, name), name) for name in targets]
    pairs = [each for each in pairs if each[0] and {*measures} <= {*each}]
    return (str(pairs[0][0]), pairs[0][1]) if len(pairs) == 1 else ()


def _part_column(context: QueryContext) -> str:
    """Return the column of the condition that makes a share's part, not of its whole.

    It is the one said behind the rows: 'percentage of A readings over 0.7'.
    """
    order = context.slots.order
    said_so = (("cue", "#part_of"), ("cue", "#percent"))
    at = next((at for at, said in enumerate(order) if said in said_so), len(order))
    behind = order[at + 1 :]
    rows = next((at for at, said in enumerate(behind) if _says_rows(*said)), len(behind))
    before = [said for kind, said in behind[:rows] if kind == "filter"]
    after = [said for kind, said in behind[rows:] if kind == "filter"]
    after += [each.column for each in context.slots.compared if each.column not in before]
    if before and not after and not _is_state(context, before[0]):
        after = [each for each in before if _is_state(context, each)]  # '% de faltas sem motivo'
    return after[0] if before and after else context.slots.first_filter


def _is_state(context: QueryContext, name: str) -> bool:
    """Return whether a condition is on a yes and no, or on whether a cell is filled."""
    wanted = context.scope.filter_on(name)
    is_filled = wanted is not None and wanted.relation in ("missing", "present")
    return is_filled or flag_values(context.index.column(name)) is not None


def _says_ratio(context: QueryContext) -> bool:
    """Whether one number by another is asked for, rather than per cent: 'rácio A / B'."""
    said = context.slots.cue_texts.get("#rate", "").split()
    return bool(said) and normalize(said[0]) in words_by_role("plain_ratio")


@query_rule
def ratios(context: QueryContext, ratio: Measure) -> Iterator[Costed]:
    """Yield one amount by another: over all rows, for each group, or of the first groups."""
    slots, scope = context.slots, context.scope
    dims, paid = query_parts.dimensions_of(context)
    if ratio.kind == "mean" and len(dims) == 1 and query_parts.is_key(context, dims[0].column):
        dims = []  # 'custo médio por pedido', which is that of a row
    several = compared_column(scope)
    if several is not None and Dimension(several) not in dims and len(dims) < 2:
        dims = [*dims, Dimension(several)]
    if context.second is not None and not slots.groups:
        other = replace(scope, period=context.second)
        yield Comparison(Number(scope, ratio), Number(other, ratio)), paid
        return
    if not dims:
        yield Number(scope, ratio), 0.0
        return
    order, n = query_parts.order_asked(context), None
    if context.superlatives:
        order = "least" if slots.has("least", "min") else "most"
        n = slots.number or (PLURAL if slots.is_plural or slots.has("top") else 1)
    split = dims[1] if len(dims) > 1 else None
    yield GroupBy(scope, dims[0], ratio, split, n=n, order=order), paid


def shares(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield what part of a whole is asked for: of amounts, of one amount, or of rows."""
    slots, scope = context.slots, context.scope
    dims, paid = query_parts.dimensions_of(context)
    single = [
        each
        for each in scope.filters
        if each.relation in _PART_RELATIONS
        and (not each.grain or (each.column == slots.first_filter and len(scope.filters) > 1))
    ]
    several = compared_column(scope)
    others = [each for each in single if each.column != several]
    if several is not None and not dims and (measures or others):
        dims, single = [Dimension(several)], others  # 'a taxa de A contra a de B'
    order, n = query_parts.order_asked(context), None
    if context.superlatives:
        order = "least" if slots.has("least", "min") else "most"
        if slots.has("worst", "best"):
            is_good = _is_good(context, measures, single)
            paid += ODD * (is_good is None)
            order = "least" if is_good is slots.has("worst") else "most"
        n = slots.number or (PLURAL if slots.is_plural or slots.has("top") else 1)
    shared = _Shared(dims, single, order, n, paid)
    if len(measures) > 1:
        yield _rate_of_two(context, shared, measures)
    elif measures:
        yield from _part_of_amount(context, shared, measures[0])
    else:
        yield from _part_of_rows(context, shared)


def _is_good(
    context: QueryContext, measures: tuple[str, ...], single: Sequence[Filter]
) -> bool | None:
    """Return whether more of a share is better, by what it is a share of; None if nobody knows."""
    known = is_good_state(single)
    return context.index.is_gain(measures[0]) if measures and known is None else known


@query_rule
def _rate_of_two(context: QueryContext, shared: _Shared, measures: tuple[str, ...]) -> Costed:
    """Return one amount by another: 'que parte da área total é mato?'."""
    slots = context.slots
    first, over = measures[0], measures[1]
    if "#total" in context.index.lemmas[first] and not slots.has("divided"):
        first, over = over, first
    if slots.shared_whole == first:
        first, over = over, first
    if not slots.has("divided"):
        first, over = part_first(context.index, first, over)
        is_turned = (first, over) in asked_and_came(context.index)
        first, over = (over, first) if is_turned else (first, over)  # 'received of ordered'
    is_ratio = slots.has("divided") or (
        _says_ratio(context) and not is_part_amount(context.index, first)
    )
    is_ratio = is_ratio and not slots.has("percent")
    is_ratio = is_ratio and (_says_ratio(context) or not slots.has("rate"))
    return _shared_out(context, shared, Measure("ratio" if is_ratio else "rate", first, over), 0.1)


def _shared_out(context: QueryContext, shared: _Shared, measure: Measure, alone: float) -> Costed:
    """Return a measure of each group, or of all rows at the cost `alone`."""
    if not shared.dims:
        return Number(context.scope, measure), alone
    groups = GroupBy(context.scope, shared.dims[0], measure, n=shared.n, order=shared.order)
    return groups, shared.paid


@query_rule
def _part_of_amount(context: QueryContext, shared: _Shared, name: str) -> Iterator[Costed]:
    """Yield the part that an amount is of another, or that some rows have of it."""
    slots, index, scope = context.slots, context.index, context.scope
    dims, single, order, n, paid = shared.fields
    whole = whole_by_name(index, name)
    pairs = asked_and_came(index)
    asked = next((one for one, came in pairs if came == name), None)
    came = next((came for one, came in pairs if one == name and not is_target(index, one)), None)
    is_of = any((("cue", each), ("measure", name)) in pairwise(slots.order) for each in OF_A_WHOLE)
    if came is not None and not single and is_of:  # 'percentagem dos pedidos que foram feitos'
        yield _shared_out(context, shared, Measure("rate", came, name), _PART_OF_ASKED)
        paid += _PART_OF_ASKED
    if asked is not None and not single:  # 'que percentagem do pedido foi recebida'
        is_plan = is_target(index, asked)
        made, more = _shared_out(context, shared, Measure("rate", name, asked), 0.05)
        yield made, more + _PART_OF_ASKED * is_plan
        paid += _PART_OF_ASKED * (not is_plan)
    if (is_part_amount(index, name) or whole) and (slots.has("rate") or not single):
        rate = Measure("rate", name, whole) if whole else rate_of_part(index, name)
        yield _shared_out(context, shared, rate or Measure("rate", name), 0.05)
        return
    paid += ODD * _says_ratio(context)  # of two amounts, and no part of one
    if not index.is_amount(name):
        return
    said = [each for each in single if each.column == slots.first_filter]
    if single and not dims:
        part = next(iter(said), single[0])
        rest = scope.without(part.column)
        yield Number(rest, Measure("share", name, part=(part,))), paid + 0.1
        return
    if said and len(dims) == 1:  # 'peso de A nas vendas por mês'
        share = Measure("share", name, part=(said[0],))
        rest = scope.without(said[0].column)
        yield GroupBy(rest, dims[0], share, n=n, order=order), paid
        paid += ODD
    if dims:
        paid += ODD * (slots.has("rate") and not slots.has("percent"))
        whole_of = Measure("sum", name)
        yield GroupBy(scope, dims[0], whole_of, n=n, order=order, is_share=True), paid + 0.1


@query_rule
def _part_of_rows(context: QueryContext, shared: _Shared) -> Iterator[Costed]:
    """Yield the part of the rows that meets a condition, or that each group has."""
    slots, index, scope = context.slots, context.index, context.scope
    dims, single, order, n, paid = shared.fields
    of_part = [each for each in single if each.column == _part_column(context)]
    part = next(iter([*of_part, *single]), None)
    if part is None:
        if dims and not slots.has("rate") and context.superlatives:
            yield top(scope, dims[0], n or 1, order or "most", is_share=True), paid  # type: ignore[arg-type]
        elif dims and not slots.has("rate"):
            yield select(scope, dims, is_share=True), paid
        return
    if sum(each.column == part.column for each in scope.filters) > 1:
        slots.cost += WRONG  # 'aprovados, e não os rejeitados': one would go unheeded
        paid += WRONG
    if part.relation == "missing":
        paid += ODD * (not index.column(part.column).missing)  # no cell lacks
    if dims:
        rest = scope.without(part.column)
        measure = Measure("share", part=(part,))
        if slots.counts_rows and slots.has("compare") and len(dims) == 1:
            both = GroupBy(rest, dims[0]), GroupBy(rest, dims[0], measure)
            yield Several(both), paid  # 'A vs B: number of orders and share cancelled'
            return
        behind = slots.has("part_of", "percent") and dims[0] in slots.bare
        # 'percentagem de clientes com'
        is_divided = behind and not context.superlatives and not slots.groups
        groups = GroupBy(rest, dims[0], measure, n=n, order=order)
        yield groups, paid + max(ODD * is_divided, 0.1)
        return
    yield _part_of_all_rows(context, part)


@query_rule
def _part_of_all_rows(context: QueryContext, part: Filter) -> Costed:
    """Return the part of all rows that meets a condition, of those that say so."""
    scope = context.scope
    others = [each for each in scope.filters if each.column != part.column]
    flag = flag_values(context.index.column(part.column))
    has_gaps = flag is not None and flag[1] != "" and context.index.column(part.column).missing
    if has_gaps and part.relation == "is":
        filled = Filter(part.column, (), "present")
        kept = (each for each in (*scope.filters, filled) if each != part)
        rest = replace(scope, filters=tuple(kept))
        return Number(rest, Measure("share", part=(part,))), 0.1
    if others or scope.period is not None:
        rest = scope.without(part.column)
        return Number(rest, Measure("share", part=(part,))), 0.1
    return Number(scope, is_share=True, noun=context.noun), 0.0


@query_rule
def having(context: QueryContext, measures: tuple[str, ...]) -> Iterator[Costed]:
    """Yield the groups with so many rows, or so many different values."""
    slots = context.slots
    dims, paid = query_parts.dimensions_of(context)
    if len(dims) == 1 and not slots.groups:
        paid = min(paid, _SUBJECT)  # 'leitores com mais de 40 requisições'
    dims += [Dimension(name) for name in slots.counted if Dimension(name) not in dims]
    grain = next((grain for grain, is_by in slots.grains if not is_by), None)
    if not dims and grain is not None and context.index.date_column is not None:
        dims = [Dimension(context.index.date_column, grain)]
    if slots.has("who"):
        dims += [Dimension(name) for name in context.asked if Dimension(name) not in dims]
    dims = [each for each in dims if each.column != slots.different]
    if len(dims) != 1 or measures:
        return
    measure = Measure("distinct", slots.different) if slots.different else Measure()
    yield GroupBy(context.scope, dims[0], measure, having=slots.having), paid


@query_rule
def per(
    context: QueryContext, dims: Sequence[Dimension], measures: tuple[str, ...]
) -> Costed | None:
    """Return rows, or an amount, per day or per thing: 'média de defeitos por dia'."""
    if context.slots.statistics != ["mean"] or len(measures) > 1:
        return None
    if measures and not context.index.is_amount(measures[0]):
        return None
    time = next((each for each in dims if each.grain in ("day", "week", "month", "year")), None)
    amount = next(iter(measures), "")
    if time is None:
        return _per_thing(context, dims, amount)
    if context.slots.counted:
        return None
    rest = [each for each in dims if each != time]
    measure = Measure("per", time.column, time.grain, amount=amount)
    if rest:
        return GroupBy(context.scope, rest[0], measure), 0.2
    return Number(context.scope, measure), 0.1


@query_rule
def _per_thing(context: QueryContext, dims: Sequence[Dimension], amount: str) -> Costed | None:
    """Return what one of many things has in the mean: 'média de visitas por cliente'.

    A mean of rows per thing is one number. So is that of an amount where a thing has several
    rows by its number ('ticket médio por pedido'), or many things have their own and the mean
    is said behind them ('horas por pessoa, em média').
    """
    slots, index = context.slots, context.index
    things = [each for each in slots.counted if numbers_things(index, each)]
    named = [each.column for each in dims if not each.grain]
    if slots.groups and len(named) == len(dims) == 1 and not slots.counted:
        name = named[0]
    elif things and not dims and amount and slots.counted == things[:1]:
        name = things[0]
    else:
        return None
    order = [said for said in slots.order if said in (("cue", "#mean"), ("group", name))]
    is_behind = order[-1:] == [("cue", "#mean")]
    is_many = index.column(name).distinct > _FEW_THINGS
    if amount and not (is_of_lines(index, name) or is_many):
        return None
    is_said = not amount or is_behind or is_of_lines(index, name)
    paid = 0.1 if is_said else OF_EACH  # 'quantas horas fez cada pessoa em média'
    return Number(context.scope, Measure("per", name, amount=amount)), paid
