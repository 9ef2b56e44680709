"""Main window: painted before heavy imports, closed after everything is stored."""

from __future__ import annotations  # the window's contents are imported after its first paint

import asyncio
import contextlib
import importlib
import logging
from dataclasses import asdict
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.errors import QHubError, SessionOverError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.controls.plain_text import set_title
from qhub_desktop.ui.controls.screens import keep_on_screen
from qhub_desktop.ui.gui_thread import make_classes
from qhub_desktop.ui.services import AppServices
from qhub_desktop.ui.shell.window_state import (
    WindowState,
    default_widths,
    fit_to_screens,
    read_window_state,
)
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import TARGET_PX

if TYPE_CHECKING:
    from qhub_desktop.core.person import Person
    from qhub_desktop.ui.people.session import Session
    from qhub_desktop.ui.shell.controller import Controller
    from qhub_desktop.ui.shell.file_intake import DropOverlay
    from qhub_desktop.ui.shell.layout import WindowLayout

_BAR_PX = TARGET_PX + 15


class Skeleton(QWidget):
    """Placeholder with the empty top bar and columns of the final layout.

    Made of frames painted by the style sheet, without our own layouts and labels: the first use of
    a QPainter, or of the namespace `Qt`, loads all enumerations of Qt, which takes 17 ms.
    """

    def __init__(self, window_state: WindowState, *, width_px: int) -> None:
        super().__init__()
        default_left, default_right = default_widths(width_px)
        columns = QHBoxLayout()
        columns.setSpacing(0)
        if window_state.has_sidebar:
            columns.addWidget(_frame("panel", width_px=window_state.sidebar_px or default_left))
            columns.addWidget(_frame("line", width_px=1))
        columns.addStretch(1)
        if window_state.has_panel:
            columns.addWidget(_frame("line", width_px=1))
            columns.addWidget(_frame("panel", width_px=window_state.panel_px or default_right))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(_frame("panel", height_px=_BAR_PX))
        whole.addWidget(_frame("line", height_px=1))
        whole.addLayout(columns, 1)


def _frame(kind: str, *, width_px: int = 0, height_px: int = 0) -> QFrame:
    frame = QFrame()
    frame.setProperty("kind", kind)
    if width_px:
        frame.setFixedWidth(width_px)
    if height_px:
        frame.setFixedHeight(height_px)
    return frame


STATE = "window"  # key of the stored window geometry
MIN_SIZE_PX = (400, 420)
FIRST_PAINT_TIMEOUT_S = 1.0
ACCOUNT_MS = 3_000  # until a window learns what another program did to its account
LOGOFF_MS = 4_000  # Windows asks the person what to do with us after 5 s
_CONTROLLER = "qhub_desktop.ui.shell.controller"

_log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """Main window: shows its skeleton at once; `open` adds the contents after the first paint.

    Signals:
        painted: the window was painted for the first time.
        closed: all tasks of the window have ended.
    """

    painted = Signal()
    closed = Signal()

    def __init__(self, services: AppServices, appearance: Appearance) -> None:
        super().__init__()
        self._services = services
        self._appearance = appearance
        self._window_state = read_window_state(services.store.settings.state_now(STATE))
        self._is_painted = False
        self._controller: Controller | None = None
        self._closing: asyncio.Task[None] | None = None
        self._is_stored = False
        self.tasks = Tasks(self._on_error)
        self.session = self._begin_session(services.person) if services.person else None
        self._account_clock = QTimer(self, interval=ACCOUNT_MS, singleShot=True)
        self._account_clock.timeout.connect(lambda: self.tasks.start(self.check_account()))
        self._account_clock.start()
        set_title(self, "QHub Desktop")
        self.setMinimumSize(*MIN_SIZE_PX)
        appearance.zoom_to(self._window_state.zoom)
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        self.setGeometry(fit_to_screens(self._window_state, screens))
        self.setCentralWidget(Skeleton(self._window_state, width_px=self.width()))

    @property
    def controller(self) -> Controller:
        """Controller of the window's contents; only after `open`."""
        assert self._controller is not None, "the window is not open yet"
        return self._controller

    @property
    def frame(self) -> WindowLayout:
        """Layout of the top bar and the three columns."""
        return self.controller.frame

    @property
    def overlay(self) -> DropOverlay:
        """Overlay shown while files are dragged over the window."""
        return self.controller.overlay

    async def open(self) -> None:
        """Show the window, then load its contents; return once questions can be asked."""
        if self._window_state.is_maximized:
            self.showMaximized()
        else:
            self.show()
        await self._until_painted()
        keep_on_screen(self)
        # A task owned by the window, so that closing the window cancels it.
        await asyncio.wait([self.tasks.start(self._load())])

    async def check_account(self) -> None:
        """Lock the window if another program has disabled or changed the account of its person.

        So, too, where nobody had one until now. Looked at anew in some seconds.
        """
        try:
            await self._services.store.people.check_account()
        except SessionOverError as error:
            if self.session is None:
                from qhub_desktop.ui.people.session import NOBODY

                self.session = self._begin_session(NOBODY)
            self.session.end(str(error))
        except UserError as error:  # another program is busy
            _log.warning("the account was not looked at: %s", error)
        finally:
            self._account_clock.start()

    def _begin_session(self, person: Person) -> Session:
        from qhub_desktop.ui.people.session import Session

        return Session(
            self,
            person,
            self._services.accounts(),
            station=lambda: self._services.live_settings.settings.station,
            forget=self._services.sessions().forget,
            tasks=self.tasks,
        )

    def bring_to_front(self) -> None:
        """Show the window above all others, as after a second start."""
        from PySide6.QtCore import Qt  # see Skeleton

        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    @property
    def is_closing(self) -> bool:
        """Whether the window is closed, or is storing what there is before it is."""
        return self._closing is not None

    def close_now(self) -> None:
        """Close the window and return when everything is stored: the person is being logged off.

        Not to be called from a coroutine: the loop goes on inside.
        """
        if self._is_stored:
            return
        waiting = QEventLoop()
        self.closed.connect(waiting.quit)
        # The system ends programs that take longer. What is stored as it grows is there anyway.
        QTimer.singleShot(LOGOFF_MS, waiting, waiting.quit)
        self.close()
        waiting.exec()

    async def until_closed(self) -> None:
        """Wait until the window is closed and all its tasks have ended."""
        if self._is_stored:
            return
        gone = asyncio.Event()
        self.closed.connect(gone.set)
        await gone.wait()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._controller is None or not self._controller.handle_key(event):
            super().keyPressEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide at once; `closed` is emitted when all tasks have ended.

        A person who closes it is asked while files are being read.
        """
        is_asked = event.spontaneous() and self._closing is None and self._controller is not None
        if is_asked and self.controller.files.keeps_open(self.close):
            event.ignore()
            return
        if self._closing is None:
            if self._controller is not None:
                self._window_state = self._controller.window_state()
                self._controller.close()
            self._closing = asyncio.get_running_loop().create_task(self._finish_closing())
        event.accept()

    async def _load(self) -> None:
        # Before the import, which uses these classes on its thread.
        await make_classes()
        imports = Worker("imports")
        try:
            module = await imports.run(importlib.import_module, _CONTROLLER)
        finally:
            imports.close()
        self._controller = module.Controller(
            self,
            self._services,
            self._appearance,
            window_state=self._window_state,
            tasks=self.tasks,
            session=self.session,
        )
        self.setAcceptDrops(True)
        await self._controller.load()

    async def _finish_closing(self) -> None:
        await self.tasks.cancel_all()
        try:
            await self._services.store.settings.save_state(STATE, asdict(self._window_state))
        except QHubError as error:  # a full disk: nobody sees the window any more, and it must end
            _log.warning("the window's place was not kept: %s", error)
        finally:
            self._is_stored = True
            self.closed.emit()

    async def _until_painted(self) -> None:
        seen = asyncio.Event()
        self.painted.connect(seen.set)
        if self._is_painted:
            return
        # A window that starts minimised is never painted but must be filled, too.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), FIRST_PAINT_TIMEOUT_S)

    def _on_error(self, error: QHubError) -> None:
        self.controller.show_error(error)
