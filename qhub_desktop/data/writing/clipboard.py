"""Tables for the clipboard: tab-separated lines, and HTML from which Excel takes types as well.

Excel takes the HTML where there is one. Its own attributes in it say what a cell is, so that a
number is one whatever the decimal sign of that Windows, 00123 keeps its zeros, and no text is run.
"""

import html
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time

from qhub_desktop.core.table import Cell, Table
from qhub_desktop.data.writing.serials import serial
from qhub_desktop.data.writing.text_cells import bare_cell, harmless, is_long, plain_cell

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
