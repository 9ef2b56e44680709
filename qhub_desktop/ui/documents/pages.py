"""Pages as pictures: of a PDF, drawn by Qt on a thread, and of a picture file."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtPdf import QPdfDocument, QPdfPageRenderer
from typing_extensions import override

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.core.errors import PasswordNeededError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.knowledge.quotations import PlacedWord
from qhub_desktop.ui.tasks import set_result_once

if TYPE_CHECKING:
    from qhub_desktop.knowledge.readers.pdf import PdfWords

MOST_PIXELS = 12_000_000  # of a page that is drawn: 48 MB
_POINTS_PER_PIXEL = 0.5
_A4 = QSizeF(595, 842)
_MEASURED_AT_ONCE = 200  # pages; words that are asked for come between


class DocumentPages(QObject):
    """Pages of a document, counted from 0; owns a thread as long as it is there.

    Signals:
        drawn: the number of a page, and its QImage.
        measured: sizes of pages are known, which were supposed to be as the first.
    """

    drawn = Signal(int, QImage)
    measured = Signal()

    def __init__(self) -> None:
        super().__init__()
        worker = self._worker = Worker("pages")
        self.destroyed.connect(lambda _gone: worker.abandon())

    @property
    def count(self) -> int:
        """Number of pages."""
        raise NotImplementedError

    def size(self, page: int) -> QSizeF:
        """Return the size of a page, in points."""
        raise NotImplementedError

    def draw(self, page: int, width_px: int) -> None:
        """Draw a page; `drawn` tells when it is done."""
        raise NotImplementedError

    async def measure(self) -> None:
        """Look at the sizes of all pages."""

    async def picture(self, page: int, width_px: int) -> QImage:
        """Return a page as it is drawn, for printing."""
        raise NotImplementedError

    async def words(self, page: int, *, searched: str = "") -> list[PlacedWord]:
        """Return the words of a page with their places; [] where it is a picture.

        A page without the words that are searched may give [], too.
        """
        del page, searched
        return []


class PdfPages(DocumentPages):
    """Pages of a PDF file.

    Qt draws them on a thread of its own, which holds the document meanwhile: asked by this one then
    it would wait. So all but the first size is asked of another reader, on the thread of the words.
    """

    def __init__(self, path: Path, password: str = "") -> None:
        """Raise PasswordNeededError, or UserError for a file that cannot be opened."""
        super().__init__()
        self._path = path
        self._password = password
        self._document = QPdfDocument(self)
        if password:
            self._document.setPassword(password)
        problem = self._document.load(str(path))
        if problem == QPdfDocument.Error.IncorrectPassword:
            raise PasswordNeededError(_("Type the password of the document to see it."))
        if problem != QPdfDocument.Error.None_:
            raise UserError(_("The document cannot be shown: its kept copy is damaged or gone."))
        self._opened: PdfWords | None = None  # by the thread, as long as it is there
        first = self._document.pagePointSize(0)
        self._sizes = [QSizeF(first if not first.isEmpty() else _A4)] * self._document.pageCount()
        self._renderer = QPdfPageRenderer(self)
        self._renderer.setRenderMode(QPdfPageRenderer.RenderMode.MultiThreaded)
        self._renderer.setDocument(self._document)
        self._renderer.pageRendered.connect(self._on_rendered)
        self._awaited: dict[int, asyncio.Future[QImage]] = {}  # by the number of the request

    @property
    @override
    def count(self) -> int:
        """Number of pages."""
        return len(self._sizes)

    @override
    def size(self, page: int) -> QSizeF:
        """Return the size of a page, in points."""
        return self._sizes[page]

    @override
    async def measure(self) -> None:
        """Look at the sizes of all pages."""
        with suppress(UserError):  # another reader opened it, and draws it
            for start in range(0, self.count, _MEASURED_AT_ONCE):
                found = await self._worker.run(self._measured, start)
                sizes = [QSizeF(*each) for each in found]
                stop = start + len(sizes)
                before = self._sizes[start:stop]
                self._sizes[start:stop] = [
                    new if not new.isEmpty() else old
                    for new, old in zip(sizes, before, strict=True)
                ]
                if self._sizes[start:stop] != before:
                    self.measured.emit()

    @override
    def draw(self, page: int, width_px: int) -> None:
        """Draw a page; `drawn` tells when it is done."""
        self._renderer.requestPage(page, _drawn_size(self.size(page), width_px))

    @override
    async def picture(self, page: int, width_px: int) -> QImage:
        """Return a page as it is drawn, for printing."""
        request = self._renderer.requestPage(page, _drawn_size(self.size(page), width_px))
        drawn: asyncio.Future[QImage] = asyncio.get_running_loop().create_future()
        self._awaited[request] = drawn
        return await drawn

    def _on_rendered(
        self, page: int, _size: QSize, image: QImage, _options: object, request: int
    ) -> None:
        awaited = self._awaited.pop(request, None)
        if awaited is None:
            self.drawn.emit(page, image)
        else:
            set_result_once(awaited, image)

    @override
    async def words(self, page: int, *, searched: str = "") -> list[PlacedWord]:
        """Return the words of a page with their places; [] where a page is a picture."""
        return await self._worker.run(self._words, page, searched)

    def _words(self, page: int, searched: str) -> list[PlacedWord]:
        return self._reader().on_page(page + 1, searched=searched)

    def _measured(self, start: int) -> list[tuple[float, float]]:
        return self._reader().sizes(start + 1, start + _MEASURED_AT_ONCE)

    def _reader(self) -> PdfWords:
        if self._opened is None:
            from qhub_desktop.knowledge.readers.pdf import PdfWords  # loaded with the first one

            self._opened = PdfWords(self._path, self._password or None)
        return self._opened


class PicturePages(DocumentPages):
    """Pages of a picture file: one, or those of a TIFF."""

    def __init__(self, path: Path, sizes: list[QSize]) -> None:
        super().__init__()
        self._path = path
        self._sizes = sizes

    @classmethod
    async def open(cls, path: Path) -> PicturePages:
        """Look at the sizes of a file's pictures. Raises UserError."""
        from qhub_desktop.knowledge.readers.ocr import picture_sizes

        worker = Worker("pictures")
        try:
            sizes = await worker.run(picture_sizes, path)
        finally:
            worker.abandon()
        return cls(path, [QSize(*size) for size in sizes])

    @property
    @override
    def count(self) -> int:
        """Number of pages."""
        return len(self._sizes)

    @override
    def size(self, page: int) -> QSizeF:
        """Return the size of a page, in points."""
        return QSizeF(self._sizes[page]) * _POINTS_PER_PIXEL

    @override
    def draw(self, page: int, width_px: int) -> None:
        """Draw a page; `drawn` tells when it is done."""
        self._worker.run_ahead(lambda: self.drawn.emit(page, self._picture(page, width_px)))

    @override
    async def picture(self, page: int, width_px: int) -> QImage:
        """Return a page as it is drawn, for printing."""
        return await self._worker.run(self._picture, page, width_px)

    def _picture(self, page: int, width_px: int) -> QImage:
        from qhub_desktop.knowledge.readers.ocr import picture_pixels

        wanted = _drawn_size(self.size(page), width_px)
        try:
            width, height, pixels = picture_pixels(
                self._path, page, (wanted.width(), wanted.height())
            )
        except UserError:  # it stays blank, in its size, so that it is not drawn again
            blank = QImage(wanted, QImage.Format.Format_RGB888)
            blank.fill(Qt.GlobalColor.white)
            return blank
        return QImage(pixels, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def _drawn_size(size: QSizeF, width_px: int) -> QSize:
    height_px = width_px * size.height() / size.width()
    shrink = min(1.0, math.sqrt(MOST_PIXELS / max(1.0, width_px * height_px)))
    return QSize(max(1, round(width_px * shrink)), max(1, round(height_px * shrink)))


def padded(place: Rectangle, by: float = 0.002) -> Rectangle:
    """Return a place with a little room around it, which reads better as a mark."""
    left, top, right, bottom = place
    return (
        max(0.0, left - by),
        max(0.0, top - by / 2),
        min(1.0, right + by),
        min(1.0, bottom + by / 2),
    )
