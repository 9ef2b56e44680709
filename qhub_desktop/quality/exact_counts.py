"""Exact probabilities of counts and ranks, with their intervals.

Counts are binomial, Poisson or hypergeometric.

Sources: Clopper and Pearson (1934); Garwood (1936); Fisher, Statistical Methods for Research
Workers. Two-sided p values add up every outcome that is no likelier than the one seen, as R does.
"""

import math

import numpy as np
from scipy.special import betaincinv, betaln, gammaincinv, xlog1py, xlogy

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.findings import NotComputableError

_JUST_AS_LIKELY = 1 + 1e-7  # what rounding may set apart


def log_ways(total: Floats | float, taken: Floats | float) -> Floats:
    """Return the logarithm of how many ways there are to take some of a total."""
    ways: Floats = -betaln(total - taken + 1, taken + 1) - np.log1p(total)
    return ways


def binomial_interval(count: float, total: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's exact interval of a share, of one."""
    tail = (1 - confidence) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return low, high


def poisson_interval(count: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return Garwood's exact interval of the number of events expected where `count` were seen."""
    tail = (1 - confidence) / 2
    low = float(gammaincinv(count, tail)) if count > 0 else 0.0
    return low, float(gammaincinv(count + 1, 1 - tail))


def binomial_p(count: int, total: int, share: float) -> float:
    """Return the exact two-sided p of seeing `count` of `total` where `share` (of one) is true."""
    seen = np.arange(total + 1.0)
    logs = log_ways(total, seen) + xlogy(seen, share) + xlog1py(total - seen, -share)
    return _no_likelier(np.exp(logs), count)


def hypergeometric_p(table: Floats) -> float:
    """Return Fisher's exact two-sided p of a 2 x 2 table of counts."""
    (a, b), (c, d) = table.tolist()
    first, column, total = a + b, a + c, a + b + c + d
    lowest = max(0.0, first + column - total)
    seen = np.arange(lowest, min(first, column) + 1)
    logs = log_ways(column, seen) + log_ways(total - column, first - seen)
    return _no_likelier(np.exp(logs - log_ways(total, first)), int(a - lowest))


def rank_sum_p(statistic: float, first: int, second: int) -> float:
    """Return the exact two-sided p of Mann and Whitney's U of two groups of these sizes, no ties.

    Twice the share of all orders of the values that have a U as far from the middle (1947).
    """
    pairs = first * second
    # How many orders have each U, with 0, 1, ... values of the first group in each row. The highest
    # value is one of the second group, or one of the first, which stands above all of the second.
    ways = np.zeros((first + 1, pairs + 1))
    ways[:, 0] = 1
    for of_second in range(1, second + 1):
        for of_first in range(1, first + 1):
            ways[of_first, of_second:] += ways[of_first - 1, :-of_second]
    furthest = math.ceil(max(statistic, pairs - statistic))
    return min(1.0, 2 * float(ways[first, furthest:].sum() / ways[first].sum()))


def _no_likelier(chances: Floats, place: int) -> float:
    return min(1.0, float(chances[chances <= chances[place] * _JUST_AS_LIKELY].sum()))


def whole_counts(values: object) -> Floats:
    """Return counts as an array of the shape given, each a whole number from zero up.

    Raises NotComputableError ("bad_counts").
    """
    try:
        counts = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        counts = np.array([math.nan])
    bad = ~(np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts)))
    if not np.any(bad):
        return counts
    first = float(counts[bad][0])
    shown = number(first) if math.isfinite(first) else _("what is missing or no number")
    raise NotComputableError(
        "bad_counts",
        _(
            "Counts must be whole numbers from zero up, and {value} is not one. Give how many there"
            " are, not a share or a mean."
        ).format(value=shown),
    )
