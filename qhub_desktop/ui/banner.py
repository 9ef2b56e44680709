"""What went wrong, or has come, under the top bar: one sentence, a button, a way to close it."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.theme import Palette


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button that does something about it."""

    words: str
    run: Callable[[], object]


class Banner(QFrame):
    """Shows the last thing that went wrong or came, until it is closed or dealt with."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "banner")
        self._remedy: Remedy | None = None
        self._palette = palette
        self._is_note = False
        self._sign = QLabel()
        self._said = QLabel()
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._said.setWordWrap(True)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remedy_button = WordButton("", palette)
        self.remedy_button.clicked.connect(self._on_clicked)
        self._close = IconButton("close", _("Close"), palette)
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(8)
        row.addWidget(self._sign)
        row.addWidget(self._said, 1)
        row.addWidget(self.remedy_button)
        row.addWidget(self._close)
        self.set_palette(palette)
        self.hide()

    def tell(self, sentence: str, remedy: Remedy | None = None) -> None:
        """Show what went wrong, instead of an earlier sentence."""
        self._show(sentence, remedy, is_note=False)

    def note(self, sentence: str, remedy: Remedy | None = None) -> None:
        """Show something good to know; not in the place of what went wrong."""
        if self.isHidden() or self._is_note:
            self._show(sentence, remedy, is_note=True)

    def _show(self, sentence: str, remedy: Remedy | None, *, is_note: bool) -> None:
        self._is_note = is_note
        kind = "note" if is_note else "banner"
        if self.property("kind") != kind:
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)
        self.set_palette(self._palette)
        self._said.setText(sentence)
        self.setAccessibleName(sentence)
        self._remedy = remedy
        self.remedy_button.setVisible(remedy is not None)
        self.remedy_button.setText(remedy.words if remedy else "")
        self.show()

    @property
    def sentence(self) -> str:
        """What is shown; nothing while hidden."""
        return "" if self.isHidden() else self._said.text()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        ratio = self.devicePixelRatioF()
        name, colour = ("cloud", palette.good) if self._is_note else ("warning", palette.bad)
        self._sign.setPixmap(pixmap(name, colour, size_px=20, ratio=ratio))
        self._close.set_palette(palette)

    def _on_clicked(self) -> None:
        remedy, self._remedy = self._remedy, None
        self.hide()
        if remedy is not None:
            remedy.run()
