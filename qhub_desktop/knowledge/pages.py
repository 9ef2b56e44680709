"""Pages as blocks: repeated lines left out, headings told from text, lines joined to paragraphs."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from qhub_desktop.core.documents import DocumentPlace
from qhub_desktop.core.text import fold
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.facts import CELL
from qhub_desktop.knowledge.layout import ALIGNED, PageLine, joint
from qhub_desktop.knowledge.passages import Block

EDGE = 0.16  # of a page's height, at its top and foot: where repeated lines are headers
LEAST_PAGES = 3  # of which most have a line that is a header; of two, both
LARGER = 1.15  # than the text: a heading
LARGER_IN_SCAN = 1.45  # where heights are measured from the picture
LONGEST_HEADING = 120
MOST_HEADINGS = 25  # of a page, if they are a third of its lines: the labels of a drawing
PARAGRAPH_GAP = 0.45  # of a line's height, more than lines of this page usually have between them
INDENT = 1.2  # of a line's height
SHORT = 0.8  # of its column's width: a line that ends a paragraph with its sentence
SHORTER = 0.6  # the same where no sentence ends, as in lists
_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*(?:\d{1,4}(?:\s*/\s*\d{1,4})?|[ivxlc]{1,7})[-–—|\s]*", re.IGNORECASE
)
_LEADERS = re.compile(r"(?:\s?[.·_…]){4,}\s*")  # of a table of contents
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])")
_LIST = re.compile(r"(?:[-–—•●▪◦‣·*]|\d{1,2}[.)]|[a-z][.)]|\([a-z0-9]{1,2}\))\s")


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The lines of a page, counted from 1, in reading order; the number printed on it."""

    number: int
    label: str
    lines: list[PageLine]


def page_blocks(pages: Sequence[ReadPage]) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Return the blocks of a document, and the lines that stand on most of its pages."""
    edges = _Edges(pages)
    headers: dict[str, str] = {}
    kept: list[ReadPage] = []
    for page in pages:
        lines: list[PageLine] = []
        for line in page.lines:
            if not _is_at_edge(line):
                lines.append(line)
            elif edges.is_repeated(line, page) and not edges.heads_table(line, page):
                headers.setdefault(_digitless(line.text), CELL.join(line.cells) or line.text)
            elif not _PAGE_NUMBER.fullmatch(line.text):
                lines.append(line)
        kept.append(ReadPage(page.number, page.label, lines))
    levels = _Levels(kept)
    words = Counter(
        word.lower().strip(".,;:()")
        for page in kept
        for line in page.lines
        for word in line.text.split()
    )
    tables = _table_headers(kept)
    blocks = [block for page in kept for block in _blocks(page, levels, tables, words)]
    return tuple(blocks), tuple(headers.values())


def _digitless(text: str) -> str:
    return re.sub(r"\d+", "#", fold(text))


def _is_at_edge(line: PageLine) -> bool:
    top, bottom = line.marks[0][1], line.marks[0][3]
    return (top + bottom) / 2 < EDGE or (top + bottom) / 2 > 1 - EDGE


class _Edges:
    """The lines at the tops and feet of a document's pages that are its headers and footers.

    They stand on most pages. The heads of chapters stand on fewer: several have them at the same
    height. The number of the page may differ, in whatever way it is counted.
    """

    def __init__(self, pages: Sequence[ReadPage]) -> None:
        filled = [page for page in pages if page.lines]
        self._body = _usual_size([line for page in filled for line in page.lines])
        counts: Counter[str] = Counter()
        heights: Counter[tuple[str, float]] = Counter()
        for page in filled:
            edge = [line for line in page.lines if _is_at_edge(line)]
            counts.update({key for line in edge for key in self._keys(line, page)})
            heights.update(
                {
                    (key, round(line.marks[0][1], 2))
                    for line in edge
                    if not line.table
                    for key in self._keys(line, page)
                }
            )
        least = len(filled) / 2 if len(filled) >= LEAST_PAGES else 1
        self._repeated = {key for key, count in counts.items() if count > least}
        self._repeated |= {key for (key, _at), count in heights.items() if count >= LEAST_PAGES}

    def is_repeated(self, line: PageLine, page: ReadPage) -> bool:
        """Return whether a line stands on other pages, too."""
        return any(key in self._repeated for key in self._keys(line, page))

    def heads_table(self, line: PageLine, page: ReadPage) -> bool:
        """Return whether a line is the header of a table that has other rows on each page."""
        rows = [each for each in page.lines if each.table and each.table == line.table]
        return (
            bool(rows)
            and rows[0] is line
            and not all(self.is_repeated(each, page) for each in rows)
        )

    def _keys(self, line: PageLine, page: ReadPage) -> Iterator[str]:
        """Yield the line, and the line with each of its numbers as it differs from the page's."""
        text = fold(line.text)
        yield text
        if line.size >= self._body * LARGER:  # 'Anexo 1', 'Anexo 2' are headings
            return
        for number in re.finditer(r"\d{1,4}", text):
            offset = int(number[0]) - page.number
            yield f"{text[: number.start()]}#{offset}{text[number.end() :]}"


class _Levels:
    """The levels of a document's headings, by their size, weight and numbering."""

    def __init__(self, pages: Sequence[ReadPage]) -> None:
        lines = [line for page in pages for line in page.lines]
        self._body = {
            is_scan: _usual_size(
                [each for each in lines if (each.certainty is not None) is is_scan]
            )
            for is_scan in (False, True)
        }
        letters = sum(len(line.text) for line in lines)
        bold = sum(len(line.text) for line in lines if line.is_bold)
        self._has_plain_text = bold * 3 < letters
        keys = {self._key(line) for line in lines if self.is_heading(line)}
        self._order = sorted(keys)

    def of(self, line: PageLine) -> int:
        """Return the level of a line from 1, or 0 where it is no heading."""
        return self._order.index(self._key(line)) + 1 if self.is_heading(line) else 0

    def is_heading(self, line: PageLine) -> bool:
        """Return whether a line is short, ends no sentence, and stands out."""
        text = line.text
        letters = sum(map(str.isalpha, text))
        if line.table or letters < 3 or len(text) > LONGEST_HEADING or text[-1] in ".;,:":
            return False
        if _LEADERS.search(text):
            return False
        if self._is_larger(line):
            return True
        if _LIST.match(text) and not _NUMBERED.match(text):
            return False
        number = _NUMBERED.match(text)
        if line.is_bold and self._has_plain_text:
            return True
        if number is None:
            return False
        is_in_capitals = text.isupper() and not re.search(r"[\d_]", text[number.end() :])
        return is_in_capitals or "." in number[1]

    def _is_larger(self, line: PageLine) -> bool:
        is_scan = line.certainty is not None
        return line.size >= self._body[is_scan] * (LARGER_IN_SCAN if is_scan else LARGER)

    def _key(self, line: PageLine) -> tuple[int, int]:
        """Return what orders headings: the larger first, then by the depth of their numbers."""
        number = _NUMBERED.match(line.text)
        depth = number[1].count(".") if number else 0
        if line.certainty is not None:
            return (-int(self._is_larger(line)) if depth == 0 and number is None else 0, depth)
        return -round(line.size / max(1, self._body[False]) / 0.15), depth


def _usual_size(lines: Sequence[PageLine]) -> float:
    """Return the height that most letters of running text have."""
    running = [line for line in lines if not line.table] or lines
    counts: Counter[float] = Counter()
    for line in running:
        counts[round(line.size * 2) / 2] += len(line.text)
    return max(counts, key=lambda size: counts[size], default=0)


def _table_headers(pages: Sequence[ReadPage]) -> dict[tuple[int, int], tuple[str, bool]]:
    """Return the header row of each table by page and number, and whether it stands there itself.

    A table that goes on from the page before carries the header that stands there.
    """
    found: dict[tuple[int, int], tuple[str, bool]] = {}
    before: PageLine | None = None  # the row that ended the page before
    before_header = ""
    for page in pages:
        tables: dict[int, list[PageLine]] = {}
        for line in page.lines:
            if line.table:
                tables.setdefault(line.table, []).append(line)
        for number, rows in tables.items():
            first = CELL.join(rows[0].cells)
            goes_on = (
                before is not None and page.lines[0] is rows[0] and _has_edges_of(rows[0], before)
            )
            if goes_on and before_header and _fold(first) != _fold(before_header):
                header = before_header, False
            else:
                header = (first, True) if len(rows) > 1 and _is_header(rows[0]) else ("", False)
            found[page.number, number] = header
        last = page.lines[-1] if page.lines else None
        before = last if last is not None and last.table else None
        before_header = found[page.number, before.table][0] if before else ""
    return found


def _fold(text: str) -> str:
    return " ".join(fold(text).split())


def _has_edges_of(row: PageLine, other: PageLine) -> bool:
    return len(row.edges) == len(other.edges) and all(
        abs(one - two) <= 2 * ALIGNED for one, two in zip(row.edges, other.edges, strict=True)
    )


def _is_header(row: PageLine) -> bool:
    """Return whether a row names columns: its cells are words, not numbers."""
    filled = [cell for cell in row.cells if cell]
    worded = [cell for cell in filled if any(map(str.isalpha, cell))]
    return len(filled) > 1 and len(worded) * 2 > len(filled)


def _blocks(
    page: ReadPage,
    levels: _Levels,
    tables: dict[tuple[int, int], tuple[str, bool]],
    words: Counter[str],
) -> Iterator[Block]:
    """Yield the headings, paragraphs and rows of a page."""
    place = DocumentPlace(page=page.number, label=page.label)
    heading_lines = sum(levels.is_heading(line) for line in page.lines)
    is_drawing = heading_lines > MOST_HEADINGS and heading_lines * 3 > len(page.lines)
    usual_gap = _usual_gap(page.lines)
    open_lines: list[PageLine] = []
    open_level = 0
    heading_row: PageLine | None = None
    table = 0

    def ended() -> Iterator[Block]:
        if open_lines:
            yield _joined(open_lines, place, open_level, words)
            open_lines.clear()

    for line in page.lines:
        if line.table:
            yield from ended()
            header, is_own = tables[page.number, line.table]
            if line.table != table and is_own:
                heading_row, table = line, line.table
                continue
            table = line.table
            marks = [*(heading_row.marks if heading_row else ()), *line.marks]
            heading_row = None
            lines = tuple((0, mark) for mark in marks)
            yield Block(CELL.join(line.cells), place, 0, header, lines, line.certainty)
            continue
        level = 0 if is_drawing else levels.of(line)
        if open_lines and not (
            level == open_level
            and _goes_on(open_lines, line, page, usual_gap, is_heading=bool(level))
        ):
            yield from ended()
        open_lines.append(line)
        open_level = level
    yield from ended()


def _usual_gap(lines: Sequence[PageLine]) -> float:
    """Return the space that most lines of a page have between them, in heights of a line."""
    gaps = sorted(
        (after.box[1] - line.box[3]) / max(1e-6, line.box[3] - line.box[1])
        for line, after in pairwise(lines)
        if line.column == after.column and not line.table and not after.table
    )
    return gaps[len(gaps) // 3] if gaps else 0.0


def _goes_on(
    paragraph: Sequence[PageLine],
    line: PageLine,
    page: ReadPage,
    usual_gap: float,
    *,
    is_heading: bool,
) -> bool:
    """Return whether a line belongs to the paragraph, or to the heading, above it."""
    last = paragraph[-1]
    height = max(1e-6, last.box[3] - last.box[1])
    gap = (line.box[1] - last.box[3]) / height
    if line.column != last.column or gap > usual_gap + PARAGRAPH_GAP or gap < -1:
        return False
    if abs(line.size - last.size) > last.size * (0.15 if line.certainty is None else 0.5):
        return False
    if _LIST.match(line.text) or (is_heading and _NUMBERED.match(line.text)):
        return False
    if is_heading:
        return True
    column = [each for each in page.lines if each.column == line.column and not each.table]
    left = min(each.box[0] for each in column)
    right = max(each.box[2] for each in column)
    is_list = bool(_LIST.match(paragraph[0].text))
    if not is_list and line.box[0] - left > INDENT * height and last.box[0] - left < height / 2:
        return False
    filled = (last.box[2] - left) / max(1e-6, right - left)
    ends = filled < SHORT and last.text[-1] in ".:;!?"
    return not (ends or (filled < SHORTER and line.text[0].isupper()))


def _joined(
    lines: Sequence[PageLine], place: DocumentPlace, level: int, words: Counter[str]
) -> Block:
    """Return lines as one block, with words that were parted at a line's end joined."""
    text = ""
    starts = []
    for line in lines:
        text = joint(text, line.text, words)
        words_of_line = _LEADERS.sub(" … ", line.text)
        starts += [(len(text), mark) for mark in line.marks]
        text += words_of_line
    known = [line.certainty for line in lines if line.certainty is not None]
    certainty = sum(known) / len(known) if known else None
    return Block(text, place, level, "", tuple(starts), certainty)
