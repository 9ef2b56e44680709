"""A real window on a real screen: a file dropped, questions asked, the plug pulled."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

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


def test_what_is_typed_is_read_before_it_is_asked(xvfb: dict[str, str], tmp_path: Path) -> None:
    runs = tmp_path / "registos.csv"
    lines = ("02/03/2026;escorrido;3", "03/03/2026;cratera;2", "04/03/2026;escorrido;5")
    runs.write_text("\n".join(("Data;Tipo de defeito;Quantidade", *lines)), encoding="utf-8")
    asked = (runs, "quantos escorridos", DEMO_DATA / "defeitos.xlsx", "defeitos à noite")

    told = act(xvfb, "read_while_typing", *asked, ANTHROPIC_API_KEY="")

    ambiguous, plain = told["files"]
    first, second = (each.rpartition(": ")[2] for each in ambiguous["readings"][:2])
    assert {first, second} == {"2", "8"}
    assert [end for role, _, end in ambiguous["texts"] if role == "assistant"] == ["complete"]
    assert f"**{second}**" in ambiguous["texts"][-1][1]
    assert plain["readings"][0].endswith(": 59")


def test_an_operator_reports_by_two_taps_and_takes_it_back(xvfb: dict[str, str]) -> None:
    told = act(xvfb, "report_by_two_taps", ANTHROPIC_API_KEY="")

    first = ["Julia", "gordura", "PP_Negro", "R12", "4"]
    second = ["Julia", "lixo", "PP_Negro", "R12", "4"]
    assert told == {"logs": [[first], [first, second], [first]], "is_on_screen": True}


def test_a_study_of_numbered_parts_is_made_by_the_panel_and_the_keyboard_alone(
    xvfb: dict[str, str], tmp_path: Path
) -> None:
    chance = random.Random(7)
    readings = [
        f"{part};{who};{part + chance.gauss(0, 0.1):.3f}".replace(".", ",")
        for part in range(1, 11)
        for who in ("Ana", "Rui")
        for _trial in range(2)
    ]
    file = tmp_path / "leituras.csv"
    file.write_text("\n".join(("No;Quem;mm", *readings)), encoding="utf-8")

    told = act(xvfb, "study_by_panel", file, ANTHROPIC_API_KEY="")

    columns = {"coluna": "mm", "peca": "No", "operador": "Quem"}
    assert told == {"given": {**columns, "tolerancia": 4.5}, "small": [], "is_on_screen": True}


def test_a_question_is_asked_by_choices_and_the_keyboard_alone(xvfb: dict[str, str]) -> None:
    told = act(xvfb, "ask_by_choices", DEMO_DATA / "defeitos.xlsx", ANTHROPIC_API_KEY="")

    (who, question, _), (_, _, end) = told["texts"]
    assert (who, question, end) == ("user", told["sentence"], "complete")
    assert "por turno" in question
    assert "barras" in question


@pytest.fixture
def managed(xvfb: dict[str, str]) -> Iterator[dict[str, str]]:
    """The screen, with frames around its windows."""
    manager = shutil.which("openbox")
    if sys.platform == "linux" and manager is None:
        pytest.skip("openbox is not installed: apt-get install openbox")
    if manager is None:
        yield xvfb
        return
    with subprocess.Popen([manager], env=xvfb, stderr=subprocess.DEVNULL) as running:
        yield xvfb
        running.terminate()


def test_the_first_run_and_its_window_are_wholly_on_a_small_screen(
    managed: dict[str, str],
) -> None:
    told = act(managed, "begin_the_first_time", ANTHROPIC_API_KEY="")

    assert told == {"are_on_screen": [True, True]}


def test_what_is_typed_after_a_starter_reaches_the_composer(managed: dict[str, str]) -> None:
    told = act(managed, "starter_then_typing", ANTHROPIC_API_KEY="")

    assert told["typed"] == "e por turno"
    assert [end for role, _, end in told["texts"] if role == "assistant"] == ["complete"]
    assert told["is_on_screen"]


def test_a_dashboard_is_made_and_hung_by_the_keyboard_alone(managed: dict[str, str]) -> None:
    told = act(managed, "dashboard_by_keyboard", ANTHROPIC_API_KEY="")

    assert "Reuniao" in told["words"]
    width, height, content = told["wall"]
    assert width == 1366
    assert content <= height + 1  # nothing to scroll to
    assert told["is_on_screen"]


def test_a_report_is_printed(xvfb: dict[str, str], tmp_path: Path) -> None:
    file, folder = tmp_path / "medidas.csv", tmp_path / "out"
    folder.mkdir()
    rows = "\n".join(f"{100 + at * 7 % 11 / 4}".replace(".", ",") for at in range(40))
    file.write_text(f"espessura\n{rows}\n", encoding="utf-8")

    told = act(xvfb, "print_a_report", file, folder / "carta.pdf", ANTHROPIC_API_KEY="")

    assert told["files"] == ["carta.pdf", "carta.xlsx"]
    with closing(pypdfium2.PdfDocument(folder / "carta.pdf")) as document:
        assert len(document) > 0


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
