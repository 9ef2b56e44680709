"""Adapters from reference cases to yield and Pareto."""

from collections.abc import Callable, Mapping
from typing import Any

from qhub_desktop.quality.pareto import pareto
from qhub_desktop.quality.process_yield import SHIFT, process_yield, sigma_level

Case = Mapping[str, Any]
Answer = dict[str, Any]


def _params(case: Case) -> Mapping[str, Any]:
    return case.get("params") or {}  # an empty one is a list


def rolled(case: Case) -> Answer:
    """Answer the yields of steps in a row."""
    data = case["input"]
    result = process_yield(
        data["units"],
        data["defective_first_pass"],
        data.get("defects"),
        data.get("opportunities_per_unit", 1),
    )
    return {
        "fty": [step.first_time_yield for step in result.steps],
        "rty": result.rolled,
        "dpu": [step.dpu for step in result.steps],
        "dpmo": [step.dpmo for step in result.steps],
        "total_dpu": result.rolled_dpu,
    }


def levels(case: Case) -> Answer:
    """Answer the sigma levels of defects per million."""
    shift = _params(case).get("shift", SHIFT)
    given = case["input"]["dpmo"]
    return {
        "sigma_level": [sigma_level(value, shift) for value in given],
        "sigma_no_shift": [sigma_level(value, 0) for value in given],
    }


def scrap_and_rework(case: Case) -> Answer:
    """Answer the yields of one lot through steps that scrap or mend."""
    data = case["input"]
    scrap, mended, units = data["defects"], data["rework"], data["units"]
    not_good = [bad + again for bad, again in zip(scrap, mended, strict=True)]
    steps = process_yield([units] * len(scrap), not_good)
    end = process_yield([units], [sum(scrap)])
    return {
        "Yield": end.rolled,
        "FTY": process_yield([units], [sum(not_good)]).rolled,
        "RTY": steps.rolled,
        "DPMO": end.total_dpmo,
    }


def causes(case: Case) -> Answer:
    """Answer the order of causes and the vital few."""
    result = pareto(case["input"]["counts"], _params(case).get("threshold", 80), others="Outros")
    return {
        "order": list(result.labels),
        "counts": list(result.weights),
        "cum_count": list(result.cumulative),
        "pct": list(result.percent),
        "cum_pct": list(result.cumulative_percent),
        "vital_few_80": list(result.vital_few),
    }


ADAPTERS: dict[str, Callable[[Case], Answer]] = {
    "yield.rty": rolled,
    "yield.dpmo_sigma": levels,
    "yield.sixsigma": scrap_and_rework,
    "yield.sixsigma*": scrap_and_rework,
    "pareto": causes,
}
