"""Safety copies: whole or not there, whatever happens meanwhile; which are kept."""

import errno
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Text
from qhub_desktop.store import Store, backups
from qhub_desktop.store.backups import (
    Backup,
    Reason,
    Stopped,
    copy_checked,
    is_due,
    listed,
    make,
    problem_of,
    superseded,
)
from qhub_desktop.store.connections import open_existing
from qhub_desktop.store.database import connect, transaction

HERE = Path(__file__).parent
NOON = datetime(2026, 2, 23, 12, tzinfo=UTC)


def of(made: datetime, reason: Reason = "daily") -> Backup:
    return Backup(Path(f"qhub.{made:%Y%m%dT%H%M%SZ}.{reason}.db"), reason, "", made, 1)


async def filled(folder: Path, *, messages: int = 50) -> ConversationId:
    """A store with one conversation of so many questions; its id."""
    store = Store.open(folder)
    made = await store.conversations.create("analise")
    for number in range(messages):
        await store.messages.add(made.id, "user", [Text(f"pergunta {number} " * 40)])
    store.close()
    return made.id


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


async def test_a_copy_is_a_store_that_opens_with_all_that_was_written(
    folder: Path, tmp_path: Path
) -> None:
    conversation = await filled(folder)
    busy = Store.open(folder)
    await busy.messages.add(conversation, "user", [Text("acabado de escrever")])  # in the log only

    copy = make(folder / "qhub.db", "daily")
    busy.close()

    assert problem_of(copy.path) == ""
    assert listed(folder / "qhub.db") == [copy]
    (tmp_path / "elsewhere").mkdir()
    copy.path.rename(tmp_path / "elsewhere" / "qhub.db")
    store = Store.open(tmp_path / "elsewhere")
    last = await store.messages.latest(conversation, limit=1)
    store.close()
    assert [each.text for each in last] == ["acabado de escrever"]


async def test_a_copy_is_of_one_moment_while_others_write(folder: Path) -> None:
    await filled(folder, messages=300)
    path = folder / "qhub.db"
    ended = threading.Event()
    begun = threading.Event()

    def write() -> None:
        with closing(connect(path)) as db:
            while not ended.is_set():
                with transaction(db):
                    db.execute("INSERT INTO state VALUES (hex(randomblob(8)), '1')")
                    db.execute("INSERT INTO settings VALUES (hex(randomblob(8)), '1')")
                begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    begun.wait()
    try:
        copies = [make(path, "manual") for _each in range(3)]
    finally:
        ended.set()
        writer.join()

    for copy in copies:
        with closing(connect(copy.path)) as db:
            counts = backups.row_counts(db)
        # One state is the store's own, one the seal of the copy.
        assert counts["state"] - 2 == counts["settings"]


def test_the_last_seven_days_and_four_weeks_are_kept() -> None:
    daily = [of(NOON - timedelta(days=days)) for days in range(60)]
    twice = of(NOON - timedelta(hours=2))

    gone = superseded([*daily, twice])

    kept = sorted((NOON - each.made).days for each in daily if each not in gone)
    # Monday 23 February: seven days, then the Sundays that end the weeks before.
    assert kept == [0, 1, 2, 3, 4, 5, 6, 8, 15]
    assert twice in gone


def test_days_without_the_program_take_nothing_away() -> None:
    rare = [of(NOON - timedelta(days=20 * each)) for each in range(12)]

    gone = superseded(rare)

    assert [each for each in rare if each not in gone] == rare[:7]


def test_copies_made_by_hand_stay_and_of_the_others_three_each() -> None:
    moments = [NOON - timedelta(minutes=each) for each in range(5)]
    manual = [of(each, "manual") for each in moments]
    others = [of(each, reason) for each in moments for reason in ("version", "update", "restore")]

    gone = superseded([*manual, *others])

    assert not set(manual) & set(gone)
    assert {each.made for each in gone} == {moments[3], moments[4]}
    assert len(gone) == 6


def test_a_copy_is_due_a_day_after_the_last_one() -> None:
    assert is_due([], NOON)
    assert not is_due([of(NOON - timedelta(hours=23))], NOON)
    assert not is_due([of(NOON - timedelta(hours=23), "version")], NOON)
    assert is_due([of(NOON - timedelta(hours=25))], NOON)
    assert is_due([of(NOON + timedelta(days=400))], NOON)  # the clock was wrong then


async def test_older_ones_go_only_once_the_new_one_is_verified(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(folder, messages=1)
    path = folder / "qhub.db"
    first = make(path, "daily")

    def refuse(_db: sqlite3.Connection) -> str:
        return "page 7 is never used"

    with monkeypatch.context() as broken:
        broken.setattr(backups, "_problem", refuse)
        with pytest.raises(UserError, match=r"page 7.*earlier copies were kept"):
            make(path, "daily")
    assert names(folder / "backups") == {first.name}

    second = make(path, "daily")
    assert listed(path) == [second]


async def test_copies_of_earlier_versions_are_found_and_thinned_out(folder: Path) -> None:
    await filled(folder, messages=1)
    path = folder / "qhub.db"
    for name in ("qhub.version-3.db", "qhub.version-5.db", "qhub.before-0.2.0.db"):
        copy_checked(path, folder / name)
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))

    assert {(each.reason, each.detail) for each in listed(path)} == {
        ("version", "3"),
        ("version", "5"),
        ("update", "0.2.0"),
    }
    for _each in range(3):
        make(path, "version", "6")
    assert not (folder / "qhub.version-3.db").exists()
    assert (folder / "qhub.before-0.2.0.db").exists()


async def test_a_link_among_the_copies_is_none(folder: Path, tmp_path: Path) -> None:
    await filled(folder, messages=1)
    made = make(folder / "qhub.db", "manual")
    theirs = tmp_path / "theirs.db"
    made.path.replace(theirs)
    made.path.symlink_to(theirs)
    (folder / "qhub.version-3.db").symlink_to(theirs)

    assert listed(folder / "qhub.db") == []
    assert theirs.exists()


async def test_other_files_in_the_folder_are_no_copies_and_stay(folder: Path) -> None:
    await filled(folder, messages=1)
    (folder / "backups").mkdir()
    others = {"notas.txt", "qhub.db", "qhub.20261399T999999Z.daily.db", "held"}
    for name in others:
        (folder / "backups" / name).touch()

    copy = make(folder / "qhub.db", "daily")

    assert listed(folder / "qhub.db") == [copy]
    assert names(folder / "backups") == {*others, copy.name}


def test_a_damaged_database_is_not_copied_and_the_earlier_copies_stay(folder: Path) -> None:
    Store.open(folder).close()
    path = folder / "qhub.db"
    sound = make(path, "daily")
    content = bytearray(path.read_bytes())
    content[4096 * 3 :] = random.Random(7).randbytes(len(content) - 4096 * 3)
    path.write_bytes(content)

    with pytest.raises(UserError, match="No safety copy"):
        make(path, "daily")

    assert names(folder / "backups") == {sound.name}


def test_a_folder_that_can_not_be_written_to_is_named(folder: Path) -> None:
    Store.open(folder).close()
    (folder / "backups").mkdir(mode=0o500)
    if os.access(folder / "backups", os.W_OK):  # as root, and on Windows, there is no such folder
        (folder / "backups").rmdir()
        (folder / "backups").touch()

    with pytest.raises(UserError, match=r"Check that you may write to .*backups"):
        make(folder / "qhub.db", "manual")


@pytest.mark.parametrize("pages_of_room", [0, 3, 40])
def test_a_full_disk_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch, pages_of_room: int
) -> None:
    Store.open(folder).close()
    path = folder / "qhub.db"
    earlier = make(path, "daily")

    def with_little_room(file: Path, *, mode: str) -> sqlite3.Connection:
        db = open_existing(file, mode="rw")
        if file.suffix == ".part":
            if not pages_of_room:
                db.close()
                raise OSError(errno.ENOSPC, "No space left on device")
            db.execute(f"PRAGMA max_page_count = {pages_of_room}")
        return db

    monkeypatch.setattr(backups, "open_existing", with_little_room)
    monkeypatch.setattr(backups, "has_no_room", lambda _folder: True)

    with pytest.raises(UserError, match="no room left"):
        make(path, "daily")

    assert names(folder / "backups") == {earlier.name}


async def test_a_copy_is_given_up_when_the_program_ends(folder: Path) -> None:
    await filled(folder, messages=5)
    stop = threading.Event()
    stop.set()

    with pytest.raises(Stopped):
        make(folder / "qhub.db", "daily", stop=stop)

    assert names(folder / "backups") == set()


COPY = """
import os, signal, sys
from pathlib import Path
from qhub_desktop.store import backups
backups.PAGES = 1
steps = int(sys.argv[2])
class Killed:
    def is_set(self):
        global steps
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return False
backups.make(Path(sys.argv[1]), "daily", stop=Killed())
"""


def run(code: str, *given: object) -> int:
    """Run code in a program of its own; its exit code."""
    program = [sys.executable, "-c", code, *map(str, given)]
    return subprocess.run(program, check=False, timeout=60).returncode


@pytest.mark.parametrize("steps", [0, 1, 20])
async def test_a_program_killed_in_the_middle_leaves_no_copy_and_its_draft_is_swept(
    folder: Path, steps: int
) -> None:
    await filled(folder, messages=100)
    path = folder / "qhub.db"
    assert run(COPY, path, steps) in (-signal.SIGTERM, signal.SIGTERM)

    assert listed(path) == []
    (draft, *_log) = sorted((folder / "backups").iterdir())
    assert ".part" in draft.name
    for left in (folder / "backups").iterdir():
        os.utime(left, (1_700_000_000, 1_700_000_000))
    copy = make(path, "daily")
    assert names(folder / "backups") == {copy.name}


def beside_each_other(code: str, path: Path) -> list[str]:
    """Run code in two programs at once; what they print."""
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", code, path], stdout=subprocess.PIPE, encoding="utf-8"
        )
        for _each in range(2)
    ]
    told = [program.communicate(timeout=60)[0].strip() for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    return told


async def test_two_programs_at_once_make_a_copy_each(folder: Path) -> None:
    await filled(folder, messages=100)
    path = folder / "qhub.db"

    told = beside_each_other(
        "import sys; from pathlib import Path; from qhub_desktop.store.backups import make;"
        "print(make(Path(sys.argv[1]), 'manual').name)",
        path,
    )

    assert {each.name for each in listed(path)} == set(told)
    assert all(problem_of(each.path) == "" for each in listed(path))
