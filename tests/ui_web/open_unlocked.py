"""The same hostile pages in a bare view, without any lock: what they would do."""

import json
import os
import sys

if sys.platform == "linux" and os.geteuid() == 0:
    os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = "--disable-gpu"

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

OPEN_MS = 4_000


def main(hostile: dict[str, str]) -> None:
    """Show all of them at once, for a while."""
    application = QApplication(sys.argv[:1])
    views = []
    for page in hostile.values():
        view = QWebEngineView()
        view.setHtml(
            "<script>window.qhub = {data: {secret: 1}}</script>" + page, QUrl("http://localhost/")
        )
        view.show()
        views.append(view)
    QTimer.singleShot(OPEN_MS, application.quit)
    application.exec()
    for view in views:
        view.page().deleteLater()
        view.deleteLater()
    application.processEvents()


if __name__ == "__main__":
    main(json.load(sys.stdin))
