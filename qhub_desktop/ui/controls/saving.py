"""Saving of files and copying of tables at the user's request, and pictures of widgets for both."""

import atexit
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QMimeData,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPageSize,
    QPainter,
    QPdfWriter,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.table import Table
from qhub_desktop.data.export.output import atomic_write
from qhub_desktop.data.export.text_tables import to_html, to_tsv
from qhub_desktop.ui.theme import BODY_PT, GRID_PX, SMALL_PT, Palette, theme_font

PNG_QUALITY = 30  # Qt's PNG quality, of 100: a third faster than the default, a fifth larger


def png(image: QImage) -> bytes:
    """Encode an image as PNG."""
    # Let the buffer own its bytes: it could outlive a byte array of ours and crash.
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    writer.setCompression(PNG_QUALITY)
    writer.write(image)
    return bytes(buffer.data().data())


def svg(size: QSize, paint: Callable[[QPainter], object], *, dpi: int, title: str = "") -> bytes:
    """Return what is painted as SVG. `dpi` is that of the screen, so that text keeps its size."""
    # Let the buffer own its bytes: a QByteArray of ours is freed before it, which crashes.
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setResolution(dpi)
    drawing.setSize(size)
    drawing.setViewBox(QRect(QPoint(), size))
    drawing.setTitle(title)
    painter = QPainter(drawing)
    paint(painter)
    painter.end()
    return bytes(buffer.data().data())


def save(content: bytes, file: Path) -> None:
    """Write a file atomically. Raises UserError with a remedy if it cannot be written."""
    with atomic_write(file) as draft:
        draft.write_bytes(content)


def copy_table(table: Table) -> None:
    """Copy a table with its header to the clipboard, as tab-separated text and as HTML."""
    data = QMimeData()
    data.setText(to_tsv(table))
    data.setHtml(to_html(table))
    put_on_clipboard(data)


def put_on_clipboard(data: QMimeData) -> None:
    """Put several forms of one thing on the clipboard."""
    QGuiApplication.clipboard().setMimeData(data)
    _Copied.data = data
    _leave_text_at_the_end()


class _Copied:
    """Last copy on the clipboard. There is one clipboard, so it is kept in one place."""

    data: QMimeData | None = None


@cache
def _leave_text_at_the_end() -> None:
    """Have the clipboard hold Qt's own copy of its text when the program ends.

    Qt asks for the data once more after Python has ended, to hand them to the system. Data that
    Python has made crash then: they are a Python object. What was copied can still be pasted.
    """
    atexit.register(_leave_text)


def _leave_text() -> None:
    if QGuiApplication.instance() is None:
        return
    clipboard = QGuiApplication.clipboard()
    # What another program has copied since is its own. Qt has deleted ours then.
    if _Copied.data is not None and clipboard.mimeData() is _Copied.data:
        clipboard.setText(clipboard.text())
    _Copied.data = None


PAPER_MM = 12
SCALE = 2  # pixels of a saved picture for each logical pixel
MARGIN_PX = 2 * GRID_PX


class Scene(Protocol):
    """A drawing that can be painted at any scale."""

    def size(self) -> QSize:
        """Return the size in logical pixels."""
        ...

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the whole drawing, scaled to `target`."""
        ...


class Picture:
    """Picture of a widget for export, with its title and provenance."""

    def __init__(
        self, scene: Scene, palette: Palette, *, title: str, subtitle: str = "", footer: str = ""
    ) -> None:
        self._scene = scene
        self._palette = palette
        self._lines = [(title, True), (subtitle, False)]
        self._footer = footer

    def to_image(self) -> QImage:
        """Return a bitmap at SCALE."""
        size = self._size()
        image = QImage(size * SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(SCALE)
        image.fill(QColor(self._palette.card))
        painter = QPainter(image)
        self._paint(painter)
        painter.end()
        return image

    def to_png(self) -> bytes:
        """Return the bitmap as PNG."""
        return png(self.to_image())

    def to_svg(self, *, dpi: int) -> bytes:
        """Return an SVG for print. `dpi` is that of the screen, so that text keeps its size."""
        return svg(self._size(), self._paint_on_ground, dpi=dpi, title=self._lines[0][0])

    def to_pdf(self, *, dpi: int) -> bytes:
        """Return an upright A4 page with the drawing as vectors, as wide as the page at most.

        `dpi` is that of the screen: the drawing was laid out with the widths of its fonts there.
        """
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        page = QPdfWriter(buffer)
        page.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        page.setPageMargins(QMarginsF(PAPER_MM, PAPER_MM, PAPER_MM, PAPER_MM))
        # At 300 dots an inch the text of the page grew with the drawing and was cut.
        page.setResolution(dpi)
        page.setTitle(self._lines[0][0])
        painter = QPainter(page)
        size = self._size()
        scale = min(page.width() / size.width(), page.height() / size.height())
        painter.scale(scale, scale)
        if self._palette.is_dark:  # the drawing has light text
            painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(self._palette.card))
        self._paint(painter)
        painter.end()
        buffer.close()
        return bytes(buffer.data().data())

    def _paint_on_ground(self, painter: QPainter) -> None:
        painter.fillRect(QRect(QPoint(), self._size()), QColor(self._palette.card))
        self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        width = self._scene.size().width()
        top = float(MARGIN_PX)
        for text, is_title in self._lines:
            if text:
                font = _font(is_title=is_title)
                colour = self._palette.text if is_title else self._palette.quiet
                top += _draw_text(painter, text, font, colour, top, width)
        if top > MARGIN_PX:
            top += GRID_PX
        size = self._scene.size()
        self._scene.render_scene(painter, QRectF(MARGIN_PX, top, size.width(), size.height()))
        if self._footer:
            footer = top + size.height() + GRID_PX
            _draw_text(
                painter, self._footer, _font(is_title=False), self._palette.quiet, footer, width
            )

    def _size(self) -> QSize:
        width = self._scene.size().width()
        height = self._scene.size().height() + 2 * MARGIN_PX
        written = [
            _height(text, _font(is_title=is_title), width) for text, is_title in self._lines if text
        ]
        height += round(sum(written)) + (GRID_PX if written else 0)
        if self._footer:
            height += round(_height(self._footer, _font(is_title=False), width)) + GRID_PX
        return QSize(width + 2 * MARGIN_PX, height)


class WidgetScene:
    """Scene that renders a QWidget."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget

    def size(self) -> QSize:
        """Return the size in logical pixels."""
        return self._widget.size()

    def render_scene(self, painter: QPainter, target: QRectF) -> None:
        """Paint the whole drawing, scaled to `target`."""
        image = QImage(self._widget.size() * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(SCALE)
        image.fill(Qt.GlobalColor.transparent)
        self._widget.render(image)
        painter.drawImage(target, image)


def _font(*, is_title: bool) -> QFont:
    return (
        theme_font(BODY_PT + 1, weight=QFont.Weight.DemiBold) if is_title else theme_font(SMALL_PT)
    )


def _height(text: str, font: QFont, width: int) -> float:
    box = QRectF(0, 0, width, 10_000)
    return QFontMetricsF(font).boundingRect(box, Qt.TextFlag.TextWordWrap, text).height() + 2


def _draw_text(
    painter: QPainter, text: str, font: QFont, colour: str, top: float, width: int
) -> float:
    """Draw a paragraph and return its height in pixels."""
    height = _height(text, font, width)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(QRectF(MARGIN_PX, top, width, height), Qt.TextFlag.TextWordWrap, text)
    return height
