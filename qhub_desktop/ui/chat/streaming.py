"""Text that is still being written: frozen segments above, a tail that is rendered anew."""

import time
from collections.abc import Iterator

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from qhub_desktop.ui.chat.cutting import cut
from qhub_desktop.ui.chat.markdown_view import MarkdownView
from qhub_desktop.ui.theme import Palette


class StreamedText(QWidget):
    """One stretch of an answer's words, in Markdown."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._text = ""
        self._tail = ""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._views: list[MarkdownView] = []
        self.cost_s = 0.0  # of the last rendering, for whoever decides when the next one is due
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def text(self) -> str:
        """All the words so far."""
        return self._text

    @property
    def views(self) -> tuple[MarkdownView, ...]:
        """What shows them, top to bottom."""
        return tuple(self._views)

    def add(self, words: str) -> None:
        """Some more words; what cannot change any more is not rendered again."""
        started = time.perf_counter()
        self._text += words
        self._tail += words
        while parted := cut(self._tail):
            self._last().set_markdown(parted.head, is_final=False)
            self._tail = parted.tail
            self._append()
        self._last().set_markdown(self._tail, is_final=False)
        self.cost_s = time.perf_counter() - started

    def finish(self) -> Iterator[None]:
        """No more words will come: render them all as one, a little at each step."""
        if not self._views:
            return
        whole, *others = self._views
        self._tail = self._text
        yield from whole.set_markdown_in_slices(self._text)
        for view in others:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        self._views = [whole]

    def show_whole(self, text: str) -> None:
        """Words that are complete from the start."""
        self._text = self._tail = text
        self._last().set_markdown(text)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        for view in self._views:
            view.set_palette(palette)

    def _last(self) -> MarkdownView:
        return self._views[-1] if self._views else self._append()

    def _append(self) -> MarkdownView:
        view = MarkdownView(self._palette)
        self._views.append(view)
        self._column.addWidget(view)
        return view
