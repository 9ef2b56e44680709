"""Hold tests of counts, shares and rates against published figures and exact counting."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from qhub_desktop.quality.event_rates import (
    compare_rates,
    estimate_rate,
    estimate_share,
    wilson_interval,
)
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.proportion_tests import chi_square, compare_proportions, fisher

PARTIES = [[762, 327, 468], [484, 239, 477]]  # Agresti (2007), page 39

Table = list[list[int]]


def counted_p(table: Table) -> float:
    """Go through every table of the same margins, cell by cell."""
    observed = np.array(table)
    rows, columns = observed.sum(axis=1), observed.sum(axis=0)
    free = [range(int(min(r, c)) + 1) for r in rows[:-1] for c in columns[:-1]]
    chances = []
    for cells in itertools.product(*free):
        inner = np.array(cells).reshape(len(rows) - 1, len(columns) - 1)
        side = np.column_stack([inner, rows[:-1] - inner.sum(axis=1)])
        whole = np.vstack([side, columns - side.sum(axis=0)])
        if whole.min() >= 0:
            chances.append(_chance(whole))
    total = np.array(chances)
    seen = _chance(observed)
    return float(total[total <= seen * (1 + 1e-7)].sum() / total.sum())


def _chance(table: np.ndarray) -> float:
    return math.exp(-sum(math.lgamma(int(value) + 1) for value in table.ravel()))


def test_chi_square_has_the_published_figures_and_says_where_to_look() -> None:
    found = chi_square(PARTIES, rows=["women", "men"], columns=["left", "none", "right"])
    assert found.statistic == pytest.approx(30.070, abs=5e-4)
    assert found.degrees == 2
    assert found.p == pytest.approx(2.954e-7, rel=1e-3)
    assert found.adjusted_residuals[0] == pytest.approx([4.50, 0.70, -5.32], abs=0.01)
    assert found.strongest == (0, 2)
    assert "women" in found.conclusion
    assert "right" in found.conclusion
    assert found.alternative is None
    assert not found.doubts


def test_the_size_of_an_association_is_that_of_the_table_and_not_of_the_sample() -> None:
    assert chi_square([[30, 0, 0], [0, 30, 0], [0, 0, 30]]).effect == pytest.approx(1)
    one, tenfold = chi_square([[12, 8], [9, 15]]), chi_square([[120, 80], [90, 150]])
    assert one.effect == pytest.approx(tenfold.effect)
    assert one.p > tenfold.p


def test_turning_a_table_changes_nothing_but_its_shape() -> None:
    one, turned = chi_square(PARTIES), chi_square(np.transpose(PARTIES))
    assert turned.p == pytest.approx(one.p)
    assert np.allclose(turned.adjusted_residuals.T, one.adjusted_residuals)


def test_few_expected_counts_are_doubted_with_what_to_do_instead() -> None:
    found = chi_square([[1, 9], [4, 6]])
    assert found.expected_below_5 == 2
    assert found.alternative == "fisher"
    assert [doubt.kind for doubt in found.doubts] == ["few_expected"]


def test_nothing_to_act_on_is_said_where_chance_explains_it() -> None:
    for found in (chi_square([[50, 52], [49, 51]]), fisher([[50, 52], [49, 51]])):
        assert not found.is_significant
        assert found.conclusion.startswith("No relation")


def test_fisher_tastes_tea() -> None:
    found = fisher([[3, 1], [1, 3]])
    assert found.p == pytest.approx(17 / 35)  # 34 of 70 ways
    assert found.odds_ratio == pytest.approx(9)


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5)])
def test_fisher_counts_what_is_no_likelier(shape: tuple[int, int]) -> None:
    draw = np.random.default_rng(sum(shape))
    for _ in range(6):
        table = draw.poisson(2.0, shape) + np.eye(*shape, dtype=int) + 1 - np.eye(*shape, dtype=int)
        assert fisher(table).p == pytest.approx(counted_p(table.tolist()), rel=1e-6)


def test_fisher_goes_through_a_table_of_some_size() -> None:
    """Agresti (2002), page 57: job satisfaction by income."""
    table = [[1, 2, 1, 0], [3, 3, 6, 1], [10, 10, 14, 9], [6, 7, 12, 11]]
    assert fisher(table).p == pytest.approx(0.7827, abs=5e-5)


def test_fisher_agrees_with_scipy_on_two_by_two() -> None:
    draw = np.random.default_rng(7)
    for _ in range(40):
        table = draw.integers(1, 80, (2, 2))
        assert fisher(table).p == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-6)


def test_fisher_says_when_there_are_too_many_tables() -> None:
    table = np.full((6, 6), 40) + np.arange(36).reshape(6, 6)
    with pytest.raises(NotComputableError, check=lambda error: error.kind == "too_many_tables"):
        fisher(table)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ([[1, 2]], "table"),
        ([1, 2], "table"),
        ([], "table"),
        ([[1, 2], [0, 0]], "empty_group"),
        ([[1, 0], [2, 0]], "empty_group"),
        ([[1, -2], [3, 4]], "bad_counts"),
        ([[1, 2.5], [3, 4]], "bad_counts"),
        ([[1, math.nan], [3, 4]], "bad_counts"),
        ([[1, None], [3, 4]], "bad_counts"),
        ([["a", 2], [3, 4]], "bad_counts"),
        ([[1, 2], [3]], "bad_counts"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(table: object, kind: str) -> None:
    for test in (chi_square, fisher):
        with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
            test(table)  # type: ignore[arg-type]


def test_two_shares_are_compared_by_their_score_and_its_square_is_chi_square() -> None:
    found = compare_proportions([30, 60], [400, 420], labels=["day", "night"])
    assert found.method == "z"
    assert found.z is not None
    assert found.difference is not None
    assert found.difference_interval is not None
    assert found.z**2 == pytest.approx(found.statistic)
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(found.z)))
    assert found.difference == pytest.approx(30 / 400 - 60 / 420)
    error = math.sqrt(0.075 * 0.925 / 400 + (1 / 7) * (6 / 7) / 420)
    assert found.difference_interval[0] == pytest.approx(found.difference - 1.959964 * error)
    assert found.conclusion.startswith("night")


def test_few_units_are_compared_exactly() -> None:
    found = compare_proportions([1, 6], [12, 12])
    assert found.method == "fisher"
    assert found.p == found.fisher_p == pytest.approx(fisher([[1, 11], [6, 6]]).p)
    assert compare_proportions([0, 3, 1], [8, 7, 9]).method == "fisher"
    assert compare_proportions([1, 6], [12, 12], method="z").method == "z"


def test_the_group_that_departs_is_named() -> None:
    found = compare_proportions([83, 90, 129, 70], [86, 93, 136, 82], labels=list("ABCD"))
    assert found.method == "chi_square"
    assert found.p == pytest.approx(0.005585, abs=1e-6)  # Fleiss, smokers
    assert found.standing_out == (3,)
    assert "D" in found.conclusion
    assert compare_proportions([10, 11, 12], [100, 100, 100]).standing_out == ()


@pytest.mark.parametrize(
    ("successes", "totals", "kind"),
    [
        ([1], [2], "two_groups"),
        ([1, 2], [3], "lengths"),
        ([1, 2], [0, 5], "no_denominator"),
        ([6, 2], [5, 5], "more_than_units"),
        ([0, 0], [5, 5], "no_variation"),
        ([5, 5], [5, 5], "no_variation"),
        ([1.5, 2], [5, 5], "bad_counts"),
    ],
)
def test_shares_that_can_not_be_compared_are_refused(
    successes: list[int], totals: list[int], kind: str
) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        compare_proportions(successes, totals)


@pytest.mark.parametrize(("count", "total"), [(0, 20), (20, 20), (7, 300), (682, 925)])
def test_the_exact_interval_of_a_share_leaves_its_tails(count: int, total: int) -> None:
    found = estimate_share(count, total, 0.3)
    low, high = found.exact
    assert stats.binom.sf(count - 1, total, low) == pytest.approx(0.025 if count else 1)
    assert stats.binom.cdf(count, total, high) == pytest.approx(0.025 if count < total else 1)
    assert found.p == pytest.approx(stats.binomtest(count, total, 0.3).pvalue, rel=1e-6)
    wilson = stats.binomtest(count, total).proportion_ci(method="wilson")
    assert wilson_interval(count, total) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_no_defect_seen_does_not_mean_zero() -> None:
    found = estimate_share(0, 300)
    assert [doubt.kind for doubt in found.doubts] == ["none_seen"]
    assert found.exact[1] > 0.01


@pytest.mark.parametrize("count", [0, 3, 137])
def test_the_exact_interval_of_a_rate_leaves_its_tails(count: int) -> None:
    low, high = estimate_rate(count, 4.0).interval
    assert stats.poisson.cdf(count, high * 4) == pytest.approx(0.025)
    assert stats.poisson.sf(count - 1, low * 4) == pytest.approx(0.025 if count else 1)


def test_two_rates_compare_the_same_either_way() -> None:
    one = compare_rates([11, 21], [800, 3011])
    other = compare_rates([21, 11], [3011, 800])
    assert one.ratio == pytest.approx(1.971488)
    assert one.p == pytest.approx(0.0796686, abs=1e-6)  # R's help on poisson.test
    assert other.p == pytest.approx(one.p)
    assert other.interval == pytest.approx((1 / one.interval[1], 1 / one.interval[0]))
    none = compare_rates([9, 0], [10, 10], labels=["north", "south"])
    assert math.isinf(none.ratio)
    assert math.isinf(none.interval[1])
    assert "north" in none.conclusion


def test_rates_without_exposure_or_events_are_refused() -> None:
    for counts, exposures, kind in (
        ([0, 0], [5, 5], "no_events"),
        ([1, 2], [0, 5], "no_denominator"),
        ([1, 2, 3], [5, 5, 5], "two_groups"),
        ([-1, 2], [5, 5], "bad_counts"),
    ):
        with pytest.raises(NotComputableError) as refused:
            compare_rates(counts, exposures)
        assert refused.value.kind == kind
    with pytest.raises(NotComputableError, check=lambda error: error.kind == "no_denominator"):
        estimate_share(1, 0)
    with pytest.raises(NotComputableError, check=lambda error: error.kind == "reference"):
        estimate_share(1, 10, 1.5)
