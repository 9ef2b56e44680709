"""Normality: Anderson-Darling and Shapiro-Wilk, and the points of the probability plot."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats, Values, present
from qhub_desktop.quality.findings import Doubt, NotComputableError

ALPHA = 0.05  # below this p, values are taken as not normal
LEAST = 3
LEAST_ANDERSON_DARLING = 8  # Stephens' approximation of p begins here
MOST_SHAPIRO_WILK = 5000  # Royston's ends here


@dataclass(frozen=True, slots=True)
class Normality:
    """Fit of a sample to a normal distribution whose parameters are estimated from it.

    Anderson-Darling's statistic A² with the p of D'Agostino and Stephens (Goodness-of-Fit
    Techniques, 1986, table 4.9), from 8 values on; Shapiro and Wilk's W with Royston's p (1995),
    for 3 to 5000 values.
    """

    count: int
    anderson_darling: float | None
    p: float | None
    shapiro_wilk: float | None
    shapiro_wilk_p: float | None

    @property
    def is_normal(self) -> bool | None:
        """Whether nothing speaks against it at 5 %; None where there are too few values to ask."""
        decisive = self.p if self.p is not None else self.shapiro_wilk_p
        return None if decisive is None else decisive >= ALPHA


@dataclass(frozen=True, slots=True)
class ProbabilityPlot:
    """The points of a normal probability plot, and the line that normal data would follow.

    `values` ascending, in the data's unit; `scores` are standard normal quantiles of the median
    ranks (i - 0.3)/(n + 0.4) (Benard). The line is value = `mean` + `deviation` x score; `lower`
    and `upper` bound it for each score, point by point, with the confidence asked for.
    """

    values: Floats
    scores: Floats
    mean: float
    deviation: float
    lower: Floats
    upper: Floats
    normality: Normality


def normal_quantile(share: ArrayLike) -> Floats:
    """Return standard normal quantiles."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.asarray(share, dtype=np.float64)))


def normal_share(scores: ArrayLike) -> Floats:
    """Return the share of a standard normal distribution below each score."""
    from scipy.special import ndtr

    return np.asarray(ndtr(np.asarray(scores, dtype=np.float64)))


def anderson_darling(sample: Floats) -> tuple[float, float | None]:
    """Return A² against the normal distribution, and p from 8 values on.

    Raises NotComputableError ("too_few", "zero_variance").
    """
    from scipy.special import log_ndtr

    _require_spread(sample)
    scores = (np.sort(sample) - sample.mean()) / sample.std(ddof=1)
    statistic = anderson_darling_of(np.asarray(log_ndtr(scores)), np.asarray(log_ndtr(-scores)))
    if len(sample) < LEAST_ANDERSON_DARLING:
        return statistic, None
    return statistic, _stephens_p(statistic, len(sample))


def anderson_darling_of(log_below: Floats, log_above: Floats) -> float:
    """Return A² from the logarithms of the shares below and above each value, ascending."""
    count = len(log_below)
    weights = 2 * np.arange(1, count + 1) - 1
    return float(-count - np.mean(weights * (log_below + log_above[::-1])))


def shapiro_wilk(sample: Floats) -> tuple[float, float]:
    """Return W and its p, for 3 to 5000 values, as Royston has them (AS R94, 1995).

    Raises NotComputableError ("too_few", "zero_variance").
    """
    _require_spread(sample)
    ordered = np.sort(sample - np.median(sample))
    count = len(ordered)
    weights = _royston_weights(count)
    centred = ordered - ordered.mean()
    length = math.sqrt(float(weights @ weights) * float(centred @ centred))
    along = float(weights @ centred)
    lacking = (length - along) * (length + along) / length**2  # 1 - W, near 0 without rounding
    if count == LEAST:
        share = 6 / math.pi * (math.asin(math.sqrt(1 - lacking)) - math.pi / 3)
        return 1 - lacking, min(max(share, 0.0), 1.0)
    with np.errstate(divide="ignore"):
        reached, size = float(np.log(lacking)), math.log(count)
    if count <= 11:
        highest = _polynomial((-2.273, 0.459), count)
        if reached >= highest:
            return 1 - lacking, 0.0
        reached = -math.log(highest - reached)
        mean = _polynomial((0.5440, -0.39978, 0.025054, -6.714e-4), count)
        deviation = math.exp(_polynomial((1.3822, -0.77857, 0.062767, -0.0020322), count))
    else:
        mean = _polynomial((-1.5861, -0.31082, -0.083751, 0.0038915), size)
        deviation = math.exp(_polynomial((-0.4803, -0.082676, 0.0030302), size))
    return 1 - lacking, float(normal_share((mean - reached) / deviation))


def _royston_weights(count: int) -> Floats:
    """Return what the ordered values are weighed with; they nearly have a length of 1."""
    half = count // 2
    weights = np.zeros(count)
    if count == LEAST:
        weights[0] = -math.sqrt(0.5)
    else:
        expected = normal_quantile((np.arange(1, half + 1) - 0.375) / (count + 0.25))
        total, root = 2 * float(expected @ expected), 1 / math.sqrt(count)
        first = (0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
        second = (0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
        ends = [expected[0] / math.sqrt(total) - _polynomial(first, root)]
        if count > 5:
            ends.append(expected[1] / math.sqrt(total) - _polynomial(second, root))
        given, wanted = np.square(expected[: len(ends)]).sum(), np.square(ends).sum()
        weights[:half] = expected / math.sqrt((total - 2 * given) / (1 - 2 * wanted))
        weights[: len(ends)] = ends
    weights[count - half :] = -weights[:half][::-1]
    return weights


def _polynomial(coefficients: Sequence[float], place: float) -> float:
    return float(np.polynomial.polynomial.polyval(place, coefficients))


def normality(values: Values) -> Normality:
    """Test a sample for normality.

    Raises NotComputableError ("too_few" below 3 values, "zero_variance").
    """
    sample, _missing = present(values, least=LEAST)
    _require_spread(sample)
    statistic, p = anderson_darling(sample)
    if len(sample) > MOST_SHAPIRO_WILK:
        return Normality(len(sample), statistic, p, None, None)
    return Normality(len(sample), statistic, p, *shapiro_wilk(sample))


def normality_doubt(found: Normality) -> tuple[Doubt, ...]:
    """Return the doubt that values are not normal, if the test says so."""
    p = found.p if found.p is not None else found.shapiro_wilk_p
    if found.is_normal is not False or p is None:
        return ()
    test = "Anderson-Darling" if found.p is not None else "Shapiro-Wilk"
    text = _(
        "The values do not follow a normal distribution ({test}, {p}), so the shares outside the"
        " limits can be far from the truth."
    )
    return (Doubt("non_normal", text.format(test=test, p=p_text(p))),)


def probability_plot(values: Values, *, confidence: float = 0.95) -> ProbabilityPlot:
    """Make the normal probability plot of a sample.

    Raises NotComputableError ("too_few" below 3 values, "zero_variance").
    """
    sample, _missing = present(values, least=LEAST)
    found = normality(sample)
    count, mean, deviation = len(sample), float(sample.mean()), float(sample.std(ddof=1))
    scores = normal_quantile((np.arange(1, count + 1) - 0.3) / (count + 0.4))
    # The variance of an estimated quantile: sigma²/n (1 + z²/2), by large-sample theory.
    error = deviation * np.sqrt((1 + scores**2 / 2) / count)
    reach = float(normal_quantile(0.5 + confidence / 2)) * error
    line = mean + deviation * scores
    return ProbabilityPlot(
        np.sort(sample), scores, mean, deviation, line - reach, line + reach, found
    )


def p_text(p: float) -> str:
    """Write a p value for a person: 'p = 0.031', 'p < 0.001'."""
    least = 0.001
    return f"p < {number(least)}" if p < least else f"p = {number(p, digits=3)}"


def _require_spread(sample: Floats) -> None:
    if len(sample) < LEAST:
        raise NotComputableError(
            "too_few",
            _("A test of normality needs at least {least} values.").format(least=number(LEAST)),
        )
    if not has_spread(sample):
        raise NotComputableError(
            "zero_variance",
            _(
                "All values are equal ({value}): there is no spread to judge. Check whether the"
                " gauge resolves the differences, or choose another column."
            ).format(value=number(float(sample[0]))),
        )


def has_spread(sample: Floats) -> bool:
    """Return whether values differ by more than the rounding of their own size."""
    return bool(len(sample) and spreads(sample.min(keepdims=True), sample.max(keepdims=True)))


def spreads(lowest: Floats, highest: Floats) -> NDArray[np.bool_]:
    """Return where values between these differ by more than the rounding of their own size."""
    size = np.maximum(np.abs(lowest), np.abs(highest))
    return np.asarray(highest - lowest > 4 * np.finfo(np.float64).eps * size)


def _stephens_p(statistic: float, count: int) -> float:
    """Return p of A² for a normal distribution with both parameters estimated."""
    adjusted = statistic * (1 + 0.75 / count + 2.25 / count**2)
    if adjusted < 0.2:
        return 1 - math.exp(-13.436 + 101.14 * adjusted - 223.73 * adjusted**2)
    if adjusted < 0.34:
        return 1 - math.exp(-8.318 + 42.796 * adjusted - 59.938 * adjusted**2)
    if adjusted < 0.6:
        return math.exp(0.9177 - 4.279 * adjusted - 1.38 * adjusted**2)
    if adjusted < 10:
        return math.exp(1.2937 - 5.709 * adjusted + 0.0186 * adjusted**2)
    return 3.7e-24
