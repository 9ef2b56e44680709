"""Cells of small tables that are held in memory tell the same as the database does."""

from collections.abc import Iterator
from functools import partial

import duckdb
import pytest

from qhub_desktop.data.ingest.column_sample import (
    ColumnSample,
    Condition,
    columns_of,
    count_together,
    is_padded,
    is_present,
    measure_widths,
    sample_columns,
)
from qhub_desktop.data.ingest.raw_table import (
    HELD_ROWS,
    RawTable,
    is_missing_sql,
    select,
    select_places,
)
from qhub_desktop.data.ingest.type_patterns import candidates

TEXTS: list[list[str | None]] = [
    ["1.5", "-2.25", "1e5", "1.5e+10", "n/a", "n/d", "-", None, "1 000.5", "+3.5", ".5", "7."],
    [
        "1",
        "007",
        "-12",
        "123456789012345",
        "1234567890123456",
        "#N/A",
        " 5",
        "5 ",
        "\N{NO-BREAK SPACE}6",
    ],
    ["1,5", "1.234,5", "-0,25", "12-", "1,2,3", "NaN", "-1.#IND", "1.#QNAN", "x", "", "  "],
    ["ab ", "cd ", "ef ", "gh ", None, "ij ", "kl "],
    ["ñandú", "Ⅷ", "٣", "3²", "line\nbreak", "tab\t", "\tx", "0000-00-00", "00:00:00"],
]


@pytest.fixture
def tables() -> Iterator[tuple[RawTable, RawTable]]:
    """Provide a table that is held and the same one that is not, a row of both set apart."""
    size = max(map(len, TEXTS))
    rows = [[texts[at % len(texts)] for texts in TEXTS] for at in range(3 * size)]
    with duckdb.connect(":memory:") as one, duckdb.connect(":memory:") as other:
        made = []
        for db in (one, other):
            raw = RawTable(db)
            raw.append(rows)
            db.execute("CREATE TABLE apart AS SELECT 1::BIGINT AS place")
            raw.kept = " WHERE rowid NOT IN (SELECT place FROM apart)"
            raw.set_apart({1})
            db.execute(f"CREATE VIEW body AS SELECT rowid AS place, * FROM raw{raw.kept}")
            made.append(raw)
        assert made[0].held is not None
        yield made[0], _never_held(made[1])


class _NeverHeld(RawTable):
    held = None


def _never_held(raw: RawTable) -> RawTable:
    raw.__class__ = _NeverHeld
    assert raw.held is None
    return raw


def _samples(raw: RawTable) -> list[ColumnSample]:
    return sample_columns(raw, columns_of(raw, range(raw.width)))


def test_samples_are_the_same(tables: tuple[RawTable, RawTable]) -> None:
    held, plain = map(_samples, tables)
    for one, other in zip(held, plain, strict=True):
        assert [*one.sample.items()] == [*other.sample.items()]
        assert one.has_odd_blanks == other.has_odd_blanks


CONDITIONS: list[Condition] = [
    is_present,
    is_padded,
    is_missing_sql,
    partial(is_missing_sql, of_days=True),
    partial(is_missing_sql, of_days=False),
    *(each.mismatch for mark in (".", ",") for each in candidates(mark) if each.always_converts),
]


@pytest.mark.parametrize("number", range(len(CONDITIONS)))
def test_counts_are_the_same(tables: tuple[RawTable, RawTable], number: int) -> None:
    condition = CONDITIONS[number]
    held, plain = map(_samples, tables)
    for each in candidates("."):
        for column in held:
            column.share(each)  # what was found out about the sample is used again
    for columns in (held, plain):
        count_together(columns, condition)
    key = condition("value")
    assert [each.known[key] for each in held] == [each.known[key] for each in plain]


def test_widths_are_the_same(tables: tuple[RawTable, RawTable]) -> None:
    held, plain = map(_samples, tables)
    for columns in (held, plain):
        measure_widths(columns)
    assert [each.first_widths for each in held] == [each.first_widths for each in plain]
    assert [each.has_padded for each in held] == [each.has_padded for each in plain]
    assert any(each.has_padded for each in held)


def test_usual_numbers_are_made_of_the_same_texts() -> None:
    for mark, texts in ((".", ["1.5", "-2", "0.25", "123456789012345.5"]), (",", ["1,5", "-2"])):
        number = next(each for each in candidates(mark) if each.usual and each.decimal == mark)
        with duckdb.connect(":memory:") as db:
            raw = RawTable(db)
            raw.append([[text, f"{text}x"] for text in texts])
            db.execute("CREATE VIEW body AS SELECT rowid AS place, * FROM raw")
            usual, other = _samples(raw)
            short, long = usual.conversion_of(number, "c0"), number.conversion.format(v="c0")
            assert short != long
            assert other.conversion_of(number, "c0") == long
            values = db.execute(f"SELECT {short}, {long} FROM raw").fetchall()
        assert [one for one, _other in values] == [other for _one, other in values]
        assert None not in {one for one, _other in values}


@pytest.mark.parametrize(
    ("condition", "limit"), [("true", None), ("true", 2), ("c3 IS NULL", None), ("c0 = '-'", 1)]
)
def test_rows_are_the_same(
    tables: tuple[RawTable, RawTable], condition: str, limit: int | None
) -> None:
    held, plain = tables
    assert select(held, condition, limit=limit) == select(plain, condition, limit=limit)
    assert select_places(held, [3, 1, 999]) == select_places(plain, [3, 1, 999])


def test_columns_that_lack_nothing_are_told() -> None:
    with duckdb.connect(":memory:") as db:
        raw = RawTable(db)
        raw.append([["a", "b", "c", "d"], ["a", None, " c", "\N{NO-BREAK SPACE}"]])
        assert [raw.may_lack(at) for at in range(4)] == [False, True, True, True]
        db.execute("UPDATE raw SET c0 = NULL")
        raw.forget()
        assert [raw.may_lack(at) for at in range(4)] == [True] * 4


def test_only_small_tables_of_texts_are_held() -> None:
    with duckdb.connect(":memory:") as db:
        raw = RawTable(db)
        raw.append([["a"]] * HELD_ROWS)
        assert not raw.may_lack(0)
        raw.append([["a"]])
        assert (raw.held, raw.may_lack(0)) == (None, True)
    with duckdb.connect(":memory:") as db:
        raw = RawTable(db)
        raw.append([["a", 1]])
        assert raw.held is None
