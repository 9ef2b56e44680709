"""The preamble of a text table: lines of settings above the names, as instruments write them.

What it says are facts: pairs of a name and a value, as of the operator, the channel or the lot.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, islice

from qhub_desktop.core.text import words_of
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.data.ingest.readers.dialect import DATE, TIME

Fact = tuple[str, str]

USUAL_DELIMITERS = "\t;,|"
PREAMBLE_LINES = 2_000  # of the beginning, which show a table with the lines above it
LEAST_PAIRS = 3
LEAST_ROWS = 5  # of the table
LEAST_BLOCK = 4  # lines of another table above it
MOST_NAMES = 6  # lines of names, units and limits above the first values
MOST_NOTES = 3  # lines under the table
MOST_CHANNELS = 50  # with a line each, above one that says that the data begin
MOST_CELLS = 12  # of a line with a fact
MOST_FACTS = 100
NAME_CHARACTERS = 60
VALUE_CHARACTERS = 200
MOSTLY = 0.8

_NAMED = re.compile(r"\s*([^:=\s][^:=]{0,59}?)\s*(?::(?!\d\d|//)|=)\s*(.*?)\s*", re.DOTALL)
_SIGN = re.compile(r"\s*(?:[#;!%*]+|//+)\s*")
_FACT_VALUE = re.compile(
    rf"\s*(?:[-+]?\s*(?:\d[\d.,'\u00a0]*|[.,]\d+)(?:[eE][-+]?\d+)?\s?(?:[%‰]|°?[^\W\d_]{{0,3}})"
    rf"|{DATE}|{TIME}|[-+]?(?i:nan|inf))\s*"
)
_TIMESTAMP = re.compile(rf"{DATE}|{TIME}")
_UNIT = re.compile(r"(?!\d)\S{1,8}")
# A line that says that the table is under it.
_MARK = re.compile(
    r"\W*(?:(?:begin|start|end)\W*(?:of\W*)?)?"
    rf"(?:header|xydata|{'|'.join(map(re.escape, words_of('files', 'data_begins')))})\W*",
    re.IGNORECASE,
)


def facts_of(rows: Iterable[Sequence[str]], *, most_cells: int = MOST_CELLS) -> tuple[Fact, ...]:
    """Return what rows above a table say, as names and values."""
    found = (each for row in rows for each in _facts_in(row, most_cells))
    whole = ((name, value) for name, value in found if name and value)
    return tuple(
        (_short(name, NAME_CHARACTERS), _short(value, VALUE_CHARACTERS))
        for name, value in islice(whole, MOST_FACTS)
    )


def _short(text: str, most: int) -> str:
    return sanitize(" ".join(text.split())[:most])


def _facts_in(row: Sequence[str], most_cells: int) -> Iterator[Fact]:
    cells = [text for cell in row if (text := cell.strip().strip('"').strip())]
    if not cells:
        return
    cells[0] = _SIGN.sub("", cells[0], count=1) if _SIGN.match(cells[0]) else cells[0]
    named = [_NAMED.fullmatch(cell) for cell in cells]
    if named[0] and (len(cells) == 1 or all(named) or not named[0][2]):
        # 'Operator: Ana', 'Operator: | Ana', and several of them in a row.
        name = ""
        for cell, found in zip(cells, named, strict=True):
            if found and found[2]:
                yield found[1], found[2]
            elif found:
                name = found[1]
            elif name:
                yield name, cell
                name = ""
        return
    name, *values = cells
    if 1 < len(cells) <= most_cells and not _FACT_VALUE.fullmatch(name):
        is_with_unit = len(values) == 2 and _FACT_VALUE.fullmatch(values[0]) and _is_unit(values[1])
        yield name.rstrip(":= "), (" " if is_with_unit else ", ").join(values)


def _is_unit(text: str) -> bool:
    return bool(_UNIT.fullmatch(text)) and not _FACT_VALUE.fullmatch(text)


def preamble_cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line above a table, which may have another delimiter than the table."""
    text = line.rstrip("\r\n")
    places = [at for each in {delimiter, "\t", ";"} if (at := text.find(each)) >= 0]
    named = _NAMED.fullmatch(text)
    # A delimiter behind a colon is one of a text, unless it stands there at once.
    if not places or (named and named.end(1) < min(places) and named[2][:1] not in delimiter):
        return [text.rstrip(delimiter + " \t;").strip('"')]
    for each in (delimiter, "\t", ";"):
        row = split_cells(text, each)
        if sum(bool(cell.strip()) for cell in row) > 1:
            return row
    return [text.strip(delimiter + " \t;").strip('"')]


def split_cells(text: str, delimiter: str) -> list[str]:
    """Return the cells of one line."""
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return [text]


def preamble_of(sample: Sequence[str], *, delimiters: str = USUAL_DELIMITERS) -> tuple[int, str]:
    """Return how many lines stand above a table as its preamble, and its delimiter.

    There are none unless that is certain: the lines under it are all of one width and have values
    in the same columns, and those above are names with a value each, of several kinds.
    """
    lines = [line.rstrip("\r\n") for line in islice(sample, PREAMBLE_LINES)]
    best = (0, 0, "")
    for delimiter in delimiters:
        if len({line.count(delimiter) for line in lines}) < 2:
            continue  # as in most tables
        rows = [split_cells(line, delimiter) for line in lines]
        start, size = _table_start(rows)
        if size > best[0] and _are_facts(lines[:start], delimiter):
            best = (size, start, delimiter)
    return best[1:]


def _table_start(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return the first row of the table at the end of these, and how many rows of values it has;
    0 of both if it has none, or has no names and is of other columns than values.
    """
    end = len(rows)
    while end and len(rows) - end < MOST_NOTES and len(_filled(rows[end - 1])) < 2:
        end -= 1
    width = len(rows[end - 1]) if end else 0
    first = end
    while first and len(rows[first - 1]) == width and _filled(rows[first - 1]):
        first -= 1
    lower = rows[(first + end) // 2 : end]
    valued = [at for at in range(width) if _are_values([row[at] for row in lower])]
    body = end
    while body > first and _is_of_values(rows[body - 1], valued):
        body -= 1
    if width < 2 or not valued or end - body < LEAST_ROWS:
        return 0, 0
    start = body
    # The delimiter behind the last cell may be left out in one line and stand in another.
    widths = {width - (not any(row[-1].strip() for row in lower)), width}
    while start and body - start < MOST_NAMES and _are_names(rows[start - 1], widths):
        start -= 1
    while start < body - 1 and width > len(_filled(rows[start])) == len(_filled(rows[start][:2])):
        start += 1  # a name and its value, with the delimiters of blank cells
    is_set_off = start > 0 and len(_filled(rows[start - 1])) < width
    is_named = start < body or len(valued) == width
    return (start, end - body) if is_set_off and is_named else (0, 0)


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if cell.strip()]


def _are_values(cells: Sequence[str]) -> bool:
    filled = _filled(cells)
    return len(filled) * 2 > len(cells) and sum(map(is_value, filled)) >= MOSTLY * len(filled)


def is_value(cell: str) -> bool:
    """Return whether a cell is a number, perhaps with a unit, or a timestamp."""
    return _FACT_VALUE.fullmatch(cell.strip().strip('"')) is not None


def _is_of_values(row: Sequence[str], valued: Sequence[int]) -> bool:
    cells = [row[at] for at in valued if row[at].strip()]
    return sum(map(is_value, cells)) * 2 > len(cells)


def _are_names(row: Sequence[str], widths: AbstractSet[int]) -> bool:
    """Return whether cells may be names or units: as many as the columns, and none is a value."""
    filled = _filled(row)
    own = {len(row), len(row) - (not row[-1].strip())}
    is_wide = not own.isdisjoint(widths) and len(filled) >= max(2, max(widths) / 2)
    return is_wide and not any(map(is_value, filled))


def _are_facts(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether lines above a table are its preamble."""
    used = [line for line in lines if line.strip(f" {delimiter}")]
    rows = [_filled(preamble_cells(line, delimiter)) for line in used]
    if any(is_value(row[0]) for row in rows) or any(map(_is_table, _blocks(lines, delimiter))):
        return False
    pairs = [fact for row in rows if len(row) < 3 or _is_measured(row) for fact in facts_of([row])]
    wide = sum(len(row) > 2 and not _is_measured(row) for row in rows)
    if not are_settings(pairs, is_sure=sum(delimiter not in line for line in used) * 2 > len(used)):
        return False
    # Rows of three cells may be those of another table.
    is_marked = len(rows[-1]) == 1 and _MARK.fullmatch(rows[-1][0]) is not None
    return wide <= (MOST_CHANNELS if is_marked else len(pairs))


def _blocks(lines: Sequence[str], delimiter: str) -> Iterator[list[list[str]]]:
    """Yield the cells of lines together that have blank lines above and below."""
    cells = [_filled(preamble_cells(line, delimiter)) for line in lines]
    for is_used, block in groupby(cells, key=bool):
        if is_used:
            yield list(block)


def _is_table(block: Sequence[Sequence[str]]) -> bool:
    """Return whether rows of two cells are a table: under two names, numbers all written alike."""
    if len(block) < LEAST_BLOCK or any(len(row) != 2 for row in block) or is_value(block[0][1]):
        return False
    forms = {re.sub(r"\d+", "9", value.strip()) for _name, value in block[1:]}
    return len(forms) == 1 and is_value(block[1][1])


def are_settings(pairs: Sequence[Fact], *, is_sure: bool = False) -> bool:
    """Return whether pairs are facts, and no table of two columns: names that differ, and values of
    several kinds, unless it `is_sure` that they are none.
    """
    names = {name.casefold() for name, _value in pairs}
    if len(pairs) < LEAST_PAIRS or len(names) < MOSTLY * len(pairs):
        return False
    # The first may be the names of another table.
    return is_sure or len({_kind_of(value) for _name, value in pairs[1:]}) > 1


def _kind_of(value: str) -> str:
    if _TIMESTAMP.fullmatch(value):
        return "timestamp"
    return "number" if is_value(value) else "name"


def _is_measured(row: Sequence[str]) -> bool:
    """Return whether a row is a name, a value and its unit."""
    return len(row) == 3 and is_value(row[1]) and _is_unit(row[2])
