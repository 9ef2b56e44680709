"""The bar in which words are looked for in the open conversation."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.theme import GRID_PX, Palette

_ICONS = ("chevron-up", "chevron-down", "close")


class FindBar(QFrame):
    """Words, how many places, forth and back.

    Signals:
        changed: the words to look for.
        stepped: 1 for the next place, -1 for the one before.
        closed: nothing is looked for any more.
    """

    changed = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "popover")
        self._words = QLineEdit()
        self._words.setPlaceholderText(_("Find in this conversation"))
        self._words.setAccessibleName(_("Find in this conversation"))
        self._words.setMinimumWidth(240)
        self._words.textChanged.connect(self.changed)
        self._count = QLabel()
        self._count.setProperty("role", "small")
        self._count.setMinimumWidth(64)
        self._buttons = [
            _button(_("Previous place (Shift+Enter)")),
            _button(_("Next place (Enter)")),
            _button(_("Close (Esc)")),
        ]
        back, forth, close = self._buttons
        back.clicked.connect(lambda: self.stepped.emit(-1))
        forth.clicked.connect(lambda: self.stepped.emit(1))
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID_PX, 6, 6, 6)
        row.setSpacing(4)
        row.addWidget(self._words, 1)
        row.addSpacing(4)
        row.addWidget(self._count)
        for button in self._buttons:
            row.addWidget(button)
        self.set_palette(palette)

    @property
    def words(self) -> str:
        """What is looked for."""
        return self._words.text()

    @property
    def count(self) -> str:
        """What is said of the places."""
        return self._count.text()

    def set_words(self, words: str) -> None:
        """Look for this."""
        self._words.setText(words)

    def begin(self) -> None:
        """Ready to be typed in."""
        self.show()
        self.raise_()
        self._words.setFocus()
        self._words.selectAll()

    def set_count(self, place: int, count: int) -> None:
        """The current place, from 1, of so many."""
        if not self.words.strip():
            self._count.clear()
        elif count == 0:
            self._count.setText(_("not found"))
        else:
            self._count.setText(_("{place} of {count}").format(place=place, count=count))

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        for button, name in zip(self._buttons, _ICONS, strict=True):
            button.setIcon(icon(name, palette.quiet, size_px=16))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Escape:
                self.closed.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.stepped.emit(-1 if is_shifted else 1)
            case _:
                super().keyPressEvent(event)


def _button(says: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("kind", "icon")
    button.setIconSize(QSize(16, 16))
    button.setToolTip(says)
    button.setAccessibleName(says)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
