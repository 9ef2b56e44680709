"""Lists with columns, of people and of what they did."""

from collections.abc import Sequence

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from qhub_desktop.ui.controls.plain_text import one_line


def make_list(name: str, columns: Sequence[str], *, wide: int) -> QTreeWidget:
    """Return an empty list; the column `wide` takes the room that the others leave."""
    list_ = QTreeWidget()
    list_.setAccessibleName(name)
    list_.setProperty("kind", "choices")
    list_.setColumnCount(len(columns))
    list_.setHeaderLabels([*columns])
    list_.setRootIsDecorated(False)
    list_.setUniformRowHeights(True)
    list_.setAllColumnsShowFocus(True)
    list_.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    header = list_.header()
    header.setStretchLastSection(False)
    header.setSectionsMovable(False)
    for column in range(len(columns)):
        is_wide = column == wide
        mode = QHeaderView.ResizeMode
        header.setSectionResizeMode(column, mode.Stretch if is_wide else mode.ResizeToContents)
    return list_


def make_row(cells: Sequence[str]) -> QTreeWidgetItem:
    """Return a row of a list, each cell on one line."""
    row = QTreeWidgetItem()
    for column, cell in enumerate(cells):
        row.setText(column, one_line(cell))
    return row
