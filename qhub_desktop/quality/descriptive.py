"""Descriptive statistics: what a column of measurements looks like, and its histogram."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.findings import Doubt, NotComputableError

Floats = NDArray[np.float64]
Values = ArrayLike | Sequence[float | None]  # None is a missing value
MAX_BINS = 200


@dataclass(frozen=True, slots=True)
class Description:
    """The usual figures of one sample.

    Quartiles are type 7 of Hyndman and Fan (R's and Excel's), skewness and excess kurtosis the
    plain moments (g1, g2). Without spread there are none of these two; one value has no
    `deviation`.
    """

    count: int
    missing: int
    mean: float
    deviation: float | None
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float
    skewness: float | None
    excess_kurtosis: float | None


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Numbers of classes that a histogram may have, by three published rules.

    Sturges (1926), Scott (1979) and Freedman and Diaconis (1981), as R's `nclass` functions.
    """

    sturges: int
    scott: int
    freedman_diaconis: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts between neighbouring edges: one edge more than counts, of one width, at round numbers.

    A value on an edge belongs to the class above it, the highest edge to the last class.
    """

    edges: Floats
    counts: NDArray[np.int64]

    @property
    def width(self) -> float:
        """The width of each class, in the data's unit."""
        return float(self.edges[1] - self.edges[0])


def present(values: Values, *, least: int = 1) -> tuple[Floats, int]:
    """Return the values that are there, in order, and how many are missing (None or not a number).

    Raises NotComputableError ("not_numeric", "infinite", "too_few").
    """
    numbers = as_numbers(values)
    there = numbers[~np.isnan(numbers)]
    if len(there) < least:
        raise NotComputableError(
            "too_few",
            _(
                "There are {n} values, and at least {least} are needed: choose a longer period,"
                " or another column."
            ).format(n=number(len(there)), least=number(least)),
        )
    return there, len(numbers) - len(there)


def as_numbers(values: Values) -> Floats:
    """Return the values as one row of numbers, missing ones as NaN.

    Raises NotComputableError ("not_numeric", "infinite").
    """
    try:
        numbers = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise NotComputableError(
            "not_numeric",
            _("This column has texts among its values. Choose a column of measurements."),
        ) from error
    if np.isinf(numbers).any():
        raise NotComputableError(
            "infinite",
            _("One of the values is infinite. Correct it in the file, or filter it out."),
        )
    return numbers


def missing_doubt(missing: int, count: int) -> tuple[Doubt, ...]:
    """Return the doubt about values that are missing, if any are."""
    if not missing:
        return ()
    text = _(
        "{missing} of {all} values are missing and were left out: if they were not lost by chance,"
        " the result is too good or too bad."
    )
    return (Doubt("missing", text.format(missing=number(missing), all=number(missing + count))),)


def describe(values: Values) -> Description:
    """Describe a sample. Raises NotComputableError ("too_few", "not_numeric", "infinite")."""
    sample, missing = present(values)
    deviations = sample - sample.mean()
    variance = float(np.mean(deviations**2))
    # A spread of less than rounding has no shape.
    has_spread = bool(np.ptp(sample) > 0) and variance > 0
    low, median, high = np.quantile(sample, (0.25, 0.5, 0.75))
    return Description(
        count=len(sample),
        missing=missing,
        mean=float(sample.mean()),
        deviation=float(sample.std(ddof=1)) if len(sample) > 1 else None,
        minimum=float(sample.min()),
        lower_quartile=float(low),
        median=float(median),
        upper_quartile=float(high),
        maximum=float(sample.max()),
        skewness=float(np.mean(deviations**3)) / variance**1.5 if has_spread else None,
        excess_kurtosis=float(np.mean(deviations**4)) / variance**2 - 3 if has_spread else None,
    )


def class_counts(values: Values) -> ClassCounts:
    """Count a histogram's classes by each rule; 1 where the sample has no spread."""
    sample, _missing = present(values)
    count, span = len(sample), float(np.ptp(sample))
    scott = 3.5 * float(sample.std(ddof=1)) * count ** (-1 / 3) if count > 1 else 0.0
    freedman = _freedman_diaconis_width(sample) * count ** (-1 / 3)
    return ClassCounts(
        sturges=math.ceil(math.log2(count) + 1),
        scott=max(1, math.ceil(span / scott)) if scott > 0 else 1,
        freedman_diaconis=max(1, math.ceil(span / freedman)) if freedman > 0 else 1,
    )


def histogram(values: Values, *, classes: int | None = None) -> Histogram:
    """Count values in classes of one round width; about as many as Freedman and Diaconis say."""
    sample, _missing = present(values)
    rules = class_counts(sample)
    wanted = classes or max(rules.sturges, rules.freedman_diaconis)
    low, high = float(sample.min()), float(sample.max())
    width = _round_width((high - low) / min(wanted, MAX_BINS)) if high > low else 1.0
    first = math.floor(low / width + 1e-9)
    last = max(math.ceil(high / width - 1e-9), first + 1)
    edges = np.arange(first, last + 1, dtype=np.float64) * width
    # Counted by position, not by np.histogram: 0.3 in steps of 0.1 is to be on its edge.
    at = np.clip(np.floor(sample / width + 1e-9).astype(np.int64) - first, 0, last - first - 1)
    return Histogram(edges, np.bincount(at, minlength=last - first).astype(np.int64))


def _freedman_diaconis_width(sample: Floats) -> float:
    """Return twice the range between quartiles, or of wider quantiles where those coincide.

    Values are taken to five significant digits first, as R does.
    """
    rounded = _significant(sample)
    share = 0.25
    while share >= 1 / 512:
        low, high = np.quantile(rounded, (share, 1 - share))
        if high > low:
            return float(high - low) / (1 - 2 * share)
        share /= 2
    return 3.5 * float(sample.std(ddof=1)) if len(sample) > 1 else 0.0


def _significant(sample: Floats, digits: int = 5) -> Floats:
    """Round to significant digits, each value by its own size."""
    sizes = np.abs(sample)
    exponents = np.floor(np.log10(np.where(sizes > 0, sizes, 1.0)))
    scale = 10.0 ** (digits - 1 - exponents)
    return np.asarray(np.round(sample * scale) / scale)


def _round_width(width: float) -> float:
    """Return the nearest of 1, 2, 2.5 and 5 times a power of ten that is not narrower."""
    power = 10.0 ** math.floor(math.log10(width))
    steps: Sequence[float] = (1.0, 2.0, 2.5, 5.0, 10.0)
    return next(step for step in steps if step * power >= width * (1 - 1e-9)) * power
