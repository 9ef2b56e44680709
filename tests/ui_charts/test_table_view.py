"""Tables on the screen."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from qhub_desktop.core import text
from qhub_desktop.core.table import Column, Table
from qhub_desktop.ui.charts.table_view import TableWidget

SPACE = "\N{NO-BREAK SPACE}"


def shown(qtbot: QtBot, table: Table, *, row_count: int | None = None) -> TableWidget:
    widget = TableWidget(table, row_count=row_count)
    qtbot.addWidget(widget)
    widget.resize(600, 400)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def column(widget: TableWidget, at: int) -> list[str]:
    model = widget.view.model()
    return [str(model.index(row, at).data()) for row in range(model.rowCount())]


def labels(widget: TableWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def many(rows: int) -> Table:
    return Table(
        (Column("n", "integer"), Column("name", "text")),
        tuple((at, f"row {at}") for at in range(rows)),
    )


def test_cells_are_written_as_the_person_reads_them(qtbot: QtBot, data: Table) -> None:
    text.use("pt")
    widget = shown(qtbot, data)

    assert column(widget, 0) == ["03/02/2026", "20/01/2026", "01/02/2026", "–"]
    assert column(widget, 3) == [f"1{SPACE}234,50", "–", "2,25", "-0,50"]
    right = widget.view.model().index(0, 3).data(Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight


def test_numbers_and_dates_are_sorted_by_what_they_are(qtbot: QtBot, data: Table) -> None:
    widget = shown(qtbot, data)

    widget.view.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    by_number = column(widget, 2)
    widget.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    by_day = column(widget, 0)

    assert by_number == ["2", "9", "10", "100"]
    assert by_day == ["20/01/2026", "01/02/2026", "03/02/2026", "–"]


@pytest.mark.parametrize("order", [Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder])
def test_missing_values_stay_at_the_end(qtbot: QtBot, data: Table, order: Qt.SortOrder) -> None:
    widget = shown(qtbot, data)

    widget.view.sortByColumn(3, order)

    assert column(widget, 3)[-1] == "–"


def test_a_click_on_a_header_sorts_and_a_third_one_restores_the_order(
    qtbot: QtBot, data: Table
) -> None:
    widget = shown(qtbot, data)
    header = widget.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(2) + 20, header.height() // 2)

    orders = []
    for _click in range(3):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        orders.append(column(widget, 2))

    assert orders == [["2", "9", "10", "100"], ["100", "10", "9", "2"], ["9", "10", "100", "2"]]


def test_only_rows_with_every_word_are_shown(qtbot: QtBot) -> None:
    widget = shown(qtbot, many(40))

    widget.search.setText("ROW 3")
    some = column(widget, 1)
    widget.search.setText("row 33")
    one = column(widget, 1)
    widget.search.clear()

    assert some == [f"row {at}" for at in (3, 13, 23, *range(30, 40))]
    assert one == ["row 33"]
    assert len(column(widget, 1)) == 40


def test_a_short_table_hides_its_search_until_it_is_called(qtbot: QtBot) -> None:
    widget = shown(qtbot, many(5))
    assert not widget.search.isVisible()

    widget.activateWindow()
    widget.view.setFocus()
    QTest.keyClick(widget.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)

    long = shown(qtbot, many(13))
    assert widget.search.isVisible()
    assert long.search.isVisible()


def test_it_says_when_there_are_more_rows_than_these(qtbot: QtBot) -> None:
    widget = shown(qtbot, many(50), row_count=1234)
    complete = shown(qtbot, many(50))

    assert labels(widget) == ["first 50 of 1,234 rows"]
    assert labels(complete) == []


def test_copying_takes_the_selection_with_its_headers(qtbot: QtBot, data: Table) -> None:
    text.use("pt")
    widget = shown(qtbot, data)
    widget.view.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    model = widget.view.model()
    chosen = widget.view.selectionModel()
    for row, at in ((0, 1), (0, 3), (2, 1), (2, 3)):
        chosen.select(model.index(row, at), chosen.SelectionFlag.Select)

    widget.activateWindow()
    widget.view.setFocus()
    QTest.keyClick(widget.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    kept = QGuiApplication.clipboard().mimeData()
    assert kept.text() == "tipo\ttaxa\nescorrido\t-0,5\n'=2+3\t"
    assert ">taxa</th>" in kept.html()


def test_copying_without_a_selection_takes_all_in_sight(qtbot: QtBot) -> None:
    widget = shown(qtbot, many(40))
    widget.search.setText("row 39")

    widget.copy()

    assert QGuiApplication.clipboard().text() == "n\tname\n39\trow 39"


def test_headers_say_what_a_column_holds(qtbot: QtBot, data: Table) -> None:
    widget = shown(qtbot, data)

    tip = widget.view.model().headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)

    assert tip == "total · whole number"


@pytest.mark.parametrize(("rows", "fits"), [(5, True), (12, True), (30, False)])
def test_fitted_rows_are_seen_without_a_scroll_bar(qtbot: QtBot, rows: int, fits: bool) -> None:
    widget = shown(qtbot, many(rows))
    widget.fit_rows(12)
    QApplication.processEvents()

    assert (widget.view.verticalScrollBar().maximum() == 0) is fits


def test_the_wheel_passes_on_at_the_ends(qtbot: QtBot) -> None:
    widget = shown(qtbot, many(200))

    def turn(notches: int) -> bool:
        event = QWheelEvent(
            QPointF(50, 50),
            QPointF(50, 50),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget.view.viewport(), event)
        return event.isAccepted()

    assert not turn(1)
    assert turn(-1)
    widget.view.scrollToBottom()
    assert not turn(-1)


def test_a_number_too_small_for_its_column_is_not_shown_as_zero(qtbot: QtBot) -> None:
    table = Table(
        (Column("p", "number"), Column("variance", "number")),
        ((0.25, 0.000123), (1e-9, 0.00004), (0.0, 0.0), (-1e-9, 0.000001)),
    )
    widget = shown(qtbot, table)
    model = widget.view.model()

    def column(at: int) -> list[object]:
        return [model.index(row, at).data() for row in range(model.rowCount())]

    assert column(0) == ["0.25", "< 0.0001", "0.00", "> -0.0001"]
    assert column(1) == ["0.000123", "0.000040", "0.000000", "0.000001"]


def test_room_that_is_left_goes_to_the_names_and_what_a_person_sets_stays(qtbot: QtBot) -> None:
    table = Table((Column("name", "text"), Column("n", "number")), (("a", 1.5), ("b", 2.5)))
    widget = shown(qtbot, table)
    header = widget.view.horizontalHeader()
    number_px = header.sectionSize(1)

    assert header.length() == widget.view.viewport().width()
    header.resizeSection(1, 150)
    widget.resize(900, 400)
    QApplication.processEvents()

    assert number_px < 100
    assert header.sectionSize(1) == 150
    assert header.length() == widget.view.viewport().width()


def test_a_heavy_header_is_not_cut(qtbot: QtBot) -> None:
    name = "Concordância com o padrão"
    table = Table((Column("Operador", "text"), Column(name, "number")), (("Ana", 0.85),))
    widget = shown(qtbot, table)
    header = widget.view.horizontalHeader()

    font = QFont(header.font())
    font.setWeight(QFont.Weight.DemiBold)
    padding_px = 2 * 8 + 1  # of the theme
    assert header.sectionSize(1) >= QFontMetrics(font).horizontalAdvance(name) + padding_px
