"""Excel's older workbooks (.xls): cells read by calamine, with the errors that it drops restored.

The records of the file (BIFF) are scanned first: for cells with an error, for formulas that were
never calculated, and for how far the sheet reaches. What `.xlsb` has in common stands here as well.
"""

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import python_calamine as calamine

from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import (
    CellError,
    Hidden,
    InputFile,
    ParsedFile,
    RawSheet,
    Value,
    address,
    merges_within,
    uncalculated_finding,
)
from qhub_desktop.data.ingest.readers.sniff import (
    Content,
    file_format,
    ole_stream_names,
    read_ole_stream,
)

# Kinds of records.
FORMULA = 0x0006
EOF = 0x000A
COLINFO = 0x007D
BOUNDSHEET = 0x0085
FILTERMODE = 0x009B
MULRK = 0x00BD
RSTRING = 0x00D6
MERGEDCELLS = 0x00E5
LABELSST = 0x00FD
NUMBER = 0x0203
LABEL = 0x0204
BOOLERR = 0x0205
ROW = 0x0208
RK = 0x027E
BOF = 0x0809
SINGLE_CELL = frozenset({RSTRING, LABELSST, NUMBER, LABEL, RK})
EXAMINED = frozenset({FORMULA, BOOLERR, MULRK, MERGEDCELLS, COLINFO})
HIDDEN_ROW = 0x20  # a flag of a row

_RECORD_HEAD = struct.Struct("<HH")
_ROW_COLUMN = struct.Struct("<HH")
RECALCULATE = 0x0003  # flags of a formula: always, or when the file is opened
# Kinds of a formula's result.
NUMERIC = -1
ERROR = 2
EMPTY = 3

# The errors of Excel's binary formats, by their codes.
ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


class BrokenRecordsError(ValueError):
    """Records that do not follow one another as they must."""


@dataclass
class SheetScan:
    """The findings of a scan of one sheet's records.

    Rows and columns count from 0, from the sheet's own corner.
    """

    errors: dict[int, dict[int, CellError]] = field(default_factory=dict)  # by row, then column
    uncalculated: list[tuple[int, int]] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    results: int = 0  # formulas with a result
    values: int = 0  # cells that hold something
    first_row: int = 2**32
    last_row: int = -1
    first_column: int = 2**32
    last_column: int = -1
    hidden: Hidden = field(default_factory=Hidden)

    def note_cell(self, row: int, column: int) -> None:
        """Extend the used range to a cell that holds something."""
        self.values += 1
        if row < self.first_row:
            self.first_row = row
        if row > self.last_row:
            self.last_row = row
        if column < self.first_column:
            self.first_column = column
        if column > self.last_column:
            self.last_column = column

    def note_error(self, row: int, column: int, code: int) -> None:
        """Remember the error in a cell, by its code."""
        self.errors.setdefault(row, {})[column] = CellError(ERRORS.get(code, "#ERROR!"))

    def check_extent(self, source: InputFile, sheet: str) -> None:
        """Raise UserError for a used range that no reader could lay out in memory."""
        if self.values:
            rejection.check_range(
                source,
                sheet,
                rows=self.last_row - self.first_row + 1,
                columns=self.last_column - self.first_column + 1,
                corner=address(self.last_row, self.last_column),
                values=self.values,
            )


def _is_xls(content: Content) -> bool:
    return not content.streams.isdisjoint(("Workbook", "Book"))


@file_format("Excel (.xls)", suffixes=(".xls",), sniff=_is_xls, place=2)
def read_xls(source: InputFile) -> ParsedFile:
    """Read every sheet of a workbook of Excel 5 to 2003."""
    names = ole_stream_names(source)
    content = read_ole_stream(source, "Workbook" if "Workbook" in names else "Book")
    try:
        scans = [(name, _scan_sheet(content, place)) for name, place in _sheet_places(content)]
    except (BrokenRecordsError, struct.error) as error:
        raise rejection.damaged(source) from error
    # Before calamine sees the file: a cell far off makes it end the process.
    for name, scan in scans:
        scan.check_extent(source, name)
    book = open_book(source)
    if len(book.sheets_metadata) != len(scans):
        raise rejection.refusal(source, rejection.UNKNOWN, rejection.SAVE_AS)
    by_name = {
        sheet.name: scan for sheet, (_name, scan) in zip(book.sheets_metadata, scans, strict=True)
    }
    return parsed_book(source, book, by_name)


def _sheet_places(content: bytes) -> list[tuple[str, int]]:
    """Return each sheet's name and where its records begin, in the workbook's order."""
    found: list[tuple[str, int]] = []
    place = 0
    while place + 4 <= len(content):
        kind, length = _RECORD_HEAD.unpack_from(content, place)
        if kind == EOF:
            return found
        if kind == BOUNDSHEET and length >= 8:
            body = content[place + 4 : place + 4 + length]
            found.append((_sheet_name(body), struct.unpack_from("<I", body)[0]))
        place += 4 + length
    raise BrokenRecordsError("the globals have no end")


def _sheet_name(record: bytes) -> str:
    """Decode a sheet's name well enough for a sentence; calamine tells the real one later."""
    length, is_wide = record[6], record[7]
    # Before Excel 97, the letters follow the length at once.
    if is_wide > 1:
        return record[7 : 7 + length].decode("cp1252", "replace")
    letters = record[8 : 8 + length * (1 + is_wide)]
    return letters.decode("utf-16-le" if is_wide else "latin-1", "replace")


def _scan_sheet(content: bytes, place: int) -> SheetScan:
    scan = SheetScan()
    blanks: list[tuple[int, int]] = []  # formulas whose result is an empty text
    depth = 0  # charts stand inside a sheet as streams of their own
    unpack, end = _RECORD_HEAD.unpack_from, len(content)
    while place + 4 <= end:
        kind, length = unpack(content, place)
        body = place + 4
        place = body + length
        if place > end:
            raise BrokenRecordsError("a record is cut")
        if kind == BOF:
            depth += 1
        elif kind == EOF:
            depth -= 1
            if depth <= 0:
                break
        elif kind == FILTERMODE:
            scan.hidden.is_filtered = True
        elif depth > 1 or length < 4:
            continue
        elif kind == ROW:
            if length >= 16 and content[body + 12] & HIDDEN_ROW:
                scan.hidden.rows.append(_ROW_COLUMN.unpack_from(content, body)[0])
        elif kind in SINGLE_CELL:
            scan.note_cell(*_ROW_COLUMN.unpack_from(content, body))
        elif kind in EXAMINED:
            _examine(scan, kind, content[body:place], blanks)
    else:
        raise BrokenRecordsError("a sheet has no end")
    # An empty text is a result like others, but not if a sheet's formulas have no other: that is
    # how programs write them that do not calculate.
    if not scan.results:
        scan.uncalculated.extend(blanks)
    return scan


def _examine(scan: SheetScan, kind: int, record: bytes, blanks: list[tuple[int, int]]) -> None:
    row, column = _ROW_COLUMN.unpack_from(record)
    if kind == MERGEDCELLS:
        for place in range(2, min(len(record) - 7, 2 + 8 * row), 8):  # `row`: how many ranges
            first, last, left, right = struct.unpack_from("<HHHH", record, place)
            scan.merges.append((first, left, last, right))
        return
    if kind == COLINFO:
        if len(record) >= 10 and record[8] & 1:
            scan.hidden.note_columns(row, column)
        return
    scan.note_cell(row, column)
    if kind == MULRK:
        scan.note_cell(row, struct.unpack("<H", record[-2:])[0])
    elif kind == BOOLERR and len(record) >= 8 and record[7]:
        scan.note_error(row, column, record[6])
    elif kind == FORMULA and len(record) >= 16:
        _examine_result(scan, record, blanks)


def _examine_result(scan: SheetScan, record: bytes, blanks: list[tuple[int, int]]) -> None:
    row, column = _ROW_COLUMN.unpack_from(record)
    result = record[6] if record[12:14] == b"\xff\xff" else NUMERIC
    if result == ERROR:
        scan.note_error(row, column, record[8])
    if result != EMPTY:
        scan.results += 1
    elif struct.unpack_from("<H", record, 14)[0] & RECALCULATE:
        scan.uncalculated.append((row, column))
    else:
        blanks.append((row, column))


def open_book(source: InputFile) -> calamine.CalamineWorkbook:
    """Open a workbook with calamine. Raises UserError if it is damaged."""
    try:
        # By its bytes: by its path, the kind would be guessed from the name.
        return calamine.load_workbook(io.BytesIO(source.path.read_bytes()))
    except calamine.CalamineError as error:
        raise rejection.refusal(source, rejection.UNKNOWN, rejection.SAVE_AS) from error


def hidden_sheets(book: calamine.CalamineWorkbook) -> frozenset[str]:
    """Return the names of the sheets that a workbook does not show."""
    return frozenset(
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible != calamine.SheetVisibleEnum.Visible
    )


def parsed_book(
    source: InputFile, book: calamine.CalamineWorkbook, scans: Mapping[str, SheetScan]
) -> ParsedFile:
    """Return the worksheets of a workbook; `scans` are by the sheets' names."""
    names = tuple(
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ == calamine.SheetTypeEnum.WorkSheet
    )
    return ParsedFile(names, _sheets(source, book, names, scans))


def _sheets(
    source: InputFile,
    book: calamine.CalamineWorkbook,
    names: tuple[str, ...],
    scans: Mapping[str, SheetScan],
) -> Iterator[RawSheet]:
    hidden = hidden_sheets(book)
    for number, name in enumerate(names, start=1):
        try:
            sheet = book.get_sheet_by_name(name)
        except calamine.CalamineError as error:
            raise rejection.refusal(source, rejection.UNKNOWN, rejection.SAVE_AS) from error
        restored = _SheetWithErrors(sheet, scans.get(name, SheetScan()))
        if raw := restored.as_raw_sheet(name, number, is_hidden=name in hidden):
            yield raw


class _SheetWithErrors:
    """A sheet as calamine reads it, with the errors of the scan put back."""

    def __init__(self, sheet: calamine.CalamineSheet, scan: SheetScan) -> None:
        self._sheet = sheet
        self._scan = scan
        self._rows_read = 0
        self._height = 1

    def as_raw_sheet(self, name: str, number: int, *, is_hidden: bool) -> RawSheet | None:
        """Return the sheet, or None if no cell of it holds anything."""
        start, end = self._sheet.start, self._sheet.end
        rows = [start[0]] if start else []
        columns = [start[1]] if start else []
        if self._scan.errors:
            rows.append(min(self._scan.errors))
            columns.append(min(min(cells) for cells in self._scan.errors.values()))
        if not rows:
            return None
        first_row, first_column = min(rows), min(columns)
        last_row = max(end[0] if end else 0, max(self._scan.errors, default=0))
        self._height = last_row - first_row + 1
        return RawSheet(
            name=name,
            number=number,
            rows=self._rows(first_row, first_column, last_row),
            is_text=False,
            first_row=first_row,
            first_column=first_column,
            merges=merges_within(self._scan.merges, first_row, first_column),
            doubtful=[
                *uncalculated_finding([address(*each) for each in self._scan.uncalculated]),
                *self._scan.hidden.findings(
                    last_row=last_row, last_column=max(self._scan.last_column, first_column)
                ),
            ],
            is_hidden=is_hidden,
            share_read=lambda: min(1.0, self._rows_read / self._height),
        )

    def _rows(self, first_row: int, first_column: int, last_row: int) -> Iterator[Sequence[Value]]:
        start = self._sheet.start
        before: list[Value] = [None] * (start[1] - first_column if start else 0)
        # calamine's rows begin with the first of the sheet, not with the first that is used.
        rows = islice(self._sheet.iter_rows(), first_row, None)
        for number in range(first_row, last_row + 1):
            self._rows_read = number - first_row + 1
            cells: list[Value] = [
                *before,
                *(None if cell == "" else cell for cell in next(rows, ())),
            ]
            for column, error in self._scan.errors.get(number, {}).items():
                place = column - first_column
                cells.extend([None] * (place + 1 - len(cells)))
                cells[place] = error
            yield cells
