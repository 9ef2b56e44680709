"""Exported files in a plain web engine, as a browser that knows nothing of this program opens them.

Standard input holds their paths by name as JSON. Each is clicked on once. Standard output gets for
each its name, the address and the title that it had at its end, and what the browser said of it.
"""

import json
import os
import sys
import time

if sys.platform == "linux" and os.geteuid() == 0:
    os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
# Many processes at once are more than a small machine may have.
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--disable-gpu --renderer-process-limit=2"

from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer, QUrl
from PySide6.QtQuickWidgets import QQuickWidget
from PySide6.QtTest import QTest
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineSettings
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication
from typing_extensions import override

MOST_S = 40.0  # until a page has run
# That a page does no harm can only be seen over a while: this long it may try.
BEFORE_CLICK_S, AFTER_CLICK_S = 0.8, 0.6


class Page(QWebEnginePage):
    """A page, with what the browser says of it."""

    def __init__(self, profile: QWebEngineProfile, view: QWebEngineView) -> None:
        super().__init__(profile, view)
        self.said: list[str] = []

    @override
    def javaScriptConsoleMessage(
        self,
        level: QWebEnginePage.JavaScriptConsoleMessageLevel,
        message: str,
        lineNumber: int,
        sourceID: str,
    ) -> None:
        self.said.append(message[:300])


def main(paths: dict[str, str]) -> None:
    """Open all of them."""
    _application = QApplication(sys.argv[:1])
    profile = QWebEngineProfile()
    for name in ("LocalContentCanAccessRemoteUrls", "JavascriptCanOpenWindows"):
        profile.settings().setAttribute(QWebEngineSettings.WebAttribute[name], True)
    views: dict[str, tuple[QWebEngineView, Page]] = {}
    for name, path in paths.items():
        view = QWebEngineView()
        page = Page(profile, view)
        view.setPage(page)
        view.resize(400, 300)
        view.load(QUrl.fromLocalFile(path))
        view.show()
        views[name] = view, page
    end = time.monotonic() + MOST_S
    while time.monotonic() < end and not all(page.said for _view, page in views.values()):
        _wait(0.1)
    _wait(BEFORE_CLICK_S)
    for view, _page in views.values():
        for each in view.findChildren(QQuickWidget):
            QTest.mouseClick(each, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    _wait(AFTER_CLICK_S)
    for name, (view, page) in views.items():
        told = {"name": name, "address": view.url().toLocalFile(), "title": view.title()}
        print(json.dumps({**told, "said": page.said}), flush=True)
    os._exit(0)  # without waiting for pages that spin


def _wait(time_s: float) -> None:
    loop = QEventLoop()  # the application's own would close the windows at its end
    QTimer.singleShot(round(time_s * 1000), loop.quit)
    loop.exec()


if __name__ == "__main__":
    main(json.load(sys.stdin))
