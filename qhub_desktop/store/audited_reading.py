"""Audited reading: an administrator sees what others have said, and the log says so before."""

# Why it is so: decisions/accounts.md

from sqlite3 import Connection

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.settings import Policy
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import append
from qhub_desktop.store.conversations import Conversation, find_in, list_of, reaching
from qhub_desktop.store.database import Database, Repository, read_json, reads, writes
from qhub_desktop.store.messages import latest_in
from qhub_desktop.store.rights import are_in_use, check_account

SETTING = "is_audited_reading"
WHOLE = 1_000_000  # more messages than any conversation has


@dataclass(frozen=True, slots=True)
class AuditedConversation:
    """Somebody's conversation as it was when it was read."""

    person: str
    conversation: Conversation
    messages: tuple[Message, ...]


class AuditedReading(Repository):
    """Conversations of others, for an administrator, where that is switched on.

    Asked anew for each reading, of the file and of the policy, since another program may have
    switched it off. What is returned stands in the log already: both in one transaction.
    """

    def __init__(self, database: Database, policy: Policy) -> None:
        super().__init__(database)
        self._fixed: object = policy.fixed.get(SETTING)

    @reads
    def is_on(self, db: Connection) -> bool:
        """Return whether administrators may read what others have said."""
        return self._is_on(db)

    @writes
    def listed(
        self, db: Connection, name: str, *, search: str = "", limit: int = 200
    ) -> list[Conversation]:
        """List somebody's conversations, the archived ones too.

        Raises UserError where nobody may read them, and for a name without an account.
        """
        owner = self._owner(db, name)
        with reaching(db, self.database, owner, agents=self.database.agents):
            found = list_of(db, search=search, include_archived=True, limit=limit)
        detail: JsonObject = {"of": name, "conversations": len(found)}
        self._log(db, "conversations", detail | ({"search": search} if search else {}))
        return found

    @writes
    def read(self, db: Connection, name: str, id_: ConversationId) -> AuditedConversation:
        """Read a conversation of somebody's. Raises UserError as `listed` does."""
        owner = self._owner(db, name)
        with reaching(db, self.database, owner, agents=self.database.agents):
            conversation = find_in(db, id_)
            messages = latest_in(db, id_, before=None, limit=WHOLE)
        self._log(db, f"conversation {id_}", {"of": name, "messages": len(messages)})
        return AuditedConversation(name, conversation, tuple(messages))

    def _is_on(self, db: Connection) -> bool:
        if not are_in_use(db):
            return False
        if self._fixed is not None:
            return self._fixed is True
        row = db.execute("SELECT value FROM settings WHERE key = ?", (SETTING,)).fetchone()
        return row is not None and read_json(row[0]) is True

    def _owner(self, db: Connection, name: str) -> int:
        """Return whose account it is, if whoever asks may read what is theirs."""
        check_account(db, self.database, ADMINS)
        if not self._is_on(db):
            raise UserError(
                _(
                    "Conversations belong to whoever had them, and nobody else reads them here. The"
                    " plant can switch audited reading on (Settings, under General, or: qhub admin"
                    " reading on); everybody is told then."
                )
            )
        row = db.execute("SELECT id FROM people WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise UserError(
                _("There is no account '{name}'. See them all: qhub admin people list.").format(
                    name=name
                )
            )
        owner: int = row[0]
        return owner

    def _log(self, db: Connection, subject: str, detail: JsonObject) -> None:
        append(db, self.database.actor, "read", subject, detail)
