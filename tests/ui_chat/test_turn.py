"""An answer as it comes: its order, its troubles, stopping it, asking again."""

import asyncio
import sqlite3
import sys
from contextlib import closing
from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from qhub_desktop.core.budget import BudgetSpentError
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import Fault, ServiceError, UserError
from qhub_desktop.core.events import (
    Answering,
    CostChoice,
    RoundEnded,
    StatusChanged,
    TextAdded,
    UsageCounted,
)
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Choice, ChosenPlan, Notice, Text, ToolCall
from qhub_desktop.core.settings import Settings
from qhub_desktop.store.backups import make
from qhub_desktop.store.messages import MessageRepository
from qhub_desktop.store.moderation import ModerationRepository
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat import approvals
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import AnswerNote, ErrorNotice, NumberLine
from qhub_desktop.ui.chat.feedback_card import FeedbackCard
from qhub_desktop.ui.chat.guard_line import GuardLine
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.text_views import MarkdownView
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.layouts import tab_stops
from tests.chat.fakes import Step
from tests.ui_chat.conftest import MakeHarness
from tests.waiting import until

END = RoundEnded("complete")


def call(name: str, id_: str = "c1", **given: Json) -> ToolCall:
    return ToolCall(id_, name, given)


class Gate:
    """Holds the model up until it is opened."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.is_reached = False

    def __call__(self) -> "asyncio.Future[None]":
        self.is_reached = True
        return asyncio.ensure_future(self._wait())

    def open(self) -> None:
        self._event.set()

    async def _wait(self) -> None:
        await self._event.wait()


@pytest.mark.parametrize(
    "question", ["how many?", "Porque é que há tanto lixo à noite?", "tanto lixo à noite " * 30]
)
async def test_a_question_is_seen_whole(qapp: object, harness: MakeHarness, question: str) -> None:
    made = harness([TextAdded("I do not know."), END])
    await made.open()

    await made.ask(question)
    await made.idle()

    (shown,) = made.entries(QuestionView)
    assert shown.text_view.document().size().height() <= shown.text_view.height()


async def test_words_calls_and_widgets_stand_in_order(qapp: object, harness: MakeHarness) -> None:
    made = harness(
        [
            TextAdded("First."),
            call("somar", "a", valores=[1, 2]),
            call("mostrar", "b", titulo="Rows"),
            RoundEnded("tools"),
        ],
        [TextAdded("Last."), END],
    )
    await made.open()

    answer = await made.ask("how many?")

    assert made.questions == ["how many?"]
    assert answer.text == "First.\n\nLast."
    assert [line.text.split(" · ")[0] for line in answer.tool_lines.values()] == [
        "A somar",
        "Mostrar",
    ]
    (card,) = answer.cards
    assert isinstance(card, WidgetCard)
    tops = [view.mapTo(answer, view.rect().topLeft()).y() for view in answer.views]
    card_top = card.mapTo(answer, card.rect().topLeft()).y()
    assert tops[0] < card_top < tops[1]


async def test_tab_reads_a_fresh_answer_down_to_the_next_question(
    qapp: object, harness: MakeHarness
) -> None:
    called = [call("mostrar", "b", titulo="Rows"), RoundEnded("tools")]
    made = harness(called, [TextAdded("Last."), END])
    await made.open()
    answer = await made.ask("Top 5?")
    stops = list(tab_stops(answer))
    walked: list[QWidget] = [stops[0]]
    while walked[-1] is not made.page.composer.question_box:
        following = walked[-1].nextInFocusChain()
        assert following is not None
        walked.append(following)

    assert [each for each in walked if each in stops] == stops
    assert next(iter(answer.tool_lines.values())).isAncestorOf(stops[0])
    assert answer.footer.isAncestorOf(stops[-1])


async def test_what_was_shown_is_there_on_reopening(qapp: object, harness: MakeHarness) -> None:
    made = harness(
        [TextAdded("First."), call("mostrar", titulo="Rows"), RoundEnded("tools")],
        [TextAdded("Last."), END],
    )
    conversation = await made.open()
    await made.ask("show")
    made.page.show_empty(made.view.agent)

    await made.page.open(conversation, made.agent)

    (answer,) = made.entries(AnswerView)
    assert answer.text == "First.\n\nLast."
    assert len(answer.tool_lines) == 1
    assert len(answer.cards) == 1
    assert len(made.model.requests) == 2  # nothing was run again


async def test_stopping_keeps_what_had_arrived(qapp: object, harness: MakeHarness) -> None:
    gate = Gate()
    made = harness([TextAdded("Half an "), gate, TextAdded("answer"), END])
    await made.open()
    made.page.ask("go on")
    await until(lambda: gate.is_reached and "Half" in made.answers[-1])
    assert made.page.composer.send_button.accessibleName() == "Stop the answer (Esc)"

    made.press(Qt.Key.Key_Escape)
    await made.settled()

    (answer,) = made.entries(AnswerView)
    assert answer.text == "Half an"
    assert [mark.text for mark in answer.entries(AnswerNote)] == ["Stopped."]
    assert made.page.composer.send_button.accessibleName() == "Send (Enter)"


async def test_an_answer_of_a_conversation_that_is_left_is_stopped_by_its_id(
    qapp: object, harness: MakeHarness
) -> None:
    gate = Gate()
    made = harness([TextAdded("Half an "), gate, TextAdded("answer"), END])
    left = await made.open()
    made.page.ask("go on")
    await until(lambda: gate.is_reached and "Half" in made.answers[-1])
    await made.open("another one")

    await made.page.stop_answer(left.id)

    stored = (await made.store.messages.latest(left.id))[-1]
    assert (stored.text, stored.end) == ("Half an ", "cancelled")
    gate.open()
    await made.idle()
    assert (await made.store.messages.latest(left.id))[-1] == stored
    await until(lambda: made.page.running_conversations == ())


@pytest.mark.parametrize("fault", get_args(Fault))
async def test_a_fault_offers_the_same_live_and_when_it_is_read_again(
    qapp: object, harness: MakeHarness, fault: Fault
) -> None:
    made = harness([ServiceError("It went wrong.", fault=fault)])
    conversation = await made.open()
    live = await made.ask("why?")
    await made.idle()
    offered = [error.button.text() if error.button else "" for error in live.entries(ErrorNotice)]

    await made.open("another one")
    await made.page.open(conversation, made.agent)
    await until(lambda: made.entries(AnswerView))

    (stored,) = made.entries(AnswerView)
    notices = stored.entries(ErrorNotice)
    assert [each.button.text() if each.button else "" for each in notices] == offered
    assert len(offered) == 1


async def test_trying_again_replaces_the_answer(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("One"), END], [TextAdded("Two"), END])
    conversation = await made.open()
    answer = await made.ask("which?")

    answer.footer.retry_button.click()
    await until(lambda: made.answers == ["Two"])
    await made.settled()

    assert made.questions == ["which?"]
    stored = await made.store.messages.latest(conversation.id)
    assert [message.text for message in stored] == ["which?", "Two"]


async def test_a_broken_answer_is_kept_and_offers_another_try(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness(
        [TextAdded("Half"), ServiceError("The connection broke.", fault="cut")],
        [TextAdded("Whole"), END],
    )
    await made.open()
    answer = await made.ask("go")
    (trouble,) = answer.entries(ErrorNotice)
    assert answer.text == "Half"
    assert trouble.text == "The connection broke."

    assert trouble.button is not None
    trouble.button.click()
    await until(lambda: made.answers == ["Whole"])
    await made.settled()


async def test_a_refused_key_leads_to_the_settings(qapp: object, harness: MakeHarness) -> None:
    made = harness([UserError("The key was refused.", fault="key")])
    await made.open()
    answer = await made.ask("go")

    (trouble,) = answer.entries(ErrorNotice)
    assert trouble.button is not None
    trouble.button.click()

    assert made.asked["open_settings"] == [("engine",)]


async def test_a_limit_offers_to_go_on(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("Part"), RoundEnded("tokens")], [TextAdded("Rest"), END])
    await made.open()
    answer = await made.ask("tell all")
    (mark,) = answer.entries(AnswerNote)
    assert mark.text == "Cut at the limit on the answer's length."

    assert mark.button is not None
    mark.button.click()
    await until(lambda: made.answers == ["Part", "Rest"])
    await made.settled()

    assert made.questions == ["tell all", "Continue"]
    assert mark.button.isHidden()


async def test_a_failed_tool_says_why(qapp: object, harness: MakeHarness) -> None:
    made = harness([call("falhar"), RoundEnded("tools")], [TextAdded("I see."), END])
    await made.open()

    answer = await made.ask("try")

    assert "não dá assim" in next(iter(answer.tool_lines.values())).text


async def test_a_tool_line_opens_to_input_query_and_result(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([call("somar", valores=[1, 2]), RoundEnded("tools")], [TextAdded("3"), END])
    await made.open()
    answer = await made.ask("1 + 2")
    (line,) = answer.tool_lines.values()

    line.toggle()

    shown = " ".join(line.details)
    assert '"valores"' in shown
    assert "SELECT 1" in shown
    assert '"soma": 3' in shown
    line.toggle()
    assert not line.is_open


@pytest.mark.parametrize("is_agreed", [True, False])
async def test_a_writing_tool_waits_for_the_person(
    qapp: object, harness: MakeHarness, is_agreed: bool
) -> None:
    made = harness([call("gravar", palavra="sim"), RoundEnded("tools")], [TextAdded("Ok"), END])
    await made.open()
    made.page.ask("write it")
    await until(made.approval)
    card = made.approval()
    assert card is not None
    assert made.toolbox.written == []
    await until(lambda: card.can_agree)

    (card.approve_button if is_agreed else card.decline_button).click()
    await made.settled()

    assert made.toolbox.written == (["sim"] if is_agreed else [])
    assert not card.is_open


async def test_nobody_typing_means_that_enter_agrees(qapp: object, harness: MakeHarness) -> None:
    made = harness([call("gravar", palavra="sim"), RoundEnded("tools")], [TextAdded("Ok"), END])
    await made.open()
    made.page.activateWindow()
    made.page.ask("write it")
    await until(made.approval)
    card = made.approval()
    assert card is not None
    await until(card.approve_button.hasFocus)
    await until(lambda: card.can_agree)

    QTest.keyClick(card.approve_button, Qt.Key.Key_Return)
    await made.settled()

    assert made.toolbox.written == ["sim"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
async def test_a_key_that_was_meant_for_something_else_agrees_to_nothing(
    qapp: object, harness: MakeHarness, key: Qt.Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approvals, "READ_MS", 60_000)
    made = harness([call("gravar", palavra="sim"), RoundEnded("tools")], [TextAdded("Ok"), END])
    await made.open()
    made.page.activateWindow()
    made.page.ask("write it")
    await until(made.approval)
    card = made.approval()
    assert card is not None
    await until(card.approve_button.hasFocus)

    for _press in range(5):
        QTest.keyClick(card.approve_button, key)
    card.approve_button.click()

    assert card.is_open
    card.decline_button.click()
    await made.settled()
    assert made.toolbox.written == []


async def test_what_is_agreed_to_has_signs_for_what_is_not_seen(
    qapp: object, harness: MakeHarness
) -> None:
    hidden = "lixo\u200b\u202egpj.exe\u2066\U000e0041\x1b[2K"
    made = harness(
        [call("gravar", palavra=hidden), RoundEnded("tools")],
        [call("calcular", codigo=f"x = '{hidden}\xa0'", descricao=hidden), RoundEnded("tools")],
        [TextAdded("Ok"), END],
        settings=Settings(python="ask"),
    )
    await made.open()
    made.page.ask("write it")
    await until(made.approval)
    card = made.approval()
    assert card is not None

    shown = [each.text() for each in card.findChildren(QLabel)]
    assert "lixo\ufffd\ufffdgpj.exe\ufffd\ufffd\u241b[2K" in shown
    await until(lambda: card.can_agree)
    card.approve_button.click()

    await until(lambda: made.approval() not in (None, card))
    code = made.approval()
    assert code is not None
    assert code.code_view is not None
    seen = "x = 'lixo\\u200b\\u202egpj.exe\\u2066\\U000e0041\\x1b[2K\\xa0'"
    assert code.code_view.code == seen
    await until(lambda: code.can_agree)
    code.approve_button.click()
    await made.settled()

    assert made.toolbox.written == [hidden, seen]
    assert made.view.last_answer is not None
    (_line, line) = made.view.last_answer.tool_lines.values()
    assert line is not None
    line.toggle()
    assert line.details[0] == seen


async def test_a_card_takes_no_keys_from_who_is_typing(qapp: object, harness: MakeHarness) -> None:
    made = harness([call("gravar", palavra="sim"), RoundEnded("tools")], [TextAdded("Ok"), END])
    await made.open()
    made.page.activateWindow()
    made.page.ask("write it")
    made.page.composer.question_box.set_text("and then")
    made.page.composer.question_box.setFocus()
    await until(made.approval)
    card = made.approval()
    assert card is not None

    assert not card.approve_button.hasFocus()
    card.decline_button.click()
    await made.settled()


async def test_code_can_be_changed_before_it_runs(qapp: object, harness: MakeHarness) -> None:
    made = harness(
        [call("calcular", codigo="1 + 1", descricao="Soma"), RoundEnded("tools")],
        [TextAdded("Ok"), END],
        settings=Settings(python="ask"),
    )
    await made.open()
    made.page.ask("soma")
    await until(made.approval)
    card = made.approval()
    assert card is not None
    assert card.code_view is not None
    assert card.code_view.code == "1 + 1"
    await until(lambda: card.can_agree)

    card.code_view.editor.selectAll()
    QTest.keyClicks(card.code_view.editor, "if 1:")
    QTest.keyClick(card.code_view.editor, Qt.Key.Key_Return)
    QTest.keyClicks(card.code_view.editor, "2 + 2")
    QTest.keyClick(card.code_view.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await made.settled()

    assert made.toolbox.written == ["if 1:\n    2 + 2"]
    assert card.code_view.editor.isReadOnly()
    assert made.view.last_answer is not None
    (line,) = made.view.last_answer.tool_lines.values()
    line.toggle()
    assert line.details[0] == "if 1:\n    2 + 2"


async def test_a_line_of_code_shows_it_with_its_output_and_runs_it_again(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness(
        [call("calcular", codigo="1 + 1", descricao="Soma"), RoundEnded("tools")],
        [TextAdded("Ok"), END],
    )
    await made.open()
    answer = await made.ask("soma")
    (line,) = answer.tool_lines.values()
    assert line.text.startswith("Soma · ")
    line.toggle()
    assert line.details == ("1 + 1", "Soma: 1 + 1")
    asked: list[Choice] = []
    made.view.chosen.connect(asked.append)

    line.findChildren(TextButton)[-1].click()

    assert ChosenPlan(asked[0].plan).call == ("calcular", {"codigo": "1 + 1", "descricao": "Soma"})
    await made.settled()


async def test_stopping_while_a_tool_waits_writes_nothing(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([call("gravar", palavra="sim"), RoundEnded("tools")])
    await made.open()
    made.page.ask("write it")
    await until(made.approval)

    made.page.stop()
    await made.settled()

    card = made.approval()
    assert card is not None
    assert not card.is_open
    assert made.toolbox.written == []


async def test_thoughts_pass_when_words_come(qapp: object, harness: MakeHarness) -> None:
    gates = [Gate(), Gate()]
    thought: list[Step] = [
        StatusChanged("thinking", "Let me "),
        StatusChanged("thinking", "compare the shifts"),
        gates[0],
    ]
    made = harness([*thought, TextAdded("Night."), gates[1], END])
    await made.open()
    made.page.ask("which shift?")
    await until(lambda: made.entries(AnswerView))
    answer = made.entries(AnswerView)[0]
    await until(lambda: answer.activity == "Let me compare the shifts")

    gates[0].open()
    await until(lambda: answer.text == "Night.")

    assert answer.activity == ""
    gates[1].open()
    await made.settled()


async def test_waiting_for_the_service_counts_down(qapp: object, harness: MakeHarness) -> None:
    gate = Gate()
    made = harness([StatusChanged("retrying", "Busy.", 8), gate, TextAdded("Here."), END])
    await made.open()
    made.page.ask("?")
    await until(lambda: made.entries(AnswerView))
    answer = made.entries(AnswerView)[0]

    await until(lambda: answer.activity == "Busy. Trying again in 8 s")

    assert len(made.asked["show_status"]) == 1
    gate.open()
    await made.settled()
    assert answer.text == "Here."


async def test_what_an_answer_took_is_said(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("x"), UsageCounted("m", 1200, 34, cost_usd=0.034), END])
    await made.open()

    answer = await made.ask("?")

    assert answer.footer.cost == "1,200 tokens read · 34 written · 0.0340 US$"


async def test_a_rating_is_stored(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("x"), END])
    conversation = await made.open()
    answer = await made.ask("?")

    answer.footer.down_button.click()
    await made.idle()

    assert (await made.store.messages.latest(conversation.id))[-1].rating == -1
    assert await made.store.reviews.feedback.listed() == []  # nobody is told yet


async def test_why_an_answer_was_poor_is_told_once_it_is_sent(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("x"), END])
    await made.open()
    answer = await made.ask("?")

    answer.footer.down_button.click()
    await until(lambda: answer.findChildren(FeedbackCard))
    (card,) = answer.findChildren(FeedbackCard)
    assert "will see" in card.notice.text()
    card.reasons["long"].click()
    card.reasons["number"].click()
    card.text_box.setText("It was 62.")
    card.send_button.click()
    await made.idle()

    (told,) = await made.store.reviews.feedback.listed(is_open=True)
    assert (told.message, told.reason, told.text) == (answer.message, "number", "It was 62.")
    assert not told.is_good
    assert not answer.findChildren(FeedbackCard)

    answer.footer.up_button.click()
    await made.idle()
    (told,) = await made.store.reviews.feedback.listed()
    assert told.is_good
    answer.footer.up_button.click()
    await made.idle()
    assert await made.store.reviews.feedback.listed() == []


async def test_a_poor_answer_need_not_be_told_of(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("x"), END])
    conversation = await made.open()
    answer = await made.ask("?")

    answer.footer.down_button.click()
    await until(lambda: answer.findChildren(FeedbackCard))
    (card,) = answer.findChildren(FeedbackCard)
    card.dismiss_button.click()
    await made.idle()

    assert all(each.isHidden() for each in answer.findChildren(FeedbackCard))
    assert await made.store.reviews.feedback.listed() == []
    assert (await made.store.messages.latest(conversation.id))[-1].rating == -1


async def test_a_question_is_asked_in_other_words(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("One"), END], [TextAdded("Two"), END])
    conversation = await made.open()
    answer = await made.ask("first words")

    answer.footer.edit_button.click()
    assert made.page.composer.text == "first words"
    made.page.composer.question_box.set_text("other words")
    made.press(Qt.Key.Key_Return)
    await until(lambda: made.answers == ["Two"])
    await made.settled()

    assert made.questions == ["other words"]
    stored = await made.store.messages.latest(conversation.id)
    assert [message.text for message in stored] == ["other words", "Two"]


async def test_an_answer_goes_on_while_another_conversation_is_open(
    qapp: object, harness: MakeHarness
) -> None:
    gate = Gate()
    made = harness([TextAdded("Begin "), gate, TextAdded("end"), END])
    running: list[tuple[str, bool]] = []
    made.page.running_changed.connect(lambda key, is_running: running.append((key, is_running)))
    first = await made.open()
    made.page.ask("long")
    await until(lambda: gate.is_reached)
    await made.open("other", "thing")
    assert made.page.composer.send_button.accessibleName() == "Send (Enter)"

    await made.page.open(first, made.agent)
    assert made.view.is_running
    gate.open()
    await made.settled()

    assert made.answers == ["Begin end"]
    assert running == [(first.id, True), (first.id, False)]


async def test_an_answer_that_ended_unseen_is_there_later(
    qapp: object, harness: MakeHarness
) -> None:
    gate = Gate()
    made = harness([TextAdded("Begin "), gate, TextAdded("end"), END])
    first = await made.open()
    made.page.ask("long")
    await until(lambda: gate.is_reached)
    await made.open("other", "thing")
    gate.open()
    await until(lambda: not made.page.running_conversations)

    await made.page.open(first, made.agent)

    assert made.answers == ["Begin end"]


async def test_an_interrupted_answer_shows_what_was_kept(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("Whole"), END])
    conversation = await made.conversation("asked")
    await made.store.messages.add(conversation.id, "assistant", [Text("Half an ans")])

    await made.page.open(conversation, made.agent)

    (answer,) = made.entries(AnswerView)
    assert answer.text == "Half an ans"
    (mark,) = answer.entries(AnswerNote)
    assert mark.button is not None
    mark.button.click()
    await until(lambda: made.answers == ["Half an ans", "Whole"])
    await made.settled()
    assert made.questions == ["asked", "Continue"]  # what had arrived is sent with it


async def test_damage_is_shown_where_it_is_and_repaired_there(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    conversation = await made.conversation("asked")
    await made.answered(conversation, Text("Whole"))
    copy = make(made.store.path, "manual")
    with closing(sqlite3.connect(made.store.path, isolation_level=None)) as db:
        db.execute("DELETE FROM messages WHERE role = 'assistant'")

    await made.page.open(conversation, made.agent)

    (gap,) = made.entries(AnswerView)
    (note,) = gap.entries(AnswerNote)
    button = note.button
    assert note.text == "1 message is missing here."
    assert button is not None
    await until(lambda: button.text() == f"Restore from the copy of {copy.made.astimezone():%d/%m}")
    button.click()
    await until(lambda: made.answers == ["Whole"])
    assert made.questions == ["asked"]
    assert (await made.store.integrity.check()).damaged == ()


async def test_a_damaged_question_is_shown_with_what_is_left(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    conversation = await made.conversation("asked")
    await made.answered(conversation, Text("Whole"))
    with closing(sqlite3.connect(made.store.path, isolation_level=None)) as db:
        db.execute("UPDATE blocks SET data = replace(data, 'asked', 'told')")

    await made.page.open(conversation, made.agent)

    (question,) = made.entries(QuestionView)
    note = question.damage_note
    assert question.text == "told"
    assert note is not None
    assert note.button is not None
    # Compact: under the words at the right, not across the page.
    assert note.geometry().right() == question.width() - 1
    assert note.width() < question.width()
    assert note.y() >= question.text_view.geometry().bottom()
    note.button.click()  # there is no copy: its words are in the search index
    await until(lambda: made.questions == ["asked"])
    (repaired,) = made.entries(QuestionView)
    assert repaired.damage_note is None


async def test_a_question_without_any_answer_can_be_answered(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("Late"), END])
    conversation = await made.conversation("asked")
    await made.page.open(conversation, made.agent)

    made.view.retry()
    await until(lambda: made.entries(AnswerView))
    await made.settled()

    assert made.questions == ["asked"]
    assert made.answers == ["Late"]


async def test_a_stored_trouble_can_be_acted_on(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    conversation = await made.conversation("asked")
    await made.answered(conversation, Text("Half"), Notice("network", "Nothing was reached."))

    await made.page.open(conversation, made.agent)

    (answer,) = made.entries(AnswerView)
    (trouble,) = answer.entries(ErrorNotice)
    assert trouble.text == "Nothing was reached."
    assert trouble.button is not None


async def test_an_answer_ends_though_a_part_of_it_can_not_be_drawn(
    qapp: object, harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_answer: AnswerView, _widget: object) -> None:
        raise RuntimeError("no picture")

    bugs: list[BaseException] = []
    monkeypatch.setattr(AnswerView, "add_widget", broken)
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: bugs.append(error))
    made = harness([call("mostrar", titulo="Rows"), RoundEnded("tools")], [TextAdded("Last."), END])
    await made.open()

    answer = await made.ask("which rows?")

    assert answer.text == "Last."
    assert [str(each) for each in bugs] == ["no picture"]


async def test_an_answer_ends_though_its_number_can_not_be_read(
    qapp: object, harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(
        _messages: MessageRepository, _conversation: ConversationId, **_which: object
    ) -> None:
        raise UserError("The disk is busy.")

    gate = Gate()
    made = harness([gate, TextAdded("I do not know."), END])
    await made.open()
    made.page.ask("how many?")
    await until(lambda: gate.is_reached)
    monkeypatch.setattr(MessageRepository, "latest", refused)

    gate.open()
    await made.settled()
    await until(lambda: bool(made.errors))

    assert {str(error) for error in made.errors} == {"The disk is busy."}


async def test_a_costly_question_goes_back_to_where_it_was_typed(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness(usd=0.43)
    conversation = await made.open("Um", "1")
    made.page.composer.question_box.set_text("Porquê?")
    made.press(Qt.Key.Key_Return)
    await until(made.cost)
    card = made.cost()
    assert card is not None
    assert made.page.composer.text == ""
    assert "0.43" in card.accessibleName()

    QTest.keyClick(card.buttons["cancel"], Qt.Key.Key_Return)
    await made.settled()

    assert made.page.composer.text == "Porquê?"
    assert (made.questions, made.answers) == (["Um"], ["1"])
    assert made.model.requests == []
    stored = await made.store.messages.latest(conversation.id)
    assert [each.text for each in stored] == ["Um", "1"]


@pytest.mark.parametrize(("choice", "engine"), [("send", None), ("offline", "offline")])
async def test_a_costly_question_is_asked_of_the_engine_that_was_pressed(
    qapp: object, harness: MakeHarness, choice: CostChoice, engine: str | None
) -> None:
    made = harness([TextAdded("Porque sim."), END], usd=0.43)
    await made.open()
    made.page.ask("Porquê?")
    await until(made.cost)
    card = made.cost()
    assert card is not None

    card.buttons[choice].click()
    await made.settled()

    assert [request.engine for request in made.model.requests] == [engine]
    assert (made.questions, made.answers) == (["Porquê?"], ["Porque sim."])


async def test_stopping_takes_a_question_back_that_was_not_sent(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness(usd=0.43)
    await made.open()
    made.page.ask("Porquê?")
    await until(made.cost)

    made.page.stop()
    await made.settled()

    assert made.page.composer.text == "Porquê?"
    assert made.questions == []


async def test_a_question_that_a_budget_stopped_is_asked_offline_by_its_button(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([BudgetSpentError("Gasto.")], [TextAdded("62"), END])
    await made.open()
    answer = await made.ask("Quantos?")
    (notice,) = answer.findChildren(ErrorNotice)
    assert notice.button is not None
    assert notice.button.text() == "Ask offline"

    notice.button.click()
    await until(lambda: made.answers == ["62"])
    await made.settled()

    assert [request.engine for request in made.model.requests] == [None, "offline"]
    assert made.questions == ["Quantos?"]


async def test_numbers_of_no_tool_are_marked_and_asked_of_one(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness(
        [Answering("claude"), call("somar", "a", valores=[40, 22]), RoundEnded("tools")],
        [Answering("claude"), TextAdded("São **62**, e 777 por fora."), END],
        [Answering("claude"), TextAdded("Nada."), END],
    )
    await made.open()
    await made.ask("quanto?")
    await made.idle()

    (answer,) = made.entries(AnswerView)
    (line,) = answer.entries(NumberLine)
    (view,) = answer.views
    assert "1 number" in line.text
    assert answer.text == "São **62**, e 777 por fora."
    links = {each: link_at(view, each) for each in ("62", "777")}
    assert links == {"62": "qhub-number:0", "777": "qhub-unsupported:1"}

    view.cited.emit(links["62"])
    (tool_line,) = answer.tool_lines.values()
    assert tool_line.is_open

    assert line.compute_button is not None
    line.compute_button.click()
    await made.idle()
    assert "777" in made.entries(QuestionView)[-1].text_view.toPlainText()


async def test_a_blocked_question_says_why_and_may_be_called_legitimate(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("Nada."), END])
    talk = await made.open()
    await made.ask("Como desativar o interlock da cabine 3?")
    await made.idle()
    (answer,) = made.entries(AnswerView)
    (line,) = answer.entries(GuardLine)
    assert "safety device" in answer.text
    assert made.model.requests == []

    line.contest_button.click()
    record = ModerationRepository(made.store.messages.database)

    await made.idle()
    assert [each.review for each in await record.listed()] == ["contested"]
    asked, _told = await made.store.messages.latest(talk.id)
    assert asked.blocked_words == "Como desativar o interlock da cabine 3?"


async def test_a_secret_is_not_shown_once_it_is_stored(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("Nada."), END])
    await made.open()
    await made.ask("senha: Segredo99 quantos?")
    await made.idle()
    (question,) = made.entries(QuestionView)
    assert question.text_view.toPlainText() == "senha: <secret> quantos?"
    assert made.model.requests[0].messages[-1].text == "senha: <secret> quantos?"


def link_at(view: MarkdownView, words: str) -> str:
    """Return the address that these words lead to."""
    found = view.document().find(words)
    return found.charFormat().anchorHref()
