"""Cells and tables as text: CSV, tab-separated lines and HTML for the clipboard."""

import csv
import html
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from qhub_desktop.core.table import Cell, Table
from qhub_desktop.core.text import Language, gettext, language

# A spreadsheet runs a text that begins so as a formula (OWASP, 'CSV injection'), in some languages
# with full-width signs, too. What is not seen before them may be dropped: LibreOffice drops a NUL.
_CALLS = "=@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH COMMERCIAL AT}"
_SUMS = "+\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}-"
_UNSEEN = r"[\s\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]*"
_MAY_BE_FORMULA = re.compile(rf"[\t\r{_CALLS}{_SUMS}]")
_FORMULA = re.compile(rf"[\t\r]|{_UNSEEN}[{_CALLS}{_SUMS}]")
# Where a file is read with another separator than it was written with, quotation marks within a
# line keep nothing together, and each part of a text is a cell of its own. '41.15,-8.61' is not.
_FORMULA_INSIDE = re.compile(
    rf"([,;\t\r\n](?:{_UNSEEN}\")?{_UNSEEN})(?=[{_CALLS}]|[{_SUMS}][^,;\t\r\n]*[(|!])"
)
# Excel keeps 15 digits of a number and turns the others to zeros.
EXACT_DIGITS = 15


def safe_cell_text(cell: Cell, *, locale: Language | None = None) -> str:
    """Return a cell as text for a file, with `'` before what would be a formula."""
    return escape_formula(cell) if isinstance(cell, str) else bare_cell_text(cell, locale=locale)


def bare_cell_text(cell: Cell, *, locale: Language | None = None) -> str:
    """Return a cell as text, for places where it cannot become a formula."""
    chosen = locale or language()
    match cell:
        case None:
            return ""
        case str():
            return cell
        case bool():
            return gettext("yes", language=chosen) if cell else gettext("no", language=chosen)
        case int():
            return str(cell)
        case float():
            return _number_text(cell, chosen)
        case datetime():
            return f"{_day_text(cell, chosen)} {_time_text(cell.time(), chosen)}"
        case date():
            return _day_text(cell, chosen)
        case time():
            return _time_text(cell, chosen)


def converters(*, locale: Language | None = None) -> dict[type, Callable[[Any], str]]:
    """Return by the type of a cell what writes it as `safe_cell_text` does: for a million rows.

    Whole numbers and None are not among them, as `csv` writes these alike.
    """
    chosen = locale or language()
    return {
        str: escape_formula,
        bool: lambda cell: bare_cell_text(cell, locale=chosen),
        float: lambda cell: _number_text(cell, chosen),
        datetime: lambda cell: bare_cell_text(cell, locale=chosen),
        date: lambda cell: _day_text(cell, chosen),
        time: lambda cell: _time_text(cell, chosen),
    }


def escape_formula(text: str) -> str:
    """Return the text, with `'` before what in it would be a formula."""
    # Nearly every text has none of the signs. A lone dash often stands for an empty cell; no single
    # character is a formula.
    if _MAY_BE_FORMULA.search(text) is None or len(text.strip()) < 2:
        return text
    escaped = _FORMULA_INSIDE.sub(r"\1'", text)
    return f"'{escaped}" if _FORMULA.match(text) else escaped


def exceeds_exact_digits(cell: int) -> bool:
    """Return whether Excel would lose digits of this number."""
    return not -(10**EXACT_DIGITS) < cell < 10**EXACT_DIGITS


def _number_text(cell: float, chosen: Language) -> str:
    if not math.isfinite(cell):
        return ""
    return repr(cell).replace(".", ",") if chosen == "pt" else repr(cell)


def _day_text(cell: date, chosen: Language) -> str:
    # strftime writes years before 1000 differently on each system.
    if chosen == "pt":
        return f"{cell.day:02}/{cell.month:02}/{cell.year:04}"
    return f"{cell.year:04}-{cell.month:02}-{cell.day:02}"


def _time_text(cell: time, chosen: Language) -> str:
    whole = f"{cell.hour:02}:{cell.minute:02}:{cell.second:02}"
    if not cell.microsecond:
        return whole
    fraction = f"{cell.microsecond:06}".rstrip("0")
    return f"{whole}{',' if chosen == 'pt' else '.'}{fraction}"


FIRST_DAY = date(1899, 12, 30).toordinal()
# Before it Excel's serial days are off by one: it has a 29th of February 1900.
FIRST_SURE_DAY = date(1900, 3, 1).toordinal()
DAY_S = 86_400


def excel_serial(timestamp: date | datetime | time) -> float | int | None:
    """Return Excel's serial number of a date or time, ignoring its zone; None before March 1900."""
    match timestamp:
        case time():
            return _day_fraction(timestamp)
        case datetime():
            days = _day_serial(timestamp)
            return None if days is None else days + _day_fraction(timestamp)
        case date():
            return _day_serial(timestamp)


def _day_serial(day: date) -> int | None:
    ordinal = day.toordinal()
    return ordinal - FIRST_DAY if ordinal >= FIRST_SURE_DAY else None


def _day_fraction(timestamp: datetime | time) -> float:
    seconds = timestamp.hour * 3600 + timestamp.minute * 60 + timestamp.second
    return (seconds + timestamp.microsecond / 1e6) / DAY_S


class CsvWriter:
    """Writes rows to a text stream, which the caller opens and closes.

    The stream has the encoding "utf-8-sig" and `newline=""`.
    """

    def __init__(
        self, stream: io.TextIOBase, names: Sequence[str], *, locale: Language | None = None
    ) -> None:
        chosen = locale or language()
        self._converters = converters(locale=chosen)
        separator = ";" if chosen == "pt" else ","
        self._writer = csv.writer(stream, delimiter=separator, lineterminator="\r\n")
        self._writer.writerow([escape_formula(name) for name in names])

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write these rows."""
        find = self._converters.get
        self._writer.writerows(
            [cell if (convert := find(type(cell))) is None else convert(cell) for cell in row]
            for row in rows
        )


def to_csv(table: Table, *, locale: Language | None = None) -> bytes:
    """Return a table as the bytes of a CSV file."""
    content = io.StringIO(newline="")
    CsvWriter(content, table.names, locale=locale).write(table.rows)
    return content.getvalue().encode("utf-8-sig")


EXCEL = "urn:schemas-microsoft-com:office:excel"
TEXT = r"mso-number-format:'\@'"
DAY = r"mso-number-format:'dd\/mm\/yyyy'"
TIMESTAMP = r"mso-number-format:'dd\/mm\/yyyy hh:mm:ss'"
CLOCK = "mso-number-format:'hh:mm:ss'"
BREAK = '<br style="mso-data-placement:same-cell">'


Rows = Iterable[Sequence[Cell]]
HTML_TAIL = "</tbody></table>"


def to_tsv(table: Table) -> str:
    """Return a table as tab-separated lines, the header first."""
    return "\n".join([tsv_head(table.names), *tsv_lines(table.rows)])


def tsv_head(names: Iterable[str]) -> str:
    """Return the header line."""
    return "\t".join(_on_one_line(escape_formula(name)) for name in names)


def tsv_lines(rows: Rows) -> Iterator[str]:
    """Yield a line for each row."""
    return ("\t".join([_on_one_line(safe_cell_text(cell)) for cell in row]) for row in rows)


def to_html(table: Table) -> str:
    """Return a table as bare HTML."""
    return "".join([html_head(table.names), html_rows(table.rows), HTML_TAIL])


def html_head(names: Iterable[str]) -> str:
    """Return the HTML before the rows: the opening tag and the header."""
    head = "".join(f'<th style="{TEXT}">{_html_text(name)}</th>' for name in names)
    return f'<table xmlns:x="{EXCEL}"><thead><tr>{head}</tr></thead><tbody>'


def html_rows(rows: Rows) -> str:
    """Return the HTML of the rows alone; `HTML_TAIL` ends the table."""
    return "".join([f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows])


def _html_cell(cell: Cell) -> str:
    match cell:
        case None:
            return "<td></td>"
        case str():
            return f'<td style="{TEXT}">{_html_text(cell)}</td>'
        case bool():
            return f"<td>{_html_text(bare_cell_text(cell))}</td>"
        case int() if exceeds_exact_digits(cell):
            return f'<td style="{TEXT}">{cell}</td>'
        case float() if not math.isfinite(cell):
            return "<td></td>"
        case int() | float():
            return f'<td x:num="{cell!r}">{bare_cell_text(cell)}</td>'
        case datetime():
            return _html_timestamp(cell, TIMESTAMP)
        case date():
            return _html_timestamp(cell, DAY)
        case time():
            return _html_timestamp(cell, CLOCK)


def _html_timestamp(cell: date | datetime | time, style: str) -> str:
    counted = excel_serial(cell)
    if counted is None:
        return f'<td style="{TEXT}">{bare_cell_text(cell)}</td>'
    return f'<td style="{style}" x:num="{counted!r}">{bare_cell_text(cell)}</td>'


def _html_text(text: str) -> str:
    escaped = html.escape(text, quote=False)
    return escaped if escaped.isprintable() else BREAK.join(escaped.splitlines())


def _on_one_line(cell: str) -> str:
    # Nearly every cell is one line already; checking that is quicker than splitting.
    return cell if cell.isprintable() else " ".join(cell.replace("\t", " ").splitlines())
