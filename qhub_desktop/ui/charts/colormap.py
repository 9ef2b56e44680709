"""Colours of a figure, by role, series or amount, and the legend that explains them."""

import itertools
import math
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import (
    Band,
    Bars,
    Cells,
    Figure,
    Label,
    Line,
    Mark,
    Points,
    Role,
    Rule,
    Slices,
)
from qhub_desktop.core.text import number
from qhub_desktop.ui.controls.plain_text import one_line
from qhub_desktop.ui.theme import Palette, contrast

_LIGHT_STOPS = ("#EDF4F9", "#7FB8DC", "#0072B2", "#00365C")
_DARK_STOPS = ("#2C3843", "#2E6C96", "#4C9FD0", "#D3ECFB")
# Below zero, the farthest first, none, and above zero: of two steps, for light and for dark.
_LIGHT_SIDES = (("#2166AC", "#92C5DE"), "#F5F6F8", ("#F4A582", "#B2182B"))
_DARK_SIDES = (("#6FB7E6", "#2E6389"), "#2C3138", ("#8A4B2E", "#F08A5D"))
_STEPS = 64
Lab = tuple[float, float, float]


def colour_of(mark: Mark, palette: Palette) -> str:
    """Return the colour of a mark: its role's, or its series' in the palette."""
    match mark:
        case Line(role=role, series=series) | Points(role=role, series=series):
            return role_colour(role, series, palette)
        case Bars(role=role, series=series) | Band(role=role, series=series):
            return role_colour(role, series, palette)
        case Rule(role=role) | Label(role=role):
            return role_colour(role, 0, palette)
        case Cells() | Slices():
            return palette.series[0]


def role_colour(role: Role, series: int, palette: Palette) -> str:
    """Return the colour of a role; a series takes the palette's colours in turn."""
    match role:
        case "series":
            return palette.series[series % len(palette.series)]
        case "centre" | "good":
            return palette.good
        case "limit" | "bad":
            return palette.bad
        case "target":
            return palette.warn
        case "quiet":
            return palette.quiet


def colour_at(palette: Palette, share: float) -> str:
    """Return the colour map's colour at a share from 0 to 1."""
    return _colour_table(palette.is_dark)[round(min(1.0, max(0.0, share)) * (_STEPS - 1))]


def cell_colours(cells: Cells, palette: Palette) -> list[list[str]]:
    """Return the colour of each cell of a grid; an empty one has that of a panel."""
    if cells.steps:
        return [
            [
                palette.panel if math.isnan(each) else _side_colour(each, cells.steps, palette)
                for each in row
            ]
            for row in cells.values
        ]
    known = [each for row in cells.values for each in row if each == each]
    lowest, highest = min(known, default=0.0), max(known, default=1.0)
    span = (highest - lowest) or 1.0
    return [
        [
            palette.panel if math.isnan(each) else colour_at(palette, (each - lowest) / span)
            for each in row
        ]
        for row in cells.values
    ]


def _side_colour(value: float, steps: tuple[float, ...], palette: Palette) -> str:
    below, none, above = _DARK_SIDES if palette.is_dark else _LIGHT_SIDES
    passed = sum(abs(value) > step for step in steps)
    if not passed:
        return none
    side = above if value > 0 else below[::-1]
    return side[min(passed, len(side)) - 1]


def _step_entries(steps: tuple[float, ...], palette: Palette) -> list[tuple[str, str, bool]]:
    """Return what each colour of a grid with steps stands for, from the lowest to the highest."""
    edges = [*(-each for each in reversed(steps)), *steps]
    ranges = [
        (f"< {number(edges[0])}", edges[0] - 1),
        *(
            (f"{number(low)} – {number(high)}", (low + high) / 2)
            for low, high in itertools.pairwise(edges)
        ),
        (f"> {number(edges[-1])}", edges[-1] + 1),
    ]
    return [(words, _side_colour(value, steps, palette), False) for words, value in ranges]


@cache
def text_colour_on(colour: str) -> str:
    """Return the text colour with the higher contrast on this background: near black or white."""
    return max(("#1B1D21", "#FFFFFF"), key=lambda text: contrast(text, colour))


@cache
def _colour_table(is_dark: bool) -> tuple[str, ...]:  # noqa: FBT001  which of two ramps, for the cache
    stops = [_to_lab(each) for each in (_DARK_STOPS if is_dark else _LIGHT_STOPS)]
    colours = []
    for step in range(_STEPS):
        place = step / (_STEPS - 1) * (len(stops) - 1)
        before = min(int(place), len(stops) - 2)
        share = place - before
        colours.append(
            _to_hex(
                (
                    stops[before][0] * (1 - share) + stops[before + 1][0] * share,
                    stops[before][1] * (1 - share) + stops[before + 1][1] * share,
                    stops[before][2] * (1 - share) + stops[before + 1][2] * share,
                )
            )
        )
    return tuple(colours)


def _to_lab(colour: str) -> Lab:
    """Convert to OKLab, which is perceptually uniform (https://bottosson.github.io/posts/oklab)."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _to_hex(lab: Lab) -> str:
    light, red_green, blue_yellow = lab
    long = (light + 0.3963377774 * red_green + 0.2158037573 * blue_yellow) ** 3
    medium = (light - 0.1055613458 * red_green - 0.0638541728 * blue_yellow) ** 3
    short = (light - 0.0894841775 * red_green - 1.2914855480 * blue_yellow) ** 3
    channels = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(each)):02X}" for each in channels)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _gamma(channel: float) -> float:
    held = min(1.0, max(0.0, channel))
    return held * 12.92 if held <= 0.0031308 else 1.055 * held ** (1 / 2.4) - 0.055


LONGEST_ENTRY = 60  # characters
SWATCH_PX = 11.0
LEGEND_GAP_PX = 6.0
ENTRY_GAP_PX = 16.0
COLOUR_BAR_PX = 120.0


class Legend(QGraphicsItem):
    """Legend above a plot: swatches and names, wrapped over several lines, or a colour scale."""

    def __init__(self, figure: Figure, palette: Palette, font: QFont) -> None:
        super().__init__()
        self._entries = _entries(figure, palette)
        self._colour_bar_ends = _colour_bar_ends(figure)
        self._palette = palette
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._area = QRectF()
        self._positions: list[tuple[int, float]] = []

    def lay_out(self, width_px: float, caption_px: float) -> float:
        """Lay out for this width; return the height needed above the captions, 0 if it fits beside
        them.

        A legend of one line stands at the right of captions `caption_px` wide, which is infinite
        where there is no room for it.
        """
        self.prepareGeometryChange()
        self._positions = self._positions_for(width_px)
        line_px = self._metrics.height() + LEGEND_GAP_PX
        lines = 1 + max((line for line, _x in self._positions), default=-1)
        self._area = QRectF(0, 0, width_px, max(1, lines) * line_px)
        wide = self._width()
        if 0 < wide <= width_px - caption_px - ENTRY_GAP_PX and lines <= 1:
            self._positions = [(0, x + width_px - wide - 2) for _line, x in self._positions]
            return 0.0
        if self._colour_bar_ends:
            lines = max(1, lines)
        return lines * line_px + LEGEND_GAP_PX if lines else 0.0

    @override
    def boundingRect(self) -> QRectF:
        return self._area

    @override
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setFont(self._font)
        line_px = self._metrics.height() + LEGEND_GAP_PX
        for (name, colour, is_line), (line, x) in zip(self._entries, self._positions, strict=True):
            middle = line * line_px + self._metrics.height() / 2
            swatch = QRectF(x, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX)
            if is_line:
                painter.setPen(QPen(QColor(colour), 2.4))
                painter.drawLine(QPointF(x, middle), QPointF(x + SWATCH_PX, middle))
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(swatch, 2.5, 2.5)
            painter.setPen(QColor(self._palette.text))
            self._paint_text(painter, x + SWATCH_PX + LEGEND_GAP_PX, middle, name)
        if self._colour_bar_ends:
            self._paint_colour_bar(painter, *self._colour_bar_ends)

    def _paint_colour_bar(self, painter: QPainter, lowest: str, highest: str) -> None:
        middle = self._metrics.height() / 2
        right = self._area.right() - self._metrics.horizontalAdvance(highest)
        left = right - LEGEND_GAP_PX - COLOUR_BAR_PX
        gradient = QLinearGradient(left, 0, left + COLOUR_BAR_PX, 0)
        for step in range(9):
            gradient.setColorAt(step / 8, QColor(colour_at(self._palette, step / 8)))
        painter.fillRect(QRectF(left, middle - 5, COLOUR_BAR_PX, 10), gradient)
        painter.setPen(QColor(self._palette.quiet))
        self._paint_text(painter, right, middle, highest)
        width = self._metrics.horizontalAdvance(lowest)
        self._paint_text(painter, left - LEGEND_GAP_PX - width, middle, lowest)

    def _paint_text(self, painter: QPainter, x: float, middle: float, text: str) -> None:
        height = self._metrics.height()
        width = self._metrics.horizontalAdvance(text) + 2
        painter.drawText(
            QRectF(x, middle - height / 2, width, height), Qt.AlignmentFlag.AlignLeft, text
        )

    def _width(self) -> float:
        """Return the width of the legend in one line."""
        if self._colour_bar_ends:
            ends = sum(map(self._metrics.horizontalAdvance, self._colour_bar_ends))
            return ends + COLOUR_BAR_PX + 2 * LEGEND_GAP_PX
        if not self._entries:
            return 0.0
        names = sum(self._metrics.horizontalAdvance(name) for name, _colour, _line in self._entries)
        count = len(self._entries)
        return names + count * (SWATCH_PX + LEGEND_GAP_PX) + (count - 1) * ENTRY_GAP_PX

    def _positions_for(self, width_px: float) -> list[tuple[int, float]]:
        places = []
        line, x = 0, 0.0
        for name, _colour, _is_line in self._entries:
            wide = SWATCH_PX + LEGEND_GAP_PX + self._metrics.horizontalAdvance(name)
            if x > 0 and x + wide > width_px:
                line, x = line + 1, 0.0
            places.append((line, x))
            x += wide + ENTRY_GAP_PX
        return places


def _entries(figure: Figure, palette: Palette) -> list[tuple[str, str, bool]]:
    """Return name, colour and whether it is a line of each series; none for a single one."""
    found: dict[str, tuple[str, str, bool]] = {}
    for mark in figure.marks:
        match mark:
            case Line(name=name) | Points(name=name) | Bars(name=name) | Band(name=name) if name:
                shown = one_line(name, limit=LONGEST_ENTRY)
                found.setdefault(name, (shown, colour_of(mark, palette), isinstance(mark, Line)))
            case Cells(steps=steps) if steps:
                return _step_entries(steps, palette)
            case _:
                pass
    return list(found.values()) if len(found) > 1 else []


def _colour_bar_ends(figure: Figure) -> tuple[str, str] | None:
    """Return minimum and maximum of a heat map whose cells have no labels."""
    for mark in figure.marks:
        if isinstance(mark, Cells) and not mark.labels and not mark.steps:
            known = [each for row in mark.values for each in row if each == each]
            return number(min(known, default=0.0)), number(max(known, default=0.0))
    return None
