"""The child that runs model-written SQL: locked rooms with the tables of one question in each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import duckdb

from qhub_desktop.core.codec import pack
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.sql_text import quoted, sql_literal
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data import profile, wire
from qhub_desktop.data.columns import CATEGORIES, CODE_OF, readable, table_definition
from qhub_desktop.data.query.sql_guard import Checked, one_select
from qhub_desktop.data.query.view_worker import ViewWorker

ROOMS = 4  # kept open: going back to the tables of an earlier question is then free
ERROR_CHARACTERS = 1_000
RESULT = quoted("qhub result")
LIMITS: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "1GB",
    "temp_directory": "",
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "python_enable_replacements": False,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A table as one question names it, and where its rows are: a file, or held in memory."""

    name: str
    path: str
    held: str
    version: int


def answer_queries(parent: Parent) -> NoReturn:
    """Serve until the parent goes."""
    rooms = _Rooms()
    browser = ViewWorker(rooms.furnished_alone)
    parent.send({"ready": True})
    while True:
        request: Any = parent.receive()
        if request["do"] == "hold":
            received = [parent.receive() for _ in range(request["parts"])]
            table = _table(request["columns"], received)
            parent.send(rooms.hold(request["id"], request["version"], table))
        elif request["do"] == "browse":
            for message in browser.answer(Place(**request["place"]), request["request"]):
                parent.send(message)
        else:
            places = tuple(Place(**place) for place in request["tables"])
            for message in rooms.answer(request["sql"], places, request["limit"]):
                parent.send(message)


class _Rooms:
    """Databases with a few tables each, locked before any SQL that is not ours runs in them."""

    def __init__(self) -> None:
        self._open: dict[tuple[Place, ...], duckdb.DuckDBPyConnection] = {}
        self._held: dict[str, tuple[int, Table]] = {}

    def hold(self, id_: str, version: int, table: Table) -> JsonObject:
        """Keep these rows, and say what they are."""
        self._held[id_] = (version, table)
        for places in [key for key in self._open if any(place.held == id_ for place in key)]:
            self._open.pop(places).close()
        with duckdb.connect(":memory:", config=LIMITS) as db:
            _fill(db, "rows", table)
            columns = profile.profile_columns(db, "rows")
            preview = profile.preview(db, "rows", columns)
        return {"columns": pack(columns), "preview": pack(preview)}

    def answer(self, sql: str, places: tuple[Place, ...], limit: int) -> Iterator[JsonObject]:
        """The rows in parts, or an error."""
        try:
            db = self._room(places)
            checked = one_select(db, sql, [place.name for place in places])
            # On a line of its own: where the text ends in a comment, nothing of ours is lost.
            db.execute(f"CREATE OR REPLACE TEMP TABLE {RESULT} AS\n{checked.sql}")
        except duckdb.Error as error:
            yield {"error": _cleaned(str(error), places)}
            return
        except ToolError as error:
            yield {"error": str(error)}
            return
        try:
            yield from _parts(db, limit, checked)
        except duckdb.Error as error:
            yield {"error": _cleaned(str(error), places)}
        finally:
            db.execute(f"DROP TABLE {RESULT}")

    def furnished_alone(self, place: Place) -> tuple[duckdb.DuckDBPyConnection, str]:
        """A room for our own SQL over one table, and the table's name in it."""
        db = self._furnished((place,))
        return db, quoted(place.name) if place.held else f"{quoted('qhub file 0')}.main.rows"

    def _room(self, places: tuple[Place, ...]) -> duckdb.DuckDBPyConnection:
        db = self._open.pop(places, None) or self._furnished(places)
        self._open[places] = db
        if len(self._open) > ROOMS:
            self._open.pop(next(iter(self._open))).close()
        return db

    def _furnished(self, places: tuple[Place, ...]) -> duckdb.DuckDBPyConnection:
        db = duckdb.connect(":memory:", config=LIMITS)
        for number, place in enumerate(places):
            if place.held:
                _fill(db, place.name, self._held[place.held][1])
                continue
            file = quoted(f"qhub file {number}")
            db.execute(f"ATTACH {sql_literal(place.path)} AS {file} (READ_ONLY)")
            db.execute(f"CREATE VIEW {quoted(place.name)} AS FROM {file}.main.rows")
        db.execute("SET enable_external_access = false")
        db.execute("SET lock_configuration = true")
        return db


def _parts(db: duckdb.DuckDBPyConnection, limit: int, asked: Checked) -> Iterator[JsonObject]:
    described = db.execute(f"DESCRIBE {RESULT}").fetchall()
    columns = [(name, *readable(name, sql_type)) for name, sql_type, *_more in described]
    row_count = _count(db, f"SELECT count(*) FROM {RESULT}")
    selected = ", ".join(f"{source} AS {quoted(name)}" for name, source, *_more in columns)
    found = db.execute(f"SELECT {selected} FROM {RESULT} LIMIT {max(0, limit)}")
    step = wire.rows_in_a_part(len(columns))
    texts: dict[int, set[Cell]] = {
        position: set()
        for position, (_name, _source, type_, code) in enumerate(columns)
        if type_ == "text" and code == "plain"
    }
    moments = [position for position, column in enumerate(columns) if column[-1] != "plain"]
    while rows := found.fetchmany(step):
        for position in list(texts):
            texts[position].update(row[position] for row in rows if row[position] is not None)
            if len(texts[position]) > CATEGORIES:
                del texts[position]
        if any(isinstance(row[position], str) for position in moments for row in rows):
            # The database counts years that no calendar of ours has, and hands them out as text.
            yield {"error": _("A date or time in the result lies outside the years 1 to 9999.")}
            return
        yield {"part": wire.columns_of(rows)}
    yield {
        "row_count": row_count,
        "table": asked.table,
        "rows_used": None if asked.counting is None else _count(db, asked.counting),
        "columns": [
            [name, "category" if texts.get(position) else type_, code]
            for position, (name, _source, type_, code) in enumerate(columns)
        ],
    }


def _count(db: duckdb.DuckDBPyConnection, counting: str) -> int:
    counted = db.execute(counting).fetchone()
    assert counted is not None
    return int(counted[0])


def _fill(db: duckdb.DuckDBPyConnection, name: str, table: Table) -> None:
    db.execute(f"CREATE TABLE {quoted(name)} ({table_definition(table.columns)})")
    if table.rows:
        with db.appender(quoted(name)) as appender:
            appender.append_rows(table.rows)


def _table(columns: Any, received: list[Any]) -> Table:
    named = tuple(Column(name, type_) for name, type_ in columns)
    codes = [CODE_OF.get(column.type, "plain") for column in named]
    return Table(named, tuple(row for part in received for row in wire.rows_of(part, codes)))


def _cleaned(words: str, places: tuple[Place, ...]) -> str:
    """The database's own words, without paths and without the line that is ours."""
    for place in places:
        if place.path:
            words = words.replace(place.path, place.name)
    words = re.sub(
        r"^LINE (\d+):", lambda line: f"LINE {max(1, int(line[1]) - 1)}:", words, flags=re.MULTILINE
    )
    words = re.sub(r"(?:[A-Za-z]:)?(?:[/\\][\w .~-]+){2,}", "…", words)
    return words.strip()[:ERROR_CHARACTERS]
