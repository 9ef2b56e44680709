"""One raw column as SQL: its texts sampled, and counted over every row."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from qhub_desktop.core.sql_text import sql_literal
from qhub_desktop.data.columns import aggregates
from qhub_desktop.data.ingest.findings import LISTED
from qhub_desktop.data.ingest.raw_table import MISSING_WORDS, TAG, TAGS, Kind, RawTable, as_text_sql
from qhub_desktop.data.ingest.readers.sheet import address
from qhub_desktop.data.ingest.row_classification import (
    BLANKS,
    SEARCHED_ROWS,
    is_blank_text,
    untagged,
)
from qhub_desktop.data.ingest.type_patterns import Candidate

_KIND_OF_TAG = {tag: kind for kind, tag in TAGS.items()}
# What spreadsheets write into a text file where a formula has failed.
ERROR_WORDS = (
    "#N/A",
    "#N/D",
    "#DIV/0!",
    "#REF!",
    "#VALUE!",
    "#VALOR!",
    "#NAME?",
    "#NOME?",
    "#NUM!",
    "#NÚM!",
    "#NULL!",
    "#NULO!",
    "#SPILL!",
    "#CALC!",
)
_ERRORS = ", ".join(map(sql_literal, ERROR_WORDS))


@dataclass(frozen=True, slots=True)
class ColumnSql:
    """A column of the view `body`.

    `text` is SQL for the trimmed text of a cell that is text, `own` for the value of one that the
    file itself gives a type (of `kinds`); each is NULL where the other is not, and both where the
    cell is blank or an error. `display` is the cell as the person wrote it.
    """

    position: int
    kinds: frozenset[Kind]
    text: str | None
    typed: str | None
    display: str
    error: str | None = None  # SQL that is true where the cell holds an error

    @property
    def is_of_one_kind(self) -> bool:
        """Whether the cells that have a type of their own agree on it."""
        return len(self.kinds) == 1 or self.kinds == {"date", "datetime"}


def columns_of(raw: RawTable, positions: Sequence[int]) -> list[ColumnSql]:
    """What can be said of these columns without looking at what their texts hold."""
    return [_column_sql(raw, position) for position in positions]


def without_error_words(raw: RawTable, found: Sequence[ColumnSql]) -> list[ColumnSql]:
    """The columns whose texts hold words for errors, or blanks around them, without those.

    Asked only of columns that are not of one type as they stand, since looking at a million texts
    costs as much as reading them as numbers.
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
        "body",
    )
    return [
        _with_errors_emptied(with_trimmed_text(each)) if count else each
        for each, count in zip(found, errors, strict=True)
    ]


def _has_hash(raw: RawTable, found: Sequence[ColumnSql]) -> list[bool]:
    """Of each column, whether a text begins as the words for errors do."""
    begin = [f"starts_with({each.text}, '#')" for each in found]
    if raw.rows <= SEARCHED_ROWS:
        return [
            bool(count)
            for count in aggregates(raw.db, [f"count(*) FILTER ({each})" for each in begin], "body")
        ]
    # Asked for one column alone, the database knows from what it keeps of each block of rows.
    return [
        raw.db.execute(
            f"SELECT 1 FROM {raw.column(each.position)} WHERE {condition} LIMIT 1"
        ).fetchone()
        is not None
        for each, condition in zip(found, begin, strict=True)
    ]


def with_trimmed_text(cells: ColumnSql) -> ColumnSql:
    """A column whose texts are looked at without the blanks around them."""
    return replace(cells, text=f"nullif(trim({cells.text}, {sql_literal(BLANKS)}), '')")


def _column_sql(raw: RawTable, position: int) -> ColumnSql:
    column, form = f"c{position}", raw.column_kinds[position]
    if form == "mixed":
        return _mixed_sql(raw, position)
    if form == "":
        return ColumnSql(position, frozenset(), None, None, "NULL::VARCHAR")
    if form == "text":
        display = f"CASE WHEN {is_blank_text(column)} THEN NULL ELSE {column} END"
        return ColumnSql(position, frozenset(), column, None, display)
    return ColumnSql(position, frozenset({form}), None, column, as_text_sql(column, form))


def _mixed_sql(raw: RawTable, position: int) -> ColumnSql:
    column = f"c{position}"
    relation = raw.column(position)
    tags = raw.db.execute(
        f"SELECT DISTINCT substr({column}, 2, 1) FROM {relation}"
        f" WHERE starts_with({column}, chr(1))"
    ).fetchall()
    kinds = {_KIND_OF_TAG[tag] for (tag,) in tags} - {"error", "text"}
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
        # An error is nothing; everything else shows itself.
        f"CASE WHEN starts_with({column}, {sql_literal(TAG + 'e')})"
        f" OR trim({bare}, {sql_literal(BLANKS)}) = '' THEN NULL"
        f" ELSE {untagged(position, 'mixed')} END",
        f"coalesce(starts_with({column}, {sql_literal(TAG + 'e')}), false)" if has_errors else None,
    )


def _typed_sql(column: str, kinds: set[Kind], *, is_whole: bool) -> str | None:
    """The values of tagged cells, if all are of one kind."""
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


DISTINCT_TABLE = "seen"  # a column's different texts, while its type is looked for
EXAMPLES = 3
TRIED_VALUES = 30  # values of which one must be of a type for it to be thought of
DISTINCT_SHARE = 0.97  # of a sample: above, its texts repeat too seldom to be looked at once each
MISSING = ", ".join(map(sql_literal, MISSING_WORDS))


@dataclass
class ColumnSample:
    """A column of the view `body`, of which `sample` are some texts and how often each is there."""

    raw: RawTable
    cells: ColumnSql
    sample: Counter[str]
    _has_distinct: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.sql = self.cells.text or "NULL"
        self._column = self.raw.column(self.cells.position)
        self._non_missing = {
            value: count
            for value, count in self.sample.items()
            if value.lower() not in MISSING_WORDS
        }

    def without_error_words(self, cells: ColumnSql) -> "ColumnSample":
        """The same column with cleaner texts."""
        sample = self.sample
        if cells.error is not None:
            errors = {value for value in self._non_missing if value.upper() in ERROR_WORDS}
            sample = Counter({each: count for each, count in sample.items() if each not in errors})
        return ColumnSample(self.raw, cells, sample)

    @property
    def are_padded(self) -> bool:
        """Whether blanks stand around some."""
        return bool(self.count(f"trim({self.sql}, {sql_literal(BLANKS)}) <> {self.sql}"))

    @property
    def are_only_missing_words(self) -> bool:
        """Whether each stands for nothing."""
        return not self.count(f"lower({self.sql}) NOT IN ({MISSING})")

    def share(self, candidate: Candidate) -> float:
        """How much of the sample is of this type, but for words that stand for nothing."""
        counted = self._non_missing
        if not counted:
            return 0
        pattern = re.compile(candidate.pattern, re.ASCII)
        if not any(map(pattern.fullmatch, islice(counted, TRIED_VALUES))):
            return 0
        matching = sum(count for value, count in counted.items() if pattern.fullmatch(value))
        return matching / sum(counted.values())

    def aggregate(self, selected: str) -> tuple[Any, ...]:
        """What these aggregates, given as SQL, come to over the column."""
        row = self.raw.db.execute(f"SELECT {selected} FROM {self._column}").fetchone()
        assert row is not None
        return row

    def count(self, condition: str) -> int:
        """For how many cells this SQL is true."""
        (count,) = self.aggregate(f"count(*) FILTER ({condition})")
        return int(count)

    def counts(self, *conditions: Callable[[str], str]) -> tuple[int, ...]:
        """Of how many texts each condition, which makes SQL of SQL for a text, is true.

        Where texts repeat, each is looked at once, in a fraction of the time: they are kept in a
        table until `forget`.
        """
        sampled = sum(self.sample.values())
        if len(self.sample) > sampled * DISTINCT_SHARE:
            asked = [f"count(*) FILTER ({each(self.sql)})" for each in conditions]
            return self.aggregate(", ".join(asked))
        if not self._has_distinct:
            self.raw.db.execute(
                f"CREATE TEMP TABLE {DISTINCT_TABLE} AS SELECT v, count(*) AS times"
                f" FROM (SELECT {self.sql} AS v FROM {self._column}) GROUP BY v"
            )
            self._has_distinct = True
        asked = [f"coalesce(sum(times) FILTER ({each('v')}), 0)::BIGINT" for each in conditions]
        row = self.raw.db.execute(f"SELECT {', '.join(asked)} FROM {DISTINCT_TABLE}").fetchone()
        assert row is not None
        return row

    def drop_distinct(self) -> None:
        """Drop what `counts` has kept."""
        if self._has_distinct:
            self.raw.db.execute(f"DROP TABLE {DISTINCT_TABLE}")
            self._has_distinct = False

    def examples(self, condition: str) -> list[str]:
        """Some different cells, as they stand, for which this SQL is true."""
        rows = self.raw.db.execute(
            f"SELECT DISTINCT {self.cells.display} AS v FROM {self._column} WHERE {condition}"
            f" ORDER BY v LIMIT {EXAMPLES}"
        ).fetchall()
        return [value for (value,) in rows]

    def addresses(self, condition: str) -> tuple[str, ...]:
        """Where in the file the first cells are for which this SQL is true."""
        raw, position = self.raw, self.cells.position
        rows = raw.db.execute(
            f"SELECT place FROM {self._column} WHERE {condition} ORDER BY place LIMIT {LISTED}"
        ).fetchall()
        return tuple(
            address(raw.first_row + place, raw.first_column + position) for (place,) in rows
        )
