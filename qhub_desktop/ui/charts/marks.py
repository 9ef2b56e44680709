"""Marks of a figure as pyqtgraph items, and their value labels."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPaintEngine,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import (
    Band,
    Bars,
    Cells,
    Figure,
    Label,
    Line,
    Mark,
    Points,
    Rule,
    Slices,
)
from qhub_desktop.ui.charts.axes import PlotAxes
from qhub_desktop.ui.charts.colormap import colour_at, colour_of, readable_on
from qhub_desktop.ui.theme import Palette

SCATTER_POINT_PX = 5
FIELDS = 10  # of a PixmapFragment: position, source, scale, rotation, opacity
Array = np.ndarray[Any, np.dtype[np.float64]]


class ScatterItem(QGraphicsItem):
    """Points of one colour, drawn from one pixmap.

    pyqtgraph's ScatterPlotItem looks up each symbol in Python: 85 ms for 20,000 points, here 2 ms.
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
        pen = QPen(self._colour, SCATTER_POINT_PX)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPoints(pg.functions.arrayToQPolygonF(self._x, self._y))


def _stamp(colour: QColor, ratio: float) -> QPixmap:
    side = round((SCATTER_POINT_PX + 1) * ratio)
    stamp = QPixmap(side, side)
    stamp.fill(Qt.GlobalColor.transparent)
    painter = QPainter(stamp)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(
        QRectF(0.5 * ratio, 0.5 * ratio, SCATTER_POINT_PX * ratio, SCATTER_POINT_PX * ratio)
    )
    painter.end()
    return stamp


Anchor = Literal["above", "below", "before", "after", "centre", "edge", "left edge", "top"]
PAD_PX = 4.0


@dataclass(frozen=True, slots=True)
class ValueLabel:
    """Text at a position in data coordinates.

    `room` is the width available in data units, 0 for unlimited. `foot` is the base of the bar
    below: in a bar that is high enough, the label stands inside it.
    """

    x: float
    y: float
    text: str
    colour: str
    anchor: Anchor
    room: float = 0.0
    foot: float | None = None
    on_colour: str = ""


class ValueLabels(QGraphicsItem):
    """All labels of one mark, laid out in pixels of the plot.

    `plot` is asked for positions, not the plot view: a ring of references would keep a closed view
    until the garbage is collected, and the theme would style it with every change.
    """

    def __init__(
        self,
        words: tuple[ValueLabel, ...],
        font: QFont,
        *,
        plot: Any,
    ) -> None:
        super().__init__(plot)
        self._plot = plot
        self._words = words
        self._font = font
        self._metrics = QFontMetricsF(font)

    @override
    def boundingRect(self) -> QRectF:
        parent = self.parentItem()
        assert parent is not None
        return parent.boundingRect()

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        painter.setFont(self._font)
        origin = self._to_pixels(0, 0)
        unit_px = abs(self._to_pixels(1, 0).x() - origin.x())
        height = self._metrics.height()
        for word in self._words:
            width = self._metrics.horizontalAdvance(word.text)
            if word.room and width > word.room * unit_px - 2:
                continue
            place, colour = self._place(word, width, height)
            painter.setPen(QColor(colour))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word.text)

    def _to_pixels(self, x: float, y: float) -> QPointF:
        point: QPointF = self._plot.mapFromView(QPointF(x, y))
        return point

    def _place(self, word: ValueLabel, width: float, height: float) -> tuple[QRectF, str]:
        at = self._to_pixels(word.x, word.y)
        colour = word.colour
        left, top = at.x() - width / 2, at.y() - height / 2
        match word.anchor:
            case "above":
                top = at.y() - height - 1
                if word.foot is not None:
                    foot = self._to_pixels(word.x, word.foot)
                    if foot.y() - at.y() > height + 2 * PAD_PX:
                        top, colour = foot.y() - height - PAD_PX, word.on_colour
            case "below":
                top = at.y() + 1
            case "after":
                left = at.x() + PAD_PX
            case "before":
                left = at.x() - width - PAD_PX
            case "edge":
                left = self.boundingRect().right() - width - PAD_PX
                top = at.y() - height - 1
            case "left edge":
                left = self.boundingRect().left() + PAD_PX
                top = at.y() - height - 1
            case "top":
                left, top = at.x() + PAD_PX, self.boundingRect().top() + 1
            case "centre":
                pass
        return QRectF(left - 1, top, width + 2, height), colour


def words_of(mark: Mark, plane: PlotAxes, palette: Palette, colour: str) -> tuple[ValueLabel, ...]:
    """Return the labels of a mark, whose own colour is `colour`."""
    match mark:
        case Bars():
            return _bar_words(mark, plane.figure, palette, colour)
        case Cells() if mark.labels:
            return _cell_words(mark, palette)
        case Rule() if mark.label and mark.direction == "horizontal":
            height = plane.on_left(mark.value) if mark.side == "right" else mark.value
            # Labels of a cumulative line start after its first point; limits are labelled at the
            # right.
            edge: Anchor = "left edge" if mark.side == "right" else "edge"
            return (ValueLabel(0, height, mark.label, colour, edge),)
        case Rule() if mark.label:
            return (ValueLabel(mark.value, 0, mark.label, colour, "top"),)
        case Label():
            return (ValueLabel(mark.x, mark.y, mark.text, colour, "above"),)
        case _:
            return ()


def shares_of(cells: Cells) -> list[list[float]]:
    """Scale cells to shares of the range of values, 0 to 1; NaN stays."""
    known = [each for row in cells.values for each in row if each == each]
    lowest, highest = min(known, default=0.0), max(known, default=1.0)
    span = (highest - lowest) or 1.0
    return [[(each - lowest) / span for each in row] for row in cells.values]


def _bar_words(bars: Bars, figure: Figure, palette: Palette, colour: str) -> tuple[ValueLabel, ...]:
    words = []
    is_upright = bars.direction == "vertical"
    room = min((b - a for a, b in zip(bars.at, bars.at[1:], strict=False)), default=1.0)
    for at, start, end, text in zip(bars.at, bars.start, bars.end, bars.labels, strict=False):
        if is_upright:
            words.append(
                ValueLabel(
                    at,
                    end,
                    text,
                    palette.text,
                    "above" if end >= start else "below",
                    room=max(room, bars.width),
                    # A cumulative line touches the first bar's top and passes above the others.
                    foot=start if figure.right is not None else None,
                    on_colour=readable_on(colour),
                )
            )
        else:
            words.append(
                ValueLabel(end, at, text, palette.text, "after" if end >= start else "before")
            )
    return tuple(words)


def _cell_words(cells: Cells, palette: Palette) -> tuple[ValueLabel, ...]:
    shares = shares_of(cells)
    return tuple(
        ValueLabel(
            column,
            row,
            text,
            readable_on(colour_at(palette, shares[row][column])),
            "centre",
            room=1.0,
        )
        for row, line in enumerate(cells.labels)
        for column, text in enumerate(line)
        if text
    )


LINE_PX = 2.0
LONG_LINE_POINTS = 1_500  # longer lines are thin: Qt strokes wide ones slowly
POINT_PX = 8.0
MANY_POINTS = 1_000
VERY_MANY_POINTS = 5_000
BAND_ALPHA = 70


def item_of(mark: Mark, plane: PlotAxes, palette: Palette) -> Any:
    """Return the graphics item of a mark, to be added to the view box of the plot."""
    colour = colour_of(mark, palette)
    match mark:
        case Line():
            return _line(mark, plane, colour)
        case Points():
            return _points(mark, plane, colour, palette)
        case Bars():
            return _bars(mark, colour, palette)
        case Band():
            return BandItem(mark, colour)
        case Rule():
            return _rule(mark, plane, colour)
        case Cells():
            return CellsItem(mark, palette)
        case Label() | Slices():
            # Labels are drawn by ValueLabels, slices by Pie.
            return pg.ItemGroup()


def settle(item: Any, mark: Mark) -> None:
    """Set options that need the item to be in its view box.

    As arguments of the constructor they crash (pyqtgraph#1854, #3326).
    """
    if isinstance(mark, Line) and len(mark.x) > LONG_LINE_POINTS:
        item.setDownsampling(auto=True, method="peak")
        item.setClipToView(True)


def dots_of(mark: Mark, plane: PlotAxes, palette: Palette) -> Any | None:
    """Return an item for the points of a line that shows them; None for other marks."""
    if not isinstance(mark, Line) or not mark.is_dotted_at_points:
        return None
    points = Points(mark.x, mark.y, mark.name, mark.series, mark.role, mark.side)
    return _points(points, plane, colour_of(mark, palette), palette)


class BandItem(QGraphicsItem):
    """Area between two lines, interrupted where a value is missing."""

    def __init__(self, band: Band, colour: str) -> None:
        super().__init__()
        self._colour = QColor(colour)
        self._colour.setAlpha(BAND_ALPHA)
        self._polygons = [QPolygonF(points) for points in _stretches(band)]
        known = [each for each in (*band.lower, *band.upper) if math.isfinite(each)]
        low, high = min(known, default=0.0), max(known, default=0.0)
        left, right = min(band.x, default=0.0), max(band.x, default=0.0)
        self._bounds = QRectF(left, low, right - left, high - low)

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
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        for polygon in self._polygons:
            painter.drawPolygon(polygon)


class CellsItem(QGraphicsItem):
    """Grid of coloured cells with hairlines between them."""

    def __init__(self, cells: Cells, palette: Palette) -> None:
        super().__init__()
        self._shares = shares_of(cells)
        self._palette = palette
        columns = len(cells.values[0]) if cells.values else 0
        self._bounds = QRectF(-0.5, -0.5, columns, len(cells.values))

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
        gap = QPen(QColor(self._palette.card), 2)
        gap.setCosmetic(True)
        painter.setPen(gap)
        for row, shares in enumerate(self._shares):
            for column, share in enumerate(shares):
                colour = (
                    self._palette.panel if math.isnan(share) else colour_at(self._palette, share)
                )
                painter.setBrush(QColor(colour))
                painter.drawRect(QRectF(column - 0.5, row - 0.5, 1, 1))


def _line(line: Line, plane: PlotAxes, colour: str) -> Any:
    width = LINE_PX if len(line.x) <= LONG_LINE_POINTS else 1.0
    style = Qt.PenStyle.DashLine if line.stroke == "dashed" else Qt.PenStyle.SolidLine
    return pg.PlotDataItem(
        np.asarray(line.x, dtype=float),
        plane.heights(line.y, line.side),
        pen=pg.mkPen(colour, width=width, style=style),
        connect="finite",
        antialias=True,
    )


def _points(points: Points, plane: PlotAxes, colour: str, palette: Palette) -> Any:
    across = np.asarray(points.x, dtype=float)
    up = plane.heights(points.y, points.side)
    known = np.isfinite(across) & np.isfinite(up)
    fill = QColor(colour)
    if len(across) <= MANY_POINTS:
        edge = pg.mkPen(palette.card, width=1.2)
        return pg.ScatterPlotItem(
            across[known], up[known], size=POINT_PX, pen=edge, brush=fill, antialias=True
        )
    fill.setAlphaF(0.4 if len(across) > VERY_MANY_POINTS else 0.65)
    return ScatterItem(across[known], up[known], fill)


def _bars(bars: Bars, colour: str, palette: Palette) -> Any:
    at, start, end = (np.asarray(each, dtype=float) for each in (bars.at, bars.start, bars.end))
    touching = len(at) > 1 and bool(np.min(np.diff(np.sort(at))) <= bars.width * 1.001)
    look = {"brush": QColor(colour), "pen": pg.mkPen(palette.card, width=1) if touching else None}
    if bars.direction == "vertical":
        return pg.BarGraphItem(x=at, y0=start, y1=end, width=bars.width, **look)
    return pg.BarGraphItem(x0=start, x1=end, y=at, height=bars.width, **look)


def _rule(rule: Rule, plane: PlotAxes, colour: str) -> Any:
    style = Qt.PenStyle.DashLine if rule.stroke == "dashed" else Qt.PenStyle.SolidLine
    is_level = rule.direction == "horizontal"
    value = plane.on_left(rule.value) if is_level and rule.side == "right" else rule.value
    return pg.InfiniteLine(
        pos=value, angle=0 if is_level else 90, pen=pg.mkPen(colour, width=1.4, style=style)
    )


def _stretches(band: Band) -> list[list[QPointF]]:
    """Return the outline of each stretch without missing values."""
    outlines = []
    ahead: list[QPointF] = []
    back: list[QPointF] = []
    for x, lower, upper in zip(band.x, band.lower, band.upper, strict=True):
        if math.isfinite(lower) and math.isfinite(upper):
            ahead.append(QPointF(x, upper))
            back.append(QPointF(x, lower))
        elif ahead:
            outlines.append([*ahead, *reversed(back)])
            ahead, back = [], []
    if ahead:
        outlines.append([*ahead, *reversed(back)])
    return outlines
