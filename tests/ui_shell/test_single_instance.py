"""One window for each person and data folder; a second start hands its files over."""

import getpass
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.paths import DEMO_DATA
from qhub_desktop.ui.shell.single_instance import SingleInstance, files_among
from tests.ui_shell.window_harness import opened
from tests.waiting import until

# Another start: its files are handed over, or it says what it is.
SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from qhub_desktop.ui.shell.single_instance import SingleInstance
application = QCoreApplication([])
second = SingleInstance(Path(sys.argv[1]))
if second.is_first:
    print("first", flush=True)
    second.listen(lambda files: True)
    application.exec()
is_taken = second.hand_over([Path(each) for each in sys.argv[2:]], patience_s=0.5)
print("taken" if is_taken else "first" if second.is_first else "alone", flush=True)
"""


def start(folder: Path, *files: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SECOND, str(folder), *map(str, files)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")


@contextmanager
def started(folder: Path, *files: Path) -> Iterator[subprocess.Popen[str]]:
    process = start(folder, *files)
    assert process.stdout is not None
    with process.stdout:
        yield process
        process.kill()
        process.wait()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_a_second_start_hands_its_files_over(qapp: QApplication, tmp_path: Path) -> None:
    received: list[list[Path]] = []
    file = tmp_path / "peças ≥ 5.csv"

    def take(files: list[Path]) -> bool:
        received.append(files)
        return True

    with closing(SingleInstance(tmp_path)) as first:
        first.listen(take)
        with started(tmp_path, file, tmp_path / "b.xlsx") as second:
            await until(lambda: second.poll() is not None)
            assert said(second) == "taken"

    assert received == [[file, tmp_path / "b.xlsx"]]


async def test_a_window_that_is_closing_takes_nothing(qapp: QApplication, tmp_path: Path) -> None:
    with closing(SingleInstance(tmp_path)) as first:
        first.listen(lambda _files: False)
        with started(tmp_path) as second:
            await until(lambda: second.poll() is not None)
            assert said(second) == "alone"


def test_who_comes_after_a_closed_window_is_first(qapp: QApplication, tmp_path: Path) -> None:
    first = SingleInstance(tmp_path)
    second = SingleInstance(tmp_path)
    was_first = second.is_first
    QTimer.singleShot(0, first.close)
    first.close()

    assert not was_first
    assert not second.hand_over([], patience_s=0.0)
    assert second.is_first
    second.close()


def test_what_a_killed_window_left_is_in_nobodys_way(qapp: QApplication, tmp_path: Path) -> None:
    with started(tmp_path) as killed:
        assert said(killed) == "first"
        killed.kill()
        killed.wait()
        with started(tmp_path) as next_one:
            assert said(next_one) == "first"
            with started(tmp_path) as another:
                assert said(another) == "taken"


def test_persons_and_folders_have_windows_of_their_own(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(SingleInstance(tmp_path / "a")) as mine:
        assert mine.is_first
        with closing(SingleInstance(tmp_path / "b")) as other_folder:
            assert other_folder.is_first
        with closing(SingleInstance(tmp_path / "a")) as again:
            assert not again.is_first
        monkeypatch.setattr(getpass, "getuser", lambda: "julia")
        with closing(SingleInstance(tmp_path / "a")) as other_person:
            assert other_person.is_first


def test_an_account_without_a_name_has_its_window(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(getpass, "getuser", refuse)

    with closing(SingleInstance(tmp_path)) as first, closing(SingleInstance(tmp_path)) as second:
        assert (first.is_first, second.is_first) == (True, False)


@pytest.mark.parametrize(
    "line",
    [
        *(b"nonsense\n", b'{"files": [1]}\n', b'{"files": "a"}\n', b"[]\n", b"\xff\n"),
        *(b"[" * 100_000 + b"\n", b'{"files": ["a\\u0000"]}\n', b'{"files": ["\\ud800"]}\n'),
    ],
)
async def test_nonsense_is_not_taken(qapp: QApplication, tmp_path: Path, line: bytes) -> None:
    received: list[list[Path]] = []

    def take(files: list[Path]) -> bool:
        received.append(files)
        return True

    with closing(SingleInstance(tmp_path)) as first:
        first.listen(take)
        socket = QLocalSocket()
        socket.connectToServer(first._name)
        socket.write(line)
        await until(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState)

        assert bytes(socket.readAll().data()) == b""
    assert received == []


def test_a_folder_without_locks_has_a_window_all_the_same(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_folder: Path) -> int | None:
        raise OSError(37, "no locks available")

    monkeypatch.setattr("qhub_desktop.ui.shell.single_instance.hold_folder", refuse)

    with closing(SingleInstance(tmp_path)) as first:
        assert first.is_first


def test_options_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert files_among(["--lang", "a.csv", "", str(tmp_path / "b.xlsx")]) == [
        tmp_path / "a.csv",
        tmp_path / "b.xlsx",
    ]


WINDOW = """
import asyncio, json, sys
from qhub_desktop import app
from qhub_desktop.ui.shell.main_window import MainWindow

real = MainWindow.open

async def look(window):
    await real(window)
    asyncio.ensure_future(tell(window))

async def tell(window):
    store = window._services.store
    print("open", flush=True)
    while True:
        talks = await store.conversations.listed()
        pinned = [each.name for talk in talks for each in await store.datasets.pinned(talk.id)]
        if len(pinned) == int(sys.argv[1][2:]):
            print(json.dumps([sorted(pinned), window.isVisible()]), flush=True)
            window.close()
            return
        await asyncio.sleep(0.05)

MainWindow.open = look
raise SystemExit(app.run_window())
"""


def window(*words: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WINDOW, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")


def test_files_given_at_the_start_and_by_a_second_start_are_imported(tmp_path: Path) -> None:
    other = tmp_path / "outro.csv"
    other.write_text("n;valor\n1;2\n2;3\n", encoding="utf-8")
    first = window("--2", DEMO_DATA / "defeitos.xlsx")
    assert first.stdout is not None
    with first.stdout:
        assert first.stdout.readline() == "open\n"
        second = window("--0", other)
        assert second.stdout is not None
        with second.stdout:
            code = second.wait(60)
            nothing = second.stdout.read()

        names, is_visible = json.loads(first.stdout.readline())

    assert (code, nothing) == (0, "")
    assert len(names) == 2
    assert "outro" in names
    assert is_visible
    assert first.wait(60) == 0


async def test_a_log_off_closes_the_window_and_what_had_arrived_is_stored(
    qapp: QApplication,
) -> None:
    found: list[object] = []

    async with opened(qapp) as station:
        page = station.window.frame.centre.page
        page.ask("what is the most frequent defect?")
        await until(lambda: page.running_conversations)

        def log_off() -> None:
            station.window.close_now()
            state = station.program.store.settings.state_now("window")
            found.extend([station.window.is_closing, state is not None])

        QTimer.singleShot(0, log_off)
        await until(lambda: len(found) == 2)

        (kept,) = await station.program.store.conversations.listed()
        messages = await station.program.store.messages.latest(kept.id)

    assert found == [True, True]
    assert messages[0].text == "what is the most frequent defect?"
    assert all(each.end is not None for each in messages[1:])
