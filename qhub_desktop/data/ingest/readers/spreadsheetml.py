"""SpreadsheetML, Excel 2003's XML workbooks, which SAP and others write as .xls or .xml."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time

from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.readers.sheet import CellError, InputFile, ParsedFile, RawSheet, Value
from qhub_desktop.data.ingest.readers.sniff import MARKUP, Content, file_format
from qhub_desktop.data.ingest.readers.xml_sheets import (
    SheetBuilder,
    attribute_values,
    finite,
    read_xml,
)

SHEETS_2003 = "urn:schemas-microsoft-com:office:spreadsheet"
SS = f"{SHEETS_2003} "
COLUMNS_LIMIT = 16_384
FIRST_DAY = date(1899, 12, 31)  # times of day are moments of this day


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
                self._row, self._row_span = -1, 0
                self._texts = {}
            case "Row":
                self._row = _place(attributes, self._row + 1 + self._row_span)
                self._row_span = _count(attributes, "Span")
                self._cells, self._column = [], -1
            case "Cell":
                self._column = _place(attributes, self._column + 1)
                self._attributes = attributes
                self._kind, self._text = None, None
            case "Data":
                self._kind, self._text = attributes.get(f"{SS}Type", "String"), []

    def end(self, name: str) -> None:
        match name.removeprefix(SS):
            case "Data" if self._text is not None:
                self._add_value("".join(self._text))
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
    moment = datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    if moment.date() == FIRST_DAY:
        return moment.time()
    return moment if moment.time() != time() else moment.date()


def _count(attributes: dict[str, str], name: str) -> int:
    text = attributes.get(f"{SS}{name}", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _place(attributes: dict[str, str], otherwise: int) -> int:
    """Return where a row or cell stands, from 0; never before its neighbour."""
    return max(_count(attributes, "Index") - 1, otherwise)
