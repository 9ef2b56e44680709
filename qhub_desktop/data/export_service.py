"""Exports of tables and whole data sets to files, off the window's thread."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from qhub_desktop.core.codec import JsonObject, plain
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import scratch_folder, sweep_scratch
from qhub_desktop.core.processes.child import Child
from qhub_desktop.core.processes.supervisor import ChildRunner, OnProgress, Progress
from qhub_desktop.core.processes.threads import Worker, in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.export.dfq import write_dfq
from qhub_desktop.data.export.output import Exported, OutputSheet, atomic_write
from qhub_desktop.data.export.text_tables import to_csv
from qhub_desktop.data.query.view_spec import RowView, to_json

SUFFIXES = (".xlsx", ".csv", ".dfq")

Kind = Literal["xlsx", "csv", "dfq"]


def kind_of(target: Path) -> Kind:
    """Return the kind of file by its suffix. Raises UserError if there is no such kind."""
    match target.suffix.lower():
        case ".xlsx":
            return "xlsx"
        case ".csv":
            return "csv"
        case ".dfq":
            return "dfq"
        case _:
            raise UserError(
                _("{name} cannot be written. Choose a name that ends in .xlsx or .csv.").format(
                    name=target.name
                )
            )


Facts = Sequence[tuple[str, str]]  # that the file says of its data: limits and so on
OnExported = Callable[[Path, int], Awaitable[None]]  # the file, and the rows in it


class ExportService:
    """Writes files; owns the processes that do it until closed.

    `on_exported` is told of each file, once it is whole.
    """

    def __init__(self, *, on_exported: OnExported | None = None) -> None:
        self._on_exported = on_exported
        self._children = ChildRunner(lambda: Child("export", priority="low"))

    async def export_rows(
        self,
        rows: Path,
        target: Path,
        *,
        name: str,
        table: str,
        sql: str | None = None,
        view: RowView | None = None,
        facts: Facts = (),
        on_progress: OnProgress = lambda _progress: None,
    ) -> Exported:
        """Write the rows of a data set's database to a file, in a child process.

        With `sql`, write the result of a SELECT over `table`; with `view`, the rows of that view.
        Cancelling kills the process and leaves nothing behind. Raises UserError if the file cannot
        be written, and ToolError if the SQL is wrong or not allowed.
        """
        kind = kind_of(target)
        on_progress(Progress(_("Writing {name}").format(name=target.name), 0.0))

        def files(stack: ExitStack) -> JsonObject:
            sweep_scratch()
            draft = stack.enter_context(atomic_write(target))
            return {
                "draft": str(draft),
                "scratch": str(stack.enter_context(scratch_folder())),
            }

        failure = _(
            "{name} could not be written: the process that writes it ended without a reason. Try"
            " again, or save it as CSV."
        ).format(name=target.name)
        out_of_memory = _(
            "{name} could not be written: it needs more memory than there is."
            " Close other programs, or save it as CSV."
        ).format(name=target.name)
        request: JsonObject = {"rows": str(rows), "table": table, "sql": sql, "kind": kind}
        request |= {"view": None if view is None else to_json(view)}
        request |= {"target": str(target), "sheet": name, "title": name, "facts": plain(facts)}
        match await self._children.run(
            request,
            failure=failure,
            out_of_memory=out_of_memory,
            files=files,
            on_progress=on_progress,
        ):
            case {"rows": int(written), "notes": list(notes)}:
                await self._tell(target, written)
                return Exported(written, tuple(map(str, notes)))
            case _:
                raise UserError(failure)

    async def export_sheets(
        self, sheets: Sequence[OutputSheet], target: Path, *, title: str = ""
    ) -> Exported:
        """Write tables in memory with their charts; only the first but to a workbook.

        Raises UserError.
        """
        kind = kind_of(target)
        worker = Worker("export")
        try:
            if kind != "xlsx":
                save = _save_csv if kind == "csv" else _save_dfq
                exported = await worker.run(save, sheets[0], target)
            else:
                exported = await worker.run(_save_book, sheets, target, title)
        finally:
            worker.abandon()  # a file that is half written is written to its end
        await self._tell(target, exported.rows)
        return exported

    async def _tell(self, target: Path, rows: int) -> None:
        if self._on_exported is not None:
            await self._on_exported(target, rows)

    def warm(self) -> None:
        """Sweep what killed exports have left, without blocking."""
        in_background(sweep_scratch, "sweeping exports")

    def close(self) -> None:
        """End every process."""
        self._children.close()


def _save_csv(sheet: OutputSheet, target: Path) -> Exported:
    with atomic_write(target) as draft:
        draft.write_bytes(to_csv(sheet.table))
    return Exported(len(sheet.table.rows))


def _save_dfq(sheet: OutputSheet, target: Path) -> Exported:
    with atomic_write(target) as draft:
        return write_dfq(draft, sheet.table.columns, [sheet.table.rows], title=sheet.name)


def _save_book(sheets: Sequence[OutputSheet], target: Path, title: str) -> Exported:
    from qhub_desktop.data.export.xlsx import write_book  # 60 ms: not before a workbook is written

    return write_book(sheets, target, title=title)
