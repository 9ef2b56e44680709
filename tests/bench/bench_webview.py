"""The first web view, from its making to its loaded page: ours under its lock, and a bare one.

Each runs in a process of its own, in turns. Goal: ours is at most 1.5 times the bare one.
"""

import os
import statistics
import subprocess
import sys
import tempfile

import dev
from tests.bench.record import record

RUNS = 7
PAGE = "<h1>Painel</h1><p>uma página</p>"
BEGIN = f"""
import asyncio, os, sys, time
if sys.platform == "linux" and os.geteuid() == 0:
    os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication(sys.argv)
window = QWidget()
window.resize(1000, 700)
window.show()
application.processEvents()
page = {PAGE!r}
"""
BARE = (
    BEGIN
    + """
began = time.perf_counter()
from PySide6.QtWebEngineWidgets import QWebEngineView
view = QWebEngineView(window)
made = time.perf_counter()
view.loadFinished.connect(application.quit)
view.resize(1000, 700)
view.show()
view.setHtml(page)
application.exec()
print(made - began, time.perf_counter() - began, flush=True)
os._exit(0)
"""
)
OURS = (
    BEGIN
    + """
from qhub_desktop.charts import html_document
from qhub_desktop.ui.web.locked_view import LockedView
began = time.perf_counter()
view = LockedView(html_document.build(page), parent=window)
made = time.perf_counter()
view.loaded.connect(application.quit)
view.resize(1000, 700)
view.show()
application.exec()
print(made - began, time.perf_counter() - began, flush=True)
os._exit(0)
"""
)


def main() -> None:
    """Print and keep the figures."""
    with tempfile.TemporaryDirectory() as home:
        surroundings = {**os.environ, "QHUB_HOME": home}
        surroundings.setdefault("QT_QPA_PLATFORM", "offscreen")
        surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
        for code in (BARE, OURS):
            _seconds(code, surroundings)
        bare, ours = [], []
        for _run in range(RUNS):
            bare.append(_seconds(BARE, surroundings))
            ours.append(_seconds(OURS, surroundings))
    record(
        "webview",
        {
            "bare QWebEngineView, made, median s": statistics.median(each[0] for each in bare),
            "bare QWebEngineView, loaded, median s": statistics.median(each[1] for each in bare),
            "LockedView, made, median s": statistics.median(each[0] for each in ours),
            "LockedView, loaded, median s": statistics.median(each[1] for each in ours),
            "loaded, LockedView / bare": statistics.median(
                own[1] / floor[1] for own, floor in zip(ours, bare, strict=True)
            ),
        },
    )


def _seconds(code: str, surroundings: dict[str, str]) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=dev.ROOT,
        encoding="utf-8",
        env=surroundings,
    )
    return [float(word) for word in done.stdout.split()]


if __name__ == "__main__":
    main()
