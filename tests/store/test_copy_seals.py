"""Seals of safety copies: what was changed in one is refused, and what cannot be proven is said."""

import asyncio
import json
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from qhub_desktop.store.backups import (
    Backup,
    Examined,
    Examiner,
    copy_checked,
    listed,
    make,
    make_at,
)
from qhub_desktop.store.copy_seal import STATE, content_digest, seal, unseal
from qhub_desktop.store.database import connect
from qhub_desktop.store.migrations import MIGRATIONS, Migration
from qhub_desktop.store.recovery import find_backup, newest_sound, restore, what_changes
from qhub_desktop.store.schema import schema_problems
from tests.keyrings import LockedStore, MemoryStore, using
from tests.store.homes.make import HERE
from tests.store.test_old_data_folders import HOMES
from tests.store.test_people import account

Change = Callable[[sqlite3.Connection], object]


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with something of everything, to be copied."""
    folder = tmp_path_factory.mktemp("sealed") / "station"

    async def live() -> None:
        store = Store.open(folder)
        await account(store, "ana", "admin")
        await store.settings.save({"station": "Linha 2"})
        store.enter(await store.people.find("ana"))
        made = await store.conversations.create("analise")
        await store.messages.add(made.id, "user", [Text("quantos defeitos?")])
        store.close()

    asyncio.run(live())
    return folder


@pytest.fixture
def path(lived_in: Path, folder: Path) -> Path:
    """The file of a station."""
    shutil.copytree(lived_in, folder)
    return folder / "qhub.db"


@pytest.fixture
def memory_store() -> Iterator[MemoryStore]:
    """A key store in memory."""
    yield from using(MemoryStore())


def examine(copy: Backup) -> Examined:
    return Examiner().examine(copy.path)


def change(copy: Backup, *works: Change | str) -> None:
    with closing(connect(copy.path)) as db:
        for work in works:
            if isinstance(work, str):
                db.execute(work)
            else:
                work(db)


def table_of_others(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE reservations RENAME TO kept")
    db.execute("CREATE VIEW reservations AS SELECT * FROM kept")


def without_strict(db: sqlite3.Connection) -> None:
    (sql,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'people'").fetchone()
    db.execute("DROP TABLE people")
    db.execute(sql.replace(" STRICT", ""))


def quietly(table: str, old: str, new: str) -> Change:
    def work(db: sqlite3.Connection) -> None:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?", (old, new, table)
        )

    return work


EVIL_TRIGGER = "CREATE TRIGGER t AFTER INSERT ON audit BEGIN UPDATE people SET role = 'admin'; END"
SCHEMAS: dict[str, tuple[Change | str, str]] = {
    "a trigger that makes somebody administrator": (
        EVIL_TRIGGER,
        "the trigger t is not QHub's",
    ),
    "a temporary look of a trigger": (
        "CREATE TRIGGER texts_inserted2 AFTER INSERT ON texts BEGIN SELECT 1; END",
        "the trigger texts_inserted2 is not QHub's",
    ),
    "a trigger that is gone": ("DROP TRIGGER audit_stays", "the trigger audit_stays is gone"),
    "a trigger that does nothing": (
        quietly("audit_stays", "ON audit BEGIN", "ON audit WHEN 0 BEGIN"),
        "the trigger audit_stays is not as QHub makes it",
    ),
    "a view for a table": (table_of_others, "the view reservations is not QHub's"),
    "a view more": ("CREATE VIEW v AS SELECT 1", "the view v is not QHub's"),
    "a table more": ("CREATE TABLE x (y)", "the table x is not QHub's"),
    "a table less": ("DROP TABLE budgets", "the table budgets is gone"),
    "a column more": (
        "ALTER TABLE people ADD COLUMN x TEXT",
        "the table people is not as QHub makes",
    ),
    "an index more": ("CREATE INDEX i ON people (role)", "the index i is not QHub's"),
    "an index less": ("DROP INDEX usage_on", "the index usage_on is gone"),
    "a table of other rules": (without_strict, "the table people is not as QHub makes it"),
    "a default": (
        quietly(
            "people",
            "is_disabled INTEGER NOT NULL DEFAULT 0",
            "is_disabled INTEGER NOT NULL DEFAULT 1",
        ),
        "table people is not as",
    ),
    "a name of two lines": ('CREATE TABLE "x\n\u202ey" (z)', "the table x y is not QHub's"),
    "an earlier number": ("PRAGMA user_version = 12", "is not as QHub makes it"),
    "a later number": ("PRAGMA user_version = 99", "written by a newer version"),
    "no number": ("PRAGMA user_version = 0", "is not QHub's"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_copy_whose_schema_is_not_ours_is_refused_and_nothing_of_it_is_run(
    path: Path, name: str
) -> None:
    work, told = SCHEMAS[name]
    copy = make(path, "manual")
    before = path.read_bytes()
    change(copy, work)

    assert told in examine(copy).problem
    for refuse in (restore, what_changes):
        with pytest.raises(UserError, match="cannot be used"):
            refuse(path, copy)
    assert path.read_bytes() == before
    assert newest_sound(path) is None


CELLS = (
    "UPDATE defects SET rack = 'R99' WHERE id = 1",
    "UPDATE people SET secret = 'another'",
    "UPDATE people SET role = 'operador'",
    "INSERT INTO people (name, role, secret, kind, created) VALUES ('eva', 'admin', 'x', 'pin', 1)",
    "DELETE FROM defects WHERE id = 200",
    "UPDATE blocks SET data = replace(data, 'quantos', 'QUANTOS')",
    "UPDATE settings SET value = '\"Linha 3\"' WHERE key = 'station'",
    "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'people'",
    "UPDATE conversations SET title = title || ' '",
    "UPDATE defects SET posicao = NULL WHERE id = 1",
    "UPDATE defects SET operador = 'Júlia' WHERE id = 1",
    f"INSERT INTO state VALUES ('{STATE} ', '1')",
    f"UPDATE state SET value = replace(value, '\"digest\"', '\"Digest\"') WHERE key = '{STATE}'",
    f"UPDATE state SET value = '[1' WHERE key = '{STATE}'",
)


def test_a_copy_with_a_changed_cell_is_refused(path: Path) -> None:
    copy = make(path, "manual")
    assert examine(copy) == Examined("")
    sound = copy.path.read_bytes()
    for statement in CELLS:
        copy.path.write_bytes(sound)
        change(copy, statement)
        assert "is not what it was when it was made" in examine(copy).problem, statement
        with pytest.raises(UserError, match="cannot be used: its content"):
            restore(path, copy)


@pytest.mark.parametrize(
    ("before", "after"), [((3, 12.5), (31, 2.5)), ((1, 12.0), (11, 2.0)), ((10, 0.5), (1, 0.5))]
)
def test_no_two_contents_have_the_same_digest(
    path: Path, before: tuple[int, float], after: tuple[int, float]
) -> None:
    digests = set()
    for tokens, cost in (before, after):
        with closing(connect(path)) as db:
            db.execute("CREATE TABLE IF NOT EXISTS numbers (tokens INTEGER, cost REAL)")
            db.execute("DELETE FROM numbers")
            db.execute("INSERT INTO numbers VALUES (?, ?)", (tokens, cost))
            digests.add(content_digest(db))
    assert len(digests) == 2


def test_a_file_whose_schema_is_no_text_is_damaged_and_its_copy_refused(path: Path) -> None:
    copy = make(path, "manual")
    for file in (copy.path, path):
        content = file.read_bytes()
        assert b"CREATE TABLE conversations" in content
        file.write_bytes(content.replace(b"CREATE TABLE con", b"CREATE TABLE \xa0on"))

    assert examine(copy).problem
    assert newest_sound(path) is None
    with pytest.raises(UserError, match="cannot be used"):
        restore(path, copy)
    with pytest.raises(UserError, match="No safety copy"):
        make(path, "daily")
    with pytest.raises(DamagedStoreError):
        Store.open(path.parent)


def test_rows_that_refer_to_nothing_are_refused(path: Path) -> None:
    copy = make(path, "manual")
    change(copy, "DELETE FROM conversations", lambda db: seal(db, None))
    assert "refers to nothing" in examine(copy).problem


def test_who_has_not_the_key_store_can_not_seal_what_they_change(
    path: Path, memory_store: MemoryStore
) -> None:
    copy = make(path, "manual")
    assert examine(copy) == Examined("")
    sound = copy.path.read_bytes()

    def keep_proof(db: sqlite3.Connection) -> None:
        """Make the digest anew, and leave the proof as it was."""
        (value,) = db.execute("SELECT value FROM state WHERE key = ?", (STATE,)).fetchone()
        told = {**json.loads(value), "digest": content_digest(db)}
        db.execute("UPDATE state SET value = ? WHERE key = ?", (json.dumps(told), STATE))

    change(copy, CELLS[0], keep_proof)
    assert "was not made by this computer, though it says so" in examine(copy).problem

    for remake, doubt in (
        (lambda db: seal(db, None), "without a key store"),
        (lambda db: seal(db, b"another key"), "on another computer"),
        (unseal, "has no seal"),
    ):
        copy.path.write_bytes(sound)
        change(copy, CELLS[0], remake)
        found = examine(copy)
        assert not found.problem
        assert doubt in found.doubt
        assert found.doubt in what_changes(path, copy)


def test_a_copy_that_this_computer_can_prove_goes_before_one_that_it_can_not(
    path: Path, memory_store: MemoryStore
) -> None:
    older = make(path, "manual")
    newer = make(path, "manual")
    assert newest_sound(path) == newer
    change(newer, CELLS[3], lambda db: seal(db, None))

    assert newest_sound(path) == older
    older.path.unlink()
    assert newest_sound(path) == newer


def test_a_copy_is_taken_along_with_its_seal_and_proven_where_its_key_is(
    path: Path, tmp_path: Path
) -> None:
    pen = tmp_path / "pen.db"
    for _here in using(MemoryStore()):
        make_at(path, pen)
        pen = pen.rename(tmp_path / "other name.db")
        assert Examiner().examine(pen) == Examined("")
    for _there in using(MemoryStore()):
        make(path, "manual")  # so that there is a key
        assert "on another computer" in Examiner().examine(pen).doubt
    for _locked in using(LockedStore()):
        assert "does not answer here" in Examiner().examine(pen).doubt
    with closing(connect(path)) as db:
        assert db.execute("SELECT 1 FROM state WHERE key = ?", (STATE,)).fetchone() is None


def test_what_is_gone_back_to_or_put_in_place_is_no_copy_any_more(path: Path) -> None:
    copy = make(path, "manual")
    restore(path, copy)
    with closing(connect(path)) as db:
        assert db.execute("SELECT 1 FROM state WHERE key = ?", (STATE,)).fetchone() is None
    shutil.copy(copy.path, path)
    Store.open(path.parent).close()
    asyncio.run(_save_something(path.parent))
    by_hand = path.with_name("by hand.db")
    shutil.copy(path, by_hand)
    assert not Examiner().examine(by_hand).problem
    assert not examine(make(path, "manual")).problem


async def _save_something(folder: Path) -> None:
    store = Store.open(folder)
    await store.settings.save_state("k", 1)
    store.close()


def migrated(steps: tuple[Migration, ...]) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    for step in steps:
        step(db)
    db.execute(f"PRAGMA user_version = {len(steps)}")
    return db


def test_the_schema_of_every_version_is_ours_at_its_own_version_alone() -> None:
    for count in range(1, len(MIGRATIONS) + 1):
        with closing(migrated(MIGRATIONS[:count])) as db:
            assert schema_problems(db) == []
            db.execute(f"PRAGMA user_version = {count % len(MIGRATIONS) + 1}")
            assert schema_problems(db) or count in (2, 11), count


@pytest.mark.parametrize("name", HOMES)
def test_copies_that_earlier_versions_made_are_gone_back_to_and_said_to_be_unproven(
    folder: Path, name: str, memory_store: MemoryStore
) -> None:
    with zipfile.ZipFile(HERE / f"{name}.zip") as packed:
        packed.extract("qhub.db", folder)
    path = folder / "qhub.db"
    with closing(connect(path)) as db:
        assert schema_problems(db) == []
    copy = folder / "backups" / "qhub.20260101T000000Z.daily.db"
    copy.parent.mkdir()
    copy_checked(path, copy)

    (found,) = listed(path)
    assert not examine(found).problem
    assert "an earlier version of QHub made it" in what_changes(path, found)
    restore(path, found, by="ana")
    Store.open(folder).close()


def test_white_space_of_a_statement_says_nothing_and_its_texts_do() -> None:
    with closing(migrated(MIGRATIONS)) as db:
        quietly("people", "name TEXT NOT NULL UNIQUE,", "name\n TEXT  NOT NULL UNIQUE ,")(db)
        assert schema_problems(db) == []
        quietly("audit_stays", "only grows", "only  grows")(db)
        assert schema_problems(db) == ["the trigger audit_stays is not as QHub makes it"]


def test_data_that_others_have_put_a_trigger_in_get_no_copy_and_it_is_said(path: Path) -> None:
    with closing(connect(path)) as db:
        db.execute(EVIL_TRIGGER)
    with pytest.raises(UserError, match="the trigger t is not QHub's"):
        make(path, "daily")
    assert listed(path) == []


def test_it_is_said_whose_data_a_copy_holds(path: Path, tmp_path: Path) -> None:
    copy = make(path, "manual")
    path.unlink()
    told = what_changes(path, copy)
    assert "It is of the station 'Linha 2'. 1 person has an account there. The last entry" in told
    assert re.search(r"is number 2, of \d", told)

    other = tmp_path / "other"
    Store.open(other).close()
    told = what_changes(path, find_backup(path, str(make(other / "qhub.db", "manual").path)))
    assert "a station without a name. Nobody has an account there. Its log has no entry." in told
