"""Measurement systems as studies: gauge R&R, one reference part, linearity, judgements."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import numbered_alike
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Band, Bars, Figure, Line, Mark, Points, Rule
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, Column, Table, is_numeric, quoted
from qhub_desktop.core.text import fold, gettext_noop, number, percent, words_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.attribute_agreement import (
    AttributeAgreement,
    Matches,
    attribute_agreement,
)
from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.gauge_bias import (
    LinearityStudy,
    Type1Study,
    confidence_reach,
    linearity,
    type_1,
)
from qhub_desktop.quality.gauge_rr import averages_and_ranges, crossed, nested
from qhub_desktop.quality.gauge_study import AnovaRow, GaugeStudy
from qhub_desktop.quality.variable_charts import averages
from qhub_desktop.tools.studies.figures import control_figure
from qhub_desktop.tools.studies.selection import Computed, FloatArray, Selection, StudyColumns, Work
from qhub_desktop.tools.studies.words import chart_name, p_words, rounded, sentences

_SOURCES: Mapping[str, str] = {
    "grr": gettext_noop("Gauge R&R"),
    "repeatability": gettext_noop("Repeatability"),
    "reproducibility": gettext_noop("Reproducibility"),
    "operator": gettext_noop("Operator"),
    "interaction": gettext_noop("Part x operator"),
    "part": gettext_noop("Part to part"),
    "total": gettext_noop("Total variation"),
    "part:operator": gettext_noop("Part x operator"),
    "part_in_operator": gettext_noop("Part within operator"),
}
_SHORT: Mapping[str, str] = {  # below bars in a small panel
    "grr": gettext_noop("R&R"),
    "repeatability": gettext_noop("Repeat."),
    "reproducibility": gettext_noop("Reprod."),
    "part": gettext_noop("Parts"),
}
BESIDE = 0.2  # between points of one operator, of the room of each
_DECISIONS: Mapping[str, str] = {
    "acceptable": gettext_noop("acceptable"),
    "marginal": gettext_noop("marginal"),
    "unacceptable": gettext_noop("unacceptable"),
}
_CROSSED = ("anova", "amplitudes", "aninhado")
_METHODS: Mapping[str, str] = {
    "anova": gettext_noop("Crossed, analysis of variance"),
    "averages_and_ranges": gettext_noop("Crossed, averages and ranges"),
    "nested": gettext_noop("Nested"),
}


async def prepare(rows: Selection, given: Mapping[str, Any], user: str) -> Work:
    """Read readings, parts and operators; the rest is work for a thread."""
    del user
    method = given.get("metodo", "anova")
    if method in _CROSSED and given.get("coluna") is None and (trials := _trials(rows, given)):
        return await _prepare_trials(rows, method, trials, given)
    if method == "atributos":
        column = rows.column(_named(given, "coluna"))
    else:
        column = rows.measured(given.get("coluna"))
    selected = [column]
    if method not in ("tipo1", "linearidade"):
        selected += [rows.column(_named(given, each)) for each in ("peca", "operador")]
    reference = given.get("referencia")
    if isinstance(reference, str):
        is_attribute = method == "atributos"
        selected.append(rows.column(reference) if is_attribute else rows.number_column(reference))
    elif method == "linearidade":
        text = _("Name the column of the reference values (referencia).")
        raise ToolError(text, field="referencia")
    read = await rows.columns(*map(quoted, selected))
    return lambda: _study(read, method, column, given)


def _trials(rows: Selection, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the columns of the trials, where a table has one for each; none of another table."""
    taken = {rows.column(given[each]) for each in ("peca", "operador") if each in given}
    numeric = [name for name, type_ in rows.types.items() if is_numeric(type_)]
    trials = numbered_alike([name for name in numeric if name not in taken])
    others = [name for name in numeric if rows.types[name] == "number"]
    return trials if {*others} <= {*trials} else ()


async def _prepare_trials(
    rows: Selection, method: str, trials: Sequence[str], given: Mapping[str, Any]
) -> Work:
    """Read the trials under each other. Parts and operators are the two columns beside them.

    Of those that are not named, the one with fewer names is of the operators, who are rarely as
    many as the parts.
    """
    roles = {each: rows.column(given[each]) for each in ("peca", "operador") if each in given}
    others = [name for name in rows.types if name not in trials and name not in roles.values()]
    open_roles = [each for each in ("peca", "operador") if each not in roles]
    if len(others) == len(open_roles):
        about = {each.name: each.distinct for each in rows.profile.columns}
        others.sort(key=lambda name: about.get(name, 0), reverse=True)
        roles |= dict(zip(open_roles, others, strict=True))
    part, operator = (_named(roles, each) for each in ("peca", "operador"))
    read = await rows.columns(*map(quoted, (*trials, part, operator)))
    values = np.concatenate([read.numbers(place) for place in range(len(trials))])
    parts, operators = (read.texts(len(trials) + place) * len(trials) for place in (0, 1))
    told = _(
        "Read as parts x operators x trials: {part} x {operator} x {trials}. Name the columns if"
        " they are others."
    ).format(part=part, operator=operator, trials=", ".join(trials))
    column = ", ".join(trials)

    def work() -> Computed:
        gauge = _gauge(method, values, parts, operators, given.get("tolerancia"))
        gauge = replace(gauge, doubts=(Doubt("trials", told), *gauge.doubts))
        return gauge_study(gauge, read.source, column, {**given, **roles})

    return work


def _named(given: Mapping[str, Any], name: str) -> str:
    found = given.get(name)
    if not isinstance(found, str):
        raise ToolError(
            _(
                "The study needs the columns of readings (coluna), parts (peca) and operators"
                " (operador). Name {name}."
            ).format(name=name),
            field=name,
        )
    return found


def _study(read: StudyColumns, method: str, column: str, given: Mapping[str, Any]) -> Computed:
    tolerance = given.get("tolerancia")
    match method:
        case "tipo1":
            return type_1_study(
                type_1(read.numbers(0), _reference(given), tolerance=tolerance), read, column, given
            )
        case "linearidade":
            found = linearity(read.numbers(1), read.numbers(0))
            return linearity_study(found, read, column, given)
        case "atributos":
            results = cast("list[Hashable]", read.cells(0))
            standard = (
                cast("list[Hashable]", read.cells(3)) if len(read.table.columns) > 3 else None
            )
            judged = attribute_agreement(
                results, read.texts(1), read.texts(2), standard, bad=_bad_of(results)
            )
            return agreement_study(judged, read.source, column, given)
    gauge = _gauge(method, read.numbers(0), read.texts(1), read.texts(2), tolerance)
    return gauge_study(gauge, read.source, column, given)


def _bad_of(results: Sequence[Hashable]) -> Hashable:
    """Return which of two judgements is of bad parts; None where their words do not tell."""
    named = {fold(str(each)): each for each in results if each is not None}
    pairs = [*words_of("files", "conformity"), *words_of("files", "yes_no"), ("1", "0")]
    for good, bad in (map(fold, map(str, pair)) for pair in (*pairs, ("true", "false"))):
        if named.keys() == {good, bad}:
            return named[bad]
    return None


def _gauge(
    method: str,
    values: FloatArray,
    parts: Sequence[str],
    operators: Sequence[str],
    tolerance: float | None,
) -> GaugeStudy:
    match method:
        case "amplitudes":
            return averages_and_ranges(values, parts, operators, tolerance=tolerance)
        case "aninhado":
            return nested(values, parts, operators, tolerance=tolerance)
        case _:
            return crossed(values, parts, operators, tolerance=tolerance)


def _reference(given: Mapping[str, Any]) -> float | None:
    reference = given.get("referencia")
    return float(reference) if isinstance(reference, (int, float)) else None


def gauge_study(
    found: GaugeStudy, source: Provenance, column: str, given: Mapping[str, Any]
) -> Computed:
    """Make a study of a gauge R&R."""
    title = _("Gauge R&R: {name}").format(name=column)
    grr = found.component("grr")
    facts = [
        (_("Method"), _(_METHODS[found.method])),
        (_("Parts"), number(len(found.parts), digits=0)),
        (_("Operators"), ", ".join(found.operators)),
        (_("Trials"), number(found.readings.shape[2], digits=0)),
        (_("R&R, of the study variation"), percent(grr.of_study)),
        (
            _("Number of distinct categories (ndc)"),
            "-" if found.categories is None else number(found.categories, digits=0),
        ),
    ]
    if grr.of_tolerance is not None:
        facts.append((_("R&R, of the tolerance"), percent(grr.of_tolerance)))
    if found.interaction_p is not None:
        said = p_words(found.interaction_p)
        pooled = _("pooled with repeatability") if found.is_pooled else _("not pooled")
        facts.append((_("p of the interaction"), f"{said} ({pooled})"))
    study = Study(
        method="estudo_rr",
        title=title,
        verdict=found.conclusion,
        doubts=sentences(found.doubts),
        panels=_gauge_panels(found, column),
        facts=tuple(facts),
        tables=(*_components_tables(found, source), *_anova_tables(found, source)),
        arguments={**given},
        source=source,
    )
    components: dict[str, Json] = {
        each.source: {
            "contribuicao": rounded(each.contribution),
            "do_estudo": rounded(each.of_study),
            "da_tolerancia": rounded(each.of_tolerance),
        }
        for each in found.components
    }
    content: JsonObject = {
        "avisos": [*study.doubts],
        "conclusao": study.verdict,
        "grr_do_estudo": rounded(grr.of_study),
        "grr_da_tolerancia": rounded(grr.of_tolerance),
        "ndc": found.categories,
        "p_interacao": rounded(found.interaction_p),
        "componentes": components,
    }
    return Computed(content, study, found)


def _components_tables(found: GaugeStudy, source: Provenance) -> tuple[TableView, TableView]:
    """Return the variances with what they contribute, and the deviations with what they take up."""
    name = Column(_("Source of variation"), "text")
    variances = tuple(
        (_(_SOURCES[each.source]), each.variance, round(100 * each.contribution, 2))
        for each in found.components
    )
    columns = (name, *(Column(each, "number") for each in (_("Variance"), _("% contribution"))))
    title, table = _("Components of variance"), Table(columns, variances)
    first = TableView(title, table, len(variances), source)
    named = [_("SD"), _("{k} × SD").format(k=number(found.study_k)), _("% study")]
    deviations: list[tuple[Cell, ...]] = [
        (
            _(_SOURCES[each.source]),
            each.deviation,
            each.study_variation,
            round(100 * each.of_study, 2),
        )
        for each in found.components
    ]
    if found.tolerance is not None:
        named.append(_("% tolerance"))
        deviations = [
            (*row, round(100 * (each.of_tolerance or 0.0), 2))
            for row, each in zip(deviations, found.components, strict=True)
        ]
    columns = (name, *(Column(each, "number") for each in named))
    second = Table(columns, tuple(deviations))
    return first, TableView(_("Study variation"), second, len(deviations), source)


def _anova_tables(found: GaugeStudy, source: Provenance) -> list[TableView]:
    """Return the analysis of variance, and the one that the components are of, if it is another."""
    titles = _("Analysis of variance"), _("Analysis of variance, interaction pooled")
    tables = zip(titles, (found.anova, found.pooled_anova), strict=True)
    return [_anova_table(title, rows, source) for title, rows in tables if rows]


def _anova_table(title: str, anova: Sequence[AnovaRow], source: Provenance) -> TableView:
    columns = (
        Column(_("Source of variation"), "text"),
        Column(_("SS"), "number"),
        Column(_("df"), "integer"),
        Column(_("MS"), "number"),
        Column("F", "number"),
        Column("p", "number"),
    )
    rows = tuple(
        (
            _(_SOURCES[each.source]),
            each.squares,
            each.degrees,
            each.mean_square,
            None if each.f is None else round(each.f, 3),
            each.p,
        )
        for each in anova
    )
    return TableView(title, Table(columns, rows), len(rows), source)


def _gauge_panels(found: GaugeStudy, column: str) -> tuple[tuple[Figure, ...], ...]:
    readings = found.readings
    shown = [
        each
        for each in found.components
        if each.source in ("grr", "repeatability", "reproducibility", "part")
    ]
    series = [
        (_("% contribution"), [100 * each.contribution for each in shown]),
        (_("% study"), [100 * each.of_study for each in shown]),
    ]
    if found.tolerance is not None:
        series.append((_("% tolerance"), [100 * (each.of_tolerance or 0.0) for each in shown]))
    width = 0.8 / len(series)
    bars: list[Mark] = [
        Bars(
            tuple(at + (place - (len(series) - 1) / 2) * width for at in range(len(shown))),
            (0.0,) * len(shown),
            tuple(values),
            width=width,
            name=name,
            series=place,
        )
        for place, (name, values) in enumerate(series)
    ]
    components = Figure(
        _("Components of variation"),
        tuple(bars),
        x=Axis(kind="category", categories=tuple(_(_SHORT[each.source]) for each in shown)),
        y=Axis(lower=0.0, unit="%"),
    )
    parts = _by(readings.mean(axis=2), found.parts, _("Part"), column)
    operators = _by(readings.mean(axis=2).transpose(), found.operators, _("Operator"), column)
    if readings.shape[2] < 2:
        return ((components, parts), (operators, _interaction(found, column)))
    # Each operator's parts in turn: the usual chart of averages and ranges by operator.
    groups = [
        readings[part, operator]
        for operator in range(len(found.operators))
        for part in range(len(found.parts))
    ]
    chart = averages(groups)
    figures = [_by_operator(each, found) for each in (chart, chart.companion) if each is not None]
    return (
        (components, parts),
        (figures[-1], operators),
        (figures[0], _interaction(found, column)),
        (_run_chart(found, column),),
    )


def _by_operator(chart: ControlChart, found: GaugeStudy) -> Figure:
    """Draw averages or ranges of the parts, one operator after the other, without joining them."""
    count = len(found.parts)
    drawn = control_figure(
        chart,
        list(found.parts) * len(found.operators),
        title=_("{chart}, by operator").format(chart=chart_name(chart.kind)),
        axis=_("Part"),
    )
    marks: list[Mark] = []
    for mark in drawn.marks:
        if isinstance(mark, Line) and mark.is_selectable:
            stretches = range(0, len(mark.x), count)
            x = [each for at in stretches for each in (*mark.x[at : at + count], math.nan)]
            y = [each for at in stretches for each in (*mark.y[at : at + count], math.nan)]
            mark = replace(mark, x=tuple(x), y=tuple(y), is_selectable=False)  # noqa: PLW2901
        elif isinstance(mark, Points):
            mark = replace(mark, labels=())  # noqa: PLW2901 - beyond, the gauge tells parts apart
        marks.append(mark)
    marks += [
        Rule(at * count - 0.5, "vertical", name, "quiet") for at, name in enumerate(found.operators)
    ]
    known = np.concatenate([chart.statistics, chart.upper, chart.lower])
    low, high = float(np.nanmin(known)), float(np.nanmax(known))
    room = high + 0.2 * (high - low)  # for the operators' names, above everything
    return replace(drawn, marks=tuple(marks), y=replace(drawn.y, upper=room))


def _by(means: FloatArray, names: Sequence[str], axis: str, column: str) -> Figure:
    """Draw the readings' averages by part or operator, and their mean as a line."""
    places = [float(at) for at in range(len(names)) for _each in means[at]]
    marks = (
        Points(tuple(places), tuple(means.ravel().tolist())),
        Line(
            tuple(float(at) for at in range(len(names))),
            tuple(means.mean(axis=1).tolist()),
            role="centre",
            is_dotted_at_points=True,
        ),
    )
    title = _("{name} by {group}").format(name=column, group=axis.lower())
    return Figure(title, marks, x=Axis(axis, "category", tuple(names)), y=Axis(column))


def _run_chart(found: GaugeStudy, column: str) -> Figure:
    """Draw every reading: the trials of each operator in turn, part beside part."""
    parts, operators, trials = found.readings.shape
    step = 0.8 / max(operators * trials, 1)  # of the room of a part
    marks: list[Mark] = [Rule(at + 0.5, "vertical", "", "quiet") for at in range(parts - 1)]
    marks.append(Rule(float(found.readings.mean()), role="centre", stroke="solid"))
    for place, name in enumerate(found.operators):
        x: list[float] = []
        y: list[float] = []
        for part in range(parts):
            first = part - 0.4 + (place * trials + 0.5) * step
            x += [*(first + trial * step for trial in range(trials)), math.nan]
            y += [*found.readings[part, place].tolist(), math.nan]
        line = Line(tuple(x), tuple(y), name=name, series=place, is_dotted_at_points=True)
        marks.append(line)
    return Figure(
        _("Run chart of the readings"),
        tuple(marks),
        x=Axis(_("Part"), "category", found.parts),
        y=Axis(column),
    )


def _interaction(found: GaugeStudy, column: str) -> Figure:
    places = tuple(float(at) for at in range(len(found.parts)))
    means = found.readings.mean(axis=2)
    marks = tuple(
        Line(places, tuple(means[:, at].tolist()), name=name, series=at, is_dotted_at_points=True)
        for at, name in enumerate(found.operators)
    )
    return Figure(
        _("Part x operator"), marks, x=Axis(_("Part"), "category", found.parts), y=Axis(column)
    )


# --- one reference part, linearity, judgements ----------------------------------------------------


def type_1_study(
    found: Type1Study, read: StudyColumns, column: str, given: Mapping[str, Any]
) -> Computed:
    """Make a study of repeated readings of one reference part."""
    values = read.numbers(0)
    x = tuple(float(at + 1) for at in range(values.size))
    marks: list[Mark] = [
        Rule(
            found.reference,
            label=_("Reference = {value}").format(value=number(found.reference)),
            role="centre",
            stroke="solid",
        ),
        Line(x, tuple(values.tolist()), is_dotted_at_points=values.size <= 500),
    ]
    if (tolerance := given.get("tolerancia")) is not None:
        marks += [
            Rule(
                found.reference + side * 0.1 * tolerance,
                label=_("Reference {part}").format(part=sign),
                role="limit",
            )
            for side, sign in ((1, "+ 10 %"), (-1, "- 10 %"))
        ]
    figure = Figure(
        _("Type 1 study: {name}").format(name=column),
        tuple(marks),
        x=Axis(_("Observation")),
        y=Axis(column),
    )
    shown = (
        ("Cg", found.cg),
        ("Cgk", found.cgk),
        (_("Bias"), found.test.bias),
        ("p", found.test.p),
        (_("Standard deviation"), found.deviation),
    )
    content: JsonObject = {
        "cg": rounded(found.cg),
        "cgk": rounded(found.cgk),
        "desvio_da_referencia": rounded(found.test.bias),
        "p": rounded(found.test.p),
        "n": found.test.count,
    }
    return _plain_study(found, figure, shown, content, read.source, given)


def linearity_study(
    found: LinearityStudy, read: StudyColumns, column: str, given: Mapping[str, Any]
) -> Computed:
    """Make a study of bias over reference values."""
    reference = read.numbers(1)
    bias = read.numbers(0) - reference
    known = reference[np.isfinite(bias)]
    x = np.linspace(found.references[0], found.references[-1], 41)
    line = found.intercept + found.slope * x
    figure = Figure(
        _("Linearity: {name}").format(name=column),
        (
            *_confidence_band(found, known, x, line),
            Rule(0.0, role="centre", stroke="solid"),
            Points(tuple(reference.tolist()), tuple(bias.tolist()), name=_("Readings")),
            Line(tuple(x.tolist()), tuple(line.tolist()), name=_("Regression"), series=1),
            Points(
                found.references,
                tuple(each.bias for each in found.by_reference),
                name=_("Average bias"),
                role="bad",
            ),
        ),
        x=Axis(_("Reference")),
        y=Axis(_("Bias")),
    )
    shown = (
        (_("Average bias"), found.average.bias),
        (_("Slope"), found.slope),
        (_("Intercept"), found.intercept),
        ("R²", found.r_squared),
        (_("p of the slope"), found.p_slope),
    )
    content: JsonObject = {
        "desvio_medio": rounded(found.average.bias),
        "declive": rounded(found.slope),
        "p_declive": rounded(found.p_slope),
        "r2": rounded(found.r_squared),
    }
    columns = (
        *(Column(name, "number") for name in (_("Reference"), _("Bias"), _("95 % from"))),
        *(Column(name, "number") for name in (_("95 % to"), "p")),
    )
    rows = tuple(
        (value, each.bias, *(each.interval or (None, None)), each.p)
        for value, each in zip(found.references, found.by_reference, strict=True)
    )
    table = TableView(_("Bias by reference"), Table(columns, rows), len(rows), read.source)
    return _plain_study(found, figure, shown, content, read.source, given, (table,))


def _confidence_band(
    found: LinearityStudy, reference: FloatArray, x: FloatArray, line: FloatArray
) -> tuple[Mark, ...]:
    reach = confidence_reach(found, reference, x)
    if reach is None:
        return ()
    lower, upper = tuple((line - reach).tolist()), tuple((line + reach).tolist())
    return (Band(tuple(x.tolist()), lower, upper, _("95 % confidence"), 1),)


def _plain_study(
    found: Type1Study | LinearityStudy,
    figure: Figure,
    shown: Sequence[tuple[str, float | None]],
    content: JsonObject,
    source: Provenance,
    given: Mapping[str, Any],
    tables: tuple[TableView, ...] = (),
) -> Computed:
    study = Study(
        method="estudo_rr",
        title=figure.title,
        verdict=found.conclusion,
        doubts=sentences(found.doubts),
        panels=((figure,),),
        facts=tuple((name, _said(name, value)) for name, value in shown if value is not None),
        tables=tables,
        arguments={**given},
        source=source,
    )
    told: JsonObject = {"avisos": [*study.doubts], "conclusao": study.verdict, **content}
    return Computed(told, study, found)


def _said(name: str, value: float) -> str:
    return p_words(value) if name.split(maxsplit=1)[0] == "p" else number(value)


def agreement_study(
    found: AttributeAgreement, source: Provenance, column: str, given: Mapping[str, Any]
) -> Computed:
    """Make a study of how judgements agree."""
    title = _("Attribute agreement: {name}").format(name=column)
    facts = [(_("Parts"), number(found.parts, digits=0))]
    if found.fleiss_between is not None:
        facts.append((_("Fleiss' kappa between operators"), number(found.fleiss_between, digits=3)))
    if found.bad is not None:
        facts.append((_("A miss is"), _("{name} not found").format(name=found.bad)))
        said = _("effectiveness at least 90 %, miss rate at most 2 %, false alarms at most 5 %")
        facts.append((_("Acceptable (AIAG)"), said))
    study = Study(
        method="estudo_rr",
        title=title,
        verdict=found.conclusion,
        doubts=sentences(found.doubts),
        panels=((_agreement_figure(found, title),),),
        facts=tuple(facts),
        tables=(
            _matches_table(found, source),
            *_decisions_table(found, source),
            *_crossed_tables(found, source),
        ),
        arguments={**given},
        source=source,
    )
    content: JsonObject = {
        "avisos": [*study.doubts],
        "conclusao": study.verdict,
        "pecas": found.parts,
        "kappa_fleiss": rounded(found.fleiss_between),
        "operadores": [
            {
                "nome": each.name,
                "consigo": rounded(None if each.within is None else each.within.share),
                "com_o_padrao": rounded(None if each.versus is None else each.versus.share),
                "kappa": rounded(each.cohen),
                "falhas": rounded(None if each.misses is None else each.misses.share),
                "falsos_alarmes": rounded(
                    None if each.false_alarms is None else each.false_alarms.share
                ),
            }
            for each in found.appraisers
        ],
    }
    return Computed(content, study, found)


def _agreement_figure(found: AttributeAgreement, title: str) -> Figure:
    """Draw each operator's shares of parts that match, with their intervals."""
    names = tuple(each.name for each in found.appraisers)
    series = [
        (_("Within operator"), [each.within for each in found.appraisers]),
        (_("Against the standard"), [each.versus for each in found.appraisers]),
    ]
    series = [each for each in series if any(match is not None for match in each[1])]
    marks: list[Mark] = []
    for place, (name, matches) in enumerate(series):
        beside = (place - (len(series) - 1) / 2) * BESIDE
        there = [(at + beside, match) for at, match in enumerate(matches) if match is not None]
        x = [each for at, _match in there for each in (at, at, math.nan)]
        y = [each for _at, match in there for each in (match.low, match.high, math.nan)]
        marks += [
            Line(tuple(x), tuple(100 * each for each in y), series=place),
            Points(
                tuple(at for at, _match in there),
                tuple(100 * match.share for _at, match in there),
                name=name,
                series=place,
            ),
        ]
    return Figure(
        title,
        tuple(marks),
        _("Points are shares of parts, lines their 95 % intervals"),
        x=Axis(_("Operator"), "category", names),
        y=Axis(_("Parts that match"), lower=0.0, upper=100.0, unit="%"),
    )


def _matches_table(found: AttributeAgreement, source: Provenance) -> TableView:
    """Return how many parts match, by oneself, by the standard and by each other."""
    listed: list[tuple[str, str, Matches | None]] = []
    for each in found.appraisers:
        listed.append((each.name, _("Within operator"), each.within))
        listed.append((each.name, _("Against the standard"), each.versus))
    listed.append((_("All"), _("Between operators"), found.between))
    listed.append((_("All"), _("All against the standard"), found.all_versus))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            what,
            match.inspected,
            *(round(100 * each, 1) for each in (match.share, match.low, match.high)),
        )
        for name, what, match in listed
        if match is not None
    )
    columns = (
        Column(_("Operator"), "text"),
        Column(_("Agreement"), "text"),
        Column("n", "integer"),
        *(Column(name, "number") for name in ("%", _("95 % from"), _("95 % to"))),
    )
    return TableView(_("Agreement"), Table(columns, rows), len(rows), source)


def _decisions_table(found: AttributeAgreement, source: Provenance) -> tuple[TableView, ...]:
    """Return how each operator decides against the standard; nothing without one."""
    if all(each.versus is None for each in found.appraisers):
        return ()
    columns = [Column(_("Operator"), "text"), Column(_("Effectiveness, %"), "number")]
    if found.bad is not None:
        columns += [Column(each, "number") for each in (_("Misses, %"), _("False alarms, %"))]
    columns += [Column(_("Cohen's kappa"), "number")]
    if found.bad is not None:
        columns.append(Column(_("Decision (AIAG)"), "text"))
    rows: list[tuple[Cell, ...]] = [
        (
            each.name,
            *map(_share, (each.versus, each.misses, each.false_alarms)),
            each.cohen,
            _(_DECISIONS[each.decision]) if each.decision else "-",
        )
        if found.bad is not None
        else (each.name, _share(each.versus), each.cohen)
        for each in found.appraisers
    ]
    table = Table(tuple(columns), tuple(rows))
    return (TableView(_("Decisions against the standard"), table, len(rows), source),)


def _crossed_tables(found: AttributeAgreement, source: Provenance) -> tuple[TableView, ...]:
    """Return two by two how often judgements meet, as the manual crosses them, with their kappa."""
    if len(found.categories) != 2 or not found.crossed:
        return ()
    first, second = found.categories
    standard = _("standard")
    heads = [f"{one} × {other}" for one in (first, second) for other in (first, second)]
    columns = (
        Column(_("Pair"), "text"),
        *(Column(head, "text") for head in heads),
        Column(_("Cohen's kappa"), "number"),
    )
    standard = _("standard")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            f"{each.first} × {each.second or standard}",
            *(
                f"{number(count, digits=0)} ({number(expected, digits=1)})"
                for count, expected in zip(each.counts, each.expected, strict=True)
            ),
            each.kappa,
        )
        for each in found.crossed
    )
    title = _("Judgements crossed: counts, and those expected by chance")
    return (TableView(title, Table(columns, rows), len(rows), source),)


def _share(matches: Matches | None) -> float | None:
    return None if matches is None else round(100 * matches.share, 1)
