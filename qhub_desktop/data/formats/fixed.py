"""Columns that are aligned with blanks, as in the printed reports of SAP and Minitab."""

import re
from collections.abc import Sequence
from itertools import pairwise

from qhub_desktop.data.formats.records import RULE_STARTS, Fixed

FEWEST_LINES = 3
FEWEST_FOR_ONE_BLANK = 5  # so many lines before a single blank parts columns
TITLE_LINES = 12
NOTE_LINES = 4
LINES = 300
KEPT = 0.7  # so many lines must keep to the columns that a drawn line shows

_GROUP = re.compile(r"-{2,}|={2,}|_{2,}|─{2,}")


def columns_of(lines: Sequence[str]) -> tuple[Fixed, list[str]] | None:
    """Where columns begin, and the lines that show it; nothing where lines do not align."""
    table = [line.rstrip() for line in lines[:LINES]]
    table = [line for line in table if line.strip() and not _is_rule(line)]
    if ruled := _ruled([line.rstrip() for line in lines[:LINES]], table):
        return ruled
    used = [_used(line) for line in table]
    best: tuple[int, int, list[int]] = (0, 0, [])
    for first in range(min(TITLE_LINES, len(table) // 2) + 1):
        for last in range(len(table), max(first, len(table) - NOTE_LINES - 1), -1):
            if last - first < FEWEST_LINES:
                continue
            starts = _starts(used[first:last])
            if len(starts) > max(1, len(best[2])):
                best = (first, last, starts)
    part = table[best[0] : best[1]]
    starts = _without_headings_alone(best[2], part) if part else []
    return (Fixed(tuple(starts)), part) if len(starts) > 1 else None


def _ruled(lines: Sequence[str], table: Sequence[str]) -> tuple[Fixed, list[str]] | None:
    """The columns that a line drawn under the header shows, if the rows keep to them."""
    for line in lines:
        starts = [group.start() for group in _GROUP.finditer(line)]
        if len(starts) < 2 or not _is_rule(line):
            continue
        kept = [
            each
            for each in table
            if all(each[start - 1 : start] in ("", " ") for start in starts[1:])
        ]
        if len(kept) >= max(2, KEPT * len(table)):
            return Fixed((0, *starts[1:])), kept
    return None


def _is_rule(line: str) -> bool:
    return not set(line) - RULE_STARTS - {" "}


def _used(line: str) -> int:
    """The places of a line that are not blank, as the bits of a number."""
    return sum(1 << place for place, letter in enumerate(line) if letter != " ")


def _starts(lines: Sequence[int]) -> list[int]:
    """The places where columns begin if every line has blanks between them."""
    used = 0
    for line in lines:
        used |= line
    least = 1 if len(lines) >= FEWEST_FOR_ONE_BLANK else 2
    starts: list[int] = []
    gap = least
    for place in range(used.bit_length()):
        if not used >> place & 1:
            gap += 1
            continue
        if gap >= least or not starts:
            starts.append(place)
        gap = 0
    return [0, *starts[1:]] if starts else []


def _without_headings_alone(starts: list[int], lines: Sequence[str]) -> list[int]:
    """Join what is no column but a word of the next one's heading: numbers stand to the right."""
    kept = starts.copy()
    for start, end in pairwise(starts):
        is_filled = any(line[start:end].strip() for line in lines[1:])
        if not is_filled and end in kept and lines[0][end - 2 : end - 1] not in ("", " "):
            kept.remove(end)
    return kept
