"""Capability as a study: the sixpack, its indices, and what speaks against believing them."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.figure import Axis, Bars, Figure, Line, Mark, Points, Rule
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import Override, Study
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import day_words, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.capability import (
    LEAST_INDEX,
    Index,
    Indices,
    Specification,
    grade_of,
)
from qhub_desktop.quality.control_charts import ChartPlan
from qhub_desktop.quality.distributions import TAILS, BoxCox, model_name
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.nonnormal import ModelCapability
from qhub_desktop.quality.normality import p_text
from qhub_desktop.quality.reading_doubts import doubts_of_neighbours
from qhub_desktop.quality.sixpack import Sixpack, sixpack
from qhub_desktop.tools.studies.column_studies import probability_figure
from qhub_desktop.tools.studies.control_study import (
    ROUTINE,
    ChartRequest,
    ControlSeries,
    points_table,
    position_of,
    range_words,
    read_series,
)
from qhub_desktop.tools.studies.figures import control_figure
from qhub_desktop.tools.studies.many_study import PER_MILLION, prepare_many
from qhub_desktop.tools.studies.names import KEPT_DEMAND
from qhub_desktop.tools.studies.selection import Computed, FloatArray, Selection, Work
from qhub_desktop.tools.studies.words import chart_name, rounded, sentences, signals_of

# On Cpk, on a preliminary Ppk, and on Cmk: VDA 4 and AIAG's PPAP.
USUAL_DEMANDS = {"serie": 1.33, "inicial": 1.67, "maquina": 1.67}
LEAST_OF_MACHINE = 50  # parts in a row: VDA 4
# What the indices of the overall sigma are called of a machine: ISO 22514-3 (Pm, Pmk there), VDA 4.
OF_MACHINE = {"Pp": "Cm", "Ppl": "Cml", "Ppu": "Cmu", "Ppk": "Cmk"}


async def prepare(rows: Selection, given: Mapping[str, Any], user: str) -> Work:
    """Read the measurements; the rest is work for a thread."""
    if given.get("por") is not None:
        return await prepare_many(rows, given, "capacidade", ROUTINE, demand_of(given))
    asked = ChartRequest(
        kind="xbar",  # measurements, alone or in subgroups
        column=given.get("coluna"),
        subgroup=given.get("subgrupo"),
        order=given.get("ordem"),
        excluded=tuple((str(each["ponto"]), each["motivo"]) for each in given.get("excluir", ())),
    )
    make = await read_series(rows, asked)
    return lambda: capability_study(make(), asked, given, user)


def capability_study(
    series: ControlSeries, asked: ChartRequest, given: Mapping[str, Any], user: str
) -> Computed:
    """Make the sixpack of measurements, and what the model is told of it."""
    specification = Specification(given.get("lie"), given.get("lse"), given.get("alvo"))
    plan = ChartPlan(
        excluded=[position_of(series.labels, label) for label, _reason in asked.excluded],
        rules=ROUTINE,
    )
    values: FloatArray = series.values
    sizes = None
    if series.subgroups:
        values = np.concatenate(series.subgroups)
        sizes = [len(each) for each in series.subgroups]
    found = sixpack(
        values, specification, sizes=sizes, plan=plan, model=given.get("modelo", "normal")
    )
    phase = given.get("estudo") or "serie"
    if phase == "maquina":  # parts made in a row: what varies between subgroups is not asked
        whole = replace(found.capability, within=None)
        found = replace(found, capability=whole, within=None)
    told = (*series.doubts, *doubts_of_neighbours(values), *found.doubts)
    doubts = sentences((*told, *_doubts_of_phase(found, phase)))
    demand = demand_of(given)
    verdict = _verdict(found, demand, phase)
    study = Study(
        method="capacidade",
        title=_("Capability: {name}").format(name=series.name),
        verdict=verdict,
        doubts=doubts,
        panels=_panels(found, series, phase),
        facts=_facts(found, series, demand, phase),
        tables=(_indices_table(found, series, phase), _outside_table(found, series)),
        points=points_table(series, found.chart),
        signals=signals_of(found.chart, ROUTINE),
        overrides=tuple(
            Override(_("Point {label} is left out.").format(label=day_words(label)), reason, user)
            for label, reason in asked.excluded
        ),
        arguments={name: each for name, each in given.items() if name != KEPT_DEMAND},
        source=series.source,
    )
    return Computed(_told(found, study, demand, phase), study, found)


def demand_of(given: Mapping[str, Any]) -> float:
    """Return what is demanded of Cpk: as given, as kept for the characteristic, or as usual."""
    said = given.get("exigido") or given.get(KEPT_DEMAND)
    return float(said or USUAL_DEMANDS[given.get("estudo") or "serie"])


def _doubts_of_phase(found: Sixpack, phase: str) -> tuple[Doubt, ...]:
    count = found.capability.count or 0
    if phase != "maquina" or count >= LEAST_OF_MACHINE:
        return ()
    text = _("A machine study takes {least} parts that are made in a row; here are {count}.")
    return (Doubt("few", text.format(least=LEAST_OF_MACHINE, count=number(count, digits=0))),)


def _judged(found: Sixpack, phase: str) -> tuple[str, Index]:
    """Return the index that the verdict goes by, and its name."""
    overall = found.capability.overall if found.model is None else found.model.overall
    within = found.capability.within if found.model is None else None
    if phase == "maquina":
        return "Cmk", overall.cpk
    if phase == "inicial":
        return _("Preliminary Ppk"), overall.cpk
    if within is None or found.stability.grade == "unstable":
        return "Ppk", overall.cpk
    return "Cpk", within.cpk


def _index_words(name: str, index: Index) -> str:
    said = f"{name} = {number(index.value, digits=2)}"
    if index.low is None or index.high is None:
        return said
    ends = (number(end, digits=2) for end in (index.low, index.high))
    return _("{index} ({low} to {high})").format(
        index=said, **dict(zip(("low", "high"), ends, strict=True))
    )


def _verdict(found: Sixpack, demand: float, phase: str) -> str:
    name, index = _judged(found, phase)
    said = _index_words(name, index)
    if found.stability.grade == "unstable":
        within = found.capability.within if found.model is None else None
        behind = "" if within is None else f"; {_index_words('Cpk', within.cpk)}"
        return f"{said}{behind}. " + _(
            "The process is not stable, so this says nothing of the parts to come: find the causes"
            " first."
        )
    about = grade_of(index, demand, found.capability.count)
    bounds = {
        "least": number(min(LEAST_INDEX, demand), digits=2), "demand": number(demand, digits=2),
    }  # fmt: skip
    texts = {
        "capable": _("The process is capable (at least {demand})."),
        "just": _(
            "The process is just capable ({least} to {demand}): bring it to the middle, or vary"
            " less."
        ),
        "unfit": _(
            "The process is not capable (below {least}): parts outside the limits are to be"
            " expected."
        ),
        "unsure": _(
            "It cannot be said whether the process is capable (at least {demand}): so few values"
            " fit a process below {least} as well. Measure more parts."
        ),
    }
    if phase == "maquina":
        texts |= {
            "capable": _("The machine is capable (at least {demand})."),
            "just": _(
                "The machine is just capable ({least} to {demand}): centre it, or let it vary less."
            ),
            "unfit": _(
                "The machine is not capable (below {least}): parts outside the limits are to be"
                " expected."
            ),
            "unsure": _(
                "It cannot be said whether the machine is capable (at least {demand}): so few"
                " values fit a machine below {least} as well. Measure more parts."
            ),
        }
    said = f"{said}. {texts[about.grade].format(**bounds)}"
    if about.crossed is None:
        return said
    doubt = _("The interval lies on both sides of {bound}: more values would make it sure.")
    return f"{said} {doubt.format(bound=number(about.crossed, digits=2))}"


def _facts(
    found: Sixpack, series: ControlSeries, demand: float, phase: str
) -> tuple[tuple[str, str], ...]:
    about = found.capability
    normality = about.normality
    model = found.model
    facts = [
        (_("Method"), _("Capability by the normal distribution")),
        (_("Values"), number(about.count or 0, digits=0)),
        (_("Mean"), number(about.mean)),
        (_("Specification"), _specified(about.specification)),
        (_("{index} demanded").format(index=_judged_name(phase)), number(demand, digits=2)),
        *_phase_facts(phase),
        (_("Period"), f"{series.labels[0]} - {series.labels[-1]}"),
    ]
    if model is not None:
        facts[0] = (_("Method"), _("Capability: {name}").format(name=model_name(model.name)))
        return (*facts, *_model_facts(model))
    if series.subgroups:
        facts[1:1] = [
            (_("Number of subgroups"), number(len(series.subgroups), digits=0)),
            (_("Subgroup size"), range_words(found.chart.sizes)),
        ]
    facts.append((_("Sigma overall"), number(about.overall.sigma)))
    if about.within is not None:
        facts.append((_("Sigma within"), number(about.within.sigma)))
        facts.append((_("Estimator of sigma within"), about.within.estimator))
        facts.append(
            (_("Degrees of freedom of sigma within"), number(about.within.freedom or 0.0, digits=1))
        )
    if normality is not None and normality.anderson_darling is not None:
        fit = _fit_words(normality.anderson_darling, normality.p)
        facts.append((_("Normality (Anderson-Darling)"), fit))
    return tuple(facts)


def _judged_name(phase: str) -> str:
    return {"maquina": "Cmk", "inicial": _("Preliminary Ppk")}.get(phase, "Cpk")


def _phase_facts(phase: str) -> list[tuple[str, str]]:
    match phase:
        case "maquina":
            said = _("Machine (VDA 4; ISO 22514-3 says Pm and Pmk), by sigma overall")
        case "inicial":
            said = _("Preliminary (VDA 4; PPAP), by sigma overall")
        case _:
            return []
    return [(_("Study"), said)]


def _model_facts(model: ModelCapability) -> list[tuple[str, str]]:
    """Return what a model is made of, and how it fits."""
    names = {
        "shape": _("Shape (β)"),
        "scale": _("Scale (η)"),
        "threshold": _("Threshold"),
        "mean_log": _("Mean of the logarithms"),
        "deviation_log": _("Standard deviation of the logarithms"),
        "lambda": "λ",
        "gamma": "γ",
        "eta": "η",
        "epsilon": "ε",
    }
    facts = [(names[name], number(value)) for name, value in model.parameters]
    if isinstance(model.fit, BoxCox) and model.fit.interval is not None:
        low, high = (number(end, digits=2) for end in model.fit.interval)
        facts.append((_("λ, 95 % interval"), f"{low} - {high}"))
    percents = [f"{number(100 * share)} %" for share in TAILS]
    facts += [
        (
            _("Point of {percent}").format(percent=name),
            number(value) if math.isfinite(value) else "-",
        )
        for name, value in zip(percents, model.quantiles, strict=True)
    ]
    if model.statistic is not None:
        fit = _fit_words(model.statistic, model.p)
        facts.append((_("Fit of the model (Anderson-Darling)"), fit))
    return facts


def _fit_words(statistic: float, p: float | None) -> str:
    said = f"A² = {number(statistic, digits=3)}"
    return said if p is None else f"{said}, {p_text(p)}"


def _specified(specification: Specification) -> str:
    named = (
        (_("LSL"), specification.lower),
        (_("Target"), specification.target),
        (_("USL"), specification.upper),
    )
    return ", ".join(f"{name} {number(value)}" for name, value in named if value is not None)


Row = tuple[str, float | None, float | None, float | None]


def index_rows(found: Sixpack, phase: str = "serie") -> list[Row]:
    """Return the indices in the field's names, each with its interval; of a model its own alone.

    Those of an unstable process begin with what it did, before what it could do; so do those of
    one that is only studied first.
    """
    about, model = found.capability, found.model
    is_overall_first = found.stability.grade == "unstable" or phase == "inicial"
    if phase == "maquina":
        return _rows(about.overall if model is None else model.overall, *OF_MACHINE.values())
    if model is not None:
        return _rows(model.overall, "Pp", "Ppl", "Ppu", "Ppk")
    rows: list[Row] = []
    if about.within is not None:
        rows += _rows(about.within, "Cp", "Cpl", "Cpu", "Cpk")
    overall = _rows(about.overall, "Pp", "Ppl", "Ppu", "Ppk")
    rows = [*overall, *rows] if is_overall_first else [*rows, *overall]
    if about.overall.cpm is not None:
        rows.append(_row("Cpm", about.overall.cpm))
    return rows


def _rows(indices: Indices, *names: str) -> list[Row]:
    values = (indices.cp, indices.cpl, indices.cpu, indices.cpk)
    return [
        _row(name, value) for name, value in zip(names, values, strict=True) if value is not None
    ]


def _row(name: str, index: Index) -> Row:
    return name, index.value, index.low, index.high


def _parts_per_million(found: Sixpack) -> list[tuple[str, float | None]]:
    about = found.capability
    overall = about.overall if found.model is None else found.model.overall
    observed = (about.observed_below or 0.0) + (about.observed_above or 0.0)
    seen = (_("Observed ppm outside"), observed * PER_MILLION)
    if found.model is not None:
        return [seen, (_("Expected ppm outside"), overall.share_outside * PER_MILLION)]
    within = None if about.within is None else about.within.share_outside * PER_MILLION
    return [
        seen,
        (_("Expected ppm outside, within"), within),
        (_("Expected ppm outside, overall"), overall.share_outside * PER_MILLION),
    ]


def _indices_table(found: Sixpack, series: ControlSeries, phase: str) -> TableView:
    share = number(100 * found.capability.confidence, digits=0)
    columns = (
        Column(_("Index"), "text"),
        Column(_("Value"), "number"),
        Column(_("Lower, {share} %").format(share=share), "number"),
        Column(_("Upper, {share} %").format(share=share), "number"),
    )
    rows = index_rows(found, phase)
    shown = 2 if all(low is None for _name, _value, low, _high in rows) else 4
    table = Table(columns[:shown], tuple(row[:shown] for row in rows))
    return TableView(_("Indices"), table, len(rows), series.source)


def _outside_table(found: Sixpack, series: ControlSeries) -> TableView:
    """Return how many of a million parts lie beyond each limit, seen and expected, and Z.bench."""
    about, model = found.capability, found.model
    seen = [about.observed_below, about.observed_above]
    total = (seen[0] or 0.0) + (seen[1] or 0.0)
    columns: list[tuple[str, list[float | None]]] = [(_("Observed"), [*seen, total])]
    judged: list[tuple[str, Indices | None]] = (
        [(_("Expected"), model.overall)]
        if model is not None
        else [(_("Within"), about.within), (_("Overall"), about.overall)]
    )
    benches: list[float | None] = [None]
    for name, indices in judged:
        if indices is not None:
            shares = [indices.share_below, indices.share_above, indices.share_outside]
            columns.append((name, shares))
            benches.append(indices.z_bench)
    names = _("ppm below the LSL"), _("ppm above the USL"), _("ppm outside")
    rows: list[tuple[str | float | None, ...]] = [
        (
            name,
            *(_per_million(each[at]) for _name, each in columns),
        )
        for at, name in enumerate(names)
    ]
    rows.append(("Z.bench", *benches))
    heads = (Column(_("Limit"), "text"), *(Column(name, "number") for name, _shares in columns))
    table = Table(heads, tuple(rows))
    return TableView(_("Parts outside the limits"), table, len(rows), series.source)


def _per_million(share: float | None) -> float | None:
    return None if share is None else share * PER_MILLION


def _told(found: Sixpack, study: Study, demand: float, phase: str) -> JsonObject:
    about = found.capability
    indices: dict[str, Json] = {
        name: [rounded(value), rounded(low), rounded(high)] if low is not None else rounded(value)
        for name, value, low, high in index_rows(found, phase)
    }
    per_million = [rounded(value) for _name, value in _parts_per_million(found)]
    names = ("observado", "total") if found.model else ("observado", "dentro", "total")
    told: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": study.verdict,
        "exigido": demand,
        "n": about.count,
        "media": rounded(about.mean),
        "indices_ic95": indices,
        "ppm": dict(zip(names, per_million, strict=True)),
        "sinais_da_carta": len(found.chart.signals),
    }
    if found.model is not None:
        return told | {
            "modelo": model_name(found.model.name),
            "parametros": {name: rounded(value) for name, value in found.model.parameters},
            "ajuste_p": rounded(found.model.p),
        }
    told["sigma_total"] = rounded(about.overall.sigma)
    if about.within is not None:
        told |= {"sigma_dentro": rounded(about.within.sigma), "estimador": about.within.estimator}
    if about.normality is not None:
        told["normalidade_p"] = rounded(about.normality.p)
    return told


# --- the six panels -------------------------------------------------------------------------------


def _panels(found: Sixpack, series: ControlSeries, phase: str) -> tuple[tuple[Figure, ...], ...]:
    chart, model = found.chart, found.model
    name = chart_name(chart.kind)
    first = control_figure(chart, series.labels, title=name, axis=series.axis)
    rows: list[tuple[Figure, ...]] = [(first, _histogram(found, series.name))]
    if chart.companion is not None:
        below = chart.companion
        title = chart_name(below.kind)
        if model is not None:
            title = _on_scale(title)
        second = control_figure(below, series.labels, title=title, axis=series.axis)
        rows.append((second, *_probability(found, series.name)))
    rows.append((_last(found, series), _fit(found, phase)))
    return tuple(rows)


def _on_scale(title: str) -> str:
    """Say of a panel that its numbers are those of the model, and not of the data's unit."""
    return _("{title}, scale of the model").format(title=title)


def _limits(specification: Specification) -> tuple[Rule, ...]:
    named = (
        (_("LSL"), specification.lower),
        (_("Target"), specification.target),
        (_("USL"), specification.upper),
    )
    return tuple(
        Rule(value, "vertical", f"{name} {number(value)}", "target", "dashed")
        for name, value in named
        if value is not None
    )


def _histogram(found: Sixpack, name: str) -> Figure:
    bars = found.histogram
    centres = (bars.edges[:-1] + bars.edges[1:]) / 2
    marks: list[Mark] = [
        Bars(
            tuple(centres.tolist()),
            (0.0,) * len(centres),
            tuple(map(float, bars.counts.tolist())),
            width=bars.width,
        )
    ]
    if found.within is not None:
        marks.append(
            Line(
                tuple(found.within.values.tolist()),
                tuple(found.within.heights.tolist()),
                name=_("Within"),
                series=1,
            )
        )
    if found.overall is not None:
        marks.append(
            Line(
                tuple(found.overall.values.tolist()),
                tuple(found.overall.heights.tolist()),
                name=_("Overall") if found.model is None else model_name(found.model.name),
                series=2,
                stroke="dashed",
            )
        )
    marks += _limits(found.capability.specification)
    return Figure(_("Histogram"), tuple(marks), x=Axis(name), y=Axis(_("Count"), lower=0.0))


def _probability(found: Sixpack, name: str) -> tuple[Figure, ...]:
    plot, model = found.plot, found.model
    if plot is None:
        return ()
    if model is None:
        return (probability_figure(plot, name),)
    title = _("Probability: {name}").format(name=model_name(model.name))
    fit = "" if model.statistic is None else _fit_words(model.statistic, model.p)
    return (probability_figure(plot, _on_scale(name), title, fit),)


def _last(found: Sixpack, series: ControlSeries) -> Figure:
    x: list[float] = []
    y: list[float] = []
    for position, values in found.last:
        known = values[np.isfinite(values)].tolist()
        x += [float(position + 1)] * len(known)
        y += known
    model = found.model
    middle = found.capability.mean if model is None else model.quantiles[1]
    centre = Rule(middle, role="centre", stroke="solid")
    title = _("Last {count} subgroups") if series.subgroups else _("Last {count} values")
    return Figure(
        title.format(count=len(found.last)),
        (centre, Points(tuple(x), tuple(y))),
        x=Axis(_("Subgroup") if series.subgroups else _("Observation")),  # by their positions
        y=Axis(series.name),
    )


def _fit(found: Sixpack, phase: str) -> Figure:
    """Draw how wide the process is beside how wide it may be, with the indices in words."""
    about = found.capability
    shown: list[tuple[str, float, float]] = []
    if found.model is not None:
        low, _median, high = found.model.quantiles
        shown.append((model_name(found.model.name), low, high))
    else:
        if about.within is not None:
            reach = 3 * about.within.sigma
            shown.append((_("Within"), about.mean - reach, about.mean + reach))
        reach = 3 * about.overall.sigma
        shown.append((_("Overall"), about.mean - reach, about.mean + reach))
    names = [name for name, _low, _high in shown]
    marks: list[Mark] = [
        Bars(
            tuple(float(at) for at in range(len(shown))),
            tuple(low for _name, low, _high in shown),
            tuple(high for _name, _low, high in shown),
            width=0.4,
            direction="horizontal",
        ),
        *_limits(about.specification),
    ]
    said = ", ".join(
        f"{name} {number(value, digits=2)}"
        for name, value, _low, _high in index_rows(found, phase)
        if value is not None and name in ("Cp", "Cpk", "Pp", "Ppk", "Cpm", "Cm", "Cmk")
    )
    return Figure(
        _("Capability plot"),
        tuple(marks),
        said,
        y=Axis(kind="category", categories=tuple(names)),
    )
