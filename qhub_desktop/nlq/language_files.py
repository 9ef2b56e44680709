"""The words of every language that questions are understood in: `resources/lexicon/`, a file each.

A language is added as one file, and with a catalogue under `resources/translations/` it is answered
in, too; without one the answer is in English. Code asks for words by what they do, never by a
language, so no list of languages stands anywhere else.
"""

import tomllib
from functools import cache
from typing import Any

from qhub_desktop.core.chart_kinds import chart_kinds
from qhub_desktop.core.paths import RESOURCES

_FOLDER = RESOURCES / "lexicon"
_FIRST = "pt"  # where a word means different things, and nothing tells the language

Declared = dict[str, Any]


@cache
def language_files() -> dict[str, Declared]:
    """What each language's file declares, by the language."""
    files = sorted(_FOLDER.glob("*.toml"), key=lambda file: (file.stem != _FIRST, file.stem))
    return {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


@cache
def shipped() -> Declared:
    """The words of all languages by what they mean, and what the meanings have to do with another.

    In the shape of the plant's own file: `cue` and `field` by concept, then by language.
    """
    declared = tomllib.loads((RESOURCES / "vocabulary.toml").read_text(encoding="utf-8"))
    for kind in ("cue", "field"):
        by_concept: Declared = declared.setdefault(kind, {})
        for language, file in language_files().items():
            for concept, phrases in file.get(kind, {}).items():
                by_concept.setdefault(concept, {})[language] = phrases
    for chart in chart_kinds():
        # What a chart is called stands beside it; a language's file may name it as well.
        by_language = declared["cue"].setdefault(f"kind_{chart.name}", {})
        for language, said in chart.words.items():
            by_language.setdefault(language, said.split(", "))
    return declared


@cache
def small_words(role: str) -> frozenset[str]:
    """The words of all languages that do one thing in a sentence: 'to', 'or', 'unit'…"""
    return frozenset(
        word for file in language_files().values() for word in file.get("words", {}).get(role, ())
    )


def named(table: str) -> dict[str, Any]:
    """A table of words and what they stand for, over all languages: 'number', 'days_ago'…"""
    return {
        word: meaning
        for file in language_files().values()
        for word, meaning in file.get(table, {}).items()
    }


def numbered(key: str, *, start: int) -> dict[str, int]:
    """Words to numbers, from lists that have the words of `start` first: months, weekdays…"""
    listed = [file.get(key, ()) for file in language_files().values()]
    return {
        word: start + place
        for place in range(max(map(len, listed)))
        for groups in listed
        for word in groups[place : place + 1] and groups[place]
    }
