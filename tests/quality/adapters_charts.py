"""Adapters for control charts, their constants and their rules."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from qhub_desktop.quality import (
    attribute_charts,
    constants,
    variable_charts,
    weighted_charts,
)
from qhub_desktop.quality.constants import SubgroupEstimator
from qhub_desktop.quality.control_charts import ChartPlan, ControlChart, ControlLimits
from qhub_desktop.quality.run_rules import LIMITS_ONLY, NELSON, WESTERN_ELECTRIC, rule_flags
from tests.quality.run_reference import Adapter, Case

RUN = replace(NELSON.only("nelson2"), nelson2=7)


def params_of(case: Case) -> dict[str, Any]:
    return dict(case.get("params") or {})


def as_rows(value: Any) -> list[list[float]]:
    """Subgroups as lists; a subgroup of one may be a bare number."""
    return [each if isinstance(each, list) else [each] for each in as_list(value)]


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def one_based(positions: Any) -> list[int]:
    return [int(each) + 1 for each in positions]


def answers(chart: ControlChart, first: int) -> dict[str, Any]:
    """All keys of a chart; `first` points are phase I, the rest phase II."""
    count = chart.statistics.size
    beyond = one_based(chart.beyond)
    flags = rule_flags(chart.statistics, chart.centre, chart.spread, RUN)["nelson2"]
    runs = one_based(np.flatnonzero(flags))
    return {
        "center": chart.centre,
        "sigma": chart.sigma,
        "lcl": chart.lower,
        "ucl": chart.upper,
        "statistics": chart.statistics[:first],
        "beyond_limits_1based": [each for each in beyond if each <= first],
        "beyond_1based": beyond,
        "runs7_1based": [each for each in runs if each <= first],
        "phase2_statistics": chart.statistics[first:] if first < count else None,
        "phase2_beyond_1based": [each for each in beyond if each > first],
        "phase2_beyond_limits_1based": [each for each in beyond if each > first],
        "phase2_runs7_1based": [each for each in runs if each > first],
        "combined_beyond_1based": beyond,
        "combined_runs7_1based": runs,
    }


def planned(case: Case, first: int, draw: Callable[[ChartPlan], ControlChart]) -> ControlChart:
    """Draw with the case's width; a sigma or centre that is given replaces its estimate."""
    params = params_of(case)
    plan = ChartPlan(baseline=first, rules=LIMITS_ONLY, sigmas=float(params.get("nsigmas") or 3))
    sigma = params.get("sigma", params.get("std_dev"))
    centre = params.get("center", params.get("target"))
    sigma = sigma if isinstance(sigma, int | float) else None
    if sigma is None and centre is None:
        return draw(plan)
    if sigma is None or centre is None:
        found = draw(plan).limits[0]
        sigma = found.sigma if sigma is None else sigma
        centre = found.centre if centre is None else centre
    return draw(replace(plan, frozen=ControlLimits(float(centre), float(sigma))))


def subgroups(case: Case) -> tuple[list[list[float]], int]:
    rows = as_rows(case["input"]["subgroups"])
    return rows + as_rows(case["input"].get("phase2_subgroups")), len(rows)


def estimator_in(case: Case, otherwise: SubgroupEstimator | None = None) -> SubgroupEstimator:
    """Read from the method's words how sigma within subgroups is to be estimated."""
    words = str(case.get("method")).lower()
    is_weighted = "mvlue" in words
    if otherwise == "pooled" or (otherwise is None and ("pooled" in words or "rmsdf" in words)):
        return "pooled"
    by_deviations = "c4" in words or "sbar" in words or "mvlue-sd" in words
    if otherwise == "deviation" or (otherwise is None and by_deviations):
        return "weighted_deviation" if is_weighted else "deviation"
    return "weighted_range" if is_weighted else "range"


def individuals_estimator_in(case: Case) -> variable_charts.IndividualsEstimator:
    """Read from the method's words how sigma of individuals is to be estimated."""
    words = str(case.get("method")).lower()
    if "median" in words:
        return "mr_median"
    return "sd" if re.search(r"\bsd\b|\bs/c4", words) else "mr_mean"


def averages(estimator: SubgroupEstimator | None = None) -> Adapter:
    def answer(case: Case) -> dict[str, Any]:
        rows, first = subgroups(case)
        chosen = estimator_in(case, estimator)
        chart = planned(
            case, first, lambda plan: variable_charts.averages(rows, plan, estimator=chosen)
        )
        return answers(chart, first)

    return answer


def spread(of: Literal["range", "deviation"]) -> Adapter:
    def answer(case: Case) -> dict[str, Any]:
        rows, first = subgroups(case)
        chosen = estimator_in(case, of)

        def draw(plan: ChartPlan) -> ControlChart:
            if of == "range":
                return variable_charts.ranges_chart(rows, plan, estimator=chosen)
            return variable_charts.deviations_chart(rows, plan, estimator=chosen)

        return answers(planned(case, first, draw), first)

    return answer


def individuals(estimator: variable_charts.IndividualsEstimator | None = None) -> Adapter:
    def answer(case: Case) -> dict[str, Any]:
        chosen = estimator or individuals_estimator_in(case)
        phase_one = as_list(case["input"]["x"])
        x = phase_one + as_list(case["input"].get("phase2_x"))
        moving = int(params_of(case).get("mr_length") or 2)
        chart = planned(
            case,
            len(phase_one),
            lambda plan: variable_charts.individuals(x, plan, estimator=chosen, moving=moving),
        )
        companion = chart.companion
        assert companion is not None
        return {
            **answers(chart, len(phase_one)),
            "mr_bar": companion.centre[0],
            "mr_ucl": companion.upper[0],
            "mr_lcl": companion.lower[0],
        }

    return answer


def attributes(
    draw: Callable[[Any, Any, ChartPlan], ControlChart], *, sized: bool = True
) -> Adapter:
    def answer(case: Case) -> dict[str, Any]:
        given = case["input"]
        name = "defectives" if "defectives" in given else "defects"
        phase_one, later = as_list(given[name]), as_list(given.get(f"phase2_{name}"))
        sizes: list[Any] | None = None
        if sized and given.get("n") is not None:
            sizes = spread_over(given["n"], len(phase_one))
            if later:
                sizes += spread_over(given.get("phase2_n", sizes[-1]), len(later))
        first = len(phase_one)
        centre = params_of(case).get("center")
        if isinstance(centre, int | float):  # with counts, the centre says what sigma is
            case = {**case, "params": {**params_of(case), "sigma": sigma_of(name, centre)}}
        chart = planned(case, first, lambda plan: draw(phase_one + later, sizes, plan))
        found = answers(chart, first)
        found["sigma_z"] = chart.limits[0].sigma_z
        if chart.kind == "np":
            found["sigma"] = chart.spread
        return found

    return answer


def sigma_of(counted: str, centre: float) -> float:
    return float(np.sqrt(centre * (1 - centre) if counted == "defectives" else centre))


def spread_over(value: Any, count: int) -> list[Any]:
    values = as_list(value)
    return values * count if len(values) == 1 else list(values)


def constants_table(case: Case) -> dict[str, Any]:
    sizes = as_list(case["input"]["n"])
    tables = [constants.factors(int(size)) for size in sizes]
    return {name: [table[name] for table in tables] for name in tables[0]}


def nelson(case: Case) -> dict[str, Any]:
    params = params_of(case)
    numbers = params.get("K") or {}
    changed: dict[str, Any] = {}
    for name, value in numbers.items() if isinstance(numbers, dict) else ():
        code = f"nelson{name.removeprefix('nelson').removeprefix('n')}"
        number = float(str(value).split("of", maxsplit=1)[0])
        changed[code] = number if code == "nelson1" else int(number)
    for option, key in (("trend_counts", "trend"), ("alternation_counts", "alternate")):
        said = str(params.get(f"{key}_counts", "points"))
        changed[option] = "steps" if said.startswith("steps") else "points"
    rules = replace(NELSON, **changed)
    found = flagged(case, rules)
    both = flagged(case, replace(rules.only("nelson8"), nelson8_sides="both"))
    return {**found, "nelson8_if_both_sides_required": both["nelson8"]}


def western_electric(case: Case) -> dict[str, Any]:
    found = flagged(case, WESTERN_ELECTRIC)
    return {code.removeprefix("we").join(("w", "")): places for code, places in found.items()}


def flagged(case: Case, rules: Any) -> dict[str, Any]:
    given = {**params_of(case), **case["input"]}
    x = np.array(as_list(given["x"]), dtype=float)
    lines = np.array(as_list(given["center"])), np.array(as_list(given["sigma"]))
    centre, sigma = (np.broadcast_to(each, x.shape) for each in lines)
    flags = rule_flags(x, centre, sigma, rules)
    return {code: one_based(np.flatnonzero(flags[code])) for code in flags}


def base_chart(case: Case) -> tuple[ControlChart, int]:
    """Return the chart of individuals or averages that an EWMA or CUSUM is made of."""
    given = case["input"]
    if "subgroups" in given:
        rows, first = subgroups(case)
        by = estimator_in(case)
        return planned(
            case, first, lambda plan: variable_charts.averages(rows, plan, estimator=by)
        ), first
    x = as_list(given["x"])
    everything, first = x + as_list(given.get("phase2_x")), len(x)
    of = individuals_estimator_in(case)
    return planned(
        case, first, lambda plan: variable_charts.individuals(everything, plan, estimator=of)
    ), first


def ewma(case: Case) -> dict[str, Any]:
    params = params_of(case)
    base, _first = base_chart(case)
    settings: dict[str, Any] = {
        "weight": float(params.get("lambda", 0.2)),
        "width": float(params.get("L", params.get("nsigmas", 3))),
    }
    exact = weighted_charts.ewma(base, **settings)
    wide = weighted_charts.ewma(base, **settings, limits="asymptotic")
    beyond = one_based(exact.beyond)
    return {
        "center": exact.centre,
        "sigma": exact.sigma,
        "ewma": exact.statistics,
        "statistics": base.statistics,
        "lcl": exact.lower,
        "ucl": exact.upper,
        "lcl_exact": exact.lower,
        "ucl_exact": exact.upper,
        "lcl_asymptotic": wide.lower,
        "ucl_asymptotic": wide.upper,
        "beyond_limits_1based": beyond,
        "beyond_1based": beyond,
    }


def cusum(case: Case) -> dict[str, Any]:
    params = params_of(case)
    base, _first = base_chart(case)
    head_start = float(params.get("head_start") or 0)
    if "K_abs" in params or "H_abs" in params:
        chart = weighted_charts.cusum(
            base,
            k=float(params.get("K_abs", 0)),
            h=float(params["H_abs"]),
            head_start=head_start,
            units="data",
        )
    else:
        chart = weighted_charts.cusum(
            base,
            k=float(params.get("k", 0.5)),
            h=float(params.get("h", 5)),
            head_start=head_start,
        )
    assert chart.companion is not None
    negative = chart.companion.statistics
    return {
        "center": base.centre,
        "sigma": base.sigma,
        "c_plus": chart.statistics,
        "s_hi": chart.statistics,
        "c_minus": -negative,
        "s_lo": -negative,
        "c_minus_negative": negative,
        "upper_signals_1based": one_based(chart.beyond),
        "lower_signals_1based": one_based(chart.companion.beyond),
    }


def run_lengths(case: Case) -> dict[str, Any]:
    """Read chart and numbers from the key: cusum_k05_h5_shift1 is k 0.5, h 5, shift 1."""
    found: dict[str, Any] = {}
    for key in dict(case["expected"]):
        kind, *words = key.split("_")
        numbers = {}
        for word in (kind, *words):
            read = re.fullmatch(r"([A-Za-z]+?)(\d)(\d*)", word)
            if read:
                numbers[read[1]] = float(f"{read[2]}.{read[3] or 0}")
        shift = numbers.get("shift", 0.0)
        if kind.startswith("shewhart"):
            found[key] = weighted_charts.shewhart_arl(
                width=numbers.get("shewhart", numbers.get("L", 3.0)), shift=shift
            )
        elif kind == "cusum":
            found[key] = weighted_charts.cusum_arl(
                k=numbers.get("k", 0.5), h=numbers.get("h", 5.0), shift=shift
            )
        elif kind == "ewma":
            found[key] = weighted_charts.ewma_arl(
                weight=numbers.get("l", 0.2), width=numbers.get("L", 3.0), shift=shift
            )
    return found


ADAPTERS: dict[str, Adapter] = {
    "xbar_r": averages("range"),
    "xbar_s": averages("deviation"),
    "xbar_rmsdf": averages("pooled"),
    "xbar": averages(),
    "r_chart": spread("range"),
    "r": spread("range"),
    "s_chart": spread("deviation"),
    "s": spread("deviation"),
    "imr": individuals(),
    "individuals_sd": individuals("sd"),
    "p": attributes(attribute_charts.defective_shares),
    "np": attributes(attribute_charts.defective_numbers),
    "c": attributes(
        lambda counts, _sizes, plan: attribute_charts.defect_counts(counts, plan), sized=False
    ),
    "u": attributes(attribute_charts.defect_rates),
    "laney_p": attributes(attribute_charts.laney_shares),
    "laney_u": attributes(attribute_charts.laney_rates),
    "ewma": ewma,
    "cusum": cusum,
    "arl": run_lengths,
    "constants": constants_table,
    "rules.nelson": nelson,
    "rules.western_electric": western_electric,
}
