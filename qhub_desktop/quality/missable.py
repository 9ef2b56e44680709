"""What a test could have missed: the least effect that it sees in 80 of 100 such samples.

Sources: Cohen, Statistical Power Analysis for the Behavioral Sciences (2nd ed., 1988): shares and
tables (7); large-sample theory for the logarithms of rates and of deviations, of which the
distances from medians that Levene's test takes know 88 % (their efficiency for normal values).
"""

import math

import numpy as np

from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.normality import ALPHA, normal_quantile

POWER = 0.8
_OF_DISTANCES = 0.876  # 1 / (pi - 2): the efficiency of mean absolute deviations


def missable_reach(comparisons: int = 1) -> float:
    """Return how many standard errors an effect must be away, to be seen among comparisons."""
    shown = float(normal_quantile(1 - ALPHA / 2 / comparisons))
    return shown + float(normal_quantile(POWER))


def missable_share(share: float, totals: Floats, comparisons: int = 1) -> float:
    """Return the difference of two shares about `share`: of the two groups with fewest units."""
    smallest = np.sort(totals)[:2]
    error = math.sqrt(share * (1 - share) * float((1 / smallest).sum()))
    return min(1.0, missable_reach(comparisons) * error)


def missable_relation(total: float, degrees: int, least_side: int) -> float:
    """Return Cramér's V of a table with so many counts in all."""
    from scipy.special import chdtri, chndtrinc

    shift = float(chndtrinc(float(chdtri(degrees, ALPHA)), degrees, 1 - POWER))
    return min(1.0, math.sqrt(shift / total / (least_side - 1)))


def missable_ratio(information: Floats, comparisons: int = 1) -> float:
    """Return the ratio of two quantities whose logarithms have variances of 1 / `information`."""
    smallest = np.sort(information)[:2]
    return math.exp(missable_reach(comparisons) * math.sqrt(float((1 / smallest).sum())))


def missable_spread(sizes: Floats) -> float:
    """Return the ratio of standard deviations that a test of spreads sees between two groups."""
    count = len(sizes)
    return missable_ratio(2 * (sizes - 1) * _OF_DISTANCES, count * (count - 1) // 2)
