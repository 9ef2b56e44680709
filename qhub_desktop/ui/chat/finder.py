"""Find in conversation: the bar, the places found, and going from one to the next."""

from PySide6.QtCore import QObject

from qhub_desktop.ui.chat.conversation_view import ConversationView
from qhub_desktop.ui.chat.find_bar import FindBar
from qhub_desktop.ui.chat.finding import Match, find, mark, spots
from qhub_desktop.ui.chat.partners import Pages
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import Palette


class Finder(QObject):
    """Looks in one conversation at a time."""

    def __init__(self, bar: FindBar, pages: Pages, tasks: Tasks, palette: Palette) -> None:
        super().__init__(bar)
        self._bar = bar
        self._pages = pages
        self._tasks = tasks
        self._palette = palette
        self._view: ConversationView | None = None
        self._matches: list[Match] = []
        self._place = 0
        bar.changed.connect(lambda words: tasks.start(self._look_for(words)))
        bar.stepped.connect(lambda step: tasks.start(self._step(step)))
        bar.closed.connect(self.close)

    @property
    def matches(self) -> tuple[Match, ...]:
        """Every place found, oldest first."""
        return tuple(self._matches)

    def begin(self, view: ConversationView) -> None:
        """Look in this conversation."""
        self._view = view
        self._bar.begin()
        if self._bar.words:
            self._tasks.start(self._look_for(self._bar.words))

    def close(self) -> None:
        """Nothing is looked for any more."""
        if self._view is not None:
            mark(self._view.all_texts(), "", self._palette, current=None)
        self._view = None
        self._matches = []
        self._bar.hide()

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        self._bar.set_palette(palette)

    async def _look_for(self, words: str) -> None:
        view = self._view
        if view is None:
            return
        matches = await find(self._pages, view.conversation, words)
        if view is not self._view or words != self._bar.words:
            return  # something else is looked for by now
        self._matches = matches
        self._place = max(0, len(matches) - 1)
        self._bar.set_count(self._place + 1, len(matches))
        if matches:
            await self._go()
        else:
            mark(view.all_texts(), words, self._palette, current=None)

    async def _step(self, step: int) -> None:
        if not self._matches:
            return
        self._place = (self._place + step) % len(self._matches)
        self._bar.set_count(self._place + 1, len(self._matches))
        await self._go()

    async def _go(self) -> None:
        view = self._view
        if view is None:
            return
        match = self._matches[self._place]
        entry = await view.history.reach(match.message)
        if entry is None or view is not self._view:
            return
        here = spots(view.texts(match.message), self._bar.words)
        # Stored Markdown and shown text may differ by what is only a sign of Markdown.
        current = here[min(match.ordinal, len(here) - 1)] if here else None
        mark(view.all_texts(), self._bar.words, self._palette, current=current)
        offset = 0
        if current is not None:
            cursor = current.view.textCursor()
            cursor.setPosition(current.start)
            top = current.view.cursorRect(cursor).topLeft()
            offset = current.view.mapTo(entry, top).y()
        view.transcript.reveal(entry, offset_px=offset)
