"""Conversations: their list, their titles, and what became of them."""

import secrets
import sqlite3
from typing import Literal

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.search import match_of, snippet_of
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import Conversation, moment, stamp, storable

TITLE_CHARACTERS = 60

_CHANGES = {
    "title": "UPDATE conversations SET title = ? WHERE number = ?",
    "is_pinned": "UPDATE conversations SET is_pinned = ? WHERE number = ?",
    "is_archived": "UPDATE conversations SET is_archived = ? WHERE number = ?",
    "is_deleted": "UPDATE conversations SET is_deleted = ? WHERE number = ?",
    "is_unread": "UPDATE conversations SET is_unread = ? WHERE number = ?",
}


def create(db: sqlite3.Connection, agent: str) -> Conversation:
    """A new one, with nothing said."""
    id_, now = secrets.token_hex(6), stamp()
    with writing(db):
        db.execute(
            "INSERT INTO conversations (id, agent, created, updated) VALUES (?, ?, ?, ?)",
            (id_, agent, now, now),
        )
    return find(db, id_)


def find(db: sqlite3.Connection, id_: str) -> Conversation:
    """One by its id. Raises UserError if there is none, or it was deleted."""
    row = db.execute(
        """SELECT id, agent, title, created, updated, is_pinned, is_archived, is_unread
            FROM conversations WHERE id = ? AND is_deleted = 0""",
        (storable(id_),),
    ).fetchone()
    if row is None:
        raise unknown(id_)
    return _conversation(row)


def listed(
    db: sqlite3.Connection, *, search: str, include_archived: bool, limit: int
) -> list[Conversation]:
    """Pinned ones first, then the latest; those only in which every word of the search is found."""
    if search.strip():
        return _found(db, search, include_archived=include_archived, limit=limit)
    rows = db.execute(
        """SELECT id, agent, title, created, updated, is_pinned, is_archived, is_unread
            FROM conversations WHERE is_deleted = 0 AND is_archived <= ?
            ORDER BY is_pinned DESC, updated DESC, number DESC LIMIT ?""",
        (include_archived, limit),
    )
    return [_conversation(row) for row in rows]


def rename(db: sqlite3.Connection, id_: str, title: str) -> None:
    """Give it a title of the person's."""
    wanted = " ".join(storable(title).split())
    if not wanted:
        raise UserError(_("A conversation needs a title. Write at least one letter."))
    _change(db, id_, "title", wanted)


def mark(
    db: sqlite3.Connection,
    id_: str,
    what: Literal["is_pinned", "is_archived", "is_deleted", "is_unread"],
    *,
    is_so: bool,
) -> None:
    """Pin, archive, delete or mark it unread, or the opposite."""
    _change(db, id_, what, is_so)


def touch(db: sqlite3.Connection, number: int) -> None:
    """Something was said just now. Inside a transaction."""
    db.execute("UPDATE conversations SET updated = ? WHERE number = ?", (stamp(), number))


def number_of(db: sqlite3.Connection, id_: str) -> int:
    """Its row, deleted or not: an answer may still be coming. Raises UserError if there is none."""
    row = db.execute("SELECT number FROM conversations WHERE id = ?", (storable(id_),)).fetchone()
    if row is None:
        raise unknown(id_)
    number: int = row[0]
    return number


def title_from(question: str) -> str:
    """The question's first line, cut at a word's end."""
    lines = [" ".join(line.split()) for line in storable(question).splitlines()]
    line = next((line for line in lines if line), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    room = TITLE_CHARACTERS - 1
    end = line.rfind(" ", 0, room + 1)
    return line[: end if end > 0 else room].rstrip(" ,.;:") + "…"


def unknown(id_: str) -> UserError:
    """What to say of an id that means nothing."""
    return UserError(
        _(
            "There is no conversation {id}. See the list: qhub conversations, or the left side of"
            " the window."
        ).format(id=id_)
    )


def _change(db: sqlite3.Connection, id_: str, column: str, value: object) -> None:
    number = number_of(db, id_)
    with writing(db):
        db.execute(_CHANGES[column], (value, number))


def _found(
    db: sqlite3.Connection, search: str, *, include_archived: bool, limit: int
) -> list[Conversation]:
    match = match_of(search)
    if not match:
        return []
    rows = db.execute(
        """WITH hits (conversation, message) AS (
            SELECT m.conversation, max(m.id)
                FROM text_search s JOIN messages m ON m.id = s.rowid
                WHERE text_search MATCH :match GROUP BY m.conversation
            UNION ALL
            SELECT rowid, NULL FROM title_search WHERE title_search MATCH :match
        ), latest (conversation, message) AS (
            SELECT conversation, max(message) FROM hits GROUP BY conversation
        )
        SELECT c.id, c.agent, c.title, c.created, c.updated, c.is_pinned, c.is_archived,
            c.is_unread, t.text
            FROM latest l JOIN conversations c ON c.number = l.conversation
            LEFT JOIN texts t ON t.message = l.message
            WHERE c.is_deleted = 0 AND c.is_archived <= :archived
            ORDER BY c.is_pinned DESC, c.updated DESC, c.number DESC LIMIT :limit""",
        {"match": match, "archived": include_archived, "limit": limit},
    ).fetchall()
    return [
        _conversation(row[:-1], snippet=snippet_of(row[-1], search) if row[-1] else "")
        for row in rows
    ]


def _conversation(
    row: tuple[str, str, str, int, int, int, int, int], *, snippet: str = ""
) -> Conversation:
    id_, agent, title, created, updated, is_pinned, is_archived, is_unread = row
    return Conversation(
        id_,
        agent,
        title,
        moment(created),
        moment(updated),
        is_pinned=bool(is_pinned),
        is_archived=bool(is_archived),
        snippet=snippet,
        is_unread=bool(is_unread),
    )
