"""View of pages below each other, with the passages that are marked on them."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame
from typing_extensions import override

from qhub_desktop.core.documents import Rectangle
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.documents.pages import DocumentPages, padded
from qhub_desktop.ui.theme import GRID_PX, theme

ZOOM_STEP = 1.2
LEAST_ZOOM = 0.25
MOST_ZOOM = 6.0
GAP_PX = 2 * GRID_PX  # between pages, and around them
WIDEST_FIT = 1.6  # of a page's own size: a small window fills, a wide one keeps lines readable
_PIXELS_PER_POINT = 96 / 72
_KEPT_PAGES = 12  # drawn ones in memory
_REST_MS = 60  # before what came into sight is drawn, while scrolling
_MARKER = QColor(255, 214, 64)  # a text marker on white paper, in both themes
_FOUND = QColor(150, 205, 255)
_FOUND_NOW = QColor(255, 160, 70)


@dataclass(frozen=True, slots=True)
class Mark:
    """Places that are marked on a page, counted from 0."""

    page: int
    places: tuple[Rectangle, ...]


class PageView(QAbstractScrollArea):
    """Pages of a document, drawn as they come into sight.

    Signals:
        page_changed: the page in the middle of the view, counted from 0.
        zoomed: the zoom was changed.
    """

    page_changed = Signal(int)
    zoomed = Signal()

    def __init__(self, pages: DocumentPages) -> None:
        super().__init__()
        pages.setParent(self)
        self._pages = pages
        self._zoom = 0.0  # 0: as wide as the view
        self._tops: list[float] = []  # of all pages, in points
        self._drawn: dict[int, QImage] = {}
        self._asked: dict[int, int] = {}  # pages that are being drawn, and their width
        self._quoted: Mark | None = None
        self._found: Mapping[int, Sequence[tuple[Rectangle, ...]]] = {}
        self._found_now: Mark | None = None
        self._page = 0
        self._sizes = [pages.size(page) for page in range(pages.count)]
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(_("Pages of the document"))
        self._resting = QTimer(self, singleShot=True)
        self._resting.timeout.connect(self._draw_in_sight)
        pages.measured.connect(self._on_measured)
        pages.drawn.connect(self._on_drawn)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._lay_out()

    @property
    def count(self) -> int:
        """Number of pages."""
        return len(self._sizes)

    @property
    def page(self) -> int:
        """The page in the middle of the view, counted from 0."""
        return self._page

    @property
    def quoted(self) -> Mark | None:
        """The passage that is marked, if any."""
        return self._quoted

    @property
    def is_drawn(self) -> bool:
        """Whether every page in sight is drawn."""
        return all(page in self._drawn for page in self._in_sight())

    @property
    def scale(self) -> float:
        """Pixels of the view to a point of a page."""
        if self._zoom:
            return self._zoom * _PIXELS_PER_POINT
        widest = max((size.width() for size in self._sizes), default=1.0)
        room = max(self.viewport().width() - 2 * GAP_PX, 80)
        return min(room / widest, WIDEST_FIT * _PIXELS_PER_POINT)

    @property
    def zoom(self) -> float:
        """The zoom: 1 is the size on paper."""
        return self.scale / _PIXELS_PER_POINT

    def zoom_by(self, steps: int) -> None:
        """Zoom by a number of steps; 0 fits the pages to the width of the view."""
        middle = self._place_at(self.viewport().height() / 2)
        wanted = self.zoom * ZOOM_STEP**steps
        self._zoom = min(MOST_ZOOM, max(LEAST_ZOOM, wanted)) if steps else 0.0
        self._lay_out()
        self._scroll_to(*middle)
        self.zoomed.emit()

    def go_to(self, page: int) -> None:
        """Show the top of a page, counted from 0."""
        self.verticalScrollBar().setValue(round(self._top_px(page) - GAP_PX / 2))

    def mark(self, quoted: Mark | None) -> None:
        """Mark a passage, and bring it into sight; None takes the mark away."""
        self._quoted = quoted
        if quoted is not None and quoted.places:
            self.show_place(quoted)
        self.viewport().update()

    def mark_found(
        self, found: Mapping[int, Sequence[tuple[Rectangle, ...]]], now: Mark | None
    ) -> None:
        """Mark what was looked for, by its pages; bring one of them into sight."""
        self._found, self._found_now = found, now
        if now is not None:
            self.show_place(now)
        self.viewport().update()

    def show_place(self, mark: Mark) -> None:
        """Bring marked places to the upper third of the view, unless they are well in sight."""
        place = self._page_rect(mark.page)
        top = min((each[1] for each in mark.places), default=0.0)
        bottom = max((each[3] for each in mark.places), default=0.0)
        seen = QRectF(self.viewport().rect())
        first, last = place.top() + top * place.height(), place.top() + bottom * place.height()
        if first < seen.top() + GAP_PX or last > seen.bottom() - GAP_PX:
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() + first - seen.height() / 3))
        left = min((each[0] for each in mark.places), default=0.0)
        across = self.horizontalScrollBar()
        if across.maximum():
            across.setValue(round(across.value() + place.left() + left * place.width() - GAP_PX))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        middle = self._place_at(0)
        super().resizeEvent(event)
        self._lay_out()
        if event.oldSize().isValid():
            self._scroll_to(*middle)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1 if event.angleDelta().y() > 0 else -1)
        else:
            super().wheelEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                bar.setValue(bar.maximum())
            case Qt.Key.Key_Space:
                bar.setValue(bar.value() + bar.pageStep())
            case _:
                super().keyPressEvent(event)

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.viewport().rect(), QColor(palette.panel))
        for page in self._in_sight():
            place = self._page_rect(page)
            painter.fillRect(place, Qt.GlobalColor.white)
            if (image := self._drawn.get(page)) is not None:
                painter.drawImage(place, image)
            self._paint_marks(painter, page, place)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
            painter.setPen(QPen(QColor(palette.line), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))

    def _paint_marks(self, painter: QPainter, page: int, place: QRectF) -> None:
        # As a marker does on paper: letters stay as dark as they are.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        now = self._found_now
        for places in self._found.get(page, ()):
            if now is None or now.page != page or now.places != places:
                self._paint(painter, places, place, _FOUND)
        for mark, colour in ((self._quoted, _MARKER), (now, _FOUND_NOW)):
            if mark is not None and mark.page == page:
                self._paint(painter, mark.places, place, colour)

    @staticmethod
    def _paint(
        painter: QPainter, places: Sequence[Rectangle], page: QRectF, colour: QColor
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for left, top, right, bottom in map(padded, places):
            painter.drawRoundedRect(
                QRectF(
                    page.left() + left * page.width(),
                    page.top() + top * page.height(),
                    (right - left) * page.width(),
                    (bottom - top) * page.height(),
                ),
                2,
                2,
            )

    # Places

    def _on_measured(self) -> None:
        before, self._sizes = self._sizes, [self._pages.size(page) for page in range(self.count)]
        for page in list(self._drawn):
            if before[page] != self._sizes[page]:
                del self._drawn[page]
        down, mark = self._place_at(0), self._quoted
        self._lay_out()
        if mark is not None and mark.page in self._in_sight():
            self.show_place(mark)
        else:
            self._scroll_to(*down, at_top=True)

    def _lay_out(self) -> None:
        self._tops, top = [], 0.0
        for size in self._sizes:
            self._tops.append(top)
            top += size.height()
        scale = self.scale
        height = top * scale + GAP_PX * (len(self._sizes) + 1)
        widest = max((size.width() for size in self._sizes), default=0.0) * scale
        room = self.viewport().size()
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        bar.setRange(0, max(0, round(height) - room.height()))
        bar.setPageStep(room.height())
        bar.setSingleStep(6 * GRID_PX)
        across.setRange(0, max(0, round(widest + 2 * GAP_PX) - room.width()))
        across.setPageStep(room.width())
        self._rest()
        self.viewport().update()

    def _top_px(self, page: int) -> float:
        return self._tops[page] * self.scale + GAP_PX * (page + 1)

    def _page_rect(self, page: int) -> QRectF:
        size = self._sizes[page] * self.scale
        left = max(GAP_PX, (self.viewport().width() - size.width()) / 2)
        return QRectF(
            left - self.horizontalScrollBar().value(),
            self._top_px(page) - self.verticalScrollBar().value(),
            size.width(),
            size.height(),
        )

    def _in_sight(self) -> range:
        if not self._sizes:
            return range(0)
        first, _share = self._place_at(0)
        last, _share = self._place_at(self.viewport().height())
        return range(first, last + 1)

    def _place_at(self, down_px: float) -> tuple[int, float]:
        """Return the page at a height of the view, and how far down in it that is, 0 to 1."""
        if not self._sizes:
            return 0, 0.0
        wanted = self.verticalScrollBar().value() + down_px
        low, high = 0, len(self._sizes) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._top_px(middle) <= wanted else (low, middle - 1)
        height = max(1.0, self._sizes[low].height() * self.scale)
        return low, (wanted - self._top_px(low)) / height

    def _scroll_to(self, page: int, share: float, *, at_top: bool = False) -> None:
        """Bring a place of a page to the middle of the view."""
        if self._sizes:
            down = 0 if at_top or share <= 0 else self.viewport().height() / 2
            top = self._top_px(page) + share * self._sizes[page].height() * self.scale
            self.verticalScrollBar().setValue(round(top - down))

    # Drawing

    def _rest(self) -> None:
        self._resting.start(_REST_MS if self._drawn else 0)  # the first one is waited for

    def _on_scrolled(self) -> None:
        self._rest()
        page, _share = self._place_at(self.viewport().height() / 2)
        if page != self._page:
            self._page = page
            self.page_changed.emit(page)
        self.viewport().update()

    def _draw_in_sight(self) -> None:
        seen = self._in_sight()
        near = [page for page in (seen.stop, seen.start - 1) if 0 <= page < self.count]
        for page in (*seen, *near):
            size = self._sizes[page]
            wanted = round(size.width() * self.scale * self.devicePixelRatioF())
            drawn = self._drawn.get(page)
            if self._asked.get(page) != wanted and (
                drawn is None or not _is_sharp(drawn, wanted, size)
            ):
                self._asked[page] = wanted
                self._pages.draw(page, wanted)

    def _on_drawn(self, page: int, image: QImage) -> None:
        self._asked.pop(page, None)
        self._drawn.pop(page, None)
        self._drawn[page] = image
        seen = self._in_sight()
        for other in list(self._drawn):
            if len(self._drawn) > _KEPT_PAGES and other not in seen:
                del self._drawn[other]
        self.viewport().update(self._page_rect(page).toAlignedRect())
        self._rest()  # it may be of another width by now


def _is_sharp(drawn: QImage, wanted_px: int, size: QSizeF) -> bool:
    """Return whether a page is drawn in its shape, and in about the wanted width or the largest."""
    if abs(drawn.width() * size.height() / size.width() - drawn.height()) > 2:
        return False  # its size was not known yet
    is_largest = drawn.width() < wanted_px and drawn.width() * drawn.height() > 11_000_000
    return abs(drawn.width() - wanted_px) <= 2 or is_largest
