"""Data sets of a conversation: the imported files, and the station's defect log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING

from qhub_desktop.core.dataset import LOG_ID, DatasetProfile, DefectMapping
from qhub_desktop.core.errors import InputError, UserError
from qhub_desktop.core.ids import ConversationId, agent_of_unstarted
from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.table import Table
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.defect_recognition import certain_mapping, frequent_words, with_known_words
from qhub_desktop.data.workspace import Workspace

if TYPE_CHECKING:
    from qhub_desktop.store.datasets import DatasetRepository
    from qhub_desktop.store.defects import DefectRepository

LOG = "defeitos"  # the name of the station's defect log, in SQL and as a data set
LOG_FILE = "defeitos.csv"


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a query, and the data set it came from.

    `made` is what was made of its rows, for who reads a remembered result again.
    """

    table: Table
    row_count: int
    source: Provenance
    made: dict[object, object] = field(default_factory=dict, compare=False, repr=False)


class ConversationDatasets:
    """Data sets by conversation and name, and queries over them."""

    def __init__(
        self, datasets: DatasetRepository, defects: DefectRepository, workspace: Workspace
    ) -> None:
        self._datasets = datasets
        self._defects = defects
        self._workspace = workspace
        self._log: DatasetProfile | None = None
        self._log_changes = 0
        self._taking_log = asyncio.Lock()
        self._imports: dict[str, set[asyncio.Event]] = {}
        self._certain: dict[str, DefectMapping | None] = {}  # by data set; slow to find

    @property
    def workspace(self) -> Workspace:
        """Every data set, whichever conversation it is in."""
        return self._workspace

    @contextmanager
    def importing(self, conversation: ConversationId) -> Iterator[None]:
        """Note that a file is being imported into a conversation: questions wait for it."""
        finished = asyncio.Event()
        running = self._imports.setdefault(conversation, set())
        running.add(finished)
        try:
            yield
        finally:
            running.discard(finished)
            finished.set()

    async def profiles_after_imports(
        self, conversation: ConversationId
    ) -> tuple[DatasetProfile, ...]:
        """Return `profiles` once every running import has succeeded or failed."""
        for finished in tuple(self._imports.get(conversation, ())):
            await finished.wait()
        return await self.profiles(conversation)

    async def profiles(self, conversation: ConversationId) -> tuple[DatasetProfile, ...]:
        """Return the data sets of a conversation under their names there, in the order of pinning.

        The defect log comes first, unless an imported file has its name.
        """
        pinned = []
        pins = () if agent_of_unstarted(conversation) else await self._datasets.pinned(conversation)
        for pin in pins:
            try:
                profile = await self._workspace.profile(pin.dataset_id)
            except UserError:
                continue  # its rows are not on this machine any more; the answers remain
            mapping = await self._mapping(profile)
            pinned.append(replace(profile, dataset=pin.name, defects=mapping))
        if all(profile.dataset != LOG for profile in pinned):
            pinned.insert(0, await self.log())
        return tuple([await self._with_readings(profile) for profile in pinned])

    async def log(self) -> DatasetProfile:
        """Return the station's defect log as a data set, with every defect so far."""
        async with self._taking_log:
            while self._log is None:
                changes = self._log_changes
                rows = await self._defects.log()
                held = await self._workspace.register(LOG_ID, LOG, rows)
                if changes == self._log_changes:  # else a defect was recorded after it was read
                    self._log = replace(held, file=LOG_FILE, defects=certain_mapping(held))
            return self._log

    def log_changed(self) -> None:
        """Discard the cached log, after a change to it."""
        self._log = None
        self._log_changes += 1

    async def _with_readings(self, profile: DatasetProfile) -> DatasetProfile:
        """Add to a data set the meanings of words that the person chose for its columns."""
        readings = await self._datasets.readings(each.name for each in profile.columns)
        return replace(profile, readings=readings) if readings else profile

    async def _mapping(self, profile: DatasetProfile) -> DefectMapping | None:
        """Return the confirmed mapping of a data set, or the only possible one."""
        confirmed = await self._defects.mapping(each.name for each in profile.columns)
        if confirmed is not None:
            return with_known_words(confirmed, frequent_words(profile, confirmed))
        if profile.id not in self._certain:
            self._certain[profile.id] = certain_mapping(profile)
        return self._certain[profile.id]

    async def query(
        self,
        context: ToolContext,
        sql: str,
        *,
        limit: int,
        about: DatasetProfile | None = None,
    ) -> Found:
        """Run one SELECT over the data sets of the conversation.

        `about` is the data set it is about, if the caller knows. Raises ToolError if the query
        cannot be run.
        """
        tables = {each.dataset: each.id for each in context.profiles}
        answer = await self._workspace.query(sql, tables, limit=limit)
        profile = about or _read(answer.read, sql, context.profiles)
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
                undefined=answer.undefined,
            ),
        )


REMEMBERED_CELLS = 2_000_000


class RememberedQueries:
    """Queries over a conversation's data sets whose last answers are kept.

    For a form: each change of it reads nearly the same rows again.
    """

    def __init__(self, datasets: ConversationDatasets) -> None:
        self._datasets = datasets
        self._answers: dict[object, Found] = {}  # the newest last

    async def profiles(self, conversation: ConversationId) -> tuple[DatasetProfile, ...]:
        """Return the data sets of a conversation."""
        return await self._datasets.profiles(conversation)

    async def query(
        self,
        context: ToolContext,
        sql: str,
        *,
        limit: int,
        about: DatasetProfile | None = None,
    ) -> Found:
        """Run one SELECT, or return what it gave before. Raises ToolError as it does."""
        tables = tuple((each.dataset, each.id, each.rows) for each in context.profiles)
        asked = (sql, limit, tables)
        found = self._answers.pop(asked, None)
        if found is None:
            found = await self._datasets.query(context, sql, limit=limit, about=about)
        self._answers[asked] = found
        while (
            len(self._answers) > 1 and sum(map(_cells, self._answers.values())) > REMEMBERED_CELLS
        ):
            del self._answers[next(iter(self._answers))]
        return found


def _cells(found: Found) -> int:
    return len(found.table.columns) * len(found.table.rows)


def find_dataset(context: ToolContext, name: str | None) -> DatasetProfile:
    """Return the data set called `name`, or the one imported last.

    Raises InputError if there is none.
    """
    if name is None:
        return context.profiles[-1]
    for profile in reversed(context.profiles):
        if name in (profile.dataset, profile.file):
            return profile
    names = ", ".join(quoted_name(profile.dataset) for profile in context.profiles)
    raise InputError(f"O conjunto {quoted_name(name)} não existe nesta conversa. Existem: {names}.")


def _read(name: str | None, sql: str, profiles: tuple[DatasetProfile, ...]) -> DatasetProfile:
    """Return the data set that a query names; of several, the one with the longest name."""
    lowered = sql.lower() if name is None else name.lower()
    named = [profile for profile in profiles if profile.dataset.lower() in lowered]
    return max(named, key=lambda profile: len(profile.dataset), default=profiles[-1])
