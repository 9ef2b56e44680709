"""The columns' names above the grid: what they hold, how they are sorted, whether filtered."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QHeaderView, QWidget
from typing_extensions import override

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.views import View
from qhub_desktop.ui.column_view import TYPE_ICONS
from qhub_desktop.ui.icons import pixmap
from qhub_desktop.ui.theme import Palette, mix
from qhub_desktop.ui.widgets.fonts import sized

ICON_PX = 16
PAD_PX = 8
MENU_PX = 22
MARKS_PX = 2 * PAD_PX + ICON_PX + 6 + ICON_PX + MENU_PX  # beside a name
EDGE_PX = 5  # where a column is made wider


class ColumnHeader(QHeaderView):
    """A click on a name sorts, the arrow beside it opens the column's menu.

    Signals:
        sort_wanted: a name was clicked; with Shift, in addition to what is sorted by.
        column_wanted: a name was clicked with Ctrl.
        menu_wanted: the menu of a column is to be opened at this place of the screen.
    """

    sort_wanted = Signal(int, bool)
    column_wanted = Signal(int)
    menu_wanted = Signal(int, QPoint)

    def __init__(self, columns: Sequence[ColumnProfile], palette: Palette, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._columns = columns
        self._palette = palette
        self._sorted: dict[str, tuple[str, int]] = {}
        self._filtered: frozenset[str] = frozenset()
        self._pictures: dict[tuple[str, str, float], QPixmap] = {}
        self._under = -1
        self._pressed: QPoint | None = None
        self.setSectionsMovable(True)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMouseTracking(True)
        self.setAccessibleName(_("Columns"))

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        self.viewport().update()

    def show_view(self, view: View) -> None:
        """Mark what the rows are sorted and filtered by."""
        self._sorted = {name: (way, at) for at, (name, way) in enumerate(view.sort, start=1)}
        self._filtered = frozenset(each.column for each in view.filters)
        self.viewport().update()

    def menu_place(self, section: int) -> QPoint:
        """Where the menu of a column opens, on the screen."""
        left = self.sectionViewportPosition(section) + self.sectionSize(section) - MENU_PX
        return self.viewport().mapToGlobal(QPoint(max(0, left), self.height()))

    @override
    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), QFontMetrics(self.font()).height() + 16)

    @override
    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        column = self._columns[logicalIndex]
        palette = self._palette
        painter.save()
        is_under = logicalIndex == self._under
        ground = mix(palette.panel, palette.text, 0.05) if is_under else palette.panel
        painter.fillRect(rect, QColor(ground))
        painter.setPen(QPen(QColor(palette.line), 1))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.drawLine(rect.topRight() + QPoint(0, 7), rect.bottomRight() - QPoint(0, 7))
        left, right = rect.left() + PAD_PX, rect.right() - PAD_PX
        is_filtered = column.name in self._filtered
        if is_under or is_filtered:
            name = "filter" if is_filtered else "chevron-down"
            colour = palette.accent if is_filtered else palette.quiet
            self._draw_icon(painter, name, colour, right - ICON_PX, rect)
            right -= MENU_PX - 2
        if column.name in self._sorted:
            right = self._draw_sort(painter, rect, right, *self._sorted[column.name])
        painter.setFont(_bold(self.font()))
        painter.setPen(QColor(palette.text))
        name = column.name.replace("\n", " ")
        metrics = painter.fontMetrics()
        if right - left >= metrics.horizontalAdvance(name) + ICON_PX + 6:
            self._draw_icon(painter, TYPE_ICONS[column.type], palette.quiet, left, rect)
            left += ICON_PX + 6
        line = QRect(left, rect.top(), max(0, right - left), rect.height())
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    @override
    def mousePressEvent(self, e: QMouseEvent) -> None:
        place = e.position().toPoint()
        section = self.logicalIndexAt(place)
        if e.button() == Qt.MouseButton.LeftButton and self._is_on_menu(place, section):
            self.menu_wanted.emit(section, self.menu_place(section))
            return
        if e.button() == Qt.MouseButton.RightButton and section >= 0:
            self.menu_wanted.emit(section, self.viewport().mapToGlobal(place))
            return
        self._pressed = None if self._is_on_edge(place, section) else place
        super().mousePressEvent(e)

    @override
    def mouseReleaseEvent(self, e: QMouseEvent) -> None:
        super().mouseReleaseEvent(e)
        place = e.position().toPoint()
        pressed, self._pressed = self._pressed, None
        section = self.logicalIndexAt(place)
        if pressed is None or section < 0 or (place - pressed).manhattanLength() > PAD_PX:
            return
        if e.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.column_wanted.emit(section)
        else:
            is_more = bool(e.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.sort_wanted.emit(section, is_more)

    @override
    def mouseMoveEvent(self, e: QMouseEvent) -> None:
        super().mouseMoveEvent(e)
        self._set_under(self.logicalIndexAt(e.position().toPoint()))

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self._set_under(-1)

    def _set_under(self, section: int) -> None:
        if section != self._under:
            self._under = section
            self.viewport().update()

    def _is_on_menu(self, place: QPoint, section: int) -> bool:
        if section < 0 or self._is_on_edge(place, section):
            return False
        end = self.sectionViewportPosition(section) + self.sectionSize(section)
        return end - MENU_PX - EDGE_PX <= place.x() < end

    def _is_on_edge(self, place: QPoint, section: int) -> bool:
        start = self.sectionViewportPosition(section)
        end = start + self.sectionSize(section)
        is_first = self.visualIndex(section) == 0
        return end - place.x() <= EDGE_PX or (place.x() - start < EDGE_PX and not is_first)

    def _draw_sort(self, painter: QPainter, rect: QRect, right: int, way: str, number: int) -> int:
        """The arrow, and which key it is where there are several; the room left is given back."""
        name = "sort-up" if way == "up" else "sort-down"
        self._draw_icon(painter, name, self._palette.accent, right - ICON_PX, rect)
        right -= ICON_PX + 2
        if len(self._sorted) > 1:
            painter.setFont(sized(8))
            painter.setPen(QColor(self._palette.accent))
            place = QRect(right - 10, rect.top(), 12, rect.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), str(number))
            right -= 10
        return right

    def _draw_icon(self, painter: QPainter, name: str, colour: str, left: int, rect: QRect) -> None:
        ratio = self.devicePixelRatioF()
        key = (name, colour, ratio)
        if key not in self._pictures:
            self._pictures[key] = pixmap(name, colour, size_px=ICON_PX, ratio=ratio)
        painter.drawPixmap(left, rect.center().y() - ICON_PX // 2 + 1, self._pictures[key])


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold
