"""Loading of a sheet's rows into the table `raw`, by the quickest strategy that loses nothing.

Formats of files stand in `readers/`, a module each.
"""

# Why it is so: decisions/import-speed.md

import csv
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from datetime import date, datetime, time
from itertools import chain, islice, zip_longest
from pathlib import Path

import duckdb

from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest.header_detection import HEAD_ROWS, Heading, detect_header
from qhub_desktop.data.ingest.raw_table import (
    TEXT_CHARACTERS,
    ColumnKind,
    RawTable,
    TypedColumn,
    as_text,
    is_blank,
    texts_of,
)
from qhub_desktop.data.ingest.readers.preamble import facts_of
from qhub_desktop.data.ingest.readers.sheet import (
    InputFile,
    Merge,
    PlainText,
    RawSheet,
    Value,
)
from qhub_desktop.data.ingest.rows_between import SEARCHED_ROWS
from qhub_desktop.data.ingest.table_regions import Region, fill_down_merges
from qhub_desktop.data.ingest.type_inference import expect_types

Row = Sequence[Value]

CHUNK_CELLS = 200_000
CHUNK_ROWS = 20_000
COLUMNS_LIMIT = 2_000  # the database holds 32 KB of every column at every step
MOST_COLUMNS = 1_200  # that the database's CSV reader is given: 2,000 took 1.3 GB of addresses
COPY_CHARACTERS = 2**20
STORED_COLUMNS = 50  # of a table that is stored as it is read
LOOKS, LOOK_BYTES = 8, 2**11  # all over a file, to expect the types of its columns
LINE_BYTES = 2**23  # and of a buffer: the quickest of several; else it would be 16 times that
# Kinds of columns, by the database's types.
_COLUMN_KINDS: dict[str, ColumnKind] = {
    "DOUBLE": "number",
    "BIGINT": "number",
    "VARCHAR": "text",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIMESTAMP_MS": "datetime",
    "TIMESTAMP_S": "datetime",
    "INTERVAL": "duration",
}
_DATE_KINDS = {"date", "datetime", "duration"}
# True for a text that may have been a number, a date or a boolean before the reader made it text.
# Most show by their first character that they were not.
_AMBIGUOUS_TEXT = (
    "CASE WHEN {0} >= '+' AND {0} < ':' THEN regexp_full_match({0}, '[-+]?\\.?[0-9].*')"
    " ELSE strlen({0}) < 6 AND lower({0}) IN ('true', 'false') END"
)
EARLIEST = "TIMESTAMP '1905-01-01'"  # before, it is a time without a day
COMPARED_ROWS = 20
READ_SHARE = 0.6  # how far an import is when the rows are read
SHOWN_ROWS = 40  # of the head, for the person to choose the header in
Head = tuple[tuple[str, ...], ...]


@dataclass
class Sheet:
    """One sheet of a file, with all that is known about reading it.

    The first rows are examined before the others: `head` takes them from the reader once.
    """

    raw: RawSheet
    source: InputFile
    format: str
    sheets: tuple[str, ...]
    sha256: str
    choices: ImportChoices
    table: int = 0  # which of several in the sheet, from 1
    # Where they are, in Excel's notation, and whether they were read apart.
    areas: tuple[str, ...] = ()
    is_searched: bool = False  # for several tables, row by row
    remainder: tuple[int, ...] = ()  # rows under the table that may be none of it, from 0
    _head: list[Row] | None = field(default=None, init=False)

    @property
    def head(self) -> list[Row]:
        """The first rows, as they stand in the file."""
        if self._head is None:
            self._head = (
                [*self.raw.head]
                if self.raw.head is not None
                else [*islice(self.raw.rows, self.raw.preamble + HEAD_ROWS)]
            )
        return self._head

    def rows(self) -> Iterator[Row]:
        """Return every row from the first. May be called once only: the reader is used up."""
        if self.raw.head is not None:
            return self.raw.rows
        return chain(self.head, self.raw.rows)

    def heading(self) -> Heading:
        """Return the heading, as detected or as chosen."""
        chosen = self.choices.header_row
        if chosen is None:
            chosen = self.raw.header
        elif chosen > 0:
            chosen = max(0, chosen - 1 - self.raw.first_row)
        elif chosen == 0:
            chosen = -1
        above = self.raw.preamble
        found = detect_header(
            self.head[above:],
            merges=self.raw.merges,
            chosen=chosen if chosen is None or chosen < 0 else max(0, chosen - above),
            has_names=self.raw.has_names,
            corner=(self.raw.first_row + above, self.raw.first_column),
        )
        return found.under(self.head[:above])

    def from_first_cell(self) -> "Sheet | None":
        """Return the sheet from its first cell that holds anything; None if it is empty.

        A sheet may begin with more blank rows than its head has; it then begins below them.
        """
        if any(not is_blank(cell) for row in self.head for cell in row):
            return self
        skipped = 0
        for row in self.rows():
            if all(map(is_blank, row)):
                skipped += 1
                continue
            corner = self.raw.corner
            first, left = corner() if corner else (self.raw.first_row, self.raw.first_column)
            return self._with(
                replace(
                    self.raw,
                    rows=chain([row], self.raw.rows),
                    head=None,
                    first_row=first + skipped,
                    first_column=left,
                    plain=None,
                    columns=None,
                )
            )
        return None

    def read_carefully(self) -> "Sheet":
        """Return the same sheet without its faster ways of reading."""
        raw = replace(self.raw, head=None, columns=None)
        careful = self._with(raw)
        if careful.head and raw.corner is not None:
            row, column = raw.corner()
            careful.raw = replace(raw, first_row=row, first_column=column)
        return careful

    @property
    def head_below(self) -> list[Row]:
        """The first rows, with blank ones in place of those of the preamble."""
        return [*((),) * self.raw.preamble, *self.head[self.raw.preamble :]]

    def all_rows(self, limit: int) -> list[Row] | None:
        """Return every row of the sheet; None if there are more than the limit."""
        if self.raw.plain is not None and (self.raw.plain.lines or 0) > limit:
            return None
        rows = [*islice(self.rows(), limit + 1)]
        self.raw = replace(self.raw, rows=chain(rows, self.raw.rows), head=None, columns=None)
        self._head = None
        return rows if len(rows) <= limit else None

    def crop(self, rows: Sequence[Row], region: Region, table: int) -> "Sheet":
        """Return one of several tables among the sheet's rows as a sheet of its own."""
        raw, cut = self.raw, slice(region.column, region.last_column + 1)
        merges = tuple(
            Merge(
                each.row - region.row,
                each.column - region.column,
                each.last_row - region.row,
                each.last_column - region.column,
            )
            for each in raw.merges
            if region.row <= each.row <= region.last_row
            and region.column <= each.column <= region.last_column
        )
        cropped = replace(
            raw,
            rows=iter([row[cut] for row in rows[region.row : region.last_row + 1]]),
            first_row=raw.first_row + region.row,
            first_column=raw.first_column + region.column,
            merges=merges,
            head=None,
            plain=None,
            columns=None,
            corner=None,
            preamble=0,
            facts=(*raw.facts, *facts_of(map(texts_of, rows[: raw.preamble]))),
        )
        return replace(self, raw=cropped, table=table)

    def transposed(self) -> "Sheet":
        """Return the sheet with its rows as columns; itself if there are too many of them."""
        rows = self.all_rows(COLUMNS_LIMIT)
        if rows is None:
            return self
        raw = self.raw
        turned = replace(
            raw,
            rows=iter([*zip_longest(*rows)]),
            first_row=raw.first_column,
            first_column=raw.first_row,
            merges=tuple(
                Merge(each.column, each.row, each.last_column, each.last_row) for each in raw.merges
            ),
            head=None,
            plain=None,
            columns=None,
            corner=None,
        )
        return replace(self, raw=turned)

    def tell(self, text: str, share: float | None) -> None:
        """Report progress within this sheet, converted to a share of the whole file."""
        count = max(1, len(self.sheets))
        whole = None if share is None else (self.raw.number - 1 + share) / count
        self.source.tell(text, whole)

    def _with(self, raw: RawSheet) -> "Sheet":
        return replace(self, raw=raw)


@dataclass
class UnevenRows:
    """Rows of a text table whose length is not the header's, by their place in the table."""

    longer: list[int] = field(default_factory=list)
    shorter: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A sheet whose rows below its heading are in `table`."""

    sheet: Sheet
    heading: Heading
    table: RawTable
    uneven: UnevenRows = field(default_factory=UnevenRows)
    filled: Sequence[Merge] = ()  # the merged ranges that were filled down
    is_columnar: bool = False

    @property
    def header_row(self) -> int | None:
        """The number of the header's last row in the file, from 0; None without a header."""
        if self.heading.header is None:
            return None
        return self.sheet.raw.first_row + self.heading.header + self.heading.header_rows - 1

    def shown_head(self) -> Head:
        """Return the first rows as texts, for the person to choose the header in."""
        raw, rows = self.sheet.raw, self.sheet.head
        shown = with_dates(self.table, rows, self.heading) if self.is_columnar else rows
        # One of several tables is shown wherever it begins.
        last = SHOWN_ROWS + raw.preamble + (raw.first_row if self.sheet.table else 0)
        blank: Head = ((),) * min(raw.first_row, last)
        lead = ("",) * raw.first_column
        return (*blank, *((*lead, *map(_cell_text, row)) for row in shown))[:last]


def load(db: duckdb.DuckDBPyConnection, sheet: Sheet, target: Path) -> Loaded:
    """Load every row of a sheet: as CSV or Arrow columns where that is exact, else row by row.

    The rows of a long text table whose columns show what they are stand typed in `target` then.
    """
    loaded = _start(db, sheet)
    raw, heading, what = sheet.raw, loaded.heading, _name_of(sheet)
    if raw.plain is not None:
        sheet.tell(_rows_of(what, max(0, (raw.plain.lines or 0) - heading.body)), 0)
        if load_delimited(loaded.table, sheet, heading, target):
            return loaded
    if raw.columns is not None:
        sheet.tell(what, 0)
        if load_arrow(loaded.table, raw, heading):
            return replace(loaded, is_columnar=True)
        # The head is read again by the careful reader, which knows merged cells and dates.
        loaded = _start(db, sheet.read_carefully())
    return _load_by_row(loaded)


def _start(db: duckdb.DuckDBPyConnection, sheet: Sheet) -> Loaded:
    heading = sheet.heading()
    table = RawTable(db, sheet.raw.first_row + heading.body, sheet.raw.first_column)
    return Loaded(sheet, heading, table)


def _load_by_row(loaded: Loaded) -> Loaded:
    sheet, heading, raw = loaded.sheet, loaded.heading, loaded.sheet.raw
    what = _name_of(sheet)
    filled: list[Merge] = []
    uneven = load_rows(
        loaded.table,
        fill_down_merges(
            islice(sheet.rows(), heading.body, None),
            raw.merges,
            first=heading.body,
            filled=filled,
        ),
        width=len(heading.names) or max(map(len, sheet.head[heading.body :]), default=0),
        sheet=raw,
        name=sheet.source.name,
        on_chunk=lambda count: sheet.tell(_rows_of(what, count), READ_SHARE * raw.share_read()),
    )
    return replace(loaded, uneven=uneven, filled=filled)


def _name_of(sheet: Sheet) -> str:
    return sheet.raw.name or sheet.source.name


def _rows_of(what: str, count: int) -> str:
    words = ngettext("{what}: {count} row", "{what}: {count} rows", count)
    return words.format(what=what, count=number(count, digits=0))


def _cell_text(cell: Value) -> str:
    return as_text(cell)[:TEXT_CHARACTERS]


def load_rows(
    raw: RawTable,
    rows: Iterator[Row],
    *,
    width: int,
    sheet: RawSheet,
    name: str,
    on_chunk: Callable[[int], None],
) -> UnevenRows:
    """Append every row to the table; `width` is the number of names in the header."""
    uneven = UnevenRows()
    _checked(width, name)
    size = max(200, min(CHUNK_ROWS, CHUNK_CELLS // max(1, width)))
    while chunk := list(islice(rows, size)):
        lengths = set(map(len, chunk))
        if sheet.is_text and max(lengths) > width:
            # A row of nothing but separators is not wider than the table.
            chunk = [_cut(row, width) for row in chunk]
            lengths = set(map(len, chunk))
        raw.widen(_checked(max(lengths), name))
        if sheet.is_text and lengths != {width}:
            _note_uneven(uneven, chunk, raw.rows, width)
        raw.append(chunk)
        on_chunk(raw.rows)
    raw.widen(width)
    return uneven


def _note_uneven(uneven: UnevenRows, chunk: Sequence[Row], start: int, width: int) -> None:
    for place, row in enumerate(chunk, start):
        if len(row) < width:
            uneven.shorter.append(place)
        elif len(row) > width and not all(map(is_blank, row[width:])):
            uneven.longer.append(place)


def _cut(row: Row, width: int) -> Row:
    """Return a row without the blank cells beyond the header's."""
    last = len(row)
    while last > width and is_blank(row[last - 1]):
        last -= 1
    return row[:last] if last < len(row) else row


def _checked(width: int, name: str) -> int:
    if width > COLUMNS_LIMIT:
        raise UserError(
            _(
                "{file} has {count} columns, and at most {limit} can be read."
                " Export only those that you need."
            ).format(file=name, count=width, limit=COLUMNS_LIMIT)
        )
    return width


def load_delimited(raw: RawTable, sheet: Sheet, heading: Heading, target: Path) -> bool:
    """Load the records under the header with the database's CSV reader; return whether exact.

    The result is checked: there must be as many rows as were counted apart from any reader, each
    with a cell for every name. Where that is not so, no row is kept, and the careful reader goes
    on.
    """
    plain, width = sheet.raw.plain, len(heading.names)
    if plain is None or plain.lines is None or not 1 < width < MOST_COLUMNS:
        return False
    above = sheet.head[: heading.body]
    if any("\n" in str(cell) or "\r" in str(cell) for row in above for cell in row):
        return False  # the database skips lines, not records
    raw.column_kinds = ["text"] * width
    raw.rows = plain.lines - heading.body
    columns = ", ".join(f"c{position}: 'VARCHAR'" for position in range(width))
    newline = {"\r\n": "\\r\\n", "\r": "\\r"}.get(plain.newline, "\\n")
    quote = '"' if plain.has_quotes else ""
    try:
        with _readable(plain, sheet.source.folder) as source:
            read = (
                f"read_csv({sql_literal(str(source))}, auto_detect = false,"
                f" header = false, skip = {heading.body}, delim = {sql_literal(plain.delimiter)},"
                f" quote = {sql_literal(quote)}, escape = {sql_literal(quote)},"
                f" new_line = {sql_literal(newline)},"
                f" encoding = {sql_literal('latin-1' if plain.encoding == 'latin-1' else 'utf-8')},"
                f" max_line_size = {LINE_BYTES}, buffer_size = {LINE_BYTES},"
                f" columns = {{{columns}}})"
            )
            typed = _expected_types(raw, sheet, heading)
            if typed is None or not raw.store(read, heading.names, typed, target):
                raw.db.execute(f"CREATE TABLE raw AS FROM {read}")
        is_exact = aggregates(raw.db, ["count(*)"], "raw") == [raw.rows]
    except duckdb.Error:
        is_exact = False  # the careful reader reports what is wrong
    if not is_exact:
        raw.drop()
        raw.column_kinds, raw.rows = [], 0
    return is_exact


@contextmanager
def _readable(plain: PlainText, folder: Path) -> Iterator[Path]:
    """Provide the file in an encoding that the database reads."""
    if plain.encoding in ("utf-8", "ascii", "latin-1"):
        yield plain.file
        return
    copy = folder / "plain.csv"
    try:
        with (
            plain.file.open("r", encoding=plain.encoding, newline="") as original,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(original, target, COPY_CHARACTERS)
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _expected_types(raw: RawTable, sheet: Sheet, heading: Heading) -> dict[int, TypedColumn] | None:
    """Return what the columns of a long table seem to be; None if it should be loaded as texts."""
    names, choices = heading.names, sheet.choices
    are_names = all(names) and len({name.casefold() for name in names}) == len(names)
    is_chosen = choices.types or choices.filled_down
    if raw.rows <= SEARCHED_ROWS or len(names) > STORED_COLUMNS or not are_names or is_chosen:
        return None
    assert sheet.raw.plain is not None
    rows = [[as_text(cell) for cell in row] for row in sheet.head[heading.body :]]
    rows += _rows_elsewhere(sheet.raw.plain)
    rows = [row for row in rows if len(row) == len(names)]
    return expect_types(raw, names, rows, sheet.raw.decimal)


def _rows_elsewhere(plain: PlainText) -> Iterator[list[str]]:
    """Yield rows from places all over a file, its last ones among them."""
    size = plain.file.stat().st_size
    with plain.file.open("rb") as opened:
        for number in range(1, LOOKS + 1):
            opened.seek(max(0, size * number // LOOKS - LOOK_BYTES))
            text = opened.read(LOOK_BYTES).decode(plain.encoding, "replace")
            lines = text.split(plain.newline)[1:]
            whole = lines if number == LOOKS else lines[:-1]
            with suppress(csv.Error):
                yield from csv.reader(whole, delimiter=plain.delimiter)


def load_arrow(raw: RawTable, sheet: RawSheet, heading: Heading) -> bool:
    """Load the rows under the header as Arrow columns; return False, and no rows, if not exact."""
    assert sheet.columns is not None
    if not all(isinstance(cell, str) or is_blank(cell) for cell in _header(sheet, heading)):
        return False
    stream = sheet.columns(sheet.first_row + heading.body)
    if stream is None:
        return False
    db = raw.db
    db.register("workbook", stream)
    try:
        described = db.execute("DESCRIBE FROM workbook").fetchall()
        column_kinds = [_COLUMN_KINDS.get(sql_type) for _name, sql_type, *_more in described]
        selected = [
            _selected(name, sql_type, position)
            for position, (name, sql_type, *_more) in enumerate(described)
        ]
        db.execute(f"CREATE TABLE raw AS SELECT {', '.join(selected)} FROM workbook")
    except duckdb.Error:
        db.execute("DROP TABLE IF EXISTS raw")
        return False
    finally:
        db.unregister("workbook")
    known = [
        _column_kind(form, sql_type)
        for form, (_n, sql_type, *_more) in zip(column_kinds, described, strict=True)
    ]
    if None in known or not _is_exact(raw, known, sheet, heading):
        db.execute("DROP TABLE raw")
        return False
    raw.column_kinds = [form or "" for form in known]
    (raw.rows,) = _aggregate(db, "count(*)")
    return True


def with_dates(
    raw: RawTable, rows: Sequence[Sequence[Value]], heading: Heading
) -> Sequence[Sequence[Value]]:
    """Return the first rows with dates where the reader of the head has numbers only."""
    timestamps = [place for place, form in enumerate(raw.column_kinds) if form in _DATE_KINDS]
    if not timestamps:
        return rows
    selected = ", ".join(f"c{place}" for place in timestamps)
    count = max(0, len(rows) - heading.body)
    found = raw.db.execute(f"SELECT {selected} FROM raw ORDER BY rowid LIMIT {count}").fetchall()
    known: list[list[Value]] = [[*row] for row in rows]
    for row, values in zip(known[heading.body :], found, strict=False):
        for place, value in zip(timestamps, values, strict=True):
            if value is not None:
                is_day = isinstance(value, datetime) and value.time() == time()
                row[place] = value.date() if is_day else value
    return known


def _column_kind(form: ColumnKind | None, sql_type: str) -> ColumnKind | None:
    return "" if sql_type in ('"NULL"', "NULL", "INTEGER") and form is None else form


def _selected(name: str, sql_type: str, position: int) -> str:
    column = quoted(name)
    form = _COLUMN_KINDS.get(sql_type)
    if form == "datetime":
        column = f"CAST({column} AS TIMESTAMP)"
    elif form == "number":
        column = f"CAST({column} AS DOUBLE)"
    elif form is None:
        column = f"CAST({column} AS VARCHAR)"
    return f"{column} AS c{position}"


def _is_exact(
    raw: RawTable, column_kinds: Sequence[ColumnKind | None], sheet: RawSheet, heading: Heading
) -> bool:
    """Return whether no text was a value before, and no date a time of day."""
    checks = ["true"]
    for position, form in enumerate(column_kinds):
        column = f"c{position}"
        if form == "text":
            checks.append(f"NOT coalesce(bool_or({_AMBIGUOUS_TEXT.format(column)}), false)")
        elif form == "datetime":
            checks.append(f"coalesce(min({column}) >= {EARLIEST}, true)")
        elif form == "":
            checks.append(f"count({column}) = 0")
    (is_exact,) = _aggregate(raw.db, " AND ".join(checks))
    return bool(is_exact) and _begins_alike(raw, sheet, heading)


def _begins_alike(raw: RawTable, sheet: RawSheet, heading: Heading) -> bool:
    """Return whether the first rows are those that stand in the file."""
    assert sheet.head is not None
    expected = sheet.head[heading.body : heading.body + COMPARED_ROWS]
    rows = raw.db.execute(f"FROM raw ORDER BY rowid LIMIT {COMPARED_ROWS}").fetchall()
    if len(rows) < len(expected):
        return False
    return all(
        all(_is_alike(cell, found) for cell, found in _paired(wanted, row))
        for wanted, row in zip(expected, rows, strict=False)
    )


def _paired(wanted: Sequence[Value], row: Sequence[object]) -> list[tuple[Value, object]]:
    width = max(len(wanted), len(row))
    cells = [*wanted, *[None] * (width - len(wanted))]
    found = [*row, *[None] * (width - len(row))]
    return list(zip(cells, found, strict=True))


def _is_alike(cell: Value, found: object) -> bool:
    """Compare a cell of the head with the loaded one; a date is a number in the head."""
    if is_blank(cell):
        return found is None or (isinstance(found, str) and not found.strip())
    if isinstance(found, date | datetime | time):
        return isinstance(cell, int | float)
    return cell == found


def _header(sheet: RawSheet, heading: Heading) -> list[Value]:
    assert sheet.head is not None
    if heading.header is None:
        return []
    rows = sheet.head[heading.header : heading.header + heading.header_rows]
    return [cell for row in rows for cell in row]


def _aggregate(db: duckdb.DuckDBPyConnection, selected: str) -> tuple[int, ...]:
    row = db.execute(f"SELECT {selected} FROM raw").fetchone()
    assert row is not None
    return row
