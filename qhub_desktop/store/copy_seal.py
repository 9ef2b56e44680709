"""Seal of a safety copy: a digest of all that it holds, and a proof that this computer made it.

It is a row of the copy's own, so it goes wherever the copy goes.
"""

# Why it is so: decisions/safety-copies.md

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import parse_json
from qhub_desktop.store.audit import NOTHING, LogHead, last_entry, parse_head
from qhub_desktop.store.migrations import version_of
from qhub_desktop.store.proofs import proof_of, prove

STATE = "copy/seal"  # the key of its row
_LONGEST = 2_000  # characters of a seal that is ours


def seal(db: sqlite3.Connection, key: bytes | None) -> None:
    """Seal a copy as it is now, with a proof if there is a key."""
    unseal(db)
    told: JsonObject = {
        "digest": content_digest(db),
        "head": str(last_entry(db) or NOTHING),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    told |= prove(key, _proven(told))
    db.execute("INSERT INTO state VALUES (?, ?)", (STATE, json.dumps(told)))


def unseal(db: sqlite3.Connection) -> None:
    """Take the seal off what is no copy any more."""
    if db.execute("SELECT 1 FROM state WHERE key = ?", (STATE,)).fetchone():
        db.execute("DELETE FROM state WHERE key = ?", (STATE,))


def seal_problem(db: sqlite3.Connection, key: bytes | None) -> str:
    """Say what speaks against a copy's seal, "" if nothing: also where it has none."""
    told = _told(db)
    if told is None:
        return ""
    if told.get("digest") != content_digest(db):
        return _("its content is not what it was when it was made")
    if proof_of(told, _proven(told), key) == "forged":
        return _("its seal was not made by this computer, though it says so")
    return ""


def is_sealed(db: sqlite3.Connection) -> bool:
    """Return whether a copy has a seal, whatever it is worth."""
    return _told(db) is not None


def is_sealed_here(db: sqlite3.Connection, key: bytes | None) -> bool:
    """Return whether a seal is this computer's; the content is not looked at."""
    told = _told(db)
    return told is not None and proof_of(told, _proven(told), key) == "made here"


def doubt_of(db: sqlite3.Connection, key: bytes | None) -> str:
    """Say why it cannot be proven that a copy is as it was made, "" if this computer can.

    Nothing is said where there is no key store and no proof was made therefore.
    """
    told = _told(db)
    if told is None:
        return _(
            "It has no seal, for an earlier version of QHub made it, or somebody copied the file by"
            " hand: it cannot be proven that nobody has changed it."
        )
    match proof_of(told, _proven(told), key):
        case "elsewhere" if key is not None:
            return _(
                "It was sealed on another computer, or without a key store: it cannot be proven"
                " here that nobody has changed it."
            )
        case "unknown":
            return _(
                "The key store that it was sealed with does not answer here: it cannot be proven"
                " that nobody has changed it."
            )
        case _:
            return ""


def sealed_head(db: sqlite3.Connection, key: bytes | None) -> LogHead | None:
    """Return the head that the log had when a copy was made.

    None without a seal, and for one that is not of this computer's key where it has one.
    """
    told = _told(db)
    if told is None or (key is not None and not is_sealed_here(db, key)):
        return None
    try:
        return parse_head(str(told.get("head")))
    except ValueError:
        return None


def content_digest(db: sqlite3.Connection) -> str:
    """Return the SHA-256 of the schema and of every row, but for the seal's own: 8 ms a megabyte.

    SQLite hands out rows and lets go of the interpreter's lock for each, so a window stays quick.
    """
    digest = hashlib.sha256(b"%d\n" % version_of(db))
    with _as_bytes(db):
        schema = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2")
        _add(digest.update, schema)
        # With the parts of search indexes, without the indexes themselves, which are made of them.
        named = db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
        ).fetchall()
        for (name,) in named:
            digest.update(b"%d:%s\n" % (len(name), name))
            quoted = name.decode().replace('"', '""')
            without = f" WHERE key <> '{STATE}'" if name == b"state" else ""
            _add(digest.update, db.execute(f'SELECT * FROM "{quoted}" NOT INDEXED{without}'))
    return digest.hexdigest()


def _add(update: Callable[[bytes], object], rows: Iterable[tuple[object, ...]]) -> None:
    for row in rows:
        for value in row:
            # A length before, or a comma behind: no two rows come to the same bytes.
            if isinstance(value, bytes):
                update(b"%d:" % len(value))
                update(value)
            else:
                # With what ends it: numbers beside each other could exchange their digits and give
                # the same digest.
                update(b"%s," % repr(value).encode())
        update(b"\n")


@contextmanager
def _as_bytes(db: sqlite3.Connection) -> Iterator[None]:
    before = db.text_factory
    db.text_factory = bytes
    try:
        yield
    finally:
        db.text_factory = before


def _told(db: sqlite3.Connection) -> JsonObject | None:
    row = db.execute(
        "SELECT value FROM state WHERE key = ? AND length(value) < ?", (STATE, _LONGEST)
    ).fetchone()
    try:
        told = parse_json(row[0]) if row else None
    except ValueError:
        told = {}
    return told if isinstance(told, dict) or told is None else {}


def _proven(told: JsonObject) -> Json:
    return [told.get("digest"), told.get("head"), told.get("made")]
