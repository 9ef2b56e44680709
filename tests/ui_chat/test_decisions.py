"""What was understood, in parts that can be pressed; an answer that asks back."""

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.message import Chip, Choice, ChosenPlan, Clarification, Interpretation, Text
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.approvals import ChoiceCard, InterpretationRow, NextQuestions, PartButton
from qhub_desktop.ui.theme import LIGHT, OPERATOR_TARGET_PX, TARGET_PX, style_sheet
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.harness import PageHarness
from tests.waiting import until

END = RoundEnded("complete")
UNDERSTOOD = Interpretation(
    {"by": "turno"},
    (
        Chip("measure", "count", (Choice("sum of n", {"sum": "n"}), Choice("mean & more", {}))),
        Chip("period", "February", (Choice("Remove it", {"by": "turno"}),), is_kept=True),
        Chip("order", "largest first"),
    ),
)
ASKED = Clarification(
    "Which one?", (Choice("Cycle", {"of": "cycle"}), Choice("Show the columns", {}))
)


async def answered(harness: MakeHarness, *blocks: Interpretation | Clarification) -> PageHarness:
    """A stored answer, opened."""
    made = harness([TextAdded("Then."), END])
    conversation = await made.conversation("how many?")
    await made.answered(conversation, Text("59."), *blocks)
    await made.page.open(conversation, made.agent)
    return made


def part(made: PageHarness, place: int) -> PartButton:
    (row,) = made.entries(AnswerView)[0].entries(InterpretationRow)
    return row.parts[place]


def opened_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


async def take(menu: QMenu, label: str) -> None:
    """Choose a line of an open menu, with the keyboard."""
    (action,) = [each for each in menu.actions() if each.text() == label]
    menu.setActiveAction(action)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    await asyncio.sleep(0)


async def last_question(made: PageHarness) -> tuple[object, ...]:
    messages = await made.store.messages.latest(made.view.conversation)
    return [each for each in messages if each.role == "user"][-1].blocks


async def test_a_part_says_what_it_could_be_and_a_choice_is_computed_at_once(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("59."), UNDERSTOOD, END], [TextAdded("270."), END])
    await made.open()
    await made.ask("how many?")

    QTest.mouseClick(part(made, 0), Qt.MouseButton.LeftButton)
    menu = opened_menu()
    assert [each.text() for each in menu.actions()] == ["count", "sum of n", "mean && more"]
    await take(menu, "sum of n")
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert made.questions == ["how many?", "sum of n"]
    assert made.answers == ["59.", "270."]
    assert await last_question(made) == (Text("sum of n"), ChosenPlan({"sum": "n"}))


async def test_the_parts_still_work_after_reopening(qapp: object, harness: MakeHarness) -> None:
    made = await answered(harness, UNDERSTOOD)

    part(made, 1).click()
    await take(opened_menu(), "Remove it")
    await until(lambda: made.answers == ["59.", "Then."])
    await made.settled()

    assert await last_question(made) == (Text("Remove it"), ChosenPlan({"by": "turno"}))


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Down])
async def test_the_keyboard_opens_the_choices(
    qapp: object, harness: MakeHarness, key: Qt.Key
) -> None:
    made = await answered(harness, UNDERSTOOD)

    QTest.keyClick(part(made, 0), key)

    menu = opened_menu()
    assert [each.text() for each in menu.actions()] == ["count", "sum of n", "mean && more"]
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    assert made.questions == ["how many?"]


async def test_what_a_part_already_says_asks_nothing(qapp: object, harness: MakeHarness) -> None:
    made = await answered(harness, UNDERSTOOD)

    part(made, 0).click()
    await take(opened_menu(), "count")
    await made.idle()

    assert made.questions == ["how many?"]


async def test_each_part_is_told_to_who_cannot_see_it(qapp: object, harness: MakeHarness) -> None:
    made = await answered(harness, UNDERSTOOD)
    parts = [part(made, place) for place in range(3)]

    assert [each.accessibleName() for each in parts] == [
        "Measure: count. Press to change it.",
        "Period: February. Kept from the question before. Press to change it.",
        "Order: largest first.",
    ]
    assert [each.focusPolicy() for each in parts] == [
        Qt.FocusPolicy.StrongFocus,
        Qt.FocusPolicy.StrongFocus,
        Qt.FocusPolicy.NoFocus,
    ]
    parts[2].click()
    assert QApplication.activePopupWidget() is None


@pytest.mark.parametrize("target_px", [TARGET_PX, OPERATOR_TARGET_PX])
async def test_a_glove_finds_the_parts_and_their_choices(
    qapp: object, harness: MakeHarness, target_px: int
) -> None:
    made = await answered(harness, UNDERSTOOD)
    made.page.setStyleSheet(style_sheet(LIGHT, 1.0, target_px=target_px))

    button = part(made, 0)
    await until(lambda: button.height() >= target_px)
    menu = button.choices_menu()
    menu.ensurePolished()

    assert all(menu.actionGeometry(each).height() >= target_px for each in menu.actions())
    menu.close()


async def test_a_long_part_is_cut_and_never_wider_than_the_page(
    qapp: object, harness: MakeHarness
) -> None:
    long = Interpretation({}, (Chip("filter", "a very long name " * 20, (Choice("x", {}),)),))
    made = await answered(harness, long)

    answer = made.entries(AnswerView)[0]
    shown = answer.entries(InterpretationRow)[0].parts[0]
    await until(lambda: shown.width() > TARGET_PX and shown.width() <= answer.width() <= 800)


async def test_nothing_can_be_chosen_while_an_answer_is_under_way(
    qapp: object, harness: MakeHarness
) -> None:
    gate = asyncio.Event()
    made = harness([TextAdded("59."), UNDERSTOOD, ASKED, lambda: _opened(gate), END])
    await made.open()
    made.page.ask("how many?")
    await until(
        lambda: made.entries(AnswerView) and made.entries(AnswerView)[0].entries(ChoiceCard)
    )
    (answer,) = made.entries(AnswerView)
    (row,), (card,) = answer.entries(InterpretationRow), answer.entries(ChoiceCard)

    assert not row.parts[0].isEnabled()
    assert not card.buttons[0].isEnabled()
    gate.set()
    await made.settled()
    assert row.parts[0].isEnabled()
    assert card.buttons[0].isEnabled()


@pytest.mark.parametrize(
    ("place", "blocks"),
    [
        (0, (Text("Cycle"), ChosenPlan({"of": "cycle"}))),
        (1, (Text("Show the columns"),)),
    ],
)
async def test_what_was_asked_back_is_answered_with_a_press(
    qapp: object, harness: MakeHarness, place: int, blocks: tuple[object, ...]
) -> None:
    made = harness([ASKED, END], [TextAdded("Then."), END])
    await made.open()
    await made.ask("how long?")

    button = made.entries(AnswerView)[0].entries(ChoiceCard)[0].buttons[place]
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Return)
    await until(lambda: made.answers == ["", "Then."])
    await made.settled()

    assert await last_question(made) == blocks


async def test_what_was_asked_back_can_be_answered_after_reopening(
    qapp: object, harness: MakeHarness
) -> None:
    made = await answered(harness, ASKED)

    made.entries(AnswerView)[0].entries(ChoiceCard)[0].buttons[0].click()
    await until(lambda: made.answers == ["59.", "Then."])
    await made.settled()

    assert await last_question(made) == (Text("Cycle"), ChosenPlan({"of": "cycle"}))


async def test_after_a_choice_the_keyboard_is_in_the_box(
    qapp: object, harness: MakeHarness
) -> None:
    made = await answered(harness, ASKED)
    button = made.entries(AnswerView)[0].entries(ChoiceCard)[0].buttons[0]
    made.page.activateWindow()
    button.setFocus()

    button.click()
    await until(lambda: made.answers == ["59.", "Then."])
    await made.settled()

    assert made.page.focusWidget() is made.page.composer.question_box


def _opened(gate: asyncio.Event) -> "asyncio.Future[None]":
    async def wait() -> None:
        await gate.wait()

    return asyncio.ensure_future(wait())


async def test_a_next_question_is_asked_by_its_button_and_gone_with_the_next_answer(
    qapp: object, harness: MakeHarness
) -> None:
    offering = Interpretation({}, (), next=(Choice("And only lixo?", {}), Choice("x " * 200, {})))
    made = await answered(harness, offering)
    answer = made.entries(AnswerView)[0]
    (row,) = answer.entries(NextQuestions)
    await until(lambda: 0 < row.width() <= answer.width() and row.buttons[1].width() <= row.width())

    row.buttons[0].click()
    await until(lambda: made.questions == ["how many?", "And only lixo?"])
    await made.settled()

    assert not row.isVisible()
