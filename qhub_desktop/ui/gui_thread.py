"""Work that only the GUI thread may do: making Qt's classes, and collecting garbage."""

import asyncio
import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QCoreApplication, QObject, QTimer, QTimerEvent
from typing_extensions import override

from qhub_desktop.core.processes.thread import LOADING, in_background

EVERYWHERE = ("QtCore", "QtGui", "QtWidgets")
# What pyqtgraph imports: it names every class of the first three. The web engine makes classes of
# QtNetwork besides, which nothing else here uses.
MODULES = (*EVERYWHERE, "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")
SLICE_S = 0.004  # at least one class, the longest of which takes 15 ms
COLLECT_EVERY_MS = 500
SLOW_COLLECTION_S = 0.02


class Preload(QObject):
    """Imports a library on a thread once all classes of Qt that it uses exist.

    PySide makes a class when it is first named, and crashes if two threads make one at the same
    time. So all are made here, on the GUI thread, between its events.
    """

    def __init__(self, load: Callable[[], object], name: str) -> None:
        super().__init__(QCoreApplication.instance())
        self._load = load
        self._name = name
        self._slices = _make_classes(MODULES)
        self._thread: Thread | None = None
        self._timer = self.startTimer(0)

    @property
    def is_done(self) -> bool:
        """Whether the library can be imported without waiting."""
        return self._thread is not None and not self._thread.is_alive()

    @override
    def timerEvent(self, event: QTimerEvent) -> None:
        for _ in self._slices:
            return
        self.killTimer(self._timer)
        self._thread = in_background(self._load, f"{LOADING}{self._name}")


async def make_classes() -> None:
    """Make the classes of a window between the loop's events, before a thread imports its parts."""
    for _ in _make_classes(EVERYWHERE):
        await asyncio.sleep(0)


def _make_classes(module_names: Iterable[str]) -> Iterator[None]:
    """Make all classes of these modules, 90 ms for `MODULES`; pause every `SLICE_S`."""
    end = time.perf_counter() + SLICE_S
    for module_name in module_names:
        with suppress(ImportError):  # an installer may leave out what pyqtgraph can do without
            module = import_module(f"PySide6.{module_name}")
            for name in dir(module):
                getattr(module, name, None)  # makes the class
                if time.perf_counter() > end:
                    yield
                    end = time.perf_counter() + SLICE_S


class GcGuard(QObject):
    """Collects garbage now and then on the thread it was made on, until closed.

    Left to itself, Python's collector runs on whichever thread happens to allocate. Where that is a
    worker's, it frees widgets and timers there, which Qt answers with a segmentation fault (seen in
    its timer list).
    """

    def __init__(self) -> None:
        super().__init__()
        self._thresholds = gc.get_threshold()
        self._young = 0  # collections of a generation since the next older one was collected
        self._middle = 0
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=COLLECT_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect what Python would have collected by itself, by the same thresholds."""
        if gc.get_count()[0] <= self._thresholds[0]:
            return
        self._young += 1
        if self._young <= self._thresholds[1]:
            gc.collect(0)
            return
        self._young = 0
        self._middle += 1
        if self._middle <= self._thresholds[2]:
            gc.collect(1)
            return
        self._middle = 0
        began = time.perf_counter()
        gc.collect(2)
        if time.perf_counter() - began > SLOW_COLLECTION_S:
            # A library has been loaded: its million objects stay until the end, and need not be
            # looked at again.
            gc.freeze()

    def close(self) -> None:
        """Let Python collect by itself again, if it did."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
