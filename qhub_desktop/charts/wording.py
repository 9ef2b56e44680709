"""Words and points of a chart: subtitles, short numbers, and long series thinned for the screen."""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from itertools import pairwise

from qhub_desktop.core.dataset import SHIFTS
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import fold, ngettext, number
from qhub_desktop.core.text import gettext as _

SHARE_WORDS = ("perc", "pct", "%", "acum", "cumul")


def subtitle(*parts: str) -> str:
    """What is known under a title, in one line."""
    return " · ".join(part for part in parts if part)


def size(count: float) -> str:
    """How much the picture stands on."""
    return _("N = {count}").format(count=number(count))


def left_out(rows: int) -> str:
    """How many rows had nothing to show; nothing if there were none."""
    if not rows:
        return ""
    return ngettext(
        "{count} row without a value left out", "{count} rows without a value left out", rows
    ).format(count=number(rows))


def gaps(values: int) -> str:
    """How many values are missing in lines; nothing if there are none."""
    if not values:
        return ""
    return ngettext("{count} missing value", "{count} missing values", values).format(
        count=number(values)
    )


def largest(column: str, shown: int, count: int) -> str:
    """That the smaller categories of a column are not shown."""
    return _("{column}: the {shown} largest of {count}").format(
        column=column, shown=number(shown), count=number(count)
    )


def largest_and_others(column: str, shown: int, count: int) -> str:
    """That the smaller categories of a column are put together."""
    return _("{column}: the {shown} largest of {count}, the rest in {others}").format(
        column=column, shown=number(shown), count=number(count), others=others()
    )


def others() -> str:
    """The name of what was put together."""
    return _("Others")


def is_others(name: str) -> bool:
    """Whether a category is by its name what was put together, in either language."""
    return name.strip().casefold() in {"outros", "outras", "others", "other", others().casefold()}


def period(moments: Iterable[Cell]) -> str:
    """From the first day to the last; nothing where there are no dates."""
    days = [
        each.date() if isinstance(each, datetime) else each
        for each in moments
        if isinstance(each, date)
    ]
    if not days:
        return ""
    first, last = cell_text(min(days)), cell_text(max(days))
    return first if first == last else f"{first} – {last}"


def name_of(key: Cell) -> str:
    """A category's name. A whole number is a name here (a year, a rack), so it is not grouped."""
    match key:
        case bool():
            return cell_text(key)
        case int():
            return str(key)
        case float() if key.is_integer():
            return str(int(key))
        case float() | date() | time():
            return cell_text(key)
        case None:
            return ""
        case str():
            return " ".join(key.split()) or "–"


def names_of(keys: Sequence[Cell]) -> tuple[str, ...]:
    """The categories' names; days of one year without it, as `axis_label` says it once."""
    days = _days_of_one_year(keys)
    return tuple(day.strftime("%d/%m") for day in days) if days else tuple(map(name_of, keys))


def axis_label(column: str, keys: Sequence[Cell]) -> str:
    """What stands under an axis of categories."""
    days = _days_of_one_year(keys)
    return f"{column} · {days[0].year}" if days else column


def natural_rank(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    """Where a name belongs among others: shifts as they follow each other, 'P2' before 'P10'."""
    shift = fold(name)
    if shift in SHIFTS:
        return SHIFTS.index(shift), ()
    parts = re.findall(r"\d+|\D+", fold(name))
    return len(SHIFTS), tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def short_numbers(values: Sequence[float]) -> tuple[str, ...]:
    """Numbers to stand beside each other: the same few decimals in all, nothing for a NaN."""
    known = [abs(each) for each in values if not math.isnan(each)]
    digits = decimals(known)
    return tuple("" if math.isnan(each) else number(each, digits=digits) for each in values)


def decimals(sizes: Sequence[float]) -> int:
    """How many decimals show about three figures of the largest; none for whole numbers."""
    if not sizes or all(float(each).is_integer() for each in sizes):
        return 0
    largest = max(sizes)
    if largest >= 1000:
        return 0
    if largest <= 0:
        return 0
    return min(6, max(1, 2 - math.floor(math.log10(largest))))


def _days_of_one_year(keys: Sequence[Cell]) -> list[date]:
    days = [key for key in keys if isinstance(key, date) and not isinstance(key, datetime)]
    if not days or len(days) < len(keys) or len({day.year for day in days}) > 1:
        return []
    return days


def is_share(name: str) -> bool:
    """Whether a column's name says that it holds shares of a whole, or running totals."""
    return any(word in name.casefold() for word in SHARE_WORDS)


LONGEST_LINE = 5_000
LINE_CLASSES = 1_000
MOST_POINTS = 20_000


def line_positions(values: Sequence[float]) -> Sequence[int]:
    """Which points of a line to draw: all, or the lowest and highest of each short stretch.

    The first and the last point stay, and so does a gap in each stretch that has one.
    """
    if len(values) <= LONGEST_LINE:
        return range(len(values))
    import numpy as np  # 80 ms: not before a long series is drawn

    heights = np.asarray(values, dtype=float)
    kept = {0, len(heights) - 1}
    edges = np.linspace(0, len(heights), LINE_CLASSES + 1).astype(int)
    for start, end in pairwise(edges.tolist()):
        stretch = heights[start:end]
        gaps = np.isnan(stretch)
        if gaps.any():
            kept.add(start + int(gaps.argmax()))
        if not gaps.all():
            kept.add(start + int(np.nanargmin(stretch)))
            kept.add(start + int(np.nanargmax(stretch)))
    return sorted(kept)


def point_positions(x: Sequence[float], y: Sequence[float]) -> Sequence[int]:
    """Which points of a cloud to draw: all, or an even choice and the four outermost."""
    if len(x) <= MOST_POINTS:
        return range(len(x))
    import numpy as np  # 80 ms: not before a large cloud is drawn

    # A fixed seed: the same data are drawn the same way each time.
    chosen = np.random.default_rng(0).choice(len(x), size=MOST_POINTS - 4, replace=False)
    outermost = (np.argmin(x), np.argmax(x), np.argmin(y), np.argmax(y))
    return sorted({*map(int, chosen), *map(int, outermost)})
