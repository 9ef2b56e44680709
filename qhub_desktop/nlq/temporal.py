"""Date and time expressions in a question: found, resolved, and blanked out.

Names of days and months, and what counts from today, come from the language files. The patterns of
dates that are written out stay here: they mix the prepositions of both languages around numbers.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from re import Match
from typing import Literal

from qhub_desktop.nlq.lexicon import date_patterns, ordinal_table, word_table
from qhub_desktop.nlq.tokenizer import blank_out, normalize_in_place

HourRelation = Literal["between", "at least", "below"]
Span = tuple[date | None, date | None]
Resolve = Callable[[Match[str], "Calendar"], Span]
DatePattern = tuple[str, Resolve]  # a pattern of a date expression, and its meaning


MONTHS = ordinal_table("months", start=1)
# Short names say a month only beside the number of a day.
SHORT_MONTHS = ordinal_table("short_months", start=1)
_DAYS_AGO: dict[str, int] = word_table("days_ago")
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


_CLOCK = re.compile(r"(\d{1,2})(?:h\d*|:\d\d| ?horas?)? ?(am|pm)?")
_TIME = r"\d{1,2}(?:h(?:\d\d)?|:\d\d| ?horas?| ?am| ?pm| o'?clock)"
_HOUR_PATTERNS: tuple[tuple[re.Pattern[str], HourRelation], ...] = (
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
    """A relation to hours of the day."""

    relation: HourRelation
    numbers: tuple[float, ...]


def find_hours(text: str) -> tuple[str, Hours | None]:
    """Blank out the first range of hours in a text; return the rest and the range."""
    plain = normalize_in_place(text)
    for pattern, relation in _HOUR_PATTERNS:
        if (match := pattern.search(plain)) is not None:
            numbers = tuple(_hour(*each) for each in _CLOCK.findall(match[0]))
            if relation == "between":
                numbers = (numbers[0], numbers[1] - 1)
            return blank_out(text, match), Hours(relation, numbers)
    return text, None


def _hour(number: str, half: str) -> float:
    return float(int(number) % 12 + 12 if half == "pm" else int(number))


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
    ("this_year", _this_year),
)


# Most questions have no date; this spares them the patterns below, which are slow to compile.
_HINT = re.compile(
    rf"\d[/.-]\d|\b{SHORT_MONTH}[ .]|\d[ /-](?:de |of )?{SHORT_MONTH}|\b(?:19|20)\d\d\b"
    rf"|\b{MONTH}\b|\b{BARE_SHORT_MONTH}\b|\b(?:dia|day) \d"
    rf"|\b(?:{'|'.join([*_DAYS_AGO, *date_patterns('hint')])})\b"
    r"|\b(?:desde|since|ate|until|from|de|the|after|before|apos|antes|depois)\b.{0,12}?\d"
)
_ON = r"(?:(?:(?:no|do|de|ao|on|the|em) )?(?:dia |day )|(?:em|on|de|of|a|at|in) )?"
_EDGE = rf"(?P<day>{DAY}|{MONTH}{YEAR}?)"


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
    return date(year, month, int(match["first"])), date(year, month, int(match["second"]))


def _half_month(match: Match[str], calendar: Calendar) -> Span:
    first, last = _named_month(match, calendar)
    if match["which"][0] in "pf1":
        return first, first.replace(day=15)
    return first.replace(day=16), last


def _short_month(match: Match[str], calendar: Calendar) -> Span:
    return calendar.month(SHORT_MONTHS[match["month"]])


def _edge_week(match: Match[str], calendar: Calendar) -> Span:
    """Return the first or the last seven days of a month."""
    first, last = _named_month(match, calendar)
    if match["which"][0] in "pf":
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
    return last.replace(day=int(match["first"])), last


def _numbered_days(match: Match[str], calendar: Calendar) -> Span:
    """Return two days of the data's last month: 'do dia 3 ao dia 5'."""
    return _in_last_month(match["first"], calendar), _in_last_month(match["second"], calendar)


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


# Longer expressions come first, since each contains one of the shorter.
_DATE_PATTERNS: tuple[DatePattern, ...] = (
    (
        (
            rf"(?:entre|between|desde|de|from)(?: o| os| the)?(?: dia| dias)? (?P<first>{DAY}) "
            r"(?:e|a|ao|ate|ate a|ate ao|to|and|until|till)(?: o| the)?(?: dia)? "
            rf"(?P<second>{DAY})"
        ),
        _between,
    ),
    (
        (
            r"(?:(?:entre|between|desde|de|from)(?: o| os| the)?(?: dia| dias)? )?"
            r"(?P<first>\d{1,2})(?:st|nd|rd|th)? ?(?:e|a|ao|ate|to|and|until|-) ?(?:dia )?"
            r"(?P<second>\d{1,2})(?:st|nd|rd|th)? (?:de |of )?"
            rf"(?P<month>{MONTH}|{BARE_SHORT_MONTH}(?![a-z]))(?P<year>{YEAR})?"
        ),
        _days_of_month,
    ),
    (
        (
            r"(?:[nd]?a |in the |the )?(?P<which>primeira|segunda|first|second|1a|2a) "
            r"(?:quinzena|metade|half) "
            rf"(?:de |of |in )(?P<month>{MONTH})(?P<year>{YEAR})?"
        ),
        _half_month,
    ),
    (
        rf"(?:em|in|during|durante|de|of) (?P<month>{BARE_SHORT_MONTH})(?![a-z])",
        _short_month,
    ),
    (
        (
            r"(?:[nd]?a |in the |the )?(?P<which>primeira|ultima|first|last) (?:semana|week) "
            rf"(?:de |of |in )(?P<month>{MONTH})(?P<year>{YEAR})?"
        ),
        _edge_week,
    ),
    (
        (
            r"(?:(?:n?as |the |in )?(?:semanas|weeks|wks) )(?P<first>\d{1,2}) ?"
            r"(?:e|a|to|and|-) ?(?P<second>\d{1,2})"
        ),
        _week_numbers,
    ),
    (
        (
            r"(?:(?:[nd]?a |in |of |for |the )?(?:semana|week|wk|kw|sem)(?: n[.o]*| number| no)? ?)"
            rf"(?P<number>\d{{1,2}})(?P<year>{YEAR})?(?![/.\d])"
        ),
        _week_number,
    ),
    (
        (
            r"(?:(?:entre|between|desde|de|do|from)(?: o| os| the)?(?: dia| dias)? )?"
            r"(?P<first>\d{1,2}) ?(?:e|a|ao|ate|to|and|until|-) ?(?:o )?(?:dia )?"
            r"(?P<second>\d{1,2}/\d{1,2}(?:/\d{2,4})?)"
        ),
        _days_before,
    ),
    (
        (
            r"(?:d?os? |from |between |entre )?(?:dias?|days?) (?P<first>\d{1,2}) "
            r"(?:e|a|ao|ate|to|and)(?: o)?(?: dia)? (?P<second>\d{1,2})(?![/.\d])"
        ),
        _numbered_days,
    ),
    (
        rf"(?:desde|since|a partir de|a partir do|starting|from)(?: o dia| dia| the)? {_EDGE}",
        _since,
    ),
    (rf"(?:ate|until|till|up to)(?: ao| a| o)?(?: dia)? {_EDGE}", _until),
    (rf"(?:depois de|apos|after)(?: o)?(?: dia)? {_EDGE}", _after),
    (rf"(?:antes de|before)(?: o)?(?: dia)? {_EDGE}", _before),
    (
        (
            r"(?:desde|since|from|a partir d[eo])(?: o| the)?(?: dia)? (?P<number>\d{1,2})"
            r"(?:st|nd|rd|th)?(?![\d/.,%]| ?(?:e|a|to|and|-) ?\d)"
        ),
        _since_number,
    ),
    (
        r"(?:ate|until|up to)(?: ao| a| o)?(?: dia| the(?= \d+[a-z])) (?P<number>\d{1,2})(?!\d)",
        _until_number,
    ),
    (
        r"(?:depois d[eo]|apos o?|after)(?: o)?(?: dia| the) (?P<number>\d{1,2})(?:st|nd|rd|th)?",
        _after_number,
    ),
    (
        r"(?:antes d[eo]|before)(?: o)?(?: dia| the) (?P<number>\d{1,2})(?:st|nd|rd|th)?",
        _before_number,
    ),
    (rf"{_ON}(?P<day>{DAY})", _single),
    (r"(?:(?:no|do|on|the) )?(?:dia |day )(?P<number>\d{1,2})", _day_number),
    (rf"(?:(?:em|in|de|of|durante|during|for) )(?P<month>{MONTH})(?P<year>{YEAR})?", _named_month),
    (
        rf"(?P<month>(?!may\b|march\b){MONTH})(?P<year>{YEAR})?",
        _named_month,
    ),
    (r"(?:em|in|de|of|durante|during|for|ano|year) (?P<year>(?:19|20)\d\d)", _whole_year),
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
