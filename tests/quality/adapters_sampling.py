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
            query["lot_size"],
            query["aql_pct"],
            query.get("level", "II"),
            query.get("severity", severity),
        )
        plans.append({"n": plan.sample_size, "Ac": plan.accept, "Re": plan.reject})
    return {"plans": plans}


def curve(case: Case) -> Answer:
    """Answer the points of a plan's operating curve."""
    data = case["input"]
    found = operating_curve(data["n"], data["c"], data["p"], data.get("lot"))
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
    kind = str(params.get("type", "binomial"))
    plans = [
        design_plan(
            tuple(points["prp"]),
            tuple(points["crp"]),
            distribution=_DISTRIBUTIONS.get(kind, kind),
            lot_size=points.get("lot", params.get("lot")),
        )
        for points in case["input"]["plans"]
    ]
    return {"n": [plan.sample_size for plan in plans], "c": [plan.accept for plan in plans]}


ADAPTERS: dict[str, Callable[[Case], Answer]] = {
    "aql": single,
    "oc": curve,
    "plan": designed,
}
