"""The first rows of a sheet as they stand in the file, coloured by what they were taken for."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QIcon
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile, ImportReport
from qhub_desktop.core.table import ColumnType
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.type_names import TYPE_NAMES
from qhub_desktop.ui.column_view import TYPE_ICONS
from qhub_desktop.ui.icons import icon
from qhub_desktop.ui.importing.columns import letters, names_by_place, places_of
from qhub_desktop.ui.theme import Palette, mix

Index = QModelIndex | QPersistentModelIndex
Rows = Sequence[Sequence[str]]
_NOWHERE = QModelIndex()


class HeadModel(QAbstractTableModel):
    """The file's rows and columns, coloured by what they were taken for."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._brushes = _brushes(palette)
        self._rows: Rows = ()
        self._width = 0
        self._apart: set[int] = set()
        self._marked: dict[tuple[int, int], str] = {}  # by place, the colour's name
        self._header: tuple[int, int] = (0, 0)
        self._names: dict[int, str] = {}
        self._types: dict[str, ColumnType] = {}
        self._chosen: dict[str, ColumnType] = {}

    def fill(self, rows: Rows, profile: DatasetProfile, report: ImportReport) -> None:
        """Show the head of another sheet."""
        self.beginResetModel()
        self._rows = rows
        self._width = max((len(row) for row in rows), default=0)
        self._apart = {
            row
            for each in report.set_apart
            for row in range(each.row, min(each.last_row, len(rows)) + 1)
        }
        self._marked = {
            place: colour
            for colour, findings in (("good", report.repaired), ("warn", report.doubtful))
            for finding in findings
            for cells in finding.cells
            for place in places_of(cells, rows=len(rows), columns=self._width)
        }
        self._types = {column.name: column.type for column in profile.columns}
        self._names = names_by_place(rows, profile, report)
        self._chosen = dict(report.choices.types)
        first = (report.header_row or 0) - max(report.header_rows, 1) + 1
        self._header = (max(first, 0), report.header_row or 0)
        self.endResetModel()

    @property
    def header(self) -> tuple[int, int]:
        """The first and the last row of the header, from 1; zeros if there is none."""
        return self._header

    @property
    def chosen_types(self) -> tuple[tuple[str, ColumnType], ...]:
        """The types that the person wants, by the column's name."""
        return tuple(self._chosen.items())

    def longest(self, column: int) -> str:
        """About the widest text of a column."""
        texts = (row[column] for row in self._rows if column < len(row))
        said = str(self._column_header(column, Qt.ItemDataRole.DisplayRole)).splitlines()
        return max((*texts, f"{said[-1]}-------"), key=len)

    def set_header(self, first: int, last: int) -> None:
        """Show these rows as the header."""
        self._header = (first, last)
        self._repaint()

    def choose(self, column: int, type_: ColumnType | None) -> None:
        """Want a column to be of this type; nothing lets the program decide."""
        name = self._names.get(column)
        if name is None:
            return
        self._chosen.pop(name, None)
        if type_ is not None:
            self._chosen[name] = type_
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, column, column)

    def type_of(self, column: int) -> tuple[ColumnType, bool] | None:
        """What a column is or is to be, and whether the person said so; none if it is left out."""
        name = self._names.get(column)
        if name is None or name not in self._types:
            return None
        return self._chosen.get(name, self._types[name]), name in self._chosen

    def set_palette(self, palette: Palette) -> None:
        """Draw in these colours."""
        self._palette = palette
        self._brushes = _brushes(palette)
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
            return " ".join(cells[column].split()) if column < len(cells) else ""
        if role == Qt.ItemDataRole.ToolTipRole:
            cells = self._rows[row]
            return cells[column] if column < len(cells) else None
        if role == Qt.ItemDataRole.ForegroundRole:
            is_plain = row + 1 not in self._apart or self._is_header(row + 1)
            return self._brushes["text" if is_plain else "quiet"]
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._ground(row + 1, column)
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
            return _("Take row {row} as the header").format(row=section + 1)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _column_header(self, section: int, role: int) -> object:
        known = self.type_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            said = _(TYPE_NAMES[known[0]]) if known else _("left out")
            return f"{letters(section)}\n{said}"
        if role == Qt.ItemDataRole.DecorationRole and known:
            colour = self._palette.accent if known[1] else self._palette.quiet
            return QIcon(icon(TYPE_ICONS[known[0]], colour, size_px=16))
        if role == Qt.ItemDataRole.ForegroundRole:
            is_chosen = known is not None and known[1]
            return self._brushes["accent" if is_chosen else "quiet"]
        if role == Qt.ItemDataRole.ToolTipRole and known:
            name = self._names[section]
            return _("{column}: choose what it holds").format(column=name)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def _is_header(self, row: int) -> bool:
        first, last = self._header
        return first <= row <= last

    def _ground(self, row: int, column: int) -> QBrush | None:
        if self._is_header(row):
            return self._brushes["header"]
        colour = self._marked.get((row, column))
        if colour is not None:
            return self._brushes[colour]
        return self._brushes["apart"] if row in self._apart else None

    def _repaint(self) -> None:
        if self._rows and self._width:
            last = self.index(len(self._rows) - 1, self._width - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(self._rows) - 1)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self._width - 1)


def _brushes(palette: Palette) -> dict[str, QBrush]:
    """Made once: a cell is asked for its colours at every painting."""
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
