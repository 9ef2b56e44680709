"""Monitors: judge what is new in data sets, the log and folders by frozen limits.

What a monitor knows stands in the store in one piece with the violations: whoever is killed between
two inputs goes on with the second, and two programs never judge the same one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import LOG_ID, DatasetProfile
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.monitor import (
    FoundViolation,
    Monitor,
    Violation,
    Watched,
    WatchedInput,
)
from qhub_desktop.core.paths import long_path
from qhub_desktop.core.processes.threads import PatientWorker, SignOfLife, SilentError, Worker
from qhub_desktop.core.study import PointNote, Study
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.untrusted_files import check_regular, open_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.conversation_datasets import ConversationDatasets

if TYPE_CHECKING:
    from qhub_desktop.store.monitors import MonitorRepository
    from qhub_desktop.tools.studies import StudyTools
    from qhub_desktop.tools.studies.judging import Judged

PAUSE = timedelta(minutes=1)  # before data that could not be judged are tried again
LOOK_S = 10.0  # between two looks at what is watched
METHOD = "carta_controlo"
KEPT_ROWS = 50  # of those behind a violation
DETAILED = 20  # violations of one input whose rows are kept
SUFFIXES = (".xlsx", ".csv")
QUIET_S = 5.0  # a file that has not changed for so long is written to its end
SILENCE_S = 20.0
READ_S = 600.0  # a file of a share that hangs keeps no other monitor waiting for longer
FIRST_RETRY_S, LAST_RETRY_S = 30.0, 3600.0
_OF_ONE_RUN = ("ewma", "cusum")  # each point holds all before it
Listener = Callable[[Sequence[Violation]], None]


# --- folders that may be far away: a share hangs, files grow --------------------------------------


@dataclass(frozen=True, slots=True)
class FolderFile:
    """One state of a file in a folder."""

    name: str
    size: int
    changed_ns: int

    @property
    def key(self) -> str:
        """Its name as it is stored and shown: that of a file need not be text."""
        return sanitize(self.name)

    @property
    def state(self) -> str:
        """Words that change with the file."""
        return f"{self.size}:{self.changed_ns}"


class FolderWatch:
    """Watch on one folder, asked again and again; what does not change for a while is ready.

    `clock` counts seconds: the times of a share are another computer's.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self._clock = clock
        self._looking = PatientWorker("watched folder", silence_s=SILENCE_S)
        self._since: dict[str, tuple[str, float]] = {}
        self._retries: dict[str, tuple[str, float, float]] = {}  # state, when again, after how long

    @property
    def silent(self) -> UserError:
        """What is told where the folder does not answer."""
        return UserError(
            _("The folder {folder} does not answer. It is tried again.").format(
                folder=sanitize(str(self.folder))
            )
        )

    async def is_locked(self, file: FolderFile) -> bool:
        """Return whether another program, as Excel, keeps a file to itself. Raises UserError.

        Asked of what is about to be read alone: whoever opens every file of a folder again and
        again is in the way of those who write there.
        """
        path = long_path(self.folder / file.name)
        try:
            return await self._looking.run(lambda _life: _is_locked(path))
        except SilentError as error:
            raise self.silent from error

    async def files(self) -> list[FolderFile]:
        """Return the files, the first changed first. Raises UserError if the folder is away."""
        try:
            return await self._looking.run(self._list)
        except SilentError as error:
            raise self.silent from error
        except OSError as error:
            raise UserError(
                _(
                    "The folder {folder} cannot be read now. It is tried again; check that it is"
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
        for path in long_path(self.folder).iterdir():
            life.beat()
            if path.suffix.lower() not in SUFFIXES or path.name.startswith(("~$", ".")):
                continue  # what Excel and copying programs put beside a file while it is open
            try:
                check_regular(path)
                about = path.stat()
            except OSError:
                continue  # no file, gone meanwhile, or not ours to see
            found.append(FolderFile(path.name, about.st_size, about.st_mtime_ns))
        return sorted(found, key=lambda file: (file.changed_ns, file.name))


def _is_locked(path: Path) -> bool:
    try:
        with open_regular(path) as opened:  # which lets others move and delete it meanwhile
            opened.read(1)
    except FileNotFoundError:
        return False  # gone, which its reader tells
    except OSError:
        return True
    return False


# --- at work --------------------------------------------------------------------------------------


class Monitors:
    """The monitors of this station. `clock` tells the time of the place."""

    def __init__(
        self,
        store: MonitorRepository,
        methods: StudyTools,
        datasets: ConversationDatasets,
        *,
        user: str,
        clock: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self._store = store
        self._methods = methods
        self._datasets = datasets
        self._workspace = datasets.workspace
        self._user = user
        self._clock = clock
        self._judging = Worker("monitors")
        self._folders: dict[int, FolderWatch] = {}
        self._profiles: dict[str, DatasetProfile | None] = {}
        self._pauses: dict[tuple[int, WatchedInput], datetime] = {}  # what failed, until when
        self._looking = asyncio.Lock()

    def close(self) -> None:
        """Shut down the thread."""
        self._judging.close()

    async def create(
        self,
        conversation: ConversationId,
        study: Study,
        *,
        subject: str,
        folder: Path | None = None,
        title: str = "",
    ) -> Monitor:
        """Watch the data of a control chart, or a folder, with the limits that the chart has now.

        The points of the chart are known; so is what lies in the folder. Raises UserError if the
        study is no control chart with limits, or its data are gone.
        """
        source, given = study.source, dict(study.arguments or {})
        if study.method != METHOD or source is None:
            raise UserError(_("Only a control chart can be watched. Draw one, and try again."))
        kind = "dataset"
        if folder is not None:
            kind = "folder"
        elif await self._is_log(conversation, source.dataset):
            kind = "log"
        watched = Watched(
            kind,  # type: ignore[arg-type]  # one of the three
            conversation,
            source.dataset,
            source.file,
            source.sheet,
            "" if folder is None else str(folder),
        )
        context = await self._context(watched, None)
        computed = await self._methods.compute(METHOD, context, given)
        from qhub_desktop.tools.studies.judging import frozen_arguments, points_of

        arguments = frozen_arguments(given, computed, dataset=source.dataset)
        if folder is not None and arguments["tipo"] in _OF_ONE_RUN:
            raise UserError(
                _(
                    "Each point of this chart depends on all before it: it can watch a data set,"
                    " but not the files of a folder. Watch the data set, or draw another chart."
                )
            )
        inputs = await self._present(watched)
        points = [] if folder is not None else await self._judging.run(points_of, computed)
        monitor = Monitor(
            0, title or study.title, subject, arguments, watched, self._user, self._clock()
        )
        return await self._store.create(monitor, inputs, points)

    async def _is_log(self, conversation: ConversationId, dataset: str) -> bool:
        """Return whether a data set is the station's log: a file may have its name."""
        found = await self._datasets.profiles(conversation)
        return any(each.dataset == dataset and each.id == LOG_ID for each in found)

    async def run(self, on_found: Listener) -> None:
        """Look again and again; `on_found` hears of violations, which are stored by then."""
        while True:
            with suppress(QHubError):  # the disk is busy or full: the next look will tell
                if found := await self.look():
                    on_found(found)
            await asyncio.sleep(LOOK_S)

    async def answer(self, violation: Violation, *, cause: str, action: str) -> Violation:
        """Note cause and action, in the name of whoever uses the program. Raises UserError."""
        note = PointNote(violation.found.label, cause, action, self._user, self._clock())
        return await self._store.answer(violation.id, note)

    async def look(self) -> list[Violation]:
        """Judge what is new for every monitor, and return the violations.

        What cannot be judged is told at its monitor, and tried again.
        """
        found: list[Violation] = []
        async with self._looking:
            for monitor in await self._store.listed():
                if monitor.is_stopped:
                    continue
                if monitor.watched.kind == "folder":
                    found += await self._look_in_folder(monitor)
                else:
                    found += await self._look_at_data(monitor)
        return found

    # --- what there is --------------------------------------------------------------------------

    async def _present(self, watched: Watched) -> list[WatchedInput]:
        """Return what is there now, and known with the chart."""
        if watched.kind == "folder":
            files = await FolderWatch(Path(watched.folder)).files()
            return [WatchedInput(file.key, file.state) for file in files]
        return [WatchedInput(profile.id, state) for profile, state in await self._versions(watched)]

    async def _versions(self, watched: Watched) -> list[tuple[DatasetProfile, str]]:
        """Return every data set that is a version of the watched one, and its state."""
        if watched.kind == "log":
            self._datasets.log_changed()  # another program may have added to it
            state = f"{await self._store.state_of_log()} {self._clock().date().isoformat()}"
            return [(await self._datasets.log(), state)]
        found: dict[str, DatasetProfile] = {}
        for dataset_id in await self._store.dataset_ids():
            profile = await self._profile(dataset_id)
            if profile is not None and (profile.file, profile.sheet) == (
                watched.file,
                watched.sheet,
            ):
                found[profile.id] = profile
        with suppress(UserError):  # the conversation may be gone
            for profile in await self._datasets.profiles(watched.conversation):
                if profile.dataset == watched.dataset:
                    found[profile.id] = profile
        return [(profile, str(profile.rows)) for profile in found.values()]

    async def _profile(self, dataset_id: str) -> DatasetProfile | None:
        if dataset_id not in self._profiles:
            try:
                self._profiles[dataset_id] = await self._workspace.profile(dataset_id)
            except UserError:
                self._profiles[dataset_id] = None
        return self._profiles[dataset_id]

    # --- looking --------------------------------------------------------------------------------

    async def _look_at_data(self, monitor: Monitor) -> list[Violation]:
        found: list[Violation] = []
        try:
            known = {each.key: each for each in await self._store.inputs(monitor.id)}
            for profile, state in await self._versions(monitor.watched):
                before = known.get(profile.id)
                if before is not None and before.state == state and not before.problem:
                    continue
                now = WatchedInput(profile.id, state)
                if self._pauses.get((monitor.id, now), self._clock()) > self._clock():
                    continue
                try:
                    found += await self._judge(monitor, profile, before, now, stream="")
                except QHubError as error:
                    if before != replace(now, problem=str(error)):
                        await self._store.note_problem(monitor.id, replace(now, problem=str(error)))
        except QHubError as error:
            await self._tell(monitor, error)
        return found

    async def _look_in_folder(self, monitor: Monitor) -> list[Violation]:
        watch = self._folders.setdefault(monitor.id, FolderWatch(Path(monitor.watched.folder)))
        found: list[Violation] = []
        known = {each.key: each for each in await self._store.inputs(monitor.id)}
        try:
            files = await watch.files()
        except UserError as error:
            await self._tell(monitor, error)
            return found
        if "" in known:
            await self._store.note_problem(monitor.id, WatchedInput("", ""))
        unjudged = [file for file in files if _is_new(file, known.get(file.key))]
        for file in watch.ready(unjudged):
            before, now = known.get(file.key), WatchedInput(file.key, file.state)
            try:
                if await watch.is_locked(file):
                    raise UserError(
                        _(
                            "{file} is open in another program, as Excel. It is tried again; close"
                            " it there if this lasts."
                        ).format(file=file.key)
                    )
                try:
                    async with asyncio.timeout(READ_S):
                        profile = await self._read(monitor, file)
                except TimeoutError as error:
                    raise watch.silent from error
                found += await self._judge(monitor, profile, before, now, stream=file.key)
            except QHubError as error:
                watch.failed(file)
                problem = replace(now, problem=str(error))
                if problem != before:
                    await self._store.note_problem(monitor.id, problem)
        return found

    async def _read(self, monitor: Monitor, file: FolderFile) -> DatasetProfile:
        """Read a file of a folder: the sheet that is watched, else the largest."""
        read = await self._workspace.load(Path(monitor.watched.folder) / file.name)
        named = [each for each in read if each.sheet == monitor.watched.sheet]
        return (named or [*read])[0]

    async def _tell(self, monitor: Monitor, error: QHubError) -> None:
        with suppress(QHubError):  # the disk is full: the next look will tell
            await self._store.note_problem(monitor.id, WatchedInput("", "", str(error)))

    # --- judging --------------------------------------------------------------------------------

    async def _judge(
        self,
        monitor: Monitor,
        profile: DatasetProfile,
        before: WatchedInput | None,
        now: WatchedInput,
        *,
        stream: str,
    ) -> Sequence[Violation]:
        """Judge what is new in an input, and store it. Raises QHubError if that cannot be."""
        context = await self._context(monitor.watched, profile)
        computed = await self._methods.compute(METHOD, context, monitor.arguments)
        from qhub_desktop.tools.studies.judging import judge

        judged = await self._judging.run(
            judge,
            computed,
            monitor.arguments,
            await self._store.points(monitor.id, stream),
            await self._store.tail(monitor.id, stream, 40) if stream else (),
            prefix=Path(stream).stem,
            open_from=self._begun(monitor.arguments),
        )
        found = await self._with_rows(context, computed.study, judged)
        return await self._store.record(monitor.id, before, now, stream, judged.points, found)

    async def _with_rows(
        self, context: ToolContext, study: Study, judged: Judged
    ) -> list[FoundViolation]:
        """Add to violations the rows behind them, as they are now; to the first ones of many."""
        found: list[FoundViolation] = []
        for at, violation in judged.found:
            rows: Table | None = None
            if len(found) < DETAILED:
                with suppress(QHubError):  # the violation counts, with its rows or without
                    sql = await self._methods.rows_behind(context, study, at)
                    rows = (await self._datasets.query(context, sql, limit=KEPT_ROWS)).table
            found.append(replace(violation, rows=rows))
        return found

    def _begun(self, arguments: JsonObject) -> date | None:
        """Return the production day that is not over; None where points are no periods."""
        if arguments.get("periodo") is None and arguments.get("coluna") is not None:
            return None
        from qhub_desktop.tools.studies.selection import WorkingTime

        given = cast("dict[str, Any]", arguments)
        time = WorkingTime.of(given.get("inicio_dia"), given.get("turnos"))
        return (self._clock() - timedelta(minutes=time.day_start)).date()

    async def _context(self, watched: Watched, profile: DatasetProfile | None) -> ToolContext:
        """Return where a study is computed: the conversation's data sets, one of them replaced."""
        others: tuple[DatasetProfile, ...] = ()
        with suppress(UserError):  # a deleted conversation takes no monitor with it
            others = await self._datasets.profiles(watched.conversation)
        if profile is None:
            if not others:
                raise UserError(
                    _("The data of this chart are no longer there. Drop the file again.")
                )
            return ToolContext(watched.conversation, others)
        if profile.id == LOG_ID:
            return ToolContext(watched.conversation, others or (profile,))
        same = next((each for each in others if each.dataset == watched.dataset), None)
        named = replace(
            profile,
            dataset=watched.dataset,
            defects=profile.defects or (same.defects if same is not None else None),
        )
        kept = (each for each in others if each.dataset != watched.dataset)
        return ToolContext(watched.conversation, (*kept, named))


def _is_new(file: FolderFile, known: WatchedInput | None) -> bool:
    return known is None or known.state != file.state or bool(known.problem)
