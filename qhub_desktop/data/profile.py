"""Profile of a stored table: statistics of every column, over every row."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import duckdb

from qhub_desktop.core.dataset import ColumnProfile, Finding
from qhub_desktop.core.table import Cell, Column, ColumnType, Table, is_numeric, quoted
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import CATEGORIES, select_column, select_value
from qhub_desktop.data.value_counts import (
    COLUMNS_AT_ONCE,
    FEW_ROWS,
    SHOWN_CHARACTERS,
    CountTarget,
    count_columns,
    shorten,
    side_by_side,
)

PREVIEW_ROWS = 50
SCANNED_AT_ONCE = 100  # columns; the time to plan a statement grows faster than their number
FIGURES = 8  # that the first scan computes for each column
NOTHING: tuple[Any, ...] = (0,) * FIGURES  # the figures of a table without rows
LONG_BYTES = 1_000  # longer texts are compared by their beginning and digest
# Integer types whose sum is exact; that of wider ones may overflow.
SUMMED = {"BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UBIGINT", "UINTEGER"}


@dataclass(frozen=True, slots=True)
class TableSummary:
    """Summary of a stored table as a whole; `doubtful` are its columns' missing codes."""

    columns: tuple[ColumnProfile, ...]
    preview: Table
    duplicate_rows: int
    doubtful: tuple[Finding, ...]


def summarize(db: duckdb.DuckDBPyConnection, relation: str) -> TableSummary:
    """Compute the profile of every column of a relation, its preview and its repeated rows."""
    columns = profile_columns(db, relation)
    return TableSummary(
        columns,
        preview(db, relation, columns),
        duplicate_rows(db, relation, columns),
        tuple(missing_codes(db, relation, columns)),
    )


def profile_columns(db: duckdb.DuckDBPyConnection, relation: str) -> tuple[ColumnProfile, ...]:
    """Compute the profile of every column of a relation, which is given as SQL."""
    rows = _row_count(db, relation)
    sources = _sources(db, relation)
    profiles: dict[str, ColumnProfile] = {}
    targets: list[CountTarget] = []
    look = _scan_few_rows if rows <= FEW_ROWS else _scan_many_rows
    for source, found in look(db, relation, sources):
        profiles[source.name] = _basic_profile(source, found, rows=rows)
        if found[0] and source.type != "boolean":
            targets.append(_count_target(source, found))
    for name, counts in count_columns(db, relation, targets, rows=rows).items():
        profile = profiles[name]
        is_counted_by = bool(counts.top) and is_category(counts.distinct, rows=rows)
        profiles[name] = replace(
            profile,
            type="category" if is_counted_by else profile.type,
            distinct=counts.distinct,
            top=counts.top,
            quartiles=counts.quartiles,
            histogram=counts.histogram,
            outliers=counts.outliers,
            values=counts.values,
        )
    return tuple(profiles[source.name] for source in sources)


def preview(
    db: duckdb.DuckDBPyConnection, relation: str, columns: tuple[ColumnProfile, ...]
) -> Table:
    """Return the first rows, long texts shortened."""
    read = ", ".join(
        select_column(source.name, source.sql_type)[0] for source in _sources(db, relation)
    )
    rows = db.execute(f"SELECT {read} FROM {relation} LIMIT {PREVIEW_ROWS}").fetchall()
    return Table(
        tuple(Column(column.name, column.type) for column in columns),
        tuple(tuple(map(_preview_cell, row)) for row in rows),
    )


def duplicate_rows(
    db: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[ColumnProfile] = ()
) -> int:
    """Count rows that repeat an earlier one in every cell; a key among `columns` settles it."""
    rows = _row_count(db, relation)
    if any(column.distinct == rows for column in columns):
        return 0
    names = ", ".join(quoted(source.name) for source in _sources(db, relation))
    (different,) = _one_row(db, f"SELECT count(DISTINCT hash({names})) FROM {relation}")
    if different == rows:
        return 0
    # Rows that share a hash are compared whole: among very many, different rows may collide.
    (repeated,) = _one_row(
        db,
        "SELECT coalesce(sum(times - 1), 0)::BIGINT FROM"
        f" (SELECT count(*) AS times FROM {relation} WHERE hash({names}) IN"
        f" (SELECT hash({names}) FROM {relation} GROUP BY hash({names}) HAVING count(*) > 1)"
        f" GROUP BY {names})",
    )
    return int(repeated)


def is_category(distinct: int, *, rows: int) -> bool:
    """Return whether texts repeat often enough to be categories."""
    return 0 < distinct <= CATEGORIES and distinct * 2 <= rows


@dataclass(frozen=True, slots=True)
class _SourceColumn:
    """Column as the database describes it, with the SQL that reads it."""

    name: str
    sql_type: str

    @property
    def type(self) -> ColumnType:
        """Type of its cells, before repeated texts are recognised as categories."""
        return select_value("", self.sql_type)[1]

    @property
    def value(self) -> str:
        """SQL of its values: intervals stay comparable."""
        if self.sql_type == "INTERVAL":
            return quoted(self.name)
        return select_column(self.name, self.sql_type)[0]

    @property
    def amount(self) -> str | None:
        """Template of SQL that turns a value into a number; None for texts and booleans."""
        match self.type:
            case "integer" | "number":
                return "({})::DOUBLE"
            case "date":
                return "({} - DATE '1970-01-01')::DOUBLE"
            case "datetime" | "time":
                return "epoch({})"
            case _ if self.sql_type == "INTERVAL":
                return "(epoch_us({}) / 1000000)"
            case _:
                return None

    def aggregate_sql(self, value: str, *, about: str) -> list[str]:
        """Return the aggregates of the first scan for a value of this type, always FIGURES."""
        amount = self.amount
        asked = [f"count({value})", about.format(value)]
        if amount is not None:
            ends = f"min({value})", f"max({value})"
            asked += [select_value(end, self.sql_type)[0] for end in ends]
            asked += [amount.format(end) for end in ends]
            if is_numeric(self.type):
                number = amount.format(value)
                asked.append(f"avg({value if self.sql_type in SUMMED else number})")
                asked.append(f"stddev_samp({number})")
        elif self.type == "boolean":
            asked.append(f"count_if({value})")
        else:
            asked.append(f"max(strlen({value}))")
        return [*asked, *["NULL"] * (FIGURES - len(asked))]


Scan = Iterator[tuple[_SourceColumn, Sequence[Any]]]


def _scan_many_rows(
    db: duckdb.DuckDBPyConnection, relation: str, sources: Sequence[_SourceColumn]
) -> Scan:
    """Scan long columns, many in one statement."""
    for start in range(0, len(sources), SCANNED_AT_ONCE):
        batch = sources[start : start + SCANNED_AT_ONCE]
        asked = [
            each
            # The estimate only decides how values are counted, so the database's own is enough: a
            # pass by approx_count_distinct tells nothing more that is needed.
            for source, about in zip(batch, _estimates(db, relation, batch), strict=True)
            for each in source.aggregate_sql(source.value, about=about)
        ]
        figures = _one_row(db, f"SELECT {', '.join(asked)} FROM {relation}")
        for place, source in enumerate(batch):
            yield source, figures[place * FIGURES : (place + 1) * FIGURES]


def _estimates(
    db: duckdb.DuckDBPyConnection, relation: str, sources: Sequence[_SourceColumn]
) -> list[str]:
    """Return templates of SQL for how many different values each column has, about.

    Of a table the database has an estimate since it was stored, which costs no look at its rows; it
    only decides in which way values are counted.
    """
    stored = ", ".join(f"stats({quoted(source.name)})" for source in sources)
    row = db.execute(f"SELECT {stored} FROM {relation} LIMIT 1").fetchone() or ()
    known = [each.get("approx_unique") if isinstance(each, dict) else None for each in row]
    return [
        "approx_count_distinct({})" if number is None else str(int(number))
        for number in (known or [None] * len(sources))
    ]


def _scan_few_rows(
    db: duckdb.DuckDBPyConnection, relation: str, sources: Sequence[_SourceColumn]
) -> Scan:
    """Scan short columns, unnested into one by type: planning each would dominate."""
    sources = sorted(sources, key=lambda source: source.sql_type)
    for _sql_type, group in groupby(sources, lambda source: source.sql_type):
        same = list(group)
        asked = ", ".join(same[0].aggregate_sql("value", about="0"))
        for start in range(0, len(same), COLUMNS_AT_ONCE):
            batch = same[start : start + COLUMNS_AT_ONCE]
            figures = db.execute(
                f"SELECT {asked} FROM {side_by_side(relation, [each.value for each in batch])}"
                " GROUP BY place ORDER BY place"
            ).fetchall()
            yield from zip(batch, figures or [NOTHING] * len(batch), strict=True)


def _basic_profile(source: _SourceColumn, found: Sequence[Any], *, rows: int) -> ColumnProfile:
    """Build the part of a profile that needs no counts of values."""
    present = found[0]
    profile = ColumnProfile(source.name, source.type, rows - present, 0)
    if not present:
        return profile
    if source.type == "boolean":
        counts = [(False, present - found[2]), (True, found[2])]
        top = tuple(sorted((each for each in counts if each[1]), key=lambda each: -each[1]))
        return replace(profile, distinct=len(top), top=top)
    if source.amount is None:
        return profile
    _present, _about, lowest, highest, _lower, _upper, mean, std = found
    return replace(profile, min=lowest, max=highest, mean=_finite(mean), std=_finite(std))


def _count_target(source: _SourceColumn, found: Sequence[Any]) -> CountTarget:
    """Describe the column to `count_columns`."""
    present, about, lowest, highest, lower, upper, *_more = found
    if source.amount is None:
        value = source.value
        if lowest > LONG_BYTES:  # for texts this is the greatest length
            # The digest covers what is cut off, so distinct texts stay distinct.
            value = (
                f"CASE WHEN strlen({value}) > {LONG_BYTES}"
                f" THEN left({value}, {SHOWN_CHARACTERS}) || md5({value}) ELSE {value} END"
            )
        return CountTarget(source.name, source.sql_type, value, present, about)
    return CountTarget(
        source.name,
        source.sql_type,
        source.value,
        present,
        about,
        amount=source.amount,
        lower=math.nan if lower is None else lower,
        upper=math.nan if upper is None else upper,
        span=(lowest, highest) if source.sql_type in SUMMED else None,
        has_quartiles=is_numeric(source.type),
    )


def _sources(db: duckdb.DuckDBPyConnection, relation: str) -> list[_SourceColumn]:
    described = db.execute(f"DESCRIBE FROM {relation}").fetchall()
    return [_SourceColumn(name, sql_type) for name, sql_type, *_more in described]


def _row_count(db: duckdb.DuckDBPyConnection, relation: str) -> int:
    return int(_one_row(db, f"SELECT count(*) FROM {relation}")[0])


def _one_row(db: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = db.execute(sql).fetchone()
    assert row is not None
    return row


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None


def _preview_cell(cell: Cell) -> Cell:
    match cell:
        case str():
            return shorten(cell)
        case float() if math.isnan(cell):
            return None
        case _:
            return cell


# Numbers that stand for a missing value, as weather stations and loggers write them.
_NINES = re.compile(r"-?9{2,}(\.9+)?|-?9{3,}(\.0+)?")
LEAST_OF_POSITIVE = 2  # one great number may be one


def missing_codes(
    db: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[ColumnProfile]
) -> Iterator[Finding]:
    """Yield a finding for each column with a number of nines, far from all its others.

    -999 among temperatures is no temperature, and every mean of the column is wrong with it. It is
    told, not taken out: what it means is known to whoever made the file.
    """
    for column in columns:
        if is_numeric(column.type):
            for value in dict.fromkeys((column.min, column.max)):
                if _is_of_nines(value):
                    yield from _missing_code(db, relation, column.name, value)


def _is_of_nines(value: Cell) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) >= 99.9 and bool(_NINES.fullmatch(str(value)))  # type: ignore[arg-type]


def _missing_code(
    db: duckdb.DuckDBPyConnection, relation: str, name: str, value: Cell
) -> Iterator[Finding]:
    column = quoted(name)
    count, low, high = db.execute(
        f"""SELECT count(*) FILTER ({column} = $1), min({column}) FILTER ({column} <> $1),
            max({column}) FILTER ({column} <> $1) FROM {relation}""",
        [value],
    ).fetchone() or (0, None, None)
    assert isinstance(value, int | float)
    if low is None or (value > 0 and count < LEAST_OF_POSITIVE):
        return
    gap = low - value if value < low else value - high
    if gap <= 2 * (high - low):
        return
    yield Finding(
        "missing_code",
        ngettext(
            "Column {name}: {value} stands in {count} cell, far from all others (from {low} to"
            " {high}). If it means 'not measured', ask without it or take it out of the file: it"
            " counts as a number here.",
            "Column {name}: {value} stands in {count} cells, far from all others (from {low} to"
            " {high}). If it means 'not measured', ask without it or take it out of the file: it"
            " counts as a number here.",
            count,
        ).format(
            name=name,
            value=number(float(value)),
            count=number(count, digits=0),
            low=number(float(low)),
            high=number(float(high)),
        ),
    )
