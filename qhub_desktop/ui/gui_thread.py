"""Work bound to the GUI thread: creation of Qt's Python classes, and garbage collection."""

# Why it is so: decisions/window.md

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from threading import Thread

from PySide6.QtCore import QCoreApplication, QObject, QTimer, QTimerEvent
from typing_extensions import override

BASE_MODULES = ("QtCore", "QtGui", "QtWidgets")
# Modules pyqtgraph imports: it uses all classes of the first three. The web engine creates those of
# QtNetwork, which nothing else here uses.
CHART_MODULES = (*BASE_MODULES, "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtTest")
SLICE_S = 0.004  # at least one class per slice; the slowest class takes 15 ms
COLLECT_EVERY_MS = 500
SLOW_COLLECTION_S = 0.02  # a longer one means that a library was loaded
LOADING = "loading-"  # begins the names of threads that load parts of Qt


class Preload(QObject):
    """Import of a library on a thread, once all Qt classes that it uses exist.

    PySide creates a class on first access, and crashes if two threads create one at the same
    time. All are therefore created here, on the GUI thread, between its events.
    """

    def __init__(self, load: Callable[[], object], name: str) -> None:
        super().__init__(QCoreApplication.instance())
        self._load = load
        self._name = name
        self._slices = _make_classes(CHART_MODULES)
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
        # No daemon: one that an interpreter ends in the middle of an import takes the process down.
        self._thread = Thread(target=self._load, name=f"{LOADING}{self._name}")
        self._thread.start()


async def make_classes() -> None:
    """Create Qt's classes between events, before a thread imports the window's parts."""
    for _ in _make_classes(BASE_MODULES):
        await asyncio.sleep(0)


def _make_classes(module_names: Iterable[str]) -> Iterator[None]:
    """Create all classes of these modules (90 ms for `CHART_MODULES`), yielding every `SLICE_S`."""
    end = time.perf_counter() + SLICE_S
    for module_name in module_names:
        with suppress(ImportError):  # an installer may omit modules that are optional for pyqtgraph
            module = import_module(f"PySide6.{module_name}")
            for name in dir(module):
                getattr(module, name, None)  # creates the class
                if time.perf_counter() > end:
                    yield
                    end = time.perf_counter() + SLICE_S


async def import_in_turn(names: Iterable[str]) -> None:
    """Import modules that need Qt here, on the GUI thread, with events between one and the next."""
    for name in names:
        import_module(name)
        await asyncio.sleep(0)


def until_loaded() -> None:
    """Wait for the threads that load parts of Qt.

    Its binding makes each class when that is first used, and crashes if two threads do so at once.
    """
    # The first page makes hundreds of classes. While the charts' libraries, loading on a thread,
    # made theirs, one start in ten crashed.
    for thread in threading.enumerate():
        if thread.name.startswith(LOADING):
            thread.join()


class GcGuard(QObject):
    """Garbage collector that runs periodically on the thread it was created on, until closed.

    By default, Python's collector runs on whichever thread happens to allocate. If that is a
    worker, it frees widgets and timers there, and Qt crashes with a segmentation fault (seen in
    its timer list).
    """

    def __init__(self) -> None:
        super().__init__()
        self._thresholds = gc.get_threshold()
        self._young = 0  # collections of this generation since the last of the next older one
        self._middle = 0
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=COLLECT_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the generations due by Python's own thresholds."""
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
            # A library was loaded: its million objects live until exit; freeze them so that they
            # are not scanned again.
            gc.freeze()

    def close(self) -> None:
        """Restore Python's automatic collection if it was enabled before."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
