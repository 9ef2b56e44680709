"""Cells as text that a spreadsheet reads back as what they are: nothing grouped, nothing rounded.

In Portuguese that is 1234,5 and 03/02/2026, in English 1234.5 and 2026-02-03.
"""

import math
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import Language, gettext, language

# A text that begins so is run as a formula by Excel (OWASP, 'CSV injection').
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# The digits that Excel keeps of a number; it turns what comes after them to zeros.
EXACT_DIGITS = 15


def plain_cell(cell: Cell, *, spoken: Language | None = None) -> str:
    """A cell as a program finds it in a text file, with `'` before what would be a formula."""
    return harmless(cell) if isinstance(cell, str) else bare_cell(cell, spoken=spoken)


def bare_cell(cell: Cell, *, spoken: Language | None = None) -> str:
    """A cell as text, for where it can not be taken for a formula."""
    tongue = spoken or language()
    match cell:
        case None:
            return ""
        case str():
            return cell
        case bool():
            return gettext("yes", language=tongue) if cell else gettext("no", language=tongue)
        case int():
            return str(cell)
        case float():
            return _number(cell, tongue)
        case datetime():
            return f"{_day(cell, tongue)} {_time(cell.time(), tongue)}"
        case date():
            return _day(cell, tongue)
        case time():
            return _time(cell, tongue)


def converters(*, spoken: Language | None = None) -> dict[type, Callable[[Any], str]]:
    """`plain_cell` for each type of cell but whole numbers and nothing: for a million rows."""
    tongue = spoken or language()
    return {
        str: harmless,
        bool: lambda cell: bare_cell(cell, spoken=tongue),
        float: lambda cell: _number(cell, tongue),
        datetime: lambda cell: bare_cell(cell, spoken=tongue),
        date: lambda cell: _day(cell, tongue),
        time: lambda cell: _time(cell, tongue),
    }


def harmless(text: str) -> str:
    """The text, with `'` before it where it begins like a formula."""
    # Plants write a lone dash for nothing; no single character is a formula.
    return f"'{text}" if text.startswith(FORMULA_STARTS) and len(text) > 1 else text


def is_long(cell: int) -> bool:
    """Whether Excel would lose digits of this number."""
    return not -(10**EXACT_DIGITS) < cell < 10**EXACT_DIGITS


def infinity(cell: float) -> str:
    """What stands for a number without end, which no spreadsheet has."""
    return "∞" if cell > 0 else "-∞"


def _number(cell: float, tongue: Language) -> str:
    if not math.isfinite(cell):
        return "" if math.isnan(cell) else harmless(infinity(cell))
    return repr(cell).replace(".", ",") if tongue == "pt" else repr(cell)


def _day(cell: date, tongue: Language) -> str:
    # strftime writes the year 32 as it likes, on each system in another way.
    if tongue == "pt":
        return f"{cell.day:02}/{cell.month:02}/{cell.year:04}"
    return f"{cell.year:04}-{cell.month:02}-{cell.day:02}"


def _time(cell: time, tongue: Language) -> str:
    whole = f"{cell.hour:02}:{cell.minute:02}:{cell.second:02}"
    if not cell.microsecond:
        return whole
    fraction = f"{cell.microsecond:06}".rstrip("0")
    return f"{whole}{',' if tongue == 'pt' else '.'}{fraction}"
