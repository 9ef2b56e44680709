"""Capability of values that are not normal: by a distribution, a transformation, or counting.

A fitted distribution and plain percentiles follow ISO 22514-2: the distances from the median to the
limits over those to the 0.135 % and 99.865 % points. A transformation computes the usual indices of
the transformed values and limits (Box and Cox, 1964; Chou, Polansky and Mason, 1998). Intervals by
a distribution follow from the information on its parameters (Lawless, Statistical Models and
Methods for Lifetime Data, chapters 4 and 5).
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.capability import (
    Index,
    Indices,
    Specification,
    indices,
    observed_share,
    require_sample,
    sample_doubts,
    stability_doubts,
)
from qhub_desktop.quality.descriptive import Floats, Values, as_numbers
from qhub_desktop.quality.distributions import (
    TAILS,
    Lognormal,
    ModelName,
    Ranks,
    Transformation,
    Weibull,
    fit_box_cox,
    fit_johnson,
    fit_lognormal,
    fit_quality,
    fit_weibull,
    model_name,
    percentiles,
)
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import (
    ALPHA,
    anderson_darling,
    normal_quantile,
    p_text,
)
from qhub_desktop.quality.stability import Stability

_ENOUGH_FOR_TAILS = 740  # 1 / 0.00135: with fewer values, none lies beyond the tails by counting


@dataclass(frozen=True, slots=True)
class ModelCapability:
    """Capability of values that are not normal.

    `fit` is the model's own scale, on which values are normal: with `centre` and `deviation` there
    (0 and 1 for a distribution). `overall` holds Pp, Ppl, Ppu and Ppk (its fields are named for
    Cp), without intervals for percentiles. `quantiles` are the 0.135 %, 50 % and 99.865 % points in
    the data's unit. `parameters` are those of the fit, by name. A² and p judge the fit: of the
    transformed values, for a transformation. `raw_p` is Anderson-Darling's p of the values as they
    are (from 8 on). `limits` are the transformed ones, None where there is none.
    """

    name: ModelName
    parameters: tuple[tuple[str, float], ...]
    fit: Transformation
    centre: float
    deviation: float
    quantiles: tuple[float, float, float]
    overall: Indices
    limits: Specification
    observed_below: float | None
    observed_above: float | None
    raw_p: float | None
    statistic: float | None
    p: float | None
    count: int
    doubts: tuple[Doubt, ...]


def model_capability(
    values: Values,
    specification: Specification,
    name: ModelName,
    *,
    power: float | None = None,
    confidence: float = 0.95,
    stability: Stability | None = None,
) -> ModelCapability:
    """Compute capability by a model other than the normal distribution.

    `power` is λ of Box-Cox, found by maximum likelihood unless given; `stability` as in
    `capability`.
    Raises NotComputableError as `capability` does, and "not_positive", "no_fit", "not_a_model",
    "limit_outside_model".
    """
    specification = specification.checked()
    numbers = as_numbers(values)
    sample = numbers[~np.isnan(numbers)]
    require_sample(sample)
    around = _Around(
        sample,
        specification,
        confidence,
        stability_doubts(stability),
        sample_doubts(sample, len(numbers) - len(sample), specification),
    )
    match name:
        case "weibull":
            return _by_distribution(around, name, fit_weibull(sample))
        case "lognormal":
            return _by_distribution(around, name, fit_lognormal(sample))
        case "box_cox":
            return _by_transformation(around, name, fit_box_cox(sample, power=power))
        case "johnson":
            return _by_transformation(around, name, fit_johnson(sample))
        case "percentiles":
            return _by_percentiles(around)
        case "normal":
            raise NotComputableError(
                "not_a_model", _("The normal distribution has its own capability: ask for that.")
            )


@dataclass(frozen=True, slots=True)
class _Around:
    """Inputs that every model needs beside its fit."""

    sample: Floats
    specification: Specification
    confidence: float
    stability: tuple[Doubt, ...]
    doubts: tuple[Doubt, ...]


def _by_distribution(around: _Around, name: ModelName, fit: Weibull | Lognormal) -> ModelCapability:
    statistic, p = fit_quality(around.sample, fit)
    lower, upper = around.specification.lower, around.specification.upper
    low, median, high = (float(each) for each in fit.quantile(TAILS))
    return _result(
        around,
        name,
        fit,
        (low, median, high),
        _with_intervals(
            _by_quantiles(
                around.specification,
                (low, median, high),
                None if lower is None else float(fit.share_below(lower)),
                None if upper is None else float(fit.share_above(upper)),
            ),
            fit,
            around,
        ),
        around.specification,
        (statistic, p),
    )


def _with_intervals(found: Indices, fit: Weibull | Lognormal, around: _Around) -> Indices:
    """Add the intervals that follow from those of the parameters, by the delta method.

    On the scale of the logarithms both have a location and a scale, whose asymptotic variances and
    covariance are these multiples of the squared scale over n.
    """
    if isinstance(fit, Weibull):
        location, scale, variances = math.log(fit.scale), 1 / fit.shape, (1.1087, 0.6079, -0.2570)
    else:
        location, scale, variances = fit.mean_log, fit.deviation_log, (1.0, 0.5, 0.0)

    def moved(along: float, across: float) -> Indices:
        place, width = location + along, scale + across
        model = (
            Weibull(1 / width, math.exp(place))
            if isinstance(fit, Weibull)
            else Lognormal(place, width)
        )
        low, median, high = (float(each) for each in model.quantile(TAILS))
        return _by_quantiles(around.specification, (low, median, high), None, None)

    step = scale * 1e-4
    ends = [moved(*each) for each in ((step, 0), (-step, 0), (0, step), (0, -step))]
    reach = float(normal_quantile((1 + around.confidence) / 2))

    def bounded(pick: Callable[[Indices], Index | None]) -> Index | None:
        middle = pick(found)
        values = [each.value for each in map(pick, ends) if each is not None]
        if middle is None or len(values) < len(ends):
            return None
        by_place, by_width = (values[0] - values[1]) / 2e-4, (values[2] - values[3]) / 2e-4
        of_place, of_width, shared = variances
        variance = (
            of_place * by_place**2 + of_width * by_width**2 + 2 * shared * by_place * by_width
        )
        error = reach * math.sqrt(variance / len(around.sample))
        return Index(middle.value, middle.value - error, middle.value + error)

    cpl, cpu = bounded(lambda each: each.cpl), bounded(lambda each: each.cpu)
    sides = [each for each in (cpl, cpu) if each is not None]
    return replace(
        found,
        cp=bounded(lambda each: each.cp),
        cpl=cpl,
        cpu=cpu,
        cpk=min(sides, key=lambda each: each.value),
    )


def _by_percentiles(around: _Around) -> ModelCapability:
    low, median, high = (float(each) for each in percentiles(around.sample))
    specification = around.specification
    found = _by_quantiles(
        specification,
        (low, median, high),
        observed_share(around.sample, below=specification.lower),
        observed_share(around.sample, above=specification.upper),
    )
    doubts: tuple[Doubt, ...] = ()
    if len(around.sample) < _ENOUGH_FOR_TAILS:
        text = _(
            "With {n} values the 0.135 % tails are not observed but taken from the smallest and the"
            " largest value; counting them takes at least {enough}."
        )
        values = {"n": number(len(around.sample)), "enough": number(_ENOUGH_FOR_TAILS)}
        doubts = (Doubt("tails_extrapolated", text.format(**values)),)
    return _result(
        around,
        "percentiles",
        Ranks(np.sort(around.sample)),
        (low, median, high),
        found,
        specification,
        (None, None),
        doubts,
    )


def _by_transformation(
    around: _Around, name: ModelName, transformation: Transformation
) -> ModelCapability:
    bent = transformation.apply(around.sample)
    mean, deviation = float(bent.mean()), float(bent.std(ddof=1))
    given = around.specification
    limits = Specification(
        _bent(transformation, given.lower),
        _bent(transformation, given.upper),
        _bent(transformation, given.target),
    )
    median = float(np.median(around.sample))
    if (given.lower is not None and limits.lower is None and given.lower > median) or (
        given.upper is not None and limits.upper is None and given.upper < median
    ):
        raise _limit_outside()
    doubts = tuple(
        _unreached_doubt(each)
        for each, found in ((given.lower, limits.lower), (given.upper, limits.upper))
        if each is not None and found is None
    )
    if limits.lower is None and limits.upper is None:
        raise _limit_outside()
    ends = transformation.undo(mean + deviation * normal_quantile(TAILS))
    return _result(
        around,
        name,
        transformation,
        (float(ends[0]), float(ends[1]), float(ends[2])),
        indices(mean, deviation, "overall", limits, len(bent), around.confidence),
        limits,
        anderson_darling(bent) if len(bent) > 2 else (None, None),
        doubts,
    )


def _result(
    around: _Around,
    name: ModelName,
    fit: Transformation,
    quantiles: tuple[float, float, float],
    overall: Indices,
    limits: Specification,
    quality: tuple[float | None, float | None],
    doubts: tuple[Doubt, ...] = (),
) -> ModelCapability:
    statistic, p = quality
    sample, given = around.sample, around.specification
    is_standard = isinstance(fit, (Weibull, Lognormal, Ranks))
    bent = sample if is_standard else fit.apply(sample)
    raw_p = anderson_darling(sample)[1] if len(sample) > 2 else None
    poor: tuple[Doubt, ...] = ()
    if p is not None and p < ALPHA:
        text = _("The {model} does not fit these values either (Anderson-Darling, {p}).")
        poor = (Doubt("poor_fit", text.format(model=model_name(name), p=p_text(p))),)
    return ModelCapability(
        name=name,
        parameters=fit.parameters,
        fit=fit,
        centre=0.0 if is_standard else float(bent.mean()),
        deviation=1.0 if is_standard else float(bent.std(ddof=1)),
        quantiles=quantiles,
        overall=overall,
        limits=limits,
        observed_below=observed_share(sample, below=given.lower),
        observed_above=observed_share(sample, above=given.upper),
        raw_p=raw_p,
        statistic=statistic,
        p=p,
        count=len(sample),
        doubts=(*around.stability, *poor, *around.doubts, *doubts),
    )


def _by_quantiles(
    specification: Specification,
    quantiles: tuple[float, float, float],
    share_below: float | None,
    share_above: float | None,
) -> Indices:
    """Return the indices of ISO 22514-2 by three quantiles; sigma is a sixth of their span."""
    low, median, high = quantiles
    lower, upper = specification.lower, specification.upper
    if not low < median < high:
        raise NotComputableError(
            "zero_variance",
            _(
                "The median equals one of the tails, so there is no distance to compare with the"
                " tolerance. Use values with more decimals."
            ),
        )
    ppl = None if lower is None else (median - lower) / (median - low)
    ppu = None if upper is None else (upper - median) / (high - median)
    bench = -float(normal_quantile((share_below or 0.0) + (share_above or 0.0)))
    return Indices(
        sigma=(high - low) / 6,
        estimator="quantiles",
        cp=None if lower is None or upper is None else Index((upper - lower) / (high - low)),
        cpl=None if ppl is None else Index(ppl),
        cpu=None if ppu is None else Index(ppu),
        cpk=Index(min(each for each in (ppl, ppu) if each is not None)),
        cpm=None,
        share_below=share_below,
        share_above=share_above,
        z_bench=bench if np.isfinite(bench) else None,
    )


def _limit_outside() -> NotComputableError:
    text = _(
        "The specification limits lie where the fitted curve has no values, so there is no index."
        " Check the limits, or use another model or percentiles."
    )
    return NotComputableError("limit_outside_model", text)


def _bent(transformation: Transformation, value: float | None) -> float | None:
    if value is None:
        return None
    bent = float(transformation.apply(value))
    return None if np.isnan(bent) else bent


def _unreached_doubt(limit: float) -> Doubt:
    text = _(
        "The limit {limit} lies where the fitted curve has no values, so there is no index for that"
        " side: the curve expects nothing beyond it."
    )
    return Doubt("limit_not_reached", text.format(limit=number(limit)))
