"""Value counts, quartiles and histograms of columns: exact, over every row."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise
from typing import Any

import duckdb

from qhub_desktop.core.table import Cell
from qhub_desktop.core.values import dataclass

BINS = 4_096  # counted at once, then refined around the ranks that are wanted
SORTED_AT_ONCE = 100_000  # numbers fetched and sorted in one query


def order_statistics(
    db: duckdb.DuckDBPyConnection,
    relation: str,
    amount: str,
    places: Iterable[int],
    *,
    within: tuple[float, float],
) -> dict[int, float]:
    """Return the numbers at these ranks, from 0, among those within two finite bounds.

    `amount` is SQL for the number of a row. Bins are counted and refined around the ranks, so
    memory stays small however many rows there are.
    """
    wanted = sorted(set(places))
    lower, upper = within
    width = (upper / BINS) - (lower / BINS)
    if width <= 0 or not wanted:
        return dict.fromkeys(wanted, lower)
    bins = db.execute(
        f"SELECT least({BINS - 1}, floor((amount - ?) / ?)) AS bin, count(*), min(amount),"
        f" max(amount) FROM (SELECT {amount} AS amount FROM {relation})"
        " WHERE amount BETWEEN ? AND ? GROUP BY bin ORDER BY bin",
        [lower, width, lower, upper],
    ).fetchall()
    found: dict[int, float] = {}
    before = 0
    for _bin, count, least, most in bins:
        inside = [place - before for place in wanted if before <= place < before + count]
        if not inside:
            pass
        elif least == most:
            found |= {before + place: least for place in inside}
        elif count <= SORTED_AT_ONCE:
            numbers = _sorted_between(db, relation, amount, within=(least, most))
            found |= {before + place: numbers[place] for place in inside}
        else:
            deeper = order_statistics(db, relation, amount, inside, within=(least, most))
            found |= {before + place: number for place, number in deeper.items()}
        before += count
    return found


def _sorted_between(
    db: duckdb.DuckDBPyConnection, relation: str, amount: str, *, within: tuple[float, float]
) -> list[float]:
    rows = db.execute(
        f"SELECT amount FROM (SELECT {amount} AS amount FROM {relation})"
        " WHERE amount BETWEEN ? AND ? ORDER BY amount",
        within,
    ).fetchall()
    return [number for (number,) in rows]


TOP_VALUES = 20
CLASSES = 12  # of the histogram that a profile shows
FENCE = 1.5  # interquartile ranges outside the quartiles: Tukey's fences
SHOWN_CHARACTERS = 500  # of a text
LISTED_VALUES = 1_000  # of a column of texts; one with more has only its most frequent ones
LISTED_OF_ALL = 10_000  # of all columns of a table: questions go through them
LISTED_CHARACTERS = 80  # of a text that is listed; a longer one is no name

FEW_ROWS = 20_000  # up to here, columns of one type are unnested and counted together
REPEATED = 8  # times a value occurs on average to make counting it worthwhile
COLUMNS_AT_ONCE = 200  # the time to plan a statement grows faster than its columns
FEW_CELLS = 15_000  # whose different values are taken out of the database
CELLS_AT_ONCE = 2_000_000  # counted together; all of them may be distinct
MEASURED_AT_ONCE = 10_000_000  # cells that the database's own aggregates may keep in memory
SORTED_IN_MEMORY = 4_000_000  # numbers of a column; beyond, quartiles are searched by bins
MOST_BITS = 2**26  # of a bitmap over the range of a column of integers

Fences = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CountTarget:
    """Column to be counted, with what the first scan has found; it has at least one value.

    `value` is SQL of its values, of the same type for all columns of `sql_type`. `amount` is a
    template that turns the SQL of a value into that of a number; None for texts.
    """

    name: str
    sql_type: str
    value: str
    present: int
    approx_distinct: int  # distinct values, estimated
    amount: str | None = None  # a template: "epoch({})"
    lower: float = math.nan  # of the amounts
    upper: float = math.nan
    span: tuple[int, int] | None = None  # minimum and maximum of integers
    has_quartiles: bool = False

    @property
    def width(self) -> float:
        """Width of one histogram class; 0 if there are no classes."""
        width = (self.upper - self.lower) / CLASSES
        return width if 0 < width < math.inf else 0.0


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """Distinct values of a column, and its most frequent ones or its quartiles and histogram.

    `values` are all its texts but for long ones, where they are more than `top` and not too many.
    """

    distinct: int
    top: tuple[tuple[Cell, int], ...] = ()
    quartiles: tuple[float, float, float] | None = None
    histogram: tuple[int, ...] = ()
    outliers: int = 0
    values: tuple[str, ...] = ()


def count_columns(
    db: duckdb.DuckDBPyConnection, relation: str, targets: Sequence[CountTarget], *, rows: int
) -> dict[str, ColumnCounts]:
    """Count the values of every column; return the counts by column name."""
    found = {each.name: _numbered(each) for each in targets if _is_numbered(db, relation, each)}
    targets = [each for each in targets if each.name not in found]
    left = LISTED_OF_ALL
    for batch in _batches(targets, rows):
        is_text = batch[0].amount is None
        if _is_counted(batch[0], rows):
            _fill_counted(db, relation, batch, rows)
            counts = _texts_by_count(db, batch) if is_text else _amounts_by_count(db, batch)
            if is_text:
                counts |= _listed(db, batch, counts, most=left)
                left -= sum(len(each.values) for each in counts.values())
            found |= counts
            db.execute("DROP TABLE counted")
        else:
            found |= (
                _count_texts(db, relation, batch)
                if is_text
                else _count_amounts(db, relation, batch)
            )
    return found


def _batches(targets: Sequence[CountTarget], rows: int) -> Iterator[Sequence[CountTarget]]:
    """Group columns into batches that are counted in the same way by one statement."""

    def alike(target: CountTarget) -> tuple[bool, str]:
        return _is_counted(target, rows), target.sql_type

    for (is_counted, _type), group in groupby(sorted(targets, key=alike), alike):
        same = list(group)
        cells = CELLS_AT_ONCE if is_counted and rows <= FEW_ROWS else MEASURED_AT_ONCE
        step = min(COLUMNS_AT_ONCE, max(1, cells // rows))
        yield from (same[start : start + step] for start in range(0, len(same), step))


def _is_counted(target: CountTarget, rows: int) -> bool:
    if target.amount is None and target.present <= LISTED_VALUES * REPEATED:
        return True  # few texts, which may have to be listed
    return rows <= FEW_ROWS or target.approx_distinct * REPEATED <= target.present


# First way: a table of each distinct value of each column with its count.


def _fill_counted(
    db: duckdb.DuckDBPyConnection, relation: str, batch: Sequence[CountTarget], rows: int
) -> None:
    """Fill the table `counted`: the column's place in the batch, the value, its count."""
    if rows <= FEW_ROWS:
        values = side_by_side(relation, [target.value for target in batch])
        counting = (
            f"SELECT place, value, count(*) AS times FROM {values}"
            " WHERE value IS NOT NULL GROUP BY place, value"
        )
    else:
        counting = " UNION ALL ".join(
            f"(SELECT {place} AS place, value, count(*) AS times"
            f" FROM (SELECT {target.value} AS value FROM {relation})"
            " WHERE value IS NOT NULL GROUP BY value)"
            for place, target in enumerate(batch)
        )
    db.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {counting}")


def side_by_side(relation: str, values: Sequence[str]) -> str:
    """Return SQL that unnests columns of one type into `value`, with their `place`."""
    return (
        f"(SELECT unnest(range({len(values)})) AS place, unnest([{', '.join(values)}]) AS value"
        f" FROM {relation})"
    )


def _texts_by_count(
    db: duckdb.DuckDBPyConnection, batch: Sequence[CountTarget]
) -> dict[str, ColumnCounts]:
    ranked = db.execute(
        "SELECT place, value, times, different FROM (SELECT *,"
        " count(*) OVER (PARTITION BY place) AS different,"
        " row_number() OVER (PARTITION BY place ORDER BY times DESC, value) AS number FROM counted)"
        f" WHERE number <= {TOP_VALUES} ORDER BY place, number"
    ).fetchall()
    found: dict[str, ColumnCounts] = {}
    for place, lines in groupby(ranked, lambda line: int(line[0])):
        found[batch[place].name] = _text_counts([line[1:] for line in lines])
    return found


def _listed(
    db: duckdb.DuckDBPyConnection,
    batch: Sequence[CountTarget],
    counts: dict[str, ColumnCounts],
    *,
    most: int,
) -> dict[str, ColumnCounts]:
    """List the values of columns that have not too many, those with the fewest first."""
    places: dict[int, ColumnCounts] = {}
    for place in sorted(range(len(batch)), key=lambda place: counts[batch[place].name].distinct):
        each = counts[batch[place].name]
        if TOP_VALUES < each.distinct <= min(LISTED_VALUES, most):
            places[place] = each
            most -= each.distinct
    if not places:
        return {}
    lines = db.execute(
        "SELECT place, list(value ORDER BY value) FROM counted"
        f" WHERE place IN ({', '.join(map(str, places))})"
        f" AND length(value) <= {LISTED_CHARACTERS} GROUP BY place"
    ).fetchall()
    return {
        batch[place].name: replace(places[place], values=tuple(values)) for place, values in lines
    }


def _amounts_by_count(
    db: duckdb.DuckDBPyConnection, batch: Sequence[CountTarget]
) -> dict[str, ColumnCounts]:
    if _are_few(batch):
        return _few_amounts(db, batch)
    amount = _amount_sql(batch[0], "value")
    # A quartile lies on one value of the sorted column or between two neighbours. With running
    # counts, the value at a rank is the first whose running count exceeds it.
    quarters = ", ".join(
        f"min(amount) FILTER (until > ((total - 1) * {quarter} + {more}) // 4)"
        for quarter in (1, 2, 3)
        for more in (0, 3)
    )
    measured = db.execute(
        f"SELECT place, count(*), {quarters} FROM (SELECT place, {amount} AS amount,"
        " sum(times) OVER (PARTITION BY place ORDER BY value)::BIGINT AS until,"
        " sum(times) OVER (PARTITION BY place)::BIGINT AS total FROM counted) GROUP BY place"
    ).fetchall()
    distinct = {int(place): int(different) for place, different, *_between in measured}
    quartiles = {
        int(place): _interpolate(batch[place].present, ends)
        for place, _different, *ends in measured
        if batch[place].has_quartiles
    }
    bounds: list[float] = []
    for place, target in enumerate(batch):
        bounds += [place, target.lower, target.width, *_fences(quartiles.get(place))]
    classed = db.execute(
        f"SELECT place, {_class_sql('amount', 'least_amount', 'width')} AS class,"
        " sum(times)::BIGINT,"
        " coalesce(sum(times) FILTER (amount < low OR amount > high), 0)::BIGINT"
        f" FROM (SELECT *, {amount} AS amount FROM counted)"
        f" JOIN (VALUES {', '.join(['(?::INTEGER, ?, ?, ?, ?)'] * len(batch))})"
        " AS bounds (place, least_amount, width, low, high) USING (place) GROUP BY place, class",
        bounds,
    ).fetchall()
    classes: dict[int, dict[int, int]] = {place: {} for place in range(len(batch))}
    outliers = dict.fromkeys(range(len(batch)), 0)
    for place, class_, times, outside in classed:
        outliers[place] += outside
        if class_ is not None:
            classes[place][class_] = times
    return {
        target.name: ColumnCounts(
            distinct[place],
            quartiles=quartiles.get(place),
            histogram=_histogram(classes[place]),
            outliers=outliers[place],
        )
        for place, target in enumerate(batch)
    }


def _are_few(batch: Sequence[CountTarget]) -> bool:
    """Return whether statements of windows and classes take longer than to look at each value."""
    ends = [end for target in batch for end in (target.lower, target.upper)]
    is_ordered = batch[0].sql_type != "INTERVAL"  # a month may be shorter than thirty days
    cells = sum(target.present for target in batch)
    return cells <= FEW_CELLS and is_ordered and all(map(math.isfinite, ends))


def _few_amounts(
    db: duckdb.DuckDBPyConnection, batch: Sequence[CountTarget]
) -> dict[str, ColumnCounts]:
    amount = _amount_sql(batch[0], "value")
    counted: list[list[tuple[float, int]]] = [[] for _target in batch]
    for place, value, times in db.execute(f"SELECT place, {amount}, times FROM counted").fetchall():
        counted[place].append((value, times))
    return {
        target.name: _counts_of_few(target, sorted(values))
        for target, values in zip(batch, counted, strict=True)
    }


def _counts_of_few(target: CountTarget, values: Sequence[tuple[float, int]]) -> ColumnCounts:
    """Return the counts of a column whose different amounts are given with their times, sorted."""
    until = [*accumulate(times for _value, times in values)]
    ranks = [((until[-1] - 1) * quarter + more) // 4 for quarter in (1, 2, 3) for more in (0, 3)]
    quartiles = None
    if target.has_quartiles:
        ends = [values[bisect_right(until, rank)][0] for rank in ranks]
        quartiles = _interpolate(target.present, ends)
    low, high = _fences(quartiles)
    classes: dict[int, int] = {}
    if width := target.width:
        for value, times in values:
            number = min(CLASSES - 1, math.floor((value - target.lower) / width))
            classes[number] = classes.get(number, 0) + times
    return ColumnCounts(
        len(values),
        quartiles=quartiles,
        histogram=_histogram(classes),
        outliers=sum(times for value, times in values if value < low or value > high),
    )


def _interpolate(count: int, ends: Sequence[float]) -> tuple[float, float, float] | None:
    """Interpolate the quartiles between their neighbours below and above (R type 7)."""
    found = [
        below if below == above else below + (above - below) * ((count - 1) * quarter % 4) / 4
        for quarter, below, above in zip((1, 2, 3), ends[::2], ends[1::2], strict=True)
    ]
    return _finite_quartiles(found)


# Second way: the aggregates of the database, for columns of mostly distinct values.


def _count_texts(
    db: duckdb.DuckDBPyConnection, relation: str, batch: Sequence[CountTarget]
) -> dict[str, ColumnCounts]:
    found: dict[str, ColumnCounts] = {}
    for target in batch:
        lines = db.execute(
            "WITH times_of AS MATERIALIZED (SELECT value, count(*) AS times"
            f" FROM (SELECT {target.value} AS value FROM {relation})"
            " WHERE value IS NOT NULL GROUP BY value)"
            " SELECT value, times, (SELECT count(*) FROM times_of) FROM times_of"
            f" ORDER BY times DESC, value LIMIT {TOP_VALUES}"
        ).fetchall()
        found[target.name] = _text_counts(lines)
    return found


def _count_amounts(
    db: duckdb.DuckDBPyConnection, relation: str, batch: Sequence[CountTarget]
) -> dict[str, ColumnCounts]:
    asked: list[str] = []
    for target in batch:
        asked.append(_distinct_sql(target))
        is_held = target.has_quartiles and not _is_searched(target)
        amount = _amount_sql(target, target.value)
        asked.append(f"quantile_cont({amount}, [0.25, 0.5, 0.75])" if is_held else "NULL")
    measured = _one_row(db, f"SELECT {', '.join(asked)} FROM {relation}")
    quartiles = [
        _exact_quartiles(db, relation, target)
        if target.has_quartiles and _is_searched(target)
        else _finite_quartiles(found)
        for target, found in zip(batch, measured[1::2], strict=True)
    ]
    asked.clear()
    bounds: list[float] = []
    for target, quarters in zip(batch, quartiles, strict=True):
        amount = _amount_sql(target, target.value)
        asked.append(
            f"histogram({_class_sql(amount, '?', '?')}), count_if({amount} < ? OR {amount} > ?)"
        )
        bounds += [target.width, target.lower, target.width, *_fences(quarters)]
    classed = _one_row(db, f"SELECT {', '.join(asked)} FROM {relation}", bounds)
    return {
        target.name: ColumnCounts(
            measured[2 * place],
            quartiles=quartiles[place],
            histogram=_histogram(classed[2 * place] or {}),
            outliers=classed[2 * place + 1],
        )
        for place, target in enumerate(batch)
    }


def _is_numbered(db: duckdb.DuckDBPyConnection, relation: str, target: CountTarget) -> bool:
    """Return whether a long column holds every integer from its least to its greatest once."""
    if target.span is None or not FEW_ROWS < target.present < MOST_BITS:
        return False
    if target.span[1] - target.span[0] + 1 != target.present:
        return False
    (distinct,) = _one_row(db, f"SELECT {_distinct_sql(target)} FROM {relation}")
    return bool(distinct == target.present)


def _numbered(target: CountTarget) -> ColumnCounts:
    """Return the counts of such a column, which need no look at it: the numbers of rows, mostly."""
    assert target.span is not None
    least, most = target.span
    ends = [least + (target.present - 1) * quarter / 4 for quarter in (1, 2, 3)]

    def class_of(number: int) -> int:
        return min(CLASSES - 1, math.floor((number - target.lower) / target.width))

    starts = [bisect_left(range(least, most + 1), n, key=class_of) for n in range(CLASSES)]
    return ColumnCounts(
        target.present,
        quartiles=(ends[0], ends[1], ends[2]),
        histogram=tuple(end - start for start, end in pairwise([*starts, target.present])),
    )


def _is_searched(target: CountTarget) -> bool:
    """Return whether the numbers are too many for memory, so quartiles are searched by bins."""
    return target.present > SORTED_IN_MEMORY and target.width > 0


def _exact_quartiles(
    db: duckdb.DuckDBPyConnection, relation: str, target: CountTarget
) -> tuple[float, float, float] | None:
    places = [
        ((target.present - 1) * quarter + more) // 4 for quarter in (1, 2, 3) for more in (0, 3)
    ]
    amount = _amount_sql(target, target.value)
    ends = target.lower, target.upper
    found = order_statistics(db, relation, amount, places, within=ends)
    return _interpolate(target.present, [found[place] for place in places])


def _distinct_sql(target: CountTarget) -> str:
    if target.span is None or target.span[1] - target.span[0] >= MOST_BITS:
        return f"count(DISTINCT {target.value})"
    # A bit for each possible integer: a seventh of the time for a column of row numbers.
    least, most = target.span
    return f"bit_count(bitstring_agg({target.value}::BIGINT, {least}, {most}))"


# Shared by both ways.


def _amount_sql(target: CountTarget, value: str) -> str:
    assert target.amount is not None
    return target.amount.format(value)


def _class_sql(amount: str, lower: str, width: str) -> str:
    """Return SQL of the class an amount falls in; NULL if there are no classes."""
    last = CLASSES - 1
    return (
        f"CASE WHEN {width} > 0 AND {amount} IS NOT NULL THEN"
        f" least({last}, floor(({amount} - {lower}) / {width}))::INTEGER END"
    )


def _fences(quartiles: tuple[float, float, float] | None) -> Fences:
    if quartiles is None:
        return -math.inf, math.inf
    reach = FENCE * (quartiles[2] - quartiles[0])
    return quartiles[0] - reach, quartiles[2] + reach


def _finite_quartiles(found: Sequence[float] | None) -> tuple[float, float, float] | None:
    """Return the quartiles; None if one is infinite or undefined."""
    if found is None:
        return None
    first, middle, third = found
    return (first, middle, third) if all(map(math.isfinite, found)) else None


def _histogram(classes: dict[int, int]) -> tuple[int, ...]:
    return tuple(classes.get(number, 0) for number in range(CLASSES)) if classes else ()


def _text_counts(lines: Sequence[tuple[str, int, int]]) -> ColumnCounts:
    """Build counts from lines of (value, times, distinct), most frequent first."""
    return ColumnCounts(
        lines[0][2], top=tuple((shorten(value), times) for value, times, _all in lines)
    )


def shorten(text: str) -> str:
    """Return a text cut to SHOWN_CHARACTERS: a cell may hold a book."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _one_row(
    db: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[float] = ()
) -> tuple[Any, ...]:
    row = db.execute(sql, parameters).fetchone()
    assert row is not None
    return row
