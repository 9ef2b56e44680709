"""What rows are grouped by when they are counted: by which columns, how finely, in which order."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.plan import (
    ByShift,
    Dimension,
    Grain,
    GroupBy,
    Numbers,
    Order,
    Period,
    Scope,
    Top,
)

_DAYS_AS_DAYS = 62  # more points than that say more as weeks
_DAYS_AS_WEEKS = 400


def grouped(
    scope: Scope, dimensions: Sequence[Dimension], index: Index, *, is_share: bool
) -> Numbers:
    """Rows counted by one or two dimensions."""
    first = dimensions[0]
    if len(dimensions) == 1 and first.column == index.shift_column:
        return ByShift(scope, first, is_share=is_share)
    split = dimensions[1] if len(dimensions) > 1 else None
    return GroupBy(scope, first, split=split, is_share=is_share)


def several_in(scope: Scope) -> str | None:
    """A column of which several values are asked for, to be told apart."""
    return next(
        (
            each.column
            for each in scope.filters
            if each.relation == "is" and len(each.values) > 1 and not each.grain
        ),
        None,
    )


def main_dimension(index: Index, scope: Scope) -> Dimension | None:
    """What to group by when nothing says so: the most telling column that is not settled yet."""
    settled = {each.column for each in scope.filters if each.relation == "is"}
    left = [column for column in index.categories if column not in settled]
    return Dimension(left[0]) if left else None


def over_time(asked: Asked, dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The dimensions with the days before them, if no time is among them yet."""
    column = asked.index.date_column
    if column is None or any(each.grain for each in dimensions):
        return [*dimensions]
    return [Dimension(column, grain_for(asked.index, asked.period)), *dimensions]


def grain_for(index: Index, period: Period | None) -> Grain:
    """How finely time is cut, so that there are neither too few points nor too many."""
    if index.date_column is None:
        return "day"
    column = index.column(index.date_column)
    first = (period.start if period else None) or _day(column.min)
    last = (period.end if period else None) or _day(column.max)
    if first is None or last is None:
        return "day"
    days = (last - first).days
    return "day" if days <= _DAYS_AS_DAYS else "week" if days <= _DAYS_AS_WEEKS else "month"


def order_of(asked: Asked) -> Order:
    """The order that is asked for in words."""
    if asked.has("by_name"):
        return "name"
    if asked.has("ascending"):
        return "least"
    if asked.has("descending", "by_value") or (asked.has("sort") and asked.has("most")):
        return "most"
    return "least" if asked.has("sort") and asked.has("least") else ""


def ordered(wanted: Numbers, order: Order, *, is_cumulative: bool = False) -> Numbers:
    """Groups in an order that is asked for."""
    if not order and not is_cumulative:
        return wanted
    match wanted:
        case ByShift(scope, dimension, is_share):
            return GroupBy(scope, dimension, order=order, is_share=is_share)
        case GroupBy():
            is_time = is_cumulative and bool(wanted.dimension.grain)
            return replace(wanted, order=order or wanted.order, is_cumulative=is_time)
        case Top(scope, dimension, within=None) if order == "name":
            return GroupBy(scope, dimension, order="name", is_share=wanted.is_share)
        case _:
            return wanted


def _day(value: object) -> date | None:
    match value:
        case datetime():
            return value.date()
        case date():
            return value
        case _:
            return None
