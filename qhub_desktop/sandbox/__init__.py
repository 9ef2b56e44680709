"""Sandbox for Python that a model has written: the asynchronous interface to it.

Code runs in `sandbox/engine.py`, in a process of its own (`sandbox/sandbox_worker.py`), over data
that were handed to it as files. Nothing that comes back is trusted: it is JSON, read strictly here,
and becomes tables of plain values.
"""

from __future__ import annotations  # the window starts without what makes the engine

import asyncio
import contextlib
import logging
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from math import isfinite
from pathlib import Path
from typing import Any, Literal, cast, get_args

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.packs import SAFE_PYTHON, add_pack
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.child import PAUSES, Child, ChildBugError, ChildGoneError
from qhub_desktop.core.processes.supervisor import (
    ChildNotStartedError,
    ChildRunner,
    ChildServer,
    OnProgress,
)
from qhub_desktop.core.processes.threads import Output, Worker
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass

RUN_S = 30.0
DATA_MB = 512  # of the code's own
KILLED_AFTER_S = 5.0  # more: the engine stops a run by itself
GONE_BEFORE_S = 0.5
IDLE_S = 600.0  # then the process ends; the next run starts one in less than a second
OUTPUT_CHARACTERS = 5_000
ERROR_CHARACTERS = 2_000
TEXT_CHARACTERS = 500
COLUMNS = 101  # the index is one
PARTS = 22
ROWS = 20_000
TYPES: tuple[str, ...] = get_args(ColumnType)
INTEGERS = range(-(2**63), 2**63)

Limit = Literal["time", "memory", "output"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PythonData:
    """Data set as the code finds it: under `name`, its columns in `file`, as described.

    One that is not `is_named` in the code is made a DataFrame only if it is asked for by its name
    as text.
    """

    name: str
    title: str
    file: Path
    columns: JsonObject
    is_named: bool = True


@dataclass(frozen=True, slots=True)
class PythonTable:
    """DataFrame or Series that the code has shown: its first rows, and how many there were."""

    title: str
    table: Table
    row_count: int


@dataclass(frozen=True, slots=True)
class PythonFigure:
    """Chart that the code has asked for."""

    kind: str
    title: str
    table: Table
    x: str | None
    y: tuple[str, ...]
    by: str | None


@dataclass(frozen=True, slots=True)
class PythonRun:
    """Outcome of a run: text, of the last line too, tables and figures, or an error.

    `limit` names the limit that was met, if any; `output` was cut there only where it is that of
    output.
    """

    output: str
    error: str | None = None
    tables: tuple[PythonTable, ...] = ()
    figures: tuple[PythonFigure, ...] = ()
    ms: int = 0
    limit: Limit | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the code ran to its end."""
        return self.error is None


class PythonService:
    """Runs code, one piece at a time. Owns its process and what is handed over until closed."""

    def __init__(self, *, chart_kinds: Sequence[str] = ()) -> None:
        """Start nothing yet."""
        self._kinds = [*chart_kinds]
        self._server = ChildServer(
            lambda: Child("python", memory_mb=None, priority="low"), greet=self._greet
        )
        self._preparing = ChildRunner(
            lambda: Child("prepare-python", memory_mb=None, priority="low")
        )
        self._prepared = asyncio.Lock()
        self._is_prepared = self._is_unprepared = self._is_closed = False
        self._files = Worker("python files")
        self._kept = contextlib.ExitStack()
        self._scratch: Path | None = None
        self._missing: str | None = None
        self._resting: asyncio.TimerHandle | None = None
        self.walls: tuple[str, ...] = ()
        self.missing_walls: tuple[str, ...] = ()

    async def prepare(self, on_progress: OnProgress = lambda _progress: None) -> None:
        """Make the engine where it is made on the computer that uses it, once. Raises UserError,
        also where the packaged program has no pack.
        """
        async with self._prepared:
            if self._is_prepared:
                return
            if (why := await self.missing()) is not None:
                raise UserError(why)
            # The process says whether it is there: to look, it loads a library of 30 MB.
            await self._ask(lambda _child: None)
            if self._is_unprepared:
                await self._preparing.run(
                    {},
                    failure=_(
                        "The safe Python could not be made: the process that makes it ended without"
                        " a reason. Try again."
                    ),
                    out_of_memory=_(
                        "The safe Python could not be made: there was too little memory."
                    ),
                    on_progress=on_progress,
                )
                await self._server.rest()
            self._is_prepared = True

    async def missing(self) -> str | None:
        """Return a sentence where the packaged program lacks its pack."""
        return await self._files.run(SAFE_PYTHON.missing)

    async def add_pack(self, archive: Path, on_progress: OnProgress) -> None:
        """Take the pack of the packaged program out of its archive. Raises UserError."""
        async with self._prepared:
            await self._server.rest()  # Windows replaces no file that a process has mapped
            self._is_prepared = False
            await add_pack(SAFE_PYTHON, archive, on_progress)

    @contextlib.asynccontextmanager
    async def handing_over(self) -> Any:
        """Yield a folder for the files of one run; they are deleted when it ends."""
        folder = await self._files.run(self._make_folder)
        try:
            yield folder
        finally:
            await self._files.run(shutil.rmtree, folder, ignore_errors=True)

    async def run(
        self, code: str, data: Sequence[PythonData] = (), *, limit_s: float = RUN_S
    ) -> PythonRun:
        """Run code over data. Cancelling kills it at once.

        Raises UserError where there is no engine, it is not what was made, or no process can be
        started.
        """
        if self._resting is not None:
            self._resting.cancel()
        request: JsonObject = {
            "codigo": code,
            "saida": OUTPUT_CHARACTERS,
            "graficos": [*self._kinds],
            "usados": [each.name for each in data if each.is_named],
            "conjuntos": [{"name": each.name, "file": each.title, **each.columns} for each in data],
        }
        inputs: JsonObject = {f"conjuntos/{at}": str(each.file) for at, each in enumerate(data)}

        def talk(child: Child) -> PythonRun:
            if self._missing is not None:
                raise UserError(self._missing)
            child.send({"request": request, "inputs": inputs, "limit_s": limit_s})
            return _receive(child, limit_s)

        loop = asyncio.get_running_loop()
        try:
            began = loop.time()
            try:
                return await self._ask(talk, limit_s=limit_s + KILLED_AFTER_S)
            except ChildGoneError:
                # It may have been killed before it was asked: a process gives its memory back
                # first, and nobody can know of its end until then.
                if loop.time() - began > GONE_BEFORE_S:
                    raise
                return await self._ask(talk, limit_s=limit_s + KILLED_AFTER_S)
        except TimeoutError:
            return _timed_out("", round(1_000 * limit_s), limit_s)
        except (ChildGoneError, ChildBugError) as error:
            _log.warning("The process of the safe Python ended: %s", error)
            return PythonRun("", _("The safe Python was ended from outside. Run the code again."))
        finally:
            self._resting = loop.call_later(IDLE_S, lambda: loop.create_task(self._rest()))

    async def _ask(
        self, talk: Callable[[Child], Output], *, limit_s: float | None = None
    ) -> Output:
        try:
            return await self._server.ask(talk, limit_s=limit_s)
        except ChildNotStartedError as error:
            raise UserError(
                _(
                    "The process of the safe Python could not be started. Close other programs"
                    " to free memory, and try again."
                )
            ) from error

    def close(self) -> None:
        """End the process and what runs in it; delete what was handed over."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._resting is not None:
            self._resting.cancel()
        self._preparing.close()
        self._server.close()
        self._files.run_now(self._kept.close)
        self._files.close()

    async def _rest(self) -> None:
        await self._server.rest()

    def _greet(self, child: Child) -> None:
        # It finds no environment that would tell it where the pack is.
        place = SAFE_PYTHON.found()
        child.send(
            {
                "scratch": str(self._ready_scratch()),
                "pack": None if place is None else str(place),
                PAUSES: True,
            }
        )
        match child.receive():
            case {"ready": True, "walls": list(walls), "missing": dict(missing)}:
                self.walls = tuple(str(each) for each in walls)
                self.missing_walls = tuple(missing)
                for wall, why in missing.items():
                    _log.info("Around the safe Python, no wall %r: %s", wall, why)
                self._missing, self._is_unprepared = None, False
            case {"missing": str(reason), "unprepared": bool(is_unprepared)}:
                self._missing, self._is_unprepared = reason, is_unprepared
            case _:
                raise ChildGoneError("another answer was expected")

    # On a thread.

    def _ready_scratch(self) -> Path:
        if self._scratch is None:
            self._scratch = self._kept.enter_context(scratch_folder())
        return self._scratch

    def _make_folder(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self._ready_scratch()))


def _receive(child: Child, limit_s: float) -> PythonRun:
    """Receive a result, and check all of it. Raises ChildGoneError for a malformed one."""
    try:
        match child.receive():
            case {
                "ending": str(ending),
                "output": str(output),
                "ms": int(ms),
                "parts": int(parts),
                "value": str() | None as value,
                "error": str() | None as error,
                "kind": str() | None as kind,
            } if parts <= PARTS:
                received = [child.receive() for _part in range(parts)]
            case _:
                raise ChildGoneError("another answer was expected")
        tables = tuple(_table(part) for part in _each(received, "tabelas"))
        figures = tuple(_figure(part) for part in _each(received, "figuras"))
    except (ValueError, TypeError, OverflowError) as error:
        raise ChildGoneError("a result that is none") from error
    text, is_cut = _cut(_clean(output) + (_clean(value) if value else ""))
    limit: Limit | None = "output" if is_cut else None
    match ending:
        case "done" if error is None:
            return PythonRun(text, None, tables, figures, ms, limit)
        case "done":
            said = _clean(error or "")[:ERROR_CHARACTERS]
            if kind == "MemoryError":
                return PythonRun(text, _memory_sentence(said), tables, figures, ms, "memory")
            return PythonRun(text, said, tables, figures, ms, limit)
        case "time":
            return _timed_out(text, ms, limit_s)
        case "exit":
            return PythonRun(text, _("The code ended the interpreter itself."), ms=ms, limit=limit)
        case _:
            return PythonRun(text, _("The code made the interpreter crash."), ms=ms, limit=limit)


def _each(parts: Sequence[Json], name: str) -> Iterator[JsonObject]:
    for part in parts:
        if isinstance(part, dict) and isinstance(found := part.get(name), dict):
            yield found


def _timed_out(output: str, ms: int, limit_s: float) -> PythonRun:
    return PythonRun(
        output,
        _("The code was stopped after {seconds} s, which is all it is allowed.").format(
            seconds=f"{limit_s:g}"
        ),
        ms=ms,
        limit="time",
    )


def _memory_sentence(said: str) -> str:
    sentence = _("The code needed more than the {memory} MB of memory that it is allowed.").format(
        memory=DATA_MB
    )
    return f"{sentence}\n{said}"[:ERROR_CHARACTERS]


def _cut(text: str) -> tuple[str, bool]:
    if len(text) <= OUTPUT_CHARACTERS:
        return text, False
    said = _("The output was cut here: {count} characters are the most.").format(
        count=OUTPUT_CHARACTERS
    )
    return f"{text[:OUTPUT_CHARACTERS]}\n[{said}]", True


# What the screen and a log could take for something else than text.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def _clean(words: str) -> str:
    return sanitize(_CONTROLS.sub("\ufffd", words))


def _figure(found: JsonObject) -> PythonFigure:
    match found:
        case {
            "tipo": str(kind),
            "titulo": str(title),
            "x": str() | None as x,
            "y": list(y),
            "por": str() | None as by,
        } if all(isinstance(each, str) for each in y):
            table, _total = _rows(found)
            return PythonFigure(kind, _title(title), table, x, tuple(map(str, y)), by)
        case _:
            raise ValueError("no figure")


def _table(found: JsonObject) -> PythonTable:
    match found:
        case {"titulo": str(title)}:
            table, total = _rows(found)
            return PythonTable(_title(title), table, total)
        case _:
            raise ValueError("no table")


def _title(words: str) -> str:
    return " ".join(_clean(words).split())[:200]


def _rows(found: JsonObject) -> tuple[Table, int]:
    match found:
        case {"colunas": list(named), "linhas": list(rows), "total": int(total)} if (
            len(named) <= COLUMNS and len(rows) <= ROWS and len(rows) <= total
        ):
            columns = tuple(_column(each) for each in named)
        case _:
            raise ValueError("no rows")
    if len({each.name for each in columns}) != len(columns):
        raise ValueError("columns of one name")
    return Table(columns, tuple(_row(each, columns) for each in rows)), total


def _column(found: Json) -> Column:
    match found:
        case [str(name), str(type_)] if type_ in TYPES and 0 < len(name) <= 210:
            return Column(_clean(name), cast("ColumnType", type_))
        case _:
            raise ValueError("no column")


def _row(found: Json, columns: Sequence[Column]) -> tuple[Cell, ...]:
    if not isinstance(found, list):
        raise TypeError("no row")
    return tuple(
        READERS[column.type](cell) if cell is not None else None
        for cell, column in zip(found, columns, strict=True)
    )


def _integer(cell: Json) -> int:
    if type(cell) is not int or cell not in INTEGERS:
        raise ValueError("no integer")
    return cell


def _number(cell: Json) -> float:
    if type(cell) not in (int, float) or not isfinite(found := float(cast("float", cell))):
        raise ValueError("no number")
    return found


def _boolean(cell: Json) -> bool:
    if type(cell) is not bool:
        raise ValueError("neither true nor false")
    return cell


def _words(cell: Json) -> str:
    if not isinstance(cell, str) or len(cell) > TEXT_CHARACTERS:
        raise ValueError("no text")
    return _clean(cell)


def _moment(kind: type[date | datetime | time]) -> Callable[[Json], Cell]:
    def read(cell: Json) -> Cell:
        return kind.fromisoformat(_words(cell))

    return read


READERS: dict[ColumnType, Callable[[Json], Cell]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "text": _words,
    "category": _words,
    "date": _moment(date),
    "datetime": _moment(datetime),
    "time": _moment(time),
}
