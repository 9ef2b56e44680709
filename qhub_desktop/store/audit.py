"""The audit log: who did what, each entry sealed with a hash over itself and the one before."""

# Why it is so: decisions/audit-log.md

import hashlib
import json
import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from typing_extensions import override

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.untrusted import hide_secrets, map_texts, sanitize
from qhub_desktop.core.untrusted_files import parse_json
from qhub_desktop.core.values import dataclass

Action = Literal[
    "sign in",
    "sign out",
    "refused",  # a wrong secret, a disabled account, a locked one
    "account",  # made, changed, disabled, reset
    "agent",  # edited, restored, imported
    "setting",
    "budget",
    "approved",
    "declined",
    "export",
    "delete",
    "restore",
    "repair",  # of damaged messages
    "read",  # somebody else's conversation, where the plant has switched that on
]
FIRST_HASH = "0" * 64
SHOWN_HASH = 16  # letters of a hash in a sentence: 64 bits, which nobody finds a second entry for
MOST_ENTRIES = 1 << 53  # a count beyond it is made up, and would leave no number for the next entry
_HEAD = re.compile(rf"([0-9]{{1,16}}):([0-9a-f]{{{SHOWN_HASH},64}})")

Row = tuple[int, int, str, str, str, str, str]  # an entry as it is stored, its hash last
AUDIT_COLUMNS = "id, at, person, action, subject, detail, hash"


@dataclass(frozen=True, slots=True)
class LogHead:
    """Last entry of a log at some moment: its number, which only rises, and its hash."""

    count: int
    hash: str

    @override
    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"

    @property
    def shown(self) -> str:
        """Number and hash, short enough for a sentence."""
        return f"{self.count}:{self.hash[:SHOWN_HASH]}"


appended_here: set[LogHead] = set()  # by this program, whether it was stored or not
NOTHING = LogHead(0, FIRST_HASH)  # the head of a log without entries


def parse_head(text: str) -> LogHead:
    """Read what `str` or `shown` made of a head. Raises ValueError."""
    match = _HEAD.fullmatch(text.strip().casefold())
    if match is None or int(match[1]) > MOST_ENTRIES:
        raise ValueError(text)
    return LogHead(int(match[1]), match[2])


def seal_of(before: str, content: Sequence[int | str]) -> str:
    """Return the hash of an entry, by the hash before it and all its columns."""
    told = json.dumps(
        [before, *content],
        ensure_ascii=False,
        separators=(",", ":"),
        default=repr,  # of other types than we store: another hash, and no error
    )
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def follows(row: Row, before: LogHead) -> bool:
    """Return whether an entry is the one after `before`: by the next number, and sealed with it.

    Only an entry of who went back to a safety copy leaves numbers out.
    """
    is_next = row[0] == before.count + 1 or (row[0] > before.count and row[3] == "restore")
    return is_next and row[-1] == seal_of(before.hash, row[:-1])


def append(
    db: sqlite3.Connection,
    person: str,
    action: Action,
    subject: str,
    detail: JsonObject,
    *,
    after: int = 0,
) -> None:
    """Add an entry. Inside a transaction, so that no other program adds one meanwhile.

    Its number is the next one, and higher than `after`.
    """
    last = last_entry(db) or NOTHING
    told = json.dumps(map_texts(detail, _clean), ensure_ascii=False, sort_keys=True)
    content = (
        max(last.count, after) + 1,
        time.time_ns() // 1_000,
        _clean(person),
        action,
        _clean(subject),
        told,
    )
    seal = seal_of(last.hash, content)
    db.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)", (*content, seal))
    appended_here.add(LogHead(content[0], seal))


def _clean(text: str) -> str:
    return hide_secrets(sanitize(text))


def last_entry(db: sqlite3.Connection) -> LogHead | None:
    """Return the head of the log, None in a file that has no log."""
    try:
        row = db.execute("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        if is_altered(error):
            return None
        raise
    return LogHead(row[0], str(row[1])) if row else NOTHING


def is_altered(error: sqlite3.Error) -> bool:
    """Return whether a statement of ours met what no program of ours has left in the file."""
    # SQLite has one code for all that is wrong with a statement; ours are right.
    return isinstance(error, sqlite3.OperationalError) and str(error).startswith(
        ("no such table", "no such column", "Could not decode to UTF-8")
    )


Place = Literal[
    "in",  # an entry of this log
    "left",  # of the log before somebody went back to a safety copy
    "cut",  # the log ends before it
    "other",  # the log has another entry with this number, or none
]


def find_head(db: sqlite3.Connection, head: LogHead) -> tuple[Place, Row | None]:
    """Return whether a log holds a head, with the entry of who left it behind, if somebody did."""
    if head == NOTHING:
        return "in", None
    row = db.execute("SELECT hash FROM audit WHERE id = ?", (head.count,)).fetchone()
    if row is not None and str(row[0]).startswith(head.hash):
        return "in", None
    following: Row | None = db.execute(
        f"SELECT {AUDIT_COLUMNS} FROM audit WHERE id > ? ORDER BY id LIMIT 1",
        (head.count,),
    ).fetchone()
    if row is None and following is not None and following[3] == "restore":
        return "left", following
    for entry in db.execute(
        f"SELECT {AUDIT_COLUMNS} FROM audit WHERE action = 'restore'"
    ).fetchall():
        for left in heads_left(entry[5]):
            if left.count == head.count and left.hash.startswith(head.hash):
                return "left", entry
    return "cut" if row is None and following is None else "other", None


def entries_between(db: sqlite3.Connection, first: LogHead, last: LogHead) -> list[Row]:
    """Return the entries after one head, up to another."""
    return db.execute(
        f"SELECT {AUDIT_COLUMNS} FROM audit WHERE id > ? AND id <= ? ORDER BY id",
        (first.count, last.count),
    ).fetchall()


def head_before(db: sqlite3.Connection, number: int) -> LogHead:
    """Return the head that the log had before it got an entry."""
    row = db.execute(
        "SELECT id, hash FROM audit WHERE id < ? ORDER BY id DESC LIMIT 1", (number,)
    ).fetchone()
    return LogHead(row[0], str(row[1])) if row else NOTHING


def read_detail(detail: str) -> JsonObject:
    """Read the details of an entry, which may not be as a program of ours writes them."""
    with suppress(ValueError):
        told = parse_json(detail)
        return told if isinstance(told, dict) else {}
    return {}


def heads_left(detail: str) -> list[LogHead]:
    """Return the heads that a restore, by its entry's details, left behind."""
    return parse_heads(read_detail(detail).get("left"))


def parse_heads(left: object) -> list[LogHead]:
    """Read a list of heads, without malformed ones."""
    heads = []
    for each in left if isinstance(left, list) else []:
        with suppress(ValueError):
            heads.append(parse_head(str(each)))
    return heads


def first_hash(db: sqlite3.Connection) -> str:
    """Return the hash of the log's first entry, "" of a log without entries."""
    row = db.execute("SELECT hash FROM audit ORDER BY id LIMIT 1").fetchone()
    return str(row[0]) if row else ""
