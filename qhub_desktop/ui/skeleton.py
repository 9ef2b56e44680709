"""The bare lines of the window: what is seen while the rest is loaded."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from qhub_desktop.ui.theme import TARGET_PX, Palette
from qhub_desktop.ui.window_place import WindowPlace, usual_widths

_BAR_PX = TARGET_PX + 15


class Skeleton(QWidget):
    """The bar and the columns, empty, where they will be."""

    def __init__(self, palette: Palette, place: WindowPlace) -> None:
        super().__init__()
        self._palette = palette
        self._place = place

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        panel, line = QColor(self._palette.panel), QColor(self._palette.line)
        painter.fillRect(self.rect(), QColor(self._palette.page))
        usual_left, usual_right = usual_widths(self.width())
        left = (self._place.sidebar_px or usual_left) if self._place.has_sidebar else 0
        right = (self._place.panel_px or usual_right) if self._place.has_panel else 0
        below = self.height() - _BAR_PX
        painter.fillRect(QRect(0, _BAR_PX, left, below), panel)
        painter.fillRect(QRect(left, _BAR_PX, 1, below), line)
        painter.fillRect(QRect(self.width() - right, _BAR_PX, right, below), panel)
        painter.fillRect(QRect(self.width() - right - 1, _BAR_PX, 1, below), line)
        painter.fillRect(QRect(0, 0, self.width(), _BAR_PX), panel)
        painter.fillRect(QRect(0, _BAR_PX, self.width(), 1), line)
