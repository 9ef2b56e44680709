"""The import service: each file is read once, in a child process, and found again by its hash."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from qhub_desktop.core.codec import pack
from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import PasswordNeededError, UserError, data_folder_error
from qhub_desktop.core.processes.child import MEMORY_MB, Child
from qhub_desktop.core.processes.supervisor import ChildRunner, OnProgress, Progress
from qhub_desktop.core.processes.threads import Inputs, Output, Worker, in_background
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import dataset_name
from qhub_desktop.data.ingest.dataset_store import (
    DatasetStore,
    Preset,
    id_of,
    load_presets,
    number_of,
    preset_of,
    save_preset,
    sha256_of,
    table_of,
)
from qhub_desktop.data.ingest.readers.rejection import COPY, UNPACKED

IMPORTS_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A file to import, and how.

    `only` is the number of the one sheet to read, if not all, and `table` that of its one table.
    """

    file: Path
    name: str  # what the person calls it
    password: str | None = None
    choices: ImportChoices = ImportChoices()
    only: int | None = None
    table: int = 0
    presets: tuple[Preset, ...] = ()


class ImportService:
    """Imports of files into the store of data sets. Owns the import processes until closed."""

    def __init__(
        self, folder: Path, store: DatasetStore, files: Worker, *, keeps_files: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._store = store
        self._files = files
        self._keeps_files = keeps_files
        self._slots = asyncio.Semaphore(IMPORTS_AT_ONCE)
        self._locks: dict[str, asyncio.Lock] = {}  # one import at a time of the same bytes
        self._children = ChildRunner(lambda: Child("import", priority="low"))
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
        """Return the data sets of a file, imported now or found again; the biggest first.

        Raises UserError if it cannot be read, PasswordNeededError if it needs another password.
        """
        on_progress(Progress(_("Opening {file}").format(file=file.name), None))
        sha256 = await self._fingerprint(file)
        async with self._locks.setdefault(sha256, asyncio.Lock()):
            profiles = await self._stored(self._store.profiles_of, sha256)
            if profiles and not await self._stored(self._store.is_checked, sha256):
                await self._check(file, sha256, profiles, password, on_progress)
                profiles = await self._stored(self._store.profiles_of, sha256)
            if not profiles or (choices is not None and _differ(profiles, choices)):
                shapes = await self._stored(load_presets, self._folder)
                request = ImportRequest(
                    file,
                    sanitize(file.name),
                    password,
                    choices or ImportChoices(),
                    presets=shapes if choices is None else (),
                )
                await self._import(request, sha256, on_progress)
                if password is not None:
                    self._passwords[sha256] = password
                profiles = await self._stored(self._store.profiles_of, sha256)
            if self._keeps_files():
                await self._stored(self._store.keep_original, file, sha256)
        return await self._stored(self._under_current_name, profiles, file)

    async def reimport(
        self,
        profile: DatasetProfile,
        choices: ImportChoices,
        *,
        password: str | None,
        on_progress: OnProgress,
    ) -> DatasetProfile:
        """Import a data set's sheet again under other choices, and remember these as a preset.

        Raises UserError if the file is gone, has changed or cannot be read so.
        """
        number = number_of(profile.id)
        table = table_of(profile.id) if choices.table is None else choices.table
        id_ = id_of(profile.sha256, number, choices, table=table)
        async with self._locks.setdefault(profile.sha256, asyncio.Lock()):
            if await self._stored(self._store.profile, id_) is None:
                file = await self._source_of(profile)
                known = password or self._passwords.get(profile.sha256)
                request = ImportRequest(file, profile.file, known, choices, number, table)
                await self._import(request, profile.sha256, on_progress)
            await self._stored(self._store.replace_in_receipt, profile.sha256, profile.id, id_)
        made = await self._stored(self._store.profile, id_)
        if made is None:
            raise _source_gone(profile)
        named = replace(made, file=profile.file, dataset=profile.dataset, origin=profile.origin)
        await self._stored(self._store.rename, named)
        await self._stored(self._save_presets, profile, named)
        return named

    async def check_kept(self) -> None:
        """Check, once, what an earlier version has read of the files that are kept."""
        for sha256 in await self._stored(self._store.unchecked_originals):
            async with self._locks.setdefault(sha256, asyncio.Lock()):
                kept = await self._stored(self._store.original, sha256)
                profiles = await self._stored(self._store.profiles_of, sha256)
                if kept is not None:
                    with contextlib.suppress(UserError):  # said when the file is dropped again
                        await self._check(kept, sha256, profiles, None, lambda _progress: None)

    async def _check(
        self,
        file: Path,
        sha256: str,
        profiles: Sequence[DatasetProfile],
        password: str | None,
        on_progress: OnProgress,
    ) -> None:
        """Read a file again as it was read before; what does not hold its rows is replaced."""
        known = password or self._passwords.get(sha256)
        try:
            for profile in profiles:
                choices = ImportChoices() if profile.report is None else profile.report.choices
                number, table = number_of(profile.id), table_of(profile.id)
                request = ImportRequest(file, profile.file, known, choices, number, table)
                await self._import(request, sha256, on_progress)
        except PasswordNeededError:
            return  # what there is may be right, and the person is not asked for it
        await self._stored(self._store.mark_checked, sha256)

    def warm(self) -> None:
        """Keep a process ready for the next file from now on, without blocking."""
        in_background(self._store.sweep, "sweeping imports")
        self._children.warm()

    def close(self) -> None:
        """End every process."""
        self._children.close()

    async def _fingerprint(self, file: Path) -> str:
        """Return the SHA-256 of a file.

        It is read on a thread of its own, as a network share may hang for minutes.
        """
        worker = Worker("looking at a file")
        try:
            return await worker.run(sha256_of, file)
        finally:
            worker.abandon()  # waiting for the share here would hold up the window

    async def _source_of(self, profile: DatasetProfile) -> Path:
        """Return where the bytes of a data set can still be read. Raises UserError if nowhere."""
        kept = await self._stored(self._store.original, profile.sha256)
        if kept is not None:
            return kept
        file = Path(profile.origin)
        if not profile.origin or await self._fingerprint(file) != profile.sha256:
            raise _source_gone(profile)
        return file

    async def _import(self, request: ImportRequest, sha256: str, on_progress: OnProgress) -> None:
        async with self._slots:
            folder = await self._stored(self._store.begin)
            try:
                await self._children.run(
                    {
                        "file": str(request.file),
                        "name": request.name,
                        "folder": str(folder),
                        "sha256": sha256,
                        "password": request.password,
                        "choices": pack(request.choices),
                        "only": request.only,
                        "table": request.table,
                        "presets": pack(request.presets),
                    },
                    failure=_(
                        "{file} could not be read: the process that reads it ended without a"
                        " reason. Open the file in Excel, save it under another name, and drop"
                        " that."
                    ).format(file=request.name),
                    out_of_memory=_(
                        "{file} needs more than {limit} GB of memory to be read. Export it again,"
                        " with only the columns and rows that you need."
                    ).format(file=request.name, limit=MEMORY_MB // 1024),
                    on_progress=on_progress,
                )
                if self._keeps_files():
                    copy = folder / UNPACKED / f"{COPY}{request.file.suffix}"
                    await self._stored(self._store.keep_original, copy, sha256)
                is_whole = request.only is None
                await self._stored(self._store.finish, folder, is_whole=is_whole)
            finally:
                await self._stored(self._store.abandon, folder)

    async def _stored(
        self, work: Callable[Inputs, Output], *args: Inputs.args, **kwargs: Inputs.kwargs
    ) -> Output:
        """Do a piece of work on the folder's thread. Raises UserError where it cannot be used."""
        try:
            return await self._files.run(work, *args, **kwargs)
        except OSError as error:
            raise data_folder_error(error, self._folder) from error

    def _save_presets(self, old: DatasetProfile, new: DatasetProfile) -> None:
        """Save the new choices as a preset, and forget those for the old header's shape."""
        for profile in (old, new):
            report = profile.report
            if report is None:
                continue
            shape = preset_of(
                self._store.head(profile.id),
                report.header_row,
                report.choices if profile is new else ImportChoices(),
                file=profile.file,
            )
            save_preset(self._folder, shape)

    def _under_current_name(
        self, profiles: Sequence[DatasetProfile], file: Path
    ) -> tuple[DatasetProfile, ...]:
        """Return the profiles under the name and the path that the file has now."""
        # Names of another encoding than the system's: what is stored and shown is text.
        name, origin = sanitize(file.name), sanitize(str(file.absolute()))
        if all((each.file, each.origin) == (name, origin) for each in profiles):
            return tuple(profiles)
        named = tuple(
            replace(
                each,
                file=name,
                origin=origin,
                dataset=dataset_name(
                    Path(name).stem,
                    sheet=each.sheet,
                    number=number_of(each.id),
                    table=table_of(each.id),
                ),
            )
            for each in profiles
        )
        for each in named:
            self._store.rename(each)
        return named


def _differ(profiles: Sequence[DatasetProfile], choices: ImportChoices) -> bool:
    return any(each.report is None or each.report.choices != choices for each in profiles)


def _source_gone(profile: DatasetProfile) -> UserError:
    return UserError(
        _(
            "{file} is no longer where it was read, or has changed since. Drop it again, and then"
            " choose how to read it."
        ).format(file=profile.file)
    )
