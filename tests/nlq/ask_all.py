"""Asks the whole set of questions of the real program, as `qhub ask --engine offline` does.

`python -m tests.nlq.ask_all [--aside] [NAME…]` prints what was not right, and the three figures.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.cli.printing import event_object
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.events import ApprovalAsked, ChatEvent
from tests.nlq.questions.question import ASIDE, FILES, OPEN
from tests.nlq.scoring import Heard, Verdict, verdict
from tests.unasked import Unasked

Question = Mapping[str, Any]


@dataclass(frozen=True)
class Scored:
    """A question with what came of it."""

    question: Question
    heard: Heard
    verdict: Verdict
    seconds: float


class _Audience(Unasked):
    """Hears every event in the form in which the command line prints it."""

    def __init__(self) -> None:
        self.heard = Heard()

    def show(self, event: ChatEvent) -> None:
        """One event."""
        told = event_object(event)
        self.heard.hear(told)

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse."""


def questions(path: Path, names: Sequence[str] = ()) -> list[Question]:
    """The questions of a file; of those whose names begin so, if any are given."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [each for each in found if not names or each["id"].startswith(tuple(names))]


async def ask_all(asked: Iterable[Question]) -> list[Scored]:
    """Ask each in a conversation of its own, over its own file."""
    program = Program(engine="offline")
    try:
        program.workspace.warm()
        loaded: dict[str, tuple[DatasetProfile, ...]] = {}
        scored: list[Scored] = []
        for question in asked:
            file = question["file"]
            if file not in loaded:
                loaded[file] = await program.workspace.load(FILES / file)
            scored.append(await _ask(program, loaded[file], question))
        return scored
    finally:
        await program.close()


async def _ask(program: Program, profiles: Sequence[DatasetProfile], question: Question) -> Scored:
    conversation = (await program.store.conversations.create(DEFAULT_AGENT)).id
    for profile in profiles:
        await program.store.datasets.pin(conversation, profile.id, profile.dataset)
    for before in question["before"]:
        await program.turns.reply(conversation, before, audience=_Audience())
    audience, start = _Audience(), time.perf_counter()
    await program.turns.reply(conversation, question["question"], audience=audience)
    took = time.perf_counter() - start
    return Scored(question, audience.heard, verdict(question, audience.heard), took)


def figures(scored: Sequence[Scored]) -> dict[str, float]:
    """The shares that are right, left open and wrong, in percent."""
    counts = Counter(each.verdict for each in scored)
    return {kind: 100 * counts[kind] / len(scored) for kind in ("right", "open", "wrong")}


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--aside", action="store_true", help="the quarter that was put aside")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QHUB_HOME"] = folder
        asked = questions(ASIDE if given.aside else OPEN, given.names)
        scored = asyncio.run(ask_all(asked))
    for each in scored:
        if each.verdict != "right":
            said = " >> ".join([*each.question["before"], each.question["question"]])
            told = " ".join(each.heard.text.split())[:160]
            print(f"{each.verdict:5} {each.question['id']} {said}\n      {told}")
    print(figures(scored), f"{len(scored)} questions", file=sys.stderr)


if __name__ == "__main__":
    main()
