"""Where the password of a protected file is typed; it is used for this file and kept nowhere."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.buttons import IconButton, WordButton
from qhub_desktop.ui.theme import Palette


class PasswordField(QWidget):
    """A masked line with an eye; Enter or the button hands over what was typed.

    Signals:
        entered: the password, never empty.
    """

    entered = Signal(str)

    def __init__(self, file: str, palette: Palette) -> None:
        super().__init__()
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAcceptDrops(False)
        self.line.setPlaceholderText(_("Password"))
        self.line.setAccessibleName(_("Password of {file}").format(file=file))
        self.eye = IconButton("eye", _("Show what is typed"), palette)
        self.eye.setCheckable(True)
        self.eye.toggled.connect(self._on_eye_toggled)
        self.open = WordButton(_("Open"), palette, kind="primary")
        self.open.setEnabled(False)
        self.open.clicked.connect(self._on_entered)
        self.line.returnPressed.connect(self._on_entered)
        self.line.textChanged.connect(self._on_text_changed)
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.line, 1)
        row.addWidget(self.eye)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.open)

    def take_keyboard(self) -> None:
        """Let the next key go here, unless the person is in the middle of a question."""
        busy = QApplication.focusWidget()
        is_typing = isinstance(busy, QPlainTextEdit | QTextEdit) and bool(busy.toPlainText())
        if not is_typing:
            self.line.setFocus()

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self.eye.set_palette(palette)
        self.open.set_palette(palette)

    def _on_entered(self) -> None:
        if typed := self.line.text():
            self.entered.emit(typed)

    def _on_text_changed(self, text: str) -> None:
        self.open.setEnabled(bool(text))

    def _on_eye_toggled(self, is_checked: bool) -> None:  # noqa: FBT001  the signal's own argument
        mode = QLineEdit.EchoMode.Normal if is_checked else QLineEdit.EchoMode.Password
        self.line.setEchoMode(mode)
