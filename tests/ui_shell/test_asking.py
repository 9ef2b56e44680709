"""At the window: a question in the middle of an answer that is not on screen."""

import asyncio
import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.chat import ask_card
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.ask_card import AskCard
from qhub_desktop.ui.shell.conversation_list import Entry
from qhub_desktop.ui.shell.main_window import MainWindow
from tests.ui_shell.window_harness import opened
from tests.waiting import until
from tests.wire import WireServer, answer, calls

QUESTION = "Quantos defeitos?"
SHIFT = (
    "perguntar_pessoa",
    {"pergunta": "Qual turno?", "opcoes": ["manha", "tarde", "noite"]},
)


def titles(window: MainWindow) -> list[str]:
    model = window.frame.sidebar.model
    rows = [model.row_at(model.index(place)) for place in range(model.rowCount())]
    return [row.accessible_text for row in rows if isinstance(row, Entry)]


def found(window: MainWindow) -> list[AskCard]:
    view = window.frame.centre.page.view
    return [] if view is None else view.findChildren(AskCard)


async def test_a_conversation_has_its_title_while_its_first_answer_waits(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WireServer([calls(SHIFT), answer("Falta-me o turno.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        settings = Settings(language="en", engine="claude", theme="light")
        async with opened(qapp, settings=settings) as harness:
            window = harness.window
            window.frame.centre.page.ask(QUESTION)
            await until(lambda: found(window))

            await until(lambda: titles(window) == [f"{QUESTION} (asks you something)"])
            await until(lambda: window.frame.centre.header.title == QUESTION, "the header")
            window.frame.centre.page.stop()
            await until(lambda: not window.frame.centre.page.running_conversations)


async def test_a_question_elsewhere_is_told_marked_and_answered_on_coming_back(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_card, "READ_MS", 0)
    script = [calls(SHIFT), calls(("contar_defeitos", {"turno": "noite"})), answer("Na noite: 59.")]
    with WireServer([*script]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
        settings = Settings(language="en", engine="claude", theme="light")
        async with opened(qapp, settings=settings) as harness:
            window = harness.window
            window.frame.centre.page.ask(QUESTION)
            await until(lambda: window.frame.centre.page.running_conversations)
            window.frame.new_conversation("qualidade")
            await until(lambda: window.frame.banner.toast.text == "An answer asks you: Qual turno?")
            await until(lambda: titles(window) == [f"{QUESTION} (asks you something)"])

            QTest.mouseClick(window.frame.banner.toast.buttons[0], Qt.MouseButton.LeftButton)
            await until(lambda: found(window))
            await asyncio.sleep(0.05)
            QTest.mouseClick(found(window)[0].options[2], Qt.MouseButton.LeftButton)
            view = window.frame.centre.page.view
            assert view is not None
            await until(lambda: not view.is_running)

            (shown,) = [e for e in view.transcript.entries if isinstance(e, AnswerView)]
            assert shown.text == "Na noite: 59."
            await until(lambda: titles(window) == [QUESTION])
        told = [request.body["messages"][-1]["content"][0] for request in server.requests[1:]]

    assert json.loads(told[0]["content"])["opcoes"] == ["noite"]
    assert json.loads(told[1]["content"])["total"] == 59
