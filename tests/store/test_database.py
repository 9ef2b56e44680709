"""The file itself: brought up to date, or left alone with a sentence that says what to do."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from qhub_desktop.store.backups import listed
from qhub_desktop.store.copy_seal import STATE
from qhub_desktop.store.database import connect, open_connection, transaction
from qhub_desktop.store.migrations import MIGRATIONS, Migration
from tests.store.conftest import faults


def nothing(_db: sqlite3.Connection) -> None:
    return


def add_notes(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE notes (text TEXT NOT NULL) STRICT")
    db.execute("INSERT INTO notes SELECT title FROM conversations")


def rebuild_conversations(db: sqlite3.Connection) -> None:
    """What SQLite asks for to change a column: others refer to the table meanwhile."""
    (table,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'conversations'").fetchone()
    db.execute(table.replace("TABLE conversations", "TABLE fresh"))
    stored = ", ".join(row[1] for row in db.execute("PRAGMA table_info(conversations)"))
    db.execute(f"INSERT INTO fresh ({stored}) SELECT {stored} FROM conversations")
    db.execute("DROP TABLE conversations")
    db.execute("ALTER TABLE fresh RENAME TO conversations")


def break_halfway(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM texts")
    db.execute("DROP TABLE settings")
    db.execute("INSERT INTO nowhere VALUES (1)")


def leave_orphans(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM messages")


async def written(folder: Path) -> ConversationId:
    """A file of the current version with one question and settings; the conversation's id."""
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    await store.messages.add(made.id, "user", [Text("Quantos de lixo?")])
    await store.settings.save({"station": "P2"})
    store.close()
    return made.id


def dump(path: Path) -> list[str]:
    """All that a file holds, but for the seal of a copy."""
    with closing(connect(path)) as db:
        return [line for line in db.iterdump() if f"'{STATE}'" not in line]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def copy_in(folder: Path) -> Path:
    """The one safety copy that a migration has left."""
    (copy,) = listed(folder / "qhub.db")
    assert (copy.reason, copy.detail) == ("version", str(len(MIGRATIONS)))
    return copy.path


def version(path: Path) -> int:
    with closing(connect(path)) as db:
        found: int = db.execute("PRAGMA user_version").fetchone()[0]
        return found


async def test_an_older_file_is_migrated_with_a_whole_copy_beside_it(folder: Path) -> None:
    await written(folder)
    path = folder / "qhub.db"
    before = dump(path)

    migrations = (*MIGRATIONS, add_notes, rebuild_conversations)
    with closing(open_connection(path, fill=nothing, migrations=migrations)) as db:
        notes = db.execute("SELECT text FROM notes").fetchall()

    assert notes == [("Quantos de lixo?",)]
    assert version(path) == len(MIGRATIONS) + 2
    copy = copy_in(folder)
    assert dump(copy) == before
    assert version(copy) == len(MIGRATIONS)
    assert names(folder) == ["audit.head", "backups", "qhub.db"]


async def test_the_copy_is_a_store_that_opens(folder: Path, tmp_path: Path) -> None:
    made = await written(folder)
    path = folder / "qhub.db"
    open_connection(path, fill=nothing, migrations=(*MIGRATIONS, add_notes)).close()
    other = tmp_path / "restored"
    other.mkdir()
    copy_in(folder).rename(other / "qhub.db")

    store = Store.open(other)
    assert [message.text for message in await store.messages.latest(made)] == ["Quantos de lixo?"]
    store.close()


async def test_the_copy_holds_what_another_program_has_only_just_written(folder: Path) -> None:
    made = await written(folder)
    busy = Store.open(folder)
    await busy.messages.add(made, "user", [Text("acabado de escrever")])  # in the log file only

    open_connection(folder / "qhub.db", fill=nothing, migrations=(*MIGRATIONS, add_notes)).close()
    busy.close()

    copy = copy_in(folder)
    assert any("acabado de escrever" in line for line in dump(copy))


@pytest.mark.parametrize("bad", [break_halfway, leave_orphans])
async def test_a_failed_migration_leaves_the_old_file_usable(folder: Path, bad: Migration) -> None:
    made = await written(folder)
    path = folder / "qhub.db"
    before = dump(path)

    for _start in range(2):
        with pytest.raises(UserError, match=rf"qhub\..*\.version-{len(MIGRATIONS)}\.db") as raised:
            open_connection(path, fill=nothing, migrations=(*MIGRATIONS, add_notes, bad))
        assert "Go on with the earlier version" in str(raised.value)

    assert dump(path) == before
    assert faults(folder) == []
    store = Store.open(folder)
    assert [message.text for message in await store.messages.latest(made)] == ["Quantos de lixo?"]
    assert store.settings.load_now() == {"station": "P2"}
    store.close()


async def test_no_copy_no_migration(folder: Path) -> None:
    await written(folder)
    before = dump(folder / "qhub.db")
    # Something stands where the copies would be written.
    (folder / "backups").touch()

    with pytest.raises(UserError, match="no sound copy"):
        open_connection(folder / "qhub.db", fill=nothing, migrations=(*MIGRATIONS, add_notes))

    assert dump(folder / "qhub.db") == before


async def test_a_file_of_a_newer_version_is_left_alone(folder: Path) -> None:
    await written(folder)
    path = folder / "qhub.db"
    open_connection(path, fill=nothing, migrations=(*MIGRATIONS, add_notes)).close()
    before = path.read_bytes()

    with pytest.raises(UserError, match="newer version of QHub"):
        Store.open(folder)

    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    path = folder / "qhub.db"
    with closing(connect(path)) as db:
        db.execute("CREATE TABLE theirs (x)")

    with pytest.raises(UserError, match="belongs to another program"):
        Store.open(folder)

    assert dump(path) == ["BEGIN TRANSACTION;", "CREATE TABLE theirs (x);", "COMMIT;"]


@pytest.mark.parametrize(
    "content", [b"not a database " * 1000, b"SQLite format 3\0" + b"\xff" * 4080]
)
def test_a_damaged_file_is_left_alone_with_the_next_step(folder: Path, content: bytes) -> None:
    folder.mkdir()
    path = folder / "qhub.db"
    path.write_bytes(content)

    with pytest.raises(UserError, match=r"is damaged.*offers to repair"):
        Store.open(folder)

    assert path.read_bytes() == content


async def test_damage_in_the_middle_is_named_when_it_is_met(folder: Path) -> None:
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    for number in range(200):
        await store.messages.add(made.id, "user", [Text(f"pergunta {number} " * 30)])
    store.close()
    path = folder / "qhub.db"
    content = path.read_bytes()
    # The first page, with the list of tables, stays sound; so the file opens.
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))

    with pytest.raises(UserError, match=r"is damaged.*offers to repair"):
        await reads_everything(folder, made.id)

    assert path.exists()


async def reads_everything(folder: Path, conversation: ConversationId) -> None:
    store = Store.open(folder)
    try:
        await store.messages.latest(conversation, limit=1000)
    finally:
        store.close()


def test_an_empty_file_is_a_new_one(folder: Path) -> None:
    folder.mkdir()
    (folder / "qhub.db").touch()

    Store.open(folder).close()

    assert version(folder / "qhub.db") == len(MIGRATIONS)


def test_a_folder_that_can_not_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")

    with pytest.raises(UserError, match=re.escape(str(tmp_path / "file" / "station"))):
        Store.open(tmp_path / "file" / "station")


def test_a_file_that_can_not_be_opened_is_named(folder: Path) -> None:
    (folder / "qhub.db").mkdir(parents=True)

    with pytest.raises(UserError, match="cannot be opened for writing"):
        Store.open(folder)


async def test_a_program_that_holds_the_file_for_too_long_is_named(folder: Path) -> None:
    store = Store.open(folder)
    with closing(connect(folder / "qhub.db")) as other, transaction(other):
        with pytest.raises(UserError, match="busy"):
            await store.conversations.create("analise")
        assert await store.conversations.listed() == []  # reading goes on meanwhile

    await store.conversations.create("analise")
    store.close()


def test_closing_twice_is_closing(folder: Path) -> None:
    store = Store.open(folder)
    store.close()
    store.close()

    assert names(folder) == ["qhub.db"]


def leave_pin(folder: Path) -> None:
    """A file of the first version, with a data set pinned to a conversation."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "qhub.db"
    with (
        closing(open_connection(path, fill=nothing, migrations=MIGRATIONS[:1])) as db,
        transaction(db),
    ):
        db.execute(
            "INSERT INTO conversations (number, id, agent, created, updated)"
            " VALUES (1, 'aa', 'analise', 0, 0)"
        )
        db.execute("INSERT INTO pins (conversation, dataset_id, name) VALUES (1, 'x-1', 'pecas')")


async def test_data_sets_that_an_earlier_version_pinned_are_in_use(folder: Path) -> None:
    leave_pin(folder)

    store = Store.open(folder)

    assert [pin.name for pin in await store.datasets.pinned(ConversationId("aa"))] == ["pecas"]
    store.close()
