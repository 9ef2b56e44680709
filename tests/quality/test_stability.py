"""Stability: what chance makes is no instability, and what it hardly makes is."""

import numpy as np
import pytest

from qhub_desktop.quality.attribute_charts import defect_counts, defective_shares
from qhub_desktop.quality.capability import Specification
from qhub_desktop.quality.constants import freedom_of, range_freedom
from qhub_desktop.quality.control_charts import ChartPlan, ControlLimits
from qhub_desktop.quality.run_rules import NELSON, WESTERN_ELECTRIC, FloatArray
from qhub_desktop.quality.sixpack import sixpack
from qhub_desktop.quality.stability import Stability, stability_of
from qhub_desktop.quality.variable_charts import averages, individuals, run_chart
from qhub_desktop.tools.studies.names import ALARMS

RULES = NELSON.only("nelson1", "nelson2")
LIMITS = ControlLimits(0.0, 1.0)
PLAN = ChartPlan(rules=RULES, frozen=LIMITS)


def judged(values: FloatArray) -> Stability:
    return stability_of(individuals(values, PLAN), RULES)


def by_turns(count: int) -> FloatArray:
    return np.resize(np.array([0.6, -0.6]), count).astype(np.float64)


def test_a_point_just_beyond_the_limits_is_a_signal_and_one_far_beyond_is_unstable() -> None:
    values = by_turns(100)
    values[40] = 3.1
    near = judged(values)
    values[40] = 6.0
    far = judged(values)

    assert (near.grade, near.first) == ("signal", (40, "nelson1"))
    assert near.chance is not None
    assert near.chance.expected == pytest.approx(0.55, abs=0.1)  # 0.27 beyond, the rest runs
    assert far.grade == "unstable"


def test_more_points_beyond_than_chance_makes_are_unstable() -> None:
    values = by_turns(100)
    values[[10, 30, 50, 70]] = 3.1

    assert judged(values).grade == "unstable"


def test_nine_on_one_side_are_to_be_checked_and_forty_are_unstable() -> None:
    values = by_turns(100)
    values[20:30] = 0.5
    few = judged(values)
    values[20:60] = 0.5
    many = judged(values)

    assert (few.grade, few.first) == ("check", (28, "nelson2"))
    assert many.grade == "unstable"


def test_moving_ranges_alone_are_to_be_checked() -> None:
    values = by_turns(100)
    values[50], values[51] = 2.9, -2.9  # within the limits, but a range of 5.8

    found = judged(values)

    assert (found.grade, found.flagged, found.spread) == ("check", 0, 1)
    assert found.spread_expected == pytest.approx(0.9, abs=0.02)  # 0.0091 each, of 99


def test_stable_processes_are_seldom_called_unstable() -> None:
    rng = np.random.default_rng(3)
    plan = ChartPlan(rules=RULES)
    of_values = [stability_of(individuals(rng.normal(5, 2, 100), plan), RULES) for _ in range(200)]
    of_rows = [stability_of(averages(rng.normal(5, 2, (100, 5)), plan), RULES) for _ in range(200)]

    for found in (of_values, of_rows):
        assert sum(each.grade == "unstable" for each in found) <= 14  # 5 % and three errors
        assert found[0].chance is not None
        alarms = float(np.mean([each.flagged > 0 for each in found]))
        assert alarms == pytest.approx(found[0].chance.alarms, abs=0.12)


def test_counts_are_judged_by_their_own_distribution() -> None:
    # Of Poisson counts with a mean of 1, one of 400 exceeds 4, the limit; the normal says 1 of 741.
    counts = np.ones(99)
    counts[::9] = 0
    counts[1::9] = 2
    found = stability_of(defect_counts(counts, ChartPlan(rules=RULES)), RULES)
    shares = stability_of(defective_shares([2] * 40 + [30], 100, ChartPlan(rules=RULES)), RULES)

    assert found.grade == "stable"
    assert found.chance is not None
    assert found.chance.expected > 99 * 0.0036
    assert shares.grade == "unstable"


def test_skewed_values_are_judged_on_the_scale_of_their_model() -> None:
    values = np.random.default_rng(8).lognormal(0.0, 1.0, 100)
    limits = Specification(0.001, 100)

    by_normal = sixpack(values, limits, plan=ChartPlan(rules=RULES))
    by_model = sixpack(values, limits, plan=ChartPlan(rules=RULES), model="lognormal")

    assert by_normal.stability.grade == "unstable"
    assert by_model.stability.grade == "stable"
    # Drawn in the data's unit: the points are the values, and no limit lies below zero.
    assert by_model.chart.statistics == pytest.approx(values)
    assert by_model.chart.lower.min() > 0


def test_a_run_chart_with_hardly_any_crossing_is_unstable() -> None:
    drifting = np.arange(40.0) + by_turns(40) / 100

    assert stability_of(run_chart(drifting), RULES).grade == "unstable"
    assert stability_of(run_chart(by_turns(40)), RULES).grade == "stable"


def test_degrees_of_freedom_are_those_of_the_tables() -> None:
    # Duncan, Quality Control and Industrial Statistics, table D3: nu and d2* of one range.
    for size, freedom, root in (
        (2, 1.0, 1.414),
        (3, 2.0, 1.912),
        (5, 3.8, 2.481),
        (10, 7.7, 3.179),
    ):
        found = range_freedom(size)
        assert found[0] == pytest.approx(freedom, abs=0.06)
        assert found[1] == pytest.approx(root, abs=0.002)
    assert freedom_of(0.1) == pytest.approx(50.25, abs=0.01)  # 1 / (2 v²) + 1/4, of many


def test_the_false_alarms_that_the_form_tells_of_are_those_of_the_rules() -> None:
    for code, told in ALARMS.items():
        rules = (NELSON if code in NELSON.codes else WESTERN_ELECTRIC).only(code)
        chance = stability_of(individuals(by_turns(100), ChartPlan(rules=rules)), rules).chance

        assert chance is not None
        assert 100 * chance.alarms == pytest.approx(told, abs=2)
