"""Where the parts of a chart go: the plot, and what is written around it.

All lengths are pixels of the scene; text is measured with the fonts it is painted in.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from qhub_desktop.ui.widgets.extent import SLANT_PX, Extent
from qhub_desktop.ui.widgets.plane import Plane
from qhub_desktop.ui.widgets.ticks import Tick, number_ticks, time_ticks

GAP_PX = 8
EDGE_PX = 12
NAMES_SHARE = 0.4  # of the width, at most, for names down the side
SLANT_DEGREES = 40
NUMBER_STEP_PX = (84, 36)  # between ticks across and up
TIME_STEP_PX = 92


@dataclass(frozen=True, slots=True)
class Layout:
    """The plot's rectangle and everything written on its sides, in data coordinates."""

    plot: QRectF
    bottom: tuple[Tick, ...]
    left: tuple[Tick, ...]
    right: tuple[Tick, ...]
    is_slanted: bool


def lay_out(plane: Plane, shown: Extent, area: QRectF, metrics: QFontMetricsF) -> Layout:
    """The largest plot that leaves room for every word around it."""
    figure = plane.figure
    has_captions = bool(figure.y.label or (figure.right and figure.right.label))
    line_px = metrics.height()
    top = area.top() + (line_px + GAP_PX if has_captions else GAP_PX)
    foot = line_px + GAP_PX + (line_px + GAP_PX / 2 if figure.x.label else 0)
    left_ticks = _side_ticks(plane, shown, area.bottom() - foot - top, area.width(), metrics)
    right_ticks = _right_ticks(plane, shown, area.bottom() - foot - top)
    left = area.left() + _widest(left_ticks, metrics) + GAP_PX
    right = area.right() - (_widest(right_ticks, metrics) + GAP_PX if right_ticks else EDGE_PX)
    width = max(1.0, right - left)
    bottom_ticks, is_slanted = _bottom_ticks(plane, shown, width, metrics)
    if is_slanted and bottom_ticks:
        slant = math.radians(SLANT_DEGREES)
        longest = _widest(bottom_ticks, metrics)
        foot += math.sin(slant) * longest
        # The first name leans out to the left; the numbers there need less.
        first = metrics.horizontalAdvance(bottom_ticks[0].text) * math.cos(slant)
        step = width / (shown.x[1] - shown.x[0])
        left = max(left, area.left() + first - step / 2)
        left_ticks = _side_ticks(plane, shown, area.bottom() - foot - top, area.width(), metrics)
        right_ticks = _right_ticks(plane, shown, area.bottom() - foot - top)
    elif any("\n" in tick.text for tick in bottom_ticks):
        foot += line_px
    elif bottom_ticks:
        last = bottom_ticks[-1]
        share = (last.value - shown.x[0]) / (shown.x[1] - shown.x[0])
        over = left + share * width + metrics.horizontalAdvance(last.text) / 2 - area.right()
        right -= max(0.0, over)
    plot = QRectF(left, top, max(1.0, right - left), max(1.0, area.bottom() - foot - top))
    return Layout(plot, bottom_ticks, left_ticks, right_ticks, is_slanted)


def _side_ticks(
    plane: Plane, shown: Extent, height: float, width: float, metrics: QFontMetricsF
) -> tuple[Tick, ...]:
    axis = plane.figure.y
    if axis.kind != "category":
        upper = min(shown.y[1], axis.upper) if axis.upper is not None else shown.y[1]
        return number_ticks(
            shown.y[0],
            upper,
            most=max(2, int(height / NUMBER_STEP_PX[1])),
            unit=axis.unit,
            is_whole=plane.has_whole_y,
        )
    step = height / (shown.y[1] - shown.y[0])
    return tuple(
        Tick(tick.value, _elided(tick.text, NAMES_SHARE * width, metrics))
        for tick in _some(axis.categories, shown.y, step, metrics.height())
    )


def _right_ticks(plane: Plane, shown: Extent, height: float) -> tuple[Tick, ...]:
    axis = plane.figure.right
    if axis is None:
        return ()
    lower, upper = plane.on_right(shown.y[0]), plane.on_right(shown.y[1])
    if axis.upper is not None:
        upper = min(upper, axis.upper)
    ticks = number_ticks(lower, upper, most=max(2, int(height / NUMBER_STEP_PX[1])), unit=axis.unit)
    return tuple(Tick(plane.on_left(tick.value), tick.text) for tick in ticks)


def _bottom_ticks(
    plane: Plane, shown: Extent, width: float, metrics: QFontMetricsF
) -> tuple[tuple[Tick, ...], bool]:
    """The ticks below, and whether their names are written aslant."""
    axis = plane.figure.x
    if axis.kind == "time":
        return time_ticks(*shown.x, most=max(2, int(width / TIME_STEP_PX))), False
    if axis.kind == "number":
        most = max(2, int(width / NUMBER_STEP_PX[0]))
        ticks = number_ticks(*shown.x, most=most, unit=axis.unit, is_whole=plane.has_whole_x)
        return ticks, False
    step = width / (shown.x[1] - shown.x[0])
    if all(metrics.horizontalAdvance(name) <= step - GAP_PX for name in axis.categories):
        return _some(axis.categories, shown.x, step, step), False
    halves = [_in_two_lines(name, step - GAP_PX, metrics) for name in axis.categories]
    if all(halves):
        return _some(halves, shown.x, step, step), False
    ticks = _some(axis.categories, shown.x, step, metrics.height() * 1.1)
    return tuple(Tick(each.value, _elided(each.text, SLANT_PX, metrics)) for each in ticks), True


def _in_two_lines(name: str, width_px: float, metrics: QFontMetricsF) -> str:
    """The name broken where it may be, as even as possible; nothing where that does not fit."""
    if metrics.horizontalAdvance(name) <= width_px:
        return name
    places = [at + 1 for at, letter in enumerate(name[:-1]) if letter in " _-/."]
    best, width = "", width_px
    for place in places:
        lines = name[:place].rstrip(), name[place:]
        wider = max(map(metrics.horizontalAdvance, lines))
        if wider <= width:
            best, width = "\n".join(lines), wider
    return best


def _some(
    names: Sequence[str], shown: tuple[float, float], step_px: float, least_px: float
) -> tuple[Tick, ...]:
    """The names in sight: each, or every so many where they stand too close."""
    every = max(1, math.ceil(least_px / max(step_px, 1e-6)))
    return tuple(
        Tick(float(at), name)
        for at, name in enumerate(names)
        if at % every == 0 and shown[0] <= at <= shown[1]
    )


def _elided(text: str, width_px: float, metrics: QFontMetricsF) -> str:
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width_px)


def _widest(ticks: Sequence[Tick], metrics: QFontMetricsF) -> float:
    return max((metrics.horizontalAdvance(tick.text) for tick in ticks), default=0.0)
