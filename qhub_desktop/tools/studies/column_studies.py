"""Studies of one column: normality, tolerance intervals, sample sizes and power."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.codec import Json
from qhub_desktop.core.figure import Axis, Bars, Figure, Line, Mark, Points, Rule
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, Column, Table, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.descriptive import histogram
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import Normality, ProbabilityPlot, p_text, probability_plot
from qhub_desktop.quality.reading_doubts import doubts_of_values
from qhub_desktop.quality.tolerance_and_power import (
    CONFIDENCE,
    COVERAGE,
    POWER,
    power_of_groups,
    power_of_two_means,
    power_of_two_shares,
    size_for_groups,
    size_for_two_means,
    size_for_two_shares,
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

LEAST_OF = 8  # values of a group that is judged
GROUPS_TOLD = 20  # told
MOST_POINTS = 2_000  # points of a probability plot: more lie on each other


async def prepare_normality(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read the values of a column; the rest is work for a thread."""
    column = rows.measured(given.get("coluna"))
    told = (*import_doubts(rows, column), *doubts_of_column(rows, column))
    if given.get("por") is not None:
        by = rows.column(given["por"])
        groups = await rows.columns(quoted(column), quoted(by))
        return lambda: normality_of_groups(groups, (column, by), told, given)
    read = await rows.columns(quoted(column))
    return lambda: normality_study(read, column, told, given)


def normality_of_groups(
    read: StudyColumns, names: tuple[str, str], told: tuple[Doubt, ...], given: Mapping[str, Any]
) -> Computed:
    """Say which groups follow a normal distribution, and draw those that do least."""
    column, by = names
    values, labels = read.numbers(0), np.array(read.texts(1))
    known = np.isfinite(values) & (labels != "")
    groups = [(str(name), values[known & (labels == name)]) for name in np.unique(labels[known])]
    judged = [(name, own, probability_plot(own)) for name, own in groups if own.size >= LEAST_OF]
    if not judged:
        text = _("No group has the {least} values that a judgement needs.")
        raise NotComputableError("group_too_small", text.format(least=number(LEAST_OF)))
    judged.sort(key=lambda each: _decisive(each[2].normality))
    unlike = [name for name, _own, plot in judged if plot.normality.is_normal is False]
    verdict = (
        _("{count} of {total} groups of {column} do not follow a normal distribution: {names}.")
        if unlike
        else _("Nothing speaks against a normal distribution of {column} in any of {total} groups.")
    ).format(
        count=number(len(unlike), digits=0),
        total=number(len(judged), digits=0),
        column=column,
        names=", ".join(unlike[:GROUPS_TOLD]),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            own.size,
            float(own.mean()),
            float(own.std(ddof=1)),
            plot.normality.anderson_darling,
            plot.normality.p,
        )
        for name, own, plot in judged
    )
    heads = (_("Values"), _("Mean"), _("Standard deviation"), "A²", "p")
    columns = (Column(by, "text"), *(Column(head, "number") for head in heads))
    grouped = _("{name} by {group}").format(name=column, group=by)
    few = len(groups) - len(judged)
    doubts = [*sentences((*told, *doubts_of_values(values, column)))]
    if few:
        text = _("{count} groups have fewer than {least} values, and are not judged.")
        doubts.append(text.format(count=number(few), least=number(LEAST_OF)))
    study = Study(
        method="teste_hipotese",
        title=_("Normality: {name}").format(name=grouped),
        verdict=verdict,
        doubts=tuple(doubts),
        panels=tuple(
            tuple(probability_figure(plot, f"{column}, {name}") for name, _own, plot in pair)
            for pair in (judged[:2], judged[2:4])
            if pair
        ),
        facts=(
            (_("Method"), _("Anderson-Darling's test, and Shapiro and Wilk's")),
            (_("Groups"), number(len(groups), digits=0)),
        ),
        tables=(TableView(_("Groups"), Table(columns, rows), len(rows), read.source),),
        arguments={**given},
        source=read.source,
    )
    content: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        "grupos": [
            {"nome": name, "n": own.size, "p": rounded(plot.normality.p)}
            for name, own, plot in judged[:GROUPS_TOLD]
        ],
    }
    return Computed(content, study, [plot for _name, _own, plot in judged])


def _decisive(found: Normality) -> float:
    p = found.p if found.p is not None else found.shapiro_wilk_p
    return 1.0 if p is None else p


def normality_study(
    read: StudyColumns, column: str, told: tuple[Doubt, ...], given: Mapping[str, Any]
) -> Computed:
    """Say whether values follow a normal distribution, and show where they do not."""
    values = read.numbers(0)
    known = values[np.isfinite(values)]
    plot = probability_plot(known)
    found = plot.normality
    doubts = (*told, *doubts_of_values(values, column))
    drawn = histogram_of(known, column, None)
    study = Study(
        method="teste_hipotese",
        title=_("Normality: {name}").format(name=column),
        verdict=_normality_verdict(found, column),
        doubts=sentences(doubts),
        panels=((probability_figure(plot, column), drawn),),
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


def histogram_of(known: FloatArray, column: str, limits: tuple[float, float] | None) -> Figure:
    """Draw how often values lie where, with limits if there are some."""
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


def probability_figure(
    plot: ProbabilityPlot, name: str, title: str = "", fit: str | None = None
) -> Figure:
    """Draw values against what a normal distribution expects of them, between its limits."""
    shown = _thinned(plot.scores.size)
    scores = tuple(plot.scores[shown].tolist())
    line = tuple((plot.mean + plot.deviation * plot.scores[shown]).tolist())
    known = plot.normality
    if fit is None:
        has_test = known.anderson_darling is not None
        fit = f"A² = {_with_p(known.anderson_darling, known.p)}" if has_test else ""
    return Figure(
        title or _("Normal probability plot"),
        (
            Line(tuple(plot.lower[shown].tolist()), scores, role="limit", stroke="dashed"),
            Line(tuple(plot.upper[shown].tolist()), scores, role="limit", stroke="dashed"),
            Line(line, scores, role="centre"),
            Points(tuple(plot.values[shown].tolist()), scores),
        ),
        fit,
        x=Axis(name),
        y=Axis(_("Probability"), "probability"),
    )


def _thinned(count: int) -> npt.NDArray[np.int64]:
    """Return which of so many ordered values are drawn: all, or every nth but both ends whole."""
    if count <= MOST_POINTS:
        return np.arange(count)
    ends = np.arange(MOST_POINTS // 10)
    middle = np.linspace(0, count - 1, MOST_POINTS).astype(np.int64)
    return np.unique(np.concatenate([ends, middle, count - 1 - ends]))


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
        panels=((histogram_of(known, column, found.advised),),),
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


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison to come: its test, its numbers, and its power by the size of a group."""

    test: str
    basis: str  # the sentence on where its numbers are from
    facts: tuple[tuple[str, str], ...]
    said: str  # the difference, as words
    groups: str
    power: Callable[[int], float]
    size: Callable[[float], int]


async def prepare_size(rows: Selection, given: Mapping[str, Any]) -> Work:
    """Read the spread of a column, or a share; the rest is work for a thread."""
    if given.get("volume") is not None:
        bad, made = rows.measured(given.get("coluna")), rows.number_column(given["volume"])
        read = await rows.columns(quoted(bad), quoted(made))
        return lambda: size_study(_of_shares(read, given), read, given, bad)
    column = rows.measured(given.get("coluna"))
    by = None if given.get("por") is None else rows.column(given["por"])
    read = await rows.columns(quoted(column), *([quoted(by)] if by else []))
    if by is not None:
        return lambda: size_study(_of_groups(read, by, given), read, given, column)
    return lambda: size_study(_of_means(read, given), read, given, column)


def _of_means(read: StudyColumns, given: Mapping[str, Any]) -> _Compared:
    values = read.numbers(0)
    known = values[np.isfinite(values)]
    difference = given.get("diferenca", 0.0)
    sigma = float(known.std(ddof=1)) if known.size > 1 else 0.0
    return _Compared(
        _("Student's t test of two groups, two-sided, at 5 %"),
        _(
            "By the standard deviation of the {count} values that there are: {sigma}. A group"
            " that varies more needs more values."
        ).format(count=number(known.size, digits=0), sigma=number(sigma)),
        ((_("Difference"), number(difference)), (_("Sigma"), number(sigma))),
        number(difference),
        _("two groups"),
        lambda count: power_of_two_means(count, difference, sigma),
        lambda power: size_for_two_means(difference, sigma, power),
    )


def _of_groups(read: StudyColumns, by: str, given: Mapping[str, Any]) -> _Compared:
    """Compare as many means as there are groups now, by the spread within them."""
    values, names = read.numbers(0), np.array(read.texts(1))
    known = np.isfinite(values) & (names != "")
    groups = np.unique(names[known])
    squares = degrees = 0.0
    for name in groups:
        own = values[known & (names == name)]
        squares += float(((own - own.mean()) ** 2).sum())
        degrees += own.size - 1
    sigma = float(np.sqrt(squares / degrees)) if degrees else 0.0
    difference, count = given.get("diferenca", 0.0), int(groups.size)
    return _Compared(
        _("Analysis of variance (one factor), at 5 %"),
        _(
            "By the standard deviation within the {count} groups of {by} that there are: {sigma}."
            " The difference lies between the two farthest apart."
        ).format(count=number(count), by=by, sigma=number(sigma)),
        (
            (_("Groups"), number(count, digits=0)),
            (_("Difference"), number(difference)),
            (_("Sigma within the groups"), number(sigma)),
        ),
        number(difference),
        _("{count} groups").format(count=number(count)),
        lambda size: power_of_groups(size, count, difference, sigma),
        lambda power: size_for_groups(count, difference, sigma, power),
    )


def _of_shares(read: StudyColumns, given: Mapping[str, Any]) -> _Compared:
    bad, made = (float(np.nansum(read.numbers(place))) for place in (0, 1))
    first = bad / made if made else 0.0
    second = first + given.get("diferenca", 0.0) / 100
    return _Compared(
        _("Comparison of two shares, two-sided, at 5 % (normal approximation)"),
        _("By the share that there is: {bad} of {made} units.").format(
            bad=number(bad, digits=0), made=number(made, digits=0)
        ),
        (
            (_("Share now"), percent(first, digits=2)),
            (_("Share to be told from it"), percent(second, digits=2)),
        ),
        _("{points} percentage points").format(points=number(given.get("diferenca", 0.0))),
        _("two groups"),
        lambda count: power_of_two_shares(count, first, second),
        lambda power: size_for_two_shares(first, second, power),
    )


def size_study(
    about: _Compared, read: StudyColumns, given: Mapping[str, Any], column: str
) -> Computed:
    """Say how many values show a difference, or how often so many show it."""
    wanted, size = given.get("potencia", 100 * POWER) / 100, given.get("tamanho")
    fewest = about.size(wanted)  # what cannot be compared is refused here
    if size is None:
        power, size = wanted, fewest
        text = _(
            "Measure {count} values of each of {groups}: a true difference of {size} is then"
            " shown {power} of the time."
        )
    else:
        power = about.power(size)
        text = _(
            "With {count} values of each of {groups}, a true difference of {size} is shown {power}"
            " of the time."
        )
        if power < wanted:
            text += " " + _("{needed} values of each would show it {wanted} of the time.")
    verdict = text.format(
        count=number(size, digits=0),
        groups=about.groups,
        size=about.said,
        power=percent(power, digits=0),
        needed=number(fewest, digits=0),
        wanted=percent(wanted, digits=0),
    )
    counts = np.unique(np.linspace(2, max(2 * size, 1.2 * fewest, 10), 60).astype(np.int64))
    reached = tuple(100 * about.power(count) for count in counts.tolist())
    figure = Figure(
        _("Power"),
        (
            Line(tuple(counts.astype(float).tolist()), reached),
            Points((float(size),), (100 * about.power(size),)),
            Rule(100 * wanted, label=percent(wanted, digits=0), role="quiet", stroke="dashed"),
        ),
        x=Axis(_("Values of each group"), lower=0.0),
        y=Axis(_("Power"), lower=0.0, upper=100.0, unit="%"),
    )
    study = Study(
        method="teste_hipotese",
        title=_("Sample size: {name}").format(name=column),
        verdict=verdict,
        doubts=(about.basis,),
        panels=((figure,),),
        facts=(
            (_("Method"), about.test),
            *about.facts,
            (_("Values of each group"), number(size, digits=0)),
            (_("Power"), percent(about.power(size), digits=1)),
        ),
        arguments={**given},
        source=read.source,
    )
    content: dict[str, Json] = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        "n_por_grupo": size,
        "potencia": rounded(about.power(size)),
    }
    return Computed(content, study, size)
