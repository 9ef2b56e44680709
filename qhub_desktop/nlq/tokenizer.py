"""Tokenizing and normalizing: words without case, accents and plurals, and their typing errors."""

import re
import string
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from qhub_desktop.core.text import fold, fold_in_place, words_of
from qhub_desktop.core.values import dataclass

BLANK = "¶"  # stands for words that are read by themselves: their neighbours form no phrase
Place = tuple[int, int]  # in a text: the first character and the one behind the last
# The time to read a question grows with the square of its words: 100 take a quarter of a second
# over one data set, and two over ten wide ones. The longest that the suite asks has 15.
LONGEST_QUESTION = 800  # characters
MOST_WORDS = 100
LONGEST_WORD = 50  # characters: a longer number is none that can be computed with
_QUOTES = re.compile(r"[\"“”«»„]|(?<!\w)['‘’]|['‘’](?!\w)")
# Not in 'pH' and 'McDonald', but on both sides of 'Of' in 'NumberOfItems', and in 'PcBoas'.
_HUMP = re.compile(
    r"(?<=[a-zà-ÿ]{2})(?=[A-ZÀ-Ý])|(?<=[a-z][A-Z][a-z])(?=[A-Z][a-z])"
    r"|(?<=\b[A-Z][a-z])(?<!Mc)(?=[A-ZÀ-Ý][a-zà-ÿ]{2})"
    # And behind the letters that begin no word but a header: 'VLTOTAL', 'DTNASC', 'QTDVEND'.
    + "".join(
        rf"|(?<=(?<![^\W_]){short})(?=[A-Z]{{4}})"
        for short in words_of("spelling", "glued_to_headers")
    )
)
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_WORD = re.compile(r"\d+[.,]\d+(?!\w)|[^\W_]+|[<>]=?|[%=¶]")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)
_UNIT_SIGNS = frozenset(
    [
        *("min", "mins", "h", "hrs", "d", "sec", "kg", "ml", "mm", "cm", "km", "kwh", "bar", "um"),
        *("nm", "eur", "usd", "brl", "pct"),
    ]
)
_UNIT = re.compile(r"[(\[][^)\]]*[)\]]")
# Signs that stand for nothing else at the end of a name: 'Peso kg', not 'Tempo min'.
_PLAIN_SIGNS = _UNIT_SIGNS - {"min", "h", "d", "um", "bar"}
_SPACED_UNIT = re.compile(rf"(?<=\w)\s+({'|'.join(sorted(_PLAIN_SIGNS))})\s*$", re.IGNORECASE)
_ORDINAL_SIGNS = str.maketrans("ªº", "ao")
_ACCENTED: dict[str, str] = dict(words_of("spelling", "accents"))
_PLURALS: tuple[list[str], ...] = words_of("spelling", "plurals")
_SINGULAR_S = words_of("spelling", "singular_s")
_AFTER_S: tuple[list[str], ...] = words_of("spelling", "after_s")
_LAST_OF_PLURALS = frozenset(ending[-1] for ending, _ in (*_PLURALS, *_AFTER_S)) | {"s"}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: as written, and normalized for comparison."""

    text: str
    normalized: str
    is_quoted: bool = False

    @property
    def is_name(self) -> bool:
        """Whether it looks like a proper name or a code: a capital, or a digit in it."""
        return self.text[:1].isupper() or any(each.isdigit() for each in self.text)


@lru_cache(maxsize=8192)  # a question, and the names in its data again and again
def tokenize(text: str) -> tuple[Word, ...]:
    """Split a sentence, a column's name or a value into words."""
    words: list[Word] = []
    for place, stretch in enumerate(_QUOTES.split(_APOSTROPHE.sub("", text))):
        words.extend(
            Word(match[0], normalize(match[0]), is_quoted=place % 2 == 1)
            for match in _WORD.finditer(_HUMP.sub(" ", stretch))
        )
    return tuple(words)


def word_places(text: str) -> list[tuple[str, Place]]:
    """Return the words of a text as they stand in it, each with its place."""
    return [(match[0], match.span()) for match in _WORD.finditer(text)]


def is_too_long(question: str, words: Sequence[Word]) -> bool:
    """Return whether a text is no question, but something pasted; `words` begin with its first."""
    return (
        len(question) > LONGEST_QUESTION
        or len(words) > MOST_WORDS
        or any(len(each.text) > LONGEST_WORD for each in words)
    )


def fold_words(texts: Sequence[str]) -> list[list[str]]:
    """Split many texts into words without case and accents.

    Of thousands in the time that `tokenize` takes for a hundred, as it makes no `Word`.
    """
    lines = "\n".join(" ".join(text.splitlines()) for text in texts)
    folded = fold_in_place(_HUMP.sub(" ", lines)).split("\n")
    return [_WORD.findall(line) for line in folded[: len(texts)]]


def unit(name: str) -> str:
    """Return the unit in a column's name, in brackets or behind it: '(µm)', 'wait_min', 'kg'."""
    if found := _UNIT.findall(name):
        return " ".join(found)
    if spaced := unit_behind(name):
        return spaced
    behind = name.rpartition("_")[2].casefold()
    return behind if "_" in name and behind in _UNIT_SIGNS else ""


def unit_behind(name: str) -> str:
    """Return the unit that stands at the end of a column's name as a word: 'kg', of 'Peso kg'."""
    spaced = None if _UNIT.search(name) else _SPACED_UNIT.search(name)
    return "" if spaced is None else spaced[1]


_WITH_NUMBER = re.compile(r"([^\W\d_]{4,})\d{1,2}")


def without_number(word: str) -> str:
    """Return a word without the number that is written on to it: 'executante', of 'executante1'.

    Nothing where there is none.
    """
    found = _WITH_NUMBER.fullmatch(word)
    return found[1] if found else ""


_DOTTED = re.compile(r"(?:[^\W\d_]\.){2,}")


def without_unit(name: str) -> str:
    """Return a column's name without its unit and letters' points.

    'Thickness (µm)' is 'Thickness '.
    """
    bare = (_UNIT if _UNIT.search(name) else _SPACED_UNIT).sub(" ", name)
    return without_points(bare) if bare.strip() else name


def without_points(text: str) -> str:
    """Return letters that stand each before a point as one word: 'i.O.' is 'io'."""
    is_dotted = _DOTTED.fullmatch(text.strip())
    return text.replace(".", "").strip().lower() if is_dotted else text


def parse_number(text: str) -> float | None:
    """Parse a number with a decimal comma or point, None if it is none."""
    return float(text.replace(",", ".")) if _FIGURE.fullmatch(text) else None


@lru_cache(maxsize=4096)
def normalize(text: str) -> str:
    """Return lower case without accents. The verb 'é' is kept, since 'e' means 'and'."""
    return _ACCENTED.get(text.lower()) or fold(text)


def normalize_in_place(text: str) -> str:
    """Normalize letter for letter, so that positions stay; '1ª' becomes '1a'."""
    return fold_in_place(text).translate(_ORDINAL_SIGNS)


def blanked(text: str, places: Iterable[Place], *, by: str = "") -> str:
    """Return a text of the same length in which a mark, or `by`, stands at some places."""
    for start, end in places:
        mark = by * (end - start) if by else BLANK.ljust(end - start)
        text = text[:start] + mark + text[end:]
    return text


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Strip the plural of a normalized word, in all languages alike.

    Not always a word, but the same for singular and plural, which is all that is needed.
    """
    if len(word) < 4 or word[-1] not in _LAST_OF_PLURALS:
        return word
    if not word.isalpha() and any(each.isdigit() for each in word):
        return word
    for ending, singular in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + singular
    if word.endswith("s") and not word.endswith(_SINGULAR_S):
        word = word[:-1]
    for ending, singular in _AFTER_S:
        if word.endswith(ending):
            return word[: -len(ending)] + singular
    return word


def forms_of(word: str) -> tuple[str, ...]:
    """Return a normalized word, its singular and the plurals of that."""
    own = stem(word)
    plurals = [
        own[: len(own) - len(singular)] + ending
        for ending, singular in (*_PLURALS, *_AFTER_S)
        if own.endswith(singular)
    ]
    return tuple(dict.fromkeys((word, own, f"{own}s", f"{own}es", *plurals)))


_DERIVATIONS: dict[str, tuple[str, ...]] = {  # by their last letter, the longest first
    last: tuple(sorted(endings, key=len, reverse=True))
    for last, endings in groupby(
        sorted(set(words_of("spelling", "derivations")), key=lambda each: each[-1]),
        key=lambda each: each[-1],
    )
}
_SHORTEST_ROOT = 3


@lru_cache(maxsize=4096)
def root(word: str) -> tuple[str, bool]:
    """Return what a word shares with those derived from it, and whether an ending was taken off.

    As 'abertura' and 'aberto', 'shipment' and 'shipped'. Two words belong together if their roots
    are equal and one of them had an ending.
    """
    stemmed = stem(word)
    for ending in _DERIVATIONS.get(stemmed[-1:], ()):
        left = stemmed.removesuffix(ending)
        if left != stemmed and len(left) >= _SHORTEST_ROOT:
            return (left[:-1] if left[-1] == left[-2] else left), True
    left = stemmed.rstrip("aeo")
    return (left if len(left) >= _SHORTEST_ROOT else stemmed), False


_SPELLED = words_of("spelling", "spelled")
_COGNATES = words_of("spelling", "cognates")
_SHORTEST_COGNATE = 5
_DOUBLED = re.compile(r"([^\W\d_])\1")


@lru_cache(maxsize=4096)
def cognate(word: str) -> str:
    """Return what a word shares with the same one in other languages, '' if it is too short.

    As 'impression' and 'impressão', 'typology' and 'tipologia', 'especialista' and 'specialist'.
    """
    found = stem(word)
    if not found.isalpha():
        return ""
    for ending, own in _COGNATES:
        if found.endswith(ending):
            found = found.removesuffix(ending) + own
            break
    for written, own in _SPELLED:
        found = found.replace(written, own)
    found = _DOUBLED.sub(r"\1", found).rstrip("aeo")
    if found.startswith("es") and found[2:3] not in (*"aeiou", ""):
        found = found[1:]
    return found if len(found) >= _SHORTEST_COGNATE else ""


def transposed(word: str) -> Iterator[str]:
    """Yield a word with two letters that stand beside each other the other way round."""
    for place in range(min(len(word), LONGEST_WORD) - 1):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def one_edit_away(word: str, known: Collection[str]) -> str | None:
    """Return the known word at an edit distance of one: a letter lost, added, changed, swapped.

    Of several the one with the same first letter, then the first by the alphabet. A word longer
    than any is none that was mistyped: its variants are as many as it has letters, each as long.
    """
    return None if len(word) > LONGEST_WORD else _nearest(word, frozenset(known))


@lru_cache(maxsize=1024)  # a word of a question is looked up once for each reading of it
def _nearest(word: str, known: frozenset[str]) -> str | None:
    found = {each for each in _one_edit_variants(word) if each in known}
    return min(found, key=lambda each: (each[0] != word[0], each), default=None)


def _one_edit_variants(word: str) -> Iterator[str]:
    letters = string.ascii_lowercase
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        yield from (head + letter + tail for letter in letters)
