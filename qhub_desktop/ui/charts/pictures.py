"""Widgets as pictures: PNG, SVG, and where they are kept."""

from typing import Protocol

from PySide6.QtCore import QBuffer, QIODevice, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from qhub_desktop.ui.controls.saving import png
from qhub_desktop.ui.theme import BODY_PT, GRID_PX, SMALL_PT, Palette, sized

SCALE = 2  # pixels of a saved picture for each on the screen
MARGIN_PX = 2 * GRID_PX


class Scene(Protocol):
    """Something that can paint itself at any scale."""

    def size(self) -> QSize:
        """How large it is on the screen."""
        ...

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the whole of it into a rectangle."""
        ...


class Picture:
    """A widget as it goes out of the window: with its title, and where its numbers came from."""

    def __init__(
        self, scene: Scene, palette: Palette, *, title: str, subtitle: str = "", foot: str = ""
    ) -> None:
        self._scene = scene
        self._palette = palette
        self._lines = [(title, True), (subtitle, False)]
        self._foot = foot

    def to_image(self) -> QImage:
        """Twice as fine as the screen."""
        size = self._size()
        image = QImage(size * SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(SCALE)
        image.fill(QColor(self._palette.card))
        painter = QPainter(image)
        self._paint(painter)
        painter.end()
        return image

    def to_png(self) -> bytes:
        """The image, packed."""
        return png(self.to_image())

    def to_svg(self, *, dpi: int) -> bytes:
        """Vectors, for print. `dpi` is the screen's, so that text keeps its size."""
        # The buffer keeps its own bytes: given some of ours it would outlive them and crash.
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        drawing = QSvgGenerator()
        drawing.setOutputDevice(buffer)
        drawing.setResolution(dpi)
        drawing.setSize(self._size())
        drawing.setViewBox(QRect(0, 0, self._size().width(), self._size().height()))
        drawing.setTitle(self._lines[0][0])
        painter = QPainter(drawing)
        painter.fillRect(
            QRectF(QRect(0, 0, self._size().width(), self._size().height())),
            QColor(self._palette.card),
        )
        self._paint(painter)
        painter.end()
        return bytes(buffer.data().data())

    def _paint(self, painter: QPainter) -> None:
        width = self._scene.size().width()
        top = float(MARGIN_PX)
        for text, is_title in self._lines:
            if text:
                font = _font(is_title=is_title)
                colour = self._palette.text if is_title else self._palette.quiet
                top += _write(painter, text, font, colour, top, width)
        if top > MARGIN_PX:
            top += GRID_PX
        size = self._scene.size()
        self._scene.render_scene(painter, QRectF(MARGIN_PX, top, size.width(), size.height()))
        if self._foot:
            foot = top + size.height() + GRID_PX
            _write(painter, self._foot, _font(is_title=False), self._palette.quiet, foot, width)

    def _size(self) -> QSize:
        width = self._scene.size().width()
        height = self._scene.size().height() + 2 * MARGIN_PX
        written = [
            _height(text, _font(is_title=is_title), width) for text, is_title in self._lines if text
        ]
        height += round(sum(written)) + (GRID_PX if written else 0)
        if self._foot:
            height += round(_height(self._foot, _font(is_title=False), width)) + GRID_PX
        return QSize(width + 2 * MARGIN_PX, height)


class WidgetScene:
    """Any widget as a scene, as it looks on the screen."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget

    def size(self) -> QSize:
        """How large it is on the screen."""
        return self._widget.size()

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the whole of it into a rectangle."""
        image = QImage(self._widget.size() * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(SCALE)
        image.fill(Qt.GlobalColor.transparent)
        self._widget.render(image)
        painter.drawImage(target, image)


def _font(*, is_title: bool) -> QFont:
    return sized(BODY_PT + 1, weight=QFont.Weight.DemiBold) if is_title else sized(SMALL_PT)


def _height(text: str, font: QFont, width: int) -> float:
    box = QRectF(0, 0, width, 10_000)
    return QFontMetricsF(font).boundingRect(box, Qt.TextFlag.TextWordWrap, text).height() + 2


def _write(painter: QPainter, text: str, font: QFont, colour: str, top: float, width: int) -> float:
    """Write a paragraph; its height."""
    height = _height(text, font, width)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(QRectF(MARGIN_PX, top, width, height), Qt.TextFlag.TextWordWrap, text)
    return height
