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


# What the columns of a table of shifts may be called.
_UNITS = ("units", "inspected", "produced", "n", "total")
_GOOD = ("good_first_pass", "first_pass_good", "good", "ok", "passed")
_NOT_GOOD = ("defective_first_pass", "defectives", "defective", "not_good", "nok", "rejected")
_LABELS = ("shift", "shifts", "group", "label", "labels")


def _first(data: Mapping[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    return next((data[name] for name in names if name in data), None)


def _columns(data: Any) -> Mapping[str, Any]:
    """Return rows, if that is what there is, as columns."""
    rows = data.get("rows") if isinstance(data, Mapping) else data
    if not rows:
        return dict(data)
    return {name: [row[name] for row in rows] for name in rows[0]}


def by_shift(case: Case) -> Answer:
    """Answer first-time quality of each shift, and of all with each counting by its units."""
    data = _columns(case["input"])
    made: list[float] = list(_first(data, _UNITS) or [])
    good, bad = _first(data, _GOOD), _first(data, _NOT_GOOD)
    if bad is None and good is not None:
        bad = [units - right for units, right in zip(made, good, strict=True)]
    if bad is None and ("rework" in data or "scrap" in data):
        none = [0] * len(made)
        lost = data.get("scrap", data.get("defects", none))
        both = zip(data.get("rework", none), lost, strict=True)
        bad = [mended + gone for mended, gone in both]
    defects = data.get("defects")
    bad = list((defects or []) if bad is None else bad)
    names = list(_first(data, _LABELS) or range(1, len(made) + 1))
    kept = list(dict.fromkeys(names))  # several rows of one shift count as one

    def added(values: list[float]) -> list[float]:
        return [
            sum(value for value, name in zip(values, names, strict=True) if name == shift)
            for shift in kept
        ]

    opportunities = data.get("opportunities_per_unit", data.get("opportunities", 1))
    result = process_yield(
        added(made), added(bad), None if defects is None else added(defects), opportunities
    )
    each = [step.first_time_yield for step in result.steps]
    total = result.weighted
    return {
        **dict.fromkeys(("ftq", "FTQ", "fty", "ftq_per_shift"), each),
        **dict.fromkeys(("ftq_total", "total_ftq", "ftq_weighted", "ftq_overall"), total),
        "ftq_by_shift": dict(zip(map(str, kept), each, strict=True)),
        "ftq_pct": [100 * value for value in each],
        "ftq_total_pct": 100 * total,
        "rty": result.rolled,
        "dpu": [step.dpu for step in result.steps],
        "dpmo": [step.dpmo for step in result.steps],
        **dict.fromkeys(("dpu_total", "total_dpu"), result.total_dpu),
        **dict.fromkeys(("dpmo_total", "total_dpmo"), result.total_dpmo),
        **dict.fromkeys(("units_total", "total_units"), result.total_units),
        **dict.fromkeys(("defective_total", "total_defective"), sum(bad)),
        "sigma_level": result.sigma_level,
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
    "yield.ftq": by_shift,
    "yield.ftq*": by_shift,
    "yield.dpmo_sigma": levels,
    "yield.sixsigma": scrap_and_rework,
    "yield.sixsigma*": scrap_and_rework,
    "pareto": causes,
}
