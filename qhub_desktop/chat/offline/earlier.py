"""The time before the one that is asked about, so that a number can be compared with it."""

from calendar import monthrange
from dataclasses import replace
from datetime import date, datetime, timedelta

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import Count, Measured, Numbers, Period, Scope

_LACKING = 10  # a tenth of the days may lack at an edge: holidays, the days until today
_WEEK, _MONTH = 7, 28
_LONG = 3  # so many times the stretch must be there before it is compared


def earlier(plan: Numbers, index: Index) -> Count | Measured | None:
    """The same number of the period before, if days are asked for and the data has those before."""
    match plan:
        case Count(scope, is_share=False) | Measured(scope):
            before = _before(scope, index)
            return None if before is None else replace(plan, scope=before)
        case _:
            return None


def latest(index: Index) -> tuple[Period, Period] | None:
    """The last stretch of the data and the one before it: four weeks, or one if there are few."""
    column, first, last = index.date_column, first_day(index), index.last_day
    if column is None or first is None or last is None:
        return None
    days = (last - first).days + 1
    for length in (_MONTH, _WEEK):
        if days >= _LONG * length:
            start = last - timedelta(days=length - 1)
            before = (start - timedelta(days=length), start - timedelta(days=1))
            return Period(column, start, last), Period(column, *before)
    return None


def stretch(period: Period | None, index: Index) -> tuple[Period, Period] | None:
    """A period and the one before it, where both are in the data; the last one if none is said."""
    if period is None:
        return latest(index)
    before = _period_before(period, index)
    return None if before is None else (period, before)


def first_day(index: Index) -> date | None:
    """The data's first day."""
    if index.date_column is None:
        return None
    match index.column(index.date_column).min:
        case datetime() as moment:
            return moment.date()
        case date() as day:
            return day
        case _:
            return None


def _before(scope: Scope, index: Index) -> Scope | None:
    before = None if scope.period is None else _period_before(scope.period, index)
    return None if before is None else replace(scope, period=before)


def _period_before(period: Period, index: Index) -> Period | None:
    first, last = first_day(index), index.last_day
    start, end = period.start, period.end
    is_there = period.column == index.date_column and first is not None and last is not None
    if not is_there or start is None or end is None:
        return None
    assert first is not None
    assert last is not None
    before = _span_before(start, end)
    allowed = timedelta(days=((end - start).days + 1) // _LACKING)
    if first > before[0] + allowed or end > last + allowed:
        return None
    return Period(period.column, *before)


def _span_before(start: date, end: date) -> tuple[date, date]:
    """As many days before; the year or the month before if it is a whole one."""
    last = start - timedelta(days=1)
    is_to_end = end.day == monthrange(end.year, end.month)[1]
    if start.day == 1 and is_to_end and (start.year, start.month) == (end.year, end.month):
        return last.replace(day=1), last
    if (start.month, start.day, end.month, end.day) == (1, 1, 12, 31) and start.year == end.year:
        return start.replace(year=start.year - 1), last
    return start - (end - start) - timedelta(days=1), last
