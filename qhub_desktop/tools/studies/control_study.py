"""Control charts as studies: which data, which chart, drawn and judged."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.study import Override, Study
from qhub_desktop.core.table import Cell, Column, ColumnRows, Table, quoted
from qhub_desktop.core.text import day_words, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.attribute_charts import (
    defect_counts,
    defect_rates,
    defective_numbers,
    defective_shares,
    laney_rates,
    laney_shares,
)
from qhub_desktop.quality.chart_choice import (
    ChartChoice,
    DataShape,
    Defectives,
    DefectLog,
    Defects,
    Measurements,
    choose_chart,
)
from qhub_desktop.quality.constants import SubgroupEstimator
from qhub_desktop.quality.control_charts import ChartPlan, ControlChart, ControlLimits
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.reading_doubts import doubts_of_subgroups, doubts_of_values
from qhub_desktop.quality.run_rules import ALL_CODES, NELSON, WESTERN_ELECTRIC, Rules
from qhub_desktop.quality.stability import Stability, stability_of
from qhub_desktop.quality.variable_charts import (
    IndividualsEstimator,
    averages,
    individuals,
    run_chart,
)
from qhub_desktop.quality.weighted_charts import cusum, ewma
from qhub_desktop.tools.studies.column_doubts import (
    doubts_of_column,
    import_doubts,
    possible_streams,
)
from qhub_desktop.tools.studies.counting import count_periods, no_denominator
from qhub_desktop.tools.studies.figures import control_figure, figured, scale_of, settled
from qhub_desktop.tools.studies.many_study import prepare_many
from qhub_desktop.tools.studies.names import PERIODS
from qhub_desktop.tools.studies.selection import (
    NAMED,
    Computed,
    FloatArray,
    Period,
    Selection,
    StudyColumns,
    Work,
)
from qhub_desktop.tools.studies.words import (
    alarm_words,
    chart_name,
    charts_name,
    in_percent,
    rounded,
    rule_name,
    sentences,
    signals_of,
    stability_verdict,
    statistic_name,
    told_signals,
    unit_of,
    violations_table,
)

JUDGED_BY_LIMITS = ("ewma", "cusum", "run")  # or by runs alone: their points lean on each other
_OF_MEASUREMENTS = ("i", "xbar", "xbar_r", "xbar_s", "ewma", "cusum", "run")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
OF_COUNTS = ("p", "np", "c", "u", "laney_p", "laney_u")
_OF_INDIVIDUALS: Mapping[str, IndividualsEstimator] = {
    "MRbar/d2": "mr_mean",
    "median MR/d4": "mr_median",
    "s/c4": "sd",
}
_OF_SUBGROUPS: Mapping[str, SubgroupEstimator] = {
    "Rbar/d2": "range",
    "Sbar/c4": "deviation",
    "pooled/c4": "pooled",
    "MVLUE(R/d2)": "weighted_range",
    "MVLUE(S/c4)": "weighted_deviation",
}
MOST_STAGES = 30
ROUTINE = NELSON.only("nelson1", "nelson2")
WEIGHT, WIDTH = 0.2, 3.0  # of an EWMA chart, unless asked for: λ and L
SLACK, DECISION = 0.5, 5.0  # of a CUSUM chart: k and h, in sigma
OF_SHARES = ("p", "np", "u", "laney_p", "laney_u")  # which need to know what was inspected


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """Request for a control chart, in its own words; positions count from 1."""

    kind: str = "auto"
    column: str | None = None
    subgroup: str | int | None = None
    order: str | None = None
    period: Period | None = None
    volume: str | float | None = None
    rules: tuple[str, ...] = ()
    estimator: str | None = None
    excluded: tuple[tuple[str, str], ...] = ()  # label and reason
    frozen: int | ControlLimits | None = None
    stages: tuple[str, ...] | str = ()  # points, or the column that changes there
    parameters: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ControlSeries:
    """Data of one chart: a value or a subgroup for each point, and what was inspected there."""

    name: str
    labels: tuple[str, ...]
    values: FloatArray
    sizes: FloatArray | None
    subgroups: tuple[FloatArray, ...]
    shape: DataShape
    source: Provenance
    doubts: tuple[Doubt, ...] = ()
    axis: str = ""
    order: str | None = None  # the column that the rows were put in the order of, unasked
    streams: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)  # by column
    period: Period | None = None  # what each point counts
    begins: tuple[int, ...] = ()  # the row with which each subgroup begins, where they are named
    stages: tuple[int, ...] | None = None  # where a column changes; None where none was read


MakeSeries = Callable[[], ControlSeries]  # for a thread


async def read_series(rows: Selection, asked: ChartRequest) -> MakeSeries:
    """Read what a chart is drawn from; the rest is work for a thread. Both raise ToolError or
    NotComputableError.
    """
    is_log = rows.profile.defect_column("tipo_defeito") is not None and rows.select is None
    is_measured = asked.kind in _OF_MEASUREMENTS
    counts_rows = asked.column is None and (
        asked.kind in OF_COUNTS or asked.period is not None or is_log
    )
    is_in_subgroups = asked.period is not None and _holds_readings(rows, asked)
    if asked.kind in OF_SHARES and asked.volume is None:
        raise no_denominator(rows.profile.file)
    if counts_rows or (asked.period is not None and not is_in_subgroups):
        period: Period = asked.period or "dia"
        points = await count_periods(rows, period, asked.column, asked.volume)
        shape: DataShape = DefectLog()
        if asked.column is not None or points.sizes is not None:
            shape = _counted(asked.kind, points.amounts, points.sizes, is_log=is_log)
        doubts = points.doubts
        if is_log and asked.column is None and asked.kind in ("p", "np", "laney_p"):
            text = _(
                "The rows are defects, and a part may have several: a share of defective parts is"
                " not what they tell. A u chart draws defects for each part."
            )
            doubts = (Doubt("defects_as_parts", text), *doubts)
        counted = ControlSeries(
            name=asked.column or _("Defects") if is_log else (asked.column or _("Rows")),
            labels=points.labels,
            values=points.amounts,
            sizes=points.sizes,
            subgroups=(),
            shape=shape,
            source=points.source,
            doubts=doubts,
            axis={
                "hora": _("Hour"),
                "dia": _("Day"),
                "turno": _("Shift"),
                "semana": _("Week from"),
                "mes": _("Month from"),
            }[period],
            period=period,
        )
        return lambda: counted
    moment = await _unkept_order(rows, asked)
    if moment is not None:
        asked = replace(asked, order=moment)
    is_of_readings = True
    is_of_lots = not is_measured and asked.column is not None and asked.volume is not None
    if is_of_lots or asked.kind in OF_COUNTS:
        make, is_of_readings = await _read_lots(rows, asked), False
    elif wide := _wide_columns(rows, asked):
        make = await _read_wide(rows, asked, wide)
    else:
        make = await _read_measurements(rows, asked)
    ordered = _put_in_order(make, moment)
    told = import_doubts(rows, asked.column)

    def doubted() -> ControlSeries:
        series = ordered()
        found = told
        if is_of_readings:
            found += doubts_of_column(rows, series.name)
            found += doubts_of_values(series.values, series.name)
            found += doubts_of_subgroups(series.subgroups, series.streams)
        return replace(series, doubts=(*found, *series.doubts))

    return doubted


def _put_in_order(make: MakeSeries, moment: str | None) -> MakeSeries:
    """Return the series of rows that were put into the order of a column, which is said."""
    if moment is None:
        return make
    text = _(
        "The rows did not stand in the order of {column}, and were put into it before anything was"
        " computed: the first points are the oldest."
    )
    doubt = Doubt("put_in_order", text.format(column=quoted_name(moment)))

    def ordered() -> ControlSeries:
        series = make()
        return replace(series, order=moment, doubts=(doubt, *series.doubts))

    return ordered


async def _unkept_order(rows: Selection, asked: ChartRequest) -> str | None:
    """Return the column of moments whose order the rows do not keep.

    Rules about neighbours and moving ranges mean nothing out of order, and the first points may
    make the limits.
    """
    moment = rows.moment_column()
    if asked.order is not None or moment is None:
        return None
    read = await rows.columns(rows.moment())
    is_ordered = read.once("order", 0, lambda: _is_ordered(read.cells(0)))
    return None if is_ordered else moment


def _holds_readings(rows: Selection, asked: ChartRequest) -> bool:
    """Return whether a column holds measurements, which are no counts to be added up."""
    if asked.column is None or asked.volume is not None or asked.kind in OF_COUNTS:
        return False
    return asked.kind in _OF_MEASUREMENTS or rows.types[rows.column(asked.column)] == "number"


def _wide_columns(rows: Selection, asked: ChartRequest) -> tuple[str, ...]:
    """Return the columns of a table that has a subgroup in each row: x1, x2, x3.

    None where a column is named, or another holds measurements beside them.
    """
    is_single = asked.kind in ("i", "run") or asked.subgroup is not None
    if asked.column is not None or is_single:
        return ()
    return rows.readings_in_rows()


async def _read_wide(rows: Selection, asked: ChartRequest, wide: tuple[str, ...]) -> MakeSeries:
    """Read rows that are a subgroup each."""
    shown = rows.moment_column()
    selected = [*map(quoted, wide), *([] if shown is None else [quoted(shown)])]
    read = await rows.columns(*selected, order=_order(rows, asked))
    text = _("Each row was read as a subgroup of {columns}. Name a column if only one is meant.")
    doubt = Doubt("wide", text.format(columns=", ".join(map(quoted_name, wide))))

    def make() -> ControlSeries:
        table = np.column_stack([read.numbers(at) for at in range(len(wide))])
        labels = _labels(read, len(wide) if shown is not None else 0, len(table))
        sizes = tuple(np.isfinite(table).sum(axis=1).tolist())
        return ControlSeries(
            ", ".join(wide) if len(wide) <= NAMED else f"{wide[0]} - {wide[-1]}",
            labels,
            table.ravel(),
            None,
            tuple(table),
            Measurements(sizes),
            read.source,
            (doubt,),
            _("Subgroup"),
        )

    return make


def _counted(kind: str, counts: FloatArray, sizes: FloatArray | None, *, is_log: bool) -> DataShape:
    """Tell defective parts from defects: in a log, a part may stand several times."""
    if kind in ("p", "np", "laney_p"):
        return Defectives(counts, sizes)
    if is_log or kind in ("c", "u", "laney_u") or sizes is None or (counts > sizes).any():
        return Defects(counts, sizes)
    return Defectives(counts, sizes)


async def _read_lots(rows: Selection, asked: ChartRequest) -> MakeSeries:
    """Read rows that each are a point: a count, and what was inspected."""
    column = rows.measured(asked.column)
    label = asked.subgroup if isinstance(asked.subgroup, str) else asked.order
    shown = label or rows.moment_column()
    volume = asked.volume if isinstance(asked.volume, str) else None
    own = None if volume is None or _is_number(volume) else rows.number_column(volume)
    selected = [quoted(column)]
    if own is not None:
        selected.append(quoted(own))
    if shown is not None:
        shown = rows.column(shown)
        selected.append(quoted(shown))
    read = await rows.columns(*selected, order=_order(rows, asked))

    def make() -> ControlSeries:
        counts = read.numbers(0)
        sizes = None
        if own is not None:
            sizes = read.numbers(1)
        elif asked.volume is not None:
            sizes = np.full(counts.size, float(asked.volume))
        labels = _labels(read, len(selected) - 1 if shown is not None else 0, counts.size)
        shape = _counted(asked.kind, counts, sizes, is_log=False)
        return ControlSeries(
            column, labels, counts, sizes, (), shape, read.source, axis=shown or _("Observation")
        )

    return make


async def _read_measurements(rows: Selection, asked: ChartRequest) -> MakeSeries:
    """Read measurements one at a time, or in the subgroups that a column or a number makes."""
    column = rows.measured(asked.column)
    selected = [quoted(column)]
    moment = rows.moment_column()
    groups = rows.column(asked.subgroup) if isinstance(asked.subgroup, str) else None
    period = _period_of(rows, asked)
    if period is not None:
        selected += rows.period(period)
        groups = None
    elif groups is not None:
        selected += [quoted(groups), *([] if moment is None else [rows.day()])]
    elif moment is not None:
        selected.append(quoted(moment))
    if isinstance(asked.stages, str):
        selected.append(quoted(rows.column(asked.stages)))
    order = _order(rows, asked)
    is_grouped = asked.subgroup is not None or period is not None
    beside = possible_streams(rows, (column, groups)) if is_grouped else ()
    read = await rows.columns(*selected, *map(quoted, beside), order=order)
    shown = _(PERIODS[period]) if period is not None else moment if groups is None else groups
    make = partial(_measured_series, read, column, shown, asked, beside)
    if not isinstance(asked.stages, str):
        return make
    return lambda: _with_stages(make(), read.texts(len(selected) - 1), asked)


def _period_of(rows: Selection, asked: ChartRequest) -> Period | None:
    """Return the period whose readings are a subgroup; an hour is one of its own day."""
    if asked.period is not None:
        return asked.period
    is_named = isinstance(asked.subgroup, str)
    is_hour = is_named and rows.types[rows.column(cast("str", asked.subgroup))] == "time"
    return "hora" if is_hour and rows.has_times() else None


def _grouped_readings(
    keys: Sequence[Sequence[str]], name: str | None
) -> tuple[dict[str, list[int]], list[Doubt]]:
    """Return which readings each subgroup has, in the order in which these begin.

    A value that comes again on another day, after others, names another subgroup there: shifts and
    hours do.
    """
    labels = [" ".join(each) for each in zip(*keys, strict=True)]
    split = labels
    if name is not None and len(keys) == 2:
        plain, days = keys
        runs = 1 + sum(one != other for one, other in itertools.pairwise(plain))
        is_again = runs > len(set(plain)) and len(set(labels)) > len(set(plain))
        split = (
            [f"{day} {each}" for each, day in zip(plain, days, strict=True)]
            if is_again
            else [*plain]
        )
    owners: dict[str, list[int]] = {}
    for at, label in enumerate(split):
        owners.setdefault(label, []).append(at)
    if name is None or split == [*keys[0]]:
        return owners, []
    text = _("{column} has the same values on several days: each day makes subgroups of its own.")
    return owners, [Doubt("split_by_day", text.format(column=quoted_name(name)))]


def _with_stages(series: ControlSeries, marks: Sequence[str], asked: ChartRequest) -> ControlSeries:
    """Add to a series where a column changes: at the first row of a point, from that before."""
    if not series.subgroups:
        first: Sequence[int] = range(len(marks))
    elif isinstance(asked.subgroup, int):
        first = range(0, len(series.subgroups) * asked.subgroup, asked.subgroup)
    else:
        first = series.begins
    changes = (
        place
        for place, (before, at) in enumerate(itertools.pairwise(first), 1)
        if marks[at] != marks[before]
    )
    return replace(series, stages=tuple(changes))


def _measured_series(
    read: StudyColumns,
    column: str,
    shown: str | None,
    asked: ChartRequest,
    beside: Sequence[str],
) -> ControlSeries:
    """Make the series of a column, and of the one `shown`: its groups or its moments.

    `beside` are columns read last that may name streams within a subgroup.
    """
    values = read.numbers(0)
    doubts: list[Doubt] = []
    is_of_size = isinstance(asked.subgroup, int)
    if asked.subgroup is None and asked.period is None:
        place = 0 if shown is None else 1
        labels = read.once("labels", place, lambda: _labels(read, place, values.size))
        axis = shown if shown is not None and not labels[0].isdigit() else _("Observation")
        return ControlSeries(
            column, labels, values, None, (), Measurements(), read.source, tuple(doubts), axis
        )
    past = len(read.table.columns) - len(beside)
    named = [read.texts(past + at) for at in range(len(beside))]
    if not is_of_size:
        keys = [read.texts(at) for at in range(1, past - isinstance(asked.stages, str))]
        is_named = isinstance(asked.subgroup, str) and asked.period is None
        owners, doubts = _grouped_readings(keys, shown if is_named else None)
        labels = tuple(owners)
        places = [*owners.values()]
        subgroups = tuple(values[each] for each in places)
        begins = [each[0] for each in places]
        streams: list[Sequence[Sequence[str]]]
        streams = [[[told[at] for at in each] for each in places] for told in named]
    else:
        size = cast("int", asked.subgroup)
        if size < 2:
            raise ToolError(_("A subgroup has at least two values."), field="subgrupo")
        whole = values.size // size * size
        if whole < values.size:
            doubts.append(
                Doubt(
                    "rest",
                    _("The last {count} values make no whole subgroup, and are left out.").format(
                        count=values.size - whole
                    ),
                )
            )
        subgroups = tuple(values[:whole].reshape(-1, size)) if whole else ()
        begins = [*range(0, whole, size)]
        streams = [[told[at : at + size] for at in begins] for told in named]
        labels = tuple(map(str, range(1, len(subgroups) + 1)))
    return ControlSeries(
        column,
        labels,
        values,
        None,
        subgroups,
        Measurements(_sizes(subgroups)),
        read.source,
        tuple(doubts),
        shown if not is_of_size and shown else _("Subgroup"),
        begins=tuple(begins),
        streams=dict(zip(beside, streams, strict=True)),
    )


def _sizes(subgroups: Sequence[FloatArray]) -> tuple[int, ...]:
    """Count the readings of each subgroup that are there."""
    if not subgroups:
        return ()
    owner = np.repeat(np.arange(len(subgroups)), [each.size for each in subgroups])
    is_there = np.isfinite(np.concatenate(subgroups))
    return tuple(np.bincount(owner[is_there], minlength=len(subgroups)).tolist())


def _order(rows: Selection, asked: ChartRequest) -> str | None:
    return None if asked.order is None else rows.column(asked.order)


def _is_ordered(moments: Sequence[Cell]) -> bool:
    known = [each for each in moments if each is not None]
    return all(one <= other for one, other in itertools.pairwise(known))  # type: ignore[operator]


def _labels(read: StudyColumns, place: int, count: int) -> tuple[str, ...]:
    """Return the cells of a column as labels that name one point each, else the points' numbers."""
    if place and len(set(read.cells(place))) == count:
        texts = read.texts(place)
        if len(set(texts)) == count and all(texts):
            return tuple(texts)
    return tuple(map(str, range(1, count + 1)))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- drawing and judging --------------------------------------------------------------------------


def rules_of(named: Sequence[str]) -> Rules:
    """Read rules by their codes, `nelson3` or `nelson3:7` with its number.

    `nelson` stands for all eight. Nothing named is a point beyond the limits and nine on one side:
    of stable series of 100 points a third breaks one of them by chance, of all eight three
    quarters.

    Raises ToolError for a rule that is none.
    """
    if not named:
        return ROUTINE
    rules = Rules().only()
    for each in named:
        code, _colon, value = each.strip().lower().partition(":")
        if code in ("nelson", "western_electric"):
            whole = NELSON if code == "nelson" else WESTERN_ELECTRIC
            rules = replace(rules, **{name: getattr(whole, name) for name in whole.codes})
        elif code in ALL_CODES:
            usual = getattr(NELSON, code) or getattr(WESTERN_ELECTRIC, code)
            if value and not _is_number(value):
                text = _("The rule {rule} needs a number.").format(rule=quoted_name(each))
                raise ToolError(text, field="regras")
            rules = replace(rules, **{code: type(usual)(float(value)) if value else usual})
        else:
            raise ToolError(
                _("There is no rule {rule}. There are: {names}.").format(
                    rule=quoted_name(each), names=", ".join(("nelson", *ALL_CODES))
                ),
                field="regras",
            )
    return rules


def _plan(series: ControlSeries, asked: ChartRequest, rules: Rules) -> ChartPlan:
    frozen = asked.frozen if isinstance(asked.frozen, ControlLimits) else None
    baseline = asked.frozen if isinstance(asked.frozen, int) else None
    return ChartPlan(
        baseline=baseline,
        excluded=[position_of(series.labels, label) for label, _reason in asked.excluded],
        stages=_stages(series, asked),
        frozen=frozen,
        rules=rules,
    )


def _stages(series: ControlSeries, asked: ChartRequest) -> list[int]:
    """Return the positions where phases begin. Raises ToolError for a column that has none."""
    if not isinstance(asked.stages, str):
        return [position_of(series.labels, label) for label in asked.stages]
    if series.stages is None:
        text = _("Phases by a column are for measurements. Name the points where they begin.")
        raise ToolError(text, field="etapas")
    if len(series.stages) > MOST_STAGES:
        text = _("{column} changes {count} times, and a chart has {most} phases. Take another one.")
        count = number(len(series.stages), digits=0)
        named = text.format(column=quoted_name(asked.stages), count=count, most=MOST_STAGES)
        raise ToolError(named, field="etapas")
    return [*series.stages]


def position_of(labels: Sequence[str], wanted: str) -> int:
    """Return the position of a point named by its label or by its number, from 1.

    Raises ToolError for a point that is not on the chart.
    """
    if wanted in labels:
        return labels.index(wanted)
    if wanted.isdigit() and 1 <= int(wanted) <= len(labels):
        return int(wanted) - 1
    raise ToolError(
        _("There is no point {point} on the chart. The first is {first}, the last {last}.").format(
            point=quoted_name(wanted), first=labels[0], last=labels[-1]
        ),
        field="etapas",
    )


Charted = tuple[ControlChart, ChartChoice | None]


def draw_chart(series: ControlSeries, asked: ChartRequest, plan: ChartPlan) -> Charted:
    """Compute the chart that was asked for, or the one that fits. Raises NotComputableError."""
    choice = choose_chart(series.shape) if asked.kind == "auto" else None
    kind = asked.kind if choice is None else choice.kind
    given = asked.parameters or {}
    counts, sizes = series.values, series.sizes
    match kind:
        case "p":
            return defective_shares(counts, sizes, plan), choice
        case "np":
            return defective_numbers(counts, sizes, plan), choice
        case "c":
            return defect_counts(counts, plan), choice
        case "u":
            return defect_rates(counts, sizes, plan), choice
        case "laney_p":
            return laney_shares(counts, sizes, plan), choice
        case "laney_u":
            return laney_rates(counts, sizes, plan), choice
        case "run":
            return run_chart(counts, plan), choice
    base = _measured_chart(series, plan, kind, choice, asked.estimator)
    if kind == "ewma":
        target = given.get("alvo")
        weight, width = given.get("peso", WEIGHT), given.get("largura", WIDTH)
        return ewma(base, weight=weight, width=width, target=target), choice
    if kind == "cusum":
        k, h = given.get("k", SLACK), given.get("h", DECISION)
        return cusum(base, k=k, h=h, target=given.get("alvo")), choice
    return base, choice


def _measured_chart(
    series: ControlSeries, plan: ChartPlan, kind: str, choice: ChartChoice | None, named: str | None
) -> ControlChart:
    if not series.subgroups:
        if kind in ("xbar", "xbar_r", "xbar_s"):
            raise NotComputableError(
                "subgroups",
                _(
                    "An averages chart needs subgroups: name the column that groups the values, or"
                    " how many in a row make one (subgrupo)."
                ),
            )
        by = _OF_INDIVIDUALS.get(named or "MRbar/d2")
        if by is None:
            raise ToolError(_estimators(named, _OF_INDIVIDUALS), field="estimador")
        return individuals(series.values, plan, estimator=by)
    estimator: SubgroupEstimator = "range"
    if named is not None:
        if named not in _OF_SUBGROUPS:
            raise ToolError(_estimators(named, _OF_SUBGROUPS), field="estimador")
        estimator = _OF_SUBGROUPS[named]
    elif kind == "xbar_s":
        estimator = "deviation"
    elif kind != "xbar_r":
        chosen = choice or choose_chart(series.shape)
        estimator = cast("Literal['range', 'deviation']", chosen.estimator or "range")
    if max(map(len, series.subgroups)) < 2:
        return individuals(np.concatenate(series.subgroups), plan)
    return averages(list(series.subgroups), plan, estimator=estimator)


def _estimators(named: str | None, known: Iterable[str]) -> str:
    text = _("{estimator} does not fit this chart. There are: {names}.")
    return text.format(estimator=quoted_name(named or ""), names=", ".join(known))


async def prepare(rows: Selection, given: Mapping[str, Any], user: str) -> Work:
    """Read the data of a control chart; the rest is work for a thread."""
    asked = request_of(given)
    if given.get("por") is not None:
        if asked.kind not in ("auto", "i", "xbar", "xbar_r", "xbar_s"):
            text = _("A chart for each group is one of individuals or averages.")
            raise ToolError(text, field="tipo")
        return await prepare_many(rows, given, "carta_controlo", rules_of(asked.rules))
    make = await read_series(rows, asked)

    def work() -> Computed:
        series = make()
        arguments = {**given} if series.order is None else {**given, "ordem": series.order}
        return chart_study(series, asked, arguments, user=user)

    return work


def request_of(given: Mapping[str, Any]) -> ChartRequest:
    """Read a call's arguments, which the tool has checked."""
    frozen = given.get("congelar")
    if isinstance(frozen, Mapping):
        frozen = ControlLimits(
            float(frozen["centro"]), float(frozen["sigma"]), sigma_z=frozen.get("sigma_z", 1.0)
        )
    stages = given.get("etapas") or ()
    return ChartRequest(
        kind=given.get("tipo", "auto"),
        column=given.get("coluna"),
        subgroup=given.get("subgrupo"),
        order=given.get("ordem"),
        period=given.get("periodo"),
        volume=given.get("volume"),
        rules=tuple(given.get("regras", ())),
        estimator=given.get("estimador"),
        excluded=tuple((str(each["ponto"]), each["motivo"]) for each in given.get("excluir", ())),
        frozen=frozen,
        stages=stages if isinstance(stages, str) else tuple(map(str, stages)),
        parameters=given.get("parametros"),
    )


def _doubts_of_request(
    series: ControlSeries, chart: ControlChart, asked: ChartRequest
) -> tuple[Doubt, ...]:
    """Say what another chart would show better, and of limits of more points than there are."""
    found: list[Doubt] = []
    sizes = None if series.sizes is None else series.sizes[np.isfinite(series.sizes)]
    if sizes is not None and sizes.size and sizes.min() < sizes.max():
        ends = {"low": number(float(sizes.min())), "high": number(float(sizes.max()))}
        if chart.kind == "np":
            text = _(
                "From {low} to {high} parts were inspected: the centre line of an np chart rises"
                " and falls with them. Take a p chart, which draws shares."
            )
            found.append(Doubt("unequal_n", text.format(**ends)))
        elif chart.kind == "c":
            text = _(
                "From {low} to {high} units were inspected, and a c chart takes all points as"
                " alike. Take a u chart, which draws defects for each unit."
            )
            found.append(Doubt("unequal_exposure", text.format(**ends)))
    count = chart.statistics.size
    if isinstance(asked.frozen, int) and asked.frozen > count:
        text = _("The first {asked} points were to make the limits, and there are only {count}.")
        found.append(
            Doubt(
                "baseline_past_the_end",
                text.format(asked=number(asked.frozen), count=number(count, digits=0)),
            )
        )
    return tuple(found)


def chart_study(
    series: ControlSeries, asked: ChartRequest, arguments: JsonObject, *, user: str
) -> Computed:
    """Compute a control chart and make of it what the model is told and the person sees."""
    rules = rules_of(asked.rules)
    plan = _plan(series, asked, rules)
    chart, choice = draw_chart(series, asked, plan)
    computed = chart
    doubts = (*series.doubts, *chart.doubts, *_doubts_of_request(series, chart, asked))
    told = sentences(doubts)
    about = choice or (choose_chart(series.shape) if isinstance(series.shape, DefectLog) else None)
    if about is not None and about.missing:  # counts alone, whichever chart was asked for
        told = (*told, about.missing)
    if chart.kind == "cusum":
        chart = with_lower_sums(chart)
    stability = stability_of(chart, rules)
    verdict = stability_verdict(stability, chart, series.labels, rules)
    title = f"{charts_name(chart)}: {series.name}"
    counted = _counted_points(series, chart)
    subtitle = " · ".join(
        filter(None, (counted, _period(series), _inspected(chart, series.period)))
    )
    panels = [
        (control_figure(chart, series.labels, title=title, subtitle=subtitle, axis=series.axis),)
    ]
    if chart.companion is not None and chart.kind != "cusum":
        below = chart.companion
        panels.append(
            (control_figure(below, series.labels, title=chart_name(below.kind), axis=series.axis),)
        )
    study = Study(
        method="carta_controlo",
        title=title,
        verdict=verdict,
        doubts=told,
        panels=tuple(panels),
        facts=_facts(series, chart, choice, rules, stability, asked),
        tables=violations_table(chart, series.labels, rules, series.source),
        points=points_table(series, chart),
        signals=signals_of(chart, rules),
        overrides=_overrides(asked, user),
        arguments=arguments,
        source=series.source,
    )
    return Computed(_told(series, chart, choice, rules, study), study, computed)


def with_lower_sums(chart: ControlChart) -> ControlChart:
    """Return a CUSUM chart whose signals are those of both sums: they are drawn as one chart."""
    assert chart.companion is not None
    both = dict((*chart.companion.signals, *chart.signals))
    lower = replace(chart.companion, signals=())
    return replace(chart, signals=tuple(sorted(both.items())), companion=lower)


def _facts(
    series: ControlSeries,
    chart: ControlChart,
    choice: ChartChoice | None,
    rules: Rules,
    stability: Stability,
    asked: ChartRequest,
) -> tuple[tuple[str, str], ...]:
    facts = [(_("Method"), charts_name(chart))]
    if choice is not None:
        facts += [(_("Why this chart"), choice.why), (_("Points"), choice.subgroups)]
    facts += [*_sigmas(series, chart), *_weights(chart, asked), *limit_facts(chart)]
    if series.subgroups:
        facts += [
            (_("Number of subgroups"), number(chart.statistics.size, digits=0)),
            (_("Subgroup size"), range_words(chart.sizes)),
        ]
    else:
        facts.append((_("Number of points"), number(chart.statistics.size, digits=0)))
    facts += [
        (_("Points that make the limits"), number(int(chart.is_baseline.sum()), digits=0)),
        (_("Period"), _period(series)),
    ]
    if chart.kind not in JUDGED_BY_LIMITS:
        facts.append((_("Rules"), ", ".join(map(rule_name, rules.codes))))
    if stability.chance is not None:
        facts.append((_("False alarms"), alarm_words(stability)))
    return tuple(facts)


def _counted_points(series: ControlSeries, chart: ControlChart) -> str:
    """Say how many points there are, and of how many values each, by their names."""
    count = chart.statistics.size
    if not series.subgroups:
        words = ngettext("{count} point", "{count} points", count)
        return words.format(count=number(count, digits=0))
    words = ngettext("{count} subgroup of {size}", "{count} subgroups of {size}", count)
    return words.format(count=number(count, digits=0), size=range_words(chart.sizes))


def range_words(sizes: FloatArray) -> str:
    """Say a size, or the least and the greatest of them."""
    least, most = (number(float(each), digits=0) for each in _ends(sizes))
    return least if least == most else _("{least} to {most}").format(least=least, most=most)


def _sigmas(series: ControlSeries, chart: ControlChart) -> list[tuple[str, str]]:
    """Return sigma within, by its estimator, and the overall one of measurements."""
    if not math.isfinite(chart.sigma):
        return []
    facts = [(_("Estimator of sigma"), chart.estimator)]
    if chart.kind in OF_COUNTS:
        facts.append((_("Sigma"), number(chart.sigma)))
        if chart.kind.startswith("laney"):
            facts.append((_("Laney's sigma z"), number(chart.frozen.sigma_z, digits=3)))
        return facts
    values = np.concatenate(series.subgroups) if series.subgroups else series.values
    known = values[np.isfinite(values)]
    facts.append((_("Sigma within"), number(chart.sigma)))
    if known.size > 1:
        facts.append((_("Sigma overall"), number(float(known.std(ddof=1)))))
    return facts


def _weights(chart: ControlChart, asked: ChartRequest) -> list[tuple[str, str]]:
    """Return the numbers of a chart that weighs points, whether asked for or usual."""
    given = asked.parameters or {}
    match chart.kind:
        case "ewma":
            shown = ("λ", given.get("peso", WEIGHT)), ("L", given.get("largura", WIDTH))
        case "cusum":
            shown = ("k", given.get("k", SLACK)), ("h", given.get("h", DECISION))
        case _:
            return []
    facts = [(name, number(value)) for name, value in shown]
    if (target := given.get("alvo")) is not None:
        facts.append((_("Target"), number(target)))
    return facts


def limit_facts(chart: ControlChart) -> list[tuple[str, str]]:
    """Return the limits in words, of each stage, and those of the spread below them."""
    facts = []
    below = None if chart.kind == "cusum" else chart.companion
    for each in filter(None, (in_percent(chart), below)):
        unit, scale = unit_of(each), scale_of(each)
        ends = [*each.stages[1:], each.statistics.size]
        for at, end in enumerate(ends):
            named = ((_("LCL"), each.lower), (_("CL"), each.centre), (_("UCL"), each.upper))
            said = "; ".join(
                " ".join(filter(None, (name, figured(float(values[end - 1]), scale), unit)))
                for name, values in named
                if math.isfinite(values[end - 1])
            )
            name = _("Limits ({name})").format(name=statistic_name(each.kind).lower())
            if len(ends) > 1:
                name += ", " + _("Stage {number}").format(number=at + 1).lower()
            if said:
                facts.append((name, said))
    return facts


def _inspected(chart: ControlChart, period: Period | None) -> str:
    """Say of how many parts each share or rate is; nothing where none were counted."""
    if chart.kind not in OF_SHARES or not np.isfinite(chart.sizes).any():
        return ""
    many = range_words(chart.sizes)
    texts: Mapping[Period | None, str] = {
        "dia": _("{count} inspected a day"),
        "turno": _("{count} inspected a shift"),
        "semana": _("{count} inspected a week"),
        "mes": _("{count} inspected a month"),
    }
    return texts.get(period, _("{count} inspected a point")).format(count=many)


def _ends(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))


def _period(series: ControlSeries) -> str:
    return f"{day_words(series.labels[0])} - {day_words(series.labels[-1])}"


def points_table(series: ControlSeries, chart: ControlChart) -> Table:
    """Return a row for each point: label, statistic, limits, size."""
    chart, unit = in_percent(chart), unit_of(chart)
    columns: tuple[Column, ...] = (
        Column(_("Point"), "text"),
        *(
            Column(f"{name} ({unit})" if unit else name, "number")
            for name in (_("Value"), _("LCL"), _("CL"), _("UCL"))
        ),
        Column("n", "number"),
    )
    arrays = [chart.statistics, chart.lower, chart.centre, chart.upper, chart.sizes]
    if chart.kind == "cusum" and chart.companion is not None:
        columns = (*columns, Column(_("Lower sum"), "number"))
        arrays.append(chart.companion.statistics)
    scale = scale_of(chart)
    lists = [_known(each if each is chart.sizes else settled(each, scale)) for each in arrays]
    return Table(columns, ColumnRows(series.labels, *lists))


def _known(values: npt.NDArray[np.float64]) -> list[float | None]:
    known: list[float | None] = values.tolist()
    if np.isfinite(values).all():
        return known
    return [each if math.isfinite(each) else None for each in values.tolist()]


def _overrides(asked: ChartRequest, user: str) -> tuple[Override, ...]:
    done = [
        Override(_("Point {label} is left out.").format(label=day_words(label)), reason, user)
        for label, reason in asked.excluded
    ]
    if isinstance(asked.frozen, int):
        words = _("The limits are frozen: the first {count} points make them.")
        done.append(Override(words.format(count=asked.frozen), "", user))
    elif asked.frozen is not None:
        done.append(Override(_("The limits are frozen at given values."), "", user))
    return tuple(done)


def _told(
    series: ControlSeries,
    chart: ControlChart,
    choice: ChartChoice | None,
    rules: Rules,
    study: Study,
) -> JsonObject:
    limits = chart.frozen
    told: dict[str, Json] = {"avisos": [*study.doubts], "conclusao": study.verdict}
    told["carta"] = study.title
    if choice is not None:
        told["porque"] = choice.why
    told |= {
        "pontos": chart.statistics.size,
        "de": series.labels[0],
        "ate": series.labels[-1],
        "lc": rounded(float(chart.centre[-1])),
        "lic": rounded(float(chart.lower[-1])),
        "lsc": rounded(float(chart.upper[-1])),
        "estimador": chart.estimator,
        "limites": {"centro": rounded(limits.centre), "sigma": rounded(limits.sigma)},
    }
    if limits.sigma_z != 1:
        told["sigma_z"] = rounded(limits.sigma_z)
    told |= told_signals(chart, series.labels, rules)
    if chart.companion is not None and chart.companion.signals:
        told["sinais_dispersao"] = told_signals(chart.companion, series.labels, rules)["sinais"]
    return told


def rows_of_point(rows: Selection, given: Mapping[str, Any], label: str) -> str:
    """Write the SELECT of the rows behind a point, by the label it has on the chart."""
    asked = request_of(given)
    is_log = rows.profile.defect_column("tipo_defeito") is not None and rows.select is None
    counts_rows = asked.column is None and (asked.kind in OF_COUNTS or is_log)
    period: Period | None = asked.period or ("dia" if counts_rows else None)
    period = _period_of(rows, asked) if period is None else period
    if period is not None:
        return rows.rows_of(label, period=period)
    if isinstance(asked.subgroup, str):
        column = rows.column(asked.subgroup)
        day, _blank, value = label.partition(" ")
        is_of_day = rows.moment_column() is not None and _ISO_DAY.fullmatch(day) and value
        return rows.rows_of(
            value if is_of_day else label, column=column, day=day if is_of_day else ""
        )
    size = asked.subgroup or 1
    is_lot = asked.volume is not None or asked.kind in OF_COUNTS
    shown = (asked.order if is_lot else None) or rows.moment_column()
    if shown is not None and not label.isdigit():
        return rows.rows_of(label, column=rows.column(shown))
    return rows.rows_of(label, order=_order(rows, asked), size=size)
