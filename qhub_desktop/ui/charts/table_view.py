"""The table of a widget and its model: sorting, searching, copying."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QTableView,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.dataset import TYPE_NAMES
from qhub_desktop.core.figure import EPOCH
from qhub_desktop.core.table import Cell, Table, is_numeric
from qhub_desktop.core.text import aligned, decimals_of, number
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.export.text_tables import bare_cell_text
from qhub_desktop.ui.controls.buttons import add_clear_button
from qhub_desktop.ui.controls.layouts import column_of, make_label
from qhub_desktop.ui.controls.plain_text import make_action, one_line, tooltip
from qhub_desktop.ui.controls.popup import types_text
from qhub_desktop.ui.controls.saving import copy_table
from qhub_desktop.ui.theme import theme

AnyIndex = QModelIndex | QPersistentModelIndex
MISSING = "–"
ROOT_INDEX = QModelIndex()
Role = Qt.ItemDataRole


class TableModel(QAbstractTableModel):
    """Read-only model of a table, sorted and filtered by words.

    It sorts the values itself: a QSortFilterProxyModel would call Python to compare every
    pair, 0.4 s for 10,000 rows.
    """

    def __init__(self, table: Table, parent: QObject) -> None:
        super().__init__(parent)
        self._table = table
        self._order: Sequence[int] = range(len(table.rows))
        self._sorted: tuple[int, Qt.SortOrder] | None = None
        self._filter_words: list[str] = []
        self._search_texts: list[str] | None = None
        self._digits = [decimals_of(table, column) for column in range(len(table.columns))]

    @property
    def table(self) -> Table:
        """The whole table."""
        return self._table

    def set_filter(self, words: str) -> None:
        """Show only rows that contain every word; all rows without words."""
        self._filter_words = words.casefold().split()
        self._update_order()

    def value(self, row: int, column: int) -> Cell:
        """Return a cell of the shown rows."""
        return self._table.rows[self._order[row]][column]

    def source_row(self, row: int) -> int:
        """Return which row of the whole table a shown row is."""
        return self._order[row]

    def text(self, row: int, column: int) -> str:
        """Return a cell of the shown rows as text."""
        value = self.value(row, column)
        if value is None:
            return MISSING
        if isinstance(value, float):
            return aligned(value, self._digits[column])
        return cell_text(value)

    @override
    def rowCount(self, parent: AnyIndex = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else len(self._order)

    @override
    def columnCount(self, parent: AnyIndex = ROOT_INDEX) -> int:
        return 0 if parent.isValid() else len(self._table.columns)

    @override
    def data(self, index: AnyIndex, role: int = Role.DisplayRole) -> object:
        match role:
            case Role.DisplayRole:
                return one_line(self.text(index.row(), index.column()))
            case Role.ToolTipRole:
                text = self.text(index.row(), index.column())
                return tooltip(text) if len(text) > 24 else None
            case Role.TextAlignmentRole:
                return self._alignment(index.column())
            case Role.ForegroundRole:
                is_missing = self.value(index.row(), index.column()) is None
                return QColor(theme().palette.quiet) if is_missing else None
            case Role.UserRole:
                return self.value(index.row(), index.column())
            case _:
                return None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Vertical:
            return number(section + 1) if role == Role.DisplayRole else None
        column = self._table.columns[section]
        match role:
            case Role.DisplayRole:
                return one_line(column.name)
            case Role.ToolTipRole:
                return tooltip(f"{column.name} · {_(TYPE_NAMES[column.type])}")
            case Role.TextAlignmentRole:
                return self._alignment(section)
            case _:
                return None

    @override
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted = (column, order) if column >= 0 else None
        self._update_order()

    def _update_order(self) -> None:
        self.beginResetModel()
        order = [at for at, text in enumerate(self._row_texts()) if self._matches(text)]
        if self._sorted:
            column, direction = self._sorted
            cells = [row[column] for row in self._table.rows]
            ranks = {at: _sort_key(cell) for at in order if (cell := cells[at]) is not None}
            is_down = direction == Qt.SortOrder.DescendingOrder
            known = sorted(ranks, key=ranks.__getitem__, reverse=is_down)
            # Missing values stay at the end in either order.
            order = [*known, *(at for at in order if at not in ranks)]
        self._order = order
        self.endResetModel()

    def _matches(self, text: str) -> bool:
        return all(word in text for word in self._filter_words)

    def _row_texts(self) -> Sequence[str]:
        """Return each row as one text to search, made at the first search."""
        if not self._filter_words:
            return [""] * len(self._table.rows)
        if self._search_texts is None:
            self._search_texts = [" ".join(map(_search_text, row)) for row in self._table.rows]
        return self._search_texts

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        is_number = is_numeric(self._table.columns[column].type)
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


def _sort_key(cell: str | float | date | time) -> tuple[float, str]:
    """Return the sort key of a cell within its column."""
    if isinstance(cell, str):
        return 0.0, cell.casefold()
    if isinstance(cell, datetime):
        return _timestamp(cell), ""
    if isinstance(cell, date):
        return _timestamp(datetime(cell.year, cell.month, cell.day)), ""
    if isinstance(cell, time):
        return cell.hour * 3600.0 + cell.minute * 60 + cell.second, ""
    return float(cell), ""


def _search_text(cell: Cell) -> str:
    """Return a cell as text to search: as shown, but numbers ungrouped (grouping takes 20 µs
    each).
    """
    match cell:
        case bool() | date() | time():
            return cell_text(cell).casefold()
        case _:
            return bare_cell_text(cell).casefold()


def _timestamp(moment: datetime) -> float:
    return (moment.replace(tzinfo=None) - EPOCH).total_seconds()


ROWS_WITHOUT_SEARCH = 12
MAX_COLUMN_PX = 320
MIN_COLUMN_PX = 56
ROWS_MEASURED = 60  # for the width of columns
CELL_PAD_PX = 26
CELL_SIDE_PX = 5  # Qt adds 3, which makes the 8 of the header
ROW_PAD_PX = 11


class TableWidget(QWidget):
    """Read-only table. Ctrl+F searches, Ctrl+C copies the selection with its headers."""

    def __init__(self, table: Table, *, row_count: int | None = None) -> None:
        super().__init__()
        self._table = table
        self._row_count = len(table.rows) if row_count is None else row_count
        self._model = TableModel(table, self)
        self.view = _View()
        self.view.setModel(self._model)
        self.search = QLineEdit()
        self._row_count_label = make_label()
        self._max_rows: int | None = None
        self._is_filling = False
        self._widths: list[int] = []  # of the columns, before one takes what room is left
        self._wide = 0
        self._build()
        self._update_row_count()

    def visible_table(self) -> Table:
        """Return the shown rows, in their order."""
        rows = range(self._model.rowCount())
        columns = range(self._model.columnCount())
        return Table(
            self._table.columns,
            tuple(tuple(self._model.value(row, column) for column in columns) for row in rows),
        )

    def selected_table(self) -> Table:
        """Return rows and columns of the selected cells; all shown rows without a selection."""
        indexes = self.view.selectionModel().selectedIndexes()
        if not indexes:
            return self.visible_table()
        rows = sorted({each.row() for each in indexes})
        header = self.view.horizontalHeader()
        columns = sorted({each.column() for each in indexes}, key=header.visualIndex)
        chosen = {(each.row(), each.column()) for each in indexes}
        return Table(
            tuple(self._table.columns[column] for column in columns),
            tuple(
                tuple(
                    self._model.value(row, column) if (row, column) in chosen else None
                    for column in columns
                )
                for row in rows
            ),
        )

    def row_of(self, index: AnyIndex) -> int:
        """Return which row of the whole table a place in the view is."""
        return self._model.source_row(index.row())

    def copy(self) -> None:
        """Copy the selection to the clipboard."""
        copy_table(self.selected_table())

    def open_search(self) -> None:
        """Show the search box and focus it."""
        self.search.show()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def fit_rows(self, most: int) -> None:
        """Fit the height to the rows, at most `most` of them."""
        self._max_rows = most
        self._fit_height()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Font and padding of the style sheet are applied by now, not earlier.
        self.view.update_row_height()
        self._fit_height()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.search.hasFocus():
            self.search.clear()
            self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        super().keyPressEvent(event)

    @override
    def sizeHint(self) -> QSize:
        return QSize(640, super().sizeHint().height())

    def _build(self) -> None:
        self.view.setAccessibleName(_("Table"))
        self.search.setPlaceholderText(_("Search in the rows"))
        self.search.setAccessibleName(_("Search in the rows"))
        add_clear_button(self.search)
        self.search.textChanged.connect(self._on_text_changed)
        self.search.setVisible(len(self._table.rows) > ROWS_WITHOUT_SEARCH)
        self._row_count_label.setProperty("role", "small")
        column_of(self.search, (self.view, 1), self._row_count_label, owner=self)
        self._add_action(_("Copy"), QKeySequence.StandardKey.Copy, self.copy)
        self._add_action(_("Search"), QKeySequence.StandardKey.Find, self.open_search)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        header = self.view.horizontalHeader()
        header.setStretchLastSection(False)
        self._update_column_widths()
        # The longest words take what room is left, so that numbers stay beside each other.
        words = [at for at, each in enumerate(self._table.columns) if not is_numeric(each.type)]
        self._wide = max(words, key=self._widths.__getitem__, default=0)
        header.setStretchLastSection(self._wide == header.count() - 1)
        header.sectionResized.connect(self._on_section_resized)
        self.view.resized.connect(self._fill)

    def _fill(self) -> None:
        """Give the room that is left to the column of names."""
        header = self.view.horizontalHeader()
        if header.stretchLastSection() or not self._widths:
            return  # the last column does it, or there is none
        left = self.view.viewport().width() - sum(self._widths)
        self._is_filling = True
        header.resizeSection(self._wide, self._widths[self._wide] + max(0, left))
        self._is_filling = False

    def _on_section_resized(self, column: int, _before: int, width: int) -> None:
        if not self._is_filling:
            self._widths[column] = width

    def _fit_height(self) -> None:
        if self._max_rows is None:
            return
        rows = max(1, min(self._max_rows, len(self._table.rows)))
        header = self.view.horizontalHeader()
        columns_px = sum(self._widths)
        if header.stretchLastSection():
            columns_px += header.minimumSectionSize() - self._widths[-1]
        bar = self.view.horizontalScrollBar()
        bar_px = bar.sizeHint().height() if columns_px > self.view.width() else 0
        row_px = self.view.verticalHeader().defaultSectionSize()
        edges_px = 2 * self.view.frameWidth()
        self.view.setFixedHeight(header.sizeHint().height() + rows * row_px + bar_px + edges_px)

    def _add_action(
        self, words: str, keys: QKeySequence.StandardKey, does: Callable[[], None]
    ) -> None:
        action = make_action(words, self)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(does)
        self.addAction(action)
        self.view.addAction(action)

    def _on_text_changed(self, words: str) -> None:
        self._model.set_filter(words)
        self._update_row_count()

    def _update_column_widths(self) -> None:
        font = QFont(self.view.font())
        metrics = QFontMetrics(font)
        font.setWeight(QFont.Weight.DemiBold)  # as the theme has headers
        name_metrics = QFontMetrics(font)
        header = self.view.horizontalHeader()
        for column in range(self._model.columnCount()):
            texts = (
                self._model.text(row, column)
                for row in range(min(ROWS_MEASURED, self._model.rowCount()))
            )
            name_px = name_metrics.horizontalAdvance(self._table.columns[column].name + "  ")
            widest = max([name_px, *map(metrics.horizontalAdvance, texts)]) + CELL_PAD_PX
            self._widths.append(max(MIN_COLUMN_PX, min(MAX_COLUMN_PX, widest)))
            header.resizeSection(column, self._widths[-1])

    def _update_row_count(self) -> None:
        """Show how many rows there are if not all are shown."""
        seen, held = self._model.rowCount(), len(self._table.rows)
        words = ""
        if self.search.text().strip():
            words = _("{count} of {held} rows").format(count=number(seen), held=number(held))
        elif held < self._row_count:
            words = _("first {count} of {total} rows").format(
                count=number(held), total=number(self._row_count)
            )
        self._row_count_label.setText(words)
        self._row_count_label.setVisible(bool(words))


class _View(QTableView):
    """Table view without vertical lines; passes the wheel on when it cannot scroll further.

    Signals:
        resized: it has another size.
    """

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {CELL_SIDE_PX}px; border: none; }}")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table; the arrow keys move in it
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.update_row_height()
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # long names differ at their ends
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def update_row_height(self) -> None:
        """Set the height of rows by the font."""
        row_px = QFontMetrics(self.font()).height() + ROW_PAD_PX
        if self.verticalHeader().defaultSectionSize() != row_px:
            self.verticalHeader().setDefaultSectionSize(row_px)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if types_text(event):
            event.ignore()  # it is for the question
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        bar = self.verticalScrollBar()
        down = event.angleDelta().y() < 0
        if event.angleDelta().y() and bar.value() == (bar.maximum() if down else bar.minimum()):
            event.ignore()
            return
        super().wheelEvent(event)
