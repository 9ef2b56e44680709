"""Marks as things on a pyqtgraph view: one item a mark, and the words that belong to it."""

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import (
    Band,
    Bars,
    Cells,
    Label,
    Line,
    Mark,
    Points,
    Role,
    Rule,
    Slices,
)
from qhub_desktop.ui.theme import Palette
from qhub_desktop.ui.widgets.clouds import Cloud
from qhub_desktop.ui.widgets.plane import Plane
from qhub_desktop.ui.widgets.ramp import colour_at
from qhub_desktop.ui.widgets.words import shares_of

LINE_PX = 2.0
LONG_LINE_POINTS = 1_500  # from here on a thin line: Qt strokes wide ones slowly
POINT_PX = 8.0
MANY_POINTS = 1_000
VERY_MANY_POINTS = 5_000
BAND_ALPHA = 70


def item_of(mark: Mark, plane: Plane, palette: Palette) -> Any:
    """The item that draws a mark, to be added to the view of the plot."""
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
            # A label is words alone; slices have no axes and are drawn without a plot.
            return pg.ItemGroup()


def settle(item: Any, mark: Mark) -> None:
    """What may only be said once the item is in its view.

    As arguments of the item these crash (pyqtgraph#1854, #3326).
    """
    if isinstance(mark, Line) and len(mark.x) > LONG_LINE_POINTS:
        item.setDownsampling(auto=True, method="peak")
        item.setClipToView(True)


def dots_of(mark: Mark, plane: Plane, palette: Palette) -> Any | None:
    """The points on a line that shows them; nothing for another mark."""
    if not isinstance(mark, Line) or not mark.is_dotted_at_points:
        return None
    points = Points(mark.x, mark.y, mark.name, mark.series, mark.role, mark.side)
    return _points(points, plane, colour_of(mark, palette), palette)


def colour_of(mark: Mark, palette: Palette) -> str:
    """What a mark's role and series look like."""
    match mark:
        case Line(role=role, series=series) | Points(role=role, series=series):
            return role_colour(role, series, palette)
        case Bars(role=role, series=series) | Band(role=role, series=series):
            return role_colour(role, series, palette)
        case Rule(role=role) | Label(role=role):
            return role_colour(role, 0, palette)
        case Cells() | Slices():
            return palette.series[0]


def role_colour(role: Role, series: int, palette: Palette) -> str:
    """The colour of a meaning."""
    match role:
        case "series":
            return palette.series[series % len(palette.series)]
        case "centre" | "good":
            return palette.good
        case "limit" | "bad":
            return palette.bad
        case "target":
            return palette.warn
        case "quiet":
            return palette.quiet


class BandItem(QGraphicsItem):
    """The area between two lines, broken where a value is missing."""

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
    """A grid of coloured cells with hair lines between them."""

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


def _line(line: Line, plane: Plane, colour: str) -> Any:
    width = LINE_PX if len(line.x) <= LONG_LINE_POINTS else 1.0
    style = Qt.PenStyle.DashLine if line.stroke == "dashed" else Qt.PenStyle.SolidLine
    return pg.PlotDataItem(
        np.asarray(line.x, dtype=float),
        plane.heights(line.y, line.side),
        pen=pg.mkPen(colour, width=width, style=style),
        connect="finite",
        antialias=True,
    )


def _points(points: Points, plane: Plane, colour: str, palette: Palette) -> Any:
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
    return Cloud(across[known], up[known], fill)


def _bars(bars: Bars, colour: str, palette: Palette) -> Any:
    at, start, end = (np.asarray(each, dtype=float) for each in (bars.at, bars.start, bars.end))
    touching = len(at) > 1 and bool(np.min(np.diff(np.sort(at))) <= bars.width * 1.001)
    look = {"brush": QColor(colour), "pen": pg.mkPen(palette.card, width=1) if touching else None}
    if bars.direction == "vertical":
        return pg.BarGraphItem(x=at, y0=start, y1=end, width=bars.width, **look)
    return pg.BarGraphItem(x0=start, x1=end, y=at, height=bars.width, **look)


def _rule(rule: Rule, plane: Plane, colour: str) -> Any:
    style = Qt.PenStyle.DashLine if rule.stroke == "dashed" else Qt.PenStyle.SolidLine
    is_level = rule.direction == "horizontal"
    value = plane.on_left(rule.value) if is_level and rule.side == "right" else rule.value
    return pg.InfiniteLine(
        pos=value, angle=0 if is_level else 90, pen=pg.mkPen(colour, width=1.4, style=style)
    )


def _stretches(band: Band) -> list[list[QPointF]]:
    """The outline of each stretch without a gap."""
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
