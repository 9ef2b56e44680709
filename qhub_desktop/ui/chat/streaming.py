"""Text that is still being written: frozen segments above, a tail that is rendered anew."""

import time
from collections.abc import Iterator

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from qhub_desktop.ui.chat.cutting import cut, parts
from qhub_desktop.ui.chat.markdown_view import MarkdownView
from qhub_desktop.ui.theme import Palette

_ANY_HEIGHT_PX = 16_777_215  # Qt's own "no limit"


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
        """No more words will come: render them all once more, a little at each step."""
        if not self._views:
            return
        self._tail = ""
        # The new parts are not where the old ones were cut: what is half done is not to be seen.
        self.setFixedHeight(self.height())
        self.setUpdatesEnabled(False)
        try:
            yield from self._finished(parts(self._text))
        finally:
            self.setMinimumHeight(0)
            self.setMaximumHeight(_ANY_HEIGHT_PX)
            self.setUpdatesEnabled(True)

    def show_whole(self, text: str) -> None:
        """Words that are complete from the start."""
        self._text = text
        for part in parts(text):
            self._append().set_markdown(part)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        for view in self._views:
            view.set_palette(palette)

    def _finished(self, whole: list[str]) -> Iterator[None]:
        while len(self._views) < len(whole):
            self._append()
        for view, part in zip(self._views, whole, strict=False):
            yield from view.set_markdown_in_slices(part)
            yield
        for view in self._views[len(whole) :]:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        del self._views[len(whole) :]

    def _last(self) -> MarkdownView:
        return self._views[-1] if self._views else self._append()

    def _append(self) -> MarkdownView:
        view = MarkdownView(self._palette)
        self._views.append(view)
        self._column.addWidget(view)
        return view
