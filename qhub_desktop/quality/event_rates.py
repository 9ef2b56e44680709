"""One share or rate with its intervals, and two rates of events compared.

Sources: Clopper and Pearson (1934), Wilson (1927), Garwood (1936); two rates by the exact
conditional binomial test (Przyborowski and Wilenski, 1940), as R's `poisson.test`.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.exact_counts import (
    binomial_interval,
    binomial_p,
    poisson_interval,
    whole_counts,
)
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.missable import missable_ratio, missable_reach
from qhub_desktop.quality.normality import ALPHA, p_text

_FEW = 30
_FEW_EVENTS = 10

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """One share (of one) with two intervals, and the exact p against a reference, if one is given.

    `exact` is Clopper and Pearson's interval, never too narrow; `wilson` is nearer to what it says.
    `effect` is Cohen's h against the reference.
    """

    count: int
    total: int
    share: float
    exact: Interval
    wilson: Interval
    confidence: float
    reference: float | None
    p: float | None
    effect: float | None
    conclusion: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """Events per unit of exposure (time, area, parts) with the exact Poisson interval."""

    count: int
    exposure: float
    rate: float
    interval: Interval
    confidence: float
    conclusion: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class RateComparison:
    """Two rates: the first over the second with its exact interval, and the exact p.

    The ratio is infinite where the second had no event.
    """

    rates: tuple[float, float]
    ratio: float
    interval: Interval
    p: float
    is_significant: bool
    confidence: float
    conclusion: str
    doubts: tuple[Doubt, ...]


def estimate_share(
    count: int, total: int, reference: float | None = None, *, confidence: float = 0.95
) -> ShareEstimate:
    """Estimate a share from `count` of `total`, and test it against a `reference` (0 to 1).

    Raises NotComputableError ("bad_counts", "no_denominator", "more_than_units", "reference").
    """
    seen, made = (int(value) for value in whole_counts([count, total]))
    check_parts([seen], [made])
    if reference is not None and not 0 < reference < 1:
        raise NotComputableError(
            "reference", _("The reference of a share stands between 0 and 1 (0 and 100 %).")
        )
    share = seen / made
    exact = binomial_interval(seen, made, confidence)
    p = None if reference is None else binomial_p(seen, made, reference)
    return ShareEstimate(
        count=seen,
        total=made,
        share=share,
        exact=exact,
        wilson=wilson_interval(seen, made, confidence),
        confidence=confidence,
        reference=reference,
        p=p,
        effect=None if reference is None else cohens_h(share, reference),
        conclusion=_share_words(share, exact, confidence, reference, p, made),
        doubts=_few_units(made, seen),
    )


def wilson_interval(count: float, total: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share (of one), without continuity correction."""
    z = float(ndtri(0.5 + confidence / 2))
    share, grown = count / total, 1 + z * z / total
    middle = (share + z * z / (2 * total)) / grown
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / grown
    return max(0.0, middle - reach), min(1.0, middle + reach)


def cohens_h(share: float, other: float) -> float:
    """Return Cohen's h: the distance of two shares where 0.2 is small, 0.5 medium, 0.8 large."""
    return 2 * math.asin(math.sqrt(share)) - 2 * math.asin(math.sqrt(other))


def estimate_rate(count: int, exposure: float, *, confidence: float = 0.95) -> RateEstimate:
    """Estimate a rate of events from their `count` in an `exposure`, in its unit.

    Raises NotComputableError ("bad_counts", "no_denominator").
    """
    (seen,) = (int(value) for value in whole_counts([count]))
    _check_exposures([exposure])
    low, high = (end / exposure for end in poisson_interval(seen, confidence))
    text = _("The rate is {rate} per unit; it plausibly lies between {low} and {high} ({c}).")
    return RateEstimate(
        count=seen,
        exposure=exposure,
        rate=seen / exposure,
        interval=(low, high),
        confidence=confidence,
        conclusion=text.format(
            rate=number(seen / exposure),
            low=number(low),
            high=number(high),
            c=percent(confidence),
        ),
        doubts=_few_events(seen),
    )


def compare_rates(
    counts: Sequence[int],
    exposures: Sequence[float],
    *,
    labels: Sequence[str] | None = None,
    alpha: float = ALPHA,
    confidence: float = 0.95,
) -> RateComparison:
    """Compare two rates of events, each from its count and its exposure, in the same unit.

    Raises NotComputableError ("bad_counts", "two_groups", "no_denominator", "no_events").
    """
    if not len(counts) == len(exposures) == len(labels or counts) == 2:
        raise NotComputableError(
            "two_groups", _("Two rates are compared: give two counts and two exposures.")
        )
    one, other = (int(value) for value in whole_counts(counts))
    _check_exposures(exposures)
    if one + other == 0:
        raise NotComputableError(
            "no_events",
            _("Neither of the two had an event: there is nothing to compare. Watch for longer."),
        )
    first, second = exposures
    p = binomial_p(one, one + other, first / (first + second))
    low, high = (
        math.inf if share == 1 else share / (1 - share) * second / first
        for share in binomial_interval(one, one + other, confidence)
    )
    rates = (one / first, other / second)
    ratio = rates[0] / rates[1] if other else math.inf
    names = tuple(labels) if labels else (_("the first"), _("the second"))
    return RateComparison(
        rates=rates,
        ratio=ratio,
        interval=(low, high),
        p=p,
        is_significant=p < alpha,
        confidence=confidence,
        conclusion=_rates_words(names, rates, p)
        if p < alpha
        else _no_difference(names, p, (one + other) / sum(exposures), exposures),
        doubts=_few_events(one + other),
    )


def check_parts(counts: Sequence[float], totals: Sequence[float]) -> None:
    """Refuse shares whose totals are not there, or are smaller than their counts."""
    if any(not math.isfinite(total) or total <= 0 for total in totals):
        raise NotComputableError(
            "no_denominator",
            _("A share needs how many units were inspected or made. Give the volume."),
        )
    if any(count > total for count, total in zip(counts, totals, strict=True)):
        raise NotComputableError(
            "more_than_units",
            _("There are more defective units than units made. Check the production volume."),
        )


def _check_exposures(exposures: Sequence[float]) -> None:
    if any(not math.isfinite(exposure) or exposure <= 0 for exposure in exposures):
        raise NotComputableError(
            "no_denominator",
            _("A rate needs how long, or over how many units, events were counted. Give it."),
        )


def _share_words(
    share: float,
    interval: Interval,
    confidence: float,
    reference: float | None,
    p: float | None,
    total: int,
) -> str:
    low, high = (percent(end) for end in interval)
    words = {"share": percent(share), "low": low, "high": high, "c": percent(confidence)}
    if reference is None or p is None:
        return _("The share is {share}; it plausibly lies between {low} and {high} ({c}).").format(
            **words
        )
    if p >= ALPHA:
        missed = missable_reach() * math.sqrt(reference * (1 - reference) / total)
        words["missed"] = number(100 * min(missed, 1.0), digits=1 if missed < 0.1 else 0)
        text = _(
            "The share of {share} may well be the {reference} expected ({p}), but a deviation of up"
            " to about {missed} percentage points could have been missed."
        )
    elif share > reference:
        text = _(
            "The share of {share} is above the {reference} expected, more than chance explains"
            " ({p}): look for the cause."
        )
    else:
        text = _(
            "The share of {share} is below the {reference} expected, more than chance explains"
            " ({p}): find what changed."
        )
    return text.format(**words, reference=percent(reference), p=p_text(p))


def _no_difference(names: Sequence[str], p: float, rate: float, exposures: Sequence[float]) -> str:
    times = missable_ratio(rate * np.asarray(exposures, dtype=np.float64))
    text = _(
        "No difference between the rates of {one} and {other} is shown ({p}), but one being up to"
        " about {times} times the other could have been missed."
    )
    return text.format(one=names[0], other=names[1], p=p_text(p), times=number(times, digits=1))


def _rates_words(names: Sequence[str], rates: tuple[float, float], p: float) -> str:
    more, less = (0, 1) if rates[0] > rates[1] else (1, 0)
    words = {"more": names[more], "less": names[less], "p": p_text(p)}
    if rates[less] == 0:
        return _(
            "{more} has events and {less} has none, more than chance explains ({p}): look for the"
            " cause in {more}."
        ).format(**words)
    return _(
        "The rate of {more} is {times} times that of {less}, more than chance explains ({p}): look"
        " for the cause in {more}."
    ).format(**words, times=number(rates[more] / rates[less], digits=1))


def _few_units(total: int, count: int) -> tuple[Doubt, ...]:
    if total < _FEW:
        text = _("Only {n} units were seen: the interval is wide. Collect more before deciding.")
        return (Doubt("few", text.format(n=number(total))),)
    if count == 0:
        text = _(
            "None was seen among {n}: that does not mean zero, the interval says how many there may"
            " still be."
        )
        return (Doubt("none_seen", text.format(n=number(total))),)
    return ()


def _few_events(count: int) -> tuple[Doubt, ...]:
    if count >= _FEW_EVENTS:
        return ()
    text = _("Only {n} events were counted: the interval is wide. Watch for longer.")
    return (Doubt("few", text.format(n=number(count))),)
