"""Where the nasty files lie, and what makes them."""

import io
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from tests.data.nasty import dialects, formats, headers, hostile, structure, values, workbooks
from tests.data.nasty.truth import Case

FILES = Path(__file__).parent / "files"
TRUTH = Path(__file__).parent / "truth"


def all_cases() -> Iterator[Case]:
    """Every file, made anew."""
    for module in (structure, headers, dialects, values, workbooks, formats, hostile):
        yield from module.cases()


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two files hold the same, however their bytes were packed."""
    return one == other or _content(one) == _content(other)


def _content(file: bytes) -> object:
    if file.startswith(b"PK\x03\x04"):
        return _parts(file)
    if file.startswith(b"PAR1"):
        return _rows(file)
    if "EncryptedPackage".encode("utf-16-le") in file:
        return _parts(hostile.opened(file))
    return file


def _parts(file: bytes) -> object:
    try:
        with zipfile.ZipFile(io.BytesIO(file)) as archive:
            return {entry.filename: _part(archive, entry) for entry in archive.infolist()}
    except zipfile.BadZipFile:
        return file


def _part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> object:
    try:
        return _content(archive.read(entry))
    except (zipfile.BadZipFile, RuntimeError):
        return entry.file_size  # a part that was broken, or locked, on purpose


def _rows(file: bytes) -> object:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
        path = Path(folder) / "t.parquet"
        path.write_bytes(file)
        try:
            return db.read_parquet(str(path)).fetchall()
        except duckdb.Error:
            return file
