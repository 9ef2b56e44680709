"""A small turning arc: something is under way."""

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.ui.theme import Palette

_SIDE_PX = 14
_STEP_DEGREES = 30
_STEP_MS = 80


class Spinner(QWidget):
    """Turns while it is seen."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._colour = palette.quiet
        self._angle = 0
        self._timer = QTimer(self, interval=_STEP_MS)
        self._timer.timeout.connect(self._turn)
        self.setFixedSize(QSize(_SIDE_PX, _SIDE_PX))

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours."""
        self._colour = palette.quiet
        self.update()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(self._colour), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawArc(QRectF(1.5, 1.5, _SIDE_PX - 3, _SIDE_PX - 3), -self._angle * 16, 260 * 16)

    def _turn(self) -> None:
        self._angle = (self._angle + _STEP_DEGREES) % 360
        self.update()
