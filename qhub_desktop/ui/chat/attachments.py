"""Attachments: a chip for each file on its way in, with progress, password and cancel."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QPlainTextEdit,
    QProgressBar,
    QTextEdit,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconLabel, TextButton, Tone, icon, reveal_button
from qhub_desktop.ui.controls.forms import text_field
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import elided, set_tooltip
from qhub_desktop.ui.tasks import set_result_once
from qhub_desktop.ui.theme import theme


class PasswordField(QWidget):
    """Password field with a button that reveals it; Enter or a button submits it.

    Signals:
        submitted: the password, not empty.
    """

    submitted = Signal(str)

    def __init__(self, file: str) -> None:
        super().__init__()
        name = _("Password of {file}").format(file=file)
        self.line_edit = text_field(name, placeholder=_("Password"), is_secret=True)
        self.reveal_button = reveal_button(self.line_edit)
        self.open_button = TextButton(_("Open"), kind="primary", on_click=self._on_submitted)
        self.open_button.setEnabled(False)
        self.line_edit.returnPressed.connect(self._on_submitted)
        self.line_edit.textChanged.connect(self._on_text_changed)
        row = row_of((self.line_edit, 1), self.reveal_button, spacing=2)
        column_of(row, self.open_button, owner=self, margins=(0, 4, 0, 0), spacing=6)

    def take_focus(self) -> None:
        """Take the focus, unless the person is typing a question."""
        busy = QApplication.focusWidget()
        is_typing = isinstance(busy, QPlainTextEdit | QTextEdit) and bool(busy.toPlainText())
        if not is_typing:
            self.line_edit.setFocus()

    def _on_submitted(self) -> None:
        if typed := self.line_edit.text():
            self.submitted.emit(typed)

    def _on_text_changed(self, text: str) -> None:
        self.open_button.setEnabled(bool(text))


_CHIP_WIDTH_PX = 236
_ASKING_WIDTH_PX = 340  # room for a password and its button
_FILE_ICON_PX = 18
_SIGNS: dict[str, tuple[str, Tone]] = {
    "busy": ("file", "quiet"),
    "asking": ("key", "accent"),
    "failed": ("warning", "bad"),
}


class FileChip(QFrame):
    """Chip of one file, in the conversation that it was given to.

    Signals:
        cancelled: cancel the import.
        retried: read the file again.
        dismissed: the chip was removed.
        moved: the chip belongs to another conversation.
    """

    cancelled = Signal()
    retried = Signal()
    dismissed = Signal()
    moved = Signal()

    def __init__(self, name: str, conversation: ConversationId | None = None) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self.setFixedWidth(_CHIP_WIDTH_PX)
        self.name = name
        self.conversation = conversation  # None: one that has not begun
        self._is_dismissed = False
        self._state = "busy"
        self._password_field: PasswordField | None = None
        self.retry_button = TextButton(_("Read again"), kind="primary", on_click=self.retried)
        self.retry_button.hide()
        self.offer_button = TextButton("", kind="link")
        self.offer_button.hide()
        self._offered: Callable[[], object] = lambda: None
        self.offer_button.clicked.connect(self._on_offer_taken)
        self._icon_label = IconLabel(size_px=_FILE_ICON_PX)
        self._title = make_label()
        set_tooltip(self._title, name)
        self._status_label = make_label(_("Reading…"), role="small", is_wrapped=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(_("At work"))
        self._bar.setRange(0, 0)
        self._close_button = QToolButton()
        self._close_button.setProperty("kind", "icon")
        self._close_button.setIconSize(QSize(14, 14))
        self._close_button.clicked.connect(self._on_close_clicked)
        words = self._text_column = column_of(spacing=2)
        add_to(
            words, self._title, self._status_label, self._bar, self.retry_button, self.offer_button
        )
        row = self._row = row_of(owner=self, margins=(10, 6, 4, 8))
        row.addWidget(self._icon_label, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self._close_button, alignment=Qt.AlignmentFlag.AlignTop)
        room = _CHIP_WIDTH_PX - 90
        metrics = self._title.fontMetrics()
        self._title.setText(elided(name, metrics, room, mode=Qt.TextElideMode.ElideMiddle))
        theme().register(self._restyle)

    @property
    def status(self) -> str:
        """The shown state of the file."""
        return self._status_label.text()

    @property
    def progress(self) -> float | None:
        """Progress from 0 to 1; None if unknown."""
        return self._bar.value() / 1000 if self._bar.maximum() else None

    @property
    def is_busy(self) -> bool:
        """Whether the import can still be cancelled."""
        return self._state in ("busy", "asking")

    @property
    def is_failed(self) -> bool:
        """Whether the file could not be used."""
        return self._state == "failed"

    def set_progress(self, text: str, share: float | None) -> None:
        """Show the current step, and its progress from 0 to 1 if known."""
        self._status_label.setText(text)
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))

    async def ask_password(self, sentence: str) -> str:
        """Show why the file cannot be read, and the password field."""
        typed: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._password_field = PasswordField(self.name)
        self._password_field.submitted.connect(lambda text: set_result_once(typed, text))
        self._state = "asking"
        self._bar.hide()
        self._status_label.setText(sentence)
        self._text_column.addWidget(self._password_field)
        self._password_field.show()  # Qt would show it later, but the chip is measured now
        self._restyle()
        self.setFixedWidth(_ASKING_WIDTH_PX)
        self._fit_height()
        self._password_field.take_focus()
        try:
            return await typed
        finally:
            if isValid(self._password_field):  # it goes with a chip that is cancelled
                self._password_field.hide()
                self._password_field.deleteLater()
            self._password_field = None

    def move_to(self, conversation: ConversationId) -> None:
        """Have the chip belong to a conversation, which may have begun with its file."""
        if conversation != self.conversation:
            self.conversation = conversation
            self.moved.emit()

    def resume(self) -> None:
        """Show that reading continues."""
        self._state = "busy"
        self.setFixedWidth(_CHIP_WIDTH_PX)
        self.retry_button.hide()
        self.offer_button.hide()
        self._bar.show()
        self.set_progress(_("Reading…"), None)
        self._restyle()
        self._fit_height()

    def offer(self, words: str, run: Callable[[], object]) -> None:
        """Offer what else can be done with the file."""
        self._offered = run
        self.offer_button.set_caption(words)
        self.offer_button.show()
        self._fit_height()

    def fail(self, sentence: str, *, may_retry: bool = False) -> None:
        """Show why the import failed, with a button to read again where that may help.

        The chip stays until it is closed.
        """
        self.retry_button.setVisible(may_retry)
        self._state = "failed"
        self._status_label.setText(sentence)
        self._bar.hide()
        self._restyle()
        self._fit_height()

    def dismiss(self) -> None:
        """Remove the chip, which may be out of sight."""
        if not self._is_dismissed:
            self._is_dismissed = True
            self.hide()
            self.dismissed.emit()

    def click_close(self) -> None:
        """Act as if the close button was pressed."""
        self._close_button.click()

    def _restyle(self) -> None:
        self._icon_label.show_icon(*_SIGNS[self._state])
        self._close_button.setIcon(icon("close", theme().palette.quiet, size_px=14))
        says = _("Cancel {file}") if self.is_busy else _("Dismiss {file}")
        set_tooltip(self._close_button, says.format(file=self.name))
        self._close_button.setAccessibleName(says.format(file=self.name))

    def _fit_height(self) -> None:
        # Wrapped text has a height that depends on its width, which rows of chips do not ask for.
        self.setMinimumHeight(0)
        self._row.activate()
        self.setMinimumHeight(self._row.heightForWidth(self.minimumWidth()))

    def _on_offer_taken(self) -> None:
        self._offered()

    def _on_close_clicked(self) -> None:
        if self.is_busy:
            self.cancelled.emit()
        self.dismiss()
