"""Something that can be done about what was just seen: a sentence, and a button for each way."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.flow import Flow
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.theme import Palette

Action = tuple[str, Callable[[], object]]


class OfferBox(QFrame):
    """Quiet, in the place it is about; goes when one of its buttons, or its cross, is pressed.

    Signals:
        dismissed: it has gone.
    """

    dismissed = Signal()

    def __init__(self, words: str, actions: Sequence[Action], palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "offer")
        self.setAccessibleName(words)
        self._is_gone = False
        self._sign = QLabel()
        self._said = QLabel(words)
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._said.setWordWrap(True)
        self._said.setMinimumWidth(24)
        self._close = IconButton("close", _("Not now"), palette)
        self._close.clicked.connect(self.dismiss)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self._said, 1)
        top.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.buttons: list[WordButton] = []
        row = Flow(spacing_px=6)
        for position, (label, run) in enumerate(actions):
            button = WordButton(label, palette, kind="primary" if position == 0 else "")
            button.clicked.connect(lambda *_clicked, run=run: self._on_chosen(run))
            self.buttons.append(button)
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 4, 10)
        column.setSpacing(6)
        column.addLayout(top)
        if self.buttons:
            column.addLayout(row)
        self.set_palette(palette)

    @property
    def words(self) -> str:
        """What it says."""
        return self._said.text()

    def dismiss(self) -> None:
        """Not to be seen any more."""
        if not self._is_gone:
            self._is_gone = True
            self.hide()
            self.deleteLater()
            self.dismissed.emit()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        ratio = self.devicePixelRatioF()
        self._sign.setPixmap(pixmap("info", palette.accent, size_px=18, ratio=ratio))
        self._close.set_palette(palette)
        for button in self.buttons:
            button.set_palette(palette)

    def _on_chosen(self, run: Callable[[], object]) -> None:
        self.dismiss()
        run()
