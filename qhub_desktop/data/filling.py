"""The rows under a header into the raw table, merged ranges filled down, uneven rows noted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.formats.sheet import Merge, RawSheet, Value, address
from qhub_desktop.data.raw import RawTable, is_blank

CHUNK_CELLS = 200_000
CHUNK_ROWS = 20_000
COLUMNS_LIMIT = 2_000  # the database holds 32 KB of every column at every step

Row = Sequence[Value]


@dataclass
class Uneven:
    """Places in the table of rows whose length is not the header's; for texts only."""

    longer: list[int] = field(default_factory=list)
    shorter: list[int] = field(default_factory=list)


def fill(
    raw: RawTable,
    rows: Iterator[Row],
    *,
    width: int,
    sheet: RawSheet,
    name: str,
    on_chunk: Callable[[int], None],
) -> Uneven:
    """Put every row into the table; `width` is how many names there are."""
    uneven = Uneven()
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


def filled_down(
    rows: Iterator[Row], merges: Sequence[Merge], *, first: int, filled: list[Merge]
) -> Iterator[Row]:
    """The rows, of which the first is row `first` of the sheet, with each merged range's value in
    every row that it covers; the ranges that were filled are put into `filled`.
    """
    pending = sorted(
        (merge for merge in merges if merge.last_row > merge.row and merge.row >= first),
        key=lambda merge: merge.row,
        reverse=True,
    )
    active: list[tuple[Merge, Value]] = []
    for number, row in enumerate(rows, start=first):
        if not active and not (pending and pending[-1].row <= number):
            yield row
            continue
        active = [(merge, value) for merge, value in active if merge.last_row >= number]
        cells = [*row]
        for merge, value in active:
            cells += [None] * (merge.column + 1 - len(cells))
            if is_blank(cells[merge.column]):
                cells[merge.column] = value
        while pending and pending[-1].row <= number:
            merge = pending.pop()
            value = cells[merge.column] if merge.column < len(cells) else None
            if not is_blank(value):
                active.append((merge, value))
                filled.append(merge)
        yield cells


def range_address(merge: Merge, *, first_row: int, first_column: int) -> str:
    """A merged range as Excel names it."""
    start = address(first_row + merge.row, first_column + merge.column)
    return f"{start}:{address(first_row + merge.last_row, first_column + merge.last_column)}"


def _note_uneven(uneven: Uneven, chunk: Sequence[Row], start: int, width: int) -> None:
    for place, row in enumerate(chunk, start):
        if len(row) < width:
            uneven.shorter.append(place)
        elif len(row) > width and not all(map(is_blank, row[width:])):
            uneven.longer.append(place)


def _cut(row: Row, width: int) -> Row:
    """A row without the blank cells beyond the header's."""
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
