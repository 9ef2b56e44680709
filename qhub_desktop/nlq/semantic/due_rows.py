"""Rows selected by what was due: late, on time, open for so long; and words for times."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Filter, Period, TimeUnit
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic.column_meaning import began_ago, last_day_of, time_unit
from qhub_desktop.nlq.semantic.query_context import QueryContext
from qhub_desktop.nlq.semantic.slots import ODD, WRONG
from qhub_desktop.nlq.semantic.timestamps import (
    closing_values,
    due_and_closed,
    is_planned,
    moments_of,
)
from qhub_desktop.nlq.tokenizer import normalize

_FEW_OPEN = 0.1  # of the rows, where nearly all are over


@role_rule
def take_overdue(context: QueryContext) -> None:
    """Select rows that are late: due and not closed by the data's last day, or closed too late."""
    index, slots = context.index, context.slots
    due, closed = due_and_closed(index)
    over = Filter(closed or "", (), "present")
    if due is not None and closed is not None and over in context.scope.filters:
        kept = [each for each in context.scope.filters if each != over]  # 'delivered late'
        late = Filter(closed, (), "above", other=due)
        context.scope = replace(context.scope, filters=(*kept, late))
        return
    if due is not None and closed is not None and _tells_delay(context):
        late = Filter(closed, (), "above", other=due)
        context.scope = replace(context.scope, filters=(*context.scope.filters, late))
        slots.elapsed = (due, closed)  # 'quantos dias de atraso em média'
        return
    if due is None or (context.scope.period is not None and closed is None):
        slots.cost += WRONG
        return
    if closed is not None and _came_late(context, closed):
        late = Filter(closed, (), "above", other=due)  # 'entregas que chegaram atrasadas'
        context.scope = replace(context.scope, filters=(*context.scope.filters, late))
        slots.moments = [each for each in slots.moments if each not in (due, closed)]
        slots.first_filter = closed
        return
    happened = [name for name in moments_of(index) if name != due and not is_planned(name)]
    lasts = [last_day_of(index, name) for name in happened]
    last = max((each for each in lasts if each is not None), default=None) or last_day_of(
        index, due
    )
    if last is None:
        slots.cost += WRONG
        return
    filters = [*context.scope.filters]
    closing = closing_values(context.index)
    is_closed = any(
        each.relation == "is" and {(each.column, value) for value in each.values} <= {*closing}
        for each in filters
    )
    if closed is not None and (is_closed or context.scope.period is not None):
        late = Filter(closed, (), "above", other=due)  # 'pagas com atraso'
        slots.cost += 0.0 if is_closed else ODD
        context.scope = replace(context.scope, filters=(*filters, late))
        slots.first_filter = closed  # of the closed ones, the share that was late
        return
    if closed is not None and context.superlatives:
        slots.cost += ODD  # 'qual transportadora mais atrasa': of open ones, or of all?
    if closed is not None:
        filters.append(Filter(closed, (), "missing"))
    chosen = {each.column for each in filters if each.relation == "is"}
    if len({column for column, _ in closing}) == 1 and closing[0][0] not in chosen:
        column = closing[0][0]
        filters.append(Filter(column, tuple(value for _, value in closing), "is not"))
    slots.moments = [each for each in slots.moments if each != due]
    period = Period(due, None, last - timedelta(days=1))
    context.scope = replace(context.scope, filters=tuple(filters), period=period)


@role_rule
def take_age(context: QueryContext) -> bool:
    """Select open rows by how long ago they began: 'abertas há mais de 10 dias'."""
    open_by = {each.column for each in context.scope.filters if each.relation == "missing"}
    aged = next((e for e in context.scope.filters if e.unit and e.column in open_by), None)
    if aged is None:
        return False
    period = began_ago(context.index, aged)
    if period is None or context.scope.period is not None:
        context.slots.cost += WRONG
        return False
    kept = tuple(each for each in context.scope.filters if each != aged)
    context.slots.compared = [each for each in context.slots.compared if each != aged]
    context.scope = replace(context.scope, filters=kept, period=period)
    return True


@role_rule
def take_on_time(context: QueryContext) -> None:
    """Select rows that were closed by the day on which they were due."""
    due, closed = due_and_closed(context.index)
    if due is None or closed is None:
        context.slots.cost += WRONG
        return
    if (open_ := Filter(closed, (), "missing")) in context.scope.filters:
        others = [each for each in context.scope.filters if each != open_]
        late = Filter(closed, (), "above", other=due)  # 'não foram entregues a tempo'
        context.scope = replace(context.scope, filters=(*others, late))
        return
    kept, over = Filter(closed, (), "at most", other=due), Filter(closed, (), "present")
    others = [each for each in context.scope.filters if each != over]
    context.scope = replace(context.scope, filters=(*others, kept))
    context.slots.first_filter = closed


def _came_late(context: QueryContext, closed: str) -> bool:
    """Return whether what was late is meant, rather than what is due and still open.

    It is where it is told as what has come about, and where hardly any row is still open.
    """
    slots, column = context.slots, context.index.column(closed)
    if not column.missing or (slots.is_past and not slots.is_now):
        return True
    said = normalize(slots.cue_texts.get("#overdue", ""))
    missed = (*words_by_role("misses_due"), *words_by_role("denial"))
    if said.startswith(missed) or said in words_by_role("due_noun"):
        return True  # 'quem falha os prazos', 'quem falha mais prazos'
    if context.superlatives and "delay" in domain_lexicon().concepts_of_name(said):
        return True  # 'quem tem mais atrasos'
    is_open = slots.is_now or said in words_by_role("still_overdue")
    return column.missing < _FEW_OPEN * context.index.profile.rows and not is_open


def _tells_delay(context: QueryContext) -> bool:
    """Whether it is asked how late, not which rows are."""
    slots = context.slots
    days = any(grain == "day" and not is_by for grain, is_by in slots.grains)
    said = domain_lexicon().concepts_of_name(slots.cue_texts.get("#overdue", ""))
    is_noun = "delay" in said and not slots.has("count")  # 'atraso', 'delay by carrier'
    is_told = slots.has("max", "min") or (bool(slots.groups) and not slots.nouns)
    return (
        bool(slots.statistics)
        or (days and slots.has("count", "max", "min"))
        or (is_noun and is_told and not slots.has("most", "least", "percent", "rate"))
    )


def may_add_time(context: QueryContext) -> bool:
    """Whether 'tempo' is said of groups without a statistic: a total or a mean may be meant."""
    said = normalize(context.slots.cue_texts.get("#duration", ""))
    return not context.slots.statistics and said in words_by_role("time_noun")


def says_time_spent(context: QueryContext) -> bool:
    """Whether groups are ranked by the time they took: 'a máquina com mais tempo'."""
    said = normalize(context.slots.cue_texts.get("#duration", ""))
    order = [name for role, name in context.slots.order if role == "cue"]
    return said in words_by_role("duration_noun") and any(
        one in ("#most", "#least") and other == "#duration" for one, other in pairwise(order)
    )


def unit_of_time(context: QueryContext) -> TimeUnit:
    """Return the unit of time in which an answer is asked for, empty if none is said."""
    units = [found for each in context.slots.units if (found := time_unit(each))]
    grains = [grain for grain, is_by in context.slots.grains if not is_by]
    if units:
        return units[0]
    return "hours" if "hour" in grains else "days" if "day" in grains else ""


def without_closed(context: QueryContext) -> tuple[Filter, ...]:
    """Return the conditions less 'is closed', which a filled day of closing says, too."""
    closed = {*closing_values(context.index)}
    return tuple(
        each
        for each in context.scope.filters
        if each.relation != "is" or not {(each.column, value) for value in each.values} <= closed
    )
