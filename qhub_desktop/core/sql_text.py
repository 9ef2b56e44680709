"""Names and values as SQL text, whatever is in them."""


def quoted(name: str) -> str:
    """The name as an identifier in SQL."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(value: str | float) -> str:
    """The value as SQL: a text in quotes, TRUE or FALSE, a whole or a broken number."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
