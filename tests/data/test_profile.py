"""Profiles over all rows: the same figures as pandas gives, both ways of counting, any content."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice
from random import Random

import duckdb
import numpy as np
import pandas as pd
import pytest

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import Cell
from qhub_desktop.data.profile import duplicate_rows, preview, profile_columns
from qhub_desktop.data.value_counts import (
    FEW_ROWS,
    LISTED_CHARACTERS,
    LISTED_OF_ALL,
    LISTED_VALUES,
    SHOWN_CHARACTERS,
    SORTED_IN_MEMORY,
    TOP_VALUES,
    order_statistics,
)

# Few rows are counted together, many one column after the other.
SIZES = (300, FEW_ROWS + 5_000)


@pytest.fixture
def db() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "1GB"}) as connection:
        yield connection


@pytest.fixture(params=SIZES)
def records(request: pytest.FixtureRequest, db: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Random rows with missing values, stored as `rows`."""
    frame = random_frame(int(request.param))
    db.register("given", frame)
    db.execute("CREATE TABLE rows AS SELECT * REPLACE (dia::DATE AS dia) FROM given")
    return frame


def random_frame(rows: int) -> pd.DataFrame:
    chance = np.random.default_rng(rows)
    frame = pd.DataFrame(
        {
            "leitura": chance.normal(80, 3, rows),  # nearly every value is new
            "arredondada": chance.normal(80, 3, rows).round(1),  # values repeat
            "contagem": pd.array(chance.poisson(3, rows), dtype="Int64"),
            "numero": pd.array(chance.permutation(rows) - 40, dtype="Int64"),
            "longo": pd.array(chance.integers(-(2**62), 2**62, rows), dtype="Int64"),
            "dia": pd.Timestamp("2026-01-01") + pd.to_timedelta(chance.integers(0, 90, rows), "D"),
            "momento": pd.Timestamp("2026-01-01")
            + pd.to_timedelta(chance.integers(0, 10**8, rows), "s"),
            "rack": pd.array([f"R{each:02}" for each in chance.integers(8, 20, rows)]),
            "serie": pd.array([f"SN{each}" for each in chance.integers(0, rows * 3, rows)]),
            "conforme": pd.array(chance.random(rows) < 0.9, dtype="boolean"),
        }
    )
    for name in frame.columns:
        frame.loc[chance.random(rows) < 0.07, name] = None
    return frame


def only(db: duckdb.DuckDBPyConnection, relation: str) -> ColumnProfile:
    (column,) = profile_columns(db, relation)
    return column


def of_types(db: duckdb.DuckDBPyConnection, *types: str) -> list[ColumnProfile]:
    """The profiles of the random rows' columns of these types, of which there are some."""
    found = [column for column in profile_columns(db, "rows") if column.type in types]
    assert {column.type for column in found} | {"category"} >= {*types}
    return found


def column_of(db: duckdb.DuckDBPyConnection, values: str, *, times: int = 1) -> ColumnProfile:
    """The profile of these values, each row so many times."""
    db.execute(
        f"CREATE OR REPLACE TABLE one AS SELECT x FROM (VALUES {values}) AS v (x), range({times})"
    )
    return only(db, "one")


def test_missing_and_different_values_are_those_that_pandas_counts(
    db: duckdb.DuckDBPyConnection, records: pd.DataFrame
) -> None:
    found = {column.name: column for column in profile_columns(db, "rows")}

    assert list(found) == list(records.columns)
    assert {
        name: column.missing for name, column in found.items()
    } == records.isna().sum().to_dict()
    assert {name: column.distinct for name, column in found.items()} == records.nunique().to_dict()


def test_numbers_are_described_as_pandas_describes_them(
    db: duckdb.DuckDBPyConnection, records: pd.DataFrame
) -> None:
    for column in of_types(db, "integer", "number"):
        values = records[column.name].dropna().astype(float)
        described = values.describe()
        assert column.quartiles is not None
        figures = (column.mean, column.std, *column.quartiles)
        expected = [described[name] for name in ("mean", "std", "25%", "50%", "75%")]
        assert figures == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert (column.min, column.max) == (records[column.name].min(), records[column.name].max())


def test_classes_are_those_of_numpy(db: duckdb.DuckDBPyConnection, records: pd.DataFrame) -> None:
    for column in of_types(db, "integer", "number", "date", "datetime"):
        values = records[column.name].dropna()
        amounts = values.astype("int64") if column.type.startswith("date") else values.astype(float)
        counts, edges = np.histogram(amounts.to_numpy(dtype=float), bins=12)
        assert len(column.histogram) == 12
        assert sum(column.histogram) == len(values)
        # A value that stands on an edge may fall on either side of it, by the last bit.
        on_edges = sum(int(np.isclose(amounts, edge, rtol=1e-12).sum()) for edge in edges[1:-1])
        assert np.abs(np.subtract(column.histogram, counts)).sum() <= 2 * on_edges


def test_outliers_lie_outside_the_fences_of_tukey(
    db: duckdb.DuckDBPyConnection, records: pd.DataFrame
) -> None:
    for column in of_types(db, "date", "datetime", "text", "category", "boolean"):
        assert column.outliers == 0
    for column in of_types(db, "integer", "number"):
        values = records[column.name].dropna().astype(float)
        low, high = values.quantile(0.25), values.quantile(0.75)
        reach = 1.5 * (high - low)
        assert column.outliers == ((values < low - reach) | (values > high + reach)).sum()


def test_the_most_frequent_texts_are_those_of_value_counts(
    db: duckdb.DuckDBPyConnection, records: pd.DataFrame
) -> None:
    for column in of_types(db, "integer", "number", "date", "datetime"):
        assert column.top == ()
    for column in of_types(db, "text", "category", "boolean"):
        counted = records[column.name].value_counts().to_dict()
        expected = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:20]
        assert list(column.top) == expected


def test_dates_and_moments_have_their_first_and_their_last(
    db: duckdb.DuckDBPyConnection, records: pd.DataFrame
) -> None:
    found = {column.name: column for column in profile_columns(db, "rows")}
    for name, type_ in (("dia", "date"), ("momento", "datetime")):
        assert found[name].type == type_
        ends = pd.Timestamp(str(found[name].min)), pd.Timestamp(str(found[name].max))
        assert ends == (records[name].min(), records[name].max())
        assert (found[name].mean, found[name].quartiles) == (None, None)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("kinds", [3, 40, 10**9])
def test_rows_that_repeat_an_earlier_one_are_those_that_pandas_finds(
    db: duckdb.DuckDBPyConnection, rows: int, kinds: int
) -> None:
    chance = np.random.default_rng(rows + kinds)
    frame = pd.DataFrame(
        {
            "a": chance.integers(0, kinds, rows),
            "b": [None if each == 0 else f"t{each}" for each in chance.integers(0, 4, rows)],
            "c": np.where(chance.random(rows) < 0.3, np.nan, 0.5),
        }
    )
    db.register("frame", frame)
    db.execute("CREATE TABLE rows AS FROM frame")

    assert duplicate_rows(db, "rows") == frame.duplicated().sum()
    assert duplicate_rows(db, "rows", profile_columns(db, "rows")) == frame.duplicated().sum()


def test_a_column_in_which_all_rows_differ_leaves_no_duplicates(
    db: duckdb.DuckDBPyConnection,
) -> None:
    db.execute("CREATE TABLE rows AS SELECT i, 'x' AS x FROM range(1000) AS t (i)")

    assert duplicate_rows(db, "rows", profile_columns(db, "rows")) == 0


@pytest.mark.parametrize("times", [1, FEW_ROWS])
def test_a_column_is_constant_where_every_row_holds_the_same(
    db: duckdb.DuckDBPyConnection, times: int
) -> None:
    assert column_of(db, "(7.5), (7.5)", times=times).is_constant
    assert column_of(db, "('a'), ('a')", times=times).is_constant
    assert not column_of(db, "('a'), (NULL)", times=times).is_constant
    assert not column_of(db, "(1), (2)", times=times).is_constant


def test_a_constant_number_has_no_classes_and_no_spread(db: duckdb.DuckDBPyConnection) -> None:
    column = column_of(db, "(3.1), (3.1), (3.1)")

    assert (column.std, column.histogram, column.outliers) == (0, (), 0)
    assert column.quartiles == (3.1, 3.1, 3.1)


@pytest.mark.parametrize("times", [1, FEW_ROWS])
def test_not_a_number_is_a_missing_value(db: duckdb.DuckDBPyConnection, times: int) -> None:
    column = column_of(db, "(1.0::DOUBLE), ('nan'), (3.0), (NULL)", times=times)

    assert (column.missing, column.distinct) == (2 * times, 2)
    assert (column.min, column.max, column.mean) == (1, 3, 2)


@pytest.mark.parametrize("times", [1, FEW_ROWS])
def test_infinite_values_are_missing(db: duckdb.DuckDBPyConnection, times: int) -> None:
    column = column_of(db, "(1.0::DOUBLE), (2), (3), (4), (5), ('inf'), ('-inf')", times=times)

    assert (column.min, column.max, column.distinct) == (1, 5, 5)
    assert (column.missing, column.mean, column.outliers) == (2 * times, 3, 0)


@pytest.mark.parametrize("times", [1, FEW_ROWS])
def test_a_spread_too_large_for_a_number_is_left_open(
    db: duckdb.DuckDBPyConnection, times: int
) -> None:
    column = column_of(db, "(1e200::DOUBLE), (-1e200), (1e300), (1.7e308), (-1.7e308)", times=times)

    assert column.std is None
    assert (column.min, column.max) == (-1.7e308, 1.7e308)
    assert column.distinct == 5


def test_whole_numbers_beyond_64_bits_are_exact(db: duckdb.DuckDBPyConnection) -> None:
    most = 2**127 - 1
    column = column_of(db, f"({most}::HUGEINT), ({most - 1}::HUGEINT), ({most}::HUGEINT)")

    assert (column.min, column.max, column.distinct) == (most - 1, most, 2)
    assert column.mean == pytest.approx(float(most))


@pytest.mark.parametrize("number", ["i", "i - 17_001", "greatest(i, 1)"])
def test_numbers_of_rows_are_described_as_any_numbers(
    db: duckdb.DuckDBPyConnection, number: str
) -> None:
    rows = FEW_ROWS + 5_003
    db.execute(
        f"CREATE TABLE rows AS SELECT {number} AS whole, whole::DOUBLE AS decimal"
        f" FROM range({rows}) AS numbers (i)"
    )
    whole, decimal = profile_columns(db, "rows")

    assert whole.distinct == decimal.distinct == rows - number.startswith("greatest")
    assert whole.quartiles == decimal.quartiles
    assert whole.histogram == decimal.histogram
    assert whole.outliers == decimal.outliers == 0


def test_ids_that_differ_beyond_the_digits_of_a_double_are_different(
    db: duckdb.DuckDBPyConnection,
) -> None:
    few = column_of(db, f"({2**53}), ({2**53 + 1})")
    many = column_of(db, f"({2**53}), ({2**53 + 1})", times=FEW_ROWS)

    assert few.distinct == many.distinct == 2


def test_a_table_without_rows_has_columns_that_hold_nothing(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("CREATE TABLE rows (a BIGINT, b VARCHAR, c DOUBLE, d DATE, e BOOLEAN, f INTERVAL)")

    columns = profile_columns(db, "rows")

    assert [(column.missing, column.distinct) for column in columns] == [(0, 0)] * 6
    assert duplicate_rows(db, "rows", columns) == 0
    assert preview(db, "rows", columns).rows == ()


@pytest.mark.parametrize("sql_type", ["BIGINT", "VARCHAR", "DOUBLE", "DATE", "BOOLEAN", "TIME"])
@pytest.mark.parametrize("rows", SIZES)
def test_a_column_without_values_has_nothing_but_missing_ones(
    db: duckdb.DuckDBPyConnection, sql_type: str, rows: int
) -> None:
    db.execute(f"CREATE TABLE rows AS SELECT NULL::{sql_type} AS x FROM range({rows})")

    column = only(db, "rows")

    assert column == ColumnProfile("x", column.type, rows, 0)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (timedelta(hours=36, minutes=30), "36:30:00"),
        (timedelta(hours=-36, minutes=-5), "-36:05:00"),
        (timedelta(seconds=9), "00:00:09"),
        (timedelta(seconds=-1, microseconds=-500_000), "-00:00:01.5"),
        (timedelta(days=400), "9600:00:00"),
        (timedelta(0), "00:00:00"),
    ],
)
def test_a_duration_reads_as_hours_minutes_and_seconds(
    db: duckdb.DuckDBPyConnection, given: timedelta, shown: str
) -> None:
    db.execute("CREATE TABLE rows (x INTERVAL)")
    db.execute("INSERT INTO rows VALUES (?), (NULL)", [given])

    column = only(db, "rows")

    assert (column.type, column.min, column.max, column.missing) == ("text", shown, shown, 1)
    assert preview(db, "rows", (column,)).rows == ((shown,), (None,))


def test_durations_are_ordered_by_their_length(db: duckdb.DuckDBPyConnection) -> None:
    column = column_of(db, "(INTERVAL 100 HOUR), (INTERVAL 20 HOUR), (INTERVAL '-1' HOUR)")

    assert (column.min, column.max) == ("-01:00:00", "100:00:00")
    assert (column.distinct, sum(column.histogram)) == (3, 3)


def test_times_of_day_have_ends_and_classes(db: duckdb.DuckDBPyConnection) -> None:
    column = column_of(db, "(TIME '06:00'), (TIME '14:00'), (TIME '22:00')")

    assert (column.type, column.min, column.max) == ("time", time(6), time(22))
    assert (column.histogram[0], column.histogram[-1], sum(column.histogram)) == (1, 1, 3)


def test_a_day_and_a_moment_come_as_such(db: duckdb.DuckDBPyConnection) -> None:
    day = column_of(db, "(DATE '2026-02-01'), (DATE '2026-02-03')")
    moment = column_of(db, "(TIMESTAMP '2026-02-01 08:30'), (TIMESTAMP '2026-02-01 09:30')")

    assert (day.min, day.max) == (date(2026, 2, 1), date(2026, 2, 3))
    assert (moment.min, moment.max) == (datetime(2026, 2, 1, 8, 30), datetime(2026, 2, 1, 9, 30))


@pytest.mark.parametrize("times", [1, FEW_ROWS])
def test_a_cell_that_holds_a_book_is_counted_whole_and_shown_short(
    db: duckdb.DuckDBPyConnection, times: int
) -> None:
    column = column_of(
        db, "(repeat('a', 2000) || 'x'), (repeat('a', 2000) || 'y'), ('curto')", times=times
    )

    assert column.distinct == 3
    assert {value for value, _count in column.top} == {"curto", "a" * SHOWN_CHARACTERS + "…"}
    shown: set[Cell] = {row[0] for row in preview(db, "one", (column,)).rows}
    assert all(isinstance(cell, str) and len(cell) <= SHOWN_CHARACTERS + 1 for cell in shown)


def test_names_of_any_kind_can_be_those_of_columns(db: duckdb.DuckDBPyConnection) -> None:
    names = ('a "b"', "{}", "value", "place", "times", "select", "?", "x'y", "%d")
    given = ", ".join(
        f"{at} AS " + '"' + name.replace('"', '""') + '"' for at, name in enumerate(names)
    )
    for rows in SIZES:
        db.execute(f"CREATE OR REPLACE TABLE rows AS SELECT {given} FROM range({rows})")
        columns = profile_columns(db, "rows")
        assert [(column.name, column.min, column.distinct) for column in columns] == [
            (name, at, 1) for at, name in enumerate(names)
        ]
        assert duplicate_rows(db, "rows", columns) == rows - 1


def test_thousands_of_columns_are_profiled_within_the_memory_there_is(
    db: duckdb.DuckDBPyConnection,
) -> None:
    kinds = ("i % 7", "i * 1.5::DOUBLE", "'v' || i % 3", "DATE '2026-01-01' + i::INTEGER")
    given = ", ".join(f"{kinds[at % 4]} AS c{at}" for at in range(1_200))
    db.execute(f"CREATE TABLE rows AS SELECT {given} FROM range(50) AS t (i)")

    columns = profile_columns(db, "rows")

    assert [column.name for column in columns] == [f"c{at}" for at in range(1_200)]
    assert {column.distinct for column in columns[::4]} == {7}
    assert {column.distinct for column in islice(columns, 1, None, 2)} == {50}


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).normal(0, 1, 250_000),
        np.exp(np.random.default_rng(2).normal(0, 9, 250_000)),  # nearly all in one bin
        np.append(np.random.default_rng(3).integers(0, 3, 250_000) / 7, [1e300, -1e300]),
        np.array([-1.7e308, 1.7e308, 0.5]),
        np.full(5, 2.5),
    ],
    ids=["normal", "skewed", "repeated", "extreme", "constant"],
)
def test_numbers_at_places_are_those_of_the_sorted_column(
    db: duckdb.DuckDBPyConnection, values: "np.ndarray[tuple[int], np.dtype[np.float64]]"
) -> None:
    db.register("given", pd.DataFrame({"x": values}))
    in_order = np.sort(values)
    places = {0, len(values) // 4, len(values) // 2, len(values) // 2 + 1, len(values) - 1}
    places = {place for place in places if place < len(values)}

    found = order_statistics(db, "given", "x", places, within=(in_order[0], in_order[-1]))

    assert found == {place: in_order[place] for place in places}


def test_quartiles_of_a_column_too_long_to_hold_are_the_same(
    db: duckdb.DuckDBPyConnection,
) -> None:
    db.execute(
        "CREATE TABLE one AS SELECT i * 7919 % 9999991 + 0.5::DOUBLE AS x"
        f" FROM range({SORTED_IN_MEMORY + 6}) t (i)"
    )
    expected = db.execute("SELECT quantile_cont(x, [0.25, 0.5, 0.75]) FROM one").fetchone()

    column = only(db, "one")

    assert expected is not None
    assert column.quartiles == tuple(expected[0])


def test_counts_do_not_depend_on_the_order_of_the_rows(db: duckdb.DuckDBPyConnection) -> None:
    values = [Random(3).gauss(0, 1) for _ in range(500)]
    found = []
    for given in (values, sorted(values)):
        db.register("given", pd.DataFrame({"x": given}))
        column = only(db, "given")
        found.append((column.quartiles, column.histogram, column.outliers, column.distinct))
    assert found[0] == found[1]


@pytest.mark.parametrize("times", [1, 60])  # counted together, and one column after the other
@pytest.mark.parametrize(
    ("distinct", "listed"),
    [(TOP_VALUES, 0), (TOP_VALUES + 1, TOP_VALUES + 1), (40, 40), (LISTED_VALUES, LISTED_VALUES)],
)
def test_all_texts_are_listed_where_they_are_more_than_the_frequent_ones_and_not_too_many(
    db: duckdb.DuckDBPyConnection, distinct: int, listed: int, times: int
) -> None:
    rows = distinct * times * (1 if times == 1 else 9)
    db.execute(f"CREATE TABLE one AS SELECT 'n' || i % {distinct} AS x FROM range({rows}) t (i)")

    column = only(db, "one")

    assert column.distinct == distinct
    assert column.values == tuple(sorted(f"n{each}" for each in range(distinct))[:listed])
    assert sorted(map(str, column.known)) == sorted(f"n{each}" for each in range(distinct))


def test_more_texts_long_ones_and_what_is_no_text_are_not_listed(
    db: duckdb.DuckDBPyConnection,
) -> None:
    many = column_of(db, ", ".join(f"('n{each}')" for each in range(LISTED_VALUES + 1)))
    lengths = range(LISTED_CHARACTERS - 29, LISTED_CHARACTERS + 2)
    long = column_of(db, ", ".join(f"('{'x' * each}')" for each in lengths))
    days = column_of(db, ", ".join(f"(DATE '2026-01-01' + {each})" for each in range(60)))

    assert many.values == days.values == ()
    assert set(map(len, long.values)) == {*lengths} - {LISTED_CHARACTERS + 1}
    assert long.distinct == len(long.values) + 1


def test_texts_of_a_nearly_empty_column_are_listed_however_long_the_table(
    db: duckdb.DuckDBPyConnection,
) -> None:
    db.execute(
        "CREATE TABLE one AS SELECT CASE WHEN i < 300 THEN 'n' || i END AS x"
        f" FROM range({FEW_ROWS + 5_000}) t (i)"
    )

    assert len(only(db, "one").values) == 300


def test_a_wide_table_lists_no_more_than_questions_can_go_through(
    db: duckdb.DuckDBPyConnection,
) -> None:
    wide = ", ".join(f"'n' || i % {900 - each} AS x{each}" for each in range(20))
    db.execute(f"CREATE TABLE one AS SELECT {wide} FROM range(900) t (i)")

    columns = profile_columns(db, "one")
    listed = [column for column in columns if column.values]

    assert LISTED_OF_ALL - 900 < sum(len(column.values) for column in listed) <= LISTED_OF_ALL
    assert max(column.distinct for column in listed) < min(
        column.distinct for column in columns if not column.values
    )
