"""Native Excel charts, drawn from the cells of the table that a figure is turned into."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from qhub_desktop.core.figure import (
    Axis,
    Band,
    Bars,
    Cells,
    Figure,
    Line,
    Points,
    Role,
    Rule,
    Slices,
)
from qhub_desktop.core.table import Cell, Column, ColumnType, Table
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.export.text_tables import bare_cell, serial

Form = Literal["column", "bar", "histogram", "line", "area", "pie", "scatter", "box", "cells"]
Look = Literal["bars", "line", "points", "area"]
EPOCH = datetime(1970, 1, 1)

ACCENT = "#0B6E99"
TEXT = "#1B1D21"
QUIET = "#5B6470"
LINE = "#E2E5EA"
PAPER = "#FFFFFF"
GOOD = "#1E7F4F"
BAD = "#C0362C"
SERIES = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#6B7280"
ROLES: dict[Role, str] = {
    "centre": GOOD,
    "limit": BAD,
    "target": QUIET,
    "good": GOOD,
    "bad": BAD,
    "quiet": QUIET,
}


def colour(role: Role, series: int) -> str:
    """What a mark is drawn in."""
    return SERIES[series % len(SERIES)] if role == "series" else ROLES[role]


@dataclass(frozen=True, slots=True)
class Series:
    """One column of the table as one thing drawn; `rows` where not every row belongs to it."""

    column: int
    look: Look
    colour: str
    is_on_right: bool = False
    is_dashed: bool = False
    is_dotted_at_points: bool = False
    rows: tuple[int, int] | None = None  # from, to: row numbers in the table, the last included


@dataclass(frozen=True, slots=True)
class Drawn:
    """A table of what was drawn, and how Excel is to draw it; `categories` is a column."""

    form: Form
    table: Table
    series: tuple[Series, ...]
    categories: int = 0


def drawn(figure: Figure) -> Drawn | None:
    """What Excel needs to draw the figure; nothing for a figure that it has no chart for."""
    match figure.marks:
        case (Slices() as slices,):
            return _pie(slices)
        case (Cells() as cells,):
            return _grid(figure, cells)
        case (Line() as stems, Bars() as boxes, Line() as medians, *_outliers) if _is_strokes(
            stems
        ) and _is_strokes(medians):
            return _boxes(figure, stems, boxes, medians)
        case (Bars(direction="vertical") as classes,) if figure.x.kind == "number":
            return _classes(figure, classes)
        case marks if marks and all(isinstance(mark, Points) for mark in marks):
            return _cloud(figure)
    return _along(figure)


def _is_strokes(line: Line) -> bool:
    """Whether a line is strokes that stand apart, as the whiskers and medians of box plots do."""
    return len(line.x) > 2 and all(map(math.isnan, line.x[2::3]))


def _pie(slices: Slices) -> Drawn:
    rows = zip(slices.names, _whole(slices.values), strict=True)
    table = _table((_("Category"), _("Value")), tuple(rows))
    return Drawn("pie", table, (Series(1, "area", colour("series", 0)),))


def _grid(figure: Figure, cells: Cells) -> Drawn:
    names = (figure.y.label, *figure.x.categories)
    rows = tuple(
        (name, *_whole(row)) for name, row in zip(figure.y.categories, cells.values, strict=True)
    )
    return Drawn("cells", _table(names, rows), ())


def _classes(figure: Figure, bars: Bars) -> Drawn:
    half = bars.width / 2
    is_one_number = bars.width == 1 and all(each.is_integer() for each in bars.at)
    rows = tuple(
        (
            number(at) if is_one_number else f"{number(at - half)} – {number(at + half)}",
            *ends,
            count,
        )
        for at, count, ends in zip(
            bars.at,
            _whole(bars.end),
            ((at - half, at + half) for at in bars.at),
            strict=True,
        )
    )
    names = (figure.x.label or _("Class"), _("From"), _("To"), figure.y.label)
    look = Series(3, "bars", colour(bars.role, bars.series))
    return Drawn("histogram", _table(names, rows), (look,))


def _boxes(figure: Figure, stems: Line, boxes: Bars, medians: Line) -> Drawn:
    ends: dict[int, list[float]] = {}
    middles: dict[int, float] = {}
    for x, y in zip(stems.x, stems.y, strict=True):
        if not math.isnan(x):
            ends.setdefault(round(x), []).append(y)
    for x, y in zip(medians.x, medians.y, strict=True):
        if not math.isnan(x):
            middles[round(x)] = y
    far = [mark for mark in figure.marks if isinstance(mark, Points)]
    outliers = [round(x) for mark in far for x in mark.x]
    rows = tuple(
        (name, low, min(ends[at]), middles[at], max(ends[at]), high, outliers.count(at))
        for at, (name, low, high) in enumerate(
            zip(figure.x.categories, boxes.start, boxes.end, strict=True)
        )
    )
    names = (
        figure.x.label or _("Category"),
        _("Lower quartile"),
        _("Lower whisker"),
        _("Median"),
        _("Upper whisker"),
        _("Upper quartile"),
        _("Outliers"),
    )
    # From the first to the last of these Excel draws the box, from the least to the greatest the
    # whiskers.
    series = tuple(Series(column, "line", colour("series", boxes.series)) for column in range(1, 6))
    return Drawn("box", _table(names, rows), series)


def _cloud(figure: Figure) -> Drawn:
    marks = [mark for mark in figure.marks if isinstance(mark, Points)]
    across = _keys(figure.x, (x for mark in marks for x in mark.x))
    rows: list[tuple[Cell, ...]] = []
    series = []
    for mark in marks:
        last = len(rows) + len(mark.x) - 1
        look = colour(mark.role, mark.series)
        series.append(Series(1, "points", look, rows=(len(rows), last)))
        name = (mark.name,) if len(marks) > 1 else ()
        pairs = zip(mark.x, _whole(mark.y), strict=True)
        rows += [(across(x), y, *name) for x, y in pairs]
    names = [figure.x.label, figure.y.label, *([_("Series")] if len(marks) > 1 else [])]
    return Drawn("scatter", _table(names, tuple(rows)), tuple(series))


@dataclass(frozen=True, slots=True)
class _Strand:
    """One series by the places of its values along the axis."""

    name: str
    values: Mapping[float, float]
    look: Look
    colour: str
    side: Literal["left", "right"] = "left"
    is_dashed: bool = False
    is_dotted_at_points: bool = False


def _along(figure: Figure) -> Drawn | None:
    """Bars, lines, areas and points over one axis that they share."""
    lying = any(isinstance(mark, Bars) and mark.direction == "horizontal" for mark in figure.marks)
    axis, other = (figure.y, figure.x) if lying else (figure.x, figure.y)
    strands = list(_strands(figure, axis))
    if not strands:
        return None
    places = sorted({place for strand in strands for place in strand.values})
    if axis.kind == "category":
        places = [float(at) for at in range(len(axis.categories))]
    strands += [
        _Strand(
            name=rule.label or number(rule.value),
            values=dict.fromkeys(places, rule.value),
            look="line",
            colour=colour(rule.role, 0),
            side=rule.side,
            is_dashed=rule.stroke == "dashed",
        )
        for rule in figure.marks
        if isinstance(rule, Rule) and rule.direction == "horizontal" and not lying
    ]
    key = _keys(axis, places)
    columns = [
        _whole([strand.values.get(place, math.nan) for place in places]) for strand in strands
    ]
    names = [
        axis.label or _("Category"),
        *(strand.name or other.label or figure.title for strand in strands),
    ]
    rows = tuple(zip(map(key, places), *columns, strict=True))
    series = tuple(
        Series(
            column,
            strand.look,
            strand.colour,
            is_on_right=strand.side == "right",
            is_dashed=strand.is_dashed,
            is_dotted_at_points=strand.is_dotted_at_points,
        )
        for column, strand in enumerate(strands, start=1)
    )
    return Drawn(_form(strands, axis, is_lying=lying), _table(names, rows), series)


def _form(strands: Sequence[_Strand], axis: Axis, *, is_lying: bool) -> Form:
    looks = {strand.look for strand in strands}
    if is_lying:
        return "bar"
    if "bars" in looks:
        return "column"
    if "area" in looks:
        return "area"
    return "scatter" if axis.kind == "number" else "line"


def _strands(figure: Figure, axis: Axis) -> Iterable[_Strand]:
    bars = [mark for mark in figure.marks if isinstance(mark, Bars)]
    is_area = any(isinstance(mark, Band) for mark in figure.marks)
    for mark in figure.marks:
        match mark:
            case Bars(at=at, end=end, start=start):
                shift = (bars.index(mark) - (len(bars) - 1) / 2) * mark.width
                places = [each - shift for each in at]
                amounts = [stop - begin for begin, stop in zip(start, end, strict=True)]
                yield _strand(mark, axis, places, amounts, "bars")
            case Band(x=x, lower=lower, upper=upper):
                amounts = [over - under for under, over in zip(lower, upper, strict=True)]
                yield _strand(mark, axis, x, amounts, "area")
            case Line(x=x, y=y) if not is_area:
                yield _strand(mark, axis, x, y, "line")
            case Points(x=x, y=y):
                yield _strand(mark, axis, x, y, "points")
            case _:
                pass


def _strand(
    mark: Bars | Band | Line | Points,
    axis: Axis,
    places: Iterable[float],
    amounts: Iterable[float],
    look: Look,
) -> _Strand:
    # Bars were moved apart to stand side by side: what is left of that is a rounding error.
    digits = 0 if axis.kind == "category" else 6 if isinstance(mark, Bars) else 15
    values = {
        round(place, digits): amount
        for place, amount in zip(places, amounts, strict=True)
        if not math.isnan(place)
    }
    return _Strand(
        name=mark.name,
        values=values,
        look=look,
        colour=colour(mark.role, mark.series),
        side=mark.side if isinstance(mark, (Line, Points)) else "left",
        is_dashed=isinstance(mark, Line) and mark.stroke == "dashed",
        is_dotted_at_points=isinstance(mark, Line) and mark.is_dotted_at_points,
    )


def _keys(axis: Axis, places: Iterable[float]) -> Callable[[float], Cell]:
    """What stands on the axis at a place: a category, a moment or a number."""
    match axis.kind:
        case "category":
            return lambda place: axis.categories[round(place)]
        case "number":
            return lambda place: int(place) if place.is_integer() else place
        case "time":
            moments = [EPOCH + timedelta(seconds=place) for place in places]
            if all(moment.time() == EPOCH.time() for moment in moments):
                return lambda place: (EPOCH + timedelta(seconds=place)).date()
            return lambda place: EPOCH + timedelta(seconds=place)


def _whole(values: Iterable[float]) -> list[Cell]:
    """The values as cells: whole numbers as such where all are, nothing for NaN."""
    known = list(values)
    if all(math.isnan(each) or (each.is_integer() and abs(each) < 2**53) for each in known):
        return [None if math.isnan(each) else int(each) for each in known]
    return [None if math.isnan(each) else each for each in known]


def _table(names: Iterable[str], rows: tuple[tuple[Cell, ...], ...]) -> Table:
    """A table with names that differ and types that fit."""
    taken: list[str] = []
    for name in names:
        bare = name or "-"
        count = 1
        while (unique := bare if count == 1 else f"{bare} ({count})") in taken:
            count += 1
        taken.append(unique)
    columns = tuple(Column(name, _type([row[at] for row in rows])) for at, name in enumerate(taken))
    return Table(columns, rows)


def _type(cells: Iterable[Cell]) -> ColumnType:
    kinds = {type(cell).__name__ for cell in cells if cell is not None}
    by_name: dict[str, ColumnType] = {
        "int": "integer",
        "float": "number",
        "date": "date",
        "datetime": "datetime",
    }
    if kinds == {"int", "float"}:
        return "number"
    return by_name.get(next(iter(kinds)), "text") if len(kinds) == 1 else "text"


def is_shown_in(found: Drawn, data: Table) -> bool:
    """Whether the rows that a figure was made from are just the values that were drawn."""
    if len(data.columns) != len(found.table.columns) or len(data.rows) != len(found.table.rows):
        return False
    return all(
        _is_same(one, other)
        for ours, theirs in zip(found.table.rows, data.rows, strict=True)
        for one, other in zip(ours, theirs, strict=True)
    )


def _is_same(one: Cell, other: Cell) -> bool:
    match one, other:
        case str(), None:
            return False
        case str(), _:
            return one == cell_text(other)
        case (int() | float(), int() | float()):
            # Areas that stand on each other were summed and taken apart again.
            return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


WIDTH_PX, HEIGHT_PX = 760, 420
MOST_VALUES_WRITTEN = 12
GROUP_GAP = 60  # between columns, in percent of one
BOX_GAP = 120
KINDS: dict[Form, dict[str, str]] = {
    "column": {"type": "column"},
    "histogram": {"type": "column"},
    "bar": {"type": "bar"},
    "line": {"type": "line"},
    "area": {"type": "area", "subtype": "stacked"},
    "pie": {"type": "pie"},
    "scatter": {"type": "scatter"},
    "box": {"type": "line"},
}
NO_MARKER = {"type": "none"}
BOX_STROKE = {
    "type": "long_dash",
    "size": 9,
    "border": {"color": TEXT},
    "fill": {"color": TEXT},
}
BOX_ENDS = {1, 5}  # the columns of the quartiles, between which the box is drawn


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table stands on its sheet: the row of its header, from 0, and its size."""

    sheet: str
    header: int
    columns: int
    rows: int

    def cells(self, column: int, rows: tuple[int, int] | None = None) -> list[object]:
        """One column's cells, or some of them, as a chart names them."""
        first, last = rows or (0, self.rows - 1)
        top = self.header + 1
        return [self.sheet, top + first, column, top + last, column]

    def name(self, column: int) -> list[object]:
        """The cell with a column's name."""
        return [self.sheet, self.header, column]


def insert_chart(
    book: Any, sheet: Any, figure: Figure, drawn: Drawn, table: Table, place: Place
) -> None:
    """Put the chart of a table beside it."""
    within = [each for each in drawn.series if not _is_apart(drawn, each)]
    chart = _chart(book, drawn, table, place, within)
    apart = [each for each in drawn.series if _is_apart(drawn, each)]
    if apart:
        lines = _chart(book, Drawn("line", drawn.table, ()), table, place, apart)
        if figure.right is not None:
            lines.set_y2_axis(_axis(figure.right, gridlines=False))
        chart.combine(lines)
    if drawn.form == "box":
        box = {"fill": {"color": SERIES[0], "transparency": 45}}
        chart.set_up_down_bars({"up": box, "down": box, "gap": BOX_GAP})
        chart.set_high_low_lines({"line": {"color": SERIES[0], "width": 1.25}})
    _dress(chart, figure, drawn, table)
    sheet.insert_chart(place.header, place.columns + 1, chart, {"object_position": 2})


def colour_cells(sheet: Any, place: Place) -> None:
    """Colour a grid of numbers from white to blue."""
    if place.columns > 1:
        sheet.conditional_format(
            place.header + 1,
            1,
            place.header + place.rows,
            place.columns - 1,
            {
                "type": "2_color_scale",
                "min_color": PAPER,
                "max_color": SERIES[0],
            },
        )


def _is_apart(drawn: Drawn, series: Series) -> bool:
    """Whether it needs another kind of chart, laid over the first."""
    return drawn.form in ("column", "histogram", "area") and series.look in ("line", "points")


def _chart(book: Any, drawn: Drawn, table: Table, place: Place, series: Sequence[Series]) -> Any:
    kind = dict(KINDS[drawn.form])
    if drawn.form == "scatter" and any(each.look == "line" for each in series):
        kind["subtype"] = "straight_with_markers"
    chart = book.add_chart(kind)
    for each in series:
        chart.add_series(_series(drawn, each, table, place, count=len(series)))
    return chart


def _series(
    drawn: Drawn, series: Series, table: Table, place: Place, *, count: int
) -> dict[str, object]:
    told: dict[str, object] = {
        "name": place.name(series.column),
        "name_data": [table.names[series.column]],
        "categories": place.cells(drawn.categories, series.rows),
        "categories_data": _kept(table, drawn.categories, series.rows),
        "values": place.cells(series.column, series.rows),
        "values_data": _kept(table, series.column, series.rows),
    }
    if series.is_on_right:
        told["y2_axis"] = True
    if series.rows is not None and count > 1:
        # The name of a part stands beside its first point.
        first = series.rows[0]
        told["name"] = [place.sheet, place.header + 1 + first, series.column + 1]
        told["name_data"] = [table.rows[first][series.column + 1]]
    is_written = place.rows * count <= MOST_VALUES_WRITTEN
    match drawn.form, series.look:
        case "pie", _:
            told["points"] = [
                {"fill": {"color": SERIES[at % len(SERIES)]}} for at in range(place.rows)
            ]
            told["data_labels"] = {"percentage": True, "leader_lines": True}
        case "box", _:
            told["line"] = {"none": True}
            told["marker"] = NO_MARKER if series.column in BOX_ENDS else BOX_STROKE
        case _, "bars":
            told["fill"] = {"color": series.colour}
            told["gap"] = 4 if drawn.form == "histogram" else GROUP_GAP
            if is_written:
                told["data_labels"] = {"value": True}
        case _, "area":
            told["fill"] = {"color": series.colour, "transparency": 40}
            told["line"] = {"color": series.colour}
        case _, "points":
            told["line"] = {"none": True}
            told["marker"] = _marker(series, size=5)
        case _:
            told["line"] = _line(series)
            told["marker"] = _marker(series, size=5) if series.is_dotted_at_points else NO_MARKER
    return told


def _kept(table: Table, column: int, rows: tuple[int, int] | None) -> list[object]:
    """The values as a chart keeps them itself, for viewers that do not look at the cells."""
    first, last = rows or (0, len(table.rows) - 1)
    cells = [row[column] for row in table.rows[first : last + 1]]
    return [
        serial(cell)
        if isinstance(cell, (date, time))
        else bare_cell(cell)
        if isinstance(cell, bool)
        else cell
        for cell in cells
    ]


def _line(series: Series) -> dict[str, object]:
    dash = {"dash_type": "dash"} if series.is_dashed else {}
    return {"color": series.colour, "width": 1.5 if series.is_dashed else 2, **dash}


def _marker(series: Series, *, size: int) -> dict[str, object]:
    dot = {"color": series.colour}
    return {"type": "circle", "size": size, "fill": dot, "border": dot}


def _dress(chart: Any, figure: Figure, drawn: Drawn, table: Table) -> None:
    chart.set_title({"name": _plain(figure.title), "name_font": _font(13), "overlay": False})
    chart.set_size({"width": WIDTH_PX, "height": HEIGHT_PX})
    chart.set_chartarea({"border": {"color": LINE}})
    chart.show_blanks_as("gap")
    is_alone = len(drawn.series) == 1 and drawn.form != "pie"
    chart.set_legend({"none": True} if is_alone or drawn.form == "box" else {"position": "bottom"})
    if drawn.form == "pie":
        return
    is_lying = drawn.form == "bar"
    keys, amounts = (figure.y, figure.x) if is_lying else (figure.x, figure.y)
    along = _axis(keys, gridlines=drawn.form == "scatter")
    match table.columns[drawn.categories].type:
        case "date" if drawn.form != "scatter":
            along |= {"date_axis": True, "num_format": "dd/mm/yyyy"}
        case "date":
            along["num_format"] = "dd/mm/yyyy"
        case "datetime":
            along["num_format"] = "dd/mm/yyyy hh:mm"
    up = _axis(amounts, gridlines=True)
    if is_lying:
        # The first category on top, as on the screen; Excel then moves the numbers up as well.
        chart.set_y_axis(along | {"reverse": True, "major_gridlines": {"visible": False}})
        chart.set_x_axis(up | {"label_position": "high"})
        return
    chart.set_x_axis(along)
    chart.set_y_axis(up)


def _axis(axis: Axis, *, gridlines: bool) -> dict[str, object]:
    told: dict[str, object] = {
        "name_font": _font(10),
        "num_font": _font(9),
        "line": {"color": LINE},
        "major_gridlines": {
            "visible": gridlines,
            "line": {"color": LINE, "width": 0.75},
        },
    }
    if axis.label:
        told["name"] = _plain(axis.label)
    if axis.kind == "number":
        told |= {
            name: value
            for name, value in (("min", axis.lower), ("max", axis.upper))
            if value is not None
        }
        if axis.unit:
            unit = axis.unit.replace('"', "")
            told["num_format"] = f'0"{unit}"'
    return told


def _font(size: int) -> dict[str, object]:
    return {"size": size, "bold": False, "color": TEXT}


def _plain(words: str) -> str:
    """Words that are never taken for a reference to cells."""
    return f" {words}" if words.startswith("=") else words
