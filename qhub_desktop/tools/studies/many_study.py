"""Many studies at once: a row for each part, cavity or line, which opens its own; worst first."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Figure, Line, Mark, Points, Rule
from qhub_desktop.core.result_widgets import TableView
from qhub_desktop.core.study import Study
from qhub_desktop.core.table import Cell, Column, Table, quoted, sql_literal
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.quality.capability import Index, Specification, grade_of
from qhub_desktop.quality.findings import NotComputableError
from qhub_desktop.quality.many import GroupSummary, summarize
from qhub_desktop.quality.run_rules import Rules
from qhub_desktop.tools.studies.names import KEPT_DEMAND
from qhub_desktop.tools.studies.selection import Computed, FloatArray, Selection, StudyColumns, Work
from qhub_desktop.tools.studies.words import rounded

Method = Literal["carta_controlo", "capacidade"]
MOST_GROUPS = 1_000
DRAWN = 30  # groups in the figure, the worst
TOLD = 15  # groups that a model is told of
PER_MILLION = 1_000_000
_GRADES = ("unstable", "signal", "check", "stable")  # the worst first


async def prepare_many(
    rows: Selection, given: Mapping[str, Any], method: Method, rules: Rules, demand: float = 0.0
) -> Work:
    """Read the measurements and their groups; the rest is work for a thread.

    `demand` is on the Cpk of each group.
    """
    given = {name: each for name, each in given.items() if name != KEPT_DEMAND}
    by, subgroup = rows.column(given["por"]), given.get("subgrupo")
    is_open = given.get("coluna") is None and subgroup is None
    if is_open and (wide := rows.readings_in_rows()):
        return await _prepare_wide(rows, given, method, rules, demand, wide)
    column = rows.measured(given.get("coluna"))
    selected = [quoted(column), quoted(by)]
    if isinstance(subgroup, str):
        selected.append(quoted(rows.column(subgroup)))
    order = given.get("ordem") or rows.moment_column()
    read = await rows.columns(*selected, order=None if order is None else rows.column(order))
    specification = _specification(given, method)

    def work() -> Computed:
        found = [
            summarize(name, values, rules, specification, sizes=sizes)
            for name, values, sizes in _groups(read, subgroup)
        ]
        return many_study(found, read, (column, by), method, given, demand)

    return work


async def _prepare_wide(
    rows: Selection,
    given: Mapping[str, Any],
    method: Method,
    rules: Rules,
    demand: float,
    wide: tuple[str, ...],
) -> Work:
    """Read rows that are a subgroup each, and the group of each."""
    by, order = rows.column(given["por"]), given.get("ordem") or rows.moment_column()
    read = await rows.columns(
        quoted(by), *map(quoted, wide), order=None if order is None else rows.column(order)
    )
    specification = _specification(given, method)

    def work() -> Computed:
        table = np.column_stack([read.numbers(at + 1) for at in range(len(wide))])
        places = _places(read.texts(0))
        found = []
        for name, lines in places.items():
            known = np.isfinite(table[lines])
            sizes = [int(each) for each in known.sum(axis=1) if each]
            values = table[lines][known]
            found.append(summarize(name, values, rules, specification, sizes=sizes))
        column = f"{wide[0]} - {wide[-1]}"
        return many_study(found, read, (column, by), method, given, demand)

    return work


def _specification(given: Mapping[str, Any], method: Method) -> Specification | None:
    if method != "capacidade":
        return None
    return Specification(given.get("lie"), given.get("lse"), given.get("alvo")).checked()


def _places(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the rows of each group.

    Raises NotComputableError ("one_group", "too_many_groups").
    """
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        if name:
            places.setdefault(name, []).append(at)
    if len(places) < 2:
        raise NotComputableError("one_group", _("There is only one group. Study it by itself."))
    if len(places) > MOST_GROUPS:
        text = _("There are {count} groups, and {most} are studied at once. Filter the rows.")
        raise NotComputableError(
            "too_many_groups",
            text.format(count=number(len(places), digits=0), most=number(MOST_GROUPS, digits=0)),
        )
    return places


def _groups(
    read: StudyColumns, subgroup: str | int | None
) -> list[tuple[str, FloatArray, list[int] | None]]:
    """Return each group with its values and the sizes of its subgroups.

    Raises ToolError and NotComputableError ("one_group", "too_many_groups").
    """
    values, names = read.numbers(0), read.texts(1)
    places = _places(names)
    if isinstance(subgroup, int) and subgroup < 2:
        raise ToolError(_("A subgroup has at least two values."), field="subgrupo")
    owners = read.texts(2) if isinstance(subgroup, str) else []
    found: list[tuple[str, FloatArray, list[int] | None]] = []
    for name, rows in places.items():
        if isinstance(subgroup, str):
            inner: dict[str, list[int]] = {}
            for at in rows:
                inner.setdefault(owners[at], []).append(at)
            ordered = [at for each in inner.values() for at in each]
            found.append((name, values[ordered], [len(each) for each in inner.values()]))
        elif subgroup is not None and len(rows) >= 2 * subgroup:
            whole = len(rows) // subgroup
            found.append((name, values[rows[: whole * subgroup]], [subgroup] * whole))
        else:
            found.append((name, values[rows], None))
    return found


def many_study(
    found: Sequence[GroupSummary],
    read: StudyColumns,
    names: tuple[str, str],
    method: Method,
    given: Mapping[str, Any],
    demand: float,
) -> Computed:
    """Make the summary of many studies; each row of its table opens the study of its own."""
    column, by = names
    ranked = sorted(found, key=_rank)
    if method == "capacidade":
        title = _("Capability of {name}, for each {group}").format(name=column, group=by)
        figures = [_capability_figure(ranked, title, by, demand)]
        table = _capability_table(ranked, by, demand)
    else:
        title = _("Control charts of {name}, for each {group}").format(name=column, group=by)
        figures, table = [], _charts_table(ranked, by)
    verdict = _verdict(ranked, demand)
    study = Study(
        method=method,
        title=title,
        verdict=verdict,
        panels=tuple((figure,) for figure in figures),
        facts=(
            (_("Groups"), number(len(found), digits=0)),
            (_("Values"), number(sum(each.count for each in found), digits=0)),
            *(((_("Cpk demanded"), number(demand, digits=2)),) if demand else ()),
        ),
        tables=(TableView(_("Worst first"), table, len(ranked), read.source),),
        arguments={**given},
        source=read.source,
        opens=tuple(_arguments(given, by, each.name) for each in ranked),
    )
    told: list[Json] = [
        {
            "grupo": each.name,
            "n": each.count,
            "media": rounded(each.mean),
            "cpk": rounded(None if (index := _judged(each)) is None else index.value),
            "estabilidade": None if each.stability is None else each.stability.grade,
        }
        for each in ranked[:TOLD]
    ]
    content: JsonObject = {
        "avisos": [*study.doubts],
        "conclusao": verdict,
        "piores": told,
        "total_grupos": len(ranked),
    }
    return Computed(content, study, tuple(ranked))


def _arguments(given: Mapping[str, Any], by: str, name: str) -> JsonObject:
    """Return the arguments of one group's own study."""
    own = f"CAST({quoted(by)} AS VARCHAR) = {sql_literal(name)}"
    before = given.get("onde")
    rest = {key: value for key, value in given.items() if key != "por"}
    return {**rest, "onde": f"({before}) AND {own}" if before else own}


def _judged(group: GroupSummary) -> Index | None:
    """Return the index that a group is judged by: Ppk where it is not stable."""
    if group.overall is None:
        return None
    is_unstable = group.stability is not None and group.stability.grade == "unstable"
    return group.overall.cpk if group.within is None or is_unstable else group.within.cpk


def _rank(group: GroupSummary) -> tuple[float, float, float]:
    """Return what groups are sorted by: the worst first, those without a result last."""
    if group.stability is None:
        return math.inf, 0, 0
    index = _judged(group)
    grade = _GRADES.index(group.stability.grade)
    if index is not None:
        return index.value, grade, 0
    return grade, -group.stability.flagged / max(1, group.stability.points), 0


def _grade_words(group: GroupSummary, demand: float = 0.0) -> str:
    """Say in a word or two what a group's study would."""
    if group.stability is None:
        return _("too few values, or all the same")
    stable = {
        "unstable": _("not stable"),
        "signal": _("a signal"),
        "check": _("to be checked"),
        "stable": "",
    }[group.stability.grade]
    index = _judged(group)
    if index is None:
        return stable or _("stable")
    fit = {
        "capable": _("capable"),
        "just": _("just capable"),
        "unfit": _("not capable"),
        "unsure": _("cannot be said"),
    }[grade_of(index, demand, group.count).grade]
    return ", ".join(filter(None, (fit, stable)))


def _verdict(ranked: Sequence[GroupSummary], demand: float) -> str:
    known = [each for each in ranked if each.stability is not None]
    if not known:
        return _("No group has values enough.")
    count = number(len(ranked), digits=0)
    unstable = sum(
        each.stability is not None and each.stability.grade == "unstable" for each in known
    )
    words = ngettext(
        "{some} of {count} groups is not stable.",
        "{some} of {count} groups are not stable.",
        unstable,
    )
    said = words.format(some=number(unstable, digits=0), count=count)
    if not demand:
        return said
    below = sum(index is not None and index.value < demand for index in map(_judged, known))
    words = ngettext(
        "{some} of {count} groups is below {demand}; the worst is {name}, with {value}.",
        "{some} of {count} groups are below {demand}; the worst is {name}, with {value}.",
        below,
    )
    worst = _judged(known[0])
    assert worst is not None
    told = words.format(
        some=number(below, digits=0),
        count=count,
        demand=number(demand, digits=2),
        name=known[0].name,
        value=number(worst.value, digits=2),
    )
    return f"{told} {said}"


def _capability_table(ranked: Sequence[GroupSummary], by: str, demand: float) -> Table:
    columns = (
        Column(by, "text"),
        Column("n", "integer"),
        *(Column(name, "number") for name in ("x̄", "s", "Cp", "Cpk", "Ppk", "ppm")),
        Column(_("Verdict"), "text"),
    )
    rows: list[tuple[Cell, ...]] = []
    for each in ranked:
        within, overall = each.within, each.overall
        rows.append(
            (
                each.name,
                each.count,
                each.mean,
                each.deviation,
                None if within is None or within.cp is None else round(within.cp.value, 3),
                None if within is None else round(within.cpk.value, 3),
                None if overall is None else round(overall.cpk.value, 3),
                None if overall is None else round(overall.share_outside * PER_MILLION, 1),
                _grade_words(each, demand),
            )
        )
    return Table(columns, tuple(rows))


def _charts_table(ranked: Sequence[GroupSummary], by: str) -> Table:
    columns = (
        Column(by, "text"),
        Column("n", "integer"),
        *(Column(name, "number") for name in ("x̄", "s")),
        *(Column(name, "integer") for name in (_("Points"), _("Signals"))),
        Column(_("Verdict"), "text"),
    )
    rows = tuple(
        (
            each.name,
            each.count,
            each.mean,
            each.deviation,
            None if each.stability is None else each.stability.points,
            None if each.stability is None else each.stability.flagged + each.stability.spread,
            _grade_words(each),
        )
        for each in ranked
    )
    return Table(columns, rows)


def _capability_figure(
    ranked: Sequence[GroupSummary], title: str, by: str, demand: float
) -> Figure:
    """Draw the index of the worst groups, with its interval, beside what is demanded."""
    shown = [
        (each.name, index)
        for each in ranked[:DRAWN]
        if (index := _judged(each)) is not None and index.low is not None and index.high is not None
    ]
    across = [end for _name, index in shown for end in (index.low, index.high, math.nan)]
    up = [float(at) for at in range(len(shown)) for _end in range(3)]
    marks: tuple[Mark, ...] = (
        Line(tuple(np.array(across, dtype=float).tolist()), tuple(up)),
        Points(
            tuple(index.value for _name, index in shown),
            tuple(float(at) for at in range(len(shown))),
        ),
        Rule(demand, "vertical", number(demand, digits=2), "target"),
    )
    said = ngettext("The worst of {count} group", "The worst of {count} groups", len(ranked))
    return Figure(
        title,
        marks,
        said.format(count=number(len(ranked), digits=0)) if len(ranked) > len(shown) else "",
        x=Axis(_("Cpk (Ppk where not stable), 95 % interval")),
        y=Axis(by, "category", tuple(name for name, _index in shown)),
    )
