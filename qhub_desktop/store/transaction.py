"""Connections, and all-or-nothing writes on them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def connect(path: Path, *, patience_s: float = 5.0) -> sqlite3.Connection:
    """A connection whose transactions are all explicit, and which waits for other writers."""
    return sqlite3.connect(path, timeout=patience_s, isolation_level=None)


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """Everything inside is stored together, or not at all."""
    # Immediate: a transaction that reads first and writes later can not wait for another writer.
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
