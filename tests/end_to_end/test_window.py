"""A real window on a real screen: a file dropped, questions asked, the plug pulled."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import dev
from qhub_desktop.core.paths import DEMO_DATA
from tests.end_to_end.qhub_process import qhub
from tests.wire import WireServer, answer

STORY = " ".join(f"palavra{n}" for n in range(6000))
PACE = 400.0
PATIENCE_S = 120.0


def act(
    screen: Mapping[str, str], story: str, *arguments: str | Path, **more: str
) -> dict[str, Any]:
    """Act one story to its end; what the person saw."""
    done = subprocess.run(
        _command(story, *arguments),
        capture_output=True,
        check=False,
        cwd=dev.ROOT,
        encoding="utf-8",
        env=_surroundings(screen, more),
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_a_dropped_export_is_asked_about_and_all_is_there_after_reopening(
    xvfb: dict[str, str],
) -> None:
    asked = act(xvfb, "drop_and_ask", DEMO_DATA / "defeitos.xlsx", ANTHROPIC_API_KEY="")
    again = act(xvfb, "look_again", ANTHROPIC_API_KEY="")

    assert asked["files"] == ["defeitos.xlsx"]
    assert asked["cards"] == ["Chart", "TableView"]
    assert [end for role, _, end in asked["texts"] if role == "assistant"] == ["complete"] * 3
    assert again == asked


def test_esc_stops_an_answer_and_what_had_arrived_is_kept(xvfb: dict[str, str]) -> None:
    with WireServer([answer(STORY, pace=PACE)]) as server:
        told = act(xvfb, "stop_with_escape", **_claude(server))
        has_left = server.wait_for_leaving()

    (_, question, _), (_, text, end) = told["texts"]
    assert question == "conta uma história longa"
    assert end == "cancelled"
    assert 200 < len(text) < len(STORY)
    assert STORY.startswith(text)
    assert has_left


def test_a_window_killed_in_mid_stream_loses_at_most_a_second(
    home: Path, xvfb: dict[str, str]
) -> None:
    with WireServer([answer(STORY, pace=PACE)]) as server:
        process = subprocess.Popen(
            _command("stream_for_ever"),
            cwd=dev.ROOT,
            env=_surroundings(xvfb, _claude(server)),
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        seen = json.loads(process.stdout.readline())["streaming"]
        try:
            process.wait(1.2)
        except subprocess.TimeoutExpired:
            process.kill()
        process.stdout.close()
        process.wait()

    with closing(sqlite3.connect(home / "qhub.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (talks,) = qhub("conversations", "--json").lines
    (whole,) = qhub("show", talks[0]["id"], "--json").lines
    question, cut = whole["messages"]
    assert question["text"] == "conta uma história longa"
    # What was on the screen 1.2 s before the kill is older than the second that may be lost.
    assert len(cut["text"]) >= seen
    assert STORY.startswith(cut["text"])


def _command(story: str, *arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tests.end_to_end.window_story", story, *map(str, arguments)]


def _surroundings(screen: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    return {**screen, "QHUB_HOME": os.environ["QHUB_HOME"], **more}


def _claude(server: WireServer) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-for-tests"}
