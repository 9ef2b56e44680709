"""Figures of studies to the conventions of the field, from results of `quality`.

A control chart has a green centre line, red limits with their values at the right edge, stair-steps
where the size of subgroups varies, and its violations in red with the number of the rule.
"""

import math
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.figure import (
    Axis,
    Figure,
    Line,
    Mark,
    Points,
    Role,
    Rule,
    Stroke,
    stair_steps,
)
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.tools.studies.words import in_percent, statistic_name, unit_of

FloatArray = npt.NDArray[np.float64]
_DAY = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?= |$)")
STAGE_NAMES = 0.15  # room above a chart for the names of its stages, as a share of its height
DOTTED = 500  # points of a longer line are not marked one by one
LONGEST_CATEGORIES = 2_000  # a longer axis counts


def settled(values: FloatArray, scale: float) -> FloatArray:
    """Round the values of a long chart to a millionth of a scale: the rest is noise of sums.

    Every digit is kept with the answer, and a hundred thousand points have many.
    """
    if values.size <= LONGEST_CATEGORIES or not (math.isfinite(scale) and scale > 0):
        return values
    rounded: FloatArray = np.round(values, min(max(0, 6 - math.floor(math.log10(scale))), 15))
    return rounded


def figured(value: float, scale: float) -> str:
    """Write a value with three digits of a scale it is compared on, a spread for one."""
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    size = abs(scale) or abs(value) or 1.0
    return number(value, digits=min(max(0, 2 - math.floor(math.log10(size))), 8))


def control_figure(
    chart: ControlChart, labels: Sequence[str], *, title: str, subtitle: str = "", axis: str = ""
) -> Figure:
    """Draw one control chart; `labels` name its points. Shares are drawn in per cent."""
    chart, unit = in_percent(chart), unit_of(chart)
    count = chart.statistics.size
    x = np.arange(count, dtype=np.float64)
    is_counted = count > LONGEST_CATEGORIES or all(
        label == str(at + 1) for at, label in enumerate(labels)
    )
    if is_counted:
        x += 1
    scale = scale_of(chart)
    heights = settled(chart.statistics, scale)
    marks: list[Mark] = []
    lines: tuple[tuple[str, FloatArray, Role], ...] = (
        (_("CL"), chart.centre, "centre"),
        (_("UCL"), chart.upper, "limit"),
        (_("LCL"), chart.lower, "limit"),
    )
    for name, values, role in lines:
        marks += _limit(name, x, values, role, scale, unit)
    marks += [
        Rule(float(x[start]) - 0.5, "vertical", _("Stage {number}").format(number=at + 1), "quiet")
        for at, start in enumerate(chart.stages if len(chart.stages) > 1 else ())
    ]
    marks.append(
        Line(
            tuple(x.tolist()),
            tuple(heights.tolist()),
            is_dotted_at_points=count <= DOTTED,
            is_selectable=True,
        )
    )
    below = chart.companion if chart.kind == "cusum" else None
    if below is not None:  # both sums between the same limits, as they are drawn in the field
        lowest = tuple(settled(below.statistics, scale).tolist())
        marks.append(Line(tuple(x.tolist()), lowest, is_dotted_at_points=count <= DOTTED))
    marks += _points(chart, x)
    return Figure(
        title,
        tuple(marks),
        subtitle,
        x=Axis(axis)
        if is_counted
        else Axis(axis, "category", tuple(map(_short, labels)), is_in_order=True),
        y=Axis(statistic_name(chart.kind), upper=_room_for_stages(chart), unit=unit),
    )


def _room_for_stages(chart: ControlChart) -> float | None:
    """Return how high a chart is to reach, so that the names of stages stand above everything."""
    if len(chart.stages) < 2:
        return None
    known = np.concatenate([chart.statistics, chart.upper, chart.lower])
    low, high = float(np.nanmin(known)), float(np.nanmax(known))
    return high + STAGE_NAMES * (high - low)


def scale_of(chart: ControlChart) -> float:
    """Return what values of a chart are told apart by: a tenth of the room between the limits."""
    return float(np.nanmax(chart.upper - chart.lower, initial=0.0)) / 10


def _short(label: str) -> str:
    """Return a day as it is written on an axis; any other label as it is."""
    return _DAY.sub(lambda found: f"{found[3]}/{found[2]}", label)


def _limit(
    name: str, x: FloatArray, values: FloatArray, role: Role, scale: float, unit: str
) -> tuple[Mark, ...]:
    """Draw a centre line or limit: level, or in stair-steps where it varies."""
    known = values[np.isfinite(values)]
    if not known.size:
        return ()
    label = " ".join(filter(None, (f"{name} = {figured(float(known[-1]), scale)}", unit)))
    stroke: Stroke = "dashed" if role == "limit" else "solid"
    if np.ptp(known) <= 1e-12 * max(1.0, float(np.abs(known).max())):
        return (Rule(float(known[0]), "horizontal", label, role, stroke),)
    values = settled(values, scale)
    if values.size > LONGEST_CATEGORIES:  # of so many points, no step is seen
        across, up = tuple(x.tolist()), tuple(values.tolist())
    else:
        across, up = stair_steps(x.tolist(), values.tolist())
    return (Line(across, up, role=role, stroke=stroke, label=label),)


def _points(chart: ControlChart, x: FloatArray) -> tuple[Mark, ...]:
    """Mark the points that break rules, each with its lowest rule, and those left out."""
    marks: list[Mark] = []
    if chart.signals:
        at = [position for position, _rules in chart.signals]
        heights = chart.statistics
        if chart.kind == "cusum" and chart.companion is not None:
            heights = np.where(heights > chart.upper, heights, chart.companion.statistics)
        marks.append(
            Points(
                tuple(x[at].tolist()),
                tuple(heights[at].tolist()),
                name=_("Violations"),
                role="bad",
                labels=tuple(rule_number(rules[0]) for _position, rules in chart.signals),
            )
        )
    if chart.excluded:
        left = [*chart.excluded]
        marks.append(
            Points(
                tuple(x[left].tolist()),
                tuple(chart.statistics[left].tolist()),
                name=_("Left out"),
                role="quiet",
            )
        )
    return tuple(marks)


def rule_number(code: str) -> str:
    """Return the number of a rule, as it stands beside a point."""
    return code[-1] if code[-1].isdigit() else "1"
