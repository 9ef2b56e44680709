"""Card of a question in the middle of an answer: options, words of one's own, or neither."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QWidget
from typing_extensions import override

from qhub_desktop.core.asking import (
    ANSWERED_ELSEWHERE,
    PersonAnswer,
    StoredQuestion,
    answer_words,
    read_answer,
    read_reply,
)
from qhub_desktop.core.codec import Json
from qhub_desktop.core.message import Clarification, ToolResult
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import with_signs
from qhub_desktop.ui.chat.approvals import READ_MS, leave_card
from qhub_desktop.ui.controls.buttons import ElidedButton
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of
from qhub_desktop.ui.theme import GRID_PX

MINUTE_S = 60
LONGEST_ANSWER = 2_000  # characters
LOOKED_AFTER_MS = 1_000  # between two looks at whether another program was given a late answer


class AskCard(QFrame):
    """Card of a question. While the answer waits, it can be answered or skipped; later, answered.

    Signals:
        answered: the PersonAnswer that the answer waits for.
        skipped: the answer is to go on without one.
        touched: a key was pressed or an option marked.
        answered_late: the PersonAnswer, where nobody waits any more.
        looked_after: it may have been answered elsewhere; every second, where it can be late.
    """

    answered = Signal(object)
    skipped = Signal()
    touched = Signal()
    answered_late = Signal(object)
    looked_after = Signal()

    def __init__(self, question: Clarification) -> None:
        super().__init__()
        self.question = question
        self.setProperty("kind", "card")
        self.setAccessibleName(with_signs(question.text))
        self._is_waiting = True
        self._is_read = False
        self._can_answer_late = True
        self._look_timer = QTimer(self)
        self._look_timer.setInterval(LOOKED_AFTER_MS)
        self._look_timer.timeout.connect(self._look_after)
        self._form = QWidget()
        self._form.setProperty("kind", "roomy")  # for gloves, whatever the mode
        self.verdict = make_label(_wait_words(question), role="quiet", is_wrapped=True)
        if not self.verdict.text():
            self.verdict.hide()
        column = column_of(owner=self._form)
        if question.is_multiple:
            column.addWidget(make_label(_("You can mark several, then send."), role="quiet"))
        self.options = [
            ElidedButton(with_signs(choice.label), kind="tile") for choice in question.choices
        ]
        for button, choice in zip(self.options, question.choices, strict=True):
            button.setCheckable(question.is_multiple)
            button.clicked.connect(lambda _on=False, label=choice.label: self._on_pressed(label))
            column.addWidget(button)
        words = _("Another answer…") if question.choices else _("Your answer…")
        self.text_box = text_field(words, placeholder=words, most=LONGEST_ANSWER)
        self.text_box.textEdited.connect(lambda _text: self._touch())
        self.text_box.returnPressed.connect(self._send)
        self.text_box.setVisible(question.takes_text)
        self.send_button = ElidedButton(_("Send answer"), kind="primary")
        self.send_button.clicked.connect(self._send)
        self.send_button.setVisible(question.takes_text or question.is_multiple)
        self.send_button.setEnabled(False)
        self.skip_button = ElidedButton(_("Skip"))
        self.skip_button.clicked.connect(self._skip)
        column.addWidget(self.text_box)
        column.addLayout(row_of(self.send_button, self.skip_button, STRETCH))
        title = make_label(with_signs(question.text), role="heading", is_wrapped=True)
        column_of(title, self._form, self.verdict, owner=self, margins=(2 * GRID_PX, 14))

    @property
    def is_open(self) -> bool:
        """Whether it can be answered, at once or late."""
        return not self._form.isHidden()

    @property
    def is_waiting(self) -> bool:
        """Whether an answer waits for this one."""
        return self.is_open and self._is_waiting

    def take_words(self, words: str) -> bool:
        """Put words that were typed elsewhere into the field, to be sent with Enter; return whether
        there is one.
        """
        if not self.is_waiting or self.text_box.isHidden():
            return False
        self.text_box.setText(words)
        self.text_box.setFocus()
        self._touch()
        return True

    def end_wait(self) -> None:
        """Let the question be answered late alone: nobody waits any more. What is typed stays."""
        if not self.is_waiting:
            return
        self._is_waiting = False
        self.skip_button.hide()
        self.verdict.setText(
            _("The answer no longer waits for yours. You can still send it, as your next message.")
        )
        self.verdict.show()
        self._look_timer.start()
        self.set_late_enabled(can_answer=self._can_answer_late)

    def set_late_enabled(self, *, can_answer: bool) -> None:
        """Let a late answer be sent, or not: while another answer is under way."""
        self._can_answer_late = can_answer
        if not (self._is_waiting or can_answer):
            leave_card(self)
        self._form.setEnabled(self._is_waiting or can_answer)

    def close_with(self, verdict: str) -> None:
        """Show what became of the question."""
        leave_card(self)
        self._look_timer.stop()
        self._form.hide()
        self.verdict.setText(verdict)
        self.verdict.show()

    def show_result(self, result: ToolResult) -> None:
        """Show what came of the question, wherever it was answered."""
        if (answer := read_reply(result.content)) is not None:
            self.close_with(_answered(answer))
        elif result.is_error and ANSWERED_ELSEWHERE in str(result.content):
            self.close_with(_("This question was answered elsewhere before."))

    def show_stored(self, stored: StoredQuestion, result: Json) -> None:
        """Show what became of a stored question, whose call had this result."""
        reply = read_reply(result)
        if isinstance(reply, PersonAnswer):
            self.close_with(_answered(reply))
        elif stored.state == "answered":
            self.close_with(_("You answered later."))
        elif stored.state == "skipped":
            self.close_with(_("You skipped this question."))
        else:
            self.end_wait()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        focused = self.focusWidget()
        if isinstance(focused, ElidedButton):
            focused.click()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(READ_MS, self, self._on_read)

    def _on_read(self) -> None:
        self._is_read = True

    def _look_after(self) -> None:
        if self.isVisible():
            self.looked_after.emit()

    def _touch(self) -> None:
        self.send_button.setEnabled(bool(self._marked() or self.text_box.text().strip()))
        self.touched.emit()

    def _marked(self) -> tuple[str, ...]:
        pairs = zip(self.options, self.question.choices, strict=True)
        return tuple(choice.label for button, choice in pairs if button.isChecked())

    def _on_pressed(self, label: str) -> None:
        if self.question.is_multiple:
            self._touch()
        else:
            self._give(PersonAnswer((label,)))

    def _send(self) -> None:
        marked, words = self._marked(), self.text_box.text().strip()
        if marked:
            self._give(PersonAnswer(marked, words))
        elif words:
            self._give(read_answer(self.question, words))

    def _give(self, answer: PersonAnswer) -> None:
        if not self._is_read:  # a key or a click of before is meant for something else
            return
        if self._is_waiting:
            self.close_with(_answered(answer))
            self.answered.emit(answer)
        else:
            self.answered_late.emit(answer)

    def _skip(self) -> None:
        if self._is_read and self.is_waiting:
            self.close_with(_("You skipped this question."))
            self.skipped.emit()


def _wait_words(question: Clarification) -> str:
    """Say how long the answer waits; nothing where that is not known."""
    if question.wait_s is None:
        return ""
    seconds = round(question.wait_s)
    time = f"{seconds} s" if seconds < MINUTE_S else f"{seconds // MINUTE_S} min"
    return _("The answer waits {time} for you, and longer while you type.").format(time=time)


def _answered(answer: PersonAnswer) -> str:
    return _("You answered: {answer}").format(answer=with_signs(answer_words(answer)))
