"""Renders every screen to PNG, in every look: `python -m tests.gallery FOLDER [LOOK|MODULE]...`.

A module beside this one shows what it has in `SCENES`: names, and functions that make a widget,
at once or awaited. A widget that sets no size is given a small screen's.
Each look is a process of its own, for Qt reads its scale factor only once.
"""

import asyncio
import faulthandler
import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from types import CoroutineType, SimpleNamespace
from typing import Any, cast

import qasync
import shiboken6
from PySide6.QtCore import QMessageLogContext, QSize, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.chat import turn
from qhub_desktop.core.settings import LanguageChoice, Settings, ThemeChoice
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.ui.appearance import Appearance
from qhub_desktop.ui.charts.chart_body import preload
from qhub_desktop.ui.chat import answer_footer
from qhub_desktop.ui.controls.progress import Spinner
from qhub_desktop.ui.gui_thread import GcGuard
from qhub_desktop.ui.shell.layout import StatusLine
from tests.gallery._hostile import poison
from tests.gallery._inspection import problems

Task = asyncio.Task[Any]
Scene = Callable[[], QWidget | Awaitable[QWidget]]

SMALL_SCREEN = QSize(1366, 768)
PATIENCE_S = 3
HANGS_S = 120  # a scene that takes so long tells where it stands, and ends its look
ROUND_S = 0.06  # between two pictures of a scene; the window draws its own changes every 33 ms
STILL_ROUNDS = 3  # so many pictures alike, one after the other
MOST_ROUNDS = 30
SAVED = datetime(2026, 2, 28, 14, 2, 11, tzinfo=UTC)
LOOKS = [
    f"{theme}-{language}-{scale}"
    for theme in ("light", "dark")
    for language in ("pt", "en")
    for scale in (100, 125)
]


def main(words: list[str]) -> int:
    """Render all looks, or those named."""
    folder = Path(words[0])
    looks, modules = (
        [word for word in words[1:] if ("-" in word) is is_look] for is_look in (True, False)
    )
    if os.environ.get("QHUB_GALLERY_NAMES") == "hostile":
        poison()  # before any scene is imported
    if words[1:2] == ["--here"]:
        _render(folder, words[2], modules)
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    # Two for each core: half of a look's time goes by in waiting for windows to settle.
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        codes = list(pool.map(lambda look: _render_apart(folder, look, modules), looks or LOOKS))
    print(f"{_write_index(folder)} shows them all.")
    return max(codes)


def modules_here() -> list[str]:
    """The modules that have scenes."""
    package = importlib.import_module("tests.gallery")
    names = sorted(each.name for each in pkgutil.iter_modules(package.__path__))
    return [name for name in names if not name.startswith("_")]


def scenes(modules: Sequence[str] = (), *, look: str = "") -> Iterator[tuple[str, Scene]]:
    """Every scene of these modules, or of all beside this one, as `module-scene`.

    Unless its module is named, a scene is left out of a look that is not in the module's `LOOKS`.
    """
    for module in modules_here():
        if not modules or module in modules:
            imported = importlib.import_module(f"tests.gallery.{module}")
            if modules or not look or look in getattr(imported, "LOOKS", LOOKS):
                for name, scene in cast("dict[str, Scene]", imported.SCENES).items():
                    yield f"{module}-{name}", scene


def _render_apart(folder: Path, look: str, modules: Sequence[str]) -> int:
    scale = int(look.rpartition("-")[2]) / 100
    with tempfile.TemporaryDirectory() as home:
        surroundings = {"QHUB_HOME": home, "QT_SCALE_FACTOR": f"{scale:g}", "QT_API": "pyside6"}
        if sys.platform == "linux":
            surroundings["QT_QPA_PLATFORM"] = f"offscreen:configfile={_screen(Path(home), scale)}"
        print(look, flush=True)
        return subprocess.run(
            [sys.executable, "-m", "tests.gallery", str(folder), "--here", look, *modules],
            env={**os.environ, **surroundings},
            check=False,
        ).returncode


def _screen(home: Path, scale: float) -> Path:
    """Write what the screen that is nowhere is like: without it, one of 800 x 800 pixels."""
    screen = {
        "name": "small", "x": 0, "y": 0,
        "width": round(SMALL_SCREEN.width() * scale),
        "height": round(SMALL_SCREEN.height() * scale),
        "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1,
    }  # fmt: skip
    file = home / "screen.json"
    file.write_text(json.dumps({"screens": [screen]}), encoding="utf-8")
    return file


def _render(folder: Path, look: str, modules: Sequence[str]) -> None:
    theme, language, _scale = look.split("-")
    qInstallMessageHandler(_pass_on)
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    appearance = Appearance(application, Settings(theme=cast("ThemeChoice", theme)))
    appearance.set_language(cast("LanguageChoice", language))
    preload()
    _stop_clocks()
    _start_no_spare_children()
    importlib.import_module("qhub_desktop.ui.charts.plot_view")  # a card without it is empty
    with qasync.QEventLoop(application) as loop:
        loop.run_until_complete(_grab_all(folder, look, modules))


def _stop_clocks() -> None:
    """Have every run take no time, and be saved at the same moment: its pictures are the same."""
    vars(turn)["time"] = SimpleNamespace(perf_counter=float)
    vars(answer_footer)["time"] = SimpleNamespace(monotonic=float)
    Spinner._turn = lambda _spinner: None  # type: ignore[method-assign, assignment]
    show_saved = StatusLine.show_saved
    StatusLine.show_saved = lambda line, _now: show_saved(line, SAVED)  # type: ignore[method-assign, assignment]


def _start_no_spare_children() -> None:
    """Leave every window with the processes that its scene needs; the next has its own."""
    Workspace.warm = lambda _workspace, *, imports=False: None  # type: ignore[method-assign, assignment]


def _pass_on(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    # A screen that is nowhere says this of every window.
    if not text.startswith("This plugin does not support"):
        print(text, file=sys.stderr)


async def _grab_all(folder: Path, look: str, modules: Sequence[str]) -> None:
    collector = GcGuard()
    for name, scene in scenes(modules, look=look):
        faulthandler.dump_traceback_later(HANGS_S, exit=True)
        print(name, file=sys.stderr, flush=True)
        made = scene()
        widget = await made if inspect.isawaitable(made) else made
        if not widget.testAttribute(Qt.WidgetAttribute.WA_Resized):
            widget.resize(SMALL_SCREEN)
        widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        widget.show()
        unending, picture = await _settled(widget)
        if not picture.save(str(folder / f"{name}-{look}.png")):
            sys.exit(f"{name} could not be written to {folder}")
        if found := problems(widget):
            (folder / f"{name}-{look}.txt").write_text("\n".join(found), encoding="utf-8")
        widget.close()
        await _done(but=unending)  # a window saves where it stood
        if shiboken6.isValid(widget):  # some delete themselves when closed
            widget.deleteLater()
    faulthandler.dump_traceback_later(HANGS_S, exit=True)  # the end may hang, too
    collector.close()


async def _settled(widget: QWidget) -> tuple[set[Task], QPixmap]:
    """Wait until what the scene started is done and painted; return what goes on, and a picture."""
    unending = await _done()
    # Qt lays out and paints in several rounds, and tells of none: until some pictures are alike.
    picture = widget.grab()
    still = 0
    for _round in range(MOST_ROUNDS):
        await asyncio.sleep(ROUND_S)
        before, picture = picture, widget.grab()
        still = still + 1 if picture.toImage() == before.toImage() else 0
        if still == STILL_ROUNDS:
            break
    return unending, picture


async def _done(*, but: AbstractSet[Task] = frozenset()) -> set[Task]:
    """Wait until what was started is done; return what goes on without an end.

    Whatever is in `but` was found to go on before.
    """
    own = asyncio.current_task()
    while others := asyncio.all_tasks() - {own} - but:
        await asyncio.sleep(0)  # what was just started gets to what it waits for
        if all(map(_sleeps_long, others)):  # what can be undone for some seconds
            return others
        done, _pending = await asyncio.wait(
            others, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED
        )
        if not done:  # an answer that streams on is a scene, too
            return others
    return set()


def _sleeps_long(task: Task) -> bool:
    """Whether a task waits for nothing but a time that is longer than the patience here, an event,
    or tasks of its own.
    """
    inner: object = task.get_coro()
    while isinstance(inner, CoroutineType) and inner.cr_frame is not None:
        waits, known = inner.cr_code, inner.cr_frame.f_locals
        if waits in (asyncio.sleep.__code__, asyncio.wait_for.__code__):
            return (known.get("delay") or known.get("timeout") or 0) > PATIENCE_S
        if waits in (asyncio.Event.wait.__code__, asyncio.TaskGroup.__aexit__.__code__):
            return True
        inner = inner.cr_await
    return False


def _write_index(folder: Path) -> Path:
    """A page with every picture, a row for each scene."""
    rows = []
    for name, _scene in scenes():
        pictures = "".join(
            f'<a href="{name}-{look}.png"><img src="{name}-{look}.png" title="{look}"></a>'
            for look in LOOKS
            if (folder / f"{name}-{look}.png").exists()
        )
        rows.append(f"<h2>{name}</h2>{pictures}")
    page = folder / "index.html"
    style = "body{font:14px sans-serif;background:#888} img{width:24%;margin:2px}"
    page.write_text(f"<style>{style}</style>{''.join(rows)}", encoding="utf-8")
    return page


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
