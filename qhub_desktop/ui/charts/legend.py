"""The row of swatches above a plot: which colour is which series, or how much a colour is."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import Band, Bars, Cells, Figure, Line, Points
from qhub_desktop.core.text import number
from qhub_desktop.ui.charts.colormap import colour_at, colour_of
from qhub_desktop.ui.theme import Palette

SWATCH_PX = 11.0
GAP_PX = 6.0
BETWEEN_PX = 16.0
RAMP_PX = 120.0


class Legend(QGraphicsItem):
    """Swatches and names, broken into as many lines as they need."""

    def __init__(self, figure: Figure, palette: Palette, font: QFont) -> None:
        super().__init__()
        self._entries = _entries(figure, palette)
        self._ends = _ramp_ends(figure)
        self._palette = palette
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._area = QRectF()
        self._places: list[tuple[int, float]] = []

    def fit(self, width_px: float, caption_px: float) -> float:
        """Take this width; the height needed above the captions, which is often none.

        What fits beside captions of that width stands at their right; `caption_px` is infinite
        where nothing may.
        """
        self.prepareGeometryChange()
        self._places = self._placed(width_px)
        line_px = self._metrics.height() + GAP_PX
        lines = 1 + max((line for line, _x in self._places), default=-1)
        self._area = QRectF(0, 0, width_px, max(1, lines) * line_px)
        wide = self._width()
        if 0 < wide <= width_px - caption_px - BETWEEN_PX and lines <= 1:
            self._places = [(0, x + width_px - wide - 2) for _line, x in self._places]
            return 0.0
        if self._ends:
            lines = max(1, lines)
        return lines * line_px + GAP_PX if lines else 0.0

    @override
    def boundingRect(self) -> QRectF:
        return self._area

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        painter.setFont(self._font)
        line_px = self._metrics.height() + GAP_PX
        for (name, colour, is_line), (line, x) in zip(self._entries, self._places, strict=True):
            middle = line * line_px + self._metrics.height() / 2
            swatch = QRectF(x, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX)
            if is_line:
                painter.setPen(QPen(QColor(colour), 2.4))
                painter.drawLine(QPointF(x, middle), QPointF(x + SWATCH_PX, middle))
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(swatch, 2.5, 2.5)
            painter.setPen(QColor(self._palette.text))
            self._paint_text(painter, x + SWATCH_PX + GAP_PX, middle, name)
        if self._ends:
            self._paint_ramp(painter, *self._ends)

    def _paint_ramp(self, painter: QPainter, lowest: str, highest: str) -> None:
        middle = self._metrics.height() / 2
        right = self._area.right() - self._metrics.horizontalAdvance(highest)
        left = right - GAP_PX - RAMP_PX
        gradient = QLinearGradient(left, 0, left + RAMP_PX, 0)
        for step in range(9):
            gradient.setColorAt(step / 8, QColor(colour_at(self._palette, step / 8)))
        painter.fillRect(QRectF(left, middle - 5, RAMP_PX, 10), gradient)
        painter.setPen(QColor(self._palette.quiet))
        self._paint_text(painter, right, middle, highest)
        width = self._metrics.horizontalAdvance(lowest)
        self._paint_text(painter, left - GAP_PX - width, middle, lowest)

    def _paint_text(self, painter: QPainter, x: float, middle: float, text: str) -> None:
        height = self._metrics.height()
        width = self._metrics.horizontalAdvance(text) + 2
        painter.drawText(
            QRectF(x, middle - height / 2, width, height), Qt.AlignmentFlag.AlignLeft, text
        )

    def _width(self) -> float:
        """How much one line needs."""
        if self._ends:
            ends = sum(map(self._metrics.horizontalAdvance, self._ends))
            return ends + RAMP_PX + 2 * GAP_PX
        if not self._entries:
            return 0.0
        names = sum(self._metrics.horizontalAdvance(name) for name, _colour, _line in self._entries)
        count = len(self._entries)
        return names + count * (SWATCH_PX + GAP_PX) + (count - 1) * BETWEEN_PX

    def _placed(self, width_px: float) -> list[tuple[int, float]]:
        places = []
        line, x = 0, 0.0
        for name, _colour, _is_line in self._entries:
            wide = SWATCH_PX + GAP_PX + self._metrics.horizontalAdvance(name)
            if x > 0 and x + wide > width_px:
                line, x = line + 1, 0.0
            places.append((line, x))
            x += wide + BETWEEN_PX
        return places


def _entries(figure: Figure, palette: Palette) -> list[tuple[str, str, bool]]:
    """Name, colour and whether it is a line, for two series or more."""
    found: dict[str, tuple[str, str, bool]] = {}
    for mark in figure.marks:
        match mark:
            case Line(name=name) | Points(name=name) | Bars(name=name) | Band(name=name) if name:
                found.setdefault(name, (name, colour_of(mark, palette), isinstance(mark, Line)))
            case _:
                pass
    return list(found.values()) if len(found) > 1 else []


def _ramp_ends(figure: Figure) -> tuple[str, str] | None:
    """The smallest and the largest value of cells that do not carry their own."""
    for mark in figure.marks:
        if isinstance(mark, Cells) and not mark.labels:
            known = [each for row in mark.values for each in row if each == each]
            return number(min(known, default=0.0)), number(max(known, default=0.0))
    return None
