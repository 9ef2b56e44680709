"""A pie chart and the list of its slices."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import Slices
from qhub_desktop.core.text import number
from qhub_desktop.ui.charts.colormap import SWATCH_PX, text_colour_on
from qhub_desktop.ui.controls.plain_text import elided
from qhub_desktop.ui.theme import Palette

MARGIN_PX = 10.0
COLUMN_GAP_PX = 18.0
MIN_LABELLED_SHARE = 0.06
MAX_NAME_PX = 220.0
FULL_CIRCLE = 16 * 360  # in Qt's unit, 1/16 degree


class PieItem(QGraphicsItem):
    """Graphics item of slices, clockwise from twelve o'clock, with their names, values and
    shares.
    """

    def __init__(self, slices: Slices, palette: Palette, font: QFont) -> None:
        super().__init__()
        self._slices = slices
        self._total = math.fsum(slices.values)
        self._palette = palette
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._area = QRectF()

    def set_area(self, area: QRectF) -> None:
        """Lay out in this area."""
        self.prepareGeometryChange()
        self._area = area
        self.update()

    def slice_at(self, point: QPointF) -> int | None:
        """Return the index of the slice at a point of the scene, None outside."""
        circle = self._circle()
        offset = point - circle.center()
        if math.hypot(offset.x(), offset.y()) > circle.width() / 2 or not self._total:
            return None
        turn = (math.atan2(offset.x(), -offset.y()) / (2 * math.pi)) % 1.0
        passed = 0.0
        for at, value in enumerate(self._slices.values):
            passed += value / self._total
            if turn < passed:
                return at
        return len(self._slices.values) - 1

    @override
    def boundingRect(self) -> QRectF:
        return self._area

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setFont(self._font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_slices(painter)
        self._paint_legend(painter)

    def _paint_slices(self, painter: QPainter) -> None:
        circle = self._circle()
        passed = 0.0
        for at, value in enumerate(self._slices.values):
            share = value / self._total
            colour = self._colour(at)
            painter.setPen(QPen(QColor(self._palette.card), 1.5))
            painter.setBrush(QColor(colour))
            start = FULL_CIRCLE / 4 - passed * FULL_CIRCLE
            if share > 0.9999:
                painter.drawEllipse(circle)
            else:
                painter.drawPie(circle, round(start), round(-share * FULL_CIRCLE))
            if share >= MIN_LABELLED_SHARE and at < len(self._slices.labels):
                self._paint_share(
                    painter, circle, passed + share / 2, self._slices.labels[at], colour
                )
            passed += share

    def _paint_share(
        self, painter: QPainter, circle: QRectF, turn: float, text: str, colour: str
    ) -> None:
        reach = circle.width() / 2 * 0.68
        at = circle.center() + QPointF(
            math.sin(2 * math.pi * turn) * reach, -math.cos(2 * math.pi * turn) * reach
        )
        place = QRectF(at.x() - 60, at.y() - 12, 120, 24)
        painter.setPen(QColor(text_colour_on(colour)))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_legend(self, painter: QPainter) -> None:
        row_px = self._metrics.height() + 8
        height = row_px * len(self._slices.values)
        top = self._area.center().y() - height / 2
        left = self._circle().right() + 2 * COLUMN_GAP_PX
        values = [number(each) for each in self._slices.values]
        names_px, values_px, shares_px = self._columns(values)
        align = Qt.AlignmentFlag
        for at, (name, value) in enumerate(zip(self._slices.names, values, strict=True)):
            row = QRectF(left, top + at * row_px, 0, row_px)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._colour(at)))
            painter.drawRoundedRect(
                QRectF(left, row.center().y() - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX), 2.5, 2.5
            )
            x = left + SWATCH_PX + 8
            painter.setPen(QColor(self._palette.text))
            shown = elided(name, self._metrics, names_px)
            place = QRectF(x, row.top(), names_px + 2, row_px)
            painter.drawText(place, align.AlignLeft | align.AlignVCenter, shown)
            x += names_px + COLUMN_GAP_PX
            place = QRectF(x, row.top(), values_px + 2, row_px)
            painter.drawText(place, align.AlignRight | align.AlignVCenter, value)
            x += values_px + COLUMN_GAP_PX
            painter.setPen(QColor(self._palette.quiet))
            share = self._slices.labels[at] if at < len(self._slices.labels) else ""
            place = QRectF(x, row.top(), shares_px + 2, row_px)
            painter.drawText(place, align.AlignRight | align.AlignVCenter, share)

    def _columns(self, values: list[str]) -> tuple[float, float, float]:
        """Return the widths of the columns for names, values and shares."""
        values_px = max(map(self._metrics.horizontalAdvance, values), default=0.0)
        shares_px = max(map(self._metrics.horizontalAdvance, self._slices.labels), default=0.0)
        names_px = max(map(self._metrics.horizontalAdvance, self._slices.names), default=0.0)
        free = self._area.width() - self._diameter() - 2 * MARGIN_PX
        free -= SWATCH_PX + 8 + values_px + shares_px + 4 * COLUMN_GAP_PX
        return max(40.0, min(names_px, MAX_NAME_PX, free)), values_px, shares_px

    def _diameter(self) -> float:
        return max(40.0, min(self._area.height() - 2 * MARGIN_PX, self._area.width() * 0.45))

    def _circle(self) -> QRectF:
        side = self._diameter()
        values = [number(each) for each in self._slices.values]
        names_px, values_px, shares_px = self._columns(values)
        block = side + SWATCH_PX + 8 + names_px + values_px + shares_px + 4 * COLUMN_GAP_PX
        left = self._area.left() + max(MARGIN_PX, (self._area.width() - block) / 2)
        return QRectF(left, self._area.center().y() - side / 2, side, side)

    def _colour(self, at: int) -> str:
        return self._palette.series[at % len(self._palette.series)]
