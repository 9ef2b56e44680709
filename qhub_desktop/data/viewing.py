"""Rows of a data set by their position in a view of it, as SQL.

An order of a million rows is made once and kept as a table of row numbers, so that every part of
it is read by position, however far down.
"""

from dataclasses import dataclass, field
from typing import Any

import duckdb

from qhub_desktop.data.columns import quoted
from qhub_desktop.data.views import View, condition, holds

ORDERS = 6  # kept of each table: eight bytes a row
# Names that no column has, for a column may be called rowid.
ROW, AT, VALUE = (quoted(f"qhub {each}") for each in ("row", "at", "value"))


@dataclass(slots=True)
class ViewedTable:
    """One open data set, each row with its number in `ROW`, from 0.

    It keeps tables of its own by what they are for, with their lengths.
    """

    db: duckdb.DuckDBPyConnection
    source: str
    columns: dict[str, str]
    rows: int
    _kept: dict[object, tuple[str, int]] = field(default_factory=dict)
    _made: int = 0

    @classmethod
    def of(cls, db: duckdb.DuckDBPyConnection, rows: str) -> "ViewedTable":
        """The table that is called `rows` in this database."""
        described = db.execute(f"DESCRIBE FROM {rows}").fetchall()
        columns = {name: sql_type for name, sql_type, *_more in described}
        number = "rowid"
        if any(name.casefold() == "rowid" for name in columns):
            number = "row_number() OVER () - 1"
        source = f"(SELECT {number} AS {ROW}, * FROM {rows})"
        (count,) = one_row(db, f"SELECT count(*) FROM {rows}")
        return cls(db, source, columns, int(count))

    def part(self, view: View, start: int, count: int) -> tuple[str, int]:
        """The rows at these positions of a view, each with its position in `AT`.

        The second is how many the view has in all.
        """
        between = f"BETWEEN {start} AND {start + count - 1}"
        if view.is_plain:
            return f"(SELECT {ROW} AS {AT}, * FROM {self.source} WHERE {ROW} {between})", self.rows
        order, total = self._order(view)
        return (
            f"(SELECT ours.rowid AS {AT}, theirs.* FROM {order} AS ours"
            f" JOIN {self.source} AS theirs ON ours.{VALUE} = theirs.{ROW}"
            f" WHERE ours.rowid {between})"
        ), total

    def count(self, view: View) -> int:
        """How many rows a view has."""
        _rows, total = self.part(view, 0, 0)
        return total

    def where(self, view: View, *more: str) -> str:
        """The conditions of a view, and more of them, as the end of a SELECT over `source`."""
        parts = [condition(each, self.columns[each.column]) for each in view.filters]
        if view.find.strip():
            parts.append(self.any_holds(view.find))
        parts.extend(more)
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def any_holds(self, words: str) -> str:
        """That a cell of the row holds the words."""
        parts = [holds(name, sql_type, words) for name, sql_type in self.columns.items()]
        # coalesce: an empty cell holds nothing, and says nothing of its neighbours.
        return f"({' OR '.join(f'coalesce({part}, false)' for part in parts if part) or 'false'})"

    def kept(self, key: object, sql: str) -> tuple[str, int]:
        """A table by what it is for, made if it is not there, and its length."""
        if (known := self._kept.pop(key, None)) is None:
            while len(self._kept) >= ORDERS:
                oldest, _length = self._kept.pop(next(iter(self._kept)))
                self.db.execute(f"DROP TABLE {oldest}")
            self._made += 1
            name = quoted(f"qhub order {self._made}")
            self.db.execute(f"CREATE TEMP TABLE {name} AS {sql}")
            (length,) = one_row(self.db, f"SELECT count(*) FROM {name}")
            known = name, int(length)
        self._kept[key] = known
        return known

    def _order(self, view: View) -> tuple[str, int]:
        """The table of the row numbers of a view."""
        keys = [self._key(name, direction) for name, direction in view.sort]
        ordered = f" ORDER BY {', '.join([*keys, ROW])}" if keys else ""
        return self.kept(
            view, f"SELECT {ROW} AS {VALUE} FROM {self.source}{self.where(view)}{ordered}"
        )

    def _key(self, name: str, direction: str) -> str:
        column = quoted(name)
        if self.columns[name] == "VARCHAR":
            column = f"strip_accents(lower({column}))"
        # What is missing is neither small nor large: it stays at the end.
        return f"{column} {'DESC' if direction == 'down' else 'ASC'} NULLS LAST"


def one_row(db: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    """The first row of what a SELECT gives."""
    row = db.execute(sql).fetchone()
    assert row is not None
    return row
