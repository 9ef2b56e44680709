"""Where an artifact is seen: a page that is awake, or its picture."""

from dataclasses import replace
from itertools import count

from PySide6.QtCore import QRect, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QPixmapCache,
)
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.worker import in_background
from qhub_desktop.ui.pages.awake import AwakePages
from qhub_desktop.ui.pages.locked_view import LockedView
from qhub_desktop.ui.saving import png
from qhub_desktop.ui.theme import GRID_PX, RADIUS_PX, Palette

LOWEST_PX = 120
DOCUMENT_PX = 420  # a whole document may be made for the height that it finds
HIGHEST_PX = 640  # above, it scrolls within itself
SEEN_MS = 150  # so long it must be in sight, for a page to be woken by scrolling past
WAKING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
GROWTHS = 12  # a page that is always a little higher than it may be does not grow for ever

_numbers = count()


class ArtifactStage(QWidget):
    """Shows one document, as high as its content. It is woken when it first comes into sight."""

    def __init__(
        self, document: str, palette: Palette, pages: AwakePages, *, is_whole: bool
    ) -> None:
        super().__init__()
        self._document = document
        self._palette = palette
        self._pages = pages
        self._view: LockedView | None = None
        self._picture: Still | None = None
        self._is_drawn = False
        self._growths = 0
        self._noticing = QTimer(self)
        self._noticing.setSingleShot(True)
        self._noticing.setInterval(SEEN_MS)
        self._noticing.timeout.connect(self._on_noticed)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setFixedHeight(DOCUMENT_PX if is_whole else LOWEST_PX)
        self._invite()

    @property
    def view(self) -> LockedView | None:
        """The page, while it is awake."""
        return self._view

    @property
    def is_asleep(self) -> bool:
        """Whether a picture stands for the page."""
        return self._view is None and self._picture is not None

    @property
    def is_in_sight(self) -> bool:
        """Whether any of it is to be seen."""
        return self.isVisible() and not self.sight.isEmpty()

    @property
    def sight(self) -> QRect:
        """The part of it that is not scrolled away, in the window's coordinates.

        Qt's visible region leaves out what children cover, as the page does.
        """
        part, widget = self.rect(), self.parentWidget()
        part.translate(self.pos())
        while widget is not None:
            part &= widget.rect()
            if widget.isWindow():
                break
            part.translate(widget.pos())
            widget = widget.parentWidget()
        return part

    def image(self) -> QImage:
        """What is to be seen; null before it was drawn."""
        if self._view is not None:
            return self._view.grab().toImage()
        return self._picture.image() if self._picture is not None else QImage()

    def wake(self) -> None:
        """Let the page run."""
        if self._view is None:
            self._is_drawn = False
            self._growths = 0
            view = LockedView(self._document, palette=_on_card(self._palette))
            view.is_embedded = True
            view.loaded.connect(self._on_loaded)
            view.resized.connect(self._fit)
            view.measured.connect(self._on_measured)
            self._view = view
            self._column.addWidget(view)
            self.setCursor(Qt.CursorShape.ArrowCursor)
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pages.add(self)

    def fall_asleep(self) -> None:
        """Become a picture; a page that was not drawn yet is opened again when it is seen."""
        if self._view is None:
            return
        if self._is_drawn and self._view.ending is None:
            self._picture = Still(self._view.grab().toImage())
        self._let_go()
        self._invite()

    def set_palette(self, palette: Palette) -> None:
        """Wear other colours; a picture in the old ones is drawn anew when it is seen."""
        self._palette = palette
        if self._view is not None:
            self._view.set_palette(_on_card(palette))
        self._picture = None
        self.update()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._view is not None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._picture is None:
            painter.setPen(QColor(self._palette.quiet))
            words = _("Opening…") if self._pages.has_room else _("Click to open")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
            self._noticing.start()
            return
        pixmap = self._picture.pixmap()
        height = pixmap.height() * self.width() / max(1, pixmap.width())
        painter.drawPixmap(QRectF(0, 0, self.width(), height), pixmap, QRectF(pixmap.rect()))
        self._paint_sign(painter)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._view is None and event.button() is Qt.MouseButton.LeftButton:
            self.wake()
        super().mouseReleaseEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._view is None and event.key() in WAKING_KEYS:
            self.wake()
            return
        super().keyPressEvent(event)

    def _paint_sign(self, painter: QPainter) -> None:
        """A quiet word that this is only a picture."""
        words = _("Paused: click to let it run")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = painter.fontMetrics()
        width, height = metrics.horizontalAdvance(words) + 2 * GRID_PX, metrics.height() + GRID_PX
        box = QRectF(self.width() - width - GRID_PX, GRID_PX, width, height)
        painter.setPen(QColor(self._palette.line))
        painter.setBrush(QColor(self._palette.panel))
        painter.drawRoundedRect(box, RADIUS_PX, RADIUS_PX)
        painter.setPen(QColor(self._palette.quiet))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        if self.hasFocus():
            painter.setPen(QColor(self._palette.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _let_go(self) -> None:
        assert self._view is not None
        self._view.stop()
        self._column.removeWidget(self._view)
        self._view.hide()
        self._view.deleteLater()
        self._view = None
        self._pages.remove(self)
        self.update()

    def _invite(self) -> None:
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(_("Paused page. Press Enter to let it run."))

    def _on_noticed(self) -> None:
        if self._view is not None or self.is_asleep or not self.is_in_sight:
            return
        if self._pages.has_room:
            self.wake()
        else:
            self._noticing.start()  # others may be scrolled away

    def _on_loaded(self) -> None:
        self._is_drawn = True
        self._fit()

    def _fit(self) -> None:
        """Be as high as the content, once that is loaded."""
        if self._view is not None and self._is_drawn:
            self._view.measure()

    def _on_measured(self, height: int) -> None:
        wanted = max(LOWEST_PX, min(height, HIGHEST_PX))
        if wanted > self.height() and self._growths < GROWTHS:
            self._growths += 1
            self.setFixedHeight(wanted)


class Still:
    """A picture that soon takes little room: a hundred of them take less than one page.

    It is packed on a thread, for that may take longer than the window's may be held up.
    """

    def __init__(self, image: QImage) -> None:
        self._image = image
        self._packed = b""
        self._key = f"still-{next(_numbers)}"  # the cache forgets by itself what is not looked at
        in_background(self._pack, "pack-picture")

    def image(self) -> QImage:
        """The picture."""
        image, packed = self._image, self._packed  # in this order: the thread has the other
        return QImage.fromData(packed) if packed else image

    def pixmap(self) -> QPixmap:
        """The same, for painting."""
        pixmap = QPixmap()
        if not QPixmapCache.find(self._key, pixmap):
            pixmap = QPixmap.fromImage(self.image())
            QPixmapCache.insert(self._key, pixmap)
        return pixmap

    def _pack(self) -> None:
        self._packed = png(self._image)
        self._image = QImage()


def _on_card(palette: Palette) -> Palette:
    """The colours of a page that stands on a card."""
    return replace(palette, page=palette.card)
