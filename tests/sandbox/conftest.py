"""One sandbox for all tests of a process: it is prepared once, and every run of it starts anew."""

import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

import qhub_desktop.charts.catalogue  # noqa: F401  publishes the kinds of charts
from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.sandbox import PythonService


@pytest.fixture(autouse=True)
def prepared(safe_python: None) -> None:
    """Have the engine before anything is run in it."""


@pytest.fixture
def python() -> Iterator[PythonService]:
    """A sandbox of this test alone."""
    service = PythonService(chart_kinds=[each.name for each in chart_kinds()])
    yield service
    service.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """An open workspace."""
    opened = Workspace(tmp_path / "workspace")
    yield opened
    opened.close()


OwnChildren = Callable[[], set[int]]


@dataclass
class Canaries:
    """What code must never reach: it says what was reached."""

    folder: Path
    secret: str
    tcp: socket.socket
    udp: socket.socket
    kept: ExitStack = field(default_factory=ExitStack)

    @property
    def file(self) -> Path:
        """A file of the person's."""
        return self.folder / "secret.txt"

    def names(self) -> dict[str, str]:
        """What stands in hostile code for the canaries."""
        return {
            "@SECRET@": self.file.as_posix(),
            "@DIR@": self.folder.as_posix(),
            "@PORT@": str(self.tcp.getsockname()[1]),
            "@UPORT@": str(self.udp.getsockname()[1]),
        }

    def touched(self, told: str) -> list[str]:
        """Return what was read, written or called."""
        found = ["secret"] if self.secret in told else []
        found += [each.name for each in self.folder.iterdir() if each != self.file]
        for name, take in (("tcp", self.tcp.accept), ("udp", lambda: self.udp.recv(100))):
            with suppress(BlockingIOError):
                take()
                found.append(name)
        if self.file.read_text(encoding="utf-8") != self.secret:
            found.append("changed file")
        return found


@pytest.fixture
def canaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canaries]:
    """A file, an environment value, a TCP and a UDP port, and a folder that can be written to."""
    folder = tmp_path / "canaries"
    folder.mkdir()
    secret = f"SECRET-{secrets.token_hex(8)}"
    (folder / "secret.txt").write_text(secret, encoding="utf-8")
    for name in ("QHUB_API_KEY", "ANTHROPIC_API_KEY", "TMPDIR_SECRET"):
        monkeypatch.setenv(name, secret)
    with ExitStack() as stack:
        tcp = stack.enter_context(socket.socket())
        tcp.bind(("127.0.0.1", 0))
        tcp.listen(8)
        tcp.setblocking(False)
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        yield Canaries(folder, secret, tcp, udp)


@pytest.fixture
def own_children() -> OwnChildren:
    """Return the live processes that this test has started; tests before it may have left some."""

    def live() -> set[int]:
        found = set()
        for each in psutil.Process(os.getpid()).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if each.status() != psutil.STATUS_ZOMBIE:
                    found.add(each.pid)
        return found

    others = live()
    return lambda: live() - others
