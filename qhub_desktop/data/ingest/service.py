"""Files on their way in: each read once, in a process of its own, and found again afterwards."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.thread import Worker, in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.columns import dataset_name
from qhub_desktop.data.ingest import presets
from qhub_desktop.data.ingest.dataset_store import DatasetStore, id_of, number_of, sha256_of
from qhub_desktop.data.ingest.process import Import, ImportRequest, Progress, Spare

IMPORTS_AT_ONCE = 2

OnProgress = Callable[[Progress], None]


class Imports:
    """The way of files onto the shelf. Owns the processes that read them until closed."""

    def __init__(
        self, folder: Path, shelf: DatasetStore, files: Worker, *, keeps_files: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._shelf = shelf
        self._files = files
        self._keeps_files = keeps_files
        self._slots = asyncio.Semaphore(IMPORTS_AT_ONCE)
        self._turns: dict[str, asyncio.Lock] = {}  # one import at a time of the same bytes
        self._importing: set[Import] = set()
        self._spare: Spare | None = None
        # By the file's bytes, and never on disk: whoever has typed one need not type it again.
        self._passwords: dict[str, str] = {}

    async def load(
        self,
        file: Path,
        *,
        password: str | None,
        choices: ImportChoices | None,
        on_progress: OnProgress,
    ) -> tuple[DatasetProfile, ...]:
        """The data sets of a file, read now or found again; the biggest first."""
        on_progress(Progress(_("Opening {file}").format(file=file.name), None))
        sha256 = await self._fingerprint(file)
        async with self._turns.setdefault(sha256, asyncio.Lock()):
            profiles = await self._files.run(self._shelf.profiles_of, sha256)
            if not profiles or (choices is not None and _differ(profiles, choices)):
                shapes = await self._files.run(presets.read, self._folder)
                wish = ImportRequest(
                    file,
                    file.name,
                    password,
                    choices or ImportChoices(),
                    remembered=shapes if choices is None else (),
                )
                await self._import(wish, sha256, on_progress)
                if password is not None:
                    self._passwords[sha256] = password
                profiles = await self._files.run(self._shelf.profiles_of, sha256)
            if self._keeps_files():
                await self._files.run(self._shelf.keep_original, file, sha256)
        return await self._files.run(self._as_it_is_now, profiles, file)

    async def again(
        self,
        profile: DatasetProfile,
        choices: ImportChoices,
        *,
        password: str | None,
        on_progress: OnProgress,
    ) -> DatasetProfile:
        """A data set's sheet read once more, under other choices, which are remembered."""
        number = number_of(profile.id)
        id_ = id_of(profile.sha256, number, choices)
        async with self._turns.setdefault(profile.sha256, asyncio.Lock()):
            if await self._files.run(self._shelf.profile, id_) is None:
                file = await self._source_of(profile)
                known = password or self._passwords.get(profile.sha256)
                wish = ImportRequest(file, profile.file, known, choices, number)
                await self._import(wish, profile.sha256, on_progress)
            await self._files.run(self._shelf.replace_in_receipt, profile.sha256, profile.id, id_)
        made = await self._files.run(self._shelf.profile, id_)
        if made is None:
            raise _gone(profile)
        named = replace(made, file=profile.file, dataset=profile.dataset, origin=profile.origin)
        await self._files.run(self._shelf.rename, named)
        await self._files.run(self._remember, profile, named)
        return named

    def warm(self) -> None:
        """Keep a process ready for the next file, from now on; without blocking."""
        self._spare = self._spare or Spare()
        in_background(self._spare.prepare, "warming imports")

    def close(self) -> None:
        """End every process."""
        if self._spare is not None:
            self._spare.close()
        for reading in self._importing:
            reading.stop()

    async def _fingerprint(self, file: Path) -> str:
        """The SHA-256 of a file; a thread of its own, as a share may hang for minutes."""
        worker = Worker("looking at a file")
        try:
            return await worker.run(sha256_of, file)
        finally:
            worker.close()

    async def _source_of(self, profile: DatasetProfile) -> Path:
        """Where the bytes of a data set are still to be had."""
        kept = await self._files.run(self._shelf.original, profile.sha256)
        if kept is not None:
            return kept
        file = Path(profile.origin)
        if not profile.origin or await self._fingerprint(file) != profile.sha256:
            raise _gone(profile)
        return file

    async def _import(self, wish: ImportRequest, sha256: str, on_progress: OnProgress) -> None:
        async with self._slots:
            await self._run(wish, sha256, on_progress)

    async def _run(self, wish: ImportRequest, sha256: str, on_progress: OnProgress) -> None:
        loop = asyncio.get_running_loop()
        take = None if self._spare is None else self._spare.take
        reading = Import(lambda progress: _tell(loop, on_progress, progress), take)
        folder = await self._files.run(self._shelf.begin)
        worker = Worker("import")
        self._importing.add(reading)
        try:
            doing = asyncio.ensure_future(worker.run(reading.run, wish, folder, sha256))
            try:
                await asyncio.shield(doing)
            except asyncio.CancelledError:
                reading.stop()
                with contextlib.suppress(UserError):
                    await doing
                raise
            await self._files.run(self._finish, folder, wish)
        finally:
            self._importing.discard(reading)
            worker.close()
            await self._files.run(self._shelf.abandon, folder)
            if self._spare is not None:
                self.warm()

    def _finish(self, folder: Path, wish: ImportRequest) -> None:
        self._shelf.finish(folder, is_whole=wish.only is None)

    def _remember(self, old: DatasetProfile, new: DatasetProfile) -> None:
        """What was chosen; what was chosen before may have been for another shape: its header's."""
        for profile in (old, new):
            report = profile.report
            if report is None:
                continue
            shape = presets.shape_of(
                self._shelf.head(profile.id),
                report.header_row,
                report.choices if profile is new else ImportChoices(),
                file=profile.file,
            )
            presets.remember(self._folder, shape)

    def _as_it_is_now(
        self, profiles: Sequence[DatasetProfile], file: Path
    ) -> tuple[DatasetProfile, ...]:
        """The profiles under the name and the place that the file has now."""
        origin = str(file.absolute())
        if all((each.file, each.origin) == (file.name, origin) for each in profiles):
            return tuple(profiles)
        named = tuple(
            replace(
                each,
                file=file.name,
                origin=origin,
                dataset=dataset_name(file.stem, sheet=each.sheet, number=number_of(each.id)),
            )
            for each in profiles
        )
        for each in named:
            self._shelf.rename(each)
        return named


def _differ(profiles: Sequence[DatasetProfile], choices: ImportChoices) -> bool:
    return any(each.report is None or each.report.choices != choices for each in profiles)


def _tell(loop: asyncio.AbstractEventLoop, listen: OnProgress, progress: Progress) -> None:
    # A program that is closing has closed its loop before the last words of a child.
    if not loop.is_closed():
        loop.call_soon_threadsafe(listen, progress)


def _gone(profile: DatasetProfile) -> UserError:
    return UserError(
        _(
            "{file} is no longer where it was read, or has changed since. Drop it again, and then"
            " choose how to read it."
        ).format(file=profile.file)
    )
