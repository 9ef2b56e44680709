"""Excel's binary workbooks (.xlsb): cells read by calamine, with the errors that it drops restored.

A record is its kind and its length, each in groups of seven bits, then the content (MS-XLSB 2.1.4).
"""

import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from xml.parsers import expat

from qhub_desktop.data.ingest.readers import rejection
from qhub_desktop.data.ingest.readers.package import open_package
from qhub_desktop.data.ingest.readers.sheet import InputFile, ParsedFile
from qhub_desktop.data.ingest.readers.sniff import Content, file_format
from qhub_desktop.data.ingest.readers.xls import (
    BrokenRecordsError,
    SheetScan,
    open_book,
    parsed_book,
)

# Kinds of records.
ROW_RECORD = 0
CELL_ERROR = 3
CELL_KINDS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62})  # all but blank ones
FORMULA_TEXT = 8
FORMULA_ERROR = 11
COLUMNS = 60
SHEET = 156
FILTER = 161
MERGE = 176

IS_HIDDEN = 0x10  # a flag of a row
ALWAYS_CALCULATE = 0x0002  # a flag of a formula

_WORD = struct.Struct("<I")


def _is_xlsb(content: Content) -> bool:
    return "xl/workbook.bin" in content.parts


@file_format("Excel (.xlsb)", suffixes=(".xlsb",), sniff=_is_xlsb, place=3)
def read_xlsb(source: InputFile) -> ParsedFile:
    """Read every sheet of a binary workbook of Excel 2007 and later."""
    try:
        with open_package(source.path) as archive:
            scans = _scan_sheets(archive)
    except (
        EOFError,
        KeyError,
        NotImplementedError,
        ValueError,
        expat.ExpatError,
        struct.error,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise rejection.given_up(source, error, rejection.SAVE_AS) from error
    # Before calamine sees the file: a cell far off makes it end the process.
    for name, scan in scans.items():
        scan.check_extent(source, name)
    return parsed_book(source, open_book(source), scans)


def _scan_sheets(archive: zipfile.ZipFile) -> dict[str, SheetScan]:
    """Scan each sheet; by the sheet's name."""
    targets = _relation_targets(archive)
    found: dict[str, SheetScan] = {}
    for kind, record in _records(archive.read("xl/workbook.bin")):
        if kind == SHEET:
            relation, place = _text(record, 8)
            name, _place = _text(record, place)
            if (part := targets.get(relation, "")) in archive.NameToInfo:
                found[name] = _scan_sheet(archive.read(part))
    return found


def _relation_targets(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the paths of the parts, by the ids of their relations."""
    found: dict[str, str] = {}

    def note(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(":")[2] == "Relationship":
            target = attributes.get("Target", "")
            part = target if target.startswith("/") else posixpath.join("/xl", target)
            found[attributes.get("Id", "")] = posixpath.normpath(part).lstrip("/")

    parser = expat.ParserCreate()
    parser.StartElementHandler = note
    parser.Parse(archive.read("xl/_rels/workbook.bin.rels"), True)  # noqa: FBT003  positional only
    return found


def _scan_sheet(content: bytes) -> SheetScan:
    scan = SheetScan()
    row = -1
    for kind, record in _records(content):
        if kind == ROW_RECORD and len(record) >= 4:
            row = _WORD.unpack_from(record)[0]
            if len(record) > 11 and record[11] & IS_HIDDEN:
                scan.hidden.rows.append(row)
        elif kind == COLUMNS and len(record) >= 18:
            if record[16] & 1:
                scan.hidden.note_columns(*struct.unpack_from("<II", record))
        elif kind == FILTER:
            scan.hidden.is_filtered = True
        elif kind in CELL_KINDS and len(record) >= 8:
            column = _WORD.unpack_from(record)[0]
            scan.note_cell(row, column)
            if kind in (CELL_ERROR, FORMULA_ERROR):
                scan.note_error(row, column, record[8] if len(record) > 8 else -1)
            elif kind == FORMULA_TEXT and _is_uncalculated(record):
                scan.uncalculated.append((row, column))
        elif kind == MERGE and len(record) >= 16:
            first, last, left, right = struct.unpack_from("<IIII", record)
            scan.merges.append((first, left, last, right))
    return scan


def _is_uncalculated(record: bytes) -> bool:
    """Return whether a formula's result is an empty text that asks to be calculated."""
    if len(record) < 14 or _WORD.unpack_from(record, 8)[0]:
        return False
    return bool(struct.unpack_from("<H", record, 12)[0] & ALWAYS_CALCULATE)


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the content of each record. Raises BrokenRecordsError if one is cut."""
    place, end = 0, len(content)
    try:
        while place < end:
            kind = content[place]
            place += 1
            if kind & 0x80:
                kind = (kind & 0x7F) | (content[place] << 7)
                place += 1
            length = shift = 0
            while True:
                part = content[place]
                place += 1
                length |= (part & 0x7F) << shift
                shift += 7
                if not part & 0x80 or shift == 28:
                    break
            if place + length > end:
                raise BrokenRecordsError("a record is cut")
            yield kind, content[place : place + length]
            place += length
    except IndexError as error:
        raise BrokenRecordsError("a record's head is cut") from error


def _text(record: bytes, place: int) -> tuple[str, int]:
    """Return a text whose length stands before it, and where it ends."""
    (length,) = _WORD.unpack_from(record, place)
    if length == 2**32 - 1:
        return "", place + 4
    end = place + 4 + 2 * length
    if end > len(record):
        raise BrokenRecordsError("a text is cut")
    return record[place + 4 : end].decode("utf-16-le", "replace"), end
