"""Tooltips: what lies under the mouse in words; and the description of a whole figure."""

import math
from collections.abc import Sequence

import numpy as np

from qhub_desktop.core.figure import Axis, Bars, Cells, Figure, Line, Points, Rule, Slices
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.charts.axes import PlotAxes
from qhub_desktop.ui.charts.scales import probability_text, timestamp_text, with_unit
from qhub_desktop.ui.controls.plain_text import one_line

HIT_RADIUS_PX = 16.0
LINE_RADIUS_PX = 5.0  # of a limit, which is a line across everything
MAX_DESCRIBED = 12
# Of a box: points of its whiskers, the places of their ends among them, and points of its median.
STEM_POINTS, WHISKER_ENDS, MEDIAN_POINTS = 12, (1, 7), 3
MAX_NAME_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Hit:
    """Thing under the mouse: its text, and its position if it is a point."""

    text: str
    point: tuple[float, float] | None = None


def hit_at(axes: PlotAxes, x: float, y: float, *, x_unit_px: float, y_unit_px: float) -> Hit | None:
    """Return the topmost mark at a position in data coordinates: points, limits, then areas."""
    figure = axes.figure
    reach = (x_unit_px, y_unit_px)
    for mark in reversed(figure.marks):
        match mark:
            # Corners of steps are no points.
            case Line(role="limit" | "centre", is_dotted_at_points=False):
                pass
            case Line() | Points():
                if hit := _hit_point(mark, axes, x, y, reach):
                    return hit
            case _:
                pass
    for mark in reversed(figure.marks):
        if hit := _hit_limit(mark, axes, x, y, reach):
            return hit
    if hit := _hit_box(figure, x, y, reach):
        return hit
    for mark in reversed(figure.marks):
        match mark:
            case Bars():
                if hit := _hit_bar(mark, figure, x, y, reach):
                    return hit
            case Cells():
                return _hit_cell(mark, figure, x, y)
            case _:
                pass
    return None


def slice_text(slices: Slices, at: int) -> str:
    """Return a slice in words."""
    label = f" · {slices.labels[at]}" if at < len(slices.labels) else ""
    return f"{_name(slices.names[at])}\n{number(slices.values[at])}{label}"


def describe_figure(figure: Figure) -> str:
    """Describe a figure for screen readers: its subtitle and first values."""
    return ". ".join(part for part in (figure.subtitle, *_value_descriptions(figure)) if part)


def _value_descriptions(figure: Figure) -> list[str]:
    descriptions = []
    for mark in figure.marks:
        match mark:
            case Bars(at=at, end=end):
                axis = figure.x if mark.direction == "vertical" else figure.y
                descriptions.append(
                    _pairs(mark.name, [_axis_text(axis, each, 0) for each in at], end)
                )
            case Slices(names=names, values=values):
                descriptions.append(_pairs("", list(map(_name, names)), values))
            case Line(x=x, y=y, name=name) if len(x) <= MAX_DESCRIBED and name:
                known = [
                    at for at, each in enumerate(x) if math.isfinite(each)
                ]  # else it is broken
                keys = [_axis_text(figure.x, x[at], 0) for at in known]
                descriptions.append(_pairs(name, keys, [y[at] for at in known]))
            case _:
                pass
    return descriptions


def _pairs(name: str, keys: Sequence[str], values: Sequence[float]) -> str:
    pairs = [
        f"{key} {number(value)}"
        for key, value in zip(keys, values, strict=True)
        if math.isfinite(value)
    ]
    shown = ", ".join(pairs[:MAX_DESCRIBED])
    if len(pairs) > MAX_DESCRIBED:
        shown = _("{values} and {count} more").format(
            values=shown, count=number(len(pairs) - MAX_DESCRIBED)
        )
    return f"{_name(name)}: {shown}" if name else shown


def _hit_point(
    mark: Line | Points, axes: PlotAxes, x: float, y: float, reach: tuple[float, float]
) -> Hit | None:
    across = axes.array(mark.x)
    up = axes.y_values(mark.y, mark.side)
    at = nearest_point(axes, mark, x, y, reach)
    if at is None:
        return None
    # Lines of box plots (boxes and whiskers) have no values to tell.
    if isinstance(mark, Line) and any(math.isnan(each) for each in mark.x[:6]):
        return None
    figure = axes.figure
    axis = figure.right if mark.side == "right" and figure.right else figure.y
    span = float(np.nanmax(across) - np.nanmin(across))
    head = _axis_text(figure.x, mark.x[at], span)
    name = mark.name or axis.label
    value = with_unit(number(mark.y[at]), axis.unit)
    if axis.kind == "probability":
        value = probability_text(mark.y[at])
    return Hit(
        _lines(head, name, value),
        (float(across[at]), float(up[at])),
    )


def nearest_point(
    axes: PlotAxes, mark: Line | Points, x: float, y: float, reach: tuple[float, float]
) -> int | None:
    """Return which point of a mark is nearest, within HIT_RADIUS_PX; `reach` is pixels a unit."""
    across, up = axes.array(mark.x), axes.y_values(mark.y, mark.side)
    near = np.flatnonzero(np.abs(across - x) * reach[0] <= HIT_RADIUS_PX)
    distances = np.hypot((across[near] - x) * reach[0], (up[near] - y) * reach[1])
    distances[np.isnan(distances)] = math.inf
    if not len(distances) or distances.min() > HIT_RADIUS_PX:
        return None
    return int(near[distances.argmin()])


def _hit_limit(
    mark: object, axes: PlotAxes, x: float, y: float, reach: tuple[float, float]
) -> Hit | None:
    """Return a centre line or limit at a position, with its value there."""
    figure = axes.figure
    match mark:
        case Rule(value=value, direction="vertical"):
            axis, off_px = figure.x, abs(value - x) * reach[0]
        case Rule(value=value, side=side):
            axis = figure.right if side == "right" and figure.right else figure.y
            off_px = abs(float(axes.y_values((value,), side)[0]) - y) * reach[1]
        case Line(role="limit" | "centre", is_dotted_at_points=False, label=label) if label:
            across, up = axes.array(mark.x), axes.y_values(mark.y, mark.side)
            steps = np.flatnonzero((across[:-1] <= x) & (x <= across[1:]))
            if not len(steps):
                return None
            value, axis = mark.y[int(steps[0])], figure.y
            off_px = abs(float(up[int(steps[0])]) - y) * reach[1]
            label = f"{label.partition(' = ')[0]} = {with_unit(number(value), axis.unit)}"
            return Hit(label) if off_px <= LINE_RADIUS_PX else None
        case _:
            return None
    return Hit(mark.label or _axis_text(axis, value, 0)) if off_px <= LINE_RADIUS_PX else None


def _hit_box(figure: Figure, x: float, y: float, reach: tuple[float, float]) -> Hit | None:
    """Return a box of a box plot, with its median, its quartiles and its whiskers."""
    match figure.marks:
        case (Line() as stems, Bars(at=at) as boxes, Line() as medians, *_):
            pass
        case _:
            return None
    if len(stems.y) != STEM_POINTS * len(at) or len(medians.y) != MEDIAN_POINTS * len(at):
        return None
    for place, centre in enumerate(at):
        low, high = (stems.y[STEM_POINTS * place + end] for end in WHISKER_ENDS)
        slack = LINE_RADIUS_PX / max(1e-9, reach[1])
        if abs(x - centre) > boxes.width / 2 or not low - slack <= y <= high + slack:
            continue
        values = (
            (_("Median"), number(medians.y[MEDIAN_POINTS * place])),
            (_("Quartiles"), f"{number(boxes.start[place])} – {number(boxes.end[place])}"),
            (_("Whiskers"), f"{number(low)} – {number(high)}"),
        )
        told = (_("{name}: {value}").format(name=name, value=value) for name, value in values)
        return Hit("\n".join([_axis_text(figure.x, centre, 0), *told]))
    return None


def _hit_bar(
    bars: Bars, figure: Figure, x: float, y: float, reach: tuple[float, float]
) -> Hit | None:
    is_upright = bars.direction == "vertical"
    along, height = (x, y) if is_upright else (y, x)
    slack = 8 / max(1e-9, reach[1] if is_upright else reach[0])
    for at, start, end in zip(bars.at, bars.start, bars.end, strict=True):
        low, high = sorted((start, end))
        if abs(along - at) <= bars.width / 2 and low - slack <= height <= high + slack:
            names, amounts = (figure.x, figure.y) if is_upright else (figure.y, figure.x)
            head = _bin_text(bars, names, at)
            value = with_unit(number(end), amounts.unit)
            if start:
                value = f"{with_unit(number(start), amounts.unit)} – {value}"
            return Hit(_lines(head, bars.name or amounts.label, value))
    return None


def _bin_text(bars: Bars, axis: Axis, at: float) -> str:
    """Return a category or moment as text; for histogram classes, their bounds."""
    if axis.kind != "number":
        return _axis_text(axis, at, 0)
    if bars.width == 1 and float(at).is_integer():
        return number(at)
    return f"{number(at - bars.width / 2)} – {number(at + bars.width / 2)}"


def _hit_cell(cells: Cells, figure: Figure, x: float, y: float) -> Hit | None:
    column, row = math.floor(x + 0.5), math.floor(y + 0.5)
    if not (0 <= row < len(cells.values) and 0 <= column < len(cells.values[row])):
        return None
    value = cells.values[row][column]
    head = f"{_axis_text(figure.y, row, 0)} · {_axis_text(figure.x, column, 0)}"
    value_text = _("nothing") if math.isnan(value) else number(value)
    return Hit(f"{head}\n{value_text}")


def _axis_text(axis: Axis, value: float, span: float) -> str:
    if axis.kind == "category":
        at = round(value)
        return _name(axis.categories[at]) if 0 <= at < len(axis.categories) else ""
    if axis.kind == "time":
        return timestamp_text(value, span_s=span)
    return f"{_name(axis.label)}: {number(value)}" if axis.label else number(value)


def _lines(head: str, name: str, value: str) -> str:
    return f"{head}\n{_name(name)}: {value}" if name else f"{head}\n{value}"


def _name(text: str) -> str:
    """Shorten a name, so that the value after it is not what is cut off."""
    return one_line(text, limit=MAX_NAME_CHARACTERS)
