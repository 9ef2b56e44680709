"""The audit log as a subject of the store: entries added, listed, verified."""

import asyncio
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.table import Cell
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import NOTHING, Action, LogHead, append, last_entry, read_detail
from qhub_desktop.store.audit_verification import AuditVerdict, verify_log
from qhub_desktop.store.database import Repository, from_us, reads, writes
from qhub_desktop.store.rights import check_account, requires

MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that somebody did. `person` is empty at a station without accounts."""

    id: int
    at: datetime
    person: str
    action: str
    subject: str
    detail: JsonObject


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
    @requires(*ADMINS)
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

    @reads
    @requires(*ADMINS)
    def head(self, db: Connection) -> LogHead:
        """Return number and hash of the last entry: kept elsewhere, they prove what came before."""
        return last_entry(db) or NOTHING

    async def verify(self, *, elsewhere: LogHead | None = None) -> AuditVerdict:
        """Look whether the log was changed from outside, and compare it with all kept heads.

        Also with one that was kept `elsewhere`. Raises UserError if the file cannot be read.
        """
        await self._check_right()
        database = self.database
        return await asyncio.to_thread(verify_log, database.path, database.head, elsewhere)

    @reads
    def _check_right(self, db: Connection) -> None:
        check_account(db, self.database, ADMINS)


def _entry(row: tuple[int, int, str, str, str, str]) -> AuditEntry:
    id_, at, person, action, subject, detail = row
    return AuditEntry(id_, from_us(at), person, action, subject, read_detail(detail))


def entries_as_rows(entries: list[AuditEntry]) -> Iterator[tuple[Cell, ...]]:
    """Yield the entries as rows of a file: number, moment, person, action, subject, detail."""
    for each in entries:
        detail = json.dumps(each.detail, ensure_ascii=False) if each.detail else ""
        yield each.id, each.at.isoformat(), each.person, each.action, each.subject, detail
