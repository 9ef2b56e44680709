"""The box: what its keys do, what is pasted into it, and that nothing typed is lost."""

import asyncio
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QTextOption
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.attachments import PasswordField
from qhub_desktop.ui.chat.composer import Composer
from qhub_desktop.ui.chat.question import QuestionView
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.test_turn import Gate
from tests.waiting import until

END = RoundEnded("complete")
Wrap = QTextOption.WrapMode


def composer(qtbot: QtBot) -> Composer:
    made = Composer()
    qtbot.addWidget(made)
    made.resize(700, 80)
    made.show()
    return made


def type_in(made: Composer, text: str) -> None:
    QTest.keyClicks(made.question_box, text)


def press(made: Composer, key: Qt.Key, *, shift: bool = False) -> None:
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(made.question_box, key, modifier)


def paste(made: Composer, data: QMimeData) -> None:
    made.question_box.insertFromMimeData(data)


def test_enter_sends_and_shift_enter_breaks_the_line(qtbot: QtBot) -> None:
    made = composer(qtbot)
    sent: list[str] = []
    made.submitted.connect(sent.append)
    type_in(made, "one")
    press(made, Qt.Key.Key_Return, shift=True)
    type_in(made, "two")

    press(made, Qt.Key.Key_Return)

    assert sent == ["one\ntwo"]


def test_a_blank_question_is_not_sent(qtbot: QtBot) -> None:
    made = composer(qtbot)
    sent: list[str] = []
    made.submitted.connect(sent.append)
    type_in(made, "   ")

    press(made, Qt.Key.Key_Return)

    assert sent == []


def test_the_box_grows_to_eight_lines(qtbot: QtBot) -> None:
    made = composer(qtbot)
    heights = []
    for _line in range(12):
        heights.append(made.question_box.height())
        press(made, Qt.Key.Key_Return, shift=True)

    assert heights[:8] == sorted(set(heights[:8]))
    assert len(set(heights[7:])) == 1


def test_up_recalls_earlier_questions(qtbot: QtBot) -> None:
    made = composer(qtbot)
    made.question_box.set_history(["first", "second"])

    press(made, Qt.Key.Key_Up)
    recalled = [made.text]
    press(made, Qt.Key.Key_Up)
    recalled.append(made.text)
    press(made, Qt.Key.Key_Down)
    recalled.append(made.text)
    press(made, Qt.Key.Key_Down)
    recalled.append(made.text)

    assert recalled == ["second", "first", "second", ""]


def test_up_leaves_alone_what_was_typed(qtbot: QtBot) -> None:
    made = composer(qtbot)
    made.question_box.set_history(["first"])
    type_in(made, "new")

    press(made, Qt.Key.Key_Up)

    assert made.text == "new"


def test_cells_of_a_spreadsheet_become_a_table(qtbot: QtBot) -> None:
    made = composer(qtbot)
    tables: list[str] = []
    made.table_pasted.connect(tables.append)
    data = QMimeData()
    data.setText("turno\ttotal\nmanha\t73\n")

    paste(made, data)

    assert tables == ["turno\ttotal\nmanha\t73\n"]
    assert made.text == ""


def test_ordinary_lines_are_text(qtbot: QtBot) -> None:
    made = composer(qtbot)
    data = QMimeData()
    data.setText("two\nlines")

    paste(made, data)

    assert made.text == "two\nlines"


def test_lines_of_a_word_without_end_are_broken_anywhere(qtbot: QtBot) -> None:
    made, question = composer(qtbot), QuestionView("x" * 120_000)
    qtbot.addWidget(question)
    box, data = made.question_box, QMimeData()
    data.setText("x" * 120_000)

    type_in(made, "a ")
    paste(made, data)

    # Anywhere else, Qt takes 2 s to find where a line ends, at each layout.
    assert box.wordWrapMode() == question.text_view.wordWrapMode() == Wrap.WrapAnywhere
    assert made.text == "a " + "x" * 120_000
    made.clear()
    assert box.wordWrapMode() == Wrap.WrapAtWordBoundaryOrAnywhere
    box.set_text("x" * 120_000)
    box.set_text("palavras " * 10_000)
    assert box.wordWrapMode() == Wrap.WrapAtWordBoundaryOrAnywhere


def test_pasted_files_are_files(qtbot: QtBot, tmp_path: Path) -> None:
    made = composer(qtbot)
    files: list[list[Path]] = []
    made.files_dropped.connect(files.append)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.xlsx"))])

    paste(made, data)

    assert files == [[tmp_path / "a.xlsx"]]
    assert made.text == ""


def test_a_chip_shows_how_far_its_file_is(qtbot: QtBot) -> None:
    made = composer(qtbot)
    chip = made.add_chip("defeitos.xlsx")

    chip.set_progress("Reading sheet 2 of 3", 0.5)

    assert chip.status == "Reading sheet 2 of 3"
    assert chip.progress == 0.5
    assert made.chips == (chip,)


async def test_a_password_that_is_entered_twice_is_taken_once(qtbot: QtBot) -> None:
    made = composer(qtbot)
    chip = made.add_chip("fechado.xlsx")
    asking = asyncio.ensure_future(chip.ask_password("This file is locked."))
    await asyncio.sleep(0)
    field = chip.findChild(PasswordField)
    assert field is not None
    field.line_edit.setText("first")

    field.line_edit.returnPressed.emit()
    field.line_edit.setText("second")
    with qtbot.captureExceptions() as raised:
        field.line_edit.returnPressed.emit()

    assert await asking == "first"
    assert raised == []


def test_a_chip_can_be_cancelled(qtbot: QtBot) -> None:
    made = composer(qtbot)
    chip = made.add_chip("defeitos.xlsx")
    cancelled: list[bool] = []
    chip.cancelled.connect(lambda: cancelled.append(True))

    chip.click_close()

    assert cancelled == [True]
    assert made.chips == ()


def test_a_chip_that_failed_stays_until_it_was_read(qtbot: QtBot) -> None:
    made = composer(qtbot)
    chip = made.add_chip("photo.heic")
    cancelled: list[bool] = []
    chip.cancelled.connect(lambda: cancelled.append(True))
    chip.fail("This kind cannot be read.")
    stayed = chip in made.chips

    chip.click_close()

    assert stayed
    assert chip not in made.chips
    assert cancelled == []


async def test_enter_during_an_answer_keeps_the_text(qapp: object, harness: MakeHarness) -> None:
    gate = Gate()
    made = harness([TextAdded("x"), gate, END])
    await made.open()
    made.page.ask("first")
    await until(lambda: gate.is_reached)
    made.page.composer.question_box.set_text("second")

    made.press(Qt.Key.Key_Return)

    assert made.page.composer.text == "second"
    assert "still being written" in made.page.composer.hint
    gate.open()
    await made.settled()
    assert made.questions == ["first"]


async def test_what_was_typed_is_there_again(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    first = await made.open("a", "b")
    made.page.composer.question_box.set_text("not sent yet")
    await made.open("c", "d")
    assert made.page.composer.text == ""

    await made.page.open(first, made.agent)

    assert made.page.composer.text == "not sent yet"


async def test_a_draft_is_on_disk_soon_after_the_last_key(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness()
    conversation = await made.open("a", "b")
    type_in(made.page.composer, "almost")

    await until(lambda: made.asked["show_saved"])

    assert made.store.settings.state_now(f"draft/{conversation.id}") == "almost"


async def test_a_question_that_was_sent_is_no_draft(qapp: object, harness: MakeHarness) -> None:
    made = harness([TextAdded("x"), END])
    conversation = await made.open()
    made.page.composer.question_box.set_text("send me")

    made.press(Qt.Key.Key_Return)
    await until(lambda: made.view.is_running)
    await made.settled()
    await made.idle()

    assert made.page.composer.text == ""
    assert made.store.settings.state_now(f"draft/{conversation.id}") is None


async def test_a_question_with_no_conversation_open_asks_for_one(
    qapp: object, harness: MakeHarness
) -> None:
    made = harness([TextAdded("x"), END])
    needed: list[str] = []
    made.page.conversation_needed.connect(lambda question, _wanted: needed.append(question))
    made.page.show_empty(made.agent)
    made.page.composer.question_box.set_text("first of all")
    made.press(Qt.Key.Key_Return)
    assert needed == ["first of all"]

    conversation = await made.conversation()
    await made.page.open(conversation, made.agent)
    await made.ask("first of all")

    assert made.questions == ["first of all"]
    made.page.show_empty(made.agent)
    assert made.page.composer.text == ""
    await made.idle()


async def test_leaving_a_change_keeps_the_old_question(qapp: object, harness: MakeHarness) -> None:
    made = harness()
    await made.open("old words", "answer")
    (answer,) = made.entries(AnswerView)
    answer.footer.edit_button.click()
    assert made.page.composer.text == "old words"

    made.press(Qt.Key.Key_Escape)

    assert made.page.composer.text == ""
    assert made.questions == ["old words"]
