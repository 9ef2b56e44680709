"""The station's defect log."""

import csv
import sqlite3
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from qhub_desktop.core.defect import COLUMNS, Appended, Defect
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.mappings import shape_of
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import stamp, storable

_TYPES: dict[str, ColumnType] = {"id": "integer", "data": "date", "posicao": "integer"}

# A file's row as the log takes it: its place in the file, then the log's columns with the row's own
# number for an id, then its position as it was written.
FILE_COLUMNS = ("linha", *COLUMNS, "posicao_escrita")

_Record = tuple[Any, ...]  # everything but the id


def seed(db: sqlite3.Connection, file: Path) -> None:
    """Begin the log with the records that ship. Inside the transaction that makes the file."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            records = [tuple(record[name] for name in COLUMNS) for record in csv.DictReader(lines)]
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise UserError(
            _("The program's file {file} is missing or damaged. Install QHub again.").format(
                file=file.name
            )
        ) from error
    db.executemany(
        """INSERT INTO defects (id, data, turno, operador, tipo_defeito, material, rack, posicao)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        records,
    )


def log(db: sqlite3.Connection) -> Table:
    """Every defect, in the order of its id."""
    rows = db.execute(
        "SELECT id, data, turno, operador, tipo_defeito, material, rack, posicao"
        " FROM defects ORDER BY id"
    )
    return Table(
        tuple(Column(name, _TYPES.get(name, "category")) for name in COLUMNS),
        tuple((id_, date.fromisoformat(day), *others) for id_, day, *others in rows),
    )


def add(db: sqlite3.Connection, defect: Defect) -> int:
    """Write one down; its id."""
    with writing(db):
        id_ = db.execute(
            """INSERT INTO defects (data, turno, operador, tipo_defeito, material, rack, posicao)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                defect.date.isoformat(),
                defect.shift,
                defect.operator,
                defect.type,
                defect.material,
                defect.rack,
                defect.position,
            ),
        ).lastrowid
    assert id_ is not None
    return id_


def append(
    db: sqlite3.Connection, rows: Table, *, dataset_id: str, file: str, columns: Iterable[str]
) -> Appended:
    """Add those of a file's rows that the log does not have; all of them, or none.

    `rows` has `FILE_COLUMNS`, `columns` are the names of the file's own. The log has a row already
    if that row of the same data set was added before; if a row with its own number, from a file
    with the same columns, was added with the same values (with others it is left out, and counted
    as contradicted); or else if the log has a record that agrees in every field. Each record
    answers for one row, so that of three alike rows the third is added where the log has two.
    """
    counts: Counter[str] = Counter()
    with writing(db):
        known = _Known(db, dataset_id=dataset_id, shape=(shape := shape_of(columns)))
        numbers = _numbers(rows)
        added: list[_Record] = []
        for line, own, *record, written in rows.rows:
            if fault := _fault(record, written):
                counts[fault] += 1
                continue
            fields = tuple(_kept(cell) for cell in record)
            own_id = str(own) if own is not None and numbers[own] == 1 else None
            verdict = known.verdict(line, own_id, fields)
            counts[verdict] += 1
            if verdict == "added":
                added.append((*fields, line, own_id))
        batch = _write(db, added, dataset_id=dataset_id, file=file, shape=shape) if added else None
    return Appended(batch, **{name: counts[name] for name in _COUNTED})


def take_back(db: sqlite3.Connection, appended: int) -> int:
    """Take out the rows of one `append`; how many there were."""
    with writing(db):
        taken = db.execute("DELETE FROM defects WHERE appended = ?", (appended,)).rowcount
        db.execute("DELETE FROM appended WHERE id = ?", (appended,))
    return taken


def is_appended(db: sqlite3.Connection, dataset_id: str) -> bool:
    """Whether rows of this data set were added."""
    found = db.execute("SELECT 1 FROM appended WHERE dataset_id = ? LIMIT 1", (dataset_id,))
    return found.fetchone() is not None


_COUNTED = ("added", "known", "contradicted", "undated", "untyped", "unplaced")


class _Known:
    """What the log has, as the rows of one file meet it."""

    def __init__(self, db: sqlite3.Connection, *, dataset_id: str, shape: str) -> None:
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

    def verdict(self, line: Any, own_id: str | None, record: _Record) -> str:
        """What is to be done with a row."""
        if line in self._lines:
            return "known"
        if own_id is not None and own_id in self._own:
            return "known" if self._own[own_id] == record else "contradicted"
        if self._records[record] > 0:
            self._records[record] -= 1
            return "known"
        return "added"


def _numbers(rows: Table) -> Counter[Any]:
    """How often each row's own number is there: one that is there twice is no number of a row."""
    return Counter(own for own in rows.cells("id") if own is not None)


def _fault(record: list[Any], written: Any) -> str:
    """Why a row can not be in the log, if it can not."""
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
            return storable(cell)
        case _:
            return cell


def _write(
    db: sqlite3.Connection, added: list[_Record], *, dataset_id: str, file: str, shape: str
) -> int | None:
    batch = db.execute(
        "INSERT INTO appended (created, dataset_id, file, shape) VALUES (?, ?, ?, ?)",
        (stamp(), dataset_id, storable(file), shape),
    ).lastrowid
    db.executemany(
        """INSERT INTO defects (data, turno, operador, tipo_defeito, material, rack, posicao,
                file_row, own_id, appended)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        ((*record, batch) for record in added),
    )
    return batch
