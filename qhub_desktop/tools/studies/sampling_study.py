"""Sampling plans as studies: by AQL and its switching rules, by two risks, accepting on zero."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from qhub_desktop.core.codec import Json
from qhub_desktop.core.figure import Axis, Figure, Label, Line, Points, Rule
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.acceptance_sampling import (
    DesignedPlan,
    OperatingCurve,
    SamplingPlan,
    accepted_rates,
    aql_plan,
    design_plan,
    operating_curve,
    zero_plan,
)
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.switching_rules import SwitchingState, judged_lot
from qhub_desktop.tools.studies.names import KEPT_LOTS, SEVERITIES
from qhub_desktop.tools.studies.selection import Computed, FloatArray
from qhub_desktop.tools.studies.words import rounded, sentences

HIGHEST_SHARE = 10.0  # AQLs above are of nonconformities in 100 units alone
LEAST_DRAWN = 0.01
RISKS = (0.95, 0.10)  # how often good lots are accepted at least, and bad ones at most
ZERO_CONFIDENCE = 90.0  # %, of a plan that accepts on zero: the usual consumer's risk of 10 %
LOTS_SHOWN = 10  # the last lots of a characteristic, in the table of the card
_BY_NAME = {"apertada": "tightened", "reduzida": "reduced", "normal": "normal"}
_NAMES = {by: name for name, by in _BY_NAME.items()}


def _designed(given: Mapping[str, Any]) -> DesignedPlan:
    """Find the smallest plan of two points, or of the one to reject; of a lot if it is known."""
    good, bad, lot = given.get("bom"), given.get("mau"), given.get("lote")
    if good is None and bad is not None:
        return zero_plan(bad / 100, given.get("confianca", ZERO_CONFIDENCE) / 100, lot)
    if good is None or bad is None:
        raise NotComputableError(
            "risks",
            _(
                "Give the AQL (nqa) and the lot (lote), or the percentages nonconforming to accept"
                " (bom) and to reject (mau)."
            ),
        )
    return design_plan(
        (good / 100, RISKS[0]),
        (bad / 100, RISKS[1]),
        distribution="binomial" if lot is None else "hypergeometric",
        lot_size=lot,
    )


def _designed_facts(designed: DesignedPlan, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    lot, is_zero = given.get("lote"), given.get("bom") is None
    named = (
        _("Smallest plan that accepts on zero (c = 0)")
        if is_zero
        else _("Smallest single plan for two risks")
    )
    if lot is not None:
        named = _("{plan}, of a lot (hypergeometric)").format(plan=named)
    facts = [(_("Method"), named)]
    if lot is not None:
        facts.append((_("Lot"), number(lot, digits=0)))
    if not is_zero:
        facts.append((_("Producer's risk"), percent(designed.producer_risk)))
    facts.append((_("Consumer's risk"), percent(designed.consumer_risk)))
    return facts


@dataclass(frozen=True, slots=True)
class _Switched:
    """What the lots of a characteristic have led to."""

    severity: str
    said: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[TableView, ...] = ()


def _plan_of(given: Mapping[str, Any], severity: str) -> SamplingPlan:
    return aql_plan(given["lote"], given["nqa"], given.get("nivel", "II"), severity)


def _switched(given: Mapping[str, Any]) -> _Switched:
    """Follow the lots of a characteristic by the switching rules; without them, as it is asked."""
    asked = given.get("severidade")
    lots = given.get(KEPT_LOTS)
    if not lots:
        return _Switched(_BY_NAME.get(asked or "", "normal"))
    state, said, rows = SwitchingState(), "", list[tuple[Cell, ...]]()
    for lot in lots:
        plan = _plan_of(lot, state.severity)
        judged = judged_lot(state, plan, lot["encontradas"])
        said = judged.why
        rows.append(
            (
                lot["id"],
                _(SEVERITIES[_NAMES[state.severity]]),
                plan.inspected,
                f"{plan.accept} / {plan.reject}",
                lot["encontradas"],
                _("accepted") if judged.is_accepted else _("not accepted"),
                _(SEVERITIES[_NAMES[judged.state.severity]]) if judged.why else "",
            )
        )
        state = judged.state
    columns = (
        Column(_("Lot"), "text"),
        Column(_("Inspection"), "text"),
        Column(_("Sample"), "integer"),
        Column("Ac / Re", "text"),
        Column(_("Found"), "integer"),
        Column(_("Result"), "text"),
        Column(_("Switched to"), "text"),
    )
    shown = tuple(rows[-LOTS_SHOWN:])
    table = TableView(_("Lots, by the switching rules"), Table(columns, shown), len(rows))
    facts = (
        (_("Characteristic"), str(given["caracteristica"])),
        (_("Switching score"), number(state.score, digits=0)),
    )
    return _Switched(_BY_NAME.get(asked or "", state.severity), said, facts, (table,))


def plan_study(given: Mapping[str, Any]) -> Computed:
    """Find a plan of the standard for an AQL, the smallest that keeps two risks, or that accepts
    on zero; with the lots of a characteristic, the one that the switching rules lead to.
    """
    lot = given.get("lote")
    doubts: tuple[Doubt, ...] = ()
    found: object
    switched = None
    if given.get("nqa") is not None:
        if lot is None:
            raise NotComputableError(
                "lot_size", _("A plan by AQL needs the size of the lot (lote).")
            )
        switched = _switched(given)
        plan = _plan_of(given, switched.severity)
        size, accept, reject = plan.inspected, plan.accept, plan.reject
        conclusion, doubts = plan.conclusion, plan.doubts
        found = plan
        facts = [
            (_("Method"), "ANSI/ASQ Z1.4, ISO 2859-1"),
            (_("Lot"), number(lot, digits=0)),
            (_("AQL"), f"{number(plan.aql)} %"),
            (_("Level"), plan.level),
            (_("Inspection"), _(SEVERITIES[_NAMES[plan.severity]])),
            (_("Code letter"), plan.plan_letter),
            *switched.facts,
        ]
        conclusion = " ".join(filter(None, (switched.said, conclusion)))
    else:
        found = designed = _designed(given)
        size, accept, conclusion = designed.sample_size, designed.accept, designed.conclusion
        reject = designed.reject
        facts = _designed_facts(designed, given)
    facts += [
        (_("Sample"), number(size, digits=0)),
        (_("Accept up to"), number(accept, digits=0)),
        (_("Reject from"), number(reject, digits=0)),
    ]
    lot = None if lot is None or size > lot else lot
    # An AQL above 10 counts nonconformities of 100 units, of which a unit may have several.
    is_rate = (given.get("nqa") or 0.0) > HIGHEST_SHARE
    curve = None
    if is_rate:
        facts += _rate_facts(size, accept, given["nqa"])
    elif size >= reject:
        # What lies between the two numbers of a reduced plan accepts the lot, too.
        curve = operating_curve(size, reject - 1, lot_size=lot)
        facts += _curve_facts(curve, given)
    content: dict[str, Json] = {
        "avisos": [each.text for each in doubts],
        "conclusao": conclusion,
        "amostra": size,
        "aceita": accept,
        "rejeita": reject,
    }
    panels: tuple[tuple[Figure, ...], ...] = ()
    if curve is not None:
        content["aceite_95_50_10"] = [
            rounded(100 * each)
            for each in (curve.fraction_at_95, curve.fraction_at_50, curve.fraction_at_10)
        ]
        panels = ((_curve_figure(curve, size, accept, given),), _outgoing_figures(curve))
    elif is_rate:
        panels = ((_rate_figure(size, accept, given["nqa"]),),)
    study = Study(
        method="plano_amostragem",
        title=_("Sampling plan: n = {size}, Ac = {accept}").format(size=size, accept=accept),
        verdict=conclusion,
        doubts=sentences(doubts),
        panels=panels,
        facts=tuple(facts),
        tables=() if switched is None else switched.tables,
        arguments={name: each for name, each in given.items() if name != KEPT_LOTS},
    )
    if switched is not None and switched.tables:
        content["inspecao"] = _NAMES[switched.severity]
    return Computed(content, study, (found, curve))


def _risk_words(nonconforming: float, accepted: float) -> str:
    return _("{accepted} accepted at {nonconforming}").format(
        accepted=percent(accepted / 100, digits=0),
        nonconforming=percent(nonconforming / 100, digits=2),
    )


def _curve_facts(curve: OperatingCurve, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say what a plan risks at its AQL, and what it lets through at most."""
    facts = []
    if given.get("nqa") is not None:
        accepted = float(np.interp(given["nqa"] / 100, curve.fractions, _accepted(curve)))
        facts.append((_("Producer's risk at the AQL"), percent(1 - accepted)))
    facts.append(
        (
            _("Outgoing nonconforming at most (AOQL)"),
            _("{limit}, at {worst} in the lots").format(
                limit=percent(curve.outgoing_limit, digits=2),
                worst=percent(curve.worst_fraction, digits=2),
            ),
        )
    )
    if curve.inspected is not None and given.get("nqa") is not None:
        total = float(np.interp(given["nqa"] / 100, curve.fractions, curve.inspected))
        facts.append((_("Inspected on average at the AQL (ATI)"), number(total, digits=0)))
    return facts


def _accepted(curve: OperatingCurve) -> FloatArray:
    return curve.binomial if curve.hypergeometric is None else curve.hypergeometric


def _rate_facts(size: int, accept: int, aql: float) -> list[tuple[str, str]]:
    accepted = float(accepted_rates(accept, size * np.array([aql / 100]))[0])
    return [
        (_("Counted"), _("nonconformities of 100 units (Poisson)")),
        (_("Producer's risk at the AQL"), percent(1 - accepted)),
    ]


def _rate_figure(size: int, accept: int, aql: float) -> Figure:
    """Draw how often lots of so many nonconformities in 100 units are accepted."""
    most = 3 * aql
    while float(accepted_rates(accept, np.array([size * most / 100]))[0]) > LEAST_DRAWN:
        most *= 1.5
    rates = np.linspace(0.0, most, 101)
    accepted = 100 * accepted_rates(accept, size * rates / 100)
    at = float(np.interp(aql, rates, accepted))
    return Figure(
        _("Operating characteristic curve"),
        (
            Line(tuple(rates.tolist()), tuple(accepted.tolist())),
            Rule(aql, "vertical", " ".join((_("AQL"), number(aql))), "target", "dashed"),
            Points((aql,), (at,), role="limit"),
        ),
        f"n = {size}, Ac = {accept}",
        x=Axis(_("Nonconformities in 100 units"), lower=0.0),
        y=Axis(_("Probability of acceptance"), lower=0.0, upper=100.0, unit="%"),
    )


def _outgoing_figures(curve: OperatingCurve) -> tuple[Figure, ...]:
    """Draw what comes out of inspection, and how much is inspected where the lot is known."""
    fractions = tuple((100 * curve.fractions).tolist())
    axis = Axis(_("Nonconforming in the lot"), lower=0.0, unit="%")
    limit = 100 * curve.outgoing_limit
    outgoing = Figure(
        _("Average outgoing quality (AOQ)"),
        (
            Line(fractions, tuple((100 * curve.outgoing).tolist())),
            Rule(limit, label=f"AOQL {number(limit, digits=2)} %", stroke="dashed"),
        ),
        x=axis,
        y=Axis(_("Outgoing nonconforming"), lower=0.0, unit="%"),
    )
    if curve.inspected is None:
        return (outgoing,)
    total = Figure(
        _("Average total inspection (ATI)"),
        (Line(fractions, tuple(curve.inspected.tolist())),),
        x=axis,
        y=Axis(_("Units inspected"), lower=0.0),
    )
    return outgoing, total


def _aql_words(aql: float) -> str:
    return " ".join((_("AQL"), number(aql), "%"))


def _curve_figure(
    curve: OperatingCurve, size: int, accept: int, given: Mapping[str, Any]
) -> Figure:
    fractions: FloatArray = 100 * curve.fractions
    aql = given.get("nqa")
    marked = [
        (100 * curve.fraction_at_95, 95.0),
        (100 * curve.fraction_at_50, 50.0),
        (100 * curve.fraction_at_10, 10.0),
    ]
    return Figure(
        _("Operating characteristic curve"),
        (
            Line(tuple(fractions.tolist()), tuple((100 * _accepted(curve)).tolist())),
            *(() if aql is None else (Rule(aql, "vertical", "", "target", "dashed"),)),
            Points(tuple(x for x, _y in marked), tuple(y for _x, y in marked), role="limit"),
            *(Label(x, y, _risk_words(x, y), anchor="right") for x, y in marked),
        ),
        ", ".join((f"n = {size}, Ac = {accept}", *([] if aql is None else [_aql_words(aql)]))),
        x=Axis(_("Nonconforming in the lot"), lower=0.0, unit="%"),
        y=Axis(_("Probability of acceptance"), lower=0.0, upper=100.0, unit="%"),
    )
