"""Grouping: counts by one dimension or two, the grain of time, columns of which values compare."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import words_of
from qhub_desktop.nlq.column_roles import SHARING, is_limit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.query_ast import (
    Filter,
    Grain,
    Measure,
    Period,
    RowSelection,
)
from qhub_desktop.nlq.tokenizer import normalize

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

_PARTS = frozenset(["reject", "scrap", "rework", "failed", "rejected_quantity"])
_GOOD = "good"
_GOOD_STATES = frozenset(
    ["good", "conforming", "passed", "approved", "accepted", "punctual", "delivered"]
)
_BAD_STATES = frozenset(
    [
        *("nonconformity", "scrap", "reject", "failed", "defect", "rework", "return", "overdue"),
        *("cancelled", "repeated"),
    ]
)
_WHOLES = ("produced", "inspected_quantity", "quantity", "total")
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
AVAILABILITY = "availability"  # a concept
_DURING = frozenset(["time", "minute", "hour", "hours", "run_time"])
_PLANNED, _RUN = frozenset(["planned", "plan"]), frozenset(["active", "run_time", "in_progress"])
_ALIKE = 0.5  # a mean of rates is at least so much of the rate of sums, and at most twice it
_FEWEST = 3  # things that a number and a name tell apart
_DAYS_AS_DAYS = 62  # days; a longer period is cut into weeks
_DAYS_AS_WEEKS = 400
_FEW_THINGS, _MOST_THINGS = 0.1, 0.9  # for each row, numbers of what has several rows


def is_part_amount(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column is part of another: rejected of produced, or good of it."""
    is_part = not (_PARTS | {_GOOD}).isdisjoint(_meant(index, name)) and not _is_rate(name)
    return is_part and whole_of_amounts(index, name) is not None


def is_rejected_amount(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column is what was not good of another: rejected of produced."""
    return not _PARTS.isdisjoint(_meant(index, name)) and is_part_amount(index, name)


def whole_of_amounts(index: "SchemaIndex", name: str) -> str | None:
    """Return the column that another is a part of: produced, for rejected.

    Where there is none it is the other part: good for rejected, rejected for good.
    """
    amounts = [
        each
        for each in index.measures
        if each != name and index.is_amount(each) and not is_limit(each)
    ]
    meant = {each: _meant(index, each) for each in amounts}
    parts = [each for each in amounts if not _PARTS.isdisjoint(meant[each])]
    good = [each for each in amounts if _GOOD in meant[each] and each not in parts]
    for concept in _WHOLES:
        found = [e for e in amounts if concept in meant[e] and e not in (*parts, *good)]
        if len(found) == 1:
            return found[0]
    others = parts if _GOOD in _meant(index, name) else good
    return others[0] if len(others) == 1 else None


def part_first(index: "SchemaIndex", one: str, other: str) -> tuple[str, str]:
    """Return two amounts of a share with the part first, where one is a part of the other."""
    is_turned = whole_of_amounts(index, other) == one and is_part_amount(index, other)
    return (other, one) if is_turned and not is_part_amount(index, one) else (one, other)


def _meant(index: "SchemaIndex", name: str) -> set[str]:
    """Return what a name means, in the plant's words and in those of the trades."""
    return {*index.lemmas[name], *domain_lexicon().concepts_of_name(name)}


def rate_of_part(index: "SchemaIndex", name: str) -> Measure | None:
    """Return how much a part is of its whole, None if the data have no whole: rejected of produced.

    Where only what is good, and what is not, was counted, the whole is both together.
    """
    whole = whole_of_amounts(index, name)
    if whole is None:
        return None
    is_other_part = not (_PARTS | {_GOOD}).isdisjoint(_meant(index, whole))
    return Measure("rate", name, whole, amount=name if is_other_part else "")


def availability_of(index: "SchemaIndex") -> Measure | None:
    """Return the time that was run of the time that was planned, None if one is not there."""
    times = {name: _meant(index, name) for name in index.measures}
    times = {name: meant for name, meant in times.items() if not meant.isdisjoint(_DURING)}
    planned = [name for name, meant in times.items() if not meant.isdisjoint(_PLANNED)]
    run = [name for name, meant in times.items() if not meant.isdisjoint(_RUN)]
    if len(planned) != 1 or len(run) != 1 or planned == run:
        return None
    return Measure("rate", run[0], planned[0])


def mean_of(index: "SchemaIndex", name: str) -> Measure:
    """Return the mean of a column; of a rate, all of the part in all of the whole.

    The mean of days' rates would count a day of ten parts as much as one of a thousand. That the
    column is the rate of these two is told by its own mean.
    """
    if _is_rate(name):
        for part in index.measures:
            rate = rate_of_part(index, part) if is_rejected_amount(index, part) else None
            if rate is not None and _is_mean_of(index, name, rate):
                return rate
    return Measure("mean", name)


def _is_rate(name: str) -> bool:
    """Return whether a column is called a rate: 'Taxa de rejeição'."""
    return not SHARING.isdisjoint(domain_lexicon().concepts_of_name(name))


def _is_mean_of(index: "SchemaIndex", name: str, rate: Measure) -> bool:
    """Return whether a column's mean is about that of a rate, as a fraction or in per cent."""
    own, part, whole = (index.column(each).mean for each in (name, rate.column, rate.over))
    if not own or not part or not whole:
        return False
    if rate.amount:
        whole += part
    return any(_ALIKE < own / (scale * part / whole) < 1 / _ALIKE for scale in (1, 100))


def is_good_state(conditions: Iterable[Filter]) -> bool | None:
    """Return whether more rows with a value are better: 'Aprovado'; None if nobody knows.

    So the worst rate of approval is the lowest, and the worst of rejection the highest.
    """
    said = [str(value) for each in conditions if each.relation == "is" for value in each.values]
    meant = {concept for each in said for concept in domain_lexicon().concepts_of_name(each)}
    found = {concept in _GOOD_STATES for concept in meant & (_GOOD_STATES | _BAD_STATES)}
    return found.pop() if len(found) == 1 else None


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


def names_documents(said: str) -> bool:
    """Return whether a name is one of documents that come to an amount: 'Nº Enc.', 'fatura'."""
    return not _DOCUMENTS.isdisjoint(domain_lexicon().concepts_of_name(said))


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


def is_best_most(said: str, names: Iterable[str], index: "SchemaIndex") -> bool:
    """Return whether an order by good and bad is one of a column of which more is better.

    'Da melhor para a pior' is from the highest grade on, but from the fewest defects.
    """
    words = {*normalize(said).split()}
    is_by_sense = not words.isdisjoint({*words_of("cue", "best"), *words_of("cue", "worst")})
    return is_by_sense and any(index.is_gain(each) for each in names if index.is_number(each))


def _is_numbered(column: ColumnProfile) -> bool:
    """Return whether a column holds numbers or texts with digits in them."""
    told = str(column.top[0][0]) if column.top else ""
    return column.type == "integer" or any(map(str.isdigit, told))
