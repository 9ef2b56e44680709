"""Grouping: counts by one dimension or two, the grain of time, columns of which values compare."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import is_numeric
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.query_ast import (
    Grain,
    Measure,
    Period,
    RowSelection,
)

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

_PARTS = frozenset(["reject", "scrap", "rework", "failed", "rejected_quantity"])
_WHOLES = ("produced", "inspected_quantity", "quantity", "total", "good")
# What is written down in several lines, each with its share of the amount.
_DOCUMENTS = frozenset(
    [
        "order",
        "sales_order",
        "purchase",
        "invoice",
        "receipt",
        "delivery",
        "shipment",
        "transaction",
    ]
)
_FEWEST = 3  # things that a number and a name tell apart
_DAYS_AS_DAYS = 62  # days; a longer period is cut into weeks
_DAYS_AS_WEEKS = 400
_FEW_THINGS, _MOST_THINGS = 0.1, 0.9  # for each row, numbers of what has several rows


def is_part_amount(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column is part of another: rejected of produced."""
    return not _PARTS.isdisjoint(_meant(index, name)) and whole_of_amounts(index, name) is not None


def whole_of_amounts(index: "SchemaIndex", name: str) -> str | None:
    """Return the column that another is a part of: produced, for rejected."""
    amounts = [each for each in index.measures if each != name and index.is_amount(each)]
    meant = {each: _meant(index, each) for each in amounts}
    for concept in _WHOLES:
        found = [e for e in amounts if concept in meant[e] and _PARTS.isdisjoint(meant[e])]
        if len(found) == 1:
            return found[0]
    return None


def _meant(index: "SchemaIndex", name: str) -> set[str]:
    """Return what a name means, in the plant's words and in those of the trades."""
    return {*index.lemmas[name], *domain_lexicon().concepts_of_name(name)}


def rate_of_part(index: "SchemaIndex", name: str) -> Measure | None:
    """Return how much a part is of its whole, None if the data have no whole: rejected of produced.

    Where only what is good was counted, the whole is both together.
    """
    whole = whole_of_amounts(index, name)
    if whole is None:
        return None
    is_other_part = "good" in _meant(index, whole)
    return Measure("rate", name, whole, amount=name if is_other_part else "")


def compared_column(scope: RowSelection) -> str | None:
    """Return a column of which several values are selected, to be compared."""
    return next(
        (
            each.column
            for each in scope.filters
            if each.relation == "is" and len(each.values) > 1 and not each.grain
        ),
        None,
    )


def grain_for(index: "SchemaIndex", period: Period | None) -> Grain:
    """Return the grain of time that gives neither too few points nor too many."""
    if index.date_column is None:
        return "day"
    if index.wide is not None and index.date_column == index.wide.day:
        return index.wide.grain
    column = index.column(index.date_column)
    first = (period.start if period else None) or _day(column.min)
    last = (period.end if period else None) or _day(column.max)
    if first is None or last is None:
        return "day"
    days = (last - first).days
    return "day" if days <= _DAYS_AS_DAYS else "week" if days <= _DAYS_AS_WEEKS else "month"


def _day(value: object) -> date | None:
    match value:
        case datetime():
            return value.date()
        case date():
            return value
        case _:
            return None


def numbers_things(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column numbers what the file is called by, and several rows are of one.

    So the lines of orders have the order's number, and orders are not counted by their lines.
    """
    column, rows = index.column(name), index.profile.rows
    if column.type not in ("integer", "text", "category") or index.wide is not None:
        return False
    is_part = _FEW_THINGS * rows <= column.distinct <= _MOST_THINGS * rows
    has_digits = all(any(map(str.isdigit, str(each))) for each in column.known[:5])
    return is_part and has_digits and index.is_called_rows(name)


def is_of_lines(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column numbers documents of which each row is a line: 'Nota', 'OrderNo'."""
    column, rows = index.column(name), index.profile.rows
    is_part = _FEW_THINGS * rows <= column.distinct <= _MOST_THINGS * rows
    is_document = not _DOCUMENTS.isdisjoint(_meant(index, name)) and _is_numbered(column)
    return numbers_things(index, name) or (is_part and is_document)


def has_lines(index: "SchemaIndex", said: str) -> bool:
    """Return whether rows are lines of documents that are called so: 'por nota fiscal'."""
    meant = {*domain_lexicon().concepts_of_name(said)}
    return any(
        meant & _meant(index, each.name) and is_of_lines(index, each.name)
        for each in index.profile.columns
    )


def columns_named(index: "SchemaIndex", concept: str) -> tuple[str, ...]:
    """Return the columns of texts whose names mean a concept and nothing else: 'Nome'."""
    return tuple(
        each.name
        for each in index.profile.columns
        if not is_numeric(each.type) and index.lemmas[each.name] == (concept,)
    )


@lru_cache(maxsize=32)
def told_by_names(index: "SchemaIndex") -> Mapping[str, str]:
    """Return the columns of numbers whose things another column names: 'VendNo', 'VendorName'.

    Each number stands beside one name and each name beside one number, as far as the first rows
    show.
    """
    profile = index.profile
    grouped = [
        each
        for each in profile.columns
        if each.type in ("category", "text", "integer")
        and _FEWEST <= each.distinct <= _MOST_THINGS * profile.rows
    ]
    numbers = [each for each in grouped if _is_numbered(each)]
    found: dict[str, str] = {}
    for number in numbers:
        for name in grouped:
            if name in numbers or name.distinct != number.distinct or name.missing:
                continue
            pairs = {*zip(*map(profile.preview.cells, (number.name, name.name)), strict=True)}
            sides = [{pair[side] for pair in pairs} for side in (0, 1)]
            if len(pairs) >= _FEWEST and all(len(side) == len(pairs) for side in sides):
                found.setdefault(number.name, name.name)
    return found


def _is_numbered(column: ColumnProfile) -> bool:
    """Return whether a column holds numbers or texts with digits in them."""
    told = str(column.top[0][0]) if column.top else ""
    return column.type == "integer" or any(map(str.isdigit, told))
