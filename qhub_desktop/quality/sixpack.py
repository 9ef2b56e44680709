"""The capability sixpack: two charts, last subgroups, histogram, probability plot and indices.

All six come from the same values, so that nobody quotes a Cpk without having seen whether the
process is stable and the values normal (Montgomery, chapter 8).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.capability import (
    Capability,
    Estimator,
    Specification,
    capability,
    within_sigma,
)
from qhub_desktop.quality.control_charts import ChartPlan, ControlChart
from qhub_desktop.quality.descriptive import Floats, Histogram, Values, as_numbers, histogram
from qhub_desktop.quality.distributions import ModelName
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.nonnormal import ModelCapability, model_capability
from qhub_desktop.quality.normality import LEAST, ProbabilityPlot, probability_plot
from qhub_desktop.quality.variable_charts import averages, individuals

LAST = 25  # subgroups, or individuals, whose values are shown one by one
_CURVE_POINTS = 161
_REACH = 4  # sigmas of a curve on each side of the mean


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A normal density over the histogram: `heights` in counts at `values` in the data's unit."""

    values: Floats
    heights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sixpack:
    """All six parts, and what to doubt, in the order in which it is to be told.

    `chart` has the chart of ranges, deviations or moving ranges as its companion. `last` holds the
    0-based position of each of the last 25 subgroups, with its values. There is no `within` curve
    without a spread within subgroups, no `plot` for two values. `model` is the capability that
    holds where a model other than the normal distribution was asked for.
    """

    chart: ControlChart
    last: tuple[tuple[int, Floats], ...]
    histogram: Histogram
    within: Curve | None
    overall: Curve
    plot: ProbabilityPlot | None
    capability: Capability
    model: ModelCapability | None
    doubts: tuple[Doubt, ...]


def sixpack(
    values: Values,
    specification: Specification,
    *,
    sizes: Sequence[int] | None = None,
    estimator: Estimator | None = None,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
    model: ModelName = "normal",
    power: float | None = None,
    confidence: float = 0.95,
) -> Sixpack:
    """Make the sixpack of values in the order of production.

    `sizes` are those of consecutive subgroups; without, the values are individuals. Points that
    `plan` excludes stay on the chart and are left out of all else. Its frozen limits and stages
    hold for the chart alone. `power` is λ for the model "box_cox". Raises NotComputableError as
    `capability`, `model_capability`, `individuals` and `averages` do.
    """
    specification = specification.checked()
    numbers = as_numbers(values)
    bounds = _bounds(numbers, sizes)
    groups = [numbers[start:end] for start, end in bounds]
    kept = numbers.copy()
    for position in plan.excluded:
        if 0 <= position < len(bounds):
            kept[slice(*bounds[position])] = np.nan
    # First, so that what cannot be computed is said in the words of capability.
    first = capability(
        kept,
        specification,
        sizes=sizes,
        estimator=estimator,
        confidence=confidence,
        signals=(),
    )
    chart = _chart(numbers, kept, groups, plan, sizes=sizes, estimator=estimator)
    signals = tuple((at, ()) for at in _signals(chart, sizes))
    found = capability(
        kept,
        specification,
        sizes=sizes,
        estimator=estimator,
        confidence=confidence,
        signals=signals,
    )
    if not np.isnan(numbers).any():  # what was excluded is not missing
        found = replace(found, doubts=_without(found.doubts, "missing"))
    other = None
    doubts = found.doubts
    if model != "normal":
        other = model_capability(
            kept,
            specification,
            model,
            power=power,
            confidence=confidence,
            signals=signals,
        )
        doubts = other.doubts
        if not np.isnan(numbers).any():
            doubts = _without(doubts, "missing")
    sample = kept[~np.isnan(kept)]
    bars = histogram(sample)
    within = first.within
    return Sixpack(
        chart=chart,
        last=tuple(
            (position, groups[position])
            for position in range(max(0, len(groups) - LAST), len(groups))
        ),
        histogram=bars,
        within=None if within is None else _curve(first.mean, within.sigma, len(sample), bars),
        overall=_curve(first.mean, first.overall.sigma, len(sample), bars),
        plot=probability_plot(sample) if len(sample) >= LEAST else None,
        capability=found,
        model=other,
        doubts=doubts,
    )


def _chart(
    numbers: Floats,
    kept: Floats,
    groups: Sequence[Floats],
    plan: ChartPlan,
    *,
    sizes: Sequence[int] | None,
    estimator: Estimator | None,
) -> ControlChart:
    """Make the chart of averages, or of individuals, with its companion of spread."""
    if not _is_grouped(sizes):
        return individuals(numbers, plan)
    _sigma, used = within_sigma(kept, sizes=sizes, estimator=estimator)
    kinds: dict[str, Literal["range", "deviation", "pooled"]]
    kinds = {"Sbar/c4": "deviation", "pooled/c4": "pooled"}
    return averages(groups, plan, estimator=kinds.get(used, "range"))


def _is_grouped(sizes: Sequence[int] | None) -> bool:
    return max(sizes or (), default=0) > 1


def _signals(chart: ControlChart, sizes: Sequence[int] | None) -> list[int]:
    """List the positions of the points that break a rule, in order."""
    signals = {at for at, _rules in chart.signals}
    # Neighbouring moving ranges share a value: of individuals, the chart itself shows the shifts.
    if _is_grouped(sizes) and chart.companion is not None:
        signals |= {at for at, _rules in chart.companion.signals}
    return sorted(signals)


def _bounds(numbers: Floats, sizes: Sequence[int] | None) -> list[tuple[int, int]]:
    """Return where each subgroup starts and ends; one value each without subgroups."""
    ends = np.cumsum([1] * len(numbers) if sizes is None else list(sizes)).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _curve(mean: float, sigma: float, count: int, bars: Histogram) -> Curve:
    values = np.linspace(mean - _REACH * sigma, mean + _REACH * sigma, _CURVE_POINTS)
    density = np.exp(-(((values - mean) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
    return Curve(values, count * bars.width * density)


def _without(doubts: tuple[Doubt, ...], kind: str) -> tuple[Doubt, ...]:
    return tuple(each for each in doubts if each.kind != kind)
