"""Tolerance intervals and sample sizes against published worked examples."""

import numpy as np
import pytest

from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.tolerance_and_power import (
    power_of_groups,
    power_of_two_means,
    power_of_two_shares,
    power_of_variances,
    size_for_groups,
    size_for_two_means,
    size_for_two_shares,
    tolerance_factor,
    tolerance_interval,
    values_needed,
)


def test_the_factor_is_that_of_the_nist_handbook() -> None:
    # NIST/SEMATECH e-Handbook, 7.2.6.3: n = 43, 90 % of the population, 99 % confidence.
    assert tolerance_factor(43, 0.99, 0.90) == pytest.approx(2.217, abs=5e-4)


def test_intervals_without_a_distribution_need_as_many_values_as_wilks_says() -> None:
    # Wilks; NIST/SEMATECH e-Handbook, 7.2.6.4; Hahn and Meeker, table A.17.
    assert values_needed(0.95, 0.95) == 93
    assert values_needed(0.95, 0.99) == 473
    assert values_needed(0.90, 0.95) == 77


def test_the_interval_of_skewed_values_leans_on_no_distribution() -> None:
    rng = np.random.default_rng(5)
    found = tolerance_interval(np.sort(rng.exponential(size=500)), 0.95, 0.95)

    assert found.is_normal is False
    assert found.free is not None
    assert found.advised == found.free
    assert found.free[0] > 0 > found.normal[0]


def test_few_values_have_no_interval_without_a_distribution() -> None:
    rng = np.random.default_rng(6)

    assert tolerance_interval(rng.normal(size=92), 0.95, 0.95).free is None
    assert tolerance_interval(rng.normal(size=93), 0.95, 0.95).free is not None


def test_intervals_hold_what_they_promise() -> None:
    from math import erf

    rng = np.random.default_rng(7)
    held = 0
    for _each in range(2000):
        low, high = tolerance_interval(rng.normal(size=30), 0.95, 0.90).normal
        held += (erf(high / 2**0.5) - erf(low / 2**0.5)) / 2 >= 0.90
    assert 0.935 <= held / 2000 <= 0.965


def test_power_and_size_are_those_of_published_examples() -> None:
    # R's power.t.test: n = 20, delta = 1, sd = 1; and power = .90, delta = 1 (22.021 a group).
    assert power_of_two_means(20, 1, 1) == pytest.approx(0.8689528, abs=1e-6)
    assert size_for_two_means(1, 1, 0.90) == 23
    # Cohen (1988), table 2.4.1: d = 0.5, power 0.80, two-sided 5 %: 64 a group.
    assert size_for_two_means(0.5, 1, 0.80) == 64


def test_the_power_of_an_analysis_of_variance_is_that_of_published_examples() -> None:
    # R's power.anova.test: 4 groups of 5, variances 1 between and 3 within: 0.3535594; and 11.92613
    # of each for 80 %.
    assert power_of_variances(5, 4, 1, 3) == pytest.approx(0.3535594, abs=1e-7)
    assert power_of_variances(11, 4, 1, 3) < 0.80 <= power_of_variances(12, 4, 1, 3)
    # Of two groups it is that of the t test: R's power.t.test, n = 20, delta = 1, sd = 1.
    assert power_of_groups(20, 2, 1, 1) == pytest.approx(0.8689528, abs=1e-6)
    # Montgomery, Design and Analysis of Experiments, 3.7: four means of 575 to 650, sigma 25, 90 %
    # at 1 %: four of each give the power that is asked for.
    between = float(np.var([575, 600, 650, 675], ddof=1))
    assert (
        power_of_variances(3, 4, between, 625, 0.01)
        < 0.9
        < power_of_variances(4, 4, between, 625, 0.01)
    )
    size = size_for_groups(4, 2.0, 1.5, 0.9)
    assert power_of_groups(size - 1, 4, 2.0, 1.5) < 0.9 <= power_of_groups(size, 4, 2.0, 1.5)


def test_the_power_of_two_shares_is_that_of_published_examples() -> None:
    # R's power.prop.test: n = 50, 0.50 and 0.75: 0.740; and power 0.90: 76.7 of each.
    assert power_of_two_shares(50, 0.50, 0.75) == pytest.approx(0.7401659, abs=1e-6)
    assert size_for_two_shares(0.50, 0.75, 0.90) == 77


def test_what_no_size_shows_is_told() -> None:
    with pytest.raises(NotComputableError):
        size_for_two_shares(0.01, -0.01)
    with pytest.raises(NotComputableError):
        size_for_groups(1, 2, 1)
    with pytest.raises(NotComputableError):
        size_for_two_means(0, 1)
    with pytest.raises(NotComputableError):
        size_for_two_means(1e-6, 1)
