"""Settings and the window's state: kept key by key, shared by several programs."""

from datetime import date
from pathlib import Path

import pytest

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.dataset import Defect
from qhub_desktop.core.errors import UserError
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
