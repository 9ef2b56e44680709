"""What the database calls columns and their types, and what we call them."""

from qhub_desktop.core.table import Column, ColumnType
from qhub_desktop.data.wire import Code

STORED_AS: dict[ColumnType, str] = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "category": "VARCHAR",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "boolean": "BOOLEAN",
}
CODE_OF: dict[ColumnType, Code] = {"date": "date", "datetime": "datetime"}

# Texts of which there are at most so many different ones can be counted by.
CATEGORIES = 50

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGERS = {*_WHOLE, *(f"U{name}" for name in _WHOLE)}


def quoted(name: str) -> str:
    """A name as SQL reads it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(words: str) -> str:
    """A text as SQL reads it, whatever is in it."""
    return "'" + words.replace("'", "''") + "'"


def readable(name: str, sql_type: str) -> tuple[str, ColumnType, Code]:
    """What to select so that a column of this type arrives as one of our cells, and as what."""
    return shown(quoted(name), sql_type)


def shown(value: str, sql_type: str) -> tuple[str, ColumnType, Code]:
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
    return ", ".join(f"{quoted(column.name)} {STORED_AS[column.type]}" for column in columns)
