"""Salvage: what can still be read of a damaged database, row by row around the damage."""

# Why it is so: decisions/safety-copies.md

import secrets
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import cast

from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.audit import AUDIT_COLUMNS, NOTHING, LogHead, Row, follows, last_entry
from qhub_desktop.store.backups import tables
from qhub_desktop.store.connections import UNREADABLE, open_existing
from qhub_desktop.store.database import transaction

SALVAGE_S = 120.0  # after it, what has been read is kept; 230 MB take 12 s
MOST_FAILURES = 50_000  # of reading one table, a second or two
_ROWS = 500
_FIRST_READ = ("conversations", "messages")
_ADOPTING_AGENT = "analise"
_LAST_MOMENT = 253_000_000_000_000_000  # in microseconds: the year 9987
Read = tuple[object, ...]
LOG = "audit"


def salvage(damaged: Path, db: sqlite3.Connection, *, model: Path | None) -> int:
    """Add what a damaged file has beside what `db` has; return how many messages came with it.

    Row by row, around what cannot be read. `model` is a sound copy of the same file, whose first
    page stands in for a damaged one: it says where the tables begin.
    """
    deadline = time.monotonic() + SALVAGE_S
    before = _count_messages(db)
    with _readable(damaged, model) as source:
        if source is None:
            return 0
        found = set(tables(source))
        db.execute("PRAGMA foreign_keys = OFF")
        with transaction(db):
            # What others refer to first: should time run out, what was read can still be shown.
            for name in sorted(tables(db), key=lambda name: (name not in _FIRST_READ, name)):
                if name == LOG and name in found:
                    _copy_log(source, db, deadline=deadline)
                elif name in found:
                    _copy_rows(source, db, name, deadline=deadline)
            _refresh(source, db)
            _drop_garbled(db)
            _adopt_messages(db)
            _drop_orphans(db)
        db.execute("PRAGMA foreign_keys = ON")
    return _count_messages(db) - before


@contextmanager
def _readable(damaged: Path, model: Path | None) -> Iterator[sqlite3.Connection | None]:
    """Yield a connection that can list the tables, if there is a way to one."""
    with ExitStack() as stack:
        stack.callback(_drop_empty_companions, damaged)
        source = _reading(damaged)
        if source is None and model is not None and damaged.is_file():
            scratch = damaged.with_name(f"{damaged.name}.readable")
            stack.callback(scratch.unlink, missing_ok=True)
            _transplant(damaged, model, scratch)
            source = _reading(scratch)
        if source is not None:
            stack.callback(source.close)
        yield source


def _drop_empty_companions(path: Path) -> None:
    """Delete what SQLite makes beside a file even to read it."""
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size == 0:
        log.unlink()


def _reading(path: Path) -> sqlite3.Connection | None:
    try:
        db = open_existing(path, mode="ro")
    except sqlite3.Error:
        return None
    try:
        db.execute("PRAGMA cell_size_check = ON")
        is_readable = bool(tables(db))
    except UNREADABLE:
        is_readable = False
    if not is_readable:
        db.close()
        return None
    return db


def _transplant(damaged: Path, model: Path, scratch: Path) -> None:
    """Copy a file with the first page of another, which lists the same tables."""
    with model.open("rb") as stream:
        head = stream.read(100)
        size = int.from_bytes(head[16:18], "big")
        page = bytearray(head + stream.read((65_536 if size == 1 else size) - 100))
    # Where these two differ, SQLite takes the number of pages from the file's size.
    page[24:28] = (1).to_bytes(4, "big")
    page[92:96] = (0).to_bytes(4, "big")
    page[18:20] = bytes([1, 1])  # no log: that of the damaged file is not this one's
    shutil.copy2(damaged, scratch)
    with scratch.open("r+b") as stream:
        stream.write(page)


def _fetched(source: sqlite3.Connection, query: str, *given: object) -> list[Read]:
    """Return the rows of a query, none where they cannot be read."""
    try:
        return source.execute(query, given).fetchall()
    except UNREADABLE:
        return []


def _copy_rows(
    source: sqlite3.Connection, db: sqlite3.Connection, table: str, *, deadline: float
) -> None:
    described = f'PRAGMA table_info("{table}")'
    there = {column[1] for column in _fetched(source, described)}
    columns = [f'"{name}"' for _at, name, *_more in db.execute(described) if name in there]
    if not columns:
        return
    names, marks = ", ".join(columns), ", ".join("?" for _each in columns)
    rows = (
        _rows_by_number(source, table, names, deadline=deadline)
        if _has_row_numbers(db, table)
        else _rows_in_order(source, table, names)
    )
    insert = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})'
    for row in rows:
        with suppress(sqlite3.Error):  # of another type than the column's: no row
            db.execute(insert, row)


def _copy_log(source: sqlite3.Connection, db: sqlite3.Connection, *, deadline: float) -> None:
    """Add the entries that follow those of the copy, up to the first that does not.

    One that is missing takes all after it along: they could not be proven, and none can be taken
    out again. They stay in the damaged file, and the entry of the repair says that there were more.
    """
    before = last_entry(db) or NOTHING
    for row in _rows_by_number(source, LOG, AUDIT_COLUMNS, deadline=deadline):
        entry = cast("Row", row)
        if entry[0] <= before.count:
            continue
        if not follows(entry, before):
            return
        db.execute(f"INSERT INTO audit ({AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", entry)
        before = LogHead(entry[0], entry[-1])


def _has_row_numbers(db: sqlite3.Connection, table: str) -> bool:
    return bool(_fetched(db, f'SELECT count(rowid) FROM "{table}"'))


def _rows_in_order(source: sqlite3.Connection, table: str, names: str) -> Iterator[Read]:
    with suppress(*UNREADABLE):
        yield from source.execute(f'SELECT {names} FROM "{table}"')


def _rows_by_number(
    source: sqlite3.Connection, table: str, names: str, *, deadline: float
) -> Iterator[Read]:
    """Yield all rows that can be read: a range that fails is halved.

    The lower half first: where the last row's page is lost, every range above the others fails.
    """
    waiting = [_ends(source, table)]
    failures = 0
    while waiting and failures < MOST_FAILURES and time.monotonic() < deadline:
        lower, upper = waiting.pop()
        try:
            # One row is asked for as one: the end of a range is found by reading the row after it.
            begins = ">=" if lower < upper else "="
            rows: list[Read] = source.execute(
                f'SELECT rowid, {names} FROM "{table}" WHERE rowid {begins} ? AND rowid <= ?'
                " ORDER BY rowid LIMIT ?",
                (lower, upper, _ROWS),
            ).fetchall()
        except UNREADABLE:
            failures += 1
            if lower < upper:
                middle = (lower + upper) // 2
                waiting += [(middle + 1, upper), (lower, middle)]
            continue
        if len(rows) == _ROWS and isinstance(last := rows[-1][0], int) and last < upper:
            waiting.append((last + 1, upper))
        yield from (row[1:] for row in rows)


def _ends(source: sqlite3.Connection, table: str) -> tuple[int, int]:
    """Return the numbers of the first and the last row, as far as they can be read."""
    found: list[int | None] = []
    for order in ("ASC", "DESC"):
        rows = _fetched(source, f'SELECT rowid FROM "{table}" ORDER BY rowid {order} LIMIT 1')
        found += [number_ for (number_,) in rows if isinstance(number_, int)] or [None]
    first, last = found
    return (0 if first is None else first), (2**24 if last is None else last)


def _refresh(source: sqlite3.Connection, db: sqlite3.Connection) -> None:
    """Finish messages that the copy has in the making, and keep deleted what was deleted."""
    unended = db.execute('SELECT id FROM messages WHERE "end" IS NULL').fetchall()
    for (id_,) in unended:
        for ended in _fetched(source, 'SELECT "end", engine FROM messages WHERE id = ?', id_):
            db.execute('UPDATE messages SET "end" = ?, engine = ? WHERE id = ?', (*ended, id_))
    for table in ("conversations", "dashboards"):
        for (id_,) in _fetched(source, f"SELECT id FROM {table} WHERE is_deleted = 1"):
            db.execute(f"UPDATE {table} SET is_deleted = 1 WHERE id = ?", (id_,))


def _drop_garbled(db: sqlite3.Connection) -> None:
    """Delete what was read and cannot be shown: a damaged page may look like a sound one."""
    is_no_moment = f"created NOT BETWEEN 0 AND {_LAST_MOMENT}"
    db.execute(
        f"DELETE FROM conversations WHERE {is_no_moment}"
        f" OR updated NOT BETWEEN 0 AND {_LAST_MOMENT}"
    )
    db.execute(
        f"DELETE FROM messages WHERE {is_no_moment} OR role NOT IN ('user', 'assistant')"
        " OR rating NOT BETWEEN -1 AND 1"
        """ OR "end" NOT IN ('complete', 'limit', 'cancelled', 'failed')"""
    )


def _adopt_messages(db: sqlite3.Connection) -> None:
    """Give messages whose conversation could not be read a new one.

    It is the only account's; where there are several, nobody's, until an administrator hands it to
    somebody: nothing else tells whose it was.
    """
    people = [id_ for (id_,) in db.execute("SELECT id FROM people LIMIT 2")]
    owner = people[0] if len(people) == 1 else 0
    lost = db.execute(
        """SELECT conversation, min(created), max(created) FROM messages
            WHERE conversation NOT IN (SELECT number FROM conversations) GROUP BY conversation"""
    ).fetchall()
    for conversation, created, updated in lost:
        db.execute(
            """INSERT INTO conversations (number, id, agent, owner, title, created, updated)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                conversation,
                secrets.token_hex(6),
                _ADOPTING_AGENT,
                owner,
                _("Recovered conversation"),
                created,
                updated,
            ),
        )


def _drop_orphans(db: sqlite3.Connection) -> None:
    while orphans := db.execute("PRAGMA foreign_key_check").fetchall():
        for table, row, *_more in orphans:
            if row is None:
                raise sqlite3.DatabaseError(f"a row of {table} refers to nothing")
            db.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))


def _count_messages(db: sqlite3.Connection) -> int:
    count: int = db.execute("SELECT count(*) FROM messages").fetchone()[0]
    return count
