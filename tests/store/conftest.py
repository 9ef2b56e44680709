"""A way to look into the file of a store."""

from contextlib import closing
from pathlib import Path

from qhub_desktop.store.database import connect


def faults(folder: Path) -> list[str]:
    """What SQLite finds wrong with the file: its pages, its references, its search indexes."""
    with closing(connect(folder / "qhub.db")) as db:
        found = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        found += [f"{row[0]}: orphan" for row in db.execute("PRAGMA foreign_key_check")]
        # These raise if an index and what it indexes have parted.
        db.execute("INSERT INTO text_search (text_search) VALUES ('integrity-check')")
        db.execute("INSERT INTO title_search (title_search) VALUES ('integrity-check')")
        return found
