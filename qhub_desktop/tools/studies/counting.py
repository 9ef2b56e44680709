"""Counts by production day, shift, week or month, and what was inspected in each.

Periods in which nothing was counted are there, with zero, unless nothing was made in them.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import cast

import numpy as np

from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.table import Cell, quoted
from qhub_desktop.core.text import fold_name, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import quoted_name
from qhub_desktop.core.values import dataclass
from qhub_desktop.quality.findings import Doubt, NotComputableError
from qhub_desktop.tools.studies.selection import (
    NAMED,
    FloatArray,
    Period,
    Selection,
    WorkingTime,
    shift_order,
    written,
)

MOST_PERIODS = 20_000


@dataclass(frozen=True, slots=True)
class CountedPeriods:
    """Counted periods in order: labels, amounts, and what was inspected in each where known."""

    labels: tuple[str, ...]
    amounts: FloatArray
    sizes: FloatArray | None
    source: Provenance
    doubts: tuple[Doubt, ...] = ()


async def count_periods(
    selection: Selection, period: Period, amount: str | None, volume: "str | float | None"
) -> CountedPeriods:
    """Count rows, or add up the column `amount`, by period; periods without any have zero.

    `volume` is what was inspected: a number for each period, a column, or a column of another
    data set (`set.column`), which is joined by its own dates. Raises NotComputableError.
    """
    keys = selection.period(period)
    total = "count(*)" if amount is None else f"sum({quoted(selection.number_column(amount))})"
    inspected = await _volumes(selection, period, amount, volume)
    more = "" if inspected.own is None else f", {inspected.own}"
    sql = (
        f"SELECT {', '.join(keys)}, {total}{more} FROM {selection.relation}{selection.where}"  # noqa: S608  quoted names
        " GROUP BY ALL ORDER BY ALL"
    )
    found = await selection.datasets.query(
        selection.context, sql, limit=MOST_PERIODS, about=selection.profile
    )
    width = len(keys)
    undated = sum(int(cast("float", row[width] or 0)) for row in found.table.rows if row[0] is None)
    rows = {row[:width]: row[width:] for row in found.table.rows if row[0] is not None}
    if not rows:
        raise NotComputableError(
            "no_rows", _("No row fits. Check the filters, or take another period.")
        )
    order = _periods(period, rows, selection.time)
    doubts = [*_undated_doubt(undated)]
    sizes, left_out = inspected.of(order, rows)
    if sizes is not None:
        kept = [at for at, size in enumerate(sizes) if size > 0]
        doubts += _unmade_doubt([order[at] for at in left_out])
        if not kept:
            raise no_denominator(selection.profile.file)
        order, sizes = [order[at] for at in kept], sizes[kept]
    else:
        empty = sum(1 for each in order if each not in rows)
        doubts += _empty_doubt(empty, period)
    amounts = np.array([float(cast("float", rows.get(each, (0.0,))[0] or 0.0)) for each in order])
    labels = tuple(" ".join(written(part) for part in each) for each in order)
    return CountedPeriods(labels, amounts, sizes, found.source, tuple(doubts))


def _periods(
    period: Period, rows: Mapping[tuple[Cell, ...], object], time: WorkingTime
) -> list[tuple[Cell, ...]]:
    """List every period from the first to the last, those without rows among them."""
    if period == "hora":
        return sorted(rows, key=lambda key: cast("datetime", key[0]))
    days = [cast("date", key[0]) for key in rows]
    if period != "turno":
        return [(each,) for each in _days(min(days), max(days), period)]
    known = list(dict.fromkeys(key[1] for key in rows))
    shifts = sorted(known, key=lambda each: shift_order(written(each), time))
    inner = [(day, each) for day in _days(min(days), max(days), "dia") for each in shifts]
    present = [at for at, each in enumerate(inner) if each in rows]
    return cast("list[tuple[Cell, ...]]", inner[present[0] : present[-1] + 1])


async def _volumes(
    selection: Selection, period: Period, amount: str | None, volume: "str | float | None"
) -> "_Volumes":
    if volume is None:
        return _Volumes()
    if isinstance(volume, (int, float)) or _as_number(volume) is not None:
        each = float(volume)
        if not each > 0:
            raise NotComputableError(
                "denominator", _("The production volume has to be greater than zero.")
            )
        return _Volumes(each=each)
    name, _dot, column = volume.rpartition(".")
    others = {profile.dataset: profile for profile in selection.context.profiles}
    if name not in others:
        own = quoted(selection.number_column(volume))
        # Of a log, each row repeats its day's volume; of lots, each has its own.
        return _Volumes(own=f"sum({own})" if amount is not None else f"min({own}), max({own})")
    other = await Selection.of(
        selection.datasets, selection.context, others[name], time=selection.time
    )
    keys = other.period(period)
    made = await other.columns(*keys, quoted(other.number_column(column)))
    total: dict[tuple[str, ...], float] = {}
    for row in made.table.rows:
        key = tuple(fold_name(written(part)) for part in row[:-1])
        total[key] = total.get(key, 0.0) + float(cast("float", row[-1] or 0.0))
    return _Volumes(by_period=total)


@dataclass(frozen=True, slots=True)
class _Volumes:
    """Numbers inspected: the same in each period, by a column of the rows, or by period."""

    each: float | None = None
    own: str | None = None  # SQL of the rows' own
    by_period: Mapping[tuple[str, ...], float] | None = None

    def of(
        self, order: Sequence[tuple[Cell, ...]], rows: Mapping[tuple[Cell, ...], tuple[Cell, ...]]
    ) -> tuple[FloatArray | None, list[int]]:
        """Return what was inspected in each period, and which periods with rows have nothing.

        Raises NotComputableError ("volume_differs").
        """
        if self.each is not None:
            return np.full(len(order), self.each), []
        if self.own is None and self.by_period is None:
            return None, []
        sizes = np.zeros(len(order))
        for at, key in enumerate(order):
            if self.by_period is not None:
                folded = tuple(fold_name(written(part)) for part in key)
                sizes[at] = self.by_period.get(folded, 0.0)
            elif key in rows:
                told = [float(cast("float", each or 0.0)) for each in rows[key][1:]]
                if told[0] != told[-1]:
                    raise NotComputableError(
                        "volume_differs",
                        _(
                            "The rows of {period} tell different production volumes. Give the"
                            " volume in a sheet of its own, or as a number for each period."
                        ).format(period=" ".join(written(part) for part in key)),
                    )
                sizes[at] = told[0]
        return sizes, [at for at, key in enumerate(order) if key in rows and not sizes[at] > 0]


def no_denominator(file: str) -> NotComputableError:
    """Return the refusal of what needs to know how much was inspected."""
    return NotComputableError(
        "denominator",
        _(
            "{file} does not say how many parts were inspected, so shares and rates cannot be"
            " computed. Give the production volume (volume): a column, a sheet with the volume of"
            " each day, or a number for each day. Without it, a c chart of defects by day, or a"
            " Pareto, can be made."
        ).format(file=quoted_name(file)),
    )


def _days(first: date, last: date, period: Period) -> Iterator[date]:
    while first <= last:
        yield first
        match period:
            case "semana":
                first += timedelta(days=7)
            case "mes":
                first = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
            case _:
                first += timedelta(days=1)


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _undated_doubt(count: int) -> Iterator[Doubt]:
    if count:
        yield Doubt(
            "undated", _("{count} have no date, and are left out.").format(count=number(count))
        )


def _empty_doubt(count: int, period: Period) -> Iterator[Doubt]:
    if count:
        words = {
            "hora": "",
            "dia": _("{count} days without any row count as zero."),
            "turno": _("{count} shifts without any row count as zero."),
            "semana": _("{count} weeks without any row count as zero."),
            "mes": _("{count} months without any row count as zero."),
        }[period]
        yield Doubt(
            "empty_periods",
            words.format(count=number(count))
            + " "
            + _("If nothing was produced then, leave them out."),
        )


def _unmade_doubt(periods: Sequence[tuple[Cell, ...]]) -> Iterator[Doubt]:
    if periods:
        names = ", ".join(" ".join(written(part) for part in each) for each in periods[:NAMED])
        yield Doubt(
            "volume_missing",
            _(
                "{count} periods have rows but no production volume, and are left out: {names}"
            ).format(count=number(len(periods)), names=names)
            + ("…" if len(periods) > NAMED else "."),
        )
