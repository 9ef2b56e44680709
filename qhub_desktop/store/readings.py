"""What words that may be read in several ways mean in files with certain columns, as was chosen."""

import sqlite3
from collections.abc import Iterable

from qhub_desktop.store.mappings import shape_of
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import stamp, storable


def keep(db: sqlite3.Connection, columns: Iterable[str], word: str, reading: str) -> None:
    """Remember this for files with these columns, in place of what was remembered of the word."""
    with writing(db):
        db.execute(
            """INSERT INTO readings VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
                SET reading = excluded.reading, chosen = excluded.chosen""",
            (shape_of(columns), storable(word), storable(reading), stamp()),
        )


def chosen(db: sqlite3.Connection, columns: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Each word with its reading, for files with these columns, the first chosen first."""
    return tuple(
        db.execute(
            "SELECT word, reading FROM readings WHERE shape = ? ORDER BY chosen, word",
            (shape_of(columns),),
        )
    )
