"""Card under an answer that a person found poor: why, in a word or in their own."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from qhub_desktop.core.feedback import LONGEST_WORDS, REASON_LABELS, REASONS, Reason
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import ElidedButton
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    FlowLayout,
    column_of,
    make_label,
    row_of,
    set_height_for_width,
)
from qhub_desktop.ui.theme import GRID_PX


class FeedbackCard(QFrame):
    """Reasons to choose one of, and a line for words. Nothing is told before it is sent.

    Signals:
        sent: the reason ("" for none) and the words.
        dismissed: nothing is to be told.
    """

    sent = Signal(str, str)
    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        title = _("What was wrong?")
        self.setAccessibleName(title)
        self._reason: Reason = ""
        flow = FlowLayout(spacing_px=6)
        tiles = QWidget()
        tiles.setLayout(flow)
        set_height_for_width(tiles)
        self.reasons: dict[Reason, ElidedButton] = {}
        for reason in REASONS:
            button = ElidedButton(_(REASON_LABELS[reason]), kind="tile")
            button.setCheckable(True)
            button.clicked.connect(lambda _on=False, reason=reason: self._choose(reason))
            flow.addWidget(button)
            self.reasons[reason] = button
        words = _("In your own words, if you like…")
        self.text_box = text_field(words, placeholder=words, most=LONGEST_WORDS)
        self.text_box.returnPressed.connect(self._send)
        self.notice = make_label(
            _("Whoever reviews the answers here will see this question and its answer."),
            role="small",
            is_wrapped=True,
        )
        self.send_button = ElidedButton(_("Send to review"), kind="primary")
        self.send_button.clicked.connect(self._send)
        self.dismiss_button = ElidedButton(_("Tell nobody"))
        self.dismiss_button.clicked.connect(self.dismissed)
        column_of(
            make_label(title, role="heading"),
            tiles,
            self.text_box,
            self.notice,
            row_of(self.send_button, self.dismiss_button, STRETCH),
            owner=self,
            margins=(2 * GRID_PX, 14),
        )

    def _choose(self, reason: Reason) -> None:
        self._reason = reason if self.reasons[reason].isChecked() else ""
        for each, button in self.reasons.items():
            button.setChecked(each == self._reason)

    def _send(self) -> None:
        self.sent.emit(self._reason, self.text_box.text().strip())


def ask_why(answer: QWidget) -> FeedbackCard:
    """Show a card below an answer that asks what was wrong with it."""
    stop_asking(answer)
    card = FeedbackCard()
    column = answer.layout()
    assert column is not None, "an answer is a column"
    column.addWidget(card)
    return card


def stop_asking(answer: QWidget) -> None:
    """Take away the card that asks what was wrong with an answer, if there is one."""
    for card in answer.findChildren(FeedbackCard):
        card.hide()
        card.deleteLater()
