"""Monitoring: judges the new points of a chart with frozen limits by its rules.

Phase II of Montgomery, Introduction to Statistical Quality Control, chapter 5: limits that were set
before are applied to points one by one as they come, each judged with those before it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.quality.run_rules import BoolArray, FloatArray, Rules, Signals, rule_flags

SUM_ROUNDING = 1e-9  # relative: a sum of floats depends on the order in which it was added up
ENOUGH_ALIKE = 5  # points that must agree before two stretches are taken for the same
MOST_STARTS = 200  # places that are tried, the latest first
TAIL = 30  # points before the new ones that a rule may look at; the longest takes 15
_ON_LIMITS = ("nelson1", "we1")


def are_alike(one: FloatArray, other: FloatArray) -> BoolArray:
    """Say where two series of the same length agree, but for rounding; a gap agrees with a gap."""
    return np.isclose(one, other, rtol=SUM_ROUNDING, atol=0.0, equal_nan=True)


def changed_labels(
    known: Mapping[str, tuple[float, float]],
    labels: Sequence[str],
    values: FloatArray,
    sizes: FloatArray,
) -> list[int]:
    """Return the positions of points that are not known by label with this value and size."""
    former = np.array([known.get(each, (np.inf, np.inf)) for each in labels]).reshape(-1, 2)
    same = are_alike(former[:, 0], values) & are_alike(former[:, 1], sizes)
    return np.flatnonzero(~same).tolist()


def place_in(known: FloatArray, values: FloatArray) -> int:
    """Return where a series without labels begins within the known one; its length if it is new.

    The series may go on where the known one ends, lack its beginning (an export of the last weeks),
    be an older part of it, or hold corrections. A few values that agree by chance are no place: to
    judge a point twice is a line more in a list, to skip one is worse.
    """
    if not known.size or not values.size:
        return int(known.size)
    best, agreeing = int(known.size), 0
    starts = np.flatnonzero(are_alike(known, np.full(known.size, values[0])))
    for start in dict.fromkeys([0, *starts[::-1][:MOST_STARTS].tolist()]):
        length = min(known.size - start, values.size)
        alike = int(are_alike(known[start : start + length], values[:length]).sum())
        if alike > agreeing and alike * 2 > length:
            best, agreeing = start, alike
    is_grown = best == 0 and agreeing == known.size
    return best if is_grown or agreeing >= ENOUGH_ALIKE else int(known.size)


def unjudged(known: FloatArray, values: FloatArray) -> tuple[list[int], int]:
    """Return the positions that were not judged, and where the series begins within the known."""
    start = place_in(known, values)
    length = min(known.size - start, values.size)
    fresh = np.ones(values.size, dtype=np.bool_)
    fresh[:length] = ~are_alike(known[start : start + length], values[:length])
    return np.flatnonzero(fresh).tolist(), start


def distances(chart: ControlChart) -> FloatArray:
    """Return how many standard deviations each point lies from the centre."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (chart.statistics - chart.centre) / chart.spread


def new_signals(
    chart: ControlChart, fresh: Sequence[int], before: FloatArray, rules: Rules
) -> Signals:
    """Return the rules that the new points break; `before` are distances of earlier points.

    `before` is for data that do not hold the earlier points themselves: a run of nine goes on from
    one file into the next. Excluded points are as they are on the chart.
    """
    wanted = set(fresh)
    broken = {at: [*codes] for at, codes in chart.signals if at in wanted}
    later = rules.only(*(code for code in rules.codes if code not in _ON_LIMITS))
    if before.size and later.codes:
        tail = before[-TAIL:]
        joined = np.concatenate([tail, distances(chart)])
        for code, flags in rule_flags(joined, 0.0, 1.0, later).items():
            for at in np.flatnonzero(flags[tail.size :]).tolist():
                if at in wanted and code not in broken.setdefault(at, []):
                    broken[at].append(code)
    return tuple((at, tuple(codes)) for at, codes in sorted(broken.items()) if codes)
