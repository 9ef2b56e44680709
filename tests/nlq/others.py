"""Asks sets of questions, each in a conversation of its own, and tells what came of them.

`python -m tests.nlq.others [FOLDER…]` asks the sets in folders, as `tests.nlq.sets` knows them, or
those of the repository. It asks in this process what `qhub ask --engine offline --json` asks in one
of its own, and presses each choice of a list: one that is right makes it 'listed right'.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.cli.printing import event_object
from qhub_desktop.core.events import ApprovalAsked, ChatEvent
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Choice, Clarification
from tests.bench.record import RESULTS, record
from tests.nlq.sets import Entry, QuestionSet, sets_of
from tests.unasked import Unasked

# What comes of a question, the worst last.
OUTCOMES = ("right", "listed right", "listed without", "declined", "wrong")


@dataclass
class _Audience(Unasked):
    """Keeps every event as the command line prints it, and what may be answered to a question."""

    events: list[dict[str, Any]] = field(default_factory=list)
    choices: tuple[Choice, ...] = ()

    def show(self, event: ChatEvent) -> None:
        """One event."""
        if isinstance(event, Clarification):
            self.choices = event.choices
        self.events.append(json.loads(json.dumps(event_object(event))))

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse."""


@dataclass(frozen=True)
class Turn:
    """A question as it was asked, its text, and what came of it."""

    question: str
    outcome: str
    text: str
    wanted: str
    seconds: float


@dataclass(frozen=True)
class Scored:
    """An entry with what came of each turn."""

    set: str
    entry: Entry
    turns: tuple[Turn, ...]

    @property
    def outcome(self) -> str:
        """Wrong if any turn is; else what came of the first that is not right.

        What follows on a turn that was listed or declined has lost its context.
        """
        found = [each.outcome for each in self.turns]
        if "wrong" in found:
            return "wrong"
        return next((each for each in found if each != "right"), "right")


class Runner:
    """Asks entries of one program, over files that are read once."""

    def __init__(self, asked: QuestionSet, program: Program) -> None:
        self._set = asked
        self._program = program

    async def run(self, entry: Entry) -> Scored:
        """Ask the turns of an entry in a conversation of their own."""
        conversation = await self._conversation(entry)
        turns: list[Turn] = []
        for place, turn in enumerate(entry["turns"]):
            audience, start = _Audience(), time.perf_counter()
            await self._asked(entry, conversation, turn["q"], audience)
            took = time.perf_counter() - start
            found, wanted = await self._set.judge(entry, turn, audience.events)
            outcome, text = found, _text_of(audience.events)
            if found == "wrong" and any(each.outcome != "right" for each in turns):
                outcome = "declined"
            elif found in ("asked", "failed"):
                outcome = "listed without" if audience.choices else "declined"
                if all(each.outcome == "right" for each in turns) and await self.has_right(
                    entry, place, [dict(each.plan) for each in audience.choices], audience.choices
                ):
                    outcome = "listed right"
            turns.append(Turn(turn["q"], outcome, text, wanted, took))
        return Scored(self._set.name, entry, tuple(turns))

    async def may_ask(self, entry: Entry, turn: Mapping[str, Any]) -> bool:
        """Return whether a question back is a right answer to a turn."""
        back = {"type": "question", "content": "?", "choices": ["a", "b"]}
        return (await self._set.judge(entry, turn, [back]))[0] == "right"

    async def _conversation(self, entry: Entry) -> ConversationId:
        program = self._program
        conversation = (await program.store.conversations.create(DEFAULT_AGENT)).id
        if path := self._set.files[entry["dataset"]]:
            for profile in await program.workspace.load(Path(path), sheet=entry.get("sheet")):
                await program.store.datasets.pin(conversation, profile.id, profile.dataset)
        return conversation

    async def _asked(
        self,
        entry: Entry,
        conversation: ConversationId,
        question: str,
        audience: _Audience,
        wanted: dict[str, Any] | None = None,
    ) -> None:
        try:
            await self._program.turns.reply(
                conversation, question, audience=audience, wanted=wanted
            )
        except Exception as error:  # noqa: BLE001  # a fault of the program is a failed answer
            print(f"{entry['id']}: {error!r}", file=sys.stderr)

    async def has_right(
        self,
        entry: Entry,
        place: int,
        plans: Sequence[dict[str, Any]],
        choices: Sequence[Choice] = (),
    ) -> bool:
        """Choose each plan in a conversation of its own; return whether one answers a turn right.

        What is chosen here is not remembered for the questions that follow.
        """
        turn = entry["turns"][place]
        labels = [each.label for each in choices] or [turn["q"]] * len(plans)
        forgetful = mock.AsyncMock()
        with mock.patch.object(self._program.store.datasets, "keep_reading", forgetful):
            for label, plan in zip(labels, plans, strict=True):
                conversation = await self._conversation(entry)
                for before in entry["turns"][:place]:
                    await self._asked(entry, conversation, before["q"], _Audience())
                heard = _Audience()
                await self._asked(entry, conversation, label, heard, plan or None)
                if (await self._set.judge(entry, turn, heard.events))[0] == "right":
                    return True
        return False


def _text_of(events: Iterable[Mapping[str, Any]]) -> str:
    return "".join(str(each["content"]) for each in events if each.get("type") == "text")


async def ask(
    folders: Sequence[Path], only: Sequence[str] = (), *, only_first: bool = False
) -> list[Scored]:
    """Ask the entries of sets; those of a data set, tag, language or name, if any is given.

    With `only_first`, only the first question of each.
    """
    program = Program(engine="offline")
    scored: list[Scored] = []
    try:
        program.workspace.warm()
        for each in sets_of(folders, program):
            runner = Runner(each, program)
            for entry in each.entries:
                if only and set(only).isdisjoint(_groups(entry)):
                    continue
                asked = {**entry, "turns": entry["turns"][:1]} if only_first else entry
                scored.append(await runner.run(asked))
        return scored
    finally:
        await program.close()


def _groups(entry: Entry) -> list[str]:
    return [entry["id"], entry["dataset"], entry["lang"], *entry["tags"]]


def figures_of(outcomes: Iterable[str]) -> dict[str, int]:
    """Count outcomes."""
    counts = Counter(outcomes)
    return {each: counts[each] for each in OUTCOMES}


def told_by(scored: Sequence[Scored], name: str) -> str:
    """Write the outcomes by tag, data set or language."""
    groups: defaultdict[str, list[Scored]] = defaultdict(list)
    for each in scored:
        named = each.entry[name]
        for group in named if isinstance(named, list) else [named]:
            groups[group].append(each)
    lines = [f"-- by {name}"]
    for group, members in sorted(groups.items()):
        found = figures_of(each.outcome for each in members)
        counts = "  ".join(f"{key} {count:3}" for key, count in found.items() if count)
        lines.append(f"{group:24} n {len(members):3}  {counts}")
    return "\n".join(lines)


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--only", nargs="*", default=(), help="data sets, tags, languages, names")
    parser.add_argument("-v", action="store_true", help="show what is not right")
    parser.add_argument(
        "--keep", nargs="?", const="others", help="keep the figures, under a name of their own"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        scored = asyncio.run(ask(given.folders, given.only))
    for each in scored:
        for turn in each.turns if given.v and each.outcome != "right" else ():
            told = " ".join(turn.text.split())[:220]
            print(f"{turn.outcome:5} {each.entry['id']} {turn.question!r}")
            if turn.outcome != "right":
                print(f"      want {turn.wanted}\n      got  {told}")
    for name in ("tags", "dataset", "lang"):
        print(told_by(scored, name))
    took = sorted(turn.seconds for each in scored for turn in each.turns)
    print(
        f"an answer: median {took[len(took) // 2]:.3f} s, 95 % {took[len(took) * 19 // 20]:.3f} s"
    )
    for name in dict.fromkeys(each.set for each in scored):
        own = [each.outcome for each in scored if each.set == name]
        print(f"{name}: {len(own)} entries:", figures_of(own))
    if given.keep:
        _keep(scored, given.keep)


def _keep(scored: Sequence[Scored], name: str) -> None:
    """Keep the figures of each set, data set and language, beside those of the run before."""
    groups: defaultdict[str, list[Scored]] = defaultdict(list)
    for each in scored:
        for group in dict.fromkeys((each.set, each.entry["dataset"], each.entry["lang"])):
            groups[group].append(each)
    kept = RESULTS / f"{name}.json"
    known = json.loads(kept.read_text(encoding="utf-8"))["figures"] if kept.exists() else {}
    table: dict[str, dict[str, int]] = {}
    for group, members in groups.items():
        now, before = figures_of(each.outcome for each in members), known.get(group, {})
        table[group] = {f"{each} before": before[each] for each in now if each in before} | now
    record(name, table)


if __name__ == "__main__":
    main()
