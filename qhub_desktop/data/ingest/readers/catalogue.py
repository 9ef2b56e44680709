"""The catalogue of file formats, which are identified by content, not by name.

To add one, write a module in this package with a reader under `@file_format(...)`. Every module of
the package is loaded here; the readers, the suffixes that may be dropped and the sentences that
name them come from what they declare.
"""

import dataclasses
import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import overload

from typing_extensions import override

from qhub_desktop.core.dataset import Finding
from qhub_desktop.data.ingest import readers
from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile, RawSheet
from qhub_desktop.data.ingest.readers.sniff import (
    CONTAINERS,
    READERS,
    Container,
    FileFormat,
    identify,
)

for _module in pkgutil.iter_modules(readers.__path__, f"{readers.__name__}."):
    import_module(_module.name)

_READABLE = [
    suffix for each in sorted(READERS, key=lambda each: each.place) for suffix in each.suffixes
]
# The suffixes of all readable files, each with its dot; the best known come first.
SUFFIXES = (*_READABLE, *(suffix for each in CONTAINERS for suffix in each.suffixes))


def format_of(source: InputFile) -> FileFormat:
    """Return the reader for a file, which takes it out of an archive or decrypts it first.

    Raises:
        UserError: The file cannot be read. The text says what to do.

    """
    return _format_of(source, outer=None)


def _format_of(source: InputFile, *, outer: Container | None) -> FileFormat:
    kind = identify(source)
    if isinstance(kind, FileFormat):
        return kind
    if outer is not None and not outer.is_archive:
        raise rejection.refusal(source, rejection.OTHER, rejection.FROM_SOURCE)
    if outer is not None and kind.is_archive:
        raise rejection.refusal(source, rejection.NESTED, rejection.UNPACK)
    inside, found = kind.extract(source, _READABLE)
    reader = _format_of(inside, outer=kind)

    def open_inside(asked: InputFile) -> ParsedFile:
        # The choices may have been made after the file was extracted.
        return _with(reader.open(dataclasses.replace(inside, choices=asked.choices)), found)

    return dataclasses.replace(reader, open=open_inside)


def _with(opened: ParsedFile, found: Sequence[Finding]) -> ParsedFile:
    """Return the file with more findings for the person to check on each sheet."""
    return ParsedFile(opened.sheets, _all_with(opened.read, found)) if found else opened


def _all_with(sheets: Iterator[RawSheet], found: Sequence[Finding]) -> Iterator[RawSheet]:
    for sheet in sheets:
        yield dataclasses.replace(sheet, doubtful=_Both(found, sheet.doubtful))


class _Both(Sequence[Finding]):
    """Two lists as one, of which the second may still grow while rows are read."""

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
