"""The locked view: shows what it is given, says what became of it, and comes late."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import dev
from qhub_desktop.ui.theme import DARK, LIGHT

VIEWING = """
import asyncio, json, os, signal, sys, time
from PySide6.QtCore import QBuffer, QByteArray, QUrl, Qt
from PySide6.QtPdf import QPdfDocument, QPdfLinkModel
from PySide6.QtWidgets import QApplication
import qasync
from qhub_desktop.charts import html_document
from qhub_desktop.core import text
from qhub_desktop.ui.web.locked_view import LockedView
from qhub_desktop.ui.theme import DARK, theme
from qhub_desktop.ui.web.watchdog import WATCHDOG
text.use("en")
application = QApplication(sys.argv)
application.setQuitOnLastWindowClosed(False)
told = {}
def links_of(paper):
    held = QBuffer()
    held.setData(QByteArray(paper))
    held.open(QBuffer.OpenModeFlag.ReadOnly)
    document, links = QPdfDocument(), QPdfLinkModel()
    document.load(held)
    links.setDocument(document)
    rows = range(links.rowCount(links.index(-1, -1)))
    return [links.data(links.index(at, 0), QPdfLinkModel.Role.Url.value).toString() for at in rows]
async def story():
    before = "PySide6.QtWebEngineCore" in sys.modules
    body = ("<h1 id=top>Turns</h1><a href='https://example.com/?rows=1'>x</a><a href='#top'>top</a>"
            "<svg><a href='https://example.com/'><text y=9>x</text></a></svg>"
            "<p id=p></p><script>p.textContent = qhub.data.n + ' ' + "
            "(window.kept = (window.kept || 0) + 1)</script>")
    view = LockedView(html_document.build(body, title="T"), {"n": "a</script>b"})
    view.resize(600, 400)
    view.show()
    told["late"] = not before and "PySide6.QtWebEngineCore" in sys.modules
    told["loaded"] = await view.until_loaded()
    told["first"] = await view.text()
    told["light"] = (await view.picture()).pixelColor(2, 2).name()
    theme().set_palette(DARK)
    end = time.monotonic() + 20
    while (await view.picture()).pixelColor(2, 2).name() == told["light"]:
        assert time.monotonic() < end
        await asyncio.sleep(0.1)  # painting goes on between two pictures
    told["dark"] = (await view.picture()).pixelColor(2, 2).name()
    before = view._web.locked_page
    view.show_document(html_document.build(body), {"n": "again"})
    before.ended.emit("died")
    told["of_another"] = view.ending
    await view.until_loaded()
    told["second"] = await view.text()
    paper = await view.pdf()
    told["pdf"] = paper[:5].decode()
    told["links"] = links_of(paper)
    endings = []
    view.stopped.connect(endings.append)
    process = view._web.locked_page.renderProcessPid()
    assert process  # to end 0 is to end whoever started this
    os.kill(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    while not endings:
        await asyncio.sleep(0.05)
    told["ending"] = endings[0]
    told["notice"] = view._notice.isVisible() and view._notice._why.text()
    told["silent"] = [await view.text(), await view.is_alive()]
    view._notice.reload_button.click()
    told["reloaded"] = await view.until_loaded() and await view.text()
    others = [LockedView(html_document.build("<p>x")) for _ in range(2)]
    for each in others:
        each.show()
        await each.until_loaded()
    everyone = [view, *others]
    told["processes"] = len({each._web.locked_page.renderProcessPid() for each in everyone})
    told["profiles"] = len({id(each._web.locked_page.profile()) for each in everyone})
    opened = []
    asking = LockedView(html_document.build("<p>x"), open_link=opened.append)
    asking.show()
    asking._question.ask(QUrl("https://example.com/a?b=c"))
    told["asks"] = asking.is_asking and asking._question._words.text()
    asking._question.open_button.click()
    told["opened"] = [url.toString() for url in opened]
    told["asks_still"] = asking.is_asking
    dropped = LockedView(html_document.build("<p>x"))
    dropped.show()
    await dropped.until_loaded()
    before = len(WATCHDOG._watched)
    dropped.deleteLater()  # as with an answer that is scrolled out of the window
    await asyncio.sleep(0.2)
    told["watched_less"] = before - len(WATCHDOG._watched)
    for each in (*everyone, asking):
        each.stop()
        each.deleteLater()
    await asyncio.sleep(0.2)  # nothing tells when Qt has deleted the views' processes
with qasync.QEventLoop(application) as loop:
    loop.run_until_complete(story())
print(json.dumps(told))
"""


def test_a_view_lives_ends_and_comes_back(home: Path) -> None:
    done = run("-c", VIEWING)
    told = json.loads(done.stdout)

    assert told["late"] is True
    assert told["loaded"] is True
    assert told["first"].split("\n")[-1] == "a</script>b 1"
    assert told["of_another"] is None
    assert told["second"].split("\n")[-1] == "again 1"
    assert told["light"] == LIGHT.page.lower()
    assert told["dark"] == DARK.page.lower()
    assert told["pdf"] == "%PDF-"
    assert told["links"] == [""]  # to a place in the page itself
    assert told["ending"] == "died"
    assert told["notice"].startswith("This page has broken down")
    assert told["silent"] == ["", False]
    assert told["reloaded"].split("\n")[-1] == "again 1"
    assert told["processes"] == told["profiles"] == 3
    assert "example.com" in told["asks"]
    assert told["opened"] == ["https://example.com/a?b=c"]
    assert told["asks_still"] is False
    assert told["watched_less"] == 1  # its process number may be another program's soon


def test_the_command_line_tells_of_a_page_and_paints_it(home: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<p>visible</p><script>document.title = 'named'; fetch('http://127.0.0.1:9/out')</script>",
        encoding="utf-8",
    )
    picture = tmp_path / "page.png"

    done = run("-m", "qhub_desktop", "--render", str(page), "--out", str(picture), "--seconds", "1")
    told = json.loads(done.stdout)

    assert told["title"] == "named"
    assert told["text"] == "visible"
    assert "127.0.0.1:9/out" in str(told["blocked"])
    assert told["alive"] is True
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_processes_of_pages_have_no_key_in_their_environment(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>visible</p>", encoding="utf-8")
    secret = "geheim-Pl4nt3d-77"
    for name in ("HTTPS_PROXY", "ANTHROPIC_API_KEY", "MY_THING"):
        monkeypatch.setenv(name, f"http://carla:{secret}@proxy.plant:8080")
    words = ("--render", str(page), "--out", str(tmp_path / "page.png"), "--seconds", "1")

    found: dict[int, str] = {}
    with subprocess.Popen([sys.executable, "-m", "qhub_desktop", *words]) as rendering:
        while rendering.poll() is None:
            with contextlib.suppress(psutil.Error):
                for each in psutil.Process(rendering.pid).children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        if each.name().startswith("QtWebEngine"):
                            found[each.pid] = " ".join(each.environ().values())

    assert rendering.returncode == 0
    assert any(found.values())
    assert not any(secret in values for values in found.values())


def test_a_page_that_spins_is_no_fault_of_the_program(home: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<script>for (;;);</script>", encoding="utf-8")
    words = ("--render", str(page), "--out", str(tmp_path / "page.png"), "--seconds", "1")

    done = run("-m", "qhub_desktop", *words)

    assert json.loads(done.stdout)["alive"] is False
    assert done.returncode == 0


def test_a_program_ends_soundly_while_the_web_engine_is_still_loaded(home: Path) -> None:
    leaving = (
        "import threading\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from qhub_desktop.ui.web.web_engine import exit_process, preload\n"
        "application = QApplication([])\n"
        "preload()\n"
        "while threading.active_count() == 1: application.processEvents()\n"
        "raise SystemExit(exit_process(0))"
    )

    assert run("-c", leaving).returncode == 0


def test_nothing_but_the_pages_names_the_web_engine() -> None:
    package = dev.ROOT / "qhub_desktop"
    naming = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if "QtWebEngine" in file.read_text(encoding="utf-8")
    }

    assert naming == {"ui/web/web_engine.py", "ui/web/isolated_profile.py", "ui/web/web_view.py"}


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    """Play it in a process of its own, which must end well."""
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        check=False,
        cwd=dev.ROOT,
        encoding="utf-8",
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_API": "pyside6"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done
