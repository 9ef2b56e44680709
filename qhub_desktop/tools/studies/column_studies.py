"""Studies of one column: normality, tolerance intervals, sample sizes, capability by groups."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from qhub_desktop.core.codec import Json
from qhub_desktop.core.figure import Axis, Bars, Figure, Line, Mark, Points, Rule
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, Column, Table, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.quality.descriptive import histogram
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.normality import Normality, ProbabilityPlot, p_text, probability_plot
from qhub_desktop.quality.reading_doubts import doubts_of_values
from qhub_desktop.quality.tolerance_and_power import (
    CONFIDENCE,
    COVERAGE,
    POWER,
    power_of_two_means,
    size_for_two_means,
    tolerance_interval,
)
from qhub_desktop.tools.studies.column_doubts import doubts_of_column, import_doubts
from qhub_desktop.tools.studies.selection import (
    Computed,
    FloatArray,
    Selection,
    StudyColumns,
    Work,
)
from qhub_desktop.tools.studies.words import rounded, sentences

MOST_POINTS = 2_000  # points of a probability plot: more lie on each other


async def prepare_normality(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read the values of a column; the rest is work for a thread."""
    column = rows.measured(given.get("coluna"))
    told = (*import_doubts(rows, column), *doubts_of_column(rows, column))
    read = await rows.columns(quoted(column))
    return lambda: normality_study(read, column, told, given)


def normality_study(
    read: StudyColumns, column: str, told: tuple[Doubt, ...], given: Mapping[str, Any]
) -> Computed:
    """Say whether values follow a normal distribution, and show where they do not."""
    values = read.numbers(0)
    known = values[np.isfinite(values)]
    plot = probability_plot(known)
    found = plot.normality
    doubts = (*told, *doubts_of_values(values, column))
    drawn = _histogram(known, column, None)
    study = Study(
        method="teste_hipotese",
        title=_("Normality: {name}").format(name=column),
        verdict=_normality_verdict(found, column),
        doubts=sentences(doubts),
        panels=((_probability_figure(plot, column), drawn),),
        facts=(
            (_("Method"), _("Anderson-Darling's test, and Shapiro and Wilk's")),
            (_("Values"), number(found.count, digits=0)),
            (_("Mean"), number(plot.mean)),
            (_("Standard deviation"), number(plot.deviation)),
            ("A²", _with_p(found.anderson_darling, found.p)),
            ("W", _with_p(found.shapiro_wilk, found.shapiro_wilk_p)),
        ),
        arguments={**given},
        source=read.source,
    )
    content: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": study.verdict,
        "n": found.count,
        "a2": rounded(found.anderson_darling),
        "p": rounded(found.p),
        "w": rounded(found.shapiro_wilk),
        "w_p": rounded(found.shapiro_wilk_p),
    }
    return Computed(content, study, plot)


def _histogram(known: FloatArray, column: str, limits: tuple[float, float] | None) -> Figure:
    bars = histogram(known)
    centres = (bars.edges[:-1] + bars.edges[1:]) / 2
    marks: list[Mark] = [
        Bars(
            tuple(centres.tolist()),
            (0.0,) * len(centres),
            tuple(map(float, bars.counts.tolist())),
            width=bars.width,
        )
    ]
    marks += [Rule(limit, "vertical", number(limit), "limit", "dashed") for limit in limits or ()]
    return Figure(_("Histogram"), tuple(marks), x=Axis(column), y=Axis(_("Count"), lower=0.0))


def _with_p(statistic: float | None, p: float | None) -> str:
    if statistic is None:
        return "-"
    said = number(statistic, digits=3)
    return said if p is None else f"{said}, {p_text(p)}"


def _normality_verdict(found: Normality, column: str) -> str:
    decisive = found.p if found.p is not None else found.shapiro_wilk_p
    if decisive is None:
        return _("There are too few values to judge.")
    if not found.is_normal:
        text = _(
            "{column} does not follow a normal distribution ({p}). Look first for a shift, a drift"
            " or mixed streams; then for a distribution that fits."
        )
        return text.format(column=column, p=p_text(decisive))
    text = _(
        "Nothing speaks against a normal distribution of {column} ({p}, {count} values). Few values"
        " show only large departures."
    )
    return text.format(column=column, p=p_text(decisive), count=number(found.count, digits=0))


def _probability_figure(plot: ProbabilityPlot, name: str) -> Figure:
    shown = np.unique(np.linspace(0, plot.scores.size - 1, MOST_POINTS).astype(np.int64))
    scores = tuple(plot.scores[shown].tolist())
    line = tuple((plot.mean + plot.deviation * plot.scores[shown]).tolist())
    return Figure(
        _("Normal probability plot"),
        (
            Line(tuple(plot.lower[shown].tolist()), scores, role="limit", stroke="dashed"),
            Line(tuple(plot.upper[shown].tolist()), scores, role="limit", stroke="dashed"),
            Line(line, scores, role="centre"),
            Points(tuple(plot.values[shown].tolist()), scores),
        ),
        f"AD = {_with_p(plot.normality.anderson_darling, plot.normality.p)}",
        x=Axis(name),
        y=Axis(_("Probability"), "probability"),
    )


# --- tolerance intervals, and how many values a comparison needs ----------------------------------


async def prepare_tolerance(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read the values of a column; the rest is work for a thread."""
    column = rows.measured(given.get("coluna"))
    told = (*import_doubts(rows, column), *doubts_of_column(rows, column))
    read = await rows.columns(quoted(column))
    return lambda: tolerance_study(read, column, told, given)


def tolerance_study(
    read: StudyColumns, column: str, told: tuple[Doubt, ...], given: Mapping[str, Any]
) -> Computed:
    """Say between which limits almost all parts lie."""
    values = read.numbers(0)
    known = values[np.isfinite(values)]
    found = tolerance_interval(
        known,
        given.get("confianca", 100 * CONFIDENCE) / 100,
        given.get("proporcao", 100 * COVERAGE) / 100,
    )
    confidence, coverage = (
        f"{number(100 * each)} %" for each in (found.confidence, found.coverage)
    )
    doubts = [*told, *doubts_of_values(values, column)]
    if found.is_normal is False:
        text = _(
            "The values do not follow a normal distribution, so its limits do not hold. Without"
            " a distribution {needed} values are needed at least."
        )
        doubts.append(Doubt("non_normal", text.format(needed=number(found.needed))))
    if found.advised is None:
        verdict = _("There are too few values for an interval without a distribution.")
    else:
        text = _(
            "With {confidence} confidence, at least {coverage} of the parts lie between {low} and"
            " {high}."
        )
        low, high = map(number, found.advised)
        verdict = text.format(confidence=confidence, coverage=coverage, low=low, high=high)
    free = found.free or (None, None)
    lines: tuple[tuple[Cell, ...], ...] = (
        (_("Normal distribution (Howe)"), *found.normal),
        (_("Without a distribution (Wilks)"), *free),
    )
    columns = (
        Column(_("Method"), "text"),
        Column(_("From"), "number"),
        Column(_("To"), "number"),
    )
    study = Study(
        method="teste_hipotese",
        title=_("Tolerance interval: {name}").format(name=column),
        verdict=verdict,
        doubts=sentences(doubts),
        panels=((_histogram(known, column, found.advised),),),
        facts=(
            (_("Method"), _("Tolerance interval, two-sided")),
            (_("Confidence"), confidence),
            (_("Share of the parts"), coverage),
            (_("Values"), number(found.count, digits=0)),
            (_("Mean"), number(found.mean)),
            (_("Standard deviation"), number(found.deviation)),
            ("k", number(found.factor, digits=3)),
        ),
        tables=(TableView(_("Intervals"), Table(columns, lines), len(lines), read.source),),
        arguments={**given},
        source=read.source,
    )
    content: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        "k": rounded(found.factor),
        "normal": [rounded(each) for each in found.normal],
        "sem_distribuicao": None if found.free is None else [rounded(each) for each in found.free],
    }
    return Computed(content, study, found)


async def prepare_size(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read the spread of a column; the rest is work for a thread."""
    column = rows.measured(given.get("coluna"))
    read = await rows.columns(quoted(column))
    return lambda: size_study(read, column, given)


def size_study(read: StudyColumns, column: str, given: Mapping[str, Any]) -> Computed:
    """Say how many values of two groups show a difference, by the spread of those there are."""
    values = read.numbers(0)
    known = values[np.isfinite(values)]
    difference, power = given.get("diferenca", 0.0), given.get("potencia", 100 * POWER) / 100
    sigma = float(known.std(ddof=1)) if known.size > 1 else 0.0
    size = size_for_two_means(difference, sigma, power)
    verdict = _(
        "Measure {count} values of each of the two groups: a true difference of {size} is then"
        " shown {power} of the time."
    ).format(
        count=number(size, digits=0), size=number(difference), power=f"{number(100 * power)} %"
    )
    counts = np.unique(np.linspace(2, max(2 * size, 10), 60).astype(np.int64)).tolist()
    reached = [100 * power_of_two_means(count, difference, sigma) for count in counts]
    figure = Figure(
        _("Power"),
        (
            Line(tuple(map(float, counts)), tuple(reached)),
            Points((float(size),), (100 * power_of_two_means(size, difference, sigma),)),
        ),
        x=Axis(_("Values of each group"), lower=0.0),
        y=Axis(_("Power"), lower=0.0, upper=100.0, unit="%"),
    )
    study = Study(
        method="teste_hipotese",
        title=_("Sample size: {name}").format(name=column),
        verdict=verdict,
        doubts=(
            _(
                "By the standard deviation of the {count} values that there are: {sigma}. A group"
                " that varies more needs more values."
            ).format(count=number(known.size, digits=0), sigma=number(sigma)),
        ),
        panels=((figure,),),
        facts=(
            (_("Method"), _("Student's t test of two groups, two-sided, at 5 %")),
            (_("Difference"), number(difference)),
            (_("Sigma"), number(sigma)),
            (_("Power"), f"{number(100 * power)} %"),
            (_("Values of each group"), number(size, digits=0)),
        ),
        arguments={**given},
        source=read.source,
    )
    content: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        "n_por_grupo": size,
        "sigma": rounded(sigma),
    }
    return Computed(content, study, size)
