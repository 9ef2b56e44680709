"""Table regions: several tables in one sheet, one under the other or side by side.

A sheet is one table unless something shows that it is not: blank rows, blank columns and titles
stand inside tables as well. What shows it is another header, over other columns or other values.
Inside a table, a label may reach over several rows: merged with them, or written in the first one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest.header_detection import NAME_LIKE
from qhub_desktop.data.ingest.layout_recognition import are_facts, is_caption
from qhub_desktop.data.ingest.raw_table import (
    RawTable,
    as_text,
    begins_blank,
    is_blank,
    is_missing_word,
    is_name,
)
from qhub_desktop.data.ingest.readers.sheet import Merge, Value, address
from qhub_desktop.data.ingest.rows_between import PAGE

Row = Sequence[Value]

JUDGED_ROWS = 40  # of a table, to judge what its columns hold
OF_THEIR_OWN = 4  # names, and rows with few values, of a second table
MOST_TABLES = 20  # in a sheet; beyond, they are pages of one
GROUP_COLUMNS = 3  # from the left, may hold labels of groups; so many side by side elsewhere
LABELLED_ROWS = 20_000  # up to here labels are looked for in columns that are not the first
LEAST_BLANK = 1 / 3  # of the rows have no label of their own
COMPARED_COLUMNS = 40  # beside a label of a group
FACT_ROWS = 8  # of names and values in two columns, above a table that they describe


@dataclass(frozen=True, slots=True)
class Region:
    """A range of cells, the last ones included; they count from 0, from the sheet's corner."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Regions:
    """The tables of a sheet; with `are_sure` false they may be parts of one table as well.

    `remainder` are the rows under the only table, after a blank one, that have far fewer cells.
    """

    tables: tuple[Region, ...]
    are_sure: bool = True
    remainder: tuple[int, ...] = ()


def find_regions(rows: Sequence[Row], merges: Sequence[Merge] = ()) -> Regions:
    """Return the tables of a sheet: one, or several that are told apart for certain or not."""
    cells = _Cells(rows, merges)
    if not cells.used_columns:
        return Regions(())
    groups, are_sure = _column_groups(cells)
    if len(groups) == 1:
        found = _stacked(cells, 0)
    else:
        found = [
            region
            for first, last in groups
            for region in _stacked(_Cells([row[first : last + 1] for row in rows]), first)
        ]
    remainder = _remainder(cells) if len(found) == 1 else ()
    return Regions(tuple(found), are_sure and len(found) <= MOST_TABLES, remainder)


def _remainder(cells: "_Cells") -> tuple[int, ...]:
    """Return the rows under the last blank row, if they hold far fewer cells than those above."""
    used = cells.used_rows
    last = next(
        (n for n in range(used[-1], used[0], -1) if not cells.filled[n]),
        None,
    )
    if last is None:
        return ()
    above = sorted(len(cells.filled[number]) for number in used if number < last)
    below = [number for number in used if number > last]
    usual = above[len(above) // 2] if above else 0
    is_short = len(below) * 2 < len(above) and usual > 2
    is_sparse = all(len(cells.filled[number]) * 2 <= usual for number in below)
    return tuple(below) if is_short and is_sparse else ()


class _Cells:
    """The cells of a sheet or of some of its columns, and which of them hold something."""

    def __init__(self, rows: Sequence[Row], merges: Sequence[Merge] = ()) -> None:
        self.rows = rows
        self.filled = [
            # Most cells show without a call that they are not blank.
            [
                place
                for place, cell in enumerate(row)
                if (cell.strip() if cell.__class__ is str else cell) or not is_blank(cell)
            ]
            for row in rows
        ]
        # A cell that is merged over a gap between columns fills it.
        self._bridged = {
            place
            for merge in merges
            if merge.last_row > merge.row
            for place in range(merge.column, merge.last_column + 1)
        }

    @cached_property
    def used_columns(self) -> list[int]:
        """The columns that hold something."""
        return sorted(self._bridged.union(*map(tuple, self.filled)))

    @cached_property
    def used_rows(self) -> list[int]:
        """The rows that hold something."""
        return [number for number, places in enumerate(self.filled) if places]

    @cached_property
    def first_blank(self) -> int | None:
        """The first blank row between others, below the first row of several cells."""
        begun = next((n for n in self.used_rows if len(self.filled[n]) > 1), len(self.rows))
        return next((n for n in range(begun, self.used_rows[-1]) if not self.filled[n]), None)

    def is_lone(self, number: int) -> bool:
        """Return whether a row holds one text alone, as a title or a note does."""
        places = self.filled[number]
        return len(places) == 1 and is_name(self.rows[number][places[0]])

    def is_line(self, number: int, width: int) -> bool:
        """Return whether a row is a title, or facts above a table of this many columns."""
        places, row = self.filled[number], self.rows[number]
        is_pair = len(places) == 2 and len(places) * 2 <= width and is_name(row[places[0]])
        return self.is_lone(number) or is_pair or are_facts(row) or is_caption(row)

    def is_named(self, number: int) -> bool:
        """Return whether a row holds names of columns: texts, hardly any of them twice."""
        texts = [self.rows[number][place] for place in self.filled[number]]
        if len(texts) < 2 or sum(map(is_name, texts)) < NAME_LIKE * len(texts):
            return False
        return len({as_text(text).strip().casefold() for text in texts}) * 2 > len(texts)

    def names(self, number: int) -> dict[int, str]:
        """Return the texts of a row, without case."""
        return {
            place: " ".join(as_text(self.rows[number][place]).split()).casefold()
            for place in self.filled[number]
        }

    def body_under(self, number: int, end: int) -> list[int]:
        """Return the rows under a header up to the first blank one, or to `end`."""
        body: list[int] = []
        for each in range(number + 1, min(end, number + 1 + JUDGED_ROWS)):
            is_title = self.is_lone(each) and each + 1 < end and self.is_named(each + 1)
            if not self.filled[each] or is_title:
                break
            body.append(each)
        return body

    def columns_of_values(self, body: Sequence[int]) -> set[int]:
        """Return the columns in which most cells of these rows are values."""
        values: Counter[int] = Counter()
        present: Counter[int] = Counter()
        for number in body:
            for place in self.filled[number]:
                cell = self.rows[number][place]
                if not is_missing_word(cell):
                    present[place] += 1
                    values[place] += not is_name(cell)
        return {place for place, count in present.items() if values[place] * 2 > count}


def _column_groups(cells: _Cells) -> tuple[list[tuple[int, int]], bool]:
    """Return the first and last columns of tables side by side, and whether they are surely so."""
    runs: list[list[int]] = []
    for place in cells.used_columns:
        if runs and runs[-1][1] == place - 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    groups = [runs[0]]
    are_sure = True
    for run in runs[1:]:
        is_apart, is_sure = _are_apart(cells, groups[-1], run)
        if is_apart:
            groups.append(run)
            are_sure = are_sure and is_sure
        else:
            groups[-1] = [groups[-1][0], run[1]]
    return [(first, last) for first, last in groups], are_sure


def _are_apart(cells: _Cells, left: Sequence[int], right: Sequence[int]) -> tuple[bool, bool]:
    """Return whether columns parted by blank ones are two tables, and whether that is sure."""
    if left[1] == left[0] or right[1] == right[0]:
        return False, True  # a column alone is a note, or a part of the other table
    first = cells if cells.first_blank is None else _Cells(cells.rows[: cells.first_blank])
    one, other = (_part(first, side) for side in (left, right))
    # Where one ends above a blank row and the other goes on below, what is below is not theirs.
    if one is None or other is None or _goes_on(cells, left) == _goes_on(cells, right):
        one, other = (_part(cells, side) for side in (left, right))
    if one is None or other is None:
        return False, True
    mine, others = set(one.names.values()), set(other.names.values())
    if len(mine & others) * 2 > min(len(mine), len(others)):
        return True, True  # one table would not have the same names twice
    if one.header != other.header or (one.last != other.last and one.is_dense and other.is_dense):
        return True, True
    return right[0] - left[1] > 2 and one.is_dense and other.is_dense, False


def _goes_on(cells: _Cells, side: Sequence[int]) -> bool:
    """Return whether some columns hold something below the first blank row."""
    below = cells.filled[cells.first_blank :] if cells.first_blank is not None else []
    return any(side[0] <= place <= side[1] for places in below for place in places)


@dataclass(frozen=True, slots=True)
class _Part:
    """Columns of a sheet that can be a table of their own."""

    names: dict[int, str]
    header: int
    last: int
    is_dense: bool  # every row from the header to the last one is filled


def _part(cells: _Cells, side: Sequence[int]) -> _Part | None:
    own = _Cells([row[side[0] : side[1] + 1] for row in cells.rows])
    header = next((number for number in own.used_rows if len(own.filled[number]) > 1), None)
    if header is None or not own.is_named(header) or own.used_rows[-1] - header < 2:
        return None
    body = own.body_under(header, len(own.rows))
    if not own.columns_of_values(body) & set(own.filled[header]):
        return None
    half = (side[1] - side[0] + 1) / 2
    last = next(n for n in reversed(own.used_rows) if not own.is_lone(n))
    is_dense = all(len(own.filled[number]) >= half for number in range(header, last + 1))
    return _Part(own.names(header), header, last, is_dense)


def _stacked(cells: _Cells, first_column: int) -> list[Region]:
    """Return the tables in some columns that stand one under the other, with what is above each."""
    used = cells.used_rows
    starts = [used[0]]
    header = _first_header(cells)
    for number in filter(lambda each: _is_set_off(cells, each), used):
        if header is None or number <= header or not _starts_table(cells, header, number):
            continue
        if _is_of_facts(cells, starts[-1], header, number):
            header = number  # what stands above describes the table that begins here
            continue
        starts.append(_top_of(cells, number, header))
        header = number
    if len(starts) == 1:
        places = cells.used_columns
        return [Region(used[0], first_column + places[0], used[-1], first_column + places[-1])]
    ends = [start - 1 for start in starts[1:]] + [used[-1]]
    found: list[Region] = []
    for start, end in zip(starts, ends, strict=True):
        rows = [number for number in used if start <= number <= end]
        columns = {place for number in rows for place in cells.filled[number]}
        found.append(
            Region(start, first_column + min(columns), rows[-1], first_column + max(columns))
        )
    return found


def _first_header(cells: _Cells) -> int | None:
    """Return the first row of names that has values under it."""
    for number in cells.used_rows:
        if cells.is_named(number) and not is_caption(cells.rows[number]):
            body = cells.body_under(number, len(cells.rows))
            if body and cells.columns_of_values(body):
                return number
    return None


def _starts_table(cells: _Cells, header: int, number: int) -> bool:
    """Return whether another table's header is in this row, under the table with that header."""
    row = cells.rows[number]
    if not cells.is_named(number) or are_facts(row) or is_caption(row):
        return False
    body = cells.body_under(number, len(cells.rows))
    values = cells.columns_of_values(body)
    names = cells.names(number)
    if not body:
        return False
    known = cells.names(header)
    is_same = set(names.values()) == set(known.values())
    if not is_same and len(cells.filled[body[0]]) * 2 < len(names):
        # Few values under many names: only a list of its own, with other names.
        is_other = len({*names.values()} & {*known.values()}) * 2 < len(names)
        if cells.filled[number - 1] or not is_other or min(len(names), len(body)) < OF_THEIR_OWN:
            return False
    is_of_values = any(_is_value_row(cells, each, values & set(names)) for each in body[:3])
    if not is_of_values and len(body) < 2:
        return False
    if is_same:
        return _have_own_titles(cells, header, number)
    above = [
        each
        for each in range(max(header + 1, number - JUDGED_ROWS), number)
        if len(cells.filled[each]) > 1
    ]
    if not above:
        return False
    others = cells.columns_of_values(above)
    width = {place for each in above for place in cells.filled[each]} | set(known)
    is_name_over_values = any(place in others for place in names)
    if not is_of_values:
        # A table of texts: they stand in columns of values, as its names do.
        texts = {place for each in body for place in cells.filled[each]} - values
        return bool(texts & set(names) & others)
    return is_name_over_values or not set(names) <= width or bool(values - others)


def _is_value_row(cells: _Cells, number: int, values: set[int]) -> bool:
    return any(
        place in values and not is_name(cells.rows[number][place]) for place in cells.filled[number]
    )


def _is_set_off(cells: _Cells, number: int) -> bool:
    """Return whether a row stands under a blank one, a title or a fact."""
    above = number - 1
    return number > 0 and (
        not cells.filled[above]
        or cells.is_lone(above)
        or are_facts(cells.rows[above])
        or is_caption(cells.rows[above])
    )


def _have_own_titles(cells: _Cells, header: int, number: int) -> bool:
    """Return whether two equal headers have titles that differ in more than a page's number."""
    one, other = (_titles_of(cells, each) for each in (header, number))
    if not one or not other:
        return False
    own = [title for title in other if title not in one and are_facts([title])]
    if len(own) > 1 or any(_bare(title) not in map(_bare, one) for title in own):
        return True  # a measurement with its facts; of a page only its number changes
    if len(other) == 1 or one[0] == other[0]:
        return False  # one title alone is the label of its rows
    if _bare(one[0]) != _bare(other[0]):
        return True
    # Pages have the same lines above their names, but for a number or the time of printing.
    are_pages = bool(set(one) & set(other)) or any(
        "/" in title or ":" in title or re.fullmatch(PAGE, title) for title in (one[0], other[0])
    )
    return not are_pages


def _bare(title: str) -> str:
    return "".join(filter(str.isalpha, title))


def _titles_of(cells: _Cells, number: int) -> list[str]:
    """Return the titles and facts above a header, from the nearest upwards."""
    titles: list[str] = []
    width = len(cells.filled[number])
    number -= 1
    while number >= 0 and (not cells.filled[number] or cells.is_line(number, width)):
        if cells.filled[number]:
            texts = [as_text(cells.rows[number][place]).strip() for place in cells.filled[number]]
            is_fact = len(texts) > 1 and not texts[0].endswith(":")
            titles.append((": " if is_fact else " ").join(texts).casefold())
        number -= 1
    return titles


def _is_of_facts(cells: _Cells, start: int, header: int, number: int) -> bool:
    """Return whether what stands above a table are facts about it, such as 'Line: | Paint 2'."""
    rows = [each for each in cells.used_rows if start <= each < number]
    above = [each for each in rows if len(cells.filled[each]) > 1]
    if any(len(cells.filled[each]) > 2 and not are_facts(cells.rows[each]) for each in above):
        return False
    has_colons = any(are_facts(cells.rows[each]) for each in above)
    if len(cells.filled[number]) < 3 and not has_colons:
        return False
    below = above[above.index(header) + 1 :] if header in above else above
    are_values = {not is_name(cells.rows[each][cells.filled[each][-1]]) for each in below}
    if len(above) > FACT_ROWS:
        return has_colons or are_values == {True, False}
    return has_colons or are_values != {True} or len(below) < 2


def _top_of(cells: _Cells, number: int, header: int) -> int:
    """Return the first row that belongs to a table: its titles, with blank rows between them."""
    width = len(cells.filled[number])
    top = number
    while top - 1 > header and cells.is_line(top - 1, width):
        top -= 1
    if top < number:
        return top
    above = top - 1
    while above > header and not cells.filled[above]:
        above -= 1
    title = above
    while title > header and cells.is_line(title, width):
        title -= 1
    return title + 1 if title < above and not cells.filled[title] else top


def fill_down_merges(
    rows: Iterator[Row], merges: Sequence[Merge], *, first: int, filled: list[Merge]
) -> Iterator[Row]:
    """Yield the rows with each merged range's value in every row that it covers.

    `first` is the number of the first row in the sheet. The ranges that were filled are appended to
    `filled`.
    """
    pending = sorted(
        (merge for merge in merges if merge.last_row > merge.row and merge.row >= first),
        key=lambda merge: merge.row,
        reverse=True,
    )
    active: list[tuple[Merge, Value]] = []
    for row_number, row in enumerate(rows, start=first):
        if not active and not (pending and pending[-1].row <= row_number):
            yield row
            continue
        active = [(merge, value) for merge, value in active if merge.last_row >= row_number]
        cells = [*row]
        for merge, value in active:
            cells += [None] * (merge.column + 1 - len(cells))
            if is_blank(cells[merge.column]):
                cells[merge.column] = value
        while pending and pending[-1].row <= row_number:
            merge = pending.pop()
            value = cells[merge.column] if merge.column < len(cells) else None
            if not is_blank(value):
                active.append((merge, value))
                filled.append(merge)
        yield cells


def group_columns(raw: RawTable) -> list[int]:
    """Return the columns whose labels stand in the first row of each group only.

    They are the first ones, or three or more side by side that lack a cell in the same rows, as
    merged cells leave them. No label comes again in its column, or in the group to the left, and
    beside each cell that is blank stands something; of columns that lack cells in the same rows,
    the first tells the groups.
    """
    found: list[int] = []
    for position in range(min(GROUP_COLUMNS, raw.width - 1)):
        if not _may_have_blanks(raw, position):
            break
        if position in found:
            continue
        together = _blank_together(raw, position)
        if not _are_labels(raw, position, together, is_first=not found):
            break
        found += together
    if found or raw.rows > LABELLED_ROWS:
        return found
    beside = range(1, min(raw.width, COMPARED_COLUMNS) - GROUP_COLUMNS)
    places = [at for at in beside if raw.may_lack(at)]
    blanks = [f"coalesce(bool_or({_may_be_blank(raw, at)}), false)" for at in places]
    have_blanks = aggregates(raw.db, blanks, raw.body)
    lead = next((at for at, has_one in zip(places, have_blanks, strict=True) if has_one), None)
    if lead is None or raw.column_kinds[lead] not in ("text", "mixed"):
        return []
    together = _blank_together(raw, lead)
    blank = _blank(raw, lead)
    timestamps, starts = aggregates(
        raw.db,
        [
            f"count(*) FILTER (regexp_matches(c{lead}::VARCHAR, '\\d[-/.:]\\d'))",
            f"count(*) FILTER ({blank} AND NOT was_blank)",
        ],
        f"(SELECT *, lag({blank}, 1, true) OVER (ORDER BY place) AS was_blank FROM body)",
    )
    is_so = len(together) >= GROUP_COLUMNS and not timestamps and starts > 1
    return together if is_so and _are_labels(raw, lead, together, is_first=True) else []


def _are_labels(raw: RawTable, position: int, together: Sequence[int], *, is_first: bool) -> bool:
    """Return whether the texts of a column stand once for several rows."""
    blank = _blank(raw, position)
    after = together[-1] + 1
    beside = range(after, min(after + GROUP_COLUMNS, raw.width))
    lacking = " AND ".join(_blank(raw, each) for each in (position, *beside))
    rows, blanks, labels, is_first_blank, alone = aggregates(
        raw.db,
        [
            "count(*)",
            f"count(*) FILTER ({blank})",
            f"count(DISTINCT (part, c{position})) FILTER (NOT {blank})",
            f"first({blank} ORDER BY place)",
            f"count(*) FILTER ({lacking})",
        ],
        _in_parts(raw, 0 if is_first else position),
    )
    are_once = 1 < labels == rows - blanks and not is_first_blank and not alone
    return bool(are_once and blanks >= LEAST_BLANK * rows)


def _blank_together(raw: RawTable, position: int) -> list[int]:
    """Return the column with those at its right that lack a cell in the same rows."""
    places = range(position + 1, min(raw.width - 1, position + COMPARED_COLUMNS))
    if raw.rows > LABELLED_ROWS or not places:
        return [position]
    if (held := raw.held) is not None:
        own = held.blanks(position)
        return [position, *takewhile(lambda each: held.blanks(each) == own, places)]
    blank = _blank(raw, position)
    unlike = [f"count(*) FILTER (({blank}) <> ({_blank(raw, each)}))" for each in places]
    counts = aggregates(raw.db, unlike, raw.body)
    alike = takewhile(lambda each: not each[1], zip(places, counts, strict=True))
    return [position, *(place for place, _count in alike)]


def fill_down(raw: RawTable, positions: Sequence[int]) -> None:
    """Give every row of a group the labels of its first row."""
    for position in reversed(positions):  # the parts are told by the blanks to the left
        blank = _blank(raw, position)
        label = f"last_value(CASE WHEN NOT {blank} THEN c{position} END IGNORE NULLS)"
        raw.db.execute(
            f"UPDATE raw SET c{position} = label FROM (SELECT place,"
            f" {label} OVER (PARTITION BY part ORDER BY place) AS label"
            f" FROM {_in_parts(raw, position if position - 1 in positions else 0)}) AS labels"
            " WHERE raw.rowid = labels.place"
        )
    raw.forget()


def _blank(raw: RawTable, position: int) -> str:
    return raw.is_blank(position)


def _may_have_blanks(raw: RawTable, position: int) -> bool:
    """Return whether a column may have blank cells, by a comparison that skips whole blocks."""
    if not raw.may_lack(position):
        return False
    some = f"SELECT 1 FROM {raw.column(position)} WHERE {_may_be_blank(raw, position)} LIMIT 1"
    return raw.db.execute(some).fetchone() is not None


def _may_be_blank(raw: RawTable, position: int) -> str:
    is_null = raw.is_null(position)
    if not raw.may_have_blanks(position):
        return is_null
    return f"{is_null} OR {begins_blank(f'c{position}')}"


def _in_parts(raw: RawTable, position: int) -> str:
    """Return SQL for the rows with the number of their group by the column to the left."""
    if not position:
        return "(SELECT *, 1 AS part FROM body)"
    left = f"count(*) FILTER (NOT {_blank(raw, position - 1)}) OVER (ORDER BY place)"
    return f"(SELECT *, {left} AS part FROM body)"


def range_address(merge: Merge, *, first_row: int, first_column: int) -> str:
    """Return the address of a merged range in Excel's notation."""
    start = address(first_row + merge.row, first_column + merge.column)
    return f"{start}:{address(first_row + merge.last_row, first_column + merge.last_column)}"
