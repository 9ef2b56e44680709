"""Bringing an older file up to date: a verified copy first, then all steps or none."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _

Migration = Callable[[sqlite3.Connection], None]


def version_of(db: sqlite3.Connection) -> int:
    """Return how many migrations the file has seen; 0 for a new one."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(
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
        _upgrade(db, path, migrations[version:], copy=back_up(path, version))
    db.execute(f"PRAGMA user_version = {len(migrations)}")


def back_up(path: Path, version: int) -> Path:
    """Make a checked copy beside the file, named after its version; an earlier one goes."""
    copy = path.with_name(f"{path.stem}.version-{version}{path.suffix}")
    part = copy.with_suffix(".part")
    try:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
            # One file, without the companions that a shared one has.
            target.execute("PRAGMA journal_mode = DELETE")
            verdict = target.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            part.unlink()
            raise sqlite3.DatabaseError(verdict)
        part.replace(copy)
    except (OSError, sqlite3.Error) as error:
        raise UserError(
            _(
                "QHub can not be brought up to date: no sound copy of {path} could be made"
                " ({error}). Nothing was changed. Free some disk space and start again, or go on"
                " with the earlier version."
            ).format(path=path, error=error)
        ) from error
    return copy


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
