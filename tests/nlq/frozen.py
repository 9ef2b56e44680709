"""Freezes plans, calls and answers of many questions, to show that a change changes none of them.

`python -m tests.nlq.frozen KEPT.json [FOLDER…]` asks the questions of the suite and of each folder
(as `tests.nlq.others` knows them) and keeps what came out; `--against EARLIER.json` prints what
differs and ends with 1 where anything does. Ids, times and addresses are left out.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qhub_desktop.app import Program
from qhub_desktop.chat.agents import DEFAULT_AGENT
from qhub_desktop.cli.printing import event_object
from qhub_desktop.core.events import ApprovalAsked, ChatEvent
from tests.nlq.questions.question import ASIDE, FILES, OPEN
from tests.unasked import Unasked

UNSTEADY = re.compile(r"\b[0-9a-f]{8,64}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?\b|\d+ ms")
PASSING = {"id", "conversation", "created_at", "seconds", "ms"}


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions of one conversation, with the file and the sheet they are about."""

    name: str
    file: Path | None
    sheet: str | None
    questions: tuple[str, ...]


def of_the_suite() -> Iterator[Asked]:
    """Yield the questions in the repository."""
    for path in (OPEN, ASIDE):
        for each in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            questions = (*each["before"], each["question"])
            yield Asked(f"own {each['id']}", FILES / each["file"], None, questions)


def of_folder(folder: Path) -> Iterator[Asked]:
    """Yield the questions of others in a folder."""
    spec = importlib.util.spec_from_file_location(f"load_{folder.name}", folder / "load.py")
    files: Mapping[str, str] = {}
    if spec is not None and spec.loader is not None and (folder / "load.py").exists():
        reading = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(reading)
        files = reading.FILES
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        named = files[each["dataset"]] if "dataset" in each else each["file"]
        questions = tuple(turn["q"] for turn in each.get("turns", [each]))
        file = folder / named if named else None
        yield Asked(f"{folder.name} {each['id']}", file, each.get("sheet"), questions)


@dataclass
class _Audience(Unasked):
    """Keeps every event in the form in which the command line prints it."""

    events: list[Any] = field(default_factory=list)

    def show(self, event: ChatEvent) -> None:
        """One event."""
        self.events.append(_steady(json.loads(json.dumps(event_object(event)))))

    async def approve(self, request: ApprovalAsked) -> None:
        """Refuse."""


def _steady(value: Any) -> Any:
    match value:
        case dict():
            return {key: _steady(each) for key, each in value.items() if key not in PASSING}
        case list():
            return [_steady(each) for each in value]
        case str():
            return UNSTEADY.sub("…", value)
        case _:
            return value


async def frozen(asked: Sequence[Asked]) -> dict[str, list[Any]]:
    """Ask each in a conversation of its own; return the events of each question, by name."""
    program = Program(engine="offline")
    kept: dict[str, list[Any]] = {}
    try:
        program.workspace.warm()
        for each in asked:
            conversation = (await program.store.conversations.create(DEFAULT_AGENT)).id
            if each.file is not None:
                for profile in await program.workspace.load(each.file, sheet=each.sheet):
                    await program.store.datasets.pin(conversation, profile.id, profile.dataset)
            turns = []
            for question in each.questions:
                audience = _Audience()
                await program.turns.reply(conversation, question, audience=audience)
                turns.append([question, *audience.events])
            kept[each.name] = turns
    finally:
        await program.close()
    return kept


def main() -> None:
    """Freeze, and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kept", type=Path)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    asked = [*of_the_suite(), *(each for folder in given.folders for each in of_folder(folder))]
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        kept = asyncio.run(frozen(asked))
    given.kept.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    if given.against:
        before = json.loads(given.against.read_text(encoding="utf-8"))
        changed = [name for name in kept if name in before and before[name] != kept[name]]
        for name in changed:
            print(name, *_differences(before[name], kept[name]), sep="\n  ")
        print(f"{len(changed)} of {len(kept)} differ")
        sys.exit(bool(changed))


def _differences(before: list[Any], now: list[Any]) -> Iterator[str]:
    for old, new in zip(before, now, strict=False):
        for was, is_ in zip(old, new, strict=False):
            if was != is_:
                yield f"- {json.dumps(was, ensure_ascii=False)[:300]}"
                yield f"+ {json.dumps(is_, ensure_ascii=False)[:300]}"


if __name__ == "__main__":
    main()
