"""Samples of several groups: read from values and labels, described, their spreads compared."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from qhub_desktop.core.text import fold, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats, Values, as_numbers, missing_doubt
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import ALPHA, LEAST, Normality, has_spread, normality

CONFIDENCE = 1 - ALPHA
LEAST_IN_GROUP = 2
FEW = 5  # values; below, no assumption can be checked
LEAST_FOR_MEANS = 15  # values of a group that is not normal, for a test of means
NAMED = 4  # groups in a sentence


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the interval of 95 % confidence around it, in the data's unit."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The values of one group, in their order, and what describes them.

    `mean` has the t interval of its own deviation. `normality` is None below 3 values and
    without spread.
    """

    name: str
    values: Floats
    mean: Interval
    deviation: float
    median: float
    lower_quartile: float
    upper_quartile: float
    normality: Normality | None

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def is_constant(self) -> bool:
        """Whether all values are equal."""
        return not has_spread(self.values)

    @property
    def is_mean_safe(self) -> bool:
        """Whether a test of means may be trusted with this group.

        It may where nothing speaks against a normal distribution, and by the central limit
        theorem in samples of more than 25 times the squared skewness (Cochran, Sampling
        Techniques, 3rd ed., 1977, section 2.15), 15 at least.
        """
        if self.is_constant:
            return False
        if self.normality is None or self.normality.is_normal is not False:
            return True
        deviations = self.values - self.mean.estimate
        skewness = float(np.mean(deviations**3)) / float(np.mean(deviations**2)) ** 1.5
        return self.count >= LEAST_FOR_MEANS and self.count > 25 * skewness**2


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Two groups or more, and what to say of values that were left out."""

    groups: tuple[Sample, ...]
    doubts: tuple[Doubt, ...] = ()

    @property
    def count(self) -> int:
        """How many values there are in all groups."""
        return sum(group.count for group in self.groups)

    @property
    def pooled(self) -> Floats:
        """All values, group after group."""
        return np.concatenate([group.values for group in self.groups])

    @property
    def sizes(self) -> Floats:
        """How many values each group has."""
        return np.array([group.count for group in self.groups], dtype=np.float64)

    @property
    def means(self) -> Floats:
        """The mean of each group."""
        return np.array([group.mean.estimate for group in self.groups])

    @property
    def variances(self) -> Floats:
        """The variance of each group, by n - 1."""
        return np.array([group.deviation for group in self.groups]) ** 2

    @property
    def variance_within(self) -> float:
        """The pooled variance of all groups."""
        free = self.sizes - 1
        return float(np.sum(free * self.variances) / free.sum())


@dataclass(frozen=True, slots=True)
class SpreadTest:
    """A test of equal variances: statistic, degrees of freedom and p."""

    statistic: float
    df: tuple[float, ...]
    p: float


def split(values: Values, groups: Iterable[object]) -> Samples:
    """Sort values into groups by their labels, which may be of any type; groups in natural order.

    A value without a label, or a label without a value, is left out and told. Raises
    NotComputableError ("lengths", and what `samples_of` raises).
    """
    numbers = as_numbers(values)
    labels = ["" if each is None or each != each else str(each).strip() for each in groups]
    if len(labels) != len(numbers):
        raise NotComputableError(
            "lengths",
            _("There are {values} values and {labels} groups: each value needs one.").format(
                values=number(len(numbers)), labels=number(len(labels))
            ),
        )
    names = sorted({*labels} - {""}, key=natural_order)
    places = {name: at for at, name in enumerate(names)}
    codes = np.array([places.get(label, -1) for label in labels], dtype=np.int64)
    found = samples_of({name: numbers[codes == at] for name, at in places.items()})
    return Samples(found.groups, missing_doubt(len(numbers) - found.count, found.count))


def samples_of(groups: Mapping[str, Values]) -> Samples:
    """Take groups by name, in their order; missing values are left out and told.

    Raises NotComputableError ("one_group", "group_too_small", "zero_variance", "not_numeric",
    "infinite").
    """
    read = {name: as_numbers(values) for name, values in groups.items()}
    there = {name: values[~np.isnan(values)] for name, values in read.items()}
    there = {name: values for name, values in there.items() if len(values)}
    if len(there) < 2:
        raise NotComputableError(
            "one_group",
            _(
                "There is only one group with values, and a comparison needs two: choose another"
                " column to compare by, or a longer period."
            ),
        )
    small = [name for name, values in there.items() if len(values) < LEAST_IN_GROUP]
    if small:
        raise NotComputableError(
            "group_too_small",
            _(
                "A group needs at least {least} values to show its spread, and these have fewer:"
                " {names}. Filter them out, join them with others, or take a longer period."
            ).format(least=number(LEAST_IN_GROUP), names=listed(small)),
        )
    every = np.concatenate([*there.values()])
    if not has_spread(every):
        raise NotComputableError(
            "zero_variance",
            _(
                "All values are equal ({value}), in every group: there is nothing to compare."
                " Check whether the gauge resolves the differences, or choose another column."
            ).format(value=number(float(every[0]))),
        )
    missing = sum(len(values) for values in read.values()) - len(every)
    found = tuple(_sample(name, values) for name, values in there.items())
    return Samples(found, missing_doubt(missing, len(every)))


def _sample(name: str, values: Floats) -> Sample:
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    if not has_spread(values):
        deviation = 0.0  # what is left is rounding
    reach = t_quantile(1 - ALPHA / 2, len(values) - 1) * deviation / math.sqrt(len(values))
    low, median, high = (float(each) for each in np.quantile(values, (0.25, 0.5, 0.75)))
    can_test = len(values) >= LEAST and deviation > 0
    return Sample(
        name=name,
        values=values,
        mean=Interval(mean, mean - reach, mean + reach),
        deviation=deviation,
        median=median,
        lower_quartile=low,
        upper_quartile=high,
        normality=normality(values) if can_test else None,
    )


def levene(samples: Samples) -> SpreadTest:
    """Test for equal variances by distances from each group's median.

    Levene's test as changed by Brown and Forsythe (1974); it bears values that are not normal.
    Raises NotComputableError ("too_few") where no distance varies, as with two values a group.
    """
    distances = [np.abs(group.values - group.median) for group in samples.groups]
    within = sum(float(np.sum((each - each.mean()) ** 2)) for each in distances)
    every = np.concatenate(distances)
    if within <= 1e-20 * float(np.sum(every**2)):
        raise NotComputableError(
            "too_few", _("There are too few values in each group to compare their spreads.")
        )
    between = sum(len(each) * float(each.mean() - every.mean()) ** 2 for each in distances)
    df = (len(distances) - 1.0, float(len(every) - len(distances)))
    statistic = (between / df[0]) / (within / df[1])
    return SpreadTest(statistic, df, f_tail(statistic, *df))


def bartlett(samples: Samples) -> SpreadTest:
    """Test for equal variances of normal values (Bartlett, 1937); it mistakes tails for spread.

    Raises NotComputableError ("constant_group") where a group has no spread.
    """
    require_spread_everywhere(samples)
    free, variances = samples.sizes - 1, samples.variances
    total, count = float(free.sum()), len(free)
    numerator = total * math.log(samples.variance_within) - float(np.sum(free * np.log(variances)))
    correction = 1 + (float(np.sum(1 / free)) - 1 / total) / (3 * (count - 1))
    statistic = max(numerator / correction, 0.0)  # equal variances leave rounding
    return SpreadTest(statistic, (count - 1.0,), chi_square_tail(statistic, count - 1))


def require_spread_everywhere(samples: Samples) -> None:
    """Refuse groups without spread, for methods that divide by it ("constant_group")."""
    constant = [group.name for group in samples.groups if group.is_constant]
    if constant:
        raise NotComputableError(
            "constant_group",
            _(
                "All values are equal within {names}, so its variance cannot be weighed. Take the"
                " test of ranks (Kruskal-Wallis), or filter it out."
            ).format(names=listed(constant)),
        )


def differing_spreads(samples: Samples) -> SpreadTest | None:
    """Return Levene's test where it says that variances differ."""
    try:
        found = levene(samples)
    except NotComputableError:
        return None
    return found if found.p < ALPHA else None


def listed(names: Sequence[str]) -> str:
    """Name some groups in a sentence, the first of many."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f", … (+{more})" if more > 0 else "")


def natural_order(name: str) -> tuple[int, float, str, str]:
    """Return what group names are sorted by: numbers by value, then texts without case."""
    try:
        return 0, float(name.replace(",", ".")), "", name
    except ValueError:
        return 1, 0.0, fold(name), name


def figured(value: float, scale: float) -> str:
    """Write a value with three digits of the spread that it is seen against."""
    size = abs(scale) or abs(value) or 1.0
    return number(value, digits=min(max(0, 2 - math.floor(math.log10(size))), 8))


def t_quantile(share: float, df: float) -> float:
    """Return a quantile of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(df, share))


def t_tails(statistic: float, df: float) -> float:
    """Return the share of Student's distribution beyond a value, on both sides."""
    from scipy.special import stdtr

    return 2 * float(stdtr(df, -abs(statistic)))


def f_tail(statistic: float, above: float, below: float) -> float:
    """Return the share of an F distribution above a value."""
    from scipy.special import fdtrc

    return float(fdtrc(above, below, statistic))


def chi_square_tail(statistic: float, df: float) -> float:
    """Return the share of a chi-square distribution above a value."""
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))
