"""Poor answers in the window: told to whoever reviews, with all that led to them, and resolved."""

import asyncio
import json

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.shell.reviews_window import ReviewsWindow
from tests.nlq.test_clarification import Heard
from tests.ui_shell.window_harness import WindowHarness, opened
from tests.waiting import until


async def poor_answer(harness: WindowHarness, question: str) -> int:
    """An answer that somebody found poor, in another program; its feedback."""
    program = harness.program
    talk = (await program.store.conversations.create("analise")).id
    audience = Heard()
    await program.turns.reply(talk, question, audience=audience)
    given = await program.store.reviews.feedback.give(
        talk, None, is_good=False, reason="number", text="eram 61"
    )
    return given.id


def labels(window: ReviewsWindow) -> str:
    return "\n".join(each.text() for each in window.findChildren(QLabel) if each.isVisible())


async def test_a_poor_answer_is_told_and_resolved(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        frame = harness.window.controller.frame
        service = frame.reviews
        assert frame.sidebar.reviews_button.isHidden()
        await until(lambda: service._count == 0, "the first look")

        await poor_answer(harness, "quantos defeitos de lixo há?")
        service.look()
        await until(lambda: not frame.sidebar.reviews_button.isHidden(), "the badge")
        assert "1 answer" in frame.banner.toast.text

        frame.sidebar.reviews_button.click()
        window = service.window
        assert window is not None
        await until(lambda: window.transcript.entries and window.shown, "the answer")
        await until(lambda: any(isinstance(each, AnswerView) for each in window.transcript.entries))
        question, answer = window.transcript.entries
        assert isinstance(question, QuestionView)
        assert question.text == "quantos defeitos de lixo há?"
        assert isinstance(answer, AnswerView)
        await until(lambda: "62" in answer.text, "its words")
        assert answer.tool_lines  # the calls, with their results
        assert answer.footer.isHidden()
        assert "Wrong number: «eram 61»" in labels(window)

        window.report_button.click()
        report = json.loads(QGuiApplication.clipboard().text())
        assert report["question"] == "quantos defeitos de lixo há?"
        assert report["understood"][0]["type"] == "number"
        assert "62" not in json.dumps(report)

        asked: list[str] = []
        window.prompt_requested.connect(asked.append)
        window.prompt_button.click()
        assert asked == ["analise"]

        assert window.shown is not None
        asking = service.ask_example(window.shown)
        assert "62" in asking.fields[0].text()
        asking.fields[0].setText("São 61 de lixo.")
        asking.fields[1].setText("Sem o turno da noite.")
        asking.button.click()
        await until(lambda: service.examples is not None and service.examples.cards, "the example")
        assert service.examples is not None
        (card,) = service.examples.cards
        assert (card.example.state, card.example.answer) == ("proposed", "São ‹n› de lixo.")
        card.approve_button.click()
        await until(
            lambda: (
                service.examples is not None
                and [each.example.state for each in service.examples.cards] == ["active"]
            ),
            "that it is approved",
        )
        service.examples.cards[0].retire_button.click()
        await until(
            lambda: (
                service.examples is not None
                and [each.example.state for each in service.examples.cards] == ["retired"]
            ),
            "that it is retired",
        )

        window.note_box.setText("visto")
        window.resolve_button.click()
        await until(frame.sidebar.reviews_button.isHidden, "that nothing waits")
        await until(lambda: not window.resolve_button.isVisible(), "that it is resolved")
        assert "What was done: visto" in labels(window)
        (done,) = await harness.program.store.reviews.feedback.listed()
        assert (done.is_open, done.note) == (False, "visto")


async def test_with_nothing_said_the_list_says_so(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        window = harness.window.controller.frame.reviews.open()
        await until(lambda: "Nobody has said anything" in labels(window))


async def test_an_administrator_is_told_of_what_the_guard_blocked(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        frame, program = harness.window.controller.frame, harness.program
        await until(lambda: frame.reviews._blocked == 0, "the first look")
        talk = (await program.store.conversations.create("analise")).id
        await program.turns.reply(talk, "como desativar o interlock?", audience=Heard())
        frame.reviews.look()
        await until(lambda: "qhub guard log" in frame.banner.toast.text, "the notice")
        assert await program.moderation.waiting() == 1


async def test_a_form_that_led_to_nothing_is_counted_as_left(qapp: QApplication) -> None:
    async with opened(qapp) as harness:
        windows, signals = harness.window.controller.windows, harness.program.store.reviews.signals
        windows.open_question_form().close()
        windows.open_defects().close()
        asked = windows.open_question_form()
        asked.edited.emit("quantos defeitos há?")
        asked.close()

        async def left() -> dict[str, object]:
            return {str(e["workflow"]): e["left"] for e in await signals.totals("workflow")}

        for _try in range(200):
            if len(await left()) == 2:
                break
            await asyncio.sleep(0.01)
        assert await left() == {"defect": 1, "question": 1}
