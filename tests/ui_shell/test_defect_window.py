"""The form of defects at the window: tapped, repeated, taken back, opened from words."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from qhub_desktop.core.dataset import plant_shift
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.message import RECORD_TOOL
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.chat.approvals import FormOffer
from qhub_desktop.ui.shell import defect_window
from qhub_desktop.ui.shell.defect_window import DefectWindow
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import LOOK_S, PATIENCE_S, until

GLOVES = Settings(language="en", engine="offline", theme="light", is_operator_mode=True)
FIRST = {"operador": "Julia", "material": "PP_Negro", "rack": "R12", "posicao": "4"}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defect_window, "PAUSE_S", 0.0)


def tap(target: QWidget) -> None:
    QTest.mouseClick(target, Qt.MouseButton.LeftButton)


def records_it(form: DefectWindow) -> None:
    assert form.record_button.isEnabled()
    tap(form.record_button)


async def recorded(harness: WindowHarness) -> list[tuple[object, ...]]:
    """The defects beyond those that ship, without their numbers."""
    return [row[1:] for row in (await harness.program.store.defects.log()).rows[200:]]


async def until_recorded(harness: WindowHarness, count: int) -> list[tuple[object, ...]]:
    found = await recorded(harness)
    end = asyncio.get_running_loop().time() + PATIENCE_S
    while len(found) != count:
        assert asyncio.get_running_loop().time() < end, f"{len(found)} defects, not {count}"
        await asyncio.sleep(LOOK_S)
        found = await recorded(harness)
    return found


@asynccontextmanager
async def shown(
    application: QApplication, settings: Settings = GLOVES
) -> AsyncIterator[tuple[WindowHarness, DefectWindow]]:
    """A window and its form, opened by the button that operators always have."""
    async with opened(application, settings=settings) as harness:
        tap(harness.window.frame.sidebar.report_button)
        form = harness.window.findChild(DefectWindow)
        assert isinstance(form, DefectWindow)
        await until(lambda: form.fields and form.fields["turno"].value, "the form")
        yield harness, form


def fill_in_first(form: DefectWindow) -> None:
    for name, value in FIRST.items():
        tap(form.fields[name].tiles[value])


async def test_a_defect_like_the_last_one_takes_two_taps(qapp: QApplication) -> None:
    async with shown(qapp) as (harness, form):
        tap(form.fields["tipo_defeito"].tiles["gordura"])
        assert "Operator" in form.summary.text()
        assert not form.record_button.isEnabled()
        fill_in_first(form)
        records_it(form)
        await until_recorded(harness, 1)
        await until(lambda: form.fields["tipo_defeito"].value is None)

        tap(form.fields["tipo_defeito"].tiles["lixo"])
        await until(form.record_button.isEnabled)
        records_it(form)
        found = await until_recorded(harness, 2)
        tile = form.fields["tipo_defeito"].tiles["lixo"]
        await until(lambda: tile.value == "1")

    shift = plant_shift(datetime.now().astimezone(), {})
    assert found == [
        (date.today(), shift, "Julia", "gordura", "PP_Negro", "R12", 4),
        (date.today(), shift, "Julia", "lixo", "PP_Negro", "R12", 4),
    ]


async def test_the_next_form_begins_where_the_last_defect_was(qapp: QApplication) -> None:
    async with shown(qapp) as (harness, form):
        tap(form.fields["tipo_defeito"].tiles["gordura"])
        fill_in_first(form)
        records_it(form)
        await until_recorded(harness, 1)
        form.close()
        await until(lambda: harness.window.findChild(DefectWindow) is None)

        again = harness.window.controller.windows.open_defects()
        await until(lambda: again.last, "the last defect")
        for _tap in range(2):
            tap(again.more_button)
        assert again.repeat_button.text().strip() == "3 more alike"
        tap(again.repeat_button)
        found = await until_recorded(harness, 4)

        assert len(set(found)) == 1
        await until(lambda: again.toast.text.startswith("Recorded: 3 × gordura"))
        tap(again.toast.buttons[0])
        assert await until_recorded(harness, 1) == found[:1]
        await until(lambda: again.toast.text.startswith("Taken out again: 3 × gordura"))
        (entry,) = [
            each for each in await harness.program.store.audit.listed() if each.action == "delete"
        ]
        assert entry.detail["rows"] == 3


async def test_it_is_filled_in_and_recorded_by_the_keyboard_alone(qapp: QApplication) -> None:
    async with opened(qapp, settings=GLOVES) as harness:
        QTest.keyClick(harness.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        form = harness.window.findChild(DefectWindow)
        assert isinstance(form, DefectWindow)
        form.fill({"operador": "Júlia", "material": "ABS_Cinza", "rack": "R7", "posicao": 55})
        await until(lambda: form.fields and form.fields["turno"].value)
        form.activateWindow()
        await until(form.isActiveWindow)

        QTest.keyClick(_focused(form), Qt.Key.Key_Space)
        QTest.keyClick(_focused(form), Qt.Key.Key_Right)
        chosen = form.fields["tipo_defeito"].value
        QTest.keyClick(_focused(form), Qt.Key.Key_Return)
        ((_day, _shift, operator, type_, _material, rack, position),) = await until_recorded(
            harness, 1
        )
        await until(lambda: form.toast.text)
        QTest.keyClick(_focused(form), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        await until_recorded(harness, 0)

        assert (operator, type_, rack, position) == ("Júlia", chosen, "R7", 55)
        assert chosen == [*form.fields["tipo_defeito"].tiles][1]


async def test_words_open_it_filled_in_and_what_is_no_number_is_missing(
    qapp: QApplication,
) -> None:
    async with opened(qapp, settings=replace(GLOVES, language="pt")) as harness:
        page = harness.window.frame.centre.page
        page.ask("regista um defeito: lixo, rack R12, posição 3")
        await until(lambda: page.findChildren(FormOffer), "the way to the form")
        await until(lambda: not page.running_conversations)
        tap(page.findChildren(FormOffer)[0].button)
        form = harness.window.findChild(DefectWindow)
        assert isinstance(form, DefectWindow)
        await until(lambda: form.fields and form.fields["turno"].value)

        assert form.given["tipo_defeito"] == "lixo"
        assert form.given["rack"] == "R12"
        assert form.given["posicao"] == 3
        assert "data" not in form.given  # today's
        form.fill({"data": "2026-03-02"})
        assert form.given["data"] == "2026-03-02"
        tap(form.today_button)
        assert "data" not in form.given
        form.fields["posicao"].other.setFocus()
        QTest.keyClicks(form.fields["posicao"].other, "1001")
        assert "posicao" not in form.given
        assert not form.record_button.isEnabled()


async def test_labels_choices_and_limits_are_the_tools(qapp: QApplication) -> None:
    async with shown(qapp) as (harness, form):
        about = harness.program.tools[RECORD_TOOL].input_fields()

        assert {*form.fields, "data", "quantos"} == {*about}
        assert {*form.fields["tipo_defeito"].tiles} == {*about["tipo_defeito"].choices}
        assert next(iter(form.fields["tipo_defeito"].tiles)) == "lixo"  # the most frequent
        assert form.fields["rack"].other.maxLength() == about["rack"].length == 40
        assert about["quantos"].label == "How many alike"
        small = [
            (each.accessibleName(), each.width(), each.height())
            for each in form.findChildren(QPushButton)
            if each.isVisible() and min(each.width(), each.height()) < 44
        ]
        assert small == []


@pytest.mark.parametrize(("zoom", "width"), [(1.0, 400), (3.0, 780)])
async def test_nothing_is_cut_sideways(qapp: QApplication, zoom: float, width: int) -> None:
    async with shown(qapp) as (harness, form):
        form.close()
        await until(lambda: harness.window.findChild(DefectWindow) is None)
        harness.appearance.zoom_to(zoom)
        again = harness.window.controller.windows.open_defects()
        await until(lambda: again.fields and again.fields["turno"].value, "the form")
        again.resize(width, 600)
        await until(lambda: again.record_button.mapTo(again, QPoint()).x() < width)
        assert again.width() == width
        cut = [
            each.accessibleName()
            for each in again.findChildren(QPushButton)
            if each.isVisible() and each.mapTo(again, QPoint(each.width(), 0)).x() > width
        ]
        assert cut == []


async def test_it_records_while_an_answer_is_under_way(qapp: QApplication) -> None:
    async with shown(qapp) as (harness, form):
        page = harness.window.frame.centre.page
        page.ask("what is the most frequent defect?")
        tap(form.fields["tipo_defeito"].tiles["lixo"])
        fill_in_first(form)
        records_it(form)
        await until_recorded(harness, 1)
        await until(lambda: not page.running_conversations)


async def test_a_record_that_fails_is_told_and_stays_filled_in(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_given: object, **_more: object) -> None:
        raise UserError("Another program is busy.")

    async with shown(qapp) as (harness, form):
        tap(form.fields["tipo_defeito"].tiles["lixo"])
        fill_in_first(form)
        monkeypatch.setattr(harness.program.store.defects, "record", busy)
        records_it(form)
        await until(lambda: form.status.text() == "Another program is busy.")

        assert form.fields["tipo_defeito"].value == "lixo"
        await until(form.record_button.isEnabled)
        assert form.toast.isHidden()


async def test_the_report_stays_at_hand_without_the_sidebar(qapp: QApplication) -> None:
    async with opened(qapp, settings=GLOVES) as harness:
        frame = harness.window.frame
        button = frame.centre.header.report_button
        assert button.isHidden()

        frame.toggle_sidebar()
        assert button.isVisible()
        assert button.height() >= 44
        assert button.mapTo(frame, QPoint(button.width(), 0)).x() <= frame.width()
        tap(button)
        assert harness.window.findChild(DefectWindow) is not None


def test_a_shift_is_the_stations_or_else_the_usual_one() -> None:
    def at(clock: str, **begins: str) -> str:
        return plant_shift(datetime.fromisoformat(f"2026-03-02T{clock}"), begins)

    assert [at("05:59"), at("06:00"), at("14:00"), at("22:00")] == [
        "noite",
        "manha",
        "tarde",
        "noite",
    ]
    own = {"Manhã": "7:30", "tarde": "15:30", "noite": "23:30"}
    assert [at("06:00", **own), at("07:30", **own), at("23:00", **own)] == [
        "noite",
        "manha",
        "tarde",
    ]
    assert at("12:00", A="00:00", B="12:00") == "manha"


def _focused(form: DefectWindow) -> QWidget:
    focused: QWidget | None = form.focusWidget()
    return form if focused is None else focused
