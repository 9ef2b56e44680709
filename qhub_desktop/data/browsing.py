"""The child's part of looking at a data set: rows by their position in a view of it.

An order of a million rows is made once and kept as a table of row numbers, so that every page of
it is read by position, however far down.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import use
from qhub_desktop.data import wire
from qhub_desktop.data.columns import quoted, readable
from qhub_desktop.data.views import View, condition, holds, unpacked

Opened = tuple[duckdb.DuckDBPyConnection, str]  # and what the rows are called there

TABLES = 4  # kept open
ORDERS = 6  # kept of each: eight bytes a row
# Names that no column has, for a column may be called rowid.
ROW, AT, VALUE, COUNT, RESULT = (
    quoted(f"qhub {each}") for each in ("row", "at", "value", "count", "values")
)


@dataclass(slots=True)
class _Table:
    """One open data set. `orders` are tables of our own by what made them, with their lengths."""

    db: duckdb.DuckDBPyConnection
    source: str
    columns: dict[str, str]
    rows: int
    orders: dict[object, tuple[str, int]] = field(default_factory=dict)
    made: int = 0


class Browser:
    """Data sets as views of them are asked for. `open_table` gives a connection that it owns."""

    def __init__(self, open_table: Callable[[Any], Opened]) -> None:
        self._open_table = open_table
        self._tables: dict[Any, _Table] = {}

    def answer(self, place: Any, request: JsonObject) -> Iterator[JsonObject]:
        """What was asked, in parts, or an error."""
        use("en" if request["language"] == "en" else "pt")
        try:
            yield from self._answer(self._table(place), request)
        except duckdb.OutOfMemoryException:
            yield {"error": _("There is not enough memory for so many rows. Filter them first.")}
        except duckdb.Error as error:
            yield {"error": str(error).partition("\n")[0]}

    def _table(self, place: Any) -> _Table:
        table = self._tables.pop(place, None) or _opened(*self._open_table(place))
        self._tables[place] = table
        if len(self._tables) > TABLES:
            self._tables.pop(next(iter(self._tables))).db.close()
        return table

    def _answer(self, table: _Table, request: JsonObject) -> Iterator[JsonObject]:
        match request:
            case {"what": "page", "view": dict(view), "start": int(start), "count": int(count)}:
                yield from _page(table, unpacked(view), start, count)
            case {"what": "find", "view": dict(view), "words": str(words), **more}:
                yield from _find(table, unpacked(view), words, more)
            case {"what": "values", "view": dict(view), "column": str(column), **more}:
                yield from _values(table, unpacked(view), column, more)
            case {"what": "summary", "view": dict(view), "areas": list(areas)}:
                yield from _summary(table, unpacked(view), areas)
            case _:
                raise ValueError("a look at a table was expected")


def _opened(db: duckdb.DuckDBPyConnection, rows: str) -> _Table:
    described = db.execute(f"DESCRIBE FROM {rows}").fetchall()
    columns = {name: sql_type for name, sql_type, *_more in described}
    if any(name.casefold() == "rowid" for name in columns):
        source = f"(SELECT row_number() OVER () - 1 AS {ROW}, * FROM {rows})"
    else:
        source = f"(SELECT rowid AS {ROW}, * FROM {rows})"
    return _Table(db, source, columns, int(_one(db, f"SELECT count(*) FROM {rows}")[0]))


def _page(table: _Table, view: View, start: int, count: int) -> Iterator[JsonObject]:
    shown = {name: readable(name, sql_type) for name, sql_type in table.columns.items()}
    cells = "".join(f", {source} AS {quoted(name)}" for name, (source, *_more) in shown.items())
    rows, total = _rows(table, view, start, count)
    yield from _sent(
        table.db.execute(f"SELECT {ROW} + 1 AS {VALUE}{cells} FROM {rows} ORDER BY {AT}"),
        [[VALUE, "integer", "plain"], *([name, *kind[1:]] for name, kind in shown.items())],
        total,
    )


def _rows(table: _Table, view: View, start: int, count: int) -> tuple[str, int]:
    """The rows at these positions of a view, as SQL, and how many the view has in all."""
    between = f"BETWEEN {start} AND {start + count - 1}"
    if view.is_plain:
        return f"(SELECT {ROW} AS {AT}, * FROM {table.source} WHERE {ROW} {between})", table.rows
    order, total = _order(table, view)
    return (
        f"(SELECT ours.rowid AS {AT}, theirs.* FROM {order} AS ours"
        f" JOIN {table.source} AS theirs ON ours.{VALUE} = theirs.{ROW}"
        f" WHERE ours.rowid {between})"
    ), total


def _order(table: _Table, view: View) -> tuple[str, int]:
    """The table of the row numbers of a view."""
    keys = [_key(table, name, direction) for name, direction in view.sort]
    ordered = f" ORDER BY {', '.join([*keys, ROW])}" if keys else ""
    return _kept(
        table, view, f"SELECT {ROW} AS {VALUE} FROM {table.source}{_where(table, view)}{ordered}"
    )


def _kept(table: _Table, key: object, sql: str) -> tuple[str, int]:
    """A table of our own by what it is for, made if it is not there."""
    if (known := table.orders.pop(key, None)) is None:
        while len(table.orders) >= ORDERS:
            oldest, _length = table.orders.pop(next(iter(table.orders)))
            table.db.execute(f"DROP TABLE {oldest}")
        table.made += 1
        name = quoted(f"qhub order {table.made}")
        table.db.execute(f"CREATE TEMP TABLE {name} AS {sql}")
        known = name, int(_one(table.db, f"SELECT count(*) FROM {name}")[0])
    table.orders[key] = known
    return known


def _key(table: _Table, name: str, direction: str) -> str:
    column = quoted(name)
    if table.columns[name] == "VARCHAR":
        column = f"strip_accents(lower({column}))"
    # What is missing is neither small nor large: it stays at the end.
    return f"{column} {'DESC' if direction == 'down' else 'ASC'} NULLS LAST"


def _where(table: _Table, view: View, *more: str) -> str:
    parts = [condition(each, table.columns[each.column]) for each in view.filters]
    if view.find.strip():
        parts.append(_any_holds(table, view.find))
    parts.extend(more)
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def _any_holds(table: _Table, words: str) -> str:
    parts = [holds(name, sql_type, words) for name, sql_type in table.columns.items()]
    # coalesce: an empty cell holds nothing, and says nothing of its neighbours.
    return f"({' OR '.join(f'coalesce({part}, false)' for part in parts if part) or 'false'})"


def _find(table: _Table, view: View, words: str, more: dict[str, Json]) -> Iterator[JsonObject]:
    """The next place, or the one before, with its column, its number and how many there are."""
    if view.is_plain:
        rows = f"(SELECT {ROW} AS {AT}, * FROM {table.source})"
    else:
        rows, _total = _rows(table, view, 0, table.rows)
    found, total = _kept(
        table,
        (view, words),
        f"SELECT {AT} AS {VALUE} FROM {rows} WHERE {_any_holds(table, words)} ORDER BY {AT}",
    )
    columns: list[Json] = [
        [name, "integer", "plain"] for name in ("position", "column", "number", "total")
    ]
    if not total:
        yield {"row_count": 0, "columns": columns, "table": None, "rows_used": None}
        return
    start = more["start"]
    if more["step"] == "next":
        beyond, around = f"min({VALUE}) FILTER ({VALUE} > {start})", f"min({VALUE})"
    else:
        beyond, around = f"max({VALUE}) FILTER ({VALUE} < {start})", f"max({VALUE})"
    (at,) = _one(table.db, f"SELECT coalesce({beyond}, {around}) FROM {found}")
    (number,) = _one(table.db, f"SELECT count(*) FROM {found} WHERE {VALUE} <= {at}")
    tests = [
        f"WHEN {test} THEN {position}"
        for position, (name, sql_type) in enumerate(table.columns.items())
        if (test := holds(name, sql_type, words))
    ]
    row, _total = _rows(table, view, at, 1)
    (column,) = _one(table.db, f"SELECT CASE {' '.join(tests)} END FROM {row}")
    yield {"part": [[at], [column], [number], [total]]}
    yield {"row_count": total, "columns": columns, "table": None, "rows_used": None}


def _values(table: _Table, view: View, column: str, more: dict[str, Json]) -> Iterator[JsonObject]:
    """The values of one column among the rows that the filters on the others leave."""
    source, *kind = readable(column, table.columns[column])
    words = str(more["words"]).strip()
    tests = [holds(column, table.columns[column], words) or "false"] if words else []
    where = _where(table, view.without(column), *tests)
    table.db.execute(
        f"CREATE OR REPLACE TEMP TABLE {RESULT} AS SELECT {source} AS {VALUE},"
        f" count(*) AS {COUNT} FROM {table.source}{where} GROUP BY 1"
    )
    (total,) = _one(table.db, f"SELECT count(*) FROM {RESULT}")
    yield from _sent(
        table.db.execute(f"FROM {RESULT} ORDER BY 2 DESC, 1 LIMIT {more['limit']}"),
        [[column, *kind], ["count", "integer", "plain"]],
        total,
    )
    table.db.execute(f"DROP TABLE {RESULT}")


def _summary(table: _Table, view: View, areas: Sequence[Any]) -> Iterator[JsonObject]:
    """How many cells hold something, how many of them numbers, and what these come to."""
    filled = numbers = 0
    total: int | float = 0
    least, most = [], []
    for start, count, names in areas:
        rows, _total = _rows(table, view, start, count)
        for name in names:
            column, type_, _code = readable(name, table.columns[name])
            if not is_numeric(type_):
                (count_,) = _one(table.db, f"SELECT count({column}) FROM {rows}")
                filled += count_
                continue
            adds = "sum" if type_ == "integer" else "fsum"
            count_, sum_, min_, max_ = _one(
                table.db,
                f"SELECT count({column}), {adds}({column}), min({column}), max({column})"
                f" FROM {rows}",
            )
            filled += count_
            numbers += count_
            if count_:
                total += sum_
                least.append(min_)
                most.append(max_)
    yield {
        "part": [
            [filled],
            [numbers],
            [total],
            [min(least, default=None)],
            [max(most, default=None)],
        ]
    }
    names_ = ("filled", "numbers", "sum", "least", "most")
    columns: list[Json] = [[name, "number", "plain"] for name in names_]
    yield {"row_count": 1, "columns": columns, "table": None, "rows_used": None}


def _sent(found: duckdb.DuckDBPyConnection, columns: list[Any], total: int) -> Iterator[JsonObject]:
    moments = [position for position, (*_, code) in enumerate(columns) if code != "plain"]
    while rows := found.fetchmany(wire.rows_in_a_part(len(columns))):
        for position in moments:
            if any(isinstance(row[position], str) for row in rows):
                # The database counts years that no calendar of ours has, as text.
                columns[position][1:] = ["text", "plain"]
        yield {"part": wire.columns_of(rows)}
    yield {"row_count": total, "columns": columns, "table": None, "rows_used": None}


def _one(db: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = db.execute(sql).fetchone()
    assert row is not None
    return row
