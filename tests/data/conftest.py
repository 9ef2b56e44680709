"""A workspace of one's own, and a short way to read one file."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from qhub_desktop.core import text
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.data.importing import read_into
from qhub_desktop.data.keeping import Shelf
from qhub_desktop.data.workspace import Workspace


@dataclass(frozen=True)
class Imported:
    """A data set, and every row of it as the database has it."""

    profile: DatasetProfile
    rows: list[tuple[Any, ...]]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.profile.columns]

    @property
    def types(self) -> list[str]:
        return [column.type for column in self.profile.columns]

    @property
    def warned(self) -> str:
        return "\n".join(self.profile.warnings)

    def column(self, name: str) -> list[Any]:
        return [row[self.names.index(name)] for row in self.rows]


Read = Callable[[Path], list[Imported]]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.use("en")
    yield
    text.use("pt")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path / "datasets", query_s=10)
    yield opened
    opened.close()


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a file in this process: the same code that the child runs."""

    def read_here(file: Path) -> list[Imported]:
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        shelf = Shelf(tmp_path / "shelf")
        folder = shelf.begin()
        read_into(file, folder, sha256=sha256, tell=lambda _text, _share: None)
        shelf.finish(folder)
        imported = []
        for profile in shelf.profiles_of(sha256):
            path = shelf.rows(profile.id)
            assert path is not None
            with duckdb.connect(str(path), read_only=True) as db:
                imported.append(Imported(profile, db.execute("FROM rows").fetchall()))
        return imported

    return read_here
