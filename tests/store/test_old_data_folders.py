"""Data folders of released versions: opened by this one, with everything in them."""

import asyncio
import json
import shutil
import sqlite3
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.core.codec import Json
from qhub_desktop.core.events import ApprovalAsked, ChatEvent, Done, TextAdded
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Clarification
from qhub_desktop.store import SWEPT
from qhub_desktop.store.migrations import MIGRATIONS
from tests.store.homes.listing import contents_of
from tests.store.homes.make import EXPORT, HERE, OVENS, USER
from tests.unasked import Unasked

HOMES = sorted(path.stem for path in HERE.glob("schema_*.zip"))


class Listener(Unasked):
    """Reads an answer."""

    def __init__(self) -> None:
        self.text = ""
        self.events: list[ChatEvent] = []

    def show(self, event: ChatEvent) -> None:
        """One event."""
        self.events.append(event)
        if isinstance(event, TextAdded):
            self.text += event.content

    async def approve(self, request: ApprovalAsked) -> None:
        raise AssertionError(request)


@asynccontextmanager
async def opened(name: str, home: Path) -> AsyncIterator[Program]:
    """Open the program over a copy of a data folder."""
    await asyncio.to_thread(zipfile.ZipFile(HERE / f"{name}.zip").extractall, home)
    program = Program()
    try:
        yield program
    finally:
        await program.close()


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose folders they are."""
    monkeypatch.setenv("USERNAME", USER)


def missing(told: Json, found: Json, path: str = "") -> list[str]:
    """Where something that was told is not found; what is new beside it does not count."""
    match told, found:
        case dict(), dict():
            return [
                each
                for key, value in told.items()
                for each in (
                    missing(value, found[key], f"{path}/{key}")
                    if key in found
                    else [f"{path}/{key} is gone"]
                )
            ]
        case list(), list() if len(told) == len(found):
            return [
                each
                for place, (one, other) in enumerate(zip(told, found, strict=True))
                for each in missing(one, other, f"{path}/{place}")
            ]
        case _:
            return [] if told == found else [f"{path}: {told!r} became {found!r}"]


def test_there_is_a_folder_of_this_schema() -> None:
    assert f"schema_{len(MIGRATIONS)}" in HOMES, "python -m tests.store.homes.make"


@pytest.mark.parametrize("name", HOMES)
async def test_all_that_was_in_a_folder_is_found(home: Path, name: str) -> None:
    told = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    async with opened(name, home) as program:
        assert program.trouble is None
        found = await contents_of(program)

    assert missing(told, found) == []


@pytest.mark.parametrize("name", HOMES)
async def test_work_goes_on_where_it_was_left(home: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "fornos.csv"
    file.write_text(OVENS, encoding="utf-8", newline="")
    async with opened(name, home) as program:
        talks = {each.title: each.id for each in await program.store.conversations.listed()}
        ovens = talks["qual a temperatura média?"]

        async def ask(talk: ConversationId, question: str) -> Listener:
            listener = Listener()
            await program.turns.reply(talk, question, audience=listener)
            assert listener.events[-1] == Done("complete")
            assert not any(isinstance(event, Clarification) for event in listener.events)
            return listener

        followed = await ask(ovens, "e por turno?")
        settled = await ask(ovens, "qual a temperatura média?")
        named = await ask(ovens, "quantas linhas por compartimento?")
        logged = await ask(talks["Demonstração"], "quantos defeitos há?")
        (again,) = await program.workspace.load(file)

    assert "95" in followed.text  # at night, in the oven that was chosen
    assert "como escolheu antes" in settled.text
    assert "por Cabine" in named.text  # in a word of the plant's own
    assert "204" in logged.text  # one that was reported, three of a file
    # Found again, not read: with the type that was chosen for a column.
    assert {each.name: each.type for each in again.columns}["Cabine"] == "integer"


@pytest.mark.parametrize("name", HOMES)
async def test_what_was_made_can_be_made_again_or_undone(
    home: Path, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "exportação.csv"
    file.write_text(EXPORT, encoding="cp1252", newline="")
    async with opened(name, home) as program:
        (export,) = await program.workspace.load(file)
        is_added = await program.store.defects.is_appended(export.id)
        with closing(sqlite3.connect(program.store.path)) as db:
            (added,) = db.execute("SELECT id FROM appended WHERE file <> ''").fetchone()
        taken = await program.store.defects.take_back(added)
        made = {each.title: each.id for each in await program.store.dashboards.listed()}
        filled = await program.dashboards.refresh(made["Turnos"])
        book = tmp_path / "painel.xlsx"
        await program.dashboard_files.export(made["À mão"], book)
        waiting, failed = await program.outbox.waiting()
        await program.outbox.withdraw(waiting.id)
        left = await program.outbox.waiting()

    assert is_added
    assert taken == 3
    assert [row[1] for rows in filled.rows for row in rows.table.rows] == [74, 68, 59]
    assert book.stat().st_size > 0
    assert [each.id for each in left] == [failed.id]


FORMER_KEY = "sk-ant-api03-" + "Zq7" * 25
KEY_NOW = "gateway/key+of=the-station 2026"
ECHO = f"HTTP 403: header 'Authorization: Bearer {KEY_NOW}' and\nx-api-key:\n{FORMER_KEY} refused"
ADDRESS = f"https://ana:{KEY_NOW.replace(' ', '-')}@gateway.example"


def let_keys_in(file: Path) -> int:
    """Store what a service echoed in every text of a database, as the first versions did."""
    count = 0
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if table in ("settings", "audit") or table.startswith("sqlite_"):
                continue
            for _at, column, kind, _null, _default, key in db.execute(
                f'PRAGMA table_info("{table}")'
            ).fetchall():
                if kind == "TEXT" and not key:
                    count += _echo_in(db, table, column)
        db.execute("DELETE FROM outbox WHERE id = (SELECT max(id) FROM outbox)")
        db.execute("DELETE FROM state WHERE key = ?", (SWEPT,))  # as that version left it
        address = json.dumps(ADDRESS)
        db.execute("INSERT OR REPLACE INTO settings VALUES ('endpoint', ?)", (address,))
        db.commit()
    return count


def contents_in(folder: Path) -> list[tuple[Path, bytes]]:
    return [(each, each.read_bytes()) for each in folder.rglob("*") if each.is_file()]


def _echo_in(db: sqlite3.Connection, table: str, column: str) -> int:
    rows = db.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()
    for row, text in rows:
        if not isinstance(text, str):
            continue
        echoed = f"{text} {ECHO}"
        if text.startswith(("{", "[", '"')):
            echoed = json.dumps({"before": json.loads(text), ECHO: [ECHO, 1.5]})
        if column in ("id", "conversation", "dataset_id", "name"):
            echoed = f"{row} {ECHO}"  # each is there once
        db.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (echoed, row))
    return len(rows)


@pytest.mark.parametrize("name", HOMES)
async def test_keys_that_an_earlier_version_stored_are_in_no_file_any_more(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY_NOW)
    zipfile.ZipFile(HERE / f"{name}.zip").extractall(home)
    shutil.copy(home / "qhub.db", home / "qhub.version-5.db")
    poisoned = [let_keys_in(home / file) for file in ("qhub.db", "qhub.version-5.db")]
    assert min(poisoned) > 100

    program = Program()
    try:
        await program.hide_stored_secrets()
        assert not await program.store.holds_old_texts()
        found = await program.store.conversations.listed(search="refused")
        assert await program.store.conversations.listed(search="Zq7Zq7Zq7") == []
        assert program.settings.endpoint == ADDRESS
    finally:
        await program.close()

    assert found
    for file, content in contents_in(home):
        assert FORMER_KEY.encode() not in content, file
        assert b"zq7zq7" not in content, file  # as the search writes words
        assert KEY_NOW.encode() not in content, file
    with closing(sqlite3.connect(home / "qhub.db")) as db:
        packed = [json.loads(data) for (data,) in db.execute("SELECT data FROM blocks")]
    assert all(each["before"] for each in packed)  # still JSON, with all that was in it
    assert "<secret>" in json.dumps(packed)


@pytest.mark.parametrize("name", HOMES)
async def test_a_folder_without_keys_stays_as_it_is(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY_NOW)
    told = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    async with opened(name, home) as program:
        await program.hide_stored_secrets()
        found = await contents_of(program)
    assert missing(told, found) == []
