"""OLE files, the containers of Excel's older workbooks and of protected ones, opened with care."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import olefile
from olefile.olefile import OleFileError

from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import InputFile

BOOK_LIMIT_BYTES = 2**28  # a full .xls, 65,536 rows of 256 columns, is about 240 MB
HEAD_BYTES = 2**20  # that the globals of a workbook are looked for in
EOF = 0x000A
FILEPASS = 0x002F


def stream_names(source: InputFile) -> set[str]:
    """The names of the streams, without the folders they are in."""
    with _opened(source) as ole:
        return {path[-1] for path in ole.listdir()}


def read_stream(source: InputFile, name: str, *, limit: int = BOOK_LIMIT_BYTES) -> bytes:
    """All of a stream at the top."""
    with _opened(source) as ole:
        if ole.get_size(name) > limit:
            raise rejection.refusal(source, rejection.TOO_LONG, rejection.AS_TEXT)
        content: bytes = ole.openstream(name).read()
        return content


def is_locked_book(source: InputFile, name: str) -> bool:
    """Whether a workbook's stream says in its first part that the rest is encrypted."""
    with _opened(source) as ole:
        content: bytes = ole.openstream(name).read(HEAD_BYTES)
    place = 0
    while place + 4 <= len(content):
        kind, length = struct.unpack_from("<HH", content, place)
        if kind in (FILEPASS, EOF):
            return bool(kind == FILEPASS)
        place += 4 + length
    return False


@contextmanager
def _opened(source: InputFile) -> Iterator[olefile.OleFileIO]:
    try:
        with olefile.OleFileIO(str(source.path)) as ole:
            yield ole
    # What a damaged directory or sector table makes of a library that trusts both.
    except (
        OleFileError,
        AttributeError,
        IndexError,
        RecursionError,
        TypeError,
        ValueError,
        struct.error,
    ) as error:
        raise rejection.refusal(source, rejection.BROKEN, rejection.EXPORT_AGAIN) from error
