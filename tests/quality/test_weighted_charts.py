"""EWMA, CUSUM and average run lengths, against published tables and plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.quality import attribute_charts
from qhub_desktop.quality.control_charts import ChartPlan, ControlLimits
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.variable_charts import averages, individuals
from qhub_desktop.quality.weighted_charts import cusum, cusum_arl, ewma, ewma_arl, shewhart_arl

# Montgomery, Introduction to Statistical Quality Control, table 9.1: mean 10, then 11 from 21 on.
SHIFTED = [9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46, 9.20, 10.34, 9.03, 11.47, 10.51]
SHIFTED += [9.40, 10.08, 9.37, 10.62, 10.31, 8.52, 10.84, 10.90, 9.33, 12.29, 11.50, 10.60, 11.08]
SHIFTED += [10.38, 11.62, 11.31, 10.52]
KNOWN = ChartPlan(frozen=ControlLimits(10.0, 1.0))


def test_the_cusum_is_as_in_the_book() -> None:
    chart = cusum(individuals(SHIFTED, KNOWN))

    assert chart.statistics[28] == pytest.approx(5.28)
    assert chart.signals == ((28, ("beyond",)), (29, ("beyond",)))
    assert chart.companion is not None
    assert chart.companion.statistics[:3] == pytest.approx([-0.05, -1.56, -1.77])
    assert chart.companion.signals == ()


def test_the_ewma_is_as_in_the_book() -> None:
    chart = ewma(individuals(SHIFTED, KNOWN), weight=0.1, width=2.7)

    assert chart.statistics[:3] == pytest.approx([9.945, 9.7495, 9.70355])
    assert chart.upper[0] == pytest.approx(10.27)
    assert [position for position, _rules in chart.signals] == [28, 29]


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=30))
def test_an_ewma_of_weight_one_is_the_chart_itself(values: list[int]) -> None:
    base = individuals(values, ChartPlan(frozen=ControlLimits(0.0, 10.0)))

    chart = ewma(base, weight=1.0)

    assert chart.statistics == pytest.approx(base.statistics)
    assert chart.upper == pytest.approx(base.upper)


def test_exact_limits_grow_to_the_asymptotic_ones() -> None:
    base = individuals(np.random.default_rng(0).normal(size=80))

    exact, wide = ewma(base), ewma(base, limits="asymptotic")

    assert (np.diff(exact.upper) >= 0).all()
    assert exact.upper[-1] == pytest.approx(wide.upper[0])
    assert wide.upper[0] - wide.centre[0] == pytest.approx(base.sigma)  # 3 sqrt(0.2 / 1.8) = 1


def test_a_cusum_in_the_unit_of_the_data_is_that_in_sigmas_stretched() -> None:
    base = averages(np.random.default_rng(1).normal(3, 2, size=(20, 4)))
    step = float(base.spread[0])

    in_sigmas, in_data = cusum(base), cusum(base, k=0.5 * step, h=5 * step, units="data")

    assert in_data.statistics == pytest.approx(in_sigmas.statistics * step)


def test_a_head_start_is_sooner_at_a_signal() -> None:
    base = individuals([11.0] * 12, KNOWN)

    first = cusum(base).signals[0][0]
    with_head_start = cusum(base, head_start=2.5).signals[0][0]

    assert (first, with_head_start) == (10, 5)


def test_stages_and_points_left_out_are_not_remembered() -> None:
    values = [*np.random.default_rng(2).normal(size=10), 40.0, *([5.0, 5.5, 6.0] * 4)]
    base = individuals(values, ChartPlan(stages=(11,), excluded=(10,)))

    smooth, sums = ewma(base), cusum(base)

    assert np.isnan(smooth.statistics[10])
    assert smooth.statistics[11] == pytest.approx(0.2 * 5 + 0.8 * base.centre[11])
    assert sums.statistics[11] == 0


@pytest.mark.parametrize(
    ("computed", "published"),
    [
        # Montgomery, tables 9.3 and 9.11; Lucas and Crosier's table for the head start.
        (cusum_arl(k=0.5, h=5), 465),
        (cusum_arl(k=0.5, h=4), 168),
        (cusum_arl(k=0.5, h=5, shift=1), 10.4),
        (cusum_arl(k=0.5, h=5, shift=2), 4.01),
        (cusum_arl(k=0.5, h=5, head_start=2.5), 430),
        (cusum_arl(k=0.5, h=5, shift=1, head_start=2.5), 6.35),
        (ewma_arl(weight=0.2, width=2.962), 500),
        (ewma_arl(weight=0.1, width=2.814), 500),
        (ewma_arl(weight=0.1, width=2.814, shift=1), 10.3),
        (shewhart_arl(), 370.4),
        (shewhart_arl(shift=1), 43.9),
    ],
)
def test_average_run_lengths_are_as_published(computed: float, published: float) -> None:
    assert computed == pytest.approx(published, rel=6e-3)


def test_run_lengths_hold_in_a_simulation() -> None:
    values = np.random.default_rng(3).normal(1.0, 1.0, size=(400, 80))
    lengths = []
    for row in values:
        chart = cusum(individuals(row, ChartPlan(frozen=ControlLimits(0.0, 1.0))))
        lengths.append(chart.signals[0][0] + 1)

    assert np.mean(lengths) == pytest.approx(cusum_arl(shift=1.0), rel=0.08)


def test_only_charts_of_measurements_are_weighted() -> None:
    counts = attribute_charts.defect_counts([3, 4, 5, 6])

    for weigh in (ewma, cusum):
        with pytest.raises(NotComputableError, match=r"\w"):
            weigh(counts)
    with pytest.raises(NotComputableError):
        ewma(individuals(SHIFTED), weight=0)
    with pytest.raises(NotComputableError):
        cusum(individuals(SHIFTED), h=0)
