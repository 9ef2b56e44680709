"""Rules for points on a control chart: Nelson's eight and Western Electric's four.

A rule flags the point that completes its pattern and each later one that still fulfils it. On a
line: "beyond" is strict, "within" takes the line in, a point on the centre ends a run, and equal
neighbours end a trend and an alternation. A missing value (NaN) ends every pattern.

Sources: Nelson, The Shewhart Control Chart: Tests for Special Causes, Journal of Quality Technology
16 (1984), 237-239; Western Electric, Statistical Quality Control Handbook (1956).
"""

from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number as figure
from qhub_desktop.core.values import dataclass

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Signals = tuple[tuple[int, tuple[str, ...]], ...]  # position, and codes of rules, the lowest first

NELSON_CODES = tuple(f"nelson{number}" for number in range(1, 9))
WESTERN_CODES = tuple(f"we{number}" for number in range(1, 5))
# Values that differ by rounding alone lie on the line: a mean of 25 values is off by a few units of
# the last place, 2e-16 of its size.
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules that are on, each with its number; None switches a rule off.

    The number is the width in sigmas for `nelson1` and `we1`; points in a row for `nelson2`,
    `nelson3`, `nelson4`, `nelson7`, `nelson8` and `we4`; how many of one more for the others
    (2 of 3, 4 of 5). On a chart, `nelson1` and `we1` are judged by the limits that are drawn.
    """

    nelson1: float | None = 3.0
    nelson2: int | None = 9
    nelson3: int | None = 6
    nelson4: int | None = 14
    nelson5: int | None = 2
    nelson6: int | None = 4
    nelson7: int | None = 15
    nelson8: int | None = 8
    we1: float | None = None
    we2: int | None = None
    we3: int | None = None
    we4: int | None = None
    # Six points in a trend are five steps. Minitab counts steps: it needs a point more.
    trend_counts: Literal["points", "steps"] = "points"
    alternation_counts: Literal["points", "steps"] = "points"
    # Nelson's test 8 asks for no side; some programs want points on both.
    nelson8_sides: Literal["either", "both"] = "either"

    @property
    def codes(self) -> tuple[str, ...]:
        """The rules that are on, the lowest number first."""
        return tuple(code for code in ALL_CODES if getattr(self, code) is not None)

    def only(self, *codes: str) -> "Rules":
        """Return the same rules with all but `codes` switched off."""
        switched_off: dict[str, Any] = {code: None for code in ALL_CODES if code not in codes}
        return replace(self, **switched_off)


ALL_CODES = tuple(each.name for each in fields(Rules) if each.name[-1].isdigit())
NELSON = Rules()
WESTERN_ELECTRIC = replace(Rules().only(), we1=3.0, we2=2, we3=4, we4=8)
LIMITS_ONLY = Rules().only("nelson1")


def rule_flags(
    statistics: FloatArray,
    centre: FloatArray | float,
    sigma: FloatArray | float,
    rules: Rules = NELSON,
) -> dict[str, BoolArray]:
    """Say for each rule that is on which points it flags.

    `centre` and `sigma` (one standard deviation of a plotted point) are one number, or one for each
    point. The result has an array of the length of `statistics` for each code.
    """
    points = _Points(statistics, centre, sigma)
    return {code: points.flags(code, rules) for code in rules.codes}


def signals_of(flags: dict[str, BoolArray]) -> Signals:
    """Gather flags by point: position (0-based) and the codes of the rules it breaks."""
    if not flags:
        return ()
    bits = np.zeros(len(next(iter(flags.values()))), dtype=np.int64)
    for place, flagged in enumerate(flags.values()):
        bits |= flagged.astype(np.int64) << place
    positions = np.flatnonzero(bits)
    broken = bits[positions]
    names = {
        value: tuple(code for place, code in enumerate(flags) if value >> place & 1)
        for value in np.unique(broken).tolist()
    }
    return tuple(zip(positions.tolist(), [names[each] for each in broken.tolist()], strict=True))


def rule_text(code: str, rules: Rules = NELSON) -> str:
    """Say a rule in words, with its number."""
    number = _number(code, rules)
    match code:
        case "beyond":
            return _("Beyond a control limit")
        case "run_length":
            return _("An unusually long run on one side of the median")
        case "nelson1" | "we1":
            return _("1 point more than {number} sigmas from the centre").format(
                number=figure(float(number))
            )
        case "nelson2" | "we4":
            return _("{number} points in a row on one side of the centre").format(number=number)
        case "nelson3":
            if rules.trend_counts == "steps":
                number += 1
            return _("{number} points in a row, all rising or all falling").format(number=number)
        case "nelson4":
            if rules.alternation_counts == "steps":
                number += 1
            return _("{number} points in a row, up and down by turns").format(number=number)
        case "nelson5" | "we2":
            text = _("{number} of {of} points more than 2 sigmas from the centre, on one side")
            return text.format(number=number, of=number + 1)
        case "nelson6" | "we3":
            text = _("{number} of {of} points more than 1 sigma from the centre, on one side")
            return text.format(number=number, of=number + 1)
        case "nelson7":
            return _("{number} points in a row within 1 sigma of the centre").format(number=number)
        case "nelson8":
            text = _("{number} points in a row more than 1 sigma from the centre, on either side")
            return text.format(number=number)
        case _:
            raise ValueError(f"no rule has the code {code}")


def _number(code: str, rules: Rules) -> Any:
    """Return the number of a rule, that of its source where it is off."""
    if code not in ALL_CODES:
        return None
    number = getattr(rules, code)
    if number is None:
        number = getattr(NELSON if code.startswith("nelson") else WESTERN_ELECTRIC, code)
    return number


class _Points:
    """A series with its lines; what is asked twice is worked out once."""

    def __init__(
        self, statistics: FloatArray, centre: FloatArray | float, sigma: FloatArray | float
    ) -> None:
        self._x = np.asarray(statistics, dtype=np.float64)
        self._centre = np.asarray(centre, dtype=np.float64)
        self._sigma = np.asarray(sigma, dtype=np.float64)
        self._sides: dict[float, tuple[BoolArray, BoolArray]] = {}

    def flags(self, code: str, rules: Rules) -> BoolArray:
        number = getattr(rules, code)
        match code:
            case "nelson1" | "we1":
                above, below = self._beyond(number)
                return above | below
            case "nelson2" | "we4":
                return self._on_one_side(number)
            case "nelson3":
                return self._trend(number - (rules.trend_counts == "points"))
            case "nelson4":
                return self._alternation(number - (rules.alternation_counts == "points"))
            case "nelson5" | "we2":
                return self._most_beyond(2.0, number)
            case "nelson6" | "we3":
                return self._most_beyond(1.0, number)
            case "nelson7":
                above, below = self._beyond(1.0)
                within: BoolArray = _in_a_row(~(above | below) & np.isfinite(self._x)) >= number
                return within
            case _:
                return self._outside(number, rules.nelson8_sides)

    def _beyond(self, width: float) -> tuple[BoolArray, BoolArray]:
        """Return which points lie above, and which below, lines `width` sigmas from the centre."""
        if width not in self._sides:
            upper = self._centre + width * self._sigma
            lower = self._centre - width * self._sigma
            self._sides[width] = (is_above(self._x, upper), is_above(lower, self._x))
        return self._sides[width]

    def _on_one_side(self, number: int) -> BoolArray:
        above, below = self._beyond(0.0)
        return (_in_a_row(above) >= number) | (_in_a_row(below) >= number)

    def _steps(self) -> tuple[BoolArray, BoolArray]:
        """Return which points rise from the one before, and which fall; the first does neither."""
        rising = np.zeros(self._x.size, dtype=np.bool_)
        falling = rising.copy()
        rising[1:] = is_above(self._x[1:], self._x[:-1])
        falling[1:] = is_above(self._x[:-1], self._x[1:])
        return rising, falling

    def _trend(self, steps: int) -> BoolArray:
        rising, falling = self._steps()
        return (_in_a_row(rising) >= steps) | (_in_a_row(falling) >= steps)

    def _alternation(self, steps: int) -> BoolArray:
        rising, falling = self._steps()
        turns = np.zeros(self._x.size, dtype=np.bool_)
        turns[1:] = (rising[1:] & falling[:-1]) | (falling[1:] & rising[:-1])
        return _in_a_row(turns) >= steps - 1

    def _most_beyond(self, width: float, number: int) -> BoolArray:
        """Flag a point beyond, when as many of the last `number` + 1 lie beyond on its side."""
        flagged = np.zeros(self._x.size, dtype=np.bool_)
        for beyond in self._beyond(width):
            flagged |= beyond & (_count_in_window(beyond, number + 1) >= number)
        return flagged

    def _outside(self, number: int, sides: Literal["either", "both"]) -> BoolArray:
        above, below = self._beyond(1.0)
        flagged = _in_a_row(above | below) >= number
        if sides == "both":
            both = (_count_in_window(above, number) > 0) & (_count_in_window(below, number) > 0)
            flagged &= both
        return flagged


def is_above(values: FloatArray, line: FloatArray) -> BoolArray:
    """Say which values lie above a line by more than rounding; NaN lies nowhere."""
    above: BoolArray = values - line > ROUNDING * (np.abs(values) + np.abs(line))
    return above


def _in_a_row(true: BoolArray) -> npt.NDArray[np.int64]:
    """Count for each place how many true values end there without a false one between."""
    places = np.arange(true.size)
    last_false = np.maximum.accumulate(np.where(true, -1, places)) if true.size else places
    row: npt.NDArray[np.int64] = places - last_false
    return row


def _count_in_window(true: BoolArray, size: int) -> npt.NDArray[np.int64]:
    """Count for each place the true values among the last `size`, itself among them."""
    total = np.concatenate([[0], np.cumsum(true)])
    places = np.arange(1, true.size + 1)
    counts: npt.NDArray[np.int64] = total[places] - total[np.maximum(places - size, 0)]
    return counts
