"""The name that questions know a data set by, changed where it stands."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.elided_label import ElidedLabel

LONGEST = 60


class NameLine(QWidget):
    """A label that becomes a field; Enter keeps what was typed, Esc or leaving forgets it.

    Signals:
        renamed: what was typed, which differs from the name.
    """

    renamed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._label = ElidedLabel(role="small")
        self.field: QLineEdit | None = None  # there are as many names as sheets
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._label)
        self.show_name(name)

    def show_name(self, name: str) -> None:
        """It is called this now."""
        self.name = name
        self._label.setText(_("in questions: {name}").format(name=name))

    def edit(self) -> QLineEdit:
        """Let the person type another name."""
        if self.field is None:
            self.field = self._made_field()
        self._label.hide()
        self.field.setText(self.name)
        self.field.show()
        self.field.selectAll()
        self.field.setFocus()
        return self.field

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.edit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._label.isHidden():
            self._close()
        else:
            super().keyPressEvent(event)

    def _made_field(self) -> QLineEdit:
        field = QLineEdit()
        field.setMaxLength(LONGEST)
        field.setAcceptDrops(False)
        field.setAccessibleName(_("Name in questions"))
        field.returnPressed.connect(self._on_return_pressed)
        field.editingFinished.connect(self._close)
        self._column.addWidget(field)
        return field

    def _on_return_pressed(self) -> None:
        typed = self.field.text().strip() if self.field else ""
        self._close()
        if typed and typed != self.name:
            self.renamed.emit(typed)

    def _close(self) -> None:
        if self.field is not None:
            self.field.hide()
        self._label.show()
