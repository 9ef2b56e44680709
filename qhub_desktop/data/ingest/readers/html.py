"""HTML and MHTML tables, which many systems write under the name .xls."""

import email
import email.policy
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from functools import lru_cache
from html import escape, unescape

from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.findings import Sentence
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.encoding import Decoded, decode
from qhub_desktop.data.ingest.readers.sheet import (
    Decimal,
    InputFile,
    Merge,
    ParsedFile,
    RawSheet,
    Value,
    table_names,
)
from qhub_desktop.data.ingest.readers.sniff import MARKUP, Content, file_format

HEADING_CHARACTERS = 80
# The limits of the HTML standard.
COLUMNS_SPAN = 1_000
ROWS_SPAN = 65_534
DEPTH = 50  # of tables inside tables
FEWEST_RECORDS = 2  # with which a table around others is one itself

TELL_TAGS = 200_000
_TABLES_LEFT = Sentence(
    "tables_left",
    "The page has {present} tables. The {read} with the most rows were read, the others not.",
)
_SPANS_SHORTENED = Sentence(
    "spans_shortened", "Some cells claim to span more rows or columns than any page has."
)
BREAK = "\v"  # stands for the end of a line inside a cell
# A table inside a cell is the cell's text where the outer one has records. Where the outer one only
# lays out the page, the outer one is no data set.
_INNER = re.compile("\ue000(\\d+)\ue001")  # stands for a table inside a cell until the outer ends
_CELLS = {"td", "th"}
_TITLES = {"h1", "h2", "h3", "h4", "h5", "h6", "caption"}
_ROW_GROUPS = {"thead", "tbody", "tfoot"}

# The tags that matter, with their attributes, then whatever else shows nothing. What is possessive
# or bounded is so because a hostile page would otherwise be gone through again and again.
_TAG = re.compile(
    r"<(/?)(table|tr|td|th|thead|tbody|tfoot|caption|h[1-6]|br|p|div|li)\b"
    r"""((?:[^>"']++|"[^"]{0,4000}+"|'[^']{0,4000}+')*+)>"""
    r"|<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\4\s*>|\Z)|<[a-z/!?][^>]{0,4000}+>",
    re.IGNORECASE | re.DOTALL,
)
_SPAN = re.compile(r"""\b(row|col)span\s*=\s*["']?\s*(\d{1,9})""", re.IGNORECASE | re.ASCII)

PAGE_LIMIT_BYTES = 200 * 2**20
DECIMAL_ROWS = 2_000
MOST_TABLES = 60  # of a page; each takes a fifth of a second
DECLARATION_BYTES = 4_096  # of a page, in which its encoding is declared
_BEGINNING_OF_PAGE = re.compile(
    r"<!doctype html|<(?:html|head|body|meta|table|style|div|title|center|h\d|p|tr)[\s>]"
)
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_SHEET_NAME = re.compile(r"<x:ExcelWorksheet>\s*<x:Name>([^<]+)</x:Name>", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:[. \xa0]\d{3})+|\d+),\d+\s?%?-?")
_POINT = re.compile(r"[+-]?(?:\d{1,3}(?:[, \xa0]\d{3})+|\d+)\.\d+\s?%?-?")


@dataclass
class HtmlTable:
    """One table; only the first cell of a span has its text."""

    title: str = ""
    rows: list[list[str | None]] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    has_wild_spans: bool = False  # wider or longer than any page means
    _covered: dict[int, int] = field(default_factory=dict)  # columns that spans from above take
    _row: list[str | None] | None = None
    _cell: list[str] | None = None  # the parts of the open cell's text
    _spans: tuple[int, int] = (1, 1)

    @property
    def is_filled(self) -> bool:
        """Whether any cell holds text."""
        return any(cell for row in self.rows for cell in row)

    @property
    def records(self) -> int:
        """The number of rows with text of their own in two cells or more."""
        return sum(
            sum(bool(cell and _INNER.sub("", cell).strip()) for cell in row) > 1
            for row in self.rows
        )

    @property
    def as_cell(self) -> str:
        """The text of the table where it is the text of a cell: a line for each row."""
        lines = (" ".join(" ".join(cell for cell in row if cell).split()) for row in self.rows)
        return "\n".join(filter(None, lines))

    @property
    def is_data(self) -> bool:
        """Whether it is more than a frame around something."""
        return len(self.rows) > 1 and max(map(len, self.rows)) > 1 and self.is_filled

    def begin_row(self) -> None:
        """Begin a row, ending the open one."""
        self.end_row()
        self._row = []

    def end_row(self) -> None:
        """End the row."""
        self.end_cell()
        if self._row is None:
            return
        self.rows.append(self._row)
        self._row = None
        self._covered = {column: left - 1 for column, left in self._covered.items() if left > 1}

    def begin_cell(self, rows: int, columns: int) -> None:
        """Begin a cell, ending the open one."""
        self.end_cell()
        if self._row is None:
            self.begin_row()
        self._cell = []
        self._spans = (min(rows, ROWS_SPAN), min(columns, COLUMNS_SPAN))
        if self._spans != (rows, columns):
            self.has_wild_spans = True

    def end_cell(self) -> None:
        """End the cell and put it in the first place that no span covers."""
        if self._cell is None or self._row is None:
            return
        while len(self._row) in self._covered:
            self._row.append(None)
        rows, columns = self._spans
        column, row = len(self._row), len(self.rows)
        self._row.append(_tidy("".join(self._cell)))
        self._row.extend([None] * (columns - 1))
        if rows > 1 or columns > 1:
            self.merges.append((row, column, row + rows - 1, column + columns - 1))
        if rows > 1:
            for place in range(column, column + columns):
                # This row is counted as well, when it ends.
                self._covered[place] = rows
        self._cell = None

    def add(self, text: str) -> None:
        """Add text to the open cell; elsewhere in a table, text means nothing."""
        if self._cell is not None:
            self._cell.append(text)

    def break_line(self) -> None:
        """Break the line in the open cell's text."""
        if self._cell:
            self._cell.append(BREAK)


class Page:
    """The tables of one web page.

    Only the tags that make tables are looked for: the standard library's parser takes 2.5 times as
    long for the same cells, and an export of 100,000 rows is nothing unusual.
    """

    def __init__(self) -> None:
        self.tables: list[HtmlTable] = []  # as they begin in the page
        self._open: list[HtmlTable] = []
        self._inner: list[HtmlTable] = []  # tables in cells of tables
        self._heading = ""
        self._title: list[str] | None = None  # the parts of a heading or caption that is open

    def read(self, text: str, tell: Callable[[float], None]) -> list[HtmlTable]:
        """Return every table of the page, reporting the share that was read."""
        place = 0
        for count, tag in enumerate(_TAG.finditer(text)):
            start = tag.start()
            if start > place:
                self._add(text[place:start])
            place = tag.end()
            if name := tag[2]:
                if tag[1]:
                    self._end(name.lower())
                else:
                    self._begin(name.lower(), tag[3])
            if count % TELL_TAGS == 0:
                tell(place / len(text))
        self._add(text[place:])
        while self._open:
            self._end_table()
        return self.tables

    def _begin(self, tag: str, attributes: str) -> None:
        table = self._open[-1] if self._open else None
        if tag in _TITLES:
            self._title = []
        elif tag == "table":
            if len(self._open) < DEPTH:
                self._open.append(HtmlTable(self._heading))
                self._heading = ""
                self.tables.append(self._open[-1])
        elif table is None:
            return
        elif tag in _CELLS:
            table.begin_cell(*_spans(attributes))
        elif tag == "tr":
            table.begin_row()
        elif tag in _ROW_GROUPS:
            table.end_row()
        else:
            table.break_line()

    def _end(self, tag: str) -> None:
        if tag in _TITLES:
            self._end_title(tag)
        elif not self._open:
            return
        elif tag == "table":
            self._end_table()
        elif tag in _CELLS:
            self._open[-1].end_cell()
        elif tag == "tr" or tag in _ROW_GROUPS:
            self._open[-1].end_row()

    def _add(self, text: str) -> None:
        if self._title is not None:
            self._title.append(text)
        elif self._open:
            self._open[-1].add(text)

    def _end_title(self, tag: str) -> None:
        if self._title is None:
            return
        parts, self._title = self._title, None
        title = _tidy("".join(parts)).replace("\n", " ")[:HEADING_CHARACTERS]
        if tag == "caption" and self._open:
            self._open[-1].title = title or self._open[-1].title
        elif self._open:
            self._open[-1].add("".join(parts))  # a heading inside a cell is the cell's text
        else:
            self._heading = title

    def _end_table(self) -> None:
        table = self._open.pop()
        table.end_row()
        self._place_inner(table)
        if not self._open:
            return
        if not table.is_data:
            # A box around a text, or a list of one row: the text of the cell that it stands in.
            self.tables.remove(table)
            for row in table.rows:
                self._open[-1].break_line()
                self._open[-1].add(escape(" ".join(cell for cell in row if cell)))
        else:
            self._open[-1].add(f"\ue000{len(self._inner)}\ue001")
            self._inner.append(table)

    def _place_inner(self, table: HtmlTable) -> None:
        """Make the tables in a table's cells text of its cells, or tables of their own.

        They are text if it has as many records as the longest of them has rows; otherwise it only
        lays them out, and is no table itself unless it has records of its own.
        """
        inner = [
            self._inner[int(number)]
            for row in table.rows
            for cell in row
            if cell
            for number in _INNER.findall(cell)
        ]
        if not inner:
            return
        records = table.records
        are_text = records >= FEWEST_RECORDS and records >= max(len(each.rows) for each in inner)

        def text_of(found: re.Match[str]) -> str:
            return f"\n{self._inner[int(found[1])].as_cell}\n" if are_text else ""

        for row in table.rows:
            for place, cell in enumerate(row):
                if cell and "\ue000" in cell:
                    lines = _INNER.sub(text_of, cell).split("\n")
                    row[place] = "\n".join(filter(None, map(str.strip, lines)))
        if are_text:
            self.tables = [each for each in self.tables if all(each is not one for one in inner)]
        elif records < FEWEST_RECORDS and self.tables:
            self.tables = [each for each in self.tables if each is not table]


@lru_cache(maxsize=2**16)  # an export says the same over and over
def _tidy(text: str) -> str:
    """Return text as a browser shows it: runs of blanks are one, and only breaks break lines."""
    if "&" in text:
        text = unescape(text)
    if BREAK not in text:
        return " ".join(text.split())
    return "\n".join(" ".join(line.split()) for line in text.split(BREAK)).strip()


def _spans(attributes: str) -> tuple[int, int]:
    """Return the number of rows and columns that a cell spans."""
    if "span" not in attributes.lower():
        return 1, 1
    declared = {name.lower(): int(count) for name, count in _SPAN.findall(attributes)}
    rows, columns = declared.get("row", 1), declared.get("col", 1)
    # Rows: 0 says "all that follow".
    return rows or ROWS_SPAN, columns or 1


def _is_html(content: Content) -> bool:
    if content.is_xml:
        return bool(re.search(r"<(?:html|table)\b|<!doctype html", content.text.lower()))
    return bool(_BEGINNING_OF_PAGE.match(content.start))


def _is_mhtml(content: Content) -> bool:
    start = content.start
    return start.startswith("mime-version:") or (
        start.startswith(("from:", "content-type: multipart")) and "\nmime-version:" in start
    )


@file_format("HTML", suffixes=(".html", ".htm"), sniff=_is_html, rank=MARKUP + 1, place=6)
def read_html(source: InputFile) -> ParsedFile:
    """Read every table of a web page, whatever the file is called."""
    content = _content(source)
    page = decode(content, chosen=source.choices.encoding, declared=_declared(content))
    return _parsed(source, _tables(source, page), page.encoding, names=[])


@file_format("MHTML", suffixes=(".mht", ".mhtml"), sniff=_is_mhtml, rank=MARKUP + 2, place=7)
def read_mhtml(source: InputFile) -> ParsedFile:
    """Read every table of a web archive, as Excel saves one."""
    message = email.message_from_bytes(_content(source), policy=email.policy.default)
    pages = [_part(part) for part in message.walk() if part.get_content_type() == "text/html"]
    tables = [table for page in pages for table in _tables(source, page)]
    names = [name for page in pages for name in _SHEET_NAME.findall(page.text)]
    return _parsed(source, tables, pages[0].encoding if pages else "utf-8", names=names)


def _content(source: InputFile) -> bytes:
    if source.path.stat().st_size > PAGE_LIMIT_BYTES:
        raise rejection.refusal(source, rejection.TOO_LONG, rejection.AS_TEXT)
    return source.path.read_bytes()


def _part(part: EmailMessage) -> Decoded:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    return decode(content, declared=[*([charset] if charset else []), *_declared(content)])


def _declared(content: bytes) -> list[str]:
    """Return the encoding that a page declares, if any."""
    found = _CHARSET.search(content[:DECLARATION_BYTES])
    return [found[1].decode("ascii", "replace")] if found else []


def _tables(source: InputFile, page: Decoded) -> list[HtmlTable]:
    opening = _("Opening {file}").format(file=source.name)
    return Page().read(page.text, lambda share: source.tell(opening, share))


def _parsed(
    source: InputFile, tables: Sequence[HtmlTable], encoding: str, *, names: Sequence[str]
) -> ParsedFile:
    filled = [table for table in tables if table.is_filled]
    # A single row is a heading or a page's frame, unless there is nothing else.
    wanted = [table for table in filled if len(table.rows) > 1] or filled
    if not wanted:
        raise rejection.refusal(source, rejection.NO_TABLE, rejection.FROM_SOURCE)
    if len(wanted) == 1:
        return ParsedFile((), iter([_sheet(wanted[0], None, 1, encoding)]))
    titles = [table.title for table in wanted]
    called = list(names) if len(names) == len(wanted) else table_names(titles)
    named = [*zip(called, wanted, strict=True)]
    if len(named) > MOST_TABLES:
        least = sorted((len(table.rows) for table in wanted), reverse=True)[MOST_TABLES - 1]
        named = [each for each in named if len(each[1].rows) >= least][:MOST_TABLES]
    sheets = [
        _sheet(table, name, number, encoding) for number, (name, table) in enumerate(named, start=1)
    ]
    if len(named) < len(wanted):
        left = _TABLES_LEFT.finding(len(wanted) - len(named), present=len(wanted), read=len(named))
        sheets[0] = replace(sheets[0], doubtful=(*sheets[0].doubtful, left))
    return ParsedFile(tuple(name for name, _table in named), iter(sheets))


def _sheet(table: HtmlTable, name: str | None, number: int, encoding: str) -> RawSheet:
    last = len(table.rows) - 1
    return RawSheet(
        name=name,
        number=number,
        rows=_rows(table),
        is_text=True,
        decimal=_decimal(table),
        merges=tuple(
            Merge(row, column, min(last_row, last), last_column)
            for row, column, last_row, last_column in table.merges
            if (min(last_row, last), last_column) != (row, column)
        ),
        doubtful=[_SPANS_SHORTENED.finding()] if table.has_wild_spans else [],
        encoding=encoding,
    )


def _rows(table: HtmlTable) -> Iterator[Sequence[Value]]:
    yield from table.rows


def _decimal(table: HtmlTable) -> Decimal:
    """Return the decimal mark that most numbers show."""
    cells = [cell for row in table.rows[:DECIMAL_ROWS] for cell in row if cell]
    commas = sum(_COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(_POINT.fullmatch(cell) is not None for cell in cells)
    return "," if commas > points else "."
