"""What a look at a sheet's own records finds, and calamine does not tell: errors above all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import python_calamine as calamine

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import ngettext
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import (
    CellError,
    InputFile,
    Merge,
    RawSheet,
    Value,
    address,
)

ADDRESSES = 20  # named in a finding
# The errors of Excel's binary formats, by their codes.
ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


def cell_error_of(code: int) -> CellError:
    """The error of that code."""
    return CellError(ERRORS.get(code, "#ERROR!"))


@dataclass
class Look:
    """One sheet; rows and columns count from 0, from the sheet's own corner."""

    flaws: dict[int, dict[int, CellError]] = field(default_factory=dict)  # by row, then column
    uncalculated: list[tuple[int, int]] = field(default_factory=list)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    results: int = 0  # formulas with a result
    values: int = 0  # cells that hold something
    first_row: int = 2**32
    last_row: int = -1
    first_column: int = 2**32
    last_column: int = -1

    def note_cell(self, row: int, column: int) -> None:
        """Take the place of a cell that holds something into account."""
        self.values += 1
        if row < self.first_row:
            self.first_row = row
        if row > self.last_row:
            self.last_row = row
        if column < self.first_column:
            self.first_column = column
        if column > self.last_column:
            self.last_column = column

    def note_flaw(self, row: int, column: int, code: int) -> None:
        """Remember an error's place."""
        self.flaws.setdefault(row, {})[column] = cell_error_of(code)

    def check(self, source: InputFile, sheet: str) -> None:
        """Refuse a used range that no reader could lay out."""
        if self.values:
            rejection.check_range(
                source,
                sheet,
                rows=self.last_row - self.first_row + 1,
                columns=self.last_column - self.first_column + 1,
                corner=address(self.last_row, self.last_column),
                values=self.values,
            )


def merges_within(
    ranges: Sequence[tuple[int, int, int, int]], first_row: int, first_column: int
) -> tuple[Merge, ...]:
    """Merged ranges counted from the corner of the sheet's rows; those outside hold nothing."""
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


def uncalculated(places: Sequence[tuple[int, int]]) -> list[Finding]:
    """What to say of formulas that hold no result; nothing where there are none."""
    if not places:
        return []
    count = len(places)
    cells = tuple(address(row, column) for row, column in places[:ADDRESSES])
    return [
        Finding(
            kind="formula_uncalculated",
            text=ngettext(
                "{count} formula was never calculated and is read as missing."
                " Open the file in Excel, save it, and drop it again.",
                "{count} formulas were never calculated and are read as missing."
                " Open the file in Excel, save it, and drop it again.",
                count,
            ).format(count=count),
            count=count,
            cells=cells,
        )
    ]


class Mended:
    """The rows of one sheet as calamine has them, with errors put back, and how many were read."""

    def __init__(self, sheet: calamine.CalamineSheet, look: Look) -> None:
        self._sheet = sheet
        self._look = look
        self._read = 0
        self._height = 1

    def share(self) -> float:
        """The part of the sheet that was read."""
        return min(1.0, self._read / self._height)

    def as_sheet(self, name: str, number: int) -> RawSheet | None:
        """The sheet; nothing if no cell of it holds anything."""
        start, end = self._sheet.start, self._sheet.end
        corners = [start[0]] if start else []
        columns = [start[1]] if start else []
        if self._look.flaws:
            corners.append(min(self._look.flaws))
            columns.append(min(min(cells) for cells in self._look.flaws.values()))
        if not corners:
            return None
        first_row, first_column = min(corners), min(columns)
        last_row = max(end[0] if end else 0, max(self._look.flaws, default=0))
        self._height = last_row - first_row + 1
        return RawSheet(
            name=name,
            number=number,
            rows=self._rows(first_row, first_column, last_row),
            is_text=False,
            first_row=first_row,
            first_column=first_column,
            merges=merges_within(self._look.merges, first_row, first_column),
            doubtful=uncalculated(self._look.uncalculated),
            done=self.share,
        )

    def _rows(self, first_row: int, first_column: int, last_row: int) -> Iterator[Sequence[Value]]:
        start = self._sheet.start
        before: list[Value] = [None] * (start[1] - first_column if start else 0)
        rows = islice(self._sheet.iter_rows(), first_row, None)  # which begins with the first row
        for number in range(first_row, last_row + 1):
            self._read = number - first_row + 1
            cells: list[Value] = [
                *before,
                *(None if cell == "" else cell for cell in next(rows, ())),
            ]
            for column, flaw in self._look.flaws.get(number, {}).items():
                place = column - first_column
                cells.extend([None] * (place + 1 - len(cells)))
                cells[place] = flaw
            yield cells
