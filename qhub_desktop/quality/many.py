"""Many processes at once: the capability of each group of values, or whether it is in control."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.capability import (
    Indices,
    Specification,
    indices,
    observed_share,
    within_sigma,
)
from qhub_desktop.quality.constants import SubgroupEstimator
from qhub_desktop.quality.control_charts import ChartPlan
from qhub_desktop.quality.descriptive import Floats, as_numbers
from qhub_desktop.quality.run_rules import Rules
from qhub_desktop.quality.stability import Stability, stability_of
from qhub_desktop.quality.variable_charts import averages, individuals

LEAST_VALUES = 2
MOST_RANGED = 8  # values of a subgroup whose ranges tell as much as deviations


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """One group: its values described, its chart's grade, and its capability between limits.

    All but name and count is None where there are too few values, or all are the same; `within` is
    so where there is no spread within subgroups, both indices without limits.
    """

    name: str
    count: int
    mean: float | None = None
    deviation: float | None = None
    stability: Stability | None = None
    within: Indices | None = None
    overall: Indices | None = None
    observed: float | None = None  # share outside, of one


def summarize(
    name: str,
    values: Floats,
    rules: Rules,
    specification: Specification | None = None,
    *,
    sizes: Sequence[int] | None = None,
    confidence: float = 0.95,
) -> GroupSummary:
    """Summarize the values of one group, in the order of production.

    `sizes` are those of consecutive subgroups; without, the values are individuals. For hundreds of
    groups at once: normality is left to the study of each.
    """
    numbers = as_numbers(values)
    known = numbers[~np.isnan(numbers)]
    count = int(known.size)
    if count < LEAST_VALUES or np.ptp(known) == 0:
        return GroupSummary(name, count)
    mean, deviation = float(known.mean()), float(known.std(ddof=1))
    plan = ChartPlan(rules=rules)
    if sizes is None or len(sizes) < 2 or max(sizes) < 2:
        # Neighbouring moving ranges share a value: the chart itself shows the shifts.
        chart, sizes = replace(individuals(numbers, plan), companion=None), None
    else:
        estimator: SubgroupEstimator = "range" if max(sizes) <= MOST_RANGED else "pooled"
        parts = np.split(numbers, np.cumsum(sizes)[:-1])
        chart = averages(parts, plan, estimator=estimator)
    within = overall = observed = None
    if specification is not None:
        sigma, used, freedom = within_sigma(numbers, sizes=sizes, estimator=None)
        if sigma is not None:
            within = indices(mean, sigma, used, specification, count, confidence, freedom)
        overall = indices(mean, deviation, "overall", specification, count, confidence)
        observed = (observed_share(known, below=specification.lower) or 0.0) + (
            observed_share(known, above=specification.upper) or 0.0
        )
    return GroupSummary(
        name,
        count,
        mean,
        deviation,
        stability_of(chart, rules),
        within,
        overall,
        observed,
    )
