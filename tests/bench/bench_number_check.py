"""Check of the numbers in answers: how often it marks wrongly, how often it misses, and how fast.

Run it as `python -m tests.bench bench_number_check`. The suite's questions are asked of the app's
own engine: none of its numbers may be marked; then each number in turn is changed to another of as
many digits, and at least 99 % of those must be. The answers in `honest_answers.jsonl` are written
in the manner of a model, all of whose numbers are right: at most 1 in 100 may have a mark. 200
numbers are looked for among 50,000 cells. The exit code says whether the goals are met.
"""

from __future__ import annotations  # a class names itself

import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT, describe
from qhub_desktop.chat.number_check import check_numbers
from qhub_desktop.core.codec import Json
from qhub_desktop.core.events import ApprovalAsked, ChatEvent
from qhub_desktop.core.message import Block, CheckedNumber, NumberState, Text, ToolResult
from qhub_desktop.core.settings import Settings
from tests.bench.record import Figure, record
from tests.nlq.frozen import Asked, of_the_suite
from tests.unasked import Unasked

SEED = "numbers"
HELD: tuple[NumberState, ...] = ("supported", "derived")
HONEST = Path(__file__).with_name("honest_answers.jsonl")
MOST_OWN_MARKED, LEAST_CHANGED_MARKED, MOST_HONEST_MARKED, MOST_MS = 0, 0.99, 0.01, 20.0


def main() -> int:
    """Measure, and return the exit code."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        answers = asyncio.run(_answers(list(of_the_suite())))
    rng = random.Random(SEED)
    own = [each for each in answers if each.numbers(*HELD)]
    marked = _with_marks(own)
    changed = [each.changed(number, rng) for each in own for number in each.numbers(*HELD)]
    missed = [words for words, other in changed if not other.numbers("unsupported")]
    # A number of one or two digits may be changed to another that the results hold.
    long_ = [
        (words, other)
        for words, other in changed
        if sum(map(str.isdigit, words.split(":")[0])) >= 6
    ]
    missed_long = [words for words, other in long_ if not other.numbers("unsupported")]
    honest = list(_honest())
    falsely = _with_marks(honest)
    cpu_ms = _speed(rng)
    share = 1 - len(missed) / max(len(changed), 1)
    figures: dict[str, dict[str, Figure]] = {
        "own_engine": {"answers": len(own), "marked": len(marked)},
        "one_changed": {"answers": len(changed), "share_marked": share},
        "one_of_three_digits_changed": {
            "answers": len(long_),
            "share_marked": 1 - len(missed_long) / max(len(long_), 1),
        },
        "honest": {"answers": len(honest), "falsely_marked": len(falsely)},
        "speed": {"numbers": 200, "cells": 50_000, "median_cpu_ms": cpu_ms},
    }
    record("number_check", figures)
    print(*marked, *falsely, *(f"missed: {each}" for each in missed), sep="\n")
    is_met = (
        len(marked) <= MOST_OWN_MARKED
        and share >= LEAST_CHANGED_MARKED
        and len(falsely) <= MOST_HONEST_MARKED * len(honest)
        and cpu_ms <= MOST_MS
    )
    return 0 if is_met else 1


def _with_marks(answers: Iterable[Answered]) -> list[str]:
    """Return a line for each answer that has a mark."""
    marked = [(each, each.numbers("unsupported")) for each in answers]
    return [
        f"marked: {[each.written(one) for one in numbers]} in the answer to: {each.question}"
        for each, numbers in marked
        if numbers
    ]


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, its answer, and what a model would have been told of the data."""

    question: str
    blocks: tuple[Block, ...]
    given: str = ""

    def numbers(self, *states: NumberState) -> list[CheckedNumber]:
        """Return the numbers of these states."""
        checked = check_numbers(self.blocks, question=self.question, given=[self.given])
        return [each for each in checked.numbers if each.state in states]

    def written(self, number: CheckedNumber) -> str:
        """Return a number as it is written."""
        return self._text(number)[number.start : number.end]

    def changed(self, number: CheckedNumber, rng: random.Random) -> tuple[str, Answered]:
        """Change one digit of a number; return its words and what then is the answer."""
        text, old = self._text(number), self.written(number)
        at = rng.choice([place for place, each in enumerate(old) if each.isdecimal()])
        new = (
            old[:at] + rng.choice([each for each in "123456789" if each != old[at]]) + old[at + 1 :]
        )
        other = Text(text[: number.start] + new + text[number.end :])
        blocks = (*self.blocks[: number.block], other, *self.blocks[number.block + 1 :])
        around = text[max(0, number.start - 60) : number.end + 30].replace("\n", " ")
        return f"{old} -> {new}: …{around}…", replace(self, blocks=blocks)

    def _text(self, number: CheckedNumber) -> str:
        block = self.blocks[number.block]
        assert isinstance(block, Text)
        return block.text


class _Nobody(Unasked):
    """Watches nothing and approves nothing."""

    def show(self, event: ChatEvent) -> None:
        """Pass over an event."""

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse."""


async def _answers(asked: list[Asked]) -> list[Answered]:
    program = Program(engine="offline")
    kept = []
    try:
        program.workspace.warm()
        for each in asked:
            conversation = (await program.store.conversations.create(DEFAULT_AGENT)).id
            if each.file is not None:
                for profile in await program.workspace.load(each.file, sheet=each.sheet):
                    await program.store.datasets.pin(conversation, profile.id, profile.dataset)
            for question in each.questions:
                await program.turns.reply(conversation, question, audience=_Nobody())
                latest = await program.store.messages.latest(conversation, limit=1)
                profiles = (await program.turns.preview(conversation, question)).request.profiles
                given = describe(profiles, Settings())
                kept.append(Answered(question, latest[-1].blocks, given))
    finally:
        await program.close()
    return kept


def _honest() -> Iterator[Answered]:
    """Yield answers in the manner of a model, all of whose numbers are right."""
    for each in map(json.loads, HONEST.read_text(encoding="utf-8").splitlines()):
        results = [ToolResult(f"c{at}", one) for at, one in enumerate(each["results"])]
        yield Answered(each["question"], (*results, Text(each["answer"])))


def _speed(rng: random.Random) -> float:
    rows: list[Json] = [
        [round(rng.random() * 1000, 3) for _column in range(10)] for _row in range(5_000)
    ]
    result = ToolResult("c", {"linhas": rows})
    text = " ".join(f"{rng.random() * 1000:.1f}" for _number in range(200))
    taken = []
    for _run in range(7):
        began = time.process_time()
        check_numbers([result, Text(text)])
        taken.append((time.process_time() - began) * 1000)
    return statistics.median(taken)


if __name__ == "__main__":
    sys.exit(main())
