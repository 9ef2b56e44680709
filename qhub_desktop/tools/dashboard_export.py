"""Dashboards as pages, and as files: HTML, workbook, PDF and PNG.

A page is an HTML document: the body that a model wrote, the pinned cards, and below them every
query with the time of its data. The window shows it, and all exports but the workbook contain it.
"""

from __future__ import annotations  # the public class comes first

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Literal

from qhub_desktop.charts import html_document
from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.dashboard import (
    CardNow,
    DashboardSpec,
    NamedQuery,
    PageBlock,
    QueryRows,
    RenderedDashboard,
    order_of,
)
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import Chart, Kpi, TableView
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import field_words, moment, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, visible
from qhub_desktop.data.export.output import (
    OutputSheet,
    atomic_write,
    check_writable,
    os_errors_as_user_errors,
    sheet_of,
)
from qhub_desktop.data.export_service import OnExported
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.tools.conversation_document import LONGEST_TITLE
from qhub_desktop.tools.dashboard_refresh import DashboardQueries
from qhub_desktop.tools.page_blocks import blocks_of, in_order, titles_of
from qhub_desktop.tools.page_printer import Printer
from qhub_desktop.tools.widget_pages import (
    PageDocument,
    figure_scripts,
    html_text,
    widget_html,
)

Kind = Literal["html", "pdf", "png", "xlsx"]


KINDS: dict[str, Kind] = {".html": "html", ".pdf": "pdf", ".png": "png", ".xlsx": "xlsx"}


MOST_BARS = 60  # more would be unreadable


class DashboardFiles:
    """Writer of dashboards to files. Owns the thread that writes until closed."""

    def __init__(
        self,
        data: DashboardQueries,
        workspace: Workspace,
        printer: Printer,
        *,
        on_exported: OnExported | None = None,
    ) -> None:
        self._on_exported = on_exported
        self._data = data
        self._workspace = workspace
        self._printer = printer
        self._worker = Worker("dashboard files")

    def close(self) -> None:
        """Shut down the thread."""
        self._worker.close()

    async def page(self, filled: RenderedDashboard) -> PageDocument:
        """Render a dashboard as a page for the window."""
        return await self._worker.run(document_of, filled)

    async def page_for_wall(self, filled: RenderedDashboard, each_s: int) -> PageDocument:
        """Render a dashboard as a page that fills a screen, and is there for so many seconds."""
        page = await self.page(filled)
        fitted = (
            f"<style>{html_document.shipped('wall.css')}</style>"
            f'<script data-seconds="{each_s}">{html_document.shipped("wall.js")}</script>'
        )
        return replace(page, document=page.document + fitted)

    async def blocks(self, contents: DashboardSpec) -> tuple[PageBlock, ...]:
        """Return the blocks of a dashboard's own page, in the order in which they are shown."""
        found = await self._worker.run(blocks_of, contents.body)
        return tuple(found[at] for at in order_of(contents.order, len(found)))

    async def export(self, id_: str, target: Path) -> RenderedDashboard:
        """Write a dashboard with its stored rows, in the format of the target's suffix.

        An existing file is replaced only by a complete one. Raises UserError if the suffix is
        unknown or the file cannot be written.
        """
        kind = kind_of(target)
        check_writable(target)
        filled = await self._data.filled(id_)
        match kind:
            case "html":
                await self._worker.run(_write_page, filled, target)
            case "xlsx":
                await self._save_book(filled, target)
            case "pdf" | "png":
                await self._print(filled, target)
        if self._on_exported is not None and kind != "xlsx":  # which the workspace tells
            await self._on_exported(target, sum(len(each.table.rows) for each in filled.rows))
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
        await self._workspace.exports.export_sheets(sheets, target, title=filled.contents.title)

    async def _print(self, filled: RenderedDashboard, target: Path) -> None:
        page = await self._worker.run(document_of, filled)
        with os_errors_as_user_errors(target), scratch_folder() as folder:
            made = folder / f"made{target.suffix.lower()}"
            await self._printer(page, made)
            await self._worker.run(_put, made, target)


def kind_of(target: Path) -> Kind:
    """Return the kind of a file by its suffix.

    Raises UserError if the suffix is unknown.
    """
    kind = KINDS.get(target.suffix.lower())
    if kind is None:
        raise UserError(
            _("{name} cannot be written. Choose a name that ends in {suffixes}.").format(
                name=target.name, suffixes=", ".join(KINDS)
            )
        )
    return kind


def sheets_of(filled: RenderedDashboard) -> list[OutputSheet]:
    """Make a sheet for each query, with the chart of its card or one that suits its columns."""
    cards = {each.card.query: each for each in filled.cards if each.card.query}
    sheets = []
    for rows in filled.rows:
        now = cards.pop(rows.name, None)
        if now is not None and now.widget is not None:
            sheets.append(sheet_of(now.widget, name=now.card.title))
        elif rows.table.columns:
            title = now.card.title if now else rows.name
            sheets.append(sheet_of(_suggested(title, rows), name=title))
    # Cards pinned with their values have no query.
    sheets += [
        sheet_of(each.widget, name=each.card.title)
        for each in filled.cards
        if not each.card.query and each.widget is not None
    ]
    return sheets


def _suggested(title: str, rows: QueryRows) -> Chart | TableView:
    """Return a chart if the first column holds names or dates for numbers in the others.

    Otherwise, return a table.
    """
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
        return as_table  # the sheet shows the numbers
    return Chart(kind, figure, table, rows.source)


def _write_page(filled: RenderedDashboard, target: Path) -> None:
    document = document_of(filled).self_contained()
    with atomic_write(target) as draft:
        draft.write_text(document, encoding="ascii", newline="\n")


def _put(made: Path, target: Path) -> None:
    with atomic_write(target) as draft:
        draft.write_bytes(made.read_bytes())


def document_of(filled: RenderedDashboard) -> PageDocument:
    """Render the page of a dashboard with its stored rows."""
    queries = {each.name: each for each in filled.contents.queries}
    own = {card.query for card in filled.contents.cards}
    named: dict[str, Json] = {
        rows.name: _named_rows(rows, queries[rows.name])
        for rows in filled.rows
        if rows.name in queries and rows.name not in own
    }
    style = f"<style>{html_document.shipped('figures.css')}</style>"
    title = visible(filled.contents.title)
    # An agent's body has its own heading; what was made by hand has none.
    body = (
        in_order(filled.contents.body, filled.contents.order)
        or f"<h1>{html_text(one_line(title, most=LONGEST_TITLE))}</h1>"
    )
    source = "\n".join([body, style, *_cards(filled), *_sources(filled, queries)])
    return PageDocument(title, html_document.build(source, title=title), named)


def _named_rows(rows: QueryRows, query: NamedQuery) -> JsonObject:
    """Return the rows as a script reads them from `qhub.data.<name>`."""
    found: dict[str, Json] = {
        "colunas": [*rows.table.names],
        "tipos": [column.type for column in rows.table.columns],
        "linhas": [[plain(each) for each in row] for row in rows.table.rows],
        "consulta": query.sql,
        "ate": rows.taken.isoformat(timespec="seconds"),
    }
    if rows.problem:
        found["erro"] = rows.problem
    return found


def _cards(filled: RenderedDashboard) -> Iterator[str]:
    if not filled.cards:
        return
    yield '<section class="qhub-cards">'
    for each in filled.cards:
        yield _card(each)
    yield "</section>"
    for each in filled.cards:
        if each.widget is not None:
            yield from figure_scripts(each.card.id, each.widget)
    yield f"<script>{html_document.shipped('figures.js')}</script>"


def _card(now: CardNow) -> str:
    card, widget = now.card, now.widget
    kind = "kpi-card" if isinstance(card.widget, Kpi) else "chart-container"
    style = f"grid-column: span {card.width}"
    words = [
        f'<article class="{kind} qhub-card" style="{style}" data-card="{escape(card.id)}">',
        f"<h3>{html_text(one_line(card.title, most=LONGEST_TITLE))}</h3>",
        widget_html(card.id, widget) if widget is not None else "",
    ]
    if now.problem:
        words.append(f'<p class="qhub-problem">{html_text(now.problem)}</p>')
    if now.rows is not None and now.rows.source is not None:
        words += [
            f'<p class="qhub-when">{html_text(each)}</p>'
            for each in (*now.rows.source.warnings, _when(now.rows.taken))
        ]
    if card.pinned is not None:
        pinned = _("as it was on {moment}").format(
            moment=moment(card.pinned.astimezone().replace(second=0))
        )
        words.append(f'<p class="qhub-when">{escape(pinned)}</p>')
    words.append("</article>")
    return "\n".join(words)


def _sources(filled: RenderedDashboard, queries: Mapping[str, NamedQuery]) -> Iterator[str]:
    """Yield each query with the time of its data."""
    if not filled.rows:
        return
    titles = titles_of(filled.contents.body)
    titles |= {card.query: card.title for card in filled.contents.cards}
    heading = _("Data")
    yield f'<footer class="qhub-sources"><h4>{escape(heading)}</h4>'
    for rows in filled.rows:
        query = queries.get(rows.name)
        if query is None:
            continue
        count = ngettext("{count} row", "{count} rows", rows.row_count)
        facts = [
            titles.get(rows.name) or field_words(rows.name),
            count.format(count=number(rows.row_count, digits=0)),
            rows.source.file if rows.source else "",
            _when(rows.taken),
            *(rows.source.warnings if rows.source else ()),
        ]
        problem = f'<p class="qhub-problem">{html_text(rows.problem)}</p>' if rows.problem else ""
        yield (
            f"<details><summary>{html_text(' · '.join(filter(None, facts)))}</summary>"
            f"{problem}<pre>{html_text(query.sql.strip())}</pre></details>"
        )
    yield "</footer>"


def _when(taken: datetime) -> str:
    return _("data of {moment}").format(moment=moment(taken.astimezone().replace(second=0)))
