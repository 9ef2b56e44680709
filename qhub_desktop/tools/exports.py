"""Export toolbox: queries and widgets of a conversation, as an Excel workbook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pydantic
from pydantic import Field

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import ToolError, data_folder_error
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.paths import data_folder, exports
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import Chart, TableView, Widget, undefined_warnings
from qhub_desktop.core.text import file_name, gettext_noop
from qhub_desktop.core.tool import SQL_MARK, ToolContext, ToolOutput, tool
from qhub_desktop.data.export.output import OutputSheet, sheet_of
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.tools.conversation_datasets import ConversationDatasets
from qhub_desktop.tools.render import CHART_ROWS, ChartName

if TYPE_CHECKING:
    from qhub_desktop.store.messages import MessageRepository

SHEET_ROWS = 100_000
MOST_SHEETS = 20
SHORT_TITLE = 60
MESSAGES_SEARCHED = 200


class Folha(pydantic.BaseModel):
    """Sheet: of a query, or of a widget that is shown already."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    nome: Annotated[str, Field(min_length=1, max_length=80)]
    consulta: Annotated[str | None, Field(json_schema_extra={SQL_MARK: "select"})] = None
    widget: Annotated[
        int | None,
        Field(
            ge=1,
            description="já mostrado: 1 é o último, 2 o anterior",
        ),
    ] = None
    # The kinds of charts are listed once, where they are drawn; a wrong one is told with them all.
    grafico: Annotated[
        ChartName | None,
        pydantic.WithJsonSchema({"type": "string"}),
        Field(description="tipo; este, x, y e por como em gerar_grafico"),
    ] = None
    x: str | None = None
    y: list[str] | None = None
    por: str | None = None


class ExportTools:
    """Toolbox that writes workbooks into the person's folder, each under an unused name.

    Owns the thread that looks for names until closed.
    """

    def __init__(
        self,
        messages: MessageRepository,
        workspace: Workspace,
        conversation_datasets: ConversationDatasets,
    ) -> None:
        self._messages = messages
        self._workspace = workspace
        self._datasets = conversation_datasets
        self._worker = Worker("exports")

    def close(self) -> None:
        """Shut down the thread."""
        self._worker.close()

    # Not a "write", which the person would be asked about: it makes a file of its own and changes
    # nothing that is there.
    @tool(
        label=gettext_noop("Writing an Excel file…"),
        category="action",
        risk="compute",
        gives="shown",
    )
    async def exportar_excel(
        self,
        context: ToolContext,
        *,
        titulo: Annotated[str, Field(title=gettext_noop("Title"), min_length=1, max_length=120)],
        folhas: Annotated[list[Folha], Field(min_length=1, max_length=MOST_SHEETS)],
    ) -> ToolOutput:
        """Grava um .xlsx para a pessoa abrir; cada folha é uma consulta ou um widget."""
        sheets = [await self._sheet(context, folha) for folha in folhas]
        target = await self._worker.run(free_name, titulo)
        written = await self._workspace.exports.export_sheets(sheets, target, title=titulo)
        content: dict[str, Json] = {
            "estado": "gravado",
            "ficheiro": target.name,
            "folhas": [sheet.name for sheet in sheets],
            "linhas": written.rows,
        }
        undefined = sum(sheet.undefined for sheet in sheets)
        if notes := [*written.notes, *undefined_warnings(undefined)]:
            content["avisos"] = [*notes]
        return ToolOutput(content)

    async def _sheet(self, context: ToolContext, folha: Folha) -> OutputSheet:
        if (folha.consulta is None) == (folha.widget is None):
            raise ToolError(
                f"A folha '{folha.nome}' leva ou uma consulta, ou o número de um widget."
            )
        if folha.widget is not None:
            return sheet_of(await self._shown(context, folha.widget), name=folha.nome)
        assert folha.consulta is not None
        view = await self._whole(context, folha.nome, folha.consulta)
        if folha.grafico is None:
            return sheet_of(view, name=folha.nome)
        if len(view.table.rows) > CHART_ROWS:
            raise ToolError(f"Um gráfico leva até {CHART_ROWS} linhas. Agregue na consulta.")
        figure = await self._worker.run(
            draw,
            folha.grafico,
            folha.nome,
            view.table,
            x=folha.x,
            y=folha.y or (),
            by=folha.por,
        )
        chart = Chart(folha.grafico, figure, view.table, view.source)
        return sheet_of(chart, name=folha.nome)

    async def _whole(self, context: ToolContext, title: str, sql: str) -> TableView:
        """Run a query and return every row.

        Raises ToolError if the query cannot be run, or has more rows than a sheet holds.
        """
        found = await self._datasets.query(context, sql, limit=SHEET_ROWS)
        if found.row_count > SHEET_ROWS:
            raise ToolError(
                f"A consulta dá {found.row_count} linhas; uma folha leva aqui até {SHEET_ROWS}. "
                "Agregue ou filtre; a pessoa pode exportar um conjunto inteiro no painel de dados."
            )
        return TableView(title, found.table, found.row_count, found.source)

    async def _shown(self, context: ToolContext, number: int) -> Widget:
        """Return a widget of the conversation, counted from the last; a table with every row.

        Raises ToolError if fewer widgets were shown.
        """
        messages = await self._messages.latest(context.conversation, limit=MESSAGES_SEARCHED)
        blocks = [block for message in messages for block in message.blocks]
        widgets = [
            each
            for block in blocks
            if isinstance(block, ToolResult)
            for each in block.widgets
            if isinstance(each, Widget)
        ]
        if number > len(widgets):
            raise ToolError(
                f"Nesta conversa só foram mostrados {len(widgets)} gráficos, tabelas e KPI. "
                "Use uma consulta."
            )
        widget = widgets[-number]
        if not isinstance(widget, TableView) or len(widget.table.rows) >= widget.row_count:
            return widget
        if widget.source is None:  # of code's rows, only the first are kept
            return widget
        return await self._whole(context, widget.title, widget.source.sql)


def free_name(title: str) -> Path:
    """Return the path for a new file of this title that no other file has.

    Raises UserError where the folder cannot be made.
    """
    try:
        folder = exports()
    except OSError as error:
        raise data_folder_error(error, data_folder() / "exports") from error
    return next(file for file in _names(folder, title) if not file.exists())


def _names(folder: Path, title: str) -> Iterator[Path]:
    # Shorten the title first: file_name would cut off the number at the end.
    short = title[:SHORT_TITLE]
    yield folder / file_name(short, ".xlsx")
    number = 1
    while True:
        number += 1
        yield folder / file_name(f"{short} ({number})", ".xlsx")
