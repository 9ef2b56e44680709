"""Raw columns as SQL expressions, with a sample of their texts and counts over every row."""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.table import sql_literal
from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest.findings import ERROR_CELLS, LISTED
from qhub_desktop.data.ingest.layout_recognition import kind_of
from qhub_desktop.data.ingest.raw_table import (
    BLANKS,
    NO_BREAK,
    TAG,
    TAGS,
    HeldTexts,
    Kind,
    RawTable,
    as_text_sql,
    begins_blank,
    form_of,
    is_blank,
    is_blank_text,
    is_missing,
    is_missing_sql,
    untagged,
)
from qhub_desktop.data.ingest.readers.sheet import CellError, Value, address
from qhub_desktop.data.ingest.rows_between import SEARCHED_ROWS
from qhub_desktop.data.ingest.timestamp_patterns import DATES, TypeCandidate
from qhub_desktop.data.value_counts import COLUMNS_AT_ONCE, side_by_side

_KIND_OF_TAG = {tag: kind for kind, tag in TAGS.items()}
# Errors of formulas as spreadsheets export them to text files.
ERROR_WORDS = (
    *("#DIV/0!", "#REF!", "#SPILL!", "#CALC!", "#GETTING_DATA", "#FIELD!", "#BLOCKED!", "#BUSY!"),
    *("#CONNECT!", "#UNKNOWN!", "#PYTHON!", "#EXTERNAL!"),
    *words_of("files", "errors"),
)
_ERRORS = ", ".join(map(sql_literal, ERROR_WORDS))

DISTINCT_TABLE = (
    "seen"  # a temporary table of a column's distinct texts, while its type is inferred
)
EXAMPLES = 3
SHORT_ROWS = 20_000  # in a table of no more, many columns are looked at together
SAMPLE_ROWS = 1_000
SAMPLE_CELLS = 100_000  # of all columns; few rows of many columns
FEW_TEXTS = 100  # with fewer in the sample, a column is looked at from its first text on
COMPARED_CELLS, FEW_CODES = 25, 2  # under a name, with it
TRIED_VALUES = 30  # of the sample's values; one of them must match, or the candidate is not tried
DISTINCT_SHARE = 0.97  # of a sample; above, texts repeat too seldom for a table of distinct ones
_ODD = "\t\N{NO-BREAK SPACE}"  # nobody sees them
FIRST_CELLS = f" LIMIT {EXAMPLES * TRIED_VALUES}"
_WIDTHS = "min(length(value)), max(length(value)), count(DISTINCT length(trim(value, ' ')))"
# The least and the greatest length of some texts, and how many they have without the blanks.
Widths = tuple[int | None, int | None, int]
Condition = Callable[[str], str]  # makes SQL that is true or not of the SQL for a text
# Some cells as they stand, and the addresses of some.
FoundCells = tuple[Sequence[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ColumnSql:
    """One column of the view `body` as SQL expressions.

    `text` is the trimmed text of a cell that is text, `typed` the value of one that the file itself
    gives a type (one of `kinds`); each is NULL where the other is not, and both where the cell is
    blank or an error. `display` is the cell as the person wrote it.
    """

    position: int
    kinds: frozenset[Kind]
    text: str | None
    typed: str | None
    display: str
    error: str | None = None  # SQL that is true where the cell holds an error

    @property
    def is_of_one_kind(self) -> bool:
        """Whether all cells with a type of their own have the same one."""
        return len(self.kinds) == 1 or self.kinds == {"date", "datetime"}


def columns_of(raw: RawTable, positions: Sequence[int]) -> list[ColumnSql]:
    """Return the columns at these positions as SQL, before their texts are examined."""
    return [_column_sql(raw, position) for position in positions]


def without_error_words(raw: RawTable, found: Sequence[ColumnSql]) -> list[ColumnSql]:
    """Return the columns; words for errors, and blanks around them, count as missing in their SQL.

    To be called only for columns that are not of one type as they stand: examining a million texts
    costs as much as parsing them as numbers.
    """
    has_hash = _has_hash(raw, found)
    if not any(has_hash):
        return [*found]
    errors = aggregates(
        raw.db,
        [
            f"count(*) FILTER (upper(trim({each.text})) IN ({_ERRORS}))"
            if begins_with_hash
            else "count(*) FILTER (false)"
            for each, begins_with_hash in zip(found, has_hash, strict=True)
        ],
        raw.body,
    )
    return [
        _with_errors_emptied(with_trimmed_text(each)) if count else each
        for each, count in zip(found, errors, strict=True)
    ]


def _has_hash(raw: RawTable, found: Sequence[ColumnSql]) -> list[bool]:
    """Return for each column whether any text begins with '#', as the words for errors do."""
    held = raw.held
    if held is not None and all(each.text == f"c{each.position}" for each in found):
        texts_of = (held.counted(each.position) for each in found)
        return [any(text and text[0] == "#" for text in texts) for texts in texts_of]
    if raw.rows > SEARCHED_ROWS:
        return [_has_any(raw, each.position, f"starts_with({each.text}, '#')") for each in found]
    begin: list[bool] = []
    for start in range(0, len(found), COLUMNS_AT_ONCE):
        texts = [each.text or "NULL" for each in found[start : start + COLUMNS_AT_ONCE]]
        rows = raw.db.execute(
            f"SELECT DISTINCT place FROM {side_by_side(raw.body, texts)}"
            " WHERE starts_with(value, '#')"
        ).fetchall()
        begin += [(place,) in rows for place in range(len(texts))]
    return begin


def _has_any(raw: RawTable, position: int, condition: str) -> bool:
    """Return whether a condition holds for any cell of a column.

    In a query of one column, the database skips blocks of rows by their minimum and maximum.
    """
    found = raw.db.execute(f"SELECT 1 FROM {raw.column(position)} WHERE {condition} LIMIT 1")
    return found.fetchone() is not None


def with_trimmed_text(cells: ColumnSql) -> ColumnSql:
    """Return a column whose texts are trimmed of the blanks around them."""
    return replace(cells, text=f"nullif(trim({cells.text}, {sql_literal(BLANKS)}), '')")


def _column_sql(raw: RawTable, position: int) -> ColumnSql:
    column, form = f"c{position}", raw.column_kinds[position]
    if form == "mixed":
        return _mixed_sql(raw, position)
    if form == "":
        return ColumnSql(position, frozenset(), None, None, "NULL::VARCHAR")
    if form == "text":
        display = _shown(column)
        if raw.rows > SEARCHED_ROWS and not (
            raw.may_have_blanks(position) and _has_any(raw, position, begins_blank(column))
        ):
            display = column  # written a tenth quicker
        return ColumnSql(position, frozenset(), column, None, display)
    return ColumnSql(position, frozenset({form}), None, column, as_text_sql(column, form))


def _shown(text: str) -> str:
    return f"CASE WHEN {is_blank_text(text)} THEN NULL ELSE {text} END"


def _mixed_sql(raw: RawTable, position: int) -> ColumnSql:
    column = f"c{position}"
    relation = raw.column(position)
    tags = raw.db.execute(
        f"SELECT DISTINCT substr({column}, 2, 1) FROM {relation}"
        f" WHERE starts_with({column}, chr(1))"
    ).fetchall()
    kinds = {_KIND_OF_TAG[tag] for (tag,) in tags} - {"error", "text"}
    zero = sql_literal(f"{TAG}{TAGS['time']}00:00:00")
    if "time" in kinds and kinds - {"time"} in ({"date"}, {"datetime"}, {"date", "datetime"}):
        # A day zero, as a cell without a date is shown; of any other time the day is lost.
        is_other = (
            f"starts_with({column}, {sql_literal(TAG + TAGS['time'])}) AND {column} <> {zero}"
        )
        if not _has_any(raw, position, is_other):
            kinds -= {"time"}
            column = f"CASE WHEN {column} = {zero} THEN '00:00:00' ELSE {column} END"
    is_text = (
        f"({column} IS NOT NULL AND NOT (starts_with({column}, chr(1))"
        f" AND substr({column}, 2, 1) <> 's'))"
    )
    bare = f"CASE WHEN starts_with({column}, chr(1)) THEN substr({column}, 3) ELSE {column} END"
    texts, wholes = aggregates(
        raw.db,
        [
            f"count(*) FILTER ({is_text} AND trim({bare}, {sql_literal(BLANKS)}) <> '')",
            (
                f"coalesce(bool_and(regexp_full_match(substr({column}, 3), '-?\\d{{1,18}}'))"
                f" FILTER (starts_with({column}, {sql_literal(TAG + 'n')})), false)"
            ),
        ],
        relation,
    )
    text = f"CASE WHEN {is_text} THEN nullif(trim({bare}, {sql_literal(BLANKS)}), '') END"
    has_errors = any(tag == TAGS["error"] for (tag,) in tags)
    return ColumnSql(
        position,
        frozenset(kinds),
        text if texts else None,
        _typed_sql(column, kinds, is_whole=bool(wholes)),
        # An error is missing; everything else is displayed.
        f"CASE WHEN starts_with({column}, {sql_literal(TAG + 'e')})"
        f" OR trim({bare}, {sql_literal(BLANKS)}) = '' THEN NULL"
        f" ELSE {untagged(position, 'mixed')} END",
        f"coalesce(starts_with({column}, {sql_literal(TAG + 'e')}), false)" if has_errors else None,
    )


def _typed_sql(column: str, kinds: set[Kind], *, is_whole: bool) -> str | None:
    """Return SQL for the values of tagged cells; None if they are of several kinds."""
    value = f"substr({column}, 3)"
    if kinds == {"date", "datetime"}:
        tags: tuple[str, ...] = ("d", "m")
        cast = f"CAST({value} AS TIMESTAMP)"
    elif len(kinds) == 1:
        kind = next(iter(kinds))
        tags = (TAGS[kind],)
        cast = {
            "number": f"CAST({value} AS {'BIGINT' if is_whole else 'DOUBLE'})",
            "boolean": f"({value} = 'TRUE')",
            "date": f"CAST({value} AS DATE)",
            "datetime": f"CAST({value} AS TIMESTAMP)",
            "time": f"CAST({value} AS TIME)",
            "duration": f"CAST({value} AS INTERVAL)",
        }[kind]
    else:
        return None
    is_one = " OR ".join(f"starts_with({column}, {sql_literal(TAG + tag)})" for tag in tags)
    return f"CASE WHEN {is_one} THEN {cast} END"


def _with_errors_emptied(cells: ColumnSql) -> ColumnSql:
    is_error = f"coalesce(upper({cells.text}) IN ({_ERRORS}), false)"
    return replace(
        cells,
        text=f"CASE WHEN NOT {is_error} THEN {cells.text} END",
        display=f"CASE WHEN NOT {is_error} THEN {cells.display} END",
        error=is_error if cells.error is None else f"({cells.error} OR {is_error})",
    )


@dataclass
class ColumnSample:
    """A column of the view `body` with a sample of its texts, each with its count."""

    raw: RawTable
    cells: ColumnSql
    sample: Counter[str]
    has_odd_blanks: bool = False  # tabs or no-break blanks around texts of the sample
    # What was counted and found, by the condition of `value`; often of many columns at once.
    known: dict[str, int] = field(default_factory=dict, init=False)
    found: dict[str, FoundCells] = field(default_factory=dict, init=False)
    # Of the first cells, and whether any has blanks around it; see `measure_widths`.
    first_widths: Widths | None = field(default=None, init=False)
    has_padded: bool | None = field(default=None, init=False)
    _shares: dict[TypeCandidate, float] = field(default_factory=dict, init=False)
    _has_distinct: bool = field(default=False, init=False)
    # All texts with their counts, where they are held in memory as the database reads them.
    _held: Counter[str] | None = field(default=None, init=False)
    _matching: dict[str, set[str]] = field(default_factory=dict, init=False)  # by pattern

    def __post_init__(self) -> None:
        self.sql = self.cells.text or "NULL"
        self.relation = self.raw.column(self.cells.position)
        self._non_missing = {
            value: count for value, count in self.sample.items() if not is_missing(value)
        }
        held = self.raw.held
        if held is not None and self.cells.text == f"c{self.cells.position}":
            counted = held.counted(self.cells.position)
            self._held = Counter({text: n for text, n in counted.items() if text is not None})

    @cached_property
    def _days(self) -> dict[str, int]:
        """The texts without those that stand for no day, if there are more of the others.

        Where most are 00:00:00, they are the values.
        """
        texts = self._non_missing
        days = {each: times for each, times in texts.items() if not is_missing(each, of_days=True)}
        return days if sum(days.values()) * 2 > sum(texts.values()) else texts

    def without_error_words(self, cells: ColumnSql) -> "ColumnSample":
        """Return the same column under cleaner SQL, its sample without words for errors."""
        sample = self.sample
        if cells.error is not None:
            errors = {value for value in self._non_missing if value.upper() in ERROR_WORDS}
            sample = Counter({each: count for each, count in sample.items() if each not in errors})
        return ColumnSample(self.raw, cells, sample)

    @property
    def do_repeat(self) -> bool:
        """Whether texts of the sample repeat, so that each distinct one is better tested once."""
        return len(self.sample) <= self.sample.total() * DISTINCT_SHARE

    @property
    def are_texts(self) -> bool:
        """Whether all cells that hold anything are texts."""
        return not self.cells.kinds and self.cells.text is not None

    @property
    def are_padded(self) -> bool:
        """Whether any text has blanks around it."""
        return bool(self.count_where(is_padded))

    @property
    def are_aligned(self) -> bool:
        """Whether all cells are texts filled up with blanks to one width, as databases print."""
        if not self.are_texts:
            return False
        display, relation = self.cells.display, self.relation
        # The first rows tell nearly always that it is not so, or else that nothing is filled up. Of
        # codes of one length with blanks behind them nobody knows that the blanks are not theirs.
        for limit in (FIRST_CELLS, ""):
            if not limit and not self._has_padded:
                return False
            row = self.first_widths if limit else None
            if row is None:
                row = self.raw.db.execute(
                    f"SELECT {_WIDTHS} FROM (SELECT {display} AS value FROM {relation}{limit})"
                ).fetchone()
            assert row is not None
            narrowest, widest, lengths = row
            if narrowest != widest or (not limit and lengths < 2):
                return False
        return True

    @property
    def _has_padded(self) -> bool:
        if self.has_padded is None:
            condition = _is_filled_up(self.cells.display)
            self.has_padded = _has_any(self.raw, self.cells.position, condition)
        return self.has_padded

    @property
    def are_only_missing_words(self) -> bool:
        """Whether every text is a word for a missing value."""
        of_days = self.cells.kinds <= {"date", "datetime"}
        return not self.count(f"NOT {is_missing_sql(self.sql, of_days=of_days)}")

    @property
    def is_counter(self) -> bool:
        """Whether the sample's texts are different whole numbers, as those that count rows."""
        is_whole = all(map(str.isdecimal, self.sample))
        return is_whole and len(self.sample) > 1 and max(self.sample.values()) <= 2

    def share(self, candidate: TypeCandidate) -> float:
        """Return the share of the sample that matches the candidate, leaving out words for missing
        values.
        """
        if candidate not in self._shares:
            self._shares[candidate] = self._share(candidate)
        return self._shares[candidate]

    def _share(self, candidate: TypeCandidate) -> float:
        counted = self._days if candidate.label == DATES else self._non_missing
        if not counted:
            return 0
        pattern = re.compile(candidate.pattern, re.ASCII)
        tried = sum(pattern.fullmatch(value) is not None for value in islice(counted, TRIED_VALUES))
        if not tried:
            return 0
        if tried < TRIED_VALUES // 3 and len(counted) > TRIED_VALUES:
            return (
                tried / TRIED_VALUES
            )  # far from likely; the others would cost more than they tell
        matching = {value for value in counted if pattern.fullmatch(value)}
        if self._held is not None:
            self._matching[candidate.pattern] = matching
        return sum(counted[value] for value in matching) / sum(counted.values())

    def share_of_any(self, candidates: Sequence[TypeCandidate]) -> float:
        """Return the share of the sample that matches at least one of the candidates."""
        counted = self._non_missing
        pattern = re.compile("|".join(f"(?:{each.pattern})" for each in candidates), re.ASCII)
        matching = sum(count for value, count in counted.items() if pattern.fullmatch(value))
        return matching / max(1, sum(counted.values()))

    def aggregate(self, selected: str) -> tuple[Any, ...]:
        """Return the values of these SQL aggregates over the column."""
        row = self.raw.db.execute(f"SELECT {selected} FROM {self.relation}").fetchone()
        assert row is not None
        return row

    def count(self, condition: str) -> int:
        """Return the number of cells for which this SQL is true."""
        (count,) = self.aggregate(f"count(*) FILTER ({condition})")
        return int(count)

    def mismatches(self, candidate: TypeCandidate) -> tuple[int, int]:
        """Return how many texts of all rows do not match the candidate, and how many there are."""
        if candidate.fast_check is not None and candidate.mismatch("value") not in self.known:
            matches, present = self.counts(candidate.is_surely, is_present)
            if matches == present:
                return 0, present
        mismatches, present = self.counts(candidate.mismatch, is_present)
        return mismatches, present

    def count_in_memory(self, conditions: Sequence[Condition]) -> bool:
        """Count the texts for which conditions hold without the database, if that can be done."""
        if self._held is None:
            return False
        found = [self._held_where(each) for each in conditions]
        for condition, texts in zip(conditions, found, strict=True):
            if texts is None:
                return False
            self.known[condition("value")] = sum(map(self._held.__getitem__, texts))
        return True

    def _held_where(self, condition: Condition) -> Collection[str] | None:
        """Return the different texts for which a condition holds; None for some conditions.

        Most are told by the sample, which has few others.
        """
        assert self._held is not None
        texts = self._held.keys()
        candidate = getattr(condition, "__self__", None)
        if isinstance(candidate, TypeCandidate) and candidate.always_converts:
            pattern = re.compile(candidate.pattern, re.ASCII)
            others = texts - self._matching.get(candidate.pattern, set())
            return [each for each in others if not pattern.fullmatch(each)]
        if isinstance(condition, partial) and condition.func is is_missing_sql:
            if condition.keywords.get("of_days"):
                return [each for each in texts if is_missing(each, of_days=True)]
            return [each for each in texts - self._non_missing.keys() if is_missing(each)]
        if condition is is_padded:
            return [each for each in texts - self.sample.keys() if each.strip(BLANKS) != each]
        return texts if condition is is_present else None

    def measure_in_memory(self) -> bool:
        """Measure the column as `measure_widths` does without the database, if that can be done."""
        held = self.raw.held
        if self._held is None or held is None or not self.are_shown_plainly:
            return False
        column = held.columns[self.cells.position]
        first = [column[place] for place in held.places[: EXAMPLES * TRIED_VALUES]]
        shown = [text for text in first if text and text.strip(BLANKS)]
        lengths = [*map(len, shown)]
        stripped = {len(text.strip(" ")) for text in shown}
        self.first_widths = (min(lengths, default=None), max(lengths, default=None), len(stripped))
        if self.first_widths[0] == self.first_widths[1]:
            self.has_padded = any(
                text[0] < "!" or text[0] == NO_BREAK or text[-1] == " "
                for text in self._held
                if text.strip(BLANKS)
            )
        return True

    def conversion_of(self, candidate: TypeCandidate, text: str) -> str:
        """Return SQL for the values of texts that match a candidate, or stand for nothing."""
        if candidate.usual and self._held is not None:
            is_usual = re.compile(candidate.usual, re.ASCII).fullmatch
            if all(is_usual(each) or is_missing(each) for each in self._held):
                return candidate.usual_conversion.format(v=text)
        return candidate.conversion.format(v=text)

    @property
    def are_shown_plainly(self) -> bool:
        """Whether the cells are displayed as they are, but for those of blanks only."""
        return self.cells.display == _shown(f"c{self.cells.position}")

    def counts(self, *conditions: Condition) -> tuple[int, ...]:
        """Return for each condition the number of texts for which it holds.

        Where texts repeat, each distinct one is tested once, in a fraction of the time; they stay
        in a temporary table until `drop_distinct`.
        """
        unknown = {each("value"): each for each in conditions}
        unknown = {key: each for key, each in unknown.items() if key not in self.known}
        if unknown:
            self.known |= zip(unknown, self._counted([*unknown.values()]), strict=True)
        return tuple(self.known[each("value")] for each in conditions)

    def _counted(self, conditions: Sequence[Condition]) -> tuple[int, ...]:
        if not self.do_repeat:
            asked = [f"count(*) FILTER ({each(self.sql)})" for each in conditions]
            return self.aggregate(", ".join(asked))
        if not self._has_distinct:
            self.raw.db.execute(
                f"CREATE TEMP TABLE {DISTINCT_TABLE} AS"
                f" {self.raw.counted_texts(self.cells.position, self.sql)}"
            )
            self._has_distinct = True
        asked = [f"coalesce(sum(times) FILTER ({each('v')}), 0)::BIGINT" for each in conditions]
        row = self.raw.db.execute(f"SELECT {', '.join(asked)} FROM {DISTINCT_TABLE}").fetchone()
        assert row is not None
        return row

    def drop_distinct(self) -> None:
        """Drop the table of distinct texts that `counts` has made."""
        if self._has_distinct:
            self.raw.db.execute(f"DROP TABLE {DISTINCT_TABLE}")
            self._has_distinct = False

    def count_where(self, condition: Condition) -> int:
        """Return the number of texts for which a condition holds."""
        key = condition("value")
        if key not in self.known:
            self.known[key] = self.count(condition(self.sql))
        return self.known[key]

    def cells_where(self, condition: Condition) -> FoundCells:
        """Return examples and addresses of the cells for whose texts this holds."""
        key = condition("value")
        if key not in self.found:
            own = condition(self.sql)
            self.found[key] = self.examples(own), self.addresses(own)
        return self.found[key]

    def examples(self, condition: str) -> list[str]:
        """Return a few different cells, as they stand in the file, for which this SQL is true."""
        rows = self.raw.db.execute(
            f"SELECT DISTINCT {self.cells.display} AS v FROM {self.relation} WHERE {condition}"
            f" ORDER BY v LIMIT {EXAMPLES}"
        ).fetchall()
        return [value for (value,) in rows]

    def addresses(self, condition: str) -> tuple[str, ...]:
        """Return the addresses in the file of the first cells for which this SQL is true."""
        rows = self.raw.db.execute(
            f"SELECT place FROM {self.relation} WHERE {condition} ORDER BY place LIMIT {LISTED}"
        ).fetchall()
        return self.addresses_of(place for (place,) in rows)

    def addresses_of(self, places: Iterable[int]) -> tuple[str, ...]:
        """Return the addresses in the file of the cells in these rows of the table."""
        raw, column = self.raw, self.raw.first_column + self.cells.position
        return tuple(address(raw.first_row + place, column) for place in places)


def is_present(text: str) -> str:
    """Return SQL that is true where there is a text."""
    return f"{text} IS NOT NULL"


def is_padded(text: str) -> str:
    """Return SQL that is true for a text with blanks around it."""
    return f"trim({text}, {sql_literal(BLANKS)}) <> {text}"


def _is_filled_up(display: str) -> str:
    return f"({begins_blank(display)} OR ends_with({display}, ' '))"


def sample_columns(raw: RawTable, found: Sequence[ColumnSql]) -> list[ColumnSample]:
    """Return a sample of each column's texts: from the first rows, and from rows anywhere.

    Of a column that shows few texts there, the first of all its texts are taken.
    """
    selected = ", ".join(each.text or "NULL" for each in found)
    size = max(FEW_TEXTS, min(SAMPLE_ROWS, SAMPLE_CELLS // max(1, len(found))))
    somewhere = random.Random(1)  # noqa: S311  the same rows each time, and no period of the file's
    places = sorted(somewhere.sample(range(raw.rows), min(raw.rows, size)))
    if raw.held is not None:
        counted = _counted_in_memory(raw.held, found, size, places)
    else:
        rows = [
            *raw.db.execute(f"SELECT {selected} FROM body LIMIT {size}").fetchall(),
            *raw.db.execute(
                f"SELECT {selected} FROM body WHERE place IN (SELECT unnest({places}::BIGINT[]))"
            ).fetchall(),
        ]
        counted = [Counter(cells) for cells in zip(*rows, strict=True)]
    counted = counted or [Counter() for _each in found]
    samples = [_bare(cells) for cells in counted]
    if raw.rows > size:
        few = [
            position
            for position, cells in enumerate(found)
            if cells.text is not None and samples[position].total() < FEW_TEXTS
        ]
        first = _first_texts(raw, [found[position] for position in few])
        for position, texts in zip(few, first, strict=True):
            samples[position] = texts
    return [
        ColumnSample(raw, cells, sample, has_odd_blanks=_have_odd_blanks(written))
        for cells, sample, written in zip(found, samples, counted, strict=True)
    ]


def _counted_in_memory(
    held: HeldTexts, found: Sequence[ColumnSql], size: int, places: Sequence[int]
) -> list[Counter[str | None]]:
    """Return the counted texts of the first rows and of those at some places, by column."""
    if len(held.cells) <= size:  # every row is among both
        wholes = [held.counted(each.position) for each in found]
        return [Counter({text: 2 * times for text, times in each.items()}) for each in wholes]
    data = {*held.places}
    rows = [*held.places[:size], *(place for place in places if place in data)]
    columns = [held.columns[each.position] for each in found]
    return [Counter([cells[place] for place in rows]) for cells in columns]


def _have_odd_blanks(texts: Iterable[str | None]) -> bool:
    """Return whether any text has a tab or a no-break blank before or behind it."""
    some = [text for text in texts if text]
    joined = "\n".join(some)
    if not any(blank in joined for blank in _ODD):
        return False
    return any(text[0] in _ODD or text[-1] in _ODD for text in some)


def _bare(counted: Counter[str | None]) -> Counter[str]:
    """Return counted texts without the blanks around them, and without blank ones."""
    bare: Counter[str] = Counter()
    for text, times in counted.items():
        if text is not None and (stripped := text.strip(BLANKS)):
            bare[stripped] += times
    return bare


def _first_texts(raw: RawTable, found: Sequence[ColumnSql]) -> list[Counter[str]]:
    if raw.rows <= SHORT_ROWS:
        listed: list[Counter[str]] = [Counter() for _each in found]
        for start in range(0, len(found), COLUMNS_AT_ONCE):
            texts = [each.text or "NULL" for each in found[start : start + COLUMNS_AT_ONCE]]
            # In the order of the file, as so few rows are read by one thread.
            for place, first in raw.db.execute(
                f"SELECT place, list(v)[:{SAMPLE_ROWS}] FROM (SELECT place,"
                f" trim(value, {sql_literal(BLANKS)}) AS v FROM {side_by_side(raw.body, texts)})"
                " WHERE v <> '' GROUP BY place"
            ).fetchall():
                listed[start + place] = Counter(first)
        return listed
    some: list[Counter[str]] = []
    for cells in found:
        bare, column = f"trim({cells.text}, {sql_literal(BLANKS)})", raw.column(cells.position)
        rows = raw.db.execute(
            f"SELECT {bare} AS v FROM {column} WHERE v <> '' LIMIT {SAMPLE_ROWS}"
        ).fetchall()
        some.append(Counter(text for (text,) in rows))
    return some


def error_findings(raw: RawTable, found: Sequence[ColumnSql]) -> list[Finding]:
    """Report the cells that hold an error, of all columns together."""
    erroneous = [each for each in found if each.error is not None]
    if not erroneous:
        return []
    places: list[tuple[int, int]] = []
    kinds: Counter[str] = Counter()
    for each in erroneous:
        cell, column = f"c{each.position}", raw.column(each.position)
        is_mixed = raw.column_kinds[each.position] == "mixed"
        kind = f"substr({cell}, 3)" if is_mixed else f"upper(trim({cell}))"
        kinds.update(
            dict(
                raw.db.execute(
                    f"SELECT {kind}, count(*) FROM {column} WHERE {each.error} GROUP BY 1"
                ).fetchall()
            )
        )
        places += [
            (place, each.position)
            for (place,) in raw.db.execute(
                f"SELECT place FROM {column} WHERE {each.error} ORDER BY place LIMIT {LISTED}"
            ).fetchall()
        ]
    cells = tuple(
        address(raw.first_row + place, raw.first_column + position)
        for place, position in sorted(places)[:LISTED]
    )
    named = ", ".join(f"{name} × {times}" for name, times in kinds.most_common())
    return [ERROR_CELLS.finding(kinds.total(), cells, kinds=named)]


def know_typed(
    raw: RawTable, columns: Sequence[ColumnSample], choices: Sequence[TypeCandidate]
) -> None:
    """Take what was proven of columns that were stored typed at once as known."""
    typed = [each for each in columns if each.cells.position in raw.typed]
    counted = aggregates(raw.db, [f"count(t{each.cells.position})" for each in typed], raw.body)
    for column, present in zip(typed, counted, strict=True):
        proven = raw.typed[column.cells.position]
        for each in choices:
            if (each.pattern, each.conversion) == (proven.pattern, proven.conversion):
                column.known |= {each.mismatch("value"): 0, is_present("value"): present}


# In a query of its own, each of many short columns takes ten times as long, for planning.


def count_together(columns: Sequence[ColumnSample], *conditions: Condition) -> None:
    """Count the texts of short columns for which conditions hold, many columns in one query."""
    columns = [each for each in columns if not each.count_in_memory(conditions)]
    keys = [each("value") for each in conditions]
    counts = ", ".join(f"coalesce(sum(times) FILTER ({each}), 0)::BIGINT" for each in keys)
    for do_repeat in (True, False):
        for batch in _batches([each for each in columns if each.do_repeat == do_repeat]):
            texts = side_by_side(batch[0].raw.body, [each.sql for each in batch])
            times = "count(*) AS times" if do_repeat else "1 AS times"
            some = f"(SELECT place, value, {times} FROM {texts}{' GROUP BY ALL' * do_repeat})"
            for place, *found in _rows(batch, f"SELECT place, {counts} FROM {some} GROUP BY place"):
                batch[place].known |= zip(keys, found, strict=True)


def find_together(asked: Iterable[tuple[ColumnSample, Condition]]) -> None:
    """Find the cells of short columns for whose texts a condition holds, many in one query."""
    by_key: dict[str, list[ColumnSample]] = {}
    for column, condition in asked:
        by_key.setdefault(condition("value"), []).append(column)
    for key, columns in by_key.items():
        for batch in _batches(columns):
            values = ", ".join(each.sql for each in batch)
            shown = ", ".join(each.cells.display for each in batch)
            cells = (
                f"SELECT unnest(range({len(batch)})) AS number, rowid AS place,"
                f" unnest([{values}]) AS value, unnest([{shown}]) AS shown FROM {batch[0].raw.body}"
            )
            for number, some, places in _rows(
                batch,
                f"SELECT number, min(DISTINCT shown, {EXAMPLES}), min(place, {LISTED})"
                f" FROM ({cells}) WHERE {key} GROUP BY number",
            ):
                batch[number].found[key] = some, batch[number].addresses_of(places)


def measure_widths(columns: Sequence[ColumnSample]) -> None:
    """Measure the first cells of short columns of text, many in one query, and look for blanks
    around any cell of those whose first ones are of one length.
    """
    columns = [each for each in columns if not each.measure_in_memory()]
    for batch in _batches(columns):
        cells = ", ".join(f"c{each.cells.position}" for each in batch)
        some = f"(SELECT {cells} FROM {batch[0].raw.body}{FIRST_CELLS})"
        first = _as_shown(batch, some)
        for place, low, high, lengths in _rows(
            batch, f"SELECT place, {_WIDTHS} FROM {first} GROUP BY place"
        ):
            batch[place].first_widths = (low, high, lengths)
    even = [each for each in columns if (widths := each.first_widths) and widths[0] == widths[1]]
    for batch in _batches(even):
        every = _as_shown(batch, batch[0].raw.body)
        any_ = f"coalesce(bool_or({_is_filled_up('value')}), false)"
        for place, has_any in _rows(batch, f"SELECT place, {any_} FROM {every} GROUP BY place"):
            batch[place].has_padded = has_any


def _as_shown(batch: Sequence[ColumnSample], relation: str) -> str:
    """Return SQL that unnests columns of text as they are displayed, usually all in one way."""
    plain = [f"c{each.cells.position}" for each in batch]
    if all(each.are_shown_plainly for each in batch):
        return f"(SELECT place, {_shown('value')} AS value FROM {side_by_side(relation, plain)})"
    return side_by_side(relation, [each.cells.display for each in batch])


def _batches(columns: Sequence[ColumnSample]) -> Iterator[Sequence[ColumnSample]]:
    for start in range(0, len(columns), COLUMNS_AT_ONCE):
        yield columns[start : start + COLUMNS_AT_ONCE]


def _rows(batch: Sequence[ColumnSample], sql: str) -> list[tuple[Any, ...]]:
    return batch[0].raw.db.execute(sql).fetchall()


def like_values(row: Sequence[Value], below: Sequence[Sequence[Value]]) -> list[int]:
    """Return the columns whose name looks like their values: a number or a date as they are, a code
    of the form that most of them have, or one of them.
    """
    found: list[int] = []
    rows = [each for each in below if [*each] != [*row]][:COMPARED_CELLS]
    for place, cell in enumerate(row):
        cells = [each[place] for each in rows if place < len(each) and not is_blank(each[place])]
        if is_blank(cell) or not cells or isinstance(cell, CellError):
            continue
        if (kind := kind_of(cell)) and kind != "name":
            is_value = sum(kind_of(each) == kind for each in cells) * 2 > len(cells)
        else:
            is_value = kind == "name" and cell in cells
        form = re.sub("9+", "9", form_of(cell))
        if "9" in form and not is_value and len(cells) > FEW_CODES:
            alike = sum(re.sub("9+", "9", form_of(each)) == form for each in cells)
            is_value = alike * 2 > len(cells)
        if is_value:
            found.append(place)
    return found
