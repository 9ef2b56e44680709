"""The first rows of a sheet as they stand in the file, and where its header and types are set."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile, ImportReport
from qhub_desktop.core.table import ColumnType
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.type_names import TYPE_NAMES
from qhub_desktop.ui.importing.columns import place_of
from qhub_desktop.ui.importing.head_model import HeadModel, Rows
from qhub_desktop.ui.theme import Palette

TYPES: tuple[ColumnType, ...] = ("text", "integer", "number", "date", "datetime", "boolean")
_WIDEST_PX = 220
_NARROWEST_PX = 72
_MEASURED = 40  # columns, and characters of each: thousands would hold up the window


class HeadView(QTableView):
    """A row's number makes it the header, a column's head opens its types.

    By keyboard: H makes the current row the header, T opens the current column's types.

    Signals:
        header_chosen: the row, from 1, that is to hold the names.
        types_chosen: the person wants a column to be of another type.
    """

    header_chosen = Signal(int)
    types_chosen = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self.head = HeadModel(palette)
        self.setModel(self.head)
        self.setAccessibleName(_("The first rows as they stand in the file"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setSectionsClickable(True)
        rows.setHighlightSections(False)
        rows.setCursor(Qt.CursorShape.PointingHandCursor)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.sectionClicked.connect(lambda row: self.header_chosen.emit(row + 1))
        columns.setSectionsClickable(True)
        columns.setHighlightSections(False)
        columns.setCursor(Qt.CursorShape.PointingHandCursor)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        columns.sectionClicked.connect(self.open_types)
        self.menu: QMenu | None = None

    def fill(self, rows: Rows, profile: DatasetProfile, report: ImportReport) -> None:
        """Show the head of another sheet."""
        self.head.fill(rows, profile, report)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        # Qt would ask for every role of every cell.
        metrics = self.fontMetrics()
        for column in range(min(self.head.columnCount(), _MEASURED)):
            width = metrics.horizontalAdvance(self.head.longest(column)[:_MEASURED]) + 20
            self.setColumnWidth(column, max(_NARROWEST_PX, min(width, _WIDEST_PX)))

    def look_at(self, cell: str) -> bool:
        """Go to a cell of the file, by its address; false if it is not among these rows."""
        place = place_of(cell)
        if place is None or place[0] > self.head.rowCount() or place[1] >= self.head.columnCount():
            return False
        index = self.head.index(place[0] - 1, place[1])
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.setFocus()
        return True

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        self.head.set_palette(palette)

    def open_types(self, column: int) -> None:
        """Offer what a column may hold."""
        known = self.head.type_of(column)
        if known is None:
            return
        header = self.horizontalHeader()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        group = QActionGroup(menu)
        self._add_type(menu, group, column, None, is_chosen=not known[1])
        menu.addSeparator()
        for type_ in TYPES:
            self._add_type(menu, group, column, type_, is_chosen=known == (type_, True))
        self.menu = menu
        menu.destroyed.connect(self._on_menu_destroyed)
        below = QPoint(header.sectionViewportPosition(column), header.height())
        menu.popup(header.mapToGlobal(below))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if index.isValid() and event.key() == Qt.Key.Key_H:
            self.header_chosen.emit(index.row() + 1)
        elif index.isValid() and event.key() == Qt.Key.Key_T:
            self.open_types(index.column())
        else:
            super().keyPressEvent(event)

    def _add_type(
        self,
        menu: QMenu,
        group: QActionGroup,
        column: int,
        type_: ColumnType | None,
        *,
        is_chosen: bool,
    ) -> None:
        words = _("Let the program decide") if type_ is None else _(TYPE_NAMES[type_])
        action = QAction(words, menu)
        action.setCheckable(True)
        action.setChecked(is_chosen)
        group.addAction(action)
        menu.addAction(action)
        action.triggered.connect(lambda: self._on_type_chosen(column, type_))

    def _on_type_chosen(self, column: int, type_: ColumnType | None) -> None:
        self.head.choose(column, type_)
        self.types_chosen.emit()

    def _on_menu_destroyed(self) -> None:
        self.menu = None
