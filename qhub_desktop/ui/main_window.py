"""The window itself: seen before anything heavy is loaded, and gone before anything is lost."""

from __future__ import annotations  # what is in the window is imported after its first paint

import asyncio
import contextlib
import importlib
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.worker import Worker
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.desk import Desk
from qhub_desktop.ui.skeleton import Skeleton
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.window_place import fitted, read_place, written_place

if TYPE_CHECKING:
    from qhub_desktop.ui.drop_overlay import DropOverlay
    from qhub_desktop.ui.frame import Frame
    from qhub_desktop.ui.interior import Interior

STATE = "window"  # under which its place is kept
SMALLEST_PX = (880, 560)
FIRST_PAINT_S = 1.0
_INTERIOR = "qhub_desktop.ui.interior"


class MainWindow(QMainWindow):
    """Shows its bare lines at once; `open` brings what is in it after the first paint.

    Signals:
        painted: the window has been seen.
        closed: nothing of the window is under way any more.
    """

    painted = Signal()
    closed = Signal()

    def __init__(self, desk: Desk, appearance: Appearance) -> None:
        super().__init__()
        self._desk = desk
        self._look = appearance
        self._place = read_place(desk.store.state_now(STATE))
        self._is_painted = False
        self._interior: Interior | None = None
        self._leaving: asyncio.Task[None] | None = None
        self.tasks = Tasks(self._on_error)
        self.setWindowTitle("QHub Desktop")
        self.setMinimumSize(*SMALLEST_PX)
        appearance.zoom_to(self._place.zoom)
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        self.setGeometry(fitted(self._place, screens))
        self.setCentralWidget(Skeleton(self._place, width_px=self.width()))

    @property
    def interior(self) -> Interior:
        """What is in the window, once it has been opened."""
        assert self._interior is not None, "the window is not open yet"
        return self._interior

    @property
    def frame(self) -> Frame:
        """The bar on top and the three columns."""
        return self.interior.frame

    @property
    def overlay(self) -> DropOverlay:
        """What covers the window while files are dragged over it."""
        return self.interior.overlay

    async def open(self) -> None:
        """Show the window, then load what it works with; returns when a question can be asked."""
        if self._place.is_maximized:
            self.showMaximized()
        else:
            self.show()
        await self._until_painted()
        # As a task of the window's own, so that closing it stops this, too.
        await asyncio.wait([self.tasks.start(self._furnish())])

    async def until_closed(self) -> None:
        """Wait until the window has gone, and all that it began has ended."""
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
        """Go at once from the screen; `closed` comes when all that was begun has ended."""
        if self._leaving is None:
            if self._interior is not None:
                self._place = self._interior.place()
                self._interior.close()
            self._leaving = asyncio.get_running_loop().create_task(self._leave())
        event.accept()

    async def _furnish(self) -> None:
        imports = Worker("imports")
        try:
            await imports.run(importlib.import_module, _INTERIOR)
        finally:
            imports.close()
        from qhub_desktop.ui.interior import Interior

        self._interior = Interior(self, self._desk, self._look, place=self._place, tasks=self.tasks)
        self.setAcceptDrops(True)
        await self._interior.furnish()

    async def _leave(self) -> None:
        await self.tasks.cancel_all()
        await self._desk.store.save_state(STATE, written_place(self._place))
        self.closed.emit()

    async def _until_painted(self) -> None:
        seen = asyncio.Event()
        self.painted.connect(seen.set)
        if self._is_painted:
            return
        # A window that starts minimised is not painted, and works all the same.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(seen.wait(), FIRST_PAINT_S)

    def _on_error(self, error: QHubError) -> None:
        self.interior.tell(error)
