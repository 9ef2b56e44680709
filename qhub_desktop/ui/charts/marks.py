"""Marks of a figure as pyqtgraph items, and their value labels."""

import math
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
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.charts.axes import PlotAxes, is_in_margin
from qhub_desktop.ui.charts.colormap import cell_colours, colour_of, text_colour_on
from qhub_desktop.ui.theme import Palette

SCATTER_POINT_PX = 5
FRAGMENT_FIELDS = 10  # of a PixmapFragment: position, source, scale, rotation, opacity
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
        self._fragments = pg.Qt.internals.PrimitiveArray(QPainter.PixmapFragment, FRAGMENT_FIELDS)

    @override
    def boundingRect(self) -> QRectF:
        return self._bounds

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self._paint_vectors(painter)
            return
        ratio = painter.device().devicePixelRatioF()
        pixmap = _point_pixmap(self._colour, ratio)
        x, y = pg.functions.transformCoordinates(painter.transform(), np.vstack([self._x, self._y]))
        self._fragments.resize(len(x))
        fragments = self._fragments.ndarray()
        fragments[:, 0], fragments[:, 1] = x, y
        fragments[:, 2:6] = (0, 0, pixmap.width(), pixmap.height())
        fragments[:, 6:10] = (1 / ratio, 1 / ratio, 0, 1)
        painter.save()
        painter.resetTransform()
        first, count = self._fragments.drawargs()
        painter.drawPixmapFragments(first, count, pixmap)
        painter.restore()

    def _paint_vectors(self, painter: QPainter) -> None:
        pen = QPen(self._colour, SCATTER_POINT_PX)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPoints(pg.functions.arrayToQPolygonF(self._x, self._y))


def _point_pixmap(colour: QColor, ratio: float) -> QPixmap:
    side = round((SCATTER_POINT_PX + 1) * ratio)
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(
        QRectF(0.5 * ratio, 0.5 * ratio, SCATTER_POINT_PX * ratio, SCATTER_POINT_PX * ratio)
    )
    painter.end()
    return pixmap


Anchor = Literal[
    "above", "below", "before", "after", "beside", "centre", "edge", "left edge", "top"
]
PAD_PX = 4.0


@dataclass(frozen=True, slots=True)
class ValueLabel:
    """Text at a position in data coordinates.

    `max_width` is the width available in data units, 0 for unlimited. `base` is the base of the bar
    below: in a bar that is high enough, the label stands inside it.
    """

    x: float
    y: float
    text: str
    colour: str
    anchor: Anchor
    max_width: float = 0.0
    base: float | None = None
    inside_colour: str = ""


class _PlotLabels(QGraphicsItem):
    """Labels over the whole plot, in pixels.

    `plot` is asked for positions, not the plot view: a ring of references would keep a closed view
    until the garbage is collected, and the theme would style it with every change.
    """

    def __init__(self, font: QFont, plot: Any) -> None:
        super().__init__(plot)
        self._plot = plot
        self._font = font
        self._metrics = QFontMetricsF(font)

    @override
    def boundingRect(self) -> QRectF:
        parent = self.parentItem()
        assert parent is not None
        return parent.boundingRect()


class ValueLabels(_PlotLabels):
    """All labels of one mark."""

    def __init__(self, labels: tuple[ValueLabel, ...], font: QFont, *, plot: Any) -> None:
        super().__init__(font, plot)
        self._labels = labels

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setFont(self._font)
        origin = self._to_pixels(0, 0)
        unit_px = abs(self._to_pixels(1, 0).x() - origin.x())
        height = self._metrics.height()
        for label in self._labels:
            width = self._metrics.horizontalAdvance(label.text)
            if label.max_width and width > label.max_width * unit_px - 2:
                continue
            place, colour = self._label_rect(label, width, height)
            painter.setPen(QColor(colour))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, label.text)

    def _to_pixels(self, x: float, y: float) -> QPointF:
        # Asking the view itself made a ring: a closed chart of bars followed the theme until
        # garbage was collected.
        point: QPointF = self._plot.mapFromView(QPointF(x, y))
        return point

    def _label_rect(self, label: ValueLabel, width: float, height: float) -> tuple[QRectF, str]:
        at = self._to_pixels(label.x, label.y)
        colour = label.colour
        left, top = at.x() - width / 2, at.y() - height / 2
        match label.anchor:
            case "above":
                top = at.y() - height - 1
                if label.base is not None:
                    base = self._to_pixels(label.x, label.base)
                    if base.y() - at.y() > height + 2 * PAD_PX:
                        top, colour = base.y() - height - PAD_PX, label.inside_colour
            case "below":
                top = at.y() + 1
            case "after":
                left = at.x() + PAD_PX
            case "beside":  # of a point, whose right half is drawn
                left, top = at.x() + POINT_PX, at.y() - height
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
                if left + width > self.boundingRect().right():
                    left = at.x() - width - PAD_PX
            case "centre":
                pass
        return QRectF(left - 1, top, width + 2, height), colour


LABEL_STEP_PX = 9.0  # of the width for each label: with less, most would be left out


class PointLabels(_PlotLabels):
    """Labels of points: above those over the centre line, below the others.

    Labels that would cover another are left out; where most would, none is drawn until zoomed in.
    """

    def __init__(
        self, points: Points, axes: PlotAxes, font: QFont, colour: str, *, plot: Any
    ) -> None:
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        super().__init__(bold, plot)
        self._order = np.argsort(axes.array(points.x), kind="stable")
        self._x = axes.array(points.x)[self._order]
        self._y = axes.y_values(points.y, points.side)[self._order]
        self._texts = points.labels
        self._middle = _middle(axes)
        self._colour = QColor(colour)

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setFont(self._font)
        painter.setPen(self._colour)
        for place, text in self._places():
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def _places(self) -> list[tuple[QRectF, str]]:
        """Return rectangle and text of each label that has room."""
        (low_x, high_x), (low_y, high_y) = self._plot.viewRange()
        seen = (self._x >= low_x) & (self._x <= high_x) & (self._y >= low_y) & (self._y <= high_y)
        at = np.flatnonzero(seen)
        if len(at) * LABEL_STEP_PX > self.boundingRect().width():
            return []
        origin = self._plot.mapFromView(QPointF(0, 0))
        unit = self._plot.mapFromView(QPointF(1, 1))
        across = origin.x() + self._x[at] * (unit.x() - origin.x())
        up = origin.y() + self._y[at] * (unit.y() - origin.y())
        height = self._metrics.height()
        places: list[tuple[QRectF, str]] = []
        for index, row in enumerate(at):
            text = self._texts[self._order[row]]
            width = self._metrics.horizontalAdvance(text) + 2
            is_below = self._y[row] < self._middle
            top = float(up[index]) + (POINT_PX / 2 if is_below else -POINT_PX / 2 - height)
            place = QRectF(float(across[index]) - width / 2, top, width, height)
            if text and not any(place.intersects(each) for each, _text in places[-2:]):
                places.append((place, text))
        return places


def _middle(axes: PlotAxes) -> float:
    """Return the height of the centre line, or the middle of the whole range."""
    for mark in axes.figure.marks:
        match mark:
            case Line(role="centre", y=y):
                return float(np.nanmean(axes.array(y)))
            case Rule(role="centre", direction="horizontal", value=value):
                return value
            case _:
                pass
    low, high = axes.full_view.y
    return (low + high) / 2


def value_labels(
    mark: Mark, axes: PlotAxes, palette: Palette, colour: str
) -> tuple[ValueLabel, ...]:
    """Return the labels of a mark, whose own colour is `colour`."""
    match mark:
        case Bars():
            return _bar_labels(mark, axes.figure, palette, colour)
        case Cells() if mark.labels:
            return _cell_labels(mark, palette)
        case Rule() if mark.label and is_in_margin(mark) and axes.figure.right is None:
            return ()  # painted with the axes
        case Rule() if mark.label and mark.direction == "horizontal":
            height = axes.to_left(mark.value) if mark.side == "right" else mark.value
            # Labels of a cumulative line start after its first point; limits are labelled at the
            # right.
            edge: Anchor = "left edge" if mark.side == "right" else "edge"
            return (ValueLabel(0, height, mark.label, colour, edge),)
        case Rule() if mark.label:
            return (ValueLabel(mark.value, 0, mark.label, colour, "top"),)
        case Label():
            anchor: Anchor = "beside" if mark.anchor == "right" else "above"
            return (ValueLabel(mark.x, mark.y, mark.text, colour, anchor),)
        case _:
            return ()


def _bar_labels(
    bars: Bars, figure: Figure, palette: Palette, colour: str
) -> tuple[ValueLabel, ...]:
    labels = []
    is_upright = bars.direction == "vertical"
    max_width = min((b - a for a, b in zip(bars.at, bars.at[1:], strict=False)), default=1.0)
    for at, start, end, text in zip(bars.at, bars.start, bars.end, bars.labels, strict=False):
        if is_upright:
            labels.append(
                ValueLabel(
                    at,
                    end,
                    text,
                    palette.text,
                    "above" if end >= start else "below",
                    max_width=max(max_width, bars.width),
                    # A cumulative line touches the first bar's top and passes above the others.
                    base=start if figure.right is not None else None,
                    inside_colour=text_colour_on(colour),
                )
            )
        else:
            labels.append(
                ValueLabel(end, at, text, palette.text, "after" if end >= start else "before")
            )
    return tuple(labels)


def _cell_labels(cells: Cells, palette: Palette) -> tuple[ValueLabel, ...]:
    colours = cell_colours(cells, palette)
    return tuple(
        ValueLabel(
            column,
            row,
            text,
            text_colour_on(colours[row][column]),
            "centre",
            max_width=1.0,
        )
        for row, line in enumerate(cells.labels)
        for column, text in enumerate(line)
        if text
    )


LINE_PX = 2.0
LONG_LINE_POINTS = 1_500  # longer lines are thin: Qt strokes wide ones slowly
POINT_PX = 8.0
TOUCHING_SHARE = 0.96  # of the width of bars that would touch
LEAST_POINT_PX = 3.0
MANY_POINTS = 1_000
VERY_MANY_POINTS = 5_000
BAND_ALPHA = 70


def make_item(mark: Mark, axes: PlotAxes, palette: Palette) -> Any:
    """Return the graphics item of a mark, to be added to the view box of the plot."""
    colour = colour_of(mark, palette)
    match mark:
        case Line():
            return _line(mark, axes, colour)
        case Points():
            return _points(mark, axes, colour)
        case Bars():
            return _bars(mark, colour)
        case Band():
            return BandItem(mark, colour)
        case Rule():
            return _rule(mark, axes, colour)
        case Cells():
            return CellsItem(mark, palette)
        case Label() | Slices():
            # Labels are drawn by ValueLabels, slices by PieItem.
            return pg.ItemGroup()


def configure_item(item: Any, mark: Mark) -> None:
    """Set options that need the item to be in its view box.

    As arguments of the constructor they crash (pyqtgraph#1854, #3326).
    """
    if isinstance(mark, Line) and len(mark.x) > LONG_LINE_POINTS:
        item.setDownsampling(auto=True, method="peak")
        item.setClipToView(True)


def point_markers(mark: Mark, axes: PlotAxes, palette: Palette) -> Any | None:
    """Return an item for the points of a line that shows them; None for other marks."""
    if not isinstance(mark, Line) or not mark.is_dotted_at_points:
        return None
    points = Points(mark.x, mark.y, mark.name, mark.series, mark.role, mark.side)
    return _points(points, axes, colour_of(mark, palette))


class BandItem(QGraphicsItem):
    """Area between two lines, interrupted where a value is missing."""

    def __init__(self, band: Band, colour: str) -> None:
        super().__init__()
        self._colour = QColor(colour)
        self._colour.setAlpha(BAND_ALPHA)
        self._polygons = [QPolygonF(points) for points in _band_outlines(band)]
        known = [each for each in (*band.lower, *band.upper) if math.isfinite(each)]
        low, high = min(known, default=0.0), max(known, default=0.0)
        left, right = min(band.x, default=0.0), max(band.x, default=0.0)
        self._bounds = QRectF(left, low, right - left, high - low)

    @override
    def boundingRect(self) -> QRectF:
        return self._bounds

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour)
        for polygon in self._polygons:
            painter.drawPolygon(polygon)


class CellsItem(QGraphicsItem):
    """Grid of coloured cells with hairlines between them."""

    def __init__(self, cells: Cells, palette: Palette) -> None:
        super().__init__()
        self._colours = cell_colours(cells, palette)
        self._gap = QColor(palette.card)
        columns = len(cells.values[0]) if cells.values else 0
        self._bounds = QRectF(-0.5, -0.5, columns, len(cells.values))

    @override
    def boundingRect(self) -> QRectF:
        return self._bounds

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        gap = QPen(self._gap, 2)
        gap.setCosmetic(True)
        painter.setPen(gap)
        for row, colours in enumerate(self._colours):
            for column, colour in enumerate(colours):
                painter.setBrush(QColor(colour))
                painter.drawRect(QRectF(column - 0.5, row - 0.5, 1, 1))


def _line(line: Line, axes: PlotAxes, colour: str) -> Any:
    width = LINE_PX if len(line.x) <= LONG_LINE_POINTS else 1.0
    style = Qt.PenStyle.DashLine if line.stroke == "dashed" else Qt.PenStyle.SolidLine
    return pg.PlotDataItem(
        axes.array(line.x),
        axes.y_values(line.y, line.side),
        pen=pg.mkPen(colour, width=width, style=style),
        connect="finite",
        antialias=True,
    )


def _points(points: Points, axes: PlotAxes, colour: str) -> Any:
    across = axes.array(points.x)
    up = axes.y_values(points.y, points.side)
    known = np.isfinite(across) & np.isfinite(up)
    fill = QColor(colour)
    if len(across) <= MANY_POINTS:
        # Without a rim, which erased the points and the lines below: they show through.
        fill.setAlphaF(0.8)
        return pg.ScatterPlotItem(
            across[known], up[known], size=POINT_PX, pen=None, brush=fill, antialias=True
        )
    fill.setAlphaF(0.4 if len(across) > VERY_MANY_POINTS else 0.65)
    return ScatterItem(across[known], up[known], fill)


def _bars(bars: Bars, colour: str) -> Any:
    at, start, end = (np.asarray(each, dtype=float) for each in (bars.at, bars.start, bars.end))
    touching = len(at) > 1 and bool(np.min(np.diff(np.sort(at))) <= bars.width * 1.001)
    style_options = {
        "brush": QColor(colour),
        "pen": None,
    }
    # A gap, and no rim: that erased the axis below.
    width = bars.width * (TOUCHING_SHARE if touching else 1.0)
    if bars.direction == "vertical":
        return pg.BarGraphItem(x=at, y0=start, y1=end, width=width, **style_options)
    return pg.BarGraphItem(x0=start, x1=end, y=at, height=width, **style_options)


def _rule(rule: Rule, axes: PlotAxes, colour: str) -> Any:
    style = Qt.PenStyle.DashLine if rule.stroke == "dashed" else Qt.PenStyle.SolidLine
    is_level = rule.direction == "horizontal"
    value = axes.to_left(rule.value) if is_level and rule.side == "right" else rule.value
    # Drawn without antialiasing, widths between whole numbers come out now thin, now thick.
    width = LINE_PX if rule.role in ("centre", "limit", "target") else 1.0
    return pg.InfiniteLine(
        pos=value, angle=0 if is_level else 90, pen=pg.mkPen(colour, width=width, style=style)
    )


def _band_outlines(band: Band) -> list[list[QPointF]]:
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
