"""What words mean: cues, things of the field and function words, from resources/vocabulary.toml.

The words for a kind of chart stand where the kind is declared (`core.chart_kinds`).

The plant's own words from the data folder come before the shipped ones (`own_words`).

A lemma is what is compared: '#count' for a cue, 'shift' for a thing known in both languages, a stem
for any other word, '' for a word that only joins others.
"""

import logging
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from qhub_desktop.core.chart_kinds import chart_kinds
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import Language
from qhub_desktop.nlq.tokenizer import BLANK, Word, near, stem, tokenize
from qhub_desktop.nlq.user_lexicon import Declared, UserLexicon, own_file, read_own_words

_LANGUAGES: tuple[Language, ...] = ("pt", "en")
_SHORTEST_SLIP = 5  # shorter words are one letter from too many others
_STOP = frozenset(["", "#noise"])
_NAMES_AT_HAND = 4096  # of columns and values, whose lemmas need not be looked for again
_log = logging.getLogger(__name__)

Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """Some words of a question that mean one thing."""

    words: tuple[Word, ...]
    lemma: str

    @property
    def text(self) -> str:
        """As it was written."""
        return " ".join(word.text for word in self.words)

    @property
    def is_cue(self) -> bool:
        """Whether it says what is wanted, not what it is wanted of."""
        return self.lemma.startswith("#")

    @property
    def is_empty(self) -> bool:
        """Whether it only joins others."""
        return self.lemma in _STOP


_State = tuple[str, int, int] | None  # of the plant's own file: where, when, how long
_READ: list[tuple[_State, "Lexicon"]] = []  # the one in use, where anything was asked yet


class Lexicon:
    """The words of both languages; `own` ones, where there are any, come first."""

    def __init__(self, declared: Declared, own: Declared | None = None) -> None:
        own = own or {}
        self.numbers: dict[str, int] = declared["number"]
        self.vague: frozenset[str] = frozenset(declared["vague"]["fields"])
        self.amounts: frozenset[str] = frozenset(
            [*declared["amounts"]["fields"], *own.get("amounts", {}).get("fields", ())]
        )
        self.similar: dict[str, list[str]] = {
            name: [*own.get("similar", {}).get(name, ()), *declared["similar"].get(name, ())]
            for name in {**declared["similar"], **own.get("similar", {})}
        }
        self.things: frozenset[str] = frozenset({*declared["field"], *own.get("field", {})})
        self._meanings: dict[Language, dict[Phrase, str]] = {"pt": {}, "en": {}}
        self._named: dict[Phrase, str] = {}  # what things are called, for columns and values
        self._longest = 1
        for words in (own, declared):
            self._declare(words)
        self._function: dict[str, frozenset[str]] = {
            language: frozenset(said) for language, said in declared["function"].items()
        }
        self._joining = self._function["pt"] | self._function["en"] | {"é", "à", BLANK}
        self._known = frozenset(
            word for meanings in self._meanings.values() for phrase in meanings for word in phrase
        )

        self.lemmas = lru_cache(_NAMES_AT_HAND)(self._lemmas)

    def _declare(self, words: Declared) -> None:
        """Take in what has no meaning yet."""
        for kind, mark in (("cue", "#"), ("field", "")):
            for concept, said in words.get(kind, {}).items():
                for language in _LANGUAGES:
                    for phrase in said.get(language, ()):
                        self._add(language, phrase, mark + concept)
                        if not mark:
                            key = tuple(stem(word) for word in phrase.split())
                            self._named.setdefault(key, concept)

    def _add(self, language: Language, phrase: str, lemma: str) -> None:
        key = tuple(stem(word) for word in phrase.split())
        self._meanings[language].setdefault(key, lemma)
        self._longest = max(self._longest, len(key))

    def language(self, words: Sequence[Word]) -> Language | None:
        """Which language this is in; `None` if nothing tells."""
        score = sum(self._leaning(word) for word in words)
        return None if score == 0 else "pt" if score > 0 else "en"

    def tokens(
        self, words: Sequence[Word], language: Language, *, known: frozenset[str] = frozenset()
    ) -> tuple[Token, ...]:
        """A question's words with their meanings, the longest phrases first.

        Words that nobody knows are taken for slips of the vocabulary's or of the `known` ones.
        """
        stems = [self._stem(word, known) for word in words]
        return tuple(self._split(words, stems, language))

    def _lemmas(self, text: str) -> Phrase:
        """A column's name or a value as it is compared."""
        words = tokenize(text)
        return tuple(
            token.lemma
            for token in self._split(
                words, [stem(word.plain) for word in words], "pt", is_name=True
            )
            if token.lemma
        )

    def _split(
        self,
        words: Sequence[Word],
        stems: Sequence[str],
        language: Language,
        *,
        is_name: bool = False,
    ) -> Iterator[Token]:
        other: Language = "en" if language == "pt" else "pt"
        order: tuple[dict[Phrase, str], ...] = (self._meanings[language], self._meanings[other])
        if is_name:  # 'QTD' over a column is a quantity, in a question it asks how many
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
        for length in range(min(self._longest, len(stems) - place), 0, -1):
            key = tuple(stems[place : place + length])
            for meanings in order:
                if key in meanings:
                    return length, meanings[key]
        return 1, ""

    def _alone(self, word: Word, stemmed: str, *, is_first: bool) -> str:
        # 'linha A' names a line, though 'a' joins words.
        is_letter = len(word.text) == 1 and word.text.isupper() and word.text != "I"
        if word.text == "OF":  # an order of production; in English it joins words
            return "order"
        if word.is_quoted or (is_letter and not is_first):
            return stemmed
        return "" if word.plain in self._joining else stemmed

    def _stem(self, word: Word, known: frozenset[str]) -> str:
        stemmed = stem(word.plain)
        if (
            len(stemmed) < _SHORTEST_SLIP - 1
            or not stemmed.isalpha()
            or stemmed in self._known
            or stemmed in known
            or word.plain in self._joining
        ):
            return stemmed
        if len(stemmed) < _SHORTEST_SLIP:  # 'trno' has lost a letter, 'caro' is not 'carro'
            longer = frozenset(each for each in self._known if len(each) == _SHORTEST_SLIP)
            return near(stemmed, longer) or stemmed
        return near(stemmed, known) or self._slip_of_ours(word, stemmed) or stemmed

    def _slip_of_ours(self, word: Word, stemmed: str) -> str | None:
        # 'Marta' is somebody, not a slip of 'manta'.
        if word.text[:1].isupper() and not word.text.isupper():
            return None
        return near(stemmed, self._known)

    def _leaning(self, word: Word) -> int:
        """Above zero for Portuguese, below for English."""
        if word.plain != word.text.lower():
            return 2  # an accent
        stemmed = stem(word.plain)
        in_pt = word.plain in self._function["pt"] or (stemmed,) in self._meanings["pt"]
        in_en = word.plain in self._function["en"] or (stemmed,) in self._meanings["en"]
        return int(in_pt) - int(in_en)


def vocabulary() -> Lexicon:
    """The words as they were last read."""
    return _READ[-1][1] if _READ else renew()


def renew() -> Lexicon:
    """The words, read again if the plant's own file is another than it was; for each question."""
    file = own_file()
    state = _state(file)
    if not _READ or _READ[-1][0] != state:
        own = read_own_words(file, shipped()) if state else UserLexicon(is_there=False)
        if own.complaints:
            count = len(own.complaints)
            _log.warning("Own vocabulary, left out: %d. `qhub vocabulary --check` tells.", count)
        _READ[:] = [(state, Lexicon(shipped(), own.declared))]
    return _READ[-1][1]


@cache
def shipped() -> Declared:
    """The shipped words as they are declared."""
    declared = tomllib.loads((RESOURCES / "vocabulary.toml").read_text(encoding="utf-8"))
    for kind in chart_kinds():
        words = {language: said.split(", ") for language, said in kind.words.items()}
        declared["cue"][f"kind_{kind.name}"] = words
    return declared


def _state(file: Path) -> _State:
    try:
        found = file.stat()
    except OSError:
        return None
    return str(file), found.st_mtime_ns, found.st_size
