"""Columns between the database, this program and its children: types, encoding, names."""

from __future__ import annotations  # DuckDB takes 50 ms to import, and a question may need none

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from functools import cache
from math import isfinite
from typing import IO, TYPE_CHECKING, Any, Literal

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.table import Cell, Column, ColumnType, quoted
from qhub_desktop.core.text import fold, words_of

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

# How the cells of a column are encoded as JSON: dates and times as ISO text, others unchanged.
Code = Literal["plain", "date", "datetime", "time"]
CODES: tuple[Code, ...] = ("plain", "date", "datetime", "time")

# A batch of this size is parsed in 2 ms, so it never blocks the window's thread.
BATCH_CELLS = 10_000


def encode_batches(rows: Sequence[tuple[Cell, ...]], width: int) -> Iterator[list[Json]]:
    """Encode rows in batches of at most BATCH_CELLS cells, each a list of columns."""
    step = rows_in_batch(width)
    for start in range(0, len(rows), step):
        yield encode_batch(rows[start : start + step])


def rows_in_batch(width: int) -> int:
    """Return the number of rows in a batch of tables `width` columns wide."""
    return max(1, BATCH_CELLS // max(1, width))


def encode_batch(rows: Sequence[tuple[Cell, ...]]) -> list[Json]:
    """Encode one batch of rows as columns of JSON values; what is no finite number becomes null."""
    return [[_encode_cell(cell) for cell in column] for column in zip(*rows, strict=True)]


def decode_batch(columns: Sequence[Json], codes: Sequence[Code]) -> list[tuple[Cell, ...]]:
    """Decode one batch into rows. Raises ValueError or TypeError for anything else."""
    if len(columns) != len(codes):
        raise ValueError("another number of columns was promised")
    cells = [_decode_column(column, code) for column, code in zip(columns, codes, strict=True)]
    return list(zip(*cells, strict=True))


def _encode_cell(cell: Cell) -> Json:
    match cell:
        case date() | time():
            return cell.isoformat()
        case float() if not isfinite(cell):
            return None
        case _:
            return cell


def _decode_column(column: Json, code: Code) -> list[Cell]:
    if not isinstance(column, list):
        raise TypeError("a column was expected")
    match code:
        case "plain":
            return [_decode_scalar(cell) for cell in column]
        case "date":
            return [_decode_timestamp(date, cell) for cell in column]
        case "datetime":
            return [_decode_timestamp(datetime, cell) for cell in column]
        case "time":
            return [_decode_timestamp(time, cell) for cell in column]


def _decode_scalar(cell: Json) -> Cell:
    if isinstance(cell, (list, dict)):
        raise TypeError("a cell was expected")
    return cell


def _decode_timestamp(
    kind: type[date | datetime | time], cell: Json
) -> date | datetime | time | None:
    if cell is None:
        return None
    if not isinstance(cell, str):
        raise TypeError("a timestamp in ISO form was expected")
    return kind.fromisoformat(cell)


SQL_TYPES: dict[ColumnType, str] = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "category": "VARCHAR",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
    "boolean": "BOOLEAN",
}
CODES_BY_TYPE: dict[ColumnType, Code] = {
    "date": "date",
    "datetime": "datetime",
    "time": "time",
}

# A column of texts with at most this many distinct values is a category.
CATEGORIES = 50

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = {*_WHOLE, *(f"U{name}" for name in _WHOLE)}


def select_column(name: str, sql_type: str) -> tuple[str, ColumnType, Code]:
    """Return SQL that reads a column of this type as our cells, their type and their encoding."""
    return select_value(quoted(name), sql_type)


def select_value(value: str, sql_type: str) -> tuple[str, ColumnType, Code]:
    """Return SQL, type and encoding like `select_column`, for a value given as SQL."""
    if sql_type in _INTEGERS:
        return value, "integer", "plain"
    if sql_type.startswith("DECIMAL"):
        if sql_type.endswith(",0)"):
            return f"CAST({value} AS HUGEINT)", "integer", "plain"
        return f"CAST({value} AS DOUBLE)", "number", "plain"
    match sql_type:
        case "DOUBLE" | "FLOAT":
            # What is no finite number is missing, wherever rows leave the database.
            number = f"CAST({value} AS DOUBLE)"
            return f"CASE WHEN isfinite({number}) THEN {number} END", "number", "plain"
        case "BOOLEAN":
            return value, "boolean", "plain"
        case "DATE":
            return value, "date", "date"
        case "TIME":
            return value, "time", "time"
        case "INTERVAL":
            return _duration(value), "text", "plain"
        case "VARCHAR":
            return value, "text", "plain"
        case _ if sql_type.startswith("TIMESTAMP"):
            return f"CAST({value} AS TIMESTAMP)", "datetime", "datetime"
        case _:
            return f"CAST({value} AS VARCHAR)", "text", "plain"


def _duration(value: str) -> str:
    """Return SQL that writes an interval as hours (36:30:00); months have no fixed length."""
    micros = f"abs(epoch_us({value}))"
    clock = f"{micros} // 3600000000, {micros} // 60000000 % 60, {micros} // 1000000 % 60"
    return (
        f"CASE WHEN datepart('year', {value}) <> 0 OR datepart('month', {value}) <> 0"
        f" THEN CAST({value} AS VARCHAR) ELSE"
        f" CASE WHEN epoch_us({value}) < 0 THEN '-' ELSE '' END"
        f" || printf('%02d:%02d:%02d', {clock})"
        f" || CASE WHEN {micros} % 1000000 = 0 THEN ''"
        f" ELSE rtrim(printf('.%06d', {micros} % 1000000), '0') END END"
    )


def table_definition(columns: tuple[Column, ...]) -> str:
    """Return the column definitions of CREATE TABLE."""
    return ", ".join(f"{quoted(column.name)} {SQL_TYPES[column.type]}" for column in columns)


# Measured: one query of 2,000 aggregates takes 12 s, twenty queries of 100 take 1 s.
AGGREGATES_AT_ONCE = 100


def aggregates(db: duckdb.DuckDBPyConnection, selected: Sequence[str], relation: str) -> list[Any]:
    """Compute aggregates, given as SQL, over a relation; return one value for each."""
    found: list[Any] = []
    for start in range(0, len(selected), AGGREGATES_AT_ONCE):
        asked = ", ".join(selected[start : start + AGGREGATES_AT_ONCE])
        row = db.execute(f"SELECT {asked} FROM {relation}").fetchone()
        assert row is not None
        found += row
    return found


def one_row(db: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """Run a SELECT and return its first row."""
    row = db.execute(sql).fetchone()
    assert row is not None
    return row


LONGEST_NAME = 40  # of a column in SQL
# SQL keywords that cannot name a table.
RESERVED = {"all", "and", "as", "by", "case", "from", "group", "in", "join", "limit", "not", "null"}
RESERVED |= {"on", "or", "order", "select", "table", "union", "where", "with", "having", "end"}


def dataset_name(stem: str, *, sheet: str | None = None, number: int = 1, table: int = 0) -> str:
    """Return the SQL name of a data set: the file's, with the sheet's from the second sheet on, and
    the number of the table from the second table in a sheet on.
    """
    name = slug(stem) or "dados"
    if number > 1 and sheet is not None and slug(sheet):
        name = f"{name}_{slug(sheet)}"
    if table > 1:
        name = f"{name}_{table}"
    if name[0].isdigit() or name in RESERVED:
        name = f"t_{name}"
    return name


def slug(words: str) -> str:
    """Return the words as lower-case ASCII letters, digits and underscores, at most 40."""
    plain = fold(words).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST_NAME].strip("_")


def versionless_name(name: str) -> str:
    """Return a name without digits, months and words that differ from version to version."""
    words = re.findall(r"[a-z]+", slug(name))
    return " ".join(word for word in words if word not in _version_words())


@cache
def _version_words() -> frozenset[str]:
    """Return the words that copies, later versions and other months add to a file's name."""
    months = (*words_of("calendar", "months"), *words_of("calendar", "short_months"))
    return frozenset(words_of("files", "versions")).union(*months)


# Columns as blocks of bytes, for a reader that has no database: `write_columns` writes them, and
# what stands where is returned. Numbers are little-endian; a text is its place among the different
# ones, or among all that are not missing.
# Up to here, texts are written once each: 25 ms a million rows, where all of them take 75.
DIFFERENT_TEXTS = 30_000
SEPARATOR = "\x1f"
COUNTED_BY = {"uint8": 2**8, "uint16": 2**16, "uint32": 2**32}
WIDER = ("UBIGINT", "HUGEINT", "UHUGEINT")
TEXTS = quoted("qhub texts")


def write_columns(db: duckdb.DuckDBPyConnection, relation: str, target: IO[bytes]) -> JsonObject:
    """Write every column of a relation; return the number of rows, and what stands where."""
    (rows,) = one_row(db, f"SELECT count(*) FROM {relation}")
    described = db.execute(f"DESCRIBE FROM {relation}").fetchall()
    columns: list[Json] = [
        _write_column(db, relation, str(name), str(sql_type), target)
        for name, sql_type, *_more in described
    ]
    return {"rows": int(rows), "columns": columns}


def _write_column(
    db: duckdb.DuckDBPyConnection, relation: str, name: str, sql_type: str, target: IO[bytes]
) -> JsonObject:
    value, type_, _code = select_column(name, sql_type)
    about: JsonObject = {"name": name, "type": type_, "missing": None}
    if type_ == "integer" and _is_too_wide(db, relation, value, sql_type):
        type_ = about["type"] = "number"
    match type_:
        case "integer":
            _write_numbers(db, relation, f"CAST({value} AS BIGINT)", about, target)
        case "number":
            value = f"coalesce(CAST({value} AS DOUBLE), 'nan'::DOUBLE)"
            _write_numbers(db, relation, value, about, target)
        case "boolean":
            _write_numbers(db, relation, f"CAST({value} AS UTINYINT)", about, target)
        case "date" | "datetime":
            _write_numbers(db, relation, f"epoch_us(CAST({value} AS TIMESTAMP))", about, target)
        case _:
            about["type"] = "time" if type_ == "time" else "text"
            _write_texts(db, relation, f"CAST({value} AS VARCHAR)", about, target)
    return about


def _is_too_wide(db: duckdb.DuckDBPyConnection, relation: str, value: str, sql_type: str) -> bool:
    """Return whether a column of whole numbers has some that 64 bits do not hold."""
    if sql_type not in WIDER and not sql_type.startswith("DECIMAL"):
        return False
    (count,) = one_row(
        db,
        f"SELECT count(*) FROM {relation}"
        f" WHERE CAST({value} AS DOUBLE) NOT BETWEEN -9.2e18 AND 9.2e18",
    )
    return bool(count)


def _write_numbers(
    db: duckdb.DuckDBPyConnection,
    relation: str,
    value: str,
    about: JsonObject,
    target: IO[bytes],
) -> None:
    import numpy as np  # 0.1 s, which a process that answers queries need not wait for

    found: Any = db.execute(f"SELECT {value} AS v FROM {relation}").fetchnumpy()["v"]
    if isinstance(found, np.ma.MaskedArray):
        if found.mask.any():
            about["missing"] = _put(np.ma.getmaskarray(found).astype(np.uint8), target)
        found = found.filled(0)
    about["format"] = found.dtype.str
    about["place"] = _put(found, target)


def _write_texts(
    db: duckdb.DuckDBPyConnection,
    relation: str,
    value: str,
    about: JsonObject,
    target: IO[bytes],
) -> None:
    import numpy as np

    filled = f"(SELECT {value} AS v FROM {relation}) WHERE v IS NOT NULL"
    (different,) = one_row(db, f"SELECT approx_count_distinct(v) FROM {filled}")
    texts: list[str]
    if different <= DIFFERENT_TEXTS:
        db.execute(f"CREATE OR REPLACE TEMP TABLE {TEXTS} AS SELECT DISTINCT v FROM {filled}")
        texts = [row[0] for row in db.execute(f"FROM {TEXTS} ORDER BY rowid").fetchall()]
        type_ = quoted("qhub text")
        if texts:
            db.execute(f"DROP TYPE IF EXISTS {type_}")
            db.execute(f"CREATE TYPE {type_} AS ENUM (SELECT v FROM {TEXTS} ORDER BY rowid)")
            code = f"CAST(coalesce(enum_code(CAST({value} AS {type_})), {len(texts)}) AS INTEGER)"
        else:
            code = "0::INTEGER"
        places = db.execute(f"SELECT {code} AS v FROM {relation}").fetchnumpy()["v"]
        db.execute(f"DROP TABLE {TEXTS}")
    else:
        found: Any = db.execute(f"SELECT {value} AS v FROM {relation}").fetchnumpy()["v"]
        missing = np.ma.getmaskarray(found)
        texts = np.asarray(found)[~missing].tolist()
        places = np.where(missing, len(texts), np.cumsum(~missing) - 1)
    width = next(name for name, most in COUNTED_BY.items() if len(texts) < most)
    places = np.asarray(places).astype(width)
    separator = SEPARATOR
    while (joined := separator.join(texts)).count(separator) != max(0, len(texts) - 1):
        separator += SEPARATOR + "\x1e"
    content = joined.encode()
    about["values"] = [target.tell(), len(content)]
    target.write(content)
    about |= {"different": len(texts), "separator": separator}
    about |= {"format": places.dtype.str, "place": _put(places, target)}


def _put(values: NDArray[Any], target: IO[bytes]) -> int:
    """Write values at the next place that suits every kind of number; return the place."""
    target.write(bytes(-target.tell() % 8))
    place = target.tell()
    target.write(values.tobytes())
    return place
