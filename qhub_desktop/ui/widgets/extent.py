"""What part of the plane a figure fills, and how it likes to be sized."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
    Slices,
)

CHART_PX = 300
PIE_PX = 260
ROW_PX = 28
LEAST_PX = 150
MOST_PX = 640
FRAME_PX = 72  # captions and tick labels of a chart whose height follows its rows
CARD_PX = 700  # the usual width of a chart
LETTER_PX = 7
SLANT_PX = 116  # the longest name written aslant
AIR = {"x": 0.02, "y": 0.05}  # beyond the marks, as a share of the axis
LABEL_AIR = 0.09  # beyond bars that carry their values
RIGHT_AIR = 0.06  # above a running total, whose last point is the axis' end


@dataclass(frozen=True, slots=True)
class Extent:
    """The ranges shown, from lower to upper."""

    x: tuple[float, float]
    y: tuple[float, float]


def extent(figure: Figure) -> Extent:
    """The ranges that show every mark, with a little air."""
    return Extent(x=_range(figure, "x"), y=_range(figure, "y"))


def on_left(figure: Figure, value: float) -> float:
    """Where a value of the right axis stands on the left one."""
    if figure.right is None:
        return value
    left, right = _bounds(figure, "y"), _right_bounds(figure)
    share = (value - right[0]) / (right[1] - right[0])
    return left[0] + share * (left[1] - left[0])


def on_right(figure: Figure, value: float) -> float:
    """What the right axis says at a height of the left one."""
    left, right = _bounds(figure, "y"), _right_bounds(figure)
    share = (value - left[0]) / (left[1] - left[0])
    return right[0] + share * (right[1] - right[0])


def is_whole(figure: Figure, direction: str) -> bool:
    """Whether everything along an axis is a whole number, so that no tick may be a fraction."""
    values = [each for each in _values(figure.marks, direction, "left") if math.isfinite(each)]
    return bool(values) and all(float(each).is_integer() for each in values)


def is_lying(figure: Figure) -> bool:
    """Whether categories run down the side."""
    return figure.y.kind == "category"


def height_px(figure: Figure) -> int:
    """How high the figure likes to be; known before any of it is drawn."""
    if any(isinstance(mark, Slices) for mark in figure.marks):
        return PIE_PX
    if not is_lying(figure):
        return CHART_PX + _slant_px(figure)
    rows = len(figure.y.categories)
    series = sum(isinstance(mark, Bars) for mark in figure.marks) or 1
    row_px = ROW_PX if series == 1 else max(ROW_PX, 14 * series + 8)
    return max(LEAST_PX, min(MOST_PX, rows * row_px + FRAME_PX))


def _slant_px(figure: Figure) -> int:
    """What names written aslant may need below, guessed before there is a font."""
    names = figure.x.categories
    longest = max(map(len, names), default=0)
    if len(names) * longest * LETTER_PX < CARD_PX:
        return 0
    return round(min(longest * LETTER_PX, SLANT_PX) * 0.6)


def zoomed(
    shown: tuple[float, float], whole: tuple[float, float], factor: float, share: float
) -> tuple[float, float]:
    """A part of the range in sight around a point at `share` of it, never beyond the whole."""
    span = (shown[1] - shown[0]) * factor
    if span >= whole[1] - whole[0]:
        return whole
    if span < (whole[1] - whole[0]) * 1e-4:
        return shown
    fixed = shown[0] + share * (shown[1] - shown[0])
    return _held((fixed - share * span, fixed + (1 - share) * span), whole)


def moved(
    shown: tuple[float, float], whole: tuple[float, float], share: float
) -> tuple[float, float]:
    """The range in sight moved by a share of itself, never beyond the whole."""
    way = share * (shown[1] - shown[0])
    return _held((shown[0] + way, shown[1] + way), whole)


def _range(figure: Figure, direction: str) -> tuple[float, float]:
    axis = figure.x if direction == "x" else figure.y
    if axis.kind == "category":
        return -0.5, max(1, len(axis.categories)) - 0.5
    lower, upper = _bounds(figure, direction)
    air = LABEL_AIR if _has_labels(figure, direction) else AIR[direction]
    below = 0.0 if axis.lower is not None else (air if lower < 0 else AIR[direction])
    above = 0.0 if axis.upper is not None else air
    if direction == "y" and figure.right is not None:
        above = RIGHT_AIR
    span = upper - lower
    return lower - below * span, upper + above * span


def _has_labels(figure: Figure, direction: str) -> bool:
    wanted = "vertical" if direction == "y" else "horizontal"
    return any(
        isinstance(mark, Bars) and mark.labels and mark.direction == wanted for mark in figure.marks
    )


def _bounds(figure: Figure, direction: str) -> tuple[float, float]:
    axis = figure.x if direction == "x" else figure.y
    return _fitted(axis, _values(figure.marks, direction, "left"))


def _right_bounds(figure: Figure) -> tuple[float, float]:
    assert figure.right is not None
    return _fitted(figure.right, _values(figure.marks, "y", "right"))


def _fitted(axis: Axis, values: Iterable[float]) -> tuple[float, float]:
    known = [each for each in values if math.isfinite(each)]
    lower = axis.lower if axis.lower is not None else min(known, default=0.0)
    upper = axis.upper if axis.upper is not None else max(known, default=1.0)
    if lower < upper:
        return lower, upper
    room = abs(upper) * 0.1 or 1.0
    return (lower, lower + room) if axis.lower is not None else (upper - room, upper + room)


def _values(marks: Iterable[Mark], direction: str, side: str) -> Iterator[float]:
    for mark in marks:
        match mark:
            case Line(x=x, y=y, side=own) | Points(x=x, y=y, side=own):
                if direction == "x":
                    yield from x
                elif own == side:
                    yield from y
            case Bars(at=at, start=start, end=end, width=width) if side == "left":
                if (mark.direction == "vertical") == (direction == "x"):
                    yield from (each - width / 2 for each in at)
                    yield from (each + width / 2 for each in at)
                else:
                    yield from start
                    yield from end
            case Band(x=x, lower=lower, upper=upper) if side == "left":
                yield from x if direction == "x" else (*lower, *upper)
            case Rule(value=value, direction=lies, side=own):
                if (lies == "vertical") == (direction == "x") and (own == side or direction == "x"):
                    yield value
            case Label(x=x, y=y) if side == "left":
                yield x if direction == "x" else y
            case Bars() | Band() | Label() | Cells() | Slices():
                pass


def _held(shown: tuple[float, float], whole: tuple[float, float]) -> tuple[float, float]:
    """The same span, pushed back into the whole."""
    if shown[0] < whole[0]:
        return whole[0], whole[0] + shown[1] - shown[0]
    if shown[1] > whole[1]:
        return whole[1] - (shown[1] - shown[0]), whole[1]
    return shown
