"""A long conversation on the page: its end first, the rest as the reader comes near."""

from datetime import UTC, datetime

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.message import Message, Text
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.messages import MessageRepository
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.history import FIRST_MESSAGES, History
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.transcript import Transcript
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.harness import PageHarness
from tests.waiting import until

END = RoundEnded("complete")


async def long(made: PageHarness, messages: int) -> Conversation:
    words = [f"question {at}" if at % 2 == 0 else f"answer {at}" for at in range(messages)]
    conversation = await made.open(*words)
    await until(lambda: made.view.history.loaded_count == min(messages, FIRST_MESSAGES))
    return conversation


def bottom(made: PageHarness) -> int:
    bar = made.view.transcript.verticalScrollBar()
    return bar.maximum() - bar.value()


async def scroll_to_top(made: PageHarness) -> None:
    made.view.transcript.verticalScrollBar().setValue(0)
    await made.idle()


async def test_a_long_conversation_opens_at_its_end(qapp: object, harness: MakeHarness) -> None:
    made = harness()

    await long(made, 200)

    assert made.questions[-1] == "question 198"
    assert made.answers[-1] == "answer 199"
    assert len(made.view.transcript.entries) == FIRST_MESSAGES
    assert bottom(made) == 0


async def test_older_messages_come_when_the_reader_nears_the_top(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    await long(made, 100)
    first = made.view.transcript.entries[0]
    made.view.transcript.verticalScrollBar().setValue(0)
    before = first.mapTo(made.page, first.rect().topLeft()).y()

    await made.idle()

    assert len(made.view.transcript.entries) > FIRST_MESSAGES
    assert first.mapTo(made.page, first.rect().topLeft()).y() == before


async def test_reading_to_the_very_beginning(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    await long(made, 60)

    while made.questions[0] != "question 0":
        await scroll_to_top(made)

    assert made.questions == [f"question {at}" for at in range(0, 60, 2)]


async def test_only_so_many_messages_are_alive(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    await long(made, 240)
    while made.questions[0] != "question 0":
        await scroll_to_top(made)
        assert made.view.history.loaded_count <= 120

    bar = made.view.transcript.verticalScrollBar()
    while not made.view.history.is_at_end:
        bar.setValue(bar.maximum())
        await made.idle()
        assert made.view.history.loaded_count <= 120

    assert made.answers[-1] == "answer 239"


async def test_a_question_asked_from_far_above_is_put_at_the_end(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("here"), END])
    await long(made, 240)
    while made.questions[0] != "question 0":
        await scroll_to_top(made)

    await made.ask("and now?")

    assert made.questions[-2:] == ["question 238", "and now?"]
    assert made.answers[-2:] == ["answer 239", "here"]
    assert bottom(made) == 0


async def test_new_words_do_not_move_a_reader_who_is_elsewhere(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("word " * 2000), END])
    await long(made, 30)
    made.page.ask("go on")
    await until(lambda: made.view.is_running)
    bar = made.view.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    entry = made.view.transcript.entries[20]
    before = entry.mapTo(made.page, entry.rect().topLeft()).y()

    await made.settled()

    assert entry.mapTo(made.page, entry.rect().topLeft()).y() == before
    assert made.view.transcript.jump_button.isVisible()
    made.view.transcript.jump_button.click()
    assert bottom(made) == 0
    assert not made.view.transcript.jump_button.isVisible()


async def test_a_reader_at_the_end_stays_there(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("word " * 2000), END])
    await long(made, 30)

    await made.ask("go on")

    assert bottom(made) == 0
    assert not made.view.transcript.jump_button.isVisible()


async def test_another_width_keeps_what_is_read_in_place(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    await made.open(*["question", "long answer " * 100] * 15)
    await made.idle()
    bar = made.view.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    top = made.view.transcript.top_entry
    assert top is not None

    made.page.resize(420, 600)
    await until(lambda: made.view.transcript.viewport().width() <= 420)

    assert made.view.transcript.top_entry is top


async def test_words_are_found_in_what_is_not_on_the_page(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    words = [f"message {at}" for at in range(300)]
    words[11] = "the Crateras are here, and crateras again"
    await made.open(*words)

    made.page.open_find()
    made.page.find_bar.set_search_text("CRATERAS")
    await until(lambda: made.page.find_bar.count == "2 of 2")
    await made.idle()

    assert any("Crateras" in answer for answer in made.answers)
    made.page.find_bar.step_requested.emit(1)
    await made.idle()
    assert made.page.find_bar.count == "1 of 2"


async def test_what_is_found_is_marked_until_the_bar_closes(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    await made.open("which?", "lixo and **Lixo**")
    made.page.open_find()
    made.page.find_bar.set_search_text("lixo")
    await made.idle()
    (_question, view) = made.view.all_text_views()
    assert len(view.extraSelections()) == 2

    made.page.find_bar.closed.emit()

    assert view.extraSelections() == []
    assert made.page.find_bar.isHidden()


class Shelf(MessageRepository):
    """Two thousand messages, in memory."""

    def __init__(self) -> None:
        self.read = 0
        self._messages = [
            Message(
                at,
                "user" if at % 2 == 0 else "assistant",
                (Text(f"message {at}"),),
                datetime(2026, 2, 1, tzinfo=UTC),
                end="complete",
            )
            for at in range(2000)
        ]

    @override
    async def latest(
        self, conversation: str, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        self.read += limit
        return self._messages[:before][-limit:]


async def test_of_two_thousand_messages_only_the_last_are_read(qapp: object, qtbot: QtBot) -> None:
    transcript = Transcript()
    qtbot.addWidget(transcript)
    shelf = Shelf()
    history = History(
        "x",
        shelf,
        transcript,
        make_question=lambda message: QuestionView(message.text, message=message.id),
        make_answer=lambda message: AnswerView(
            make_card=lambda _widget: QWidget(), message=message.id
        ),
    )

    await history.open()

    assert shelf.read == FIRST_MESSAGES
    newest = transcript.entries[-1]
    assert isinstance(newest, AnswerView)
    assert newest.text == "message 1999"
    assert history.has_older


async def test_leaving_while_it_opens_does_no_harm(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    first = await made.conversation(*["question", "answer"] * 20)
    second = await made.conversation("other", "thing")
    opening = made.tasks.start(made.page.open(first, made.agent))
    await until(lambda: made.page.view is not None)

    await made.page.open(second, made.agent)

    await opening
    await made.idle()
    assert made.answers == ["thing"]
