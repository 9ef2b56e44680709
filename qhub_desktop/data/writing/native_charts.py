"""Charts that Excel draws itself, from the cells of the sheet that they stand on.

What Excel has no chart for of its own, or not in every version, is drawn with what it has: a
histogram is columns without gaps, a box plot lines without strokes between which Excel draws boxes
(its outliers stand in the data only), and a heat map is the cells themselves, coloured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from qhub_desktop.core.figure import Axis, Figure
from qhub_desktop.core.table import Table
from qhub_desktop.data.writing import look
from qhub_desktop.data.writing.drawn import Drawn, Form, Series
from qhub_desktop.data.writing.serials import serial
from qhub_desktop.data.writing.text_cells import bare_cell

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
    "border": {"color": look.TEXT},
    "fill": {"color": look.TEXT},
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
        box = {"fill": {"color": look.SERIES[0], "transparency": 45}}
        chart.set_up_down_bars({"up": box, "down": box, "gap": BOX_GAP})
        chart.set_high_low_lines({"line": {"color": look.SERIES[0], "width": 1.25}})
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
            {"type": "2_color_scale", "min_color": look.PAPER, "max_color": look.SERIES[0]},
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
                {"fill": {"color": look.SERIES[at % len(look.SERIES)]}} for at in range(place.rows)
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
    chart.set_chartarea({"border": {"color": look.LINE}})
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
        "line": {"color": look.LINE},
        "major_gridlines": {"visible": gridlines, "line": {"color": look.LINE, "width": 0.75}},
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
    return {"size": size, "bold": False, "color": look.TEXT}


def _plain(words: str) -> str:
    """Words that are never taken for a reference to cells."""
    return f" {words}" if words.startswith("=") else words
