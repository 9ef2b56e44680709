"""What goes for good: counted by table, and marked until it is in no page of the file any more."""

from collections.abc import Iterable
from sqlite3 import Connection

from qhub_desktop.store.database import now_us
from qhub_desktop.store.settings import put_state, read_state

DELETING = "deleting"  # the state that says that words of what is gone may be left in the files
FILES = "deleting/files"  # the state that names files that are still to go
DAY_US = 86_400_000_000  # microseconds
UNDONE_DAYS = 30  # a deleted conversation can be brought back


def is_deletion_due(db: Connection) -> bool:
    """Return whether something deleted waits to go for good, or to be out of the files."""
    row = db.execute(
        """SELECT 1 FROM state WHERE key = ? UNION ALL
            SELECT 1 FROM conversations WHERE is_deleted = 1
                AND (deleted IS NULL OR deleted <= ?) LIMIT 1""",
        (DELETING, now_us() - UNDONE_DAYS * DAY_US),
    ).fetchone()
    return row is not None


def end_deletion(db: Connection) -> None:
    """Note that nothing is left of what is gone, and leave nothing in the file's log."""
    db.execute("DELETE FROM state WHERE key IN (?, ?)", (DELETING, FILES))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def leave_files(db: Connection, names: Iterable[str]) -> None:
    """Note files of the folder of exports that are to go. Inside a transaction."""
    put_state(db, FILES, [*dict.fromkeys([*leaving_files(db), *names])])


def leaving_files(db: Connection) -> list[str]:
    """Return the files of the folder of exports that are to go."""
    kept = read_state(db, FILES)
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def delete_counted(db: Connection, statement: str, given: int) -> dict[str, int]:
    """Run a DELETE; return how many rows went, by table. Inside a transaction.

    What hangs on them goes by foreign keys.
    """
    before = _counts(db)
    db.execute(statement, (given,))
    gone = {
        name: count - now
        for (name, count), now in zip(before.items(), _counts(db).values(), strict=True)
        if count > now
    }
    if gone:
        mark_deletion(db)
    return gone


def mark_deletion(db: Connection) -> None:
    """Note that words of what is gone may be left in the files. Inside a transaction."""
    db.execute("INSERT OR REPLACE INTO state VALUES (?, 'true')", (DELETING,))


def _counts(db: Connection) -> dict[str, int]:
    # Tables with SQL of their own, without those of the search indexes.
    named = db.execute(
        """SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
            AND name NOT LIKE '%search%' AND name NOT LIKE 'sqlite%' AND name <> 'state'
            ORDER BY name"""
    ).fetchall()
    counts = "SELECT count(*) FROM"
    return {name: db.execute(f'{counts} "{name}"').fetchone()[0] for (name,) in named}
