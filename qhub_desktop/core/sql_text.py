"""Quoting of names and values in SQL."""


def quoted(name: str) -> str:
    """Quote a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(value: str | float) -> str:
    """Write a value as SQL: a quoted string, TRUE or FALSE, an integer or a float."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
