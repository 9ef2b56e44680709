"""The graphics items of a figure, laid out on a canvas, and what stands at a place of it."""

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsItem, QGraphicsScene, QGraphicsView
from typing_extensions import override

from qhub_desktop.core.figure import Figure, Line, Points, Slices
from qhub_desktop.ui.charts.axes import AxesItem, Margins, PlotAxes, layout_axes
from qhub_desktop.ui.charts.colormap import Legend, colour_of
from qhub_desktop.ui.charts.marks import (
    LEAST_POINT_PX,
    POINT_PX,
    Array,
    PointLabels,
    ValueLabels,
    configure_item,
    make_item,
    point_markers,
    value_labels,
)
from qhub_desktop.ui.charts.pie import PieItem
from qhub_desktop.ui.charts.scales import Viewport, is_horizontal
from qhub_desktop.ui.charts.tooltips import Hit, hit_at, nearest_point, slice_text
from qhub_desktop.ui.theme import SMALL_PT, theme, theme_font


class Canvas(QGraphicsView):
    """View of a graphics scene at its own size, which emits mouse events as signals.

    pyqtgraph's items expect two of the signals and `viewRect` on their view.

    Signals:
        about_to_paint: before each paint event.
        resized: the size has changed.
        wheel_turned, mouse_moved, mouse_pressed: an event for the receiver to accept or ignore.
        mouse_released, double_clicked: a button was released, or double-clicked.
        mouse_left: the mouse has left the view.
    """

    sigDeviceRangeChanged = Signal(object, object)  # noqa: N815  pyqtgraph's name
    sigDeviceTransformChanged = Signal(object)  # noqa: N815  pyqtgraph's name
    about_to_paint = Signal()
    resized = Signal()
    wheel_turned = Signal(QWheelEvent)
    mouse_moved = Signal(QMouseEvent)
    mouse_pressed = Signal(QMouseEvent)
    mouse_released = Signal()
    double_clicked = Signal()
    mouse_left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Labels overlap several items: repaint all when any of them changes.
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        # The background covers it: nothing below has to be painted first.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def viewRect(self) -> QRectF:  # noqa: N802  pyqtgraph's name
        """Return the visible part of the scene."""
        return QRectF(self.rect())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self.about_to_paint.emit()
        super().paintEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheel_turned.emit(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mouse_moved.emit(event)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouse_pressed.emit(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.mouse_released.emit()

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()

    @override
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.mouse_left.emit()


MARKER_STEP_PX = 4  # between points that are marked, at least; closer ones are a line only
FLAG_PX = 9


class PlotScene:
    """Items of a figure on a canvas, drawn for the visible ranges.

    A point of the selectable line can be chosen, and points of it be flagged.
    """

    def __init__(self, figure: Figure, canvas: Canvas) -> None:
        self._figure = figure
        self._canvas = canvas
        self.axes = PlotAxes(figure)
        self.viewport = self.axes.full_view
        self._least = Margins()  # to be left beside the plot
        self._chosen: int | None = None  # point with a ring around it
        self._flags: tuple[int, ...] = ()
        self._selectable = next(
            (mark for mark in figure.marks if isinstance(mark, Line) and mark.is_selectable), None
        )

    @property
    def is_plot(self) -> bool:
        """Whether the figure has axes; a pie has none."""
        return self._plot is not None

    def build(self) -> None:
        """Build all items anew, so that no item keeps colours of another palette."""
        palette = theme().palette
        former = self._canvas.scene()
        self._scene = pg.GraphicsScene(parent=self._canvas)
        self._canvas.setScene(self._scene)
        if isinstance(former, QGraphicsScene):
            former.deleteLater()
        self._canvas.setBackgroundBrush(QColor(palette.card))
        font = theme_font(SMALL_PT)
        self.items: tuple[Any, ...] = ()  # of the marks, in their order
        self._marker_items: list[Any] = []
        self._label_items: list[ValueLabels | PointLabels] = []
        self._dotted_lines: list[tuple[Any, Array]] = []  # markers of a line, and their x
        self._plot: Any | None = None
        self._pie: PieItem | None = None
        self._legend = Legend(self._figure, palette, font)
        self._axes_item = AxesItem(self._figure, palette, font, colour_of=colour_of)
        self._hover_ring = pg.ScatterPlotItem(size=14, brush=None, antialias=True)
        self._hover_ring.setPen(pg.mkPen(palette.text, width=1.6))
        self._hover_ring.setVisible(False)
        self._choice_ring = pg.ScatterPlotItem(size=17, brush=None, antialias=True)
        self._choice_ring.setPen(pg.mkPen(palette.accent, width=2.4))
        self._flag_item = pg.ScatterPlotItem(
            size=FLAG_PX, symbol="t1", brush=palette.warn, pen=None, antialias=True
        )
        pies = [mark for mark in self._figure.marks if isinstance(mark, Slices)]
        if pies:
            self._pie = PieItem(pies[0], palette, font)
            self.items = (self._pie,)
            self._scene.addItem(self._pie)
        else:
            self._build_plot(font)
        self.update_layout()

    def _build_plot(self, font: QFont) -> None:
        palette = theme().palette
        self._scene.addItem(self._axes_item)
        self._scene.addItem(self._legend)
        plot = pg.ViewBox(enableMenu=False, enableMouse=False, invertY=is_horizontal(self._figure))
        plot.disableAutoRange()
        self._plot = plot
        self._scene.addItem(plot)
        items = []
        for height, mark in enumerate(self._figure.marks):
            item = make_item(mark, self.axes, palette)
            self._add(item, height)
            configure_item(item, mark)
            items.append(item)
            markers = point_markers(mark, self.axes, palette)
            if markers is not None:
                self._add(markers, height + 0.5)
                assert isinstance(mark, Line)
                self._dotted_lines.append((markers, self.axes.array(mark.x)))
            self._marker_items += [
                each for each in (item, markers) if isinstance(each, pg.ScatterPlotItem)
            ]
            colour = colour_of(mark, palette)
            words = value_labels(mark, self.axes, palette, colour)
            if words:
                self._label_items.append(ValueLabels(words, font, plot=plot))
                self._label_items[-1].setZValue(1_000 + height)
            if isinstance(mark, Points) and mark.labels:
                labels = PointLabels(mark, self.axes, font, colour, plot=plot)
                labels.setZValue(1_000 + height)
                self._label_items.append(labels)
        for item in (self._flag_item, self._choice_ring, self._hover_ring):
            self._add(item, 900)
            self._marker_items.append(item)
        self.items = tuple(items)

    def _add(self, item: Any, height: float) -> None:
        assert self._plot is not None
        self._plot.addItem(item, ignoreBounds=True)
        item.setZValue(height)

    def show(self, viewport: Viewport) -> None:
        """Show these ranges."""
        self.viewport = viewport
        self.update_layout()

    def update_layout(self) -> None:
        """Place the items on the canvas, for what is visible."""
        area = QRectF(self._canvas.rect())
        self._scene.setSceneRect(area)
        if self._pie is not None:
            self._pie.set_area(area)
            return
        assert self._plot is not None
        area = self._area()
        layout = layout_axes(self.axes, self.viewport, area, _metrics(), self._least)
        self._axes_item.set_layout(layout, self.viewport, area)
        self._plot.setGeometry(layout.plot)
        # Clip only when zoomed: points on the edge of the whole range are drawn entirely.
        is_zoomed = self.viewport != self.axes.full_view
        self._plot.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape, is_zoomed)
        self._plot.setRange(xRange=self.viewport.x, yRange=self.viewport.y, padding=0)
        self._fit_markers(layout.plot.width())
        self._place_ring()
        self._place_flags()
        for words in self._label_items:
            words.update()

    def choose(self, point: int | None) -> None:
        """Draw a ring around a point of the selectable line, or around none."""
        self._chosen = point
        self._place_ring()

    def set_flags(self, points: tuple[int, ...]) -> None:
        """Mark points of the selectable line at the foot of the plot: something is noted there."""
        self._flags = points
        self._place_flags()

    def tooltip_at(self, place: QPointF) -> str:
        """Return the tooltip at a position of this widget; "" where nothing is drawn."""
        if self._pie is not None:
            at = self._pie.slice_at(place)
            slices = self._figure.marks[0]
            assert isinstance(slices, Slices)
            return "" if at is None else slice_text(slices, at)
        hit = self._hit_at(place)
        return hit.text if hit else ""

    def to_widget(self, x: float, y: float) -> QPointF:
        """Convert data coordinates to a position on this widget."""
        assert self._plot is not None
        point: QPointF = self._plot.mapToScene(self._plot.mapFromView(QPointF(x, y)))
        return point

    def margins(self) -> Margins:
        """Return the widths that the labels at the left and right need."""
        if self._plot is None:
            return Margins()
        area = self._area()
        layout = layout_axes(self.axes, self.viewport, area, _metrics())
        return Margins(layout.plot.left() - area.left(), area.right() - layout.plot.right())

    def set_least_margins(self, least: Margins) -> None:
        """Leave at least these widths beside the plot, to align it with others."""
        if least != self._least:
            self._least = least
            self.update_layout()

    def point_place(self, point: int) -> QPointF:
        """Return where a point of the selectable line stands; the middle where it has no value."""
        place = self._position(point)
        if place is None:
            return QPointF(self._canvas.rect().center())
        return self.to_widget(place.x(), place.y())

    def point_at(self, place: QPointF) -> int | None:
        """Return the point of the selectable line at a position of this widget."""
        if self._selectable is None or self._plot is None:
            return None
        area = self.plot_area()
        point = self._plot.mapToView(self._plot.mapFromScene(place))
        x_px = area.width() / (self.viewport.x[1] - self.viewport.x[0])
        y_px = area.height() / (self.viewport.y[1] - self.viewport.y[0])
        return nearest_point(self.axes, self._selectable, point.x(), point.y(), (x_px, y_px))

    def highlight_point(self, place: QPointF) -> None:
        """Draw a ring around the point at a position, for as long as the pointer is there."""
        hit = self._hit_at(place) if self._plot is not None else None
        point = hit.point if hit else None
        if point:
            self._hover_ring.setData([point[0]], [point[1]])
        self._hover_ring.setVisible(point is not None)

    def end_highlight(self) -> None:
        """Take away the ring around the point below the pointer."""
        self._hover_ring.setVisible(False)

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the figure, scaled to `target`; as vectors if the painter supports them."""
        for item in self._marker_items:
            item.setExportMode(export=True, opts={"antialias": True, "painter": painter})
        self._scene.render(painter, target, QRectF(self._canvas.rect()))
        for item in self._marker_items:
            item.setExportMode(export=False)

    def plot_area(self) -> QRectF:
        """Return where the figure is drawn, without axes and legend."""
        assert self._plot is not None
        area: QRectF = self._plot.sceneBoundingRect()
        return area

    def prepare_for_paint(self) -> None:
        """Have pyqtgraph update its ranges; its own view calls this before each paint, too."""
        self._scene.prepareForPaint()

    def _place_ring(self) -> None:
        place = self._position(self._chosen) if self._chosen is not None else None
        self._choice_ring.setVisible(place is not None)
        if place is not None:
            self._choice_ring.setData([place.x()], [place.y()])

    def _place_flags(self) -> None:
        """Put flags at the foot of the plot, below their points, where no label stands."""
        places = [place for each in self._flags if (place := self._position(each)) is not None]
        self._flag_item.setVisible(bool(places))
        if places and self._plot is not None:
            unit_px = self.plot_area().height() / (self.viewport.y[1] - self.viewport.y[0])
            foot = self.viewport.y[0] + FLAG_PX / 2 / max(unit_px, 1e-9)
            self._flag_item.setData([each.x() for each in places], [foot] * len(places))

    def _position(self, point: int) -> QPointF | None:
        """Return a point of the selectable line in data coordinates; None where it has no value."""
        line = self._selectable
        if line is None or self._plot is None or not 0 <= point < len(line.x):
            return None
        y = float(self.axes.y_values(line.y, line.side)[point])
        return QPointF(line.x[point], y) if math.isfinite(y) else None

    def _fit_markers(self, width_px: float) -> None:
        """Make the points of lines smaller where they stand close, and hide those of long lines."""
        lower, upper = self.viewport.x
        for item, across in self._dotted_lines:
            seen = max(1, int(((across >= lower) & (across <= upper)).sum()))
            if not isinstance(item, pg.ScatterPlotItem):
                item.setVisible(seen * MARKER_STEP_PX <= width_px)
                continue
            size = min(POINT_PX, max(LEAST_POINT_PX, round(width_px / seen)))
            if item.opts["size"] != size:
                item.setSize(size)
                item.setPen(pg.mkPen(theme().palette.card, width=1.2) if size > 6 else None)

    def _area(self) -> QRectF:
        """Return what the legend leaves to plot and axes."""
        metrics = _metrics()
        area = QRectF(self._canvas.rect())
        area.adjust(0, self._legend.lay_out(area.width(), self._caption_px(metrics)), 0, 0)
        return area

    def _caption_px(self, metrics: QFontMetricsF) -> float:
        """Return the width taken by the captions' line; infinite if the legend may not share it."""
        if self._figure.right is not None or not self._figure.y.label:
            return math.inf
        return metrics.horizontalAdvance(self._figure.y.label)

    def _hit_at(self, place: QPointF) -> Hit | None:
        assert self._plot is not None
        area = self.plot_area()
        if not area.contains(place):
            return None
        point = self._plot.mapToView(self._plot.mapFromScene(place))
        return hit_at(
            self.axes,
            point.x(),
            point.y(),
            x_unit_px=area.width() / (self.viewport.x[1] - self.viewport.x[0]),
            y_unit_px=area.height() / (self.viewport.y[1] - self.viewport.y[0]),
        )


def _metrics() -> QFontMetricsF:
    return QFontMetricsF(theme_font(SMALL_PT))
