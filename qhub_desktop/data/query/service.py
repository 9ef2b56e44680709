"""Client of the query process: SQL and views, answered in turn; a killed process is replaced."""

# Why it is so: decisions/queries.md

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from qhub_desktop.core.codec import Json, unpack
from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.processes.child import (
    Child,
    ChildBugError,
    ChildGoneError,
    ChildMemoryError,
)
from qhub_desktop.core.processes.supervisor import ChildNotStartedError, ChildServer
from qhub_desktop.core.result_widgets import undefined_warnings
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import CODES, Code, decode_batch, encode_batches
from qhub_desktop.data.query.view_spec import RowView, to_json

Output = TypeVar("Output")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """First rows of a result, at most `limit`; `row_count` counts all of them.

    If the SQL reads a single table, `read` is its name and `rows_used` the number of its rows that
    took part.
    """

    table: Table
    row_count: int
    read: str | None = None
    rows_used: int | None = None
    undefined: int = 0  # numbers that a division by zero has made, which are missing

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on what the person or the model should know of the result."""
        return undefined_warnings(self.undefined)


@dataclass(frozen=True, slots=True)
class MemoryTable:
    """Table in memory, here and in the query process."""

    version: int
    table: Table


class QueryService:
    """Client of the query process, which it owns until closed."""

    def __init__(self, *, query_s: float) -> None:
        self._query_s = query_s
        # The cap of the child is above the database's own limit of 1 GB, which is soft: the child
        # dies before the computer runs out of memory.
        self._server = ChildServer(lambda: Child("query"), greet=self._greet)
        self._in_memory: dict[str, MemoryTable] = {}  # written only on the child's thread

    def warm(self) -> None:
        """Start the process on another thread."""
        self._server.warm()

    async def query(self, sql: str, tables: Mapping[str, Path | str], *, limit: int) -> Answer:
        """Run one SELECT over tables, given by database path or id in memory. Raises ToolError."""
        return await self._ask(
            lambda: {
                "do": "query",
                "sql": sql,
                "limit": limit,
                "tables": [self._source(name, where) for name, where in tables.items()],
            }
        )

    async def browse(self, where: Path | str, request: dict[str, Json]) -> Answer:
        """Answer a request for a view of one table. Raises UserError if the query fails."""
        try:
            return await self._ask(
                lambda: {"do": "browse", "source": self._source("rows", where), "request": request}
            )
        except ToolError as error:
            raise UserError(
                _("The rows cannot be shown so. {reason}").format(reason=error)
            ) from error

    async def register(self, id_: str, table: Table) -> tuple[tuple[ColumnProfile, ...], Table]:
        """Keep a table in memory under an id; return its profile and its first rows."""

        def talk(child: Child) -> dict[str, Json]:
            before = self._in_memory.get(id_)
            held = self._in_memory[id_] = MemoryTable(before.version + 1 if before else 1, table)
            return _send_table(child, id_, held)

        reply = await self._converse(talk)
        columns = unpack(cast("Any", tuple[ColumnProfile, ...]), reply["columns"])
        return columns, unpack(Table, reply["preview"])

    async def write_columns(self, where: Path | str, target: Path) -> dict[str, Json]:
        """Write the columns of a table to a file; return what stands where. Raises ToolError."""

        def talk(child: Child) -> dict[str, Json]:
            child.send(
                {"do": "columns", "source": self._source("rows", where), "target": str(target)}
            )
            match child.receive():
                case {"columns": dict(about)}:
                    return about
                case {"error": str(words)}:
                    raise ToolError(words)
                case _:
                    raise ChildGoneError("another answer was expected")

        return await self._converse(talk, limit_s=self._query_s)

    def is_in_memory(self, id_: str) -> bool:
        """Return whether this id is a table in memory."""
        return id_ in self._in_memory

    def close(self) -> None:
        """Kill the process and the query that it runs."""
        self._server.close()

    async def _ask(self, message: Callable[[], dict[str, Json]]) -> Answer:
        """Send a message in its turn and receive the answer within the time limit."""

        def talk(child: Child) -> Answer:
            child.send(message())
            return _receive_answer(child)

        return await self._converse(talk, limit_s=self._query_s)

    async def _converse(
        self, talk: Callable[[Child], Output], *, limit_s: float | None = None
    ) -> Output:
        try:
            return await self._server.ask(talk, limit_s=limit_s)
        except TimeoutError as error:
            raise ToolError(
                _(
                    "The query was stopped after {seconds} s, which is all it is allowed."
                    " Ask for less: filter the rows, group them, or join fewer."
                ).format(seconds=number(self._query_s))
            ) from error
        except ChildMemoryError as error:
            raise ToolError(
                _(
                    "The query needed more memory than it is allowed and was stopped."
                    " Ask for less: filter the rows, group them, or join fewer."
                )
            ) from error
        except ChildBugError as error:
            _log.exception("A query met a bug")
            raise ToolError(
                _("The database failed on this query. Write it in another, simpler way.")
            ) from error
        except ChildNotStartedError as error:
            raise UserError(
                _(
                    "The process that answers queries could not be started. Close other programs"
                    " to free memory, and try again."
                )
            ) from error
        except ChildGoneError as error:
            raise ToolError(
                _("The database ended on this query. Write it in another, simpler way.")
            ) from error

    def _greet(self, child: Child) -> None:
        child.receive()  # the child reports that it is ready
        for id_, held in self._in_memory.items():
            _send_table(child, id_, held)

    def _source(self, name: str, where: Path | str) -> dict[str, Json]:
        if isinstance(where, Path):
            # The rows of a file that is found to have been half read are replaced.
            version = where.stat().st_mtime_ns
            return {"name": name, "path": str(where), "memory_id": "", "version": version}
        return {
            "name": name,
            "path": "",
            "memory_id": where,
            "version": self._in_memory[where].version,
        }


def _send_table(child: Child, id_: str, held: MemoryTable) -> dict[str, Json]:
    table = held.table
    sent = list(encode_batches(table.rows, len(table.columns)))
    child.send(
        {
            "do": "register",
            "id": id_,
            "version": held.version,
            "columns": [[column.name, column.type] for column in table.columns],
            "parts": len(sent),
        }
    )
    for part in sent:
        child.send(cast("Json", part))
    reply = child.receive()
    if not isinstance(reply, dict):
        raise ChildGoneError("another answer was expected")
    return reply


def _receive_answer(child: Child) -> Answer:
    """Receive an answer in batches, and check its shape: the process is not trusted."""
    parts: list[list[Json]] = []
    while True:
        match child.receive():
            case {"part": list(columns)}:
                parts.append(columns)
            case {"error": str(words)}:
                raise ToolError(words)
            case {
                "row_count": int(row_count),
                "columns": list(columns),
                "table": str() | None as read,
                "rows_used": int() | None as rows_used,
                **more,
            }:
                undefined = more.get("undefined")
                return Answer(
                    _decode_table(columns, parts),
                    row_count,
                    read,
                    rows_used,
                    undefined if isinstance(undefined, int) else 0,
                )
            case _:
                raise ChildGoneError("another answer was expected")


def _decode_table(columns: list[Json], parts: list[list[Json]]) -> Table:
    named: list[Column] = []
    codes: list[Code] = []
    for column in columns:
        match column:
            case [str(name), type_, code] if type_ in get_args(ColumnType) and code in CODES:
                named.append(Column(name, cast("ColumnType", type_)))
                codes.append(code)
            case _:
                raise ChildGoneError("a column was expected")
    rows: list[tuple[Cell, ...]] = []
    try:
        for part in parts:
            rows.extend(decode_batch(part, codes))
    except (TypeError, ValueError) as error:
        raise ChildGoneError("rows were expected") from error
    return Table(tuple(named), tuple(rows))


Step = Literal["next", "previous"]


@dataclass(frozen=True, slots=True)
class RowPage:
    """Rows of a view from position `start` on; the view has `total` rows.

    `numbers` holds each row's number in the data set, from 1.
    """

    table: Table
    start: int
    total: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClipboardRows:
    """Rows for the clipboard: tab-separated lines, and rows of an HTML table."""

    lines: str
    markup: str
    count: int


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """Most frequent values of a column with their counts; `distinct` counts all values."""

    values: tuple[tuple[Cell, int], ...]
    distinct: int


@dataclass(frozen=True, slots=True)
class CellMatch:
    """Cell that contains the words: the row's position in the view, the column's in the data set.

    The row is the `number`-th of `total` rows that match.
    """

    position: int
    column: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class CellRange:
    """Rectangle of cells: rows of a view by position, columns by name."""

    start: int
    count: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CellSummary:
    """Statistics of cells: `filled` are not empty, `numbers` of them are numbers."""

    filled: int
    numbers: int
    total: int | float
    least: int | float | None
    most: int | float | None

    @property
    def mean(self) -> float | None:
        """Mean of the numbers; None if there are none."""
        return self.total / self.numbers if self.numbers else None


class ViewClient:
    """Client for views of data sets; `source` returns where a data set's rows are."""

    def __init__(self, queries: QueryService, source: Callable[[str], Path | str]) -> None:
        self._queries = queries
        self._source = source

    async def page(self, dataset_id: str, view: RowView, *, start: int, count: int) -> RowPage:
        """Return rows by their position in the view."""
        answer = await self._ask("page", dataset_id, view, start=start, count=count)
        columns = answer.table.columns[1:]
        rows = answer.table.rows
        return RowPage(
            Table(columns, tuple(row[1:] for row in rows)),
            start,
            answer.row_count,
            tuple(cast("int", row[0]) for row in rows),
        )

    async def clipboard(
        self,
        dataset_id: str,
        view: RowView,
        *,
        start: int,
        count: int,
        columns: Sequence[str | None],
    ) -> tuple[ClipboardRows, ...]:
        """Return rows by their position as text and HTML; a column that is None stays empty."""
        answer = await self._ask(
            "copy", dataset_id, view, start=start, count=count, columns=[*columns]
        )
        return tuple(ClipboardRows(*cast("tuple[str, str, int]", row)) for row in answer.table.rows)

    async def values(
        self, dataset_id: str, column: str, view: RowView, *, words: str = "", limit: int = 200
    ) -> ValueCounts:
        """Return the values of a column under the view's filters on the other columns."""
        answer = await self._ask(
            "values", dataset_id, view, column=column, words=words, limit=limit
        )
        counted = tuple((value, cast("int", count)) for value, count in answer.table.rows)
        return ValueCounts(counted, answer.row_count)

    async def find(
        self, dataset_id: str, view: RowView, words: str, *, start: int, step: Step
    ) -> CellMatch | None:
        """Return the row after or before `start` that contains the words, wrapping around."""
        answer = await self._ask("find", dataset_id, view, words=words, start=start, step=step)
        for row in answer.table.rows:
            return CellMatch(*cast("tuple[int, int, int, int]", row))
        return None

    async def summary(
        self, dataset_id: str, view: RowView, areas: Sequence[CellRange]
    ) -> CellSummary:
        """Return count, sum and extremes of these cells."""
        asked: list[Json] = [[area.start, area.count, list(area.columns)] for area in areas]
        answer = await self._ask("summary", dataset_id, view, areas=asked)
        return CellSummary(*cast("tuple[Any, Any, Any, Any, Any]", answer.table.rows[0]))

    async def _ask(self, what: str, dataset_id: str, view: RowView, **more: Json) -> Answer:
        # Numbers, dates and booleans are searched as they are displayed now.
        spoken: Json = language()
        request = {"what": what, "view": to_json(view), "language": spoken, **more}
        return await self._queries.browse(self._source(dataset_id), request)
