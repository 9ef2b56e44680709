"""Studies on their cards: what is read first, what leaves the window, and how points are chosen."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.figure import Figure, Line, Points, Rule, stair_steps
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, Text
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import HEADS, Override, PointNote, Signal, Study, label_of
from qhub_desktop.core.table import Column, Table
from qhub_desktop.data.export.output import sheet_of
from qhub_desktop.tools.study_service import StudyService
from qhub_desktop.ui.charts.axes import margin_labels, spread
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.charts.panels import StudyPanels
from qhub_desktop.ui.charts.study_card import AskWindow, FactGrid, StudyView
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import DARK, LIGHT, theme
from tests.ui_charts.test_card import choose, saved, shown, words_on

NARROW_PX = 352  # what the margins leave of a window of 400
NAME = 2 * "characteristic"  # in one word
VALUES = (5.0, 6.0, 5.5, 9.5, 4.5, 5.2)


@pytest.fixture
def study() -> Study:
    """Individuals of which the fourth is out, over their moving ranges."""
    x = tuple(map(float, range(1, 7)))
    ranges = (math.nan, 1.0, 0.5, 4.0, 5.0, 0.7)
    first = Figure(
        "Individuals",
        (
            Line(*stair_steps(x, [8.0] * 6), role="limit", stroke="dashed", label="UCL = 8.00"),
            Rule(5.9, label="CL = 5.90", role="centre", stroke="solid"),
            Line(x, VALUES, is_dotted_at_points=True, is_selectable=True),
            Points((4.0,), (9.5,), role="bad", labels=("1",)),
        ),
    )
    second = Figure(
        "Moving ranges",
        (
            Line(*stair_steps(x, [7.3] * 6), role="limit", stroke="dashed", label="UCL = 7.3"),
            Line(x, ranges, is_selectable=True),
        ),
    )
    points = Table(
        (Column("point", "integer"), Column("value", "number")), tuple(enumerate(VALUES, start=1))
    )
    return Study(
        "carta_controlo",
        "I-MR chart of thickness",
        "The process is not in control.",
        doubts=("Only 6 points.",),
        panels=((first,), (second,)),
        facts=(("Estimator", "MRbar / d2"),),
        tables=(TableView("Signals", points, 6),),
        points=points,
        signals=(Signal(3, ("nelson1",)),),
        overrides=(Override("point 2 is left out", "blocked nozzle", "Ana"),),
    )


def panels_of(card: WidgetCard) -> StudyPanels:
    assert isinstance(card.body, StudyView)
    assert card.body.panels is not None
    return card.body.panels


def test_doubts_stand_above_the_verdict_and_both_above_the_panels(
    qtbot: QtBot, study: Study
) -> None:
    card = shown(qtbot, study)

    tops = {
        label.text(): label.mapTo(card, QPoint(0, 0)).y() for label in card.findChildren(QLabel)
    }

    panels = panels_of(card)
    order = [
        tops["Only 6 points."],
        tops["The process is not in control."],
        tops["Changed by hand: point 2 is left out (blocked nozzle, Ana)."],
        panels.mapTo(card, QPoint(0, 0)).y(),
        tops["Estimator"],
        tops["Signals"],
    ]
    assert order == sorted(order)
    assert len(set(order)) == len(order)


def test_panels_under_each_other_have_the_same_left_and_right_edges(
    qtbot: QtBot, study: Study
) -> None:
    card = shown(qtbot, study)
    panels = panels_of(card)
    first, second = panels.views()

    for x in (1.0, 6.0):
        assert first.scene.to_widget(x, 5).x() == pytest.approx(
            second.scene.to_widget(x, 1).x(), abs=1
        )


def test_limits_are_named_in_the_right_margin_and_never_over_each_other(study: Study) -> None:
    labels = margin_labels(study.panels[0][0])

    assert [(each.text, each.mark.role) for each in labels] == [
        ("UCL = 8.00", "limit"),
        ("CL = 5.90", "centre"),
    ]
    assert spread([50, 52, 54, 90], 12, 200) == [40, 52, 64, 90]
    assert spread([95, 99], 12, 100) == [88, 100]


def test_a_limit_that_varies_is_drawn_in_steps_halfway_between_points() -> None:
    assert stair_steps([1, 2, 3, 4], [5, 5, 7, 7]) == (
        (0.5, 2.5, 2.5, 4.5),
        (5, 5, 7, 7),
    )
    x, _y = stair_steps(range(100_000), [3.0] * 100_000)
    assert len(x) == 2


def test_a_point_is_chosen_by_mouse(qtbot: QtBot, study: Study) -> None:
    card = shown(qtbot, study)
    panels = panels_of(card)
    view = panels.views()[0]
    place = view.scene.to_widget(4, 9.5).toPoint()

    with qtbot.waitSignal(panels.point_chosen) as chosen:
        viewport = view.childAt(place)
        assert viewport is not None
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)

    assert chosen.args == [3]


def test_the_arrow_keys_go_from_point_to_point_and_with_ctrl_to_the_next_signal(
    qtbot: QtBot, study: Study
) -> None:
    card = shown(qtbot, study)
    panels = panels_of(card)
    panels.views()
    chosen: list[int] = []
    panels.point_chosen.connect(chosen.append)

    QTest.keyClick(panels, Qt.Key.Key_Right)
    QTest.keyClick(panels, Qt.Key.Key_Right)
    QTest.keyClick(panels, Qt.Key.Key_Return)
    QTest.keyClick(panels, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(panels, Qt.Key.Key_Return)
    QTest.keyClick(panels, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(panels, Qt.Key.Key_Return)

    assert chosen == [1, 3, 3]


def test_a_study_is_saved_as_picture_drawing_page_and_points(
    qtbot: QtBot, study: Study, tmp_path: Path
) -> None:
    card = shown(qtbot, study)

    png = saved(card, "Save as PNG…", tmp_path / "study.png")
    svg = saved(card, "Save as SVG…", tmp_path / "study.svg")
    pdf = saved(card, "Save as PDF…", tmp_path / "study.pdf")
    csv = saved(card, "Save as CSV…", tmp_path / "study.csv").decode("utf-8-sig")

    assert png.startswith(b"\x89PNG")
    assert QSvgRenderer(svg).isValid()
    assert b"UCL = 8.00" in svg
    assert b"Only 6 points." in svg
    assert pdf.startswith(b"%PDF")
    assert csv.splitlines()[0].split(";")[0].split(",")[0] == "point"
    assert len(csv.splitlines()) == 7


def test_paper_has_a_drawing_of_each_row_high_enough_to_be_read(qtbot: QtBot, study: Study) -> None:
    panels = StudyPanels((*study.panels, (study.panels[0][0], study.panels[1][0])))
    qtbot.addWidget(panels)
    panels.resize(680, panels.height())
    panels.show()

    first, second, both = (each.decode() for each in panels.to_drawings())

    for drawing in (first, second, both):
        assert QSvgRenderer(drawing.encode()).defaultSize().height() >= 45 / 25.4 * 96
    assert "UCL = 8.00" in first
    assert "Moving ranges" not in first
    assert "UCL = 7.3" in second
    assert "Individuals" in both
    assert "Moving ranges" in both


def test_a_sheet_of_a_study_says_doubts_first(study: Study) -> None:
    sheet = sheet_of(study)

    assert sheet.notes[:2] == ("Only 6 points.", "The process is not in control.")
    assert sheet.table == study.points


def test_enlarged_panels_zoom_together(qtbot: QtBot, study: Study) -> None:
    card = shown(qtbot, study)
    choose(card, "Enlarge")
    panels = next(each for each in card.findChildren(StudyPanels) if each is not panels_of(card))
    first, second = panels.views()
    qtbot.waitUntil(panels.isVisible)

    first.zoom(0.5)
    first.viewport_changed.emit(first.scene.viewport)

    assert second.scene.viewport.x == first.scene.viewport.x != second.scene.axes.full_view.x


class KeptStudies(StudyService):
    """A service whose store is a list: what the window asks of it, and what came of it."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._tools = {}
        self.kept: list[PointNote] = []
        self.reasons: list[str] = []
        self.heads: list[Mapping[str, str] | None] = []
        self.asked: list[JsonObject] = []

    @property
    @override
    def can_show_rows(self) -> bool:
        return True

    @override
    async def rows(self, conversation: ConversationId, study: Study, point: int) -> TableView:
        assert study.points is not None
        return TableView("Rows", replace(study.points, rows=study.points.rows[point:][:1]), 1)

    @override
    async def exclude(
        self, conversation: ConversationId, study: Study, point: int, reason: str
    ) -> tuple[Message, Message]:
        if not reason:
            raise UserError("Write the reason.")
        self.reasons.append(reason)
        return self._answered()

    @override
    async def put(
        self, conversation: ConversationId, method: str, given: JsonObject
    ) -> tuple[Message, Message]:
        self.asked.append(given)
        return self._answered()

    @override
    async def freeze(self, conversation: ConversationId, study: Study) -> tuple[Message, Message]:
        return self._answered()

    @override
    async def notes(self, study: Study) -> list[PointNote]:
        return self.kept

    @override
    async def note(self, study: Study, point: int, *, cause: str, action: str) -> PointNote:
        note = PointNote(label_of(study, point), cause, action, "Ana", datetime.now(UTC))
        self.kept = [*self.kept, note]
        return note

    @override
    async def head(self, study: Study) -> dict[str, str]:
        return {**dict.fromkeys(HEADS, ""), "part": "Bumper"}

    @override
    async def report(
        self,
        conversation: ConversationId,
        study: Study,
        target: Path,
        head: Mapping[str, str] | None = None,
    ) -> tuple[Path, Path]:
        self.heads.append(head)
        if not target.parent.exists():
            raise UserError("The folder is gone.")
        return target, target.with_suffix(".xlsx")

    def _answered(self) -> tuple[Message, Message]:
        now = datetime.now(UTC)
        question = Message(MessageId(1), "user", (Text("Leave it out"),), now)
        return question, Message(MessageId(2), "assistant", (Text("Done"),), now)


@pytest.fixture
def service(study: Study) -> KeptStudies:
    """An empty service."""
    return KeptStudies(replace(study, arguments={"coluna": "x"}))


async def settle() -> None:
    """Let what was started come to its end."""
    for _turn in range(5):
        await asyncio.sleep(0)


def at_work(qtbot: QtBot, service: KeptStudies, tasks: Tasks) -> tuple[WidgetCard, StudyView]:
    card = shown(qtbot, service.study)
    view = card.study_view
    assert view is not None
    panels_of(card).views()
    view.work_with(service, ConversationId("c"), tasks)
    return card, view


def press(owner: QWidget, words: str) -> None:
    """Press the button of a window that is shown, by its text."""
    next(
        each
        for each in owner.findChildren(QPushButton)
        if each.text().strip() == words and each.isVisible()
    ).click()


async def test_a_signal_says_its_rule_and_what_was_noted(
    qtbot: QtBot, service: KeptStudies
) -> None:
    tasks = Tasks(lambda _error: None)
    sentence = "1 point more than 3 sigmas from the centre"
    service.study = replace(service.study, signals=(Signal(3, ("nelson1",), (sentence,)),))
    service.kept = [PointNote("4", "nozzle", "cleaned", "Ana", datetime(2026, 2, 3, 9, tzinfo=UTC))]
    card, view = at_work(qtbot, service, tasks)
    await settle()

    popover = view.open_point(3)

    assert popover is not None
    words = words_on(popover)
    assert sentence in words
    assert any(each.startswith("Cause: nozzle. Action: cleaned (Ana, ") for each in words)
    assert [button.text() for button in popover.buttons] == [
        "Show its rows",
        "Note cause and action…",
        "Leave this point out…",
    ]
    popover.close()
    other = view.open_point(0)
    assert other is not None
    assert "It breaks no rule." in words_on(other)
    assert not any("nozzle" in each for each in words_on(other))
    other.close()
    del card


async def test_a_note_is_kept_and_flagged_on_the_chart(qtbot: QtBot, service: KeptStudies) -> None:
    tasks = Tasks(lambda _error: None)
    card, view = at_work(qtbot, service, tasks)
    await settle()
    before = panels_of(card).grab().toImage()
    window = view.open_note(3)

    window.fields[0].setText("nozzle")
    window.fields[1].setText("cleaned")
    window.button.click()
    await settle()

    assert [note.cause for note in view.notes_on(3)] == ["nozzle"]
    assert [note.label for note in service.kept] == ["4"]
    assert panels_of(card).grab().toImage() != before


async def test_a_point_is_left_out_only_with_a_reason(qtbot: QtBot, service: KeptStudies) -> None:
    tasks = Tasks(lambda _error: None)
    card, view = at_work(qtbot, service, tasks)
    made: list[Message] = []
    view.recomputed.connect(lambda _question, answer: made.append(answer))
    window = view.open_exclusion(3)

    window.button.click()
    await settle()
    assert "Write the reason." in words_on(window)
    assert made == []
    window.fields[0].setText("blocked nozzle")
    window.button.click()
    await settle()

    assert service.reasons == ["blocked nozzle"]
    assert [each.id for each in made] == [2]
    del card


async def test_a_row_of_many_opens_its_study(qtbot: QtBot, study: Study) -> None:
    rows = Table((Column("cavity", "text"),), (("C2",), ("C1",)))
    opens: tuple[JsonObject, ...] = ({"onde": "c = 2"}, {"onde": "c = 1"})
    many = replace(study, opens=opens, points=None, tables=(TableView("All", rows, 2),))
    service = KeptStudies(many)
    _card, view = at_work(qtbot, service, Tasks(lambda _error: None))
    shown_again: list[object] = []
    view.recomputed.connect(lambda question, _answer: shown_again.append(question))
    table = view.tables[0].view
    table.model().sort(0)  # C1 stands above now

    table.activated.emit(table.model().index(0, 0))
    await settle()

    assert service.asked == [{"onde": "c = 1"}]
    assert len(shown_again) == 1


async def test_a_card_fits_into_a_narrow_window(qtbot: QtBot, study: Study) -> None:
    facts = tuple((f"The name of {NAME}{at}", "a value of several words") for at in range(6))
    card, view = at_work(qtbot, KeptStudies(replace(study, facts=facts)), Tasks(print))
    offered = (view.form_button, view.freeze_button, view.monitor_button, view.page_button)
    for button in offered:
        button.show()
    (grid,) = view.findChildren(FactGrid)
    names = [each for each in grid.findChildren(QLabel) if each.text().startswith("The name")]

    card.resize(1200, card.height())
    await settle()
    assert len({each.x() for each in names}) == 2
    assert card.minimumSizeHint().width() <= NARROW_PX
    card.resize(NARROW_PX, card.height())
    await settle()
    assert len({each.x() for each in names}) == 1
    assert all(each.geometry().right() < view.width() for each in offered)


async def test_limits_are_frozen_once(qtbot: QtBot, service: KeptStudies) -> None:
    tasks = Tasks(lambda _error: None)
    card, view = at_work(qtbot, service, tasks)
    made: list[Message] = []
    view.recomputed.connect(lambda _question, answer: made.append(answer))

    assert not view.freeze_button.isHidden()
    view.freeze_button.click()  # the fourth point breaks a rule: it is asked first
    (asked,) = view.findChildren(DetailWindow)
    assert "1 point breaks the rules." in words_on(asked)[1]
    press(asked, "Cancel")
    await settle()
    assert made == []
    view.freeze_button.click()
    press(view, "Freeze all the same")
    await settle()
    assert len(made) == 1

    service.study = replace(service.study, signals=())
    calm_card, calm = at_work(qtbot, service, tasks)
    calm.recomputed.connect(lambda _question, answer: made.append(answer))
    calm.freeze_button.click()
    await settle()
    assert len(made) == 2

    service.study = replace(service.study, arguments={"coluna": "x", "congelar": 6})
    other, frozen = at_work(qtbot, service, tasks)
    assert frozen.freeze_button.isHidden()
    del card, calm_card, other


async def test_without_a_desk_nothing_is_offered(qtbot: QtBot, study: Study) -> None:
    card = shown(qtbot, study)
    assert card.study_view is not None

    popover = card.study_view.open_point(3)

    assert popover is not None
    assert popover.buttons == []
    assert card.study_view.freeze_button.isHidden()
    popover.close()


async def test_a_customers_page_is_asked_for_with_its_head(
    qtbot: QtBot, study: Study, tmp_path: Path
) -> None:
    service = KeptStudies(replace(study, method="capacidade", arguments={"coluna": "x"}))
    _card, view = at_work(qtbot, service, Tasks(lambda _error: None))
    view.page_button.click()
    await settle()
    window = view.findChild(AskWindow)
    assert window is not None
    assert [field.text() for field in window.fields] == ["", "", "Bumper", "", "", "", "", ""]
    window.fields[0].setText("Plant Ltd")
    window.button.click()
    dialog = view.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "page.pdf"))
    await settle()

    (head,) = service.heads
    assert head is not None
    assert (head["customer"], head["part"]) == ("Plant Ltd", "Bumper")
    assert "Saved as page.pdf, page.xlsx." in words_on(view)
    dialog.close()


async def test_a_report_is_asked_for_on_the_card(
    qtbot: QtBot, service: KeptStudies, tmp_path: Path
) -> None:
    tasks = Tasks(lambda _error: None)
    card, view = at_work(qtbot, service, tasks)
    assert view.report_button.isVisible()
    view.report_button.click()
    dialog = view.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "March.pdf"))
    await settle()

    assert "Saved as March.pdf, March.xlsx." in words_on(view)
    assert view.report_button.isEnabled()

    dialog.fileSelected.emit(str(tmp_path / "gone" / "March.pdf"))
    await settle()

    assert "The folder is gone." in words_on(view)
    dialog.close()
    del card


def test_a_document_is_light_whatever_the_screen_is(
    qtbot: QtBot, study: Study, tmp_path: Path
) -> None:
    theme().set_palette(DARK)
    try:
        card = shown(qtbot, study)
        panels = card.findChild(StudyPanels)
        assert panels is not None
        panels.views()[0].show_range((2.0, 4.0))
        dark = saved(card, "Save as PNG…", tmp_path / "study.png")
        svg = saved(card, "Save as SVG…", tmp_path / "study.svg").decode().lower()
        kept = panels.views()[0].scene.viewport.x
    finally:
        theme().set_palette(LIGHT)

    assert QImage.fromData(dark).pixelColor(2, 2).name().lower() == DARK.card.lower()
    assert LIGHT.text.lower() in svg
    assert DARK.text.lower() not in svg
    assert kept == (2.0, 4.0)
