"""Capability: published figures, what does not depend on units, and what it says first."""

import numpy as np
import pytest

from qhub_desktop.quality.capability import (
    Capability,
    Index,
    Specification,
    capability,
    capability_of_summary,
    grade_of,
    within_sigma,
)
from qhub_desktop.quality.control_charts import ChartPlan
from qhub_desktop.quality.descriptive import Floats, Values
from qhub_desktop.quality.distributions import (
    TAILS,
    Lognormal,
    ModelName,
    Weibull,
    fit_box_cox,
    fit_johnson,
    fit_lognormal,
    fit_quality,
    fit_weibull,
    propose,
)
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.nonnormal import ModelCapability, model_capability
from qhub_desktop.quality.normality import anderson_darling, normal_quantile, normality
from qhub_desktop.quality.run_rules import NELSON
from qhub_desktop.quality.sixpack import Sixpack, sixpack
from qhub_desktop.quality.stability import stability_of
from qhub_desktop.quality.variable_charts import individuals

NORMAL = 10 + normal_quantile((np.arange(1, 101) - 0.5) / 100)  # as normal as 100 values can be
SKEWED = np.exp(NORMAL - 10)
STABLE = stability_of(individuals(np.random.default_rng(4).permutation(NORMAL)), NELSON)
SHIFTED = stability_of(individuals([*NORMAL, 99.0]), NELSON)


def shuffled(values: Floats, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).permutation(values)


def kinds(result: Capability | ModelCapability | Sixpack) -> list[str]:
    return [each.kind for each in result.doubts]


def test_the_example_of_the_nist_handbook() -> None:
    # NIST/SEMATECH e-Handbook, 6.1.6: USL 20, LSL 8, mean 16, s 2.
    found = capability_of_summary(16, 2, Specification(8, 20, 14))

    assert found.overall.cp is not None
    assert found.overall.cp.value == pytest.approx(1.0)
    assert found.overall.cpk.value == pytest.approx(0.6667, abs=1e-4)
    assert found.off_centre == pytest.approx(0.3333, abs=1e-4)


def test_the_interval_of_montgomery_for_cp() -> None:
    # Montgomery, example 8.4: USL 62, LSL 38, n 20, s 1.75: Cp 2.29, from 1.57 to 3.01.
    found = capability_of_summary(50, 1.75, Specification(38, 62), count=20)

    assert found.overall.cp is not None
    assert found.overall.cp.value == pytest.approx(2.29, abs=0.005)
    assert found.overall.cp.low == pytest.approx(1.57, abs=0.01)
    assert found.overall.cp.high == pytest.approx(3.01, abs=0.01)


def test_the_interval_of_montgomery_for_cpk() -> None:
    # Montgomery, example 8.5: n 20, Cpk 1.33, from 0.88 to 1.78.
    found = capability_of_summary(0, 1, Specification(upper=3.99), count=20)

    assert (found.overall.cpk.low, found.overall.cpk.high) == pytest.approx((0.88, 1.78), abs=0.01)


@pytest.mark.parametrize(("factor", "shift"), [(25.4, 0.0), (1e-6, 3.0), (1.0, -500.0)])
def test_indices_do_not_depend_on_the_unit(factor: float, shift: float) -> None:
    sizes = [5] * 20
    values = shuffled(NORMAL)
    one = capability(values, Specification(6, 13, 10), sizes=sizes, stability=STABLE)
    other = capability(
        values * factor + shift,
        Specification(6 * factor + shift, 13 * factor + shift, 10 * factor + shift),
        sizes=sizes,
        stability=STABLE,
    )

    assert one.within is not None
    assert other.within is not None
    assert other.within.cpk.value == pytest.approx(one.within.cpk.value)
    assert other.overall.cpk.low == pytest.approx(one.overall.cpk.low)
    assert other.overall.share_outside == pytest.approx(one.overall.share_outside)


def test_turning_values_over_swaps_the_sides() -> None:
    one = capability(NORMAL, Specification(6, 13), stability=STABLE).overall
    other = capability(-NORMAL, Specification(-13, -6), stability=STABLE).overall

    assert one.cpl is not None
    assert other.cpu is not None
    assert other.cpu.value == pytest.approx(one.cpl.value)


def test_one_limit_gives_its_side_alone() -> None:
    found = capability(NORMAL, Specification(upper=13, target=10), stability=STABLE)

    assert found.overall.cp is found.overall.cpl is found.overall.cpm is None
    assert found.observed_below is found.overall.share_below is None
    assert found.overall.cpu is not None
    assert found.overall.cpk.value == found.overall.cpu.value


def test_more_confidence_widens_every_interval() -> None:
    narrow = capability(NORMAL, Specification(6, 13, 10), confidence=0.9, stability=STABLE).overall
    wide = capability(NORMAL, Specification(6, 13, 10), confidence=0.99, stability=STABLE).overall

    for name in ("cp", "cpl", "cpu", "cpk", "cpm"):
        inner, outer = getattr(narrow, name), getattr(wide, name)
        assert outer.low < inner.low < inner.value < inner.high < outer.high


def test_an_estimate_from_ranges_is_as_sure_as_its_degrees_of_freedom() -> None:
    # Duncan's table D3: 20 ranges of 5 have 72.7; AIAG's SPC manual takes 0.62 (n - 1) for MR.
    _sigma, _used, of_ranges = within_sigma(shuffled(NORMAL), sizes=[5] * 20)
    _sigma, _used, of_moving = within_sigma(shuffled(NORMAL))
    _sigma, _used, pooled = within_sigma(NORMAL, sizes=[5] * 20, estimator="pooled/c4")

    assert of_ranges == pytest.approx(72.7, abs=0.1)
    assert pooled == 80
    assert of_moving == pytest.approx(0.61 * 99, rel=0.01)


def test_the_intervals_of_both_sides_are_as_wide_as_that_of_the_least() -> None:
    found = capability(NORMAL, Specification(6, 13), stability=STABLE).overall
    as_in_r = capability(NORMAL, Specification(6, 13), convention="qcc").overall

    assert found.cpl is not None
    assert found.cpu == found.cpk
    assert as_in_r.cpu is not None
    assert as_in_r.cpk == found.cpk
    assert (as_in_r.cpu.high or 0) < (found.cpk.high or 0)


@pytest.mark.parametrize(
    ("index", "demand", "grade", "crossed"),
    [
        (Index(1.23, 0.33, 2.13), 1.33, "unsure", None),
        (Index(1.80, 1.55, 2.05), 1.33, "capable", None),
        (Index(1.40, 1.20, 1.60), 1.33, "capable", 1.33),
        (Index(1.80, 1.55, 2.05), 1.67, "capable", 1.67),
        (Index(1.40, 1.20, 1.60), 1.67, "just", None),
        (Index(1.10, 0.95, 1.25), 1.33, "just", 1.0),
        (Index(0.60, 0.40, 0.80), 1.33, "unfit", None),
        (Index(0.70, 0.60, 0.80), 0.67, "capable", 0.67),
    ],
)
def test_a_grade_heeds_its_interval(
    index: Index, demand: float, grade: str, crossed: float | None
) -> None:
    found = grade_of(index, demand, 100)

    assert (found.grade, found.crossed) == (grade, crossed)


def test_a_few_values_without_an_interval_say_nothing() -> None:
    assert grade_of(Index(2.0), 1.33, 29).grade == "unsure"
    assert grade_of(Index(2.0), 1.33, 30).grade == "capable"


def test_ragged_subgroups_are_estimated_each_by_its_own_constant() -> None:
    values = [1.0, 3.0, 5.0, 6.0, 9.0, 4.0]  # ranges 2, 4 and none

    sigma, used, _freedom = within_sigma(values, sizes=[2, 3, 1])

    assert used == "Rbar/d2"
    assert sigma == pytest.approx((2 / 1.128379 + 4 / 1.692569) / 2, rel=1e-6)


def test_no_moving_range_is_taken_over_a_gap() -> None:
    sigma, _used, _freedom = within_sigma([1.0, 2.0, None, 50.0, 52.0])

    assert sigma == pytest.approx(1.5 / 1.128379, rel=1e-6)


@pytest.mark.parametrize(
    ("values", "specification", "kind"),
    [
        (NORMAL, Specification(), "no_limits"),
        (NORMAL, Specification(13, 6), "limits_reversed"),
        (NORMAL, Specification(6, 6), "limits_reversed"),
        (NORMAL, Specification(float("nan"), 6), "limits_not_finite"),
        ([5.0], Specification(1, 9), "too_few"),
        ([], Specification(1, 9), "too_few"),
        ([None, None, 3.0], Specification(1, 9), "too_few"),
        ([0.1 + 0.2, 0.3, 0.3], Specification(0, 1), "zero_variance"),
        (["a", "b"], Specification(0, 1), "not_numeric"),
        ([1.0, float("inf")], Specification(0, 1), "infinite"),
    ],
)
def test_what_has_no_capability_is_refused_in_words(
    values: Values, specification: Specification, kind: str
) -> None:
    with pytest.raises(NotComputableError) as refused:
        capability(values, specification)

    assert refused.value.kind == kind
    assert len(str(refused.value)) > 40


def test_doubts_come_in_the_order_of_their_weight() -> None:
    values = [*(SKEWED[::4] ** 3), None]

    found = capability(values, Specification(-1, 0, 5), stability=SHIFTED)

    assert kinds(found) == [
        *("unstable", "non_normal", "proposal", "few", "missing"),
        *("target_outside", "mean_outside"),
    ]


def test_a_stable_normal_process_is_not_doubted() -> None:
    assert kinds(capability(NORMAL, Specification(6, 14, 10), stability=STABLE)) == []
    assert kinds(capability(NORMAL, Specification(6, 14, 10))) == ["stability_unknown"]


def test_subgroups_without_spread_leave_the_overall_indices() -> None:
    values = np.repeat(shuffled(NORMAL)[:40], 3)

    found = capability(values, Specification(6, 14), sizes=[3] * 40, stability=STABLE)

    assert found.within is None
    assert "no_within" in kinds(found)


def test_a_model_is_proposed_for_skewed_values() -> None:
    assert propose(NORMAL).name == "normal"
    assert propose(SKEWED).name == "lognormal"
    assert propose(SKEWED - 100).name == "johnson"  # below zero no logarithm is to be had
    assert propose([1.0] * 50 + [2.0] * 50).name == "percentiles"


def test_weibull_follows_the_unit_in_its_scale_alone() -> None:
    one, other = fit_weibull(SKEWED), fit_weibull(SKEWED * 1e6)

    assert other.shape == pytest.approx(one.shape, rel=1e-8)
    assert other.scale == pytest.approx(one.scale * 1e6, rel=1e-8)


def test_box_cox_finds_the_logarithm_of_lognormal_values() -> None:
    found = fit_box_cox(SKEWED)

    assert found.power == pytest.approx(0, abs=0.05)
    assert fit_quality(SKEWED, fit_lognormal(SKEWED))[0] == pytest.approx(
        anderson_darling(found.apply(SKEWED))[0], abs=0.01
    )
    assert found.interval is not None
    assert found.interval[0] < 0 < found.interval[1]


@pytest.mark.parametrize("power", [-1.5, -0.5, 0.0, 0.5, 2.0])
def test_a_power_keeps_sides_and_comes_back(power: float) -> None:
    fit = fit_box_cox(SKEWED, power=power)
    found = model_capability(
        SKEWED, Specification(0.01, 8), "box_cox", power=power, stability=STABLE
    )

    assert np.all(np.diff(fit.apply(np.sort(SKEWED))) > 0)
    assert fit.undo(fit.apply(SKEWED)) == pytest.approx(SKEWED)
    assert found.limits.lower is not None
    assert found.limits.upper is not None
    assert found.limits.lower < found.limits.upper


def test_johnson_makes_skewed_values_normal() -> None:
    fit = fit_johnson(SKEWED**2 + 7)

    bent = fit.apply(SKEWED**2 + 7)

    assert (normality(bent).p or 0) >= 0.10
    assert fit.undo(bent) == pytest.approx(SKEWED**2 + 7)


@pytest.mark.parametrize(
    ("name", "fit"), [("weibull", Weibull(1.5, 10.0)), ("lognormal", Lognormal(1.0, 0.4))]
)
def test_intervals_by_a_model_hold_the_true_index(
    name: ModelName, fit: Weibull | Lognormal
) -> None:
    _low, median, high = fit.quantile(TAILS).tolist()
    limits = Specification(upper=median + 1.2 * (high - median))
    rng = np.random.default_rng(12)
    found = [
        model_capability(fit.quantile(rng.random(80)), limits, name).overall.cpk
        for _sample in range(200)
    ]

    held = [(each.low or 0.0) <= 1.2 <= (each.high or 0.0) for each in found]
    assert np.mean(held) == pytest.approx(0.95, abs=0.045)


def test_models_refuse_what_they_can_not_hold() -> None:
    names: list[ModelName] = ["weibull", "lognormal", "box_cox"]
    for name in names:
        with pytest.raises(NotComputableError) as refused:
            model_capability([-1.0, 2.0, 3.0], Specification(0, 5), name)
        assert refused.value.kind == "not_positive"


def test_percentiles_of_few_values_are_said_to_be_their_ends() -> None:
    found = model_capability(SKEWED, Specification(0, 20), "percentiles", stability=STABLE)

    assert found.quantiles[0] == SKEWED.min()
    assert "tails_extrapolated" in kinds(found)


def test_a_sixpack_holds_six_parts_of_the_same_values() -> None:
    values = shuffled(NORMAL)

    found = sixpack(values, Specification(6, 14, 10), sizes=[4] * 25)

    assert (found.chart.kind, found.chart.statistics.size) == ("xbar", 25)
    assert found.chart.companion is not None
    assert len(found.last) == 25
    assert found.histogram.counts.sum() == 100
    assert found.within is not None
    assert found.plot is not None
    assert found.capability.within is not None
    assert found.capability.within.sigma == pytest.approx(found.chart.sigma)
    # The area under each curve is that of the bars.
    assert found.overall is not None
    step = found.overall.values[1] - found.overall.values[0]
    assert found.overall.heights.sum() * step == pytest.approx(
        100 * found.histogram.width, rel=1e-3
    )


def test_a_sixpack_says_first_that_the_process_is_not_stable() -> None:
    found = sixpack([*shuffled(NORMAL), 30.0], Specification(6, 14))

    assert kinds(found)[0] == "unstable"


def test_an_excluded_point_is_left_out_of_the_indices() -> None:
    values = shuffled(NORMAL)
    chart = sixpack([*values, 30.0], Specification(6, 14)).chart
    found = sixpack([*values, 30.0], Specification(6, 14), plan=ChartPlan(excluded=(100,)))

    assert chart.statistics.size == found.chart.statistics.size == 101
    assert found.capability.count == 100
    assert "missing" not in kinds(found)


def test_a_sixpack_of_skewed_values_takes_the_model_asked_for() -> None:
    found = sixpack(shuffled(SKEWED), Specification(0, 20), model="lognormal")

    assert found.model is not None
    assert found.model.fit is not None
    assert found.model.overall.cpk.value != found.capability.overall.cpk.value


def test_equal_values_are_refused_in_the_words_of_what_was_asked() -> None:
    with pytest.raises(NotComputableError, match="tolerance") as capable:
        capability([5.0] * 20, Specification(1, 9))
    with pytest.raises(NotComputableError, match="no spread to judge") as normal:
        normality([5.0] * 20)

    assert capable.value.kind == normal.value.kind == "zero_variance"
