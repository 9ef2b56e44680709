"""The values of a column with their counts, each to be ticked or not."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem
from typing_extensions import override

from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number
from qhub_desktop.data.paging import Values
from qhub_desktop.data.views import Filter, NoneOf, OneOf
from qhub_desktop.ui.table_window.words import value_words
from qhub_desktop.ui.theme import Palette

LEAST_PX, MOST_PX = 96, 288
VALUE_ROLE = int(Qt.ItemDataRole.UserRole)


class ValueList(QTreeWidget):
    """Knows what is ticked as 'these' or 'all but these', so that it need not hold every value.

    Signals:
        ticked: something was ticked, or no longer is.
        taken: Enter was pressed.
    """

    ticked = Signal()
    taken = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._is_all = True
        self._others: list[Cell] = []  # those that are not as `_is_all` says
        self._counts: dict[int, int] = {}
        self.setProperty("kind", "choices")
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(_("Values"))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.itemChanged.connect(self._on_item_changed)

    def begin(self, wanted: Filter | None) -> None:
        """Have ticked what this filter lets through; everything without one."""
        match wanted:
            case OneOf(values=values):
                self._is_all, self._others = False, list(values)
            case NoneOf(values=values):
                self._is_all, self._others = True, list(values)
            case _:
                self._is_all, self._others = True, []

    def show_values(self, found: Values, *, is_searched: bool) -> None:
        """List these; ticking the first line, which is not there in a search, ticks all."""
        self.blockSignals(True)  # noqa: FBT003  Qt's own
        self.clear()
        if not is_searched:
            self._add(_("(all)"), "")
        for value, count in found.values:
            item = self._add(value_words(value), number(count, digits=0))
            item.setData(0, VALUE_ROLE, (value,))
            if value is None:
                item.setForeground(0, QColor(self._palette.quiet))
        self.blockSignals(False)  # noqa: FBT003
        self._tick()
        rows_px = self.topLevelItemCount() * max(self.sizeHintForRow(0), 1) + 4
        self.setFixedHeight(max(LEAST_PX, min(MOST_PX, rows_px)))

    def wanted(self, column: str) -> Filter | None:
        """What is ticked, as a filter; nothing where everything is."""
        if not self._is_all:
            return OneOf(column, tuple(self._others))
        return NoneOf(column, tuple(self._others)) if self._others else None

    @property
    def is_nothing(self) -> bool:
        """Whether nothing at all is ticked."""
        return not self._is_all and not self._others

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.taken.emit()
        else:
            super().keyPressEvent(event)

    def _add(self, words: str, count: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([" ".join(words.split()), count])
        item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | item.flags())
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setForeground(1, QColor(self._palette.quiet))
        item.setToolTip(0, words[:400])
        item.setCheckState(0, Qt.CheckState.Checked)
        self.addTopLevelItem(item)
        return item

    def _on_item_changed(self, item: QTreeWidgetItem, _column: int) -> None:
        is_ticked = item.checkState(0) == Qt.CheckState.Checked
        held = item.data(0, VALUE_ROLE)
        if held is None:
            self._is_all, self._others = is_ticked, []
        else:
            (value,) = held
            self._others = [each for each in self._others if not _is_same(each, value)]
            if is_ticked != self._is_all:
                self._others.append(value)
        self._tick()
        self.ticked.emit()

    def _tick(self) -> None:
        self.blockSignals(True)  # noqa: FBT003
        for item in self._items():
            held = item.data(0, VALUE_ROLE)
            if held is None:
                some = Qt.CheckState.PartiallyChecked
                whole = Qt.CheckState.Checked if self._is_all else Qt.CheckState.Unchecked
                item.setCheckState(0, some if self._others else whole)
                continue
            is_other = any(_is_same(each, held[0]) for each in self._others)
            is_ticked = self._is_all is not is_other
            item.setCheckState(0, Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
        self.blockSignals(False)  # noqa: FBT003

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for at in range(self.topLevelItemCount()):
            item = self.topLevelItem(at)
            if item is not None:
                yield item


def _is_same(one: Cell, other: Cell) -> bool:
    """Whether they are one value; to Python yes is 1, too."""
    return type(one) is type(other) and one == other
