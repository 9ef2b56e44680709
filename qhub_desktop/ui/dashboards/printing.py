"""Child process that prints one page to PDF or PNG.

A process of its own, for a page may hold up or crash the one that draws it. A picture is made from
paper: without a display, a high window is painted late or never.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from qhub_desktop.core.processes.child import Parent

WIDTH_PX, HEIGHT_PX = 1280, 720
MAX_HEIGHT_PX = 12_000
PIXEL_RATIO = 2  # pixels of the picture for a CSS pixel
SETTLE_S = 0.6  # for drawings that follow the size of their container
LOAD_TIMEOUT_S = 30.0
MARGIN_PX = 16
# Overrides the page's own @page rule, which says A4: a picture has no sheets.
_SINGLE_SHEET_STYLE = (
    f"<style>@page {{ size: {WIDTH_PX}px {MAX_HEIGHT_PX}px !important; margin: {MARGIN_PX}px; }}"
    "@media print { .qhub-figure { height: 300px; } }</style>"
)


def print_page(parent: Parent) -> bool:
    """Print the page of the first message to its target, as PDF or PNG by the suffix.

    Return whether it was written: a page that never finishes loading leaves no file.
    """
    page: Any = parent.receive()
    target = Path(page["target"])
    os.environ["QT_API"] = "pyside6"
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    import qasync
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    from qhub_desktop.ui.pages import web_engine

    application = QApplication(sys.argv[:1])
    web_engine.start()
    application.setQuitOnLastWindowClosed(False)
    application.styleHints().setColorScheme(Qt.ColorScheme.Light)
    is_picture = target.suffix.lower() == ".png"
    with qasync.QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        made: bytes = loop.run_until_complete(_print_to_pdf(page, is_single_sheet=is_picture))
    made = _pdf_to_png(made) if made and is_picture else made
    if made:
        target.write_bytes(made)
    return bool(made)


async def _print_to_pdf(page: dict[str, Any], *, is_single_sheet: bool) -> bytes:
    """Return the page as a PDF on A4 sheets, or on a single sheet as high as the page."""
    from PySide6.QtCore import QSize, Qt

    from qhub_desktop.ui.pages.locked_view import LockedView
    from qhub_desktop.ui.theme import LIGHT

    document = page["document"] + (_SINGLE_SHEET_STYLE if is_single_sheet else "")
    view = LockedView(document, page["data"], palette=LIGHT)
    view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.resize(WIDTH_PX, HEIGHT_PX)
    view.show()
    try:
        if not await view.until_loaded(LOAD_TIMEOUT_S) or not await view.is_alive():
            return b""
        await asyncio.sleep(SETTLE_S)
        if not is_single_sheet:
            return await view.pdf()
        return await view.pdf_on_paper(QSize(WIDTH_PX, MAX_HEIGHT_PX))
    finally:
        view.stop()
        view.deleteLater()


def _pdf_to_png(document: bytes) -> bytes:
    """Return the first sheet of a PDF as PNG, without the blank paper below."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
    from PySide6.QtGui import QImage, QImageWriter, QPainter
    from PySide6.QtPdf import QPdfDocument

    held = QBuffer()
    held.setData(QByteArray(document))
    held.open(QIODevice.OpenModeFlag.ReadOnly)
    paper = QPdfDocument()
    paper.load(held)
    width = WIDTH_PX * PIXEL_RATIO
    points = paper.pagePointSize(0)
    height = round(points.height() * width / points.width())
    drawn = paper.render(0, QSize(width, height))
    picture = QImage(drawn.size(), QImage.Format.Format_RGB32)
    picture.fill(0xFFFFFFFF)
    painter = QPainter(picture)
    painter.drawImage(0, 0, drawn)
    painter.end()
    end = _content_rows(bytes(picture.constBits()), picture.bytesPerLine())
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    whole = min(height, end + MARGIN_PX * PIXEL_RATIO)
    QImageWriter(buffer, b"png").write(picture.copy(0, 0, width, whole))
    return bytes(buffer.data().data())


def _content_rows(pixels: bytes, bytes_a_row: int) -> int:
    """Return the number of rows of pixels, without the white ones at the end."""
    used = len(pixels.rstrip(b"\xff"))
    return -(-used // bytes_a_row)
