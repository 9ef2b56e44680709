"""How long the window stands still for a chart: drawing up, building, painting, and all at once.

Run it as `python -m tests.bench bench_charts`. Goal: no step of one chart over 50 ms.
"""

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from PySide6.QtCore import QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from qhub_desktop.charts.catalogue import RECIPES, draw
from qhub_desktop.core import text
from qhub_desktop.core.figure import Figure
from qhub_desktop.core.table import Column, Table
from qhub_desktop.ui.charts.chart_body import is_preloaded, preload
from qhub_desktop.ui.gui_thread import GcGuard
from qhub_desktop.ui.theme import DARK, LIGHT, theme
from tests.bench.record import record

ROUNDS = 9
ROWS = 5_000
CLOUD = 30_000
SIZE_PX = (720, 300)


def main() -> None:
    """Measure, and record."""
    application = QApplication(sys.argv[:1])
    collector = GcGuard()  # as the program: a collection while Qt makes an item ends the process
    text.use("en")
    figures: dict[str, dict[str, float]] = {}
    figures["warming"] = _warming(application)
    table, cloud = _records(ROWS), _records(CLOUD)
    for kind in RECIPES:
        figures[kind] = _costs(application, partial(draw, kind, kind, table))
    for name, kind in (("scatter of 30,000", "scatter"), ("line of 30,000", "line")):
        asked = partial(draw, kind, kind, cloud, x="temperature", y=["thickness"])
        figures[name] = _costs(application, asked)
    collector.close()
    record("charts", figures)


def _warming(application: QApplication) -> dict[str, float]:
    """Loading pyqtgraph on its thread: how long, and the longest the window stood still."""
    stalls = [0.0]
    last = start = time.perf_counter()
    beat = QTimer()

    def on_timeout() -> None:
        nonlocal last
        now = time.perf_counter()
        stalls.append((now - last) * 1000)
        last = now
        if is_preloaded():
            application.quit()

    beat.timeout.connect(on_timeout)
    beat.start(1)
    preload()
    application.exec()
    beat.stop()
    return {"whole_ms": (time.perf_counter() - start) * 1000, "longest_stall_ms": max(stalls)}


def _costs(application: QApplication, asked: Callable[[], Figure]) -> dict[str, float]:
    """One chart: drawing it up (not on the window's thread), then each step that is."""
    from qhub_desktop.ui.charts.plot_view import PlotView  # after the warming was measured

    drawn: list[float] = []
    built: list[float] = []
    painted: list[float] = []
    dressed: list[float] = []
    for _round in range(ROUNDS):
        theme().set_palette(LIGHT)
        start = time.perf_counter()
        figure = asked()
        drawn.append(time.perf_counter() - start)
        start = time.perf_counter()
        view = PlotView(figure)
        view.resize(*SIZE_PX)
        view.show()
        built.append(time.perf_counter() - start)
        start = time.perf_counter()
        view.grab()
        painted.append(time.perf_counter() - start)
        start = time.perf_counter()
        theme().set_palette(DARK)
        dressed.append(time.perf_counter() - start)
        view.close()
        view.deleteLater()  # as every window of the program when it closes
        application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return {
        "draw_up_ms": median(drawn) * 1000,
        "build_ms": median(built) * 1000,
        "longest_build_ms": max(built) * 1000,
        "paint_ms": median(painted) * 1000,
        "longest_paint_ms": max(painted) * 1000,
        "palette_ms": median(dressed) * 1000,
    }


def _records(count: int) -> Table:
    chance = random.Random(1)
    columns = (
        Column("id", "integer"),
        Column("shift", "category"),
        Column("type", "category"),
        Column("temperature", "number"),
        Column("thickness", "number"),
    )
    return Table(
        columns,
        tuple(
            (
                at,
                chance.choice(("manha", "tarde", "noite")),
                f"type {int(chance.expovariate(0.2)) % 20}",
                chance.gauss(22, 2),
                chance.gauss(84, 3),
            )
            for at in range(count)
        ),
    )


if __name__ == "__main__":
    main()
