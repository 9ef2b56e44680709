"""A table on the screen: sorted by a click, searched, copied as Excel likes it."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QAction,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.ui.copying import copy_table
from qhub_desktop.ui.theme import GRID_PX, Palette
from qhub_desktop.ui.widgets.table_model import TableModel

ROWS_WITHOUT_SEARCH = 12
ROWS_IN_CARD = 12
WIDEST_COLUMN_PX = 320
NARROWEST_COLUMN_PX = 56
ROWS_MEASURED = 60  # for the columns' widths
CELL_PAD_PX = 26
CELL_SIDE_PX = 5  # Qt adds three of its own, which makes the header's eight
ROW_PAD_PX = 11


class TableWidget(QWidget):
    """One table, read only. Ctrl+F searches, Ctrl+C copies what is selected with its headers."""

    def __init__(self, table: Table, palette: Palette, *, row_count: int | None = None) -> None:
        super().__init__()
        self._table = table
        self._row_count = len(table.rows) if row_count is None else row_count
        self._model = TableModel(table, palette, self)
        self._view = _View()
        self._view.setModel(self._model)
        self._search = QLineEdit()
        self._line = QLabel()
        self._most_rows: int | None = None
        self._build()
        self.set_palette(palette)
        self._say_rows()

    @property
    def view(self) -> QTableView:
        """The grid itself."""
        return self._view

    @property
    def search(self) -> QLineEdit:
        """Where words are typed that the rows in sight must hold."""
        return self._search

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._model.set_palette(palette)

    def shown(self) -> Table:
        """The rows in sight, in the order in which they are."""
        rows = range(self._model.rowCount())
        columns = range(self._model.columnCount())
        return Table(
            self._table.columns,
            tuple(tuple(self._model.value(row, column) for column in columns) for row in rows),
        )

    def selected(self) -> Table:
        """The selected cells' rows and columns; all in sight where nothing is selected."""
        indexes = self._view.selectionModel().selectedIndexes()
        if not indexes:
            return self.shown()
        rows = sorted({each.row() for each in indexes})
        header = self._view.horizontalHeader()
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

    def copy(self) -> None:
        """Put what is selected on the clipboard."""
        copy_table(self.selected())

    def open_search(self) -> None:
        """Show the search box and type in it."""
        self._search.show()
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()

    def fit_rows(self, most: int = ROWS_IN_CARD) -> None:
        """Be as high as the rows need, up to `most` of them; then scroll."""
        self._most_rows = most
        self._fit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Only now have the rows the font and the header the padding of the style sheet.
        self._view.size_rows()
        self._fit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._search.hasFocus():
            self._search.clear()
            self._view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        super().keyPressEvent(event)

    @override
    def sizeHint(self) -> QSize:
        return QSize(640, super().sizeHint().height())

    def _build(self) -> None:
        self._view.setAccessibleName(_("Table"))
        self._search.setPlaceholderText(_("Search in the rows"))
        self._search.setAccessibleName(_("Search in the rows"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._on_text_changed)
        self._search.setVisible(len(self._table.rows) > ROWS_WITHOUT_SEARCH)
        self._line.setProperty("role", "small")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID_PX)
        column.addWidget(self._search)
        column.addWidget(self._view, 1)
        column.addWidget(self._line)
        self._add_action(_("Copy"), QKeySequence.StandardKey.Copy, self.copy)
        self._add_action(_("Search"), QKeySequence.StandardKey.Find, self.open_search)
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._size_columns()

    def _fit(self) -> None:
        if self._most_rows is None:
            return
        rows = max(1, min(self._most_rows, len(self._table.rows)))
        header = self._view.horizontalHeader()
        columns_px = sum(header.sectionSize(each) for each in range(header.count() - 1))
        columns_px += header.minimumSectionSize()
        bar = self._view.horizontalScrollBar()
        bar_px = bar.sizeHint().height() if columns_px > self._view.width() else 0
        row_px = self._view.verticalHeader().defaultSectionSize()
        edges_px = 2 * self._view.frameWidth()
        self._view.setFixedHeight(header.sizeHint().height() + rows * row_px + bar_px + edges_px)

    def _add_action(
        self, words: str, keys: QKeySequence.StandardKey, does: Callable[[], None]
    ) -> None:
        action = QAction(words, self)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(does)
        self.addAction(action)
        self._view.addAction(action)

    def _on_text_changed(self, words: str) -> None:
        self._model.show_only(words)
        self._say_rows()

    def _size_columns(self) -> None:
        metrics = QFontMetrics(self._view.font())
        header = self._view.horizontalHeader()
        for column in range(self._model.columnCount()):
            texts = [
                self._model.text(row, column)
                for row in range(min(ROWS_MEASURED, self._model.rowCount()))
            ]
            texts.append(self._table.columns[column].name + "  ")
            widest = max(map(metrics.horizontalAdvance, texts)) + CELL_PAD_PX
            header.resizeSection(column, max(NARROWEST_COLUMN_PX, min(WIDEST_COLUMN_PX, widest)))

    def _say_rows(self) -> None:
        """That there are more rows than are shown; nothing where all are."""
        seen, held = self._model.rowCount(), len(self._table.rows)
        words = ""
        if self._search.text().strip():
            words = _("{count} of {held} rows").format(count=number(seen), held=number(held))
        elif held < self._row_count:
            words = _("first {count} of {total} rows").format(
                count=number(held), total=number(self._row_count)
            )
        self._line.setText(words)
        self._line.setVisible(bool(words))


class _View(QTableView):
    """A quiet grid: no lines down, room in the rows, the wheel passed on at the ends."""

    def __init__(self) -> None:
        super().__init__()
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {CELL_SIDE_PX}px; border: none; }}")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table; the arrows move in it
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.size_rows()
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def size_rows(self) -> None:
        """Give the rows the height that the font needs."""
        row_px = QFontMetrics(self.font()).height() + ROW_PAD_PX
        if self.verticalHeader().defaultSectionSize() != row_px:
            self.verticalHeader().setDefaultSectionSize(row_px)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        bar = self.verticalScrollBar()
        down = event.angleDelta().y() < 0
        if event.angleDelta().y() and bar.value() == (bar.maximum() if down else bar.minimum()):
            event.ignore()
            return
        super().wheelEvent(event)
