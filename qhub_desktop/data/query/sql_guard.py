"""Check of model-written SQL: one SELECT over the given tables, and nothing else.

The database is locked as well. Checking the parsed statement gives better messages, and keeps out
what a locked database still reveals, such as the paths of its own files.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import duckdb

from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.text import gettext as _

# Table functions whose rows come from their arguments alone.
TABLE_FUNCTIONS = {"generate_series", "range", "repeat", "repeat_row", "unnest"}
# Functions that reveal the machine instead of the data.
REFUSED_FUNCTIONS = {"current_setting", "getenv"}
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
    if statement.type != duckdb.StatementType.SELECT:
        raise ToolError(
            _("Only a SELECT may run, not {kind}: the data can be read, never changed.").format(
                kind=statement.type.name
            )
        )
    tree = _parse(db, statement.query)
    _check_nodes(tree, {name.casefold() for name in tables})
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
    row = db.execute("SELECT json_deserialize_sql($tree::JSON)", {"tree": json.dumps(tree)})
    found = row.fetchone()
    assert found is not None
    return str(found[0])


def _parse(db: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    row = db.execute("SELECT json_serialize_sql($sql::VARCHAR)", {"sql": sql}).fetchone()
    assert row is not None
    tree: dict[str, Any] = json.loads(row[0])
    if tree["error"]:
        raise ToolError(
            _("This statement can not be checked, so it was not run. Write it as a plain SELECT.")
        )
    return tree


def _check_nodes(tree: dict[str, Any], tables: set[str]) -> None:
    nodes = list(_nodes(tree))
    known = tables | {
        entry["key"].casefold()
        for node in nodes
        for entry in node.get("cte_map", {}).get("map", [])
    }
    for node in nodes:
        match node:
            case {"type": "BASE_TABLE", "table_name": name, "schema_name": "", "catalog_name": ""}:
                if name.casefold() not in known:
                    raise ToolError(
                        _("There is no table {name}. The tables are: {tables}.").format(
                            name=name, tables=", ".join(sorted(tables)) or "-"
                        )
                    )
            case {"type": "BASE_TABLE", "table_name": name, "schema_name": schema}:
                raise ToolError(
                    _("There is no table {name}. The tables are: {tables}.").format(
                        name=f"{schema}.{name}", tables=", ".join(sorted(tables)) or "-"
                    )
                )
            case {"type": "TABLE_FUNCTION", "function": {"function_name": name}}:
                if name.casefold() not in TABLE_FUNCTIONS:
                    raise ToolError(
                        _("{name} can not be used here: only the tables given can be read.").format(
                            name=name
                        )
                    )
            case {"function_name": name} if name.casefold() in REFUSED_FUNCTIONS:
                raise ToolError(
                    _("{name} can not be used here: only the tables given can be read.").format(
                        name=name
                    )
                )
            case {"type": str(kind)} if kind.endswith("_NODE") and kind not in QUERY_NODES:
                raise ToolError(
                    _(
                        "Only a SELECT may run, not {kind}: the data can be read, never changed."
                    ).format(kind=kind.removesuffix("_NODE"))
                )


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case dict() as node:
                yield node
                waiting.extend(node.values())
            case list() as items:
                waiting.extend(items)
