"""The one SQLite file: shared safely between processes, its failures put into words."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.migrations import Migration, migrate, version_of
from qhub_desktop.store.schema import MIGRATIONS
from qhub_desktop.store.transaction import connect

PATIENCE_S = 5.0


def open_database(
    path: Path,
    *,
    fill: Callable[[sqlite3.Connection], None],
    migrations: Sequence[Migration] = MIGRATIONS,
) -> sqlite3.Connection:
    """The file at `path`, made and brought up to date if needed.

    A new file gets `fill` in the transaction that makes it. Raises UserError, and leaves the file
    as it was, when it is damaged, can not be migrated, or was written by a newer program.
    """
    with spoken_errors(path), ExitStack() as undo:
        db = connect(path, patience_s=PATIENCE_S)
        undo.callback(db.close)
        version = version_of(db)
        if version > len(migrations):
            raise UserError(
                _(
                    "{path} was written by a newer version of QHub. Install that version here too;"
                    " nothing was changed."
                ).format(path=path)
            )
        _share(db)
        # A migration may rebuild a table that others refer to.
        db.execute("PRAGMA foreign_keys = OFF")
        if version < len(migrations):
            migrate(db, path, migrations, fill=fill)
        db.execute("PRAGMA foreign_keys = ON")
        undo.pop_all()
        return db


@contextmanager
def spoken_errors(path: Path) -> Iterator[None]:
    """SQLite's failures that a person can do something about, as UserError."""
    try:
        yield
    except sqlite3.Error as error:
        if sentence := _sentence(error):
            raise UserError(sentence.format(path=path)) from error
        raise


def _share(db: sqlite3.Connection) -> None:
    """Let one process write while others read, with every commit on the disk."""
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA cache_size = -16000")
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


def _sentence(error: sqlite3.Error) -> str:
    match _code(error):
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return damaged()
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return _("Another QHub program is busy with {path}. Wait a moment, and try again.")
        case sqlite3.SQLITE_FULL:
            return _("There is no room left on the disk of {path}. Free some, and try again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return _(
                "{path} can not be opened for writing. Check that its folder is there, and that"
                " you may write to it."
            )
        case sqlite3.SQLITE_IOERR:
            return _("The disk of {path} did not answer. Check the disk, and try again.")
        case _:
            return ""


def damaged() -> str:
    """What to say of a file that is not what it should be; wants a `path`."""
    return _(
        "{path} is damaged, and was left as it is. Close QHub, move the files whose names begin"
        " with qhub.db to another folder, and start again: with a copy of yours in their place, or"
        " empty."
    )
