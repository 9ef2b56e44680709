"""Every chart, tables and single numbers, on the cards on which they stand."""

import csv
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from qhub_desktop.charts.catalogue import RECIPES, draw
from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, TableView, Widget
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.ui.charts.card import WidgetCard, chart_window
from qhub_desktop.ui.charts.chart_body import ChartBody
from qhub_desktop.ui.charts.plot_view import PlotView
from qhub_desktop.ui.theme import GRID_PX

WIDTH_PX = 760
SQL = "SELECT turno, tipo_defeito, count(*) AS total\nFROM defeitos\nGROUP BY ALL ORDER BY 3 DESC"
SOURCE = Provenance("defeitos", "defeitos.xlsx", "Folha1", 59, 200, SQL)


def defects() -> Table:
    """The demo records."""
    with (DEMO_DATA / "defeitos.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            (
                int(row["id"]),
                date.fromisoformat(row["data"]),
                row["turno"],
                row["operador"],
                row["tipo_defeito"],
                row["material"],
                row["rack"],
                int(row["posicao"]),
            )
            for row in csv.DictReader(file)
        ]
    columns = (
        Column("id", "integer"),
        Column("data", "date"),
        *(
            Column(each, "category")
            for each in ("turno", "operador", "tipo_defeito", "material", "rack")
        ),
        Column("posicao", "integer"),
    )
    return Table(columns, tuple(rows))


def readings(count: int = 400) -> Table:
    """Thicknesses by line, and the temperature at which they were measured; some are missing."""
    chance = random.Random(7)
    start = datetime(2026, 2, 3, 6)
    rows: list[tuple[Cell, ...]] = []
    for at in range(count):
        line = chance.choice(("Linha 1", "Linha 2", "Linha 3"))
        heat = chance.gauss(22, 2)
        thickness = (
            84
            + 0.9 * (heat - 22)
            + chance.gauss({"Linha 1": 0, "Linha 2": 2, "Linha 3": -1}[line], 1.6)
        )
        is_missing = chance.random() < 0.02
        rows.append(
            (
                start + timedelta(minutes=3 * at),
                line,
                None if is_missing else round(thickness, 2),
                round(heat, 1),
            )
        )
    columns = (
        Column("hora", "datetime"),
        Column("linha", "category"),
        Column("espessura_um", "number"),
        Column("temperatura", "number"),
    )
    return Table(columns, tuple(rows))


def _many_causes() -> Table:
    chance = random.Random(3)
    rows = tuple(
        (
            f"Causa {at:02} · {chance.choice(('cabine', 'estufa', 'pistola de pintura'))}",
            int(400 / at),
        )
        for at in range(1, 48)
    )
    return Table((Column("causa", "text"), Column("total", "integer")), rows)


def _summary(*, rows: int = 60) -> Table:
    chance = random.Random(5)
    columns = (
        Column("data", "date"),
        Column("turno", "category"),
        Column("defeitos", "integer"),
        Column("taxa", "number"),
        Column("custo_eur", "number"),
        Column("observações", "text"),
    )
    notes = (None, "filtro da cabine trocado", "paragem de 20 min na estufa", None)
    return Table(
        columns,
        tuple(
            (
                date(2026, 2, 1) + timedelta(days=at // 3),
                ("manha", "tarde", "noite")[at % 3],
                chance.randint(0, 14),
                round(chance.random() * 8, 2),
                None if at % 7 == 3 else round(chance.random() * 4000, 2),
                notes[at % 4],
            )
            for at in range(rows)
        ),
    )


def _charts() -> dict[str, Chart]:
    table = defects()
    measured = readings()
    figures = {
        "bar": draw("bar", "Defeitos por tipo e turno", table, x="tipo_defeito", by="turno"),
        "barh": draw("barh", "Top defeitos", table, x="tipo_defeito"),
        "line": draw("line", "Defeitos por dia", table, by="turno"),
        "area": draw("area", "Defeitos por dia e turno", table, by="turno"),
        "pie": draw("pie", "Defeitos por tipo", table, x="tipo_defeito"),
        "scatter": draw(
            "scatter",
            "Espessura e temperatura",
            measured,
            x="temperatura",
            y=["espessura_um"],
            by="linha",
        ),
        "histogram": draw("histogram", "Espessura da tinta", measured, y=["espessura_um"]),
        "box": draw("box", "Espessura por linha", measured, y=["espessura_um"]),
        "pareto": draw("pareto", "Pareto dos defeitos", table, x="tipo_defeito"),
        "heatmap": draw("heatmap", "Rack e posição", table, x="rack", by="posicao"),
        "shifts": draw("bar", "Defeitos por turno", table, x="turno"),
        "days": draw("bar", "Defeitos por dia", table, x="data"),
        "long-line": draw(
            "line", "Espessura ao longo do dia", readings(20_000), x="hora", y=["espessura_um"]
        ),
        "many-pareto": draw("pareto", "Causas de retrabalho", _many_causes()),
        "many-barh": draw("barh", "Causas de retrabalho", _many_causes()),
        "wide-heatmap": draw("heatmap", "Dia e posição", table, x="data", by="posicao"),
    }
    return {
        name: Chart(name if name in RECIPES else "bar", figure, table, SOURCE)
        for name, figure in figures.items()
    }


def _card(widget: Widget, *, is_unfolded: bool = False) -> WidgetCard:
    card = WidgetCard(widget)
    if isinstance(card.body, ChartBody):
        card.body.plot()
    if is_unfolded:
        card.expand_source()
    return card


def _page(cards: list[QWidget]) -> QWidget:
    page = QWidget()
    page.setAutoFillBackground(True)
    column = QVBoxLayout(page)
    column.setContentsMargins(2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX, 2 * GRID_PX)
    column.setSpacing(GRID_PX + 4)
    for card in cards:
        column.addWidget(card)
    column.addStretch(1)
    page.resize(WIDTH_PX + 4 * GRID_PX, page.sizeHint().height())
    return page


def _chart_page(*, names: tuple[str, ...]) -> QWidget:
    charts = _charts()
    return _page([_card(charts[name]) for name in names])


def tables() -> QWidget:
    """A short table, and a long one of which only the first rows are there."""
    short = TableView("Defeitos por dia", _summary(rows=6), 6, SOURCE)
    long = TableView("Todos os turnos", _summary(rows=50), 1234, SOURCE)
    return _page([_card(short, is_unfolded=True), _card(long)])


def indicators() -> QWidget:
    """Single numbers in a row."""
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(GRID_PX + 4)
    for kpi in (
        Kpi("Defeitos no turno", 59, change=0.12, target=50, standing="bad", source=SOURCE),
        Kpi(
            "Taxa de retrabalho", 4.7, "%", change=-0.031, target=5, standing="good", source=SOURCE
        ),
        Kpi("Defeito principal", "casca_laranja", standing="warn", source=SOURCE),
        Kpi("Peças boas à primeira", 12345, "un", source=SOURCE),
    ):
        layout.addWidget(_card(kpi))
    return _page([row])


def enlarged() -> QWidget:
    """A chart in a window of its own."""
    return chart_window(None, _charts()["scatter"].figure)


def narrow() -> QWidget:
    """A chart alone, with half the room."""
    view = PlotView(_charts()["bar"].figure)
    view.resize(QSize(420, 300))
    return view


SCENES: dict[str, Callable[[], QWidget]] = {
    "bars": partial(_chart_page, names=("bar", "barh", "shifts")),
    "time": partial(_chart_page, names=("line", "area", "days", "long-line")),
    "shares": partial(_chart_page, names=("pareto", "pie")),
    "spread": partial(_chart_page, names=("histogram", "box", "scatter")),
    "grids": partial(_chart_page, names=("heatmap", "wide-heatmap")),
    "many": partial(_chart_page, names=("many-pareto", "many-barh")),
    "tables": tables,
    "indicators": indicators,
    "enlarged": enlarged,
    "narrow": narrow,
}
