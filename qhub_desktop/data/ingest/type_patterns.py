"""Type patterns: the types that a text can have, each with its pattern and conversion, and the
forms of names, units and numbers in cells.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from functools import cache
from itertools import pairwise, product

from qhub_desktop.core.table import ColumnType, sql_literal
from qhub_desktop.core.text import fold_in_place, gettext_noop, month_names, words_of
from qhub_desktop.data.ingest.raw_table import MISSING_WORDS, as_text
from qhub_desktop.data.ingest.readers.sheet import Decimal, Value

# What may part thousands, besides the character that is not the decimal one.
_APOSTROPHES = (
    "'\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}"
)
_GAPS = f" \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}{_APOSTROPHES}"
_GAP = "[ \N{NO-BREAK SPACE}]"
CURRENCIES = ("€", "EUR", "$", "USD", "£", "GBP", "R$", "BRL", "CHF")

NUMBERS = gettext_noop("numbers")
PERCENTAGES = gettext_noop("percentages")
AMOUNTS = gettext_noop("amounts of money")
DATES = gettext_noop("dates")
TIMES = gettext_noop("times")
DURATIONS = gettext_noop("durations")
BOOLEANS = gettext_noop("yes/no values")
PARENTHESES = "()"  # around a negative number, as accountants write it

STEP_ERROR = 0.021  # of a step, between equal ones: 0.063, 0.125, 0.25 are halves

_NUMBER_LIKE = re.compile(r"[\s+\-(]*[€$£]?[\s(]*\d[\d.,'‘’\u02bc\s]*[%€$£)]?\s*[%€$£)]?-?")
_MOMENT_LIKE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(?::\d{2})?"
)
# Units are told by their form, as no list has them all: in brackets, with a sign that words lack,
# or a few letters with an exponent.
_IN_BRACKETS = re.compile(r"\[[^\]]{0,20}\]|\((?!(?:[€$£]\s?)?\d[\d.,\s]*[%€$£]?\))[^)]{0,20}\)")
_WITH_SIGN = re.compile(r"(?=\S{1,16}$)\S*[%‰°º/^·⋅*²³⁻¹µμΩÅ€$£]\S*")
_LETTERS = re.compile(r"[^\W\d_]{1,6}\.?(?:[-−]?\d{1,2})?")
_PLAIN = re.compile(r"[-+]?\d{1,15}(?:[.,]\d+)?", re.ASCII)
_NUMBERED = re.compile(r"[(\[]?(\d{1,4})[)\].]?")
DIGITS = 15  # of whole numbers; those with more are identifiers
MOST_DECIMALS = 9  # of numbers that are written with as many each
_CANONICAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?", re.ASCII)
_SECONDS = r"\d{2}:\d{2}:\d{2}"
_TIME_FORMS = {"99:99": "%H:%M", "99:99:99": "%H:%M:%S", "99:99:99.999": "%H:%M:%S.%g"}


@dataclass(frozen=True, slots=True)
class Candidate:
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
    # SQL that is true only where the pattern matches, and ten times quicker.
    fast_check: str | None = None
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


@cache
def candidates(decimal: Decimal) -> Sequence[Candidate]:
    """Return every candidate in the order of trial; `decimal` goes first where both marks fit."""
    other: Decimal = "," if decimal == "." else "."
    return [
        *_booleans(),
        # More than 15 digits, a leading zero or a plus sign make an identifier, not a quantity.
        Candidate(
            "integer",
            NUMBERS,
            r"-?(?:0|[1-9]\d{0,14})",
            "TRY_CAST({v} AS BIGINT)",
            fast_check="TRY_CAST({v} AS BIGINT)::VARCHAR = {v} AND strlen({v}) <= 15",
        ),
        _numbers(decimal),
        _numbers(other),
        *_dates(),
        Candidate(
            "time",
            TIMES,
            r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?",
            "TRY_CAST(replace({v}, ',', '.') AS TIME)",
            signs=":",
        ),
        Candidate(
            "time",
            TIMES,
            _HALF_CLOCK,
            f"TRY_STRPTIME({_HALF.format(v='{v}')}, {_forms('', _HALF_TIMES)})::TIME",
            signs=":m",
        ),
        Candidate(
            "text",
            DURATIONS,
            r"-?\d{1,5}:[0-5]\d:[0-5]\d(?:\.\d{1,6})?",
            "TRY_CAST({v} AS INTERVAL)",
            signs=":",
        ),
        _percentages(decimal),
        _percentages(other),
        *(_amounts(each, mark_) for each in CURRENCIES for mark_ in (decimal, other)),
        *_in_parentheses(decimal),
        *_in_parentheses(other),
    ]


def _booleans() -> list[Candidate]:
    pairs = (
        ("true", "false", 1),  # as programs write it
        # One of these words alone may be anything: Norway, for one.
        *((yes, no, 2) for yes, no in words_of("files", "yes_no")),
    )
    return [
        Candidate(
            "boolean",
            BOOLEANS,
            f"(?i:{_ignoring_case(yes)}|{_ignoring_case(no)})",
            f"lower({{v}}) = {sql_literal(yes)}",
            distinct=distinct,
        )
        for yes, no, distinct in pairs
    ]


def _ignoring_case(word: str) -> str:
    """Return a pattern of a word in any case; accented letters are spelt out for both engines."""
    return "".join(each if each.isascii() else f"[{each}{each.upper()}]" for each in word)


def _spellings(decimal: Decimal) -> tuple[str, str]:
    """Return patterns of a number without a sign: plain, and with thousands separated."""
    point = r"\." if decimal == "." else ","
    gaps = ("," if decimal == "." else ".") + _GAPS
    # 12E4 is a part number; an exponent shows itself by its sign or by decimals before it.
    # Larger exponents than 299 are beyond what can be stored.
    power = r"(?:\d{1,2}|[012]\d\d)"
    plain = (
        rf"(?:0|[1-9]\d{{0,14}})(?:{point}\d*)?|{point}\d+"
        rf"|(?:0|[1-9]\d{{0,7}})(?:{point}\d+)?[eE][+-]{power}|\d{point}\d+[eE]{power}"
    )
    return plain, rf"[1-9]\d{{0,2}}(?:[{gaps}]\d{{3}}){{1,5}}(?:{point}\d+)?"


def _numeric(decimal: Decimal, text: str) -> str:
    """Return SQL that makes a number of a text in these notations, signed at either end."""
    gaps = ("," if decimal == "." else ".") + _GAPS
    # The plain spelling is the usual one and ten times quicker than taking thousands apart. SAP
    # writes the sign at the end.
    plain = f"TRY_CAST({text} AS DOUBLE)"
    # Without letters, so that it is finite. It must stand here once: what stands twice the database
    # works out for every row, needed or not.
    bare = f"regexp_replace(regexp_extract({text}, '^[^A-Za-z]{{{{1,60}}}}$'), '[-"
    bare += gaps.replace("'", "''") + "]', '', 'g')"
    if decimal == ",":
        plain = f"TRY_CAST(replace({text}, ',', '.') AS DOUBLE)"
        bare = f"replace({bare}, ',', '.')"
    if decimal == ",":
        plain = f"CASE WHEN {text} NOT LIKE '%.%' THEN {plain} END"
    sign = f"CASE WHEN {text} LIKE '%-%' THEN -1 ELSE 1 END"
    # No pattern lets words such as 'inf' through, which would be numbers here.
    return f"coalesce({plain}, {sign} * TRY_CAST({bare} AS DOUBLE))"


def _numbers(decimal: Decimal) -> Candidate:
    plain, grouped = _spellings(decimal)
    point = r"\." if decimal == "." else ","
    return Candidate(
        "number",
        NUMBERS,
        # A plus sign before decimals is a deviation's; before digits alone it is a telephone's.
        rf"-?(?:{plain}|{grouped})|(?:{plain}|{grouped})-|\+(?:0|[1-9]\d{{0,14}})"
        rf"(?:{point}\d+(?:[eE][+-]?\d{{1,2}})?|[eE][+-]\d{{1,2}})",
        _numeric(decimal, "{v}"),
        decimal=decimal,
        always_converts=True,
    )


def _percentages(decimal: Decimal) -> Candidate:
    plain, grouped = _spellings(decimal)
    bare = "rtrim(replace({v}, '%', ''), ' \N{NO-BREAK SPACE}')"
    return Candidate(
        "number",
        PERCENTAGES,
        rf"-?(?:{plain}|{grouped}){_GAP}?%",
        f"{_numeric(decimal, bare)} / 100",
        decimal=decimal,
    )


def _amounts(currency: str, decimal: Decimal) -> Candidate:
    plain, grouped = _spellings(decimal)
    sign = currency.replace("$", r"\$")
    gap = f"{_GAP}?"
    bare = f"trim(replace({{v}}, {sql_literal(currency)}, ''), ' \N{NO-BREAK SPACE}')"
    return Candidate(
        "number",
        AMOUNTS,
        rf"-?{gap}{sign}{gap}-?(?:{plain}|{grouped})|-?(?:{plain}|{grouped})-?{gap}{sign}",
        _numeric(decimal, bare),
        decimal=decimal,
    )


def _in_parentheses(decimal: Decimal) -> Iterator[Candidate]:
    """Yield the candidates for numbers of which the negative ones stand in parentheses."""
    whole = r"0|[1-9]\d{0,14}"
    spelt = "|".join(_spellings(decimal))
    integers = Candidate("integer", NUMBERS, f"-?(?:{whole})", "TRY_CAST({v} AS BIGINT)")
    yield _or_negative(integers, rf"\((?:{whole})\)")
    yield _or_negative(_numbers(decimal), rf"\((?:{spelt})\)")
    percentages = rf"\((?:{spelt}){_GAP}?(?:%\)|\){_GAP}?%)"
    yield _or_negative(_percentages(decimal), percentages)
    for each in CURRENCIES:
        before = each.replace("$", r"\$") + f"{_GAP}?"
        behind = f"{_GAP}?" + each.replace("$", r"\$")
        amounts = (
            rf"\({before}(?:{spelt})\)|\((?:{spelt}){behind}\)"
            rf"|{before}\((?:{spelt})\)|\((?:{spelt})\){behind}"
        )
        yield _or_negative(_amounts(each, decimal), amounts)


def _or_negative(plain: Candidate, pattern: str) -> Candidate:
    """Return the candidate for what is plain or, in this pattern, negative."""
    bare = plain.conversion.replace("{v}", f"translate({{v}}, '{PARENTHESES}', '')")
    return replace(
        plain,
        pattern=f"{plain.pattern}|{pattern}",
        conversion=f"CASE WHEN {{v}} LIKE '%(%' THEN -1 ELSE 1 END * ({bare})",
        # One in parentheses alone is as likely a remark or the number of a note.
        distinct=2,
        signs=PARENTHESES,
    )


def _dates() -> list[Candidate]:
    found = [
        Candidate(
            "date",
            DATES,
            r"\d{4}-\d{1,2}-\d{1,2}",
            "TRY_CAST({v} AS DATE)",
            signs="-",
            fast_check="TRY_CAST({v} AS DATE)::VARCHAR = {v} AND strlen({v}) = 10",
            day_form=_ISO,
        ),
        *(
            Candidate(
                "date",
                DATES,
                _date_pattern("y", mark),
                f"TRY_STRPTIME({{v}}, '%Y{mark}%m{mark}%d')::DATE",
                signs=mark,
                day_form=_day_form("y", mark, "%Y"),
            )
            for mark in "/."
        ),
        Candidate(
            "datetime",
            DATES,
            rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}(?:[ T]{_CLOCK})?",
            "TRY_CAST(replace(replace({v}, ',', '.'), 'T', ' ') AS TIMESTAMP)",
            signs="-",
            day_form=_ISO,
        ),
        Candidate(
            "datetime",
            DATES,
            r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|\+00:?00)",
            "TRY_CAST(regexp_replace(replace({v}, 'T', ' '), '(Z|\\+00:?00)$', '') AS TIMESTAMP)",
            signs="-:",
        ),
        *(_moments("y", mark, "%Y") for mark in "/."),
    ]
    found += [each for year in (r"\d{4}", r"\d{2}") for each in _named_months(year)]
    for (order, mark), year in product(product(("dmy", "mdy"), "/-."), ("%Y", "%y")):
        form = mark.join((*(("%d", "%m") if order == "dmy" else ("%m", "%d")), year))
        found.append(
            Candidate(
                "date",
                DATES,
                _date_pattern(order, mark, year),
                f"TRY_STRPTIME({{v}}, {sql_literal(form)})::DATE",
                order=order,
                signs=mark,
                day_form=form,
            )
        )
        found.append(_moments(order, mark, year))
    found += [_moments_by_halves("y", mark, "%Y") for mark in "-/."]
    found += [
        _moments_by_halves(order, mark, year)
        for (order, mark), year in product(product(("dmy", "mdy"), "/-."), ("%Y", "%y"))
    ]
    return [*found, *_ordinal_dates()]


_ISO = "%Y-%m-%d"
_CLOCK = r"(?:[01]?\d|2[0-3]):\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?"
_HALF_CLOCK = r"(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?[ \xa0]?[AaPp]\.?[Mm]\.?"
# SQL for a text with its half of the day as strptime expects it: " AM" or " PM".
_HALF = (
    "regexp_replace(replace({v}, ',', '.'), '[ \N{NO-BREAK SPACE}]?([AaPp])\\.?[Mm]\\.?$', ' \\1M')"
)
_TIMES = ("%H:%M:%S", "%H:%M", "", "%H:%M:%S.%f")
_HALF_TIMES = ("%I:%M:%S %p", "%I:%M %p", "%I:%M:%S.%f %p")
# Points between the parts of a date, as in 19. 4. 2019., and the spaces around them.
_ORDINAL = "regexp_replace({v}, '^(\\d+)\\. ?(\\d+)\\. ?(\\d+)\\.?', '\\1.\\2.\\3')"


def _forms(day: str, times: Sequence[str]) -> str:
    """Return SQL for the list of forms of a day with each of these times."""
    return "[" + ", ".join(sql_literal(f"{day} {each}".strip()) for each in times) + "]"


def _date_pattern(order: str, mark: str, year: str = "%Y") -> str:
    """Return the pattern of a date in this order: y, dmy or mdy."""
    parts = (r"\d{1,2}", r"\d{1,2}")
    years = r"\d{4}" if year == "%Y" else r"\d{2}"
    return re.escape(mark).join((years, *parts) if order == "y" else (*parts, years))


def _day_form(order: str, mark: str, year: str) -> str:
    parts = {"y": (year, "%m", "%d"), "dmy": ("%d", "%m", year), "mdy": ("%m", "%d", year)}
    return mark.join(parts[order])


def _moments(order: str, mark: str, year: str) -> Candidate:
    """Return the candidate for a day with or without a time."""
    return Candidate(
        "datetime",
        DATES,
        rf"{_date_pattern(order, mark, year)}(?:,? {_CLOCK})?",
        "TRY_STRPTIME(replace(replace({v}, ', ', ' '), ',', '.'),"
        f" {_forms(_day_form(order, mark, year), _TIMES)})",
        order="" if order == "y" else order,
        signs=mark,
        day_form=_day_form(order, mark, year),
    )


def _moments_by_halves(order: str, mark: str, year: str) -> Candidate:
    """Return the candidate for a day with a time before or after noon."""
    text = _HALF.format(v="replace({v}, ', ', ' ')")
    return Candidate(
        "datetime",
        DATES,
        rf"{_date_pattern(order, mark, year)},? {_HALF_CLOCK}",
        f"TRY_STRPTIME({text}, {_forms(_day_form(order, mark, year), _HALF_TIMES)})",
        order="" if order == "y" else order,
        signs=f"{mark}:m",
    )


def _ordinal_dates() -> Iterator[Candidate]:
    """Yield the candidates for dates of ordinals: 2019.04.19., 19. 4. 2019 and the like."""
    for order, pattern in (
        ("y", r"\d{4}\. ?\d{1,2}\. ?\d{1,2}\.?"),
        ("dmy", r"\d{1,2}\. ?\d{1,2}\. ?\d{4}\.?"),
    ):
        form = _day_form(order, ".", "%Y")
        yield Candidate(
            "date",
            DATES,
            pattern,
            f"TRY_STRPTIME({_ORDINAL}, {sql_literal(form)})::DATE",
            order="" if order == "y" else order,
            signs=".",
        )
        yield Candidate(
            "datetime",
            DATES,
            rf"{pattern}(?:,? {_CLOCK})?",
            f"TRY_STRPTIME(replace(replace({_ORDINAL}, ', ', ' '), ',', '.'),"
            f" {_forms(form, _TIMES)})",
            order="" if order == "y" else order,
            signs=".",
        )


def _named_months(year: str) -> Iterator[Candidate]:
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
    month = f"lower(strip_accents(regexp_extract({{v}}, {named}, 1)))"
    cases = " ".join(f"WHEN {sql_literal(name)} THEN {number}" for name, number in numbers.items())
    digits = r"regexp_extract_all({v}, '\d+')"
    written = f"CAST({digits}[2] AS INTEGER)"
    whole = (
        written
        if year == r"\d{4}"
        else f"(2000 + {written} - CASE WHEN {written} > 68 THEN 100 ELSE 0 END)"
    )
    made = f"TRY(make_date({whole}, CASE {month} {cases} END, CAST({digits}[1] AS INTEGER)))"
    for pattern in (
        rf"{day}{gap}(?i:{names})\.?{gap}{year}(?i:{behind})?",
        rf"(?i:{names})\.? {day},? {year}",
    ):
        yield Candidate("date", DATES, pattern, made)


def _either(letter: str) -> str:
    """Return a pattern of an accented letter in either case, or without its accent."""
    return f"[{letter}{letter.upper()}{fold_in_place(letter)}]"


def exact_text(candidate: Candidate, texts: Sequence[str]) -> str | None:
    """Return SQL for the text of a value `{v}`, if all these texts seem to be written in one way.

    Where it gives a text, that matches the pattern. Whether it gives each one back is to be tested.
    """
    match candidate:
        case Candidate(type="integer", label="numbers", signs=""):
            most = 10**DIGITS - 1
            return f"CASE WHEN {{v}} BETWEEN -{most} AND {most} THEN CAST({{v}} AS VARCHAR) END"
        case Candidate(type="number", label="numbers", signs="", decimal=mark) if mark:
            text = _exact_number([each.replace(mark, ".") for each in texts])
            return f"replace({text}, '.', ',')" if text and mark == "," else text
        case Candidate(day_form=form) if form:
            return _exact_moment(candidate, texts)
        case _:
            return None


def _exact_number(texts: Sequence[str]) -> str | None:
    if not all(map(_CANONICAL.fullmatch, texts)):
        return None
    decimals = {len(each.partition(".")[2]) for each in texts}
    most = max(decimals)
    if len(decimals) == 1 and 0 < most <= MOST_DECIMALS:
        # Written in less than half of the time that the shortest text takes.
        size = min(18, DIGITS + most)
        return f"CAST(TRY_CAST({{v}} AS DECIMAL({size}, {most})) AS VARCHAR)"
    shortest, whole = "CAST({v} AS VARCHAR)", "CAST(CAST({v} AS BIGINT) AS VARCHAR)"
    is_usual = f"abs({{v}}) BETWEEN 1e-99 AND 1e{DIGITS} OR {{v}} = 0"
    if all("." in each and (each.endswith(".0") or each[-1] != "0") for each in texts):
        return f"CASE WHEN {is_usual} THEN {shortest} END"
    if any("." in each and each[-1] == "0" for each in texts):
        return None
    return (
        f"CASE WHEN NOT ({is_usual}) THEN NULL WHEN {{v}} = floor({{v}}) THEN {whole}"
        f" ELSE {shortest} END"
    )


def _exact_moment(candidate: Candidate, texts: Sequence[str]) -> str | None:
    first, form = texts[0], candidate.day_form
    day, gap, clock = first.replace("T", " ").partition(" ")
    if any(re.search(r"(?<!\d)\d(?!\d)", re.split("[T ]", each)[0]) for each in texts):
        form = form.replace("%d", "%-d").replace("%m", "%-m")
    if candidate.type == "date":
        ends = "DATE '1000-01-01' AND DATE '9999-12-31'"
    else:
        ends = "TIMESTAMP '1000-01-01' AND TIMESTAMP '9999-12-31'"
    is_usual = f"{{v}} BETWEEN {ends}"
    is_plain = candidate.type == "date" or (gap in first and re.fullmatch(_SECONDS, clock))
    if form == _ISO and is_plain:
        return f"CASE WHEN {is_usual} THEN CAST({{v}} AS VARCHAR) END"
    if candidate.type == "datetime":
        time_form = _TIME_FORMS.get(re.sub(r"\d", "9", clock))
        if time_form is None or day.endswith(","):
            return None
        form += f"{first[len(day)]}{time_form}"
    return f"CASE WHEN {is_usual} THEN strftime({{v}}, {sql_literal(form)}) END"


def is_name(cell: Value) -> bool:
    """Return whether a cell reads as a name rather than as a value."""
    if not isinstance(cell, str):
        return False
    text = cell.strip()
    if text.lower() in MISSING_WORDS:
        return False  # nothing, where a value could be
    return not (_NUMBER_LIKE.fullmatch(text) or _MOMENT_LIKE.fullmatch(text))


def is_missing_word(cell: Value) -> bool:
    """Return whether a cell is a word for a missing value."""
    return isinstance(cell, str) and cell.strip().lower() in MISSING_WORDS


def is_moment(cell: Value) -> bool:
    """Return whether a cell is a date or a time, or looks like one."""
    if isinstance(cell, str):
        return bool(_MOMENT_LIKE.fullmatch(cell.strip()))
    return isinstance(cell, date | time)


def is_unit(text: str, *, is_sure: bool) -> bool:
    """Return whether a text has the form of a unit; with `is_sure` letters alone are none."""
    if _IN_BRACKETS.fullmatch(text) or _WITH_SIGN.fullmatch(text):
        return True
    return not is_sure and bool(_LETTERS.fullmatch(text))


def steps_of(cells: Sequence[Value]) -> str:
    """Return how the numbers in cells rise or fall: "even" in equal steps or by one factor,
    "uneven", or not at all.
    """
    texts = [as_text(cell).strip().replace(",", ".") for cell in cells]
    if any(isinstance(cell, bool) for cell in cells) or not all(map(_PLAIN.fullmatch, texts)):
        return ""
    numbers = [float(text) for text in texts]
    steps = [after - before for before, after in pairwise(numbers)]
    if not steps or not (min(steps) > 0 or max(steps) < 0):
        return ""
    if max(steps) - min(steps) <= STEP_ERROR * max(map(abs, steps)):
        return "even"
    factors = [after / before for before, after in pairwise(numbers) if before]
    is_even = len(factors) == len(steps) and max(factors) - min(factors) <= STEP_ERROR * abs(
        factors[0]
    )
    return "even" if is_even else "uneven"


def counting_numbers(cells: Mapping[int, Value]) -> dict[int, int]:
    """Return the numbers of cells that count 0, 1, 2 or 1, 2, 3 in the order given, by their
    places; none if they do not. A letter may stand before the first one, as in 'A, 1, 2'.
    """
    found: dict[int, int] = {}
    for place, cell in cells.items():
        text = as_text(cell).strip()
        counted = _NUMBERED.fullmatch(text)
        if counted and not isinstance(cell, bool):
            found[place] = int(counted[1])
        elif found or len(text) > 1:
            return {}
    values = [*found.values()]
    is_count = bool(values) and values[0] in (0, 1, 2)
    return found if is_count and values == [*range(values[0], values[-1] + 1)] else {}


def is_other_size(cell: Value, number: int) -> bool:
    """Return whether a value is no whole number, or one far from the number of its column."""
    text = as_text(cell).strip()
    if isinstance(cell, str):
        if not re.fullmatch(r"-?\d+(?:[.,]\d+)?", text):
            return True
        text = text.replace(",", ".")
    value = float(text)
    return not value.is_integer() or abs(value) > 10 * (number + 1)


def form_of(cell: Value) -> str:
    """Return the form of a text: 'A99' for 'K12', a letter for letters and 9 for each digit."""
    text = re.sub(r"[^\W\d_]+", "A", as_text(cell).strip())
    return re.sub(r"\d", "9", text)


def is_name_of_codes(cell: Value, below: Sequence[Value]) -> bool:
    """Return whether a name stands above codes that are all of another form than it is."""
    form, *forms = (re.sub("9+", "9", form_of(each)) for each in (cell, *below))
    return len(forms) > 2 and is_name(cell) and {form} != {*forms} == {forms[0]} and "9" in forms[0]
