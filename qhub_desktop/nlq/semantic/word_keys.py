"""Keys of words: what a word of a question is compared by with the words of a table."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from qhub_desktop.nlq.domain_lexicon import domain_lexicon, is_cut_off
from qhub_desktop.nlq.lexicon import Lexicon, in_full, words_by_role
from qhub_desktop.nlq.tokenizer import (
    Word,
    cognate,
    root,
    stem,
    tokenize,
    without_unit,
)

MONEY = frozenset(
    ["value", "money", "revenue", "sale", "cost", "expense", "income", "amount", "payment"]
)
DOCUMENTS = frozenset(["order", "invoice", "ticket"])  # of which a table has many
SHORTEST_SLIP = 5  # letters of a word that may be mistyped


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
        if word.normalized.endswith("ns"):  # of an English word: 'tons', 'vans'
            singular = domain.concepts_at((word.normalized[:-1],), 0)
            concepts.update(concept for concept, _ in singular)
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


def keys_of_header(
    name: str, lexicon: Lexicon, *, is_of_few: bool
) -> tuple[tuple[Word, ...], list[WordKeys]]:
    """Return the words of a column's name without its unit, and their keys.

    `is_of_few` tells that each of the column's values is that of many rows.
    """
    words = tokenize(in_full(without_unit(name), "shortened_in_headers"))
    named = words or tokenize(f"x {name}")
    made = [
        _as_written(keys, name, word, is_of_few=is_of_few)
        for keys, word in zip(keys_of(named, lexicon), named, strict=True)
    ]
    return words, made


def _as_written(keys: WordKeys, name: str, word: Word, *, is_of_few: bool) -> WordKeys:
    """Return what a word of a column's name means where it is cut off, and of few values."""
    concepts, is_cut = keys.concepts, is_cut_off(name, word.text)
    if is_cut and not concepts:
        concepts = frozenset(domain_lexicon().concepts_begun(keys.text))
    if is_of_few and domain_lexicon().abbreviated(keys.text):
        concepts = concepts - DOCUMENTS or concepts  # 'Op.' is rather who did it than an order
    return replace(keys, concepts=concepts, is_cut=is_cut)


def spelled_out(headers: Sequence[tuple[WordKeys, ...]]) -> list[tuple[WordKeys, ...]]:
    """Return the words of headers, those cut off with the meaning that they have in another.

    'Const.' means what 'constatação' does, where one table has both.
    """
    full = {keys.text: keys for words in headers for keys in words if not keys.is_cut}
    made = []
    for words in headers:
        meant = [
            [each.concepts for text, each in full.items() if _is_left_of(keys.text, text)]
            for keys in words
        ]
        made.append(
            tuple(
                replace(keys, concepts=frozenset().union(*own))
                if keys.is_cut and not keys.concepts
                else keys
                for keys, own in zip(words, meant, strict=True)
            )
        )
    return made


def _is_left_of(cut: str, text: str) -> bool:
    return len(cut) > 2 and len(text) > len(cut) + 1 and text.startswith(cut)


def is_subsequence(short: str, long: str) -> bool:
    """Return whether the letters of one word stand in another in their order."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def ending_with(*roles: str) -> str:
    """Return a pattern of the endings in some roles, the longest first."""
    endings = {ending for role in roles for ending in words_by_role(role)}
    return "|".join(sorted(endings, key=lambda each: (-len(each), each)))


def takes_in_values(
    valued: Mapping[str, Sequence[tuple[str, str]]], concept: str, lexicon: Lexicon
) -> bool:
    """Return whether an amount is one of several values: 'consumo', of water and of gas.

    `valued` are columns and their values by what these mean.
    """
    alike = [
        {column for column, _ in valued.get(near, ())} for near in lexicon.similar.get(concept, ())
    ]
    held = Counter(column for each in alike for column in each)
    return domain_lexicon().kind(concept) == "amount" and any(n > 1 for n in held.values())


INFINITIVE = re.compile(rf"[a-z]{{2,}}(?:{ending_with('infinitive_ending')})")
CONJUGATION = f"(?:{ending_with('conjugation')})"
_NEUTRAL_VERB = re.compile(f"(?:{ending_with('neutral_verb')}){CONJUGATION}")


def is_neutral_verb(normalized: str) -> bool:
    """Return whether a word only says that something is there or happened: 'fizeram', 'took'."""
    return _NEUTRAL_VERB.fullmatch(normalized) is not None


def asks_amount(words: Sequence[Word]) -> bool:
    """Return whether a question asks how much of something, not how many rows: 'quanto pesa'."""
    said = f" {' '.join(word.normalized for word in words)} "
    return any(f" {each} " in said for each in words_by_role("how_much"))
