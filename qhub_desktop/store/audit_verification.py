"""Verification of the audit log: its chain, its guard, and the heads that were kept outside."""

# Why it is so: decisions/audit-log.md

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import field
from pathlib import Path

from qhub_desktop.core.keystore import NoKeyStoreError, proof_key
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import (
    AUDIT_COLUMNS,
    NOTHING,
    LogHead,
    Row,
    find_head,
    first_hash,
    follows,
    head_before,
    heads_left,
    last_entry,
)
from qhub_desktop.store.audit_head import (
    FILE,
    KeptHead,
    KeyStoreHead,
    read_head_file,
    restore_proof,
)
from qhub_desktop.store.backups import listed
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.copy_seal import sealed_head
from qhub_desktop.store.database import errors_as_user_errors, from_us
from qhub_desktop.store.schema import schema_problems


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """Result of verifying the log; it is whole if there are no `problems`.

    `broken` is the first entry that does not hold, where it is known. `notes` are what is to be
    known besides: what it was compared with, and who went back to a safety copy.
    """

    entries: int
    head: LogHead
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    broken: int | None
    doubts: tuple[str, ...] = ()  # against a log that is whole

    @property
    def is_whole(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems

    @property
    def sentence(self) -> str:
        """What a person is told."""
        if self.is_whole:
            said = ngettext(
                "The log is whole: {count} entry. Its head is {head}.",
                "The log is whole: {count} entries. Its head is {head}.",
                self.entries,
            ).format(count=number(self.entries), head=self.head.shown)
            return " ".join((*self.doubts, said, *self.notes))
        ending = _(
            "The log, or what is kept of it, was changed outside the program: find out who can"
            " write to the data folder. To go on, go back to a safety copy; that stands in the log,"
            " with who did it."
        )
        return " ".join((*self.problems, ending, *self.doubts, *self.notes))


@dataclass(slots=True)
class _Findings:
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    entries: int = 0
    broken: int | None = None

    def add(self, problem: str, broken: int | None = None) -> None:
        self.problems.append(problem)
        if self.broken is None:
            self.broken = broken

    def verdict(self, head: LogHead) -> AuditVerdict:
        return AuditVerdict(
            self.entries,
            head,
            tuple(self.problems),
            tuple(self.notes),
            self.broken,
            tuple(self.doubts),
        )


def verify_log(
    database: Path, key_store: KeyStoreHead | None, elsewhere: LogHead | None = None
) -> AuditVerdict:
    """Compute every hash again, and compare the log with all that was kept of its head.

    Others may add entries meanwhile. Blocks: 5 s for a million entries. Raises UserError if the
    file cannot be read.
    """
    found = _Findings()
    # Read before the log: what is kept outside may be behind it, never before it.
    stored = _read_key_store(key_store, found)
    key = proof_key()
    copies = _heads_of_copies(database, key)
    with errors_as_user_errors(database), _snapshot(database, found) as (db, in_file):
        for each in schema_problems(db):
            found.add(_("In the database, {problem}.").format(problem=each))
        head = last_entry(db)
        if head is None:
            found.add(_("The log itself is gone."), 1)
            return found.verdict(NOTHING)
        _check_chain(db, found, key)
        _check_given_numbers(db, head, found)
        _compare_file(db, in_file, head, found, is_expected=stored is not None)
        if stored is not None:
            if _compare_proven(db, stored.head, _("the key store"), found, key, stored):
                found.notes.append(_agreement(_("the key store"), stored))
            _doubt_unknown(db, stored, found)
        for name, copied in copies:
            if not _compare(db, copied, _("the safety copy {name}").format(name=name), found):
                break  # the older ones say the same
        if elsewhere is not None:
            _compare_proven(db, elsewhere, _("what was kept elsewhere"), found, key)
    return found.verdict(head)


def _read_key_store(key_store: KeyStoreHead | None, found: _Findings) -> KeptHead | None:
    if key_store is None:
        return None
    try:
        kept = key_store.kept_now()
    except ValueError:
        found.add(_("What the key store keeps of the log cannot be read."))
        return None
    except NoKeyStoreError:
        found.notes.append(
            _(
                "No key store answers here: it was compared with the file {name} alone, which"
                " whoever changes the log could change, too."
            ).format(name=FILE)
        )
        return None
    if kept is None:
        found.notes.append(_("The key store keeps nothing of this log yet."))
    return kept


def _heads_of_copies(database: Path, key: bytes | None) -> list[tuple[str, LogHead]]:
    """Return which head each safety copy has, where its seal holds."""
    heads = []
    with suppress(OSError):
        for backup in listed(database):
            with (
                suppress(*UNREADABLE),
                closing(open_existing(backup.path, mode="ro")) as db,
            ):
                if not schema_problems(db) and (head := sealed_head(db, key)) is not None:
                    heads.append((backup.name, head))
    return heads


@contextmanager
def _snapshot(
    database: Path, found: _Findings
) -> Iterator[tuple[sqlite3.Connection, KeptHead | None]]:
    """Yield the database and the file of the head as they were at one moment."""
    with (
        closing(open_existing(database, mode="rw")) as lock,
        closing(open_existing(database, mode="ro")) as db,
    ):
        # What is no text was written by nobody of ours: it has another hash, and is told so.
        db.text_factory = lambda content: content.decode("utf-8", "surrogateescape")
        kept = None
        lock.execute("BEGIN IMMEDIATE")  # whoever writes the file holds it
        try:
            kept = read_head_file(database)
        except (ValueError, OSError):
            found.add(_("The file {name} cannot be read.").format(name=FILE))
        db.execute("BEGIN")
        db.execute("SELECT 1 FROM sqlite_schema").fetchone()
        lock.execute("ROLLBACK")
        yield db, kept


def _check_chain(db: sqlite3.Connection, found: _Findings, key: bytes | None) -> None:
    """Compute every hash again, up to the first that does not hold; tell who went back."""
    before = NOTHING
    entries: Iterator[Row] = db.execute(f"SELECT {AUDIT_COLUMNS} FROM audit ORDER BY id")
    for row in entries:
        if not follows(row, before):
            first, last = before.count + 1, row[0] - 1
            if first > last or row[3] == "restore":
                found.add(_("Entry {number} was altered.").format(number=number(row[0])), row[0])
                return
            gone = ngettext(
                "Entry {first} is gone.", "Entries {first} to {last} are gone.", row[0] - first
            )
            found.add(gone.format(first=number(first), last=number(last)), first)
            return
        if row[3] == "restore" and (left := heads_left(row[5])):
            found.notes.append(_restore_note(row, left))
            if key is not None and restore_proof(row, before, key) != "made here":
                found.notes.append(
                    _("It cannot be proven that entry {number} was made on this computer.").format(
                        number=number(row[0])
                    )
                )
        before = LogHead(row[0], row[-1])
        found.entries += 1


def _restore_note(row: Row, left: Sequence[LogHead]) -> str:
    number_, at, person, _action, subject, *_rest = row
    try:
        when = moment(from_us(at))
    except (ValueError, OverflowError, OSError):  # of no calendar
        when = "?"
    return _(
        "Entry {number}: on {moment} {person} went back to the safety copy {name}; the log went up"
        " to entry {left} before, and what it had more is in the safety copy that was made then."
    ).format(
        number=number(number_),
        moment=when,
        person=one_line(person) or _("somebody without an account"),
        name=one_line(subject.removeprefix("safety copy ")),
        left=number(max(each.count for each in left)),
    )


def _check_given_numbers(db: sqlite3.Connection, head: LogHead, found: _Findings) -> None:
    """Compare with the last number that SQLite has given out, which it keeps by itself."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
    given = row[0] if row and isinstance(row[0], int) else 0
    if given > head.count:
        found.add(_cut(head, given, _("the database")), head.count + 1)
    elif given < head.count:
        found.add(_("The database's own count of the entries was put back."))


def _compare_file(
    db: sqlite3.Connection,
    kept: KeptHead | None,
    head: LogHead,
    found: _Findings,
    *,
    is_expected: bool,
) -> None:
    """Compare with the file, which names the last entry exactly, or the two that it may be."""
    if kept is None:
        if is_expected:
            found.add(_("The file {name} is gone, which keeps the log's head.").format(name=FILE))
        return
    if head == kept.last:
        found.notes.append(_agreement(_("the file {name}").format(name=FILE), kept))
        return
    if head == kept.head:
        found.notes.append(
            _(
                "The file {name} announces entry {number}, which is not there: a program was ended"
                " as it was adding it, or it was cut off."
            ).format(name=FILE, number=number(kept.last.count))
        )
        return
    known = next((each for each in (kept.next, kept.head) if each and _holds(db, each)), None)
    if known is None or known.count >= head.count:
        _compare(db, kept.last, _("the file {name}").format(name=FILE), found, kept)
        return
    added = ngettext(
        "Entry {first} was added from outside the program: the file {name} does not know it.",
        "Entries {first} to {last} were added from outside the program: the file {name} does not"
        " know them.",
        head.count - known.count,
    )
    found.add(
        added.format(first=number(known.count + 1), last=number(head.count), name=FILE),
        known.count + 1,
    )


def _compare_proven(
    db: sqlite3.Connection,
    kept: LogHead,
    where: str,
    found: _Findings,
    key: bytes | None,
    more: KeptHead | None = None,
) -> bool:
    """Compare with what is kept where the log's writer has no access; return whether it agrees.

    Only an entry that is proven to be of this computer may leave it behind.
    """
    if not _compare(db, kept, where, found, more):
        return False
    place, entry = find_head(db, kept)
    if place != "left" or entry is None:
        return True
    if restore_proof(entry, head_before(db, entry[0]), key) == "made here":
        return True
    found.add(
        _(
            "Entry {number} leaves entry {left} behind, which {where} has, and it cannot be proven"
            " that somebody went back to a safety copy on this computer."
        ).format(number=number(entry[0]), left=number(kept.count), where=where),
        entry[0],
    )
    return False


def _doubt_unknown(db: sqlite3.Connection, kept: KeptHead, found: _Findings) -> None:
    """Tell of the entries that none of the programs has added that reach the key store."""
    for first, last in kept.unknown:
        (there,) = db.execute(
            "SELECT count(*) FROM audit WHERE id BETWEEN ? AND ?", (first, last)
        ).fetchone()
        if there:
            said = ngettext(
                "Entry {first} was added without this computer's key store: from outside, under"
                " another account, or by a program that was ended just then. Look whether it is"
                " true.",
                "Among entries {first} to {last} are some that were added without this computer's"
                " key store: from outside, under another account, or by a program that was ended"
                " just then. Look whether they are true.",
                last - first + 1,
            )
            found.doubts.append(said.format(first=number(first), last=number(last)))


def _compare(
    db: sqlite3.Connection,
    kept: LogHead,
    where: str,
    found: _Findings,
    more: KeptHead | None = None,
) -> bool:
    """Compare with a head that was kept somewhere; return whether the log holds it."""
    match find_head(db, kept)[0]:
        case "in" | "left":
            return True
        case "cut":
            head = last_entry(db) or NOTHING
            found.add(_cut(head, kept.count, where), head.count + 1)
        case "other" if more is not None and more.first not in ("", first_hash(db)):
            found.add(
                _(
                    "This is a whole other log: neither its first entry nor entry {number} is the"
                    " one that {where} has."
                ).format(where=where, number=number(kept.count)),
                1,
            )
        case "other":
            found.add(
                _(
                    "Entry {number} is not the one that {where} has: entries were cut off, and"
                    " others put in their place."
                ).format(where=where, number=number(kept.count))
            )
    return False


def _agreement(where: str, kept: KeptHead) -> str:
    if kept.since == 0:
        return _("It agrees with {where}, from its beginning.").format(where=where)
    return _("It agrees with {where}, which keeps its head since entry {number}.").format(
        where=where, number=number(kept.since)
    )


def _holds(db: sqlite3.Connection, kept: LogHead) -> bool:
    return find_head(db, kept)[0] in ("in", "left")


def _cut(head: LogHead, count: int, where: str) -> str:
    cut = ngettext(
        "Entry {first} was cut off: {where} counts {count}.",
        "Entries {first} to {last} were cut off: {where} counts {count}.",
        count - head.count,
    )
    return cut.format(
        first=number(head.count + 1), last=number(count), where=where, count=number(count)
    )
