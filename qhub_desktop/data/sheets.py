"""One sheet of a file into a database of its own, with the receipt of every row."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

import duckdb

from qhub_desktop.core.dataset import (
    DatasetProfile,
    Finding,
    ImportChoices,
    ImportReport,
    SetApart,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data import doubts, profiling, structure
from qhub_desktop.data.asking import figures
from qhub_desktop.data.columnar import load_columns, with_moments
from qhub_desktop.data.columns import literal, quoted
from qhub_desktop.data.deciding import LISTED, Decided, decide
from qhub_desktop.data.filling import Uneven, fill, filled_down, range_address
from qhub_desktop.data.formats.sheet import Merge, RawSheet, Source, Value, address
from qhub_desktop.data.heading import HEAD_ROWS, Heading, find_heading, names_of
from qhub_desktop.data.keeping import ROWS_FILE, id_of
from qhub_desktop.data.naming import dataset_name
from qhub_desktop.data.plain import load_plain
from qhub_desktop.data.raw import RawTable, as_text, is_blank

SPILL = "spill"
WIDE_COLUMNS = 400
# A column of text takes 14 MB of addresses while it is made, however few rows it has: a hundred at
# once took all there are. In parts every cell is written twice, so few columns stay together.
MADE_AT_ONCE = 50
PART_COLUMNS = 25
SHOWN_ROWS = 40  # of the head, for the person to choose the header in
TEXT_CHARACTERS = 200
# How far an import is when the rows are read, and when their types are known.
READ_SHARE = 0.6
DECIDED_SHARE = 0.85
# Rows stored together. A quarter of the database's usual: two threads share a million rows evenly,
# and write them a fifth quicker.
GROUPS = "(ROW_GROUP_SIZE 30720)"
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "600MB",  # it takes twice as much of the 2 GB of addresses that a child has
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
}

Row = Sequence[Value]
Head = tuple[tuple[str, ...], ...]


@dataclass
class Sheet:
    """A sheet about to be read, with what was decided about it.

    The first rows are looked at before the others: `head` takes them from the reader once.
    """

    raw: RawSheet
    source: Source
    format: str
    sheets: tuple[str, ...]
    sha256: str
    choices: ImportChoices
    _head: list[Row] | None = field(default=None, init=False)

    @property
    def head(self) -> list[Row]:
        """The first rows, as they stand."""
        if self._head is None:
            self._head = (
                [*self.raw.head]
                if self.raw.head is not None
                else [*islice(self.raw.rows, HEAD_ROWS)]
            )
        return self._head

    def rows(self) -> Iterator[Row]:
        """Every row, from the first. To be asked for once."""
        if self.raw.head is not None:
            return self.raw.rows
        return chain(self.head, self.raw.rows)

    def read_carefully(self) -> "Sheet":
        """The same sheet without its quicker way."""
        raw = replace(self.raw, head=None, columns=None)
        careful = Sheet(raw, self.source, self.format, self.sheets, self.sha256, self.choices)
        if careful.head and raw.corner is not None:
            row, column = raw.corner()
            careful.raw = replace(raw, first_row=row, first_column=column)
        return careful

    def tell(self, text: str, share: float | None) -> None:
        """Say how far this sheet is, as a share of the whole file."""
        count = max(1, len(self.sheets))
        whole = None if share is None else (self.raw.number - 1 + share) / count
        self.source.tell(text, whole)


def read_sheet(sheet: Sheet, folder: Path) -> tuple[DatasetProfile, Head] | None:
    """Store one sheet under `folder`; nothing if it is empty."""
    if not any(not is_blank(cell) for row in sheet.head for cell in row):
        # A sheet may begin with many blank rows, of which the head shows only the first.
        found = _without_blank_head(sheet)
        if found is None:
            return None
        sheet = found
    id_ = id_of(sheet.sha256, sheet.raw.number, sheet.choices)
    target = folder / id_
    target.mkdir()
    # The raw cells live in memory, and spill to this folder where there are too many of them.
    with duckdb.connect(":memory:", config={**LIMITS, "temp_directory": str(target / SPILL)}) as db:
        if max(map(len, sheet.head)) > WIDE_COLUMNS:
            db.execute("SET threads = 1")  # each thread holds 32 KB of every column
        reading = _Reading(db, sheet)
        profile = reading.store(id_, target)
        head = reading.shown_head()
    shutil.rmtree(target / SPILL, ignore_errors=True)
    return profile, head


def _without_blank_head(sheet: Sheet) -> Sheet | None:
    skipped = 0
    for row in sheet.rows():
        if all(map(is_blank, row)):
            skipped += 1
            continue
        rest = chain([row], sheet.raw.rows)
        corner = sheet.raw.corner
        first, left = corner() if corner else (sheet.raw.first_row, sheet.raw.first_column)
        raw = replace(
            sheet.raw,
            rows=rest,
            head=None,
            first_row=first + skipped,
            first_column=left,
            plain=None,
            columns=None,
        )
        return Sheet(raw, sheet.source, sheet.format, sheet.sheets, sheet.sha256, sheet.choices)
    return None


class _Reading:
    """The way of one sheet from cells to a stored table."""

    def __init__(self, db: duckdb.DuckDBPyConnection, sheet: Sheet) -> None:
        self._db = db
        self._sheet = sheet
        self._heading = _heading_of(sheet)
        self._first_row = sheet.raw.first_row + self._heading.body
        self._table = RawTable(db, self._first_row, sheet.raw.first_column)
        self._filled: list[Merge] = []
        self._is_columnar = False

    def store(self, id_: str, folder: Path) -> DatasetProfile:
        """Read, set apart, decide, keep."""
        sheet, raw, heading = self._sheet, self._sheet.raw, self._heading
        uneven = self._load()
        apart = (*self._above(), *structure.set_apart(self._table, heading.names))
        self._account(apart)
        sheet.tell(_("Working out what each column is"), READ_SHARE)
        positions = self._worth_keeping()
        names, renamed = names_of(
            heading.names,
            positions,
            row=None if heading.header is None else raw.first_row + self._last_header_row(),
            first_column=raw.first_column,
        )
        decided, errors = decide(
            self._table,
            names,
            positions=positions,
            decimal=raw.decimal,
            is_text=raw.is_text,
            chosen=dict(sheet.choices.types),
        )
        rows = self._keep(decided, names, folder / ROWS_FILE)
        sheet.tell(_("Counting"), DECIDED_SHARE)
        columns = profiling.profile_columns(self._db, "kept.rows")
        preview = profiling.preview(self._db, "kept.rows", columns)
        duplicates = profiling.duplicate_rows(self._db, "kept.rows", columns)
        self._db.execute("DETACH kept")
        blank_columns = self._blank_columns(positions)
        report = self._report(
            rows,
            apart,
            repaired=(
                *raw.repaired,
                *renamed,
                *blank_columns,
                *self._merged(),
                *errors,
                *self._shorter(uneven, apart),
                *(finding for each in decided for finding in each.repaired),
            ),
            doubtful=(
                *raw.doubtful,
                *heading.findings,
                *self._longer(uneven, apart),
                *(finding for each in decided for finding in each.doubtful),
                *([] if rows else [doubts.no_rows()]),
            ),
        )
        return DatasetProfile(
            id=id_,
            dataset=dataset_name(Path(sheet.source.name).stem, sheet=raw.name, number=raw.number),
            file=sheet.source.name,
            sheet=raw.name,
            sheets=sheet.sheets,
            rows=rows,
            sha256=sheet.sha256,
            columns=columns,
            preview=preview,
            warnings=sentences(report),
            report=report,
            duplicate_rows=duplicates,
        )

    def shown_head(self) -> Head:
        """The first rows as they stand in the file, once everything is stored."""
        raw, rows = self._sheet.raw, self._sheet.head
        shown = with_moments(self._table, rows, self._heading) if self._is_columnar else rows
        blank: Head = ((),) * min(raw.first_row, SHOWN_ROWS)
        lead = ("",) * raw.first_column
        return (*blank, *((*lead, *map(_cell_text, row)) for row in shown))[:SHOWN_ROWS]

    def _load(self) -> Uneven:
        raw, sheet, heading = self._sheet.raw, self._sheet, self._heading
        what = raw.name or sheet.source.name
        if raw.plain is not None:
            sheet.tell(_rows_of(what, max(0, (raw.plain.lines or 0) - heading.body)), 0)
            if load_plain(self._table, raw.plain, heading, sheet.head, sheet.source.folder):
                return Uneven()
        if raw.columns is not None:
            sheet.tell(what, 0)
            if load_columns(self._table, raw, heading):
                self._is_columnar = True
                return Uneven()
            self._begin_again()
            raw, sheet, heading = self._sheet.raw, self._sheet, self._heading
        rows = islice(sheet.rows(), heading.body, None)
        return fill(
            self._table,
            filled_down(rows, raw.merges, first=heading.body, filled=self._filled),
            width=len(heading.names) or max(map(len, sheet.head[heading.body :]), default=0),
            sheet=raw,
            name=sheet.source.name,
            on_chunk=lambda count: sheet.tell(_rows_of(what, count), READ_SHARE * raw.done()),
        )

    def _begin_again(self) -> None:
        """Take the first rows from the careful reader, which knows merged cells and dates."""
        self._sheet = self._sheet.read_carefully()
        self._heading = _heading_of(self._sheet)
        self._first_row = self._sheet.raw.first_row + self._heading.body
        self._table = RawTable(self._db, self._first_row, self._sheet.raw.first_column)

    def _last_header_row(self) -> int:
        assert self._heading.header is not None
        return self._heading.header + self._heading.header_rows - 1

    def _above(self) -> list[SetApart]:
        """The rows over the header."""
        first = self._sheet.raw.first_row
        above: list[SetApart] = [
            SetApart("title", first + place + 1, first + place + 1, _words(self._sheet.head[place]))
            for place in self._heading.titles
        ]
        above += [
            SetApart("blank", first + place + 1, first + place + 1)
            for place in self._heading.blanks
        ]
        return sorted(above, key=lambda each: each.row)

    def _account(self, apart: Sequence[SetApart]) -> None:
        """Refuse to go on unless every row of the file is where it should be."""
        (kept,) = self._one("SELECT count(*) FROM body")
        (stored,) = self._one("SELECT count(*) FROM raw")
        below = sum(each.last_row - each.row + 1 for each in apart if each.row > self._first_row)
        if stored != self._table.rows or kept + below != stored:
            raise UserError(
                _("Some rows of {file} were lost while reading, so it was not used.").format(
                    file=self._sheet.source.name
                )
            )

    def _keep(self, decided: Sequence[Decided], names: Sequence[str], target: Path) -> int:
        """Make the typed table, some columns at a time: each holds memory for all of its steps."""
        selected = [
            f"{each.expression} AS {quoted(name)}"
            for each, name in zip(decided, names, strict=True)
        ]
        size = MADE_AT_ONCE if len(selected) <= MADE_AT_ONCE else PART_COLUMNS
        parts = [selected[start : start + size] for start in range(0, len(selected), size)]
        self._db.execute(f"ATTACH {literal(str(target))} AS kept {GROUPS}")
        if len(parts) == 1:
            self._db.execute(f"CREATE TABLE kept.rows AS SELECT {', '.join(selected)} FROM body")
        else:
            for number, part in enumerate(parts):
                self._db.execute(f"CREATE TABLE part{number} AS SELECT {', '.join(part)} FROM body")
            joined = " POSITIONAL JOIN ".join(f"part{number}" for number in range(len(parts)))
            self._db.execute(f"CREATE TABLE kept.rows AS SELECT * FROM {joined}")
        (rows,) = self._one("SELECT count(*) FROM kept.rows")
        return rows

    def _worth_keeping(self) -> list[int]:
        """The columns that have a name or at least one value; one at least."""
        names, forms = self._heading.names, self._table.forms
        unnamed = [
            position
            for position in range(self._table.width)
            if position >= len(names) or not names[position]
        ]
        if not unnamed:
            return list(range(self._table.width))
        counted = figures(
            self._db,
            [
                f"count(*) FILTER (NOT ({structure.is_blank_sql(position, forms[position])}))"
                for position in unnamed
            ],
            "body",
        )
        empty = {position for position, count in zip(unnamed, counted, strict=True) if not count}
        return [position for position in range(self._table.width) if position not in empty] or [0]

    def _blank_columns(self, positions: Sequence[int]) -> list[Finding]:
        """Empty columns between, or before, those that hold something."""
        column = self._sheet.raw.first_column
        missing = [place for place in range(max(positions)) if place not in set(positions)]
        if not missing:
            return []
        letters = [address(0, column + place)[:-1] for place in missing]
        return [
            Finding(
                "blank_columns",
                ngettext(
                    "{count} blank column was left out: {columns}.",
                    "{count} blank columns were left out: {columns}.",
                    len(missing),
                ).format(count=len(missing), columns=", ".join(letters[:LISTED])),
                len(missing),
                tuple(letters[:LISTED]),
            )
        ]

    def _merged(self) -> list[Finding]:
        if not self._filled:
            return []
        raw = self._sheet.raw
        cells = tuple(
            range_address(merge, first_row=raw.first_row, first_column=raw.first_column)
            for merge in self._filled[:LISTED]
        )
        return [doubts.merged_filled(len(self._filled), cells)]

    def _shorter(self, uneven: Uneven, apart: Sequence[SetApart]) -> list[Finding]:
        places = self._but_apart(uneven.shorter, apart)
        return [doubts.shorter_rows(len(places), self._rows_at(places))] if places else []

    def _longer(self, uneven: Uneven, apart: Sequence[SetApart]) -> list[Finding]:
        places = self._but_apart(uneven.longer, apart)
        return [doubts.longer_rows(len(places), self._rows_at(places))] if places else []

    def _but_apart(self, places: Sequence[int], apart: Sequence[SetApart]) -> list[int]:
        gone = {row for each in apart for row in range(each.row, each.last_row + 1)}
        return [place for place in places if self._first_row + place + 1 not in gone]

    def _rows_at(self, places: Sequence[int]) -> tuple[str, ...]:
        return tuple(
            address(self._first_row + place, self._sheet.raw.first_column)
            for place in places[:LISTED]
        )

    def _report(
        self,
        rows: int,
        apart: tuple[SetApart, ...],
        *,
        repaired: tuple[Finding, ...],
        doubtful: tuple[Finding, ...],
    ) -> ImportReport:
        raw, heading = self._sheet.raw, self._heading
        # Where the format itself knows the names, they are no row of the file.
        header_rows = 0 if raw.has_names else heading.header_rows
        present = heading.body + self._table.rows - (heading.header_rows - header_rows)
        header_row = None
        if header_rows:
            header_row = raw.first_row + self._last_header_row() + 1
        report = ImportReport(
            format=self._sheet.format,
            rows_present=present,
            rows_read=rows,
            encoding=raw.encoding,
            separator=raw.separator,
            decimal=raw.decimal if raw.is_text else None,
            header_row=header_row,
            header_rows=header_rows,
            set_apart=apart,
            repaired=repaired,
            doubtful=doubtful,
            choices=self._sheet.choices,
        )
        if present != rows + report.header_rows + report.rows_apart:
            raise UserError(
                _("Some rows of {file} were lost while reading, so it was not used.").format(
                    file=self._sheet.source.name
                )
            )
        return report

    def _one(self, sql: str) -> tuple[int, ...]:
        row = self._db.execute(sql).fetchone()
        assert row is not None
        return row


def _heading_of(sheet: Sheet) -> Heading:
    chosen = sheet.choices.header_row
    if chosen is not None and chosen > 0:
        chosen = max(0, chosen - 1 - sheet.raw.first_row)
    elif chosen == 0:
        chosen = -1
    return find_heading(
        sheet.head, merges=sheet.raw.merges, chosen=chosen, has_names=sheet.raw.has_names
    )


def sentences(report: ImportReport) -> tuple[str, ...]:
    """The report as the sentences that a person or a model is told."""
    said: list[str] = []
    for kind in ("title", "total", "note", "repeated_header", "blank"):
        found = [each for each in report.set_apart if each.kind == kind]
        count = sum(each.last_row - each.row + 1 for each in found)
        if count:
            said.append(_apart_sentence(kind, count, found))
    said += [finding.text for finding in (*report.repaired, *report.doubtful)]
    return tuple(said)


def _apart_sentence(kind: str, count: int, found: Sequence[SetApart]) -> str:
    texts = " / ".join(each.text for each in found if each.text)[:TEXT_CHARACTERS]
    counted = number(count, digits=0)
    match kind:
        case "title":
            words = ngettext(
                "{count} title row above the header is not part of the data: {texts}",
                "{count} title rows above the header are not part of the data: {texts}",
                count,
            )
        case "total":
            words = ngettext(
                "{count} row with totals is not part of the data: {texts}",
                "{count} rows with totals are not part of the data: {texts}",
                count,
            )
        case "note":
            words = ngettext(
                "{count} row with a note below the table is not part of the data: {texts}",
                "{count} rows with notes below the table are not part of the data: {texts}",
                count,
            )
        case "repeated_header":
            words = ngettext(
                "The header is repeated in {count} row, which is not part of the data.",
                "The header is repeated in {count} rows, which are not part of the data.",
                count,
            )
        case _:
            words = ngettext(
                "{count} blank row was left out.", "{count} blank rows were left out.", count
            )
    return words.format(count=counted, texts=texts)


def _cell_text(cell: Value) -> str:
    return as_text(cell)[:TEXT_CHARACTERS]


def _words(row: Row) -> str:
    return " ".join(filter(None, (as_text(cell).strip() for cell in row)))[:TEXT_CHARACTERS]


def _rows_of(what: str, count: int) -> str:
    words = ngettext("{what}: {count} row", "{what}: {count} rows", count)
    return words.format(what=what, count=number(count, digits=0))
