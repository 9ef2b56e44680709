"""The plot view: a figure drawn by pyqtgraph, to be zoomed and moved."""

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
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
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QSizePolicy,
    QToolTip,
    QWidget,
)
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
from qhub_desktop.ui.charts.scales import Viewport, height_px, is_horizontal, pan_range, zoom_range
from qhub_desktop.ui.charts.tooltips import (
    Hit,
    describe_figure,
    hit_at,
    nearest_point,
    slice_text,
)
from qhub_desktop.ui.controls.layouts import column_layout
from qhub_desktop.ui.controls.plain_text import show_tooltip
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


ZOOM_STEP = 0.8  # factor on the visible range for a notch of the wheel
CLICK_PX = 4  # the mouse may move so far between press and release of a click
MARKER_STEP_PX = 4  # between points that are marked, at least; closer ones are a line only
FLAG_PX = 9


class PlotView(QWidget):
    """View of one figure. The wheel zooms with Ctrl only; otherwise it scrolls the page around.

    Signals:
        point_clicked: a point of a selectable line, by its place in the line.
        viewport_changed: the visible ranges, after zooming or moving.
    """

    point_clicked = Signal(int)
    viewport_changed = Signal(object)

    def __init__(self, figure: Figure, *, is_pannable: bool = False) -> None:
        super().__init__()
        self._figure = figure
        self._is_pannable = is_pannable
        self._drag: QPointF | None = None
        self._last_place = QPointF()
        self._pressed: QPointF | None = None
        self._least = Margins()
        self._chosen: int | None = None
        self._flags: tuple[int, ...] = ()
        self._selectable = next(
            (mark for mark in figure.marks if isinstance(mark, Line) and mark.is_selectable), None
        )
        self._canvas = Canvas()
        self._canvas.about_to_paint.connect(self._on_painting)
        self._canvas.resized.connect(self._update_layout)
        self._canvas.wheel_turned.connect(self._on_wheeled)
        self._canvas.mouse_moved.connect(self._on_moved)
        self._canvas.mouse_pressed.connect(self._on_pressed)
        self._canvas.mouse_released.connect(self._on_released)
        self._canvas.double_clicked.connect(self.reset)
        self._canvas.mouse_left.connect(self._on_left)
        column = column_layout(self, margins=0)
        column.addWidget(self._canvas)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(describe_figure(figure))
        self._axes = PlotAxes(figure)
        self._viewport = self._axes.full_view
        theme().register(self._build)

    @property
    def figure(self) -> Figure:
        """The figure shown."""
        return self._figure

    @property
    def items(self) -> tuple[Any, ...]:
        """Graphics items of the marks, in their order."""
        return self._items

    @property
    def visible_range(self) -> Viewport:
        """The visible ranges."""
        return self._viewport

    @property
    def whole_range(self) -> Viewport:
        """The ranges of the whole figure."""
        return self._axes.full_view

    def reset(self) -> None:
        """Show the whole figure again."""
        self._set_viewport(self._axes.full_view)
        self.viewport_changed.emit(self._viewport)

    def zoom(self, factor: float, *, at: QPointF | None = None) -> None:
        """Scale the visible range by `factor`, around a position of this widget."""
        if self._plot is None:
            return
        area = self._plot_area()
        centre = at or area.center()
        share_x = min(1.0, max(0.0, (centre.x() - area.left()) / area.width()))
        down = min(1.0, max(0.0, (centre.y() - area.top()) / area.height()))
        share_y = down if is_horizontal(self._figure) else 1 - down
        whole = self._axes.full_view
        x, y = self._viewport.x, self._viewport.y
        if self._can_zoom_x():
            x = zoom_range(x, whole.x, factor, share_x)
        if self._can_zoom_y():
            y = zoom_range(y, whole.y, factor, share_y)
        self._set_viewport(Viewport(x, y))

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
        layout = layout_axes(self._axes, self._viewport, area, _metrics())
        return Margins(layout.plot.left() - area.left(), area.right() - layout.plot.right())

    def set_least_margins(self, least: Margins) -> None:
        """Leave at least these widths beside the plot, to align it with others."""
        if least != self._least:
            self._least = least
            self._update_layout()

    def show_range(self, x: tuple[float, float]) -> None:
        """Show this range of x."""
        if x != self._viewport.x:
            self._viewport = Viewport(x, self._viewport.y)
            self._update_layout()

    def has_range_of(self, other: object) -> bool:
        """Whether another plot's whole range of x is this one's, so that both zoom together."""
        return isinstance(other, PlotView) and other.whole_range.x == self.whole_range.x

    def point_place(self, point: int) -> QPointF:
        """Return where a point of the selectable line stands; the middle where it has no value."""
        place = self._position(point)
        middle = QPointF(self.rect().center())
        return self.to_widget(place.x(), place.y()) if place is not None else middle

    def choose_point(self, point: int | None) -> None:
        """Draw a ring around a point of the selectable line, or around none."""
        self._chosen = point
        self._place_ring()

    def set_flags(self, points: tuple[int, ...]) -> None:
        """Mark points of the selectable line at the foot of the plot: something is noted there."""
        self._flags = points
        self._place_flags()

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the figure, scaled to `target`; as vectors if the painter supports them."""
        for item in self._marker_items:
            item.setExportMode(export=True, opts={"antialias": True, "painter": painter})
        self._scene.render(painter, target, QRectF(self._canvas.rect()))
        for item in self._marker_items:
            item.setExportMode(export=False)

    @override
    def sizeHint(self) -> QSize:
        return QSize(560, height_px(self._figure))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._build()

    def _on_painting(self) -> None:
        # pyqtgraph updates its ranges here; its own GraphicsView calls this before each paint, too.
        self._scene.prepareForPaint()

    def _on_wheeled(self, event: QWheelEvent) -> None:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier or self._plot is None:
            event.ignore()
            return
        notches = event.angleDelta().y() / 120
        self.zoom(ZOOM_STEP**notches, at=event.position())
        self.viewport_changed.emit(self._viewport)
        event.accept()

    def _on_moved(self, event: QMouseEvent) -> None:
        self._last_place = event.position()
        if self._drag is not None:
            self._pan(event.position() - self._drag)
            self._drag = event.position()
            return
        text = self.tooltip_at(event.position())
        self._highlight_point(event.position())
        if text:
            show_tooltip(event.globalPosition().toPoint(), text, self)
        else:
            QToolTip.hideText()

    def _on_pressed(self, event: QMouseEvent) -> None:
        self._pressed = self._last_place = event.position()
        if not self._is_pannable and event.button() == Qt.MouseButton.LeftButton:
            # Without the press, no release would come.
            event.setAccepted(self._point_at(event.position()) is not None)
            return
        if self._is_pannable and event.button() == Qt.MouseButton.LeftButton:
            self._drag = event.position()
            return
        event.ignore()

    def _on_released(self) -> None:
        pressed, self._pressed, self._drag = self._pressed, None, None
        if pressed is None or (self._last_place - pressed).manhattanLength() > CLICK_PX:
            return
        point = self._point_at(pressed)
        if point is not None:
            self.point_clicked.emit(point)

    def _on_left(self) -> None:
        self._hover_ring.setVisible(False)

    def _build(self) -> None:
        """Build all items anew, so that no item keeps colours of another palette."""
        palette = theme().palette
        former = self._canvas.scene()
        self._scene = pg.GraphicsScene(parent=self)
        self._canvas.setScene(self._scene)
        if isinstance(former, QGraphicsScene):
            former.deleteLater()
        self._canvas.setBackgroundBrush(QColor(palette.card))
        font = theme_font(SMALL_PT)
        self._items: tuple[Any, ...] = ()
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
            self._items = (self._pie,)
            self._scene.addItem(self._pie)
        else:
            self._build_plot(font)
        self._update_layout()

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
            item = make_item(mark, self._axes, palette)
            self._add(item, height)
            configure_item(item, mark)
            items.append(item)
            markers = point_markers(mark, self._axes, palette)
            if markers is not None:
                self._add(markers, height + 0.5)
                assert isinstance(mark, Line)
                self._dotted_lines.append((markers, self._axes.array(mark.x)))
            self._marker_items += [
                each for each in (item, markers) if isinstance(each, pg.ScatterPlotItem)
            ]
            colour = colour_of(mark, palette)
            words = value_labels(mark, self._axes, palette, colour)
            if words:
                self._label_items.append(ValueLabels(words, font, plot=plot))
                self._label_items[-1].setZValue(1_000 + height)
            if isinstance(mark, Points) and mark.labels:
                labels = PointLabels(mark, self._axes, font, colour, plot=plot)
                labels.setZValue(1_000 + height)
                self._label_items.append(labels)
        for item in (self._flag_item, self._choice_ring, self._hover_ring):
            self._add(item, 900)
            self._marker_items.append(item)
        self._items = tuple(items)

    def _add(self, item: Any, height: float) -> None:
        assert self._plot is not None
        self._plot.addItem(item, ignoreBounds=True)
        item.setZValue(height)

    def _update_layout(self) -> None:
        area = QRectF(self._canvas.rect())
        self._scene.setSceneRect(area)
        if self._pie is not None:
            self._pie.set_area(area)
            return
        assert self._plot is not None
        area = self._area()
        layout = layout_axes(self._axes, self._viewport, area, _metrics(), self._least)
        self._axes_item.set_layout(layout, self._viewport, area)
        self._plot.setGeometry(layout.plot)
        # Clip only when zoomed: points on the edge of the whole range are drawn entirely.
        is_zoomed = self._viewport != self._axes.full_view
        self._plot.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape, is_zoomed)
        self._plot.setRange(xRange=self._viewport.x, yRange=self._viewport.y, padding=0)
        self._fit_markers(layout.plot.width())
        self._place_ring()
        self._place_flags()
        for words in self._label_items:
            words.update()

    def _area(self) -> QRectF:
        """Return what the legend leaves to plot and axes."""
        metrics = _metrics()
        area = QRectF(self._canvas.rect())
        area.adjust(0, self._legend.lay_out(area.width(), self._caption_px(metrics)), 0, 0)
        return area

    def _fit_markers(self, width_px: float) -> None:
        """Make the points of lines smaller where they stand close, and hide those of long lines."""
        lower, upper = self._viewport.x
        for item, across in self._dotted_lines:
            seen = max(1, int(((across >= lower) & (across <= upper)).sum()))
            if not isinstance(item, pg.ScatterPlotItem):
                item.setVisible(seen * MARKER_STEP_PX <= width_px)
                continue
            size = min(POINT_PX, max(LEAST_POINT_PX, round(width_px / seen)))
            if item.opts["size"] != size:
                item.setSize(size)
                item.setPen(pg.mkPen(theme().palette.card, width=1.2) if size > 6 else None)

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
            unit_px = self._plot_area().height() / (self._viewport.y[1] - self._viewport.y[0])
            foot = self._viewport.y[0] + FLAG_PX / 2 / max(unit_px, 1e-9)
            self._flag_item.setData([each.x() for each in places], [foot] * len(places))

    def _position(self, point: int) -> QPointF | None:
        """Return a point of the selectable line in data coordinates; None where it has no value."""
        line = self._selectable
        if line is None or self._plot is None or not 0 <= point < len(line.x):
            return None
        y = float(self._axes.y_values(line.y, line.side)[point])
        return QPointF(line.x[point], y) if math.isfinite(y) else None

    def _point_at(self, place: QPointF) -> int | None:
        """Return the point of the selectable line at a position of this widget."""
        if self._selectable is None or self._plot is None:
            return None
        area = self._plot_area()
        point = self._plot.mapToView(self._plot.mapFromScene(place))
        x_px = area.width() / (self._viewport.x[1] - self._viewport.x[0])
        y_px = area.height() / (self._viewport.y[1] - self._viewport.y[0])
        return nearest_point(self._axes, self._selectable, point.x(), point.y(), (x_px, y_px))

    def _caption_px(self, metrics: QFontMetricsF) -> float:
        """Return the width taken by the captions' line; infinite if the legend may not share it."""
        if self._figure.right is not None or not self._figure.y.label:
            return math.inf
        return metrics.horizontalAdvance(self._figure.y.label)

    def _set_viewport(self, shown: Viewport) -> None:
        self._viewport = shown
        self._update_layout()

    def _pan(self, way: QPointF) -> None:
        whole, area = self._axes.full_view, self._plot_area()
        x, y = self._viewport.x, self._viewport.y
        if self._can_zoom_x():
            x = pan_range(x, whole.x, -way.x() / area.width())
        if self._can_zoom_y():
            down = way.y() / area.height()
            y = pan_range(y, whole.y, -down if is_horizontal(self._figure) else down)
        self._set_viewport(Viewport(x, y))
        self.viewport_changed.emit(self._viewport)

    def _hit_at(self, place: QPointF) -> Hit | None:
        assert self._plot is not None
        area = self._plot_area()
        if not area.contains(place):
            return None
        point = self._plot.mapToView(self._plot.mapFromScene(place))
        return hit_at(
            self._axes,
            point.x(),
            point.y(),
            x_unit_px=area.width() / (self._viewport.x[1] - self._viewport.x[0]),
            y_unit_px=area.height() / (self._viewport.y[1] - self._viewport.y[0]),
        )

    def _highlight_point(self, place: QPointF) -> None:
        hit = self._hit_at(place) if self._plot is not None else None
        point = hit.point if hit else None
        if point:
            self._hover_ring.setData([point[0]], [point[1]])
        self._hover_ring.setVisible(point is not None)

    def _plot_area(self) -> QRectF:
        assert self._plot is not None
        area: QRectF = self._plot.sceneBoundingRect()
        return area

    def _can_zoom_x(self) -> bool:
        return not is_horizontal(self._figure) or self._figure.x.kind == "category"

    def _can_zoom_y(self) -> bool:
        """Whether y can be zoomed: not with bars, which start at 0, nor with two y axes."""
        if is_horizontal(self._figure):
            return True
        return self._figure.x.kind == "number" and self._figure.y.lower is None


def _metrics() -> QFontMetricsF:
    return QFontMetricsF(theme_font(SMALL_PT))
