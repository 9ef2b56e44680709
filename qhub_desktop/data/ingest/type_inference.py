"""Type inference: the type that all texts of a column match, and numbers that are dates."""

# Why it is so: decisions/importing-files.md

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import slug
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.code_columns import (
    are_clauses,
    are_dotted_codes,
    are_kept_digits,
    clock_written,
    dressed_numbers,
    identifiers_in,
    numbers_in_one_form,
)
from qhub_desktop.data.ingest.column_sample import (
    ColumnSample,
    ColumnSql,
    Condition,
    count_together,
    is_present,
)
from qhub_desktop.data.ingest.raw_table import (
    BLANKS,
    Kind,
    RawTable,
    TypedColumn,
    is_missing,
    is_missing_sql,
)
from qhub_desktop.data.ingest.readers.sheet import Decimal
from qhub_desktop.data.ingest.timestamp_patterns import (
    AMOUNTS,
    BOOLEANS,
    COMPACT_DISTINCT,
    DATES,
    DURATIONS,
    ERA_DAY,
    ISO_DAY,
    NUMBERS,
    PARENTHESES,
    PERCENTAGES,
    SHORT_LENGTHS,
    TIMES,
    TypeCandidate,
    are_yearless,
)
from qhub_desktop.data.ingest.type_patterns import candidates, quick_check
from qhub_desktop.data.ingest.unread_values import value_like

# A type is tried when so much of the sample has it.
LIKELY = 0.8
MOST_DAYS = 0.5  # of the texts, where the others are words
MOST_WORDS = 12  # of a column of yes and no, with those for missing values and a few strays
_COMPACT = re.compile(r"(?:19|20)\d{6}", re.ASCII)
_COMPACT_FORM = re.compile(r"(?:19|20)\d{6}(?:\d{4}|\d{6})?", re.ASCII)
_UNHINTED = re.compile(r"-?[\d.,]+|\d{4}-\d\d-\d\d")
FLAGGED = 0.5  # of the sample are numbers, where others have a sign behind them
_FLAG = r"(?:[^\w\s.,;:/()%-]{1,3}|\([a-z]\)|[a-z])"
CODE_DIGITS = 6  # of one length: with fewer they may be plain numbers
DIGITS = 15  # of whole numbers; those with more are identifiers
MOST_DECIMALS = 9  # of numbers that are written with as many each
_CANONICAL = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?", re.ASCII)
_TWO_PARTS = re.compile(rf"{SHORT_LENGTHS}(?:[.,]\d+)?", re.ASCII)
_SECONDS = r"\d{2}:\d{2}:\d{2}"
_TIME_FORMS = {"99:99": "%H:%M", "99:99:99": "%H:%M:%S", "99:99:99.999": "%H:%M:%S.%g"}
FIRST_TEXTS = 10  # of a sample, one of which shows a candidate's hint
HOUR = 60  # minutes
FEWEST_TIMES = 6  # parts of a day that tell times, with more than three decimals
# Of a whole minute in four decimals of a day, of a second in six.
MINUTE_ERROR, SECOND_ERROR = 0.08, 0.06
TAILS = 20  # units or zones in a column
# How values look in writings that are not read here: an amount before an unknown word, digits of
# another script, clocks with a sign or a word, days with an unknown month, feet and inches.
_DEBIT = re.compile(r"[-+−]?\d+(?:[.,' ]\d+)+(?: ?(?i:cr|dr|db|[dcsh])\.?)?")
_UNREAD = (
    re.compile(r"[-+−]?\d+(?:[.,' ]\d+)+ [^\W\d_]{1,3}\.?"),
    _DEBIT,
    re.compile(r"(?=.*\d)[-+−]?(?:(?![0-9])[\d٫٬.,/: -])+"),
    re.compile(r"[-+−]?\d{1,3}:[0-5]\d(?::[0-5]\d)?(?: ?[^\W\d_]{1,4}\.?)?"),
    re.compile(r"(?:19|20)\d\d[.,]?(?: [^\W\d_]\.?)? [^\W\d_]{3,}\.? \d{1,2}\.?(?: [^\W\d_]\.?)?"),
    re.compile(r"(?:19|20)\d\d\.? [^\W\d_]{1,4}\.? \d{1,2}\.? [^\W\d_]{3,}\.?"),
    re.compile(r"\d{1,2}\.? [^\W\d_]{3,}\.?,? (?:19|20)\d\d\.?"),
    re.compile(r"\d+ ?['′] ?\d+ ?[\"″]?"),
)
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
FEWEST_UNREAD = 3  # different texts of one such look
_UNIT_OF_WORD = {
    word: key
    for key in ("days", "hours", "minutes", "seconds")
    for word in words_of("files", key)
    if len(word) > 2
}
# Zones with their summers: WET and WEST, EST and EDT.
_SUMMER = re.compile(r"^(WE|CE|EE|E|C|M|P|AZO)(?:S?T|DT)$")
_OFFSET = re.compile(r"([+-]\d\d):?(\d\d)")

_FAMILY: dict[Kind, set[str]] = {
    "number": {NUMBERS, AMOUNTS},
    "boolean": {BOOLEANS},
    "date": {DATES},
    "datetime": {DATES},
    "time": {TIMES},
    "duration": {DURATIONS, TIMES},
}

# Day 1 of a spreadsheet's calendar, and its last.
EPOCH = "DATE '1899-12-30'"
LAST_DAY = 2_958_465  # 31 December 9999, as Excel counts days
# Days of that calendar that can be told from plain numbers: 1954 to 2119.
SERIALS = (20_000, 80_000)
COMPACT = (19_000_101, 21_001_231)  # a year, a month and a day as one number
COMPACT_UNITS = (1, 10**4, 10**6)  # with hours and minutes, and seconds
LEAST_STEPS = 12  # that are equal, for them to tell the day from the month
_AMOUNT = r"^[^(]*$|[^\d()]"  # what amounts have that numbers in parentheses alone lack
_DATE_NAMES = set(words_of("files", "date_names"))
_TIME_NAMES = set(words_of("files", "time_names"))


@dataclass(frozen=True, slots=True)
class TypeMatch:
    """A candidate that every text matches, with the rivals that match with another meaning."""

    candidate: TypeCandidate
    missing_words: int = 0  # texts that stand for nothing
    rivals: tuple[TypeCandidate, ...] = ()
    tails: tuple[str, ...] = ()  # what stands behind all values: a unit, or a zone in two seasons
    texts: int = 0  # that stand for something

    def preferring(self, *, decimal: str, order: str) -> "TypeMatch":
        """Return the one reading that agrees with the other columns of the file, if any does."""
        for each in (self.candidate, *self.rivals):
            if (each.decimal and each.decimal == decimal) or (each.order and each.order == order):
                return replace(self, candidate=each, rivals=())
        return self


def means_missing(candidate: TypeCandidate) -> Condition:
    """Return the condition for texts that stand for no value of a candidate's kind."""
    return partial(is_missing_sql, of_days=candidate.label == DATES)


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A candidate that all of the `present` texts match but for `mismatches`."""

    mismatches: int
    present: int
    candidate: TypeCandidate

    def is_stray(self, text: str) -> str:
        """Return SQL that is true for a text that neither matches nor stands for nothing."""
        is_missing = means_missing(self.candidate)
        return f"{self.candidate.mismatch(text)} AND NOT {is_missing(text)}"


@dataclass(frozen=True, slots=True)
class SeveralTails:
    """A candidate that every text matches, with units or zones that cannot be read as one."""

    candidate: TypeCandidate
    tails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoMatch:
    """No matching candidate; `nearest` has the fewest mismatches.

    `notations` are candidates of one kind that nearly all texts match between them, `unread`
    examples of texts that look like values in a writing for which there is no candidate.
    """

    nearest: NearMiss | None = None
    notations: tuple[TypeCandidate, ...] = ()
    several: SeveralTails | None = None
    unread: tuple[str, ...] = ()
    code: str = ""  # what digits are that stay text, see `findings.CLAUSES_KEPT` and below


def plausible_types(
    texts: ColumnSample, choices: Sequence[TypeCandidate], name: str
) -> list[TypeCandidate]:
    """Return the candidates that the column may be, of the kind of its typed cells.

    `name` is the column's; one that says (mm:ss) keeps 01:30 from being a time of day.
    """
    cells = texts.cells
    if cells.text is None or (cells.kinds and not cells.is_of_one_kind):
        return []
    choices = _plausible(texts, choices)
    if not _EAST_ASIAN.search(name):
        choices = [each for each in choices if each.pattern != ERA_DAY]  # or a revision
    if not cells.kinds:
        if clock_written(name) == "minutes" and all(
            _TWO_PARTS.fullmatch(text) or is_missing(text) for text in texts.sample
        ):
            return [each for each in choices if each.label != TIMES]
        return choices
    family = set.union(*(_FAMILY[kind] for kind in cells.kinds))
    return [each for each in choices if each.label in family]


def expect_types(
    raw: RawTable, names: Sequence[str], rows: Sequence[Sequence[str]], decimal: Decimal
) -> dict[int, TypedColumn] | None:
    """Return the columns that can be stored typed as they are read, by some rows of the table.

    The others are texts. None if of any column these rows do not tell what it is.
    """
    choices = candidates(decimal)
    found: dict[int, TypedColumn] = {}
    for position, name in enumerate(names):
        texts = [row[position] for row in rows if row[position]]
        if any(text != text.strip(BLANKS) or text.startswith("#") for text in texts):
            return None
        cells = ColumnSql(position, frozenset(), f"c{position}", None, f"c{position}")
        sample = ColumnSample(raw, cells, Counter(texts))
        likely = [
            each for each in plausible_types(sample, choices, name) if sample.share(each) >= LIKELY
        ]
        if not likely:
            continue
        first = likely[0]
        if code_of(name, texts, TypeMatch(first)):
            continue
        text = None if is_date_name(name) and first.label == NUMBERS else exact_text(first, texts)
        if text is None or not all(re.fullmatch(first.pattern, each, re.ASCII) for each in texts):
            return None
        quick = quick_check(first, texts)
        found[position] = TypedColumn(first.pattern, first.conversion, text, quick)
    return found


def _is_likely(texts: ColumnSample, candidate: TypeCandidate) -> bool:
    """Return whether so much of the sample matches a candidate that all rows are tested."""
    share = texts.share(candidate)
    return share > 0 if texts.cells.kinds else share >= LIKELY


def test_together(plausible_of: Sequence[tuple[ColumnSample, Sequence[TypeCandidate]]]) -> None:
    """Test the likely candidates of short columns until one matches, and then its rivals, those of
    many columns in one query.
    """
    untested = [(texts, _to_test(texts, plausible)) for texts, plausible in plausible_of]
    while untested:
        by_candidate: dict[TypeCandidate, list[ColumnSample]] = {}
        waiting = []
        for texts, candidates_ in untested:
            if (candidate := next(candidates_, None)) is not None:
                by_candidate.setdefault(candidate, []).append(texts)
                waiting.append((texts, candidates_))
        for candidate, columns in by_candidate.items():
            is_missing = means_missing(candidate)
            count_together(columns, candidate.mismatch, is_present, is_missing)
        untested = waiting


def _to_test(texts: ColumnSample, plausible: Sequence[TypeCandidate]) -> Iterator[TypeCandidate]:
    """Yield the candidates that have to be tested; each is, before the next one is asked for."""
    for position, candidate in enumerate(plausible):
        if _is_likely(texts, candidate):
            yield candidate
            mismatches, missing = texts.counts(candidate.mismatch, means_missing(candidate))
            if mismatches in (0, missing):
                yield from _rivals(texts, candidate, plausible[position + 1 :])
                return


def _rivals(
    texts: ColumnSample, candidate: TypeCandidate, others: Sequence[TypeCandidate]
) -> Iterator[TypeCandidate]:
    """Yield those of the others that read the sample as other values than the candidate does, one
    for each way.
    """
    ways = set[tuple[str | None, str]]()
    for other in others:
        way = (other.decimal, other.order)
        if way not in ways and _conflict(candidate, other) and texts.share(other) == 1:
            ways.add(way)
            yield other


def match_type(
    texts: ColumnSample,
    choices: Sequence[TypeCandidate],
    plausible: Sequence[TypeCandidate],
    *,
    is_text: bool,
    name: str,
) -> TypeMatch | NoMatch:
    """Return the first of the plausible candidates that is likely and that every text matches.

    With `is_text` the file gives its cells no types. `name` is the column's.
    """
    cells = texts.cells
    if cells.text is None or (cells.kinds and not cells.is_of_one_kind):
        return NoMatch()
    try:
        found = _first_match(texts, plausible, is_text=is_text, name=name)
    finally:
        texts.drop_distinct()
    if is_text and isinstance(found, NoMatch) and not found.code and not texts.cells.kinds:
        found = replace(found, code=code_of(name, texts.sample, found))
    if found == NoMatch():
        some = _plausible(texts, choices)
        if notations := _notations(texts, some):
            return NoMatch(notations=notations)
        unread = _unread(texts, name)
        return NoMatch(None if unread else _half_dates(texts, some), unread=unread)
    if isinstance(found, NoMatch) and found.nearest and not (found.several or found.code):
        # Where most are of no type that is tried, their strays are not told.
        is_told = found.nearest.mismatches * 2 < found.nearest.present
        return found if is_told else replace(found, unread=_unread(texts, name))
    return found


def _half_dates(texts: ColumnSample, choices: Sequence[TypeCandidate]) -> NearMiss | None:
    """Return the first candidate for dates that more than half of the texts match, if any."""
    if texts.cells.kinds:
        return None
    for each in choices:
        if each.label == DATES and MOST_DAYS < texts.share(each) < LIKELY:
            found = _test(texts, each)
            texts.drop_distinct()
            if isinstance(found, NearMiss):
                return found
    return None


def _unread(texts: ColumnSample, name: str) -> tuple[str, ...]:
    """Return some of the texts where nearly all look like values in one unknown writing."""
    if texts.cells.kinds:
        return ()
    for form in _UNREAD:
        looking = _nearly_all_matching(texts.sample, form)
        if form is _DEBIT and not any(text[-1].isalpha() for text in looking):
            continue
        if looking:
            return tuple(looking[:2])
    if are_yearless(texts.sample, is_named=is_date_name(name)):
        return tuple(texts.sample)[:2]
    return (
        dressed_numbers(texts.sample)
        or numbers_in_one_form(texts.sample)
        or value_like(texts.sample)
    )


def _nearly_all_matching(texts: Collection[str], form: re.Pattern[str]) -> list[str]:
    """Return the texts of a form if nearly all are of it; no more are looked at than tell that."""
    least = max(FEWEST_UNREAD, len(texts) * LIKELY)
    found: list[str] = []
    for number, text in enumerate(texts, 1):
        if form.fullmatch(text):
            found.append(text)
        elif len(texts) - number + len(found) < least:
            return []
    return found if len(found) >= least else []


def _notations(texts: ColumnSample, choices: Sequence[TypeCandidate]) -> tuple[TypeCandidate, ...]:
    """Return the candidates of one kind that nearly all of the sample matches between them."""
    if len(texts.sample) == 1:
        return ()
    for labels in ({NUMBERS}, {DATES}, {TIMES, DURATIONS}):
        some = [each for each in choices if each.label in labels and texts.share(each) > 0]
        if all(each.signs == PARENTHESES for each in some):
            continue  # (1), (2), (3) are no amounts in any notation
        if len(some) > 1 and texts.share_of_any(some) >= LIKELY:
            return tuple(some)
    # Statistics offices put a sign behind provisional numbers: 13,1 *
    for each in choices:
        if each.label == NUMBERS and each.decimal and texts.share(each) >= FLAGGED:
            flagged = replace(each, pattern=rf"(?:{each.pattern}) ?{_FLAG}|{_FLAG}")
            if texts.share(flagged) and texts.share_of_any([each, flagged]) >= LIKELY:
                return each, flagged
    return ()


def _plausible(texts: ColumnSample, choices: Sequence[TypeCandidate]) -> list[TypeCandidate]:
    """Return the candidates but those whose characteristic sign occurs nowhere in the sample."""
    written = "".join(texts.sample)
    if not any(map(str.isdigit, written)):
        return [each for each in choices if each.label == BOOLEANS]
    has_percent, has_colon = "%" in written, ":" in written
    has_date = any(each in written for each in "-/. ") or any(
        _COMPACT.match(each) for each in islice(texts.sample, FIRST_TEXTS)
    )
    skipped = {
        *([] if has_percent else [PERCENTAGES]),
        *([] if has_colon else [TIMES, DURATIONS]),
        *([] if has_date else [DATES]),
    }
    # Without letters and signs there is nothing that hints; there may be hundreds of such columns.
    first = [each for each in islice(texts.sample, FIRST_TEXTS) if not _UNHINTED.fullmatch(each)]
    hints = first and {
        hint
        for hint in {each.hint for each in choices if each.hint}
        if any(re.search(hint, text, re.ASCII) for text in first)
    }
    written = written.lower()
    are_few = len({each.lower() for each in islice(texts.sample, MOST_WORDS)}) < MOST_WORDS
    return [
        each
        for each in choices
        if (are_few or each.label != BOOLEANS)
        and (each.hint in hints if each.hint else each.label not in skipped)
        and all(sign in written for sign in each.signs)
    ]


def code_of(name: str, texts: Collection[str], fit: TypeMatch | NoMatch) -> str:
    """Return what the digits of a column are that stay text; "" if they are numbers."""
    if is_date_name(name):
        return ""
    match fit:
        case TypeMatch(TypeCandidate(type="integer", signs="")):
            return identifiers_in(name, texts)
        case TypeMatch(TypeCandidate(type="number", label="numbers", decimal=".")):
            if are_clauses(name, texts):
                return "clauses"
            return "digits" if are_dotted_codes(name, texts) else ""
        case NoMatch():
            are_kept = fit.nearest is None and are_kept_digits(texts)
            return identifiers_in(name, texts) or ("digits" if are_kept else "")
        case _:
            return ""


def _first_match(
    texts: ColumnSample, plausible: Sequence[TypeCandidate], *, is_text: bool, name: str
) -> TypeMatch | NoMatch:
    nearest: NearMiss | None = None
    several: SeveralTails | None = None
    for position, candidate in enumerate(plausible):
        if not _is_likely(texts, candidate):
            continue
        match _test(texts, candidate):
            case NearMiss() as miss:
                if nearest is None or miss.mismatches < nearest.mismatches:
                    nearest = miss
            case SeveralTails() as tails:
                several = several or tails
            case TypeMatch() as fit if (
                not is_text and candidate.type == "integer" and _are_codes(texts)
            ):
                return fit if is_date_name(name) else NoMatch(nearest)
            case TypeMatch() as fit if not texts.cells.kinds and (
                code := code_of(name, texts.sample, fit)
            ):
                return NoMatch(code=code)
            case TypeMatch() as fit:
                rivals = tuple(
                    rival
                    for rival in _rivals(texts, candidate, plausible[position + 1 :])
                    if (not rival.decimal or _has_marks(texts))
                    and isinstance(_test(texts, rival), TypeMatch)
                )
                return replace(fit, rivals=rivals)
    return NoMatch(nearest, several=several)


def _test(
    texts: ColumnSample, candidate: TypeCandidate
) -> TypeMatch | NearMiss | SeveralTails | None:
    """Test over all rows whether every text matches, leaving out words for missing values."""
    mismatches, present = texts.mismatches(candidate)
    missing_words = 0
    if mismatches:
        (missing_words,) = texts.counts(means_missing(candidate))
        if missing_words != mismatches:
            return (
                NearMiss(mismatches - missing_words, present, candidate)
                if missing_words < mismatches
                else None
            )
    if candidate.distinct > 1 and not texts.cells.kinds:
        (distinct,) = texts.aggregate(
            f"count(DISTINCT lower({texts.sql})) FILTER (NOT {candidate.mismatch(texts.sql)})"
        )
        if distinct < candidate.distinct:
            return None
    if candidate.signs == PARENTHESES and not texts.cells.kinds:
        # Nothing but (1), (2), (3) numbers notes or steps; amounts show some other sign.
        amount = f"regexp_matches({texts.sql}, '\\d') AND regexp_matches({texts.sql}, '{_AMOUNT}')"
        if not texts.count(amount):
            return None
    if missing_words >= present:
        return None
    tails = _tails(texts, candidate) if candidate.tail else ()
    if candidate.label == AMOUNTS:
        tails = tuple(filter(None, tails))  # plain numbers are of the currency of the others
    if not _are_one(tails):
        return SeveralTails(candidate, tails)
    return TypeMatch(candidate, missing_words, tails=tails, texts=present - missing_words)


def _tails(texts: ColumnSample, candidate: TypeCandidate) -> tuple[str, ...]:
    """Return the different units or zones of all rows, "" for none, as far as they are few."""
    tail = f"trim(regexp_extract(v, {sql_literal(candidate.tail)}, 1), ' ()')"
    found = texts.raw.db.execute(
        f"SELECT {tail} AS tail FROM (SELECT {texts.sql} AS v FROM {texts.relation})"
        f" WHERE v IS NOT NULL AND NOT {means_missing(candidate)('v')}"
        f" GROUP BY tail ORDER BY count(*) DESC, tail LIMIT {TAILS}"
    ).fetchall()
    return tuple(tail for (tail,) in found)


def _are_one(tails: Sequence[str]) -> bool:
    """Return whether units are the same, or zones those of one place in summer and winter.

    Capitals tell mm from Mm, but not kg from Kg.
    """
    if len(tails) < 2:
        return True
    if len({_UNIT_OF_WORD.get(each.lower(), "") for each in tails} - {""}) == 1 and all(
        each.lower() in _UNIT_OF_WORD for each in tails
    ):
        return True
    if len({each.lower() for each in tails}) == 1:
        return len({each[0] for each in tails if each[0] in "mM"}) < 2
    if len({_SUMMER.sub(r"\1T", each) for each in tails} - {"GMT"}) == 1 and "" not in tails:
        return "GMT" not in tails or "BST" in tails
    offsets = [_OFFSET.fullmatch(each) for each in tails]
    hours = [int(each[1]) * 60 + int(each[1][0] + each[2]) for each in offsets if each]
    return len(tails) == len(hours) == 2 and abs(hours[0] - hours[1]) == HOUR


def _are_codes(texts: ColumnSample) -> bool:
    """Return whether digits stored as text are all of one length, as telephone numbers are."""
    if texts.cells.kinds:
        return False
    shortest, longest = texts.aggregate(f"min(length({texts.sql})), max(length({texts.sql}))")
    return bool(shortest == longest and shortest >= CODE_DIGITS)


def _conflict(one: TypeCandidate, other: TypeCandidate) -> bool:
    """Return whether two candidates of one type read the same text as different values."""
    return (
        one.type == other.type
        and one.label == other.label
        and (one.decimal, one.order) != (other.decimal, other.order)
    )


def with_steady_order(texts: ColumnSample, fit: TypeMatch) -> TypeMatch:
    """Return the one reading of day and month under which all rows follow at one step, if one does.

    A logger writes every five minutes, and across midnight only one of the readings goes on so; a
    monthly series has the same day in month after month.
    """
    if not fit.rivals or not fit.candidate.order:
        return fit
    steady = [each for each in (fit.candidate, *fit.rivals) if _has_one_step(texts, each)]
    is_one = len({each.order for each in steady}) == 1
    return replace(fit, candidate=steady[0], rivals=()) if is_one else fit


def _has_one_step(texts: ColumnSample, candidate: TypeCandidate) -> bool:
    value = texts.conversion_of(candidate, f"trim({texts.sql})")
    found = texts.raw.db.execute(
        "SELECT count(*), count(DISTINCT step), count(DISTINCT months), count(DISTINCT day),"
        " count(DISTINCT date) FROM (SELECT v::TIMESTAMP - before AS step,"
        " datediff('month', before, v::TIMESTAMP) AS months, day(v) AS day, v::DATE AS date"
        " FROM (SELECT v, lag(v::TIMESTAMP) OVER (ORDER BY place) AS before"
        f" FROM (SELECT place, {value} AS v FROM {texts.relation}) WHERE v IS NOT NULL)"
        " WHERE before IS NOT NULL AND v::TIMESTAMP <> before)"
    ).fetchone()
    assert found is not None
    steps, lengths, months, days, dates = found
    is_monthly = months == 1 and days == 1
    return bool(steps >= LEAST_STEPS and dates > 1 and (lengths == 1 or is_monthly))


def _has_marks(texts: ColumnSample) -> bool:
    """Return whether any text has a sign that may stand before decimals."""
    is_one = "contains({0}, '.') OR contains({0}, ',')".format
    return any("." in each or "," in each for each in texts.sample) or bool(texts.counts(is_one)[0])


def instants_together(texts: ColumnSample, candidate: TypeCandidate) -> tuple[int, str]:
    """Return how many times of day and date stand for instants of several zones, and one of them.

    They are the same once their zone is left out.
    """
    tail = f"trim(regexp_extract(v, {sql_literal(candidate.tail)}, 1), ' ()')"
    timestamp = candidate.conversion.format(v="v")
    row = texts.raw.db.execute(
        f"SELECT count(*), min(example) FROM (SELECT {timestamp} AS instant, min(v) AS example"
        f" FROM (SELECT {texts.sql} AS v FROM {texts.relation}) WHERE instant IS NOT NULL"
        f" GROUP BY instant HAVING count(DISTINCT {tail}) > 1)"
    ).fetchone()
    assert row is not None
    return row[0], row[1] or ""


@dataclass(frozen=True, slots=True)
class SerialDates:
    """SQL for the dates, and the finding about them."""

    expression: str
    finding: Finding
    is_compact: bool = False
    is_sure: bool = True


def is_date_name(name: str) -> bool:
    """Return whether a column's name says that it holds dates."""
    return bool(_DATE_NAMES & set(slug(name).split("_")))


def detect_serial_dates(
    texts: ColumnSample, name: str, value: str, *, largest: float = 0
) -> SerialDates | None:
    """Return the dates that a column's numbers stand for, if its name says that it holds dates.

    `value` is SQL for a number. Without such a name, numbers up to the `largest` are days if all of
    them are, and differ: 20260131, 20260201, …
    """
    is_named = is_date_name(name)
    if not is_named and not any(
        COMPACT[0] * unit <= largest <= COMPACT[1] * unit for unit in COMPACT_UNITS
    ):
        return None
    lowest, highest, fractions = texts.aggregate(
        f"min({value}), max({value}), count(*) FILTER ({value} <> floor({value}))"
    )
    if lowest is None:
        return None
    # Days, or timestamps to the minute or second.
    if not fractions and any(
        COMPACT[0] * unit <= lowest <= highest <= COMPACT[1] * unit for unit in COMPACT_UNITS
    ):
        return _compact_dates(texts, name, value, example=str(int(lowest)))
    if not is_named or not SERIALS[0] <= lowest <= highest <= SERIALS[1]:
        return None
    days = f"({EPOCH} + CAST({value} AS INTEGER))"
    if fractions:
        days = (
            f"(CAST({EPOCH} AS TIMESTAMP)"
            f" + to_microseconds(CAST(round(({value}) * 86400) * 1000000 AS BIGINT)))"
        )
    return SerialDates(days, findings.SERIAL_DATES.finding(name=name))


def _compact_dates(
    texts: ColumnSample, name: str, value: str, *, example: str
) -> SerialDates | None:
    """Return dates written as SAP does (20260131), if all numbers are such."""
    form = "%Y%m%d%H%M%S"[: len(example) - 2]
    timestamp = f"TRY_STRPTIME(CAST(CAST({value} AS BIGINT) AS VARCHAR), '{form}')"
    lost, present, distinct = texts.aggregate(
        f"count({value}) - count({timestamp}), count({timestamp}), count(DISTINCT {value})"
    )
    is_named = is_date_name(name)
    if lost or not present:
        return None
    if not is_named and distinct < COMPACT_DISTINCT:
        told = findings.PERHAPS_COMPACT_DATES.finding(name=name, example=example)
        return SerialDates(value, told, is_sure=False)
    if "%H" not in form:
        timestamp = f"CAST({timestamp} AS DATE)"
    sentence = findings.COMPACT_DATES if is_named else findings.LIKELY_COMPACT_DATES
    told = sentence.finding(name=name, example=example)
    return SerialDates(timestamp, told, is_compact=True, is_sure=is_named)


def largest_compact(texts: ColumnSample) -> float:
    """Return the largest of whole numbers that may be days without separators; 0 of others."""
    some = texts.sample
    return max(map(int, some)) if some and all(map(_COMPACT_FORM.fullmatch, some)) else 0


def detect_serial_times(texts: ColumnSample, name: str, value: str) -> SerialDates | None:
    """Return the times of day that a column's parts of a day stand for, if its name says that it
    holds times, and all of them are whole minutes or seconds that decimals hardly ever are.

    `value` is SQL for a number.
    """
    if not _TIME_NAMES & set(slug(name).split("_")):
        return None

    def misses(units: int, margin: float) -> str:
        return f"count(*) FILTER (abs({value} * {units} - round({value} * {units})) > {margin})"

    present, outside, precise, minutes, seconds = texts.aggregate(
        f"count({value}), count(*) FILTER ({value} < 0 OR {value} >= 1),"
        f" {misses(1_000, 1e-6)}, {misses(1_440, MINUTE_ERROR)}, {misses(86_400, SECOND_ERROR)}"
    )
    if outside or precise * 2 < present or precise < FEWEST_TIMES or (minutes and seconds):
        return None
    units = 86_400 if not seconds else 1_440
    past = f"CAST(round({value} * {units}) AS BIGINT) * {86_400 // units}"
    told = findings.SERIAL_TIMES.finding(name=name)
    return SerialDates(f"TIME '00:00:00' + to_seconds({past})", told)


def serial_to_timestamp(value: str) -> str:
    """Return SQL for the timestamp of a serial or compact date; NULL where it is neither."""
    first, last = COMPACT
    digits = f"CAST(TRY_CAST({value} AS BIGINT) AS VARCHAR)"
    seconds = f"CAST(round(({value}) * 86400) AS BIGINT)"
    return (
        f"CASE WHEN ({value}) = floor({value}) AND ({value}) BETWEEN {first} AND {last}"
        f" THEN TRY_STRPTIME({digits}, '%Y%m%d')"
        f" WHEN ({value}) >= 1 AND ({value}) < {LAST_DAY + 1}"
        f" THEN CAST({EPOCH} AS TIMESTAMP) + to_seconds({seconds}) END"
    )


def exact_text(candidate: TypeCandidate, texts: Sequence[str]) -> str | None:
    """Return SQL for the text of a value `{v}`, if all these texts seem to be written in one way.

    Where it gives a text, that matches the pattern. Whether it gives each one back is to be tested.
    """
    match candidate:
        case TypeCandidate(type="integer", label="numbers", signs=""):
            most = 10**DIGITS - 1
            return f"CASE WHEN {{v}} BETWEEN -{most} AND {most} THEN CAST({{v}} AS VARCHAR) END"
        case TypeCandidate(type="number", label="numbers", signs="", decimal=mark) if mark:
            text = _exact_number([each.replace(mark, ".") for each in texts])
            return f"replace({text}, '.', ',')" if text and mark == "," else text
        case TypeCandidate(day_form=form) if form:
            return _exact_timestamp(candidate, texts)
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


def _exact_timestamp(candidate: TypeCandidate, texts: Sequence[str]) -> str | None:
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
    if form == ISO_DAY and is_plain:
        return f"CASE WHEN {is_usual} THEN CAST({{v}} AS VARCHAR) END"
    if candidate.type == "datetime":
        time_form = _TIME_FORMS.get(re.sub(r"\d", "9", clock))
        if time_form is None or day.endswith(","):
            return None
        form += f"{first[len(day)]}{time_form}"
    return f"CASE WHEN {is_usual} THEN strftime({{v}}, {sql_literal(form)}) END"
