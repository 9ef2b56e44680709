"""Histograms with classes of equal width."""

from collections.abc import Sequence
from statistics import fmean, stdev

from qhub_desktop.charts.chart_spec import (
    ChartSpec,
    chart,
    decimals,
    known_values,
    left_out_note,
    measure_along,
    sample_size,
    subtitle,
    unsupported,
)
from qhub_desktop.core.figure import Axis, Bars, ChartKind, Figure
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number

MOST_CLASSES = 60
MOST_VALUES_WRITTEN = 12


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
