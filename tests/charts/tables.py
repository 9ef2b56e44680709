"""Small tables to draw, and their marks by kind."""

from typing import TypeVar

from qhub_desktop.core.figure import Figure
from qhub_desktop.core.table import Cell, Column, ColumnType, Table

Kind = TypeVar("Kind")


def table(types: dict[str, ColumnType], *rows: tuple[Cell, ...]) -> Table:
    """Columns by name and type, and rows."""
    return Table(tuple(Column(name, kind) for name, kind in types.items()), rows)


def marks(figure: Figure, kind: type[Kind]) -> list[Kind]:
    """The figure's marks of one kind."""
    return [mark for mark in figure.marks if isinstance(mark, kind)]
