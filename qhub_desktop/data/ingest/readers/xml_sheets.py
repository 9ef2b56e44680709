"""Spreadsheets in XML: large documents parsed in chunks, and sheets built from their cells."""

import math
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import IO, Protocol
from xml.parsers import expat

from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import (
    Decimal,
    InputFile,
    RawSheet,
    Value,
    address,
    merges_within,
    uncalculated_finding,
)

CHUNK_BYTES = 2**18

Open = Callable[[], AbstractContextManager[IO[bytes]]]

VALUES_LIMIT = 15_000_000  # in one sheet: about 1 GB of memory


class XmlHandler(Protocol):
    """A receiver of a document's elements. Names are '<namespace> <local name>'."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        ...

    def end(self, name: str) -> None:
        """Handle the end of an element."""
        ...

    def text(self, text: str) -> None:
        """Handle text between elements, perhaps not all of it."""
        ...


def read_xml(source: InputFile, opened: Open, elements: XmlHandler) -> Iterator[int]:
    """Parse XML in chunks into `elements`; yield the number of bytes read so far after each."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = elements.start
    parser.EndElementHandler = elements.end
    parser.CharacterDataHandler = elements.text
    parser.StartDoctypeDeclHandler = lambda *_declared: _refuse(source)
    size = 0
    try:
        with opened() as stream:
            while chunk := stream.read(CHUNK_BYTES):
                parser.Parse(chunk, False)  # noqa: FBT003  positional only
                size += len(chunk)
                yield size
            parser.Parse(b"", True)  # noqa: FBT003  positional only
    except (
        EOFError,
        NotImplementedError,
        expat.ExpatError,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,  # a declared encoding that does not exist
    ) as error:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error


def attribute_values(source: InputFile, opened: Open, element: str, attribute: str) -> list[str]:
    """Return the values of one attribute of all elements of one name, in order."""
    names = _AttributeCollector(element, attribute)
    for _size in read_xml(source, opened, names):
        pass
    return names.found


class _AttributeCollector:
    def __init__(self, element: str, attribute: str) -> None:
        self._element = element
        self._attribute = attribute
        self.found: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._element:
            self.found.append(attributes.get(self._attribute, ""))

    def end(self, name: str) -> None:
        """Ignore the end of an element."""

    def text(self, text: str) -> None:
        """Ignore text."""


def _refuse(source: InputFile) -> None:
    raise rejection.refusal(source, rejection.UNSAFE, rejection.FROM_SOURCE)


def finite(text: str) -> float:
    """Return the number that a text stands for. Raises ValueError for infinities and NaN."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


@dataclass
class SheetBuilder:
    """A sheet under construction from XML; rows and columns count from 0.

    Blank cells before a far one cost no memory.
    """

    source: InputFile
    name: str
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)
    uncalculated: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows: list[list[Value]] = []  # from the first one that holds something
        self._first_row = -1
        self._width = 0
        self._value_count = 0
        self._yielded = 0
        self._height = 1

    def add_row(self, row: int, cells: list[Value], *, times: int = 1) -> None:
        """Add a row that holds something at its place, as often as it repeats."""
        if self._first_row < 0:
            self._first_row = row
        self._width = max(self._width, len(cells))
        self._value_count += times * (len(cells) - cells.count(None))
        self._height = row + times - self._first_row
        rejection.check_range(
            self.source,
            self.name,
            rows=self._height,
            columns=self._width,
            corner=address(row + times - 1, self._width - 1),
            values=self._value_count,
        )
        if self._value_count > VALUES_LIMIT:
            raise rejection.refusal(self.source, rejection.TOO_LONG, rejection.AS_TEXT)
        self._rows.extend([[]] * (row - self._first_row - len(self._rows)))
        self._rows.extend([cells] * times)

    def times_to_durations(self, columns: Iterable[int]) -> None:
        """Convert the times of day in these columns to durations."""
        for column in columns:
            for row in self._rows:
                if column < len(row) and isinstance(clock := row[column], time):
                    row[column] = datetime.combine(date.min, clock) - datetime.combine(
                        date.min, time()
                    )

    def to_raw_sheet(
        self, number: int, *, is_text: bool = False, decimal: Decimal = "."
    ) -> RawSheet | None:
        """Return the sheet, or None if no cell of it holds anything."""
        if self._first_row < 0:
            return None
        return RawSheet(
            name=self.name,
            number=number,
            rows=self._yield_rows(),
            is_text=is_text,
            decimal=decimal,
            first_row=self._first_row,
            merges=merges_within(self.merges, self._first_row, 0),
            doubtful=uncalculated_finding(self.uncalculated),
            share_read=lambda: self._yielded / self._height,
        )

    def _yield_rows(self) -> Iterator[list[Value]]:
        for row in self._rows:
            self._yielded += 1
            yield row
