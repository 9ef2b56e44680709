"""The domain lexicon: words of the trades by concept, over all languages at once.

It links a word of a question to a column or a value in another language: 'custo' to 'Kosten EUR',
'sucata' to 'Ausschuss'. The words stand in `resources/lexicon_domain.toml`; those that the files of
the languages list as fields belong to the concepts of the same names, too.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Literal

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import (
    WordTables,
    kept_tables,
    lexicons,
    read_word_tables,
    words_of,
)
from qhub_desktop.nlq.tokenizer import (
    normalize,
    one_edit_away,
    root,
    stem,
    tokenize,
    transposed,
    unit,
    without_points,
    without_unit,
)
from qhub_desktop.nlq.verbs import verbs

DOMAIN_FILE = RESOURCES / "lexicon_domain.toml"
LANGUAGES = ("pt", "en", "de", "es")
Kind = Literal["", "amount", "level", "id"]
_QUALIFIED = re.compile(r"(?:^|_)(?:of|in|on|per)(?:_|$)|^$")  # 'unit_of_measure' is a unit
_INFLECTING = ("de", "es")  # whose plurals and cases the stems leave
_ENDINGS = ("e", "n", "en", "er", "ern", "es")
_TRANSCRIBED = (("ae", "a"), ("oe", "o"), ("ue", "u"))  # umlauts, where there are none
_COMPOUNDING = "de"
_LINKS = ("", "s", "n", "en", "es")  # between the parts of a compound
_SHORTEST = 3  # letters that an ending may leave
_SHORTEST_PART = 4  # letters of a part of a compound; of its beginning, one less
GLUED_NUMBERINGS = tuple(words_of("files", "numbered_by_glued"))
SHORTEST_CUT = 4  # letters of a word that is cut off
_MOST_BEGUN = 2  # concepts that a word may begin
_LONGEST_COMPOUND = 100  # letters of one; splitting takes the square of their number
_CACHED_WORDS = 4096
_CACHED_COLUMN_NAMES = 4096  # of columns, each asked for several times in a question
_CACHED_NAME_PHRASES = 8192  # asked for at each word of a question, for each column

_BETWEEN = " "  # the stems of a phrase, as it is kept

Phrase = tuple[str, ...]


class _Stems(dict[str, str]):
    """Stems by word, each worked out once."""

    def __missing__(self, word: str) -> str:
        self[word] = stemmed = stem.__wrapped__(word)  # keeps the cache for words of questions
        return stemmed


class DomainLexicon:
    """Concepts by their words, by the abbreviations of headers and by units."""

    def __init__(self, prepared: WordTables) -> None:
        """Take the words as they were prepared (`prepare`)."""
        self._joining = frozenset(prepared["joining"])
        self._beginnings = frozenset(prepared["beginnings"])
        self._codes: list[tuple[str, dict[str, str]]] = prepared["codes"]
        self._kinds: dict[str, Kind] = prepared["kinds"]
        self._phrases: dict[Phrase, list[str]] = {
            tuple(phrase.split(_BETWEEN)): concepts
            for phrase, concepts in prepared["phrases"].items()
        }
        self._roots: dict[str, list[str]] = prepared["roots"]
        self.abbreviations: Mapping[str, str] = prepared["abbreviations"]
        self._also: Mapping[str, list[str]] = prepared["also"]
        self.units: Mapping[str, str] = prepared["units"]
        self._longest: int = prepared["longest"]
        self._inflecting = frozenset(prepared["inflecting"])
        self._compounding = frozenset(prepared["compounding"])
        self._known = lru_cache(_CACHED_WORDS)(self._find_word)
        self._named = lru_cache(_CACHED_COLUMN_NAMES)(self._concepts_of_name)
        self._begun_by = lru_cache(_CACHED_NAME_PHRASES)(self._concepts_of_stems)

    def concepts_mistyped(self, word: str) -> tuple[str, ...]:
        """Return the concepts of the word that is one slip of the finger away, if there is one.

        What became of a row is said by any form of a verb, in which two letters may have changed
        places: 'rejetiadas'.
        """
        near = one_edit_away(stem(word), self._words)
        if near is not None:
            return tuple(self._phrases.get((near,), ()))
        forms = (stem(each) for each in transposed(word))
        return next((found for each in forms if (found := _states(each))), ())

    def derived_from(self, own: str) -> tuple[str, ...]:
        """Return the concepts that have a word of a root: 'cri' is that of 'criado por'."""
        return tuple(self._roots.get(own, ()))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(chain.from_iterable(self._phrases))

    def concepts_begun(self, said: str) -> tuple[str, ...]:
        """Return the concepts of the words that a cut off one begins: 'especialid', 'passag'.

        None of one that is too short, or that begins words of many.
        """
        if len(said) < SHORTEST_CUT or not said.isalpha():
            return ()
        found: dict[str, None] = {}
        for place in range(bisect_left(self._alphabet, said), len(self._alphabet)):
            word = self._alphabet[place]
            if not word.startswith(said):
                break
            found.update(dict.fromkeys(self._phrases[(word,)]))
        return tuple(found) if len(found) <= _MOST_BEGUN else ()

    @cached_property
    def _alphabet(self) -> list[str]:
        return sorted(phrase[0] for phrase in self._phrases if len(phrase) == 1)

    def abbreviated(self, word: str) -> tuple[str, ...]:
        """Return the concepts that a word abbreviates, the usual one first."""
        usual = self.abbreviations.get(word)
        return (*(() if usual is None else (usual,)), *self._also.get(word, ()))

    def _measured_so(self, short: tuple[str, ...], name: str) -> tuple[str, ...]:
        """Return of what a word abbreviates what is measured in a name's unit: no money in kg."""
        if self.concept_of_unit(unit(name)) in _UNPAID_UNITS:
            return tuple(each for each in short if each not in _SPENT_AS) or short
        return short

    @property
    def concepts(self) -> frozenset[str]:
        """The names of all concepts that are declared."""
        return frozenset(self._kinds)

    def concepts_at(self, stems: Sequence[str], place: int) -> tuple[tuple[str, int], ...]:
        """Return the concepts named from `place` on with the number of stems, the longest first.

        Articles and genitives inside a phrase count, but make no difference. A compound that is no
        word of a concept has those of its parts, its last part's first.
        """
        return self._begun_by(tuple(stems[place:]))

    def _concepts_of_stems(self, stems: Phrase) -> tuple[tuple[str, int], ...]:
        found: list[tuple[str, int]] = []
        key: Phrase = ()
        for length, each in enumerate(stems, 1):
            if each in self._joining:
                if not key:
                    break
                continue
            key = (*key, self._known(each))
            if len(key) > self._longest:
                break
            found.extend((concept, length) for concept in self._phrases.get(key, ()))
        if not found and key:
            said = stems[0]
            found = [(concept, 1) for concept in _states(said) or self._compound_concepts(said)]
        return tuple(sorted(found, key=lambda each: -each[1]))

    def concepts_of_name(self, name: str) -> tuple[str, ...]:
        """Return the concepts that the name of a column names, abbreviations and its unit included.

        What they are special ones of comes last: 'Materialkosten' are of material, and a cost.
        """
        return self._named(name)

    def concepts_of_words(self, stems: Sequence[str]) -> Iterator[str]:
        """Yield the concepts that several words name together, not those of a part of them."""
        named = self.concepts_at(stems, 0)
        return (concept for concept, length in named if length == len(stems) > 1)

    def _concepts_of_name(self, name: str) -> tuple[str, ...]:
        words = tokenize(without_unit(name))
        stems = [stem(word.normalized) for word in words]
        found: dict[str, None] = {}  # keeps the order
        place = 0
        while place < len(stems):
            named = self.concepts_at(stems, place)
            longest = named[0][1] if named else 1
            found.update(dict.fromkeys(each for each, length in named if length == longest))
            word = words[place].normalized
            is_last_unit = place == len(words) - 1 and not name.rstrip().endswith(".")
            short = self._measured_so(self.abbreviated(word), name)
            if not (short or named) and (len(word) > 1 or is_last_unit):
                measured = self.concept_of_unit(word)
                short = (measured,) if measured else ()
            if short and longest == 1:
                found.update(dict.fromkeys(short))
            elif not named and is_cut_off(name, words[place].text):
                found.update(dict.fromkeys(self.concepts_begun(word)))
            place += longest
        found.update((each, None) for each in self._composed(tuple(found)))
        if measured := self.concept_of_unit(unit(name)):
            found[measured] = None
        found.update((wider, None) for each in tuple(found) if (wider := self.broader(each)))
        return tuple(found)

    def _composed(self, found: Sequence[str]) -> Iterator[str]:
        """Yield the concepts that two make together: 'Tp. Mov.' is a type of movement."""
        for first in found:
            for second in found:
                if first != second and (both := f"{first}_{second}") in self._kinds:
                    yield both

    def broader(self, concept: str) -> str:
        """Return the concept that another is a special one of, '' if none.

        It is the last word of the name: 'unit_price' is a price, 'start_date' a date.
        """
        rest, _, last = concept.rpartition("_")
        return last if last in self._kinds and not _QUALIFIED.search(rest) else ""

    def kind(self, concept: str) -> Kind:
        """Return how numbers of a concept are put together; '' where that is not known."""
        return self._kinds.get(concept, "")

    def concept_of_unit(self, said: str) -> str:
        """Return the concept that a unit tells, '' if none: 'kg' and '[kg]' are a weight."""
        return self.units.get(normalize(said.strip("[]() .")), "")

    def concepts_of_codes(self, meant: Collection[str], codes: Collection[str]) -> dict[str, str]:
        """Return what letters stand for in a column of some concepts: of 'M' and 'F', males.

        The list that has the most of them tells; one that has less than half of them does not.
        """
        lists = [known for concept, known in self._codes if concept in meant]
        found: dict[str, str] = {}
        for known in lists:
            told = {code: known[code.lower()] for code in codes if code.lower() in known}
            if len(told) > len(found) and 2 * len(told) >= len(codes):
                found = told
        return found

    def _find_word(self, said: str) -> str:
        """Return a word that is known: as it is said, or without an ending."""
        if not said.isalpha() or (said,) in self._phrases:
            return said
        if said[-1] in "ao" and len(said) > _SHORTEST_PART:  # 'concluida', of 'concluido'
            other = said[:-1] + ("o" if said[-1] == "a" else "a")
            if (other,) in self._phrases:
                return other
        if said in self._words:
            return said
        if said[-1] == "m" and (own := f"{said[:-1]}n") in self._words:
            return own  # 'wins', whose stem is a Portuguese one
        return next((each for each in _variants(said) if each in self._inflecting), said)

    def is_compound(self, said: str) -> bool:
        """Return whether a stem is no word of a concept, but may be made of several."""
        return (self._known(said),) not in self._phrases and not _states(said)

    def _compound_concepts(self, said: str) -> list[str]:
        if len(said) > _LONGEST_COMPOUND:
            return []
        for ending in GLUED_NUMBERINGS:  # 'Rechnungsnr'
            first = said.removesuffix(ending)
            if first == said or len(first) < _SHORTEST:
                continue
            for link in _LINKS:
                key = (self._known(stem(first.removesuffix(link))),)
                if first.endswith(link) and key in self._phrases:
                    return [*self._phrases[key], "number"]
        parts = self._parts(stem(said.replace("ß", "ss")))
        return [concept for part in reversed(parts) for concept in self._phrases.get((part,), ())]

    def _parts(self, said: str) -> list[str]:
        """Split a compound into the words it is made of, [] if it is none."""
        for at in range(_SHORTEST_PART - 1, len(said) - _SHORTEST_PART + 1):
            last = self._compound_part(said[at:])
            if not last:
                continue
            for link in _LINKS:
                first = said[:at].removesuffix(link)
                if (first != said[:at]) != bool(link) or len(first) < _SHORTEST_PART - 1:
                    continue
                if part := self._compound_part(first):
                    return [part, last]
                if stem(first) in self._beginnings:
                    return [last]
                if before := self._parts(first):
                    return [*before, last]
        return []

    def _compound_part(self, said: str) -> str:
        candidates = (said, stem(said), *_variants(said))
        return next((each for each in candidates if each in self._compounding), "")


def prepare(declared: WordTables, fields: Iterable[WordTables] = ()) -> WordTables:
    """Return the words as a lexicon looks them up, which takes 100 ms for all of them."""
    joining = frozenset(declared.get("joining", ()))
    found: dict[Phrase, list[str]] = {}
    stems = _Stems()
    for by_concept in fields:
        for concept, phrases in by_concept.items():
            _add(found, concept, _keys(phrases, joining, stems))
    keys: dict[str, set[Phrase]] = {language: set() for language in _INFLECTING}
    abbreviations: dict[str, str] = {}
    also: dict[str, list[str]] = {}
    units: dict[str, str] = {}
    for concept, said in declared["concept"].items():
        for language in LANGUAGES:
            added = _keys(said.get(language, ()), joining, stems)
            _add(found, concept, added)
            if language in keys:
                keys[language].update(added)
        abbreviations.update(dict.fromkeys(said.get("short", ()), concept))
        also.update((each, [*also.get(each, ()), concept]) for each in said.get("also", ()))
        units.update((normalize(each), concept) for each in said.get("unit", ()))
    return {
        "joining": sorted(joining),
        "beginnings": [stem(each) for each in declared.get("compound", ())],
        "codes": [_code_list(line) for line in declared.get("codes", ())],
        "kinds": {name: said.get("kind", "") for name, said in declared["concept"].items()},
        "phrases": {_BETWEEN.join(key): concepts for key, concepts in found.items()},
        "roots": _roots(found),
        "abbreviations": abbreviations,
        "also": also,
        "units": units,
        "longest": max(map(len, found)),
        "inflecting": sorted({*chain.from_iterable(chain.from_iterable(keys.values()))}),
        "compounding": sorted(key[0] for key in keys[_COMPOUNDING] if len(key) == 1),
    }


def _keys(
    phrases: Iterable[str], joining: Collection[str], stems: Mapping[str, str]
) -> list[Phrase]:
    return [
        tuple(stems[word] for word in phrase.split() if word not in joining)
        if " " in phrase
        else (stems[phrase],)
        for phrase in phrases
    ]


def _add(found: dict[Phrase, list[str]], concept: str, keys: Iterable[Phrase]) -> None:
    for key in keys:
        known = found.get(key)
        if known is None:
            found[key] = [concept]
        elif concept not in known:
            known.append(concept)


def _roots(phrases: Mapping[Phrase, Sequence[str]]) -> dict[str, list[str]]:
    """Return the concepts that have a word of a root, by the root."""
    by_first: dict[str, dict[str, None]] = {}  # keeps the order
    for phrase, concepts in phrases.items():
        by_first.setdefault(phrase[0], {}).update(dict.fromkeys(concepts))
    found: dict[str, dict[str, None]] = {}
    for first, meant in by_first.items():
        own, has_ending = root(first)
        if has_ending:
            found.setdefault(own, {}).update(meant)
    return {own: [*meant] for own, meant in found.items()}


def is_cut_off(name: str, word: str) -> bool:
    """Return whether a word of a column's name is written as one that is cut off: 'Especialid.'."""
    return f"{word}." in name


def _states(said: str) -> tuple[str, ...]:
    """Return the states that a stem is a verb's form of; the stem of 'perdemos' is 'perdemo'."""
    return verbs().states(said) or (verbs().states(f"{said}s") if said.endswith("mo") else ())


def _code_list(line: str) -> tuple[str, dict[str, str]]:
    """Read a line of codes: the concept of their column, then each code with its own."""
    concept, *rest = line.split()
    return concept, dict(zip(rest[::2], rest[1::2], strict=True))


def _variants(said: str) -> Iterator[str]:
    """Yield what a stem may be without an ending, and without umlauts that are written out."""
    for spelled in dict.fromkeys((said, said.replace("ß", "ss"), _without_transcription(said))):
        if spelled != said:
            yield stem(spelled)
        for ending in _ENDINGS:
            left = spelled.removesuffix(ending)
            if left != spelled and len(left) >= _SHORTEST:
                yield left
                yield stem(left)


def _without_transcription(said: str) -> str:
    for written, letter in _TRANSCRIBED:
        said = said.replace(written, letter)
    return said


def domain_words() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the words of the trades by concept, then by language, as the file has them."""
    declared = read_word_tables(DOMAIN_FILE.read_text(encoding="utf-8"))
    words: Mapping[str, Mapping[str, Sequence[str]]] = declared["concept"]
    return words


@cache
def domain_lexicon() -> DomainLexicon:
    """Return the domain lexicon, read when it is first asked for."""
    source = DOMAIN_FILE.read_bytes()

    def prepared() -> WordTables:
        fields = [file.get("field", {}) for file in lexicons().values()]
        return prepare(read_word_tables(source.decode("utf-8")), fields)

    spoken = [each.read_bytes() for each in sorted((RESOURCES / "lexicon").glob("*.toml"))]
    makers = [__name__, tokenize.__module__, read_word_tables.__module__]
    return DomainLexicon(kept_tables(DOMAIN_FILE, [source, *spoken], prepared, modules=makers))


# What only goods have.
_OF_GOODS = frozenset(
    [
        "stock",
        "price",
        "unit_price",
        "barcode",
        "batch",
        "expiry",
        "supplier",
        "unit_cost",
        "safety_stock",
    ]
)
_SPENT_AS, _UNPAID_UNITS = frozenset(["expense", "cost"]), frozenset(["volume", "weight", "energy"])
_OF_TRADE = frozenset(["unit_price", "price", "quantity", "discount", "product", "currency"])
_CALENDAR = frozenset(["minute", "hour", "day", "week", "month", "quarter", "year"])
_MOST_DISTINCT = 50  # columns with more values are not found by what a value means


def written_out(name: str, lemmas: Phrase) -> Phrase:
    """Replace abbreviations in a name that is glued or dotted: 'CenCusto', 'Dt.Lanç.'."""
    if len(lemmas) < 2 or (" " in name.strip() and "." not in name):
        return lemmas
    short = domain_lexicon().abbreviations
    return tuple(short.get(lemma, lemma) if len(lemma) > 2 else lemma for lemma in lemmas)


def meant_by(column: ColumnProfile, profile: DatasetProfile) -> tuple[str, ...]:
    """Return the concepts that a column's name names.

    A value of goods is an amount of money, and what describes many rows of goods is the product.
    """
    if len(column.name.strip()) < 2:
        return ()
    meant = domain_lexicon().concepts_of_name(column.name)
    if "value" in meant and is_numeric(column.type):
        names = [each.name for each in profile.columns if each is not column]
        others = {concept for name in names for concept in domain_lexicon().concepts_of_name(name)}
        return (*meant, "amount") if others & _OF_TRADE else meant
    if meant == ("description",) and column.type == "category":
        others = {
            concept
            for each in profile.columns
            for concept in domain_lexicon().concepts_of_name(each.name)
        }
        is_shared = 2 * column.distinct <= profile.rows
        return (
            ("product",) if is_shared and others & _OF_GOODS and "product" not in others else meant
        )
    return meant


def columns_by_concept(
    meant: Mapping[str, tuple[str, ...]], profile: DatasetProfile
) -> dict[str, tuple[str, ...]]:
    """Return the columns by concept; of several those that name the least else."""
    found: dict[str, list[str]] = {}
    for name in sorted(meant, key=lambda name: len(meant[name])):
        column = profile.column(name)
        is_number = column is not None and is_numeric(column.type)
        for concept in meant[name]:
            is_measured = domain_lexicon().kind(concept) in ("amount", "level")
            if (is_number or not is_measured) and name not in found.setdefault(concept, []):
                found[concept].append(name)
    return {
        concept: tuple(name for name in names if len(meant[name]) == len(meant[names[0]]))
        for concept, names in found.items()
        if names
    }


def values_by_concept(profile: DatasetProfile) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the values of small columns by the concept that each names or is a code of."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for column in profile.columns:
        if column.type != "category" or column.distinct > _MOST_DISTINCT:
            continue
        texts = [text for text in column.known if isinstance(text, str)]
        own = domain_lexicon().concepts_of_name(column.name)
        codes = domain_lexicon().concepts_of_codes(own, texts)
        for value in texts:
            plain = without_points(value)  # 'n.i.O.'
            stems = [stem(word.normalized) for word in tokenize(plain)]
            if len(stems) > 1 and stems[0].isdigit():
                stems = stems[1:]  # '1-Alta'
            named = domain_lexicon().concepts_at(stems, 0) if stems else ()
            meant = {concept: None for concept, length in named if length == len(stems)}
            if len(stems) == 1 and domain_lexicon().is_compound(stems[0]):
                meant = dict.fromkeys(tuple(meant)[:1])  # 'Mengenfehler' are faults
            if value.isupper() and len(stems) == 1:
                meant = {each: None for each in meant if each not in _CALENDAR}  # 'MES', a system
            short = domain_lexicon().abbreviations.get(normalize(plain)) if not meant else None
            own_code = codes.get(value)
            meant.update((each, None) for each in (own_code, short) if each is not None)
            for concept in meant:
                found[concept] = (*found.get(concept, ()), (column.name, value))
    return found
