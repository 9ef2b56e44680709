"""Documents of the plant: which there are, in which collections, and what watched folders held.

What was read of them stands in the index (`document_index.py`), which can be made again from the
kept originals; what stands here cannot, and is in the safety copies.
"""

import json
import re
from collections.abc import Collection as CollectionOf
from collections.abc import Iterable, Sequence
from sqlite3 import Connection, IntegrityError
from typing import Any, cast

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.documents import (
    Collection,
    Document,
    DocumentFacts,
    DocumentReading,
    DocumentState,
    OcrUse,
    WatchedFolder,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import ROLES, Role
from qhub_desktop.core.text import fold
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line, sanitize
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import append
from qhub_desktop.store.database import Repository, from_us, now_us, reads, writes
from qhub_desktop.store.rights import requires
from qhub_desktop.store.settings import put_state, read_state

_PAUSED = "documents/paused"  # the state that says so
# Answers are given by them: who may answer for the plant's instructions may change them.
KEEPERS: tuple[Role, ...] = ("responsavel", "admin")
# A document of a watched folder is gone when no file there has its bytes any more; an attachment,
# when what it was attached to is.
_COLUMNS = """d.id, d.file, d.sha256, d.format, d.title, d.code, d.revision, d.issued, d.customer,
    d.collection, d.added, d.pages, d.path, d.parent, d.replaced_by, d.error, d.ocr,
    EXISTS (WITH RECURSIVE above (id, parent, sha256, is_watched) AS (
            SELECT d.id, d.parent, d.sha256, d.is_watched
            UNION SELECT p.id, p.parent, p.sha256, p.is_watched
                FROM documents p JOIN above ON p.id = above.parent)
        SELECT 1 FROM above WHERE is_watched AND NOT EXISTS (
            SELECT 1 FROM watched_files w JOIN watched_folders f ON f.id = w.folder
                WHERE w.sha256 = above.sha256 AND w.is_gone = 0 AND f.collection = d.collection))
    FROM documents d"""


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document as it is kept, whatever the index has of it; and how scanned pages are read."""

    document: Document
    ocr: OcrUse
    is_gone: bool

    def state(self, passages: int | None, embedded: int) -> DocumentState:
        """Return its state, by what the index has of it; None for nothing."""
        if self.document.replaced_by is not None:
            return "superseded"
        if self.is_gone:
            return "gone"
        if self.document.error:
            return "failed"
        if passages is None:
            return "queued"
        return "ready" if embedded >= passages else "words"


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document to be kept: its bytes are, already."""

    sha256: str
    file: str
    path: str = ""
    collection: str = ""
    parent: int | None = None
    ocr: OcrUse = "auto"
    is_watched: bool = False


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file as a look at a watched folder found it; `modified` in nanoseconds."""

    path: str
    size: int
    modified: int


class DocumentRepository(Repository):
    """Which documents the station has. One that a person may not read is not there for them."""

    @reads
    @requires(*ROLES)
    def listed(self, db: Connection, *, agent: str | None = None) -> list[KeptDocument]:
        """List the documents of the collections that the person may read, and the agent uses."""
        hidden = self._hidden(db, agent)
        rows = db.execute(f"SELECT {_COLUMNS} ORDER BY d.id")
        return [kept for kept in map(_kept, rows) if kept.document.collection not in hidden]

    @reads
    @requires(*ROLES)
    def has_any(self, db: Connection) -> bool:
        """Return whether there is a document that the person may read."""
        hidden = self._hidden(db, None)
        rows = db.execute("SELECT DISTINCT collection FROM documents")
        return any(collection not in hidden for (collection,) in rows)

    @reads
    @requires(*ROLES)
    def find(self, db: Connection, id_: int) -> KeptDocument:
        """Return a document. Raises UserError for one that is not there for the person."""
        return self._found(db, id_)

    @reads
    def readable(self, db: Connection) -> list[KeptDocument]:
        """List all documents without an error, whoever may read them: for the program's reader."""
        return [*map(_kept, db.execute(f"SELECT {_COLUMNS} WHERE d.error = '' ORDER BY d.id"))]

    @reads
    def withheld(self, db: Connection, agents: CollectionOf[str]) -> set[str]:
        """Return the SHA-256 of the documents that none of these agents uses, whoever may read."""
        closed = {e.name for e in _collections(db) if e.agents and not {*e.agents} & {*agents}}
        rows = db.execute("SELECT DISTINCT sha256, collection FROM documents").fetchall()
        used = {sha256 for sha256, collection in rows if agents and collection not in closed}
        return {sha256 for sha256, _collection in rows} - used

    @writes
    @requires(*KEEPERS)
    def add(self, db: Connection, new: NewDocument) -> int:
        """Keep a document; return its id. The same bytes in the same collection are found again.

        One that could not be read is tried again.
        """
        _ensure_collection(db, new.collection)
        return _insert(db, new)

    @writes
    def add_found(self, db: Connection, new: NewDocument) -> int:
        """Keep what the program itself found, in a watched folder or in another document."""
        return _insert(db, new)

    @writes
    def copy_attachments(self, db: Connection, id_: int) -> None:
        """Give a document the attachments that another one of the same bytes has."""
        rows = db.execute(
            """SELECT a.sha256, a.file, a.ocr, d.collection FROM documents d
                JOIN documents o ON o.sha256 = d.sha256 AND o.id <> d.id
                JOIN documents a ON a.parent = o.id WHERE d.id = ?""",
            (id_,),
        )
        for sha256, file, ocr, collection in rows.fetchall():
            _insert(db, NewDocument(sha256, file, collection=collection, parent=id_, ocr=ocr))

    @reads
    def depth(self, db: Connection, id_: int) -> int:
        """Return how deep a document lies in others: 0 for one that was added by itself."""
        depth: int = db.execute(
            """WITH RECURSIVE above (id, parent) AS (
                SELECT id, parent FROM documents WHERE id = ?
                UNION SELECT d.id, d.parent FROM documents d JOIN above a ON d.id = a.parent)
                SELECT count(*) - 1 FROM above""",
            (id_,),
        ).fetchone()[0]
        return depth

    @writes
    def record(self, db: Connection, id_: int, reading: DocumentReading) -> None:
        """Record what a document says of itself; what a person has edited stays."""
        db.execute(
            "UPDATE documents SET format = ?, title = ?, pages = ?, error = '' WHERE id = ?",
            (reading.format, sanitize(reading.title), reading.pages, id_),
        )
        row = db.execute("SELECT is_edited FROM documents WHERE id = ?", (id_,)).fetchone()
        if row is not None and not row[0]:
            _set_facts(db, id_, reading.facts)
        _settle(db, id_)

    @writes
    def fail(self, db: Connection, id_: int, error: str) -> None:
        """Record why a document could not be read."""
        db.execute("UPDATE documents SET error = ? WHERE id = ?", (sanitize(error), id_))

    @writes
    @requires(*KEEPERS)
    def edit(
        self,
        db: Connection,
        id_: int,
        facts: DocumentFacts | None,
        collection: str | None,
    ) -> None:
        """Change what a document says of itself, or its collection. Raises UserError."""
        self._found(db, id_)
        if facts is not None:
            db.execute("UPDATE documents SET is_edited = 1 WHERE id = ?", (id_,))
            _set_facts(db, id_, facts)
        if collection is not None:
            _ensure_collection(db, collection)
            try:
                db.execute(
                    """WITH RECURSIVE below (id) AS (VALUES (?)
                            UNION SELECT d.id FROM documents d JOIN below ON d.parent = below.id)
                        UPDATE documents SET collection = ? WHERE id IN below""",
                    (id_, one_line(collection)),
                )
            except IntegrityError as error:
                raise UserError(
                    _("The collection {name} has this document already.").format(name=collection)
                ) from error
        _settle(db, id_)

    @writes
    @requires(*KEEPERS)
    def remove(self, db: Connection, id_: int) -> list[str]:
        """Remove a document with its attachments; return the SHA-256 that nothing has any more."""
        name = self._found(db, id_).document.name
        append(db, self.database.actor, "delete", f"document {id_}", {"name": name})
        before = _hashes(db)
        path, key, collection = db.execute(
            "SELECT path, code_key, collection FROM documents WHERE id = ?", (id_,)
        ).fetchone()
        db.execute("DELETE FROM documents WHERE id = ?", (id_,))
        _settle_group(db, path, key, collection)
        return sorted(before - _hashes(db))

    @writes
    @requires(*KEEPERS)
    def retry(self, db: Connection, id_: int | None = None) -> list[str]:
        """Let one document be read again, or all; return the SHA-256 of what may be."""
        if id_ is None:
            db.execute("UPDATE documents SET error = ''")
            return sorted(_hashes(db))
        document = self._found(db, id_).document
        db.execute("UPDATE documents SET error = '' WHERE id = ?", (id_,))
        return [document.sha256]

    @reads
    def is_paused(self, db: Connection) -> bool:
        """Return whether vectors wait until the person goes on."""
        return read_state(db, _PAUSED) is True

    @writes
    @requires(*ROLES)
    def pause(self, db: Connection, *, is_paused: bool) -> None:
        """Let vectors wait, or go on with them: in every program of this folder, and the next."""
        put_state(db, _PAUSED, is_paused)

    # Collections

    @reads
    @requires(*ROLES)
    def collections(self, db: Connection) -> list[Collection]:
        """List the collections that the person may read."""
        hidden = self._hidden(db, None)
        return [each for each in _collections(db) if each.name not in hidden]

    @writes
    @requires(*KEEPERS)
    def put_collection(self, db: Connection, collection: Collection) -> None:
        """Make a collection, or change who may read it and which agents use it."""
        name = one_line(collection.name)
        if name in self._hidden(db, None):
            raise UserError(_("This collection is for others. Choose another name."))
        given: JsonObject = {"roles": [*collection.roles], "agents": [*collection.agents]}
        append(db, self.database.actor, "setting", f"collection {name}", given)
        db.execute(
            "INSERT OR REPLACE INTO collections VALUES (?, ?, ?)",
            (name, json.dumps(collection.roles), json.dumps(collection.agents)),
        )

    def _hidden(self, db: Connection, agent: str | None) -> set[str]:
        person = self.database.person
        return {
            each.name
            for each in _collections(db)
            if (each.roles and person is not None and person.role not in each.roles)
            or (each.agents and agent is not None and agent not in each.agents)
        }

    def _found(self, db: Connection, id_: int) -> KeptDocument:
        row = db.execute(f"SELECT {_COLUMNS} WHERE d.id = ?", (id_,)).fetchone()
        kept = None if row is None else _kept(row)
        if kept is None or kept.document.collection in self._hidden(db, None):
            raise UserError(
                _("There is no document {id}. See the list of documents.").format(id=id_)
            )
        return kept

    # Watched folders

    @reads
    def watched(self, db: Connection) -> list[WatchedFolder]:
        """List the watched folders, with how many files were seen, and how many are not read."""
        rows = db.execute(
            """SELECT f.id, f.path, f.collection, count(w.path), ifnull(sum(w.sha256 = ''), 0)
                FROM watched_folders f LEFT JOIN watched_files w
                ON w.folder = f.id AND w.is_gone = 0 GROUP BY f.id ORDER BY f.id"""
        )
        return [WatchedFolder(*row) for row in rows]

    @writes
    @requires(*KEEPERS)
    def watch(self, db: Connection, path: str, collection: str) -> int:
        """Watch a folder from now on; return its id."""
        _ensure_collection(db, collection)
        found: int = db.execute(
            """INSERT INTO watched_folders (path, collection) VALUES (?, ?)
                ON CONFLICT (path) DO UPDATE SET path = path RETURNING id""",
            (path, one_line(collection)),
        ).fetchone()[0]
        return found

    @writes
    @requires(*KEEPERS)
    def unwatch(self, db: Connection, path: str) -> None:
        """Watch a folder no longer; its documents stay. Raises UserError if it was not watched."""
        row = db.execute("SELECT id FROM watched_folders WHERE path = ?", (path,)).fetchone()
        if row is None:
            raise UserError(
                _("The folder {path} is not watched. See the list: qhub docs watch").format(
                    path=path
                )
            )
        db.execute(
            """UPDATE documents SET is_watched = 0 WHERE is_watched AND sha256 IN (
                SELECT sha256 FROM watched_files WHERE folder = ? AND is_gone = 0)""",
            row,
        )
        db.execute("DELETE FROM watched_folders WHERE id = ?", row)

    @reads
    def seen(self, db: Connection, folder: int) -> dict[str, tuple[int, int, str]]:
        """Return size, time and SHA-256 of the files that are there as far as is known, by path."""
        rows = db.execute(
            """SELECT path, size, modified, sha256 FROM watched_files
                WHERE folder = ? AND is_gone = 0""",
            (folder,),
        )
        return {path: (size, modified, sha256) for path, size, modified, sha256 in rows}

    @writes
    def note_look(
        self, db: Connection, folder: int, changed: Sequence[SeenFile], gone: Iterable[str]
    ) -> None:
        """Note what a look found: files that are new or changed, and those that are gone."""
        if not db.execute("SELECT 1 FROM watched_folders WHERE id = ?", (folder,)).fetchone():
            return  # no longer watched
        db.executemany(
            """INSERT INTO watched_files (folder, path, size, modified) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET size = excluded.size, modified = excluded.modified,
                    is_gone = 0""",
            [(folder, each.path, each.size, each.modified) for each in changed],
        )
        db.executemany(
            "UPDATE watched_files SET is_gone = 1 WHERE folder = ? AND path = ?",
            [(folder, path) for path in gone],
        )

    @writes
    def note_read(self, db: Connection, folder: int, file: SeenFile, sha256: str) -> None:
        """Note that the bytes of a seen file are kept."""
        db.execute(
            """UPDATE watched_files SET size = ?, modified = ?, sha256 = ?
                WHERE folder = ? AND path = ?""",
            (file.size, file.modified, sha256, folder, file.path),
        )


def _kept(row: Any) -> KeptDocument:
    id_, file, sha256, format_, title, code, revision, issued, customer = row[:9]
    collection, added, pages, path, parent, replaced_by, error, ocr, is_gone = row[9:]
    document = Document(
        id=id_,
        file=file,
        sha256=sha256,
        format=format_,
        title=title,
        facts=DocumentFacts(code, revision, issued, customer),
        collection=collection,
        state="queued",
        added=from_us(added).isoformat(timespec="seconds"),
        pages=pages,
        path=path,
        parent=parent,
        replaced_by=replaced_by,
        error=error,
    )
    return KeptDocument(document, ocr, bool(is_gone))


def _insert(db: Connection, new: NewDocument) -> int:
    found: int = db.execute(
        """INSERT INTO documents (sha256, file, path, collection, parent, ocr, is_watched, added)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (sha256, collection, ifnull(parent, 0)) DO UPDATE SET error = '',
                is_watched = is_watched AND excluded.is_watched,
                ocr = CASE WHEN excluded.is_watched THEN ocr ELSE excluded.ocr END
            RETURNING id""",
        (
            new.sha256,
            sanitize(one_line(new.file)),
            new.path,
            one_line(new.collection),
            new.parent,
            new.ocr,
            new.is_watched,
            now_us(),
        ),
    ).fetchone()[0]
    return found


def _collections(db: Connection) -> list[Collection]:
    rows = db.execute("SELECT name, roles, agents FROM collections ORDER BY name")
    return [
        Collection(name, tuple(json.loads(roles)), tuple(json.loads(agents)))
        for name, roles, agents in rows
    ]


def _ensure_collection(db: Connection, name: str) -> None:
    if name:
        db.execute("INSERT OR IGNORE INTO collections VALUES (?, '[]', '[]')", (one_line(name),))


def _hashes(db: Connection) -> set[str]:
    return {sha256 for (sha256,) in db.execute("SELECT sha256 FROM documents")}


def _set_facts(db: Connection, id_: int, facts: DocumentFacts) -> None:
    given = [one_line(each) for each in (facts.code, facts.revision, facts.issued, facts.customer)]
    db.execute(
        """UPDATE documents SET code = ?, revision = ?, issued = ?, customer = ?, code_key = ?
            WHERE id = ?""",
        (*given, code_key(facts.code), id_),
    )


def code_key(code: str) -> str:
    """Return a code as it is compared: 'IT-PIN-014', 'it pin 014' and 'IT.PIN.014' are one."""
    return "".join(re.findall(r"\w+", fold(code))).replace("_", "")


def revision_key(revision: str) -> tuple[tuple[int, str], ...]:
    """Return a revision as it is compared: 9 < 10, A < B, 1.2 < 1.10; empty for none."""
    parts = re.findall(r"\d+|[a-z]+", fold(revision))
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def _settle(db: Connection, id_: int) -> None:
    row = db.execute("SELECT path, code_key, collection FROM documents WHERE id = ?", (id_,))
    if (found := row.fetchone()) is not None:
        _settle_group(db, *found)


def _settle_group(db: Connection, path: str, key: str, collection: str) -> None:
    """Let newer revisions take the place of older ones, among documents of one code or one path.

    A revision is newer by its sign, and where that is the same by its date; a file by its bytes
    having come later to the same path. In one collection alone: who reads another must not lose
    what they have.
    """
    rows = db.execute(
        """SELECT id, path, code_key, revision, issued, is_watched, sha256 FROM documents
            WHERE collection = ? AND error = ''
                AND ((code_key <> '' AND code_key = ?) OR (path <> '' AND path = ?))
            ORDER BY id""",
        (collection, key, path),
    ).fetchall()
    for each in rows:
        newer = [other for other in rows if _is_newer(other, each)]
        best = max(newer, key=lambda row: (revision_key(row[3]), row[4], row[0]), default=None)
        db.execute(
            "UPDATE documents SET replaced_by = ? WHERE id = ? AND replaced_by IS NOT ?",
            (best and best[0], each[0], best and best[0]),
        )


def _is_newer(other: tuple[Any, ...], than: tuple[Any, ...]) -> bool:
    if other[2] and other[2] == than[2]:
        ours, theirs = revision_key(than[3]), revision_key(other[3])
        if ours and theirs and ours != theirs:
            return theirs > ours
        if ours == theirs and other[4] and than[4] and other[4] != than[4]:
            return cast("bool", other[4] > than[4])
    is_same_file = bool(other[5] and than[5] and other[1] == than[1])
    return is_same_file and other[0] > than[0]
