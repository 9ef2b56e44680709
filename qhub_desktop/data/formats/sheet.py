"""What a file format's reader gives: sheets of cells as they stand in the file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Flaw:
    """A cell that holds an error of the spreadsheet, such as #N/A."""

    name: str


Value = str | int | float | bool | date | datetime | time | timedelta | Flaw | None
Decimal = Literal[".", ","]


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text table without quotation marks: every line is a row, every delimiter parts cells."""

    file: Path
    encoding: str
    delimiter: str
    newline: str
    lines: int


@dataclass(frozen=True, slots=True)
class RawSheet:
    """One sheet, its rows still to be read. Rows and columns count from the sheet's own corner."""

    name: str | None
    number: int  # from 1, by place in the file
    rows: Iterator[Sequence[Value]]
    decimal: Decimal  # what stands before decimals, where the values alone leave it open
    is_text: bool  # cells come without types, as in a text file
    first_column: int = 0  # where in the file the rows' first cell stands
    warnings: tuple[str, ...] = ()
    done: Callable[[], float] = lambda: 0.0  # the share of the sheet read so far
    plain: PlainText | None = None  # the same rows, for a reader that is ten times quicker


@dataclass(frozen=True, slots=True)
class Opened:
    """A file as its reader has opened it."""

    sheets: tuple[str, ...]  # every sheet's name; nothing for formats without sheets
    read: Iterator[RawSheet]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """One kind of file that can be read."""

    name: str
    suffixes: tuple[str, ...]
    open: Callable[[Path], Opened]


def file_format(
    name: str, *, suffixes: tuple[str, ...]
) -> Callable[[Callable[[Path], Opened]], FileFormat]:
    """Declare a function to be the reader of a kind of file."""
    return lambda reader: FileFormat(name, suffixes, reader)
