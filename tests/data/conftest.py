"""A workspace of one's own, and a short way to read one file."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.table import sql_literal
from qhub_desktop.data.ingest.dataset_store import DatasetStore
from qhub_desktop.data.ingest.import_worker import AUTOMATIC, read_into
from qhub_desktop.data.ingest.readers.sheet import Tell
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


def _unheard(_text: str, _share: float | None) -> None:
    """Ignore progress."""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path / "datasets", query_s=10)
    yield opened
    opened.close()


def read_here(
    file: Path, kept: Path, *, choices: ImportChoices = AUTOMATIC, tell: Tell = _unheard
) -> list[Imported]:
    """Read a file in this process: the same code that the child runs."""
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    store = DatasetStore(kept)
    folder = store.begin()
    ids = read_into(file, folder, sha256=sha256, tell=tell, choices=choices)
    store.finish(folder)
    imported = []
    for id_ in ids:
        profile, path = store.profile(id_), store.rows(id_)
        assert profile is not None
        assert path is not None
        imported.append(Imported(profile, _rows(path)))
    return imported


def _rows(path: Path) -> list[tuple[Any, ...]]:
    db = _looking()
    db.execute(f"ATTACH {sql_literal(str(path))} AS looked_at (READ_ONLY)")
    try:
        return db.execute("FROM looked_at.rows").fetchall()
    finally:
        db.execute("DETACH looked_at")


@cache
def _looking() -> duckdb.DuckDBPyConnection:
    """One database for all looks: opening one takes 15 times as long as a look at a small table."""
    return duckdb.connect(":memory:")


def pytest_unconfigure() -> None:
    """Leave nothing of the database to the end of the interpreter."""
    _looking.cache_clear()


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a file in this process."""
    return lambda file: read_here(file, tmp_path / "shelf")
