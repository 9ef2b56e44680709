"""Layout of a page: words that stand on it, as lines, columns and tables in reading order."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass

# In heights of a line. A wider gap parts what stands on one line: cells, columns.
CELL_GAP = 1.2
LEAST_COLUMN_LINES = 3
COLUMN_FILL = 0.55  # of a column's width, by the median of its lines: prose fills it, cells do not
LEAST_COLUMN_LETTERS = 18
COLUMN_PITCH = 2  # heights of a line from one to the next; rows of a table without rules have more
ALIGNED = 0.012  # of the page's width: edges within it are one
MOST_SEGMENTS = 1_500  # of a page; more are a drawing, read in the order of the file
MOST_RULES = 1_000  # the same; a table of 60 rows and 10 columns has 72, once pieces are joined


@dataclass(frozen=True, slots=True)
class Segment:
    """A word, or words that stand beside each other on one line without a wide gap.

    `box` is in widths of the page, seen with the writing upright, from the top left; `mark` in
    shares of the page as it is shown. `size` is the height of the letters, in points or pixels.
    """

    text: str
    box: Rectangle
    mark: Rectangle
    size: float
    is_bold: bool = False
    certainty: float | None = None


@dataclass(frozen=True, slots=True)
class RuledLine:
    """A straight line drawn on the page, level or upright: a border of cells, or of a column."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_level(self) -> bool:
        """Whether it goes from left to right."""
        return self.right - self.left >= self.bottom - self.top


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of running text, or a row of a table whose `cells` stand beside each other.

    `table` numbers the tables of a page from 1, 0 is none. `edges` are a table's columns.
    """

    text: str
    box: Rectangle
    marks: tuple[Rectangle, ...]
    size: float
    is_bold: bool = False
    certainty: float | None = None
    cells: tuple[str, ...] = ()
    table: int = 0
    edges: tuple[float, ...] = ()
    column: int = 0  # lines of different columns are no neighbours


def lines_of(words: Sequence[Segment], rules: Sequence[RuledLine] = ()) -> list[PageLine]:
    """Return the lines of a page in reading order, of words in the order of the file.

    What stands on one line in several cells or columns is several lines or cells.
    """
    level = _joined([each for each in rules if each.is_level])
    upright = _joined([each for each in rules if not each.is_level])
    if len(level) + len(upright) > MOST_RULES:
        level = upright = []
    left = _segments(words, upright)
    if len(left) > MOST_SEGMENTS:
        return [_line([each]) for each in left]
    grids = _grids(level, upright)
    tables: list[tuple[Rectangle, list[PageLine]]] = []
    for number, grid in enumerate(grids, 1):
        inside = [each for each in left if grid.holds(each)]
        rows = grid.rows(inside, number)
        if rows is not None:
            left = [each for each in left if not grid.holds(each)]
            tables.append((grid.box, rows))
    # A table is one thing in the order of a page, as wide as it is.
    things: list[Segment | tuple[Rectangle, list[PageLine]]] = [*left, *tables]
    made: list[PageLine] = []
    for number, column in enumerate(_columns(things)):
        made += [replace(line, column=number) for line in _column_lines(column, len(grids))]
    return made


_Thing = Segment | tuple[Rectangle, list[PageLine]]


def _segments(words: Sequence[Segment], upright: Sequence[RuledLine]) -> list[Segment]:
    """Return words joined where no wide gap and no rule parts them."""
    made: list[list[Segment]] = []
    for word in words:
        last = made[-1][-1] if made else None
        if last is not None and _is_next(last, word) and not _is_parted(last, word, upright):
            made[-1].append(word)
        else:
            made.append([word])
    return [_joined_words(each) for each in made]


def _is_next(word: Segment, other: Segment) -> bool:
    height = max(word.box[3] - word.box[1], other.box[3] - other.box[1])
    gap = other.box[0] - word.box[2]
    offset = abs(word.box[1] + word.box[3] - other.box[1] - other.box[3]) / 2
    return -height / 2 <= gap <= CELL_GAP * height and offset <= height / 2


def _is_parted(word: Segment, other: Segment, upright: Sequence[RuledLine]) -> bool:
    middle = (word.box[1] + word.box[3]) / 2
    left, right = sum(word.box[::2]) / 2, sum(other.box[::2]) / 2
    return any(left < rule.left < right and rule.top <= middle <= rule.bottom for rule in upright)


def _joined_words(words: Sequence[Segment]) -> Segment:
    if len(words) == 1:
        return words[0]
    known = [each.certainty for each in words if each.certainty is not None]
    return Segment(
        " ".join(each.text for each in words),
        _around(each.box for each in words),
        _around(each.mark for each in words),
        median(each.size for each in words),
        sum(len(each.text) for each in words if each.is_bold) * 2 > sum(len(w.text) for w in words),
        sum(known) / len(known) if known else None,
    )


def _box(thing: _Thing) -> Rectangle:
    return thing.box if isinstance(thing, Segment) else thing[0]


def _columns(things: Sequence[_Thing]) -> Iterator[list[_Thing]]:
    """Yield the things column by column; what crosses the columns parts them into bands."""
    gutter = _gutter(things)
    if gutter is None:
        yield list(things)
        return
    band: list[_Thing] = []
    wide: list[_Thing] = []
    for thing in sorted(things, key=lambda each: _box(each)[1]):
        if _box(thing)[0] < gutter < _box(thing)[2]:
            if band:
                yield from _sides(band, gutter)
                band = []
            wide.append(thing)
        else:
            if wide:
                yield wide
                wide = []
            band.append(thing)
    if band:
        yield from _sides(band, gutter)
    if wide:
        yield wide


def _sides(band: list[_Thing], gutter: float) -> Iterator[list[_Thing]]:
    for is_left in (True, False):
        side = [each for each in band if (_box(each)[2] <= gutter) is is_left]
        if side:
            yield from _columns(side)


def _gutter(things: Sequence[_Thing]) -> float | None:
    """Return where two columns of prose part, or None where there are none."""
    segments = [each for each in things if isinstance(each, Segment)]
    if len(segments) < 2 * LEAST_COLUMN_LINES:
        return None
    starts = sorted({round(each.box[0], 3) for each in segments})
    best: tuple[int, float] | None = None
    for start in starts:
        gutter = start - ALIGNED / 4
        left = [each for each in segments if each.box[2] <= gutter]
        right = [each for each in segments if each.box[0] >= gutter]
        # What is cut would be most of the page if this were no gutter.
        cut = [each for each in segments if each.box[0] < gutter < each.box[2]]
        # On the right there may be several columns: the next one begins here.
        beside = [each for each in right if each.box[0] - gutter <= ALIGNED]
        if len(cut) > len(left) or not (_is_prose(left) and _is_prose(beside)):
            continue
        if _overlap(left, beside) and (best is None or (len(cut), gutter) < best):
            best = (len(cut), gutter)
    return None if best is None else best[1]


def _is_prose(side: Sequence[Segment]) -> bool:
    """Return whether segments fill a column as running text does."""
    if len(side) < LEAST_COLUMN_LINES:
        return False
    width = max(each.box[2] for each in side) - min(each.box[0] for each in side)
    filled = median(each.box[2] - each.box[0] for each in side)
    letters = median(len(each.text) for each in side)
    tops = sorted(each.box[1] for each in side)
    pitch = median(after - top for top, after in pairwise(tops))
    height = median(each.box[3] - each.box[1] for each in side)
    is_close = pitch <= COLUMN_PITCH * height
    return filled >= COLUMN_FILL * width and letters >= LEAST_COLUMN_LETTERS and is_close


def _overlap(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Return whether two sides stand beside each other for several lines."""
    top = max(min(each.box[1] for each in left), min(each.box[1] for each in right))
    bottom = min(max(each.box[3] for each in left), max(each.box[3] for each in right))
    return all(
        sum(top <= (each.box[1] + each.box[3]) / 2 <= bottom for each in side) >= LEAST_COLUMN_LINES
        for side in (left, right)
    )


def _column_lines(things: Sequence[_Thing], tables: int) -> Iterator[PageLine]:
    """Yield the lines of one column from top to bottom; aligned gaps on several make a table."""
    rows = _rows([each for each in things if isinstance(each, Segment)])
    found: list[tuple[float, list[PageLine]]] = [
        (thing[0][1], thing[1]) for thing in things if not isinstance(thing, Segment)
    ]
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and len(rows[end]) > 1 and _is_aligned(rows[start], rows[end]):
            end += 1
        if end - start >= LEAST_COLUMN_LINES:
            tables += 1
            edges = tuple(round(each.box[0], 3) for each in rows[start])
            found += [
                (row[0].box[1], [_row([[each] for each in row], tables, edges)])
                for row in rows[start:end]
            ]
            start = end
        else:
            found.append((rows[start][0].box[1], [_line(rows[start])]))
            start += 1
    for _top, lines in sorted(found, key=lambda each: each[0]):
        yield from lines


def _is_aligned(first: Sequence[Segment], other: Sequence[Segment]) -> bool:
    """Return whether the cells of two rows stand under each other, by an edge or the middle."""
    if len(first) != len(other):
        return False
    return all(
        min(
            abs(one.box[0] - two.box[0]),
            abs(one.box[2] - two.box[2]),
            abs(one.box[0] + one.box[2] - two.box[0] - two.box[2]) / 2,
        )
        <= ALIGNED
        for one, two in zip(first, other, strict=True)
    )


def _rows(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return segments by the line that they stand on, each from left to right."""
    rows: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda each: (each.box[1] + each.box[3], each.box[0])):
        middle = (segment.box[1] + segment.box[3]) / 2
        for row in rows[-3:]:
            top, bottom = row[0].box[1], row[0].box[3]
            mine = (row[0].box[1] + row[0].box[3]) / 2
            if top <= middle <= bottom and segment.box[1] <= mine <= segment.box[3]:
                row.append(segment)
                break
        else:
            rows.append([segment])
    return [sorted(row, key=lambda each: each.box[0]) for row in rows]


def _line(row: Sequence[Segment]) -> PageLine:
    sizes = [each.size for each in row for _letter in each.text]
    known = [each.certainty for each in row if each.certainty is not None]
    return PageLine(
        " ".join(each.text for each in row),
        _around(each.box for each in row),
        tuple(each.mark for each in row),
        median(sizes) if sizes else 0,
        all(each.is_bold for each in row),
        sum(known) / len(known) if known else None,
    )


def _row(cells: Sequence[Sequence[Segment]], table: int, edges: tuple[float, ...]) -> PageLine:
    """Return a row of a table; the lines of a cell are joined."""
    whole = _line([each for cell in cells for each in cell])
    texts = tuple(_cell_text(cell) for cell in cells)
    return replace(whole, cells=texts, table=table, edges=edges)


def _cell_text(cell: Sequence[Segment]) -> str:
    text = ""
    for row in _rows(cell):
        text = joint(text, line := _line(row).text) + line
    return text


_PARTED = re.compile(r"([^\W\d_]+)[-\u2010]$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")


def joint(text: str, line: str, words: Container[str] = ()) -> str:
    """Return the text up to which a line follows it: a word that was parted is joined.

    A hyphen stays where `words` of the document have it, and before a clitic ('faz-se').
    """
    parted, following = _PARTED.search(text), _FIRST_WORD.match(line)
    if parted and following and following[0][0].islower():
        whole = f"{parted[1]}-{following[0]}".lower()
        is_kept = whole in words or following[0].lower() in words_of("documents", "clitics")
        return text if is_kept else text[:-1]
    return f"{text} " if text else text


def _around(boxes: Iterable[Rectangle]) -> Rectangle:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The borders of a table: the edges of its columns and rows."""

    columns: tuple[float, ...]
    levels: tuple[float, ...]

    @property
    def box(self) -> Rectangle:
        return self.columns[0], self.levels[0], self.columns[-1], self.levels[-1]

    def holds(self, segment: Segment) -> bool:
        x, y = _middle(segment)
        return self.columns[0] <= x <= self.columns[-1] and self.levels[0] <= y <= self.levels[-1]

    def rows(self, segments: Sequence[Segment], number: int) -> list[PageLine] | None:
        """Return the rows; None where only one column is filled: a frame around text."""
        cells: dict[tuple[int, int], list[Segment]] = {}
        for segment in segments:
            x, y = _middle(segment)
            # Words may be wider than their cell only where cells are merged: they begin in it.
            x = min(x, segment.box[0] + ALIGNED)
            row = sum(level <= y for level in self.levels[1:-1])
            column = sum(edge <= x for edge in self.columns[1:-1])
            cells.setdefault((row, column), []).append(segment)
        if len({column for _row, column in cells}) < 2:
            return None
        made = []
        for row in range(len(self.levels) - 1):
            filled = [cells.get((row, column), []) for column in range(len(self.columns) - 1)]
            if any(filled):
                made.append(_row(filled, number, self.columns))
        return made


def _middle(segment: Segment) -> tuple[float, float]:
    return (segment.box[0] + segment.box[2]) / 2, (segment.box[1] + segment.box[3]) / 2


def _grids(level: Sequence[RuledLine], upright: Sequence[RuledLine]) -> list[_Grid]:
    """Return the tables that rules draw: level and upright ones that meet."""
    groups: list[tuple[list[RuledLine], list[RuledLine]]] = []
    for rule in level:
        meeting = [each for each in upright if _meet(rule, each)]
        mine = ([rule], meeting)
        for group in [each for each in groups if any(one in meeting for one in each[1])]:
            groups.remove(group)
            mine = ([*group[0], *mine[0]], list(dict.fromkeys([*group[1], *mine[1]])))
        groups.append(mine)
    made = []
    for levels, uprights in groups:
        columns = _distinct((each.left + each.right) / 2 for each in uprights)
        rows = _distinct((each.top + each.bottom) / 2 for each in levels)
        if len(columns) > 2 and len(rows) > 1:
            made.append(_Grid(columns, rows))
    return made


def _meet(level: RuledLine, upright: RuledLine) -> bool:
    x, y = (upright.left + upright.right) / 2, (level.top + level.bottom) / 2
    near = ALIGNED / 2
    return (
        level.left - near <= x <= level.right + near
        and upright.top - near <= y <= upright.bottom + near
    )


def _joined(rules: Sequence[RuledLine]) -> list[RuledLine]:
    """Return rules with the pieces of one line joined: borders are drawn cell by cell."""
    near = ALIGNED / 4
    made: list[RuledLine] = []
    is_level = bool(rules) and rules[0].is_level

    def turned(rule: RuledLine) -> tuple[float, float, float]:
        if is_level:
            return (rule.top + rule.bottom) / 2, rule.left, rule.right
        return (rule.left + rule.right) / 2, rule.top, rule.bottom

    lines: list[list[float]] = []  # across, from, to
    for across, start, end in sorted(map(turned, rules)):
        for line in reversed(lines[-40:]):
            if abs(line[0] - across) <= near and start <= line[2] + near and end >= line[1] - near:
                line[1], line[2] = min(line[1], start), max(line[2], end)
                break
        else:
            lines.append([across, start, end])
    for across, start, end in lines:
        made.append(
            RuledLine(start, across, end, across)
            if is_level
            else RuledLine(across, start, across, end)
        )
    return made


def _distinct(values: Iterable[float]) -> tuple[float, ...]:
    made: list[float] = []
    for value in sorted(values):
        if not made or value - made[-1] > ALIGNED / 2:
            made.append(value)
    return tuple(made)
