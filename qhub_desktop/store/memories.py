"""Memories: a person's notes, their versions, and taking one out of everything that was told."""

from collections.abc import Callable, Collection
from sqlite3 import Connection

from qhub_desktop.core import memory
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.memory import LEARNED, ROOT, STATION, Memory, MemoryVersion, Origin, Written
from qhub_desktop.core.person import ADMINS, ROLES
from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.conversations import own_number
from qhub_desktop.store.database import Repository, from_us, now_us, reads, writes
from qhub_desktop.store.deletion import mark_deletion
from qhub_desktop.store.erasure import Told
from qhub_desktop.store.rights import check_account, requires

# What a person may read: their own, and the station's.
_THEIRS = "(m.owner = :owner OR (m.owner = 0 AND m.path GLOB '/memories/estacao/*'))"
_NOTES = f"""SELECT m.id, m.path, m.text, m.origin, m.created, m.updated, m.used, m.is_pinned,
    m.is_archived, c.id, v.message,
    (SELECT count(*) FROM memory_versions WHERE memory = m.id) FROM memories m
    LEFT JOIN memory_versions v ON v.id = (SELECT max(id) FROM memory_versions WHERE memory = m.id)
    LEFT JOIN conversations c ON c.number = v.conversation
    WHERE {_THEIRS}"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a conversation a note is written: the answer, and the call in it."""

    conversation: ConversationId
    message: MessageId | None = None
    call: str = ""


# From the text that is there, None if there is no note, to the new one; None to leave it.
Edit = Callable[[str | None], str | None]


class MemoryRepository(Repository):
    """The notes of one person, and those of the station. A note that is not there raises UserError.

    The room is kept with every write; what leaves it stays in the archive.
    """

    @reads
    @requires(*ROLES)
    def listed(
        self, db: Connection, *, search: str = "", include_archived: bool = True
    ) -> list[Memory]:
        """List the notes, pinned ones first, then the latest used; with these words alone."""
        words = fold(sanitize(search)).split()
        return [
            note
            for note in _all(db, self._owner)
            if (include_archived or not note.is_archived)
            and all(word in fold(f"{note.name} {note.text}") for word in words)
        ]

    @reads
    @requires(*ROLES)
    def find(self, db: Connection, path: str) -> Memory:
        """Find a note by its path."""
        return _find(db, self._owner, path)[1]

    @reads
    @requires(*ROLES)
    def earlier(self, db: Connection, path: str) -> list[MemoryVersion]:
        """List what stood in a note before, the latest first."""
        id_, _note = _find(db, self._owner, path)
        rows = db.execute(
            "SELECT text, at FROM memory_versions WHERE memory = ? ORDER BY id DESC", (id_,)
        )
        return [MemoryVersion(text, from_us(at)) for text, at in rows][1:]

    @writes
    @requires(*ROLES)
    def edit(
        self,
        db: Connection,
        path: str,
        change: Edit,
        *,
        origin: Origin,
        place: Place | None = None,
    ) -> Written | None:
        """Write what `change` makes of a note's text; None if it makes nothing of it.

        The same call again writes nothing, and returns the note as it is.
        """
        number = self._number(db, place)
        if place is not None and (done := self._done(db, number, place.call)) is not None:
            return Written(done)
        owner = self._writer(db, path)
        if path.startswith(LEARNED) and origin != "learned":
            raise UserError(_("What was counted is not written by hand: pin it or delete it."))
        row = db.execute(
            "SELECT id, text FROM memories WHERE owner = ? AND path = ?", (owner, path)
        ).fetchone()
        changed = change(None if row is None else row[1])
        if changed is None:
            return None
        text, cut_from = memory.fitted(changed)
        now = now_us()
        if row is None:
            id_ = db.execute(
                """INSERT INTO memories (owner, path, text, origin, created, updated, used)
                    VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (owner, path, text, origin, now, now, now),
            ).lastrowid
            assert id_ is not None
        else:
            id_ = row[0]
            if not db.execute("SELECT 1 FROM memory_versions WHERE memory = ?", (id_,)).fetchone():
                _add_version(db, id_, None, None)  # of a conversation that is gone
            db.execute(
                """UPDATE memories SET text = ?, origin = ?, updated = ?, used = ?, is_archived = 0
                    WHERE id = ?""",
                (text, origin, now, now, id_),
            )
        _add_version(db, id_, number, place, is_first=row is None)
        archived = self._make_room(db, path)
        note = _find(db, self._owner, path)[1]
        return Written(note, is_new=row is None, archived=tuple(archived), cut_from=cut_from)

    @writes
    @requires(*ROLES)
    def rename(
        self, db: Connection, path: str, new_path: str, place: Place | None = None
    ) -> Memory:
        """Give a note another path. Raises UserError if there is a note there."""
        number = self._number(db, place)
        if place is not None and (done := self._done(db, number, place.call)) is not None:
            return done
        id_, _note = _find(db, self._owner, path)
        owner = self._writer(db, path)
        if self._writer(db, new_path) != owner or new_path.startswith(LEARNED):
            raise UserError(_("A note stays with whom it is of: choose another name."))
        if db.execute(
            "SELECT 1 FROM memories WHERE owner = ? AND path = ?", (owner, new_path)
        ).fetchone():
            raise UserError(_("There is a note {name} already.").format(name=new_path))
        db.execute(
            "UPDATE memories SET path = ?, updated = ? WHERE id = ?", (new_path, now_us(), id_)
        )
        _add_version(db, id_, number, place)
        return _find(db, self._owner, new_path)[1]

    @writes
    @requires(*ROLES)
    def set_pinned(self, db: Connection, path: str, *, is_pinned: bool) -> None:
        """Pin a note, so that it is always told and leaves last, or unpin it."""
        id_, _note = _find(db, self._owner, path)
        self._writer(db, path)
        db.execute("UPDATE memories SET is_pinned = ? WHERE id = ?", (is_pinned, id_))

    @writes
    @requires(*ROLES)
    def set_archived(self, db: Connection, path: str, *, is_archived: bool) -> list[str]:
        """Put a note into the archive, or bring it back; return what left to make room for it."""
        id_, _note = _find(db, self._owner, path)
        self._writer(db, path)
        now = now_us()
        db.execute(
            "UPDATE memories SET is_archived = ?, updated = ?, used = ? WHERE id = ?",
            (is_archived, now, now, id_),
        )
        return self._make_room(db, path)

    @writes
    @requires(*ROLES)
    def note_use(self, db: Connection, paths: Collection[str]) -> None:
        """Note that these were told just now."""
        marks = ", ".join("?" * len(paths))
        db.execute(
            f"UPDATE memories SET used = ? WHERE owner = ? AND path IN ({marks})",  # noqa: S608
            (now_us(), self._owner, *paths),
        )

    @writes
    @requires(*ROLES)
    def delete(self, db: Connection, path: str, place: Place | None = None) -> None:
        """Delete a note with its versions, and take it out of all that was told and sent."""
        self._number(db, place)
        self._delete(db, [path])

    @writes
    @requires(*ROLES)
    def clear(self, db: Connection, place: Place | None = None) -> int:
        """Delete every note of the person's own; return how many there were."""
        self._number(db, place)
        own = [each for each in _all(db, self._owner) if not each.path.startswith(STATION)]
        self._delete(db, [note.path for note in own])
        return len(own)

    @writes
    @requires(*ROLES)
    def undo(self, db: Connection, conversation: ConversationId, call: str) -> Memory | None:
        """Take back what a call wrote: put the version before it back, and return that; None where
        it made the note, which is then deleted. Raises UserError if it was changed since.
        """
        row = db.execute(
            """SELECT v.id, m.id, m.path FROM memory_versions v JOIN memories m ON m.id = v.memory
                WHERE v.conversation = ? AND v.call = ? AND m.owner = ?""",
            (own_number(db, conversation), call, self._owner),
        ).fetchone()
        version, id_, path = row or (None, None, "")
        last = db.execute(
            """SELECT id, is_first, path, text FROM memory_versions WHERE memory = ?
                ORDER BY id DESC LIMIT 2""",
            (id_,),
        ).fetchall()
        if last and last[0][:2] == (version, 1):
            self._delete(db, [path])
            return None
        if len(last) < 2 or last[0][0] != version:
            raise UserError(_("This note was changed or deleted since, so nothing was undone."))
        _id, _is_first, old_path, old_text = last[1]
        db.execute("DELETE FROM memory_versions WHERE id = ?", (version,))
        db.execute(
            "UPDATE memories SET path = ?, text = ?, updated = ? WHERE id = ?",
            (old_path, old_text, now_us(), id_),
        )
        self._make_room(db, old_path)
        return _find(db, self._owner, old_path)[1]

    @reads
    def refused_services(self, db: Connection) -> list[str]:
        """Return the services that the person lets no note go to."""
        rows = db.execute(
            "SELECT host FROM refused_services WHERE owner = ? ORDER BY host", (self._owner,)
        )
        return [host for (host,) in rows]

    @writes
    @requires(*ROLES)
    def set_refused(self, db: Connection, host: str, *, is_refused: bool) -> None:
        """Let no note go to a service from now on, or let them go again."""
        if is_refused:
            db.execute(
                "INSERT OR IGNORE INTO refused_services (owner, host) VALUES (?, ?)",
                (self._owner, host),
            )
        else:
            db.execute(
                "DELETE FROM refused_services WHERE owner = ? AND host = ?", (self._owner, host)
            )

    @property
    def _owner(self) -> int:
        owner = self.database.owner
        return -1 if owner is None else owner

    def _number(self, db: Connection, place: Place | None) -> int | None:
        """Return the number of the person's own conversation that a note is written in.

        Raises UserError for somebody else's: an answer may still come while another signs in.
        """
        return None if place is None else own_number(db, place.conversation)

    def _writer(self, db: Connection, path: str) -> int:
        """Return whose note is written at a path. Raises UserError if that is not theirs to do."""
        if not path.startswith(STATION):
            return self._owner
        check_account(db, self.database, ADMINS)
        return 0

    def _done(self, db: Connection, number: int | None, call: str) -> Memory | None:
        row = db.execute(
            """SELECT m.path FROM memory_versions v JOIN memories m ON m.id = v.memory
                WHERE v.conversation = ? AND v.call = ? AND v.call != ''""",
            (number, call),
        ).fetchone()
        return None if row is None else _find(db, self._owner, row[0])[1]

    def _make_room(self, db: Connection, written: str) -> list[str]:
        gone = memory.overflow(_all(db, self._owner), written)
        db.executemany(
            "UPDATE memories SET is_archived = 1 WHERE owner = ? AND path = ?",
            [(self._owner, path) for path in gone],
        )
        return gone

    def _delete(self, db: Connection, paths: Collection[str]) -> None:
        gone: list[tuple[str, str]] = []  # paths and texts, of every version
        for path in paths:
            id_, note = _find(db, self._owner, path)
            self._writer(db, path)
            gone += [(path, note.text)]
            gone += db.execute("SELECT path, text FROM memory_versions WHERE memory = ?", (id_,))
            db.execute("DELETE FROM memories WHERE id = ?", (id_,))
        told = Told({path for path, _text in gone}, {text for _path, text in gone})
        mark_deletion(db)
        is_station = any(path.startswith(STATION) for path in paths)
        told.erase(db, None if is_station else self._owner)


_Row = tuple[
    int, str, str, Origin, int, int, int, int, int, ConversationId | None, MessageId | None, int
]


def _note(row: _Row) -> Memory:
    _id, path, text, origin, created, updated, used = row[:7]
    is_pinned, is_archived, talk, message, count = row[7:]
    return Memory(
        path,
        text,
        origin,
        from_us(created),
        from_us(updated),
        from_us(used),
        is_pinned=bool(is_pinned),
        is_archived=bool(is_archived),
        conversation=talk or NO_CONVERSATION,
        message=message,
        version_count=count,
    )


def _all(db: Connection, owner: int) -> list[Memory]:
    rows = db.execute(
        f"{_NOTES} ORDER BY m.is_archived, m.is_pinned DESC, m.used DESC, m.id", {"owner": owner}
    )
    return [_note(row) for row in rows]


def _find(db: Connection, owner: int, path: str) -> tuple[int, Memory]:
    row = db.execute(f"{_NOTES} AND m.path = :path", {"owner": owner, "path": path}).fetchone()
    if row is None:
        raise UserError(_("There is no note {name}.").format(name=path.removeprefix(f"{ROOT}/")))
    return row[0], _note(row)


def _add_version(
    db: Connection,
    id_: int,
    number: int | None,
    place: Place | None,
    *,
    is_first: bool = False,
) -> None:
    """Keep a note as it is now as its latest version; the oldest beyond the last 20 goes."""
    at = (number, place.message, place.call) if place is not None else (None, None, "")
    db.execute(
        """INSERT INTO memory_versions
            (memory, path, text, at, is_first, conversation, message, call)
            SELECT id, path, text, updated, ?, ?, ?, ? FROM memories WHERE id = ?""",
        (is_first, *at, id_),
    )
    db.execute(
        """DELETE FROM memory_versions WHERE memory = ?1 AND id NOT IN
            (SELECT id FROM memory_versions WHERE memory = ?1 ORDER BY id DESC LIMIT ?2)""",
        (id_, memory.MOST_VERSIONS),
    )
