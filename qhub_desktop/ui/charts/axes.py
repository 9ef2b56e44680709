"""Axes of a plot: data ranges, gridlines, tick labels, captions, and their layout."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import (
    Axis,
    Band,
    Bars,
    Cells,
    Figure,
    Label,
    Line,
    Mark,
    Points,
    Rule,
    Side,
    Slices,
)
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.charts.scales import (
    LINE_BREAKS,
    SLANT_PX,
    Tick,
    Viewport,
    is_horizontal,
    number_ticks,
    probability_ticks,
    time_ticks,
)
from qhub_desktop.ui.controls.plain_text import elided
from qhub_desktop.ui.theme import Palette

MARGIN = {"x": 0.02, "y": 0.05}  # margin beyond the marks, as a share of the range
LABEL_MARGIN = 0.09  # margin beyond bars with value labels
RIGHT_MARGIN = 0.06  # margin above a cumulative line, which ends at the maximum of its axis
Array = np.ndarray[Any, np.dtype[np.float64]]
Direction = Literal["x", "y"]


class PlotAxes:
    """Data ranges of a figure, computed once, for it may have many thousands of marks."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._arrays: dict[int, Array] = {}
        across, up = self._values("x", "left"), self._values("y", "left")
        self.is_integer_x, self.is_integer_y = _are_integers(across), _are_integers(up)
        self._left = _data_range(figure.y, up)
        self._right = (
            _data_range(figure.right, self._values("y", "right")) if figure.right else None
        )
        self.full_view = Viewport(
            self._range("x", figure.x, _data_range(figure.x, across)),
            self._range("y", figure.y, self._left),
        )

    def to_left(self, value: float) -> float:
        """Convert a value of the right axis to the left one."""
        return _rescaled(value, self._right, self._left)

    def to_right(self, value: float) -> float:
        """Convert a value of the left axis to the right one."""
        return _rescaled(value, self._left, self._right)

    def y_values(self, values: tuple[float, ...], side: Side) -> Array:
        """Convert values of either axis to the left one."""
        heights = self.array(values)
        if side == "left":
            return heights
        low, high = self.to_left(0.0), self.to_left(1.0)
        return low + heights * (high - low)

    def array(self, values: tuple[float, ...]) -> Array:
        """Return coordinates of a mark as an array, converted once: 100,000 take 4 ms."""
        made = self._arrays.get(id(values))  # the figure keeps them alive
        if made is None:
            made = self._arrays[id(values)] = np.asarray(values, dtype=np.float64)
        return made

    def _range(
        self, direction: Direction, axis: Axis, bounds: tuple[float, float]
    ) -> tuple[float, float]:
        """Return the range that contains every mark, with a margin."""
        if axis.kind == "category":
            return -0.5, max(1, len(axis.categories)) - 0.5
        lower, upper = bounds
        margin = LABEL_MARGIN if self._has_labels(direction) else MARGIN[direction]
        has_words_below = lower < 0 or self._has_point_labels(direction)
        below = (
            0.0 if axis.lower is not None else (margin if has_words_below else MARGIN[direction])
        )
        above = 0.0 if axis.upper is not None else margin
        if direction == "y" and self.figure.right is not None:
            above = RIGHT_MARGIN
        span = upper - lower
        return lower - below * span, upper + above * span

    def _has_labels(self, direction: Direction) -> bool:
        wanted = "vertical" if direction == "y" else "horizontal"
        return self._has_point_labels(direction) or any(
            isinstance(mark, Bars) and mark.labels and mark.direction == wanted
            for mark in self.figure.marks
        )

    def _has_point_labels(self, direction: Direction) -> bool:
        return direction == "y" and any(
            isinstance(mark, Points) and mark.labels for mark in self.figure.marks
        )

    def _values(self, direction: Direction, side: Side) -> Array:
        found = [
            each if isinstance(each, np.ndarray) else self.array(each)
            for each in self._mark_values(direction, side)
        ]
        values = np.concatenate(found) if found else np.empty(0)
        return values[np.isfinite(values)]

    def _mark_values(self, direction: Direction, side: Side) -> Iterator[tuple[float, ...] | Array]:
        """Yield the values of each mark along one axis; those of horizontal bars count as left."""
        is_across = direction == "x"
        for mark in self.figure.marks:
            match mark:
                case Line(x=x, y=y, side=own) | Points(x=x, y=y, side=own):
                    if is_across and side == "left":
                        yield x
                    elif not is_across and own == side:
                        yield y
                case Bars() if side == "left" and (mark.direction == "vertical") == is_across:
                    at = np.asarray(mark.at, dtype=np.float64)
                    yield at - mark.width / 2
                    yield at + mark.width / 2
                case Bars() if side == "left":
                    yield mark.start
                    yield mark.end
                case Band() if side == "left" and is_across:
                    yield mark.x
                case Band() if side == "left":
                    yield mark.lower
                    yield mark.upper
                case Rule() if (mark.direction == "vertical") == is_across and (
                    mark.side == side or is_across
                ):
                    yield np.array([mark.value], dtype=np.float64)
                case Label() if side == "left":
                    yield np.array([mark.x if is_across else mark.y], dtype=np.float64)
                case Bars() | Band() | Rule() | Label() | Cells() | Slices():
                    pass


def _data_range(axis: Axis, values: Array) -> tuple[float, float]:
    lower = axis.lower if axis.lower is not None else float(values.min(initial=np.inf))
    upper = axis.upper if axis.upper is not None else float(values.max(initial=-np.inf))
    if not len(values) and (axis.lower is None or axis.upper is None):
        lower = axis.lower if axis.lower is not None else (axis.upper or 1.0) - 1.0
        upper = axis.upper if axis.upper is not None else lower + 1.0
    if lower < upper:
        return lower, upper
    room = abs(upper) * 0.1 or 1.0
    return (lower, lower + room) if axis.lower is not None else (upper - room, upper + room)


def _are_integers(values: Array) -> bool:
    return len(values) > 0 and bool((values == np.floor(values)).all())


def _rescaled(
    value: float, own: tuple[float, float] | None, other: tuple[float, float] | None
) -> float:
    """Map a value to the same relative position in another range."""
    if own is None or other is None:
        return value
    return other[0] + (value - own[0]) / (own[1] - own[0]) * (other[1] - other[0])


LABEL_GAP_PX = 8
EDGE_PX = 12
MAX_CATEGORY_SHARE = 0.4  # of the width, at most, for category names on the left
SLANT_DEGREES = 40
NUMBER_STEP_PX = (84, 36)  # between ticks of numbers, on x and on y
TIME_STEP_PX = 92
LEAST_TICKS = 4  # of numbers, in the smallest panels


@dataclass(frozen=True, slots=True)
class MarginLabel:
    """Text in the right margin at a height of the left axis: a limit's name and value."""

    y: float
    text: str
    mark: Line | Rule


def margin_labels(figure: Figure) -> tuple[MarginLabel, ...]:
    """Return the labels in the right margin; none where an axis stands there."""
    if figure.right is not None:
        return ()
    labels = []
    for mark in figure.marks:
        match mark:
            case Line(label=text) if text:
                known = [value for value in mark.y[-2:] if math.isfinite(value)]
                known = known or [value for value in mark.y if math.isfinite(value)]
                labels += [MarginLabel(known[-1], text, mark)] if known else []
            case Rule(label=text) if text and is_in_margin(mark):
                labels.append(MarginLabel(mark.value, text, mark))
            case _:
                pass
    return tuple(labels)


def is_in_margin(rule: Rule) -> bool:
    """Whether the label of a rule stands in the right margin if nothing else stands there."""
    return (
        rule.direction == "horizontal" and rule.side == "left" and rule.role in ("centre", "limit")
    )


@dataclass(frozen=True, slots=True)
class Margins:
    """Widths at the left and at the right of a plot, in pixels."""

    left_px: float = 0.0
    right_px: float = 0.0


NO_MARGINS = Margins()


@dataclass(frozen=True, slots=True)
class PlotLayout:
    """Rectangle of the plot in pixels, and ticks in data coordinates."""

    plot: QRectF
    bottom: tuple[Tick, ...]
    left: tuple[Tick, ...]
    right: tuple[Tick, ...]
    is_slanted: bool


def layout_axes(
    axes: PlotAxes,
    viewport: Viewport,
    area: QRectF,
    metrics: QFontMetricsF,
    least: Margins = NO_MARGINS,
) -> PlotLayout:
    """Compute the largest plot that leaves room for the labels around it, and these margins."""
    figure = axes.figure
    has_captions = bool(figure.y.label or (figure.right and figure.right.label))
    line_px = metrics.height()
    top = area.top() + (line_px + LABEL_GAP_PX if has_captions else LABEL_GAP_PX)
    foot = line_px + LABEL_GAP_PX + (line_px + LABEL_GAP_PX / 2 if figure.x.label else 0)
    left_ticks = _left_ticks(axes, viewport, area.bottom() - foot - top, area.width(), metrics)
    right_ticks = _right_ticks(axes, viewport, area.bottom() - foot - top)
    left = area.left() + max(_widest_px(left_ticks, metrics) + LABEL_GAP_PX, least.left_px)
    at_right = [each.text for each in right_ticks]
    at_right += [each.text for each in margin_labels(figure)]
    room = max(map(metrics.horizontalAdvance, at_right)) + LABEL_GAP_PX if at_right else EDGE_PX
    right = area.right() - max(room, least.right_px)
    width = max(1.0, right - left)
    bottom_ticks, is_slanted = _bottom_ticks(axes, viewport, width, metrics)
    if is_slanted and bottom_ticks:
        slant = math.radians(SLANT_DEGREES)
        longest = _widest_px(bottom_ticks, metrics)
        foot += math.sin(slant) * longest
        # Slanted, the first name extends to the left, beyond the numbers there.
        first = metrics.horizontalAdvance(bottom_ticks[0].text) * math.cos(slant)
        step = width / (viewport.x[1] - viewport.x[0])
        left = max(left, area.left() + first - step / 2)
        left_ticks = _left_ticks(axes, viewport, area.bottom() - foot - top, area.width(), metrics)
        right_ticks = _right_ticks(axes, viewport, area.bottom() - foot - top)
    elif any("\n" in tick.text for tick in bottom_ticks):
        foot += line_px
    elif bottom_ticks:
        last = bottom_ticks[-1]
        share = (last.value - viewport.x[0]) / (viewport.x[1] - viewport.x[0])
        over = left + share * width + metrics.horizontalAdvance(last.text) / 2 - area.right()
        right -= max(0.0, over)
        nearest = bottom_ticks[0]
        share = (nearest.value - viewport.x[0]) / (viewport.x[1] - viewport.x[0])
        ahead = left + share * width - metrics.horizontalAdvance(nearest.text) / 2
        left += max(0.0, area.left() - ahead)
    plot = QRectF(left, top, max(1.0, right - left), max(1.0, area.bottom() - foot - top))
    return PlotLayout(plot, bottom_ticks, left_ticks, right_ticks, is_slanted)


def _left_ticks(
    axes: PlotAxes, viewport: Viewport, height: float, width: float, metrics: QFontMetricsF
) -> tuple[Tick, ...]:
    axis = axes.figure.y
    if axis.kind == "probability":
        return probability_ticks(*viewport.y, most=int(height / (1.5 * metrics.height())))
    if axis.kind != "category":
        upper = min(viewport.y[1], axis.upper) if axis.upper is not None else viewport.y[1]
        return number_ticks(
            viewport.y[0],
            upper,
            most=max(LEAST_TICKS, int(height / NUMBER_STEP_PX[1])),
            unit=axis.unit,
            is_whole=axes.is_integer_y,
        )
    step = height / (viewport.y[1] - viewport.y[0])
    return tuple(
        Tick(tick.value, _elided(tick.text, MAX_CATEGORY_SHARE * width, metrics))
        for tick in _category_ticks(axis.categories, viewport.y, step, metrics.height())
    )


def _right_ticks(axes: PlotAxes, viewport: Viewport, height: float) -> tuple[Tick, ...]:
    axis = axes.figure.right
    if axis is None:
        return ()
    lower, upper = axes.to_right(viewport.y[0]), axes.to_right(viewport.y[1])
    if axis.upper is not None:
        upper = min(upper, axis.upper)
    ticks = number_ticks(
        lower, upper, most=max(LEAST_TICKS, int(height / NUMBER_STEP_PX[1])), unit=axis.unit
    )
    return tuple(Tick(axes.to_left(tick.value), tick.text) for tick in ticks)


def _bottom_ticks(
    axes: PlotAxes, viewport: Viewport, width: float, metrics: QFontMetricsF
) -> tuple[tuple[Tick, ...], bool]:
    """Return the ticks of the x axis, and whether their names are slanted."""
    axis = axes.figure.x
    if axis.kind == "time":
        return time_ticks(*viewport.x, most=max(2, int(width / TIME_STEP_PX))), False
    if axis.kind == "number":
        most = max(LEAST_TICKS, int(width / NUMBER_STEP_PX[0]))
        ticks = number_ticks(*viewport.x, most=most, unit=axis.unit, is_whole=axes.is_integer_x)
        return ticks, False
    step = width / (viewport.x[1] - viewport.x[0])
    if all(metrics.horizontalAdvance(name) <= step - LABEL_GAP_PX for name in axis.categories):
        return _category_ticks(axis.categories, viewport.x, step, step), False
    if axis.is_in_order:
        widest = max(map(metrics.horizontalAdvance, axis.categories))
        return _category_ticks(axis.categories, viewport.x, step, widest + 2 * LABEL_GAP_PX), False
    halves = [_in_two_lines(name, step - LABEL_GAP_PX, metrics) for name in axis.categories]
    if all(halves):
        return _category_ticks(halves, viewport.x, step, step), False
    ticks = _category_ticks(axis.categories, viewport.x, step, metrics.height() * 1.1)
    return tuple(Tick(each.value, _elided(each.text, SLANT_PX, metrics)) for each in ticks), True


def _in_two_lines(name: str, width_px: float, metrics: QFontMetricsF) -> str:
    """Break a name into two lines as evenly as possible; "" if it does not fit."""
    if metrics.horizontalAdvance(name) <= width_px:
        return name
    places = [each.end() for each in LINE_BREAKS.finditer(name[:-1])]
    best, width = "", width_px
    for place in places:
        lines = name[:place].rstrip(), name[place:]
        wider = max(map(metrics.horizontalAdvance, lines))
        if wider <= width:
            best, width = "\n".join(lines), wider
    return best


def _category_ticks(
    names: Sequence[str], viewport: tuple[float, float], step_px: float, least_px: float
) -> tuple[Tick, ...]:
    """Return ticks for the visible names; every nth one where they would be too close."""
    every = max(1, math.ceil(least_px / max(step_px, 1e-6)))
    return tuple(
        Tick(float(at), name)
        for at, name in enumerate(names)
        if at % every == 0 and viewport[0] <= at <= viewport[1]
    )


def _elided(text: str, width_px: float, metrics: QFontMetricsF) -> str:
    return elided(text, metrics, width_px, mode=Qt.TextElideMode.ElideMiddle)


def _widest_px(ticks: Sequence[Tick], metrics: QFontMetricsF) -> float:
    return max((metrics.horizontalAdvance(tick.text) for tick in ticks), default=0.0)


Align = Qt.AlignmentFlag


class AxesItem(QGraphicsItem):
    """Graphics item of gridlines, tick labels and captions."""

    def __init__(
        self,
        figure: Figure,
        palette: Palette,
        font: QFont,
        *,
        colour_of: Callable[[Mark, Palette], str],
    ) -> None:
        super().__init__()
        self._colour_of = colour_of
        self.setZValue(-200)  # below the plot, which is at -100
        self._figure = figure
        self._palette = palette
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._area = QRectF()
        self._layout: PlotLayout | None = None
        self._viewport = Viewport((0.0, 1.0), (0.0, 1.0))

    def set_layout(self, layout: PlotLayout, viewport: Viewport, area: QRectF) -> None:
        """Set layout, visible ranges and area."""
        self.prepareGeometryChange()
        self._area, self._layout, self._viewport = area, layout, viewport
        self.update()

    @override
    def boundingRect(self) -> QRectF:
        return self._area

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self._layout is None:
            return
        painter.setFont(self._font)
        self._paint_grid(painter, self._layout)
        painter.setPen(QColor(self._palette.quiet))
        self._paint_y_labels(painter, self._layout)
        self._paint_margin_labels(painter, self._layout)
        painter.setPen(QColor(self._palette.quiet))
        self._paint_x_labels(painter, self._layout)
        self._paint_captions(painter)

    def _paint_grid(self, painter: QPainter, layout: PlotLayout) -> None:
        plot = layout.plot
        painter.setPen(QPen(QColor(self._palette.line), 1))
        grid, baseline = [], []
        if is_horizontal(self._figure):
            if self._figure.x.kind != "category":
                grid = [
                    QLineF(
                        self._x_px(tick.value),
                        plot.top(),
                        self._x_px(tick.value),
                        plot.bottom(),
                    )
                    for tick in layout.bottom
                ]
                baseline = [QLineF(self._x_px(0), plot.top(), self._x_px(0), plot.bottom())]
        else:
            grid = [
                QLineF(plot.left(), self._y_px(tick.value), plot.right(), self._y_px(tick.value))
                for tick in layout.left
            ]
            baseline = [QLineF(plot.left(), self._y_px(0), plot.right(), self._y_px(0))]
        painter.drawLines(grid)
        viewport = self._viewport.x if is_horizontal(self._figure) else self._viewport.y
        if baseline and viewport[0] <= 0 <= viewport[1]:
            painter.setPen(QPen(QColor(self._palette.edge), 1))
            painter.drawLines(baseline)

    def _paint_y_labels(self, painter: QPainter, layout: PlotLayout) -> None:
        height = self._metrics.height()
        names = QColor(self._palette.text if is_horizontal(self._figure) else self._palette.quiet)
        painter.setPen(names)
        for tick in layout.left:
            place = QRectF(
                self._area.left(),
                self._y_px(tick.value) - height / 2,
                layout.plot.left() - LABEL_GAP_PX - self._area.left(),
                height,
            )
            painter.drawText(place, Align.AlignRight | Align.AlignVCenter | _SINGLE_LINE, tick.text)
        painter.setPen(QColor(self._palette.quiet))
        for tick in layout.right:
            place = QRectF(
                layout.plot.right() + LABEL_GAP_PX, self._y_px(tick.value) - height / 2, 200, height
            )
            painter.drawText(place, Align.AlignLeft | Align.AlignVCenter | _SINGLE_LINE, tick.text)

    def _paint_margin_labels(self, painter: QPainter, layout: PlotLayout) -> None:
        """Paint names and values of limits, moved apart where two would overlap."""
        height = self._metrics.height() * 0.92
        shown = [
            (self._y_px(each.y), each)
            for each in sorted(margin_labels(self._figure), key=lambda label: -label.y)
            if self._viewport.y[0] <= each.y <= self._viewport.y[1]
        ]
        heights = spread([at for at, _each in shown], height, self._area.bottom() - height / 2)
        for at, (_own, each) in zip(heights, shown, strict=True):
            painter.setPen(QColor(self._colour_of(each.mark, self._palette)))
            place = QRectF(layout.plot.right() + LABEL_GAP_PX / 2, at - height / 2, 400, height)
            painter.drawText(place, Align.AlignLeft | Align.AlignVCenter | _SINGLE_LINE, each.text)

    def _paint_x_labels(self, painter: QPainter, layout: PlotLayout) -> None:
        height = self._metrics.height()
        top = layout.plot.bottom() + LABEL_GAP_PX / 2 + 1
        is_names = self._figure.x.kind == "category"
        painter.setPen(QColor(self._palette.text if is_names else self._palette.quiet))
        for tick in layout.bottom:
            at = self._x_px(tick.value)
            if layout.is_slanted:
                painter.save()
                painter.translate(QPointF(at + height * 0.3, top + height * 0.35))
                painter.rotate(-SLANT_DEGREES)
                place = QRectF(-400, -height / 2, 400, height)
                painter.drawText(
                    place, Align.AlignRight | Align.AlignVCenter | _SINGLE_LINE, tick.text
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
                place,
                Align.AlignHCenter | Align.AlignVCenter | _SINGLE_LINE,
                elided(self._figure.x.label, self._metrics, place.width()),
            )

    def _paint_captions(self, painter: QPainter) -> None:
        """Paint captions; that of the y axis stands above its numbers, not rotated."""
        place = QRectF(
            self._area.left(), self._area.top(), self._area.width(), self._metrics.height()
        )
        painter.setPen(QColor(self._palette.quiet))
        room = place.width()
        if self._figure.right and self._figure.right.label:
            right = elided(self._figure.right.label, self._metrics, room / 2)
            painter.drawText(place, Align.AlignRight | Align.AlignTop | _SINGLE_LINE, right)
            room -= self._metrics.horizontalAdvance(right) + LABEL_GAP_PX
        if self._figure.y.label:
            left = elided(self._figure.y.label, self._metrics, room)
            painter.drawText(place, Align.AlignLeft | Align.AlignTop | _SINGLE_LINE, left)

    def _x_px(self, value: float) -> float:
        assert self._layout is not None
        lower, upper = self._viewport.x
        plot = self._layout.plot
        # At whole pixels lines of one pixel stay sharp.
        return round(plot.left() + (value - lower) / (upper - lower) * plot.width()) + 0.5

    def _y_px(self, value: float) -> float:
        assert self._layout is not None
        lower, upper = self._viewport.y
        plot = self._layout.plot
        share = (value - lower) / (upper - lower)
        # The first category is on top, so y is reversed.
        down = share if is_horizontal(self._figure) else 1 - share
        return round(plot.top() + down * plot.height()) + 0.5


def spread(heights: Sequence[float], least: float, lowest: float) -> list[float]:
    """Move rising heights apart by at least `least` pixels, none below `lowest`, as little as fits.

    Neighbours that collide share the way, so that a centre line between two limits stays between.
    """
    groups: list[tuple[float, int]] = []  # the middle of a group, and how many stand in it
    for height in heights:
        middle, count = height, 1
        while groups and groups[-1][0] + (groups[-1][1] + count) * least / 2 > middle:
            before, number_ = groups.pop()
            middle = (before * number_ + middle * count) / (number_ + count)
            count += number_
        groups.append((middle, count))
    placed = [
        middle + (at - (count - 1) / 2) * least for middle, count in groups for at in range(count)
    ]
    over = max(0.0, placed[-1] - lowest) if placed else 0.0
    return [height - over for height in placed]


_SINGLE_LINE = Qt.TextFlag.TextSingleLine
