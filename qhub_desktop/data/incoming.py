"""A sheet about to be read: its rows as its reader gives them, and what was decided about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.data.formats.sheet import RawSheet, Source, Value
from qhub_desktop.data.heading import HEAD_ROWS, Heading, find_heading
from qhub_desktop.data.raw import is_blank

Row = Sequence[Value]


@dataclass
class Sheet:
    """One sheet of a file.

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

    def heading(self) -> Heading:
        """What stands above the first row of values, as found or as chosen."""
        chosen = self.choices.header_row
        if chosen is not None and chosen > 0:
            chosen = max(0, chosen - 1 - self.raw.first_row)
        elif chosen == 0:
            chosen = -1
        return find_heading(
            self.head, merges=self.raw.merges, chosen=chosen, has_names=self.raw.has_names
        )

    def from_first_cell(self) -> "Sheet | None":
        """The same sheet, or nothing if it is empty.

        A sheet may begin with more blank rows than its head shows; it then begins below them.
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
        """The same sheet without its quicker way."""
        raw = replace(self.raw, head=None, columns=None)
        careful = self._with(raw)
        if careful.head and raw.corner is not None:
            row, column = raw.corner()
            careful.raw = replace(raw, first_row=row, first_column=column)
        return careful

    def tell(self, text: str, share: float | None) -> None:
        """Say how far this sheet is, as a share of the whole file."""
        count = max(1, len(self.sheets))
        whole = None if share is None else (self.raw.number - 1 + share) / count
        self.source.tell(text, whole)

    def _with(self, raw: RawSheet) -> "Sheet":
        return Sheet(raw, self.source, self.format, self.sheets, self.sha256, self.choices)
