"""Something under way in a narrow place: what is being done, how far it is, and a way out."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton
from qhub_desktop.ui.theme import Palette


class ProgressLine(QWidget):
    """Removed by whoever began the work.

    Signals:
        cancelled: the person does not want it any more.
    """

    cancelled = Signal()

    def __init__(self, words: str, palette: Palette) -> None:
        super().__init__()
        self._words = QLabel(words)
        self._words.setProperty("role", "small")
        self._words.setWordWrap(True)
        self._words.setMinimumWidth(24)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._close = IconButton("close", _("Cancel"), palette)
        self._close.clicked.connect(self.cancelled)
        words_and_bar = QVBoxLayout()
        words_and_bar.setSpacing(4)
        words_and_bar.addWidget(self._words)
        words_and_bar.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 0, 0)
        row.setSpacing(4)
        row.addLayout(words_and_bar, 1)
        row.addWidget(self._close)

    def set_progress(self, words: str, share: float | None) -> None:
        """What is being done, and how much of it is done (0 to 1)."""
        self._words.setText(words)
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))

    def press_cancel(self) -> None:
        """As if the cross had been pressed."""
        self._close.click()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._close.set_palette(palette)
