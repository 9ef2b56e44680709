"""Rows between this program and its children: JSON, column by column, in small parts."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Literal

from qhub_desktop.core.json_values import Json
from qhub_desktop.core.table import Cell

# How the cells of a column travel: dates and times as ISO text, the rest as they are.
Code = Literal["plain", "date", "datetime", "time"]
CODES: tuple[Code, ...] = ("plain", "date", "datetime", "time")

# One part is parsed within 2 ms, so that it never holds up the window's thread.
PART_CELLS = 10_000


def parts(rows: Sequence[tuple[Cell, ...]], width: int) -> Iterator[list[Json]]:
    """The rows in small parts; each part is a list of columns."""
    step = rows_in_a_part(width)
    for start in range(0, len(rows), step):
        yield columns_of(rows[start : start + step])


def rows_in_a_part(width: int) -> int:
    """How many rows of so many columns make one part."""
    return max(1, PART_CELLS // max(1, width))


def columns_of(rows: Sequence[tuple[Cell, ...]]) -> list[Json]:
    """One part, ready to send. Not-a-number is nothing."""
    return [[_out(cell) for cell in column] for column in zip(*rows, strict=True)]


def rows_of(columns: Sequence[Json], codes: Sequence[Code]) -> list[tuple[Cell, ...]]:
    """The rows of one part. Raises ValueError or TypeError for anything else."""
    if len(columns) != len(codes):
        raise ValueError("another number of columns was promised")
    cells = [_in(column, code) for column, code in zip(columns, codes, strict=True)]
    return list(zip(*cells, strict=True))


def _out(cell: Cell) -> Json:
    match cell:
        case date() | time():
            return cell.isoformat()
        case float() if cell != cell:  # not-a-number alone differs from itself
            return None
        case _:
            return cell


def _in(column: Json, code: Code) -> list[Cell]:
    if not isinstance(column, list):
        raise TypeError("a column was expected")
    match code:
        case "plain":
            return [_scalar(cell) for cell in column]
        case "date":
            return [_moment(date, cell) for cell in column]
        case "datetime":
            return [_moment(datetime, cell) for cell in column]
        case "time":
            return [_moment(time, cell) for cell in column]


def _scalar(cell: Json) -> Cell:
    if isinstance(cell, (list, dict)):
        raise TypeError("a cell was expected")
    return cell


def _moment(
    kind: type[date] | type[datetime] | type[time], cell: Json
) -> date | datetime | time | None:
    if cell is None:
        return None
    if not isinstance(cell, str):
        raise TypeError("a moment in ISO form was expected")
    return kind.fromisoformat(cell)
