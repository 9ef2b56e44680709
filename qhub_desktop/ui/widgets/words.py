"""Words inside a plot: values at bars, in cells, along rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget
from typing_extensions import override

from qhub_desktop.core.figure import Bars, Cells, Figure, Label, Mark, Rule
from qhub_desktop.ui.theme import Palette
from qhub_desktop.ui.widgets.plane import Plane
from qhub_desktop.ui.widgets.ramp import colour_at, readable_on

Anchor = Literal["above", "below", "before", "after", "centre", "edge", "left edge", "top"]
PAD_PX = 4.0


@dataclass(frozen=True, slots=True)
class Word:
    """A few words at a place in data coordinates.

    `room` is how far they may spread across, in data units; 0: as far as they like. `foot` is
    where the bar under them begins: they stand there inside the bar, if it is high enough.
    """

    x: float
    y: float
    text: str
    colour: str
    anchor: Anchor
    room: float = 0.0
    foot: float | None = None
    on_colour: str = ""


class Words(QGraphicsItem):
    """All the words of one mark; stands in the plot and measures in its pixels."""

    def __init__(
        self,
        words: tuple[Word, ...],
        font: QFont,
        *,
        to_pixels: Callable[[float, float], QPointF],
        parent: QGraphicsItem,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._to_pixels = to_pixels

    @override
    def boundingRect(self) -> QRectF:
        parent = self.parentItem()
        assert parent is not None
        return parent.boundingRect()

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        painter.setFont(self._font)
        origin = self._to_pixels(0, 0)
        unit_px = abs(self._to_pixels(1, 0).x() - origin.x())
        height = self._metrics.height()
        for word in self._words:
            width = self._metrics.horizontalAdvance(word.text)
            if word.room and width > word.room * unit_px - 2:
                continue
            place, colour = self._place(word, width, height)
            painter.setPen(QColor(colour))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word.text)

    def _place(self, word: Word, width: float, height: float) -> tuple[QRectF, str]:
        at = self._to_pixels(word.x, word.y)
        colour = word.colour
        left, top = at.x() - width / 2, at.y() - height / 2
        match word.anchor:
            case "above":
                top = at.y() - height - 1
                if word.foot is not None:
                    foot = self._to_pixels(word.x, word.foot)
                    if foot.y() - at.y() > height + 2 * PAD_PX:
                        top, colour = foot.y() - height - PAD_PX, word.on_colour
            case "below":
                top = at.y() + 1
            case "after":
                left = at.x() + PAD_PX
            case "before":
                left = at.x() - width - PAD_PX
            case "edge":
                left = self.boundingRect().right() - width - PAD_PX
                top = at.y() - height - 1
            case "left edge":
                left = self.boundingRect().left() + PAD_PX
                top = at.y() - height - 1
            case "top":
                left, top = at.x() + PAD_PX, self.boundingRect().top() + 1
            case "centre":
                pass
        return QRectF(left - 1, top, width + 2, height), colour


def words_of(mark: Mark, plane: Plane, palette: Palette, colour: str) -> tuple[Word, ...]:
    """What is written at a mark; `colour` is the mark's own."""
    match mark:
        case Bars():
            return _bar_words(mark, plane.figure, palette, colour)
        case Cells() if mark.labels:
            return _cell_words(mark, palette)
        case Rule() if mark.label and mark.direction == "horizontal":
            height = plane.on_left(mark.value) if mark.side == "right" else mark.value
            # A running total leaves its corner free; limits have their values at the right edge.
            edge: Anchor = "left edge" if mark.side == "right" else "edge"
            return (Word(0, height, mark.label, colour, edge),)
        case Rule() if mark.label:
            return (Word(mark.value, 0, mark.label, colour, "top"),)
        case Label():
            return (Word(mark.x, mark.y, mark.text, colour, "above"),)
        case _:
            return ()


def shares_of(cells: Cells) -> list[list[float]]:
    """Each cell's place between the smallest and the largest value; NaN stays."""
    known = [each for row in cells.values for each in row if each == each]
    lowest, highest = min(known, default=0.0), max(known, default=1.0)
    span = (highest - lowest) or 1.0
    return [[(each - lowest) / span for each in row] for row in cells.values]


def _bar_words(bars: Bars, figure: Figure, palette: Palette, colour: str) -> tuple[Word, ...]:
    words = []
    is_upright = bars.direction == "vertical"
    room = min((b - a for a, b in zip(bars.at, bars.at[1:], strict=False)), default=1.0)
    for at, start, end, text in zip(bars.at, bars.start, bars.end, bars.labels, strict=False):
        if is_upright:
            words.append(
                Word(
                    at,
                    end,
                    text,
                    palette.text,
                    "above" if end >= start else "below",
                    room=max(room, bars.width),
                    # A running total's line touches the first bar's top, and passes over the rest.
                    foot=start if figure.right is not None else None,
                    on_colour=readable_on(colour),
                )
            )
        else:
            words.append(Word(end, at, text, palette.text, "after" if end >= start else "before"))
    return tuple(words)


def _cell_words(cells: Cells, palette: Palette) -> tuple[Word, ...]:
    shares = shares_of(cells)
    return tuple(
        Word(
            column,
            row,
            text,
            readable_on(colour_at(palette, shares[row][column])),
            "centre",
            room=1.0,
        )
        for row, line in enumerate(cells.labels)
        for column, text in enumerate(line)
        if text
    )
