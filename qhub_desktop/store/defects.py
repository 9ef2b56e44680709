"""The station's defect log, and how files are read as defects."""

import csv
import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import DEFECT_FIELDS, Appended, Defect, DefectMapping, LogInShort
from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.audit import append as audit_append
from qhub_desktop.store.database import Repository, now_us, read_json, reads, writes
from qhub_desktop.store.datasets import shape_of
from qhub_desktop.store.effects import CallKey, once
from qhub_desktop.store.rights import requires

_TYPES: dict[str, ColumnType] = {"id": "integer", "data": "date", "posicao": "integer"}

# A file's row as the log takes it: its place in the file, then the log's columns with the row's own
# number for an id, then its position as it was written.
FILE_COLUMNS = ("linha", *DEFECT_FIELDS, "posicao_escrita")

_Record = tuple[Any, ...]  # everything but the id

_RECENT_ROWS = 5_000  # of the log, by which is told what is usual now
_MOST_VALUES = 60  # of a field, of which a person chooses

# The counts of `Appended`.
_COUNTED = ("added", "known", "contradicted", "undated", "untyped", "unplaced")


class DefectRepository(Repository):
    """The log: defects that were reported, and rows of files that were appended."""

    @reads
    def log(self, db: Connection) -> Table:
        """Read every defect, in the order of its id."""
        rows = db.execute(
            "SELECT id, data, turno, operador, tipo_defeito, material, rack, posicao"
            " FROM defects ORDER BY id"
        )
        return Table(
            tuple(Column(name, _TYPES.get(name, "category")) for name in DEFECT_FIELDS),
            tuple((id_, date.fromisoformat(day), *others) for id_, day, *others in rows),
        )

    @writes
    @requires(*ROLES)
    def add(self, db: Connection, defect: Defect) -> int:
        """Insert a defect; return its id."""
        return self._insert(db, defect)

    @writes
    @requires(*ROLES)
    def record(
        self, db: Connection, defect: Defect, key: CallKey | None, *, count: int = 1
    ) -> JsonObject:
        """Insert so many alike defects for a tool call, once; return what the call is told.

        What `desfazer` gives, `take_back` takes.
        """

        def write() -> JsonObject:
            batch = _new_batch(db, owner=self.database.owner or 0)
            first, *_more = [self._insert(db, defect, batch) for _each in range(count)]
            told: JsonObject = {"estado": "gravado", "id": first, "data": defect.date.isoformat()}
            return told | ({"quantos": count} if count > 1 else {}) | {"desfazer": batch}

        return once(db, key, write)

    @reads
    def log_in_short(self, db: Connection, today: date) -> LogInShort:
        """Read what is usual in the log, what today has, and what this person recorded last."""
        values = {
            field: tuple(
                value
                for (value,) in db.execute(
                    f"""SELECT {field} FROM (SELECT * FROM defects ORDER BY id DESC LIMIT ?)
                        WHERE {field} <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ?""",  # noqa: S608  the log's columns
                    (_RECENT_ROWS, _MOST_VALUES),
                )
            )
            for field in ("tipo_defeito", "operador", "material", "rack", "posicao")
        }
        counted = db.execute(
            "SELECT tipo_defeito, count(*) FROM defects WHERE data = ? GROUP BY 1",
            (today.isoformat(),),
        )
        last = db.execute(
            """SELECT created, data, turno, operador, tipo_defeito, material, rack, posicao
                FROM defects JOIN appended ON appended.id = defects.appended
                WHERE dataset_id = '' AND owner = ? ORDER BY defects.id DESC LIMIT 1""",
            (self.database.owner or 0,),
        ).fetchone()
        if last is None:
            return LogInShort(values, dict(counted))
        created, day, *others = last
        recorded = datetime.fromtimestamp(created / 1_000_000, UTC)
        return LogInShort(values, dict(counted), Defect(date.fromisoformat(day), *others), recorded)

    def _insert(self, db: Connection, defect: Defect, batch: int | None = None) -> int:
        id_ = db.execute(
            """INSERT INTO defects
                (data, turno, operador, tipo_defeito, material, rack, posicao, appended)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                defect.date.isoformat(),
                defect.shift,
                defect.operator,
                defect.type,
                defect.material,
                defect.rack,
                defect.position,
                batch,
            ),
        ).lastrowid
        assert id_ is not None
        return id_

    @writes
    @requires(*ROLES)
    def append(
        self, db: Connection, rows: Table, *, dataset_id: str, file: str, columns: Iterable[str]
    ) -> Appended:
        """Add those of a file's rows that the log does not have; all of them, or none.

        `rows` has `FILE_COLUMNS`, `columns` are the names of the file's own. The log has a row
        already if that row of the same data set was added before; if a row with its own number,
        from a file with the same columns, was added with the same values (with others it is left
        out, and counted as contradicted); or else if the log has a record that agrees in every
        field. Each record answers for one row, so that of three alike rows the third is added where
        the log has two.
        """
        counts: Counter[str] = Counter()
        known = _LoggedDefects(db, dataset_id=dataset_id, shape=(shape := shape_of(columns)))
        numbers = _numbers(rows)
        added: list[_Record] = []
        for line, own, *record, written in rows.rows:
            if fault := _reason_left_out(record, written):
                counts[fault] += 1
                continue
            fields = tuple(_kept(cell) for cell in record)
            own_id = str(own) if own is not None and numbers[own] == 1 else None
            verdict = known.classify(line, own_id, fields)
            counts[verdict] += 1
            if verdict == "added":
                added.append((*fields, line, own_id))
        batch = None
        if added:
            owner = self.database.owner or 0
            batch = _write(db, added, dataset_id=dataset_id, file=file, shape=shape, owner=owner)
        return Appended(batch, **{name: counts[name] for name in _COUNTED})

    @reads
    def is_appended(self, db: Connection, dataset_id: str) -> bool:
        """Return whether rows of this data set are in the log."""
        found = db.execute("SELECT 1 FROM appended WHERE dataset_id = ? LIMIT 1", (dataset_id,))
        return found.fetchone() is not None

    @writes
    @requires(*ROLES)
    def take_back(self, db: Connection, appended: int) -> int:
        """Delete what one `append` or `record` has added, nothing else; return how many rows.

        The audit log tells it. Raises UserError for an operator, unless it was their own.
        """
        row = db.execute(
            """SELECT a.owner, a.file, coalesce(p.name, '') FROM appended a
                LEFT JOIN people p ON p.id = a.owner WHERE a.id = ?""",
            (appended,),
        ).fetchone()
        if row is None:
            return 0
        owner, file, name = row
        person = self.database.person
        if person is not None and person.role == "operador" and owner != person.id:
            raise UserError(
                _(
                    "Somebody else has added these defects: {file}. Ask them, or whoever leads"
                    " quality, to take them out."
                ).format(file=file or _("recorded by hand"))
            )
        taken = db.execute("DELETE FROM defects WHERE appended = ?", (appended,)).rowcount
        db.execute("DELETE FROM appended WHERE id = ?", (appended,))
        detail: JsonObject = {"file": file, "rows": taken, "of": name}
        audit_append(db, self.database.actor, "delete", f"append {appended}", detail)
        return taken

    @writes
    def keep_mapping(self, db: Connection, columns: Iterable[str], mapping: DefectMapping) -> None:
        """Remember how files with these columns are read as defects."""
        kept = json.dumps({"columns": mapping.columns, "words": mapping.words}, ensure_ascii=True)
        db.execute(
            """INSERT INTO defect_mappings VALUES (?, ?, ?) ON CONFLICT DO UPDATE
                SET mapping = excluded.mapping, confirmed = excluded.confirmed""",
            (shape_of(columns), kept, now_us()),
        )

    @reads
    def mapping(self, db: Connection, columns: Iterable[str]) -> DefectMapping | None:
        """Return how files with these columns are read as defects, if a person confirmed it."""
        row = db.execute(
            "SELECT mapping FROM defect_mappings WHERE shape = ?", (shape_of(columns),)
        ).fetchone()
        if row is None:
            return None
        try:
            return codec.unpack_strictly(DefectMapping, read_json(row[0]))
        except ValueError:
            return None  # what another program has made of it is asked again


def seed_log(db: Connection, file: Path) -> None:
    """Begin the log with the records that ship. Inside the transaction that makes the file.

    Raises UserError if they are not there.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            records = [
                tuple(record[name] for name in DEFECT_FIELDS) for record in csv.DictReader(lines)
            ]
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise UserError(
            _("The program's file {file} cannot be read ({reason}). Install QHub again.").format(
                file=file.name, reason=reason_of(error)
            )
        ) from error
    db.executemany(
        """INSERT INTO defects (id, data, turno, operador, tipo_defeito, material, rack, posicao)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        records,
    )


class _LoggedDefects:
    """Defects in the log, as the rows of one file meet them."""

    def __init__(self, db: Connection, *, dataset_id: str, shape: str) -> None:
        self._lines: set[int] = set()
        self._own: dict[str, _Record] = {}
        self._records: Counter[_Record] = Counter()
        for same_set, same_shape, line, own_id, *record in db.execute(
            """SELECT appended.dataset_id = ?, appended.shape = ?, file_row, own_id, data, turno,
                    operador, tipo_defeito, material, rack, posicao
                FROM defects LEFT JOIN appended ON appended.id = defects.appended""",
            (dataset_id, shape),
        ):
            if same_set:
                self._lines.add(line)
            elif same_shape and own_id is not None:
                self._own[own_id] = tuple(record)
            else:
                self._records[tuple(record)] += 1

    def classify(self, line: Any, own_id: str | None, record: _Record) -> str:
        """Return the count that a row belongs to."""
        if line in self._lines:
            return "known"
        if own_id is not None and own_id in self._own:
            return "known" if self._own[own_id] == record else "contradicted"
        if self._records[record] > 0:
            self._records[record] -= 1
            return "known"
        return "added"


def _numbers(rows: Table) -> Counter[Any]:
    """Count each row's own number: one that is there twice identifies no row."""
    return Counter(own for own in rows.cells("id") if own is not None)


def _reason_left_out(record: list[Any], written: Any) -> str:
    """Return why a row cannot be in the log; empty if it can."""
    day, _shift, _operator, type_, *_others, position = record
    if day is None:
        return "undated"
    if type_ is None:
        return "untyped"
    return "unplaced" if position is None and written is not None else ""


def _kept(cell: Any) -> Any:
    match cell:
        case date():
            return cell.isoformat()
        case str():
            return sanitize(cell)
        case _:
            return cell


def _write(
    db: Connection, added: list[_Record], *, dataset_id: str, file: str, shape: str, owner: int
) -> int:
    batch = _new_batch(db, owner=owner, dataset_id=dataset_id, file=sanitize(file), shape=shape)
    db.executemany(
        """INSERT INTO defects (data, turno, operador, tipo_defeito, material, rack, posicao,
                file_row, own_id, appended)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        ((*record, batch) for record in added),
    )
    return batch


def _new_batch(
    db: Connection, *, owner: int, dataset_id: str = "", file: str = "", shape: str = ""
) -> int:
    """Note when and by whom defects are added, by hand or from a file; return its number."""
    batch = db.execute(
        "INSERT INTO appended (created, dataset_id, file, shape, owner) VALUES (?, ?, ?, ?, ?)",
        (now_us(), dataset_id, file, shape, owner),
    ).lastrowid
    assert batch is not None
    return batch
