"""Timestamps set against each other: 'entregues depois do prazo', '10 days after that'."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Filter, Relation
from qhub_desktop.nlq.row_events import events_near, events_said
from qhub_desktop.nlq.semantic.slots import STATISTICS, Mention
from qhub_desktop.nlq.semantic.timestamps import (
    counterpart_day,
    done_of,
    events_by_column,
    is_agreed,
    is_planned,
)

if TYPE_CHECKING:
    from qhub_desktop.nlq.semantic.mention_context import MentionContext as _Context
else:
    _Context = object  # what it is mixed with

_OTHER_DEADLINE = 0.625  # that a day is set against a deadline of something else
_EXPLAINED = 0.35  # what a verb may cost less that is set against a day
_UNSAID_SIDE = 0.4  # that it is not said what came after something


class TimestampRoles(_Context):
    """Binds what came before or after a moment that is named."""

    def _bind_against(self, at: int, item: Mention) -> None:
        """Bind what came before or after a moment that is named: 'entregues depois do prazo'.

        By how much is said before it: 'mais de 10 dias depois', or asked: 'how many days after'.
        """
        beside = self._moment_beside(at)
        other = beside or counterpart_day(self._index, item.column)
        if other is None:
            return
        self.slots.cost += _UNSAID_SIDE * (beside is None and not is_planned(item.column))
        is_after = item.lemma == "#after"
        since, end = (item.column, other) if is_after else (other, item.column)
        before = self._items[max(0, at - 3) : at]
        unit = self._time_said(before[-1].text) if before else ""
        if unit and len(before) > 1 and before[-2].kind == "number":
            said = self._relation_said(before[-3].lemma) if len(before) > 2 else None
            if said is None:
                return
            wanted = Filter(end, (before[-2].number,), said, since=since, unit=unit)
            self._compare_moments(wanted, range(at - 3, at + 1), other)
            return
        asked = [each.lemma for each in self._items[:at]]
        if unit and {"#count", *STATISTICS} & {*asked}:
            self._items[at] = replace(item, kind="elapsed", column=end, since=since)
            self._forget_moments({other})
            return
        is_own = done_of(self._index, item.column) == other
        if is_agreed(item.column) and not (is_own or is_agreed(other)):
            self.slots.cost += _OTHER_DEADLINE  # another deadline's day
        relation: Relation = "above" if is_after else "below"
        if self._before(at) & words_by_role("or"):
            relation = "at least" if is_after else "at most"  # 'on or before the due date'
        self._compare_moments(Filter(other, (), relation, other=item.column), [at], other)

    def _moment_beside(self, at: int) -> str | None:
        """Return the column of the moment that is set against one: the nearest, before it first."""
        limit = self._items[at].column
        places = (*reversed(range(at)), *range(at + 1, len(self._items)))
        named = (self._items[each].column for each in places if self._items[each].kind == "column")
        return next((e for e in named if e != limit and self._index.is_moment(e)), None)

    def _compare_moments(self, wanted: Filter, places: Iterable[int], other: str) -> None:
        self.slots.compared.append(wanted)
        self.slots.order.append(("filter", wanted.column))
        if self._shares:
            self.slots.first_filter = wanted.column
        self._used.update(places)
        named = [e.cost for e in self._items if e.kind == "column" and e.column == other]
        self.slots.cost -= min(_EXPLAINED, max(named, default=0.0))  # 'reparadas depois do prazo'
        self._forget_moments({other})
        happened = events_by_column(self._index)[other]
        for at, each in enumerate(self._items):  # 'closed after the deadline', whatever its state
            said = events_said(self._words[each.start].normalized)
            said |= events_near(said)
            if each.kind == "value" and said & happened:
                self._used.add(at)

    def _forget_moments(self, names: Collection[str]) -> None:
        """Take moments that are named for parts of a comparison that is bound already."""
        self._used.update(
            at for at, e in enumerate(self._items) if e.kind == "column" and e.column in names
        )
