"""Recovery: the way back to a safety copy, from a sound file or from a damaged one.

A damaged file is kept beside under another name, never mended in place: what can still be read of
it goes into the newest sound safety copy, which takes its place when it is whole.
"""

# Why it is so: decisions/safety-copies.md

import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import UserError, has_no_room
from qhub_desktop.core.keystore import NoKeyStoreError, proof_key
from qhub_desktop.core.paths import replace_file, retry_while_held
from qhub_desktop.core.person import Person
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number
from qhub_desktop.core.untrusted import one_line, sanitize
from qhub_desktop.core.untrusted_files import parse_json
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import NOTHING, LogHead, append, find_head, first_hash, last_entry
from qhub_desktop.store.audit_head import (
    KeptHead,
    KeyStoreHead,
    read_head_file,
    write_head_file,
)
from qhub_desktop.store.backups import (
    COMPANIONS,
    Backup,
    Examiner,
    copy_checked,
    copy_error,
    listed,
    make,
    problem_of,
)
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.database import (
    OpenMark,
    errors_as_user_errors,
    from_us,
    open_connection,
    transaction,
)
from qhub_desktop.store.migrations import MIGRATIONS, Migration, version_of
from qhub_desktop.store.proofs import prove
from qhub_desktop.store.salvage import salvage

_DRAFTS = "restoring-"
PEOPLE_VERSION = 8  # of the schema: the first with accounts and a log
SHOWN_CHARACTERS = 60  # of a station's name


@dataclass(frozen=True, slots=True)
class Restored:
    """Outcome of a restore.

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
    """Content of a database file, to be compared with another, and whose it is."""

    conversations: int
    messages: int
    defects: int
    last: datetime | None  # when something was said last
    station: str
    accounts: int
    entry: int  # the number of the log's last, 0 if there is none
    entered: datetime | None  # when that was


def contents_of(path: Path) -> Contents | None:
    """Look into a sound file; None if it cannot be read."""
    try:
        with closing(open_existing(path, mode="ro")) as db:
            conversations, last = db.execute(
                "SELECT count(*), max(updated) FROM conversations WHERE is_deleted = 0"
            ).fetchone()
            (messages,) = db.execute(
                "SELECT count(*) FROM messages WHERE is_superseded = 0"
            ).fetchone()
            (defects,) = db.execute("SELECT count(*) FROM defects").fetchone()
            has_people = version_of(db) >= PEOPLE_VERSION
            accounts, (entry, entered) = 0, (0, None)
            if has_people:
                (accounts,) = db.execute("SELECT count(*) FROM people").fetchone()
                newest = "SELECT id, at FROM audit ORDER BY id DESC LIMIT 1"
                entry, entered = db.execute(newest).fetchone() or (0, None)
            station = _stored_setting(db, "station")
    except UNREADABLE:
        return None
    return Contents(
        conversations,
        messages,
        defects,
        _moment(last),
        one_line(station or "", most=SHOWN_CHARACTERS),
        accounts,
        entry,
        _moment(entered),
    )


def what_changes(path: Path, backup: Backup, examiner: Examiner | None = None) -> str:
    """Say in sentences whose data a copy is, what it has, and what a person has now.

    Raises UserError for a copy that cannot be gone back to: nothing of it is told.
    """
    examined = (examiner or Examiner()).examine(backup.path)
    if examined.problem:
        raise _unusable(backup, examined.problem)
    copy, now = contents_of(backup.path), contents_of(path)
    sentences = (
        _("The safety copy of {moment} has {contents}.").format(
            moment=shown_moment(backup), contents=_told(copy)
        ),
        _whose(copy) if copy else "",
        examined.doubt,
        _("Now there are {contents}.").format(contents=_told(now))
        if now
        else _("What there is now cannot be read as a whole."),
    )
    return " ".join(filter(None, sentences))


def _whose(copy: Contents) -> str:
    accounts = ngettext(
        "{count} person has an account there.", "{count} people have accounts there.", copy.accounts
    )
    sentences = (
        _("It is of the station '{station}'.").format(station=copy.station)
        if copy.station
        else _("It is of a station without a name."),
        accounts.format(count=number(copy.accounts))
        if copy.accounts
        else _("Nobody has an account there."),
        _("The last entry of its log is number {number}, of {moment}.").format(
            number=number(copy.entry), moment=moment(copy.entered)
        )
        if copy.entered
        else _("Its log has no entry."),
    )
    return " ".join(sentences)


def _moment(stored: int | None) -> datetime | None:
    """Return a stored moment, None for none, and for one that no calendar has."""
    with suppress(ValueError, OverflowError, OSError):
        return None if stored is None else from_us(stored)
    return None


def accounts_in(copy: Path) -> int:
    """Count the accounts in a sound copy. Raises UserError if it cannot be read any more."""
    with errors_as_user_errors(copy), closing(open_existing(copy, mode="ro")) as db:
        if version_of(db) < PEOPLE_VERSION:
            return 0
        count: int = db.execute("SELECT count(*) FROM people").fetchone()[0]
        return count


def account_in(copy: Path, name: str) -> tuple[Person, str] | None:
    """Find an account in a sound copy, with the hash of its secret; None if there is none.

    Raises UserError if it cannot be read any more.
    """
    with errors_as_user_errors(copy), closing(open_existing(copy, mode="ro")) as db:
        row = db.execute(
            "SELECT id, name, role, kind, is_disabled, secret FROM people WHERE name = ?", (name,)
        ).fetchone()
    if row is None:
        return None
    id_, name, role, kind, is_disabled, secret = row
    return Person(id_, name, role, None, kind, is_disabled=bool(is_disabled)), secret


def _told(contents: Contents | None) -> str:
    if contents is None:
        return _("contents that cannot be read")
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
    with suppress(*UNREADABLE), closing(open_existing(path, mode="rw")) as db:
        return _stored_setting(db, "language")
    return None


def _stored_setting(db: sqlite3.Connection, key: str) -> str | None:
    row = db.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
    with suppress(ValueError):
        value = parse_json(row[0]) if row else None
        return value if isinstance(value, str) else None
    return None


def newest_sound(path: Path, examiner: Examiner | None = None) -> Backup | None:
    """Return the newest copy that can be gone back to, None if there is none.

    One that this computer can prove to be its own goes before any other: whoever changes a copy
    and damages the data must not have it chosen.
    """
    examiner = examiner or Examiner()
    with suppress(OSError):
        found = listed(path)
        for each in sorted(found, key=lambda each: not examiner.is_made_here(each.path)):
            if not examiner.examine(each.path).problem:
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
    by: str = "",
    migrations: tuple[Migration, ...] = MIGRATIONS,
) -> Restored:
    """Put a copy in the place of the database, which no program may have open; nothing is lost.

    A sound database is kept as a safety copy first. A damaged one is kept beside, and what it has
    that the copy has not is read from it as far as that goes; without a copy, all of it is. The log
    tells who did it: `by` is the name of their account. Raises UserError, and changes nothing, if
    the copy is not sound, a program has the database open, or there is no room.
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
            subject = sanitize(f"safety copy {name}")
            kept = _log_restore(db, path, by, subject, {"messages": saved})
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # Killed before the draft is in place, the log ends with one of the two heads, after it too.
        write_head_file(path, kept)
        _put_in_place(draft, path)
        write_head_file(path, replace(kept, head=kept.last, next=None))
        return Restored(backup, kept_as, bool(problem), saved)


def _take(backup: Backup, draft: Path, path: Path) -> None:
    """Copy a safety copy, and examine what was copied: the file may be exchanged meanwhile."""
    try:
        copy_checked(backup.path, draft)
        problem = Examiner().examine(draft).problem
    except (OSError, sqlite3.OperationalError) as error:
        raise copy_error(error, path, path.parent) from error
    except UNREADABLE as error:
        raise _unusable(backup, str(error)) from error
    if problem:
        raise _unusable(backup, problem)


def _unusable(backup: Backup, problem: str) -> UserError:
    return UserError(
        _("The safety copy {name} cannot be used: {problem}. Choose another one.").format(
            name=backup.name, problem=problem
        )
    )


def _log_restore(
    db: sqlite3.Connection, path: Path, by: str, subject: str, detail: JsonObject
) -> KeptHead:
    """Add to the draft's log who went back to what, and which heads are left behind.

    With a number higher than all of them. Return what the file of the head has to keep.
    """
    kept: KeptHead | None = None
    with suppress(ValueError, OSError):  # it is made anew
        kept = read_head_file(path)
    now = _head_now(path)
    heads = {now, _head_in_key_store(path), *((kept.head, kept.next) if kept else ())}
    before = sorted((each for each in heads if each is not None), key=lambda each: each.count)
    left: list[Json] = [str(each) for each in before if find_head(db, each)[0] != "in"]
    key = proof_key(is_made=True)
    with transaction(db):
        after = before[-1].count if before else 0
        last = last_entry(db) or NOTHING
        detail = {**detail, "left": left, **prove(key, [str(last), subject, left])}
        append(db, by, "restore", subject, detail, after=after)
    head = last_entry(db) or NOTHING
    since, was = (kept.since, kept.head) if kept else (head.count, now or NOTHING)
    return KeptHead(since, first_hash(db), was, head)


def _head_now(path: Path) -> LogHead | None:
    """Return the head of the log that is there, as far as it can be read."""
    with suppress(*UNREADABLE), closing(open_existing(path, mode="rw")) as db:
        return last_entry(db)
    return None


def _head_in_key_store(path: Path) -> LogHead | None:
    with suppress(NoKeyStoreError, ValueError), closing(KeyStoreHead(path)) as head:
        kept = head.kept_now()
        return kept.head if kept else None
    return None


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
        companion = path.with_name(path.name + ending)
        retry_while_held(partial(companion.unlink, missing_ok=True))
    with suppress(FileNotFoundError):
        if path.is_dir():
            path.rmdir()
    replace_file(draft, path)
