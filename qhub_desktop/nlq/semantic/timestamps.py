"""Timestamps of rows: the columns that say when something began, was due and was over."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.query_ast import Filter, Value
from qhub_desktop.nlq.row_events import DUE, NO_EVENT, events, events_headed, events_near
from qhub_desktop.nlq.tokenizer import tokenize

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
_CLOSING_CONCEPTS = (
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
# Events with which a row begins, and with which it is over, the most telling first.
_BEGINS = (
    *("open", "register", "start", "request", "create", "invoice", "book", "join", "receive"),
    *("arrive", "detect", "alert", "happen", "purchase", "refuel", "sample", "depart"),
)
_OVER = (
    *("close", "end", "resolve", "repair", "deliver", "receive", "arrive", "pay", "return"),
    *("answer", "ship", "confirm", "extinguish"),
)
# What was wanted or agreed, of which the day is one that was still to come: 'Req. Del. Date'.
_WANTED = frozenset(["request", "confirm"])
_ENDING = frozenset(["deliver", "receive", "arrive", "end", "close", "ship"])
_CLOSED_STATES = (
    "closed",
    "completed",
    "resolved",
    "delivered",
    "paid",
    "cancelled",
    "received",
    "validated",
)
# What ends before its shelf life does: it is used up or given back, not received.
_CLOSED_LIFE = ("closed_date", "completed", "return", "end_date", "end")


def moments_of(index: "SchemaIndex") -> tuple[str, ...]:
    """Return the columns of dates and moments."""
    return tuple(each.name for each in index.profile.columns if each.type in ("date", "datetime"))


def moment_meaning(index: "SchemaIndex", *concepts: str, but: str = "") -> str | None:
    """Return the column of dates whose name means one of some concepts, the first that fits."""
    names = sorted(moments_of(index), key=is_planned)  # what happened before what was to be
    for concept in concepts:
        for name in names:
            if name != but and _means(index, name, concept):
                return name
    return None


@lru_cache(maxsize=1024)
def events_by_word(name: str) -> tuple[frozenset[str], ...]:
    """Return the events that each word of a column's name may say, of which one is meant."""
    meant = {*domain_lexicon().concepts_of_name(name)}
    by_concept = [each for each in events() if each.concepts & meant]
    phrases = frozenset(each.name for each in by_concept if not each.beginnings)
    if phrases:
        return (phrases,)  # 'Check-in', in which nothing is checked
    found: list[frozenset[str]] = []
    for word in tokenize(name):
        said = events_headed(word.normalized)
        found += [said] if said else []
    return tuple(found) or (frozenset(each.name for each in by_concept),)


def events_of_header(name: str) -> frozenset[str]:
    """Return the events of which a column of dates may tell the day, by its name."""
    return frozenset[str]().union(*events_by_word(name))


def is_agreed(name: str) -> bool:
    """Return whether a column holds days that were promised, planned or wanted."""
    own = events_of_header(name)
    return DUE in own or bool(own & _WANTED and own & _ENDING)


@lru_cache(maxsize=64)
def events_by_column(index: "SchemaIndex") -> dict[str, frozenset[str]]:
    """Return the events of each column of dates; of two that a word may mean, what is left.

    'Alta' is when one joined beside 'baja', and when one left beside 'ingreso'.
    """
    named = [each.name for each in index.profile.columns if index.is_moment(each.name)]
    found = {name: events_by_word(name) for name in named}
    only = {next(iter(e)): n for n, words in found.items() for e in words if len(e) == 1}
    return {
        name: frozenset(
            event
            for said in words
            for event in said
            if only.get(event, name) == name or len(said) == 1
        )
        or events_of_header(name)
        for name, words in found.items()
    }


def due_and_closed(index: "SchemaIndex") -> tuple[str | None, str | None]:
    """Return the columns of the days when what a row tells of was due, and when it was over."""
    due = _due(index)
    if due is None:
        return None, _closed(index, None)
    if _means(index, due, "expiry"):
        return due, None  # what came in is not over by that
    return due, done_of(index, due)


def done_of(index: "SchemaIndex", due: str) -> str | None:
    """Return the column that tells when that was done which was due on the day of another."""
    events, happened = events_by_column(index), _happened(index, due)
    own = {*index.lemmas[due]} - {"date"}
    alike = [name for name in happened if own & {*index.lemmas[name]}]
    if len(alike) == 1:
        return alike[0]  # 'Data Prevista de Devolução' and 'Data de Devolução'
    meant = events[due] - _WANTED - {DUE}
    for wanted in (meant, events_near(meant)):
        found = [name for name in happened if wanted & events[name]]
        if len(found) == 1:
            return found[0]  # 'Req. Del. Date' and 'GRDat'
    return None if meant & {"start"} else _closed(index, due)  # 'Início previsto'


def counterpart_day(index: "SchemaIndex", name: str) -> str | None:
    """Return the column of actual days that belongs to a column of agreed days."""
    return done_of(index, name) if is_planned(name) else None


def begun_before(index: "SchemaIndex", over: str) -> str | None:
    """Return the column that tells when that began which ended on the day of another."""
    pair = elapsed_pair(index)
    if pair is not None and pair[1] == over:
        return pair[0]
    events, first = events_by_column(index), index.date_column
    if pair is not None and pair[0] != over:
        return pair[0]
    begun = [name for name in _happened(index, over) if events[name] & {*_BEGINS}]
    return first if first in begun else next(iter(begun), None)


def _happened(index: "SchemaIndex", due: str | None) -> list[str]:
    return [name for name in moments_of(index) if name != due and not is_planned(name)]


def _closed(index: "SchemaIndex", due: str | None) -> str | None:
    happened, events = _happened(index, due), events_by_column(index)
    ends = _CLOSED_LIFE if due is not None and _means(index, due, "expiry") else _CLOSING_CONCEPTS
    closed = [name for concept in ends for name in happened if _means(index, name, concept)]
    if due is not None:
        closed += [name for event in _OVER for name in happened if event in events[name]]
    return next(iter(closed), None)


def _due(index: "SchemaIndex") -> str | None:
    """Return the column of the days when something was due, rather of the end than of the start."""
    due = moment_meaning(index, *_DUE)
    due = due or next((name for name in moments_of(index) if is_planned(name)), None)
    if due is None:
        return None
    planned = [name for name in moments_of(index) if name == due or is_planned(name)]
    rest = [name for name in moments_of(index) if name not in planned]
    beside = [
        name
        for name in planned
        if any(({*index.lemmas[name]} - {"date"}) & {*index.lemmas[each]} for each in rest)
    ]
    ends = [name for name in beside if any(_means(index, name, each) for each in _CLOSING_CONCEPTS)]
    if len(ends) == 1 and len(beside) > 1:
        return ends[0]  # 'Prev. conclusão' rather than 'Prev. início'
    return due if due in beside or len(beside) != 1 else beside[0]


def closing_day(index: "SchemaIndex", filters: Iterable[Filter]) -> str | None:
    """Return the column of the days when rows were over, where only such are selected."""
    closing, said = {*closing_values(index)}, [each for each in filters if each.relation == "is"]
    closed = [{(each.column, value) for value in each.values} <= closing for each in said]
    return due_and_closed(index)[1] if any(closed) else None


def closing_values(index: "SchemaIndex") -> tuple[tuple[str, Value], ...]:
    """Return the values, each with its column, that say that a row is over."""
    found = (
        (column, value)
        for concept in _CLOSED_STATES
        for column, value in index.value_concepts.get(concept, ())
    )
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1024)
def is_planned(name: str) -> bool:
    """Return whether a column tells what was to be, or when."""
    if any("planned" in domain_lexicon().concepts_of_name(word.text) for word in tokenize(name)):
        return True  # 'Fim previsto'
    return is_agreed(name) or not NO_EVENT.isdisjoint(domain_lexicon().concepts_of_name(name))


def _means(index: "SchemaIndex", name: str, concept: str) -> bool:
    return concept in {*index.lemmas[name], *domain_lexicon().concepts_of_name(name)}


@lru_cache(maxsize=64)
def elapsed_pair(index: "SchemaIndex") -> tuple[str, str] | None:
    """Return the columns of the moments when what a row tells of began and ended."""
    planned = None
    for begun, ended in _ELAPSED:
        start, end = moment_meaning(index, begun), moment_meaning(index, ended)
        if start is None or end is None or start == end:
            continue
        if not is_planned(end):
            return start, end
        planned = planned or (start, end)
    due, closed = due_and_closed(index)
    if planned is not None and closed is not None and due == planned[1]:
        return planned[0], closed
    if planned is not None:
        return planned
    happened = [name for name in moments_of(index) if not is_planned(name)]
    if len(happened) == 2:
        return happened[0], happened[1]
    if (pair := _begun_and_over(index, happened)) is not None:
        return pair
    clock = [each.name for each in index.profile.columns if each.type == "time"]
    return (clock[0], clock[1]) if len(clock) == 2 and len(happened) < 2 else None


def _begun_and_over(index: "SchemaIndex", happened: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns of the events with which a row begins and is over, None if not told."""
    events, first = events_by_column(index), index.date_column
    begun = [name for event in _BEGINS for name in happened if event in events[name]]
    begun.sort(key=lambda name: name != first)
    over = [name for event in _OVER for name in happened if event in events[name]]
    over = [name for name in over if name not in begun[:1]]
    return (begun[0], over[0]) if begun and over else None


@lru_cache(maxsize=64)
def closing_column(index: "SchemaIndex") -> str | None:
    """Return the column of the moment when a row was over, where only empty cells say it is open.

    None where a column of states says which rows are.
    """
    pair = elapsed_pair(index)
    ended = due_and_closed(index)[1] if pair is None else pair[1]
    states = (index.value_concepts.get(concept) for concept in ("open", "closed", "pending"))
    is_told = any(states) or bool(closing_values(index))
    if ended is None or is_told or not index.column(ended).missing:
        return None
    return ended


def in_order(index: "SchemaIndex", one: str, other: str) -> tuple[str, str]:
    """Return two columns of days, the earlier first."""
    if index.column(one).type == "time":  # any may come after midnight
        names = [each.name for each in index.profile.columns]
        return (one, other) if names.index(one) < names.index(other) else (other, one)
    first, second = sorted((one, other), key=lambda name: str(index.column(name).min))
    return first, second
