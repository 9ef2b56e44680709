"""The audit log as a file."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from qhub_desktop.core.table import Cell
from qhub_desktop.data.export.output import atomic_write
from qhub_desktop.data.export.text_tables import CsvWriter
from qhub_desktop.store.audit_repository import AuditRepository, entries_as_rows

COLUMNS = ("id", "at", "person", "action", "subject", "detail")


async def export_audit(audit: AuditRepository, target: Path) -> int:
    """Write the whole log to a CSV file, the oldest entry first; return how many there are.

    The export stands in the log itself. Raises UserError if it cannot be written, and for whoever
    may not read the log.
    """
    await audit.listed(limit=1)
    await audit.add("export", "audit", {"file": target.name})
    rows: list[Sequence[Cell]] = []
    before = None
    while page := await audit.listed(before=before):
        rows += entries_as_rows(page)
        before = page[-1].id
    rows.reverse()
    await asyncio.to_thread(_write, rows, target)
    return len(rows)


def _write(rows: Sequence[Sequence[Cell]], target: Path) -> None:
    with atomic_write(target) as draft, draft.open("w", encoding="utf-8-sig", newline="") as out:
        CsvWriter(out, COLUMNS, locale="en").write(rows)
