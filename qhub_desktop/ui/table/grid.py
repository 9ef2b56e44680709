"""The grid, which draws only the visible of a million rows, and its header."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import fold_in_place, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import visible
from qhub_desktop.data.query.view_spec import RowView
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.column_summary import TYPE_ICONS
from qhub_desktop.ui.controls.layouts import PlainLabel
from qhub_desktop.ui.controls.plain_text import elided
from qhub_desktop.ui.table.rows import RowsModel
from qhub_desktop.ui.theme import bold_font, mix, theme, theme_font

HEADER_ICON_PX = 16
HEADER_PAD_PX = 8
MENU_PX = 22
ICONS_PX = (
    2 * HEADER_PAD_PX + HEADER_ICON_PX + 6 + HEADER_ICON_PX + MENU_PX
)  # sort and menu icons beside a name
EDGE_PX = 5  # of a section, where dragging resizes it


class ColumnHeader(QHeaderView):
    """Header: a click on a name sorts, the arrow beside it opens the column's menu.

    Signals:
        sort_requested: a name was clicked; with Shift, sort by it as a further key.
        column_requested: a name was clicked with Ctrl.
        menu_requested: open the menu of a column at this global position.
    """

    sort_requested = Signal(int, bool)
    column_requested = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, columns: Sequence[ColumnProfile], parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._columns = columns
        self._sorted: dict[str, tuple[str, int]] = {}
        self._filtered: frozenset[str] = frozenset()
        self._pixmaps: dict[tuple[str, str, float], QPixmap] = {}
        self._hovered_section = -1
        self._pressed: QPoint | None = None
        self.setSectionsMovable(True)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMouseTracking(True)
        self.setAccessibleName(_("Columns"))

    def show_view(self, view: RowView) -> None:
        """Show by which columns the rows are sorted and filtered."""
        self._sorted = {name: (way, at) for at, (name, way) in enumerate(view.sort, start=1)}
        self._filtered = frozenset(each.column for each in view.filters)
        self.viewport().update()

    def menu_position(self, section: int) -> QPoint:
        """Return the global position of a column's menu."""
        left = self.sectionViewportPosition(section) + self.sectionSize(section) - MENU_PX
        return self.viewport().mapToGlobal(QPoint(max(0, left), self.height()))

    @override
    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), QFontMetrics(self.font()).height() + 16)

    @override
    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        column = self._columns[logicalIndex]
        palette = theme().palette
        painter.save()
        is_under = logicalIndex == self._hovered_section
        ground = mix(palette.panel, palette.text, 0.05) if is_under else palette.panel
        painter.fillRect(rect, QColor(ground))
        painter.setPen(QPen(QColor(palette.line), 1))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.drawLine(rect.topRight() + QPoint(0, 7), rect.bottomRight() - QPoint(0, 7))
        left, right = rect.left() + HEADER_PAD_PX, rect.right() - HEADER_PAD_PX
        is_filtered = column.name in self._filtered
        if is_under or is_filtered:
            name = "filter" if is_filtered else "chevron-down"
            colour = palette.accent if is_filtered else palette.quiet
            self._draw_icon(painter, name, colour, right - HEADER_ICON_PX, rect)
            right -= MENU_PX - 2
        if column.name in self._sorted:
            right = self._draw_sort(painter, rect, right, *self._sorted[column.name])
        painter.setFont(bold_font(self.font()))
        painter.setPen(QColor(palette.text))
        name = column.name.replace("\n", " ")
        metrics = painter.fontMetrics()
        if right - left >= metrics.horizontalAdvance(name) + HEADER_ICON_PX + 6:
            self._draw_icon(painter, TYPE_ICONS[column.type], palette.quiet, left, rect)
            left += HEADER_ICON_PX + 6
        line = QRect(left, rect.top(), max(0, right - left), rect.height())
        text = elided(name, metrics, line.width(), mode=Qt.TextElideMode.ElideMiddle)
        side = Qt.AlignmentFlag.AlignLeft
        if is_numeric(column.type):
            side = Qt.AlignmentFlag.AlignRight  # as its cells
        painter.drawText(line, int(side | Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    @override
    def mousePressEvent(self, e: QMouseEvent) -> None:
        place = e.position().toPoint()
        section = self.logicalIndexAt(place)
        if e.button() == Qt.MouseButton.LeftButton and self._is_on_menu_button(place, section):
            self.menu_requested.emit(section, self.menu_position(section))
            return
        if e.button() == Qt.MouseButton.RightButton and section >= 0:
            self.menu_requested.emit(section, self.viewport().mapToGlobal(place))
            return
        self._pressed = None if self._is_on_edge(place, section) else place
        super().mousePressEvent(e)

    @override
    def mouseReleaseEvent(self, e: QMouseEvent) -> None:
        super().mouseReleaseEvent(e)
        place = e.position().toPoint()
        pressed, self._pressed = self._pressed, None
        section = self.logicalIndexAt(place)
        if pressed is None or section < 0 or (place - pressed).manhattanLength() > HEADER_PAD_PX:
            return
        if e.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.column_requested.emit(section)
        else:
            is_more = bool(e.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.sort_requested.emit(section, is_more)

    @override
    def mouseMoveEvent(self, e: QMouseEvent) -> None:
        super().mouseMoveEvent(e)
        self._set_hovered_section(self.logicalIndexAt(e.position().toPoint()))

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self._set_hovered_section(-1)

    def _set_hovered_section(self, section: int) -> None:
        if section != self._hovered_section:
            self._hovered_section = section
            self.viewport().update()

    def _is_on_menu_button(self, place: QPoint, section: int) -> bool:
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
        """Draw the sort arrow, with the number of the key if several; return the width left
        over.
        """
        palette = theme().palette
        name = "sort-up" if way == "up" else "sort-down"
        self._draw_icon(painter, name, palette.accent, right - HEADER_ICON_PX, rect)
        right -= HEADER_ICON_PX + 2
        if len(self._sorted) > 1:
            painter.setFont(theme_font(8))
            painter.setPen(QColor(palette.accent))
            place = QRect(right - 10, rect.top(), 12, rect.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), str(number))
            right -= 10
        return right

    def _draw_icon(self, painter: QPainter, name: str, colour: str, left: int, rect: QRect) -> None:
        ratio = self.devicePixelRatioF()
        key = (name, colour, ratio)
        if key not in self._pixmaps:
            self._pixmaps[key] = pixmap(name, colour, size_px=HEADER_ICON_PX, ratio=ratio)
        painter.drawPixmap(left, rect.center().y() - HEADER_ICON_PX // 2 + 1, self._pixmaps[key])


ROW_PAD_PX = 11
CELL_SIDE_PX = 8
MIN_COLUMN_PX = 72
MAX_COLUMN_PX = 320
ROWS_MEASURED = 50
COLUMNS_MEASURED = 200  # further columns get the width of a short name

State = QStyle.StateFlag


class TableGrid(QTableView):
    """Read-only grid; cells are selected as in a spreadsheet.

    Signals:
        visible_rows_changed: first and last visible row, after they changed.
    """

    visible_rows_changed = Signal(int, int)

    def __init__(self, model: RowsModel) -> None:
        super().__init__()
        self._rows = model
        self._delegate = CellDelegate(model, self)
        self.header = ColumnHeader(model.columns, self)
        self.setHorizontalHeader(self.header)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(_("Rows"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the grid; the arrow keys move in it
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().setSectionResizeMode(self.verticalHeader().ResizeMode.Fixed)
        self.verticalHeader().setSectionsClickable(True)
        self.verticalHeader().setHighlightSections(False)
        self.verticalHeader().setAccessibleName(_("Row numbers"))
        self.verticalHeader().setStyleSheet(
            "QHeaderView::section:vertical { font-weight: 400; border-bottom: none; }"
        )
        self.setCornerWidget(QWidget())
        self._empty_label = PlainLabel(_("No row passes the filters."), self.viewport())
        self._empty_label.setProperty("role", "quiet")
        self._empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty_label.hide()
        # A click on a name sorts; columns are selected by the menu and Ctrl+Space.
        self.header.sectionPressed.disconnect()
        self.header.sectionEntered.disconnect()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        # Row numbers arrive with their rows. Repaint them here: if the model emitted
        # headerDataChanged, Qt would lay out the whole window again, 25 ms each time.
        model.dataChanged.connect(self.verticalHeader().viewport().update)
        self.update_column_widths()

    def highlight(self, words: str) -> None:
        """Highlight these words in visible cells."""
        self._delegate.highlighted = fold_in_place(words.strip())
        self.viewport().update()

    def visible_rows(self) -> tuple[int, int]:
        """Return the first and the last visible row."""
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height() - 1)
        return first, last if last >= 0 else max(0, self._rows.rowCount() - 1)

    @property
    def shows_empty_notice(self) -> bool:
        """Whether the notice that there are no rows is visible."""
        return self._empty_label.isVisible()

    def emit_visible_rows(self) -> None:
        """Emit which rows are visible, and show the notice if there are none."""
        self._empty_label.resize(self.viewport().width(), self.viewport().height() // 2)
        self._empty_label.setVisible(not self._rows.rowCount())
        self.visible_rows_changed.emit(*self.visible_rows())

    def go_to(self, row: int, column: int) -> None:
        """Make a cell current and scroll to it; centre it unless it is well inside the view."""
        index = self._rows.index(row, column)
        first, last = self.visible_rows()
        is_near = first < row < last
        hint = self.ScrollHint.EnsureVisible if is_near else self.ScrollHint.PositionAtCenter
        self.setCurrentIndex(index)
        self.scrollTo(index, hint)

    def select_cells(self, top: int, left: int, bottom: int, right: int) -> None:
        """Select these cells only, as far as there are any, and scroll to the first."""
        bottom = min(bottom, self._rows.rowCount() - 1)
        if top <= bottom and left < self._rows.columnCount():
            self.go_to(top, left)
            self._select(top, left, bottom, min(right, self._rows.columnCount() - 1))

    def select_column(self, column: int) -> None:
        """Select a whole column only, regardless of modifier keys."""
        self._select(0, column, self._rows.rowCount() - 1, column)

    def select_row(self, row: int) -> None:
        """Select a whole row only."""
        self._select(row, 0, row, self._rows.columnCount() - 1)

    def update_row_height(self) -> None:
        """Set the height of rows and the width of row numbers by the font."""
        self._delegate.clear_metrics()
        row_px = QFontMetrics(self.font()).height() + ROW_PAD_PX
        heads = self.verticalHeader()
        heads.setFont(theme_font(9))
        widest = number(max(self._rows.total_rows, 1_000), digits=0)
        heads.setFixedWidth(
            QFontMetrics(theme_font(9)).horizontalAdvance(widest) + 2 * CELL_SIDE_PX + 4
        )
        if heads.defaultSectionSize() != row_px:
            heads.setDefaultSectionSize(row_px)

    def update_column_widths(self) -> None:
        """Set the width of columns by their first cells."""
        metrics = QFontMetrics(self.font())
        names = QFontMetrics(bold_font(self.font()))
        for column, profile in enumerate(self._rows.columns[:COLUMNS_MEASURED]):
            texts = [
                self._rows.text(row, column)
                for row in range(min(ROWS_MEASURED, self._rows.rowCount()))
                if self._rows.is_fetched(row)
            ]
            cells_px = max(map(metrics.horizontalAdvance, texts), default=0) + 2 * CELL_SIDE_PX + 4
            name_px = names.horizontalAdvance(profile.name) + ICONS_PX
            wanted = max(cells_px, min(name_px, MAX_COLUMN_PX))
            self.header.resizeSection(column, max(MIN_COLUMN_PX, min(MAX_COLUMN_PX, wanted)))

    @override
    def keyboardSearch(self, search: str) -> None:
        """Ignore typed letters: Qt would search a million rows for each. Ctrl+F searches."""

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.emit_visible_rows()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # The font of the style sheet is applied by now, not earlier.
        self.update_row_height()
        self.update_column_widths()
        self.emit_visible_rows()

    def _select(self, top: int, left: int, bottom: int, right: int) -> None:
        if top < 0 or left < 0 or bottom < top:
            return
        area = QItemSelection(self._rows.index(top, left), self._rows.index(bottom, right))
        self.selectionModel().select(area, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _on_scrolled(self, _value: int) -> None:
        self.emit_visible_rows()


class CellDelegate(QStyledItemDelegate):
    """Paints cells itself: through the style sheet a screenful takes ten times as long."""

    def __init__(self, model: RowsModel, grid: QTableView) -> None:
        super().__init__(grid)
        self._rows = model
        self._grid = grid
        self.highlighted = ""
        self._max_character_px = 0
        theme().register(self._restyle)

    def _restyle(self) -> None:
        palette = theme().palette
        self._text = QColor(palette.text)
        self._quiet = QColor(palette.quiet)
        self._alternate = QColor(palette.panel)
        self._selected = QColor(mix(palette.card, palette.accent, 0.18))
        self._found = QColor(mix(palette.card, palette.series[1], 0.5))
        self._frame = QPen(QColor(palette.accent), 2)

    def clear_metrics(self) -> None:
        """Drop cached font metrics."""
        self._max_character_px = 0

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row, column = index.row(), index.column()
        place: QRect = option.rect
        if option.state & State.State_Selected:
            painter.fillRect(place, self._selected)
        elif row % 2:
            painter.fillRect(place, self._alternate)
        metrics = option.fontMetrics
        if not self._max_character_px:
            self._max_character_px = metrics.horizontalAdvance("W")
        text = visible(self._rows.text(row, column))
        left, room_px = place.left() + CELL_SIDE_PX, place.width() - 2 * CELL_SIDE_PX
        # Measuring costs as much as drawing: skip it for text that would fit even in capitals.
        if len(text) * self._max_character_px > room_px:
            text = elided(text, metrics, room_px)
        if self._rows.is_right_aligned(column):
            left += room_px - metrics.horizontalAdvance(text)
        if self.highlighted:
            self._paint_matches(painter, place, left, text, metrics)
        painter.setPen(self._quiet if self._rows.is_missing(row, column) else self._text)
        # Draw from a point: drawing into a rectangle takes twice as long.
        base = place.top() + (place.height() + metrics.ascent() - metrics.descent()) // 2
        painter.drawText(left, base, text)
        # Selected cells are highlighted even while the search line has the focus.
        if index == self._grid.currentIndex():
            painter.setPen(self._frame)
            painter.drawRect(place.adjusted(1, 1, -1, -1))

    def _paint_matches(
        self, painter: QPainter, place: QRect, start: int, text: str, metrics: QFontMetrics
    ) -> None:
        """Paint a background behind each occurrence of the words."""
        folded = fold_in_place(text)
        top = place.center().y() - metrics.height() // 2
        at = folded.find(self.highlighted)
        while at >= 0:
            left = start + metrics.horizontalAdvance(text[:at])
            width = metrics.horizontalAdvance(text[at : at + len(self.highlighted)])
            painter.fillRect(QRect(left, top, width, metrics.height()), self._found)
            at = folded.find(self.highlighted, at + len(self.highlighted))
