"""The runner's way to the charts, with data of many shapes, against plain definitions."""

import math
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from tests.quality.run_reference import adapters, judge

TIGHT = {"default": {"rel": 1e-9, "abs": 1e-9}}
D2 = {2: 1.1283791670955, 3: 1.6925687506433, 4: 2.0587507460145, 5: 2.3259289472810}
RNG = np.random.default_rng(20)
RAGGED = [RNG.normal(10, 1, size=size).round(3).tolist() for size in (5, 3, 5, 4, 2, 5, 5, 3)]
LATER = [RNG.normal(14, 1, size=size).round(3).tolist() for size in (4, 5, 2)]
X = RNG.normal(50, 3, size=14).round(2).tolist()
X2 = [70.0, 49.5, 30.0]


def beyond(values: list[float], low: list[float], high: list[float]) -> list[int]:
    lines = zip(values, low, high, strict=True)
    return [place for place, (x, a, b) in enumerate(lines, 1) if x < a or x > b]


def check(case_id: str, given: Any, params: Any, expected: Any) -> None:
    case = {"id": case_id, "input": given, "params": params, "expected": expected}

    assert judge({**case, "tolerance": TIGHT}, adapters()) == []


def test_ragged_averages_with_a_second_phase_and_two_sigmas() -> None:
    sizes = [len(row) for row in RAGGED + LATER]
    sigma = mean((max(row) - min(row)) / D2[len(row)] for row in RAGGED)
    centre = mean(value for row in RAGGED for value in row)
    low = [centre - 2 * sigma / math.sqrt(size) for size in sizes]
    high = [centre + 2 * sigma / math.sqrt(size) for size in sizes]
    means = [mean(row) for row in RAGGED + LATER]
    outside = beyond(means, low, high)

    check(
        "xbar_r.other",
        {"subgroups": RAGGED, "phase2_subgroups": LATER},
        {"nsigmas": 2},
        {
            "center": centre,
            "sigma": sigma,
            "lcl": low,
            "ucl": high,
            "statistics": means[:8],
            "phase2_statistics": means[8:],
            "beyond_limits_1based": [each for each in outside if each <= 8],
            "phase2_beyond_1based": [each for each in outside if each > 8],
        },
    )
    assert any(each > 8 for each in outside)


def test_pooled_deviation_of_ragged_subgroups() -> None:
    freedom = sum(len(row) - 1 for row in RAGGED)
    pooled = math.sqrt(sum((len(row) - 1) * stdev(row) ** 2 for row in RAGGED) / freedom)
    n = freedom + 1
    c4 = math.sqrt(2 / (n - 1)) * math.gamma(n / 2) / math.gamma((n - 1) / 2)

    check("xbar_rmsdf.other", {"subgroups": RAGGED}, [], {"sigma": pooled / c4})


def test_individuals_with_ranges_of_three_and_a_second_phase() -> None:
    ranges = [max(X[i - 2 : i + 1]) - min(X[i - 2 : i + 1]) for i in range(2, len(X))]
    sigma = mean(ranges) / D2[3]
    low, high = mean(X) - 3 * sigma, mean(X) + 3 * sigma

    check(
        "imr.other",
        {"x": X, "phase2_x": X2},
        {"mr_length": 3},
        {
            "center": mean(X),
            "sigma": sigma,
            "lcl": low,
            "ucl": high,
            "statistics": X,
            "mr_bar": mean(ranges),
            "mr_lcl": 0,
            "phase2_statistics": X2,
            "phase2_beyond_1based": [
                each for each in beyond(X + X2, [low] * 17, [high] * 17) if each > 14
            ],
        },
    )


@pytest.mark.parametrize("scalar", [True, False])
def test_shares_with_a_second_phase_and_a_size_said_once(scalar: bool) -> None:
    counts, later = [3, 5, 2, 8, 4, 6, 3], [4, 19]
    p = sum(counts) / (7 * 40)
    high = p + 2.5 * math.sqrt(p * (1 - p) / 40)

    check(
        "p.other",
        {
            "defectives": counts,
            "n": 40 if scalar else [40] * 7,
            "phase2_defectives": later,
            "phase2_n": [40, 40],
        },
        {"nsigmas": 2.5},
        {
            "center": p,
            "sigma": math.sqrt(p * (1 - p)),
            "lcl": 0,
            "ucl": [high] * 9,
            "statistics": [each / 40 for each in counts],
            "combined_beyond_1based": [9],
            "combined_runs7_1based": [],
        },
    )


def test_numbers_of_defectives_out_of_numbers_that_differ() -> None:
    counts, sizes = [3, 5, 2, 8], [50, 60, 40, 100]
    p = sum(counts) / sum(sizes)

    check(
        "np.other",
        {"defectives": counts, "n": sizes},
        [],
        {
            "center": [p * size for size in sizes],
            "sigma": [math.sqrt(size * p * (1 - p)) for size in sizes],
            "ucl": [p * size + 3 * math.sqrt(size * p * (1 - p)) for size in sizes],
        },
    )


def test_an_ewma_whose_centre_and_sigma_are_estimated() -> None:
    sigma = mean(abs(b - a) for a, b in pairwise(X)) / D2[2]
    level, smooth, high = mean(X), [], []
    for place, value in enumerate(X + X2, 1):
        level = 0.4 * value + 0.6 * level
        smooth.append(level)
        high.append(mean(X) + 2.5 * sigma * math.sqrt(0.4 / 1.6 * (1 - 0.6 ** (2 * place))))

    check(
        "ewma.other",
        {"x": X, "phase2_x": X2},
        {"lambda": 0.4, "L": 2.5},
        {"ewma": smooth, "ucl": high, "ucl_exact": high, "sigma": sigma},
    )


def test_a_cusum_with_a_head_start_around_a_target() -> None:
    high = low = 2.0
    sums: list[tuple[float, float]] = []
    for value in X:
        z = (value - 49) / 3
        high, low = max(0.0, high + z - 0.25), max(0.0, low - z - 0.25)
        sums.append((high, low))

    check(
        "cusum.other",
        {"x": X},
        {"k": 0.25, "h": 4, "head_start": 2, "target": 49, "sigma": 3},
        {
            "c_plus": [each[0] for each in sums],
            "c_minus": [each[1] for each in sums],
            "upper_signals_1based": [i for i, each in enumerate(sums, 1) if each[0] > 4],
            "lower_signals_1based": [i for i, each in enumerate(sums, 1) if each[1] > 4],
        },
    )


def test_rules_with_numbers_of_their_own() -> None:
    x = [1, 2, 3, 4, 5, 5, 4, 3, 2, -9]

    check(
        "rules.nelson.other",
        {"x": x, "center": 3, "sigma": 2},
        {"K": {"n1": 2, "n3": 3}, "trend_counts": "steps: three rises are four points"},
        {"nelson1": [10], "nelson3": [4, 5, 9, 10], "nelson2": []},
    )


def test_run_lengths_are_read_from_their_names() -> None:
    check("arl.other", [], [], {"shewhart2_arl0": 1 / (2 * 0.5 * math.erfc(math.sqrt(2)))})
