"""Widgets as an answer brings them, in English, on a dressed application."""

from datetime import date

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.result_widgets import Chart, Kpi, Provenance, TableView
from qhub_desktop.core.table import Column, Table

SQL = "SELECT tipo, count(*) AS total FROM defeitos GROUP BY tipo"


@pytest.fixture(autouse=True)
def empty_clipboard(qapp: QApplication) -> None:
    """Nothing of another test."""
    QGuiApplication.clipboard().clear()


@pytest.fixture
def source() -> Provenance:
    """Where everything here came from."""
    return Provenance("defeitos", "defeitos.xlsx", "Folha1", 59, 200, SQL)


@pytest.fixture
def data() -> Table:
    """Four rows with a number of each kind, a gap and a formula in disguise."""
    return Table(
        (
            Column("dia", "date"),
            Column("tipo", "category"),
            Column("total", "integer"),
            Column("taxa", "number"),
        ),
        (
            (date(2026, 2, 3), "lixo", 9, 1234.5),
            (date(2026, 1, 20), "=2+3", 10, None),
            (date(2026, 2, 1), "gordura; fina", 100, 2.25),
            (None, "escorrido", 2, -0.5),
        ),
    )


@pytest.fixture
def chart(data: Table, source: Provenance) -> Chart:
    """Bars of the totals."""
    figure = draw("bar", "Top defects: night?", data, x="tipo", y=["total"])
    return Chart("bar", figure, data, source)


@pytest.fixture
def table_view(data: Table, source: Provenance) -> TableView:
    """The rows, of which there are more."""
    return TableView("Defects", data, 1234, source)


@pytest.fixture
def kpi(source: Provenance) -> Kpi:
    """One number, in trouble."""
    return Kpi("Rework", 4.7, "%", change=0.05, target=3, standing="bad", source=source)
