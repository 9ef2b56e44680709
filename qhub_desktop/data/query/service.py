"""Where questions are handed in: one query process, asked in turn, replaced when it is killed."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from qhub_desktop.core.codec import unpack
from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.errors import QHubError, ToolError, UserError
from qhub_desktop.core.json_values import Json
from qhub_desktop.core.processes.child import Child, ChildBugError, ChildGoneError
from qhub_desktop.core.processes.thread import Worker, in_background
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data import wire

# Above the database's own limit of 1 GB, which is not a hard one: the worker dies, not the station.
MEMORY_MB = 2_048

Output = TypeVar("Output")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """The first rows of a result. `row_count` is the true count, `table` holds at most `limit`.

    Where the SQL reads one table and nothing else, `read` is its name, and `rows_used` says how
    many of its rows took part.
    """

    table: Table
    row_count: int
    read: str | None = None
    rows_used: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """Rows that live in memory, here and in the query process."""

    version: int
    table: Table


class QueryService:
    """The way to the query process, which it owns until closed.

    The process is started, spoken to and buried by one thread; the event loop only ever kills it.
    """

    def __init__(self, *, query_s: float) -> None:
        self._query_s = query_s
        self._worker = Worker("queries")
        self._turn = asyncio.Lock()
        self._child: Child | None = None
        self._held: dict[str, Held] = {}
        self._is_closed = False

    def warm(self) -> None:
        """Start the process on a thread of its own."""
        in_background(self._warm, "warming queries")

    async def query(self, sql: str, tables: Mapping[str, Path | str], *, limit: int) -> Answer:
        """Run one SELECT over tables that are a database's path, or the id of held rows."""
        return await self._answered(
            lambda: {
                "do": "query",
                "sql": sql,
                "limit": limit,
                "tables": [self._place(name, where) for name, where in tables.items()],
            }
        )

    async def browse(self, where: Path | str, request: dict[str, Json]) -> Answer:
        """Look at one table, as `browsing` answers it. Raises UserError."""
        try:
            return await self._answered(
                lambda: {"do": "browse", "place": self._place("rows", where), "request": request}
            )
        except ToolError as error:
            raise UserError(
                _("The rows can not be shown so. {reason}").format(reason=error)
            ) from error

    async def hold(self, id_: str, table: Table) -> tuple[tuple[ColumnProfile, ...], Table]:
        """Keep these rows under an id; gives their profile and the first of them."""
        async with self._turn:
            before = self._held.get(id_)
            held = Held(before.version + 1 if before else 1, table)
            self._held[id_] = held
            await self._undisturbed(self._ready)
            reply = await self._undisturbed(lambda: self._hand_over(id_, held))
        columns = unpack(cast("Any", tuple[ColumnProfile, ...]), reply["columns"])
        return columns, unpack(Table, reply["preview"])

    def is_held(self, id_: str) -> bool:
        """Whether there are rows under this id."""
        return id_ in self._held

    def close(self) -> None:
        """End the process, and whatever it is doing."""
        self._is_closed = True
        self._kill()
        self._worker.run_now(self._bury)
        self._worker.close()

    async def _answered(self, ask: Callable[[], dict[str, Json]]) -> Answer:
        """What the process says to a message, in its turn and in time."""
        async with self._turn:
            await self._undisturbed(self._ready)
            try:
                async with asyncio.timeout(self._query_s):
                    return await self._undisturbed(lambda: self._ask(ask()))
            except TimeoutError as error:
                raise ToolError(
                    _(
                        "The query was stopped after {seconds} s, which is all it is allowed."
                        " Ask for less: filter the rows, group them, or join fewer."
                    ).format(seconds=number(self._query_s))
                ) from error

    async def _undisturbed(self, work: Callable[[], Output]) -> Output:
        """Do `work` on the thread. Who stops waiting kills the process, so that the thread ends."""
        doing = asyncio.ensure_future(self._worker.run(work))
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            self._kill()
            with contextlib.suppress(ChildGoneError, QHubError):
                await doing
            raise

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    # From here on: only on the worker's thread.

    def _warm(self) -> None:
        # A desk that was closed meanwhile refuses the work, and needs no process.
        with contextlib.suppress(RuntimeError, UserError):
            self._worker.run_now(self._ready)

    def _ready(self) -> None:
        if self._is_closed:
            raise UserError(_("The data sets are closed. Start the program again."))
        if self._child is not None and self._child.is_alive:
            return
        self._bury()
        try:
            self._child = Child("query", memory_mb=MEMORY_MB)
            self._child.receive()
            for id_, held in self._held.items():
                self._hand_over(id_, held)
        except ChildGoneError as error:
            self._bury()
            raise UserError(
                _(
                    "The process that answers queries could not be started. Close other programs"
                    " to free memory, and try again."
                )
            ) from error

    def _bury(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None

    def _hand_over(self, id_: str, held: Held) -> dict[str, Json]:
        assert self._child is not None
        table = held.table
        parts = list(wire.parts(table.rows, len(table.columns)))
        self._child.send(
            {
                "do": "hold",
                "id": id_,
                "version": held.version,
                "columns": [[column.name, column.type] for column in table.columns],
                "parts": len(parts),
            }
        )
        for part in parts:
            self._child.send(cast("Json", part))
        reply = self._child.receive()
        if not isinstance(reply, dict):
            raise ChildGoneError("another answer was expected")
        return reply

    def _ask(self, message: dict[str, Json]) -> Answer:
        assert self._child is not None
        try:
            self._child.send(message)
            return self._collected()
        except ChildBugError as error:
            self._bury()
            _log.exception("A query met a bug")
            raise ToolError(
                _("The database failed on this query. Write it in another, simpler way.")
            ) from error
        except ChildGoneError as error:
            self._bury()
            raise ToolError(
                _(
                    "The query needed more memory than it is allowed and was stopped."
                    " Ask for less: filter the rows, group them, or join fewer."
                )
            ) from error

    def _place(self, name: str, where: Path | str) -> dict[str, Json]:
        if isinstance(where, Path):
            return {"name": name, "path": str(where), "held": "", "version": 0}
        return {"name": name, "path": "", "held": where, "version": self._held[where].version}

    def _collected(self) -> Answer:
        """The answer, part after part. It comes from a process that is not trusted."""
        assert self._child is not None
        parts: list[list[Json]] = []
        while True:
            match self._child.receive():
                case {"part": list(columns)}:
                    parts.append(columns)
                case {"error": str(words)}:
                    raise ToolError(words)
                case {
                    "row_count": int(row_count),
                    "columns": list(columns),
                    "table": str() | None as read,
                    "rows_used": int() | None as rows_used,
                }:
                    return Answer(_table(columns, parts), row_count, read, rows_used)
                case _:
                    raise ChildGoneError("another answer was expected")


def _table(columns: list[Json], parts: list[list[Json]]) -> Table:
    named: list[Column] = []
    codes: list[wire.Code] = []
    for column in columns:
        match column:
            case [str(name), type_, code] if type_ in get_args(ColumnType) and code in wire.CODES:
                named.append(Column(name, cast("ColumnType", type_)))
                codes.append(code)
            case _:
                raise ChildGoneError("a column was expected")
    rows: list[tuple[Cell, ...]] = []
    try:
        for part in parts:
            rows.extend(wire.rows_of(part, codes))
    except (TypeError, ValueError) as error:
        raise ChildGoneError("rows were expected") from error
    return Table(tuple(named), tuple(rows))
