"""The dashboards toolbox, and the cards that a person pins, moves and renames."""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Annotated, Protocol, get_args

from pydantic import Field

from qhub_desktop.core.dashboard import (
    Dashboard,
    DashboardSpec,
    NamedQuery,
    PinnedCard,
    QueryRows,
    Width,
)
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.json_values import Json
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.core.widgets import DashboardLink, Kpi, Widget, title_of
from qhub_desktop.tools.dashboard_queries import DashboardQueries, StoredDashboards

WIDTHS: tuple[Width, ...] = get_args(Width)
MOST_CARDS = 40


def with_card(contents: DashboardSpec, widget: Widget, conversation: str) -> DashboardSpec:
    """Add a card for a widget, drawn from its query where it has one. Raises UserError."""
    if len(contents.cards) >= MOST_CARDS:
        raise UserError(
            _("A dashboard holds {most} cards. Take one off, or pin to another one.").format(
                most=MOST_CARDS
            )
        )
    query = ""
    queries = contents.queries
    if widget.source is not None and widget.source.sql:
        query = _free_name(contents)
        queries = (*queries, NamedQuery(query, widget.source.sql, conversation))
    card = PinnedCard(secrets.token_hex(4), title_of(widget), widget, query, _usual_width(widget))
    return replace(contents, queries=queries, cards=(*contents.cards, card))


def with_cards_of(before: DashboardSpec, contents: DashboardSpec) -> DashboardSpec:
    """Return new contents that keep the cards which a person has put on the page before."""
    names = {card.query for card in before.cards}
    kept = tuple(each for each in before.queries if each.name in names)
    return replace(contents, queries=(*contents.queries, *kept), cards=before.cards)


def moved(contents: DashboardSpec, card: str, step: int) -> DashboardSpec:
    """Move a card by so many places; at an end it stays there."""
    cards = list(contents.cards)
    at = _place(cards, card)
    taken = cards.pop(at)
    cards.insert(min(max(at + step, 0), len(cards)), taken)
    return replace(contents, cards=tuple(cards))


def resized(contents: DashboardSpec, card: str, width: Width) -> DashboardSpec:
    """Set a card's width, in columns of twelve."""
    return _changed(contents, card, lambda each: replace(each, width=width))


def renamed(contents: DashboardSpec, card: str, title: str) -> DashboardSpec:
    """Set a card's title. Raises UserError for an empty one."""
    words = " ".join(title.split())
    if not words:
        raise UserError(_("A card needs a title. Write at least one letter."))
    return _changed(contents, card, lambda each: replace(each, title=words))


def without(contents: DashboardSpec, card: str) -> DashboardSpec:
    """Remove a card, and the query that was its own."""
    gone = contents.cards[_place(contents.cards, card)]
    return replace(
        contents,
        cards=tuple(each for each in contents.cards if each.id != card),
        queries=tuple(each for each in contents.queries if each.name != gone.query),
    )


def _usual_width(widget: Widget) -> Width:
    return 3 if isinstance(widget, Kpi) else 6


def _free_name(contents: DashboardSpec) -> str:
    # An agent's names begin with a letter, so they never meet these.
    taken = {each.name for each in contents.queries}
    return next(name for number in count(1) if (name := f"_{number}") not in taken)


def _changed(
    contents: DashboardSpec, card: str, change: Callable[[PinnedCard], PinnedCard]
) -> DashboardSpec:
    _place(contents.cards, card)
    cards = tuple(change(each) if each.id == card else each for each in contents.cards)
    return replace(contents, cards=cards)


def _place(cards: Sequence[PinnedCard], card: str) -> int:
    for at, each in enumerate(cards):
        if each.id == card:
            return at
    raise UserError(_("The card is not on this dashboard any more."))


LONGEST_BODY = 400_000  # characters
MOST_QUERIES = 20
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


class Conversation(Protocol):
    """A conversation, as far as a dashboard needs to know it."""

    @property
    def agent(self) -> str:
        """The id of the agent it is held with."""
        ...


class Conversations(Protocol):
    """Store of conversations."""

    async def find(self, id_: str, /) -> Conversation:
        """Find a conversation by its id."""
        ...


class WritableDashboards(StoredDashboards, Protocol):
    """Store of dashboards, for making and changing them."""

    async def made_in(self, conversation: str, title: str, /) -> Dashboard | None:
        """Find the one of this title that a conversation has made."""
        ...

    async def create(
        self,
        contents: DashboardSpec,
        rows: Sequence[QueryRows],
        /,
        *,
        author: str,
        agent: str,
        conversation: str,
    ) -> Dashboard:
        """Make a dashboard with its first version, and what its queries have given."""
        ...

    async def change(self, id_: str, contents: DashboardSpec, /, *, author: str) -> Dashboard:
        """Store a new version of it."""
        ...


class DashboardTools:
    """Makes dashboards. `author` is whose they are."""

    def __init__(
        self,
        dashboards: WritableDashboards,
        conversations: Conversations,
        data: DashboardQueries,
        *,
        author: str = "",
    ) -> None:
        self._dashboards = dashboards
        self._conversations = conversations
        self._data = data
        self._author = author

    # Not a "write", which the person would be asked about: the page is new, and can be undone.
    @tool(label=gettext_noop("Making a dashboard…"), category="dashboard", risk="compute")
    async def gerar_dashboard(
        self,
        setting: ToolContext,
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
    ) -> ToolOutput:
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
        contents = DashboardSpec(titulo.strip(), html, queries)
        if not contents.title or not html.strip():
            raise ToolError("O painel precisa de um título e de conteúdo.")
        rows = await self._data.first_rows(contents, setting)
        table, conversation = self._dashboards, setting.conversation
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
        return ToolOutput(content, widget=DashboardLink(made.title, made.url), source=source)


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ToolError(
            f"'{name}' não serve de nome de consulta. Use letras, algarismos e _, a começar por "
            "uma letra: a página lê-a como qhub.data.nome."
        )
    return name
