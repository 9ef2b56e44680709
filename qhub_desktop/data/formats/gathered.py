"""One sheet gathered cell by cell from a format that is read in one go, then given as a whole."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time

from qhub_desktop.data.formats import refused
from qhub_desktop.data.formats.look import merges_within, uncalculated
from qhub_desktop.data.formats.sheet import Decimal, RawSheet, Source, Value, address

VALUES_LIMIT = 15_000_000  # in one sheet: about 1 GB of memory


def finite(text: str) -> float:
    """The number that a text is. Raises ValueError for what no spreadsheet calculates with."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


@dataclass
class Gathered:
    """The cells of a sheet; rows and columns count from 0. A far cell costs no memory here."""

    source: Source
    name: str
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    uncalculated: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows: list[list[Value]] = []  # from the first one that holds something
        self._first_row = -1
        self._width = 0
        self._values = 0
        self._given = 0
        self._height = 1

    def put(self, row: int, cells: list[Value], *, times: int = 1) -> None:
        """Put a row that holds something at its place, as often as it repeats."""
        if self._first_row < 0:
            self._first_row = row
        self._width = max(self._width, len(cells))
        self._values += times * (len(cells) - cells.count(None))
        self._height = row + times - self._first_row
        refused.check_range(
            self.source,
            self.name,
            rows=self._height,
            columns=self._width,
            corner=address(row + times - 1, self._width - 1),
            values=self._values,
        )
        if self._values > VALUES_LIMIT:
            raise refused.refusal(self.source, refused.TOO_LONG, refused.AS_TEXT)
        self._rows.extend([[]] * (row - self._first_row - len(self._rows)))
        self._rows.extend([cells] * times)

    def lengthen(self, columns: Iterable[int]) -> None:
        """Make durations of the times of day in these columns."""
        for column in columns:
            for row in self._rows:
                if column < len(row) and isinstance(clock := row[column], time):
                    row[column] = datetime.combine(date.min, clock) - datetime.combine(
                        date.min, time()
                    )

    def as_sheet(
        self, number: int, *, is_text: bool = False, decimal: Decimal = "."
    ) -> RawSheet | None:
        """The sheet; nothing if no cell of it holds anything."""
        if self._first_row < 0:
            return None
        return RawSheet(
            name=self.name,
            number=number,
            rows=self._all(),
            is_text=is_text,
            decimal=decimal,
            first_row=self._first_row,
            merges=merges_within(self.merges, self._first_row, 0),
            doubtful=uncalculated(self.uncalculated),
            done=lambda: self._given / self._height,
        )

    def _all(self) -> Iterator[list[Value]]:
        for row in self._rows:
            self._given += 1
            yield row
