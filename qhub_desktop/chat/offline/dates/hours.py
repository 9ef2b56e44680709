"""Stretches of hours as people write them: 'entre as 6h e as 14h', 'after 10 pm'."""

import re
from dataclasses import dataclass

from qhub_desktop.chat.offline.plan import Relation
from qhub_desktop.chat.offline.words import blanked, flat

_CLOCK = re.compile(r"(\d{1,2})(?:h\d*|:\d\d| ?horas?)? ?(am|pm)?")
_TIME = r"\d{1,2}(?:h(?:\d\d)?|:\d\d| ?horas?| ?am| ?pm| o'?clock)"
_WAYS: tuple[tuple[re.Pattern[str], Relation], ...] = (
    (
        re.compile(
            rf"\b(?:entre (?:as )?|between |das |from )(?:{_TIME}|\d{{1,2}}) "
            rf"(?:e (?:as )?|as |and |to |ate as ){_TIME}"
        ),
        "between",
    ),
    (
        re.compile(
            rf"\b(?:depois|a partir|apos|after|past|since|from) ?(?:das|da|as|de)? ?{_TIME}"
        ),
        "at least",
    ),
    (re.compile(rf"\b(?:antes|before|ate|until) ?(?:das|da|as|de)? ?{_TIME}"), "below"),
)


@dataclass(frozen=True, slots=True)
class Hours:
    """Hours of the day that stand in a relation to some numbers."""

    relation: Relation
    numbers: tuple[float, ...]


def find_hours(text: str) -> tuple[str, Hours | None]:
    """The text with its first stretch of hours blanked out, and that stretch."""
    plain = flat(text)
    for pattern, relation in _WAYS:
        if (match := pattern.search(plain)) is not None:
            numbers = tuple(_hour(*each) for each in _CLOCK.findall(match[0]))
            if relation == "between":
                numbers = (numbers[0], numbers[1] - 1)
            return blanked(text, match), Hours(relation, numbers)
    return text, None


def _hour(number: str, half: str) -> float:
    return float(int(number) % 12 + 12 if half == "pm" else int(number))
