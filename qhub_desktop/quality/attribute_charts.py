"""Charts of counts: p and np for defective parts, c and u for defects, Laney's p' and u'.

Sources: Montgomery, Introduction to Statistical Quality Control, chapter 7; Laney, Improved Control
Charts for Attributes, Quality Engineering 14 (2002), 531-537.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.quality.control_charts import (
    ChartPlan,
    ControlChart,
    ControlLimits,
    Values,
    assemble,
    common_doubts,
    measurements,
)
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.run_rules import BoolArray, FloatArray

Exposure = Values | float | None
# Nelson's tests 5 to 8 and Western Electric's zones lean on a normal distribution.
ATTRIBUTE_RULES = ("nelson1", "nelson2", "nelson3", "nelson4", "we1", "we4")
LANEY_D2 = 1.128  # as printed in Laney's paper and in the programs that follow it
EXPECTED_COUNT = 5.0  # below, counts are too skewed for limits that are symmetrical


def defective_shares(
    defectives: Values,
    inspected: Exposure,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw shares of defective parts (p chart), with limits for each number inspected.

    Raises NotComputableError without that number, or where it is smaller than the defectives.
    """
    counts, sizes = _parts(defectives, inspected)
    return _shares("p", counts, sizes, plan)


def defective_numbers(
    defectives: Values,
    inspected: Exposure,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw numbers of defective parts (np chart); centre and limits follow the number inspected."""
    counts, sizes = _parts(defectives, inspected)
    chart = assemble(
        "np",
        counts,
        sizes,
        plan,
        usable=np.isfinite(counts),
        estimate=lambda mask: _binomial(counts, sizes, mask),
        lines=lambda limits, size: (limits.centre * size, limits.sigma * np.sqrt(size)),
        floor=0.0,
        ceiling=sizes,
        codes=ATTRIBUTE_RULES,
    )
    return replace(chart, doubts=_count_doubts(chart, counts, sizes))


def defect_counts(
    defects: Values,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw numbers of defects (c chart); every point must stand for the same opportunity."""
    counts = _counts(defects)

    def estimate(mask: BoolArray) -> ControlLimits:
        centre = float(counts[mask].mean())
        return ControlLimits(centre, math.sqrt(centre), "Poisson")

    chart = assemble(
        "c",
        counts,
        np.ones(counts.size),
        plan,
        usable=np.isfinite(counts),
        estimate=estimate,
        lines=lambda limits, size: (
            np.full(size.size, limits.centre),
            np.full(size.size, limits.sigma),
        ),
        floor=0.0,
        codes=ATTRIBUTE_RULES,
    )
    return replace(chart, doubts=_count_doubts(chart, counts, np.ones(counts.size)))


def defect_rates(
    defects: Values,
    units: Exposure,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw defects for each unit (u chart), with limits for each number of units inspected."""
    counts, sizes = _units(defects, units)
    return _rates("u", counts, sizes, plan)


def laney_shares(
    defectives: Values,
    inspected: Exposure,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw a p chart whose limits take in the variation between points (Laney's p')."""
    counts, sizes = _parts(defectives, inspected)
    return _shares("laney_p", counts, sizes, plan)


def laney_rates(
    defects: Values,
    units: Exposure,
    plan: ChartPlan = ChartPlan(),  # noqa: B008 - frozen
) -> ControlChart:
    """Draw a u chart whose limits take in the variation between points (Laney's u')."""
    counts, sizes = _units(defects, units)
    return _rates("laney_u", counts, sizes, plan)


def _shares(
    kind: Literal["p", "laney_p"], counts: FloatArray, sizes: FloatArray, plan: ChartPlan
) -> ControlChart:
    def estimate(mask: BoolArray) -> ControlLimits:
        limits = _binomial(counts, sizes, mask)
        return limits if kind == "p" else _with_ratio(limits, counts, sizes, mask)

    chart = assemble(
        kind,
        counts / sizes,
        sizes,
        plan,
        usable=np.isfinite(counts / sizes),
        estimate=estimate,
        lines=_per_unit,
        floor=0.0,
        ceiling=1.0,
        codes=ATTRIBUTE_RULES,
    )
    return replace(chart, doubts=_count_doubts(chart, counts, sizes))


def _rates(
    kind: Literal["u", "laney_u"], counts: FloatArray, sizes: FloatArray, plan: ChartPlan
) -> ControlChart:
    def estimate(mask: BoolArray) -> ControlLimits:
        centre = float(counts[mask].sum() / sizes[mask].sum())
        limits = ControlLimits(centre, math.sqrt(centre), "Poisson")
        return limits if kind == "u" else _with_ratio(limits, counts, sizes, mask)

    chart = assemble(
        kind,
        counts / sizes,
        sizes,
        plan,
        usable=np.isfinite(counts / sizes),
        estimate=estimate,
        lines=_per_unit,
        floor=0.0,
        codes=ATTRIBUTE_RULES,
    )
    return replace(chart, doubts=_count_doubts(chart, counts, sizes))


def _per_unit(limits: ControlLimits, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return centre and spread of a share or a rate."""
    return np.full(sizes.size, limits.centre), limits.sigma_z * limits.sigma / np.sqrt(sizes)


def _binomial(counts: FloatArray, sizes: FloatArray, mask: BoolArray) -> ControlLimits:
    centre = float(counts[mask].sum() / sizes[mask].sum())
    return ControlLimits(centre, math.sqrt(centre * (1 - centre)), "binomial")


def _with_ratio(
    limits: ControlLimits, counts: FloatArray, sizes: FloatArray, mask: BoolArray
) -> ControlLimits:
    """Add Laney's ratio. Raises NotComputableError where there is no variation to compare."""
    if limits.sigma == 0:
        raise NotComputableError(
            "zero_variance",
            _("Every point has the same share, none or all: there is no variation to compare."),
        )
    ratio = _variation_ratio(limits, counts[mask], sizes[mask])
    return replace(limits, sigma_z=ratio, estimator=f"{limits.estimator} x MRbar(z)/1.128")


def _variation_ratio(limits: ControlLimits, counts: FloatArray, sizes: FloatArray) -> float:
    """Return how many times the points vary as chance alone would make them: Laney's sigma z."""
    z = (counts / sizes - limits.centre) * np.sqrt(sizes) / limits.sigma
    return float(np.abs(np.diff(z)).mean()) / LANEY_D2


def _count_doubts(chart: ControlChart, counts: FloatArray, sizes: FloatArray) -> tuple[Doubt, ...]:
    """Say where counts do not vary as the chart's distribution supposes."""
    doubts = list(common_doubts(chart))
    used = chart.is_baseline
    limits = chart.limits[-1]
    if limits.sigma == 0:
        doubts.append(
            Doubt(
                "no_defects",
                _("Every point is the same, none or all: the limits are lines without width."),
            )
        )
        return tuple(doubts)
    expected = limits.centre * float(np.nanmedian(sizes))
    if expected < EXPECTED_COUNT:
        text = _(
            "{count} expected at a point: below 5 the limits are rough; take longer subgroups."
        )
        doubts.append(Doubt("small_counts", text.format(count=number(expected, digits=1))))
    if used.sum() < 10 or chart.kind in {"laney_p", "laney_u"} or len(chart.stages) > 1:
        return tuple(doubts)
    if chart.kind == "c":
        sizes = np.ones(counts.size)
    ratio = _variation_ratio(limits, counts[used], sizes[used])
    # The ratio's standard error is about 0.91/sqrt(k - 1); 2.33 of them are passed once in 100.
    slack = 2.33 * 0.91 / math.sqrt(float(used.sum()) - 1)
    if ratio > 1 + slack:
        proposal = (
            _("Laney's p' chart takes it in.")
            if chart.kind in {"p", "np"}
            else _("Laney's u' chart takes it in.")
        )
        text = _("The points vary {ratio} times as much as chance would make them.")
        doubts.append(
            Doubt("overdispersion", f"{text.format(ratio=number(ratio, digits=2))} {proposal}")
        )
    elif ratio < 1 - slack:
        text = _(
            "The points vary {ratio} times as much as chance would: look how they are counted."
        )
        doubts.append(Doubt("underdispersion", text.format(ratio=number(ratio, digits=2))))
    return tuple(doubts)


# --- what is counted, and out of how many ---------------------------------------------------------


def _counts(values: Values) -> FloatArray:
    """Take whole numbers from zero up. Raises NotComputableError for others."""
    counts = measurements(values)
    known = counts[np.isfinite(counts)]
    if (known < 0).any() or (known != np.round(known)).any():
        raise NotComputableError(
            "not_counts",
            _("Counts are whole numbers from 0 up. For measurements, use a chart of individuals."),
        )
    return counts


def _exposure(counts: FloatArray, given: Exposure) -> FloatArray:
    """Take how much was inspected at each point. Raises NotComputableError where it is missing."""
    if given is None:
        raise NotComputableError(
            "denominator",
            _(
                "It is not known how many parts were inspected. Give the production volume: a "
                "column, another data set, or a number a day."
            ),
        )
    sizes = measurements([given] if isinstance(given, int | float) else given)
    if sizes.size == 1:
        sizes = np.full(counts.size, sizes[0])
    if sizes.size != counts.size:
        raise NotComputableError(
            "denominator",
            _("There are {counts} points and {sizes} production volumes.").format(
                counts=counts.size, sizes=sizes.size
            ),
        )
    if (sizes < 0).any() or (((sizes == 0) | np.isnan(sizes)) & (counts > 0)).any():
        raise NotComputableError(
            "denominator",
            _("There are defects where nothing was inspected. Check the production volume."),
        )
    if not (sizes > 0).any():
        raise NotComputableError("denominator", _("Every production volume is 0."))
    return np.where(sizes > 0, sizes, np.nan)  # nothing inspected, nothing to draw


def _parts(defectives: Values, inspected: Exposure) -> tuple[FloatArray, FloatArray]:
    counts = _counts(defectives)
    sizes = _exposure(counts, inspected)
    if (counts > sizes).any():
        raise NotComputableError(
            "more_than_inspected",
            _(
                "There are more defective parts than parts inspected. If a part may have several "
                "defects, use a u chart."
            ),
        )
    return np.where(np.isnan(sizes), np.nan, counts), sizes


def _units(defects: Values, units: Exposure) -> tuple[FloatArray, FloatArray]:
    counts = _counts(defects)
    sizes = _exposure(counts, units)
    return np.where(np.isnan(sizes), np.nan, counts), sizes
