"""Scales of a plot: preferred height, ranges in view, ticks. Imports nothing heavy."""

import math
import re
from datetime import datetime, timedelta
from statistics import NormalDist

from qhub_desktop.core.figure import DAY_S, EPOCH, Bars, Figure, Slices
from qhub_desktop.core.text import language, number, percent
from qhub_desktop.core.values import dataclass

CHART_PX = 300
PIE_PX = 260
BAR_ROW_PX = 28
MIN_PX = 150
MAX_PX = 640
FRAME_PX = 72  # for captions and tick labels of a chart whose height follows its rows
CARD_PX = 700  # the usual width of a chart
CHARACTER_PX = 7
# Not inside a number or a date: '11/' above '12' is read as neither.
LINE_BREAKS = re.compile(r"[ _]|[-/.](?!\d)|(?<!\d)[-/.]")
SLANT_PX = 116  # at most, for slanted names


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible ranges, from lower to upper, in data coordinates."""

    x: tuple[float, float]
    y: tuple[float, float]


def is_horizontal(figure: Figure) -> bool:
    """Whether bars are horizontal, with categories on the y axis."""
    return figure.y.kind == "category"


def height_px(figure: Figure) -> int:
    """Return the preferred height of a figure in pixels, without drawing it."""
    if any(isinstance(mark, Slices) for mark in figure.marks):
        return PIE_PX
    if not is_horizontal(figure):
        return CHART_PX + _slant_px(figure)
    rows = len(figure.y.categories)
    series = sum(isinstance(mark, Bars) for mark in figure.marks) or 1
    row_px = BAR_ROW_PX if series == 1 else max(BAR_ROW_PX, 14 * series + 8)
    return max(MIN_PX, min(MAX_PX, rows * row_px + FRAME_PX))


def _slant_px(figure: Figure) -> int:
    """Estimate the height of slanted names below the plot, without a font."""
    names = figure.x.categories
    longest = max(map(len, names), default=0)
    # Names that fit in two lines are not slanted.
    halves = max((len(part) + 1 for name in names for part in LINE_BREAKS.split(name)), default=0)
    if len(names) * min(longest, max(halves, longest // 2)) * CHARACTER_PX < CARD_PX:
        return 0
    return round(min(longest * CHARACTER_PX, SLANT_PX) * 0.6)


def zoom_range(
    shown: tuple[float, float], whole: tuple[float, float], factor: float, share: float
) -> tuple[float, float]:
    """Scale the visible range around the point at `share` of it, within the whole range."""
    span = (shown[1] - shown[0]) * factor
    if span >= whole[1] - whole[0]:
        return whole
    if span < (whole[1] - whole[0]) * 1e-4:
        return shown
    fixed = shown[0] + share * (shown[1] - shown[0])
    return _clamped((fixed - share * span, fixed + (1 - share) * span), whole)


def pan_range(
    shown: tuple[float, float], whole: tuple[float, float], share: float
) -> tuple[float, float]:
    """Move the visible range by a share of itself, within the whole range."""
    way = share * (shown[1] - shown[0])
    return _clamped((shown[0] + way, shown[1] + way), whole)


def _clamped(shown: tuple[float, float], whole: tuple[float, float]) -> tuple[float, float]:
    """Shift a range into the whole range, keeping its span."""
    if shown[0] < whole[0]:
        return whole[0], whole[0] + shown[1] - shown[0]
    if shown[1] > whole[1]:
        return whole[1] - (shown[1] - shown[0]), whole[1]
    return shown


MINUTE_S = 60
HOUR_S = 3600
_SECOND_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(each * MINUTE_S for each in (1, 2, 5, 10, 15, 30)),
    *(each * HOUR_S for each in (1, 2, 3, 6, 12)),
)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
_MONTH_DAYS = 30.44


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis."""

    value: float
    text: str


def number_ticks(
    lower: float, upper: float, *, most: int, unit: str = "", is_whole: bool = False
) -> tuple[Tick, ...]:
    """Return at most about `most` ticks at round numbers, all with the same decimals."""
    if not lower < upper or not math.isfinite(upper - lower):
        return ()
    step = _round_step((upper - lower) / max(1, most))
    if is_whole:
        step = max(1.0, step)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(lower / step - 1e-9), math.floor(upper / step + 1e-9)
    return tuple(
        Tick(at * step, with_unit(number(at * step + 0.0, digits=digits), unit))
        for at in range(first, last + 1)
    )


_NORMAL = NormalDist()
_SHARES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
_FEW_SHARES = (0.01, 0.1, 0.5, 0.9, 0.99)


def probability_ticks(lower: float, upper: float, *, most: int) -> tuple[Tick, ...]:
    """Return ticks at round shares of a normal distribution, between two normal scores."""
    shares = _SHARES if most >= len(_SHARES) else _FEW_SHARES
    at = [(_NORMAL.inv_cdf(share), percent(share)) for share in shares]
    return tuple(Tick(score, text) for score, text in at if lower <= score <= upper)


def probability_text(score: float) -> str:
    """Return the share of a normal distribution below a normal score, in per cent."""
    return percent(_NORMAL.cdf(score))


def with_unit(text: str, unit: str) -> str:
    """Join a number and its unit; no space before % in English."""
    if not unit:
        return text
    return f"{text}%" if unit == "%" and language() == "en" else f"{text}\N{NO-BREAK SPACE}{unit}"


def time_ticks(lower: float, upper: float, *, most: int) -> tuple[Tick, ...]:
    """Return at most `most` ticks at round moments: full hours, days, Mondays, months."""
    if not lower < upper or not math.isfinite(upper - lower):
        return ()
    wanted = (upper - lower) / max(1, most)
    for step in _SECOND_STEPS:
        if step >= wanted:
            return _clock_ticks(lower, upper, step)
    for days in _DAY_STEPS:
        if days * DAY_S >= wanted:
            return _day_ticks(lower, upper, days)
    for months in _MONTH_STEPS:
        if months * _MONTH_DAYS * DAY_S >= wanted:
            return _month_ticks(lower, upper, months)
    return ()


def timestamp_text(value: float, *, span_s: float) -> str:
    """Return a date, with its time if the visible span is short."""
    moment = EPOCH + timedelta(seconds=value)
    if value % DAY_S == 0 or span_s > 400 * DAY_S:
        return moment.strftime("%d/%m/%Y")
    return moment.strftime("%d/%m/%Y %H:%M:%S" if value % MINUTE_S else "%d/%m/%Y %H:%M")


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    for factor in (1, 2, 5):
        if factor * power >= least * (1 - 1e-9):
            return factor * power
    return 10 * power


def _clock_ticks(lower: float, upper: float, step: int) -> tuple[Tick, ...]:
    first = math.ceil(lower / step) * step
    clock = "%H:%M:%S" if step < MINUTE_S else "%H:%M"
    is_one_day = lower // DAY_S == (upper - 1e-6) // DAY_S
    ticks = []
    for value in range(int(first), math.floor(upper) + 1, step):
        moment = EPOCH + timedelta(seconds=value)
        ticks.append(Tick(float(value), moment.strftime(clock if is_one_day else f"%d/%m {clock}")))
    return tuple(ticks)


def _day_ticks(lower: float, upper: float, days: int) -> tuple[Tick, ...]:
    # 1970-01-01 was a Thursday; weeks are ticked on Mondays.
    offset = 4 if days % 7 == 0 else 0
    first = math.ceil((lower / DAY_S - offset) / days) * days + offset
    is_one_year = (EPOCH + timedelta(seconds=lower)).year == (EPOCH + timedelta(seconds=upper)).year
    pattern = "%d/%m" if is_one_year else "%d/%m/%y"
    return tuple(
        Tick(day * DAY_S * 1.0, (EPOCH + timedelta(days=day)).strftime(pattern))
        for day in range(first, math.floor(upper / DAY_S) + 1, days)
    )


def _month_ticks(lower: float, upper: float, months: int) -> tuple[Tick, ...]:
    start = EPOCH + timedelta(seconds=lower)
    count = start.year * 12 + start.month - 1
    count = -(-count // months) * months
    ticks: list[Tick] = []
    while True:
        moment = datetime(count // 12, count % 12 + 1, 1)
        value = (moment - EPOCH).total_seconds()
        if value > upper:
            return tuple(ticks)
        if value >= lower:
            ticks.append(Tick(value, moment.strftime("%Y" if months % 12 == 0 else "%m/%Y")))
        count += months
