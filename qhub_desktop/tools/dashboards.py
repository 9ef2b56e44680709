"""Dashboard toolbox: creates and replaces the dashboards of a conversation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from qhub_desktop.core.codec import Json
from qhub_desktop.core.dashboard import (
    DashboardSpec,
    NamedQuery,
    with_cards_of,
)
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.result_widgets import DashboardLink
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import SQL_MARK, ToolContext, ToolOutput, tool
from qhub_desktop.tools.dashboard_refresh import DashboardQueries

if TYPE_CHECKING:
    from qhub_desktop.store.conversations import ConversationRepository
    from qhub_desktop.store.dashboards import DashboardRepository

LONGEST_BODY = 400_000  # characters
MOST_QUERIES = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


class DashboardTools:
    """Toolbox that creates dashboards, owned by `author`."""

    def __init__(
        self,
        dashboards: DashboardRepository,
        conversations: ConversationRepository,
        data: DashboardQueries,
        *,
        author: str = "",
    ) -> None:
        self._dashboards = dashboards
        self._conversations = conversations
        self._data = data
        self._author = author

    # Not a "write", which the person would be asked about: the page is new, and can be undone.
    @tool(
        label=gettext_noop("Making a dashboard…"),
        category="dashboard",
        risk="compute",
        gives="shown",
    )
    async def gerar_dashboard(
        self,
        context: ToolContext,
        *,
        titulo: Annotated[str, Field(title=gettext_noop("Title"), min_length=1, max_length=120)],
        html: Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_BODY,
                description="do <body>; classes kpi-card, chart-container, data-table, "
                "dashboard-grid, dashboard-row, section-title; com Chart.js 4, sem endereços "
                "externos",
            ),
        ],
        dados: Annotated[
            dict[str, str] | None,
            Field(
                description="{nome: SELECT}; o script lê qhub.data.nome.colunas e .linhas (listas)",
                json_schema_extra={SQL_MARK: "selects"},
            ),
        ] = None,
    ) -> ToolOutput:
        """Guarda um painel, para o que se volta a ver: a reunião da manhã, o ecrã da linha.

        Os números vêm só das consultas em dados, que correm de novo ao atualizar. O mesmo título
        substitui o painel anterior.
        """
        queries = tuple(
            NamedQuery(_named(name), sql, context.conversation)
            for name, sql in (dados or {}).items()
        )
        if len(queries) > MOST_QUERIES:
            raise ToolError(f"Um painel leva até {MOST_QUERIES} consultas.")
        contents = DashboardSpec(titulo.strip(), html, queries)
        if not contents.title or not html.strip():
            raise ToolError("O painel precisa de um título e de conteúdo.")
        rows = await self._data.first_rows(contents, context)
        table, conversation = self._dashboards, context.conversation
        made = await table.made_in(conversation, contents.title)
        if made is None:
            agent = (await self._conversations.find(conversation)).agent
            made = await table.create(
                contents, rows, author=self._author, agent=agent, conversation=conversation
            )
        else:
            before = await table.contents(made.id)
            made = await table.change(made.id, with_cards_of(before, contents), author=self._author)
            await table.keep_rows(made.id, rows)
        content: dict[str, Json] = {"status": "ok", "url": made.url}
        source = rows[0].source if rows else None
        if more := [
            f"{each.name}: {warning}"
            for each in rows[1:]
            if each.source is not None
            for warning in each.source.warnings
        ]:
            content["avisos"] = [*more]
        return ToolOutput(content, widget=DashboardLink(made.title, made.url), source=source)


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ToolError(
            f"'{name}' não serve de nome de consulta. Use letras, algarismos e _, a começar por "
            "uma letra: a página lê-a como qhub.data.nome."
        )
    return name
