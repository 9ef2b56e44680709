"""Totals: adds up rows to prove that a row called 'Total' really is one.

Numbers are held in numpy's arrays, whose import takes 90 ms: the module is loaded only for sheets
with rows that may be totals.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.raw_table import (
    LENGTH_OF_TIME,
    RawTable,
    Row,
    is_amount,
    is_length_of_time,
    is_numeric,
    select,
    untagged,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Of a number: blanks, apostrophes, and signs of currencies and percentages.
_NO_DIGITS = (
    " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}'‘’\N{MODIFIER LETTER APOSTROPHE}€$£¥₹₺₽₩₪₴₫฿%"
)
_UNIT_BEHIND = r"\pL{1,4}(/\pL{1,4})?[²³]?$"  # behind a number
SUMMED_COLUMNS = 60  # of numbers, that a total may sum up
REPEATED = 3  # rows that all are sums, though of one number each
SMALL = 99  # up to here a number without a label may be the sum of others by chance
STARTS = 40  # of groups above a total, that it may sum up
NUMBERS_AT_ONCE = 60_000  # of the groups above the suspects that are compared together

SUMMED_ROWS = 20_000  # in longer tables only the first rows are looked at
FIRST_ROWS = 400
FEWEST_ROWS = 6
MOST_CHILDREN = 1_000  # rows of a group
FEW_GROUPS, SMALL = 3, 99  # small numbers of two groups may be sums by chance
FILLED = 0.9  # of its rows, a column of numbers has one
ROUNDING = 1e-6


def numbers_sql(raw: RawTable, position: int) -> tuple[str, str]:
    """Return SQL for a column's cells as numbers: with a decimal point, and with a comma.

    A length of time counts sixtieths of its first part: '176:20', '-0:08'.
    """
    form = raw.column_kinds[position]
    if form in ("duration", "time"):
        return (f"epoch(c{position}) / 60",) * 2
    if form == "number":
        return f"c{position}", f"c{position}"
    text = untagged(position, form)
    # Most texts are plain numbers, and are read in a third of the time. The database computes what
    # is written twice in a CASE for every row, so little is.
    plain = f"TRY_CAST({text} AS DOUBLE)"
    point = f"TRY_CAST(replace({_bare(text)}, ',', '') AS DOUBLE)"
    point = f"CASE WHEN {plain} IS NULL THEN {point} ELSE {plain} END"
    whole = f"replace({text}, '.', '')"
    comma = f"TRY_CAST(replace({_bare(whole)}, ',', '.') AS DOUBLE)"
    comma = f"CASE WHEN {plain} IS NULL THEN {comma} ELSE TRY_CAST({whole} AS DOUBLE) END"
    if form not in ("text", "mixed"):
        return point, comma
    is_length = f"regexp_full_match(trim({text}), {sql_literal(LENGTH_OF_TIME.pattern)})"
    length = f"epoch(TRY_CAST(ltrim(trim({text}), '+') AS INTERVAL)) / 60"
    length = f"CASE WHEN contains({text}, ':') AND {is_length} THEN {length} END"
    return f"coalesce({point}, {length})", f"coalesce({comma}, {length})"


def _bare(text: str) -> str:
    """Return SQL for a number without currency, blanks and unit, its minus in front."""
    bare = f"translate({text}, {sql_literal(_NO_DIGITS)}, '')"
    bare = f"regexp_replace({bare}, {sql_literal(_UNIT_BEHIND)}, '')"
    return f"regexp_replace({bare}, '^(.*?)-+$', '-\\1')"  # SAP writes the minus behind


def decimals_in(text: str) -> int:
    """Return how many digits stand behind the last point or comma."""
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return 0
    behind = text[last + 1 :]
    return len(behind) if behind.isdecimal() else sum(map(str.isdecimal, behind))


class Sums:
    """Sums, means, extremes and counts of the rows between those that may be totals.

    They stand in arrays, for each of thousands of rows may be compared with 40 groups above it. Of
    a segment there are the count, the sum, the extremes and the sum of squares of each column, all
    in both notations. Rows of `results` are totals by their sums alone, and no other summary; those
    of `summaries` are called means, extremes and the like, and lack what others have.
    """

    def __init__(
        self,
        raw: RawTable,
        suspects: Sequence[Row],
        labelled: AbstractSet[int],
        results: AbstractSet[int],
        summaries: AbstractSet[int],
    ) -> None:
        self._suspects = suspects
        self._labelled = labelled
        self._results = results
        self._summaries = summaries
        self.doubted: set[int] = set()  # places of the last rows that sum up, and lack nothing
        self._positions = [
            position
            for position in range(raw.width)
            if any(
                is_amount(cell) or is_length_of_time(cell) for cell in _column(suspects, position)
            )
        ][:SUMMED_COLUMNS]
        self._segments: dict[int, Array] = {}  # of rows, by the number of suspects above
        self._given: dict[int, Array] = {}  # by a suspect's place
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
        named = ", ".join(f"{cell} AS v{at}" for at, cell in enumerate(cells))
        selected = ", ".join(
            f"count(v{at}), sum(v{at}), min(v{at}), max(v{at}), sum(v{at} * v{at})"
            for at in range(len(cells))
        )
        rows = raw.db.execute(
            f"SELECT coalesce(number, 0), {selected} FROM (FROM raw SELECT rowid AS place, {named}"
            f" WHERE rowid NOT IN {among}) rows ASOF LEFT JOIN suspects"
            " ON rows.place > suspects.place GROUP BY 1"
        ).fetchall()
        if rows:
            counted = np.array([each[1:] for each in rows], float).reshape(len(rows), -1, 5)
            segments = _segments(*np.moveaxis(counted, 2, 0))
            self._segments = {each[0]: part for each, part in zip(rows, segments, strict=True)}
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
        proven: set[int] = set()
        above = _Above.nothing(2 * len(self._positions))
        # Where totals follow each other closely, few are compared in vain.
        most = max(1, NUMBERS_AT_ONCE // max(1, above.last.size))
        start, size = 0, 1
        while start < len(self._suspects):
            batch = range(start, min(start + size, len(self._suspects)))
            parts, ends_at = self._parts(batch)
            below = above.followed_by(parts)
            are_sums = self._are_sums(batch, below, ends_at, lacking | ends, ends, single=single)
            start, size = batch.stop, min(2 * size, most)
            above = below.at(len(parts))
            for number, end in zip(batch, ends_at, strict=True):
                place = self._suspects[number].place
                if number not in are_sums:
                    continue
                if place in lacking:
                    proven.add(place)
                    above = replace(below.at(end), group=above.empty)
                    start, size = number + 1, 1
                    break
                self.doubted.add(place)
        return proven

    def _parts(self, batch: range) -> tuple[list[Array], list[int]]:
        """Return the segments between suspects and these themselves, and how many stand above
        each.
        """
        parts: list[Array] = []
        ends_at: list[int] = []
        suspects = [self._given.get(self._suspects[number].place) for number in batch]
        own = iter(_of_rows([each for each in suspects if each is not None]))
        for number, given in zip(batch, suspects, strict=True):
            if (segment := self._segments.get(number)) is not None:
                parts.append(segment)
            ends_at.append(len(parts))
            if given is not None:
                parts.append(next(own))
        return parts, ends_at

    @np.errstate(all="ignore")
    def prove_repeated(self, places: AbstractSet[int]) -> set[int]:
        """Return these places if there are three or more, and each sums up in all of its numbers
        the rows since the one before, or all rows: so often it is no chance, though it be one
        number.
        """
        suspects = [each for each in self._suspects if each.place in places]
        if len(suspects) < REPEATED:
            return set()
        group: Array | None = None
        whole: Array | None = None
        for number, each in enumerate(self._suspects):
            if (segment := self._segments.get(number)) is not None:
                group = segment if group is None else _joined(group, segment)
                whole = segment if whole is None else _joined(whole, segment)
            if each.place not in places:
                continue
            given = self._given.get(each.place)
            if whole is None or given is None:
                return set()
            parts = np.stack([part for part in (group, whole) if part is not None])
            numbers = _Numbers([each], self._positions, given[None])
            sums, counted = numbers.sums_among(parts[None], np.array([2]))
            held = sums.sum(axis=2)
            if not ((held > 0) & (held == counted.sum(axis=2))).any():
                return set()
            group = None
        return {*places}

    @np.errstate(all="ignore")
    def prove_block(self, block: Sequence[Row]) -> set[int]:
        """Return the places of rows at the end that together sum up all rows above, in each column
        in which they have a number: a total for each unit, or of each kind.
        """
        rows = [self._given[each.place] for each in block if each.place in self._given]
        above = [*self._segments.values()]
        if len(rows) < 2 or len(rows) < len(block) or not above:
            return set()
        whole = above[0]
        for each in above[1:]:
            whole = _joined(whole, each)
        given = np.stack(rows)
        filled = ~np.isnan(given).all(axis=0) & (whole[0] > 1)
        together = np.nansum(given, axis=0)
        near = np.abs(together - whole[1]) <= 1e-6 * np.maximum(1.0, np.abs(together))
        measures = filled.reshape(-1, 2).any(axis=1)
        holds = (near & filled).reshape(-1, 2).any(axis=1)
        is_some = np.abs(together[filled]).max(initial=0.0) > SMALL
        enough = measures.sum() > 1 or len(rows) >= REPEATED
        proves = enough and is_some and bool(measures.any()) and bool(holds[measures].all())
        return {each.place for each in block} if proves else set()

    def _are_sums(
        self,
        batch: range,
        below: "_Line",
        ends_at: Sequence[int],
        tried: AbstractSet[int],
        ends: AbstractSet[int],
        *,
        single: bool,
    ) -> set[int]:
        """Return which suspects may be totals and sum up rows above them, none of the batch being
        one: most of their numbers do, or without a label all, and those under the last total or all
        rows.
        """
        found: set[int] = set()
        asked: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
        for number, end in zip(batch, ends_at, strict=True):
            place = self._suspects[number].place
            given = self._given.get(place)
            if place in tried and given is not None and _is_some(given).any():
                asked[place in self._labelled].append((number, end))
        for is_labelled, some in asked.items():
            if not some:
                continue
            numbers = [number for number, _end in some]
            suspects = [self._suspects[number] for number in numbers]
            places = [each.place for each in suspects]
            given = np.stack([self._given[place] for place in places])
            are_ends = np.array([place in ends for place in places])
            are_results = np.array([place in self._results for place in places])
            compared = _Numbers(suspects, self._positions, given)
            stands = np.array([end for _number, end in some])
            if is_labelled:
                follow = np.array(
                    [
                        each.place in self._summaries or self._follows_total(number)
                        for number, each in zip(numbers, suspects, strict=True)
                    ]
                )
                least = np.where(single & ~are_results, 1, 2)
                may_be_other = (are_ends | follow) & ~are_results
                are_so = _are_named_sums(compared, below.groups_above(stands), least, may_be_other)
            else:
                parts = np.stack([below.wholes[stands], below.groups[stands]], axis=1)
                are_so = _are_all_sums(compared, parts, are_ends)
            found.update(number for number, is_so in zip(numbers, are_so, strict=True) if is_so)
        return found

    def _follows_total(self, number: int) -> bool:
        """Return whether a suspect stands right below another, in a block of summaries."""
        return number > 0 and (self._suspects[number - 1].place == self._suspects[number].place - 1)


def _are_named_sums(numbers: "_Numbers", groups: Array, least: Array, may_be_other: Flags) -> Flags:
    """Return for each suspect whether most of its numbers sum up `least` rows of a group above, or
    are other figures of the last one or of all.
    """
    sums, counted = numbers.sums_among(groups, least)
    held = sums.sum(axis=2)
    found: Flags = ((held > 0) & (held * 2 >= counted.sum(axis=2))).any(axis=1)
    for group in (0, -1):
        which = np.flatnonzero(may_be_other & ~found & counted[:, group].any(axis=1))
        if which.size:
            asked = counted[which, group] & ~sums[which, group]
            found[which] = numbers.are_other(which, groups[which, group], asked)
    return found


def _are_all_sums(numbers: "_Numbers", parts: Array, are_ends: Flags) -> Flags:
    """Return for each suspect whether all its numbers sum up all rows above, or a group of them."""
    sums, counted = numbers.sums_among(parts, np.full(len(parts), 2))
    # One small number may be a sum by chance.
    are_large = np.nanmax(np.abs(numbers.given), axis=1) > SMALL
    some = np.ones((len(parts), 2))
    some[are_ends & are_large, 0] = 0
    together = counted.sum(axis=2)
    held = sums.sum(axis=2)
    found: Flags = ((held == together) & (together > some)).any(axis=1)
    # A rate beside sums is none, but lies between those of the rows.
    is_sure = numbers.large_sums(sums) > 1
    is_sure &= (sums | ~counted | numbers.between(parts)).all(axis=2)
    found |= is_sure.any(axis=1)
    return found


@dataclass(frozen=True, slots=True)
class _Above:
    """Rows above a suspect: the last segments, all as one, those under the last total."""

    last: Array
    count: int
    whole: Array
    group: Array
    empty: Array

    @classmethod
    def nothing(cls, width: int) -> "_Above":
        """Return what stands above the first row."""
        empty = np.zeros((5, width))
        empty[2], empty[3] = np.inf, -np.inf
        return cls(np.stack([empty] * STARTS), 0, empty, empty, empty)

    def followed_by(self, parts: Sequence[Array]) -> "_Line":
        """Return what stands above each of these segments, and below them all."""
        return _Line(
            self,
            np.concatenate([self.last, parts]) if parts else self.last,
            _accumulated(np.stack([self.whole, *parts]), axis=0),
            _accumulated(np.stack([self.group, *parts]), axis=0),
        )


@dataclass(frozen=True, slots=True)
class _Line:
    """Segments in a line: those above, and then some; `wholes` and `groups` are sums up to each."""

    above: _Above
    segments: Array
    wholes: Array
    groups: Array

    def at(self, stand: int) -> _Above:
        """Return what stands above the segment of this number."""
        last = self.segments[stand : stand + STARTS]
        count = self.above.count + stand
        return _Above(last, count, self.wholes[stand], self.groups[stand], self.above.empty)

    def groups_above(self, stands: NDArray[np.intp]) -> Array:
        """Return for each stand the last segment, the last two as one, up to 40, and all.

        Where there are fewer, the last of these comes again.
        """
        last = self.segments[stands[:, None] + np.arange(STARTS - 1, -1, -1)]
        groups = _accumulated(last, axis=1)
        has_more = (self.above.count + stands > STARTS)[:, None, None]
        whole = np.where(has_more, self.wholes[stands], groups[:, -1])
        return np.concatenate([groups, whole[:, None]], axis=1)


class _Numbers:
    """The numbers of rows that may be totals, compared with those above them."""

    def __init__(self, suspects: Sequence[Row], positions: Sequence[int], given: Array) -> None:
        texts = [[each.cells[position] for position in positions] for each in suspects]
        self.given = given
        self._is_numeric = np.array([[*map(is_amount, each)] for each in texts])
        self._is_length = np.array([[*map(is_length_of_time, each)] for each in texts])
        self._is_some = _is_some(given)
        # Of what each may be off by rounding, in both readings.
        step = np.array([[10.0 ** -decimals_in(text) for text in each] for each in texts])
        step = np.repeat(step, 2, axis=1)
        self._rounding = np.where(step > 1e-9, 0.51 * step, 0.0)
        self._is_of_terms = step < 1
        self._least_off = 1e-6 * np.abs(given)

    def sums_among(self, groups: Array, least: Array) -> tuple[Flags, Flags]:
        """Return for each row, group above it and column whether the number is the sum, and whether
        it counts.
        """
        counts, sums = groups[:, :, 0], groups[:, :, 1]
        shape = (*counts.shape[:2], -1, 2)
        is_known = (counts > 0) & ~np.isnan(self.given)[:, None]
        present = np.where(is_known, counts, 0).reshape(shape).max(axis=3)
        # That nothing is the sum of nothing proves nothing.
        terms = np.where(self._is_of_terms[:, None], np.maximum(1.0, np.sqrt(counts)), 1.0)
        allowed = np.maximum(self._least_off[:, None], self._rounding[:, None] * terms)
        are_sums = is_known & (np.abs(self.given[:, None] - sums) <= allowed)
        hold = are_sums.reshape(shape).any(axis=3)
        # A time of day beside sums is none, so only a length that is a sum counts.
        counted = self._is_numeric[:, None] | (self._is_length[:, None] & hold)
        counted &= present >= least[:, None, None]
        some = counted & self._is_some.reshape(len(groups), 1, -1, 2).any(axis=3)
        counted = np.where(some.any(axis=2, keepdims=True), some, counted)
        return np.logical_and(hold, counted), counted

    def large_sums(self, sums: Flags) -> Array:
        """Return for each row and group how many of its sums are too large for chance."""
        given = np.nan_to_num(np.abs(self.given)).reshape(len(self.given), -1, 2).max(axis=2)
        found: Array = (sums & (given > SMALL)[:, None]).sum(axis=2)
        return found

    def between(self, groups: Array) -> Flags:
        """Return for each row, group and column whether the number lies between those of it."""
        given = self.given[:, None]
        are_so = (groups[:, :, 2] <= given) & (given <= groups[:, :, 3])
        found: Flags = are_so.reshape(len(given), groups.shape[1], -1, 2).max(axis=3)
        return found

    def are_other(self, which: NDArray[np.intp], groups: Array, asked: Flags) -> Flags:
        """Return for some rows whether the numbers of the columns asked for are means, extremes,
        counts, or tell how far the numbers of the group above lie apart.
        """
        count, total, least, most, squares = np.moveaxis(groups, 1, 0)
        mean = total / count
        spread = np.maximum(0.0, squares - total * mean)
        deviations = np.sqrt(spread / count), np.sqrt(spread / (count - 1))
        relative = [100 * each / np.abs(mean) for each in deviations]
        others = np.stack([mean, least, most, count, most - least, *deviations, *relative])
        others[[6, 8]] = np.where(count < 2, np.nan, others[[6, 8]])
        allowed = np.maximum(self._least_off[which], self._rounding[which])
        are_near = ((np.abs(self.given[which] - others) <= allowed) & (count > 0)).any(axis=0)
        found: Flags = (are_near.reshape(len(which), -1, 2).any(axis=2) | ~asked).all(axis=1)
        return found


def _counts(text: str) -> bool:
    return is_amount(text) or is_length_of_time(text)


def _column(rows: Sequence[Row], position: int) -> list[str]:
    return [each.cells[position] for each in rows]


def _is_some(given: Array) -> Flags:
    """Return for each number whether there is one, and it is not zero."""
    some: Flags = (given != 0) & ~np.isnan(given)
    return some


def _segments(
    count: Array | Flags, total: Array, least: Array, most: Array, squares: Array
) -> Array:
    """Return segments of rows; where none holds a number, joining it to others changes nothing."""
    is_empty = count == 0
    joined = np.stack(
        [np.where(is_empty, 0.0, each) for each in (count, total, least, most, squares)], axis=1
    )
    joined[:, 2][is_empty], joined[:, 3][is_empty] = np.inf, -np.inf
    return joined


def _of_rows(rows: Sequence[Array]) -> Array:
    """Return rows, each as a segment of itself."""
    if not rows:
        return np.empty(0)
    given = np.stack(rows)
    is_there = ~np.isnan(given)
    value = np.where(is_there, given, 0.0)
    return _segments(is_there, value, given, given, value * value)


def _joined(one: Array, other: Array) -> Array:
    """Return two segments as one."""
    whole = one + other
    np.minimum(one[2], other[2], out=whole[2])
    np.maximum(one[3], other[3], out=whole[3])
    return whole


def _accumulated(segments: Array, axis: int) -> Array:
    """Return the first segment, the first two as one, the first three, up to all of them."""
    whole = np.cumsum(segments, axis=axis)
    np.minimum.accumulate(segments[..., 2, :], axis=axis, out=whole[..., 2, :])
    np.maximum.accumulate(segments[..., 3, :], axis=axis, out=whole[..., 3, :])
    return whole


@dataclass(frozen=True, slots=True)
class GroupTotals:
    """Rows that sum up those under them; those with `labels` name the rows of their group. Where
    some have none, `names` are those of all that no other row has.
    """

    rows: tuple[Row, ...]
    labels: tuple[tuple[int, str], ...] = ()
    names: tuple[str, ...] = ()


def totals_above(raw: RawTable, found: AbstractSet[int]) -> GroupTotals | None:
    """Return the rows that sum up those under them, if every row stands under one; level by level,
    or first all rows of the upper level, then all of the next.

    One column of numbers at least has to hold nothing but sums and what they are of. A total of
    everything may stand above all or below.
    """
    if raw.rows < FEWEST_ROWS or raw.width < 2:
        return None
    rows = [each for each in select(raw, "true", limit=FIRST_ROWS) if each.place not in found]
    columns = _columns(rows)
    if not any(_begins_with_sum(values) for values in columns.values()):
        return None
    if raw.rows > FIRST_ROWS:
        if raw.rows > SUMMED_ROWS:
            return None
        rows = [each for each in select(raw, "true") if each.place not in found]
        columns = _columns(rows)
    trees = {at: tree for at, values in columns.items() if (tree := _tree(values))}
    if not trees:
        return _levels(rows, columns)
    at = max(trees, key=lambda each: len(trees[each]))
    tree = trees[at]
    agree = [each for each, values in columns.items() if _holds(values, tree)]
    tops = [columns[at][place] for place in tree]
    if len(agree) == 1 and len(tree) < FEW_GROUPS and median(tops) <= SMALL:
        return None
    totals = tuple(rows[place] for place in sorted(tree))
    labels = _labels(rows, tree, {*columns})
    are_groups = len(labels) == len(totals)
    return GroupTotals(totals, labels, () if are_groups else _names(rows, {*tree}, {*columns}))


def _levels(rows: Sequence[Row], columns: Mapping[int, Sequence[float]]) -> GroupTotals | None:
    """Return the rows of the upper levels, where each level's rows follow those of the one above
    and all levels have the same sums: in two columns, or in the only one.
    """
    for values in columns.values():
        starts = _level_starts(values)
        agree = [each for each in columns.values() if _are_levels(each, starts)] if starts else []
        if len(agree) > 1 or (agree and len(columns) == 1 and values[0] > SMALL):
            leaves = _finest(values, starts)
            upper = {*range(len(rows))}.difference(leaves)
            names = _names(rows, upper, {*columns})
            return GroupTotals(tuple(rows[place] for place in sorted(upper)), (), names)
    return None


def _finest(values: Sequence[float], starts: Sequence[int]) -> range:
    """Return the places of the level of which the rows of all others are sums: the longest, if
    every other row adds up some of it, one after the other; else the last.
    """
    ends = [*starts[1:], len(values)]
    levels = [range(start, end) for start, end in zip(starts, ends, strict=True)]
    longest = max(levels, key=len)
    for level in levels:
        place = longest.start
        for upper in level if level != longest else ():
            total = 0.0
            while place < longest.stop and not (total and _is_near(total, values[upper])):
                total += values[place]
                place += 1
            if not _is_near(total, values[upper]):
                return levels[-1]
    return longest


def levels_in_groups(
    raw: RawTable, found: AbstractSet[int], titles: Sequence[int]
) -> GroupTotals | None:
    """Return the rows of the upper levels of groups with a title each, whose first row is the sum
    of every level: a total, ages, and the ages of children and adults again.

    All groups have to be so, in two columns at least.
    """
    if not FEWEST_ROWS <= raw.rows <= SUMMED_ROWS:
        return None
    rows = [each for each in select(raw, "true") if each.place not in found]
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    places = [n for n, each in enumerate(rows)]
    upper: set[int] = set()
    for start, end in pairwise([*titles, raw.rows]):
        own = [n for n in places if start <= rows[n].place < end]
        if not own:
            continue  # a note under the table
        told = {at: [values[n] for n in own] for at, values in columns.items()}
        holding = {at: starts for at, values in told.items() if (starts := _level_starts(values))}
        at = next(
            (
                each
                for each, starts in holding.items()
                if sum(_are_levels(values, starts) for values in told.values()) > 1
            ),
            None,
        )
        if at is None:
            return None
        leaves = _finest(told[at], holding[at])
        if len(leaves) * 2 <= len(own):
            return None
        upper |= {own[n] for n in range(len(own)) if n not in leaves}
    names = _names(rows, upper, {*columns})
    return GroupTotals(tuple(rows[place] for place in sorted(upper)), (), names)


def _level_starts(values: Sequence[float]) -> list[int]:
    """Return where each level begins under the first number; none if they don't add up to it."""
    starts, summed = [0], values[0] if values else 0.0
    for place, value in enumerate(values[1:], 1):
        if _is_near(summed, values[0]) and value:
            starts.append(place)
            summed = 0.0
        summed += value
        if summed > values[0] * (1 + ROUNDING):
            return []
    is_whole = len(starts) > 1 and _is_near(summed, values[0])
    return starts if is_whole and len(values) - starts[-1] >= REPEATED else []


def _are_levels(values: Sequence[float], starts: Sequence[int]) -> bool:
    """Return whether the numbers of each level add up to the same."""
    ends = [*starts[1:], len(values)]
    sums = [sum(values[start:end]) for start, end in zip(starts, ends, strict=True)]
    return values[0] > 0 and all(_is_near(each, values[0]) for each in sums)


def _names(
    rows: Sequence[Row], places: AbstractSet[int], numbers: AbstractSet[int]
) -> tuple[str, ...]:
    """Return what names these rows: the longest texts of a column that hardly any other row has."""
    found: list[str] = []
    for at in range(len(rows[0].cells)):
        others = {row.cells[at] for place, row in enumerate(rows) if place not in places}
        texts = [rows[place].cells[at] for place in sorted(places)]
        own = [*dict.fromkeys(text for text in texts if text and text not in others)]
        if at not in numbers and len(own) * 2 > len({*texts}):
            found = max(found, own, key=lambda each: sum(map(len, each)))
    return tuple(found)


def _columns(rows: Sequence[Row]) -> dict[int, list[float]]:
    """Return the columns of numbers that may be sums, by their places; a missing one counts 0."""
    found: dict[int, list[float]] = {}
    for at in range(len(rows[0].cells) if rows else 0):
        cells = [each.cells[at] for each in rows]
        filled = [cell for cell in cells if cell]
        if len(filled) < FILLED * len(cells) or not all(map(is_numeric, filled)):
            continue
        for mark in (".", ","):
            values = [_number(cell, mark) for cell in cells]
            if all(value is not None and value >= 0 for value in values):
                found[at] = [value or 0.0 for value in values]
                break
    return found


def _number(cell: str, mark: str) -> float | None:
    """Return the number of a cell whose decimals stand behind this mark; 0 for a blank one."""
    bare = "".join(each for each in cell if each.isdigit() or each in ".,-")
    bare = bare.replace("," if mark == "." else ".", "").replace(mark, ".")
    try:
        return float(bare or 0)
    except ValueError:
        return None


def _begins_with_sum(values: Sequence[float]) -> bool:
    """Return whether the first number, or the second under a total, sums up some below it."""
    return any(_group(values, {}, top) is not None for top in (0, 1))


def _tree(values: Sequence[float]) -> dict[int, list[int]] | None:
    """Return for each sum the places of what it sums up, level by level; None unless every number
    stands under one.
    """
    groups: dict[int, list[int]] = {}
    ends: dict[int, int] = {}
    for place in range(len(values) - 1, -1, -1):
        group = _group(values, ends, place)
        ends[place] = place + 1
        if group is not None:
            groups[place] = group
            ends[place] = ends.get(group[-1], group[-1] + 1)
    tops = []
    place = 0
    while place < len(values):
        tops.append(place)
        place = ends[place]
    if len(tops) > 1 and tops[-1] not in groups:
        last = tops.pop()  # a total of everything may stand below
        if not _is_near(values[last], sum(values[top] for top in tops)):
            return None
        groups[last] = tops
    leaves = len(values) - len(groups)
    is_whole = all(top in groups for top in tops)
    return groups if is_whole and len(groups) > 1 and leaves > len(groups) else None


def _group(values: Sequence[float], ends: Mapping[int, int], top: int) -> list[int] | None:
    """Return the places under a number that it sums up: two at least, whole groups by their sum."""
    if top >= len(values) or not values[top]:
        return None
    total, place = 0.0, top + 1
    group: list[int] = []
    while place < len(values) and len(group) < MOST_CHILDREN:
        is_full = _is_near(total, values[top])
        if (is_full and values[place]) or total > values[top] * (1 + ROUNDING):
            break
        total += values[place]
        group.append(place)
        place = ends.get(place, place + 1)
    some = sum(values[each] > 0 for each in group)
    return group if some > 1 and _is_near(total, values[top]) else None


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= ROUNDING * max(1.0, abs(other))


def _holds(values: Sequence[float], tree: Mapping[int, Sequence[int]]) -> bool:
    """Return whether a column's numbers are sums where another's are."""
    return any(values) and all(
        _is_near(values[top], sum(values[place] for place in group)) for top, group in tree.items()
    )


def _labels(
    rows: Sequence[Row], tree: Mapping[int, Sequence[int]], numbers: AbstractSet[int]
) -> tuple[tuple[int, str], ...]:
    """Return the labels of groups of one level; none if their rows know them already."""
    of_groups = [top for top in tree if not any(place in tree for place in tree[top])]
    under = {place for top in of_groups for place in tree[top]}
    if len(of_groups) < 2 or any(
        place not in under for place in range(len(rows)) if place not in tree
    ):
        return ()
    texts = {
        top: " ".join(cell for at, cell in enumerate(rows[top].cells) if cell and at not in numbers)
        for top in of_groups
    }
    known = {cell for place in under for cell in rows[place].cells if cell}
    if any(not text or text in known for text in texts.values()):
        return ()
    return tuple((rows[top].place, texts[top]) for top in sorted(of_groups))


def add_group_column(raw: RawTable, labels: Mapping[int, str], found: AbstractSet[int]) -> None:
    """Give each row the label that stands at its place, or above it: in the first column, if it
    holds nothing else, or in a new last one.
    """
    if raw.stored:
        raw.unpack()
    blank = raw.is_blank(0)
    own = raw.db.execute(f"SELECT rowid FROM raw WHERE NOT ({blank}) LIMIT {len(found) + 1}")
    column = 0 if all(place in found for (place,) in own.fetchall()) else raw.width
    if column:
        raw.widen(raw.width + 1)
        raw.column_kinds[-1] = "text"
    raw.db.execute("CREATE TEMP TABLE labels (place BIGINT, label VARCHAR)")
    with raw.db.appender("labels") as appender:
        appender.append_rows([*labels.items()])
    raw.db.execute(
        f"UPDATE raw SET c{column} = found.label FROM (SELECT rows.rowid AS place, label"
        " FROM raw AS rows ASOF JOIN labels ON rows.rowid >= labels.place) AS found"
        " WHERE raw.rowid = found.place"
    )
    raw.forget()
    raw.db.execute("DROP TABLE labels")
