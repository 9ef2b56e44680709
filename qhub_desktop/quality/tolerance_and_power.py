"""Tolerance intervals, and how many parts a comparison of two means needs.

Sources: Howe, Two-sided Tolerance Limits for Normal Populations (1969), as in the NIST/SEMATECH
handbook, 7.2.6.3; Wilks (1941) for intervals between order statistics; power of Student's t test by
the noncentral t distribution (Cohen, Statistical Power Analysis).
"""

import math

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
    low, high = 1, 2
    while power_of_two_means(high, difference, sigma, alpha) < power:
        low, high = high, 2 * high
        if high > _MOST:
            text = _("So small a difference would need more than {most} values.")
            raise NotComputableError("too_many", text.format(most=number(_MOST)))
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = power_of_two_means(middle, difference, sigma, alpha) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def _check_shares(*shares: float) -> None:
    if not all(0 < each < 1 for each in shares):
        raise NotComputableError(
            "shares", _("Confidence, share and power stand between 0 and 100 %, without the ends.")
        )
