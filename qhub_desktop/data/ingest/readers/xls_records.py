"""The records of an .xls: where its errors stand, what was never calculated, how far it reaches."""

import struct

from qhub_desktop.data.ingest.readers.scan import Look

FORMULA = 0x0006
EOF = 0x000A
BOUNDSHEET = 0x0085
MULRK = 0x00BD
RSTRING = 0x00D6
MERGEDCELLS = 0x00E5
LABELSST = 0x00FD
NUMBER = 0x0203
LABEL = 0x0204
BOOLERR = 0x0205
RK = 0x027E
BOF = 0x0809
SINGLE = frozenset({RSTRING, LABELSST, NUMBER, LABEL, RK})
NOTED = frozenset({FORMULA, BOOLERR, MULRK, MERGEDCELLS})

_HEAD = struct.Struct("<HH")
_PLACE = struct.Struct("<HH")
RECALCULATE = 0x0003  # always, or when the file is opened
# What a formula's result is.
NUMERIC = -1
ERROR = 2
EMPTY = 3


class BrokenError(ValueError):
    """The records do not follow one another as they must."""


def looks(content: bytes) -> list[tuple[str, Look]]:
    """The name of each sheet of a workbook's stream, and a look at it, in the workbook's order."""
    return [(name, _look(content, place)) for name, place in _sheets(content)]


def _sheets(content: bytes) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    place = 0
    while place + 4 <= len(content):
        kind, length = _HEAD.unpack_from(content, place)
        if kind == EOF:
            return found
        if kind == BOUNDSHEET and length >= 8:
            body = content[place + 4 : place + 4 + length]
            found.append((_name(body), struct.unpack_from("<I", body)[0]))
        place += 4 + length
    raise BrokenError("the globals have no end")


def _name(record: bytes) -> str:
    """A sheet's name, well enough for a sentence: calamine tells the real one later."""
    length, is_wide = record[6], record[7]
    # Before Excel 97, the letters follow the length at once.
    if is_wide > 1:
        return record[7 : 7 + length].decode("cp1252", "replace")
    letters = record[8 : 8 + length * (1 + is_wide)]
    return letters.decode("utf-16-le" if is_wide else "latin-1", "replace")


def _look(content: bytes, place: int) -> Look:
    look = Look()
    blanks: list[tuple[int, int]] = []  # formulas whose result is an empty text
    depth = 0  # charts stand inside a sheet as streams of their own
    unpack, end = _HEAD.unpack_from, len(content)
    while place + 4 <= end:
        kind, length = unpack(content, place)
        body = place + 4
        place = body + length
        if place > end:
            raise BrokenError("a record is cut")
        if kind == BOF:
            depth += 1
        elif kind == EOF:
            depth -= 1
            if depth <= 0:
                break
        elif depth > 1 or length < 4:
            continue
        elif kind in SINGLE:
            look.note_cell(*_PLACE.unpack_from(content, body))
        elif kind in NOTED:
            _note(look, kind, content[body:place], blanks)
    else:
        raise BrokenError("a sheet has no end")
    # An empty text is a result like others, but not if a sheet's formulas have no other: that is
    # how programs write them that do not calculate.
    if not look.results:
        look.uncalculated.extend(blanks)
    return look


def _note(look: Look, kind: int, record: bytes, blanks: list[tuple[int, int]]) -> None:
    row, column = _PLACE.unpack_from(record)
    if kind == MERGEDCELLS:
        for place in range(2, min(len(record) - 7, 2 + 8 * row), 8):
            first, last, left, right = struct.unpack_from("<HHHH", record, place)
            look.merges.append((first, left, last, right))
        return
    look.note_cell(row, column)
    if kind == MULRK:
        look.note_cell(row, struct.unpack("<H", record[-2:])[0])
    elif kind == BOOLERR and len(record) >= 8 and record[7]:
        look.note_flaw(row, column, record[6])
    elif kind == FORMULA and len(record) >= 16:
        _note_result(look, record, blanks)


def _note_result(look: Look, record: bytes, blanks: list[tuple[int, int]]) -> None:
    row, column = _PLACE.unpack_from(record)
    result = record[6] if record[12:14] == b"\xff\xff" else NUMERIC
    if result == ERROR:
        look.note_flaw(row, column, record[8])
    if result != EMPTY:
        look.results += 1
    elif struct.unpack_from("<H", record, 14)[0] & RECALCULATE:
        look.uncalculated.append((row, column))
    else:
        blanks.append((row, column))
