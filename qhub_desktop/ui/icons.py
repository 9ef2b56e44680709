"""Line icons in the palette's colours, sharp at every scale of the screen."""

from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from qhub_desktop.core.paths import RESOURCES

ICONS = RESOURCES / "icons"
_SCALES = (1.0, 1.25, 1.5, 1.75, 2.0)


def icon(name: str, colour: str, *, size_px: int = 20) -> QIcon:
    """One of our own icons, by its file's name."""
    return _drawn(ICONS / f"{name}.svg", colour, size_px)


def agent_icon(file: Path, colour: str, *, size_px: int = 24) -> QIcon:
    """An agent's icon; a speech bubble where it brings none."""
    return _drawn(file if file.is_file() else ICONS / "chat.svg", colour, size_px)


def pixmap(name: str, colour: str, *, size_px: int, ratio: float) -> QPixmap:
    """An icon to be painted by hand on a screen of this pixel ratio."""
    return _pixmap(ICONS / f"{name}.svg", colour, size_px, ratio)


def _drawn(file: Path, colour: str, size_px: int) -> QIcon:
    drawn = QIcon()
    for ratio in _SCALES:
        drawn.addPixmap(_pixmap(file, colour, size_px, ratio))
    return drawn


@cache
def _source(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _pixmap(file: Path, colour: str, size_px: int, ratio: float) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_source(file).replace("currentColor", colour).encode()))
    # The renderer keeps its proportions only when told to.
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    side = round(size_px * ratio)
    drawn = QPixmap(side, side)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn
