"""Guard of model-written SQL: one SELECT over the given tables, in a database without paths.

The database is locked, and reads its files under names of ours, so that what it tells of itself
is no secret. Checking the parsed statement gives better messages, and keeps the catalogue out.
"""

# Why it is so: decisions/queries.md

import json
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import duckdb

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.table import quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import open_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.query.sql_functions import FUNCTIONS

SCHEME = "qhub"
# Table functions whose rows come from their arguments alone.
TABLE_FUNCTIONS = {"generate_series", "range", "repeat", "repeat_row", "unnest"}
# Views that reveal the machine instead of the data, by the beginning of their names.
CATALOGUE = re.compile(r"(?:duckdb|pg|pragma|sqlite)_", re.IGNORECASE)
DESCRIBING = {"DESCRIBE", "SUMMARY"}  # other kinds of SHOW list what the database holds
QUERY_NODES = {
    "CTE_NODE",
    "RECURSIVE_CTE_NODE",
    "SELECT_NODE",
    "SET_OPERATION_NODE",
}


@dataclass(frozen=True, slots=True)
class CheckedSelect:
    """Statement that may run.

    If it reads a single table, `table` is its name and `count_sql` a statement that counts the rows
    of it that pass the conditions.
    """

    sql: str
    table: str | None = None
    count_sql: str | None = None


def check_select(db: duckdb.DuckDBPyConnection, sql: str, tables: Iterable[str]) -> CheckedSelect:
    """Check a statement. Raises ToolError if it may not run, duckdb.Error for wrong syntax."""
    statements = db.extract_statements(sql)
    if len(statements) != 1:
        raise ToolError(_("Give exactly one SQL statement, a SELECT."))
    statement = statements[0]
    if statement.type == duckdb.StatementType.MULTI:  # what it pivots on is looked up first
        raise ToolError(
            _(
                "PIVOT cannot look its columns up here. List their values:"
                " PIVOT table ON column IN ('a', 'b') USING count(*)."
            )
        )
    if statement.type != duckdb.StatementType.SELECT:
        raise _only_select(statement.type.name)
    tree = _parse(db, statement.query)
    _check_nodes(tree, {_folded(name) for name in tables})
    match tree["statements"][0]["node"]:
        case {
            "type": "SELECT_NODE",
            "from_table": {"type": "BASE_TABLE", "table_name": str(table)},
            "cte_map": {"map": []},
        }:
            return CheckedSelect(statement.query, table, _count_sql(db, tree))
    return CheckedSelect(statement.query)


def _count_sql(db: duckdb.DuckDBPyConnection, tree: dict[str, Any]) -> str:
    """Return SQL that counts the rows of the statement's table that pass its conditions."""
    count = _parse(db, "SELECT count(*)")["statements"][0]["node"]["select_list"]
    tree["statements"][0]["node"] |= {
        "select_list": count,
        "modifiers": [],
        "group_expressions": [],
        "group_sets": [],
        "having": None,
        "qualify": None,
        "aggregate_handling": "STANDARD_HANDLING",
    }
    try:
        written = json.dumps(tree)
    except RecursionError as error:
        raise _unchecked() from error
    row = db.execute("SELECT json_deserialize_sql($tree::JSON)", {"tree": written})
    found = row.fetchone()
    assert found is not None
    return str(found[0])


def _parse(db: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    row = db.execute("SELECT json_serialize_sql($sql::VARCHAR)", {"sql": sql}).fetchone()
    assert row is not None
    try:
        tree: dict[str, Any] = json.loads(row[0])
    except RecursionError as error:
        raise _unchecked() from error
    if tree["error"]:
        raise _unchecked()
    return tree


def _unchecked() -> ToolError:
    return ToolError(
        _("This statement cannot be checked, so it was not run. Write it as a plain SELECT.")
    )


def _check_nodes(tree: dict[str, Any], tables: set[str]) -> None:
    """Check every node under the names that are known at its place: tables, and CTEs in scope."""
    waiting: list[tuple[Any, frozenset[str]]] = [(tree, frozenset(tables))]
    while waiting:
        match waiting.pop():
            case dict() as node, known:
                _check_node(node, known, tables)
                waiting.extend(_parts(node, known))
            case list() as items, known:
                waiting.extend((item, known) for item in items)


def _parts(node: dict[str, Any], known: frozenset[str]) -> Iterator[tuple[Any, frozenset[str]]]:
    """Yield the parts of a node, each with the names that are known there.

    As DuckDB resolves them: a CTE is known to the CTEs after it and in the query that it belongs
    to, and to itself only in the part of a recursion that repeats. Everywhere else its name may
    be that of a view of the catalogue.
    """
    for entry in node.get("cte_map", {}).get("map", ()):
        yield entry["value"], known
        known |= {_folded(entry["key"])}
    kind = str(node.get("type", ""))  # of how many rows a sample has, a dict
    knows_itself = {"RECURSIVE_CTE_NODE": "right", "CTE_NODE": "child"}.get(kind)
    for field, part in node.items():
        if field == knows_itself:
            yield part, known | {_folded(node["cte_name"])}
        elif field != "cte_map":
            yield part, known


def _check_node(node: dict[str, Any], known: frozenset[str], tables: set[str]) -> None:
    match node:
        case {"type": "BASE_TABLE", "table_name": name, "schema_name": "", "catalog_name": ""}:
            if _folded(name) not in known:
                raise _no_such_table(name, tables)
            if CATALOGUE.match(name) and _folded(name) not in tables:
                raise _not_usable(name)
        case {"type": "BASE_TABLE", "table_name": name, "schema_name": schema}:
            raise _no_such_table(f"{schema}.{name}", tables)
        case {"type": "TABLE_FUNCTION", "function": {"function_name": name}}:
            if name.casefold() not in TABLE_FUNCTIONS:
                raise _not_usable(name)
        case {"type": "SHOW_REF", "show_type": kind, "table_name": name} if kind not in DESCRIBING:
            raise _not_usable(f"SHOW {name.strip(chr(34)).upper()}")
        case {"function_name": str(name)} if _folded(name) not in FUNCTIONS:
            raise _no_such_function(name)
        case {"type": str(kind)} if kind.endswith("_NODE") and kind not in QUERY_NODES:
            raise _only_select(kind.removesuffix("_NODE"))


def _folded(name: str) -> str:
    """Fold a name as DuckDB does: ASCII letters only, so that two names never become one."""
    return "".join(each.lower() if each.isascii() else each for each in name)


def _no_such_table(name: str, tables: set[str]) -> ToolError:
    return ToolError(
        _("There is no table {name}. The tables are: {tables}.").format(
            name=name, tables=", ".join(sorted(tables)) or "-"
        )
    )


def _no_such_function(name: str) -> ToolError:
    alike = get_close_matches(_folded(name), FUNCTIONS, 1)
    sentences = [
        _("{name} cannot be called here: only functions over values can.").format(name=name),
        *(_("Do you mean {name}?").format(name=each) for each in alike),
    ]
    return ToolError(" ".join(sentences))


def _not_usable(name: str) -> ToolError:
    return ToolError(
        _("{name} cannot be used here: only the tables given can be read.").format(name=name)
    )


def _only_select(kind: str) -> ToolError:
    return ToolError(
        _("Only a SELECT may run, not {kind}: the data can be read, never changed.").format(
            kind=kind
        )
    )


# DuckDB takes a file system of Python's only if it is one of fsspec's, whose 100 KB nobody needs:
# it calls four methods.
_fsspec = ModuleType("fsspec")
_fsspec.AbstractFileSystem = type("AbstractFileSystem", (), {})  # type: ignore[attr-defined]


class _RowFiles(sys.modules.setdefault("fsspec", _fsspec).AbstractFileSystem):  # type: ignore[misc]
    """File system of the databases of one connection, under names that hide their paths."""

    protocol = SCHEME

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = {f"{SCHEME}://{number}": file for number, file in enumerate(files)}

    def open(self, name: str, _mode: str = "rb", **_options: object) -> "_RowFile":
        """Open a file for reading; there is nothing else beside it, such as a log."""
        if name not in self._files:
            raise FileNotFoundError(name)
        try:
            return _RowFile(open_regular(self._files[name]))
        except OSError as error:
            raise FileNotFoundError(name) from error

    def isfile(self, name: str) -> bool:
        """Return whether there is such a file."""
        return name in self._files

    def exists(self, name: str) -> bool:
        """Return whether there is such a file."""
        return name in self._files

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        return self._files[name].stat().st_size


class _RowFile:
    """Open file, read by several threads: each reads where it has sought to itself."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._turn = threading.Lock()
        self._own = threading.local()

    def seek(self, place: int) -> None:
        """Set where this thread reads next."""
        self._own.place = place

    def read(self, size: int) -> bytes:
        """Read from where this thread is."""
        with self._turn:
            self._file.seek(self._own.place)
            found = self._file.read(size)
        self._own.place += len(found)
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __del__(self) -> None:
        self._file.close()  # DuckDB only lets go of it


def attach_rows(db: duckdb.DuckDBPyConnection, tables: Mapping[str, Path]) -> None:
    """Give a database the rows of files, each as a view; no path is known inside it."""
    if not tables:
        return
    db.register_filesystem(_RowFiles([*tables.values()]))
    for number, name in enumerate(tables):
        database = quoted(f"qhub file {number}")
        db.execute(f"ATTACH '{SCHEME}://{number}' AS {database} (READ_ONLY)")
        db.execute(f"CREATE VIEW {quoted(name)} AS FROM {database}.main.rows")


def lock(db: duckdb.DuckDBPyConnection) -> None:
    """Lock a database before SQL runs in it that is not our own."""
    db.execute("SET enable_external_access = false")
    db.execute("SET lock_configuration = true")
