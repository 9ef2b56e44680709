"""The child's part of looking at a data set: pages of a view, values, places of words, sums."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import duckdb

from qhub_desktop.core.codec import unpack
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.sql_text import quoted
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import use
from qhub_desktop.data import wire
from qhub_desktop.data.columns import readable
from qhub_desktop.data.export.text_tables import html_rows, tsv_lines
from qhub_desktop.data.query.view_spec import (
    AT,
    ROW,
    VALUE,
    RowView,
    ViewedTable,
    holds,
    one_row,
    unpacked,
)

Opened = tuple[duckdb.DuckDBPyConnection, str]  # and what the rows are called there

TABLES = 4  # kept open
# Names that no column has.
COUNT, RESULT = quoted("qhub count"), quoted("qhub values")


class ViewWorker:
    """Data sets as views of them are asked for. `open_table` gives a connection that it owns."""

    def __init__(self, open_table: Callable[[Any], Opened]) -> None:
        self._open_table = open_table
        self._tables: dict[Any, ViewedTable] = {}

    def answer(self, place: Any, request: JsonObject) -> Iterator[JsonObject]:
        """What was asked, in parts, or an error."""
        use("en" if request["language"] == "en" else "pt")
        try:
            yield from self._answer(self._table(place), request)
        except duckdb.OutOfMemoryException:
            yield {"error": _("There is not enough memory for so many rows. Filter them first.")}
        except duckdb.Error as error:
            yield {"error": str(error).partition("\n")[0]}

    def _table(self, place: Any) -> ViewedTable:
        table = self._tables.pop(place, None) or ViewedTable.of(*self._open_table(place))
        self._tables[place] = table
        if len(self._tables) > TABLES:
            self._tables.pop(next(iter(self._tables))).db.close()
        return table

    def _answer(self, table: ViewedTable, request: JsonObject) -> Iterator[JsonObject]:
        match request:
            case {"what": "page", "view": dict(view), "start": int(start), "count": int(count)}:
                yield from _page(table, unpacked(view), start, count)
            case {"what": "copy", "view": dict(view), "start": int(start), "count": int(count)}:
                yield from _copy(table, unpacked(view), start, count, request)
            case {"what": "find", "view": dict(view), "words": str(words), **more}:
                yield from _find(table, unpacked(view), words, more)
            case {"what": "values", "view": dict(view), "column": str(column), **more}:
                yield from _values(table, unpacked(view), column, more)
            case {"what": "summary", "view": dict(view), "areas": list(areas)}:
                yield from _summary(table, unpacked(view), areas)
            case _:
                raise ValueError("a look at a table was expected")


def _page(table: ViewedTable, view: RowView, start: int, count: int) -> Iterator[JsonObject]:
    shown = {name: readable(name, sql_type) for name, sql_type in table.columns.items()}
    cells = "".join(f", {source} AS {quoted(name)}" for name, (source, *_more) in shown.items())
    rows, total = table.part(view, start, count)
    yield from _sent(
        table.db.execute(f"SELECT {ROW} + 1 AS {VALUE}{cells} FROM {rows} ORDER BY {AT}"),
        [[VALUE, "integer", "plain"], *([name, *kind[1:]] for name, kind in shown.items())],
        total,
    )


def _copy(
    table: ViewedTable, view: RowView, start: int, count: int, request: JsonObject
) -> Iterator[JsonObject]:
    """Rows as the clipboard takes them, some at a time: as text, as HTML, and how many."""
    wanted = unpack(list[str | None], request["columns"])
    cells = ", ".join(
        "NULL" if name is None else readable(name, table.columns[name])[0] for name in wanted
    )
    rows, total = table.part(view, start, count)
    found = table.db.execute(f"SELECT {cells} FROM {rows} ORDER BY {AT}")
    while some := found.fetchmany(wire.rows_in_a_part(len(wanted))):
        yield {"part": [["\n".join(tsv_lines(some))], [html_rows(some)], [len(some)]]}
    columns: list[Json] = [
        ["text", "text", "plain"],
        ["html", "text", "plain"],
        ["rows", "integer", "plain"],
    ]
    yield {"row_count": total, "columns": columns, "table": None, "rows_used": None}


def _find(
    table: ViewedTable, view: RowView, words: str, more: dict[str, Json]
) -> Iterator[JsonObject]:
    """The next place, or the one before, with its column, its number and how many there are."""
    if view.is_plain:
        rows = f"(SELECT {ROW} AS {AT}, * FROM {table.source})"
    else:
        rows, _total = table.part(view, 0, table.rows)
    found, total = table.kept(
        (view, words),
        f"SELECT {AT} AS {VALUE} FROM {rows} WHERE {table.any_holds(words)} ORDER BY {AT}",
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
    (at,) = one_row(table.db, f"SELECT coalesce({beyond}, {around}) FROM {found}")
    (number,) = one_row(table.db, f"SELECT count(*) FROM {found} WHERE {VALUE} <= {at}")
    tests = [
        f"WHEN {test} THEN {position}"
        for position, (name, sql_type) in enumerate(table.columns.items())
        if (test := holds(name, sql_type, words))
    ]
    row, _total = table.part(view, at, 1)
    (column,) = one_row(table.db, f"SELECT CASE {' '.join(tests)} END FROM {row}")
    yield {"part": [[at], [column], [number], [total]]}
    yield {"row_count": total, "columns": columns, "table": None, "rows_used": None}


def _values(
    table: ViewedTable, view: RowView, column: str, more: dict[str, Json]
) -> Iterator[JsonObject]:
    """The values of one column among the rows that the filters on the others leave."""
    source, *kind = readable(column, table.columns[column])
    words = str(more["words"]).strip()
    tests = [holds(column, table.columns[column], words) or "false"] if words else []
    where = table.where(view.without(column), *tests)
    table.db.execute(
        f"CREATE OR REPLACE TEMP TABLE {RESULT} AS SELECT {source} AS {VALUE},"
        f" count(*) AS {COUNT} FROM {table.source}{where} GROUP BY 1"
    )
    (total,) = one_row(table.db, f"SELECT count(*) FROM {RESULT}")
    yield from _sent(
        table.db.execute(f"FROM {RESULT} ORDER BY 2 DESC, 1 LIMIT {more['limit']}"),
        [[column, *kind], ["count", "integer", "plain"]],
        total,
    )
    table.db.execute(f"DROP TABLE {RESULT}")


def _summary(table: ViewedTable, view: RowView, areas: Sequence[Any]) -> Iterator[JsonObject]:
    """How many cells hold something, how many of them numbers, and what these come to."""
    filled = numbers = 0
    total: int | float = 0
    least, most = [], []
    for start, count, names in areas:
        rows, _total = table.part(view, start, count)
        for name in names:
            column, type_, _code = readable(name, table.columns[name])
            if not is_numeric(type_):
                (count_,) = one_row(table.db, f"SELECT count({column}) FROM {rows}")
                filled += count_
                continue
            adds = "sum" if type_ == "integer" else "fsum"
            count_, sum_, min_, max_ = one_row(
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
