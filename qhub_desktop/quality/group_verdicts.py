"""The answer of a test of whether groups differ: effects in words, and one sentence to act on."""

import math
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.group_pairs import PairMethod, Pairs
from qhub_desktop.quality.group_samples import Interval, Samples, figured
from qhub_desktop.quality.normality import ALPHA, p_text

TestKind = Literal[
    "welch_t",
    "pooled_t",
    "paired_t",
    "mann_whitney",
    "anova",
    "welch_anova",
    "kruskal_wallis",
    "levene",
]
EffectName = Literal["hedges_g", "rank_biserial", "eta2", "omega2", "epsilon2"]
Size = Literal["negligible", "small", "medium", "large"]

# Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd ed., 1988.
_SMALL_MEDIUM_LARGE: dict[EffectName, tuple[float, float, float]] = {
    "hedges_g": (0.2, 0.5, 0.8),
    "rank_biserial": (0.1, 0.3, 0.5),
    "eta2": (0.01, 0.06, 0.14),
    "omega2": (0.01, 0.06, 0.14),
    "epsilon2": (0.01, 0.06, 0.14),
}

_SYMBOLS: dict[EffectName, str] = {
    "hedges_g": "Hedges g",
    "rank_biserial": "r",
    "eta2": "\N{GREEK SMALL LETTER ETA}\N{SUPERSCRIPT TWO}",
    "omega2": "\N{GREEK SMALL LETTER OMEGA}\N{SUPERSCRIPT TWO}",
    "epsilon2": "\N{GREEK SMALL LETTER EPSILON}\N{SUPERSCRIPT TWO}",
}


def test_name(kind: TestKind) -> str:
    """Return the name of a test for a person."""
    return {
        "welch_t": _("Welch's t test"),
        "pooled_t": _("Student's t test"),
        "paired_t": _("Paired t test"),
        "mann_whitney": "Mann-Whitney",
        "anova": _("Analysis of variance (one factor)"),
        "welch_anova": _("Welch's analysis of variance"),
        "kruskal_wallis": "Kruskal-Wallis",
        "levene": _("Levene's test of spreads (Brown-Forsythe)"),
    }[kind]


def pairs_name(method: PairMethod) -> str:
    """Return the name of a comparison of pairs."""
    return {"tukey": "Tukey", "games_howell": "Games-Howell", "dunn": "Dunn, Holm"}[method]


@dataclass(frozen=True, slots=True)
class Effect:
    """Size of a difference, without a unit, and in a word."""

    name: EffectName
    value: float

    @property
    def size(self) -> Size:
        """The size in a word, by Cohen's bounds."""
        small, medium, large = _SMALL_MEDIUM_LARGE[self.name]
        value = abs(self.value)
        if value < small:
            return "negligible"
        if value < medium:
            return "small"
        return "medium" if value < large else "large"

    @property
    def symbol(self) -> str:
        """The effect's name as the field writes it."""
        return _SYMBOLS[self.name]

    @property
    def words(self) -> str:
        """The size for a person."""
        return {
            "negligible": _("a negligible effect"),
            "small": _("a small effect"),
            "medium": _("a medium effect"),
            "large": _("a large effect"),
        }[self.size]


@dataclass(frozen=True, slots=True, eq=False)
class GroupTest:
    """The answer of one test of whether groups differ.

    `difference` is the first group less the second, of two, in the data's unit (of medians for a
    test of ranks, without limits: NaN). `missable` is the difference of two means that would have
    been seen in 80 % of such samples, for tests of ranks how often one value must be above one of
    the other group, for spreads the ratio of two deviations. `effects` begins with the one that
    `conclusion` speaks of. `reason` says why this test was taken where it was chosen
    (`compare_groups`). `pairs` are those of more than two.
    """

    kind: TestKind
    statistic: float
    df: tuple[float, ...]
    p: float
    effects: tuple[Effect, ...]
    samples: Samples
    missable: float
    difference: Interval | None = None
    pairs: Pairs | None = None
    conclusion: str = ""
    reason: str = ""
    doubts: tuple[Doubt, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether a difference is shown, at 5 %."""
        return self.p < ALPHA


def two_means_conclusion(found: GroupTest) -> str:
    """Say which of two means is higher and by how much, or what could have been missed."""
    one, two = found.samples.groups
    assert found.difference is not None
    gap = found.difference
    scale = gap.high - gap.low
    if not found.is_shown:
        text = _(
            "No difference between {one} and {two} is shown ({p}), but one of up to about {size}"
            " between the means could have been missed."
        )
        return text.format(
            one=one.name, two=two.name, p=p_text(found.p), size=figured(found.missable, scale)
        )
    if gap.estimate < 0:
        one, two = two, one
    ends = sorted((abs(gap.low), abs(gap.high)))
    text = _(
        "{high} is higher than {low}, by {gap} on average ({confidence} confidence: {least} to"
        " {most}; {p}), {effect}."
    )
    return text.format(
        high=one.name,
        low=two.name,
        gap=figured(abs(gap.estimate), scale),
        confidence=percent(1 - ALPHA),
        least=figured(ends[0], scale),
        most=figured(ends[1], scale),
        p=p_text(found.p),
        effect=found.effects[0].words,
    )


def two_ranked_conclusion(found: GroupTest) -> str:
    """Say which of two groups is higher and how often, or what could have been missed."""
    one, two = found.samples.groups
    if not found.is_shown:
        text = _(
            "No difference between {one} and {two} is shown ({p}), but one group being above the"
            " other in up to {share} of comparisons could have been missed."
        )
        share = percent(found.missable, digits=0)
        return text.format(one=one.name, two=two.name, p=p_text(found.p), share=share)
    effect = found.effects[0]
    if effect.value < 0:
        one, two = two, one
    scale = max(group.upper_quartile - group.lower_quartile for group in (one, two))
    text = _(
        "{high} is higher than {low}: a value of it is above one of the other in {share} of"
        " comparisons (medians {first} and {second}; {p}), {effect}."
    )
    return text.format(
        high=one.name,
        low=two.name,
        share=percent((1 + abs(effect.value)) / 2, digits=0),
        first=figured(one.median, scale),
        second=figured(two.median, scale),
        p=p_text(found.p),
        effect=effect.words,
    )


def spreads_conclusion(found: GroupTest) -> str:
    """Say which groups scatter most and least, or that nothing shows that they differ."""
    groups = sorted(found.samples.groups, key=lambda group: group.deviation)
    if not found.is_shown:
        text = _(
            "No difference between the spreads of the {count} groups is shown ({p}), but a group"
            " scattering up to about {times} times as much as another could have been missed."
        )
        times = number(found.missable, digits=1)
        return text.format(count=number(len(groups)), p=p_text(found.p), times=times)
    low, high = groups[0], groups[-1]
    text = _(
        "The spreads differ ({p}), {effect}: {high} scatters most (standard deviation {most}),"
        " {low} least ({least}). Look for what {low} does differently."
    )
    return text.format(
        p=p_text(found.p),
        effect=found.effects[0].words,
        high=high.name,
        low=low.name,
        most=figured(high.deviation, high.deviation),
        least=figured(low.deviation, high.deviation),
    )


def several_conclusion(found: GroupTest) -> str:
    """Say which groups lie farthest apart, or what could have been missed."""
    is_ranked = found.kind == "kruskal_wallis"
    groups = found.samples.groups
    if not found.is_shown:
        if is_ranked:
            text = _(
                "No difference between the {count} groups is shown ({p}), but one group being above"
                " another in up to {size} of comparisons could have been missed."
            )
            size = percent(found.missable, digits=0)
        else:
            text = _(
                "No difference between the {count} groups is shown ({p}), but one of up to about"
                " {size} between two means could have been missed."
            )
            size = figured(found.missable, math.sqrt(found.samples.variance_within))
        return text.format(count=number(len(groups)), p=p_text(found.p), size=size)
    shown = found.pairs.shown if found.pairs is not None else ()
    effect = found.effects[0].words
    if not shown:
        text = _(
            "The {count} groups are not all alike ({p}), {effect}, but no two of them can be told"
            " apart for certain: collect more values before acting on a single one."
        )
        return text.format(count=number(len(groups)), p=p_text(found.p), effect=effect)
    if is_ranked and not any(pair.difference for pair in shown):
        text = _(
            "The groups differ in their ranks ({p}), {effect}, but not in their medians: look at"
            " the plot before acting."
        )
        return text.format(p=p_text(found.p), effect=effect)
    # Else the pair that lies farthest apart, named from high to low.
    widest = max(shown, key=lambda pair: (abs(pair.difference), -pair.p))
    high, low = widest.second, widest.first
    if widest.difference < 0:
        high, low = low, high
    by_name = {group.name: group for group in groups}
    assert found.pairs is not None
    scale = math.sqrt(found.samples.variance_within)
    if is_ranked:
        scale = float(np.median([each.upper_quartile - each.lower_quartile for each in groups]))
    scale = scale or abs(widest.difference)
    text = (
        _(
            "The groups differ ({p}), {effect}: {high} is higher than {low} by {gap} (medians"
            " {first} and {second}), and {shown} of {pairs} pairs differ."
        )
        if is_ranked
        else _(
            "The groups differ ({p}), {effect}: {high} is higher than {low} by {gap} on average"
            " (means {first} and {second}), and {shown} of {pairs} pairs differ."
        )
    )
    centres = [
        group.median if is_ranked else group.mean.estimate
        for group in (by_name[high], by_name[low])
    ]
    return text.format(
        p=p_text(found.p),
        effect=effect,
        high=high,
        low=low,
        gap=figured(abs(widest.difference), scale),
        first=figured(centres[0], scale),
        second=figured(centres[1], scale),
        shown=number(len(shown)),
        pairs=number(len(found.pairs.pairs)),
    )
