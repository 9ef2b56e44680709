"""Distributions that are not normal: fits, transformations to normality, and which one to take."""

import math
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats, Values, present
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.normality import (
    ALPHA,
    LEAST,
    LEAST_ANDERSON_DARLING,
    anderson_darling,
    anderson_darling_of,
    has_spread,
    normal_quantile,
    normal_share,
)
from qhub_desktop.quality.scalar_search import least_between, zero_between

TAILS = (0.00135, 0.5, 0.99865)  # the shares of ISO 22514-2: the median, and three sigmas each side
ModelName = Literal["normal", "lognormal", "weibull", "box_cox", "johnson", "percentiles"]
JOHNSON_P = 0.10  # a Johnson curve is taken from this p on
_MOST_SCANNED = 2000  # values at most that a scan of Johnson's curves looks at


@dataclass(frozen=True, slots=True)
class Weibull:
    """The Weibull distribution of two parameters: it begins at 0; there is no threshold."""

    shape: float
    scale: float

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """Shape (beta), scale (eta), and the threshold where it begins."""
        return (("shape", self.shape), ("scale", self.scale), ("threshold", 0.0))

    def quantile(self, share: ArrayLike) -> Floats:
        """Return the values that have these shares below them."""
        return np.asarray(self.scale * (-np.log1p(-np.asarray(share))) ** (1 / self.shape))

    def apply(self, values: ArrayLike) -> Floats:
        """Return the standard normal scores of these values; NaN for one that is not above 0."""
        below, above = self.share_below(values), self.share_above(values)
        scores = np.where(below < above, normal_quantile(below), -normal_quantile(above))
        return np.where(np.isfinite(scores), scores, np.nan)

    def undo(self, values: ArrayLike) -> Floats:
        """Return the values that have these scores."""
        hazard = -np.log(normal_share(-np.asarray(values, dtype=np.float64)))
        return np.asarray(self.scale * hazard ** (1 / self.shape))

    def share_below(self, values: ArrayLike) -> Floats:
        """Return the shares below these values."""
        reduced = np.clip(np.asarray(values, dtype=np.float64), 0, None) / self.scale
        return np.asarray(-np.expm1(-(reduced**self.shape)))

    def share_above(self, values: ArrayLike) -> Floats:
        """Return the shares above these values, exact however small."""
        reduced = np.clip(np.asarray(values, dtype=np.float64), 0, None) / self.scale
        return np.asarray(np.exp(-(reduced**self.shape)))


@dataclass(frozen=True, slots=True)
class Lognormal:
    """The lognormal distribution of two parameters: the mean and deviation of the logarithms."""

    mean_log: float
    deviation_log: float

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """Location and scale, both of the logarithms, and the threshold where it begins."""
        return (
            ("mean_log", self.mean_log),
            ("deviation_log", self.deviation_log),
            ("threshold", 0.0),
        )

    def quantile(self, share: ArrayLike) -> Floats:
        """Return the values that have these shares below them."""
        return np.exp(self.mean_log + self.deviation_log * normal_quantile(share))

    def apply(self, values: ArrayLike) -> Floats:
        """Return the standard normal scores of these values; NaN for one that is not above 0."""
        scores = self._scores(values)
        return np.where(np.isfinite(scores), scores, np.nan)

    def undo(self, values: ArrayLike) -> Floats:
        """Return the values that have these scores."""
        return np.exp(self.mean_log + self.deviation_log * np.asarray(values, dtype=np.float64))

    def share_below(self, values: ArrayLike) -> Floats:
        """Return the shares below these values."""
        return normal_share(self._scores(values))

    def share_above(self, values: ArrayLike) -> Floats:
        """Return the shares above these values, exact however small."""
        return normal_share(-self._scores(values))

    def _scores(self, values: ArrayLike) -> Floats:
        with np.errstate(divide="ignore"):
            logs = np.log(np.clip(np.asarray(values, dtype=np.float64), 0, None))
        return np.asarray((logs - self.mean_log) / self.deviation_log)


class Transformation(Protocol):
    """A rising function that makes values normal."""

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """The names and values of its parameters."""
        ...

    def apply(self, values: ArrayLike) -> Floats:
        """Return the transformed values; NaN for one that the function does not reach."""
        ...

    def undo(self, values: ArrayLike) -> Floats:
        """Return values in the data's unit again."""
        ...


# Nearer to 0 than that, an estimated power is none: of x^λ little more than 1 would be left.
LEAST_POWER = 1e-6


@dataclass(frozen=True, slots=True)
class BoxCox:
    """The power x^λ, the logarithm at 0; turned over (-x^λ) below, so that it always rises.

    `interval` bounds λ by the profile likelihood (Box and Cox, 1964); none for a λ that was given.
    """

    power: float
    interval: tuple[float, float] | None = None

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """The power λ."""
        return (("lambda", self.power),)

    def apply(self, values: ArrayLike) -> Floats:
        """Return the transformed values; NaN below 0, and at 0 where the power is not above 0."""
        numbers = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.power == 0:
                found = np.log(numbers)
            else:
                found = math.copysign(1, self.power) * np.power(numbers, self.power)
        return np.where(np.isfinite(found) & (numbers >= 0), found, np.nan)

    def undo(self, values: ArrayLike) -> Floats:
        """Return values in the data's unit again; NaN for what no value leads to."""
        numbers = np.asarray(values, dtype=np.float64)
        if self.power == 0:
            return np.exp(numbers)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.power(math.copysign(1, self.power) * numbers, 1 / self.power)


@dataclass(frozen=True, slots=True)
class Johnson:
    """Johnson's curves (1949): bounded ("SB"), lognormal ("SL") and unbounded ("SU")."""

    family: Literal["SB", "SL", "SU"]
    gamma: float
    eta: float
    epsilon: float  # where the values begin (SB, SL) or their location (SU)
    lambda_: float  # their range (SB) or scale (SU); 1 for SL

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """Gamma, eta, epsilon and lambda, as Slifker and Shapiro name them."""
        return (
            ("gamma", self.gamma),
            ("eta", self.eta),
            ("epsilon", self.epsilon),
            ("lambda", self.lambda_),
        )

    def apply(self, values: ArrayLike) -> Floats:
        """Return the transformed values; NaN outside the curve's bounds."""
        reduced = (np.asarray(values, dtype=np.float64) - self.epsilon) / self.lambda_
        with np.errstate(divide="ignore", invalid="ignore"):
            match self.family:
                case "SB":
                    bent = np.log(reduced / (1 - reduced))
                case "SL":
                    bent = np.log(reduced)
                case _:
                    bent = np.arcsinh(reduced)
        return np.where(np.isfinite(bent), self.gamma + self.eta * bent, np.nan)

    def undo(self, values: ArrayLike) -> Floats:
        """Return values in the data's unit again."""
        bent = (np.asarray(values, dtype=np.float64) - self.gamma) / self.eta
        match self.family:
            case "SB":
                reduced = 1 / (1 + np.exp(-bent))
            case "SL":
                reduced = np.exp(bent)
            case _:
                reduced = np.sinh(bent)
        return np.asarray(self.epsilon + self.lambda_ * reduced)


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The scores of a sample's ranks, which are normal whatever the values are."""

    ordered: Floats

    @property
    def parameters(self) -> tuple[tuple[str, float], ...]:
        """There are none."""
        return ()

    def apply(self, values: ArrayLike) -> Floats:
        """Return the scores of these values' places in the sample, equal ones in the middle."""
        numbers = np.asarray(values, dtype=np.float64)
        places = np.searchsorted(self.ordered, numbers, side="left") + 1.0
        places = (places + np.searchsorted(self.ordered, numbers, side="right")) / 2
        scores = normal_quantile(np.clip(places / (len(self.ordered) + 1), 0, 1))
        return np.where(np.isfinite(scores) & np.isfinite(numbers), scores, np.nan)

    def undo(self, values: ArrayLike) -> Floats:
        """Return values in the data's unit again, the ends of the sample at most."""
        shares = normal_share(values)
        known = np.isfinite(shares)
        found = np.quantile(self.ordered, np.where(known, shares, 0.5), method="weibull")
        return np.where(known, found, np.nan)


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A way to describe a sample: Anderson-Darling's A² of the fit, and its p.

    p is None where it is not tabled: for fewer than 8 values, and for percentiles.
    """

    name: ModelName
    statistic: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Model to take for a sample, and all that were tried, the proposed one among them."""

    name: ModelName
    candidates: tuple[FittedModel, ...]


def fit_weibull(values: Values) -> Weibull:
    """Fit by maximum likelihood. Raises NotComputableError ("not_positive", "too_few", …)."""
    sample = _positive(values, "Weibull")
    logs = np.log(sample)
    # Moved to a largest value of 1, so that no power overflows.
    relative, top, mean = logs - logs.max(), float(logs.max()), float(logs.mean())

    def score(shape: float) -> float:
        weights = np.exp(shape * relative)
        return float(weights @ logs / weights.sum()) - 1 / shape - mean

    guess = math.pi / (math.sqrt(6) * float(logs.std(ddof=1)))
    low = high = guess
    while score(low) > 0:
        low /= 2
    while score(high) < 0:
        high *= 2
    shape = guess if low == high else zero_between(score, low, high, within=1e-12, share=1e-12)
    scale = math.exp(top + math.log(float(np.mean(np.exp(shape * relative)))) / shape)
    return Weibull(shape, scale)


def fit_lognormal(values: Values) -> Lognormal:
    """Fit by maximum likelihood. Raises NotComputableError ("not_positive", "too_few", …)."""
    logs = np.log(_positive(values, "lognormal"))
    return Lognormal(float(logs.mean()), float(logs.std(ddof=0)))


def fit_box_cox(values: Values, *, power: float | None = None) -> BoxCox:
    """Find λ by maximum likelihood between -5 and 5, with its 95 % interval, or take the given one.

    Raises NotComputableError ("not_positive", "too_few", "zero_variance").
    """
    sample = _positive(values, "Box-Cox")
    if power is not None:
        return BoxCox(power)
    logs = np.log(sample)
    centred = logs - logs.mean()  # λ does not depend on the unit, powers of large values overflow

    def likelihood(power: float) -> float:
        raised = centred if power == 0 else np.expm1(power * centred) / power
        return -len(sample) / 2 * math.log(float(raised.var()))

    best, _least = least_between(lambda power: -likelihood(power), -5, 5, within=1e-9)
    if abs(best) < LEAST_POWER:
        best = 0.0
    least = likelihood(best) - 3.841458820694124 / 2  # the 95 % point of chi-square, 1 degree

    def end(step: float) -> float:
        far = best
        while likelihood(far) > least:
            far += step
            step *= 2
        return zero_between(lambda power: likelihood(power) - least, best, far)

    return BoxCox(best, (end(-0.5), end(0.5)))


def fit_johnson(values: Values) -> Johnson:
    """Find the curve that makes a sample most normal.

    For each z of a scan (Chou, Polansky and Mason, Journal of Quality Technology 30, 1998) the
    curves through four quantiles (Slifker and Shapiro, Technometrics 22, 1980); of all, the one
    with the highest Anderson-Darling p. Raises NotComputableError ("too_few", "zero_variance",
    "no_fit").
    """
    sample, _missing = present(values, least=LEAST_ANDERSON_DARLING)
    _require_spread(sample)
    ordered = np.sort(sample)
    if len(ordered) > _MOST_SCANNED:  # evenly spaced, with both ends
        kept = np.linspace(0, len(ordered) - 1, _MOST_SCANNED).round().astype(np.int64)
        scanned = ordered[kept]
    else:
        scanned = ordered
    best: tuple[float, Johnson] | None = None
    for z in np.arange(0.25, 1.2501, 0.01):
        for curve in _johnson_curves(ordered, float(z)):
            bent = curve.apply(scanned)
            # The ends of all values decide whether the curve reaches them.
            if np.isnan(curve.apply(ordered[[0, -1]])).any() or not has_spread(bent):
                continue
            statistic, _p = anderson_darling(bent)
            if best is None or statistic < best[0]:
                best = (statistic, curve)
    if best is None:
        raise NotComputableError(
            "no_fit",
            _(
                "No Johnson curve passes through these values, mostly because many are equal."
                " Use percentiles, or values with more decimals."
            ),
        )
    return best[1]


def percentiles(values: Values) -> Floats:
    """Return the shares of ISO 22514-2 by counting: at (n + 1) p, type 6 of Hyndman and Fan."""
    sample, _missing = present(values, least=LEAST)
    return np.asarray(np.quantile(sample, TAILS, method="weibull"))


def fit_quality(sample: Floats, fit: Weibull | Lognormal) -> tuple[float, float | None]:
    """Return A² of a fit, and its p from 8 values on.

    For the lognormal as for the normal distribution of the logarithms; for the Weibull by the table
    of Lockhart and Stephens (Goodness-of-Fit Techniques, 1986, table 4.17), between 0.01 and 0.25.
    """
    match fit:
        case Lognormal():
            return anderson_darling(np.log(sample))
        case Weibull():
            hazard = np.sort(sample / fit.scale) ** fit.shape
            with np.errstate(divide="ignore"):
                below = np.log(-np.expm1(-hazard))
            statistic = anderson_darling_of(np.maximum(below, -700), -hazard)
            if len(sample) < LEAST_ANDERSON_DARLING:
                return statistic, None
            adjusted = statistic * (1 + 0.2 / math.sqrt(len(sample)))
            points = (0.474, 0.637, 0.757, 0.877, 1.038)
            shares = np.log((0.25, 0.10, 0.05, 0.025, 0.01))
            return statistic, float(np.exp(np.interp(adjusted, points, shares)))


def propose(values: Values) -> ModelChoice:
    """Propose how to describe a sample: normal if it can be, else the simplest that fits.

    Raises NotComputableError ("too_few", "zero_variance").
    """
    sample, _missing = present(values, least=LEAST)
    _require_spread(sample)
    normal = FittedModel("normal", *anderson_darling(sample))
    if normal.p is None or normal.p >= ALPHA:
        return ModelChoice("normal", (normal,))
    tried = [normal]
    if sample.min() > 0:
        tried.append(FittedModel("lognormal", *fit_quality(sample, fit_lognormal(sample))))
        tried.append(FittedModel("weibull", *fit_quality(sample, fit_weibull(sample))))
        raised = fit_box_cox(sample).apply(sample)
        if has_spread(raised):
            tried.append(FittedModel("box_cox", *anderson_darling(raised)))
    best = max(tried, key=lambda each: each.p or 0)
    if best.p is None or best.p < ALPHA:
        best = _johnson_candidate(sample) or best
        tried += [best] if best not in tried else []
    if best.p is None or best.p < ALPHA:
        best = FittedModel("percentiles", None, None)
        tried.append(best)
    return ModelChoice(best.name, tuple(tried))


def model_name(name: ModelName) -> str:
    """Return a model's name for people."""
    names: dict[ModelName, str] = {
        "normal": _("normal distribution"),
        "lognormal": _("lognormal distribution"),
        "weibull": _("Weibull distribution"),
        "box_cox": _("Box-Cox transformation"),
        "johnson": _("Johnson transformation"),
        "percentiles": _("percentiles of the values themselves"),
    }
    return names[name]


def _johnson_candidate(sample: Floats) -> FittedModel | None:
    try:
        candidate = FittedModel("johnson", *anderson_darling(fit_johnson(sample).apply(sample)))
    except NotComputableError:
        return None
    return candidate if candidate.p is not None and candidate.p >= JOHNSON_P else None


def _johnson_curves(ordered: Floats, z: float) -> list[Johnson]:
    """Return the curves through the quantiles at -3z, -z, z and 3z."""
    shares = normal_share((-3 * z, -z, z, 3 * z))
    q1, q2, q3, q4 = (float(each) for each in np.quantile(ordered, shares, method="hazen"))
    m, n, p = q4 - q3, q2 - q1, q3 - q2
    if min(m, n, p) <= 0:
        return []
    middle, ratio = (q3 + q2) / 2, m * n / p**2
    curves: list[Johnson] = []
    if ratio < 1:
        a, b, excess = 1 + p / m, 1 + p / n, p**2 / (m * n) - 1
        if (half := math.sqrt(a * b) / 2) > 1:
            eta = z / math.acosh(half)
            gamma = eta * math.asinh((p / n - p / m) * math.sqrt(a * b - 4) / (2 * excess))
            width = p * math.sqrt((a * b - 2) ** 2 - 4) / excess
            start = middle - width / 2 + p * (p / n - p / m) / (2 * excess)
            curves.append(Johnson("SB", gamma, eta, start, width))
    elif ratio > 1:
        total, excess = m / p + n / p, ratio - 1
        eta = 2 * z / math.acosh(total / 2)
        gamma = eta * math.asinh((n / p - m / p) / (2 * math.sqrt(excess)))
        scale = 2 * p * math.sqrt(excess) / ((total - 2) * math.sqrt(total + 2))
        location = middle + p * (n / p - m / p) / (2 * (total - 2))
        curves.append(Johnson("SU", gamma, eta, location, scale))
    if m > p:
        eta = 2 * z / math.log(m / p)
        gamma = eta * math.log((m / p - 1) / (p * math.sqrt(m / p)))
        curves.append(Johnson("SL", gamma, eta, middle - p / 2 * (m / p + 1) / (m / p - 1), 1.0))
    return [each for each in curves if each.eta > 0 and each.lambda_ > 0]


def _positive(values: Values, name: str) -> Floats:
    sample, _missing = present(values, least=LEAST)
    _require_spread(sample)
    if (low := float(sample.min())) <= 0:
        raise NotComputableError(
            "not_positive",
            _(
                "{name} needs values above zero, and the smallest is {low}. Use the Johnson"
                " transformation or percentiles."
            ).format(name=name, low=number(low)),
        )
    return sample


def _require_spread(sample: Floats) -> None:
    if not has_spread(sample):
        raise NotComputableError(
            "zero_variance",
            _(
                "All values are equal ({value}): there is no spread to judge. Check whether the"
                " gauge resolves the differences, or choose another column."
            ).format(value=number(float(sample[0]))),
        )
