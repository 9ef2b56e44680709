"""Habits of people who type, in the real window: the reading in sight is the answer that comes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.message import ChosenPlan, Message
from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.chat.completion import CompletionList
from qhub_desktop.ui.chat.question_reading import PAUSE_S
from tests.ui_shell.window_harness import KeyRing, WindowHarness, opened
from tests.waiting import until
from tests.wire import WireServer, answer

Key = Qt.Key
ALT, CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
AMBIGUOUS = "quantos escorridos"  # records, or the sum of their numbers
RUNS = "Data;Turno;Tipo de defeito;Quantidade\n" + "".join(
    f"{day:02}/03/2026;{shift};{kind};{count}\n"
    for day in range(2, 20)
    for shift in ("manhã", "noite")
    for kind, count in (("escorrido", 3), ("cratera", 2))
)
COLOURS = "peça;cor;espessura;inspetor\nA;azul;1,5;Rui\nB;verde;2,5;Ana\nC;azul;3,5;Ana\n"


class Typist:
    """Somebody at the keyboard of a window with a conversation."""

    def __init__(self, harness: WindowHarness) -> None:
        self.harness = harness
        self.page = harness.window.frame.centre.page
        self.box = self.page.composer.question_box
        self.strip = self.page.composer.strip

    async def begin(self, *files: Path) -> None:
        """Open a conversation, with these files in it."""
        await until(lambda: self.page.reading.source() is not None, "what reads questions")
        await self.harness.window.frame.centre.ensure_conversation()
        if files:
            panel, names = self.harness.window.frame.panel, {each.name for each in files}
            self.harness.window.controller.files.import_files(files)
            await until(lambda: names <= {each.file for each in panel.profiles}, "the files")
        self.box.setFocus()

    def type(self, words: str) -> None:
        """Press the keys of words; QTest knows ASCII alone."""
        for sign in words:
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                held = Qt.KeyboardModifier.NoModifier
                QApplication.sendEvent(self.box, QKeyEvent(kind, 0, held, sign))

    def press(self, key: Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.box, key, held)

    async def pause(self) -> list[str]:
        """Wait for the readings and their values; what a screen reader says of each."""
        count = 0

        def is_read() -> bool:
            nonlocal count
            count = len(self.strip.readings.readings)
            is_done = not any(row.is_awaited for row in self.strip.rows[:count])
            return self.strip.isVisible() and not self.strip.is_stale and is_done

        await until(is_read, "the readings")
        return [row.accessibleName() for row in self.strip.rows[:count]]

    async def send(self, key: Key = Key.Key_Return, **held: Qt.KeyboardModifier) -> Message:
        """Press a key that sends; the answer when it is complete."""
        answers = len(await self.messages())
        self.press(key, **held)
        await until(lambda: self.page.running_conversations, "the answer's begin")
        await until(lambda: not self.page.running_conversations, "the answer's end")
        messages = await self.messages()
        assert len(messages) == answers + 2
        return messages[-1]

    async def messages(self) -> list[Message]:
        conversation = self.harness.window.frame.centre.conversation
        assert conversation is not None
        return await self.harness.program.store.messages.latest(conversation.id)

    def listed(self) -> list[str]:
        """The ways to go on that are in sight."""
        lists = self.harness.window.findChildren(CompletionList)
        shown = [each for each in lists if each.isVisible()]
        return [row.completion.text for each in shown for row in each.rows]


@asynccontextmanager
async def typist(
    application: QApplication, *files: Path, settings: Settings | None = None
) -> AsyncIterator[Typist]:
    chosen = settings or Settings(language="pt", engine="offline", theme="light")
    async with opened(application, settings=chosen) as harness:
        person = Typist(harness)
        await person.begin(*files)
        yield person


@pytest.fixture
def colours(tmp_path: Path) -> Path:
    file = tmp_path / "medidas.csv"
    file.write_text(COLOURS, encoding="utf-8")
    return file


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A table of records with a number each: 36 of a kind, 108 in all."""
    file = tmp_path / "registos.csv"
    file.write_text(RUNS, encoding="utf-8")
    return file


def value(told: str) -> str:
    """The value in what a screen reader says of a reading."""
    return told.rpartition(": ")[2]


async def test_the_value_in_sight_is_the_answer(qapp: QApplication) -> None:
    async with typist(qapp) as person:
        person.type("quantos defeitos à noite?")
        (first, *_others) = await person.pause()

        told = await person.send()

        assert value(first) == "59"
        assert "59" in told.text
        assert not person.strip.isVisible()


async def test_the_first_question_of_all_is_read_and_a_reading_of_it_sent(
    qapp: QApplication,
) -> None:
    async with opened(qapp, settings=Settings(language="pt", engine="offline")) as harness:
        person = Typist(harness)
        await until(lambda: person.page.reading.source() is not None)
        assert harness.window.frame.centre.conversation is None
        person.type("quantos defeitos à noite?")
        (first, *_others) = await person.pause()

        person.press(Key.Key_Return, CTRL)
        await until(lambda: person.page.view is not None and not person.page.composer.text)
        await until(lambda: person.page.view and person.page.view.last_answer)
        await until(lambda: not person.page.running_conversations)

        question, told = await person.messages()
        assert value(first) == "59"
        assert "59" in told.text
        assert any(isinstance(each, ChosenPlan) for each in question.blocks)


async def test_enter_at_once_is_answered_as_without_readings(qapp: QApplication) -> None:
    async with typist(qapp) as person:
        person.type("quantos defeitos à noite?")

        told = await person.send()

        assert "59" in told.text
        assert person.strip.readings.question == ""


async def test_another_reading_is_sent_with_its_key_and_answers_its_value(
    qapp: QApplication, runs: Path
) -> None:
    async with typist(qapp, runs) as person:
        person.type(AMBIGUOUS)
        first, second, *_others = await person.pause()
        wanted = person.strip.readings.readings[1].plan

        told = await person.send(Key.Key_1, held=ALT)

        question = (await person.messages())[-2]
        assert {value(first), value(second)} == {"36", "108"}
        assert f"**{value(second)}**" in told.text
        assert question.text == AMBIGUOUS
        assert [each.plan for each in question.blocks if isinstance(each, ChosenPlan)] == [wanted]


async def test_down_and_enter_choose_without_the_mouse(qapp: QApplication, runs: Path) -> None:
    async with typist(qapp, runs) as person:
        person.type(AMBIGUOUS)
        shown = await person.pause()
        while person.strip.chosen != 1:
            person.press(Key.Key_Down)

        told = await person.send()

        assert f"**{value(shown[1])}**" in told.text


async def test_a_word_corrected_in_the_middle_is_read_anew(qapp: QApplication) -> None:
    async with typist(qapp) as person:
        person.type("quantos defeitos à tarde?")
        (before, *_others) = await person.pause()
        for _step in range(6):
            person.press(Key.Key_Left)
        for key in [Key.Key_Delete] * 5:
            person.press(key)

        person.type("noite")
        (after, *_others) = await person.pause()

        assert person.page.composer.text == "quantos defeitos à noite?"
        assert (value(before), value(after)) == ("68", "59")


async def test_what_is_pasted_is_read(qapp: QApplication) -> None:
    async with typist(qapp) as person:
        data = QMimeData()
        data.setText("quantos defeitos à noite?")

        person.box.insertFromMimeData(data)
        (first, *_others) = await person.pause()

        assert value(first) == "59"


async def test_a_long_sentence_as_it_is_spoken_is_read(qapp: QApplication) -> None:
    async with typist(qapp) as person:
        person.type("olha diz-me lá por favor quantos defeitos é que tivemos no turno da noite")

        (first, *_others) = await person.pause()

        assert value(first) == "59"


async def test_a_question_that_follows_is_read_after_the_one_before(qapp: QApplication) -> None:
    async with typist(qapp) as person:
        person.type("quantos defeitos à noite?")
        await person.send()

        person.type("e à tarde?")
        (first, *_others) = await person.pause()
        told = await person.send()

        assert value(first) == "68"
        assert "68" in told.text


async def test_words_are_completed_with_tab(qapp: QApplication, colours: Path) -> None:
    async with typist(qapp, colours) as person:
        person.type("média de esp")
        await until(person.listed, "a way to go on")
        person.press(Key.Key_Tab)
        person.type(" por c")
        await until(person.listed, "another")
        while not person.page.composer.text.endswith("cor"):
            person.press(Key.Key_Tab)

        await person.pause()
        told = await person.send()

        assert person.listed() == []
        assert "2,5" in told.text


async def test_what_was_typed_is_read_again_when_a_file_comes(
    qapp: QApplication, colours: Path
) -> None:
    async with typist(qapp) as person:
        person.type("média da espessura")
        await until(lambda: person.strip.readings.question)

        await person.begin(colours)
        await until(lambda: person.strip.readings.readings and not person.strip.is_stale)
        (first, *_others) = await person.pause()

        assert value(first) == "2,5"


async def test_nothing_is_read_with_the_setting_off(qapp: QApplication) -> None:
    off = Settings(language="pt", engine="offline", reading_strip=False)
    async with opened(qapp, settings=off) as harness:
        person = Typist(harness)
        await until(lambda: person.page.readings() is not None)
        await harness.window.frame.centre.ensure_conversation()
        person.type("quantos defeitos à noite?")
        await asyncio.sleep(3 * PAUSE_S)

        assert not person.strip.isVisible()
        assert person.box.extraSelections() == []


async def test_beside_claude_the_local_answer_is_one_key_away(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    with WireServer([answer("São umas dezenas.")]) as server:
        online = Settings(language="pt", engine="claude", endpoint=server.url)
        async with opened(qapp, keys=KeyRing("key-for-tests"), settings=online) as harness:
            person = Typist(harness)
            await person.begin()
            await until(lambda: person.page.reading.has_model() is True)
            person.type("quantos defeitos à noite?")
            (first, *_others) = await person.pause()

            local = await person.send(held=CTRL)
            person.type("quantos defeitos à noite?")
            await person.pause()
            asked = await person.send()

            assert value(first) == "59"
            assert (local.engine, "59" in local.text) == ("offline", True)
            assert asked.text == "São umas dezenas."
            assert len(server.requests) == 1
