"""The one SQLite file: open on a thread of its own, shared safely between processes.

A file that is out there is only ever migrated: a verified copy first, then all steps or none.
"""

import json
import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from qhub_desktop.core import clock, codec
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import DamagedStoreError, UserError, has_no_room
from qhub_desktop.core.paths import hold_folder
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import MalformedContentError, parse_json
from qhub_desktop.store.audit import is_altered, last_entry
from qhub_desktop.store.audit_head import KeyStoreHead, announce, settle
from qhub_desktop.store.backups import write_backup
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.copy_seal import unseal
from qhub_desktop.store.migrations import MIGRATIONS, Migration, version_of

if TYPE_CHECKING:
    from qhub_desktop.core.person import Person

PATIENCE_S = 5.0

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")


class Database:
    """An open file and the thread that owns it, until closed.

    Several programs may have the same file open. What was awaited is on the disk.
    """

    def __init__(
        self,
        path: Path,
        *,
        fill: Callable[[sqlite3.Connection], None],
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        """Open the file as `open_connection` does. Blocks; raises UserError like it."""
        self.path = path
        self.is_suspect = False  # damage was met: the next start is to look at the file
        # Who uses the program, as they signed in: for what they may do (`store.rights`), for whose
        # conversations are theirs, and for the audit log.
        self.person: Person | None = None
        self.owner: int | None = 0
        self.agents: Collection[str] | None = None
        self.actor = ""
        self.head: KeyStoreHead | None = None  # of the audit log, where a key store keeps it too
        self._worker = Worker("store")
        with ExitStack() as undo:
            undo.callback(self._worker.close)
            self._db = self._worker.run_now(open_connection, path, fill=fill, migrations=migrations)
            undo.pop_all()

    async def run(self, work: Callable[[sqlite3.Connection], Output]) -> Output:
        """Wait for work on the database. Raises UserError if the disk or the file is at fault."""
        return await self._worker.run(self._run_translated, work)

    def run_now(self, work: Callable[[sqlite3.Connection], Output]) -> Output:
        """Block until the work is done, for start-up. Raises UserError like `run`."""
        return self._worker.run_now(self._run_translated, work)

    def close(self) -> None:
        """Let what was asked be written, then let go of the file."""
        self._worker.run_now(lambda: None)
        if self.head is not None:
            self.head.close()
        self._worker.run_now(self._db.close)
        self._worker.close()

    def _run_translated(self, work: Callable[[sqlite3.Connection], Output]) -> Output:
        changes = self._db.total_changes
        try:
            with errors_as_user_errors(self.path):
                output = work(self._db)
        except DamagedStoreError:
            self.is_suspect = True
            raise
        if self.head is not None and self._db.total_changes != changes:
            with suppress(sqlite3.Error):  # what was done is stored: the next entry is followed
                self.head.follow(last_entry(self._db))
        return output


class Repository:
    """Everything stored about one subject: its SQL, run on the database's thread.

    A method that `reads` or `writes` is written as plain work on a connection, and awaited without
    one.
    """

    def __init__(self, database: Database) -> None:
        self.database = database


Subject = TypeVar("Subject", bound=Repository)


def reads(
    work: Callable[Concatenate[Subject, sqlite3.Connection, Inputs], Output],
) -> Callable[Concatenate[Subject, Inputs], Coroutine[Any, Any, Output]]:
    """Make a method that reads a connection one that is awaited."""

    @wraps(work)
    async def method(subject: Subject, /, *args: Inputs.args, **kwargs: Inputs.kwargs) -> Output:
        return await subject.database.run(lambda db: work(subject, db, *args, **kwargs))

    return method


def reads_now(
    work: Callable[Concatenate[Subject, sqlite3.Connection, Inputs], Output],
) -> Callable[Concatenate[Subject, Inputs], Output]:
    """Make a method that reads a connection one that blocks, for start-up."""

    @wraps(work)
    def method(subject: Subject, /, *args: Inputs.args, **kwargs: Inputs.kwargs) -> Output:
        return subject.database.run_now(lambda db: work(subject, db, *args, **kwargs))

    return method


def writes(
    work: Callable[Concatenate[Subject, sqlite3.Connection, Inputs], Output],
) -> Callable[Concatenate[Subject, Inputs], Coroutine[Any, Any, Output]]:
    """Make a method that writes to a connection one that is awaited: all of it is kept, or none."""

    @wraps(work)
    async def method(subject: Subject, /, *args: Inputs.args, **kwargs: Inputs.kwargs) -> Output:
        def in_transaction(db: sqlite3.Connection) -> Output:
            with transaction(db):
                return work(subject, db, *args, **kwargs)

        return await subject.database.run(in_transaction)

    return method


def connect(path: Path, *, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """Connect with explicit transactions only, waiting that long for other writers."""
    return sqlite3.connect(path, timeout=patience_s, isolation_level=None)


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Store everything inside together, or not at all.

    What it adds to the audit log is kept outside, too: raises UserError if that cannot be.
    """
    # Immediate: a transaction that reads first and writes later cannot wait for another writer.
    db.execute("BEGIN IMMEDIATE")
    try:
        before = last_entry(db)
        yield
        is_announced = announce(db, before)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    if is_announced:
        settle(db)


@contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Read everything inside as it is at one moment."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")


_MARK = "open-"  # begins the name of a folder that stands while a program has the file open
_HOLD_S = 1.0


class OpenMark:
    """Mark in the data folder that a program has the store open, held by a lock of the system.

    A mark that nobody holds any more is of a program that did not come to its end. Nothing is ever
    refused for want of a mark: on a full disk there is none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = tuple(_left_marks(folder))
        self._mark: Path | None = folder / f"{_MARK}{secrets.token_hex(6)}"
        self._held: int | None = None
        with suppress(OSError):
            self.hold()

    def hold(self) -> str:
        """Return the name of this program's mark, made and held where it is not.

        Raises OSError if it cannot be, as on a full disk.
        """
        assert self._mark is not None
        if not self._mark.exists():
            self._release()
            self._mark.mkdir()
        deadline = time.monotonic() + _HOLD_S
        while self._held is None:
            self._held = hold_folder(self._mark)
            if self._held is None:  # another program looks at it just now
                if time.monotonic() > deadline:
                    raise TimeoutError(self._mark.name)
                time.sleep(0.01)
        return self._mark.name

    def living(self, names: Collection[str]) -> list[str]:
        """Return which of these marks are held: their programs live."""
        return [m.name for m in _marks(self._folder) if m.name in names and _is_held(m)]

    @property
    def was_interrupted(self) -> bool:
        """Whether the last close was none: the file has to be looked at."""
        return bool(self._left)

    def forget_interruption(self) -> None:
        """Note that the file was looked at, and found sound."""
        for mark in self._left:
            if not _is_held(mark):  # as it was just being made when it was looked at
                shutil.rmtree(mark, ignore_errors=True)
        self._left = ()

    def has_others(self) -> bool:
        """Return whether another program has the store open."""
        return any(mark != self._mark and _is_held(mark) for mark in _marks(self._folder))

    def close(self, *, is_suspect: bool = False) -> None:
        """Take the mark away, unless the next start is to look at the file."""
        self._release()
        if self._mark is not None and not is_suspect:
            shutil.rmtree(self._mark, ignore_errors=True)
        self._mark = None

    def _release(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None


def _marks(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.glob(f"{_MARK}*"))
    return []


def _is_held(mark: Path) -> bool:
    with suppress(OSError):  # gone by now
        held = hold_folder(mark)
        if held is None:
            return True
        os.close(held)
    return False


def _left_marks(folder: Path) -> Iterator[Path]:
    return (mark for mark in _marks(folder) if not _is_held(mark))


def quick_problem(path: Path) -> str:
    """Return what a quick look finds wrong with the pages of a database, "" if nothing.

    Others may write to it meanwhile. It reads the file once: 0.2 s for 230 MB.
    """
    try:
        with closing(open_existing(path, mode="rw")) as db:
            verdict: str = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError:  # busy, full, gone: nothing is known of its pages
        return ""
    except UNREADABLE as error:
        return str(error)
    return "" if verdict == "ok" else " ".join(verdict.split())


def now_us() -> int:
    """Return the current moment as it is stored: microseconds since 1970 in UTC.

    Raises UserError where the clock cannot be read.
    """
    if not clock.is_readable():
        raise UserError(clock.unreadable())
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def as_us(moment: datetime) -> int:
    """Convert a moment to how it is stored, to the microsecond."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def from_us(stored: int) -> datetime:
    """Convert a stored moment to the person's own clock."""
    return datetime.fromtimestamp(stored / 1_000_000, UTC).astimezone()


def open_connection(
    path: Path,
    *,
    fill: Callable[[sqlite3.Connection], None],
    migrations: Sequence[Migration] = MIGRATIONS,
) -> sqlite3.Connection:
    """Open the file at `path`, made and brought up to date if needed.

    A new file gets `fill` in the transaction that makes it. Raises UserError, and leaves the file
    as it was, when it is damaged, cannot be migrated, or was written by a newer program.
    """
    with errors_as_user_errors(path), ExitStack() as undo:
        db = connect(path)
        undo.callback(db.close)
        version = version_of(db)
        if version > len(migrations):
            raise UserError(
                _(
                    "{path} was written by a newer version of QHub. Install that version here too;"
                    " nothing was changed."
                ).format(path=path)
            )
        share(db)
        # A migration may rebuild a table that others refer to.
        db.execute("PRAGMA foreign_keys = OFF")
        if version < len(migrations):
            with transaction(db):
                _migrate(db, path, migrations, fill=fill)
        db.execute("PRAGMA foreign_keys = ON")
        unseal(db)  # a copy that somebody has put here is none any more
        undo.pop_all()
        return db


def _migrate(
    db: sqlite3.Connection,
    path: Path,
    migrations: Sequence[Migration],
    *,
    fill: Callable[[sqlite3.Connection], None],
) -> None:
    """Take the file through every migration it has not seen; give a new one its `fill`.

    Inside a transaction, so that nobody else writes: another program may have been quicker. Raises
    UserError, and changes nothing, if the file is not ours, has no room for a copy, or resists.
    """
    version = version_of(db)
    if version >= len(migrations):
        return
    if version == 0:
        _create(db, path, migrations)
        fill(db)
    else:
        _upgrade(db, path, migrations[version:], copy=_back_up(path, version))
    db.execute(f"PRAGMA user_version = {len(migrations)}")


def _back_up(path: Path, version: int) -> Path:
    """Make a checked copy of a version's file. Raises UserError if no sound one can be made."""
    try:
        return write_backup(path, "version", str(version)).path
    except (OSError, *UNREADABLE) as error:
        raise UserError(
            _(
                "QHub cannot be brought up to date: no sound copy of {path} could be made"
                " ({error}). Nothing was changed. Free some disk space and start again, or go on"
                " with the earlier version."
            ).format(path=path, error=error)
        ) from error


def _create(db: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    if db.execute("SELECT 1 FROM sqlite_schema").fetchone():
        raise UserError(
            _(
                "{path} belongs to another program. Move it to another folder, and start again;"
                " nothing was changed."
            ).format(path=path)
        )
    for step in migrations:
        step(db)


def _upgrade(
    db: sqlite3.Connection, path: Path, migrations: Sequence[Migration], *, copy: Path
) -> None:
    try:
        for step in migrations:
            step(db)
        if orphan := db.execute("PRAGMA foreign_key_check").fetchone():
            raise sqlite3.IntegrityError(f"a row of {orphan[0]} refers to nothing")
    except sqlite3.Error as error:
        raise UserError(
            _(
                "{path} could not be brought up to date ({error}). Nothing was changed, and a copy"
                " is in {copy}. Go on with the earlier version, and send us this message."
            ).format(path=path, error=error, copy=copy.name)
        ) from error


@contextmanager
def errors_as_user_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's failures that a person can do something about as UserError."""
    try:
        yield
    # Of a damaged file; what Python says of a text that it cannot decode quotes the file.
    except (UnicodeDecodeError, MalformedContentError) as error:
        raise DamagedStoreError(damaged().format(path=path), path=path) from error
    except sqlite3.Error as error:
        is_undecodable = "decode to UTF-8" in str(error)  # Python's own, without a code
        if is_undecodable or _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise DamagedStoreError(damaged().format(path=path), path=path) from error
        if is_altered(error):
            raise DamagedStoreError(
                _(
                    "{path} was changed outside QHub ({problem}). Go back to a safety copy, on the"
                    " command line with qhub restore, and find out who can write to its folder."
                ).format(path=path, problem=error),
                path=path,
            ) from error
        if sentence := _sentence(error, path):
            raise UserError(sentence.format(path=path)) from error
        raise


def share(db: sqlite3.Connection) -> None:
    """Let one process write while others read, with every commit on the disk."""
    # With NORMAL, WAL loses the last commits when the power fails
    # (https://sqlite.org/pragma.html#pragma_synchronous): what was awaited must be on the disk.
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA cache_size = -16000")
    db.execute("PRAGMA secure_delete = ON")  # what was deleted is in no free page
    db.execute("PRAGMA journal_size_limit = 16000000")
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # Two programs that open a new file together: SQLite's own patience does not cover
            # the change of mode (https://sqlite.org/wal.html#activating_and_configuring_wal_mode).
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def _code(error: sqlite3.Error) -> int:
    # Python's own complaints carry no code of SQLite's; the low byte is the kind of the failure.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _sentence(error: sqlite3.Error, path: Path) -> str:
    full = _("There is no room left on the disk of {path}. Free some, and try again.")
    match _code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return _("Another QHub program is busy with {path}. Wait a moment, and try again.")
        case sqlite3.SQLITE_FULL:
            return full
        # On a full disk, SQLite cannot extend the file that programs share.
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN if has_no_room(path.parent):
            return full
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return _(
                "{path} cannot be opened for writing. Check that its folder is there, and that"
                " you may write to it."
            )
        case sqlite3.SQLITE_IOERR:
            return _("The disk of {path} did not answer. Check the disk, and try again.")
        case _:
            return ""


def damaged() -> str:
    """Return the sentence for a damaged file, with a place for its `path`."""
    return _(
        "{path} is damaged, and was left as it is. Close QHub and start it again: the window offers"
        " to repair it from the newest safety copy. On the command line: qhub restore"
    )


Value = TypeVar("Value")


def packed(value: object) -> tuple[int, str]:
    """Pack a value: the packing's version, and its JSON."""
    data = json.dumps(codec.pack(value), ensure_ascii=True, separators=(",", ":"))
    if _may_be_broken(data):
        data = json.dumps(read_json(data), ensure_ascii=True, separators=(",", ":"))
    return codec.VERSION, data


def read_json(data: str | bytes) -> Json:
    """Decode stored JSON, with half characters and NULs replaced that an earlier version let in.

    Raises MalformedContentError, which is a DamagedStoreError to whoever has asked: only another
    program can have written it.
    """
    return parse_json(data)


def _may_be_broken(data: str) -> bool:
    return "\\ud" in data or "\\u0000" in data


def unpacked(kind: type[Value], form: int, data: str) -> Value:
    """Unpack a value. Raises UserError for one that a newer program has packed."""
    try:
        if form > codec.VERSION:
            raise ValueError(form)
        return codec.unpack(kind, read_json(data))
    except ValueError as error:
        raise UserError(
            _("This cannot be read by this version of QHub. Install the newest one; it was kept.")
        ) from error
