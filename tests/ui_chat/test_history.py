"""A long conversation on the page: its end first, the rest as the reader comes near."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.core.message import Message, Text, ToolCall, ToolResult
from qhub_desktop.core.result_widgets import Kpi
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.messages import MessageRepository
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import AnswerNote
from qhub_desktop.ui.chat.history import FIRST_MESSAGES, History
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.tool_line import ToolLine
from qhub_desktop.ui.chat.transcript import Transcript
from qhub_desktop.ui.theme import GRID_PX
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


async def test_a_repair_keeps_the_place(harness: MakeHarness) -> None:
    made = harness()
    talk = await long(made, 24)
    damaged = (await made.store.messages.latest(talk.id, limit=4))[-1].id
    with closing(sqlite3.connect(made.store.path, isolation_level=None)) as db:
        db.execute("UPDATE blocks SET data = replace(data, 'answer', 'words') WHERE message > 4")
    await made.page.open(await made.conversation("other", "yes"), made.agent)
    await made.page.open(talk, made.agent)
    entry = made.view.history.entry(damaged)
    assert entry is not None
    made.view.transcript.scroll_to_entry(entry)
    before = made.view.transcript.top_entry
    assert isinstance(before, QuestionView | AnswerView)
    assert before.message is not None

    notes = [each for answer in made.entries(AnswerView) for each in answer.entries(AnswerNote)]
    assert notes[-1].button is not None
    notes[-1].button.click()
    await made.idle()

    left = [each for answer in made.entries(AnswerView) for each in answer.entries(AnswerNote)]
    assert [each for each in left if each.action == "repair"] == []
    shown = made.view.transcript.viewport().height()
    again = made.view.history.entry(before.message)
    assert again is not None
    assert 0 <= again.y() - made.view.transcript.verticalScrollBar().value() < shown


async def test_a_stored_call_is_called_as_its_tool_is_today(harness: MakeHarness) -> None:
    made = harness()
    talk = await made.conversation("soma", "está")
    await made.store.messages.add(talk.id, "user", [Text("outra vez")])
    for name, id_ in (("somar", "1"), ("ja_nao_ha", "2")):
        await made.answered(talk, ToolCall(id_, name, {}), ToolResult(id_, {"soma": 3}, ms=4))
    await made.page.open(talk, made.agent)
    await until(lambda: len(made.page.findChildren(ToolLine)) == 2)

    texts = [each.text for each in made.page.findChildren(ToolLine)]

    assert sorted(texts) == ["A somar · 4 ms", "Ja nao ha · 4 ms"]


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


async def test_a_long_answer_is_read_from_its_question(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("word " * 2000), END])
    await long(made, 30)

    await made.ask("go on")

    (question,) = [each for each in made.entries(QuestionView) if each.text == "go on"]
    assert question.mapTo(made.view.transcript.viewport(), QPoint(0, 0)).y() == GRID_PX
    assert made.view.transcript.jump_button.isVisible()
    assert made.view.transcript.jump_button.text() == "Continues below"
    made.view.transcript.jump_button.click()
    assert bottom(made) == 0


async def test_a_short_answer_is_read_at_the_end(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("Yes."), END])
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


async def test_a_long_question_is_folded_until_its_end_is_wanted(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    pasted = "\n".join(f"row {at}; crateras; 12" for at in range(60))
    await made.open(pasted, "Too long.", "short", "Yes.")
    long, short = made.entries(QuestionView)
    whole = long.text_view.heightForWidth(long.text_view.width())
    assert long.fold_button is not None
    assert short.fold_button is None
    assert long.height() < whole / 4
    assert long.height() == long.heightForWidth(long.width())

    QTest.mouseClick(long.fold_button, Qt.MouseButton.LeftButton)
    await until(lambda: long.height() > whole)
    assert long.fold_button.text() == "Show less"
    QTest.mouseClick(long.fold_button, Qt.MouseButton.LeftButton)
    await until(lambda: long.height() < whole / 4)

    made.page.open_find()
    made.page.find_bar.set_search_text("row 57")
    await until(lambda: not long.is_folded)


async def test_a_card_is_found_by_its_title(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    talk = await made.conversation("how many?")
    shown = ToolResult("1", {}, widget=Kpi("Crateras na noite", 21, ""))
    await made.answered(talk, ToolCall("1", "gerar_kpi", {}), shown, Text("There are 21."))
    await made.page.open(talk, made.agent)
    made.page.open_find()
    made.page.find_bar.set_search_text("crateras")
    await until(lambda: made.page.find_bar.count == "1 of 1")

    await until(lambda: made.view.transcript.findChildren(QFrame, "marker"))
    (card,) = made.view.findChildren(WidgetCard)
    (marker,) = made.view.transcript.findChildren(QFrame, "marker")
    assert marker.height() == card.height()


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
                MessageId(at),
                "user" if at % 2 == 0 else "assistant",
                (Text(f"message {at}"),),
                datetime(2026, 2, 1, tzinfo=UTC),
                end="complete",
            )
            for at in range(2000)
        ]

    @override
    async def latest(
        self, conversation: ConversationId, *, before: int | None = None, limit: int = 50
    ) -> list[Message]:
        self.read += limit
        return self._messages[:before][-limit:]


async def test_of_two_thousand_messages_only_the_last_are_read(qapp: object, qtbot: QtBot) -> None:
    transcript = Transcript()
    qtbot.addWidget(transcript)
    shelf = Shelf()
    history = History(
        ConversationId("x"),
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
