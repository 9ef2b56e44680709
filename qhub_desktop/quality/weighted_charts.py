"""EWMA and CUSUM charts, made of a chart of individuals or averages, and their run lengths.

Sources: Montgomery, Introduction to Statistical Quality Control, chapter 9; NIST/SEMATECH
e-Handbook 6.3.2.3 and 6.3.2.4; Lucas and Crosier, Technometrics 24 (1982), for head starts;
Crowder, Technometrics 29 (1987), for the average run length of the EWMA by its integral equation.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.run_rules import BoolArray, FloatArray, is_above, signals_of

CHART_NODES = 120  # of a Gauss-Legendre rule: the run lengths of the usual charts stand to 8 digits


def ewma(
    chart: ControlChart,
    *,
    weight: float = 0.2,
    width: float = 3.0,
    target: float | None = None,
    limits: Literal["exact", "asymptotic"] = "exact",
) -> ControlChart:
    """Smooth the points of an I or X-bar chart exponentially; each stage starts at its centre.

    `weight` is lambda, above 0 and up to 1; `width` is L, in sigmas; `target` replaces the
    centre. Exact limits widen from the first point on; with unequal subgroups each goes by its own
    size, as in the R package qcc. An excluded point adds nothing; a gap stays a gap. Raises
    NotComputableError for another weight, or another kind of chart.
    """
    _check_kind(chart)
    if not 0 < weight <= 1:
        raise NotComputableError(
            "weight", _("The weight (lambda) of an EWMA lies above 0 and up to 1; 0.2 is usual.")
        )
    count = chart.statistics.size
    counted = _counted(chart)
    smooth, share = np.full(count, np.nan), np.full(count, np.nan)
    centre = chart.centre if target is None else np.full(count, float(target))
    for start, end in _stretches(chart):
        level, seen = float(centre[start]), 0
        for place in range(start, end):
            if not counted[place]:
                continue
            level = weight * float(chart.statistics[place]) + (1 - weight) * level
            seen += 1
            smooth[place] = level
            share[place] = 1 - (1 - weight) ** (2 * seen)
    if limits == "asymptotic":
        share = np.ones(count)
    spread = chart.spread * np.sqrt(weight / (2 - weight) * share)
    made = replace(
        chart,
        kind="ewma",
        statistics=smooth,
        centre=centre,
        lower=centre - width * spread,
        upper=centre + width * spread,
        spread=spread,
        companion=None,
    )
    return replace(made, signals=_beyond(made))


def cusum(
    chart: ControlChart,
    *,
    k: float = 0.5,
    h: float = 5.0,
    head_start: float = 0.0,
    target: float | None = None,
    units: Literal["sigma", "data"] = "sigma",
) -> ControlChart:
    """Add up what the points of an I or X-bar chart stray from their centre by more than `k`.

    The result holds the upper sums, its companion the lower ones with a minus sign, both against
    +/- `h`; nothing is reset after a signal. `k`, `h` and `head_start` are in standard deviations
    of a point, or in the unit of the data. Each stage starts anew. An excluded point adds nothing.
    Raises NotComputableError for a negative `k`, for `h` not above 0, or another kind of chart.
    """
    _check_kind(chart)
    if k < 0 or h <= 0 or head_start < 0:
        raise NotComputableError(
            "cusum", _("A CUSUM needs k from 0 up and h above 0; k = 0.5 and h = 5 are usual.")
        )
    count = chart.statistics.size
    centre = chart.centre if target is None else np.full(count, float(target))
    strays = chart.statistics - centre
    if units == "sigma":
        strays = strays / chart.spread
    counted = _counted(chart)
    upper, lower = np.full(count, np.nan), np.full(count, np.nan)
    for start, end in _stretches(chart):
        above = below = head_start
        for place in range(start, end):
            if not counted[place]:
                continue
            stray = float(strays[place])
            above = max(0.0, above + stray - k)
            below = max(0.0, below - stray - k)
            upper[place], lower[place] = above, -below
    zero = np.zeros(count)
    high = replace(
        chart,
        kind="cusum",
        statistics=upper,
        centre=zero,
        lower=zero - h,
        upper=zero + h,
        spread=np.ones(count) if units == "sigma" else chart.spread,
        companion=None,
    )
    low = replace(high, statistics=lower, doubts=())
    return replace(high, signals=_beyond(high), companion=replace(low, signals=_beyond(low)))


# --- average run lengths --------------------------------------------------------------------------


def shewhart_arl(*, width: float = 3.0, shift: float = 0.0) -> float:
    """Return how many points a Shewhart chart takes to a signal on average; shift in sigmas."""
    from scipy.special import ndtr

    return 1 / float(ndtr(-width - shift) + ndtr(-width + shift))


def cusum_arl(
    *, k: float = 0.5, h: float = 5.0, shift: float = 0.0, head_start: float = 0.0
) -> float:
    """Return how many points a two-sided CUSUM takes to a signal on average, from its start."""
    up, up_ahead = _one_sided_cusum_arl(k, h, shift, head_start)
    down, down_ahead = _one_sided_cusum_arl(k, h, -shift, head_start)
    return (up_ahead * down + up * down_ahead - up * down) / (up + down)


def ewma_arl(*, weight: float = 0.2, width: float = 3.0, shift: float = 0.0) -> float:
    """Return how many points an EWMA with its asymptotic limits takes to a signal on average."""
    border = width * math.sqrt(weight / (2 - weight))
    nodes, weights = _gauss(-border, border)

    def kernel(start: FloatArray) -> FloatArray:
        reach = (nodes[None, :] - (1 - weight) * start[:, None]) / weight - shift
        return _density(reach) * weights / weight

    lengths = np.linalg.solve(np.eye(CHART_NODES) - kernel(nodes), np.ones(CHART_NODES))
    return 1 + float(kernel(np.zeros(1))[0] @ lengths)


def _one_sided_cusum_arl(
    k: float, h: float, shift: float, head_start: float
) -> tuple[float, float]:
    """Solve Page's integral equation; return the run length from 0 and from the head start."""
    from scipy.special import ndtr

    nodes, weights = _gauss(0.0, h)

    def row(start: FloatArray) -> FloatArray:
        to_zero = ndtr(k - start - shift)
        between = _density(nodes[None, :] + k - start[:, None] - shift) * weights
        return np.column_stack([to_zero, between])

    starts = np.concatenate([[0.0], nodes])
    lengths = np.linalg.solve(np.eye(CHART_NODES + 1) - row(starts), np.ones(CHART_NODES + 1))
    return float(lengths[0]), 1 + float(row(np.array([head_start]))[0] @ lengths)


def _gauss(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(CHART_NODES)
    return low + (nodes + 1) * (high - low) / 2, weights * (high - low) / 2


def _density(values: FloatArray) -> FloatArray:
    density: FloatArray = np.exp(-(values**2) / 2) / math.sqrt(2 * math.pi)
    return density


# --- a chart made of another ----------------------------------------------------------------------


def _check_kind(chart: ControlChart) -> None:
    if chart.kind not in {"i", "xbar"}:
        raise NotComputableError(
            "kind", _("EWMA and CUSUM are made of measurements. Choose a column of measurements.")
        )


def _stretches(chart: ControlChart) -> list[tuple[int, int]]:
    ends = [*chart.stages[1:], chart.statistics.size]
    return list(zip(chart.stages, ends, strict=True))


def _counted(chart: ControlChart) -> BoolArray:
    """Return which points add to what is remembered: neither gaps nor left out."""
    counted: BoolArray = np.isfinite(chart.statistics)
    counted[list(chart.excluded)] = False
    return counted


def _beyond(chart: ControlChart) -> tuple[tuple[int, tuple[str, ...]], ...]:
    outside: BoolArray = is_above(chart.statistics, chart.upper)
    outside = outside | is_above(chart.lower, chart.statistics)
    return signals_of({"beyond": outside})
