"""The first rows of a large sheet, read apart from the others: they tell how to read the rest."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from qhub_desktop.data.formats.sheet import Flaw, Value
from qhub_desktop.data.formats.xlsx_parts import STRINGS, local

ROWS = 60
CHUNK_BYTES = 2**16
COLUMNS_LIMIT = 2**14

_ADDRESS = re.compile(r"([A-Z]{1,3})(\d{1,7})")


@dataclass
class Head:
    """Rows from the first used one; dates are numbers here, as nothing but formats tells them."""

    rows: list[list[Value]] = field(default_factory=list)
    first_row: int = 0
    first_column: int = 0


@dataclass(frozen=True, slots=True)
class _Cell:
    row: int
    column: int
    kind: str
    text: str


def head_of(archive: zipfile.ZipFile, part: str) -> Head:
    """The first rows of a sheet; none where they are not written in the usual way."""
    cells = list(_cells(archive, part))
    if not cells:
        return Head()
    needed = {int(cell.text) for cell in cells if cell.kind == "s" and cell.text.isdigit()}
    strings = _strings(archive, needed) if needed else {}
    first_row, first_column = min(cell.row for cell in cells), min(cell.column for cell in cells)
    width = max(cell.column for cell in cells) - first_column + 1
    height = max(cell.row for cell in cells) - first_row + 1
    rows: list[list[Value]] = [[None] * width for _number in range(min(height, ROWS))]
    for cell in cells:
        if cell.row - first_row < len(rows):
            rows[cell.row - first_row][cell.column - first_column] = _value(cell, strings)
    return Head(rows, first_row, first_column)


def _cells(archive: zipfile.ZipFile, part: str) -> Iterator[_Cell]:
    """The cells of the first rows that hold something."""
    rows = 0
    for element in _elements(archive, part):
        match local(element.tag):
            case "c":
                cell = _cell(element)
                if cell is not None:
                    yield cell
            case "row":
                rows += 1
                if rows >= ROWS:
                    return
                element.clear()
            case "sheetData":
                return


def _elements(archive: zipfile.ZipFile, part: str) -> Iterator[ET.Element]:
    # Document types were refused before, so there is no entity to expand.
    parser: ET.XMLPullParser[ET.Element] = ET.XMLPullParser(["end"])
    with archive.open(part) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            parser.feed(chunk)
            for event in parser.read_events():
                if isinstance(element := event[-1], ET.Element):
                    yield element


def _cell(element: ET.Element) -> _Cell | None:
    place = _ADDRESS.fullmatch(element.get("r", ""))
    if place is None:
        return None
    text: str | None = None
    for child in element:
        match local(child.tag):
            case "v":
                text = child.text
            case "is":
                text = _joined(child)
    if not text:
        return None
    column = 0
    for letter in place[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return _Cell(int(place[2]) - 1, column - 1, element.get("t", "n"), text)


def _value(cell: _Cell, strings: dict[int, str]) -> Value:
    match cell.kind:
        case "s":
            return strings.get(int(cell.text)) if cell.text.isdigit() else None
        case "b":
            return cell.text == "1"
        case "e":
            return Flaw(cell.text)
        case "n":
            try:
                return float(cell.text)
            except ValueError:
                return cell.text
        case _:
            return cell.text


def _strings(archive: zipfile.ZipFile, needed: set[int]) -> dict[int, str]:
    """Those of the workbook's shared texts."""
    found: dict[int, str] = {}
    number, last = 0, max(needed)
    for element in _elements(archive, STRINGS):
        if local(element.tag) != "si":
            continue
        if number in needed:
            found[number] = _joined(element)
        number += 1
        if number > last:
            break
        element.clear()
    return found


def _joined(element: ET.Element) -> str:
    """A text with its runs, without the reading aids of Asian scripts."""
    parts: list[str] = []
    for child in element:
        match local(child.tag):
            case "t":
                parts.append(child.text or "")
            case "r":
                parts += [each.text or "" for each in child if local(each.tag) == "t"]
    return "".join(parts)
