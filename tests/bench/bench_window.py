"""From the start to the first paint, and memory when idle: ours, and a bare window in one run."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import dev
from qhub_desktop.tools.first_run import SKIP, VARIABLE
from tests.bench.record import record

RUNS = 9
BARE = """
import sys, time
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        print(time.time(), flush=True)
        QApplication.quit()
application = QApplication(sys.argv)
window = Window()
window.resize(1366, 768)
window.show()
application.exec()
"""
OURS = """
import asyncio, sys, time
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from qhub_desktop import app
class Eye(QObject):
    seen = 0
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not self.seen:
            self.seen = time.time()
        return False
async def live(program, application, *_others):
    from qhub_desktop.ui.appearance import Appearance
    from qhub_desktop.ui.shell.main_window import MainWindow
    eye = Eye()
    application.installEventFilter(eye)
    window = MainWindow(program.services(), Appearance(application, program.settings))
    gone = asyncio.ensure_future(window.until_closed())
    await window.open()
    print(eye.seen, time.time(), flush=True)
    if "idle" in sys.argv:
        import psutil
        await asyncio.sleep(10)
        print(psutil.Process().memory_full_info().uss, flush=True)
    window.close()
    await gone
    await program.close()
from qhub_desktop.ui.shell import window_loop
window_loop.run_one  # raises where it is no longer called so
window_loop.run_one = live
app.run_window()
"""


def main() -> None:
    """Print and keep the figures."""
    with tempfile.TemporaryDirectory() as home, dev.virtual_display() as display:
        surroundings = {**os.environ, "QHUB_HOME": home, "DISPLAY": display, VARIABLE: SKIP}
        for unwanted in ("QT_QPA_PLATFORM", "ANTHROPIC_API_KEY", "PYTHONDONTWRITEBYTECODE"):
            surroundings.pop(unwanted, None)
        for code in (BARE, OURS):
            _moments(code, surroundings)
        bare, painted, usable = [], [], []
        for _run in range(RUNS):
            bare.append(_moments(BARE, surroundings)[0])
            first, last = _moments(OURS, surroundings)
            painted.append(first)
            usable.append(last)
        idle = _lines(OURS, surroundings, "idle")[-1]
    record(
        "window",
        {
            "bare QMainWindow, first paint, median s": statistics.median(bare),
            "QHub Desktop, first paint, median s": statistics.median(painted),
            "QHub Desktop, ready for a question, median s": statistics.median(usable),
            "QHub Desktop, own memory after 10 s idle, MB": float(idle) / 1e6,
            "first paint, QHub Desktop / bare": statistics.median(
                ours / floor for ours, floor in zip(painted, bare, strict=True)
            ),
        },
    )


def _moments(code: str, surroundings: dict[str, str]) -> list[float]:
    began = time.time()
    return [float(moment) - began for moment in _lines(code, surroundings)]


def _lines(code: str, surroundings: dict[str, str], *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        check=True,
        cwd=dev.ROOT,
        encoding="utf-8",
        env=surroundings,
    )
    return done.stdout.split()


if __name__ == "__main__":
    main()
