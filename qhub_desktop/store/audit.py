"""The audit log: who did what, each entry sealed with a hash over itself and the one before."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import hide_secrets, map_texts, sanitize
from qhub_desktop.store.database import Repository, from_us, now_us, read_json, reads, writes

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
    "read",  # somebody else's conversation, where the plant has switched that on
]
MOST_LISTED = 500
FIRST_HASH = "0" * 64
PAGE_ROWS = 5_000  # verified in one step: 20 ms


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that somebody did. `person` is empty at a station without accounts."""

    id: int
    at: datetime
    person: str
    action: str
    subject: str
    detail: JsonObject


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What a verification of the log found: `broken` is the first entry that does not hold."""

    entries: int
    broken: int | None
    head: str  # the hash of the last entry: kept elsewhere, it proves that nothing was cut off


class AuditRepository(Repository):
    """The log. It only grows: the file itself refuses changes and deletions."""

    @writes
    def add(self, db: Connection, action: Action, subject: str, detail: JsonObject) -> None:
        """Add what the program's person did."""
        append(db, self.database.actor, action, subject, detail)

    @writes
    def add_export(self, db: Connection, target: Path, rows: int) -> None:
        """Add that the program's person has exported rows to a file."""
        detail: JsonObject = {"file": str(target), "rows": rows}
        append(db, self.database.actor, "export", target.name, detail)

    @reads
    def listed(
        self,
        db: Connection,
        *,
        person: str = "",
        action: str = "",
        search: str = "",
        before: int | None = None,
        limit: int = MOST_LISTED,
    ) -> list[AuditEntry]:
        """List the latest entries first, of one person or action, with a word, if asked."""
        rows = db.execute(
            """SELECT id, at, person, action, subject, detail FROM audit
                WHERE id < :before AND (:person = '' OR person = :person)
                    AND (:action = '' OR action = :action)
                    AND (:word = '' OR instr(lower(subject || ' ' || detail), lower(:word)))
                ORDER BY id DESC LIMIT :limit""",
            {
                "before": before if before is not None else 1 << 62,
                "person": sanitize(person),
                "action": sanitize(action),
                "word": sanitize(search),
                "limit": limit,
            },
        )
        return [_entry(row) for row in rows]

    async def verify(self) -> AuditVerdict:
        """Compute every hash again, in small steps: whether an entry was changed or taken out."""
        last, seal, seen = 0, FIRST_HASH, 0
        while True:
            page = await self._page(last)
            for row in page:
                id_, kept = row[0], row[-1]
                seal = _seal(seal, *row[:-1])
                if kept != seal or id_ != last + 1:
                    return AuditVerdict(seen, last + 1, seal)
                last, seen = id_, seen + 1
            if not page:
                break
        # SQLite remembers the last number it gave out: entries cut off at the end leave it behind.
        given = await self._given()
        return AuditVerdict(seen, last + 1 if given != last else None, seal)

    @reads
    def _page(self, db: Connection, after: int) -> list[tuple[int, int, str, str, str, str, str]]:
        return db.execute(
            """SELECT id, at, person, action, subject, detail, hash FROM audit WHERE id > ?
                ORDER BY id LIMIT ?""",
            (after, PAGE_ROWS),
        ).fetchall()

    @reads
    def _given(self, db: Connection) -> int:
        row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
        return int(row[0]) if row else 0


def append(db: Connection, person: str, action: Action, subject: str, detail: JsonObject) -> None:
    """Add an entry. Inside a transaction, so that no other program adds one meanwhile."""
    row = db.execute("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1").fetchone()
    last, seal = row or (0, FIRST_HASH)
    told = json.dumps(map_texts(detail, _clean), ensure_ascii=False, sort_keys=True)
    content = (now_us(), _clean(person), action, _clean(subject), told)
    db.execute(
        "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)",
        (last + 1, *content, _seal(seal, last + 1, *content)),
    )


def _clean(text: str) -> str:
    return hide_secrets(sanitize(text))


def _seal(before: str, *content: int | str) -> str:
    told = json.dumps([before, *content], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


def _entry(row: tuple[int, int, str, str, str, str]) -> AuditEntry:
    id_, at, person, action, subject, detail = row
    told = read_json(detail)
    return AuditEntry(
        id_, from_us(at), person, action, subject, told if isinstance(told, dict) else {}
    )


def verdict_sentence(verdict: AuditVerdict) -> str:
    """Say what a verification found."""
    if verdict.broken is None:
        said = _("The log is whole: {count} entries, the last sealed with {head}.")
        return said.format(count=verdict.entries, head=verdict.head[:16])
    return _(
        "The log does not hold from entry {id} on: it was changed outside the program. Restore a"
        " safety copy, and find out who can write to the data folder."
    ).format(id=verdict.broken)


def entries_as_rows(entries: list[AuditEntry]) -> Iterator[tuple[Cell, ...]]:
    """Yield the entries as rows of a file: number, moment, person, action, subject, detail."""
    for each in entries:
        detail = json.dumps(each.detail, ensure_ascii=False) if each.detail else ""
        yield each.id, each.at.isoformat(), each.person, each.action, each.subject, detail
