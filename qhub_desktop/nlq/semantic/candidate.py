"""Candidate plan: a plan that a question may mean, its checks, and how two are compared."""

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.query_ast import (
    SIGNS,
    AsTable,
    Columns,
    Comparison,
    DataPlan,
    Describe,
    GroupBy,
    Number,
    Rows,
    Several,
    query_of,
)
from qhub_desktop.nlq.semantic.column_meaning import is_edge, is_price
from qhub_desktop.nlq.tokenizer import normalize, stem

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex
    from qhub_desktop.nlq.semantic.slots import Path


_THINGS = frozenset(["product", "line", "machine", "part", "customer", "supplier", "operator"])
_THINGS |= {"material", "warehouse", "driver", "vehicle", "department", "store", "shift", "wine"}
_OWN_ROW = 0.1  # what a word costs that the file is called by
_COUNTING_KINDS = ("count", "distinct", "per", "share")  # of rows or different values


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that a question may mean, and what speaks against it."""

    plan: DataPlan
    cost: float
    is_follow_up: bool = False
    left: tuple[str, ...] = ()  # words that it does not hold
    path: "Path | None" = None
    called_as: tuple[tuple[str, str], ...] = ()  # codes, and the names that stand for them
    rules: tuple[str, ...] = ()  # by which it was made, by name
    placed: tuple[str, ...] = ()  # words that name no column, and say what is computed of two


def groups_by_itself(plan: DataPlan) -> bool:
    """Return whether a column is both measured and grouped by, which tells nothing."""
    query = query_of(plan)
    return (
        isinstance(query, GroupBy)
        and bool(query.measure.column)
        and query.measure.kind not in ("distinct", "per")
        and query.measure.column in [each.column for each in query.keys]
    )


def is_senseless(plan: DataPlan, index: "SchemaIndex") -> bool:
    """Return whether a plan makes no sense.

    So where a column is both measured and grouped by, a price is divided by an amount, one limit is
    compared with another, or a column has two limits on the same side.
    """
    query = query_of(plan)
    measure = query.measure if isinstance(query, Number | GroupBy) else None
    is_divided = measure is not None and bool(measure.over) and is_price(index, measure.column)
    filters = query.scope.filters
    is_of_limits = any(
        each.other and is_edge(each.column) and is_edge(each.other) for each in filters
    )
    sided = [
        (each.column, each.relation, each.since, each.grain)
        for each in filters
        if each.relation in SIGNS and each.values
    ]
    is_twice = len({*sided}) < len(sided)
    is_in_itself = isinstance(query, GroupBy) and query.within == query.dimension
    return groups_by_itself(plan) or is_divided or is_of_limits or is_twice or is_in_itself


def ranks_signed(plan: DataPlan, index: "SchemaIndex") -> bool:
    """Return whether groups are ranked by an amount that is below zero in many rows.

    What goes out is often written as less than nothing: who spends most has the least then.
    """
    if not isinstance(plan, GroupBy) or plan.n is None or plan.measure.kind not in ("sum", "mean"):
        return False
    name = plan.measure.column
    quartiles = index.column(name).quartiles if name and not plan.measure.unit else None
    return quartiles is not None and quartiles[0] < 0


def measures_an_id(plan: DataPlan, index: "SchemaIndex") -> bool:
    """Return whether numbers that only identify things are added up or averaged."""
    query = query_of(plan)
    measure = query.measure if isinstance(query, Number | GroupBy) else None
    if measure is None or measure.kind in _COUNTING_KINDS or not measure.column or measure.since:
        return False
    return index.roles.get(measure.column) in ("id", "code")


def averages_rows(plan: DataPlan, path: "Path") -> bool:
    """Return whether a mean per row answers a question per thing: 'custo por linha'.

    Rows are what happened, so that 'custo por reclamação' is a mean over rows; a thing stands in
    many rows. A mean that was asked for by its name is always right.
    """
    query = query_of(plan)
    is_mean = isinstance(query, Number) and query.measure.kind == "mean"
    if not is_mean or any(each.lemma == "#mean" for each in path.mentions):
        return False
    said = (
        stem(normalize(other.text))
        for one, other in pairwise(path.mentions)
        if one.lemma == "#by" and other.kind == "noun" and other.cost > _OWN_ROW
    )
    meant = (concept for each in said for concept, _ in domain_lexicon().concepts_at((each,), 0))
    return not _THINGS.isdisjoint(meant)


def counts_lines(plan: DataPlan, index: "SchemaIndex") -> bool:
    """Return whether the lines of a wide table are counted, though no column tells them apart.

    A line is no thing then: its cells hold how many things there were.
    """
    wide = index.wide
    if wide is None or isinstance(plan, Describe | Columns):
        return False
    has_key = any(each.distinct == wide.source.rows for each in wide.source.columns)
    query = query_of(plan)
    is_counted = isinstance(query, Number | GroupBy) and query.measure.kind == "count"
    return is_counted and not has_key


def compared(plan: DataPlan) -> DataPlan:
    """Return a plan in the form in which two are compared: without what changes no number."""
    match plan:
        case AsTable(of=GroupBy() as groups) if groups.having is not None:
            return compared(groups)
        case Rows(scope, None, "first", "") if not plan.columns and (scope.filters or scope.period):
            return Number(scope)  # whose number it says, too
        case Number() | Rows():
            return replace(plan, noun="")
        case Several(of=of):
            return Several(tuple(compared(each) for each in of))  # type: ignore[misc]
        case Comparison(first, second):
            return Comparison(replace(first, noun=""), replace(second, noun=""))
        case _:
            return plan
