"""Wide tables: a column a day, week, month, quarter or year, read as one of dates, one of numbers.

A question names dates, not headers: 'real da semana de 06/07', 'produção em maio'. The profile is
rewritten as if the table had a line for each cell; `Unpivoted.relation` is that table in SQL.

Columns of days of the week ('2.ª', 'Seg', 'Friday') count from the day in their line on which the
week begins.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.table import is_numeric, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import lexicons, month_names, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.query_ast import Grain
from qhub_desktop.nlq.tokenizer import normalize

_LEAST = 3  # columns of periods
_YEAR_IN_NAME = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DAY_OF_MONTH = re.compile(r"(\d{1,2})[/.\-](\d{1,2})(?:[/.\-](\d{2}|\d{4}))?\.?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[ T].*)?")
_MONTH_OF_YEAR = re.compile(r"(\d{1,2})[/.\-](\d{4})")
_MONTH_HEADER = re.compile(r"([^\W\d_]{3,})\.?[ /.\-]*'?(\d{2}|\d{4})?")
_WEEKDAY_BEFORE = re.compile(r"^[^\W\d_]{2,}\.?,? (?=\d)")
_NUMBERED = re.compile(r"([^\W\d_]{1,3})\.? ?(\d{1,2})|(\d)(?:\.?[ºo]\.?)? ?([^\W\d_]{1,3})\.?")
_CENTURY = 2000
# Days between columns, from which on each stands for a year, a quarter, a month.
_LEAST_DAYS: tuple[tuple[Grain, int], ...] = (
    *(("year", 365), ("quarter", 89), ("month", 28), ("week", 7)),
    ("day", 0),
)
_WEEKS, _QUARTERS = 53, 4
_SOME_WEEK = date(2000, 1, 3)  # a Monday, from which days of the week are told
_WEEK = 7
_STARTS = (0, 6)  # days on which a week begins: Monday, Sunday
_FIRST_NUMBER = 2  # of a day of the week that is told by one: '2.ª', a Monday


@dataclass(frozen=True, slots=True)
class Unpivoted:
    """A wide table read as a long one: its profile before and after, and its two new columns."""

    source: DatasetProfile
    profile: DatasetProfile
    day: str
    value: str
    days: tuple[tuple[str, date], ...]  # columns with the first day of their periods
    totals: tuple[str, ...] = ()  # columns of the wide table alone
    since: str = ""  # the wide table's column of the days on which the weeks begin

    @property
    def grain(self) -> Grain:
        """The unit of time that a column stands for."""
        days = sorted(day for _, day in self.days)
        between = min((after - before).days for before, after in pairwise(days))
        return next(grain for grain, least in _LEAST_DAYS if between >= least)

    @property
    def relation(self) -> str:
        """The long table as a subquery. Empty cells make no line."""
        return self._relation("")

    @property
    def relation_with_gaps(self) -> str:
        """The long table as a subquery with a line for empty cells, too."""
        return self._relation(" INCLUDE NULLS")

    def _relation(self, nulls: str) -> str:
        kept = [each.name for each in self.profile.columns[:-2]]
        names = [name for name in kept if name not in self.totals]
        cells = [
            f"CAST({quoted(name)} AS DOUBLE) AS {quoted(day.isoformat())}"
            for name, day in self.days
        ]
        begins = [quoted(self.since)] if self.since else []
        columns = ", ".join([*map(quoted, names), *begins, *cells])
        listed = ", ".join(quoted(day.isoformat()) for _, day in self.days)
        day, value, table = quoted(self.day), quoted(self.value), quoted(self.source.dataset)
        made, told = f"CAST({day} AS DATE)", "*"
        if self.since:
            passed = f"CAST({made} - DATE '{_SOME_WEEK}' AS INTEGER)"
            made = f"CAST({begins[0]} AS DATE) + {passed}"
            told = f"* EXCLUDE ({begins[0]})"
        return (  # names are quoted
            f"(SELECT {told} REPLACE ({made} AS {day}) FROM (SELECT {columns} FROM {table})"  # noqa: S608
            f" UNPIVOT{nulls} ({value} FOR {day} IN ({listed})))"
        )


def unpivoted(profile: DatasetProfile) -> Unpivoted | None:
    """Return a wide table as a long one, None if its columns are no periods."""
    numbers = [each for each in profile.columns if is_numeric(each.type) or not each.distinct]
    if len(numbers) < _LEAST:
        return None
    year = _year_of(profile)
    days = [
        (each.name, day) for each in numbers if (day := _first_day(each.name, year)) is not None
    ]
    since = None if days else _week_start(profile)
    if since is not None:
        days = _days_of_week(numbers, since)
    filled = [each for each in numbers if each.distinct and each.name in dict(days)]
    if len(filled) < _LEAST or len({day for _, day in days}) < len(days):
        return None
    totals = {normalize(word) for word in words_of("files", "total")}
    begins = "" if since is None else since.name
    kept = [each for each in profile.columns if each.name not in {*dict(days), begins}]
    sums = tuple(each.name for each in kept if normalize(each.name.strip()) in totals)
    taken = {each.name for each in kept}
    day_name = _unused(_("Date"), taken)
    value_name = _unused(_("Value"), taken)
    made = (
        *(each for each in kept),
        _days_profile(day_name, days, since),
        _values_profile(value_name, filled),
    )
    long = replace(profile, columns=made)
    return Unpivoted(profile, long, day_name, value_name, tuple(days), sums, begins)


def _week_start(profile: DatasetProfile) -> ColumnProfile | None:
    """Return the column of the days on which weeks begin, None if not just one can be it."""
    found = [
        each
        for each in profile.columns
        if each.type == "date" and (first := _as_day(each.min)) and (last := _as_day(each.max))
        if first.weekday() in _STARTS and (last - first).days % _WEEK == 0
        if each.distinct <= (last - first).days // _WEEK + 1
    ]
    return found[0] if len(found) == 1 else None


def _as_day(cell: object) -> date | None:
    return cell.date() if isinstance(cell, datetime) else cell if isinstance(cell, date) else None


def _days_of_week(columns: Sequence[ColumnProfile], since: ColumnProfile) -> list[tuple[str, date]]:
    """Return columns of days of the week, each with its day in a week that begins on a Monday."""
    first = _as_day(since.min)
    begins = first.weekday() if first is not None else 0
    return [
        (each.name, _SOME_WEEK + timedelta(days=(day - begins) % _WEEK))
        for each in columns
        if (day := _weekday(each.name)) is not None
    ]


def _weekday(header: str) -> int | None:
    """Return the day of the week that a header names, from 0 for Monday: '2.ª', 'Seg', 'Friday'."""
    said = header.strip()
    for pattern in words_of("files", "numbered_weekdays"):
        if found := re.fullmatch(pattern, said, re.IGNORECASE):
            return int(found[1]) - _FIRST_NUMBER
    return _weekdays().get(normalize(said).rstrip(". "))


def _unused(name: str, taken: set[str]) -> str:
    return name if name not in taken else _unused(f"{name} 2", taken)


def _days_profile(
    name: str, days: Sequence[tuple[str, date]], since: ColumnProfile | None
) -> ColumnProfile:
    known = sorted(day for _, day in days)
    if since is not None:
        weeks = [week for each in (since.min, since.max) if (week := _as_day(each)) is not None]
        known = [week + (day - _SOME_WEEK) for week in weeks for day in known]
    return ColumnProfile(name, "date", missing=0, distinct=len(known), min=known[0], max=known[-1])


def _values_profile(name: str, filled: Sequence[ColumnProfile]) -> ColumnProfile:
    low = [each.min for each in filled if isinstance(each.min, int | float)]
    high = [each.max for each in filled if isinstance(each.max, int | float)]
    whole = all(each.type == "integer" for each in filled)
    return ColumnProfile(
        name,
        "integer" if whole else "number",
        missing=0,
        distinct=max(each.distinct for each in filled),
        min=min(low, default=None),
        max=max(high, default=None),
    )


def _year_of(profile: DatasetProfile) -> int:
    """Return the year of headers without one: as the file or its sheet says, else this year."""
    named = " ".join((profile.file, profile.sheet or "", profile.dataset.replace("_", " ")))
    found = _YEAR_IN_NAME.search(named)
    return int(found[0]) if found else date.today().year


def _first_day(header: str, year: int) -> date | None:
    """Return the first day of the period that a header names: '01/07', 'Mar', 'KW 12', 'Q3'."""
    said = header.strip()
    without = _WEEKDAY_BEFORE.sub("", said)
    if _DAY_OF_MONTH.fullmatch(without):  # 'seg 06/07'
        said = without
    try:
        if found := _ISO.fullmatch(said):
            return date(int(found[1]), int(found[2]), int(found[3] or 1))
        if found := _MONTH_OF_YEAR.fullmatch(said):
            return date(int(found[2]), int(found[1]), 1)
        if found := _DAY_OF_MONTH.fullmatch(said):
            return date(_full(found[3], year), int(found[2]), int(found[1]))
        if found := _MONTH_HEADER.fullmatch(said):
            month = _months().get(normalize(found[1]))
            return None if month is None else date(_full(found[2], year), month, 1)
        if _YEAR_IN_NAME.fullmatch(said):
            return date(int(said), 1, 1)
        if found := _NUMBERED.fullmatch(said):
            return _numbered(found[1] or found[4], int(found[2] or found[3]), year)
    except ValueError:
        return None  # 31/02
    return None


def _full(said: str | None, year: int) -> int:
    if not said:
        return year
    return int(said) + (_CENTURY if len(said) == 2 else 0)


def _numbered(word: str, number: int, year: int) -> date | None:
    """Return the first day of a week or a quarter by its number."""
    said = normalize(word)
    if said in words_of("files", "week_headers") and 0 < number <= _WEEKS:
        return date.fromisocalendar(year, number, 1)
    if said in words_of("files", "quarter_headers") and 0 < number <= _QUARTERS:
        return date(year, 3 * number - 2, 1)
    return None


@cache
def _months() -> dict[str, int]:
    return {normalize(name).rstrip("."): number for name, number in month_names().items()}


@cache
def _weekdays() -> dict[str, int]:
    """Return the names of days of the week, whole and short, from 0 for Monday."""
    named: dict[str, int] = {}
    for calendar in (file.get("calendar", {}) for file in lexicons("calendar").values()):
        for place, names in enumerate(calendar.get("weekdays", ())):
            named.update((normalize(name), place) for name in names)
    whole = {normalize(each) for each in words_of("files", "weekdays")}
    longer = {each: named[each[:3]] for each in whole if each[:3] in named}
    return {**longer, **named}
