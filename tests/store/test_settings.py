"""Settings and the window's state: kept key by key, shared by several programs."""

from datetime import date
from pathlib import Path

from qhub_desktop.core.dataset import Defect
from qhub_desktop.store import Store

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
