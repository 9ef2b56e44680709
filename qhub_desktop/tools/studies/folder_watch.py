"""Looking for finished files in a folder that may be far away: a share hangs, files grow."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.threads import PatientWorker, SignOfLife, SilentError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize

SUFFIXES = (".xlsx", ".csv")
QUIET_S = 5.0  # a file that has not changed for so long is written to its end
SILENCE_S = 20.0
FIRST_RETRY_S, LAST_RETRY_S = 30.0, 3600.0


@dataclass(frozen=True, slots=True)
class FolderFile:
    """One state of a file in a folder."""

    name: str
    size: int
    changed_ns: int
    is_locked: bool = False  # another program, as Excel, keeps it to itself

    @property
    def state(self) -> str:
        """Words that change with the file."""
        return f"{self.size}:{self.changed_ns}"


class FolderWatch:
    """What is in one folder, asked again and again; what does not change for a while is ready.

    `clock` counts seconds: the times of a share are another computer's.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self._clock = clock
        self._looking = PatientWorker("watched folder", silence_s=SILENCE_S)
        self._since: dict[str, tuple[str, float]] = {}
        self._retries: dict[str, tuple[str, float, float]] = {}  # state, when again, after how long

    async def files(self) -> list[FolderFile]:
        """Return the files, the first changed first. Raises UserError if the folder is away."""
        try:
            return await self._looking.run(self._list)
        except SilentError as error:
            raise UserError(
                _("The folder {folder} does not answer. It is tried again.").format(
                    folder=sanitize(str(self.folder))
                )
            ) from error
        except OSError as error:
            raise UserError(
                _(
                    "The folder {folder} can not be read now. It is tried again; check that it is"
                    " there and that you may open it."
                ).format(folder=sanitize(str(self.folder)))
            ) from error

    def ready(self, files: Iterable[FolderFile]) -> list[FolderFile]:
        """Return the files that are quiet, and due where they have failed before."""
        now = self._clock()
        seen, quiet = {}, []
        for file in files:
            state, since = self._since.get(file.name, ("", now))
            if state != file.state:
                since = now
            seen[file.name] = (file.state, since)
            if now - since < QUIET_S:
                continue
            failed = self._retries.get(file.name)
            if failed is None or failed[0] != file.state or now >= failed[1]:
                quiet.append(file)
        self._since = seen
        return quiet

    def failed(self, file: FolderFile) -> None:
        """Let a file rest that could not be read; longer each time, until it changes."""
        before = self._retries.get(file.name)
        pause = FIRST_RETRY_S
        if before is not None and before[0] == file.state:
            pause = min(2 * before[2], LAST_RETRY_S)
        self._retries[file.name] = (file.state, self._clock() + pause, pause)

    def _list(self, life: SignOfLife) -> list[FolderFile]:
        found = []
        for path in self.folder.iterdir():
            life.beat()
            if path.suffix.lower() not in SUFFIXES or path.name.startswith(("~$", ".")):
                continue  # what Excel and copying programs put beside a file while it is open
            try:
                about = path.stat()
                if path.is_dir():
                    continue
            except OSError:
                continue  # gone meanwhile, or not ours to see
            file = FolderFile(path.name, about.st_size, about.st_mtime_ns, _is_locked(path))
            found.append(file)
        return sorted(found, key=lambda file: (file.changed_ns, file.name))


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as opened:
            opened.read(1)
    except OSError:
        return True
    return False
