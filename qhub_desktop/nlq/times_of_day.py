"""Times of day in a question: found, and resolved."""

import re
from re import Match
from typing import Literal

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.lexicon import role_pattern
from qhub_desktop.nlq.tokenizer import Place, normalize_in_place

HourRelation = Literal["between", "at least", "below", "is"]
HourGrain = Literal["hour", "minute"]


def _hour_words(*roles: str) -> str:
    return role_pattern("hour_words", *roles)


_HALF = rf"(?: ?{_hour_words('morning', 'afternoon', 'night')}(?!\w))?"
_CLOCK = re.compile(
    rf"(?P<midnight>{_hour_words('midnight')})|(?P<noon>{_hour_words('noon')})|(?P<hour>\d{{1,2}})"
    rf"(?:h(?P<minutes>\d\d)?|:(?P<sixtieths>\d\d)| ?{_hour_words('hour')}(?!\w))?"
    rf"(?: ?(?:(?P<morning>{_hour_words('morning')})|(?P<afternoon>{_hour_words('afternoon')})"
    rf"|(?P<night>{_hour_words('night')}))(?!\w))?"
)
_TIME = (
    rf"(?:\d{{1,2}}(?:(?:h(?:\d\d)?|:\d\d){_HALF}"
    rf"| ?{_hour_words('hour', 'morning', 'afternoon', 'night')}(?!\w))"
    rf"|{_hour_words('midnight', 'noon')}(?!\w))"
)
_HOUR_END = rf"(?=$|\s*[?!.,;)](?!\d)| (?:{role_pattern('words', 'of', 'by', 'and', 'or')})\b)"
_HOUR = r"(?:2[0-4]|1\d|0?\d)"
_HOUR_PATTERNS: tuple[tuple[re.Pattern[str], HourRelation], ...] = (
    (
        re.compile(
            rf"\b{_hour_words('between')} (?:{_TIME}|\d{{1,2}}) {_hour_words('to')} {_TIME}"
        ),
        "between",
    ),
    (
        re.compile(
            rf"\b{_hour_words('between_hours')} {_HOUR}(?:h\b)? {_hour_words('to_hours')} {_HOUR}"
            r"(?![\d/.,:%]\d|\w|%)"
        ),
        "between",
    ),
    (re.compile(rf"\b{_hour_words('after')} ?{_hour_words('of')}? ?{_TIME}"), "at least"),
    (re.compile(rf"\b{_hour_words('before')} ?{_hour_words('of')}? ?{_TIME}"), "below"),
    (
        re.compile(rf"\b{_hour_words('after')} {_hour_words('the_hour')} {_HOUR}{_HOUR_END}"),
        "at least",
    ),
    (
        re.compile(rf"\b{_hour_words('before')} {_hour_words('the_hour')} {_HOUR}{_HOUR_END}"),
        "below",
    ),
    (re.compile(rf"(?:\b{_hour_words('at')} )?(?<![\d:-])\d{{1,2}}:\d\d{_HALF}(?![\d:-])"), "is"),
    (re.compile(rf"\b{_hour_words('at')} {_TIME}"), "is"),
)
_DURATION = re.compile(rf"\d ?{_hour_words('duration')}\b")
_THE_HOUR = re.compile(rf"\b{_hour_words('the_hour')} ")
# Parts of the day with their first and last hours.
_PARTS_OF_DAY = (
    *(("small_hours", 0, 5), ("in_the_morning", 6, 11), ("in_the_afternoon", 12, 19)),
    *(("in_the_evening", 18, 22), ("at_night", 20, 5)),
)
_NOON = 12
_DAY_MINUTES = 24 * 60  # minutes


@dataclass(frozen=True, slots=True)
class Hours:
    """A relation to times of day: whole hours, or minutes of the day where minutes are said.

    'between' holds the first and the last of them, the last before the first if midnight lies
    between: from 22 to 5 are the hours of a night.
    """

    relation: HourRelation
    numbers: tuple[float, ...]
    grain: HourGrain = "hour"


def hours_in(text: str) -> tuple[Place, Hours] | None:
    """Return the first times of day in a text, and where they stand; None if it has none."""
    plain = normalize_in_place(text)
    for pattern, relation in _HOUR_PATTERNS:
        if (match := pattern.search(plain)) is not None:
            if _DURATION.search(match[0]) and not _THE_HOUR.search(match[0]):
                continue  # 'entre 1 e 2 horas'
            clocks = [*_CLOCK.finditer(match[0])]
            minutes = [_minutes(each) for each in clocks]
            if relation == "between" and _shares_half(*clocks):
                minutes[0] += _NOON * 60  # 'das 2 às 4 da tarde'
            has_minutes = (relation == "is" and ":" in match[0]) or any(
                each % 60 for each in minutes
            )
            unit = 1 if has_minutes else 60
            numbers = [each // unit for each in minutes]
            if relation == "between":  # the end itself is no part of it
                numbers[1] = (numbers[1] - 1) % (_DAY_MINUTES // unit)
            grain: HourGrain = "minute" if has_minutes else "hour"
            return match.span(), Hours(relation, tuple(numbers), grain)
    return None


def part_of_day_in(text: str) -> tuple[Place, Hours] | None:
    """Return the hours of a part of the day, 'de manhã' or 'at night', and where it stands."""
    plain = normalize_in_place(text)
    for role, first, last in _PARTS_OF_DAY:
        if (match := re.search(rf"\b{_hour_words(role)}(?!\w)", plain)) is not None:
            return match.span(), Hours("between", (float(first), float(last)))
    return None


def _minutes(clock: Match[str]) -> int:
    """Return the minutes since midnight that a time of day says."""
    if clock["hour"] is None:
        return _NOON * 60 if clock["noon"] else 0
    hour = int(clock["hour"])
    if clock["afternoon"] or clock["night"]:
        hour = 0 if clock["night"] and hour == _NOON else hour % _NOON + _NOON
    elif clock["morning"] and hour == _NOON:
        hour = 0
    return hour * 60 + int(clock["minutes"] or clock["sixtieths"] or 0)


def _shares_half(first: Match[str], last: Match[str]) -> bool:
    """Return whether the half of the day that is said with the last hour is that of both."""
    if first["hour"] is None or last["hour"] is None or first["morning"] or first["afternoon"]:
        return False
    is_late = last["afternoon"] or last["night"]
    return bool(is_late) and not first["night"] and int(first["hour"]) < int(last["hour"]) <= _NOON
