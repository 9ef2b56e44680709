"""The panel of a study at the window: made by choices alone, wrong at the control, put away."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.settings import Settings
from qhub_desktop.core.study import STUDY_TOOLS, AskedStudy, Study
from qhub_desktop.tools.studies import METHODS
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.charts.study_card import StudyView
from qhub_desktop.ui.chat.approvals import FormOffer
from qhub_desktop.ui.controls.input_controls import BoxControl, LineControl, TilesControl
from qhub_desktop.ui.shell.study_window import StudyWindow
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

LOCAL = Settings(language="en", engine="offline", theme="light")


def readings(folder: Path) -> Path:
    """Ten parts numbered 1 to 10, three operators, three readings each."""
    chance = random.Random(5)
    lines = [
        f"{part};{operator};{part + chance.gauss(0, 0.1):.3f}"
        for part in range(1, 11)
        for operator in ("Ana", "Rui", "Eva")
        for _reading in range(3)
    ]
    file = folder / "grr.csv"
    file.write_text("\n".join(("Part;Operator;Reading", *lines)), encoding="utf-8")
    return file


class Panel:
    """The panel, and what it has made."""

    def __init__(self, form: StudyWindow) -> None:
        self.form = form
        self.made: list[Study] = []
        form.made.connect(self.made.append)

    async def study(self) -> Study:
        """The next study that is made."""
        await until(lambda: self.made, "a study")
        return self.made.pop()

    async def is_stale(self) -> None:
        await until(lambda: self.form.is_stale, "a fault")

    def choose(self, name: str, words: str) -> None:
        """Choose from a box as a person does, by the keyboard."""
        control = self.form.controls[name]
        assert isinstance(control, BoxControl)
        control.box.setFocus()
        control.box.setCurrentIndex(control.box.findText(words))
        control.box.activated.emit(control.box.currentIndex())

    def type_in(self, name: str, typed: str) -> None:
        control = self.form.controls[name]
        assert isinstance(control, LineControl | BoxControl)
        line = control.line if isinstance(control, LineControl) else control.box.lineEdit()
        assert line is not None
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, typed)

    def shown(self) -> set[str]:
        """The fields that are asked for."""
        return {name for name, each in self.form.controls.items() if not each.isHidden()}


@asynccontextmanager
async def shown(
    application: QApplication, folder: Path
) -> AsyncIterator[tuple[WindowHarness, Panel]]:
    """A window with the readings, and the panel that the menu opens."""
    async with opened(application, settings=LOCAL) as harness:
        frame = harness.window.frame
        harness.window.controller.files.import_files([readings(folder)])
        await until(lambda: "grr.csv" in [each.file for each in frame.panel.profiles], "the file")
        yield harness, Panel(harness.window.controller.windows.open_statistics())


def test_every_study_has_a_form() -> None:
    assert {*METHODS} == STUDY_TOOLS


async def test_a_study_is_made_by_choices_alone_and_put_into_the_conversation(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with shown(qapp, tmp_path) as (harness, panel):
        form = panel.form
        # The columns say what it is for.
        assert (await panel.study()).method == "estudo_rr"
        assert form.given == {"coluna": "Reading", "peca": "Part", "operador": "Operator"}
        assert "referencia" not in panel.shown()

        panel.choose("metodo", "Crossed, averages and ranges")
        study = await panel.study()
        assert dict(study.facts)["Method"] == "Crossed, averages and ranges"
        panel.type_in("tolerancia", "4")
        assert dict((await panel.study()).facts)["R&R, of the tolerance"]

        # A fault is said where it is, and nothing can be kept until it is mended.
        panel.type_in("tolerancia", "0")
        await panel.is_stale()
        assert form.controls["tolerancia"].fault.text() == "More than 0."
        assert not form.keep_button.isEnabled()
        panel.type_in("tolerancia", "5")
        await panel.study()
        panel.choose("operador", "–")
        await panel.is_stale()
        assert "Name Operator." in form.controls["operador"].fault.text()
        panel.choose("operador", "Operator")
        await panel.study()

        # The next study goes on with what both take.
        form.method_box.setCurrentIndex(form.method_box.findData("carta_controlo"))
        form.method_box.activated.emit(0)
        assert (await panel.study()).method == "carta_controlo"
        assert form.given["coluna"] == "Reading"
        panel.choose("subgrupo", "3 in a row")
        assert len((await panel.study()).points.rows) == 30  # type: ignore[union-attr]
        rules = form.controls["regras"]
        assert isinstance(rules, TilesControl)
        rules.tiles["nelson5"].click()
        await panel.study()
        panel.type_in("etapas", "11; 99")
        await panel.is_stale()
        assert 'no point "99"' in form.controls["etapas"].fault.text()
        panel.choose("etapas", "Part")
        await panel.study()
        assert form.given["etapas"] == "Part"
        panel.type_in("etapas", "11")
        await panel.study()
        given = {**form.given}

        assert form.keep_button.shortcut().toString() == "Ctrl+Return"
        form.keep_button.click()
        await until(lambda: harness.window.frame.findChildren(StudyView), "the card")
        (view,) = harness.window.frame.findChildren(StudyView)
        assert view.study.arguments is not None
        assert view.study.arguments["etapas"] == given["etapas"] == ["11"]
        assert view.said["subgrupo"].text() == "Subgroup: 3"

        # The card leads back to the form, at the field of the chip, and from its menu.
        card = view.parentWidget()
        assert isinstance(card, WidgetCard)
        assert card.menu.actions()[0].text() == "Change it by choices"
        view.said["subgrupo"].click()
        await until(lambda: harness.window.findChildren(StudyWindow), "the form")
        again = harness.window.findChildren(StudyWindow)[-1]
        await until(lambda: again.controls, "its fields")
        assert again.given == given


async def test_a_study_that_failed_in_words_is_mended_in_its_form(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with shown(qapp, tmp_path) as (harness, panel):
        await panel.study()
        failed = AskedStudy("carta_controlo", {"tipo": "p", "coluna": "Reading"})
        panel.form.begin(failed)
        await panel.is_stale()
        assert "(volume)" not in panel.form.controls["volume"].fault.text()
        assert panel.form.controls["volume"].fault.isVisible()
        panel.form.close()

        page = harness.window.frame.centre.page
        page.ask("carta p de Reading")
        await until(lambda: page.findChildren(FormOffer), "the way to the form")
        page.findChildren(FormOffer)[0].button.click()
        await until(lambda: harness.window.findChildren(StudyWindow), "the form")
        form = harness.window.findChildren(StudyWindow)[-1]
        await until(lambda: form.is_stale, "its fault")
        assert form.controls["volume"].fault.isVisible()
