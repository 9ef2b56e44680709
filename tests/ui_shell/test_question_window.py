"""The form of a question at the window: chosen by keyboard, seen at once, sent, edited, kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.message import ChosenPlan
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.approvals import InterpretationRow
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.shell.question_window import QuestionWindow
from qhub_desktop.ui.theme import OPERATOR_TARGET_PX
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

GLOVES = Settings(language="en", engine="offline", theme="light", is_operator_mode=True)
PARTS = "part;colour;thickness\nA;blue;1.5\nB;green;2.5\nC;blue;3.5\nD;red;8.5\n"


@asynccontextmanager
async def shown(
    application: QApplication, folder: Path
) -> AsyncIterator[tuple[WindowHarness, QuestionWindow]]:
    """A window with a file in a conversation, and the form, opened by its key."""
    file = folder / "parts.csv"
    file.write_text(PARTS, encoding="utf-8")
    async with opened(application, settings=GLOVES) as harness:
        window = harness.window
        await until(lambda: window.frame.centre.page.readings() is not None, "what reads questions")
        await window.frame.centre.ensure_conversation()
        window.controller.files.import_files([file])
        await until(lambda: window.frame.panel.profiles, "the file")
        window.frame.centre.page.composer.choices_button.click()
        form = window.findChild(QuestionWindow)
        assert isinstance(form, QuestionWindow)
        await settled(form)
        yield harness, form


async def settled(form: QuestionWindow) -> None:
    await until(lambda: form.making is not None and form.making.done(), "what it comes to")


async def pick(form: QuestionWindow, path: tuple[str | int, ...], label: str) -> None:
    """Choose by the keys of a list, as somebody without a mouse does."""
    control = next(row.controls[path] for row in form.rows.values() if path in row.controls)
    labels = [control.list.itemText(at) for at in range(control.list.count())]
    control.list.setFocus()
    QTest.keyClick(control.list, Qt.Key.Key_Home)
    for _step in range(labels.index(label)):
        QTest.keyClick(control.list, Qt.Key.Key_Down)
    await settled(form)


async def test_a_question_is_chosen_seen_and_sent(qapp: QApplication, tmp_path: Path) -> None:
    async with shown(qapp, tmp_path) as (harness, form):
        assert form.outcome.heading.text() == "4"
        assert form.sentence.text() == "How many rows"
        assert form.ask_button.height() >= OPERATOR_TARGET_PX

        await pick(form, ("statistic",), "mean")
        assert form.outcome.heading.text() == "4"
        await pick(form, ("filters", 0), "colour")
        await pick(form, ("filters", 0, "values", 0), "blue")
        assert form.outcome.heading.text() == "2.5"
        assert form.sentence.text() == "Mean of thickness, with colour blue"
        await pick(form, ("dimension",), "part")
        await pick(form, ("shown",), "bars")
        assert form.outcome.card is not None
        assert form.form is not None
        plan, text = form.form.plan, form.sentence.text()

        form.ask_button.click()
        page = harness.window.frame.centre.page
        await until(lambda: page.findChildren(InterpretationRow), "the answer")
        await until(lambda: page.view is not None and not page.view.is_running, "its end")
        conversation = harness.window.frame.centre.conversation
        assert conversation is not None
        question, answer = await harness.program.store.messages.latest(conversation.id)
        assert question.text == text
        assert ChosenPlan(plan or {}) in question.blocks

        (row,) = page.findChildren(InterpretationRow)
        row.form_button.click()
        again = harness.window.findChildren(QuestionWindow)[-1]
        await settled(again)
        assert again.form is not None
        assert again.form.plan == plan
        assert answer.role == "assistant"
        for window in forms(harness):
            window.close()
        await until(lambda: not forms(harness), "the end of the forms")
        card = page.findChildren(WidgetCard)[-1]
        first = card.menu.actions()[0]
        assert first.text() == "Change it by choices"
        first.trigger()
        await until(lambda: any(map(QWidget.isVisible, forms(harness))), "the form of the card")
        last = forms(harness)[-1]
        await settled(last)
        assert last.form is not None
        assert last.form.plan == plan


def forms(harness: WindowHarness) -> list[QuestionWindow]:
    return harness.window.findChildren(QuestionWindow)


async def test_a_question_goes_on_in_words_or_is_kept(qapp: QApplication, tmp_path: Path) -> None:
    async with shown(qapp, tmp_path) as (harness, form):
        await pick(form, ("statistic",), "share of the rows")
        problems = [each.text() for each in form.rows["statistic",].findChildren(StatusLabel)]
        assert any(each.startswith("A share is of something") for each in problems)
        assert not form.ask_button.isEnabled()
        await pick(form, ("dimension",), "colour")
        form.keep_button.click()
        patterns = harness.program.store.patterns
        await until(lambda: not form.status.isHidden(), "that it is kept")
        assert await patterns.kept() == ["Percentage of rows by colour"]

        page = harness.window.frame.centre.page
        page.composer.question_box.set_text("half a")
        form.edit_button.click()
        assert page.composer.text == "Percentage of rows by colour"
        page.composer.question_box.undo()
        assert page.composer.text == "half a"
        await patterns.forget("Percentage of rows by colour")
        assert await patterns.kept() == []
