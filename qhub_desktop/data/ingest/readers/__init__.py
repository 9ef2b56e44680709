"""Every kind of file that can be read, told from each other by content, not by name."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import overload

from typing_extensions import override

from qhub_desktop.core.dataset import Finding
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.archive import inflated, unpacked
from qhub_desktop.data.ingest.readers.binary_workbooks import read_xls, read_xlsb
from qhub_desktop.data.ingest.readers.delimited import read_delimited
from qhub_desktop.data.ingest.readers.encrypted import unlocked
from qhub_desktop.data.ingest.readers.html import read_html, read_mhtml
from qhub_desktop.data.ingest.readers.json_records import read_json
from qhub_desktop.data.ingest.readers.opendocument import read_ods
from qhub_desktop.data.ingest.readers.parquet import read_parquet
from qhub_desktop.data.ingest.readers.sheet import (
    FileFormat,
    InputFile,
    ParsedFile,
    RawSheet,
    file_format,
)
from qhub_desktop.data.ingest.readers.sniff import Kind, kind_of
from qhub_desktop.data.ingest.readers.spreadsheetml import read_spreadsheetml
from qhub_desktop.data.ingest.readers.xlsx import read_xlsx

READERS: dict[Kind, FileFormat] = {
    "xlsx": read_xlsx,
    "xls": read_xls,
    "xlsb": read_xlsb,
    "ods": read_ods,
    "text": read_delimited,
    "html": read_html,
    "mhtml": read_mhtml,
    "spreadsheetml": read_spreadsheetml,
    "parquet": read_parquet,
    "json": read_json,
}


@file_format("ZIP", suffixes=(".zip", ".gz"))
def read_zipped(source: InputFile) -> ParsedFile:
    """The one table of an archive."""
    return format_of(source).open(source)


FORMATS = (*READERS.values(), read_zipped)


def format_of(source: InputFile) -> FileFormat:
    """The reader for a file. Raises UserError for what can not be read, saying what to do.

    A file inside an archive or under a password is taken out of it here.
    """
    return _format_of(source, is_inside=False)


def _format_of(source: InputFile, *, is_inside: bool) -> FileFormat:
    kind = kind_of(source)
    found: list[Finding] = []
    match kind:
        case "zip" | "gzip" if is_inside:
            raise rejection.refusal(source, rejection.NESTED, rejection.UNPACK)
        case "zip":
            suffixes = [suffix for each in READERS.values() for suffix in each.suffixes]
            inside, found = unpacked(source, suffixes)
            reader = _format_of(inside, is_inside=True)
        case "gzip":
            inside = inflated(source)
            reader = _format_of(inside, is_inside=True)
        case "locked":
            inside = unlocked(source)
            reader = READERS[_book_kind(inside)]
        case _:
            return READERS[kind]

    def open_inside(asked: InputFile) -> ParsedFile:
        # What is asked for may have been chosen after the file was taken out.
        return _with(reader.open(dataclasses.replace(inside, choices=asked.choices)), found)

    return FileFormat(reader.name, reader.suffixes, open_inside)


def _book_kind(source: InputFile) -> Kind:
    """What a workbook is without its password."""
    kind = kind_of(source)
    if kind not in READERS:
        raise rejection.refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    return kind


def _with(opened: ParsedFile, found: Sequence[Finding]) -> ParsedFile:
    """The same, with more that the person may want to check."""
    return ParsedFile(opened.sheets, _all_with(opened.read, found)) if found else opened


def _all_with(sheets: Iterator[RawSheet], found: Sequence[Finding]) -> Iterator[RawSheet]:
    for sheet in sheets:
        yield dataclasses.replace(sheet, doubtful=_Both(found, sheet.doubtful))


class _Both(Sequence[Finding]):
    """Two lists as one, of which the second may still grow."""

    def __init__(self, first: Sequence[Finding], second: Sequence[Finding]) -> None:
        self._first = first
        self._second = second

    @override
    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    @override
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return [*self._first, *self._second][index]
