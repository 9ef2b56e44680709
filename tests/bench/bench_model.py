"""A local model, the whole way: loading, tokens a second, memory, and sixty questions of ours.

Run it as `QHUB_BENCH_MODEL=FILE.gguf python -m tests.bench bench_model`, with any model file. Each
question is asked of the model alone, as *Ask the model* does, over the demo log and through tools;
right is what the set of questions says, found where a reader finds it. The figures are kept as they
fall: models of less than 2 billion parameters are too small to be useful.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.cli.printing import event_object
from qhub_desktop.core.events import ApprovalAsked, ChatEvent
from tests.bench.record import Figure, record
from tests.nlq.ask_all import Question, questions
from tests.nlq.questions.question import OPEN
from tests.nlq.scoring import Heard, verdict
from tests.unasked import Unasked

VARIABLE = "QHUB_BENCH_MODEL"
COUNT = 60
TICK_S = 0.005


class _Audience(Unasked):
    """Hears an answer, and who gave it."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.is_lost = False  # the own engine answered in the model's place

    def show(self, event: ChatEvent) -> None:
        """One event."""
        told = event_object(event)
        self.heard.hear(told)
        self.is_lost |= told.get("type") == "status" and told.get("kind") == "offline"

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse."""


async def measure(model: Path) -> dict[str, Figure]:
    """Return the figures of a model file."""
    program = Program()
    try:
        program.chosen.replace(replace(program.settings, local_model=str(model), engine="local"))
        header = await program.model_trials.header(model)
        trial = await program.model_trials.run(model)
        stalls: list[float] = []
        watching = asyncio.ensure_future(_watch(stalls))
        asked = [each for each in questions(OPEN) if each["file"] == "defeitos.csv"]
        outcomes = [await _ask(program, each) for each in asked[:COUNT]]
        watching.cancel()
        engine = max(each.memory_info().rss for each in psutil.Process().children())
        right = sum(is_right and not is_lost for is_right, is_lost, _s in outcomes)
        return {
            "file": header.name,
            "size_mb": header.size / 1e6,
            "knows_tools": str(header.knows_tools),
            "load_s": trial.load_s,
            "first_token_s": trial.first_token_s,
            "tokens_per_s": trial.tokens_per_s,
            "engine_rss_mb": engine / 1e6,
            "longest_stall_ms": 1_000 * max(stalls, default=0.0),
            "questions": len(outcomes),
            "right_by_the_model": right,
            "left_to_the_own_engine": sum(is_lost for _right, is_lost, _s in outcomes),
            "median_answer_s": statistics.median(seconds for *_rest, seconds in outcomes),
        }
    finally:
        await program.close()


async def _ask(program: Program, question: Question) -> tuple[bool, bool, float]:
    """Ask the model alone; return whether it was right, whether it was lost, and the seconds."""
    talk = await program.store.conversations.create(DEFAULT_AGENT)
    for each in question["before"]:
        await program.turns.reply(talk.id, each, audience=_Audience())
    await program.turns.reply(talk.id, question["question"], audience=_Audience())
    audience = _Audience()
    began = time.perf_counter()
    await program.turns.retry(talk.id, audience=audience, engine="local")
    is_right = verdict(question, audience.heard) == "right"
    return is_right, audience.is_lost, time.perf_counter() - began


async def _watch(stalls: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(TICK_S)
        stalls.append(time.perf_counter() - began - TICK_S)


def main() -> int:
    """Print and keep the figures."""
    given = os.environ.get(VARIABLE, "")
    if not given:
        print(f"Name a model file: {VARIABLE}=FILE.gguf")
        return 0
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        figures = asyncio.run(measure(Path(given)))
    record("model", figures, libraries=("xllamacpp",))
    return 0


if __name__ == "__main__":
    sys.exit(main())
