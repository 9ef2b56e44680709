"""Fits what a plan may cost to be answered, and tells what that makes of sets that were left out.

`python -m tests.nlq.fit --ask FOLDER…` asks every turn of the sets in the repository and of those
in folders (`tests.nlq.sets`) once, with the best plan answered whatever it costs, and keeps in
`fit.csv` how each was weighed and what came of it. Then, as without `--ask`, the limits are fitted
on what is kept, and written to the program's `choice.toml` with what they come to: for each set,
under limits that it had no part in. All questions of one hand are one set. What is kept of a set
that is not asked again stays: so 'second, at first', as it fell before its kinds were mended, which
says more of a set that nobody has seen than what comes of it today.
"""

import argparse
import asyncio
import csv
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, get_args
from unittest import mock

from qhub_desktop.app import Program
from qhub_desktop.nlq.dialogue import selection, state
from qhub_desktop.nlq.dialogue.selection import LIMITS_FILE, Kind, Limits
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import Plan, plan_to_json
from qhub_desktop.nlq.semantic.candidate import compared
from tests.nlq.others import OUTCOMES, Runner, figures_of
from tests.nlq.sets import Entry, sets_of

_interpret = state._interpret
KEPT = Path(__file__).parent / "fit.csv"
READINGS = 5  # of a list
LEAST_RIGHT = 0.98  # of what is answered at once
FEWEST = 15  # questions that limits have to be tried on
NEVER = Limits(-9.0, 9.0)
_MOST = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.15, 1.3, 1.6)
_LEAST = (0.2, 0.3, 0.5, 1.0)  # nearer plans are never told apart by their costs
_HEAD = """\
# What the best plan of a question may cost to be answered at once (`most`), and what the next one
# must cost more (`least`), by how the other way of reading stands to it. `python -m tests.nlq.fit`
# writes this file, and it is not edited: a test fits the limits anew. For each set of questions it
# is told what became of them under limits fitted on the others (`left out`), and under these.
"""


@dataclass(frozen=True)
class Asked:
    """A question: how its best plan was weighed, and what the scorer says of its readings."""

    set: str
    dataset: str
    name: str
    kind: str  # '' where the first way of reading decides alone
    cost: float
    lead: float
    outcome: str  # of the best plan, answered
    place: int  # of the first reading of a list that is right, from 1; 0 where none is
    may_ask: int  # whether a question back is right

    def under(self, limits: Mapping[Kind, Limits]) -> str:
        """Return what comes of it under some limits."""
        if not self.kind:
            return self.outcome
        own = limits[self.kind]  # type: ignore[index]
        if self.cost <= own.most and self.lead >= own.least:
            return self.outcome
        if self.may_ask:
            return "right"
        return "listed right" if self.place else "listed without"


class _Answering:
    """Answers the best plan of the question that is asked, and remembers how it was weighed."""

    def __init__(self, asked: str) -> None:
        self.weighed: list[selection.Weighed | None] = []
        self._asked, self._said = asked, ""

    def interpret(self, question: str, *given: Any, **named: Any) -> Any:
        """Remember which question is read: the one that was asked, or one that is suggested."""
        self._said = question.strip(" ?.!,;:")
        return _interpret(question, *given, **named)

    def choose(
        self, frame: QuestionFrame, plan: Plan, found: Sequence[Any], *, said: str = ""
    ) -> tuple[QuestionFrame, Plan]:
        """Choose the best, whatever it costs."""
        weighed = selection.weigh(frame, plan, selection.with_all_columns(found))
        if self._said and self._said in self._asked:
            self.weighed.append(weighed)
        if weighed is None:
            return selection.choose(frame, plan, found, said=said)
        return selection.answered(frame, plan, weighed)


async def answered(folders: Sequence[Path]) -> list[Asked]:
    """Ask every turn that follows on right answers, and answer its best plan."""
    program = Program(engine="offline")
    rows: list[Asked] = []
    try:
        program.workspace.warm()
        for each in [*sets_of((), program), *sets_of(folders, program)]:
            runner = Runner(each, program)
            for entry in each.entries:
                rows += await _answered(runner, each.name, entry)
        return rows
    finally:
        await program.close()


async def _answered(runner: Runner, name: str, entry: Entry) -> list[Asked]:
    rows: list[Asked] = []
    for place, turn in enumerate(entry["turns"]):
        if turn["expect"] is None:
            continue
        answering = _Answering(turn["q"])
        with (
            mock.patch.object(state, "choose", answering.choose),
            mock.patch.object(state, "_interpret", answering.interpret),
        ):
            scored = await runner.run({**entry, "turns": entry["turns"][: place + 1]})
        if any(each.outcome != "right" for each in scored.turns[:-1]):
            break
        outcome = scored.turns[-1].outcome
        weighed = answering.weighed[0] if answering.weighed else None
        right = 1 if outcome == "right" else await _right_of(runner, entry, place, weighed)
        may_ask = int(await runner.may_ask(entry, turn))
        named = (name, entry["dataset"], f"{entry['id']}.{place}")
        kind, cost, lead = ("", 0.0, 0.0)
        if weighed is not None:
            kind, cost, lead = weighed.kind, round(weighed.cost, 3), round(weighed.lead, 3)
        rows.append(Asked(*named, kind, cost, lead, outcome, right, may_ask))
    return rows


async def _right_of(
    runner: Runner, entry: Entry, place: int, weighed: selection.Weighed | None
) -> int:
    """Return the place of the first reading that is right, from 1; 0 where none of a list is."""
    plans: dict[Any, Plan] = {}
    for each in weighed.found if weighed is not None else ():
        if len(plans) < READINGS:
            plans.setdefault(compared(each.plan), each.plan)
    for at, plan in enumerate(plans.values(), start=1):
        if await runner.has_right(entry, place, [dict(plan_to_json(plan))]):
            return at
    return 0


def fitted(asked: Sequence[Asked]) -> dict[Kind, Limits]:
    """Return the limits under which most is answered right, and hardly anything wrong.

    Of two that answer as much, the one that asks for less: a lower cost, a longer lead.
    """
    made: dict[Kind, Limits] = {}
    for kind in get_args(Kind):
        own = [each for each in asked if each.kind == kind]
        allowed = [NEVER]
        for most, least in product(_MOST, reversed(_LEAST)):
            told = [each for each in own if each.cost <= most and each.lead >= least]
            right = sum(each.outcome == "right" for each in told)
            if len(told) >= FEWEST and right >= LEAST_RIGHT * len(told):
                allowed.append(Limits(most, least))
        made[kind] = max(allowed, key=lambda limits: _right_under(own, limits))
    return made


def _right_under(asked: Iterable[Asked], limits: Limits) -> int:
    return sum(
        each.outcome == "right" and each.cost <= limits.most and each.lead >= limits.least
        for each in asked
    )


def hand_of(name: str) -> str:
    """Return by whom a set was written: both in the repository are of one hand."""
    return "own" if name in ("open", "aside") else name.partition(",")[0]


def figures(asked: Sequence[Asked], limits: Mapping[Kind, Limits]) -> dict[str, dict[str, int]]:
    """Return what becomes of each set: under limits fitted on the others, and under all."""
    names = dict.fromkeys(each.set for each in asked)
    made: dict[str, dict[str, int]] = {}
    for name in names:
        own = [each for each in asked if each.set == name]
        others = fitted([each for each in asked if hand_of(each.set) != hand_of(name)])
        made[f"{name}, left out"] = figures_of(each.under(others) for each in own)
        made[name] = figures_of(each.under(limits) for each in own)
    return made


def by_dataset(asked: Sequence[Asked], limits: Mapping[Kind, Limits]) -> dict[str, Counter[str]]:
    """Return what becomes of each data set under some limits."""
    made: dict[str, Counter[str]] = {}
    for each in asked:
        made.setdefault(each.dataset, Counter())[each.under(limits)] += 1
    return made


@cache
def kept() -> tuple[Asked, ...]:
    """Return what was kept of the questions."""
    with KEPT.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    types = {each.name: each.type for each in fields(Asked)}
    made = {"float": float, "int": int, "str": str}
    return tuple(
        Asked(**{name: made[getattr(types[name], "__name__", "")](row[name]) for name in types})
        for row in rows
    )


def written(asked: Sequence[Asked]) -> str:
    """Return the text of the file: the limits, and what they come to."""
    limits = fitted(asked)
    lines = [_HEAD]
    for kind, own in limits.items():
        lines.append(f"[limits.{kind}]\nmost = {own.most}\nleast = {own.least}\n")
    for name, counts in figures(asked, limits).items():
        told = ", ".join(f'"{each}" = {counts[each]}' for each in OUTCOMES)
        lines.append(f'[figures."{name}"]\ncounts = {{ {told} }}\n')
    return "\n".join(lines)


def main() -> None:
    """Ask, if that is wanted; fit, write and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ask", nargs="*", type=Path, help="ask the sets, those in folders too")
    given = parser.parse_args()
    if given.ask is not None:
        with tempfile.TemporaryDirectory() as home:
            os.environ["QHUB_HOME"] = home
            rows = asyncio.run(answered(given.ask))
        again = {each.set for each in rows}
        rows += [each for each in kept() if each.set not in again]
        with KEPT.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([each.name for each in fields(Asked)])
            writer.writerows(map(astuple, rows))
        kept.cache_clear()
    LIMITS_FILE.write_text(written(kept()), encoding="utf-8", newline="\n")
    print(LIMITS_FILE.read_text(encoding="utf-8"))
    for name, counts in by_dataset(kept(), fitted(kept())).items():
        print(f"{name:24}", *(f"{each} {counts[each]}" for each in OUTCOMES if counts[each]))


if __name__ == "__main__":
    main()
