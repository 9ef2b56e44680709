"""Timestamps set against each other: 'entregues depois do prazo', '10 days after that'."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Filter, Relation
from qhub_desktop.nlq.row_events import events_near, events_said
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.semantic.column_meaning import time_unit
from qhub_desktop.nlq.semantic.mention_context import MentionContext
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.semantic.timestamps import (
    counterpart_day,
    done_of,
    events_by_column,
    is_agreed,
    is_planned,
)
from qhub_desktop.nlq.statistic_kinds import STATISTIC_CUES
from qhub_desktop.nlq.word_meanings import RELATIONS

_OTHER_DEADLINE = 0.625  # that a day is set against a deadline of something else
_EXPLAINED = 0.35  # what a verb may cost less that is set against a day
_UNSAID_SIDE = 0.4  # that it is not said what came after something


@role_rule
def bind_against(context: MentionContext, at: int, item: Mention) -> None:
    """Bind what came before or after a moment that is named: 'entregues depois do prazo'.

    By how much is said before it: 'mais de 10 dias depois', or asked: 'how many days after'.
    """
    beside = _moment_beside(context, at)
    other = beside or counterpart_day(context.index, item.column)
    if other is None:
        return
    context.slots.cost += _UNSAID_SIDE * (beside is None and not is_planned(item.column))
    is_after = item.lemma == "#after"
    since, end = (item.column, other) if is_after else (other, item.column)
    before = context.items[max(0, at - 3) : at]
    unit = time_unit(before[-1].text) if before else ""
    if unit and len(before) > 1 and before[-2].kind == "number":
        said = RELATIONS.get(before[-3].lemma) if len(before) > 2 else None
        if said is None:
            return
        wanted = Filter(end, (before[-2].number,), said, since=since, unit=unit)
        _compare_moments(context, wanted, range(at - 3, at + 1), other)
        return
    asked = [each.lemma for each in context.items[:at]]
    if unit and {"#count", *STATISTIC_CUES} & {*asked}:
        context.items[at] = replace(item, kind="elapsed", column=end, since=since)
        _forget_moments(context, {other})
        return
    is_own = done_of(context.index, item.column) == other
    if is_agreed(item.column) and not (is_own or is_agreed(other)):
        context.slots.cost += _OTHER_DEADLINE  # another deadline's day
    relation: Relation = "above" if is_after else "below"
    if context.before(at) & words_by_role("or"):
        relation = "at least" if is_after else "at most"  # 'on or before the due date'
    _compare_moments(context, Filter(other, (), relation, other=item.column), [at], other)


def _moment_beside(context: MentionContext, at: int) -> str | None:
    """Return the column of the moment that is set against one: the nearest, before it first."""
    limit = context.items[at].column
    places = (*reversed(range(at)), *range(at + 1, len(context.items)))
    named = (context.items[each].column for each in places if context.items[each].kind == "column")
    return next((e for e in named if e != limit and context.index.is_moment(e)), None)


def _compare_moments(
    context: MentionContext, wanted: Filter, places: Iterable[int], other: str
) -> None:
    context.slots.compared.append(wanted)
    context.slots.order.append(("filter", wanted.column))
    if context.shares:
        context.slots.first_filter = wanted.column
    context.used.update(places)
    named = [e.cost for e in context.items if e.kind == "column" and e.column == other]
    context.slots.cost -= min(_EXPLAINED, max(named, default=0.0))  # 'reparadas depois do prazo'
    _forget_moments(context, {other})
    happened = events_by_column(context.index)[other]
    for at, each in enumerate(context.items):  # 'closed after the deadline', whatever its state
        said = events_said(context.words[each.start].normalized)
        said |= events_near(said)
        if each.kind == "value" and said & happened:
            context.used.add(at)


def _forget_moments(context: MentionContext, names: Collection[str]) -> None:
    """Take moments that are named for parts of a comparison that is bound already."""
    context.used.update(
        at for at, e in enumerate(context.items) if e.kind == "column" and e.column in names
    )
