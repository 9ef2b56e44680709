"""Stretches of days counted from today: 'ontem', 'this week', 'últimos 7 dias'."""

import re
from datetime import date, timedelta
from re import Match

from qhub_desktop.chat.offline.dates.days import Calendar, Span, Way, numbered, whole_month
from qhub_desktop.chat.offline.words import flat

_COUNTS = numbered(
    *("dois duas two", "tres three", "quatro four", "cinco five", "seis six", "sete seven"),
    start=2,
)
_WEEKDAYS = ("seg mon", "ter tue", "qua wed", "qui thu", "sex fri", "sab sat", "dom sun")
_RELATIVE = re.compile(
    r"\b(?:hoje|today|ontem|yesterday|anteontem|ultim[oa]s?|last|past|this|est[ae]|nest[ae]|dest[ae]"
    r"|passad[oa]|anterior|previous|prior|atual)\b"
)


def says_relatively(text: str, rest: str) -> bool:
    """Whether what was blanked out counts from today."""
    return bool(_RELATIVE.search(flat(text))) and not _RELATIVE.search(flat(rest))


def _last_days(match: Match[str], calendar: Calendar) -> Span:
    number = _COUNTS.get(match["number"]) or int(match["number"])
    if match["unit"][0] == "m":
        month = calendar.now.year * 12 + calendar.now.month - number
        return date(month // 12, month % 12 + 1, 1), calendar.now
    days = number * (7 if match["unit"][0] in "sw" else 1)
    return calendar.now - timedelta(days=days - 1), calendar.now


def _last_weekday(match: Match[str], calendar: Calendar) -> Span:
    name = match["name"] or match["nome"]
    wanted = next(place for place, names in enumerate(_WEEKDAYS) if name[:3] in names)
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


COUNTED_FROM_TODAY: tuple[Way, ...] = (
    (
        (
            r"(?:[nd]?os |[nd]?as |in the |the |in |over the )?(?:ultim[oa]s|last|past) "
            rf"(?P<number>\d{{1,4}}|{'|'.join(_COUNTS)}) "
            r"(?P<unit>dias|days|semanas|weeks|meses|months)"
        ),
        _last_days,
    ),
    (
        (
            r"(?:[nd]?[ao] )?(?P<nome>segunda|terca|quarta|quinta|sexta|sabado|domingo)"
            r"(?:[ -]feira)? passad[ao]|(?:on )?last "
            r"(?P<name>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
        ),
        _last_weekday,
    ),
    (r"(?:[nd]?est[ae] semana|a semana atual|this week)", _this_week),
    (
        (
            r"(?:[nd]?a )?(?:semana passada|ultima semana|semana anterior|last week|(?:the )?"
            r"(?:previous|prior) week|(?:the )?week before)"
        ),
        _last_week,
    ),
    (r"(?:[nd]?este mes|[nd]?o mes atual|(?:so far )?this month)", _this_month),
    (
        (
            r"(?:[nd]?o )?(?:mes passado|ultimo mes|mes anterior|last month|(?:the )?"
            r"(?:previous|prior) month|(?:the )?month before)(?:.s)?"
        ),
        _last_month,
    ),
    (r"(?:[nd]?este ano|this year)", _this_year),
)
