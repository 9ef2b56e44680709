"""Tests of whether groups differ: of means and of ranks, which fits, and what to make of it.

Formulas as in Montgomery and Runger, Applied Statistics and Probability for Engineers (means), and
Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd ed., 2013 (ranks).
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.quality.descriptive import Values, as_numbers, missing_doubt
from qhub_desktop.quality.exact_counts import rank_sum_p
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.group_pairs import (
    MOST_GROUPS,
    dunn,
    games_howell,
    ranks,
    studentized_quantile,
    tukey,
)
from qhub_desktop.quality.group_samples import (
    FEW,
    Interval,
    Samples,
    chi_square_tail,
    differing_spreads,
    f_tail,
    figured,
    levene,
    listed,
    require_spread_everywhere,
    samples_of,
    split,
    t_quantile,
    t_tails,
)
from qhub_desktop.quality.group_verdicts import (
    Effect,
    GroupTest,
    several_conclusion,
    spreads_conclusion,
    two_means_conclusion,
    two_ranked_conclusion,
)
from qhub_desktop.quality.missable import POWER, missable_reach, missable_spread
from qhub_desktop.quality.normality import ALPHA, has_spread, normal_share, p_text

MOST_EXACT = 50  # values of a group for the exact test of ranks, as in R
MOST_TIED = 0.3  # share of one value


def compare_groups(values: Values, groups: Iterable[object]) -> GroupTest:
    """Choose the test that fits values and their groups' labels, run it, and say why.

    Two groups: Welch's t, or Mann-Whitney where a test of means can't be trusted. More: analysis
    of variance, Welch's where Levene's test says that variances differ, Kruskal-Wallis where means
    can't be trusted. Raises NotComputableError as `split` does.
    """
    return compare(split(values, groups))


def compare(samples: Samples) -> GroupTest:
    """Choose the test that fits groups, run it, and say why."""
    is_pair = len(samples.groups) == 2
    unsafe = [group.name for group in samples.groups if not group.is_mean_safe]
    if any(group.is_constant for group in samples.groups):
        found = mann_whitney(samples) if is_pair else kruskal_wallis(samples)
        why = _("All values are equal within {names}: ranks are compared, not means.")
        return replace(found, reason=why.format(names=_constant(samples)))
    if unsafe:
        found = mann_whitney(samples) if is_pair else kruskal_wallis(samples)
        why = _(
            "The values of {names} are not normal, and too few or too skewed for a test of means:"
            " ranks are compared."
        )
        return replace(found, reason=why.format(names=listed(unsafe)))
    if is_pair:
        why = _("Means can be compared, and Welch's test does not need equal variances.")
        return replace(welch_t(samples), reason=why)
    unequal = differing_spreads(samples)
    if unequal is None:
        why = _("Means can be compared, and nothing speaks against equal variances (Levene).")
        return replace(anova(samples), reason=why)
    why = _("Means can be compared, but the variances differ (Levene, {p}).")
    return replace(welch_anova(samples), reason=why.format(p=p_text(unequal.p)))


def welch_t(samples: Samples) -> GroupTest:
    """Compare two means without taking their variances as equal (Welch, 1947).

    Raises NotComputableError ("two_groups", "zero_variance").
    """
    return _t_test(samples, "welch_t")


def pooled_t(samples: Samples) -> GroupTest:
    """Compare two means whose variances are equal (Student).

    Raises NotComputableError ("two_groups", "zero_variance").
    """
    return _t_test(samples, "pooled_t")


def _t_test(samples: Samples, kind: Literal["welch_t", "pooled_t"]) -> GroupTest:
    _require_two(samples)
    _require_spread_within(samples)
    sizes, free = samples.sizes, samples.sizes - 1
    if kind == "pooled_t":
        df = float(free.sum())
        error = math.sqrt(samples.variance_within * float(np.sum(1 / sizes)))
    else:
        shares = samples.variances / sizes
        df = float(shares.sum() ** 2 / np.sum(shares**2 / free))
        error = math.sqrt(float(shares.sum()))
    first, second = samples.means
    found = _mean_difference(
        float(first - second),
        error,
        df,
        GroupTest(
            kind,
            statistic=0.0,
            df=(df,),
            p=1.0,
            effects=(Effect("hedges_g", _hedges(samples)),),
            samples=samples,
            missable=0.0,
            doubts=_mean_doubts(samples, assumes_equal=kind == "pooled_t"),
        ),
    )
    return replace(found, conclusion=two_means_conclusion(found))


def paired_t(first: Values, second: Values, names: tuple[str, str] = ("A", "B")) -> GroupTest:
    """Compare two measurements of the same parts, by their differences.

    Hedges' g is the mean difference over the deviation of differences. A part with a missing value
    is left out and told. Raises NotComputableError ("lengths", "group_too_small", "zero_variance",
    "not_numeric", "infinite").
    """
    one, two = as_numbers(first), as_numbers(second)
    if len(one) != len(two):
        raise NotComputableError(
            "lengths",
            _(
                "{first} has {n} values and {second} {m}: pairs need both measurements of each"
                " part. Compare them as two groups instead."
            ).format(first=names[0], n=number(len(one)), second=names[1], m=number(len(two))),
        )
    there = ~(np.isnan(one) | np.isnan(two))
    missing = len(one) - int(there.sum())
    samples = samples_of({names[0]: one[there], names[1]: two[there]})
    changes = one[there] - two[there]
    if not has_spread(np.append(changes, 0.0)) or np.ptp(changes) <= 1e-12 * np.abs(one).max():
        raise NotComputableError(
            "zero_variance",
            _(
                "All parts differ by the same {value}, so there is no spread to judge by. Check"
                " whether one column was computed from the other."
            ).format(value=number(float(changes[0]))),
        )
    count, deviation = len(changes), float(changes.std(ddof=1))
    df = count - 1.0
    effect = Effect("hedges_g", float(changes.mean()) / deviation * _small_sample(df))
    between = samples_of({"0": changes, "1": -changes}).groups[0] if has_spread(changes) else None
    doubts: list[Doubt] = [*missing_doubt(missing, count), *_few_doubt(samples)]
    if between is not None and not between.is_mean_safe:
        text = _("The differences are not normal: take a test of signed ranks (Wilcoxon) as well.")
        doubts.append(Doubt("non_normal", text))
    found = _mean_difference(
        float(changes.mean()),
        deviation / math.sqrt(count),
        df,
        GroupTest("paired_t", 0.0, (df,), 1.0, (effect,), samples, 0.0, doubts=tuple(doubts)),
    )
    return replace(found, conclusion=two_means_conclusion(found))


def mann_whitney(samples: Samples, *, exact: bool | None = None) -> GroupTest:
    """Compare the ranks of two groups (Wilcoxon, 1945; Mann and Whitney, 1947).

    The statistic is U of the first group. p is exact below 50 values a group without ties, else
    normal with correction for ties and continuity, as in R. Rank-biserial (Kerby, 2014): the share
    of pairs in which the first group is higher, less that in which it is lower. Raises
    NotComputableError ("two_groups").
    """
    _require_two(samples)
    one, two = samples.groups
    ranked, tied = ranks(samples.pooled)
    pairs, count = one.count * two.count, samples.count
    statistic = float(ranked[: one.count].sum()) - one.count * (one.count + 1) / 2
    if exact is None:
        exact = not tied and max(one.count, two.count) < MOST_EXACT
    if exact and not tied:
        p = rank_sum_p(statistic, one.count, two.count)
    else:
        variance = pairs / 12 * (count + 1 - tied / (count * (count - 1)))
        distance = max(abs(statistic - pairs / 2) - 0.5, 0)
        p = min(1.0, 2 * float(normal_share(-distance / math.sqrt(variance))))
    gap = one.median - two.median
    found = GroupTest(
        "mann_whitney",
        statistic,
        (),
        p,
        (Effect("rank_biserial", 2 * statistic / pairs - 1),),
        samples,
        _missable_share(one.count, two.count, 1),
        Interval(gap, math.nan, math.nan),
        doubts=_rank_doubts(samples),
    )
    return replace(found, conclusion=two_ranked_conclusion(found))


def anova(samples: Samples) -> GroupTest:
    """Compare means by one-way analysis of variance, and pairs by Tukey's test.

    eta² is the share of all variation that lies between groups, omega² the same without its bias.
    Raises NotComputableError ("zero_variance").
    """
    _require_spread_within(samples)
    between, within, above, below = _sums_of_squares(samples)
    statistic = between / above / (within / below)
    omega2 = (between - above * within / below) / (between + within + within / below)
    found = GroupTest(
        "anova",
        statistic,
        (above, below),
        f_tail(statistic, above, below),
        (Effect("eta2", between / (between + within)), Effect("omega2", max(omega2, 0.0))),
        samples,
        _missable_means(samples),
        pairs=tukey(samples) if len(samples.groups) <= MOST_GROUPS else None,
        doubts=(*_mean_doubts(samples, assumes_equal=True), *_many_doubt(samples)),
    )
    return replace(found, conclusion=several_conclusion(found))


def welch_anova(samples: Samples) -> GroupTest:
    """Compare means whose variances differ (Welch, 1951), and pairs by Games and Howell's test.

    Raises NotComputableError ("constant_group").
    """
    require_spread_everywhere(samples)
    weights = samples.sizes / samples.variances
    total, above = float(weights.sum()), len(weights) - 1.0
    centre = float(np.sum(weights * samples.means)) / total
    spread = float(np.sum((1 - weights / total) ** 2 / (samples.sizes - 1)))
    scale = above * (above + 2)  # k² - 1
    statistic = float(np.sum(weights * (samples.means - centre) ** 2)) / above
    statistic /= 1 + 2 * (above - 1) * spread / scale
    below = scale / (3 * spread)
    between, within, *_df = _sums_of_squares(samples)
    omega2 = above * (statistic - 1) / (above * (statistic - 1) + samples.count)
    found = GroupTest(
        "welch_anova",
        statistic,
        (above, below),
        f_tail(statistic, above, below),
        (Effect("omega2", max(omega2, 0.0)), Effect("eta2", between / (between + within))),
        samples,
        _missable_means(samples),
        pairs=games_howell(samples) if len(samples.groups) <= MOST_GROUPS else None,
        doubts=(*_mean_doubts(samples, assumes_equal=False), *_many_doubt(samples)),
    )
    return replace(found, conclusion=several_conclusion(found))


def kruskal_wallis(samples: Samples) -> GroupTest:
    """Compare the ranks of groups (Kruskal and Wallis, 1952), and pairs by Dunn's test.

    Corrected for ties. epsilon² is H/(n - 1), the share of the ranks' variation between groups.
    """
    ranked, tied = ranks(samples.pooled)
    count, ends = samples.count, np.cumsum(samples.sizes).astype(np.int64)
    sums = np.array([part.sum() for part in np.split(ranked, ends[:-1])])
    statistic = 12 / (count * (count + 1)) * float(np.sum(sums**2 / samples.sizes))
    statistic = (statistic - 3 * (count + 1)) / (1 - tied / (count**3 - count))
    df = len(samples.groups) - 1.0
    smallest = np.sort(samples.sizes)[:2]
    found = GroupTest(
        "kruskal_wallis",
        statistic,
        (df,),
        chi_square_tail(statistic, df),
        (Effect("epsilon2", statistic / (count - 1)),),
        samples,
        _missable_share(int(smallest[0]), int(smallest[1]), int(df * (df + 1) / 2)),
        pairs=dunn(samples) if len(samples.groups) <= MOST_GROUPS else None,
        doubts=(*_rank_doubts(samples), *_many_doubt(samples)),
    )
    return replace(found, conclusion=several_conclusion(found))


def compare_spreads(samples: Samples) -> GroupTest:
    """Compare the spreads of groups, by Levene's test about medians (`group_samples.levene`).

    eta² is the share of the distances' variation that lies between groups. Raises
    NotComputableError ("too_few") where no distance varies.
    """
    found = levene(samples)
    above, below = found.df
    share = above * found.statistic / (above * found.statistic + below)
    test = GroupTest(
        "levene",
        found.statistic,
        found.df,
        found.p,
        (Effect("eta2", share),),
        samples,
        missable_spread(samples.sizes),
        doubts=(*samples.doubts, *_few_doubt(samples)),
    )
    return replace(test, conclusion=spreads_conclusion(test))


# --- parts of tests -------------------------------------------------------------------------------


def _require_two(samples: Samples) -> None:
    if len(samples.groups) != 2:
        raise NotComputableError(
            "two_groups",
            _("This test compares two groups, and there are {count}: {names}.").format(
                count=number(len(samples.groups)),
                names=listed([group.name for group in samples.groups]),
            ),
        )


def _require_spread_within(samples: Samples) -> None:
    if all(group.is_constant for group in samples.groups):
        raise NotComputableError(
            "zero_variance",
            _(
                "Within each group all values are equal, so there is no spread to judge the"
                " difference by. Check whether the gauge resolves the differences."
            ),
        )


def _constant(samples: Samples) -> str:
    return listed([group.name for group in samples.groups if group.is_constant])


def _sums_of_squares(samples: Samples) -> tuple[float, float, float, float]:
    """Return sums of squares between and within groups, and their degrees of freedom."""
    sizes, means = samples.sizes, samples.means
    grand = float(np.sum(sizes * means) / sizes.sum())
    between = float(np.sum(sizes * (means - grand) ** 2))
    below = float(sizes.sum() - len(sizes))
    return between, samples.variance_within * below, len(sizes) - 1.0, below


def _small_sample(df: float) -> float:
    """Return Hedges' correction of a standardised difference (1981), exactly."""
    if df <= 1:
        return 0.0
    ratio = math.lgamma(df / 2) - math.lgamma((df - 1) / 2)
    return math.exp(ratio) / math.sqrt(df / 2)


def _hedges(samples: Samples) -> float:
    first, second = samples.means
    deviation = math.sqrt(samples.variance_within)
    return float(first - second) / deviation * _small_sample(samples.count - 2)


def _mean_difference(gap: float, error: float, df: float, found: GroupTest) -> GroupTest:
    """Fill in what follows from a difference of means and its standard error."""
    reach = t_quantile(1 - ALPHA / 2, df) * error
    return replace(
        found,
        statistic=gap / error,
        p=t_tails(gap / error, df),
        difference=Interval(gap, gap - reach, gap + reach),
        missable=reach + t_quantile(POWER, df) * error,
    )


def _missable_means(samples: Samples) -> float:
    """Return the difference of any two means that Tukey's test sees in 80 % of such samples."""
    df = float(samples.sizes.sum() - len(samples.sizes))
    smallest = np.sort(samples.sizes)[:2]
    error = math.sqrt(samples.variance_within * float(np.sum(1 / smallest)))
    count = min(len(samples.groups), MOST_GROUPS)
    critical = studentized_quantile(1 - ALPHA, count, df) / math.sqrt(2)
    return (critical + t_quantile(POWER, df)) * error


def _missable_share(one: int, two: int, comparisons: int) -> float:
    """Return how often a value must be above one of the other group, to be seen in 80 %."""
    return min(
        1.0, 0.5 + missable_reach(comparisons) * math.sqrt((one + two + 1) / (12 * one * two))
    )


# --- assumptions ----------------------------------------------------------------------------------


def _mean_doubts(samples: Samples, *, assumes_equal: bool) -> tuple[Doubt, ...]:
    doubts = [*samples.doubts]
    is_pair = len(samples.groups) == 2
    unsafe = [group.name for group in samples.groups if not group.is_mean_safe]
    if unsafe:
        text = _(
            "The values of {names} are not normal, and too few or too skewed for a test of means:"
            " take {test}."
        )
        rank_test = "Mann-Whitney" if is_pair else "Kruskal-Wallis"
        doubts.append(Doubt("non_normal", text.format(names=listed(unsafe), test=rank_test)))
    unequal = differing_spreads(samples) if assumes_equal else None
    if unequal is not None:
        spreads = sorted(samples.groups, key=lambda group: group.deviation)
        text = _(
            "The spreads differ (Levene, {p}): {widest} has a standard deviation of {high},"
            " {narrowest} of {low}. Take Welch's test."
        )
        scale = spreads[-1].deviation
        text = text.format(
            p=p_text(unequal.p),
            widest=spreads[-1].name,
            high=figured(spreads[-1].deviation, scale),
            narrowest=spreads[0].name,
            low=figured(spreads[0].deviation, scale),
        )
        doubts.append(Doubt("unequal_variances", text))
    return (*doubts, *_few_doubt(samples))


def _rank_doubts(samples: Samples) -> tuple[Doubt, ...]:
    doubts = [*samples.doubts]
    _distinct, counts = np.unique(samples.pooled, return_counts=True)
    if counts.max() > MOST_TIED * samples.count:
        text = _(
            "{count} of {all} values are the same ({value}): with so many ties p is only"
            " approximate. Check whether the gauge resolves the differences."
        )
        text = text.format(
            count=number(int(counts.max())),
            all=number(samples.count),
            value=number(float(_distinct[counts.argmax()])),
        )
        doubts.append(Doubt("ties", text))
    if differing_spreads(samples) is not None:
        text = _(
            "The spreads differ too, so the groups may differ in more than their level: look at"
            " the plot."
        )
        doubts.append(Doubt("unequal_variances", text))
    return (*doubts, *_few_doubt(samples))


def _few_doubt(samples: Samples) -> tuple[Doubt, ...]:
    few = [group.name for group in samples.groups if group.count < FEW]
    if not few:
        return ()
    text = _(
        "With fewer than {least} values in {names}, neither normality nor spread can be checked,"
        " and only a very large difference would be seen."
    )
    return (Doubt("few", text.format(least=number(FEW), names=listed(few))),)


def _many_doubt(samples: Samples) -> tuple[Doubt, ...]:
    if len(samples.groups) <= MOST_GROUPS:
        return ()
    text = _("With {count} groups, pairs are not compared one by one.")
    return (Doubt("too_many_groups", text.format(count=number(len(samples.groups)))),)
