"""Type patterns: the types that a text can have, in the order of trial; notations of numbers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import lexicons, words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.ingest.readers.sheet import Decimal
from qhub_desktop.data.ingest.timestamp_patterns import (
    AMOUNTS,
    BOOLEANS,
    NUMBERS,
    PARENTHESES,
    PERCENTAGES,
    QUANTITIES,
    TypeCandidate,
    compact_days,
    doubled,
    timestamps,
)

FLOAT_DIGITS = 15  # so many digits any float keeps
# What may part thousands, besides the character that is not the decimal one.
_APOSTROPHES = (
    "'\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}"
)
_GAPS = f" \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}{_APOSTROPHES}"
_GAP = "[ \N{NO-BREAK SPACE}]"
_THIN_GAP = "[ \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]"
# The signs of Unicode's category Sc up to the block of currencies, and their wide forms; \p{Sc} is
# known to the database only.
_CURRENCY_SIGN = (
    "[$\xa2-\xa5\u058f\u060b\u09f2\u09f3\u0af1\u0bf9\u0e3f\u17db\u20a0-\u20cf\ua838\ufdfc\uff04"
    "\uffe0\uffe1\uffe5\uffe6]"
)
# What can be nothing else, even before a whole number; and what can.
_SURE_CURRENCY = rf"(?:(?:[A-Z]{{1,3}})?{_CURRENCY_SIGN}|EUR|USD|GBP|BRL|CHF)"
_CURRENCY = "|".join(
    sorted(
        map(re.escape, words_of("files", "currencies") + words_of("files", "currency_codes")),
        key=lambda word: (-len(word), word),
    )
)
_APART = r"[ \xa0]{1,6}"  # a sign from its number, as recorders align them
_EDGES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_CURRENCY_OF = r"((?:\p{L}|\p{Sc})[^0-9()\s\x{a0}\x{202f}-]*)"
_AMOUNT_HINT = (
    rf"(?:{_SURE_CURRENCY}|{_CURRENCY}){_THIN_GAP}?[-(]?[\d.,]"
    rf"|\d[-)]?{_THIN_GAP}?(?:{_SURE_CURRENCY}|{_CURRENCY})\)?$"
)
# Units that can be nothing else behind a number, and those that need a blank between.
_MICRO = "\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}"
_SIGNED = "[\N{DEGREE SIGN}\xba][CF]|\N{PER MILLE SIGN}|[kMm]?\N{GREEK CAPITAL LETTER OMEGA}|"
_UNIT = (
    rf"(?:[kK]g|KG|[m{_MICRO}]g|gr|ton|lbs?|oz|[mcdkn{_MICRO}u]m|[m{_MICRO}cdh]l|mL|[mk]V|[mk{_MICRO}]A"
    r"|[kM]W|[kM]?Wh|[kMG]?Hz|rpm|m?bar|[kMhm]?Pa|psi|k?Nm|kN|kJ|min|hrs|sec|pp[mb]|dB|lux|lx|cP|GU"
    rf"|[m{_MICRO}]s|[kKMGT]B|{_SIGNED}{'|'.join(map(re.escape, words_of('files', 'units')))})"
)
# Percentages of something: of humidity in several languages, of a volume, of a full scale.
_OF_WHOLE = (
    rf"%{_GAP}?(?:[Rr]\.?[HhFf]\.?|[HU]\.?R\.?|[Vv]ol\.?|LEL|FS|ABV|[mw]/[mw]|v/v)"
    r"|(?:[Vv]ol|wt|mol|at)\.?%"
)
_LETTER_UNIT = "(?:in|[gmlLtVAWNJKCFhsd])"
_TIME_UNIT = "|".join(
    sorted(
        {
            re.escape(word)
            for key in ("days", "hours", "minutes", "seconds")
            for word in words_of("files", key)
            if len(word) > 2
        },
        key=lambda word: (-len(word), word),
    )
)
_POWER = "(?:[²³⁻¹]+|[23])?"
_MEASURE = rf"(?:{_UNIT}{_POWER}|m[²³23]|{_OF_WHOLE})"
_CONDUCTANCE = f"[mk{_MICRO}]?S"
_PART = rf"(?:{_UNIT}|{_CONDUCTANCE}|{_LETTER_UNIT}){_POWER}"
_QUOTIENT = rf"{_PART}(?:[/·⋅*.]{_PART}){{1,2}}"
_QUANTITY = rf"{_GAP}?{_MEASURE}|{_GAP}{_QUOTIENT}|{_GAP}pH|{_GAP}?(?i:{_TIME_UNIT})"
# Days and hours of planning programs stand close to their number: 10d, 4h.
_QUANTITY_WEAK = rf"{_QUANTITY}|{_GAP}{_LETTER_UNIT}{_POWER}|[dh]"


@cache
def candidates(decimal: Decimal) -> Sequence[TypeCandidate]:
    """Return every candidate in the order of trial; `decimal` goes first where both marks fit."""
    other: Decimal = "," if decimal == "." else "."
    marks = (decimal, other)
    return [
        *_booleans(),
        *compact_days(),
        # More than 15 digits, a leading zero or a plus sign make an identifier, not a quantity.
        TypeCandidate(
            "integer",
            NUMBERS,
            r"-?(?:0|[1-9]\d{0,14})",
            "TRY_CAST({v} AS BIGINT)",
            always_converts=True,
            fast_check="TRY_CAST({v} AS BIGINT)::VARCHAR = {v} AND strlen({v}) <= 15",
        ),
        *map(_numbers, marks),
        *timestamps(),
        *map(_percentages, marks),
        *map(_amounts, marks),
        *map(_amounts_or_plain, marks),
        *chain.from_iterable(map(_in_parentheses, marks)),
        *(_quantities(mark, is_weak=weak) for weak in (False, True) for mark in marks),
    ]


def _booleans() -> list[TypeCandidate]:
    pairs = (
        ("true", "false", 1),  # as programs write it
        # One of these words alone may be anything: Norway, for one.
        *((yes, no, 2) for yes, no in words_of("files", "yes_no")),
    )
    # Typed by several people: 'Sim', 'S', 'NAO', 'n'.
    mixed = (file.get("files", {}).get("yes_no", ()) for file in lexicons("files").values())
    return [
        *(_boolean([yes], [no], distinct=distinct) for yes, no, distinct in pairs),
        *(_boolean(*zip(*words, strict=True), distinct=3) for words in mixed if len(words) > 1),
    ]


def _boolean(yes: Sequence[str], no: Sequence[str], *, distinct: int) -> TypeCandidate:
    said = dict.fromkeys((*yes, *no))
    words = ", ".join(sql_literal(word) for word in dict.fromkeys(yes))
    return TypeCandidate(
        "boolean",
        BOOLEANS,
        f"(?i:{'|'.join(map(_ignoring_case, said))})",
        f"lower({{v}}) IN ({words})",
        distinct=distinct,
    )


def _ignoring_case(word: str) -> str:
    """Return a pattern of a word in any case; accented letters are spelt out for both engines."""
    return "".join(each if each.isascii() else f"[{each}{each.upper()}]" for each in word)


@dataclass(frozen=True, slots=True)
class _Spelling:
    """Patterns of a number without a sign: plain, with thousands separated, and either."""

    point: str
    plain: str
    grouped: str

    @property
    def either(self) -> str:
        return f"{self.plain}|{self.grouped}"


@cache
def _spelling(decimal: Decimal) -> _Spelling:
    point = r"\." if decimal == "." else ","
    gaps = ("," if decimal == "." else ".") + _GAPS
    # 12E4 is a part number; an exponent shows itself by its sign or by decimals before it.
    # Larger exponents than 299 are beyond what can be stored.
    power = r"(?:\d{1,2}|[012]\d\d)"
    plain = (
        rf"(?:0|[1-9]\d{{0,14}})(?:{point}\d*)?|{point}\d+"
        rf"|(?:0|[1-9]\d{{0,7}})(?:{point}\d+)?[eE][+-]{power}|\d{point}\d+[eE]{power}"
    )
    indian = rf"|[1-9]\d?(?:,\d\d){{1,5}},\d{{3}}(?:{point}\d+)?" if decimal == "." else ""
    grouped = rf"[1-9]\d{{0,2}}(?:[{gaps}]\d{{3}}){{1,5}}(?:{point}\d+)?{indian}"
    return _Spelling(point, plain, grouped)


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
        plain = f"CASE WHEN {text} NOT LIKE '%.%' THEN {plain} END"
        bare = f"replace({bare}, ',', '.')"
    sign = f"CASE WHEN {text} LIKE '%-%' THEN -1 ELSE 1 END"
    # No pattern lets words such as 'inf' through, which would be numbers here.
    return f"coalesce({plain}, {sign} * TRY_CAST({bare} AS DOUBLE))"


def _numbers(decimal: Decimal) -> TypeCandidate:
    spelt = _spelling(decimal)
    point = spelt.point
    text = "{v}" if decimal == "." else "replace({v}, ',', '.')"
    return TypeCandidate(
        "number",
        NUMBERS,
        # A plus sign before decimals is a deviation's; before digits alone it is a telephone's.
        rf"-?(?:{spelt.either})|(?:{spelt.either})-|\+(?:0|[1-9]\d{{0,14}})"
        rf"(?:{point}\d+(?:[eE][+-]?\d{{1,2}})?|[eE][+-]\d{{1,2}})|-{_APART}{spelt.grouped}"
        rf"|[-+]{_APART}(?:(?:0|[1-9]\d{{0,14}})(?:{point}\d*)?|{point}\d+)",
        _numeric(decimal, "{v}"),
        decimal=decimal,
        always_converts=True,
        usual=rf"-?(?:0|[1-9]\d{{0,14}})(?:{point}\d+)?",
        usual_conversion=f"TRY_CAST({text} AS DOUBLE)",
    )


def _percentages(decimal: Decimal) -> TypeCandidate:
    spelt = _spelling(decimal).either
    bare = "trim(replace({v}, '%', ''), ' \N{NO-BREAK SPACE}')"
    # SAP writes the sign behind the number, Turkish the percent sign before it: 12,3- %, %12,3.
    return TypeCandidate(
        "number",
        PERCENTAGES,
        rf"(?:-(?:{_APART})?)?(?:{spelt}){_GAP}?%|(?:{spelt})-{_GAP}?%"
        rf"|(?:{spelt}){_GAP}?%-|-?%{_GAP}?-?(?:{spelt})",
        f"{_numeric(decimal, bare)} / 100",
        decimal=decimal,
    )


def _amounts(decimal: Decimal) -> TypeCandidate:
    """Return the candidate for amounts of one currency, whichever: its sign, code or abbreviation
    stands before or behind.
    """
    spelt = _spelling(decimal)
    plain = spelt.plain.partition("|(?:0|[1-9]")[0]  # without exponents, as letters are taken away
    either = f"{plain}|{spelt.grouped}"
    # TOP 12 and PEN 3 are names: behind letters, a mark shows that it is an amount.
    marked = rf"(?:0|[1-9]\d{{0,14}}){spelt.point}\d+|{spelt.grouped}"
    bare = r"trim(regexp_replace({v}, '\p{{L}}+\.?|\p{{Sc}}', '', 'g'), '" + _EDGES + "')"
    gap = f"{_THIN_GAP}?"
    return TypeCandidate(
        "number",
        AMOUNTS,
        rf"[-+]?{gap}{_SURE_CURRENCY}{gap}-?(?:{either})|-?(?:{_CURRENCY}){gap}-?(?:{marked})"
        rf"|-?(?:{either})-?{gap}(?:{_SURE_CURRENCY}|{_CURRENCY})",
        _numeric(decimal, bare),
        decimal=decimal,
        tail=_CURRENCY_OF,
        hint=_AMOUNT_HINT,
    )


def _amounts_or_plain(decimal: Decimal) -> TypeCandidate:
    """Return the candidate for amounts of one currency of which some stand without it."""
    amounts, plain = _amounts(decimal), _numbers(decimal)
    return replace(amounts, pattern=f"{amounts.pattern}|{plain.pattern}", distinct=3)


def _quantities(decimal: Decimal, *, is_weak: bool) -> TypeCandidate:
    """Return the candidate for numbers of one unit, a weak one of which is a letter."""
    unit = _QUANTITY_WEAK if is_weak else _QUANTITY
    bare = f"regexp_replace({{v}}, {sql_literal(doubled(f'(?:{unit})$'))}, '')"
    return TypeCandidate(
        "number",
        QUANTITIES,
        rf"(?:[-+](?:{_APART})?)?(?:{_spelling(decimal).either})(?:{unit})",
        _numeric(decimal, bare),
        decimal=decimal,
        distinct=3 if is_weak else 1,
        tail=rf"\d{_GAP}?(% [^ \xa0]+|[^\d.,' \xa0][^ \xa0]*)$",
        hint=rf"\d(?:{unit})$",
    )


def _in_parentheses(decimal: Decimal) -> Iterator[TypeCandidate]:
    """Yield the candidates for numbers of which the negative ones stand in parentheses."""
    whole = r"0|[1-9]\d{0,14}"
    spelt = _spelling(decimal).either
    integers = TypeCandidate("integer", NUMBERS, f"-?(?:{whole})", "TRY_CAST({v} AS BIGINT)")
    yield _or_negative(integers, rf"\((?:{whole})\)")
    yield _or_negative(_numbers(decimal), rf"\((?:{spelt})\)")
    percentages = rf"\((?:{spelt}){_GAP}?(?:%\)|\){_GAP}?%)"
    yield _or_negative(_percentages(decimal), percentages)
    sign, gap = f"(?:{_SURE_CURRENCY}|{_CURRENCY})", f"{_THIN_GAP}?"
    amounts = (
        rf"\({sign}{gap}(?:{spelt})\)|\((?:{spelt}){gap}{sign}\)"
        rf"|{sign}{gap}\((?:{spelt})\)|\((?:{spelt})\){gap}{sign}"
    )
    yield _or_negative(_amounts(decimal), amounts)


def _or_negative(plain: TypeCandidate, pattern: str) -> TypeCandidate:
    """Return the candidate for what is plain or, in this pattern, negative."""
    bare = plain.conversion.replace("{v}", f"translate({{v}}, '{PARENTHESES}', '')")
    return replace(
        plain,
        usual="",
        pattern=f"{plain.pattern}|{pattern}",
        conversion=f"CASE WHEN {{v}} LIKE '%(%' THEN -1 ELSE 1 END * ({bare})",
        # One in parentheses alone is as likely a remark or the number of a note.
        distinct=2,
        signs=PARENTHESES,
    )


def quick_check(candidate: TypeCandidate, texts: Sequence[str]) -> str:
    """Return SQL that is true only where a value's shortest text `{c}` is what `{v}` was made of.

    It holds for a text that a fixed number of decimals gives back, with no more digits than any
    float keeps and no zero at its end. Empty where most of these texts have other numbers of
    decimals, or all of them the same one.
    """
    mark = candidate.decimal
    if (candidate.type, candidate.label, candidate.signs) != ("number", NUMBERS, "") or not mark:
        return ""
    decimals = Counter(len(each.partition(mark)[2]) for each in texts)
    ((size, times),) = decimals.most_common(1)
    if len(decimals) == 1 or not 0 < size <= FLOAT_DIGITS // 2 or times * 2 < len(texts):
        return ""
    written = f"CAST(TRY_CAST({{v}} AS DECIMAL(18, {size})) AS VARCHAR)"
    written = f"replace({written}, '.', ',')" if mark == "," else written
    return (
        f"CASE WHEN abs({{v}}) BETWEEN 1e-3 AND 1e{FLOAT_DIGITS - size - 1}"
        f" THEN {written} = {{c}} AND NOT ends_with({{c}}, '0') END"
    )
