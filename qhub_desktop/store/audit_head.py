"""Head of the audit log: a copy of its last number and hash, to detect truncation.

In a file beside the database, written in the step that adds the entry, and in the system's key
store, which follows on a thread. Neither is moved on from a head that the log no longer holds:
what was cut off or exchanged stays told until somebody goes back to a safety copy, which is an
entry that names the heads it leaves behind.
"""

# Why it is so: decisions/audit-log.md

import hashlib
import json
import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG
from typing import Any, cast

from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import UserError, data_folder_error
from qhub_desktop.core.keystore import NoKeyStoreError, proof_key, read_from_system, save_in_system
from qhub_desktop.core.paths import replace_file
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.untrusted_files import IrregularFileError, decoded, parse_json, read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import (
    NOTHING,
    LogHead,
    Row,
    appended_here,
    entries_between,
    find_head,
    first_hash,
    head_before,
    heads_left,
    last_entry,
    parse_head,
    read_detail,
)
from qhub_desktop.store.connections import open_existing
from qhub_desktop.store.proofs import Proof, proof_of

FILE = "audit.head"
FILE_BYTES = 512  # of a sector; what is kept takes 300 at most
# Those that a system has: no link is followed, no pipe waited for, no line end changed.
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
OTHERS_S = 1.0  # in which another program keeps what it has added
ENTRIES_LOOK_S = 0.05  # until entries that are not known are looked at once more
MOST_UNKNOWN = 20
RETRY_S = 600.0  # after a key store has not answered


@dataclass(frozen=True, slots=True)
class KeptHead:
    """Head of a log as it is kept outside of it.

    `since` is the last entry that was there when it was first kept, `first` the hash of the log's
    first entry. `next` is the head of a transaction that was about to end: the log holds `head` as
    its last entry, or `next`. `unknown` are numbers of entries, from one to another, that none of
    the programs has added that reach the key store.
    """

    since: int
    first: str
    head: LogHead
    next: LogHead | None = None
    unknown: tuple[tuple[int, int], ...] = ()

    @property
    def last(self) -> LogHead:
        """The newest entry that was announced."""
        return self.next or self.head

    def packed(self) -> str:
        """Return it as JSON."""
        told: dict[str, Any] = {"since": self.since, "first": self.first, "head": str(self.head)}
        if self.next is not None:
            told["next"] = str(self.next)
        if self.unknown:
            told["unknown"] = [[*each] for each in self.unknown]
        return json.dumps(told)


def unpack_kept(text: str) -> KeptHead:
    """Read what `packed` made. Raises ValueError."""
    match parse_json(text):
        case {"since": int(since), "first": str(first), "head": str(head), **more}:
            following = more.get("next")
            announced = None if following is None else parse_head(str(following))
            unknown = tuple(
                (int(from_), int(to)) for from_, to in cast("Any", more.get("unknown", []))
            )
            return KeptHead(since, first, parse_head(head), announced, unknown)
        case _:
            raise ValueError(text)


def file_of(database: Path) -> Path:
    """Return where the head of a database's log is kept."""
    return database.with_name(FILE)


def read_head_file(database: Path) -> KeptHead | None:
    """Read the file; None if there is none.

    Raises ValueError if it is not as we write it, OSError if it cannot be opened.
    """
    file = file_of(database)
    if not file.exists():
        return None
    try:
        content = read_regular(file, most_bytes=FILE_BYTES, follows_links=False)
    except (IrregularFileError, IsADirectoryError) as error:
        raise ValueError(file) from error
    return unpack_kept(decoded(content))


def write_head_file(database: Path, kept: KeptHead, *, is_lasting: bool = True) -> None:
    """Keep a head in the file. Raises UserError if it cannot be.

    It is on the disk when this returns, unless it may fall back to what was kept before it
    (`is_lasting=False`).
    """
    file = file_of(database)
    content = kept.packed().encode().ljust(FILE_BYTES)
    try:
        if not _overwrite(file, content, is_lasting=is_lasting):
            draft = file.with_suffix(".new")
            draft.unlink(missing_ok=True)
            with draft.open("xb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            replace_file(draft, file)
    except OSError as error:
        raise data_folder_error(error, file.parent) from error


def _overwrite(file: Path, content: bytes, *, is_lasting: bool) -> bool:
    """Write in the place of the same number of bytes; return False where something else is there.

    Within one sector of a disk, which has either content after a power cut: a fifth of the time
    that a new file takes. Nothing is written through a link.
    """
    flags = os.O_WRONLY | sum(getattr(os, name, 0) for name in _FLAGS)
    try:
        number = os.open(file, flags)
    except OSError:  # not there, a link, a folder, or held by somebody: replaced with patience
        return False
    with os.fdopen(number, "wb", buffering=0) as out:
        seen = os.fstat(number)
        if not S_ISREG(seen.st_mode) or seen.st_nlink > 1 or seen.st_size != len(content):
            return False
        out.write(content)
        if is_lasting:
            getattr(os, "fdatasync", os.fsync)(number)
    return True


def announce(db: sqlite3.Connection, before: LogHead | None) -> bool:
    """Keep in the file what the transaction adds to the log; return whether it adds anything.

    Before it is committed: whatever happens next, the log's last entry is one of the two that the
    file names. Raises UserError if it cannot be kept.
    """
    before = before or NOTHING
    after, path = last_entry(db), _path_of(db)
    if after is None or after == before or path is None:
        return False
    try:
        kept = read_head_file(path) or KeptHead(before.count, first_hash(db), before)
    except ValueError:  # told when the log is verified
        return True
    except OSError as error:
        raise data_folder_error(error, path.parent) from error
    if before in (kept.head, kept.next):
        # On the disk before the database's own write is: else a power cut could leave entries that
        # the file does not know, as whoever adds some from outside does.
        write_head_file(path, replace(kept, head=before, next=after))
    return True


def settle(db: sqlite3.Connection) -> None:
    """Keep in the file that what was announced is an entry now: from here on it cannot be cut off.

    In a transaction of its own, so that programs take their turns with the file.
    """
    path = _path_of(db)
    if path is None:
        return
    # Left undone, the next entry does it.
    with suppress(sqlite3.OperationalError, UserError, ValueError, OSError):
        db.execute("BEGIN IMMEDIATE")
        try:
            kept = read_head_file(path)
            if kept is not None and kept.next is not None and kept.next == last_entry(db):
                settled = replace(kept, head=kept.next, next=None)
                write_head_file(path, settled, is_lasting=False)
        finally:
            db.execute("ROLLBACK")


def _path_of(db: sqlite3.Connection) -> Path | None:
    named = {name: file for _number, name, file in db.execute("PRAGMA database_list")}
    return Path(named["main"]) if named.get("main") else None


def restore_proof(entry: Row, before: LogHead, key: bytes | None) -> Proof:
    """Return whose entry says that somebody went back to a copy, by the proof in its details."""
    return proof_of(read_detail(entry[5]), proven_by_restore(before, entry[4], entry[5]), key)


def proven_by_restore(before: LogHead, subject: str, detail: str) -> Json:
    """Return what the proof of a restore is made of: where it stands, to what, leaving what."""
    return [str(before), subject, [str(each) for each in heads_left(detail)]]


def _may_leave(db: sqlite3.Connection, head: LogHead) -> bool:
    """Return whether a kept head may be moved on: the log holds it, or left it on this computer."""
    place, entry = find_head(db, head)
    if place == "left" and entry is not None:
        before = head_before(db, entry[0])
        return restore_proof(entry, before, proof_key()) == "made here"
    return place == "in"


def _unknown_entries(db: sqlite3.Connection, kept: LogHead, last: LogHead) -> list[int]:
    """Return the numbers of the entries after a head that this program has not added.

    Whoever went back to a safety copy has proven that.
    """
    key = proof_key()
    found: list[int] = []
    for row in entries_between(db, kept, last):
        head = LogHead(row[0], str(row[-1]))
        is_proven = (
            row[3] == "restore" and restore_proof(row, head_before(db, row[0]), key) == "made here"
        )
        if head not in appended_here and not is_proven:
            found.append(row[0])
    return found


class KeyStoreHead:
    """Head of one log in the system's key store, moved on behind the log until closed.

    Nobody waits for it but whoever closes it, for as long as the key store may take. It follows
    within milliseconds (100 with D-Bus); until then, the file alone has the newest entries.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        # By the folder: with a log of its own in the place of this one, its head is another.
        place = os.path.normcase(str(database.parent.resolve()))
        digest = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()
        self._account = f"audit-{digest[:16]}"
        self._worker = Worker("audit-head")
        self._seen: LogHead | None = None
        self._is_waiting = False
        self._silent_until = 0.0

    def follow(self, head: LogHead | None) -> None:
        """Move the kept head on to the log's last entry, soon, if this program has added it.

        Most commands add none, and a key store takes a quarter of a second to load.
        """
        if (
            head not in appended_here
            or head == self._seen
            or self._is_waiting
            or time.monotonic() < self._silent_until
        ):
            return
        self._seen = head
        self._is_waiting = True
        self._worker.run_ahead(self._follow)

    def kept_now(self) -> KeptHead | None:
        """Return what is kept, None if nothing is. Blocks.

        Raises NoKeyStoreError where no store answers, ValueError for what is none.
        """
        return self._worker.run_now(self._kept_and_followed)

    def close(self) -> None:
        """Let what is under way end."""
        self._worker.run_now(lambda: None)
        self._worker.close()

    def _kept_and_followed(self) -> KeptHead | None:
        kept = self._kept()
        if kept is None:
            return None
        self._follow()  # what other programs are about to keep is waited for
        return self._kept()

    def _kept(self) -> KeptHead | None:
        text = read_from_system(self._account)
        return None if text is None else unpack_kept(text)

    def _follow(self) -> None:
        self._is_waiting = False
        patience = time.monotonic() + OTHERS_S
        try:
            with closing(open_existing(self._database, mode="ro")) as db:
                # Another program may have added entries meanwhile, and kept an older head after it.
                while self._move_on(db, is_patient=time.monotonic() < patience):
                    pass
        except NoKeyStoreError:
            self._silent_until = time.monotonic() + RETRY_S
        except (sqlite3.Error, ValueError):
            pass  # the file is busy or gone: with the next entry; told when the log is verified

    def _move_on(self, db: sqlite3.Connection, *, is_patient: bool) -> bool:
        """Keep the log's last entry; return whether to look again, for a newer one.

        What another program has added is left to it for a moment: it keeps it, too. After that
        it is noted that nobody knows who has added it.
        """
        kept, head = self._kept(), last_entry(db)  # in this order: the log is never behind
        if head is None or head == NOTHING or (kept is not None and kept.head == head):
            return False
        if kept is not None and not _may_leave(db, kept.head):
            return False
        unknown = [] if kept is None else _unknown_entries(db, kept.head, head)
        if unknown and is_patient:
            time.sleep(ENTRIES_LOOK_S)
            return True
        moved = replace(kept or KeptHead(head.count, first_hash(db), head), head=head)
        if unknown:
            ranges = (*moved.unknown, (unknown[0], unknown[-1]))
            if len(ranges) > MOST_UNKNOWN:
                ranges = ((ranges[0][0], ranges[-1][1]),)
            moved = replace(moved, unknown=ranges)
        save_in_system(self._account, moved.packed())
        return True
