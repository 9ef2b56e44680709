"""What a stored table holds, column by column and over every row."""

from dataclasses import replace
from typing import Any

import duckdb

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import Cell, Column, Table, is_numeric
from qhub_desktop.data.columns import CATEGORIES, quoted, readable

PREVIEW_ROWS = 50
TOP_VALUES = 20
CLASSES = 12


def profile_columns(db: duckdb.DuckDBPyConnection, relation: str) -> tuple[ColumnProfile, ...]:
    """Every column of a relation, which is given as SQL."""
    (rows,) = _one(db, f"SELECT count(*) FROM {relation}")
    found = db.execute(f"DESCRIBE FROM {relation}").fetchall()
    return tuple(_column(db, relation, name, sql_type, rows) for name, sql_type, *_ in found)


def preview(
    db: duckdb.DuckDBPyConnection, relation: str, columns: tuple[ColumnProfile, ...]
) -> Table:
    """The first rows."""
    rows = db.execute(f"FROM {relation} LIMIT {PREVIEW_ROWS}").fetchall()
    return Table(tuple(Column(column.name, column.type) for column in columns), tuple(rows))


def _column(
    db: duckdb.DuckDBPyConnection, relation: str, name: str, sql_type: str, rows: int
) -> ColumnProfile:
    _, type_, code = readable(name, sql_type)
    column = quoted(name)
    present, distinct = _one(
        db,
        f"SELECT count({column}), count(DISTINCT {column}) FROM {relation}",
    )
    if type_ == "text" and code == "plain" and is_category(distinct, rows=rows):
        type_ = "category"
    profile = ColumnProfile(name, type_, rows - present, distinct)
    if not present:
        return profile
    if type_ in ("text", "category", "boolean") and code == "plain":
        return replace(profile, top=_top(db, relation, column))
    lowest, highest = _one(
        db,
        f"SELECT min({column}), max({column}) FROM {relation}",
    )
    profile = replace(profile, min=lowest, max=highest)
    return _measured(db, relation, profile) if is_numeric(type_) else profile


def is_category(distinct: int, *, rows: int) -> bool:
    """Whether texts repeat enough to be counted by."""
    return 0 < distinct <= CATEGORIES and distinct * 2 <= rows


def _top(db: duckdb.DuckDBPyConnection, relation: str, column: str) -> tuple[tuple[Cell, int], ...]:
    counted = db.execute(
        f"SELECT {column}, count(*) AS total FROM {relation} WHERE {column} IS NOT NULL"
        f" GROUP BY ALL ORDER BY total DESC, {column} LIMIT {TOP_VALUES}"
    ).fetchall()
    return tuple((value, total) for value, total in counted)


def _measured(
    db: duckdb.DuckDBPyConnection, relation: str, profile: ColumnProfile
) -> ColumnProfile:
    column = quoted(profile.name)
    mean, quartiles = _one(
        db,
        f"SELECT avg({column}), quantile_cont({column}::DOUBLE, [0.25, 0.5, 0.75]) FROM {relation}",
    )
    try:
        (std,) = _one(db, f"SELECT stddev_samp({column}) FROM {relation}")
    except duckdb.OutOfRangeException:
        std = None  # the squares of such numbers are too large to be written
    return replace(
        profile,
        mean=mean,
        std=std,
        quartiles=tuple(quartiles),
        histogram=_histogram(db, relation, profile),
    )


def _histogram(
    db: duckdb.DuckDBPyConnection, relation: str, profile: ColumnProfile
) -> tuple[int, ...]:
    assert isinstance(profile.min, (int, float))
    assert isinstance(profile.max, (int, float))
    lower, width = float(profile.min), (float(profile.max) - float(profile.min)) / CLASSES
    if not 0 < width < float("inf"):
        return ()
    column = quoted(profile.name)
    counted = db.execute(
        f"SELECT least({CLASSES - 1}, floor(({column}::DOUBLE - ?) / ?))::INTEGER AS class,"
        f" count(*) FROM {relation} WHERE {column} IS NOT NULL GROUP BY class",
        [lower, width],
    ).fetchall()
    classes = dict(counted)
    return tuple(classes.get(number, 0) for number in range(CLASSES))


def _one(db: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = db.execute(sql).fetchone()
    assert row is not None
    return row
