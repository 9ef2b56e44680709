"""Records of a text table: lines split into cells, and lines that do not fit repaired."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import field

from typing_extensions import override

from qhub_desktop.core.values import dataclass

CELL_CHARACTERS = 2**24  # the longest cell that may hold newlines
PLACEHOLDER = "\ue000"  # for a delimiter of several letters: private to us, so in no file
ALTERNATIVES_LIMIT = 20_000  # to read one line, before it is read as it stands
OTHER_DELIMITERS = ";,\t| "
TRUSTED_LINES = 3  # in one cell of a record that is as long as the others
SWALLOWED_SHARE = 0.8  # of the lines in one cell that look like records themselves

_RULE_CELL = re.compile(r"[\s|+:│┌┐└┘├┤┬┴┼─═=_-]*(?:---|===|___|───|═══)[\s|+:│┌┐└┘├┤┬┴┼─═=_-]*")
_BACKSLASHED = re.compile(r'((?:^|[^\\])(?:\\\\)*)\\"')
RULE_STARTS = frozenset("-=_+|│┌├└─═")


@dataclass(frozen=True, slots=True)
class Delimited:
    """A dialect of cells separated by a delimiter."""

    delimiter: str
    quote: str = '"'  # nothing where such marks stand for themselves
    has_backslashes: bool = False  # before a quotation mark in a cell, in place of a second one
    is_spaced: bool = False  # blanks after each delimiter
    is_bordered: bool = False  # a delimiter before the first cell and after the last
    width: int = 0  # how many cells most records have; 0 if that is not known


@dataclass(frozen=True, slots=True)
class Fixed:
    """A dialect of cells that begin at the same place in every line."""

    starts: tuple[int, ...]

    @property
    def width(self) -> int:
        """The number of cells in a record."""
        return len(self.starts)


Dialect = Delimited | Fixed


@dataclass
class Records:
    """An iteration over the records of a file.

    A record stands for each row that a spreadsheet would show, blank ones too. Rows that had to be
    repaired on the way are listed by number, from 1.
    """

    lines: Iterable[str]
    dialect: Dialect
    count: int = 0
    repaired: list[int] = field(default_factory=list)  # quotation marks that do not match
    # Lines drawn with dashes, given as blank rows.
    rule_lines: list[int] = field(default_factory=list)
    misfits: list[int] = field(default_factory=list)  # lines that cross fixed columns

    def __iter__(self) -> Iterator[list[str]]:
        is_ruled = self.dialect.width != 1
        for row in self._rows():
            self.count += 1
            if is_ruled and row and row[0][:1] in RULE_STARTS and _is_rule(row):
                self.rule_lines.append(self.count)
                yield []
            else:
                yield row

    def _rows(self) -> Iterator[list[str]]:
        match self.dialect:
            case Fixed() as fixed:
                return _fixed_rows(self.lines, fixed, self)
            case Delimited() as delimited:
                return _DelimitedReader(self.lines, delimited, self).rows()


def _is_rule(row: list[str]) -> bool:
    return all(_RULE_CELL.fullmatch(cell) for cell in row if cell.strip())


class _RecordLines(Iterator[str]):
    """Lines, of which those of the current record can be put back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._waiting: list[str] = []
        self.record: list[str] = []

    @override
    def __next__(self) -> str:
        line = self._waiting.pop() if self._waiting else next(self._lines)
        self.record.append(line)
        return line

    def put_back(self) -> str:
        """Return the record's first line; the others are iterated again."""
        first, *others = self.record
        self._waiting += reversed(others)
        self.record = []
        return first


class _DelimitedReader:
    """Reads records by the rules of CSV, and line by line where these are broken."""

    def __init__(self, lines: Iterable[str], dialect: Delimited, records: Records) -> None:
        self._dialect = dialect
        self._records = records
        self._is_long = len(dialect.delimiter) > 1
        self._delimiter = PLACEHOLDER if self._is_long else dialect.delimiter
        self._record_lines = _RecordLines(self._prepared(lines))
        quote = re.escape(dialect.quote or '"')
        end = f"(?={re.escape(self._delimiter)}|$)"
        self._by_rule = re.compile(f"((?:[^{quote}]|{quote}{quote})*){quote}{end}")
        self._by_end = re.compile(f"(.*?){quote}{end}", re.DOTALL)

    def rows(self) -> Iterator[list[str]]:
        """Yield every record; what breaks the rules is repaired line by line."""
        csv.field_size_limit(CELL_CHARACTERS)
        record_lines = self._record_lines
        while True:
            try:
                for row in self._reader(record_lines, self._delimiter):
                    if len(record_lines.record) > 1 and self._has_swallowed_records(row):
                        break
                    record_lines.record.clear()
                    yield self._finished(row)
                else:
                    return
            except csv.Error:
                pass
            if not record_lines.record:
                return
            row = self._repaired_row(record_lines.put_back())
            self._records.repaired.append(self._records.count + 1)
            yield self._finished(row)

    def _prepared(self, lines: Iterable[str]) -> Iterable[str]:
        if self._dialect.has_backslashes:
            lines = (_BACKSLASHED.sub(r'\1""', line) for line in lines)
        if self._is_long:
            delimiter = self._dialect.delimiter
            lines = (line.replace(delimiter, PLACEHOLDER) for line in lines)
        return lines

    def _reader(self, lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
        dialect = self._dialect
        return csv.reader(
            lines,
            delimiter=delimiter,
            quotechar=dialect.quote or None,
            quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
            skipinitialspace=dialect.is_spaced,
            strict=True,
        )

    def _finished(self, row: list[str]) -> list[str]:
        if self._is_long and self._dialect.quote:
            row = [cell.replace(PLACEHOLDER, self._dialect.delimiter) for cell in row]
        if self._dialect.is_bordered and len(row) > 2 and not (row[0].strip() or row[-1].strip()):
            return [cell.strip() for cell in row[1:-1]]
        return row

    def _has_swallowed_records(self, row: list[str]) -> bool:
        """Return whether a stray quotation mark has made one cell of several records."""
        width, lines = self._dialect.width, self._record_lines.record
        if width < 2 or (len(row) == width and len(lines) <= TRUSTED_LINES):
            return False
        if any(line.count(self._delimiter) < width - 1 for line in (lines[0], lines[-1])):
            return False
        whole = [bool(self._split(line.rstrip("\r\n"), width)) for line in lines]
        return whole[0] and whole[-1] and sum(whole) >= SWALLOWED_SHARE * len(lines)

    def _repaired_row(self, line: str) -> list[str]:
        """Return the cells of one line whose quotation marks do not match.

        Of the ways to split it, take the first that gives as many cells as other records have.
        """
        text = line.rstrip("\r\n")
        width = self._dialect.width
        if row := self._split(text, width):
            return row
        return self._by_another_delimiter(text) or self._split(text, 0) or [text]

    def _split(self, text: str, width: int) -> list[str]:
        """Return the cells of a line, `width` of them (0: any number); none if impossible."""
        tried: set[tuple[int, int]] = set()
        quote = self._dialect.quote
        last = len(text) - 1 if text.endswith(quote) else text.rfind(quote + self._delimiter)
        cells: list[tuple[Iterator[tuple[str, int]], str]] = []
        ways = self._cell_alternatives(text, 0, last)
        while True:
            step = next(ways, None)
            if step is None:
                if not cells or len(tried) > ALTERNATIVES_LIMIT:
                    return []
                ways, _cell = cells.pop()
                continue
            cell, end = step
            count = len(cells) + 1
            if end > len(text):
                if width in (0, count):
                    return [*(each for _cell_alternatives, each in cells), cell]
            elif (end, count) not in tried and (not width or count < width):
                tried.add((end, count))
                cells.append((ways, cell))
                ways = self._cell_alternatives(text, end, last)

    def _cell_alternatives(self, text: str, place: int, last: int) -> Iterator[tuple[str, int]]:
        """Yield what the cell at `place` may be, likeliest first, and where the next one begins.

        A cell in quotation marks ends by the rules, or at the first mark before a delimiter; or its
        mark is a character like any other. Nothing closes after `last`.
        """
        quote, delimiter = self._dialect.quote, self._delimiter
        if self._dialect.is_spaced:
            while text.startswith(" ", place):
                place += 1
        if quote and text.startswith(quote, place) and place < last:
            for closing in (self._by_rule, self._by_end):
                if closed := closing.match(text, place + 1):
                    yield closed[1].replace(quote * 2, quote), closed.end() + len(delimiter)
        end = text.find(delimiter, place)
        if end < 0:
            end = len(text)
        yield text[place:end], end + len(delimiter)

    def _by_another_delimiter(self, text: str) -> list[str] | None:
        """Return the cells, if this line alone uses another delimiter."""
        for delimiter in OTHER_DELIMITERS:
            if delimiter == self._delimiter or delimiter not in text:
                continue
            try:
                row = next(self._reader([text], delimiter), [])
            except csv.Error:
                continue
            if len(row) == self._dialect.width:
                return row
        return None


def _fixed_rows(lines: Iterable[str], dialect: Fixed, records: Records) -> Iterator[list[str]]:
    starts = dialect.starts
    bounds = list(zip(starts, (*starts[1:], None), strict=True))
    gaps = [start - 1 for start in starts[1:]]
    has_begun = False
    for line in lines:
        text = line.rstrip()
        if not text:
            yield []
        elif all(text[gap : gap + 1] in ("", " ") for gap in gaps):
            cells = [text[start:end].strip() for start, end in bounds]
            has_begun = has_begun or all(cells)
            yield cells if has_begun or any(cells[1:]) else cells[:1]
        else:
            cells = re.split(r"\s{2,}", text.strip())
            if len(cells) != len(starts):
                if has_begun and not _RULE_CELL.fullmatch(text):
                    records.misfits.append(records.count + 1)
                cells = [text.strip()]
            yield cells
