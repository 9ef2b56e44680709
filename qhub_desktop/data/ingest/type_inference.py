"""Type inference: the type that all texts of a column match, and numbers that are dates."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import words_of
from qhub_desktop.data.columns import slug
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.column_sample import MISSING, ColumnSample, ColumnSql
from qhub_desktop.data.ingest.raw_table import BLANKS, Kind, RawTable, TypedColumn
from qhub_desktop.data.ingest.readers.sheet import Decimal
from qhub_desktop.data.ingest.type_patterns import (
    AMOUNTS,
    BOOLEANS,
    CURRENCIES,
    DATES,
    DURATIONS,
    NUMBERS,
    PARENTHESES,
    PERCENTAGES,
    TIMES,
    Candidate,
    candidates,
    exact_text,
)
from qhub_desktop.data.value_counts import COLUMNS_AT_ONCE, side_by_side

# A type is tried when so much of the sample has it.
LIKELY = 0.8
CODE_DIGITS = 6

_FAMILY: dict[Kind, set[str]] = {
    "number": {NUMBERS},
    "boolean": {BOOLEANS},
    "date": {DATES},
    "datetime": {DATES},
    "time": {TIMES},
    "duration": {DURATIONS, TIMES},
}

# Day 1 of a spreadsheet's calendar, and its last.
EPOCH = "DATE '1899-12-30'"
LAST_DAY = 2_958_465
# Days of that calendar that can be told from plain numbers: 1954 to 2119.
SERIALS = (20_000, 80_000)
COMPACT = (19_000_101, 21_001_231)  # a year, a month and a day as one number
_AMOUNT = r"^[^(]*$|[^\d()]"  # what amounts have that numbers in parentheses alone lack
_DATE_NAMES = set(words_of("files", "date_names"))


@dataclass(frozen=True, slots=True)
class TypeMatch:
    """A candidate that every text matches, with the rivals that match with another meaning."""

    candidate: Candidate
    missing_words: int = 0  # texts that stand for nothing
    rivals: tuple[Candidate, ...] = ()

    def preferring(self, *, decimal: str, order: str) -> "TypeMatch":
        """Return the one reading that agrees with the other columns of the file, if any does."""
        for each in (self.candidate, *self.rivals):
            if (each.decimal and each.decimal == decimal) or (each.order and each.order == order):
                return TypeMatch(each, self.missing_words)
        return self


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A candidate that all of the `present` texts match but for `mismatches`."""

    mismatches: int
    present: int
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class NoMatch:
    """No matching candidate; `nearest` has the fewest mismatches.

    `notations` are candidates of one kind that nearly all texts match between them.
    """

    nearest: NearMiss | None = None
    notations: tuple[Candidate, ...] = ()


def plausible_types(texts: ColumnSample, choices: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that the column may be, of the kind of its typed cells."""
    cells = texts.cells
    if cells.text is None or (cells.kinds and not cells.is_of_one_kind):
        return []
    choices = _plausible(texts, choices)
    if not cells.kinds:
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
        likely = [each for each in plausible_types(sample, choices) if sample.share(each) >= LIKELY]
        if not likely:
            continue
        first = likely[0]
        text = None if is_date_name(name) and first.label == NUMBERS else exact_text(first, texts)
        if text is None or not all(re.fullmatch(first.pattern, each, re.ASCII) for each in texts):
            return None
        found[position] = TypedColumn(first.pattern, first.conversion, text)
    return found


def _is_likely(texts: ColumnSample, candidate: Candidate) -> bool:
    """Return whether so much of the sample matches a candidate that all rows are tested."""
    share = texts.share(candidate)
    return share > 0 if texts.cells.kinds else share >= LIKELY


def test_together(plausible_of: Sequence[tuple[ColumnSample, Sequence[Candidate]]]) -> None:
    """Test the first likely candidate of many short columns, those of one in one query.

    In a query of its own, each takes ten times as long: most of it goes into planning.
    """
    by_candidate: dict[Candidate, list[ColumnSample]] = {}
    for texts, plausible in plausible_of:
        first = next((each for each in plausible if _is_likely(texts, each)), None)
        if first is not None:
            by_candidate.setdefault(first, []).append(texts)
    for candidate, columns in by_candidate.items():
        counts = f"count(*) FILTER ({candidate.mismatch('value')}), count(value)"
        for start in range(0, len(columns), COLUMNS_AT_ONCE):
            batch = columns[start : start + COLUMNS_AT_ONCE]
            unnested = side_by_side("body", [texts.sql for texts in batch])
            found = (
                batch[0]
                .raw.db.execute(f"SELECT place, {counts} FROM {unnested} GROUP BY place")
                .fetchall()
            )
            for place, mismatches, present in found:
                batch[place].known[candidate] = (mismatches, present)


def match_type(
    texts: ColumnSample,
    choices: Sequence[Candidate],
    plausible: Sequence[Candidate],
    *,
    is_text: bool,
    is_named_date: bool,
) -> TypeMatch | NoMatch:
    """Return the first of the plausible candidates that is likely and that every text matches.

    With `is_text` the file gives its cells no types.
    """
    cells = texts.cells
    if cells.text is None or (cells.kinds and not cells.is_of_one_kind):
        return NoMatch()
    try:
        found = _first_match(texts, plausible, is_text=is_text, is_named_date=is_named_date)
    finally:
        texts.drop_distinct()
    if found == NoMatch():
        return NoMatch(notations=_notations(texts, _plausible(texts, choices)))
    return found


def _notations(texts: ColumnSample, choices: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates of one kind that nearly all of the sample matches between them."""
    if len(texts.sample) == 1:
        return ()
    for labels in ({NUMBERS}, {DATES}, {TIMES, DURATIONS}):
        some = [each for each in choices if each.label in labels and texts.share(each) > 0]
        if all(each.signs == PARENTHESES for each in some):
            continue  # (1), (2), (3) are no amounts in any notation
        if len(some) > 1 and texts.share_of_any(some) >= LIKELY:
            return tuple(some)
    return ()


def _plausible(texts: ColumnSample, choices: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates but those whose characteristic sign occurs nowhere in the sample."""
    written = "".join(texts.sample)
    if not any(map(str.isdigit, written)):
        return [each for each in choices if each.label == BOOLEANS]
    has_percent, has_colon = "%" in written, ":" in written
    has_currency = any(each in written for each in CURRENCIES)
    has_date = any(each in written for each in "-/. ")
    skipped = {
        *([] if has_percent else [PERCENTAGES]),
        *([] if has_currency else [AMOUNTS]),
        *([] if has_colon else [TIMES, DURATIONS]),
        *([] if has_date else [DATES]),
    }
    written = written.lower()
    return [
        each
        for each in choices
        if each.label not in skipped and all(sign in written for sign in each.signs)
    ]


def _first_match(
    texts: ColumnSample, plausible: Sequence[Candidate], *, is_text: bool, is_named_date: bool
) -> TypeMatch | NoMatch:
    nearest: NearMiss | None = None
    for position, candidate in enumerate(plausible):
        if not _is_likely(texts, candidate):
            continue
        match _test(texts, candidate):
            case NearMiss() as miss:
                if nearest is None or miss.mismatches < nearest.mismatches:
                    nearest = miss
            case TypeMatch() as fit if (
                not is_text and candidate.type == "integer" and _are_codes(texts)
            ):
                return fit if is_named_date else NoMatch(nearest)
            case TypeMatch() as fit:
                rivals = tuple(
                    rival
                    for rival in plausible[position + 1 :]
                    if _conflict(candidate, rival)
                    and texts.share(rival) == 1
                    and isinstance(_test(texts, rival), TypeMatch)
                )
                return replace(fit, rivals=rivals)
    return NoMatch(nearest)


def _test(texts: ColumnSample, candidate: Candidate) -> TypeMatch | NearMiss | None:
    """Test over all rows whether every text matches, leaving out words for missing values."""
    mismatches, present = texts.mismatches(candidate)
    missing_words = 0
    if mismatches:
        (missing_words,) = texts.counts(lambda text: f"lower({text}) IN ({MISSING})")
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
    return TypeMatch(candidate, missing_words) if missing_words < present else None


def _are_codes(texts: ColumnSample) -> bool:
    """Return whether digits stored as text are all of one length, as telephone numbers are."""
    if texts.cells.kinds:
        return False
    shortest, longest = texts.aggregate(f"min(length({texts.sql})), max(length({texts.sql}))")
    return bool(shortest == longest and shortest >= CODE_DIGITS)


def _conflict(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates of one type read the same text as different values."""
    return (
        one.type == other.type
        and one.label == other.label
        and (one.decimal, one.order) != (other.decimal, other.order)
    )


@dataclass(frozen=True, slots=True)
class SerialDates:
    """SQL for the dates, and the finding about them."""

    expression: str
    finding: Finding
    is_compact: bool = False


def is_date_name(name: str) -> bool:
    """Return whether a column's name says that it holds dates."""
    return bool(_DATE_NAMES & set(slug(name).split("_")))


def detect_serial_dates(texts: ColumnSample, name: str, value: str) -> SerialDates | None:
    """Return the dates that a column's numbers stand for, if its name says that it holds dates.

    `value` is SQL for a number.
    """
    if not is_date_name(name):
        return None
    lowest, highest, fractions = texts.aggregate(
        f"min({value}), max({value}), count(*) FILTER ({value} <> floor({value}))"
    )
    if lowest is None:
        return None
    if not fractions and COMPACT[0] <= lowest <= highest <= COMPACT[1]:
        return _compact_dates(texts, name, value, example=str(int(lowest)))
    if not SERIALS[0] <= lowest <= highest <= SERIALS[1]:
        return None
    days = f"({EPOCH} + CAST({value} AS INTEGER))"
    if fractions:
        days = (
            f"(CAST({EPOCH} AS TIMESTAMP)"
            f" + to_microseconds(CAST(round(({value}) * 86400) * 1000000 AS BIGINT)))"
        )
    return SerialDates(days, findings.serial_dates(name))


def _compact_dates(
    texts: ColumnSample, name: str, value: str, *, example: str
) -> SerialDates | None:
    """Return dates written as SAP does (20260131), if all numbers are such."""
    moment = f"TRY_STRPTIME(CAST(CAST({value} AS BIGINT) AS VARCHAR), '%Y%m%d')"
    lost, present = texts.aggregate(f"count({value}) - count({moment}), count({moment})")
    if lost or not present:
        return None
    return SerialDates(
        f"CAST({moment} AS DATE)", findings.compact_dates(name, example), is_compact=True
    )


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
