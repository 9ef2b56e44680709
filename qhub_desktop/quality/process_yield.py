"""Yield of a process in steps: defects per unit, first-time and rolled yield, sigma level.

Definitions: Montgomery, Introduction to Statistical Quality Control; DPU from RTY after Poisson;
where no defect was seen, the exact Poisson bound (Garwood, 1936).
"""

import math
from collections.abc import Sequence

from scipy.special import ndtri

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.exact_counts import poisson_interval
from qhub_desktop.quality.findings import Doubt, NotComputableError

MILLION = 1_000_000
SHIFT = 1.5  # of sigma, by which a process drifts in the long run, as is usual
_FEW_UNITS = 30
_CERTAINTY = 0.95


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
    """Steps in a row, and the whole: fractions from 0 to 1, defects per million opportunities.

    `total_dpmo_most` is the highest plausible one: the upper end of Poisson's 95 % interval.
    """

    steps: tuple[StepYield, ...]
    rolled: float
    rolled_dpu: float
    weighted: float
    total_units: float
    total_dpu: float
    total_dpmo: float
    total_dpmo_most: float
    sigma_level: float
    doubts: tuple[Doubt, ...]


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
    # Where none was seen only the upper end is open: 95 % of it is the rule of three.
    two_sided = _CERTAINTY if any(found) else 2 * _CERTAINTY - 1
    most = dpmo(poisson_interval(math.fsum(found), two_sided)[1], total, opportunities)
    return ProcessYield(
        steps=steps,
        rolled=rolled,
        rolled_dpu=-math.log(rolled) if rolled else math.inf,
        weighted=1 - math.fsum(defective) / total,
        total_units=total,
        total_dpu=math.fsum(found) / total,
        total_dpmo=total_dpmo,
        total_dpmo_most=most,
        sigma_level=sigma_level(total_dpmo, shift),
        doubts=_doubts(units, total_dpmo, most, shift),
    )


def dpmo(defects: float, units: float, opportunities: float = 1) -> float:
    """Return defects per million opportunities."""
    return defects / (units * opportunities) * MILLION


def sigma_level(per_million: float, shift: float = SHIFT) -> float:
    """Return the sigma level of a DPMO: the normal quantile plus the long-term shift.

    Infinite without a defect, minus infinity from a million on.
    """
    return float(ndtri(1 - min(per_million, MILLION) / MILLION)) + shift


def sigma_text(level: float) -> str:
    """Write a sigma level for a person, also where there is no number to write."""
    if level == math.inf:
        return _("no defect seen")
    if level == -math.inf:
        return _("a defect at every opportunity")
    return number(level, digits=2)


def _doubts(
    units: Sequence[float], per_million: float, most: float, shift: float
) -> tuple[Doubt, ...]:
    found = []
    if per_million == 0:
        text = _(
            "No defect was seen among {n} units. That does not mean none is made: with {certainty}"
            " certainty there are at most {most} per million, a sigma level of {level} or more."
        )
        words = {
            "n": number(math.fsum(units)),
            "certainty": percent(_CERTAINTY),
            "most": number(min(most, MILLION), digits=0),
            "level": sigma_text(sigma_level(most, shift)),
        }
        found.append(Doubt("no_defect", text.format(**words)))
    if per_million > MILLION:
        text = _(
            "There are more defects than opportunities: the sigma level means nothing. Say how many"
            " opportunities for a defect a unit has."
        )
        found.append(Doubt("opportunities", text))
    if min(units) < _FEW_UNITS:
        text = _(
            "One of the steps or shifts has only {n} units: its yield may change a lot by chance."
            " Take a longer period."
        )
        found.append(Doubt("few", text.format(n=number(min(units)))))
    return tuple(found)


def _refuse_bad_counts(counts: Sequence[float]) -> None:
    if any(not math.isfinite(count) or count < 0 for count in counts):
        raise NotComputableError(
            "bad_counts",
            _("Counts must be numbers from zero up. Correct the gaps and negative values."),
        )
