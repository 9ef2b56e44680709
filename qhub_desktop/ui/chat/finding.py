"""Words looked for in a conversation: in every stored message, and marked on the page."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from qhub_desktop.ui.chat.partners import Pages
from qhub_desktop.ui.theme import Palette, mix

_PAGE_MESSAGES = 200


@dataclass(frozen=True, slots=True)
class Match:
    """The nth place (from 0) in a message where the words stand."""

    message: int
    ordinal: int


def folded(text: str) -> str:
    """The text without case and accents, and of the same length."""
    return "".join(_folded(character) for character in text)


def places(text: str, words: str) -> Iterator[int]:
    """Where the folded words begin in a folded text."""
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + len(words))


async def find(pages: Pages, conversation: str, words: str) -> list[Match]:
    """Every place in a conversation, oldest first."""
    wanted = folded(words.strip())
    if not wanted:
        return []
    found: list[Match] = []
    before: int | None = None
    while True:
        messages = await pages.messages(conversation, before=before, limit=_PAGE_MESSAGES)
        page = [
            Match(message.id, ordinal)
            for message in messages
            for ordinal, _at in enumerate(places(folded(message.text), wanted))
        ]
        found[:0] = page
        if len(messages) < _PAGE_MESSAGES:
            return found
        before = messages[0].id


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of a shown text."""

    view: QTextEdit
    start: int


def spots(views: Sequence[QTextEdit], words: str) -> list[Spot]:
    """Where the words stand in what is shown, top to bottom."""
    wanted = folded(words.strip())
    if not wanted:
        return []
    return [Spot(view, at) for view in views for at in places(folded(view.toPlainText()), wanted)]


def mark(views: Sequence[QTextEdit], words: str, palette: Palette, *, current: Spot | None) -> None:
    """Show the words in these texts; the current place more strongly. No words: no marks."""
    length = len(words.strip())
    found = spots(views, words)
    for view in views:
        view.setExtraSelections(
            [
                _selection(spot, length, palette, is_current=spot == current)
                for spot in found
                if spot.view is view
            ]
        )


def _folded(character: str) -> str:
    plain = unicodedata.normalize("NFD", character)[0].casefold()
    # Some characters fold to two; the places must stay those of the shown text.
    return plain if len(plain) == 1 else character


def _selection(
    spot: Spot, length: int, palette: Palette, *, is_current: bool
) -> QTextEdit.ExtraSelection:
    cursor = QTextCursor(spot.view.document())
    cursor.setPosition(spot.start)
    cursor.setPosition(spot.start + length, QTextCursor.MoveMode.KeepAnchor)
    words = QTextCharFormat()
    words.setBackground(QColor(mix(palette.page, palette.warn, 0.85 if is_current else 0.28)))
    words.setForeground(QColor(palette.page if is_current else palette.text))
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = words
    return selection
