"""A file written and opened by the reader of its kind, before anything is decided about it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from qhub_desktop.data.ingest.readers.catalogue import format_of
from qhub_desktop.data.ingest.readers.sheet import InputFile, RawSheet, Value


@dataclass(frozen=True)
class Given:
    """A sheet with its rows read, and what is said of it then."""

    sheet: RawSheet
    rows: list[list[Value]]
    format: str
    names: tuple[str, ...]

    @property
    def said(self) -> list[str]:
        return [each.kind for each in (*self.sheet.repaired, *self.sheet.doubtful)]

    @property
    def merges(self) -> list[tuple[int, int, int, int]]:
        return [
            (each.row, each.column, each.last_row, each.last_column) for each in self.sheet.merges
        ]


Give = Callable[..., list[Given]]


@pytest.fixture
def give(tmp_path: Path) -> Give:
    """Write bytes under a name, and read every sheet of them."""

    def give_all(name: str, content: bytes, *, password: str | None = None) -> list[Given]:
        file = tmp_path / name
        file.write_bytes(content)
        source = InputFile(file, name, password=password, folder=tmp_path / "unpacked")
        reader = format_of(source)
        opened = reader.open(source)
        return [
            Given(sheet, [list(row) for row in sheet.rows], reader.name, opened.sheets)
            for sheet in opened.read
        ]

    return give_all
