"""OpenDocument spreadsheets (.ods): each cell's value, not its formatted text."""

import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.package import open_package
from qhub_desktop.data.ingest.readers.sheet import (
    COLUMNS_LIMIT,
    CellError,
    InputFile,
    ParsedFile,
    RawSheet,
    Value,
)
from qhub_desktop.data.ingest.readers.sniff import Content, file_format
from qhub_desktop.data.ingest.readers.spreadsheetml import (
    SheetBuilder,
    attribute_values,
    finite,
    read_xml,
)

CONTENT = "content.xml"
MANIFEST = "META-INF/manifest.xml"
MANIFEST_BYTES = 2**24
MIMETYPE_BYTES = 2**16
SPREADSHEET_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
TABLE = f"{OASIS}:table:1.0 "
OFFICE = f"{OASIS}:office:1.0 "
TEXT = f"{OASIS}:text:1.0 "
STYLE = f"{OASIS}:style:1.0 "
DATA_STYLE = f"{OASIS}:datastyle:1.0 "
LIBRE_OFFICE = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 "
REPEAT_LIMIT = 2**31
HIDDEN = ("collapse", "filter")  # how rows and columns may be
# What stands in a cell whose formula failed: LibreOffice's own codes, and Excel's words.
_ERROR = re.compile(r"(?:Err:\d{3}|#(?:N/A|REF!|VALUE!|NAME\?|DIV/0!|NUM!|NULL!))")
_DURATION = re.compile(
    r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?)?", re.ASCII
)


def _is_ods(content: Content) -> bool:
    """Return whether it is a spreadsheet. Raises UserError for other or encrypted documents."""
    if CONTENT not in content.parts:
        return False
    described = content.part("mimetype", limit=MIMETYPE_BYTES)
    if not described and MANIFEST not in content.parts:
        return False
    if b"encryption-data" in content.part(MANIFEST, limit=MANIFEST_BYTES):
        raise rejection.refusal(content.source, rejection.LOCKED, rejection.UNLOCK_ELSEWHERE)
    if described and not described.strip().startswith(SPREADSHEET_DOCUMENT):
        raise rejection.refusal(content.source, rejection.DOCUMENT, rejection.FROM_SOURCE)
    return True


@file_format("OpenDocument (.ods)", suffixes=(".ods",), sniff=_is_ods, place=4)
def read_ods(source: InputFile) -> ParsedFile:
    """Read every sheet of a spreadsheet of LibreOffice, or of Excel in that format."""
    archive = open_package(source.path)
    names = attribute_values(source, lambda: archive.open(CONTENT), f"{TABLE}table", f"{TABLE}name")
    return ParsedFile(tuple(names), _sheets(source, archive))


def _sheets(source: InputFile, archive: zipfile.ZipFile) -> Iterator[RawSheet]:
    elements = _ContentHandler(source)
    whole = max(1, archive.getinfo(CONTENT).file_size)
    number = 0
    with archive:
        for size in read_xml(source, lambda: archive.open(CONTENT), elements):
            source.tell(_("Opening {file}").format(file=source.name), size / whole)
            while elements.finished:
                number += 1
                if sheet := elements.finished.pop(0).to_raw_sheet(number):
                    yield sheet


@dataclass(slots=True)
class _Cell:
    """A cell under construction."""

    attributes: dict[str, str]
    paragraphs: list[str] = field(default_factory=list)


class _ContentHandler:
    """Builds sheets from the elements of content.xml."""

    def __init__(self, source: InputFile) -> None:
        self.finished: list[SheetBuilder] = []
        self._source = source
        self._sheet: SheetBuilder | None = None
        self._row = 0
        self._row_times = 1
        self._is_row_hidden = False
        self._style = ""  # the last one that was begun
        self._hidden_styles: set[str] = set()  # of sheets
        self._cells: list[Value] = []
        self._column = 0
        self._cell: _Cell | None = None
        self._annotation_depth = 0  # an annotation belongs to a cell, but not to its text
        self._is_in_paragraph = False
        self._texts: dict[str, str] = {}  # one copy of each text
        self._duration_formats: set[str] = set()  # that show hours beyond a day
        self._duration_styles: set[str] = set()  # of cells, with such a format
        self._column_styles: list[str] = []
        self._time_columns: set[int] = set()
        self._duration_columns: set[int] = set()
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            f"{TABLE}table": self._begin_table,
            f"{DATA_STYLE}time-style": self._note_format,
            f"{STYLE}style": self._note_style,
            f"{STYLE}table-properties": self._note_display,
            f"{TABLE}table-column": self._note_column,
            f"{TABLE}table-row": self._begin_row,
            f"{TABLE}table-cell": self._begin_cell,
            f"{TABLE}covered-table-cell": self._begin_cell,
            f"{OFFICE}annotation": self._begin_annotation,
            f"{TEXT}p": self._begin_paragraph,
            f"{TEXT}s": self._add_blanks,
            f"{TEXT}tab": lambda _attributes: self.text("\t"),
            f"{TEXT}line-break": lambda _attributes: self.text("\n"),
        }
        self._ends: dict[str, Callable[[], None]] = {
            f"{TABLE}table": self._end_table,
            f"{TABLE}table-row": self._end_row,
            f"{TABLE}table-cell": self._end_cell,
            f"{TABLE}covered-table-cell": self._end_cell,
            f"{OFFICE}annotation": self._end_annotation,
            f"{TEXT}p": self._end_paragraph,
        }

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if begin := self._starts.get(name):
            begin(attributes)

    def end(self, name: str) -> None:
        if end := self._ends.get(name):
            end()

    def text(self, text: str) -> None:
        if self._is_in_paragraph and self._cell is not None and not self._annotation_depth:
            self._cell.paragraphs[-1] += text

    def _note_format(self, attributes: dict[str, str]) -> None:
        if attributes.get(f"{DATA_STYLE}truncate-on-overflow") == "false":
            self._duration_formats.add(attributes.get(f"{STYLE}name", ""))

    def _note_style(self, attributes: dict[str, str]) -> None:
        # A format stands before the styles that use it.
        if attributes.get(f"{STYLE}data-style-name") in self._duration_formats:
            self._duration_styles.add(attributes.get(f"{STYLE}name", ""))
        self._style = attributes.get(f"{STYLE}name", "")

    def _note_display(self, attributes: dict[str, str]) -> None:
        if attributes.get(f"{TABLE}display") == "false":
            self._hidden_styles.add(self._style)

    def _note_column(self, attributes: dict[str, str]) -> None:
        times = _repeats(attributes, f"{TABLE}number-columns-repeated")
        style = attributes.get(f"{TABLE}default-cell-style-name", "")
        if attributes.get(f"{TABLE}visibility") in HIDDEN and self._sheet is not None:
            first = len(self._column_styles)
            self._sheet.hidden.note_columns(first, first + times - 1)
        times = min(times, COLUMNS_LIMIT - len(self._column_styles))
        self._column_styles.extend([style] * times)

    def _is_duration(self, attributes: dict[str, str]) -> bool:
        """Return whether a format shows hours beyond a day: a duration, however short."""
        style = attributes.get(f"{TABLE}style-name")
        if style is None and self._column < len(self._column_styles):
            style = self._column_styles[self._column]
        return style in self._duration_styles

    def _begin_table(self, attributes: dict[str, str]) -> None:
        self._sheet = SheetBuilder(self._source, attributes.get(f"{TABLE}name", ""))
        self._sheet.is_hidden = attributes.get(f"{TABLE}style-name") in self._hidden_styles
        self._row = 0
        self._texts = {}
        self._column_styles = []
        self._time_columns, self._duration_columns = set(), set()

    def _end_table(self) -> None:
        if self._sheet is not None:
            # Where no format says so, a column of hours beyond a day is one of durations.
            self._sheet.times_to_durations(self._time_columns & self._duration_columns)
            self.finished.append(self._sheet)
        self._sheet = None

    def _begin_row(self, attributes: dict[str, str]) -> None:
        self._row_times = _repeats(attributes, f"{TABLE}number-rows-repeated")
        self._is_row_hidden = attributes.get(f"{TABLE}visibility") in HIDDEN
        if attributes.get(f"{TABLE}visibility") == "filter" and self._sheet is not None:
            self._sheet.hidden.is_filtered = True
        self._cells = []
        self._column = 0

    def _end_row(self) -> None:
        if self._cells and self._sheet is not None:
            self._sheet.add_row(self._row, self._cells, times=self._row_times)
            if self._is_row_hidden:
                self._sheet.hidden.rows.extend(range(self._row, self._row + self._row_times))
        self._row += self._row_times

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._cell = _Cell(attributes)

    def _end_cell(self) -> None:
        cell, sheet = self._cell, self._sheet
        self._cell = None
        if cell is None or sheet is None:
            return
        times = _repeats(cell.attributes, f"{TABLE}number-columns-repeated")
        value = self._value(cell)
        if value is not None:
            if self._column + times > COLUMNS_LIMIT:
                raise rejection.refusal(self._source, rejection.TOO_LONG, rejection.SPLIT)
            self._cells.extend([None] * (self._column - len(self._cells)))
            self._cells.extend([value] * times)
        self._note_span(cell.attributes, sheet)
        self._column += times

    def _note_span(self, attributes: dict[str, str], sheet: SheetBuilder) -> None:
        rows = _repeats(attributes, f"{TABLE}number-rows-spanned")
        columns = _repeats(attributes, f"{TABLE}number-columns-spanned")
        if rows > 1 or columns > 1:
            row, column = self._row, self._column
            sheet.merges.append((row, column, row + rows - 1, column + columns - 1))

    def _begin_annotation(self, _attributes: dict[str, str]) -> None:
        self._annotation_depth += 1

    def _end_annotation(self) -> None:
        self._annotation_depth -= 1

    def _begin_paragraph(self, _attributes: dict[str, str]) -> None:
        if self._cell is not None and not self._annotation_depth:
            self._cell.paragraphs.append("")
            self._is_in_paragraph = True

    def _end_paragraph(self) -> None:
        if not self._annotation_depth:
            self._is_in_paragraph = False

    def _add_blanks(self, attributes: dict[str, str]) -> None:
        self.text(" " * min(_repeats(attributes, f"{TEXT}c"), COLUMNS_LIMIT))

    def _value(self, cell: _Cell) -> Value:
        attributes = cell.attributes
        kind = attributes.get(f"{OFFICE}value-type")
        shown = "\n".join(cell.paragraphs)
        is_formula = f"{TABLE}formula" in attributes
        if attributes.get(f"{LIBRE_OFFICE}value-type") == "error" or (
            is_formula and kind in {None, "string"} and _ERROR.fullmatch(shown)
        ):
            return CellError(shown or "#ERROR!")
        if is_formula and kind is None and not shown:
            if self._sheet is not None:
                self._sheet.uncalculated.append((self._row, self._column))
            return None
        try:
            value = _typed(kind, attributes)
            if isinstance(value, timedelta) and not self._is_duration(attributes):
                value = _time_of_day(value)
            if isinstance(value, time):
                self._time_columns.add(self._column)
            elif isinstance(value, timedelta):
                self._duration_columns.add(self._column)
        except (ValueError, OverflowError):
            value = None  # what is shown is all there is
        if value is not None:
            return value
        shown = attributes.get(f"{OFFICE}string-value", shown) if kind == "string" else shown
        return self._texts.setdefault(shown, shown) if shown else None


def _repeats(attributes: dict[str, str], name: str) -> int:
    """Return a count of repetitions; 1 where it is missing or invalid."""
    text = attributes.get(name, "1")
    return min(max(int(text), 1), REPEAT_LIMIT) if text.isascii() and text.isdigit() else 1


def _typed(kind: str | None, attributes: dict[str, str]) -> Value:
    match kind:
        case "float" | "percentage" | "currency":
            return finite(attributes.get(f"{OFFICE}value", ""))
        case "boolean":
            return attributes.get(f"{OFFICE}boolean-value") == "true"
        case "date":
            return _date_or_datetime(attributes.get(f"{OFFICE}date-value", ""))
        case "time":
            return _duration(attributes.get(f"{OFFICE}time-value", ""))
        case _:
            return None


def _date_or_datetime(text: str) -> date | datetime:
    if "T" not in text:
        return date.fromisoformat(text)
    head, point, fraction = text.partition(".")
    # At most six digits of a second: some write nine.
    timestamp = datetime.fromisoformat(f"{head}.{fraction[:6].ljust(6, '0')}" if point else head)
    return timestamp.replace(tzinfo=None)


def _duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    sign, days, hours, minutes, seconds, fraction = found.groups()
    length = timedelta(
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        seconds=int(seconds or 0),
        microseconds=int((fraction or "0")[:6].ljust(6, "0")),
    )
    return -length if sign else length


def _time_of_day(length: timedelta) -> time | timedelta:
    """Return a time of day, or the duration if it is a day or more: both are written alike."""
    if not timedelta() <= length < timedelta(days=1):
        return length
    return (datetime.combine(date.min, time()) + length).time()
