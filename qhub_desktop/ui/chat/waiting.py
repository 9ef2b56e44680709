"""Questions that wait for Claude, in the conversation that they were asked in."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.messages import Message, Notice
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.understanding import Wanted
from qhub_desktop.core.waiting import Waiting
from qhub_desktop.ui.buttons import WordButton
from qhub_desktop.ui.elided_label import ElidedLabel
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.theme import GRID_PX, TEXT_WIDTH_PX, Palette

MOST_CARDS = 3  # the conversation needs the room; the status bar has them all
OFFLINE = "offline"
_EDGE_PX = 3 * GRID_PX
_SIGN_PX = 18


def is_unanswered(question: Message, answer: Message) -> bool:
    """Whether Claude was meant, and it was not Claude who answered."""
    if question.role != "user" or answer.role != "assistant" or answer.end is None:
        return False
    if any(isinstance(block, Wanted) for block in question.blocks):
        return False  # the person chose what the offline engine offered
    faults = {block.kind for block in answer.blocks if isinstance(block, Notice)}
    return answer.engine == OFFLINE or not faults.isdisjoint(("network", "key"))


def state_words(question: Waiting) -> str:
    """What is said of it: what it waits for, and since when."""
    when = question.created.astimezone().strftime("%H:%M")
    match question.state:
        case "sending":
            words = _("Being answered…")
        case "failed":
            words = _("Not answered: {why}").format(why=question.error)
        case _:
            words = question.error or _("Waiting for a network")
    return f"{words} · {when}"


class WaitOffer(QWidget):
    """Under an answer that is not Claude's.

    Signals:
        acted: the button was pressed.
    """

    acted = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        words = _("Ask Claude when there is a network")
        self.button = WordButton(words, palette, icon_name="clock")
        self.button.clicked.connect(self.acted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        row.addStretch(1)

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self.button.set_palette(palette)


class WaitingCard(QFrame):
    """One question that waits, and the way to take it back.

    Signals:
        withdrawn, renewed: the person does not want it any more, or wants it tried again.
    """

    withdrawn = Signal()
    renewed = Signal()

    def __init__(self, question: Waiting, palette: Palette) -> None:
        super().__init__()
        self.question = question
        self.setProperty("kind", "card")
        self.setAccessibleName(question.text)
        self._sign = QLabel()
        words = " ".join(question.text.split())
        self._text = ElidedLabel()
        self._text.setText(words)
        self._text.setToolTip(question.text)
        self.state = QLabel(state_words(question))
        self.state.setProperty("role", "small")
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setWordWrap(True)
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        lines = QVBoxLayout()
        lines.setSpacing(2)
        lines.addWidget(self._text)
        lines.addWidget(self.state)
        self.withdraw = WordButton(_("Withdraw"), palette)
        self.withdraw.clicked.connect(self.withdrawn)
        self.withdraw.setVisible(question.state != "sending")
        self.renew = WordButton(_("Try again"), palette)
        self.renew.clicked.connect(self.renewed)
        self.renew.setVisible(question.state == "failed")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, GRID_PX, GRID_PX, GRID_PX)
        row.setSpacing(10)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(lines, 1)
        row.addWidget(self.renew)
        row.addWidget(self.withdraw)
        self.set_palette(palette)

    @property
    def text(self) -> str:
        """The question."""
        return self.question.text

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        has_failed = self.question.state == "failed"
        name, colour = ("warning", palette.bad) if has_failed else ("clock", palette.quiet)
        ratio = self.devicePixelRatioF()
        self._sign.setPixmap(pixmap(name, colour, size_px=_SIGN_PX, ratio=ratio))
        for button in (self.withdraw, self.renew):
            button.set_palette(palette)


class WaitingStrip(QWidget):
    """What waits in one conversation, between what was said and what is being typed.

    Signals:
        withdrawn, renewed: a question's number.
    """

    withdrawn = Signal(int)
    renewed = Signal(int)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._shown: tuple[Waiting, ...] = ()
        self._texts: set[str] = set()  # of one that is being answered, too
        self.cards: list[WaitingCard] = []
        self._more = QLabel()
        self._more.setProperty("role", "small")
        self._column = QVBoxLayout(self)
        self._column.setSpacing(GRID_PX // 2)
        self._column.addWidget(self._more)
        self.hide()

    def has(self, text: str) -> bool:
        """Whether this question waits here."""
        return text.strip() in self._texts

    def show_waiting(self, questions: Sequence[Waiting]) -> None:
        """Show these, the first asked first; nothing of one that is being answered above."""
        self._texts = {each.text for each in questions}
        shown = tuple(each for each in questions if each.state != "sending")
        if shown == self._shown:
            return
        self._shown = shown
        for card in self.cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [self._card(each) for each in shown[:MOST_CARDS]]
        for place, card in enumerate(self.cards):
            self._column.insertWidget(place, card)
        left = len(shown) - len(self.cards)
        words = _("and {count} more").format(count=left)
        self._more.setText(words)
        self._more.setVisible(left > 0)
        self.setVisible(bool(shown))

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._palette = palette
        for card in self.cards:
            card.set_palette(palette)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        # As wide as the column above.
        side = max(_EDGE_PX, (self.width() - TEXT_WIDTH_PX) // 2)
        self._column.setContentsMargins(side, 0, side, GRID_PX)
        super().resizeEvent(event)

    def _card(self, question: Waiting) -> WaitingCard:
        card = WaitingCard(question, self._palette)
        card.withdrawn.connect(lambda: self.withdrawn.emit(question.id))
        card.renewed.connect(lambda: self.renewed.emit(question.id))
        return card
