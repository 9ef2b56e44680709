"""Export of dashboards: HTML, workbook, PDF and PNG."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Protocol

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.dashboard import QueryRows
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.json_values import JsonObject
from qhub_desktop.core.processes.child import Child
from qhub_desktop.core.processes.run import ChildRunner
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import Chart, TableView
from qhub_desktop.data.export.output import Sheet, atomic_write, os_errors_as_user_errors, sheet_of
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.tools.dashboard_page import Page, page_of
from qhub_desktop.tools.dashboard_queries import DashboardQueries, RenderedDashboard

Kind = Literal["html", "pdf", "png", "xlsx"]
KINDS: dict[str, Kind] = {".html": "html", ".pdf": "pdf", ".png": "png", ".xlsx": "xlsx"}
MOST_BARS = 60  # more of them nobody can read


class Printer(Protocol):
    """Turns a page that nobody trusts into a picture or a document for paper."""

    async def __call__(self, page: Page, target: Path) -> None:
        """Show `page` where it can harm nothing, and write it to `target`, by its suffix.

        Raises UserError where that can not be done.
        """
        ...


class DashboardFiles:
    """Writes dashboards to files. Owns the thread that does so until closed."""

    def __init__(self, data: DashboardQueries, workspace: Workspace, printer: Printer) -> None:
        self._data = data
        self._workspace = workspace
        self._printer = printer
        self._worker = Worker("dashboard files")

    def close(self) -> None:
        """Let go of the thread."""
        self._worker.close()

    async def page(self, filled: RenderedDashboard) -> Page:
        """A dashboard as a page for the window."""
        return await self._worker.run(page_of, filled)

    async def export(self, id_: str, target: Path) -> RenderedDashboard:
        """Write a dashboard with the rows at hand, by the target's suffix.

        What is at the target is replaced only by a whole file. Raises UserError.
        """
        kind = kind_of(target)
        filled = await self._data.filled(id_)
        match kind:
            case "html":
                await self._worker.run(_write_page, filled, target)
            case "xlsx":
                await self._save_book(filled, target)
            case "pdf" | "png":
                await self._print(filled, target)
        return filled

    async def _save_book(self, filled: RenderedDashboard, target: Path) -> None:
        sheets = await self._worker.run(sheets_of, filled)
        if not sheets:
            raise UserError(
                _(
                    "This dashboard has no queries, so there are no numbers for a workbook. Save it"
                    " as .html, .pdf or .png."
                )
            )
        await self._workspace.save_tables(sheets, target, title=filled.contents.title)

    async def _print(self, filled: RenderedDashboard, target: Path) -> None:
        with os_errors_as_user_errors(target):
            # Where it can not be written is found out before it is drawn.
            target.parent.stat()
        page = await self._worker.run(page_of, filled)
        with TemporaryDirectory(prefix="qhub-", ignore_cleanup_errors=True) as folder:
            made = Path(folder) / f"made{target.suffix.lower()}"
            await self._printer(page, made)
            await self._worker.run(_put, made, target)


def kind_of(target: Path) -> Kind:
    """What a file is to be, by its suffix. Raises UserError for another one."""
    kind = KINDS.get(target.suffix.lower())
    if kind is None:
        raise UserError(
            _("{name} can not be written. Choose a name that ends in {suffixes}.").format(
                name=target.name, suffixes=", ".join(KINDS)
            )
        )
    return kind


def sheets_of(filled: RenderedDashboard) -> list[Sheet]:
    """A sheet for each query, with the chart of its card, or the one that its columns suggest."""
    cards = {each.card.query: each for each in filled.cards if each.card.query}
    sheets = []
    for rows in filled.rows:
        now = cards.pop(rows.name, None)
        if now is not None and now.widget is not None:
            sheets.append(sheet_of(now.widget, name=now.card.title))
        elif rows.table.columns:
            title = now.card.title if now else rows.name
            sheets.append(sheet_of(_suggested(title, rows), name=title))
    # What was pinned with its values, and has no query.
    sheets += [
        sheet_of(each.widget, name=each.card.title)
        for each in filled.cards
        if not each.card.query and each.widget is not None
    ]
    return sheets


def _suggested(title: str, rows: QueryRows) -> Chart | TableView:
    """A chart where the first column names or dates what the others measure; else the table."""
    table = rows.table
    as_table = TableView(title, table, rows.row_count, rows.source)
    if len(table.rows) < 2 or len(table.columns) < 2:
        return as_table
    first, *others = table.columns
    is_time = first.type in ("date", "datetime")
    if is_numeric(first.type) or not all(is_numeric(each.type) for each in others):
        return as_table
    if not is_time and len(table.rows) > MOST_BARS:
        return as_table
    kind = "line" if is_time else "bar"
    try:
        figure = draw(kind, title, table, x=first.name, y=[each.name for each in others])
    except ToolError:
        return as_table  # the numbers are what matters here
    return Chart(kind, figure, table, rows.source)


def _write_page(filled: RenderedDashboard, target: Path) -> None:
    document = page_of(filled).self_contained()
    with atomic_write(target) as draft:
        draft.write_text(document, encoding="utf-8", errors="replace", newline="\n")


def _put(made: Path, target: Path) -> None:
    with atomic_write(target) as draft:
        draft.write_bytes(made.read_bytes())


PATIENCE_S = 60.0


class PagePrinter:
    """Starts the program once more for each page, so that no page can hold up this one."""

    def __init__(self) -> None:
        self._children = ChildRunner(
            lambda: Child("print", memory_mb=None, environment="whole"), limit_s=PATIENCE_S
        )

    async def __call__(self, page: Page, target: Path) -> None:
        """Write the page to `target`, by its suffix. Raises UserError where that fails."""
        failure = _(
            "The page could not be drawn: it does not come to an end, or needs more memory than"
            " there is. Save it as .html or .xlsx."
        )
        request: JsonObject = {
            "title": page.title,
            "document": page.document,
            "data": dict(page.data),
            "target": str(target),
        }
        if not await self._children.run(request, failure=failure):
            raise UserError(failure)
