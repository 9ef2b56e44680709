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
    column = quoted(name)
    if sql_type in _INTEGERS:
        return column, "integer", "plain"
    if sql_type.startswith("DECIMAL"):
        if sql_type.endswith(",0)"):
            return f"CAST({column} AS HUGEINT)", "integer", "plain"
        return f"CAST({column} AS DOUBLE)", "number", "plain"
    match sql_type:
        case "DOUBLE" | "FLOAT":
            return f"CAST({column} AS DOUBLE)", "number", "plain"
        case "BOOLEAN":
            return column, "boolean", "plain"
        case "DATE":
            return column, "date", "date"
        case "TIME":
            return column, "text", "time"
        case "VARCHAR":
            return column, "text", "plain"
        case _ if sql_type.startswith("TIMESTAMP"):
            return f"CAST({column} AS TIMESTAMP)", "datetime", "datetime"
        case _:
            return f"CAST({column} AS VARCHAR)", "text", "plain"


def table_definition(columns: tuple[Column, ...]) -> str:
    """The columns as CREATE TABLE wants them."""
    return ", ".join(f"{quoted(column.name)} {STORED_AS[column.type]}" for column in columns)
