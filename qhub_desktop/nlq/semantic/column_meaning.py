"""Column meaning: which columns hold money, and which dates say began, ended or due."""

from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.core.text import word_table, words_of
from qhub_desktop.nlq.column_roles import LIMITING, PAYING, is_limit, is_partial, priced_unit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import UNIT_SECONDS, Filter, Period, TimeUnit
from qhub_desktop.nlq.semantic.timestamps import (
    moments_of,
)
from qhub_desktop.nlq.tokenizer import normalize, tokenize, unit, without_unit

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

_PRICING = frozenset(["price", "unit_price", "unit_cost", "hourly_rate"])
GAINS = frozenset(["sale", "revenue", "income"])  # money that comes in: never a refund
# Money that goes out, as a column's own words say, whatever its unit.
_LOSSES = frozenset(
    [
        *("cost", "expense", "toll", "fee", "tax", "discount", "refund", "fine", "purchase"),
        *("loss", "salary", "debt", "commission", "unpaid", "debit", "wage", "penalty", "rent"),
    ]
)
_LOWER_EDGES = frozenset(["lower_limit", "safety_stock", "reorder_level", "lower_tolerance"])
_UPPER_EDGES = frozenset(["upper_limit", "maximum_stock", "upper_tolerance"])
# Words for the units of a time between two moments.
_UNITS: dict[TimeUnit, frozenset[str]] = {
    each: frozenset(words_of("files", each)) - {"m"}  # which is a metre
    for each in UNIT_SECONDS
}
# Units of the same, each as a multiple of one of them.
_SCALES: tuple[dict[str, float], ...] = (
    {"mg": 1e-6, "g": 1e-3, "gr": 1e-3, "kg": 1.0, "kgs": 1.0, "t": 1e3, "ton": 1e3}
    | word_table("units_of_mass"),
    {"um": 1e-6, "µm": 1e-6, "μm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    {"ml": 1e-3, "cl": 1e-2, "l": 1.0, "hl": 1e2} | word_table("units_of_volume"),
    {"wh": 1e-3, "kwh": 1.0, "mwh": 1e3},
    dict.fromkeys([*words_of("files", "seconds"), "s"], 1.0)
    | dict.fromkeys(_UNITS["minutes"], float(UNIT_SECONDS["minutes"]))
    | dict.fromkeys([*_UNITS["hours"], "h", "#grain_hour"], float(UNIT_SECONDS["hours"]))
    | dict.fromkeys([*_UNITS["days"], "d", "#grain_day"], 86400.0),
)
_EDGES_OF_DAYS = ("last_of_days", "next_of_days")
_SHORT, _LONG = 3 * 3600, 3 * 86400  # seconds up to which a time is told in minutes, or hours
_DAILY = 0.98  # of the rows of a table of days have a date of their own
# What it costs to take an amount for money at large: the only one, one of several, a total.
AT_LARGE, _ONE_OF_SEVERAL, _TOTAL = 0.3, 0.6, 0.3
_WHOLE = frozenset(["order_value", "total_amount", "revenue", "sale", "income"])


@lru_cache(maxsize=64)
def money_measures(index: "SchemaIndex") -> tuple[tuple[str, float], ...]:
    """Return the columns of amounts of money, each with what it costs to take it for money."""
    cells = index.wide.value if index.wide is not None else ""
    named = index.measures_of("money")
    in_currency = [name for name in index.measures if named and _is_in_currency(index, name)]
    names = tuple(name for name in dict.fromkeys([*named, *in_currency]) if name != cells)
    names = tuple(name for name in names if not is_price(index, name)) or names
    real = tuple(name for name in names if not is_target(index, name))
    if real or index.wide is not None:
        names = real  # what was to be sold is no sale
    if names and all(is_partial(name) for name in names):  # 'shippingCost', beside 'orderTotal'
        amounts = [each for each in index.measures if index.is_amount(each)]
        names = tuple(each for each in amounts if _is_whole(index, each)) or names
    whole = index.columns.get(("#total",))
    if whole is not None and names and index.is_measure(whole):  # 'Total', beside its parts
        return ((whole, AT_LARGE), *((name, _ONE_OF_SEVERAL) for name in names if name != whole))
    totals = [name for name in names if _is_gross(index, name)]
    plain = [name for name in names if _is_plain_amount(name)]
    if not totals and len(plain) == 1:
        totals = plain  # 'valor_eur' beside 'copag_eur'
    if names:
        return tuple(
            (name, AT_LARGE if totals in ([], [name]) else _ONE_OF_SEVERAL) for name in names
        )
    total = index.columns.get(("#total",)) or next(
        (name for name in index.measures if "#total" in index.lemmas[name]), None
    )
    return ((total, _TOTAL),) if total is not None and index.is_measure(total) else ()


def gained_measures(index: "SchemaIndex") -> tuple[str, ...]:
    """Return the columns of money that may have come in: all but costs, taxes and refunds."""
    return tuple(
        name
        for name, _ in money_measures(index)
        if index.is_gain(name) is not False
        or not _LOSSES & {*domain_lexicon().concepts_of_name(without_unit(name))}
    )


def _is_in_currency(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column holds amounts in a currency that its name tells, not prices."""
    is_price = priced_unit(name) or "price" in domain_lexicon().concepts_of_name(name)
    is_told = normalize(unit(name).strip("()[] ")) in words_by_role("currency")
    return is_told and index.is_amount(name) and not is_price


def _is_plain_amount(name: str) -> bool:
    """Return whether a column is called nothing but an amount, its unit apart: 'valor_eur'."""
    measured = normalize(unit(name).strip("()[] "))
    words = [each for each in tokenize(without_unit(name)) if each.normalized != measured]
    return len(words) == 1 and bool(PAYING & {*domain_lexicon().concepts_of_name(words[0].text)})


def values_of(index: "SchemaIndex") -> tuple[str, ...]:
    """Return the columns of numbers that may hold money by their plain names: 'Valor', 'Amount'."""
    return tuple(
        name
        for name in index.measures
        if not unit(name) and PAYING & {*domain_lexicon().concepts_of_name(name)}
    )


def _is_whole(index: "SchemaIndex", name: str) -> bool:
    meant = {*domain_lexicon().concepts_of_name(name)}
    return not is_partial(name) and (bool(_WHOLE & meant) or "#total" in index.lemmas[name])


def _is_gross(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column holds gross amounts, with taxes and all else that belongs to them."""
    meant = {*domain_lexicon().concepts_of_name(name)}
    return ("#total" in index.lemmas[name] or "total_amount" in meant) and "net_amount" not in meant


def is_target(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column holds the targets or limits of another: 'Objetivo (%)'."""
    return index.is_measure(name) and is_limit(name)


def is_price(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column holds prices per unit, which are not added up."""
    return (
        bool(name)
        and not index.is_amount(name)
        and (bool(_PRICING & {*domain_lexicon().concepts_of_name(name)}) or bool(priced_unit(name)))
    )


def meets_none(index: "SchemaIndex", wanted: Filter) -> bool:
    """Return whether a condition 'is' names only numbers outside a column's range."""
    if wanted.unit or wanted.other or wanted.grain or not index.is_number(wanted.column):
        return False
    column = index.column(wanted.column)
    low, high = column.min, column.max
    numbers = [each for each in wanted.values if isinstance(each, int | float)]
    if not (isinstance(low, int | float) and isinstance(high, int | float) and numbers):
        return False
    return wanted.relation == "is" and not any(low <= each <= high for each in numbers)


def is_edge(name: str) -> str:
    """Return '#min' of a column of lower limits, '#max' of one of upper limits, '' of others."""
    meant = {*domain_lexicon().concepts_of_name(name)}
    return "#min" if meant & _LOWER_EDGES else "#max" if meant & _UPPER_EDGES else ""


def actual_of(index: "SchemaIndex", target: str) -> str | None:
    """Return the column that a target is for, found by its name, its unit, or as what is made.

    What is planned of no other name is the production: 'Objetivo', beside 'Produzidas'.
    """
    if index.wide is not None:
        return None
    others = [name for name in index.measures if name != target and not is_target(index, name)]
    own = {word.normalized for word in tokenize(without_unit(target))} - {unit(target)}
    shared = [
        name
        for name in others
        if own & {word.normalized for word in tokenize(without_unit(name)) if len(word.text) > 1}
    ]
    meant = {*domain_lexicon().concepts_of_name(target)} - LIMITING
    meant -= {domain_lexicon().concept_of_unit(unit(target).strip("()[] "))}
    same = [name for name in others if meant & {*domain_lexicon().concepts_of_name(name)}]
    measured = unit(target).strip("()[] ")
    alike = [name for name in others if measured and unit(name).strip("()[] ") == measured]
    made = [] if meant or measured else [each for each in others if _is_made(each)]
    near = [name for name in shared if _is_as_large(index, name, target)]
    found = (each[0] for each in (shared, same, alike, near, made, others) if len(each) == 1)
    return next(found, None)


def _is_as_large(index: "SchemaIndex", name: str, target: str) -> bool:
    """Return whether a column's mean is about that of a target: produced, of planned ones."""
    own, wanted = index.column(name).mean, index.column(target).mean
    return bool(own and wanted) and 0.5 < (own or 0) / (wanted or 1) < 2


def _is_made(name: str) -> bool:
    return "produced" in domain_lexicon().concepts_of_name(name)


def counterpart_of(index: "SchemaIndex", name: str) -> str | None:
    """Return the target of a column, or the column that a target is for."""
    if is_target(index, name):
        return actual_of(index, name)
    targets = [each for each in index.measures if is_target(index, each)]
    return next((each for each in targets if actual_of(index, each) == name), None)


def time_unit(said: str) -> TimeUnit:
    """Return the unit of time that a word names, empty if it names none."""
    own = normalize(said)
    found: TimeUnit = ""
    for name, words in _UNITS.items():
        if own in words:
            found = name
    return found


def factor_between(said: str, column: str) -> float:
    """Return the factor from a unit to that of a column: 0.001 from g to kg.

    It is 1 where the two do not measure the same thing.
    """
    words = tokenize(column)
    behind = words[-1].normalized if len(words) > 1 else ""  # 'waitSec'
    own, other = normalize(said), normalize(unit(column).strip("()[] ")) or behind
    for scale in _SCALES:
        if own in scale and other in scale:
            return scale[own] / scale[other]
    return 1.0


def usual_unit(index: "SchemaIndex", start: str, end: str) -> TimeUnit:
    """Return the unit in which the time between two columns is told: minutes, hours or days.

    The longest time between them decides; of dates without a time of day it is days.
    """
    first, last = index.column(start), index.column(end)
    if "date" in (first.type, last.type):
        return "days"
    pairs = [(first.min, last.min), (first.max, last.max)]
    lasted = [
        (after - before).total_seconds()
        for before, after in pairs
        if isinstance(before, datetime) and isinstance(after, datetime)
    ]
    longest = max(map(abs, lasted), default=0.0)
    return "minutes" if longest <= _SHORT else "hours" if longest <= _LONG else "days"


def edge_of_days(said: str) -> str:
    """Return '#last' of words for the last day of something, '#first' for the next, '' of others.

    So of a question's 'última manutenção' as of a column's 'Last calibration'.
    """
    words = {word.normalized for word in tokenize(said)}
    is_last, is_next = (not words.isdisjoint(words_by_role(each)) for each in _EDGES_OF_DAYS)
    return "#last" if is_last and not is_next else "#first" if is_next and not is_last else ""


def last_day_of(index: "SchemaIndex", name: str) -> date | None:
    """Return the latest day of a column of dates."""
    latest = index.column(name).max
    if isinstance(latest, datetime):
        return latest.date()
    return latest if isinstance(latest, date) else None


def began_ago(index: "SchemaIndex", aged: Filter) -> Period | None:
    """Return the days on which rows began that have been open for more, or less, than some days.

    `aged` is that condition, on the time from the beginning to an end that has not come: the last
    day in the data stands for it. None where the condition is not in days.
    """
    known = (last_day_of(index, name) for name in moments_of(index))
    last = max((each for each in known if each is not None), default=None)
    days = [value for value in aged.values if isinstance(value, float)]
    if aged.unit != "days" or len(days) != 1 or last is None:
        return None
    limit, day = last - timedelta(days=int(days[0])), timedelta(days=1)
    match aged.relation:
        case "above":
            return Period(aged.since, None, limit - day)
        case "at least":
            return Period(aged.since, None, limit)
        case "below":
            return Period(aged.since, limit + day, None)
        case "at most":
            return Period(aged.since, limit, None)
        case _:
            return None


def is_daily(index: "SchemaIndex") -> bool:
    """Return whether each row is a day of its own: hardly any day stands twice."""
    name = index.date_column
    if name is None or index.wide is not None:
        return False
    column = index.column(name)
    return column.type == "date" and column.distinct >= _DAILY * index.profile.rows > 0


def reaches(index: "SchemaIndex", name: str, span: tuple[date | None, date | None]) -> bool:
    """Return whether a column of dates has days within a span of days."""
    low, last = index.column(name).min, last_day_of(index, name)
    first = low.date() if isinstance(low, datetime) else low
    if last is None or not isinstance(first, date):
        return True
    return first <= (span[1] or date.max) and (span[0] or date.min) <= last
