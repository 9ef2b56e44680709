"""Where a growing Markdown text may be cut, so that only its tail is rendered again and again.

A cut is safe at a blank line outside a code fence, before a line that begins a new block whatever
stood above it. Where none comes for long, the text is cut inside a code block, a table or a list,
and the tail is given what it needs to look the same: this shows only until the answer's end, when
all of it is rendered once more as a whole.
"""

import re
from dataclasses import dataclass

from qhub_desktop.core.fenced import OPENING, closes

SEGMENT_CHARACTERS = 3_000
PART_CHARACTERS = 6_000

_LEANS_BACK = re.compile(r"^(\s|[-*+](\s|$)|\d{1,9}[.)](\s|$)|\||>|=+\s*$|-+\s*$)")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_ITEM = re.compile(r"^([-*+]|\d{1,9}[.)])\s")
# Enough of a line to know that it is neither a list item nor a table row.
_TELLING_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class Cut:
    """Two texts to render apart: `head` will not change any more, `tail` still grows."""

    head: str
    tail: str


def cut(text: str, *, size: int = SEGMENT_CHARACTERS) -> Cut | None:
    """Part a text that has grown beyond `size`; nothing while it may not be parted."""
    if len(text) <= size:
        return None
    scan = _scan(text, size)
    if scan.safe:
        return Cut(text[: scan.safe], text[scan.safe :])
    # A table is slow to lay out: it is not let grow as long as the rest.
    if len(text) <= 2 * size and not scan.header:
        return None
    return _forced(text, scan, size)


def parts(text: str, *, size: int = PART_CHARACTERS) -> list[str]:
    """A whole text in parts of about `size` that look together as the text would; mostly one.

    A document of 70 tables takes 60 ms to lay out at once, and cannot be interrupted.
    """
    found: list[str] = []
    wished = size
    while len(text) > wished + size // 2:
        if at := _scan(text, wished).safe:
            found.append(text[:at])
            text = text[at:]
            wished = size
        else:
            wished *= 2  # a long list, table or code block stays in one piece
    return [*found, text]


@dataclass(slots=True)
class _Scan:
    """What is known at the last place at or before the wished size."""

    safe: int = 0
    rough: int = 0  # the start of the last whole line
    rough_item: int = 0  # the start of the last list item at the margin
    fence: str = ""  # the line that opened the fence that `rough` stands in
    header: str = ""  # the first two lines of the table that `rough` stands in


def _scan(text: str, size: int) -> _Scan:
    scan = _Scan()
    fence = header = previous = ""
    was_blank = False
    at = 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        is_whole = len(bare) < len(line)
        if at > 2 * size:
            break
        scan.rough, scan.fence, scan.header = at, fence, header
        if not fence and _ITEM.match(bare):
            scan.rough_item = at
        is_known = is_whole or len(bare) >= _TELLING_CHARACTERS
        if was_blank and not fence and bare.strip() and is_known and not _LEANS_BACK.match(bare):
            scan.safe = at
            if at >= size:
                break
        found = OPENING.match(bare)
        if found and not fence:
            fence = bare
        elif found and closes(bare, fence):
            fence = ""
        if fence or not bare.strip():
            header = ""
        elif not header and _TABLE_RULE.match(bare) and "|" in previous:
            header = f"{previous}\n{bare}\n"
        was_blank = not bare.strip()
        previous = bare
        at += len(line)
    return scan


def _forced(text: str, scan: _Scan, size: int) -> Cut | None:
    at = scan.rough
    # A cut that leaves most of the text behind would only have to be made again.
    if at < size // 2:
        at = text.rfind(" ", 0, 2 * size) + 1
        is_open = scan.fence or scan.header or at < size // 2
        return None if is_open else Cut(text[:at], text[at:])
    if scan.fence:
        mark = scan.fence.strip()
        closing = mark[: len(mark) - len(mark.lstrip(mark[0]))]
        return Cut(f"{text[:at]}{closing}\n", f"{scan.fence}\n{text[at:]}")
    if scan.header:
        return Cut(text[:at], scan.header + text[at:])
    if scan.rough_item >= size // 2:
        return Cut(text[: scan.rough_item], text[scan.rough_item :])
    return Cut(text[:at], text[at:])
