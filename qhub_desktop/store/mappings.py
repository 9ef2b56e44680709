"""How files with certain columns are read as defects, as the person once confirmed it."""

import json
import sqlite3
from collections.abc import Iterable

from qhub_desktop.core.defect import DefectMapping
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import stamp, storable


def shape_of(columns: Iterable[str]) -> str:
    """What files with the same columns have in common, whatever the order."""
    return json.dumps(sorted(storable(column) for column in columns), ensure_ascii=False)


def keep(db: sqlite3.Connection, columns: Iterable[str], mapping: DefectMapping) -> None:
    """Remember this for files with these columns, in place of what was remembered."""
    kept = json.dumps({"columns": mapping.columns, "words": mapping.words}, ensure_ascii=True)
    with writing(db):
        db.execute(
            """INSERT INTO defect_mappings VALUES (?, ?, ?) ON CONFLICT DO UPDATE
                SET mapping = excluded.mapping, confirmed = excluded.confirmed""",
            (shape_of(columns), kept, stamp()),
        )


def confirmed(db: sqlite3.Connection, columns: Iterable[str]) -> DefectMapping | None:
    """What was confirmed for files with these columns, if anything."""
    row = db.execute(
        "SELECT mapping FROM defect_mappings WHERE shape = ?", (shape_of(columns),)
    ).fetchone()
    if row is None:
        return None
    kept = json.loads(row[0])
    columns_of = tuple((str(field), str(column)) for field, column in kept["columns"])
    words = tuple((str(field), str(word), str(said)) for field, word, said in kept["words"])
    return DefectMapping(columns_of, words)
