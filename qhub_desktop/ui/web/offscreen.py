"""Pages drawn off screen: printed to PDF or PNG in a child process, and `qhub-desktop --render`.

A process of its own, for a page may hold up or crash the one that draws it. A picture is made from
paper: without a display, a high window is painted late or never.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtPdf import QPdfDocument
from PySide6.QtWidgets import QApplication

from qhub_desktop.charts import html_document
from qhub_desktop.core.artifact import ArtifactKind
from qhub_desktop.core.codec import JsonObject, unpack
from qhub_desktop.core.errors import UserError, unreadable
from qhub_desktop.core.figure import Panels
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import parse_object, read_regular
from qhub_desktop.data.export.output import check_writable
from qhub_desktop.tools.widget_pages import drawing_place
from qhub_desktop.ui.controls.saving import png, save
from qhub_desktop.ui.theme import LIGHT
from qhub_desktop.ui.web import web_engine
from qhub_desktop.ui.web.locked_view import LockedView

Content = TypeVar("Content")

WIDTH_PX, HEIGHT_PX = 1280, 720
MAX_HEIGHT_PX = 12_000
PIXEL_RATIO = 2  # pixels of the picture for a CSS pixel
PAPER_PX = 680  # width of an upright sheet between its margins
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

    application = QApplication(sys.argv[:1])
    web_engine.start()
    application.setQuitOnLastWindowClosed(False)
    application.styleHints().setColorScheme(Qt.ColorScheme.Light)
    is_picture = target.suffix.lower() == ".png"
    page["document"] = _drawn(page["document"], page["drawings"])
    with qasync.QEventLoop(application) as loop:
        asyncio.set_event_loop(loop)
        made: bytes = loop.run_until_complete(_print_to_pdf(page, is_single_sheet=is_picture))
    made = _pdf_to_png(made) if made and is_picture else made
    if made:
        target.write_bytes(made)
    return bool(made)


def _drawn(document: str, drawings: JsonObject) -> str:
    """Return a document with its drawings, made by what draws them in the window."""
    if not drawings:
        return document
    from qhub_desktop.ui.charts.panels import StudyPanels  # loads pyqtgraph, 0.5 s

    for id_, packed in drawings.items():
        panels = StudyPanels(unpack(Panels, packed))
        panels.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        panels.resize(PAPER_PX, panels.height())
        panels.show()
        rows = [each.decode("utf-8") for each in panels.to_drawings()]
        panels.deleteLater()
        place = drawing_place(id_)
        inside = "".join(f"<div>{each[each.index('<svg') :]}</div>" for each in rows)
        document = document.replace(place, place.replace("></", f">{inside}</"), 1)
    return document


async def _print_to_pdf(page: dict[str, Any], *, is_single_sheet: bool) -> bytes:
    """Return the page as a PDF on A4 sheets, or on a single sheet as high as the page."""
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


VIEW_WIDTH_PX = 1280
VIEW_HEIGHT_PX = 800
MAX_VIEW_HEIGHT_PX = 8_000
MOST_PAGE_BYTES = 64_000_000  # of a page, and of its data
LAYOUT_S = 0.3  # for a page to lay itself out anew
RUN_S = 3.0
KINDS: dict[str, ArtifactKind] = {".svg": "svg", ".jsx": "jsx", ".tsx": "jsx"}


def render(arguments: Sequence[str]) -> int:
    """Return the exit code: 0 whatever the page did, 1 if a file cannot be used, 2 for usage."""
    asked = _parse(arguments)
    try:
        source = _read(asked.source, lambda content: content.decode("utf-8", "replace"))
        data = {} if asked.data is None else _read(asked.data, parse_object)
        check_writable(asked.out)
    except UserError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command line
        return 1
    kind = KINDS.get(asked.source.suffix.lower(), "html")
    document = html_document.build(source, title=asked.source.stem, kind=kind)
    os.environ["QT_API"] = "pyside6"
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    import qasync

    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with qasync.QEventLoop(application) as loop:
        try:
            told = loop.run_until_complete(_rendered(document, data, asked.out, asked.seconds))
        except UserError as error:  # the folder has gone meanwhile, or the disk is full
            print(error, file=sys.stderr)  # noqa: T201
            return 1
    if sys.stdout is not None:  # a program without a console has none, unless it is redirected
        print(json.dumps(told), flush=True)  # noqa: T201
    return 0


async def _rendered(document: str, data: JsonObject, out: Path, seconds: float) -> JsonObject:
    view = LockedView(document, data, palette=LIGHT)
    view.resize(VIEW_WIDTH_PX, VIEW_HEIGHT_PX)
    view.show()
    await view.until_loaded(seconds)
    await asyncio.sleep(seconds)
    is_alive = await view.is_alive()
    if is_alive:
        height = max(VIEW_HEIGHT_PX, view.content_size.height())
        view.resize(VIEW_WIDTH_PX, min(height, MAX_VIEW_HEIGHT_PX))
        await asyncio.sleep(LAYOUT_S)
    told: JsonObject = {
        "title": view.title,
        "text": await view.text(),
        "blocked": [dict(asdict(each)) for each in view.blocked],
        "alive": is_alive and view.ending is None,
        "ending": view.ending,
    }
    save(png(await view.picture()), out)
    view.stop()
    return told


def _read(path: Path, read: Callable[[bytes], Content]) -> Content:
    try:
        return read(read_regular(path, most_bytes=MOST_PAGE_BYTES))
    except (OSError, ValueError) as error:
        raise unreadable(error, path) from error


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="qhub-desktop", description=_("Opens a page as the program does, with no window.")
    )
    parser.add_argument("--render", type=Path, required=True, metavar="FILE", dest="source")
    parser.add_argument("--out", type=Path, required=True, metavar="PNG")
    parser.add_argument(
        "--seconds", type=float, default=RUN_S, metavar="N", help=_("how long it may run")
    )
    parser.add_argument("--data", type=Path, metavar="JSON", help=_("what it gets as qhub.data"))
    return parser.parse_args(arguments)
