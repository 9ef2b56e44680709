"""Pareto, concentration maps and yield as studies: what is counted, by what, out of how many."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from qhub_desktop.charts.grouping import is_others, others_name
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Bars, Cells, Figure, Line, Rule
from qhub_desktop.core.result_widgets import Provenance, TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Column, Table, quoted
from qhub_desktop.core.text import day_words, number, percent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.concentration import (
    ConcentrationMap,
    Hotspot,
    concentration,
    count_places,
)
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.pareto import VITAL_PERCENT, Pareto, pareto
from qhub_desktop.quality.process_yield import ProcessYield, process_yield, sigma_text
from qhub_desktop.tools.studies.counting import count_periods, no_denominator
from qhub_desktop.tools.studies.selection import Computed, Selection, StudyColumns, Work, written
from qhub_desktop.tools.studies.words import rounded, sentences

MOST_CAUSES = 12
PRECISE = 100  # defects in a million below which decimals are written
MOST_DIGITS = 7
LABELLED = 20  # bars at most that have their number written


async def prepare_pareto(rows: Selection, given: Mapping[str, Any], user: str) -> Work:
    """Read the weights of the causes; the rest is work for a thread."""
    del user
    if (other := given.get("por")) is not None:
        return await _prepare_map(rows, other, given)
    column = _cause_column(rows, given.get("coluna"))
    value = given.get("valor")
    amount = "count(*)"
    if value is not None:
        value = rows.number_column(value)
        amount = f"sum({quoted(value)})"
    read = await rows.grouped([quoted(column)], amount)
    days = await _span(rows)
    return lambda: pareto_study(read, column, value, days, given)


async def _prepare_map(rows: Selection, other: str, given: Mapping[str, Any]) -> Work:
    """Read the places of defects. Raises ToolError for a column that there is not."""
    named = given.get("coluna") or rows.profile.defect_column("rack")
    if named is None:
        text = _("Say two columns of places, such as rack and position.")
        raise ToolError(text, field="coluna")
    columns = rows.column(named), rows.column(other)
    read = await rows.columns(*map(quoted, columns))
    return lambda: map_study(read, columns, given)


def map_study(read: StudyColumns, columns: tuple[str, str], given: Mapping[str, Any]) -> Computed:
    """Say where defects concentrate, and draw every place with its count."""
    first, second = (
        [None if row[at] is None else written(row[at]) for row in read.table.rows] for at in (0, 1)
    )
    counts, rows, across, missing = count_places(first, second)
    found = concentration(counts, rows, across, missing=missing)
    title = _("Concentration: {first} x {second}").format(first=columns[0], second=columns[1])
    labels = tuple(tuple(number(each, digits=0) for each in line) for line in found.counts.tolist())
    figure = Figure(
        title,
        (Cells(tuple(map(tuple, found.counts.tolist())), labels),),
        _("Counts of defects"),
        x=Axis(columns[1], "category", found.columns),
        y=Axis(columns[0], "category", found.rows),
    )
    spots = (*found.cells, *found.rows_apart, *found.columns_apart)
    study = Study(
        method="pareto",
        title=title,
        verdict=found.conclusion,
        doubts=sentences(found.doubts),
        panels=((figure,),),
        facts=(
            (_("Method"), _("Fisher's exact test of each place, with Bonferroni's correction")),
            (_("Total"), number(float(found.counts.sum()), digits=0)),
        ),
        tables=(_spot_table(found, spots, columns, read.source),) if spots else (),
        arguments={**given},
        source=read.source,
    )
    told: list[Json] = [
        {
            columns[0]: None if spot.row is None else found.rows[spot.row],
            columns[1]: None if spot.column is None else found.columns[spot.column],
            "total": spot.count,
            "esperado": rounded(spot.expected),
            "p": rounded(spot.p),
        }
        for spot in spots
    ]
    content: JsonObject = {
        "avisos": [*study.doubts],
        "conclusao": study.verdict,
        "lugares": told[:MOST_CAUSES],
        "total": int(found.counts.sum()),
    }
    return Computed(content, study, found)


def _spot_table(
    found: ConcentrationMap,
    spots: Sequence[Hotspot],
    columns: tuple[str, str],
    source: Provenance,
) -> TableView:
    heads = (
        *(Column(name, "text") for name in columns),
        Column(_("Count"), "integer"),
        Column(_("Expected"), "number"),
        Column("p", "number"),
    )
    rows = tuple(
        (
            "" if spot.row is None else found.rows[spot.row],
            "" if spot.column is None else found.columns[spot.column],
            spot.count,
            round(spot.expected, 1),
            rounded(spot.p),
        )
        for spot in spots
    )
    return TableView(_("Places that stand out"), Table(heads, rows), len(rows), source)


def _cause_column(rows: Selection, name: str | None) -> str:
    """Return the column of causes: the one named, that of defects, or the only one that can be.

    Raises ToolError where several can be.
    """
    if name is not None:
        return rows.column(name)
    known = rows.profile.defect_column("tipo_defeito") if rows.select is None else None
    if known is not None:
        return known
    texts = [each for each, type_ in rows.types.items() if type_ in ("category", "text")]
    if len(texts) == 1:
        return texts[0]
    raise ToolError(
        _("Say which column holds the causes: {names}.").format(
            names=", ".join(texts or rows.types)
        ),
        field="coluna",
    )


async def _span(rows: Selection) -> str:
    """Return the first and the last day of the rows; nothing where they have no date."""
    if rows.moment_column() is None:
        return ""
    day = rows.day()
    read = await rows.columns(f"min({day})", f"max({day})")
    first, last = read.table.rows[0]
    if first is None:
        return ""
    return f"{day_words(written(first))} - {day_words(written(last))}"


def pareto_study(
    read: StudyColumns, column: str, value: str | None, days: str, given: Mapping[str, Any]
) -> Computed:
    """Order causes, with the vital few."""
    # Add up by cause; an export may have a cause called others, which the rest joins.
    weights: dict[str, float] = {}
    missing = 0.0
    rest = others_name()
    for cause, amount in read.table.rows:
        weight = float(cast("float", amount or 0.0))
        if cause is None or not written(cause).strip():
            missing += weight
            continue
        name = written(cause).strip()
        if is_others(name):
            rest = name
        weights[name] = weights.get(name, 0.0) + weight
    found = pareto(
        weights,
        threshold=given.get("limiar", VITAL_PERCENT),
        most=given.get("maximo", MOST_CAUSES),
        others=rest,
    )
    doubts = list(found.doubts)
    if missing:
        text = _("{count} have nothing in {column}, and are left out.")
        doubts.append(Doubt("missing", text.format(count=number(missing), column=column)))
    # What the person is shown.
    is_few = 2 * len(found.vital_few) < len(found.labels)
    verdict = _pareto_verdict(found, is_few=is_few)
    title = _("Pareto: {name}").format(name=column)
    measure = value or _("Count")
    study = Study(
        method="pareto",
        title=title,
        verdict=verdict,
        doubts=sentences(doubts),
        panels=((_pareto_figure(found, title, measure, days),),),
        facts=tuple(
            (name, said)
            for name, said in (
                (_("Method"), _("Pareto")),
                (_("Measure"), measure),
                (_("Total"), number(found.total)),
                (_("Period"), days),
            )
            if said
        ),
        tables=(_pareto_table(found, column, measure, read.source),),
        arguments={**given},
        source=read.source,
    )
    # What the model is told.
    causes: list[Json] = [
        {"causa": label, "total": rounded(weight), "percentagem": rounded(round(cumulated, 2))}
        for label, weight, cumulated in zip(found.labels, found.weights, found.percent, strict=True)
    ]
    content: JsonObject = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        "causas": causes,
        "vitais": [*found.vital_few] if is_few else [],
        "total": rounded(found.total),
    }
    return Computed(content, study, found)


def _pareto_verdict(found: Pareto, *, is_few: bool) -> str:
    """Name the vital few where they are less than the rest."""
    said = (
        _("{causes}: {count} of {of} causes make {share} of the total of {total}.")
        if is_few
        else _(
            "No few causes stand out: {count} of {of} are needed for {share} of the total of"
            " {total}. The largest is {first}."
        )
    )
    return said.format(
        first=found.labels[0],
        causes=", ".join(found.vital_few),
        count=len(found.vital_few),
        of=len(found.labels),
        share=percent(found.cumulative_percent[len(found.vital_few) - 1] / 100),
        total=number(found.total),
    )


def _pareto_figure(found: Pareto, title: str, measure: str, days: str) -> Figure:
    places = tuple(float(at) for at in range(len(found.labels)))
    few = len(found.labels) <= LABELLED
    return Figure(
        title,
        (
            Bars(
                places,
                (0.0,) * len(places),
                found.weights,
                labels=tuple(map(number, found.weights)) if few else (),
            ),
            Rule(
                VITAL_PERCENT,
                label=percent(VITAL_PERCENT / 100, digits=0),
                stroke="dashed",
                side="right",
            ),
            Line(
                places,
                found.cumulative_percent,
                name=_("Running total"),
                series=1,
                side="right",
                is_dotted_at_points=True,
            ),
        ),
        " · ".join(filter(None, (f"N = {number(found.total)}", days))),
        x=Axis(kind="category", categories=found.labels),
        y=Axis(measure, lower=0.0, upper=found.total),
        right=Axis(_("Running total"), lower=0.0, upper=100.0, unit="%"),
    )


def _pareto_table(found: Pareto, column: str, measure: str, source: Provenance) -> TableView:
    columns = (
        Column(column, "text"),
        Column(measure, "number"),
        Column("%", "number"),
        Column(_("Cumulative %"), "number"),
    )
    shares = ([round(each, 1) for each in found.percent],
              [round(each, 1) for each in found.cumulative_percent])  # fmt: skip
    rows = tuple(zip(found.labels, found.weights, *shares, strict=True))
    return TableView(_("Causes"), Table(columns, rows), len(rows), source)


# --- yield ----------------------------------------------------------------------------------------


async def prepare_yield(rows: Selection, given: Mapping[str, Any], user: str) -> Work:
    """Read units and defects of each step; the rest is work for a thread."""
    del user
    units, by = given.get("volume"), given.get("por")
    defects, defective = given.get("defeitos"), given.get("defeituosas")
    if units is None:
        raise no_denominator(rows.profile.file)
    if defects is None and defective is None:  # a log: a row for each defect
        if by is not None:
            raise NotComputableError(
                "denominator",
                _(
                    "By {column}, the yield needs the production volume of each of its values: a"
                    " sheet with a row for each, its units and its defects."
                ).format(column=by),
            )
        points = await count_periods(rows, "dia", None, units)
        assert points.sizes is not None
        whole: list[Step] = [
            (_("Total"), float(points.sizes.sum()), float(points.amounts.sum()), None)
        ]
        shown = (*points.doubts, *_one_each())
        return lambda: yield_study(whole, points.source, shown, given)
    named = [rows.number_column(each) for each in (units, defective or defects, defects) if each]
    columns = [quoted(each) for each in named]
    amounts = ", ".join(f"sum({each})" for each in columns)
    label = "''" if by is None else quoted(rows.column(by))
    read = await rows.grouped([label], amounts)
    steps = [
        (
            written(row[0]) or _("Total"),
            *(float(cast("float", each or 0.0)) for each in row[1:3]),
            float(cast("float", row[3] or 0.0)) if len(row) > 3 else None,
        )
        for row in read.table.rows
    ]
    doubts = () if defective is not None else _one_each()
    return lambda: yield_study(cast("list[Step]", steps), read.source, doubts, given)


Step = tuple[str, float, float, float | None]


def _one_each() -> tuple[Doubt, ...]:
    text = _("Each defect counts as one defective part: parts with several make this too low.")
    return (Doubt("one_each", text),)


def yield_study(
    steps: list[Step], source: Provenance, doubts: tuple[Doubt, ...], given: Mapping[str, Any]
) -> Computed:
    """Compute yields of steps: name, units, defective units, and defects where they are known."""
    known = [step[3] for step in steps if step[3] is not None]
    found = process_yield(
        [step[1] for step in steps],
        [step[2] for step in steps],
        known if len(known) == len(steps) else None,
        opportunities=given.get("oportunidades", 1),
        shift=given.get("desvio", 1.5),
    )
    names = [step[0] for step in steps]
    # What the person is shown.
    is_series = given.get("passos") == "serie" and len(steps) > 1
    verdict = _yield_verdict(found, names, is_series=is_series)
    title = _("Yield")
    study = Study(
        method="rendimento",
        title=title,
        verdict=verdict,
        doubts=sentences((*found.doubts, *doubts)),
        panels=((_yield_figure(found, names, title, is_series=is_series),),)
        if len(steps) > 1
        else (),
        facts=_yield_facts(found, given.get("desvio", 1.5), is_series=is_series),
        tables=(_yield_table(found, names, source),),
        arguments={**given},
        source=source,
    )
    told: list[Json] = [
        {
            "nome": name,
            "unidades": rounded(step.units),
            "defeitos": rounded(step.defects),
            "fty": rounded(step.first_time_yield),
            "dpu": rounded(step.dpu),
            "dpmo": rounded(step.dpmo),
        }
        for name, step in zip(names, found.steps, strict=True)
    ]
    content: JsonObject = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        **({"rty": rounded(found.rolled)} if is_series else {"ftq": rounded(found.weighted)}),
        "dpu": rounded(found.total_dpu),
        "dpmo": rounded(found.total_dpmo),
        "nivel_sigma": rounded(found.sigma_level),
        "passos": told,
    }
    return Computed(content, study, found)


def _yield_verdict(found: ProcessYield, names: list[str], *, is_series: bool) -> str:
    level = sigma_text(found.sigma_level)
    said = (
        _(
            "{share} of the units pass all steps the first time: {dpmo} defects in a million"
            " opportunities, sigma level {level}."
        )
        if is_series
        else _(
            "{share} of the units are good the first time: {dpmo} defects in a million"
            " opportunities, sigma level {level}."
        )
    )
    verdict = said.format(
        share=share_text(found.rolled if is_series else found.weighted),
        dpmo=number(found.total_dpmo, digits=0 if found.total_dpmo >= PRECISE else 2),
        level=level,
    )
    if len(names) > 1:
        worst = min(range(len(names)), key=lambda at: found.steps[at].first_time_yield)
        verdict += " " + _("The worst is {name}, with {share}.").format(
            name=names[worst], share=share_text(found.steps[worst].first_time_yield)
        )
    return verdict


def _yield_facts(
    found: ProcessYield, drift: float, *, is_series: bool
) -> tuple[tuple[str, str], ...]:
    """Return figures of the whole: of steps in a row the rolled yield, and units once."""
    first = (
        (
            (_("Rolled yield (RTY), the steps in a row"), share_text(found.rolled, 3)),
            (_("Units of the first step"), number(found.steps[0].units)),
        )
        if is_series
        else (
            (_("First-time yield (FTQ)"), share_text(found.weighted, 3)),
            (_("Units"), number(found.total_units)),
        )
    )
    defects = sum(each.dpu for each in found.steps) if is_series else found.total_dpu
    return (
        *first,
        ("DPU", number(defects)),
        ("DPMO", number(found.total_dpmo, digits=1)),
        (
            _("Sigma level, with a shift of {shift}").format(shift=number(drift)),
            sigma_text(found.sigma_level),
        ),
    )


def share_text(share: float, digits: int = 2) -> str:
    """Write a share in percent with as many digits as tell it from the whole."""
    left = 1 - share
    needed = math.floor(-math.log10(left)) if 0 < left < 1 else digits
    return percent(share, digits=min(max(digits, needed), MOST_DIGITS))


def _yield_figure(found: ProcessYield, names: list[str], title: str, *, is_series: bool) -> Figure:
    places = tuple(float(at) for at in range(len(names)))
    shares = tuple(100 * step.first_time_yield for step in found.steps)
    return Figure(
        title,
        (
            Bars(
                places,
                (0.0,) * len(places),
                shares,
                labels=tuple(share_text(each / 100, 1) for each in shares),
            ),
            Rule(
                100 * (found.rolled if is_series else found.weighted),
                label=f"RTY = {share_text(found.rolled, 1)}"
                if is_series
                else f"FTQ = {share_text(found.weighted, 1)}",
                role="centre",
                stroke="solid",
            ),
        ),
        "" if is_series else f"N = {number(found.total_units)}",
        x=Axis(kind="category", categories=tuple(names)),
        y=Axis(_("First-time yield"), lower=0.0, upper=100.0, unit="%"),
    )


def _yield_table(found: ProcessYield, names: list[str], source: Provenance) -> TableView:
    columns = (
        Column(_("Step"), "text"),
        Column(_("Units"), "number"),
        Column(_("Defects"), "number"),
        Column(_("First-time yield"), "number"),
        Column("DPU", "number"),
        Column("DPMO", "number"),
    )
    rows = tuple(
        (name, step.units, step.defects, step.first_time_yield, step.dpu, step.dpmo)
        for name, step in zip(names, found.steps, strict=True)
    )
    return TableView(_("Steps"), Table(columns, rows), len(rows), source)
