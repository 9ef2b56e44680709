"""Stretches of days as people write them: 'de 3 a 7 de março', 'since 3 March', 'semana 6'."""

import re
from datetime import date, timedelta
from functools import cache
from re import Match

from qhub_desktop.chat.offline.dates.days import (
    BARE_SHORT_MONTH,
    DAY,
    MONTH,
    MONTHS,
    SHORT_MONTH,
    SHORT_MONTHS,
    YEAR,
    Calendar,
    Read,
    Span,
    Way,
    day,
    day_or_month,
    month_named,
    year_in,
)
from qhub_desktop.chat.offline.dates.relative import COUNTED_FROM_TODAY
from qhub_desktop.chat.offline.words import blanked, flat

# Most questions name no day, and need none of the patterns below, which take long to compile.
_HINT = re.compile(
    rf"\d[/.-]\d|\b{SHORT_MONTH}[ .]|\d[ /-](?:de |of )?{SHORT_MONTH}|\b(?:19|20)\d\d\b"
    rf"|\b{MONTH}\b|\b{BARE_SHORT_MONTH}\b|\b(?:dia|day) \d|\b(?:hoje|today|ontem|yesterday"
    r"|anteontem|passad[ao]|last|semana|week|wk|mes|month|dias|days|semanas|weeks|meses|months)\b"
    r"|\b(?:desde|since|ate|until|from|de|the|after|before|apos|antes|depois)\b.{0,12}?\d"
)
_ON = r"(?:(?:(?:no|do|de|ao|on|the|em) )?(?:dia |day )|(?:em|on|de|of|a|at|in) )?"
_EDGE = rf"(?P<day>{DAY}|{MONTH}{YEAR}?)"


def find_days(text: str, calendar: Calendar) -> tuple[str, Span | None]:
    """The text with its first stretch of days blanked out, and that stretch."""
    plain = flat(text)
    if not _HINT.search(plain):
        return text, None
    for pattern, read in _compiled():
        for match in pattern.finditer(plain):
            try:
                return blanked(text, match), read(match, calendar)
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
    """The first or the last seven days of a month."""
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
    """'de 10 a 15/02': the month is said once."""
    last = day(match["second"], calendar)
    return last.replace(day=int(match["first"])), last


def _numbered_days(match: Match[str], calendar: Calendar) -> Span:
    """'do dia 3 ao dia 5': of the month in which the data ended."""
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
    """A day by its number alone: in the month in which the data ended."""
    return calendar.last.replace(day=int(number))


def _whole_year(match: Match[str], _calendar: Calendar) -> Span:
    year = int(match["year"])
    return date(year, 1, 1), date(year, 12, 31)


def _named_month(match: Match[str], calendar: Calendar) -> tuple[date, date]:
    return calendar.month(MONTHS[match["month"]], year_in(match["year"]))


# The longer ways of saying first: each would otherwise be read as one of the shorter.
_WAYS: tuple[Way, ...] = (
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
    *COUNTED_FROM_TODAY,
)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Read], ...]:
    return tuple((re.compile(rf"\b{pattern}(?!\w)"), read) for pattern, read in _WAYS)
