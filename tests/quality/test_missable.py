"""What a test could have missed: a test that found nothing says what it would have seen."""

from collections.abc import Callable

import numpy as np
import pytest

from qhub_desktop.quality.event_rates import compare_rates, estimate_share
from qhub_desktop.quality.gauge_bias import bias_test
from qhub_desktop.quality.group_samples import samples_of
from qhub_desktop.quality.group_tests import compare_spreads
from qhub_desktop.quality.missable import (
    missable_ratio,
    missable_relation,
    missable_share,
    missable_spread,
)
from qhub_desktop.quality.proportion_tests import chi_square, compare_proportions, fisher


def test_a_table_of_cohen() -> None:
    # Cohen (1988), table 7.3.16: w = 0.30 is seen with a power of 0.80 from N = 87 (1 degree of
    # freedom) and N = 133 (4).
    assert missable_relation(87, 1, 2) == pytest.approx(0.30, abs=0.005)
    assert missable_relation(133, 4, 2) == pytest.approx(0.30, abs=0.005)


def test_two_shares_of_fleiss() -> None:
    # Fleiss: shares of 0.45 and 0.55 take 392 units each to be told apart (alpha 0.05, power 0.80).
    assert missable_share(0.5, np.array([392.0, 392.0])) == pytest.approx(0.10, abs=0.001)
    assert missable_share(0.5, np.array([392.0, 392.0, 9999.0]), 3) > 0.11


def test_a_ratio_of_spreads_is_seen_in_four_of_five_samples() -> None:
    rng = np.random.default_rng(6)
    ratio = missable_spread(np.array([30.0, 30.0]))
    shown = [
        compare_spreads(
            samples_of({"A": rng.normal(0, 1, 30), "B": rng.normal(0, ratio, 30)})
        ).is_shown
        for _sample in range(300)
    ]

    assert np.mean(shown) == pytest.approx(0.8, abs=0.09)


def test_a_ratio_of_rates_is_seen_in_four_of_five_pairs() -> None:
    rng = np.random.default_rng(6)
    ratio = missable_ratio(np.array([60.0, 60.0]))
    low, high = 120 / (1 + ratio), 120 * ratio / (1 + ratio)  # about the same rate in both
    shown = [
        compare_rates([int(rng.poisson(low)), int(rng.poisson(high))], [1, 1]).is_significant
        for _pair in range(300)
    ]

    assert np.mean(shown) == pytest.approx(0.8, abs=0.09)


@pytest.mark.parametrize(
    ("told", "size"),
    [
        (lambda: chi_square([[20, 20], [20, 21]]).conclusion, "V = 0.31"),
        (lambda: fisher([[20, 20], [20, 21]]).conclusion, "V = 0.31"),
        (lambda: compare_proportions([39, 40], [392, 392]).conclusion, "6.0 percentage points"),
        (lambda: estimate_share(10, 100, 0.1).conclusion, "8.4 percentage points"),
        (lambda: compare_rates([20, 21], [1, 1]).conclusion, "2.4 times"),
    ],
)
def test_nothing_found_says_what_could_have_been_missed(told: Callable[[], str], size: str) -> None:
    conclusion = told()

    assert "could have been missed" in conclusion
    assert size in conclusion
    assert "not act" not in conclusion


def test_a_bias_that_may_be_chance_has_its_reach() -> None:
    found = bias_test(np.array([1.0, -1.0] * 10))

    # Student's t of 19 degrees: 2.093 and 0.861 errors of 1.026 / sqrt(20).
    assert found.bias == 0
    assert found.missable == pytest.approx((2.093 + 0.861) * 1.026 / 20**0.5, rel=1e-3)
