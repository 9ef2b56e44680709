"""The query process: model-written SQL in locked databases, and views of whole tables."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, NoReturn, cast

import duckdb

from qhub_desktop.core.codec import Json, JsonObject, pack
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.table import Cell, Column, Table, is_numeric, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import use
from qhub_desktop.core.values import dataclass
from qhub_desktop.data import profile
from qhub_desktop.data.columns import (
    CATEGORIES,
    CODES_BY_TYPE,
    decode_batch,
    encode_batch,
    one_row,
    rows_in_batch,
    select_column,
    table_definition,
    write_columns,
)
from qhub_desktop.data.export.text_tables import html_rows, tsv_lines
from qhub_desktop.data.query.sql_guard import CheckedSelect, attach_rows, check_select, lock
from qhub_desktop.data.query.view_spec import RowView, condition, contains_condition, from_json

OPEN_DATABASES = 4  # kept open, so returning to the tables of an earlier query costs nothing
ERROR_CHARACTERS = 1_000
RESULT = quoted("qhub result")
FLOATS = {"DOUBLE", "FLOAT"}
# Not divisions: `a / b / c` has blanks behind its slashes, and `a/b/c` something before the first.
_PATH = re.compile(r"(?<![\w)\]])(?:[A-Za-z]:)?(?:[/\\][\w.~-][\w .~-]*){2,}")
COLUMNS_AT_ONCE = 50  # counted in one expression, whose depth and memory are limited
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",
    "temp_directory": "",
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
    # A remainder or a whole division by zero is missing, as the others are in the end.
    "error_on_division_by_zero": False,
    # Settings and messages would name the person's folder.
    "extension_directory": ".",
    "extension_repository_directory": ".",
    "home_directory": ".",
    "secret_directory": ".",
}


@dataclass(frozen=True, slots=True)
class TableSource:
    """Table as one query names it, and where its rows are: a file, or in memory."""

    name: str
    path: str
    memory_id: str
    version: int


def answer_queries(parent: Parent) -> NoReturn:
    """Serve requests until the parent process ends."""
    databases = _Databases()
    browser = ViewWorker(databases.open_one)
    parent.send({"ready": True})
    while True:
        request: Any = parent.receive()
        if request["do"] == "register":
            received = [parent.receive() for _ in range(request["parts"])]
            table = _decode_table(request["columns"], received)
            parent.send(databases.register(request["id"], request["version"], table))
        elif request["do"] == "columns":
            parent.send(databases.write(TableSource(**request["source"]), Path(request["target"])))
        elif request["do"] == "browse":
            for message in browser.answer(TableSource(**request["source"]), request["request"]):
                parent.send(message)
        else:
            sources = tuple(TableSource(**source) for source in request["tables"])
            for message in databases.answer(request["sql"], sources, request["limit"]):
                parent.send(message)


class _Databases:
    """In-memory databases, each with the tables of one query, locked before foreign SQL runs."""

    def __init__(self) -> None:
        self._open: dict[tuple[TableSource, ...], duckdb.DuckDBPyConnection] = {}
        self._in_memory: dict[str, tuple[int, Table]] = {}

    def register(self, id_: str, version: int, table: Table) -> JsonObject:
        """Keep a table in memory; return its profile and first rows."""
        self._in_memory[id_] = (version, table)
        for sources in [
            key for key in self._open if any(source.memory_id == id_ for source in key)
        ]:
            self._open.pop(sources).close()
        with duckdb.connect(":memory:", config=LIMITS) as db:
            _insert(db, "rows", table)
            columns = profile.profile_columns(db, "rows")
            preview = profile.preview(db, "rows", columns)
        return {"columns": pack(columns), "preview": pack(preview)}

    def answer(
        self, sql: str, sources: tuple[TableSource, ...], limit: int
    ) -> Iterator[JsonObject]:
        """Run one SELECT; yield its rows in batches, then their description, or an error."""
        try:
            db = self._database(sources)
            checked = check_select(db, sql, [source.name for source in sources])
            # On a line of its own, so a comment at the end of the text cannot hide our SQL.
            db.execute(f"CREATE OR REPLACE TEMP TABLE {RESULT} AS\n{checked.sql}")
        except duckdb.Error as error:
            yield {"error": _clean_error(str(error), sources)}
            return
        except ToolError as error:
            yield {"error": str(error)}
            return
        try:
            yield from _result_batches(db, limit, checked)
        except duckdb.Error as error:
            yield {"error": _clean_error(str(error), sources)}
        finally:
            db.execute(f"DROP TABLE {RESULT}")

    def write(self, source: TableSource, target: Path) -> JsonObject:
        """Write the columns of a table to a file for a reader without a database."""
        db, rows = self.open_one(source)
        try:
            with target.open("wb") as file:
                return {"columns": write_columns(db, rows, file)}
        except duckdb.Error as error:
            return {"error": _clean_error(str(error), (source,))}
        except OSError as error:
            return {"error": str(error.strerror)}
        finally:
            db.close()

    def open_one(self, source: TableSource) -> tuple[duckdb.DuckDBPyConnection, str]:
        """Open a database for our own SQL over one table; return it and the table's name in it."""
        db = self._create((source,))
        return db, quoted(source.name) if source.memory_id else f"{quoted('qhub file 0')}.main.rows"

    def _database(self, sources: tuple[TableSource, ...]) -> duckdb.DuckDBPyConnection:
        db = self._open.pop(sources, None) or self._create(sources)
        self._open[sources] = db
        if len(self._open) > OPEN_DATABASES:
            self._open.pop(next(iter(self._open))).close()
        return db

    def _create(self, sources: tuple[TableSource, ...]) -> duckdb.DuckDBPyConnection:
        db = duckdb.connect(":memory:", config=LIMITS)
        for source in sources:
            if source.memory_id:
                _insert(db, source.name, self._in_memory[source.memory_id][1])
        attach_rows(db, {each.name: Path(each.path) for each in sources if not each.memory_id})
        lock(db)
        return db


def _result_batches(
    db: duckdb.DuckDBPyConnection, limit: int, asked: CheckedSelect
) -> Iterator[JsonObject]:
    described = db.execute(f"DESCRIBE {RESULT}").fetchall()
    columns = [(name, *select_column(name, sql_type)) for name, sql_type, *_more in described]
    # A division by zero is missing, for whoever asked; how often is counted and said.
    undefined = count_undefined(db, {name: type_ for name, type_, *_more in described}, RESULT)
    row_count = _count(db, f"SELECT count(*) FROM {RESULT}")
    selected = ", ".join(f"{source} AS {quoted(name)}" for name, source, *_more in columns)
    found = db.execute(f"SELECT {selected} FROM {RESULT} LIMIT {max(0, limit)}")
    step = rows_in_batch(len(columns))
    texts: dict[int, set[Cell]] = {
        position: set()
        for position, (_name, _source, type_, code) in enumerate(columns)
        if type_ == "text" and code == "plain"
    }
    timestamps = [position for position, column in enumerate(columns) if column[-1] != "plain"]
    while rows := found.fetchmany(step):
        for position in list(texts):
            texts[position].update(row[position] for row in rows if row[position] is not None)
            if len(texts[position]) > CATEGORIES:
                del texts[position]
        if any(isinstance(row[position], str) for position in timestamps for row in rows):
            # DuckDB's years exceed those of Python's dates; it returns such dates as text.
            yield {"error": _("A date or time in the result lies outside the years 1 to 9999.")}
            return
        yield {"part": encode_batch(rows)}
    yield {
        "row_count": row_count,
        "undefined": undefined,
        "table": asked.table,
        "rows_used": None if asked.count_sql is None else _count(db, asked.count_sql),
        "columns": [
            [name, "category" if texts.get(position) else type_, code]
            for position, (name, _source, type_, code) in enumerate(columns)
        ],
    }


def count_undefined(db: duckdb.DuckDBPyConnection, types: Mapping[str, str], rows: str) -> int:
    """Count the cells of these columns that are no finite numbers; `rows` is SQL after FROM."""
    names = [name for name, sql_type in types.items() if sql_type in FLOATS]
    total = 0
    # One expression over all reached the memory limit at 700 columns, the limit of depth at 1,000.
    for start in range(0, len(names), COLUMNS_AT_ONCE):
        part = names[start : start + COLUMNS_AT_ONCE]
        each = " + ".join(f"count(*) FILTER (NOT isfinite({quoted(name)}))" for name in part)
        total += _count(db, f"SELECT {each} FROM {rows}")
    return total


def _count(db: duckdb.DuckDBPyConnection, counting: str) -> int:
    counted = db.execute(counting).fetchone()
    assert counted is not None
    return int(counted[0])


def _insert(db: duckdb.DuckDBPyConnection, name: str, table: Table) -> None:
    db.execute(f"CREATE TABLE {quoted(name)} ({table_definition(table.columns)})")
    if table.rows:
        with db.appender(quoted(name)) as appender:
            appender.append_rows(table.rows)


def _decode_table(columns: Any, received: list[Any]) -> Table:
    named = tuple(Column(name, type_) for name, type_ in columns)
    codes = [CODES_BY_TYPE.get(column.type, "plain") for column in named]
    return Table(named, tuple(row for part in received for row in decode_batch(part, codes)))


def _clean_error(words: str, sources: tuple[TableSource, ...]) -> str:
    """Quote the database's message, without paths and with line numbers of the given SQL."""
    # DuckDB goes on to advise whoever runs it: a folder for its files, threads, insertion order.
    if words.startswith("Out of Memory"):
        return _(
            "This query needs more memory than it is allowed. Filter the rows first, or count them"
            " in groups."
        )
    for source in sources:
        if source.path:
            words = words.replace(source.path, source.name)
    words = re.sub(
        r"^LINE (\d+):", lambda line: f"LINE {max(1, int(line[1]) - 1)}:", words, flags=re.MULTILINE
    )
    words = _PATH.sub("…", words)
    # DuckDB speaks English only; the sentence around it is in the language of the program.
    return _("DuckDB could not run this SQL: {message}").format(
        message=words.strip()[:ERROR_CHARACTERS]
    )


CACHED_ORDERS = 6  # of each table, at eight bytes a row
# Names that no column has; a column may be called rowid.
ROW, AT, VALUE, TIMES = (quoted(f"qhub {each}") for each in ("row", "at", "value", "count"))
COUNTED = quoted("qhub values")


@dataclass(slots=True)
class ViewedTable:
    """Open data set whose rows carry their number, from 0, in column `ROW`.

    Row orders and matches are cached as temporary tables with their lengths.
    """

    db: duckdb.DuckDBPyConnection
    source: str
    columns: dict[str, str]
    rows: int
    _cached: dict[object, tuple[str, int]] = field(default_factory=dict)
    _made: int = 0

    @classmethod
    def of(cls, db: duckdb.DuckDBPyConnection, rows: str) -> "ViewedTable":
        """Open the table that is called `rows` in this database."""
        described = db.execute(f"DESCRIBE FROM {rows}").fetchall()
        columns = {name: sql_type for name, sql_type, *_more in described}
        number = "rowid"
        if any(name.casefold() == "rowid" for name in columns):
            number = "row_number() OVER () - 1"
        source = f"(SELECT {number} AS {ROW}, * FROM {rows})"
        (count,) = one_row(db, f"SELECT count(*) FROM {rows}")
        return cls(db, source, columns, int(count))

    def rows_between(self, view: RowView, start: int, count: int) -> tuple[str, int]:
        """Return SQL of the rows at these positions of a view, and the view's length.

        Each row carries its position in column `AT`.
        """
        between = f"BETWEEN {start} AND {start + count - 1}"
        if view.is_plain:
            return f"(SELECT {ROW} AS {AT}, * FROM {self.source} WHERE {ROW} {between})", self.rows
        order, total = self._order(view)
        return (
            f"(SELECT ours.rowid AS {AT}, theirs.* FROM {order} AS ours"
            f" JOIN {self.source} AS theirs ON ours.{VALUE} = theirs.{ROW}"
            f" WHERE ours.rowid {between})"
        ), total

    def count(self, view: RowView) -> int:
        """Return the number of rows of a view."""
        _rows, total = self.rows_between(view, 0, 0)
        return total

    def where(self, view: RowView, *more: str) -> str:
        """Return the WHERE clause of a view and further conditions, for a SELECT over `source`."""
        parts = [condition(each, self.columns[each.column]) for each in view.filters]
        if view.find.strip():
            parts.append(self.any_cell_contains(view.find))
        parts.extend(more)
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def any_cell_contains(self, words: str) -> str:
        """Return the condition that any cell of the row contains the words."""
        parts = [
            contains_condition(name, sql_type, words) for name, sql_type in self.columns.items()
        ]
        # coalesce: an empty cell must not make the whole condition NULL.
        return f"({' OR '.join(f'coalesce({part}, false)' for part in parts if part) or 'false'})"

    def cached(self, key: object, sql: str) -> tuple[str, int]:
        """Return the cached table of a key and its length; create it from `sql` if missing."""
        if (known := self._cached.pop(key, None)) is None:
            while len(self._cached) >= CACHED_ORDERS:
                oldest, _length = self._cached.pop(next(iter(self._cached)))
                self.db.execute(f"DROP TABLE {oldest}")
            self._made += 1
            name = quoted(f"qhub order {self._made}")
            self.db.execute(f"CREATE TEMP TABLE {name} AS {sql}")
            (length,) = one_row(self.db, f"SELECT count(*) FROM {name}")
            known = name, int(length)
        self._cached[key] = known
        return known

    def _order(self, view: RowView) -> tuple[str, int]:
        """Return the table of the row numbers of a view in its order, and its length."""
        keys = [self._key(name, direction) for name, direction in view.sort]
        ordered = f" ORDER BY {', '.join([*keys, ROW])}" if keys else ""
        return self.cached(
            view, f"SELECT {ROW} AS {VALUE} FROM {self.source}{self.where(view)}{ordered}"
        )

    def _key(self, name: str, direction: str) -> str:
        column = select_column(name, self.columns[name])[0]
        if self.columns[name] == "VARCHAR":
            column = f"strip_accents(lower({quoted(name)}))"
        elif self.columns[name] not in FLOATS:
            column = quoted(name)
        # Empty cells stay at the end in both directions.
        return f"{column} {'DESC' if direction == 'down' else 'ASC'} NULLS LAST"


OpenTable = tuple[duckdb.DuckDBPyConnection, str]  # and the SQL name of its rows

OPEN_TABLES = 4  # the one used longest ago is closed


class ViewWorker:
    """Answers requests for views of data sets; owns the connections that `open_table` returns."""

    def __init__(self, open_table: Callable[[Any], OpenTable]) -> None:
        self._open_table = open_table
        self._tables: dict[Any, ViewedTable] = {}

    def answer(self, source: Any, request: JsonObject) -> Iterator[JsonObject]:
        """Answer a request: yield rows in batches, then their description, or an error."""
        use("en" if request["language"] == "en" else "pt")
        try:
            yield from self._answer(self._table(source), request)
        except duckdb.OutOfMemoryException:
            yield {"error": _("There is not enough memory for so many rows. Filter them first.")}
        except duckdb.Error as error:
            yield {"error": str(error).partition("\n")[0]}

    def _table(self, source: Any) -> ViewedTable:
        table = self._tables.pop(source, None) or ViewedTable.of(*self._open_table(source))
        self._tables[source] = table
        if len(self._tables) > OPEN_TABLES:
            self._tables.pop(next(iter(self._tables))).db.close()
        return table

    def _answer(self, table: ViewedTable, request: JsonObject) -> Iterator[JsonObject]:
        match request:
            case {"what": "page", "view": dict(view), "start": int(start), "count": int(count)}:
                yield from _page(table, from_json(view), start, count)
            case {"what": "copy", "view": dict(view), "start": int(start), "count": int(count)}:
                yield from _clipboard(table, from_json(view), start, count, request)
            case {"what": "find", "view": dict(view), "words": str(words), **more}:
                yield from _find(table, from_json(view), words, more)
            case {"what": "values", "view": dict(view), "column": str(column), **more}:
                yield from _values(table, from_json(view), column, more)
            case {"what": "summary", "view": dict(view), "areas": list(areas)}:
                yield from _summary(table, from_json(view), areas)
            case _:
                raise ValueError("a look at a table was expected")


def _page(table: ViewedTable, view: RowView, start: int, count: int) -> Iterator[JsonObject]:
    shown = {name: select_column(name, sql_type) for name, sql_type in table.columns.items()}
    cells = "".join(f", {source} AS {quoted(name)}" for name, (source, *_more) in shown.items())
    rows, total = table.rows_between(view, start, count)
    yield from _send_rows(
        table.db.execute(f"SELECT {ROW} + 1 AS {VALUE}{cells} FROM {rows} ORDER BY {AT}"),
        [[VALUE, "integer", "plain"], *([name, *kind[1:]] for name, kind in shown.items())],
        total,
    )


def _clipboard(
    table: ViewedTable, view: RowView, start: int, count: int, request: JsonObject
) -> Iterator[JsonObject]:
    """Yield rows for the clipboard in batches: as text, as HTML, and their number."""
    wanted = cast("list[str | None]", request["columns"])
    cells = ", ".join(
        "NULL" if name is None else select_column(name, table.columns[name])[0] for name in wanted
    )
    rows, total = table.rows_between(view, start, count)
    found = table.db.execute(f"SELECT {cells} FROM {rows} ORDER BY {AT}")
    while some := found.fetchmany(rows_in_batch(len(wanted))):
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
    """Yield the next or previous match: its position, column and number, and the match count."""
    if view.is_plain:
        rows = f"(SELECT {ROW} AS {AT}, * FROM {table.source})"
    else:
        rows, _total = table.rows_between(view, 0, table.rows)
    found, total = table.cached(
        (view, words),
        f"SELECT {AT} AS {VALUE} FROM {rows} WHERE {table.any_cell_contains(words)} ORDER BY {AT}",
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
        if (test := contains_condition(name, sql_type, words))
    ]
    row, _total = table.rows_between(view, at, 1)
    (column,) = one_row(table.db, f"SELECT CASE {' '.join(tests)} END FROM {row}")
    yield {"part": [[at], [column], [number], [total]]}
    yield {"row_count": total, "columns": columns, "table": None, "rows_used": None}


def _values(
    table: ViewedTable, view: RowView, column: str, more: dict[str, Json]
) -> Iterator[JsonObject]:
    """Yield the most frequent values of a column under the filters on the other columns."""
    source, *kind = select_column(column, table.columns[column])
    words = str(more["words"]).strip()
    tests = [contains_condition(column, table.columns[column], words) or "false"] if words else []
    where = table.where(view.without(column), *tests)
    table.db.execute(
        f"CREATE OR REPLACE TEMP TABLE {COUNTED} AS SELECT {source} AS {VALUE},"
        f" count(*) AS {TIMES} FROM {table.source}{where} GROUP BY 1"
    )
    (total,) = one_row(table.db, f"SELECT count(*) FROM {COUNTED}")
    yield from _send_rows(
        table.db.execute(f"FROM {COUNTED} ORDER BY 2 DESC, 1 LIMIT {more['limit']}"),
        [[column, *kind], ["count", "integer", "plain"]],
        total,
    )
    table.db.execute(f"DROP TABLE {COUNTED}")


def _summary(table: ViewedTable, view: RowView, areas: Sequence[Any]) -> Iterator[JsonObject]:
    """Yield count, sum and extremes of the cells of the areas."""
    filled = numbers = 0
    total: int | float = 0
    least, most = [], []
    for start, count, names in areas:
        rows, _total = table.rows_between(view, start, count)
        for name in names:
            column, type_, _code = select_column(name, table.columns[name])
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


def _send_rows(
    found: duckdb.DuckDBPyConnection, columns: list[Any], total: int
) -> Iterator[JsonObject]:
    timestamps = [position for position, (*_, code) in enumerate(columns) if code != "plain"]
    while rows := found.fetchmany(rows_in_batch(len(columns))):
        for position in timestamps:
            if any(isinstance(row[position], str) for row in rows):
                # DuckDB's years exceed those of Python's dates; it returns such dates as text.
                columns[position][1:] = ["text", "plain"]
        yield {"part": encode_batch(rows)}
    yield {"row_count": total, "columns": columns, "table": None, "rows_used": None}
