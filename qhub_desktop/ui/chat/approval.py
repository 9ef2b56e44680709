"""A tool that changes something asks first: what it would write, and yes or no."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.events import ApprovalAsked
from qhub_desktop.core.json_values import Json
from qhub_desktop.core.message import Clarification
from qhub_desktop.core.text import cell
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.theme import GRID_PX


class ApprovalCard(QFrame):
    """The question, every argument, two buttons; afterwards what was decided.

    Signals:
        decided: yes or no.
    """

    decided = Signal(bool)

    def __init__(self, request: ApprovalAsked) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.setAccessibleName(request.text)
        self._verdict = QLabel()
        self._verdict.setProperty("role", "quiet")
        self._verdict.hide()
        self._yes = _button(request.consent, kind="primary")
        self._no = _button(_("Cancel"), kind="")
        self._yes.clicked.connect(lambda: self._decide(is_approved=True))
        self._no.clicked.connect(lambda: self._decide(is_approved=False))
        self._is_open = True
        self.setFocusProxy(self._yes)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, 14, 2 * GRID_PX, 14)
        column.setSpacing(12)
        title = QLabel(request.text)
        title.setProperty("role", "heading")
        title.setWordWrap(True)
        title.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(title)
        column.addWidget(_form(request.call.input, request.parameter_labels))
        row = QHBoxLayout()
        row.setSpacing(GRID_PX)
        row.addWidget(self._yes)
        row.addWidget(self._no)
        row.addWidget(self._verdict)
        row.addStretch(1)
        column.addLayout(row)

    @property
    def is_open(self) -> bool:
        """Whether it still waits for the person."""
        return self._is_open

    @property
    def yes(self) -> QPushButton:
        """The button that agrees."""
        return self._yes

    @property
    def no(self) -> QPushButton:
        """The button that does not."""
        return self._no

    def close_unanswered(self) -> None:
        """The turn is over before the person spoke."""
        if self._is_open:
            self._close(_("Not answered; nothing was changed."))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and focused in (
            self._yes,
            self._no,
        ):
            self._decide(is_approved=focused is self._yes)
        else:
            super().keyPressEvent(event)

    def _decide(self, *, is_approved: bool) -> None:
        if not self._is_open:
            return
        self._close(_("You agreed.") if is_approved else _("You cancelled; nothing was changed."))
        self.decided.emit(is_approved)

    def _close(self, verdict: str) -> None:
        self._is_open = False
        self._yes.hide()
        self._no.hide()
        self._verdict.setText(verdict)
        self._verdict.show()


class ChoiceCard(QFrame):
    """A question of the answer's, with its choices as buttons.

    Signals:
        chosen: the Choice whose button was pressed.
    """

    chosen = Signal(object)

    def __init__(self, question: Clarification) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID_PX, 14, 2 * GRID_PX, 14)
        column.setSpacing(GRID_PX)
        title = QLabel(question.text)
        title.setProperty("role", "heading")
        title.setWordWrap(True)
        title.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(title)
        column.addSpacing(4)
        self._buttons = [_button(choice.label, kind="tile") for choice in question.choices]
        for button, choice in zip(self._buttons, question.choices, strict=True):
            button.clicked.connect(lambda _checked=False, choice=choice: self.chosen.emit(choice))
            column.addWidget(button)

    @property
    def buttons(self) -> list[QPushButton]:
        """One for each choice."""
        return self._buttons

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and focused in self._buttons:
            focused.click()
        else:
            super().keyPressEvent(event)


def _button(text: str, *, kind: str) -> QPushButton:
    button = QPushButton(text.replace("&", "&&"))
    if kind:
        button.setProperty("kind", kind)
    return button


def _form(arguments: Mapping[str, Json], labels: Mapping[str, str]) -> QWidget:
    form = QWidget()
    grid = QGridLayout(form)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(3 * GRID_PX)
    grid.setVerticalSpacing(6)
    for row, (name, value) in enumerate(arguments.items()):
        label = QLabel(labels.get(name) or name.replace("_", " ").capitalize())
        label.setProperty("role", "quiet")
        words = QLabel(_words(value))
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(words, row, 1)
    grid.setColumnStretch(1, 1)
    return form


def _words(value: Json) -> str:
    match value:
        case None:
            return "—"
        case str() | bool() | int() | float():
            return cell(value)
        case list():
            return ", ".join(_words(each) for each in value)
        case dict():
            return "; ".join(f"{key}: {_words(each)}" for key, each in value.items())
