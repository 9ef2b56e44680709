"""Back from a crash, from damage and to a copy: really damaged files, really killed programs."""

import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.core.person import Person
from qhub_desktop.store import Store
from qhub_desktop.store.backups import Backup, listed, make, problem_of
from qhub_desktop.store.database import OpenMark, connect, open_connection, quick_problem
from qhub_desktop.store.migrations import MIGRATIONS
from qhub_desktop.store.recovery import find_backup, newest_sound, restore
from tests.store.conftest import faults
from tests.store.test_backups import run
from tests.store.test_people import account

BEFORE, AFTER = 60, 60  # questions before the safety copy, and after it


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


async def lived_in(folder: Path) -> tuple[Backup, ConversationId]:
    """A store with a safety copy, and as much again of after it; the copy, and a conversation."""
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    for number in range(BEFORE):
        await store.messages.add(made.id, "user", [Text(f"antes {number} " * 30)])
    copy = make(folder / "qhub.db", "daily")
    for number in range(AFTER):
        if number == AFTER // 2:
            made = await store.conversations.create("qualidade")
        await store.messages.add(made.id, "user", [Text(f"depois {number} " * 30)])
    store.close()
    return copy, made.id


async def questions(folder: Path) -> list[str]:
    """The first words of every question that a store shows and that its search finds."""
    store = Store.open(folder)
    try:
        found = []
        for each in await store.conversations.listed(include_archived=True):
            messages = await store.messages.latest(each.id, limit=1000)
            found += [" ".join(message.text.split()[:2]) for message in messages]
        hits = await store.conversations.listed(search="antes")
        assert bool(hits) == any(each.startswith("antes") for each in found)
        return found
    finally:
        store.close()


async def test_a_sound_store_goes_back_to_a_copy_and_what_there_was_is_a_copy_too(
    folder: Path,
) -> None:
    copy, _conversation = await lived_in(folder)

    done = restore(folder / "qhub.db", copy)

    assert not done.was_damaged
    assert len(await questions(folder)) == BEFORE
    assert faults(folder) == []
    (kept, _first) = listed(folder / "qhub.db")
    assert kept.reason == "restore"
    assert kept.path == done.kept_as
    assert kept.name in done.sentence

    restore(folder / "qhub.db", kept)
    assert len(await questions(folder)) == BEFORE + AFTER
    assert names(folder) == {"qhub.db", "audit.head", "backups"}


def damage_at(path: Path, chance: random.Random) -> str:
    """Damage a file as a disk does: a stretch of noise, of zeros, or an end that is missing."""
    size = path.stat().st_size
    where = chance.randrange(size)
    length = chance.choice([1, 40, 512, 4096, 3 * 4096, size])
    kind = chance.choice(["noise", "zeros", "cut"])
    with path.open("r+b") as stream:
        if kind == "cut":
            stream.truncate(where)
        else:
            stream.seek(where)
            length = min(length, size - where)
            stream.write(chance.randbytes(length) if kind == "noise" else bytes(length))
    return f"{kind} at {where} of {size}, {length}"


@pytest.mark.parametrize("seed", range(24))
async def test_whatever_is_damaged_is_repaired_and_nothing_of_the_copy_is_lost(
    folder: Path, seed: int
) -> None:
    copy, _conversation = await lived_in(folder)
    path = folder / "qhub.db"
    told = damage_at(path, random.Random(seed))
    if not problem_of(path):
        return  # a page that holds nothing, or a letter within a text: nobody can know
    damaged = path.read_bytes()

    done = restore(path, newest_sound(path))

    assert done.was_damaged, told
    assert done.kept_as is not None
    assert done.kept_as.read_bytes() == damaged, told
    assert faults(folder) == [], told
    found = await questions(folder)
    before = {each for each in found if each.startswith("antes")}
    assert before == {f"antes {number}" for number in range(BEFORE)}, told
    assert len(found) - BEFORE == done.messages, told
    assert done.backup == copy
    assert names(folder) == {"qhub.db", "audit.head", "backups", done.kept_as.name}
    assert done.kept_as.name in done.sentence


async def test_damage_to_one_page_costs_no_more_than_what_stood_there(folder: Path) -> None:
    copy, conversation = await lived_in(folder)
    path = folder / "qhub.db"
    content = path.read_bytes()
    at = content.rfind(b"depois 59 depois 59")
    assert at > 0
    page = at - at % 4096
    path.write_bytes(content[:page] + bytes(4096) + content[page + 4096 :])
    assert problem_of(path)

    done = restore(path, copy)

    found = await questions(folder)
    lost = {f"depois {number}" for number in range(AFTER)} - set(found)
    assert len(lost) < 12
    assert done.messages > AFTER - 12
    store = Store.open(folder)
    assert (await store.conversations.find(conversation)).agent == "qualidade"
    store.close()


async def test_without_its_first_page_the_rest_is_read_with_the_copys(folder: Path) -> None:
    _copy, _conversation = await lived_in(folder)
    path = folder / "qhub.db"
    content = path.read_bytes()
    path.write_bytes(b"\xa5" * 4096 + content[4096:])
    with pytest.raises(DamagedStoreError, match="is damaged"):
        Store.open(folder)

    done = restore(path, newest_sound(path))

    assert done.messages == AFTER
    assert len(await questions(folder)) == BEFORE + AFTER


async def test_without_any_copy_what_can_be_read_is_saved(folder: Path) -> None:
    await lived_in(folder)
    shutil.rmtree(folder / "backups")
    path = folder / "qhub.db"
    content = path.read_bytes()
    page = content.rfind(b"depois 59 depois 59") // 4096 * 4096
    path.write_bytes(content[:page] + b"\xff" * 4096 + content[page + 4096 :])
    assert newest_sound(path) is None

    done = restore(path, None)

    assert done.messages > BEFORE + AFTER - 12
    assert "there was no safety copy" in done.sentence
    assert faults(folder) == []
    store = Store.open(folder)
    assert len((await store.defects.log()).rows) == 200
    store.close()


def lose_conversations(path: Path) -> None:
    """Take the conversations of one agent out of a file, and damage a page of it."""
    with closing(connect(path)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("DELETE FROM conversations WHERE agent = 'qualidade'")
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'state'").fetchone()
    content = path.read_bytes()
    path.write_bytes(content[: (root - 1) * 4096] + b"\xff" * 4096 + content[root * 4096 :])


async def spoken_by(folder: Path, *names: str) -> Person:
    """A store in which the last of these people said something after the safety copy."""
    store = Store.open(folder)
    who = [await account(store, name, "admin") for name in names][-1]
    make(folder / "qhub.db", "daily")
    store.enter(who)
    made = await store.conversations.create("qualidade")
    await store.messages.add(made.id, "user", [Text("quantos defeitos de verniz?")])
    store.close()
    lose_conversations(folder / "qhub.db")
    assert restore(folder / "qhub.db", listed(folder / "qhub.db")[0]).messages == 1
    return who


async def test_what_is_saved_is_the_only_persons(folder: Path) -> None:
    ana = await spoken_by(folder, "ana")
    store = Store.open(folder)
    store.enter(ana)
    assert await store.people.unclaimed() == []
    (found,) = await store.conversations.listed(search="verniz")
    assert found.title == "Recovered conversation"
    store.close()


async def test_what_is_saved_of_one_of_several_is_nobodys_until_it_is_handed_over(
    folder: Path,
) -> None:
    rui = await spoken_by(folder, "ana", "rui")
    store = Store.open(folder)
    ana = await store.people.find("ana")
    for person in (ana, rui):
        store.enter(person)
        assert await store.conversations.listed() == []
    store.enter(ana)
    (left,) = await store.people.unclaimed()
    assert left.messages == 1
    assert left.first <= left.last
    await store.people.hand_over(left.id, "rui")

    assert await store.people.unclaimed() == []
    assert await store.conversations.listed(search="verniz") == []
    with pytest.raises(UserError, match="belongs to nobody"):  # it is rui's by now
        await store.people.hand_over(left.id, "ana")
    (entry, *_older) = await store.audit.listed(person="ana")
    assert (entry.subject, entry.detail) == ("rui", {"handed_over": left.id})
    store.enter(rui)
    assert [each.id for each in await store.conversations.listed(search="verniz")] == [left.id]
    store.close()


async def test_messages_whose_conversation_is_lost_get_one(folder: Path) -> None:
    copy, _conversation = await lived_in(folder)
    lose_conversations(folder / "qhub.db")

    done = restore(folder / "qhub.db", copy)

    assert done.messages == AFTER
    store = Store.open(folder)
    (found, *_others) = await store.conversations.listed()
    assert found.title == "Recovered conversation"
    assert len(await store.messages.latest(found.id)) == AFTER // 2
    store.close()


async def test_the_log_of_the_last_writes_is_read_too(folder: Path) -> None:
    _copy, conversation = await lived_in(folder)
    store = Store.open(folder)
    await store.messages.add(conversation, "user", [Text("por último 1")])
    crashed = folder.with_name("crashed")
    shutil.copytree(folder, crashed)  # as a power cut leaves it: with the log, and with the mark
    store.close()
    assert (crashed / "qhub.db-wal").stat().st_size > 0
    path = crashed / "qhub.db"
    content = path.read_bytes()
    page = content.rfind(b"antes 3 antes 3") // 4096 * 4096
    path.write_bytes(content[:page] + bytes(4096) + content[page + 4096 :])

    done = restore(path, newest_sound(path))

    assert "por último" in await questions(crashed)
    assert done.messages == AFTER + 1
    assert not (crashed / "qhub.db-wal").exists()


async def test_the_newest_copy_is_passed_over_if_it_is_damaged_itself(folder: Path) -> None:
    older, _conversation = await lived_in(folder)
    newer = make(folder / "qhub.db", "manual")
    newer.path.write_bytes(newer.path.read_bytes()[:-5000])

    assert newest_sound(folder / "qhub.db") == older
    with pytest.raises(UserError, match="cannot be used"):
        restore(folder / "qhub.db", newer)
    assert len(await questions(folder)) == BEFORE + AFTER


async def test_a_file_that_is_gone_is_restored(folder: Path) -> None:
    copy, _conversation = await lived_in(folder)
    (folder / "qhub.db").unlink()

    done = restore(folder / "qhub.db", copy)

    assert "was gone" in done.sentence
    assert len(await questions(folder)) == BEFORE


async def test_nothing_is_restored_while_another_program_has_the_data_open(folder: Path) -> None:
    copy, _conversation = await lived_in(folder)
    other = Store.open(folder)
    before = names(folder)

    with pytest.raises(UserError, match="Another QHub program"):
        restore(folder / "qhub.db", copy)

    other.close()
    assert names(folder) == {*before} - {each for each in before if each[:5] == "open-"} - {
        "qhub.db-wal",
        "qhub.db-shm",
    }
    restore(folder / "qhub.db", copy)


async def test_a_full_disk_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, _conversation = await lived_in(folder)
    path = folder / "qhub.db"
    content = path.read_bytes()
    path.write_bytes(content[:-9000])
    damaged = path.read_bytes()

    def full(*_paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(UserError, match=r"could not be restored|no room left"):
        restore(path, copy)
    assert path.read_bytes() == damaged
    assert not [each for each in names(folder) if each.startswith(("qhub.damaged", "restoring-"))]

    monkeypatch.undo()
    store = OpenMark(folder)
    assert store.was_interrupted  # so the next start looks at the file
    store.close()
    assert restore(path, copy).was_damaged


RESTORE = """
import os, signal, sys
from pathlib import Path
from qhub_desktop.store import recovery
from qhub_desktop.store.recovery import newest_sound, restore

def killed(*_given, **_named):
    os.kill(os.getpid(), signal.SIGTERM)

setattr(recovery, sys.argv[2], killed)
path = Path(sys.argv[1])
restore(path, newest_sound(path))
"""


@pytest.mark.parametrize(
    "step", ["salvage", "_keep_damaged", "write_head_file", "replace_file", "_put_in_place"]
)
async def test_a_restore_that_is_killed_can_be_made_again(folder: Path, step: str) -> None:
    await lived_in(folder)
    path = folder / "qhub.db"
    content = path.read_bytes()
    path.write_bytes(b"\xa5" * 4096 + content[4096:])
    assert run(RESTORE, path, step) in (-signal.SIGTERM, signal.SIGTERM)

    done = restore(path, newest_sound(path))

    assert done.messages == AFTER
    assert len(await questions(folder)) == BEFORE + AFTER
    store = Store.open(folder)
    assert (await store.audit.verify()).is_whole
    store.close()
    assert not [each for each in names(folder) if each.startswith(("restoring-", "open-"))]


def test_a_copy_of_an_earlier_version_is_brought_up_to_date(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    path = folder / "qhub.db"
    open_connection(path, fill=lambda _db: None, migrations=MIGRATIONS[:4]).close()
    old = make(path, "manual")
    open_connection(path, fill=lambda _db: None).close()

    restore(path, old)

    with closing(connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


def test_a_copy_is_found_by_its_name_or_its_path(folder: Path, tmp_path: Path) -> None:
    Store.open(folder).close()
    path = folder / "qhub.db"
    copy = make(path, "manual")

    assert find_backup(path, copy.name) == copy
    assert find_backup(path, copy.name.removesuffix(".db")) == copy
    elsewhere = tmp_path / "pen.db"
    shutil.copy(copy.path, elsewhere)
    assert find_backup(path, str(elsewhere)).path == elsewhere
    with pytest.raises(UserError, match="no safety copy nowhere"):
        find_backup(path, "nowhere")


def test_what_is_no_store_is_not_restored(folder: Path, tmp_path: Path) -> None:
    Store.open(folder).close()
    path = folder / "qhub.db"
    before = path.read_bytes()
    text = tmp_path / "text.db"
    text.write_text("not a database", encoding="utf-8")
    theirs = tmp_path / "theirs.db"
    with closing(connect(theirs)) as db:
        db.execute("CREATE TABLE theirs (x)")

    for file, reason in ((text, "not a database"), (theirs, "no conversations")):
        with pytest.raises(UserError, match=reason):
            restore(path, find_backup(path, str(file)))
    assert path.read_bytes() == before


@pytest.mark.parametrize("lost", [7, None])
async def test_the_log_is_saved_up_to_an_entry_that_is_lost_and_is_whole(
    folder: Path, lost: int | None
) -> None:
    store = Store.open(folder)
    await store.audit.add("export", "before", {})
    copy = make(folder / "qhub.db", "daily")
    for number in range(2, 13):
        await store.audit.add("export", f"entry {number}.", {"words": "x" * 3000})
    store.close()
    path = folder / "qhub.db"
    words = b"entry 7." if lost else b"casca_laranja"
    content = path.read_bytes()
    page = content.rfind(words) // 4096 * 4096
    path.write_bytes(content[:page] + b"\xff" * 4096 + content[page + 4096 :])

    assert restore(path, copy, by="ana").was_damaged

    store = Store.open(folder)
    verdict = await store.audit.verify()
    numbers = [each.id for each in await store.audit.listed()]
    store.close()
    assert verdict.is_whole, verdict.sentence
    assert numbers == [13, *range(6 if lost else 12, 0, -1)]
    assert "the log went up to entry 12 before" in verdict.sentence or not lost


HOLD = """
import sys, time
from pathlib import Path
from qhub_desktop.store import Store
store = Store.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def program_with(folder: Path) -> subprocess.Popen[str]:
    program = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "open\n"
    return program


def end(program: "subprocess.Popen[str]", how: Callable[[], None]) -> None:
    how()
    program.communicate(timeout=60)


async def test_a_killed_program_is_told_from_one_that_runs_and_one_that_closed(
    folder: Path,
) -> None:
    Store.open(folder).close()
    program = program_with(folder)
    beside = Store.open(folder)
    assert not beside.was_interrupted
    beside.close()
    end(program, program.kill)

    after = Store.open(folder)
    assert after.was_interrupted
    after.close()
    again = Store.open(folder)  # nobody has looked yet
    was_interrupted, problem = again.was_interrupted, await again.find_damage()
    assert (was_interrupted, problem) == (True, "")
    again.close()

    last = Store.open(folder)
    assert not last.was_interrupted
    last.close()
    assert names(folder) == {"qhub.db"}


async def test_damage_that_is_found_is_looked_for_again_at_the_next_start(folder: Path) -> None:
    await lived_in(folder)
    path = folder / "qhub.db"
    content = path.read_bytes()
    page = content.rfind(b"depois 59 depois 59") // 4096 * 4096
    path.write_bytes(content[:page] + bytes(4096) + content[page + 4096 :])

    store = Store.open(folder)
    assert not store.was_interrupted
    assert await store.find_damage()
    store.close()

    again = Store.open(folder)
    assert again.was_interrupted
    again.close()


async def test_damage_that_is_met_is_looked_for_at_the_next_start(folder: Path) -> None:
    _copy, conversation = await lived_in(folder)
    path = folder / "qhub.db"
    content = path.read_bytes()
    page = content.rfind(b"depois 59 depois 59") // 4096 * 4096
    path.write_bytes(content[:page] + b"\xa5" * 4096 + content[page + 4096 :])
    store = Store.open(folder)
    with pytest.raises(DamagedStoreError):
        await store.messages.latest(conversation, limit=1000)
    store.close()

    again = OpenMark(folder)
    assert again.was_interrupted
    again.close()
    assert quick_problem(path)


async def test_a_check_beside_a_writer_finds_nothing(folder: Path) -> None:
    _copy, conversation = await lived_in(folder)
    store = Store.open(folder)
    for number in range(20):
        await store.messages.add(conversation, "user", [Text(f"entretanto {number}")])
        assert quick_problem(folder / "qhub.db") == ""
    store.close()


def test_no_mark_is_no_reason_to_refuse(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(folder).close()

    def full(*_given: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", lambda self, **named: None if self == folder else full())
    store = Store.open(folder)
    assert not store.was_interrupted
    store.close()
    assert names(folder) == {"qhub.db"}
