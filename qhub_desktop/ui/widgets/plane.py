"""What part of the plane a figure fills, and where its right axis stands in it."""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from qhub_desktop.core.figure import (
    Axis,
    Band,
    Bars,
    Cells,
    Figure,
    Label,
    Line,
    Points,
    Rule,
    Side,
    Slices,
)
from qhub_desktop.ui.widgets.extent import Extent

AIR = {"x": 0.02, "y": 0.05}  # beyond the marks, as a share of the axis
LABEL_AIR = 0.09  # beyond bars that carry their values
RIGHT_AIR = 0.06  # above a running total, whose last point is the axis' end
Array = np.ndarray[Any, np.dtype[np.float64]]
Direction = Literal["x", "y"]


class Plane:
    """A figure measured once: its marks may be many thousands."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        across, up = self._values("x", "left"), self._values("y", "left")
        self.has_whole_x, self.has_whole_y = _are_whole(across), _are_whole(up)
        self._left = _fitted(figure.y, up)
        self._right = _fitted(figure.right, self._values("y", "right")) if figure.right else None
        self.whole = Extent(
            self._range("x", figure.x, _fitted(figure.x, across)),
            self._range("y", figure.y, self._left),
        )

    def on_left(self, value: float) -> float:
        """Where a value of the right axis stands on the left one."""
        return _moved_over(value, self._right, self._left)

    def on_right(self, value: float) -> float:
        """What the right axis says at a height of the left one."""
        return _moved_over(value, self._left, self._right)

    def heights(self, values: tuple[float, ...], side: Side) -> Array:
        """Values of either side on the left axis."""
        heights = np.asarray(values, dtype=np.float64)
        if side == "left":
            return heights
        low, high = self.on_left(0.0), self.on_left(1.0)
        return low + heights * (high - low)

    def _range(
        self, direction: Direction, axis: Axis, bounds: tuple[float, float]
    ) -> tuple[float, float]:
        """What shows every mark, with a little air."""
        if axis.kind == "category":
            return -0.5, max(1, len(axis.categories)) - 0.5
        lower, upper = bounds
        air = LABEL_AIR if self._has_labels(direction) else AIR[direction]
        below = 0.0 if axis.lower is not None else (air if lower < 0 else AIR[direction])
        above = 0.0 if axis.upper is not None else air
        if direction == "y" and self.figure.right is not None:
            above = RIGHT_AIR
        span = upper - lower
        return lower - below * span, upper + above * span

    def _has_labels(self, direction: Direction) -> bool:
        wanted = "vertical" if direction == "y" else "horizontal"
        return any(
            isinstance(mark, Bars) and mark.labels and mark.direction == wanted
            for mark in self.figure.marks
        )

    def _values(self, direction: Direction, side: Side) -> Array:
        found = [np.asarray(each, dtype=np.float64) for each in self._parts(direction, side)]
        values = np.concatenate(found) if found else np.empty(0)
        return values[np.isfinite(values)]

    def _parts(self, direction: Direction, side: Side) -> Iterator[tuple[float, ...] | Array]:
        """The values of each mark along one axis; what lies across belongs to the left side."""
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
                    yield (*mark.lower, *mark.upper)
                case Rule() if (mark.direction == "vertical") == is_across and (
                    mark.side == side or is_across
                ):
                    yield (mark.value,)
                case Label() if side == "left":
                    yield (mark.x if is_across else mark.y,)
                case Bars() | Band() | Rule() | Label() | Cells() | Slices():
                    pass


def _fitted(axis: Axis, values: Array) -> tuple[float, float]:
    lower = axis.lower if axis.lower is not None else float(values.min(initial=np.inf))
    upper = axis.upper if axis.upper is not None else float(values.max(initial=-np.inf))
    if not len(values) and (axis.lower is None or axis.upper is None):
        lower = axis.lower if axis.lower is not None else (axis.upper or 1.0) - 1.0
        upper = axis.upper if axis.upper is not None else lower + 1.0
    if lower < upper:
        return lower, upper
    room = abs(upper) * 0.1 or 1.0
    return (lower, lower + room) if axis.lower is not None else (upper - room, upper + room)


def _are_whole(values: Array) -> bool:
    return len(values) > 0 and bool((values == np.floor(values)).all())


def _moved_over(
    value: float, own: tuple[float, float] | None, other: tuple[float, float] | None
) -> float:
    """The place at the same share of another range."""
    if own is None or other is None:
        return value
    return other[0] + (value - own[0]) / (own[1] - own[0]) * (other[1] - other[0])
