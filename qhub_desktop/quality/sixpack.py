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
    stability_doubts,
    within_sigma,
)
from qhub_desktop.quality.control_charts import ChartPlan, ControlChart
from qhub_desktop.quality.descriptive import Floats, Histogram, Values, as_numbers, histogram
from qhub_desktop.quality.distributions import ModelName
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.nonnormal import ModelCapability, model_capability
from qhub_desktop.quality.normality import LEAST, ProbabilityPlot, normal_share, probability_plot
from qhub_desktop.quality.stability import Stability, stability_of
from qhub_desktop.quality.variable_charts import averages, individuals

LAST = 25  # subgroups, or individuals, whose values are shown one by one
_CURVE_POINTS = 161
_REACH = 4  # sigmas of a curve on each side of the mean


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A density over the histogram: `heights` in counts at `values` in the data's unit."""

    values: Floats
    heights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sixpack:
    """All six parts, and what to doubt, in the order in which it is to be told.

    `chart` has the chart of ranges, deviations or moving ranges as its companion. `last` holds the
    0-based position of each of the last 25 subgroups, with its values. There is no `within` curve
    without a spread within subgroups, no `plot` for two values. `model` is the capability that
    holds where a model other than the normal distribution was asked for: the chart is then judged
    on its scale and given in the data's unit, curve and plot are the model's, and for percentiles
    there is neither.
    """

    chart: ControlChart
    stability: Stability
    last: tuple[tuple[int, Floats], ...]
    histogram: Histogram
    within: Curve | None
    overall: Curve | None
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
    kept = numbers.copy()
    for position in plan.excluded:
        if 0 <= position < len(bounds):
            kept[slice(*bounds[position])] = np.nan
    # First, so that what cannot be computed is said in the words of capability.
    found = capability(kept, specification, sizes=sizes, estimator=estimator, confidence=confidence)
    other = None
    if model != "normal":
        other = model_capability(kept, specification, model, power=power, confidence=confidence)
    chart = _chart(numbers, kept, bounds, plan, other, sizes=sizes, estimator=estimator)
    # Neighbouring moving ranges share a value: of individuals, the chart itself shows the shifts.
    judged = chart if _is_grouped(sizes) else replace(chart, companion=None)
    stability = stability_of(judged, plan.rules)
    unsaid = {"stability_unknown"}
    if not np.isnan(numbers).any():  # what was excluded is not missing
        unsaid.add("missing")
    doubts = tuple(
        (*stability_doubts(stability), *(each for each in about if each.kind not in unsaid))
        for about in (found.doubts, found.doubts if other is None else other.doubts)
    )
    sample = kept[~np.isnan(kept)]
    bars = histogram(sample)
    within = found.within if other is None else None
    return Sixpack(
        chart=chart if other is None else _undone(chart, other),
        stability=stability,
        last=tuple(
            (position, numbers[slice(*bounds[position])])
            for position in range(max(0, len(bounds) - LAST), len(bounds))
        ),
        histogram=bars,
        within=None if within is None else _curve(found.mean, within.sigma, len(sample), bars),
        overall=_curve(found.mean, found.overall.sigma, len(sample), bars)
        if other is None
        else _model_curve(other, len(sample), bars),
        plot=_plot(sample, other),
        capability=replace(found, doubts=doubts[0]),
        model=other,
        doubts=doubts[1],
    )


def _chart(
    numbers: Floats,
    kept: Floats,
    bounds: Sequence[tuple[int, int]],
    plan: ChartPlan,
    model: ModelCapability | None,
    *,
    sizes: Sequence[int] | None,
    estimator: Estimator | None,
) -> ControlChart:
    """Make the chart of averages, or of individuals, with its companion of spread.

    Under a model it is made on the model's own scale, where a stable process is normal.
    """
    bent = numbers if model is None else model.fit.apply(numbers)
    if not _is_grouped(sizes):
        return individuals(bent, plan)
    _sigma, used, _freedom = within_sigma(kept, sizes=sizes, estimator=estimator)
    kinds: dict[str, Literal["range", "deviation", "pooled"]]
    kinds = {"Sbar/c4": "deviation", "pooled/c4": "pooled"}
    groups = [bent[start:end] for start, end in bounds]
    return averages(groups, plan, estimator=kinds.get(used, "range"))


def _undone(chart: ControlChart, model: ModelCapability) -> ControlChart:
    """Return a chart of the model's scale in the data's unit; its companion stays on that scale."""
    lines = (chart.statistics, chart.centre, chart.lower, chart.upper)
    statistics, centre, lower, upper = (model.fit.undo(each) for each in lines)
    return replace(chart, statistics=statistics, centre=centre, lower=lower, upper=upper)


def _is_grouped(sizes: Sequence[int] | None) -> bool:
    return max(sizes or (), default=0) > 1


def _bounds(numbers: Floats, sizes: Sequence[int] | None) -> list[tuple[int, int]]:
    """Return where each subgroup starts and ends; one value each without subgroups."""
    ends = np.cumsum([1] * len(numbers) if sizes is None else list(sizes)).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _curve(mean: float, sigma: float, count: int, bars: Histogram) -> Curve:
    values = np.linspace(mean - _REACH * sigma, mean + _REACH * sigma, _CURVE_POINTS)
    density = np.exp(-(((values - mean) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
    return Curve(values, count * bars.width * density)


def _model_curve(model: ModelCapability, count: int, bars: Histogram) -> Curve | None:
    """Return the model's own density; plain percentiles have none."""
    if model.name == "percentiles":
        return None
    low, _median, high = model.quantiles
    ends = [end for end in (low, high, *bars.edges[[0, -1]].tolist()) if np.isfinite(end)]
    values = np.linspace(min(ends), max(ends), _CURVE_POINTS)
    shares = normal_share((model.fit.apply(values) - model.centre) / model.deviation)
    return Curve(values, count * bars.width * np.nan_to_num(np.gradient(shares, values)))


def _plot(sample: Floats, model: ModelCapability | None) -> ProbabilityPlot | None:
    """Make the probability plot, under a model of its own scale."""
    if len(sample) < LEAST or (model is not None and model.name == "percentiles"):
        return None
    return probability_plot(sample if model is None else model.fit.apply(sample))
