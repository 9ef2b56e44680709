"""The person's questions on the page, asked or queued for Claude."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget
from typing_extensions import override

from qhub_desktop.core.asking import split_quote
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.message import ChosenPlan, Message, Notice, QueuedQuestion
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.chat.answer_footer import AnswerNote
from qhub_desktop.ui.chat.text_views import PlainView
from qhub_desktop.ui.controls.buttons import HoverButton, IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import (
    STRETCH,
    ElidedLabel,
    column_of,
    make_label,
    row_of,
    set_height_for_width,
    text_margin_px,
)
from qhub_desktop.ui.controls.plain_text import set_tooltip
from qhub_desktop.ui.theme import CARD_RADIUS_PX, GRID_PX, theme

_PAD_X_PX = 14
_PAD_Y_PX = 9
_MAX_SHARE = 0.84  # maximum width, as a share of the column
_BUTTON_PX = 32
# A longer question, such as rows that were pasted, shows its beginning until all of it is wanted.
_MOST_LINES, _MOST_CHARACTERS = 12, 1_200
_FOLDED_LINES = 6


class QuestionView(QWidget):
    """View of one question, `text`; what it quotes at its beginning is quiet. A long one is folded.

    Signals:
        edit_requested: edit this question.
        action_requested: what is to be done about its damage.
    """

    edit_requested = Signal()
    action_requested = Signal(str)

    def __init__(self, text: str, *, message: MessageId | None = None) -> None:
        super().__init__()
        self.message = message
        self.text_view = PlainView()
        self.text_view.setParent(self)
        self.text_view.setAccessibleName(_("Question"))
        self.text = text
        self._quoted, words = split_quote(text)
        self.text_view.setPlainText("\n".join([*self._quoted, words]))
        self._edit_button = HoverButton("pencil", _("Edit the question"))
        self._edit_button.setParent(self)
        self._edit_button.setFixedSize(_BUTTON_PX, _BUTTON_PX)
        self._edit_button.clicked.connect(self.edit_requested)
        self.damage_note: AnswerNote | None = None
        self.fold_button: TextButton | None = None  # of a long question
        self.is_folded = text.count("\n") >= _MOST_LINES or len(text) > _MOST_CHARACTERS
        if self.is_folded:
            self.fold_button = TextButton("", kind="link", parent=self, on_click=self._on_fold)
            self._show_fold()
        set_height_for_width(self)
        if self._quoted:
            theme().register(self._restyle)

    def show_damage(self, text: str) -> None:
        """Say below the words that they are damaged, with the button that repairs them."""
        self.damage_note = AnswerNote(text, icon_name="warning", action="repair")
        self.damage_note.setParent(self)
        self.damage_note.action_requested.connect(self.action_requested)
        self.text_view.setVisible(bool(self.text))

    def show_stored(self, text: str) -> None:
        """Show the words as they were stored, where something was hidden of them."""
        if text != self.text:
            self.text = text
            self._quoted, words = split_quote(text)
            self.text_view.setPlainText("\n".join([*self._quoted, words]))
            self.updateGeometry()

    def unfold(self) -> None:
        """Show all of a long question."""
        if self.is_folded:
            self._on_fold()

    def _on_fold(self) -> None:
        self.is_folded = not self.is_folded
        self._show_fold()
        self.updateGeometry()
        self.resize(self.width(), self.heightForWidth(self.width()))
        self._place()

    def _show_fold(self) -> None:
        assert self.fold_button is not None, "only a long question has one"
        lines = self.text.count("\n") + 1
        self.fold_button.set_caption(
            _("Show less")
            if not self.is_folded
            else _("Show all {count} lines").format(count=number(lines, digits=0))
            if lines > 1
            else _("Show all of it")
        )

    def _words_px(self, width: int) -> int:
        """Return the height of the words that are shown, and of the button below them."""
        words_px = self.text_view.heightForWidth(self._text_width(width))
        if self.fold_button is None:
            return words_px
        line_px = math.ceil(QFontMetricsF(self.text_view.font()).lineSpacing())  # as it is laid out
        shown_px = min(words_px, _FOLDED_LINES * line_px) if self.is_folded else words_px
        return shown_px + GRID_PX + self.fold_button.sizeHint().height()

    def _restyle(self) -> None:
        quiet = QTextCharFormat()
        quiet.setForeground(QColor(theme().palette.quiet))
        cursor = QTextCursor(self.text_view.document())
        last = self.text_view.document().findBlockByNumber(len(self._quoted) - 1)
        cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(quiet)

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        note_px = 0 if self.damage_note is None else self.damage_note.sizeHint().height()
        if note_px and not self.text:
            return note_px
        return self._words_px(width) + 2 * _PAD_Y_PX + note_px

    @override
    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(80, 0)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        width = self._text_width(self.width())
        left = self.width() - _PAD_X_PX - width
        note_px = 0
        if self.damage_note is not None:
            size = self.damage_note.sizeHint()
            note_px = size.height()
            note_width = min(size.width(), self.width())
            place = (self.width() - note_width, self.height() - note_px, note_width, note_px)
            self.damage_note.setGeometry(*place)
        words_px = self.height() - 2 * _PAD_Y_PX - note_px
        if self.fold_button is not None:
            size = self.fold_button.sizeHint()
            words_px -= size.height() + GRID_PX
            self.fold_button.setGeometry(left, _PAD_Y_PX + words_px + GRID_PX, *size.toTuple())
        self.text_view.setGeometry(left, _PAD_Y_PX, width, words_px)
        self._edit_button.move(left - _PAD_X_PX - _BUTTON_PX - 4, 2)

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._edit_button.set_shown(is_shown=self.message is not None)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._edit_button.set_shown(is_shown=False)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.damage_note is not None and not self.text:
            return  # there are no words left
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().palette.user_message))
        box = self.text_view.geometry().adjusted(-_PAD_X_PX, -_PAD_Y_PX, _PAD_X_PX, _PAD_Y_PX)
        if self.fold_button is not None:
            box.setBottom(self.fold_button.geometry().bottom() + _PAD_Y_PX)
        painter.drawRoundedRect(QRectF(box), CARD_RADIUS_PX, CARD_RADIUS_PX)

    def _text_width(self, width: int) -> int:
        most = round(width * _MAX_SHARE) - 2 * _PAD_X_PX
        return min(most, math.ceil(self.text_view.natural_width()) + 2)


MAX_CARDS = 3  # to leave room for the conversation; the status bar lists all
OFFLINE = "offline"
_SIGN_PX = 18


def is_unanswered(question: Message, answer: Message) -> bool:
    """Whether Claude should have answered this question and did not."""
    if question.role != "user" or answer.role != "assistant" or answer.end is None:
        return False
    if any(isinstance(block, ChosenPlan) for block in question.blocks):
        return False  # a choice offered by the offline engine
    faults = {block.kind for block in answer.blocks if isinstance(block, Notice)}
    return answer.engine == OFFLINE or not faults.isdisjoint(("network", "key"))


def state_text(question: QueuedQuestion) -> str:
    """Return what a queued question waits for, and since when."""
    when = question.created.astimezone().strftime("%H:%M")
    match question.state:
        case "sending":
            words = _("Being answered…")
        case "failed":
            words = _("Not answered: {why}").format(why=question.error)
        case _:
            words = question.error or _("Waiting for a network")
    return f"{words} · {when}"


class QueueOffer(QWidget):
    """Offer to queue a question for Claude, under an answer that is not Claude's.

    Signals:
        queue_requested: the button was pressed.
    """

    queue_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = _("Ask Claude when there is a network")
        self.button = TextButton(words, icon_name="clock", on_click=self.queue_requested)
        row_of(self.button, STRETCH, owner=self, spacing=None)


class QueuedCard(QFrame):
    """Card of one queued question, with buttons to withdraw or renew it.

    Signals:
        withdrawn, renewed: withdraw the question, or try it again.
    """

    withdrawn = Signal()
    renewed = Signal()

    def __init__(self, question: QueuedQuestion) -> None:
        super().__init__()
        self.question = question
        self.setProperty("kind", "card")
        self.setAccessibleName(question.text)
        has_failed = question.state == "failed"
        sign = IconLabel("clock", size_px=_SIGN_PX)
        if has_failed:
            sign.show_icon("warning", "bad")
        self._text_label = ElidedLabel()
        self._text_label.setText(" ".join(question.text.split()))
        set_tooltip(self._text_label, question.text)
        self.state_label = make_label(state_text(question), role="small", is_wrapped=True)
        self.state_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        lines = column_of(self._text_label, self.state_label, spacing=2)
        self.withdraw_button = TextButton(_("Withdraw"), on_click=self.withdrawn)
        self.withdraw_button.setVisible(question.state != "sending")
        self.renew_button = TextButton(_("Try again"), on_click=self.renewed)
        self.renew_button.setVisible(has_failed)
        row_of(
            (sign, 0, Qt.AlignmentFlag.AlignVCenter),
            (lines, 1),
            self.renew_button,
            self.withdraw_button,
            owner=self,
            margins=(12, GRID_PX, GRID_PX, GRID_PX),
            spacing=10,
        )

    @property
    def text(self) -> str:
        """Text of the question."""
        return self.question.text


class QueuedStrip(QWidget):
    """Queued questions of one conversation, above the composer.

    Signals:
        withdrawn, renewed: a question's number.
    """

    withdrawn = Signal(int)
    renewed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[QueuedQuestion, ...] = ()
        self._texts: set[str] = set()  # including one being answered
        self.cards: list[QueuedCard] = []
        self._more_label = make_label(role="small")
        self._column = column_of(self._more_label, owner=self, margins=None, spacing=GRID_PX // 2)
        self.hide()

    def contains(self, text: str) -> bool:
        """Whether this question is queued here."""
        return text.strip() in self._texts

    def show_questions(self, questions: Sequence[QueuedQuestion]) -> None:
        """Show these questions in the order of asking, without one that is being answered."""
        self._texts = {each.text for each in questions}
        shown = tuple(each for each in questions if each.state != "sending")
        if shown == self._shown:
            return
        self._shown = shown
        for card in self.cards:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [self._card(each) for each in shown[:MAX_CARDS]]
        for place, card in enumerate(self.cards):
            self._column.insertWidget(place, card)
        left = len(shown) - len(self.cards)
        words = _("and {count} more").format(count=left)
        self._more_label.setText(words)
        self._more_label.setVisible(left > 0)
        self.setVisible(bool(shown))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        # As wide as the column of the conversation.
        side = text_margin_px(self.width())
        self._column.setContentsMargins(side, 0, side, GRID_PX)
        super().resizeEvent(event)

    def _card(self, question: QueuedQuestion) -> QueuedCard:
        card = QueuedCard(question)
        card.withdrawn.connect(lambda: self.withdrawn.emit(question.id))
        card.renewed.connect(lambda: self.renewed.emit(question.id))
        return card
