"""Filters in words, and what a person types as a bound of one."""

import re
from datetime import date, datetime

from qhub_desktop.core.table import Cell, ColumnType, is_numeric
from qhub_desktop.core.text import cell, language, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.views import (
    Between,
    Bound,
    Contains,
    Empty,
    Filter,
    NoneOf,
    NotEmpty,
    OneOf,
)

NAMED = 2  # values that a chip names; of more it says how many
LONGEST = 28

_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


def told(wanted: Filter) -> str:
    """A filter as a chip says it."""
    name = _short(wanted.column)
    match wanted:
        case Contains(words=words):
            return _("{column} contains “{words}”").format(column=name, words=_short(words))
        case OneOf(values=values):
            return f"{name}: {_listed(values)}"
        case NoneOf(values=values):
            return _("{column}: not {values}").format(column=name, values=_listed(values))
        case Between(lower=None, upper=upper):
            return f"{name} ≤ {cell(upper)}"
        case Between(lower=lower, upper=None):
            return f"{name} ≥ {cell(lower)}"
        case Between(lower=lower, upper=upper):
            return f"{name}: {cell(lower)} – {cell(upper)}"
        case Empty():
            return _("{column}: empty").format(column=name)
        case NotEmpty():
            return _("{column}: not empty").format(column=name)


def value_words(value: Cell) -> str:
    """A value as a list of values says it."""
    return _("(empty)") if value is None else cell(value)


def read_bound(typed: str, type_: ColumnType) -> Bound:
    """What was typed as a bound; nothing for nothing. Raises ValueError."""
    words = typed.replace("\N{NO-BREAK SPACE}", " ").strip()
    if not words:
        return None
    if is_numeric(type_):
        return _number(words.replace(" ", ""))
    moment = _moment(words)
    if type_ == "date" and isinstance(moment, datetime):
        return moment.date()
    return moment


def written_bound(bound: Bound) -> str:
    """A bound as it is typed."""
    match bound:
        case None:
            return ""
        case float() if language() == "pt":
            return repr(bound).replace(".", ",")
        case int() | float():
            return repr(bound)
        case _:
            return cell(bound)


def counted_rows(shown: int, rows: int) -> str:
    """How many rows there are, or how many of them are shown."""
    if shown == rows:
        words = ngettext("{rows} row", "{rows} rows", rows)
    else:
        words = ngettext("{shown} of {rows} row", "{shown} of {rows} rows", rows)
    return words.format(shown=number(shown, digits=0), rows=number(rows, digits=0))


def rows_words(shown: int, rows: int, columns: int) -> str:
    """How much of a data set is in sight."""
    wide = ngettext("{count} column", "{count} columns", columns)
    return " · ".join((counted_rows(shown, rows), wide.format(count=number(columns, digits=0))))


def _number(words: str) -> int | float:
    if language() == "pt":
        is_grouped = "," in words or re.fullmatch(r"-?\d{1,3}(\.\d{3})+", words)
        words = words.replace(".", "").replace(",", ".") if is_grouped else words
    else:
        words = words.replace(",", "")
    if not re.fullmatch(r"-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", words, re.IGNORECASE):
        raise ValueError(words)
    return int(words) if re.fullmatch(r"-?\d+", words) else float(words)


def _moment(words: str) -> date | datetime:
    if found := _DAY.fullmatch(words):
        day, month, year, *clock = found.groups()
    elif found := _ISO.fullmatch(words):
        year, month, day, *clock = found.groups()
    else:
        raise ValueError(words)
    that_day = date(int(year), int(month), int(day))
    if clock[0] is None:
        return that_day
    hour, minute, second = (int(part or 0) for part in clock)
    return datetime(that_day.year, that_day.month, that_day.day, hour, minute, second)


def _listed(values: tuple[Cell, ...]) -> str:
    named = ", ".join(_short(value_words(value)) for value in values[:NAMED])
    if len(values) <= NAMED:
        return named or "–"
    return _("{values} and {count} more").format(
        values=named, count=number(len(values) - NAMED, digits=0)
    )


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
