"""Workspace: the asynchronous interface to all data sets, from import to query and export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DatasetProfile, ImportChoices
from qhub_desktop.core.errors import UserError, data_folder_error
from qhub_desktop.core.processes.supervisor import Progress
from qhub_desktop.core.processes.threads import Output, Worker
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.columns import dataset_name
from qhub_desktop.data.export.output import Exported, OutputSheet, check_other_file
from qhub_desktop.data.export_service import ExportService, OnExported
from qhub_desktop.data.ingest.dataset_store import DatasetStore
from qhub_desktop.data.ingest.service import ImportService
from qhub_desktop.data.query.diff import Changes, DiffService, Mode
from qhub_desktop.data.query.service import (
    Answer,
    QueryService,
    ViewClient,
)
from qhub_desktop.data.query.view_spec import RowView

__all__ = ["Answer", "Progress", "Workspace"]

MEMORY_ROWS = 1_000_000  # more than any table in memory has


class Workspace:
    """Data sets of one folder, and the processes that read, query and export them.

    `imports` reads files, `views` rows of a data set sorted and filtered; `exports` writes tables
    to files.
    """

    def __init__(
        self,
        folder: Path,
        *,
        query_s: float = 30,
        keeps_files: Callable[[], bool] = lambda: False,
        on_exported: OnExported | None = None,
    ) -> None:
        """Open a folder; `keeps_files` tells whether to keep a copy of each imported file, and
        `on_exported` is told of each file that is written.
        """
        self._folder = folder
        self._store = DatasetStore(folder)
        self._files = Worker("data sets")
        self.imports = ImportService(folder, self._store, self._files, keeps_files=keeps_files)
        self._queries = QueryService(query_s=query_s)
        self.views = ViewClient(self._queries, self._source)
        self.exports = ExportService(on_exported=on_exported)
        self._versions = DiffService(self._store, self._files)
        self._in_memory: dict[str, DatasetProfile] = {}

    async def load(
        self,
        file: Path,
        *,
        sheet: str | None = None,
        password: str | None = None,
        choices: ImportChoices | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> tuple[DatasetProfile, ...]:
        """Import a file in a child process; return a profile for each sheet that holds data.

        The largest sheet comes first. The same bytes give the same data sets, the second time
        without reading. Without `choices`, those apply that were made for files of the same shape.
        Cancelling kills the process and leaves nothing behind. Raises UserError if the file cannot
        be read, and its subclass PasswordNeededError if another `password` is needed.
        """
        named = await self.imports.load(
            file,
            password=password,
            choices=choices,
            on_progress=on_progress or _ignore_progress,
        )
        return _select_sheet(named, sheet, file)

    async def read_again(
        self,
        dataset_id: str,
        choices: ImportChoices,
        *,
        password: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> DatasetProfile:
        """Import the same sheet under other choices, as a data set of its own.

        The choices are remembered for files of the same shape. Raises UserError if the file is
        gone or has changed.
        """
        profile = await self.profile(dataset_id)
        return await self.imports.reimport(
            profile, choices, password=password, on_progress=on_progress or _ignore_progress
        )

    async def head(self, dataset_id: str) -> tuple[tuple[str, ...], ...]:
        """Return the first rows of the sheet as the file has them, from row 1."""
        return await self._read(self._store.head, dataset_id)

    async def profile(self, dataset_id: str) -> DatasetProfile:
        """Return the profile of a data set. Raises UserError if it is gone."""
        table = self._in_memory.get(dataset_id)
        profile = table or await self._read(self._store.profile, dataset_id)
        if profile is None:
            raise _gone_error(dataset_id)
        return profile

    async def register(self, dataset_id: str, name: str, table: Table) -> DatasetProfile:
        """Make a table in memory a data set until closed; it replaces an earlier one of this id."""
        columns, preview = await self._queries.register(dataset_id, table)
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
        self._in_memory[dataset_id] = profile
        return profile

    async def query(self, sql: str, tables: Mapping[str, str], *, limit: int) -> Answer:
        """Run one SELECT over data sets, given as SQL name -> id; return at most `limit` rows.

        Raises ToolError if the SQL is wrong, not allowed, too slow or needs too much memory, and
        UserError if a data set is gone.
        """
        sources = {name: self._source(dataset_id, name) for name, dataset_id in tables.items()}
        return await self._queries.query(sql, sources, limit=limit)

    async def write_columns(self, dataset_id: str, target: Path) -> JsonObject:
        """Write every column of a data set to a file, as blocks; return what stands where.

        Raises ToolError if that takes too long or too much memory, UserError if it is gone.
        """
        return await self._queries.write_columns(self._source(dataset_id), target)

    async def export(
        self,
        dataset_id: str,
        target: Path,
        *,
        sql: str | None = None,
        view: RowView | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Exported:
        """Write a data set, a SELECT over it by its name, or a view of it to a file, by its suffix.

        Cancelling leaves nothing behind. Raises UserError if the file cannot be written or is
        the one that the rows come from, and ToolError if the SQL may not run.
        """
        profile = await self.profile(dataset_id)
        source = self._source(dataset_id, profile.file)
        if profile.origin:
            await self._files.run(check_other_file, target, Path(profile.origin))
        if isinstance(source, Path):
            name, table = profile.sheet or Path(profile.file).stem, profile.dataset
            return await self.exports.export_rows(
                source,
                target,
                name=name,
                table=table,
                sql=sql,
                view=view,
                facts=() if profile.report is None else profile.report.facts,
                on_progress=on_progress or _ignore_progress,
            )
        if sql is None:
            shown = view or RowView()
            page = await self.views.page(dataset_id, shown, start=0, count=MEMORY_ROWS)
            rows = page.table.of(shown.columns) if shown.columns else page.table
        else:
            answer = await self.query(sql, {profile.dataset: dataset_id}, limit=MEMORY_ROWS)
            rows = answer.table
        return await self.exports.export_sheets((OutputSheet(profile.file, rows),), target)

    async def compare(self, old_id: str, new_id: str) -> Changes:
        """Return the changes from a data set to a newer version. Raises UserError."""
        old, new = await self.profile(old_id), await self.profile(new_id)
        with self._os_errors_explained():
            return await self._versions.compare(old, new)

    async def append(self, old_id: str, new_id: str, *, mode: Mode = "new") -> DatasetProfile:
        """Create a data set of the old rows and the `new` or `all` rows of the other.

        Raises UserError.
        """
        old, new = await self.profile(old_id), await self.profile(new_id)
        with self._os_errors_explained():
            return await self._versions.append(old, new, mode)

    async def remove(self, dataset_ids: Sequence[str]) -> list[str]:
        """Delete the files that these data sets are of; return those that are gone.

        Others are open in another program. Raises UserError.
        """
        return [each for each in dataset_ids if await self._read(self._store.remove, each)]

    def original(self, sha256: str) -> Path | None:
        """Return the kept copy of an imported file, if there is one."""
        return self._store.original(sha256)

    def warm(self, *, imports: bool = False) -> None:
        """Start the query process before it is needed; do not block.

        With `imports`, also one for imports, and sweep what killed programs have left.
        """
        self._queries.warm()
        if imports:
            self.imports.warm()
            self.exports.warm()

    def close(self) -> None:
        """End every process."""
        self._versions.close()
        self.imports.close()
        self.exports.close()
        self._queries.close()
        self._files.close()

    async def _read(self, read: Callable[[str], Output], dataset_id: str) -> Output:
        """Read something of a data set. Raises UserError where its folder cannot be read."""
        with self._os_errors_explained():
            return await self._files.run(read, dataset_id)

    @contextmanager
    def _os_errors_explained(self) -> Iterator[None]:
        """Raise each OSError in the block as a UserError about the folder."""
        try:
            yield
        except OSError as error:
            raise data_folder_error(error, self._folder) from error

    def _source(self, dataset_id: str, name: str = "") -> Path | str:
        """Return the path of a data set's database, or its id if its rows are in memory."""
        if self._queries.is_in_memory(dataset_id):
            return dataset_id
        rows = self._store.rows(dataset_id)
        if rows is None:
            raise _gone_error(name or dataset_id)
        return rows


def _ignore_progress(_progress: Progress) -> None:
    """Ignore progress."""


def _select_sheet(
    profiles: tuple[DatasetProfile, ...], sheet: str | None, file: Path
) -> tuple[DatasetProfile, ...]:
    """Return all profiles, or those of `sheet`. Raises UserError if it has none."""
    if sheet is None:
        return profiles
    chosen = tuple(
        profile
        for profile in profiles
        if profile.sheet is not None and profile.sheet.casefold() == sheet.casefold()
    )
    if chosen:
        return chosen
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


def _gone_error(what: str) -> UserError:
    return UserError(
        _("The data set {name} is no longer there. Drop its file again.").format(name=what)
    )
