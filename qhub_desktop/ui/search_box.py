"""A line to type in what is looked for."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.theme import Palette


class SearchBox(QLineEdit):
    """Escape empties it, and the down key leaves it for what was found.

    Signals:
        left_downwards: the down key was pressed.
    """

    left_downwards = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.setPlaceholderText(_("Search"))
        self.setAccessibleName(_("Search every conversation"))
        self.setToolTip(_("Search every conversation ({key})").format(key="Ctrl+Shift+F"))
        self.setClearButtonEnabled(True)
        # What is dropped on the window goes to the window.
        self.setAcceptDrops(False)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.set_palette(palette)

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._glass.setIcon(icon("search", palette.quiet, size_px=16))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Down:
                self.left_downwards.emit()
            case _:
                super().keyPressEvent(event)
