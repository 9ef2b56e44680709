"""Charts in workbooks: drawn by Excel, from the cells that they stand beside."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import AreaChart, BarChart, LineChart, PieChart, ScatterChart
from openpyxl.worksheet.worksheet import Worksheet

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.figure import Figure, Line
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, TableView
from qhub_desktop.core.table import Column, Table
from qhub_desktop.data.export import native_charts
from qhub_desktop.data.export.output import OutputSheet, sheet_of
from qhub_desktop.ui.theme import LIGHT
from tests.data.export.conftest import Written

DEFECTS = Table(
    (Column("tipo", "category"), Column("total", "integer")),
    (("lixo", 62), ("falta_tinta", 31), ("=1+1", 4)),
)
DAYS = Table(
    (Column("dia", "date"), Column("n", "integer"), Column("taxa", "number")),
    tuple(
        (date(2026, 2, 1) + timedelta(at), at % 4, None if at == 2 else at / 7) for at in range(9)
    ),
)


def sheet(kind: str, table: Table, **parts: Any) -> OutputSheet:
    figure = draw(kind, f"A {kind}", table, **parts)
    return sheet_of(Chart(kind, figure, table), name="Dados")


def charts_on(page: Worksheet) -> list[Any]:
    return list(vars(page)["_charts"])


def values(page: Worksheet, reference: Any) -> list[object]:
    """What stands in the cells that a chart's reference names."""
    name, cells = reference.f.rsplit("!", 1)
    assert name.strip("'") == page.title
    found = page[cells.replace("$", "")]
    return [row[0].value for row in found] if isinstance(found, tuple) else [found.value]


@pytest.mark.parametrize(
    ("kind", "drawn"),
    [("bar", BarChart), ("barh", BarChart), ("pie", PieChart), ("line", LineChart)],
)
def test_a_chart_refers_to_the_cells_of_its_data(
    written: Written, kind: str, drawn: type[object]
) -> None:
    book = written(sheet(kind, DEFECTS))

    (chart,) = charts_on(book["Dados"])
    (series,) = chart.series
    categories = series.cat.strRef or series.cat.numRef
    assert book.sheetnames == ["Dados"]
    assert isinstance(chart, drawn)
    assert values(book["Dados"], categories) == ["lixo", "falta_tinta", "=1+1"]
    assert values(book["Dados"], series.val.numRef) == [62, 31, 4]
    assert values(book["Dados"], series.tx.strRef) == ["total"]


def test_bars_are_in_our_colours(written: Written) -> None:
    (chart,) = charts_on(written(sheet("bar", DEFECTS))["Dados"])

    assert chart.series[0].spPr.solidFill.srgbClr == LIGHT.series[0].lstrip("#")


def test_the_colours_of_paper_are_those_of_the_light_screen() -> None:
    assert LIGHT.series == native_charts.SERIES
    assert (LIGHT.accent, LIGHT.text, LIGHT.quiet) == (
        native_charts.ACCENT,
        native_charts.INK,
        native_charts.QUIET,
    )
    assert (LIGHT.good, LIGHT.bad, LIGHT.line) == (
        native_charts.GOOD,
        native_charts.BAD,
        native_charts.LINE,
    )


def test_lying_bars_have_the_first_category_on_top(written: Written) -> None:
    (chart,) = charts_on(written(sheet("barh", DEFECTS))["Dados"])

    assert chart.type == "bar"
    assert chart.x_axis.scaling.orientation == "maxMin"


def test_lines_over_days_have_an_axis_of_days_and_gaps(written: Written) -> None:
    book = written(sheet("line", DAYS, y=["n", "taxa"]))

    (chart,) = charts_on(book["Dados"])
    assert len(chart.series) == 2
    assert chart.x_axis.number_format.formatCode == "dd/mm/yyyy"
    assert values(book["Dados"], chart.series[1].val.numRef)[2] is None
    assert chart.display_blanks == "gap"


def test_areas_stand_on_each_other_with_their_own_values(written: Written) -> None:
    whole = Table(DAYS.columns, tuple(row for row in DAYS.rows if row[2] is not None))

    book = written(sheet("area", whole, y=["n", "taxa"]))

    (chart,) = charts_on(book["Dados"])
    assert isinstance(chart, AreaChart)
    assert chart.grouping == "stacked"
    found = values(book["Dados"], chart.series[1].val.numRef)
    assert found == pytest.approx([row[2] for row in whole.rows])


def test_a_line_over_numbers_keeps_their_distances(written: Written) -> None:
    table = Table(
        (Column("x", "number"), Column("y", "number")), ((0.5, 1.5), (1.0, 2.5), (10.0, 0.5))
    )

    book = written(sheet("line", table, x="x", y=["y"]))

    (chart,) = charts_on(book["Dados"])
    assert isinstance(chart, ScatterChart)
    assert values(book["Dados"], chart.series[0].xVal.numRef) == [0.5, 1, 10]


def _drawn(count: int) -> OutputSheet:
    line = Line(tuple(map(float, range(count))), tuple(at % 7 / 3 for at in range(count)))
    figure = Figure("Carta", (line,))
    drawn = native_charts.native_chart(figure)
    assert drawn is not None
    return OutputSheet("Dados", drawn.table, figure=figure)


def test_a_chart_of_very_many_points_repeats_none_of_its_cells(written: Written) -> None:
    many, few = (written(_drawn(count))["Dados"] for count in (10_001, 10_000))

    (series,), (small,) = (charts_on(page)[0].series for page in (many, few))
    assert len(values(many, series.yVal.numRef)) == 10_001
    assert series.yVal.numRef.numCache.pt == []
    assert len(small.yVal.numRef.numCache.pt) == 10_000


def test_a_cloud_has_a_series_a_part(written: Written) -> None:
    draws = random.Random(1)
    rows = tuple((draws.random(), draws.random(), draws.choice("pq")) for _each in range(30))
    table = Table((Column("a", "number"), Column("b", "number"), Column("g", "category")), rows)

    book = written(sheet("scatter", table, by="g"))

    (chart,) = charts_on(book["Dados"])
    assert [values(book["Dados"], each.tx.strRef) for each in chart.series] == [["p"], ["q"]]
    found = sorted(
        zip(
            values(book["Dados"], chart.series[0].xVal.numRef),
            values(book["Dados"], chart.series[0].yVal.numRef),
            strict=True,
        )
    )
    assert found == sorted((a, b) for a, b, part in rows if part == "p")


def test_a_histogram_has_its_classes_and_the_data_on_a_second_sheet(written: Written) -> None:
    table = Table((Column("mm", "number"),), tuple((1.5 + at % 7 / 10,) for at in range(70)))

    book = written(sheet("histogram", table))

    (chart,) = charts_on(book["Dados"])
    assert sum(int(str(each)) for each in values(book["Dados"], chart.series[0].val.numRef)) == 70
    assert chart.gapWidth < 10
    assert [cell.value for cell in book["Dados data"]["A"]][1:] == [row[0] for row in table.rows]


def test_a_pareto_has_its_running_total_on_a_second_axis_to_100(written: Written) -> None:
    book = written(sheet("pareto", DEFECTS))

    (chart,) = charts_on(book["Dados"])
    (line,) = vars(chart)["_charts"][1:]
    running = values(book["Dados"], line.series[0].val.numRef)
    assert running == pytest.approx([100 * 62 / 97, 100 * 93 / 97, 100])
    assert values(book["Dados"], line.series[1].val.numRef) == [80, 80, 80]
    assert (line.y_axis.scaling.min, line.y_axis.scaling.max) == (0, 100)
    assert line.y_axis.axId != chart.y_axis.axId


def test_a_box_plot_is_boxes_between_quartiles_and_whiskers(written: Written) -> None:
    rows = tuple((name, float(at)) for name in ("a", "b") for at in (*range(1, 10), 40))
    table = Table((Column("g", "category"), Column("mm", "number")), rows)

    book = written(sheet("box", table))

    (chart,) = charts_on(book["Dados"])
    page = book["Dados"]
    assert chart.upDownBars is not None
    assert chart.hiLowLines is not None
    assert [values(page, each.val.numRef)[0] for each in chart.series] == [3.25, 1, 5.5, 9, 7.75]
    assert page["G5"].value in (1, "Outliers")


def test_a_heat_map_is_the_cells_themselves_coloured(written: Written) -> None:
    rows = tuple((shift, kind, at) for at, shift in enumerate("mn") for kind in ("lixo", "gordura"))
    table = Table((Column("t", "category"), Column("k", "category"), Column("n", "integer")), rows)

    page = written(sheet("heatmap", table))["Dados"]

    assert not charts_on(page)
    (rule,) = [rule for area in page.conditional_formatting for rule in area.rules]
    assert rule.type == "colorScale"
    assert page.auto_filter.ref == "A4:C6"


def test_titles_are_never_taken_for_references(tmp_path: Path, written: Written) -> None:
    figure = draw("bar", "=A1+1", DEFECTS)

    (chart,) = charts_on(written(sheet_of(Chart("bar", figure, DEFECTS), name="Dados"))["Dados"])

    assert chart.title.tx.strRef is None
    assert chart.title.tx.rich.p[0].r[0].t.strip() == "=A1+1"


def test_a_widget_brings_its_source_and_says_when_it_is_not_all(written: Written) -> None:
    source = Provenance("defeitos", "defeitos.xlsx", "Folha1", 59, 200, "SELECT *\n FROM defeitos")

    table, kpi = (
        written(sheet_of(widget, name="Dados"))["Dados"]
        for widget in (
            TableView("Defects", DEFECTS, 1234, source),
            Kpi("Rework", 4.7, "%", target=3, source=source),
        )
    )

    assert [table[f"A{row}"].value for row in (1, 2, 3, 4)] == [
        "Defects",
        "first 3 of 1,234 rows",
        "Source: defeitos · defeitos.xlsx · Folha1 · 59 of 200 rows",
        "SQL: SELECT * FROM defeitos",
    ]
    assert [cell.value for cell in kpi[6]] == ["Rework", 4.7, "%", None, 3]


def test_every_part_of_the_file_is_well_formed(tmp_path: Path, written: Written) -> None:
    hard = Table((Column("<a & b>", "text"), Column("n", "integer")), (("<&>\"'", 1),))

    book = written(sheet("bar", hard), sheet("pareto", DEFECTS), sheet("pie", DEFECTS))

    assert book["Dados"]["A3"].value == "<a & b>"
    assert openpyxl.load_workbook(tmp_path / "written.xlsx").sheetnames == book.sheetnames
