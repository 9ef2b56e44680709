"""Popups and the search box that some of them hold."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QStyle, QStyleOption, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.theme import theme

EDGE_PX = 4  # between a popup and the edge of the screen


class PopupFrame(QFrame):
    """A card with round corners; deleted when it closes."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("kind", "popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # outside its corners

    def open_at(self, place: QPoint) -> None:
        """Show it there, or as near as the screen allows."""
        self.adjustSize()
        room = self.screen().availableGeometry().adjusted(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX)
        x = max(room.left(), min(place.x(), room.right() - self.width()))
        y = max(room.top(), min(place.y(), room.bottom() - self.height()))
        self.move(x, y)
        self.show()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt paints no background at all, not even a style sheet's, of a translucent window.
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.end()
        super().paintEvent(event)


class SearchBox(QLineEdit):
    """Escape empties it, and the down key leaves it for what was found.

    Signals:
        left_downwards: the down key was pressed.
    """

    left_downwards = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setPlaceholderText(_("Search"))
        self.setAccessibleName(_("Search every conversation"))
        self.setToolTip(_("Search every conversation ({key})").format(key="Ctrl+Shift+F"))
        self.setClearButtonEnabled(True)
        # What is dropped on the window goes to the window.
        self.setAcceptDrops(False)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        theme().style(self._restyle)

    def _restyle(self) -> None:
        self._glass.setIcon(icon("search", theme().palette.quiet, size_px=16))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Down:
                self.left_downwards.emit()
            case _:
                super().keyPressEvent(event)
