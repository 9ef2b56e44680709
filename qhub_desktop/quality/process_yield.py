"""Yield of a process in steps: defects per unit, first-time and rolled yield, sigma level.

Definitions: Montgomery, Introduction to Statistical Quality Control; DPU from RTY after Poisson.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import ndtri

from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.findings import NotComputableError

MILLION = 1_000_000
SHIFT = 1.5


@dataclass(frozen=True, slots=True)
class StepYield:
    """One step, shift or line: its units, its defects and what follows from them."""

    units: float
    defects: float
    first_time_yield: float
    dpu: float
    dpmo: float


@dataclass(frozen=True, slots=True)
class ProcessYield:
    """Steps in a row, and the whole: fractions from 0 to 1, defects per million opportunities."""

    steps: tuple[StepYield, ...]
    rolled: float
    rolled_dpu: float
    weighted: float
    total_units: float
    total_dpu: float
    total_dpmo: float
    sigma_level: float


def process_yield(
    units: Sequence[float],
    defective: Sequence[float],
    defects: Sequence[float] | None = None,
    opportunities: float = 1,
    shift: float = SHIFT,
) -> ProcessYield:
    """Compute yields of steps from units started and units not good the first time.

    `defects` may exceed `defective` (several on one unit); without them, one defect a unit.
    `weighted` is the first-time yield with each step counting by its units; `rolled` the product.
    `rolled_dpu` is -ln(rolled), infinite where nothing passes.
    """
    found = list(defective if defects is None else defects)
    if not units or not len(units) == len(defective) == len(found):
        raise NotComputableError(
            "lengths",
            _("Each step needs its units and its defects. Fill the missing cells and try again."),
        )
    _refuse_bad_counts([*units, *defective, *found, opportunities])
    if min(units) <= 0 or opportunities <= 0:
        raise NotComputableError(
            "no_denominator",
            _("Yield needs how many units were made. Give the production volume."),
        )
    if any(bad > made for bad, made in zip(defective, units, strict=True)):
        raise NotComputableError(
            "more_than_units",
            _("There are more defective units than units made. Check the production volume."),
        )
    steps = tuple(
        StepYield(made, count, 1 - bad / made, count / made, dpmo(count, made, opportunities))
        for made, bad, count in zip(units, defective, found, strict=True)
    )
    rolled = math.prod(step.first_time_yield for step in steps)
    total = math.fsum(units)
    total_dpmo = dpmo(math.fsum(found), total, opportunities)
    return ProcessYield(
        steps=steps,
        rolled=rolled,
        rolled_dpu=-math.log(rolled) if rolled else math.inf,
        weighted=1 - math.fsum(defective) / total,
        total_units=total,
        total_dpu=math.fsum(found) / total,
        total_dpmo=total_dpmo,
        sigma_level=sigma_level(total_dpmo, shift),
    )


def dpmo(defects: float, units: float, opportunities: float = 1) -> float:
    """Return defects per million opportunities."""
    return defects / (units * opportunities) * MILLION


def sigma_level(per_million: float, shift: float = SHIFT) -> float:
    """Return the sigma level of a DPMO: the normal quantile plus the long-term shift.

    Infinite without a defect, minus infinity from a million on.
    """
    return float(ndtri(1 - min(per_million, MILLION) / MILLION)) + shift


def _refuse_bad_counts(counts: Sequence[float]) -> None:
    if any(not math.isfinite(count) or count < 0 for count in counts):
        raise NotComputableError(
            "bad_counts",
            _("Counts must be numbers from zero up. Correct the gaps and negative values."),
        )
