"""Asks questions that others wrote over data that others made, and scores the answers.

`python -m tests.nlq.others FOLDER` needs a folder with `questions.jsonl`, an independent reading of
the data (`load.py`: `FILES` and `load`) and a scorer (`score.py`: `Ans` and `check`). It asks in
this process what `qhub ask --engine offline --json` asks in one of its own, and gives the scorer
the same events. Nothing of the folder is kept here.
"""

import argparse
import asyncio
import importlib
import json
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.cli.printing import event_object
from qhub_desktop.core.events import ApprovalAsked, ChatEvent
from qhub_desktop.core.message import Choice, Clarification
from tests.bench.record import RESULTS, record
from tests.unasked import Unasked

Entry = Mapping[str, Any]
VERDICTS = ("right", "wrong", "asked", "failed")
OFFERED = "asked, with the right one as a button"


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
    """A question as it was asked, its text, and what the scorer says of it."""

    question: str
    verdict: str
    text: str
    wanted: str
    seconds: float
    is_offered: bool = False  # asked back, and one of the buttons gives the right answer


@dataclass(frozen=True)
class Scored:
    """An entry with what came of each turn."""

    entry: Entry
    turns: tuple[Turn, ...]

    @property
    def verdict(self) -> str:
        """Right if every turn is; wrong if any turn is."""
        found = {each.verdict for each in self.turns}
        if found == {"right"}:
            return "right"
        return next(each for each in ("wrong", "failed", "asked") if each in found)

    @property
    def is_offered(self) -> bool:
        """Whether it was asked back, and each time with the right answer as a button."""
        asked = [each for each in self.turns if each.verdict == "asked"]
        return self.verdict == "asked" and asked[0].is_offered


class Runner:
    """Asks entries of one program, over files that are read once."""

    def __init__(self, folder: Path, program: Program) -> None:
        sys.path.insert(0, str(folder))
        self._scorer: ModuleType = importlib.import_module("score")
        self._reading: ModuleType = importlib.import_module("load")
        self._scorer.COLNAMES[:] = sorted(self._reading.HEADS, key=len, reverse=True)
        self._program = program
        self._frames: dict[tuple[str, str | None], Any] = {}

    async def run(self, entry: Entry) -> Scored:
        """Ask the turns of an entry in a conversation of their own."""
        conversation = await self._conversation(entry)
        turns: list[Turn] = []
        for place, turn in enumerate(entry["turns"]):
            audience, start = _Audience(), time.perf_counter()
            await self._asked(entry, conversation, turn["q"], audience)
            took = time.perf_counter() - start
            judged = await self._judged(entry, turn, audience.events, turns, took)
            if judged.verdict == "asked" and all(each.verdict == "right" for each in turns):
                is_offered = await self._offers(entry, place, audience.choices)
                judged = replace(judged, is_offered=is_offered)
            turns.append(judged)
        return Scored(entry, tuple(turns))

    async def _conversation(self, entry: Entry) -> str:
        program = self._program
        conversation = (await program.store.conversations.create(DEFAULT_AGENT)).id
        if path := self._reading.FILES[entry["dataset"]]:
            for profile in await program.workspace.load(Path(path), sheet=entry.get("sheet")):
                await program.store.datasets.pin(conversation, profile.id, profile.dataset)
        return conversation

    async def _asked(
        self,
        entry: Entry,
        conversation: str,
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

    async def _offers(self, entry: Entry, place: int, choices: Sequence[Choice]) -> bool:
        """Press each button in a conversation of its own; return whether one of them is right.

        What is chosen here is not remembered for the questions that follow.
        """
        turn = entry["turns"][place]
        forgetful = mock.AsyncMock()
        with mock.patch.object(self._program.store.datasets, "keep_reading", forgetful):
            for choice in choices:
                conversation = await self._conversation(entry)
                for before in entry["turns"][:place]:
                    await self._asked(entry, conversation, before["q"], _Audience())
                heard = _Audience()
                wanted = dict(choice.plan) or None
                await self._asked(entry, conversation, choice.label, heard, wanted)
                if (await self._judged(entry, turn, heard.events, (), 0.0)).verdict == "right":
                    return True
        return False

    async def _judged(
        self,
        entry: Entry,
        turn: Mapping[str, Any],
        events: Sequence[dict[str, Any]],
        before: Sequence[Turn],
        took: float,
    ) -> Turn:
        scorer, frame = self._scorer, self._frame(entry)
        heard = scorer.Ans(events, turn["q"])
        heard.exported = {
            each["url"]: await self._exported(each["url"]) for each in heard.by["dashboard"]
        }
        try:
            is_right, fault = scorer.check(turn["expect"], heard, frame), ""
        except Exception as error:  # noqa: BLE001  # of an expression that others wrote
            is_right, fault = False, f" ! {error!r}"
        verdict = "right" if is_right else "failed" if heard.failed else "wrong"
        if verdict == "wrong" and (
            heard.asked()
            or scorer.incomplete(turn["expect"], heard, frame)
            or any(each.verdict == "asked" for each in before)
        ):
            verdict = "asked"
        wanted = ""
        if verdict != "right":
            wanted = f"{turn['expect']['kind']} {self._wanted(turn['expect'], frame)}{fault}"
        return Turn(turn["q"], verdict, heard.text, wanted, took)

    def _wanted(self, expect: Mapping[str, Any], frame: Any) -> list[str]:
        told = []
        for each in expect.get("of") or [expect]:
            try:
                told.append(str(self._scorer.aslist(self._scorer.ev(each["expr"], frame)))[:120])
            except Exception:  # noqa: BLE001  # of an expression that others wrote
                told.append(each["kind"])
        return told

    def _frame(self, entry: Entry) -> Any:
        key = (entry["dataset"], entry.get("frame", entry.get("sheet")))
        if key not in self._frames:
            self._frames[key] = self._reading.load(*key)
        return self._frames[key].copy()

    async def _exported(self, url: str) -> list[list[float]]:
        """Return the numbers of a dashboard's workbook, as the scorer reads them."""
        import pandas as pd

        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "x.xlsx"
            await self._program.dashboard_files.export(url.rsplit("/", 1)[-1], made)
            sheets = pd.read_excel(made, sheet_name=None, header=None).values()
            cells = [
                cell.item() if hasattr(cell, "item") else cell
                for sheet in sheets
                for cell in sheet.to_numpy().ravel()
                if not isinstance(cell, pd.Timestamp | str) and not pd.isna(cell)
            ]
        return [sorted(each) for each in self._scorer.flat_numbers(cells)]


async def ask(folder: Path, only: Sequence[str], *, only_first: bool = False) -> list[Scored]:
    """Ask the entries of a folder; those of a data set, tag, language or name, if any is given.

    With `only_first`, only the first question of each.
    """
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    entries: list[Entry] = [json.loads(line) for line in lines if line.strip()]
    if only_first:
        entries = [{**each, "turns": each["turns"][:1]} for each in entries]
    if only:
        entries = [each for each in entries if not set(only).isdisjoint(_groups(each))]
    program = Program(engine="offline")
    try:
        program.workspace.warm()
        runner = Runner(folder, program)
        return [await runner.run(each) for each in entries]
    finally:
        await program.close()


def _groups(entry: Entry) -> list[str]:
    return [entry["id"], entry["dataset"], entry["lang"], *entry["tags"]]


def figures(scored: Iterable[Scored]) -> dict[str, int]:
    """Count the verdicts of entries."""
    return figures_of(each.verdict for each in scored)


def offered(scored: Iterable[Scored]) -> int:
    """Count the entries that were asked back with the right answer as a button."""
    return sum(each.is_offered for each in scored)


def figures_of(verdicts: Iterable[str]) -> dict[str, int]:
    """Count verdicts."""
    counts = Counter(verdicts)
    return {each: counts[each] for each in VERDICTS}


def told_by(scored: Sequence[Scored], name: str) -> str:
    """Write the verdicts by tag, data set or language."""
    groups: defaultdict[str, list[Scored]] = defaultdict(list)
    for each in scored:
        named = each.entry[name]
        for group in named if isinstance(named, list) else [named]:
            groups[group].append(each)
    lines = [f"-- by {name}"]
    for group, members in sorted(groups.items()):
        counts = "  ".join(f"{key} {count:3}" for key, count in figures(members).items() if count)
        lines.append(f"{group:20} n {len(members):3}  {counts}")
    return "\n".join(lines)


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="data sets, tags, languages or names")
    parser.add_argument("-v", action="store_true", help="show what is not right")
    parser.add_argument(
        "--keep", nargs="?", const="others", help="keep the figures, under a name of their own"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        scored = asyncio.run(ask(given.folder.resolve(), given.only))
    for each in scored:
        for turn in each.turns if given.v and each.verdict != "right" else ():
            told = " ".join(turn.text.split())[:220]
            button = "  (a button is right)" if turn.is_offered else ""
            print(f"{turn.verdict:5} {each.entry['id']} {turn.question!r}{button}")
            if turn.verdict != "right":
                print(f"      want {turn.wanted}\n      got  {told}")
    for name in ("tags", "dataset", "lang"):
        print(told_by(scored, name))
    took = sorted(turn.seconds for each in scored for turn in each.turns)
    print(
        f"an answer: median {took[len(took) // 2]:.3f} s, 95 % {took[len(took) * 19 // 20]:.3f} s"
    )
    print(f"{len(scored)} entries:", figures(scored), f"{OFFERED}:", offered(scored))
    if given.keep:
        _keep(scored, given.keep)


def _keep(scored: Sequence[Scored], name: str) -> None:
    """Keep the figures of all, of each data set and language, beside those of the run before."""
    groups: dict[str, list[Scored]] = {"all": [*scored]}
    for each in scored:
        for group in (each.entry["dataset"], each.entry["lang"]):
            groups.setdefault(group, []).append(each)
    kept = RESULTS / f"{name}.json"
    known = json.loads(kept.read_text(encoding="utf-8"))["figures"] if kept.exists() else {}
    table: dict[str, dict[str, int]] = {}
    for group, members in groups.items():
        now, before = figures(members), known.get(group, {})
        now[OFFERED] = offered(members)
        table[group] = {f"{each} before": before[each] for each in now if each in before} | now
    record(name, table)


if __name__ == "__main__":
    main()
