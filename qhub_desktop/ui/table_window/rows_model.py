"""What the grid asks: how many rows there are, and what the cells in sight say."""

from collections.abc import Sequence
from decimal import Decimal

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from typing_extensions import override

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.table import Cell, is_numeric
from qhub_desktop.core.text import cell as cell_text
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.type_names import TYPE_NAMES
from qhub_desktop.ui.table_window.numerals import numeral
from qhub_desktop.ui.table_window.row_cache import RowCache
from qhub_desktop.ui.widgets.table_model import MISSING, NOWHERE

AnyIndex = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

WAITING = "…"
MOST_DIGITS = 4  # that a column shows in every cell; a cell with more shows its own
LONGEST = 400  # characters of a cell that are drawn
TOOLTIP_FROM = 24


class RowsModel(QAbstractTableModel):
    """Rows as the cache has them; those that are on their way say so."""

    def __init__(self, profile: DatasetProfile, cache: RowCache) -> None:
        super().__init__()
        self._columns = profile.columns
        self.known_rows = profile.rows
        self._cache = cache
        self._digits = [_digits(list(profile.preview.cells(each.name))) for each in self._columns]
        self._are_right = [is_numeric(each.type) for each in self._columns]
        self._texts: dict[tuple[int, int], str] = {}
        cache.arrived.connect(self._on_arrived)

    @property
    def columns(self) -> tuple[ColumnProfile, ...]:
        """What is known of the columns."""
        return self._columns

    def reset(self) -> None:
        """Everything is another now."""
        self.beginResetModel()
        self._texts.clear()
        self.endResetModel()

    def value(self, row: int, column: int) -> Cell:
        """A cell that is there; nothing for one that is not there yet."""
        found = self._cache.row(row)
        return None if found is None else found[column]

    def is_there(self, row: int) -> bool:
        """Whether the row has come."""
        return self._cache.row(row) is not None

    def is_missing(self, row: int, column: int) -> bool:
        """Whether nothing stands in the cell, or nothing yet."""
        return self.value(row, column) is None

    def text(self, row: int, column: int) -> str:
        """A cell as it is drawn: one line."""
        known = self._texts.get((row, column))
        if known is not None:
            return known
        found = self._cache.row(row)
        if found is None:
            return WAITING
        if len(self._texts) > 20_000:
            self._texts.clear()
        text = " ".join(self.whole_text(found[column], column)[:LONGEST].split("\n"))
        self._texts[row, column] = text
        return text

    def whole_text(self, value: Cell, column: int) -> str:
        """A value of that column as the person reads it, nothing rounded."""
        match value:
            case None:
                return MISSING
            case int() if not isinstance(value, bool):
                return numeral(value, digits=0)
            case float() if value - value == 0:  # neither infinite nor not-a-number
                return numeral(value, digits=max(self._digits[column], _decimals(value)))
            case _:
                return cell_text(value)

    def is_right(self, column: int) -> bool:
        """Whether its cells stand at the right, as numbers do, under each other."""
        return self._are_right[column]

    @override
    def rowCount(self, parent: AnyIndex = NOWHERE) -> int:
        return 0 if parent.isValid() else self._cache.total

    @override
    def columnCount(self, parent: AnyIndex = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    @override
    def data(self, index: AnyIndex, role: int = Role.DisplayRole) -> object:
        match role:
            case Role.DisplayRole:
                return self.text(index.row(), index.column())
            case Role.ToolTipRole:
                text = self.whole_text(self.value(index.row(), index.column()), index.column())
                return text[: 5 * LONGEST] if len(text) > TOOLTIP_FROM else None
            case Role.TextAlignmentRole:
                is_right = self._are_right[index.column()]
                return (_RIGHT if is_right else _LEFT) | Qt.AlignmentFlag.AlignVCenter
            case Role.AccessibleTextRole:
                name = self._columns[index.column()].name
                return f"{name}: {self.text(index.row(), index.column())}"
            case _:
                return None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Vertical:
            return self._row_header(section, role)
        column = self._columns[section]
        match role:
            case Role.DisplayRole:
                return column.name
            case Role.ToolTipRole:
                return f"{column.name} · {_(TYPE_NAMES[column.type])}"
            case _:
                return None

    def _row_header(self, section: int, role: int) -> object:
        match role:
            case Role.DisplayRole:
                at = self._cache.number(section)
                return WAITING if at is None else numeral(at, digits=0)
            case Role.TextAlignmentRole:
                return _RIGHT | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def _on_arrived(self, first: int, last: int) -> None:
        self.dataChanged.emit(
            self.index(first, 0), self.index(last, len(self._columns) - 1), [Role.DisplayRole]
        )


def _digits(cells: Sequence[Cell]) -> int:
    """The decimals that stand under each other in a column, by its first rows."""
    found = (_decimals(each) for each in cells if isinstance(each, float) and each - each == 0)
    return min(MOST_DIGITS, max(found, default=0))


def _decimals(value: float) -> int:
    """How many decimals it takes to write a number exactly as it is kept."""
    if value.is_integer():
        return 0
    exponent = Decimal(repr(value)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


_RIGHT, _LEFT = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
