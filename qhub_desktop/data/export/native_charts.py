"""Native Excel charts, drawn from the cells of a table made from a figure."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from typing import Any, Literal

from qhub_desktop.core.figure import (
    EPOCH,
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
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.export.text_tables import bare_cell_text, excel_serial

Form = Literal["column", "bar", "histogram", "line", "area", "pie", "scatter", "box", "cells"]
SeriesStyle = Literal["bars", "line", "points", "area"]

ACCENT = "#0B6E99"
INK = "#1B1D21"
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
    """Return the colour of a mark by its role and series."""
    return SERIES[series % len(SERIES)] if role == "series" else ROLES[role]


@dataclass(frozen=True, slots=True)
class ExcelSeries:
    """Column of the table drawn as a series; `rows` if it is limited to some rows."""

    column: int
    style: SeriesStyle
    colour: str
    is_on_right: bool = False
    is_dashed: bool = False
    is_dotted_at_points: bool = False
    rows: tuple[int, int] | None = None  # first and last row in the table, inclusive


@dataclass(frozen=True, slots=True)
class NativeChart:
    """Chart in Excel's terms: its table, series, and the index of the column of categories."""

    form: Form
    table: Table
    series: tuple[ExcelSeries, ...]
    categories: int = 0


def native_chart(figure: Figure) -> NativeChart | None:
    """Translate a figure into a chart of Excel; None if Excel has no such chart."""
    match figure.marks:
        case (Slices() as slices,):
            return _pie(slices)
        case (Cells() as cells,):
            return _heatmap(figure, cells)
        case (Line() as stems, Bars() as boxes, Line() as medians, *_outliers) if _is_box_strokes(
            stems
        ) and _is_box_strokes(medians):
            return _boxes(figure, stems, boxes, medians)
        case (Bars(direction="vertical") as classes,) if figure.x.kind == "number":
            return _histogram(figure, classes)
        case marks if marks and all(isinstance(mark, Points) for mark in marks):
            return _scatter(figure)
    return _over_axis(figure)


def _is_box_strokes(line: Line) -> bool:
    """Return whether a line is separate strokes, as whiskers and medians of box plots are."""
    return len(line.x) > 2 and all(map(math.isnan, line.x[2::3]))


def _pie(slices: Slices) -> NativeChart:
    rows = zip(slices.names, _number_cells(slices.values), strict=True)
    table = _table((_("Category"), _("Value")), tuple(rows))
    return NativeChart("pie", table, (ExcelSeries(1, "area", colour("series", 0)),))


def _heatmap(figure: Figure, cells: Cells) -> NativeChart:
    names = (figure.y.label, *figure.x.categories)
    rows = tuple(
        (name, *_number_cells(row))
        for name, row in zip(figure.y.categories, cells.values, strict=True)
    )
    return NativeChart("cells", _table(names, rows), ())


def _histogram(figure: Figure, bars: Bars) -> NativeChart:
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
            _number_cells(bars.end),
            ((at - half, at + half) for at in bars.at),
            strict=True,
        )
    )
    names = (figure.x.label or _("Class"), _("From"), _("To"), figure.y.label)
    look = ExcelSeries(3, "bars", colour(bars.role, bars.series))
    return NativeChart("histogram", _table(names, rows), (look,))


def _boxes(figure: Figure, stems: Line, boxes: Bars, medians: Line) -> NativeChart:
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
    # Excel draws the box from the first to the last of these series, and the whiskers from the
    # lowest to the highest.
    series = tuple(
        ExcelSeries(column, "line", colour("series", boxes.series)) for column in range(1, 6)
    )
    return NativeChart("box", _table(names, rows), series)


def _scatter(figure: Figure) -> NativeChart:
    marks = [mark for mark in figure.marks if isinstance(mark, Points)]
    across = _axis_keys(figure.x, (x for mark in marks for x in mark.x))
    rows: list[tuple[Cell, ...]] = []
    series = []
    for mark in marks:
        last = len(rows) + len(mark.x) - 1
        look = colour(mark.role, mark.series)
        series.append(ExcelSeries(1, "points", look, rows=(len(rows), last)))
        name = (mark.name,) if len(marks) > 1 else ()
        pairs = zip(mark.x, _number_cells(mark.y), strict=True)
        rows += [(across(x), y, *name) for x, y in pairs]
    names = [figure.x.label, figure.y.label, *([_("Series")] if len(marks) > 1 else [])]
    return NativeChart("scatter", _table(names, tuple(rows)), tuple(series))


@dataclass(frozen=True, slots=True)
class _KeyedSeries:
    """Series whose values are keyed by their position on the axis."""

    name: str
    values: Mapping[float, float]
    style: SeriesStyle
    colour: str
    side: Literal["left", "right"] = "left"
    is_dashed: bool = False
    is_dotted_at_points: bool = False


def _over_axis(figure: Figure) -> NativeChart | None:
    """Translate bars, lines, areas and points that share one axis."""
    lying = any(isinstance(mark, Bars) and mark.direction == "horizontal" for mark in figure.marks)
    axis, other = (figure.y, figure.x) if lying else (figure.x, figure.y)
    strands = list(_keyed_series(figure, axis))
    if not strands:
        return None
    places = sorted({place for strand in strands for place in strand.values})
    if axis.kind == "category":
        places = [float(at) for at in range(len(axis.categories))]
    strands += [
        _KeyedSeries(
            name=rule.label or number(rule.value),
            values=dict.fromkeys(places, rule.value),
            style="line",
            colour=colour(rule.role, 0),
            side=rule.side,
            is_dashed=rule.stroke == "dashed",
        )
        for rule in figure.marks
        if isinstance(rule, Rule) and rule.direction == "horizontal" and not lying
    ]
    key = _axis_keys(axis, places)
    columns = [
        _number_cells([strand.values.get(place, math.nan) for place in places])
        for strand in strands
    ]
    names = [
        axis.label or _("Category"),
        *(strand.name or other.label or figure.title for strand in strands),
    ]
    rows = tuple(zip(map(key, places), *columns, strict=True))
    series = tuple(
        ExcelSeries(
            column,
            strand.style,
            strand.colour,
            is_on_right=strand.side == "right",
            is_dashed=strand.is_dashed,
            is_dotted_at_points=strand.is_dotted_at_points,
        )
        for column, strand in enumerate(strands, start=1)
    )
    return NativeChart(_form(strands, axis, is_lying=lying), _table(names, rows), series)


def _form(strands: Sequence[_KeyedSeries], axis: Axis, *, is_lying: bool) -> Form:
    styles = {strand.style for strand in strands}
    if is_lying:
        return "bar"
    if "bars" in styles:
        return "column"
    if "area" in styles:
        return "area"
    return "scatter" if axis.kind == "number" else "line"


def _keyed_series(figure: Figure, axis: Axis) -> Iterable[_KeyedSeries]:
    bars = [mark for mark in figure.marks if isinstance(mark, Bars)]
    is_area = any(isinstance(mark, Band) for mark in figure.marks)
    for mark in figure.marks:
        match mark:
            case Bars(at=at, end=end, start=start):
                shift = (bars.index(mark) - (len(bars) - 1) / 2) * mark.width
                places = [each - shift for each in at]
                amounts = [stop - begin for begin, stop in zip(start, end, strict=True)]
                yield _keyed(mark, axis, places, amounts, "bars")
            case Band(x=x, lower=lower, upper=upper):
                amounts = [over - under for under, over in zip(lower, upper, strict=True)]
                yield _keyed(mark, axis, x, amounts, "area")
            case Line(x=x, y=y) if not is_area:
                yield _keyed(mark, axis, x, y, "line")
            case Points(x=x, y=y):
                yield _keyed(mark, axis, x, y, "points")
            case _:
                pass


def _keyed(
    mark: Bars | Band | Line | Points,
    axis: Axis,
    places: Iterable[float],
    amounts: Iterable[float],
    style: SeriesStyle,
) -> _KeyedSeries:
    # Bars were shifted to stand side by side; rounding removes the float error of undoing that.
    digits = 0 if axis.kind == "category" else 6 if isinstance(mark, Bars) else 15
    values = {
        round(place, digits): amount
        for place, amount in zip(places, amounts, strict=True)
        if not math.isnan(place)
    }
    return _KeyedSeries(
        name=mark.name,
        values=values,
        style=style,
        colour=colour(mark.role, mark.series),
        side=mark.side if isinstance(mark, (Line, Points)) else "left",
        is_dashed=isinstance(mark, Line) and mark.stroke == "dashed",
        is_dotted_at_points=isinstance(mark, Line) and mark.is_dotted_at_points,
    )


def _axis_keys(axis: Axis, places: Iterable[float]) -> Callable[[float], Cell]:
    """Return a function from a position on the axis to its category, date or number."""
    match axis.kind:
        case "category":
            return lambda place: axis.categories[round(place)]
        case "number" | "probability":
            return lambda place: int(place) if place.is_integer() else place
        case "time":
            timestamps = [EPOCH + timedelta(seconds=place) for place in places]
            if all(timestamp.time() == EPOCH.time() for timestamp in timestamps):
                return lambda place: (EPOCH + timedelta(seconds=place)).date()
            return lambda place: EPOCH + timedelta(seconds=place)


def _number_cells(values: Iterable[float]) -> list[Cell]:
    """Return values as cells: integers if all are whole, None for NaN."""
    known = list(values)
    if all(math.isnan(each) or (each.is_integer() and abs(each) < 2**53) for each in known):
        return [None if math.isnan(each) else int(each) for each in known]
    return [None if math.isnan(each) else each for each in known]


def _table(names: Iterable[str], rows: tuple[tuple[Cell, ...], ...]) -> Table:
    """Build a table with unique column names and inferred types."""
    taken: list[str] = []
    for name in names:
        bare = name or "-"
        count = 1
        while (unique := bare if count == 1 else f"{bare} ({count})") in taken:
            count += 1
        taken.append(unique)
    columns = tuple(
        Column(name, _column_type([row[at] for row in rows])) for at, name in enumerate(taken)
    )
    return Table(columns, rows)


def _column_type(cells: Iterable[Cell]) -> ColumnType:
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


def is_same_data(found: NativeChart, data: Table) -> bool:
    """Return whether the data of a figure equal the table of its chart."""
    if len(data.columns) != len(found.table.columns) or len(data.rows) != len(found.table.rows):
        return False
    return all(
        _is_same_cell(one, other)
        for ours, theirs in zip(found.table.rows, data.rows, strict=True)
        for one, other in zip(ours, theirs, strict=True)
    )


def _is_same_cell(one: Cell, other: Cell) -> bool:
    match one, other:
        case str(), None:
            return False
        case str(), _:
            return one == cell_text(other)
        case (int() | float(), int() | float()):
            # Stacked areas were summed and subtracted again.
            return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


WIDTH_PX, HEIGHT_PX = 760, 420
MOST_VALUES_WRITTEN = 12
MOST_VALUES_CACHED = 10_000  # of a series: more take many times as long to write as their cells
GROUP_GAP = 60  # between columns, in percent of their width
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
    "border": {"color": INK},
    "fill": {"color": INK},
}
BOX_ENDS = {1, 5}  # columns of the quartiles


@dataclass(frozen=True, slots=True)
class TableRange:
    """Position of a table on its sheet: the row of its header, from 0, and its size."""

    sheet: str
    header: int
    columns: int
    rows: int

    def cells(self, column: int, rows: tuple[int, int] | None = None) -> list[object]:
        """Return a column's cells, or those of some rows, as an xlsxwriter range."""
        first, last = rows or (0, self.rows - 1)
        top = self.header + 1
        return [self.sheet, top + first, column, top + last, column]

    def name(self, column: int) -> list[object]:
        """Return the header cell of a column as an xlsxwriter range."""
        return [self.sheet, self.header, column]


def insert_chart(
    book: Any, sheet: Any, figure: Figure, native: NativeChart, table: Table, place: TableRange
) -> None:
    """Insert the chart of a table beside it."""
    within = [each for each in native.series if not _is_overlaid(native, each)]
    chart = _chart(book, native, table, place, within)
    apart = [each for each in native.series if _is_overlaid(native, each)]
    if apart:
        lines = _chart(book, NativeChart("line", native.table, ()), table, place, apart)
        if figure.right is not None:
            lines.set_y2_axis(_axis_options(figure.right, gridlines=False))
        chart.combine(lines)
    if native.form == "box":
        box = {"fill": {"color": SERIES[0], "transparency": 45}}
        chart.set_up_down_bars({"up": box, "down": box, "gap": BOX_GAP})
        chart.set_high_low_lines({"line": {"color": SERIES[0], "width": 1.25}})
    _format_chart(chart, figure, native, table)
    sheet.insert_chart(place.header, place.columns + 1, chart, {"object_position": 2})


def colour_cells(sheet: Any, place: TableRange) -> None:
    """Colour the cells of a table by a scale from white to blue."""
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


def _is_overlaid(native: NativeChart, series: ExcelSeries) -> bool:
    """Return whether a series needs another type of chart, combined with the first."""
    return native.form in ("column", "histogram", "area") and series.style in ("line", "points")


def _chart(
    book: Any, native: NativeChart, table: Table, place: TableRange, series: Sequence[ExcelSeries]
) -> Any:
    kind = dict(KINDS[native.form])
    if native.form == "scatter" and any(each.style == "line" for each in series):
        kind["subtype"] = "straight_with_markers"
    chart = book.add_chart(kind)
    for each in series:
        chart.add_series(_series(native, each, table, place, count=len(series)))
    return chart


def _series(
    native: NativeChart, series: ExcelSeries, table: Table, place: TableRange, *, count: int
) -> dict[str, object]:
    options: dict[str, object] = {
        "name": place.name(series.column),
        "name_data": [table.names[series.column]],
        "categories": place.cells(native.categories, series.rows),
        "categories_data": _cached_values(table, native.categories, series.rows),
        "values": place.cells(series.column, series.rows),
        "values_data": _cached_values(table, series.column, series.rows),
    }
    if series.is_on_right:
        options["y2_axis"] = True
    if series.rows is not None and count > 1:
        # The name of a series stands in the row of its first point.
        first = series.rows[0]
        options["name"] = [place.sheet, place.header + 1 + first, series.column + 1]
        options["name_data"] = [table.rows[first][series.column + 1]]
    is_written = place.rows * count <= MOST_VALUES_WRITTEN
    match native.form, series.style:
        case "pie", _:
            options["points"] = [
                {"fill": {"color": SERIES[at % len(SERIES)]}} for at in range(place.rows)
            ]
            options["data_labels"] = {"percentage": True, "leader_lines": True}
        case "box", _:
            options["line"] = {"none": True}
            options["marker"] = NO_MARKER if series.column in BOX_ENDS else BOX_STROKE
        case _, "bars":
            options["fill"] = {"color": series.colour}
            options["gap"] = 4 if native.form == "histogram" else GROUP_GAP
            if is_written:
                options["data_labels"] = {"value": True}
        case _, "area":
            options["fill"] = {"color": series.colour, "transparency": 40}
            options["line"] = {"color": series.colour}
        case _, "points":
            options["line"] = {"none": True}
            options["marker"] = _marker(series, size=5)
        case _:
            options["line"] = _line(series)
            options["marker"] = _marker(series, size=5) if series.is_dotted_at_points else NO_MARKER
    return options


def _cached_values(table: Table, column: int, rows: tuple[int, int] | None) -> list[object]:
    """Return the values cached in a chart, for viewers that do not read the cells.

    Of many numbers nothing is cached: Excel reads them from the cells.
    """
    first, last = rows or (0, len(table.rows) - 1)
    is_long = last - first >= MOST_VALUES_CACHED
    if is_long and not isinstance(table.rows[first][column], str):
        return []
    cells = [row[column] for row in table.rows[first : last + 1]]
    return [
        excel_serial(cell)
        if isinstance(cell, (date, time))
        else bare_cell_text(cell)
        if isinstance(cell, bool)
        else cell
        for cell in cells
    ]


def _line(series: ExcelSeries) -> dict[str, object]:
    dash = {"dash_type": "dash"} if series.is_dashed else {}
    return {"color": series.colour, "width": 1.5 if series.is_dashed else 2, **dash}


def _marker(series: ExcelSeries, *, size: int) -> dict[str, object]:
    dot = {"color": series.colour}
    return {"type": "circle", "size": size, "fill": dot, "border": dot}


def _format_chart(chart: Any, figure: Figure, native: NativeChart, table: Table) -> None:
    chart.set_title(
        {"name": _escape_reference(figure.title), "name_font": _font(13), "overlay": False}
    )
    chart.set_size({"width": WIDTH_PX, "height": HEIGHT_PX})
    chart.set_chartarea({"border": {"color": LINE}})
    chart.show_blanks_as("gap")
    is_alone = len(native.series) == 1 and native.form != "pie"
    chart.set_legend({"none": True} if is_alone or native.form == "box" else {"position": "bottom"})
    if native.form == "pie":
        return
    is_lying = native.form == "bar"
    keys, amounts = (figure.y, figure.x) if is_lying else (figure.x, figure.y)
    along = _axis_options(keys, gridlines=native.form == "scatter")
    match table.columns[native.categories].type:
        case "date" if native.form != "scatter":
            along |= {"date_axis": True, "num_format": "dd/mm/yyyy"}
        case "date":
            along["num_format"] = "dd/mm/yyyy"
        case "datetime":
            along["num_format"] = "dd/mm/yyyy hh:mm"
    up = _axis_options(amounts, gridlines=True)
    if is_lying:
        # The first category on top, as on the screen; Excel then moves the value axis up as well.
        chart.set_y_axis(along | {"reverse": True, "major_gridlines": {"visible": False}})
        chart.set_x_axis(up | {"label_position": "high"})
        return
    chart.set_x_axis(along)
    chart.set_y_axis(up)


def _axis_options(axis: Axis, *, gridlines: bool) -> dict[str, object]:
    options: dict[str, object] = {
        "name_font": _font(10),
        "num_font": _font(9),
        "line": {"color": LINE},
        "major_gridlines": {
            "visible": gridlines,
            "line": {"color": LINE, "width": 0.75},
        },
    }
    if axis.label:  # Excel has no scale of normal probabilities
        label = _("Normal score") if axis.kind == "probability" else axis.label
        options["name"] = _escape_reference(label)
    if axis.kind == "number":
        options |= {
            name: value
            for name, value in (("min", axis.lower), ("max", axis.upper))
            if value is not None
        }
        if axis.unit:
            unit = axis.unit.replace('"', "")
            options["num_format"] = f'0"{unit}"'
    return options


def _font(size: int) -> dict[str, object]:
    return {"size": size, "bold": False, "color": INK}


def _escape_reference(words: str) -> str:
    """Return words that Excel does not take for a reference to cells."""
    return f" {words}" if words.startswith("=") else words
