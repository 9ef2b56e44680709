"""One file being read by a process of its own, which can be stopped at any moment."""

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qhub_desktop.core import text
from qhub_desktop.core.codec import pack
from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.core.processes.child import Child, ChildGoneError
from qhub_desktop.core.text import Language
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.ingest.presets import Remembered

MEMORY_MB = 2_048


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is; `share` of one, where that is known."""

    text: str
    share: float | None


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What is to be read, and how: `only` one sheet, by its number, where that is given."""

    file: Path
    name: str  # what the person calls it
    password: str | None = None
    choices: ImportChoices = ImportChoices()
    only: int | None = None
    remembered: tuple[Remembered, ...] = ()


def started() -> Child:
    """A process that is about to be told what to read. Raises ChildGoneError."""
    return Child("import", memory_mb=MEMORY_MB, priority="low")


class Spare:
    """One process started ahead of need: on a plant's PC that takes longer than most files do.

    Any thread may call.
    """

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[Language, Child]] = queue.SimpleQueue()
        self._closed = threading.Event()

    def prepare(self) -> None:
        """Start one, unless one is waiting."""
        if self._closed.is_set() or not self._waiting.empty():
            return
        with contextlib.suppress(ChildGoneError):  # whoever needs one will be told
            self._waiting.put((text.language(), started()))
        if self._closed.is_set():  # meanwhile
            self.close()

    def take(self) -> Child:
        """The one that waits, or else a new one. Raises ChildGoneError."""
        with contextlib.suppress(queue.Empty):
            language, child = self._waiting.get_nowait()
            if child.is_alive and language == text.language():
                return child
            child.close()
        return started()

    def close(self) -> None:
        """End it, and start no other."""
        self._closed.set()
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()[1].close()


class Import:
    """The reading of one file. `run` blocks a thread; any other may `stop` it."""

    def __init__(
        self, on_progress: Callable[[Progress], None], start: Callable[[], Child] | None = None
    ) -> None:
        self._on_progress = on_progress
        self._start = start or started
        self._child: Child | None = None
        self._is_stopped = False

    def run(self, wish: ImportRequest, folder: Path, sha256: str) -> None:
        """Fill `folder` with the file's data sets. Raises UserError for what can not be read."""
        file = wish.file
        try:
            self._child = self._start()
        except ChildGoneError as error:
            raise _unreadable(file) from error
        # Whichever of `run` and `stop` comes second sees what the first has done.
        if self._is_stopped:
            self._child.kill()
        try:
            self._child.send(
                {
                    "file": str(file),
                    "name": wish.name,
                    "folder": str(folder),
                    "sha256": sha256,
                    "password": wish.password,
                    "choices": pack(wish.choices),
                    "only": wish.only,
                    "remembered": pack(wish.remembered),
                }
            )
            self._follow(self._child)
        except ChildGoneError as error:
            raise _unreadable(file) from error
        finally:
            self._child.close()

    def stop(self) -> None:
        """End it now."""
        self._is_stopped = True
        if self._child is not None:
            self._child.kill()

    def _follow(self, child: Child) -> None:
        while True:
            match child.receive():
                case {"progress": str(text), "share": int() | float() | None as share}:
                    self._on_progress(Progress(text, share))
                case {"error": str(sentence), "password": True}:
                    raise PasswordNeededError(sentence)
                case {"error": str(sentence)}:
                    raise UserError(sentence)
                case {"done": list()}:
                    return
                case _:
                    raise ChildGoneError("another answer was expected")


def _unreadable(file: Path) -> UserError:
    return UserError(
        _(
            "{file} is damaged, or needs more than {limit} GB of memory to be read."
            " Export it again, with only the columns and rows that you need."
        ).format(file=file.name, limit=MEMORY_MB // 1024)
    )
