"""The line in an answer that tells of a note that was written, to be undone or edited."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.memory import path_after
from qhub_desktop.core.message import ToolCall, ToolResult
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import IconLabel, TextButton
from qhub_desktop.ui.controls.layouts import STRETCH, column_of, make_label, row_of
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.theme import GRID_PX


class NoteLine(QFrame):
    """Line of a note: its words, and what can be done about it.

    Signals:
        undo_requested: the id of the call that wrote it.
        edit_requested: the path of the note.
    """

    undo_requested = Signal(str)
    edit_requested = Signal(str)

    def __init__(self, told: str, call: ToolCall, result: ToolResult) -> None:
        super().__init__()
        self.setProperty("kind", "chip")
        self.setAccessibleName(told)
        path = path_after(result)
        self.text = told
        self._label = make_label(told, is_wrapped=True, is_selectable=True)
        self.undo_button = TextButton(_("Undo"), icon_name="undo")
        self.undo_button.clicked.connect(lambda: self.undo_requested.emit(call.id))
        self.edit_button = TextButton(_("Edit"), icon_name="pencil")
        self.edit_button.clicked.connect(lambda: self.edit_requested.emit(path))
        self._status = StatusLabel()
        can_change = bool(path)  # what was deleted does not come back
        head = row_of(IconLabel("info"), (self._label, 1))
        buttons = row_of(self.undo_button, self.edit_button, STRETCH)
        column = column_of(head, owner=self, margins=(GRID_PX + 4, GRID_PX))
        column.addLayout(buttons)
        if not can_change:
            self.remove_actions()
        column.addWidget(self._status)

    @property
    def status(self) -> str:
        """What came of the last thing done."""
        return self._status.text()

    def remove_actions(self) -> None:
        """Take the buttons away: of somebody else's conversation, or where it was undone."""
        self.undo_button.hide()
        self.edit_button.hide()

    def show_undone(self) -> None:
        """Tell that the note is as it was before."""
        self.remove_actions()
        self._status.tell(_("Undone: it is as it was before."))

    def show_error(self, error: QHubError) -> None:
        """Tell why it was not undone."""
        self._status.tell_error(error)
