"""The plot view: a figure drawn by pyqtgraph, to be zoomed and moved."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QMouseEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QSizePolicy,
    QToolTip,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.figure import Figure
from qhub_desktop.ui.charts.plot_scene import Canvas, PlotScene
from qhub_desktop.ui.charts.scales import Viewport, height_px, is_horizontal, pan_range, zoom_range
from qhub_desktop.ui.charts.tooltips import (
    describe_figure,
)
from qhub_desktop.ui.controls.layouts import column_of
from qhub_desktop.ui.controls.plain_text import show_tooltip
from qhub_desktop.ui.theme import theme

ZOOM_STEP = 0.8  # factor on the visible range for a notch of the wheel
CLICK_PX = 4  # the mouse may move so far between press and release of a click


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
        self._canvas = Canvas()
        self.scene = PlotScene(figure, self._canvas)
        self._canvas.about_to_paint.connect(self._on_painting)
        self._canvas.resized.connect(self._on_resized)
        self._canvas.wheel_turned.connect(self._on_wheeled)
        self._canvas.mouse_moved.connect(self._on_moved)
        self._canvas.mouse_pressed.connect(self._on_pressed)
        self._canvas.mouse_released.connect(self._on_released)
        self._canvas.double_clicked.connect(self.reset)
        self._canvas.mouse_left.connect(self._on_left)
        column_of(self._canvas, owner=self, spacing=None)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(describe_figure(figure))
        theme().register(self._restyle)

    @property
    def figure(self) -> Figure:
        """The figure shown."""
        return self._figure

    def reset(self) -> None:
        """Show the whole figure again."""
        self.scene.show(self.scene.axes.full_view)
        self.viewport_changed.emit(self.scene.viewport)

    def zoom(self, factor: float, *, at: QPointF | None = None) -> None:
        """Scale the visible range by `factor`, around a position of this widget."""
        if not self.scene.is_plot:
            return
        area = self.scene.plot_area()
        centre = at or area.center()
        share_x = min(1.0, max(0.0, (centre.x() - area.left()) / area.width()))
        down = min(1.0, max(0.0, (centre.y() - area.top()) / area.height()))
        share_y = down if is_horizontal(self._figure) else 1 - down
        whole = self.scene.axes.full_view
        x, y = self.scene.viewport.x, self.scene.viewport.y
        if self._can_zoom_x():
            x = zoom_range(x, whole.x, factor, share_x)
        if self._can_zoom_y():
            y = zoom_range(y, whole.y, factor, share_y)
        self.scene.show(Viewport(x, y))

    def show_range(self, x: tuple[float, float]) -> None:
        """Show this range of x."""
        if x != self.scene.viewport.x:
            self.scene.show(Viewport(x, self.scene.viewport.y))

    def has_range_of(self, other: object) -> bool:
        """Whether another plot's whole range of x is this one's, so that both zoom together."""
        if not isinstance(other, PlotView):
            return False
        return other.scene.axes.full_view.x == self.scene.axes.full_view.x

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the figure, scaled to `target`; as vectors if the painter supports them."""
        self.scene.render_scene(painter, target)

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
            self._restyle()

    def _restyle(self) -> None:
        self.scene.build()

    def _on_painting(self) -> None:
        self.scene.prepare_for_paint()

    def _on_resized(self) -> None:
        self.scene.update_layout()

    def _on_left(self) -> None:
        self.scene.end_highlight()

    def _on_wheeled(self, event: QWheelEvent) -> None:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier or not self.scene.is_plot:
            event.ignore()
            return
        notches = event.angleDelta().y() / 120
        self.zoom(ZOOM_STEP**notches, at=event.position())
        self.viewport_changed.emit(self.scene.viewport)
        event.accept()

    def _on_moved(self, event: QMouseEvent) -> None:
        self._last_place = event.position()
        if self._drag is not None:
            self._pan(event.position() - self._drag)
            self._drag = event.position()
            return
        text = self.scene.tooltip_at(event.position())
        self.scene.highlight_point(event.position())
        if text:
            show_tooltip(event.globalPosition().toPoint(), text, self)
        else:
            QToolTip.hideText()

    def _on_pressed(self, event: QMouseEvent) -> None:
        self._pressed = self._last_place = event.position()
        if not self._is_pannable and event.button() == Qt.MouseButton.LeftButton:
            # Without the press, no release would come.
            event.setAccepted(self.scene.point_at(event.position()) is not None)
            return
        if self._is_pannable and event.button() == Qt.MouseButton.LeftButton:
            self._drag = event.position()
            return
        event.ignore()

    def _on_released(self) -> None:
        pressed, self._pressed, self._drag = self._pressed, None, None
        if pressed is None or (self._last_place - pressed).manhattanLength() > CLICK_PX:
            return
        point = self.scene.point_at(pressed)
        if point is not None:
            self.point_clicked.emit(point)

    def _pan(self, way: QPointF) -> None:
        whole, area = self.scene.axes.full_view, self.scene.plot_area()
        x, y = self.scene.viewport.x, self.scene.viewport.y
        if self._can_zoom_x():
            x = pan_range(x, whole.x, -way.x() / area.width())
        if self._can_zoom_y():
            down = way.y() / area.height()
            y = pan_range(y, whole.y, -down if is_horizontal(self._figure) else down)
        self.scene.show(Viewport(x, y))
        self.viewport_changed.emit(self.scene.viewport)

    def _can_zoom_x(self) -> bool:
        return not is_horizontal(self._figure) or self._figure.x.kind == "category"

    def _can_zoom_y(self) -> bool:
        """Whether y can be zoomed: not with bars, which start at 0, nor with two y axes."""
        if is_horizontal(self._figure):
            return True
        return self._figure.x.kind == "number" and self._figure.y.lower is None
