"""Child process that writes a data set to a file in batches, however many rows it has."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.result_widgets import undefined_warnings
from qhub_desktop.core.table import Cell, Column, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.columns import one_row, select_column
from qhub_desktop.data.export.dfq import write_dfq
from qhub_desktop.data.export.output import Exported, os_error_text
from qhub_desktop.data.export.text_tables import CsvWriter
from qhub_desktop.data.export.xlsx import BookWriter
from qhub_desktop.data.query.query_worker import AT, LIMITS, ViewedTable, count_undefined
from qhub_desktop.data.query.sql_guard import attach_rows, check_select, lock
from qhub_desktop.data.query.view_spec import RowView, from_json

ROWS_AT_ONCE = 5_000
VIEW_BATCH_ROWS = 100_000  # of a view in one query, each of which scans all row numbers
WRITING_SHARE = 0.65  # of the time for a workbook; the rest is compression
FILE = quoted("qhub file 0")

Rows = Iterator[Sequence[tuple[Cell, ...]]]


def write_rows(parent: Parent) -> JsonObject:
    """Write the rows that the first message requests, and report progress.

    Raises:
        ToolError: the SQL is wrong or not allowed.
        UserError: the file cannot be written.

    """
    asked: Any = parent.receive()
    target = Path(asked["target"])
    try:
        with duckdb.connect(":memory:", config=LIMITS) as db:
            columns, total, rows, undefined = _select(db, asked)
            written = _write(parent, asked, columns, rows, total)
    except duckdb.Error as error:
        if not asked["sql"]:  # our own SQL only fails for lack of memory
            raise MemoryError from error
        message = str(error).replace(str(asked["rows"]), asked["table"])
        raise ToolError(
            _("DuckDB could not run this SQL: {message}").format(message=message)
        ) from error
    except OSError as error:
        raise UserError(os_error_text(error, target)) from error
    return {"rows": written.rows, "notes": [*written.notes, *undefined_warnings(undefined)]}


def _select(
    db: duckdb.DuckDBPyConnection, asked: dict[str, Any]
) -> tuple[tuple[Column, ...], int, Rows, int]:
    """Return the columns to write, the number of rows, their batches, and how many cells are
    missing since they are no finite numbers.
    """
    table = quoted(asked["table"])
    view = from_json(asked["view"]) if asked["view"] else RowView()
    attach_rows(db, {asked["table"]: Path(asked["rows"])})
    lock(db)
    sql = check_select(db, asked["sql"], [asked["table"]]).sql if asked["sql"] else f"FROM {table}"
    # On lines of their own, so a comment at the end of the text cannot hide our SQL.
    described = db.execute(f"DESCRIBE\n{sql}").fetchall()
    types = {name: sql_type for name, sql_type, *_more in described}
    written = {name: types[name] for name in view.columns or types}
    shown = [(name, *select_column(name, sql_type)) for name, sql_type in written.items()]
    selected = ", ".join(f"{source} AS {quoted(name)}" for name, source, *_more in shown)
    columns = tuple(Column(name, type_) for name, _source, type_, _code in shown)
    if not view.is_plain:
        viewed = ViewedTable.of(db, f"{FILE}.main.rows")
        undefined = count_undefined(db, written, f"{viewed.source}{viewed.where(view)}")
        return columns, viewed.count(view), _view_batches(viewed, view, selected), undefined
    (total,) = one_row(db, f"SELECT count(*) FROM (\n{sql}\n)")
    undefined = count_undefined(db, written, f"(\n{sql}\n)")
    return columns, int(total), _batches(db, f"SELECT {selected} FROM (\n{sql}\n)"), undefined


def _view_batches(viewed: ViewedTable, view: RowView, selected: str) -> Rows:
    """Yield the rows of a view in its order, sorted in slices.

    Sorting all at once keeps every row in memory: 1 GB for a million rows of twenty columns. Slices
    need a third of that and take the same time.
    """
    for start in range(0, viewed.count(view), VIEW_BATCH_ROWS):
        rows, _total = viewed.rows_between(view, start, VIEW_BATCH_ROWS)
        yield from _batches(viewed.db, f"SELECT {selected} FROM {rows} ORDER BY {AT}")


def _batches(db: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    found = db.execute(sql)
    while rows := found.fetchmany(ROWS_AT_ONCE):
        yield rows


def _write(
    parent: Parent, asked: dict[str, Any], columns: Sequence[Column], rows: Rows, total: int
) -> Exported:
    name = Path(asked["target"]).name
    writing_share = WRITING_SHARE if asked["kind"] == "xlsx" else 1.0
    done = 0

    def on_rows(count: int) -> None:
        nonlocal done
        done += count
        share = writing_share * (done / total if total else 1.0)
        parent.tell(_("Writing {name}").format(name=name), share)

    if asked["kind"] == "csv":
        return _write_csv(Path(asked["draft"]), columns, rows, on_rows)
    if asked["kind"] == "dfq":
        facts = [(str(fact), str(value)) for fact, value in asked["facts"]]
        draft, title = Path(asked["draft"]), asked["title"]
        return write_dfq(draft, columns, rows, title=title, facts=facts, on_rows=on_rows)
    with BookWriter(Path(asked["draft"]), Path(asked["scratch"]), title=asked["title"]) as book:
        page = book.begin_table(asked["sheet"], columns)
        for batch in rows:
            page.write(batch, on_rows=on_rows)
        page.finish()
        parent.tell(_("Packing {name}").format(name=name), writing_share)
    return book.exported


def _write_csv(
    draft: Path, columns: Sequence[Column], rows: Rows, on_rows: Callable[[int], None]
) -> Exported:
    written = 0
    with draft.open("w", encoding="utf-8-sig", newline="") as stream:
        lines = CsvWriter(stream, [column.name for column in columns])
        for batch in rows:
            lines.write(batch)
            written += len(batch)
            on_rows(len(batch))
    return Exported(written)
