"""Tolerance intervals, and how many parts a comparison of means or of shares needs.

Sources: Howe, Two-sided Tolerance Limits for Normal Populations (1969), as in the NIST/SEMATECH
handbook, 7.2.6.3; Wilks (1941) for intervals between order statistics; power of Student's t test by
the noncentral t distribution, of the analysis of variance by the noncentral F, and of two shares
by the normal approximation, as R's power.t.test, power.anova.test and power.prop.test have them
(Cohen, Statistical Power Analysis; Fleiss, Statistical Methods for Rates and Proportions).
"""

import math
from collections.abc import Callable

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.normality import has_spread, normal_quantile, normality

CONFIDENCE, COVERAGE = 0.95, 0.99
ALPHA, POWER = 0.05, 0.90
_MOST = 1_000_000
_LEAST = 8


@dataclass(frozen=True, slots=True)
class ToleranceInterval:
    """Limits between which at least `coverage` of all parts lie, with so much `confidence`.

    `free` needs no distribution; it is None where there are too few values for it.
    """

    count: int
    mean: float
    deviation: float
    confidence: float
    coverage: float
    factor: float
    normal: tuple[float, float]
    free: tuple[float, float] | None
    needed: int  # values that `free` needs at least
    is_normal: bool | None

    @property
    def advised(self) -> tuple[float, float] | None:
        """The interval to go by: the normal one where nothing speaks against it."""
        return self.free if self.is_normal is False else self.normal


def tolerance_factor(count: int, confidence: float, coverage: float) -> float:
    """Return k of Howe: the interval is mean ± k standard deviations."""
    from scipy.special import chdtri

    degrees = count - 1
    reach = float(normal_quantile((1 + coverage) / 2))
    least = float(chdtri(degrees, confidence))  # which chi-square exceeds with this probability
    return reach * math.sqrt(degrees * (1 + 1 / count) / least)


def tolerance_interval(
    sample: Floats, confidence: float = CONFIDENCE, coverage: float = COVERAGE
) -> ToleranceInterval:
    """Return tolerance intervals of a sample without gaps.

    Raises NotComputableError ("too_few", "zero_variance", "shares").
    """
    _check_shares(confidence, coverage)
    if sample.size < _LEAST:
        text = _("A tolerance interval needs at least {least} values.")
        raise NotComputableError("too_few", text.format(least=number(_LEAST)))
    if not has_spread(sample):
        raise NotComputableError("zero_variance", _("All values are equal: nothing varies."))
    mean, deviation = float(sample.mean()), float(sample.std(ddof=1))
    factor = tolerance_factor(sample.size, confidence, coverage)
    ordered, left = np.sort(sample), _left_out(sample.size, confidence, coverage)
    free = None
    if left >= 2:
        low = left // 2
        free = float(ordered[low - 1]), float(ordered[sample.size - (left - low)])
    return ToleranceInterval(
        count=sample.size,
        mean=mean,
        deviation=deviation,
        confidence=confidence,
        coverage=coverage,
        factor=factor,
        normal=(mean - factor * deviation, mean + factor * deviation),
        free=free,
        needed=values_needed(confidence, coverage),
        is_normal=normality(sample).is_normal,
    )


def values_needed(confidence: float, coverage: float) -> int:
    """Return how many values the smallest and the largest need to hold so much between them."""
    from scipy.special import betainc

    _check_shares(confidence, coverage)
    count = 2
    while 1 - float(betainc(count - 1, 2, coverage)) < confidence:
        count = count + 1 if count < 1000 else math.ceil(count * 1.001)
    return count


def _left_out(count: int, confidence: float, coverage: float) -> int:
    """Return how many intervals between ordered values may be left out, both ends together."""
    from scipy.special import betainc

    left = np.arange(1, count)
    enough = left[1 - betainc(count - left + 1, left, coverage) >= confidence]
    return int(enough.max()) if enough.size else 0


def power_of_two_means(count: int, difference: float, sigma: float, alpha: float = ALPHA) -> float:
    """Return how often Student's t test of two groups of `count` shows a true difference."""
    from scipy.special import nctdtr, stdtrit

    degrees = 2 * count - 2
    shift = abs(difference) / sigma * math.sqrt(count / 2)
    bound = float(stdtrit(degrees, 1 - alpha / 2))
    beyond = 1 - float(nctdtr(degrees, shift, bound)) + float(nctdtr(degrees, shift, -bound))
    return min(max(beyond, 0.0), 1.0)


def size_for_two_means(
    difference: float, sigma: float, power: float = POWER, alpha: float = ALPHA
) -> int:
    """Return the fewest values of each of two groups that show a difference with this power.

    Raises NotComputableError ("difference", "shares", "too_many").
    """
    _check_shares(power, 1 - alpha)
    if not (difference and sigma > 0):
        raise NotComputableError(
            "difference", _("Give the difference that is to be seen (diferenca), other than 0.")
        )
    return _least_count(lambda n: power_of_two_means(n, difference, sigma, alpha), power)


def power_of_groups(
    count: int, groups: int, difference: float, sigma: float, alpha: float = ALPHA
) -> float:
    """Return how often the analysis of variance shows that the means of groups differ.

    `difference` lies between the two that are farthest apart, with all others in the middle: no
    other means so far apart are harder to tell.
    """
    return power_of_variances(count, groups, difference**2 / 2 / (groups - 1), sigma**2, alpha)


def power_of_variances(
    count: int, groups: int, between: float, within: float, alpha: float = ALPHA
) -> float:
    """Return the power of an analysis of variance by the variance of the means, and within."""
    from scipy.special import fdtri, ncfdtr

    first, second = groups - 1, groups * (count - 1)
    bound = float(fdtri(first, second, 1 - alpha))
    shift = first * count * between / within
    return min(max(1 - float(ncfdtr(first, second, shift, bound)), 0.0), 1.0)


def size_for_groups(
    groups: int, difference: float, sigma: float, power: float = POWER, alpha: float = ALPHA
) -> int:
    """Return the fewest values of each group that show such a difference with this power.

    Raises NotComputableError ("difference", "shares", "too_many", "one_group").
    """
    _check_shares(power, 1 - alpha)
    if groups < 2:
        raise NotComputableError("one_group", _("There is one group: nothing is compared."))
    if not (difference and sigma > 0):
        raise NotComputableError(
            "difference", _("Give the difference that is to be seen (diferenca), other than 0.")
        )
    return _least_count(lambda n: power_of_groups(n, groups, difference, sigma, alpha), power)


def power_of_two_shares(count: int, first: float, second: float, alpha: float = ALPHA) -> float:
    """Return how often two groups of `count` units show that their shares differ."""
    reach = float(normal_quantile(1 - alpha / 2))
    mean, gap = (first + second) / 2, abs(first - second)
    null = reach * math.sqrt(2 * mean * (1 - mean))
    spread = math.sqrt(first * (1 - first) + second * (1 - second))
    return _normal_cdf((math.sqrt(count) * gap - null) / spread)


def size_for_two_shares(
    first: float, second: float, power: float = POWER, alpha: float = ALPHA
) -> int:
    """Return the fewest units of each of two groups that show two shares to differ.

    Raises NotComputableError ("difference", "shares", "too_many").
    """
    _check_shares(power, 1 - alpha)
    if first == second or not (0 <= first <= 1 and 0 <= second <= 1):
        raise NotComputableError(
            "difference",
            _("Give a difference of shares (diferenca) that leaves both between 0 and 100 %."),
        )
    return _least_count(lambda n: power_of_two_shares(n, first, second, alpha), power)


def _normal_cdf(score: float) -> float:
    return 0.5 * math.erfc(-score / math.sqrt(2))


def _least_count(power_of: Callable[[int], float], power: float) -> int:
    """Return the fewest values, two at least, whose power is as large."""
    low, high = 1, 2
    while power_of(high) < power:
        low, high = high, 2 * high
        if high > _MOST:
            text = _("So small a difference would need more than {most} values.")
            raise NotComputableError("too_many", text.format(most=number(_MOST)))
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = power_of(middle) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def _check_shares(*shares: float) -> None:
    if not all(0 < each < 1 for each in shares):
        raise NotComputableError(
            "shares", _("Confidence, share and power stand between 0 and 100 %, without the ends.")
        )
