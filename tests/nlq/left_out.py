"""Fits what a plan may cost on some data sets of others, and counts what that makes of the rest.

`python -m tests.nlq.left_out FOLDER` needs a folder as `tests.nlq.others` does. The first question
of each entry is asked once with the best plan answered, whatever it costs. Then the limits of the
choice are fitted on two thirds of the data sets, and the last third is counted with them; in turn,
until each data set was left out once. `--keep` keeps the figures.
"""

import argparse
import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, get_args
from unittest import mock

from qhub_desktop.nlq.dialogue import selection, state
from qhub_desktop.nlq.dialogue.selection import LIMITS, Kind, Limits
from qhub_desktop.nlq.parser.slots import QuestionFrame
from qhub_desktop.nlq.query_ast import Plan
from tests.bench.record import record
from tests.nlq.others import ask, figures_of

_interpret = state._interpret
TURNS = 3  # times that data sets are left out
_WRONG_IS_WORTH = 4  # right answers that a confidently wrong one undoes
_MOST = (0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0, 1.15, 1.3, 1.6, 2.0)
_LEAST = (0.02, 0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class Asked:
    """A question: how its best plan was weighed, and what the scorer says of it, answered."""

    dataset: str
    kind: Kind | None  # None where the first way of reading decides alone
    cost: float
    lead: float
    verdict: str

    def under(self, limits: Mapping[Kind, Limits]) -> str:
        """Return what comes of it under some limits."""
        if self.kind is None:
            return self.verdict
        own = limits[self.kind]
        return self.verdict if self.cost <= own.most and self.lead >= own.least else "asked"


class _Answering:
    """Answers the best plan of the question that is asked, and remembers how it was weighed."""

    def __init__(self) -> None:
        self.weighed: dict[str, selection.Weighed | None] = {}
        self._question = ""

    def interpret(self, question: str, *given: Any, **named: Any) -> Any:
        """Remember which question is read, in the words in which it was asked."""
        self._question = question
        return _interpret(question, *given, **named)

    def choose(
        self, frame: QuestionFrame, plan: Plan, found: Sequence[Any], *, said: str = ""
    ) -> tuple[QuestionFrame, Plan]:
        """Choose the best, whatever it costs."""
        weighed = selection.weigh(frame, plan, found)
        self.weighed.setdefault(self._question, weighed)
        return (
            selection.choose(frame, plan, found, said=said)
            if weighed is None
            else (
                frame if weighed.kind == "agreed" else replace(frame, ambiguities=()),
                weighed.best.plan,
            )
        )


def answered(folder: Path) -> list[Asked]:
    """Ask the first question of each entry, and answer its best plan."""
    answering = _Answering()
    with (
        mock.patch.object(state, "choose", answering.choose),
        mock.patch.object(state, "_interpret", answering.interpret),
    ):
        scored = asyncio.run(ask(folder, [], only_first=True))
    found = []
    for each in scored:
        weighed = answering.weighed.get(each.entry["turns"][0]["q"])
        verdict = each.verdict
        if weighed is None:
            found.append(Asked(each.entry["dataset"], None, 0.0, 0.0, verdict))
        else:
            lead = weighed.lead
            found.append(Asked(each.entry["dataset"], weighed.kind, weighed.cost, lead, verdict))
    return found


def fitted(asked: Sequence[Asked]) -> dict[Kind, Limits]:
    """Return the limits under which most is right, each wrong answer weighed for several."""
    made: dict[Kind, Limits] = {}
    for kind in get_args(Kind):
        own = [each for each in asked if each.kind == kind]

        def worth(limits: Limits, own: Sequence[Asked] = own, kind: Kind = kind) -> float:
            counts = Counter(each.under({kind: limits}) for each in own)
            return counts["right"] - _WRONG_IS_WORTH * counts["wrong"]

        made[kind] = max((Limits(*each) for each in product(_MOST, _LEAST)), key=worth)
    return made


def left_out(asked: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """Return the verdicts of the data sets, each counted with limits that it had no part in."""
    datasets = sorted({each.dataset for each in asked})
    parts = [datasets[place::TURNS] for place in range(TURNS)]
    made: dict[str, dict[str, int]] = {}
    for part in parts:
        limits = fitted([each for each in asked if each.dataset not in part])
        rest = [each for each in asked if each.dataset in part]
        made[f"left out: {', '.join(part)}"] = _counts(rest, limits)
    total: Counter[str] = Counter()
    for counts in made.values():
        total.update(counts)
    return {
        "all, each left out": dict(total),
        "all, under the limits as they are": _counts(asked, LIMITS),
        **made,
    }


def _counts(asked: Iterable[Asked], limits: Mapping[Kind, Limits]) -> dict[str, int]:
    return figures_of(each.under(limits) for each in asked)


def main() -> None:
    """Ask, fit, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", action="store_true", help="keep the figures")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        table = left_out(answered(given.folder.resolve()))
    for name, counts in table.items():
        print(f"{name}: {counts}")
    if given.keep:
        record("others_left_out", table)


if __name__ == "__main__":
    main()
