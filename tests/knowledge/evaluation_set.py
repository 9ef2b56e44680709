"""Passages and questions of a workshop, which the search is judged by.

82 passages on defects, tests, cabins, procedures and codes of a plant that paints plastic parts
were written for it, after what public texts say of these things, and 64 questions in the words of a
workshop (`open`), before the search was; 63 more, written with them, were kept back until it was
ready (`kept`). Both share many words with what answers them, so 50 more were written when the
search was ready, in other words on purpose (`reworded`). Around them lie 1,000 passages of other
papers of such a plant, made of sentences that answer none of the questions.
"""

import json
import random
import tomllib
from pathlib import Path
from typing import Any, Literal

Questions = Literal["open", "kept", "reworded"]
FOLDER = Path(__file__).parent
OTHERS = 1_000
SENTENCES = 5


def evaluation_content(questions: Questions, *, others: int = OTHERS) -> Any:
    """Return the set in the form that `qhub docs eval` reads."""
    passages = json.loads((FOLDER / "workshop_passages.json").read_text(encoding="utf-8"))
    return {
        "passages": [*passages, *_other_passages(others)],
        "questions": json.loads(
            (FOLDER / f"workshop_questions_{questions}.json").read_text(encoding="utf-8")
        ),
    }


def _other_passages(count: int) -> list[dict[str, str]]:
    made_of = tomllib.loads((FOLDER / "other_passages.toml").read_text(encoding="utf-8"))
    subjects = list(made_of["subjects"].values())
    chance = random.Random(37)  # the same passages each time
    made = []
    for number in range(count):
        sentences = chance.sample(subjects[number % len(subjects)], SENTENCES)
        made.append({"id": f"x{number}", "text": _filled(" ".join(sentences), made_of, chance)})
    return made


def _filled(text: str, made_of: dict[str, Any], chance: random.Random) -> str:
    for slot, words in made_of["slots"].items():
        while f"{{{slot}}}" in text:
            text = text.replace(f"{{{slot}}}", chance.choice(words), 1)
    for slot, least, most in (("n", 2, 98), ("h", 6, 23)):
        while f"{{{slot}}}" in text:
            text = text.replace(f"{{{slot}}}", str(chance.randint(least, most)), 1)
    return text
