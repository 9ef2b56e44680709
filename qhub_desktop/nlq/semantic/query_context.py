"""Query context: the slots of a question over one data set, and the rows that they select."""

from dataclasses import replace

from qhub_desktop.nlq.query_ast import (
    Columns,
    Describe,
    Filter,
    Period,
    Query,
    RowSelection,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import (
    meets_none,
)
from qhub_desktop.nlq.semantic.slots import WRONG, Slots
from qhub_desktop.nlq.word_meanings import SUPERLATIVES

Costed = tuple[Query | Describe | Columns, float]
MeasureChoice = tuple[tuple[str, ...], float]  # columns that are measured, and what they cost
PLURAL = 5  # of a ranking in the plural without a number


class QueryContext:
    """Slots over one data set, and what is built of them."""

    def __init__(
        self,
        slots: Slots,
        index: SchemaIndex,
        period: Period | None,
        second: Period | None,
        hours: Filter | None,
    ) -> None:
        self.slots = slots
        self.index = index
        self.period = period
        self.second = second
        filters = slots.all_filters + ((hours,) if hours is not None else ())
        self.scope = RowSelection(index.profile.dataset, filters, period)
        if slots.contradicts:
            slots.cost += WRONG
        slots.cost += WRONG * any(
            each.relation == "is" and meets_none(index, each) for each in filters
        )
        self.noun = " ".join(dict.fromkeys(slots.nouns))
        self.superlatives = [each for each in slots.cues if each in SUPERLATIVES]
        if slots.contains:
            column = slots.contains_in or index.text_column
            if column is None:
                slots.cost += WRONG
            else:
                told = Filter(column, tuple(slots.contains), "contains")
                self.scope = replace(self.scope, filters=(*self.scope.filters, told))
        filled = {each.column for each in self.scope.filters if each.relation in ("is", "contains")}
        filled.update(each.column for each in slots.groups)
        kept = tuple(
            each
            for each in self.scope.filters
            if each.relation != "present" or each.column not in filled
        )
        self.scope = replace(self.scope, filters=kept)  # what is said of a cell needs one
        self.called_as: dict[str, str] = {}  # columns of names in the place of codes
        self.people: tuple[str, ...] = ()  # others than the one that 'who' is taken for
        self.asked: list[str] = []  # columns that are asked for: who, where, when
        self.ranks_row = False  # a row is asked for by what it has the most of
        self.made_by: list[tuple[object, str]] = []  # queries, each with a rule that made it

    def rules_of(self, query: object) -> tuple[str, ...]:
        """Return the names of the rules by which a query was made, and its parts got their roles.

        A query is known by its identity: two rules may come to the same.
        """
        made = (name for each, name in self.made_by if each is query)
        return tuple(dict.fromkeys((*self.slots.rules, *made)))
