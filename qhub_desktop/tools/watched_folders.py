"""Watched folders of documents: what is new, changed or gone there, found by looking.

Nothing is ever written there, and what is being written by others is left alone until it rests.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from qhub_desktop.core.documents import WatchedFolder
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.paths import long_path
from qhub_desktop.core.processes.threads import PatientWorker, SignOfLife, SilentError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.documents import DocumentRepository, NewDocument, SeenFile
from qhub_desktop.tools.document_originals import Originals, files_in

REST_S = 2.0  # without a change of size or time, before a file is read
FOLDER_LOOK_S = 30.0  # between two looks, where nothing tells of changes
FOLDER_SILENCE_S = 20.0  # of a share, before it counts as away
RETRY_S = 600.0  # before a file is tried again that could not be read


@dataclass(frozen=True, slots=True)
class FolderLook:
    """What a look at a folder came to: files read, files that do not rest yet, or a problem."""

    folder: WatchedFolder
    read: int = 0
    resting: int = 0
    problem: str = ""


class DocumentWatch:
    """Looks at one watched folder; the state of the files that it has seen change is its own.

    `clock` counts seconds: the times of a share are another computer's.
    """

    def __init__(
        self,
        folder: WatchedFolder,
        repository: DocumentRepository,
        originals: Originals,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self._repository = repository
        self._originals = originals
        self._clock = clock
        self._looking = PatientWorker("watched documents", silence_s=FOLDER_SILENCE_S)
        self._since: dict[str, tuple[SeenFile, float]] = {}  # by path
        self._failed: dict[str, tuple[SeenFile, float]] = {}

    async def look(self) -> FolderLook:
        """Note what is new, changed or gone; keep what rests, to be read. Raises UserError.

        A folder that cannot be listed tells nothing of its files: they stay as they are.
        """
        try:
            there = await self._looking.run(self._list)
        except (OSError, SilentError) as error:
            raise UserError(
                _(
                    "The folder {folder} cannot be read now. It is tried again; check that it is"
                    " there and that you may open it."
                ).format(folder=sanitize(self.folder.path))
            ) from error
        known = await self._repository.seen(self.folder.id)
        states = {path: SeenFile(path, *row[:2]) for path, row in known.items()}
        changed = [file for path, file in there.items() if states.get(path) != file]
        gone = states.keys() - there.keys()
        if changed or gone:
            await self._repository.note_look(self.folder.id, changed, gone)
        waiting = [
            file
            for path, file in there.items()
            if states.get(path) != file or not known[path][2] or path in self._since
        ]
        resting = self._resting(waiting)
        read = 0
        for file in resting:
            read += await self._keep(file)
        return FolderLook(self.folder, read, len(waiting) - len(resting))

    def _resting(self, waiting: list[SeenFile]) -> list[SeenFile]:
        """Return the files that have not changed for a while."""
        now = self._clock()
        since = {}
        for file in waiting:
            before = self._since.get(file.path)
            since[file.path] = before if before and before[0] == file else (file, now)
        self._since = since
        return [
            file
            for file in waiting
            if now - since[file.path][1] >= REST_S and not self._is_put_off(file, now)
        ]

    def _is_put_off(self, file: SeenFile, now: float) -> bool:
        failed = self._failed.get(file.path)
        return failed is not None and failed[0] == file and now - failed[1] < RETRY_S

    async def _keep(self, file: SeenFile) -> bool:
        try:
            sha256 = await self._looking.run(
                lambda life: self._originals.keep(Path(file.path), life.beat)
            )
        except (QHubError, SilentError):  # held by another program, gone, too large
            self._failed[file.path] = (file, self._clock())
            return False
        self._since.pop(file.path, None)
        self._failed.pop(file.path, None)
        collection = self.folder.collection
        new = NewDocument(sha256, Path(file.path).name, file.path, collection, is_watched=True)
        await self._repository.add_found(new)
        await self._repository.note_read(self.folder.id, file, sha256)
        return True

    def _list(self, life: SignOfLife) -> dict[str, SeenFile]:
        found = {}
        for entry in files_in(Path(self.folder.path), life.beat):
            with suppress(OSError):  # gone meanwhile
                about = entry.stat(follow_symlinks=False)
                found[entry.path] = SeenFile(entry.path, about.st_size, about.st_mtime_ns)
        return found


class WatchedFolders:
    """Looks at all watched folders, again and again."""

    def __init__(
        self,
        repository: DocumentRepository,
        originals: Originals,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._repository = repository
        self._originals = originals
        self._clock = clock
        self._watches: dict[int, DocumentWatch] = {}
        self._turn = asyncio.Lock()
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Look now: the system has told of a change."""
        self._wake.set()

    async def run(self, on_look: Callable[[list[FolderLook]], object]) -> None:
        """Look whenever something tells of a change, and every half minute, until cancelled."""
        while True:
            self._wake.clear()
            looks = list[FolderLook]()
            with suppress(QHubError):  # a busy file: with the next look
                looks = await self.look()
                on_look(looks)
            is_restless = any(look.resting for look in looks)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), REST_S if is_restless else FOLDER_LOOK_S)

    async def look(self) -> list[FolderLook]:
        """Look once at every folder."""
        async with self._turn:
            folders = await self._repository.watched()
            known = {each.id for each in folders}
            self._watches = {id_: w for id_, w in self._watches.items() if id_ in known}
            return [await self._look_at(folder) for folder in folders]

    async def look_until_rest(
        self, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> list[FolderLook]:
        """Look until what is there was read: twice, and again while something is being written."""
        read = dict[int, int]()
        while True:
            looks = await self.look()
            for look in looks:
                read[look.folder.id] = read.get(look.folder.id, 0) + look.read
            if not any(look.resting for look in looks):
                return [replace(look, read=read[look.folder.id]) for look in looks]
            await sleep(REST_S)

    async def _look_at(self, folder: WatchedFolder) -> FolderLook:
        watch = self._watches.get(folder.id)
        if watch is None:
            watch = DocumentWatch(folder, self._repository, self._originals, clock=self._clock)
            self._watches[folder.id] = watch
        try:
            return await watch.look()
        except UserError as error:
            return FolderLook(folder, problem=str(error))


def watched_path(folder: Path) -> str:
    """Return the path of a folder as it is kept."""
    return str(long_path(folder.expanduser().absolute()))


def checked_folder(folder: Path) -> str:
    """Return the path of a folder as it is kept. Raises UserError for what is none."""
    path = watched_path(folder)
    if not Path(path).is_dir():
        raise UserError(
            _("{folder} is no folder. Choose the folder that the documents lie in.").format(
                folder=sanitize(str(folder))
            )
        )
    return path
