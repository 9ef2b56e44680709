"""Judgement of a computed chart by a monitor: remembered points, and violations."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.monitor import FoundViolation, JudgedPoint
from qhub_desktop.core.study import label_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.control_charts import ControlChart
from qhub_desktop.quality.monitoring import changed_labels, distances, new_signals, unjudged
from qhub_desktop.quality.run_rules import FloatArray, Rules, rule_text
from qhub_desktop.tools.studies.control_study import request_of, rules_of
from qhub_desktop.tools.studies.selection import Computed
from qhub_desktop.tools.studies.words import chart_name

_NOT_KEPT = ("excluir", "etapas", "congelar", "tipo")  # of the chart's own points
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS = {"dia": 1, "turno": 1, "semana": 7, "mes": 31}
_CARRIED = ("i", "xbar", "p", "np", "c", "u", "laney_p", "laney_u")  # bear rules on runs


@dataclass(frozen=True, slots=True)
class Judged:
    """Every point that is known now, and the violations, each with its position on the chart."""

    points: tuple[JudgedPoint, ...]
    found: tuple[tuple[int, FoundViolation], ...]


def chart_of(computed: Computed) -> ControlChart:
    """Return the chart that was computed."""
    assert isinstance(computed.result, ControlChart)
    return computed.result


def frozen_arguments(given: JsonObject, computed: Computed, *, dataset: str) -> JsonObject:
    """Return arguments that draw the same chart with the limits that it has now.

    Its kind is settled: later data might have another shape.
    """
    chart = chart_of(computed)
    limits = chart.frozen
    kind: str = chart.kind
    if kind == "xbar" and chart.companion is not None:
        kind = f"xbar_{chart.companion.kind}"
    frozen: JsonObject = {"centro": limits.centre, "sigma": limits.sigma}
    if limits.sigma_z != 1:
        frozen["sigma_z"] = limits.sigma_z
    kept = {name: value for name, value in given.items() if name not in _NOT_KEPT}
    return {**kept, "conjunto": dataset, "tipo": kind, "congelar": frozen}


def points_of(computed: Computed) -> list[JudgedPoint]:
    """Return the points of a chart as they are remembered."""
    assert computed.study.points is not None
    chart = chart_of(computed)
    labels = [label_of(computed.study, at) for at in range(len(computed.study.points.rows))]
    columns = zip(
        labels, _known(chart.statistics), _known(chart.sizes), _known(distances(chart)), strict=True
    )
    return [JudgedPoint(*each) for each in columns]


def judge(
    computed: Computed,
    arguments: JsonObject,
    known: Sequence[JudgedPoint],
    tail: Sequence[JudgedPoint],
    *,
    prefix: str = "",
    open_from: date | None = None,
) -> Judged:
    """Judge the points that are not known; `tail` were judged before them, in other files.

    Labels get the `prefix`. A period from the day `open_from` on is not over: only a value above
    its limit is told, and it is judged again. Blocks: 100,000 points take part of a second.
    """
    chart, now = chart_of(computed), points_of(computed)
    labels = [each.label for each in now]
    values, sizes = _array([each.value for each in now]), _array([each.size for each in now])
    is_lasting = _are_lasting(labels) and (
        not known or _are_lasting([each.label for each in known])
    )
    merged: list[JudgedPoint]
    before = _array([each.distance for each in tail])
    if is_lasting:
        marks = {each.label: (_number(each.value), _number(each.size)) for each in known}
        fresh = changed_labels(marks, labels, values, sizes)
        overdue = {at for at in fresh if _is_open(labels[at], open_from, arguments)}
        held = {each.label: each for each in known}
        held |= {each.label: each for at, each in enumerate(now) if at not in overdue}
        merged = [*held.values()]
        is_continued = any(each.label in marks for each in now)
    else:
        fresh, start = unjudged(_array([each.value for each in known]), values)
        overdue = set()
        merged = [*known[:start], *now, *known[start + len(now) :]]
        is_continued = start < len(known)
    if known and not is_continued:
        before = _array([each.distance for each in known])
    rules = rules_of(request_of(arguments).rules)
    before = before if chart.kind in _CARRIED else _array([])
    found = _violations(chart, fresh, before, rules)
    if chart.companion is not None:
        found += _violations(chart.companion, fresh, _array([]), rules)
    told = [
        (at, _named(each, labels[at], prefix, is_lasting=is_lasting))
        for at, each in sorted(found, key=lambda one: one[0])
        if at not in overdue or _is_above(each)
    ]
    return Judged(tuple(merged), tuple(told))


def _are_lasting(labels: Sequence[str]) -> bool:
    """Return whether labels name the same points in every export, and do not only number them."""
    return list(labels) != [str(at + 1) for at in range(len(labels))]


def _violations(
    chart: ControlChart, fresh: Sequence[int], before: FloatArray, rules: Rules
) -> list[tuple[int, FoundViolation]]:
    return [
        (
            at,
            FoundViolation(
                label="",
                chart=chart_name(chart.kind),
                rules=codes,
                words=tuple(rule_text(code, rules) for code in codes),
                value=_cell(chart.statistics[at]),
                lower=_cell(chart.lower[at]),
                centre=_cell(chart.centre[at]),
                upper=_cell(chart.upper[at]),
            ),
        )
        for at, codes in new_signals(chart, fresh, before, rules)
    ]


def _named(found: FoundViolation, label: str, prefix: str, *, is_lasting: bool) -> FoundViolation:

    return replace(found, label=f"{prefix} · {label}" if prefix else label, is_lasting=is_lasting)


def _is_above(found: FoundViolation) -> bool:
    return found.value is not None and found.upper is not None and found.value > found.upper


def _is_open(label: str, open_from: date | None, arguments: JsonObject) -> bool:
    """Return whether a period that a label names goes on."""
    match = _DATE.match(label)
    if open_from is None or match is None:
        return False
    days = _DAYS.get(str(arguments.get("periodo") or "dia"), 1)
    return date.fromisoformat(match[0]) + timedelta(days=days) > open_from


def _array(values: Sequence[float | None]) -> FloatArray:
    return np.array(values, dtype=np.float64)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _cell(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _known(values: FloatArray) -> list[float | None]:
    return [each if each - each == 0 else None for each in values.tolist()]
