"""What a stored table holds, column by column and over every row."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import duckdb

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.sql_text import quoted
from qhub_desktop.core.table import Cell, Column, ColumnType, Table, is_numeric
from qhub_desktop.data.columns import CATEGORIES, readable, shown
from qhub_desktop.data.value_counts import (
    COLUMNS_AT_ONCE,
    FEW_ROWS,
    SHOWN_CHARACTERS,
    Subject,
    shortened,
    side_by_side,
    tallies,
)

PREVIEW_ROWS = 50
LOOKED_AT_ONCE = 100  # columns; planning a statement grows faster than their number
FIGURES = 8  # that the first look asks of each column
NOTHING: tuple[Any, ...] = (0,) * FIGURES  # what it is told of a table without rows
LONG_BYTES = 1_000  # above this, texts are told apart by how they begin and by their digest
# Whole numbers whose sum is exact; that of longer ones might not fit.
SUMMED = {"BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UBIGINT", "UINTEGER"}
FLOATING = {"DOUBLE", "FLOAT"}


def profile_columns(db: duckdb.DuckDBPyConnection, relation: str) -> tuple[ColumnProfile, ...]:
    """Every column of a relation, which is given as SQL."""
    rows = _rows(db, relation)
    sources = _sources(db, relation)
    profiles: dict[str, ColumnProfile] = {}
    subjects: list[Subject] = []
    look = _few_rows if rows <= FEW_ROWS else _many_rows
    for source, found in look(db, relation, sources):
        profiles[source.name] = _first_look(source, found, rows=rows)
        if found[0] and source.type != "boolean":
            subjects.append(_subject(source, found))
    for name, tally in tallies(db, relation, subjects, rows=rows).items():
        profile = profiles[name]
        is_counted_by = bool(tally.top) and is_category(tally.distinct, rows=rows)
        profiles[name] = replace(
            profile,
            type="category" if is_counted_by else profile.type,
            distinct=tally.distinct,
            top=tally.top,
            quartiles=tally.quartiles,
            histogram=tally.histogram,
            outliers=tally.outliers,
        )
    return tuple(profiles[source.name] for source in sources)


def preview(
    db: duckdb.DuckDBPyConnection, relation: str, columns: tuple[ColumnProfile, ...]
) -> Table:
    """The first rows, long texts cut."""
    read = ", ".join(readable(source.name, source.sql_type)[0] for source in _sources(db, relation))
    rows = db.execute(f"SELECT {read} FROM {relation} LIMIT {PREVIEW_ROWS}").fetchall()
    return Table(
        tuple(Column(column.name, column.type) for column in columns),
        tuple(tuple(map(_shown, row)) for row in rows),
    )


def duplicate_rows(
    db: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[ColumnProfile] = ()
) -> int:
    """How many rows repeat an earlier one, cell for cell. Known columns may settle it at once."""
    rows = _rows(db, relation)
    if any(column.distinct == rows for column in columns):
        return 0
    names = ", ".join(quoted(source.name) for source in _sources(db, relation))
    (different,) = _one(db, f"SELECT count(DISTINCT hash({names})) FROM {relation}")
    if different == rows:
        return 0
    # Rows whose hash is shared are compared whole: among very many, different ones may share it.
    (repeated,) = _one(
        db,
        "SELECT coalesce(sum(times - 1), 0)::BIGINT FROM"
        f" (SELECT count(*) AS times FROM {relation} WHERE hash({names}) IN"
        f" (SELECT hash({names}) FROM {relation} GROUP BY hash({names}) HAVING count(*) > 1)"
        f" GROUP BY {names})",
    )
    return int(repeated)


def is_category(distinct: int, *, rows: int) -> bool:
    """Whether texts repeat enough to be counted by."""
    return 0 < distinct <= CATEGORIES and distinct * 2 <= rows


@dataclass(frozen=True, slots=True)
class _Source:
    """A column as the database describes it, and how it is read."""

    name: str
    sql_type: str

    @property
    def type(self) -> ColumnType:
        """What its cells are to us, before it is known how often they repeat."""
        return shown("", self.sql_type)[1]

    @property
    def value(self) -> str:
        """Its values: not-a-number is nothing, and durations can still be compared."""
        column = quoted(self.name)
        if self.sql_type == "INTERVAL":
            return column
        read = readable(self.name, self.sql_type)[0]
        return f"nullif({read}, 'nan'::DOUBLE)" if self.sql_type in FLOATING else read

    @property
    def amount(self) -> str | None:
        """What makes a number of a value, where that means something."""
        match self.type:
            case "integer" | "number":
                return "({})::DOUBLE"
            case "date":
                return "({} - DATE '1970-01-01')::DOUBLE"
            case "datetime":
                return "epoch({})"
            case _ if self.sql_type == "TIME":
                return "epoch({})"
            case _ if self.sql_type == "INTERVAL":
                return "(epoch_us({}) / 1000000)"
            case _:
                return None

    def asked(self, value: str, *, about: str) -> list[str]:
        """What the first look asks of a value of this type, always as many figures."""
        amount = self.amount
        asked = [f"count({value})", about.format(value)]
        if amount is not None:
            ends = f"min({value})", f"max({value})"
            asked += [shown(end, self.sql_type)[0] for end in ends]
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


Looked = Iterator[tuple[_Source, Sequence[Any]]]


def _many_rows(db: duckdb.DuckDBPyConnection, relation: str, sources: Sequence[_Source]) -> Looked:
    """The first look at columns that are long."""
    for start in range(0, len(sources), LOOKED_AT_ONCE):
        batch = sources[start : start + LOOKED_AT_ONCE]
        asked = [
            each
            for source in batch
            for each in source.asked(source.value, about="approx_count_distinct({})")
        ]
        figures = _one(db, f"SELECT {', '.join(asked)} FROM {relation}")
        for place, source in enumerate(batch):
            yield source, figures[place * FIGURES : (place + 1) * FIGURES]


def _few_rows(db: duckdb.DuckDBPyConnection, relation: str, sources: Sequence[_Source]) -> Looked:
    """The first look at columns that may be very many: planning it is then most of the work."""
    sources = sorted(sources, key=lambda source: source.sql_type)
    for _sql_type, group in groupby(sources, lambda source: source.sql_type):
        same = list(group)
        asked = ", ".join(same[0].asked("value", about="0"))
        for start in range(0, len(same), COLUMNS_AT_ONCE):
            batch = same[start : start + COLUMNS_AT_ONCE]
            figures = db.execute(
                f"SELECT {asked} FROM {side_by_side(relation, [each.value for each in batch])}"
                " GROUP BY place ORDER BY place"
            ).fetchall()
            yield from zip(batch, figures or [NOTHING] * len(batch), strict=True)


def _first_look(source: _Source, found: Sequence[Any], *, rows: int) -> ColumnProfile:
    """What needs no counting."""
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


def _subject(source: _Source, found: Sequence[Any]) -> Subject:
    """What is to be counted."""
    present, about, lowest, highest, lower, upper, *_more = found
    if source.amount is None:
        value = source.value
        if lowest > LONG_BYTES:  # of a text, the longest is asked
            # What is cut off is in the digest, so that no two texts become one.
            value = (
                f"CASE WHEN strlen({value}) > {LONG_BYTES}"
                f" THEN left({value}, {SHOWN_CHARACTERS}) || md5({value}) ELSE {value} END"
            )
        return Subject(source.name, source.sql_type, value, present, about)
    return Subject(
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


def _sources(db: duckdb.DuckDBPyConnection, relation: str) -> list[_Source]:
    described = db.execute(f"DESCRIBE FROM {relation}").fetchall()
    return [_Source(name, sql_type) for name, sql_type, *_more in described]


def _rows(db: duckdb.DuckDBPyConnection, relation: str) -> int:
    return int(_one(db, f"SELECT count(*) FROM {relation}")[0])


def _one(db: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = db.execute(sql).fetchone()
    assert row is not None
    return row


def _finite(figure: float | None) -> float | None:
    return figure if figure is not None and math.isfinite(figure) else None


def _shown(cell: Cell) -> Cell:
    match cell:
        case str():
            return shortened(cell)
        case float() if math.isnan(cell):
            return None
        case _:
            return cell
