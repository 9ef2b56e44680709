"""Sets of questions, each written by another hand, and what their answers are judged by.

The two sets in the repository hold answers that pandas gave. Those of others stand in folders of
their own: one with `questions.jsonl`, an independent reading of the data (`load.py`: `FILES` and
`load`) and a scorer (`score.py`: `Ans` and `check`), and beside it `second/`, whose right answers
stand here, in `second.toml`. Nothing of those folders is kept.
"""

import importlib
import json
import sys
import tempfile
import tomllib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from qhub_desktop.app import Program
from tests.nlq.questions.question import ASIDE, FILES, OPEN
from tests.nlq.scoring import Heard, verdict

Entry = Mapping[str, Any]
Events = Sequence[dict[str, Any]]
# Whether an answer is right, wrong, asked (or declined) or failed, and what was wanted.
Judge = Callable[[Entry, Mapping[str, Any], Events], Awaitable[tuple[str, str]]]
_SECOND = Path(__file__).parent / "second.toml"


@dataclass(frozen=True)
class QuestionSet:
    """Entries of one hand: each has a name, a data set, perhaps a sheet, and turns."""

    name: str
    entries: Sequence[Entry]
    files: Mapping[str, str]  # by the name of the data set; '' where nothing is brought
    judge: Judge


def sets_of(folders: Sequence[Path], program: Program) -> list[QuestionSet]:
    """Return the sets of the repository, or those in folders."""
    if not folders:
        return [_own("open", OPEN), _own("aside", ASIDE)]
    return [_of_others(each.resolve(), program) for each in folders]


def _own(name: str, path: Path) -> QuestionSet:
    entries = [
        {
            "id": each["id"],
            "dataset": each["file"],
            "lang": each["lang"],
            "tags": [],
            "turns": [
                *({"q": said, "expect": None} for said in each["before"]),
                {"q": each["question"], "expect": each},
            ],
        }
        for each in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]
    files = {each["dataset"]: str(FILES / each["dataset"]) for each in entries}
    return QuestionSet(name, entries, files, _own_verdict)


async def _own_verdict(entry: Entry, turn: Mapping[str, Any], events: Events) -> tuple[str, str]:
    if turn["expect"] is None:  # is only said before
        return "right", ""
    heard = Heard()
    for event in events:
        heard.hear(event)
    found = verdict(turn["expect"], heard)
    wanted = f"{turn['expect']['expect']} {turn['expect']['answer']}"
    return "asked" if found == "open" else found, wanted


def _of_others(folder: Path, program: Program) -> QuestionSet:
    is_second = not (folder / "load.py").exists()
    sys.path.insert(0, str(folder.parent if is_second else folder))
    scorer = importlib.import_module("score")
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    entries: list[Entry] = [json.loads(line) for line in lines if line.strip()]
    if is_second:
        expected = tomllib.loads(_SECOND.read_text(encoding="utf-8"))
        entries = [_with_answers(each, expected[each["id"]]) for each in entries]
        files = {each["dataset"]: str(folder / each["dataset"]) for each in entries}
        frames: Callable[[Entry], Any] = _no_frame
    else:
        reading = importlib.import_module("load")
        scorer.COLNAMES[:] = sorted(reading.HEADS, key=len, reverse=True)
        files, frames = dict(reading.FILES), _Frames(reading)
    judge = partial(_scored, scorer, frames, program)
    return QuestionSet(folder.name, entries, files, judge)


def _with_answers(entry: Entry, answers: Sequence[Mapping[str, Any]]) -> Entry:
    turns = [
        {"q": turn["q"], "expect": answer}
        for turn, answer in zip(entry["turns"], answers, strict=True)
    ]
    return {**entry, "dataset": entry["file"], "tags": [], "turns": turns}


def _no_frame(_entry: Entry) -> None:
    """Return nothing: the right answers are written as they are."""


class _Frames:
    """Data sets as others read them, each read once."""

    def __init__(self, reading: ModuleType) -> None:
        self._reading = reading
        self._known: dict[tuple[str, str | None], Any] = {}

    def __call__(self, entry: Entry) -> Any:
        key = (entry["dataset"], entry.get("frame", entry.get("sheet")))
        if key not in self._known:
            self._known[key] = self._reading.load(*key)
        return self._known[key].copy()


async def _scored(
    scorer: ModuleType,
    frames: Callable[[Entry], Any],
    program: Program,
    entry: Entry,
    turn: Mapping[str, Any],
    events: Events,
) -> tuple[str, str]:
    expect, frame = turn["expect"], frames(entry)
    heard = scorer.Ans(events, turn["q"])
    heard.exported = {
        each["url"]: await _exported(scorer, program, each["url"]) for each in heard.by["dashboard"]
    }
    try:
        is_right, fault = scorer.check(expect, heard, frame), ""
    except Exception as error:  # noqa: BLE001  # of an expression that others wrote
        is_right, fault = False, f" ! {error!r}"
    found = "right" if is_right else "failed" if heard.failed else "wrong"
    if found == "wrong" and (heard.asked() or scorer.incomplete(expect, heard, frame)):
        found = "asked"
    return found, f"{expect['kind']} {_wanted(scorer, expect, frame)}{fault}"


def _wanted(scorer: ModuleType, expect: Mapping[str, Any], frame: Any) -> list[str]:
    told = []
    for each in expect.get("of") or [expect]:
        try:
            told.append(str(scorer.aslist(scorer.ev(each["expr"], frame)))[:120])
        except Exception:  # noqa: BLE001  # of an expression that others wrote
            told.append(each["kind"])
    return told


async def _exported(scorer: ModuleType, program: Program, url: str) -> list[list[float]]:
    """Return the numbers of a dashboard's workbook, as the scorer reads them."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "x.xlsx"
        await program.dashboard_files.export(url.rsplit("/", 1)[-1], made)
        sheets = pd.read_excel(made, sheet_name=None, header=None).values()
        cells = [
            cell.item() if hasattr(cell, "item") else cell
            for sheet in sheets
            for cell in sheet.to_numpy().ravel()
            if not isinstance(cell, pd.Timestamp | str) and not pd.isna(cell)
        ]
    return [sorted(each) for each in scorer.flat_numbers(cells)]
