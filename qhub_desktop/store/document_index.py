"""Index of the documents: their passages, by words, by codes and as vectors, in `documents.db`.

A file of its own, so that safety copies stay small: all of it can be read again from the kept
originals. One of another schema, or a damaged one, is made anew.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from qhub_desktop.core import codec
from qhub_desktop.core.codec import Json
from qhub_desktop.core.documents import DocumentPlace, Passage
from qhub_desktop.core.errors import DamagedStoreError
from qhub_desktop.core.untrusted_files import parse_json
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.database import connect, errors_as_user_errors, share, transaction

INDEX_FILE = "documents.db"
# Another number with each change of the tables, or of what the readers make of a file.
SCHEMA = 2
_TABLES = (
    """CREATE TABLE contents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 TEXT NOT NULL UNIQUE,
        reading TEXT NOT NULL,
        passages INTEGER NOT NULL DEFAULT 0,
        is_whole INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    """CREATE TABLE passages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        content INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
        page INTEGER,
        text TEXT NOT NULL,
        place TEXT NOT NULL,
        certainty REAL
    ) STRICT""",
    "CREATE INDEX passages_of ON passages (content, page)",
    # The rows are those of `passages`.
    "CREATE VIRTUAL TABLE passage_search USING fts5 (terms, tokenize = 'unicode61')",
    """CREATE TABLE codes (
        passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
        code TEXT NOT NULL,
        PRIMARY KEY (code, passage)
    ) STRICT""",
    "CREATE INDEX codes_of ON codes (passage)",
    "CREATE TABLE models (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT",
    # `vector` is float16, little endian.
    """CREATE TABLE vectors (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
        model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
        vector BLOB NOT NULL,
        UNIQUE (passage, model)
    ) STRICT""",
    # Vectors that there are of each content: counting them anew takes 50 ms for 20,000.
    """CREATE TABLE embedded (
        content INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
        model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
        vectors INTEGER NOT NULL,
        PRIMARY KEY (content, model)
    ) STRICT""",
)
_BUT = "c.sha256 NOT IN (SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage with its words as they are searched for, and the codes that stand in it."""

    passage: Passage
    terms: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of the index: its number, and the SHA-256 of the document that it stands in."""

    id: int
    sha256: str
    passage: Passage


class DocumentIndex:
    """The open index, for one thread at a time. Several programs may have it open.

    Every method raises UserError if the disk or the file is at fault.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = _open(path)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @staticmethod
    def remove(path: Path) -> None:
        """Delete an index that is damaged, so that it is made anew."""
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):  # on Windows, while another program has it open
                path.with_name(f"{path.name}{end}").unlink()

    def put(self, sha256: str, reading: Json, passages: Iterable[IndexedPassage]) -> int:
        """Keep what was read of a file, all or nothing, in the place of what there was of it.

        It can be found at once, but until `finish` it counts as unread. Return the number of
        passages.
        """
        count = 0
        with self._writing() as db:
            _drop(db, [sha256])
            content = db.execute(
                "INSERT INTO contents (sha256, reading) VALUES (?, ?)",
                (sha256, json.dumps(reading, ensure_ascii=False)),
            ).lastrowid
            for each in passages:
                count += 1
                passage = each.passage
                id_ = db.execute(
                    """INSERT INTO passages (content, page, text, place, certainty)
                        VALUES (?, ?, ?, ?, ?)""",
                    (
                        content,
                        passage.place.page or passage.place.slide,
                        passage.text,
                        json.dumps(codec.pack(passage.place), ensure_ascii=False),
                        passage.certainty,
                    ),
                ).lastrowid
                db.execute(
                    "INSERT INTO passage_search (rowid, terms) VALUES (?, ?)",
                    (id_, " ".join(each.terms)),
                )
                db.executemany(
                    "INSERT OR IGNORE INTO codes VALUES (?, ?)",
                    [(id_, code) for code in each.codes],
                )
            db.execute("UPDATE contents SET passages = ? WHERE id = ?", (count, content))
        return count

    def finish(self, sha256: str) -> None:
        """Note that all that came of reading a file is kept, attachments too."""
        with self._writing() as db:
            db.execute("UPDATE contents SET is_whole = 1 WHERE sha256 = ?", (sha256,))

    def drop(self, hashes: Sequence[str]) -> None:
        """Forget what was read of files."""
        with self._writing() as db:
            _drop(db, hashes)

    def clear(self) -> None:
        """Forget everything, so that it is read again."""
        with self._writing() as db:
            db.execute("DELETE FROM passage_search")
            db.execute("DELETE FROM contents")

    def reading(self, sha256: str) -> Json:
        """Return what a reading found of a file as a whole; None for a file that was not read."""
        with errors_as_user_errors(self.path):
            rows = self._rows("SELECT reading FROM contents WHERE sha256 = ? AND is_whole", sha256)
            return parse_json(rows[0][0]) if rows else None

    def hashes(self) -> set[str]:
        """Return the SHA-256 of all files that were read."""
        return {sha256 for (sha256,) in self._rows("SELECT sha256 FROM contents WHERE is_whole")}

    def warnings(self) -> dict[str, tuple[str, ...]]:
        """Return what was not read of each file, of those where there is something."""
        found: dict[str, tuple[str, ...]] = {}
        for sha256, said in self._rows(
            """SELECT sha256, each.value FROM contents,
                json_each(contents.reading, '$.warnings') AS each WHERE is_whole"""
        ):
            found[sha256] = (*found.get(sha256, ()), str(said))
        return found

    def counts(self, model: str) -> dict[str, tuple[int, int]]:
        """Return passages, and how many have a vector of the model, of each file that was read."""
        rows = self._rows(
            """SELECT c.sha256, c.passages, ifnull(e.vectors, 0) FROM contents c
                LEFT JOIN embedded e ON e.content = c.id
                    AND e.model = (SELECT id FROM models WHERE name = ?)
                WHERE c.is_whole""",
            model,
        )
        return {sha256: (passages, embedded) for sha256, passages, embedded in rows}

    def page(self, sha256: str, page: int) -> list[Passage]:
        """Return the passages of a page or slide, in order."""
        return [
            each.passage for each in self._passages("c.sha256 = ? AND p.page = ?", sha256, page)
        ]

    def passages(self, sha256: str) -> list[Passage]:
        """Return all passages of a file, in order."""
        return [each.passage for each in self._passages("c.sha256 = ?", sha256)]

    def found(self, ids: Sequence[int]) -> dict[int, FoundPassage]:
        """Return passages by their numbers, those that are still there."""
        chosen = self._passages("p.id IN (SELECT value FROM json_each(?))", json.dumps([*ids]))
        return {each.id: each for each in chosen}

    def _passages(self, condition: str, *given: str | int, most: int = -1) -> list[FoundPassage]:
        sql = f"""SELECT p.id, c.sha256, p.text, p.place, p.certainty FROM passages p
            JOIN contents c ON c.id = p.content WHERE {condition}
            ORDER BY p.id LIMIT ?"""  # noqa: S608  a condition of ours
        with errors_as_user_errors(self.path):
            return [
                FoundPassage(id_, sha256, Passage(text, _place(place), certainty))
                for id_, sha256, text, place, certainty in self._rows(sql, *given, most)
            ]

    def _rows(self, sql: str, *given: str | int) -> list[Any]:
        with errors_as_user_errors(self.path):
            return self._db.execute(sql, given).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with errors_as_user_errors(self.path), transaction(self._db):
            yield self._db

    # Searching

    def allowed(self, hashes: Collection[str]) -> list[int]:
        """Return the numbers of the contents with these hashes."""
        rows = self._rows("SELECT id, sha256 FROM contents")
        return [id_ for id_, sha256 in rows if sha256 in hashes]

    def contents_of(self, passages: Sequence[int]) -> dict[int, int]:
        """Return the content that each of these passages stands in."""
        found = "SELECT id, content FROM passages WHERE id IN (SELECT value FROM json_each(?))"
        return dict(self._rows(found, json.dumps([*passages])))

    def match(self, terms: Collection[str]) -> dict[int, float]:
        """Return the passages with any of these terms, and how well they fit: BM25, above 0."""
        if not terms:
            return {}
        words = " OR ".join(f'"{term}"' for term in sorted({t.replace('"', "") for t in terms}))
        found = "SELECT rowid, -bm25(passage_search) FROM passage_search WHERE terms MATCH ?"
        return dict(self._rows(found, words))

    def with_codes(self, codes: Collection[str]) -> dict[int, int]:
        """Return the passages with any of these codes, and how many of them each has."""
        found = """SELECT passage, count(*) FROM codes
            WHERE code IN (SELECT value FROM json_each(?)) GROUP BY passage"""
        return dict(self._rows(found, json.dumps(sorted(codes))))

    def codes(self) -> list[str]:
        """Return all codes that stand in passages."""
        return [code for (code,) in self._rows("SELECT DISTINCT code FROM codes")]

    # Vectors

    def models(self) -> dict[str, int]:
        """Return how many vectors there are of each model."""
        return dict(
            self._rows(
                """SELECT m.name, ifnull(sum(e.vectors), 0) FROM models m
                    LEFT JOIN embedded e ON e.model = m.id GROUP BY m.id"""
            )
        )

    def count(self, *, but: Collection[str] = ()) -> int:
        """Return the number of passages, without those of files with some SHA-256."""
        sql = f"SELECT ifnull(sum(passages), 0) FROM contents c WHERE {_BUT}"  # noqa: S608
        found: int = self._rows(sql, json.dumps([*but]))[0][0]
        return found

    def without_vector(
        self, model: str, most: int, *, but: Collection[str] = ()
    ) -> list[FoundPassage]:
        """Return passages that have no vector of a model yet, oldest first; `but` as in `count`."""
        return self._passages(
            f"""{_BUT} AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id
                AND v.model = (SELECT id FROM models WHERE name = ?))""",  # noqa: S608
            json.dumps([*but]),
            model,
            most=most,
        )

    def keep_vectors(self, model: str, vectors: Mapping[int, bytes]) -> None:
        """Keep vectors of passages, float16; those of passages that are gone are dropped."""
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (model,))
            db.executemany(
                """INSERT OR IGNORE INTO vectors (passage, model, vector)
                    SELECT p.id, m.id, ? FROM passages p, models m WHERE p.id = ? AND m.name = ?""",
                [(vector, passage, model) for passage, vector in vectors.items()],
            )
            db.execute(
                """INSERT OR REPLACE INTO embedded
                    SELECT p.content, m.id, count(*) FROM models m, passages p
                        JOIN vectors v ON v.passage = p.id AND v.model = m.id
                        WHERE m.name = ? AND p.content IN (SELECT content FROM passages
                            WHERE id IN (SELECT value FROM json_each(?)))
                        GROUP BY p.content""",
                (model, json.dumps([*vectors])),
            )

    def drop_other_models(self, model: str) -> None:
        """Forget the vectors of all models but one."""
        with self._writing() as db:
            db.execute("DELETE FROM models WHERE name <> ?", (model,))

    def vectors(self, model: str, after: int = 0) -> list[tuple[int, int, int, bytes]]:
        """Return number, passage, content and vector of those of a model kept after a number."""
        return self._rows(
            """SELECT v.id, v.passage, p.content, v.vector FROM vectors v
                JOIN passages p ON p.id = v.passage
                WHERE v.model = (SELECT id FROM models WHERE name = ?) AND v.id > ?
                ORDER BY v.id""",
            model,
            after,
        )


def _open(path: Path) -> sqlite3.Connection:
    try:
        return _opened(path)
    except DamagedStoreError:
        DocumentIndex.remove(path)
        return _opened(path)


def _opened(path: Path) -> sqlite3.Connection:
    with errors_as_user_errors(path), ExitStack() as undo:
        db = connect(path)
        undo.callback(db.close)
        share(db)
        # What was not on the disk when the power failed is read again.
        db.execute("PRAGMA synchronous = NORMAL")
        if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
            db.execute("PRAGMA foreign_keys = OFF")
            with transaction(db):
                _make(db)
        db.execute("PRAGMA foreign_keys = ON")
        undo.pop_all()
        return db


def _make(db: sqlite3.Connection) -> None:
    """Make the tables anew, unless another program was quicker."""
    if db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA:
        return
    named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    # The tables of a search go with it.
    for (name,) in db.execute(f"{named} ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC").fetchall():
        db.execute(f'DROP TABLE IF EXISTS "{name}"')
    for statement in _TABLES:
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def _drop(db: sqlite3.Connection, hashes: Sequence[str]) -> None:
    given = (json.dumps([*hashes]),)
    of_these = """(SELECT p.id FROM passages p JOIN contents c ON c.id = p.content
        WHERE c.sha256 IN (SELECT value FROM json_each(?)))"""
    db.execute(f"DELETE FROM passage_search WHERE rowid IN {of_these}", given)  # noqa: S608
    db.execute("DELETE FROM contents WHERE sha256 IN (SELECT value FROM json_each(?))", given)


def _place(data: str) -> DocumentPlace:
    return codec.unpack(DocumentPlace, parse_json(data))
