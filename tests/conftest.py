"""What every test stands on: its own data folder, and an event loop of the right kind."""

import asyncio
import atexit
import gc
import inspect
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

# Before anything loads pydantic: Qt's own hook on imports looks into every module that is loaded
# later, and trips over pydantic's lazy names if pydantic was there first, and only half of it.
import PySide6.QtCore  # noqa: F401
import pytest
from hypothesis import settings

import dev
from qhub_desktop.core import text

if TYPE_CHECKING:
    from qhub_desktop.store import Store

LEAVING: pytest.StashKey[Callable[[], Awaitable[None]]] = pytest.StashKey()
"""What a fixture has done at the end of a test, while its event loop still runs."""

# Left to itself, Python's collector runs whenever something allocates: in the middle of an event of
# a window that a test has let go of, or on the thread that speaks to the run's other processes.
# Qt does not survive the end of its objects in either place (seen as segmentation faults).
gc.disable()
SLOW_S = 0.02
LONGEST = ("test_gallery", "test_questions", "test_written")  # and all of tests/end_to_end

# The same examples in every run, however slow the machine is.
settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile("suite")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"
# Before NumPy is loaded: the processes of a run fill the cores, and threads of linear algebra would
# wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# With lxml here, openpyxl would write its XML in other words than the files that lie in the tests.
os.environ["OPENPYXL_LXML"] = "False"
os.environ.pop("ANTHROPIC_API_KEY", None)
# No test leaves anything in the key store of whoever runs it, in no child process either.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"


def _close_standard_error() -> None:
    """Send what comes after the tests nowhere.

    DuckDB's bindings list, a page for each process of the run, what the interpreter has not yet
    freed as it ends; none of it is of this program.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


atexit.register(_close_standard_error)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder for this test alone."""
    folder = tmp_path / "home"
    monkeypatch.setenv("QHUB_HOME", str(folder))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder of `store`, to be opened once more, or looked into."""
    return tmp_path / "station"


@pytest.fixture
def store(folder: Path) -> "Iterator[Store]":
    """An open store in a folder of its own."""
    from qhub_desktop.store import Store  # most tests have none

    opened = Store.open(folder)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Speak English in this test, until it says otherwise."""
    before = text.language()
    text.use("en")
    yield
    text.use(before)


@pytest.fixture(autouse=True)
def light_again() -> Iterator[None]:
    """The light palette after a test that wore another one: the application is all tests'."""
    yield
    if "qhub_desktop.ui.theme" in sys.modules:  # most tests have no window
        from qhub_desktop.ui.theme import LIGHT, theme

        if theme().palette is not LIGHT:
            theme().set_palette(LIGHT)


@pytest.fixture(scope="session")
def safe_python() -> None:
    """Make the engine of the safe Python, a minute's work, where it has not been made yet.

    Here it waits for nobody: as the program makes it, it steps back behind all other processes, and
    those of the tests would keep it waiting for longer than a test may take.
    """
    make = "from qhub_desktop.sandbox import engine; engine.prepare(print)"
    subprocess.run([sys.executable, "-c", make], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def xvfb() -> Iterator[dict[str, str]]:
    """What a child process finds in its environment when there is a real screen to open windows on.

    On Linux that is a virtual X display; elsewhere the system's own screen.
    """
    surroundings = {name: text for name, text in os.environ.items() if name != "QT_QPA_PLATFORM"}
    surroundings.pop("WAYLAND_DISPLAY", None)
    if sys.platform != "linux":
        yield surroundings
        return
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed: apt-get install xvfb")
    with dev.virtual_display() as display:
        yield {**surroundings, "DISPLAY": display}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return two processes more than there are cores.

    A good part of a test's time goes by in waiting: for a child process, a disk, a page, a network.
    """
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests: at the end, one of them would keep the other processes idle."""
    items.sort(
        key=lambda item: item.path.parent.name != "end_to_end" and item.path.stem not in LONGEST
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Generator[None]:
    """Collect what a test has left, on the thread of the tests."""
    yield
    began = time.perf_counter()
    gc.collect()
    if time.perf_counter() - began > SLOW_S:
        gc.freeze()  # what is there until the end need not be looked at after every test


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down which tests failed, where dev.py asks for it."""
    asked = os.environ.get("QHUB_FAILED_TESTS")
    if asked is None or hasattr(session.config, "workerinput"):
        return
    told = session.config.pluginmanager.getplugin("terminalreporter")
    failed = [each for kind in ("failed", "error") for each in told.stats.get(kind, [])]
    names = dict.fromkeys(each.nodeid for each in failed)
    Path(asked).write_text("".join(f"{each}\n" for each in names), encoding="utf-8")


def pytest_unconfigure() -> None:
    """Free everything before the interpreter ends, or DuckDB's binding prints what is left."""
    gc.unfreeze()
    gc.collect()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test: on qasync's loop where Qt takes part, else on asyncio's own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    coroutine = _to_the_end(pyfuncitem, **{name: pyfuncitem.funcargs[name] for name in names})
    if "qapp" in pyfuncitem.fixturenames:
        import qasync
        from PySide6.QtWidgets import QApplication

        # As the program has it: else the last window that a test closes ends the loop.
        QApplication.setQuitOnLastWindowClosed(False)
        with qasync.QEventLoop(pyfuncitem.funcargs.get("qapp")) as loop:
            asyncio.set_event_loop(loop)
            try:
                loop.run_until_complete(coroutine)
            finally:
                asyncio.set_event_loop(None)
    else:
        asyncio.run(coroutine)
    return True


async def _to_the_end(test: pytest.Function, **given: object) -> None:
    try:
        await test.obj(**given)
    finally:
        if leave := test.stash.get(LEAVING, None):
            await leave()
