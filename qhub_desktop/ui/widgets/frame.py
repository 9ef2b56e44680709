"""The frame of a chart: gridlines, tick labels, captions."""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import Figure
from qhub_desktop.ui.theme import Palette
from qhub_desktop.ui.widgets.extent import Extent, is_lying
from qhub_desktop.ui.widgets.layout import GAP_PX, SLANT_DEGREES, Layout

Align = Qt.AlignmentFlag


class Frame(QGraphicsItem):
    """Everything around and behind the marks, painted in one go."""

    def __init__(self, figure: Figure, palette: Palette, font: QFont) -> None:
        super().__init__()
        self.setZValue(-200)  # the plot stands at -100
        self._figure = figure
        self._palette = palette
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._area = QRectF()
        self._layout: Layout | None = None
        self._shown = Extent((0.0, 1.0), (0.0, 1.0))

    def place(self, layout: Layout, shown: Extent, area: QRectF) -> None:
        """Stand in this area, around this plot, for these ranges."""
        self.prepareGeometryChange()
        self._area, self._layout, self._shown = area, layout, shown
        self.update()

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
        if self._layout is None:
            return
        painter.setFont(self._font)
        self._paint_grid(painter, self._layout)
        painter.setPen(QColor(self._palette.quiet))
        self._paint_sides(painter, self._layout)
        self._paint_foot(painter, self._layout)
        self._paint_captions(painter)

    def _paint_grid(self, painter: QPainter, layout: Layout) -> None:
        plot = layout.plot
        painter.setPen(QPen(QColor(self._palette.line), 1))
        grid, baseline = [], []
        if is_lying(self._figure):
            if self._figure.x.kind != "category":
                grid = [
                    QLineF(
                        self._across(tick.value),
                        plot.top(),
                        self._across(tick.value),
                        plot.bottom(),
                    )
                    for tick in layout.bottom
                ]
                baseline = [QLineF(self._across(0), plot.top(), self._across(0), plot.bottom())]
        else:
            grid = [
                QLineF(plot.left(), self._up(tick.value), plot.right(), self._up(tick.value))
                for tick in layout.left
            ]
            baseline = [QLineF(plot.left(), self._up(0), plot.right(), self._up(0))]
        painter.drawLines(grid)
        shown = self._shown.x if is_lying(self._figure) else self._shown.y
        if baseline and shown[0] <= 0 <= shown[1]:
            painter.setPen(QPen(QColor(self._palette.edge), 1))
            painter.drawLines(baseline)

    def _paint_sides(self, painter: QPainter, layout: Layout) -> None:
        height = self._metrics.height()
        names = QColor(self._palette.text if is_lying(self._figure) else self._palette.quiet)
        painter.setPen(names)
        for tick in layout.left:
            place = QRectF(
                self._area.left(),
                self._up(tick.value) - height / 2,
                layout.plot.left() - GAP_PX - self._area.left(),
                height,
            )
            painter.drawText(place, Align.AlignRight | Align.AlignVCenter | _ONE_LINE, tick.text)
        painter.setPen(QColor(self._palette.quiet))
        for tick in layout.right:
            place = QRectF(
                layout.plot.right() + GAP_PX, self._up(tick.value) - height / 2, 200, height
            )
            painter.drawText(place, Align.AlignLeft | Align.AlignVCenter | _ONE_LINE, tick.text)

    def _paint_foot(self, painter: QPainter, layout: Layout) -> None:
        height = self._metrics.height()
        top = layout.plot.bottom() + GAP_PX / 2 + 1
        is_names = self._figure.x.kind == "category"
        painter.setPen(QColor(self._palette.text if is_names else self._palette.quiet))
        for tick in layout.bottom:
            at = self._across(tick.value)
            if layout.is_slanted:
                painter.save()
                painter.translate(QPointF(at + height * 0.3, top + height * 0.35))
                painter.rotate(-SLANT_DEGREES)
                place = QRectF(-400, -height / 2, 400, height)
                painter.drawText(
                    place, Align.AlignRight | Align.AlignVCenter | _ONE_LINE, tick.text
                )
                painter.restore()
            else:
                place = QRectF(at - 200, top, 400, 2 * height)
                painter.drawText(place, Align.AlignHCenter | Align.AlignTop, tick.text)
        if self._figure.x.label:
            painter.setPen(QColor(self._palette.quiet))
            place = QRectF(
                layout.plot.left(), self._area.bottom() - height, layout.plot.width(), height
            )
            painter.drawText(
                place, Align.AlignHCenter | Align.AlignVCenter | _ONE_LINE, self._figure.x.label
            )

    def _paint_captions(self, painter: QPainter) -> None:
        """What goes up is said above its numbers: no head has to be tilted to read it."""
        place = QRectF(
            self._area.left(), self._area.top(), self._area.width(), self._metrics.height()
        )
        painter.setPen(QColor(self._palette.quiet))
        if self._figure.y.label:
            painter.drawText(
                place, Align.AlignLeft | Align.AlignTop | _ONE_LINE, self._figure.y.label
            )
        if self._figure.right and self._figure.right.label:
            painter.drawText(
                place, Align.AlignRight | Align.AlignTop | _ONE_LINE, self._figure.right.label
            )

    def _across(self, value: float) -> float:
        assert self._layout is not None
        lower, upper = self._shown.x
        plot = self._layout.plot
        # Whole pixels keep lines of one pixel sharp.
        return round(plot.left() + (value - lower) / (upper - lower) * plot.width()) + 0.5

    def _up(self, value: float) -> float:
        assert self._layout is not None
        lower, upper = self._shown.y
        plot = self._layout.plot
        share = (value - lower) / (upper - lower)
        # The first category is on top.
        down = share if is_lying(self._figure) else 1 - share
        return round(plot.top() + down * plot.height()) + 0.5


_ONE_LINE = Qt.TextFlag.TextSingleLine
