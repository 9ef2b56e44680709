"""Safety copies of the database: made whole or not at all, sealed, verified, listed, thinned out.

A copy is the one file `qhub.db`: conversations, defects, dashboards, settings. Data sets are
folders named by their content that nobody rewrites, so they need no copy to go back to; keys are in
the system's key store, and in no copy.
"""

# Why it is so: decisions/safety-copies.md

import asyncio
import logging
import re
import sqlite3
import threading
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args

from qhub_desktop.core.errors import UserError, data_folder_error, has_no_room
from qhub_desktop.core.keystore import proof_key
from qhub_desktop.core.paths import is_link, replace_file
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.copy_seal import doubt_of, is_sealed_here, seal, seal_problem
from qhub_desktop.store.schema import schema_problems

_log = logging.getLogger(__name__)

Output = TypeVar("Output")
Reason = Literal["daily", "manual", "version", "update", "restore", "repair"]

FOLDER = "backups"
PART = ".part"
COMPANIONS = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a file
_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(
    rf"qhub\.(?P<stamp>\d{{8}}T\d{{6}}Z)\.(?P<reason>{'|'.join(get_args(Reason))})"
    r"(?:-(?P<detail>.+))?\.db"
)
# As versions up to 0.3.0 named them, beside the database.
_FORMER_NAMES: tuple[tuple[re.Pattern[str], Reason], ...] = (
    (re.compile(r"qhub\.version-(?P<detail>\d+)\.db"), "version"),
    (re.compile(r"qhub\.before-(?P<detail>.+)\.db"), "update"),
)
PAGES = 2_000  # copied in one step, 8 MB: so soon a copy can be given up
_STEPS_BETWEEN_LOOKS = 20_000  # of SQLite's machine, some milliseconds
MOST_TOLD = 5  # differences in one sentence
ABANDONED_S = (
    3_600  # a draft that nobody has written to for so long is of a program that was killed
)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Backup:
    """A safety copy. It was verified before it got its name.

    `detail` is the schema's version before a migration, or the release before an update.
    """

    path: Path
    reason: Reason
    detail: str
    made: datetime
    size: int

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.path.name


# The one rule of what is kept: of the daily ones the newest of each of the last seven days and of
# the last four weeks that have any; of those before migrations, updates and restores the last three
# of each; those made by hand for ever.
KEPT_DAYS = 7
KEPT_WEEKS = 4
KEPT_OTHERS = 3


def superseded(backups: Iterable[Backup]) -> list[Backup]:
    """Return the copies that the rule above does not keep."""
    days: set[object] = set()
    weeks: set[object] = set()
    others: dict[Reason, int] = {}
    gone = []
    for each in sorted(backups, key=lambda each: each.made, reverse=True):
        if each.reason == "manual":
            continue
        if each.reason != "daily":
            others[each.reason] = others.get(each.reason, 0) + 1
            if others[each.reason] > KEPT_OTHERS:
                gone.append(each)
            continue
        here = each.made.astimezone()
        day, week = here.date(), here.isocalendar()[:2]
        is_days = day not in days and len(days) < KEPT_DAYS
        is_weeks = week not in weeks and len(weeks) < KEPT_WEEKS
        if is_days:
            days.add(day)
        if is_weeks:
            weeks.add(week)
        if not (is_days or is_weeks):
            gone.append(each)
    return gone


def folder_of(database: Path) -> Path:
    """Return the folder of a database's copies, which may not be there yet."""
    return database.parent / FOLDER


def listed(database: Path) -> list[Backup]:
    """List the copies of a database, the newest first; those of earlier versions, too.

    Raises OSError.
    """
    found = [*_in_folder(folder_of(database)), *_of_earlier_versions(database.parent)]
    return sorted(found, key=lambda each: (each.made, each.name), reverse=True)


def is_due(backups: Iterable[Backup], now: datetime) -> bool:
    """Return whether the last copy of any kind is older than a day."""
    made = [each.made for each in backups if each.made <= now]  # a clock may have been wrong
    return not made or now - max(made) >= DAY


def make(
    database: Path, reason: Reason, detail: str = "", *, stop: threading.Event | None = None
) -> Backup:
    """Make a verified copy in the folder of copies; the ones that it supersedes go.

    Others may write to the database meanwhile. Raises UserError, and leaves nothing behind, if no
    sound copy can be made; Stopped once `stop` is set.
    """
    try:
        _check_schema(database)
        return write_backup(database, reason, detail, stop=stop)
    except (OSError, *UNREADABLE) as error:
        raise copy_error(error, database, folder_of(database)) from error


def make_at(database: Path, target: Path) -> Backup:
    """Make a verified copy at a place of the person's, replacing a file there. Raises UserError."""
    try:
        _check_schema(database)
        copy_sealed(database, target)
        return Backup(target, "manual", "", datetime.now(UTC), target.stat().st_size)
    except (OSError, *UNREADABLE) as error:
        raise copy_error(error, database, target) from error


def _check_schema(database: Path) -> None:
    """Raise sqlite3.DatabaseError for a file whose copy could not be gone back to."""
    with closing(open_existing(database, mode="ro")) as db:
        if problem := _schema_problem(db):
            raise sqlite3.DatabaseError(problem)


def copy_error(error: Exception, database: Path, target: Path) -> UserError:
    """Return the error for a person: why there is no copy, and what to do."""
    if has_no_room(target if target.is_dir() else target.parent):
        sentence = _(
            "No safety copy of {path} was made: there is no room left on the disk of {target}. Free"
            " some, and try again."
        )
    elif isinstance(error, UNREADABLE) and not isinstance(error, sqlite3.OperationalError):
        sentence = _(
            "No safety copy of {path} was made, for it is damaged ({error}). The earlier copies"
            " were kept: go back to one in Settings, under Safety copies, or with qhub restore."
        )
    else:
        sentence = _(
            "No safety copy of {path} was made ({error}). Check that you may write to {target}, and"
            " try again."
        )
    return UserError(sentence.format(path=database, target=target, error=error))


def write_backup(
    database: Path, reason: Reason, detail: str = "", *, stop: threading.Event | None = None
) -> Backup:
    """Make a verified copy as `make` does. Raises OSError and sqlite3.Error."""
    folder = folder_of(database)
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    made = datetime.now(UTC).replace(microsecond=0)
    ending = f"{reason}-{detail}" if detail else reason
    while (copy := folder / f"qhub.{made:{_STAMP}}.{ending}.db").exists():
        made += timedelta(seconds=1)
    copy_sealed(database, copy, stop=stop)
    # Only now, with a sound one in their place.
    for each in superseded(listed(database)):
        with suppress(OSError):  # held by a scanner: it goes with the next copy
            each.path.unlink()
    return Backup(copy, reason, detail, made, copy.stat().st_size)


@dataclass(frozen=True, slots=True)
class Examined:
    """Result of examining a safety copy: it can be gone back to if there is no `problem`.

    `doubt` says why nobody can prove that it is as it was made, "" if this computer can.
    """

    problem: str
    doubt: str = ""


class Examiner:
    """Examines safety copies with this computer's key, for which it asks once. Blocks."""

    @cached_property
    def key(self) -> bytes | None:
        """Key of the proofs, None where there is none."""
        return proof_key()

    def examine(self, copy: Path) -> Examined:
        """Verify a copy: its schema first, before anything of it is run."""
        if problem := problem_of(copy):
            return Examined(problem)
        try:
            with closing(open_existing(copy, mode="ro")) as db:
                return Examined(seal_problem(db, self.key), doubt_of(db, self.key))
        except UNREADABLE as error:
            return Examined(str(error))

    def is_made_here(self, copy: Path) -> bool:
        """Return whether a copy has a proof of this computer's; what it holds is not looked at."""
        with suppress(*UNREADABLE), closing(open_existing(copy, mode="ro")) as db:
            return not schema_problems(db) and is_sealed_here(db, self.key)
        return False


FIRST_LOOK_S = 300.0  # after the start, which has other things to do
LOOK_S = 60.0
QUIET_S = 120.0  # nothing was written for so long: nobody waits for an answer
# A command lasts as long as the copy of most stations takes.
GRACE_S = 0.3  # that a command waits for the copy made beside it
LONG_DUE = timedelta(days=7)
LONG_DUE_GRACE_S = 60.0  # for a file so large that no command lasts as long as its copy
LONGEST_WAIT_S = 7_200.0  # for such a moment
AFTER_FAILURE_S = 3_600.0


class SafetyCopies:
    """Safety copies of one database, made and looked at on a thread of their own until closed."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._worker = Worker("safety copies")
        self._stop = threading.Event()
        self._examiner = Examiner()

    @property
    def folder(self) -> Path:
        """Folder of the copies, which may not be there yet."""
        return folder_of(self.database)

    async def listed(self) -> list[Backup]:
        """List the copies, the newest first. Raises UserError."""
        try:
            return await self._worker.run(listed, self.database)
        except OSError as error:
            raise data_folder_error(error, self.folder) from error

    async def examine(self, backup: Backup) -> Examined:
        """Verify a copy anew."""
        return await self._worker.run(self._examiner.examine, backup.path)

    async def run(self, work: Callable[[], Output]) -> Output:
        """Wait for other work on copies, on their thread."""
        return await self._worker.run(work)

    async def make(self, reason: Reason = "manual") -> Backup:
        """Make a verified copy. Raises UserError."""
        return await self._worker.run(make, self.database, reason, stop=self._stop)

    async def keep_daily(
        self,
        *,
        on_trouble: Callable[[UserError], object],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Make a copy whenever the last one is a day old, once nothing was written for a while.

        For as long as it is awaited; a failure is tried again every hour, and told once.
        """
        await sleep(FIRST_LOOK_S)
        waited_s, is_told = 0.0, False
        while True:
            pause_s = LOOK_S
            if is_due(await self.listed(), now()):
                if waited_s >= LONGEST_WAIT_S or await self._worker.run(self._is_quiet, now()):
                    waited_s = 0.0
                    try:
                        await self.make("daily")
                    except UserError as error:
                        pause_s = AFTER_FAILURE_S
                        if not is_told:
                            on_trouble(error)
                        is_told = True
                waited_s += pause_s
            await sleep(pause_s)

    @asynccontextmanager
    async def kept_beside(self) -> AsyncIterator[None]:
        """Make the day's copy, if it is due, beside the work of a program that is soon over.

        It is given up where the work would have to wait for it, and the next program tries again;
        after a week of such it is waited for. What keeps it from being made stands in the log.
        """
        looking = asyncio.ensure_future(self._worker.run(self._age))
        copying = asyncio.ensure_future(self._worker.run(self._make_if_due))
        try:
            yield
        finally:
            is_long_due = await looking >= LONG_DUE
            await asyncio.wait([copying], timeout=LONG_DUE_GRACE_S if is_long_due else GRACE_S)
            self._stop.set()
            await copying

    def _age(self) -> timedelta:
        """Return how long what is stored is without a copy."""
        try:
            begun, found = _first_use(self.database), listed(self.database)
        except (OSError, sqlite3.Error):  # said by whatever else needs the file
            return timedelta()
        now = datetime.now(UTC)
        if begun is None or not is_due(found, now):
            return timedelta()
        return now - max((each.made for each in found if each.made <= now), default=begun)

    def _make_if_due(self) -> None:
        try:
            if self._age() >= DAY:
                make(self.database, "daily", stop=self._stop)
        except Stopped:
            _log.info("no safety copy was made: it would have taken too long")
        except UserError as error:
            _log.warning("no safety copy was made: %s", error)

    def close(self) -> None:
        """Give up the copy that is being made, and end the thread."""
        self._stop.set()
        self._worker.close()

    def _is_quiet(self, now: datetime) -> bool:
        written = 0.0
        for file in (self.database, self.database.with_name(f"{self.database.name}-wal")):
            with suppress(OSError):
                written = max(written, file.stat().st_mtime)
        return now.timestamp() - written >= QUIET_S


def _first_use(database: Path) -> datetime | None:
    """Return when something was first kept, None if nothing was."""
    with closing(open_existing(database, mode="ro")) as db:
        (moment,) = db.execute(
            """SELECT min(moment) FROM (SELECT min(created) AS moment FROM conversations
                UNION ALL SELECT min(at) FROM audit)"""
        ).fetchone()
    return None if moment is None else datetime.fromtimestamp(moment / 1_000_000, UTC)


class Stopped(Exception):  # noqa: N818  nothing went wrong
    """The copy is no longer wanted: the program ends."""


def copy_sealed(database: Path, copy: Path, *, stop: threading.Event | None = None) -> None:
    """Copy a database as `copy_checked` does, and seal the copy."""
    key = proof_key(is_made=True)
    copy_checked(database, copy, stop=stop, finish=lambda target: seal(target, key))


def copy_checked(
    database: Path,
    copy: Path,
    *,
    stop: threading.Event | None = None,
    finish: Callable[[sqlite3.Connection], object] = lambda _target: None,
) -> None:
    """Copy a database that others may write to meanwhile; the copy is whole, or not there.

    It has no companions, passes SQLite's own checks, and has as many rows in every table as the
    database had at that moment; `finish` is the last to write to it. Raises OSError, sqlite3.Error,
    and Stopped.
    """
    part = copy.with_name(f"{copy.stem}.{uuid.uuid4().hex[:8]}{PART}")

    def on_step(_status: int, _left: int, _total: int) -> None:
        if stop is not None and stop.is_set():
            raise Stopped

    try:
        part.touch(exist_ok=False)  # a folder that cannot be written to says so by its name
        with (
            closing(open_existing(database, mode="rw")) as source,
            closing(open_existing(part, mode="rw")) as target,
        ):
            if stop is not None:  # the checks take longer than the copy
                for db in (source, target):
                    db.set_progress_handler(stop.is_set, _STEPS_BETWEEN_LOOKS)
            # One moment for the counts and the copy: others' later writes are in neither.
            source.execute("BEGIN")
            counts = row_counts(source)
            source.backup(target, pages=PAGES, progress=on_step)
            source.execute("ROLLBACK")
            target.execute("PRAGMA journal_mode = DELETE")
            on_step(0, 0, 0)
            if problem := _problem(target) or _difference(counts, row_counts(target)):
                raise sqlite3.DatabaseError(problem)
            finish(target)
        replace_file(part, copy)
    except sqlite3.OperationalError as error:
        if stop is not None and stop.is_set():
            raise Stopped from error
        raise
    finally:
        for name in (part, *(part.with_name(part.name + each) for each in COMPANIONS)):
            with suppress(OSError):
                name.unlink()


def label_of(reason: Reason) -> str:
    """Return in words what a copy was made for."""
    match reason:
        case "daily":
            return _("daily")
        case "manual":
            return _("made by hand")
        case "version":
            return _("before upgrading")
        case "update":
            return _("before an update")
        case "restore":
            return _("before going back")
        case "repair":
            return _("before a repair")


def problem_of(database: Path) -> str:
    """Return what is wrong with a database file, "" if it is sound. It is only read."""
    try:
        if not database.is_file():
            return _("it is not there")
        with closing(open_existing(database, mode="ro")) as db:
            if not db.execute(
                "SELECT 1 FROM sqlite_schema WHERE name = 'conversations'"
            ).fetchone():
                return _("it holds no conversations of QHub")
            return _schema_problem(db) or _problem(db)
    except UNREADABLE as error:
        return str(error)


def row_counts(db: sqlite3.Connection) -> dict[str, int]:
    """Count the rows of every table; the search indexes are made of them."""
    return {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables(db)}


def tables(db: sqlite3.Connection) -> list[str]:
    """List the tables, without SQLite's own and the parts of search indexes."""
    listed = db.execute("PRAGMA table_list").fetchall()
    return sorted(
        name
        for schema, name, kind, *_more in listed
        if schema == "main" and kind == "table" and not name.startswith("sqlite_")
    )


def _in_folder(folder: Path) -> Iterator[Backup]:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if (match := _NAME.fullmatch(path.name)) and not is_link(path):
            with suppress(ValueError, OSError):  # no such day, or gone by now
                made = datetime.strptime(match["stamp"], _STAMP).replace(tzinfo=UTC)
                reason = cast("Reason", match["reason"])
                yield Backup(path, reason, match["detail"] or "", made, path.stat().st_size)


def _of_earlier_versions(folder: Path) -> Iterator[Backup]:
    for path in folder.glob("qhub.*-*.db"):
        for name, reason in _FORMER_NAMES:
            if (match := name.fullmatch(path.name)) and not is_link(path):
                with suppress(OSError):
                    seen = path.stat()
                    made = datetime.fromtimestamp(seen.st_mtime, UTC)
                    yield Backup(path, reason, match["detail"], made, seen.st_size)


def _sweep(folder: Path) -> None:
    """Delete the drafts of programs that were killed."""
    for draft in folder.glob(f"qhub.*{PART}*"):
        with suppress(OSError):  # in use, or gone
            if time.time() - draft.stat().st_mtime > ABANDONED_S:
                draft.unlink()


def _problem(db: sqlite3.Connection) -> str:
    verdict: str = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    return "" if verdict == "ok" else " ".join(verdict.split())


def _schema_problem(db: sqlite3.Connection) -> str:
    if problems := schema_problems(db):
        return "; ".join(problems[:MOST_TOLD])
    orphan = db.execute("PRAGMA foreign_key_check").fetchone()
    return "" if orphan is None else f"a row of {orphan[0]} refers to nothing"


def _difference(before: dict[str, int], after: dict[str, int]) -> str:
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            return f"{name} has {after.get(name)} rows, not {before.get(name)}"
    return ""
