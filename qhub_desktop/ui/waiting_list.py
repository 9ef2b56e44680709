"""Everything that waits for Claude, in a list over the status bar."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.waiting import Waiting
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.chat.waiting import WaitingCard
from qhub_desktop.ui.popup_frame import PopupFrame
from qhub_desktop.ui.theme import Palette

WIDTH_PX = 420
MOST_HEIGHT_PX = 380
GAP_PX = 6
EDGE_PX = 16


class WaitingList(PopupFrame):
    """In the order of asking; closes at the next click elsewhere, or when nothing waits.

    Signals:
        withdrawn, renewed: a question's number.
        send_wanted: the network is to be tried now.
    """

    withdrawn = Signal(int)
    renewed = Signal(int)
    send_wanted = Signal()

    def __init__(self, palette: Palette, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._palette = palette
        self.cards: list[WaitingCard] = []
        self._shown: tuple[Waiting, ...] = ()
        heading = QLabel(_("Waiting for Claude"))
        heading.setProperty("role", "heading")
        meaning = QLabel(_("Sent in this order as soon as there is a network."))
        meaning.setProperty("role", "quiet")
        meaning.setWordWrap(True)
        self.send = WordButton(_("Try now"), palette, icon_name="retry")
        self.send.clicked.connect(self.send_wanted)
        inside = QWidget()
        self._rows = QVBoxLayout(inside)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(GAP_PX)
        self._rows.addStretch(1)
        self._inside = inside
        self._scrolled = QScrollArea()
        self._scrolled.setFrameShape(QFrame.Shape.NoFrame)
        self._scrolled.setWidgetResizable(True)
        self._scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scrolled.viewport().setAutoFillBackground(False)
        self._scrolled.setWidget(inside)
        inside.setAutoFillBackground(False)
        foot = QHBoxLayout()
        foot.addWidget(self.send)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(EDGE_PX, 14, EDGE_PX, 14)
        column.setSpacing(8)
        column.addWidget(heading)
        column.addWidget(meaning)
        column.addWidget(self._scrolled)
        column.addLayout(foot)
        self.setFixedWidth(WIDTH_PX)

    def show_waiting(self, questions: Sequence[Waiting]) -> None:
        """Show these instead."""
        if not questions:
            self.close()
            return
        if tuple(questions) == self._shown:
            return
        self._shown = tuple(questions)
        for card in self.cards:
            self._rows.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [self._card(each) for each in questions]
        for place, card in enumerate(self.cards):
            self._rows.insertWidget(place, card)
        self._fit()

    def open_above(self, anchor: QWidget) -> None:
        """Open over the widget that it was asked for with."""
        self._fit()
        place = anchor.mapToGlobal(QPoint(0, -self.height() - GAP_PX))
        self.move(max(place.x(), 0), max(place.y(), 0))
        self.show()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the questions need, now that it is known how wide their words are."""
        for each in (self, *self.findChildren(QWidget)):
            each.ensurePolished()
        wide = WIDTH_PX - 2 * EDGE_PX
        needed = sum(card.heightForWidth(wide) + GAP_PX for card in self.cards) - GAP_PX
        self._scrolled.setFixedHeight(min(needed, MOST_HEIGHT_PX))
        self.adjustSize()

    def _card(self, question: Waiting) -> WaitingCard:
        card = WaitingCard(question, self._palette)
        card.withdrawn.connect(lambda: self.withdrawn.emit(question.id))
        card.renewed.connect(lambda: self.renewed.emit(question.id))
        return card
