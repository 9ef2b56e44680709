"""Spreadsheets written as text: SpreadsheetML, SYLK and DIF.

SpreadsheetML are Excel 2003's XML workbooks, which SAP and others write as .xls or .xml.

The parts that OpenDocument shares stand at the end: XML parsed in chunks, and sheets built from it.
"""

import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import IO, Protocol
from xml.parsers import expat

from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.readers import encoding, rejection
from qhub_desktop.data.ingest.readers.reports import whole_text
from qhub_desktop.data.ingest.readers.sheet import (
    COLUMNS_LIMIT,
    CellError,
    Decimal,
    Hidden,
    InputFile,
    ParsedFile,
    RawSheet,
    Value,
    address,
    fraction,
    merges_within,
    uncalculated_finding,
    whole,
)
from qhub_desktop.data.ingest.readers.sniff import ANY_TEXT, MARKUP, Content, file_format

SHEETS_2003 = "urn:schemas-microsoft-com:office:spreadsheet"
SS = f"{SHEETS_2003} "
FIRST_DAY = date(1899, 12, 31)  # times of day are timestamps of this day
PARSED_BYTES = 2**18

Open = Callable[[], AbstractContextManager[IO[bytes]]]

LAST_DAY_NUMBER = 2_958_466  # of a spreadsheet's calendar
_RECORD = re.compile(r"(?:[BCFOPWE]|N[NUE])(?:;|\s*$)")
_PLACED = re.compile(r"([XY])(\d+)")
# What of a number's form is no sign of days and hours; General and the like have none.
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?![hHmMsS]+\])[^\]]*\]|[a-zA-Z]*(?:eneral|tandard)')
_DAY_FORM, _CLOCK_FORM = re.compile("[dD]|[yY]{2}|[aA]{2}|[jJ]{2}"), re.compile("[hHsS]")

VALUES_LIMIT = 15_000_000  # in one sheet: about 1 GB of memory


def _is_spreadsheetml(content: Content) -> bool:
    if not content.is_xml or SHEETS_2003 not in content.text:
        return False
    return bool(re.search(r"<(?:\w+:)?Workbook\b", content.text))


# Before web pages, which XML may be, too.
@file_format("Excel 2003 XML", suffixes=(".xml",), sniff=_is_spreadsheetml, rank=MARKUP, place=8)
def read_spreadsheetml(source: InputFile) -> ParsedFile:
    """Read every sheet of the workbook."""
    names = attribute_values(source, lambda: source.path.open("rb"), f"{SS}Worksheet", f"{SS}Name")
    return ParsedFile(tuple(names), _sheets(source))


def _sheets(source: InputFile) -> Iterator[RawSheet]:
    elements = _WorkbookHandler(source)
    whole = max(1, source.path.stat().st_size)
    number = 0
    for size in read_xml(source, lambda: source.path.open("rb"), elements):
        source.tell(_("Opening {file}").format(file=source.name), size / whole)
        while elements.finished:
            number += 1
            if sheet := elements.finished.pop(0).to_raw_sheet(number):
                yield sheet


class _WorkbookHandler:
    """Builds sheets from the elements of the workbook."""

    def __init__(self, source: InputFile) -> None:
        self.finished: list[SheetBuilder] = []
        self._source = source
        self._sheet: SheetBuilder | None = None
        self._row = -1
        self._row_span = 0
        self._next_column = 0
        self._cells: list[Value] = []
        self._column = -1
        self._attributes: dict[str, str] = {}
        self._kind: str | None = None
        self._text: list[str] | None = None
        self._texts: dict[str, str] = {}  # one copy of each text

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match name.removeprefix(SS):
            case "Worksheet":
                self._sheet = SheetBuilder(self._source, attributes.get(f"{SS}Name", ""))
                self._row, self._row_span, self._next_column = -1, 0, 0
                self._texts = {}
            case "Row":
                self._row = _place(attributes, self._row + 1 + self._row_span)
                self._row_span = _count(attributes, "Span")
                self._cells, self._column = [], -1
                if attributes.get(f"{SS}Hidden") == "1" and self._sheet is not None:
                    rows = range(self._row, min(self._row + self._row_span, self._row + 99) + 1)
                    self._sheet.hidden.rows.extend(rows)
            case "Column" if self._sheet is not None:
                first = _place(attributes, self._next_column)
                self._next_column = first + _count(attributes, "Span") + 1
                if attributes.get(f"{SS}Hidden") == "1":
                    self._sheet.hidden.note_columns(first, self._next_column - 1)
            case "Cell":
                self._column = _place(attributes, self._column + 1)
                self._attributes = attributes
                self._kind, self._text = None, None
            case "urn:schemas-microsoft-com:office:excel Visible":
                self._text = []
            case "Data":
                self._kind, self._text = attributes.get(f"{SS}Type", "String"), []

    def end(self, name: str) -> None:
        match name.removeprefix(SS):
            case "Data" if self._text is not None:
                self._add_value("".join(self._text))
                self._text = None
            case "urn:schemas-microsoft-com:office:excel Visible" if self._text is not None:
                if self._sheet is not None:
                    self._sheet.is_hidden = "".join(self._text).strip() != "SheetVisible"
                self._text = None
            case "Cell":
                self._end_cell()
            case "Row" if self._cells and self._sheet is not None:
                self._sheet.add_row(self._row, self._cells)
                self._cells = []
            case "Worksheet" if self._sheet is not None:
                self.finished.append(self._sheet)
                self._sheet = None

    def text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _add_value(self, text: str) -> None:
        value = self._value(text)
        if value is None or self._column >= COLUMNS_LIMIT:
            return
        self._cells.extend([None] * (self._column - len(self._cells)))
        self._cells.append(value)

    def _end_cell(self) -> None:
        sheet = self._sheet
        across, down = (
            _count(self._attributes, "MergeAcross"),
            _count(self._attributes, "MergeDown"),
        )
        if sheet is None:
            return
        if self._kind is None and f"{SS}Formula" in self._attributes:
            sheet.uncalculated.append((self._row, self._column))
        if across or down:
            row, column = self._row, self._column
            sheet.merges.append((row, column, row + down, column + across))
        self._column += across

    def _value(self, text: str) -> Value:
        try:
            match self._kind:
                case "Number":
                    return finite(text)
                case "Boolean":
                    return text.strip() in {"1", "true", "True"}
                case "DateTime":
                    return _date_time(text)
                case "Error":
                    return CellError(text.strip() or "#ERROR!")
        except ValueError:
            pass  # not what it is said to be: the text is all there is
        return self._texts.setdefault(text, text) if text else None


def _date_time(text: str) -> date | datetime | time:
    timestamp = datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    if timestamp.date() == FIRST_DAY:
        return timestamp.time()
    return timestamp if timestamp.time() != time() else timestamp.date()


def _count(attributes: dict[str, str], name: str) -> int:
    text = attributes.get(f"{SS}{name}", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _place(attributes: dict[str, str], otherwise: int) -> int:
    """Return where a row or cell stands, from 0; never before its neighbour."""
    return max(_count(attributes, "Index") - 1, otherwise)


class XmlHandler(Protocol):
    """A receiver of a document's elements. Names are '<namespace> <local name>'."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        ...

    def end(self, name: str) -> None:
        """Handle the end of an element."""
        ...

    def text(self, text: str) -> None:
        """Handle text between elements, perhaps not all of it."""
        ...


def read_xml(source: InputFile, opened: Open, elements: XmlHandler) -> Iterator[int]:
    """Parse XML in chunks into `elements`; yield the number of bytes read so far after each.

    Raises UserError if it is damaged, or declares a document type.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = elements.start
    parser.EndElementHandler = elements.end
    parser.CharacterDataHandler = elements.text
    parser.StartDoctypeDeclHandler = lambda *_declared: _refuse(source)
    size = 0
    try:
        with opened() as stream:
            while chunk := stream.read(PARSED_BYTES):
                parser.Parse(chunk, False)  # noqa: FBT003  positional only
                size += len(chunk)
                yield size
            parser.Parse(b"", True)  # noqa: FBT003  positional only
    except (EOFError, expat.ExpatError, zipfile.BadZipFile, zlib.error) as error:
        raise rejection.damaged(source) from error
    except (NotImplementedError, ValueError) as error:  # a declared encoding that does not exist
        raise rejection.given_up(source, error) from error


def attribute_values(source: InputFile, opened: Open, element: str, attribute: str) -> list[str]:
    """Return the values of one attribute of all elements of one name, in order."""
    names = _AttributeCollector(element, attribute)
    for _size in read_xml(source, opened, names):
        pass
    return names.found


class _AttributeCollector:
    def __init__(self, element: str, attribute: str) -> None:
        self._element = element
        self._attribute = attribute
        self.found: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._element:
            self.found.append(attributes.get(self._attribute, ""))

    def end(self, name: str) -> None:
        """Ignore the end of an element."""

    def text(self, text: str) -> None:
        """Ignore text."""


def _refuse(source: InputFile) -> None:
    raise rejection.refusal(source, rejection.UNSAFE, rejection.FROM_SOURCE)


def finite(text: str) -> float:
    """Return the number that a text stands for. Raises ValueError for infinities and NaN."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


@dataclass
class SheetBuilder:
    """A sheet under construction from XML; rows and columns count from 0.

    Blank cells before a far one cost no memory.
    """

    source: InputFile
    name: str
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    uncalculated: list[tuple[int, int]] = field(default_factory=list)
    hidden: Hidden = field(default_factory=Hidden)
    is_hidden: bool = False

    def __post_init__(self) -> None:
        self._rows: list[list[Value]] = []  # from the first one that holds something
        self._first_row = -1
        self._width = 0
        self._value_count = 0
        self._yielded = 0
        self._height = 1

    def add_row(self, row: int, cells: list[Value], *, times: int = 1) -> None:
        """Add a row that holds something at its place, as often as it repeats.

        Raises UserError once the sheet is too large.
        """
        if self._first_row < 0:
            self._first_row = row
        self._width = max(self._width, len(cells))
        self._value_count += times * (len(cells) - cells.count(None))
        self._height = row + times - self._first_row
        rejection.check_range(
            self.source,
            self.name,
            rows=self._height,
            columns=self._width,
            corner=address(row + times - 1, self._width - 1),
            values=self._value_count,
        )
        if self._value_count > VALUES_LIMIT:
            raise rejection.refusal(self.source, rejection.TOO_LONG, rejection.AS_TEXT)
        self._rows.extend([[]] * (row - self._first_row - len(self._rows)))
        self._rows.extend([cells] * times)

    def times_to_durations(self, columns: Iterable[int]) -> None:
        """Convert the times of day in these columns to durations."""
        for column in columns:
            for row in self._rows:
                if column < len(row) and isinstance(clock := row[column], time):
                    row[column] = datetime.combine(date.min, clock) - datetime.combine(
                        date.min, time()
                    )

    def to_raw_sheet(
        self, number: int, *, is_text: bool = False, decimal: Decimal = "."
    ) -> RawSheet | None:
        """Return the sheet, or None if no cell of it holds anything."""
        if self._first_row < 0:
            return None
        return RawSheet(
            name=self.name,
            number=number,
            rows=self._yield_rows(),
            is_text=is_text,
            decimal=decimal,
            first_row=self._first_row,
            merges=merges_within(self.merges, self._first_row, 0),
            doubtful=[
                *uncalculated_finding([address(*each) for each in self.uncalculated]),
                *self.hidden.findings(
                    last_row=self._first_row + self._height - 1, last_column=self._width - 1
                ),
            ],
            is_hidden=self.is_hidden,
            share_read=lambda: self._yielded / self._height,
        )

    def _yield_rows(self) -> Iterator[list[Value]]:
        for row in self._rows:
            self._yielded += 1
            yield row


def _is_sylk(content: Content) -> bool:
    # A table may have the columns ID and P, but no such records below them.
    if not re.match(r"id;p\w*(?:;[ne])*[\r\n]", content.start):
        return False
    records = [line for line in content.lines[1:-1] if line]
    is_placed = any(re.match(r"[CF];(?:.*;)?[XY]\d+", line) for line in records)
    return is_placed and all(map(_RECORD.match, records))


@file_format("SYLK (.slk)", suffixes=(".slk",), sniff=_is_sylk, rank=ANY_TEXT - 2, place=17)
def read_sylk(source: InputFile) -> ParsedFile:
    """Read a spreadsheet written as commands: which cell holds what."""
    scan, text = whole_text(source)
    forms: list[str] = []
    place = {"X": 1, "Y": 1}
    formed: dict[tuple[int, int], str] = {}
    cells: dict[tuple[int, int], Value] = {}
    for line in text.split("\n"):
        kind, *parts = (each.replace("\0", ";") for each in line.replace(";;", "\0").split(";"))
        if kind == "P" and parts and parts[0].startswith("P"):
            forms.append(parts[0][1:])
        if kind not in ("C", "F"):
            continue
        for part in parts:
            if placed := _PLACED.fullmatch(part):
                place[placed[1]] = int(placed[2])
        at = (place["Y"], place["X"])
        for part in parts:
            if kind == "F" and re.fullmatch(r"P\d+", part) and int(part[1:]) < len(forms):
                formed[at] = forms[int(part[1:])]
            elif kind == "C" and part.startswith("K"):
                cells[at] = _typed(part[1:].replace("\x1b :", "\n"), formed.get(at, ""))
    return _spreadsheet(source, scan, cells)


def _typed(text: str, form: str = "") -> Value:
    """Return the value of a cell as SYLK writes it: a text in marks, a number, a word."""
    if text.startswith('"'):
        return text[1:].removesuffix('"').replace('""', '"')
    if text in ("TRUE", "FALSE"):
        return text == "TRUE"
    if text.startswith("#"):
        return CellError(text)
    if not re.fullmatch(r"[-+]?[\d.]*\d[\d.]*(?:[eE][-+]?\d+)?", text):
        return text
    bare = _QUOTED.sub("", form)
    if _DAY_FORM.search(bare) or _CLOCK_FORM.search(bare):
        return _timestamp_of(float(text), bare)
    return whole(text) if re.fullmatch(r"-?\d+", text) else fraction(text)


def _timestamp_of(days: float, form: str) -> date | datetime | time | timedelta | float:
    if not 0 <= days < LAST_DAY_NUMBER:
        return days
    past = timedelta(seconds=round(days * 86_400))
    timestamp = datetime.combine(FIRST_DAY, time()) - timedelta(1) + past
    if not _DAY_FORM.search(form):
        return timestamp.time() if days < 1 and "[" not in form else past
    return timestamp if days % 1 else timestamp.date()


def _spreadsheet(
    source: InputFile, scan: encoding.TextScan, cells: dict[tuple[int, int], Value]
) -> ParsedFile:
    """Return the one sheet of a file whose cells are known by row and column, from 1."""
    if not cells:
        raise rejection.refusal(source, rejection.EMPTY_FILE, rejection.EXPORT_AGAIN)
    first, last = min(row for row, _column in cells), max(row for row, _column in cells)
    left, right = min(at for _row, at in cells), max(at for _row, at in cells)
    rejection.check_range(
        source,
        source.name,
        rows=last - first + 1,
        columns=right - left + 1,
        corner=address(last - 1, right - 1),
        values=len(cells),
    )
    columns = range(left, right + 1)
    sheet = RawSheet(
        name=None,
        number=1,
        rows=([cells.get((row, at)) for at in columns] for row in range(first, last + 1)),
        is_text=False,
        first_row=first - 1,
        first_column=left - 1,
        repaired=encoding.repaired(scan),
        doubtful=encoding.doubtful(scan),
        encoding=scan.encoding,
    )
    return ParsedFile((), iter([sheet]))


def _is_dif(content: Content) -> bool:
    return bool(re.match(r"table\s*\n0,1\s*\n", content.start))


@file_format("DIF", suffixes=(".dif",), sniff=_is_dif, rank=ANY_TEXT - 2, place=18)
def read_dif(source: InputFile) -> ParsedFile:
    """Read a table in the data interchange format: two lines for each cell."""
    scan, text = whole_text(source)
    cells: dict[tuple[int, int], Value] = {}
    row = column = 0
    for head, value in _pairs(text):
        kind, _comma, number = head.partition(",")
        if kind == "-1":
            row, column = row + 1, 0
            continue
        column += 1
        if kind == "1":
            cells[row, column] = _typed(value if value.startswith('"') else f'"{value}"')
        elif value in ("TRUE", "FALSE"):
            cells[row, column] = value == "TRUE"
        elif value == "V":
            cells[row, column] = _typed(number.strip().replace(",", "."))
        elif value == "ERROR":
            cells[row, column] = CellError("#ERROR!")
    return _spreadsheet(source, scan, cells)


def _pairs(text: str) -> Iterable[tuple[str, str]]:
    """Yield the pairs of lines from the first row of the data to their end."""
    _head, _begin, data = text.partition("\nDATA\n")
    lines = data.split("\n")[2:]
    for head, value in zip(lines[::2], lines[1::2], strict=False):
        if value.strip() == "EOD":
            return
        yield head.strip(), value.strip()
