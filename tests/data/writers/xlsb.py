"""Binary workbooks (.xlsb) written record by record: no library writes them."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from tests.data.writers.grids import zipped

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.ms-excel"
ERRORS = {"#DIV/0!": 0x07, "#VALUE!": 0x0F, "#REF!": 0x17, "#NAME?": 0x1D, "#NUM!": 0x24}
ERRORS["#N/A"] = 0x2A
DATE_STYLE = 1  # of the two styles: general, and a date


@dataclass(frozen=True)
class Error:
    """A cell that holds an error; that of a formula if it says so."""

    name: str
    is_formula: bool = False


@dataclass(frozen=True)
class Uncalculated:
    """A formula without a result."""


Cell = str | float | bool | date | Error | Uncalculated | None


def xlsb(
    sheets: Mapping[str, Sequence[Sequence[Cell]]],
    *,
    merges: Sequence[tuple[int, int, int, int]] = (),
    far: tuple[int, int] | None = None,
) -> bytes:
    """A workbook; every sheet has the `merges` (rows first and last, then columns) and far cell."""
    names = list(sheets)
    parts = {
        "[Content_Types].xml": _types(len(names)),
        "_rels/.rels": _relations(["officeDocument"], ["xl/workbook.bin"]),
        "xl/workbook.bin": _book(names),
        "xl/_rels/workbook.bin.rels": _relations(
            [*["worksheet"] * len(names), "styles"],
            [*[f"worksheets/sheet{n}.bin" for n in range(1, len(names) + 1)], "styles.bin"],
        ),
        "xl/styles.bin": _styles(),
    }
    for number, rows in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{number}.bin"] = _sheet(rows, merges, far)
    return zipped(parts)


def record(kind: int, content: bytes = b"") -> bytes:
    """A record: its kind and its length in groups of seven bits, then its content."""
    head = bytes([kind]) if kind < 0x80 else bytes([(kind & 0x7F) | 0x80, kind >> 7])
    length = len(content)
    while length > 0x7F:
        head += bytes([(length & 0x7F) | 0x80])
        length >>= 7
    return head + bytes([length]) + content


def _text(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _book(names: Sequence[str]) -> bytes:
    sheets = b"".join(
        record(156, struct.pack("<II", 0, number) + _text(f"rId{number}") + _text(name))
        for number, name in enumerate(names, start=1)
    )
    return b"".join(
        [
            record(131),
            record(153, struct.pack("<II", 0, 0) + _text("")),
            record(143),
            sheets,
            record(144),
            record(132),
        ]
    )


def _styles() -> bytes:
    def cell_format(number_format: int) -> bytes:
        return record(47, struct.pack("<HHHHHBBHBB", 0, number_format, 0, 0, 0, 0, 0, 0, 0, 0))

    formats = record(617, struct.pack("<I", 2)) + cell_format(0) + cell_format(14) + record(618)
    return record(278) + formats + record(279)


def _sheet(
    rows: Sequence[Sequence[Cell]],
    merges: Sequence[tuple[int, int, int, int]],
    far: tuple[int, int] | None,
) -> bytes:
    width = max(map(len, rows), default=1)
    last = struct.pack("<IIII", 0, max(0, len(rows) - 1), 0, max(0, width - 1))
    parts = [record(129), record(148, last), record(145)]
    for number, row in enumerate(rows):
        parts.append(_row_head(number))
        parts += [_cell(column, cell) for column, cell in enumerate(row) if cell is not None]
    if far is not None:
        parts += [_row_head(far[0]), _cell(far[1], 1.0)]
    parts.append(record(146))
    if merges:
        parts.append(record(177, struct.pack("<I", len(merges))))
        parts += [record(176, struct.pack("<IIII", *merge)) for merge in merges]
        parts.append(record(178))
    return b"".join([*parts, record(130)])


def _row_head(number: int) -> bytes:
    return record(0, struct.pack("<IIHHBI", number, 0, 300, 0, 0, 0))


def _cell(column: int, cell: Cell) -> bytes:
    formula = struct.pack("<HII", 0, 0, 0)

    def head(style: int = 0) -> bytes:
        return struct.pack("<II", column, style)

    match cell:
        case bool():
            return record(4, head() + bytes([cell]))
        case Error(name, is_formula=False):
            return record(3, head() + bytes([ERRORS[name]]))
        case Error(name):
            return record(11, head() + bytes([ERRORS[name]]) + formula)
        case Uncalculated():
            return record(8, head() + _text("") + struct.pack("<HII", 2, 0, 0))
        case str():
            return record(6, head() + _text(cell))
        case datetime() | date():
            days = (datetime(cell.year, cell.month, cell.day) - datetime(1899, 12, 30)).days
            return record(5, head(DATE_STYLE) + struct.pack("<d", days))
        case _:
            return record(5, head() + struct.pack("<d", cell))


def _types(sheets: int) -> bytes:
    said = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.bin" ContentType="{_KIND}.worksheet"/>'
        for number in range(1, sheets + 1)
    )
    types = (
        f'<?xml version="1.0"?><Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="bin" ContentType="{_KIND}.sheet.binary.macroEnabled.main"/>'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f"{said}</Types>"
    )
    return types.encode("utf-8")


def _relations(kinds: Sequence[str], targets: Sequence[str]) -> bytes:
    said = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(zip(kinds, targets, strict=True), start=1)
    )
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">{said}</Relationships>'
    return f'<?xml version="1.0"?>{relations}'.encode()
