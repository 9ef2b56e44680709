"""Pages that want to do harm, in the real web engine, with a server that waits for them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dev
from tests.ui_web.listener import Listener

HOSTILE = Path(__file__).parent / "hostile"
PAGES = {each.stem: each.read_text(encoding="utf-8") for each in sorted(HOSTILE.glob("*.html"))}
# Reaches the server by each way that is open to a page without a lock.
OPEN_WAYS = ("image", "css_background", "fetch", "beacon", "iframe", "script", "svg", "websocket")


@pytest.mark.parametrize("half", [0, 1])
def test_no_page_reaches_the_server_or_harms_the_program(half: int, home: Path) -> None:
    chosen = {name: PAGES[name] for name in list(PAGES)[half::2]}
    with Listener() as server:
        told = played(
            "tests.ui_web.open_locked", {name: server.aimed(chosen[name]) for name in chosen}
        )
        heard = server.heard

    assert heard == []
    assert told.pop("")["sound"] is True
    assert set(told) == set(chosen)
    # What was refused is told with its address, in which the word may stand.
    leaked = [name for name, each in told.items() if "LEAKED" in f"{each['title']} {each['text']}"]
    assert leaked == []
    assert {name for name, each in told.items() if each["clipboard"] != "the person's own"} == set()
    assert {name for name, each in told.items() if each["opened"]} == set()
    assert {name for name, each in told.items() if "Dialog" in str(each["windows"])} == set()
    lively = {name for name in chosen if "stops -->" in chosen[name] and told[name]["alive"]}
    assert lively == set()
    # Others may ask, too, right after the click that each page gets; nothing opens by asking.
    assert {name for name in told if told[name]["asks"]} >= {"link_click", "link_blank"} & set(told)


def test_without_the_lock_the_same_pages_reach_the_server(home: Path) -> None:
    with Listener() as server:
        played(
            "tests.ui_web.open_unlocked", {name: server.aimed(PAGES[name]) for name in OPEN_WAYS}
        )
        heard = server.heard

    assert {name for name in OPEN_WAYS if any(f"/{name}/" in each for each in heard)} == set(
        OPEN_WAYS
    )


def played(player: str, pages: dict[str, str]) -> dict[str, dict[str, object]]:
    """What the process says of each page, by its name."""
    done = subprocess.run(
        [sys.executable, "-m", player],
        input=json.dumps(pages),
        capture_output=True,
        check=False,
        cwd=dev.ROOT,
        encoding="utf-8",
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        timeout=170,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line.pop("name"): line for line in lines}
