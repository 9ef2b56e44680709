"""Bias of a gauge: the type 1 study of one reference part, and bias over the range (linearity).

Sources: AIAG, Measurement Systems Analysis, 4th edition, chapter III B; for Cg and Cgk the usual
share of the tolerance (20 %) over six deviations.
"""

import math
from collections.abc import Sequence

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import Floats, Values, as_numbers, missing_doubt
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.missable import POWER
from qhub_desktop.quality.normality import ALPHA, has_spread, p_text

CAPABLE = 1.33
_FEW_REPEATS = 25
_FEW_REFERENCES = 5


@dataclass(frozen=True, slots=True)
class BiasTest:
    """The mean distance from the reference, with Student's t, p and interval (None: no spread).

    A bias of `missable` would have been seen in 80 % of such samples.
    """

    count: int
    bias: float
    t: float | None
    p: float | None
    interval: tuple[float, float] | None
    missable: float | None = None


@dataclass(frozen=True, slots=True)
class Type1Study:
    """Repeated readings of one reference part.

    Cg is `k_percent` % of the tolerance over `study_k` deviations, Cgk the same with the bias taken
    off; the shares (of one) are `k_percent` % over each. None without a tolerance.
    """

    mean: float
    deviation: float
    reference: float
    test: BiasTest
    cg: float | None
    cgk: float | None
    repeatability_share: float | None
    repeatability_bias_share: float | None
    is_capable: bool | None
    conclusion: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class LinearityStudy:
    """Bias as a line over reference values: bias = intercept + slope x reference.

    `deviation` is that of the residuals. `by_reference` has a test for each of `references`,
    ascending. `linearity` is |slope| times the process variation, in the data's unit; shares are of
    one, of the process variation. None for what needs a process variation that was not given.
    """

    references: tuple[float, ...]
    by_reference: tuple[BiasTest, ...]
    average: BiasTest
    intercept: float
    slope: float
    r_squared: float | None
    deviation: float
    p_intercept: float | None
    p_slope: float | None
    linearity: float | None
    linearity_share: float
    bias_share: float | None
    conclusion: str
    doubts: tuple[Doubt, ...]


def type_1(
    values: Values,
    reference: float | None,
    *,
    tolerance: float | None = None,
    k_percent: float = 20,
    study_k: float = 6,
    confidence: float = 0.95,
) -> Type1Study:
    """Judge repeated readings of one part against its reference value.

    Raises NotComputableError ("no_reference", "too_few", "zero_variance", "tolerance", …).
    """
    numbers = as_numbers(values)
    sample = numbers[~np.isnan(numbers)]
    if reference is None or not math.isfinite(reference):
        raise NotComputableError(
            "no_reference",
            _("A type 1 study needs the reference value of the part. Say it, such as 12.5."),
        )
    _check_tolerance(tolerance)
    if len(sample) < 2:
        raise NotComputableError(
            "too_few", _("A type 1 study needs at least two readings, better 50. Measure again.")
        )
    if not has_spread(sample):
        raise NotComputableError(
            "zero_variance",
            _(
                "All readings are equal ({value}): the gauge's resolution hides its variation, so"
                " Cg"
                " has no value. Use a finer resolution."
            ).format(value=number(float(sample[0]))),
        )
    deviation = float(sample.std(ddof=1))
    test = bias_test(sample - reference, confidence=confidence)
    cg = cgk = None
    if tolerance is not None:
        half = k_percent / 200 * tolerance
        cg = 2 * half / (study_k * deviation)
        cgk = (half - abs(test.bias)) / (study_k / 2 * deviation)
    doubts: list[Doubt] = list(missing_doubt(len(numbers) - len(sample), len(sample)))
    if len(sample) < _FEW_REPEATS:
        text = _("There are only {n} readings; 50 are usual for a type 1 study, at least {least}.")
        values_ = {"n": number(len(sample)), "least": number(_FEW_REPEATS)}
        doubts.insert(0, Doubt("few", text.format(**values_)))
    is_capable = None if cg is None or cgk is None else min(cg, cgk) >= CAPABLE
    return Type1Study(
        mean=float(sample.mean()),
        deviation=deviation,
        reference=reference,
        test=test,
        cg=cg,
        cgk=cgk,
        repeatability_share=None if cg is None else k_percent / 100 / cg,
        repeatability_bias_share=k_percent / 100 / cgk if cgk is not None and cgk > 0 else None,
        is_capable=is_capable,
        conclusion=_type_1_conclusion(test, cg, cgk),
        doubts=tuple(doubts),
    )


def linearity(
    reference: Values,
    measurement: Values,
    *,
    process_variation: float | None = None,
    confidence: float = 0.95,
) -> LinearityStudy:
    """Fit bias over reference values by least squares.

    `process_variation` is six deviations of the process, in the data's unit. Raises
    NotComputableError ("too_few", "one_reference", "lengths", "tolerance", "not_numeric", …).
    """
    known, read = as_numbers(reference), as_numbers(measurement)
    if len(known) != len(read):
        raise NotComputableError(
            "lengths", _("Each measurement needs its reference value. Check the two columns.")
        )
    _check_tolerance(process_variation)
    there = ~(np.isnan(known) | np.isnan(read))
    x, bias = known[there], read[there] - known[there]
    if len(x) < 3:
        raise NotComputableError(
            "too_few", _("A linearity study needs at least three readings, better 50.")
        )
    references = np.unique(x)
    if len(references) < 2:
        raise NotComputableError(
            "one_reference",
            _(
                "There is only one reference value, so linearity cannot be judged. Measure parts"
                " over the whole range, or ask for a type 1 study."
            ),
        )
    distances = x - x.mean()
    squares = float(distances @ distances)
    slope = float(distances @ bias) / squares
    intercept = float(bias.mean()) - slope * float(x.mean())
    residuals = bias - intercept - slope * x
    degrees = len(x) - 2
    deviation = math.sqrt(float(residuals @ residuals) / degrees)
    total = float(((bias - bias.mean()) ** 2).sum())
    has_residuals = has_spread(residuals + float(np.abs(read).max()))
    error = deviation / math.sqrt(squares)
    error_at_zero = deviation * math.sqrt(1 / len(x) + float(x.mean()) ** 2 / squares)
    p_slope = _student_p(slope / error, degrees) if has_residuals else None
    average = bias_test(bias, confidence=confidence)
    doubts = list(missing_doubt(len(there) - len(x), len(x)))
    if len(references) < _FEW_REFERENCES:
        text = _("There are only {n} reference values; {least} over the whole range are usual.")
        values = {"n": number(len(references)), "least": number(_FEW_REFERENCES)}
        doubts.insert(0, Doubt("few", text.format(**values)))
    return LinearityStudy(
        references=tuple(references.tolist()),
        by_reference=tuple(
            bias_test(bias[x == each], confidence=confidence) for each in references
        ),
        average=average,
        intercept=intercept,
        slope=slope,
        r_squared=1 - float(residuals @ residuals) / total if total > 0 else None,
        deviation=deviation,
        p_intercept=_student_p(intercept / error_at_zero, degrees) if has_residuals else None,
        p_slope=p_slope,
        linearity=None if process_variation is None else abs(slope) * process_variation,
        linearity_share=abs(slope),
        bias_share=None if process_variation is None else abs(average.bias) / process_variation,
        conclusion=_linearity_conclusion(p_slope, slope, _missable(error, degrees), average),
        doubts=tuple(doubts),
    )


def bias_test(differences: Floats, *, confidence: float = 0.95) -> BiasTest:
    """Test by Student's t whether differences from a reference are zero on average."""
    from scipy.special import stdtrit

    count, bias = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    if error <= 1e-15 * float(np.abs(differences).max(initial=0.0)):
        return BiasTest(count, bias, None, None, None)
    reach = float(stdtrit(count - 1, (1 + confidence) / 2)) * error
    t = bias / error
    ends = (bias - reach, bias + reach)
    return BiasTest(count, bias, t, _student_p(t, count - 1), ends, _missable(error, count - 1))


def _student_p(t: float, degrees: int) -> float:
    from scipy.special import stdtr

    return 2 * float(stdtr(degrees, -abs(t)))


def _check_tolerance(tolerance: float | None) -> None:
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance > 0):
        raise NotComputableError(
            "tolerance",
            _("The tolerance (upper minus lower limit) must be above zero. Check the limits."),
        )


def _type_1_conclusion(test: BiasTest, cg: float | None, cgk: float | None) -> str:
    sentences: Sequence[str] = ()
    if cg is not None and cgk is not None:
        figures = {"cg": number(cg, digits=2), "cgk": number(cgk, digits=2)}
        if min(cg, cgk) >= CAPABLE:
            text = _("The gauge repeats and hits well enough (Cg {cg}, Cgk {cgk}, at least 1.33).")
        elif cg >= CAPABLE:
            text = _(
                "The gauge repeats well (Cg {cg}) but is off the reference (Cgk {cgk}, below 1.33):"
                " adjust it."
            )
        else:
            text = _(
                "The gauge does not repeat well enough for this tolerance (Cg {cg}, Cgk {cgk},"
                " below"
                " 1.33): look at its fixture, its resolution and the method."
            )
        sentences = (text.format(**figures),)
    return " ".join((*sentences, _bias_sentence(test)))


def _bias_sentence(test: BiasTest) -> str:
    bias = number(test.bias)
    if test.p is None:
        return _("The bias is {bias}.").format(bias=bias)
    if test.p < ALPHA:
        text = _("The bias of {bias} is more than chance ({p}).")
    else:
        text = _(
            "The bias of {bias} may be chance ({p}), but one of up to about {missed} could have"
            " been missed."
        )
    return text.format(bias=bias, p=p_text(test.p), missed=number(test.missable or 0.0))


def _missable(error: float, degrees: int) -> float:
    """Return the least true value that would have been seen in 80 % of such samples."""
    from scipy.special import stdtrit

    return error * (float(stdtrit(degrees, 1 - ALPHA / 2)) + float(stdtrit(degrees, POWER)))


def _linearity_conclusion(
    p_slope: float | None, slope: float, missable_slope: float, average: BiasTest
) -> str:
    if p_slope is None:
        text = _("The bias changes by {slope} for each unit, without any scatter.")
        return text.format(slope=number(slope))
    if p_slope < ALPHA:
        text = _(
            "The bias changes with the size of the part (slope {slope}, {p}): adjust the gauge"
            " over its"
            " whole range before using it."
        )
        return text.format(slope=number(slope), p=p_text(p_slope))
    text = _(
        "No change of the bias with the size of the part is shown ({p}), but a slope of up to about"
        " {missed} could have been missed."
    )
    said = text.format(p=p_text(p_slope), missed=number(missable_slope))
    return f"{said} {_bias_sentence(average)}"


def confidence_reach(
    found: LinearityStudy, reference: Floats, places: Floats, *, confidence: float = 0.95
) -> Floats | None:
    """Return how far from the line the mean bias may lie at each of `places`.

    `reference` holds those of the readings that made the line (AIAG MSA, 4th edition, chapter III
    section B). None where two readings make it, or where it fits exactly.
    """
    freedom = reference.size - 2
    squares = float(((reference - reference.mean()) ** 2).sum())
    if freedom < 1 or squares <= 0 or found.deviation <= 0:
        return None
    from scipy.special import stdtrit

    away: Floats = np.sqrt(1 / reference.size + (places - reference.mean()) ** 2 / squares)
    return float(stdtrit(freedom, (1 + confidence) / 2)) * found.deviation * away
