"""Conversations: their list, their titles, what became of them, and finding words in them."""

import json
import re
import secrets
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from sqlite3 import Connection

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.person import ADMINS, ROLES
from qhub_desktop.core.text import fold_in_place, gettext_noop
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import Action, append
from qhub_desktop.store.database import (
    Database,
    Repository,
    from_us,
    now_us,
    reads,
    writes,
)
from qhub_desktop.store.deletion import DAY_US, UNDONE_DAYS, delete_counted
from qhub_desktop.store.rights import requires

TITLE_CHARACTERS = 60
MOST_WORDS = 16
SNIPPET_CHARACTERS = 90
BEFORE_CHARACTERS = 12  # few, for the list of conversations is narrow


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything said between the person and one agent, as the lists show it.

    `title` is its first data set's until the first question gives one. `snippet` is filled by a
    search that found words in a message: the text around them.
    """

    id: ConversationId
    agent: str
    title: str
    created: datetime
    updated: datetime
    is_pinned: bool = False
    is_archived: bool = False
    snippet: str = ""
    is_unread: bool = False  # an answer came while nobody looked
    has_question: bool = False  # its last answer has asked the person, who has not answered yet


_CONVERSATION_COLUMNS = """c.id, c.agent,
    CASE c.title WHEN '' THEN coalesce(
        (SELECT name FROM pins WHERE conversation = c.number ORDER BY id LIMIT 1), '')
        ELSE c.title END,
    c.created, c.updated,
    c.is_pinned, c.is_archived, c.is_unread,
    EXISTS (SELECT 1 FROM questions q WHERE q.conversation = c.number AND q.state = 'open'
        AND q.message = (SELECT max(m.id) FROM messages m
            WHERE m.conversation = c.number AND m.is_superseded = 0))"""
_OWN_CONVERSATIONS = f"SELECT {_CONVERSATION_COLUMNS} FROM mine c"  # noqa: S608  constants


def reach(db: Connection, owner: int | None, agents: Collection[str] | None) -> None:
    """Let this connection reach the conversations of one person, with the agents that are theirs.

    They stand in the view `mine`. The owner 0 is the station, None is nobody; agents are all with
    None.
    """
    # A view has no parameters: an id is a number, and the agents' ids are written as JSON.
    text = json.dumps(list(agents or ())).replace("'", "''")
    theirs = f"agent IN (SELECT value FROM json_each('{text}'))" if agents is not None else "TRUE"  # noqa: S608
    db.execute("DROP VIEW IF EXISTS temp.mine")
    db.execute(
        f"""CREATE TEMP VIEW mine AS SELECT * FROM main.conversations
            WHERE owner = {-1 if owner is None else int(owner)} AND {theirs}"""  # noqa: S608
    )


@contextmanager
def reaching(
    db: Connection, database: Database, owner: int, *, agents: Collection[str] | None
) -> Iterator[None]:
    """Let somebody else's conversations be reached meanwhile, with some agents, or with all.

    Inside a transaction, on whose thread nothing else runs until it ends.
    """
    reach(db, owner, agents)
    try:
        yield
    finally:
        reach(db, database.owner, database.agents)


class ConversationRepository(Repository):
    """The conversations of one person. An id that was never there, or is another's, raises
    UserError.
    """

    @writes
    @requires(*ROLES)
    def create(self, db: Connection, agent: str) -> Conversation:
        """Begin a conversation with an agent; its first question will give it a title."""
        return find_in(db, _insert(db, agent, self.database.owner))

    @writes
    @requires(*ADMINS)
    def create_rehearsal(self, db: Connection, agent: str) -> ConversationId:
        """Begin a conversation that is in no list and is never found, only counted in the costs."""
        return insert_hidden(db, agent, self.database.owner)

    @reads
    def find(self, db: Connection, id_: ConversationId) -> Conversation:
        """Find one by its id. Raises UserError if it was deleted, too."""
        return find_in(db, id_)

    @reads
    def listed(
        self,
        db: Connection,
        *,
        search: str = "",
        include_archived: bool = False,
        limit: int = 200,
    ) -> list[Conversation]:
        """List pinned ones first, then the latest.

        A search keeps those that have all its words, or their beginnings, in the title or in one
        message, whatever their accents and case.
        """
        return list_of(db, search=search, include_archived=include_archived, limit=limit)

    @writes
    @requires(*ROLES)
    def rename(self, db: Connection, id_: ConversationId, title: str) -> None:
        """Give a conversation a title. Raises UserError for an empty one."""
        line = " ".join(sanitize(title).split())
        if not line:
            raise UserError(_("A conversation needs a title. Write at least one letter."))
        db.execute(
            "UPDATE conversations SET title = ? WHERE number = ?", (line, own_number(db, id_))
        )

    @writes
    @requires(*ROLES)
    def set_pinned(self, db: Connection, id_: ConversationId, *, is_pinned: bool) -> None:
        """Pin or unpin a conversation."""
        db.execute(
            "UPDATE conversations SET is_pinned = ? WHERE number = ?",
            (is_pinned, own_number(db, id_)),
        )

    @writes
    @requires(*ROLES)
    def set_archived(self, db: Connection, id_: ConversationId, *, is_archived: bool) -> None:
        """Archive a conversation, or bring it back."""
        db.execute(
            "UPDATE conversations SET is_archived = ? WHERE number = ?",
            (is_archived, own_number(db, id_)),
        )

    @writes
    @requires(*ROLES)
    def set_deleted(self, db: Connection, id_: ConversationId, *, is_deleted: bool) -> None:
        """Take a conversation out of every list, or bring it back as it was."""
        number = own_number(db, id_)
        db.execute(
            "UPDATE conversations SET is_deleted = ?, deleted = ? WHERE number = ?",
            (is_deleted, now_us() if is_deleted else None, number),
        )
        action: Action = "delete" if is_deleted else "restore"
        append(db, self.database.actor, action, f"conversation {id_}", {})

    @writes
    @requires(*ROLES)
    def erase(self, db: Connection, id_: ConversationId) -> dict[str, int]:
        """Delete a conversation of one's own for good; return the rows gone, by table."""
        number = own_number(db, id_)
        append(db, self.database.actor, "delete", f"conversation {id_}", {"forever": True})
        return delete_counted(db, "DELETE FROM conversations WHERE number = ?", number)

    @writes
    def purge(self, db: Connection, *, days: int = UNDONE_DAYS) -> int:
        """Delete for good what anybody has deleted so many days ago; return how many."""
        now = now_us()
        # Of an earlier version, or by a repair: nobody knows when.
        db.execute(
            "UPDATE conversations SET deleted = ? WHERE is_deleted = 1 AND deleted IS NULL", (now,)
        )
        gone = delete_counted(
            db,
            "DELETE FROM conversations WHERE is_deleted = 1 AND deleted <= ?",
            now - days * DAY_US,
        )
        return gone.get("conversations", 0)

    @writes
    def set_unread(self, db: Connection, id_: ConversationId, *, is_unread: bool) -> None:
        """Mark a conversation as one with an answer that nobody has seen, or as read."""
        db.execute(
            "UPDATE conversations SET is_unread = ? WHERE number = ?",
            (is_unread, own_number(db, id_)),
        )


def insert_hidden(db: Connection, agent: str, owner: int | None) -> ConversationId:
    """Begin a conversation that is in no list: a deleted one, which goes for good in a while."""
    id_ = _insert(db, agent, owner)
    db.execute("UPDATE conversations SET is_deleted = 1, deleted = created WHERE id = ?", (id_,))
    return id_


def _insert(db: Connection, agent: str, owner: int | None) -> ConversationId:
    id_, now = ConversationId(secrets.token_hex(6)), now_us()
    db.execute(
        "INSERT INTO conversations (id, agent, owner, created, updated) VALUES (?, ?, ?, ?, ?)",
        (id_, agent, owner, now, now),
    )
    return id_


def list_of(
    db: Connection, *, search: str, include_archived: bool, limit: int
) -> list[Conversation]:
    """List the conversations that can be reached, as `ConversationRepository.listed` does."""
    if search.strip():
        return _found(db, search, include_archived=include_archived, limit=limit)
    rows = db.execute(
        f"""{_OWN_CONVERSATIONS} WHERE is_deleted = 0 AND is_archived <= ?
            ORDER BY is_pinned DESC, updated DESC, number DESC LIMIT ?""",
        (include_archived, limit),
    )
    return [_conversation(row) for row in rows]


def find_in(db: Connection, id_: ConversationId, *, is_deleted_too: bool = False) -> Conversation:
    """Find a conversation that can be reached. Raises UserError if there is none."""
    row = db.execute(
        f"{_OWN_CONVERSATIONS} WHERE id = ? AND is_deleted <= ?",
        (sanitize(id_), is_deleted_too),
    ).fetchone()
    if row is None:
        raise _unknown(id_)
    return _conversation(row)


def touch(db: Connection, number: int) -> None:
    """Note that something was said just now. Inside a transaction."""
    db.execute("UPDATE conversations SET updated = ? WHERE number = ?", (now_us(), number))


def number_of(db: Connection, id_: ConversationId) -> int:
    """Return the row number of anybody's conversation, deleted or not: an answer may be coming.

    For what stands on it for others too, as the data of a shared dashboard. Raises UserError if
    there is none.
    """
    row = db.execute("SELECT number FROM conversations WHERE id = ?", (sanitize(id_),)).fetchone()
    if row is None:
        raise _unknown(id_)
    number: int = row[0]
    return number


def own_number(db: Connection, id_: ConversationId) -> int:
    """Return the row number of the person's own conversation, deleted or not.

    Raises UserError if there is none, as for one of somebody else's.
    """
    row = db.execute("SELECT number FROM mine WHERE id = ?", (sanitize(id_),)).fetchone()
    if row is None:
        raise _unknown(id_)
    number: int = row[0]
    return number


def title_from(question: str) -> str:
    """Return the question's first line, cut at a word's end."""
    lines = [" ".join(line.split()) for line in sanitize(question).splitlines()]
    line = next((line for line in lines if line), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    room = TITLE_CHARACTERS - 1
    end = line.rfind(" ", 0, room + 1)
    return line[: end if end > 0 else room].rstrip(" ,.;:") + "…"


# Of the service's own ids, by which nothing here is found: how they begin, and what they are of.
_SERVICE_IDS = {
    "msg_": gettext_noop("the service's id of one of its answers"),
    "req_": gettext_noop("the service's id of a request"),
}


def _unknown(id_: ConversationId) -> UserError:
    for begin, kind in _SERVICE_IDS.items():
        if id_.startswith(begin):
            return UserError(
                _(
                    "{id} is {kind}, not a conversation's: those have 12 characters, as in the list"
                    " qhub conversations."
                ).format(id=one_line(id_), kind=_(kind))
            )
    return UserError(
        _(
            "There is no conversation {id}. See the list: qhub conversations, or the left side of"
            " the window."
        ).format(id=id_)
    )


def _found(
    db: Connection, search: str, *, include_archived: bool, limit: int
) -> list[Conversation]:
    match = match_of(search)
    if not match:
        return []
    rows = db.execute(
        f"""WITH hits (conversation, message) AS (
            SELECT m.conversation, max(m.id)
                FROM text_search s JOIN messages m ON m.id = s.rowid
                WHERE text_search MATCH :match GROUP BY m.conversation
            UNION ALL
            SELECT rowid, NULL FROM title_search WHERE title_search MATCH :match
        ), latest (conversation, message) AS (
            SELECT conversation, max(message) FROM hits GROUP BY conversation
        )
        SELECT {_CONVERSATION_COLUMNS}, t.text
            FROM latest l JOIN mine c ON c.number = l.conversation
            LEFT JOIN texts t ON t.message = l.message
            WHERE c.is_deleted = 0 AND c.is_archived <= :archived
            ORDER BY c.is_pinned DESC, c.updated DESC, c.number DESC LIMIT :limit""",  # noqa: S608  constants
        {"match": match, "archived": include_archived, "limit": limit},
    ).fetchall()
    return [
        _conversation(row[:-1], snippet=snippet_of(row[-1], search) if row[-1] else "")
        for row in rows
    ]


def _conversation(
    row: tuple[ConversationId, str, str, int, int, int, int, int, int], *, snippet: str = ""
) -> Conversation:
    id_, agent, title, created, updated, is_pinned, is_archived, is_unread, has_question = row
    return Conversation(
        id_,
        agent,
        title,
        from_us(created),
        from_us(updated),
        is_pinned=bool(is_pinned),
        is_archived=bool(is_archived),
        snippet=snippet,
        is_unread=bool(is_unread),
        has_question=bool(has_question),
    )


def match_of(search: str) -> str:
    """Write a search as an FTS5 query: every word, from its start. Empty if it has none."""
    words = [word for word in sanitize(search).split() if any(map(str.isalnum, word))]
    return " ".join('"{}"*'.format(word.replace('"', " ")) for word in words[:MOST_WORDS])


def snippet_of(text: str, search: str, *, characters: int = SNIPPET_CHARACTERS) -> str:
    """Return one line of the text, of about so many characters, around the first word searched."""
    line = " ".join(unicodedata.normalize("NFC", text).split())
    hit = _first_hit(line, search)
    start = max(0, hit - BEFORE_CHARACTERS)
    if start:
        # At a word's start, if there is one before the hit: find gives -1 where there is none.
        start = max(start, line.find(" ", start, hit) + 1)
    end = start + characters
    if end < len(line):
        middle = start + characters // 2
        end = line.rfind(" ", middle, end) if " " in line[middle:end] else end
    return ("… " if start else "") + line[start:end] + (" …" if end < len(line) else "")


def _first_hit(line: str, search: str) -> int:
    # The same words as unicode61 sees: letters and digits.
    starts = re.findall(r"[^\W_]+", fold_in_place(unicodedata.normalize("NFC", search)))
    if not starts:
        return 0
    hit = re.search(rf"(?<![^\W_])(?:{'|'.join(starts)})", fold_in_place(line))
    return hit.start() if hit else 0
