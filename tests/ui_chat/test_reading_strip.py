"""The strip under the box: what a question would answer while it is typed, chosen, completed."""

import asyncio
from collections.abc import Sequence

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import RoundEnded, TextAdded
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Choice, ChosenPlan, Clarification, Interpretation, Text
from qhub_desktop.core.readings import (
    Completion,
    Reading,
    ReadingPart,
    Readings,
    ReadingValue,
    WordMark,
)
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.approvals import ChoiceCard, OtherReadings
from qhub_desktop.ui.chat.completion import CompletionList
from qhub_desktop.ui.chat.question_reading import PAUSE_S
from qhub_desktop.ui.chat.reading_strip import ReadingStrip, whole_groups
from qhub_desktop.ui.theme import OPERATOR_TARGET_PX
from tests.ui_chat.conftest import MakeHarness
from tests.ui_chat.harness import PageHarness
from tests.ui_chat.test_turn import Gate
from tests.waiting import until

END = RoundEnded("complete")
WORDS = ("Registos", "Soma de Quantidade", "Média de Quantidade")
Key = Qt.Key
NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier


def reading(title: str) -> Reading:
    parts = (ReadingPart("measure", title), ReadingPart("file", "defeitos.xlsx"))
    return Reading(title, parts, {"of": title}, "defeitos")


class Source:
    """Reads every question in the same ways, and notes what it was asked."""

    def __init__(self, titles: Sequence[str] = WORDS, *, is_sure: bool = True) -> None:
        self.titles = titles
        self.is_sure = is_sure
        self.marks: tuple[WordMark, ...] = ()
        self.ignored: tuple[str, ...] = ()
        self.completions: tuple[Completion, ...] = ()
        self.read_questions: list[str] = []
        self.cancelled = 0
        self.gate = asyncio.Event()  # values wait for it
        self.gate.set()
        self.error: UserError | None = None

    async def read(self, conversation: ConversationId, question: str) -> Readings:
        self.read_questions.append(question)
        if self.error is not None:
            raise self.error
        found = tuple(map(reading, self.titles))
        note = "" if found else "Não percebi."
        return Readings(question, found, self.is_sure, self.marks, self.ignored, note)

    async def value(self, conversation: ConversationId, plan: JsonObject) -> ReadingValue | None:
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ReadingValue(f"{len(str(plan['of']))}")

    async def complete(
        self, conversation: ConversationId, text: str, cursor: int
    ) -> tuple[Completion, ...]:
        return self.completions


def reads(made: PageHarness, source: Source) -> Source:
    made.page.readings = lambda: source
    made.page.reading.source = lambda: source
    return source


def strip_of(made: PageHarness) -> ReadingStrip:
    return made.page.composer.strip


def type_in(made: PageHarness, text: str) -> None:
    made.page.composer.question_box.setFocus()
    QTest.keyClicks(made.page.composer.question_box, text)


def press(made: PageHarness, key: Key, held: Qt.KeyboardModifier = NONE) -> None:
    QTest.keyClick(made.page.composer.question_box, key, held)


def listed(made: PageHarness) -> CompletionList | None:
    lists = made.page.composer.window().findChildren(CompletionList)
    return next((each for each in lists if each.isVisible()), None)


def texts(shown: CompletionList | None) -> list[str]:
    return [] if shown is None else [row.completion.text for row in shown.rows]


async def valued(made: PageHarness) -> None:
    """Until every reading has its value."""
    strip = strip_of(made)
    await until(
        lambda: (
            strip.isVisible()
            and not strip.is_stale
            and all(row.value is not None for row in strip.rows[: len(strip.readings.readings)])
        )
    )


async def last_question(made: PageHarness) -> tuple[object, ...]:
    messages = await made.store.messages.latest(made.view.conversation)
    return [each for each in messages if each.role == "user"][-1].blocks


async def typed(
    harness: MakeHarness, text: str = "quantos", *, source: Source | None = None
) -> tuple[PageHarness, Source]:
    """A page in whose box a question was typed and read."""
    made = harness([TextAdded("59."), END], [TextAdded("60."), END])
    found = reads(made, source or Source())
    await made.open("olá", "olá")
    type_in(made, text)
    await valued(made)
    return made, found


async def test_a_question_is_read_once_when_typing_pauses(harness: MakeHarness) -> None:
    made, source = await typed(harness, "quantos escorridos")

    assert source.read_questions == ["quantos escorridos"]
    rows = strip_of(made).rows
    assert [row.accessibleName() for row in rows] == [
        "Registos: 8",
        "Soma de Quantidade: 18",
        "Média de Quantidade: 19",
    ]
    assert made.page.composer.question_box.accessibleDescription() == "Registos: 8"


async def test_the_next_key_stops_what_is_being_computed(harness: MakeHarness) -> None:
    made = harness()
    source = reads(made, Source())
    source.gate.clear()
    await made.open("olá", "olá")
    type_in(made, "quantos")
    await until(lambda: strip_of(made).isVisible())

    type_in(made, " e")
    await asyncio.sleep(0)

    assert strip_of(made).is_stale
    await until(lambda: source.cancelled == 1)
    source.gate.set()
    await valued(made)
    assert source.read_questions == ["quantos", "quantos e"]


async def test_enter_before_the_reading_came_sends_the_words(harness: MakeHarness) -> None:
    made = harness([TextAdded("59."), END])
    source = reads(made, Source())
    await made.open("olá", "olá")
    type_in(made, "quantos")

    press(made, Key.Key_Return)
    await until(lambda: made.view.is_running)
    await made.settled()
    await asyncio.sleep(2 * PAUSE_S)

    assert await last_question(made) == (Text("quantos"),)
    assert source.read_questions == []
    assert not strip_of(made).isVisible()


async def test_enter_sends_the_words_of_what_is_sure(harness: MakeHarness) -> None:
    made, _source = await typed(harness)

    press(made, Key.Key_Return)
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert await last_question(made) == (Text("quantos"),)


@pytest.mark.parametrize(
    ("is_sure", "downs", "ups", "plan"),
    [
        (True, 1, 0, 1),
        (True, 2, 0, 2),
        (True, 9, 0, 2),
        (True, 2, 1, 1),
        (True, 1, 1, None),
        (False, 1, 0, 0),
        (False, 2, 0, 1),
        (False, 1, 1, None),
        (False, 0, 0, None),
    ],
)
async def test_down_and_up_choose_what_enter_sends(
    harness: MakeHarness, is_sure: bool, downs: int, ups: int, plan: int | None
) -> None:
    made, _source = await typed(harness, source=Source(is_sure=is_sure))

    for _press in range(downs):
        press(made, Key.Key_Down)
    for _press in range(ups):
        press(made, Key.Key_Up)
    press(made, Key.Key_Return)
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    wanted = () if plan is None else (ChosenPlan({"of": WORDS[plan]}),)
    assert await last_question(made) == (Text("quantos"), *wanted)
    assert made.page.composer.text == ""
    assert not strip_of(made).isVisible()


@pytest.mark.parametrize(
    ("key", "held", "plan"),
    [
        (Key.Key_1, ALT, 1),
        (Key.Key_2, ALT, 2),
        (Key.Key_Return, CTRL, 0),
    ],
)
async def test_a_key_sends_a_reading_at_once(
    harness: MakeHarness, key: Key, held: Qt.KeyboardModifier, plan: int
) -> None:
    made, _source = await typed(harness)

    press(made, key, held)
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert await last_question(made) == (Text("quantos"), ChosenPlan({"of": WORDS[plan]}))


async def test_a_key_of_a_reading_that_is_not_there_sends_nothing(harness: MakeHarness) -> None:
    made, _source = await typed(harness)

    press(made, Key.Key_4, ALT)
    await asyncio.sleep(0)

    assert not made.view.is_running
    assert made.page.composer.text.startswith("quantos")


async def test_a_reading_of_words_that_changed_since_is_not_sent(harness: MakeHarness) -> None:
    made, _source = await typed(harness)

    type_in(made, " hoje")
    press(made, Key.Key_Down)
    press(made, Key.Key_Return)
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert await last_question(made) == (Text("quantos hoje"),)


async def test_a_press_on_a_reading_sends_it(harness: MakeHarness) -> None:
    made, _source = await typed(harness)

    QTest.mouseClick(strip_of(made).rows[1], Qt.MouseButton.LeftButton)
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert await last_question(made) == (Text("quantos"), ChosenPlan({"of": WORDS[1]}))
    assert made.page.composer.question_box.hasFocus()


async def test_escape_hides_the_strip_for_this_question_alone(harness: MakeHarness) -> None:
    made, source = await typed(harness)

    press(made, Key.Key_Escape)
    type_in(made, " agora")
    await asyncio.sleep(2 * PAUSE_S)
    assert not strip_of(made).isVisible()
    assert source.read_questions == ["quantos"]

    press(made, Key.Key_Return)
    await until(lambda: len(made.answers) == 2)
    await made.settled()
    type_in(made, "e ontem")
    await valued(made)
    assert source.read_questions == ["quantos", "e ontem"]


async def test_nothing_is_read_while_an_answer_streams(harness: MakeHarness) -> None:
    gate = Gate()
    made = harness([TextAdded("x"), gate, END])
    source = reads(made, Source())
    await made.open("olá", "olá")
    made.page.ask("primeira")
    await until(lambda: gate.is_reached)

    type_in(made, "segunda")
    await asyncio.sleep(2 * PAUSE_S)
    assert source.read_questions == []

    gate.open()
    await made.settled()
    await valued(made)
    assert source.read_questions == ["segunda"]


async def test_nothing_is_read_on_the_battery_saver(
    harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = harness()
    source = reads(made, Source())
    await made.open("olá", "olá")
    monkeypatch.setattr("qhub_desktop.ui.chat.question_reading.is_saving_power", lambda: True)

    type_in(made, "quantos")
    await asyncio.sleep(2 * PAUSE_S)

    assert source.read_questions == []


async def test_nothing_is_read_while_an_earlier_question_is_changed(harness: MakeHarness) -> None:
    made = harness()
    source = reads(made, Source())
    await made.open("palavras antigas", "olá")
    (answer,) = made.entries(AnswerView)

    answer.footer.edit_button.click()
    await asyncio.sleep(2 * PAUSE_S)

    assert source.read_questions == []
    press(made, Key.Key_Escape)
    assert made.page.composer.text == ""


async def test_a_question_that_cannot_be_read_is_no_error_until_it_is_asked(
    harness: MakeHarness,
) -> None:
    made = harness()
    source = reads(made, Source())
    source.error = UserError("The file is gone.")
    await made.open("olá", "olá")

    type_in(made, "quantos")
    await until(lambda: source.read_questions)
    await asyncio.sleep(0)

    assert made.errors == []
    assert not strip_of(made).isVisible()


async def test_words_are_tinted_and_the_unused_ones_named(harness: MakeHarness) -> None:
    source = Source()
    source.marks = (WordMark(2, 5, "column"), WordMark(6, 9, "unused"))
    source.ignored = ("xyz",)
    made = harness()
    reads(made, source)
    await made.open("olá", "olá")
    made.page.composer.question_box.set_text("😀 abc xyz")  # a test cannot press such a key
    await valued(made)

    column, unused = made.page.composer.question_box.extraSelections()
    assert (column.cursor.selectedText(), unused.cursor.selectedText()) == ("abc", "xyz")
    assert column.format.background().color() != QColor()
    assert unused.format.underlineStyle() == QTextCharFormat.UnderlineStyle.DashUnderline
    assert "«xyz»" in strip_of(made).note


async def test_where_nothing_is_understood_the_strip_says_why(harness: MakeHarness) -> None:
    made = harness()
    reads(made, Source(()))
    await made.open("olá", "olá")

    type_in(made, "quantos")
    await until(lambda: strip_of(made).isVisible())

    assert strip_of(made).note == "Não percebi."


async def test_with_a_model_enter_asks_it_and_ctrl_enter_takes_the_local_answer(
    harness: MakeHarness,
) -> None:
    made = harness([TextAdded("59."), END], [TextAdded("60."), END])
    reads(made, Source())
    made.page.reading.has_model = lambda: True
    await made.open("olá", "olá")
    type_in(made, "quantos")
    await valued(made)
    told = [label for label in strip_of(made).findChildren(QLabel) if label.isVisible()]
    assert "Local answer, at no cost" in [label.text() for label in told]

    press(made, Key.Key_Return)
    await until(lambda: len(made.answers) == 2)
    await made.settled()
    assert await last_question(made) == (Text("quantos"),)

    type_in(made, "quantos")
    await valued(made)
    press(made, Key.Key_Return, CTRL)
    await until(lambda: len(made.answers) == 3)
    await made.settled()
    assert await last_question(made) == (Text("quantos"), ChosenPlan({"of": WORDS[0]}))


async def test_a_recalled_question_is_read_and_up_recalls_the_one_before(
    harness: MakeHarness,
) -> None:
    made = harness()
    source = reads(made, Source())
    await made.open("uma", "1", "duas", "2")
    made.page.composer.question_box.setFocus()

    press(made, Key.Key_Up)
    await valued(made)
    press(made, Key.Key_Up)

    assert made.page.composer.text == "uma"
    await valued(made)
    assert source.read_questions == ["duas", "uma"]


async def test_the_box_does_not_move_while_the_same_question_goes_on(harness: MakeHarness) -> None:
    made, source = await typed(harness)
    await asyncio.sleep(0.05)
    height = strip_of(made).height()

    source.titles = WORDS[:1]
    type_in(made, " hoje")
    await until(lambda: len(source.read_questions) == 2)
    await valued(made)
    await asyncio.sleep(0.05)

    assert strip_of(made).height() == height
    made.page.composer.clear()
    await until(lambda: not strip_of(made).isVisible())
    assert strip_of(made).minimumHeight() == 0


async def test_gloves_find_each_reading(harness: MakeHarness) -> None:
    made, _source = await typed(harness)

    made.page.set_operator_mode(is_operator_mode=True)

    rows = strip_of(made).rows
    await until(lambda: all(row.height() >= OPERATOR_TARGET_PX for row in rows))


async def completing(harness: MakeHarness, text: str = "por tur") -> tuple[PageHarness, Source]:
    """A page in whose box a word was begun, with three ways to go on."""
    made = harness([TextAdded("59."), END])
    source = reads(made, Source())
    source.completions = tuple(
        Completion(words, len(text) - 3, "column") for words in ("turno", "turma", "Turbina")
    )
    await made.open("olá", "olá")
    type_in(made, text)
    await until(lambda: listed(made) is not None)
    return made, source


async def test_tab_takes_the_likeliest_way_to_go_on_and_then_the_next(
    harness: MakeHarness,
) -> None:
    made, source = await completing(harness)
    taken = []
    for _press in range(4):
        press(made, Key.Key_Tab)
        taken.append(made.page.composer.text)
        await asyncio.sleep(1.5 * PAUSE_S)
    press(made, Key.Key_Backtab)

    assert taken == ["por turno", "por turma", "por Turbina", "por turno"]
    assert made.page.composer.text == "por Turbina"
    assert source.read_questions[-1] == "por turno"
    made.page.composer.question_box.undo()
    assert made.page.composer.text == "por turno"


async def test_a_completion_is_never_in_the_way_of_enter(harness: MakeHarness) -> None:
    made, _source = await completing(harness)

    press(made, Key.Key_Return)
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert await last_question(made) == (Text("por tur"),)
    assert listed(made) is None


async def test_what_is_typed_on_narrows_the_list(harness: MakeHarness) -> None:
    made, source = await completing(harness)
    source.completions = ()

    type_in(made, "m")
    assert texts(listed(made)) == ["turma"]
    type_in(made, "x")

    assert listed(made) is None


async def test_escape_closes_the_list_before_the_strip(harness: MakeHarness) -> None:
    made, _source = await completing(harness)
    await valued(made)

    press(made, Key.Key_Escape)
    assert listed(made) is None
    assert strip_of(made).isVisible()
    press(made, Key.Key_Escape)

    assert not strip_of(made).isVisible()


async def test_the_list_goes_with_the_cursor(harness: MakeHarness) -> None:
    made, _source = await completing(harness)

    press(made, Key.Key_Left)

    assert listed(made) is None
    press(made, Key.Key_Tab)
    assert made.page.composer.text == "por tur"
    assert not made.page.composer.question_box.hasFocus()


async def test_a_word_in_the_middle_is_completed_in_its_place(harness: MakeHarness) -> None:
    made = harness()
    source = reads(made, Source())
    source.completions = (Completion("turno", 4, "column"),)
    await made.open("olá", "olá")
    made.page.composer.question_box.set_text("por  em março")
    made.page.composer.question_box.replace_text(4, 4, "")
    type_in(made, "tu")
    await until(lambda: listed(made) is not None)

    press(made, Key.Key_Tab)

    assert made.page.composer.text == "por turno em março"
    assert made.page.composer.question_box.cursor_place == 9


async def test_what_was_pasted_is_not_completed(harness: MakeHarness) -> None:
    made = harness()
    source = reads(made, Source())
    source.completions = (Completion("turno", 0, "column"),)
    await made.open("olá", "olá")
    data = QMimeData()
    data.setText("quantos escorridos por tur")
    made.page.composer.question_box.setFocus()

    made.page.composer.question_box.insertFromMimeData(data)
    await valued(made)

    assert listed(made) is None


async def test_a_press_on_a_way_to_go_on_takes_it(harness: MakeHarness) -> None:
    made, _source = await completing(harness)
    shown = listed(made)
    assert shown is not None

    QTest.mouseClick(shown.rows[1], Qt.MouseButton.LeftButton)

    assert made.page.composer.text == "por turma"
    assert made.page.composer.question_box.hasFocus()


def test_a_number_is_shown_whole_or_not_at_all(qapp: QApplication) -> None:
    words, font = "manhã: 2 104 · tarde: 1 954 · noite: 2 277", qapp.font()
    widths = range(20, 400, 7)

    shown = {whole_groups(words, font, width) for width in widths}

    assert shown == {"manhã: 2 104", "manhã: 2 104 · tarde: 1 954", words}


OTHERS = (Choice("Soma de Quantidade", {"of": "abc"}), Choice("Média", {"of": "ab"}, "7"))


async def test_other_readings_show_their_values_when_they_are_unfolded(
    harness: MakeHarness,
) -> None:
    made = harness([TextAdded("59."), Interpretation({"of": 1}, (), OTHERS), END], [END])
    reads(made, Source())
    await made.open()
    await made.ask("quantos?")
    (others,) = made.entries(AnswerView)[0].entries(OtherReadings)
    assert [button.isVisible() for button in others.buttons] == [False, False]

    others.fold_button.click()
    await until(lambda: [button.value for button in others.buttons] == ["3", "7"])
    others.buttons[0].click()
    await until(lambda: len(made.answers) == 2)
    await made.settled()

    assert await last_question(made) == (Text("Soma de Quantidade"), ChosenPlan({"of": "abc"}))


async def test_a_choice_says_what_it_comes_to(harness: MakeHarness) -> None:
    made = harness([Clarification("Qual?", OTHERS), END])
    await made.open()
    await made.ask("quantos?")

    (card,) = made.entries(AnswerView)[0].entries(ChoiceCard)

    assert [button.accessibleName() for button in card.buttons] == [
        "Soma de Quantidade",
        "Média: 7",
    ]
