"""Whether every cell of a file can be found in what was made of it, or in what was said of it."""

import re
from datetime import date, datetime, time
from typing import Any

from tests.data.conftest import Imported
from tests.data.nasty.truth import plain, receipt_of
from tests.data.writers.grids import Grid

_DATE_FORMS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d"),
    *(
        mark.join(parts)
        for mark in "/-."
        for year in ("%Y", "%y")
        for parts in (("%d", "%m", year), ("%m", "%d", year))
    ),
)
_TIME_FORMS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", "T%H:%M", "T%H:%M:%S", "T%H:%M:%S.%f")
_TRUE = {"true", "sim", "s", "yes", "y", "verdadeiro", "v", "x"}
_FALSE = {"false", "não", "nao", "n", "no", "falso", "f"}
_SAID_MISSING = {"missing_words", "error_cells", "formula_uncalculated"}
_WIDE = re.compile(r"\s+")


def lost(grid: Grid, imported: Imported) -> list[str]:
    """Every cell of the grid that is nowhere to be found; row 1 of the file is the grid's first."""
    report = imported.profile.report
    if unaccounted := receipt_of(imported.profile):
        return unaccounted
    assert report is not None
    if report.rows_present != len(grid):
        return [f"{report.rows_present} rows are said to be present, and there are {len(grid)}"]
    apart = {row: each for each in report.set_apart for row in range(each.row, each.last_row + 1)}
    found = [
        f"row {row} was set apart as blank and is not: {grid[row - 1]}"
        for row, each in apart.items()
        if each.kind == "blank" and any(not _is_blank(cell) for cell in grid[row - 1])
    ]
    names = range(0)
    if report.header_row is not None:
        names = range(report.header_row - report.header_rows + 1, report.header_row + 1)
    body = [
        (number, row)
        for number, row in enumerate(grid, start=1)
        if number not in apart and number not in names
    ]
    if len(body) != len(imported.rows):
        return [*found, f"{len(imported.rows)} rows were made of {len(body)}"]
    header = [grid[number - 1] for number in names]
    positions = _positions(header, [row for _number, row in body])
    if len(positions) != len(imported.names):
        return [*found, f"{len(imported.names)} columns were made of {len(positions)}"]
    for name, position in zip(imported.names, positions, strict=True):
        found += [
            f"'{row[position]}' of the header is not in '{name}'"
            for row in header
            if position < len(row)
            and not _is_blank(row[position])
            and _squeezed(row[position]) not in _squeezed(name)
        ]
    said = {each.kind for each in (*report.repaired, *report.doubtful)}
    for (number, row), read in zip(body, imported.rows, strict=True):
        for position, value in zip(positions, read, strict=True):
            cell = row[position] if position < len(row) else None
            if isinstance(cell, str) and "odd_blanks" in said and value != cell:
                cell = cell.strip()
            if not _is_found(cell, value, is_excused=bool(said & _SAID_MISSING)):
                found.append(f"row {number}, column {position + 1}: {cell!r} became {value!r}")
    return found


def _positions(header: Grid, body: Grid) -> list[int]:
    """The places of the columns that have a name or a value."""
    rows = [*header, *body]
    width = max(map(len, rows), default=0)
    return [
        place
        for place in range(width)
        if any(place < len(row) and not _is_blank(row[place]) for row in rows)
    ]


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _squeezed(words: Any) -> str:
    return _WIDE.sub(" ", str(words)).strip()


def _is_found(cell: Any, value: Any, *, is_excused: bool) -> bool:
    if value is None:
        return _is_blank(cell) or (is_excused and len(str(cell).strip()) <= 16)
    if isinstance(value, str):
        return value == cell if isinstance(cell, str) else value in _texts(cell)
    if not isinstance(cell, str):
        return _is_equal(cell, value)
    match value:
        case bool():
            return cell.strip().casefold() in (_TRUE if value else _FALSE)
        case int() | float():
            return any(_is_near(value, each) for each in _numbers(cell.strip()))
        case datetime() | date():
            return plain(value) in _dates(cell.strip(), is_moment=isinstance(value, datetime))
        case _:
            return _digits(plain(value)) == _digits(cell)


def _texts(cell: Any) -> set[str]:
    """How a typed cell may stand in a column of text."""
    match cell:
        case bool():
            return {"TRUE" if cell else "FALSE"}
        case float() if cell.is_integer() and abs(cell) < 1e15:
            return {str(int(cell))}
        case float():
            return {repr(cell)}
        case datetime() if cell.time() == time():
            return {str(plain(cell)), cell.date().isoformat()}
        case _:
            return {str(plain(cell))}


def _is_equal(cell: Any, value: Any) -> bool:
    if isinstance(cell, bool) or isinstance(value, bool):
        return cell is value
    if isinstance(cell, (int, float)):
        return bool(cell == value)
    if isinstance(cell, date) and isinstance(value, datetime) and not isinstance(cell, datetime):
        return datetime.combine(cell, time()) == value
    return plain(cell) == plain(value)


def _is_near(value: float, other: float) -> bool:
    return value == other or abs(value - other) <= 1e-15 * abs(other)


def _numbers(text: str) -> set[float]:
    """Every number that a text may be meant to be."""
    bare = re.sub(r"[\s'\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}€$£]|EUR|USD", "", text)
    divisor = 100 if bare.endswith("%") else 1
    bare = bare.removesuffix("%")
    if bare.endswith("-"):
        bare = "-" + bare[:-1]
    spelled = {
        bare,
        bare.replace(",", ""),
        bare.replace(".", "").replace(",", "."),
        bare.replace(",", "."),
    }
    found = set()
    for each in spelled:
        try:
            found.add(float(each) / divisor)
        except ValueError:
            continue
    return found


def _dates(text: str, *, is_moment: bool) -> set[Any]:
    found = set()
    for form in _DATE_FORMS:
        for tail in _TIME_FORMS:
            try:
                moment = datetime.strptime(text, form + tail)
            except ValueError:
                continue
            found.add(plain(moment if is_moment else moment.date()))
    return found


def _digits(text: Any) -> list[int]:
    parts = [int(part) for part in re.findall(r"\d+", str(text))]
    while parts and parts[-1] == 0:
        parts.pop()
    return parts
