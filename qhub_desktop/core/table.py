"""Tables: small results in memory, with the type of each column, and names and values in SQL."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Literal, overload

from typing_extensions import override

from qhub_desktop.core.values import dataclass

ColumnType = Literal["integer", "number", "text", "category", "date", "datetime", "time", "boolean"]
Cell = str | int | float | bool | date | datetime | time | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name as the person knows it, and what its cells are."""

    name: str
    type: ColumnType


TableRow = tuple[Cell, ...]


class ColumnRows(Sequence[TableRow]):
    """Rows of columns as long as each other, each row made when it is asked for.

    A hundred thousand tuples would be made for a table that nobody opens, and the collector of
    garbage look through them all, on the thread of the window.
    """

    def __init__(self, *columns: Sequence[Cell]) -> None:
        if len(set(map(len, columns))) > 1:
            raise ValueError("columns of different lengths")
        self._columns = columns

    @override
    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, place: int) -> TableRow: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[TableRow, ...]: ...

    @override
    def __getitem__(self, place: int | slice) -> TableRow | tuple[TableRow, ...]:
        if isinstance(place, slice):
            return tuple(zip(*(each[place] for each in self._columns), strict=True))
        return tuple(each[place] for each in self._columns)

    @override
    def __iter__(self) -> Iterator[TableRow]:
        return zip(*self._columns, strict=True)

    @override
    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, ColumnRows) else other)

    @override
    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows; every row has one cell a column, `None` where nothing was known."""

    columns: tuple[Column, ...]
    rows: Sequence[TableRow]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(column.name for column in self.columns)

    def cells(self, name: str) -> Iterator[Cell]:
        """Yield one column's cells, top to bottom. Raises KeyError for an unknown name."""
        position = position_of(self.names, name)
        return (row[position] for row in self.rows)

    def of(self, names: Sequence[str]) -> "Table":
        """Return a table of these columns alone. Raises KeyError for an unknown name."""
        places = [position_of(self.names, name) for name in names]
        return Table(
            tuple(self.columns[at] for at in places),
            tuple(tuple(row[at] for at in places) for row in self.rows),
        )

    def column(self, name: str) -> Column:
        """Return one column. Raises KeyError for an unknown name."""
        return self.columns[position_of(self.names, name)]


def position_of(names: Sequence[str], name: str) -> int:
    """Return a column's index. Raises KeyError for an unknown name."""
    try:
        return names.index(name)
    except ValueError:
        raise KeyError(name) from None


def is_numeric(type_: ColumnType) -> bool:
    """Return whether arithmetic on such a column means something."""
    return type_ in ("integer", "number")


def quoted(name: str) -> str:
    """Quote a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(value: str | float) -> str:
    """Write a value as SQL: a quoted string, TRUE or FALSE, an integer or a float."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
