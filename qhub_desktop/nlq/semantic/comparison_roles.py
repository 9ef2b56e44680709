"""Comparison roles: each comparison gets its column before other roles are given.

A comparison may be of a column of numbers, of two columns, of a column with what it ought to be, of
the time between two moments, or of the number of rows.
"""

from typing import Literal

from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import numbers_things
from qhub_desktop.nlq.lexicon import current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import (
    OPPOSITES,
    SIGNS,
    Filter,
    Relation,
)
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic import timestamp_roles
from qhub_desktop.nlq.semantic.column_meaning import (
    actual_of,
    factor_between,
    is_edge,
    is_target,
    money_measures,
    time_unit,
)
from qhub_desktop.nlq.semantic.computed_roles import asked_and_came
from qhub_desktop.nlq.semantic.mention_context import AND, GUESSED, MentionContext
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.timestamps import (
    due_and_closed,
    elapsed_pair,
    in_order,
)
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES
from qhub_desktop.nlq.tokenizer import stem
from qhub_desktop.nlq.tokenizer import unit as unit_of
from qhub_desktop.nlq.word_meanings import AFTERWARDS, GRAIN_CUES, RELATIONS, TO_WORDS

_COMPARISON_REACH = 4  # mentions between a comparison and its column
_FAR = 0.15
_SAID_AS_LIMIT = 0.1  # what a limit costs behind a comparison, where it hardly needs its whole name
_COLUMNS_IN = {"minutes": "minute", "hours": "#grain_hour", "days": "#grain_day"}


def bind_comparisons(context: MentionContext) -> None:
    """Bind every comparison to a number and to what it is compared with."""
    for at, item in enumerate(context.items):
        if item.kind == "against":
            timestamp_roles.bind_against(context, at, item)
    for at, item in enumerate(context.items):
        if at in context.used:
            continue
        if _bind_mean(context, at, item):
            continue
        if _bind_columns(context, at, item) or _bind_target(context, at, item):
            continue
        found = _comparison_at(context, at, item)
        if found is None:
            continue
        relation, numbers, places = found
        end = max(places)
        if _bind_either_way(context, relation, numbers, places, end):
            continue
        if _bind_age(context, relation, numbers, places, end):
            continue
        unit = context.items[end + 1] if end + 1 < len(context.items) else None
        said_unit, context.measured = "", ""
        if unit is not None and unit.kind == "unit":
            places.append(end + 1)
            end, said_unit, context.measured = end + 1, unit.text, unit.lemma
        if unit is not None and unit.lemma in ("#grain_hour", "#grain_day", "#percent"):
            said_unit = unit.lemma
        _bind_near(context, relation, numbers, places, end, said_unit)


@role_rule
def _bind_age(
    context: MentionContext,
    relation: Relation,
    numbers: tuple[float, ...],
    places: list[int],
    end: int,
) -> bool:
    """Bind a comparison in years to the one column of ages: 'utentes acima dos 65 anos'."""
    beside = context.items[end + 1] if end + 1 < len(context.items) else None
    ages = context.index.measures_of("age")
    if beside is None or beside.lemma != "#grain_year" or len(ages) != 1:
        return False
    context.slots.compared.append(Filter(ages[0], numbers, relation))
    context.slots.order.append(("filter", ages[0]))
    context.used.update((*places, end + 1))
    return True


@role_rule
def _bind_mean(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind a comparison with what all rows have in the mean: 'peso acima da média'."""
    relation, place = RELATIONS.get(item.lemma), at + 1
    said = context.items[place].lemma if place < len(context.items) else ""
    if (
        relation is None
        or relation not in SIGNS
        or said not in ("#mean", "#median")
        or context.index.wide is not None
    ):
        return False
    near = [each for each in (at + 2, at - 1) if 0 <= each < len(context.items)]
    near = [each for each in near if context.items[each].column]
    named = [each for each in near if context.index.is_measure(context.items[each].column)]
    if not named:
        return False
    name = context.items[named[0]].column
    statistic: Literal["mean", "median"] = "mean" if said == "#mean" else "median"
    context.slots.compared.append(Filter(name, (), relation, statistic=statistic))
    context.slots.order.append(("filter", name))
    context.used.update((at, place, named[0]))
    return True


@role_rule
def _bind_columns(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind a comparison of two columns of numbers: 'stock abaixo do mínimo'."""
    relation = RELATIONS.get(item.lemma)
    if relation is None or not 0 < at < len(context.items) - 1:
        return False
    before, after = context.items[at - 1], context.items[at + 1]
    both = (before, after)
    if any(each.kind != "column" or not context.index.is_measure(each.column) for each in both):
        return False
    if before.column == after.column:
        return False
    wanted = Filter(before.column, (), relation, other=after.column)
    if is_target(context.index, after.column):
        wanted = _beyond(context, at + 1, before.column, relation, after.column)
    context.slots.compared.append(wanted)
    context.slots.order.append(("filter", before.column))
    context.used.update((at - 1, at, at + 1))
    return True


@role_rule
def _bind_target(context: MentionContext, at: int, item: Mention) -> bool:
    """Bind a comparison with what ought to be: 'abaixo do objetivo', 'não atingiram a meta'."""
    relation = RELATIONS.get(item.lemma)
    if relation is None or at + 1 >= len(context.items):
        return False
    place = at + 1
    if context.items[place].lemma in ("#most", "#least") and at + 2 < len(context.items):
        place = at + 2  # 'que atingiu mais vezes a meta'
    limit, index = _limit_at(context, place), context.index
    edge = context.items[place + 1] if place + 1 < len(context.items) else None
    if limit is None and edge is not None and edge.lemma in ("#min", "#max"):
        limit = _limit_at(context, place + 1)  # 'abaixo do stock mínimo'
        if limit is None or actual_of(index, limit) != context.items[place].column:
            return False
        context.used.add(place)
        place += 1
    if limit is None:
        return False
    before = context.items[at - 1] if at else None
    is_said = before is not None and before.kind == "column" and index.is_measure(before.column)
    actual = before.column if before is not None and is_said else actual_of(index, limit)
    if actual is None or actual == limit:
        return False
    if item.lemma == "#reaches" and index.is_gain(actual) is False and not is_edge(limit):
        relation = "at most"  # a time that was to be reached
    negated = at > 0 and context.items[at - 1].lemma == "#except"
    if negated:
        relation = OPPOSITES[relation]
        context.used.add(at - 1)
    context.slots.compared.append(_beyond(context, place, actual, relation, limit))
    context.slots.order.append(("filter", actual))
    context.used.update((at, place))
    for other, each in enumerate(context.items):
        of_target = other > at and each.column == limit
        if each.kind == "column" and (of_target or (other < at and each.column == actual)):
            context.used.add(other)  # 'ciclos acima do tempo objetivo'
    return True


@role_rule
def _bind_either_way(
    context: MentionContext,
    relation: Relation,
    numbers: tuple[float, ...],
    places: list[int],
    end: int,
) -> bool:
    """Bind how far something is from what it ought to be: 'more than 10 degrees off target'."""
    at, index = end + 1, context.index
    at += at < len(context.items) and context.items[at].kind == "unit"
    is_said = at + 1 < len(context.items) and context.items[at].lemma == "#off"
    if not is_said or relation not in ("above", "at least"):
        return False
    bounds = (-numbers[0], numbers[0])
    limit = _limit_at(context, at + 1)
    actual = actual_of(index, limit) if limit is not None else None
    if limit is None or actual is None:
        return False
    beyond = Filter(actual, bounds, "outside", since=limit, unit="difference")
    context.slots.compared.append(beyond)
    context.slots.order.append(("filter", beyond.column))
    context.slots.cost -= max(0.0, context.items[at + 1].cost - _SAID_AS_LIMIT)
    context.used.update((*places, *range(end + 1, at + 2)))
    return True


def _limit_at(context: MentionContext, place: int) -> str | None:
    """Return the column of a limit that a mention names: 'objetivo', 'mínimo'."""
    item, index = context.items[place], context.index
    if item.kind == "column":
        is_asked = item.column in dict(asked_and_came(index))
        return item.column if is_asked or is_target(index, item.column) else None
    if item.lemma not in ("#min", "#max"):
        return None
    edges = [name for name in index.measures if is_edge(name) == item.lemma]
    return edges[0] if len(edges) == 1 else None


def _beyond(
    context: MentionContext, place: int, actual: str, relation: Relation, limit: str
) -> Filter:
    """Return the condition on a column and its limit, and by how much: 'em mais de 40 min'.

    `place` is that of the limit.
    """
    context.slots.cost -= max(0.0, context.items[place].cost - _SAID_AS_LIMIT)
    level = Filter(actual, (), relation, other=limit)
    at = place + 1
    at += at < len(context.items) and context.items[at].lemma == "#by"  # 'by more than 40 min'
    more = context.items[at].lemma if at < len(context.items) else ""
    at += more in ("#above", "#at_least")
    item = context.items[at] if at < len(context.items) else None
    beside = context.items[at + 1] if at + 1 < len(context.items) else None
    if item is None or item.kind != "number" or relation not in ("above", "below"):
        return level
    if beside is not None and beside.lemma == "#percent":
        return level
    if beside is not None and (beside.kind == "unit" or beside.lemma in GRAIN_CUES):
        context.used.add(at + 1)
    context.used.update(range(place + 1, at + 1))
    is_least = more == "#at_least"
    if relation == "above":
        said: Relation = "at least" if is_least else "above"
        return Filter(actual, (item.number,), said, since=limit, unit="difference")
    said = "at most" if is_least else "below"
    return Filter(actual, (-item.number,), said, since=limit, unit="difference")


def _comparison_at(
    context: MentionContext, at: int, item: Mention
) -> tuple[Relation, tuple[float, ...], list[int]] | None:
    items = context.items

    def number_at(place: int) -> float | None:
        if place < len(items) and items[place].kind == "number":
            return items[place].number
        return None

    if item.kind == "cue" and item.lemma == "#between":
        first, rest = number_at(at + 1), at + 2
        if rest < len(items) and items[rest].kind == "unit":
            rest += 1
        if rest < len(items) and items[rest].lemma == "#again":
            rest += 1
        second = number_at(rest)
        years = [
            each for each in (first, second) if each is not None and context.index.is_year(each)
        ]
        if first is not None and second is not None and len(years) < 2:
            low, high = sorted((first, second))
            return "between", (low, high), [*range(at, rest + 1)]
        return None
    if item.kind == "cue" and (relation := RELATIONS.get(item.lemma)) is not None:
        number = number_at(at + 1)
        if number is None:
            return None
        return relation, (number,), [at, at + 1]
    number = number_at(at)
    if number is None:
        return None
    after = at + 1
    if after < len(items) and items[after].kind == "unit":
        after += 1
    if after < len(items) and (relation := AFTERWARDS.get(items[after].lemma)) is not None:
        return relation, (number,), [*range(at, after + 1)]
    second = number_at(at + 1)
    if second is not None and context.before(at + 1) & TO_WORDS and second > number:
        return "between", (number, second), [at, at + 1]
    return None


@role_rule
def _bind_near(
    context: MentionContext,
    relation: Relation,
    numbers: tuple[float, ...],
    places: list[int],
    end: int,
    unit: str,
) -> bool:
    """Bind a comparison to a column of numbers near it, in the unit that is said: 'over 2 hours'.

    One with a time between two days, or with the number of rows, is bound to that instead.
    """
    start = min(places)
    negated = start > 0 and context.items[start - 1].lemma == "#except"
    if negated:
        relation = OPPOSITES[relation]
        places.append(start - 1)
    if _bind_elapsed(context, relation, numbers, places, end):
        return False
    column, paid, at = _compared_column(context, start, end, unit)
    is_free = column is None or at > end  # no column of numbers before it
    wanted = Filter("", numbers, relation)
    if _bind_count(context, wanted, places, end, is_free=is_free, is_far=paid > 0):
        return False
    if column is None:
        return False
    rows = context.items[end + 1] if end + 1 < len(context.items) else None
    if unit.startswith("#"):
        places.append(end + 1)
    profile = context.index.column(column)
    if unit == "#percent" and isinstance(profile.max, int | float) and profile.max <= 1:
        numbers = tuple(each / 100 for each in numbers)
    said = context.items[end + 1].text if end + 1 < len(context.items) else ""
    factor = factor_between(unit or said.split(" ")[0], column)
    numbers = tuple(round(each * factor, 9) for each in numbers)
    context.slots.compared.append(Filter(column, numbers, relation))
    context.slots.order.append(("filter", column))
    context.slots.cost += paid
    if rows is not None and rows.kind == "column" and rows.column == column:
        places.append(end + 1)  # the unit, by which the column is called: '10k EUR'
    context.used.update(places)
    if at >= 0:
        item = context.items[at]
        beside = (*context.items[max(0, at - 1) : at], *context.items[at + 1 : at + 2])
        is_ranked = any(each.lemma in STATISTIC_CUES for each in beside)
        if not is_ranked and item.kind == "column":
            context.used.add(at)
            context.last_column = column
    return True


@role_rule
def _bind_count(
    context: MentionContext,
    wanted: Filter,
    places: list[int],
    end: int,
    *,
    is_free: bool,
    is_far: bool,
) -> bool:
    """Bind a comparison to the number of rows of a group: 'clientes com mais de 40 pedidos'.

    `is_free` tells that no column of numbers stands before it, `is_far` that the nearest is far.
    """
    rows = context.items[end + 1] if end + 1 < len(context.items) else None
    if is_free and rows is not None and rows.kind == "value" and not context.before(end + 1):
        context.slots.having = wanted  # 'mais de 40 alarmes'
        context.used.update(places)
        context.slots.has_rows = True
        return True
    if rows is None or not _counts_rows(context, end + 1) or not (is_free or is_far):
        return False
    context.slots.having = wanted
    context.used.update((*places, end + 1))
    if rows.kind == "noun":
        context.slots.nouns.append(rows.text)
    elif rows.kind == "column" and not _is_row_column(context, rows.column):
        _count_different(context, rows, float(wanted.values[0]))
    context.slots.has_rows = True
    return True


def _is_row_column(context: MentionContext, name: str) -> bool:
    """Return whether a column's name says what a row is, as its values are hardly repeated."""
    index, column = context.index, context.index.column(name)
    is_own = index.is_identity(name) or column.type == "text" or index.is_called_rows(name)
    return is_own and not numbers_things(index, name)


@role_rule
def _count_different(context: MentionContext, item: Mention, least: float) -> None:
    """Compare the number of different values of a column: 'lojas com mais de 3 produtos'.

    Of a column with fewer values than that, the rows are counted instead.
    """
    name, column = item.column, context.index.column(item.column)
    if column.distinct > least:
        context.slots.different = name
        return
    said = {stem(each.normalized) for each in context.words[item.start : item.end]}
    meant = {each for one in said for each, _ in domain_lexicon().concepts_at((one,), 0)}
    is_row = not (column.missing or meant.isdisjoint(current_lexicon().rows))
    context.slots.cost += -max(0.0, item.cost - _SAID_AS_LIMIT) if is_row else GUESSED


def _counts_rows(context: MentionContext, at: int) -> bool:
    """Return whether rows are counted, or the different values of a column: '3 produtos'."""
    item = context.items[at]
    if item.kind != "column":
        return item.kind == "noun" or item.lemma == "#rows"
    index, name = context.index, item.column
    if numbers_things(index, name) or index.is_identity(name) or _is_row_column(context, name):
        return not index.is_measure(name) or index.is_identity(name)
    is_kind = not (index.is_measure(name) or index.is_moment(name))
    is_kind = is_kind and flag_values(index.column(name)) is None
    return is_kind and context.is_plural(item) and not context.before(at)


@role_rule
def _bind_elapsed(
    context: MentionContext,
    relation: Relation,
    numbers: tuple[float, ...],
    places: list[int],
    end: int,
) -> bool:
    """Bind a comparison to the time between two days: 'que demoraram mais de 10 dias'.

    Only where no column of numbers holds such times.
    """
    index = context.index
    last = [context.items[place] for place in (end, end + 1) if place < len(context.items)]
    units = [found for each in last if (found := time_unit(each.text))]
    unit = units[0] if units else ""
    if not unit or index.measures_of("time") or index.measures_in_unit(_COLUMNS_IN[unit]):
        return False
    measured = [each.column for each in context.items if each.kind == "column"]
    if any(time_unit(unit_of(each).strip("()[] .")) == unit for each in measured):
        return False  # 'um atraso acima de 45 dias', of 'Atraso (dias)'
    near = {
        at: each
        for at, each in enumerate(context.items)
        if (each.kind == "column" and index.is_moment(each.column)) or each.kind == "elapsed"
    }
    said = [name for each in near.values() for name in (each.since, each.column) if name]
    named = [*dict.fromkeys(said)]
    pair = elapsed_pair(index)
    if len(named) == 2:
        pair = (named[0], named[1])
    late = next((at for at, each in enumerate(context.items) if each.lemma == "#overdue"), -1)
    due, closed = due_and_closed(index)
    if late >= 0 and due is not None and closed is not None:  # 'com mais de 3 dias de atraso'
        context.slots.compared.append(Filter(closed, numbers, relation, since=due, unit=unit))
        context.slots.order.append(("filter", closed))
        context.used.update((*places, late, *(end + 1 for e in last[1:] if time_unit(e.text))))
        return True
    if pair is None or not {*named} <= {*pair}:
        return False
    first, second = in_order(index, *pair)
    context.slots.compared.append(Filter(second, numbers, relation, since=first, unit=unit))
    context.slots.order.append(("filter", second))
    context.used.update((*places, *near, *(end + 1 for each in last[1:] if time_unit(each.text))))
    return True


def _has_own_limit(context: MentionContext, at: int) -> bool:
    """Return whether the next word compares a column: 'preço abaixo de 5'."""
    following = [each.lemma for each in context.items[at + 1 : at + 2]]
    return bool(following) and following[0] in RELATIONS


def _is_other_unit(name: str, other: str) -> bool:
    """Return whether two columns are in units of different things, as their names tell."""
    one, another = (domain_lexicon().concept_of_unit(unit_of(each)) for each in (name, other))
    return bool(one) and one != another


def _compared_column(
    context: MentionContext, start: int, end: int, unit: str
) -> tuple[str | None, float, int]:
    """Return the column that a comparison is about, what that costs, and its place or -1."""
    index = context.index
    near: list[tuple[float, str, int]] = []
    for at, item in enumerate(context.items):
        if item.kind != "column" or not index.is_measure(item.column):
            continue
        if flag_values(index.column(item.column)) is not None:
            continue
        if at > end and _has_own_limit(context, at):
            continue  # 'com mais de 100 unidades e preço abaixo de 5'
        distance = start - at if at < start else at - end
        if distance <= _COMPARISON_REACH:
            between = context.items[min(at, end) + 1 : max(at, start)]
            crossed = sum(each.kind in ("column", "value") for each in between)
            after = 0.3 if at > end else 0.0
            near.append((crossed + 0.1 * (distance - 1) + after, item.column, at))
    names = context.measures_in(unit) if unit else ()
    if near:
        paid, column, at = min(near)
        names = names or (index.measures_of(context.measured) if context.measured else ())
        if len(names) == 1 and column not in names and _is_other_unit(column, names[0]):
            return names[0], 0.1, -1  # 'portagens das viagens acima de 10 toneladas'
        return column, _FAR * paid, at
    if len(names) == 1:
        return names[0], 0.1, -1
    if context.recent is not None:
        return context.recent, 0.0, -1
    if index.wide is not None:
        return index.wide.value, 0.2, -1  # 'em quantos meses passou de 150'
    following = context.items[end + 1] if end + 1 < len(context.items) else None
    if following is None or following.kind in ("cue", "date"):
        money = tuple(name for name, _ in money_measures(index))
        for names in (index.measures, money):
            if len(names) == 1:
                return names[0], 0.4, -1
    return None, 0.0, -1


def is_another_alone(context: MentionContext, at: int, item: Mention) -> bool:
    """Return whether a second value of a column is joined to the first by no 'and'."""
    before = next((each for each in reversed(context.items[:at]) if each.kind == "value"), item)
    if before.column != item.column or before.end >= item.start:
        return False
    between = {word.normalized for word in context.words[before.end : item.start]}
    return not between & (AND | words_by_role("versus")) and not context.slots.has("compare")
