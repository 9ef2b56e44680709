"""Python's collector, kept on the window's thread.

Left to itself it runs on whichever thread happens to allocate. Where that is a worker's, it frees
widgets and timers there, which Qt answers with a segmentation fault (seen in its timer list).
"""

import gc
import time

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500
SLOW_S = 0.02


class GcGuard(QObject):
    """Collects now and then on the thread it was made on, until closed."""

    def __init__(self) -> None:
        super().__init__()
        self._thresholds = gc.get_threshold()
        self._young = 0  # collections of a generation since the next older one was collected
        self._middle = 0
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """What Python would have done by itself, by the same thresholds."""
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
        if time.perf_counter() - began > SLOW_S:
            # A library has been loaded: its million objects stay until the end, and need not be
            # looked at again.
            gc.freeze()

    def close(self) -> None:
        """Let Python collect by itself again, if it did."""
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
