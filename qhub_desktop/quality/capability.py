"""Process capability: how a process fits its specification, and what speaks against believing it.

Sources: Montgomery, Introduction to Statistical Quality Control (7th ed., chapter 8); Bissell,
Applied Statistics 39 (1990) for intervals of Cpk; Chan, Cheng and Spiring (1988) and Boyles (1991)
for Cpm and its interval; NIST/SEMATECH e-Handbook, 6.1.6. Lower and upper shares are those of a
normal distribution.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.constants import (
    SubgroupEstimator,
    d2,
    freedom_within,
    moving_freedom,
    sigma_within,
)
from qhub_desktop.quality.descriptive import Floats, Values, as_numbers, missing_doubt
from qhub_desktop.quality.distributions import ModelChoice, model_name, propose
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import (
    LEAST,
    Normality,
    has_spread,
    normal_quantile,
    normal_share,
    normality,
    normality_doubt,
    p_text,
    spreads,
)
from qhub_desktop.quality.stability import Stability

Estimator = Literal["Rbar/d2", "Sbar/c4", "pooled/c4", "MRbar/d2"]
_ESTIMATORS: dict[Estimator, SubgroupEstimator] = {
    "Rbar/d2": "range",
    "Sbar/c4": "deviation",
    "pooled/c4": "pooled",
}
Convention = Literal["estimator", "qcc"]  # of intervals: R's qcc has n - 1 and one-sided Cpl, Cpu
LEAST_INDEX = 1.0  # of Cpk: below, the natural spread does not fit between the limits
FEW_VALUES = 30  # below this many values, the indices are doubtful
_MOST_FOR_RANGES = 8  # in larger subgroups the range wastes too much of the data


@dataclass(frozen=True, slots=True)
class Specification:
    """Limits of what is allowed, in the data's unit; None for a side without a limit."""

    lower: float | None = None
    upper: float | None = None
    target: float | None = None

    def checked(self) -> "Specification":
        """Return it when it can be used.

        Raises NotComputableError ("no_limits", "limits_reversed", "limits_not_finite").
        """
        given = [each for each in (self.lower, self.upper, self.target) if each is not None]
        if not all(map(math.isfinite, given)):
            raise NotComputableError(
                "limits_not_finite",
                _("A specification limit is not a number. Give it as a figure, such as 12.5."),
            )
        if self.lower is None and self.upper is None:
            raise NotComputableError(
                "no_limits",
                _(
                    "Capability needs at least one specification limit. Say the lower limit (LSL),"
                    " the upper limit (USL), or both."
                ),
            )
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise NotComputableError(
                "limits_reversed",
                _(
                    "The lower specification limit ({lower}) is not below the upper one ({upper})."
                    " Check the two: they seem to be swapped."
                ).format(lower=number(self.lower), upper=number(self.upper)),
            )
        return self


@dataclass(frozen=True, slots=True)
class Index:
    """A capability index with its confidence interval; no interval where none is known."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Indices:
    """The indices by one sigma: Cp and its like by that within subgroups, Pp by the overall one.

    Without a limit on one side there is no index for it, and neither Cp nor Cpm; `cpk` is then that
    of the other side. Without a target there is no Cpm. Shares are of one, expected beyond each
    limit; `z_bench` is the normal quantile that leaves both together above it. The intervals of Cp
    and Cpm (chi-square), Cpk, Cpl and Cpu (Bissell) are two-sided, with the degrees of freedom of
    the estimator of sigma (`constants.freedom_within`).
    """

    sigma: float
    estimator: str  # "Rbar/d2", …, "overall", "quantiles"
    cp: Index | None
    cpl: Index | None
    cpu: Index | None
    cpk: Index
    cpm: Index | None
    share_below: float | None
    share_above: float | None
    z_bench: float | None
    freedom: float | None = None  # of the sigma, which its intervals go by

    @property
    def share_outside(self) -> float:
        """The expected share beyond either limit, of one."""
        return (self.share_below or 0.0) + (self.share_above or 0.0)


@dataclass(frozen=True, slots=True)
class CapabilityGrade:
    """What an index says of a demand: unsure where its interval reaches from unfit to fit.

    `crossed` is the bound that the interval lies on both sides of, which makes the grade likely
    and not sure; None where it lies on one side, or none is known.
    """

    grade: Literal["capable", "just", "unfit", "unsure"]
    crossed: float | None


def grade_of(index: Index, demand: float, count: int | None) -> CapabilityGrade:
    """Grade an index by what is demanded of it; below 1 (or the demand) the process is unfit.

    Where no interval is known, `count` decides whether there are values enough to say anything.
    """
    least = min(LEAST_INDEX, demand)
    low, high = index.low, index.high
    if low is None or high is None:
        low = high = index.value
        if count is not None and count < FEW_VALUES:
            return CapabilityGrade("unsure", None)
    if low < least < demand <= high:
        return CapabilityGrade("unsure", None)
    crossed = next((bound for bound in (demand, least) if low < bound <= high), None)
    if index.value >= demand:
        return CapabilityGrade("capable", crossed)
    return CapabilityGrade("just" if index.value >= least else "unfit", crossed)


@dataclass(frozen=True, slots=True)
class Capability:
    """Capability of a process: how it fits its specification.

    `within` is by the spread inside subgroups (what the process could do), `overall` by that of all
    values (what it did); there is no `within` where subgroups have no spread or no neighbours.
    `off_centre` is k, the distance of the mean from the middle in halves of the tolerance.
    Observed shares are of one. `proposal` is what to take for values that are not normal. `doubts`
    come first when it is told.
    """

    count: int | None  # None where only mean and sigma were given
    mean: float
    specification: Specification
    confidence: float
    within: Indices | None
    overall: Indices
    off_centre: float | None
    observed_below: float | None
    observed_above: float | None
    normality: Normality | None
    proposal: ModelChoice | None
    doubts: tuple[Doubt, ...]


def capability(
    values: Values,
    specification: Specification,
    *,
    sizes: Sequence[int] | None = None,
    estimator: Estimator | None = None,
    confidence: float = 0.95,
    convention: Convention = "estimator",
    stability: Stability | None = None,
) -> Capability:
    """Compute capability from values in the order of production.

    `sizes` are those of consecutive subgroups; without, the values are individuals. `estimator`
    is of sigma within subgroups: unless given, MRbar/d2 for individuals, Rbar/d2 for subgroups of
    up to 8, else pooled/c4. `stability` is that of the control chart, None when nobody looked.
    Missing values (NaN, None) are left out, and no moving range is taken over them. Raises
    NotComputableError ("no_limits", "limits_reversed", "limits_not_finite", "confidence", "sizes",
    "estimator", "too_few", "zero_variance", "not_numeric", "infinite").
    """
    specification = specification.checked()
    _check_confidence(confidence)
    numbers = as_numbers(values)
    sample = numbers[~np.isnan(numbers)]
    require_sample(sample)
    mean, deviation = float(sample.mean()), float(sample.std(ddof=1))
    sigma, used, freedom = within_sigma(numbers, sizes=sizes, estimator=estimator)
    count = len(sample)
    found = normality(sample) if len(sample) >= LEAST else None
    is_bent = found is not None and found.p is not None and not found.is_normal
    proposal = propose(sample) if is_bent else None
    return Capability(
        count=count,
        mean=mean,
        specification=specification,
        confidence=confidence,
        within=None
        if sigma is None
        else indices(
            mean, sigma, used, specification, count, confidence, freedom, convention=convention
        ),
        overall=indices(
            mean, deviation, "overall", specification, count, confidence, convention=convention
        ),
        off_centre=_off_centre(mean, specification),
        observed_below=observed_share(sample, below=specification.lower),
        observed_above=observed_share(sample, above=specification.upper),
        normality=found,
        proposal=proposal,
        doubts=(
            *stability_doubts(stability),
            *(normality_doubt(found) if found else ()),
            *(_proposal_doubt(proposal) if proposal else ()),
            *sample_doubts(sample, len(numbers) - len(sample), specification),
            *(_no_within_doubt() if sigma is None else ()),
        ),
    )


def capability_of_summary(
    mean: float,
    sigma: float,
    specification: Specification,
    *,
    count: int | None = None,
    confidence: float = 0.95,
) -> Capability:
    """Compute capability from a mean and a standard deviation; intervals need the count.

    Raises NotComputableError ("no_limits", "limits_reversed", "limits_not_finite", "confidence",
    "zero_variance", "too_few").
    """
    specification = specification.checked()
    _check_confidence(confidence)
    if not (math.isfinite(mean) and math.isfinite(sigma) and sigma > 0):
        raise NotComputableError(
            "zero_variance",
            _("The standard deviation must be a number above zero. Check the figure given."),
        )
    if count is not None and count < 2:
        raise NotComputableError("too_few", _too_few(count))
    return Capability(
        count=count,
        mean=mean,
        specification=specification,
        confidence=confidence,
        within=None,
        overall=indices(mean, sigma, "overall", specification, count, confidence),
        off_centre=_off_centre(mean, specification),
        observed_below=None,
        observed_above=None,
        normality=None,
        proposal=None,
        doubts=(
            Doubt(
                "summary_only",
                _(
                    "Only the mean and the standard deviation are known: stability and normality"
                    " could not be checked."
                ),
            ),
            *count_doubt(count),
            *_centring_doubts(mean, specification),
        ),
    )


def indices(
    mean: float,
    sigma: float,
    estimator: str,
    specification: Specification,
    count: int | None,
    confidence: float,
    freedom: float | None = None,
    *,
    convention: Convention = "estimator",
) -> Indices:
    """Compute the indices of a mean and a sigma above zero; without a count, no intervals.

    `freedom` are the degrees of freedom of sigma, n - 1 unless given.
    """
    if freedom is None or convention == "qcc":
        freedom = None if count is None else count - 1.0
    one_sided = confidence if convention == "qcc" else (1 + confidence) / 2
    lower, upper, target = specification.lower, specification.upper, specification.target
    cpl = None if lower is None else (mean - lower) / (3 * sigma)
    cpu = None if upper is None else (upper - mean) / (3 * sigma)
    cp = None if lower is None or upper is None else (upper - lower) / (6 * sigma)
    off = None if target is None else (mean - target) / sigma
    below = None if cpl is None else float(normal_share(-3 * cpl))
    above = None if cpu is None else float(normal_share(-3 * cpu))
    outside = (below or 0.0) + (above or 0.0)
    bench = -float(normal_quantile(outside))
    return Indices(
        sigma=sigma,
        estimator=estimator,
        cp=None if cp is None else _chi_square_index(cp, freedom, confidence),
        cpl=None if cpl is None else _normal_index(cpl, count, freedom, one_sided),
        cpu=None if cpu is None else _normal_index(cpu, count, freedom, one_sided),
        cpk=_normal_index(
            min(each for each in (cpl, cpu) if each is not None),
            count,
            freedom,
            (1 + confidence) / 2,
        ),
        cpm=None
        if cp is None or off is None
        else _chi_square_index(
            cp / math.sqrt(1 + off**2),
            None if freedom is None else (freedom + 1) * (1 + off**2) ** 2 / (1 + 2 * off**2),
            confidence,
        ),
        share_below=below,
        share_above=above,
        z_bench=bench if math.isfinite(bench) else None,
        freedom=freedom,
    )


def within_sigma(
    values: Values,
    *,
    sizes: Sequence[int] | None = None,
    estimator: Estimator | None = None,
) -> tuple[float | None, Estimator, float]:
    """Estimate sigma within subgroups, or from moving ranges of two; name the estimator, and how
    many degrees of freedom it has.

    Within subgroups as `constants.sigma_within` does, without weights (qcc's "UWAVE"). Subgroups of
    one value have no spread. None
    where there is no spread, or nothing to take it from. Raises NotComputableError ("sizes",
    "estimator").
    """
    numbers = as_numbers(values)
    if sizes is None or max(sizes, default=0) <= 1:
        if estimator not in {None, "MRbar/d2"}:
            raise NotComputableError(
                "estimator",
                _(
                    "{estimator} needs subgroups of at least two values. Name the column of"
                    " subgroups, or use MRbar/d2."
                ).format(estimator=estimator),
            )
        ranges = np.abs(np.diff(numbers))  # NaN beside a missing value
        ranges = ranges[~np.isnan(ranges)]
        sigma = float(ranges.mean()) / d2(2) if len(ranges) else 0.0
        is_spread = sigma > 0 and has_spread(_present(numbers))
        return (
            (sigma, "MRbar/d2", moving_freedom(len(ranges)))
            if is_spread
            else (None, "MRbar/d2", 0.0)
        )
    if sum(sizes) != len(numbers) or min(sizes) < 0:
        raise NotComputableError(
            "sizes",
            _("The subgroups hold {sizes} values, but there are {n}. Choose them again.").format(
                sizes=number(sum(sizes)), n=number(len(numbers))
            ),
        )
    if estimator == "MRbar/d2":
        return within_sigma(values)
    owner = np.repeat(np.arange(len(sizes)), sizes)[~np.isnan(numbers)]
    known = _present(numbers)
    is_kept = np.bincount(owner, minlength=len(sizes))[owner] > 1
    known, owner = known[is_kept], owner[is_kept]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    each_size = np.diff(starts, append=len(known)).astype(np.float64)
    largest = each_size.max(initial=0)
    used = estimator or ("Rbar/d2" if largest <= _MOST_FOR_RANGES else "pooled/c4")
    if not len(starts):
        return None, used, 0.0
    highest, lowest = (each.reduceat(known, starts) for each in (np.maximum, np.minimum))
    if not spreads(lowest, highest).any():
        return None, used, 0.0
    ranges = highest - lowest
    off = known - np.repeat(np.add.reduceat(known, starts) / each_size, each_size.astype(int))
    deviations = np.sqrt(np.add.reduceat(off**2, starts) / (each_size - 1))
    sigma, _name = sigma_within(each_size, ranges, deviations, _ESTIMATORS[used])
    return sigma, used, freedom_within(each_size, _ESTIMATORS[used])


def require_sample(sample: Floats) -> None:
    """Raise NotComputableError ("too_few", "zero_variance") for what has no capability."""
    if len(sample) < 2:
        raise NotComputableError("too_few", _too_few(len(sample)))
    if not has_spread(sample):
        raise NotComputableError(
            "zero_variance",
            _(
                "All {n} values are equal ({value}), so there is no spread to compare with the"
                " tolerance. Check whether the gauge resolves the differences."
            ).format(n=number(len(sample)), value=number(float(sample[0]))),
        )


def observed_share(
    sample: Floats, *, below: float | None = None, above: float | None = None
) -> float | None:
    """Return the share of values beyond one limit, of one; None without that limit."""
    if below is not None:
        return float(np.mean(sample < below))
    return None if above is None else float(np.mean(sample > above))


def stability_doubts(stability: Stability | None) -> tuple[Doubt, ...]:
    """Return the doubt that a process is not stable, or that this is not known."""
    if stability is None:
        return (
            Doubt(
                "stability_unknown",
                _(
                    "It was not checked whether the process is stable. Look at the control chart"
                    " before using these figures."
                ),
            ),
        )
    if stability.grade == "stable":
        return ()
    signals = stability.flagged + stability.spread
    count = number(signals)
    if stability.grade != "unstable":
        text = ngettext(
            "Stability is to be checked: the control chart has {count} signal, where about"
            " {expected} is to be expected by chance.",
            "Stability is to be checked: the control chart has {count} signals, where about"
            " {expected} is to be expected by chance.",
            signals,
        )
        chance = stability.chance.expected if stability.chance else 0.0
        expected = chance + stability.spread_expected
        return (Doubt("signals", text.format(count=count, expected=number(expected, digits=2))),)
    text = ngettext(
        "The process is not stable: the control chart has {count} signal, more than chance makes."
        " Find its cause first; until then capability does not say what the process will do.",
        "The process is not stable: the control chart has {count} signals, more than chance makes."
        " Find their causes first; until then capability does not say what the process will do.",
        signals,
    )
    return (Doubt("unstable", text.format(count=count)),)


def sample_doubts(sample: Floats, missing: int, specification: Specification) -> tuple[Doubt, ...]:
    """Return the doubts about a sample's size, its gaps, and where it lies."""
    return (
        *count_doubt(len(sample)),
        *missing_doubt(missing, len(sample)),
        *_centring_doubts(float(sample.mean()), specification),
    )


def count_doubt(count: int | None) -> tuple[Doubt, ...]:
    """Return the doubt about too few values for a capability."""
    if count is None or count >= FEW_VALUES:
        return ()
    text = _(
        "There are only {n} values: the indices are rough. Look at their intervals, and measure at"
        " least {few}, better 100."
    )
    return (Doubt("few", text.format(n=number(count), few=number(FEW_VALUES))),)


def _centring_doubts(mean: float, specification: Specification) -> tuple[Doubt, ...]:
    lower, upper, target = specification.lower, specification.upper, specification.target
    low = -math.inf if lower is None else lower
    high = math.inf if upper is None else upper
    found: list[Doubt] = []
    if target is not None and not low <= target <= high:
        text = _("The target ({target}) lies outside the specification limits. Check it.")
        found.append(Doubt("target_outside", text.format(target=number(target))))
    if not low <= mean <= high:
        text = _(
            "The mean ({mean}) itself lies outside the specification limits, so more than half of"
            " the values are expected outside. Check the limits and the unit."
        )
        found.append(Doubt("mean_outside", text.format(mean=number(mean))))
    return tuple(found)


def _proposal_doubt(proposal: ModelChoice) -> tuple[Doubt, ...]:
    best = next(each for each in proposal.candidates if each.name == proposal.name)
    if best.p is None:
        text = _(
            "No usual distribution or transformation fits them: ask for capability by percentiles,"
            " which assumes none."
        )
        return (Doubt("proposal", text),)
    text = _("Ask for capability with the {model}, which fits them (Anderson-Darling, {p}).")
    return (Doubt("proposal", text.format(model=model_name(best.name), p=p_text(best.p))),)


def _no_within_doubt() -> tuple[Doubt, ...]:
    text = _(
        "The values inside each subgroup do not differ, so there is no spread within subgroups:"
        " only"
        " the overall indices (Pp, Ppk) are given. Check how the subgroups were formed."
    )
    return (Doubt("no_within", text),)


def _too_few(count: int) -> str:
    return ngettext(
        "There is only {count} value. Capability needs at least two, and 30 or more to be of use.",
        "There are only {count} values. Capability needs at least two, and 30 or more to be of"
        " use.",
        count,
    ).format(count=number(count))


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise NotComputableError(
            "confidence",
            _(
                "The confidence must lie between 0 and 1, such as 0.95; {confidence} does not."
            ).format(confidence=number(confidence)),
        )


def _off_centre(mean: float, specification: Specification) -> float | None:
    lower, upper = specification.lower, specification.upper
    if lower is None or upper is None:
        return None
    return abs((lower + upper) / 2 - mean) / ((upper - lower) / 2)


def _chi_square_index(value: float, degrees: float | None, confidence: float) -> Index:
    """Return an index that is a constant over a sigma, with its interval."""
    if degrees is None:
        return Index(value)
    from scipy.special import chdtri

    tail = (1 - confidence) / 2
    low, high = (float(chdtri(degrees, share)) for share in (1 - tail, tail))
    return Index(value, value * math.sqrt(low / degrees), value * math.sqrt(high / degrees))


def _normal_index(
    value: float, count: int | None, freedom: float | None, confidence: float
) -> Index:
    """Return an index of one side, each end of its interval a one-sided bound (Bissell)."""
    if count is None or freedom is None:
        return Index(value)
    reach = float(normal_quantile(confidence)) * math.sqrt(
        1 / (9 * count) + value**2 / (2 * freedom)
    )
    return Index(value, value - reach, value + reach)


def _present(values: Floats) -> Floats:
    return values[~np.isnan(values)]
