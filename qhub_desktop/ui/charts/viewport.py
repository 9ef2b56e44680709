"""How high a figure likes to be, and what of it is in sight. Loads nothing heavy."""

import re
from dataclasses import dataclass

from qhub_desktop.core.figure import Bars, Figure, Slices

CHART_PX = 300
PIE_PX = 260
ROW_PX = 28
LEAST_PX = 150
MOST_PX = 640
FRAME_PX = 72  # captions and tick labels of a chart whose height follows its rows
CARD_PX = 700  # the usual width of a chart
LETTER_PX = 7
BREAKS = re.compile(r"[ _\-/.]")
SLANT_PX = 116  # the longest name written aslant


@dataclass(frozen=True, slots=True)
class Viewport:
    """The ranges shown, from lower to upper."""

    x: tuple[float, float]
    y: tuple[float, float]


def is_lying(figure: Figure) -> bool:
    """Whether categories run down the side."""
    return figure.y.kind == "category"


def height_px(figure: Figure) -> int:
    """How high the figure likes to be; known before any of it is drawn."""
    if any(isinstance(mark, Slices) for mark in figure.marks):
        return PIE_PX
    if not is_lying(figure):
        return CHART_PX + _slant_px(figure)
    rows = len(figure.y.categories)
    series = sum(isinstance(mark, Bars) for mark in figure.marks) or 1
    row_px = ROW_PX if series == 1 else max(ROW_PX, 14 * series + 8)
    return max(LEAST_PX, min(MOST_PX, rows * row_px + FRAME_PX))


def _slant_px(figure: Figure) -> int:
    """What names written aslant may need below, guessed before there is a font."""
    names = figure.x.categories
    longest = max(map(len, names), default=0)
    # Names are broken into two lines where that makes them fit.
    halves = max((len(part) + 1 for name in names for part in BREAKS.split(name)), default=0)
    if len(names) * min(longest, max(halves, longest // 2)) * LETTER_PX < CARD_PX:
        return 0
    return round(min(longest * LETTER_PX, SLANT_PX) * 0.6)


def zoomed(
    shown: tuple[float, float], whole: tuple[float, float], factor: float, share: float
) -> tuple[float, float]:
    """A part of the range in sight around a point at `share` of it, never beyond the whole."""
    span = (shown[1] - shown[0]) * factor
    if span >= whole[1] - whole[0]:
        return whole
    if span < (whole[1] - whole[0]) * 1e-4:
        return shown
    fixed = shown[0] + share * (shown[1] - shown[0])
    return _held((fixed - share * span, fixed + (1 - share) * span), whole)


def moved(
    shown: tuple[float, float], whole: tuple[float, float], share: float
) -> tuple[float, float]:
    """The range in sight moved by a share of itself, never beyond the whole."""
    way = share * (shown[1] - shown[0])
    return _held((shown[0] + way, shown[1] + way), whole)


def _held(shown: tuple[float, float], whole: tuple[float, float]) -> tuple[float, float]:
    """The same span, pushed back into the whole."""
    if shown[0] < whole[0]:
        return whole[0], whole[0] + shown[1] - shown[0]
    if shown[1] > whole[1]:
        return whole[1] - (shown[1] - shown[0]), whole[1]
    return shown
