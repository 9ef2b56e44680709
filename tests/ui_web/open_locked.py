"""A process that opens hostile pages in locked views, some at a time, and tells what came of them.

Standard input holds the names and texts of the pages as JSON; standard output gets a line of JSON
for each, and one at the end that proves the process sound.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.charts import html_document
from qhub_desktop.core import text
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.ui.web.locked_view import LockedView
from qhub_desktop.ui.web.web_engine import exit_process

AT_A_TIME = 6
# That a page does no harm can only be seen over a while: this long it may try.
BEFORE_CLICK_S = 0.8
AFTER_CLICK_S = 0.6
MOST_S = 20.0
DATA: JsonObject = {"secret": ["plant 7"]}


async def main(hostile: dict[str, str]) -> None:
    """Play all pages, the most patient first."""
    gate = asyncio.Semaphore(AT_A_TIME)

    async def play(name: str, page: str) -> None:
        async with gate:
            tell(name, await _played(page))

    patient = sorted(hostile, key=lambda name: "stops -->" not in hostile[name])
    await asyncio.gather(*(play(name, hostile[name]) for name in patient))


async def _played(page: str) -> JsonObject:
    opened: list[str] = []
    view = LockedView(
        html_document.build(page, title="hostile"),
        DATA,
        open_link=lambda url: opened.append(url.toString()),
    )
    view.resize(400, 300)
    view.show()
    await view.until_loaded(BEFORE_CLICK_S * 2)
    await asyncio.sleep(BEFORE_CLICK_S)
    clicked = view.findChildren(QWidget)
    for each in clicked:
        if type(each).__name__.endswith("QuickWidget") or each is view.focusWidget():
            QTest.mouseClick(each, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    await asyncio.sleep(AFTER_CLICK_S)
    if "asks -->" in page:
        await _until_asked(view)
    if "stops -->" in page:
        await _until_stopped(view)
    is_alive = await view.is_alive()
    told: JsonObject = {
        "alive": is_alive,
        "ending": view.ending,
        "title": view.title[:100],
        "text": (await view.text())[:200],
        "asks": view.is_asking,
        "opened": list(opened),
        "blocked": [f"{each.attempt} {each.what}" for each in view.blocked],
        "clipboard": QApplication.clipboard().text(),
        "windows": [
            type(each).__name__
            for each in QApplication.topLevelWidgets()
            if each.isVisible() and not isinstance(each, LockedView)
        ],
    }
    view.stop()
    view.deleteLater()
    return told


async def _until_asked(view: LockedView) -> None:
    """A busy machine brings the click to the page late."""
    for _turn in range(int(MOST_S * 10)):
        if view.is_asking:
            return
        await asyncio.sleep(0.1)


async def _until_stopped(view: LockedView) -> None:
    ended = asyncio.Event()
    view.stopped.connect(lambda _why: ended.set())
    with suppress(TimeoutError):
        async with asyncio.timeout(0 if view.ending else MOST_S):
            await ended.wait()


class _Stalls:
    """The longest that the window's thread did not come round."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._last = time.monotonic()
        self._timer = QTimer()
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start(10)

    def _on_timeout(self) -> None:
        now = time.monotonic()
        self.longest_s = max(self.longest_s, now - self._last)
        self._last = now


def tell(name: str, told: JsonObject) -> None:
    """A line for whoever started this."""
    print(json.dumps({"name": name, **told}), flush=True)


def play(hostile: dict[str, str], arguments: Iterable[str]) -> None:
    """Play them on a loop of Qt's."""
    text.use("en")
    application = QApplication(list(arguments))
    application.setQuitOnLastWindowClosed(False)
    application.clipboard().setText("the person's own")
    stalls = _Stalls()
    with qasync.QEventLoop(application) as loop:
        loop.run_until_complete(main(hostile))
    tell("", {"sound": True, "longest_stall_ms": round(stalls.longest_s * 1000)})


if __name__ == "__main__":
    play(json.load(sys.stdin), sys.argv[:1])
    exit_process(0)
