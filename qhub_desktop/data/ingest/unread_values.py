"""Unread values: texts shaped as numbers, dates or times in a writing that is not read."""

import re
from collections import Counter
from collections.abc import Mapping

from qhub_desktop.core.text import fold_in_place, month_names, words_of

NEARLY_ALL = 0.8  # of a column's cells
FEWEST_OF_SHAPE = 3  # different texts of one shape

_ANY_NUMBER = r"[-+\u2212]?(?:\d{1,3}(?:[.,' \xa0\u202f]\d{3})+|\d+)(?:[.,]\d+)?"
_PERCENTAGE = re.compile(rf"[^\w%]{{0,2}}%?[^\w%]{{0,2}}{_ANY_NUMBER}[^\w%]{{0,2}}%?[^\w%]{{0,2}}")
_WEEKDAY_NAME = f"(?i:{'|'.join(words_of('files', 'weekdays'))})"
_DAY = (
    r"(?:(?:19|20)\d\d([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)\d\d"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
)
_CLOCK_LIKE = r"(?:[01]?\d|2[0-4])[:h][0-5]\d(?:[:.][0-5]\d(?:[.,:]\d+)?)?"
_REST = r"(?:[^\w]{0,3}[^\W\d_]{0,4}[^\w]{0,2})"  # a mark, a zone, the half of a day
_TIMESTAMP = re.compile(
    rf"(?:{_WEEKDAY_NAME}[.,]* )?{_DAY}(?:[^\w]{{0,3}}|[T_])(?:{_CLOCK_LIKE})?{_REST}"
)
_TIME = re.compile(rf"{_CLOCK_LIKE}{_REST}")
_NAMED = re.compile(
    rf"\d{{1,4}}[\W_]{{1,3}}([^\W\d_]{{3,}})[\W_]{{1,3}}\d{{1,4}}(?:\D{{0,4}}{_CLOCK_LIKE})?{_REST}"
)
_TIME_WORDS = "|".join(
    sorted(
        {
            re.escape(word.casefold())
            for key in ("days", "hours", "minutes", "seconds")
            for word in words_of("files", key)
            if len(word) > 1
        }
        | {"天", "日", "日間", "時間", "小时", "小時", "分", "分間", "分钟", "分鐘", "秒", "秒間"}
        | {"일", "시간", "분", "초"},
        key=lambda word: (-len(word), word),
    )
)
# A capital letter behind a number is a code's: 3D.
_LENGTH = re.compile(
    rf"[-+]?(?:\d+(?:[.,]\d+)?[ \xa0]?(?:(?i:{_TIME_WORDS})|[dhms])\.?(?:[ ,\xa0]{{0,2}}(?=\d)|$))+"
)
_WORD_PART = re.compile(rf"{_ANY_NUMBER}|{_CLOCK_LIKE}|\d{{1,4}}([-/.])\d{{1,2}}\1\d{{1,4}}")
_WITH_UNIT = re.compile(rf"([<>≤≥~≈±]? ?)({_ANY_NUMBER})([ \xa0\u202f]?)([^\d\s.,:;()]{{1,8}})")


def value_like(texts: Mapping[str, int]) -> tuple[str, ...]:
    """Return examples of the texts where nearly all have the shape of one kind of value; none if
    they may be codes, versions or names.

    `texts` are some of a column's cells with their counts.
    """
    total = sum(texts.values())
    by_shape: dict[str, list[str]] = {}
    for text in texts:
        if shape := _shape(text):
            by_shape.setdefault(shape, []).append(text)
    for found in by_shape.values():
        if (
            len(found) >= FEWEST_OF_SHAPE
            and sum(texts[text] for text in found) >= NEARLY_ALL * total
        ):
            return _examples(found)
    return _in_one_unit(texts, total)


def glued(texts: Mapping[str, int]) -> str:
    """Return one of the texts where nearly all have as many parts with several blanks between, one
    of them a value: columns of a print that were read as one. Otherwise return "".
    """
    parts = {text: re.split(r" {2,}", text) for text in texts if "  " in text}
    counts: Counter[int] = Counter()
    for text, found in parts.items():
        counts[len(found)] += texts[text]
    if not counts:
        return ""
    size, times = counts.most_common(1)[0]
    if times < NEARLY_ALL * sum(texts.values()) or len(parts) < FEWEST_OF_SHAPE:
        return ""
    some = [text for text in parts if len(parts[text]) == size]
    are_values = [
        all(_WORD_PART.fullmatch(parts[text][place]) for text in some) for place in range(size)
    ]
    return min(some) if any(are_values) else ""


def _shape(text: str) -> str:
    """Return the kind of value that a text has the shape of, "" for none."""
    if "%" in text:
        return "percentage" if _PERCENTAGE.fullmatch(text) else ""
    if _TIMESTAMP.fullmatch(text):
        return "date"
    if _TIME.fullmatch(text):
        return "time"
    if _LENGTH.fullmatch(text):
        return "length"
    named = _NAMED.fullmatch(text)
    return "date" if named and fold_in_place(named[1].lower()) in month_names() else ""


def _in_one_unit(texts: Mapping[str, int], total: int) -> tuple[str, ...]:
    """Return examples of numbers that nearly all have one unit, and decimals or a blank before it;
    those before letters alone may be the codes of sizes.
    """
    units: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    for text, times in texts.items():
        if (each := _WITH_UNIT.fullmatch(text)) and (each[3] or not each[4].isalpha()):
            units[each[4]] += times
            found.setdefault(each[4], []).append(text)
    if not units:
        return ()
    unit, times = units.most_common(1)[0]
    some = found[unit]
    decimals = sum(re.search(r"\d[.,]\d", text) is not None for text in some)
    are_grouped = any(re.match(r"\D{0,2}\d{1,3}[ \xa0\u202f]\d{3}\D", text) for text in some)
    if times < NEARLY_ALL * total or len(some) < FEWEST_OF_SHAPE:
        return ()
    if decimals * 2 <= len(some) and not are_grouped:
        return ()
    return _examples(some)


def _examples(texts: list[str]) -> tuple[str, ...]:
    """Return two texts of different forms, the first two if there is one form."""
    forms = {re.sub(r"\d+", "9", text): text for text in sorted(texts, reverse=True)}
    return (*forms.values(),)[:2] if len(forms) > 1 else (*sorted(texts),)[:2]
