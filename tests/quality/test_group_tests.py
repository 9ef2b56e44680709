"""Hold tests of groups against published facts, properties that must hold, and refusals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.group_pairs import (
    dunn,
    games_howell,
    holm,
    studentized_quantile,
    studentized_tail,
    tukey,
)
from qhub_desktop.quality.group_samples import Samples, bartlett, levene, samples_of, split
from qhub_desktop.quality.group_tests import (
    anova,
    compare_groups,
    compare_spreads,
    kruskal_wallis,
    mann_whitney,
    paired_t,
    pooled_t,
    welch_anova,
    welch_t,
)
from qhub_desktop.quality.group_verdicts import Effect


def normal_groups(*means: float, count: int = 30, deviation: float = 1.0) -> Samples:
    """Return groups of exact normal scores, so that only their levels differ."""
    scores = np.array(stats.norm.ppf((np.arange(count) + 0.5) / count))
    return samples_of({f"M{at}": mean + deviation * scores for at, mean in enumerate(means, 1)})


def skewed(level: float, count: int = 12) -> list[float]:
    return [level + 4.0**at for at in range(count)]


@pytest.mark.parametrize(
    ("count", "df", "value"), [(3, 10, 3.877), (3, 20, 3.578), (5, 20, 4.232), (10, 60, 4.646)]
)
def test_critical_ranges_are_those_of_the_published_table(
    count: int, df: int, value: float
) -> None:
    assert studentized_quantile(0.95, count, df) == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize("df", [1, 7, 500])
@pytest.mark.parametrize("count", [2, 6])
def test_range_tails_are_those_of_scipy(count: int, df: float) -> None:
    values = np.array([1.0, 6.0])
    expected = stats.studentized_range.sf(values, count, df)
    assert studentized_tail(values, count, df) == pytest.approx(expected, abs=1e-6)


@given(
    st.lists(
        st.lists(st.integers(-50, 50), min_size=3, max_size=12), min_size=2, max_size=5
    ).filter(lambda groups: all(len({*group}) > 1 for group in groups))
)
def test_statistics_are_those_of_scipy(groups: list[list[int]]) -> None:
    samples = samples_of({str(at): group for at, group in enumerate(groups)})
    arrays = [np.array(group, dtype=float) for group in groups]
    for found, expected in (
        (anova(samples), stats.f_oneway(*arrays)),
        (welch_anova(samples), stats.f_oneway(*arrays, equal_var=False)),
        (kruskal_wallis(samples), stats.kruskal(*arrays)),
        (bartlett(samples), stats.bartlett(*arrays)),
    ):
        # Where groups are alike, SciPy's rounding leaves a statistic below zero, and no p.
        if math.isfinite(expected.pvalue):
            assert found.statistic == pytest.approx(expected.statistic, abs=1e-7)
            assert found.p == pytest.approx(expected.pvalue, abs=1e-6)
    spreads = stats.levene(*arrays)
    if math.isfinite(spreads.statistic):
        assert levene(samples).p == pytest.approx(spreads.pvalue, abs=1e-7)


@given(
    st.lists(st.integers(-9, 9), min_size=3, max_size=15),
    st.lists(st.integers(-9, 9), min_size=3, max_size=15),
)
def test_two_groups_are_those_of_scipy(first: list[int], second: list[int]) -> None:
    if len({*first}) == 1 or len({*second}) == 1:
        return
    samples = samples_of({"a": first, "b": second})
    expected = stats.ttest_ind(first, second, equal_var=False)
    found = welch_t(samples)
    interval = expected.confidence_interval()
    assert found.difference is not None
    assert [found.statistic, found.p, found.difference.low, found.difference.high] == pytest.approx(
        [expected.statistic, expected.pvalue, interval.low, interval.high]
    )
    assert pooled_t(samples).p == pytest.approx(stats.ttest_ind(first, second).pvalue)
    ranked = stats.mannwhitneyu(first, second, method="asymptotic")
    other = mann_whitney(samples, exact=False)
    assert (other.statistic, other.p) == pytest.approx((ranked.statistic, ranked.pvalue))


@given(st.floats(0.01, 100), st.floats(-1000, 1000))
def test_shift_and_scale_change_nothing_but_the_unit(scale: float, shift: float) -> None:
    values = np.array([3.0, 5, 4, 6, 7, 9, 8, 7, 9, 10, 4, 5])
    groups = ["a", "b", "c"] * 4
    plain, moved = compare_groups(values, groups), compare_groups(scale * values + shift, groups)
    assert moved.kind == plain.kind
    assert moved.p == pytest.approx(plain.p)
    assert moved.effects[0].value == pytest.approx(plain.effects[0].value)
    assert moved.missable == pytest.approx(scale * plain.missable)


@given(st.permutations(range(24)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    values = [float((7 * at) % 11) for at in range(24)]
    groups = ["abc"[at % 3] for at in range(24)]
    plain = compare_groups(values, groups)
    mixed = compare_groups([values[at] for at in order], [groups[at] for at in order])
    assert mixed.p == pytest.approx(plain.p)
    assert mixed.conclusion == plain.conclusion


def test_names_of_groups_turned_round_turn_the_difference_round() -> None:
    one = welch_t(samples_of({"a": [1, 2, 3, 5], "b": [4, 6, 7, 9]}))
    two = welch_t(samples_of({"b": [4, 6, 7, 9], "a": [1, 2, 3, 5]}))
    assert one.difference is not None
    assert two.difference is not None
    assert one.difference.estimate == pytest.approx(-two.difference.estimate)
    assert one.effects[0].value == pytest.approx(-two.effects[0].value)
    assert one.p == pytest.approx(two.p)


def test_a_known_hedges_g() -> None:
    # d = 1, and Hedges' correction for 8 degrees of freedom is 0.9027.
    samples = samples_of({"a": [1, 2, 3, 4, 5], "b": np.arange(1, 6) - math.sqrt(2.5)})
    assert pooled_t(samples).effects[0].value == pytest.approx(0.9027, abs=1e-4)


@pytest.mark.parametrize(
    ("value", "size"), [(0.1, "negligible"), (-0.3, "small"), (0.6, "medium"), (-2.0, "large")]
)
def test_effects_have_words(value: float, size: str) -> None:
    assert Effect("hedges_g", value).size == size


def test_holm_adjusts_step_by_step() -> None:
    adjusted = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_pairs_tell_the_direction() -> None:
    samples = normal_groups(0.0, 3.0, 3.0)
    for found in (tukey(samples), games_howell(samples), dunn(samples)):
        assert [pair.name for pair in found.pairs] == ["M2-M1", "M3-M1", "M3-M2"]
        assert [pair.name for pair in found.shown] == ["M2-M1", "M3-M1"]
        assert all(pair.difference == pytest.approx(3) for pair in found.shown)
    pair = tukey(samples).pairs[0]
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low < 3 < pair.high


def chosen(samples: Samples) -> str:
    labels = np.repeat([group.name for group in samples.groups], samples.sizes.astype(int))
    return compare_groups(samples.pooled, labels).kind


def test_the_test_that_fits_is_taken() -> None:
    assert chosen(normal_groups(0, 1)) == "welch_t"
    assert chosen(normal_groups(0, 1, 2)) == "anova"
    spread = {group.name: group.values for group in normal_groups(0, 1).groups}
    spread["wide"] = normal_groups(0, 1, deviation=9).groups[0].values
    assert chosen(samples_of(spread)) == "welch_anova"
    assert chosen(samples_of({"a": skewed(0), "b": skewed(9)})) == "mann_whitney"
    assert chosen(samples_of({"a": skewed(0), "b": skewed(9), "c": skewed(5)})) == "kruskal_wallis"
    assert chosen(samples_of({"a": [1, 1, 1], "b": [2, 3, 4]})) == "mann_whitney"


def test_doubts_name_the_test_to_take() -> None:
    found = anova(samples_of({"a": skewed(0), "b": skewed(9), "c": skewed(5)}))
    (doubt,) = (each for each in found.doubts if each.kind == "non_normal")
    assert "Kruskal-Wallis" in doubt.text
    scores = np.linspace(-1, 1, 20)
    unequal = pooled_t(samples_of({"a": scores, "b": 20 * scores}))
    (doubt,) = (each for each in unequal.doubts if each.kind == "unequal_variances")
    assert "Welch" in doubt.text
    tied = mann_whitney(samples_of({"a": [1, 1, 1, 1, 1, 2], "b": [1, 1, 1, 3, 4, 5]}))
    assert "ties" in {each.kind for each in tied.doubts}
    few = welch_t(samples_of({"a": [1, 2, 3], "b": [2, 3, 4, 5, 6]}))
    assert "few" in {each.kind for each in few.doubts}


def test_gaps_are_left_out_and_told() -> None:
    found = compare_groups([1, None, 3, 4, 6, 5, 7], ["a", "a", "a", "a", "b", "b", None])
    assert [group.count for group in found.samples.groups] == [3, 2]
    assert "missing" in {each.kind for each in found.doubts}


def test_the_conclusion_names_the_higher_group_and_by_how_much() -> None:
    found = welch_t(normal_groups(10, 14))
    assert found.conclusion.startswith("M2 ")
    assert found.conclusion.count("4.00") == 1
    several = anova(normal_groups(10, 14, 12))
    assert several.conclusion.index("M2") < several.conclusion.index("M1")
    assert "4.00" in several.conclusion


@pytest.mark.parametrize("count", [10, 40])
def test_what_could_have_been_missed_is_seen_with_the_power_it_says(count: int) -> None:
    samples = normal_groups(0, 0, count=count)
    found = welch_t(samples)
    assert not found.is_shown
    random = np.random.default_rng(5)
    seen = [
        welch_t(
            samples_of(
                {"a": random.normal(0, 1, count), "b": random.normal(found.missable, 1, count)}
            )
        ).is_shown
        for _round in range(100)
    ]
    assert 0.65 < np.mean(seen) < 0.95


def test_groups_stand_in_natural_order() -> None:
    found = split([1, 2, 3, 4, 5, 6], [10, 10, 9, 9, "b", "b"])
    assert [group.name for group in found.groups] == ["9", "10", "b"]


@pytest.mark.parametrize(
    ("values", "groups", "kind"),
    [
        ([1, 2, 3], ["a", "a", "a"], "one_group"),
        ([1, 2, 3], ["a", "a", "b"], "group_too_small"),
        ([5, 5, 5, 5], ["a", "a", "b", "b"], "zero_variance"),
        (["x", 2, 3, 4], ["a", "a", "b", "b"], "not_numeric"),
        ([math.inf, 2, 3, 4], ["a", "a", "b", "b"], "infinite"),
        ([1, 2, 3], ["a", "b"], "lengths"),
        ([], [], "one_group"),
    ],
)
def test_refusals(values: list[float], groups: list[str], kind: str) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        compare_groups(values, groups)


def test_methods_refuse_what_they_can_not_carry() -> None:
    three = normal_groups(0, 1, 2)
    constant = samples_of({"a": [1, 1], "b": [2, 2]})
    one_constant = samples_of({"a": [1, 1], "b": [2, 3]})
    for kind, refuse in (
        ("two_groups", lambda: welch_t(three)),
        ("two_groups", lambda: mann_whitney(three)),
        ("zero_variance", lambda: welch_t(constant)),
        ("zero_variance", lambda: anova(constant)),
        ("constant_group", lambda: welch_anova(one_constant)),
        ("constant_group", lambda: bartlett(one_constant)),
        ("too_few", lambda: levene(samples_of({"a": [1, 2], "b": [3, 5]}))),
        ("too_many_groups", lambda: tukey(normal_groups(*range(41), count=3))),
        ("lengths", lambda: paired_t([1, 2, 3], [1, 2])),
        ("zero_variance", lambda: paired_t([1, 2, 3], [2, 3, 4])),
    ):
        with pytest.raises(NotComputableError) as caught:
            refuse()
        assert caught.value.kind == kind


def test_many_groups_are_judged_without_pairs() -> None:
    found = anova(normal_groups(*range(41), count=5))
    assert found.pairs is None
    assert "too_many_groups" in {each.kind for each in found.doubts}


def test_the_test_of_spreads_says_which_scatters_most() -> None:
    # R: car::leveneTest(value ~ group)
    wide = [10.0, 14.0, 6.0, 12.0, 8.0, 15.0, 5.0, 11.0]
    narrow = [10.0, 10.4, 9.6, 10.2, 9.8, 10.5, 9.5, 10.1]
    found = compare_spreads(samples_of({"A": wide, "B": narrow}))

    assert found.statistic == pytest.approx(14.34653, rel=1e-6)
    assert found.p == pytest.approx(0.0019988, rel=1e-4)
    assert found.conclusion.startswith("The spreads differ")
    assert "A scatters most" in found.conclusion
    assert 0 < found.effects[0].value < 1

    alike = compare_spreads(samples_of({"A": wide, "B": wide}))
    assert "No difference between the spreads" in alike.conclusion
