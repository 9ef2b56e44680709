"""Moderation: what the guard did with questions, contested by whoever asked, and reviewed."""

from datetime import date, datetime, time
from sqlite3 import Connection
from typing import Any, Literal

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.guard import GuardAction, GuardCategory, ModerationEntry
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.person import ADMINS, ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.database import Repository, as_us, from_us, now_us, reads, writes
from qhub_desktop.store.deletion import DAY_US
from qhub_desktop.store.rights import requires

MODERATED_DAYS = 180
EXCERPT_CHARACTERS = 200
WRONG_TO_PROPOSE = 2  # times that a rule was wrong, until its end is proposed

_ENTRIES = """SELECT m.id, m.created, coalesce(p.name, ''), coalesce(c.id, ''), m.category, m.rule,
    m.action, m.excerpt, m.review FROM moderation m LEFT JOIN people p ON p.id = m.owner
    LEFT JOIN conversations c ON c.number = m.conversation"""


class ModerationRepository(Repository):
    """Record of what the guard did, kept for half a year."""

    @writes
    @requires(*ROLES)
    def add(
        self,
        db: Connection,
        conversation: ConversationId,
        category: GuardCategory,
        rule: str,
        action: GuardAction,
        text: str,
    ) -> int:
        """Note what was done with a text, which has no secrets any more; return the number."""
        db.execute(
            "DELETE FROM moderation WHERE created < ?", (now_us() - MODERATED_DAYS * DAY_US,)
        )
        row = db.execute(
            """INSERT INTO moderation
                (created, owner, conversation, category, rule, action, excerpt)
                VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id""",
            (
                now_us(),
                self.database.owner or 0,
                number_of(db, conversation),
                category,
                rule,
                action,
                one_line(text, most=EXCERPT_CHARACTERS),
            ),
        ).fetchone()
        return int(row[0])

    @reads
    def choice(self, db: Connection, conversation: ConversationId) -> GuardAction | None:
        """Return what the person chose last for personal data in a conversation."""
        row = db.execute(
            """SELECT action FROM moderation WHERE conversation = ? AND category = 'personal'
                AND action IN ('send', 'hide') ORDER BY id DESC LIMIT 1""",
            (number_of(db, conversation),),
        ).fetchone()
        return None if row is None else row[0]

    @writes
    @requires(*ROLES)
    def contest(self, db: Connection, id_: int) -> None:
        """Note that the person calls their own question legitimate. Raises UserError for none."""
        found = db.execute(
            """UPDATE moderation SET review = 'contested' WHERE id = ? AND owner = ?
                AND review IN ('', 'contested') RETURNING id""",
            (id_, self.database.owner or 0),
        ).fetchone()
        if found is None:
            raise UserError(_("Somebody has decided on this already, or it is kept no more."))

    @writes
    @requires(*ADMINS)
    def review(
        self, db: Connection, id_: int, review: Literal["right", "wrong"]
    ) -> ModerationEntry:
        """Decide whether the guard was right. Raises UserError for an entry that is not there."""
        db.execute("UPDATE moderation SET review = ? WHERE id = ?", (review, id_))
        row = db.execute(f"{_ENTRIES} WHERE m.id = ?", (id_,)).fetchone()
        if row is None:
            raise UserError(_("There is no entry {id}. See: qhub guard log").format(id=id_))
        return _entry(row)

    @reads
    @requires(*ADMINS)
    def listed(
        self,
        db: Connection,
        *,
        category: GuardCategory | None = None,
        since: date | None = None,
    ) -> list[ModerationEntry]:
        """List everybody's entries, the latest first; `since` is a day on the station's clock."""
        kept = now_us() - MODERATED_DAYS * DAY_US
        first = 0 if since is None else as_us(datetime.combine(since, time.min).astimezone())
        rows = db.execute(
            f"""{_ENTRIES} WHERE m.created >= ? AND (? IS NULL OR m.category = ?)
                ORDER BY m.id DESC""",
            (max(kept, first), category, category),
        )
        return [_entry(row) for row in rows]

    @reads
    def waiting(self, db: Connection) -> int:
        """Count what an administrator is to look at: ways round safety devices, and what was called
        legitimate.
        """
        row = db.execute(
            """SELECT count(*) FROM moderation WHERE created >= ? AND action = 'block'
                AND (review = 'contested' OR category = 'safety' AND review = '')""",
            (now_us() - MODERATED_DAYS * DAY_US,),
        ).fetchone()
        return int(row[0])

    @reads
    @requires(*ADMINS)
    def proposed_off(self, db: Connection) -> list[str]:
        """Return the rules that were wrong twice: they are better switched off."""
        rows = db.execute(
            """SELECT rule FROM moderation WHERE review = 'wrong'
                GROUP BY rule HAVING count(*) >= ? ORDER BY rule""",
            (WRONG_TO_PROPOSE,),
        )
        return [rule for (rule,) in rows]


def _entry(row: Any) -> ModerationEntry:
    id_, created, *rest = row
    return ModerationEntry(id_, from_us(created), *rest)
