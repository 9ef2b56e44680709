"""The person at the real window: a process of its own that acts a story and tells what it saw.

`python -m tests.end_to_end.window_story STORY [ARGUMENT]...` prints one JSON object. Everything but
the person is real: the window on a screen, its loop, its child processes, its data folder.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from qhub_desktop.app import Program
from qhub_desktop.core import text
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.paths import home
from qhub_desktop.core.settings import Policy
from qhub_desktop.core.study import Study
from qhub_desktop.tools.first_run import FirstRun
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.conversation_page import ConversationPage
from qhub_desktop.ui.chat.empty_state import EmptyState
from qhub_desktop.ui.chat.reading_strip import ReadingStrip
from qhub_desktop.ui.dashboards.new_dashboard import NewDashboardWindow
from qhub_desktop.ui.people.first_run import FirstRunWindow
from qhub_desktop.ui.shell.defect_window import DefectWindow
from qhub_desktop.ui.shell.main_window import MainWindow
from qhub_desktop.ui.shell.question_window import QuestionWindow
from qhub_desktop.ui.shell.study_window import StudyWindow
from tests.waiting import PATIENCE_S, until

LETTER_S = 0.03  # between two keys
MOMENT_S = 0.6  # a look at the window


class Person:
    """Somebody with a mouse, a keyboard and eyes."""

    def __init__(self, program: Program, window: MainWindow) -> None:
        self.program = program
        self.window = window

    @property
    def page(self) -> ConversationPage:
        return self.window.frame.centre.page

    async def until(self, what: str, seen: Callable[[], object]) -> None:
        """Watch until something is so; leave a picture where it never is."""
        try:
            await until(seen, what)
        except AssertionError:
            self.photograph(f"never-{what}")
            raise

    def drop(self, *files: Path) -> None:
        """Drag files over the middle of the window, and let go."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
        place = self.window.rect().center()
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        action = Qt.DropAction.CopyAction
        point = QPoint(place)
        for target in (self.window, self.window.overlay):
            QApplication.sendEvent(target, QDragEnterEvent(point, action, data, buttons, keys))
            QApplication.sendEvent(target, QDragMoveEvent(point, action, data, buttons, keys))
            drop = QDropEvent(QPointF(place), action, data, buttons, keys)
            QApplication.sendEvent(target, drop)
            if drop.isAccepted():
                return

    def type(self, words: str, *, enter: bool = True) -> None:
        """Type into what has the focus."""
        box = self.page.composer.focusProxy() or self.page.composer
        box.setFocus()
        for sign in words:  # QTest types nothing but ASCII
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                key = QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, sign)
                QApplication.sendEvent(box, key)
        if enter:
            QTest.keyClick(box, Qt.Key.Key_Return)

    async def ask(self, words: str) -> None:
        """Ask, and wait for the end of the answer."""
        self.type(words)
        await self.finished()

    def cards(self) -> list[str]:
        """The kinds of widget on the page, top to bottom."""
        found = [card for card in self.page.findChildren(WidgetCard) if card.isVisible()]
        found.sort(key=lambda card: card.mapTo(self.window, QPoint(0, 0)).y())
        return [type(card.widget).__name__ for card in found]

    def files(self) -> list[str]:
        """The files that the data panel shows."""
        return [profile.file for profile in self.window.frame.panel.profiles]

    def tap(self, target: QWidget) -> None:
        """Press what is on the screen there, which has to be large enough for a glove."""
        assert target.isVisible(), target
        assert min(target.width(), target.height()) >= 44, target.size()
        QTest.mouseClick(target, Qt.MouseButton.LeftButton)

    async def log(self) -> list[Json]:
        """The defects in the log beyond those that ship."""
        rows = (await self.program.store.defects.log()).rows[200:]
        return [[str(cell) for cell in row[3:]] for row in rows]

    async def in_front(self, window: QWidget) -> None:
        """Wait until the keys go to a window."""
        window.activateWindow()
        await self.until("the keys go there", window.isActiveWindow)

    def choose(self, box: QWidget, typed: str) -> None:
        """Go to a box with Tab, and choose what begins so."""
        self._tab_to(box)
        QTest.keyClicks(box, typed)

    def type_in(self, line: QWidget, typed: str) -> None:
        """Go to a line with Tab, and type."""
        self._tab_to(line)
        QTest.keyClicks(line, typed)

    def _tab_to(self, target: QWidget) -> None:
        for _step in range(60):
            if target.hasFocus():
                return
            QTest.keyClick(target.window().focusWidget(), Qt.Key.Key_Tab)
        raise AssertionError(f"Tab does not lead to {target.accessibleName()}")

    def press(self, target: QWidget, key: Qt.Key = Qt.Key.Key_Space) -> None:
        """Go to a control with Tab, and press a key there."""
        self._tab_to(target)
        QTest.keyClick(target, key)

    async def finished(self) -> None:
        """Wait for the end of the answer that was begun."""
        await self.until("the answer begins", lambda: self.page.running_conversations)
        await self.until("the answer ends", lambda: not self.page.running_conversations)

    def photograph_screen(self, name: str) -> None:
        """Keep a picture of the whole screen, pages of the web engine too."""
        folder = os.environ.get("QHUB_PICTURES")
        if folder:
            screen = self.window.screen()
            screen.grabWindow(0).save(str(Path(folder) / f"{name}.png"))

    def photograph(self, name: str, window: QWidget | None = None) -> None:
        """Keep a picture of a window, where the person was asked to."""
        folder = os.environ.get("QHUB_PICTURES")
        if folder:
            (window or self.window).grab().save(str(Path(folder) / f"{name}.png"))

    async def texts(self) -> list[Json]:
        """What is on disk of the open conversation."""
        conversation = self.window.frame.centre.conversation
        if conversation is None:
            return []
        messages = await self.program.store.messages.latest(conversation.id)
        return [[message.role, message.text, message.end] for message in messages]


async def drop_and_ask(person: Person, file: str) -> JsonObject:
    """Drop an export, ask, see a chart and a table."""
    centre = person.window.frame.centre
    person.window.frame.sidebar.agent_chosen.emit("analise")
    await person.until("the agent's page", lambda: centre.agent.id == "analise")
    person.drop(Path(file))
    await person.until("the file is in", lambda: person.files() == [Path(file).name])
    person.photograph("dropped")
    await person.ask("defeitos por turno")
    await person.ask("mostra num gráfico")
    await person.until("a chart", lambda: "Chart" in person.cards())
    await person.ask("em tabela")
    await person.until("a table", lambda: "TableView" in person.cards())
    person.photograph("asked")
    return {
        "cards": [*person.cards()],
        "files": [*person.files()],
        "texts": await person.texts(),
    }


async def look_again(person: Person) -> JsonObject:
    """Open the program anew, and touch nothing."""
    await person.until("the conversation", lambda: person.window.frame.centre.conversation)
    await person.until("the cards", lambda: len(person.cards()) >= 2)
    await person.until("the files", person.files)
    person.photograph("reopened")
    return {
        "cards": [*person.cards()],
        "files": [*person.files()],
        "texts": await person.texts(),
    }


async def report_by_two_taps(person: Person) -> JsonObject:
    """Report a defect as operators do, then the next one by two taps, and take that back."""
    person.tap(person.window.frame.sidebar.report_button)
    await person.until("the form", lambda: person.window.findChildren(DefectWindow))
    (form,) = person.window.findChildren(DefectWindow)
    await person.until("its fields", lambda: form.fields and form.fields["turno"].value)
    first = {"tipo_defeito": "gordura", "operador": "Julia", "material": "PP_Negro"}
    for name, value in {**first, "rack": "R12", "posicao": "4"}.items():
        person.tap(form.fields[name].tiles[value])
    person.photograph("filled-in")
    person.tap(form.record_button)
    await person.until("the pause is over", form.repeat_button.isEnabled)
    await person.until("the next", lambda: form.last and not form.fields["tipo_defeito"].value)
    told = [await person.log()]
    for target in (form.fields["tipo_defeito"].tiles["lixo"], form.record_button):
        await person.until("it can be tapped", target.isEnabled)
        person.tap(target)
    await person.until("the count", lambda: form.fields["tipo_defeito"].tiles["lixo"].value == "1")
    person.photograph("recorded")
    told.append(await person.log())
    person.tap(form.toast.buttons[0])
    await person.until("it is out", lambda: form.toast.text and not form.toast.buttons)
    await person.until("no count", lambda: not form.fields["tipo_defeito"].tiles["lixo"].value)
    person.photograph("taken-back")
    frame = form.frameGeometry()
    is_on_screen = form.screen().availableGeometry().contains(frame)
    return {"logs": [*told, await person.log()], "is_on_screen": is_on_screen}


async def study_by_panel(person: Person, file: str) -> JsonObject:
    """Make a study of a file's readings by the panel alone, with keys alone, and keep it."""
    person.drop(Path(file))
    await person.until("the file is in", lambda: person.files()[:1] == [Path(file).name])
    await person.in_front(person.window)
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(person.window, Qt.Key.Key_E, held)
    await person.until("the panel", lambda: person.window.findChildren(StudyWindow))
    (form,) = person.window.findChildren(StudyWindow)
    await person.in_front(form)
    made: list[Study] = []
    form.made.connect(made.append)
    await person.until("a first study", lambda: made or form.is_stale)
    person.choose(form.method_box, "Sis")
    await person.until("its fields", lambda: "peca" in form.controls)
    for name, typed in (("coluna", "mm"), ("peca", "No"), ("operador", "Quem")):
        person.choose(form.controls[name].control, typed)
    made.clear()
    await person.until("the study", lambda: made)
    person.type_in(form.controls["tolerancia"].control, "4,5")
    made.clear()
    await person.until("the study with its tolerance", lambda: made)
    person.photograph("panel", form)
    small = [
        name
        for name, each in form.controls.items()
        if each.control.isVisible() and each.control.height() < 44
    ]
    is_on_screen = form.screen().availableGeometry().contains(form.frameGeometry())
    QTest.keyClick(form, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await person.until("the card", lambda: "Study" in person.cards())
    person.photograph("study-kept")
    given = made[-1].arguments or {}
    return {"given": given, "small": [*small], "is_on_screen": is_on_screen}


async def ask_by_choices(person: Person, file: str) -> JsonObject:
    """Ask about a file by the form alone, with keys alone, and see the answer."""
    person.drop(Path(file))
    await person.until("the file is in", lambda: person.files()[:1] == [Path(file).name])
    await person.in_front(person.window)
    held = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(person.window, Qt.Key.Key_E, held)
    await person.until("the form", lambda: person.window.findChildren(QuestionWindow))
    (form,) = person.window.findChildren(QuestionWindow)
    await person.in_front(form)
    for path, typed in (("dimension", "turno"), ("shown", "barras")):
        await person.until("the sentence", lambda: form.written)
        (control,) = (
            each for row in form.rows.values() for at, each in row.controls.items() if at == (path,)
        )
        person.choose(control.list, typed)
    await person.until("the chart", lambda: form.written and form.outcome.card)
    person.photograph("choices", form)
    told = form.sentence.text()
    QTest.keyClick(form, Qt.Key.Key_Return, held)
    await person.until("the card", lambda: "Chart" in person.cards())
    await person.until("the answer ends", lambda: not person.page.running_conversations)
    person.photograph("choices-asked")
    return {"sentence": told, "texts": await person.texts()}


async def starter_then_typing(person: Person) -> JsonObject:
    """Press a starter question, then type, wherever the focus is."""
    await person.until("the starters", lambda: person.window.findChildren(EmptyState))
    (start,) = person.window.findChildren(EmptyState)
    await person.in_front(person.window)
    QTest.mouseClick(start.starters[0], Qt.MouseButton.LeftButton)
    await person.finished()
    focused = QApplication.focusWidget()
    QTest.keyClicks(focused or person.window, "e por turno")
    person.photograph("starter-then-typing")
    return {
        "typed": person.page.composer.text,
        "texts": await person.texts(),
        "is_on_screen": _is_on_screen(person.window),
    }


async def dashboard_by_keyboard(person: Person) -> JsonObject:
    """Ask for a chart, make a dashboard of it, and hang that on the wall: with keys alone."""
    await person.in_front(person.window)
    await person.ask("defeitos por turno num gráfico")
    await person.until("a chart", lambda: "Chart" in person.cards())
    held = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(person.window, Qt.Key.Key_D, held)
    windows = person.window.controller.windows.dashboards()
    await person.until("the list", lambda: windows.list and windows.list.isActiveWindow())
    assert windows.list is not None
    person.press(windows.list.new_button)
    await person.until("the form", lambda: person.window.findChildren(NewDashboardWindow))
    (form,) = person.window.findChildren(NewDashboardWindow)
    await person.in_front(form)
    await person.until("its cards", lambda: form.tiles)
    person.type_in(form.title_field, "Reuniao")
    person.press(next(iter(form.tiles)))
    person.photograph("new-dashboard", form)
    person.press(form.save_button)
    await person.until("the dashboard", lambda: windows.open_windows)
    (window,) = windows.open_windows.values()
    await person.until("its page", lambda: window.view)
    await person.in_front(window)
    assert window.view is not None
    await window.view.until_loaded()
    await asyncio.sleep(MOMENT_S)
    person.photograph_screen("dashboard")
    is_on_screen = _is_on_screen(window)
    words = await window.view.text()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    await person.until("it is closed", lambda: not windows.open_windows)
    await person.in_front(windows.list)
    await person.until("its tile", lambda: windows.list and windows.list.tiles)
    person.press(windows.list.tiles[0].wall_box)
    person.press(windows.list.wall_button)
    await person.until("the wall", lambda: windows.wall and windows.wall.view)
    wall = windows.wall
    assert wall is not None
    assert wall.view is not None
    await wall.view.until_loaded()
    await asyncio.sleep(2 * MOMENT_S)
    person.photograph_screen("wall")
    shown = [wall.view.width(), wall.view.height(), wall.view.content_size.height()]
    QTest.keyClick(wall, Qt.Key.Key_Escape)
    await person.until("the wall is left", lambda: windows.wall is None)
    return {"words": words, "wall": [*shown], "is_on_screen": is_on_screen}


async def print_a_report(person: Person, file: str, target: str) -> JsonObject:
    """Draw a control chart of a file, and print its report."""
    person.drop(Path(file))
    await person.until("the file is in", lambda: person.files()[:1] == [Path(file).name])
    await person.ask("carta de controlo de espessura")
    await person.until("the study", lambda: "Study" in person.cards())
    view = next(card.study_view for card in person.page.findChildren(WidgetCard) if card.study_view)
    QTest.mouseClick(view.report_button, Qt.MouseButton.LeftButton)
    await person.until("the dialog", lambda: person.window.findChildren(QFileDialog))
    dialog = person.window.findChildren(QFileDialog)[-1]
    dialog.selectFile(target)
    dialog.accept()
    await person.until("the report", Path(target).is_file)
    await person.until("it is told", view.report_button.isEnabled)
    person.photograph("report-printed")
    return {"files": [each.name for each in sorted(Path(target).parent.iterdir())]}


async def begin_the_first_time(application: QApplication) -> JsonObject:
    """Answer the questions of the first run with Enter alone, and see the main window."""
    first_run = FirstRun(home(), Policy({}))
    asking = FirstRunWindow(first_run, set_language=text.use)
    begun = asyncio.ensure_future(asking.until_begun())
    await until(asking.isVisible)
    await asyncio.sleep(MOMENT_S)
    are_on_screen = [_is_on_screen(asking)]
    while not begun.done():
        if asking.isVisible() and asking.next_button.isEnabled():
            QTest.keyClick(asking, Qt.Key.Key_Return)
        await asyncio.sleep(LETTER_S)
    assert await begun is not None
    await first_run.close()
    program = Program()
    window = MainWindow(program.services(), Appearance(application, program.settings))
    gone = asyncio.ensure_future(window.until_closed())
    await window.open()
    await asyncio.sleep(MOMENT_S)
    are_on_screen.append(_is_on_screen(window))
    Person(program, window).photograph_screen("first-window")
    window.close()
    await gone
    await program.close()
    return {"are_on_screen": [*are_on_screen]}


def _is_on_screen(window: QWidget) -> bool:
    """Whether a window is wholly on its screen, with its frame."""
    return window.screen().availableGeometry().contains(window.frameGeometry())


async def stop_with_escape(person: Person) -> JsonObject:
    """Ask Claude, and press Esc while the answer streams."""
    person.type("conta uma história longa")
    await person.until("words", lambda: len(_visible_text(person)) > 200)
    QTest.keyClick(person.page.composer.focusProxy() or person.page.composer, Qt.Key.Key_Escape)
    await person.until("the end", lambda: not person.page.running_conversations)
    person.photograph("stopped")
    return {"texts": await person.texts()}


async def stream_for_ever(person: Person) -> JsonObject:
    """Ask Claude, say when words arrive, and go on until somebody pulls the plug."""
    person.type("conta uma história longa")
    await person.until("words", lambda: len(_visible_text(person)) > 200)
    print(json.dumps({"streaming": len(_visible_text(person))}), flush=True)
    await asyncio.sleep(PATIENCE_S)  # the test ends this process meanwhile
    return {}


async def read_while_typing(person: Person, *given: str) -> JsonObject:
    """Type a question over each file, and choose its second reading: files, questions by turns."""
    pairs = zip(given[::2], given[1::2], strict=True)
    return {"files": [await _read(person, f"{at}", *each) for at, each in enumerate(pairs)]}


async def _read(person: Person, name: str, file: str, question: str) -> JsonObject:
    """Type letter by letter, and keep pictures of six moments."""
    strip, box = person.page.composer.strip, person.page.composer.question_box
    person.window.frame.centre.new_conversation("analise")
    person.drop(Path(file))
    await person.until("the file is in", lambda: Path(file).name in person.files())
    moments = {3: "begun", len(question) // 2: "half", len(question): "whole"}
    for typed, sign in enumerate(question, 1):
        person.type(sign, enter=False)
        await asyncio.sleep(MOMENT_S if typed in moments else LETTER_S)
        if typed in moments:
            person.photograph(f"{name}-{moments[typed]}")
    await person.until("the readings", lambda: _is_read(strip))
    shown = [row.accessibleName() for row in strip.rows[: len(strip.readings.readings)]]
    person.photograph(f"{name}-read")
    while strip.chosen != min(1, len(shown) - 1):
        QTest.keyClick(box, Qt.Key.Key_Down)
    person.photograph(f"{name}-chosen")
    QTest.keyClick(box, Qt.Key.Key_Return)
    await person.until("the answer begins", lambda: person.page.running_conversations)
    await person.until("the answer ends", lambda: not person.page.running_conversations)
    await asyncio.sleep(MOMENT_S)
    person.photograph(f"{name}-answered")
    return {"readings": [*shown], "texts": await person.texts()}


def _is_read(strip: ReadingStrip) -> bool:
    rows = strip.rows[: len(strip.readings.readings)]
    is_valued = not any(row.is_awaited for row in rows)
    return strip.isVisible() and not strip.is_stale and is_valued


STORIES: dict[str, Callable[..., Awaitable[JsonObject]]] = {
    "drop_and_ask": drop_and_ask,
    "look_again": look_again,
    "report_by_two_taps": report_by_two_taps,
    "study_by_panel": study_by_panel,
    "ask_by_choices": ask_by_choices,
    "starter_then_typing": starter_then_typing,
    "dashboard_by_keyboard": dashboard_by_keyboard,
    "print_a_report": print_a_report,
    "stop_with_escape": stop_with_escape,
    "stream_for_ever": stream_for_ever,
    "read_while_typing": read_while_typing,
}


def _visible_text(person: Person) -> str:
    view = person.page.view
    return "" if view is None or view.last_answer is None else view.last_answer.text


async def _act(application: QApplication, story: str, arguments: list[str]) -> JsonObject:
    if story == "begin_the_first_time":
        return await begin_the_first_time(application)
    program = Program()
    if story in ("report_by_two_taps", "study_by_panel"):
        program.chosen.replace(replace(program.settings, is_operator_mode=True))
    window = MainWindow(program.services(), Appearance(application, program.settings))
    gone = asyncio.ensure_future(window.until_closed())
    if story != "starter_then_typing":  # which looks at the size that the window gives itself
        window.resize(1366, 768)
    await window.open()
    told = await STORIES[story](Person(program, window), *arguments)
    window.close()
    await gone
    await program.close()
    return told


def main() -> int:
    """Act one story."""
    application = QApplication(sys.argv)
    application.setQuitOnLastWindowClosed(False)
    with qasync.QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        told = loop.run_until_complete(_act(application, sys.argv[1], sys.argv[2:]))
    print(json.dumps(told, ensure_ascii=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
