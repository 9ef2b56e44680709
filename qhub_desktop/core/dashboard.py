"""Dashboards: pages that are stored, run again on today's data; their cards and schedules."""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, time
from itertools import count
from typing import Literal, get_args

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId
from qhub_desktop.core.result_widgets import Kpi, Provenance, Study, Widget, title_of
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass

Visibility = Literal["me", "agent", "station"]
Width = Literal[3, 4, 6, 8, 12]  # of the twelve columns of the page

ADDRESS = "qhub://dashboards/"
WIDTHS: tuple[Width, ...] = get_args(Width)
MOST_CARDS = 40
SHORTEST_MINUTES = 1
LONGEST_MINUTES = 24 * 60
_ID = re.compile(r"[0-9a-f]{12}")
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A SELECT that a page reads as `qhub.data.<name>`.

    It is about the data sets that its conversation has when it runs, so that a newer version of a
    file, and what was reported to the log meanwhile, count.
    """

    name: str
    sql: str
    conversation: ConversationId


@dataclass(frozen=True, slots=True)
class PinnedCard:
    """A chart, a table or a number that a person has put on a page.

    `query` names the query that it is drawn from; without one, it stays as it was `pinned` then.
    `plan` is that of the question that it answers, over the data sets of `conversation`: a form
    changes it. Cards of earlier versions lack both.
    """

    id: str
    title: str
    widget: Widget
    query: str = ""
    width: Width = 6
    pinned: datetime | None = None
    plan: JsonObject | None = None
    conversation: ConversationId = NO_CONVERSATION

    @property
    def has_form(self) -> bool:
        """Whether it can be changed in the form of a question or of a study."""
        is_study = isinstance(self.widget, Study) and self.widget.arguments is not None
        return bool(self.conversation) and (is_study or self.plan is not None)


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A part of the page that a model has made, by its number in the page's source."""

    number: int
    title: str


@dataclass(frozen=True, slots=True)
class EveryMinutes:
    """Again and again, so many minutes apart."""

    minutes: int


@dataclass(frozen=True, slots=True)
class DailyAt:
    """Once a day, at this time of the station's clock."""

    at: time


@dataclass(frozen=True, slots=True)
class OnChange:
    """As soon as the data that it shows has changed."""


Schedule = EveryMinutes | DailyAt | OnChange | None


@dataclass(frozen=True, slots=True)
class DashboardSpec:
    """Content of one version of a dashboard: the model's body, the person's cards, or both.

    `order` are the numbers of the body's blocks as a person has arranged them.
    """

    title: str
    body: str = ""
    queries: tuple[NamedQuery, ...] = ()
    cards: tuple[PinnedCard, ...] = ()
    order: tuple[int, ...] = ()

    def query(self, name: str) -> NamedQuery | None:
        """Return the query of that name, if there is one."""
        return next((each for each in self.queries if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A dashboard as the lists show it. `conversation` is empty for one that was made by hand."""

    id: str
    title: str
    author: str
    agent: str
    conversation: ConversationId
    created: datetime
    updated: datetime
    version: int
    visibility: Visibility = "me"
    schedule: Schedule = None
    refreshed: datetime | None = None  # when its queries ran last
    query_count: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return address_of(self.id)


@dataclass(frozen=True, slots=True)
class Version:
    """One of a dashboard's versions, for choosing among them."""

    number: int
    title: str
    author: str
    created: datetime


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Rows that a query gave when it ran last, and when that was.

    `problem` says why a later attempt failed; the rows are then the ones from before.
    """

    name: str
    table: Table
    row_count: int
    taken: datetime
    source: Provenance | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CardNow:
    """A card as it looks with the rows at hand. `widget` is None where `problem` says why."""

    card: PinnedCard
    widget: Widget | None
    rows: QueryRows | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RenderedDashboard:
    """A dashboard with its rows, and its cards drawn from them."""

    dashboard: Dashboard
    contents: DashboardSpec
    rows: tuple[QueryRows, ...]
    cards: tuple[CardNow, ...]

    @property
    def problems(self) -> list[str]:
        """One line for each query and card that could not be refreshed, with the reason."""
        failed = [f"{each.name}: {each.problem}" for each in self.rows if each.problem]
        return failed + [
            f"{each.card.title}: {each.problem}" for each in self.cards if each.problem
        ]

    @property
    def warnings(self) -> list[str]:
        """One line for each query with something to be known of its results."""
        return [
            f"{each.name}: {warning}"
            for each in self.rows
            if each.source is not None
            for warning in each.source.warnings
        ]


@dataclass(frozen=True, slots=True)
class Viewer:
    """Person who looks at dashboards, and the agents that they may use (None: every agent)."""

    name: str
    agents: tuple[str, ...] | None


def may_see(dashboard: Dashboard, viewer: Viewer) -> bool:
    """Return whether this viewer may see a dashboard. Seeing one is not using its agent."""
    match dashboard.visibility:
        case "station":
            return True
        case "agent":
            is_theirs = viewer.agents is None or dashboard.agent in viewer.agents
            return is_theirs or dashboard.author == viewer.name
        case "me":
            return dashboard.author == viewer.name


def not_shown() -> str:
    """Return the sentence for a dashboard that somebody may not see."""
    return _("This dashboard belongs to somebody else, who has not shown it to you.")


def address_of(id_: str) -> str:
    """Return the address that opens a dashboard."""
    return f"{ADDRESS}{id_}"


def id_in(address: str) -> str:
    """Parse an address, or a bare id. Raises UserError for anything else."""
    id_ = address.strip().removeprefix(ADDRESS).strip("/").lower()
    if not _ID.fullmatch(id_):
        raise UserError(
            _(
                "'{text}' is not a dashboard's address. It has twelve letters and figures; see the"
                " list: qhub dashboards."
            ).format(text=address)
        )
    return id_


def schedule_words(schedule: Schedule) -> str:
    """Format a schedule as it is stored and typed: 'every 15', 'at 06:00', 'change', or nothing."""
    match schedule:
        case EveryMinutes(minutes):
            return f"every {minutes}"
        case DailyAt(at):
            return f"at {at:%H:%M}"
        case OnChange():
            return "change"
        case None:
            return ""


def schedule_from(words: str) -> Schedule:
    """Parse a schedule as it is stored and typed. Raises UserError for other words."""
    match words.split():
        case []:
            return None
        case ["change"]:
            return OnChange()
        case ["every", figure] if figure.isascii() and figure.isdigit():
            minutes = int(figure)
            if SHORTEST_MINUTES <= minutes <= LONGEST_MINUTES:
                return EveryMinutes(minutes)
        case ["at", clock] if found := _TIME.fullmatch(clock):
            return DailyAt(time(int(found[1]), int(found[2])))
    raise UserError(
        _("'{text}' is not a schedule. Examples: every 15, at 06:00, change.").format(text=words)
    )


def with_card(
    contents: DashboardSpec,
    widget: Widget,
    conversation: ConversationId,
    plan: JsonObject | None = None,
) -> DashboardSpec:
    """Add a widget as a card, drawn from its query where it has one. Raises UserError if full."""
    if len(contents.cards) >= MOST_CARDS:
        raise UserError(
            _("A dashboard holds {most} cards. Take one off, or pin to another one.").format(
                most=MOST_CARDS
            )
        )
    card, queries = _card_of(contents, widget, conversation, plan)
    return replace(contents, queries=queries, cards=(*contents.cards, card))


def with_changed_card(
    contents: DashboardSpec, card: str, widget: Widget, plan: JsonObject | None
) -> DashboardSpec:
    """Let a card show another widget, in its place; a title of the person's own stays.

    Raises UserError if the card is gone.
    """
    at = _place(contents.cards, card)
    before = contents.cards[at]
    made, queries = _card_of(contents, widget, before.conversation, plan)
    is_own_title = before.title != title_of(before.widget)
    title = before.title if is_own_title else made.title
    made = replace(made, id=card, title=title, width=before.width)
    return replace(
        contents,
        queries=tuple(each for each in queries if each.name != before.query),
        cards=(*contents.cards[:at], made, *contents.cards[at + 1 :]),
    )


def _card_of(
    contents: DashboardSpec,
    widget: Widget,
    conversation: ConversationId,
    plan: JsonObject | None,
) -> tuple[PinnedCard, tuple[NamedQuery, ...]]:
    """Make a card, and return it with the queries of the page, its own among them."""
    query = ""
    queries = contents.queries
    # The query of a study gives the rows that its method was applied to, not its results.
    if widget.source is not None and widget.source.sql and not isinstance(widget, Study):
        query = _free_name(contents)
        queries = (*queries, NamedQuery(query, widget.source.sql, conversation))
    card = PinnedCard(
        secrets.token_hex(4),
        title_of(widget),
        widget,
        query,
        _usual_width(widget),
        pinned=None if query else datetime.now().astimezone(),
        plan=plan,
        conversation=conversation,
    )
    return card, queries


def with_cards_of(before: DashboardSpec, contents: DashboardSpec) -> DashboardSpec:
    """Keep the person's cards, and their queries, under new contents from the model."""
    names = {card.query for card in before.cards}
    kept = tuple(each for each in before.queries if each.name in names)
    return replace(contents, queries=(*contents.queries, *kept), cards=before.cards)


def moved(contents: DashboardSpec, card: str, step: int) -> DashboardSpec:
    """Move a card so many places further on, as far as the end. Raises UserError if it is gone."""
    cards = list(contents.cards)
    at = _place(cards, card)
    taken = cards.pop(at)
    cards.insert(min(max(at + step, 0), len(cards)), taken)
    return replace(contents, cards=tuple(cards))


def order_of(order: Sequence[int], count: int) -> tuple[int, ...]:
    """Return the order of so many blocks: the arranged one, or that of the source."""
    usual = tuple(range(count))
    return tuple(order) if sorted(order) == [*usual] else usual


def moved_block(contents: DashboardSpec, block: int, step: int, *, count: int) -> DashboardSpec:
    """Move one of `count` blocks of the body so many places further on, as far as the end."""
    order = [*order_of(contents.order, count)]
    at = order.index(block)
    del order[at]
    order.insert(min(max(at + step, 0), len(order)), block)
    return replace(contents, order=tuple(order))


def resized(contents: DashboardSpec, card: str, width: Width) -> DashboardSpec:
    """Give a card another width, in columns of twelve. Raises UserError if it is gone."""
    return _changed(contents, card, lambda each: replace(each, width=width))


def renamed(contents: DashboardSpec, card: str, title: str) -> DashboardSpec:
    """Give a card another title. Raises UserError if that is empty, or the card is gone."""
    words = " ".join(title.split())
    if not words:
        raise UserError(_("A card needs a title. Write at least one letter."))
    return _changed(contents, card, lambda each: replace(each, title=words))


def without(contents: DashboardSpec, card: str) -> DashboardSpec:
    """Take a card off, and the query that was its own. Raises UserError if it is gone."""
    gone = contents.cards[_place(contents.cards, card)]
    return replace(
        contents,
        cards=tuple(each for each in contents.cards if each.id != card),
        queries=tuple(each for each in contents.queries if each.name != gone.query),
    )


def _usual_width(widget: Widget) -> Width:
    match widget:
        case Kpi():
            return 3
        case Study():
            return 12
        case _:
            return 6


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


def visibility_text(visibility: Visibility) -> str:
    """Say who may see a dashboard, in the person's language."""
    match visibility:
        case "me":
            return _("Only me")
        case "agent":
            return _("Everyone who may use its agent")
        case "station":
            return _("Everyone at the station")


def schedule_text(schedule: Schedule) -> str:
    """Say when a dashboard refreshes itself, in the person's language."""
    match schedule:
        case None:
            return _("Only when asked")
        case EveryMinutes(minutes):
            said = ngettext("Every {count} minute", "Every {count} minutes", minutes)
            return said.format(count=number(minutes, digits=0))
        case DailyAt(at):
            return _("Every day at {time}").format(time=f"{at:%H:%M}")
        case OnChange():
            return _("When its data changes")
