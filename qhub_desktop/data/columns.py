"""Names and types of data sets and columns, as the database and as the program calls them."""

from __future__ import annotations  # DuckDB takes 50 ms to import, and a question may need none

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, Literal

from qhub_desktop.core.folding import fold
from qhub_desktop.core.json_values import Json
from qhub_desktop.core.sql_text import quoted
from qhub_desktop.core.table import Cell, Column, ColumnType

if TYPE_CHECKING:
    import duckdb

# How the cells of a column travel: dates and times as ISO text, the rest as they are.
Code = Literal["plain", "date", "datetime", "time"]
CODES: tuple[Code, ...] = ("plain", "date", "datetime", "time")

# One part is parsed within 2 ms, so that it never holds up the window's thread.
BATCH_CELLS = 10_000


def encode_batches(rows: Sequence[tuple[Cell, ...]], width: int) -> Iterator[list[Json]]:
    """The rows in small parts; each part is a list of columns."""
    step = rows_in_batch(width)
    for start in range(0, len(rows), step):
        yield encode_batch(rows[start : start + step])


def rows_in_batch(width: int) -> int:
    """How many rows of so many columns make one part."""
    return max(1, BATCH_CELLS // max(1, width))


def encode_batch(rows: Sequence[tuple[Cell, ...]]) -> list[Json]:
    """One part, ready to send. Not-a-number is nothing."""
    return [[_encode_cell(cell) for cell in column] for column in zip(*rows, strict=True)]


def decode_batch(columns: Sequence[Json], codes: Sequence[Code]) -> list[tuple[Cell, ...]]:
    """The rows of one part. Raises ValueError or TypeError for anything else."""
    if len(columns) != len(codes):
        raise ValueError("another number of columns was promised")
    cells = [_decode_column(column, code) for column, code in zip(columns, codes, strict=True)]
    return list(zip(*cells, strict=True))


def _encode_cell(cell: Cell) -> Json:
    match cell:
        case date() | time():
            return cell.isoformat()
        case float() if cell != cell:  # not-a-number alone differs from itself
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
            return [_decode_moment(date, cell) for cell in column]
        case "datetime":
            return [_decode_moment(datetime, cell) for cell in column]
        case "time":
            return [_decode_moment(time, cell) for cell in column]


def _decode_scalar(cell: Json) -> Cell:
    if isinstance(cell, (list, dict)):
        raise TypeError("a cell was expected")
    return cell


def _decode_moment(kind: type[date | datetime | time], cell: Json) -> date | datetime | time | None:
    if cell is None:
        return None
    if not isinstance(cell, str):
        raise TypeError("a moment in ISO form was expected")
    return kind.fromisoformat(cell)


SQL_TYPES: dict[ColumnType, str] = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "category": "VARCHAR",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "boolean": "BOOLEAN",
}
CODES_BY_TYPE: dict[ColumnType, Code] = {"date": "date", "datetime": "datetime"}

# Texts of which there are at most so many different ones can be counted by.
CATEGORIES = 50

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = {*_WHOLE, *(f"U{name}" for name in _WHOLE)}


def select_column(name: str, sql_type: str) -> tuple[str, ColumnType, Code]:
    """What to select so that a column of this type arrives as one of our cells, and as what."""
    return select_value(quoted(name), sql_type)


def select_value(value: str, sql_type: str) -> tuple[str, ColumnType, Code]:
    """The same for a value of this type, given as SQL."""
    if sql_type in _INTEGERS:
        return value, "integer", "plain"
    if sql_type.startswith("DECIMAL"):
        if sql_type.endswith(",0)"):
            return f"CAST({value} AS HUGEINT)", "integer", "plain"
        return f"CAST({value} AS DOUBLE)", "number", "plain"
    match sql_type:
        case "DOUBLE" | "FLOAT":
            return f"CAST({value} AS DOUBLE)", "number", "plain"
        case "BOOLEAN":
            return value, "boolean", "plain"
        case "DATE":
            return value, "date", "date"
        case "TIME":
            return value, "text", "time"
        case "INTERVAL":
            return _duration(value), "text", "plain"
        case "VARCHAR":
            return value, "text", "plain"
        case _ if sql_type.startswith("TIMESTAMP"):
            return f"CAST({value} AS TIMESTAMP)", "datetime", "datetime"
        case _:
            return f"CAST({value} AS VARCHAR)", "text", "plain"


def _duration(value: str) -> str:
    """36:30:00 for a day and a half; months are no fixed time, and stay in words."""
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
    """The columns as CREATE TABLE wants them."""
    return ", ".join(f"{quoted(column.name)} {SQL_TYPES[column.type]}" for column in columns)


# One query for 2,000 aggregates takes the database 12 s, and twenty queries for 100 take 1 s.
AGGREGATES_AT_ONCE = 100


def aggregates(db: duckdb.DuckDBPyConnection, selected: Sequence[str], relation: str) -> list[Any]:
    """What each of these aggregates, given as SQL, comes to over a relation."""
    found: list[Any] = []
    for start in range(0, len(selected), AGGREGATES_AT_ONCE):
        asked = ", ".join(selected[start : start + AGGREGATES_AT_ONCE])
        row = db.execute(f"SELECT {asked} FROM {relation}").fetchone()
        assert row is not None
        found += row
    return found


LONGEST_NAME = 40
# Words that SQL would read as something else.
RESERVED = {"all", "and", "as", "by", "case", "from", "group", "in", "join", "limit", "not", "null"}
RESERVED |= {"on", "or", "order", "select", "table", "union", "where", "with", "having", "end"}
# What copies, later versions and other months add to a name.
_VERSION_WORDS = {
    *("copia", "copy", "of", "de", "novo", "nova", "new", "final", "v", "rev", "versao", "version"),
    *("jan", "janeiro", "january", "fev", "fevereiro", "feb", "february", "mar", "marco", "march"),
    *("abr", "abril", "apr", "april", "mai", "maio", "may", "jun", "junho", "june", "jul"),
    *("julho", "july", "ago", "agosto", "aug", "august", "set", "setembro", "sep", "september"),
    *("out", "outubro", "oct", "october", "nov", "novembro", "november", "dez", "dezembro"),
    *("dec", "december", "pasted", "colado"),
}


def dataset_name(stem: str, *, sheet: str | None = None, number: int = 1) -> str:
    """A file's name, and its sheet's from the second on, as lower case ASCII words."""
    name = slug(stem) or "dados"
    if number > 1 and sheet is not None and slug(sheet):
        name = f"{name}_{slug(sheet)}"
    if name[0].isdigit() or name in RESERVED:
        name = f"t_{name}"
    return name


def slug(words: str) -> str:
    """Lower case letters without accents, digits and underscores."""
    plain = fold(words).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST_NAME].strip("_")


def versionless_name(name: str) -> str:
    """A name without what differs from version to version."""
    words = re.findall(r"[a-z]+", slug(name))
    return " ".join(word for word in words if word not in _VERSION_WORDS)
