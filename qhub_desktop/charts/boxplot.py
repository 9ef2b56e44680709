"""Box plots by category: medians, quartiles, whiskers and outliers."""

import math
from dataclasses import dataclass

from qhub_desktop.charts.chart_spec import (
    GROUPS,
    ChartSpec,
    chart,
    finite_number,
    known_values,
    left_out_note,
    measure_of,
    sample_size,
    subtitle,
    unsupported,
)
from qhub_desktop.charts.grouping import MOST_CATEGORIES, name_of, natural_rank
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.figure import Axis, Bars, ChartKind, Figure, Line, Mark, Points
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number

WHISKER = 1.5  # Tukey's fence, in interquartile ranges
BOX_WIDTH = 0.56
CAP_WIDTH = 0.28
BOX_SERIES = 0
MEDIAN_SERIES = 6  # the colour that contrasts most with the box


@dataclass(frozen=True, slots=True)
class _Samples:
    values: dict[str, list[float]]
    label: str
    measure: str
    missing_rows: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Box:
    quartiles: tuple[float, float, float]
    whiskers: tuple[float, float]
    outliers: tuple[float, ...]


@chart(
    ChartKind(
        name="box",
        label=gettext_noop("box plot"),
        takes="grouped values",
        suits=frozenset(["values"]),
        words={
            "pt": "caixa, caixas, diagrama de caixa, grafico de caixa, "
            "caixa de bigodes, boxplot, box plot",
            "en": "box, boxplot, box plot, box plots, box chart, whisker",
        },
        place=8,
        precedence=8,
    )
)
def box(spec: ChartSpec) -> Figure:
    """Draw quartiles (R type 7), whiskers to the last value within 1.5 IQR, and outliers."""
    samples = _samples(spec)
    return Figure(
        title=spec.title,
        subtitle=subtitle(
            spec.subtitle,
            sample_size(sum(map(len, samples.values.values()))),
            _("whiskers {factor} × IQR").format(factor=number(WHISKER)),
            samples.note,
            left_out_note(samples.missing_rows),
        ),
        marks=_marks([_box(values) for values in samples.values.values()]),
        x=Axis(label=samples.label, kind="category", categories=tuple(samples.values)),
        y=Axis(label=samples.measure),
    )


def _samples(spec: ChartSpec) -> _Samples:
    if len(spec.y) > 1:
        if spec.x or spec.by:
            raise unsupported(spec, "y", "com categorias em 'x', só uma coluna de valores.")
        columns = {name: known_values(spec, name) for name in spec.y}
        return _Samples(
            values={name: known for name, (known, _missing) in columns.items()},
            label="",
            measure="",
            missing_rows=sum(missing for _known, missing in columns.values()),
        )
    if spec.x and spec.by:
        raise unsupported(spec, "by", "indique as categorias só em 'x'.")
    x = spec.x or spec.by
    if x is None and (found := spec.columns(*GROUPS)):
        x = found[0].name
    measure = measure_of(spec, without=x)
    if x is None:
        known, missing = known_values(spec, measure)
        return _Samples({measure: known}, "", measure, missing)
    return _by_category(spec, x, measure)


def _by_category(spec: ChartSpec, x: str, measure: str) -> _Samples:
    values: dict[str, list[float]] = {}
    missing = 0
    for key, cell in zip(spec.table.cells(x), spec.table.cells(measure), strict=True):
        found = finite_number(cell)
        if key is None or math.isnan(found):
            missing += 1
            continue
        values.setdefault(name_of(key), []).append(found)
    if not values:
        raise ToolError(
            f"A coluna '{measure}' não tem valores por '{x}'. Escolha outra ou mude os filtros."
        )
    values = {name: values[name] for name in sorted(values, key=natural_rank)}
    if len(values) <= MOST_CATEGORIES:
        return _Samples(values, x, measure, missing)
    ranked = sorted(values, key=lambda name: -len(values[name]))[:MOST_CATEGORIES]
    note = _("the {shown} categories with most values, of {count}").format(
        shown=MOST_CATEGORIES, count=number(len(values))
    )
    kept = {name: each for name, each in values.items() if name in set(ranked)}
    return _Samples(kept, x, measure, missing, note)


def _box(values: list[float]) -> _Box:
    import numpy as np  # 80 ms: not before statistics are drawn

    low, middle, high = (float(each) for each in np.percentile(values, [25, 50, 75]))
    reach = WHISKER * (high - low)
    inside = [each for each in values if low - reach <= each <= high + reach]
    return _Box(
        quartiles=(low, middle, high),
        # An interpolated quartile may have no value between itself and its fence.
        whiskers=(min(*inside, low), max(*inside, high)),
        outliers=tuple(sorted(each for each in values if not low - reach <= each <= high + reach)),
    )


def _marks(boxes: list[_Box]) -> tuple[Mark, ...]:
    stems: list[tuple[float, float]] = []
    medians: list[tuple[float, float]] = []
    far: list[tuple[float, float]] = []
    gap = (math.nan, math.nan)
    for at, each in enumerate(boxes):
        low, middle, high = each.quartiles
        for whisker, quartile in zip(each.whiskers, (low, high), strict=True):
            stems += [(at, quartile), (at, whisker), gap]
            stems += [(at - CAP_WIDTH / 2, whisker), (at + CAP_WIDTH / 2, whisker), gap]
        medians += [(at - BOX_WIDTH / 2, middle), (at + BOX_WIDTH / 2, middle), gap]
        far += [(at, value) for value in each.outliers]
    marks: list[Mark] = [
        Line(*_columns(stems), series=BOX_SERIES),
        Bars(
            at=tuple(float(at) for at in range(len(boxes))),
            start=tuple(each.quartiles[0] for each in boxes),
            end=tuple(each.quartiles[2] for each in boxes),
            width=BOX_WIDTH,
            series=BOX_SERIES,
        ),
        Line(*_columns(medians), series=MEDIAN_SERIES),
    ]
    if far:
        marks.append(Points(*_columns(far), series=BOX_SERIES))
    return tuple(marks)


def _columns(points: list[tuple[float, float]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(float(x) for x, _y in points), tuple(y for _x, y in points)
