"""The log of what was done: whatever is done to it from outside is told, and goes on being told."""

import asyncio
import json
import os
import re
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from qhub_desktop.core import keystore
from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.store import Store, audit_head
from qhub_desktop.store.audit import NOTHING, LogHead, last_entry, parse_head, seal_of
from qhub_desktop.store.audit_head import KeptHead, KeyStoreHead, file_of, read_head_file
from qhub_desktop.store.audit_verification import AuditVerdict, verify_log
from qhub_desktop.store.backups import make
from qhub_desktop.store.database import connect, transaction
from qhub_desktop.store.recovery import restore
from tests.keyrings import LockedStore, MemoryStore, using
from tests.store.test_backups import beside_each_other, run

ENTRIES = 8
ADDED_AT = 1_790_000_000_000_000


async def add(folder: Path, count: int = 1) -> None:
    """A program that adds entries and closes, with the key store where there is one."""
    store = Store.open(folder)
    store.keep_head_in_key_store()
    for number in range(count):
        await store.audit.add("export", "costs", {"number": number})
    store.close()


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a log, to be copied."""
    folder = tmp_path_factory.mktemp("log") / "station"
    asyncio.run(add(folder, ENTRIES))
    return folder


@pytest.fixture
def path(lived_in: Path, folder: Path) -> Path:
    """The file of a station with a log."""
    shutil.copytree(lived_in, folder)
    return folder / "qhub.db"


@pytest.fixture
def memory_store() -> Iterator[MemoryStore]:
    """A key store in memory."""
    yield from using(MemoryStore())


def verdict(path: Path, elsewhere: LogHead | None = None) -> AuditVerdict:
    key_store = KeyStoreHead(path)
    try:
        return verify_log(path, key_store, elsewhere)
    finally:
        key_store.close()


def rewritten(db: sqlite3.Connection, keep: int, *, add: int = 0, subject: str = "forged") -> None:
    """Cut the log after an entry, and seal others in the place of what was there."""
    db.execute("DELETE FROM audit WHERE id > ?", (keep,))
    before = last_entry(db) or NOTHING
    for number in range(keep + 1, keep + 1 + add):
        content = (number, ADDED_AT + number, "eva", "export", subject, "{}")
        seal = seal_of(before.hash, content)
        db.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)", (*content, seal))
        before = LogHead(number, seal)
    db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit'", (keep + add,))


def sealed_anew(db: sqlite3.Connection) -> None:
    """Alter an entry, and seal it and all after it anew."""
    db.execute("UPDATE audit SET person = 'eva' WHERE id = 4")
    before = NOTHING
    for row in db.execute("SELECT * FROM audit ORDER BY id").fetchall():
        before = LogHead(row[0], seal_of(before.hash, row[:-1]))
        db.execute("UPDATE audit SET hash = ? WHERE id = ?", (before.hash, before.count))


def replaced_by_a_view(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE audit RENAME TO kept")
    db.execute("CREATE VIEW audit AS SELECT * FROM kept")


Change = Callable[[sqlite3.Connection], object]
# What is done to the log with its guard off, and what is told of it.
CHANGES: dict[str, tuple[Change, str]] = {
    "three cut off": (lambda db: rewritten(db, 5), "Entries 6 to 8 were cut off"),
    "the last cut off": (lambda db: rewritten(db, 7), "Entry 8 was cut off"),
    "all cut off": (lambda db: rewritten(db, 0), "Entries 1 to 8 were cut off"),
    "three cut off, the count left": (
        lambda db: db.execute("DELETE FROM audit WHERE id > 5"),
        "Entries 6 to 8 were cut off: the database counts 8",
    ),
    "three in the place of three": (
        lambda db: rewritten(db, 5, add=3),
        "Entry 8 is not the one .* others put in their place",
    ),
    "six in the place of three": (lambda db: rewritten(db, 5, add=6), "Entry 8 is not the one"),
    "one in the place of three": (lambda db: rewritten(db, 5, add=1), "Entries 7 to 8 were cut"),
    "two added": (lambda db: rewritten(db, 8, add=2), "Entries 9 to 10 were added from outside"),
    "one added": (lambda db: rewritten(db, 8, add=1), "Entry 9 was added from outside"),
    "a whole new log": (lambda db: rewritten(db, 0, add=8), "This is a whole other log"),
    "a longer new log": (lambda db: rewritten(db, 0, add=20), "This is a whole other log"),
    "an entry altered": (
        lambda db: db.execute("UPDATE audit SET detail = '{}' WHERE id = 4"),
        "Entry 4 was altered",
    ),
    "an entry altered, all sealed anew": (sealed_anew, "Entry 8 is not the one"),
    "an entry that is no text": (
        lambda db: db.execute("UPDATE audit SET subject = CAST(x'ff41' AS TEXT) WHERE id = 4"),
        "Entry 4 was altered",
    ),
    "an entry taken out": (
        lambda db: db.execute("DELETE FROM audit WHERE id = 4"),
        "Entry 4 is gone",
    ),
    "a table that is gone": (lambda db: db.execute("DROP TABLE audit"), "The log itself is gone"),
    "a view for a table": (replaced_by_a_view, "the view audit is not QHub's"),
    "a trigger of others": (
        lambda db: db.execute(
            "CREATE TRIGGER t AFTER INSERT ON audit BEGIN UPDATE people SET role = 'admin'; END"
        ),
        "the trigger t is not QHub's",
    ),
}
GUARDS = ("audit_stays", "audit_holds")


def change(path: Path, work: Change, *, without: str = "") -> None:
    """Do it with the guard of the log off, which is put back but for one."""
    with closing(connect(path)) as db:
        guards = dict(
            db.execute("SELECT name, sql FROM sqlite_schema WHERE name IN (?, ?)", GUARDS)
        )
        for name in GUARDS:
            db.execute(f"DROP TRIGGER {name}")
        work(db)
        is_there = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'audit' AND type = 'table'")
        if is_there.fetchone():
            for name in GUARDS:
                if name != without:
                    db.execute(guards[name])


def forge_file(path: Path) -> None:
    """What who changes the log does next, if they know of the file."""
    with closing(connect(path)) as db:
        head = last_entry(db) or NOTHING
    file_of(path).write_text(KeptHead(0, "", head).packed(), encoding="utf-8")


def test_a_log_that_nobody_has_changed_is_whole(path: Path) -> None:
    found = verdict(path)

    assert found.is_whole
    assert (found.entries, found.head.count, found.broken) == (ENTRIES, ENTRIES, None)
    assert "8 entries" in found.sentence
    assert found.head.shown in found.sentence


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_done_to_the_log_is_told_in_a_sentence(path: Path, name: str) -> None:
    work, told = CHANGES[name]
    change(path, work)

    found = verdict(path)

    assert not found.is_whole
    assert re.search(told, found.sentence), found.sentence
    assert "find out who can write to the data folder" in found.sentence


@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_of_the_log_that_is_gone_or_weaker_is_told(path: Path, guard: str) -> None:
    change(path, lambda _db: None, without=guard)
    assert f"the trigger {guard} is gone" in verdict(path).sentence

    with closing(connect(path)) as db:
        verb = "DELETE" if guard == "audit_stays" else "UPDATE"
        db.execute(f"CREATE TRIGGER {guard} BEFORE {verb} ON audit BEGIN SELECT 1; END")
    assert f"the trigger {guard} is not as QHub makes it" in verdict(path).sentence


@pytest.mark.parametrize(
    "name", ["three cut off", "the last cut off", "three in the place of three", "a whole new log"]
)
def test_the_key_store_tells_where_the_file_was_forged_too(
    folder: Path, memory_store: MemoryStore, name: str
) -> None:
    asyncio.run(add(folder, ENTRIES))
    path = folder / "qhub.db"
    assert "agrees with the key store" in verdict(path).sentence
    change(path, CHANGES[name][0])
    forge_file(path)

    assert "the key store" in verdict(path).problems[0]

    forge_file(path)
    file_of(path).unlink()
    assert any("audit.head is gone" in each for each in verdict(path).problems)


def test_a_change_goes_on_being_told_until_an_administrator_goes_back_to_a_copy(
    folder: Path, memory_store: MemoryStore
) -> None:
    asyncio.run(add(folder, ENTRIES))
    path = folder / "qhub.db"
    change(path, CHANGES["three in the place of three"][0])
    asyncio.run(add(folder, 3))
    asyncio.run(add(folder))
    assert "Entry 8 is not the one" in verdict(path).sentence

    restore(path, make(path, "manual"), by="ana")

    found = verdict(path)
    assert found.is_whole, found.sentence
    # The number is higher than any that was kept, and what was left behind is named.
    assert found.head.count == 13
    with closing(connect(path)) as db:
        (person, detail) = db.execute("SELECT person, detail FROM audit WHERE id = 13").fetchone()
    assert person == "ana"
    assert {head.partition(":")[0] for head in json.loads(detail)["left"]} == {"8"}
    assert "ana went back to the safety copy" in found.sentence

    asyncio.run(add(folder))
    assert verdict(path).is_whole
    change(path, lambda db: rewritten(db, 13))
    forge_file(path)
    assert "Entry 14 was cut off: the key store" in verdict(path).sentence


def forged_restore(db: sqlite3.Connection, proof: Mapping[str, str]) -> None:
    """Cut three entries off, and write that somebody went back to a copy."""
    head = last_entry(db)
    rewritten(db, 5)
    detail = json.dumps({"messages": 0, "left": [str(head)], **proof})
    content = (9, ADDED_AT, "ana", "restore", "safety copy qhub.db", detail)
    seal = seal_of((last_entry(db) or NOTHING).hash, content)
    db.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)", (*content, seal))


def test_an_entry_that_says_that_somebody_went_back_is_proven_by_the_key_store(
    folder: Path, memory_store: MemoryStore
) -> None:
    asyncio.run(add(folder, ENTRIES))
    path = folder / "qhub.db"
    make(path, "manual")
    sound = folder.with_name("sound")
    shutil.copytree(folder, sound)
    proofs: list[Mapping[str, str]] = [{}, {"key": "a" * 16, "proof": "b" * 64}]
    for proof in proofs:
        shutil.copytree(sound, folder, dirs_exist_ok=True)
        change(path, partial(forged_restore, proof=proof))
        forge_file(path)
        asyncio.run(add(folder))
        found = verdict(path)
        assert "Entry 9 leaves entry 8 behind, which the key store has" in found.problems[0]
        assert "It cannot be proven that entry 9 was made on this computer" in found.sentence

    shutil.copytree(sound, folder, dirs_exist_ok=True)
    restore(path, make(path, "manual"), by="ana")
    with closing(connect(path)) as db:
        (detail,) = db.execute("SELECT detail FROM audit ORDER BY id DESC LIMIT 1").fetchone()
    assert verdict(path).is_whole
    told = json.loads(detail)
    replayed = {"key": told["key"], "proof": told["proof"]}
    shutil.copytree(sound, folder, dirs_exist_ok=True)
    change(path, partial(forged_restore, proof=replayed))
    forge_file(path)
    assert "Entry 9 is not the one that the key store has" in verdict(path).problems[0]


def test_entries_that_no_program_has_added_are_doubted(
    folder: Path, memory_store: MemoryStore
) -> None:
    asyncio.run(add(folder, ENTRIES))
    path = folder / "qhub.db"
    assert verdict(path).doubts == ()
    change(path, lambda db: rewritten(db, 8, add=2))
    forge_file(path)

    assert verdict(path).sentence.startswith("Among entries 9 to 10 are some that were added")
    asyncio.run(add(folder))
    found = verdict(path)
    assert found.is_whole
    assert found.head.count == 11
    assert [each[:29] for each in found.doubts] == ["Among entries 9 to 10 are som"]


def test_a_forged_way_back_is_told_by_a_head_that_was_kept_elsewhere(path: Path) -> None:
    with closing(connect(path)) as db:
        head = last_entry(db) or NOTHING
    change(path, partial(forged_restore, proof={}))
    forge_file(path)

    assert "which what was kept elsewhere has" in verdict(path, head).problems[0]


def test_the_count_never_goes_back_when_the_data_do(folder: Path) -> None:
    asyncio.run(add(folder, 3))
    path = folder / "qhub.db"
    old = make(path, "manual")
    asyncio.run(add(folder, 5))
    newer = make(path, "manual")

    restore(path, old, by="ana")
    asyncio.run(add(folder))

    found = verdict(path)
    assert found.is_whole, found.sentence
    assert (found.entries, found.head.count) == (5, 10)
    assert "the log went up to entry 8 before" in found.sentence
    # What was kept of the time in between is of entries that are left behind, which is told.
    restore(path, newer, by="rui")
    assert verdict(path).head.count == 11
    assert verdict(path).is_whole
    with closing(connect(path)) as db:
        assert [row[0] for row in db.execute("SELECT id FROM audit ORDER BY id")] == [
            *range(1, 9),
            11,
        ]


def test_a_file_from_before_put_in_by_hand_is_told_by_what_was_kept(
    folder: Path, memory_store: MemoryStore
) -> None:
    asyncio.run(add(folder, 5))
    yesterday = folder.with_name("yesterday")
    shutil.copytree(folder, yesterday)
    asyncio.run(add(folder, 3))

    shutil.copy(yesterday / "qhub.db", folder / "qhub.db")
    assert "Entries 6 to 8 were cut off: the file" in verdict(folder / "qhub.db").sentence
    shutil.copy(yesterday / "audit.head", folder / "audit.head")
    assert "Entries 6 to 8 were cut off: the key store" in verdict(folder / "qhub.db").sentence


def test_an_older_safety_copy_tells_too(path: Path) -> None:
    copy = make(path, "daily")
    change(path, CHANGES["three in the place of three"][0])
    forge_file(path)

    assert f"the safety copy {copy.name}" in verdict(path).problems[0]


async def test_a_head_that_was_kept_elsewhere_tells_what_came_after_it(path: Path) -> None:
    store = Store.open(path.parent)
    head = await store.audit.head()
    await store.audit.add("export", "costs", {})
    for kept in (head, parse_head(str(head)), parse_head(head.shown.upper())):
        assert (await store.audit.verify(elsewhere=kept)).is_whole
    store.close()
    change(path, lambda db: rewritten(db, 6, add=3))
    forge_file(path)

    assert "Entry 8 is not the one that what was kept elsewhere has" in verdict(path, head).sentence
    beyond = verdict(path, LogHead(12, head.hash))
    assert "Entries 10 to 12 were cut off: what was kept elsewhere" in beyond.sentence


@pytest.mark.parametrize("words", ["8", "8:", ":" + "a" * 64, "8:xyz", "-1:" + "a" * 64])
def test_what_is_no_head_is_refused(words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_head(words)


async def test_a_log_whose_table_is_gone_is_told_by_whatever_needs_it(path: Path) -> None:
    change(path, CHANGES["a table that is gone"][0])
    store = Store.open(path.parent)
    with pytest.raises(DamagedStoreError, match=r"was changed outside QHub \(no such table: audit"):
        await store.audit.add("export", "costs", {})
    with pytest.raises(DamagedStoreError):
        await store.audit.listed()
    store.close()


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from qhub_desktop.store import Store, database

def killed(*_given):
    os.kill(os.getpid(), signal.SIGTERM)

async def add():
    store = Store.open(Path(sys.argv[1]))
    if sys.argv[2] == "before":
        announce = database.announce
        database.announce = lambda *given: (announce(*given), killed())
    else:
        database.settle = killed
    await store.audit.add("export", "costs", {})

asyncio.run(add())
"""


@pytest.mark.parametrize(("moment", "entries"), [("before", ENTRIES), ("after", ENTRIES + 1)])
def test_a_program_that_is_killed_as_it_adds_an_entry_leaves_a_whole_log(
    path: Path, moment: str, entries: int
) -> None:
    assert run(KILLED, path.parent, moment) in (-signal.SIGTERM, signal.SIGTERM)

    found = verdict(path)
    assert found.is_whole, found.sentence
    assert found.entries == entries
    assert ("announces entry 9" in found.sentence) == (moment == "before")
    asyncio.run(add(path.parent))
    assert verdict(path).head.count == entries + 1
    assert "announces" not in verdict(path).sentence


def test_what_is_not_stored_is_not_kept_outside_either(path: Path) -> None:
    before = read_head_file(path)
    with closing(connect(path)) as db:
        with pytest.raises(sqlite3.OperationalError), transaction(db):  # noqa: PT012
            rewritten(db, 8, add=1)
            db.execute("INSERT INTO nowhere VALUES (1)")
        assert read_head_file(path) == before
        file_of(path).unlink()
        file_of(path).with_suffix(".new").mkdir()  # in the way
        rows = "SELECT count(*) FROM audit"
        with pytest.raises(UserError), transaction(db):
            rewritten(db, 8, add=1)
        assert db.execute(rows).fetchone() == (ENTRIES,)


ADD = """
import asyncio, sys
from pathlib import Path
from qhub_desktop.store import Store

async def add():
    store = Store.open(Path(sys.argv[1]).parent)
    store.keep_head_in_key_store()
    for number in range(8):
        await store.audit.add("export", "costs", {"number": number})
    store.close()

asyncio.run(add())
print("done")
"""


def test_two_programs_add_entries_at_once(path: Path) -> None:
    assert beside_each_other(ADD, path) == ["done", "done"]

    found = verdict(path)
    assert found.is_whole, found.sentence
    assert found.entries == ENTRIES + 16


async def test_entries_are_added_while_the_log_is_verified(path: Path) -> None:
    store = Store.open(path.parent)

    async def add_more() -> None:
        for number in range(20):
            await store.audit.add("export", "costs", {"number": number})

    adding = asyncio.ensure_future(add_more())
    verdicts = [await store.audit.verify() for _each in range(5)]
    await adding
    store.close()
    assert [each.sentence for each in verdicts if not each.is_whole] == []


class SlowStore(MemoryStore):
    """A key store that takes its time."""

    @override
    def set_password(self, service: str, username: str, password: str) -> None:
        time.sleep(0.05)
        super().set_password(service, username, password)


def kept_in(store: MemoryStore) -> KeptHead:
    (text,) = [text for (_service, name), text in store.kept.items() if name.startswith("audit-")]
    return audit_head.unpack_kept(text)


async def test_nobody_waits_for_the_key_store_and_it_has_the_last_entry_at_the_end(
    folder: Path,
) -> None:
    for slow in using(SlowStore()):
        store = Store.open(folder)
        store.keep_head_in_key_store()
        for number in range(20):
            await store.audit.add("export", "costs", {"number": number})
        head = await store.audit.head()
        store.close()

        kept = kept_in(slow)
        assert kept.head == head


async def test_an_older_head_never_takes_the_place_of_a_newer_one(
    path: Path, memory_store: MemoryStore
) -> None:
    await add(path.parent)
    newest = kept_in(memory_store).head
    behind = KeyStoreHead(path)
    behind.follow(LogHead(1, "a" * 64))
    behind.close()
    assert kept_in(memory_store).head == newest


@pytest.mark.parametrize("locked", [LockedStore(), None])
async def test_without_a_key_store_that_answers_the_file_is_all_and_it_is_said(
    folder: Path, locked: Any
) -> None:
    for _store in using(locked) if locked else [None]:
        await add(folder, 3)
        found = verdict(folder / "qhub.db")
        assert found.is_whole
        assert "No key store answers here" in found.sentence
        assert "agrees with the file audit.head" in found.sentence


def test_a_folder_that_is_moved_takes_its_head_along(
    folder: Path, memory_store: MemoryStore
) -> None:
    asyncio.run(add(folder, 3))
    moved = folder.with_name("moved")
    folder.rename(moved)

    found = verdict(moved / "qhub.db")
    assert found.is_whole
    assert "keeps nothing of this log yet" in found.sentence
    asyncio.run(add(moved, 2))
    assert "agrees with the key store" in verdict(moved / "qhub.db").sentence
    moved.rename(folder)  # and back, where an older head is kept
    assert "agrees with the key store" in verdict(folder / "qhub.db").sentence


async def test_a_portable_program_leaves_nothing_in_the_key_store(
    folder: Path, memory_store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keystore, "is_portable", lambda: True)
    await add(folder, 3)
    make(folder / "qhub.db", "manual")
    assert memory_store.kept == {}
    assert verdict(folder / "qhub.db").is_whole


@pytest.mark.parametrize(
    "content",
    ["", "{", "[" * 4000, '{"since": 1}', '{"since":0,"first":"","head":"9"}', "x" * 9000],
)
async def test_a_file_that_can_not_be_read_is_told_and_holds_nothing_up(
    path: Path, content: str
) -> None:
    file_of(path).write_text(content, encoding="utf-8")
    await add(path.parent)
    assert "The file audit.head cannot be read" in verdict(path).sentence
    assert file_of(path).read_text(encoding="utf-8") == content


def test_a_head_of_an_impossible_number_leaves_room_for_the_next_entry(path: Path) -> None:
    file_of(path).write_text(
        json.dumps({"since": 0, "first": "", "head": f"{1 << 60}:{'a' * 64}"}), encoding="utf-8"
    )
    restore(path, make(path, "manual"), by="ana")
    asyncio.run(add(path.parent))
    assert verdict(path).head.count == ENTRIES + 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such thing on this system")
def test_a_head_that_is_a_pipe_holds_nothing_up(path: Path) -> None:
    file_of(path).unlink()
    os.mkfifo(file_of(path))
    asyncio.run(add(path.parent))
    assert "cannot be read" in verdict(path).sentence
