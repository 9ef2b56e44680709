"""Type conversion: SQL that stores each column, decided over every row, and its findings."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from qhub_desktop.core.dataset import Finding, TypeOffer
from qhub_desktop.core.table import ColumnType, sql_literal
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest import findings
from qhub_desktop.data.ingest.code_columns import (
    ODD_BLANKS,
    are_hours_named,
    are_lengths_named,
    are_seconds_of_clock,
    clock_written,
    has_gaps,
    has_signs_of_typography,
    in_plain_signs,
    marked_date,
    marks_behind,
    sign_of_typography,
    without_marks,
)
from qhub_desktop.data.ingest.column_sample import (
    EXAMPLES,
    SHORT_ROWS,
    ColumnSample,
    ColumnSql,
    Condition,
    columns_of,
    count_together,
    error_findings,
    find_together,
    is_padded,
    is_present,
    know_typed,
    measure_widths,
    sample_columns,
    with_trimmed_text,
    without_error_words,
)
from qhub_desktop.data.ingest.findings import LISTED, listed, quoted
from qhub_desktop.data.ingest.raw_table import BLANKS, TAG, TAGS, Kind, RawTable, is_missing_sql
from qhub_desktop.data.ingest.readers.sheet import Decimal
from qhub_desktop.data.ingest.timestamp_patterns import (
    AMOUNTS,
    BOOLEANS,
    COMPACT_DISTINCT,
    DATES,
    DURATIONS,
    NUMBERS,
    PARENTHESES,
    PERCENTAGES,
    QUANTITIES,
    SHORT_LENGTHS,
    TIMES,
    TypeCandidate,
    are_yearless_numbers,
)
from qhub_desktop.data.ingest.type_inference import (
    NearMiss,
    NoMatch,
    SeveralTails,
    TypeMatch,
    detect_serial_dates,
    detect_serial_times,
    instants_together,
    is_date_name,
    largest_compact,
    match_type,
    means_missing,
    plausible_types,
    serial_to_timestamp,
    test_together,
    with_steady_order,
)
from qhub_desktop.data.ingest.type_patterns import candidates
from qhub_desktop.data.ingest.unread_values import glued

_CAST: dict[ColumnType, str] = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
    "boolean": "BOOLEAN",
}

# Kinds of findings on values of these labels in cells of text; numbers otherwise.
_STORED = {DATES: "text_as_date", BOOLEANS: "text_as_boolean", TIMES: "text_as_time"}
# By the seconds of the unit.
_LENGTHS = {3_600: findings.HOURS, 60: findings.MINUTES, 1: findings.SECONDS}
_KEPT_AS_TEXT = {"clauses": findings.CLAUSES_KEPT, "digits": findings.DIGITS_KEPT}
_AMBIGUOUS = r"\(?[-+]?[1-9]\d{0,2}[.,]\d{3}[-)]?"  # a thousand, or a number with three decimals
_FLOAT = r"(?:\d+\.?\d*|\.\d+)(?:[eE]-?\d+)?"
_NOT_A_NUMBER = re.compile("(?i)nan")
_GUARDED = re.compile(r'="[^"]*"')  # a text as a formula, so that a spreadsheet keeps its zeros
MARGIN = 0.5  # by so many powers of ten one reading must be nearer to other numbers than another


@dataclass
class ColumnConversion:
    """Conversion of one column: SQL over the view `body`, and the findings on it.

    Of a column whose texts are converted, `filled` is SQL for the cells that have to have a value,
    and `texts` how many they are if all of them are texts.
    """

    expression: str
    filled: str = ""
    texts: int | None = None
    repaired: list[Finding] = field(default_factory=list)
    doubtful: list[Finding] = field(default_factory=list)


def decide_conversions(
    raw: RawTable,
    names: Sequence[str],
    *,
    positions: Sequence[int],
    decimal: Decimal,
    is_text: bool,
    chosen: dict[str, ColumnType],
) -> tuple[list[ColumnConversion], list[Finding]]:
    """Return the conversion of each column at `positions`, and the findings on the whole sheet.

    With `is_text` the file gives its cells no types. `chosen` are the person's, by column name.
    """
    found = columns_of(raw, positions)
    columns = dict(zip(names, sample_columns(raw, found), strict=True))
    odd = {name: texts for name, texts in columns.items() if texts.has_odd_blanks}
    choices = candidates(decimal)
    know_typed(raw, [*columns.values()], choices)

    are_short = raw.rows <= SHORT_ROWS

    def fits_of(names: Sequence[str]) -> dict[str, TypeMatch | NoMatch]:
        plausible = {name: plausible_types(columns[name], choices, name) for name in names}
        if are_short:
            test_together([(columns[name], some) for name, some in plausible.items()])
        return {
            name: match_type(columns[name], choices, some, is_text=is_text, name=name)
            for name, some in plausible.items()
        }

    def fit_of(name: str) -> TypeMatch | NoMatch:
        return fits_of([name])[name]

    fits = fits_of([name for name in columns if name not in chosen])
    unfit = [
        name
        for name, texts in columns.items()
        if texts.cells.text and not isinstance(fits.get(name), TypeMatch)
    ]
    near = {name for name in unfit if _has_near_miss(fits.get(name))}
    if are_short:
        count_together([columns[name] for name in unfit if name in near], is_padded)
    cleaner = _cleaner(raw, {name: columns[name] for name in unfit}, near)
    columns |= cleaner
    fits |= fits_of([*cleaner])
    told = {name: told for name in unfit if (told := _read_plainly(name, columns, fits, fit_of))}
    marked = {name: said for name in unfit if (said := _read_unmarked(name, columns, fits, fit_of))}
    if are_short:
        find_together(_cells_to_tell(columns, fits, is_text=is_text))
        measure_widths(
            [
                columns[name]
                for name, fit in fits.items()
                if isinstance(fit, NoMatch) and columns[name].are_texts
            ]
        )
    fits = _by_steps(columns, fits)
    known_decimal, known_order = _known_notation(fits.values())
    decided: list[ColumnConversion] = []
    sizes = _Sizes(columns, fits)
    for name, texts in columns.items():
        if name in chosen:
            decided.append(convert_as_chosen(texts, name, chosen[name], choices))
            continue
        fit = fits[name]
        if isinstance(fit, TypeMatch):
            # Windows writes the log of its counters month first, wherever it stands.
            order = "mdy" if name.startswith("(PDH-") else known_order
            fit = sizes.kept(texts, fit.preferring(decimal=known_decimal, order=order))
        decided.append(convert(texts, name, fit, is_text=is_text))
        decided[-1].repaired += told.get(name, [])
        decided[-1].doubtful += marked.get(name, [])
        if name in odd:
            _trim_odd_blanks(decided[-1], odd[name], name)
    _offer_types(raw, columns, fits, decided, choices)
    return decided, error_findings(raw, [texts.cells for texts in columns.values()])


def _offer_types(
    raw: RawTable,
    columns: Mapping[str, ColumnSample],
    fits: Mapping[str, TypeMatch | NoMatch],
    decided: Sequence[ColumnConversion],
    choices: Sequence[TypeCandidate],
) -> None:
    """Offer, in the findings on mixed columns, the type that most of their cells have, if any."""
    offered: list[tuple[ColumnConversion, str, ColumnType]] = []
    asked: list[str] = []
    for (name, texts), each in zip(columns.items(), decided, strict=True):
        fit = fits.get(name)
        if not isinstance(fit, NoMatch):
            continue
        if not any(finding.kind == "mixed_column" for finding in each.doubtful):
            continue
        if type_ := _type_of_most(texts, fit):
            display = texts.cells.display
            expression = _chosen_expression(texts, type_, choices)
            is_lost = f"({display}) IS NOT NULL AND ({expression}) IS NULL"
            asked += [f"count(*) FILTER ({is_lost})", f"count({display})"]
            offered.append((each, name, type_))
    counted = aggregates(raw.db, asked, raw.body)
    for (each, name, type_), missing, filled in zip(
        offered, counted[::2], counted[1::2], strict=True
    ):
        if missing * 2 <= filled:
            offer = TypeOffer(name, type_, missing)
            each.doubtful = [
                replace(finding, offer=offer) if finding.kind == "mixed_column" else finding
                for finding in each.doubtful
            ]


def _type_of_most(texts: ColumnSample, fit: NoMatch) -> ColumnType | None:
    """Return the type that most cells of a column may have, other than text; None if there is none
    or its texts may be codes.
    """
    kinds = texts.cells.kinds
    if kinds == {"number"}:
        return "number"
    # Some may stand as numbers, as spreadsheets count days.
    if kinds & {"date", "datetime"} and kinds <= {"number", "date", "datetime"}:
        return "datetime" if "datetime" in kinds else "date"
    if kinds or fit.nearest is None:
        return None
    type_ = fit.nearest.candidate.type
    return None if type_ == "text" else "number" if type_ == "integer" else type_


def _cleaner(
    raw: RawTable, unfit: Mapping[str, ColumnSample], near: Collection[str]
) -> dict[str, ColumnSample]:
    """Return the columns that are other ones without words for errors, or without the blanks around
    the texts of those that are `near` a type.
    """
    found: dict[str, ColumnSample] = {}
    cells = without_error_words(raw, [texts.cells for texts in unfit.values()])
    for (name, before), bare in zip(unfit.items(), cells, strict=True):
        if bare != before.cells:
            found[name] = before.without_error_words(bare)
        elif name in near and before.are_padded:
            found[name] = before.without_error_words(with_trimmed_text(bare))
    return found


def _by_steps(
    columns: Mapping[str, ColumnSample], fits: Mapping[str, TypeMatch | NoMatch]
) -> dict[str, TypeMatch | NoMatch]:
    """Return the fits, day and month told apart where rows follow each other at one step."""
    return {
        name: with_steady_order(columns[name], fit) if isinstance(fit, TypeMatch) else fit
        for name, fit in fits.items()
    }


def _known_notation(
    fits: Iterable[TypeMatch | NoMatch],
) -> tuple[str, str]:
    """Return the decimal mark and the order of dates on which all sure columns agree, or ""."""
    sure = [fit.candidate for fit in fits if isinstance(fit, TypeMatch) and not fit.rivals]
    decimal = _only({each.decimal for each in sure if each.decimal})
    return decimal, _only({each.order for each in sure if each.order})


def _cells_to_tell(
    columns: dict[str, ColumnSample], fits: dict[str, TypeMatch | NoMatch], *, is_text: bool
) -> Iterator[tuple[ColumnSample, Condition]]:
    """Yield the columns of whose cells some will be told, with the condition for these."""
    for name, fit in fits.items():
        texts = columns[name]
        match fit:
            case TypeMatch(candidate, missing_words=missing):
                if missing:
                    yield texts, means_missing(candidate)
                if not is_text:
                    yield texts, is_present
            case NoMatch(nearest=NearMiss() as nearest, code="") if _has_strays(texts, nearest):
                yield texts, nearest.is_stray
            case _:
                pass


def _has_strays(texts: ColumnSample, nearest: NearMiss) -> bool:
    return not texts.cells.kinds and nearest.mismatches < nearest.present / 2


def _read_plainly(
    name: str,
    columns: dict[str, ColumnSample],
    fits: dict[str, TypeMatch | NoMatch],
    fit_of: Callable[[str], TypeMatch | NoMatch],
) -> list[Finding]:
    """Fit a column of numbers in signs of typography, as if they were plain; return what to say."""
    before = columns[name]
    if isinstance(fits.get(name), TypeMatch) or not has_signs_of_typography(before.sample):
        return []
    columns[name] = in_plain_signs(before)
    fit = fit_of(name)
    if not isinstance(fit, TypeMatch) or fit.candidate.type not in ("integer", "number"):
        columns[name] = before
        return []
    fits[name] = fit
    example = sign_of_typography(before.sample)
    return [findings.PLAIN_SIGNS.finding(name=name, example=example)]


def _read_unmarked(
    name: str,
    columns: dict[str, ColumnSample],
    fits: dict[str, TypeMatch | NoMatch],
    fit_of: Callable[[str], TypeMatch | NoMatch],
) -> list[Finding]:
    """Fit a column of dates as if single blanks parted their parts, and no mark stood behind them;
    return what to say.
    """
    before = columns[name]
    if isinstance(fits.get(name), TypeMatch) or before.cells.kinds - {"date", "datetime"}:
        return []
    marks = marks_behind(before.sample)
    if not marks and not has_gaps(before.sample):
        return []
    columns[name] = without_marks(before, marks)
    fit = fit_of(name)
    if not isinstance(fit, TypeMatch) or fit.candidate.label not in (DATES, TIMES):
        columns[name] = before
        return []
    fits[name] = fit
    if not marks:
        return []
    example = marked_date(before.sample)
    return [findings.MARKS_LEFT_OUT.finding(name=name, marks=", ".join(marks), example=example)]


class _Sizes:
    """The sizes of a sheet's numbers, by which 1.000 is told to be a thousand or one."""

    def __init__(
        self, columns: dict[str, ColumnSample], fits: dict[str, TypeMatch | NoMatch]
    ) -> None:
        self._sure = [
            (columns[name], fit.candidate)
            for name, fit in fits.items()
            if isinstance(fit, TypeMatch) and fit.candidate.label == NUMBERS and not fit.rivals
        ]
        self._others: list[float] | None = None

    def kept(self, texts: ColumnSample, fit: TypeMatch) -> TypeMatch:
        """Return the reading of ambiguous numbers that is of the size of the plain ones.

        These are the column's own, or else those of the other columns. The rivals stay.
        """
        if not (fit.rivals and fit.candidate.decimal):
            return fit
        one, other = fit.candidate, fit.rivals[0]
        ambiguous = [each for each in texts.sample if re.fullmatch(_AMBIGUOUS, each, re.ASCII)]
        plain = [each for each in texts.sample if re.fullmatch(r"[-+]?\d+", each, re.ASCII)]
        sizes = [_size(ambiguous, each) for each in (one, other)]
        known = _size(plain, one)
        if not known and texts.cells.kinds == {"number"}:
            (known,) = texts.aggregate(f"median(abs({texts.cells.typed}))")
        others = [float(known)] if known else self._of_others()
        if not (others and all(sizes)):
            return fit
        distances = [min(abs(math.log10(size / each)) for each in others) for size in sizes if size]
        if distances[1] < distances[0] - MARGIN:
            return replace(fit, candidate=other, rivals=(one, *fit.rivals[1:]))
        return fit

    def _of_others(self) -> list[float]:
        if self._others is None:
            self._others = [
                size
                for texts, candidate in self._sure
                if not texts.is_counter and (size := _size(texts.sample, candidate))
            ]
        return self._others


def _size(texts: Iterable[str], candidate: TypeCandidate) -> float | None:
    """Return the median of the sizes of numbers in a candidate's notation; None without any."""
    mark = candidate.decimal or "."
    plain = (re.sub(r"[^\deE.,-]", "", text).strip("-") for text in texts)
    numbers = (text.replace("." if mark == "," else ",", "").replace(mark, ".") for text in plain)
    sizes = [abs(float(text)) for text in numbers if re.fullmatch(_FLOAT, text)]
    return median(sizes) if sizes else None


def _has_near_miss(fit: TypeMatch | NoMatch | None) -> bool:
    return isinstance(fit, NoMatch) and fit.nearest is not None


def _only(values: set[str]) -> str:
    return next(iter(values)) if len(values) == 1 else ""


def convert(
    texts: ColumnSample, name: str, fit: TypeMatch | NoMatch, *, is_text: bool
) -> ColumnConversion:
    """Return the conversion of a column by its inferred type, with what was not certain.

    With `is_text` the file gives its cells no types.
    """
    match fit:
        case TypeMatch():
            return _converted(texts, name, fit, is_text=is_text)
        case NoMatch(nearest, notations, several, unread, code):
            decided = _unconverted(texts, name, None if code else nearest)
            if code:
                example = min(texts.sample, key=lambda text: (-len(text), text))
                sentence = _KEPT_AS_TEXT.get(code, findings.IDENTIFIERS_KEPT)
                kept = sentence.finding(name=name, example=example, kind=code)
                decided.repaired.append(kept)
            if several is not None and not decided.doubtful:
                decided.doubtful.append(_several_tails(name, several))
            elif notations and not decided.doubtful:
                decided.doubtful.append(_several_notations(texts, name, notations))
            elif unread and not decided.doubtful:
                decided.doubtful.append(
                    findings.UNREAD_VALUES.finding(name=name, examples=quoted(unread))
                )
            if not code and (example := glued(texts.sample)):
                told = findings.GLUED_COLUMNS.finding(name=name, example=example)
                decided.doubtful.append(told)
            return decided


def convert_as_chosen(
    texts: ColumnSample, name: str, type_: ColumnType, choices: Sequence[TypeCandidate]
) -> ColumnConversion:
    """Return the conversion to the type that the person chose; what does not fit is missing."""
    display = texts.cells.display
    if type_ in ("text", "category"):
        return ColumnConversion(display)
    decided = ColumnConversion(_chosen_expression(texts, type_, choices))
    lost = f"({display}) IS NOT NULL AND ({decided.expression}) IS NULL"
    if count := texts.count(lost):
        found = findings.NOT_OF_CHOSEN_TYPE.finding(count, texts.addresses(lost), name=name)
        decided.doubtful.append(found)
    return decided


def _chosen_expression(
    texts: ColumnSample, type_: ColumnType, choices: Sequence[TypeCandidate]
) -> str:
    """Return SQL for a column's cells as values of a type, in the notation of most of them."""
    plain = {"integer": ("integer", "number"), "number": ("integer", "number")}
    wanted = plain.get(type_, ("date", "datetime") if type_ in ("date", "datetime") else (type_,))
    fitting = [each for each in choices if each.type in wanted]
    best = max(fitting, key=lambda each: (texts.share(each), each.type == type_))
    return cast_to_chosen(texts.cells, type_, best)


def cast_to_chosen(cells: ColumnSql, type_: ColumnType, candidate: TypeCandidate) -> str:
    """Return SQL for the cells as values of a type; `candidate` says how texts are parsed."""
    parts: list[str] = []
    if cells.typed is not None:
        parts.append(_typed_as(cells.typed, type_, is_number=cells.kinds == {"number"}))
    else:
        parts += [_tagged_as(cells.position, kind, type_) for kind in sorted(cells.kinds)]
    if cells.text is not None:
        parts.append(_read(cells.text, type_, candidate))
    return f"coalesce({', '.join(parts)})" if parts else f"NULL::{_CAST[type_]}"


def _typed_as(value: str, type_: ColumnType, *, is_number: bool) -> str:
    if not is_number and type_ == "time":
        clock = r"\d{1,2}:\d\d:\d\d(\.\d+)?$"
        return f"TRY_CAST(regexp_extract(CAST({value} AS VARCHAR), '{clock}') AS TIME)"
    if not is_number:
        return f"TRY_CAST({value} AS {_CAST[type_]})"
    match type_:
        case "time":
            # Spreadsheets count a time of day as a part of the day.
            past = f"to_microseconds(CAST(round(({value}) * 86400) * 1000000 AS BIGINT))"
            return f"CASE WHEN ({value}) >= 0 AND ({value}) < 1 THEN TIME '00:00:00' + {past} END"
        case "integer":
            return _whole(value)
        case "boolean":
            return f"CASE {value} WHEN 0 THEN false WHEN 1 THEN true END"
        case "date" | "datetime":
            return f"TRY_CAST({serial_to_timestamp(value)} AS {_CAST[type_]})"
        case _:
            return f"TRY_CAST({value} AS {_CAST[type_]})"


def _tagged_as(position: int, kind: Kind, type_: ColumnType) -> str:
    """Return SQL for the cells of one kind, in a column of several, as values of a type."""
    text = f"substr(c{position}, 3)"
    is_of_days = type_ in ("date", "datetime") and kind != "number"
    value = f"TRY_CAST({text} AS {'DOUBLE' if kind == 'number' else 'TIMESTAMP'})"
    typed = _typed_as(
        value if is_of_days or kind == "number" else text, type_, is_number=kind == "number"
    )
    is_so = f"starts_with(c{position}, {sql_literal(TAG + TAGS[kind])})"
    return f"CASE WHEN {is_so} THEN {typed} END"


def _read(text: str, type_: ColumnType, candidate: TypeCandidate) -> str:
    bare = f"trim({text}, {sql_literal(BLANKS)})"
    if type_ not in ("integer", "number"):
        return f"TRY_CAST({_if_matching(bare, candidate)} AS {_CAST[type_]})"
    # Zeros in front make a code of a number, unless the person says that it is one.
    bare = rf"regexp_replace({bare}, '^\+?(-?)0*(\d)', '\1\2')"
    value = _if_matching(bare, candidate)
    if type_ == "number":
        return f"TRY_CAST({value} AS DOUBLE)"
    exact = rf"CASE WHEN regexp_full_match({bare}, '-?\d{{1,18}}') THEN TRY_CAST({bare} AS BIGINT)"
    return f"{exact} ELSE {_whole(value)} END"


def _if_matching(text: str, candidate: TypeCandidate) -> str:
    is_so = f"regexp_full_match({text}, {sql_literal(candidate.pattern)})"
    return f"CASE WHEN {is_so} THEN ({candidate.conversion.format(v=text)}) END"


def _whole(value: str) -> str:
    return f"CASE WHEN ({value}) = floor({value}) THEN TRY_CAST({value} AS BIGINT) END"


def _converted(
    texts: ColumnSample, name: str, fit: TypeMatch, *, is_text: bool
) -> ColumnConversion:
    """Return the conversion of the texts to the type that they have."""
    value, filled = texts.sql, texts.cells.display
    if fit.missing_words:
        of_days = fit.candidate.label == DATES
        is_missing = is_missing_sql(value, of_days=of_days)
        value = f"CASE WHEN NOT {is_missing} THEN {value} END"
        filled = f"CASE WHEN NOT coalesce({is_missing}, false) THEN {filled} END"
    expression = texts.conversion_of(fit.candidate, value)
    typed = texts.cells.typed
    if typed is None:
        decided = ColumnConversion(expression, filled, fit.texts)
    else:
        decided = ColumnConversion(f"coalesce({typed}, {expression})", filled)
    _report_match(decided, texts, name, fit)
    if fit.candidate.label == DURATIONS:
        is_short, first = fit.candidate.pattern == SHORT_LENGTHS, clock_written(name)
        are_hours = first == "hours" or (not first and are_hours_named(name))
        if is_short and are_hours:
            decided.expression = f"({decided.expression}) * 60"
        unit = (3_600 if are_hours else 60) if is_short else None
        _convert_durations(decided, texts, name, unit)
        if is_short and not first:
            sentence = findings.HOURS_AND_MINUTES if are_hours else findings.MINUTES_AND_SECONDS
            decided.doubtful.append(sentence.finding(name=name, example=min(texts.sample)))
    elif fit.candidate.label == TIMES and are_lengths_named(name):
        decided.doubtful.append(
            findings.TIMES_OR_LENGTHS.finding(name=name, example=min(texts.sample))
        )
    if fit.candidate.label == NUMBERS and is_date_name(name) and are_yearless_numbers(texts.sample):
        decided.doubtful.append(
            findings.PERHAPS_YEARLESS.finding(name=name, example=min(texts.sample))
        )
    if fit.candidate.type == "integer" and are_seconds_of_clock(name, texts.sample):
        decided.doubtful.append(
            findings.SECONDS_OF_CLOCK.finding(name=name, example=min(texts.sample))
        )
    if not is_text:
        _report_stored_as_text(decided, texts, name, fit)
    if fit.missing_words:
        of_days = fit.candidate.label == DATES
        decided.repaired.append(_missing_words(texts, name, fit.missing_words, of_days=of_days))
    if not texts.cells.kinds and fit.candidate.label == NUMBERS:
        largest = largest_compact(texts) if fit.candidate.type == "integer" else 0
        _convert_serial_dates(decided, texts, name, largest=largest)
    return decided


def _report_match(
    decided: ColumnConversion, texts: ColumnSample, name: str, fit: TypeMatch
) -> None:
    """Report how the texts were read, and how they could have been."""
    chosen = fit.candidate
    example = min(texts.sample, key=lambda text: (len(text), text)) if texts.sample else ""
    if fit.rivals and chosen.decimal:
        ambiguous = (text for text in texts.sample if re.fullmatch(_AMBIGUOUS, text, re.ASCII))
        example = min(ambiguous, key=lambda text: (len(text), text), default=example)
        mark = chosen.decimal
        decided.doubtful.append(
            findings.DECIMAL_MARK.finding(name=name, example=example, mark=mark)
        )
    elif fit.rivals:
        decided.doubtful.append(findings.DAY_MONTH.finding(name=name, example=example))
    elif chosen.order == "mdy":
        decided.repaired.append(findings.MONTH_FIRST.finding(name=name))
    elif chosen.label == DATES and chosen.distinct == COMPACT_DISTINCT:
        is_named = is_date_name(name)
        example = min(text for text in texts.sample if text[0] in "12")
        sentence = findings.COMPACT_DATES if is_named else findings.LIKELY_COMPACT_DATES
        told = sentence.finding(name=name, example=example)
        (decided.repaired if is_named else decided.doubtful).append(told)
    if chosen.label == PERCENTAGES:
        decided.repaired.append(findings.PERCENT_AS_FRACTION.finding(name=name, example=example))
    elif chosen.label == AMOUNTS:
        decided.repaired.append(findings.CURRENCY_REMOVED.finding(name=name, example=example))
    elif chosen.label == QUANTITIES:
        decided.repaired.append(
            findings.UNIT_REMOVED.finding(name=name, example=example, unit=fit.tails[0])
        )
    elif zones := [each for each in fit.tails if each]:
        named = ", ".join(zones)
        decided.repaired.append(
            findings.ZONE_REMOVED.finding(name=name, example=example, zones=named)
        )
        count, example = instants_together(texts, chosen) if len(zones) > 1 else (0, "")
        if count:
            decided.doubtful.append(
                findings.INSTANTS_TOGETHER.finding(count, name=name, example=example, zones=named)
            )
    if chosen.signs == PARENTHESES:
        is_one = f"{texts.sql} LIKE '%(%' AND NOT {is_missing_sql(texts.sql)}"
        decided.repaired.append(
            findings.NEGATIVE_IN_PARENTHESES.finding(
                texts.count(is_one),
                texts.addresses(is_one),
                name=name,
                examples=quoted(texts.examples(is_one)),
            )
        )


def _report_stored_as_text(
    decided: ColumnConversion, texts: ColumnSample, name: str, fit: TypeMatch
) -> None:
    count = texts.count_where(is_present)
    _examples, cells = texts.cells_where(is_present)
    decided.repaired.append(
        _stored_as_text(name, fit.candidate.label, count - fit.missing_words, cells)
    )


def _stored_as_text(name: str, label: str, count: int, cells: Sequence[str]) -> Finding:
    sentence = replace(findings.TEXT_AS_NUMBER, kind=_STORED.get(label, "text_as_number"))
    return sentence.finding(count, cells, name=name, kind=_(label))


def _several_tails(name: str, several: SeveralTails) -> Finding:
    told = [each or _("none") for each in several.tails[:LISTED]]
    is_of_days = several.candidate.label == DATES
    sentence = findings.SEVERAL_ZONES if is_of_days else findings.SEVERAL_UNITS
    return sentence.finding(name=name, tails=listed(told, of=len(several.tails)))


def _unconverted(texts: ColumnSample, name: str, nearest: NearMiss | None) -> ColumnConversion:
    """Return the conversion to the type that the file itself gives, or to text."""
    cells = texts.cells
    if cells.text is None:
        expression, largest = _typed_expression(texts)
        decided = ColumnConversion(expression)
        if cells.kinds == {"number"}:
            _convert_serial_dates(decided, texts, name, largest=largest)
        elif cells.kinds == {"duration"}:
            _convert_durations(decided, texts, name)
        elif cells.kinds == {"time"} and clock_written(name) == "minutes":
            _doubt_hours(decided, texts, name)
        elif cells.kinds and cells.typed is None:
            decided.doubtful.append(_several_kinds(texts, name))
        return decided
    if cells.kinds and cells.is_of_one_kind and texts.are_only_missing_words:
        (count,) = texts.aggregate(f"count({texts.sql})")
        expression, largest = _typed_expression(texts)
        decided = ColumnConversion(expression)
        if cells.kinds == {"duration"}:
            _convert_durations(decided, texts, name)
        if count:
            of_days = cells.kinds <= {"date", "datetime"}
            decided.repaired.append(_missing_words(texts, name, count, of_days=of_days))
        return decided
    if not cells.kinds and texts.sample and all(map(_NOT_A_NUMBER.fullmatch, texts.sample)):
        is_other = (
            f"NOT regexp_full_match(lower({texts.sql}), {sql_literal(_NOT_A_NUMBER.pattern)})"
        )
        if not texts.count(is_other):
            decided = ColumnConversion("NULL::DOUBLE")
            (count,) = texts.aggregate(f"count({texts.sql})")
            decided.repaired.append(_missing_words(texts, name, count))
            return decided
    decided = ColumnConversion(cells.display)
    if texts.are_aligned:
        decided.expression = f"trim({cells.display}, ' ')"
    if any(map(_GUARDED.fullmatch, texts.sample)):
        is_guarded = f"regexp_full_match({texts.sql}, {sql_literal(_GUARDED.pattern)})"
        bare = f"nullif(substr({texts.sql}, 3, length({texts.sql}) - 3), '')"
        decided.expression = f"CASE WHEN {is_guarded} THEN {bare} ELSE {decided.expression} END"
        example = min(filter(_GUARDED.fullmatch, texts.sample))
        count = texts.count(is_guarded)
        decided.repaired.append(findings.GUARDED_TEXTS.finding(count, name=name, example=example))
    if cells.kinds:
        decided.doubtful.append(_mixed(texts, name))
    elif nearest is not None and _has_strays(texts, nearest):
        decided.doubtful.append(_strays(texts, name, nearest))
    return decided


def _doubt_hours(decided: ColumnConversion, texts: ColumnSample, name: str) -> None:
    """Report times in hours under a name that says minutes and seconds: 1:30, as typed in a cell,
    is half past one.
    """
    display = texts.cells.display
    is_one = f"({decided.expression}) >= TIME '01:00:00'"
    count, example = texts.aggregate(f"count(*) FILTER ({is_one}), min({display})")
    if count:
        found = findings.TIMES_OR_LENGTHS.finding(name=name, example=str(example))
        decided.doubtful.append(found)


def _several_notations(
    texts: ColumnSample, name: str, notations: Sequence[TypeCandidate]
) -> Finding:
    examples: list[str] = []
    for each in notations:
        matching = (text for text in texts.sample if re.fullmatch(each.pattern, text, re.ASCII))
        example = min(matching, key=lambda text: (-len(text), text), default="")
        if example and example not in examples:
            examples.append(example)
    (count,) = texts.aggregate(f"count({texts.sql})")
    sentence = findings.SEVERAL_NOTATIONS if len(examples) > 1 else findings.PERHAPS_CODES
    told = quoted(examples[:EXAMPLES])
    return sentence.finding(count, name=name, kind=_(notations[0].label), examples=told)


def _typed_expression(texts: ColumnSample) -> tuple[str, float]:
    """Return SQL for the values of cells that the file itself gives a type.

    With it goes the largest of whole numbers, 0 for anything else.
    """
    kinds, typed = texts.cells.kinds, texts.cells.typed
    if typed is None:
        return (texts.cells.display if kinds else "NULL::VARCHAR"), 0
    if kinds == {"number"}:
        fractions, largest = texts.aggregate(
            f"count(*) FILTER ({typed} <> floor({typed})), max(abs({typed}))"
        )
        is_whole = not fractions and largest is not None and largest < 1e18
        if is_whole:
            return f"CAST({typed} AS BIGINT)", largest
        return f"CAST({typed} AS DOUBLE)", 0
    if "datetime" in kinds:
        is_timed = texts.count(f"CAST({typed} AS TIME) <> TIME '00:00:00'")
        return (typed if is_timed else f"CAST({typed} AS DATE)"), 0
    return typed, 0


def _convert_serial_dates(
    decided: ColumnConversion, texts: ColumnSample, name: str, *, largest: float = 0
) -> None:
    """Convert numbers that are serial or compact dates, or parts of a day, to dates or times."""
    value = f"({decided.expression})"
    found = detect_serial_dates(texts, name, value, largest=largest) or detect_serial_times(
        texts, name, value
    )
    if found is None:
        return
    decided.expression = found.expression
    if found.is_compact:
        for each in [each for each in decided.repaired if each.kind == "text_as_number"]:
            decided.repaired.remove(each)
            decided.repaired.append(_stored_as_text(name, DATES, each.count, each.cells))
    (decided.repaired if found.is_sure else decided.doubtful).append(found.finding)


def _convert_durations(
    decided: ColumnConversion, texts: ColumnSample, name: str, unit: int | None = None
) -> None:
    """Convert lengths of time to numbers, which can be added up and drawn."""
    seconds = f"epoch({decided.expression})"
    (longest,) = texts.aggregate(f"max(abs({seconds}))")
    unit = unit or next((each for each in _LENGTHS if (longest or 0) >= each), 1)
    display = texts.cells.display
    is_one = f"({decided.expression}) IS NOT NULL"
    (example,) = texts.aggregate(f"arg_min({display}, length({display})) FILTER ({is_one})")
    decided.expression = f"{seconds} / {unit}"
    decided.repaired.append(_LENGTHS[unit].finding(name=name, example=str(example)))


def _trim_odd_blanks(decided: ColumnConversion, texts: ColumnSample, name: str) -> None:
    """Report tabs and no-break blanks around cells, and take them away from texts."""
    display = texts.cells.display
    is_odd = f"regexp_matches({display}, {sql_literal(ODD_BLANKS)})"
    if decided.expression == display:
        bare = f"nullif(trim({display}, {sql_literal(BLANKS)}), '')"
        decided.expression = f"CASE WHEN {is_odd} THEN {bare} ELSE {display} END"
    decided.repaired.append(
        findings.BLANKS_REMOVED.finding(texts.count(is_odd), texts.addresses(is_odd), name=name)
    )


def _missing_words(texts: ColumnSample, name: str, count: int, *, of_days: bool = False) -> Finding:
    is_missing = partial(is_missing_sql, of_days=of_days)
    examples, cells = texts.cells_where(is_missing)
    return findings.READ_AS_MISSING.finding(count, cells, name=name, examples=quoted(examples))


def _several_kinds(texts: ColumnSample, name: str) -> Finding:
    """Report cells that the file itself gives other types than most, where none is a text."""
    raw, cells = texts.raw, texts.cells
    # A day with a time is of the kind of a day without one.
    kind = f"translate(substr(c{cells.position}, 2, 1), {sql_literal(TAGS['datetime'])},"
    kind += f" {sql_literal(TAGS['date'])})"
    is_there = f"({cells.display}) IS NOT NULL"
    counts = raw.db.execute(
        f"SELECT {kind}, count(*) FROM {raw.column(cells.position)} WHERE {is_there}"
        " GROUP BY 1 ORDER BY 2 DESC, 1"
    ).fetchall()
    most, times = counts[0]
    filled = sum(count for _kind, count in counts)
    is_odd = f"{is_there} AND {kind} <> {sql_literal(most)}"
    return _mixed_column(texts, name, filled - times, filled, is_odd)


def _mixed(texts: ColumnSample, name: str) -> Finding:
    display = texts.cells.display
    is_text = f"{texts.sql} IS NOT NULL"
    texts_, filled = texts.aggregate(f"count(*) FILTER ({is_text}), count({display})")
    is_odd = is_text
    if texts_ * 2 > filled:
        is_odd = f"({display}) IS NOT NULL AND {texts.sql} IS NULL"
    return _mixed_column(texts, name, min(texts_, filled - texts_), filled, is_odd)


def _mixed_column(texts: ColumnSample, name: str, count: int, filled: int, is_odd: str) -> Finding:
    return findings.MIXED_COLUMN.finding(
        count,
        texts.addresses(is_odd),
        name=name,
        present=number(filled, digits=0),
        examples=quoted(texts.examples(is_odd)),
    )


def _strays(texts: ColumnSample, name: str, nearest: NearMiss) -> Finding:
    examples, cells = texts.cells_where(nearest.is_stray)
    return findings.MISMATCHES.finding(
        nearest.mismatches,
        cells,
        name=name,
        present=number(nearest.present, digits=0),
        kind=_(nearest.candidate.label),
        examples=quoted(examples),
    )
