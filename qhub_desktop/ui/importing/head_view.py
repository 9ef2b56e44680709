"""View of the first rows of a sheet as in the file, to choose the header and the types."""

import re
from collections.abc import Iterator, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QActionGroup, QBrush, QColor, QFont, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView
from typing_extensions import override

from qhub_desktop.core.dataset import TYPE_NAMES, DatasetProfile, ImportReport
from qhub_desktop.core.table import ColumnType
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import icon
from qhub_desktop.ui.controls.column_summary import TYPE_ICONS
from qhub_desktop.ui.controls.plain_text import make_action, one_line, tooltip
from qhub_desktop.ui.controls.popup import make_menu
from qhub_desktop.ui.theme import Palette, mix, theme

_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def column_letters(column: int) -> str:
    """Convert a column index from 0 to its Excel letters."""
    said = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        said = chr(ord("A") + rest) + said
    return said


def parse_address(cell: str) -> tuple[int, int] | None:
    """Parse a cell address, or the first corner of a range; return row from 1, column from 0."""
    found = _ADDRESS.match(cell)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column - 1


def cells_in_range(cells: str, *, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Yield the cells of an address or range that are within the first rows and columns."""
    first, _colon, last = cells.partition(":")
    corner, end = parse_address(first), parse_address(last or first)
    if corner is None or end is None:
        return
    for row in range(corner[0], min(end[0], rows) + 1):
        for column in range(corner[1], min(end[1], columns - 1) + 1):
            yield row, column


def names_by_column(
    rows: Sequence[Sequence[str]], profile: DatasetProfile, report: ImportReport
) -> dict[int, str]:
    """Map column indexes in the file to the names of the data set's columns.

    Columns that the first rows do not identify are missing.
    """
    names = [column.name for column in profile.columns]
    width = max((len(row) for row in rows), default=0)
    if width == len(names):
        return dict(enumerate(names))
    filled = [
        column
        for column in range(width)
        if any(column < len(row) and row[column].strip() for row in rows)
    ]
    if len(filled) == len(names):
        return dict(zip(filled, names, strict=True))
    return _by_header(_header(rows, report), names)


def _header(rows: Sequence[Sequence[str]], report: ImportReport) -> list[str]:
    row = report.header_row or 0
    return [cell.strip() for cell in rows[row - 1]] if 0 < row <= len(rows) else []


def _by_header(header: Sequence[str], names: Sequence[str]) -> dict[int, str]:
    """Match names to header cells from left to right, each to the next cell it may come from."""
    found: dict[int, str] = {}
    start = 0
    for name in names:
        for place in range(start, len(header)):
            if header[place] and header[place] in name:
                found[place] = name
                start = place + 1
                break
    return found


Index = QModelIndex | QPersistentModelIndex
Rows = Sequence[Sequence[str]]
_NOWHERE = QModelIndex()


_OF_TABLES = ("tables_read_apart", "several_tables")  # findings whose cells are whole tables


class HeadModel(QAbstractTableModel):
    """Model of the first rows and columns of the file, coloured by how they were read."""

    def __init__(self) -> None:
        super().__init__()
        self._brushes = _brushes(theme().palette)
        self._rows: Rows = ()
        self._width = 0
        self._excluded_rows: set[int] = set()
        self._marked: dict[tuple[int, int], str] = {}  # the colour's name by row and column
        self._header: tuple[int, int] = (0, 0)
        self._names: dict[int, str] = {}
        self._types: dict[str, ColumnType] = {}
        self._chosen: dict[str, ColumnType] = {}
        theme().on_change(self._restyle)

    def fill(self, rows: Rows, profile: DatasetProfile, report: ImportReport) -> None:
        """Show the first rows of another sheet."""
        self.beginResetModel()
        self._rows = rows
        self._width = max((len(row) for row in rows), default=0)
        self._excluded_rows = {
            row
            for each in report.set_apart
            for row in range(each.row, min(each.last_row, len(rows)) + 1)
        }
        self._marked = {
            place: colour
            for colour, findings in (("good", report.repaired), ("warn", report.doubtful))
            for finding in findings
            if finding.kind not in _OF_TABLES
            for cells in finding.cells
            for place in cells_in_range(cells, rows=len(rows), columns=self._width)
        }
        self._types = {column.name: column.type for column in profile.columns}
        self._names = names_by_column(rows, profile, report)
        self._chosen = dict(report.choices.types)
        first = (report.header_row or 0) - max(report.header_rows, 1) + 1
        self._header = (max(first, 0), report.header_row or 0)
        self.endResetModel()

    @property
    def header(self) -> tuple[int, int]:
        """First and last row of the header, from 1; zeros if there is none."""
        return self._header

    @property
    def chosen_types(self) -> tuple[tuple[str, ColumnType], ...]:
        """Types that the person chose, with the names of their columns."""
        return tuple(self._chosen.items())

    def longest_text(self, column: int) -> str:
        """Return the longest text of a column by characters, to size the column by."""
        texts = (row[column] for row in self._rows if column < len(row))
        said = str(self._column_header(column, Qt.ItemDataRole.DisplayRole)).splitlines()
        return max((*texts, f"{said[-1]}-------"), key=len)

    def set_header(self, first: int, last: int) -> None:
        """Mark these rows as the header."""
        self._header = (first, last)
        self._repaint()

    def set_type(self, column: int, type_: ColumnType | None) -> None:
        """Choose the type of a column; None lets the program detect it."""
        name = self._names.get(column)
        if name is None:
            return
        self._chosen.pop(name, None)
        if type_ is not None:
            self._chosen[name] = type_
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, column, column)

    def type_of(self, column: int) -> tuple[ColumnType, bool] | None:
        """Return the type of a column, and whether the person chose it.

        None if the column is not part of the data set.
        """
        name = self._names.get(column)
        if name is None or name not in self._types:
            return None
        return self._chosen.get(name, self._types[name]), name in self._chosen

    def _restyle(self) -> None:
        self._brushes = _brushes(theme().palette)
        self._repaint()

    @override
    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    @override
    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else self._width

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            cells = self._rows[row]
            return one_line(cells[column]) if column < len(cells) else ""
        if role == Qt.ItemDataRole.ToolTipRole:
            cells = self._rows[row]
            return tooltip(cells[column]) if column < len(cells) else None
        if role == Qt.ItemDataRole.ForegroundRole:
            is_plain = row + 1 not in self._excluded_rows or self._is_header(row + 1)
            return self._brushes["text" if is_plain else "quiet"]
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._background(row + 1, column)
        if role == Qt.ItemDataRole.FontRole and self._is_header(row + 1):
            bold = QFont()
            bold.setWeight(QFont.Weight.DemiBold)
            return bold
        return None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Vertical:
            return self._row_header(section, role)
        return self._column_header(section, role)

    def _row_header(self, section: int, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return str(section + 1)
        if role == Qt.ItemDataRole.ForegroundRole and self._is_header(section + 1):
            return self._brushes["accent"]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(_("Take row {row} as the header").format(row=section + 1))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _column_header(self, section: int, role: int) -> object:
        palette = theme().palette
        known = self.type_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            said = _(TYPE_NAMES[known[0]]) if known else _("left out")
            return f"{column_letters(section)}\n{said}"
        if role == Qt.ItemDataRole.DecorationRole and known:
            colour = palette.accent if known[1] else palette.quiet
            return icon(TYPE_ICONS[known[0]], colour, size_px=16)
        if role == Qt.ItemDataRole.ForegroundRole:
            is_chosen = known is not None and known[1]
            return self._brushes["accent" if is_chosen else "quiet"]
        if role == Qt.ItemDataRole.ToolTipRole and known:
            name = self._names[section]
            return tooltip(_("{column}: choose what it holds").format(column=name))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def _is_header(self, row: int) -> bool:
        first, last = self._header
        return first <= row <= last

    def _background(self, row: int, column: int) -> QBrush | None:
        if self._is_header(row):
            return self._brushes["header"]
        colour = self._marked.get((row, column))
        if colour is not None:
            return self._brushes[colour]
        return self._brushes["apart"] if row in self._excluded_rows else None

    def _repaint(self) -> None:
        if self._rows and self._width:
            last = self.index(len(self._rows) - 1, self._width - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(self._rows) - 1)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self._width - 1)


def _brushes(palette: Palette) -> dict[str, QBrush]:
    """Create the brushes once: the view asks every cell for its colours at every painting."""
    colours = {
        "text": palette.text,
        "quiet": palette.quiet,
        "accent": palette.accent,
        "header": mix(palette.card, palette.accent, 0.16),
        "good": mix(palette.card, palette.good, 0.11),
        "warn": mix(palette.card, palette.warn, 0.11),
        "apart": palette.panel,
    }
    return {name: QBrush(QColor(colour)) for name, colour in colours.items()}


TYPES: tuple[ColumnType, ...] = ("text", "integer", "number", "date", "datetime", "time", "boolean")
_MAX_PX = 220
_MIN_PX = 72
_MAX_MEASURED = 40  # columns, and characters of each: thousands would hold up the window


class HeadView(QTableView):
    """Table view: clicking a row number makes it the header, a column heading opens its types.

    By keyboard: H makes the current row the header, T opens the types of the current column.

    Signals:
        header_chosen: the row, from 1, that holds the names.
        types_chosen: the person chose another type for a column.
    """

    header_chosen = Signal(int)
    types_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.head_model = HeadModel()
        self.setModel(self.head_model)
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
        """Show the first rows of another sheet."""
        self.head_model.fill(rows, profile, report)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        # Qt would ask for every role of every cell.
        metrics = self.fontMetrics()
        for column in range(min(self.head_model.columnCount(), _MAX_MEASURED)):
            width = (
                metrics.horizontalAdvance(self.head_model.longest_text(column)[:_MAX_MEASURED]) + 20
            )
            self.setColumnWidth(column, max(_MIN_PX, min(width, _MAX_PX)))

    def go_to_cell(self, cell: str) -> bool:
        """Select a cell by its address; return False if it is not among the first rows."""
        place = parse_address(cell)
        if (
            place is None
            or place[0] > self.head_model.rowCount()
            or place[1] >= self.head_model.columnCount()
        ):
            return False
        index = self.head_model.index(place[0] - 1, place[1])
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.setFocus()
        return True

    def open_types(self, column: int) -> None:
        """Open the menu of types for a column."""
        known = self.head_model.type_of(column)
        if known is None:
            return
        header = self.horizontalHeader()
        menu = make_menu(self)
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
        action = make_action(words, menu)
        action.setCheckable(True)
        action.setChecked(is_chosen)
        group.addAction(action)
        menu.addAction(action)
        action.triggered.connect(lambda: self._on_type_chosen(column, type_))

    def _on_type_chosen(self, column: int, type_: ColumnType | None) -> None:
        self.head_model.set_type(column, type_)
        self.types_chosen.emit()

    def _on_menu_destroyed(self) -> None:
        self.menu = None
