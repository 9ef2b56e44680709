"""The cards of a dashboard in a column: their order, widths and names."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.dashboard import Contents, PinnedCard, Width
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import mark
from qhub_desktop.tools.dashboard_cards import WIDTHS, moved, renamed, resized, without
from qhub_desktop.ui.buttons import IconButton
from qhub_desktop.ui.theme import GRID_PX, Palette

WIDTH_PX = 320
_SHARES: dict[Width, str] = {
    3: mark("a quarter"),
    4: mark("a third"),
    6: mark("half"),
    8: mark("two thirds"),
    12: mark("the whole width"),
}
Change = Callable[[Contents], Contents]


class CardList(QFrame):
    """Moves, widens, renames and takes off.

    Signals:
        changed: what is to be done, as a function from the contents before to those after.
    """

    changed = Signal(object)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "panel")
        self.setFixedWidth(WIDTH_PX)
        self._palette = palette
        self.rows: list[CardRow] = []
        inside = QWidget()
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(GRID_PX, 0, GRID_PX, GRID_PX)
        self._list.setSpacing(GRID_PX)
        self._list.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        heading = QLabel(_("Cards"))
        heading.setProperty("role", "heading")
        heading.setContentsMargins(GRID_PX, GRID_PX, GRID_PX, GRID_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(heading)
        column.addWidget(scroll, 1)

    def show_cards(self, cards: Sequence[PinnedCard]) -> None:
        """Show these, in their order."""
        for row in self.rows:
            self._list.removeWidget(row)
            row.deleteLater()
        self.rows = [CardRow(card, self._palette) for card in cards]
        for place, row in enumerate(self.rows):
            row.changed.connect(self.changed)
            self._list.insertWidget(place, row)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        for row in self.rows:
            row.set_palette(palette)


class CardRow(QFrame):
    """One card.

    Signals:
        changed: as the list's.
    """

    changed = Signal(object)

    def __init__(self, card: PinnedCard, palette: Palette) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._card = card
        self.name = QLineEdit(card.title)
        self.name.setAccessibleName(_("Name of the card"))
        self.name.editingFinished.connect(self._on_editing_finished)
        self.width_box = QComboBox()
        self.width_box.setAccessibleName(_("Width of {title}").format(title=card.title))
        for width in WIDTHS:
            self.width_box.addItem(_(_SHARES[width]))
        self.width_box.setMinimumContentsLength(8)
        self.width_box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.width_box.setCurrentIndex(WIDTHS.index(card.width))
        self.width_box.activated.connect(
            lambda at: self._change(partial(resized, card=card.id, width=WIDTHS[at]))
        )
        up = _("Move {title} forward").format(title=card.title)
        down = _("Move {title} back").format(title=card.title)
        off = _("Take {title} off").format(title=card.title)
        self.up = IconButton("chevron-up", up, palette)
        self.up.clicked.connect(lambda: self._change(partial(moved, card=card.id, step=-1)))
        self.down = IconButton("chevron-down", down, palette)
        self.down.clicked.connect(lambda: self._change(partial(moved, card=card.id, step=1)))
        self.off = IconButton("trash", off, palette)
        self.off.clicked.connect(lambda: self._change(partial(without, card=card.id)))
        doing = QHBoxLayout()
        doing.addWidget(self.width_box, 1)
        for button in (self.up, self.down, self.off):
            doing.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(GRID_PX, GRID_PX, GRID_PX, GRID_PX)
        column.addWidget(self.name)
        column.addLayout(doing)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        for button in (self.up, self.down, self.off):
            button.set_palette(palette)

    def _change(self, change: Change) -> None:
        self.changed.emit(change)

    def _on_editing_finished(self) -> None:
        title = self.name.text().strip()
        if title and title != self._card.title:
            self._change(partial(renamed, card=self._card.id, title=title))
