"""Hold acceptance sampling against the standard, published examples and exact counts."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import pdtr

from qhub_desktop.quality.acceptance_sampling import (
    AQLS,
    LEVELS,
    SamplingPlan,
    aql_plan,
    design_plan,
    operating_curve,
    zero_plan,
)
from qhub_desktop.quality.findings import NotComputableError

# A lot in each range of table I.
LOTS = (8, 15, 25, 50, 90, 150, 280, 500, 1200, 3200, 10_000, 35_000, 150_000, 500_000, 500_001)


def accepted_at_the_aql(plan: SamplingPlan) -> float:
    """Return how often a lot just as good as the AQL is accepted."""
    return float(pdtr(plan.accept, plan.sample_size * plan.aql / 100))


@pytest.mark.parametrize(
    ("lot", "level", "aql", "severity", "plan"),
    [
        (2000, "S-3", 2.5, "normal", (20, 1)),  # an arrow down: the sample is the next letter's
        (2000, "II", 0.65, "normal", (125, 2)),  # Montgomery, section 15.4
        (2000, "II", 0.65, "tightened", (125, 1)),
        (1000, "II", 1.0, "normal", (80, 2)),
        (500, "II", 2.5, "normal", (50, 3)),
        (8, "II", 1000, "normal", (2, 30)),
        (500_001, "III", 0.01, "normal", (1250, 0)),  # an arrow up, at the table's last letter
        (500_001, "III", 0.025, "tightened", (3150, 1)),  # what letter S exists for
        (2, "I", 0.01, "tightened", (2000, 0)),
        (8, "II", 10, "tightened", (8, 1)),  # no plan without acceptance at letter A
    ],
)
def test_plans_are_those_of_the_standard(
    lot: int, level: str, aql: float, severity: str, plan: tuple[int, int]
) -> None:
    found = aql_plan(lot, aql, level, severity)
    assert (found.sample_size, found.accept) == plan


@pytest.mark.parametrize(
    ("lot", "level", "aql", "plan"),
    [
        # MIL-STD-105E and Z1.4, table II-C, as R's AQLSchemes has it.
        (2000, "II", 1.0, (50, 1, 4)),
        (1000, "II", 0.65, (32, 0, 2)),
        (500, "II", 2.5, (20, 1, 4)),
        (2000, "II", 0.10, (50, 0, 1)),
        (150, "II", 4.0, (8, 1, 3)),
        (500_001, "III", 0.01, (500, 0, 1)),  # an arrow up
        (8, "II", 1000, (2, 30, 31)),
    ],
)
def test_reduced_plans_are_those_of_the_standard(
    lot: int, level: str, aql: float, plan: tuple[int, int, int]
) -> None:
    found = aql_plan(lot, aql, level, "reduced")
    assert (found.sample_size, found.accept, found.reject) == plan
    assert any(each.kind == "between" for each in found.doubts) == (plan[2] > plan[1] + 1)


def test_plans_that_accept_on_zero_have_the_sizes_that_everybody_knows() -> None:
    # 59 and 299: 95 % sure of at most 5 % and 1 % (success runs, ln 0.05 / ln 0.95); 230: 90 %.
    assert zero_plan(0.05, 0.95).sample_size == 59
    assert zero_plan(0.01, 0.95).sample_size == 299
    assert zero_plan(0.01, 0.90).sample_size == 230
    # Of a lot of 100 with 5 nonconforming: the chance of none among n is a product of fractions.
    found = zero_plan(0.05, 0.90, 100)
    chances = np.cumprod([(95 - at) / (100 - at) for at in range(95)])
    assert found.sample_size == int((chances > 0.10).sum()) + 1 == 37
    assert found.consumer_risk == pytest.approx(chances[36])
    with pytest.raises(NotComputableError):
        zero_plan(0.001, 0.9, 100)  # not one unit of the lot


@pytest.mark.parametrize("severity", ["normal", "tightened"])
def test_every_plan_keeps_the_rules_of_the_tables(severity: str) -> None:
    products: dict[int, list[float]] = {}
    for level in LEVELS:
        for aql in AQLS:
            plans = [aql_plan(lot, aql, level, severity) for lot in LOTS]
            assert all(plan.reject == plan.accept + 1 for plan in plans)
            for one, other in pairwise(plans):  # a larger lot never has the smaller sample
                assert one.sample_size <= other.sample_size
            for plan in plans:
                products.setdefault(plan.accept, []).append(plan.sample_size * aql)
                assert plan.is_whole_lot == any(d.kind == "whole_lot" for d in plan.doubts)
        for lot in LOTS:
            numbers = [aql_plan(lot, aql, level, severity).accept for aql in AQLS]
            assert numbers == sorted(numbers)
    # Along a diagonal of the table the acceptance number stays, and so nearly does n times AQL.
    for values in products.values():
        assert max(values) / min(values) < 1.3


def test_a_lot_as_good_as_the_aql_is_mostly_accepted_and_less_often_when_tightened() -> None:
    for lot in LOTS:
        for aql in AQLS:
            normal, tightened = (aql_plan(lot, aql, "II", each) for each in ("normal", "tightened"))
            assert accepted_at_the_aql(normal) > 0.85
            assert accepted_at_the_aql(tightened) <= accepted_at_the_aql(normal)


def test_a_sample_that_reaches_the_lot_is_said() -> None:
    plan = aql_plan(40, 0.4, "III")
    assert (plan.sample_size, plan.inspected, plan.is_whole_lot) == (32, 32, False)
    plan = aql_plan(20, 0.4, "III")
    assert (plan.sample_size, plan.inspected, plan.is_whole_lot) == (32, 20, True)
    assert "20" in plan.conclusion
    assert "32" not in plan.conclusion


def test_levels_may_be_written_otherwise() -> None:
    assert aql_plan(2000, 2.5, "s3") == aql_plan(2000, 2.5, "S-3")
    assert aql_plan(2000, 2.5, "g ii") == aql_plan(2000, 2.5, "II")


@pytest.mark.parametrize(
    ("lot", "aql", "level", "severity", "kind"),
    [
        (1, 1.0, "II", "normal", "lot_size"),
        (20.5, 1.0, "II", "normal", "lot_size"),
        (math.nan, 1.0, "II", "normal", "lot_size"),
        (20, 1.2, "II", "normal", "aql"),
        (20, math.nan, "II", "normal", "aql"),
        (20, 5000, "II", "normal", "aql"),
        (20, 1.0, "S-5", "normal", "level"),
        (20, 1.0, "II", "skip-lot", "severity"),
    ],
)
def test_what_the_tables_do_not_have_is_refused(
    lot: int, aql: float, level: str, severity: str, kind: str
) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        aql_plan(lot, aql, level, severity)


def test_an_aql_that_is_not_there_names_its_neighbours() -> None:
    with pytest.raises(NotComputableError, match=r"1 / 1\.5"):
        aql_plan(20, 1.2)


def test_the_curve_has_the_figures_of_a_published_plan() -> None:
    """Montgomery's n = 89, c = 2, N = 10 000: Pa 0.9397 at 1 %, ATI 687, AOQL 0.0155."""
    curve = operating_curve(89, 2, [0.01], 10_000)
    assert curve.binomial[0] == pytest.approx(0.9397, abs=5e-4)
    assert curve.inspected is not None
    assert curve.inspected[0] == pytest.approx(687, abs=5)
    assert operating_curve(89, 2).outgoing_limit == pytest.approx(0.0155, abs=2e-4)


def test_the_hypergeometric_is_what_counting_gives() -> None:
    lot, size, accept = 60, 20, 3
    bad = np.arange(lot + 1)
    counted = [
        sum(math.comb(b, k) * math.comb(lot - b, size - k) for k in range(accept + 1))
        / math.comb(lot, size)
        for b in bad.tolist()
    ]
    curve = operating_curve(size, accept, bad / lot, lot)
    assert curve.hypergeometric is not None
    assert curve.hypergeometric == pytest.approx(counted, abs=1e-12)


def test_the_curve_falls_and_its_named_points_stand_on_it() -> None:
    curve = operating_curve(125, 5, lot_size=1200)
    assert curve.hypergeometric is not None
    for values in (curve.binomial, curve.poisson, curve.hypergeometric):
        assert values[0] == pytest.approx(1)
        assert np.all(np.diff(values) <= 1e-12)
    named = [curve.fraction_at_95, curve.fraction_at_50, curve.fraction_at_10]
    assert operating_curve(125, 5, named).binomial == pytest.approx([0.95, 0.5, 0.1])
    assert curve.outgoing.max() <= curve.outgoing_limit
    assert curve.outgoing.max() == pytest.approx(curve.outgoing_limit, rel=0.01)


@pytest.mark.parametrize(
    ("size", "accept", "fractions", "lot", "kind"),
    [
        (5, 5, [0.1], None, "plan"),
        (80, 2, [1.2], None, "fraction"),
        (80, 2, [math.nan], None, "fraction"),
        (80, 2, [0.1], 50, "lot_size"),
        (0, 0, [0.1], None, "lot_size"),
    ],
)
def test_a_curve_without_sense_is_refused(
    size: int, accept: int, fractions: list[float], lot: int | None, kind: str
) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        operating_curve(size, accept, fractions, lot)


@pytest.mark.parametrize("distribution", ["binomial", "poisson", "hypergeometric"])
@pytest.mark.parametrize(
    ("producer", "consumer"),
    [((0.01, 0.95), (0.08, 0.10)), ((0.02, 0.95), (0.06, 0.10)), ((0.05, 0.9), (0.4, 0.05))],
)
def test_a_designed_plan_holds_both_points_and_no_smaller_one_does(
    distribution: str, producer: tuple[float, float], consumer: tuple[float, float]
) -> None:
    lot = 500

    def holds(size: int, accept: int) -> bool:
        curve = operating_curve(size, accept, [producer[0], consumer[0]], lot)
        good, bad = getattr(curve, distribution)
        return bool(good >= producer[1] and bad <= consumer[1])

    plan = design_plan(producer, consumer, distribution=distribution, lot_size=lot)
    assert holds(plan.sample_size, plan.accept)
    assert not any(
        holds(size, accept)
        for size in range(1, plan.sample_size)
        for accept in range(min(size, plan.accept + 1))
    )
    assert plan.producer_risk <= 1 - producer[1]
    assert plan.consumer_risk <= consumer[1]


@pytest.mark.parametrize(
    ("producer", "consumer", "kind"),
    [
        ((0.08, 0.95), (0.01, 0.10), "risks"),
        ((0.01, 0.10), (0.08, 0.95), "risks"),
        ((0.01, 0.95), (0.010001, 0.10), "no_plan"),
    ],
)
def test_a_design_that_nothing_holds_is_refused(
    producer: tuple[float, float], consumer: tuple[float, float], kind: str
) -> None:
    with pytest.raises(NotComputableError, check=lambda error: error.kind == kind):
        design_plan(producer, consumer)
