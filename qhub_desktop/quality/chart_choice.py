"""Choice of a chart: what the shape of the data asks for, why, and what a better one lacks.

Source: the usual decision tree of the field, as in Montgomery, Introduction to Statistical Quality
Control, 7.4, and the AIAG manual Statistical Process Control; Laney's charts where counts vary more
than chance would make them.
"""

from collections.abc import Callable

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.attribute_charts import defect_rates, defective_shares
from qhub_desktop.quality.constants import SubgroupEstimator
from qhub_desktop.quality.control_charts import ChartKind, ControlChart, Values
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.variable_charts import RANGE_SIZE, IndividualsEstimator


@dataclass(frozen=True, slots=True)
class Measurements:
    """Measurements; `subgroup_sizes` where a column groups them."""

    subgroup_sizes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PartsJudged:
    """A row for each part, with a column that says whether it is good; `sizes`: parts a point."""

    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Defectives:
    """Defective parts at each point, and how many were inspected there where it is known."""

    counts: Values
    inspected: Values | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Defects:
    """Defects at each point, and the parts or units inspected there where it is known."""

    counts: Values
    units: Values | None = None


@dataclass(frozen=True, slots=True)
class DefectLog:
    """A row for each defect, and none for a part without one."""

    has_moments: bool = True  # a column says when


DataShape = Measurements | PartsJudged | Defectives | Defects | DefectLog


@dataclass(frozen=True, slots=True)
class ChartChoice:
    """A chart that fits: how to point the data, why in one sentence, what would make it better.

    `kind` is "xbar" for averages with the chart that `estimator` names below. `missing` is empty
    when nothing is.
    """

    kind: ChartKind
    why: str
    subgroups: str
    estimator: IndividualsEstimator | SubgroupEstimator | None = None
    missing: str = ""


def choose_chart(shape: DataShape) -> ChartChoice:
    """Propose the chart for data of a shape."""
    match shape:
        case Measurements(sizes):
            return _for_measurements(sizes)
        case PartsJudged(sizes):
            return ChartChoice(
                "p",
                _("Each row is a part, good or bad: a p chart shows the share of bad parts.")
                if len(set(sizes)) > 1
                else _("Each row is a part, good or bad, as many each time: p, or np, fits."),
                _("The parts of each day or lot are one point."),
            )
        case Defectives(counts, inspected):
            return _for_defectives(counts, inspected)
        case Defects(counts, units):
            return _for_defects(counts, units)
        case DefectLog(has_moments):
            moments = "" if has_moments else _("A date is missing: nothing says which row is when.")
            return ChartChoice(
                "c",
                _("Each row is a defect and good parts are not listed: only counts can be drawn."),
                _("The defects of a day are one point; days without any count as 0."),
                missing=" ".join(filter(None, [_volume_missing(), moments])),
            )


def _for_measurements(sizes: tuple[int, ...]) -> ChartChoice:
    if not sizes or max(sizes) < 2:
        return ChartChoice(
            "i",
            _("Measurements one at a time: individuals with moving ranges."),
            _("Each measurement is a point, in the order of time."),
            "mr_mean",
        )
    several = float(np.median(sizes))
    subgroups = (
        _("{size} measurements make a subgroup.").format(size=sizes[0])
        if len(set(sizes)) == 1
        else _(
            "Subgroups have {fewest} to {most} measurements: each has limits of its own."
        ).format(fewest=min(sizes), most=max(sizes))
    )
    if several > RANGE_SIZE:
        why = _("Subgroups of more than {size}: averages with standard deviations (X-bar and S).")
        return ChartChoice("xbar", why.format(size=RANGE_SIZE), subgroups, "deviation")
    why = _("Subgroups of up to {size}: averages with ranges (X-bar and R).")
    return ChartChoice("xbar", why.format(size=RANGE_SIZE), subgroups, "range")


def _for_defectives(counts: Values, inspected: Values | None) -> ChartChoice:
    each_count = _("Each count is a point.")
    if inspected is None:
        return ChartChoice(
            "c",
            _("Defective parts without the number inspected: only the counts can be drawn."),
            each_count,
            missing=_volume_missing(),
        )
    if _varies_too_much(lambda: defective_shares(counts, inspected)):
        why = _("Shares of defective parts that vary more than chance would make them: Laney's p'.")
        return ChartChoice("laney_p", why, each_count)
    if _all_equal(inspected):
        why = _("Defective parts out of the same number each time: an np chart.")
        return ChartChoice("np", why, each_count)
    why = _("Defective parts out of numbers that differ: a p chart, with limits for each number.")
    return ChartChoice("p", why, each_count)


def _for_defects(counts: Values, units: Values | None) -> ChartChoice:
    each_count = _("Each count is a point.")
    if units is None:
        return ChartChoice(
            "c",
            _("Counts of defects: a c chart, if each point stands for the same production."),
            each_count,
            missing=_volume_missing(),
        )
    if _varies_too_much(lambda: defect_rates(counts, units)):
        why = _("Defects for each unit that vary more than chance would make them: Laney's u'.")
        return ChartChoice("laney_u", why, each_count)
    if _all_equal(units):
        why = _("Defects in the same number of units each time: a c chart.")
        return ChartChoice("c", why, each_count)
    why = _("Defects in numbers of units that differ: a u chart, with limits for each number.")
    return ChartChoice("u", why, each_count)


def _varies_too_much(draw: Callable[[], ControlChart]) -> bool:
    """Whether the points vary more than chance; what cannot be drawn says so when it is."""
    try:
        return any(doubt.kind == "overdispersion" for doubt in draw().doubts)
    except NotComputableError:
        return False


def _all_equal(values: Values) -> bool:
    return bool(np.unique(np.asarray(values, dtype=np.float64)).size == 1)


def _volume_missing() -> str:
    return _(
        "The production volume is missing: with it (a column, a sheet or a number a day) the share "
        "or rate of defects can be drawn."
    )
