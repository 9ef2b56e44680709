"""The defect log: the demo defects, reported ones, and those of files: each once, all or none."""

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from qhub_desktop.core.dataset import DEFECT_FIELDS, Appended, Defect, DefectMapping
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import Column, Table
from qhub_desktop.store import Store
from qhub_desktop.store.backups import listed
from qhub_desktop.store.database import connect, open_connection
from qhub_desktop.store.defects import FILE_COLUMNS
from qhub_desktop.store.migrations import MIGRATIONS
from tests.store.conftest import faults

DAY = date(2026, 3, 1)
SHAPE = ("Data", "Defeito", "Turno")
DEFECT = Defect(DAY, "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)


def row(line: int, *, own: str | None = None, **changed: Any) -> tuple[Any, ...]:
    record = {
        "data": DAY,
        "turno": "noite",
        "operador": None,
        "tipo_defeito": "lixo",
        "material": "PP",
        "rack": None,
        "posicao": 3,
        **changed,
    }
    written = record.pop("written", record["posicao"])
    return (line, own, *record.values(), None if written is None else str(written))


def rows(*made: tuple[Any, ...]) -> Table:
    return Table(tuple(Column(name, "text") for name in FILE_COLUMNS), made)


async def append(
    store: Store, *made: tuple[Any, ...], of: str = "aa-1", columns: tuple[str, ...] = SHAPE
) -> Appended:
    return await store.defects.append(rows(*made), dataset_id=of, file="x.csv", columns=columns)


async def test_rows_come_after_the_log_with_what_they_lack_missing(store: Store) -> None:
    came = await append(store, row(1), row(2, posicao=None))

    assert (came.added, came.known, came.left_out) == (2, 0, 0)
    last = (await store.defects.log()).rows[-2:]
    assert last[0] == (201, DAY, "noite", None, "lixo", "PP", None, 3)
    assert last[1][-1] is None


async def test_the_same_rows_again_add_nothing(store: Store) -> None:
    await append(store, row(1), row(2))
    again = await append(store, row(1), row(2))
    renamed = await append(store, row(1), row(2), of="bb-1")

    assert (again.id, again.added, again.known) == (None, 0, 2)
    assert (renamed.added, renamed.known) == (0, 2)


async def test_a_newer_version_adds_as_many_alike_rows_as_it_has_more(store: Store) -> None:
    await append(store, row(1), row(2))
    newer = await append(store, row(1), row(2), row(3), row(4, turno="tarde"), of="bb-1")

    assert (newer.added, newer.known) == (2, 2)


async def test_a_row_of_the_same_data_set_is_known_even_when_its_words_mean_something_else(
    store: Store,
) -> None:
    await append(store, row(1, tipo_defeito="Risco"))
    again = await append(store, row(1, tipo_defeito="outros"))

    assert (again.added, again.known) == (0, 1)


async def test_what_somebody_reported_by_hand_is_the_same_record(store: Store) -> None:
    await store.defects.add(Defect(DAY, "noite", "Júlia", "lixo", "PP", "R1", 3))
    came = await append(
        store, row(1, operador="Júlia", rack="R1"), row(2, operador="Júlia", rack="R1")
    )

    assert (came.added, came.known) == (1, 1)


async def test_rows_with_numbers_of_their_own_are_told_apart_by_them(store: Store) -> None:
    first = await append(store, row(1, own="7"), row(2, own="8"))
    newer = await append(
        store, row(1, own="9"), row(2, own="8"), row(3, own="7", turno="tarde"), of="bb-1"
    )

    assert first.added == 2
    assert (newer.added, newer.known, newer.contradicted) == (1, 1, 1)


async def test_a_number_of_another_kind_of_file_or_one_that_is_there_twice_says_nothing(
    store: Store,
) -> None:
    await append(store, row(1, own="7"))
    other = await append(store, row(1, own="7", rack="R9"), of="bb-1", columns=("A", "B"))
    order = await append(store, row(1, own="5", rack="R1"), row(2, own="5", rack="R2"), of="cc-1")
    later = await append(store, row(1, own="5", rack="R3"), of="dd-1")

    assert (other.added, other.contradicted) == (1, 0)
    assert order.added == 2
    assert (later.added, later.contradicted) == (1, 0)


async def test_rows_that_are_no_defects_are_left_out_and_counted(store: Store) -> None:
    came = await append(
        store,
        row(1, data=None),
        row(2, tipo_defeito=None),
        row(3, posicao=None, written="3,5"),
        row(4),
    )

    assert (came.undated, came.untyped, came.unplaced, came.added) == (1, 1, 1, 1)
    assert came.left_out == 3


async def test_undoing_takes_out_the_rows_of_that_append_alone(store: Store, folder: Path) -> None:
    first = await append(store, row(1))
    second = await append(store, row(1), row(2), row(3), of="bb-1")
    assert first.id is not None
    assert second.id is not None
    number = await store.defects.add(Defect(DAY, "noite", "Rui", "lixo", "PP", "R1", 3))

    assert await store.defects.take_back(second.id) == 2

    assert [line[0] for line in (await store.defects.log()).rows][-2:] == [201, number]
    assert (await append(store, row(1), row(2), row(3), of="bb-1")).added == 2
    assert await store.defects.take_back(second.id) == 0
    assert faults(folder) == []


async def test_all_rows_are_added_or_none(store: Store) -> None:
    before = await store.defects.log()

    with pytest.raises(Exception, match="posicao"):
        await append(store, row(1), row(2, posicao="three"))

    assert await store.defects.log() == before


async def test_a_confirmed_mapping_is_for_files_with_the_same_columns(folder: Path) -> None:
    store = Store.open(folder)
    mapping = DefectMapping((("data", "Dia"),), (("turno", "1º", "manha"),))
    await store.defects.keep_mapping(["Dia", "Defeito"], DefectMapping((("data", "x"),)))
    await store.defects.keep_mapping(["Dia", "Defeito"], mapping)
    store.close()

    store = Store.open(folder)
    assert await store.defects.mapping(["Defeito", "Dia"]) == mapping
    assert await store.defects.mapping(["Defeito", "Dia", "Rack"]) is None
    store.close()


def fill(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO defects VALUES (5, '2026-02-01', 'manha', 'A', 'lixo', 'P', 'R', 1)")


def older_file(folder: Path) -> Path:
    """A store as it was before files could be added to its log."""
    folder.mkdir()
    path = folder / "qhub.db"
    open_connection(path, fill=fill, migrations=MIGRATIONS[:2]).close()
    return path


async def test_the_log_of_an_older_file_is_whole_after_its_migration(folder: Path) -> None:
    path = older_file(folder)
    store = Store.open(folder)
    number = await store.defects.add(Defect(DAY, "noite", "Rui", "lixo", "PP", "R1", 3))
    log = (await store.defects.log()).rows
    store.close()

    assert log[0] == (5, date(2026, 2, 1), "manha", "A", "lixo", "P", "R", 1)
    assert number == 6
    (copy,) = listed(folder / "qhub.db")
    assert copy.detail == "2"
    with closing(connect(copy.path)) as db:
        assert db.execute("SELECT count(*) FROM defects").fetchone() == (1,)
    with pytest.raises(UserError, match="newer version"):
        open_connection(path, fill=fill, migrations=MIGRATIONS[:2])


async def test_a_new_file_begins_with_the_200_demo_defects(store: Store) -> None:
    log = await store.defects.log()

    assert log.names == DEFECT_FIELDS
    assert [column.type for column in log.columns][:3] == ["integer", "date", "category"]
    assert log.column("posicao").type == "integer"
    assert log.rows[0] == (
        1,
        date(2026, 2, 11),
        "manha",
        "Julia",
        "gordura",
        "ABS_Cinza",
        "R11",
        3,
    )
    assert [row[0] for row in log.rows] == list(range(1, 201))
    positions = [cell for cell in log.cells("posicao") if isinstance(cell, int)]
    assert sum(positions) == 918


async def test_a_reported_defect_gets_the_next_id_and_stays(folder: Path) -> None:
    store = Store.open(folder)
    assert await store.defects.add(DEFECT) == 201
    assert await store.defects.add(DEFECT) == 202
    store.close()

    store = Store.open(folder)
    rows = (await store.defects.log()).rows
    store.close()

    assert len(rows) == 202
    assert rows[-1] == (202, date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)


@pytest.mark.parametrize("content", [None, b"id,data\n1,2026-02-01\n", b"\xff\xfe\x00"])
def test_a_damaged_program_says_so_and_the_next_start_begins_anew(
    folder: Path, tmp_path: Path, content: bytes | None
) -> None:
    seed = tmp_path / "defeitos.csv"
    if content is not None:
        seed.write_bytes(content)

    with pytest.raises(UserError, match="Install QHub again"):
        Store.open(folder, seed=seed)

    seed.write_text(
        ",".join(DEFECT_FIELDS) + "\n1,2026-02-01,manha,Ana,lixo,PP,R1,3\n", encoding="utf-8"
    )
    Store.open(folder, seed=seed).close()
