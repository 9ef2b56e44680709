"""The real window under watch: opened over a file, what it paints, how long its thread works."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import dev
from qhub_desktop.tools.first_run import SKIP, VARIABLE
from tests.waiting import until

SETTLED_S = 3.0  # what else is loaded after the first paint
LOOK_MS = 2


def run_live(module: str, *arguments: str) -> Any:
    """Run a bench's module in a process of its own, on a screen and a data folder of its own.

    Returns what it has printed last.
    """
    with tempfile.TemporaryDirectory() as home, dev.virtual_display() as display:
        surroundings = {**os.environ, "QHUB_HOME": home, "DISPLAY": display, VARIABLE: SKIP}
        for unwanted in ("QT_QPA_PLATFORM", "ANTHROPIC_API_KEY"):
            surroundings.pop(unwanted, None)
        done = subprocess.run(
            [sys.executable, "-m", module, "--live", *arguments],
            stdout=subprocess.PIPE,
            check=True,
            cwd=dev.ROOT,
            encoding="utf-8",
            env=surroundings,
        )
    return json.loads(done.stdout.splitlines()[-1])


def play_live(
    play: Callable[[Any], Awaitable[object]], file: Path, rows: int, **settings: object
) -> None:
    """Open the window in this process, read a file of so many rows, play, and print what it gave.

    `play` is given the main window.
    """
    from qhub_desktop import app
    from qhub_desktop.ui.shell import window_loop

    async def live(program: Any, application: Any, *_others: object) -> None:
        from qhub_desktop.ui.appearance import Appearance
        from qhub_desktop.ui.gui_thread import GcGuard
        from qhub_desktop.ui.shell.main_window import MainWindow

        collector = GcGuard()
        program.chosen.replace(replace(program.settings, **settings))
        window = MainWindow(program.services(), Appearance(application, program.settings))
        gone = asyncio.ensure_future(window.until_closed())
        await window.open()
        window.controller.files.import_files([file])
        panel = window.frame.panel
        await until(lambda: any(each.rows == rows for each in panel.profiles))
        await asyncio.sleep(SETTLED_S)
        print(json.dumps(await play(window)), flush=True)
        window.close()
        await gone
        await program.close()
        collector.close()

    vars(window_loop)["run_one"] = live
    app.run_window()


def eye() -> Any:
    """Return an event filter whose `painted` is when a widget was painted, 0 until then."""
    from PySide6.QtCore import QEvent, QObject
    from typing_extensions import override

    class Eye(QObject):
        painted = 0.0

        @override
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and not self.painted:
                self.painted = time.perf_counter()
            return False

    return Eye()


@contextmanager
def watched_work() -> Iterator[list[float]]:
    """Give the seconds that this thread works between two looks, of which there are many.

    The look is a timer of Qt: a task that sleeps is woken in two rounds of the loop, and would
    take the work of both for one.
    """
    from PySide6.QtCore import Qt, QTimer

    work, busy = [0.0], time.thread_time()

    def look() -> None:
        nonlocal busy
        now = time.thread_time()
        work.append(now - busy)
        busy = now

    timer = QTimer(interval=LOOK_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(look)
    timer.start()
    yield work
    timer.stop()
