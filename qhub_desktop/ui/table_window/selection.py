"""What is selected in the grid, as parts of a view: to be summed up, and to be copied."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QItemSelection

from qhub_desktop.data.paging import Area


def areas(chosen: QItemSelection, names: Sequence[str]) -> tuple[Area, ...]:
    """The rectangles of a selection; hidden columns are in it as far as they were selected."""
    return tuple(
        Area(
            each.top(),
            each.bottom() - each.top() + 1,
            tuple(names[at] for at in range(each.left(), each.right() + 1)),
        )
        for each in (chosen.at(at) for at in range(chosen.count()))
    )


def cells_of(parts: Sequence[Area]) -> int:
    """How many cells these are."""
    return sum(each.count * len(each.columns) for each in parts)


@dataclass(frozen=True, slots=True)
class Band:
    """Neighbouring rows of which the same columns are selected, by their positions."""

    start: int
    count: int
    columns: frozenset[int]


def bands(chosen: QItemSelection) -> tuple[Band, ...]:
    """A selection from top to bottom, each row once."""
    pieces = [chosen.at(at) for at in range(chosen.count())]
    edges = sorted({edge for each in pieces for edge in (each.top(), each.bottom() + 1)})
    found = []
    for start, end in pairwise(edges):
        columns = frozenset(
            column
            for each in pieces
            if each.top() <= start and end <= each.bottom() + 1
            for column in range(each.left(), each.right() + 1)
        )
        if columns:
            found.append(Band(start, end - start, columns))
    return tuple(found)
