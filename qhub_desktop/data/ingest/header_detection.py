"""Header detection: titles above a table, its header of one or two rows, its columns' names."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, words_of
from qhub_desktop.data.ingest.findings import LISTED
from qhub_desktop.data.ingest.raw_table import MISSING_WORDS, as_text, is_blank
from qhub_desktop.data.ingest.readers.sheet import CellError, Merge, Value, address

HEAD_ROWS = 60  # looked at to find the header
BODY_ROWS = 25  # below a row, to judge whether it is their header
WIDE = 0.6  # of the columns must have a name, in a table of texts
HALF = 0.5  # of them must, where values tell the header from what is below it
NAME_LIKE = 0.8
NAMED = 12  # names in a sentence

_NUMBER = re.compile(r"[\s+\-(]*[€$£]?\s*\d[\d.,'\s]*\s*[%€$£)]?-?")
_MOMENT = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?"
)
_UNIT = re.compile(
    r"[\[(].{1,15}[\])]|%|‰|°C|ºC|[mcdkµμun]?m[²³23]?|um|kg|g|mg|µg|s|ms|min|h|N|kN|Nm|bar|mbar|Pa|kPa|MPa"
    rf"|V|A|mA|W|kW|Hz|l|ml|€|EUR|ppm|GU|dB|{'|'.join(map(re.escape, words_of('files', 'units')))}",
    re.IGNORECASE,
)

Row = Sequence[Value]


@dataclass(frozen=True, slots=True)
class Heading:
    """Layout of a sheet's first rows: titles, header and where the body begins.

    Rows count from 0, from the sheet's corner.
    """

    names: tuple[str, ...]  # as in the file, "" where there is none; may be fewer than columns
    titles: tuple[int, ...]  # rows above the header that hold something
    blanks: tuple[int, ...]  # rows above the body that hold nothing
    header: int | None  # the first row of the header
    header_rows: int
    body: int  # where the rows begin
    findings: tuple[Finding, ...] = ()


def detect_header(
    rows: Sequence[Row],
    *,
    merges: Sequence[Merge] = (),
    chosen: int | None = None,
    has_names: bool = False,
) -> Heading:
    """Return the heading of a sheet that begins with these rows.

    `chosen` is the last row of the header as the person chose it, from 0; -1 for no header. With
    `has_names` the format itself says that the first row holds the names.
    """
    filled = [[place for place, cell in enumerate(row) if not is_blank(cell)] for row in rows]
    if not any(filled):
        return Heading((), (), tuple(range(len(rows))), None, 0, len(rows))
    if has_names:
        return _heading_of(rows, filled, merges, first=0, last=0)
    if chosen is not None:
        if chosen < 0:
            return _heading_without_header(filled, next(n for n, row in enumerate(filled) if row))
        return _heading_around(rows, filled, merges, min(chosen, len(rows) - 1), is_sure=True)
    start = _find_header_row(rows, filled)
    if start is None:
        first = next(n for n, row in enumerate(filled) if len(row) * 2 > _width_below(filled, n))
        return _heading_without_header(filled, first)
    return _heading_around(rows, filled, merges, start, is_sure=False)


def _find_header_row(rows: Sequence[Row], filled: Sequence[list[int]]) -> int | None:
    """Return the likeliest header row, a row of names above the first row of values, if any."""
    used = [number for number, places in enumerate(filled) if places]
    if max(map(len, filled)) == 1:
        return used[0] if _stands_out(rows, filled, used[0]) else None
    first = _first_row_of_values(rows, filled)
    if first is None:
        return _first_wide_row(rows, filled, used)
    above = [number for number in used if number < first]
    while not above or not _is_header(rows, filled, above[-1]):
        # A few cells may be facts above the table, as in 'Week | 7'.
        if len(filled[first]) >= HALF * _width_below(filled, first):
            return None
        first = _first_row_of_values(rows, filled, after=first)
        if first is None:
            return None
        above = [number for number in used if number < first]
    header = above[-1]
    # A first row of data may hold a word where the others have a number: the names are as many.
    while (
        header - 1 in above
        and len(filled[header - 1]) >= len(filled[header])
        and _is_header(rows, filled, header - 1)
    ):
        header -= 1
    return header


def _first_row_of_values(
    rows: Sequence[Row], filled: Sequence[list[int]], *, after: int = -1
) -> int | None:
    """Return the first row with values where most rows have them; None in a table of texts only."""
    used = [number for number, places in enumerate(filled) if len(places) > 1]
    if not used:
        return None
    lower = used[len(used) // 2 :] if len(used) > 3 else used[-1:]
    counted = Counter(
        place for number in lower for place in filled[number] if not _is_name(rows[number][place])
    )
    typed = {place for place, count in counted.items() if count * 2 > len(lower)}
    for number in used:
        if number <= after:
            continue
        there = [rows[number][place] for place in filled[number] if place in typed]
        # A formula that has failed may stand in a header too; alone it stands for a value.
        sound = [cell for cell in there if not isinstance(cell, CellError)]
        values = sum(not _is_name(cell) for cell in sound)
        is_of_values = values * 2 >= len(sound) and (values > 0 or (not sound and bool(there)))
        if is_of_values and not _are_years(rows, filled, number):
            return number
    return None


def _first_wide_row(
    rows: Sequence[Row], filled: Sequence[list[int]], used: Sequence[int]
) -> int | None:
    """Return the first row as wide as those below it, if it can be a header."""
    for number in used:
        if len(filled[number]) >= max(2, WIDE * _width_below(filled, number)):
            return number if _is_header(rows, filled, number) else None
    return None


def _is_header(rows: Sequence[Row], filled: Sequence[list[int]], number: int) -> bool:
    """Return whether a row is wide enough for a header, and consists of names."""
    # A formula that has failed says nothing of what it should have been.
    cells = [
        cell for cell in rows[number] if not is_blank(cell) and not isinstance(cell, CellError)
    ]
    if len(cells) < max(2, HALF * _width_below(filled, number)):
        return False
    named = sum(map(_is_name, cells)) / len(cells)
    return named >= NAME_LIKE or _are_years(rows, filled, number)


def _width_below(filled: Sequence[list[int]], number: int) -> int:
    """Return the number of columns that most of the rows under this one use."""
    below = [places for places in filled[number + 1 :] if places][:BODY_ROWS]
    wide = [len(places) for places in below if len(places) > 1]
    if not wide:
        return len(filled[number])
    return sorted(wide)[len(wide) // 2]


def _stands_out(rows: Sequence[Row], filled: Sequence[list[int]], number: int) -> bool:
    """Return whether the first cell of a single column is its name: different from all below it."""
    value = rows[number][filled[number][0]]
    below = [rows[each][filled[each][0]] for each in range(number + 1, len(rows)) if filled[each]]
    return _is_name(value) and value not in below


def _heading_around(
    rows: Sequence[Row],
    filled: Sequence[list[int]],
    merges: Sequence[Merge],
    number: int,
    *,
    is_sure: bool,
) -> Heading:
    """Return the heading around a header row, with a group or unit row next to it, if any."""
    if number > 0 and _is_group_row(rows, filled, merges, number - 1, number):
        return _heading_of(rows, filled, merges, first=number - 1, last=number)
    if not is_sure and number + 1 < len(rows):
        is_group = _is_group_row(rows, filled, merges, number, number + 1)
        if (is_group and _has_contrast(rows, filled, number + 1)) or _is_unit_row(
            rows, filled, number + 1
        ):
            return _heading_of(rows, filled, merges, first=number, last=number + 1)
    return _heading_of(rows, filled, merges, first=number, last=number)


def _is_group_row(
    rows: Sequence[Row],
    filled: Sequence[list[int]],
    merges: Sequence[Merge],
    upper: int,
    lower: int,
) -> bool:
    """Return whether the upper row holds labels of groups of the names in the lower one."""
    above, below = filled[upper], filled[lower]
    if not above or not below or not all(_is_name(rows[upper][place]) for place in above):
        return False
    if not all(_is_name(rows[lower][place]) for place in below):
        return False
    spans = [
        merge
        for merge in merges
        if merge.row == upper and merge.last_row == upper and merge.last_column > merge.column
    ]
    whole = len(set(above) | set(below))
    is_grouping = any(
        merge.last_column - merge.column + 1 < whole
        and {*range(merge.column, merge.last_column + 1)} <= set(below)
        for merge in spans
    )
    merged = {merge.column for merge in spans}
    if is_grouping:
        # A title may be merged too, but a label of its own has no name below it.
        return all(place in merged or place not in below for place in above)
    names = [as_text(rows[lower][place]).strip().casefold() for place in below]
    if len(set(names)) < len(names) and len(above) * 2 >= len(below):
        return True  # these names alone would not tell the columns apart
    # Without merged cells: labels with room for several names each, or with a name of their own.
    if len(above) < 2 or set(above) >= set(below):
        return False
    covered = [
        len([place for place in below if start <= place < end])
        for start, end in pairwise([*above, max(below) + 1])
    ]
    return max(covered) > 1 and all(
        count != 1 or place not in below for count, place in zip(covered, above, strict=True)
    )


def _has_contrast(rows: Sequence[Row], filled: Sequence[list[int]], number: int) -> bool:
    """Return whether the rows below a row of names hold values, which no name looks like."""
    below = [each for each in range(number + 1, len(rows)) if filled[each]][:BODY_ROWS]
    if not below:
        return True
    return any(
        sum(place in filled[each] and not _is_name(rows[each][place]) for each in below) * 2
        > len(below)
        for place in filled[number]
    )


def _is_unit_row(rows: Sequence[Row], filled: Sequence[list[int]], number: int) -> bool:
    cells = [rows[number][place] for place in filled[number]]
    return (
        bool(cells)
        and all(isinstance(cell, str) and _UNIT.fullmatch(cell.strip()) for cell in cells)
        and number + 1 < len(rows)
        and _has_contrast(rows, filled, number)
        and (len(cells) > 1 or str(cells[0]).strip()[0] in "[(")
    )


def _heading_of(
    rows: Sequence[Row],
    filled: Sequence[list[int]],
    merges: Sequence[Merge],
    *,
    first: int,
    last: int,
) -> Heading:
    width = max(len(rows[number]) for number in range(first, last + 1))
    names = [""] * width
    for number in range(first, last + 1):
        labels = _labels(rows[number], width)
        is_units = number > first and _is_unit_row(rows, filled, number)
        if number < last:
            labels = _spread(labels, filled, merges, number, last)
        else:
            labels = _spread_merged(labels, merges, number)
        for place, label in enumerate(labels):
            if is_units and label and label[0] not in "[(":
                label = f"({label})"  # noqa: PLW2901  the unit of the name above it
            if label and label != names[place]:
                names[place] = f"{names[place]} {label}".strip()
    return Heading(
        names=tuple(names),
        titles=tuple(number for number in range(first) if filled[number]),
        blanks=tuple(number for number in range(first) if not filled[number]),
        header=first,
        header_rows=last - first + 1,
        body=last + 1,
    )


def _labels(row: Row, width: int) -> list[str]:
    labels = [" ".join(as_text(cell).split()) for cell in row]
    return labels + [""] * (width - len(labels))


def _spread(
    labels: list[str],
    filled: Sequence[list[int]],
    merges: Sequence[Merge],
    number: int,
    last: int,
) -> list[str]:
    """Spread group labels over all the names that they stand above."""
    if any(merge.row == number and merge.last_column > merge.column for merge in merges):
        return _spread_merged(labels, merges, number)
    spread: list[str] = []
    for place, label in enumerate(labels):
        follows = bool(spread and spread[-1]) and not label and place in filled[last]
        spread.append(spread[-1] if follows else label)
    return spread


def _spread_merged(labels: list[str], merges: Sequence[Merge], number: int) -> list[str]:
    spread = [*labels]
    for merge in merges:
        if merge.row == number:
            for place in range(merge.column, min(merge.last_column + 1, len(labels))):
                spread[place] = labels[merge.column]
    return spread


def _heading_without_header(filled: Sequence[list[int]], body: int) -> Heading:
    finding = Finding(
        "no_header",
        _(
            "No row holds the columns' names, so they were given names. If one does, choose it as"
            " the header."
        ),
    )
    return Heading(
        names=(),
        titles=tuple(number for number in range(body) if filled[number]),
        blanks=tuple(number for number in range(body) if not filled[number]),
        header=None,
        header_rows=0,
        body=body,
        findings=(finding,),
    )


def _is_name(cell: Value) -> bool:
    """Return whether a cell reads as a name rather than as a value."""
    if not isinstance(cell, str):
        return False
    text = cell.strip()
    if text.lower() in MISSING_WORDS:
        return False  # nothing, where a value could be
    return not (_NUMBER.fullmatch(text) or _MOMENT.fullmatch(text))


def _are_years(rows: Sequence[Row], filled: Sequence[list[int]], number: int) -> bool:
    """Return whether the cells that are no names are years above numbers of another size."""
    odd = [place for place in filled[number] if not _is_name(rows[number][place])]
    if len(odd) == len(filled[number]) or len(odd) < 2:
        return False
    values = [as_text(rows[number][place]).strip() for place in odd]
    years = [value for value in values if re.fullmatch(r"(?:19|20)\d\d", value)]
    if len(set(years)) < len(years) or len(years) < NAME_LIKE * len(odd):
        return False
    below = [
        as_text(rows[each][place]).strip()
        for each in range(number + 1, len(rows))
        for place in odd
        if place < len(rows[each]) and not is_blank(rows[each][place])
    ]
    alike = sum(bool(re.fullmatch(r"(?:19|20)\d\d", value)) for value in below)
    return alike * 5 <= len(below)


def unique_names(
    header: Sequence[str], positions: Sequence[int], *, row: int | None, first_column: int
) -> tuple[list[str], list[Finding]]:
    """Return a different name for each of these columns, and what was changed for that.

    `row` is where in the file the header is, from 0.
    """
    named: list[str] = []
    taken: set[str] = set()
    unnamed: list[tuple[int, str]] = []
    repeated: list[tuple[int, str]] = []
    for position in positions:
        given = header[position] if position < len(header) else ""
        wanted = given or _("column_{number}").format(number=position + 1)
        name, number = wanted, 2
        while name.casefold() in taken:
            name, number = f"{wanted}_{number}", number + 1
        if not given:
            unnamed.append((position, name))
        elif name != given:
            repeated.append((position, f"{given} → {name}"))
        taken.add(name.casefold())
        named.append(name)
    findings: list[Finding] = []
    if unnamed and row is not None:
        words = ngettext(
            "{count} column without a name was given one: {names}.",
            "{count} columns without a name were given one: {names}.",
            len(unnamed),
        )
        findings.append(_renamed_finding("names_given", words, unnamed, row, first_column))
    if repeated:
        words = ngettext(
            "{count} column with a name that is used already was renamed: {names}.",
            "{count} columns with names that are used already were renamed: {names}.",
            len(repeated),
        )
        findings.append(
            _renamed_finding("names_told_apart", words, repeated, row or 0, first_column)
        )
    return named, findings


def _renamed_finding(
    kind: str, words: str, found: Sequence[tuple[int, str]], row: int, first_column: int
) -> Finding:
    names = ", ".join(name for _position, name in found[:NAMED])
    return Finding(
        kind,
        words.format(count=len(found), names=names + (", …" if len(found) > NAMED else "")),
        count=len(found),
        cells=tuple(address(row, first_column + position) for position, _name in found[:LISTED]),
    )
