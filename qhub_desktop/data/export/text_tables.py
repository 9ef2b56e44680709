"""Cells and tables as text: CSV, tab-separated lines and HTML for the clipboard."""

import csv
import html
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from qhub_desktop.core.table import Cell, Table
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


FIRST_DAY = date(1899, 12, 30).toordinal()
# Before it Excel's count of days is off by one, since it has a 29th of February 1900.
FIRST_SURE_DAY = date(1900, 3, 1).toordinal()
DAY_S = 86_400


def serial(moment: date | datetime | time) -> float | int | None:
    """A moment's number, the zone ignored; none for a day that Excel does not count right."""
    match moment:
        case time():
            return _share(moment)
        case datetime():
            days = _days(moment)
            return None if days is None else days + _share(moment)
        case date():
            return _days(moment)


def _days(day: date) -> int | None:
    ordinal = day.toordinal()
    return ordinal - FIRST_DAY if ordinal >= FIRST_SURE_DAY else None


def _share(moment: datetime | time) -> float:
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return (seconds + moment.microsecond / 1e6) / DAY_S


class CsvLines:
    """Rows on their way into a text stream, which stays the caller's.

    The stream is opened with the encoding "utf-8-sig" and `newline=""`.
    """

    def __init__(
        self, stream: io.TextIOBase, names: Sequence[str], *, spoken: Language | None = None
    ) -> None:
        tongue = spoken or language()
        self._converters = converters(spoken=tongue)
        separator = ";" if tongue == "pt" else ","
        self._writer = csv.writer(stream, delimiter=separator, lineterminator="\r\n")
        self._writer.writerow([harmless(name) for name in names])

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Add these rows."""
        find = self._converters.get
        self._writer.writerows(
            [cell if (convert := find(type(cell))) is None else convert(cell) for cell in row]
            for row in rows
        )


def to_csv(table: Table, *, spoken: Language | None = None) -> bytes:
    """A whole table as the bytes of a file."""
    content = io.StringIO(newline="")
    CsvLines(content, table.names, spoken=spoken).write(table.rows)
    return content.getvalue().encode("utf-8-sig")


EXCEL = "urn:schemas-microsoft-com:office:excel"
TEXT = r"mso-number-format:'\@'"
DAY = r"mso-number-format:'dd\/mm\/yyyy'"
MOMENT = r"mso-number-format:'dd\/mm\/yyyy hh:mm:ss'"
CLOCK = "mso-number-format:'hh:mm:ss'"
BREAK = '<br style="mso-data-placement:same-cell">'


Rows = Iterable[Sequence[Cell]]
HTML_END = "</tbody></table>"


def to_tsv(table: Table) -> str:
    """Tab-separated lines with the columns' names first."""
    return "\n".join([tsv_head(table.names), *tsv_lines(table.rows)])


def tsv_head(names: Iterable[str]) -> str:
    """The line of the columns' names."""
    return "\t".join(_on_one_line(harmless(name)) for name in names)


def tsv_lines(rows: Rows) -> Iterator[str]:
    """A line for each row."""
    return ("\t".join([_on_one_line(plain_cell(cell)) for cell in row]) for row in rows)


def to_html(table: Table) -> str:
    """A bare HTML table."""
    return "".join([html_head(table.names), html_rows(table.rows), HTML_END])


def html_head(names: Iterable[str]) -> str:
    """What comes before the rows."""
    head = "".join(f'<th style="{TEXT}">{_written(name)}</th>' for name in names)
    return f'<table xmlns:x="{EXCEL}"><thead><tr>{head}</tr></thead><tbody>'


def html_rows(rows: Rows) -> str:
    """The rows alone, before `HTML_END` or more of them."""
    return "".join([f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows])


def _cell(cell: Cell) -> str:
    match cell:
        case None:
            return "<td></td>"
        case str():
            return f'<td style="{TEXT}">{_written(cell)}</td>'
        case bool():
            return f"<td>{_written(bare_cell(cell))}</td>"
        case int() if is_long(cell):
            return f'<td style="{TEXT}">{cell}</td>'
        case float() if not math.isfinite(cell):
            return f'<td style="{TEXT}">{bare_cell(cell)}</td>'
        case int() | float():
            return f'<td x:num="{cell!r}">{bare_cell(cell)}</td>'
        case datetime():
            return _moment(cell, MOMENT)
        case date():
            return _moment(cell, DAY)
        case time():
            return _moment(cell, CLOCK)


def _moment(cell: date | datetime | time, style: str) -> str:
    counted = serial(cell)
    if counted is None:
        return f'<td style="{TEXT}">{bare_cell(cell)}</td>'
    return f'<td style="{style}" x:num="{counted!r}">{bare_cell(cell)}</td>'


def _written(text: str) -> str:
    escaped = html.escape(text, quote=False)
    return escaped if escaped.isprintable() else BREAK.join(escaped.splitlines())


def _on_one_line(cell: str) -> str:
    # Nearly every cell is as it may be, and to find that out is quicker than to split it.
    return cell if cell.isprintable() else " ".join(cell.replace("\t", " ").splitlines())
