"""Measurement systems: what the components add up to, the verdict's bands, and refusals."""

import itertools

import numpy as np
import pytest

from qhub_desktop.quality.attribute_agreement import attribute_agreement, cohen_kappa, fleiss_kappa
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.gauge_bias import confidence_reach, linearity, type_1
from qhub_desktop.quality.gauge_rr import averages_and_ranges, crossed, nested
from qhub_desktop.quality.gauge_study import is_nested

CELLS = list(itertools.product(range(10), "ABC", range(3)))
PARTS = [part for part, _operator, _trial in CELLS]
OPERATORS = [operator for _part, operator, _trial in CELLS]


def readings(gauge: float, *, operators: float = 0.0, seed: int = 7) -> list[float]:
    chance = np.random.default_rng(seed)
    off = dict(zip("ABC", (-operators, 0.0, operators), strict=True))
    return [10 + part + off[who] + gauge * chance.normal() for part, who, _trial in CELLS]


@pytest.mark.parametrize("alpha", [None, 0.25])
def test_sources_add_up_to_the_total(alpha: float | None) -> None:
    found = crossed(readings(0.5, operators=0.3), PARTS, OPERATORS, alpha_pool=alpha)

    of = {each.source: each.variance for each in found.components}
    assert of["reproducibility"] == pytest.approx(of["operator"] + of["interaction"])
    assert of["grr"] == pytest.approx(of["repeatability"] + of["reproducibility"])
    assert of["total"] == pytest.approx(of["grr"] + of["part"])


def test_shares_do_not_depend_on_unit_and_order() -> None:
    values = readings(0.5, operators=0.3)
    order = np.random.default_rng(3).permutation(len(values))
    one = crossed(values, PARTS, OPERATORS, tolerance=20)
    other = crossed(
        [values[at] * 25.4 for at in order],
        [PARTS[at] for at in order],
        [OPERATORS[at] for at in order],
        tolerance=20 * 25.4,
    )

    assert other.categories == one.categories
    for mine, theirs in zip(one.components, other.components, strict=True):
        assert theirs.of_study == pytest.approx(mine.of_study)
        assert theirs.of_tolerance == pytest.approx(mine.of_tolerance)


@pytest.mark.parametrize(
    ("gauge", "band"), [(0.1, "acceptable"), (0.6, "conditional"), (3.0, "unacceptable")]
)
def test_the_band_follows_the_gauge(gauge: float, band: str) -> None:
    found = crossed(readings(gauge), PARTS, OPERATORS)

    assert found.band == band
    assert (found.categories is not None and found.categories >= 5) == (band != "unacceptable")


def test_a_tight_tolerance_decides_where_parts_vary_much() -> None:
    assert crossed(readings(0.1), PARTS, OPERATORS, tolerance=1).band == "unacceptable"


def test_the_factors_are_those_of_the_aiag_worksheet() -> None:
    # AIAG MSA 4th edition: K1 0.5908 (3 trials), K2 0.5231 (3 operators), K3 0.3146 (10 parts).
    found = averages_and_ranges(readings(0.5), PARTS, OPERATORS)

    assert found.ranges is not None
    assert found.ranges.factors == (0.5908, 0.5231, 0.3146)


def test_both_methods_agree_on_an_ordinary_study() -> None:
    values = readings(0.5, operators=0.4)
    one = crossed(values, PARTS, OPERATORS).component("grr").of_study
    other = averages_and_ranges(values, PARTS, OPERATORS).component("grr").of_study

    assert other == pytest.approx(one, rel=0.15)


def test_one_operator_and_one_trial_are_told() -> None:
    one = [at for at, operator in enumerate(OPERATORS) if operator == "A"]
    values = readings(0.3)
    alone = crossed([values[at] for at in one], [PARTS[at] for at in one], ["A"] * len(one))
    once = crossed(values[::3], PARTS[::3], OPERATORS[::3])

    assert alone.component("reproducibility").variance == 0
    assert "one_operator" in [each.kind for each in alone.doubts]
    assert once.is_pooled
    assert "one_trial" in [each.kind for each in once.doubts]


def test_a_study_that_is_not_balanced_names_the_cell() -> None:
    with pytest.raises(NotComputableError) as refused:
        crossed(readings(0.3)[:-1], PARTS[:-1], OPERATORS[:-1])

    assert refused.value.kind == "unbalanced"
    assert "9" in str(refused.value)
    assert "C" in str(refused.value)


def test_parts_of_each_operator_make_a_nested_study() -> None:
    parts = [f"{operator}{part}" for part, operator, _trial in CELLS]
    values = readings(0.3)

    assert is_nested(parts, OPERATORS)
    assert not is_nested(PARTS, OPERATORS)
    with pytest.raises(NotComputableError) as refused:
        crossed(values, parts, OPERATORS)
    assert refused.value.kind == "nested"
    assert nested(values, parts, OPERATORS).component("repeatability").deviation == pytest.approx(
        0.3, rel=0.25
    )


@pytest.mark.parametrize(
    ("values", "parts", "operators", "kind"),
    [
        ([1.0] * 8, [1, 1, 2, 2] * 2, ["A"] * 4 + ["B"] * 4, "zero_variance"),
        ([1.0, 2.0, 3.0, 4.0], [1] * 4, ["A", "A", "B", "B"], "too_few_parts"),
        ([1.0, 2.0], [1, 2], ["A", "A"], "too_few_trials"),
        ([1.0, float("nan"), 2.0, 3.0], [1, 1, 2, 2], ["A"] * 4, "missing"),
    ],
)
def test_what_has_no_gauge_study_is_refused(
    values: list[float], parts: list[int], operators: list[str], kind: str
) -> None:
    with pytest.raises(NotComputableError) as refused:
        crossed(values, parts, operators)

    assert refused.value.kind == kind


def test_a_type_1_study_tells_bias_from_scatter() -> None:
    scatter = np.random.default_rng(5).normal(size=50) * 0.05

    right = type_1(10 + scatter - scatter.mean(), 10, tolerance=3)
    off = type_1(10.3 + scatter - scatter.mean(), 10, tolerance=3)

    assert right.is_capable
    assert right.cg == pytest.approx(off.cg)
    assert not off.is_capable
    assert off.test.p is not None
    assert off.test.p < 0.001
    assert right.conclusion != off.conclusion


def test_type_1_refuses_what_it_can_not_judge() -> None:
    for values, reference, kind in (
        ([1.0, 2.0], None, "no_reference"),
        ([1.0], 1.0, "too_few"),
        ([1.0, 1.0, 1.0], 1.0, "zero_variance"),
    ):
        with pytest.raises(NotComputableError) as refused:
            type_1(values, reference)
        assert refused.value.kind == kind


def test_linearity_finds_the_line_of_the_bias() -> None:
    reference = np.repeat([2.0, 4.0, 6.0, 8.0, 10.0], 12)
    noise = np.tile([0.1, -0.1], 30)

    found = linearity(reference, reference + 0.5 - 0.1 * reference + noise, process_variation=6)

    assert found.slope == pytest.approx(-0.1)
    assert found.intercept == pytest.approx(0.5)
    assert found.linearity == pytest.approx(0.6)
    with pytest.raises(NotComputableError) as refused:
        linearity([2.0] * 5, [2.0, 2.1, 1.9, 2.0, 2.2])
    assert refused.value.kind == "one_reference"


def test_kappa_of_the_published_tables() -> None:
    # Cohen's worked table of 50 grants: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: 0.40.
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    # Fleiss' kappa of ten subjects, fourteen raters, five categories: 0.210.
    table = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]

    assert cohen_kappa(one, other) == pytest.approx(0.40)
    assert fleiss_kappa(np.array(table, dtype=float)) == pytest.approx(0.210, abs=5e-4)


def test_agreement_is_counted_by_part() -> None:
    # Three readings of two parts: one wrong reading spoils its part, not a third of it.
    found = attribute_agreement(
        ["ok", "ok", "nok", "nok", "nok", "nok"],
        [1, 1, 1, 2, 2, 2],
        ["A"] * 6,
        ["ok"] * 3 + ["nok"] * 3,
    )

    appraiser = found.appraisers[0]
    assert appraiser.within is not None
    assert (appraiser.within.matched, appraiser.within.inspected) == (1, 2)
    assert appraiser.versus is not None
    assert appraiser.versus.matched == 1


def test_agreement_without_a_standard_or_a_part_is_said() -> None:
    cases = [
        (["a", "b"], [1, 2], ["A", "A"], None, "one_reading"),
        (["a", "b"], [1, 1], ["A", "A"], None, "too_few_parts"),
        (["a", "b", "a"], [1, 2, 1], ["A", "A", "B"], None, "incomplete"),
        (["a", "b", "a"], [1, 1, 2], ["A"] * 3, ["a", "b", "a"], "reference_varies"),
    ]
    for results, parts, operators, reference, kind in cases:
        with pytest.raises(NotComputableError) as refused:
            attribute_agreement(results, parts, operators, reference)
        assert refused.value.kind == kind


def test_judgements_that_never_differ_have_no_kappa() -> None:
    found = attribute_agreement(["ok"] * 8, [1, 2] * 4, ["A"] * 4 + ["B"] * 4, ["ok"] * 8)

    assert found.fleiss_between is None
    assert found.band is None
    assert "one_category" in [each.kind for each in found.doubts]


def test_the_band_of_a_regression_is_that_of_its_mean() -> None:
    # R: predict(lm(bias ~ reference), interval = "confidence") for these six readings.
    reference = np.array([2.0, 2.0, 4.0, 4.0, 6.0, 6.0])
    bias = np.array([0.3, 0.1, 0.0, 0.2, -0.1, -0.3])
    found = linearity(reference, reference + bias)

    reach = confidence_reach(found, reference, np.array([2.0, 4.0, 6.0]))

    assert reach is not None
    assert reach.tolist() == pytest.approx([0.242663349, 0.153473778, 0.242663349], rel=1e-6)


@pytest.mark.parametrize(
    ("counts", "kappa"), [((44, 6, 3, 97), 0.86), ((43, 7, 8, 92), 0.78), ((42, 5, 9, 94), 0.79)]
)
def test_judgements_are_crossed_as_in_the_manual(
    counts: tuple[int, int, int, int], kappa: float
) -> None:
    """AIAG, Measurement Systems Analysis, 4th edition, III C: A x B, A x C and B x C."""
    cells = [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
    pairs = [pair for pair, count in zip(cells, counts, strict=True) for _each in range(count)]
    parts = [part for part in range(len(pairs)) for _operator in "AB"]
    operators = ["A", "B"] * len(pairs)

    found = attribute_agreement([each for pair in pairs for each in pair], parts, operators)

    (crossed,) = found.crossed
    assert crossed.counts == counts
    assert crossed.kappa == pytest.approx(kappa, abs=5e-3)
    total = sum(counts)
    first = (counts[0] + counts[1]) * (counts[0] + counts[2]) / total
    assert crossed.expected[0] == pytest.approx(first)


@pytest.mark.parametrize(
    ("missed", "alarms", "decision"),
    [(0, 0, "acceptable"), (1, 2, "marginal"), (8, 0, "unacceptable"), (0, 9, "unacceptable")],
)
def test_an_operator_is_judged_by_the_bounds_of_the_manual(
    missed: int, alarms: int, decision: str
) -> None:
    standard = ["bad"] * 25 + ["good"] * 25
    said = ["good"] * missed + ["bad"] * (25 - missed + alarms) + ["good"] * (25 - alarms)

    found = attribute_agreement(said, [*range(50)], ["A"] * 50, standard, bad="bad")

    assert found.appraisers[0].decision == decision
    is_doubted = any(each.kind == "effectiveness" for each in found.doubts)
    assert is_doubted == (decision == "unacceptable")
