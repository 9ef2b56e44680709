"""Rows at the edges of a table that are no records: statistics under its names, results below it.

They have words where all other rows have numbers, dates or nothing. What shows that they are no
records are their numbers: the extremes, the mean, the deviation or the sum of the other rows, or
the sum of the last ones, as 'Latest three months' has it. One such row proves those around it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

from qhub_desktop.core.dataset import ApartKind
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.raw_table import (
    RawTable,
    Row,
    is_amount,
    is_missing_word,
    is_name,
)

FEWEST_BODY_ROWS = 5  # of records beside such rows
FEWEST_VALUES = 3  # in the column of the words
MOST_AT_TOP, MOST_AT_END = 8, 30
FEWEST_OF_KIND, FEWEST_COLUMNS = 12, 5  # of a table in which a record may be of another kind
MOST_KINDS = 3  # codes of the kinds of records
ALWAYS = 0.9  # of the other rows have a cell that one of these lacks
LAST_SUMMED = 60  # rows, of which the last ones may be summed up
SURE_CELLS = {"sum": 2, "mean": 2, "deviation": 2, "last": 2}  # others may be equal by chance
OTHERWISE_SURE = 3
USUAL_SHARE = 0.75  # of the numbers of a row
Apart = tuple[ApartKind, str]


@dataclass(frozen=True, slots=True)
class EdgeRows:
    """Rows at an edge of the table; if they are proven, the numbers of one show what they are."""

    rows: tuple[Row, ...]
    are_at_top: bool
    are_proven: bool


def edge_rows(
    raw: RawTable, found: Mapping[int, Apart], first: Sequence[Row], last: Sequence[Row]
) -> list[EdgeRows]:
    """Return the rows at the top and at the end that have words where no other row has any."""
    looked_at = {each.place: each for each in (*first, *last) if each.place not in found}
    rows = [looked_at[place] for place in sorted(looked_at)]
    if raw.width < 2 or len(rows) < FEWEST_BODY_ROWS + 1:
        return []
    blocks = [_block(rows, MOST_AT_TOP), _block(rows[::-1], MOST_AT_END)[::-1]]
    known = {each.place for block in blocks for each in block}
    others = [each for each in rows if each.place not in known]
    if not known or len(others) < FEWEST_BODY_ROWS:
        return []
    gone = known.union(found)
    return [
        EdgeRows(tuple(block), place == "top", _is_proven(raw, block, gone, others))
        for place, block in zip(("top", "end"), blocks, strict=True)
        if block
    ]


def _block(rows: Sequence[Row], most: int) -> list[Row]:
    """Return the first rows, up to the last with a word in a column where no other has any.

    All of them that have numbers have one there; and each lacks a cell that the others have, unless
    that column is the first one.
    """
    best: list[Row] = []
    for at in range(len(rows[0].cells)):
        with_words = [n for n, each in enumerate(rows) if _is_word(each.cells[at])]
        end = with_words[-1] + 1 if with_words else 0
        if not len(best) < end <= min(most, len(rows) / 2):
            continue
        told = [each for each in rows[:end] if has_numbers(each)]
        if _are_unlike(told, rows[end:], at):
            best = [*rows[:end]]
    return best


def _are_unlike(told: Sequence[Row], others: Sequence[Row], at: int) -> bool:
    """Return whether rows with a word in a column are of another kind than those with none."""
    if not told or not all(_is_word(each.cells[at]) for each in told):
        return False
    counts = [sum(map(bool, cells)) for cells in zip(*(each.cells for each in others), strict=True)]
    values = sum(bool(each.cells[at]) and not is_missing_word(each.cells[at]) for each in others)
    if values < FEWEST_VALUES:
        return False
    usual = [count >= ALWAYS * len(others) for count in counts]
    is_key = usual[at] and not any(counts[:at])  # not a word for a measurement that failed
    return is_key or all(each.lacks(usual) for each in told)


def has_numbers(each: Row) -> bool:
    """Return whether a row has a number beside another cell."""
    return len(each.filled) > 1 and any(is_amount(each.cells[at]) for at in each.filled)


def other_records(
    raw: RawTable, found: Mapping[int, Apart], first: Sequence[Row], last: Sequence[Row]
) -> list[Row]:
    """Return the first and the last row, if they are records of another kind, as of the file: their
    first cell says so, which is one of few codes in all other rows; they lack cells that all of
    those have, and have some that none of those has.
    """
    looked_at = {each.place: each for each in (*first, *last) if each.place not in found}
    rows = [looked_at[place] for place in sorted(looked_at)]
    if len(rows) < FEWEST_OF_KIND or raw.width < FEWEST_COLUMNS:
        return []
    told = []
    others = rows[1:-1]
    counts = [sum(map(bool, cells)) for cells in zip(*(each.cells for each in others), strict=True)]
    kinds = Counter(each.cells[0] for each in others)
    if len(kinds) > MOST_KINDS or min(kinds.values()) < FEWEST_BODY_ROWS or "" in kinds:
        return []
    for each in (rows[0], rows[-1]):
        lacked = [
            at for at, count in enumerate(counts) if count == len(others) and not each.cells[at]
        ]
        own = [at for at in each.filled if not counts[at]]
        if each.cells[0] and each.cells[0] not in kinds and len(lacked) > 1 and own:
            told.append(each)
    return told


def _is_word(cell: str) -> bool:
    return bool(cell) and is_name(cell) and not is_amount(cell) and not is_missing_word(cell)


def _is_proven(
    raw: RawTable, block: Sequence[Row], gone: AbstractSet[int], others: Sequence[Row]
) -> bool:
    """Return whether the numbers of a row are one statistic of the others in its columns, several;
    or most rows with numbers, two at least, are one in whatever columns they have.
    """
    columns = [
        at
        for at in range(raw.width)
        if any(is_amount(each.cells[at]) for each in block)
        and sum(is_amount(each.cells[at]) for each in others) > 1
    ]
    if not columns:
        return False
    compared = _Compared(raw, columns, block, gone)
    alike = counted = 0
    for each in block:
        named, count = compared.statistics_of(each)
        for name, times in named.items():
            # A sum of rounded parts may be off in one column of several.
            enough = SURE_CELLS.get(name.split()[0], OTHERWISE_SURE)
            if times >= enough and (times == count or times >= max(4, USUAL_SHARE * count)):
                return True
        alike += count in named.values()
        counted += count > 0
    return alike > 1 and alike * 2 > counted


class _Compared:
    """Rows compared with the statistics of all others, in both notations of numbers."""

    def __init__(
        self, raw: RawTable, columns: Sequence[int], block: Sequence[Row], gone: AbstractSet[int]
    ) -> None:
        # It takes 90 ms to load, for the few sheets that come here.
        from qhub_desktop.data.ingest.totals import numbers_sql

        self._columns = columns
        cells = [cell for at in columns for cell in numbers_sql(raw, at)]
        wanted = ", ".join(
            f"count({c}), sum({c}), min({c}), max({c}), stddev_samp({c}), stddev_pop({c})"
            for c in cells
        )
        others = f"FROM raw WHERE rowid NOT IN ({', '.join(map(str, gone))})"
        numbers = ", ".join(cells)
        self._values = raw.db.execute(f"SELECT {wanted} {others}").fetchone() or ()
        self._recent = raw.db.execute(
            f"SELECT {numbers} {others} ORDER BY rowid DESC LIMIT {LAST_SUMMED}"
        ).fetchall()
        places = ", ".join(str(each.place) for each in block)
        own = raw.db.execute(f"SELECT rowid, {numbers} FROM raw WHERE rowid IN ({places})")
        self._own = {place: values for place, *values in own.fetchall()}

    def statistics_of(self, each: Row) -> tuple[Counter[str], int]:
        """Return how many numbers of a row are each statistic, and how many numbers it has."""
        places = [n for n, at in enumerate(self._columns) if is_amount(each.cells[at])]
        return Counter(name for n in places for name in self._names(each, n)), len(places)

    def _names(self, each: Row, n: int) -> set[str]:
        """Return the names of the statistics that a number is."""
        from qhub_desktop.data.ingest.totals import decimals_in

        step = 10.0 ** -decimals_in(each.cells[self._columns[n]])
        found: set[str] = set()
        for reading in (2 * n, 2 * n + 1):
            number = self._own[each.place][reading]
            values = self._values[6 * reading : 6 * reading + 6]
            # Of rows that are all alike every statistic is the same.
            if number is None or not values[0] or values[2] == values[3]:
                continue
            allowed = max(1e-6 * abs(number), 0.51 * step)
            recent = [row[reading] for row in self._recent]
            found |= {
                name
                for name, value in _statistics(values, recent)
                if abs(number - value) <= allowed
            }
        return found


def _statistics(
    values: Sequence[float], recent: Sequence[float | None]
) -> Iterator[tuple[str, float]]:
    """Yield the statistics of a column by their names, and the sums of its last rows."""
    count, total, least, most, deviation, of_all = values
    yield "sum", total
    yield "mean", total / count
    yield "least", least
    yield "most", most
    yield "count", count
    yield "range", most - least
    for name, value in (("sample", deviation), ("all", of_all)):
        if value is not None:
            yield f"deviation {name}", value
            if total:
                yield f"deviation {name} %", 100 * value * count / abs(total)
    known = [each for each in recent if each is not None]
    for size, partial in enumerate(accumulate(known), 1):
        if size > 1:
            yield f"last {size}", partial
