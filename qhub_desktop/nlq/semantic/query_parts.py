"""Parts of queries: groups, orders, shown columns, and what is doubtful of a whole query."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import columns_named, compared_column, grain_for, is_best_most
from qhub_desktop.nlq.lexicon import current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import (
    Columns,
    Describe,
    Dimension,
    GroupBy,
    Measure,
    Number,
    Order,
    Query,
    Rows,
    is_count,
    is_top,
)
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic import due_rows
from qhub_desktop.nlq.semantic.query_context import QueryContext
from qhub_desktop.nlq.semantic.schema_linking import MEANT, linker_of
from qhub_desktop.nlq.semantic.slots import ODD, WRONG
from qhub_desktop.nlq.semantic.word_keys import keys_of
from qhub_desktop.nlq.statistic_kinds import EXTREMES
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize
from qhub_desktop.nlq.word_meanings import chart_named

_PEOPLE_CONCEPTS = (
    *("operator", "responsible", "cleaner"),
    *("inspector", "worker", "employee", "user", "chief", "assignee"),
    *("customer", "student", "patient", "person", "technician", "seller", "driver", "borrower"),
    *("member", "visitor", "guest", "candidate", "passenger", "player", "resident", "author"),
)
_LOOSELY = 0.3  # for each column that is named, and not said to be grouped by
_FEW_READ = 150  # groups that nobody reads one by one
_MORE_PEOPLE = 2  # who else is told of a row of which one is asked for
_MANY_CODES = 12
_MANY, _NEARLY = 50, 0.8  # rows of which nearly all have a value of their own
_PLAIN = frozenset(["name", "description", "code", "number", "type", "#count", "#total"])
_MOST_OR_LEAST = ("#most", "#least")


def is_key(context: QueryContext, name: str) -> bool:
    """Return whether a column identifies single rows; none does in a wide table."""
    return context.index.wide is None and context.index.is_identity(name)


def _has_many(context: QueryContext, name: str) -> bool:
    """Return whether a column has too many values to cross it with another."""
    most = _MANY_CODES if context.index.roles[name] == "code" else _MANY
    return context.index.column(name).distinct > most


def _is_row_ranked(context: QueryContext) -> bool:
    """Return whether a row is asked for by what it has the most of: 'a multa mais alta'."""
    slots = context.slots
    order = [(role, name) for role, name in slots.order if role != "number"]
    for at, (role, name) in enumerate(order):
        is_of_row = role == "column" and is_key(context, name)
        if not (role == "noun" or name == "#rows" or is_of_row):
            continue
        said = slots.cue_texts.get(name, name)
        many = slots.plural_of.get(name, False) if is_of_row else normalize(said).endswith("s")
        if many and slots.number is None:
            continue
        (first, cue), (second, other) = [*order[at + 1 : at + 3], ("", ""), ("", "")][:2]
        if first == "cue" and (cue in EXTREMES or (cue in _MOST_OR_LEAST and second == "measure")):
            return True
        if first == "measure":
            return second == "cue" and (other in EXTREMES or other in _MOST_OR_LEAST)
        if at and order[at - 1][0] == "cue" and order[at - 1][1] in EXTREMES:
            return True
    return False


def prepare(context: QueryContext) -> None:
    """Select the rows that are late or on time, and find the columns that pronouns ask for."""
    slots = context.slots
    is_told = any(each.other and context.index.is_moment(each.column) for each in slots.compared)
    if slots.has("overdue") and slots.elapsed is None and not is_told:
        due_rows.take_overdue(context)
    elif slots.has("on_time") and not is_told:  # 'on time: on or before the due date'
        due_rows.take_on_time(context)
    due_rows.take_age(context)
    _find_asked(context)
    context.ranks_row = _is_row_ranked(context)


def hardly_groups(context: QueryContext, name: str) -> bool:
    """Return whether nearly every row has a value of its own."""
    column, rows = context.index.column(name), context.index.profile.rows
    is_text = column.type in ("text", "category")
    return is_text and rows >= _MANY and column.distinct > _NEARLY * (rows - column.missing)


def chart_kind(context: QueryContext) -> str | None:
    """Return the kind of chart that is named."""
    return chart_named(context.slots.has)


def _find_asked(context: QueryContext) -> None:
    if context.slots.has("who"):
        _find_people(context)
    if context.slots.has("where"):
        _find_place(context)
    if context.slots.has("when"):
        _find_day(context)


@role_rule
def _find_people(context: QueryContext) -> None:
    """Find the column of people that 'quem' asks for, by its own name or that of who they are."""
    slots, index = context.slots, context.index
    people = [
        name
        for concept in _PEOPLE_CONCEPTS
        for name in (*index.concepts.get(concept, ()), *index.parts.get(concept, ()))
        if not index.is_number(name) or index.roles[name] in ("id", "code")
    ]
    people.sort(key=index.is_number)
    called = [
        name
        for name in people
        if not any(map(str.isdigit, str(index.column(name).known[:1])))
        and not (index.is_identity(name) or index.roles[name] in ("id", "code"))
    ]
    named = [*columns_named(index, "name"), *called, *people]
    person = next(iter(named), None)
    order = [each for each in slots.order if each[0] != "number"]
    beside = [
        name
        for (_, cue), (role, name) in pairwise(order)
        if cue == "#who" and role == "column" and not index.is_number(name)
    ]
    if not beside:
        beside = _called_by_noun(context, order)
    if beside:
        context.asked += beside  # 'quem era o médico'
    elif person is None:
        slots.cost += WRONG
    else:
        context.asked.append(person)
        others = [each for each in people if each != person]
        context.people = tuple(dict.fromkeys(others))[:_MORE_PEOPLE]


def _called_by_noun(context: QueryContext, order: list[tuple[str, str]]) -> list[str]:
    """Return the column that a noun behind 'quem' names, though rows may be called so, too.

    So 'quem são os fornecedores com mais atrasos' is no buyer in a file of suppliers' deliveries.
    """
    nouns = [name for (_, cue), (role, name) in pairwise(order) if (cue, role) == ("#who", "noun")]
    named = {
        link.column: normalize(noun).endswith("s")
        for noun in nouns
        for link in linker_of(context.index).columns_at(
            keys_of(tokenize(noun), current_lexicon()), 0, frozenset()
        )
        if link.cost <= MEANT and context.index.column(link.column).type == "category"
    }
    if len(named) != 1:
        return []
    context.slots.plural_of.update(named)
    return [*named]


@role_rule
def _find_place(context: QueryContext) -> None:
    """Find the column of places that 'onde' asks for."""
    if context.index.place_column is None:
        context.slots.cost += WRONG
    else:
        context.asked.append(context.index.place_column)


@role_rule
def _find_day(context: QueryContext) -> None:
    """Find the column of days that 'quando' asks for: the one that is named, else the rows' own."""
    moments = context.slots.moments
    column = moments[0] if moments else context.index.date_column
    if column is None:
        context.slots.cost += WRONG
    else:
        context.asked.append(column)


def unlike_asked(context: QueryContext, query: Query | Describe | Columns) -> float:
    """Return the cost of a query whose form is not the one that was asked for."""
    slots, wide = context.slots, context.index.wide
    is_timed = context.scope.period is not None or slots.has("trend")
    counts = is_count(query) or is_top(query)
    measure = query.measure if isinstance(query, Number | GroupBy) and not counts else None
    if wide is not None and is_timed and measure is not None:
        is_of_row = measure.kind in ("sum", "mean", "share") and measure.column
        return WRONG if is_of_row not in ("", False, wide.value) else 0.0
    asks_rows = slots.has("count", "total", "percent", "rows", "distinct", "missing", "overdue")
    is_of_rows = is_count(query) or (isinstance(query, Rows) and query.n is None)
    if is_of_rows and slots.asks_thing and not (asks_rows or slots.counted):
        is_thing = bool(slots.nouns) and not slots.nouns[0].lower().endswith("s")
        return WRONG * is_thing  # 'qual foi a margem', which is no number of rows
    if slots.has("compare") and isinstance(query, Number):
        return ODD  # one number, of what is set side by side
    several = compared_column(context.scope)
    compares = slots.has("compare", "most", "least") and not slots.has("which")
    if several is not None and compares and isinstance(query, GroupBy):
        by = {each.column for each in query.keys}
        return 0.0 if several in by else WRONG  # 'A demora mais do que B?', by neither
    return 0.0


def dimensions_of(context: QueryContext) -> tuple[list[Dimension], float]:
    """Return the columns to group by, and the cost of those that were merely named."""
    slots = context.slots
    groups = [*dict.fromkeys(slots.groups)]
    loose = [*dict.fromkeys([*slots.targets, *slots.bare, *map(Dimension, slots.outputs)])]
    fixed = {
        each.column
        for each in context.scope.filters
        if each.relation == "is" and len(each.values) == 1 and not each.grain
    }
    loose = [each for each in loose if each not in groups and each.column not in fixed]
    says = slots.has("chart", "compare", "distribution", "trend", "table", "which", "show") or (
        any(each.startswith("#kind_") for each in slots.cues)
    )
    is_crossed = len(loose) == len(groups) == 1 and slots.order[:2] == [
        ("column", loose[0].column),
        ("group", groups[0].column),
    ]  # 'estado por unidade'
    paid = len(loose) * (
        0.05 if is_crossed or (says and not slots.groups) else _LOOSELY + 0.3 * bool(slots.groups)
    )
    paid += 0.8 * sum(not each.grain and is_key(context, each.column) for each in (*groups, *loose))
    paid += 0.8 * sum(
        not is_key(context, each.column) and hardly_groups(context, each.column) for each in loose
    )
    is_cut = slots.having is not None or bool(slots.compared) or slots.number is not None
    paid += 0.8 * sum(
        not each.grain and context.index.column(each.column).distinct > _FEW_READ
        for each in (() if is_cut else (*groups, *loose))
    )
    if len(groups) + len(loose) > 1:
        paid += 0.6 * sum(
            not each.grain and _has_many(context, each.column) for each in (*groups, *loose)
        )
    if not any(grain == "day" for grain, _ in slots.grains):
        kept = _coarser([*groups, *loose])
        groups = [each for each in groups if each in kept]
        loose = [each for each in loose if each in kept]
    time = [each for each in groups if each.grain]
    needs_time = slots.has("trend", "cumulative") and not time
    if needs_time and context.index.date_column is not None:
        grain = grain_for(context.index, context.period)
        groups.insert(0, Dimension(context.index.date_column, grain))
    elif needs_time:
        paid += WRONG
    return [*groups, *loose], paid


def grouped(
    context: QueryContext,
    dims: Sequence[Dimension],
    measure: Measure,
    n: int | None = None,
    order: Order = "",
) -> Query:
    """Return a measure of the groups of one or two dimensions."""
    split = dims[1] if len(dims) > 1 else None
    return GroupBy(
        context.scope,
        dims[0],
        measure,
        split,
        n=n,
        order=order,
        is_cumulative=context.slots.has("cumulative") and bool(dims[0].grain),
    )


def order_asked(context: QueryContext) -> Order:
    """Return the order that is asked for in words."""
    slots = context.slots
    if slots.has("by_name"):
        return "name"
    said = slots.cue_texts.get("#ascending", "") or slots.cue_texts.get("#descending", "")
    is_turned = is_best_most(said, slots.measures, context.index)
    if slots.has("ascending"):
        return "most" if is_turned else "least"
    if slots.has("descending", "by_value", "sort"):
        return "least" if is_turned else "most"
    return ""


def _is_named_row(context: QueryContext, name: str) -> bool:
    """Return whether a column is called as the rows are, and these were named: 'lotNo'."""
    said = {stem(word.normalized) for noun in context.slots.nouns for word in tokenize(noun)}
    own = {stem(word.normalized) for word in tokenize(name)}
    return bool(said & own) and context.index.is_called_rows(name)


def list_order(
    context: QueryContext, measures: Sequence[str]
) -> tuple[str, Literal["most", "least", ""]]:
    """Return the column by which listed rows are put in order, and in which; '' for none."""
    order = order_asked(context)
    if context.slots.sorted_by:
        return context.slots.sorted_by, "most" if order == "most" else "least"
    if (order == "most" or order == "least") and len(measures) == 1:
        return measures[0], order  # 'lista com a quantidade, do maior para o menor'
    return "", ""


def called_by_name(context: QueryContext, dimension: Dimension) -> Dimension:
    """Return the column of names in place of a column of codes for the same things."""
    index = context.index
    if dimension.grain or not is_code(context, dimension.column):
        return dimension
    said = words_by_role("name_kind")
    if any(normalize(each) in said for each in context.slots.cue_texts.values()):
        return dimension
    own = index.column(dimension.column)
    meant = {*domain_lexicon().concepts_of_name(own.name), *index.lemmas[own.name]}
    of_people = [name for name in columns_named(index, "name") if meant & {*_PEOPLE_CONCEPTS}]
    named = [
        each.name
        for each in index.profile.columns
        if each.type in ("text", "category")
        and not is_code(context, each.name)
        and meant
        & ({*index.lemmas[each.name], *domain_lexicon().concepts_of_name(each.name)} - _PLAIN)
    ]
    names = [each.name for each in index.profile.columns]
    beside = names[names.index(own.name) + 1 :][:1]
    told = [
        name
        for name in beside
        if not (is_code(context, name) or normalize(own.name).startswith("ref"))
        and _describes(context, name)
    ]
    for name in (*of_people, *named, *told):
        if 0.9 * own.distinct <= index.column(name).distinct <= own.distinct:
            context.called_as[own.name] = name
            return Dimension(name)
    return dimension


def _describes(context: QueryContext, name: str) -> bool:
    """Return whether a column only describes the one before it: 'Kurztext', 'Denominação'."""
    said = {*context.index.lemmas[name], *domain_lexicon().concepts_of_name(name)}
    return bool(said & {"description", "name", "text"})


def is_code(context: QueryContext, name: str) -> bool:
    """Return whether a column holds numbers or texts with numbers in them."""
    own = context.index.column(name)
    return context.index.is_number(name) or any(map(str.isdigit, str(own.top and own.top[0][0])))


def shown_columns(context: QueryContext, outputs: Sequence[str], by: str) -> tuple[str, ...]:
    """Return the columns to show of rows, without the one that they are ranked by."""
    asked = [called_by_name(context, Dimension(each)).column for each in outputs]
    asked += (*context.asked, *context.people)
    asked = [each for each in dict.fromkeys(asked) if each != by]
    if not asked:
        return ()
    called = [
        each.name
        for each in context.index.profile.columns
        if (each.name in context.index.telling and context.index.is_identity(each.name))
        or (each.type in ("text", "category") and _is_named_row(context, each.name))
    ]
    return tuple(dict.fromkeys([*called, *asked]))


def _coarser(dims: Sequence[Dimension]) -> list[Dimension]:
    """Return dimensions without the days of a column that is grouped by months: 'mês de pedido'."""
    grained = {each.column for each in dims if each.grain not in ("", "day")}
    return [each for each in dims if each.column not in grained or each.grain not in ("", "day")]
