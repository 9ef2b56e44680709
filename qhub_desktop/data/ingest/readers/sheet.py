"""Values that every reader returns: sheets of cells as they stand in the file."""

import decimal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Literal

from qhub_desktop.core.dataset import Finding, ImportChoices
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.findings import CountedSentence, Sentence, listed

Decimal = Literal[".", ","]
Tell = Callable[[str, float | None], None]  # what is being done, and its share of the whole
COLUMNS_LIMIT = 2**14  # of a sheet in any spreadsheet program
FORMULAS_TOLD = 5
HIDDEN_TOLD = 8  # ranges of hidden rows or columns in a sentence
ADDRESSES = 20  # named in a finding
EXACT_CHARACTERS = 15  # so few digits any float keeps
WHOLE_CHARACTERS = 18  # more fit no column of whole numbers
_FILTERED_ROWS = CountedSentence(
    "filtered_rows",
    "{count} row that a filter hides was read too: {places}.",
    "{count} rows that a filter hides were read too: {places}.",
)
_HIDDEN_ROWS = CountedSentence(
    "hidden_rows",
    "{count} hidden row was read too: {places}.",
    "{count} hidden rows were read too: {places}.",
)
_HIDDEN_COLUMNS = CountedSentence(
    "hidden_columns",
    "{count} hidden column was read too: {places}.",
    "{count} hidden columns were read too: {places}.",
)
_NOT_CALCULATED = CountedSentence(
    "formula_uncalculated",
    "{count} formula was never calculated and is read as missing: {cells}. Open the file in Excel,"
    " save it, and drop it again.",
    "{count} formulas were never calculated and are read as missing: {cells}. Open the file in"
    " Excel, save it, and drop it again.",
)
_NOT_READ = CountedSentence(
    "unread_cells",
    "{count} cell holds something that could not be read, and is missing: {cells}.",
    "{count} cells hold something that could not be read, and are missing: {cells}.",
)


@dataclass(frozen=True, slots=True)
class CellError:
    """An error value in a spreadsheet's cell, such as #N/A."""

    name: str


Value = str | int | float | bool | date | datetime | time | timedelta | CellError | None


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to be read, and the person's choices about it.

    `path` is what to read (it may be a copy, or something unpacked), `name` what to call it.
    """

    path: Path
    name: str
    password: str | None = None
    choices: ImportChoices = ImportChoices()
    folder: Path = Path()  # for what has to be unpacked; gone after the import
    tell: Tell = lambda _text, _share: None


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text file simple enough for the database's CSV reader: one delimiter, one kind of newline.

    `lines` is the number of records, counted apart from any reader (newlines inside quotation marks
    end no record); None where the marks do not balance. `encoding` is latin-1 where cp1252 has
    nothing on top of it: the database reads that itself.
    """

    file: Path
    encoding: str
    delimiter: str
    newline: str
    lines: int | None
    has_quotes: bool


@dataclass(frozen=True, slots=True)
class Merge:
    """A merged range; rows and columns count from 0, from the corner of the sheet's rows."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class RawSheet:
    """One sheet of a file, its rows still to be read.

    `rows` has every row from the first used one to the last, blank ones too, so that a row's place
    tells its number in the file: `first_row` + its place + 1. Only the first cell of a merged range
    has a value. A row's length may vary.
    """

    name: str | None
    number: int  # from 1, by place in the file
    rows: Iterator[Sequence[Value]]
    is_text: bool  # cells come without types, as in a text file
    decimal: Decimal = "."  # what stands before decimals, where the values alone leave it open
    first_row: int = 0  # where in the file the rows' corner stands, from 0
    first_column: int = 0
    merges: Sequence[Merge] = ()
    # What the reader knows already; read when `rows` has come to its end.
    repaired: Sequence[Finding] = field(default_factory=list)
    doubtful: Sequence[Finding] = field(default_factory=list)
    share_read: Callable[[], float] = lambda: 0.0  # the share of the sheet read so far
    encoding: str | None = None
    separator: str | None = None
    plain: PlainText | None = None  # where there is a quicker way to the same rows
    # The first rows, for readers with a quicker way; `rows` begins with them all the same.
    head: Sequence[Sequence[Value]] | None = None
    # The rows from this one on as columns that the database can take (an Arrow stream); none
    # where that would not be exact.
    columns: Callable[[int], Any] | None = None
    # Where the rows' corner stands after all, once one was read: the head cannot tell what begins
    # further to the left below it.
    corner: Callable[[], tuple[int, int]] | None = None
    is_hidden: bool = False  # the workbook does not show it
    has_names: bool = False  # the first row is names for certain, as in Parquet and JSON
    header: int | None = None  # the place of the row that is drawn as the header
    preamble: int = 0  # the first rows, above the table for certain
    # What the reader knows of what the file says of its data; read when `rows` has come to its end.
    facts: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A file as its reader has opened it."""

    sheets: tuple[str, ...]  # every sheet's name; nothing for formats without sheets
    read: Iterator[RawSheet]


def address(row: int, column: int) -> str:
    """Return a cell's address in Excel's notation; row and column count from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def table_names(titles: Sequence[str]) -> list[str]:
    """Return a different name for each table of a file, by its title or else its number."""
    names: list[str] = []
    for place, title in enumerate(titles, start=1):
        name = title or _("Table {number}").format(number=place)
        while name in names:
            name = f"{name} ({place})"
        names.append(name)
    return names


def whole(text: str) -> int | str:
    """Return a whole number, or its text if it has too many digits for an integer column."""
    return int(text) if len(text) <= WHOLE_CHARACTERS else text


def fraction(text: str) -> float | str:
    """Return a number with decimals, or its text if a float would change it."""
    value = float(text)
    if len(text) <= EXACT_CHARACTERS or decimal.Decimal(repr(value)) == decimal.Decimal(text):
        return value
    return text


def merges_within(
    ranges: Sequence[tuple[int, int, int, int]], first_row: int, first_column: int
) -> tuple[Merge, ...]:
    """Return merged ranges relative to the corner of the rows; those outside hold nothing."""
    return tuple(
        Merge(
            row - first_row,
            column - first_column,
            last_row - first_row,
            last_column - first_column,
        )
        for row, column, last_row, last_column in ranges
        if row >= first_row and column >= first_column and (row, column) != (last_row, last_column)
    )


@dataclass
class Hidden:
    """The rows and columns of a sheet that the program it is from does not show, from 0."""

    rows: list[int] = field(default_factory=list)
    columns: list[tuple[int, int]] = field(default_factory=list)  # first and last
    is_filtered: bool = False  # the rows are hidden by a filter

    def note_columns(self, first: int, last: int) -> None:
        """Add columns that are next to each other; `last` may be beyond the last one there is."""
        self.columns.append((first, last))

    def findings(self, *, last_row: int, last_column: int) -> list[Finding]:
        """Return the findings on hidden rows and columns within the used range."""
        rows = sorted({row for row in self.rows if row <= last_row})
        columns = sorted(
            {
                column
                for first, last in self.columns
                for column in range(first, min(last, last_column) + 1)
            }
        )
        found: list[Finding] = []
        if rows and self.is_filtered:
            found.append(_hidden_finding(_FILTERED_ROWS, _runs(rows, str), rows))
        elif rows:
            found.append(_hidden_finding(_HIDDEN_ROWS, _runs(rows, str), rows))
        if columns:
            letters = _runs(columns, lambda column: address(0, column - 1)[:-1])
            found.append(_hidden_finding(_HIDDEN_COLUMNS, letters, columns))
        return found


def _hidden_finding(sentence: Sentence, runs: Sequence[str], places: Sequence[int]) -> Finding:
    cells = [
        address(0, place) if sentence is _HIDDEN_COLUMNS else address(place, 0)
        for place in places[:ADDRESSES]
    ]
    return sentence.finding(len(places), cells, places=listed(runs[:HIDDEN_TOLD], of=len(runs)))


def _runs(places: Sequence[int], name: Callable[[int], str]) -> list[str]:
    """Return ranges of neighbouring rows or columns (from 0) by the names that they have from 1."""
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][1] == place - 1:
            found[-1][1] = place
        else:
            found.append([place, place])
    return [
        name(first + 1) if first == last else f"{name(first + 1)}-{name(last + 1)}"
        for first, last in found
    ]


def uncalculated_finding(cells: Sequence[str]) -> list[Finding]:
    """Return the finding on formulas without a result in the file; none if there are none."""
    return [_NOT_CALCULATED.finding(len(cells), cells[:FORMULAS_TOLD])] if cells else []


def unread_finding(cells: Sequence[str]) -> list[Finding]:
    """Return the finding on cells that hold something which was not read; none if there are none.

    They are counted in the file itself, so that nothing is lost unsaid whatever a reader does.
    """
    return [_NOT_READ.finding(len(cells), cells[:FORMULAS_TOLD])] if cells else []
