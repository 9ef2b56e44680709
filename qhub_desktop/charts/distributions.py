"""Charts of distributions: histograms, and box plots by category."""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from qhub_desktop.charts.bars import MOST_VALUES_WRITTEN
from qhub_desktop.charts.chart_spec import (
    GROUPS,
    ChartSpec,
    chart,
    decimals,
    finite_number,
    known_values,
    left_out_note,
    measure_along,
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
from qhub_desktop.core.values import dataclass

MOST_CLASSES = 60
ROUNDING = 1e-12  # of the values' size: what calculations leave of a difference
WHISKER = 1.5  # Tukey's fence, in interquartile ranges
BOX_WIDTH = 0.56
CAP_WIDTH = 0.28
BOX_SERIES = 0
MEDIAN_SERIES = 6  # the colour that contrasts most with the box


@chart(
    ChartKind(
        name="histogram",
        label=gettext_noop("histogram"),
        takes="values",
        suits=frozenset(["values"]),
        words={
            "pt": "histograma",
            "en": "histogram",
        },
        place=7,
        precedence=9,
    )
)
def histogram(spec: ChartSpec) -> Figure:
    """Draw the classes of one column; mean and standard deviation stand in the subtitle."""
    if spec.by:
        raise unsupported(spec, "by", "use 'box' para comparar categorias.")
    if len(spec.y) > 1:
        raise unsupported(spec, "y", "só com uma coluna; use 'box' para comparar várias.")
    import numpy as np  # 80 ms: not before statistics are drawn

    column = measure_along(spec)
    values, missing = known_values(spec, column)
    counts, edges = np.histogram(values, bins=class_edges(values))
    return Figure(
        title=spec.title,
        subtitle=subtitle(
            spec.subtitle,
            sample_size(len(values)),
            *_mean_and_deviation_notes(values),
            left_out_note(missing),
        ),
        marks=(
            Bars(
                at=tuple(((edges[1:] + edges[:-1]) / 2).tolist()),
                start=(0.0,) * len(counts),
                end=tuple(counts.astype(float).tolist()),
                width=float(edges[1] - edges[0]),
                labels=tuple(number(each) for each in counts.tolist())
                if len(counts) <= MOST_VALUES_WRITTEN
                else (),
            ),
        ),
        x=Axis(label=column, lower=float(edges[0]), upper=float(edges[-1])),
        y=Axis(label=_("Count"), lower=0.0),
    )


def class_edges(values: Sequence[float]) -> list[float]:
    """Return class edges: one class an integer, else Freedman-Diaconis or Sturges; at most 60."""
    import numpy as np  # 80 ms: not before statistics are drawn

    lowest, highest = min(values), max(values)
    if highest - lowest <= ROUNDING * max(-lowest, highest):
        values = [lowest] * len(values)  # no class is narrower than what rounding leaves
    if highest - lowest < MOST_CLASSES / 2 and all(each.is_integer() for each in values):
        return [each - 0.5 for each in range(int(lowest), int(highest) + 2)]
    low_quarter, high_quarter = np.percentile(values, [25, 75])
    rule = "fd" if high_quarter > low_quarter else "sturges"
    # The rule may give millions of classes, so their number is limited first.
    width = 2 * (high_quarter - low_quarter) / len(values) ** (1 / 3)
    if rule == "fd" and (highest - lowest) / width > MOST_CLASSES:
        return [float(each) for each in np.linspace(lowest, highest, MOST_CLASSES + 1)]
    return [float(each) for each in np.histogram_bin_edges(values, bins=rule)]


def _mean_and_deviation_notes(values: Sequence[float]) -> tuple[str, str]:
    if len(values) < 2:
        return "", ""
    spread = stdev(values)
    # The mean has the decimals of the standard deviation: more mean nothing.
    mean, deviation = (
        number(each, digits=max(1, decimals([spread]))) for each in (fmean(values), spread)
    )
    return _("mean {value}").format(value=mean), _("s {value}").format(value=deviation)


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
            "caixa de bigodes, boxplot, box plot, grafico de bigodes, "
            "diagrama de extremos e quartis",
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
