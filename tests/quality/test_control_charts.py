"""Charts of measurements and of counts: published examples, phases, refusals, doubts."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.quality import attribute_charts, constants, variable_charts
from qhub_desktop.quality.control_charts import ChartPlan, ControlChart, ControlLimits
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.run_rules import LIMITS_ONLY
from qhub_desktop.quality.variable_charts import averages, individuals

# NIST/SEMATECH e-Handbook 6.3.2.2, flow rates, and 6.3.3.1, defects on 25 wafers.
FLOW_RATES = [49.6, 47.6, 49.9, 51.3, 47.8, 51.2, 52.6, 52.4, 53.6, 52.1]
WAFERS = [
    16,
    14,
    28,
    16,
    12,
    20,
    10,
    12,
    10,
    17,
    19,
    17,
    14,
    16,
    15,
    13,
    14,
    16,
    11,
    20,
    11,
    19,
    16,
]
WAFERS += [31, 13]

measured = st.lists(st.integers(-500, 500), min_size=12, max_size=40).filter(
    lambda values: len(set(values)) > 4
)


def kinds(chart: ControlChart) -> set[str]:
    return {doubt.kind for doubt in chart.doubts}


def test_individuals_are_as_in_the_handbook() -> None:
    chart = individuals(FLOW_RATES)

    assert chart.centre[0] == pytest.approx(50.81)
    assert chart.upper[0] == pytest.approx(55.8041, abs=0.002)  # there with d2 rounded to 1.128
    assert chart.lower[0] == pytest.approx(45.8159, abs=0.002)
    assert chart.companion is not None
    assert chart.companion.centre[0] == pytest.approx(1.8778, abs=1e-4)
    assert chart.estimator == "MRbar/d2"
    assert kinds(chart) >= {"few_points"}


def test_counts_of_defects_are_as_in_the_handbook() -> None:
    chart = attribute_charts.defect_counts(WAFERS)

    assert (chart.centre[0], chart.lower[0], chart.upper[0]) == (16, 4, 28)
    assert chart.beyond == (23,)  # the third wafer lies on the line, with 28
    assert (23, ("nelson1",)) in chart.signals


@pytest.mark.parametrize(
    ("size", "name", "printed"),
    [
        (2, "A2", 1.880),
        (2, "D4", 3.267),
        (5, "A2", 0.577),
        (5, "d2", 2.326),
        (5, "d3", 0.864),
        (5, "c4", 0.9400),
        (5, "D4", 2.114),
        (5, "A3", 1.427),
        (5, "B4", 2.089),
        (10, "D3", 0.223),
        (25, "d2", 3.931),
        (25, "B3", 0.565),
    ],
)
def test_constants_are_as_printed(size: int, name: str, printed: float) -> None:
    assert constants.factors(size)[name] == pytest.approx(printed, abs=6e-4)


@given(measured, st.integers(-1000, 1000), st.sampled_from([0.25, 1.0, 8.0]))
def test_a_shift_and_a_scale_change_nothing_but_the_numbers(
    values: list[int], shift: int, scale: float
) -> None:
    try:
        chart = individuals(np.array(values, dtype=float))
    except NotComputableError:
        return
    moved = individuals(np.array(values) * scale + shift)

    assert moved.upper == pytest.approx(chart.upper * scale + shift)
    assert moved.sigma == pytest.approx(chart.sigma * scale)
    assert moved.signals == chart.signals


@given(measured)
def test_subgroups_of_one_size_agree_with_the_factors_of_the_tables(values: list[int]) -> None:
    rows = np.array(values[:12], dtype=float).reshape(4, 3)
    ranges = np.ptp(rows, axis=1)
    if not ranges.any():
        return
    chart = averages(rows)

    factors = constants.factors(3)
    assert chart.upper - chart.centre == pytest.approx(np.full(4, factors["A2"] * ranges.mean()))
    assert chart.companion is not None
    assert chart.companion.upper == pytest.approx(np.full(4, factors["D4"] * ranges.mean()))


def test_unequal_subgroups_have_limits_of_their_own() -> None:
    rng = np.random.default_rng(4)
    rows = [rng.normal(size=size) for size in (5, 3, 5, 4, 2, 5)]

    chart = averages(rows)

    widths = chart.upper - chart.centre
    assert widths == pytest.approx(3 * chart.sigma / np.sqrt([5, 3, 5, 4, 2, 5]))
    assert chart.estimator == "mean(R/d2)"


def test_frozen_limits_judge_later_data_as_phase_two_of_one_chart_does() -> None:
    rng = np.random.default_rng(1)
    early, late = rng.normal(10, 1, size=30), rng.normal(13, 1, size=12)
    whole = individuals(np.concatenate([early, late]), ChartPlan(baseline=30))

    later = individuals(late, ChartPlan(frozen=individuals(early).frozen))

    assert later.upper == pytest.approx(whole.upper[30:])
    assert later.companion is not None
    assert whole.companion is not None
    assert later.companion.upper == pytest.approx(whole.companion.upper[30:])
    assert later.beyond == tuple(each - 30 for each in whole.beyond if each >= 30)
    assert not later.is_baseline.any()


@pytest.mark.parametrize("position", range(4), ids=["i", "xbar", "c", "laney_p"])
def test_frozen_limits_judge_a_single_later_point(position: int) -> None:
    calm = np.random.default_rng(9).normal(size=(25, 4))
    counts = [4, 3, 5, 6, 4, 5] * 4
    later: list[ControlChart] = [
        individuals([9.0], ChartPlan(frozen=individuals(calm.ravel()).frozen)),
        averages([[9.0, 9.5]], ChartPlan(frozen=averages(calm).frozen)),
        attribute_charts.defect_counts(
            [40], ChartPlan(frozen=attribute_charts.defect_counts(counts).frozen)
        ),
        attribute_charts.laney_shares(
            [90], 100, ChartPlan(frozen=attribute_charts.laney_shares(counts, 100).frozen)
        ),
    ]

    assert later[position].signals == ((0, ("nelson1",)),)
    assert "few_points" not in kinds(later[position])


def test_a_known_sigma_gives_the_ranges_their_centre() -> None:
    rows = np.random.default_rng(2).normal(size=(8, 4))

    chart = averages(rows, ChartPlan(frozen=ControlLimits(0.0, 1.0)))

    assert chart.companion is not None
    assert chart.companion.centre == pytest.approx(np.full(8, constants.d2(4)))


def test_a_point_left_out_makes_no_limits_and_breaks_no_rule() -> None:
    values = [*np.random.default_rng(3).normal(size=30), 25.0]

    chart = individuals(values, ChartPlan(excluded=(30,)))

    assert chart.sigma == pytest.approx(individuals(values[:30]).sigma)
    assert chart.statistics[30] == 25
    assert 30 not in dict(chart.signals)
    assert chart.beyond == (*individuals(values[:30]).beyond, 30)


def test_stages_have_limits_and_runs_of_their_own() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=20), rng.normal(50, size=20)

    chart = individuals(np.concatenate([first, second]), ChartPlan(stages=(20,)))

    assert chart.upper[:20] == pytest.approx(individuals(first).upper)
    assert chart.upper[20:] == pytest.approx(individuals(second).upper)
    assert chart.companion is not None
    assert np.isnan(chart.companion.statistics[20])  # the step between stages is no moving range
    signals = dict(individuals(second).signals)
    assert {each - 20: rules for each, rules in chart.signals if each >= 20} == signals


def test_a_gap_stays_a_gap() -> None:
    values = [*FLOW_RATES, None, *FLOW_RATES]

    chart = individuals(values)

    assert np.isnan(chart.statistics[10])
    assert chart.companion is not None
    assert np.isnan(chart.companion.statistics[[10, 11]]).all()
    assert "gaps" in kinds(chart)


def test_shares_have_stairs_for_limits_between_none_and_all() -> None:
    chart = attribute_charts.defective_shares([1, 0, 30, 2, 1], [2, 10, 1000, 40, 4])

    widths = chart.upper - chart.centre
    assert np.unique(widths).size == 5
    assert chart.lower.min() >= 0
    assert chart.upper.max() <= 1


def test_points_that_vary_more_than_chance_are_told_with_the_chart_that_fits() -> None:
    rng = np.random.default_rng(6)
    sizes = np.full(40, 20_000)
    shares = np.clip(rng.normal(0.1, 0.02, size=40), 0.01, 0.5)
    counts = rng.binomial(sizes, shares)

    chart = attribute_charts.defective_shares(counts, sizes)
    laney = attribute_charts.laney_shares(counts, sizes)

    doubt = next(each for each in chart.doubts if each.kind == "overdispersion")
    assert f"{laney.limits[0].sigma_z:.2f}" in doubt.text
    assert "Laney" in doubt.text
    assert len(laney.beyond) < len(chart.beyond)
    assert "overdispersion" not in kinds(laney)


def test_chance_alone_is_not_taken_for_overdispersion() -> None:
    rng = np.random.default_rng(7)
    told = sum(
        "overdispersion" in kinds(attribute_charts.defect_counts(rng.poisson(12, size=30)))
        for _series in range(200)
    )

    assert told <= 8


def test_neighbours_that_resemble_each_other_are_told() -> None:
    walk = np.cumsum(np.random.default_rng(8).normal(size=60))

    assert "autocorrelation" in kinds(individuals(walk))


def test_a_step_between_stages_is_no_likeness_of_neighbours() -> None:
    rng = np.random.default_rng(10)
    values = np.concatenate([rng.normal(size=40), rng.normal(30, size=40)])

    assert "autocorrelation" in kinds(individuals(values))
    assert "autocorrelation" not in kinds(individuals(values, ChartPlan(stages=(40,))))


def test_a_run_chart_flags_a_shift_against_the_median() -> None:
    values = [*range(1, 13), *range(101, 113)]

    chart = variable_charts.run_chart(values)

    assert np.isnan(chart.upper).all()
    assert [position for position, _rules in chart.signals] == list(range(24))
    assert "few_crossings" in kinds(chart)


ones = [1.0] * 25


@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (lambda: individuals(ones), "zero_variance"),
        (lambda: individuals([0.1] * 7), "zero_variance"),
        (lambda: individuals([]), "no_values"),
        (lambda: individuals([3.0]), "one_subgroup"),
        (lambda: individuals([3.0, 4.0]), "too_few"),
        (lambda: individuals([1.0, float("inf"), 2.0]), "infinite"),
        (lambda: individuals(np.array(["a", "b", "c"])), "not_numeric"),
        (lambda: individuals([1, None, 2, None, 3]), "gaps"),
        (lambda: averages([[1.0, 2.0, 3.0]]), "one_subgroup"),
        (lambda: averages([[1.0], [2.0], [3.0]]), "subgroups_of_one"),
        (lambda: averages([[2.0, 2.0]] * 25), "zero_variance"),
        (lambda: averages([]), "no_values"),
        (lambda: attribute_charts.defective_shares([1, 2, 3], None), "denominator"),
        (lambda: attribute_charts.defective_shares([1, 2, 3], [0, 0, 0]), "denominator"),
        (lambda: attribute_charts.defective_shares([0, 0, 0], [0, 0, 0]), "denominator"),
        (lambda: attribute_charts.defective_shares([1, 2, 3], [9, 9]), "denominator"),
        (lambda: attribute_charts.defective_shares([1, 2, 3], 2), "more_than_inspected"),
        (lambda: attribute_charts.defect_rates([1, 2, 3], None), "denominator"),
        (lambda: attribute_charts.laney_shares([0, 0, 0], 10), "zero_variance"),
        (lambda: attribute_charts.defect_counts([1.5, 2, 3]), "not_counts"),
        (lambda: attribute_charts.defect_counts([-1, 2, 3]), "not_counts"),
        (lambda: individuals(FLOW_RATES, ChartPlan(stages=(40,))), "stages"),
        (lambda: individuals(FLOW_RATES, ChartPlan(excluded=(40,))), "excluded"),
        (lambda: individuals(FLOW_RATES, ChartPlan(baseline=[True])), "baseline"),
        (lambda: individuals(FLOW_RATES, ChartPlan(baseline=1)), "one_subgroup"),
    ],
)
def test_what_can_not_be_drawn_is_refused_by_name(
    draw: Callable[[], ControlChart], kind: str
) -> None:
    with pytest.raises(NotComputableError) as caught:
        draw()

    assert caught.value.kind == kind


def test_days_without_production_are_gaps() -> None:
    chart = attribute_charts.defect_rates([3, 0, 5, 4, 2], [10, 0, 12, 9, 11])

    assert np.isnan(chart.statistics[1])
    assert chart.centre[0] == pytest.approx(14 / 42)
    assert "gaps" in kinds(chart)


def test_no_defect_at_all_is_drawn_with_a_doubt() -> None:
    chart = attribute_charts.defective_shares([0] * 20, 50, ChartPlan(rules=LIMITS_ONLY))

    assert "no_defects" in kinds(chart)
    assert chart.signals == ()


def test_weighted_estimates_lean_on_the_larger_subgroups() -> None:
    # By hand, with the factors that are printed for n = 2 and 5: d2 1.128 and 2.326, d3 0.853 and
    # 0.864, c4 0.7979 and 0.9400.
    rows = [[1.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 5.0]]
    weights = [(1.128 / 0.853) ** 2, (2.326 / 0.864) ** 2, (1.128 / 0.853) ** 2]
    by_range = np.average([2 / 1.128, 4 / 2.326, 3 / 1.128], weights=weights)
    c4 = np.array([0.7979, 0.9400, 0.7979])
    by_deviation = np.average(
        np.array([2**0.5, 2.5**0.5, 3 / 2**0.5]) / c4, weights=c4**2 / (1 - c4**2)
    )

    ranged = averages(rows, estimator="weighted_range")
    deviating = averages(rows, estimator="weighted_deviation")

    assert ranged.sigma == pytest.approx(by_range, rel=1e-3)
    assert deviating.sigma == pytest.approx(by_deviation, rel=1e-3)
    assert (ranged.estimator, deviating.estimator) == ("MVLUE(R/d2)", "MVLUE(S/c4)")
    assert ranged.companion is not None
    assert deviating.companion is not None
    assert (ranged.companion.kind, deviating.companion.kind) == ("r", "s")
