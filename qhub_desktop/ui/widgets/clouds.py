"""Thousands of points as one item."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

POINT_PX = 5
FIELDS = 10  # of a PixmapFragment: place, source, scale, rotation, opacity
Array = np.ndarray[Any, np.dtype[np.float64]]


class Cloud(QGraphicsItem):
    """Points of one colour, stamped from one small picture.

    pyqtgraph's own item looks each point's symbol up in Python: 20,000 took 85 ms, this takes 2.
    """

    def __init__(self, x: Array, y: Array, colour: QColor) -> None:
        super().__init__()
        self._x, self._y = x, y
        self._colour = colour
        left, right = float(x.min(initial=0.0)), float(x.max(initial=0.0))
        low, high = float(y.min(initial=0.0)), float(y.max(initial=0.0))
        self._bounds = QRectF(left, low, right - left, high - low)
        self._stamps = pg.Qt.internals.PrimitiveArray(QPainter.PixmapFragment, FIELDS)

    @override
    def boundingRect(self) -> QRectF:
        return self._bounds

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self._paint_vectors(painter)
            return
        ratio = painter.device().devicePixelRatioF()
        stamp = _stamp(self._colour, ratio)
        x, y = pg.functions.transformCoordinates(painter.transform(), np.vstack([self._x, self._y]))
        self._stamps.resize(len(x))
        stamps = self._stamps.ndarray()
        stamps[:, 0], stamps[:, 1] = x, y
        stamps[:, 2:6] = (0, 0, stamp.width(), stamp.height())
        stamps[:, 6:10] = (1 / ratio, 1 / ratio, 0, 1)
        painter.save()
        painter.resetTransform()
        first, count = self._stamps.drawargs()
        painter.drawPixmapFragments(first, count, stamp)
        painter.restore()

    def _paint_vectors(self, painter: QPainter) -> None:
        pen = QPen(self._colour, POINT_PX)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPoints(pg.functions.arrayToQPolygonF(self._x, self._y))


def _stamp(colour: QColor, ratio: float) -> QPixmap:
    side = round((POINT_PX + 1) * ratio)
    stamp = QPixmap(side, side)
    stamp.fill(Qt.GlobalColor.transparent)
    painter = QPainter(stamp)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QRectF(0.5 * ratio, 0.5 * ratio, POINT_PX * ratio, POINT_PX * ratio))
    painter.end()
    return stamp
