"""Settings, and small things remembered by key, such as a window's place: JSON by key."""

import json
import sqlite3
from functools import partial

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.person import ADMINS, ROLES
from qhub_desktop.core.settings import PERSONAL
from qhub_desktop.core.untrusted_files import MalformedContentError
from qhub_desktop.store.audit import append
from qhub_desktop.store.database import (
    Database,
    Repository,
    read_json,
    reads,
    reads_now,
    transaction,
    writes,
)
from qhub_desktop.store.rights import check_account, requires

NEW_DRAFT = "draft/new/"  # begins the keys of questions that are written before a conversation is


class SettingRepository(Repository):
    """The stored settings, and the state of windows and panels."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._seen: JsonObject = {}  # the settings as this program last saw or left them

    @reads_now
    def load_now(self, db: sqlite3.Connection) -> JsonObject:
        """Read the stored settings. Blocks: for start-up."""
        rows = db.execute("SELECT key, value FROM settings")
        self._seen = {key: _setting(value) for key, value in rows}
        return dict(self._seen)

    async def save(self, settings: JsonObject) -> None:
        """Make these the stored settings; a key that is missing goes back to its default.

        Only what differs from what this program last saw is written, so that two programs that
        change different settings keep both changes. Where people sign in, all but how the program
        looks and speaks is an administrator's: raises UserError for others.
        """
        await self.database.run(partial(self._save, after=dict(settings)))

    @reads_now
    def state_now(self, db: sqlite3.Connection, key: str) -> Json:
        """Return what was last kept under the key, or None. Blocks: for start-up."""
        return read_state(db, self._own(key))

    @reads
    def state(self, db: sqlite3.Connection, key: str) -> Json:
        """Return what was last kept under the key, or None."""
        return read_state(db, self._own(key))

    @writes
    def save_state(self, db: sqlite3.Connection, key: str, value: Json) -> None:
        """Keep one thing under its key: a window's place, a panel's width."""
        put_state(db, self._own(key), value)

    @writes
    @requires("responsavel", "admin")
    def keep_demand(self, db: sqlite3.Connection, key: str, value: Json) -> None:
        """Keep what is demanded of a characteristic, which decides what everybody is told of it."""
        detail: JsonObject = {"before": read_state(db, key), "after": value}
        append(db, self.database.actor, "setting", key, detail)
        put_state(db, key, value)

    @writes
    @requires(*ROLES)
    def record_lot(self, db: sqlite3.Connection, key: str, lot: JsonObject) -> list[Json]:
        """Keep an inspected lot of a characteristic; return all of them, in their order.

        A lot that is known by its number ("id") is put right in its place.
        """
        kept = read_state(db, key)
        lots = kept if isinstance(kept, list) else []
        at = next((n for n, each in enumerate(lots) if _lot(each) == lot["id"]), len(lots))
        before = lots[at] if at < len(lots) else None
        if before != lot:
            lots[at : at + 1] = [lot]
            append(db, self.database.actor, "setting", key, {"before": before, "after": lot})
            put_state(db, key, lots)
        return lots

    def _own(self, key: str) -> str:
        """Return the key of the person's own draft where it is in no conversation of theirs yet."""
        owner = self.database.owner
        return f"{key}@{owner}" if owner and key.startswith(NEW_DRAFT) else key

    def _save(self, db: sqlite3.Connection, after: JsonObject) -> None:
        before, person = self._seen, self.database.person
        if person is not None and not person.is_admin:
            # What is missing was never theirs: a default that was stored, or a later version's.
            after = {key: before[key] for key in before if key not in PERSONAL} | after
        gone = [(key,) for key in before if key not in after]
        changed = [
            (key, json.dumps(value))
            for key, value in after.items()
            if key not in before or before[key] != value
        ]
        is_personal = all(key in PERSONAL for key, *_value in (*gone, *changed))
        with transaction(db):
            check_account(db, self.database, ROLES if is_personal else ADMINS)
            for key in sorted({*before, *after}):
                if before.get(key) != after.get(key):
                    detail: JsonObject = {"before": before.get(key), "after": after.get(key)}
                    append(db, self.database.actor, "setting", key, detail)
            db.executemany("DELETE FROM settings WHERE key = ?", gone)
            db.executemany(
                """INSERT INTO settings VALUES (?, ?)
                    ON CONFLICT DO UPDATE SET value = excluded.value""",
                changed,
            )
        self._seen = after


def _lot(kept: Json) -> Json:
    return kept.get("id") if isinstance(kept, dict) else None


def _setting(value: str) -> Json:
    """Decode a setting; None, which no setting is, for what another program has made of it."""
    try:
        return read_json(value)
    except MalformedContentError:
        return None


def put_state(db: sqlite3.Connection, key: str, value: Json) -> None:
    """Keep one thing under its key. Inside a transaction."""
    db.execute(
        "INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        (key, json.dumps(value)),
    )


def read_state(db: sqlite3.Connection, key: str) -> Json:
    """Return what was last kept under a key, or None."""
    row = db.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
    try:
        return read_json(row[0]) if row else None
    except MalformedContentError:
        return None  # a window's place, which is chosen again
