"""Recovery: the way back to a safety copy, from a sound file or from a damaged one.

A damaged file is kept beside under another name, never mended in place: what can still be read of
it goes into the newest sound safety copy, which takes its place when it is whole.
"""

import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from qhub_desktop.core.errors import UserError, has_no_room
from qhub_desktop.core.paths import replace_file
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number
from qhub_desktop.core.untrusted_files import parse_json
from qhub_desktop.store.audit import append
from qhub_desktop.store.backups import (
    COMPANIONS,
    Backup,
    copy_checked,
    copy_error,
    listed,
    make,
    open_existing,
    problem_of,
)
from qhub_desktop.store.database import (
    OpenMark,
    errors_as_user_errors,
    from_us,
    open_connection,
    transaction,
)
from qhub_desktop.store.migrations import MIGRATIONS, Migration
from qhub_desktop.store.salvage import salvage

_DRAFTS = "restoring-"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore has done.

    `backup` is the copy that was gone back to, None where there was none; `kept_as` the former
    file, None if there was none; of a damaged one `messages` could be read,
    beside the copy's.
    """

    backup: Backup | None
    kept_as: Path | None
    was_damaged: bool
    messages: int = 0

    @property
    def sentence(self) -> str:
        """What a person is told."""
        name = self.kept_as.name if self.kept_as else ""
        when = shown_moment(self.backup) if self.backup else ""
        saved = ngettext("{count} message", "{count} messages", self.messages).format(
            count=number(self.messages, digits=0)
        )
        if not name:
            sentence = _(
                "The file with the data was gone; everything is as it was in the safety copy of"
                " {moment}. What was done after that is missing."
            )
        elif not self.was_damaged:
            sentence = _(
                "Everything is as it was in the safety copy of {moment}. What there was before is"
                " kept as the safety copy {name}."
            )
        elif self.backup is None:
            sentence = _(
                "The data were damaged, and there was no safety copy: {saved} could be read from"
                " the damaged file, and the rest may be missing. That file is kept as {name}."
            )
        else:
            sentence = _(
                "The data were damaged, and were restored from the safety copy of {moment}; {saved}"
                " of after that were saved from the damaged file. Other changes since then"
                " (settings, dashboards, titles) may be missing. The damaged file is kept as"
                " {name}."
            )
        return sentence.format(moment=when, name=name, saved=saved)


@dataclass(frozen=True, slots=True)
class Contents:
    """How much a database file holds, to be compared with another."""

    conversations: int
    messages: int
    defects: int
    last: datetime | None  # when something was said last


def contents_of(path: Path) -> Contents | None:
    """Look into a sound file; None if it can not be read."""
    try:
        with closing(open_existing(path, mode="ro")) as db:
            conversations, last = db.execute(
                "SELECT count(*), max(updated) FROM conversations WHERE is_deleted = 0"
            ).fetchone()
            (messages,) = db.execute(
                "SELECT count(*) FROM messages WHERE is_superseded = 0"
            ).fetchone()
            (defects,) = db.execute("SELECT count(*) FROM defects").fetchone()
    except sqlite3.Error:
        return None
    return Contents(conversations, messages, defects, from_us(last) if last else None)


def what_changes(path: Path, backup: Backup) -> str:
    """Say in sentences what a person has now, and what the copy has."""
    copy, now = contents_of(backup.path), contents_of(path)
    return " ".join(
        (
            _("The safety copy of {moment} has {contents}.").format(
                moment=shown_moment(backup), contents=_told(copy)
            ),
            _("Now there are {contents}.").format(contents=_told(now))
            if now
            else _("What there is now can not be read as a whole."),
        )
    )


def _told(contents: Contents | None) -> str:
    if contents is None:
        return _("contents that can not be read")
    said = (
        ngettext("{count} conversation", "{count} conversations", contents.conversations),
        ngettext("{count} message", "{count} messages", contents.messages),
        ngettext("{count} defect", "{count} defects", contents.defects),
    )
    counts = (contents.conversations, contents.messages, contents.defects)
    return ", ".join(
        each.format(count=number(count, digits=0)) for each, count in zip(said, counts, strict=True)
    )


def shown_moment(backup: Backup) -> str:
    """Return when a copy was made, as the person's computer writes it."""
    return moment(backup.made.astimezone().replace(second=0))


def stored_language(path: Path) -> str | None:
    """Return the language that the settings of a file name, where they can be read."""
    with suppress(sqlite3.Error, ValueError), closing(open_existing(path, mode="rw")) as db:
        row = db.execute("SELECT value FROM settings WHERE key = 'language'").fetchone()
        spoken = parse_json(row[0]) if row else None
        return spoken if isinstance(spoken, str) else None
    return None


def newest_sound(path: Path) -> Backup | None:
    """Return the newest copy that can be gone back to, None if there is none."""
    with suppress(OSError):
        for each in listed(path):
            if not problem_of(each.path) and _version(each.path) <= len(MIGRATIONS):
                return each
    return None


def find_backup(path: Path, name: str) -> Backup:
    """Find a copy by its name in the list, or by its path. Raises UserError if there is none."""
    with suppress(OSError):
        for each in listed(path):
            if name in (each.name, each.name.removesuffix(".db")):
                return each
        file = Path(name)
        # The system's own files, as /proc/kmsg, have no size, and keep their reader waiting.
        if file.is_file() and (seen := file.stat()).st_size:
            return Backup(
                file, "manual", "", datetime.fromtimestamp(seen.st_mtime, UTC), seen.st_size
            )
    raise UserError(
        _("There is no safety copy {name}. See the list: qhub backup list").format(name=name)
    )


def restore(
    path: Path,
    backup: Backup | None,
    *,
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> Restored:
    """Put a copy in the place of the database, which no program may have open; nothing is lost.

    A sound database is kept as a safety copy first. A damaged one is kept beside, and what it has
    that the copy has not is read from it as far as that goes; without a copy, all of it is.
    Raises UserError, and changes nothing, if the copy is not sound, a program has the database
    open, or there is no room.
    """
    with (
        _alone(path.parent),
        errors_as_user_errors(path),
        _os_errors(path),
        _draft_folder(path.parent) as drafts,
    ):
        draft = drafts / path.name
        if backup is not None:
            _take(backup, draft, path)
        problem = problem_of(path)
        with closing(open_connection(draft, fill=lambda _db: None, migrations=migrations)) as db:
            saved = 0
            kept_as: Path | None
            if not problem:
                kept_as = make(path, "restore").path
            elif kept_as := _keep_damaged(path):
                saved = salvage(kept_as, db, model=backup.path if backup else None)
                with transaction(db):
                    _index_messages(db)
            name = backup.name if backup else "-"
            with transaction(db):
                append(db, "", "restore", f"safety copy {name}", {"messages": saved})
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _put_in_place(draft, path)
        return Restored(backup, kept_as, bool(problem), saved)


def _take(backup: Backup, draft: Path, path: Path) -> None:
    if problem := problem_of(backup.path):
        raise UserError(
            _("The safety copy {name} can not be used: {problem}. Choose another one.").format(
                name=backup.name, problem=problem
            )
        )
    try:
        copy_checked(backup.path, draft)
    except (OSError, sqlite3.Error) as error:
        raise copy_error(error, path, path.parent) from error


def _version(path: Path) -> int:
    with suppress(sqlite3.Error), closing(open_existing(path, mode="ro")) as db:
        version: int = db.execute("PRAGMA user_version").fetchone()[0]
        return version
    return 0


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the store's folder as one that has it open. Raises UserError if another program does."""
    with ExitStack() as stack:
        mark = OpenMark(folder)
        if mark.has_others():
            mark.close()
            raise UserError(
                _(
                    "Another QHub program has the data open. Close every QHub window and command,"
                    " and try again; nothing was changed."
                )
            )
        # Whatever goes wrong from here on, the next start looks at the file.
        stack.callback(mark.close, is_suspect=True)
        for left in folder.glob(f"{_DRAFTS}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield
        mark.forget_interruption()
        stack.pop_all()
        mark.close()


@contextmanager
def _draft_folder(folder: Path) -> Iterator[Path]:
    drafts = folder / f"{_DRAFTS}{secrets.token_hex(6)}"
    drafts.mkdir()
    try:
        yield drafts
    finally:
        shutil.rmtree(drafts, ignore_errors=True)


@contextmanager
def _os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        sentence = (
            _("There is no room left on the disk of {path}. Free some, and try again.")
            if has_no_room(path.parent)
            else _(
                "{path} could not be restored ({error}). Close what has it open, check that you may"
                " write to its folder, and try again."
            )
        )
        raise UserError(sentence.format(path=path, error=error)) from error


def _keep_damaged(path: Path) -> Path | None:
    """Copy a damaged file, with what SQLite keeps beside it, under a name of its own."""
    if not path.is_file():
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    kept = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    copies = [kept.with_name(kept.name + ending) for ending in ("", *COMPANIONS)]
    try:
        for copy, ending in zip(copies, ("", *COMPANIONS), strict=True):
            source = path.with_name(path.name + ending)
            copy.unlink(missing_ok=True)
            if ending != "-shm" and source.is_file():
                shutil.copy2(source, copy)
    except OSError:
        for copy in copies:
            copy.unlink(missing_ok=True)
        raise
    return kept


def _index_messages(db: sqlite3.Connection) -> None:
    """Make the words of messages findable whose words could not be read."""
    from qhub_desktop.store.messages import index

    unindexed = db.execute(
        """SELECT id FROM messages WHERE is_superseded = 0
            AND id NOT IN (SELECT message FROM texts)"""
    ).fetchall()
    for (id_,) in unindexed:
        index(db, id_)


def _put_in_place(draft: Path, path: Path) -> None:
    # Without the former file's log, which SQLite would play into the new one. Killed in between,
    # the former file is there still, and its mark has the next start look at it.
    for ending in COMPANIONS:
        path.with_name(path.name + ending).unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        if path.is_dir():
            path.rmdir()
    replace_file(draft, path)
