"""Parts of forms: captions of fields, rows of buttons, and dialogs that keep what is written."""

import re
from collections.abc import Coroutine, Iterable
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import language
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, add_to, make_label, row_of
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.tasks import Tasks, WidgetTasks


def caption(field: QWidget, words: str, *, role: str = "small") -> QLabel:
    """Return the label of a field, whose words are also the field's accessible name."""
    label = make_label(words, role=role)
    label.setBuddy(field)
    field.setAccessibleName(words)
    return label


def text_field(
    name: str = "", *, placeholder: str = "", most: int = 0, is_secret: bool = False
) -> QLineEdit:
    """Return a field of a line: its accessible name, and how many characters it takes at most.

    What is typed into a secret one is not shown, and nothing can be dropped there.
    """
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    if most:
        field.setMaxLength(most)
    if is_secret:
        field.setEchoMode(QLineEdit.EchoMode.Password)
        field.setAcceptDrops(False)
    return field


def text_box(name: str, *, is_read_only: bool = False) -> QPlainTextEdit:
    """Return a field of several lines under an accessible name; Tab leaves it."""
    box = QPlainTextEdit()
    box.setAccessibleName(name)
    box.setReadOnly(is_read_only)
    box.setProperty("kind", "field")
    box.setTabChangesFocus(True)
    return box


class ChoiceBox(QComboBox):
    """Box of choices that the wheel does not change: it scrolls the form that the box is in."""

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def choice_box(name: str = "", choices: Iterable[tuple[object, str]] = ()) -> QComboBox:
    """Return a box of choices, each with its value and its words, under an accessible name."""
    box = ChoiceBox()
    box.setAccessibleName(name)
    for value, words in choices:
        box.addItem(one_line(words), value)
    return box


def typed_number(typed: str) -> int | float:
    """Read a number as it is typed in the language of the window. Raises ValueError."""
    words = "".join(typed.split())
    if language() == "pt":
        is_grouped = "," in words or re.fullmatch(r"-?\d{1,3}(\.\d{3})+", words)
        words = words.replace(".", "").replace(",", ".") if is_grouped else words
    else:
        words = words.replace(",", "")
    if not re.fullmatch(r"-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", words, re.IGNORECASE):
        raise ValueError(words)
    return int(words) if re.fullmatch(r"-?\d+", words) else float(words)


def number_to_type(value: float) -> str:
    """Write a number as it is typed: without groups, whole ones without a fraction."""
    words = repr(value).removesuffix(".0")
    return words.replace(".", ",") if language() == "pt" else words


def set_editor_name(box: QComboBox, words: str) -> None:
    """Give the field that is typed into, of a box of choices, its accessible name."""
    editor = box.lineEdit()
    if editor is not None:
        editor.setAccessibleName(words)


def button_row(*buttons: QPushButton) -> QHBoxLayout:
    """Return buttons from left to right, none of which Enter presses in another field."""
    row = row_of()
    for button in buttons:
        button.setAutoDefault(False)
        row.addWidget(button)
    row.addStretch(1)
    return row


def dialog_foot(dialog: QDialog, done: QPushButton) -> QHBoxLayout:
    """Return the last row of a dialog: a button that closes it, then the one of what it does."""
    cancel = TextButton(_("Cancel"))
    cancel.setAutoDefault(False)
    cancel.clicked.connect(dialog.close)
    return row_of(STRETCH, cancel, done)


class FormDialog(DetailWindow):
    """Dialog of fields that are kept together; what is wrong with them is told below them."""

    def __init__(
        self,
        owner: QWidget | None,
        title: str,
        *,
        subtitle: str = "",
        size: QSize,
        done: str,
        tasks: Tasks,
    ) -> None:
        super().__init__(owner, title, subtitle=subtitle, size=size)
        self.problem = StatusLabel(role="bad")
        self.save_button = TextButton(done, kind="primary", on_click=self._on_submitted)
        self._work = WidgetTasks(self, tasks, self._on_error)

    def _end_form(self) -> None:
        """Add what stands below the fields; they must be in the dialog by now."""
        add_to(self.column, self.problem, STRETCH, dialog_foot(self, self.save_button))
        self.save_button.setDefault(True)

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Start to keep what is written; it goes on when the dialog is closed, to be whole."""
        self.problem.hide()
        self._work.start_kept(work, self.save_button)

    def _on_submitted(self) -> None:
        """Check what is written, and keep it."""
        raise NotImplementedError

    def _on_error(self, error: QHubError) -> None:
        self.problem.tell_error(error)
