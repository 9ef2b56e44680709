"""In a conversation: where a question may wait for Claude, and how it is seen to wait."""

from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from qhub_desktop.core.errors import ServiceError, UserError
from qhub_desktop.core.events import Answering, RoundEnded, TextAdded
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import ChosenPlan, Message, QueuedQuestion, Text, WaitingState
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import ErrorNotice
from qhub_desktop.ui.chat.question import MAX_CARDS, QueueOffer
from tests.chat.fakes import Step
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.harness import PageHarness
from tests.waiting import until

NOW = datetime(2026, 11, 20, 14, 2).astimezone()
OFFLINE: list[Step] = [Answering("offline"), TextAdded("Não sei."), RoundEnded("complete")]
ONLINE: list[Step] = [Answering("claude-sonnet-5-5"), TextAdded("Sim."), RoundEnded("complete")]


def waiting(
    number: int,
    conversation: ConversationId,
    text: str = "Porquê?",
    *,
    state: WaitingState = "waiting",
    error: str = "",
) -> QueuedQuestion:
    return QueuedQuestion(number, conversation, "teste", "maria", text, NOW, state, 0, error)


def offers(harness: PageHarness) -> list[QueueOffer]:
    return harness.entries(QueueOffer)


def allow(harness: PageHarness, *, is_for_claude: bool = True) -> list[tuple[object, ...]]:
    """Offer to wait; gives what was wanted to."""

    async def can_wait(_question: Message) -> bool:
        return is_for_claude

    harness.page.enable_queueing(can_wait)
    return harness.asked["queue"]


async def test_under_an_offline_answer_the_question_can_be_left_to_claude(
    harness: MakeHarness,
) -> None:
    made = harness(OFFLINE)
    wanted = allow(made)
    conversation = await made.open()

    await made.ask("Porquê?")
    await until(lambda: offers(made))
    (offer,) = offers(made)
    assert made.view.transcript.entries[-1] is offer
    QTest.mouseClick(offer.button, Qt.MouseButton.LeftButton)

    assert wanted == [(conversation.id, "Porquê?")]
    assert offers(made) == []


@pytest.mark.parametrize(
    ("error", "is_offered"),
    [
        (ServiceError("No network.", fault="network"), True),
        (UserError("No key.", fault="key"), True),
        (UserError("No credit.", fault="credit"), False),
        (ServiceError("Broken off.", fault="cut"), False),
    ],
)
async def test_an_error_that_time_can_mend_offers_to_wait(
    harness: MakeHarness, error: Exception, is_offered: bool
) -> None:
    made = harness([Answering("claude-sonnet-5-5"), error])
    allow(made)
    await made.open()

    answer = await made.ask("Porquê?")
    await made.idle()

    assert answer.entries(ErrorNotice)[0].button is not None  # to try again, or the settings
    assert bool(offers(made)) is is_offered


async def test_claudes_own_answer_offers_nothing(harness: MakeHarness) -> None:
    made = harness(ONLINE)
    allow(made)
    await made.open()
    await made.ask("Porquê?")
    await made.idle()

    assert offers(made) == []


async def test_what_is_not_for_claude_offers_nothing(harness: MakeHarness) -> None:
    made = harness(OFFLINE)
    allow(made, is_for_claude=False)
    await made.open()
    await made.ask("olá")
    await made.idle()

    assert offers(made) == []


async def test_a_choice_that_the_offline_engine_offered_is_its_own(harness: MakeHarness) -> None:
    made = harness(OFFLINE)
    allow(made)
    conversation = await made.conversation()
    await made.store.messages.add(
        conversation.id, "user", [Text("por turno"), ChosenPlan({"a": 1})]
    )
    await made.answered(conversation, Text("73"))
    await made.page.open(conversation, made.agent)
    await made.idle()

    assert offers(made) == []


async def test_a_stored_answer_offers_it_too_and_the_next_question_takes_it_away(
    harness: MakeHarness,
) -> None:
    made = harness(ONLINE)
    allow(made)
    await made.open("Porquê?", "Não sei.")
    await until(lambda: offers(made))

    await made.ask("Quantos são?")
    await made.idle()

    assert offers(made) == []


async def test_what_waits_is_shown_in_its_conversation_and_nowhere_else(
    harness: MakeHarness,
) -> None:
    made = harness()
    here = await made.open("Olá", "Bom dia.")
    other = await made.conversation("Quantos?", "Três.")
    made.page.show_queued([waiting(1, here.id), waiting(2, other.id, "E em março?")])

    (card,) = made.view.queued_strip.cards
    assert (card.text, card.state_label.text()) == ("Porquê?", "Waiting for a network · 14:02")
    assert card.isVisible()
    await made.page.open(other, made.agent)
    assert [each.text for each in made.view.queued_strip.cards] == ["E em março?"]


async def test_a_waiting_question_is_withdrawn_with_the_mouse_or_the_keyboard(
    harness: MakeHarness,
) -> None:
    made = harness()
    here = await made.open("Olá", "Bom dia.")
    made.page.show_queued([waiting(1, here.id), waiting(2, here.id, "E em março?")])
    first, second = made.view.queued_strip.cards

    QTest.mouseClick(first.withdraw_button, Qt.MouseButton.LeftButton)
    second.withdraw_button.setFocus()
    QTest.keyClick(second.withdraw_button, Qt.Key.Key_Space)

    assert made.asked["withdraw"] == [(1,), (2,)]
    made.page.show_queued([])
    assert made.view.queued_strip.isHidden()


async def test_what_was_refused_says_why_and_can_be_tried_again(harness: MakeHarness) -> None:
    made = harness()
    here = await made.open("Olá", "Bom dia.")
    made.page.show_queued([waiting(7, here.id, state="failed", error="No credit left.")])

    (card,) = made.view.queued_strip.cards
    assert "No credit left." in card.state_label.text()
    QTest.mouseClick(card.renew_button, Qt.MouseButton.LeftButton)
    assert made.asked["renew"] == [(7,)]


async def test_many_that_wait_leave_room_for_the_conversation(harness: MakeHarness) -> None:
    made = harness()
    here = await made.open("Olá", "Bom dia.")
    made.page.show_queued([waiting(n, here.id, f"Pergunta {n}") for n in range(9)])

    assert len(made.view.queued_strip.cards) == MAX_CARDS
    assert made.view.transcript.height() > made.view.queued_strip.height()


async def test_a_question_that_waited_is_answered_below_what_was_said(harness: MakeHarness) -> None:
    made = harness([TextAdded("Por causa do filtro."), RoundEnded("complete")])
    here = await made.open("Porquê?", "Não sei.")
    turns = made.page._turns

    is_seen = await made.page.play_queued(
        waiting(1, here.id),
        made.agent,
        lambda turn: turns.reply(here.id, "Porquê?", audience=turn),
    )

    assert is_seen
    assert made.questions == ["Porquê?", "Porquê?"]
    assert made.answers == ["Não sei.", "Por causa do filtro."]


async def test_another_attempt_takes_the_place_of_the_failed_one(harness: MakeHarness) -> None:
    made = harness([TextAdded("Por causa do filtro."), RoundEnded("complete")])
    here = await made.open("Porquê?", "")
    (question, _answer) = await made.store.messages.latest(here.id)
    turns = made.page._turns

    asked = QueuedQuestion(1, here.id, "teste", "", "Porquê?", NOW, "sending", message=question.id)
    await made.page.play_queued(asked, made.agent, lambda turn: turns.retry(here.id, audience=turn))

    assert made.questions == ["Porquê?"]
    assert made.answers == ["Por causa do filtro."]
    assert len(made.entries(AnswerView)) == 1


async def test_an_answer_out_of_sight_is_there_when_its_conversation_is_opened(
    harness: MakeHarness,
) -> None:
    made = harness([TextAdded("Por causa do filtro."), RoundEnded("complete")])
    other = await made.conversation("Porquê?", "Não sei.")
    await made.open("Olá", "Bom dia.")
    turns = made.page._turns

    is_seen = await made.page.play_queued(
        waiting(1, other.id),
        made.agent,
        lambda turn: turns.reply(other.id, "Porquê?", audience=turn),
    )
    await made.page.open(other, made.agent)

    assert not is_seen
    assert made.answers == ["Não sei.", "Por causa do filtro."]
