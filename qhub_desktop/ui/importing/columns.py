"""Which column of the file, counted from its left edge, became which column of the data set."""

import re
from collections.abc import Iterator, Sequence

from qhub_desktop.core.dataset import DatasetProfile, ImportReport

_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def letters(column: int) -> str:
    """A column as Excel names it; counts from 0."""
    said = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        said = chr(ord("A") + rest) + said
    return said


def place_of(cell: str) -> tuple[int, int] | None:
    """The row, from 1, and the column, from 0, of an address or of a range's corner."""
    found = _ADDRESS.match(cell)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column - 1


def places_of(cells: str, *, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Every place of an address or a range that is within so many first rows and columns."""
    first, _colon, last = cells.partition(":")
    corner, end = place_of(first), place_of(last or first)
    if corner is None or end is None:
        return
    for row in range(corner[0], min(end[0], rows) + 1):
        for column in range(corner[1], min(end[1], columns - 1) + 1):
            yield row, column


def names_by_place(
    rows: Sequence[Sequence[str]], profile: DatasetProfile, report: ImportReport
) -> dict[int, str]:
    """The data set's columns by their place in the file, as far as its first rows tell."""
    names = [column.name for column in profile.columns]
    width = max((len(row) for row in rows), default=0)
    if width == len(names):
        return dict(enumerate(names))
    filled = [
        column
        for column in range(width)
        if any(column < len(row) and row[column].strip() for row in rows)
    ]
    if len(filled) == len(names):
        return dict(zip(filled, names, strict=True))
    return _by_header(_header(rows, report), names)


def _header(rows: Sequence[Sequence[str]], report: ImportReport) -> list[str]:
    row = report.header_row or 0
    return [cell.strip() for cell in rows[row - 1]] if 0 < row <= len(rows) else []


def _by_header(header: Sequence[str], names: Sequence[str]) -> dict[int, str]:
    """From left to right, each name at the next cell that it may have been made of."""
    found: dict[int, str] = {}
    start = 0
    for name in names:
        for place in range(start, len(header)):
            if header[place] and header[place] in name:
                found[place] = name
                start = place + 1
                break
    return found
