"""Regression: certified values, a textbook's example, and what speaks against a line."""

import numpy as np
import pytest

from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.regression import regression

# NIST, Statistical Reference Datasets: Norris, y and x of each pair.
NORRIS = """0.1 0.2 338.8 337.4 118.1 118.2 888.0 884.6 9.2 10.1 228.1 226.5 668.5 666.3 998.5 996.3
449.1 448.6 778.9 777.0 559.2 558.2 0.3 0.4 0.1 0.6 778.1 775.5 668.8 666.9 339.3 338.0 448.9 447.5
10.8 11.6 557.7 556.0 228.3 228.1 998.0 995.8 888.8 887.6 119.6 120.2 0.3 0.3 0.6 0.3 557.6 556.8
339.3 339.1 888.0 887.2 998.5 999.0 778.9 779.0 10.2 11.1 117.6 118.3 228.9 229.2 668.4 669.1 449.2
448.9 0.2 0.5"""
# Montgomery and Runger, Applied Statistics and Probability for Engineers, table 11-1: the
# hydrocarbon level in percent, and the purity of the oxygen.
LEVEL = [
    *(0.99, 1.02, 1.15, 1.29, 1.46, 1.36, 0.87, 1.23, 1.55, 1.40),
    *(1.19, 1.15, 0.98, 1.01, 1.11, 1.20, 1.26, 1.32, 1.43, 0.95),
]
PURITY = [
    *(90.01, 89.05, 91.43, 93.74, 96.73, 94.45, 87.59, 91.77, 99.42, 93.65),
    *(93.54, 92.52, 90.56, 89.54, 89.85, 90.39, 93.25, 93.41, 94.98, 87.33),
]


def test_the_line_has_the_certified_values_of_norris() -> None:
    y, x = np.array(NORRIS.split(), dtype=float).reshape(-1, 2).T

    found = regression(x, y)

    assert x.size == 36
    assert found.intercept.value == pytest.approx(-0.262323073774029, rel=1e-9)
    assert found.intercept.error == pytest.approx(0.232818234301152, rel=1e-9)
    assert found.slope.value == pytest.approx(1.00211681802045, rel=1e-12)
    assert found.slope.error == pytest.approx(0.429796848199937e-3, rel=1e-9)
    assert found.deviation == pytest.approx(0.884796396144373, rel=1e-9)
    assert found.r_squared == pytest.approx(0.999993745883712, rel=1e-12)
    assert found.f == pytest.approx(5436385.54079785, rel=1e-8)


def test_intervals_are_those_of_the_textbook() -> None:
    found = regression(np.array(LEVEL), np.array(PURITY), ("level", "purity"))

    assert (found.intercept.value, found.slope.value) == pytest.approx((74.283, 14.947), abs=5e-4)
    assert found.deviation**2 == pytest.approx(1.18, abs=5e-3)
    assert found.r_squared == pytest.approx(0.877, abs=5e-4)
    # Examples 11-4 to 11-6: of the slope, of the mean at 1.00 %, and of a new value there.
    assert (found.slope.low, found.slope.high) == pytest.approx((12.181, 17.714), abs=1e-3)
    line, of_mean, of_value = found.at(np.array([1.0]))
    assert (line[0], of_mean[0]) == pytest.approx((89.23, 0.745), abs=0.006)
    assert (line[0] - of_value[0], line[0] + of_value[0]) == pytest.approx((86.83, 91.63), abs=6e-3)
    assert found.doubts == ()
    assert "explains 87.7 %" in found.conclusion or "explica 87,7 %" in found.conclusion


def _kinds(x: np.ndarray, y: np.ndarray) -> set[str]:
    return {each.kind for each in regression(x, y).doubts}


def test_a_curve_is_doubted_where_x_repeats() -> None:
    x = np.repeat(np.arange(8.0), 3)
    y = x**2 + np.tile([-0.1, 0.0, 0.1], 8)

    assert "lack_of_fit" in _kinds(x, y)


def test_a_point_that_draws_the_line_is_named() -> None:
    random = np.random.default_rng(4)
    x = np.append(random.normal(0, 1, 20), 30.0)
    y = np.append(random.normal(0, 1, 20), 60.0)

    assert "pull" in _kinds(x, y)


def test_residuals_that_wander_are_doubted() -> None:
    random = np.random.default_rng(5)
    x = np.arange(60.0)
    y = x + np.cumsum(random.normal(0, 1, 60))

    assert "autocorrelation" in _kinds(x, y)


def test_no_relation_says_what_could_have_been_missed() -> None:
    random = np.random.default_rng(6)

    found = regression(np.arange(30.0), random.normal(0, 1, 30), ("x", "y"))

    assert found.slope.p > 0.05
    assert f"{max(abs(found.slope.low), found.slope.high):.3f}"[:4].replace(".", ",") in (
        found.conclusion.replace(".", ",")
    )


@pytest.mark.parametrize(
    ("x", "y", "kind"),
    [([1, 2], [1, 2], "too_few"), ([1, 1, 1], [1, 2, 3], "zero_variance")],
)
def test_what_carries_no_line_is_refused(x: list[float], y: list[float], kind: str) -> None:
    with pytest.raises(NotComputableError) as refused:
        regression(np.array(x, dtype=float), np.array(y, dtype=float))

    assert refused.value.kind == kind
