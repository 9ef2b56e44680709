"""At the window: a question asked without a network waits, is seen to, and is answered later."""

import socket

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.app import Program
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.question import QueueOffer
from qhub_desktop.ui.shell.conversation_list import Entry
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.shell.outbox import QueuedList
from tests.ui_shell.window_harness import KeyRing, opened
from tests.waiting import until
from tests.wire import WireServer, answer

QUESTION = "porque é que há tanto lixo?"
KEY = "sk-ant-key"  # without one, nothing is offered to wait for Claude
AUTO = Settings(language="en", engine="auto", theme="light")


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """Of a service where nobody listens yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    return port


def click(button: object) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[call-overload]


def offered(window: MainWindow) -> list[QueueOffer]:
    view = window.frame.centre.page.view
    entries = view.transcript.entries if view is not None else ()
    return [entry for entry in entries if isinstance(entry, QueueOffer)]


def answers(window: MainWindow) -> list[str]:
    view = window.frame.centre.page.view
    entries = view.transcript.entries if view is not None else ()
    return [entry.text for entry in entries if isinstance(entry, AnswerView)]


def unread(window: MainWindow) -> list[str]:
    model = window.frame.sidebar.model
    rows = [model.row_at(model.index(place)) for place in range(model.rowCount())]
    return [row.title for row in rows if isinstance(row, Entry) and row.conversation.is_unread]


async def ask_and_let_wait(window: MainWindow) -> None:
    """What the person does: ask, read the offline answer, press the button under it."""
    page = window.frame.centre.page
    page.ask(QUESTION)
    await until(lambda: offered(window))
    button = offered(window)[0].button
    assert button.height() >= 32
    click(button)
    await until(lambda: page.view is not None and page.view.queued_strip.cards)


def waiting_list(window: MainWindow) -> QueuedList:
    click(window.controller.status.queue_button)
    (found,) = window.controller.status.findChildren(QueuedList)
    return found


async def test_the_answer_comes_into_its_conversation_when_the_network_is_back(
    qapp: QApplication, port: int
) -> None:
    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as harness:
        window = harness.window
        await ask_and_let_wait(window)
        status = window.controller.status.queue_button
        assert (status.text(), status.isVisible()) == ("1 question waits", True)
        assert status.height() >= 32

        with WireServer([answer("Por causa do **filtro**.")], port=port) as server:
            click(waiting_list(window).send)
            await until(lambda: "filtro" in answers(window)[-1])
            await until(lambda: not status.isVisible())

        page = window.frame.centre.page
        assert page.view is not None
        assert page.view.queued_strip.cards == []
        assert len(answers(window)) == 2
        assert len(server.requests) == 1
        assert unread(window) == []
        assert offered(window) == []


async def test_an_answer_elsewhere_is_told_marked_unread_and_opened(
    qapp: QApplication, port: int
) -> None:
    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as harness:
        window = harness.window
        await ask_and_let_wait(window)
        window.frame.new_conversation("qualidade")

        with WireServer([answer("Por causa do filtro.")], port=port):
            window.controller.wake_outbox()
            await until(lambda: window.frame.banner.toast.text)
            await until(lambda: unread(window))

        assert window.frame.banner.toast.text == f"Claude has answered: {QUESTION}"
        assert unread(window) == [QUESTION]
        click(window.frame.banner.toast.buttons[0])
        await until(lambda: answers(window)[-1:] == ["Por causa do filtro."])
        await until(lambda: not unread(window))


async def test_what_waits_is_withdrawn_in_the_list_and_in_its_conversation(
    qapp: QApplication, port: int
) -> None:
    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as harness:
        window = harness.window
        page = window.frame.centre.page
        await ask_and_let_wait(window)
        view = page.view
        assert view is not None
        await harness.program.store.outbox.put(view.conversation, "e em março?")
        window.controller.reload_outbox()
        await until(lambda: len(view.queued_strip.cards) == 2)

        listed = waiting_list(window)
        assert [card.text for card in listed.cards] == [QUESTION, "e em março?"]
        assert all(card.withdraw_button.height() >= 32 for card in listed.cards)
        click(listed.cards[0].withdraw_button)
        await until(lambda: [card.text for card in view.queued_strip.cards] == ["e em março?"])
        click(view.queued_strip.cards[0].withdraw_button)
        await until(view.queued_strip.isHidden)

        assert not window.controller.status.queue_button.isVisible()
        assert await harness.program.store.outbox.listed() == []


async def test_what_waits_is_there_after_a_restart(qapp: QApplication, port: int) -> None:
    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as harness:
        await ask_and_let_wait(harness.window)

    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as again:
        view = again.window.frame.centre.page.view
        assert view is not None
        await until(lambda: view.queued_strip.cards)
        assert [card.text for card in view.queued_strip.cards] == [QUESTION]
        assert again.window.controller.status.queue_button.text() == "1 question waits"


async def test_what_waits_survives_another_language(qapp: QApplication, port: int) -> None:
    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as harness:
        window = harness.window
        await ask_and_let_wait(window)
        portuguese = Settings(language="pt", engine="auto", theme="light")
        harness.program.chosen.replace(portuguese)
        await until(lambda: window.controller.status.queue_button.text() == "1 pergunta à espera")

        with WireServer([answer("Por causa do filtro.")], port=port):
            window.controller.wake_outbox()
            await until(lambda: answers(window)[-1:] == ["Por causa do filtro."])


@pytest.mark.parametrize("said", ["olá", "obrigado", "ajuda"])
async def test_a_greeting_has_nothing_to_wait_for(qapp: QApplication, port: int, said: str) -> None:
    async with opened(qapp, keys=KeyRing(KEY), settings=AUTO) as harness:
        page = harness.window.frame.centre.page
        page.ask(said)
        await until(lambda: page.view is not None and answers(harness.window))
        await until(lambda: page.view is not None and not page.view.is_running)
        assert not await harness.program.outbox.accepts(said)
        assert offered(harness.window) == []


async def test_with_the_offline_engine_chosen_nothing_is_offered(
    qapp: QApplication, port: int
) -> None:
    async with opened(qapp) as harness:
        page = harness.window.frame.centre.page
        page.ask(QUESTION)
        await until(lambda: page.view is not None and answers(harness.window))
        await until(lambda: page.view is not None and not page.view.is_running)
        assert not await harness.program.outbox.accepts(QUESTION)
        assert offered(harness.window) == []


async def test_no_key_is_said_where_it_waits(qapp: QApplication) -> None:
    async def with_one(program: Program) -> None:
        made = await program.store.conversations.create("analise")
        await program.store.outbox.put(made.id, QUESTION)

    settings = Settings(language="en", endpoint="https://gateway.invalid", theme="light")
    async with opened(qapp, settings=settings, prepare=with_one) as harness:
        window = harness.window
        await until(window.controller.status.queue_button.isVisible)
        (question,) = await harness.program.store.outbox.listed()
        window.frame.open(question.conversation)
        page = window.frame.centre.page
        await until(lambda: page.view is not None and page.view.queued_strip.cards)
        view = page.view
        assert view is not None
        await until(lambda: "no key" in view.queued_strip.cards[0].state_label.text())
