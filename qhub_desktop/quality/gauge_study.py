"""The gauge study: readings laid out, what their variation is made of, and AIAG's verdict."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.constants import d2, d3
from qhub_desktop.quality.descriptive import Floats, Values, as_numbers
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.quality.normality import has_spread

Method = Literal["anova", "averages_and_ranges", "nested"]
Source = Literal[
    "grr", "repeatability", "reproducibility", "operator", "interaction", "part", "total"
]
Band = Literal["acceptable", "conditional", "unacceptable"]
GOOD, BAD = 0.10, 0.30  # AIAG: below 10 % acceptable, above 30 % not
CATEGORIES = 5  # AIAG: distinct categories a gauge is to tell apart
POOL = 0.25  # AIAG: an interaction with a higher p is pooled with repeatability
_FEW_PARTS = 10
_COARSE = 0.25  # AIAG: more ranges of zero than this tell of too coarse a gauge


@dataclass(frozen=True, slots=True)
class Component:
    """One source of variation: variance, standard deviation, and what they are of the whole.

    `contribution` is the share of the total variance, `study_variation` `study_k` deviations,
    `of_study` its share of the total's, `of_tolerance` of the tolerance (None without one); all
    shares are of one.
    """

    source: Source
    variance: float
    deviation: float
    study_variation: float
    contribution: float
    of_study: float
    of_tolerance: float | None


@dataclass(frozen=True, slots=True)
class AnovaRow:
    """One row of the analysis of variance; no F for the residual, or where it has no divisor."""

    source: Literal["part", "operator", "part:operator", "part_in_operator", "repeatability"]
    squares: float
    degrees: int
    mean_square: float
    f: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Ranges:
    """The worksheet of averages and ranges: mean range, and the ranges of the averages, with K1-K3.

    `between_operators` is the range of the operators' averages, `between_parts` of the parts'.
    """

    mean_range: float
    between_operators: float
    between_parts: float
    factors: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class GaugeStudy:
    """Result of a gauge R&R study.

    `readings` have an axis for parts, operators and trials, in the order of their names (nested:
    the parts of each operator are its own, by position). `anova` is the full table, `pooled_anova`
    the one without the interaction when that was pooled. `categories_exact` is √2 (averages and
    ranges: 1.41) times part over gauge, `categories` the same cut to a whole number of at least 1
    (ndc); None where the gauge varies nothing. `band` is AIAG's, by the worst of what is known.
    """

    method: Method
    parts: tuple[str, ...]
    operators: tuple[str, ...]
    readings: Floats
    anova: tuple[AnovaRow, ...]
    pooled_anova: tuple[AnovaRow, ...]
    is_pooled: bool
    interaction_p: float | None
    ranges: Ranges | None
    components: tuple[Component, ...]
    study_k: float
    tolerance: float | None
    categories_exact: float | None
    categories: int | None
    band: Band
    conclusion: str
    doubts: tuple[Doubt, ...]

    def component(self, source: Source) -> Component:
        """Return one source of variation."""
        return next(each for each in self.components if each.source == source)


def is_nested(parts: Sequence[Hashable], operators: Sequence[Hashable]) -> bool:
    """Return whether every part was measured by one operator alone, and there are several."""
    pairs = set(zip(parts, operators, strict=True))
    return len({operator for _part, operator in pairs}) > 1 and len(pairs) == len(
        {part for part, _operator in pairs}
    )


@dataclass(frozen=True, slots=True)
class GaugeReadings:
    """Readings by part, operator and trial, with the names of the first two."""

    parts: tuple[str, ...]
    operators: tuple[str, ...]
    readings: Floats


def make_study(
    method: Method,
    layout: GaugeReadings,
    variances: dict[str, float],
    *,
    study_k: float,
    tolerance: float | None,
    factor: float,
    doubts: Sequence[Doubt],
    anova: tuple[AnovaRow, ...] = (),
    pooled_anova: tuple[AnovaRow, ...] = (),
    interaction_p: float | None = None,
    ranges: Ranges | None = None,
) -> GaugeStudy:
    """Make the study of variances by source. Raises NotComputableError ("tolerance")."""
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance > 0):
        raise NotComputableError(
            "tolerance",
            _("The tolerance (upper minus lower limit) must be above zero. Check the limits."),
        )
    # Variances add up, deviations do not: shares of the study are of deviations, so they pass 100
    # %.
    reproducibility = variances["operator"] + variances["interaction"]
    gauge = variances["repeatability"] + reproducibility
    total = gauge + variances["part"]
    by_source: dict[Source, float] = {
        "grr": gauge,
        "repeatability": variances["repeatability"],
        "reproducibility": reproducibility,
        "operator": variances["operator"],
        "interaction": variances["interaction"],
        "part": variances["part"],
        "total": total,
    }
    components = tuple(
        Component(
            source=source,
            variance=variance,
            deviation=math.sqrt(variance),
            study_variation=study_k * math.sqrt(variance),
            contribution=variance / total,
            of_study=math.sqrt(variance / total),
            of_tolerance=None if tolerance is None else study_k * math.sqrt(variance) / tolerance,
        )
        for source, variance in by_source.items()
    )
    # Distinct categories: how many kinds of parts the gauge can tell apart.
    exact = factor * math.sqrt(variances["part"] / gauge) if gauge > 0 else None
    categories = None if exact is None else max(1, math.floor(exact))
    grr = components[0]
    band = _band(max(grr.of_study, grr.of_tolerance or 0.0))
    return GaugeStudy(
        method=method,
        parts=layout.parts,
        operators=layout.operators,
        readings=layout.readings,
        anova=anova,
        pooled_anova=pooled_anova,
        is_pooled=bool(pooled_anova),
        interaction_p=interaction_p,
        ranges=ranges,
        components=components,
        study_k=study_k,
        tolerance=tolerance,
        categories_exact=exact,
        categories=categories,
        band=band,
        conclusion=_conclusion(band, grr, by_source, categories),
        doubts=tuple(doubts),
    )


def _band(share: float) -> Band:
    if share < GOOD:
        return "acceptable"
    return "conditional" if share <= BAD else "unacceptable"


def _conclusion(
    band: Band, grr: Component, by_source: dict[Source, float], categories: int | None
) -> str:
    """Say what to do, in one sentence or two."""
    sentences: dict[Band, str] = {
        "acceptable": _("The measurement system can be used: it takes {share} (below 10 %)."),
        "conditional": _(
            "The measurement system may do, depending on what is measured and what it costs: it"
            " takes"
            " {share} (between 10 % and 30 %)."
        ),
        "unacceptable": _(
            "The measurement system is not good enough: it takes {share} (above 30 %). Improve it"
            " before using its figures."
        ),
    }
    share = _("{share} of the study's variation").format(share=percent(grr.of_study))
    if grr.of_tolerance is not None:
        share += _(" and {share} of the tolerance").format(share=percent(grr.of_tolerance))
    found = sentences[band].format(share=share)
    if categories is not None and categories < CATEGORIES:
        found += " " + _(
            "It tells only {count} categories of parts apart (ndc); {least} are needed."
        ).format(count=number(categories), least=number(CATEGORIES))
    if band != "acceptable":
        found += " " + (
            _("Most of it is repeatability: look at the gauge, its fixture and the method.")
            if by_source["repeatability"] >= by_source["reproducibility"]
            else _("Most of it is between operators: look at training and at the instruction.")
        )
    return found


def study_doubts(readings: Floats) -> tuple[Doubt, ...]:
    """Return what speaks against readings: odd ranges, coarse resolution, few parts."""
    count_parts, count_operators, trials = readings.shape
    found: list[Doubt] = []
    ranges = np.ptp(readings, axis=2)
    if trials > 1:
        limit = float(ranges.mean()) * (1 + 3 * d3(trials) / d2(trials))
        beyond = int((ranges > limit * (1 + 1e-12)).sum())
        if beyond:
            text = _(
                "{count} ranges of repeated readings lie above their control limit ({limit}):"
                " look for"
                " a reading that was mistyped, or an operator with another method."
            )
            found.append(Doubt("ranges", text.format(count=number(beyond), limit=number(limit))))
        if float((ranges == 0).mean()) > _COARSE:
            text = _(
                "In {share} of the cells the repeated readings are equal: the gauge's resolution"
                " may be"
                " too coarse, so repeatability looks better than it is."
            )
            found.append(
                Doubt("resolution", text.format(share=percent(float((ranges == 0).mean()))))
            )
    if count_parts < _FEW_PARTS:
        text = _(
            "Only {count} parts were measured; {least} that cover the process's whole range are"
            " usual."
        )
        found.append(
            Doubt("few_parts", text.format(count=number(count_parts), least=number(_FEW_PARTS)))
        )
    if count_operators == 1:
        text = _("Only one operator measured, so reproducibility is not known.")
        found.append(Doubt("one_operator", text))
    return tuple(found)


def crossed_layout(
    values: Values, parts: Sequence[Hashable], operators: Sequence[Hashable]
) -> GaugeReadings:
    """Return the readings by part, operator and trial."""
    numbers = complete(values)
    names, people = ordered(parts), ordered(operators)
    if len(names) < 2:
        raise too_few_parts()
    cells: dict[tuple[Hashable, Hashable], list[float]] = {}
    for value, part, operator in zip(numbers, parts, operators, strict=True):
        cells.setdefault((part, operator), []).append(float(value))
    if is_nested(parts, operators):
        raise NotComputableError(
            "nested",
            _(
                "Each part was measured by one operator only, so this is not a crossed study."
                " Ask for a nested one, or let every operator measure every part."
            ),
        )
    trials = {len(each) for each in cells.values()}
    if len(trials) > 1 or len(cells) < len(names) * len(people):
        raise unbalanced(cell_counts(parts, operators, nested=False))
    readings = np.array([[cells[part, operator] for operator in people] for part in names])
    require_readings_spread(readings)
    return GaugeReadings(tuple(map(str, names)), tuple(map(str, people)), readings)


def complete(values: Values) -> Floats:
    """Return the readings. Raises NotComputableError ("missing", "not_numeric", "infinite")."""
    numbers = as_numbers(values)
    if missing := int(np.isnan(numbers).sum()):
        raise NotComputableError(
            "missing",
            _(
                "{count} readings are missing. A gauge study needs them all: measure again, or"
                " leave"
                " the part out for every operator."
            ).format(count=number(missing)),
        )
    return numbers


def cell_counts(parts: Sequence[Hashable], operators: Sequence[Hashable], *, nested: bool) -> str:
    """Name the first cells with another number of readings than most."""
    counts = Counter(zip(parts, operators, strict=True))
    usual = Counter(counts.values()).most_common(1)[0][0]
    pairs = (
        list(counts)
        if nested
        else [(part, operator) for part in ordered(parts) for operator in ordered(operators)]
    )
    odd = [pair for pair in pairs if counts.get(pair, 0) != usual]
    shown = [
        _("part {part} with operator {operator}: {count}").format(
            part=part, operator=operator, count=number(counts.get((part, operator), 0))
        )
        for part, operator in odd[:3]
    ]
    more = _(" and {count} more").format(count=number(len(odd) - 3)) if len(odd) > 3 else ""
    return "; ".join(shown) + more


def unbalanced(cells: str) -> NotComputableError:
    """Make the error of a study whose cells hold different numbers of readings."""
    text = _(
        "The study is not balanced: every operator must measure every part equally often. Readings"
        " that differ: {cells}. Complete them, or leave those parts out."
    )
    return NotComputableError("unbalanced", text.format(cells=cells or "?"))


def too_few_parts() -> NotComputableError:
    """Make the error of a study of one part."""
    return NotComputableError(
        "too_few_parts",
        _(
            "A gauge R&R study needs at least two parts, better ten. For one part, use a type 1"
            " study."
        ),
    )


def too_few_trials() -> NotComputableError:
    """Make the error of a study without repeated readings."""
    return NotComputableError(
        "too_few_trials",
        _(
            "Repeatability needs at least two readings of each part by each operator. Measure"
            " again."
        ),
    )


def require_readings_spread(readings: Floats) -> None:
    """Raise NotComputableError ("zero_variance") for readings that are all equal."""
    if not has_spread(readings.ravel()):
        raise NotComputableError(
            "zero_variance",
            _(
                "All readings are equal ({value}): the gauge does not tell the parts apart. Use one"
                " with a finer resolution."
            ).format(value=number(float(readings.flat[0]))),
        )


def ordered(names: Sequence[Hashable]) -> list[Hashable]:
    """Return distinct names, numbers in the order of their size."""
    return sorted(set(names), key=natural)


def natural(name: Hashable) -> tuple[tuple[int, float, str], ...]:
    """Return the key that sorts numbers by size, before texts."""
    if isinstance(name, tuple):
        return tuple(part for each in name for part in natural(each))
    try:
        return ((0, float(str(name)), ""),)
    except ValueError:
        return ((1, 0.0, str(name)),)
