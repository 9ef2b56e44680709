"""The workspace: files in, SQL out. Every data set behind one asynchronous door."""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.worker import Worker
from qhub_desktop.data.desk import Answer, QueryDesk
from qhub_desktop.data.keeping import Shelf, number_of
from qhub_desktop.data.naming import dataset_name
from qhub_desktop.data.paging import Area, Found, Page, Pages, Step, Summary, Values
from qhub_desktop.data.reading import Import, Progress
from qhub_desktop.data.views import View

__all__ = ["SUFFIXES", "Answer", "Progress", "Workspace"]

# The kinds of file that dialogs offer and drops accept; what a file is, its content decides.
SUFFIXES = (".xlsx", ".xlsm", ".csv", ".tsv", ".txt")

IMPORTS_AT_ONCE = 2


class Workspace:
    """All data sets in one folder, and the way to query them. Owns its processes until closed."""

    def __init__(self, folder: Path, *, query_s: float = 30) -> None:
        self._shelf = Shelf(folder)
        self._files = Worker("data sets")
        self._desk = QueryDesk(query_s=query_s)
        self._pages = Pages(self._desk, self._place)
        self._held: dict[str, DatasetProfile] = {}
        self._imports = asyncio.Semaphore(IMPORTS_AT_ONCE)
        self._turns: dict[str, asyncio.Lock] = {}  # one import at a time of the same bytes
        self._importing: set[Import] = set()

    async def load(
        self,
        file: Path,
        *,
        sheet: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> tuple[DatasetProfile, ...]:
        """Read a file in a process of its own; gives a data set for each sheet that holds data.

        The same bytes give the same data sets, the second time without reading. Cancelling kills
        the process and leaves nothing behind. Raises UserError for what can not be read.
        """
        sha256 = await self._files.run(_sha256, file)
        async with self._turns.setdefault(sha256, asyncio.Lock()):
            profiles = await self._files.run(self._shelf.profiles_of, sha256)
            if not profiles:
                async with self._imports:
                    await self._import(file, sha256, on_progress or (lambda _progress: None))
                profiles = await self._files.run(self._shelf.profiles_of, sha256)
        named = await self._files.run(self._under_its_name, profiles, file)
        return _chosen(named, sheet, file)

    async def profile(self, dataset_id: str) -> DatasetProfile:
        """What is known of a data set. Raises UserError if it is gone."""
        held = self._held.get(dataset_id)
        profile = held or await self._files.run(self._shelf.profile, dataset_id)
        if profile is None:
            raise _gone(dataset_id)
        return profile

    async def hold(self, dataset_id: str, name: str, table: Table) -> DatasetProfile:
        """Make rows of the app's own a data set until closed, in place of an earlier one."""
        columns, preview = await self._desk.hold(dataset_id, table)
        profile = DatasetProfile(
            id=dataset_id,
            dataset=dataset_name(name),
            file=name,
            sheet=None,
            sheets=(),
            rows=len(table.rows),
            sha256="",
            columns=columns,
            preview=preview,
        )
        self._held[dataset_id] = profile
        return profile

    async def query(self, sql: str, tables: Mapping[str, str], *, limit: int) -> Answer:
        """Run one SELECT over data sets, given as SQL name -> id.

        Raises ToolError for SQL that is wrong, not allowed, or takes too long or too much, and
        UserError for a data set that is gone.
        """
        places = {name: self._place(dataset_id, name) for name, dataset_id in tables.items()}
        return await self._desk.query(sql, places, limit=limit)

    async def page(self, dataset_id: str, view: View, *, start: int, count: int) -> Page:
        """Rows by their position in a view. Raises UserError, as do the other looks at rows."""
        return await self._pages.page(dataset_id, view, start=start, count=count)

    async def values(
        self, dataset_id: str, column: str, view: View, *, words: str = "", limit: int = 200
    ) -> Values:
        """The most frequent values of a column in a view, apart from its filters on that column."""
        return await self._pages.values(dataset_id, column, view, words=words, limit=limit)

    async def find(
        self, dataset_id: str, view: View, words: str, *, start: int, step: Step
    ) -> Found | None:
        """The next row of a view that holds words, or the one before; it goes round the end."""
        return await self._pages.find(dataset_id, view, words, start=start, step=step)

    async def summary(self, dataset_id: str, view: View, areas: Sequence[Area]) -> Summary:
        """What cells of a view come to."""
        return await self._pages.summary(dataset_id, view, areas)

    def warm(self) -> None:
        """Start the query process ahead of need, without blocking."""
        self._desk.warm()

    def close(self) -> None:
        """End every process."""
        for reading in self._importing:
            reading.stop()
        self._desk.close()
        self._files.close()

    def _place(self, dataset_id: str, name: str = "") -> Path | str:
        """Where a data set's rows are: a database, or in memory under its id."""
        if self._desk.is_held(dataset_id):
            return dataset_id
        rows = self._shelf.rows(dataset_id)
        if rows is None:
            raise _gone(name or dataset_id)
        return rows

    async def _import(
        self, file: Path, sha256: str, on_progress: Callable[[Progress], None]
    ) -> None:
        loop = asyncio.get_running_loop()
        reading = Import(lambda progress: _tell(loop, on_progress, progress))
        folder = await self._files.run(self._shelf.begin)
        worker = Worker("import")
        self._importing.add(reading)
        try:
            doing = asyncio.ensure_future(worker.run(reading.run, file, folder, sha256))
            try:
                await asyncio.shield(doing)
            except asyncio.CancelledError:
                reading.stop()
                with contextlib.suppress(UserError):
                    await doing
                raise
            await self._files.run(self._shelf.finish, folder)
        finally:
            self._importing.discard(reading)
            worker.close()
            await self._files.run(self._shelf.abandon, folder)

    def _under_its_name(
        self, profiles: Sequence[DatasetProfile], file: Path
    ) -> tuple[DatasetProfile, ...]:
        """The profiles under the name that the file has now."""
        if all(profile.file == file.name for profile in profiles):
            return tuple(profiles)
        renamed = tuple(
            replace(
                profile,
                file=file.name,
                dataset=dataset_name(file.stem, sheet=profile.sheet, number=number_of(profile.id)),
            )
            for profile in profiles
        )
        for profile in renamed:
            self._shelf.rename(profile)
        return renamed


def _tell(
    loop: asyncio.AbstractEventLoop, listen: Callable[[Progress], None], progress: Progress
) -> None:
    # A program that is closing has closed its loop before the last words of a child.
    if not loop.is_closed():
        loop.call_soon_threadsafe(listen, progress)


def _chosen(
    profiles: tuple[DatasetProfile, ...], sheet: str | None, file: Path
) -> tuple[DatasetProfile, ...]:
    """All of them, or the one of that sheet."""
    if sheet is None:
        return profiles
    for profile in profiles:
        if profile.sheet is not None and profile.sheet.casefold() == sheet.casefold():
            return (profile,)
    names = ", ".join(profile.sheet for profile in profiles if profile.sheet) or "-"
    if any(sheet.casefold() == each.casefold() for each in profiles[0].sheets):
        raise UserError(
            _("The sheet {sheet} of {file} is empty. These hold data: {names}.").format(
                sheet=sheet, file=file.name, names=names
            )
        )
    raise UserError(
        _("{file} has no sheet {sheet}. These hold data: {names}.").format(
            sheet=sheet, file=file.name, names=names
        )
    )


def _gone(what: str) -> UserError:
    return UserError(
        _("The data set {name} is no longer there. Drop its file again.").format(name=what)
    )


def _sha256(file: Path) -> str:
    if file.is_dir():
        raise UserError(
            _("{file} is a folder. Drop the files that are in it.").format(file=file.name)
        )
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise UserError(
            _("{file} is no longer there. Choose the file again.").format(file=file.name)
        ) from error
    except OSError as error:
        raise UserError(
            _("{file} can not be opened. Close it in other programs, or drop a copy of it.").format(
                file=file.name
            )
        ) from error
