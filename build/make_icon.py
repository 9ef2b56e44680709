"""Makes the program's icon for Windows, resources/icons/qhub.ico, from the two drawings beside it.

Run it after a change of a drawing: `python build/make_icon.py`. Small sizes have a drawing of their
own, in which nothing is finer than a pixel. `--sheet FILE.png` shows all sizes side by side.
"""

import argparse
import os
import struct
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parents[1] / "resources" / "icons"
# What Windows asks for at 100 to 400 %: lists, title bar, task bar, desktop, large tiles.
SIZES_PX = (16, 20, 24, 32, 40, 48, 64, 96, 128, 256)
SMALL_PX = 24  # up to here, the small drawing
PNG_PX = 256  # from here on as PNG, which old readers of icons take for no other size


def drawn(size_px: int) -> QImage:
    """Draw one size."""
    name = "qhub-small.svg" if size_px <= SMALL_PX else "qhub.svg"
    image = QImage(size_px, size_px, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(ICONS / name)).render(painter, QRectF(0, 0, size_px, size_px))
    painter.end()
    return image


def ico(images: list[QImage]) -> bytes:
    """Return an .ico file with these images."""
    frames = [_png(image) if image.width() >= PNG_PX else _bitmap(image) for image in images]
    at = 6 + 16 * len(frames)
    head = struct.pack("<HHH", 0, 1, len(frames))
    for image, frame in zip(images, frames, strict=True):
        side = image.width() % 256  # 256 is written as 0
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(frame), at)
        at += len(frame)
    return head + b"".join(frames)


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want the format as bytes
    return bytes(buffer.data().data())


def _bitmap(image: QImage) -> bytes:
    """Return a bitmap as icons have it: from the lowest row up, with its mask behind it."""
    side = image.width()
    head = struct.pack("<IiiHHIIiiII", 40, side, 2 * side, 1, 32, 0, 0, 0, 0, 0, 0)
    pixels = bytes(image.constBits())
    rows = [pixels[4 * side * row : 4 * side * (row + 1)] for row in reversed(range(side))]
    mask = bytes((side + 31) // 32 * 4 * side)  # nothing: the pixels tell how opaque they are
    return head + b"".join(rows) + mask


def sheet(images: list[QImage]) -> QImage:
    """Draw all sizes side by side, on a light and on a dark task bar; small ones enlarged below."""
    wide = sum(image.width() + 16 for image in images) + 16
    whole = QImage(wide, 900, QImage.Format.Format_ARGB32)
    whole.fill(Qt.GlobalColor.white)
    painter = QPainter(whole)
    painter.fillRect(0, 290, wide, 290, Qt.GlobalColor.black)
    left = 16
    for image in images:
        painter.drawImage(left, 16, image)
        painter.drawImage(left, 306, image)
        left += image.width() + 16
    for place, image in enumerate(images[:4]):
        painter.drawImage(16 + 280 * place, 600, image.scaled(256, 256))
    painter.end()
    return whole


def main() -> int:
    """Write the icon, and the sheet if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", type=Path)
    shown: Path | None = parser.parse_args().sheet
    application = QGuiApplication([])
    images = [drawn(size) for size in SIZES_PX]
    (ICONS / "qhub.ico").write_bytes(ico(images))
    if shown is not None:
        sheet(images).save(str(shown))
    application.quit()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
