"""Questions to documents, taken apart: words, things, labels, and the kind of amount asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from qhub_desktop.core.text import Language, fold, lexicons, stop_words, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.lexicon import Lexicon, current_lexicon

ASKED_BEFORE = 2  # words of a question that stand before what it asks for, with 'a que'
LEAST_LETTERS = 3  # of a word that is compared
_ASKED_TERM = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+|[.,;:?!]|(?<=\w)-(?=\w)")
# An amount as it is written, without the number of an item or of a code.
_WRITTEN = r"(?<![\w.,/-])\d+(?:[.,\s]\d+)*"
_ITEM = re.compile(r"^\s*\d{1,3}[.)]\s", re.MULTILINE)
_PREFIX = "re"  # 'arrancar' and 'rearranque', 'start' and 'restart'
_LEAST_AFTER_PREFIX = 5


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word of a question, told in any form or by one of those that mean the same."""

    own: str
    same: frozenset[str] = frozenset()

    def is_told(self, told: frozenset[str]) -> bool:
        """Return whether it is among words."""
        if self.same & told or self.own in told:
            return True
        return any(is_like(self.own, word) for word in told - stop_words())  # 'para' of 'parar'


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """What a question asks for: its words, of these the things that it is about, its codes.

    `labels` are numbers that tell which thing is meant: 'zona 3', 'E2', '2077'. `amount` is what
    an answer to a question for an amount has in it, `cause` has words of an answer to one for a
    cause.
    """

    question: str
    words: tuple[AskedWord, ...]
    things: tuple[AskedWord, ...]
    subjects: tuple[AskedWord, ...]  # of these, without what is asked for
    codes: tuple[re.Pattern[str], ...]
    labels: tuple[re.Pattern[str], ...] = ()
    cause: AskedWord | None = None
    amount: re.Pattern[str] | None = None
    has_condition: bool = False  # 'o que faço se…'

    def has_amount(self, text: str) -> bool:
        """Return whether a text has an amount of the kind that is asked for, if one is."""
        return self.amount is None or bool(self.amount.search(_ITEM.sub(" ", fold(text))))

    def has_labels(self, text: str) -> bool:
        """Return whether each number of the question stands in a text, with what it is of."""
        folded = fold(text)
        return all(label.search(folded) for label in self.labels)


def asked_in(
    question: str, searched: str, named: Sequence[str], codes: Sequence[str], language: Language
) -> DocumentQuestion:
    """Read a question. `named` are codes that are no words of it, and of them `codes` those that a
    passage must have.
    """
    text = searched
    for pattern in map(_code_pattern, filter(None, named)):
        # With the word before it, which tells what it is of: 'no plano PC-217'.
        text = re.sub(rf"(?:\b[^\W\d_]+ )?{pattern.pattern}", " . ", text, flags=re.IGNORECASE)
    amount, told_by_amount = _amount(fold(question))
    words, things, labels, cause = _read(text, told_by_amount, language)
    return DocumentQuestion(
        question,
        tuple(words),
        tuple(things),
        tuple(thing for thing, is_asked in things.items() if not is_asked),
        tuple(map(_code_pattern, codes)),
        tuple(labels),
        cause,
        amount,
        not {*_ASKED_TERM.findall(fold(question))}.isdisjoint(words_of("documents", "conditions")),
    )


def _read(
    text: str, told_by_amount: frozenset[str], language: Language
) -> tuple[dict[AskedWord, None], dict[AskedWord, bool], list[re.Pattern[str]], AskedWord | None]:
    """Return the words of a question, its things, its labels, and what tells a cause."""
    tables = lexicons("words").get(language, {}).get("words", {})
    asking = {*words_of("documents", "asks_thing"), *words_of("documents", "asks_amount")}
    before_noun = {*tables.get("before_noun", ()), *tables.get("of", ())}
    before_name = words_of("documents", "before_name")
    doing, endings = (words_of("documents", f"{key}_infinitive") for key in ("before", "ends"))
    causes, times = words_of("documents", "asks_cause"), words_of("documents", "asks_time")
    vocabulary, cause = _vocabulary(current_lexicon()), None
    words, labels = dict[AskedWord, None](), list[re.Pattern[str]]()
    things = dict[AskedWord, bool]()  # and whether it is what is asked for, as in 'que óleo'
    before = before_this = before_that = ""
    for place, word in enumerate(_TOKEN.findall(fold(text))):
        if word == "-":  # 'do para-choques': both are of one
            before = before_this
            continue
        is_first, before_that, before_this, before = not before, before_this, before, word
        if word in causes:
            cause = AskedWord(word, frozenset(words_of("documents", "tells_cause")))
            words[cause] = None
        elif (before_this in asking and word in times) or word in told_by_amount:
            continue
        elif any(map(str.isdigit, word)):
            labels.append(_label_pattern(word, "" if _is_small(before_this) else before_this))
            words[AskedWord(word)] = None
        elif len(word) >= LEAST_LETTERS and not _is_small(word):
            one = AskedWord(word, vocabulary.get(word, frozenset()))
            words[one] = None
            # The second word of 'de primeiros socorros' tells what the first is.
            is_second = before_that in before_name and not _is_small(before_this)
            # 'que' is asked with at the beginning only; 'a arrefecer' is what is done.
            is_asked = before_this in asking and place <= ASKED_BEFORE
            is_done = before_this in doing and word.endswith(endings)
            is_named = before_this in before_noun and not is_done
            is_thing = is_first or is_named or is_asked or before_this.isdigit() or is_second
            if is_thing and word not in times:
                things[one] = is_asked and not (is_named or is_first or is_second)
    return words, things, labels, cause


def _is_small(word: str) -> bool:
    """Return whether a word tells nothing of what a question is about."""
    return word in stop_words() or word in words_of("documents", "light") or not word.isalpha()


def begins_condition(text: str) -> bool:
    """Return whether a sentence, or the step of a list, begins with 'if' or 'when'."""
    first = next((word for word in _ASKED_TERM.findall(fold(text)) if not word.isdigit()), "")
    return first in words_of("documents", "conditions")


def _label_pattern(label: str, kind: str) -> re.Pattern[str]:
    """Return what finds a number in folded text; with what it is of: 'zona 3', not 'zonas: 3'."""
    alone = rf"(?<![\w.,-]){re.escape(label)}(?![\w]|[.,]\d)"
    if not label.isdigit() or len(label) > 2 or len(kind) < LEAST_LETTERS:
        return re.compile(alone)
    start = re.escape(kind[: max(LEAST_LETTERS, len(kind) - 2)])
    return re.compile(rf"\b{start}\w{{0,3}}[ _-]{re.escape(label)}(?!\w)")


def _amount(question: str) -> tuple[re.Pattern[str] | None, frozenset[str]]:
    """Return what an answer to a question for an amount has in it, and the question's words that
    this tells; None for any other question.
    """
    words = _ASKED_TERM.findall(question)
    asking = [at for at, word in enumerate(words) if word in words_of("documents", "asks_amount")]
    first = next((word for word in words if word not in stop_words()), "")
    if any(phrase in question for phrase in words_of("documents", "asks_frequency")):
        told = frozenset(words_of("documents", "unit_duration"))
        return _figures("duration", "tells_frequency"), told
    for kind in ("duration", "temperature", "price", "weight"):
        names = frozenset(words_of("documents", f"asks_{kind}"))
        after = {word for at in asking for word in words[at + 1 : at + 2]}
        later = {word for at in asking for word in words[at + 1 :]}
        is_asked = after & names if kind == "duration" else later & names
        if is_asked or first in names:
            return _figures(kind), names
    # 'how' asks for an amount only with 'many' or 'much' behind it.
    if any(
        not {*words[at : at + 2]}.isdisjoint(words_of("documents", "asks_many")) for at in asking
    ):
        return re.compile(rf"{_WRITTEN}|\b(?:{'|'.join(_number_words())})\b"), frozenset()
    return None, frozenset()


@cache
def _figures(kind: str, *others: str) -> re.Pattern[str]:
    """Return what finds a number with a unit of a kind in folded text, or one of other words."""
    units = "|".join(
        sorted({re.escape(fold(unit)) for unit in words_of("documents", f"unit_{kind}")}, key=len)[
            ::-1
        ]
    )
    number = rf"(?:{_WRITTEN}|\b(?:{'|'.join(_number_words())}))"
    found = [rf"{number}\s*(?:{units})(?!\w)", rf"(?<!\w)(?:{units})\s*{number}"]
    found += [rf"\b{fold(word)}" for key in others for word in words_of("documents", key)]
    return re.compile("|".join(found))


@cache
def _number_words() -> tuple[str, ...]:
    return tuple(sorted(words_of("documents", "number_words"), key=len, reverse=True))


def _code_pattern(code: str) -> re.Pattern[str]:
    groups = re.findall(r"[^\W\d_]+|\d+", code)
    return re.compile(r"(?<![^\W_])" + r"[\W_]*".join(groups) + r"(?![^\W_])", re.IGNORECASE)


def is_like(one: str, other: str) -> bool:
    """Return whether two words may be forms of one: 'polir' and 'polida', 'vez' and 'vezes', but
    not 'espessura' and 'especificação'.
    """
    others = [*_without_prefix(other)]
    return any(_is_form(form, each) for form in _without_prefix(one) for each in others)


def _without_prefix(word: str) -> Iterator[str]:
    yield word
    rest = word.removeprefix(_PREFIX)
    if rest != word and len(rest) >= _LEAST_AFTER_PREFIX:
        yield rest.removeprefix(rest[0]) if rest[0] == rest[1] else rest


def _is_form(one: str, other: str) -> bool:
    if one == other:
        return True
    length = min(len(one), len(other))
    if length < LEAST_LETTERS or max(len(one), len(other)) >= 2 * length:
        return False
    if not (one.isalpha() and other.isalpha()):
        return False
    ending = (length > 3) + (length > 5) + (length > 7)  # letters
    is_near = max(len(one), len(other)) - (length - ending) <= 2 * ending + 2
    return is_near and one[: length - ending] == other[: length - ending]


@lru_cache(maxsize=1)
def _vocabulary(lexicon: Lexicon) -> Mapping[str, frozenset[str]]:
    """Return single words with those that mean the same."""
    meant = dict[str, frozenset[str]]()
    for group in lexicon.synonyms(("pt", "en")):
        words = {word for word in map(fold, group) if word.isalpha() and len(word) > LEAST_LETTERS}
        for word in words:
            meant[word] = meant.get(word, frozenset()) | (words - stop_words())
    return meant
