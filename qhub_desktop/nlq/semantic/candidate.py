"""A plan that a question may mean: what makes it senseless, and by what two are compared."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qhub_desktop.nlq.query_ast import (
    Aggregate,
    AsTable,
    ByShift,
    Columns,
    Comparison,
    Count,
    DataPlan,
    Describe,
    GroupBy,
    Rows,
    Several,
    query_of,
)
from qhub_desktop.nlq.semantic.column_meaning import is_edge, is_price

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex
    from qhub_desktop.nlq.semantic.slots import Path


_SIDES = ("above", "at least", "below", "at most")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that a question may mean, and what speaks against it."""

    plan: DataPlan
    cost: float
    is_follow_up: bool = False
    left: tuple[str, ...] = ()  # words that it does not hold
    path: "Path | None" = None
    called_as: tuple[tuple[str, str], ...] = ()  # codes, and the names that stand for them


def groups_by_itself(plan: DataPlan) -> bool:
    """Return whether groups are made of what is measured, which tells nothing."""
    query = query_of(plan) if not isinstance(plan, Describe | Columns) else None
    return (
        isinstance(query, GroupBy)
        and bool(query.measure.column)
        and query.measure.kind not in ("distinct", "per")
        and query.measure.column in (query.dimension.column, query.split and query.split.column)
    )


def is_senseless(plan: DataPlan, index: "SchemaIndex") -> bool:
    """Return whether a plan tells nothing.

    So where groups are made of what is measured, a price is divided by an amount, one limit is held
    against another, or a column is compared twice from one side.
    """
    query = query_of(plan) if not isinstance(plan, Describe | Columns) else None
    measure = query.measure if isinstance(query, Aggregate | GroupBy) else None
    is_divided = measure is not None and bool(measure.over) and is_price(index, measure.column)
    filters = query.scope.filters if query is not None else ()
    is_of_limits = any(
        each.other and is_edge(each.column) and is_edge(each.other) for each in filters
    )
    sided = [
        (each.column, each.relation, each.since, each.grain)
        for each in filters
        if each.relation in _SIDES and each.values
    ]
    is_twice = len({*sided}) < len(sided)
    return groups_by_itself(plan) or is_divided or is_of_limits or is_twice


def compared(plan: DataPlan) -> DataPlan:
    """Return a plan without what changes none of its numbers, by which two are compared."""
    match plan:
        case AsTable(of=GroupBy() as groups) if groups.having is not None:
            return compared(groups)
        case ByShift(scope, dimension, is_share):
            return GroupBy(scope, dimension, is_share=is_share)
        case Rows(scope, None, "first", "") if not plan.columns and (scope.filters or scope.period):
            return Count(scope)  # whose number it says, too
        case Count() | Rows():
            return replace(plan, noun="")
        case Several(of=of):
            return Several(tuple(compared(each) for each in of))  # type: ignore[misc]
        case Comparison(first, second):
            return Comparison(compared(first), compared(second))  # type: ignore[arg-type]
        case _:
            return plan
