"""`qhub backup` and `qhub restore` as a person and a script call them: data sound and damaged."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from qhub_desktop.core.message import Text
from qhub_desktop.store import Store
from qhub_desktop.store.backups import SafetyCopies, listed, problem_of
from tests.end_to_end.qhub_process import qhub_in_turn


def say(home: Path, words: str) -> None:
    async def said() -> None:
        store = Store.open(home)
        made = await store.conversations.create("analise")
        await store.messages.add(made.id, "user", [Text(words)])
        store.close()

    asyncio.run(said())


def speak_english(home: Path) -> None:
    async def spoken() -> None:
        store = Store.open(home)
        await store.settings.save({"language": "en"})
        store.close()

    asyncio.run(spoken())


def damage(home: Path) -> None:
    path = home / "qhub.db"
    path.write_bytes(b"\xa5" * 4096 + path.read_bytes()[4096:])


def test_a_copy_is_made_listed_and_gone_back_to(home: Path, tmp_path: Path) -> None:
    nothing, none = qhub_in_turn([["backup"], ["backup", "list"]])
    assert (nothing.code, nothing.out) == (1, "")
    assert "qhub.db" in nothing.err
    assert none.out.startswith("Ainda não há")

    say(home, "antes")
    speak_english(home)
    elsewhere = tmp_path / "pen"
    elsewhere.mkdir()
    made, to_file, to_folder, again = qhub_in_turn(
        [
            ["backup", "--json"],
            ["backup", "--to", str(elsewhere / "mine.db")],
            ["backup", "--to", str(elsewhere)],
            ["backup", "--to", str(elsewhere / "mine.db")],
        ]
    )
    (copy,) = made.lines
    assert (copy["reason"], copy["is_sound"]) == ("manual", True)
    assert (to_file.code, to_folder.code, again.code) == (0, 0, 1)
    assert "--overwrite" in again.err
    assert {each.name for each in elsewhere.iterdir()} == {"mine.db", "qhub-backup.db"}
    assert problem_of(elsewhere / "mine.db") == ""

    say(home, "depois")
    list_, refused, restored, told = qhub_in_turn(
        [
            ["backup", "list", "--json"],
            ["restore", copy["name"]],
            ["restore", copy["name"], "--yes", "--json"],
            ["conversations", "--json"],
        ]
    )
    assert list_.lines == [copy]
    assert refused.code == 1
    assert "has 1 conversation, 1 message" in refused.out
    assert "Now there are 2 conversations, 2 messages" in refused.out
    assert "--yes" in refused.err
    (done,) = restored.lines
    assert not done["was_damaged"]
    assert [each["title"] for each in told.lines[0]] == ["antes"]

    (from_file,) = qhub_in_turn([["restore", done["kept_as"], "--yes"]])
    assert from_file.code == 0
    (told,) = qhub_in_turn([["conversations", "--json"]])
    assert {each["title"] for each in told.lines[0]} == {"antes", "depois"}


def test_damaged_data_are_said_and_repaired_by_one_command(home: Path) -> None:
    say(home, "antes")
    speak_english(home)
    qhub_in_turn([["backup"]])
    say(home, "depois")
    damage(home)

    asked, no_copy, repaired, told, listed_ = qhub_in_turn(
        [
            ["conversations"],
            ["backup"],
            ["restore", "--yes", "--json"],
            ["conversations", "--json"],
            ["backup", "list"],
        ]
    )

    assert (asked.code, asked.out) == (1, "")
    assert "qhub restore" in asked.err
    assert no_copy.code == 1
    (done,) = repaired.lines
    assert (done["was_damaged"], done["messages"]) == (True, 1)
    assert Path(done["kept_as"]).is_file()
    assert {each["title"] for each in told.lines[0]} == {"antes", "depois"}
    assert "made by hand  sound" in listed_.out


def test_a_damaged_copy_is_said_to_be_and_a_strange_name_too(home: Path) -> None:
    say(home, "antes")
    speak_english(home)
    qhub_in_turn([["backup"]])
    (copy,) = listed(home / "qhub.db")
    copy.path.write_bytes(copy.path.read_bytes()[:-5000])

    listing, damaged, strange, none = qhub_in_turn(
        [
            ["backup", "list", "--json"],
            ["restore", copy.name, "--yes"],
            ["restore", "amanhã", "--yes"],
            ["restore", "--yes"],
        ]
    )

    assert [each["is_sound"] for each in listing.lines] == [False]
    assert (damaged.code, strange.code, none.code) == (1, 1, 1)
    assert "cannot be used" in damaged.err
    assert "There is no safety copy amanhã" in strange.err
    assert "nothing to repair" in none.err


def age(home: Path, *, days: int) -> None:
    """Let everything be so many days older."""
    with closing(sqlite3.connect(home / "qhub.db")) as db, db:
        db.execute("UPDATE conversations SET created = created - ?", (days * 86_400_000_000,))


def test_a_station_that_has_no_window_gets_a_copy_a_day_beside_its_commands(home: Path) -> None:
    say(home, "hoje")
    qhub_in_turn([["agents"]])
    assert listed(home / "qhub.db") == []
    age(home, days=2)

    question = ["ask", "--engine", "offline", "quantos defeitos?"]
    first, second = qhub_in_turn([question, question])

    assert (first.code, second.code) == (0, 0), first.err
    (copy,) = listed(home / "qhub.db")
    assert (copy.reason, problem_of(copy.path)) == ("daily", "")


async def test_a_copy_that_was_given_up_for_a_week_is_waited_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qhub_desktop.store.backups.GRACE_S", 0.0)
    await asyncio.to_thread(say, home, "antes")
    age(home, days=8)
    copies = SafetyCopies(home / "qhub.db")

    async with copies.kept_beside():
        pass

    copies.close()
    assert [each.reason for each in listed(home / "qhub.db")] == ["daily"]


async def test_a_copy_that_would_hold_a_command_up_is_given_up_and_leaves_nothing(
    home: Path,
) -> None:
    await asyncio.to_thread(say, home, "antes")
    age(home, days=2)
    copies = SafetyCopies(home / "qhub.db")
    copies._stop.set()

    async with copies.kept_beside():
        pass

    copies.close()
    assert listed(home / "qhub.db") == []
    assert not [*copies.folder.glob("*.part")]
