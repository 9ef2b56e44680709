"""The full table: real rows in a real process, played with mouse and keyboard."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from qhub_desktop.core import text
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.data.query.view_spec import Between, Contains, NoneOf, OneOf, RowView
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.ui.controls.buttons import IconButton
from qhub_desktop.ui.table.actions import ColumnStatistics
from qhub_desktop.ui.table.filters import VALUES_DEBOUNCE_S, describe_filter, parse_bound
from qhub_desktop.ui.table.window import TableWindow
from qhub_desktop.ui.tasks import Tasks
from tests.waiting import until

ROWS = 5_000
KINDS = ("lixo", "bolha", None)
TABLE = Table(
    (
        Column("id", "integer"),
        Column("dia", "date"),
        Column("tipo", "category"),
        Column("peso", "number"),
    ),
    tuple(
        (at, date(2026, 1, 1 + at % 28), KINDS[at % 3], None if at % 10 == 0 else at / 4)
        for at in range(ROWS)
    ),
)


@pytest.fixture(autouse=True)
def _stays(qapp: QApplication) -> None:
    qapp.setQuitOnLastWindowClosed(False)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path / "datasets", query_s=20)
    yield opened
    opened.close()


@asynccontextmanager
async def shown(workspace: Workspace, table: Table = TABLE) -> AsyncIterator[TableWindow]:
    """A window on these rows, settled."""
    profile = await workspace.register("rows", "rows.xlsx", table)
    errors: list[QHubError] = []
    tasks = Tasks(errors.append)
    window = TableWindow(profile, workspace=workspace, tasks=tasks, parent=None)
    window.show()
    await until(lambda: window.is_up_to_date)
    try:
        yield window
        assert not errors
    finally:
        await tasks.cancel_all()
        window.close()
        await asyncio.sleep(0)


def column(window: TableWindow, at: int, *, rows: range = range(5)) -> list[str]:
    return [window.model.text(row, at) for row in rows]


def select(window: TableWindow, top: int, left: int, bottom: int, right: int) -> None:
    area = QItemSelection(window.model.index(top, left), window.model.index(bottom, right))
    window.grid.selectionModel().select(area, QItemSelectionModel.SelectionFlag.Select)


def header_place(window: TableWindow, section: int) -> QPoint:
    header = window.grid.header
    return QPoint(header.sectionViewportPosition(section) + 20, header.height() // 2)


async def test_all_rows_are_there_at_once_and_come_when_they_are_seen(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        assert window.model.rowCount() == ROWS
        assert window.row_count_label.text() == "5,000 rows · 4 columns"

        window.grid.scrollToBottom()
        assert window.model.text(ROWS - 1, 0) == "…"

        await until(lambda: window.model.is_fetched(ROWS - 1))
        assert column(window, 0, rows=range(ROWS - 2, ROWS)) == ["4,998", "4,999"]
        assert column(window, 3, rows=range(ROWS - 2, ROWS)) == ["1,249.50", "1,249.75"]


async def test_only_what_is_seen_in_the_end_is_fetched(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        for row in range(0, ROWS, 200):
            window.grid.scrollTo(window.model.index(row, 0))
        window.grid.scrollToBottom()
        await until(lambda: window.model.is_fetched(ROWS - 1))

        passed = [row for row in range(0, ROWS, 200) if window.model.is_fetched(row)]
        assert len(passed) < 8


async def test_missing_values_are_quiet_dashes_and_dates_are_written_day_first(
    qapp: QApplication, workspace: Workspace
) -> None:
    text.use("pt")
    async with shown(workspace) as window:
        assert column(window, 1, rows=range(2)) == ["01/01/2026", "02/01/2026"]
        assert column(window, 2, rows=range(3)) == ["lixo", "bolha", "–"]
        assert column(window, 3, rows=range(3)) == ["–", "0,25", "0,50"]


async def test_no_digit_of_a_number_is_rounded_away(
    qapp: QApplication, workspace: Workspace
) -> None:
    exact = Table((Column("x", "number"),), ((0.1,), (1e-7,), (123456.789012,)))
    async with shown(workspace, exact) as window:
        assert column(window, 0, rows=range(3)) == ["0.1000", "0.0000001", "123,456.789012"]


async def test_a_click_on_a_name_sorts_up_then_down_then_not(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        firsts = []
        for _click in range(3):
            QTest.mouseClick(
                window.grid.header.viewport(),
                Qt.MouseButton.LeftButton,
                pos=header_place(window, 3),
            )
            await until(lambda: window.is_up_to_date)
            firsts.append(column(window, 3, rows=range(2)))

        assert firsts == [["0.25", "0.50"], ["1,249.75", "1,249.50"], ["–", "0.25"]]
        assert window.view == RowView()


async def test_a_click_with_shift_sorts_within_what_is_sorted(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.sort(2, "up")
        QTest.mouseClick(
            window.grid.header.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.ShiftModifier,
            header_place(window, 0),
        )
        await until(lambda: window.is_up_to_date)

        assert window.view.sort == (("tipo", "up"), ("id", "up"))
        assert column(window, 0, rows=range(3)) == ["1", "4", "7"]


async def test_row_numbers_say_where_a_row_stands_in_the_data_set(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.sort(0, "down")
        await until(lambda: window.is_up_to_date)

        numbers = [window.model.headerData(at, Qt.Orientation.Vertical) for at in range(2)]
        assert numbers == ["5,000", "4,999"]


async def test_filters_stand_above_the_rows_and_go_by_a_click(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.filter(2, OneOf("tipo", ("lixo",)))
        window.filter(0, Between("id", 0, 99))
        await until(lambda: window.is_up_to_date)
        assert window.row_count_label.text() == "34 of 5,000 rows · 4 columns"

        chips = window.chips.findChildren(QPushButton)
        words = [chip.text().strip("\N{NO-BREAK SPACE}") for chip in chips]
        assert words == ["tipo: lixo", "id: 0 – 99", "Clear all"]
        chips[0].click()
        await until(lambda: window.is_up_to_date)
        assert window.row_count_label.text() == "100 of 5,000 rows · 4 columns"

        window.chips.cleared.emit()
        await until(lambda: window.is_up_to_date)
        assert window.row_count_label.text() == "5,000 rows · 4 columns"


async def test_values_are_ticked_to_filter_by_them(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        popup = window.open_filter(2)
        await until(lambda: popup.value_list.topLevelItemCount() == 4)
        items = [popup.value_list.topLevelItem(at) for at in range(4)]
        assert [(item.text(0), item.text(1)) for item in items if item] == [
            ("(all)", ""),
            ("bolha", "1,667"),
            ("lixo", "1,667"),
            ("(empty)", "1,666"),
        ]

        assert items[1] is not None
        items[1].setCheckState(0, Qt.CheckState.Unchecked)
        popup.apply_button.click()
        await until(lambda: window.is_up_to_date)

        assert window.view.filters == (NoneOf("tipo", ("bolha",)),)
        assert column(window, 2, rows=range(3)) == ["lixo", "–", "lixo"]


async def test_a_filter_may_be_closed_before_its_values_are_there(
    qapp: QApplication, workspace: Workspace
) -> None:
    bugs: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, bug: bugs.append(bug))
    async with shown(workspace) as window:
        unseen = window.open_filter(2)
        QTest.keyClick(unseen, Qt.Key.Key_Escape)
        await until(lambda: not shiboken6.isValid(unseen))
        searched = window.open_filter(2)
        await until(searched.value_list.topLevelItemCount)
        searched.search_edit.setText("li")
        QTest.keyClick(searched, Qt.Key.Key_Escape)
        await until(lambda: not shiboken6.isValid(searched))
        await asyncio.sleep(2 * VALUES_DEBOUNCE_S)

        last = window.open_filter(2)
        await until(last.value_list.topLevelItemCount)

    assert bugs == []


async def test_a_range_is_typed_as_the_person_writes_it(
    qapp: QApplication, workspace: Workspace
) -> None:
    text.use("pt")
    async with shown(workspace) as window:
        popup = window.open_filter(3)
        popup.lower_edit.setText("1 000,25")
        popup.upper_edit.setText("mil")
        assert not popup.apply_button.isEnabled()
        popup.upper_edit.setText("1000,5")
        QTest.keyClick(popup.upper_edit, Qt.Key.Key_Return)
        await until(lambda: window.is_up_to_date)

        assert window.view.filters == (Between("peso", 1000.25, 1000.5),)
        assert window.model.rowCount() == 2


async def test_a_filter_is_found_as_it_was_left(qapp: QApplication, workspace: Workspace) -> None:
    async with shown(workspace) as window:
        window.filter(2, Contains("tipo", "LIX"))
        window.filter(0, OneOf("id", (7,)))

        words, values = window.open_filter(2), window.open_filter(0)
        await until(values.value_list.topLevelItemCount)

        assert words.text_edit.text() == "LIX"
        assert values.value_list.filter_for("id") == OneOf("id", (7,))
        values.clear_button.click()
        assert window.view.filters == (Contains("tipo", "LIX"),)
        words.close()


async def test_words_are_found_forth_and_back(qapp: QApplication, workspace: Workspace) -> None:
    async with shown(workspace) as window:
        window.find_line.line_edit.setText("499")
        QTest.keyClick(window.find_line.line_edit, Qt.Key.Key_Return)
        QTest.keyClick(window.find_line.line_edit, Qt.Key.Key_Return)
        await until(lambda: window.find_line.count == "2 of 19")
        assert window.grid.currentIndex().row() == 1499

        QTest.keyClick(
            window.find_line.line_edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier
        )
        await until(lambda: window.find_line.count == "1 of 19")

        assert (window.grid.currentIndex().row(), window.grid.currentIndex().column()) == (499, 0)
        window.find_line.line_edit.setText("nowhere")
        await until(lambda: window.find_line.count == "not found")


async def test_only_rows_with_the_words_are_shown_when_wanted(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.find_line.line_edit.setText("4999")
        window.find_line.filter_toggled.emit(True)
        assert window.view.find == ""  # the button is what narrows

        window.find_line._filter_button.click()
        await until(lambda: window.is_up_to_date)
        assert window.model.rowCount() == 1

        window.find_line.line_edit.clear()
        await until(lambda: window.is_up_to_date and window.model.rowCount() == ROWS)


async def test_the_selection_is_summed_up_over_rows_that_were_never_seen(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.grid.select_column(0)
        await until(window.selection_summary.text)
        assert window.selection_summary.text().split("   ") == [
            "Count 5,000",
            "Sum 12,497,500",
            "Mean 2,499.5",
            "Min 0",
            "Max 4,999",
        ]

        window.grid.clearSelection()
        select(window, 0, 1, 2, 2)
        await until(lambda: window.selection_summary.text() == "Count 5")


async def test_copying_takes_the_selected_cells_exactly_with_their_names(
    qapp: QApplication, workspace: Workspace
) -> None:
    QGuiApplication.clipboard().clear()
    async with shown(workspace) as window:
        window.filter(2, OneOf("tipo", ("lixo", None)))
        await until(lambda: window.is_up_to_date)
        window.hide_column(1)
        select(window, 1, 0, 3, 2)
        window.grid.setFocus()
        QTest.keyClick(window.grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

        await until(lambda: QGuiApplication.clipboard().text())
        assert QGuiApplication.clipboard().text() == "id\ttipo\n2\t\n3\tlixo\n5\t"
        assert "<th" in QGuiApplication.clipboard().mimeData().html()


async def test_everything_is_copied_though_little_of_it_was_seen(
    qapp: QApplication, workspace: Workspace
) -> None:
    QGuiApplication.clipboard().clear()
    async with shown(workspace) as window:
        window.grid.selectAll()
        window.copy()
        await until(lambda: QGuiApplication.clipboard().text())

        lines = QGuiApplication.clipboard().text().split("\n")
        assert len(lines) == ROWS + 1
        assert lines[-1] == "4999\t2026-01-16\tbolha\t1249.75"
        assert window.busy_bar.label.text() == "5,000 rows copied"


async def test_rows_chosen_apart_are_copied_without_those_between(
    qapp: QApplication, workspace: Workspace
) -> None:
    QGuiApplication.clipboard().clear()
    async with shown(workspace) as window:
        select(window, 0, 0, 0, 0)
        select(window, 4, 0, 4, 2)
        window.copy()
        await until(lambda: QGuiApplication.clipboard().text())

        assert QGuiApplication.clipboard().text().split("\n") == [
            "id\tdia\ttipo",
            "0\t\t",
            "4\t2026-01-05\tbolha",
        ]


async def test_filters_and_sorting_wait_for_each_other_and_the_last_wish_wins(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        for direction in ("up", "down", "up"):
            window.sort(3, direction)
        window.filter(0, Between("id", 100, 103))
        await until(lambda: window.is_up_to_date)

        assert column(window, 0, rows=range(4)) == ["101", "102", "103", "100"]


async def test_keys_reach_the_parts_of_the_window(qapp: QApplication, workspace: Workspace) -> None:
    async with shown(workspace) as window:
        window.activateWindow()
        window.grid.setFocus()
        QTest.keyClick(window.grid, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert window.find_line.line_edit.hasFocus()

        QTest.keyClick(window.find_line.line_edit, Qt.Key.Key_Escape)
        assert window.grid.hasFocus()

        window.grid.setCurrentIndex(window.model.index(3, 2))
        QTest.keyClick(window.grid, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
        chosen = window.grid.selectionModel().selection()
        assert (chosen.at(0).left(), chosen.at(0).bottom()) == (2, ROWS - 1)


async def test_the_statistics_of_a_column_are_those_of_all_rows(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.filter(0, Between("id", 0, 99))
        await until(lambda: window.is_up_to_date)
        window.grid.header.menu_requested.emit(3, QPoint(40, 40))
        (menu,) = window.findChildren(QMenu)
        (action,) = [each for each in menu.actions() if each.text() == "Statistics"]
        action.trigger()
        menu.close()

        (popup,) = window.findChildren(ColumnStatistics)
        told = popup.view.accessibleDescription()
        assert popup.isVisible()
        assert popup.view.isChecked()
        assert popup.accessibleName() == "Statistics of peso"
        assert popup.accessibleDescription() == told
        assert "4,500 different values" in told
        assert "mean 625" in told
        assert "median 625" in told
        assert "missing 500 of 5,000" in told
        assert popup.scope.text() == "Of all 5,000 rows, filtered or not"

        QTest.keyClick(popup, Qt.Key.Key_Escape)
        await until(lambda: not window.findChildren(ColumnStatistics))


async def test_the_statistics_of_words_are_how_often_they_stand_there(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        popup = window.open_statistics(2)

        assert "2 different values" in popup.accessibleDescription()
        assert "lixo 1667" in popup.accessibleDescription()
        popup.close()


async def test_a_filter_that_leaves_nothing_says_so(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        window.filter(2, Contains("tipo", "nowhere"))
        await until(lambda: window.is_up_to_date)

        assert window.row_count_label.text() == "0 of 5,000 rows · 4 columns"
        assert window.grid.shows_empty_notice


async def test_a_window_closed_while_it_reads_leaves_nothing_behind(
    qapp: QApplication, workspace: Workspace
) -> None:
    profile = await workspace.register("rows", "rows.xlsx", TABLE)
    errors: list[QHubError] = []
    tasks = Tasks(errors.append)
    window = TableWindow(profile, workspace=workspace, tasks=tasks, parent=None)
    window.show()
    window.sort(3, "up")
    window.close()

    again = await workspace.views.page("rows", RowView(), start=0, count=1)

    assert again.total == ROWS
    await tasks.cancel_all()
    assert not errors


@pytest.mark.parametrize(
    ("language", "typed", "kind", "bound"),
    [
        ("pt", "1.234,5", "number", 1234.5),
        ("pt", "1 234", "integer", 1234),
        ("pt", "0.5", "number", 0.5),
        ("pt", "1.234", "number", 1234),
        ("en", "1,234.5", "number", 1234.5),
        ("en", "-3", "integer", -3),
        ("pt", "3/2/2026", "date", date(2026, 2, 3)),
        ("en", "2026-02-03", "date", date(2026, 2, 3)),
        ("pt", "  ", "number", None),
    ],
)
def test_bounds_are_read_as_the_person_writes_them(
    language: text.Language, typed: str, kind: str, bound: Cell
) -> None:
    text.use(language)

    assert parse_bound(typed, "number" if kind in ("number", "integer") else "date") == bound


@pytest.mark.parametrize("typed", ["doze", "12-", "3/2", "2026/02/03"])
def test_a_bound_that_is_none_is_not_guessed(typed: str) -> None:
    text.use("pt")

    with pytest.raises(ValueError, match=re.escape(typed)):
        parse_bound(typed, "date" if "/" in typed else "number")


def test_filters_say_what_they_do() -> None:
    assert describe_filter(NoneOf("turno", ("manha", None))) == "turno: not manha, (empty)"
    assert describe_filter(OneOf("turno", ("a", "b", "c", "d"))) == "turno: a, b and 2 more"
    assert describe_filter(Between("dia", upper=date(2026, 2, 3))) == "dia ≤ 03/02/2026"


def ink(window: TableWindow, section: int) -> tuple[int, int]:
    """First and last place of the darkest letters in the head of a column."""
    head = window.grid.header
    left = head.sectionViewportPosition(section)
    picture = head.viewport().grab().toImage()
    dark = [
        x
        for x in range(left + 8, left + head.sectionSize(section) - 8)
        if any(picture.pixelColor(x, y).lightness() < 90 for y in range(4, head.height() - 4))
    ]
    return dark[0] - left, dark[-1] - left


async def test_the_head_of_numbers_stands_over_them(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        for at in (2, 3):
            window.grid.header.resizeSection(at, 240)
        # Not by events within events: a task of the loop must not be entered from another one.
        await until(lambda: ink(window, 2)[1] < 120 < ink(window, 3)[0])


async def test_long_names_are_told_apart_by_their_ends(
    qapp: QApplication, workspace: Workspace
) -> None:
    long = "espessura da camada de verniz no ponto"
    columns = tuple(Column(f"{long} {each}", "text") for each in ("A", "W"))
    async with shown(workspace, Table(columns, (("a", "b"),))) as window:
        for at in (0, 1):
            window.grid.header.resizeSection(at, 160)
        head = window.grid.header
        picture = head.viewport().grab().toImage()
        heads = [picture.copy(at * 160, 0, 150, head.height()) for at in (0, 1)]

        assert heads[0] != heads[1]


async def test_the_filter_of_found_rows_looks_disabled_without_words(
    qapp: QApplication, workspace: Workspace
) -> None:
    async with shown(workspace) as window:
        button = next(
            each
            for each in window.findChildren(IconButton)
            if each.accessibleName() == "Show only the rows with these words"
        )

        def darkest() -> int:
            picture = button.icon().pixmap(18, 18).toImage()
            return min(
                picture.pixelColor(x, y).lightness()
                for x in range(picture.width())
                for y in range(picture.height())
                if picture.pixelColor(x, y).alpha() > 200
            )

        idle = darkest()
        window.find_line.line_edit.setText("bolha")

        assert idle > darkest() + 40
