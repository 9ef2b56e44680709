"""Where an axis is marked and what is written there."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from qhub_desktop.core.figure import DAY_S, EPOCH
from qhub_desktop.core.text import language, number

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
    """One mark of an axis."""

    value: float
    text: str


def number_ticks(
    lower: float, upper: float, *, most: int, unit: str = "", is_whole: bool = False
) -> tuple[Tick, ...]:
    """About `most` round numbers within the bounds, all with the same decimals."""
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


def with_unit(text: str, unit: str) -> str:
    """A number and its unit; English sets the percent sign close."""
    if not unit:
        return text
    return f"{text}%" if unit == "%" and language() == "en" else f"{text}\N{NO-BREAK SPACE}{unit}"


def time_ticks(lower: float, upper: float, *, most: int) -> tuple[Tick, ...]:
    """At most `most` moments that a person would pick: full hours, days, Mondays, months."""
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


def moment_text(value: float, *, span_s: float) -> str:
    """One moment in full, with the clock where the picture is short enough to need it."""
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
    # 1970-01-01 was a Thursday; weeks are marked on Mondays.
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
