"""Views of a data set (order, filters, search) as values, and their conditions as SQL."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time
from functools import cache
from typing import Any, Literal, get_args

from qhub_desktop.core.codec import Json, JsonObject, pack, unpack
from qhub_desktop.core.table import Cell, quoted, sql_literal
from qhub_desktop.core.text import cell, fold_in_place, number
from qhub_desktop.core.values import dataclass

Direction = Literal["up", "down"]
Bound = int | float | date | datetime | None


@dataclass(frozen=True, slots=True)
class Contains:
    """The cell contains the words, ignoring case and accents."""

    column: str
    words: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """The cell is one of these values; `None` is an empty cell."""

    column: str
    values: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The cell is none of these values; `None` is an empty cell."""

    column: str
    values: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The cell is a number, date or time from `lower` to `upper`, inclusive; `None` is no bound.

    A date as the upper bound of date-times includes the whole day.
    """

    column: str
    lower: Bound = None
    upper: Bound = None


@dataclass(frozen=True, slots=True)
class Empty:
    """The cell is empty."""

    column: str


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """The cell is not empty."""

    column: str


Filter = Contains | OneOf | NoneOf | Between | Empty | NotEmpty
_KINDS: dict[str, type[Any]] = {each.__name__: each for each in get_args(Filter)}


@dataclass(frozen=True, slots=True)
class RowView:
    """Selection and order of rows: those that pass every filter and contain `find` in a cell.

    The default is all rows in the order of the data set. `columns` are those that an export writes,
    in this order; empty means all.
    """

    sort: tuple[tuple[str, Direction], ...] = ()
    filters: tuple[Filter, ...] = ()
    find: str = ""
    columns: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """Whether the view may leave out rows."""
        return bool(self.filters or self.find)

    @property
    def is_plain(self) -> bool:
        """Whether the view has all rows in the order of the data set."""
        return not (self.sort or self.is_narrow)

    def without(self, column: str) -> "RowView":
        """Return the view without its filters on that column."""
        others = tuple(each for each in self.filters if each.column != column)
        return replace(self, filters=others)


def to_json(view: RowView) -> JsonObject:
    """Encode a view as JSON."""
    filters: list[Json] = [[type(each).__name__, pack(each)] for each in view.filters]
    columns: list[Json] = [*view.columns]
    return {"sort": pack(view.sort), "filters": filters, "find": view.find, "columns": columns}


def from_json(data: JsonObject) -> RowView:
    """Decode a view from `to_json`. Raises ValueError for anything else."""
    match data:
        case {
            "sort": list(sort),
            "filters": list(filters),
            "find": str(find),
            "columns": list(columns),
        }:
            order: Any = tuple[tuple[str, Direction], ...]
            names: Any = tuple[str, ...]
            return RowView(
                unpack(order, sort),
                tuple(map(_filter_from_json, filters)),
                find,
                unpack(names, columns),
            )
        case _:
            raise ValueError("a view was expected")


def condition(wanted: Filter, sql_type: str) -> str:
    """Return a filter as an SQL condition over a column of that type."""
    column = quoted(wanted.column)
    match wanted:
        case Contains(words=words):
            return contains_condition(wanted.column, sql_type, words) or "false"
        case OneOf(values=values):
            return _is_one_of(column, values)
        case NoneOf(values=values):
            return f"NOT {_is_one_of(column, values)}"
        case Between(lower=lower, upper=upper):
            parts = [f"{column} IS NOT NULL"]
            if lower is not None:
                parts.append(f"{column} >= {_literal(lower)}")
            if isinstance(upper, date) and not isinstance(upper, datetime):
                parts.append(f"{column} < {_literal(upper)} + 1")
            elif upper is not None:
                parts.append(f"{column} <= {_literal(upper)}")
            return f"({' AND '.join(parts)})"
        case Empty():
            return f"{column} IS NULL"
        case NotEmpty():
            return f"{column} IS NOT NULL"


def contains_condition(column: str, sql_type: str, words: str) -> str:
    """Return the condition that a cell as displayed contains the words; empty if it never can."""
    sought = words.strip()
    name = quoted(column)
    match sql_type:
        case "VARCHAR":
            return f"regexp_matches({name}, {sql_literal(pattern(sought))})"
        case "BOOLEAN":
            told = [value for value in (True, False) if sought.casefold() == cell(value)]
            return f"{name} = {_literal(told[0])}" if told else ""
        case "DATE":
            return _contains_text(f"strftime({name}, '%d/%m/%Y')", sought, r"[\d/]+")
        case "TIME":
            return _contains_text(f"strftime({name}, '%H:%M:%S')", sought, r"[\d:]+")
        case _ if sql_type.startswith("TIMESTAMP"):
            return _contains_text(f"strftime({name}, '%d/%m/%Y %H:%M:%S')", sought, r"[\d/: ]+")
        case _:
            return _contains_text(f"CAST({name} AS VARCHAR)", _plain_number(sought), r"-?[\d.]+")


def pattern(words: str) -> str:
    """Return the words as a regular expression that ignores case and accents.

    Twelve times as fast as stripping the accents of a million cells.
    """
    composed = unicodedata.normalize("NFC", words)
    return "(?i)" + "".join(_letter_pattern(each) for each in fold_in_place(composed))


def _filter_from_json(data: Json) -> Filter:
    match data:
        case [str(name), dict(fields)] if name in _KINDS:
            made: Filter = unpack(_KINDS[name], fields)
            return made
        case _:
            raise ValueError("a filter was expected")


def _is_one_of(column: str, values: tuple[Cell, ...]) -> str:
    """Return the condition that the column is one of the values; it is never NULL."""
    known = [_literal(value) for value in values if value is not None]
    parts = [f"{column} IS NULL"] if None in values else []
    if known:
        parts.append(f"coalesce({column} IN ({', '.join(known)}), false)")
    return f"({' OR '.join(parts) or 'false'})"


def _literal(value: Cell) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            return f"CAST({sql_literal(repr(value))} AS DOUBLE)"
        case datetime():
            return f"TIMESTAMP {sql_literal(value.isoformat(sep=' '))}"
        case date():
            return f"DATE {sql_literal(value.isoformat())}"
        case time():
            return f"TIME {sql_literal(value.isoformat())}"
        case str():
            return sql_literal(value)


def _contains_text(written: str, sought: str, alphabet: str) -> str:
    return f"contains({written}, {sql_literal(sought)})" if re.fullmatch(alphabet, sought) else ""


def _plain_number(words: str) -> str:
    """Return a number without group separators and with a decimal point, as SQL writes it."""
    group, point = number(1000)[1], number(0.5)[1]
    bare = words.replace(group, "").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    return bare.replace(point, ".")


def _letter_pattern(character: str) -> str:
    if character.isspace():
        return r"[\s\x{00A0}]"  # Excel's files are full of no-break spaces
    if same := _accented_letters().get(character, ""):
        return rf"[{character}{same}]\p{{Mn}}*"
    return re.escape(character)


@cache
def _accented_letters() -> dict[str, str]:
    """Return the accented Latin letters by their plain letter."""
    found: dict[str, str] = {}
    for letter in _latin_letters():
        plain = fold_in_place(letter)
        if plain != letter:
            found[plain] = found.get(plain, "") + letter
    return found


def _latin_letters() -> Iterator[str]:
    return (chr(code) for block in ((0xC0, 0x250), (0x1E00, 0x1F00)) for code in range(*block))
