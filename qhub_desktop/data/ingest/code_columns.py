"""Code columns: texts that look like numbers and are codes; numbers in typographic signs.

Identifiers are told by their check digits, or by the column's name: EAN and UPC (GS1 General
Specifications), ISBN-10 (ISO 2108), IMEI (3GPP TS 23.003, by Luhn), NIF (Decreto-Lei 463/79), air
waybills (IATA Resolution 600a). Clauses are told by their counting: 8.9, 8.10, 8.11.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import slug
from qhub_desktop.data.ingest.column_sample import ColumnSample

FIRST = 20  # texts, of which most hold if all do
FEWEST = 6  # different numbers whose check digits hold are no coincidence: one in a million
HELD = 0.97  # of them may hold, as people mistype
SHORTEST = 5  # digits of an identifier that only its column's name tells
ONE_LENGTH = 0.8  # of identifiers that are told by a name
LONGEST_NUMBER = 15  # digits, which a number keeps
COUNTED = 0.7  # of the clauses up to the last stand in the column

_NAMES = frozenset(slug(word) for word in words_of("files", "identifier_names"))
_CLAUSE_NAMES = frozenset(slug(word) for word in words_of("files", "clause_names"))
_CODE_NAMES = tuple(words_of("files", "codes"))
_DOTTED = re.compile(r"\d{2,}\.\d{2,}", re.ASCII)
_CLAUSE = re.compile(r"(\d{1,3})\.(\d{1,3})", re.ASCII)
_DIGITS = re.compile(r"\d+X?", re.ASCII)


def _is_gtin(digits: Sequence[int]) -> bool:
    weighted = (each * (3 if place % 2 else 1) for place, each in enumerate(reversed(digits)))
    return sum(weighted) % 10 == 0


def _is_imei(digits: Sequence[int]) -> bool:
    doubled = (each * 2 if place % 2 else each for place, each in enumerate(reversed(digits)))
    return sum(each // 10 + each % 10 for each in doubled) % 10 == 0


def _is_isbn(digits: Sequence[int]) -> bool:
    return sum(each * (10 - place) for place, each in enumerate(digits)) % 11 == 0


def _is_nif(digits: Sequence[int]) -> bool:
    rest = sum(each * (9 - place) for place, each in enumerate(digits[:8])) % 11
    return digits[8] == (0 if rest < 2 else 11 - rest)


def _is_waybill(digits: Sequence[int]) -> bool:
    serial = int("".join(map(str, digits[3:10])))
    return digits[10] == serial % 7


@dataclass(frozen=True, slots=True)
class _Scheme:
    """A kind of identifiers: its name, its lengths, and how its check digit is told."""

    name: str
    lengths: tuple[int, ...]
    holds: Callable[[Sequence[int]], bool]
    fewest: int = FEWEST


_SCHEMES = (
    _Scheme("EAN/UPC/GTIN", (8, 12, 13, 14), _is_gtin),
    _Scheme("IMEI", (15,), _is_imei),
    _Scheme("ISBN", (10,), _is_isbn),
    _Scheme("NIF", (9,), _is_nif),
    _Scheme("AWB", (11,), _is_waybill, fewest=8),
)


def identifiers_in(name: str, texts: Collection[str]) -> str:
    """Return what the digits of a column identify: a scheme, or its name; "" if they are numbers.

    `texts` are some of the column's cells.
    """
    is_named = bool({*slug(name).split("_")} & _NAMES)
    first = [*islice(texts, FIRST)]
    if not is_named and not any(
        sum(_holds(text, each) for text in first) * 2 > len(first) for each in _SCHEMES
    ):
        return ""
    distinct = {text for text in texts if text}
    if not distinct or not all(map(_DIGITS.fullmatch, distinct)):
        return ""
    for scheme in _SCHEMES:
        held = sum(_holds(text, scheme) for text in distinct)
        if len(distinct) >= scheme.fewest and held >= HELD * len(distinct):
            return scheme.name
    lengths = Counter(map(len, distinct))
    length, times = lengths.most_common(1)[0]
    are_even = times >= ONE_LENGTH * len(distinct) or lengths.keys() <= {*_SCHEMES[0].lengths}
    return name if is_named and are_even and length >= SHORTEST else ""


def _holds(text: str, scheme: _Scheme) -> bool:
    """Return whether a text has a length of the scheme, and its check digit holds."""
    if len(text) not in scheme.lengths or not _DIGITS.fullmatch(text):
        return False
    if text[-1] == "X" and scheme.name != "ISBN":
        return False
    return scheme.holds([10 if each == "X" else int(each) for each in text])


def are_kept_digits(texts: Iterable[str]) -> bool:
    """Return whether all texts are digits, some of which a number would lose."""
    some = [text for text in texts if text]
    is_lost = any((text[0] == "0" and len(text) > 1) or len(text) > LONGEST_NUMBER for text in some)
    return is_lost and all(text.isascii() and text.isdigit() for text in some)


def are_dotted_codes(name: str, texts: Collection[str]) -> bool:
    """Return whether a column named as one of codes holds digits around a point, all in one form
    and each once, of which a number would lose a zero: 4660.00, 5397.01.
    """
    if not any(token.startswith(_CODE_NAMES) for token in slug(name).split("_")):
        return False
    distinct = {text for text in texts if text}
    counts = texts if isinstance(texts, Counter) else Counter(texts)
    return (
        len({re.sub(r"\d", "9", text) for text in distinct}) == 1
        and len(distinct) >= FEWEST
        and max(counts.values()) <= 2  # once: a sample has the first cells twice
        and _DOTTED.fullmatch(min(distinct)) is not None
        and any(text[-1] == "0" for text in distinct)
    )


def are_clauses(name: str, texts: Iterable[str]) -> bool:
    """Return whether a column's texts number clauses or versions, as in 8.1, 8.2, …, 8.10.

    As numbers, 8.1 and 8.10 would be the same.
    """
    distinct = {text for text in texts if text}
    found = [_CLAUSE.fullmatch(text) for text in distinct]
    parts = [(each[1], each[2]) for each in found if each]
    # Zeros behind the point are decimals; of clauses some have more digits than others.
    if len(parts) < len(distinct) or any(len(part) > 1 and part[0] == "0" for _, part in parts):
        return False
    by_chapter: dict[str, set[int]] = {}
    for chapter, part in parts:
        by_chapter.setdefault(chapter, set()).add(int(part))
    are_equal = len({float(text) for text in distinct}) < len(distinct)
    if are_equal and {*slug(name).split("_")} & _CLAUSE_NAMES:
        return True
    long = [numbers for numbers in by_chapter.values() if max(numbers) > 9]
    has_ten = any(numbers & {10, 20, 30} for numbers in long)
    return has_ten and all(
        len(numbers) >= COUNTED * max(numbers) and len(numbers) > FEWEST for numbers in long
    )


# A number with what people put before or behind it, sizes in parts of an inch, names with values.
_NUMBER = r"[-+]?(?:\d+|\d{1,3}(?:[.,]\d{3})+)(?:[.,]\d+)?"
_DRESSED_NUMBER = re.compile(
    rf"[<>≤≥~≈±]? ?{_NUMBER} ?(?:%|[^\W\d_]{{1,3}})?"
    r"|\d{1,3}(?: \d{1,2})?/(?:2|4|8|16|32|64)"
    rf"|{_NUMBER} ?(?:±|\+/-) ?{_NUMBER}|[^\W\d]\w* ?= ?{_NUMBER}"
)
_MARKED = re.compile(r"[<>≤≥~≈±%/=]|\d[.,]\d")
DRESSED, MOST_WORDS = 0.5, 3  # of the cells are such numbers; the others are so many words


def dressed_numbers(texts: Mapping[str, int]) -> tuple[str, ...]:
    """Return examples of numbers that stand dressed in a column of text: <0,05, 7,5h, 95%, 1 1/4.

    `texts` are some of its cells with their counts. There are none if these may be codes or words.
    """
    dressed = [text for text in texts if _DRESSED_NUMBER.fullmatch(text)]
    others = [text for text in texts if not _DRESSED_NUMBER.fullmatch(text)]
    marked = [text for text in dressed if _MARKED.search(text)]
    total, count = sum(texts.values()), sum(texts[text] for text in dressed)
    are_words = len(others) <= MOST_WORDS and not any(re.search(r"\d", text) for text in others)
    if len(dressed) < FEWEST // 2 or count < DRESSED * total or not are_words:
        return ()
    if sum(texts[text] for text in marked) < DRESSED * count:
        return ()
    forms = {re.sub(r"\d+", "9", text): text for text in sorted(dressed, reverse=True)}
    return (*[*forms.values()][:2], *others[:1])


_DECIMAL = re.compile(r"\d[.,]\d")
_NEAR_NUMBER = re.compile(rf"(\D*?)({_NUMBER})(\D*)")
_LIST_MARKS = (".", ")", ":", "º", "ª", "°")


def numbers_in_one_form(texts: Mapping[str, int]) -> tuple[str, ...]:
    """Return examples of numbers with decimals in one unknown form, or before one word: ca. 12,5
    or 12 boxes. There are none if these may be codes, versions or labels.
    """
    found = [_NEAR_NUMBER.fullmatch(text) for text in texts]
    near = [each for each in found if each]
    forms = {(each[1].strip().casefold(), each[3].strip().casefold()) for each in near}
    if len(near) < max(len(found), FEWEST // 2) or len(forms) != 1:
        return ()
    ((before, after),) = forms
    if not (before or after) or (not before and after in _LIST_MARKS):
        return ()
    if before.isalpha() and any(each[1][0].isupper() for each in near):
        return ()  # Rev 1.20
    decimals = sum(_DECIMAL.search(each[2]) is not None for each in near)
    are_apart = not any(each[1][-1:].isalnum() for each in near)
    is_word = (
        not before
        and after.isalpha()
        and all(each[3][0].isspace() and not each[3].isupper() for each in near)  # 43 AB
    )
    return (*texts,)[:2] if is_word or (are_apart and decimals * 2 > len(near)) else ()


# Blanks that nobody sees, around a text.
ODD_BLANKS = r"^[\s\x{a0}]*[\t\x{a0}]|[\t\x{a0}][\s\x{a0}]*$"


_CLOCK_NAMES = frozenset(slug(word) for word in words_of("files", "clock_names"))
_UNIX_TIME = re.compile(r"1\d{9}(?:\d{3})?", re.ASCII)
_HOUR_NAMES = frozenset(slug(word) for word in words_of("files", "hours"))
_CLOCK_PARTS = {
    part: frozenset(word.casefold() for word in words_of("files", f"clock_{part}"))
    for part in ("hours", "minutes", "seconds")
}
_CLOCK_WRITTEN = re.compile(r"([^\W\d_]+)\.? ?: ?([^\W\d_]+)(?:\.? ?: ?([^\W\d_]+))?")
_LENGTH_NAMES = frozenset(slug(word) for word in words_of("files", "length_names"))


def clock_written(name: str) -> Literal["", "hours", "minutes"]:
    """Return what a column's name says to stand first in times of two parts: minutes in (mm:ss),
    hours in (h:min); "" where it does not say.
    """
    for written in _CLOCK_WRITTEN.finditer(name.casefold()):
        first, second, third = written.groups()
        if third is not None:
            continue
        if first in _CLOCK_PARTS["minutes"] and second in _CLOCK_PARTS["seconds"]:
            return "minutes"
        if first in _CLOCK_PARTS["hours"] and second in _CLOCK_PARTS["minutes"]:
            return "hours"
    return ""


def are_hours_named(name: str) -> bool:
    """Return whether a column's name says that it holds hours."""
    return bool({*slug(name).split("_")} & _HOUR_NAMES)


def are_lengths_named(name: str) -> bool:
    """Return whether a column's name says that it holds lengths of time."""
    return bool({*slug(name).split("_")} & _LENGTH_NAMES)


def are_seconds_of_clock(name: str, texts: Collection[str]) -> bool:
    """Return whether whole numbers count the seconds or milliseconds since 1970, from 2001 to 2033:
    by the column's name and their length.
    """
    is_named = bool({*slug(name).split("_")} & _CLOCK_NAMES)
    return is_named and bool(texts) and all(map(_UNIX_TIME.fullmatch, texts))


# Signs that stand for a minus before a number, blanks within it, and digits above the line.
_MINUS = "\N{MINUS SIGN}\N{FIGURE DASH}\N{EN DASH}\N{SMALL HYPHEN-MINUS}\N{FULLWIDTH HYPHEN-MINUS}"
_THIN = (
    "\N{THIN SPACE}\N{HAIR SPACE}\N{PUNCTUATION SPACE}\N{FIGURE SPACE}\N{SIX-PER-EM SPACE}"
    "\N{FOUR-PER-EM SPACE}\N{THREE-PER-EM SPACE}"
)
_RAISED, _PLAIN = "⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"
_WIDE, _NARROW = "＋，．％０１２３４５６７８９", "+,.%0123456789"
_TEN = r" ?[×·x∙⋅*] ?10\^?"
_SIGNS_OF_PRINT = re.compile(
    rf"^[{_MINUS}]\s?[\d.,]|[{_WIDE}]|\d[{_THIN}]\d|\d{_TEN}[-{_MINUS}⁻⁺+\d{_RAISED}]|\d[{_RAISED}]+$"
)
# A pattern and what stands in its place, in the order of doing.
_STEPS = (
    (rf"^([-{_MINUS}]?)10(⁻?[{_RAISED}]+)$", r"\1 1×10\2"),
    (rf"^ ?[-{_MINUS}]\s?", "-"),
    (rf"[{_THIN}]", " "),
    (rf"{_TEN}[-{_MINUS}⁻]", "e-"),
    (rf"{_TEN}[+⁺]?([\d{_RAISED}])", r"e+\1"),
    (rf"^([^e]*\d)[{_RAISED}]+$", r"\1"),  # the mark of a note
)


def has_signs_of_typography(texts: Iterable[str]) -> bool:
    """Return whether any text is a number in signs that programs do not write: −3, 1 200, 2×10⁵."""
    return any(map(_SIGNS_OF_PRINT.search, texts))


def sign_of_typography(texts: Iterable[str]) -> str:
    """Return the first text that is such a number."""
    return next(filter(_SIGNS_OF_PRINT.search, texts))


def in_plain_signs(texts: ColumnSample) -> ColumnSample:
    """Return a column of which such signs are read as those that programs write."""
    sql = f"translate({texts.sql}, '{_WIDE}', '{_NARROW}')"
    for pattern, plain in _STEPS:
        sql = f"regexp_replace({sql}, {sql_literal(pattern)}, {sql_literal(plain)}, 'g')"
    sql = f"trim(translate({sql}, '{_RAISED}', '{_PLAIN}'))"
    sample: Counter[str] = Counter()
    for text, times in texts.sample.items():
        sample[_in_plain_signs(text)] += times
    return ColumnSample(texts.raw, replace(texts.cells, text=sql), sample)


def _in_plain_signs(text: str) -> str:
    text = text.translate(str.maketrans(_WIDE, _NARROW))
    for pattern, plain in _STEPS:
        text = re.sub(pattern, plain, text)
    return text.translate(str.maketrans(_RAISED, _PLAIN)).strip()


# Status letters and signs behind dates of plans and statistics: 08-Jan-24 A, 12/03/2024*.
_MARKED_DATE = re.compile(
    r"(\d.*\d(?: ?[AaPp]\.?[Mm]\.?)?)(?: ([A-Z](?: ?[*#†‡§+]{1,3})?)| ?([*#†‡§+]{1,3}))"
)
_WIDE_GAP = re.compile(r"\d[^\W\d_]*[.,]?  +\d|[^\W\d_][.,]?  +\d")
_LATE = re.compile(r"(?:1[3-9]|2[0-3]):\d\d")  # hours that no half of a day has
MOST_MARKS = 4  # different ones behind the dates of a column


def has_gaps(texts: Iterable[str]) -> bool:
    """Return whether any text has several blanks before a number: 18 Oct 2022  9:08."""
    return any(map(_WIDE_GAP.search, texts))


def marks_behind(texts: Collection[str]) -> tuple[str, ...]:
    """Return the marks that stand behind some texts as if behind dates; none if they may be halves
    of a day or a zone.
    """
    found = [each for text in texts if (each := _MARKED_DATE.fullmatch(text))]
    marks = {each[2] or each[3] for each in found}
    if len(marks) > MOST_MARKS:
        return ()
    has_clock = any(":" in each[1] for each in found)
    if has_clock and "Z" in marks:
        return ()
    if has_clock and marks & {"A", "P"} and not any(map(_LATE.search, texts)):
        return ()
    return tuple(sorted(marks))


def without_marks(texts: ColumnSample, marks: Collection[str]) -> ColumnSample:
    """Return a column without these marks behind its texts, and with single blanks within them."""
    behind = f" ?(?:{'|'.join(map(re.escape, marks))})$" if marks else "$"

    def bare(text: str) -> str:
        return re.sub(behind, "", re.sub(" {2,}", " ", text))

    sql = f"regexp_replace({texts.sql}, ' {{2,}}', ' ', 'g')"
    sql = f"regexp_replace({sql}, {sql_literal(behind)}, '')"
    sample: Counter[str] = Counter()
    for text, times in texts.sample.items():
        sample[bare(text)] += times
    return ColumnSample(texts.raw, replace(texts.cells, text=sql), sample)


def marked_date(texts: Iterable[str]) -> str:
    """Return the first by the alphabet of the texts that have such a mark."""
    return min(filter(_MARKED_DATE.fullmatch, texts))
