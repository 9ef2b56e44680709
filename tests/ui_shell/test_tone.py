"""Tone in the window: what hurry or annoyance in a question changes, and that none of it stays."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox

from qhub_desktop.core.tone import BRIEF
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.approvals import NextQuestions
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until

ANNOYED = "não percebes nada, quantos defeitos no turno da noite?"
CALM = "quantos defeitos no turno da noite?"
CALL = "Chame o responsável"


async def ask(harness: WindowHarness, question: str) -> str:
    """Type a question and send it; return the words of its answer, and of what it offers next."""
    page = harness.window.frame.centre.page
    page.composer.question_box.setFocus()
    page.composer.question_box.insertPlainText(question)
    QTest.keyClick(page.composer.question_box, Qt.Key.Key_Return)
    await until(lambda: page.view is not None and page.view.is_running, "the answer begins")
    view = page.view
    assert view is not None
    await until(lambda: not view.is_running, "the answer ends")
    answers = [each for each in view.transcript.entries if isinstance(each, AnswerView)]
    offered = [
        button.text() for each in answers[-1].findChildren(NextQuestions) for button in each.buttons
    ]
    return "\n".join([answers[-1].text, *offered])


async def test_annoyance_brings_the_next_step_and_then_whoever_is_responsible(
    qapp: QApplication,
) -> None:
    async with opened(qapp) as harness:
        switch = harness.window.controller.open_settings("abilities").fields["tone"].control
        assert isinstance(switch, QCheckBox)
        assert not switch.isChecked()
        unnoticed = await ask(harness, ANNOYED)
        switch.setChecked(True)
        await until(lambda: harness.program.settings.tone, "the setting")

        harness.window.frame.new_conversation("qualidade")
        calm = await ask(harness, CALM)
        first = await ask(harness, ANNOYED)
        second = await ask(harness, ANNOYED)

        assert all("59" in each for each in (unnoticed, calm, first, second))
        assert len(calm.splitlines()) > len(first.splitlines())
        assert len(unnoticed.splitlines()) > len(first.splitlines())
        assert CALL in second
        assert CALL not in first
        stored = harness.program.store.settings.database.run_now(
            lambda db: "\n".join(db.iterdump())
        )
        assert ANNOYED in stored
        assert not any(each in stored for each in (BRIEF, "<tom>", "frustrated", '"tom"'))
