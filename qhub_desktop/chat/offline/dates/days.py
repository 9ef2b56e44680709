"""One day, month or year as people write it, and the calendar by which it is meant."""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from re import Match

Span = tuple[date | None, date | None]
Read = Callable[[Match[str], "Calendar"], Span]
Way = tuple[str, Read]  # of saying a stretch of days: a pattern, and what it means


def numbered(*groups: str, start: int) -> dict[str, int]:
    """Names to numbers: the names in one group have the same."""
    return {
        name: number for number, names in enumerate(groups, start=start) for name in names.split()
    }


MONTHS = numbered(
    "janeiro january",
    "fevereiro february",
    "marco march",
    "abril april",
    "maio may",
    "junho june",
    "julho july",
    "agosto august",
    "setembro september",
    "outubro october",
    "novembro november",
    "dezembro december",
    start=1,
)
# Short names say a month only beside the number of a day.
SHORT_MONTHS = numbered(
    *("jan", "fev feb", "mar", "abr apr", "mai", "jun"),
    *("jul", "ago aug", "sep sept", "oct", "nov", "dez dec"),
    start=1,
)
# Data that ends a long weekend ago is today's data; older data has days of its own.
FRESH_DAYS = 4

MONTH = rf"(?:{'|'.join(MONTHS)})"
BARE_SHORT_MONTH = rf"(?:{'|'.join(SHORT_MONTHS)})"
SHORT_MONTH = rf"{BARE_SHORT_MONTH}\.?"
YEAR = r"(?:(?:,? (?:de |of )?|,)(?:19|20)\d\d\b)"
DAY = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}"
    r"|\d{1,2}/\d{1,2}(?:/\d{2,4})?"
    r"|\d{1,2}[.-]\d{1,2}[.-]\d{4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:de |of )?{MONTH}{YEAR}?"
    rf"|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?!\d){YEAR}?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ /-](?:de |of )?{SHORT_MONTH}(?![a-z])"
    rf"|{SHORT_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?!\d)"
    r"|hoje|today|ontem|yesterday|anteontem)"
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """What dates without a year are meant by: the data's last day, and the day of the question."""

    today: date
    last: date

    @property
    def is_old(self) -> bool:
        """Whether the data ended so long ago that 'yesterday' can only mean its own days."""
        return (self.today - self.last).days > FRESH_DAYS

    @property
    def now(self) -> date:
        """The day from which 'yesterday' and 'this week' are counted."""
        return self.last if self.is_old else self.today

    def year_of(self, month: int) -> int:
        """The last year in which this month had begun when the data ended."""
        return self.last.year if month <= self.last.month else self.last.year - 1

    def month(self, month: int, year: int | None = None) -> tuple[date, date]:
        """A month from its first day to its last."""
        return whole_month(year or self.year_of(month), month)


def whole_month(year: int, month: int) -> tuple[date, date]:
    """The first and the last day of a month."""
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def month_named(name: str) -> int:
    """The number of a month by its long or its short name."""
    return MONTHS.get(name) or SHORT_MONTHS[name.rstrip(".")]


def year_in(text: str | None) -> int | None:
    """The year that is said with a day or a month, if any is."""
    found = re.search(r"(?:19|20)\d\d", text or "")
    return int(found[0]) if found else None


def day(text: str, calendar: Calendar) -> date:
    """The day that a text says; `ValueError` if there is none: 31 February, or 45/13."""
    match text:
        case "hoje" | "today":
            return calendar.now
        case "ontem" | "yesterday":
            return calendar.now - timedelta(days=1)
        case "anteontem":
            return calendar.now - timedelta(days=2)
    named = re.search(MONTH, text) or re.search(rf"{SHORT_MONTH}(?![a-z])", text)
    numbers = [int(each) for each in re.findall(r"\d+", text)]
    if named is not None:
        month = month_named(named[0])
        year = numbers[1] if len(numbers) > 1 else calendar.year_of(month)
        return date(year, month, numbers[0])
    if re.match(r"\d{4}", text):
        return date(*numbers)
    number, month = numbers[:2]
    year = numbers[2] if len(numbers) > 2 else calendar.year_of(month)
    return date(year + 2000 if year < 100 else year, month, number)


def day_or_month(text: str, calendar: Calendar) -> tuple[date, date]:
    """A day as a stretch of one, or a month from its first day to its last."""
    words = text.replace(",", " ").split()
    if words[0] in MONTHS and not (len(words) > 1 and re.match(r"\d{1,2}(?!\d)", words[1])):
        return calendar.month(MONTHS[words[0]], year_in(text))
    said = day(text, calendar)
    return said, said
