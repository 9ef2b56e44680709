"""Attribute agreement: whether operators judge parts alike, and rightly.

Agreement is counted by part, not by reading: a part counts where all its readings agree. Kappa of
Cohen (1960) against the standard, of Fleiss (1971) among operators, each trial a rater. Intervals
of shares are exact (Clopper and Pearson, 1934). Bands as in AIAG, Measurement Systems Analysis, 4th
edition, chapter III C.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats, missing_doubt
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.gauge_study import ordered

GOOD, POOR = 0.75, 0.40  # AIAG: above, good agreement; below, poor
_FEW_ASSESSED_PARTS = 20
_NAMED = 40  # judgements in a sentence
AgreementBand = Literal["good", "fair", "poor"]
Decision = Literal["acceptable", "marginal", "unacceptable"]
# Effectiveness at least, miss rate at most, false alarm rate at most: AIAG, the same chapter.
_BOUNDS: Mapping[Decision, tuple[float, float, float]] = {
    "acceptable": (0.90, 0.02, 0.05),
    "marginal": (0.80, 0.05, 0.10),
}
_MOST_CROSSED = 6  # operators, each with each


@dataclass(frozen=True, slots=True)
class Matches:
    """What matches, of what was inspected; the share is of one, with its exact interval."""

    matched: int
    inspected: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """What matches, of one."""
        return self.matched / self.inspected


@dataclass(frozen=True, slots=True)
class Appraiser:
    """Result of one operator. `within`: their own readings of a part agree (None for one reading).

    `versus` and `cohen` are against the standard, None without one; kappa has no value where
    everything was judged the same and the standard is, too. `misses` are readings of bad parts
    that call them good, `false_alarms` the reverse, of all readings of such parts.
    """

    name: str
    within: Matches | None
    versus: Matches | None
    cohen: float | None
    fleiss_within: float | None
    misses: Matches | None = None
    false_alarms: Matches | None = None

    @property
    def decision(self) -> Decision | None:
        """How effective this operator is by the manual's bounds; None where it is not known."""
        if self.versus is None or self.misses is None or self.false_alarms is None:
            return None
        shares = self.versus.share, self.misses.share, self.false_alarms.share
        for name, (least, most, alarms) in _BOUNDS.items():
            if shares[0] >= least and shares[1] <= most and shares[2] <= alarms:
                return name
        return "unacceptable"


@dataclass(frozen=True, slots=True)
class Crossed:
    """Judgements of an operator crossed with another's, or with the standard ("").

    `counts` are of both categories by both, row by row, `expected` those by chance alone.
    """

    first: str
    second: str
    counts: tuple[int, ...]
    expected: tuple[float, ...]
    kappa: float | None


@dataclass(frozen=True, slots=True)
class AttributeAgreement:
    """Result of a study of agreement.

    `between`: all readings of a part by all operators agree; `all_versus`: and are right.
    `fleiss_between` is over all readings, `fleiss_by_category` for each category. `band` is by the
    lowest kappa known.
    """

    parts: int
    categories: tuple[str, ...]
    appraisers: tuple[Appraiser, ...]
    between: Matches | None
    all_versus: Matches | None
    fleiss_between: float | None
    fleiss_by_category: Mapping[str, float]
    band: AgreementBand | None
    conclusion: str
    doubts: tuple[Doubt, ...]
    bad: str | None = None  # the judgement that misses and false alarms are of
    crossed: tuple[Crossed, ...] = ()  # of two categories


def attribute_agreement(
    results: Sequence[Hashable],
    parts: Sequence[Hashable],
    operators: Sequence[Hashable],
    reference: Sequence[Hashable] | None = None,
    *,
    bad: Hashable = None,
    confidence: float = 0.95,
) -> AttributeAgreement:
    """Compare judgements of parts with each other and with a standard.

    One row a reading, in any order; a missing result (None) is left out. `reference` has the right
    judgement of each row's part, and `bad` says which of two judgements is of bad parts. Raises
    NotComputableError ("too_few_parts", "one_reading", "reference_varies", "no_reference",
    "incomplete").
    """
    rows = _Rows(results, parts, operators, reference)
    names, people = rows.parts, rows.operators
    standard = rows.standard
    appraisers = tuple(_appraiser(rows, person, bad, confidence) for person in people)
    per_part = [
        [result for person in people for result in rows.readings[part, person]] for part in names
    ]
    counts = _category_counts(per_part, rows.categories)
    fleiss = fleiss_kappa(counts)
    several = len(people) > 1
    agreeing = [len(set(each)) == 1 for each in per_part]
    right = [
        standard is not None and same and each[0] == standard[part]
        for part, same, each in zip(names, agreeing, per_part, strict=True)
    ]
    kappas = {each.name: each.cohen for each in appraisers if each.cohen is not None}
    band, conclusion = _verdict(kappas, fleiss)
    doubts = list(missing_doubt(rows.missing, len(rows.results)))
    if len(names) < _FEW_ASSESSED_PARTS:
        text = _("Only {count} parts were judged; {least} or more, half of them bad, are usual.")
        values = {"count": number(len(names)), "least": number(_FEW_ASSESSED_PARTS)}
        doubts.append(Doubt("few_parts", text.format(**values)))
    if len({len(each) for each in per_part}) > 1:
        text = _(
            "Not every part was judged equally often, so kappa among operators is approximate."
        )
        doubts.append(Doubt("unbalanced", text))
    if unfit := [each.name for each in appraisers if each.decision == "unacceptable"]:
        text = _(
            "By the manual's bounds of effectiveness, misses and false alarms these are not"
            " acceptable, whatever kappa says: {names}."
        )
        doubts.append(Doubt("effectiveness", text.format(names=", ".join(unfit[:_NAMED]))))
    if len(rows.categories) == 1:
        text = _("All judgements are the same, so kappa has no value. Include good and bad parts.")
        doubts.append(Doubt("one_category", text))
    return AttributeAgreement(
        parts=len(names),
        categories=tuple(map(str, rows.categories)),
        appraisers=appraisers,
        between=_matches(agreeing, confidence) if several else None,
        all_versus=None if standard is None else _matches(right, confidence),
        fleiss_between=fleiss,
        fleiss_by_category={
            str(category): kappa
            for at, category in enumerate(rows.categories)
            if (kappa := _category_kappa(counts, at)) is not None
        },
        band=band,
        conclusion=conclusion,
        doubts=tuple(doubts),
        bad=None if bad is None else str(bad),
        crossed=_crossed(rows),
    )


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two judgements of the same things; None where chance explains all."""
    count = len(one)
    observed = sum(first == second for first, second in zip(one, other, strict=True)) / count
    firsts, seconds = Counter(one), Counter(other)
    expected = sum(firsts[each] * seconds[each] for each in firsts) / count**2
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def fleiss_kappa(counts: Floats) -> float | None:
    """Return Fleiss' kappa of a table of parts by categories, with the counts of judgements.

    A part judged once says nothing of agreement and is left out; None where chance explains all.
    """
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts):
        return None
    raters = counts.sum(axis=1)
    agreement = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    expected = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return None if expected >= 1 else (float(agreement.mean()) - expected) / (1 - expected)


class _Rows:
    """The readings by part and operator, checked."""

    def __init__(
        self,
        results: Sequence[Hashable],
        parts: Sequence[Hashable],
        operators: Sequence[Hashable],
        reference: Sequence[Hashable] | None,
    ) -> None:
        there = [at for at, result in enumerate(results) if result is not None]
        self.missing = len(results) - len(there)
        self.results = [results[at] for at in there]
        self.parts = ordered([parts[at] for at in there])
        self.operators = ordered([operators[at] for at in there])
        self.readings: dict[tuple[Hashable, Hashable], list[Hashable]] = {}
        for at in there:
            self.readings.setdefault((parts[at], operators[at]), []).append(results[at])
        if len(self.parts) < 2:
            raise NotComputableError(
                "too_few_parts",
                _("Attribute agreement needs at least two parts, better 20 to 50, good and bad."),
            )
        self.standard = None if reference is None else _standard(parts, reference, there)
        if len(self.readings) < len(self.parts) * len(self.operators):
            absent = [
                (part, person)
                for part in self.parts
                for person in self.operators
                if (part, person) not in self.readings
            ]
            raise NotComputableError("incomplete", _missing(absent))
        if (
            self.standard is None
            and len(self.operators) == 1
            and all(len(each) == 1 for each in self.readings.values())
        ):
            raise NotComputableError(
                "one_reading",
                _(
                    "Each part was judged once by one operator, and there is no standard: there is"
                    " nothing to agree with. Judge again, or name the column of the standard."
                ),
            )
        known = [] if self.standard is None else list(self.standard.values())
        self.categories = ordered([*self.results, *known])


def _missing(absent: Sequence[tuple[Hashable, Hashable]]) -> str:
    """Tell which parts were not judged by whom."""
    if len(absent) == 1:
        return _(
            "Operator {operator} did not judge part {part}. Complete the judgements, or leave"
            " that part out for everybody."
        ).format(operator=absent[0][1], part=absent[0][0])
    named = [f"{part} ({person})" for part, person in absent[:_NAMED]]
    more = ["…"] if len(absent) > _NAMED else []
    return _(
        "{count} judgements are missing, each a part and its operator: {names}. Complete them, or"
        " leave those parts out for everybody."
    ).format(count=number(len(absent), digits=0), names=", ".join(named + more))


def _standard(
    parts: Sequence[Hashable], reference: Sequence[Hashable], there: Sequence[int]
) -> dict[Hashable, Hashable]:
    standard: dict[Hashable, Hashable] = {}
    for at in there:
        if reference[at] is None:
            text = _("Part {part} has no standard. Give one for every part.")
            raise NotComputableError("no_reference", text.format(part=parts[at]))
        if standard.setdefault(parts[at], reference[at]) != reference[at]:
            text = _("Part {part} has two different standards. Correct the column of the standard.")
            raise NotComputableError("reference_varies", text.format(part=parts[at]))
    return standard


def _crossed(rows: _Rows) -> tuple[Crossed, ...]:
    """Cross the judgements of each two operators, trial by trial, and of each with the standard."""
    people = rows.operators
    if len(rows.categories) != 2 or len(people) > _MOST_CROSSED:
        return ()
    found = []
    for at, one in enumerate(people):
        for other in people[at + 1 :]:
            pairs = [
                pair
                for part in rows.parts
                for pair in zip(rows.readings[part, one], rows.readings[part, other], strict=False)
            ]
            found.append(_cross(str(one), str(other), pairs, rows.categories))
    standard = rows.standard
    if standard is not None:
        for one in people:
            pairs = [
                (each, standard[part]) for part in rows.parts for each in rows.readings[part, one]
            ]
            found.append(_cross(str(one), "", pairs, rows.categories))
    return tuple(found)


def _cross(
    first: str,
    second: str,
    pairs: Sequence[tuple[Hashable, Hashable]],
    categories: Sequence[Hashable],
) -> Crossed:
    counted = Counter(pairs)
    counts = np.array([[counted[one, other] for other in categories] for one in categories])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)
    kappa = cohen_kappa([one for one, _other in pairs], [other for _one, other in pairs])
    flat = tuple(map(int, counts.ravel().tolist()))
    return Crossed(first, second, flat, tuple(expected.ravel().tolist()), kappa)


def _appraiser(rows: _Rows, person: Hashable, bad: Hashable, confidence: float) -> Appraiser:
    readings = [rows.readings[part, person] for part in rows.parts]
    repeats = any(len(each) > 1 for each in readings)
    same = [len(set(each)) == 1 for each in readings]
    versus = cohen = misses = alarms = None
    if rows.standard is not None:
        known = [rows.standard[part] for part in rows.parts]
        right = [
            one and each[0] == answer
            for one, each, answer in zip(same, readings, known, strict=True)
        ]
        versus = _matches(right, confidence)
        cohen = cohen_kappa(
            [result for each in readings for result in each],
            [answer for each, answer in zip(readings, known, strict=True) for _result in each],
        )
        judged = [
            (answer == bad, result == bad)
            for each, answer in zip(readings, known, strict=True)
            for result in each
        ]
        if {is_bad for is_bad, _said in judged} == {True, False}:
            misses = _matches([not said for is_bad, said in judged if is_bad], confidence)
            alarms = _matches([said for is_bad, said in judged if not is_bad], confidence)
    return Appraiser(
        name=str(person),
        within=_matches(same, confidence) if repeats else None,
        versus=versus,
        cohen=cohen,
        fleiss_within=fleiss_kappa(_category_counts(readings, rows.categories))
        if repeats
        else None,
        misses=misses,
        false_alarms=alarms,
    )


def _matches(found: Sequence[bool], confidence: float) -> Matches:
    from scipy.special import betaincinv

    matched, inspected, tail = sum(found), len(found), (1 - confidence) / 2
    others = inspected - matched
    low = float(betaincinv(matched, others + 1, tail)) if matched else 0.0
    high = float(betaincinv(matched + 1, others, 1 - tail)) if others else 1.0
    return Matches(matched, inspected, low, high)


def _category_counts(
    readings: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]
) -> Floats:
    return np.array(
        [[each.count(category) for category in categories] for each in map(list, readings)],
        dtype=np.float64,
    )


def _category_kappa(counts: Floats, at: int) -> float | None:
    """Return Fleiss' kappa of one category against all others."""
    return fleiss_kappa(np.column_stack((counts[:, at], counts.sum(axis=1) - counts[:, at])))


def _verdict(kappas: Mapping[str, float], fleiss: float | None) -> tuple[AgreementBand | None, str]:
    if kappas:
        worst = min(kappas, key=lambda name: kappas[name])
        kappa = kappas[worst]
        whose = _("with the standard; the worst is operator {name}").format(name=worst)
    elif fleiss is not None:
        kappa, whose = fleiss, _("among operators")
    else:
        return None, _("Kappa has no value here: look at the share of parts that match.")
    figures = {"whose": whose, "kappa": number(kappa, digits=2)}
    if kappa >= GOOD:
        return "good", _("Agreement is good {whose} (kappa {kappa}).").format(**figures)
    if kappa >= POOR:
        text = _(
            "Agreement is only fair {whose} (kappa {kappa}, 0.75 is wanted): train with samples of"
            " borderline parts."
        )
        return "fair", text.format(**figures)
    text = _(
        "Agreement is poor {whose} (kappa {kappa}): do not decide on parts by these judgements"
        " until"
        " the criteria are clear."
    )
    return "poor", text.format(**figures)
