"""How a question of the set is written down, and how the set becomes two files.

One module a data set makes its rows by a fixed seed and lists its questions; every answer is
computed here with pandas from those rows, by an expression of its own, never by the engine. A
quarter of the questions, chosen by a hash of their names, is put aside in a file of its own.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

FOLDER = Path(__file__).parent
FILES = FOLDER / "files"
OPEN, ASIDE = FOLDER.parent / "questions.jsonl", FOLDER.parent / "questions_aside.jsonl"

Spoken = Literal["pt-PT", "pt-BR", "en"]
Expected = Literal["answer", "ask", "decline", "talk"]
Json = Any


@dataclass(frozen=True)
class Question:
    """A question, what was said before it, what it means, and its answer."""

    lang: Spoken
    text: str
    plan: dict[str, Json]
    answer: Callable[[pd.DataFrame], Json] | None = None
    before: tuple[str, ...] = ()
    expect: Expected = "answer"


def lines(name: str, file: str, frame: pd.DataFrame, questions: Iterable[Question]) -> list[str]:
    """The questions of one data set as lines of JSON, named `<name>-001` and on."""
    made = []
    for number, each in enumerate(questions, start=1):
        answer = None if each.answer is None else each.answer(frame)
        known = {
            "id": f"{name}-{number:03}",
            "lang": each.lang,
            "file": file,
            "before": list(each.before),
            "question": each.text,
            "expect": each.expect,
            "plan": each.plan,
            "answer": answer,
        }
        made.append(json.dumps(known, ensure_ascii=False))
    return made


def is_aside(line: str) -> bool:
    """Whether a question belongs to the quarter that is put aside."""
    name = json.loads(line)["id"]
    return hashlib.sha256(name.encode()).digest()[0] % 4 == 0
