"""Sums of a sheet's rows, by which a total is told from a row that has only its name.

Numbers are held in numpy's arrays, whose import takes 90 ms: the module is loaded only for sheets
with rows that may be totals.
"""

import re
from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from qhub_desktop.core.table import sql_literal
from qhub_desktop.data.ingest.raw_table import RawTable, Row, is_numeric, untagged

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Of a number: blanks, apostrophes, and signs of currencies and percentages.
_NO_DIGITS = (
    " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}'‘’\N{MODIFIER LETTER APOSTROPHE}€$£¥₹₺₽₩₪₴₫฿%"
)
SUMMED_COLUMNS = 60  # of numbers, that a total may sum up
SMALL = 99  # up to here a number without a label may be the sum of others by chance
STARTS = 40  # of groups above a total, that it may sum up


def numbers_sql(raw: RawTable, position: int) -> tuple[str, str]:
    """Return SQL for a column's cells as numbers: with a decimal point, and with a comma."""
    form = raw.column_kinds[position]
    if form == "number":
        return f"c{position}", f"c{position}"
    bare = f"translate({untagged(position, form)}, {sql_literal(_NO_DIGITS)}, '')"
    # SAP writes the minus behind the number.
    bare = f"CASE WHEN suffix({bare}, '-') THEN '-' || rtrim({bare}, '-') ELSE {bare} END"
    point = f"TRY_CAST(replace({bare}, ',', '') AS DOUBLE)"
    comma = f"TRY_CAST(replace(replace({bare}, '.', ''), ',', '.') AS DOUBLE)"
    return point, comma


def decimals_in(text: str) -> int:
    """Return how many digits stand behind the last point or comma."""
    digits = re.sub(r"[^\d.,]", "", text)
    last = max(digits.rfind("."), digits.rfind(","))
    return len(digits) - last - 1 if last >= 0 else 0


class Sums:
    """Sums, means, extremes and counts of the rows between those that may be totals.

    They stand in arrays, for each of thousands of rows may be compared with 40 groups above it. Of
    a segment there are the count, the sum, the extremes and the sum of squares of each column, all
    in both notations.
    """

    def __init__(self, raw: RawTable, suspects: Sequence[Row], labelled: AbstractSet[int]) -> None:
        self._suspects = suspects
        self._labelled = labelled
        self.doubted: set[int] = set()  # places of the last rows that sum up, and lack nothing
        self._positions = [
            position
            for position in range(raw.width)
            if any(is_numeric(each.cells[position]) for each in suspects)
        ][:SUMMED_COLUMNS]
        self._segments: dict[int, Array] = {}  # of rows, by the number of suspects above
        self._given: dict[int, Array] = {}  # by a suspect's place
        # The segments above the next suspect, the last of them; what is no total stands between.
        self._above: deque[Array] = deque(maxlen=STARTS)
        self._count = 0
        self._all: Array | None = None  # those segments as one
        self._group: Array | None = None  # those under the last total as one
        if self._positions:
            self._compute(raw)

    def _compute(self, raw: RawTable) -> None:
        # A text is read twice, with a point and with a comma before decimals: a sum that holds in
        # the wrong reading holds in the right one.
        cells = [value for position in self._positions for value in numbers_sql(raw, position)]
        raw.db.execute("CREATE TEMP TABLE suspects (place BIGINT, number BIGINT)")
        with raw.db.appender("suspects") as appender:
            appender.append_rows([(each.place, n) for n, each in enumerate(self._suspects, 1)])
        among = "(SELECT place FROM suspects)"
        selected = ", ".join(
            f"count({cell}), sum({cell}), min({cell}), max({cell}), sum(({cell}) * ({cell}))"
            for cell in cells
        )
        rows = raw.db.execute(
            f"SELECT coalesce(number, 0), {selected} FROM (FROM raw SELECT *, rowid AS place"
            f" WHERE rowid NOT IN {among}) rows ASOF LEFT JOIN suspects"
            " ON rows.place > suspects.place GROUP BY 1"
        ).fetchall()
        for number, *counted in rows:
            self._segments[number] = _segment(*np.array(counted, float).reshape(-1, 5).T)
        given = raw.db.execute(
            f"SELECT rowid, {', '.join(cells)} FROM raw WHERE rowid IN {among}"
        ).fetchall()
        self._given = {place: np.array(values, float) for place, *values in given}
        raw.db.execute("DROP TABLE suspects")

    @np.errstate(all="ignore")  # of columns without any number, and of numbers beyond all bounds
    def prove(self, lacking: AbstractSet[int], ends: AbstractSet[int], *, single: bool) -> set[int]:
        """Return the places of the totals among the rows of `lacking`; `ends` have nothing below.

        With `single`, a group may be of one row. What is no total is a row that others sum up.
        """
        self._above.clear()
        self._count, self._all, self._group = 0, None, None
        proven: set[int] = set()
        tried = lacking | ends
        for number, each in enumerate(self._suspects):
            self._append(self._segments.get(number))
            is_end = each.place in ends
            if each.place not in tried or not self._is_sum(
                number, is_end=is_end, least=1 if single else 2
            ):
                self._absorb(each)
            elif each.place in lacking:
                proven.add(each.place)
                self._group = None
            else:
                self.doubted.add(each.place)
                self._absorb(each)
        return proven

    def _absorb(self, suspect: Row) -> None:
        """Count a suspect among the rows under it."""
        given = self._given.get(suspect.place)
        if given is not None:
            self._append(_segment(~np.isnan(given), given, given, given, given * given))

    def _append(self, segment: Array | None) -> None:
        if segment is None:
            return
        self._above.append(segment)
        self._count += 1
        self._all = segment if self._all is None else _joined(self._all, segment)
        self._group = segment if self._group is None else _joined(self._group, segment)

    def _is_sum(self, number: int, *, is_end: bool, least: int) -> bool:
        """Return whether most numbers of a suspect sum up at least so many rows above it.

        Without a label all have to, and those under the last total, or all rows.
        """
        each = self._suspects[number]
        given = self._given.get(each.place)
        if self._all is None or given is None or not np.nan_to_num(given).any():
            return False
        numbers = _Numbers(each, self._positions, given)
        if each.place not in self._labelled:
            # One small number may be a sum by chance.
            is_large = np.nanmax(np.abs(given)) > SMALL
            for part in (self._all, self._group):
                if part is not None:
                    sums, counted = numbers.sums_among(part[None], 2)
                    some = 0 if is_end and part is self._all and is_large else 1
                    if sums.sum() == counted.sum() > some:
                        return True
            return False
        groups = _from_the_last(self._above)
        if self._count > len(groups):
            groups = np.concatenate([groups, self._all[None]])
        sums, counted = numbers.sums_among(groups, least)
        held = sums.sum(axis=1)
        if ((held > 0) & (held * 2 >= counted.sum(axis=1))).any():
            return True
        may_be_other = is_end or self._follows_total(number)
        return may_be_other and any(
            counted[group].any() and numbers.are_other(groups[group], counted[group] & ~sums[group])
            for group in (0, -1)
        )

    def _follows_total(self, number: int) -> bool:
        """Return whether a suspect stands right below another, in a block of summaries."""
        return number > 0 and (self._suspects[number - 1].place == self._suspects[number].place - 1)


class _Numbers:
    """The numbers of a row that may be a total, compared with those above it."""

    def __init__(self, suspect: Row, positions: Sequence[int], given: Array) -> None:
        texts = [suspect.cells[position] for position in positions]
        self._is_numeric = np.array([*map(is_numeric, texts)])
        self._given = given
        # Of what each may be off by rounding, in both readings.
        self._step = np.repeat([10.0 ** -decimals_in(text) for text in texts], 2)

    def sums_among(self, groups: Array, least: int) -> tuple[Flags, Flags]:
        """Return for each group and column whether the number is the sum, and whether it counts."""
        counts, sums = groups[:, 0], groups[:, 1]
        is_known = (counts > 0) & ~np.isnan(self._given)
        present = np.where(is_known, counts, 0).reshape(len(groups), -1, 2).max(axis=2)
        counted = self._is_numeric & (present >= least)
        are_sums = is_known & self._is_near(sums, np.maximum(1.0, np.sqrt(counts)))
        return are_sums.reshape(len(groups), -1, 2).any(axis=2) & counted, counted

    def are_other(self, group: Array, asked: Flags) -> bool:
        """Return whether the numbers of these columns are means, extremes, counts or deviations."""
        count, total, least, most, squares = group
        mean = total / count
        spread = np.maximum(0.0, squares - total * mean)
        deviations = np.sqrt(spread / count), np.sqrt(spread / (count - 1))
        others = np.stack([mean, least, most, count, *deviations])
        others[5, count < 2] = np.nan
        are_near = (self._is_near(others, 1.0) & (count > 0)).any(axis=0)
        return bool(are_near.reshape(-1, 2).any(axis=1)[asked].all())

    def _is_near(self, computed: Array, terms: Array | float) -> Flags:
        """Return whether numbers are what was computed, but for rounding of them and of terms."""
        rounding = 0.51 * self._step * np.where(self._step >= 1, 1.0, terms)
        allowed = np.where(self._step > 1e-9, rounding, 0.0)
        off = np.abs(self._given - computed)
        near: Flags = off <= np.maximum(1e-6 * np.abs(self._given), allowed)
        return near


def _segment(
    count: Array | Flags, total: Array, least: Array, most: Array, squares: Array
) -> Array:
    """Return a segment of rows; where none holds a number, joining it to others changes nothing."""
    is_empty = count == 0
    joined = np.stack(
        [np.where(is_empty, 0.0, each) for each in (count, total, least, most, squares)]
    )
    joined[2, is_empty], joined[3, is_empty] = np.inf, -np.inf
    return joined


def _joined(one: Array, other: Array) -> Array:
    """Return two segments as one."""
    whole = one + other
    np.minimum(one[2], other[2], out=whole[2])
    np.maximum(one[3], other[3], out=whole[3])
    return whole


def _from_the_last(segments: Sequence[Array]) -> Array:
    """Return the last segment, the last two as one, the last three, up to all of them."""
    groups = np.stack([*segments])[::-1]
    whole = np.cumsum(groups, axis=0)
    np.minimum.accumulate(groups[:, 2], axis=0, out=whole[:, 2])
    np.maximum.accumulate(groups[:, 3], axis=0, out=whole[:, 3])
    return whole
