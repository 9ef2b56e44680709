"""Word keys: the forms by which words of a question and of a table are compared.

Names of columns and values are taken apart into their words. One that says little of what a column
is weighs less than the others, as its unit does, 'Nº', or what all values begin with.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.text import word_table, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import (
    NUMBERED_BY,
    ROWS_PER_CODE,
    limiting_words,
    priced_unit,
    shared_first_words,
    words_beside,
)
from qhub_desktop.nlq.domain_lexicon import domain_lexicon, is_cut_off
from qhub_desktop.nlq.lexicon import Lexicon, in_full, words_by_role
from qhub_desktop.nlq.query_ast import Value
from qhub_desktop.nlq.tokenizer import (
    Word,
    cognate,
    root,
    stem,
    tokenize,
    unit,
    unit_behind,
    without_unit,
)

if TYPE_CHECKING:
    from qhub_desktop.nlq.schema_index import SchemaIndex

MONEY = frozenset(
    ["value", "money", "revenue", "sale", "cost", "expense", "income", "amount", "payment"]
)
# What a quantity counts.
PIECES = frozenset(["part", "unit", "quantity", "box", "pallet", "container", "bottle", "bag"])
DOCUMENTS = frozenset(["order", "invoice", "ticket"])  # of which a table has many
SHORTEST_SLIP = 5  # letters of a word that may be mistyped
_GENERIC_WEIGHT = 0.35
_PEOPLE = words_by_role("people")
_GENERIC = frozenset(["#count", "#total", "number", "n", "code", "name", "quantity", "value", "id"])
_LONGEST_VALUE = 6  # words of a value that is a name, not a sentence
_MOST_VALUES = 400  # values of a column that are compared word by word
_TELLING = frozenset(word_table("shortened_in_headers").values())
_GRAIN_WORDS = frozenset(
    stem(word) for key in ("days", "hours") for word in words_of("files", key) if len(word) > 1
)
_EDGES = frozenset(words_of("files", "edges"))  # 'EspMín', beside 'EspMéd'
_QUALIFYING = frozenset(["net", "gross"])  # of a weight or an amount
DENIALS = words_by_role("denial")
LASTING_VERBS = tuple(words_by_role("lasting_verb"))


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
    is_slip: bool = False  # one slip of the finger away from a word that has the derived meanings

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


def keys_of(words: Sequence[Word], lexicon: Lexicon, *, in_header: bool = False) -> list[WordKeys]:
    """Return the keys of each word, its meanings among them.

    In a sentence a capital makes a name, which is no slip of a word: 'Marta', of 'manta'.
    """
    domain = domain_lexicon()
    stems = [stem(word.normalized) for word in words]
    made = []
    for place, (word, stemmed) in enumerate(zip(words, stems, strict=True)):
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
        is_name = word.text[:1].isupper() and not word.text.isupper() and place and not in_header
        may_slip = len(stemmed) >= SHORTEST_SLIP and stemmed.isalpha() and not is_name
        is_slip = may_slip and not concepts and not derived
        if is_slip:
            derived = frozenset(domain.concepts_mistyped(word.normalized))
        made.append(
            WordKeys(
                word.normalized,
                stemmed,
                inflected(stemmed),
                root(word.normalized),
                frozenset(concepts),
                derived,
                cognate(word.normalized),
                is_slip=is_slip and bool(derived),
            )
        )
    return made


def keys_of_header(
    name: str, lexicon: Lexicon, *, is_of_few: bool
) -> tuple[tuple[Word, ...], list[WordKeys]]:
    """Return the words of a column's name without its unit, and their keys.

    `is_of_few` tells that each of the column's values is that of many rows.
    """
    said = f"{without_unit(name)} {unit_behind(name)}"
    words = tokenize(in_full(said, "shortened_in_headers"))
    named = words or tokenize(f"x {name}")
    made = [
        _as_written(keys, name, word, is_of_few=is_of_few)
        for keys, word in zip(keys_of(named, lexicon, in_header=True), named, strict=True)
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


@dataclass(frozen=True, slots=True)
class Name:
    """A column's or a value's name, taken apart."""

    column: str
    value: Value | None
    words: tuple[WordKeys, ...]
    weights: tuple[float, ...]
    concepts: frozenset[str]  # of the whole, or of several of its words together
    called: frozenset[str] = frozenset()  # of all its words: 'Forma pag.'
    is_number: bool = False
    measured: str = ""  # the concept of a column's unit
    priced: str = ""  # the concept of that of which a column tells the price
    beside: frozenset[str] = frozenset()  # concepts of words that only say of what kind it is
    initials: str = ""  # of several words
    is_named: bool = False  # its cells are what things are called by
    limiting: frozenset[int] = frozenset()  # words that say that it only limits something


def column_name(column: ColumnProfile, index: "SchemaIndex", lexicon: Lexicon) -> Name:
    """Return a column's name, taken apart."""
    is_of_few = column.distinct * ROWS_PER_CODE <= index.profile.rows
    words, keys = keys_of_header(column.name, lexicon, is_of_few=is_of_few)
    joining = lexicon.joining
    letters = {word.normalized for word in words if len(word.text) == 1 and word.text.isupper()}
    telling = _TELLING | letters  # 'Pressão bomba A'
    kept = [each for each in keys if each.text not in joining or each.text in telling] or keys
    is_number = index.is_number(column.name)
    behind, priced = unit(column.name), priced_unit(column.name)
    if not behind and is_number and not priced:
        behind = _unit_behind(kept)
    is_alone = is_number and _stands_alone(column, index)
    generic = 0.1 if index.is_identity(column.name) else _GENERIC_WEIGHT  # 'callId'
    weights = [
        generic
        if each.concepts & _GENERIC
        or (each.concepts & _QUALIFYING and is_alone)
        or (each.text in NUMBERED_BY and len(kept) > 1 and len(kept[-1].text) <= 3)
        or each.text.isdigit()
        or len(each.text) == 1
        or (place and each.text in _EDGES)
        or (each.text == behind and each is kept[-1] and len(kept) > 1)
        or (each.text in _PEOPLE and len(kept) > 1)
        else 0.1
        if place and each.text == each.stemmed and each.text in _GRAIN_WORDS  # 'Obj. dia'
        else _GENERIC_WEIGHT
        if not place and len(kept) > 1 and is_number and each.stemmed in _GRAIN_WORDS  # 'Dias até'
        else 1.0
        for place, each in enumerate(kept)
    ]
    concepts = set(domain_lexicon().concepts_of_name(column.name))
    concepts.update(index.lemmas.get(column.name, ()))
    if len(keys) == 1 and keys[0].concepts:
        concepts -= DOCUMENTS - keys[0].concepts
    if column.name in index.concepts.get("product", ()) and "product" not in concepts:
        kept = [replace(each, concepts=each.concepts | {"product"}) for each in kept]
    measured = domain_lexicon().concept_of_unit(behind)
    role = index.roles.get(column.name, "name")
    concepts.discard(measured)
    return Name(
        column.name,
        None,
        tuple(kept),
        tuple(weights),
        frozenset(concepts),
        called=frozenset(domain_lexicon().concepts_of_words([each.stemmed for each in keys])),
        is_number=is_number,
        measured=measured,
        priced=priced,
        beside=words_beside(column, role),
        initials="".join(each.text[0] for each in keys) if len(keys) > 2 else "",
        is_named=role in ("name", "id", "code"),
        limiting=limiting_words([each.text for each in kept])
        if index.is_measure(column.name)
        else frozenset(),
    )


def _stands_alone(column: ColumnProfile, index: "SchemaIndex") -> bool:
    """Return whether no other column of numbers tells what this one does: 'LtsNetos', of one."""
    own = {*domain_lexicon().concepts_of_name(column.name)} - _QUALIFYING
    others = (each.name for each in index.profile.columns if each is not column)
    return all(
        own.isdisjoint(domain_lexicon().concepts_of_name(each))
        for each in others
        if index.is_number(each)
    )


def _unit_behind(words: Sequence[WordKeys]) -> str:
    """Return the unit that the last of several words is: 'kg', of 'Peso kg'; '' if it is none."""
    last, measured = words[-1], domain_lexicon().concept_of_unit(words[-1].text)
    is_unit = len(words) > 1 and len(last.text) > 1 and measured and not last.concepts - {measured}
    return last.text if is_unit else ""


def value_names(column: ColumnProfile, lexicon: Lexicon) -> Iterable[Name]:
    """Yield the names that are values of a column, taken apart."""
    if column.type not in ("category", "text"):
        return
    known = column.known if column.type == "category" else [value for value, _ in column.top]
    texts = [value for value in [*known][:_MOST_VALUES] if isinstance(value, str)]
    shared = shared_first_words(texts)
    for value in texts:
        words = tokenize(in_full(value, "shortened"))  # 's/ baixa'
        if not 0 < len(words) <= _LONGEST_VALUE:
            continue
        stems = [stem(word.normalized) for word in words]
        keys = tuple(
            WordKeys(said, each, inflected(each), (each, False), frozenset(), cognate=cognate(said))
            for said, each in zip([word.normalized for word in words], stems, strict=True)
        )
        joining = lexicon.joining
        weights = tuple(
            0.5
            if each.text.isdigit()
            else 0.15
            if each.text in joining
            and len(words) > 1
            and each.text not in DENIALS
            and not (word.text.isupper() and (len(word.text) == 1 or words[-1].text.isdigit()))
            else 0.15
            if place == 0 and each.text in shared and len(words) > 1
            else 1.0
            for place, (each, word) in enumerate(zip(keys, words, strict=True))
        )
        yield Name(column.name, value, keys, weights, frozenset())


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
    """Return whether the values of a column are kinds of an amount: 'consumo', of water and gas.

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
