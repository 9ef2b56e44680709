"""Preloading: no class of Qt's is made on a thread, which would crash beside a busy window."""

import json
import subprocess
import sys

import dev

LOADING = """
import json, sys
from PySide6.QtWidgets import QApplication
from qhub_desktop.ui import gui_thread

def made():
    modules = [sys.modules[f"PySide6.{name}"] for name in gui_thread.CHART_MODULES]
    return {(m.__name__, key) for m in modules for key, each in vars(m).items()
            if isinstance(each, type)}

def load():
    global before, after
    before = made()
    import qhub_desktop.ui.charts.plot_view
    after = made()

application = QApplication([])
preloading = gui_thread.Preload(load, "charts")
while not preloading.is_done:
    application.processEvents()
print(json.dumps([len(before), sorted(after - before)]))
"""


def test_importing_pyqtgraph_on_a_thread_makes_no_class_there() -> None:
    said = subprocess.run(
        [sys.executable, "-c", LOADING],
        cwd=dev.ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    count, made_on_the_thread = json.loads(said)

    assert count > 500
    assert made_on_the_thread == []
