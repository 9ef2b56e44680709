"""Every pair of groups compared, so that all answers together are wrong in 5 % of cases at most."""

import itertools
import math
from functools import lru_cache
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.group_samples import CONFIDENCE, Samples, require_spread_everywhere
from qhub_desktop.quality.normality import ALPHA, normal_share

MOST_GROUPS = 40  # 780 pairs: more can't be read by anybody
WIDEST = 24.0  # standard deviations: no range of 40 normal values is as wide
PAIR_NODES = 128  # of the Gauss-Legendre quadrature

PairMethod = Literal["tukey", "games_howell", "dunn"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Distance of the second group above the first: `name` is 'second-first', as R writes it.

    `difference` is one of means (of medians for Dunn's test), with simultaneous limits of 95 %
    (None for Dunn's). `p` is adjusted for all pairs.
    """

    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    p: float

    @property
    def name(self) -> str:
        """The pair's name."""
        return f"{self.second}-{self.first}"


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of groups, in order."""

    method: PairMethod
    pairs: tuple[Pair, ...]

    @property
    def shown(self) -> tuple[Pair, ...]:
        """The pairs that differ."""
        return tuple(pair for pair in self.pairs if pair.p < ALPHA)


def tukey(samples: Samples) -> Pairs:
    """Compare all means with one variance: Tukey's test, as Kramer (1956) for unequal sizes.

    Raises NotComputableError ("too_many_groups", "zero_variance").
    """
    _require_readable(samples)
    variance, sizes = samples.variance_within, samples.sizes
    if variance <= 0:
        raise NotComputableError(
            "zero_variance",
            _("Within each group all values are equal, so there is no spread to judge by."),
        )
    df = float(sizes.sum() - len(sizes))
    one, two = _places(samples)
    # Each group's share of the squared standard error of a mean, on the scale of a range.
    error = np.sqrt(variance * (1 / sizes[one] + 1 / sizes[two]) / 2)
    found = samples.means[two] - samples.means[one]
    p = studentized_tail(np.abs(found) / error, len(sizes), df)
    reach = studentized_quantile(CONFIDENCE, len(sizes), df) * error
    return Pairs("tukey", _pairs(samples, found, reach, p))


def games_howell(samples: Samples) -> Pairs:
    """Compare all means, each pair with its own variances (Games and Howell, 1976).

    Raises NotComputableError ("too_many_groups", "constant_group").
    """
    _require_readable(samples)
    require_spread_everywhere(samples)
    one, two = _places(samples)
    shares = samples.variances / samples.sizes
    free = samples.sizes - 1
    error = np.sqrt((shares[one] + shares[two]) / 2)
    df = (shares[one] + shares[two]) ** 2 / (
        shares[one] ** 2 / free[one] + shares[two] ** 2 / free[two]
    )
    found = samples.means[two] - samples.means[one]
    count = len(samples.groups)
    p = studentized_tail(np.abs(found) / error, count, df)
    reach = studentized_quantiles(CONFIDENCE, count, df) * error
    return Pairs("games_howell", _pairs(samples, found, reach, p))


def dunn(samples: Samples) -> Pairs:
    """Compare all mean ranks (Dunn, 1964), corrected for ties, p adjusted as Holm (1979).

    Raises NotComputableError ("too_many_groups").
    """
    _require_readable(samples)
    ranked, tied = ranks(samples.pooled)
    ends = np.cumsum(samples.sizes).astype(np.int64)
    mean_ranks = np.array([part.mean() for part in np.split(ranked, ends[:-1])])
    count, sizes = samples.count, samples.sizes
    variance = count * (count + 1) / 12 - tied / (12 * (count - 1))
    one, two = _places(samples)
    scores = (mean_ranks[two] - mean_ranks[one]) / np.sqrt(
        variance * (1 / sizes[one] + 1 / sizes[two])
    )
    p = holm(2 * normal_share(-np.abs(scores)))
    medians = np.array([group.median for group in samples.groups])
    return Pairs("dunn", _pairs(samples, medians[two] - medians[one], None, p))


def ranks(values: Floats) -> tuple[Floats, float]:
    """Return ranks from 1, equal values sharing their mean, and the sum of t³ - t over ties."""
    _distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    shared = ends - (counts - 1) / 2
    sizes = counts.astype(np.float64)
    return np.asarray(shared[places], dtype=np.float64), float(np.sum(sizes**3 - sizes))


def holm(p: Floats) -> Floats:
    """Adjust p values of several tests, step by step (Holm, 1979)."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def studentized_tail(values: Floats, count: int, df: float | Floats) -> Floats:
    """Return the shares of the studentized range of `count` means above each value.

    The range of normal values over an independent deviation with `df` degrees of freedom, one for
    all values or one for each, by quadrature over the logarithm of that deviation.
    """
    free = np.broadcast_to(np.asarray(df, dtype=np.float64), values.shape)
    return _tail(values, count, *_deviations(free))


def studentized_quantiles(share: float, count: int, df: Floats) -> Floats:
    """Return the values that the studentized range stays below with this probability, by `df`."""
    scales, weights = _deviations(df)
    low, high = np.zeros(len(df)), np.full(len(df), 4.0)
    while (wide := _tail(high, count, scales, weights) > 1 - share).any():
        high = np.where(wide, 2 * high, high)
    for _step in range(24):
        middle = (low + high) / 2
        is_below = _tail(middle, count, scales, weights) > 1 - share
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.asarray((low + high) / 2)


def studentized_quantile(share: float, count: int, df: float) -> float:
    """Return the value that the studentized range stays below with this probability."""
    return float(studentized_quantiles(share, count, np.array([df]))[0])


def _tail(values: Floats, count: int, scales: Floats, weights: Floats) -> Floats:
    within = np.clip(values[:, None] * scales, 0, WIDEST)
    beyond = np.sum((1 - _range_share(count)(within)) * weights, axis=1)
    return np.asarray(np.clip(beyond, 0, 1))


def _deviations(df: Floats) -> tuple[Floats, Floats]:
    """Return deviations that an estimate may show, a row for each `df`, and their shares."""
    from scipy.special import gammainccinv, gammaincinv

    half = (df / 2)[:, None]
    low = np.log(np.maximum(gammaincinv(half, 1e-13), 1e-30) / half) / 2
    high = np.log(gammainccinv(half, 1e-13) / half) / 2
    nodes, weights = _legendre()
    logs = (high - low) / 2 * nodes + (high + low) / 2
    # 2 (v/2)^(v/2) / gamma(v/2) s^v exp(-v s^2/2) ds/s, less what does not depend on s
    density = weights * np.exp(2 * half * logs - half * np.expm1(2 * logs))
    return np.exp(logs), density / density.sum(axis=1, keepdims=True)


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(PAIR_NODES)
    return nodes, weights


@dataclass(frozen=True, slots=True)
class _Curve:
    """Function by its values and slopes at evenly spaced places from 0 on, cubic between them."""

    spacing: float
    values: Floats
    slopes: Floats

    def __call__(self, places: Floats) -> Floats:
        """Return the function at places within its own."""
        scaled = places / self.spacing
        at = np.minimum(scaled.astype(np.int64), len(self.values) - 2)
        part = scaled - at
        rest = 1 - part
        before, after = self.values[at], self.values[at + 1]
        leaving, arriving = self.spacing * self.slopes[at], self.spacing * self.slopes[at + 1]
        ends = rest**2 * (1 + 2 * part) * before + part**2 * (1 + 2 * rest) * after
        return np.asarray(ends + part * rest * (rest * leaving - part * arriving))


@lru_cache(maxsize=64)
def _range_share(count: int) -> _Curve:
    """Return the distribution of the range of `count` standard normal values."""
    nodes, weights = _legendre()
    least = 9 * nodes
    density = 9 * weights * np.exp(-(least**2) / 2) / math.sqrt(2 * math.pi)
    widths = np.linspace(0, WIDEST, 1201)
    highest = least[None, :] + widths[:, None]
    below = normal_share(highest) - normal_share(least)[None, :]
    shares = count * (below ** (count - 1)) @ density
    at_the_top = np.exp(-(highest**2) / 2) / math.sqrt(2 * math.pi)
    slopes = count * (count - 1) * (below ** (count - 2) * at_the_top) @ density
    return _Curve(float(widths[1]), np.clip(shares, 0, 1), slopes)


def _require_readable(samples: Samples) -> None:
    if len(samples.groups) > MOST_GROUPS:
        raise NotComputableError(
            "too_many_groups",
            _(
                "There are {count} groups, and pairs are compared for {most} at most. Filter them,"
                " or compare by something coarser."
            ).format(count=number(len(samples.groups)), most=number(MOST_GROUPS)),
        )


def _places(samples: Samples) -> tuple[list[int], list[int]]:
    pairs = [*itertools.combinations(range(len(samples.groups)), 2)]
    return [one for one, _two in pairs], [two for _one, two in pairs]


def _pairs(samples: Samples, found: Floats, reach: Floats | None, p: Floats) -> tuple[Pair, ...]:
    names = [group.name for group in samples.groups]
    return tuple(
        Pair(
            names[one],
            names[two],
            float(found[at]),
            None if reach is None else float(found[at] - reach[at]),
            None if reach is None else float(found[at] + reach[at]),
            float(p[at]),
        )
        for at, (one, two) in enumerate(zip(*_places(samples), strict=True))
    )
