"""Cards: a widget, its source, and the ways out of the window."""

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication, QImage, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.result_widgets import Chart, Kpi, TableView, Widget
from qhub_desktop.core.study import Provenance
from qhub_desktop.core.text import file_name
from qhub_desktop.ui.charts.card import SourceLine, WidgetCard
from qhub_desktop.ui.charts.chart_body import ChartBody
from qhub_desktop.ui.charts.kpi_view import KpiView
from qhub_desktop.ui.charts.plot_view import PlotView
from qhub_desktop.ui.charts.table_view import TableWidget
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.controls.saving import save
from qhub_desktop.ui.theme import DARK, LIGHT, theme
from tests.ui_charts.conftest import SQL


def shown(qtbot: QtBot, widget: Widget) -> WidgetCard:
    card = WidgetCard(widget)
    qtbot.addWidget(card)
    card.resize(720, card.sizeHint().height())
    with qtbot.waitExposed(card):
        card.show()
    return card


def choose(card: WidgetCard, words: str) -> None:
    """Pick an entry of the card's menu."""
    next(action for action in card.menu.actions() if action.text() == words).trigger()


def saved(card: WidgetCard, words: str, file: Path) -> bytes:
    """What an entry of the menu writes when the person answers with this file."""
    choose(card, words)
    dialog = card.findChild(QFileDialog)
    assert dialog is not None
    dialog.setDirectory(str(file.parent))
    dialog.fileSelected.emit(str(file))
    dialog.close()
    return file.read_bytes() if file.is_file() else b""


def words_on(card: QWidget) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if not label.isHidden()]


def test_a_chart_is_drawn_once_it_is_in_sight_and_moves_nothing(qtbot: QtBot, chart: Chart) -> None:
    area = QScrollArea()
    page = QWidget()
    column = QVBoxLayout(page)
    cards = [WidgetCard(chart) for _each in range(8)]
    for card in cards:
        column.addWidget(card)
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.resize(760, 400)
    qtbot.addWidget(area)
    with qtbot.waitExposed(area):
        area.show()
    height = page.height()
    bodies = [card.body for card in cards if isinstance(card.body, ChartBody)]

    qtbot.waitUntil(lambda: bodies[0].is_drawn)

    assert not bodies[-1].is_drawn
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: bodies[-1].is_drawn)
    assert page.height() == height


def test_each_widget_offers_what_fits_it(
    qtbot: QtBot, chart: Chart, table_view: TableView, kpi: Kpi
) -> None:
    cards = [shown(qtbot, widget) for widget in (chart, table_view, kpi)]

    offered = {
        type(card.widget): [each.text() for each in card.menu.actions() if each.text()]
        for card in cards
    }

    assert offered[Chart] == [
        "Copy picture",
        "Save as PNG…",
        "Save as SVG…",
        "Copy data",
        "Open data",
        "Save as CSV…",
        "Enlarge",
    ]
    assert "Save as SVG…" not in offered[TableView]
    assert "Open data" not in offered[Kpi]


def test_the_menu_is_reached_by_keyboard_and_has_a_name(qtbot: QtBot, chart: Chart) -> None:
    card = shown(qtbot, chart)

    button = next(each for each in card.findChildren(QToolButton) if each.menu() is card.menu)

    assert button.accessibleName() == "Actions for Top defects: night?"
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_a_saved_picture_is_twice_as_fine_and_carries_the_title(
    qtbot: QtBot, chart: Chart, tmp_path: Path
) -> None:
    card = shown(qtbot, chart)

    content = saved(card, "Save as PNG…", tmp_path / "top.png")

    image = QImage.fromData(QByteArray(content))
    body = card.body
    assert isinstance(body, ChartBody)
    assert image.width() >= 2 * body.width()
    assert image.height() > 2 * body.height()
    places = product(range(0, image.width(), 9), range(0, image.height(), 9))
    colours = {image.pixelColor(x, y).name().upper() for x, y in places}
    assert {LIGHT.series[0], LIGHT.card} <= colours
    assert "Saved as top.png." in words_on(card)


def test_beside_a_saved_file_stands_a_button_that_opens_it(
    qtbot: QtBot, chart: Chart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_file(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_file)
    card = shown(qtbot, chart)
    saved(card, "Save as PNG…", tmp_path / "top.png")

    (button,) = (each for each in card.findChildren(TextButton) if each.text() == "Open")
    assert button.isVisible()
    button.click()

    assert [Path(each).name for each in opened] == ["top.png"]


def test_a_saved_drawing_is_made_of_vectors(qtbot: QtBot, chart: Chart, tmp_path: Path) -> None:
    card = shown(qtbot, chart)

    content = saved(card, "Save as SVG…", tmp_path / "top.svg")

    assert QSvgRenderer(QByteArray(content)).isValid()
    assert b"<image" not in content
    assert b"Top defects: night?" in content
    assert b"escorrido" in content


def test_a_saved_table_is_csv(qtbot: QtBot, table_view: TableView, tmp_path: Path) -> None:
    card = shown(qtbot, table_view)

    content = saved(card, "Save as CSV…", tmp_path / "rows.csv")

    assert content.decode("utf-8-sig").splitlines()[0] == "dia,tipo,total,taxa"


def test_the_file_dialog_proposes_a_name_and_holds_nothing_up(qtbot: QtBot, chart: Chart) -> None:
    card = shown(qtbot, chart)

    choose(card, "Save as PNG…")

    dialog = card.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.isVisible()
    assert [Path(each).name for each in dialog.selectedFiles()] == ["Top defects night.png"]
    dialog.close()


def test_what_can_not_be_saved_is_said_on_the_card(
    qtbot: QtBot, chart: Chart, tmp_path: Path
) -> None:
    card = shown(qtbot, chart)

    saved(card, "Save as CSV…", tmp_path / "no such folder" / "a.csv")

    (complaint,) = [words for words in words_on(card) if "is not there" in words]
    assert "no such folder" in complaint
    assert "Choose another folder" in complaint


def test_pictures_and_data_go_to_the_clipboard(qtbot: QtBot, chart: Chart) -> None:
    card = shown(qtbot, chart)
    clipboard = QGuiApplication.clipboard()

    choose(card, "Copy picture")
    image = clipboard.image()
    choose(card, "Copy data")

    assert image.width() > 1000
    assert clipboard.text().splitlines()[0] == "dia\ttipo\ttotal\ttaxa"
    assert clipboard.mimeData().hasHtml()


def test_a_single_number_is_copied_with_its_target(qtbot: QtBot, kpi: Kpi) -> None:
    card = shown(qtbot, kpi)

    choose(card, "Copy data")

    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows == ["indicator\tvalue\tunit\tchange\ttarget", "Rework\t4.7\t%\t0.05\t3"]


@pytest.mark.parametrize("words", ["Open data", "Enlarge"])
def test_large_windows_stand_beside_the_conversation(
    qtbot: QtBot, chart: Chart, words: str
) -> None:
    card = shown(qtbot, chart)

    choose(card, words)

    window = card.findChild(DetailWindow)
    assert window is not None
    qtbot.waitUntil(window.isVisible)
    assert not window.isModal()
    kind = TableWidget if words == "Open data" else PlotView
    assert window.findChild(kind) is not None
    window.close()


def test_the_source_line_unfolds_the_query(qtbot: QtBot, chart: Chart) -> None:
    card = shown(qtbot, chart)
    line = card.findChild(SourceLine)
    assert line is not None
    assert any("defeitos · Folha1 · 59 of 200 rows" in words for words in words_on(card))
    assert not line.query_box.isVisible()

    line.link.setFocus()
    QTest.keyClick(line.link, Qt.Key.Key_Space)

    assert line.query_box.isVisible()
    assert line.query_box.toPlainText() == SQL
    assert line.query_box.isReadOnly()


@pytest.mark.parametrize("kind", ["chart", "table_view", "kpi"])
def test_cards_change_their_colours_while_they_stand(
    qtbot: QtBot, kind: str, request: pytest.FixtureRequest
) -> None:
    card = shown(qtbot, request.getfixturevalue(kind))
    if isinstance(card.body, ChartBody):
        card.body.plot()
    before = card.grab().toImage()

    theme().set_palette(DARK)
    dark = card.palette()
    dark.setColor(QPalette.ColorRole.Base, QColor(DARK.card))
    card.setPalette(dark)

    assert card.grab().toImage() != before


def test_a_pin_is_offered_only_where_somebody_takes_it(qtbot: QtBot, chart: Chart) -> None:
    card = shown(qtbot, chart)
    pin = next(each for each in card.findChildren(QToolButton) if "Pin" in each.accessibleName())
    assert not pin.isVisible()

    card.offer_pin()

    with qtbot.waitSignal(card.pin_requested) as caught:
        pin.click()
    assert caught.args == [chart, None]


def test_a_workbook_is_offered_only_where_somebody_writes_it(
    qtbot: QtBot, table_view: TableView, tmp_path: Path
) -> None:
    card = shown(qtbot, table_view)
    assert "Save as Excel…" not in [each.text() for each in card.menu.actions()]

    card.offer_workbook()

    offered = [each.text() for each in card.menu.actions()]
    assert offered.index("Save as Excel…") == offered.index("Save as CSV…") - 1
    with qtbot.waitSignal(card.workbook_requested) as caught:
        saved(card, "Save as Excel…", tmp_path / "a.xlsx")
    assert caught.args == [tmp_path / "a.xlsx"]


def test_a_number_says_how_things_stand_without_colour(qtbot: QtBot, kpi: Kpi) -> None:
    view = KpiView(kpi)
    qtbot.addWidget(view)

    assert view.accessibleName() == "Rework: 4.7%, ▲ +5%, target 3%"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Top 5: turno?", "Top 5 turno.png"),
        ("a/b\\c", "a b c.png"),
        ("...", "chart.png"),
        ("con", "con_.png"),
        ("Defeitos à noite.", "Defeitos à noite.png"),
        ("x" * 300, f"{'x' * 80}.png"),
    ],
)
def test_proposed_names_are_fit_for_every_system(title: str, name: str) -> None:
    assert file_name(title, ".png") == name


@pytest.mark.skipif(sys.platform == "win32", reason="folders refuse differently there")
def test_a_file_that_could_not_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    taken = tmp_path / "taken.csv"
    taken.mkdir()

    with pytest.raises(UserError, match=r"taken\.csv is a folder"):
        save(b"1", taken)

    assert list(tmp_path.iterdir()) == [taken]


def test_a_warning_is_told_once_in_an_answer(
    qtbot: QtBot, table_view: TableView, source: Provenance
) -> None:
    divided = replace(table_view, source=replace(source, undefined=3))
    told: set[str] = set()
    hidden = []
    for card in (WidgetCard(divided), WidgetCard(divided)):
        qtbot.addWidget(card)
        card.warn_once(told)
        (line,) = card.findChildren(SourceLine)
        hidden.append([label.isHidden() for label in line.warnings.values()])

    assert hidden == [[False], [True]]
