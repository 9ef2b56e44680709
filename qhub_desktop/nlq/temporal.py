"""Date and time expressions in a question: found, resolved, and blanked out.

The words of dates come from the language files (`resources/lexicon/`), each by what it does in an
expression. The grammar stands here: languages mix, and what is around the numbers is much the same.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from re import Match
from typing import Literal

from qhub_desktop.nlq.lexicon import date_patterns, ordinal_table, role_pattern, word_table
from qhub_desktop.nlq.tokenizer import blank_out, normalize_in_place

HourRelation = Literal["between", "at least", "below", "is"]
HourGrain = Literal["hour", "minute"]
Span = tuple[date | None, date | None]
Resolve = Callable[[Match[str], "Calendar"], Span]
DatePattern = tuple[str, Resolve]  # a pattern of a date expression, and its meaning


MONTHS = ordinal_table("months", start=1)
# Short names say a month only beside the number of a day.
SHORT_MONTHS = ordinal_table("short_months", start=1)
_DAYS_AGO: dict[str, int] = word_table("days_ago")
# Data that ends a long weekend ago is today's data; older data has days of its own.
FRESH_DAYS = 4


def _words(*roles: str) -> str:
    return role_pattern("date_words", *roles)


MONTH = rf"(?:{'|'.join(MONTHS)})"
BARE_SHORT_MONTH = rf"(?:{'|'.join(SHORT_MONTHS)})"
SHORT_MONTH = rf"{BARE_SHORT_MONTH}\.?"
_OF = f"(?:{_words('of')} )?"
_TH = f"{_words('ordinal_ending')}?"
YEAR = rf"(?:(?:,? {_OF}|,)(?:19|20)\d\d\b)"
DAY = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}"
    r"|\d{1,2}/\d{1,2}(?:/\d{2,4})?"
    r"|\d{1,2}[.-]\d{1,2}[.-]\d{4}"
    rf"|\d{{1,2}}{_TH} {_OF}{MONTH}{YEAR}?"
    rf"|{MONTH} \d{{1,2}}{_TH}(?!\d){YEAR}?"
    rf"|\d{{1,2}}{_TH}[ /-]{_OF}{SHORT_MONTH}(?![a-z])"
    rf"|{SHORT_MONTH} \d{{1,2}}{_TH}(?!\d)"
    rf"|{'|'.join(_DAYS_AGO)})"
)


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

    def month(self, month: int, year: int | None = None) -> tuple[date, date]:
        """Return the first and last day of a month."""
        return whole_month(year or self.year_of(month), month)


def whole_month(year: int, month: int) -> tuple[date, date]:
    """Return the first and last day of a month."""
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def month_named(name: str) -> int:
    """Return the number of a month by its long or its short name."""
    return MONTHS.get(name) or SHORT_MONTHS[name.rstrip(".")]


def year_in(text: str | None) -> int | None:
    """Return the year that is said with a day or a month, if any is."""
    found = re.search(r"(?:19|20)\d\d", text or "")
    return int(found[0]) if found else None


def day(text: str, calendar: Calendar) -> date:
    """Return the day that a text says. Raises ValueError for 31 February, or 45/13."""
    if text in _DAYS_AGO:
        return calendar.now - timedelta(days=_DAYS_AGO[text])
    written = re.search(MONTH, text) or re.search(rf"{SHORT_MONTH}(?![a-z])", text)
    numbers = [int(each) for each in re.findall(r"\d+", text)]
    if written is not None:
        month = month_named(written[0])
        year = numbers[1] if len(numbers) > 1 else calendar.year_of(month)
        return date(year, month, numbers[0])
    if re.match(r"\d{4}", text):
        return date(*numbers)
    number, month = numbers[:2]
    year = numbers[2] if len(numbers) > 2 else calendar.year_of(month)
    return date(year + 2000 if year < 100 else year, month, number)


def day_or_month(text: str, calendar: Calendar) -> tuple[date, date]:
    """Return a day as a stretch of one, or a month from its first day to its last."""
    words = text.replace(",", " ").split()
    if words[0] in MONTHS and not (len(words) > 1 and re.match(r"\d{1,2}(?!\d)", words[1])):
        return calendar.month(MONTHS[words[0]], year_in(text))
    said = day(text, calendar)
    return said, said


def _hour_words(*roles: str) -> str:
    return role_pattern("hour_words", *roles)


_HALF = rf"(?: ?{_hour_words('morning', 'afternoon')}\b)?"
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})"
    rf"(?:h(?P<minutes>\d\d)?|:(?P<sixtieths>\d\d)| ?{_hour_words('hour')})?"
    rf"(?: ?(?:{_hour_words('morning')}|(?P<afternoon>{_hour_words('afternoon')}))\b)?"
)
_TIME = (
    rf"\d{{1,2}}(?:(?:h(?:\d\d)?|:\d\d){_HALF}"
    rf"| ?{_hour_words('hour', 'morning', 'afternoon')})"
)
_HOUR_PATTERNS: tuple[tuple[re.Pattern[str], HourRelation], ...] = (
    (
        re.compile(
            rf"\b{_hour_words('between')} (?:{_TIME}|\d{{1,2}}) {_hour_words('to')} {_TIME}"
        ),
        "between",
    ),
    (re.compile(rf"\b{_hour_words('after')} ?{_hour_words('of')}? ?{_TIME}"), "at least"),
    (re.compile(rf"\b{_hour_words('before')} ?{_hour_words('of')}? ?{_TIME}"), "below"),
    (re.compile(rf"(?:\b{_hour_words('at')} )?(?<![\d:-])\d{{1,2}}:\d\d{_HALF}(?![\d:-])"), "is"),
    (re.compile(rf"\b{_hour_words('at')} \d{{1,2}}h(?:oras)?\b"), "is"),
)
_DAY = 24 * 60  # minutes


@dataclass(frozen=True, slots=True)
class Hours:
    """A relation to times of day: whole hours, or minutes of the day where minutes are said.

    'between' holds the first and the last of them, the last before the first if midnight lies
    between: from 22 to 5 are the hours of a night.
    """

    relation: HourRelation
    numbers: tuple[float, ...]
    grain: HourGrain = "hour"


def find_hours(text: str) -> tuple[str, Hours | None]:
    """Blank out the first times of day in a text; return the rest and the times."""
    plain = normalize_in_place(text)
    for pattern, relation in _HOUR_PATTERNS:
        if (match := pattern.search(plain)) is not None:
            minutes = [_minutes(each) for each in _CLOCK.finditer(match[0])]
            has_minutes = (relation == "is" and ":" in match[0]) or any(
                each % 60 for each in minutes
            )
            unit = 1 if has_minutes else 60
            numbers = [each // unit for each in minutes]
            if relation == "between":  # the end itself is no part of it
                numbers[1] = (numbers[1] - 1) % (_DAY // unit)
            grain: HourGrain = "minute" if has_minutes else "hour"
            return blank_out(text, match), Hours(relation, tuple(numbers), grain)
    return text, None


def _minutes(clock: Match[str]) -> int:
    """Return the minutes since midnight that a time of day says."""
    hour = int(clock["hour"])
    if clock["afternoon"]:
        hour = hour % 12 + 12
    return hour * 60 + int(clock["minutes"] or clock["sixtieths"] or 0)


_COUNTS = ordinal_table("counts", start=2)
_WEEKDAYS = ordinal_table("weekdays", start=0)
_RELATIVE = re.compile(rf"\b(?:{'|'.join(date_patterns('relative'))})\b")


def says_relatively(text: str, rest: str) -> bool:
    """Return whether what was blanked out counts from today."""
    return bool(_RELATIVE.search(normalize_in_place(text))) and not _RELATIVE.search(
        normalize_in_place(rest)
    )


def _last_days(match: Match[str], calendar: Calendar) -> Span:
    number = _COUNTS.get(match["number"]) or int(match["number"])
    if match["months"]:
        month = calendar.now.year * 12 + calendar.now.month - number
        return date(month // 12, month % 12 + 1, 1), calendar.now
    days = number * (7 if match["weeks"] else 1)
    return calendar.now - timedelta(days=days - 1), calendar.now


def _last_weekday(match: Match[str], calendar: Calendar) -> Span:
    wanted = _WEEKDAYS[match["name"][:3]]
    back = (calendar.now.weekday() - wanted - 1) % 7 + 1
    day = calendar.now - timedelta(days=back)
    return day, day


def _this_week(_match: Match[str], calendar: Calendar) -> Span:
    monday = calendar.now - timedelta(days=calendar.now.weekday())
    return monday, monday + timedelta(days=6)


def _last_week(_match: Match[str], calendar: Calendar) -> Span:
    monday = calendar.now - timedelta(days=calendar.now.weekday() + 7)
    return monday, monday + timedelta(days=6)


def _this_month(_match: Match[str], calendar: Calendar) -> Span:
    return whole_month(calendar.now.year, calendar.now.month)


def _last_month(_match: Match[str], calendar: Calendar) -> Span:
    before = calendar.now.replace(day=1) - timedelta(days=1)
    return whole_month(before.year, before.month)


def _this_quarter(_match: Match[str], calendar: Calendar) -> Span:
    return _quarter(calendar.now)


def _last_quarter(_match: Match[str], calendar: Calendar) -> Span:
    first, _last = _quarter(calendar.now)
    return _quarter(first - timedelta(days=1))


def _quarter(day: date) -> tuple[date, date]:
    """Return the first and last day of the quarter of a day."""
    month = (day.month - 1) // 3 * 3 + 1
    return date(day.year, month, 1), whole_month(day.year, month + 2)[1]


def _named_quarter(match: Match[str], calendar: Calendar) -> Span:
    """Return a quarter or a half year by its number: 'primeiro trimestre de 1998', 'Q3 2026'."""
    number = next(
        place
        for place, role in enumerate(_ORDINALS, start=1)
        if re.fullmatch(_words(role), match["ordinal"] or "") or str(place) == match["figure"]
    )
    months = 6 if match["half"] else 3
    year = year_in(match["year"]) or calendar.year_of(months * (number - 1) + 1)
    first = date(year, months * (number - 1) + 1, 1)
    return first, whole_month(year, months * number)[1]


def _this_year(_match: Match[str], calendar: Calendar) -> Span:
    return date(calendar.now.year, 1, 1), date(calendar.now.year, 12, 31)


# What counts from today, by the name of its patterns in the language files.
_COUNTED_FROM_TODAY: tuple[tuple[str, Resolve], ...] = (
    ("last_days", _last_days),
    ("last_weekday", _last_weekday),
    ("this_week", _this_week),
    ("last_week", _last_week),
    ("this_month", _this_month),
    ("last_month", _last_month),
    ("this_quarter", _this_quarter),
    ("last_quarter", _last_quarter),
    ("this_year", _this_year),
)


# Most questions have no date; this spares them the patterns below, which are slow to compile.
_HINT = re.compile(
    rf"\d[/.-]\d|\b{SHORT_MONTH}[ .]|\d[ /-]{_OF}{SHORT_MONTH}|\b(?:19|20)\d\d\b"
    rf"|\b{MONTH}\b|\b{BARE_SHORT_MONTH}\b|\b{_words('day')} \d"
    rf"|\b(?:{'|'.join([*_DAYS_AGO, *date_patterns('hint')])})\b"
    rf"|\b{_words('since', 'until', 'between', 'the', 'after', 'before')}\b.{{0,12}}?\d"
)
_DAYS = f"(?: {_words('the')})?(?: {_words('day', 'days')})?"  # 'o dia', 'the', 'dias'
_THE_DAY = f"(?: {_words('the')})?(?: {_words('day')})?"
_ON = f"(?:(?:{_words('on')} )?{_words('day')} |{_words('on')} )?"
_FROM = f"{_words('between')}{_DAYS} "
_TO = f"(?:{_words('to')}|-)"
_IN = f"{_words('in')} "
_THIS = f"(?:{_words('this')} )?"
_THIS_WEEK = f"(?:{_words('this', 'in')} )?"
_EDGE = rf"(?P<day>{DAY}|{MONTH}{YEAR}?)"
_NUMBER = rf"(?P<number>\d{{1,2}}){_TH}"
_THE_NUMBER = f"(?:(?: {_words('the')})? {_words('day')}| {_words('the_number')}) {_NUMBER}"
_DOUBTFUL_MONTH = role_pattern("calendar", "doubtful_months")  # a month after a preposition only
_OF_MONTH = rf"{_words('in')} (?P<month>{MONTH})(?P<year>{YEAR})?"


def find_days(text: str, calendar: Calendar) -> tuple[str, Span | None]:
    """Blank out the first span of days in a text; return the rest and the span."""
    plain = normalize_in_place(text)
    if not _HINT.search(plain):
        return text, None
    for pattern, resolve in _compiled():
        for match in pattern.finditer(plain):
            try:
                return blank_out(text, match), resolve(match, calendar)
            except (ValueError, OverflowError):
                continue  # the 31st of February, or 45/13
    return text, None


def _between(match: Match[str], calendar: Calendar) -> Span:
    first, second = day(match["first"], calendar), day(match["second"], calendar)
    return min(first, second), max(first, second)


def _days_of_month(match: Match[str], calendar: Calendar) -> Span:
    month = month_named(match["month"])
    year = year_in(match["year"]) or calendar.year_of(month)
    last = date(year, month, int(match["second"]))
    return _up_to(last, match["first"]), last


def _up_to(last: date, number: str) -> date:
    """Return the last day of a number up to another day: 'de 28 a 3 de março' begins before it."""
    if int(number) <= last.day:
        return last.replace(day=int(number))
    return (last.replace(day=1) - timedelta(days=1)).replace(day=int(number))


def _half_month(match: Match[str], calendar: Calendar) -> Span:
    first, last = _named_month(match, calendar)
    if match["first"]:
        return first, first.replace(day=15)
    return first.replace(day=16), last


def _short_month(match: Match[str], calendar: Calendar) -> Span:
    return calendar.month(SHORT_MONTHS[match["month"]])


def _edge_week(match: Match[str], calendar: Calendar) -> Span:
    """Return the first or the last seven days of a month."""
    first, last = _named_month(match, calendar)
    if match["first"]:
        return first, first + timedelta(days=6)
    return last - timedelta(days=6), last


def _week_numbers(match: Match[str], calendar: Calendar) -> Span:
    year = calendar.last.year
    first = date.fromisocalendar(year, int(match["first"]), 1)
    last = date.fromisocalendar(year, int(match["second"]), 1)
    return min(first, last), max(first, last) + timedelta(days=6)


def _week_number(match: Match[str], calendar: Calendar) -> Span:
    year = year_in(match["year"]) or calendar.last.year
    monday = date.fromisocalendar(year, int(match["number"]), 1)
    return monday, monday + timedelta(days=6)


def _days_before(match: Match[str], calendar: Calendar) -> Span:
    """Return two days whose month is said once: 'de 10 a 15/02'."""
    last = day(match["second"], calendar)
    return _up_to(last, match["first"]), last


def _numbered_days(match: Match[str], calendar: Calendar) -> Span:
    """Return two days of the data's last month: 'do dia 3 ao dia 5'."""
    last = _in_last_month(match["second"], calendar)
    return _up_to(last, match["first"]), last


def _since(match: Match[str], calendar: Calendar) -> Span:
    return day_or_month(match["day"], calendar)[0], None


def _until(match: Match[str], calendar: Calendar) -> Span:
    return None, day_or_month(match["day"], calendar)[1]


def _after(match: Match[str], calendar: Calendar) -> Span:
    return day_or_month(match["day"], calendar)[1] + timedelta(days=1), None


def _before(match: Match[str], calendar: Calendar) -> Span:
    return None, day_or_month(match["day"], calendar)[0] - timedelta(days=1)


def _since_number(match: Match[str], calendar: Calendar) -> Span:
    return _in_last_month(match["number"], calendar), None


def _until_number(match: Match[str], calendar: Calendar) -> Span:
    return None, _in_last_month(match["number"], calendar)


def _after_number(match: Match[str], calendar: Calendar) -> Span:
    return _in_last_month(match["number"], calendar) + timedelta(days=1), None


def _before_number(match: Match[str], calendar: Calendar) -> Span:
    return None, _in_last_month(match["number"], calendar) - timedelta(days=1)


def _single(match: Match[str], calendar: Calendar) -> Span:
    said = day(match["day"], calendar)
    return said, said


def _day_number(match: Match[str], calendar: Calendar) -> Span:
    said = _in_last_month(match["number"], calendar)
    return said, said


def _in_last_month(number: str, calendar: Calendar) -> date:
    """Return a day by its number alone, in the month in which the data ended."""
    return calendar.last.replace(day=int(number))


def _whole_year(match: Match[str], _calendar: Calendar) -> Span:
    year = int(match["year"])
    return date(year, 1, 1), date(year, 12, 31)


def _named_month(match: Match[str], calendar: Calendar) -> tuple[date, date]:
    return calendar.month(MONTHS[match["month"]], year_in(match["year"]))


_ORDINALS = ("first", "second", "third", "fourth")
_NUMBER_ENDING = rf"(?:\.? ?{role_pattern('words', 'ordinal_ending')})?"
_NUMBERED = rf"(?:(?P<ordinal>{_words(*_ORDINALS)})|(?P<figure>[1-4]){_NUMBER_ENDING})"
_IN_THE = f"(?:{_words('in', 'on', 'this')} |{_words('the')} )?"

# Longer expressions come first, since each contains one of the shorter.
_DATE_PATTERNS: tuple[DatePattern, ...] = (
    (rf"{_FROM}(?P<first>{DAY}) {_words('to')}{_DAYS} (?P<second>{DAY})", _between),
    (
        (
            rf"(?:{_FROM})?(?P<first>\d{{1,2}}){_TH} ?{_TO} ?(?:{_words('day')} )?"
            rf"(?P<second>\d{{1,2}}){_TH} {_OF}"
            rf"(?P<month>{MONTH}|{BARE_SHORT_MONTH}(?![a-z]))(?P<year>{YEAR})?"
        ),
        _days_of_month,
    ),
    (
        rf"{_THIS}(?:(?P<first>{_words('first')})|{_words('second')}) {_words('half')} {_OF_MONTH}",
        _half_month,
    ),
    (rf"{_IN}(?P<month>{BARE_SHORT_MONTH})(?![a-z])", _short_month),
    (
        rf"{_THIS}(?:(?P<first>{_words('first')})|{_words('last')}) {_words('week')} {_OF_MONTH}",
        _edge_week,
    ),
    (
        rf"{_THIS_WEEK}{_words('weeks')} (?P<first>\d{{1,2}}) ?{_TO} ?(?P<second>\d{{1,2}})",
        _week_numbers,
    ),
    (
        (
            rf"{_THIS_WEEK}{_words('week')}(?: {_words('number')})? ?"
            rf"(?P<number>\d{{1,2}})(?P<year>{YEAR})?(?![/.\d])"
        ),
        _week_number,
    ),
    (
        (
            rf"(?:{_FROM})?(?P<first>\d{{1,2}}) ?{_TO} ?"
            rf"(?:{_words('the')} )?(?:{_words('day')} )?"
            r"(?P<second>\d{1,2}/\d{1,2}(?:/\d{2,4})?)"
        ),
        _days_before,
    ),
    (
        (
            rf"(?:{_words('between')} )?(?:{_words('the')} )?{_words('day', 'days')} "
            rf"(?P<first>\d{{1,2}}) {_words('to')}{_THE_DAY} (?P<second>\d{{1,2}})(?![/.\d])"
        ),
        _numbered_days,
    ),
    (f"{_words('since')}{_THE_DAY} {_EDGE}", _since),
    (f"{_words('until')}{_THE_DAY} {_EDGE}", _until),
    (f"{_words('after')}{_THE_DAY} {_EDGE}", _after),
    (f"{_words('before')}{_THE_DAY} {_EDGE}", _before),
    (rf"{_words('since')}{_THE_DAY} {_NUMBER}(?![\d/.,%]| ?{_TO} ?\d)", _since_number),
    (
        (
            rf"{_words('until')}(?:(?: {_words('the')})? {_words('day')}"
            rf"| {_words('the_number')}(?= \d+{_words('ordinal_ending')})) {_NUMBER}(?!\d)"
        ),
        _until_number,
    ),
    (f"{_words('after')}{_THE_NUMBER}", _after_number),
    (f"{_words('before')}{_THE_NUMBER}", _before_number),
    (f"{_ON}(?P<day>{DAY})", _single),
    (f"(?:{_words('on')} )?{_words('day')} {_NUMBER}", _day_number),
    (
        (
            rf"{_IN_THE}{_NUMBERED} (?:{_words('quarter')}|(?P<half>{_words('semester')}))"
            rf"(?P<year>{YEAR})?"
        ),
        _named_quarter,
    ),
    (
        rf"{_IN_THE}[qt](?P<figure>[1-4])(?P<ordinal>)(?P<half>)(?P<year>{YEAR}|[ -](?:19|20)\d\d)",
        _named_quarter,
    ),
    (rf"{_OF_MONTH}", _named_month),
    (rf"(?P<month>(?!{_DOUBTFUL_MONTH}\b){MONTH})(?P<year>{YEAR})?", _named_month),
    (rf"{_words('in', 'year')} (?P<year>(?:19|20)\d\d)", _whole_year),
)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Resolve], ...]:
    from_today = (
        (pattern.replace("{counts}", "|".join(_COUNTS)), resolve)
        for name, resolve in _COUNTED_FROM_TODAY
        for pattern in date_patterns(name)
    )
    return tuple(
        (re.compile(rf"\b(?:{pattern})(?!\w)"), resolve)
        for pattern, resolve in (*_DATE_PATTERNS, *from_today)
    )
