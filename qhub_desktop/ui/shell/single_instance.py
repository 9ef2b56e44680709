"""One window for each person and data folder: a second start hands its files over and leaves.

The command line is not concerned: it works beside the window.
"""

# Why it is so: decisions/window.md

import getpass
import hashlib
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop.core.paths import hold_folder

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

# A second start that is not answered by then opens a window all the same.
PATIENCE_S = 8.0  # for the first window, which may be starting or closing
TRY_MS = 500
AGAIN_S = 0.1
MOST_BYTES = 1_000_000  # of paths
TAKEN = b"taken\n"
ANY_PROCESS = -1  # ASFW_ANY

OnStarted = Callable[[list[Path]], bool]

_log = logging.getLogger(__name__)


class SingleInstance:
    """The claim to be the one window of a data folder, held until closed or killed.

    A lock of the system says who is first, since it goes with its program; a file with a process
    number would not, and numbers are used again. What a killed one has left of its socket is
    cleared away by the next.
    """

    def __init__(self, folder: Path) -> None:
        self._name, place = _names(folder)
        self._place = folder / place
        self._server: QLocalServer | None = None
        self._on_started: OnStarted = lambda _files: False
        self._held = self._hold()

    @property
    def is_first(self) -> bool:
        """Whether this is the one window, or that cannot be known."""
        return self._held is not None

    def hand_over(self, files: Sequence[Path], *, patience_s: float = PATIENCE_S) -> bool:
        """Give the first window these files, and have it come to the front.

        Return False if nobody has taken them: the first one has ended, which makes this the first,
        or does not answer. Blocks.
        """
        from PySide6.QtNetwork import QLocalSocket

        _let_others_come_to_the_front()
        request = json.dumps({"files": [str(each) for each in files]}).encode("ascii") + b"\n"
        end = time.monotonic() + patience_s
        while True:
            socket = QLocalSocket()
            socket.connectToServer(self._name)
            if socket.waitForConnected(TRY_MS) and _is_taken(socket, request):
                return True
            self._held = self._hold()
            if self.is_first:
                return False
            if time.monotonic() > end:
                _log.warning("another window holds the data folder and does not answer")
                return False
            time.sleep(AGAIN_S)

    def listen(self, on_started: OnStarted) -> None:
        """Call `on_started` with each later start's files; it returns whether it takes them."""
        # 30 ms that the first paint need not wait for.
        from PySide6.QtNetwork import QLocalServer

        if self._held is None:
            return
        self._on_started = on_started
        if self._server is not None:
            return
        QLocalServer.removeServer(self._name)
        self._server = QLocalServer()
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        if not self._server.listen(self._name):
            _log.warning("later starts will open a window of their own")

    def close(self) -> None:
        """Let the next one be first."""
        if self._server is not None:
            self._server.close()
            self._server.deleteLater()
            self._server = None
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _hold(self) -> int | None:
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            return hold_folder(self._place)
        except OSError:  # a file system without locks
            return os.open(os.devnull, os.O_RDONLY)

    def _on_connection(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(lambda socket=socket: self._on_arrived(socket))
            self._on_arrived(socket)

    def _on_arrived(self, socket: "QLocalSocket") -> None:
        if socket.bytesAvailable() > MOST_BYTES:
            socket.abort()
        if not socket.canReadLine():
            return
        files = _files_in(bytes(socket.readLine().data()))
        if files is not None and self._on_started(files):
            socket.write(TAKEN)
            socket.flush()
        socket.disconnectFromServer()


def files_among(arguments: Sequence[str]) -> list[Path]:
    """Return the files named on the command line; options are Qt's."""
    return [Path(each).absolute() for each in arguments if each and not each.startswith("-")]


def _names(folder: Path) -> tuple[str, str]:
    """Return the server's name, and that of the folder which is held.

    Both are the person's own: servers of all users share their names on Windows, and a data folder
    may be shared.
    """
    try:
        user = f"{getpass.getuser()}@{os.environ.get('USERDOMAIN', '')}"
    except (OSError, KeyError, ImportError):  # what it raises where nobody is logged in
        user = str(Path.home())
    place = f".window-{hashlib.sha256(user.encode('utf-8', 'replace')).hexdigest()[:8]}"
    whole = f"{user}\n{os.path.normcase(folder.resolve())}"
    name = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]
    return f"qhub-desktop-{name}", place


def _files_in(line: bytes) -> list[Path] | None:
    try:
        # Not `parse_json`: a path may have half characters, by which such a file is found.
        match json.loads(line):
            case {"files": list(files)} if all(map(_is_path, files)):
                return [Path(each) for each in files]
    except (ValueError, RecursionError):
        pass
    return None


def _is_path(name: object) -> bool:
    return isinstance(name, str) and b"\0" not in os.fsencode(name)


def _is_taken(socket: "QLocalSocket", request: bytes) -> bool:
    socket.write(request)
    while not socket.canReadLine():
        # The window's thread may be at work for a while, but it is alive: it took the connection.
        if not socket.waitForReadyRead(int(PATIENCE_S * 1000)):
            return False
    return bytes(socket.readLine().data()) == TAKEN


def _let_others_come_to_the_front() -> None:
    """Pass on the right to take the foreground, which Windows gave to whoever was just started."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(ANY_PROCESS)
