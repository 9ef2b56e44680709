"""What the program computes by itself, against SciPy, which the tests have whole."""

import math
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from qhub_desktop.quality.exact_counts import rank_sum_p
from qhub_desktop.quality.group_pairs import studentized_quantile, studentized_tail
from qhub_desktop.quality.normality import shapiro_wilk
from qhub_desktop.quality.scalar_search import least_between, zero_between

FUNCTIONS = [
    lambda x: x**3 - 2 * x - 5,
    lambda x: math.cos(x) - x,
    lambda x: math.exp(x) - 7,
    lambda x: math.atan(x - 1.3) * 100,
    lambda x: (x - 1.25) ** 9,
    lambda x: -1.0 if x < 2.2 else 1.0,
]


@pytest.mark.parametrize("at", range(len(FUNCTIONS)))
def test_a_zero_is_where_scipy_finds_it(at: int) -> None:
    found = zero_between(FUNCTIONS[at], -1.5, 4.0, within=1e-12, share=1e-12)
    expected = optimize.brentq(FUNCTIONS[at], -1.5, 4.0, xtol=1e-12, rtol=1e-12)
    assert found == pytest.approx(expected, abs=1e-11 if at != 4 else 1e-6)


def test_a_function_without_a_change_of_sign_has_no_zero() -> None:
    for function in (lambda _x: 1.0, lambda _x: math.nan):
        with pytest.raises(ValueError, match="sign"):
            zero_between(function, 0, 1)
    assert zero_between(lambda x: x, 0, 1) == 0
    assert zero_between(lambda x: x - 1, 0, 1) == 1


@pytest.mark.parametrize("place", [-4.9, -1.0, 0.0, 0.3, 2.5, 4.999])
def test_the_least_value_is_where_scipy_finds_it(place: float) -> None:
    for function in (
        lambda x: (x - place) ** 2,
        lambda x: abs(x - place) ** 1.5 + 3,
        lambda x: math.cosh(x - place),
    ):
        found, value = least_between(function, -5, 5, within=1e-9)
        expected = optimize.minimize_scalar(
            function, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}
        )
        assert found == pytest.approx(expected.x, abs=1e-7)
        assert value == pytest.approx(expected.fun, abs=1e-12)


def samples() -> list[NDArray[np.float64]]:
    generator = np.random.default_rng(3)
    sizes = (3, 4, 5, 6, 7, 11, 12, 20, 51, 400, 4999, 5000)
    drawn = [generator.normal(20, 0.1, size) for size in sizes]
    drawn += [generator.exponential(2, size) for size in sizes]
    drawn += [generator.integers(0, 4, size).astype(float) for size in sizes[3:]]
    return [*drawn, np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.0, 1.0])]


def test_shapiro_and_wilk_is_scipys() -> None:
    for sample in samples():
        expected = stats.shapiro(sample - np.median(sample))
        statistic, p = shapiro_wilk(sample)
        assert statistic == pytest.approx(expected.statistic, rel=2e-8)
        assert p == pytest.approx(min(max(expected.pvalue, 0), 1), rel=1e-5, abs=1e-90)


def test_the_exact_test_of_ranks_is_scipys() -> None:
    generator = np.random.default_rng(5)
    for first, second in ((1, 1), (1, 7), (3, 4), (8, 8), (20, 5), (49, 49)):
        for shift in (0.0, 0.4, 3.0):
            one, two = generator.normal(shift, 1, first), generator.normal(0, 1, second)
            expected = stats.mannwhitneyu(one, two, method="exact")
            found = rank_sum_p(float(expected.statistic), first, second)
            assert found == pytest.approx(float(expected.pvalue), rel=1e-12)


def test_the_studentized_range_is_scipys() -> None:
    for count, free in ((2, 5.0), (3, 12.0), (7, 40.0), (12, 200.0)):
        expected = float(stats.studentized_range.ppf(0.95, count, free))
        assert studentized_quantile(0.95, count, free) == pytest.approx(expected, rel=1e-6)
        values = np.array([0.5, 2.0, 4.0, 6.0])
        tails = stats.studentized_range.sf(values, count, free)
        assert studentized_tail(values, count, free) == pytest.approx(tails, rel=1e-5, abs=1e-9)


def test_no_more_of_scipy_is_loaded_than_is_shipped() -> None:
    # The packaged program has scipy.special alone: what any module of ours imports has to be in it.
    code = (
        "import pkgutil, importlib, sys, qhub_desktop.quality as q\n"
        "for each in pkgutil.iter_modules(q.__path__, q.__name__ + '.'):\n"
        "    importlib.import_module(each.name)\n"
        "from qhub_desktop.quality.normality import normality\n"
        "normality(range(20))\n"
        "print(*{n.split('.')[1] for n in sys.modules if n.startswith('scipy.')})\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout.split()
    assert "special" in told
    assert not {"linalg", "optimize", "sparse", "stats", "interpolate", "fft"} & {*told}
