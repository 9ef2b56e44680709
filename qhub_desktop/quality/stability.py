"""Stability: how a chart's signals compare with what chance alone makes of a stable process.

A rule that is seldom wrong at one point is often wrong in a hundred, so a process is called
unstable only for what chance hardly makes in so many points: a point far beyond its limits, too
many beyond them, or too many that end a run. Each of the three is wrong in 1 of 100 stable
processes at most, which `tests/bench/bench_false_alarms.py` measures.

Sources: the rates of points beyond limits are those of the chart's own distribution (normal,
binomial, Poisson, chi for deviations; for ranges chi after Patnaik, Biometrika 37, 1950); runs are
simulated, with a fixed seed.
"""

import functools
import math
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.attribute_charts import ATTRIBUTE_RULES
from qhub_desktop.quality.constants import range_freedom
from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.quality.run_rules import BoolArray, FloatArray, Rules, rule_flags

Grade = Literal["stable", "check", "signal", "unstable"]
_BEYOND = {"nelson1", "we1", "beyond"}  # judged by the limits that are drawn
_SURE = 0.01  # what chance makes more seldom than that in all points together is no chance
_SERIES, _LONGEST = 1000, 200  # simulated series, and how long they are at most
_CUSUM_FAR = 1.5  # times its limit, which chance makes of 200 points in 4 of 100 series at most


@dataclass(frozen=True, slots=True)
class Chance:
    """What a stable process of so many points shows by chance: points flagged, of all series."""

    expected: float
    alarms: float  # the share of series in which any point is flagged


@dataclass(frozen=True, slots=True)
class Stability:
    """Grade of a chart: `signal` for points beyond the limits, `check` for runs or MR alone.

    `first` is the signal that the grade goes by, None where there is none on the chart itself.
    `chance` is of the chart's own points, None where they lean on each other (CUSUM, run charts);
    `spread_expected` of the chart of spread, whose signals `spread` counts.
    """

    grade: Grade
    points: int
    flagged: int
    first: tuple[int, str] | None
    chance: Chance | None
    spread: int = 0
    spread_expected: float = 0.0


def stability_of(chart: ControlChart, rules: Rules) -> Stability:
    """Grade what a chart shows, by the rules that it was judged by."""
    judged = _judged(chart)
    points = int(judged.sum())
    kinds = {codes for _at, codes in chart.signals}
    of_limits, of_runs = (
        {
            codes: code
            for codes in kinds
            for code in reversed(codes)
            if (code in _BEYOND) is is_limit
        }
        for is_limit in (True, False)
    )
    beyond = [(at, of_limits[codes]) for at, codes in chart.signals if codes in of_limits]
    runs = [(at, of_runs[codes]) for at, codes in chart.signals if codes in of_runs]
    beyond_expected, is_unstable = _beyond(chart, len(beyond))
    if not beyond and not _BEYOND.intersection(rules.codes) and chart.kind != "ewma":
        beyond_expected = 0.0  # no rule looks at the limits
    null = _null_runs(_on_runs(chart, rules), min(points, _LONGEST))
    is_unstable |= _is_beyond_chance(null, points, len(runs))
    is_doubted = False
    if chart.kind == "run":  # each of its two rules is wrong in 1 of 20 series
        few = any(doubt.kind == "few_crossings" for doubt in chart.doubts)
        is_unstable = few and (bool(runs) or _crossings_chance(chart) < _SURE)
        is_doubted = few
    run_alarms = float((null > 0).mean()) if points <= _LONGEST else 1.0
    spread, spread_expected, is_signal = 0, 0.0, bool(beyond)
    below = chart.companion
    if below is not None:
        spread = len(below.signals)
        spread_expected, is_spread_unstable = _beyond(below, spread, _SURE / 2)
        if below.kind in ("r", "s", "cusum"):  # moving ranges share values, and tell less
            is_unstable |= is_spread_unstable
            is_signal |= spread > 0
    grade: Grade = "stable"
    if is_unstable:
        grade = "unstable"
    elif is_signal:
        grade = "signal"
    elif runs or spread or is_doubted:
        grade = "check"
    expected = beyond_expected + float(null.mean()) * points / max(min(points, _LONGEST), 1)
    first = beyond or runs
    return Stability(
        grade=grade,
        points=points,
        flagged=len(chart.signals),
        first=first[0] if first else None,
        chance=None
        if chart.kind in ("cusum", "run")
        else Chance(expected, 1 - math.exp(-beyond_expected) * (1 - run_alarms)),
        spread=spread,
        spread_expected=spread_expected,
    )


def _judged(chart: ControlChart) -> BoolArray:
    judged = np.isfinite(chart.statistics) & np.isfinite(chart.upper - chart.lower)
    judged[list(chart.excluded)] = False
    return judged


# --- points beyond the limits ---------------------------------------------------------------------


def _beyond(chart: ControlChart, count: int, sure: float = _SURE) -> tuple[float, bool]:
    """Return how many points chance puts beyond, and whether there are too many, or too far."""
    judged = _judged(chart)
    places = np.flatnonzero(judged)
    if not places.size or chart.kind == "run":
        return 0.0, False
    if chart.kind == "cusum":  # its points lean on each other, and so do those of EWMA
        far = np.abs(chart.statistics[places]) >= _CUSUM_FAR * chart.upper[places]
        return 0.0, bool(far.any())
    first, times = places[:1], np.array([places.size])
    if chart.kind == "ewma":
        first, times = places, np.ones(places.size, dtype=np.int64)
    elif len(chart.stages) > 1 or np.ptp(chart.sizes[places]):  # the lines go by stage and size
        stages = np.searchsorted(chart.stages, places, side="right")
        _kinds, at, times = np.unique(
            stages + 1j * chart.sizes[places], return_index=True, return_counts=True
        )
        first = places[at]
    expected = float(times @ _outside(chart, first, chart.lower[first], chart.upper[first]))
    if chart.kind != "ewma" and _is_many(count, expected, sure):
        return expected, True
    if not count:
        return expected, False
    beyond = np.array(chart.beyond, dtype=np.int64)
    beyond = beyond[judged[beyond]]
    reach = np.abs(chart.statistics - chart.centre)[beyond] * (1 - 1e-9)
    centre = chart.centre[beyond]
    chances = _outside(chart, beyond, centre - reach, centre + reach)
    return expected, float(chances.min(initial=1.0)) * places.size < sure


def _is_many(count: int, expected: float, sure: float) -> bool:
    """Return whether chance hardly makes so many where so many are expected, by Poisson."""
    if not count:
        return False
    if expected > 100:
        return count - 0.5 - expected > NormalDist().inv_cdf(1 - sure) * math.sqrt(expected)
    term = fewer = math.exp(-expected)
    for each in range(1, count):
        term *= expected / each
        fewer += term
    return 1 - fewer < sure


def _outside(
    chart: ControlChart, at: npt.NDArray[np.int64], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return for some points how often a stable process lies below `low` or above `high`."""
    sizes, centre = chart.sizes[at], chart.centre[at]
    # What most charts need is had without SciPy, which takes 200 ms to load.
    if chart.kind in ("i", "xbar", "laney_p", "laney_u", "ewma"):
        width = math.sqrt(2) * chart.spread[at]
        return (_erfc((high - centre) / width) + _erfc((centre - low) / width)) / 2
    if chart.kind == "mr" and (sizes == 2).all():
        twice = 2 * chart.sigma
        return _erfc(high / twice) + 1 - _erfc(np.maximum(low, 0) / twice)
    from scipy.special import bdtr, bdtrc, chdtr, chdtrc, pdtr, pdtrc

    match chart.kind:
        case "p" | "np":
            each = sizes if chart.kind == "p" else np.ones(sizes.size)
            share = centre if chart.kind == "p" else centre / sizes
            parts = sizes.astype(np.int64)
            above = bdtrc(np.clip(np.floor(high * each), 0, parts), parts, share)
            below = np.where(low > 0, bdtr(np.ceil(low * each) - 1, parts, share), 0.0)
        case "c" | "u":
            mean = centre * sizes
            above = pdtrc(np.floor(high * sizes), mean)
            below = np.where(low > 0, pdtr(np.ceil(low * sizes) - 1, mean), 0.0)
        case _:
            freedom, unit = _of_spread(chart, sizes)
            above = chdtrc(freedom, freedom * (high / unit) ** 2)
            below = chdtr(freedom, freedom * (np.maximum(low, 0) / unit) ** 2)
    return np.asarray(above + below, dtype=np.float64)


def _erfc(values: FloatArray) -> FloatArray:
    return np.array([math.erfc(each) for each in values.tolist()])


def _of_spread(chart: ControlChart, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the degrees of freedom of each range or deviation, and its root mean square."""
    if chart.kind == "s":
        return sizes - 1, np.full(sizes.size, chart.sigma)
    found = np.array([range_freedom(int(size)) for size in sizes.tolist()])
    return found[:, 0], found[:, 1] * chart.sigma


def _crossings_chance(chart: ControlChart) -> float:
    """Return how often chance crosses the median of a run chart so few times."""
    from scipy.special import bdtr

    strays = chart.statistics - chart.centre
    strays[list(chart.excluded)] = 0.0
    above = strays[np.isfinite(strays) & (strays != 0)] > 0
    return float(bdtr(float(np.count_nonzero(np.diff(above))), max(above.size - 1, 0), 0.5))


# --- runs -----------------------------------------------------------------------------------------


def _on_runs(chart: ControlChart, rules: Rules) -> Rules:
    """Return the rules on runs that a kind of chart bears."""
    codes = set(rules.codes) - _BEYOND
    if chart.kind in ("p", "np", "c", "u", "laney_p", "laney_u"):
        codes &= set(ATTRIBUTE_RULES)
    elif chart.kind not in ("i", "xbar"):
        codes = set()
    return rules.only(*codes)


@functools.lru_cache(maxsize=64)
def _null_runs(rules: Rules, points: int) -> FloatArray:
    """Return how many points the rules flag in each of many stable series with their own centre."""
    if not rules.codes or points < 2:
        return np.zeros(1)
    series = np.full((_SERIES, points + 1), np.nan)  # a gap ends every pattern
    series[:, :-1] = np.random.default_rng(points).standard_normal((_SERIES, points))
    series -= np.nanmean(series, axis=1, keepdims=True)
    flags = rule_flags(series.ravel(), 0.0, 1.0, rules)
    flagged = np.any([*flags.values()], axis=0).reshape(series.shape)
    counts: FloatArray = flagged.sum(axis=1).astype(np.float64)
    return counts


def _is_beyond_chance(null: FloatArray, points: int, count: int) -> bool:
    if not count:
        return False
    if points <= _LONGEST:
        return float((null >= count).mean()) < _SURE
    times = points / _LONGEST
    least = float(null.mean()) * times + NormalDist().inv_cdf(1 - _SURE) * float(
        null.std()
    ) * math.sqrt(times)
    return count > least
