"""The person at the real window: a process of its own that acts a story and tells what it saw.

`python -m tests.end_to_end.window_story STORY [ARGUMENT]...` prints one JSON object. Everything but
the person is real: the window on a screen, its loop, its child processes, its data folder.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qhub_desktop.app import Program
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.card import WidgetCard
from qhub_desktop.ui.chat.conversation_page import ConversationPage
from qhub_desktop.ui.shell.main_window import MainWindow
from tests.waiting import PATIENCE_S, until


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
        await self.until("the answer begins", lambda: self.page.running_conversations)
        await self.until("the answer ends", lambda: not self.page.running_conversations)

    def cards(self) -> list[str]:
        """The kinds of widget on the page, top to bottom."""
        found = [card for card in self.page.findChildren(WidgetCard) if card.isVisible()]
        found.sort(key=lambda card: card.mapTo(self.window, QPoint(0, 0)).y())
        return [type(card.widget).__name__ for card in found]

    def files(self) -> list[str]:
        """The files that the data panel shows."""
        return [profile.file for profile in self.window.frame.panel.profiles]

    def photograph(self, name: str) -> None:
        """Keep a picture of the window, where the person was asked to."""
        folder = os.environ.get("QHUB_PICTURES")
        if folder:
            self.window.grab().save(str(Path(folder) / f"{name}.png"))

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


STORIES: dict[str, Callable[..., Awaitable[JsonObject]]] = {
    "drop_and_ask": drop_and_ask,
    "look_again": look_again,
    "stop_with_escape": stop_with_escape,
    "stream_for_ever": stream_for_ever,
}


def _visible_text(person: Person) -> str:
    view = person.page.view
    return "" if view is None or view.last_answer is None else view.last_answer.text


async def _act(application: QApplication, story: str, arguments: list[str]) -> JsonObject:
    program = Program()
    window = MainWindow(program.services(), Appearance(application, program.settings))
    gone = asyncio.ensure_future(window.until_closed())
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
