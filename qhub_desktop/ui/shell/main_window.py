"""Main window: painted before heavy imports, closed after everything is stored."""

from __future__ import annotations  # the window's contents are imported after its first paint

import asyncio
import contextlib
import importlib
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.processes.thread import Worker
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.gui_thread import make_classes
from qhub_desktop.ui.shell.services import AppServices
from qhub_desktop.ui.shell.window_place import (
    WindowPlace,
    fitted,
    read_place,
    usual_widths,
    written_place,
)
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import TARGET_PX

if TYPE_CHECKING:
    from qhub_desktop.ui.shell.controller import Controller
    from qhub_desktop.ui.shell.drop_zone import DropOverlay
    from qhub_desktop.ui.shell.layout import WindowLayout

_BAR_PX = TARGET_PX + 15


class Skeleton(QWidget):
    """Placeholder with the empty top bar and columns of the final layout.

    Made of frames painted by the style sheet: the first use of a QPainter loads all enumerations
    of Qt, which takes 27 ms.
    """

    def __init__(self, place: WindowPlace, *, width_px: int) -> None:
        super().__init__()
        usual_left, usual_right = usual_widths(width_px)
        columns = QHBoxLayout()
        columns.setSpacing(0)
        if place.has_sidebar:
            columns.addWidget(_frame("panel", width_px=place.sidebar_px or usual_left))
            columns.addWidget(_frame("line", width_px=1))
        columns.addStretch(1)
        if place.has_panel:
            columns.addWidget(_frame("line", width_px=1))
            columns.addWidget(_frame("panel", width_px=place.panel_px or usual_right))
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
SMALLEST_PX = (880, 560)
FIRST_PAINT_S = 1.0
_CONTROLLER = "qhub_desktop.ui.shell.controller"


class MainWindow(QMainWindow):
    """Main window: shows its skeleton at once; `open` adds the contents after the first paint.

    Signals:
        painted: the window was painted for the first time.
        closed: all tasks of the window have ended.
    """

    painted = Signal()
    closed = Signal()

    def __init__(self, desk: AppServices, appearance: Appearance) -> None:
        super().__init__()
        self._desk = desk
        self._look = appearance
        self._place = read_place(desk.store.settings.state_now(STATE))
        self._is_painted = False
        self._interior: Controller | None = None
        self._leaving: asyncio.Task[None] | None = None
        self.tasks = Tasks(self._on_error)
        self.setWindowTitle("QHub Desktop")
        self.setMinimumSize(*SMALLEST_PX)
        appearance.zoom_to(self._place.zoom)
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        self.setGeometry(fitted(self._place, screens))
        self.setCentralWidget(Skeleton(self._place, width_px=self.width()))

    @property
    def interior(self) -> Controller:
        """Controller of the window's contents; only after `open`."""
        assert self._interior is not None, "the window is not open yet"
        return self._interior

    @property
    def frame(self) -> WindowLayout:
        """Layout of the top bar and the three columns."""
        return self.interior.frame

    @property
    def overlay(self) -> DropOverlay:
        """Overlay shown while files are dragged over the window."""
        return self.interior.overlay

    async def open(self) -> None:
        """Show the window, then load its contents; return once questions can be asked."""
        if self._place.is_maximized:
            self.showMaximized()
        else:
            self.show()
        await self._until_painted()
        # A task owned by the window, so that closing the window cancels it.
        await asyncio.wait([self.tasks.start(self._furnish())])

    async def until_closed(self) -> None:
        """Wait until the window is closed and all its tasks have ended."""
        gone = asyncio.Event()
        self.closed.connect(gone.set)
        await gone.wait()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._interior is None or not self._interior.take_key(event):
            super().keyPressEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self.painted.emit()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide at once; `closed` is emitted when all tasks have ended."""
        if self._leaving is None:
            if self._interior is not None:
                self._place = self._interior.place()
                self._interior.close()
            self._leaving = asyncio.get_running_loop().create_task(self._leave())
        event.accept()

    async def _furnish(self) -> None:
        await (
            make_classes()
        )  # the event loop creates some of the Qt classes that are imported meanwhile
        imports = Worker("imports")
        try:
            module = await imports.run(importlib.import_module, _CONTROLLER)
        finally:
            imports.close()
        self._interior = module.Controller(
            self, self._desk, self._look, place=self._place, tasks=self.tasks
        )
        self.setAcceptDrops(True)
        await self._interior.furnish()

    async def _leave(self) -> None:
        await self.tasks.cancel_all()
        await self._desk.store.settings.save_state(STATE, written_place(self._place))
        self.closed.emit()

    async def _until_painted(self) -> None:
        seen = asyncio.Event()
        self.painted.connect(seen.set)
        if self._is_painted:
            return
        # A window that starts minimised is never painted but must be filled, too.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), FIRST_PAINT_S)

    def _on_error(self, error: QHubError) -> None:
        self.interior.tell(error)
