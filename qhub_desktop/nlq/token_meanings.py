"""Meanings of single words: relations, grains of time, days of the week, numbers, verbs.

With them stands what words of questions, columns and values are compared by, and what a noun is of
which columns tell.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.core.text import words_of
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import Lexicon, Token, current_lexicon, words_by_role
from qhub_desktop.nlq.query_ast import Grain, Relation
from qhub_desktop.nlq.tokenizer import (
    Word,
    cognate,
    normalize,
    parse_number,
    root,
    stem,
    tokenize,
    without_unit,
)

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

VERB = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('verb_ending'))})")
RELATIONS: dict[str, Relation] = {
    "#above": "above",
    "#at_least": "at least",
    "#below": "below",
    "#at_most": "at most",
    "#equal": "is",
    "#reaches": "at least",
}
FINITE = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('finite_ending'))})")
_ORDINAL = re.compile(rf"(\d{{1,3}})(?:{'|'.join(words_by_role('ordinal_ending'))})")
GRAINS: dict[str, Grain] = {
    "#grain_hour": "hour",
    "#grain_day": "day",
    "#grain_weekday": "weekday",
    "#grain_week": "week",
    "#grain_month": "month",
    "#grain_quarter": "quarter",
    "#grain_year": "year",
}
_ALIKE = 0.6  # from where on a word is rather a value that is spelled like it
# What says that a column tells the type, the state or the number of something.
_SAYING_KIND = frozenset(["type", "number", "id", "code", "category", "status"])
SHORTEST_SLIP = 5  # letters of a word that may be mistyped
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY_NUMBERS: dict[str, tuple[int, ...]] = {
    name: (day,) for day, name in enumerate(WEEKDAYS, start=1)
}
WEEKDAY_NUMBERS |= {"weekend": (6, 7), "workday": (1, 2, 3, 4, 5)}


def number_of(token: Token) -> float | None:
    """Return the number that a token spells."""
    text = token.words[0].normalized
    if text in current_lexicon().numbers:
        return current_lexicon().numbers[text]
    ordinal = _ORDINAL.fullmatch(text)
    return float(ordinal[1]) if ordinal else parse_number(text)


@dataclass(frozen=True, slots=True)
class WordKeys:
    """What a word is compared by."""

    text: str  # without case and accents
    stemmed: str
    inflected: str  # gender and number apart
    root: tuple[str, bool]
    concepts: frozenset[str]
    derived: frozenset[str] = frozenset()  # meanings of words of one root: 'fechar', 'fechado'
    cognate: str = ""  # what it shares with the same word in other languages
    is_cut: bool = False  # written with a point behind what is left of it

    @property
    def english(self) -> tuple[str, ...]:
        """The word as an English verb is conjugated."""
        return f"{self.text}ed", f"{self.text}ing", f"{self.text}d"


@lru_cache(maxsize=8192)
def inflected(stemmed: str) -> str:
    """Return a stem without the vowel by which gender is told: 'aberta' and 'aberto' are equal."""
    if len(stemmed) > 4 and stemmed.isalpha():
        return stemmed.rstrip("aeo") or stemmed
    return stemmed


def keys_of(words: Sequence[Word], lexicon: Lexicon) -> list[WordKeys]:
    """Return the keys of each word, its meanings among them."""
    domain = domain_lexicon()
    stems = [stem(word.normalized) for word in words]
    made = []
    for word, stemmed in zip(words, stems, strict=True):
        concepts = {concept for concept, _ in domain.concepts_at((stemmed,), 0)}
        if not concepts and stemmed[-1:] in ("a", "o") and len(stemmed) > 4:
            other = stemmed[:-1] + ("o" if stemmed[-1] == "a" else "a")
            concepts = {concept for concept, _ in domain.concepts_at((other,), 0)}
            concepts.update(lexicon.field_meanings((other,)))
        concepts.update(domain.abbreviated(word.normalized))
        concepts.update(lexicon.field_meanings((stemmed,)))
        derived = frozenset(domain.derived_from(root(word.normalized)[0])) - concepts
        if not concepts and not derived and len(stemmed) >= SHORTEST_SLIP and stemmed.isalpha():
            derived = frozenset(domain.concepts_mistyped(stemmed))
        made.append(
            WordKeys(
                word.normalized,
                stemmed,
                inflected(stemmed),
                root(word.normalized),
                frozenset(concepts),
                derived,
                cognate(word.normalized),
            )
        )
    return made


@lru_cache(maxsize=64)
def _things_told(index: "SchemaIndex") -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """Return by concept the words of names that say what has a type or a number: 'Tipo Hab.'.

    Then the concepts that have a name or a number of their own: these are not what rows are.
    """
    found: dict[str, tuple[str, ...]] = {}
    own: set[str] = set()
    for column in index.profile.columns:
        words = [word.normalized for word in tokenize(without_unit(column.name))]
        meant = {word: {*domain_lexicon().concepts_of_name(word)} for word in words}
        for word in words:
            beside = {each for other in words if other != word for each in meant[other]}
            numbered = any(other in words_of("files", "number_of") for other in words)
            if not _SAYING_KIND & beside or numbered:
                own |= meant[word]
            for concept in meant[word] - _SAYING_KIND if _SAYING_KIND & beside or numbered else ():
                found[concept] = (*found.get(concept, ()), word)
    return found, frozenset(own)


def rows_have_type(index: "SchemaIndex", meant: Collection[str]) -> bool:
    """Return whether a word is that of which a column tells the type, and no other anything."""
    told, own = _things_told(index)
    return bool({*meant} & told.keys() - own)


def is_rather_thing(
    index: "SchemaIndex", said: str, meant: Collection[str], values: Collection[object]
) -> bool:
    """Return whether a noun is what a column tells the type or number of, rather than a value.

    'Quartos' are what 'Tipo Hab.' tells of, and no suites; 'limpos' are rather 'Limpia' than
    what 'Tipo Limpieza' tells of.
    """
    told = {word for concept in meant for word in _things_told(index)[0].get(concept, ())}
    likeness = _likeness(said, [normalize(str(value)) for value in values])
    return bool(told) and (likeness <= _ALIKE or likeness <= _likeness(said, told))


def _likeness(said: str, words: Collection[str]) -> float:
    return max((SequenceMatcher(None, stem(said), stem(each)).ratio() for each in words), default=0)
