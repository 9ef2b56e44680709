"""Adapters from reference cases to capability, normality, measurement systems and description."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from qhub_desktop.quality.attribute_agreement import Matches, attribute_agreement
from qhub_desktop.quality.capability import (
    Capability,
    Estimator,
    Index,
    Indices,
    Specification,
    capability,
    capability_of_summary,
)
from qhub_desktop.quality.descriptive import class_counts, describe, histogram, present
from qhub_desktop.quality.distributions import (
    JOHNSON_P,
    BoxCox,
    Johnson,
    Lognormal,
    ModelName,
    Weibull,
)
from qhub_desktop.quality.gauge_bias import BiasTest, linearity, type_1
from qhub_desktop.quality.gauge_rr import averages_and_ranges, crossed, nested
from qhub_desktop.quality.gauge_study import AnovaRow, GaugeStudy, is_nested
from qhub_desktop.quality.nonnormal import model_capability
from qhub_desktop.quality.normality import normality

Case = Mapping[str, Any]
Answer = dict[str, Any]
_LEVELS = (0.90, 0.95, 0.99)


def _params(case: Case) -> Mapping[str, Any]:
    return case.get("params") or {}  # an empty one is a list


def _input(case: Case) -> Mapping[str, Any]:
    return case.get("input") or {}


def _words(case: Case) -> str:
    return " ".join(str(case.get(key) or "") for key in ("method", "params")).lower()


def _specification(params: Mapping[str, Any]) -> Specification:
    return Specification(params.get("lsl"), params.get("usl"), params.get("target"))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _sample(case: Case) -> tuple[list[float], list[int] | None]:
    """Return all values, and the sizes of their subgroups if they have any."""
    data = _input(case)
    if groups := [_listed(each) for each in data.get("subgroups") or ()]:
        return list(chain.from_iterable(groups)), [len(each) for each in groups]
    return _listed(data.get("x", ())), None


def _estimator(case: Case, *, is_grouped: bool) -> Estimator | None:
    words = _words(case).replace(" ", "")
    if not is_grouped:
        return None
    if "sbar/c4" in words or "s/c4" in words:
        return "Sbar/c4"
    if "pooled" in words or "rmsdf" in words:
        return "pooled/c4"
    return "Rbar/d2"


def _levels(params: Mapping[str, Any]) -> list[float]:
    return sorted({*_LEVELS, float(params.get("confidence") or 0.95)})


def _named(found: Indices, names: Sequence[str]) -> dict[str, Index | None]:
    return dict(zip(names, (found.cp, found.cpl, found.cpu, found.cpk, found.cpm), strict=True))


def _values(found: Indices, names: Sequence[str]) -> Answer:
    per_million = {
        "ppm_below": None if found.share_below is None else 1e6 * found.share_below,
        "ppm_above": None if found.share_above is None else 1e6 * found.share_above,
        "ppm_total": 1e6 * found.share_outside,
    }
    indices = {
        name: None if index is None else index.value for name, index in _named(found, names).items()
    }
    return {**indices, **per_million, "Z_bench": found.z_bench}


def _intervals(found: Indices, names: Sequence[str], level: float) -> Answer:
    return {
        f"{name}_ci{round(100 * level)}": None if index is None else [index.low, index.high]
        for name, index in _named(found, names).items()
    }


WITHIN = ("Cp", "Cpl", "Cpu", "Cpk", "Cpm")
OVERALL = ("Pp", "Ppl", "Ppu", "Ppk", "Ppm_target")


# What a case may call a distribution, and how the program calls it.
_MODELS: dict[str, ModelName] = {
    "weibull": "weibull",
    "lognormal": "lognormal",
    "boxcox": "box_cox",
    "box_cox": "box_cox",
    "johnson": "johnson",
    "empirical": "percentiles",
    "percentile": "percentiles",
}


def _capability(case: Case) -> Answer:
    params, data = _params(case), _input(case)
    asked = str(params.get("distribution") or "").lower()
    if model := next((name for word, name in _MODELS.items() if asked.startswith(word)), None):
        return _johnson(case) if model == "johnson" else _model(model)(case)
    specification = _specification(params)
    values, sizes = _sample(case)
    found: dict[float, Capability] = {}
    for level in _levels(params):
        if not values:
            found[level] = capability_of_summary(
                data["mean"],
                data.get("s", data.get("sd")),
                specification,
                count=data.get("n"),
                confidence=level,
            )
        else:
            found[level] = capability(
                values,
                specification,
                sizes=sizes,
                estimator=_estimator(case, is_grouped=sizes is not None),
                confidence=level,
                convention="qcc",  # the cases are from R
            )
    first = found[0.95]
    words = _words(case)
    is_overall = first.within is None or ("overall" in words and "within" not in words)
    if sizes is None and "mr" not in words:
        # Individuals without moving ranges are judged by the deviation of them all.
        is_overall = is_overall or "sd" in words or "n-1" in words
    answer: Answer = {}
    for level, each in found.items():
        main = each.overall if is_overall or each.within is None else each.within
        answer |= _intervals(main, WITHIN, level) | _intervals(each.overall, OVERALL, level)
    main = first.overall if is_overall or first.within is None else first.within
    cpm = first.overall.cpm
    return answer | {
        **_values(first.overall, OVERALL),
        **_values(main, WITHIN),
        "k": first.off_centre,
        "n": first.count,
        "mean": first.mean,
        "sd": first.overall.sigma,
        "sigma_overall": first.overall.sigma,
        "sigma_within": None if first.within is None else first.within.sigma,
        "within": None if first.within is None else _values(first.within, WITHIN),
        "overall": _values(first.overall, OVERALL),
        **_by_sigma("overall", first.overall),
        **({} if first.within is None else _by_sigma("within", first.within)),
        "exp_below": main.share_below,
        "exp_above": main.share_above,
        "obs_below": first.observed_below,
        "obs_above": first.observed_above,
        "observed_ppm_below": _per_million(first.observed_below),
        "observed_ppm_above": _per_million(first.observed_above),
        "Cpm_rounded2": None if cpm is None else round(cpm.value, 2),
        "Z": main.z_bench,
        "Z_min_lsl_usl": 3 * main.cpk.value,
    }


def _by_sigma(name: str, found: Indices) -> Answer:
    """Answer by keys that say at their end of which sigma they are: `ppm_below_overall`."""
    keys = ("Cp", "Cpl", "Cpu", "Cpk", "Cpm")
    return {f"{key}_{name}": value for key, value in _values(found, keys).items()}


def _per_million(share: float | None) -> float | None:
    return None if share is None else 1e6 * share


def _model(name: ModelName) -> Callable[[Case], Answer]:
    def answer(case: Case) -> Answer:
        params = _params(case)
        power = params.get("lambda")
        found = {
            level: model_capability(
                _sample(case)[0],
                _specification(params),
                name,
                power=float(power) if isinstance(power, int | float) else None,
                confidence=level,
            )
            for level in _levels(params)
        }
        first = found[0.95]
        answer: Answer = {
            **_values(first.overall, OVERALL),
            "q": first.quantiles,
            "obs_below": first.observed_below,
            "obs_above": first.observed_above,
            "observed_ppm_below": _per_million(first.observed_below),
            "observed_ppm_above": _per_million(first.observed_above),
            "n": first.count,
        }
        for level, each in found.items():
            answer |= _intervals(each.overall, OVERALL, level)
        match first.fit:
            case Weibull(shape, scale):
                answer |= {"shape": shape, "scale": scale}
            case Lognormal(mean, deviation):
                answer |= {"meanlog": mean, "sdlog_mle": deviation, "sdlog": deviation}
            case BoxCox(power, interval):
                answer |= {"lambda": power, "lambda_ci95": interval}
        return answer

    return answer


def _johnson(case: Case) -> Answer:
    """Answer with the p that was asked for, when the transformed values reach it."""
    params, given = _params(case), _sample(case)[0]
    values = present(given)[0].tolist()
    # The fit does not depend on limits; cases without any are given some far outside.
    specification = _specification(params)
    if specification.lower is None and specification.upper is None:
        specification = Specification(
            (min(values) + max(values)) / 2 - (max(values) - min(values)) / 4
        )
    found = model_capability(values, specification, "johnson")
    assert isinstance(found.fit, Johnson)
    assert found.p is not None
    return {
        **_values(found.overall, OVERALL),
        "function_text": found.fit.family,
        "transformed_ad_p": found.p,
        "raw_ad_p": found.raw_p,
        "min_required_ad_p_after": min(found.p, JOHNSON_P),
        "q": found.quantiles,
    }


def _normality(case: Case) -> Answer:
    found = normality(_sample(case)[0])
    return {
        "A2": found.anderson_darling,
        "ad_p": found.p,
        "W": found.shapiro_wilk,
        "sw_p": found.shapiro_wilk_p,
        "n": found.count,
    }


def _columns(case: Case, *names: str) -> list[list[Any]]:
    return [[row.get(name) for row in _input(case)["rows"]] for name in names]


def _grr(case: Case) -> Answer:
    params = _params(case)
    value, part, operator = _columns(case, "value", "part", "operator")
    words = f"{case['id']} {_words(case)}".lower()
    is_kept = any(each in words for each in ("kept", "with_interaction", "not pooled", "unpooled"))
    alpha = params.get("alpha_pool", None if is_kept else 0.25)
    found = crossed(
        value,
        part,
        operator,
        tolerance=params.get("tolerance"),
        alpha_pool=alpha,
        study_k=params.get("study_k") or 6,
    )
    rows = {row.source: row for row in found.anova}
    return _gauge_answer(found) | {
        "anova": {
            "SS": [row.squares for row in found.anova],
            "df": [row.degrees for row in found.anova],
            "MS": [row.mean_square for row in found.anova],
            "rows": [row.source for row in found.anova],
        },
        "F_part_vs_interaction": rows["part"].f,
        "F_operator_vs_interaction": rows["operator"].f,
        "F_interaction": rows["part:operator"].f,
        "p_interaction": found.interaction_p,
        "pooled": found.is_pooled,
    }


def _gauge_answer(found: GaugeStudy) -> Answer:
    has_tolerance = found.tolerance is not None
    return {
        "varcomp": {each.source: each.variance for each in found.components},
        "sd": {each.source: each.deviation for each in found.components},
        "pct_contribution": {each.source: 100 * each.contribution for each in found.components},
        "pct_study_variation": {each.source: 100 * each.of_study for each in found.components},
        "pct_tolerance": {
            each.source: 100 * (each.of_tolerance or 0.0) for each in found.components
        }
        if has_tolerance
        else None,
        "ndc_raw": found.categories_exact,
        "ndc": found.categories,
    }


def _nested(case: Case) -> Answer:
    params = _params(case)
    value, part, operator = _columns(case, "value", "part", "operator")
    found = nested(
        value,
        part,
        operator,
        tolerance=params.get("tolerance"),
        study_k=params.get("study_k") or 6,
    )
    rows: dict[str, AnovaRow] = {row.source: row for row in found.anova}
    return _gauge_answer(found) | {
        "MS": {name: row.mean_square for name, row in rows.items()},
        "SS": {name: row.squares for name, row in rows.items()},
        "df": {name: row.degrees for name, row in rows.items()},
        "F_operator": rows["operator"].f,
        "F_part": rows["part_in_operator"].f,
        "p_operator": rows["operator"].p,
        "p_part": rows["part_in_operator"].p,
    }


def _ranges(case: Case) -> Answer:
    params = _params(case)
    value, part, operator = _columns(case, "value", "part", "operator")
    found = averages_and_ranges(
        value,
        part,
        operator,
        tolerance=params.get("tolerance"),
        study_k=params.get("study_k") or 6,
        factors=(params.get("K1"), params.get("K2"), params.get("K3")),
    )
    assert found.ranges is not None
    answer = _gauge_answer(found) | {
        "Rbar": found.ranges.mean_range,
        "xbar_diff": found.ranges.between_operators,
        "Rp": found.ranges.between_parts,
    }
    sources = {"EV": "repeatability", "AV": "operator", "GRR": "grr", "PV": "part", "TV": "total"}
    by_source = {each.source: each for each in found.components}
    for name, source in sources.items():
        component = next(each for key, each in by_source.items() if key == source)
        answer[name] = component.deviation
        answer[f"pct_{name}"] = 100 * component.of_study
    return answer


def _rr(case: Case) -> Answer:
    """Choose by the method's name: nested, or by ranges, or else by analysis of variance."""
    words = f"{case['id']} {_words(case)}".lower()
    if (
        "nested" in words
        or "destructive" in words
        or is_nested(*_columns(case, "part", "operator"))
    ):
        return _nested(case)
    if "xbar_r" in words or "range" in words:
        return _ranges(case)
    return _grr(case)


def _type_1(case: Case) -> Answer:
    params = _params(case)
    answer: Answer = {}
    for level in _levels(params):
        found = type_1(
            _sample(case)[0],
            params.get("reference"),
            tolerance=params.get("tolerance"),
            k_percent=params.get("K_percent") or 20,
            study_k=params.get("study_k") or 6,
            confidence=level,
        )
        answer |= {
            f"bias_ci{round(100 * level)}": found.test.interval,
            "mean": found.mean,
            "sd": found.deviation,
            "bias": found.test.bias,
            "Cg": found.cg,
            "Cgk": found.cgk,
            "pct_var_repeatability": _percent(found.repeatability_share),
            "pct_var_repeatability_bias": _percent(found.repeatability_bias_share),
            "t": found.test.t,
            "p": found.test.p,
        }
    return answer


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _linearity(case: Case) -> Answer:
    data = _input(case)
    found = linearity(
        data["reference"],
        data["measurement"],
        process_variation=_params(case).get("process_variation"),
    )

    def each(pick: Callable[[BiasTest], float | None]) -> list[float | None]:
        return [pick(test) for test in found.by_reference]

    return {
        "intercept": found.intercept,
        "slope": found.slope,
        "r2": found.r_squared,
        "s": found.deviation,
        "p_slope": found.p_slope,
        "p_intercept": found.p_intercept,
        "bias_by_ref": each(lambda test: test.bias),
        "p_by_ref": each(lambda test: test.p),
        "p_bias_by_ref": each(lambda test: test.p),
        "average_bias": found.average.bias,
        "p_average_bias": found.average.p,
        "linearity": found.linearity,
        "pct_linearity": 100 * found.linearity_share,
        "pct_bias": _percent(found.bias_share),
    }


def _interval(matches: Matches | None) -> list[float] | None:
    return None if matches is None else [100 * matches.low, 100 * matches.high]


def _agreement(case: Case) -> Answer:
    result, part, operator, reference = _columns(case, "result", "part", "operator", "reference")
    found = attribute_agreement(
        result, part, operator, None if all(each is None for each in reference) else reference
    )
    people = {each.name: each for each in found.appraisers}
    versus = {name: each.versus for name, each in people.items()}
    return {
        "cohen_vs_standard": {name: each.cohen for name, each in people.items()},
        "each_vs_standard_matched": {name: m.matched for name, m in versus.items() if m},
        "within_matched": {name: e.within.matched for name, e in people.items() if e.within},
        "fleiss_within": {name: each.fleiss_within for name, each in people.items()},
        "n_parts": found.parts,
        "fleiss_between": found.fleiss_between,
        "between_matched": None if found.between is None else found.between.matched,
        "all_vs_standard_matched": None if found.all_versus is None else found.all_versus.matched,
        "ci95_vs_standard_pct": {name: _interval(each) for name, each in versus.items()},
        "ci95_within_pct": {name: _interval(each.within) for name, each in people.items()},
        "ci95_between_pct": _interval(found.between),
        "ci95_all_vs_standard_pct": _interval(found.all_versus),
        **{f"ci95_{name}_vs_standard_pct": _interval(each) for name, each in versus.items()},
    }


def _histogram(case: Case) -> Answer:
    values = _sample(case)[0]
    found, classes = describe(values), class_counts(values)
    drawn = histogram(values)
    return {
        "n": found.count,
        "mean": found.mean,
        "sd": found.deviation,
        "min": found.minimum,
        "max": found.maximum,
        "median": found.median,
        "q1_type7": found.lower_quartile,
        "q3_type7": found.upper_quartile,
        "nclass_sturges": classes.sturges,
        "nclass_scott": classes.scott,
        "nclass_fd": classes.freedman_diaconis,
        "skewness_g1": found.skewness,
        "kurtosis_excess_g2": found.excess_kurtosis,
        "counts": drawn.counts,
        "breaks": drawn.edges,
    }


ADAPTERS: dict[str, Callable[[Case], Answer]] = {
    "capability": _capability,
    "capability.weibull": _model("weibull"),
    "capability.lognormal": _model("lognormal"),
    "capability.boxcox": _model("box_cox"),
    "capability.empirical_percentile": _model("percentiles"),
    "capability.johnson": _johnson,
    "normality": _normality,
    "grr": _rr,
    "type1_gage": _type_1,
    "linearity": _linearity,
    "attribute_agreement": _agreement,
    "histogram": _histogram,
}
