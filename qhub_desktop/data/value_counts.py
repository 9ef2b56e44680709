"""Value counts and quantiles of a column: exact, over every row."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import duckdb

from qhub_desktop.core.table import Cell

BINS = 4_096
SORTED = 100_000  # numbers that are sorted at once


def numbers_at(
    db: duckdb.DuckDBPyConnection,
    relation: str,
    amount: str,
    places: Iterable[int],
    *,
    within: tuple[float, float],
) -> dict[int, float]:
    """The numbers at these places, from 0, among those within the ends, which are finite.

    `amount` is SQL for a number of each row of the relation.
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
        elif count <= SORTED:
            numbers = _sorted(db, relation, amount, within=(least, most))
            found |= {before + place: numbers[place] for place in inside}
        else:
            deeper = numbers_at(db, relation, amount, inside, within=(least, most))
            found |= {before + place: number for place, number in deeper.items()}
        before += count
    return found


def _sorted(
    db: duckdb.DuckDBPyConnection, relation: str, amount: str, *, within: tuple[float, float]
) -> list[float]:
    rows = db.execute(
        f"SELECT amount FROM (SELECT {amount} AS amount FROM {relation})"
        " WHERE amount BETWEEN ? AND ? ORDER BY amount",
        within,
    ).fetchall()
    return [number for (number,) in rows]


TOP_VALUES = 20
CLASSES = 12
FENCE = 1.5  # interquartile ranges outside the quartiles: Tukey's fences
SHOWN_CHARACTERS = 500  # of a text

FEW_ROWS = 20_000  # up to here, columns of one type are counted together, as one list of values
REPEATED = 8  # how often a value must be there, on average, to be worth counting
COLUMNS_AT_ONCE = 200  # planning a statement grows faster than the number of its columns
CELLS_AT_ONCE = 2_000_000  # counted together, all of which may be different
MEASURED_AT_ONCE = 10_000_000  # cells that the database's own figures may keep in memory
HELD = 4_000_000  # numbers of a column; above, they are not held to find the quartiles
MOST_BITS = 2**26  # a whole number's bit, where each of a range has one

Fences = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Subject:
    """A column that holds something, as the first look at it has found it.

    `value` is SQL that gives its values, of a type that is the same for all columns of `sql_type`;
    `amount` makes a number of the SQL of a value, and there is none for texts.
    """

    name: str
    sql_type: str
    value: str
    present: int
    about: int  # different values, roughly
    amount: str | None = None  # a template: "epoch({})"
    lower: float = math.nan  # the least amount
    upper: float = math.nan
    span: tuple[int, int] | None = None  # of whole numbers: the least and the greatest
    has_quartiles: bool = False

    @property
    def width(self) -> float:
        """Of one class; zero where there are no classes."""
        width = (self.upper - self.lower) / CLASSES
        return width if 0 < width < math.inf else 0.0


@dataclass(frozen=True, slots=True)
class Tally:
    """What counting a column has shown."""

    distinct: int
    top: tuple[tuple[Cell, int], ...] = ()
    quartiles: tuple[float, float, float] | None = None
    histogram: tuple[int, ...] = ()
    outliers: int = 0


def tallies(
    db: duckdb.DuckDBPyConnection, relation: str, subjects: Sequence[Subject], *, rows: int
) -> dict[str, Tally]:
    """Every column counted, by its name."""
    found: dict[str, Tally] = {}
    for batch in _batches(subjects, rows):
        is_text = batch[0].amount is None
        if _is_counted(batch[0], rows):
            _count(db, relation, batch, rows)
            found |= _texts_by_count(db, batch) if is_text else _amounts_by_count(db, batch)
            db.execute("DROP TABLE counted")
        else:
            found |= _texts(db, relation, batch) if is_text else _amounts(db, relation, batch)
    return found


def _batches(subjects: Sequence[Subject], rows: int) -> Iterator[Sequence[Subject]]:
    """Columns that are counted the same way and together."""

    def alike(subject: Subject) -> tuple[bool, str]:
        return _is_counted(subject, rows), subject.sql_type

    for (is_counted, _type), group in groupby(sorted(subjects, key=alike), alike):
        same = list(group)
        cells = CELLS_AT_ONCE if is_counted and rows <= FEW_ROWS else MEASURED_AT_ONCE
        step = min(COLUMNS_AT_ONCE, max(1, cells // rows))
        yield from (same[start : start + step] for start in range(0, len(same), step))


def _is_counted(subject: Subject, rows: int) -> bool:
    return rows <= FEW_ROWS or subject.about * REPEATED <= subject.present


# The one way: each value of each column once, and how many times it is there.


def _count(
    db: duckdb.DuckDBPyConnection, relation: str, batch: Sequence[Subject], rows: int
) -> None:
    """Fill the table `counted`: the column's place in the batch, the value, how many times."""
    if rows <= FEW_ROWS:
        values = side_by_side(relation, [subject.value for subject in batch])
        counting = (
            f"SELECT place, value, count(*) AS times FROM {values}"
            " WHERE value IS NOT NULL GROUP BY place, value"
        )
    else:
        counting = " UNION ALL ".join(
            f"(SELECT {place} AS place, value, count(*) AS times"
            f" FROM (SELECT {subject.value} AS value FROM {relation})"
            " WHERE value IS NOT NULL GROUP BY value)"
            for place, subject in enumerate(batch)
        )
    db.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {counting}")


def side_by_side(relation: str, values: Sequence[str]) -> str:
    """Columns of one type as one column `value`, and where each came from as `place`."""
    return (
        f"(SELECT unnest(range({len(values)})) AS place, unnest([{', '.join(values)}]) AS value"
        f" FROM {relation})"
    )


def _texts_by_count(db: duckdb.DuckDBPyConnection, batch: Sequence[Subject]) -> dict[str, Tally]:
    ranked = db.execute(
        "SELECT place, value, times, different FROM (SELECT *,"
        " count(*) OVER (PARTITION BY place) AS different,"
        " row_number() OVER (PARTITION BY place ORDER BY times DESC, value) AS number FROM counted)"
        f" WHERE number <= {TOP_VALUES} ORDER BY place, number"
    ).fetchall()
    found: dict[str, Tally] = {}
    for place, lines in groupby(ranked, lambda line: int(line[0])):
        found[batch[place].name] = _of_text([line[1:] for line in lines])
    return found


def _amounts_by_count(db: duckdb.DuckDBPyConnection, batch: Sequence[Subject]) -> dict[str, Tally]:
    amount = _amount(batch[0], "value")
    # A quartile lies between two neighbours in the sorted column, or on one. With so many rows up
    # to each value, the value at a place is the first that goes beyond it.
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
        int(place): _between(batch[place].present, ends)
        for place, _different, *ends in measured
        if batch[place].has_quartiles
    }
    bounds: list[float] = []
    for place, subject in enumerate(batch):
        bounds += [place, subject.lower, subject.width, *_fences(quartiles.get(place))]
    classed = db.execute(
        f"SELECT place, {_class('amount', 'least_amount', 'width')} AS class, sum(times)::BIGINT,"
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
        subject.name: Tally(
            distinct[place],
            quartiles=quartiles.get(place),
            histogram=_histogram(classes[place]),
            outliers=outliers[place],
        )
        for place, subject in enumerate(batch)
    }


def _between(count: int, ends: Sequence[float]) -> tuple[float, float, float] | None:
    """The quartiles between their neighbours in the column, below and above."""
    found = [
        below if below == above else below + (above - below) * ((count - 1) * quarter % 4) / 4
        for quarter, below, above in zip((1, 2, 3), ends[::2], ends[1::2], strict=True)
    ]
    return _quartiles(found)


# The other way: what the database measures by itself.


def _texts(
    db: duckdb.DuckDBPyConnection, relation: str, batch: Sequence[Subject]
) -> dict[str, Tally]:
    found: dict[str, Tally] = {}
    for subject in batch:
        lines = db.execute(
            "WITH times_of AS MATERIALIZED (SELECT value, count(*) AS times"
            f" FROM (SELECT {subject.value} AS value FROM {relation})"
            " WHERE value IS NOT NULL GROUP BY value)"
            " SELECT value, times, (SELECT count(*) FROM times_of) FROM times_of"
            f" ORDER BY times DESC, value LIMIT {TOP_VALUES}"
        ).fetchall()
        found[subject.name] = _of_text(lines)
    return found


def _amounts(
    db: duckdb.DuckDBPyConnection, relation: str, batch: Sequence[Subject]
) -> dict[str, Tally]:
    asked: list[str] = []
    for subject in batch:
        asked.append(_distinct(subject))
        is_held = subject.has_quartiles and not _is_long(subject)
        amount = _amount(subject, subject.value)
        asked.append(f"quantile_cont({amount}, [0.25, 0.5, 0.75])" if is_held else "NULL")
    measured = _one(db, f"SELECT {', '.join(asked)} FROM {relation}")
    quartiles = [
        _narrowed(db, relation, subject)
        if subject.has_quartiles and _is_long(subject)
        else _quartiles(found)
        for subject, found in zip(batch, measured[1::2], strict=True)
    ]
    asked.clear()
    bounds: list[float] = []
    for subject, quarters in zip(batch, quartiles, strict=True):
        amount = _amount(subject, subject.value)
        asked.append(
            f"histogram({_class(amount, '?', '?')}), count_if({amount} < ? OR {amount} > ?)"
        )
        bounds += [subject.width, subject.lower, subject.width, *_fences(quarters)]
    classed = _one(db, f"SELECT {', '.join(asked)} FROM {relation}", bounds)
    return {
        subject.name: Tally(
            measured[2 * place],
            quartiles=quartiles[place],
            histogram=_histogram(classed[2 * place] or {}),
            outliers=classed[2 * place + 1],
        )
        for place, subject in enumerate(batch)
    }


def _is_long(subject: Subject) -> bool:
    """Whether the numbers are too many to be held in memory, and can be found without."""
    return subject.present > HELD and subject.width > 0


def _narrowed(
    db: duckdb.DuckDBPyConnection, relation: str, subject: Subject
) -> tuple[float, float, float] | None:
    places = [
        ((subject.present - 1) * quarter + more) // 4 for quarter in (1, 2, 3) for more in (0, 3)
    ]
    amount = _amount(subject, subject.value)
    ends = subject.lower, subject.upper
    found = numbers_at(db, relation, amount, places, within=ends)
    return _between(subject.present, [found[place] for place in places])


def _distinct(subject: Subject) -> str:
    if subject.span is None or subject.span[1] - subject.span[0] >= MOST_BITS:
        return f"count(DISTINCT {subject.value})"
    # A bit for every whole number there may be: a seventh of the time for a column of row numbers.
    least, most = subject.span
    return f"bit_count(bitstring_agg({subject.value}::BIGINT, {least}, {most}))"


# What both ways share.


def _amount(subject: Subject, value: str) -> str:
    assert subject.amount is not None
    return subject.amount.format(value)


def _class(amount: str, lower: str, width: str) -> str:
    """SQL of the class an amount falls in; nothing where there are no classes."""
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


def _quartiles(found: Sequence[float] | None) -> tuple[float, float, float] | None:
    """None where one is infinite, or lies between two infinities."""
    if found is None:
        return None
    first, middle, third = found
    return (first, middle, third) if all(map(math.isfinite, found)) else None


def _histogram(classes: dict[int, int]) -> tuple[int, ...]:
    return tuple(classes.get(number, 0) for number in range(CLASSES)) if classes else ()


def _of_text(lines: Sequence[tuple[str, int, int]]) -> Tally:
    """From the most frequent values, how many times they are there, how many different ones."""
    return Tally(lines[0][2], top=tuple((shortened(value), times) for value, times, _all in lines))


def shortened(text: str) -> str:
    """A text as it is shown: a cell may hold a book."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _one(
    db: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[float] = ()
) -> tuple[Any, ...]:
    row = db.execute(sql, parameters).fetchone()
    assert row is not None
    return row
