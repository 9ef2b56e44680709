"""Excel workbooks (.xlsx): cells with full precision, large sheets as whole columns."""

# Why it is so: decisions/importing-files.md

from __future__ import annotations  # fastexcel and nanoarrow take 50 ms, and few files need them

import io
import re
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree as ET

import python_calamine as calamine

from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.package import open_package
from qhub_desktop.data.ingest.readers.sheet import (
    CellError,
    InputFile,
    Merge,
    ParsedFile,
    RawSheet,
    Value,
    address,
    merges_within,
    unread_finding,
)
from qhub_desktop.data.ingest.readers.sniff import Content, file_format
from qhub_desktop.data.ingest.readers.xls import hidden_sheets
from qhub_desktop.data.ingest.readers.xlsx_scan import (
    LAST_ROW,
    XlsxSheetScan,
    column_of,
    count_blank_texts,
    filled_extent,
    scan_sheet,
    with_known_cells,
)

if TYPE_CHECKING:
    import fastexcel

BATCH_ROWS = 30_720  # what one of the database's threads takes at a time

SHEET_HEAD_BYTES = 2**20
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"
PROVEN_ROWS = 60
SHEET_PART_BYTES = 2**16
_ADDRESS = re.compile(r"([A-Z]{1,3})(\d{1,7})")
# Above so many bytes of XML the faster reader is tried: about 5,000 rows of 8 columns.
LARGE_BYTES = 2**21
_UNREAD = (
    calamine.CalamineError,
    zipfile.BadZipFile,
    zlib.error,
    ET.ParseError,
    EOFError,
    LookupError,  # a part that is not there, an encoding that does not exist
    NotImplementedError,
    ValueError,
)


def _is_xlsx(content: Content) -> bool:
    if "xl/workbook.bin" in content.parts:
        return False  # which Excel itself then opens
    return any(name.lower() == "xl/workbook.xml" for name in content.parts)


@file_format("Excel", suffixes=(".xlsx", ".xlsm"), sniff=_is_xlsx, place=1)
def read_xlsx(source: InputFile) -> ParsedFile:
    """Read every sheet of a workbook that holds cells."""
    content = source.path.read_bytes()
    try:
        with open_package(io.BytesIO(content)) as archive:
            refuse_declarations(archive, source)
            parts = sheets_of(archive)
            zeros = zero_styles(archive)
            sizes = {name: archive.getinfo(part).file_size for name, part in parts.items()}
        book = calamine.load_workbook(io.BytesIO(content))
    except calamine.PasswordError as error:
        raise rejection.refusal(source, rejection.LOCKED, rejection.UNLOCK) from error
    except KeyError as error:  # a part that is named and not there
        raise rejection.refusal(source, rejection.INCOMPLETE, rejection.EXPORT_AGAIN) from error
    except _UNREAD as error:
        raise rejection.given_up(source, error, rejection.SAVE_AS) from error
    names = tuple(
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.typ == calamine.SheetTypeEnum.WorkSheet
    )
    workbook = _Workbook(source, content, book, parts, sizes, names, zeros, hidden_sheets(book))
    return ParsedFile(names, workbook.sheets())


@dataclass(frozen=True, slots=True)
class _Workbook:
    """A workbook in memory, as its bytes and as calamine has it."""

    source: InputFile
    content: bytes
    book: calamine.CalamineWorkbook
    parts: dict[str, str]
    sizes: dict[str, int]
    names: tuple[str, ...]
    zeros: dict[int, int]
    hidden: frozenset[str]

    def sheets(self) -> Iterator[RawSheet]:
        """Yield the sheets that hold something, in the order of the workbook."""
        for number, name in enumerate(self.names, start=1):
            try:
                sheet = self._sheet(number, name)
            except calamine.WorksheetNotFound as error:
                raise rejection.refusal(
                    self.source, rejection.INCOMPLETE, rejection.EXPORT_AGAIN
                ) from error
            except _UNREAD as error:
                raise rejection.given_up(self.source, error, rejection.SAVE_AS) from error
            if sheet is not None:
                yield sheet

    def _sheet(self, number: int, name: str) -> RawSheet | None:
        if self.sizes.get(name, 0) > LARGE_BYTES:
            return self._large_sheet(number, name)
        scan = self._scan(name)
        sheet = self._calamine_sheet(name, scan)
        if sheet.start is None:
            return None
        scan.tell_hidden(sheet)
        rows = _RestoredRows(lambda: sheet, scan, partial(self._unread, name, scan))
        return RawSheet(
            name=name,
            number=number,
            rows=iter(rows),
            is_text=False,
            first_row=sheet.start[0],
            first_column=sheet.start[1],
            merges=merges_within(scan.merges, *sheet.start),
            repaired=scan.repaired,
            doubtful=scan.doubtful,
            share_read=rows.share,
            is_hidden=name in self.hidden,
        )

    def _large_sheet(self, number: int, name: str) -> RawSheet | None:
        """Return a sheet with its first rows read apart, so that the loader can choose a reader."""
        with open_package(io.BytesIO(self.content)) as archive:
            head = head_of(archive, self.parts[name])
        scan = XlsxSheetScan(name, self.source)
        merges: list[Merge] = []
        corner = (head.first_row, head.first_column)

        def opened() -> calamine.CalamineSheet:
            nonlocal corner
            # Rows are asked for only where `columns`, which scans the sheet itself, was not used.
            scan.update_from(self._scan(name))
            sheet = self._calamine_sheet(name, scan)
            assert sheet.start is not None
            corner = sheet.start
            scan.tell_hidden(sheet)
            merges[:] = merges_within(scan.merges, *corner)
            return sheet

        def scanned() -> XlsxSheetScan:
            scan.update_from(self._scan(name, extent="rows"))
            return scan

        def columns(skip_rows: int) -> Any:
            above = head.rows[: skip_rows - head.first_row]
            filled = sum(len(row) - row.count(None) for row in above)
            made = arrow_columns(self.content, name, skip_rows, scanned)
            if made is not None:
                filled += made.filled
                if filled < scan.filled - self._blank_texts(name, scan, filled):
                    return None
                width = max(map(len, head.rows))
                last = (scan.last_row - 1, head.first_column + width - 1)
                scan.doubtful += scan.hidden.findings(last_row=last[0], last_column=last[1])
            return made

        rows = _RestoredRows(opened, scan, partial(self._unread, name, scan))
        return RawSheet(
            name=name,
            number=number,
            rows=iter(rows),
            is_text=False,
            first_row=head.first_row,
            first_column=head.first_column,
            merges=merges,
            repaired=scan.repaired,
            doubtful=scan.doubtful,
            share_read=rows.share,
            head=head.rows,
            columns=columns if head.rows else None,
            corner=lambda: corner,
            is_hidden=name in self.hidden,
        )

    def _scan(self, name: str, *, extent: Literal["known", "rows"] = "known") -> XlsxSheetScan:
        if name not in self.parts:
            return XlsxSheetScan(name, self.source)
        part = self.parts[name]
        with open_package(io.BytesIO(self.content)) as archive:
            scan = scan_sheet(archive, part, name, self.source, zeros=self.zeros, extent=extent)
            if scan.has_unplaced_errors:
                for cell in _cells(archive, part, rows=LAST_ROW):
                    if cell.kind == "e":
                        scan.errors.setdefault(cell.row, {})[cell.column] = CellError(cell.text)
        return scan

    def _calamine_sheet(self, name: str, scan: XlsxSheetScan) -> calamine.CalamineSheet:
        scan.check_range(lambda: self._filled_extent(name))
        if not scan.has_odd_cells:
            return self.book.get_sheet_by_name(name)
        content = with_known_cells(self.content, self.parts[name])
        return calamine.load_workbook(io.BytesIO(content)).get_sheet_by_name(name)

    def _unread(
        self, name: str, scan: XlsxSheetScan, sheet: calamine.CalamineSheet, filled: int
    ) -> list[str]:
        """Return the addresses of the cells that hold something which calamine does not give.

        It has given `filled` cells that hold something.
        """
        if filled >= scan.filled - self._blank_texts(name, scan, filled):
            return []
        read = [*sheet.iter_rows()]
        _row, left = sheet.start or (0, 0)

        def is_read(cell: _Cell) -> bool:
            row = read[cell.row] if cell.row < len(read) else []
            return 0 <= cell.column - left < len(row) and row[cell.column - left] != ""

        with open_package(io.BytesIO(self.content)) as archive:
            cells = _cells(archive, self.parts[name], rows=LAST_ROW)
            missing = [each for each in cells if each.kind != "e" and not is_read(each)]
            needed = {int(each.text) for each in missing if each.kind == "s"}
            strings = _strings(archive, needed) if needed else {}
        return [
            address(each.row, each.column)
            for each in missing
            if (strings.get(int(each.text), "") if each.kind == "s" else each.text).strip()
        ]

    def _blank_texts(self, name: str, scan: XlsxSheetScan, filled: int) -> int:
        """Return how many cells hold a shared text of blanks; 0 where there are enough others."""
        if filled >= scan.filled:
            return 0
        with open_package(io.BytesIO(self.content)) as archive:
            return count_blank_texts(archive, self.parts[name], STRINGS)

    def _filled_extent(self, name: str) -> tuple[int, int, int]:
        with open_package(io.BytesIO(self.content)) as archive:
            return filled_extent(archive, self.parts[name])


class _RestoredRows:
    """The rows of one sheet with errors and leading zeros restored, and the share that was read."""

    def __init__(
        self,
        opened: Callable[[], calamine.CalamineSheet],
        scan: XlsxSheetScan,
        unread: Callable[[calamine.CalamineSheet, int], list[str]],
    ) -> None:
        self._calamine_sheet = opened
        self._scan = scan
        self._unread = unread
        self._read = 0
        self._total = 1

    def share(self) -> float:
        """Return the share of the sheet that was read."""
        return self._read / max(1, self._total)

    def __iter__(self) -> Iterator[Sequence[Value]]:
        sheet = self._calamine_sheet()
        assert sheet.start is not None
        first_row, first_column = sheet.start
        self._total = sheet.height
        errors, zero_padded = self._scan.errors, self._scan.zero_padded
        filled = sum(map(len, errors.values()))
        for number, row in enumerate(sheet.iter_rows()):
            if number < first_row:
                continue  # the reader begins at the first row of the sheet, not of the cells
            self._read = number - first_row + 1
            filled += len(row) - row.count("")
            if number not in errors and number not in zero_padded:
                yield row
                continue
            cells: list[Value] = list(row)
            for column, error in errors.get(number, {}).items():
                if 0 <= column - first_column < len(cells):
                    cells[column - first_column] = error
            for column, digits in zero_padded.get(number, {}).items():
                if 0 <= column - first_column < len(cells):
                    cells[column - first_column] = _zero_padded(
                        cells[column - first_column], digits
                    )
            yield cells
        self._scan.doubtful += unread_finding(self._unread(sheet, filled))


def _zero_padded(cell: Value, digits: int) -> Value:
    """Return a whole number as its cell shows it, with zeros in front."""
    if isinstance(cell, float) and cell.is_integer() and cell >= 0:
        return f"{int(cell):0{digits}d}"
    return cell


class _ArrowColumns:
    """A sheet as Arrow streams for the database, a new one each time it asks.

    The reader gives one Arrow array; the database asks for streams, several times. The reader's own
    `to_arrow` needs a library of 100 MB.
    """

    def __init__(self, sheet: fastexcel.ExcelSheet) -> None:
        import nanoarrow

        array = nanoarrow.c_array(sheet._sheet)  # noqa: SLF001  the only way to it without pyarrow
        self.filled = sum(len(array) - each.null_count for each in array.children)
        starts = range(0, len(array), BATCH_ROWS)
        self._schema = array.schema
        self._batches = [array[at : min(len(array), at + BATCH_ROWS)] for at in starts]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from nanoarrow.c_array_stream import CArrayStream

        stream = CArrayStream.from_c_arrays(self._batches, self._schema, move=False, validate=False)
        return stream.__arrow_c_stream__(requested_schema)


def arrow_columns(
    content: bytes, name: str, skip_rows: int, scan: Callable[[], XlsxSheetScan]
) -> _ArrowColumns | None:
    """Return the rows after the file's first `skip_rows` as Arrow columns; None if not exact.
    The reader and the scan of the sheet's XML run at the same time: neither holds the interpreter's
    lock for long.
    """
    import fastexcel

    scans: list[XlsxSheetScan] = []
    scanning = threading.Thread(target=lambda: scans.append(scan()), name="scan")
    scanning.start()
    try:
        sheet = fastexcel.read_excel(content).load_sheet(
            name, header_row=None, skip_rows=skip_rows, schema_sample_rows=None
        )
    except fastexcel.FastExcelError:
        sheet = None
    finally:
        scanning.join()
    # Sheets with errors, merges or padded numbers are left to the careful reader.
    if sheet is None or not scans or not scans[0].is_simple:
        return None
    is_whole = sheet.height + skip_rows == scans[0].last_row
    return _ArrowColumns(sheet) if is_whole else None


def refuse_declarations(archive: zipfile.ZipFile, source: InputFile) -> None:
    """Raise UserError for document types: real workbooks have none, and entity bombs need one."""
    for entry in archive.infolist():
        if not entry.filename.endswith((".xml", ".rels", ".vml")):
            continue
        with archive.open(entry) as part:
            head = part.read(SHEET_HEAD_BYTES)
        if b"<!DOCTYPE" in head.replace(b"\0", b""):
            raise rejection.refusal(source, rejection.UNSAFE, rejection.FROM_SOURCE)


def sheets_of(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the path of each sheet's XML, by the sheet's name."""
    targets = {
        element.get("Id", ""): element.get("Target", "")
        for element in _xml(archive, "xl/_rels/workbook.xml.rels")
    }
    found: dict[str, str] = {}
    for element in _xml(archive, "xl/workbook.xml").iter():
        if local(element.tag) == "sheet":
            relation = next((value for key, value in element.items() if key.endswith("}id")), "")
            target = targets.get(relation, "")
            part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            if part in archive.NameToInfo:
                found[element.get("name", "")] = part
    return found


def zero_styles(archive: zipfile.ZipFile) -> dict[int, int]:
    """Return the styles whose number format is only zeros ('00000'), with their number of digits.

    What such a cell shows is a code: '00123', where its value is 123.
    """
    if STYLES not in archive.NameToInfo:
        return {}
    root = _xml(archive, STYLES)
    formats = {
        element.get("numFmtId", ""): len(element.get("formatCode", ""))
        for element in root.iter()
        if local(element.tag) == "numFmt" and re.fullmatch("0{2,}", element.get("formatCode", ""))
    }
    cells = next((element for element in root if local(element.tag) == "cellXfs"), None)
    if not formats or cells is None:
        return {}
    return {
        number: formats[style.get("numFmtId", "")]
        for number, style in enumerate(cells)
        if style.get("numFmtId", "") in formats
    }


def local(tag: str) -> str:
    """Return an element's name without its namespace."""
    return tag.rpartition("}")[2]


def _xml(archive: zipfile.ZipFile, part: str) -> ET.Element:
    # Without a document type, which is refused first, there is no entity to expand.
    return ET.fromstring(archive.read(part))  # noqa: S314  see above


@dataclass
class Head:
    """Rows from the first used one; dates are numbers here, as only formats tell them apart."""

    rows: list[list[Value]] = field(default_factory=list)
    first_row: int = 0
    first_column: int = 0


@dataclass(frozen=True, slots=True)
class _Cell:
    row: int
    column: int
    kind: str
    text: str


def head_of(archive: zipfile.ZipFile, part: str) -> Head:
    """Return the first rows of a sheet; none where they are not written in the usual way."""
    cells = list(_cells(archive, part, rows=PROVEN_ROWS))
    if not cells:
        return Head()
    needed = {int(cell.text) for cell in cells if cell.kind == "s" and cell.text.isdigit()}
    strings = _strings(archive, needed) if needed else {}
    first_row, first_column = min(cell.row for cell in cells), min(cell.column for cell in cells)
    width = max(cell.column for cell in cells) - first_column + 1
    height = max(cell.row for cell in cells) - first_row + 1
    rows: list[list[Value]] = [[None] * width for _number in range(min(height, PROVEN_ROWS))]
    for cell in cells:
        if cell.row - first_row < len(rows):
            rows[cell.row - first_row][cell.column - first_column] = _value(cell, strings)
    return Head(rows, first_row, first_column)


def _cells(archive: zipfile.ZipFile, part: str, *, rows: int) -> Iterator[_Cell]:
    """Yield the cells of the first rows that hold something; they may not tell where they are."""
    number, count = -1, 0
    for element in _elements(archive, part):
        if local(element.tag) == "sheetData":
            return
        if local(element.tag) != "row":
            continue
        told = element.get("r", "")
        number, column = int(told) - 1 if told.isdecimal() else number + 1, -1
        for each in element:
            place = _ADDRESS.fullmatch(each.get("r", ""))
            column = column_of(place[1].encode()) if place else column + 1
            if text := _text_of(each):
                row = int(place[2]) - 1 if place else number
                yield _Cell(row, column, each.get("t", "n"), text)
        count += 1
        if count >= rows:
            return
        element.clear()


def _elements(archive: zipfile.ZipFile, part: str) -> Iterator[ET.Element]:
    # Document types were refused before, so there is no entity to expand.
    parser: ET.XMLPullParser[ET.Element] = ET.XMLPullParser(["end"])
    with archive.open(part) as stream:
        while chunk := stream.read(SHEET_PART_BYTES):
            parser.feed(chunk)
            for event in parser.read_events():
                if isinstance(element := event[-1], ET.Element):
                    yield element


def _text_of(cell: ET.Element) -> str:
    text = ""
    for child in cell:
        match local(child.tag):
            case "v":
                text = text or child.text or ""
            case "is":
                text = _joined(child) or text
    return text or ("#ERROR!" if cell.get("t") == "e" else "")


def _value(cell: _Cell, strings: dict[int, str]) -> Value:
    match cell.kind:
        case "s":
            return strings.get(int(cell.text)) if cell.text.isdigit() else None
        case "b":
            return cell.text == "1"
        case "e":
            return CellError(cell.text)
        case "n":
            try:
                return float(cell.text)
            except ValueError:
                return cell.text
        case _:
            return cell.text


def _strings(archive: zipfile.ZipFile, needed: set[int]) -> dict[int, str]:
    """Return the needed ones of the workbook's shared strings, by their index."""
    found: dict[int, str] = {}
    number, last = 0, max(needed)
    for element in _elements(archive, STRINGS):
        if local(element.tag) != "si":
            continue
        if number in needed:
            found[number] = _joined(element)
        number += 1
        if number > last:
            break
        element.clear()
    return found


def _joined(element: ET.Element) -> str:
    """Return a string with its runs, without the phonetic hints of Asian scripts."""
    parts: list[str] = []
    for child in element:
        match local(child.tag):
            case "t":
                parts.append(child.text or "")
            case "r":
                parts += [each.text or "" for each in child if local(each.tag) == "t"]
    return "".join(parts)
