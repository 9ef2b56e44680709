"""The plug pulled in the middle of an answer: what had been asked and said is there afterwards."""

import json
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.qhub_process import QHUB, qhub
from tests.wire.scenes import answer
from tests.wire.server import WireServer

WORDS = 4000
EVERY_S = 0.005


@pytest.mark.parametrize("kill_after_s", [0.4, 1.3, 2.1])
def test_a_killed_answer_keeps_the_question_and_all_but_its_last_second(
    home: Path, kill_after_s: float
) -> None:
    text = " ".join(f"palavra{n}" for n in range(WORDS))
    with WireServer([answer(text, pace=1 / EVERY_S)]) as server:
        process = subprocess.Popen(
            [QHUB, "ask", "--engine", "claude", "--json", "conta uma história"],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "key-for-tests",
            },
        )
        assert process.stdout is not None
        told: list[tuple[float, str]] = []
        for line in process.stdout:
            event = json.loads(line)
            if event["type"] == "text":
                told.append((time.monotonic(), event["content"]))
                if told[-1][0] - told[0][0] > kill_after_s:
                    break
        process.kill()
        killed = time.monotonic()
        process.stdout.close()
        process.wait()

    with closing(sqlite3.connect(home / "qhub.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (talks,) = qhub("conversations", "--json").lines
    (whole,) = qhub("show", talks[0]["id"], "--json").lines
    question, cut = whole["messages"]
    old = "".join(words for moment, words in told if moment < killed - 1)
    assert question["text"] == "conta uma história"
    assert text.startswith(cut["text"])
    assert cut["text"].startswith(old)
    assert cut["end"] is None
