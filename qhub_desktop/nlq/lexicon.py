"""The lexicon: meanings of words, from the files of the languages and the user's own file.

Every language is a file in `resources/lexicon/`. To add one, add a file; with a catalogue under
`resources/translations/` it is answered in, too, else the answer is in English. Code asks for words
by their role and never by a language. The user's words (`user_lexicon`) take precedence; the words
for a kind of chart stand where the kind is declared (`core.figure`).

A lemma is what is compared: '#count' for a cue, 'shift' for a field known in every language, a stem
for any other word, '' for a function word.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.figure import chart_kinds
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import Language, WordTables, lexicons, read_tables, word_table
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.domain_lexicon import Phrase, domain_lexicon, domain_words
from qhub_desktop.nlq.tokenizer import (
    BLANK,
    Word,
    fold_words,
    normalize,
    one_edit_away,
    stem,
    tokenize,
)
from qhub_desktop.nlq.user_lexicon import (
    UserLexicon,
    read_user_lexicon,
    user_lexicon_file,
)
from qhub_desktop.nlq.verbs import question_words

_SHORTEST_TYPO = 5  # letters; shorter words are one edit away from too many others
_STOP = frozenset(["", "#noise"])
_CACHED_LEMMAS = 4096  # columns and values whose lemmas are cached
_CACHED_MEANINGS = 4096  # of a question, whose meanings are asked for at each column
MOST_NAME_WORDS = 6  # words of a name; longer values are sentences
MOST_SHARED = 6  # values with a word in common, among very many, that can be asked back
MOST_DISTINCT = 50  # of columns with more values, only words of a few of them are a part
_MOST_READ = 200  # values that have a word in common
_SHORT_VALUE = 3  # words of a value, and figures of a number that rather counts something
_LONGEST_CODE = 12
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Token:
    """Words of a question that have one meaning."""

    words: tuple[Word, ...]
    lemma: str

    @property
    def text(self) -> str:
        """The words as they were written."""
        return " ".join(word.text for word in self.words)

    @property
    def is_cue(self) -> bool:
        """Whether it is a cue: a word for what is wanted, not for a part of the data."""
        return self.lemma.startswith("#")

    @property
    def is_empty(self) -> bool:
        """Whether it is a function word without a meaning of its own."""
        return self.lemma in _STOP


_State = (
    tuple[str, int, int] | None
)  # of the user's file: path, modification time in ns, size in bytes
_READ: list[tuple[_State, "Lexicon"]] = []  # the current one, empty before the first question


class Lexicon:
    """Words of all languages with their meanings; `own` words take precedence."""

    def __init__(self, declared: WordTables, own: WordTables | None = None) -> None:
        own = own or {}
        self._things = [declared["field"], own.get("field", {})]
        self.numbers: dict[str, int] = word_table("number")
        self.vague: frozenset[str] = frozenset(declared["vague"]["fields"])
        self.amounts: frozenset[str] = frozenset(
            [*declared["amounts"]["fields"], *own.get("amounts", {}).get("fields", ())]
        )
        self.gains: frozenset[str] = frozenset(declared["gains"]["fields"])
        self.neutral: frozenset[str] = frozenset(declared["gains"]["neutral"])
        self.levels: frozenset[str] = frozenset(declared["levels"]["fields"])
        self.places: tuple[str, ...] = tuple(declared["places"]["fields"])
        self.rows: frozenset[str] = frozenset(declared["rows"]["fields"])
        self.similar: dict[str, list[str]] = {
            name: [*own.get("similar", {}).get(name, ()), *declared["similar"].get(name, ())]
            for name in {**declared["similar"], **own.get("similar", {})}
        }
        self.things: frozenset[str] = frozenset({*declared["field"], *own.get("field", {})})
        files = lexicons()
        self._meanings: dict[Language, dict[Phrase, str]] = {language: {} for language in files}
        self._accented = [name for name, file in files.items() if file.get("has_accents")]
        self._named: dict[Phrase, str] = {}  # fields only, for names of columns and values
        self._longest = 1
        for words in (own, declared):
            self._declare(words)
        self._function: dict[str, frozenset[str]] = {
            language: frozenset(file.get("function", ())) for language, file in files.items()
        }
        self._joining = words_by_role("joining").union(*self._function.values(), {BLANK})
        self._known = frozenset(
            word for meanings in self._meanings.values() for phrase in meanings for word in phrase
        )
        self._short = frozenset(each for each in self._known if len(each) == _SHORTEST_TYPO)
        self._telling = frozenset(  # no slip is read as a word that means nothing
            word
            for meanings in self._meanings.values()
            for phrase, meaning in meanings.items()
            for word in phrase
            if meaning != "#noise"
        )

        self.lemmas = lru_cache(_CACHED_LEMMAS)(self._lemmas)
        self.field_meanings = lru_cache(_CACHED_MEANINGS)(self._field_meanings)

    def words_by_concept(self, languages: Collection[Language]) -> dict[str, list[str]]:
        """Return the words and phrases of each thing by what it is, as `synonyms` does."""
        groups = dict[str, list[str]]()
        for things in (*self._things, domain_words()):
            for concept, said in things.items():
                found = (phrase for language in languages for phrase in said.get(language, ()))
                groups.setdefault(concept, []).extend(found)
        return groups

    def synonyms(self, languages: Collection[Language]) -> list[list[str]]:
        """Return the words and phrases of each thing, those of the trades and the person's too."""
        groups = self.words_by_concept(languages)
        types = (lexicons("defects")[language].get("defects", {}) for language in languages)
        return [*groups.values(), *(words for each in types for words in each["types"].values())]

    def _declare(self, words: WordTables) -> None:
        """Add the meanings of words that have none yet."""
        for kind, mark in (("cue", "#"), ("field", "")):
            for concept, said in words.get(kind, {}).items():
                for language in self._meanings:
                    for phrase in said.get(language, ()):
                        self._add(language, phrase, mark + concept)
                        if not mark:
                            key = tuple(stem(word) for word in phrase.split())
                            self._named.setdefault(key, concept)

    def _add(self, language: Language, phrase: str, lemma: str) -> None:
        key = tuple(stem(word) for word in phrase.split())
        self._meanings[language].setdefault(key, lemma)
        self._longest = max(self._longest, len(key))

    @property
    def joining(self) -> frozenset[str]:
        """The function words of all languages."""
        return self._joining

    def _field_meanings(self, key: Phrase) -> tuple[str, ...]:
        """Return the fields that some stems are words of, in any language."""
        found = (meanings.get(key, "#") for meanings in self._meanings.values())
        return tuple(dict.fromkeys(each for each in found if not each.startswith("#")))

    def cues_at(
        self, stems: Sequence[str], place: int, language: Language
    ) -> Iterator[tuple[str, int, bool]]:
        """Yield the cues named from `place` on: each with its length, and if it is of `language`.

        Every length is yielded, not only the longest.
        """
        for length in range(min(self._longest, len(stems) - place), 0, -1):
            key = tuple(stems[place : place + length])
            seen: set[str] = set()
            for name, meanings in sorted(
                self._meanings.items(), key=lambda each: each[0] != language
            ):
                meaning = meanings.get(key, "")
                if meaning.startswith("#") and meaning not in seen:
                    seen.add(meaning)
                    yield meaning, length, name == language

    def language(self, words: Sequence[Word]) -> Language | None:
        """Detect the language of some words; None if nothing tells."""
        scores = dict.fromkeys(self._meanings, 0)
        for word in words:
            for language in self._languages_of(word):
                scores[language] += 2 if _has_accent(word) else 1
        best = max(scores.values())
        found = [language for language, score in scores.items() if score == best]
        return found[0] if len(found) == 1 else None

    def tokens(
        self, words: Sequence[Word], language: Language, *, known: frozenset[str] = frozenset()
    ) -> tuple[Token, ...]:
        """Split a question into tokens, the longest phrases first.

        Unknown words are taken for typing errors of the lexicon's or of the `known` ones.
        """
        return tuple(self._split(words, self.stems(words, known), language))

    def stems(self, words: Sequence[Word], known: frozenset[str]) -> list[str]:
        """Return the stem of each word, slips of the finger mended."""
        return [self._stem(word, known) for word in words]

    def _lemmas(self, text: str) -> Phrase:
        """Return the lemmas of a column's name or a value."""
        words = tokenize(text)
        return tuple(
            token.lemma
            for token in self._split(words, [stem(word.normalized) for word in words], is_name=True)
            if token.lemma
        )

    def _split(
        self,
        words: Sequence[Word],
        stems: Sequence[str],
        language: Language = "",
        *,
        is_name: bool = False,
    ) -> Iterator[Token]:
        first = [self._meanings[language]] if language in self._meanings else []
        others = [each for name, each in self._meanings.items() if name != language]
        order: tuple[dict[Phrase, str], ...] = (*first, *others)
        if is_name:  # 'QTD' is a quantity as a column, and 'how many' in a question
            order = (self._named, *order)
        place = 0
        while place < len(words):
            length, lemma = self._longest_phrase(stems, place, order)
            if not lemma:
                is_first = place == 0 and not is_name
                lemma = self._alone(words[place], stems[place], is_first=is_first)
            yield Token(tuple(words[place : place + length]), lemma)
            place += length

    def _longest_phrase(
        self, stems: Sequence[str], place: int, order: Sequence[dict[Phrase, str]]
    ) -> tuple[int, str]:
        if stems[place] not in self._known:  # as most words of values
            return 1, ""
        for length in range(min(self._longest, len(stems) - place), 0, -1):
            key = tuple(stems[place : place + length])
            for meanings in order:
                if key in meanings:
                    return length, meanings[key]
        return 1, ""

    def _alone(self, word: Word, stemmed: str, *, is_first: bool) -> str:
        # A capital letter is a code, though 'a' is a function word: 'linha A'.
        is_letter = len(word.text) == 1 and word.text.isupper() and word.text != "I"
        if word.text in words_by_role("order_code"):  # 'OF', in English a function word
            return "order"
        if word.is_quoted or (is_letter and not is_first):
            return stemmed
        return "" if word.normalized in self._joining else stemmed

    def _stem(self, word: Word, known: frozenset[str]) -> str:
        stemmed = stem(word.normalized)
        if (
            len(stemmed) < _SHORTEST_TYPO - 1
            or not stemmed.isalpha()
            or stemmed in self._known
            or stemmed in known
            or word.normalized in self._joining
        ):
            return stemmed
        is_word = bool(domain_lexicon().concepts_at((stemmed,), 0))
        if len(stemmed) < _SHORTEST_TYPO:  # 'trno' is a typing error, 'caro' is none of 'carro'
            return (None if is_word else one_edit_away(stemmed, self._short)) or stemmed
        if (near := one_edit_away(stemmed, known)) is not None:
            return near
        return (None if is_word else self._known_typo(word, stemmed)) or stemmed

    def _known_typo(self, word: Word, stemmed: str) -> str | None:
        # A capital makes it a name: 'Marta' is no typing error of 'manta'.
        if word.text[:1].isupper() and not word.text.isupper():
            return None
        return one_edit_away(stemmed, self._telling)

    def _languages_of(self, word: Word) -> Iterator[Language]:
        """Yield the languages that a word is evidence of."""
        if _has_accent(word):
            yield from self._accented
            return
        stemmed = (stem(word.normalized),)
        for language, meanings in self._meanings.items():
            if word.normalized in self._function[language] or stemmed in meanings:
                yield language


def current_lexicon() -> Lexicon:
    """Return the lexicon as it was last loaded."""
    return _READ[-1][1] if _READ else reload_lexicon()


def tokens_in(text: str, language: Language) -> tuple[Token, ...]:
    """Split a text into tokens over no data set, the longest phrases first."""
    return _tokens_in(text, language, current_lexicon())


@lru_cache(maxsize=1024)  # the parts of a sentence are asked for several things
def _tokens_in(text: str, language: Language, lexicon: Lexicon) -> tuple[Token, ...]:
    return lexicon.tokens(tokenize(text), language)


def cues_in(text: str, language: Language) -> frozenset[str]:
    """Return the meanings of the words of a text, over no data set."""
    return frozenset(token.lemma for token in tokens_in(text, language))


def reload_lexicon() -> Lexicon:
    """Return the lexicon, loaded again if the user's file has changed; called for each question."""
    file = user_lexicon_file()
    state = _state(file)
    if not _READ or _READ[-1][0] != state:
        own = read_user_lexicon(file, shipped_words()) if state else UserLexicon(is_there=False)
        if own.problems:
            count = len(own.problems)
            _log.warning("Own vocabulary, left out: %d. `qhub vocabulary --check` tells.", count)
        _READ[:] = [(state, Lexicon(shipped_words(), own.declared))]
    return _READ[-1][1]


def _has_accent(word: Word) -> bool:
    return word.normalized != word.text.lower()


def _state(file: Path) -> _State:
    try:
        found = file.stat()
    except OSError:
        return None
    return str(file), found.st_mtime_ns, found.st_size


@cache
def shipped_words() -> WordTables:
    """Return the words of all languages by meaning, and how the meanings relate.

    In the shape of the user's file: `cue` and `field` by concept, then by language.
    """
    declared = read_tables(RESOURCES / "concepts.toml")
    for kind in ("cue", "field"):
        by_concept: WordTables = declared.setdefault(kind, {})
        for language, file in lexicons().items():
            for concept, phrases in file.get(kind, {}).items():
                by_concept.setdefault(concept, {})[language] = phrases
    noise = declared["cue"]["noise"]
    for language, phrases in question_words()["filler"]["phrases"].items():
        noise[language] = [*noise[language], *phrases]
    for chart in chart_kinds():
        # A chart declares its own words; a language's file may add others.
        by_language = declared["cue"].setdefault(f"kind_{chart.name}", {})
        for language, said in chart.words.items():
            shown = declared["cue"]["chart"].get(language, ())
            by_language.setdefault(language, [*_with_prepositions(said.split(", "), shown)])
    return declared


def _with_prepositions(phrases: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Yield phrases for a kind of chart, and with what stands before the word for any chart: 'num
    grafico de area', where 'num grafico' is one.
    """
    for phrase in phrases:
        yield phrase
        first, _blank, rest = phrase.partition(" ")
        if rest:
            yield from (f"{each} {rest}" for each in shown if each.endswith(f" {first}"))


@cache
def words_by_role(role: str) -> frozenset[str]:
    """Return the function words of all languages in one role: 'to', 'or', 'unit'…"""
    return frozenset(
        word for file in lexicons().values() for word in file.get("words", {}).get(role, ())
    )


def in_full(text: str, table: str, *, but_in: str = "") -> str:
    """Return a text with its short words in full: 'c/ defeito' is 'com defeito'.

    `table` has the words; one that stands in `but_in`, in small letters, is left as it is.
    """
    for short, word in word_table(table).items():
        if short not in but_in:
            pattern = rf"(?<!\w){re.escape(short)}\s*(?=\w)"
            text = re.sub(pattern, f"{word} ", text, flags=re.IGNORECASE)
    return text


def ordinal_table(key: str, *, start: int, with_ambiguous: bool = False) -> dict[str, int]:
    """Number words of the calendar by their place in a list, from `start`: months, weekdays…

    Those that mean something else, too, are left out unless asked for.
    """
    calendars = [file.get("calendar", {}) for file in lexicons().values()]
    listed = [calendar.get(key, ()) for calendar in calendars]
    ambiguous = {word for calendar in calendars for word in calendar.get(f"ambiguous_{key}", ())}
    left_out = set() if with_ambiguous else ambiguous
    return {
        word: start + place
        for place in range(max(map(len, listed)))
        for groups in listed
        for word in groups[place : place + 1] and groups[place]
        if word not in left_out
    }


def role_pattern(table: str, *roles: str) -> str:
    """Return a pattern of all languages' words in some roles of a table; longer ones come first."""
    tables = [file.get(table, {}) for file in lexicons().values()]
    words = {word for role in roles for words in tables for word in words.get(role, ())}
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})"  # without words, nothing fits


def table_roles(table: str) -> tuple[str, ...]:
    """Return the roles of a table, in any language."""
    return tuple(
        dict.fromkeys(role for file in lexicons().values() for role in file.get(table, {}))
    )


def date_patterns(meaning: str) -> tuple[str, ...]:
    """Return every language's regular expression of a date expression: 'last_week', 'relative'…"""
    dates = (file.get("dates", {}) for file in lexicons().values())
    return tuple(patterns[meaning] for patterns in dates if meaning in patterns)


# Names of values: of few values all their words, of hundreds those that a question has.


def named_texts(column: ColumnProfile) -> Iterator[str]:
    """Yield the texts of a column whose words mean one of them, whatever else they mean.

    Of a category those are all; of names or notes, which may be any words, the most frequent.
    """
    known = column.known if column.type == "category" else [value for value, _ in column.top]
    return (value for value in known if isinstance(value, str))


class RareNames:
    """The texts of columns that have too many for the index, read once a question has their words.

    Among hundreds of notes there are 'defeito', 'por turno' and '12', which in a question ask for
    something else: a name has a word that means nothing else.
    """

    def __init__(self, profile: DatasetProfile, parts: frozenset[str]) -> None:
        self._parts = parts  # words of the columns' names
        self._words = current_lexicon()
        self._names: list[tuple[str, str]] = []  # column, value
        self._repeated: set[str] = set()  # columns whose values are names of what rows are about
        self._frequent: set[tuple[str, str]] = set()
        self._with: defaultdict[str, list[int]] = defaultdict(list)  # by the start of each word
        self._said: set[str] = set()
        self._read: set[int] = set()
        self._phrases: dict[Phrase, tuple[tuple[str, str], ...]] = {}
        for column in profile.columns:
            if column.type != "text" or not column.values:
                continue
            if 2 * column.distinct <= profile.rows:
                self._repeated.add(column.name)
            self._frequent.update((column.name, value) for value in named_texts(column))
            for number, said in enumerate(fold_words(column.values), start=len(self._names)):
                glued = "".join(said)
                for start in {_start(word) for word in (*said, glued)}:
                    self._with[start].append(number)
                self._said.update(said)
            self._names += [(column.name, value) for value in column.values]

    def known(self, words: Sequence[Word]) -> frozenset[str]:
        """Return the stems of words that some name has, so that they are no typing errors."""
        return frozenset(
            stem(word.normalized)
            for word, said in zip(words, fold_words([word.text for word in words]), strict=True)
            if not self._said.isdisjoint(said)
        )

    def phrases(self, tokens: Sequence[Token]) -> Mapping[Phrase, tuple[tuple[str, str], ...]]:
        """Return the names by their lemmas, with those that some words of a question may name."""
        if self._with:
            found = [self._having(token) for token in tokens]
            for place, here in enumerate(found):
                # Of a thousand beginning with 'Cliente', those that have another word said, too.
                others = found[:place] + found[place + 1 :] if len(here) > _MOST_READ else [here]
                for each in sorted(here.intersection(set().union(*others)))[:_MOST_READ]:
                    self._learn(each)
        return self._phrases

    def with_word(self, token: Token) -> tuple[tuple[str, str], ...]:
        """Return the few names that contain a word: 'Lda' is part of too many."""
        found = self._having(token)
        if not _is_name(token.lemma, self._words) or len(found) > _MOST_READ:
            return ()
        names = [self._names[each] for each in sorted(found)]
        held = tuple(
            (column, value)
            for column, value in names
            if column in self._repeated and token.lemma in _lemmas_in(value, self._words)
        )
        return held if len(held) <= MOST_SHARED else ()

    def _having(self, token: Token) -> set[int]:
        """Return the names that may have a word of a token, in the plural or not."""
        starts = {_start(word) for said in fold_words([token.text, token.lemma]) for word in said}
        return set().union(*(self._with.get(start, ()) for start in starts))

    def _learn(self, number: int) -> None:
        if number in self._read:
            return
        column, value = self._names[number]
        self._read.add(number)
        phrase = self._words.lemmas(value)
        is_number = len(value) <= _SHORT_VALUE and value.isdigit()
        is_name = any(_is_name(lemma, self._words) and lemma not in self._parts for lemma in phrase)
        if is_name and not is_number and (column, value) not in self._frequent:
            for each in value_phrases(value, phrase, is_shift=False):
                self._phrases[each] = (*self._phrases.get(each, ()), (column, value))


def _start(word: str) -> str:
    """Return the beginning of a word, which its plural has too; of a code, all."""
    return word[:4] if word.isalpha() else word


def _is_name(lemma: str, words: Lexicon) -> bool:
    return not lemma.startswith("#") and lemma not in words.things


def boolean_phrases(phrase: Phrase) -> Iterator[tuple[Phrase, bool]]:
    """Yield the phrases of a yes/no column: its name, and the opposite of that."""
    opposite = {"passed": "failed", "ok": "nok", "failed": "passed"}
    for lemma in phrase:
        if lemma in opposite:
            yield (lemma,), True
            yield (opposite[lemma],), False


def value_parts_of(profile: DatasetProfile) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the values of small columns by each word in them.

    'PP' is part of 'PP_Negro' and of 'PP_Vermelho'.
    """
    words = current_lexicon()
    parts: dict[str, tuple[tuple[str, str], ...]] = {}
    for column in profile.columns:
        if column.type == "category" and column.distinct <= MOST_DISTINCT:
            for value in named_texts(column):
                for lemma in _lemmas_in(value, words):
                    parts[lemma] = (*parts.get(lemma, ()), (column.name, value))
    return parts


def _lemmas_in(value: str, words: Lexicon) -> set[str]:
    """Return the words of a short value that may stand for it."""
    phrase = [lemma for word in tokenize(value) for lemma in words.lemmas(word.text)]
    return {
        lemma
        for lemma in (phrase if 1 < len(phrase) <= _SHORT_VALUE else ())
        if not lemma.startswith("#") and not lemma.isdigit() and len(lemma) > 1
    }


def value_phrases(value: str, phrase: Phrase, *, is_shift: bool) -> Iterator[Phrase]:
    """Yield the phrases of lemmas that name a value."""
    letters = word_table("shift_letter") if is_shift else {}
    glued = re.sub(r"[\W_]+", "", normalize(value))
    if len(phrase) > 1 and len(glued) <= _LONGEST_CODE and any(each.isdigit() for each in glued):
        yield (glued,)  # 'pint01' is PINT-01
    if value.lower() in letters:
        yield (letters[value.lower()],)
    if 0 < len(phrase) <= MOST_NAME_WORDS and not (len(value) == 1 and value.isdigit()):
        yield phrase
        # Both orders of two words: 'black PP' is 'PP_Negro'.
        if len(phrase) == 2:
            yield phrase[::-1]


def concepts_at(tokens: Sequence[Token], place: int) -> tuple[tuple[str, int], ...]:
    """Return the concepts named from a token on, each with the number of tokens."""
    if place >= len(tokens) or tokens[place].is_cue:
        return ()
    if len(tokens[place].words) > 1:
        return ((tokens[place].lemma, 1),)
    stems: list[str] = []
    for token in tokens[place : place + MOST_NAME_WORDS]:
        if token.is_cue or len(token.words) > 1:
            break
        stems.append(stem(token.words[0].normalized))
    domain = domain_lexicon()
    found = domain.concepts_at(stems, 0)
    if not found and (concept := domain.abbreviations.get(tokens[place].words[0].normalized)):
        return ((concept, 1),)
    return found
