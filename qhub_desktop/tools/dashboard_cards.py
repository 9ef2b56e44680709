"""What a person puts on a dashboard: cards are pinned, moved, widened, renamed and taken off."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import get_args

from qhub_desktop.core.dashboard import Contents, NamedQuery, PinnedCard, Width
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.widgets import Chart, Kpi, Widget

WIDTHS: tuple[Width, ...] = get_args(Width)
MOST_CARDS = 40


def with_card(contents: Contents, widget: Widget, conversation: str) -> Contents:
    """The same with a widget more, drawn from its query where it has one. Raises UserError."""
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


def with_cards_of(before: Contents, contents: Contents) -> Contents:
    """New contents that keep the cards which a person has put on the page before."""
    names = {card.query for card in before.cards}
    kept = tuple(each for each in before.queries if each.name in names)
    return replace(contents, queries=(*contents.queries, *kept), cards=before.cards)


def moved(contents: Contents, card: str, step: int) -> Contents:
    """A card so many places further on; at an end it stays there."""
    cards = list(contents.cards)
    at = _place(cards, card)
    taken = cards.pop(at)
    cards.insert(min(max(at + step, 0), len(cards)), taken)
    return replace(contents, cards=tuple(cards))


def resized(contents: Contents, card: str, width: Width) -> Contents:
    """A card of another width, in columns of twelve."""
    return _changed(contents, card, lambda each: replace(each, width=width))


def renamed(contents: Contents, card: str, title: str) -> Contents:
    """A card under another title. Raises UserError for an empty one."""
    words = " ".join(title.split())
    if not words:
        raise UserError(_("A card needs a title. Write at least one letter."))
    return _changed(contents, card, lambda each: replace(each, title=words))


def without(contents: Contents, card: str) -> Contents:
    """A card less, and the query that was its own."""
    gone = contents.cards[_place(contents.cards, card)]
    return replace(
        contents,
        cards=tuple(each for each in contents.cards if each.id != card),
        queries=tuple(each for each in contents.queries if each.name != gone.query),
    )


def title_of(widget: Widget) -> str:
    """What a widget is called."""
    return widget.figure.title if isinstance(widget, Chart) else widget.title


def _usual_width(widget: Widget) -> Width:
    return 3 if isinstance(widget, Kpi) else 6


def _free_name(contents: Contents) -> str:
    # An agent's names begin with a letter, so they never meet these.
    taken = {each.name for each in contents.queries}
    return next(name for number in count(1) if (name := f"_{number}") not in taken)


def _changed(contents: Contents, card: str, change: Callable[[PinnedCard], PinnedCard]) -> Contents:
    _place(contents.cards, card)
    cards = tuple(change(each) if each.id == card else each for each in contents.cards)
    return replace(contents, cards=cards)


def _place(cards: Sequence[PinnedCard], card: str) -> int:
    for at, each in enumerate(cards):
        if each.id == card:
            return at
    raise UserError(_("The card is not on this dashboard any more."))
