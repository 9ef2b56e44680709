"""Hold yield and Pareto against published facts, and against what must refuse."""

import math
from typing import Any

import pytest

from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.pareto import pareto
from qhub_desktop.quality.process_yield import process_yield, sigma_level, sigma_text
from tests.quality.adapters_tests import by_shift
from tests.quality.run_reference import judge


@pytest.mark.parametrize(("dpmo", "level"), [(3.4, 6), (233, 5), (6210, 4), (66807, 3)])
def test_sigma_levels_are_those_of_the_published_table(dpmo: float, level: float) -> None:
    assert sigma_level(dpmo) == pytest.approx(level, abs=5e-4)


def test_rolled_yield_is_the_product_and_the_weighted_one_is_not() -> None:
    result = process_yield([100, 300], [10, 60])
    assert result.rolled == pytest.approx(0.9 * 0.8)
    assert result.weighted == pytest.approx(1 - 70 / 400)
    assert math.exp(-result.rolled_dpu) == pytest.approx(result.rolled)


@pytest.mark.parametrize(
    ("units", "defective", "kind"),
    [
        ([], [], "lengths"),
        ([0], [0], "no_denominator"),
        ([5], [6], "more_than_units"),
        ([math.nan], [1], "bad_counts"),
    ],
)
def test_yield_refuses(units: list[float], defective: list[float], kind: str) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        process_yield(units, defective)


def test_ties_stand_by_label_and_the_rest_stands_last() -> None:
    result = pareto({"b": 40, "rest": 90, "a": 40, "c": 5}, most=2, others="rest")
    assert result.labels == ("a", "b", "rest")
    assert list(result.weights) == [40, 40, 95]
    assert result.vital_few == ("a", "b")
    assert result.cumulative_percent[-1] == pytest.approx(100)


def test_a_cause_that_just_reaches_the_line_ends_the_vital_few() -> None:
    assert pareto({"a": 50, "b": 30, "c": 20}).vital_few == ("a", "b")


@pytest.mark.parametrize("weights", [{}, {"a": 0}, {"a": -1}, {"a": math.nan}])
def test_pareto_refuses(weights: dict[str, float]) -> None:
    with pytest.raises(NotComputableError):
        pareto(weights)


def test_no_defect_seen_is_bounded_and_not_called_perfect() -> None:
    result = process_yield([600, 400], [0, 0])
    assert math.isinf(result.sigma_level)
    assert not any(character.isdigit() for character in sigma_text(result.sigma_level))
    assert result.total_dpmo_most == pytest.approx(-math.log(0.05) * 1000)  # the rule of three
    (doubt,) = result.doubts
    assert doubt.kind == "no_defect"
    assert "2,996" in doubt.text
    assert not process_yield([600, 400], [1, 0]).doubts


def test_few_units_and_more_defects_than_opportunities_are_doubted() -> None:
    kinds = {doubt.kind for doubt in process_yield([12, 400], [1, 40], [500, 40]).doubts}
    assert kinds == {"few", "opportunities"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"units": [500, 400, 100], "defects": [5, 12, 10]},
            {"ftq": [0.99, 0.97, 0.9], "ftq_total": 1 - 27 / 1000, "units_total": 1000},
        ),
        (
            {
                "rows": [
                    {"shift": "A", "n": 300, "good": 290},
                    {"shift": "B", "n": 100, "good": 80},
                    {"shift": "A", "n": 200, "good": 200},
                ]
            },
            {"ftq_by_shift": {"A": 0.98, "B": 0.8}, "overall_ftq_pct": 95},
        ),
        (
            {
                "M": {"units": 50, "defects": 9, "ok": 45},
                "T": {"units": 30, "defects": 0, "ok": 30},
            },
            {
                "M": {"ftq": 0.9, "dpu": 0.18},
                "T": {"ftq": 1},
                "total": {"ftq": 75 / 80, "dpu": 9 / 80},
            },
        ),
    ],
)
def test_first_time_quality_of_shifts_and_of_all_of_them(
    given: dict[str, Any], expected: dict[str, Any]
) -> None:
    case = {"id": "yield.ftq.made_up", "input": given, "params": [], "expected": expected}
    tolerance = {"default": {"rel": 1e-9, "abs": 0}}
    assert judge({**case, "tolerance": tolerance}, {"yield.ftq": by_shift}) == []
