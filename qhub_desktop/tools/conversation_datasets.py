"""The data sets of a conversation: those dropped into it, and the station's defect log."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from qhub_desktop.core.dataset import LOG_ID, DatasetProfile, DefectMapping
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.table import Table
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.core.widgets import Provenance
from qhub_desktop.data.defect_recognition import certain_mapping, frequent_words, with_known_words
from qhub_desktop.data.workspace import Workspace

LOG = "defeitos"  # the name of the station's defect log, in SQL and as a data set
LOG_FILE = "defeitos.csv"


@dataclass(frozen=True, slots=True)
class Found:
    """What a query gave, and where it came from."""

    table: Table
    row_count: int
    source: Provenance


class Pin(Protocol):
    """A data set that is pinned to a conversation."""

    @property
    def dataset_id(self) -> str:
        """Its id in the workspace."""
        ...

    @property
    def name(self) -> str:
        """Its name in SQL, in that conversation."""
        ...


class Pins(Protocol):
    """Store of the data sets of each conversation, and of what words mean in them."""

    async def pinned(self, conversation: str) -> Sequence[Pin]:
        """List the data sets that a conversation works on, in the order of pinning."""
        ...

    async def readings(self, columns: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """List each word with its meaning in data with these columns."""
        ...


class StoredDefects(Protocol):
    """Store of the defect log, and of how files are read as defects."""

    async def log(self) -> Table:
        """Read every defect."""
        ...

    async def mapping(self, columns: Iterable[str]) -> DefectMapping | None:
        """Return how files with these columns are read as defects, if a person confirmed it."""
        ...


class ConversationDatasets:
    """Names to data sets, and queries over them."""

    def __init__(self, datasets: Pins, defects: StoredDefects, workspace: Workspace) -> None:
        self._datasets = datasets
        self._defects = defects
        self._workspace = workspace
        self._log: DatasetProfile | None = None
        self._taking_log = asyncio.Lock()
        self._arriving: dict[str, set[asyncio.Event]] = {}
        self._certain: dict[str, DefectMapping | None] = {}  # by data set: looking takes a while

    @contextmanager
    def arriving(self, conversation: str) -> Iterator[None]:
        """Note that a file is on its way into a conversation: questions wait for it."""
        arrived = asyncio.Event()
        expected = self._arriving.setdefault(conversation, set())
        expected.add(arrived)
        try:
            yield
        finally:
            expected.discard(arrived)
            arrived.set()

    async def settled_profiles(self, conversation: str) -> tuple[DatasetProfile, ...]:
        """Return `profiles` once every file on its way has come in or has been refused."""
        for arrived in tuple(self._arriving.get(conversation, ())):
            await arrived.wait()
        return await self.profiles(conversation)

    async def profiles(self, conversation: str) -> tuple[DatasetProfile, ...]:
        """Return the data sets of a conversation, by their names there, last dropped last.

        The defect log comes first, unless a dropped file has its name.
        """
        pinned = []
        for pin in await self._datasets.pinned(conversation):
            try:
                profile = await self._workspace.profile(pin.dataset_id)
            except UserError:
                continue  # its rows are gone from this machine; what was answered stays
            mapping = await self._mapping(profile)
            pinned.append(replace(profile, dataset=pin.name, defects=mapping))
        if all(profile.dataset != LOG for profile in pinned):
            pinned.insert(0, await self.log())
        return tuple([await self._with_readings(profile) for profile in pinned])

    async def log(self) -> DatasetProfile:
        """Return the station's defect log as a data set, with every defect reported so far."""
        async with self._taking_log:
            if self._log is None:
                rows = await self._defects.log()
                held = await self._workspace.register(LOG_ID, LOG, rows)
                self._log = replace(held, file=LOG_FILE, defects=certain_mapping(held))
            return self._log

    def log_changed(self) -> None:
        """Forget the cached log: a defect has been reported."""
        self._log = None

    async def _with_readings(self, profile: DatasetProfile) -> DatasetProfile:
        """Add to a data set what words mean in data of its columns, as the person chose."""
        readings = await self._datasets.readings(each.name for each in profile.columns)
        return replace(profile, readings=readings) if readings else profile

    async def _mapping(self, profile: DatasetProfile) -> DefectMapping | None:
        """Return how a data set is read as defects: as confirmed, or in the only possible way."""
        confirmed = await self._defects.mapping(each.name for each in profile.columns)
        if confirmed is not None:
            return with_known_words(confirmed, frequent_words(profile, confirmed))
        if profile.id not in self._certain:
            self._certain[profile.id] = certain_mapping(profile)
        return self._certain[profile.id]

    async def query(
        self,
        setting: ToolContext,
        sql: str,
        *,
        limit: int,
        about: DatasetProfile | None = None,
    ) -> Found:
        """Run one SELECT over the conversation's data sets.

        `about` is the data set it is about, where the caller knows. Raises ToolError for a query
        that cannot be run.
        """
        tables = {each.dataset: each.id for each in setting.profiles}
        answer = await self._workspace.query(sql, tables, limit=limit)
        profile = about or _read(answer.read, sql, setting.profiles)
        return Found(
            table=answer.table,
            row_count=answer.row_count,
            source=Provenance(
                dataset=profile.dataset,
                file=profile.file,
                sheet=profile.sheet,
                rows_used=answer.rows_used,
                rows_total=profile.rows,
                sql=sql,
            ),
        )


def chosen(setting: ToolContext, name: str | None) -> DatasetProfile:
    """Find the data set called `name`, or the last dropped. Raises ToolError if there is none."""
    if name is None:
        return setting.profiles[-1]
    for profile in reversed(setting.profiles):
        if name in (profile.dataset, profile.file):
            return profile
    names = ", ".join(profile.dataset for profile in setting.profiles)
    raise ToolError(f"O conjunto '{name}' não existe nesta conversa. Existem: {names}.")


def _read(name: str | None, sql: str, profiles: tuple[DatasetProfile, ...]) -> DatasetProfile:
    """Find the data set that a query read; of several, the one with the longest name."""
    lowered = sql.lower() if name is None else name.lower()
    named = [profile for profile in profiles if profile.dataset.lower() in lowered]
    return max(named, key=lambda profile: len(profile.dataset), default=profiles[-1])
