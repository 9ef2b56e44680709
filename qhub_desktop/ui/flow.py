"""Widgets side by side, going on in the next line where the first is full."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem
from typing_extensions import override


class Flow(QLayout):
    """Each widget has the size it asks for; a line is as high as the highest in it."""

    def __init__(self, *, spacing_px: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing_px)

    @override
    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    @override
    def count(self) -> int:
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return self._lines(QRect(0, 0, width, 0), is_moving=False)

    @override
    def setGeometry(self, place: QRect) -> None:
        super().setGeometry(place)
        self._lines(place, is_moving=True)

    @override
    def sizeHint(self) -> QSize:
        return self.minimumSize()

    @override
    def minimumSize(self) -> QSize:
        least = QSize()
        for item in self._items:
            least = least.expandedTo(item.minimumSize())
        return least

    def _lines(self, place: QRect, *, is_moving: bool) -> int:
        """Go through the items line by line; the height they take."""
        left, top, line_px = place.left(), place.top(), 0
        for item in self._items:
            if item.isEmpty():  # hidden
                continue
            size = item.sizeHint().boundedTo(QSize(place.width(), item.sizeHint().height()))
            if left > place.left() and left + size.width() > place.right() + 1:
                left, top, line_px = place.left(), top + line_px + self.spacing(), 0
            if is_moving:
                item.setGeometry(QRect(QPoint(left, top), size))
            left += size.width() + self.spacing()
            line_px = max(line_px, size.height())
        return top + line_px - place.top()
