"""Panels of a study: several figures drawn as one picture, with their plots aligned."""

from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, QTimerEvent, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy
from typing_extensions import override

from qhub_desktop.core.figure import Figure, Line, Panels
from qhub_desktop.core.study import Signal as RuleSignal
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.charts.chart_body import POLL_MS, is_preloaded
from qhub_desktop.ui.charts.scales import CHART_PX, height_px
from qhub_desktop.ui.controls.plain_text import elided, one_line
from qhub_desktop.ui.controls.saving import svg
from qhub_desktop.ui.theme import GRID_PX, SMALL_PT, theme, theme_font

if TYPE_CHECKING:
    from qhub_desktop.ui.charts.plot_view import PlotView

PANEL_ROW_PX = {1: CHART_PX, 2: 226}  # height of a row of so many; of more, LEAST_ROW_PX
LEAST_ROW_PX = 196
HEAD_GAP_PX = 4
MOST_MARGIN = 0.3  # of the width of a plot, that others have at the left, too


class StudyPanels(QFrame):
    """Figures in rows, drawn when they become visible: built one at a time, then shown together.

    The height never changes. The arrow keys choose a point of the first panel, with Ctrl the next
    signal; Enter opens it.

    Signals:
        drawn: all figures were built.
        point_chosen: a point was clicked or confirmed with Enter, by its row in `Study.points`.
    """

    drawn = Signal()
    point_chosen = Signal(int)

    def __init__(
        self,
        panels: Panels,
        signals: Sequence[RuleSignal] = (),
        *,
        title: str = "",
        is_pannable: bool = False,
    ) -> None:
        super().__init__()
        self._panels = tuple(row for row in panels if row)
        self._signals = sorted(each.point for each in signals)
        self._is_pannable = is_pannable
        self._views: list[PlotView] = []
        self._flags: tuple[int, ...] = ()
        self._chosen: int | None = None
        self._timer = 0
        # A single panel says what the card's title says: its head is what stands below that.
        self._has_heads = len(self._figures) > 1 or any(each.subtitle for each in self._figures)
        if is_pannable:
            self.setMinimumHeight(240)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        else:
            self.setFixedHeight(self._height_px())
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if self._points:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(title)
        self.setAccessibleDescription(
            _("The arrow keys choose a point, with Ctrl the next signal; Enter shows it.")
            if self._points
            else ""
        )

    @property
    def is_drawn(self) -> bool:
        """Whether every figure was built."""
        return len(self._views) == len(self._figures)

    @property
    def chosen(self) -> int | None:
        """The chosen point."""
        return self._chosen

    def views(self) -> "list[PlotView]":
        """Return the plots, built now if they have not been visible yet."""
        while not self.is_drawn:
            self._build_next()
        return self._views

    def choose(self, point: int | None) -> None:
        """Draw a ring around a point in each panel that has it."""
        self._chosen = point
        for view in self._views:
            view.scene.choose(point)

    @property
    def flags(self) -> tuple[int, ...]:
        """The marked points of the first panel."""
        return self._flags

    def set_flags(self, points: tuple[int, ...]) -> None:
        """Mark points of the first panel at its foot."""
        self._flags = points
        if self._views:
            self._views[0].scene.set_flags(points)

    def point_rect(self, point: int) -> QRect:
        """Return where a point of the first panel stands; the middle where it has no value."""
        views = self.views()
        line = self._points
        if line is None or not 0 <= point < len(line.x):
            return QRect(self.rect().center(), QSize(1, 1))
        at = views[0].scene.point_place(point)
        return QRect(views[0].mapTo(self, at.toPoint()), QSize(1, 1))

    def zoom(self, factor: float) -> None:
        """Scale the visible range of every panel."""
        for view in self.views():
            view.zoom(factor)

    def reset(self) -> None:
        """Show everything again."""
        for view in self.views():
            view.reset()

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint all panels, scaled to `target`; as vectors if the painter supports them."""
        views = self.views()
        self._arrange()
        share = target.width() / max(1, self.width())
        for view in views:
            place = QRectF(view.geometry())
            view.render_scene(
                painter,
                QRectF(
                    target.left() + place.left() * share,
                    target.top() + place.top() * share,
                    place.width() * share,
                    place.height() * share,
                ),
            )
        painter.save()
        painter.translate(target.topLeft())
        painter.scale(share, share)
        self._paint_heads(painter)
        painter.restore()

    def to_drawings(self) -> list[bytes]:
        """Return each row of panels as an SVG, which paper keeps on one sheet."""
        drawings = []
        self.views()
        self._arrange()
        cells = self._cells()
        for row in range(len(self._panels)):
            shown = [at for at, place in enumerate(self._places()) if place[0] == row]
            top = cells[shown[0]].top()
            size = QSize(self.width(), cells[shown[0]].height())

            def paint(painter: QPainter, shown: Sequence[int] = shown, top: int = top) -> None:
                for at in shown:
                    place = self._views[at].geometry().translated(0, -top)
                    self._views[at].render_scene(painter, QRectF(place))
                painter.translate(0, -top)
                self._paint_heads(painter, shown)

            drawings.append(svg(size, paint, dpi=self.logicalDpiX()))
        return drawings

    @override
    def sizeHint(self) -> QSize:
        return QSize(560, self._height_px())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        self._paint_heads(painter)
        painter.end()
        # Widgets must not be made while painting, nor pyqtgraph imported on this thread.
        if not self.is_drawn and not self._timer:
            self._timer = self.startTimer(0 if is_preloaded() else POLL_MS)

    @override
    def timerEvent(self, event: QTimerEvent) -> None:
        if event.timerId() != self._timer:
            super().timerEvent(event)
            return
        if is_preloaded() and not self.is_drawn:
            self._build_next()
        if self.is_drawn:
            self.killTimer(self._timer)
            self._timer = 0

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_by_signal = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Right:
                self._step(1, is_by_signal=is_by_signal)
            case Qt.Key.Key_Left:
                self._step(-1, is_by_signal=is_by_signal)
            case Qt.Key.Key_Home:
                self._go(0)
            case Qt.Key.Key_End:
                self._go(len(self._points.x) - 1 if self._points else 0)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._chosen is not None:
                self.point_chosen.emit(self._chosen)
            case Qt.Key.Key_Escape if self._chosen is not None:
                self.choose(None)
            case _:
                super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._arrange()

    @property
    def _figures(self) -> list[Figure]:
        return [figure for row in self._panels for figure in row]

    @property
    def _points(self) -> Line | None:
        """The line of the first panel whose points are rows of the study."""
        marks = self._figures[0].marks if self._panels else ()
        return next((each for each in marks if isinstance(each, Line) and each.is_selectable), None)

    def _build_next(self) -> None:
        # Imports pyqtgraph, 0.5 s: only when a figure is shown.
        from qhub_desktop.ui.charts.plot_view import PlotView

        view = PlotView(self._figures[len(self._views)], is_pannable=self._is_pannable)
        view.setParent(self)
        view.point_clicked.connect(self._on_point_clicked)
        view.viewport_changed.connect(self._on_viewport_changed)
        self._views.append(view)
        if len(self._views) == 1:
            view.scene.set_flags(self._flags)
        if self.is_drawn:  # shown together: each that is shown has those before it painted again
            self._arrange()
            for each in self._views:
                each.show()
            self.choose(self._chosen)
            self.drawn.emit()

    def _on_point_clicked(self, point: int) -> None:
        self.choose(point)
        self.point_chosen.emit(point)

    def _on_viewport_changed(self, shown: object) -> None:
        """Show the same range of x in panels under each other."""
        sender = self.sender()
        places = [place for place, view in zip(self._places(), self._views, strict=False)]
        columns = {id(view): place[1:] for place, view in zip(places, self._views, strict=True)}
        for view in self._views:
            is_beside = columns[id(view)] != columns.get(id(sender))
            if view is sender or is_beside or not view.has_range_of(sender):
                continue
            view.show_range(shown.x)  # type: ignore[attr-defined]

    def _step(self, way: int, *, is_by_signal: bool) -> None:
        """Choose the next point, or the next signal, as seen from the chosen one."""
        line = self._points
        if line is None:
            return
        at = self._chosen
        if is_by_signal:
            ahead = [each for each in self._signals if at is None or (each - at) * way > 0]
            if ahead:
                self._go(ahead[0] if way > 0 else ahead[-1])
            return
        last = len(line.x) - 1
        start = (0 if way > 0 else last) if at is None else at + way
        self._go(min(max(start, 0), last))

    def _go(self, point: int) -> None:
        if self._points is not None:
            self.choose(point)

    def _height_px(self) -> int:
        rows = len(self._panels)
        if rows == 1:
            highest = max(height_px(figure) for figure in self._panels[0])
            return highest + (self._head_px() if self._has_heads else 0)
        first = PANEL_ROW_PX.get(rows, LEAST_ROW_PX)
        # Of a pair, the chart of the spread is the lower one.
        rest = LEAST_ROW_PX - (24 if rows == 2 else 0)
        return first + (rows - 1) * rest + rows * self._head_px() + (rows - 1) * GRID_PX

    def _head_px(self) -> int:
        return round(QFontMetricsF(_head_font()).height()) + HEAD_GAP_PX

    def _places(self) -> Iterator[tuple[int, int, int]]:
        """Yield row, column and number of columns of each figure."""
        for row, figures in enumerate(self._panels):
            for column in range(len(figures)):
                yield row, column, len(figures)

    def _cells(self) -> list[QRect]:
        """Return the rectangle of each figure, its heading on top."""
        rows = max(1, len(self._panels))
        room = self.height() - (rows - 1) * GRID_PX
        weights = [1.0] * rows
        if rows == 2:
            weights = [1.0, (LEAST_ROW_PX - 24) / PANEL_ROW_PX[2]]
        tops, top = [], 0.0
        for weight in weights:
            height = room * weight / sum(weights)
            tops.append((round(top), round(height)))
            top += height + GRID_PX
        cells = []
        for row, column, count in self._places():
            width = (self.width() - (count - 1) * 2 * GRID_PX) / count
            left = column * (width + 2 * GRID_PX)
            cells.append(QRect(round(left), tops[row][0], round(width), tops[row][1]))
        return cells

    def _arrange(self) -> None:
        head = self._head_px() if self._has_heads else 0
        for view, cell in zip(self._views, self._cells(), strict=False):
            view.setGeometry(cell.adjusted(0, head, 0, 0))
        self._align()

    def _align(self) -> None:
        """Give plots under each other the same margins, but not those that long names need."""
        from qhub_desktop.ui.charts.axes import Margins  # imported with the views

        columns: dict[tuple[int, int], list[PlotView]] = {}
        for (_row, column, count), view in zip(self._places(), self._views, strict=False):
            columns.setdefault((column, count), []).append(view)
        for views in columns.values():
            needed = [view.scene.margins() for view in views]
            most = MOST_MARGIN * views[0].width()
            least = Margins(
                max((each.left_px for each in needed if each.left_px <= most), default=0.0),
                max(each.right_px for each in needed),
            )
            for view in views:
                view.scene.set_least_margins(least if len(views) > 1 else Margins())

    def _paint_heads(self, painter: QPainter, shown: Container[int] | None = None) -> None:
        if not self._has_heads:
            return
        font, small = _head_font(), theme_font(SMALL_PT)
        metrics, narrow = QFontMetricsF(font), QFontMetricsF(small)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        is_single = len(self._figures) == 1
        for at, (figure, cell) in enumerate(zip(self._figures, self._cells(), strict=True)):
            if shown is not None and at not in shown:
                continue
            place = QRectF(cell.left(), cell.top(), cell.width(), metrics.height())
            if not is_single:
                painter.setFont(font)
                painter.setPen(QColor(theme().palette.text))
                text = elided(one_line(figure.title), metrics, place.width())
                painter.drawText(place, left, text)
                place.setLeft(place.left() + metrics.horizontalAdvance(text) + GRID_PX)
            painter.setFont(small)
            painter.setPen(QColor(theme().palette.quiet))
            text = elided(one_line(figure.subtitle), narrow, max(0.0, place.width()))
            painter.drawText(place, left, text)


def _head_font() -> QFont:
    return theme_font(SMALL_PT, weight=QFont.Weight.DemiBold)
