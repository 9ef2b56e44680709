"""Control charts: the result that all of them give, which points make the limits, and the assembly.

Sources: Montgomery, Introduction to Statistical Quality Control, chapters 6 and 7; NIST/SEMATECH
e-Handbook of Statistical Methods, 6.3; for unequal subgroups the unweighted estimators and the
single centre line of the R package qcc, which are named in the result.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.run_rules import (
    ALL_CODES,
    NELSON,
    BoolArray,
    FloatArray,
    Rules,
    Signals,
    is_above,
    rule_flags,
    signals_of,
)

ChartKind = Literal[
    "i", "mr", "xbar", "r", "s", "p", "np", "c", "u", "laney_p", "laney_u", "ewma", "cusum", "run"
]
Values = Sequence[float | None] | npt.NDArray[Any]  # a missing one is None or NaN
ENOUGH_POINTS = 20  # Montgomery asks for 20 to 25 before limits are trusted
FEWEST_POINTS = 3


@dataclass(frozen=True, slots=True)
class ControlLimits:
    """Basis of a chart's limits, fit to be frozen and applied to later data.

    `centre` is that of the plotted statistic; of c, p and u for attribute charts (p for np too).
    `sigma` is the standard deviation of one measurement, or of one part or unit: sqrt(p (1 - p)),
    sqrt(u), sqrt(c). `sigma_z` is Laney's ratio. `companion` belongs to the chart of spread below.
    """

    centre: float
    sigma: float
    estimator: str = "given"
    sigma_z: float = 1.0
    companion: "ControlLimits | None" = None


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """Plan that all charts share: the points that make the limits, and the rules.

    Positions are 0-based. `baseline` (phase I) is a number of first points or a mask; nothing takes
    all. `excluded` points stay on the chart, make no limits and are judged by no rule. `stages` are
    the positions where new limits start. `frozen` limits are applied to every point, so nothing is
    estimated. `sigmas` is the width of the limits; `nelson1` and `we1` are judged by these.
    """

    baseline: int | Sequence[bool] | BoolArray | None = None
    excluded: Sequence[int] = ()
    stages: Sequence[int] = ()
    frozen: ControlLimits | None = None
    rules: Rules = NELSON
    sigmas: float = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class ControlChart:
    """Points, lines and signals of one chart; arrays have one value a point.

    A gap is NaN. `spread` is one standard deviation of the plotted statistic. `limits` has an entry
    for each stage, `stages` the positions where they start. `companion` is the MR, R or S chart, or
    the lower sums of a CUSUM.
    """

    kind: ChartKind
    statistics: FloatArray
    centre: FloatArray
    lower: FloatArray
    upper: FloatArray
    spread: FloatArray
    sizes: FloatArray
    is_baseline: BoolArray
    limits: tuple[ControlLimits, ...]
    stages: tuple[int, ...] = (0,)
    excluded: tuple[int, ...] = ()
    signals: Signals = ()
    doubts: tuple[Doubt, ...] = ()
    companion: "ControlChart | None" = None

    @property
    def sigma(self) -> float:
        """Standard deviation of one measurement, part or unit, in the last stage."""
        return self.limits[-1].sigma

    @property
    def estimator(self) -> str:
        """How sigma was estimated, as it is written in the field: Rbar/d2, MRbar/d2, pooled/c4."""
        return self.limits[-1].estimator

    @property
    def beyond(self) -> tuple[int, ...]:
        """Positions of the points beyond their limits, judged by a rule or not."""
        outside = is_above(self.statistics, self.upper) | is_above(self.lower, self.statistics)
        return tuple(np.flatnonzero(outside).tolist())

    @property
    def frozen(self) -> ControlLimits:
        """The limits of the last stage with those of the companion, for later data."""
        companion = self.companion.limits[-1] if self.companion is not None else None
        return replace(self.limits[-1], companion=companion)


# --- shared by every chart ------------------------------------------------------------------------


def measurements(values: Values) -> FloatArray:
    """Take one series of numbers; missing ones are NaN.

    Raises NotComputableError where there are none, or one is no number or not finite.
    """
    try:
        series = np.asarray(values, dtype=np.float64)  # None becomes NaN here by itself
    except (TypeError, ValueError) as error:
        raise NotComputableError(
            "not_numeric",
            _("The column holds values that are not numbers. Choose a column of numbers."),
        ) from error
    if series.ndim != 1:
        raise NotComputableError("shape", _("A chart needs one series of numbers."))
    if np.isinf(series).any():
        raise NotComputableError(
            "infinite", _("There are infinite values. Correct them in the file, and try again.")
        )
    if not np.isfinite(series).any():
        raise NotComputableError(
            "no_values", _("There is no value to draw. Choose another column or another period.")
        )
    return series


def stage_slices(plan: ChartPlan, count: int) -> list[slice]:
    """Return the stretches of points that have limits of their own."""
    starts = sorted({0, *plan.stages})
    if starts[0] < 0 or starts[-1] >= count:
        raise NotComputableError(
            "stages", _("A stage starts where there is no point. Choose a start on the chart.")
        )
    if plan.frozen is not None and len(starts) > 1:
        raise NotComputableError(
            "stages",
            _("Frozen limits are the same for every stage. Choose frozen limits or stages."),
        )
    return [slice(one, other) for one, other in zip(starts, [*starts[1:], count], strict=True)]


def baseline_mask(plan: ChartPlan, count: int) -> BoolArray:
    """Return which points make the limits, gaps not yet left out."""
    mask = np.zeros(count, dtype=np.bool_)
    if plan.frozen is not None:
        return mask
    if plan.baseline is None:
        mask[:] = True
    elif isinstance(plan.baseline, int):
        mask[: max(plan.baseline, 0)] = True
    elif len(plan.baseline) == count:
        mask |= np.asarray(plan.baseline, dtype=np.bool_)
    else:
        raise NotComputableError(
            "baseline", _("The points that make the limits are not those of the chart.")
        )
    mask[excluded_positions(plan, count)] = False
    return mask


def excluded_positions(plan: ChartPlan, count: int) -> list[int]:
    """Return the positions left out, in order. Raises NotComputableError for one off the chart."""
    positions = sorted(set(plan.excluded))
    if positions and (positions[0] < 0 or positions[-1] >= count):
        raise NotComputableError("excluded", _("A point to leave out is not on the chart."))
    return positions


def assemble(
    kind: ChartKind,
    statistics: FloatArray,
    sizes: FloatArray,
    plan: ChartPlan,
    *,
    usable: BoolArray,
    estimate: Callable[[BoolArray], ControlLimits],
    lines: Callable[[ControlLimits, FloatArray], tuple[FloatArray, FloatArray]],
    floor: float = -np.inf,
    ceiling: FloatArray | float = np.inf,
    codes: tuple[str, ...] = ALL_CODES,
    fewest: int = FEWEST_POINTS,
) -> ControlChart:
    """Build a chart: limits stage by stage, then the rules.

    `usable` says which points may make limits, `estimate` makes them from a mask of them, `lines`
    gives centre and spread of the statistic for subgroups of given sizes. `codes` are the rules
    that the chart bears. Raises NotComputableError where a stage has too few points.
    """
    count = statistics.size
    slices = stage_slices(plan, count)
    chosen = baseline_mask(plan, count) & usable
    limits: list[ControlLimits] = []
    centre, spread = np.full(count, np.nan), np.full(count, np.nan)
    for stretch in slices:
        if plan.frozen is None:
            mask = np.zeros(count, dtype=np.bool_)
            mask[stretch] = chosen[stretch]
            check_count(int(mask.sum()), fewest)
            limits.append(estimate(mask))
        else:
            limits.append(plan.frozen)
        centre[stretch], spread[stretch] = lines(limits[-1], sizes[stretch])
    lower = np.maximum(centre - plan.sigmas * spread, floor)
    upper = np.minimum(centre + plan.sigmas * spread, ceiling)
    excluded = excluded_positions(plan, count)
    chart = ControlChart(
        kind=kind,
        statistics=statistics,
        centre=centre,
        lower=lower,
        upper=upper,
        spread=spread,
        sizes=sizes,
        is_baseline=chosen,
        limits=tuple(limits),
        stages=tuple(each.start for each in slices),
        excluded=tuple(excluded),
    )
    return replace(chart, signals=judge(chart, plan.rules.only(*codes)))


def judge(chart: ControlChart, rules: Rules) -> Signals:
    """Apply the rules to each stage by itself, as if its excluded points were not there."""
    count = chart.statistics.size
    kept = np.ones(count, dtype=np.bool_)
    kept[list(chart.excluded)] = False
    outside = np.zeros(count, dtype=np.bool_)
    outside[list(chart.beyond)] = True
    flags = {code: np.zeros(count, dtype=np.bool_) for code in rules.codes}
    for start, end in zip(chart.stages, [*chart.stages[1:], count], strict=True):
        places = start + np.flatnonzero(kept[start:end])
        found = rule_flags(
            chart.statistics[places], chart.centre[places], chart.spread[places], rules
        )
        for code, flagged in found.items():
            on_limits = code in {"nelson1", "we1"}
            flags[code][places] = outside[places] if on_limits else flagged
    return signals_of(flags)


def check_count(count: int, fewest: int) -> None:
    """Raise NotComputableError where fewer than `fewest` points make the limits."""
    if count == 1:
        raise NotComputableError(
            "one_subgroup",
            _("One point alone makes no limits. Take a longer period or smaller subgroups."),
        )
    if count < fewest:
        text = _("{count} points make no limits: at least {fewest} are needed, better 20.")
        raise NotComputableError("too_few", text.format(count=count, fewest=fewest))


def common_doubts(chart: ControlChart) -> tuple[Doubt, ...]:
    """Say what any chart's limits suffer from: few points, gaps, many points left out."""
    doubts: list[Doubt] = []
    used = int(chart.is_baseline.sum())
    gaps = int(np.isnan(chart.statistics).sum())
    if 0 < used < ENOUGH_POINTS * len(chart.stages):  # with frozen limits none is used
        text = _("The limits stand on {count} points: below 20 in each stage they are provisional.")
        doubts.append(Doubt("few_points", text.format(count=used)))
    if gaps:
        text = _("{count} points have no value: they are gaps, and end every run.")
        doubts.append(Doubt("gaps", text.format(count=gaps)))
    if len(chart.excluded) > max(2, chart.statistics.size // 5):
        text = _("{count} points were left out by hand: the limits may promise too much.")
        doubts.append(Doubt("many_excluded", text.format(count=len(chart.excluded))))
    return tuple(doubts)
