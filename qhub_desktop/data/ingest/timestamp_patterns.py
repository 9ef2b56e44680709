"""Date and time patterns: the notations in which a text is a date, a time or a duration."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from qhub_desktop.core.table import ColumnType, sql_literal
from qhub_desktop.core.text import fold_in_place, gettext_noop, month_names, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.readers.sheet import Decimal

NUMBERS = gettext_noop("numbers")
PERCENTAGES = gettext_noop("percentages")
AMOUNTS = gettext_noop("amounts of money")
DATES = gettext_noop("dates")
TIMES = gettext_noop("times")
DURATIONS = gettext_noop("durations")
QUANTITIES = gettext_noop("numbers with a unit")
BOOLEANS = gettext_noop("yes/no values")
SHORT_LENGTHS = r"[-+]?\d{1,4}:[0-5]\d"  # minutes and seconds, or hours and minutes
# The database's intervals have at most 59 minutes in such a text.
_MINUTES_AND_SECONDS = (
    "to_microseconds(CASE WHEN {v} LIKE '-%' THEN -1000000 ELSE 1000000 END * CAST(round("
    "TRY_CAST(ltrim(split_part({v}, ':', 1), '+-') AS DOUBLE) * 60000"
    " + TRY_CAST(replace(split_part({v}, ':', 2), ',', '.') AS DOUBLE) * 1000) AS BIGINT) // 1000)"
)
COMPACT_DISTINCT = 3  # days as numbers, in a column
PARENTHESES = "()"  # around a negative number, as accountants write it


@dataclass(frozen=True, slots=True)
class TypeCandidate:
    """One type in one notation.

    `pattern` is what every value must match in full (Python and the database read it alike), and
    `conversion` is SQL that makes the value from the trimmed text `{v}`, or NULL where it cannot.
    """

    type: ColumnType
    label: str  # what its values are called, as a catalogue key
    pattern: str
    conversion: str
    decimal: Decimal | None = None
    order: str = ""  # of day and month, where they could be confused
    distinct: int = 1  # how many different values there must be
    signs: str = ""  # characters that every value has; letters stand for either case
    always_converts: bool = False  # whether what matches the pattern always has a value
    # A pattern of what stands behind the value, and has to be the same in all texts: its group.
    tail: str = ""
    hint: str = ""  # a pattern that one of the first texts shows, or the candidate is not tried
    # SQL that is true only where the pattern matches, and ten times quicker.
    fast_check: str | None = None
    # How the usual values are made of their texts, where all of a column match this pattern: each
    # pattern in a statement takes the database as long as hundreds of cells.
    usual: str = ""
    usual_conversion: str = ""
    day_form: str = ""  # of dates in figures, as strptime has it

    def is_surely(self, text: str) -> str:
        """Return SQL that is true only for texts of the type, by the quick check if any."""
        return "false" if self.fast_check is None else self.fast_check.format(v=text)

    def mismatch(self, text: str) -> str:
        """Return SQL that is true where this text is not of the type."""
        slow = f"NOT regexp_full_match({text}, {sql_literal(self.pattern)})"
        if not self.always_converts:
            slow += f" OR ({self.conversion.format(v=text)}) IS NULL"
        if self.fast_check is None:
            return f"({text} IS NOT NULL AND ({slow}))"
        fast_check = self.is_surely(text)
        return (
            f"CASE WHEN {text} IS NULL OR coalesce({fast_check}, false) THEN false ELSE {slow} END"
        )


def doubled(pattern: str) -> str:
    """Return a pattern for a conversion, in which braces stand around the text's place."""
    return pattern.replace("{", "{{").replace("}", "}}")


def timestamps() -> list[TypeCandidate]:
    """Return the candidates for dates, times and lengths of time, in the order of trial."""
    return [
        *_dates(),
        TypeCandidate(
            "time",
            TIMES,
            r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?",
            "TRY_CAST(replace({v}, ',', '.') AS TIME)",
            signs=":",
        ),
        TypeCandidate(
            "time",
            TIMES,
            _HALF_CLOCK,
            f"TRY_STRPTIME({_HALF.format(v='{v}')}, {_forms('', _HALF_TIMES)})::TIME",
            signs=":",
            hint=_HALF_HINT,
        ),
        TypeCandidate(
            "text",
            DURATIONS,
            r"[-+]?\d{1,5}:[0-5]\d:[0-5]\d(?:\.\d{1,6})?",
            "TRY_CAST(ltrim({v}, '+') AS INTERVAL)",
            signs=":",
        ),
        TypeCandidate(
            "text",
            DURATIONS,
            SHORT_LENGTHS,
            _MINUTES_AND_SECONDS,
            signs=":",
        ),
        *_durations(),
        TypeCandidate(
            "time",
            TIMES,
            r"(?:[01]?\d|2[0-3])h[0-5]\d",
            "TRY_CAST(replace({v}, 'h', ':') AS TIME)",
            hint=r"^\d\d?h\d\d$",
        ),
        _worded_clock(),
        *_ideographic(),
        TypeCandidate(
            "text",
            DURATIONS,
            r"[-+]?\d{1,4}:[0-5]\d[.,]\d{1,6}",  # minutes
            _MINUTES_AND_SECONDS,
            hint=r"^[-+]?\d+:\d\d[.,]\d+$",
        ),
        TypeCandidate(
            "datetime",
            DATES,
            r"\d{4}-\d{2}-\d{2}-\d{2}\.\d{2}\.\d{2}(?:\.\d{1,6})?",  # as DB2 writes them
            "TRY_STRPTIME({v}, ['%Y-%m-%d-%H.%M.%S.%f', '%Y-%m-%d-%H.%M.%S'])",
            hint=r"^\d{4}-\d\d-\d\d-\d\d\.",
        ),
    ]


_DAY, _MONTH = "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
_YEARLESS = re.compile(
    rf"(?:{_DAY}/{_MONTH}|{_MONTH}/{_DAY}|{_DAY}\.{_MONTH}\.)(?:,? \d\d?:\d\d(?::\d\d)?)?"
)
_NAMED_DAY = re.compile(
    rf"{_DAY}[-/. ]{{1,2}}(?:de )?([^\W\d_]{{3,}})\.?|([^\W\d_]{{3,}})\.? {_DAY}"
)
_DAY_AS_NUMBER = re.compile(rf"{_DAY}[.,](?:0[1-9]|1[0-2])")
FEWEST_DAYS = 3  # different ones without a year


def are_yearless(texts: Iterable[str], *, is_named: bool) -> bool:
    """Return whether all texts seem to be days without a year: 13/03, 13.03. or 13-mar.

    Fractions and codes look alike, but have no zero in front; else the column `is_named` as one of
    dates.
    """
    distinct = {*texts}
    if len(distinct) < FEWEST_DAYS:
        return False
    if all(map(_YEARLESS.fullmatch, distinct)):
        are_alike = {len(text) for text in distinct} == {len(min(distinct))}
        return is_named or (are_alike and any(re.search(r"\b0\d", text) for text in distinct))
    named = [_NAMED_DAY.fullmatch(text) for text in distinct]
    months = month_names()
    return all(each and fold_in_place((each[1] or each[2]).lower()) in months for each in named)


def are_yearless_numbers(texts: Iterable[str]) -> bool:
    """Return whether all texts are numbers that may be days and months: 13.03, 14.03."""
    distinct = {*texts}
    are_days = all(map(_DAY_AS_NUMBER.fullmatch, distinct))
    return are_days and len(distinct) >= FEWEST_DAYS


def compact_days() -> Iterator[TypeCandidate]:
    """Yield the candidates for days and timestamps as one number: 20260131, 20260131235959.

    That three different numbers are days is no coincidence: of eight digits, one in 137 is.
    """
    day = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    form = "%Y%m%d"
    made = f"TRY_STRPTIME({{v}}, '{form}')::DATE"
    yield TypeCandidate("date", DATES, day, made, distinct=COMPACT_DISTINCT, day_form=form)
    for clock, more in ((r"[0-5]\d", "%H%M"), (r"[0-5]\d[0-5]\d", "%H%M%S")):
        pattern = rf"{day}(?:[01]\d|2[0-3]){clock}"
        made = f"TRY_STRPTIME({{v}}, '{form}{more}')"
        yield TypeCandidate("datetime", DATES, pattern, made, distinct=COMPACT_DISTINCT)


def _worded_clock() -> TypeCandidate:
    """Return the candidate for times with a word or a sign: klo 6.05, às 6:05, 6:05 h, 6.05 Uhr."""
    hour, minute = r"(?:[01]?\d|2[0-3])", r"[0-5]\d"
    signs = "|".join(map(re.escape, words_of("files", "clock_signs")))
    sign = rf"[ \xa0]?(?:(?i:{signs})|(?i:h|hs|hrs)\.?)"
    before = rf"(?i:{_AT}) {{0,2}}{hour}[:.h]{minute}(?:[:.]{minute})?(?:{sign})?"
    # 6.05 h is a number of hours.
    behind = rf"{hour}:{minute}(?::{minute})?{sign}|{hour}\.{minute}[ \xa0]?(?i:{signs})"
    digits = "regexp_extract({v}, '[0-9][0-9:.h]*[0-9]')"
    return TypeCandidate(
        "time",
        TIMES,
        f"{before}|{behind}",
        f"TRY_CAST(regexp_replace({digits}, '[.h]', ':', 'g') AS TIME)",
        hint=rf"^(?i:{_AT}) {{0,2}}\d|\d[:.]\d\d{sign}$",
    )


def _durations() -> Iterator[TypeCandidate]:
    """Yield the candidates for lengths of time with letters: 1h 23m, 2d 04:05:06, PT1H5M."""
    named = {
        key: "|".join(sorted(words_of("files", key), key=lambda word: (-len(word), word)))
        for key in ("days", "hours", "minutes", "seconds")
    }
    day, hour, minute, second = (
        rf"\d{{1,5}}{part} ?(?i:{words})"
        for words, part in zip(named.values(), ("", "", "", r"(?:[.,]\d{1,6})?"), strict=True)
    )
    clock = r"\d{1,2}:[0-5]\d:[0-5]\d(?:\.\d{1,6})?"
    gap, h, m, s = "[, ]{0,2}", r"\d{1,5}H", r"\d{1,5}M", r"\d{1,5}(?:\.\d{1,6})?S"
    pattern = (
        rf"{day}{gap}{hour}(?:{gap}{minute})?(?:{gap}{second})?|{hour}{gap}{minute}(?:{gap}{second})?"
        rf"|{minute}{gap}{second}|{day},? {clock}|{day}|{hour}|{minute}|{second}"
        rf"|P(?:\d{{1,5}}D)?T(?:{h}(?:{m})?(?:{s})?|{m}(?:{s})?|{s})|P\d{{1,5}}D"
    )
    count = (
        "coalesce(TRY_CAST(replace(regexp_extract({v},"
        r" '(?i)([0-9.,]+) ?(?:%s)(?:[^\p{{L}}]|(?-i:T)|$)', 1), ',', '.') AS DOUBLE), 0) * %s"
    )
    sizes = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
    seconds = " + ".join(count % (named[key], size) for key, size in sizes)
    past = f"TRY_CAST(regexp_extract({{v}}, '{doubled(clock)}') AS INTERVAL)"
    yield TypeCandidate(
        "text",
        DURATIONS,
        pattern,
        f"CASE WHEN {{v}} <> '' THEN to_microseconds(CAST(round(({seconds}) * 1000000) AS BIGINT))"
        f" + coalesce({past}, INTERVAL 0 SECOND) END",
        hint=rf"^P(?:\d|T\d)|\d ?(?i:{'|'.join(list(named.values())[:3])})[, ]{{0,2}}\d",
    )
    yield _ideographic_duration()


def _ideographic_duration() -> TypeCandidate:
    """Return the candidate for lengths of time in Chinese, Japanese and Korean: 1時間30分, 15分."""
    parts = (
        ("日間|天|일", 86_400),
        ("時間|小时|小時|시간", 3_600),
        ("分钟|分鐘|分間|分|분", 60),
        ("秒钟|秒鐘|秒間|秒|초", 1),
    )
    day, hour, minute, second = (
        rf"\d{{1,5}}(?:\.\d{{1,3}})? ?(?:{words})" for words, _size in parts
    )
    hour += "半?"
    below = rf"{hour}(?: ?{minute})?(?: ?{second})?|{minute}(?: ?{second})?|{second}"
    count = r"coalesce(TRY_CAST(regexp_extract({v}, '([0-9.]+) ?(?:%s)', 1) AS DOUBLE), 0) * %s"
    seconds = " + ".join(count % part for part in parts)
    return TypeCandidate(
        "text",
        DURATIONS,
        rf"{day}(?: ?(?:{below}))?|{below}",
        f"to_microseconds(CAST(round(({seconds}"
        " + CASE WHEN contains({v}, '半') THEN 1800 ELSE 0 END) * 1000000) AS BIGINT))",
        # 分 alone counts points, too.
        hint=rf"\d ?(?:{parts[1][0]}|分钟|分鐘|分間|秒|초)",
    )


def _ideographic() -> Iterator[TypeCandidate]:
    """Yield the candidates for dates and times with the signs of Chinese, Japanese and Korean:
    2024年3月5日 14时05分, 令和6年3月5日, 2024/3/5 下午 2:05, 2024년 3월 5일 오후 2시 5분.
    """
    era = "|".join(f"{name}|{letter}" for name, letter, _year in _ERAS)
    day = (
        rf"(?:(?:{era})?(?:\d{{1,4}}|元)[年년] ?\d{{1,2}}[月월] ?\d{{1,2}}[日号號일]?"
        r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2})"
    )
    weekday = (
        "(?: ?[(\uff08]?(?:星期|週|周)?[一二三四五六日天月火水木金土월화수목금토일](?:曜日?|요일)?"
        "[)\uff09]?)?"
    )
    half = f"(?:{'|'.join((*_MORNINGS, *_AFTERNOONS))})"
    clock = (
        rf"(?:{half} ?)?\d{{1,2}}(?:[时時点點시] ?(?:[0-5]?\d[分분] ?(?:[0-5]?\d[秒초])?)?"
        r"|:[0-5]\d(?::[0-5]\d)?)"
    )
    digits = r"regexp_extract_all({v}, '\d+')"
    years = " ".join(
        f"WHEN regexp_matches({{v}}, '^({name}|{letter})') THEN {year}"
        for name, letter, year in _ERAS
    )
    first = "replace({v}, '元', '1')"
    of_day = digits.replace("{v}", first)
    made = (
        f"TRY(make_date(CASE {years} ELSE 0 END + CAST({of_day}[1] AS INTEGER),"
        f" CAST({of_day}[2] AS INTEGER), CAST({of_day}[3] AS INTEGER)))"
    )

    def past(skipped: int, numbers: str) -> str:
        """Return SQL for the time behind so many numbers."""
        hour, minute, second = (
            f"coalesce(TRY_CAST({numbers}[{skipped + place}] AS INTEGER), 0)" for place in (1, 2, 3)
        )
        told = (
            f"CASE WHEN regexp_matches({{v}}, '{'|'.join(_AFTERNOONS)}') THEN {hour} % 12 + 12"
            f" WHEN regexp_matches({{v}}, '{'|'.join(_MORNINGS)}') THEN {hour} % 12 ELSE {hour} END"
        )
        return f"to_seconds(({told}) * 3600 + {minute} * 60 + {second})"

    yield TypeCandidate("date", DATES, f"{day}{weekday}", made, hint="年|년")
    yield TypeCandidate(
        "date",
        DATES,
        ERA_DAY,
        made,
        distinct=2,
        hint=rf"^(?:{ERA_DAY})$",
    )
    yield TypeCandidate(
        "datetime",
        DATES,
        f"{day}{weekday} ?{clock}",
        f"{made} + {past(3, of_day)}",
        hint=_IDEOGRAPHIC,
    )
    is_one = f"CAST({digits}[1] AS INTEGER) < 25"
    yield TypeCandidate(
        "time",
        TIMES,
        clock,
        f"CASE WHEN {is_one} THEN TIME '00:00:00' + {past(0, digits)} END",
        hint=_IDEOGRAPHIC,
    )


@dataclass(frozen=True, slots=True)
class _Day:
    """A notation of days in figures: which part stands first, and what parts them."""

    parts: str  # y, dmy or mdy
    mark: str
    year: str = "%Y"

    @property
    def order(self) -> str:
        """Return the order of day and month, where they could be confused."""
        return "" if self.parts == "y" else self.parts

    @property
    def pattern(self) -> str:
        figures = {"y": ("{4}", "{1,2}", "{1,2}")}.get(self.parts, ("{1,2}", "{1,2}", "{4}"))
        sizes = figures if self.year == "%Y" else (*figures[:2], "{2}")
        return re.escape(self.mark).join(rf"\d{size}" for size in sizes)

    @property
    def form(self) -> str:
        """Return the notation as strptime has it."""
        year = self.year
        forms = {"y": (year, "%m", "%d"), "dmy": ("%d", "%m", year), "mdy": ("%m", "%d", year)}
        return self.mark.join(forms[self.parts])

    @property
    def value(self) -> str:
        """Return SQL for the day of a text that is nothing else."""
        return f"TRY_STRPTIME({{v}}, {sql_literal(self.form)})::DATE"


_BY_YEAR = [_Day("y", mark) for mark in "-/."]
_IN_FIGURES = [_Day(*each) for each in product(("dmy", "mdy"), "/-.", ("%Y", "%y"))]


def _dates() -> list[TypeCandidate]:
    found = [
        TypeCandidate(
            "date",
            DATES,
            r"\d{4}-\d{1,2}-\d{1,2}",
            "TRY_CAST({v} AS DATE)",
            signs="-",
            fast_check="TRY_CAST({v} AS DATE)::VARCHAR = {v} AND strlen({v}) = 10",
            day_form=ISO_DAY,
        ),
        *map(_date, _BY_YEAR[1:]),
        TypeCandidate(
            "datetime",
            DATES,
            rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}(?:[ T]{_CLOCK})?",
            "TRY_CAST(replace(replace({v}, ',', '.'), 'T', ' ') AS TIMESTAMP)",
            signs="-",
            day_form=ISO_DAY,
        ),
        TypeCandidate(
            "datetime",
            DATES,
            r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|\+00:?00)",
            "TRY_CAST(regexp_replace(replace({v}, 'T', ' '), '(Z|\\+00:?00)$', '') AS TIMESTAMP)",
            signs="-:",
        ),
        *map(_timestamp, _BY_YEAR[1:]),
    ]
    found += [each for year in (r"\d{4}", r"\d{2}") for each in _named_months(year)]
    found += [make(day) for day in _IN_FIGURES for make in (_date, _timestamp)]
    found += map(_timestamp_by_halves, (*_BY_YEAR, *_IN_FIGURES))
    dressed = [each for day in (*_BY_YEAR, *_IN_FIGURES) for each in _dressed_timestamps(day)]
    # 20180101:0010 is of weather data.
    pattern, forms = r"(?:19|20)\d{6}[T :]\d{4}(?:\d\d)?", "['%Y%m%d %H%M%S', '%Y%m%d %H%M']"
    timestamp = f"TRY_STRPTIME(translate({{v}}, 'T:', '  '), {forms})"
    compact = TypeCandidate("datetime", DATES, pattern, timestamp, hint=r"^\d{8}[T :]\d{4}")
    short = [day for day in _IN_FIGURES if day.year == "%y"]
    return [*found, *map(_of_short_years_too, short), *_ordinal_dates(), *dressed, compact]


_ERAS = (("令和", "R", 2018), ("平成", "H", 1988), ("昭和", "S", 1925))  # the year before the first
ERA_DAY = r"(?:令和|平成|昭和|[RHS])(?:\d{1,2}|元)[./-]\d{1,2}[./-]\d{1,2}"
_MORNINGS, _AFTERNOONS = ("上午", "午前", "오전", "凌晨", "早上"), ("下午", "午後", "오후", "晚上")
_IDEOGRAPHIC = "[年년时時点點시午]|오전|오후|凌晨|早上|晚上"
ISO_DAY = "%Y-%m-%d"
_CLOCK = r"(?:[01]?\d|2[0-3]):\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?"
# After a time: am, p.m., a. m. as Spanish writes it.
_BLANK = "[ \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]"
_NOON = rf"{_BLANK}?[AaPp]\.?{_BLANK}?[Mm]\.?"
_NOON_OR_LETTER = rf"(?:{_NOON}|{_BLANK}?[AaPp]\.?)"
_HALF_CLOCK = r"(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?" + _NOON_OR_LETTER
_HALF_HINT = rf"^(?:\d[^,]*,? )?\d\d?:\d\d[\d:.,]*{_NOON_OR_LETTER}$"
_WEEKDAY = rf"(?i:(?:{'|'.join(words_of('files', 'weekdays'))})[.,]* )"
_WITHOUT_WEEKDAY = f"regexp_replace({{v}}, {sql_literal(f'^{_WEEKDAY}')}, '')"
_ZONE = (
    r"(?: ?Z| ?[+-]\d\d:?\d\d| \(?(?:UTC|GMT|WES?T|CES?T|EES?T|MSK|BST|IST|[ECMP][SD]T|BRT|AZOS?T)"
    r"\)?(?:[+-]\d\d?(?::?\d\d)?)?)"
)
_AT = "|".join(words_of("files", "moment_at"))
_BETWEEN = rf"(?:,? (?i:(?:{_AT}) )?|:|T| - )"  # a day and its time
_ANY_CLOCK = (
    r"(?:[01]?\d|2[0-3])(?:[:h][0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?|(?:\.[0-5]\d){2}(?:\.\d+)?)"
    rf"(?:{_NOON})?"
)
_ZONE_BEHIND = rf"[:.h]\d\d(?:[.,]\d+)?(?:{_NOON})?({_ZONE})$"
_DRESSED = rf"^{_WEEKDAY}|{_ZONE_BEHIND}|\d(?::| - |T| (?i:{_AT}) )\d\d?[:h.]\d\d|\dh\d\d"
# A point alone parts hours and minutes behind a word: 1.2.2026 klo 6.05
_TIME_OF_DAY = rf"(?:{_BETWEEN}{_ANY_CLOCK}|,? (?i:{_AT}) (?:[01]?\d|2[0-3])\.[0-5]\d)"
# SQL for a text with its half of the day as strptime expects it: " AM" or " PM".
_HALF_BEHIND = sql_literal(rf"{_BLANK}?([AaPp])(\.?{_BLANK}?[Mm])?\.?$")
_HALF = f"regexp_replace(replace({{v}}, ',', '.'), {_HALF_BEHIND}, ' \\1M')"
_TIMES = ("%H:%M:%S", "%H:%M", "", "%H:%M:%S.%f")
_HALF_TIMES = ("%I:%M:%S %p", "%I:%M %p", "%I:%M:%S.%f %p")
# Points between the parts of a date, as in 19. 4. 2019., and the spaces around them.
_ORDINAL = "regexp_replace({v}, '^(\\d+)\\. ?(\\d+)\\. ?(\\d+)\\.?', '\\1.\\2.\\3')"


def _forms(day: str, times: Sequence[str]) -> str:
    """Return SQL for the list of forms of a day with each of these times."""
    return "[" + ", ".join(sql_literal(f"{day} {each}".strip()) for each in times) + "]"


def _date(day: _Day) -> TypeCandidate:
    return TypeCandidate(
        "date",
        DATES,
        day.pattern,
        day.value,
        order=day.order,
        signs=day.mark,
        day_form=day.form,
    )


def _of_short_years_too(short: _Day) -> TypeCandidate:
    """Return the candidate for days of which people wrote some with two figures of the year."""
    long = replace(short, year="%Y")
    is_long = f"regexp_full_match({{v}}, {sql_literal(doubled(long.pattern))})"
    return TypeCandidate(
        "date",
        DATES,
        f"{long.pattern}|{short.pattern}",
        f"CASE WHEN {is_long} THEN {long.value} ELSE {short.value} END",
        order=short.order,
        signs=short.mark,
    )


def _timestamp(day: _Day) -> TypeCandidate:
    """Return the candidate for a day with or without a time."""
    return TypeCandidate(
        "datetime",
        DATES,
        rf"{day.pattern}(?:,? {_CLOCK})?",
        f"TRY_STRPTIME(replace(replace({{v}}, ', ', ' '), ',', '.'), {_forms(day.form, _TIMES)})",
        order=day.order,
        signs=day.mark,
        day_form=day.form,
    )


def _timestamp_by_halves(day: _Day) -> TypeCandidate:
    """Return the candidate for a day with a time before or after noon, or of midnight without."""
    text = _HALF.format(v="replace({v}, ', ', ' ')")
    return TypeCandidate(
        "datetime",
        DATES,
        rf"{day.pattern}(?:,? {_HALF_CLOCK})?",  # none at midnight
        f"TRY_STRPTIME({text}, {_forms(day.form, (*_HALF_TIMES, ''))})",
        order=day.order,
        signs=f"{day.mark}:",
        hint=_HALF_HINT,
    )


def _with_clock(day: str) -> str:
    """Return SQL for the day with the time behind it, however they are joined; midnight if none."""
    zone = f"regexp_replace({{v}}, {sql_literal(f'{_ZONE}$')}, '')"
    noon = _NOON.replace("[AaPp]", "([AaPp])")
    form = rf"{_BETWEEN}(\d\d?)[:h.](\d\d)(?:[:.](\d\d(?:[.,]\d+)?))?(?:{noon})?$"
    text = (
        f"CASE WHEN regexp_matches({{v}}, {sql_literal(_ZONE_BEHIND)}) THEN {zone} ELSE {{v}} END"
    )
    hour, minute, second, half = (
        f"regexp_extract({text}, {sql_literal(form)}, {group})" for group in range(1, 5)
    )
    number = "coalesce(TRY_CAST(replace({}, ',', '.') AS DOUBLE), 0)".format
    hours = (
        f"CASE WHEN {half} = '' THEN {number(hour)}"
        f" ELSE {number(hour)} % 12 + CASE WHEN {half} IN ('p', 'P') THEN 12 ELSE 0 END END"
    )
    seconds = f"({hours}) * 3600 + {number(minute)} * 60 + {number(second)}"
    return f"{day} + to_microseconds(CAST(round(({seconds}) * 1000000) AS BIGINT))"


def _dressed_timestamps(day: _Day) -> Iterator[TypeCandidate]:
    """Yield the candidates for days in figures with a weekday before them, and for timestamps with
    that, a zone behind them or an unusual sign between day and time.
    """
    written = f"regexp_extract({_WITHOUT_WEEKDAY}, '^[0-9/.-]+')"
    plain = TypeCandidate(
        "date",
        DATES,
        f"{_WEEKDAY}{day.pattern}",
        day.value.replace("{v}", written),
        order=day.order,
        signs=day.mark,
        hint=f"^{_WEEKDAY}",
    )
    yield plain
    yield replace(
        plain,
        type="datetime",
        pattern=f"(?:{_WEEKDAY})?{day.pattern}{_TIME_OF_DAY}(?:{_ZONE})?",
        conversion=_with_clock(plain.conversion),
        tail=_ZONE_BEHIND,
        hint=_DRESSED,
    )


def _ordinal_dates() -> Iterator[TypeCandidate]:
    """Yield the candidates for dates of ordinals: 2019.04.19., 19. 4. 2019 and the like."""
    for parts, pattern in (
        ("y", r"\d{4}\. ?\d{1,2}\. ?\d{1,2}\.?"),
        ("dmy", r"\d{1,2}\. ?\d{1,2}\. ?\d{4}\.?"),
    ):
        day = _Day(parts, ".")
        for plain, clock in ((_date(day), ""), (_timestamp(day), rf"(?:,? {_CLOCK})?")):
            made = plain.conversion.replace("{v}", _ORDINAL)
            yield replace(plain, pattern=pattern + clock, conversion=made, day_form="")


def _named_months(year: str) -> Iterator[TypeCandidate]:
    """Yield the candidates for dates with the name of a month, in any language: 31-jan-2026,
    1 fev. 26, 12 de março de 2026, 3. Januar 2026, May 4th, 2026.
    """
    numbers = {fold_in_place(name): number for name, number in month_names().items()}
    listed = sorted(month_names(), key=lambda name: (-len(name), name))
    # Longer names come first, as a pattern takes the first that fits.
    names = "|".join(
        "".join(letter if letter.isascii() else _either(letter) for letter in name)
        for name in listed
    )
    of, ending, behind = (
        "|".join(map(re.escape, words_of("files", key)))
        for key in ("month_of", "day_endings", "year_signs")
    )
    day = rf"\d{{1,2}}(?i:{ending})?"
    gap = rf"(?:[-/.]|\.? (?i:(?:{of}) )?)"
    named = sql_literal(f"(?i)({names})")
    # Tuesday in one language is March in another.
    behind_weekday = f"regexp_extract({_WITHOUT_WEEKDAY}, {named}, 1)"
    told = f"coalesce(nullif({behind_weekday}, ''), regexp_extract({{v}}, {named}))"
    month = f"lower(strip_accents({told}))"
    # Of a CASE with so many names, the database would plan the month's expression once for each.
    listing = f"[{', '.join(map(sql_literal, numbers))}], [{', '.join(map(str, numbers.values()))}]"
    digits = r"regexp_extract_all({v}, '\d+')"
    written = f"CAST({digits}[2] AS INTEGER)"
    whole = (
        written
        if year == r"\d{4}"
        else f"(2000 + {written} - CASE WHEN {written} > 68 THEN 100 ELSE 0 END)"
    )
    made = f"TRY(make_date({whole}, map({listing})[{month}], CAST({digits}[1] AS INTEGER)))"
    together = rf"\d\d(?i:{names}){year}"  # 01MAR2026, as statistics programs write it
    for pattern, distinct in (
        (rf"{day}{gap}(?i:{names})\.?{gap}{year}(?i:{behind})?", 1),
        (rf"(?i:{names})\.? {day},? {year}", 1),
        (together, 1 if year == r"\d{4}" else 2),
    ):
        hint = r"^\d\d[^\W\d]" if pattern == together else ""
        plain = TypeCandidate("date", DATES, pattern, made, distinct=distinct, hint=hint)
        yield plain
        yield replace(plain, pattern=_WEEKDAY + pattern, hint=f"^{_WEEKDAY}")
        yield replace(
            plain,
            type="datetime",
            pattern=f"(?:{_WEEKDAY})?{pattern}(?:{_TIME_OF_DAY}(?:{_ZONE})?)?",
            conversion=_with_clock(made),
            tail=_ZONE_BEHIND,
            hint=r"\d[:h.]\d\d",
        )
    if year == r"\d{4}":
        by_year = made.replace("[1]", "[0]").replace("[2]", "[1]").replace("[0]", "[2]")
        pattern = rf"(?:19|20)\d\d[-/.,]?[ ]?(?i:{names})[-/.]?[ ]?\d{{1,2}}\.?"
        hint = r"^(?:19|20)\d\d[-/., ]{1,2}[^\W\d]"
        yield TypeCandidate("date", DATES, pattern, by_year, hint=hint)
        pattern = f"{pattern}{_TIME_OF_DAY}"
        yield TypeCandidate("datetime", DATES, pattern, _with_clock(by_year), hint=hint)
        # As programs print it: Sat Aug 31 20:26:26 WEST 2024
        usual = sql_literal(rf"^(.*) ([0-9][0-9:]+)({_ZONE})? ([0-9]+)$")
        yield TypeCandidate(
            "datetime",
            DATES,
            rf"(?:{_WEEKDAY})?(?i:{names})  ?\d{{1,2}} {_ANY_CLOCK}(?:{_ZONE})? {year}",
            _with_clock(made).replace("{v}", rf"regexp_replace({{v}}, {usual}, '\1 \4 \2\3')"),
            tail=rf"\d({_ZONE}) \d+$",
            hint=r":\d\d .*\d{4}$",
        )


def _either(letter: str) -> str:
    """Return a pattern of an accented letter in either case, or without its accent."""
    return f"[{letter}{letter.upper()}{fold_in_place(letter)}]"
