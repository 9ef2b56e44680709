"""Dashboards: pages that an agent writes, and that run again on today's data."""

import re
from typing import Annotated

from pydantic import Field

from qhub_desktop.chat.tool import Outcome, Setting, tool
from qhub_desktop.core.dashboard import Contents, NamedQuery
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.json_values import Json
from qhub_desktop.core.widgets import DashboardLink
from qhub_desktop.store.store import Store
from qhub_desktop.tools.dashboard_cards import with_cards_of
from qhub_desktop.tools.dashboard_data import DashboardData

LONGEST_BODY = 400_000  # characters
MOST_QUERIES = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


class DashboardTools:
    """Makes dashboards. `author` is whose they are."""

    def __init__(self, store: Store, data: DashboardData, *, author: str = "") -> None:
        self._store = store
        self._data = data
        self._author = author

    # Not a "write", which the person would be asked about: the page is new, and can be undone.
    @tool(category="dashboard", risk="compute")
    async def gerar_dashboard(
        self,
        setting: Setting,
        *,
        titulo: Annotated[str, Field(min_length=1, max_length=120)],
        html: Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_BODY,
                description="Só o conteúdo do <body>, sem <html> nem <head>. Classes: kpi-card, "
                "chart-container, data-table, dashboard-grid, dashboard-row, section-title. "
                "Chart.js 4 já está na página (new Chart(...)); nada de endereços externos.",
            ),
        ],
        dados: Annotated[
            dict[str, str] | None,
            Field(
                description="Consultas com nome: {nome: SELECT}. A página lê "
                "qhub.data.nome.colunas e qhub.data.nome.linhas (lista de listas), e ao atualizar "
                "a consulta corre sobre os dados do dia. Preferir sempre a números no html."
            ),
        ] = None,
    ) -> Outcome:
        """Cria um painel: uma página guardada, que a pessoa abre, atualiza e exporta.

        Os números vêm das consultas em dados, nunca escritos à mão no html: o script da página
        lê qhub.data e preenche KPI, tabelas e gráficos. O mesmo título nesta conversa substitui o
        painel anterior, que fica como versão.
        """
        queries = tuple(
            NamedQuery(_named(name), sql, setting.conversation)
            for name, sql in (dados or {}).items()
        )
        if len(queries) > MOST_QUERIES:
            raise ToolError(f"Um painel leva até {MOST_QUERIES} consultas.")
        contents = Contents(titulo.strip(), html, queries)
        if not contents.title or not html.strip():
            raise ToolError("O painel precisa de um título e de conteúdo.")
        rows = await self._data.first_rows(contents, setting)
        table, conversation = self._store.dashboards, setting.conversation
        made = await table.made_in(conversation, contents.title)
        if made is None:
            agent = (await self._store.conversation(conversation)).agent
            made = await table.create(
                contents, rows, author=self._author, agent=agent, conversation=conversation
            )
        else:
            before = await table.contents(made.id)
            made = await table.change(made.id, with_cards_of(before, contents), author=self._author)
            await table.keep_rows(made.id, rows)
        content: dict[str, Json] = {"status": "ok", "url": made.url}
        source = rows[0].source if rows else None
        return Outcome(content, widget=DashboardLink(made.title, made.url), source=source)


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ToolError(
            f"'{name}' não serve de nome de consulta. Use letras, algarismos e _, a começar por "
            "uma letra: a página lê-a como qhub.data.nome."
        )
    return name
