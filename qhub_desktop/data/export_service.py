"""Tables and whole data sets on their way into files, off the window's thread."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from qhub_desktop.core.errors import QHubError, ToolError, UserError
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.processes.child import Child, ChildGoneError
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.export.target import draft_of
from qhub_desktop.data.export.text_tables import to_csv
from qhub_desktop.data.export.workbook_spec import Exported, Sheet
from qhub_desktop.data.ingest.process import Progress
from qhub_desktop.data.query.view_spec import RowView, packed

MEMORY_MB = 2_048
SUFFIXES = (".xlsx", ".csv")

Kind = Literal["xlsx", "csv"]
OnProgress = Callable[[Progress], None]


def kind_of(target: Path) -> Kind:
    """What a file is to be, by its suffix. Raises UserError for another one."""
    match target.suffix.lower():
        case ".xlsx":
            return "xlsx"
        case ".csv":
            return "csv"
        case _:
            raise UserError(
                _("{name} can not be written. Choose a name that ends in .xlsx or .csv.").format(
                    name=target.name
                )
            )


class Exports:
    """The writing of files. Owns the processes that do it until closed."""

    def __init__(self) -> None:
        self._running: set[_Export] = set()

    async def rows(
        self,
        rows: Path,
        target: Path,
        *,
        name: str,
        table: str,
        sql: str | None = None,
        view: RowView | None = None,
        on_progress: OnProgress | None = None,
    ) -> Exported:
        """Write a data set's database, by a process.

        With `sql` it is what a SELECT over `table` gives, and with `view` what that shows.

        Cancelling kills the process and leaves nothing behind. Raises UserError where it can not
        be written, and ToolError for SQL that is wrong or not allowed.
        """
        loop = asyncio.get_running_loop()
        listen = on_progress or _unheard
        kind = kind_of(target)
        listen(Progress(_("Writing {name}").format(name=target.name), 0.0))
        export = _Export(lambda progress: _tell(loop, listen, progress))
        request: JsonObject = {"rows": str(rows), "table": table, "sql": sql, "kind": kind}
        request |= {"view": None if view is None else packed(view)}
        request |= {"target": str(target), "sheet": name, "title": name}
        worker = Worker("export")
        self._running.add(export)
        try:
            doing = asyncio.ensure_future(worker.run(export.run, request, target))
            try:
                return await asyncio.shield(doing)
            except asyncio.CancelledError:
                export.stop()
                with contextlib.suppress(QHubError):
                    await doing
                raise
        finally:
            self._running.discard(export)
            worker.close()

    async def sheets(self, sheets: Sequence[Sheet], target: Path, *, title: str = "") -> Exported:
        """Write tables that are in memory, with their charts; to CSV, the first of them alone."""
        kind = kind_of(target)
        worker = Worker("export")
        try:
            if kind == "csv":
                return await worker.run(_save_csv, sheets[0], target)
            return await worker.run(_save_book, sheets, target, title)
        finally:
            worker.close()

    def close(self) -> None:
        """End every process."""
        for export in self._running:
            export.stop()


def _save_csv(sheet: Sheet, target: Path) -> Exported:
    with draft_of(target) as draft:
        draft.write_bytes(to_csv(sheet.table))
    return Exported(len(sheet.table.rows))


def _save_book(sheets: Sequence[Sheet], target: Path, title: str) -> Exported:
    from qhub_desktop.data.export.xlsx import write_book  # 60 ms: not before there is one

    return write_book(sheets, target, title=title)


class _Export:
    """The writing of one data set. `run` blocks a thread; any other may `stop` it."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._child: Child | None = None
        self._is_stopped = False

    def run(self, request: JsonObject, target: Path) -> Exported:
        # The child is dead and its files are closed before they are cleared away.
        with draft_of(target) as draft, TemporaryDirectory(prefix="qhub-") as scratch:
            try:
                self._child = Child("export", memory_mb=MEMORY_MB, priority="low")
            except ChildGoneError as error:
                raise _stopped(target) from error
            # Whichever of `run` and `stop` comes second sees what the first has done.
            if self._is_stopped:
                self._child.kill()
            try:
                self._child.send({**request, "draft": str(draft), "scratch": scratch})
                return self._follow(self._child)
            except ChildGoneError as error:
                raise _stopped(target) from error
            finally:
                self._child.close()

    def stop(self) -> None:
        self._is_stopped = True
        if self._child is not None:
            self._child.kill()

    def _follow(self, child: Child) -> Exported:
        while True:
            match child.receive():
                case {"progress": str(text), "share": int() | float() | None as share}:
                    self._on_progress(Progress(text, share))
                case {"error": str(sentence), "for": "model"}:
                    raise ToolError(sentence)
                case {"error": str(sentence), "for": "person"}:
                    raise UserError(sentence)
                case {"done": int(rows), "notes": list(notes)}:
                    return Exported(rows, tuple(map(str, notes)))
                case _:
                    raise ChildGoneError("another answer was expected")


def _unheard(_progress: Progress) -> None:
    """Nobody asked how far it is."""


def _tell(loop: asyncio.AbstractEventLoop, listen: OnProgress, progress: Progress) -> None:
    # A program that is closing has closed its loop before the last words of a child.
    if not loop.is_closed():
        loop.call_soon_threadsafe(listen, progress)


def _stopped(target: Path) -> UserError:
    return UserError(
        _(
            "{name} could not be written: it needs more memory than there is."
            " Close other programs, or save it as CSV."
        ).format(name=target.name)
    )
