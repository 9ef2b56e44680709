"""How long an offline answer takes: on the command line, and in the program over 200,000 rows.

Run it as `python -m tests.bench bench_offline`. The goal: of the open questions, asked over data
sets of 200,000 rows, 95 % are answered within 150 ms. Each is asked three times, and the quickest
counts, since other programs slow a single asking down; the first asking is told too.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import qhub_desktop.nlq.offline_engine as offline
from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.events import ApprovalAsked, ChatEvent, ModelRequest, ToolUsed
from tests.bench.asked_rows import lengthen
from tests.bench.record import record
from tests.end_to_end.qhub_process import QHUB
from tests.nlq.ask_all import Question, questions
from tests.nlq.questions.question import OPEN
from tests.unasked import Unasked

RUNS = 7
ASKINGS = 3
ROWS = 200_000
GOAL_MS = 150
FLOOR = "import json, sqlite3, argparse, asyncio"
ENGINE = "import qhub_desktop.nlq.offline_engine"
ANSWERS = "import qhub_desktop.nlq.offline_engine"


@dataclass
class Took:
    """One answer: how long in all, in the engine, and in the tools that it called."""

    question: Question
    total_ms: float = 0.0
    engine_ms: float = 0.0
    tools_ms: float = 0.0
    tools: list[str] = field(default_factory=list)

    @property
    def rest_ms(self) -> float:
        """What is kept on the disk, threads, and the loop."""
        return self.total_ms - self.engine_ms - self.tools_ms


class _Watch(Unasked):
    """Adds up what the tools of one answer took."""

    def __init__(self, took: Took) -> None:
        self._took = took

    def show(self, event: ChatEvent) -> None:
        """One event."""
        if isinstance(event, ToolUsed):
            self._took.tools_ms += event.result.ms
            self._took.tools.append(event.call.name)

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse."""


def main() -> None:
    """Print and keep the figures."""
    called = _called()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["QHUB_HOME"] = str(Path(folder) / "home")
        askings = asyncio.run(_askings(questions(OPEN, sys.argv[1:]), Path(folder)))
    answers = [min(each, key=lambda took: took.total_ms) for each in zip(*askings, strict=True)]
    first = sorted(each.total_ms for each in askings[0])
    for each in sorted(answers, key=lambda took: -took.total_ms)[:10]:
        asked = each.question
        print(f"{each.total_ms:7.0f} ms {asked['id']} {asked['question']} {each.tools}")
    record(
        "offline",
        {
            **called,
            **_spread(answers),
            "the first asking, ms": _row(first),
            "rows of each data set": ROWS,
            "questions": len(answers),
            "goal, 95 % of answers within, ms": GOAL_MS,
        },
        libraries=("Babel",),
    )


def _spread(answers: Sequence[Took]) -> dict[str, Mapping[str, float]]:
    """How the times of all answers are spread, and where they go."""
    parts = {
        "answer in the program, ms": [each.total_ms for each in answers],
        "of it understanding and words, ms": [each.engine_ms for each in answers],
        "of it tools, ms": [each.tools_ms for each in answers],
        "of it keeping and threads, ms": [each.rest_ms for each in answers],
    }
    return {name: _row(sorted(times)) for name, times in parts.items()}


def _row(times: Sequence[float]) -> Mapping[str, float]:
    return {
        "median": statistics.median(times),
        "95 %": times[int(0.95 * (len(times) - 1))],
        "longest": times[-1],
    }


def _called() -> dict[str, float]:
    """The command line, from the call to the end, and what an import takes."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "QHUB_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        first_s = _once([QHUB, *_question("e por turno?")], environment)
        answers = _times([QHUB, *_question("top 5 defeitos")], environment)
        floors = _times([sys.executable, "-c", FLOOR], environment)
        engine = _times([sys.executable, "-c", ENGINE], environment)
        with_answers = _times([sys.executable, "-c", ANSWERS], environment)
        fresh = []
        for number in range(RUNS):
            moved = {**environment, "QHUB_HOME": str(Path(home) / f"fresh-{number}")}
            fresh.append(_once([QHUB, *_question("top 5 defeitos")], moved))
    return {
        "first call of all, s": first_s,
        "answer, median s": statistics.median(answers),
        "answer, longest s": max(answers),
        "answer in an empty data folder, median s": statistics.median(fresh),
        "bare interpreter, median s": statistics.median(floors),
        "interpreter with the engine's door, median s": statistics.median(engine),
        "interpreter with the whole engine, median s": statistics.median(with_answers),
        "answer / bare interpreter": statistics.median(answers) / statistics.median(floors),
    }


async def _askings(asked: Sequence[Question], folder: Path) -> list[list[Took]]:
    """Every question in a conversation of its own over the long form of its file, all in turn."""
    program = Program(engine="offline")
    try:
        program.workspace.warm()
        loaded = {}
        for name in sorted({each["file"] for each in asked}):
            loaded[name] = await program.workspace.load(lengthen(name, folder, rows=ROWS))
            rows = [profile.rows for profile in loaded[name]]
            print(f"{name}: {rows} rows", flush=True)
        return [
            [await _answer(program, loaded[each["file"]], each) for each in asked]
            for _ in range(ASKINGS)
        ]
    finally:
        await program.close()


async def _answer(program: Program, profiles: Sequence[DatasetProfile], question: Question) -> Took:
    conversation = (await program.store.conversations.create(DEFAULT_AGENT)).id
    for profile in profiles:
        await program.store.datasets.pin(conversation, profile.id, profile.dataset)
    for before in question["before"]:
        await program.turns.reply(conversation, before, audience=_Watch(Took(question)))
    took = Took(question)
    with _timing_engine(took):
        start = time.perf_counter()
        await program.turns.reply(conversation, question["question"], audience=_Watch(took))
        took.total_ms = 1000 * (time.perf_counter() - start)
    return took


@contextmanager
def _timing_engine(took: Took) -> Iterator[None]:
    reply_to = offline._reply_to

    def timed(request: ModelRequest) -> object:
        start = time.perf_counter()
        try:
            return reply_to(request)
        finally:
            took.engine_ms += 1000 * (time.perf_counter() - start)

    offline._reply_to = timed  # type: ignore[assignment]
    try:
        yield
    finally:
        offline._reply_to = reply_to


def _question(question: str) -> list[str]:
    return ["ask", "--engine", "offline", "--json", question]


def _times(command: list[str], environment: dict[str, str]) -> list[float]:
    return [_once(command, environment) for _ in range(RUNS)]


def _once(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
