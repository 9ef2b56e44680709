"""Pareto analysis: which few causes make most of the defects, or of their cost.

Source: Juran, Quality Control Handbook; ties stand in alphabetical order of the label.
"""

import math
from collections.abc import Mapping
from itertools import accumulate

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.findings import Doubt, NotComputableError

VITAL_PERCENT = 80.0
_NEARLY = 1e-9  # of percent: rounding leaves so much
_FEW_ROWS = 30


@dataclass(frozen=True, slots=True)
class Pareto:
    """Causes by weight, the largest first; percentages from 0 to 100, rest last."""

    labels: tuple[str, ...]
    weights: tuple[float, ...]
    cumulative: tuple[float, ...]
    percent: tuple[float, ...]
    cumulative_percent: tuple[float, ...]
    vital_few: tuple[str, ...]
    total: float
    doubts: tuple[Doubt, ...]


def pareto(
    weights: Mapping[str, float],
    threshold: float = VITAL_PERCENT,
    most: int | None = None,
    others: str | None = None,
) -> Pareto:
    """Order causes by count or cost, with the vital few that together reach `threshold` %.

    `others` is the label of the rest: it stands last whatever its weight and is never vital.
    With `most`, smaller causes beyond that number join it. Causes of no weight are left out.
    """
    _refuse(weights, threshold)
    named = {label: weight for label, weight in weights.items() if weight and label != others}
    ordered = sorted(named.items(), key=lambda item: (-item[1], item[0]))
    rest = float(weights.get(others, 0)) if others is not None else 0.0
    if most is not None and others is not None and len(ordered) > most:
        rest += math.fsum(weight for _label, weight in ordered[most:])
        ordered = ordered[:most]
    if rest and others is not None:
        ordered.append((others, rest))
    running = tuple(accumulate(weight for _label, weight in ordered))
    total = running[-1]
    cumulative_percent = tuple(100 * value / total for value in running)
    labels = tuple(label for label, _weight in ordered)
    vital = sum(percent < threshold - _NEARLY for percent in cumulative_percent) + 1
    return Pareto(
        labels=labels,
        weights=tuple(weight for _label, weight in ordered),
        cumulative=running,
        percent=tuple(100 * weight / total for _label, weight in ordered),
        cumulative_percent=cumulative_percent,
        vital_few=tuple(label for label in labels[:vital] if label != others),
        total=total,
        doubts=_doubts(total),
    )


def _refuse(weights: Mapping[str, float], threshold: float) -> None:
    if any(not math.isfinite(weight) or weight < 0 for weight in weights.values()):
        raise NotComputableError(
            "bad_counts",
            _("Counts must be numbers from zero up. Correct the gaps and negative values."),
        )
    if not any(weights.values()):
        raise NotComputableError("empty", _("There is nothing to count. Choose other rows."))
    if not 0 < threshold <= 100:
        raise NotComputableError("threshold", _("The line must stand between 0 and 100 %."))


def _doubts(total: float) -> tuple[Doubt, ...]:
    if total >= _FEW_ROWS:
        return ()
    return (Doubt("few", _("The total is small: the order of the causes may change by chance.")),)
