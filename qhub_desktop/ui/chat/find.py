"""Find in conversation: the search bar, the matches, and steps between them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget
from typing_extensions import override

from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, ToolResult
from qhub_desktop.core.result_widgets import DashboardLink, title_of
from qhub_desktop.core.text import fold_in_place
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.chat.history import History
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import add_to, make_label, row_of
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import GRID_PX, Palette, mix, theme

if TYPE_CHECKING:
    from qhub_desktop.store.messages import MessageRepository

_FIND_ICON_PX = 16


class FindBar(QFrame):
    """Search bar: words, number of matches, next and previous.

    Signals:
        changed: the words to look for.
        step_requested: 1 for the next match, -1 for the previous.
        closed: the search was closed.
    """

    changed = Signal(str)
    step_requested = Signal(int)
    closed = Signal()

    def __init__(self, words: str) -> None:
        """`words` say what is searched."""
        super().__init__()
        self.setProperty("kind", "popover")
        self._line_edit = text_field(words, placeholder=words)
        self._line_edit.setMinimumWidth(240)
        self._line_edit.textChanged.connect(self.changed)
        self._count_label = make_label(role="small")
        self._count_label.setMinimumWidth(64)
        tooltip = _("Previous place (Shift+Enter)")
        previous = IconButton("chevron-up", tooltip, size_px=_FIND_ICON_PX)
        following = IconButton("chevron-down", _("Next place (Enter)"), size_px=_FIND_ICON_PX)
        close = IconButton("close", _("Close (Esc)"), size_px=_FIND_ICON_PX, on_click=self.closed)
        previous.clicked.connect(lambda: self.step_requested.emit(-1))
        following.clicked.connect(lambda: self.step_requested.emit(1))
        row = row_of(owner=self, margins=(GRID_PX, 6, 6, 6), spacing=4)
        add_to(row, (self._line_edit, 1), 4, self._count_label, previous, following, close)

    @property
    def search_text(self) -> str:
        """The words to find."""
        return self._line_edit.text()

    @property
    def count(self) -> str:
        """The shown position among the matches."""
        return self._count_label.text()

    def set_search_text(self, words: str) -> None:
        """Set the words to find."""
        self._line_edit.setText(words)

    def open(self) -> None:
        """Show the bar and focus it."""
        self.show()
        self.raise_()
        self._line_edit.setFocus()
        self._line_edit.selectAll()

    def set_count(self, place: int, count: int) -> None:
        """Show the number of the current match, from 1, and their total."""
        if not self.search_text.strip():
            self._count_label.clear()
        elif count == 0:
            self._count_label.setText(_("not found"))
        else:
            self._count_label.setText(_("{place} of {count}").format(place=place, count=count))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Escape:
                self.closed.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.step_requested.emit(-1 if is_shifted else 1)
            case _:
                super().keyPressEvent(event)


_PAGE_MESSAGES = 200


@dataclass(frozen=True, slots=True)
class TextMatch:
    """The nth occurrence (from 0) of the words in a message, or a card with them in its title."""

    message: MessageId
    ordinal: int
    title: str = ""  # of the card


def occurrences(text: str, words: str) -> Iterator[int]:
    """Yield the positions of folded words in a folded text."""
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + len(words))


async def find(
    pages: MessageRepository, conversation: ConversationId, words: str
) -> list[TextMatch]:
    """Find every match in a conversation, oldest first."""
    wanted = fold_in_place(words.strip())
    if not wanted:
        return []
    found: list[TextMatch] = []
    before: MessageId | None = None
    while True:
        messages = await pages.latest(conversation, before=before, limit=_PAGE_MESSAGES)
        # On a thread: 200 long answers take a tenth of a second.
        found[:0] = await asyncio.to_thread(_matches, messages, wanted)
        if len(messages) < _PAGE_MESSAGES:
            return found
        before = messages[0].id


def _matches(messages: Sequence[Message], wanted: str) -> list[TextMatch]:
    found: list[TextMatch] = []
    for message in messages:
        results = (block for block in message.blocks if isinstance(block, ToolResult))
        shown = (widget for result in results for widget in result.widgets)
        titles = (
            each.title if isinstance(each, DashboardLink) else title_of(each) for each in shown
        )
        found += [
            TextMatch(message.id, 0, title) for title in titles if wanted in fold_in_place(title)
        ]
        found += [
            TextMatch(message.id, ordinal)
            for ordinal, _at in enumerate(occurrences(fold_in_place(message.text), wanted))
        ]
    return found


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A range in a shown text."""

    view: QTextEdit
    start: int


def find_in_views(views: Sequence[QTextEdit], words: str) -> list[TextPosition]:
    """Return the occurrences of the words in the shown texts, top to bottom."""
    wanted = fold_in_place(words.strip())
    if not wanted:
        return []
    return [
        TextPosition(view, at)
        for view in views
        for at in occurrences(fold_in_place(view.toPlainText()), wanted)
    ]


def highlight(
    views: Sequence[QTextEdit], words: str, palette: Palette, *, current: TextPosition | None
) -> None:
    """Highlight the words in these texts, the current match more strongly; none without words."""
    length = len(words.strip())
    found = find_in_views(views, words)
    for view in views:
        view.setExtraSelections(
            [
                _selection(position, length, palette, is_current=position == current)
                for position in found
                if position.view is view
            ]
        )


def _card_titled(entry: QWidget, title: str) -> QFrame | None:
    """Return the first card of an entry that is called so."""
    for card in entry.findChildren(QFrame):
        if card.property("kind") == "card" and title in card.accessibleName():
            return card
    return None


def _selection(
    position: TextPosition, length: int, palette: Palette, *, is_current: bool
) -> QTextEdit.ExtraSelection:
    cursor = QTextCursor(position.view.document())
    cursor.setPosition(position.start)
    cursor.setPosition(position.start + length, QTextCursor.MoveMode.KeepAnchor)
    words = QTextCharFormat()
    words.setBackground(QColor(mix(palette.page, palette.warn, 0.85 if is_current else 0.28)))
    words.setForeground(QColor(palette.page if is_current else palette.text))
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = words
    return selection


class SearchedConversation(Protocol):
    """A conversation on the page, in whose texts words are found and marked."""

    @property
    def conversation(self) -> ConversationId:
        """Id of the conversation."""
        ...

    @property
    def history(self) -> History:
        """Its messages, as far as they are loaded."""
        ...

    @property
    def transcript(self) -> Transcript:
        """Where its messages stand."""
        ...

    def all_text_views(self) -> list[QTextEdit]:
        """Return every text on the page, top to bottom."""
        ...

    def text_views(self, message: MessageId) -> list[QTextEdit]:
        """Return the texts of one message, top to bottom."""
        ...


class ConversationSearch(QObject):
    """Search in one conversation at a time."""

    def __init__(self, bar: FindBar, pages: MessageRepository, tasks: Tasks) -> None:
        super().__init__(bar)
        self._bar = bar
        self._pages = pages
        self._tasks = tasks
        self._view: SearchedConversation | None = None
        self._matches: list[TextMatch] = []
        self._current = 0
        bar.changed.connect(lambda words: tasks.start(self._search(words)))
        bar.step_requested.connect(lambda step: tasks.start(self._step(step)))
        bar.closed.connect(self.close)

    @property
    def matches(self) -> tuple[TextMatch, ...]:
        """Matches, oldest first."""
        return tuple(self._matches)

    def start(self, view: SearchedConversation) -> None:
        """Start searching this conversation."""
        self._view = view
        self._bar.open()
        if self._bar.search_text:
            self._tasks.start(self._search(self._bar.search_text))

    def close(self) -> None:
        """Stop searching and remove highlights."""
        if self._view is not None:
            highlight(self._view.all_text_views(), "", theme().palette, current=None)
        self._view = None
        self._matches = []
        self._bar.hide()

    async def _search(self, words: str) -> None:
        view = self._view
        if view is None:
            return
        matches = await find(self._pages, view.conversation, words)
        if view is not self._view or words != self._bar.search_text:
            return  # superseded by another search
        self._matches = matches
        self._current = max(0, len(matches) - 1)
        self._bar.set_count(self._current + 1, len(matches))
        if matches:
            await self._show_match()
        else:
            highlight(view.all_text_views(), words, theme().palette, current=None)

    async def _step(self, step: int) -> None:
        if not self._matches:
            return
        self._current = (self._current + step) % len(self._matches)
        self._bar.set_count(self._current + 1, len(self._matches))
        await self._show_match()

    async def _show_match(self) -> None:
        view = self._view
        if view is None:
            return
        match = self._matches[self._current]
        entry = await view.history.load_message(match.message)
        if entry is None or view is not self._view:
            return
        if isinstance(entry, QuestionView):
            entry.unfold()
        if match.title and (card := _card_titled(entry, match.title)) is not None:
            highlight(view.all_text_views(), self._bar.search_text, theme().palette, current=None)
            view.transcript.show_part(entry, card)
            return
        here = find_in_views(view.text_views(match.message), self._bar.search_text)
        # Stored Markdown and shown text differ where the words match only Markdown syntax.
        current = here[min(match.ordinal, len(here) - 1)] if here else None
        highlight(view.all_text_views(), self._bar.search_text, theme().palette, current=current)
        offset = 0
        if current is not None:
            cursor = current.view.textCursor()
            cursor.setPosition(current.start)
            top = current.view.cursorRect(cursor).topLeft()
            offset = current.view.mapTo(entry, top).y()
        view.transcript.scroll_to_entry(entry, offset_px=offset)
