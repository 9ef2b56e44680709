"""Settings and window state: JSON by key, changed key by key."""

import json
import sqlite3

from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.store.transaction import writing


def settings(db: sqlite3.Connection) -> JsonObject:
    """Every stored setting."""
    return {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM settings")}


def change_settings(db: sqlite3.Connection, *, before: JsonObject, after: JsonObject) -> None:
    """Store what differs between the two, and leave alone what others may have changed."""
    gone = [(key,) for key in before if key not in after]
    changed = [
        (key, json.dumps(value))
        for key, value in after.items()
        if key not in before or before[key] != value
    ]
    with writing(db):
        db.executemany("DELETE FROM settings WHERE key = ?", gone)
        db.executemany(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            changed,
        )


def state(db: sqlite3.Connection, key: str) -> Json:
    """What was last kept under the key; nothing if nothing was."""
    row = db.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
    kept: Json = json.loads(row[0]) if row else None
    return kept


def keep_state(db: sqlite3.Connection, key: str, value: Json) -> None:
    """Keep one thing under its key."""
    with writing(db):
        db.execute(
            "INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (key, json.dumps(value)),
        )
