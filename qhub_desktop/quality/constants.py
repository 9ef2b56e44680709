"""Constants of control charts for any subgroup size, and the estimates of sigma made with them.

Computed, not typed in: d2 and d3 are mean and standard deviation of the range of n standard normal
values, c4 the mean of their standard deviation (Montgomery, Introduction to Statistical Quality
Control, appendix VI prints them to three decimals for n up to 25). Weighted estimates are the
minimum variance linear unbiased ones (MVLUE) of Burr, Journal of Quality Technology 1 (1969).
"""

import functools
import math
from typing import Literal

import numpy as np

from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.scalar_search import zero_between

SubgroupEstimator = Literal["range", "deviation", "pooled", "weighted_range", "weighted_deviation"]

WIDEST_RANGE = 16.0  # in standard deviations; beyond any range of 10^9 normal values
PLACES = 10.0  # the density beyond is below 1e-22
NODES = 120  # of the Gauss-Legendre quadrature


@functools.cache
def d2(size: int) -> float:
    """Mean range of `size` standard normal values. Raises ValueError below 2."""
    return _range_moments(size)[0]


@functools.cache
def d3(size: int) -> float:
    """Deviation of the range of `size` standard normal values. Raises ValueError below 2."""
    return _range_moments(size)[1]


@functools.cache
def c4(size: int) -> float:
    """Mean standard deviation of `size` standard normal values. Raises ValueError below 2."""
    _check(size)
    ratio = math.exp(math.lgamma(size / 2) - math.lgamma((size - 1) / 2))
    return math.sqrt(2 / (size - 1)) * ratio


@functools.cache
def c5(size: int) -> float:
    """Standard deviation of the standard deviation of `size` standard normal values."""
    return math.sqrt(max(1 - c4(size) ** 2, 0))


@functools.cache
def freedom_of(variation: float) -> float:
    """Return the degrees of freedom of a chi whose deviation is `variation` times its mean.

    So an average of ranges or deviations is as sure as a deviation with that many (Patnaik,
    Biometrika 37, 1950; for 25 ranges of 5 they are 90.5, as in Duncan's tables).
    """
    from scipy.special import gammaln

    def excess(freedom: float) -> float:
        ratio = math.exp(2 * float(gammaln(freedom / 2 + 0.5) - gammaln(freedom / 2)))
        return freedom / (2 * ratio) - 1 - variation**2

    high = 1.0
    while excess(high) > 0:
        high *= 2
    return high if high == 1 else zero_between(excess, high / 2, high)


@functools.cache
def range_freedom(size: int) -> tuple[float, float]:
    """Return the degrees of freedom of the range of so many values, and its root mean square."""
    return freedom_of(d3(size) / d2(size)), math.hypot(d2(size), d3(size))


def factors(size: int) -> dict[str, float]:
    """Return the factors of a table of constants, by their usual names, for 3-sigma limits."""
    from_range = 3 * d3(size) / d2(size)
    from_deviation = 3 * c5(size) / c4(size)
    return {
        "d2": d2(size),
        "d3": d3(size),
        "c4": c4(size),
        "c5": c5(size),
        "A": 3 / math.sqrt(size),
        "A2": 3 / (d2(size) * math.sqrt(size)),
        "A3": 3 / (c4(size) * math.sqrt(size)),
        "B3": max(0.0, 1 - from_deviation),
        "B4": 1 + from_deviation,
        "B5": max(0.0, c4(size) - 3 * c5(size)),
        "B6": c4(size) + 3 * c5(size),
        "D1": max(0.0, d2(size) - 3 * d3(size)),
        "D2": d2(size) + 3 * d3(size),
        "D3": max(0.0, 1 - from_range),
        "D4": 1 + from_range,
        "E2": 3 / d2(size),
    }


def sigma_within(
    sizes: Floats, ranges: Floats, deviations: Floats, estimator: SubgroupEstimator
) -> tuple[float, str]:
    """Estimate sigma from within subgroups of two values or more; and name the estimator.

    The three arrays have a value for each subgroup. Ranges and deviations are divided by their own
    constants and averaged, each alike or (weighted) by how sure it is; pooled is the root of the
    pooled variance over c4.
    """
    of = [int(each) for each in sizes]
    is_equal = len(set(of)) == 1
    if estimator == "pooled":
        freedom = sizes - 1
        pooled = math.sqrt(float(freedom @ deviations**2 / freedom.sum()))
        return pooled / c4(int(freedom.sum()) + 1), "pooled/c4"
    by_range = estimator in ("range", "weighted_range")
    means = np.array([d2(each) if by_range else c4(each) for each in of])
    each_sigma = (ranges if by_range else deviations) / means
    if estimator in ("range", "deviation"):
        names = ("Rbar/d2", "mean(R/d2)") if by_range else ("Sbar/c4", "mean(S/c4)")
        return float(each_sigma.mean()), names[not is_equal]
    spreads = np.array([d3(each) if by_range else c5(each) for each in of])
    sigma = float(np.average(each_sigma, weights=(means / spreads) ** 2))
    return sigma, "MVLUE(R/d2)" if by_range else "MVLUE(S/c4)"


def freedom_within(sizes: Floats, estimator: SubgroupEstimator) -> float:
    """Return how many degrees of freedom an estimate of `sigma_within` is as sure as."""
    if estimator == "pooled":
        return float((sizes - 1).sum())
    by_range = estimator in ("range", "weighted_range")
    of = [int(each) for each in sizes]
    variations = np.array([d3(n) / d2(n) if by_range else c5(n) / c4(n) for n in of])
    if estimator in ("range", "deviation"):
        return freedom_of(math.sqrt(float((variations**2).sum())) / len(of))
    return freedom_of(1 / math.sqrt(float((variations**-2).sum())))


def moving_freedom(ranges: int) -> float:
    """Return the degrees of freedom of the mean of moving ranges of two, of neighbours all.

    About 0.6 of them, for neighbouring ranges share a value: their covariance is that of the sizes
    of two normal values with a correlation of -1/2.
    """
    shared = 2 * (math.sqrt(3) / 2 + math.asin(0.5) / 2) * 2 / math.pi - d2(2) ** 2
    variance = (d3(2) ** 2 + 2 * shared * (1 - 1 / ranges)) / ranges
    return freedom_of(math.sqrt(variance) / d2(2))


def _check(size: int) -> None:
    if size < 2:
        raise ValueError(f"a subgroup of {size} has no spread")


@functools.cache
def _range_moments(size: int) -> tuple[float, float]:
    """Integrate P(R <= w) = n Int phi(x) [Phi(x + w) - Phi(x)]^(n - 1) dx into both moments."""
    _check(size)
    if size == 2:  # in closed form, so that a chart of individuals does not wait 200 ms for SciPy
        return 2 / math.sqrt(math.pi), math.sqrt(2 - 4 / math.pi)
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    widths = (nodes + 1) * WIDEST_RANGE / 2
    weights = weights * WIDEST_RANGE / 2
    # The trapezoidal rule is exact to rounding here: the function vanishes smoothly at both ends.
    places = np.linspace(-PLACES, PLACES, 401)
    density = np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi)
    between = ndtr(places[None, :] + widths[:, None]) - ndtr(places)[None, :]
    exceeds = 1 - size * np.trapezoid(density * between ** (size - 1), places, axis=1)
    mean = float(weights @ exceeds)
    square = float(2 * weights @ (widths * exceeds))
    return mean, math.sqrt(max(square - mean**2, 0))
