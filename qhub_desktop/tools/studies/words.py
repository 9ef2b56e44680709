"""Words of studies: names of charts and statistics, verdicts, and what the model is told."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from qhub_desktop.core.codec import Json
from qhub_desktop.core.study import Provenance, Signal, TableView
from qhub_desktop.core.table import Column, ColumnType, Table
from qhub_desktop.core.text import day_words, gettext_noop, ngettext, number, percent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.quality.findings import Doubt
from qhub_desktop.quality.run_rules import Rules, rule_text
from qhub_desktop.quality.stability import Stability
from qhub_desktop.tools.studies.names import CHARTS, KINDS, RULES

TOLD_SIGNALS = 20
LISTED = 200  # violations of a chart that are listed; the points hold them all

_STATISTICS: Mapping[str, str] = {
    "i": gettext_noop("Value"),
    "mr": gettext_noop("Moving range"),
    "xbar": gettext_noop("Average"),
    "r": gettext_noop("Range"),
    "s": gettext_noop("Standard deviation"),
    "p": gettext_noop("Share of defective parts"),
    "np": gettext_noop("Defective parts"),
    "c": gettext_noop("Defects"),
    "u": gettext_noop("Defects for each unit"),
    "laney_p": gettext_noop("Share of defective parts"),
    "laney_u": gettext_noop("Defects for each unit"),
    "ewma": gettext_noop("Smoothed value"),
    "cusum": gettext_noop("Cumulative sum"),
    "run": gettext_noop("Value"),
}


def chart_name(kind: str) -> str:
    """Return the name of a kind of control chart."""
    return _(CHARTS[kind])


def charts_name(chart: ControlChart) -> str:
    """Return the name of a control chart together with that of the spread below it."""
    below = "" if chart.companion is None else f"_{chart.companion.kind}"
    both = f"{chart.kind}{below}"
    return _(KINDS[both if both in KINDS else chart.kind])


def rule_name(code: str) -> str:
    """Return the name of a rule: Nelson 3, Western Electric 2."""
    return RULES[code]


def statistic_name(kind: str) -> str:
    """Return the name of what a kind of control chart draws."""
    return _(_STATISTICS[kind])


def stability_verdict(
    found: Stability, chart: ControlChart, labels: Sequence[str], rules: Rules
) -> str:
    """Say in a few sentences whether a process is in control, beside what chance alone makes."""
    if found.grade == "stable":
        return _("Stable: none of the {count} points breaks a rule.").format(
            count=number(chart.statistics.size, digits=0)
        )
    said = []
    if found.first is not None:
        first, code = found.first
        said.append(
            _graded(found).format(
                count=number(found.flagged, digits=0),
                of=number(chart.statistics.size, digits=0),
                label=day_words(labels[first]),
                rule=rule_text(code, rules),
            )
        )
        if found.chance is not None:
            said.append(_by_chance(found.chance.expected))
    elif any(doubt.kind == "few_crossings" for doubt in chart.doubts):  # said there how many
        said.append(
            _("Not stable: the values shift or drift.")
            if found.grade == "unstable"
            else _("To be checked: the values may shift or drift.")
        )
    if found.spread and chart.companion is not None:
        name = chart_name(chart.companion.kind)
        said.append(_spread_words(found).format(chart=name, count=number(found.spread, digits=0)))
        said.append(_by_chance(found.spread_expected))
    if found.grade == "unstable":
        said.append(_("Look for the cause before relying on the limits."))
    elif found.grade == "signal":
        said.append(_("Look for the cause of what lies beyond the limits."))
    return " ".join(said)


def _graded(found: Stability) -> str:
    match found.grade:
        case "unstable":
            return ngettext(
                "Not stable: {count} of {of} points gives a signal, {label}: {rule}.",
                "Not stable: {count} of {of} points give a signal, the first is {label}: {rule}.",
                found.flagged,
            )
        case "signal":
            return ngettext(
                "A signal: {count} of {of} points breaks a rule, {label}: {rule}.",
                "A signal: {count} of {of} points break a rule, the first is {label}: {rule}.",
                found.flagged,
            )
        case _:
            return ngettext(
                "To be checked: {count} of {of} points ends a run, {label}: {rule}.",
                "To be checked: {count} of {of} points end a run, the first is {label}: {rule}.",
                found.flagged,
            )


def _spread_words(found: Stability) -> str:
    if found.first is not None:
        return ngettext(
            "Of the spread ({chart}), {count} point lies beyond the limits.",
            "Of the spread ({chart}), {count} points lie beyond the limits.",
            found.spread,
        )
    match found.grade:
        case "unstable":
            return ngettext(
                "Not stable: {count} point of the spread ({chart}) lies beyond the limits.",
                "Not stable: {count} points of the spread ({chart}) lie beyond the limits.",
                found.spread,
            )
        case "signal":
            return ngettext(
                "A signal: {count} point of the spread ({chart}) lies beyond the limits.",
                "A signal: {count} points of the spread ({chart}) lie beyond the limits.",
                found.spread,
            )
        case _:
            return ngettext(
                "To be checked: {count} point of the spread ({chart}) lies beyond the limits.",
                "To be checked: {count} points of the spread ({chart}) lie beyond the limits.",
                found.spread,
            )


def _by_chance(expected: float) -> str:
    """Say how many signals chance alone makes."""
    return _("By chance alone, about {count} is to be expected.").format(
        count=number(expected, digits=1 if expected >= 0.1 else 2)
    )


def alarm_words(found: Stability) -> str:
    """Say how often the rules cry wolf over a stable process of as many points."""
    assert found.chance is not None
    return _("{share} of stable series of {count} points break one of them by chance").format(
        share=percent(found.chance.alarms, digits=0), count=number(found.points, digits=0)
    )


def told_signals(chart: ControlChart, labels: Sequence[str], rules: Rules) -> dict[str, Json]:
    """Return the violations as the model is told of them: the first points, and every rule."""
    codes = dict.fromkeys(code for _at, broken in chart.signals for code in broken)
    return {
        "sinais": [
            {
                "ponto": labels[at],
                "valor": rounded(float(chart.statistics[at])),
                "regras": [*broken],
            }
            for at, broken in chart.signals[:TOLD_SIGNALS]
        ],
        "total_sinais": len(chart.signals),
        "regras": {code: rule_text(code, rules) for code in codes},
    }


def unit_of(chart: ControlChart) -> str:
    """Return what a chart's values are read in: shares in per cent."""
    return "%" if chart.kind in ("p", "laney_p") else ""


def in_percent(chart: ControlChart) -> ControlChart:
    """Return a chart of shares in per cent, as people speak of them; any other as it is."""
    if not unit_of(chart):
        return chart
    return replace(
        chart,
        statistics=100 * chart.statistics,
        centre=100 * chart.centre,
        lower=100 * chart.lower,
        upper=100 * chart.upper,
    )


def violations_table(
    chart: ControlChart, labels: Sequence[str], rules: Rules, source: Provenance
) -> tuple[TableView, ...]:
    """Return a row for each violation of the chart and of that of the spread, with every rule."""
    drawn, unit = [in_percent(chart)], unit_of(chart)
    if chart.companion is not None and chart.kind != "cusum":
        drawn.append(chart.companion)
    rows = [
        (
            day_words(labels[at]),
            *((statistic_name(each.kind),) if len(drawn) > 1 else ()),
            rounded(float(each.statistics[at])),
            "; ".join(rule_text(code, rules) for code in broken),
        )
        for each in drawn
        for at, broken in each.signals[:LISTED]
    ]
    if not rows:
        return ()
    value = _("Value")
    named: list[tuple[str, ColumnType]] = [
        (_("Point"), "text"),
        *(((_("Statistic"), "text"),) if len(drawn) > 1 else ()),
        (f"{value} ({unit})" if unit else value, "number"),
        (_("Rules"), "text"),
    ]
    columns = tuple(Column(name, type_) for name, type_ in named)
    count = sum(len(each.signals) for each in drawn)
    return (TableView(_("Violations"), Table(columns, tuple(rows)), count, source),)


def sentences(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """Return the sentences of doubts, each once."""
    return tuple(dict.fromkeys(each.text for each in doubts))


def p_words(p: float) -> str:
    """Write a p value beside its name: 0.031, < 0.001."""
    least = 0.001
    return f"< {number(least)}" if p < least else number(p, digits=3)


def rounded(value: float | None) -> float | None:
    """Round to six significant digits, enough for a model; None for what is no number."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.6g}")


def signals_of(chart: ControlChart, rules: Rules) -> tuple[Signal, ...]:
    """Return the points of a chart that break rules, each rule in words."""
    return tuple(
        Signal(at, broken, tuple(rule_text(code, rules) for code in broken))
        for at, broken in chart.signals
    )
