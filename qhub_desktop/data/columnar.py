"""The quick way in for workbooks: whole columns, checked against the first rows cell by cell."""

from collections.abc import Sequence
from datetime import date, datetime, time

import duckdb

from qhub_desktop.data.columns import quoted
from qhub_desktop.data.formats.sheet import RawSheet, Value
from qhub_desktop.data.heading import Heading
from qhub_desktop.data.raw import Form, RawTable, is_blank

# The database's types for what a workbook's columns can be.
_FORMS: dict[str, Form] = {
    "DOUBLE": "number",
    "BIGINT": "number",
    "VARCHAR": "text",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "TIMESTAMP_MS": "datetime",
    "TIMESTAMP_S": "datetime",
    "INTERVAL": "duration",
}
_MOMENTS = {"date", "datetime", "duration"}
# A text that could be a number, a date or a truth value may have been one before it was text. Most
# show by their first character that they could not.
_DOUBTFUL = (
    "CASE WHEN {0} >= '+' AND {0} < ':' THEN regexp_full_match({0}, '[-+]?\\.?[0-9].*')"
    " ELSE strlen({0}) < 6 AND lower({0}) IN ('true', 'false') END"
)
EARLIEST = "TIMESTAMP '1905-01-01'"  # before, it is a time without a day
COMPARED_ROWS = 20


def load_columns(raw: RawTable, sheet: RawSheet, heading: Heading) -> bool:
    """Fill the table with the rows under the header; false, and no rows, if that is not exact."""
    assert sheet.columns is not None
    if not all(isinstance(cell, str) or is_blank(cell) for cell in _header(sheet, heading)):
        return False
    stream = sheet.columns(sheet.first_row + heading.body)
    if stream is None:
        return False
    db = raw.db
    db.register("workbook", stream)
    try:
        described = db.execute("DESCRIBE FROM workbook").fetchall()
        forms = [_FORMS.get(sql_type) for _name, sql_type, *_more in described]
        selected = [
            _selected(name, sql_type, position)
            for position, (name, sql_type, *_more) in enumerate(described)
        ]
        db.execute(f"CREATE TABLE raw AS SELECT {', '.join(selected)} FROM workbook")
    except duckdb.Error:
        db.execute("DROP TABLE IF EXISTS raw")
        return False
    finally:
        db.unregister("workbook")
    known = [
        _form(form, sql_type) for form, (_n, sql_type, *_more) in zip(forms, described, strict=True)
    ]
    if None in known or not _is_exact(raw, known, sheet, heading):
        db.execute("DROP TABLE raw")
        return False
    raw.forms = [form or "" for form in known]
    (raw.rows,) = _one(db, "count(*)")
    return True


def with_moments(
    raw: RawTable, rows: Sequence[Sequence[Value]], heading: Heading
) -> Sequence[Sequence[Value]]:
    """The first rows, in which moments are numbers, with those that the columns know to be some."""
    moments = [place for place, form in enumerate(raw.forms) if form in _MOMENTS]
    if not moments:
        return rows
    selected = ", ".join(f"c{place}" for place in moments)
    count = max(0, len(rows) - heading.body)
    found = raw.db.execute(f"SELECT {selected} FROM raw ORDER BY rowid LIMIT {count}").fetchall()
    known: list[list[Value]] = [[*row] for row in rows]
    for row, values in zip(known[heading.body :], found, strict=False):
        for place, value in zip(moments, values, strict=True):
            if value is not None:
                is_day = isinstance(value, datetime) and value.time() == time()
                row[place] = value.date() if is_day else value
    return known


def _form(form: Form | None, sql_type: str) -> Form | None:
    return "" if sql_type in ('"NULL"', "NULL", "INTEGER") and form is None else form


def _selected(name: str, sql_type: str, position: int) -> str:
    column = quoted(name)
    form = _FORMS.get(sql_type)
    if form == "datetime":
        column = f"CAST({column} AS TIMESTAMP)"
    elif form == "number":
        column = f"CAST({column} AS DOUBLE)"
    elif form is None:
        column = f"CAST({column} AS VARCHAR)"
    return f"{column} AS c{position}"


def _is_exact(
    raw: RawTable, forms: Sequence[Form | None], sheet: RawSheet, heading: Heading
) -> bool:
    """Whether nothing was changed on the way: no text that was a value, no time that was none."""
    checks = ["true"]
    for position, form in enumerate(forms):
        column = f"c{position}"
        if form == "text":
            checks.append(f"NOT coalesce(bool_or({_DOUBTFUL.format(column)}), false)")
        elif form == "datetime":
            checks.append(f"coalesce(min({column}) >= {EARLIEST}, true)")
        elif form == "":
            checks.append(f"count({column}) = 0")
    (is_exact,) = _one(raw.db, " AND ".join(checks))
    return bool(is_exact) and _begins_alike(raw, sheet, heading)


def _begins_alike(raw: RawTable, sheet: RawSheet, heading: Heading) -> bool:
    """Whether the first rows are those that stand in the file."""
    assert sheet.head is not None
    expected = sheet.head[heading.body : heading.body + COMPARED_ROWS]
    rows = raw.db.execute(f"FROM raw ORDER BY rowid LIMIT {COMPARED_ROWS}").fetchall()
    if len(rows) < len(expected):
        return False
    return all(
        all(_is_alike(cell, found) for cell, found in _paired(wanted, row))
        for wanted, row in zip(expected, rows, strict=False)
    )


def _paired(wanted: Sequence[Value], row: Sequence[object]) -> list[tuple[Value, object]]:
    width = max(len(wanted), len(row))
    cells = [*wanted, *[None] * (width - len(wanted))]
    found = [*row, *[None] * (width - len(row))]
    return list(zip(cells, found, strict=True))


def _is_alike(cell: Value, found: object) -> bool:
    """The head knows dates by their number only, and those are compared by being there."""
    if is_blank(cell):
        return found is None or (isinstance(found, str) and not found.strip())
    if isinstance(found, date | datetime | time):
        return isinstance(cell, int | float)
    return cell == found


def _header(sheet: RawSheet, heading: Heading) -> list[Value]:
    assert sheet.head is not None
    if heading.header is None:
        return []
    rows = sheet.head[heading.header : heading.header + heading.header_rows]
    return [cell for row in rows for cell in row]


def _one(db: duckdb.DuckDBPyConnection, selected: str) -> tuple[int, ...]:
    row = db.execute(f"SELECT {selected} FROM raw").fetchone()
    assert row is not None
    return row
