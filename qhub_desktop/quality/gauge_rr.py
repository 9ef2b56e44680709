"""Gauge repeatability and reproducibility: crossed (ANOVA, averages and ranges) and nested studies.

Sources: AIAG, Measurement Systems Analysis, 4th edition, chapter III; Montgomery, Introduction to
Statistical Quality Control, chapter 8.7 (expected mean squares).
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.quality.constants import d2, d3
from qhub_desktop.quality.descriptive import Values
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.gauge_study import (
    POOL,
    AnovaRow,
    GaugeReadings,
    GaugeStudy,
    Ranges,
    cell_counts,
    complete,
    crossed_layout,
    make_study,
    natural,
    ordered,
    require_readings_spread,
    study_doubts,
    too_few_parts,
    too_few_trials,
    unbalanced,
)


def crossed(
    values: Values,
    parts: Sequence[Hashable],
    operators: Sequence[Hashable],
    *,
    tolerance: float | None = None,
    alpha_pool: float | None = POOL,
    study_k: float = 6,
) -> GaugeStudy:
    """Analyse a crossed study by analysis of variance: every operator measured every part.

    Rows come in any order; repeated ones are trials. The interaction is pooled with repeatability
    when its p is above `alpha_pool` (None: never). Variances below zero are taken as zero. Raises
    NotComputableError ("unbalanced", "nested", "too_few_parts", "too_few_trials", "zero_variance",
    "tolerance", "missing", "not_numeric", "infinite").
    """
    layout = crossed_layout(values, parts, operators)
    readings = layout.readings
    count_parts, count_operators, trials = readings.shape
    if trials == 1 and count_operators == 1:
        raise too_few_trials()
    grand = readings.mean()
    by_part, by_operator = readings.mean(axis=(1, 2)), readings.mean(axis=(0, 2))
    cells = readings.mean(axis=2)
    part = count_operators * trials * float(((by_part - grand) ** 2).sum())
    operator = count_parts * trials * float(((by_operator - grand) ** 2).sum())
    both = cells - by_part[:, None] - by_operator[None, :] + grand
    interaction = trials * float((both**2).sum())
    error = float(((readings - cells[:, :, None]) ** 2).sum())
    degrees = (
        count_parts - 1,
        count_operators - 1,
        (count_parts - 1) * (count_operators - 1),
        count_parts * count_operators * (trials - 1),
    )
    anova, interaction_p = _full_anova((part, operator, interaction, error), degrees)
    has_interaction = degrees[2] > 0 and degrees[3] > 0
    is_pooled = degrees[2] > 0 and (
        degrees[3] == 0
        or (alpha_pool is not None and interaction_p is not None and interaction_p > alpha_pool)
    )
    pooled = _pooled_anova((part, operator, interaction + error), degrees) if is_pooled else ()
    rows = {row.source: row.mean_square for row in pooled or anova}
    residual = rows["repeatability"]
    between = residual if is_pooled or not has_interaction else rows["part:operator"]
    variances = {
        "repeatability": residual,
        "interaction": max(0.0, (between - residual) / trials),
        "operator": max(0.0, (rows["operator"] - between) / (count_parts * trials))
        if count_operators > 1
        else 0.0,
        "part": max(0.0, (rows["part"] - between) / (count_operators * trials)),
    }
    doubts = [*study_doubts(readings)]
    if degrees[3] == 0:
        text = _(
            "Each operator measured each part once, so repeatability cannot be told from the"
            " interaction of parts and operators: measure each part at least twice."
        )
        doubts.append(Doubt("one_trial", text))
    return make_study(
        "anova",
        layout,
        variances,
        study_k=study_k,
        tolerance=tolerance,
        anova=anova,
        pooled_anova=pooled,
        interaction_p=interaction_p,
        factor=math.sqrt(2),
        doubts=doubts,
    )


def averages_and_ranges(
    values: Values,
    parts: Sequence[Hashable],
    operators: Sequence[Hashable],
    *,
    tolerance: float | None = None,
    study_k: float = 6,
    factors: tuple[float | None, float | None, float | None] = (None, None, None),
) -> GaugeStudy:
    """Analyse a crossed study by AIAG's worksheet of averages and ranges.

    `factors` are K1, K2 and K3, taken from the distribution of the range with four decimals, as
    AIAG prints them, unless given. Raises what `crossed` does.
    """
    layout = crossed_layout(values, parts, operators)
    readings = layout.readings
    count_parts, count_operators, trials = readings.shape
    if trials < 2:
        raise too_few_trials()
    given = tuple(factors)
    k1 = given[0] if given[0] is not None else round(1 / d2(trials), 4)
    k2 = given[1] if given[1] is not None else _range_factor(count_operators)
    k3 = given[2] if given[2] is not None else _range_factor(count_parts)
    ranges = Ranges(
        mean_range=float(np.ptp(readings, axis=2).mean()),
        between_operators=float(np.ptp(readings.mean(axis=(0, 2)))),
        between_parts=float(np.ptp(readings.mean(axis=(1, 2)))),
        factors=(k1, k2, k3),
    )
    repeatability = (ranges.mean_range * k1) ** 2
    # What the operators' averages differ by themselves is their repeatability, taken off.
    operator = (ranges.between_operators * k2) ** 2 - repeatability / (count_parts * trials)
    variances = {
        "repeatability": repeatability,
        "interaction": 0.0,
        "operator": max(0.0, operator) if count_operators > 1 else 0.0,
        "part": (ranges.between_parts * k3) ** 2,
    }
    return make_study(
        "averages_and_ranges",
        layout,
        variances,
        study_k=study_k,
        tolerance=tolerance,
        ranges=ranges,
        factor=1.41,
        doubts=study_doubts(readings),
    )


def nested(
    values: Values,
    parts: Sequence[Hashable],
    operators: Sequence[Hashable],
    *,
    tolerance: float | None = None,
    study_k: float = 6,
) -> GaugeStudy:
    """Analyse a nested study, as of destructive tests: each operator has parts of its own.

    Parts of one name under two operators are two parts. Readings of a part are of pieces taken as
    alike. Raises what `crossed` does, but "nested"; "one_operator" in addition.
    """
    numbers = complete(values)
    cells: dict[tuple[Hashable, Hashable], list[float]] = {}
    for value, part_name, operator_name in zip(numbers, parts, operators, strict=True):
        cells.setdefault((operator_name, part_name), []).append(float(value))
    names = ordered(operators)
    if len(names) < 2:
        raise NotComputableError(
            "one_operator", _("A nested study needs at least two operators. Use a crossed one.")
        )
    # Each operator's own parts, in an order that does not hang on that of the rows.
    groups = {
        name: [cells[key] for key in sorted(cells, key=natural) if key[0] == name] for name in names
    }
    count_parts = {len(each) for each in groups.values()}
    trials = {len(each) for each in cells.values()}
    if len(count_parts) > 1 or len(trials) > 1:
        raise unbalanced(cell_counts(parts, operators, nested=True))
    if min(count_parts) < 2:
        raise too_few_parts()
    if min(trials) < 2:
        raise too_few_trials()
    # Sums of squares between operators, between the parts of one, and within a part.
    readings = np.array([groups[name] for name in names]).transpose(1, 0, 2)
    require_readings_spread(readings)
    per_operator, count_operators, repeats = readings.shape
    by_operator = readings.mean(axis=(0, 2))
    averages = readings.mean(axis=2)
    squares = (
        per_operator * repeats * float(((by_operator - readings.mean()) ** 2).sum()),
        repeats * float(((averages - by_operator[None, :]) ** 2).sum()),
        float(((readings - averages[:, :, None]) ** 2).sum()),
    )
    degrees = (
        count_operators - 1,
        count_operators * (per_operator - 1),
        count_operators * per_operator * (repeats - 1),
    )
    operator, part, residual = (one / of for one, of in zip(squares, degrees, strict=True))
    anova = (
        AnovaRow(
            "operator", squares[0], degrees[0], operator, *_f_test(operator, part, *degrees[:2])
        ),
        AnovaRow(
            "part_in_operator", squares[1], degrees[1], part, *_f_test(part, residual, *degrees[1:])
        ),
        AnovaRow("repeatability", squares[2], degrees[2], residual),
    )
    variances = {
        "repeatability": residual,
        "interaction": 0.0,
        "operator": max(0.0, (operator - part) / (per_operator * repeats)),
        "part": max(0.0, (part - residual) / repeats),
    }
    layout = GaugeReadings(
        tuple(map(str, range(1, per_operator + 1))), tuple(map(str, names)), readings
    )
    return make_study(
        "nested",
        layout,
        variances,
        study_k=study_k,
        tolerance=tolerance,
        anova=anova,
        factor=math.sqrt(2),
        doubts=study_doubts(readings),
    )


def _full_anova(
    squares: tuple[float, float, float, float], degrees: tuple[int, int, int, int]
) -> tuple[tuple[AnovaRow, ...], float | None]:
    """Return the table with the interaction, and the interaction's p.

    Parts and operators are tested against the interaction, which is tested against repeatability.
    """
    part, operator, interaction, error = (
        one / of if of else 0.0 for one, of in zip(squares, degrees, strict=True)
    )
    against, its_degrees = (interaction, degrees[2]) if degrees[2] else (error, degrees[3])
    f_interaction, p_interaction = _f_test(interaction, error, degrees[2], degrees[3])
    rows = [
        AnovaRow(
            "part", squares[0], degrees[0], part, *_f_test(part, against, degrees[0], its_degrees)
        ),
        AnovaRow(
            "operator",
            squares[1],
            degrees[1],
            operator,
            *_f_test(operator, against, degrees[1], its_degrees),
        ),
        AnovaRow(
            "part:operator", squares[2], degrees[2], interaction, f_interaction, p_interaction
        ),
        AnovaRow("repeatability", squares[3], degrees[3], error),
    ]
    return tuple(rows), p_interaction


def _pooled_anova(
    squares: tuple[float, float, float], degrees: tuple[int, int, int, int]
) -> tuple[AnovaRow, ...]:
    """Return the table in which the interaction is part of repeatability."""
    left = degrees[2] + degrees[3]
    residual = squares[2] / left
    part, operator = squares[0] / degrees[0], squares[1] / degrees[1]
    return (
        AnovaRow("part", squares[0], degrees[0], part, *_f_test(part, residual, degrees[0], left)),
        AnovaRow(
            "operator",
            squares[1],
            degrees[1],
            operator,
            *_f_test(operator, residual, degrees[1], left),
        ),
        AnovaRow("repeatability", squares[2], left, residual),
    )


def _f_test(
    above: float, below: float, degrees_above: int, degrees_below: int
) -> tuple[float | None, float | None]:
    if not below > 0 or not degrees_above or not degrees_below:
        return None, None
    from scipy.special import fdtrc

    f = above / below
    return f, float(fdtrc(degrees_above, degrees_below, f))


def _range_factor(count: int) -> float:
    """Return K2 or K3: one over d2* for one range, to four decimals, as AIAG prints it."""
    return round(1 / math.hypot(d2(count), d3(count)), 4) if count > 1 else 0.0
