"""Numbers of nines that stand for a missing value, as weather stations and loggers write them.

-999 among temperatures is no temperature, and every mean of the column is wrong with it. It is
told, not taken out: what it means is known to whoever made the file.
"""

import re
from collections.abc import Iterator, Sequence

from duckdb import DuckDBPyConnection

from qhub_desktop.core.dataset import ColumnProfile, Finding
from qhub_desktop.core.table import Cell, is_numeric, quoted
from qhub_desktop.core.text import ngettext, number

_NINES = re.compile(r"-?9{2,}(\.9+)?|-?9{3,}(\.0+)?")
LEAST_OF_POSITIVE = 2  # one great number may be one


def told_in(
    db: DuckDBPyConnection, relation: str, columns: Sequence[ColumnProfile]
) -> Iterator[Finding]:
    """Yield a finding for each column with such a number, far from all its others."""
    for column in columns:
        if is_numeric(column.type):
            for value in dict.fromkeys((column.min, column.max)):
                if _is_of_nines(value):
                    yield from _told(db, relation, column.name, value)


def _is_of_nines(value: Cell) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) >= 99.9 and bool(_NINES.fullmatch(str(value)))  # type: ignore[arg-type]


def _told(db: DuckDBPyConnection, relation: str, name: str, value: Cell) -> Iterator[Finding]:
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
