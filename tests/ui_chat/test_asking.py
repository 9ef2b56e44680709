"""The card of a question in the middle of an answer: answered, skipped, too late, and later."""

import asyncio
from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from qhub_desktop.chat.turn import TurnRunner
from qhub_desktop.core import asking
from qhub_desktop.core.asking import PersonAnswer, Unanswered
from qhub_desktop.core.codec import Json
from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.message import Choice, Clarification, Message, ToolCall, ToolResult
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store import Store
from qhub_desktop.tools.asking import AskingTools
from qhub_desktop.ui.chat import ask_card
from qhub_desktop.ui.chat.ask_card import AskCard
from qhub_desktop.ui.chat.question import QuestionView
from qhub_desktop.ui.chat.tool_line import ToolLine
from qhub_desktop.ui.theme import LIGHT, OPERATOR_TARGET_PX, style_sheet
from tests.chat.fakes import AGENT, turns_with
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.harness import PageHarness
from tests.waiting import until

SHIFTS = ("manha", "tarde", "noite")
END = [TextAdded("Feito."), RoundEnded("complete")]
HURRIED = Settings(heartbeat_s=0.2, question_s=0.5, inactivity_s=5.0, answer_s=30.0)


def asks(**given: Json) -> list[object]:
    shift: dict[str, Json] = {"pergunta": "Qual turno?", "opcoes": [*SHIFTS]}
    return [ToolCall("q1", "perguntar_pessoa", {**shift, **given}), RoundEnded("tools")]


@pytest.fixture(autouse=True)
def quick_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_card, "READ_MS", 0)


def page_of(harness: MakeHarness, *rounds: list[object], settings: Settings) -> PageHarness:
    """A page whose agent may ask."""
    made = harness(*rounds, settings=settings)
    toolbox = AskingTools(made.store.questions, lambda: settings)
    agent = replace(AGENT, tools=("ask",))
    turns: TurnRunner = turns_with(
        made.store, made.model, toolbox=toolbox, agent=agent, settings=settings
    )
    made.page._turns = turns
    made.page.questions = lambda: made.store.questions
    return made


async def asked(made: PageHarness) -> AskCard:
    """The card, once it can be answered."""
    await made.open("olá", "olá")
    made.page.ask("defeitos?")
    await until(lambda: cards(made))
    (card,) = cards(made)
    await asyncio.sleep(0.05)
    assert card.is_waiting
    return card


def cards(made: PageHarness) -> list[AskCard]:
    return made.view.findChildren(AskCard)


async def result(made: PageHarness) -> Json:
    last: Message = (await made.store.messages.latest(made.view.conversation))[-1]
    (found,) = [each for each in last.blocks if isinstance(each, ToolResult)]
    return found.content


def press(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def test_an_option_is_answered_with_one_press(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)

    press(card.options[2])
    await made.settled()

    assert await result(made) == {"estado": "respondida", "opcoes": ["noite"], "texto": ""}
    assert "noite" in card.verdict.text()
    assert not card.is_open


async def test_personal_data_is_asked_about_and_the_card_closes(harness: MakeHarness) -> None:
    made = harness(END, END)
    await made.open("olá", "olá")
    made.page.ask("O João está de baixa médica?")
    await until(lambda: cards(made))
    (card,) = cards(made)
    await asyncio.sleep(0.05)
    press(card.options[0])
    await made.settled()
    assert not card.is_open
    assert card.verdict.text() == "Send it, with that hidden"
    assert made.model.requests[0].messages[-1].text == "O ‹…› está de baixa médica?"

    await made.ask("E a Maria, grávida?")
    assert made.model.requests[1].messages[-1].text == "E a ‹…›, grávida?"


async def test_after_an_answer_the_next_words_go_to_the_box(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)
    QTest.keyClicks(card.text_box, "a de ontem")
    card.text_box.setFocus()

    QTest.keyClick(card.text_box, Qt.Key.Key_Return)
    await made.settled()

    assert made.page.window().focusWidget() is made.page.composer.question_box


async def test_a_card_says_how_long_it_waits_and_that_several_may_be_marked(
    harness: MakeHarness,
) -> None:
    made = page_of(harness, asks(varias=True, prazo_s=120), END, settings=Settings())
    card = await asked(made)

    assert "2 min" in card.verdict.text()
    labels = [each.text() for each in card.findChildren(QLabel) if each.isVisibleTo(card)]
    assert _("You can mark several, then send.") in labels
    heights = {each.height() for each in card.options}
    press(card.options[0])
    await asyncio.sleep(0.05)
    assert {each.height() for each in card.options} == heights

    press(card.skip_button)
    await made.settled()
    assert "2 min" not in card.verdict.text()


async def test_words_of_ones_own_are_sent_with_enter(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)

    QTest.keyClicks(card.text_box, "a de ontem")
    QTest.keyClick(card.text_box, Qt.Key.Key_Return)
    await made.settled()

    assert await result(made) == {"estado": "respondida", "opcoes": [], "texto": "a de ontem"}


async def test_words_typed_in_the_box_go_to_the_question_that_waits(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)
    box = made.page.composer.question_box

    QTest.keyClicks(box, "a de ontem")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert (card.text_box.text(), box.toPlainText()) == ("a de ontem", "")
    assert made.page.window().focusWidget() is card.text_box
    QTest.keyClick(card.text_box, Qt.Key.Key_Return)
    await made.settled()

    assert await result(made) == {"estado": "respondida", "opcoes": [], "texto": "a de ontem"}


async def test_several_options_are_marked_then_sent(harness: MakeHarness) -> None:
    made = page_of(harness, asks(varias=True, texto_livre=False), END, settings=Settings())
    card = await asked(made)
    assert card.text_box.isHidden()
    assert not card.send_button.isEnabled()

    press(card.options[0])
    press(card.options[2])
    press(card.send_button)
    await made.settled()

    told = await result(made)
    assert told == {"estado": "respondida", "opcoes": ["manha", "noite"], "texto": ""}


async def test_a_question_is_skipped(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)

    press(card.skip_button)
    await made.settled()

    assert await result(made) == {"estado": "sem_resposta", "motivo": "saltada"}


async def test_a_press_meant_for_something_else_answers_nothing(
    harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_card, "READ_MS", 60_000)
    made = page_of(harness, asks(), END, settings=HURRIED)
    card = await asked(made)

    press(card.options[2])
    press(card.skip_button)
    await made.settled()

    assert await result(made) == {"estado": "sem_resposta", "motivo": "prazo"}


async def test_nothing_is_taken_away_from_who_types(
    harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "HOLD_S", 0.4)
    made = page_of(harness, asks(), END, settings=HURRIED)
    card = await asked(made)

    for key in "turno da noite":  # 1.4 s, nearly three times as long as it may wait
        QTest.keyClicks(card.text_box, key)
        await asyncio.sleep(0.1)
        assert card.is_waiting
    press(card.send_button)
    await made.settled()

    assert await result(made) == {"estado": "respondida", "opcoes": [], "texto": "turno da noite"}


async def test_too_late_the_card_stays_and_the_answer_is_the_next_message(
    harness: MakeHarness,
) -> None:
    made = page_of(harness, asks(), END, END, settings=HURRIED)
    card = await asked(made)
    await made.settled()
    assert await result(made) == {"estado": "sem_resposta", "motivo": "prazo"}
    assert (card.is_open, card.is_waiting) == (True, False)

    press(card.options[2])
    await until(lambda: len(made.questions) == 3)
    await made.settled()

    assert made.questions[-1] == "> Qual turno?\n\nnoite"
    assert made.entries(QuestionView)[-1].text_view.toPlainText() == "Qual turno?\nnoite"
    assert not card.is_open
    assert await made.store.questions.listed() == []
    assert len(made.model.requests) == 3


async def test_stopped_it_can_still_be_answered_on_coming_back(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    await asked(made)
    here = made.view.conversation
    made.page.stop()
    await made.settled()

    other = await made.conversation("outra", "sim")
    await made.page.open(other, AGENT)
    await made.page.open(await made.store.conversations.find(here), AGENT)

    (card,) = cards(made)
    assert card.is_open
    await asyncio.sleep(0.05)
    press(card.options[2])
    await until(lambda: made.questions[-1] == "> Qual turno?\n\nnoite")
    await made.settled()


async def test_away_and_back_the_question_still_waits(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    told: list[tuple[str, str]] = []
    made.page.question_asked.connect(lambda *given: told.append(given))
    await made.open("olá", "olá")
    here = made.view.conversation
    made.page.ask("defeitos?")
    await until(lambda: told)
    assert told == [(here, "Qual turno?")]
    listed = {each.id: each.has_question for each in await made.store.conversations.listed()}
    assert listed == {here: True}

    await made.page.open(await made.conversation("outra", "sim"), AGENT)
    await made.page.open(await made.store.conversations.find(here), AGENT)
    await until(lambda: cards(made))
    await asyncio.sleep(0.05)
    press(cards(made)[0].options[0])
    await made.settled()

    assert await result(made) == {"estado": "respondida", "opcoes": ["manha"], "texto": ""}
    assert not (await made.store.conversations.find(here)).has_question


async def test_everything_on_the_card_can_be_hit_with_gloves(
    harness: MakeHarness, qapp: QApplication
) -> None:
    before = qapp.styleSheet()
    qapp.setStyleSheet(style_sheet(LIGHT, 1.0))
    try:
        made = page_of(harness, asks(), END, settings=Settings())
        card = await asked(made)
        await asyncio.sleep(0.05)
        for part in (*card.options, card.text_box, card.send_button, card.skip_button):
            assert part.height() >= OPERATOR_TARGET_PX
        press(card.skip_button)
        await made.settled()
    finally:
        qapp.setStyleSheet(before)


async def test_after_a_kill_the_question_can_be_answered(harness: MakeHarness) -> None:
    made = page_of(harness, END, settings=Settings())
    talk = await made.conversation("defeitos?")
    call = ToolCall("q1", "perguntar_pessoa", {"pergunta": "Qual turno?", "opcoes": [*SHIFTS]})
    question = Clarification("Qual turno?", tuple(Choice(each, {}) for each in SHIFTS), "q1")
    with closing(Store.open(made.store.path.parent)) as killed:
        message = await killed.messages.add(talk.id, "assistant", [call])
        await killed.questions.add(talk.id, message.id, question, most=3)

    await made.page.open(talk, AGENT)
    (card,) = cards(made)
    (line,) = made.view.findChildren(ToolLine)
    told = _("{tool} · interrupted, perhaps carried out")
    assert line.text == told.format(tool="Asking you")
    await asyncio.sleep(0.05)
    press(card.options[2])
    await until(lambda: made.questions[-1] == "> Qual turno?\n\nnoite")
    await made.settled()

    assert len(made.model.requests) == 1
    assert await made.store.questions.listed() == []


async def test_with_the_ability_off_no_card_is_in_sight(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=HURRIED)
    await asked(made)
    await made.settled()
    here = await made.store.conversations.find(made.view.conversation)
    await made.page.open(await made.conversation("outra", "sim"), AGENT)

    made.page.questions = lambda: None
    await made.page.open(here, AGENT)

    assert cards(made) == []


async def test_an_answer_of_another_program_closes_the_card_and_is_gone_on_with(
    harness: MakeHarness,
) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)
    with closing(Store.open(made.store.path.parent)) as other:
        (stored,) = await other.questions.listed()
        assert await other.questions.answer(stored.id, PersonAnswer(("noite",)))

    await until(lambda: not card.is_open, "the card closes")
    await made.settled()

    assert card.verdict.text() == _("You answered: {answer}").format(answer="noite")
    assert await result(made) == {"estado": "respondida", "opcoes": ["noite"], "texto": ""}
    assert len(await made.store.messages.latest(made.view.conversation)) == 4


async def test_the_second_answer_gives_way_to_the_first(harness: MakeHarness) -> None:
    made = page_of(harness, asks(), END, settings=Settings())
    card = await asked(made)
    with closing(Store.open(made.store.path.parent)) as other:
        (stored,) = await other.questions.listed()
        await other.questions.answer(stored.id, PersonAnswer(("noite",)))

    card.options[0].click()
    await made.settled()

    assert card.verdict.text() == _("You answered: {answer}").format(answer="noite")


async def test_a_late_card_closes_once_another_program_was_told(
    harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_card, "LOOKED_AFTER_MS", 50)
    made = page_of(harness, asks(), END, settings=HURRIED)
    card = await asked(made)
    await made.settled()
    assert card.is_open
    (stored,) = await made.store.questions.listed()
    with closing(Store.open(made.store.path.parent)) as other:
        assert not await other.questions.answer(stored.id, PersonAnswer(("noite",)))

    await until(lambda: "answered elsewhere" in card.verdict.text(), "the verdict")
    assert not card.is_open


async def test_a_card_hands_its_answer_to_the_program_that_waits(harness: MakeHarness) -> None:
    made = page_of(harness, settings=Settings())
    talk = await made.conversation("defeitos?")
    call = ToolCall("q1", "perguntar_pessoa", {})
    question = Clarification("Qual?", (Choice("noite", {}),), call_id="q1")
    with closing(Store.open(made.store.path.parent)) as other:
        message = await other.messages.add(talk.id, "assistant", [call])
        asked_there = await other.questions.add(talk.id, message.id, question, most=3)
        assert asked_there is not None
        await made.page.open(talk, AGENT)
        (card,) = cards(made)
        await asyncio.sleep(0.05)

        press(card.options[0])
        await until(lambda: not card.is_open, "the card closes")

        reply = await other.questions.settle(asked_there, Unanswered("prazo"))
    assert reply == PersonAnswer(("noite",))
    assert made.model.requests == []  # no second answer


async def test_what_waits_for_the_person_is_in_sight_below_a_long_answer(
    qapp: QApplication, harness: MakeHarness
) -> None:
    long = [TextAdded("palavra " * 2_000), *asks()]
    made = page_of(harness, long, END, settings=Settings())
    card = await asked(made)
    viewport = made.view.transcript.viewport()

    def is_seen() -> bool:
        bottom = card.mapTo(viewport, card.rect().bottomLeft()).y()
        return 0 < bottom <= viewport.height()

    await until(is_seen)
    press(card.options[0])
    await made.settled()
