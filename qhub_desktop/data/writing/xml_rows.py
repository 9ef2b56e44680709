"""Rows as the XML of a workbook's sheet.

XlsxWriter makes workbooks, styles and charts for us, but not the cells: it keeps 16 digits of a
number where 17 tell it from its neighbours, takes a text like `<r>…</r>` for markup of its own,
and needs three times as long.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from html import escape
from typing import Any

from qhub_desktop.core.table import Cell
from qhub_desktop.data.writing.serials import serial
from qhub_desktop.data.writing.text_cells import bare_cell, infinity, is_long

MOST_UNITS = 32_767  # of UTF-16, in a cell
MOST_REMEMBERED, LONGEST_REMEMBERED = 20_000, 100
# Typed again in Excel, such a text would become a formula; ' itself would be swallowed.
GUARDED = ("=", "+", "-", "@", "'")
_ODD = re.compile("[<>&\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_ESCAPE_LIKE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Styles:
    """The workbook's numbers for how cells look."""

    text: int  # kept as text when typed again
    guarded: int  # the same, behind Excel's own quote mark
    integer: int
    day: int
    moment: int
    fine_moment: int
    clock: int
    fine_clock: int


class RowWriter:
    """Makes XML of rows, and counts what did not go in whole."""

    def __init__(self, styles: Styles, columns: Sequence[str]) -> None:
        self._styles = styles
        self._columns = columns
        self.texts_cut = 0
        self._after: dict[str, str] = {}  # the same few texts fill most columns
        self._by_type: dict[type, Callable[[str, Any], str]] = {
            str: self._text,
            int: self._integer,
            float: self._float,
            bool: self._boolean,
            date: self._day,
            datetime: self._moment,
            time: self._clock,
        }

    def rows(self, rows: Iterable[Sequence[Cell]], *, first: int) -> str:
        """These rows, the first of which is the sheet's row `first`, from 1."""
        by_type, columns = self._by_type, self._columns
        written = []
        for number, row in enumerate(rows, start=first):
            cells = [
                by_type[type(cell)](f"{column}{number}", cell)
                for column, cell in zip(columns, row, strict=True)
                if cell is not None
            ]
            written.append(f'<row r="{number}">{"".join(cells)}</row>')
        return "".join(written)

    def text(self, place: str, text: str, style: int) -> str:
        """One cell of text in a look of its own."""
        return f'<c r="{place}"{self._text_after(text, style)}'

    def _text(self, place: str, cell: str) -> str:
        after = self._after.get(cell)
        if after is None:
            if not cell:
                return ""
            after = self._text_after(cell, self._style_of(cell))
            # What is cut is counted each time.
            if len(self._after) < MOST_REMEMBERED and len(cell) < LONGEST_REMEMBERED:
                self._after[cell] = after
        return f'<c r="{place}"{after}'

    def _style_of(self, cell: str) -> int:
        if cell.startswith(GUARDED):
            return self._styles.guarded
        return self._styles.text if cell[0].isdigit() else 0

    def _text_after(self, text: str, style: int) -> str:
        """A text cell's XML from behind its place."""
        kept = ' xml:space="preserve"' if text[0].isspace() or text[-1].isspace() else ""
        return f' s="{style}" t="inlineStr"><is><t{kept}>{self._inner(text)}</t></is></c>'

    def _integer(self, place: str, cell: int) -> str:
        if is_long(cell):
            return self.text(place, str(cell), self._styles.text)
        return f'<c r="{place}" s="{self._styles.integer}"><v>{cell}</v></c>'

    def _float(self, place: str, cell: float) -> str:
        if math.isfinite(cell):
            return f'<c r="{place}"><v>{cell!r}</v></c>'
        return "" if math.isnan(cell) else self.text(place, infinity(cell), self._styles.guarded)

    def _boolean(self, place: str, cell: bool) -> str:  # noqa: FBT001  it is the value itself
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'

    def _day(self, place: str, cell: date) -> str:
        return self._counted(place, cell, self._styles.day)

    def _moment(self, place: str, cell: datetime) -> str:
        is_fine = cell.microsecond > 0
        style = self._styles.fine_moment if is_fine else self._styles.moment
        return self._counted(place, cell, style)

    def _clock(self, place: str, cell: time) -> str:
        is_fine = cell.microsecond > 0
        style = self._styles.fine_clock if is_fine else self._styles.clock
        return self._counted(place, cell, style)

    def _counted(self, place: str, cell: date | datetime | time, style: int) -> str:
        counted = serial(cell)
        if counted is None:
            return self.text(place, bare_cell(cell), self._styles.text)
        return f'<c r="{place}" s="{style}"><v>{counted!r}</v></c>'

    def _inner(self, text: str) -> str:
        if len(text) > MOST_UNITS // 2 and _units(text) > MOST_UNITS:
            text = _cut(text)
            self.texts_cut += 1
        return clean(text) if _ODD.search(text) else text


def clean(text: str) -> str:
    """A text as XML takes it: markup and control characters escaped as Excel does."""
    text = _ESCAPE_LIKE.sub("_x005F_", text)
    text = _FORBIDDEN.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return escape(text, quote=False)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str) -> str:
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * MOST_UNITS]
    return kept.decode("utf-16-le", "ignore")
