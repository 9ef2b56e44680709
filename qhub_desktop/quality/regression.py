"""Simple linear regression: the line, its intervals, its residuals, and what speaks against it.

Sources: Montgomery and Runger, Applied Statistics and Probability for Engineers, chapter 11; lack
of fit by pure error, the same; certified values of NIST's Statistical Reference Datasets (Norris).
"""

import math

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import Normality, has_spread, normality, p_text

OF_INTERVALS = 0.95
_FEWEST_PAIRS = 3
_FAR_RESIDUAL = 3.0  # standardized residuals beyond are doubted
_MUCH_PULL = 1.0  # of Cook's distance: one point draws the line
_LOW, _HIGH = 1.0, 3.0  # of Durbin and Watson's statistic: neighbours alike, or alternating
_SURE_OF_LINE = 0.05
_FEWEST_IN_ORDER = 15


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its standard error, t, p and interval."""

    value: float
    error: float
    t: float
    p: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """The line y = intercept + slope x through pairs, and how well it fits.

    `residuals` are in the order of the pairs, `standardized` divided by their own deviations.
    `lack_p` is of the test of lack of fit, None without repeated x.
    """

    x: Floats
    y: Floats
    intercept: Coefficient
    slope: Coefficient
    deviation: float  # of the residuals
    r_squared: float
    adjusted: float
    f: float
    degrees: int
    correlation: float
    fitted: Floats
    residuals: Floats
    standardized: Floats
    normality: Normality
    durbin_watson: float
    lack_f: float | None
    lack_p: float | None
    conclusion: str
    doubts: tuple[Doubt, ...]

    def at(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the line, half its interval of 95 %, and half that of one new value."""
        from scipy.special import stdtrit

        t = float(stdtrit(self.degrees, 0.5 + OF_INTERVALS / 2))
        middle = float(self.x.mean())
        spread = float(((self.x - middle) ** 2).sum())
        pull = 1 / self.x.size + (x - middle) ** 2 / spread
        line = self.intercept.value + self.slope.value * x
        reach = t * self.deviation
        return line, reach * np.sqrt(pull), reach * np.sqrt(1 + pull)


def regression(x: Floats, y: Floats, names: tuple[str, str] = ("x", "y")) -> Regression:
    """Fit a line by least squares to pairs; those with a gap are left out.

    Raises NotComputableError ("too_few", "zero_variance").
    """
    from scipy.special import fdtrc, stdtr, stdtrit

    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known].astype(np.float64), y[known].astype(np.float64)
    if x.size < _FEWEST_PAIRS:
        text = _("A line needs at least {least} pairs of values.")
        raise NotComputableError("too_few", text.format(least=number(_FEWEST_PAIRS)))
    if not has_spread(x):
        text = _("{name} is the same in all rows: no line goes through one value.")
        raise NotComputableError("zero_variance", text.format(name=names[0]))
    degrees = int(x.size) - 2
    dx, dy = x - x.mean(), y - y.mean()
    sxx, sxy, total = (float(each) for each in ((dx * dx).sum(), (dx * dy).sum(), (dy * dy).sum()))
    slope = sxy / sxx
    intercept = float(y.mean()) - slope * float(x.mean())
    fitted = float(y.mean()) + slope * dx
    residuals = y - fitted
    rest = float((residuals * residuals).sum())
    deviation = math.sqrt(rest / degrees)
    reach = float(stdtrit(degrees, 0.5 + OF_INTERVALS / 2))

    def coefficient(value: float, error: float) -> Coefficient:
        t = value / error if error else math.inf
        p = 2 * float(stdtr(degrees, -abs(t)))
        return Coefficient(value, error, t, p, value - reach * error, value + reach * error)

    explained = max(total - rest, 0.0)
    share = explained / total if total else 0.0
    pull = 1 / x.size + dx * dx / sxx
    own = deviation * np.sqrt(np.maximum(1 - pull, 1e-12))
    standardized = np.divide(residuals, own, out=np.zeros_like(residuals), where=own > 0)
    lack_f, lack_p = _lack_of_fit(x, y, rest)
    of_slope = coefficient(slope, deviation / math.sqrt(sxx))
    of_residuals = normality(residuals)
    watson = float((np.diff(residuals) ** 2).sum() / rest) if rest else 2.0
    f = explained / (rest / degrees) if rest else math.inf
    cook = standardized**2 * pull / (2 * np.maximum(1 - pull, 1e-12))
    doubts = _doubts(standardized, cook, of_residuals, watson, lack_p)
    return Regression(
        x=x,
        y=y,
        intercept=coefficient(
            intercept, deviation * math.sqrt(1 / x.size + float(x.mean()) ** 2 / sxx)
        ),
        slope=of_slope,
        deviation=deviation,
        r_squared=share,
        adjusted=1 - (1 - share) * (x.size - 1) / degrees,
        f=f,
        degrees=degrees,
        correlation=math.copysign(math.sqrt(share), slope),
        fitted=fitted,
        residuals=residuals,
        standardized=standardized,
        normality=of_residuals,
        durbin_watson=watson,
        lack_f=lack_f,
        lack_p=lack_p,
        conclusion=_conclusion(of_slope, share, float(fdtrc(1, degrees, f)), names, x),
        doubts=doubts,
    )


def _lack_of_fit(x: Floats, y: Floats, rest: float) -> tuple[float | None, float | None]:
    """Test the line against the means of repeated x; None where too few repeat."""
    from scipy.special import fdtrc

    levels, place = np.unique(x, return_inverse=True)
    pure_degrees, lack_degrees = int(x.size - levels.size), int(levels.size) - 2
    if pure_degrees < 1 or lack_degrees < 1:
        return None, None
    means = np.bincount(place, y) / np.bincount(place)
    pure = float(((y - means[place]) ** 2).sum())
    if not pure:
        return None, None
    f = max(rest - pure, 0.0) / lack_degrees / (pure / pure_degrees)
    return f, float(fdtrc(lack_degrees, pure_degrees, f))


def _doubts(
    standardized: Floats, cook: Floats, found: Normality, watson: float, lack_p: float | None
) -> tuple[Doubt, ...]:
    doubts = []
    if lack_p is not None and lack_p < _SURE_OF_LINE:
        text = _("A line does not fit ({p}, lack of fit): look for a curve in the residuals.")
        doubts.append(Doubt("lack_of_fit", text.format(p=p_text(lack_p))))
    if far := int((np.abs(standardized) > _FAR_RESIDUAL).sum()):
        text = _("{count} of the values lie beyond 3 standard deviations of the line: check them.")
        doubts.append(Doubt("far", text.format(count=number(far))))
    if drawn := int((cook > _MUCH_PULL).sum()):
        text = _("{count} of the values draw the line to themselves (Cook's distance above 1).")
        doubts.append(Doubt("pull", text.format(count=number(drawn))))
    if found.is_normal is False:
        text = _("The residuals are not normal ({p}): the intervals do not hold as they stand.")
        doubts.append(Doubt("non_normal", text.format(p=p_text(found.p or 0.0))))
    if standardized.size >= _FEWEST_IN_ORDER and not _LOW < watson < _HIGH:
        text = _(
            "Residuals next to each other are not independent (Durbin-Watson {value}): something"
            " else changes along the rows."
        )
        doubts.append(Doubt("autocorrelation", text.format(value=number(watson, digits=2))))
    return tuple(doubts)


def _conclusion(
    slope: Coefficient, share: float, p: float, names: tuple[str, str], x: Floats
) -> str:
    if p >= _SURE_OF_LINE:
        least = max(abs(slope.low), abs(slope.high))
        text = _(
            "No linear relation of {y} with {x} is shown ({p}). A slope of up to {least} either way"
            " could have been missed."
        )
        return text.format(y=names[1], x=names[0], p=p_text(p), least=number(least))
    text = _(
        "With each unit of {x}, {y} changes by {slope} ({low} to {high}). {x} explains {share} % of"
        " its variation. That holds from {least} to {most} of {x}, and says nothing of the cause."
    )
    return text.format(
        x=names[0],
        y=names[1],
        slope=number(slope.value),
        low=number(slope.low),
        high=number(slope.high),
        share=number(100 * share, digits=1),
        least=number(float(x.min())),
        most=number(float(x.max())),
    )
