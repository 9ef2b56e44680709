"""Concentration of defects: counts of a place by another (rack x position), and what stands out.

Sources: the defect concentration diagram of Montgomery, Introduction to Statistical Quality
Control; adjusted residuals after Haberman (1973); each cell judged by Fisher's exact test against
the rest, on as many looks as there are cells (Bonferroni).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.exact_counts import binomial_p, hypergeometric_p
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import ALPHA, p_text
from qhub_desktop.quality.proportion_tests import chi_square

_FEW_A_CELL = 5
_WORTH_A_LOOK = 2.0  # a residual below it never stands out among several cells


@dataclass(frozen=True, slots=True)
class Hotspot:
    """A row, a column or a cell (None for what it spans) with more or fewer than expected.

    `p` is already corrected for the number of looks.
    """

    row: int | None
    column: int | None
    count: int
    expected: float
    p: float


@dataclass(frozen=True, slots=True)
class ConcentrationMap:
    """Counts by row and column; the arrays have the shape rows x columns.

    `expected` and `adjusted_residuals` are those of independence: what a cell has beside what its
    row and its column have anyway. `cells` stand out so; `rows_apart` and `columns_apart` against
    an equal share each. Each the likeliest first. `p` is chi-square's, for the whole map.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Floats
    expected: Floats
    adjusted_residuals: Floats
    p: float
    cells: tuple[Hotspot, ...]
    rows_apart: tuple[Hotspot, ...]
    columns_apart: tuple[Hotspot, ...]
    conclusion: str
    doubts: tuple[Doubt, ...]


def count_places(
    rows: Sequence[object], columns: Sequence[object]
) -> tuple[Floats, tuple[str, ...], tuple[str, ...], int]:
    """Count pairs of places, one of each for every defect.

    Returns the counts, the names of rows and columns ('P2' before 'P10'), and how many
    pairs lack one of the two (None, empty, not a number). Raises NotComputableError ("lengths",
    "empty").
    """
    if len(rows) != len(columns):
        raise NotComputableError(
            "lengths", _("Each defect needs both of its places. Fill the missing cells.")
        )
    named = [(_label(row), _label(column)) for row, column in zip(rows, columns, strict=True)]
    pairs = Counter(pair for pair in named if all(pair))
    if not pairs:
        raise NotComputableError("empty", _("There is nothing to count. Choose other rows."))
    down = sorted({row for row, _column in pairs}, key=_order)
    across = sorted({column for _row, column in pairs}, key=_order)
    counts = np.array([[float(pairs[row, column]) for column in across] for row in down])
    return counts, tuple(down), tuple(across), len(named) - pairs.total()


def concentration(
    counts: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    missing: int = 0,
    alpha: float = ALPHA,
) -> ConcentrationMap:
    """Say where in a table of counts (rows x columns) defects concentrate.

    `missing` is how many defects have no place, to be told. Raises NotComputableError ("lengths",
    "bad_counts", "table", "empty_group").
    """
    test = chi_square(counts, rows=rows, columns=columns, alpha=alpha)
    table = test.observed
    cells = _cells_apart(table, test.expected, test.adjusted_residuals, alpha)
    rows_apart = tuple(
        Hotspot(place, None, count, expected, p)
        for place, count, expected, p in _shares_apart(table.sum(axis=1), alpha)
    )
    columns_apart = tuple(
        Hotspot(None, place, count, expected, p)
        for place, count, expected, p in _shares_apart(table.sum(axis=0), alpha)
    )
    return ConcentrationMap(
        rows=tuple(rows),
        columns=tuple(columns),
        counts=table,
        expected=test.expected,
        adjusted_residuals=test.adjusted_residuals,
        p=test.p,
        cells=cells,
        rows_apart=rows_apart,
        columns_apart=columns_apart,
        conclusion=_conclusion(rows, columns, (*cells, *rows_apart, *columns_apart)),
        doubts=_doubts(table, missing),
    )


def _label(value: object) -> str:
    """Return a place's name; an empty one where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _order(name: str) -> list[tuple[bool, int, str]]:
    """Return a sort key that puts numbers before words, and 'P2' before 'P10'."""
    parts = [part for part in re.split(r"(\d+)", name) if part]
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _cells_apart(
    table: Floats, expected: Floats, residuals: Floats, alpha: float
) -> tuple[Hotspot, ...]:
    total, looks = table.sum(), table.size
    across, down = table.sum(axis=1), table.sum(axis=0)
    found = []
    for row, column in np.argwhere(np.abs(residuals) > _WORTH_A_LOOK).tolist():
        count = table[row, column]
        beside, below = across[row] - count, down[column] - count
        rest = total - count - beside - below
        p = min(1.0, looks * hypergeometric_p(np.array([[count, beside], [below, rest]])))
        if p < alpha:
            found.append(Hotspot(row, column, int(count), float(expected[row, column]), p))
    return tuple(sorted(found, key=lambda spot: spot.p))


def _shares_apart(counts: Floats, alpha: float) -> list[tuple[int, int, float, float]]:
    """Return places whose count departs from an equal share: place, count, expected, p."""
    total, looks = int(counts.sum()), len(counts)
    found = []
    for place, count in enumerate(counts.tolist()):
        p = min(1.0, looks * binomial_p(int(count), total, 1 / looks))
        if p < alpha:
            found.append((place, int(count), total / looks, p))
    return sorted(found, key=lambda item: item[3])


def _conclusion(rows: Sequence[str], columns: Sequence[str], spots: Sequence[Hotspot]) -> str:
    """Name the first place with more than expected: a cell, else a row, else a column."""
    for spot in spots:
        if spot.count <= spot.expected:
            continue
        names = (
            rows[spot.row] if spot.row is not None else "",
            columns[spot.column] if spot.column is not None else "",
        )
        return _(
            "Defects concentrate at {place}: {count}, where {expected} would be expected ({p})."
            " Look there first."
        ).format(
            place=" x ".join(name for name in names if name),
            count=number(spot.count),
            expected=number(spot.expected, digits=1),
            p=p_text(spot.p),
        )
    return _("No place has more defects than chance explains: do not look for a cause by place.")


def _doubts(table: Floats, missing: int) -> tuple[Doubt, ...]:
    found = [
        Doubt(
            "no_denominator",
            _(
                "These are counts, not rates: a place may have more defects because more units pass"
                " through it. With the volume of each place the comparison is fair."
            ),
        )
    ]
    total = float(table.sum())
    if total < _FEW_A_CELL * table.size:
        text = _(
            "There are {n} defects for {cells} places: few for a map, and a real concentration may"
            " not show. Take a longer period, or join places."
        )
        found.append(Doubt("few", text.format(n=number(total), cells=number(table.size))))
    if missing:
        text = _("{n} defects have no place and are left out.")
        found.append(Doubt("missing", text.format(n=number(missing))))
    return tuple(found)
