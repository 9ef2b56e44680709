"""The station's defect log."""

import csv
import sqlite3
from datetime import date
from pathlib import Path

from qhub_desktop.core.defect import COLUMNS, Defect
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.transaction import writing

_TYPES: dict[str, ColumnType] = {"id": "integer", "data": "date", "posicao": "integer"}


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
    db.executemany("INSERT INTO defects VALUES (?, ?, ?, ?, ?, ?, ?, ?)", records)


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
