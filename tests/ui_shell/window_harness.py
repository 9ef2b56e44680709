"""A real window on a real store, workspace and offline engine; the person is played."""

import ast
import asyncio
import inspect
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QWidget

from qhub_desktop.app import Program
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.supervisor import ChildRunner, ChildServer
from qhub_desktop.core.settings import Settings, changed_settings
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.controls.popup import OwnWindow, PopupFrame
from qhub_desktop.ui.gui_thread import GcGuard
from qhub_desktop.ui.shell.main_window import MainWindow


@dataclass
class KeyRing:
    """A key store that forgets with the test."""

    key: str = ""
    refused: set[str] = field(default_factory=set)

    async def save(self, key: str) -> None:
        self.key = key

    async def has(self) -> bool:
        return bool(self.key)

    async def test(self, key: str, settings: Settings) -> str:
        if (key or self.key) in self.refused:
            raise UserError("The key was refused. Check it in Settings.", fault="key")
        return "Claude answered."


@dataclass
class WindowHarness:
    """What a test has in its hands."""

    program: Program
    window: MainWindow
    appearance: Appearance
    keys: KeyRing


def take_back(harness: WindowHarness) -> None:
    """Undo what the toast in the corner tells of."""
    (button,) = harness.window.frame.banner.toast.buttons
    assert button.text() == "Undo"
    button.click()


def is_window(kind: type[QWidget]) -> bool:
    """Whether a class makes windows: by what it is, or by the flags that it sets."""
    if issubclass(kind, QDialog | QMainWindow | OwnWindow | PopupFrame):
        return True
    flags = {"Window", "Popup", "Dialog", "Tool", "SplashScreen", "Sheet"}
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in flags
        and ast.unparse(node.value) == "Qt.WindowType"
        for node in ast.walk(tree)
    )


class _Opened:
    """The classes of the windows that had the focus."""

    def __init__(self) -> None:
        self.kinds: set[type[QWidget]] = set()

    def note(self, focused: QWindow | None) -> None:
        """Note the class of this window, if it is one of ours."""
        for window in QApplication.topLevelWidgets():
            is_own = type(window).__module__.startswith("qhub_desktop.")
            if is_own and focused is not None and window.windowHandle() is focused:
                self.kinds.add(type(window))


@asynccontextmanager
async def opened(
    application: QApplication,
    *,
    keys: KeyRing | None = None,
    prepare: Callable[[Program], Awaitable[object]] | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[WindowHarness]:
    """A window that is open, and is closed in the end.

    It has the processes that it asks for, and none that wait for what may be asked: of most tests
    they would be the larger part, and nothing is answered otherwise for them.
    """
    application.setQuitOnLastWindowClosed(False)
    collector = GcGuard()
    spares = pytest.MonkeyPatch()
    for kind in (ChildRunner, ChildServer):
        spares.setattr(kind, "warm", lambda _children: None)
    program = Program()
    ring = keys or KeyRing()
    if not program.store.settings.load_now():
        chosen = settings or Settings(language="en", engine="offline", theme="light")
        await program.store.settings.save(changed_settings(chosen))
        program.chosen.replace(chosen)
    if prepare is not None:
        await prepare(program)
    appearance = Appearance(application, program.settings)
    services = replace(
        program.services(), test_connection=ring.test, save_key=ring.save, has_key=ring.has
    )
    window = MainWindow(services, appearance)
    noted = _Opened()
    application.focusWindowChanged.connect(noted.note)
    try:
        await window.open()
        yield WindowHarness(program, window, appearance, ring)
    finally:
        gone = asyncio.ensure_future(window.until_closed())
        await asyncio.sleep(0)
        application.focusWindowChanged.disconnect(noted.note)
        window.close()
        await gone
        appearance.close()
        window.deleteLater()
        await asyncio.sleep(0)
        await program.close()
        collector.close()
        spares.undo()
    # The table in test_windows.py knows no others.
    assert {kind.__name__ for kind in noted.kinds if not is_window(kind)} == set()
