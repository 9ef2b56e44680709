"""Tests of counts: chi-square and Fisher on a table, and shares of two or more groups compared.

Sources: Pearson (1900), without continuity correction; adjusted residuals after Haberman (1973);
Cramér's V; Fisher's exact test; Cochran (1954) on when expected counts are too few; Agresti,
Categorical Data Analysis. Every unit is taken to be counted once, independently of the others.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, gammaln, ndtr, ndtri

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.event_rates import (
    Interval,
    check_parts,
    cohens_h,
    wilson_interval,
)
from qhub_desktop.quality.exact_counts import hypergeometric_p, whole_counts
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.missable import missable_relation, missable_share
from qhub_desktop.quality.normality import ALPHA, p_text

LEAST_EXPECTED = 5
_MOST_CELLS_BELOW = 0.2  # Cochran: the share of cells whose expected count may be below five
_MOST_STEPS = 150_000  # ways to fill columns, about two seconds
_MOST_AT_ONCE = 1_000_000  # ways to fill the last two columns of one state
_MOST_ENDS = 30_000_000  # ... and of all states, about two seconds
_SAME = 1e-7  # the relative rounding of a table's probability


@dataclass(frozen=True, slots=True)
class ChiSquareTest:
    """The chi-square test of independence of a table of counts, and where it departs.

    The arrays have the shape of `observed`. `effect` is Cramér's V (0 to 1). `strongest` is the
    cell (row, column) with the largest adjusted residual, by size. `alternative` names the test
    that fits better where expected counts are too few.
    """

    observed: Floats
    statistic: float
    degrees: int
    p: float
    is_significant: bool
    expected: Floats
    pearson_residuals: Floats
    adjusted_residuals: Floats
    effect: float
    expected_below_5: int
    strongest: tuple[int, int]
    alternative: str | None
    conclusion: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class FisherTest:
    """Fisher's exact test, two-sided. `odds_ratio` is ad/bc of a 2 x 2 table, None for larger."""

    observed: Floats
    p: float
    is_significant: bool
    odds_ratio: float | None
    effect: float
    conclusion: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class ProportionComparison:
    """Shares (of one) of two or more groups, with Wilson's interval of each.

    `method` is what `p` comes from: "z", "chi_square" or "fisher". `statistic` is chi-square. For
    two groups, `difference` is the first share less the second, with Wald's interval, and `z` its
    score; `fisher_p` is exact. `effect` is Cohen's h for two groups, Cramér's V for more.
    `standing_out` are the groups whose share departs from the whole, after Bonferroni.
    """

    method: str
    labels: tuple[str, ...]
    shares: tuple[float, ...]
    intervals: tuple[Interval, ...]
    overall: float
    statistic: float
    degrees: int
    p: float
    is_significant: bool
    z: float | None
    difference: float | None
    difference_interval: Interval | None
    fisher_p: float | None
    effect: float
    standing_out: tuple[int, ...]
    conclusion: str
    doubts: tuple[Doubt, ...]


def chi_square(
    table: ArrayLike,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    alpha: float = ALPHA,
) -> ChiSquareTest:
    """Test whether the rows and columns of a table of counts are independent.

    Raises NotComputableError ("bad_counts", "table", "empty_group", "lengths").
    """
    observed = _table(table)
    for given, needed in zip((rows, columns), observed.shape, strict=True):
        _check_names(given, needed)
    total = observed.sum()
    across, down = observed.sum(axis=1, keepdims=True), observed.sum(axis=0, keepdims=True)
    expected = across * down / total
    pearson = (observed - expected) / np.sqrt(expected)
    adjusted = pearson / np.sqrt((1 - across / total) * (1 - down / total))
    statistic = float((pearson**2).sum())
    degrees = (observed.shape[0] - 1) * (observed.shape[1] - 1)
    p = float(chdtrc(degrees, statistic))
    effect = math.sqrt(statistic / total / (min(observed.shape) - 1))
    row, column = divmod(int(np.argmax(np.abs(adjusted))), observed.shape[1])
    doubts, alternative = _few_expected(expected, total)
    names = (_name(rows, row, _("row {n}")), _name(columns, column, _("column {n}")))
    return ChiSquareTest(
        observed=observed,
        statistic=statistic,
        degrees=degrees,
        p=p,
        is_significant=p < alpha,
        expected=expected,
        pearson_residuals=pearson,
        adjusted_residuals=adjusted,
        effect=effect,
        expected_below_5=int((expected < LEAST_EXPECTED).sum()),
        strongest=(row, column),
        alternative=alternative,
        conclusion=_table_words(names, observed[row, column], expected[row, column], p, effect)
        if p < alpha
        else _no_relation(observed, p),
        doubts=doubts,
    )


def fisher(table: ArrayLike, *, alpha: float = ALPHA) -> FisherTest:
    """Test independence exactly, however few the counts.

    Tables above 2 x 2 are gone through while they are few enough. Raises NotComputableError
    ("bad_counts", "table", "empty_group", and "too_many_tables" with the test to take instead).
    """
    observed = _table(table)
    if observed.shape == (2, 2):
        (a, b), (c, d) = observed.tolist()
        odds = a * d / (b * c) if b * c else math.inf
        p = hypergeometric_p(observed)
    else:
        odds, p = None, _exact_p(observed)
    asymptotic = chi_square(observed)
    text = _(
        "Rows and columns are related, more than chance explains ({p}, {size}): look for the cause"
        " where the counts depart most."
    ).format(p=p_text(p), size=_size_word(asymptotic.effect))
    return FisherTest(
        observed=observed,
        p=p,
        is_significant=p < alpha,
        odds_ratio=odds,
        effect=asymptotic.effect,
        conclusion=text if p < alpha else _no_relation(observed, p),
        doubts=_few_in_all(observed.sum()),
    )


def compare_proportions(
    successes: Sequence[int],
    totals: Sequence[int],
    *,
    labels: Sequence[str] | None = None,
    alpha: float = ALPHA,
    confidence: float = 0.95,
    method: str | None = None,
) -> ProportionComparison:
    """Compare the shares of two or more groups, by the test that fits the counts.

    Without `method` ("z" for two groups, "chi_square", "fisher"): Fisher where expected counts are
    too few, else z or chi-square. Raises NotComputableError ("bad_counts", "lengths", "two_groups",
    "no_denominator", "more_than_units", "no_variation", "too_many_tables").
    """
    good, made = _groups(successes, totals)
    table = np.column_stack([good, made - good])
    test = chi_square(table)
    pair = len(good) == 2
    _check_names(labels, len(good))
    names = tuple(_name(labels, place, _("group {n}")) for place in range(len(good)))
    doubts, fisher_p = test.doubts, hypergeometric_p(table) if pair else None
    chosen = method or ("fisher" if test.alternative else "z" if pair else "chi_square")
    p = test.p
    if chosen == "fisher":
        try:
            p = fisher(table).p if fisher_p is None else fisher_p
            doubts = _few_in_all(made.sum())
        except NotComputableError:
            if method:
                raise
            chosen = "chi_square"
    shares = good / made
    overall = float(good.sum() / made.sum())
    z = difference = reach = None
    if pair:
        difference = float(shares[0] - shares[1])
        error = math.sqrt(overall * (1 - overall) * float((1 / made).sum()))
        z = difference / error
        spread = math.sqrt(float((shares * (1 - shares) / made).sum()))
        reach = float(ndtri(0.5 + confidence / 2)) * spread
    # Each group against the whole: the residual of its first column, on as many looks as groups.
    apart = 2 * ndtr(-np.abs(test.adjusted_residuals[:, 0])) < alpha / len(good)
    standing = tuple(np.flatnonzero(apart).tolist()) if p < alpha else ()
    return ProportionComparison(
        method=chosen,
        labels=names,
        shares=tuple(shares.tolist()),
        intervals=tuple(
            wilson_interval(count, total, confidence)
            for count, total in zip(good.tolist(), made.tolist(), strict=True)
        ),
        overall=overall,
        statistic=test.statistic,
        degrees=test.degrees,
        p=p,
        is_significant=p < alpha,
        z=z,
        difference=difference,
        difference_interval=None
        if difference is None or reach is None
        else (difference - reach, difference + reach),
        fisher_p=fisher_p,
        effect=cohens_h(float(shares[0]), float(shares[1])) if pair else test.effect,
        standing_out=standing,
        conclusion=_shares_words(names, shares, overall, p, test, significant=p < alpha),
        doubts=doubts,
    )


def _table(table: ArrayLike) -> Floats:
    """Return a table of counts that can be tested, or say why it cannot."""
    try:
        observed = whole_counts(table)
    except ValueError:
        observed = np.zeros(0)
    if observed.ndim != 2 or min(observed.shape) < 2:
        raise NotComputableError(
            "table",
            _("This test needs a table of counts with two rows and two columns at least."),
        )
    if not (observed.sum(axis=0).all() and observed.sum(axis=1).all()):
        raise NotComputableError(
            "empty_group",
            _("A row or column of the table has no count at all. Leave it out and try again."),
        )
    return observed


def _groups(successes: Sequence[int], totals: Sequence[int]) -> tuple[Floats, Floats]:
    if len(successes) != len(totals):
        raise NotComputableError(
            "lengths",
            _("Each group needs its count and its total. Fill the missing cells and try again."),
        )
    if len(successes) < 2:
        raise NotComputableError(
            "two_groups",
            _("A comparison needs two groups at least. Choose a column with more values."),
        )
    good, made = whole_counts(successes), whole_counts(totals)
    check_parts(good.tolist(), made.tolist())
    if good.sum() in {0, made.sum()}:
        raise NotComputableError(
            "no_variation",
            _(
                "All groups have the same share, none or all of their units: there is no difference"
                " to test. Choose a longer period."
            ),
        )
    return good, made


def _check_names(names: Sequence[str] | None, needed: int) -> None:
    if names is not None and len(names) != needed:
        raise NotComputableError(
            "lengths", _("The table and the names of its rows and columns do not fit each other.")
        )


def _name(names: Sequence[str] | None, place: int, pattern: str) -> str:
    return names[place] if names is not None else pattern.format(n=number(place + 1))


def _few_expected(expected: Floats, total: float) -> tuple[tuple[Doubt, ...], str | None]:
    below = int((expected < LEAST_EXPECTED).sum())
    two_by_two = expected.shape == (2, 2)
    limit = 0 if two_by_two else _MOST_CELLS_BELOW * expected.size
    if below <= limit and expected.min() >= 1:
        return _few_in_all(total), None
    text = _(
        "{below} of {cells} expected counts are below 5: chi-square is only a rough guide. Use"
        " Fisher's exact test, or join small groups."
    )
    doubt = Doubt("few_expected", text.format(below=number(below), cells=number(expected.size)))
    return (doubt, *_few_in_all(total)), "fisher"


def _few_in_all(total: float) -> tuple[Doubt, ...]:
    least = 20
    if total >= least:
        return ()
    text = _("Only {n} units in all: a real difference may not show. Collect more.")
    return (Doubt("few", text.format(n=number(total))),)


def _size_word(effect: float) -> str:
    """Name the size of Cramér's V, or of Cohen's w, as Cohen does."""
    if effect < 0.1:
        return _("very small effect")
    if effect < 0.3:
        return _("small effect")
    return _("medium effect") if effect < 0.5 else _("large effect")


def _no_relation(observed: Floats, p: float) -> str:
    sides = observed.shape
    missed = missable_relation(float(observed.sum()), (sides[0] - 1) * (sides[1] - 1), min(sides))
    text = _(
        "No relation between rows and columns is shown ({p}), but one of up to about V = {size}"
        " ({word}) could have been missed."
    )
    return text.format(p=p_text(p), size=number(missed, digits=2), word=_size_word(missed))


def _table_words(names: tuple[str, str], seen: float, due: float, p: float, effect: float) -> str:
    return _(
        "Rows and columns are related, more than chance explains ({p}, {size}): look first"
        " at {row} with {column}, {seen} against {due} expected."
    ).format(
        p=p_text(p),
        size=_size_word(effect),
        row=names[0],
        column=names[1],
        seen=number(seen),
        due=number(due, digits=1),
    )


def _shares_words(
    names: Sequence[str],
    shares: Floats,
    overall: float,
    p: float,
    test: ChiSquareTest,
    *,
    significant: bool,
) -> str:
    if not significant:
        count = len(names)
        missed = missable_share(overall, test.observed.sum(axis=1), count * (count - 1) // 2)
        text = _(
            "No difference between the shares of the {count} groups is shown ({p}), but one of up"
            " to about {size} percentage points between two of them could have been missed."
        )
        size = number(100 * missed, digits=1 if missed < 0.1 else 0)
        return text.format(count=number(count), p=p_text(p), size=size)
    if len(names) == 2:
        more, less = (0, 1) if shares[0] > shares[1] else (1, 0)
        return _(
            "{more} has {high} and {less} has {low}, more apart than chance explains ({p}): look"
            " for what differs between the two."
        ).format(
            more=names[more],
            less=names[less],
            high=percent(float(shares[more])),
            low=percent(float(shares[less])),
            p=p_text(p),
        )
    place = int(np.argmax(np.abs(test.adjusted_residuals[:, 0])))
    return _(
        "The groups differ more than chance explains ({p}): look first at {group}, with {share}"
        " against {overall} in all."
    ).format(
        p=p_text(p),
        group=names[place],
        share=percent(float(shares[place])),
        overall=percent(overall),
    )


def _exact_p(observed: Floats) -> float:
    """Add up the probabilities of the tables of the same margins that are no likelier.

    Columns are filled one after another, the smallest first; ways to a state (what is left of each
    row) that are equally likely count as one. The last two columns are gone through at once.
    """
    counts = min((observed, observed.T), key=_effort)
    *first, last, _rest = sorted(int(value) for value in counts.sum(axis=0))
    rows = tuple(sorted(int(value) for value in counts.sum(axis=1)))
    limit = -float(gammaln(counts + 1).sum()) + _SAME
    whole = float(gammaln(counts.sum() + 1) - gammaln(counts.sum(axis=0) + 1).sum())
    whole -= float(gammaln(counts.sum(axis=1) + 1).sum())
    states: dict[tuple[int, ...], dict[float, float]] = {rows: {0.0: 1.0}}
    steps = 0
    for column in first:
        following: dict[tuple[int, ...], dict[float, float]] = {}
        for left, pasts in states.items():
            for taken in _ways_to_fill(left, column):
                steps += len(pasts)
                if steps > _MOST_STEPS:
                    raise _too_many()
                here = -sum(math.lgamma(value + 1) for value in taken)
                after = tuple(sorted(a - b for a, b in zip(left, taken, strict=True)))
                kept = following.setdefault(after, {})
                for past, ways in pasts.items():
                    key = round(past + here, 9)
                    kept[key] = kept.get(key, 0.0) + ways
        states = following
    ends = math.prod(min(n, last) + 1 for n in rows[:-1])
    if ends > _MOST_AT_ONCE or len(states) * ends > _MOST_ENDS:
        raise _too_many()
    return min(1.0, sum(_ended(left, pasts, last, limit, whole) for left, pasts in states.items()))


def _effort(counts: Floats) -> int:
    """Return about how many ways there are to fill the columns of a table one after another."""
    *first, last, _rest = sorted(int(value) for value in counts.sum(axis=0))
    free = len(counts) - 1
    ends = math.prod(min(int(n), last) + 1 for n in sorted(counts.sum(axis=1))[:-1])
    return ends * math.prod(math.comb(column + free, free) for column in first)


def _ways_to_fill(left: tuple[int, ...], column: int) -> Iterator[tuple[int, ...]]:
    """Return how a column's count may be shared among what is left of the rows."""
    if len(left) == 1:
        yield (column,)
        return
    rest = sum(left[1:])
    for first in range(max(0, column - rest), min(left[0], column) + 1):
        for others in _ways_to_fill(left[1:], column - first):
            yield (first, *others)


def _ended(
    left: tuple[int, ...], pasts: Mapping[float, float], column: int, limit: float, whole: float
) -> float:
    """Add up the tables that end from a state with two columns to fill, and are no likelier."""
    grid = np.indices([min(n, column) + 1 for n in left[:-1]]).reshape(len(left) - 1, -1)
    taken = np.vstack([grid, column - grid.sum(axis=0)])
    taken = taken[:, (taken[-1] >= 0) & (taken[-1] <= left[-1])]
    other = np.array(left)[:, np.newaxis] - taken
    ends = np.sort(-gammaln(taken + 1).sum(axis=0) - gammaln(other + 1).sum(axis=0))
    chances = np.concatenate([[0.0], np.cumsum(np.exp(ends - ends[-1]))])
    before, ways = np.array(list(pasts)), np.array(list(pasts.values()))
    no_likelier = chances[np.searchsorted(ends, limit - before, side="right")]
    return float((ways * np.exp(before + ends[-1] - whole) * no_likelier).sum())


def _too_many() -> NotComputableError:
    return NotComputableError(
        "too_many_tables",
        _(
            "Fisher's exact test has too many tables to go through here. Use chi-square, or join"
            " small groups."
        ),
    )
