"""`qhub update` as another program calls it: a share, a signed offer, and what is kept of it."""

import asyncio
import sys
from pathlib import Path

import pytest

from qhub_desktop.app import Program
from tests.end_to_end.qhub_process import qhub_in_turn
from tests.updates.offers import Administrator

ONLY_WINDOWS = "Só pode ser instalada no Windows."


@pytest.fixture
def administrator(tmp_path: Path) -> Administrator:
    return Administrator(tmp_path / "partilha")


def choose(administrator: Administrator, language: str) -> None:
    """Choose the settings of updates, as the window does."""
    program = Program()
    chosen = {
        "language": language,
        "updates": "tell",
        "update_folder": str(administrator.folder),
        "update_key": administrator.public_key,
    }
    asyncio.run(program.store.settings.save({**chosen}))
    asyncio.run(program.close())


def test_what_is_offered_is_told_and_kept_for_the_next_start(
    administrator: Administrator, home: Path
) -> None:
    administrator.offer("9.0.0", notes="Mais rápido.")
    choose(administrator, "pt")

    plain, as_json, install, again = qhub_in_turn(
        [["update"], ["update", "--check", "--json"], ["update", "--install"], ["update", "--json"]]
    )

    assert plain.code == 0
    assert plain.out.splitlines() == ["Há a versão 9.0.0 (1 MB).", "Mais rápido."]
    (told,) = as_json.lines
    assert (told["state"], told["offered"], told["size"]) == ("offered", "9.0.0", 512_000)
    assert (install.code, install.out) == (1, "")
    kept = home / "updates" / "qhub-desktop-setup.exe"
    if sys.platform == "win32":  # refused before anything is copied: no installer has put it there
        assert "instalador" in install.err
        assert not kept.exists()
        assert again.lines[0]["state"] == "offered"
    else:
        assert ONLY_WINDOWS in install.err
        assert kept.stat().st_size == 512_000
        assert again.lines[0]["state"] == "prepared"


def test_what_can_not_be_trusted_is_told_in_a_sentence(
    administrator: Administrator, home: Path
) -> None:
    administrator.offer("9.0.0")
    administrator.offer_file.write_bytes(administrator.offer_file.read_bytes()[:90])
    (off,) = qhub_in_turn([["update"]])
    choose(administrator, "pt")
    (half,) = qhub_in_turn([["update", "--install", "--json"]])
    administrator.offer("0.0.1")
    (older, told) = qhub_in_turn([["update", "--install"], ["update", "--json"]])

    assert (off.code, off.out) == (1, "")
    assert "As atualizações estão desligadas." in off.err
    assert (half.code, half.out) == (1, "")
    assert "não está completa" in half.err
    assert older.code == 1
    assert "mais antiga do que esta" in older.err
    assert told.lines[0]["state"] == "older"
    assert [each.name for each in (home / "updates").iterdir()] == ["seen.json"]
