"""Acceptance sampling by attributes: AQL plans of the standard, operating curves, plans by risk.

Sources: ANSI/ASQ Z1.4-2003 and ISO 2859-1:1999, tables I, II-A and II-B (single sampling); for the
curves, average outgoing quality and total inspection, Montgomery, Introduction to Statistical
Quality Control, chapter 15; table II-C (reduced) of Z1.4 and of ISO 2859-1:1989, checked against
AQLSchemes: the edition of 1999 has other numbers there, without a gap between the two.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.special import bdtr, bdtri, pdtr

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats
from qhub_desktop.quality.exact_counts import log_ways
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.scalar_search import least_between

# The highest lot of each range of table I; larger ones make the last range.
_LOTS = (8, 15, 25, 50, 90, 150, 280, 500, 1200, 3200, 10_000, 35_000, 150_000, 500_000)
_LETTERS_BY_LEVEL = {
    "S-1": "AAAABBBBCCCCDDD",
    "S-2": "AAABBBCCCDDDEEE",
    "S-3": "AABBCCDDEEFFGGH",
    "S-4": "AABCCDEEFGGHJJK",
    "I": "AABCCDEFGHJKLMN",
    "II": "ABCDEFGHJKLMNPQ",
    "III": "BCDEFGHJKLMNPQR",
}
LEVELS = tuple(_LETTERS_BY_LEVEL)
_LETTERS = "ABCDEFGHJKLMNPQRS"
_SIZES = (2, 3, 5, 8, 13, 20, 32, 50, 80, 125, 200, 315, 500, 800, 1250, 2000, 3150)
AQLS = (
    *(0.010, 0.015, 0.025, 0.040, 0.065, 0.10, 0.15, 0.25, 0.40, 0.65, 1.0, 1.5, 2.5),
    *(4.0, 6.5, 10.0, 15.0, 25.0, 40.0, 65.0, 100.0, 150.0, 250.0, 400.0, 650.0, 1000.0),
)
# Acceptance numbers by letter and by AQL, in the order of AQLS. "v": the first plan below, "^": the
# first plan above, each with the sample size of where it stands.
_NORMAL = """
A   v  v  v  v  v  v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  7 10 14 21 30
B   v  v  v  v  v  v  v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44
C   v  v  v  v  v  v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44  ^
D   v  v  v  v  v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44  ^  ^
E   v  v  v  v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21 30 44  ^  ^  ^
F   v  v  v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^
G   v  v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^
H   v  v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^
J   v  v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^
K   v  v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
L   v  v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
M   v  v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
N   v  v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
P   v  0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
Q   0  ^  v  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
R   ^  ^  1  2  3  5  7 10 14 21  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
"""
_TIGHTENED = """
A   v  v  v  v  v  v  v  v  v  v  v  v  v  v  v  v  v  v  1  2  3  5  8 12 18 27
B   v  v  v  v  v  v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41
C   v  v  v  v  v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41  ^
D   v  v  v  v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41  ^  ^
E   v  v  v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18 27 41  ^  ^  ^
F   v  v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^
G   v  v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^
H   v  v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^
J   v  v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^
K   v  v  v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
L   v  v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
M   v  v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
N   v  v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
P   v  v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
Q   v  0  v  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
R   0  ^  v  1  2  3  5  8 12 18  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^  ^
S   .  .  1  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
"""
# The number to reject at stands behind that to accept with, where it is not the next: what lies
# between accepts the lot, and ends reduced inspection.
_REDUCED = """
A v v v v v v v v v v v v 0 0 0 0/2 0/2 1 2 3 5 7 10 14 21 30
B v v v v v v v v v v v v 0 0 0 0/2 0/2 1/3 2/4 3/5 5 7 10 14 21 30
C v v v v v v v v v v v v 0 0 v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 14/17 21/24 30
D v v v v v v v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 14/17 21/24 ^ ^
E v v v v v v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 14/17 21/24 ^ ^ ^
F v v v v v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^
G v v v v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^
H v v v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^
J v v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^
K v v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
L v v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
M v v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
N v v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
P v 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
Q 0 ^ v 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
R ^ ^ 0/2 1/3 1/4 2/5 3/6 5/8 7/10 10/13 ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ^
"""
_TABLES = {"normal": _NORMAL, "tightened": _TIGHTENED, "reduced": _REDUCED}
_REDUCED_SIZES = (2, 2, 2, 3, 5, 8, 13, 20, 32, 50, 80, 125, 200, 315, 500, 800)
SEVERITIES = tuple(_TABLES)
_MOST_PERCENT = 10.0  # AQLs above it count nonconformities per 100 units, not nonconforming units
_LARGEST = 10_000_000  # units in a sample
_MOST_ACCEPTED = 1000  # where the search for a plan by its risks ends


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """A single sampling plan: accept with up to `accept` in `sample_size`, reject from `reject`.

    `letter` is that of the lot, `plan_letter` where an arrow of the table led. `sample_size` is the
    table's; where it reaches the lot, `is_whole_lot` and every unit is inspected (`inspected`).
    """

    lot_size: int
    level: str
    aql: float
    severity: str
    letter: str
    plan_letter: str
    sample_size: int
    accept: int
    reject: int
    is_whole_lot: bool
    conclusion: str
    doubts: tuple[Doubt, ...]

    @property
    def inspected(self) -> int:
        """How many units are inspected: the sample, or the whole lot."""
        return min(self.sample_size, self.lot_size)


@dataclass(frozen=True, slots=True)
class OperatingCurve:
    """Chance that a plan accepts lots: one value for each of `fractions` nonconforming.

    Three probabilities of acceptance, of one. `outgoing` is the average outgoing quality (rejected
    lots sorted, bad units replaced), from the binomial; `inspected` the average total inspection.
    `outgoing_limit` is the worst outgoing quality (AOQL), at `worst_fraction`. None for what needs
    a lot size that was not given. `fraction_at_95`, `_50` and `_10` are the qualities accepted with
    these probabilities, in percent, by the binomial: the producer's point, that of indifference,
    and the consumer's (limiting quality).
    """

    fractions: Floats
    binomial: Floats
    poisson: Floats
    hypergeometric: Floats | None
    outgoing: Floats
    inspected: Floats | None
    outgoing_limit: float
    worst_fraction: float
    fraction_at_95: float
    fraction_at_50: float
    fraction_at_10: float


@dataclass(frozen=True, slots=True)
class DesignedPlan:
    """The smallest single plan that keeps both risks, and the risks that it really has (of one)."""

    sample_size: int
    accept: int
    reject: int
    producer_risk: float
    consumer_risk: float
    conclusion: str


def aql_plan(
    lot_size: int, aql: float, level: str = "II", severity: str = "normal"
) -> SamplingPlan:
    """Return the standard's plan for a lot, an AQL in percent, a level and a severity.

    `level` is I, II, III or S-1 to S-4; `severity` is "normal", "tightened" or "reduced". Up to 10
    the AQL is nonconforming units or nonconformities per 100 units, above it the latter alone.
    Raises NotComputableError ("lot_size", "level", "severity", "aql").
    """
    level, severity = _level(level), severity.strip().lower()
    if severity not in _TABLES:
        raise NotComputableError(
            "severity", _("Inspection is normal, tightened or reduced. Choose one of them.")
        )
    lot_size = _whole(lot_size, least=2)
    column = _column(aql)
    letter = _LETTERS_BY_LEVEL[level][bisect_left(_LOTS, lot_size)]
    row, accept, reject = _resolved(severity, _LETTERS.index(letter), column)
    size = (_REDUCED_SIZES if severity == "reduced" else _SIZES)[row]
    return SamplingPlan(
        lot_size=lot_size,
        level=level,
        aql=AQLS[column],
        severity=severity,
        letter=letter,
        plan_letter=_LETTERS[row],
        sample_size=size,
        accept=accept,
        reject=reject,
        is_whole_lot=size >= lot_size,
        conclusion=_conclusion(min(size, lot_size), accept, reject, whole=size >= lot_size),
        doubts=(
            *_doubts(size, lot_size, letter, _LETTERS[row], AQLS[column]),
            *_doubts_of_reduced(severity, accept, reject),
        ),
    )


def operating_curve(
    sample_size: int,
    accept: int,
    fractions: Sequence[float] | Floats | None = None,
    lot_size: int | None = None,
) -> OperatingCurve:
    """Compute how a single plan treats lots of each fraction nonconforming (0 to 1).

    Without `fractions`, 101 of them from 0 to where one lot in a hundred is accepted. A fraction of
    a lot that is no whole number of units is rounded, in the hypergeometric. Raises
    NotComputableError ("plan", "lot_size", "fraction").
    """
    size, accepted = _whole(sample_size, least=1), _whole(accept, least=0)
    if accepted >= size:
        raise NotComputableError(
            "plan", _("A plan accepts fewer nonconforming units than it inspects. Correct the two.")
        )
    lot = None if lot_size is None else _whole(lot_size, least=size)
    if fractions is None:
        fractions = np.linspace(0, min(1.0, _fraction_accepted(size, accepted, 0.01)), 101)
    p = np.asarray(fractions, dtype=float)
    if not np.all((p >= 0) & (p <= 1)):
        raise NotComputableError(
            "fraction", _("Fractions nonconforming stand between 0 and 1 (0 and 100 %).")
        )
    accepts = np.asarray(bdtr(accepted, size, p), dtype=float)
    worst, limit = _outgoing_limit(size, accepted, lot)
    return OperatingCurve(
        fractions=p,
        binomial=accepts,
        poisson=np.asarray(pdtr(accepted, size * p), dtype=float),
        hypergeometric=None if lot is None else _drawn_from(lot, size, accepted, p),
        outgoing=p * accepts * _rest(size, lot),
        inspected=None if lot is None else size + (1 - accepts) * (lot - size),
        outgoing_limit=limit,
        worst_fraction=worst,
        fraction_at_95=_fraction_accepted(size, accepted, 0.95),
        fraction_at_50=_fraction_accepted(size, accepted, 0.5),
        fraction_at_10=_fraction_accepted(size, accepted, 0.1),
    )


def accepted_rates(accept: int, mean: Floats) -> Floats:
    """Return how often lots are accepted that have so many nonconformities in a sample (Poisson).

    So an AQL above 10 counts, in 100 units of which each may have several.
    """
    return np.asarray(pdtr(accept, mean), dtype=float)


def design_plan(
    producer: tuple[float, float],
    consumer: tuple[float, float],
    *,
    distribution: str = "binomial",
    lot_size: int | None = None,
) -> DesignedPlan:
    """Find the smallest single plan that holds two points of its operating curve.

    Each point is (fraction nonconforming, probability of acceptance): lots of the producer's
    fraction are accepted at least so often, those of the consumer's at most. Raises
    NotComputableError ("risks", "lot_size", "no_plan").
    """
    (good, least), (bad, most) = producer, consumer
    if not (0 < good < bad < 1 and 0 < most < least < 1):
        raise NotComputableError(
            "risks",
            _(
                "Give the quality to accept (such as 1 % with probability 95 %) and a worse one to"
                " reject (such as 8 % with probability 10 %)."
            ),
        )
    accepts = _acceptance(distribution, lot_size)
    largest = lot_size if distribution == "hypergeometric" and lot_size else _LARGEST
    size = 1
    for accepted in range(_MOST_ACCEPTED):
        found = _smallest(lambda n, c=accepted: accepts(n, c, bad) <= most, size, largest)  # type: ignore[misc]
        if found is None:
            break
        size = max(found, accepted + 1)
        if size > largest:
            break
        if accepts(size, accepted, good) >= least:
            return DesignedPlan(
                sample_size=size,
                accept=accepted,
                reject=accepted + 1,
                producer_risk=1 - accepts(size, accepted, good),
                consumer_risk=accepts(size, accepted, bad),
                conclusion=_conclusion(size, accepted, accepted + 1, whole=size == lot_size),
            )
    raise NotComputableError(
        "no_plan",
        _("The two qualities are too close for a sample to tell them apart. Set them wider apart."),
    )


def zero_plan(worst: float, confidence: float, lot_size: int | None = None) -> DesignedPlan:
    """Return the smallest sample without a nonconforming unit that shows less than `worst`.

    That is a plan with Ac = 0: a lot of that fraction nonconforming is accepted at most so often
    as `confidence` leaves. Of a lot whose size is known, it is drawn without putting back. Raises
    NotComputableError ("risks", "lot_size", "no_plan").
    """
    if not (0 < worst < 1 and 0 < confidence < 1):
        text = _("Give the percentage to reject (mau) and the confidence, between 0 and 100 %.")
        raise NotComputableError("risks", text)
    lot = None if lot_size is None else _whole(lot_size, least=2)
    accepts = _acceptance("binomial" if lot is None else "hypergeometric", lot)
    size = _smallest(lambda n: accepts(n, 0, worst) <= 1 - confidence, 1, lot or _LARGEST)
    if size is None:
        raise NotComputableError(
            "no_plan", _("So small a share no sample of this lot shows: inspect every unit.")
        )
    return DesignedPlan(
        sample_size=size,
        accept=0,
        reject=1,
        producer_risk=math.nan,
        consumer_risk=accepts(size, 0, worst),
        conclusion=_conclusion(size, 0, 1, whole=size == lot),
    )


@cache
def _grid(severity: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()[1:]) for line in _TABLES[severity].strip().splitlines())


def _resolved(severity: str, row: int, column: int) -> tuple[int, int, int]:
    """Follow the arrows of a table from a cell; return the row they end at, and its numbers."""
    grid = _grid(severity)
    while (cell := grid[row][column]) in "v^":
        row += 1 if cell == "v" else -1
    accept, _sign, reject = cell.partition("/")
    return row, int(accept), int(reject) if reject else int(accept) + 1


def _level(given: str) -> str:
    plain = given.upper().replace("-", "").replace(" ", "").removeprefix("G")
    by_name = {level.replace("-", ""): level for level in LEVELS} | {
        "1": "I",
        "2": "II",
        "3": "III",
    }
    if plain in by_name:
        return by_name[plain]
    raise NotComputableError(
        "level",
        _("There is no inspection level {given}. Choose one of {levels}.").format(
            given=given, levels=", ".join(LEVELS)
        ),
    )


def _column(aql: float) -> int:
    for place, known in enumerate(AQLS):
        if math.isclose(aql, known, rel_tol=1e-9):
            return place
    place = bisect_left(AQLS, aql) if math.isfinite(aql) else 0
    near = [number(value) for value in AQLS[max(place - 1, 0) : place + 1]]
    raise NotComputableError(
        "aql",
        _("The tables have no AQL of {aql}. Choose one that they have, such as {near}.").format(
            aql=number(aql) if math.isfinite(aql) else str(aql), near=" / ".join(near)
        ),
    )


def _whole(value: float, *, least: int) -> int:
    if math.isfinite(value) and value == int(value) and value >= least:
        return int(value)
    raise NotComputableError(
        "lot_size",
        _("{value} is not a number of units. Give a whole number from {least} up.").format(
            value=number(value) if math.isfinite(value) else str(value), least=number(least)
        ),
    )


def _conclusion(size: int, accept: int, reject: int, *, whole: bool) -> str:
    draw = (
        _("Inspect all {n} units of the lot").format(n=number(size))
        if whole
        else ngettext(
            "Inspect {n} unit taken at random", "Inspect {n} units taken at random", size
        ).format(n=number(size))
    )
    if accept == 0 and reject == 1:
        return _(
            "{draw}: accept the lot without nonconforming units, reject it from the first."
        ).format(draw=draw)
    return _(
        "{draw}: accept the lot with up to {accept} nonconforming, reject it from {reject}."
    ).format(draw=draw, accept=number(accept), reject=number(reject))


def _doubts_of_reduced(severity: str, accept: int, reject: int) -> tuple[Doubt, ...]:
    if severity != "reduced":
        return ()
    text = _(
        "Reduced inspection after Z1.4 and ISO 2859-1:1989; the edition of 1999 has other numbers."
    )
    found = [Doubt("reduced", text)]
    if reject > accept + 1:
        text = _(
            "With more than {accept} and fewer than {reject} nonconforming the lot is accepted, and"
            " the next one inspected as normal."
        )
        said = text.format(accept=number(accept), reject=number(reject))
        found.append(Doubt("between", said))
    return tuple(found)


def accept_one_step_tighter(plan: SamplingPlan) -> int:
    """Return the acceptance number of a plan's sample size for the next smaller AQL; -1 if none."""
    row, column = _LETTERS.index(plan.plan_letter), AQLS.index(plan.aql)
    if column == 0:
        return -1
    cell = _grid(plan.severity)[row][column - 1]
    return -1 if cell in "v^." else int(cell.partition("/")[0])


def _doubts(size: int, lot: int, letter: str, plan_letter: str, aql: float) -> tuple[Doubt, ...]:
    found = []
    if size >= lot:
        text = _("The plan asks for {n} units and the lot has {lot}: inspect all of them (100 %).")
        found.append(Doubt("whole_lot", text.format(n=number(size), lot=number(lot))))
    if letter != plan_letter:
        text = _(
            "The table has an arrow at letter {letter}: the plan, with its sample size, is that of"
            " letter {plan}."
        )
        found.append(Doubt("arrow", text.format(letter=letter, plan=plan_letter)))
    if aql > _MOST_PERCENT:
        text = _(
            "An AQL above 10 counts nonconformities per 100 units, not nonconforming units: one"
            " unit may have several."
        )
        found.append(Doubt("per_hundred", text))
    return tuple(found)


def _fraction_accepted(size: int, accept: int, probability: float) -> float:
    """Return the fraction nonconforming that is accepted with a probability, by the binomial."""
    return float(bdtri(accept, size, probability))


def _rest(size: int, lot: int | None) -> float:
    """Return the share of a lot that is not in the sample."""
    return 1.0 if lot is None else (lot - size) / lot


def _outgoing_limit(size: int, accept: int, lot: int | None) -> tuple[float, float]:
    """Return where the outgoing quality is worst, and how bad it is there."""
    worst, least = least_between(lambda p: -p * float(bdtr(accept, size, p)), 0, 1, within=1e-10)
    return worst, -least * _rest(size, lot)


def _drawn_from(lot: int, size: int, accept: int, fractions: Floats) -> Floats:
    """Return the probability of acceptance of lots drawn from without putting back."""
    bad = np.round(lot * fractions)
    seen = np.arange(accept + 1.0)[:, np.newaxis]
    possible = (bad >= seen) & (lot - bad >= size - seen)
    some, rest = np.where(possible, bad, seen), np.where(possible, lot - bad, size)
    logs = log_ways(some, seen) + log_ways(rest, size - seen) - log_ways(lot, size)
    total = np.where(possible, np.exp(logs), 0.0).sum(axis=0)
    accepts: Floats = np.minimum(total, 1.0)
    return accepts


def _acceptance(distribution: str, lot: int | None) -> Callable[[int, int, float], float]:
    """Return the probability of acceptance as a function of size, number and fraction."""
    if distribution == "hypergeometric":
        if lot is None:
            raise NotComputableError(
                "lot_size", _("This plan depends on the lot. Give the number of units of the lot.")
            )
        return lambda n, c, p: float(_drawn_from(lot, n, c, np.array([p]))[0])
    if distribution == "poisson":
        return lambda n, c, p: float(pdtr(c, n * p))
    return lambda n, c, p: float(bdtr(c, n, p)) if n > c else 1.0


def _smallest(holds: Callable[[int], bool], start: int, largest: int) -> int | None:
    """Return the smallest whole number from `start` that holds, of what stays so once it does."""
    low, high = start, start
    while not holds(high):
        if high >= largest:
            return None
        low, high = high + 1, min(2 * high, largest)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
