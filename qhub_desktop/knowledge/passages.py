"""Passages: blocks of a document joined or parted to 300 to 900 characters, with their place."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from qhub_desktop.core.documents import DocumentPlace, Passage, Rectangle
from qhub_desktop.core.values import dataclass

LEAST = 300
MOST = 900
ENOUGH = 600  # a passage ends at the next paragraph: longer ones mix subjects
LONGEST_PATH_NAME = 200
_SENTENCE_END = re.compile(r"(?<=[.!?;:…])\s+|\n")
_RANGE = re.compile(r"([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph or a row of a table, as its file has it.

    `level` is that of a heading, from 1; 0 is no heading. `header` is the header row of the table
    that a row stands in. `lines` are the places in `text` at which its lines begin, each with the
    line's rectangle; `place` has none.
    """

    text: str
    place: DocumentPlace = DocumentPlace()
    level: int = 0
    header: str = ""
    lines: tuple[tuple[int, Rectangle], ...] = ()
    certainty: float | None = None

    def rectangles(self, start: int, end: int) -> tuple[Rectangle, ...]:
        """Return those of the lines that the characters from `start` up to `end` stand in."""
        places = sorted({at for at, _line in self.lines})
        until = dict(zip(places, [*places, len(self.text)][1:], strict=True))
        return tuple(line for at, line in self.lines if at < end and until[at] > start)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    block: Block
    rectangles: tuple[Rectangle, ...]


def passages(blocks: Iterable[Block]) -> Iterator[Passage]:
    """Yield the passages of a document, in order.

    None goes across a heading, a page, a slide, a sheet or a part; the first of a section begins
    with its heading, and all have the headings that lead to them in their place.
    """
    headings: list[tuple[int, str]] = []
    section: list[_Piece] = []
    for block in blocks:
        text = block.text.strip()
        if not text:
            continue
        is_elsewhere = bool(section) and not _is_together(section[-1].block.place, block.place)
        if block.level or is_elsewhere:
            # A heading with nothing under it stands in the path of what follows; it is a passage
            # of its own only where nothing does.
            is_led = block.level > section[-1].block.level if section and block.level else True
            if not (is_led and all(piece.block.level for piece in section)):
                yield from _packed(section, headings)
            section = []
        if block.level:
            headings = [each for each in headings if each[0] < block.level]
            headings.append((block.level, " ".join(text.split())[:LONGEST_PATH_NAME]))
        section += _pieces(block)
    yield from _packed(section, headings)


def _is_together(one: DocumentPlace, other: DocumentPlace) -> bool:
    return (one.page, one.slide, one.sheet, one.part) == (
        other.page,
        other.slide,
        other.sheet,
        other.part,
    )


def _pieces(block: Block) -> Iterator[_Piece]:
    """Yield the block in pieces that fit into a passage, parted where sentences end."""
    most = max(LEAST, MOST - len(block.header) - 1) if block.header else MOST
    start = 0
    text = block.text.rstrip()
    while start < len(text):
        while start < len(text) and text[start].isspace():
            start += 1
        end = len(text)
        if end - start > most:
            ends = [each.start() for each in _SENTENCE_END.finditer(text, start, start + most + 1)]
            end = next((each for each in reversed(ends) if each - start >= LEAST), 0)
            end = end or text.rfind(" ", start + LEAST, start + most + 1)
            end = end if end > start else start + most
        yield _Piece(text[start:end].rstrip(), block, block.rectangles(start, end))
        start = end


def _packed(section: list[_Piece], headings: list[tuple[int, str]]) -> Iterator[Passage]:
    """Yield the pieces of one section as passages of a good length."""
    groups: list[list[_Piece]] = []
    for piece in section:
        group = groups[-1] if groups else []
        length = len(_text([*group, piece]))
        if not group or length > MOST or len(_text(group)) >= ENOUGH:
            groups.append([piece])
        else:
            group.append(piece)
    if len(groups) > 1 and len(_text(groups[-1])) < LEAST:
        # The last one gets company of the one before, as long as that has enough left.
        before, last = groups[-2:]
        if len(_text([*before, *last])) <= MOST:
            groups[-2:] = [[*before, *last]]
        else:
            while len(before) > 1 and len(_text(last)) < LEAST <= len(_text(before[:-1])):
                if len(_text([before[-1], *last])) > MOST:
                    break
                last.insert(0, before.pop())
    path = tuple(words for _level, words in headings)
    for group in groups:
        yield _passage(group, path)


def _text(group: list[_Piece]) -> str:
    lines: list[str] = []
    header = ""
    for piece in group:
        if piece.block.header and piece.block.header != header:
            lines.append(piece.block.header)
        header = piece.block.header
        lines.append(piece.text)
    return "\n".join(lines)


def _passage(group: list[_Piece], headings: tuple[str, ...]) -> Passage:
    first, last = group[0].block.place, group[-1].block.place
    certainties = [piece.block.certainty for piece in group if piece.block.certainty is not None]
    place = replace(
        first,
        cells=joined_range(first.cells, last.cells),
        headings=headings,
        rectangles=tuple(dict.fromkeys(each for piece in group for each in piece.rectangles)),
    )
    certainty = round(sum(certainties) / len(certainties), 3) if certainties else None
    return Passage(_text(group), place, certainty)


def corners(cells: str) -> tuple[int, int, int, int] | None:
    """Return first row and column, last row and column of a range, from 0; None for no range."""
    found = _RANGE.fullmatch(cells)
    if found is None:
        return None
    left, top, right, bottom = found.groups()
    last_row, last_column = int(bottom or top), column_number(right or left)
    return int(top) - 1, column_number(left), last_row - 1, last_column


def column_number(letters: str) -> int:
    """Return a column's number from 0, by its letters."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def column_letters(column: int) -> str:
    """Return a column's letters, counted from 0."""
    made = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        made = chr(ord("A") + letter) + made
    return made


def joined_range(first: str, last: str) -> str:
    """Return the range of cells that covers two, as 'A3:D9' covers 'A3:D3' and 'A9:C9'."""
    found = [each for each in map(_RANGE.fullmatch, (first, last)) if each]
    if len(found) < 2 or first == last:
        return first
    columns = [each for match in found for each in (match[1], match[3] or match[1])]
    rows = [int(each) for match in found for each in (match[2], match[4] or match[2])]
    columns.sort(key=lambda letters: (len(letters), letters))
    return f"{columns[0]}{min(rows)}:{columns[-1]}{max(rows)}"
