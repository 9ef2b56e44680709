"""Hold the concentration map against places that do and do not stand out."""

import math

import numpy as np
import pytest

from qhub_desktop.quality.concentration import concentration, count_places
from qhub_desktop.quality.findings import NotComputableError

RACKS, POSITIONS = [f"R{n}" for n in range(1, 7)], ["1", "2", "3", "4"]


def test_places_are_counted_in_order_and_those_without_one_are_told() -> None:
    counts, rows, columns, missing = count_places(
        ["P10", "P2", None, "P2", "P2", ""], [10, 2.0, 3, 10, math.nan, 2]
    )
    assert rows == ("P2", "P10")
    assert columns == ("2", "10")
    assert counts.tolist() == [[1, 1], [0, 1]]
    assert missing == 3


def test_a_cell_with_too_many_stands_out_alone() -> None:
    counts = np.full((6, 4), 10)
    counts[2, 3] = 45
    found = concentration(counts, RACKS, POSITIONS)
    first = found.cells[0]
    assert (first.row, first.column, first.count) == (2, 3, 45)
    assert first.p < 0.001
    assert "R3 x 4" in found.conclusion
    assert first.p < found.p < 0.05  # one cell says more than the map as a whole
    assert found.adjusted_residuals.argmax() == 2 * 4 + 3


def test_a_bad_row_is_a_row_and_not_its_cells() -> None:
    counts = np.full((6, 4), 10)
    counts[1] = 40
    found = concentration(counts, RACKS, POSITIONS)
    assert not found.cells
    assert found.rows_apart[0].row == 1
    assert not found.columns_apart
    assert "R2:" in found.conclusion


def test_chance_alone_seldom_stands_out() -> None:
    draw = np.random.default_rng(17)
    runs = [concentration(draw.poisson(8, (6, 4)) + 1, RACKS, POSITIONS) for _ in range(60)]
    assert sum(bool(found.cells) for found in runs) <= 6
    assert sum(bool(found.rows_apart) for found in runs) <= 6


def test_few_defects_and_a_missing_denominator_are_doubted() -> None:
    found = concentration(np.eye(6, 4, dtype=int) + 1, RACKS, POSITIONS, missing=7)
    assert [doubt.kind for doubt in found.doubts] == ["no_denominator", "few", "missing"]
    assert not found.cells


@pytest.mark.parametrize(
    ("counts", "rows", "columns", "kind"),
    [
        ([[1, 2]], ["a"], ["x", "y"], "table"),
        ([[1, 2], [3, 4]], ["a"], ["x", "y"], "lengths"),
        ([[1, 2], [0, 0]], ["a", "b"], ["x", "y"], "empty_group"),
        ([[1, -2], [3, 4]], ["a", "b"], ["x", "y"], "bad_counts"),
    ],
)
def test_what_is_no_map_is_refused(
    counts: list[list[int]], rows: list[str], columns: list[str], kind: str
) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        concentration(counts, rows, columns)


def test_pairs_that_do_not_match_or_are_not_there_are_refused() -> None:
    for rows, columns, kind in ((["a"], [], "lengths"), ([], [], "empty"), ([None], [1], "empty")):
        with pytest.raises(NotComputableError) as refused:
            count_places(rows, columns)
        assert refused.value.kind == kind
