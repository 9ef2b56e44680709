"""Fiscal years in questions: 'ano fiscal 2025/26', 'FY26', 'last fiscal year', 'Geschäftsjahr'.

No file says when a plant's fiscal year begins. A question that names one is read once for each
month in which such years usually begin; which of them is meant is asked, and remembered like any
other reading. A year that has one number is called by the year in which it ends.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from qhub_desktop.core.text import fold_in_place
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.lexicon import date_patterns, words_by_role

STARTS = (4, 7, 10, 1)  # months in which fiscal years begin
_CENTURY = 2000
_DAYS = "de {:%d/%m/%Y} a {:%d/%m/%Y}"
_MONTHS, _QUARTER = 12, 3


@dataclass(frozen=True, slots=True)
class FiscalYear:
    """A fiscal year that a question names, and where: its words are `said`."""

    said: str
    start: int
    end: int
    year: int | None  # in which it ends; None counts from the data's last day
    ago: int = 0  # years before that one
    quarter: int = 0  # of the year, from 1; 0 is the whole year

    def days(self, month: int, last: date) -> tuple[date, date]:
        """Return its first and last day where years begin in a month."""
        now = last.year + (month > 1 and last.month >= month)
        ends = (now if self.year is None else self.year) - self.ago
        begins = ends - (month > 1)
        if not self.quarter:
            return date(begins, month, 1), date(begins + 1, month, 1) - timedelta(days=1)
        at = month - 1 + _QUARTER * (self.quarter - 1)
        after = at + _QUARTER
        first = date(begins + at // _MONTHS, at % _MONTHS + 1, 1)
        return first, date(begins + after // _MONTHS, after % _MONTHS + 1, 1) - timedelta(days=1)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{each})(?!\w)") for each in date_patterns("fiscal_year"))


def fiscal_year_in(question: str) -> FiscalYear | None:
    """Return the one fiscal year that a question names, None if it names none or several."""
    folded = fold_in_place(question)
    found = [said for each in _patterns() for said in each.finditer(folded)]
    widest = sorted(found, key=lambda each: (each.start(), -each.end()))[:1]
    if not widest or any(each.start() >= widest[0].end() for each in found):
        return None
    (match,) = widest
    if {*folded[: match.start()].split()[-1:]} & words_by_role("by"):
        return None  # 'por ano fiscal', a group
    named = match.groupdict()
    year = named.get("to") or named.get("year")
    number = None if year is None else int(year) % 100 + _CENTURY
    start, end = match.span("said")
    return FiscalYear(
        question[start:end],
        *match.span(),
        number,
        int(bool(named.get("last") or named.get("before"))),
        int(named.get("quarter") or named.get("number") or 0),
    )


def fiscal_readings(
    named: FiscalYear, question: str, first: date, last: date, known: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return each year that may be meant, by its ends, and the question with its days.

    `first` and `last` are the days between which the data are: a year that begins with them comes
    first. Where the person chose one before, whatever it was called, it is the only one: `known`
    are the readings of words that were chosen.
    """
    months = sorted(STARTS, key=lambda month: month != first.month)
    years = {month: replace(named, quarter=0).days(month, last) for month in months}
    labels = {month: " \u2013 ".join(f"{day:%d/%m}" for day in years[month]) for month in months}
    chosen = [month for month in months if labels[month] in known.values()]
    dated = {
        labels[month]: _DAYS.format(*named.days(month, last)) for month in chosen[:1] or months
    }
    before, behind = question[: named.start], question[named.end :]
    return [(label, f"{before} {days} {behind}") for label, days in dated.items()]
