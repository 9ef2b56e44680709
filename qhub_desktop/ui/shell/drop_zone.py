"""Drop zone over the window, and the rules for the files it accepts."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.theme import BODY_PT, CARD_RADIUS_PX, TITLE_PT, theme

MAX_FILES = 50  # taken from one folder


@cache
def suffixes() -> tuple[str, ...]:
    """Return the suffixes of readable file types, each with its dot."""
    from qhub_desktop.data.ingest.readers.catalogue import SUFFIXES  # imported on the first drag

    return SUFFIXES


def is_accepted(path: Path) -> bool:
    """Return whether the path is a folder or has the suffix of a readable type."""
    return path.suffix.lower() in suffixes() or path.is_dir()


def rejection(paths: Sequence[Path]) -> str:
    """Return why none of the paths can be used, or an empty string if one can."""
    if any(is_accepted(path) for path in paths):
        return ""
    kinds = sorted({path.suffix.lower().removeprefix(".") or path.name for path in paths})
    return _("{kinds}: only tables can be read, as {accepted}.").format(
        kinds=", ".join(kinds), accepted=file_types_text()
    )


def file_types_text() -> str:
    """Return the supported file types as text for the user."""
    return ", ".join(suffix.removeprefix(".") for suffix in suffixes())


def expand_folders(paths: Sequence[Path]) -> list[Path]:
    """Return the files, with each folder replaced by the readable files in it."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(each for each in path.iterdir() if each.is_file() and is_accepted(each))
        # Excel creates the lock file '~$book.xlsx' beside an open workbook.
        files.extend([each for each in inside if not each.name.startswith("~$")][:MAX_FILES])
    return files


_ICON_PX = 40


class DropOverlay(QWidget):
    """Overlay that covers the window during a drag and accepts the drop.

    Signals:
        dropped: the paths of the dropped files and folders.
    """

    dropped = Signal(list)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._rejection = ""
        self.setAcceptDrops(True)
        self.hide()
        window.installEventFilter(self)

    @property
    def rejection(self) -> str:
        """Reason why the dragged files cannot be used; empty if they can."""
        return self._rejection

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The window receives a drag's first events; the overlay receives the later ones.
        match event:
            case QDragEnterEvent():
                self.dragEnterEvent(event)
            case QDragMoveEvent():
                self.dragMoveEvent(event)
            case QDropEvent():
                self.dropEvent(event)
            case QDragLeaveEvent():
                self.dragLeaveEvent(event)
            case _:
                if event.type() == QEvent.Type.Resize:
                    self.setGeometry(self._window.rect())
                return False
        return True

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        paths = local_paths(event.mimeData())
        if not paths:
            event.ignore()
            return
        self._rejection = rejection(paths)
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()
        # Accept even a refused drag: otherwise Qt ends it and the reason disappears.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    @override
    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self._rejection:
            event.ignore()
        else:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        self.hide()
        paths = local_paths(event.mimeData())
        if not paths or rejection(paths):
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.dropped.emit(paths)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(palette.page)
        veil.setAlphaF(0.8)
        painter.fillRect(self.rect(), veil)
        tone = QColor(palette.bad if self._rejection else palette.accent)
        frame = QRectF(self.rect().adjusted(16, 16, -16, -16))
        painter.setPen(QPen(tone, 2, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, CARD_RADIUS_PX, CARD_RADIUS_PX)
        self._draw_message(painter, tone)

    def _draw_message(self, painter: QPainter, tone: QColor) -> None:
        palette = theme().palette
        large = QFont(self.font())
        large.setPointSizeF(self.font().pointSizeF() * TITLE_PT * 1.25 / BODY_PT)
        large.setWeight(QFont.Weight.DemiBold)
        title = _("This cannot be analysed") if self._rejection else _("Drop to analyse")
        below = self._rejection or _("{kinds}. Several at once, or a folder.").format(
            kinds=file_types_text()
        )
        width = min(560, self.width() - 96)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        wrapped = int(flags) | int(Qt.TextFlag.TextWordWrap)
        room = QRect(0, 0, width - 48, self.height())
        below_px = QFontMetrics(self.font()).boundingRect(room, wrapped, below).height()
        height = 28 + _ICON_PX + 14 + QFontMetrics(large).height() + 8 + below_px + 28
        card = QRect(0, 0, width, height)
        card.moveCenter(self.rect().center())
        painter.setPen(QColor(palette.line))
        painter.setBrush(QColor(palette.card))
        painter.drawRoundedRect(card, CARD_RADIUS_PX, CARD_RADIUS_PX)
        top = card.top() + 28
        name = "forbidden" if self._rejection else "drop"
        sign = pixmap(name, tone.name(), size_px=_ICON_PX, ratio=self.devicePixelRatioF())
        painter.drawPixmap((self.width() - _ICON_PX) // 2, top, sign)
        left, inner = card.left() + 24, card.width() - 48
        line = QRect(left, top + _ICON_PX + 14, inner, QFontMetrics(large).height())
        painter.setFont(large)
        painter.setPen(QColor(palette.text))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), title)
        rest = QRect(left, line.bottom() + 8, inner, below_px + 8)
        painter.setFont(self.font())
        painter.setPen(tone if self._rejection else QColor(palette.quiet))
        painter.drawText(rest, wrapped, below)


def local_paths(mime: QMimeData) -> list[Path]:
    """Return the local files and folders in dragged or pasted data."""
    return [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
