"""Units of time in a question: a day, a week, a month, a quarter or a year, and their days.

What counts from today, or from a unit said before, has whole patterns in the language files; the
others are put together from words in `date_grammar`, ranges and pairs of units in `temporal`.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from re import Match
from typing import Literal, cast

from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.lexicon import date_patterns, ordinal_table

Span = tuple[date | None, date | None]
Kind = Literal[
    "day",
    "week",
    "month",
    "quarter",
    "semester",
    "year",
    "half of a month",
    "week of a month",
    "week of a day",
    "edge of a month",  # its first or its last days
    "relative",  # counted from today
    "number",  # of a day or a week, as the unit beside it says
    "ordinal",  # of a quarter or a part, as the unit beside it says
]
Make = Callable[[Match[str], "Calendar"], "Unit"]  # what a pattern means
# How much is said: a unit stands alone, or beside another of its kind, or beside one that stands.
ALONE, PAIRED, LEANING = 2, 1, 0
LAST = -1  # the number of the last part
# Data that ends a long weekend ago is today's data; older data has days of its own.
FRESH_DAYS = 4
_OLDEST = 60  # years before the data's last that are years, and no numbers
_LATEST = 1  # years after today that are
_WEEK, _HALF_MONTH, WEEKS_OF_A_MONTH = 7, 15, 5
_SAID_UNITS: tuple[Kind, ...] = ("day", "week", "month", "quarter", "semester", "year")
MONTHS_OF: dict[Kind, int] = {"month": 1, "quarter": 3, "semester": 6, "year": 12}

COUNTS = ordinal_table("counts", start=2)
_WEEKDAYS = ordinal_table("weekdays", start=0)
LAST_YEAR = f"(?:{'|'.join(date_patterns('last_year'))})"


@dataclass(frozen=True, slots=True)
class Calendar:
    """Reference days of a question: the data's last day, and the day on which it was asked."""

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
        """Return the last year in which a month had begun when the data ended."""
        return self.last.year if month <= self.last.month else self.last.year - 1

    def year(self, text: str) -> int:
        """Return the year that a text says. Raises ValueError for what is more like a number."""
        said = re.search(r"\d+", text)
        if said is None:
            return self.now.year - bool(re.search(LAST_YEAR, text))
        number = int(said[0])
        if len(said[0]) < len("2000"):
            number += 2000
        if not self.last.year - _OLDEST <= number <= self.today.year + _LATEST:
            raise ValueError(number)
        return number


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of time as it is said, from `start` to `end` in the text.

    `number` is that of the day, the week, the quarter or the part; of a relative one, `span` are
    its days and `grain` is what it is one of.
    """

    kind: Kind
    start: int
    end: int
    number: int = 0
    month: int | None = None
    year: int | None = None
    strength: int = ALONE
    is_doubtful: bool = False  # a word that mostly means something else: 'set', 'may'
    span: Span = (None, None)
    grain: Kind = "relative"

    @property
    def place(self) -> float | None:
        """How many months of the year lie before it, if that is said."""
        match self.kind:
            case "quarter" | "semester":
                return MONTHS_OF[self.kind] * (self.number - 1)
            case "week":
                return self.number * 12 / 53
            case "year" | "relative":
                return None
            case _:
                return None if self.month is None else self.month - 1


def whole_months(year: int, month: int, count: int = 1) -> tuple[date, date]:
    """Return the first and the last day of some months; `month` may lie outside of the year."""
    first = (year * 12 + month - 1, year * 12 + month - 1 + count - 1)
    (y, m), (end_y, end_m) = (divmod(each, 12) for each in first)
    return date(y, m + 1, 1), date(end_y, end_m + 1, monthrange(end_y, end_m + 1)[1])


def week_of(day: date) -> tuple[date, date]:
    """Return the Monday and the Sunday of a day's week."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=_WEEK - 1)


def days_of(unit: Unit, calendar: Calendar) -> Span:
    """Return the first and the last day of a unit. Raises ValueError for 31 February."""
    number, month = unit.number, unit.month
    year = unit.year or _usual_year(unit, calendar)
    match unit.kind:
        case "relative":
            return unit.span
        case "year":
            return date(year, 1, 1), date(year, 12, 31)
        case "quarter" | "semester":
            count = MONTHS_OF[unit.kind]
            return whole_months(year, count * (number - 1) + 1, count)
        case "week":
            return week_of(date.fromisocalendar(year, number, 1))
        case "day" | "week of a day":
            # By its number alone, a day is one of the month in which the data ended.
            day = calendar.last.replace(day=number) if month is None else date(year, month, number)
            return (day, day) if unit.kind == "day" else week_of(day)
    first, last = whole_months(year, month or calendar.last.month)
    match unit.kind:
        case "month":
            return first, last
        case "half of a month":
            middle = first.replace(day=_HALF_MONTH)
            return (first, middle) if number == 1 else (middle + timedelta(days=1), last)
        case "week of a month":
            if number == LAST:
                return last - timedelta(days=_WEEK - 1), last
            start = first + timedelta(days=_WEEK * (number - 1))
            return start, min(start + timedelta(days=_WEEK - 1), last)
        case "edge of a month":
            if number < 0:
                return last + timedelta(days=number + 1), last
            return first, first + timedelta(days=number - 1)
    raise ValueError(unit.kind)


def _usual_year(unit: Unit, calendar: Calendar) -> int:
    if unit.kind == "week" or unit.place is None:
        return calendar.last.year
    return calendar.year_of(int(unit.place) + 1)


def of_kind(unit: Unit, beside: Unit) -> Unit:
    """Return a number or an ordinal as one of what the unit beside it is: '1.º e 2.º trimestre'."""
    if unit.kind == "ordinal" and beside.kind in _BY_ORDINAL:
        return replace(unit, kind=beside.kind)
    if unit.kind == "number" and beside.kind == ("day" if unit.year is None else "week"):
        return replace(unit, kind=beside.kind)
    if unit.kind == "number" and beside.kind == "week":
        return replace(unit, kind="week")
    return unit


def completed(unit: Unit, beside: Unit) -> Unit:
    """Return a unit of a month that only the one of its kind beside it says: '12 vs 13 de maio'."""
    if unit.month is None and unit.kind == beside.kind and unit.kind in _OF_A_MONTH:
        return replace(unit, month=beside.month, year=unit.year or beside.year)
    return unit


_BY_ORDINAL = ("quarter", "semester", "half of a month", "week of a month")
_OF_A_MONTH = ("day", "half of a month", "week of a month", "edge of a month")


def unit_of(kind: Kind, match: Match[str], **said: int | bool | None) -> Unit:
    """Return a unit that a pattern found."""
    return Unit(kind, match.start(), match.end(), **said)  # type: ignore[arg-type]


# What counts from today, or from the unit said before.


def said_unit(match: Match[str]) -> Kind | None:
    """Return the unit of time that a pattern's named group says: 'weeks', 'month_before'."""
    for name, said in match.groupdict().items():
        if said is not None:
            for kind in _SAID_UNITS:
                if kind in name:
                    return kind
    return None


def counted(text: str) -> int:
    """Return the number that figures or a word say."""
    return COUNTS.get(text) or int(text)


def unit_around(kind: Kind, day: date, back: int = 0) -> tuple[date, date]:
    """Return the whole unit that a day lies in, or the one that lies `back` units before it."""
    if kind == "day":
        day -= timedelta(days=back)
        return day, day
    if kind == "week":
        return week_of(day - timedelta(days=_WEEK * back))
    count = MONTHS_OF[kind]
    return whole_months(day.year, (day.month - 1) // count * count + 1 - count * back, count)


def _around(kind: Kind, back: int) -> Make:
    def make(match: Match[str], calendar: Calendar) -> Unit:
        return relative(match, unit_around(kind, calendar.now, back), kind)

    return make


def relative(match: Match[str], span: Span, grain: Kind) -> Unit:
    """Return a unit of days that are counted from another day."""
    return replace(unit_of("relative", match), span=span, grain=grain)


def counted_days(number: int, kind: Kind, last: date) -> tuple[date, date]:
    """Return the days of the last units up to a day; months begin with their first."""
    if kind in MONTHS_OF:
        back = MONTHS_OF[kind] * number - 1
        return whole_months(last.year, last.month - back)[0], last
    days = number * (_WEEK if kind == "week" else 1)
    return last - timedelta(days=days - 1), last


def _last_days(match: Match[str], calendar: Calendar) -> Unit:
    kind = said_unit(match) or "day"
    return relative(match, counted_days(counted(match["number"]), kind, calendar.now), "relative")


def _next_days(match: Match[str], calendar: Calendar) -> Unit:
    kind, number, now = said_unit(match) or "day", counted(match["number"]), calendar.now
    if kind in MONTHS_OF:
        last = whole_months(now.year, now.month + MONTHS_OF[kind] * number)[1]
        last = min(last, last.replace(day=min(now.day, last.day)))
    else:
        last = now + timedelta(days=number * (_WEEK if kind == "week" else 1))
    return relative(match, (now, last), "relative")


def _last_weekday(match: Match[str], calendar: Calendar) -> Unit:
    back = (calendar.now.weekday() - _WEEKDAYS[match["name"][:3]] - 1) % _WEEK + 1
    return relative(match, unit_around("day", calendar.now, back), "day")


def _year_long(match: Match[str], calendar: Calendar) -> Unit:
    return relative(match, counted_days(1, "year", calendar.now), "relative")


def _to_date(match: Match[str], calendar: Calendar) -> Unit:
    first, _ = unit_around(said_unit(match) or "year", calendar.now)
    return relative(match, (first, calendar.now), "relative")


# By the name of their patterns in the language files.
_COUNTED_FROM_TODAY: tuple[tuple[str, Make], ...] = (
    ("last_days", _last_days),
    ("next_days", _next_days),
    ("next_week", _around("week", -1)),
    ("next_month", _around("month", -1)),
    ("last_weekday", _last_weekday),
    ("this_week", _around("week", 0)),
    ("last_week", _around("week", 1)),
    ("this_month", _around("month", 0)),
    ("last_month", _around("month", 1)),
    ("this_quarter", _around("quarter", 0)),
    ("last_quarter", _around("quarter", 1)),
    ("this_semester", _around("semester", 0)),
    ("last_semester", _around("semester", 1)),
    ("this_year", _around("year", 0)),
    ("last_year", _around("year", 1)),
    ("year_long", _year_long),
    ("to_date", _to_date),
)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Make], ...]:
    return tuple(
        (re.compile(rf"(?:{pattern.replace('{counts}', '|'.join(COUNTS))})(?!\w)"), make)
        for name, make in _COUNTED_FROM_TODAY
        for pattern in date_patterns(name)
    )


def units_from_today(text: str, at: int, calendar: Calendar) -> Iterator[Unit]:
    """Yield the units at a place of a normalized text that count from today: 'esta semana'."""
    for pattern, make in _compiled():
        if (match := pattern.match(text, at)) is not None:
            try:
                yield make(match, calendar)
            except (ValueError, OverflowError):
                continue  # 9999 years ago


def unit_before(text: str, at: int, earlier: Unit, days: Span) -> Unit | None:
    """Return the unit at a place that counts from an earlier one: 'o anterior', 'the month before'.

    `days` are those of the earlier one.
    """
    first, last = days
    if first is None or last is None:
        return None
    grain = earlier.grain if earlier.kind == "relative" else earlier.kind
    for pattern in _earlier_patterns("same"):
        if (match := pattern.match(text, at)) is not None:
            year = int(match["named"][-4:]) if match["named"] else first.year - 1
            shifted = _in_year(first, year), _in_year(last, year + last.year - first.year)
            return relative(match, shifted, grain)
    for pattern in _earlier_patterns("prior_days"):
        if (match := pattern.match(text, at)) is not None:
            kind = said_unit(match)
            number = counted(match["number"] or match["same_number"])
            end = first - timedelta(days=1)
            if kind is None:
                return relative(match, _as_long(first, last), "relative")
            if kind in MONTHS_OF:
                count = number * MONTHS_OF[kind]
                span = whole_months(first.year, first.month - count, count)
                return relative(match, span, "relative")
            return relative(match, counted_days(number, kind, end), "relative")
    for pattern in _earlier_patterns("prior"):
        if (match := pattern.match(text, at)) is not None:
            kind = said_unit(match) or grain
            if kind in ("day", "week", *MONTHS_OF):
                return relative(match, unit_around(kind, first, 1), kind)
            return relative(match, _as_long(first, last), "relative")
    return None


def says_those(text: str, days: tuple[date, date]) -> tuple[int, int] | None:
    """Return where a text refers to some days by what they are: 'nesse mês', where they are one."""
    for pattern in _earlier_patterns("that"):
        for match in pattern.finditer(text):
            kind = said_unit(match)
            is_part = match.start() > 0 and text[match.start() - 1].isalnum()
            if not is_part and (kind is None or unit_around(kind, days[0]) == days):
                return match.span()
    return None


def days_beside(text: str, days: tuple[date, date]) -> tuple[date, date] | None:
    """Return the days that a text says to lie before or after others: 'o mês anterior'."""
    kinds: tuple[Kind, ...] = ("day", "week", *MONTHS_OF)
    first, last = days
    kind: Kind = next((each for each in kinds if unit_around(each, first) == days), "relative")
    earlier = Unit("relative", 0, 0, span=days, grain=kind)
    unit = unit_before(text, 0, earlier, days)
    if unit is not None and unit.end == len(text) and unit.span != (None, None):
        return cast("tuple[date, date]", unit.span)
    for pattern in _earlier_patterns("following"):
        if (match := pattern.fullmatch(text)) is not None:
            said = said_unit(match) or kind
            if said in kinds:
                return unit_around(said, last, -1)
            length = last - first
            return last + timedelta(days=1), last + timedelta(days=1) + length
    return None


def unit_of_now(text: str, at: int, earlier: Unit, calendar: Calendar) -> Unit | None:
    """Return the present unit of an earlier one's kind: 'o mês passado e este'."""
    grain = earlier.grain if earlier.kind == "relative" else earlier.kind
    if grain in ("week", *MONTHS_OF):
        for pattern in _earlier_patterns("these"):
            if (match := pattern.match(text, at)) is not None:
                return relative(match, unit_around(grain, calendar.now), grain)
    return None


def _as_long(first: date, last: date) -> tuple[date, date]:
    """Return as many days before some days."""
    return first - (last - first) - timedelta(days=1), first - timedelta(days=1)


def _in_year(day: date, year: int) -> date:
    """Return a day in another year; the last of a month is the last there, too."""
    last = monthrange(year, day.month)[1]
    is_last = day.day == monthrange(day.year, day.month)[1]
    return day.replace(year=year, day=last if is_last else min(day.day, last))


@cache
def _earlier_patterns(name: str) -> tuple[re.Pattern[str], ...]:
    counts = "|".join(COUNTS)
    return tuple(
        re.compile(rf"(?:{pattern.replace('{counts}', counts)})(?!\w)")
        for pattern in date_patterns(name)
    )
