"""Workbooks: styled tables with real numbers and dates, and native charts."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from html import escape
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.utility import xl_col_to_name

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.table import Cell, Column, Table, is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.export.native_charts import (
    ACCENT,
    INK,
    PAPER,
    QUIET,
    NativeChart,
    TableRange,
    colour_cells,
    insert_chart,
    is_same_data,
    native_chart,
)
from qhub_desktop.data.export.output import Exported, OutputSheet, atomic_write
from qhub_desktop.data.export.text_tables import (
    bare_cell_text,
    exceeds_exact_digits,
    excel_serial,
)

LONGEST_NAME = 31  # UTF-16 units
RESERVED = set(words_of("files", "reserved_sheets"))  # by Excel, in each language
_FORBIDDEN_IN_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f\ud800-\udfff\ufffe\uffff]+")


def sheet_name(wanted: str, taken: Iterable[str] = ()) -> str:
    """Return a valid sheet name like the wanted one that no other sheet has."""
    bare = " ".join(_FORBIDDEN_IN_NAMES.sub(" ", wanted).split()).strip("' ")
    if not bare or bare.casefold() in RESERVED:
        bare = f"{bare}_" if bare else _("Sheet")
    used = {name.casefold() for name in taken}
    name = _shorten(bare, LONGEST_NAME)
    count = 1
    while name.casefold() in used:
        count += 1
        ending = f" ({count})"
        name = f"{_shorten(bare, LONGEST_NAME - len(ending))}{ending}"
    return name


def _shorten(name: str, longest: int) -> str:
    while len(name.encode("utf-16-le")) // 2 > longest:
        name = name[:-1]
    return name.strip("' ")


MOST_UNITS = 32_767  # of UTF-16, the limit of a cell
MOST_CACHED, LONGEST_CACHED = 20_000, 100
# Edited in Excel, such a text would become a formula; a leading ' would disappear.
QUOTED_STARTS = ("=", "+", "-", "@", "'")
_NEEDS_ESCAPE = re.compile("[<>&\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_ESCAPE_LIKE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Styles:
    """Format indices of the workbook, for the kinds of cells."""

    text: int  # stays text when edited
    guarded: int  # the same, with Excel's quote prefix
    integer: int
    day: int
    timestamp: int
    fine_timestamp: int
    clock: int
    fine_clock: int


class RowWriter:
    """Encodes rows as sheet XML, and counts the texts that were cut."""

    def __init__(self, styles: Styles, columns: Sequence[str]) -> None:
        self._styles = styles
        self._columns = columns
        self.texts_cut = 0
        self._after: dict[str, str] = {}  # cache: the same few texts fill most columns
        self._by_type: dict[type, Callable[[str, Any], str]] = {
            str: self._text,
            int: self._integer,
            float: self._float,
            bool: self._boolean,
            date: self._day,
            datetime: self._timestamp,
            time: self._clock,
        }

    def rows(self, rows: Iterable[Sequence[Cell]], *, first: int) -> str:
        """Return the XML of rows; the first is the sheet's row `first`, from 1."""
        by_type, columns = self._by_type, self._columns
        written = []
        for row_number, row in enumerate(rows, start=first):
            cells = [
                by_type[type(cell)](f"{column}{row_number}", cell)
                for column, cell in zip(columns, row, strict=True)
                if cell is not None
            ]
            written.append(f'<row r="{row_number}">{"".join(cells)}</row>')
        return "".join(written)

    def text(self, place: str, text: str, style: int) -> str:
        """Return the XML of a text cell in the given format."""
        return f'<c r="{place}"{self._text_after(text, style)}'

    def _text(self, place: str, cell: str) -> str:
        after = self._after.get(cell)
        if after is None:
            if not cell:
                return ""
            after = self._text_after(cell, self._style_of(cell))
            # Texts that are cut are not cached, so each is counted.
            if len(self._after) < MOST_CACHED and len(cell) < LONGEST_CACHED:
                self._after[cell] = after
        return f'<c r="{place}"{after}'

    def _style_of(self, cell: str) -> int:
        if cell.startswith(QUOTED_STARTS):
            return self._styles.guarded
        return self._styles.text if cell[0].isdigit() else 0

    def _text_after(self, text: str, style: int) -> str:
        """Return the XML of a text cell after its reference."""
        kept = ' xml:space="preserve"' if text[0].isspace() or text[-1].isspace() else ""
        return f' s="{style}" t="inlineStr"><is><t{kept}>{self._inner(text)}</t></is></c>'

    def _integer(self, place: str, cell: int) -> str:
        if exceeds_exact_digits(cell):
            return self.text(place, str(cell), self._styles.text)
        return f'<c r="{place}" s="{self._styles.integer}"><v>{cell}</v></c>'

    def _float(self, place: str, cell: float) -> str:
        return f'<c r="{place}"><v>{cell!r}</v></c>' if math.isfinite(cell) else ""

    def _boolean(self, place: str, cell: bool) -> str:  # noqa: FBT001  it is the value itself
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'

    def _day(self, place: str, cell: date) -> str:
        return self._counted(place, cell, self._styles.day)

    def _timestamp(self, place: str, cell: datetime) -> str:
        is_fine = cell.microsecond > 0
        style = self._styles.fine_timestamp if is_fine else self._styles.timestamp
        return self._counted(place, cell, style)

    def _clock(self, place: str, cell: time) -> str:
        is_fine = cell.microsecond > 0
        style = self._styles.fine_clock if is_fine else self._styles.clock
        return self._counted(place, cell, style)

    def _counted(self, place: str, cell: date | datetime | time, style: int) -> str:
        counted = excel_serial(cell)
        if counted is None:
            return self.text(place, bare_cell_text(cell), self._styles.text)
        return f'<c r="{place}" s="{style}"><v>{counted!r}</v></c>'

    def _inner(self, text: str) -> str:
        if len(text) > MOST_UNITS // 2 and _utf16_units(text) > MOST_UNITS:
            text = _truncate(text)
            self.texts_cut += 1
        return escape_xml(text) if _NEEDS_ESCAPE.search(text) else text


def escape_xml(text: str) -> str:
    """Escape markup and control characters as Excel does."""
    text = _ESCAPE_LIKE.sub("_x005F_", text)
    text = _FORBIDDEN.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return escape(text, quote=False)


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _truncate(text: str) -> str:
    kept = text.encode("utf-16-le", "surrogatepass")[: 2 * MOST_UNITS]
    return kept.decode("utf-16-le", "ignore")


MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
A4 = 9  # as OOXML numbers paper sizes
ROWS_AT_ONCE = 5_000
ROWS_MEASURED = 500  # to set the columns' widths
NARROWEST, WIDEST = 8, 60  # in characters
BUTTON_WIDTH = 4  # of the filter in the header, in characters
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
    "use_zip64": True,
}

OnRows = Callable[[int], None]  # called with the number of rows written


def write_book(
    sheets: Sequence[OutputSheet], target: Path, *, title: str = "", on_rows: OnRows | None = None
) -> Exported:
    """Write a workbook, whole or not at all. Raises UserError if it cannot be written."""
    with atomic_write(target) as draft, scratch_folder() as scratch:
        with BookWriter(draft, scratch, title=title) as book:
            for sheet in sheets:
                book.add(sheet, on_rows=on_rows or (lambda _rows: None))
        return book.exported


class BookWriter:
    """Context manager that writes a workbook to a file; complete when the block ends.

    `scratch` is a folder for temporary files, which the caller deletes. `rows_a_sheet` is the most
    rows of a sheet.
    """

    def __init__(
        self, file: Path, scratch: Path, *, title: str = "", rows_a_sheet: int = MOST_ROWS
    ) -> None:
        self._book: Any = xlsxwriter.Workbook(str(file), {**OPTIONS, "tmpdir": str(scratch)})
        # No property names the person or the computer.
        self._book.set_properties({"title": title, "comments": "QHub Desktop"})
        self._formats = _Formats(self._book)
        self._rows_a_sheet = rows_a_sheet
        self._names: list[str] = []
        self._notes: list[str] = []
        self._rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            try:
                self._book.close()
            except FileCreateError as failure:
                self._abandon()
                # xlsxwriter wraps the error of the file system.
                raise OSError(*failure.args[0].args) from failure
            return
        self._abandon()

    @property
    def exported(self) -> Exported:
        """What has been written so far, with notes."""
        return Exported(self._rows, tuple(dict.fromkeys(self._notes)))

    def add(self, sheet: OutputSheet, *, on_rows: OnRows) -> None:
        """Add a sheet, and a second one if the chart shows other values than its table has."""
        found = None if sheet.figure is None else native_chart(sheet.figure)
        is_whole = found is None or is_same_data(found, sheet.table)
        table = sheet.table if is_whole or found is None else found.table
        page = self.begin_table(sheet.name, table.columns, title=sheet.title, notes=sheet.notes)
        page.write(table.rows, on_rows=on_rows)
        page.finish()
        if found is not None and table.rows:
            self._draw(page, found, table, sheet)
        if table is not sheet.table:
            data = self.begin_table(_("{name} data").format(name=sheet.name), sheet.table.columns)
            data.write(sheet.table.rows, on_rows=on_rows)
            data.finish()

    def begin_table(
        self,
        name: str,
        columns: Sequence[Column],
        *,
        title: str = "",
        notes: Sequence[str] = (),
    ) -> "TableWriter":
        """Begin a table whose rows follow. Raises UserError if it has too many columns."""
        if len(columns) > MOST_COLUMNS:
            raise UserError(
                _("{name} has {count} columns; Excel takes {most}. Save it as CSV instead.").format(
                    name=name, count=number(len(columns)), most=number(MOST_COLUMNS)
                )
            )
        return TableWriter(self, name, columns, [line for line in (title, *notes) if line])

    def begin_sheet(self, wanted: str) -> tuple[Any, str]:
        """Add an empty sheet; return it and its valid, unique name."""
        name = sheet_name(wanted, self._names)
        self._names.append(name)
        return self._book.add_worksheet(name), name

    @property
    def formats(self) -> "_Formats":
        """Formats of this workbook."""
        return self._formats

    @property
    def rows_a_sheet(self) -> int:
        """Most rows of a sheet."""
        return self._rows_a_sheet

    def count(self, rows: int) -> None:
        """Add to the number of rows written."""
        self._rows += rows

    def note(self, sentence: str) -> None:
        """Add a note on what was changed to fit the format."""
        self._notes.append(sentence)

    def _draw(
        self, page: "TableWriter", found: NativeChart, table: Table, sheet: OutputSheet
    ) -> None:
        assert sheet.figure is not None
        place = TableRange(page.first_name, page.header_row, len(table.columns), len(table.rows))
        if found.form == "cells":
            colour_cells(page.first_sheet, place)
        else:
            insert_chart(self._book, page.first_sheet, sheet.figure, found, table, place)

    def _abandon(self) -> None:
        for sheet in self._book.worksheets():
            sheet.row_data_fh.close()
        # Otherwise xlsxwriter warns when the workbook is garbage-collected unclosed.
        self._book.fileclosed = True


class TableWriter:
    """Writes one table to a workbook, over as many sheets as it needs."""

    def __init__(
        self, book: BookWriter, name: str, columns: Sequence[Column], lines: Sequence[str]
    ) -> None:
        self._book = book
        self._name = name
        self._columns = columns
        self._lines = lines
        self._letters = [xl_col_to_name(at) for at in range(len(columns))]
        self._writer = RowWriter(book.formats.styles, self._letters)
        self._widths = [len(column.name) + BUTTON_WIDTH for column in columns]
        self._measured = 0
        self._sheets: list[Any] = []
        self._names: list[str] = []
        self._next = 0  # row to be written, from 0
        self._begin()

    @property
    def header_row(self) -> int:
        """Row of the header, from 0."""
        # An empty row separates title and notes from the table.
        return len(self._lines) + 1 if self._lines else 0

    @property
    def first_sheet(self) -> Any:
        """Sheet on which the table begins."""
        return self._sheets[0]

    @property
    def first_name(self) -> str:
        """Name of the sheet on which the table begins."""
        return self._names[0]

    def write(self, rows: Iterable[Sequence[Cell]], *, on_rows: OnRows) -> None:
        """Write rows, continuing on another sheet when one is full."""
        waiting = iter(rows)
        while True:
            if self._next >= self._book.rows_a_sheet:
                peeked = next(waiting, None)
                if peeked is None:
                    return
                self._begin()
                self._put([peeked])
                on_rows(1)
            room = min(ROWS_AT_ONCE, self._book.rows_a_sheet - self._next)
            some = list(islice(waiting, room))
            if not some:
                return
            self._put(some)
            on_rows(len(some))

    def finish(self) -> None:
        """Set column widths and filters, and note what was changed to fit the format."""
        last = len(self._columns) - 1
        for at, sheet in enumerate(self._sheets):
            is_last = at == len(self._sheets) - 1
            end = (self._next if is_last else self._book.rows_a_sheet) - 1
            for column, width in enumerate(self._widths):
                sheet.set_column(column, column, min(WIDEST, max(NARROWEST, width)))
            if self._columns:
                sheet.autofilter(self.header_row, 0, max(end, self.header_row), last)
                sheet.ignore_errors({"number_stored_as_text": f"A1:{self._letters[-1]}{end + 1}"})
        if len(self._sheets) > 1:
            sentence = _(
                "{name} has more rows than a sheet takes, and goes on over {count} sheets."
            )
            self._book.note(sentence.format(name=self._name, count=len(self._sheets)))
        if cut := self._writer.texts_cut:
            sentence = ngettext(
                "{count} text was longer than the 32,767 characters of a cell, and was cut.",
                "{count} texts were longer than the 32,767 characters of a cell, and were cut.",
                cut,
            )
            self._book.note(sentence.format(count=number(cut)))

    def _begin(self) -> None:
        sheet, name = self._book.begin_sheet(self._name)
        self._sheets.append(sheet)
        self._names.append(name)
        formats, writer = self._book.formats, self._writer
        rows = [
            f'<row r="{at}">'
            f"{writer.text(f'A{at}', line, formats.title if at == 1 else formats.note)}</row>"
            for at, line in enumerate(self._lines, start=1)
        ]
        header = self.header_row + 1
        cells = [
            writer.text(
                f"{letter}{header}",
                column.name or "-",
                formats.number_header if is_numeric(column.type) else formats.header,
            )
            for letter, column in zip(self._letters, self._columns, strict=True)
        ]
        rows.append(f'<row r="{header}">{"".join(cells)}</row>')
        sheet.fh.write("".join(rows))
        sheet.freeze_panes(header, 0)
        # In print, all columns fit the page's width, and every page repeats the header.
        sheet.set_paper(A4)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(header - 1)
        sheet.dim_rowmin = sheet.dim_colmin = 0
        sheet.dim_rowmax, sheet.dim_colmax = header - 1, max(0, len(self._columns) - 1)
        self._next = header

    def _put(self, rows: Sequence[Sequence[Cell]]) -> None:
        self._measure(rows)
        sheet = self._sheets[-1]
        sheet.fh.write(self._writer.rows(rows, first=self._next + 1))
        self._next += len(rows)
        sheet.dim_rowmax = self._next - 1
        self._book.count(len(rows))

    def _measure(self, rows: Sequence[Sequence[Cell]]) -> None:
        for row in rows[: max(0, ROWS_MEASURED - self._measured)]:
            for at, cell in enumerate(row):
                self._widths[at] = max(self._widths[at], _cell_width(cell))
        self._measured += len(rows)


class _Formats:
    """Format indices of a workbook: header, title, notes and the kinds of cells."""

    def __init__(self, book: Any) -> None:
        def style(**properties: object) -> int:
            # No public method returns the index that stands in a cell's XML.
            return int(book.add_format(properties)._get_xf_index())  # noqa: SLF001

        header = {"bold": True, "font_color": PAPER, "bg_color": ACCENT}
        self.header = style(**header)
        self.number_header = style(**header, align="right")
        self.title = style(bold=True, font_size=14, font_color=INK)
        self.note = style(font_color=QUIET, font_size=9)
        self.styles = Styles(
            text=style(num_format="@"),
            guarded=style(num_format="@", quote_prefix=True),
            integer=style(num_format="0"),
            day=style(num_format="dd/mm/yyyy"),
            timestamp=style(num_format="dd/mm/yyyy hh:mm:ss"),
            fine_timestamp=style(num_format="dd/mm/yyyy hh:mm:ss.000"),
            clock=style(num_format="hh:mm:ss"),
            fine_clock=style(num_format="hh:mm:ss.000"),
        )


def _cell_width(cell: Cell) -> int:
    match cell:
        case str():
            return max(map(len, cell.splitlines()), default=0) + 2
        case float():
            # Excel shows about as many digits in the general format.
            return min(len(repr(cell)), 12) + 2
        case date() if not isinstance(cell, datetime):
            return 12
        case _:
            return len(bare_cell_text(cell)) + 2
