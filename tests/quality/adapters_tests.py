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
    made = _listed(data["units"])
    bad = _first(data, ("defective_first_pass", *_NOT_GOOD)) or []
    if (good := _first(data, _GOOD)) is not None:
        bad = [units - right for units, right in zip(made * len(good), good, strict=False)]
    result = process_yield(
        made if len(made) > 1 else made * len(bad),
        bad,
        _first(data, ("defects",)),
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
_UNITS = ("units", "inspected", "produced", "n", "total", "volume", "parts", "checked")
_GOOD = (
    "first_pass_ok",
    "good_first_pass",
    "first_pass_good",
    "good",
    "ok",
    "passed",
    "first_pass",
)
_NOT_GOOD = (
    *("defective_first_pass", "defectives", "defective", "not_good", "nok", "rejected"),
    *("failed", "bad", "rejects"),
)
_LABELS = ("shift", "shifts", "group", "label", "labels", "name", "step", "steps")
_WHOLE = ("total", "overall", "weighted", "all", "plant", "day", "whole", "unit")


def _first(data: Mapping[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    return next((_listed(data[name]) for name in names if name in data), None)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _columns(data: Any) -> Mapping[str, Any]:
    """Return rows, by themselves, below `rows` or by name of the shift, as columns."""
    if isinstance(data, Mapping):
        if set(data) <= {"shifts", "rows", "by_shift", "data"} and len(data) == 1:
            return _columns(next(iter(data.values())))
        if not data or not all(isinstance(each, Mapping) for each in data.values()):
            return dict(data)
        data = [{"shift": name, **row} for name, row in data.items()]
    rows = [dict(row) for row in data]
    return {name: [row[name] for row in rows] for name in rows[0]}


def by_shift(case: Case) -> Answer:
    """Answer first-time quality of each shift, and of all with each counting by its units."""
    params = _params(case)
    data = {**params, **_columns(case.get("input") or params)}
    made: list[float] = list(_first(data, _UNITS) or [])
    good, bad = _first(data, _GOOD), _first(data, _NOT_GOOD)
    if bad is None and good is not None:
        bad = [units - right for units, right in zip(made, good, strict=True)]
    if bad is None and ("rework" in data or "scrap" in data):
        none = [0] * len(made)
        lost = _listed(data.get("scrap", data.get("defects", none)))
        both = zip(_listed(data.get("rework", none)), lost, strict=True)
        bad = [mended + gone for mended, gone in both]
    defects = _first(data, ("defects",))
    bad = list((defects or []) if bad is None else bad)
    names = list(_first(data, _LABELS) or [])
    if len(names) != len(made):
        names = list(range(1, len(made) + 1))
    kept = list(dict.fromkeys(names))  # several rows of one shift count as one

    def added(values: list[float]) -> list[float]:
        return [
            sum(value for value, name in zip(values, names, strict=True) if name == shift)
            for shift in kept
        ]

    opportunities = data.get("opportunities_per_unit", data.get("opportunities", 1))
    shift = params.get("shift", SHIFT)
    result = process_yield(
        added(made),
        added(bad),
        None if defects is None else added(defects),
        opportunities,
        shift if isinstance(shift, int | float) else SHIFT,
    )
    steps = result.steps
    each = {
        "ftq": [step.first_time_yield for step in steps],
        "dpu": [step.dpu for step in steps],
        "dpmo": [step.dpmo for step in steps],
        "units": [step.units for step in steps],
        "defects": [step.defects for step in steps],
        "defective": added(bad),
        "sigma": [sigma_level(step.dpmo) for step in steps],
    }
    total = {
        "ftq": result.weighted,
        "dpu": result.total_dpu,
        "dpmo": result.total_dpmo,
        "units": result.total_units,
        "defects": sum(step.defects for step in steps),
        "defective": sum(bad),
        "sigma": result.sigma_level,
        "rty": result.rolled,
    }
    shifts = [str(name) for name in kept]
    return {
        key: _named(key, wanted, each, total, shifts)
        for key, wanted in dict(case["expected"]).items()
    }


def _named(key: str, wanted: Any, each: Answer, total: Answer, shifts: list[str]) -> Any:
    """Read from a key and its shape what is asked for: ftq_total is of all, ftq of each shift."""
    words = key.lower().replace("fty", "ftq").replace("fpy", "ftq").split("_")
    quantity = next((word for word in words if word in total), None)
    if quantity is None:
        # An object by shift, or of all: what stands in it says what it holds.
        if not isinstance(wanted, Mapping):
            return None
        if key in shifts:
            at = shifts.index(key)
            one = {name: values[at] for name, values in each.items()}
            return {name: _named(name, None, {}, one, []) for name in wanted}
        if set(words) & set(_WHOLE):
            return {name: _named(name, None, {}, total, []) for name in wanted}
        return {name: _named(name, inner, each, total, shifts) for name, inner in wanted.items()}
    is_whole = bool(set(words) & set(_WHOLE)) or quantity not in each
    is_single = isinstance(wanted, int | float) and len(shifts) > 1
    scale = 100 if {"pct", "percent"} & set(words) else 1
    if is_whole or is_single or not each:
        return scale * total[quantity]
    values = [scale * value for value in each[quantity]]
    by_name = dict(zip(shifts, values, strict=True))
    if isinstance(wanted, Mapping):
        return by_name | {word: scale * total[quantity] for word in _WHOLE if word not in by_name}
    return values


def levels(case: Case) -> Answer:
    """Answer the sigma levels of defects per million."""
    shift = _params(case).get("shift", SHIFT)
    data = {**_params(case), **(case.get("input") or {})}
    given = _listed(data["dpmo"])
    return {
        "sigma_level": [sigma_level(value, shift) for value in given],
        "sigma_no_shift": [sigma_level(value, 0) for value in given],
    }


def scrap_and_rework(case: Case) -> Answer:
    """Answer the yields of one lot through steps that scrap or mend."""
    data = case["input"]
    units = data["units"]
    scrap, mended = _listed(data["defects"]), _listed(data["rework"])
    not_good = [bad + again for bad, again in zip(scrap, mended, strict=True)]
    steps = process_yield([units] * len(scrap), not_good)
    end = process_yield([units], [sum(scrap)])
    return {
        "DPU": end.total_dpu,
        "Yield": end.rolled,
        "FTY": process_yield([units], [sum(not_good)]).rolled,
        "RTY": steps.rolled,
        "DPMO": end.total_dpmo,
    }


def causes(case: Case) -> Answer:
    """Answer the order of causes and the vital few."""
    threshold = float(_params(case).get("threshold", 80))
    result = pareto(case["input"]["counts"], threshold, others="Outros")
    return {
        "order": list(result.labels),
        "counts": list(result.weights),
        "cum_count": list(result.cumulative),
        "pct": list(result.percent),
        "cum_pct": list(result.cumulative_percent),
        "vital_few_80": list(result.vital_few),
        f"vital_few_{threshold:g}": list(result.vital_few),
        "vital_few": list(result.vital_few),
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
