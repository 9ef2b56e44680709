"""Verbs of questions that belong to no trade: what they say of rows, in every form.

An activity is what rows do or what is done in them, and selects none: 'quantas caixas montámos?'. A
state is what became of a row, and selects those that it became of: 'quantas voltaram?'. Infinitives
and irregular forms stand in `resources/lexicon_questions.toml`, with the endings of each class; a
form is led back to its infinitive, so that nothing is conjugated beforehand.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal

from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import WordTables, read_word_tables
from qhub_desktop.core.values import dataclass

QUESTIONS_FILE = RESOURCES / "lexicon_questions.toml"
_SHORTEST_VERB_ROOT = 2
_LONGEST_FORM = 24  # letters
_NO_ENDING = "-"

# How certainly a form is one of a verb: a `bare` one may be a noun, as 'visita' and 'loads'.
FormKind = Literal["finite", "participle", "infinitive", "bare"]
Role = Literal["activity", "outcome"]


@dataclass(frozen=True, slots=True)
class VerbForm:
    """A form of a verb; an `outcome` is an activity that may also be what became of a row."""

    infinitive: str
    kind: FormKind
    role: Role


class Verbs:
    """The verbs of all languages by their forms, and states with their opposites."""

    def __init__(self, declared: WordTables) -> None:
        self._spelled: tuple[tuple[str, str], ...] = tuple(
            (one, other)
            for one, _, other in (
                each.partition(" ") for each in declared["verb"]["spelling"]["changes"]
            )
        )
        # By an ending those that the infinitive has instead.
        self._endings: dict[str, list[tuple[str, FormKind]]] = {}
        for of_class in declared["ending"].values():
            suffix = of_class["suffix"]
            for kind in ("finite", "participle", "infinitive", "bare"):
                for each in of_class.get(kind, ()):
                    text = "" if each == _NO_ENDING else each
                    self._endings.setdefault(text, []).append((suffix, kind))
        self._longest = max(map(len, self._endings))
        self._roles: dict[str, Role] = {}
        self._states: dict[str, tuple[str, ...]] = {}
        self._irregular: dict[str, str] = {}
        for role in ("activity", "outcome"):
            for infinitive in self._declare(_said(declared["verb"][role])):
                self._roles[infinitive] = role
        for state in declared["state"].values():
            for infinitive in self._declare(_said(state)):
                known = self._states.get(infinitive, ())
                self._states[infinitive] = (*known, *state["concepts"])
        self._qualities = frozenset(_said(declared["verb"]["quality"]))
        self.opposites = _opposites(declared["opposite"]["states"]["pairs"])
        self.denying: tuple[str, ...] = tuple(declared["opposite"]["states"]["prefixes"])
        self.form = lru_cache(4096)(self._form)
        self.states = lru_cache(8192)(self._states_of)

    def _declare(self, verbs: Iterable[str]) -> Iterator[str]:
        for verb in verbs:
            infinitive, *irregular = verb.split()
            self._irregular.update(dict.fromkeys(irregular, infinitive))
            yield infinitive

    def _form(self, word: str) -> VerbForm | None:
        """Return the form of an activity that a normalized word is, None if it is none.

        What is also a state is no activity, and what says how something is: 'pesada'.
        """
        if word in self._qualities:
            return None
        found = [
            VerbForm(infinitive, kind, self._roles[infinitive])
            for infinitive, kind in self._infinitives(word)
            if infinitive in self._roles and infinitive not in self._states
        ]
        return next((each for each in found if each.kind != "bare"), found[0] if found else None)

    def _states_of(self, word: str) -> tuple[str, ...]:
        """Return the concepts of what became of a row that a normalized word says it of.

        Forms that may be nouns say none.
        """
        found = (
            concept
            for infinitive, kind in self._infinitives(word)
            if kind != "bare"
            for concept in self._states.get(infinitive, ())
        )
        return tuple(dict.fromkeys(found))

    def _infinitives(self, word: str) -> Iterator[tuple[str, FormKind]]:
        if not word.isalpha() or len(word) > _LONGEST_FORM:
            return
        if word in self._irregular:
            yield self._irregular[word], "participle" if word[-1] in "osadn" else "finite"
        for length in range(min(self._longest, len(word) - _SHORTEST_VERB_ROOT) + 1):
            left = word[: len(word) - length]
            for suffix, kind in self._endings.get(word[len(word) - length :], ()):
                for root in self._roots(left):
                    yield root + suffix, kind

    def _roots(self, left: str) -> Iterator[str]:
        """Yield what a root may be spelled as before other endings: 'carregu', 'shipp'."""
        yield left
        for here, before in self._spelled:
            if left.endswith(here):
                yield left.removesuffix(here) + before
        if len(left) > _SHORTEST_VERB_ROOT and left[-1] == left[-2]:
            yield left[:-1]


def _said(by_language: Mapping[str, Any]) -> Iterator[str]:
    for language, verbs in by_language.items():
        if language != "concepts":
            yield from verbs


def _opposites(pairs: Iterable[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {state: frozenset(others) for state, others in found.items()}


@cache
def question_words() -> WordTables:
    """Return the words of questions that belong to no trade, as their file has them."""
    return read_word_tables(QUESTIONS_FILE.read_text(encoding="utf-8"))


@cache
def verbs() -> Verbs:
    """Return the verbs, read when they are first asked for."""
    return Verbs(question_words())
