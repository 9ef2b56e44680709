"""Grammar of date expressions; its words come from the language files.

Languages mix in a question, and what is around the numbers is much the same, so there is one
grammar for all. Text is without accents and capitals, and 'º' is 'o'.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from re import Match

from qhub_desktop.core.text import word_table
from qhub_desktop.nlq.date_units import (
    ALONE,
    COUNTS,
    LAST,
    LAST_YEAR,
    LEANING,
    MONTHS_OF,
    PAIRED,
    WEEKS_OF_A_MONTH,
    Calendar,
    Kind,
    Make,
    Unit,
    days_of,
    unit_around,
    unit_of,
    units_from_today,
)
from qhub_desktop.nlq.lexicon import date_patterns, ordinal_table, role_pattern


def words(*roles: str) -> str:
    """Return a pattern of the words of dates in some roles."""
    return role_pattern("date_words", *roles)


_MONTHS = ordinal_table("months", start=1)
_SHORT_MONTHS = ordinal_table("short_months", start=1, with_ambiguous=True)
_DOUBTFUL = re.compile(role_pattern("calendar", "ambiguous_short_months", "doubtful_months"))
_DAYS_AGO: dict[str, int] = word_table("days_ago")
_ORDINALS = ("first", "second", "third", "fourth", "last")
_THIS_YEAR = f"(?:{'|'.join(date_patterns('this_year'))})"

_LONG = rf"(?:{'|'.join(_MONTHS)})(?!\w)"
_SHORT = rf"(?:{'|'.join(sorted(_SHORT_MONTHS, key=len, reverse=True))})(?![a-z]|\d{{3}})\.?"
_MONTH = rf"(?P<month>{_LONG}|{_SHORT})"
_OF = f"(?:{words('of')} )?"
_FIGURES = r"(?:19|20)\d\d(?!\d|[.,/]\d)"
_TWO_FIGURES = r"['’‘]\d\d(?!\d)"
_SAID_YEAR = f" {_OF}(?:{LAST_YEAR}|{_THIS_YEAR})"
_FULL_YEAR = (
    rf"(?:,? {_OF}(?:{words('year')} {_OF})?|,|[-/.])(?:{_FIGURES}|{_TWO_FIGURES})|{_TWO_FIGURES}"
    rf"|{_SAID_YEAR}"
)
_YEAR = rf"(?P<year>{_FULL_YEAR})?"
_MONTHS_YEAR = rf"(?P<year>{_FULL_YEAR}|[-/]\d\d(?![\d/]|[.-]\d))"  # 'fev/25'
_CODES_YEAR = rf"(?P<year>,? {_OF}{_FIGURES}|[-/ ]?(?:{_FIGURES}|{_TWO_FIGURES})|[-/]\d\d(?!\d))"
_GLUED_YEAR = rf"(?P<year>,? {_OF}{_FIGURES}|[-/ ]?(?:{_FIGURES}|{_TWO_FIGURES})|[-/]?\d\d(?!\d))"
_TH = rf"(?:\.?{words('ordinal_ending')}|\.?[oa])?(?![a-z])"
_IN_A_PHRASE = re.compile(rf",? {words('of_in_phrases')} ")
_YEAR_FIRST = r"(?P<year>(?:19|20)\d\d)[-/]?"
_ENDING_SAID = rf"\.?{role_pattern('words', 'ordinal_ending')}"
_ENDING = rf"(?:\.? ?{role_pattern('words', 'ordinal_ending')})?"
_NO_MORE = r"(?![\w%]|[.,/:]\d)"  # a number ends here
_WEEK_NUMBER = r"(?P<number>\d\d?)(?![\w%]|[.,:]\d|/\d\d?(?!\d))"
PREPOSITION = words("on", "in", "this", "the")
_BEFORE = rf"(?:(?<!\w-){PREPOSITION} ){{0,2}}"  # none of 'check-in em julho'
_WEEKDAY = rf"(?:{words('weekday')}\.?,? (?:{PREPOSITION} )?)"
_BEFORE_DAY = f"(?P<before>{_BEFORE}{_WEEKDAY}?(?:{words('day')} )?)"
_BEFORE_MONTH = rf"(?P<before>{_BEFORE}(?:{words('month')} {words('of')} )?)"
_ORDINAL = rf"(?:(?P<ordinal>{words(*_ORDINALS)})|(?P<figure>[1-4]){_ENDING})"
_COUNT = rf"(?P<count>\d{{1,2}}|{'|'.join(COUNTS)})"
_NAMED_MONTH = rf"{words('in', 'on')} (?:{words('month')} {_OF})?{_MONTH}{_YEAR}"
_THIS_MONTH = "|".join(date_patterns("this_month"))
_LAST_MONTH = "|".join(date_patterns("last_month"))
_OF_MONTH = (
    rf"(?:{_NAMED_MONTH}|(?P<past>{_OF}(?:{_LAST_MONTH}))"
    rf"|(?P<present>{_OF}(?:{_THIS_MONTH})|{words('of')} (?:{words('the')} )?{words('month')}))"
)


def _name_in(match: Match[str]) -> str:
    return match["month"].rstrip(".")


def _month_in(match: Match[str]) -> int:
    return _MONTHS.get(_name_in(match)) or _SHORT_MONTHS[_name_in(match)]


def _year_in(match: Match[str], calendar: Calendar) -> int | None:
    return calendar.year(match["year"]) if match["year"] else None


def _month_and_year(match: Match[str], calendar: Calendar) -> tuple[int | None, int | None]:
    """Return the month that a part is of, if that is said, with its year, if that is."""
    if match["present"] or match["past"]:
        first, _ = unit_around("month", calendar.now, int(bool(match["past"])))
        return first.month, first.year
    return (_month_in(match), _year_in(match, calendar)) if match["month"] else (None, None)


def _number_in(match: Match[str]) -> int:
    if match["figure"]:
        return int(match["figure"])
    roles = (each for each in _ORDINALS if re.fullmatch(words(each), match["ordinal"]))
    place = _ORDINALS.index(next(roles)) + 1
    return place if place < len(_ORDINALS) else LAST


def _is_doubtful(match: Match[str]) -> bool:
    return bool(_DOUBTFUL.fullmatch(_name_in(match)))


def _day_in_figures(match: Match[str], calendar: Calendar) -> Unit:
    groups = match.groupdict()
    year = calendar.year(groups["y"]) if groups.get("y") else None
    is_bare = year is None and re.fullmatch(r"[1-9]/[1-9]", match["figures"])
    before = match["before"].split()
    is_said = before and not re.fullmatch(words("of", "the"), before[-1])
    rest = match.string[match.end() :]
    is_part = is_bare and (not is_said or re.match(rf" {words('of', 'from')} ", rest))
    return unit_of(
        "day",
        match,
        number=int(match["d"]),
        month=int(match["m"]),
        year=year,
        strength=PAIRED if is_part else ALONE,  # a half of something: '1/2'
        is_doubtful=bool(is_part),
    )


def _day_of_month(match: Match[str], calendar: Calendar) -> Unit:
    year = _year_in(match, calendar)
    is_word = (
        _name_in(match) not in _MONTHS
        and _is_doubtful(match)
        and match["joint"] == " "
        and year is None
    )
    return unit_of(
        "day",
        match,
        number=int(match["d"]),
        month=_month_in(match),
        year=year,
        strength=PAIRED if is_word else ALONE,
        is_doubtful=is_word,
    )


def _day_after_month(match: Match[str], calendar: Calendar) -> Unit:
    if _name_in(match) not in _MONTHS and _is_doubtful(match):
        raise ValueError(match[0])  # 'set 2'
    year = _year_in(match, calendar)
    return unit_of("day", match, number=int(match["d"]), month=_month_in(match), year=year)


def _day_ago(match: Match[str], calendar: Calendar) -> Unit:
    day = calendar.now - timedelta(days=_DAYS_AGO[match["said"]])
    return replace(unit_of("relative", match), span=(day, day), grain="day")


def _day_number(match: Match[str], _calendar: Calendar) -> Unit:
    return unit_of("day", match, number=int(match["d"]))


def _day_numbers(match: Match[str], _calendar: Calendar) -> Unit:
    return unit_of("day", match, number=int(match["d"]), strength=PAIRED)


def _bare_number(match: Match[str], calendar: Calendar) -> Unit:
    year = _year_in(match, calendar)  # of a week
    return unit_of("number", match, number=int(match["d"]), year=year, strength=LEANING)


def _bare_ordinal(match: Match[str], calendar: Calendar) -> Unit:
    number, year = _number_in(match), _year_in(match, calendar)
    return unit_of("ordinal", match, number=number, year=year, strength=LEANING)


def _bare_part(match: Match[str], calendar: Calendar) -> Unit:
    month, year = _month_and_year(match, calendar)
    number = _number_in(match)
    return unit_of("ordinal", match, number=number, month=month, year=year, strength=LEANING)


def _named_month(match: Match[str], calendar: Calendar) -> Unit:
    year = _year_in(match, calendar)
    is_word = year is None and _is_doubtful(match)
    is_long = _name_in(match) in _MONTHS
    if not is_long and _is_doubtful(match) and _IN_A_PHRASE.match(match["year"] or ""):
        raise ValueError(match[0])  # 'out of 2025 orders'
    is_in = bool(match["before"]) and re.search(rf"{words('in')} $", match["before"])
    stands = year is not None or (is_long and not is_word) or (is_in and (is_long or not is_word))
    return unit_of(
        "month",
        match,
        month=_month_in(match),
        year=year,
        strength=ALONE if stands else LEANING if is_word and not is_long else PAIRED,
        is_doubtful=bool(is_word and not is_in),
    )


def _month_in_figures(match: Match[str], calendar: Calendar) -> Unit:
    return unit_of("month", match, month=int(match["m"]), year=calendar.year(match["y"]))


def _quarter(match: Match[str], calendar: Calendar) -> Unit:
    kind: Kind = "semester" if match["half"] else "quarter"
    number, year = _number_in(match), _year_in(match, calendar)
    if number == LAST:
        if year is None:
            raise ValueError(match[0])  # 'último trimestre' counts from today
        number = 12 // MONTHS_OF[kind]
    if number > 12 // MONTHS_OF[kind]:
        raise ValueError(match[0])
    return unit_of(kind, match, number=number, year=year)


def _quarter_after(match: Match[str], calendar: Calendar) -> Unit:
    kind: Kind = "semester" if match["half"] else "quarter"
    return unit_of(kind, match, number=int(match["figure"]), year=_year_in(match, calendar))


def _code(kind: Kind) -> Make:
    def make(match: Match[str], calendar: Calendar) -> Unit:
        year = _year_in(match, calendar)
        strength = LEANING if year is None else ALONE  # 'Q2' may name something else
        return unit_of(kind, match, number=int(match["figure"]), year=year, strength=strength)

    return make


def _half_year(match: Match[str], calendar: Calendar) -> Unit:
    year = _year_in(match, calendar) or calendar.now.year
    return unit_of("semester", match, number=_number_in(match), year=year)


def _part(kind: Kind, parts: int) -> Make:
    def make(match: Match[str], calendar: Calendar) -> Unit:
        number = _number_in(match)
        if number > parts:
            raise ValueError(match[0])
        if number == LAST and kind == "half of a month":
            number = parts
        month, year = _month_and_year(match, calendar)
        strength = ALONE if month else PAIRED
        return unit_of(kind, match, number=number, month=month, year=year, strength=strength)

    return make


def _edge_days(match: Match[str], calendar: Calendar) -> Unit:
    count = COUNTS.get(match["count"]) or int(match["count"])
    month, year = _month_and_year(match, calendar)
    number = -count if match["last"] else count
    return unit_of("edge of a month", match, number=number, month=month, year=year)


def _week(strength: int) -> Make:
    def make(match: Match[str], calendar: Calendar) -> Unit:
        year = _year_in(match, calendar)
        said = strength if year is None else ALONE
        return unit_of("week", match, number=int(match["number"]), year=year, strength=said)

    return make


def _year_said(match: Match[str], calendar: Calendar) -> Unit:
    year = calendar.year(match["year"])
    is_said = match["before"] and not re.search(rf"{words('measured')} $", _text_before(match))
    return unit_of("year", match, year=year, strength=ALONE if is_said else PAIRED)


def _text_before(match: Match[str]) -> str:
    return match.string[max(0, match.start() - 20) : match.start()]


_UNITS = role_pattern("words", "unit", "part", "currency")
_BEFORE_QUARTER = f"(?:{words('in', 'on', 'this')} |{words('the')} )?"
_QUARTERS = rf"(?:{words('quarter')}|(?P<half>{words('semester')}))(?!\w)"
_PATTERNS: tuple[tuple[str, Make], ...] = (
    (
        rf"{_BEFORE_DAY}(?P<figures>(?P<y>\d{{4}})-(?P<m>\d\d?)-(?P<d>\d\d?))(?![\w-])",
        _day_in_figures,
    ),
    (
        rf"{_BEFORE_DAY}(?P<figures>(?P<d>\d\d?)[.-](?P<m>\d\d?)[.-](?P<y>\d{{4}}))(?!\w)",
        _day_in_figures,
    ),
    (
        rf"{_BEFORE_DAY}(?P<figures>(?P<d>\d\d?)/(?P<m>\d\d?)(?:/(?P<y>\d{{4}}|\d\d))?)(?![\w/%])",
        _day_in_figures,
    ),
    (
        (
            rf"{_BEFORE_DAY}(?P<d>\d\d?){_TH}(?P<joint> {words('of')} |[ /-])(?:{_MONTH})"
            rf"(?:{_MONTHS_YEAR})?(?!\w)"
        ),
        _day_of_month,
    ),
    (
        rf"{_BEFORE_DAY}{_MONTH} (?:{words('the_number')} )?(?P<d>\d\d?){_TH}{_NO_MORE}{_YEAR}",
        _day_after_month,
    ),
    (rf"{_BEFORE_DAY}(?P<said>{'|'.join(_DAYS_AGO)})(?!\w)", _day_ago),
    (
        rf"{_BEFORE}{_WEEKDAY}?{words('day')} (?P<d>\d\d?){_TH}{_NO_MORE}(?! {_OF}{_LONG})",
        _day_number,
    ),
    (
        (
            rf"{_BEFORE}{_WEEKDAY}(?:{words('day', 'the_number')} )?(?P<d>\d\d?)"
            rf"{words('ordinal_ending')}(?!\w)"
        ),
        _day_number,
    ),
    (
        rf"{words('on')} {words('the_number')} (?P<d>\d\d?){words('ordinal_ending')}(?=$|[?,.;!])",
        _day_number,
    ),
    (rf"{_BEFORE}{words('days')} (?P<d>\d\d?){_TH}{_NO_MORE}", _day_numbers),
    (
        rf"{words('the_number')} (?P<d>\d\d?){words('ordinal_ending')}(?!\w)",
        _day_numbers,
    ),
    (rf"{_BEFORE_MONTH}{_MONTH}(?:{_MONTHS_YEAR})?(?![\w'])", _named_month),
    (
        rf"{_BEFORE_MONTH}(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?!\w|[/.,]\d)",
        _month_in_figures,
    ),
    (
        rf"{_BEFORE_MONTH}(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\w/-])",
        _month_in_figures,
    ),
    (rf"{_BEFORE_QUARTER}{_ORDINAL} {_QUARTERS}(?:{_MONTHS_YEAR})?", _quarter),
    (rf"{_BEFORE_QUARTER}{_QUARTERS} (?P<figure>[1-4]){_NO_MORE}{_YEAR}", _quarter_after),
    (
        rf"{_BEFORE_QUARTER}{words('quarter_code')}(?P<figure>[1-4])(?:{_CODES_YEAR})?(?![\w'])",
        _code("quarter"),
    ),
    (
        rf"{_BEFORE_QUARTER}{_YEAR_FIRST}{words('quarter_code')}(?P<figure>[1-4])(?!\w)",
        _code("quarter"),
    ),
    (
        rf"{_BEFORE_QUARTER}{_YEAR_FIRST}{words('semester_code')}(?P<figure>[12])(?!\w)",
        _code("semester"),
    ),
    (
        rf"{_BEFORE_QUARTER}(?P<figure>[1-4]){words('quarter_code')}(?:{_GLUED_YEAR})?(?![\w'])",
        _code("quarter"),
    ),
    (
        rf"{_BEFORE_QUARTER}{words('semester_code')}(?P<figure>[12])(?:{_CODES_YEAR})?(?![\w'])",
        _code("semester"),
    ),
    (
        rf"{_BEFORE_QUARTER}(?P<figure>[12]){words('semester_code')}(?:{_GLUED_YEAR})?(?![\w'])",
        _code("semester"),
    ),
    (
        (
            rf"{_BEFORE_QUARTER}(?P<ordinal>{words('first', 'second')})(?P<figure>) "
            rf"{words('half_year')}(?:(?P<year>{_FULL_YEAR})"
            rf"| {words('of')} (?:{words('the')} )?{words('year')})"
        ),
        _half_year,
    ),
    (rf"{_BEFORE}{_ORDINAL} {words('half')}(?: {_OF_MONTH})?(?!\w)", _part("half of a month", 2)),
    (
        rf"{_BEFORE}{_ORDINAL} {words('week')}(?: {_OF_MONTH})?(?!\w)",
        _part("week of a month", WEEKS_OF_A_MONTH),
    ),
    (
        (
            rf"{_BEFORE}(?:{words('first')}|(?P<last>{words('last')})) {_COUNT} "
            rf"{words('days')} {_OF_MONTH}"
        ),
        _edge_days,
    ),
    (
        (
            rf"{_BEFORE}{_COUNT} (?:{words('first')}|(?P<last>{words('last')})) "
            rf"{words('days')} {_OF_MONTH}"
        ),
        _edge_days,
    ),
    (
        rf"{_BEFORE}{words('week')}(?: {words('number')})? ?{_WEEK_NUMBER}{_YEAR}",
        _week(ALONE),
    ),
    (
        rf"{words('this')} {words('short_week')} {_WEEK_NUMBER}{_YEAR}",
        _week(ALONE),
    ),
    (rf"{words('short_week')} {_WEEK_NUMBER}{_YEAR}", _week(PAIRED)),
    (
        rf"{_BEFORE}(?P<number>[6-9]|[1-5]\d){_ENDING_SAID} {words('week')}(?!\w){_YEAR}",
        _week(ALONE),
    ),
    (rf"{_BEFORE}{words('weeks')} (?P<number>\d\d?){_NO_MORE}{_YEAR}", _week(PAIRED)),
    (
        rf"{_BEFORE}{words('week_code')}(?P<number>\d\d)(?:{_CODES_YEAR})?(?![\w'])",
        _week(PAIRED),
    ),
    (
        rf"{_BEFORE}(?P<year>{_FIGURES})-?{words('week_code')}(?P<number>\d\d)(?!\w)",
        _week(ALONE),
    ),
    (
        (
            rf"(?P<before>(?:{words('in')} (?:{words('year')} {_OF})?"
            rf"|{words('the', 'on', 'in')} {words('year')} {_OF}|{words('year', 'years')} {_OF}"
            rf"|{words('the')} {words('of')} )?)"
            rf"(?P<year>{_FIGURES}|{_TWO_FIGURES})(?![\w%-]*[a-z]| {_UNITS}(?!\w))"
        ),
        _year_said,
    ),
    (rf"{_BEFORE}(?:{words('day')} )?(?P<d>\d\d?){_TH}{_NO_MORE}{_YEAR}", _bare_number),
    (rf"{_BEFORE}{_ORDINAL}(?: {words('half_year')})?(?![\w.]){_YEAR}", _bare_ordinal),
    (rf"{_BEFORE}{_ORDINAL} {_OF_MONTH}", _bare_part),
)
_WEEK_OF = (
    rf"{_BEFORE}(?P<week>{words('week')}) {words('of', 'week_of')} (?:{words('the', 'day')} )?"
)


_WEEKEND = re.compile(rf"\b{words('end')}s? {words('of')} $")


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], Make], ...]:
    return tuple((re.compile(pattern), make) for pattern, make in _PATTERNS)


@cache
def _week_of_pattern() -> re.Pattern[str]:
    return re.compile(_WEEK_OF)


def units_at(text: str, at: int, calendar: Calendar) -> list[Unit]:
    """Return the units that may begin at a place of a normalized text, the longest first."""
    found = [*_units_at(text, at, calendar)]
    match = _week_of_pattern().match(text, at)
    if match is not None and not _WEEKEND.search(text, 0, match.start("week")):
        found += [
            replace(each, kind="week of a day", start=at, strength=ALONE)
            for each in _units_at(text, match.end(), calendar)
            if each.kind == "day" and each.month is not None
        ]
    return sorted(found, key=lambda each: (-each.end, -each.strength))


def _units_at(text: str, at: int, calendar: Calendar) -> Iterator[Unit]:
    for pattern, make in _compiled():
        if (match := pattern.match(text, at)) is not None:
            try:
                unit = make(match, calendar)
                if unit.kind not in ("number", "ordinal"):
                    days_of(unit, calendar)
            except (ValueError, OverflowError):
                continue  # the 31st of February, or 45/13
            yield unit
    yield from units_from_today(text, at, calendar)


HINT = (
    rf"\d|\b(?:{'|'.join([*_MONTHS, *_SHORT_MONTHS, *_DAYS_AGO])})\b"
    rf"|\b(?:{'|'.join(date_patterns('hint'))})\b"
)
