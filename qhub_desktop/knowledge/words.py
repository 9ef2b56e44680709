"""Words that passages are found by, and codes, which are found exactly."""

import re
from collections.abc import Iterator

from qhub_desktop.core.text import fold, stop_words, words_of

# Cut, 'adere', 'aderem' and 'aderência' are one word. On 48 questions of a workshop, five letters
# found more passages among the first five (69 %) than whole words (67), stems (62), trigrams (54).
TERM_LETTERS = 5
HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_WORD = re.compile(r"[^\W_]+")
# Letters and digits in one: 'IT-PIN-041', 'SC11', 'D17.5013'.
_JOINED = re.compile(r"[^\W_]+(?:[-_][^\W_]+|(?<=\d)\.\d+)*")
# Letters, a space, digits: 'TL 226', 'IT-PIN 041', 'GS 97034-2'.
_SPACED = re.compile(r"(?<![\w-])([^\W\d_]{1,5}(?:-[^\W\d_]{1,5})*) (\d[^\W_]*(?:[-.]\d[^\W_]*)*)")
_GROUP = re.compile(r"\d+|[^\W\d_]+")
NUMBER_DIGITS = 5  # a number of as many is a code: of an order, an article, a batch


def terms(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, as they are compared.

    Without accents and capitals, cut to five letters; words with digits are whole. Left out are
    stop words (`stop_words` of the lexicons) and what has a single character.
    """
    words = (word for word in _WORD.findall(fold(text)) if len(word) > 1)
    return tuple(
        word[:TERM_LETTERS] if word.isalpha() else word
        for word in words
        if word not in stop_words()
    )


def codes(text: str) -> tuple[str, ...]:
    """Return the codes in a text, each once, as they are compared.

    'IT-PIN-041', 'it_pin-041' and 'IT-PIN 041' are 'IT-PIN-041', 'TL 226' and 'TL226' 'TL-226'.
    Before a space, only capitals begin a code.
    """
    return tuple(dict.fromkeys(_found_codes(text, needs_capitals=True)))


def asked_codes(question: str) -> tuple[str, ...]:
    """Return the codes in a question, where nobody types capitals: 'tl 226' is one, too."""
    return tuple(dict.fromkeys(_found_codes(question, needs_capitals=False)))


def is_lookalike(code: str, other: str) -> bool:
    """Return whether two codes have the same letters and other digits: E-3042 and E-3024."""
    letters, others = (
        [group for group in each.split("-") if not group.isdigit()] for each in (code, other)
    )
    return code != other and bool(letters) and letters == others


def _found_codes(text: str, *, needs_capitals: bool) -> Iterator[str]:
    plain = text.translate(HYPHENS)
    spaced = dict[int, str]()
    for found in _SPACED.finditer(plain):
        letters, number = found.groups()
        # 'SC 11' is one; 'FASE 2' of a heading and 'dia 12' of a question are none.
        least = 2 if letters.isupper() and len(letters) > 1 else 3
        is_code = sum(map(str.isdigit, number)) >= least
        if is_code and (letters.isupper() or not needs_capitals) and not _is_stop_word(letters):
            spaced[found.start()] = found[0]
    end = 0
    for found in _JOINED.finditer(plain):
        if found.start() < end:  # the number of the code before
            continue
        code = spaced.get(found.start(), "")
        end = found.start() + len(code)
        if code or _is_code(found[0]):
            yield "-".join(_GROUP.findall(code or found[0])).upper()
        number = code.partition(" ")[2]
        if not code.isupper() and _is_code(number):  # 'lote 4500123456', 'din 53151'
            yield "-".join(_GROUP.findall(number)).upper()


def _is_code(joined: str) -> bool:
    digits = sum(map(str.isdigit, joined))
    if joined.isdigit():
        return digits >= NUMBER_DIGITS
    if not digits or digits == sum(map(str.isalnum, joined)):  # a word, or a date
        return False
    if joined[0].isdigit():  # '5H0-853-651' is one, '20mm' and '12h30' are none
        return digits > 2 and joined.upper() == joined
    return digits > 1 or joined[0].isupper() or "-" in joined  # 'SC-1' is one, 'm2' is none


def _is_stop_word(word: str) -> bool:
    """Return whether a word before a number is none of a code's: 'shows 2077', 'deu 115'."""
    return fold(word) in stop_words() or fold(word) in words_of("documents", "light")
