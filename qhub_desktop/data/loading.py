"""The rows of a sheet into the table `raw`, by the quickest way that loses nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import duckdb

from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.columnar import load_columns, with_moments
from qhub_desktop.data.filling import Uneven, fill, filled_down
from qhub_desktop.data.formats.sheet import Merge, Value
from qhub_desktop.data.heading import Heading
from qhub_desktop.data.incoming import Sheet
from qhub_desktop.data.plain import load_plain
from qhub_desktop.data.raw import RawTable, as_text

READ_SHARE = 0.6  # how far an import is when the rows are read
SHOWN_ROWS = 40  # of the head, for the person to choose the header in
TEXT_CHARACTERS = 200

Head = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A sheet whose rows below its heading stand in `table`."""

    sheet: Sheet
    heading: Heading
    table: RawTable
    uneven: Uneven = field(default_factory=Uneven)
    filled: Sequence[Merge] = ()  # the merged ranges that were filled down
    is_columnar: bool = False

    @property
    def header_row(self) -> int | None:
        """Where in the file the last row of the header stands, from 0, if there is one."""
        if self.heading.header is None:
            return None
        return self.sheet.raw.first_row + self.heading.header + self.heading.header_rows - 1

    def shown_head(self) -> Head:
        """The first rows as they stand in the file."""
        raw, rows = self.sheet.raw, self.sheet.head
        shown = with_moments(self.table, rows, self.heading) if self.is_columnar else rows
        blank: Head = ((),) * min(raw.first_row, SHOWN_ROWS)
        lead = ("",) * raw.first_column
        return (*blank, *((*lead, *map(_cell_text, row)) for row in shown))[:SHOWN_ROWS]


def load(db: duckdb.DuckDBPyConnection, sheet: Sheet) -> Loaded:
    """Read every row."""
    begun = _begun(db, sheet)
    raw, heading, what = sheet.raw, begun.heading, _name_of(sheet)
    if raw.plain is not None:
        sheet.tell(_rows_of(what, max(0, (raw.plain.lines or 0) - heading.body)), 0)
        if load_plain(begun.table, raw.plain, heading, sheet.head, sheet.source.folder):
            return begun
    if raw.columns is not None:
        sheet.tell(what, 0)
        if load_columns(begun.table, raw, heading):
            return replace(begun, is_columnar=True)
        # The first rows are the careful reader's now, which knows merged cells and dates.
        begun = _begun(db, sheet.read_carefully())
    return _loaded_by_row(begun)


def _begun(db: duckdb.DuckDBPyConnection, sheet: Sheet) -> Loaded:
    heading = sheet.heading()
    table = RawTable(db, sheet.raw.first_row + heading.body, sheet.raw.first_column)
    return Loaded(sheet, heading, table)


def _loaded_by_row(begun: Loaded) -> Loaded:
    sheet, heading, raw = begun.sheet, begun.heading, begun.sheet.raw
    what = _name_of(sheet)
    filled: list[Merge] = []
    uneven = fill(
        begun.table,
        filled_down(
            islice(sheet.rows(), heading.body, None),
            raw.merges,
            first=heading.body,
            filled=filled,
        ),
        width=len(heading.names) or max(map(len, sheet.head[heading.body :]), default=0),
        sheet=raw,
        name=sheet.source.name,
        on_chunk=lambda count: sheet.tell(_rows_of(what, count), READ_SHARE * raw.done()),
    )
    return replace(begun, uneven=uneven, filled=filled)


def _name_of(sheet: Sheet) -> str:
    return sheet.raw.name or sheet.source.name


def _rows_of(what: str, count: int) -> str:
    words = ngettext("{what}: {count} row", "{what}: {count} rows", count)
    return words.format(what=what, count=number(count, digits=0))


def _cell_text(cell: Value) -> str:
    return as_text(cell)[:TEXT_CHARACTERS]
