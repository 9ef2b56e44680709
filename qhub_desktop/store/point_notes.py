"""Causes and actions noted on points of control charts."""

from datetime import datetime
from sqlite3 import Connection

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.study import PointNote
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.database import Repository, as_us, from_us, reads, writes
from qhub_desktop.store.rights import requires


class PointNoteRepository(Repository):
    """Notes by chart and point. None is ever changed: what was written stays, with who and when."""

    @writes
    @requires(*ROLES)
    def add(self, db: Connection, subject: str, note: PointNote) -> PointNote:
        """Keep one more note on a point of a chart, and return it as it was kept.

        Raises UserError if neither cause nor action has a word.
        """
        cause, action = sanitize(note.cause).strip(), sanitize(note.action).strip()
        if not cause and not action:
            raise UserError(_("Nothing is noted yet. Write the cause, the action, or both."))
        db.execute(
            """INSERT INTO point_notes (subject, label, cause, action, author, at)
                VALUES (?, ?, ?, ?, ?, ?)""",
            (subject, note.label, cause, action, sanitize(note.by), as_us(note.at)),
        )
        return PointNote(note.label, cause, action, note.by, note.at)

    @reads
    def of(self, db: Connection, subject: str) -> list[PointNote]:
        """Return every note on a chart, the oldest first."""
        rows = db.execute(
            """SELECT label, cause, action, author, at FROM point_notes
                WHERE subject = ? ORDER BY id""",
            (subject,),
        )
        return [_note(*row) for row in rows]


def _note(label: str, cause: str, action: str, author: str, at: int) -> PointNote:
    when: datetime = from_us(at)
    return PointNote(label, cause, action, author, when)
