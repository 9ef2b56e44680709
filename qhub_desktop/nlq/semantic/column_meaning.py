"""What columns mean: which hold money, when what a row tells of began and ended, what is due."""

from datetime import date, datetime
from typing import TYPE_CHECKING

from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import words_of
from qhub_desktop.nlq.column_roles import NO_EVENT
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.query_ast import TimeUnit
from qhub_desktop.nlq.tokenizer import normalize, tokenize, unit, without_unit

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

_ELAPSED = (
    *(("opened_date", "closed_date"), ("opened_date", "completed"), ("opened_date", "resolved")),
    *(("open", "closed"), ("start_date", "end_date"), ("start", "end"), ("admission", "discharge")),
    *(("check_in", "check_out"), ("reported_date", "closed_date"), ("created", "closed")),
    *(("requested", "resolved"), ("order_date", "delivered"), ("order_date", "received")),
    *(("departure", "arrival"), ("received", "shipped"), ("created", "resolved")),
    ("created", "completed"),
)
_DUE = ("due_date", "expiry", "required_date", "planned_date", "appointment_date", "planned")
_CLOSED = (
    "closed_date",
    "completed",
    "resolved",
    "payment_date",
    "paid",
    "delivered",
    "received",
    "return",
    "returned_book",
    "end_date",
    "end",
    "actual_date",
    "incoming_goods",
    "delivery",
)
GAINS = frozenset(["sale", "revenue", "income"])  # money that comes in: never a refund
_TARGETS = frozenset(["target", "planned", "budget", "limit", "nominal"])
# Words for the units of a time between two moments.
_UNITS: dict[TimeUnit, frozenset[str]] = {
    "minutes": frozenset(words_of("files", "minutes")) - {"m"},  # which is a metre
    "hours": frozenset(words_of("files", "hours")),
    "days": frozenset(words_of("files", "days")),
}
_SHORT, _LONG = 3 * 3600, 3 * 86400  # seconds up to which a time is told in minutes, or hours
_DAILY = 0.98  # of the rows of a table of days have a date of their own
# What it costs to take an amount for money at large: the only one, one of several, a total.
_ONLY, _ONE_OF_SEVERAL, _TOTAL = 0.3, 0.6, 0.3


def money_measures(index: "SchemaIndex") -> tuple[tuple[str, float], ...]:
    """Return the columns of amounts of money, each with what it costs to take it for money."""
    cells = index.wide.value if index.wide is not None else ""
    names = tuple(name for name in index.measures_of("money") if name != cells)
    real = tuple(name for name in names if not is_target(index, name))
    if real or index.wide is not None:
        names = real  # what was to be sold is no sale
    whole = index.columns.get(("#total",))
    if whole is not None and names and index.is_measure(whole):  # 'Total', beside its parts
        return ((whole, _ONLY), *((name, _ONE_OF_SEVERAL) for name in names if name != whole))
    totals = [name for name in names if _is_gross(index, name)]
    if names:
        return tuple((name, _ONLY if totals in ([], [name]) else _ONE_OF_SEVERAL) for name in names)
    total = index.columns.get(("#total",)) or next(
        (name for name in index.measures if "#total" in index.lemmas[name]), None
    )
    return ((total, _TOTAL),) if total is not None and index.is_measure(total) else ()


def _is_gross(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column holds an amount with all that belongs to it."""
    meant = {*domain_lexicon().concepts_of_name(name)}
    return ("#total" in index.lemmas[name] or "total_amount" in meant) and "net_amount" not in meant


def moments_of(index: "SchemaIndex") -> tuple[str, ...]:
    """Return the columns of dates and moments."""
    return tuple(each.name for each in index.profile.columns if each.type in ("date", "datetime"))


def moment_meaning(index: "SchemaIndex", *concepts: str, but: str = "") -> str | None:
    """Return the column of dates whose name means one of some concepts, the first that fits."""
    for concept in concepts:
        for name in moments_of(index):
            if name != but and _means(index, name, concept):
                return name
    return None


def due_and_closed(index: "SchemaIndex") -> tuple[str | None, str | None]:
    """Return the columns of the days when what a row tells of was due, and when it was over."""
    due = moment_meaning(index, *_DUE)
    happened = [name for name in moments_of(index) if name != due and not _is_planned(name)]
    if due is not None:
        own = {*index.lemmas[due]} - {"date"}
        alike = [name for name in happened if own & {*index.lemmas[name]}]
        if len(alike) == 1:
            return due, alike[0]  # 'Data Prevista de Devolução' and 'Data de Devolução'
    closed = (name for concept in _CLOSED for name in happened if _means(index, name, concept))
    return due, next(closed, None)


def _is_planned(name: str) -> bool:
    return not NO_EVENT.isdisjoint(domain_lexicon().concepts_of_name(name))


def _means(index: "SchemaIndex", name: str, concept: str) -> bool:
    return concept in {*index.lemmas[name], *domain_lexicon().concepts_of_name(name)}


def elapsed_pair(index: "SchemaIndex") -> tuple[str, str] | None:
    """Return the columns of the moments when what a row tells of began and ended."""
    for begun, ended in _ELAPSED:
        start, end = moment_meaning(index, begun), moment_meaning(index, ended)
        if start is not None and end is not None and start != end:
            return start, end
    happened = [name for name in moments_of(index) if not _is_planned(name)]
    if len(happened) == 2:
        return happened[0], happened[1]
    clock = [each.name for each in index.profile.columns if each.type == "time"]
    return (clock[0], clock[1]) if len(clock) == 2 and len(happened) < 2 else None


def in_order(index: "SchemaIndex", one: str, other: str) -> tuple[str, str]:
    """Return two columns of moments, first that of what came first."""
    if index.column(one).type == "time":  # any may come after midnight
        names = [each.name for each in index.profile.columns]
        return (one, other) if names.index(one) < names.index(other) else (other, one)
    first, second = sorted((one, other), key=lambda name: str(index.column(name).min))
    return first, second


def is_target(index: "SchemaIndex", name: str) -> bool:
    """Return whether a column holds what another ought to come to: 'Objetivo (%)'."""
    return index.is_measure(name) and bool(_TARGETS & {*domain_lexicon().concepts_of_name(name)})


def actual_of(index: "SchemaIndex", target: str) -> str | None:
    """Return the column that is set against a target: that of its name, else of its unit."""
    if index.wide is not None:
        return None
    others = [name for name in index.measures if name != target and not is_target(index, name)]
    own = {word.normalized for word in tokenize(without_unit(target))}
    shared = [
        name
        for name in others
        if own & {word.normalized for word in tokenize(without_unit(name)) if len(word.text) > 1}
    ]
    measured = unit(target).strip("()[] ")
    alike = [name for name in others if measured and unit(name).strip("()[] ") == measured]
    found = next((each for each in (shared, alike, others) if each), [])
    return found[0] if len(found) == 1 else None


def time_unit(said: str) -> TimeUnit:
    """Return the unit of time that a word names, empty if it names none."""
    own = normalize(said)
    found: TimeUnit = ""
    for name, words in _UNITS.items():
        if own in words:
            found = name
    return found


def usual_unit(index: "SchemaIndex", start: str, end: str) -> TimeUnit:
    """Return the unit in which the time between two columns is told, by how long it lasts."""
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


def last_day_of(index: "SchemaIndex", name: str) -> date | None:
    """Return the latest day of a column of dates."""
    latest = index.column(name).max
    if isinstance(latest, datetime):
        return latest.date()
    return latest if isinstance(latest, date) else None


def is_daily(index: "SchemaIndex") -> bool:
    """Return whether each row is a day: hardly one of them stands twice."""
    name = index.date_column
    if name is None or index.wide is not None:
        return False
    column = index.column(name)
    return column.type == "date" and column.distinct >= _DAILY * index.profile.rows > 0


def reaches(index: "SchemaIndex", name: str, span: tuple[date | None, date | None]) -> bool:
    """Return whether a column of dates has days within some days."""
    low, last = index.column(name).min, last_day_of(index, name)
    first = low.date() if isinstance(low, datetime) else low
    if last is None or not isinstance(first, date):
        return True
    return first <= (span[1] or date.max) and (span[0] or date.min) <= last


def columns_named(index: "SchemaIndex", concept: str) -> tuple[str, ...]:
    """Return the columns of texts whose names mean a concept and nothing else: 'Nome'."""
    return tuple(
        each.name
        for each in index.profile.columns
        if not is_numeric(each.type) and index.lemmas[each.name] == (concept,)
    )
