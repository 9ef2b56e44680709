"""The surface a chart is painted on."""

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsView
from typing_extensions import override


class Canvas(QGraphicsView):
    """Shows a scene at its own size and announces what the person does to it.

    pyqtgraph's items look for the two signals and the method with its spelling on their view.

    Signals:
        painting: the scene is about to be painted.
        resized: there is another amount of room.
        wheeled, moved, pressed: an event of the mouse; its receiver accepts or ignores it.
        released, double_clicked, left: the mouse was let go, asks for everything, is elsewhere.
    """

    sigDeviceRangeChanged = Signal(object, object)  # noqa: N815  pyqtgraph's name
    sigDeviceTransformChanged = Signal(object)  # noqa: N815  pyqtgraph's name
    painting = Signal()
    resized = Signal()
    wheeled = Signal(QWheelEvent)
    moved = Signal(QMouseEvent)
    pressed = Signal(QMouseEvent)
    released = Signal()
    double_clicked = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Words lie over several items; whatever changes, all is painted.
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)

    def viewRect(self) -> QRectF:  # noqa: N802  pyqtgraph's name
        """The part of the scene in sight."""
        return QRectF(self.rect())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self.painting.emit()
        super().paintEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheeled.emit(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moved.emit(event)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.released.emit()

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()

    @override
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()
