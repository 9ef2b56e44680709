"""What opens over the window and closes at the next click elsewhere."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QStyle, QStyleOption, QWidget
from typing_extensions import override

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
