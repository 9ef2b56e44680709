"""Figures as values, without a toolkit: axes, marks, and the list of chart kinds.

Coordinates are data coordinates. A category axis counts 0, 1, 2, … along `categories`; a time axis
counts seconds since 1970-01-01T00:00:00 of the local wall clock (no zone). Vertical values grow
upwards, except on a category y axis of a horizontal chart, whose first category is drawn on top.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from qhub_desktop.core import codec
from qhub_desktop.core.values import dataclass

EPOCH = datetime(1970, 1, 1)  # 0 on a time axis
DAY_S = 86_400

AxisKind = Literal["number", "category", "time", "probability"]  # a normal one, by its score
Side = Literal["left", "right"]
Stroke = Literal["solid", "dashed"]

# What a mark means; the theme gives it a colour. "series" takes the palette's colour `series`.
Role = Literal["series", "centre", "limit", "target", "good", "bad", "quiet"]


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of the picture.

    Of `categories` that are in order, as the points of a control chart, names are left out where
    they have no room, instead of being slanted: who reads one knows those beside it.
    """

    label: str = ""
    kind: AxisKind = "number"
    categories: tuple[str, ...] = ()
    lower: float | None = None  # None: fitted to the marks
    upper: float | None = None
    unit: str = ""  # written after each number, e.g. "%"
    is_in_order: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points; a NaN breaks it.

    `label` stands in the right margin at the height of the last value ("LSC = 4.2"). The points of
    a selectable line are the rows of `Study.points`, in order; a NaN is a row without a value here.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    name: str = ""
    series: int = 0
    role: Role = "series"
    stroke: Stroke = "solid"
    side: Side = "left"
    is_dotted_at_points: bool = False
    label: str = ""
    is_selectable: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Unconnected points. `labels`, if any, stand beside them: the number of a rule broken."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    name: str = ""
    series: int = 0
    role: Role = "series"
    side: Side = "left"
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars centred on `at`, from `start` to `end` along the other axis.

    `width` is in units of the axis that `at` counts on. `labels`, if any, stand at the bars' ends.
    """

    at: tuple[float, ...]
    start: tuple[float, ...]
    end: tuple[float, ...]
    width: float = 0.8
    direction: Literal["vertical", "horizontal"] = "vertical"
    name: str = ""
    series: int = 0
    role: Role = "series"
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Band:
    """The area between two lines over the same x."""

    x: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    name: str = ""
    series: int = 0
    role: Role = "series"


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line across the whole picture at one value.

    The label of a level centre line or limit stands in the right margin, others inside.
    """

    value: float
    direction: Literal["horizontal", "vertical"] = "horizontal"
    label: str = ""
    role: Role = "limit"
    stroke: Stroke = "dashed"
    side: Side = "left"


@dataclass(frozen=True, slots=True)
class Cells:
    """A grid of coloured numbers: `values[row][column]`, rows along y; NaN is empty.

    The colour grows with the value; where there are `steps`, it changes at each of them and at its
    negative, so that maps of the same steps compare: below zero in one colour, above in another.
    """

    values: tuple[tuple[float, ...], ...]
    labels: tuple[tuple[str, ...], ...] = ()
    steps: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Slices:
    """Parts of a whole, clockwise from twelve o'clock."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A few words at a point: above it, or at its right where a line falls away from it."""

    x: float
    y: float
    text: str
    role: Role = "quiet"
    anchor: Literal["above", "right"] = "above"


def stair_steps(
    x: Sequence[float], values: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the corners of a line that keeps each value from halfway to the point before it.

    Limits that vary with the subgroup's size are drawn so. Equal neighbours share a step, so a
    constant limit has two corners whatever the number of points. `x` must rise; a NaN breaks.
    """
    across: list[float] = []
    up: list[float] = []
    last = len(x) - 1
    for at, (place, value) in enumerate(zip(x, values, strict=True)):
        gap = 1.0 if last < 1 else (x[at] - x[at - 1] if at else x[1] - x[0])
        if not at or value != values[at - 1]:  # NaN differs from itself
            across.append(place - gap / 2)
            up.append(value)
        if at == last or value != values[at + 1]:
            ahead = gap if at == last else x[at + 1] - place
            across.append(place + ahead / 2)
            up.append(value)
    return tuple(across), tuple(up)


Mark = Line | Points | Bars | Band | Rule | Cells | Slices | Label

codec.register_tags(
    {
        Line: "line",
        Points: "points",
        Bars: "bars",
        Band: "band",
        Rule: "rule",
        Cells: "cells",
        Slices: "slices",
        Label: "label",
    }
)


@dataclass(frozen=True, slots=True)
class Figure:
    """Picture as values: title, a line under it, up to three axes, and marks in drawing order."""

    title: str
    marks: tuple[Mark, ...]
    subtitle: str = ""
    x: Axis = Axis()
    y: Axis = Axis()
    right: Axis | None = None


Panels = tuple[tuple[Figure, ...], ...]  # in rows, drawn as one picture


# What a query has to give: a row for each category or moment ("parts": of one whole), single
# measurements (with a column that groups them), two categories and a value, two numbers.
Takes = Literal["groups", "parts", "values", "grouped values", "matrix", "pair"]
EACH_VALUE: tuple[Takes, ...] = ("values", "grouped values", "pair")  # draws each one
# What can be shown: amounts by category, by moment, by two of them, single measurements, pairs.
Shape = Literal["groups", "times", "split", "values", "pair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartKind:
    """A kind of chart, as everything but its drawing needs to know it."""

    name: str  # in tools, plans and stored messages
    label: str  # a text of the catalogue
    takes: Takes
    suits: frozenset[Shape] = frozenset()  # for which the answer's menu offers it
    words: Mapping[str, str]  # by language: phrases that name it in a question, with commas between
    place: int = 100  # in lists: the usual kinds come first
    precedence: int = 100  # of several kinds that one question names, the greatest is meant


_published: dict[str, ChartKind] = {}


def publish(kinds: Iterable[ChartKind]) -> None:
    """Replace the list of chart kinds."""
    _published.clear()
    _published.update((each.name, each) for each in sorted(kinds, key=lambda kind: kind.place))


def chart_kinds() -> tuple[ChartKind, ...]:
    """Return every kind, the usual ones first.

    Raises:
        RuntimeError: `charts.catalogue` was not loaded. An empty list would only make the engine
            understand less than it can.

    """
    if not _published:
        raise RuntimeError(
            "No chart kind is published: import qhub_desktop.charts.catalogue first."
        )
    return tuple(_published.values())


def takes(name: str | None) -> Takes | None:
    """Return what the kind of that name is drawn from; None where there is no such kind."""
    return next((each.takes for each in chart_kinds() if each.name == name), None)
