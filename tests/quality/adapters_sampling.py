"""Adapters from reference cases to acceptance sampling."""

from collections.abc import Callable, Mapping
from typing import Any

from qhub_desktop.quality.acceptance_sampling import aql_plan, design_plan, operating_curve

Case = Mapping[str, Any]
Answer = dict[str, Any]
_DISTRIBUTIONS = {"hypergeom": "hypergeometric"}


def _params(case: Case) -> Mapping[str, Any]:
    return case.get("params") or {}  # an empty one is a list


def single(case: Case) -> Answer:
    """Answer the standard's plans for lots, levels and AQLs."""
    severity = str(_params(case).get("severity", "normal"))
    plans = []
    for query in case["input"]["queries"]:
        plan = aql_plan(
            int(query["lot_size"]),
            float(query["aql_pct"]),
            str(query.get("level", "II")),
            str(query.get("severity", severity)),
        )
        plans.append({"n": plan.sample_size, "Ac": plan.accept, "Re": plan.reject})
    return {"plans": plans}


def curve(case: Case) -> Answer:
    """Answer the points of a plan's operating curve."""
    data = {**_params(case), **(case.get("input") or {})}
    shares = data["p"] if isinstance(data["p"], list) else [data["p"]]
    found = operating_curve(data["n"], data["c"], shares, data.get("lot"))
    return {
        "binomial": found.binomial,
        "poisson": found.poisson,
        "hypergeom": found.hypergeometric,
        "aoq": found.outgoing,
        "ati": found.inspected,
        "aoql": found.outgoing_limit,
    }


def designed(case: Case) -> Answer:
    """Answer the plans that hold two points each."""
    params = _params(case)
    kind = str(params.get("type", params.get("distribution", "binomial")))
    given = {**params, **(case.get("input") or {})}
    asked = given.get("plans", given)
    asked = asked if isinstance(asked, list) else [asked]
    plans = [
        design_plan(
            tuple(points["prp"]),
            tuple(points["crp"]),
            distribution=_DISTRIBUTIONS.get(kind, kind),
            lot_size=points.get("lot", params.get("lot")),
        )
        for points in asked
    ]
    sizes, accepted = [plan.sample_size for plan in plans], [plan.accept for plan in plans]
    return {"n": sizes, "c": accepted, "r": [each + 1 for each in accepted]}


ADAPTERS: dict[str, Callable[[Case], Answer]] = {
    "aql": single,
    "oc": curve,
    "plan": designed,
}
