"""Charts of measurements: individuals with moving ranges, averages with ranges or deviations.

Sources: Montgomery, Introduction to Statistical Quality Control, chapter 6; NIST/SEMATECH
e-Handbook 6.3.2.1 and 6.3.2.2; for runs and crossings of a run chart: Anhoej and Olesen, Run Charts
Revisited, PLoS ONE 9 (2014).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.quality import constants
from qhub_desktop.quality.constants import SubgroupEstimator
from qhub_desktop.quality.control_charts import (
    ChartPlan,
    ControlChart,
    ControlLimits,
    Values,
    assemble,
    common_doubts,
    measurements,
    stage_slices,
)
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.run_rules import BoolArray, FloatArray, is_above, signals_of

IndividualsEstimator = Literal["mr_mean", "mr_median", "sd"]
SPREAD_RULES = ("nelson1", "we1")  # ranges and deviations are skewed: no other rule holds for them
RANGE_SIZE = 10  # above, the range wastes what the subgroup knows (Montgomery, 6.3)
# The median of a range of two normal values: 2^0.5 times the upper quartile of the normal.
MEDIAN_RANGE_OF_TWO = 0.953872552


def individuals(
    values: Values,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
    *,
    estimator: IndividualsEstimator = "mr_mean",
    moving: int = 2,
) -> ControlChart:
    """Draw single values against limits from their moving ranges, with the chart of these below.

    `moving` is how many neighbours make a range. With `sd` the deviation of all values over c4
    stands for sigma. Missing values are gaps. Raises NotComputableError: too few, no variation.
    """
    x = measurements(values)
    ranges, whole = _moving_ranges(x, plan, moving)

    def sigma_of(mask: BoolArray) -> tuple[float, str]:
        if estimator == "sd":
            size = int(mask.sum())
            return float(x[mask].std(ddof=1)) / constants.c4(size), "s/c4"
        used = ranges[_all_within(mask, moving) & whole]
        if not used.size:
            raise NotComputableError(
                "gaps",
                _("No two values stand side by side: moving ranges need neighbours in time."),
            )
        if estimator == "mr_median" and moving == 2:
            return float(np.median(used)) / MEDIAN_RANGE_OF_TWO, "median MR/d4"
        return float(used.mean()) / constants.d2(moving), "MRbar/d2"

    def estimate(mask: BoolArray) -> ControlLimits:
        sigma, name = sigma_of(mask)
        _check_variation(sigma, x[mask])
        return ControlLimits(centre=float(x[mask].mean()), sigma=sigma, estimator=name)

    def estimate_range(mask: BoolArray) -> ControlLimits:
        sigma = float(ranges[mask].mean()) / constants.d2(moving)
        return ControlLimits(centre=sigma * constants.d2(moving), sigma=sigma, estimator="MRbar/d2")

    ones = np.ones(x.size)
    chart = assemble(
        "i",
        x,
        ones,
        plan,
        usable=np.isfinite(x),
        estimate=estimate,
        lines=lambda limits, sizes: (_all(limits.centre, sizes), _all(limits.sigma, sizes)),
        fewest=max(3, moving),
    )
    below = plan
    if plan.frozen is not None:
        given = plan.frozen.companion
        centre = constants.d2(moving) * plan.frozen.sigma if given is None else given.centre
        below = replace(plan, frozen=ControlLimits(centre, plan.frozen.sigma))
    companion = assemble(
        "mr",
        ranges,
        np.full(x.size, float(moving)),
        replace(
            below if plan.frozen is not None else replace(plan, baseline=chart.is_baseline),
            excluded=_touched(chart.excluded, moving, x.size),
        ),
        usable=whole & _all_within(chart.is_baseline, moving),
        estimate=estimate_range,
        lines=lambda limits, sizes: (
            _all(limits.centre, sizes),
            _all(constants.d3(moving) * limits.sigma, sizes),
        ),
        floor=0.0,
        codes=SPREAD_RULES,
        fewest=1,
    )
    doubts = (*common_doubts(chart), *_individuals_doubts(x, chart))
    return replace(chart, companion=companion, doubts=doubts)


def averages(
    subgroups: Sequence[Values] | FloatArray,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
    *,
    estimator: SubgroupEstimator = "range",
) -> ControlChart:
    """Draw subgroups' averages, with the chart of their ranges or deviations below.

    `subgroups` has a row of measurements each, of equal or unequal length; missing values are left
    out of theirs. Sigma: mean of R/d2(n), mean of s/c4(n), or the pooled deviation over c4. Raises
    NotComputableError: no spread within subgroups, subgroups of one, too few.
    """
    table = _Subgroups(subgroups)

    def estimate(mask: BoolArray) -> ControlLimits:
        sigma, name = table.sigma(mask, estimator)
        return ControlLimits(table.weighted(table.means, mask), sigma, name)

    chart = assemble(
        "xbar",
        table.means,
        table.sizes,
        plan,
        usable=table.sizes > 0,
        estimate=estimate,
        lines=lambda limits, sizes: (
            _all(limits.centre, sizes),
            limits.sigma / np.sqrt(np.where(sizes > 0, sizes, np.nan)),
        ),
        fewest=2,
    )
    below = plan
    if plan.frozen is not None:
        below = replace(plan, frozen=plan.frozen.companion or plan.frozen)
    companion = _spread_chart(table, below, estimator, plan.frozen)
    doubts = (*common_doubts(chart), *_subgroup_doubts(table, estimator))
    return replace(chart, companion=companion, doubts=doubts)


def ranges_chart(
    subgroups: Sequence[Values] | FloatArray,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
    *,
    estimator: SubgroupEstimator = "range",
) -> ControlChart:
    """Draw subgroups' ranges; with unequal sizes one centre line, the mean weighted by size."""
    table = _Subgroups(subgroups)
    chart = _spread_chart(table, plan, estimator, None)
    return replace(chart, doubts=(*common_doubts(chart), *_subgroup_doubts(table, "range")))


def deviations_chart(
    subgroups: Sequence[Values] | FloatArray,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
    *,
    estimator: SubgroupEstimator = "deviation",
) -> ControlChart:
    """Draw subgroups' standard deviations; with unequal sizes one centre line, weighted by size."""
    table = _Subgroups(subgroups)
    chart = _spread_chart(table, plan, estimator, None)
    return replace(chart, doubts=(*common_doubts(chart), *_subgroup_doubts(table, "deviation")))


def run_chart(
    values: Values,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw values about their median, without limits; flag runs that chance would not make.

    A run on one side is too long above round(log2(n) + 3) useful points; crossings of the median
    are too few below the 5 % point of a binomial with n - 1 trials.
    """
    x = measurements(values)

    def estimate(mask: BoolArray) -> ControlLimits:
        return ControlLimits(float(np.median(x[mask])), math.nan, "median")

    chart = assemble(
        "run",
        x,
        np.ones(x.size),
        plan,
        usable=np.isfinite(x),
        estimate=estimate,
        lines=lambda limits, sizes: (_all(limits.centre, sizes), _all(math.nan, sizes)),
        codes=(),
    )
    flagged = np.zeros(x.size, dtype=np.bool_)
    doubts = list(common_doubts(chart))
    skipped = np.isin(np.arange(x.size), chart.excluded)
    for stretch in stage_slices(plan, x.size):
        above = is_above(x[stretch], chart.centre[stretch])
        useful = (above | is_above(chart.centre[stretch], x[stretch])) & ~skipped[stretch]
        places = stretch.start + np.flatnonzero(useful)
        if places.size < 2:
            continue
        changes = np.flatnonzero(np.diff(above[useful])) + 1
        longest = round(math.log2(places.size) + 3)
        for run in np.split(places, changes):
            flagged[run] = run.size > longest
        if changes.size < _fewest_crossings(places.size):
            text = _("The values cross their median only {count} times: they shift or drift.")
            doubts.append(Doubt("few_crossings", text.format(count=changes.size)))
    return replace(chart, signals=signals_of({"run_length": flagged}), doubts=tuple(doubts))


# --- individuals ----------------------------------------------------------------------------------


def _moving_ranges(x: FloatArray, plan: ChartPlan, moving: int) -> tuple[FloatArray, BoolArray]:
    """Return ranges of `moving` neighbours within a stage, else NaN, and which of them exist."""
    if moving < 2:
        raise NotComputableError("moving", _("A moving range needs at least two values."))
    ranges = np.full(x.size, np.nan)
    for stretch in stage_slices(plan, x.size):
        part = x[stretch]
        if part.size >= moving:
            windows = np.lib.stride_tricks.sliding_window_view(part, moving)
            ranges[stretch.start + moving - 1 : stretch.stop] = np.ptp(windows, axis=1)
    return ranges, np.isfinite(ranges)


def _all_within(mask: BoolArray, moving: int) -> BoolArray:
    """Return where a point and the ones before it, `moving` in all, are in the mask."""
    within = mask.copy()
    for back in range(1, moving):
        within[back:] &= mask[:-back]
        within[:back] = False
    return within


def _touched(excluded: Sequence[int], moving: int, count: int) -> list[int]:
    """Return the moving ranges that a point left out takes part in: they are left out, too."""
    return sorted({at for each in excluded for at in range(each, min(each + moving, count))})


def _individuals_doubts(x: FloatArray, chart: ControlChart) -> list[Doubt]:
    """Say where moving ranges mislead: neighbours that resemble each other, a coarse scale."""
    used = x[chart.is_baseline]
    if used.size < 10:
        return []
    doubts: list[Doubt] = []
    # From the centre of its own stage, else a step between stages passes for likeness.
    deviations = np.where(chart.is_baseline, x - chart.centre, 0.0)
    total = float(deviations @ deviations)
    likeness = float(deviations[1:] @ deviations[:-1]) / total if total > 0 else 0.0
    if abs(likeness) > 2.576 / math.sqrt(used.size):
        text = (
            _("Neighbours are alike (autocorrelation {ratio}): the limits are too narrow.")
            if likeness > 0
            else _("Values go up and down by turns (autocorrelation {ratio}): limits are too wide.")
        )
        doubts.append(Doubt("autocorrelation", text.format(ratio=number(likeness, digits=2))))
    distinct = np.unique(used).size
    if distinct < 5:
        text = _("There are {count} different values only: the scale is too coarse for this chart.")
        doubts.append(Doubt("resolution", text.format(count=distinct)))
    return doubts


def _check_variation(sigma: float, values: FloatArray) -> None:
    """Raise NotComputableError where nothing varies."""
    if values.size and sigma <= 1e-13 * float(np.abs(values).max()):
        text = _(
            "Neighbouring values do not differ ({value}): there is no variation to make limits of. "
            "Check the column and the resolution of the gauge."
        )
        raise NotComputableError("zero_variance", text.format(value=number(float(values[0]))))


def _fewest_crossings(useful: int) -> int:
    """Return the fewest crossings that chance makes in 95 of 100 series."""
    from scipy.special import bdtr

    crossings = np.arange(useful)
    return int(np.argmax(bdtr(crossings, useful - 1, 0.5) >= 0.05))


# --- subgroups ------------------------------------------------------------------------------------


class _Subgroups:
    """Measurements by subgroup, and their statistics; NaN for a subgroup that has too few."""

    def __init__(self, subgroups: Sequence[Values] | FloatArray) -> None:
        if not len(subgroups):
            raise NotComputableError("no_values", _("There is no subgroup to draw."))
        rows = [
            each
            if isinstance(each, np.ndarray) and each.ndim == 1
            else np.atleast_1d(np.asarray(each, dtype=object))
            for each in subgroups
        ]
        values = measurements(np.concatenate(rows))
        owner = np.repeat(np.arange(len(rows)), [each.size for each in rows])[np.isfinite(values)]
        values = values[np.isfinite(values)]
        count = len(rows)
        self.sizes = np.bincount(owner, minlength=count).astype(np.float64)
        # About a value of their own, sums of squares lose nothing to a large mean.
        shift = float(values[0])
        sums = np.bincount(owner, values - shift, minlength=count)
        with np.errstate(invalid="ignore", divide="ignore"):
            self.means = shift + sums / np.where(self.sizes > 0, self.sizes, np.nan)
            squares = np.bincount(owner, (values - self.means[owner]) ** 2, minlength=count)
            several = np.where(self.sizes > 1, self.sizes, np.nan)
            self.deviations = np.sqrt(squares / (several - 1))
        high, low = np.full(count, -np.inf), np.full(count, np.inf)
        np.maximum.at(high, owner, values)
        np.minimum.at(low, owner, values)
        self.ranges = np.where(self.sizes > 1, high - low, np.nan)

    def sigma(self, mask: BoolArray, estimator: SubgroupEstimator) -> tuple[float, str]:
        """Estimate sigma from within the subgroups. Raises NotComputableError without spread."""
        used = mask & (self.sizes > 1)
        if not used.any():
            raise NotComputableError(
                "subgroups_of_one",
                _("Every subgroup has one value: there is no spread within. Use individuals."),
            )
        sigma, name = constants.sigma_within(
            self.sizes[used], self.ranges[used], self.deviations[used], estimator
        )
        _check_variation(sigma, self.means[used])
        return sigma, name

    def weighted(self, statistics: FloatArray, mask: BoolArray) -> float:
        """Average a statistic over subgroups, each by its size."""
        used = mask & np.isfinite(statistics)
        return float(np.average(statistics[used], weights=self.sizes[used]))


def _spread_chart(
    table: _Subgroups,
    plan: ChartPlan,
    estimator: SubgroupEstimator,
    averages_frozen: ControlLimits | None,
) -> ControlChart:
    """Draw ranges within subgroups where sigma is estimated from them, else deviations."""
    kind: Literal["r", "s"] = "r" if estimator in ("range", "weighted_range") else "s"
    statistics = table.ranges if kind == "r" else table.deviations
    if estimator == "pooled":  # its chart of deviations stands on these
        estimator = "deviation"
    mean_of = constants.d2 if kind == "r" else constants.c4
    deviation_of = constants.d3 if kind == "r" else constants.c5
    from_sigma = averages_frozen is not None and averages_frozen.companion is None

    def estimate(mask: BoolArray) -> ControlLimits:
        sigma, name = table.sigma(mask, estimator)
        return ControlLimits(table.weighted(statistics, mask), sigma, name)

    def lines(limits: ControlLimits, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
        whole = [int(each) if each > 1 else 0 for each in sizes]
        spread = np.array([deviation_of(each) if each else np.nan for each in whole])
        centre = _all(limits.centre, sizes)
        if from_sigma:  # sigma was given, without a centre for the spread
            centre = limits.sigma * np.array([mean_of(each) if each else np.nan for each in whole])
        return centre, limits.sigma * spread

    return assemble(
        kind,
        statistics,
        table.sizes,
        plan,
        usable=table.sizes > 1,
        estimate=estimate,
        lines=lines,
        floor=0.0,
        codes=SPREAD_RULES,
        fewest=2,
    )


def _subgroup_doubts(table: _Subgroups, estimator: SubgroupEstimator) -> list[Doubt]:
    """Say what the sizes of the subgroups do to the chart."""
    doubts: list[Doubt] = []
    alone = int((table.sizes == 1).sum())
    if alone:
        text = _("{count} subgroups have one value: they say nothing about the spread.")
        doubts.append(Doubt("subgroups_of_one", text.format(count=alone)))
    if estimator in ("range", "weighted_range") and np.median(table.sizes) > RANGE_SIZE:
        text = _(
            "With more than {size} values in a subgroup, deviations (S) tell more than ranges."
        )
        doubts.append(Doubt("large_subgroups", text.format(size=RANGE_SIZE)))
    return doubts


def _all(value: float, like: FloatArray) -> FloatArray:
    return np.full(like.size, value)
