"""The records of an .xlsb: where its errors stand, what was never calculated, how far it reaches.

A record is its kind and its length, each in groups of seven bits, then the content (MS-XLSB 2.1.4).
"""

import posixpath
import struct
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

from qhub_desktop.data.ingest.readers.scan import Look

ROW = 0
CELL_ERROR = 3
CELL_KINDS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62})  # all but blank ones
FORMULAS = frozenset({8, 9, 10, 11})
FORMULA_TEXT = 8
FORMULA_ERROR = 11
SHEET_DATA_END = 146
SHEET = 156
MERGE = 176
ALWAYS_CALCULATE = 0x0002

_WORD = struct.Struct("<I")


class BrokenError(ValueError):
    """The records do not follow one another as they must."""


def looks(archive: zipfile.ZipFile) -> dict[str, Look]:
    """A look at each sheet, by its name."""
    targets = _targets(archive)
    found: dict[str, Look] = {}
    for kind, record in _records(archive.read("xl/workbook.bin")):
        if kind == SHEET:
            relation, place = _text(record, 8)
            name, _place = _text(record, place)
            if (part := targets.get(relation, "")) in archive.NameToInfo:
                found[name] = _look(archive.read(part))
    return found


def _targets(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where the parts are, by the names of their relations."""
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


def _look(content: bytes) -> Look:
    look = Look()
    row = -1
    for kind, record in _records(content):
        if kind == ROW and len(record) >= 4:
            row = _WORD.unpack_from(record)[0]
        elif kind in CELL_KINDS and len(record) >= 8:
            column = _WORD.unpack_from(record)[0]
            look.note_cell(row, column)
            if kind in (CELL_ERROR, FORMULA_ERROR):
                look.note_flaw(row, column, record[8] if len(record) > 8 else -1)
            elif kind == FORMULA_TEXT and _is_uncalculated(record):
                look.uncalculated.append((row, column))
        elif kind == MERGE and len(record) >= 16:
            first, last, left, right = struct.unpack_from("<IIII", record)
            look.merges.append((first, left, last, right))
    return look


def _is_uncalculated(record: bytes) -> bool:
    """Whether a formula's result is an empty text that asks to be calculated."""
    if len(record) < 14 or _WORD.unpack_from(record, 8)[0]:
        return False
    return bool(struct.unpack_from("<H", record, 12)[0] & ALWAYS_CALCULATE)


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
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
                raise BrokenError("a record is cut")
            yield kind, content[place : place + length]
            place += length
    except IndexError as error:
        raise BrokenError("a record's head is cut") from error


def _text(record: bytes, place: int) -> tuple[str, int]:
    """A text with its length before it, and where it ends."""
    (length,) = _WORD.unpack_from(record, place)
    if length == 2**32 - 1:
        return "", place + 4
    end = place + 4 + 2 * length
    if end > len(record):
        raise BrokenError("a text is cut")
    return record[place + 4 : end].decode("utf-16-le", "replace"), end
