"""Settings and the window's state: kept key by key, shared by several programs."""

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.core.settings import Policy, Settings, valid_settings
from qhub_desktop.store import Store
from tests.store.test_people import account

DEFECT = Defect(date(2026, 3, 1), "noite", "Júlia", "lixo", "ABS_Cinza", "R12", 7)


async def test_settings_come_back_and_a_missing_one_goes(folder: Path) -> None:
    store = Store.open(folder)
    assert store.settings.load_now() == {}
    await store.settings.save({"station": "P2", "rounds": 9, "theme": "dark"})
    await store.settings.save({"station": "Estação 3", "rounds": 9})
    store.close()

    store = Store.open(folder)
    assert store.settings.load_now() == {"station": "Estação 3", "rounds": 9}
    store.close()


async def test_two_programs_that_change_different_settings_keep_both(folder: Path) -> None:
    first = Store.open(folder)
    await first.settings.save({"station": "P1", "rounds": 9})
    second = Store.open(folder)

    await first.settings.save({"station": "P1", "rounds": 9, "theme": "dark"})
    await second.settings.save({"station": "P2"})

    assert first.settings.load_now() == {"station": "P2", "theme": "dark"}
    first.close()
    second.close()


async def test_window_state_comes_back_key_by_key(folder: Path) -> None:
    store = Store.open(folder)
    assert store.settings.state_now("window") is None
    await store.settings.save_state("window", {"size": [1366, 768], "is_maximised": False})
    await store.settings.save_state("panel", 240.5)
    await store.settings.save_state("panel", 250)
    store.close()

    store = Store.open(folder)
    assert store.settings.state_now("window") == {"size": [1366, 768], "is_maximised": False}
    assert store.settings.state_now("panel") == 250
    store.close()


async def test_an_operator_keeps_how_the_program_looks_and_nothing_of_the_administrators(
    store: Store,
) -> None:
    ana = await account(store, "ana", "admin")
    rui = await account(store, "rui")
    kept: JsonObject = {"engine": "offline", "is_audited_reading": False, "of a later one": 1}
    await store.settings.save(kept)
    store.enter(rui)
    await store.settings.save({"engine": "offline", "theme": "dark"})  # without what is the usual
    await store.settings.save({"theme": "light"})
    assert store.settings.load_now() == {**kept, "theme": "light"}
    with pytest.raises(UserError, match="Administrator"):
        await store.settings.save({"engine": "claude", "theme": "dark"})
    assert store.settings.load_now() == {**kept, "theme": "light"}
    store.enter(ana)
    await store.settings.save({"engine": "offline"})
    assert store.settings.load_now() == {"engine": "offline"}
    changed = [each.subject for each in await store.audit.listed(person="rui", action="setting")]
    assert changed == ["theme", "theme"]


HOSTILE = (
    *(b"[" * 100_000, b'{"a":' * 100_000, b'"off', b"", b"NaN", b"9" * 5_000, b"1e999"),
    *(b'{"a": 1, "a": 2}', b"\0", b"[" * 150 + b"]" * 150),
)


def put(folder: Path, statement: str, *values: object) -> None:
    """Write to the file as another program may."""
    with closing(sqlite3.connect(folder / "qhub.db")) as db, db:
        db.execute(statement, values)


@pytest.mark.parametrize("written", HOSTILE, ids=lambda written: repr(written[:9]))
def test_a_setting_that_another_program_has_broken_is_told(folder: Path, written: bytes) -> None:
    Store.open(folder).close()
    for name in ("rounds", "window"):
        put(folder, "INSERT INTO settings VALUES (?, CAST(? AS TEXT))", name, written)
        put(folder, "INSERT INTO state VALUES (?, CAST(? AS TEXT))", name, written)
    put(folder, "INSERT INTO settings VALUES ('station', '\"P2\"')")
    store = Store.open(folder)

    settings, trouble = valid_settings(store.settings.load_now(), Policy())

    assert (settings.station, settings.rounds) == ("P2", Settings().rounds)
    assert store.settings.state_now("window") is None
    store.close()
    assert "Tool rounds in one answer" in str(trouble)
    assert str(trouble).endswith("Choose them again in Settings.")


@pytest.mark.parametrize("name", ["engine", "endpoint", "unencrypted_host"])
def test_a_broken_setting_of_whom_to_ask_has_no_one_asked(name: str) -> None:
    settings, trouble = valid_settings({name: None, "station": "P2"}, Policy())

    assert (settings.engine, settings.station) == ("offline", "P2")
    assert str(trouble).endswith("Until then no service is asked.")
    settings, trouble = valid_settings({name: None}, Policy({name: getattr(Settings(), name)}))
    assert (settings.engine, trouble) == ("auto", None)


async def test_what_another_program_has_broken_elsewhere_is_a_damaged_file(home: Path) -> None:
    program = Program(engine="offline")
    await program.accounts.add("ana", "admin", None, secret="uma palavra longa")
    ana = await program.accounts.sign_in("ana", "uma palavra longa")
    await program.close()
    put(home, "UPDATE people SET agents = CAST(? AS TEXT)", b"[" * 100_000)

    store = Store.open(home)
    store.enter(ana)
    with pytest.raises(DamagedStoreError, match=r"qhub\.db"):
        await store.people.listed()
    store.close()
    put(home, "UPDATE people SET agents = CAST(? AS TEXT)", b'["\xff"]')
    store = Store.open(home)
    store.enter(ana)
    with pytest.raises(DamagedStoreError, match=r"qhub\.db"):
        await store.people.listed()
    store.close()
