"""Render toolbox: charts, tables and KPIs, from a query or from given values."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Literal

import pydantic
from pydantic import Field

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Takes, chart_kinds
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, Roles, Standing, TableView
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import SQL_MARK, AnyMethod, ToolContext, ToolOutput, tool
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.tools.conversation_datasets import ConversationDatasets

CHART_ROWS = 100_000
TABLE_ROWS = 1_000  # kept with the message; the true count is told

# The type checker cannot read a list that is made while the program starts; the schema can.
if TYPE_CHECKING:
    ChartName = str
else:
    ChartName = Literal[tuple(each.name for each in chart_kinds())]
Value = str | int | float | bool | None
Titulo = Annotated[str, Field(title=gettext_noop("Title"), min_length=1)]
# What it is stands once in the prompt, for every tool that shows.
Consulta = Annotated[str | None, Field(json_schema_extra={SQL_MARK: "select"})]
STANDINGS: dict[str, Standing] = {
    "bom": "good",
    "aviso": "warn",
    "mau": "bad",
    "neutro": "neutral",
}


class Serie(pydantic.BaseModel):
    """Given values of a series."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    nome: str
    valores: list[float | None]


def _tells_what_kinds_take(method: AnyMethod) -> AnyMethod:
    """Add to a tool's description the columns that a kind of chart needs, where they are others."""

    def names(*data: Takes) -> str:
        *first, last = (each.name for each in chart_kinds() if each.takes in data)
        return f"{', '.join(first)} e {last}" if first else last

    told = (
        "A consulta dá uma linha por categoria ou momento; a "
        f"{names('values', 'grouped values')} os valores em bruto; a {names('matrix')} duas "
        f"categorias e um valor; a {names('pair')} duas colunas numéricas."
    )
    method.__doc__ = f"{method.__doc__}\n\n{fill(told, 92)}"
    return method


class RenderTools:
    """Toolbox of charts, tables and KPIs. Owns the thread it draws on until closed."""

    def __init__(self, conversation_datasets: ConversationDatasets) -> None:
        self._datasets = conversation_datasets
        self._drawing = Worker("drawing")  # 30,000 rows take 0.4 s

    def close(self) -> None:
        """Shut down the thread."""
        self._drawing.close()

    @tool(label=gettext_noop("Drawing a chart…"), category="render", risk="read", gives="shown")
    @_tells_what_kinds_take
    async def gerar_grafico(
        self,
        context: ToolContext,
        *,
        tipo: ChartName,
        titulo: Titulo,
        consulta: Consulta = None,
        x: Annotated[str | None, Field(description="coluna: categorias ou tempo")] = None,
        y: Annotated[list[str] | None, Field(description="colunas: valores")] = None,
        por: Annotated[str | None, Field(description="coluna: séries (heatmap: linhas)")] = None,
        categorias: list[str | float] | None = None,
        series: list[Serie] | None = None,
    ) -> ToolOutput:
        """Mostra um gráfico, de uma consulta ou de categorias e series."""
        if consulta is None:
            table, source = _given(categorias, series), None
        else:
            found = await self._datasets.query(context, consulta, limit=CHART_ROWS)
            if found.row_count > CHART_ROWS:
                raise ToolError(
                    f"A consulta dá {found.row_count} linhas; um gráfico leva até {CHART_ROWS}. "
                    "Agregue na consulta."
                )
            table, source = found.table, found.source
        figure = await self._drawing.run(draw, tipo, titulo, table, x=x, y=y or (), by=por)
        return ToolOutput(
            {
                "estado": "mostrado",
                "linhas": len(table.rows),
                "colunas": [one_line(name) for name in table.names],
            },
            widget=Chart(tipo, figure, table, source, Roles(x, tuple(y or ()), por)),
            source=source,
        )

    @tool(label=gettext_noop("Making a table…"), category="render", risk="read", gives="shown")
    async def gerar_tabela(
        self,
        context: ToolContext,
        *,
        titulo: Titulo,
        consulta: Consulta = None,
        colunas: list[str] | None = None,
        linhas: list[list[Value]] | None = None,
    ) -> ToolOutput:
        """Mostra uma tabela, de uma consulta ou de colunas e linhas."""
        if consulta is None:
            if not colunas or linhas is None:
                raise ToolError("Dê uma consulta, ou então colunas e linhas.")
            table = _typed(colunas, linhas)
            view = TableView(titulo, table, len(table.rows))
        else:
            found = await self._datasets.query(context, consulta, limit=TABLE_ROWS)
            view = TableView(titulo, found.table, found.row_count, found.source)
        content: dict[str, Json] = {
            "estado": "mostrada",
            "linhas": view.row_count,
            "colunas": [one_line(name) for name in view.table.names],
        }
        return ToolOutput(content, widget=view, source=view.source)

    @tool(
        label=gettext_noop("Working out an indicator…"),
        category="render",
        risk="read",
        gives="shown",
    )
    async def gerar_kpi(
        self,
        context: ToolContext,
        *,
        titulo: Titulo,
        valor: float | str | None = None,
        consulta: Consulta = None,
        unidade: str = "",
        variacao: Annotated[
            float | None, Field(description="face ao período anterior; 0.05 é +5 %")
        ] = None,
        alvo: float | None = None,
        estado: Literal["bom", "aviso", "mau", "neutro"] = "neutro",
    ) -> ToolOutput:
        """Mostra em destaque um número: um valor, ou de uma consulta de uma só célula."""
        source: Provenance | None = None
        if consulta is not None:
            found = await self._datasets.query(context, consulta, limit=2)
            valor, source = single(found.table, found.source), found.source
        if valor is None:
            raise ToolError("Dê uma consulta que dê um número, ou um valor.")
        kpi = Kpi(titulo, valor, unidade, variacao, alvo, STANDINGS[estado], source)
        return ToolOutput({"estado": "mostrado", "valor": valor}, widget=kpi, source=source)


def _given(categories: Sequence[str | float] | None, series: Sequence[Serie] | None) -> Table:
    if not series:
        raise ToolError("Dê uma consulta, ou então categorias e series.")
    lengths = {len(serie.valores) for serie in series}
    if categories is not None:
        lengths.add(len(categories))
    if len(lengths) != 1:
        raise ToolError("As categorias e os valores de cada série têm de ser em igual número.")
    names = [serie.nome for serie in series]
    values: list[Sequence[Cell]] = [serie.valores for serie in series]
    if categories is not None:
        names.insert(0, "categoria" if "categoria" not in names else "x")
        values.insert(0, categories)
    return _typed(names, [list(row) for row in zip(*values, strict=True)])


def _typed(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    if len(set(names)) != len(names):
        raise ToolError("Há colunas ou séries com o mesmo nome.")
    if any(len(row) != len(names) for row in rows):
        raise ToolError(f"Cada linha tem de ter {len(names)} valores, um por coluna.")
    columns = [
        Column(name, _type([row[place] for row in rows])) for place, name in enumerate(names)
    ]
    return Table(tuple(columns), tuple(tuple(row) for row in rows))


def _type(values: Sequence[Cell]) -> ColumnType:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return "boolean"
    if known and all(isinstance(value, int) for value in known):
        return "integer"
    if known and all(isinstance(value, (int, float)) for value in known):
        return "number"
    return "text"


def single(table: Table, source: Provenance | None) -> float | str:
    """Return the value of a table of one cell.

    Raises ToolError if there is not exactly one cell, or the cell is empty or a boolean.
    """
    if len(table.rows) != 1 or len(table.columns) != 1:
        raise ToolError("A consulta de um KPI tem de dar uma linha e uma coluna.")
    match table.rows[0][0]:
        case bool() | None:
            warnings = () if source is None else source.warnings
            raise ToolError(" ".join(("A consulta do KPI não deu um número.", *warnings)))
        case int() | float() | str() as value:
            return value
        case moment:
            return moment.isoformat()
