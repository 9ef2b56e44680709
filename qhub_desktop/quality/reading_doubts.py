"""What speaks against a column of readings before any method is applied to it.

Sources: Wheeler and Lyday, Evaluating the Measurement Process (a scale's step above the standard
deviation); Wheeler, Understanding Statistical Process Control (subgroups of parallel streams, whose
averages hug the centre line); AIAG MSA.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.quality.findings import Doubt

Floats = NDArray[np.float64]
_FAR = 4.0  # standard deviations that readings stand above zero, where zero is none of them
_MOST_MISSING = 0.25  # a larger share of zeros is no accident
_MOST_GRADES = 7
_FEWEST_VALUES = 10
_FEWEST_SUBGROUPS = 10
_BY_CHANCE = 0.001
_MOST_STREAMS = 25


def doubts_of_values(values: Floats, column: str) -> tuple[Doubt, ...]:
    """Say where readings look like grades, have zeros for missing ones, or a scale too coarse."""
    known = values[np.isfinite(values)]
    if known.size < _FEWEST_VALUES:
        return ()
    return (*_zeros(known, column), *_scale(known, column))


def _zeros(known: Floats, column: str) -> list[Doubt]:
    """Tell zeros far below all else: a reading that was never taken is often written as 0."""
    others = known[known != 0]
    zeros = known.size - others.size
    if not 0 < zeros <= _MOST_MISSING * known.size or others.size < 2:
        return []
    spread = float(others.std(ddof=1))
    if not (abs(float(others.mean())) > _FAR * spread > 0 and (others > 0).all()):
        return []
    text = _(
        "{count} values of {column} are 0, far from all others: they look like readings that are"
        " missing. Leave them out, or say that they are right."
    )
    named = text.format(count=number(zeros, digits=0), column=quoted_name(column))
    return [Doubt("zeros", named)]


def _scale(known: Floats, column: str) -> list[Doubt]:
    different = np.unique(known)
    if different.size < 2:
        return []
    is_whole = bool((known == np.round(known)).all())
    if is_whole and different.size <= _MOST_GRADES and float(np.abs(different).max()) <= 10:
        text = _(
            "{column} has only {count} different whole numbers: it looks like a grade or a class,"
            " which is no measurement. Its mean and its capability say nothing; count each grade."
        )
        said = text.format(column=quoted_name(column), count=different.size)
        return [Doubt("grades", said)]
    step = float(np.diff(different).min())
    if step > float(known.std(ddof=1)):
        text = _(
            "The scale of {column} is too coarse: its step of {step} is larger than the standard"
            " deviation, so ranges are too often 0."
        )
        said = text.format(column=quoted_name(column), step=number(step))
        return [Doubt("coarse", said)]
    return []


def doubts_of_subgroups(
    subgroups: Sequence[Floats], streams: Mapping[str, Sequence[Sequence[str]]]
) -> tuple[Doubt, ...]:
    """Say where a subgroup mixes parallel streams: cavities, spindles, positions.

    Their averages then hug the centre line, as the spread within is that between streams. `streams`
    are other columns' values for each reading, of which one may name them.
    """
    from scipy.special import fdtr

    sizes = {each.size for each in subgroups}
    if len(subgroups) < _FEWEST_SUBGROUPS or len(sizes) != 1 or min(sizes) < 2:
        return ()
    table = np.array(subgroups)
    if not np.isfinite(table).all():
        return ()
    count, size = table.shape
    within = float(table.var(axis=1, ddof=1).mean())
    if within <= 0:
        return ()
    ratio = size * float(table.mean(axis=1).var(ddof=1)) / within
    hugging = float(fdtr(count - 1, count * (size - 1), ratio))
    named = next((name for name, of in streams.items() if _parts(table, of)), None)
    if named is None and hugging >= _BY_CHANCE:
        return ()
    if named is None:
        text = _(
            "The averages hug the centre line, far more than chance makes them: each subgroup seems"
            " to mix parts of several streams (cavities, spindles), and the limits are too wide."
            " Draw a chart for each of them."
        )
        return (Doubt("streams", text),)
    text = _(
        "Each subgroup has one reading of every {column}, and these differ among themselves: the"
        " limits are too wide. Draw a chart for each {column}."
    )
    return (Doubt("streams", text.format(column=quoted_name(named))),)


def _parts(table: Floats, names: Sequence[Sequence[str]]) -> bool:
    """Return whether a column parts every subgroup alike, and its values differ beyond chance."""
    from scipy.special import fdtrc

    first = sorted(names[0])
    is_alike = len(set(first)) == table.shape[1] and all(sorted(each) == first for each in names)
    if not is_alike or not 2 <= table.shape[1] <= _MOST_STREAMS:
        return False
    ordered = np.array(
        [
            row[np.argsort(np.array(each), kind="stable")]
            for row, each in zip(table, names, strict=True)
        ]
    )
    count, size = ordered.shape
    residuals = (
        ordered - ordered.mean(axis=0) - ordered.mean(axis=1, keepdims=True) + ordered.mean()
    )
    error = float((residuals**2).sum()) / ((count - 1) * (size - 1))
    between = count * float(ordered.mean(axis=0).var(ddof=1))
    if error <= 0:
        return bool(between > 0)
    return float(fdtrc(size - 1, (count - 1) * (size - 1), between / error)) < _BY_CHANCE


def doubts_of_neighbours(values: Floats) -> tuple[Doubt, ...]:
    """Say where values in the order of time lean on each other: sigma within is then too small."""
    known = values[np.isfinite(values)]
    if known.size < 2 * _FEWEST_VALUES:
        return ()
    deviations = known - known.mean()
    total = float(deviations @ deviations)
    likeness = float(deviations[1:] @ deviations[:-1]) / total if total > 0 else 0.0
    if likeness <= 2.576 / math.sqrt(known.size):
        return ()
    text = _(
        "Neighbours are alike (autocorrelation {ratio}): values shift or drift. Look for the cause"
        " first; sigma within is too small, and no transformation mends it."
    )
    return (Doubt("autocorrelation", text.format(ratio=number(likeness, digits=2))),)
