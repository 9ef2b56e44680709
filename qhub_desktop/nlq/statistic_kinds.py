"""Statistics of a column: a record for each, from which every list of them derives."""

from collections.abc import Mapping
from typing import Literal

from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.values import dataclass

StatisticKind = Literal["mean", "sum", "median", "cv", "std", "range", "percentile", "max", "min"]
# A measure, a form of result or a trait of a plan.
_Instead = Literal["per", "rate", "ratio", "share", "summary", "cumulative", "elapsed", "ordered"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic: how it is computed, and how it is said.

    `sql` is of a {column}, at a {quantile}. `name` is what a column of results is called, `phrase`
    stands in a sentence; both are of a {column}, at a {percent}. `label` is its name alone.
    """

    sql: str
    label: str
    name: str
    phrase: str
    instead: tuple[_Instead, ...] = ()  # what of a plan gives it as well
    needs_column: bool = False  # asked for where none is named: 'a média?'
    is_extreme: bool = False  # its words may rank as well: 'o maior'


RATES: frozenset[_Instead] = frozenset(["rate", "ratio", "share"])
DIVISIONS = RATES | {"per"}  # kinds of measures that one number is divided by another for
# The words of each stand in the lexicons, by its kind under [cue]. Of several that a question
# names, the first here leads.
STATISTICS: Mapping[StatisticKind, Statistic] = {
    "mean": Statistic(
        "avg({column})",
        gettext_noop("mean"),
        gettext_noop("mean of {column}"),
        gettext_noop("the mean of {column}"),
        instead=("per", "summary", *RATES),
        needs_column=True,
    ),
    "sum": Statistic(
        "sum({column})",
        gettext_noop("sum"),
        gettext_noop("sum of {column}"),
        gettext_noop("the sum of {column}"),
        instead=("cumulative", *RATES),
        needs_column=True,
    ),
    "median": Statistic(
        "median({column})",
        gettext_noop("median"),
        gettext_noop("median of {column}"),
        gettext_noop("the median of {column}"),
        instead=("summary",),
        needs_column=True,
    ),
    "cv": Statistic(
        "100.0 * stddev_samp({column}) / nullif(avg({column}), 0)",
        gettext_noop("coefficient of variation"),
        gettext_noop("coefficient of variation of {column}"),
        gettext_noop("the coefficient of variation of {column}"),
        needs_column=True,
    ),
    "std": Statistic(
        "stddev_samp({column})",
        gettext_noop("standard deviation"),
        gettext_noop("standard deviation of {column}"),
        gettext_noop("the standard deviation of {column}"),
        instead=("summary", "elapsed"),
        needs_column=True,
    ),
    "range": Statistic(
        "max({column}) - min({column})",
        gettext_noop("range"),
        gettext_noop("range of {column}"),
        gettext_noop("the range of {column}"),
        instead=("summary",),
    ),
    "percentile": Statistic(
        "quantile_cont({column}, {quantile})",
        gettext_noop("percentile"),
        gettext_noop("percentile {percent} of {column}"),
        gettext_noop("the percentile {percent} of {column}"),
    ),
    "max": Statistic(
        "max({column})",
        gettext_noop("maximum"),
        gettext_noop("maximum of {column}"),
        gettext_noop("the maximum of {column}"),
        instead=("summary", "ordered"),
        is_extreme=True,
    ),
    "min": Statistic(
        "min({column})",
        gettext_noop("minimum"),
        gettext_noop("minimum of {column}"),
        gettext_noop("the minimum of {column}"),
        instead=("summary", "ordered"),
        is_extreme=True,
    ),
}
EXTREMES: Mapping[str, StatisticKind] = {  # by the lemma of their words, as those below
    f"#{kind}": kind for kind, each in STATISTICS.items() if each.is_extreme
}
STATISTIC_CUES: Mapping[str, StatisticKind] = {
    f"#{kind}": kind for kind, each in STATISTICS.items() if not each.is_extreme
}
